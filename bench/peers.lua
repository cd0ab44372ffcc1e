-- Eight everyday workloads: prints "name seconds" for each repetition.
-- usage: lunarray bench/peers.lua FILE.csv repetitions name...
-- peers.py does the same by NumPy, polars and JAX; sh bench/peers.sh runs them in turn and prints README's table.

local lun = require "lunarray"

local path, repetitions = arg[1], tonumber(arg[2])
local N, ROWS, GROUPS = 1 << 24, 10000000, 100000
local work, again = {}, {}

local function uniform(n, seed) return lun.random(n, { seed = seed }):copy():eval() end

function work.fused()
    local a, b, c, d = uniform(N, 1), uniform(N, 2), uniform(N, 3), uniform(N, 4)
    again.fused = function() a[1] = a[1] + 1 end -- no result is remembered
    return function() return ((a + b) * (c + d)):eval() end
end

function work.distance()
    local a, b = uniform(N, 1), uniform(N, 2)
    again.distance = function() a[1] = a[1] + 1 end
    return function() return ((a - b) ^ 2):sum() end
end

local function escape(cx, cy)
    local zx, zy, n = 0.0, 0.0, 0
    while n < 200 and zx * zx + zy * zy <= 4 do
        zx, zy, n = zx * zx - zy * zy + cx, 2 * zx * zy + cy, n + 1
    end
    return n
end

function work.mandelbrot()
    local w, h = 1024, 768
    local k = lun.index(w * h) - 1
    local x, y = (k % w * (3 / w) - 2):eval(), (k // w * (2.25 / h) - 1.125):eval()
    again.mandelbrot = function() x[1] = x[1] + 1e-9 end
    return function() return x:zip(y, escape):eval() end
end

function work.sort()
    local x = uniform(ROWS, 1)
    again.sort = function() x[1] = x[2] end
    return function() return x:sort():eval() end
end

function work.group()
    local x, keys = uniform(ROWS, 1), (lun.random(ROWS, { seed = 2 }) * GROUPS):cast "i64":eval()
    again.group = function() keys[1] = (keys[1] + 1) % GROUPS end
    return function()
        local g = lun.group(keys)
        return g:mean(x):eval()
    end
end

function work.csv()
    return function() return lun.load(path) end
end

function work.stencil()
    local n = 2048
    local u = lun.random({ n, n }, { seed = 1 }):copy():eval()
    local step = lun.stencil(function(x) return (x(-1, 0) + x(1, 0) + x(0, -1) + x(0, 1)) / 4 end, { edge = 0 })
    again.stencil = function() u[1][1] = u[1][1] + 1 end
    return function()
        local v = u
        for _ = 1, 10 do
            v = step(v)
        end
        return v:eval()
    end
end

for i = 3, #arg do
    local body = work[arg[i]]()
    for round = -1, repetitions do
        collectgarbage()
        local start = lun.clock()
        local result = body()
        local time = lun.clock() - start
        if round > 0 then
            print(("%s %.9f"):format(arg[i], time))
        end
        assert(result)
        if again[arg[i]] then
            again[arg[i]]()
        end
    end
end
