-- Random elements in order, or what needs their order, some times: prints the seconds of each.
-- usage: lunarray bench/order.lua sort|argsort|median|topk|unique dtype log2-of-elements repetitions
-- topk: of 100; unique: of 5000 different values. order.c sorts by hand; sh bench/order.sh runs both in turn and prints
-- ratios.

local lun = require "lunarray"

local what, dtype, n = arg[1], arg[2], 1 << tonumber(arg[3])
local integer = dtype:find "^[iu]" ~= nil
local x = lun.random(n, { seed = 1 })
local whole = what == "unique" and (x * 5000):floor() * 100003 or (x - 0.5) * 2.0 ^ 32
local a = (integer and whole or x):cast(dtype):eval()
local work = {
    topk = function() return lun.eval(a:topk(100)) end,
    unique = function() return lun.eval(a:unique()) end,
    median = function() return a:median() end,
}
local function in_order() return a[what](a):eval() end
for _ = 1, tonumber(arg[4]) do
    local start = lun.clock()
    local b = (work[what] or in_order)()
    print(("%.9f"):format(lun.clock() - start))
    if lun.isarray(b) then
        b:free()
    end
    a[1] = a[2] -- no result is remembered
end
