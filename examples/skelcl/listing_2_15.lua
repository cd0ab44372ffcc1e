-- Listing 2.15: a Vector and a number as additional arguments of a map: each element's sum with the `count` first ones
-- of another Vector.
-- Needs a C compiler: functions in it are C text.
-- usage: lunarray examples/skelcl/listing_2_15.lua
local lun = require "lunarray"

local m = lun.map [[float f(float input, __global float* additionalInput, int count) {
    for (int k = 0; k < count; k++)
        input += additionalInput[k];
    return input;
}]]
local input, additional = lun.range(1, 5):cast "f32", lun.vector({ 100, 20, 3 }, "f32")
for count = 0, 3 do print(count, table.concat(m(input, additional, count):totable(), " ")) end
