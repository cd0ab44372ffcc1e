-- Sums of absolute differences of all pairs of rows, some times: prints the seconds of each, then the largest memory
-- that was in use beside the operands, as a multiple of the result's.
-- usage: lunarray bench/allpairs.lua n m k repetitions
-- allpairs.c does the same by hand; sh bench/allpairs.sh runs both in turn and prints ratios.

local lun = require "lunarray"

local n, m, k = tonumber(arg[1]), tonumber(arg[2]), tonumber(arg[3])
local a = lun.random({ n, k }, { seed = 1, dtype = "f32" }):copy()
local b = lun.random({ m, k }, { seed = 2, dtype = "f32" }):copy()
local distances = lun.allpairs(function(x, y) return math.abs(x - y) end, "+")
lun.stats "reset"
local before = lun.stats().allocated
for _ = 1, tonumber(arg[4]) do
    local start = lun.clock()
    local c = distances(a, b):eval()
    print(("%.9f"):format(lun.clock() - start))
    c:free()
    a[1][1] = 0.5 -- no result is remembered
end
io.stderr:write(("%.2f\n"):format((lun.stats().peak - before) / (4 * n * m)))
