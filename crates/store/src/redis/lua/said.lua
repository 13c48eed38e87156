-- A part of an outbox. KEYS: 1 the outbox, 2 the numbers of its partition. ARGV: 1 first entry, 2
-- how many.
-- Gives: the number of the newest entry, that of the oldest that is kept or nothing, entries.

local newest = redis.call('HGET', KEYS[2], 'x') or '0'
local oldest = redis.call('XRANGE', KEYS[1], '-', '+', 'COUNT', 1)[1]
return { newest, oldest and oldest[1] or false,
  redis.call('XRANGE', KEYS[1], ARGV[1], '+', 'COUNT', ARGV[2]) }
