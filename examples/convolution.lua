-- A convolution over a captured array: each element becomes a weighted mean of its neighbours, and the ends of
-- the signal repeat. The function is plain Lua, and so is what it is checked against.
-- Usage: lunarray examples/convolution.lua [elements [radius]]
--     build/lunarray examples/convolution.lua 1000
-- prints:
--     1000 of them checked; deviation before 0.1400, behind 0.0354
--     examples/convolution.lua:22: index -7 is out of range for array 'signal' of length 1000
--     1000 elements, 16 neighbours: ... ms
local lun = require "lunarray"

local n, radius = tonumber(arg[1]) or 1000000, tonumber(arg[2]) or 8

-- A triangle of weights, the sum of which is 1.
local weights = lun.index(2 * radius + 1):map(function(k)
    return (radius + 1 - math.abs(k - radius - 1)) / (radius + 1) ^ 2
end):eval()
local signal = ((lun.index(n) / 50):sin() + lun.random(n, { seed = 1 }) * 0.5):eval()

local function inside(i)
    local sum = 0.0
    for k = -radius, radius do
        sum = sum + weights[k + radius + 1] * signal[i + k]
    end
    return sum
end

local function at_an_end(i)
    local sum = 0.0
    for k = -radius, radius do
        sum = sum + weights[k + radius + 1] * signal[math.max(1, math.min(n, i + k))]
    end
    return sum
end

local function smooth(i)
    if i > radius and i <= n - radius then return inside(i) end
    return at_an_end(i)
end

local start = lun.clock()
local result = lun.index(n):map(smooth):eval()
io.stderr:write(("%d elements, %d neighbours: %.1f ms\n"):format(n, 2 * radius, 1e3 * (lun.clock() - start)))

local checked = 0
for i = 1, n, math.max(1, n // 997) do
    assert(result[i] == smooth(i), i) -- the same function in the Lua VM, bit for bit
    checked = checked + 1
end
print(("%d of them checked; deviation before %.4f, behind %.4f"):format(checked,
    (signal - (lun.index(n) / 50):sin()):std(), (result - (lun.index(n) / 50):sin()):std()))

-- One neighbour too many is an error with a place, not a wrong value.
print(select(2, pcall(function() return lun.index(n):map(inside):eval() end)))
