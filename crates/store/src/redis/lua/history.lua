-- A part of a table's log. KEYS: its state and its log. ARGV: 1 first version, 2 how many.
-- Gives: version, oldest version in the log, entries; nothing if there is no such table.

local head = redis.call('HMGET', STATE, 'v', 'o')
if not head[1] and redis.call('EXISTS', STATE) == 0 then return {} end
if not (tonumber(head[1]) and tonumber(head[2])) then return { false, false, {} } end
local from = later(ARGV[1], '1')
if later(from, head[2]) ~= from then return { head[1], head[2], {} } end
if later(from, head[1]) ~= head[1] then return { head[1], head[2], {} } end
return { head[1], head[2], redis.call('XRANGE', LOG, from, '+', 'COUNT', ARGV[2]) }
