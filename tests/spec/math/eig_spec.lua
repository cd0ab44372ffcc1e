-- Eigenvalues of matrices that are not symmetric, roots of polynomials: residuals, NumPy's values, order and signs,
-- batches, the same bits in every way, mistakes.
local lun = require "lunarray"
local expect = require "expect"
local plain = require "math.plain"
local stopped = require "math.stopped"
local known = require "math.eig_values"

local fails = plain.fails

local function random(shape, seed, dtype)
    return (lun.random(shape, { seed = seed, dtype = dtype or "f64" }) - 0.5):eval()
end

local function same(a, b)
    assert.equal(a:copy():tobytes(), b:copy():tobytes())
end

-- The residual, lengths, order and signs; gives the values. tests/spec/math/eig_values.py has the values themselves.
local function check(A)
    local n = #A
    local w, V = A:eig()
    local epsilon = w:dtype() == "c64" and 2 ^ -23 or 2 ^ -52
    local values, vectors = w:cast "c128", V:cast "c128"
    local scale = A:cast "f64":abs():max()
    local D = A:cast "f64" / (scale > 0 and scale or 1)
    local rest = (D:cast "c128":matmul(vectors) - vectors * (values / (scale > 0 and scale or 1))):norm()
    assert.is_true(rest <= 10 * n * epsilon * math.max(D:norm(), 1e-300), ("%d: residual %g"):format(n, rest))
    same(w, A:eigvals())
    for k = 1, n do
        local before, v = values[math.max(k - 1, 1)], V:col(k)
        assert.is_true(before.re < values[k].re or before.re == values[k].re and before.im <= values[k].im)
        assert.is_true(math.abs(v:norm() - 1) <= 4 * n * epsilon)
        local moduli = (v.re ^ 2 + v.im ^ 2):eval()
        local greatest = moduli:ge(moduli:max() * (1 - 8 * epsilon)) -- as far as rounding goes
        assert.is_true(greatest:land(v.re:gt(0)):land(v.im:eq(0)):any())
    end
    return w
end

