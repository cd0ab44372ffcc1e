-- y = a * x + y in single precision: a Lua function with an extra argument, stored into y's own memory.
--     build/lunarray examples/saxpy.lua
-- prints:
--     1000000 elements from 1.000000 to 3.000000, 2.000000 on average
--     1 kernel reads 2 arrays and writes 1
local lun = require "lunarray"

local n = 1000000
local x = lun.linspace(0, 1, n):cast("f32"):eval()
local y = lun.ones(n, "f32"):eval()

local saxpy = lun.zip(function(xi, yi, a) return a * xi + yi end)
local plan = lun.explain(saxpy(x, y, 2))
saxpy:run { x, y, 2, out = y }

print(("%d elements from %f to %f, %f on average"):format(#y, y[1], y[n], y:mean()))
print(("%d kernel reads %d arrays and writes %d"):format(#plan, plan[1].reads, plan[1].writes))
