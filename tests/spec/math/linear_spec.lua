-- Linear algebra: bits against plain loops of fused products, in the order that is documented.
local lun = require "lunarray"

-- A fused product and sum of f64: the engine's, on numbers.
local fma = lun.fma

local function rounded(x, dtype)
    return dtype == "f32" and string.unpack("f", string.pack("f", x)) or x
end

-- A plain LU of a list of rows in place, with the rows in their order and the sign.
local function factor(a, n)
    local p, sign = {}, 1
    for i = 1, n do p[i] = i end
    for k = 1, n do
        local at = k
        for i = k, n do
            if math.abs(a[i][k]) > math.abs(a[at][k]) then at = i end
        end
        if at ~= k then a[at], a[k], p[at], p[k], sign = a[k], a[at], p[k], p[at], -sign end
        for i = k + 1, n do
            a[i][k] = a[i][k] / a[k][k]
            for j = k + 1, n do a[i][j] = fma(-a[i][k], a[k][j], a[i][j]) end
        end
    end
    return p, sign
end

local function solve(a, p, b, n)
    local x = {}
    for i = 1, n do
        x[i] = b[p[i]]
        for k = 1, i - 1 do x[i] = fma(-a[i][k], x[k], x[i]) end
    end
    for i = n, 1, -1 do
        for k = n, i + 1, -1 do x[i] = fma(-a[i][k], x[k], x[i]) end
        x[i] = x[i] / a[i][i]
    end
    return x
end

local function random(n, seed)
    return lun.random({ n, n }, { seed = seed }) - 0.5
end

local function same(want, got)
    for k = 1, #want do
        assert.equal(string.pack("d", want[k]), string.pack("d", got[k]))
    end
    assert.equal(#want, #got)
end

describe("linear algebra", function()
    for _, n in ipairs { 1, 2, 3, 5, 8, 31, 33, 64, 65, 97, 130 } do
        it("has the bits of plain loops, n = " .. n, function()
            local A, b = random(n, n), lun.random(n, { seed = 99 })
            local a = A:totable()
            local p, sign = factor(a, n)
            same(solve(a, p, b:totable(), n), A:solve(b):totable())
            local det = sign
            for k = 1, n do det = det * a[k][k] end
            assert.equal(det, A:det())
            local P, L, U = A:lu()
            same(p, P:totable())
            L, U = L:totable(), U:totable()
            for i = 1, n do
                for j = 1, n do
                    assert.equal(a[i][j], i > j and L[i][j] or U[i][j])
                end
            end
            same(A:solve(b):totable(), A:transpose():copy():transpose():solve(b):totable())
        end)
    end

    it("factors positive matrices", function()
        local n = 70
        local A = random(n, 4)
        A = A:matmul(A:transpose()) + lun.eye(n)
        local a, L = A:totable(), A:cholesky():totable()
        local l = {}
        for i = 1, n do
            l[i] = {}
            for j = 1, i do
                local s = a[i][j]
                for k = 1, j - 1 do s = fma(-l[j][k], l[i][k], s) end
                l[i][j] = i == j and math.sqrt(s) or s / l[j][j]
                assert.equal(l[i][j], L[i][j])
            end
        end
    end)

    it("names the matrix and the pivot", function()
        assert.has_error(function() lun.zeros { 2, 2 }:solve(lun.ones(2)):totable() end)
        local ok, e = pcall(function() return lun.vector { { 1, 2 }, { 2, 4 } }:inv():totable() end)
        assert.is_false(ok)
        assert.matches("matrix is singular %(pivot 2 is 0%)", tostring(e))
        ok, e = pcall(function() return lun.zeros { 3, 2, 2 }:inv():totable() end)
        assert.matches("matrix 1 of 3 is singular %(pivot 1 is 0%)", tostring(e))
        ok, e = pcall(function() return lun.vector { { 1, 2 }, { 2, 1 } }:cholesky():totable() end)
        assert.matches("matrix is not positive definite %(leading minor 2%)", tostring(e))
        ok, e = pcall(function() return lun.zeros { 3, 2 }:inv() end)
        assert.matches("matrix of shape 3 x 2 is not square", tostring(e))
    end)

    it("takes batches, empty matrices, NaN", function()
        local A, b = random(6, 1), lun.random({ 6, 2 }, { seed = 2 })
        local x = lun.stack { A, A * 2 }:solve(b)
        same(A:solve(b):flatten():totable(), x[1]:flatten():totable())
        assert.equal(1.0, lun.zeros { 0, 0 }:det())
        local nan = lun.vector { { 0 / 0, 1 }, { 1, 1 } }:solve(lun.ones(2)):totable()
        assert.is_true(nan[1] ~= nan[1])
        local s, l = lun.zeros { 2, 2 }:slogdet()
        assert.equal(0.0, s)
        assert.equal(-math.huge, l)
    end)
end)
