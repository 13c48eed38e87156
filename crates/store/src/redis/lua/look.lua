-- A table as it stands. KEYS: its state. ARGV: 1 version and 2 chain that the caller believes in,
-- or nothing, 3 time.
-- Gives: 0 and the time if that is what stands, 1 and what stands if not, 2 if there is none.

local head = redis.call('HMGET', STATE, 'v', 'c', 'a')
if not head[1] and redis.call('EXISTS', STATE) == 0 then return { 2 } end
if not (head[1] and head[2] and tonumber(head[3])) then return { 3 } end
local now = later(head[3], time(ARGV[3]))
if head[1] == ARGV[1] and head[2] == ARGV[2] then return { 0, now } end
return { 1, head[1], head[2], head[3], now, redis.call('HGET', STATE, 'S') }
