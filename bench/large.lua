-- W1 to W4: arrays larger than the caches, one pass through memory each.
-- usage: lunarray bench/large.lua workload...
-- Results go back to the pool by free(), outside of the timed part; inputs are exchanged or written there
-- too. What an evaluation gives is checked before anything is timed.

package.path = "bench/?.lua;" .. package.path
local lun = require "lunarray"
local measure = require "measure"

local n = tonumber(os.getenv "BENCH_N") or 1 << 25
local places = { 1, 2, 63, 64, 65, n // 2, n - 1, n }

local function uniform(seed)
    return lun.random(n, { seed = seed, dtype = "f32" }):copy()
end

local function single(x)
    return (string.unpack("f", string.pack("f", x)))
end

local function free(result)
    result:free()
end

local function write_first(x)
    return function(_, rep)
        x[1] = (rep + 5) / 100
    end
end

local workloads = {}

function workloads.W1()
    local a, b, c, d = uniform(1), uniform(2), uniform(3), uniform(4)
    local e = (a + b) * (c + d)
    for _, i in ipairs(places) do
        assert(e[i] == single(single(a[i] + b[i]) * single(c[i] + d[i])))
    end
    e:free()
    measure.run("W1", "ours", 1, function()
        return lun.eval((a + b) * (c + d))
    end, function(result)
        result:free()
        a, b, c, d = d, a, b, c
    end)
end

function workloads.W2()
    local b, c = uniform(1), uniform(2)
    local s = 0.25
    local a = b + s * c
    for _, i in ipairs(places) do
        assert(a[i] == single(b[i] + single(s * c[i])))
    end
    a:free()
    measure.run("W2", "ours", 1, function()
        return lun.eval(b + s * c)
    end, function(result)
        result:free()
        s = s + 0.25
    end)
end

function workloads.W3sum()
    local x = uniform(1)
    assert(math.abs(x:sum() / n - 0.5) < 1e-3)
    measure.run("W3sum", "ours", 1, function()
        return x:sum()
    end, write_first(x))
end

function workloads.W3dot()
    local x, y = uniform(1), uniform(2)
    assert(math.abs(x:dot(y) / n - 0.25) < 1e-3)
    measure.run("W3dot", "ours", 1, function()
        return x:dot(y)
    end, write_first(x))
end

function workloads.W3mv()
    local x = uniform(1)
    assert(math.abs(x:mean() - 0.5) < 1e-3 and math.abs(x:var() - 1 / 12) < 1e-3)
    measure.run("W3mv", "ours", 1, function()
        return x:mean() + x:var()
    end, write_first(x))
end

function workloads.W4i32()
    local x = ((lun.index(n) * 2654435761 >> 24 & 255) - 100):cast("i32"):copy()
    local scan = lun.scan("+", 0)
    local y, sum = scan(x), 0
    for i = 1, 100 do
        assert(y[i] == sum)
        sum = sum + x[i]
    end
    assert((y[n] + x[n] - x:sum()) % (1 << 32) == 0)
    y:free()
    measure.run("W4i32", "ours", 1, function()
        return lun.eval(scan(x))
    end, free)
end

function workloads.W4f32()
    local x = uniform(1)
    local scan = lun.scan("+", 0)
    local y = scan(x)
    assert(y[1] == 0 and y[3] == single(x[1] + x[2]) and math.abs(y[n] / (x:sum() - x[n]) - 1) < 1e-6)
    y:free()
    measure.run("W4f32", "ours", 1, function()
        return lun.eval(scan(x))
    end, free)
end

for _, name in ipairs(arg) do
    workloads[name]()
    collectgarbage()
end
