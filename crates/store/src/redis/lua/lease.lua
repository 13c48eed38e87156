-- Renews a lease or gives it back. KEYS: 1 the state of its table, 2 the turns of the partition.
-- ARGV: 1 table, 2 seat, 3 token, 4 time, 5 length or nothing.
-- Gives: when the turn can be claimed again, or nothing if the lease is not held.

local id, seat, token, now = ARGV[1], ARGV[2], ARGV[3], time(ARGV[4])
if not is_held(seat, token, now) then return false end
local head = redis.call('HMGET', STATE, 'w', 't')
local _, by_seat = turns_of(head[1] or '')
local turn = by_seat[seat]
local ends = now
if ARGV[5] == '' then
  redis.call('HDEL', STATE, 'h' .. seat)
else
  ends = sum(now, ARGV[5])
  redis.call('HSET', STATE, 'h' .. seat, token .. ' ' .. ends)
end
if turn and head[2] then
  local from = turn.at
  if ARGV[5] ~= '' then from = later(from, ends) end
  redis.call('ZADD', KEYS[2], from, turn_name(id, seat, turn.queue, head[2]))
end
return ends
