-- W8: the math functions one by one over 2^18 elements, f32 and f64.
-- usage: lunarray bench/math.lua [function...]
-- How right they are is measured elsewhere: tests/diff/accuracy_spec.lua.

package.path = "bench/?.lua;" .. package.path
local lun = require "lunarray"
local measure = require "measure"

local N = 1 << 18

-- As in baselines/w08_math.c: where the arguments are.
local functions = {
    { "exp", -20, 20 }, { "exp2", -20, 20 }, { "expm1", -2, 2 }, { "log", 0.01, 100 }, { "log2", 0.01, 100 },
    { "log10", 0.01, 100 }, { "log1p", -0.9, 9 }, { "sin", -10, 10 }, { "cos", -10, 10 }, { "tan", -10, 10 },
    { "asin", -1, 1 }, { "acos", -1, 1 }, { "atan", -10, 10 }, { "sinh", -9, 9 }, { "cosh", -9, 9 },
    { "tanh", -4, 4 }, { "asinh", -10, 10 }, { "acosh", 1, 20 }, { "atanh", -0.99, 0.99 }, { "erf", -3, 3 },
    { "erfc", -3, 3 }, { "cbrt", -10, 10 }, { "pow", 0.1, 10, 2 }, { "atan2", -3, 3, 2 }, { "hypot", -10, 10, 2 },
}

local chosen = {}
for _, name in ipairs(arg) do
    chosen[name] = true
end

for _, row in ipairs(functions) do
    local name, low, high, operands = table.unpack(row)
    if #arg == 0 or chosen[name] then
        for _, dtype in ipairs { "f64", "f32" } do
            local function uniform(seed)
                return (lun.random(N, { seed = seed, dtype = dtype }) * (high - low) + low):copy()
            end
            local x, y, f = uniform(1), operands and uniform(2) or nil, lun[name]
            if name == "pow" then
                f = function(a, b)
                    return a ^ b
                end
            end
            measure.run(name .. "_" .. dtype, "ours", 1, function()
                return lun.eval(f(x, y))
            end, function(result)
                result:free()
            end)
        end
    end
end
