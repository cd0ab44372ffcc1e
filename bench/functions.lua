-- W6: plain Lua functions as kernels, where hand-written C has explicit vectors or vector prototypes.
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
    measure.run(name, "ours_i64", 1, function()
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

for _, name in ipairs(arg) do
    workloads[name]()
    collectgarbage()
end
