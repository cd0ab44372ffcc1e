-- W6, W7: plain Lua functions as kernels, where hand-written C has explicit vectors or vector prototypes.
-- W10: points from the random generator.
-- usage: lunarray bench/functions.lua workload...
-- What an evaluation gives is checked against the Lua VM in a few places before anything is timed.

package.path = "bench/?.lua;" .. package.path
local lun = require "lunarray"
local measure = require "measure"

local function free(result)
    result:free()
end

-- Escape counts over 4096 x 3072 points of [-2, 1] x [-1.125, 1.125], in f32.
local function mandelbrot(name, limit)
    local w, h = 4096, 3072
    local k = lun.index(w * h) - 1
    local row = k // w
    local x = ((k - row * w):cast "f32" * (3 / w) - 2):copy()
    local y = (row:cast "f32" * (2.25 / h) - 1.125):copy()
    local function escape(cx, cy)
        local zx, zy, n = 0.0, 0.0, 0
        while n < limit and zx * zx + zy * zy <= 4 do
            zx, zy, n = zx * zx - zy * zy + cx, 2 * zx * zy + cy, n + 1
        end
        return n
    end
    local skeleton = lun.zip(escape)
    local counts = skeleton(x, y)
    for i = 1, w * h, 98765 do
        local n = escape(x[i], y[i])
        -- the VM computes in f64: points at the edge may differ
        assert(counts[i] == n or n > 20, i)
    end
    counts:free()
    measure.run(name, "ours", 1, function()
        return lun.eval(skeleton(x, y):cast "i32")
    end, free)
    measure.run(name .. "_i64", "ours", 1, function()
        return lun.eval(skeleton(x, y))
    end, free)
end

local workloads = {}

function workloads.W6_256()
    mandelbrot("W6_256", 256)
end

function workloads.W6_1000()
    mandelbrot("W6_1000", 1000)
end

-- Black-Scholes prices with local helper functions, f32.
function workloads.W7bs()
    local n, rate, v, strike = 1 << 22, 0.02, 0.3, 20
    local function uniform(low, high, seed)
        return (lun.random(n, { seed = seed, dtype = "f32" }) * (high - low) + low):copy()
    end
    local s, t = uniform(5, 30, 1), uniform(0.25, 10, 3)
    local function normal(d)
        local a = math.abs(d)
        local k = 1 / (1 + 0.2316419 * a)
        local p = k * (0.319381530 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429))))
        local y = 0.39894228 * math.exp(-0.5 * a * a) * p
        return d < 0 and y or 1 - y
    end
    local function price(spot, time)
        local root = v * math.sqrt(time)
        local d1 = (math.log(spot / strike) + (rate + 0.5 * v * v) * time) / root
        return spot * normal(d1) - strike * math.exp(-rate * time) * normal(d1 - root)
    end
    local prices = lun.zip(price)
    local got = prices(s, t)
    for i = 1, n, n // 50 do
        assert(math.abs(got[i] - price(s[i], t[i])) < 2e-4, i)
    end
    measure.run("W7bs", "ours", 1, function()
        return lun.eval(prices(s, t))
    end, free)
end

-- The mean of 17 neighbours, over a captured array, f32.
function workloads.W7box()
    local n, taps = 1 << 24, 17
    local w = lun.random(n + taps - 1, { seed = 4, dtype = "f32" }):copy()
    local function box(i)
        local sum = 0.0
        for j = 0, 16 do
            sum = sum + w[i + j]
        end
        return sum / 17
    end
    local got = lun.index(n):map(box)
    for i = 1, n, n // 50 do
        assert(math.abs(got[i] - box(i)) < 1e-6, i)
    end
    measure.run("W7box", "ours", 1, function()
        return lun.eval(lun.index(n):map(box))
    end, free)
end

-- A sparse matrix in rows (CSR) of 0 to 2 * mean elements, times a vector, f64.
local function csr(name, mean)
    local n = 1 << 18
    local first = (lun.index(n + 1) * 7919 % (2 * mean + 1)):scan("+", 1):cast("i32"):eval()
    local filled = first[n + 1] - 1
    local column = (lun.index(filled) * 2654435761 % n + 1):cast("i32"):eval()
    local value, x = lun.random(filled, { seed = 7 }):copy(), lun.random(n, { seed = 8 }):copy()
    local function row(i)
        local sum = 0.0
        for k = first[i], first[i + 1] - 1 do
            sum = sum + value[k] * x[column[k]]
        end
        return sum
    end
    local got = lun.index(n):map(row)
    for i = 1, n, n // 50 do
        assert(got[i] == row(i), i)
    end
    measure.run(name, "ours", 1, function()
        return lun.eval(lun.index(n):map(row))
    end, free)
end

function workloads.W7csr5()
    csr("W7csr5", 5)
end

function workloads.W7csr50()
    csr("W7csr50", 50)
end

-- Pi from 1e8 points: two numbers of Philox4x32-10 each.
function workloads.W10()
    local n, seed = 100000000, 0
    local function hits()
        seed = seed + 2
        local x = lun.random(n, { seed = seed, dtype = "f32" })
        local y = lun.random(n, { seed = seed + 1, dtype = "f32" })
        return (x * x + y * y):le(1):sum()
    end
    assert(math.abs(4 * hits() / n - math.pi) < 1e-3)
    measure.run("W10", "ours", 1, hits, function() end)
end

for _, name in ipairs(arg) do
    workloads[name]()
    collectgarbage()
end
