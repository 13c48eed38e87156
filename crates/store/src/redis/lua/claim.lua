-- Claims turns. KEYS: 1 turns and 2 numbers of a partition, 3... the states of the tables.
-- ARGV: 1 time, 2 length of the lease, 3... names of the turns, one for each table's state.
-- Gives for each that was claimed: its name, token, end, version.

local now = time(ARGV[1])
local ends = sum(now, ARGV[2])
local claimed = {}
for i = 3, #ARGV do
  local name, state = ARGV[i], KEYS[i]
  local from = redis.call('ZSCORE', KEYS[1], name)
  if from and tonumber(from) <= tonumber(now) then
    local head = redis.pcall('HMGET', state, 'v', 'w')
    local seat = tonumber(string.match(name, '^%S+ (%d+) '))
    if head.err or not head[1] or not head[2] then
      -- Of a damaged table: out of the way for a while. Of none: for good.
      if redis.call('EXISTS', state) == 1 then
        redis.call('ZADD', KEYS[1], ends, name)
      else
        redis.call('ZREM', KEYS[1], name)
      end
    else
      -- Never twice the same, also if what was counted here is lost with a server.
      local t = redis.call('TIME')
      local token = t[1] .. string.format('%06d', tonumber(t[2]))
      local last = redis.call('HGET', KEYS[2], 'c')
      if last and later(last, token) == last then token = sum(last, 1) end
      redis.call('HSET', KEYS[2], 'c', token)
      redis.call('HSET', state, string.format('h%d', seat), token .. ' ' .. ends)
      redis.call('ZADD', KEYS[1], ends, name)
      claimed[#claimed + 1] = { name, token, ends, head[1] }
    end
  end
end
return claimed
