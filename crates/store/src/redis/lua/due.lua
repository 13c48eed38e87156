-- Deadlines that have passed. KEYS: the deadlines of a partition. ARGV: 1 time, 2 how many.

return redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', time(ARGV[1]), 'LIMIT', 0, ARGV[2])
