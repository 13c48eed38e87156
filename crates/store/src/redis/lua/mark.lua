-- What a batch writes for itself, so that replicas have something to confirm. KEYS: the mark.
-- ARGV: 1 for how long it is kept.

return redis.call('SET', KEYS[1], '1', 'PX', ARGV[1])
