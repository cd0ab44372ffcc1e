-- What a Lua function does, by its instructions: whether it could do otherwise in another call. Reads the binary chunk
-- of Lua 5.4 that string.dump writes. Knows nothing of arrays.

local HEADER = 4 + 1 + 1 + 6 + 3 + 8 + 8 + 1 -- up to the first function
-- SETUPVAL, SETTABUP to SETFIELD; NOT; JMP to TAILCALL, tests and calls; FORLOOP to TFORLOOP; CLOSURE, VARARG.
local VARIES = { [10] = true, [51] = true, [79] = true, [80] = true }
for _, range in ipairs { { 15, 18 }, { 56, 69 }, { 73, 77 } } do
    for code = range[1], range[2] do
        VARIES[code] = true
    end
end

-- A number of variable length at `at`, and where the next thing is.
local function number(s, at)
    local x = 0
    while true do
        local byte = s:byte(at)
        x, at = x << 7 | byte & 0x7f, at + 1
        if byte >= 0x80 then
            return x, at
        end
    end
end

-- Behind so many numbers.
local function skip(s, at, count)
    for _ = 1, count do
        local _, behind = number(s, at)
        at = behind
    end
    return at
end

local function skip_string(s, at)
    local size
    size, at = number(s, at)
    return at + math.max(size - 1, 0)
end

local CONSTANT = { [0] = 0, [1] = 0, [17] = 0, [3] = 8, [19] = 8 } -- bytes by type: nil, false, true, integer, float

local function skip_constants(s, at)
    local count
    count, at = number(s, at)
    for _ = 1, count do
        local size = CONSTANT[s:byte(at)]
        at = size and at + 1 + size or skip_string(s, at + 1)
    end
    return at
end

local function skip_debug(s, at)
    local count
    count, at = number(s, at) -- lines
    count, at = number(s, at + count) -- lines that are far
    count, at = number(s, skip(s, at, 2 * count)) -- local variables
    for _ = 1, count do
        at = skip(s, skip_string(s, at), 2)
    end
    count, at = number(s, at) -- upvalues
    for _ = 1, count do
        at = skip_string(s, at)
    end
    return at
end

-- Goes through the function at `at`; whether it has one of these instructions, and where the next thing is.
local function scan(s, at, codes)
    local has = false
    local count, code = number(s, skip(s, skip_string(s, at), 2) + 3)
    for k = 0, count - 1 do
        has = has or codes[s:byte(code + 4 * k) & 0x7f]
    end
    count, at = number(s, skip_constants(s, code + 4 * count)) -- upvalues
    count, at = number(s, at + 3 * count) -- functions inside
    for _ = 1, count do
        local inner
        inner, at = scan(s, at, codes)
        has = has or inner
    end
    return has, skip_debug(s, at)
end

local opcodes = {}

-- Whether f has branches, loops, calls or assignments to what outlives it.
function opcodes.varies(f)
    return (scan(string.dump(f), HEADER + 1, VARIES))
end

return opcodes
