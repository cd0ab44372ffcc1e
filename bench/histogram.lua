-- A histogram of bytes in 256 bins: seconds of each repetition.
-- usage: lunarray bench/histogram.lua bits repetitions     (2^bits bytes)
-- histogram.c does the same by hand; sh bench/histogram.sh runs both in turn and prints ratios.

local lun = require "lunarray"

local x = (lun.random(1 << tonumber(arg[1]), { seed = 1 }) * 256):cast("u8"):eval()
for repetition = 0, tonumber(arg[2]) do
    local start = lun.clock()
    local counts = lun.eval((x:histogram(256, { range = { 0, 256 } })))
    if repetition > 0 then
        print(("%.9f"):format(lun.clock() - start))
    end
    counts:free()
    x[1] = repetition % 256 -- no result is remembered
end
