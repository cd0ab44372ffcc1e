-- Linear algebra: bits against plain loops in the documented order, values against exact ones (linear_values.py), on all
-- backends, numbers of threads and layouts; batches, mistakes, limits.
local lun = require "lunarray"
local expect = require "expect"
local plain = require "math.plain"
local stopped = require "math.stopped"
local values = require "math.linear_values"

local FMA, ROUND, flat, same, fails, transposed = plain.FMA, plain.ROUND, plain.flat, plain.same, plain.fails,
    plain.transposed

-- ---------------------------------------------------------------- plain loops

-- LU of a list of rows in place, with the rows in their order and the sign.
local function factor(a, n, dtype)
    local fma, round, p, sign = FMA[dtype], ROUND[dtype], {}, 1
    for i = 1, n do p[i] = i end
    for k = 1, n do
        local at = k
        for i = k, n do
            if math.abs(a[i][k]) > math.abs(a[at][k]) then at = i end
        end
        if at ~= k then a[at], a[k], p[at], p[k], sign = a[k], a[at], p[k], p[at], -sign end
        for i = k + 1, n do
            a[i][k] = round(a[i][k] / a[k][k])
            for j = k + 1, n do a[i][j] = fma(-a[i][k], a[k][j], a[i][j]) end
        end
    end
    return p, sign
end

-- x with t x = b of triangular rows, from the first down or from the last up.
local function substitute(t, b, n, dtype, down, unit)
    local fma, round, x = FMA[dtype], ROUND[dtype], {}
    local first, last, step = down and 1 or n, down and n or 1, down and 1 or -1
    for i = first, last, step do
        x[i] = b[i]
        for k = first, i - step, step do x[i] = fma(-t[i][k], x[k], x[i]) end
        x[i] = unit and x[i] or round(x[i] / t[i][i])
    end
    return x
end

local function solve(a, p, b, n, dtype)
    local x = {}
    for i = 1, n do x[i] = b[p[i]] end
    return substitute(a, substitute(a, x, n, dtype, true, true), n, dtype, false)
end

-- ---------------------------------------------------------------- arrays

local function random(n, seed, dtype)
    return (lun.random({ n, n }, { seed = seed, dtype = dtype or "f64" }) - 0.5):eval()
end

local function positive(n, seed, dtype)
    local A = random(n, seed, dtype)
    return (A:matmul(A:transpose()) + lun.eye(n, dtype or "f64")):eval()
end

