-- The heat equation by implicit steps: a plate, warm in the middle and held at 0 along its border, cools. A step of any
-- length is stable; it solves equations whose matrix is sparse, by conjugate gradients.
-- prints:
--     time  50: 74.34 in the middle, 18.90 in the mean
--     time 100: 49.68 in the middle, 16.36 in the mean
--     time 150: 35.96 in the middle, 13.49 in the mean
--     time 200: 27.37 in the middle, 10.91 in the mean
--     4096 equations, 20224 elements of the matrix, 1085 products with it
local lun = require "lunarray"

local n, step = 64, 10.0
local count = n * n

-- Triples of -1 between neighbours of a grid, 4 on the diagonal: points beyond the border are 0.
local at = lun.index(count):reshape(n, n)
local function between(a, b) return a:reshape(-1), b:reshape(-1) end
local down, below = between(at:sub({ 1, n - 1 }, {}), at:sub({ 2, n }, {}))
local right, beside = between(at:sub({}, { 1, n - 1 }), at:sub({}, { 2, n }))
local all = lun.index(count)
local rows = lun.concat { all, down, below, right, beside }
local columns = lun.concat { all, below, down, beside, right }
local values = lun.concat { lun.full(count, 4.0), lun.full(#rows - count, -1.0) }
local L = lun.csr(rows, columns, values, { count, count })
local A = lun.csr(all, all, lun.ones(count), { count, count }) + L * step

local middle = n // 2 + 0.5
local warm = lun.generate({ n, n }, function(i, j)
    return (i - middle) ^ 2 + (j - middle) ^ 2 < (n / 4) ^ 2 and 100.0 or 0.0
end)
local u = warm:reshape(-1):eval()
local rounds = 0
for k = 1, 20 do
    local steps
    u, steps = lun.cg(A, u, { x0 = u, tol = 1e-10 })
    rounds = rounds + steps
    if k % 5 == 0 then
        local plate = u:reshape(n, n)
        print(("time %3.0f: %5.2f in the middle, %5.2f in the mean"):format(k * step, plate[n // 2][n // 2], u:mean()))
    end
end
print(("%d equations, %d elements of the matrix, %d products with it"):format(count, A:nnz(), rounds))

-- Each wave of the plate dies out by a known factor a step: of the longest one all is known.
local k = lun.index(n) * (lun.pi / (n + 1))
local wave = k:sin():outer(k:sin()):reshape(-1):eval()
local eigenvalue = 4 - 4 * math.cos(lun.pi / (n + 1))
assert((lun.cg(A, wave, { tol = 1e-12 }) * (1 + step * eigenvalue) - wave):abs():max() < 1e-9)
