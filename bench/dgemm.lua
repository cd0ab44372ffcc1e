-- A matrix product by team kernels, from one source on every backend: each thread a tile of C in registers; and a
-- column of such tiles, for which the part of B that they share is packed once. dgemm.c has the same by hand, in C and
-- in OpenCL; sh bench/dgemm.sh runs all. Prints "name ours ms", in processor time, the least of the repetitions.
local lun = require "lunarray"

local reps = tonumber(os.getenv "BENCH_REPS") or 7
local n = tonumber(arg[1]) or 512
local A = ((lun.index(n * n) - 1) % 7 / 7):view { n, n }:eval()
local B, C = ((lun.index(n * n) - 1) % 5 / 5):view { n, n }:eval(), lun.zeros { n, n }

local function run(name, elements, f, ...)
    local launch = lun.teams(lun.workdiv({ n, n }, { elements = elements }))
    local best = math.huge
    for rep = -1, reps do
        local start = os.clock()
        launch(f, A, B, C, ...)
        local probe = C[n][n] -- a device has done it
        local ms = (os.clock() - start) * 1e3
        if rep > 0 and probe == probe then best = math.min(best, ms) end
    end
    print(("%s ours %.6f"):format(name, best))
    assert((C - A:matmul(B)):abs():max() < 1e-9, name)
end

run("tiles", { 8, 16 }, function(t, a, b, c)
    local i0, j0 = t:index(1) - 1, t:index(2) - 1
    local rows, columns = t:elements(1), t:elements(2)
    local sums = t:private("f64", rows * columns)
    for k = 1, #b do
        for i = 1, rows do
            local x = a[i0 + i][k]
            for j = 1, columns do
                local at = (i - 1) * columns + j
                sums[at] = lun.fma(x, b[k][j0 + j], sums[at])
            end
        end
    end
    for i = 1, rows do
        for j = 1, columns do c[i0 + i][j0 + j] = sums[(i - 1) * columns + j] end
    end
end)

local deep = n -- known when the kernel is compiled: how much memory a team has
run("panels", { 128, 16 }, function(t, a, b, c)
    local j0, columns, rows = t:index(2) - 1, t:elements(2), 8
    local panel, sums = t:scratch("f64", deep * columns), t:private("f64", rows * columns)
    for k = 1, #b do
        for j = 1, columns do panel[(k - 1) * columns + j] = b[k][j0 + j] end
    end
    for tile = 0, t:elements(1) // rows - 1 do
        local i0 = t:index(1) - 1 + tile * rows
        for at = 1, rows * columns do sums[at] = 0.0 end
        for k = 1, #b do
            for i = 1, rows do
                local x = a[i0 + i][k]
                for j = 1, columns do
                    local at = (i - 1) * columns + j
                    sums[at] = lun.fma(x, panel[(k - 1) * columns + j], sums[at])
                end
            end
        end
        for i = 1, rows do
            for j = 1, columns do c[i0 + i][j0 + j] = sums[(i - 1) * columns + j] end
        end
    end
end)
