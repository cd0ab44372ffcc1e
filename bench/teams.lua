-- Team kernels, what a launch of an empty one costs, and a task given to a queue; on one thread, in processor time, the
-- least of the repetitions. teams.c has the loops by hand; sh bench/teams.sh runs both and prints ratios.
local lun = require "lunarray"

local reps = tonumber(os.getenv "BENCH_REPS") or 7

local function run(name, calls, body)
    local best = math.huge
    for rep = -1, reps do
        local start = os.clock()
        for _ = 1, calls do body() end
        local ms = (os.clock() - start) * 1e3 / calls
        if rep > 0 then best = math.min(best, ms) end
    end
    print(("%s ours %.6f"):format(name, best))
end

local function daxpy(t, y, x, a)
    for i = t:index(), math.min(t:index() + t:elements() - 1, #y) do y[i] = a * x[i] + y[i] end
end
for name, n in pairs { daxpy_near = 1 << 14, daxpy_far = 1 << 22 } do
    local x, y = ((lun.index(n) - 1) % 1000 / 1000):eval(), lun.zeros(n)
    local launch = lun.teams(lun.workdiv(n, { elements = 8 }))
    run(name, n < 1 << 20 and 100 or 1, function() launch(daxpy, y, x, 1e-3) end)
    assert((y - x * (1e-3 * (n < 1 << 20 and 100 or 1) * (reps + 2))):abs():max() < 1e-9)
end

do
    local edge = 48
    local n = edge ^ 3 // 1 | 0
    local first, column, number = {}, {}, {}
    for i = 0, edge - 1 do
        for j = 0, edge - 1 do
            for k = 0, edge - 1 do
                first[#first + 1] = #column + 1
                for d = 0, 26 do
                    local a, b, c = i + d // 9 - 1, j + d // 3 % 3 - 1, k + d % 3 - 1
                    if a >= 0 and a < edge and b >= 0 and b < edge and c >= 0 and c < edge then
                        column[#column + 1] = (a * edge + b) * edge + c + 1
                        number[#number + 1] = d == 13 and 26.0 or -1.0
                    end
                end
            end
        end
    end
    first[#first + 1] = #column + 1
    first, column, number = lun.vector(first), lun.vector(column), lun.vector(number)
    local x, y = ((lun.index(n) - 1) % 1000 / 1000):eval(), lun.zeros(n)
    local launch = lun.teams(lun.workdiv(n, { elements = 16 }))
    run("spmv", 1, function()
        launch(function(t, to, from, begin, where, what)
            for row = t:index(), math.min(t:index() + t:elements() - 1, #to) do
                local sum = 0.0
                for k = begin[row], begin[row + 1] - 1 do sum = sum + what[k] * from[where[k]] end
                to[row] = sum
            end
        end, y, x, first, column, number)
    end)
    assert(math.abs(y[n // 2]) < 1e3)
end

-- Steps of conjugate gradients for -div grad on a grid with zeros around it. Each team has a plane of the grid; what it
-- adds to a sum is kept in eight lanes, then for each plane.
do
    local m, steps = 128, 10
    local function grid() return lun.zeros { m + 2, m + 2, m + 2 } end
    local x, q, sums = grid(), grid(), lun.zeros(m)
    local given = lun.generate({ m + 2, m + 2, m + 2 }, function(i, j, k)
        local within = math.min(i, j, k) > 1 and math.max(i, j, k) < m + 2
        return within and ((i - 1) * 7 + (j - 1) * 5 + (k - 1) * 3) % 11 - 5.0 or 0.0
    end):eval()
    local r, p = given:copy(), given:copy()
    local planes = lun.teams { league = m, elements = 8 }
    local function total(s) return ((s[1] + s[5]) + (s[3] + s[7])) + ((s[2] + s[6]) + (s[4] + s[8])) end
    local function multiply(t, to, sum, at)
        local i, lanes = t:block() + 1, t:elements()
        local s = t:private("f64", lanes)
        for j = 2, m + 1 do
            for part = 0, m // lanes - 1 do
                for l = 1, lanes do
                    local k = part * lanes + l + 1
                    local v = 6 * at[i][j][k] - at[i][j][k - 1] - at[i][j][k + 1] - at[i][j - 1][k] - at[i][j + 1][k]
                        - at[i - 1][j][k] - at[i + 1][j][k]
                    to[i][j][k] = v
                    s[l] = s[l] + v * at[i][j][k]
                end
            end
        end
        sum[i - 1] = total(s)
    end
    local function advance(t, to, rest, sum, way, image, alpha)
        local i, lanes = t:block() + 1, t:elements()
        local s = t:private("f64", lanes)
        for j = 2, m + 1 do
            for part = 0, m // lanes - 1 do
                for l = 1, lanes do
                    local k = part * lanes + l + 1
                    local v = rest[i][j][k] - alpha * image[i][j][k]
                    to[i][j][k] = to[i][j][k] + alpha * way[i][j][k]
                    rest[i][j][k] = v
                    s[l] = s[l] + v * v
                end
            end
        end
        sum[i - 1] = total(s)
    end
    local function turn(t, way, rest, beta)
        local i = t:block() + 1
        for j = 2, m + 1 do
            for k = 2, m + 1 do way[i][j][k] = rest[i][j][k] + beta * way[i][j][k] end
        end
    end
    local rr = (given * given):sum() + 0
    local first = rr
    run("cg", 1, function()
        for _ = 1, steps do
            planes(multiply, q, sums, p)
            planes(advance, x, r, sums, p, q, rr / (sums:sum() + 0))
            local next = sums:sum() + 0
            planes(turn, p, r, next / rr)
            rr = next
        end
    end)
    planes(multiply, q, sums, x)
    local wrong = given - q
    local real = (wrong * wrong):sum() + 0
    assert(math.abs(real - rr) < 1e-9 * first and real < first, real)
end

do
    local cells, most, reach = 10, 120, 2.8 ^ 2
    local n = 4 * cells ^ 3 // 1 | 0
    local size = (n / 0.8442) ^ (1 / 3)
    local cube, site = (lun.index(n) - 1) // 4, (lun.index(n) - 1) % 4 + 1
    local function crystal(corner, within) return ((corner + lun.vector(within):take(site)) * size / cells):eval() end
    local x = crystal(cube % cells, { 0, 0.5, 0.5, 0 })
    local y = crystal(cube // cells % cells, { 0, 0.5, 0, 0.5 })
    local z = crystal(cube // (cells * cells), { 0, 0, 0.5, 0.5 })
    local list, count = lun.zeros({ n, most }, "i32"), lun.zeros(n, "i32")
    local function near(d)
        if d > size / 2 then return d - size elseif d < -size / 2 then return d + size end
        return d
    end
    lun.teams { league = n }(function(t)
        local i, found = t:block(), 0
        for j = 1, n do
            local a, b, c = near(x[j] - x[i]), near(y[j] - y[i]), near(z[j] - z[i])
            if j ~= i and a * a + b * b + c * c < reach then
                found = found + 1
                list[i][found] = j
            end
        end
        count[i] = found
    end)
    local fx, fy, fz, u = lun.zeros(n), lun.zeros(n), lun.zeros(n), lun.zeros(n)
    local launch = lun.teams(lun.workdiv(n, { elements = 4 }))
    local function forces(t, ax, ay, az, e, px, py, pz, neighbours, many)
        for i = t:index(), math.min(t:index() + t:elements() - 1, #many) do
            local sx, sy, sz, su = 0.0, 0.0, 0.0, 0.0
            for k = 1, many[i] do
                local j = neighbours[i][k]
                local a, b, c = near(px[i] - px[j]), near(py[i] - py[j]), near(pz[i] - pz[j])
                local square = a * a + b * b + c * c
                if square < 6.25 then
                    local inverse = 1 / square
                    local sixth = inverse * inverse * inverse
                    local f = 48 * sixth * (sixth - 0.5) * inverse
                    sx, sy, sz = sx + f * a, sy + f * b, sz + f * c
                    su = su + 2 * sixth * (sixth - 1)
                end
            end
            ax[i], ay[i], az[i], e[i] = sx, sy, sz, su
        end
    end
    local fma = lun.fma
    local function fused(t, ax, ay, az, e, px, py, pz, neighbours, many)
        for i = t:index(), math.min(t:index() + t:elements() - 1, #many) do
            local sx, sy, sz, su = 0.0, 0.0, 0.0, 0.0
            for k = 1, many[i] do
                local j = neighbours[i][k]
                local a, b, c = near(px[i] - px[j]), near(py[i] - py[j]), near(pz[i] - pz[j])
                local square = fma(c, c, fma(b, b, a * a))
                if square < 6.25 then
                    local inverse = 1 / square
                    local sixth = inverse * inverse * inverse
                    local f = 48 * sixth * (sixth - 0.5) * inverse
                    sx, sy, sz = fma(f, a, sx), fma(f, b, sy), fma(f, c, sz)
                    su = fma(2 * sixth, sixth - 1, su)
                end
            end
            ax[i], ay[i], az[i], e[i] = sx, sy, sz, su
        end
    end
    run("forces", 1, function() launch(forces, fx, fy, fz, u, x, y, z, list, count) end)
    assert(fx:abs():max() < 1e-9) -- in a crystal they cancel
    run("forces_fused", 1, function() launch(fused, fx, fy, fz, u, x, y, z, list, count) end)
    assert(fx:abs():max() < 1e-9) -- in a crystal they cancel
end

-- One thread that assigns one element: what all of a launch costs, and what giving one to a queue does.
do
    local one, cell = { league = 1 }, lun.zeros(1)
    local launch = lun.teams(one)
    local function empty(t, c) c[t:block()] = 1 end
    run("launch", 10000, function() launch(empty, cell) end)
    local task = lun.task(one, empty, lun.buffer("openmp", 1))
    local sync = lun.queue "openmp"
    run("enqueue", 10000, function() sync:enqueue(task) end)
    local async = lun.queue("openmp", { async = true })
    run("enqueue_async", 1, function()
        for _ = 1, 4000 do async:enqueue(task) end
        async:wait()
    end)
end
