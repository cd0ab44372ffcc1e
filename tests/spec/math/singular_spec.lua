-- Singular values and what is made of them: residuals, NumPy's values, signs, batches, the same bits in every way, mistakes.
local lun = require "lunarray"
local expect = require "expect"
local plain = require "math.plain"
local stopped = require "math.stopped"
local known = require "math.singular_values"

local fails, same = plain.fails, plain.same

local function random(shape, seed, dtype)
    return (lun.random(shape, { seed = seed, dtype = dtype or "f64" }) - 0.5):eval()
end

local function near(want, got, room)
    want, got = plain.flat(want), plain.flat(type(got) == "table" and got or lun.isarray(got) and got:totable() or { got })
    assert.equal(#want, #got)
    for k, x in ipairs(want) do
        assert.is_true(math.abs(got[k] - x) <= room * math.max(1, math.abs(x)), ("%d: %.17g, %.17g expected"):format(k, got[k], x))
    end
end

-- Q has orthonormal columns.
local function check_columns(Q, room)
    local q = Q:cast "f64"
    assert.is_true((q:transpose():matmul(q) - lun.eye((select(2, q:shape())))):norm() <= room)
end

-- Residuals, order, signs; gives the values.
local function check(A)
    local m, n = A:shape()
    local U, S, Vh = A:svd()
    local k = math.min(m, n)
    same({ m, k, k, k, n }, lun.vector(plain.flat { { U:shape() }, { S:shape() }, { Vh:shape() } }))
    local room = 10 * math.max(m, n) * (U:dtype() == "f32" and 2 ^ -23 or 2 ^ -52)
    local D, u, s, v = A:cast "f64", U:cast "f64", S:cast "f64", Vh:cast "f64"
    assert.is_true(((u * s):matmul(v) - D):norm() <= room * D:norm())
    check_columns(U, room)
    check_columns(Vh:transpose(), room)
    same(S, S:sort { descending = true })
    assert.is_true(S:min() >= 0)
    same(S, A:svdvals())
    for j = 1, k do
        assert.is_true(Vh[j][Vh[j]:abs():argmax()] > 0)
    end
    local Uf, Sf, Vf = A:svd { full = true }
    same({ m, m, n, n }, lun.vector(plain.flat { { Uf:shape() }, { Vf:shape() } }))
    same(S, Sf)
    same(U, Uf:sub({}, { 1, k }))
    same(Vh, Vf:sub { 1, k })
    check_columns(Uf, room)
    check_columns(Vf:transpose(), room)
    return S
end

describe("svd", function()
    for _, dtype in ipairs { "f64", "f32" } do
        for _, shape in ipairs { { 1, 1 }, { 2, 2 }, { 3, 3 }, { 3, 2 }, { 2, 3 }, { 17, 17 }, { 17, 13 }, { 13, 17 }, { 64, 64 },
            { 65, 60 }, { 130, 130 }, { 130, 20 }, { 20, 130 }, { 270, 260 } } do
            it(("has small residuals, %d x %d, %s"):format(shape[1], shape[2], dtype), function()
                check(random(shape, shape[1], dtype))
            end)
        end
    end

    it("has NumPy's values", function()
        for _, row in ipairs(known) do
            local A, b = lun.vector(row.a), lun.vector(row.b)
            local room = 1e-13 * (row.condition and row.condition[1] or 10)
            near(row.values, check(A), 1e-14)
            near(row.inverse, A:pinv(), room)
            assert.equal(row.rank, A:matrix_rank())
            near({ row.nuclear }, A:matrix_norm { ord = "nuc" }, 1e-14)
            near({ row.values[1] }, A:matrix_norm { ord = 2 }, 1e-14)
            near({ row.values[#row.values] }, A:matrix_norm { ord = -2, keep = true }, 1e-14)
            local x, rank, rest, values = A:lstsq(b)
            near(row.x, x, room)
            near(row.rest, rest, 1e-12)
            assert.equal(row.rank, rank)
            same(A:svdvals(), values)
            local both = lun.stack({ b, b * 2 }, 2)
            local X, _, Rest = A:lstsq(both)
            near(row.x, X:col(1), room)
            assert.equal(#row.rest * 2, #Rest)
            if row.condition then
                near(row.condition, { A:cond(), A:cond(1), A:cond(math.huge), A:cond "fro" }, 1e-11)
                near({ 1 / row.condition[1] }, A:cond(-2), 1e-11)
            end
        end
    end)

    it("takes matrices of every kind", function()
        near({ 6, 0, 0, 0 }, check(lun.ones { 9, 4 }), 1e-14)
        near({ 6, 0, 0, 0, 0, 0 }, check(lun.ones { 6, 6 }), 1e-14)
        same(lun.zeros(4), check(lun.zeros { 5, 4 }))
        same(lun.ones(4), check(-lun.eye(4)))
        near({ 7, 5, 3 }, check(lun.vector { 3.0, -7, 5 }:diag()), 1e-15)
        near({ 1, 1, 0 }, check(lun.vector { { 0, 1, 0 }, { 0, 0, 1 }, { 0, 0, 0 } }), 1e-15) -- nilpotent
        local second = lun.generate({ 40, 40 }, function(i, j) return i == j and 2.0 or math.abs(i - j) == 1 and -1.0 or 0.0 end)
        local values = {}
        for k = 40, 1, -1 do values[#values + 1] = 2 - 2 * math.cos(k * math.pi / 41) end
        near(values, check(second:eval()), 1e-13)
        check(lun.generate({ 9, 9 }, function(i, j) return 1 / (i + j - 1) end):eval()) -- Hilbert's
        check(lun.generate({ 12, 12 }, function(i, j) return 10.0 ^ -(i + j) end):eval()) -- graded
        check(lun.generate({ 12, 10 }, function(i, j) return 10.0 ^ -(20 * i + j) end):eval())
        check(lun.generate({ 20, 20 }, function(i, j) return i <= j and (i == j and 1.0 or -1.0) or 0.0 end):eval()) -- Kahan's
        assert.equal(3, random({ 40, 3 }, 1):matmul(random({ 3, 35 }, 2)):matrix_rank())
        for _, by in ipairs { 1e200, 1e-200 } do
            near((random({ 5, 4 }, 1):svdvals()):totable(), (check(random({ 5, 4 }, 1) * by) / by):totable(), 1e-14)
        end
        for _, dtype in ipairs { "i8", "i64", "u8", "bool" } do
            assert.equal("f64", lun.eye(2, dtype):svdvals():dtype())
        end
        for _, dtype in ipairs { "f16", "bf16", "f32" } do
            assert.equal("f32", lun.eye(2, dtype):pinv():dtype())
            assert.equal("f32", (lun.eye(2, dtype):lstsq(lun.ones(2, "f32"))):dtype())
            assert.equal("f64", (lun.eye(2, dtype):lstsq(lun.ones(2))):dtype())
        end
    end)

    it("takes empty matrices", function()
        local U, S, Vh = lun.zeros { 3, 0 }:svd()
        same({ 3, 0, 0, 0, 0 }, lun.vector(plain.flat { { U:shape() }, { S:shape() }, { Vh:shape() } }))
        U = lun.zeros { 3, 0 }:svd { full = true }
        same(lun.eye(3), U)
        same({ 0, 3 }, lun.vector { lun.zeros { 0, 3, 4 }:svdvals():shape() })
        same({ 4, 0 }, lun.vector { lun.zeros { 0, 4 }:pinv():shape() })
        assert.equal(0, lun.zeros { 0, 4 }:matrix_rank())
        same({ 2 }, lun.vector { lun.zeros { 2, 0, 4 }:matrix_rank():shape() })
        local x, rank, rest = lun.zeros { 3, 0 }:lstsq(lun.ones(3))
        assert.equal(0, #x + rank + #rest)
        fails("bad argument #1 to 'cond' (matrix is empty)", nil, function() return lun.cond(lun.zeros { 0, 0 }) end)
    end)

    it("takes windows and batches with the same bits", function()
        for _, shape in ipairs { { 5, 5 }, { 9, 4 }, { 4, 9 } } do
            local A, B = random(shape, 1), random(shape, 2)
            local U, S, Vh = A:svd()
            local Us, Ss, Vs = lun.stack { B, A, B }:svd()
            same(U, Us[2])
            same(S, Ss[2])
            same(Vh, Vs[2])
            local Ut, _, Vt = A:transpose():copy():transpose():svd()
            same(U, Ut)
            same(Vh, Vt)
            same(A:pinv(), lun.stack { B, A }:pinv()[2])
            same({ A:cond(), B:cond() }, lun.stack { A, B }:cond())
            same({ A:matrix_rank(), B:matrix_rank() }, lun.stack { A, B }:matrix_rank())
            local b = lun.ones(shape[1])
            local x, rank, rest = lun.stack { A, B }:lstsq(b)
            same(A:lstsq(b), x[1])
            same(B:lstsq(b), x[2])
            same({ A:matrix_rank(), B:matrix_rank() }, rank)
            assert.equal(shape[1] > shape[2] and 2 or 0, rest:size())
        end
        local low, high = lun.ones { 3, 2 }, lun.eye(3, 2)
        local _, _, rest = lun.stack { low, high }:lstsq(lun.vector { 1, 2, 4 })
        assert.is_true(rest[1][1] ~= rest[1][1] and rest[2][1] == 16)
    end)

    it("gives the same bits for every number of threads and backend", function()
        expect.same_texts [[
            for _, dtype in ipairs { "f64", "f32" } do
                for _, shape in ipairs { { 300, 280 }, { 600, 40 }, { 60, 20, 20 } } do
                    local U, S, Vh = (lun.random(shape, { seed = 1, dtype = dtype }) - 0.5):svd()
                    texts[#texts + 1] = S:copy():tobytes()
                    texts[#texts + 1] = (shape[3] and U or U:sub({ 1, 20 })):copy():tobytes()
                    texts[#texts + 1] = (shape[3] and Vh or Vh:sub({ 1, 20 })):copy():tobytes()
                end
            end]]
    end)

    it("knows the condition of singular matrices", function()
        local one = lun.vector { { 1, 2 }, { 2, 4 } }
        assert.equal(math.huge, lun.zeros { 2, 2 }:cond(1))
        assert.equal(math.huge, one:cond "fro")
        assert.is_true(one:cond() > 1e15)
        same({ math.huge, 1.0 }, lun.stack { one, lun.eye(2) }:cond(math.huge))
    end)

    it("names what is wrong", function()
        expect.everywhere(function()
            for _, x in ipairs { 0 / 0, math.huge } do
                local A = lun.eye(3):copy()
                A[2][1] = x
                fails("matrix contains NaN or infinity", "EARG", function() return A:svdvals():eval() end)
                fails("matrix 2 of 2 contains NaN or infinity", "EARG", function() return lun.stack { lun.eye(3), A }:pinv():eval() end)
            end
        end)
        local A = lun.eye(3)
        local function wrong(text, f) fails(text, nil, f) end
        wrong("bad argument #1 to 'svd' (a matrix expected, got f64[4])", function() return lun.svd(lun.zeros(4)) end)
        wrong("bad argument #1 to 'svd' (unknown option 'mode': the options are full)", function() return A:svd { mode = "r" } end)
        wrong("bad argument #1 to 'lstsq' (3 rows expected, as the matrix has, got f64[2])", function() return A:lstsq(lun.ones(2)) end)
        wrong("bad argument #1 to 'lstsq' (array expected, got number)", function() return A:lstsq(1) end)
        wrong("bad argument #2 to 'lstsq' (number expected, got string)", function() return A:lstsq(A, { rcond = "x" }) end)
        wrong("bad argument #1 to 'pinv' (number expected, got boolean)", function() return A:pinv { rtol = true } end)
        wrong("bad argument #1 to 'cond' (matrix of shape 2 x 3 is not square)", function() return lun.cond(lun.ones { 2, 3 }, 1) end)
        wrong("bad argument to 'cond' (unknown 'ord' 3: \"fro\", \"nuc\", 1, -1, 2, -2, math.huge and -math.huge are known)",
            function() return A:cond(3) end)
        wrong("bad argument to 'svdvals' (takes no missing elements: 1 of 4 are; use fillna, dropna or cast \"f64\")",
            function() return lun.vector { { 1, lun.na }, { 3, 4 } }:svdvals() end)
    end)

    it("ends with an interrupt and a memory limit, and works after them", function()
        stopped.by_interrupt("A = (lun.random({ 500, 500 }, { seed = 1 }) - 0.5):eval()",
            "A:svd():eval(); A[1][1] = A[1][1] + 1", "lun.eye(2):svdvals():sum()", "2.0")
        stopped.by_memory(40, "local A = lun.random({ 1500, 1500 }, { seed = 1 }):eval()", "A:svdvals():eval()",
            "lun.eye(2):svdvals():sum()", "2.0")
    end)
end)
