-- Pi by throwing darts at a square. The random numbers are made where they are used: no memory, and the same
-- on every machine and any number of threads.
--     build/lunarray examples/pi.lua
-- prints:
--     10000000 darts: 3.14234
local lun = require "lunarray"

local n = 10000000
local x = lun.random(n, { seed = 1 })
local y = lun.random(n, { seed = 2 })
local inside = (x * x + y * y):le(1):count()

print(("%d darts: %.5f"):format(n, 4 * inside / n))
