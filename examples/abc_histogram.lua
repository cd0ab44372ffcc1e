-- A histogram over ranks: the rounds run where their values are, and what they add goes to the ranks that have the
-- counts and sums, as one message to each. The sums of floats have the bits of one rank.
--     build/lunarray --ranks 4 examples/abc_histogram.lua
-- prints:
--     1: 2547 values, sum 316.68
--     2: 2518 values, sum 939.75
--     the serial loop's bits: true
--     4 ranks: 12 messages
local lun = require "lunarray"

local s = lun.spmd
local n, bins = 10000, 4
local x = lun.zeros { s.block(n) }
local counts, sums = lun.zeros({ s.block(bins) }, "i64"), lun.zeros { s.block(bins) }
local values = lun.random(n, { seed = 5 })
x:set(values)

lun.stats "reset"
s.sharedon(x, function(i)
    local bin = math.floor(x[i] * bins) + 1
    counts[bin] = counts[bin] + 1
    sums[bin] = sums[bin] + x[i]
end)
local messages = s.reduce("+", lun.stats().messages)

local first = 0.0
for _, v in ipairs(values:totable()) do
    first = v * bins < 1 and first + v or first
end
for bin = 1, 2 do
    local count, sum = counts[bin], sums[bin]
    s.barrier()
    s.master(function()
        print(("%d: %d values, sum %.2f"):format(bin, count, sum))
    end)
end
local same = sums[1] == first
s.barrier()
s.master(function()
    print("the serial loop's bits: " .. tostring(same))
    io.stderr:write(("%d ranks: %d messages\n"):format(s.npes, messages))
end)
