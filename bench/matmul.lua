-- One matrix product, some times: prints the seconds of each.
-- usage: lunarray bench/matmul.lua m k n dtype repetitions [t]    (t: both operands are transposed windows)
-- matmul.c does the same by a BLAS; sh bench/matmul.sh runs both in turn and prints ratios.

local lun = require "lunarray"

local m, k, n, dtype = tonumber(arg[1]), tonumber(arg[2]), tonumber(arg[3]), arg[4]

local function random(rows, columns, seed)
    if arg[6] then
        return lun.random({ columns, rows }, { seed = seed, dtype = dtype }):copy():transpose()
    end
    return lun.random({ rows, columns }, { seed = seed, dtype = dtype }):copy()
end

local a, b = random(m, k, 1), random(k, n, 2)
for _ = 1, tonumber(arg[5]) do
    local start = lun.clock()
    local c = a:matmul(b):eval()
    print(("%.9f"):format(lun.clock() - start))
    c:free()
    a[1][1] = 0.5 -- no result is remembered
end
