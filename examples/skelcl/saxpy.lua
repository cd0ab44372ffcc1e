-- Extra arguments: a number and a whole Vector beside the elements. Numbers are arguments of the kernel, not part of
-- it: another factor compiles nothing.
-- Needs a C compiler: functions in it are C text.
-- usage: lunarray examples/skelcl/saxpy.lua
local lun = require "lunarray"

local saxpy = lun.zip "float func(float x, float y, float a) { return a * x + y; }"
local x, y = lun.range(1, 5):cast "f32", lun.full(5, 100, "f32")
print("a = 2:   ", table.concat(saxpy(x, y, 2):totable(), " "))
print("a = 0.5: ", table.concat(saxpy(x, y, 0.5):totable(), " "))

-- A whole Vector as an argument: a polynomial by Horner's rule, its coefficients counted from 0.
local polynomial = lun.map [[
float polynomial(float x, const float *coefficient, int degree)
{
    float value = coefficient[degree];
    for (int k = degree - 1; k >= 0; k--)
        value = value * x + coefficient[k];
    return value;
}
]]
local coefficient = lun.vector({ 1, 0, -2, 1 }, "f32") -- 1 - 2 x^2 + x^3
print("1-2x^2+x^3:", table.concat(polynomial(x, coefficient, 3):totable(), " "))
