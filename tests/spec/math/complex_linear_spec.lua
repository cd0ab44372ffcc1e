-- Linear algebra of complex matrices: bits against plain loops in the documented order (docs/mathematics.md), values by
-- residuals and exact cases, on all backends, numbers of threads and layouts; batches, mistakes.
local lun = require "lunarray"
local expect = require "expect"
local plain = require "math.plain"

local FMA, ROUND, same, fails = plain.FMA, plain.ROUND, plain.same, plain.fails
local EPSILON <const> = 2 ^ -52

-- ---------------------------------------------------------------- plain loops

-- Complex numbers are lists {re, im}.
local function number(z) return { z.re, z.im } end

local function rows_of(A)
    local re, im = A:real():totable(), A:imag():totable()
    for i, row in ipairs(re) do
        for j, x in ipairs(row) do row[j] = { x, im[i][j] } end
    end
    return re
end

-- c - a b by four fma.
local function less(fma, c, a, b)
    return { fma(a[2], b[2], fma(-a[1], b[1], c[1])), fma(-a[2], b[1], fma(-a[1], b[2], c[2])) }
end

-- a / b by Smith's method.
local function quotient(round, a, b)
    local first = math.abs(b[1]) >= math.abs(b[2])
    local more, few, x, y = b[1], b[2], a[1], a[2]
    if not first then more, few, x, y = few, more, y, x end
    local r = round(few / more)
    local t = round(more + round(few * r))
    local re, im = round(x + round(y * r)), round(y - round(x * r))
    return { round(re / t), (round((first and im or -im) / t)) }
end

local function times(round, a, b)
    return { round(round(a[1] * b[1]) - round(a[2] * b[2])), (round(round(a[1] * b[2]) + round(a[2] * b[1]))) }
end

local function modulus(round, a) return round(math.abs(a[1]) + math.abs(a[2])) end

-- LU of a list of rows in place, with the rows in their order and the sign.
local function factor(a, n, dtype)
    local fma, round, p, sign = FMA[dtype], ROUND[dtype], {}, 1
    for i = 1, n do p[i] = i end
    for k = 1, n do
        local at = k
        for i = k, n do
            if modulus(round, a[i][k]) > modulus(round, a[at][k]) then at = i end
        end
        if at ~= k then a[at], a[k], p[at], p[k], sign = a[k], a[at], p[k], p[at], -sign end
        for i = k + 1, n do
            a[i][k] = quotient(round, a[i][k], a[k][k])
            for j = k + 1, n do a[i][j] = less(fma, a[i][j], a[i][k], a[k][j]) end
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
        for k = first, i - step, step do x[i] = less(fma, x[i], t[i][k], x[k]) end
        x[i] = unit and x[i] or quotient(round, x[i], t[i][i])
    end
    return x
end

local function turned(t, sign)
    local u = {}
    for j = 1, #t[1] do
        u[j] = {}
        for i = 1, #t do u[j][i] = { t[i][j][1], sign * t[i][j][2] } end
    end
    return u
end

-- ---------------------------------------------------------------- arrays

-- The parts as lists of lists, of one kind of list, whatever the rank.
local function part(list, k)
    local out = {}
    for i, x in ipairs(list) do
        out[i] = type(x[1]) == "table" and part(x, k) or x[k]
    end
    return out
end

local function both(want, got)
    same(part(want, 1), got:real())
    same(part(want, 2), got:imag())
end

local function random(shape, seed, dtype)
    return (lun.random(shape, { seed = seed, dtype = dtype or "c128" }) - (0.5 + 0.5 * lun.i)):eval()
end

local function positive(n, seed, dtype)
    local A = random({ n, n }, seed, dtype)
    return (A:matmul(A:adjoint()) + lun.eye(n, dtype or "c128")):eval()
end

local WHOLE = os.getenv "TEST_WHOLE"
local parts = { c128 = "f64", c64 = "f32" }

