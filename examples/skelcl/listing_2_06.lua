-- Listing 2.6: the dot product of two Vectors of random numbers, beside a loop in Lua.
-- Needs a C compiler: functions in it are C text.
-- usage: lunarray examples/skelcl/listing_2_06.lua [size]
local lun = require "lunarray"

local mult = lun.zip "(float x, float y){ return x * y; }"
local sum = lun.reduce("(float x, float y){ return x + y; }", 0)

local size = math.tointeger(arg and arg[1] or 1024)
local A, B = lun.random(size, { seed = 1 }):cast "f32":eval(), lun.random(size, { seed = 2 }):cast "f32":eval()
local C = sum(mult(A, B))
local c = C:value()

local wanted = 0
for i = 1, size do wanted = wanted + A[i] * B[i] end
print(("kernels: %d"):format(#lun.explain(sum(mult(A, B)))))
print(("as the loop says: %s"):format(math.abs(c - wanted) < 1e-5 * wanted))
