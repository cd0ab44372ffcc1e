-- The dot product, four ways, each one kernel without a temporary.
-- Needs a C compiler: functions in it are C text.
--     build/lunarray examples/dot.lua
-- prints:
--     by name       333283335000
--     by operators  333283335000
--     by skeletons  333283335000
--     in C          333283335000
local lun = require "lunarray"

local a, b = lun.range(0, 9999), lun.range(0, 9999)

print("by name       " .. a:dot(b))
print("by operators  " .. (a * b):sum())

local dot = lun.zip "*" >> lun.reduce("+", 0)
print("by skeletons  " .. dot(a, b):value())

local multiply = lun.zip "long f(long x, long y) { return x * y; }"
local add = lun.reduce("long f(long x, long y) { return x + y; }", 0)
print("in C          " .. add(multiply(a, b)):value())
