-- The dot product of two Vectors: a zip that multiplies, a reduce that adds. Both fuse into one kernel that reads
-- each Vector once and writes nothing but the sum.
-- Needs a C compiler: functions in it are C text.
-- usage: lunarray examples/skelcl/dot_product.lua [n]
local lun = require "lunarray"

local mult = lun.zip "(float x, float y) { return x * y; }"
local sum = lun.reduce("+", 0)

local n = math.tointeger(arg and arg[1] or 1000)
local a = lun.range(1, n):cast "f32" / n -- 1/n, 2/n, ... 1
local b = lun.ones(n, "f32") * 2

local dot = sum(mult(a, b))
print(("kernels: %d"):format(#lun.explain(dot)))
print(("dot product: %.1f"):format(dot:value()))
