-- The same fields of many tables. KEYS: their states. ARGV: the fields.
-- Gives for each its fields, or nothing if there is no such table or it is damaged.

local heads = {}
for i = 1, #KEYS do
  local head = redis.pcall('HMGET', KEYS[i], unpack(ARGV))
  for j = 1, #ARGV do
    if head and (head.err or not head[j]) then head = false end
  end
  heads[i] = head
end
return heads
