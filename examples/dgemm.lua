-- A tiled matrix product: each thread computes a tile of C, whose rows it holds in memory of its own while it walks
-- along K. Tiles are compile-time constants, so their loops are unrolled and run in vectors. One source for every
-- backend.
-- Usage: lunarray examples/dgemm.lua [rows]
-- prints:
--     C of 150 x 150 in tiles of 8 x 8
--     every backend gives the same bits; the largest difference from matmul is below 1e-12
local lun = require "lunarray"

local n, tile = tonumber(arg[1]) or 150, 8
local A, B = lun.random({ n, n }, { seed = 1 }) - 0.5, lun.random({ n, n }, { seed = 2 }) - 0.5
local here = lun.use()
local exact = A:matmul(B)

local function dgemm(t, a, b, c)
    local i0, j0, size = t:index(1), t:index(2), #a
    local width = math.min(t:elements(2), size - j0 + 1)
    local sums = t:private("f64", t:elements(2))
    for i = i0, math.min(i0 + t:elements(1) - 1, size) do
        for j = 1, width do sums[j] = 0 end
        for k = 1, size do
            local x = a[i][k]
            for j = 1, width do sums[j] = lun.fma(x, b[k][j0 + j - 1], sums[j]) end
        end
        for j = 1, width do c[i][j0 + j - 1] = sums[j] end
    end
end

print(("C of %d x %d in tiles of %d x %d"):format(n, n, tile, tile))
local first
for _, backend in ipairs(lun.backends()) do
    lun.use(backend)
    local C = lun.zeros { n, n }
    lun.teams(lun.workdiv({ n, n }, { elements = { tile, tile } }))(dgemm, A, B, C)
    first = first or C
    assert((C:eq(first)):all(), backend .. " gives other bits")
end
lun.use(here)
assert((first - exact):abs():max() < 1e-12)
print "every backend gives the same bits; the largest difference from matmul is below 1e-12"
