-- Exponentials of matrices, traces, conjugate gradients: SciPy's values, what is known exactly, batches, mistakes.
local lun = require "lunarray"
local plain = require "math.plain"
local known = require "math.singular_values"

local fails, same = plain.fails, plain.same

local function near(want, got, room)
    assert.is_true((want - got):abs():max() <= (room or 1e-14) * math.max(1, want:abs():max()), tostring(got))
end

describe("trace", function()
    it("adds the elements of a diagonal", function()
        local A = lun.vector { { 1, 2, 3 }, { 4, 5, 6 } }
        assert.same({ 6, 8, 3, 4, 0 }, { A:trace(), A:trace(1), A:trace(2), A:trace(-1), lun.zeros({ 0, 0 }, "i64"):trace() })
        same({ 5, 50 }, lun.stack { lun.vector { { 1, 2 }, { 3, 4 } }, lun.vector { { 10, 20 }, { 30, 40 } } }:trace())
        assert.equal("f32", lun.stack { lun.eye(2, "f32"), lun.eye(2, "f32") }:trace():dtype())
        fails("bad argument #1 to 'trace' (a matrix expected, got i64[3])", nil, function() return A[1].trace(A[1]) end)
    end)
end)

describe("expm", function()
    it("has SciPy's values", function()
        for _, row in ipairs(known) do
            if row.exponential then
                near(lun.vector(row.exponential), lun.vector(row.a):expm(), 1e-14)
            end
        end
    end)

    it("knows rotations, nilpotent and diagonal matrices", function()
        for _, x in ipairs { 0, 1e-9, 0.5, 3, 100 } do
            local c, s = math.cos(x), math.sin(x)
            near(lun.vector { { c, -s }, { s, c } }, lun.vector { { 0, -x }, { x, 0 } }:expm(), 1e-13)
        end
        same({ { 1.0, 2.0, 7.0 }, { 0.0, 1.0, 4.0 }, { 0.0, 0.0, 1.0 } },
            lun.vector { { 0, 2, 3 }, { 0, 0, 4 }, { 0, 0, 0 } }:expm())
        near(lun.vector { 1.0, -2, 30, -40 }:exp():diag(), lun.vector { 1.0, -2, 30, -40 }:diag():expm(), 1e-13)
        same(lun.eye(3), lun.zeros { 3, 3 }:expm())
        local A = (lun.random({ 20, 20 }, { seed = 1 }) - 0.5):eval()
        near(lun.eye(20), A:expm():matmul((-A):expm()), 1e-12)
        local w, V = (A + A:transpose()):eigh()
        near((V * w:exp()):matmul(V:transpose()), (A + A:transpose()):expm(), 1e-13)
    end)

    it("takes dtypes, batches, empty matrices, NaN", function()
        assert.equal("f32", lun.eye(2, "f16"):expm():dtype())
        assert.equal("f64", lun.eye(2, "i8"):expm():dtype())
        near(lun.vector { { 0.5 } }:exp(), lun.vector({ { 0.5 } }, "f32"):expm(), 1e-6)
        local A, B = lun.random({ 3, 3 }, { seed = 1 }), lun.random({ 3, 3 }, { seed = 2 }) * 40 -- squared 0 and 4 times
        local both = lun.stack { A, B }:expm()
        same(A:expm(), both[1])
        same(B:expm(), both[2])
        same({ 0, 2, 2 }, lun.vector { lun.zeros { 0, 2, 2 }:expm():shape() })
        assert.equal(0, lun.zeros { 0, 0 }:expm():size())
        assert.is_true((lun.eye(2) * (0 / 0)):expm():isnan():all())
        assert.is_true((lun.eye(2) * math.huge):expm():isnan():any())
        fails("bad argument #1 to 'expm' (matrix of shape 2 x 3 is not square)", nil, function() return lun.expm(lun.ones { 2, 3 }) end)
    end)
end)

describe("cg", function()
    local function laplace(x)
        return 2 * x - x:shift(1, { edge = 0 }) - x:shift(-1, { edge = 0 })
    end

    it("solves with matrices and functions", function()
        local R = lun.random({ 30, 30 }, { seed = 1 }) - 0.5
        local A = (R:matmul(R:transpose()) + lun.eye(30)):eval()
        local b = lun.random(30, { seed = 2 })
        local x, iterations, residual = lun.cg(A, b, { tol = 1e-13 })
        near(A:solve(b), x, 1e-11)
        assert.is_true(iterations <= 40 and residual <= 1e-13 * b:norm())
        local again, count = lun.cg(function(v) return A:matmul(v) end, b, { tol = 1e-13 })
        same(x, again)
        assert.equal(iterations, count)
        local y, steps = lun.cg(laplace, lun.ones(50))
        near(lun.ones(50), laplace(y), 1e-7)
        assert.equal(25, steps) -- the right side is symmetric
    end)

    it("takes a beginning, a preconditioner and an end", function()
        local d = lun.index(100):cast "f64" ^ 2
        local A, b = d:diag(), lun.ones(100)
        local x, iterations = lun.cg(A, b, { precondition = function(r) return r / d end })
        near(1 / d, x)
        assert.equal(1, iterations)
        assert.equal(1, (select(2, lun.cg(A, b, { precondition = (1 / d):diag() }))))
        local _, few, residual = lun.cg(A, b, { maxiter = 3 })
        assert.equal(3, few)
        assert.is_true(residual > 1e-3)
        local same_x, none = lun.cg(A, b, { x0 = 1 / d })
        same(1 / d, same_x)
        assert.equal(0, none)
        assert.equal(0, (select(2, lun.cg(A, b * 0))))
        assert.equal(0, #lun.cg(lun.zeros { 0, 0 }, lun.zeros(0)))
        assert.equal("f32", lun.cg(lun.eye(2, "f32"), lun.ones(2, "f32")):dtype())
    end)

    it("names what is wrong", function()
        local b = lun.ones(3)
        local function wrong(text, f) fails(text, nil, f) end
        wrong("bad argument #1 to 'cg' (a matrix of 3 x 3 expected, got f64[2, 2])", function() return lun.cg(lun.eye(2), b) end)
        wrong("bad argument #1 to 'cg' (a function or a matrix expected, got string)", function() return lun.cg("A", b) end)
        wrong("bad argument #2 to 'cg' (Vector expected, got f64[3, 3])", function() return lun.cg(lun.eye(3), lun.eye(3)) end)
        wrong("bad argument #1 to 'cg' (the function gave f64[2], a Vector of 3 elements is expected)",
            function() return lun.cg(function() return lun.ones(2) end, b) end)
        wrong("bad argument #1 to 'cg' (the function gave nil, a Vector of 3 elements is expected)",
            function() return lun.cg(function() end, b) end)
        wrong("bad argument #1 to 'roll' (whole number expected, got string)",
            function() return lun.cg(function(x) return x:roll "1" end, b) end)
        wrong("bad argument #1 to 'cg' (not positive definite: p'Ap is -3 in iteration 1)", function() return lun.cg(-lun.eye(3), b) end)
        wrong("bad argument #3 to 'cg' (x0 has 2 elements, b 3)", function() return lun.cg(lun.eye(3), b, { x0 = lun.ones(2) }) end)
        wrong("bad argument #3 to 'cg' (unknown option 'atol': the options are x0, tol, maxiter, precondition)",
            function() return lun.cg(lun.eye(3), b, { atol = 1 }) end)
    end)
end)
