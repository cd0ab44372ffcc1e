-- Eigenvalues of symmetric matrices: residuals, matrices whose values are known, the same bits in every way, mistakes.
local lun = require "lunarray"
local expect = require "expect"
local plain = require "math.plain"

local fails = plain.fails

local function symmetric(n, seed, dtype)
    local A = lun.random({ n, n }, { seed = seed, dtype = dtype or "f64" }) - 0.5
    return (A + A:transpose()):eval()
end

local function same(a, b)
    assert.equal(a:copy():tobytes(), b:copy():tobytes())
end

-- Residuals within the usual bounds; gives the values.
local function check(A, epsilon)
    local n = #A
    local w, V = A:eigh()
    local D = A:cast "f64"
    local w64, V64 = w:cast "f64", V:cast "f64"
    local room = 10 * n * (epsilon or 2 ^ -52)
    assert.is_true((D:matmul(V64) - V64 * w64):norm() <= room * D:norm())
    assert.is_true((V64:transpose():matmul(V64) - lun.eye(n)):norm() <= room * math.sqrt(n))
    same(w, w:sort())
    same(w, A:eigvalsh())
    for j = 1, n do
        local v = V:col(j)
        assert.is_true(v[v:abs():argmax()] > 0)
    end
    return w
end

describe("eigh", function()
    for _, n in ipairs { 1, 2, 3, 4, 7, 16, 33, 64, 65, 100, 131 } do
        it("has small residuals, n = " .. n, function()
            check(symmetric(n, n))
            check(symmetric(n, n, "f32"), 2 ^ -23)
        end)
    end

    it("takes matrices of every kind", function()
        local function near(want, got, room)
            for k, x in ipairs(want) do
                assert.is_true(math.abs(got[k] - x) <= (room or 1e-13), ("%d: %.17g, %.17g expected"):format(k, got[k], x))
            end
        end
        local n = 40
        local second = lun.generate({ n, n }, function(i, j) return i == j and 2.0 or math.abs(i - j) == 1 and -1.0 or 0.0 end)
        local known = {}
        for k = 1, n do known[k] = 2 - 2 * math.cos(k * math.pi / (n + 1)) end
        near(known, check(second:eval()))
        near({ 0, 0, 0, 0, 5 }, check(lun.ones { 5, 5 }))
        near({ 0, 0, 0 }, check(lun.zeros { 3, 3 }), 0)
        near({ 1, 1, 1 }, check(lun.eye(3)), 0)
        near({ -3, 1, 7 }, check(lun.vector { 7.0, -3, 1 }:diag()), 0)
        near({ 1e200, 3e200 }, check(lun.vector { { 2e200, 1e200 }, { 1e200, 2e200 } }), 1e187)
        near({ 1e-200, 3e-200 }, check(lun.vector { { 2e-200, 1e-200 }, { 1e-200, 2e-200 } }), 1e-213)
        check(lun.generate({ 8, 8 }, function(i, j) return 1 / (i + j - 1) end):eval()) -- Hilbert's
        check(lun.generate({ 21, 21 }, function(i, j) -- Wilkinson's
            return i == j and math.abs(i - 11) + 0.0 or math.abs(i - j) == 1 and 1.0 or 0.0
        end):eval())
        check(lun.generate({ 12, 12 }, function(i, j) return 10.0 ^ -(i + j) end):eval()) -- graded
        check(lun.vector { { 1, 1.3e-160, 2.7e-160 }, { 1.3e-160, 2, 0 }, { 2.7e-160, 0, 3 } }) -- whose squares vanish
        local w, V = lun.vector { { 2, 1 }, { 1, 2 } }:eigh() -- of integers
        near({ 1, 3 }, w)
        assert.equal("f64", V:dtype())
        assert.equal("f32", lun.eye(2, "f16"):eigvalsh():dtype())
    end)

    it("reads one triangle, windows, stacked matrices", function()
        local A, B = symmetric(9, 1), symmetric(9, 2)
        local w, V = A:eigh()
        local triangle = lun.tri(9):eq(1)
        local wl, Vl = lun.where(triangle, A, 0 / 0):eigh()
        same(w, wl)
        same(V, Vl)
        local wu, Vu = lun.where(triangle, A, 0 / 0):transpose():eigh { upper = true }
        same(w, wu)
        same(V, Vu)
        local big = lun.zeros { 18, 27 }
        big:sub({ 1, 18, 2 }, { 2, 27, 3 }):set(A)
        same(w, big:sub({ 1, 18, 2 }, { 2, 27, 3 }):eigvalsh())
        local ws, Vs = lun.stack { B, A, B }:eigh()
        same(w, ws[2])
        same(V, Vs[2])
        same(B:eigvalsh(), ws[3])
        local none, vectors = lun.zeros { 0, 0 }:eigh()
        assert.equal(0, none:size() + vectors:size() + lun.zeros { 2, 0, 0 }:eigvalsh():size())
    end)

    it("gives the same bits for every number of threads and backend", function()
        expect.same_texts [[
            for _, dtype in ipairs { "f64", "f32" } do
                for _, shape in ipairs { { 400, 400 }, { 60, 20, 20 } } do
                    local w, V = (lun.random(shape, { seed = 1, dtype = dtype }) - 0.5):eigh()
                    texts[#texts + 1] = w:copy():tobytes()
                    texts[#texts + 1] = (shape[3] and V or V:sub({ 1, 20 })):copy():tobytes()
                end
            end]]
    end)

    it("names what is wrong", function()
        expect.everywhere(function()
            for _, x in ipairs { 0 / 0, math.huge } do
                local A = lun.eye(3):copy()
                A[2][1] = x
                fails("matrix contains NaN or infinity", "EARG", function() return A:eigvalsh():eval() end)
                fails("matrix 2 of 2 contains NaN or infinity", "EARG", function() return lun.stack { lun.eye(3), A }:eigh():eval() end)
            end
        end)
        fails("bad argument #1 to 'eigh' (matrix of shape 2 x 3 is not square)", nil, function() return lun.eigh(lun.ones { 2, 3 }) end)
        fails("bad argument #1 to 'eigvalsh' (unknown option 'lower': the options are upper)", nil,
            function() return lun.eye(2):eigvalsh { lower = true } end)
        fails("bad argument to 'eigh' (takes no missing elements: 1 of 4 are; use fillna, dropna or cast \"f64\")", nil,
            function() return lun.vector { { 1, lun.na }, { 3, 4 } }:eigh() end)
    end)
end)