describe("linear algebra", function()
    for _, dtype in ipairs { "f64", "f32" } do
        for _, n in ipairs { 1, 2, 3, 4, 5, 8, 31, 33, 64, 65, 97, 130 } do
            it(("has the bits of plain loops, n = %d, %s"):format(n, dtype), function()
                local A, b = random(n, n, dtype), lun.random(n, { seed = 99, dtype = dtype })
                local a = A:totable()
                local p, sign = factor(a, n, dtype)
                same(solve(a, p, b:totable(), n, dtype), A:solve(b))
                local det = sign
                for k = 1, n do det = ROUND[dtype](det * a[k][k]) end
                assert.equal(det, A:det())
                local P, L, U = A:lu()
                same(p, P)
                L, U = L:totable(), U:totable()
                for i = 1, n do
                    for j = 1, n do
                        assert.equal(a[i][j], i > j and L[i][j] or U[i][j])
                        assert.equal(i > j and L[i][j] or i == j and 1 or 0, L[i][j])
                        assert.equal(i > j and 0 or U[i][j], U[i][j])
                    end
                end
            end)
        end

        it("takes one triangle, with all options, " .. dtype, function()
            local n = 67
            local A = (random(n, 3, dtype) * 0.2 + lun.eye(n, dtype)):eval()
            local B = lun.random({ n, 70 }, { seed = 8, dtype = dtype })
            local t, columns = A:totable(), transposed(B:transpose():copy():totable()) -- rows of B
            local u = transposed(t)
            for options = 0, 7 do
                local upper, unit, transpose = options & 1 > 0, options & 2 > 0, options & 4 > 0
                local kept = upper and A:triu() or A:tril()
                local broken = lun.where(kept:ne(0), A, 0 / 0)
                local X = (unit and lun.where(lun.eye(n):eq(1), 0 / 0, broken) or broken):cast(dtype):solve_triangular(B,
                    { upper = upper, unit = unit, [options % 3 == 0 and "transpose" or "adjoint"] = transpose })
                for _, j in ipairs { 1, 64, 70 } do
                    local b = {}
                    for i = 1, n do b[i] = columns[i] and B[i][j] end
                    same(substitute(transpose and u or t, b, n, dtype, upper == transpose, unit), X:col(j))
                end
            end
        end)

        it("factors positive matrices, " .. dtype, function()
            local n = 70
            local A = positive(n, 4, dtype)
            local a, l = A:totable(), {}
            for i = 1, n do
                l[i] = {}
                for j = 1, n do
                    local s = j <= i and a[i][j] or 0
                    for k = 1, j <= i and j - 1 or 0 do s = FMA[dtype](-l[j][k], l[i][k], s) end
                    l[i][j] = ROUND[dtype](i == j and math.sqrt(s) or j < i and s / l[j][j] or 0.0)
                end
            end
            local lower = lun.where(lun.tri(n):eq(1), A, 0 / 0):cast(dtype) -- the other triangle is not read
            same(l, lower:cholesky())
            same(lower:cholesky():transpose(), lower:cholesky { upper = true })
        end)
    end

    it("has exact values within the condition", function()
        expect.everywhere(function()
            for _, v in ipairs(values) do
                local A = lun.vector(v.a)
                local n = #v.a
                local b = lun.index(n)
                local room = 4 * n * v.condition * 2 ^ -52
                local function close(want, got, scale)
                    assert.is_true((lun.vector(want) - got):abs():max() <= room * scale, v.name)
                end
                close(v.x, A:solve(b), lun.vector(v.x):abs():max())
                close(v.inverse, A:inv(), lun.vector(v.inverse):abs():max())
                assert.is_true(math.abs(A:det() - v.det) <= room * math.abs(v.det), v.name)
                local sign, log = A:slogdet()
                assert.equal(v.det < 0 and -1.0 or 1.0, sign)
                assert.is_true(math.abs(log - v.log) <= room, v.name)
            end
        end)
    end)

    it("solves with a small residual", function()
        for n = 10, 210, 50 do
            local A, B = random(n, n), lun.random({ n, 3 }, { seed = n + 1 })
            local X = A:solve(B)
            local bound = 10 * n * 2 ^ -52 * A:norm() * X:norm()
            assert.is_true((A:matmul(X) - B):norm() <= bound)
            local P, L, U = A:lu()
            assert.is_true((A:take(P) - L:matmul(U)):norm() <= 10 * n * 2 ^ -52 * L:norm() * U:norm())
        end
    end)

    it("sums logarithms of pivots, with the engine's own", function()
        local A = random(40, 6)
        local _, _, U = A:lu()
        local sum = 0.0
        for k = 1, 40 do sum = sum + lun.log(math.abs(U[k][k])) end
        local sign, log = A:slogdet()
        assert.equal(sum, log)
        assert.equal(A:det() < 0 and -1.0 or 1.0, sign)
        local signs, logs = lun.stack { A, lun.zeros { 40, 40 }, A * -1.0 }:slogdet()
        same({ sign, 0.0, sign }, signs)
        same({ log, -math.huge, log }, logs)
    end)

    it("gives the same bits for every number of threads and backend", function()
        expect.same_texts [[
            for _, dtype in ipairs { "f64", "f32" } do
                local A = lun.random({ 150, 150 }, { seed = 1, dtype = dtype }) - 0.5
                local S = lun.random({ 1000, 3, 3 }, { seed = 2, dtype = dtype }) - 0.5
                local B = lun.random({ 150, 70 }, { seed = 3, dtype = dtype })
                local P = A:matmul(A:transpose()) + lun.eye(150, dtype)
                local _, logs = S:slogdet()
                local _, L, U = A:lu()
                for _, x in ipairs { A:solve(B), S:inv(), S:det(), logs, L, U, P:cholesky(),
                    A:solve_triangular(B, { upper = true, unit = true }) } do
                    texts[#texts + 1] = x:tobytes()
                end
            end]]
    end)

    for _, set in ipairs { "openmp/3", "reference/2", "opencl" } do
        it("gives the same bits on " .. set .. " #place", function()
            local before = lun.use()
            local A, B = random(90, 1), lun.random({ 90, 7 }, { seed = 2 }):eval()
            local x, det, U = A:solve(B):eval(), A:det(), positive(90, 5):cholesky():eval()
            local ok = pcall(lun.use, set)
            finally(function() lun.use(before) end)
            if not ok then return end
            A, B = random(90, 1), lun.random({ 90, 7 }, { seed = 2 }):eval()
            same(x, A:solve(B))
            assert.equal(det, A:det())
            same(U, positive(90, 5):cholesky())
        end)
    end

    it("reads windows of every layout", function()
        local n = 37
        local big = lun.random({ 2 * n, 3 * n }, { seed = 3 }):eval()
        local window = big:sub({ 2, 2 * n, 2 }, { 3, 3 * n, 3 })
        local b = big:row(1):sub(n, 1, -1)
        local x = window:copy():solve(b:copy())
        same(x, window:solve(b))
        same(x, window:copy():transpose():copy():transpose():solve(b))
        same(window:copy():transpose():copy():lu(), window:transpose():lu())
        same(window:copy():det() == window:det() and { 1 } or {}, lun.ones(1))
        same((window * 2.0):eval():inv(), (window + window):inv())
    end)

    it("takes stacked matrices, which broadcast", function()
        local A, C = random(6, 1), random(6, 9)
        local B, b = lun.random({ 6, 2 }, { seed = 2 }), lun.random(6, { seed = 3 })
        local S = lun.stack { A, C, A * 2 }
        local X = S:solve(B)
        same({ 3, 6, 2 }, lun.vector { X:shape() })
        same(A:solve(B), X[1])
        same(C:solve(B), X[2])
        same(C:solve(b), S:solve(b)[2])
        local Y = A:solve(lun.stack { B, B * 3 })
        same(A:solve(B * 3), Y[2])
        local Z = S:reshape(3, 1, 6, 6):solve(lun.stack { B, B * 3 })
        same({ 3, 2, 6, 2 }, lun.vector { Z:shape() })
        same(C:solve(B * 3), Z[2][2])
        same({ A:det(), C:det(), (A * 2):det() }, S:det())
        local P, L, U = S:lu()
        local p, l, u = C:lu()
        same(p, P[2])
        same(l, L[2])
        same(u, U[2])
        same(positive(6, 1):cholesky(), lun.stack { positive(6, 1), positive(6, 2) }:cholesky()[1])
        same(A:solve_triangular(B), lun.stack { C, A }:solve_triangular(B)[2])
    end)

    it("gives many small matrices the bits of each", function()
        for _, dtype in ipairs { "f64", "f32" } do
            for n = 1, 5 do
                for _, count in ipairs { 2, 7, 8, 9, 33 } do
                    local S = (lun.random({ count, n, n }, { seed = n, dtype = dtype }) * 8 - 4):round():cast(dtype):copy() -- with ties
                    for i = 1, n do
                        S[2][i][i] = S[2][i][i] + 20 -- regular, as the first one with a NaN, and all by the next line
                    end
                    S = (S + lun.eye(n, dtype) * 0.125):copy()
                    S[1][n][1] = 0 / 0
                    local B = lun.random({ count, n, 3 }, { seed = 9, dtype = dtype })
                    local P, L, U = S:lu()
                    local X, D = S:solve(B), S:det()
                    for k = 1, count do
                        local p, l, u = S[k]:lu()
                        same(p, P[k])
                        local function text(a) return a:nan_to_num { nan = 77 } end
                        assert.equal(text(l):copy():tobytes(), text(L[k]):copy():tobytes())
                        assert.equal(text(u):copy():tobytes(), text(U[k]):copy():tobytes())
                        assert.equal(text(S[k]:solve(B[k])):copy():tobytes(), text(X[k]):copy():tobytes())
                        local d = S[k]:det()
                        assert.is_true(d == D[k] or d ~= d and D[k] ~= D[k])
                    end
                end
            end
        end
    end)

    it("takes other dtypes, empty matrices, NaN and infinity", function()
        local A = lun.vector { { 4, 1 }, { 1, 3 } }
        for _, dtype in ipairs { "i8", "i32", "i64", "u8", "f64" } do
            same({ 0.0, 1.0 }, A:cast(dtype):solve(lun.vector { 1, 3 }))
            assert.equal("f64", A:cast(dtype):inv():dtype())
        end
        for _, dtype in ipairs { "f16", "bf16", "f32" } do
            assert.equal("f32", A:cast(dtype):inv():dtype())
            assert.equal("f32", A:cast(dtype):solve(lun.ones(2, "f16")):dtype())
            assert.equal("f64", A:cast(dtype):solve(lun.ones(2)):dtype())
        end
        same({ { 1.0, 0.0 }, { -1.0, 1.0 } }, lun.vector { { true, false }, { true, true } }:inv())
        assert.equal(1.0, lun.zeros { 0, 0 }:det())
        local none, one = lun.zeros { 0, 0 }, lun.vector { { 4 } }
        assert.equal(0, #flat(none:inv():totable()) + #flat(none:solve(lun.zeros(0)):totable()) + #none:cholesky():totable())
        same({ 3, 0 }, lun.vector { lun.eye(3):solve(lun.zeros { 3, 0 }):shape() })
        same({ 0, 3, 3 }, lun.vector { lun.zeros { 0, 3, 3 }:inv():shape() })
        same({ 0 }, lun.vector { lun.zeros { 0, 3, 3 }:det():shape() })
        same({ { 0.25 } }, one:inv())
        same({ { 2.0 } }, one:cholesky())
        assert.equal(4.0, one:det())
        for _, x in ipairs { 0 / 0, math.huge, -math.huge } do
            for i = 1, 3 do
                for j = 1, 3 do
                    local M = (lun.eye(3) * 2.0 + 1.0):eval()
                    M[i][j] = x
                    local det = M:det()
                    assert.is_true(det ~= det or math.abs(det) == math.huge or x == x)
                    assert.equal(3, #M:solve(lun.ones(3)):totable())
                    assert.is_true(x == x or M:inv():isnan():any())
                    assert.is_true(x == x or M:cholesky():isnan():any() == (i >= j))
                end
            end
        end
    end)

    it("names the matrix and the pivot", function()
        local one, two = lun.vector { { 1, 2 }, { 2, 4 } }, lun.vector { { 1, 2 }, { 2, 1 } }
        expect.everywhere(function()
            fails("matrix is singular (pivot 2 is 0)", "EARG", function() return one:inv():totable() end)
            fails("matrix 2 of 3 is singular (pivot 2 is 0)", "EARG",
                function() return lun.stack { two, one, one }:solve(lun.ones(2)):eval() end)
            fails("matrix 1 of 2 is singular (pivot 1 is 0)", "EARG",
                function() return lun.zeros { 2, 1, 1 }:solve_triangular(lun.ones(1)):eval() end)
            fails("matrix is not positive definite (leading minor 2)", "EARG", function() return two:cholesky():eval() end)
            fails("matrix 2 of 2 is not positive definite (leading minor 2)", "EARG",
                function() return lun.stack { two + lun.eye(2) * 3.0, two }:cholesky():eval() end)
        end)
        local x = one:solve(lun.ones(2))
        local _, e = pcall(x.eval, x)
        assert.matches("linear_spec.lua:%d+$", e.where)
        same({ { 0.0 } }, lun.zeros { 1, 1 }:lu() * 0.0)
        assert.equal(0.0, one:det())
        same({ { 1.0, 0.0 }, { 0.5, 1.0 } }, (select(2, one:lu())))
        same({ 1.0, -2.0 }, one:solve_triangular(lun.vector { 1, 0 }, { unit = true }))
    end)

    it("names what is wrong with its arguments", function()
        local A = lun.eye(3)
        local function wrong(text, f) fails(text, nil, f) end
        wrong("bad argument #1 to 'inv' (matrix of shape 3 x 2 is not square)", function() return lun.inv(lun.zeros { 3, 2 }) end)
        wrong("bad argument #1 to 'det' (a matrix expected, got f64[4])", function() return lun.det(lun.zeros(4)) end)
        wrong("bad argument #1 to 'lu' (matrix expected, got string)", function() return lun.lu "A" end)
        wrong("bad argument #1 to 'solve' (3 rows expected, as the matrix has, got f64[2])", function() return A:solve(lun.ones(2)) end)
        wrong("bad argument #1 to 'solve' (3 rows expected, as the matrix has, got f64[2, 3])",
            function() return A:solve(lun.ones { 2, 3 }) end)
        wrong("bad argument #1 to 'solve' (array expected, got number)", function() return A:solve(2) end)
        wrong("bad argument #1 to 'solve' (batches of 2 x 3 x 3 and 4 x 3 x 1 do not broadcast)",
            function() return lun.zeros { 2, 3, 3 }:solve(lun.ones { 4, 3, 1 }) end)
        wrong("bad argument #2 to 'solve_triangular' (unknown option 'uper': the options are upper, unit, transpose, adjoint)",
            function() return A:solve_triangular(lun.ones(3), { uper = true }) end)
        wrong("bad argument #1 to 'cholesky' (table of options expected, got boolean)", function() return A:cholesky(true) end)
    end)

    it("refuses missing elements", function()
        local gap = lun.vector { { 1, lun.na }, { 3, 4 } }
        for _, name in ipairs { "inv", "det", "slogdet", "lu", "cholesky" } do
            fails(("bad argument to '%s' (takes no missing elements: 1 of 4 are; use fillna, dropna or cast \"f64\")"):format(name),
                nil, function() return gap[name](gap) end)
        end
        for _, name in ipairs { "solve", "solve_triangular" } do
            fails(("bad argument to '%s' (takes no missing elements: 1 of 2 are; use fillna, dropna or cast \"f64\")"):format(name),
                nil, function() return lun.eye(2)[name](lun.eye(2), lun.vector { 1, lun.na }) end)
        end
    end)

    it("is lazy, and shown by explain", function()
        local text = tostring(lun.explain((lun.eye(3) + 1.0):solve(lun.ones(3)) * 2.0))
        assert.matches("lu .*solved", text)
    end)

    it("ends with an interrupt and a memory limit, and works after them", function()
        stopped.by_interrupt("A = (lun.random({ 400, 400 }, { seed = 1 }) - 0.5):eval(); b = lun.ones(400):eval(); x = A:solve(b):eval()",
            "A:solve(lun.random({400, 400}) + b):eval()", "A:solve(b):equals(x)", "true")
        stopped.by_memory(40, "local A = lun.random({ 1500, 1500 }, { seed = 1 })", "(A + 1):inv():eval()", "lun.eye(2):det()", "1.0")
    end)
end)
