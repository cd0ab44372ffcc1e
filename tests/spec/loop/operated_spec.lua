-- Operators between skeletons, arrays and numbers, and arrays as extra arguments of reduce and scan. What they give is
-- computed by loops over Lua tables.

local lun = require "lunarray"
local expect = require "expect"
local onplaces = require "onplaces"

local X = { 1.0, 2.5, -3.0, 4.0, 0.5 }
local W = { 10.0, -20.0, 30.0, 0.25, 8.0 }

describe("an operator on skeletons", function()
    local square = lun.map(function(x) return x * x end)
    local twice = lun.map "float f(float x) { return 2 * x; }"
    local add = lun.zip "+"

    it("is a skeleton that computes with what they give", function()
        local x, w = lun.vector(X), lun.vector(W)
        local rows = {
            { square + w, function(a, b) return a * a + b end }, { w - square, function(a, b) return b - a * a end },
            { square * 3, function(a) return a * a * 3 end }, { 3 / square, function(a) return 3 / (a * a) end },
            { square - square, function() return 0.0 end }, { -square, function(a) return -(a * a) end },
            { (square + w) * (w + square), function(a, b) return (a * a + b) * (b + a * a) end },
            { (square ^ 2) % 7, function(a) return (a * a) ^ 2 % 7 end }, { square // 2, function(a) return a * a // 2 end },
            { square >> (square + w), function(a, b) return a ^ 4 + b end },
            { (square + 1) >> function(y) return y * 2 end, function(a) return (a * a + 1) * 2 end },
        }
        for k, row in ipairs(rows) do
            if k ~= 5 and k ~= 7 then
                expect.close(expect.map(row[2], X, W), row[1](x), 4)
            end
        end
        expect.elements({ 0.0, 0.0, 0.0, 0.0, 0.0 }, rows[5][1](x, x))
        expect.close(expect.map(rows[7][2], X, W), rows[7][1](x, x), 4)
    end)

    it("takes as many arrays as the skeletons together, in one kernel", function()
        local x, w = lun.vector(X), lun.vector(W)
        local both = add * add
        expect.failure("4 arrays expected, got 2", both, x, w)
        local e = both(x, w, w, x)
        expect.elements(expect.map(function(a, b) return (a + b) * (b + a) end, X, W), e)
        assert.equal(1, #lun.explain((add + w)(x, x)))
        assert.equal(1, #lun.explain((w * add)(x, x)))
    end)

    it("is part of trees and chains, and has text, code and run", function()
        local x, w = lun.vector(X), lun.vector(W)
        local c = lun.compose(add):left(square + w):right(square)
        expect.elements(expect.map(function(a, b) return a * a + b + a * a end, X, W), c(x, x))
        assert.matches("compose of 1 array: array map%b() a Vector f64%[5%] zip%b()", tostring(square + w))
        assert.truthy(#(square + 1):source() > 20)
        local out = lun.zeros(5)
        ;(square + w):run { x, out = out }
        expect.elements(expect.map(function(a, b) return a * a + b end, X, W), out)
        expect.elements({ 2.0, 6.0 }, (twice * 1)(lun.vector({ 1, 3 }, "f32")))
        local masks = lun.map(function(k) return k + 1 end)
        expect.elements({ 2, 2, 0 }, (masks & lun.vector { 2, 2, 3 })(lun.vector { 1, 2, 3 }))
        expect.elements({ -3, -4 }, (~masks)(lun.vector { 1, 2 }))
    end)

    it("refuses other values and arrays of other lengths", function()
        local x = lun.vector(X)
        expect.failure("skeleton, array or number expected, got string", function() return square + "x" end)
        expect.failure("skeleton, array or number expected, got table", function() return {} * square end)
        expect.failure("lengths differ", square + lun.ones(3), x)
        expect.failure("array or number expected", function() return x + print end)
    end)
end)

describe("an array behind the values of reduce and scan", function()
    local function through(x, y, T)
        return T[x][y]
    end

    it("is indexed by the function", function()
        -- addition modulo 5 as a table: associative, with identity 1
        local sums, codes, state, running = {}, { 3, 1, 4, 1, 5, 2, 3 }, 1, {}
        for i = 1, 5 do
            sums[i] = {}
            for j = 1, 5 do sums[i][j] = (i + j - 2) % 5 + 1 end
        end
        for k, code in ipairs(codes) do
            state = (state + code - 2) % 5 + 1
            running[k] = state
        end
        local T, v = lun.vector(sums), lun.vector(codes)
        expect.elements(running, lun.scan(through, 1, { inclusive = true })(v, T))
        assert.equal(state, lun.reduce(through, 1)(v, T):value())
    end)

    it("has the elements that it has when reduce or scan is called, and numbers beside it", function()
        local w = lun.vector { 2.0, 100.0 }
        local function f(x, y, a, k)
            return x + y + (a[1] - a[1]) * k
        end
        local x = lun.index(1000) + 0.0
        assert.equal(500500.0, lun.reduce(f, 0)(x, w, 3):value())
        assert.equal(500500.0, x:reduce(f, 0, w, 3):value())
        local s = x:scan(f, 0, w, 3)
        w[1] = 1e300
        assert.equal(499500.0, s[1000])
        local function modular(a, b, m)
            return (a + b) % m[1]
        end
        local m = lun.vector { 97 }
        local sums, sum = {}, 0
        for k = 1, 300 do
            sums[k] = sum
            sum = (sum + k * k) % 97
        end
        local squares = lun.index(300) * lun.index(300)
        assert.equal(sum, squares:reduce(modular, 0, m):value())
        expect.elements(sums, squares:scan(modular, 0, m))
        local M = squares:reshape(30, 10)
        local rows = {}
        for i = 1, 30 do
            rows[i] = 0
            for j = 1, 10 do rows[i] = (rows[i] + ((i - 1) * 10 + j) ^ 2 // 1 | 0) % 97 end
        end
        expect.elements(rows, M:reduce(modular, 0, m, { axis = 2 }))
    end)

    it("is refused for C functions, with what to write", function()
        local f = "float f(float x, float y, float *w) { return x + y + w[0]; }"
        expect.failure("must be numbers", lun.reduce(f, 0), lun.ones(3, "f32"), 2)
        local g = "float f(float x, float y, float k) { return x + y + k; }"
        expect.failure("argument 1 is an array: write the function in Lua", lun.reduce(g, 0), lun.ones(3, "f32"),
            lun.ones(3, "f32"))
    end)
end)

describe("on sets of places", function()
    onplaces.restore(before_each, after_each)

    it("operators and arrays of reductions give the same", function()
        for _, set in ipairs(onplaces.sets) do
            lun.use(set)
            local x, w = lun.vector(X), lun.vector(W)
            expect.elements(expect.map(function(a, b) return a * a + b end, X, W), (lun.map(function(v) return v * v end) + w)(x))
            local m = lun.vector { 97 }
            assert.equal(5050 % 97, lun.index(100):reduce(function(a, b, t) return (a + b) % t[1] end, 0, m):value())
        end
    end)
end)

describe("s:workgroup()", function()
    it("says what is used, and where it has no effect", function()
        local before = { lun.use() }
        local s = lun.map(function(x) return x + 1 end)
        lun.use "openmp"
        local n, why = s:workgroup()
        assert.is_nil(n)
        assert.matches("^no effect: openmp runs on CPU cores here, which have no work%-groups$", why)
        assert.equal(s, s:workgroup(64))
        n, why = s:workgroup()
        assert.equal(64, n)
        assert.matches("^no effect: openmp", why)
        assert.same({ s }, { s:workgroup(0) })
        expect.failure("number of elements expected", s.workgroup, s, -1)
        for _, device in ipairs(lun.devices()) do
            if device.kind == "gpu" then
                lun.use(device.place)
                assert.equal(s, s:workgroup(64))
                assert.same({ 64 }, { s:workgroup() })
                s:workgroup(1 << 40)
                n, why = s:workgroup()
                assert.equal(device.group, n)
                assert.matches("is used: the largest of", why)
                s:workgroup(0)
                n, why = s:workgroup()
                assert.is_nil(n)
                assert.matches("^tuned", why)
            end
        end
        lun.use(before)
    end)
end)
