-- One commit, decided and done.
-- ARGV: 1 table, 2 expected version, 3 expected chain, 4 version, 5 chain, 6 snapshot, 7 entry,
-- 8 time, 9 request record, 10 answer, 11 seat of the lease, 12 its token, 13 its length,
-- 14 deadline, 15 turns, 16 state, 17 summary, 18 oldest version to keep, 19 outbox entries to
-- keep, 20 channel of the table, 21 channel of the work, 22... outbox.
-- Gives: 0 done, 1 duplicate, 2 reused, 3 lease lost, 4 conflict, 5 not found, 6 damaged.

local RECORD, REQUESTS = 53, 128
local id, expected, version, record = ARGV[1], ARGV[2], ARGV[4], ARGV[9]
local head = redis.call('HMGET', STATE, 'v', 'c', 'a', 'o', 'n', 'k', 't', 's', 'w')
if not head[1] and redis.call('EXISTS', STATE) == 0 then return { 5 } end
for i = 1, 9 do
  if not head[i] then return { 6, 'snapshot' } end
end
local at, oldest, n_requests = head[3], head[4], tonumber(head[5])
if not (tonumber(head[1]) and tonumber(at) and tonumber(oldest) and n_requests and tonumber(head[6])) then
  return { 6, 'snapshot' }
end
local now = time(ARGV[8])

local records = ''
if record ~= '' then
  records = redis.call('GET', RING) or ''
  if #records % RECORD ~= 0 then return { 6, 'request' } end
  local name, from = string.sub(record, 1, 17), 1
  while true do
    local found = string.find(records, name, from, true)
    if not found then break end
    if (found - 1) % RECORD == 0 then
      local made = string.format('%.0f', tonumber(string.sub(records, found + 33, found + 52)) or 0)
      if string.sub(records, found + 17, found + 32) ~= string.sub(record, 18, 33) then
        return { 2, made }
      end
      local kept = redis.call('XRANGE', ANSWERS, made, made, 'COUNT', 1)[1]
      if not kept then return { 6, 'request' } end
      return { 1, made, kept[2][2] }
    end
    from = found + 1
  end
end

local seat = ARGV[11]
if seat ~= '' and not is_held(seat, ARGV[12], now) then return { 3 } end

if head[1] ~= expected or head[2] ~= ARGV[3] then
  return { 4, head[1], head[2], at, later(at, now), redis.call('HGET', STATE, 'S') }
end

-- It stands. A key of another kind must show before anything is written.
at = later(at, now)
if ARGV[14] ~= 'k' then redis.call('ZCARD', DEADLINES) end
if ARGV[15] ~= 'k' or seat ~= '' then redis.call('ZCARD', TURNS) end
if ARGV[16] ~= '' then redis.call('ZCARD', LISTS) end
if #ARGV > 21 then
  redis.call('XLEN', OUTBOX)
  redis.call('HLEN', META)
end

-- What may already be there comes first: an answer, then the entry. Nothing else can fail.
if record ~= '' then
  local kept = redis.pcall('XADD', ANSWERS, version .. '-0', 'n', ARGV[10])
  if type(kept) == 'table' and kept.err then
    if string.find(kept.err, 'WRONGTYPE', 1, true) or string.find(kept.err, 'equal or smaller', 1, true) then
      return { 6, 'request' }
    end
    return kept
  end
end
local logged = redis.pcall('XADD', LOG, version .. '-0', 'c', ARGV[5], 'a', at, 'e', ARGV[7])
if type(logged) == 'table' and logged.err then
  if record ~= '' then redis.call('XDEL', ANSWERS, version .. '-0') end
  if string.find(logged.err, 'WRONGTYPE', 1, true) then return { 6, 'log' } end
  if string.find(logged.err, 'equal or smaller', 1, true) then return { 6, 'gap' } end
  return logged
end
local fields = { 'v', version, 'c', ARGV[5], 'a', at, 'S', ARGV[6] }
local function set(name, value)
  fields[#fields + 1] = name
  fields[#fields + 1] = value
end

local keep = later(oldest, ARGV[18])
if keep ~= oldest then
  redis.call('XTRIM', LOG, 'MINID', '=', keep)
  set('o', keep)
end

if record ~= '' then
  local slot = n_requests % REQUESTS
  redis.call('SETRANGE', RING, slot * RECORD, record)
  if #records >= REQUESTS * RECORD then
    local next_slot = (slot + 1) % REQUESTS * RECORD
    local first = string.sub(records, next_slot + 34, next_slot + 53)
    redis.call('XTRIM', ANSWERS, 'MINID', '=', string.format('%.0f', tonumber(first) or 0))
  end
  set('n', n_requests + 1)
end

if ARGV[14] == '' then
  redis.call('ZREM', DEADLINES, id)
  set('d', '')
elseif ARGV[14] ~= 'k' then
  redis.call('ZADD', DEADLINES, ARGV[14], id)
  set('d', ARGV[14])
end

local tenant, turns = head[7], head[9]
local earliest
if ARGV[15] ~= 'k' and ARGV[15] ~= turns then
  local before = turns_of(turns)
  local after, by_seat = turns_of(ARGV[15])
  for _, turn in ipairs(before) do
    local stays = by_seat[turn.seat] and by_seat[turn.seat].queue == turn.queue
    if not stays then
      redis.call('ZREM', TURNS, turn_name(id, turn.seat, turn.queue, tenant))
      redis.call('HDEL', STATE, 'h' .. turn.seat)
    end
  end
  for _, turn in ipairs(after) do
    local _, ends = holder(turn.seat)
    local from = turn.at
    if ends then from = later(from, ends) end
    redis.call('ZADD', TURNS, from, turn_name(id, turn.seat, turn.queue, tenant))
    if not earliest or tonumber(from) < tonumber(earliest) then earliest = from end
  end
  turns = ARGV[15]
  set('w', turns)
end
if seat ~= '' and holder(seat) then
  local ends = sum(now, ARGV[13])
  local _, by_seat = turns_of(turns)
  local turn = by_seat[seat]
  set('h' .. seat, ARGV[12] .. ' ' .. ends)
  if turn then
    redis.call('ZADD', TURNS, later(turn.at, ends), turn_name(id, seat, turn.queue, tenant))
  end
end

local state = ARGV[16]
if state ~= '' then
  if state ~= head[8] then
    redis.call('ZREM', LISTS, 's' .. head[8] .. place(head[6]) .. id)
    redis.call('ZADD', LISTS, 0, 's' .. state .. place(head[6]) .. id)
  end
  set('s', state)
  set('y', ARGV[17])
end

redis.call('HSET', STATE, unpack(fields))
say(id, version, at, ARGV[19], 22)
ring(ARGV[20], ARGV[5] .. version .. ' ' .. at .. ' ' .. ARGV[7])
if earliest or (state ~= '' and state ~= head[8]) then ring(ARGV[21], earliest or '') end
return { 0, at, earliest or '' }
