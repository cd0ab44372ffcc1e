-- A tiled matrix product: each thread computes a tile of C, which it holds in memory of its own, in registers, while it
-- walks along K. Tiles are compile-time constants, so their loops are unrolled and run in vectors. One source for every
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
    local i0, j0, across = t:index(1) - 1, t:index(2) - 1, t:elements(2)
    local rows, columns = math.min(t:elements(1), #a - i0), math.min(across, #a - j0)
    local sums = t:private("f64", t:elements(1) * across)
    for k = 1, #a do
        for i = 1, rows do
            local x = a[i0 + i][k]
            for j = 1, columns do
                local at = (i - 1) * across + j
                sums[at] = lun.fma(x, b[k][j0 + j], sums[at])
            end
        end
    end
    for i = 1, rows do
        for j = 1, columns do c[i0 + i][j0 + j] = sums[(i - 1) * across + j] end
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
