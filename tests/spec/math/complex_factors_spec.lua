-- Factors of complex matrices: bits of Q and R against plain loops in the documented order (docs/mathematics.md), all by
-- residuals, exact cases and NumPy's values, on all backends, numbers of threads and layouts; batches, mistakes, limits.
local lun = require "lunarray"
local expect = require "expect"
local plain = require "math.plain"
local stopped = require "math.stopped"
local known = require "math.complex_factors_values"

local fails, same = plain.fails, plain.same
local WHOLE = os.getenv "TEST_WHOLE"
local PARTS <const> = { c128 = "f64", c64 = "f32" }

local function random(shape, seed, dtype)
    return (lun.random(shape, { seed = seed, dtype = dtype or "c128" }) - (0.5 + 0.5 * lun.i)):eval()
end

local function both(want, got)
    same(want:real(), got:real())
    same(want:imag(), got:imag())
end

local function epsilon(A) return (A:dtype() == "c64" or A:dtype() == "f32") and 2 ^ -23 or 2 ^ -52 end

-- Q has orthonormal columns.
local function check_columns(Q, room)
    local q = Q:cast "c128"
    assert.is_true((q:adjoint():matmul(q) - lun.eye((select(2, q:shape())))):norm() <= room)
end

-- Matrices of every kind, m x n.
local function kinds(m, n)
    local i = lun.i
    local rows, columns = lun.index(m):reshape(m, 1), lun.index(n)
    return {
        lun.ones({ m, n }, "c128") * i, lun.zeros({ m, n }, "c128"), lun.eye(m, n) * (-1 - i),
        random({ m, 1 }, 1):matmul(random({ 1, n }, 2)), -- of rank 1
        1 / (rows + columns - 1 + (rows - columns) * i), -- as Hilbert's
        random({ m, n }, 3) * 10.0 ^ -(rows + columns), -- graded
        random({ m, n }, 4) * 2.0 ^ -600, random({ m, n }, 5) * 2.0 ^ 600, -- whose squares are beyond f64
        random({ m, n }, 6):real():cast "c128", random({ m, n }, 7):imag() * i,
        lun.where(rows:gt(columns), 0, random({ m, n }, 8)),
    }
end

-- ---------------------------------------------------------------- plain loops

-- A matrix as rows of numbers, two for each, of the real and of the imaginary parts.
local function rows_of(A)
    local re, im, rows = A:real():totable(), A:imag():totable(), {}
    for i = 1, #re do rows[2 * i - 1], rows[2 * i] = re[i], im[i] end
    return rows
end

-- The modulus of a complex number, and the number divided by it.
local function unit(x, y, round)
    if x == 0 and y == 0 then return 0.0, 1.0, 0.0 end
    local most, least = math.max(math.abs(x), math.abs(y)), math.min(math.abs(x), math.abs(y))
    local r = round(least / most)
    local length = round(most * round(math.sqrt(round(1 + round(r * r)))))
    return length, round(x / length), (round(y / length))
end

-- From row p + 1 on: c less V M V' c, of columns from `first` on.
local function transform(c, v, m, p, first, dtype)
    local part, vt = {}, plain.transposed(v)
    for i = p + 1, #c do part[i - p] = table.move(c[i], first, #c[i], 1, {}) end
    if #part[1] == 0 then return end
    local x = plain.product(v, plain.product(m, plain.product(vt, part, dtype), dtype), dtype)
    for i = p + 1, #c do
        for j = first, #c[i] do c[i][j] = plain.ROUND[dtype](c[i][j] - x[i - p][j - first + 1]) end
    end
end

