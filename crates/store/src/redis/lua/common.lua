-- What all scripts share. It stands before each of them.

local STATE, LOG, REQUEST_NAMES, TURNS = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local DEADLINES, LISTS, OUTBOX, META = KEYS[5], KEYS[6], KEYS[7], KEYS[8]

-- How a table keeps what it remembers. One of another form is refused, never misread.
local FORM = '2'

-- The time in milliseconds, as text: what was given, or that of this server.
local function time(given)
  if given ~= '' then return given end
  local t = redis.call('TIME')
  return t[1] .. string.format('%03d', math.floor(tonumber(t[2]) / 1000))
end

-- Numbers are kept as text: a version or a time may be too long for a number of this language.
local function later(a, b)
  if #a ~= #b then
    if #a > #b then return a else return b end
  end
  if a > b then return a else return b end
end

local function sum(a, b) return string.format('%.0f', tonumber(a) + tonumber(b)) end

-- Newest first: places of a list are in the order of their text.
local function place(created)
  return string.format('%016.0f', 9007199254740991 - tonumber(created))
end

local function turn_name(table_id, seat, queue, tenant)
  return table_id .. ' ' .. string.format('%03d', seat) .. ' ' .. queue .. ' ' .. tenant
end

-- Reads "seat:queue:time,seat:queue:time" into a list and a map by seat.
local function turns_of(text)
  local list, by_seat = {}, {}
  for seat, queue, at in string.gmatch(text, '(%d+):(%d+):(%d+)') do
    local turn = { seat = seat, queue = queue, at = at }
    list[#list + 1] = turn
    by_seat[seat] = turn
  end
  return list, by_seat
end

-- Who holds a seat's turn, and until when.
local function holder(seat)
  local text = redis.call('HGET', STATE, 'h' .. seat)
  if not text then return nil end
  local token, ends = string.match(text, '^(%d+) (%d+)$')
  return token, ends
end

local function is_held(seat, token, now)
  local holds, ends = holder(seat)
  return holds == token and tonumber(now) < tonumber(ends)
end

-- Rings a bell, if a channel is given. What was done stands whether or not it may ring.
local function ring(channel, message)
  if channel ~= '' then redis.pcall('SPUBLISH', channel, message) end
end

local function say(table_id, version, at, most, first)
  local n = #ARGV - first + 1
  if n <= 0 then return end
  local number = redis.call('HINCRBY', META, 'x', n) - n
  for i = first, #ARGV do
    number = number + 1
    redis.call('XADD', OUTBOX, string.format('%.0f-0', number),
      't', table_id, 'v', version, 'a', at, 'b', ARGV[i])
  end
  redis.call('XTRIM', OUTBOX, 'MAXLEN', '=', most)
end