describe("complex linear algebra", function()
    for dtype, real in pairs(parts) do
        for _, n in ipairs { 1, 2, 3, 5, 16, 33, WHOLE and 31, WHOLE and 64, WHOLE and 65, WHOLE and 97 } do
            it(("has the bits of plain loops, n = %d, %s"):format(n, dtype), function()
                local A, b = random({ n, n }, n, dtype), random(n, 99, dtype)
                local a, x = rows_of(A), {}
                local p, sign = factor(a, n, real)
                for i = 1, n do x[i] = number(b[p[i]]) end
                x = substitute(a, substitute(a, x, n, real, true, true), n, real, false)
                both(x, A:solve(b))
                local det = { sign * a[1][1][1], sign * a[1][1][2] }
                for k = 2, n do det = times(ROUND[real], det, a[k][k]) end
                assert.same(det, number(A:det()))
                local P, L, U = A:lu()
                same(p, P)
                both(a, L:tril(-1) + U)
                assert.is_true(L:diagonal():eq(1):all() and U:tril(-1):eq(0):all() and L:triu(1):eq(0):all())
                assert.same({ dtype, dtype, dtype }, { L:dtype(), A:solve(b):dtype(), A:inv():dtype() })
            end)
        end

        it("takes one triangle, with all options, " .. dtype, function()
            local n = 67
            local A = (random({ n, n }, 3, dtype) * 0.2 + lun.eye(n, dtype)):eval()
            local B = random({ n, 70 }, 8, dtype)
            local t, columns = rows_of(A), rows_of(B)
            for options = 0, 11 do
                local upper, unit, way = options & 1 > 0, options & 2 > 0, options >> 2
                local kept = upper and A:triu() or A:tril()
                local T = lun.where(kept:ne(0), A, lun.complex(0 / 0, 0 / 0))
                T = unit and lun.where(lun.eye(n):eq(1), lun.complex(0 / 0, 0), T) or T
                local X = T:solve_triangular(B, { upper = upper, unit = unit, transpose = way == 1, adjoint = way == 2 })
                local rows = way == 0 and t or turned(t, way == 1 and 1 or -1)
                for _, j in ipairs { 1, 64, 70 } do
                    local b = {}
                    for i = 1, n do b[i] = columns[i][j] end
                    both(substitute(rows, b, n, real, upper == (way > 0), unit), X:col(j))
                end
            end
        end)

        it("factors positive matrices, " .. dtype, function()
            local n = 70
            local A = positive(n, 4, dtype)
            local a, l, fma, round = rows_of(A), {}, FMA[real], ROUND[real]
            for i = 1, n do
                l[i] = {}
                for j = 1, n do
                    local s = j <= i and a[i][j] or { 0.0, 0.0 }
                    for k = 1, j <= i and j - 1 or 0 do s = less(fma, s, l[i][k], { l[j][k][1], -l[j][k][2] }) end
                    if i == j then
                        l[i][j] = { round(math.sqrt(s[1])), 0.0 }
                    else
                        l[i][j] = j > i and s or { round(s[1] / l[j][j][1]), (round(s[2] / l[j][j][1])) }
                    end
                end
            end
            local lower = lun.where(lun.tri(n):eq(1), A, lun.complex(0 / 0, 0 / 0)) -- the other triangle is not read
            both(l, lower:cholesky())
            local L, U = A:cholesky(), A:cholesky { upper = true }
            assert.is_true(U:eq(L:adjoint()):all())
            assert.is_true((L:matmul(L:adjoint()) - A):abs():max() <= n * n * (dtype == "c64" and 2 ^ -23 or EPSILON))
        end)
    end

    it("solves with a small residual", function()
        for n = 10, 210, 50 do
            local A, B = random({ n, n }, n), random({ n, 3 }, n + 1)
            local X = A:solve(B)
            assert.is_true((A:matmul(X) - B):norm() <= 10 * n * EPSILON * A:norm() * X:norm())
            local P, L, U = A:lu()
            local Ap = lun.complex(A:real():take(P), A:imag():take(P))
            assert.is_true((Ap - L:matmul(U)):norm() <= 10 * n * EPSILON * L:norm() * U:norm())
            assert.is_true((A:matmul(A:inv()) - lun.eye(n)):norm() <= 10 * n * EPSILON * A:norm() * A:inv():norm())
        end
    end)

    it("has exact values", function()
        expect.everywhere(function()
            local i = lun.i
            local A = lun.vector { { 1, 2 * i }, { 3 + 0 * i, 4 } }
            assert.is_true(A:det():eq(4 - 6 * i))
            local x = A:solve(lun.vector { 1, 2 * i })
            assert.is_true((x - lun.vector { 16 + 24 * i, -12 - 5 * i } / 26):abs():max() < 1e-15)
            local sign, logarithm = A:slogdet()
            assert.is_true((sign * math.exp(logarithm) - (4 - 6 * i)):abs() < 1e-14)
            assert.is_true(lun.vector { { 0, i }, { i, 0 } }:det():eq(1))
            assert.is_true(lun.vector { { 2, i }, { -1 * i, 1 } }:cholesky()[1][1]:eq(lun.sqrt(2)))
            -- exp of a rotation
            local E = (lun.vector { { 0, 1 }, { 1, 0 } } * (math.pi / 2 * i)):expm()
            assert.is_true((E - lun.vector { { 0, i }, { i, 0 } }):abs():max() < 1e-15)
        end)
    end)

    it("sums logarithms of moduli, and multiplies signs", function()
        local A = random({ 40, 40 }, 6)
        local _, _, U = A:lu()
        local sum = 0.0
        for k = 1, 40 do sum = sum + lun.log(U[k][k]:abs()) end
        local sign, logarithm = A:slogdet()
        assert.equal(sum, logarithm)
        assert.is_true(math.abs(sign:abs() - 1) < 1e-14)
        assert.is_true((A:det() / A:det():abs() - sign):abs() < 1e-13)
        local signs, logs = lun.stack { A, lun.zeros({ 40, 40 }, "c128"), A * lun.i }:slogdet()
        assert.is_true(signs[1]:eq(sign) and signs[2]:eq(0) and (signs[3] - sign):abs() < 1e-12) -- i to the power of 40
        same({ logarithm, -math.huge, logarithm }, logs)
    end)

    it("gives the same bits for every number of threads and backend", function()
        expect.same_texts [[
            for _, dtype in ipairs { "c128", "c64" } do
                local A = lun.random({ 150, 150 }, { seed = 1, dtype = dtype }) - (0.5 + 0.5 * lun.i)
                local S = lun.random({ 300, 3, 3 }, { seed = 2, dtype = dtype }) - (0.5 + 0.5 * lun.i)
                local B = lun.random({ 150, 70 }, { seed = 3, dtype = dtype })
                local P = A:matmul(A:adjoint()) + lun.eye(150, dtype)
                local _, logs = S:slogdet()
                local _, L, U = A:lu()
                for _, x in ipairs { A:solve(B), S:inv(), S:det(), logs, L, U, P:cholesky(),
                    A:solve_triangular(B, { upper = true, unit = true }) } do
                    texts[#texts + 1] = x:tobytes()
                end
            end]]
    end)

    it("takes windows, stacked matrices and real operands", function()
        local A, C = random({ 6, 6 }, 1), random({ 6, 6 }, 9)
        local B, b = random({ 6, 2 }, 2), random(6, 3)
        local function equal(x, y) assert.is_true(x:eq(y):all() and x:dtype() == y:dtype()) end
        local big = random({ 12, 18 }, 5)
        local window = big:sub({ 2, 12, 2 }, { 3, 18, 3 })
        equal(window:copy():inv(), window:inv())
        equal(window:transpose():copy():inv(), window:transpose():inv())
        local S = lun.stack { A, C, A * 2 }
        local X = S:solve(B)
        assert.same({ 3, 6, 2 }, { X:shape() })
        equal(A:solve(B), X[1])
        equal(C:solve(B), X[2])
        equal(C:solve(b), S:solve(b)[2])
        equal(lun.vector { A:det(), C:det(), (A * 2):det() }, S:det())
        local P, L = S:lu()
        local p, l = C:lu()
        same(p, P[2])
        equal(l, L[2])
        equal(positive(6, 1):cholesky(), lun.stack { positive(6, 1), positive(6, 2) }:cholesky()[1])
        -- beside real numbers
        local R, z = lun.vector { { 2, 1 }, { 1, 3 } }, lun.vector { 1, lun.i }
        equal(R:cast "c128":solve(z), R:solve(z))
        equal((R + 0 * lun.i):solve(lun.vector { 1, 0 }), R:solve(lun.vector { 1, 0 }):cast "c128")
        equal(R:cast "c64":solve(lun.ones(2, "f32")), R:cast "c64":solve(lun.ones(2, "c64")))
        assert.equal("c128", R:cast "c64":solve(lun.ones(2)):dtype())
    end)

    it("has nothing of empty ones", function()
        local none = lun.zeros({ 0, 0 }, "c128")
        assert.equal(1.0, none:det())
        assert.same({ 0, 0 }, { none:inv():shape() })
        assert.equal("c128", none:inv():dtype())
        assert.equal("c64", none:cast "c64":cholesky():dtype())
        assert.same({ 0 }, { lun.zeros({ 0, 3, 3 }, "c128"):det():shape() })
        assert.equal("c128", lun.zeros({ 0, 3, 3 }, "c64"):solve(lun.zeros { 0, 3, 1 }):dtype())
    end)

    it("names the matrix and the pivot", function()
        local i = lun.i
        local one, two = lun.vector { { 1, i }, { i, -1 } }, lun.vector { { 1, 2 * i }, { -2 * i, 1 } }
        expect.everywhere(function()
            fails("matrix is singular (pivot 2 is 0)", "EARG", function() return one:inv():totable() end)
            fails("matrix 2 of 3 is singular (pivot 2 is 0)", "EARG",
                function() return lun.stack { two, one, one }:solve(lun.ones(2)):eval() end)
            fails("matrix is not positive definite (leading minor 2)", "EARG", function() return two:cholesky():eval() end)
        end)
        assert.is_true(one:det():eq(0))
        fails("bad argument #1 to 'inv' (matrix of shape 3 x 2 is not square)", nil,
            function() return lun.inv(lun.zeros({ 3, 2 }, "c128")) end)
    end)
end)