-- The reflection of column x from row `at` on: v, tau, the parts of what x becomes.
local function reflection(x, at, dtype)
    local round, v, w = plain.ROUND[dtype], table.move(x, 1, #x, 1, {}), {}
    local re, im, tau = x[at], x[at + 1], 0.0
    v[at], v[at + 1] = 0.0, 0.0
    if plain.dot(x, x, at + 2, #x, dtype) ~= 0 then
        local square = plain.dot(x, x, at, #x, dtype)
        local length, modulus, a, b = round(math.sqrt(square)), unit(x[at], x[at + 1], round)
        re, im, tau = round(-a * length), round(-b * length), round(1 / round(square + round(modulus * length)))
        v[at], v[at + 1] = round(x[at] - re), round(x[at + 1] - im)
    end
    for i = 1, at - 1 do v[i] = 0.0 end
    for i = 1, #v, 2 do w[i], w[i + 1] = -v[i + 1], v[i] end
    return v, w, tau, re, im
end

-- A panel of the columns p + 1 to p + width of rows a: the vectors, as columns from row 2p + 1 on, and the triangle.
local function panel(a, p, width, dtype)
    local round, fma, columns, vectors, t = plain.ROUND[dtype], plain.FMA[dtype], {}, {}, {}
    local rows = #a - 2 * p
    for j = 1, width do
        columns[j] = {}
        for i = 1, rows do columns[j][i] = a[2 * p + i][p + j] end
    end
    for j = 1, 2 * width do
        t[j] = {}
        for l = 1, 2 * width do t[j][l] = 0.0 end
    end
    for j = 1, width do
        local at = 2 * j - 1
        local v, w, tau, re, im = reflection(columns[j], at, dtype)
        for i = 1, at - 1 do a[2 * p + i][p + j] = columns[j][i] end
        a[2 * p + at][p + j], a[2 * p + at + 1][p + j] = re, im
        for l, by in ipairs { v, w } do
            for c = j + 1, width do
                local x = columns[c]
                local part = round(tau * plain.dot(by, x, at, rows, dtype))
                for i = at, rows do x[i] = round(x[i] - round(part * by[i])) end
            end
            local k = at + l - 1
            vectors[k], t[k][k] = by, tau
            for i = 1, k - 1 do
                local sum = 0.0
                for q = i, k - 1 do sum = fma(t[i][q], plain.dot(vectors[q], by, at, rows, dtype), sum) end
                t[i][k] = round(-tau * sum)
            end
        end
    end
    return plain.transposed(vectors), t
end

local function qr(a, dtype)
    local m, n, round = #a // 2, #a[1], plain.ROUND[dtype]
    local k, panels, q = math.min(m, n), {}, {}
    for p = 0, k - 1, 16 do
        local v, t = panel(a, p, math.min(16, k - p), dtype)
        panels[#panels + 1] = { p, v, t }
        transform(a, v, plain.transposed(t), 2 * p, p + #t // 2 + 1, dtype)
    end
    for i = 1, 2 * m do
        q[i] = {}
        for j = 1, k do q[i][j] = i == 2 * j - 1 and 1.0 or 0.0 end
    end
    for b = #panels, 1, -1 do
        local p, v, t = table.unpack(panels[b])
        transform(q, v, t, 2 * p, p + 1, dtype)
    end
    local r = {}
    for i = 1, k do
        local re, im = a[2 * i - 1], a[2 * i]
        local length, x, y = unit(re[i], im[i], round)
        r[2 * i - 1], r[2 * i] = {}, {}
        for j = 1, n do
            r[2 * i - 1][j] = j < i and 0.0 or j == i and length or round(round(re[j] * x) + round(im[j] * y)) + 0.0
            r[2 * i][j] = j <= i and 0.0 or round(round(im[j] * x) - round(re[j] * y)) + 0.0
        end
        for l = 1, 2 * m, 2 do
            local u, v = q[l][i], q[l + 1][i]
            q[l][i] = round(round(u * x) - round(v * y)) + 0.0
            q[l + 1][i] = round(round(u * y) + round(v * x)) + 0.0
        end
    end
    return q, r
end

-- ---------------------------------------------------------------- Q and R

local function check_qr(A, mode)
    local m, n = A:shape()
    local Q, R = A:qr { mode = mode }
    assert.same({ A:dtype(), A:dtype() }, { Q:dtype(), R:dtype() })
    assert.same({ m, mode == "complete" and m or math.min(m, n) }, { Q:shape() })
    assert.same({ (select(2, Q:shape())), n }, { R:shape() })
    local D, q, r = A:cast "c128", Q:cast "c128", R:cast "c128"
    assert.is_true((D - q:matmul(r)):abs():vector_norm() <= 10 * n * epsilon(A) * D:abs():vector_norm())
    check_columns(Q, 10 * m * epsilon(A))
    assert.is_true(r:tril(-1):eq(0):all() and r:diagonal():imag():eq(0):all() and r:diagonal():real():ge(0):all())
    return Q, R
end

describe("qr of complex matrices", function()
    for dtype, part in pairs(PARTS) do
        local large = dtype == "c64" or WHOLE -- whose plain loops take long
        for _, shape in ipairs { { 1, 1 }, { 2, 2 }, { 3, 2 }, { 2, 3 }, { 16, 16 }, { 17, 17 }, { 150, 3 },
            large and { 33, 33 }, large and { 34, 20 }, large and { 20, 34 } } do
            it(("has the bits of plain loops, %d x %d, %s"):format(shape[1], shape[2], dtype), function()
                local A = random(shape, shape[1], dtype)
                local q, r = qr(rows_of(A), part)
                local Q, R = A:qr()
                same(r, lun.vector(rows_of(R)))
                same(q, lun.vector(rows_of(Q)))
                both(R, A:qr { mode = "r" })
            end)
        end

        it("has small residuals, " .. dtype, function()
            for _, shape in ipairs { { 1, 3 }, { 65, 65 }, { 130, 20 }, { 20, 130 }, { 100, 65 } } do
                local A = random(shape, 1, dtype)
                local _, R = check_qr(A)
                local _, whole = check_qr(A, "complete")
                both(R, whole:sub { 1, #R })
            end
        end)
    end

    it("takes matrices of every kind", function()
        for _, shape in ipairs { { 5, 5 }, { 9, 4 }, { 4, 9 }, { 40, 33 } } do
            for _, A in ipairs(kinds(table.unpack(shape))) do check_qr(A:eval(), "complete") end
        end
        local A = random({ 9, 5 }, 1)
        local Q, R = A:qr()
        for _, by in ipairs { 2.0 ^ -600, 2.0 ^ 600 } do
            local Qb, Rb = (A * by):qr()
            both(Q, Qb)
            both(R * by, Rb)
        end
        Q, R = A:real():qr() -- of real numbers what real ones have
        local Qc, Rc = A:real():cast "c128":qr()
        both(Q:cast "c128", Qc)
        both(R:cast "c128", Rc)
        for _, x in ipairs { 0 / 0, math.huge } do
            for i = 1, 3 do
                local B = random({ 3, 3 }, 1):copy()
                B[i][2] = lun.complex(0, x)
                assert.is_true((B:qr { mode = "r" }):isnan():any())
            end
        end
    end)

    it("takes empty matrices", function()
        local Q, R = lun.zeros({ 2, 3, 0 }, "c128"):qr { mode = "complete" }
        assert.is_true(Q:equals(lun.eye(3, "c128"):broadcast { 2, 3, 3 }))
        assert.same({ 2, 3, 0, "c128" }, { (R:shape()), select(2, R:shape()), select(3, R:shape()), R:dtype() })
        assert.same({ 0, 4 }, { lun.zeros({ 0, 4 }, "c64"):qr { mode = "r" }:shape() })
    end)

    it("takes windows, layouts and batches with the same bits", function()
        local A, B = random({ 9, 5 }, 1), random({ 9, 5 }, 2)
        local Q, R = A:qr()
        local big = lun.zeros({ 18, 27 }, "c128")
        big:sub({ 1, 18, 2 }, { 2, 15, 3 }):set(A)
        local Qw, Rw = big:sub({ 1, 18, 2 }, { 2, 15, 3 }):qr()
        both(Q, Qw)
        both(R, Rw)
        both(R, (select(2, A:transpose():copy():transpose():qr())))
        local Qs, Rs = lun.stack { B, A, B }:qr()
        both(Q, Qs[2])
        both(R, Rs[2])
        both(B:qr { mode = "r" }, lun.stack { A, B }:qr { mode = "r" }[2])
        both(A:qr { mode = "complete" }, (lun.stack { B, A }:qr { mode = "complete" })[2])
    end)

    it("gives the same bits for every number of threads and backend", function()
        expect.same_texts [[
            for _, dtype in ipairs { "c128", "c64" } do
                for _, shape in ipairs { { 150, 150 }, { 2500, 20 }, { 60, 20, 20 } } do
                    local Q, R = (lun.random(shape, { seed = 1, dtype = dtype }) - (0.5 + 0.5 * lun.i)):qr()
                    texts[#texts + 1] = R:copy():tobytes()
                    texts[#texts + 1] = Q:sub({ 1, 60 }):copy():tobytes()
                end
            end]]
    end)

    it("names what is wrong with its arguments", function()
        fails("bad argument #1 to 'qr' (a matrix expected, got c128[4])", nil, function() return lun.qr(lun.zeros(4, "c128")) end)
        fails("bad argument #1 to 'qr' (unknown mode 'full': known are reduced, complete, r)", nil,
            function() return random({ 2, 2 }, 1):qr { mode = "full" } end)
    end)

    it("ends with an interrupt and a memory limit, and works after them", function()
        local check = "lun.eye(2, 'c128'):qr { mode = 'r' }:sum().re"
        stopped.by_interrupt("A = lun.random({ 300, 300 }, { seed = 1, dtype = 'c128' }):eval()",
            "A:qr { mode = 'r' }:eval(); A[1][1] = A[1][1] + 1", check, "2.0")
        stopped.by_memory(40, "local A = lun.random({ 1000, 1000 }, { seed = 1, dtype = 'c128' }):eval()",
            "A:qr { mode = 'r' }:eval()", check, "2.0")
    end)
end)

-- ---------------------------------------------------------------- eigenvalues of Hermitian matrices

local function hermitian(n, seed, dtype)
    local A = random({ n, n }, seed, dtype)
    return (A + A:adjoint()):eval()
end

-- Residuals, order, vectors whose element of the greatest modulus is real and positive; gives the values.
local function check_eigh(A)
    local n = #A
    local w, V = A:eigh()
    assert.same({ PARTS[A:dtype()], A:dtype() }, { w:dtype(), V:dtype() })
    local D, w64, v = A:cast "c128", w:cast "f64", V:cast "c128"
    local scale = math.max(D:abs():max(), 2.0 ^ -1000)
    local room = 10 * n * epsilon(A)
    D, w64 = D / scale, w64 / scale
    assert.is_true((D:matmul(v) - v * w64):norm() <= room * math.max(1, D:norm()))
    check_columns(V, room * math.sqrt(n))
    same(w, w:sort())
    same(w, A:eigvalsh())
    local greatest = v:abs():max { axis = 1 }
    for j = 1, n do
        local x = v:col(j)
        assert.is_true((x:abs():ge(greatest[j] * (1 - 8 * epsilon(A))):land(x:real():gt(0)):land(x:imag():eq(0))):any())
    end
    return w
end

describe("eigh of complex matrices", function()
    for dtype in pairs(PARTS) do
        for _, n in ipairs { 1, 2, 3, 4, 16, 17, 33, WHOLE and 65, WHOLE and 100 } do
            it(("has small residuals, n = %d, %s"):format(n, dtype), function() check_eigh(hermitian(n, n, dtype)) end)
        end
    end

    it("takes matrices of every kind", function()
        for _, n in ipairs { 2, 5, 40 } do
            for _, A in ipairs(kinds(n, n)) do
                check_eigh((A + A:adjoint()):eval())
            end
        end
        local i = lun.i
        local n = 40 -- neighbours joined by units: the values of second differences
        local step = random({ n }, 1)
        step = (step / step:abs()):eval()
        local A = lun.eye(n, "c128") * 2
        A = A:copy()
        for k = 1, n - 1 do
            A[k + 1][k], A[k][k + 1] = step[k], step[k]:conj()
        end
        local w = check_eigh(A)
        for k = 1, n do assert.is_true(math.abs(w[k] - (2 - 2 * math.cos(k * math.pi / (n + 1)))) < 1e-13) end
        w = check_eigh(lun.vector { { 2, i }, { -1 * i, 2 } })
        assert.is_true((w - lun.vector { 1, 3 }):abs():max() < 1e-15)
        assert.same({ -3.0, 1.0, 7.0 }, check_eigh(lun.vector { 7.0, -3, 1 }:diag():cast "c128"):totable())
        -- of real numbers the vectors of real ones
        local R = lun.random({ 9, 9 }, { seed = 1 })
        R = (R + R:transpose()):eval()
        local wr, Vr = R:eigh()
        local wc, Vc = R:cast "c128":eigh()
        assert.is_true((wr - wc):abs():max() < 1e-14 and (Vr - Vc):abs():max() < 1e-13)
    end)

    it("reads one triangle without the imaginary parts of the diagonal, windows, stacked matrices", function()
        local A, B = hermitian(9, 1), hermitian(9, 2)
        local w, V = A:eigh()
        local none, triangle = lun.complex(0 / 0, 0 / 0), lun.tri(9):eq(1)
        local wl, Vl = lun.where(triangle, A + lun.eye(9) * 7 * lun.i, none):eigh()
        same(w, wl)
        both(V, Vl)
        local wu, Vu = lun.where(lun.tri(9):transpose():eq(1), A, none):eigh { upper = true }
        same(w, wu)
        both(V, Vu)
        same(w, A:eigvalsh { upper = true })
        local big = lun.zeros({ 18, 27 }, "c128")
        big:sub({ 1, 18, 2 }, { 2, 27, 3 }):set(A)
        same(w, big:sub({ 1, 18, 2 }, { 2, 27, 3 }):eigvalsh())
        local ws, Vs = lun.stack { B, A, B }:eigh()
        same(w, ws[2])
        both(V, Vs[2])
        same(B:eigvalsh(), ws[3])
        local nothing, vectors = lun.zeros({ 0, 0 }, "c64"):eigh()
        assert.same({ "f32", "c64", 0 }, { nothing:dtype(), vectors:dtype(), nothing:size() + vectors:size() })
        assert.equal("f64", lun.zeros({ 2, 0, 0 }, "c128"):eigvalsh():dtype())
    end)

    it("gives the same bits for every number of threads and backend", function()
        expect.same_texts [[
            for _, dtype in ipairs { "c128", "c64" } do
                for _, shape in ipairs { { 200, 200 }, { 60, 20, 20 } } do
                    local w, V = (lun.random(shape, { seed = 1, dtype = dtype }) - (0.5 + 0.5 * lun.i)):eigh()
                    texts[#texts + 1] = w:copy():tobytes()
                    texts[#texts + 1] = (shape[3] and V or V:sub({ 1, 20 })):copy():tobytes()
                end
            end]]
    end)

    it("names what is wrong", function()
        expect.everywhere(function()
            for _, x in ipairs { 0 / 0, math.huge } do
                local A = lun.eye(3, "c128"):copy()
                A[2][1] = lun.complex(0, x)
                fails("matrix contains NaN or infinity", "EARG", function() return A:eigvalsh():eval() end)
                fails("matrix 2 of 2 contains NaN or infinity", "EARG",
                    function() return (lun.stack { lun.eye(3, "c128"), A }:eigh()):eval() end)
            end
        end)
        fails("bad argument #1 to 'eigh' (matrix of shape 2 x 3 is not square)", nil,
            function() return lun.eigh(lun.ones({ 2, 3 }, "c128")) end)
    end)

    it("ends with an interrupt and a memory limit, and works after them", function()
        local check = "lun.eye(2, 'c128'):eigvalsh():sum()"
        stopped.by_interrupt("A = lun.random({ 300, 300 }, { seed = 1, dtype = 'c128' }):eval()",
            "(A:eigh()):eval(); A[1][1] = A[1][1] + 1", check, "2.0")
        stopped.by_memory(40, "local A = lun.random({ 1000, 1000 }, { seed = 1, dtype = 'c128' }):eval()",
            "A:eigvalsh():eval()", check, "2.0")
    end)
end)

-- ---------------------------------------------------------------- singular values

local function check_svd(A)
    local m, n = A:shape()
    local k = math.min(m, n)
    local U, S, Vh = A:svd()
    assert.same({ A:dtype(), PARTS[A:dtype()], A:dtype() }, { U:dtype(), S:dtype(), Vh:dtype() })
    same({ m, k, k, k, n }, lun.vector(plain.flat { { U:shape() }, { S:shape() }, { Vh:shape() } }))
    local D, u, s, v = A:cast "c128", U:cast "c128", S:cast "f64", Vh:cast "c128"
    local scale, room = math.max(D:abs():max(), 2.0 ^ -1000), 10 * math.max(m, n) * epsilon(A)
    D, s = D / scale, s / scale
    assert.is_true(((u * s):matmul(v) - D):norm() <= room * math.max(1, D:norm()))
    check_columns(U, room)
    check_columns(Vh:adjoint(), room)
    same(S, S:sort { descending = true })
    assert.is_true(S:min() >= 0)
    same(S, A:svdvals())
    local greatest = v:abs():max { axis = 2 }
    for j = 1, k do
        local x = v[j]
        assert.is_true((x:abs():ge(greatest[j] * (1 - 8 * epsilon(A))):land(x:real():gt(0)):land(x:imag():eq(0))):any())
    end
    local Uf, Sf, Vf = A:svd { full = true }
    same({ m, m, n, n }, lun.vector(plain.flat { { Uf:shape() }, { Vf:shape() } }))
    same(S, Sf)
    both(U, Uf:sub({}, { 1, k }))
    both(Vh, Vf:sub { 1, k })
    check_columns(Uf, room)
    check_columns(Vf:adjoint(), room)
    return S
end

local function near(want, got, room)
    assert.is_true((lun.vector(want) - got):abs():vector_norm { ord = math.huge } <= room)
end

local function complex_of(list) return lun.complex(lun.vector(list[1]), lun.vector(list[2])) end

describe("svd of complex matrices", function()
    for dtype in pairs(PARTS) do
        for _, shape in ipairs { { 1, 1 }, { 2, 2 }, { 3, 3 }, { 3, 2 }, { 2, 3 }, { 17, 13 }, { 13, 17 }, { 33, 33 }, { 65, 60 },
            { 60, 65 }, { 100, 20 }, { 20, 100 } } do
            it(("has small residuals, %d x %d, %s"):format(shape[1], shape[2], dtype), function()
                check_svd(random(shape, shape[1], dtype))
            end)
        end
    end

    it("has NumPy's values", function()
        for _, row in ipairs(known) do
            local A, b = complex_of(row.a), complex_of(row.b)
            local room = 1e-13 * (row.condition or 10)
            near(row.values, check_svd(A), 1e-14 * row.values[1])
            assert.is_true((complex_of(row.inverse) - A:pinv()):abs():max() <= room)
            assert.equal(row.rank, A:matrix_rank())
            near({ row.nuclear }, lun.vector { A:matrix_norm { ord = "nuc" } }, 1e-13)
            near({ row.values[1] }, lun.vector { A:matrix_norm { ord = 2 } }, 1e-13)
            near({ row.values[#row.values] }, lun.vector { A:matrix_norm { ord = -2 } }, 1e-13)
            local x, rank, rest, values = A:lstsq(b)
            assert.is_true((complex_of(row.x) - x):abs():max() <= room)
            assert.same({ row.rank, #row.rest, "f64" }, { rank, #rest, rest:dtype() })
            if #rest > 0 then near(row.rest, rest, 1e-12) end
            same(values, A:svdvals())
            local X = A:lstsq(lun.stack({ b, b * lun.i }, 2))
            assert.is_true((complex_of(row.x) * lun.i - X:col(2)):abs():max() <= room)
            near(row.hermitian, A:matmul(A:adjoint()):eigvalsh(), 1e-14 * row.values[1] ^ 2)
            if row.condition then
                near({ row.condition }, lun.vector { A:cond() }, 1e-11)
                near({ 1 / row.condition }, lun.vector { A:cond(-2) }, 1e-11)
            end
        end
    end)

    it("takes matrices of every kind", function()
        for _, shape in ipairs { { 5, 5 }, { 6, 5 }, { 4, 9 }, { 9, 4 }, { 40, 33 } } do
            for _, A in ipairs(kinds(table.unpack(shape))) do check_svd(A:eval()) end
        end
        assert.equal(3, random({ 40, 3 }, 1):matmul(random({ 3, 35 }, 2)):matrix_rank())
        -- beside real numbers
        local R, b = lun.vector { { 2, 1 }, { 1, 3 }, { 0, 1 } }, lun.vector { 1, lun.i, 0 }
        assert.is_true((R:lstsq(b) - R:cast "c128":lstsq(b)):abs():max() < 1e-15)
        assert.equal("c64", (lun.eye(2, "f32"):lstsq(lun.zeros(2, "c64"))):dtype())
        assert.equal("c128", (lun.eye(2, "c64"):lstsq(lun.zeros(2))):dtype())
    end)

    it("takes empty matrices, windows and batches with the same bits", function()
        local U, S, Vh = lun.zeros({ 3, 0 }, "c64"):svd { full = true }
        assert.is_true(U:equals(lun.eye(3, "c64")))
        assert.same({ "f32", 0 }, { S:dtype(), Vh:size() })
        assert.equal("c128", lun.zeros({ 0, 4 }, "c128"):pinv():dtype())
        assert.equal("f64", lun.zeros({ 0, 3, 4 }, "c128"):svdvals():dtype())
        local x, rank, rest = lun.zeros({ 3, 0 }, "c128"):lstsq(lun.ones(3))
        assert.equal(0, #x + rank + #rest)
        for _, shape in ipairs { { 5, 5 }, { 9, 4 }, { 4, 9 } } do
            local A, B = random(shape, 1), random(shape, 2)
            U, S, Vh = A:svd()
            local Us, Ss, Vs = lun.stack { B, A, B }:svd()
            both(U, Us[2])
            same(S, Ss[2])
            both(Vh, Vs[2])
            local Ut, _, Vt = A:transpose():copy():transpose():svd()
            both(U, Ut)
            both(Vh, Vt)
            both(A:pinv(), lun.stack { B, A }:pinv()[2])
            both(A:lstsq(lun.ones(shape[1])), (lun.stack { A, B }:lstsq(lun.ones(shape[1])))[1])
        end
    end)

    it("gives the same bits for every number of threads and backend", function()
        expect.same_texts [[
            for _, dtype in ipairs { "c128", "c64" } do
                for _, shape in ipairs { { 150, 140 }, { 300, 20 }, { 60, 20, 20 } } do
                    local U, S, Vh = (lun.random(shape, { seed = 1, dtype = dtype }) - (0.5 + 0.5 * lun.i)):svd()
                    texts[#texts + 1] = S:copy():tobytes()
                    texts[#texts + 1] = (shape[3] and U or U:sub({ 1, 20 })):copy():tobytes()
                    texts[#texts + 1] = (shape[3] and Vh or Vh:sub({ 1, 20 })):copy():tobytes()
                end
            end]]
    end)

    it("names what is wrong", function()
        expect.everywhere(function()
            for _, x in ipairs { 0 / 0, math.huge } do
                local A = lun.eye(3, "c128"):copy()
                A[2][1] = lun.complex(0, x)
                fails("matrix contains NaN or infinity", "EARG", function() return A:svdvals():eval() end)
                fails("matrix 2 of 2 contains NaN or infinity", "EARG",
                    function() return lun.stack { lun.eye(3, "c128"), A }:pinv():eval() end)
            end
        end)
        fails("bad argument #1 to 'svd' (a matrix expected, got c128[4])", nil, function() return lun.svd(lun.zeros(4, "c128")) end)
    end)

    it("ends with an interrupt and a memory limit, and works after them", function()
        local check = "lun.eye(2, 'c128'):svdvals():sum()"
        stopped.by_interrupt("A = lun.random({ 300, 300 }, { seed = 1, dtype = 'c128' }):eval()",
            "(A:svd()):eval(); A[1][1] = A[1][1] + 1", check, "2.0")
        stopped.by_memory(40, "local A = lun.random({ 1000, 1000 }, { seed = 1, dtype = 'c128' }):eval()",
            "A:svdvals():eval()", check, "2.0")
    end)
end)

-- ---------------------------------------------------------------- eigenvalues of square matrices

local function check_eig(A)
    local n = #A
    local w, V = A:eig()
    assert.same({ A:dtype(), A:dtype() }, { w:dtype(), V:dtype() })
    both(w, A:eigvals())
    local D, values, v = A:cast "c128", w:cast "c128", V:cast "c128"
    local scale = math.max(D:abs():max(), 2.0 ^ -1000)
    D = D / scale
    assert.is_true((D:matmul(v) - v * (values / scale)):norm() <= 10 * n * epsilon(A) * math.max(1, D:norm()))
    for k = 1, n do
        local before, x = values[math.max(k - 1, 1)], v:col(k)
        assert.is_true(before.re < values[k].re or before.re == values[k].re and before.im <= values[k].im)
        assert.is_true(math.abs(x:norm() - 1) <= 4 * n * epsilon(A))
        local greatest = x:abs():ge(x:abs():max() * (1 - 8 * epsilon(A)))
        assert.is_true(greatest:land(x:real():gt(0)):land(x:imag():eq(0)):any())
    end
    return w
end

describe("eig of complex matrices", function()
    for dtype in pairs(PARTS) do
        for _, n in ipairs { 1, 2, 3, 4, 7, 16, 33, WHOLE and 65, WHOLE and 100 } do
            it(("has small residuals, n = %d, %s"):format(n, dtype), function() check_eig(random({ n, n }, n, dtype)) end)
        end
    end

    it("has NumPy's values", function()
        for _, row in ipairs(known) do
            if row.eigenvalues then
                local w = check_eig(complex_of(row.a))
                assert.is_true((complex_of(row.eigenvalues) - w):abs():max() <= 1e-13 * w:abs():max())
            end
        end
    end)

    it("takes matrices of every kind", function()
        local i = lun.i
        for _, n in ipairs { 2, 5, 40 } do
            for _, A in ipairs(kinds(n, n)) do check_eig(A:eval()) end
        end
        local N = 10
        local w = check_eig((lun.eye(N) * i + lun.eye(N, N, 1)):eval()) -- Jordan's
        assert.is_true(w:equals(lun.full(N, i)))
        w = check_eig((lun.eye(12, 12, 1) + lun.eye(12, 12, -11) * i):eval()) -- roots of i
        assert.is_true((w ^ 12 - i):abs():max() < 1e-13)
        check_eig((lun.eye(6, 6, 1) + lun.eye(6, 6, -1) * (1e-300 * i)):eval())
        check_eig(lun.vector { { 1, 2 * i, 3, 4 }, { 0, 0, -1, 2 }, { 0, i, 0, 3 }, { 0, 0, 0, 5 } }) -- rows that are alone
        check_eig(lun.vector { { 1, 1e-300 * i }, { 1e300, 1 } })
        check_eig(random({ 12, 12 }, 1) * 10.0 ^ (3 * lun.index(12):reshape(12, 1) - 2 * lun.index(12)))
        for seed = 1, 60 do -- few integers: many that are singular, defective, or have multiple values
            local n = 2 + seed % 9
            local how = { seed = seed, dist = "integers", low = -1, high = 1 }
            local re = lun.random({ n, n }, how)
            how.seed = seed + 1000
            check_eig(lun.complex(re, lun.random({ n, n }, how)):eval())
        end
        -- Hermitian ones have the values of eigh
        local A = random({ 20, 20 }, 3)
        A = (A + A:adjoint()):eval()
        assert.is_true((A:eigvals() - A:eigvalsh()):abs():max() < 1e-13)
    end)

    it("takes empty matrices, windows and batches with the same bits", function()
        assert.equal("c64", lun.zeros({ 0, 0 }, "c64"):eigvals():dtype())
        local A, B = random({ 9, 9 }, 1), random({ 9, 9 }, 2)
        local w, V = A:eig()
        local ws, Vs = lun.stack { B, A, B }:eig()
        both(w, ws[2])
        both(V, Vs[2])
        both(B:eigvals(), ws[3])
        local big = lun.zeros({ 18, 27 }, "c128")
        big:sub({ 1, 18, 2 }, { 2, 27, 3 }):set(A)
        both(V, (select(2, big:sub({ 1, 18, 2 }, { 2, 27, 3 }):eig())))
    end)

    it("gives the same bits for every number of threads and backend", function()
        expect.same_texts [[
            for _, dtype in ipairs { "c128", "c64" } do
                for _, shape in ipairs { { 150, 150 }, { 40, 20, 20 } } do
                    local w, V = (lun.random(shape, { seed = 1, dtype = dtype }) - (0.5 + 0.5 * lun.i)):eig()
                    texts[#texts + 1] = w:copy():tobytes()
                    texts[#texts + 1] = V:copy():tobytes()
                end
            end]]
    end)

    it("names what is wrong", function()
        expect.everywhere(function()
            local A = lun.eye(3, "c128"):copy()
            A[2][1] = lun.complex(0, 0 / 0)
            fails("matrix contains NaN or infinity", "EARG", function() return A:eigvals():eval() end)
            fails("matrix 2 of 2 contains NaN or infinity", "EARG",
                function() return (lun.stack { lun.eye(3, "c128"), A }:eig()):eval() end)
        end)
        fails("bad argument #1 to 'eig' (matrix of shape 2 x 3 is not square)", nil,
            function() return lun.eig(lun.ones({ 2, 3 }, "c128")) end)
    end)

    it("ends with an interrupt and a memory limit, and works after them", function()
        local check = "lun.eye(2, 'c128'):eigvals():sum().re"
        stopped.by_interrupt("A = lun.random({ 300, 300 }, { seed = 1, dtype = 'c128' }):eval()",
            "(A:eig()):eval(); A[1][1] = A[1][1] + 1", check, "2.0")
        stopped.by_memory(40, "local A = lun.random({ 1000, 1000 }, { seed = 1, dtype = 'c128' }):eval()",
            "A:eigvals():eval()", check, "2.0")
    end)
end)
