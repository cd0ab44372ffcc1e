-- Elementwise work on windows, and on rows and columns that are repeated: each line is computed where it stands. Lists of Lua say
-- what comes out, also where a window is set from others that overlap it.
local lun = require "lunarray"
local shell = require "shell"

local state = 99
local function pick(n)
    state = (state * 1103515245 + 12345) % 2147483648
    return state // 16 % n + 1
end

local function rows_of(A)
    local list, n, m = A:totable(), A:shape()
    local rows = {}
    for i = 1, n do
        rows[i] = type(list[1]) == "table" and list[i] or table.move(list, (i - 1) * m + 1, i * m, 1, {})
    end
    return rows
end

local function same(rows, A, what)
    for i, row in ipairs(rows_of(A)) do
        for j, x in ipairs(row) do
            if x ~= rows[i][j] then
                error(("%s: element %d, %d is %s, %s expected"):format(what, i, j, x, rows[i][j]), 2)
            end
        end
    end
end

describe("windows", function()
    after_each(function() lun.use(lun.backends()[1]) end)

    for _, place in ipairs { "openmp", "reference", "openmp/3" } do
        it("of rows of any length are computed and set: " .. place, function()
            lun.use(place)
            for _, shape in ipairs { { 3, 17 }, { 18, 18 }, { 30, 30 }, { 9, 66 }, { 12, 67 }, { 7, 131 }, { 5, 2055 }, { 70, 250 } } do
                local n, m = shape[1], shape[2]
                for _, dtype in ipairs { "f64", "f32", "i32", "i8" } do
                    local A = lun.range(1, n * m):cast(dtype):reshape(n, m):copy()
                    local B = lun.full({ n, m }, -1, dtype):copy()
                    local inner = { 2, -2 }
                    B:sub(inner, inner):set(A:sub({ 1, -3 }, inner) + A:sub({ 3, -1 }, inner) - A:sub(inner, { 1, -3 }))
                    local fresh = (A:sub(inner, { 1, -3 }) - A:sub(inner, { 3, -1 })):eval()
                    local a, b = rows_of(A), rows_of(lun.full({ n, m }, -1, dtype))
                    for i = 2, n - 1 do
                        for j = 2, m - 1 do
                            b[i][j] = a[i - 1][j] + a[i + 1][j] - a[i][j - 1]
                            if dtype == "i8" then b[i][j] = (b[i][j] + 128) % 256 - 128 end
                        end
                    end
                    same(b, B, ("%s, %d x %d"):format(dtype, n, m))
                    for i, row in ipairs(rows_of(fresh)) do
                        for j, x in ipairs(row) do
                            local wanted = a[i + 1][j] - a[i + 1][j + 2]
                            assert(x == wanted or dtype == "i8" and (x - wanted) % 256 == 0, j)
                        end
                    end
                end
            end
        end)

        it("with rows and columns that are repeated: " .. place, function()
            lun.use(place)
            for _, shape in ipairs { { 20, 16 }, { 33, 65 }, { 4, 3000 }, { 300, 40 } } do
                local n, m = shape[1], shape[2]
                local A = lun.range(1, n * m):cast "f64":reshape(n, m):copy()
                local row, column = lun.range(1, m):cast "f64":copy(), lun.range(1, n):cast "f64":reshape(n, 1):copy()
                local got = rows_of(((A - row) * 2 + column):eval())
                local wide = rows_of((A:sub({}, { 2, m }) + column - row:sub { 2, m }):eval())
                for i = 1, n do
                    for j = 1, m do
                        assert.equal(((i - 1) * m + j - j) * 2.0 + i, got[i][j])
                        assert(j == 1 or wide[i][j - 1] == (i - 1) * m + j + i - j)
                    end
                end
            end
        end)
    end

    it("that are set from windows which overlap them, in every direction", function()
        for round = 1, 200 do
            local n, m = pick(40) + 4, pick(100) + 20
            local A = lun.range(1, n * m):cast(round % 2 == 0 and "f64" or "i32"):reshape(n, m):copy()
            local before = rows_of(A)
            local down, right = pick(3) - 2, pick(5) - 3
            local i0, j0 = down < 0 and 1 - down or 1, right < 0 and 1 - right or 1
            local rows, columns = n - math.abs(down), m - math.abs(right)
            local to = A:sub({ i0, i0 + rows - 1 }, { j0, j0 + columns - 1 })
            local from = A:sub({ i0 + down, i0 + down + rows - 1 }, { j0 + right, j0 + right + columns - 1 })
            to:set(from * 2 + to)
            local after = rows_of(A)
            for i = 1, n do
                for j = 1, m do
                    local inside = i >= i0 and i < i0 + rows and j >= j0 and j < j0 + columns
                    local wanted = inside and before[i + down][j + right] * 2 + before[i][j] or before[i][j]
                    assert(after[i][j] == wanted, ("round %d, %d by %d: element %d, %d"):format(round, down, right, i, j))
                end
            end
        end
    end)

    it("of rank 3, whose planes stand apart", function()
        local n = 22
        local A = lun.range(1, n * n * n):cast "f64":reshape(n, n, n):copy()
        local B = lun.zeros { n, n, n }
        local inner = { 2, -2 }
        B:sub(inner, inner, inner):set(A:sub({ 1, -3 }, inner, inner) + A:sub({ 3, -1 }, inner, inner) +
            A:sub(inner, inner, { 1, -3 }) * A:sub(inner, { 3, -1 }, inner))
        local function at(i, j, k) return (i - 1) * n * n + (j - 1) * n + k end
        for i = 1, n do
            for j = 1, n, 3 do
                for k = 1, n do
                    local edge = i == 1 or j == 1 or k == 1 or i == n or j == n or k == n
                    local wanted = edge and 0 or at(i - 1, j, k) + at(i + 1, j, k) + at(i, j, k - 1) * at(i, j + 1, k)
                    assert.equal(wanted + 0.0, B[i][j][k])
                end
            end
        end
    end)

    it("end with the error of the first element that fails", function()
        local A = lun.ones({ 40, 50 }, "i64")
        A[7][33] = 0
        local ok, said = pcall(function() return (lun.full({ 38, 48 }, 6, "i64") // A:sub({ 2, -2 }, { 2, -2 })):eval() end)
        assert.is_false(ok)
        assert(tostring(said):find "lines_spec.lua:%d+: attempt to perform 'n//0'", tostring(said))
        assert.equal(1, A[1][1])
    end)

    it("have the same bits by any number of threads", function()
        local script = shell.write(os.tmpname(), [[
local lun = require "lunarray"
local A = lun.random({ 700, 900 }, { seed = 5 }):eval()
local B = lun.zeros { 700, 900 }
local c = { 2, -2 }
for _ = 1, 3 do
    B:sub(c, c):set((A:sub({ 1, -3 }, c) + A:sub({ 3, -1 }, c) + A:sub(c, { 1, -3 }) + A:sub(c, { 3, -1 })) / 4 - A:sub(c, c):exp())
    A, B = B, A
end
print(lun.stats().launches > 0, ("%a"):format((A * lun.range(1, 630000):reshape(700, 900)):sum()))
]])
        local wanted
        for _, way in ipairs { "openmp 1", "openmp 2", "openmp 7", "reference 2" } do
            local backend, threads = way:match "(%S+) (%d)"
            local said = shell.capture(("LUNARRAY_BACKEND=%s LUNARRAY_THREADS=%s %s %s 2>&1"):format(backend, threads,
                shell.interpreter(), script))
            wanted = wanted or said
            assert.equal(wanted, said)
        end
        os.remove(script)
    end)
end)
