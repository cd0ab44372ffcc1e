-- How long the first results take in a new process. With "first": an expression that was never compiled, at
-- n = 100,000, and then another one. With "cached": twenty kernels, run twice; what the first run takes
-- more is what a kernel costs that is in the cache, and how many were compiled is told.
-- usage: lunarray bench/first.lua first | cached

package.path = "bench/?.lua;" .. package.path
local lun = require "lunarray"
local measure = require "measure"

local n = 100000

-- A new expression for each k: polynomials of another degree.
local function expression(x, k)
    local e = x + 1
    for i = 1, k do
        e = e * x - i
    end
    return e
end

local x = lun.random(n, { seed = 1, dtype = "f32" }):copy()

if arg[1] == "first" then
    for k, name in ipairs { "first", "next" } do
        local start = measure.now()
        local e = expression(x, 3 * k):sqrt()
        lun.eval(e)
        measure.print(name, "ours", measure.now() - start)
    end
else
    local count, spent = 20, { 0, 0 }
    for run = 1, 2 do
        for k = 1, count do
            local start = measure.now()
            local e = expression(x, k)
            lun.eval(e)
            spent[run] = spent[run] + measure.now() - start
            e:free()
        end
        collectgarbage()
    end
    measure.print("kernel", "ours", (spent[1] - spent[2]) / count)
    measure.print("compiles", "ours", lun.stats().compiles)
end
