-- Linear equations, some times: prints the seconds of each.
-- usage: lunarray bench/solve.lua solve|inv|cholesky|qr|svd|eigh|small n repetitions     (small: n matrices, 3 x 3)
-- solve.c does the same by hand, solve.py by NumPy; sh bench/solve.sh runs them in turn and prints ratios.
local lun = require "lunarray"

local kind, n = arg[1], tonumber(arg[2])
local small = kind == "small"
local A = lun.random(small and { n, 3, 3 } or { n, n }, { seed = 1 }) - 0.5
A = ((kind == "cholesky" or kind == "eigh") and A:matmul(A:transpose()) + lun.eye(n) or A):copy():eval()
local b = lun.random(small and { n, 3, 1 } or n, { seed = 2 }):copy():eval()
for _ = 1, tonumber(arg[3]) do
    local start = lun.clock()
    local list
    if kind == "solve" or small then
        list = { A:solve(b):eval() }
    else
        list = { lun.eval(A[kind](A)) }
    end
    print(("%.9f"):format(lun.clock() - start))
    for _, x in ipairs(list) do
        x:free()
    end
    local first = small and A[1] or A
    first[1][1] = 2000 -- no result is remembered
end
