-- Skeletons one after the other, made before there is any data, run as one kernel: the Euclidean norm of a
-- Vector, and of its first elements.
-- Needs a C compiler: functions in it are C text.
-- usage: lunarray examples/skelcl/sequence.lua
local lun = require "lunarray"

local square = lun.map "(float x) { return x * x; }"
local total = lun.reduce("+", 0)
local norm = lun.sequence(square, total)
local a = lun.vector({ 2, 3, 6 }, "f32")
print(("norm: %g"):format(math.sqrt(norm(a):value())))

local running = square >> lun.scan("+", 0, { inclusive = true }) >> lun.map "sqrt"
for i, length in running(a):iter() do
    print(("of the first %d: %.3f"):format(i, length))
end
print(("kernels: %d"):format(#lun.explain(running(a * 2))))
