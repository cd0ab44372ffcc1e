-- Elements of f32 where a mask is true, about half of them, some times: prints the seconds of each. "mask": the mask is
-- in memory; "lazy": elements and mask are expressions.
-- usage: lunarray bench/select.lua mask|lazy n repetitions
-- select.c does the same by hand; sh bench/select.sh runs both in turn and prints ratios.

local lun = require "lunarray"

local kind, n = arg[1], tonumber(arg[2])
local x = lun.random(n, { dtype = "f32" }):eval()
local mask = x:gt(0.5):eval()
for _ = 1, tonumber(arg[3]) do
    local start = lun.clock()
    local c
    if kind == "mask" then
        c = x:compress(mask):eval()
    else
        c = (x * 2 + 1):compress(x:gt(0.5)):eval()
    end
    print(("%.9f"):format(lun.clock() - start))
    c:free()
    x[1] = 0.25 -- no result is remembered
end
