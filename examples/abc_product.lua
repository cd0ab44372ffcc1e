-- The first program of ABC (A Blocked C): a product of matrices whose columns are blocked over the ranks. The loop is
-- the serial one; a round runs where a[i][j] is: the column of c that it reads is there too, of b a quarter.
--     build/lunarray --ranks 4 examples/abc_product.lua
-- prints:
--     a[1][1] = 338350, a[100][50] = 6767
--     4 ranks: 750000 of 2000000 reads are of other ranks' elements, 6 messages a rank
local lun = require "lunarray"

local s = lun.spmd
local n = 100
local a = lun.zeros({ n, s.block(n) }, "f64")
local b = lun.zeros({ n, s.block(n) }, "f64")
local c = lun.zeros({ n, s.block(n) }, "f64")
s.sharedon(b, function(i, j)
    b[i][j] = 1.0 * j
end)
s.sharedon(c, function(i, j)
    c[i][j] = i / j
end)

lun.stats "reset"
s.sharedon(a, function(i, j)
    a[i][j] = 0.0
    for k = 1, n do
        a[i][j] = a[i][j] + b[i][k] * c[k][j]
    end
end)
local gets = s.reduce("+", lun.stats().remote_gets)

local first, middle = a[1][1], a[100][50]
s.barrier()
s.master(function()
    print(("a[1][1] = %.0f, a[100][50] = %.0f"):format(first, middle))
    io.stderr:write(("%d ranks: %d of %d reads are of other ranks' elements, %d messages a rank\n"):format(s.npes, gets,
        2 * n ^ 3, lun.stats().messages))
end)
