-- Deletes a table and all that is kept of it, but what the outbox has said.
-- ARGV: 1 table, 2 version that it must have, or nothing, 3 last commit before this time, or
-- nothing, 4 channel of the table.
-- Gives: 1 if there was something, 0 if not.

local id = ARGV[1]
if redis.call('EXISTS', STATE) == 0 then return 0 end
local head = redis.pcall('HMGET', STATE, 'k', 't', 's', 'w', 'v', 'a')
local is_whole = not head.err
for i = 1, 6 do is_whole = is_whole and head[i] end
if ARGV[2] ~= '' then
  if not is_whole or head[5] ~= ARGV[2] or tonumber(head[6]) >= tonumber(ARGV[3]) then return 0 end
end
redis.call('UNLINK', STATE, LOG, REQUEST_NAMES)
redis.call('ZREM', DEADLINES, id)
if is_whole and tonumber(head[1]) then
  local at = place(head[1])
  redis.call('ZREM', LISTS, 'a' .. at .. id, 's' .. head[3] .. at .. id,
    't' .. head[2] .. ' ' .. at .. id)
  for _, turn in ipairs((turns_of(head[4]))) do
    redis.call('ZREM', TURNS, turn_name(id, turn.seat, turn.queue, head[2]))
  end
else
  -- Its places are not known any more: they are looked for.
  for _, name in ipairs(redis.call('ZRANGE', LISTS, 0, -1)) do
    local found = string.match(name, '^a................(.*)$')
      or string.match(name, '^s...................(.*)$')
      or string.match(name, '^t[^ ]* ................(.*)$')
    if found == id then redis.call('ZREM', LISTS, name) end
  end
  for _, name in ipairs(redis.call('ZRANGE', TURNS, 0, -1)) do
    if string.sub(name, 1, #id + 1) == id .. ' ' then redis.call('ZREM', TURNS, name) end
  end
end
ring(ARGV[4], '')
return 1
