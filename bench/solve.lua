-- Linear equations, some times: prints the seconds of each.
-- usage: lunarray bench/solve.lua solve|inv|cholesky|small n repetitions     (small: n matrices, 3 x 3)
-- solve.c does the same by hand, solve.py by NumPy; sh bench/solve.sh runs them in turn and prints ratios.
local lun = require "lunarray"

local kind, n = arg[1], tonumber(arg[2])
local small = kind == "small"
local A = lun.random(small and { n, 3, 3 } or { n, n }, { seed = 1 }) - 0.5
A = (kind == "cholesky" and A:matmul(A:transpose()) + lun.eye(n) or A):copy():eval()
local b = lun.random(small and { n, 3, 1 } or n, { seed = 2 }):copy():eval()
for _ = 1, tonumber(arg[3]) do
    local start = lun.clock()
    local x
    if kind == "inv" or kind == "cholesky" then
        x = A[kind](A):eval()
    else
        x = A:solve(b):eval()
    end
    print(("%.9f"):format(lun.clock() - start))
    x:free()
    local first = small and A[1] or A
    first[1][1] = 2000 -- no result is remembered
end
