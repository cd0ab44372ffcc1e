-- Fifty kernels compiled in the background: how long it takes until the last is there and in how many compiler
-- runs, while the script sleeps or, with "busy", while it computes; then also how much slower that gets.
-- usage: LUNARRAY_JIT=auto lunarray bench/background.lua [busy], with an empty LUNARRAY_CACHE_DIR

package.path = "bench/?.lua;" .. package.path
local lun = require "lunarray"
local measure = require "measure"

local KERNELS <const> = 50
local n = 10000
local a = lun.random(n, { dtype = "f32", seed = 1 }):copy()
local b = lun.random(n, { dtype = "f32", seed = 2 }):copy()
local c = lun.random(n, { seed = 3 }):copy()

local steps = {
    function(x, y) return x + y end, function(x, y) return x * y end, function(x, y) return x - y end,
    function(x, y) return x:exp() + y end, function(x, y) return x:sqrt() * y end, function(x, y) return x:max(y) end,
    function(x, y) return x:sin() - y end,
}

-- Expression k: six operations that no other has in this order, now and then with a sum at the end.
local function expression(k)
    local e, rest = k % 3 == 0 and c or a, k * 2654435761 % 4294967296
    for i = 1, 6 do
        e = steps[rest % #steps + 1](e, i % 2 == 0 and a or b)
        rest = rest // #steps
    end
    return k % 5 == 0 and e:sum() or e:eval()
end

local function foreground() return lun.eval((a + b) * (a - b)) end

-- Adds the microseconds of `count` runs to times.
local function watch(times, count)
    for _ = 1, count do
        local start = measure.now()
        foreground()
        times[#times + 1] = (measure.now() - start) * 1e3
    end
    return times
end

-- Median and 99th percentile.
local function told(times)
    table.sort(times)
    return ("%.1f us (p99 %.1f)"):format(times[(#times + 1) // 2], times[math.max(1, #times * 99 // 100)])
end

-- Each expression once; how many were interpreted.
local function all()
    local before = lun.stats().interpreted
    for k = 1, KERNELS do expression(k) end
    return lun.stats().interpreted - before
end

local warm = measure.now()
while measure.now() - warm < 500 do foreground() end
local alone, meanwhile = watch({}, 5000), {}
local before, start = lun.stats().compiles, measure.now()
while all() > 0 do
    if arg[1] == "busy" then watch(meanwhile, 100) else os.execute "sleep 0.01" end
end
local done = measure.now()
measure.print("background", "until_compiled", done - start)
print(("# %d kernels, %d compiler runs"):format(KERNELS, lun.stats().compiles - before))
if #meanwhile == 0 then return end
print(("# the foreground: %s alone, %s meanwhile"):format(told(alone), told(meanwhile)))
