-- One commit, decided and done.
-- KEYS: those of a table as far as the commit needs them, no gap between.
-- ARGV: 1 table, 2 expected version, 3 expected chain, 4 version, 5 chain, 6 snapshot, 7 entry,
-- 8 oldest version to keep, 9 time, 10 channel of the table, 11 channel of the work, 12 field of
-- the request, 13 what is remembered of it, 14 turns, 15 lease: seat, token and length,
-- 16 deadline, 17 state, 18 summary, 19 outbox entries to keep, 20... outbox.
-- From 12 on, nothing says that there is none or that it stays, as do arguments that are left out;
-- turns and a deadline that go are '-'. Each key and each argument costs about as much as a field.
-- Gives: 0 done, 1 duplicate, 2 reused, 3 lease lost, 4 conflict, 5 not found, 6 damaged.

-- Bytes of a request's body.
local BODY = 16
local id, version, request = ARGV[1], ARGV[4], ARGV[12] or ''
local new_turns, lease = ARGV[14] or '', ARGV[15] or ''
local deadline, state = ARGV[16] or '', ARGV[17] or ''

local head = redis.call('HMGET', STATE, 'v', 'c', 'a', 'o', 'k', 't', 's', 'w', 'f', request)
if not head[1] and redis.call('EXISTS', STATE) == 0 then return { 5 } end
for i = 1, 8 do
  if not head[i] then return { 6, 'snapshot' } end
end
local at, oldest, tenant, listed, turns = head[3], head[4], head[6], head[7], head[8]
if not (tonumber(head[1]) and tonumber(at) and tonumber(oldest) and tonumber(head[5])) then
  return { 6, 'snapshot' }
end
-- Whatever keeps its requests in another form may hold this one.
if head[9] ~= FORM then return { 6, 'snapshot' } end
local now = time(ARGV[9])

local known = request ~= '' and head[10]
if known then
  local made, from = string.match(known, '^(%d+) ()', BODY + 1)
  if not made then return { 6, 'request' } end
  if string.sub(known, 1, BODY) ~= string.sub(ARGV[13], 1, BODY) then return { 2, made } end
  return { 1, made, string.sub(known, from) }
end

local seat, token, length = string.match(lease, '^(%d+) (%d+) (%d+)$')
if seat and not is_held(seat, token, now) then return { 3 } end

if head[1] ~= ARGV[2] or head[2] ~= ARGV[3] then
  return { 4, head[1], head[2], at, later(at, now), redis.call('HGET', STATE, 'S') }
end

-- It stands. A key of another kind must show before anything is written.
at = later(at, now)
if deadline ~= '' then redis.call('ZCARD', DEADLINES) end
if new_turns ~= '' or seat then redis.call('ZCARD', TURNS) end
if state ~= '' then redis.call('ZCARD', LISTS) end
if #ARGV > 19 then
  redis.call('XLEN', OUTBOX)
  redis.call('HLEN', META)
end

-- What may fail still comes first: the name of the request, then the entry.
local n_requests = 0
if request ~= '' then
  n_requests = redis.pcall('RPUSH', REQUEST_NAMES, request)
  if type(n_requests) == 'table' then
    if string.find(n_requests.err, 'WRONGTYPE', 1, true) then return { 6, 'request' } end
    return n_requests
  end
end
local logged = redis.pcall('XADD', LOG, version .. '-0', 'c', ARGV[5], 'a', at, 'e', ARGV[7])
if type(logged) == 'table' and logged.err then
  if request ~= '' then redis.call('RPOP', REQUEST_NAMES) end
  if string.find(logged.err, 'WRONGTYPE', 1, true) then return { 6, 'log' } end
  if string.find(logged.err, 'equal or smaller', 1, true) then return { 6, 'gap' } end
  return logged
end
local fields, gone = { 'v', version, 'c', ARGV[5], 'a', at, 'S', ARGV[6] }, {}
local function set(name, value)
  fields[#fields + 1] = name
  fields[#fields + 1] = value
end

local keep = later(oldest, ARGV[8])
if keep ~= oldest then
  redis.call('XTRIM', LOG, 'MINID', '=', keep)
  set('o', keep)
end

if request ~= '' then
  if n_requests > REQUESTS_KEPT then gone[1] = redis.call('LPOP', REQUEST_NAMES) end
  set(request, ARGV[13])
end

if deadline == '-' then
  redis.call('ZREM', DEADLINES, id)
  set('d', '')
elseif deadline ~= '' then
  redis.call('ZADD', DEADLINES, deadline, id)
  set('d', deadline)
end

local earliest
-- Seats whose leases end with their turns.
local left = {}
if new_turns == '-' then new_turns = '' elseif new_turns == '' then new_turns = turns end
if new_turns ~= turns then
  local before = turns_of(turns)
  local after, by_seat = turns_of(new_turns)
  for _, turn in ipairs(before) do
    local stays = by_seat[turn.seat] and by_seat[turn.seat].queue == turn.queue
    if not stays then
      redis.call('ZREM', TURNS, turn_name(id, turn.seat, turn.queue, tenant))
      left[turn.seat] = true
      gone[#gone + 1] = 'h' .. turn.seat
    end
  end
  for _, turn in ipairs(after) do
    local from = turn.at
    if not left[turn.seat] then
      local _, ends = holder(turn.seat)
      if ends then from = later(from, ends) end
    end
    redis.call('ZADD', TURNS, from, turn_name(id, turn.seat, turn.queue, tenant))
    if not earliest or tonumber(from) < tonumber(earliest) then earliest = from end
  end
  turns = new_turns
  set('w', turns)
end
if seat and not left[seat] then
  local ends = sum(now, length)
  local _, by_seat = turns_of(turns)
  local turn = by_seat[seat]
  set('h' .. seat, token .. ' ' .. ends)
  if turn then
    redis.call('ZADD', TURNS, later(turn.at, ends), turn_name(id, seat, turn.queue, tenant))
  end
end

if state ~= '' then
  if state ~= listed then
    redis.call('ZREM', LISTS, 's' .. listed .. place(head[5]) .. id)
    redis.call('ZADD', LISTS, 0, 's' .. state .. place(head[5]) .. id)
  end
  set('s', state)
  set('y', ARGV[18] or '')
end

if #gone > 0 then redis.call('HDEL', STATE, unpack(gone)) end
redis.call('HSET', STATE, unpack(fields))
if #ARGV > 19 then say(id, version, at, ARGV[19], 20) end
ring(ARGV[10], ARGV[5] .. version .. ' ' .. at .. ' ' .. ARGV[7])
if earliest or (state ~= '' and state ~= listed) then ring(ARGV[11], earliest or '') end
return { 0, at, earliest or '' }
