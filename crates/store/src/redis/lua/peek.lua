-- Turns that can be taken now. KEYS: the turns of a partition. ARGV: 1 time, 2 queues as
-- " 1 2 3 ", 3 tenant or nothing, 4 how many of each tenant, 5 how many to look at.
-- Gives: the time; when the first turn can be taken, whatever it is, or nothing; then names and
-- times.

local now, queues, only, most = time(ARGV[1]), ARGV[2], ARGV[3], tonumber(ARGV[4])
local due = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', now, 'WITHSCORES', 'LIMIT', 0, ARGV[5])
local first = redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')[2] or ''
local found, n_of = { now, first }, {}
for i = 1, #due, 2 do
  local queue, tenant = string.match(due[i], '^%S+ %d+ (%d+) (%S+)$')
  if queue and string.find(queues, ' ' .. queue .. ' ', 1, true)
    and (only == '' or only == tenant) and (n_of[tenant] or 0) < most then
    n_of[tenant] = (n_of[tenant] or 0) + 1
    found[#found + 1] = due[i]
    found[#found + 1] = due[i + 1]
  end
end
return found
