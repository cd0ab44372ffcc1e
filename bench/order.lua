-- Random elements in order, some times: prints the seconds of each.
-- usage: lunarray bench/order.lua sort|argsort dtype log2-of-elements repetitions
-- order.c does the same by hand; sh bench/order.sh runs both in turn and prints ratios.

local lun = require "lunarray"

local what, dtype, n = arg[1], arg[2], 1 << tonumber(arg[3])
local integer = dtype:find "^[iu]" ~= nil
local x = lun.random(n, { seed = 1 })
local a = (integer and ((x - 0.5) * 2.0 ^ 32) or x):cast(dtype):eval()
for _ = 1, tonumber(arg[4]) do
    local start = lun.clock()
    local b = a[what](a):eval()
    print(("%.9f"):format(lun.clock() - start))
    b:free()
    a[1] = a[2] -- no result is remembered
end
