-- A new table.
-- ARGV: 1 table, 2 tenant, 3 state, 4 summary, 5 snapshot, 6 chain, 7 time, 8 request id, 9 its
-- body, 10 answer, 11 deadline, 12 turns, 13 outbox entries to keep, 14 channel of the work,
-- 15... outbox.
-- Gives: 0 and the time if it is new, 1 and what the first request was if it is there.

local id, tenant, state, now = ARGV[1], ARGV[2], ARGV[3], time(ARGV[7])
if redis.call('EXISTS', STATE) == 1 then
  local first = redis.call('HMGET', STATE, 'q', 'b', 'z')
  return { 1, first[1], first[2], first[3] }
end
-- A key of another kind must show before anything is written.
redis.call('ZCARD', LISTS)
redis.call('ZCARD', DEADLINES)
redis.call('ZCARD', TURNS)
redis.call('XLEN', OUTBOX)
redis.call('HLEN', META)

redis.call('HSET', STATE, 'v', '0', 'c', ARGV[6], 'a', now, 'k', now, 'o', '1', 'f', FORM,
  't', tenant, 's', state, 'y', ARGV[4], 'd', ARGV[11], 'w', ARGV[12], 'S', ARGV[5],
  'q', ARGV[8], 'b', ARGV[9], 'z', ARGV[10])
-- What a table of this name left behind without its state.
redis.call('UNLINK', LOG, REQUEST_NAMES)
local at = place(now)
redis.call('ZADD', LISTS, 0, 'a' .. at .. id, 0, 's' .. state .. at .. id,
  0, 't' .. tenant .. ' ' .. at .. id)
if ARGV[11] ~= '' then redis.call('ZADD', DEADLINES, ARGV[11], id) end
local earliest
for _, turn in ipairs((turns_of(ARGV[12]))) do
  redis.call('ZADD', TURNS, turn.at, turn_name(id, turn.seat, turn.queue, tenant))
  if not earliest or tonumber(turn.at) < tonumber(earliest) then earliest = turn.at end
end
say(id, '0', now, ARGV[13], 15)
ring(ARGV[14], earliest or '')
return { 0, now }
