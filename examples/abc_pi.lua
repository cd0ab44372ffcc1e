-- The third program of ABC (A Blocked C): pi by darts. Each rank throws its share of them with numbers of its own and
-- adds its hits to a value that rank 0 has; the master prints when all have.
--     build/lunarray --ranks 4 examples/abc_pi.lua
-- prints:
--     PI estimated at 3.142572 from 1000000 trials on 4 processors.
--     3 remote updates
local lun = require "lunarray"

local s = lun.spmd
local trials = 1000000
local total = s.shared("i64", 0)
local mine = (trials + s.npes - 1 - s.mype) // s.npes

local x = lun.random(mine, { seed = 2 * s.mype })
local y = lun.random(mine, { seed = 2 * s.mype + 1 })
s.atomic(total, "+", (x * x + y * y):le(1):count())

local updates = s.reduce("+", lun.stats().remote_puts)
s.master(function()
    print(("PI estimated at %f from %d trials on %d processors."):format(4 * total:get() / trials, trials, s.npes))
    print(("%d remote updates"):format(updates))
end)