local function near(row, w, room)
    assert.equal(#row.re, #w)
    local left, scale = {}, w:abs():max()
    for k = 1, #w do left[k] = k end
    for k, re in ipairs(row.re) do -- each value has one near it: of equal real parts, rounding decides the order
        local least, at = math.huge, nil
        for place, j in ipairs(left) do
            local d = math.max(math.abs(w[j].re - re), math.abs(w[j].im - row.im[k]))
            if d < least then least, at = d, place end
        end
        table.remove(left, at)
        assert.is_true(least <= room * scale, ("%s: %d is %g from %.17g + %.17gi"):format(row.name, k, least, re, row.im[k]))
    end
end

describe("eig", function()
    for _, dtype in ipairs { "f64", "f32" } do
        for _, n in ipairs { 1, 2, 3, 4, 7, 16, 33, 65, 100, 131 } do
            it(("has small residuals, n = %d, %s"):format(n, dtype), function() check(random({ n, n }, n, dtype)) end)
        end
    end

    it("has NumPy's values", function()
        for _, row in ipairs(known) do
            if row.a then
                near(row, check(lun.vector(row.a)), 2e-14)
            else
                near(row, lun.vector(row.c):roots(), 2e-14)
            end
        end
    end)

    it("takes matrices of every kind", function()
        local function of(n, f) return check(lun.generate({ n, n }, f):eval()) end
        same(lun.full(10, lun.complex(2, 0)), of(10, function(i, j) return i == j and 2.0 or j == i + 1 and 1.0 or 0.0 end)) -- Jordan's
        same(lun.zeros(4, "c128"), check(lun.zeros { 4, 4 }))
        same(lun.ones(4, "c128"), check(lun.eye(4)))
        local w = of(12, function(i, j) return (j == i + 1 or i == 12 and j == 1) and 1.0 or 0.0 end) -- roots of 1
        assert.is_true((w ^ 12 - 1):abs():max() < 1e-13)
        of(5, function() return 1.0 end)
        of(9, function(i, j) return 1 / (i + j - 1) end) -- Hilbert's
        of(12, function(i, j) return 10.0 ^ -(3 * i + 2 * j) end) -- graded
        of(12, function(i, j) return 10.0 ^ (3 * i - 2 * j) end)
        of(6, function(i, j) return j == i + 1 and 1.0 or i == j + 1 and 1e-300 or 0.0 end)
        check(lun.vector { { 1, 2, 3, 4 }, { 0, 0, -1, 2 }, { 0, 1, 0, 3 }, { 0, 0, 0, 5 } }) -- rows that are alone
        check(lun.vector { { 1, 1e-300 }, { 1e300, 1 } })
        for _, by in ipairs { 1e200, 1e-200 } do
            local B = check(lun.vector { { 1, 3 }, { -2, 1 } } * by)
            assert.is_true((B / by - lun.vector { lun.complex(1, -6 ^ 0.5), lun.complex(1, 6 ^ 0.5) }):abs():max() < 1e-15)
        end
        for seed = 1, 100 do -- few integers: many that are singular, defective, or have multiple values
            local n = 2 + seed % 9
            check(lun.random({ n, n }, { seed = seed, dist = "integers", low = -1, high = 1 }):eval())
        end
    end)

    it("has complex numbers of the precision of its operand", function()
        for _, dtype in ipairs { "bool", "i8", "u64", "f64" } do
            local w, V = lun.eye(2, dtype):eig()
            assert.equal("c128 c128", w:dtype() .. " " .. V:dtype())
        end
        for _, dtype in ipairs { "f16", "bf16", "f32" } do
            assert.equal("c64", lun.eye(2, dtype):eigvals():dtype())
        end
        local w, V = lun.zeros { 0, 0 }:eig()
        assert.equal("0 0 c128", w:size() .. " " .. V:size() .. " " .. V:dtype())
        w = lun.zeros({ 2, 0, 0 }, "f32"):eigvals()
        assert.equal("c64", w:dtype())
        assert.equal("2 0", ("%d %d"):format(w:shape()))
    end)

    it("takes windows and batches with the same bits", function()
        local A, B = random({ 9, 9 }, 1), random({ 9, 9 }, 2)
        local w, V = A:eig()
        local ws, Vs = lun.stack { B, A, B }:eig()
        same(w, ws[2])
        same(V, Vs[2])
        same(B:eigvals(), ws[3])
        local big = lun.zeros { 18, 27 }
        big:sub({ 1, 18, 2 }, { 2, 27, 3 }):set(A)
        same(V, (select(2, big:sub({ 1, 18, 2 }, { 2, 27, 3 }):eig())))
        same(w, A:transpose():copy():transpose():eigvals())
    end)

    it("gives the same bits for every number of threads and backend", function()
        expect.same_texts [[
            for _, dtype in ipairs { "f64", "f32" } do
                for _, shape in ipairs { { 200, 200 }, { 40, 20, 20 } } do
                    local w, V = (lun.random(shape, { seed = 1, dtype = dtype }) - 0.5):eig()
                    texts[#texts + 1] = w.re:copy():tobytes() .. w.im:copy():tobytes()
                    texts[#texts + 1] = V.re:copy():tobytes() .. V.im:copy():tobytes()
                end
            end]]
    end)

    it("finds roots", function()
        assert.equal(0, #lun.vector { 5 }:roots() + #lun.zeros(0):roots() + #lun.vector { 0, 0 }:roots())
        assert.equal("c128", lun.vector { 1 }:roots():dtype())
        same(lun.zeros(2, "c128"), lun.vector { 3, 0, 0 }:roots())
        same(lun.vector { lun.complex(-0.5, 0) }, lun.roots { 2, 1 })
        local r = lun.vector { 1, 2, 3, 4 }:poly():roots()
        assert.is_true((r - lun.vector { 1, 2, 3, 4 }):abs():max() < 1e-12)
        local i = lun.i -- (z - i)(z - 2i) z, and 0 z^3 before it
        r = lun.vector { 0 * i, 1 + 0 * i, -3 * i, -2 + 0 * i, 0 * i }:roots()
        assert.is_true((r - lun.vector { 0 * i, i, 2 * i }):abs():max() < 1e-14)
        same(lun.vector { -1 * i }, lun.vector({ lun.complex(2, 0), 2 * i }, "c64"):roots():cast "c128")
    end)

    it("names what is wrong", function()
        expect.everywhere(function()
            for _, x in ipairs { 0 / 0, math.huge } do
                local A = lun.eye(3):copy()
                A[2][1] = x
                fails("matrix contains NaN or infinity", "EARG", function() return A:eigvals():eval() end)
                fails("matrix 2 of 2 contains NaN or infinity", "EARG", function() return (lun.stack { lun.eye(3), A }:eig()):eval() end)
            end
        end)
        local function wrong(text, f) fails(text, nil, f) end
        wrong("bad argument #1 to 'eig' (matrix of shape 2 x 3 is not square)", function() return lun.eig(lun.ones { 2, 3 }) end)
        wrong("bad argument #1 to 'eigvals' (a matrix expected, got f64[4])", function() return lun.eigvals(lun.zeros(4)) end)
        wrong("bad argument #1 to 'eig' (matrix expected, got number)", function() return lun.eig(1) end)
        wrong("wrong number of arguments to 'eig' (at most 1 expected, got 2)", function() return lun.eig(lun.eye(2), {}) end)
        wrong("bad argument to 'eig' (takes no missing elements: 1 of 4 are; use fillna, dropna or cast \"f64\")",
            function() return lun.vector { { 1, lun.na }, { 3, 4 } }:eig() end)
        wrong("bad argument #1 to 'roots' (Vector expected, got f64[2, 2])", function() return lun.roots(lun.eye(2)) end)
        wrong("bad argument #1 to 'roots' (coefficients are numbers, got text[2])", function() return lun.roots { "1", "x" } end)
        wrong("bad argument #1 to 'roots' (coefficients are numbers, got bool[2])", function() return lun.roots { true, false } end)
    end)

    it("ends with an interrupt and a memory limit, and works after them", function()
        stopped.by_interrupt("A = (lun.random({ 400, 400 }, { seed = 1 }) - 0.5):eval()",
            "(A:eig()):eval(); A[1][1] = A[1][1] + 1", "lun.eye(2):eigvals():sum().re", "2.0")
        stopped.by_memory(40, "local A = lun.random({ 1500, 1500 }, { seed = 1 }):eval()", "A:eigvals():eval()",
            "lun.eye(2):eigvals():sum().re", "2.0")
    end)
end)
