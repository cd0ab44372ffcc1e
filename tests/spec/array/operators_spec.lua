-- Operators and elementwise functions against Lua's own arithmetic.

local lun = require "lunarray"
local expect = require "expect"

local integers = { 7, -7, 0, 3, -1, 12, math.maxinteger, math.mininteger }
local divisors = { 3, 3, 5, -2, 7, -5, 2, -1 }
local floats = { 0.5, -1.25, 3.0, -0.0, 100.0, 1e-3, 2.5, -7.75 }
local others = { 2.0, 0.5, -1.5, 3.25, -0.1, 7.0, -2.0, 4.0 }

describe("operators", function()
    local binary = {
        ["+"] = function(a, b) return a + b end,
        ["-"] = function(a, b) return a - b end,
        ["*"] = function(a, b) return a * b end,
        ["//"] = function(a, b) return a // b end,
        ["%"] = function(a, b) return a % b end,
    }
    local exact_on_floats = { ["/"] = function(a, b) return a / b end }
    local bitwise = {
        ["&"] = function(a, b) return a & b end,
        ["|"] = function(a, b) return a | b end,
        ["~"] = function(a, b) return a ~ b end,
    }

    for symbol, f in pairs(binary) do
        it("computes " .. symbol .. " of integers as Lua does", function()
            local a, b = lun.vector(integers), lun.vector(divisors)
            local result = f(a, b)
            assert.equal("i64", result:dtype())
            expect.elements(expect.map(f, integers, divisors), result)
        end)
        it("computes " .. symbol .. " of floats as Lua does", function()
            local result = f(lun.vector(floats), lun.vector(others))
            assert.equal("f64", result:dtype())
            expect.elements(expect.map(f, floats, others), result)
        end)
        it("takes a number on either side of " .. symbol, function()
            expect.elements(expect.map(function(x) return f(x, 3) end, integers), f(lun.vector(integers), 3))
            expect.elements(expect.map(function(x) return f(100, x) end, divisors), f(100, lun.vector(divisors)))
            expect.elements(expect.map(function(x) return f(2.5, x) end, others), f(2.5, lun.vector(others)))
        end)
    end

    for symbol, f in pairs(exact_on_floats) do
        it("gives floats for " .. symbol .. " of integers", function()
            local result = f(lun.vector(integers), lun.vector(divisors))
            assert.equal("f64", result:dtype())
            expect.elements(expect.map(f, integers, divisors), result)
        end)
    end

    for symbol, f in pairs(bitwise) do
        it("computes " .. symbol .. " as Lua does", function()
            expect.elements(expect.map(f, integers, divisors), f(lun.vector(integers), lun.vector(divisors)))
        end)
    end

    it("raises to powers within 2 ULP and gives floats", function()
        local a = lun.vector { 1, 2, 3, 4 } ^ 2
        assert.equal("f64", a:dtype())
        expect.close({ 1.0, 4.0, 9.0, 16.0 }, a)
        expect.close({ 2.0, 4.0, 8.0 }, 2 ^ lun.vector { 1, 2, 3 })
    end)

    it("negates and complements", function()
        expect.elements(expect.map(function(x) return -x end, integers), -lun.vector(integers))
        expect.elements(expect.map(function(x) return -x end, floats), -lun.vector(floats))
        expect.elements(expect.map(function(x) return ~x end, integers), ~lun.vector(integers))
    end)

    it("shifts unsigned elements by numbers of either sign and any size", function()
        for _, t in ipairs { "u8", "u16", "u32", "u64" } do
            local a, width = lun.vector({ 1, 3, 200 }, t), 8 * #lun.zeros(1, t):tobytes()
            local mask = width == 64 and -1 or (1 << width) - 1
            for _, n in ipairs { 0, 1, -1, 7, -7, 64, -64, 101, -101, math.maxinteger, math.mininteger } do
                local left = expect.map(function(x) return x << n & mask end, { 1, 3, 200 })
                local right = expect.map(function(x) return x >> n & mask end, { 1, 3, 200 })
                expect.elements(left, a << n)
                expect.elements(right, a >> n)
            end
        end
    end)

    it("shifts by Lua's rules for any count", function()
        local counts = { 0, 1, 63, 64, 65, -1, -63, -64 }
        local values = expect.map(function() return -123456789 end, counts)
        local a, n = lun.vector(values), lun.vector(counts)
        expect.elements(expect.map(function(x, c) return x << c end, values, counts), a << n)
        expect.elements(expect.map(function(x, c) return x >> c end, values, counts), a >> n)
        expect.elements(expect.map(function(c) return 1 << c end, counts), 1 << n)
        expect.elements(expect.map(function(x) return x >> -3 end, values), a >> -3)
    end)

    it("wraps integers at their dtype's width", function()
        expect.elements({ -128, 127 }, lun.vector({ 127, -128 }, "i8") + lun.vector({ 1, -1 }, "i8"))
        expect.elements({ 4, 255 }, lun.vector({ 250, 0 }, "u8") + lun.vector({ 10, 255 }, "u8"))
        expect.elements({ math.mininteger }, lun.vector { math.maxinteger } + 1)
    end)

    it("keeps the array's dtype when it meets a number", function()
        assert.equal("f32", (lun.ones(3, "f32") * 2.5):dtype())
        assert.equal("f32", (2 - lun.ones(3, "f32")):dtype())
        assert.equal("i16", (lun.ones(3, "i16") + 1):dtype())
        assert.equal("f64", (lun.ones(3, "i32") + 0.5):dtype())
        expect.failure("300", function() return lun.ones(3, "u8") + 300 end)
    end)

    it("promotes arrays by float, width and sign", function()
        local cases = {
            { "i32", "f32", "f32" }, { "f32", "f64", "f64" }, { "i8", "i32", "i32" }, { "u8", "i16", "i16" },
            { "u8", "i8", "i16" }, { "u16", "i16", "i32" }, { "u32", "i32", "i64" }, { "u32", "u64", "u64" },
            { "bool", "i8", "i8" }, { "bool", "bool", "i64" },
        }
        for _, case in ipairs(cases) do
            local a, b = lun.ones(2, case[1]), lun.ones(2, case[2])
            assert.equal(case[3], (a + b):dtype(), case[1] .. " + " .. case[2])
            assert.equal(case[3], (b + a):dtype(), case[2] .. " + " .. case[1])
        end
    end)

    it("broadcasts Scalars and arrays of one element", function()
        expect.elements({ 11, 12, 13 }, lun.vector { 1, 2, 3 } + lun.vector { 10 })
        expect.elements({ 7, 8, 9 }, lun.vector { 1, 2, 3 } + lun.vector({ 1, 2, 3 }):reduce("+"))
    end)

    it("refuses different lengths, and goes on", function()
        local a, b = lun.range(1, 4), lun.range(1, 5)
        local message = expect.failure("lengths differ: i64[4] and i64[5]", function() return a + b end)
        assert.matches("bad argument #2 to '%+'", message)
        assert.matches("operators_spec.lua:%d+:", message)
        expect.elements({ 2, 4, 6, 8 }, a + a)
    end)

    it("refuses bitwise operators on floats", function()
        expect.failure("integers", function() return lun.ones(3) & 1 end)
        expect.failure("integers", function() return ~lun.ones(3) end)
        expect.failure("integers", function() return lun.ones(3, "i32") << lun.ones(3) end)
    end)

    it("refuses what is neither array nor number", function()
        local a = lun.ones(3)
        for _, wrong in ipairs { "1", {}, print, io.stdout, coroutine.create(print) } do
            expect.failure("array or number expected", function() return a + wrong end)
            expect.failure("array or number expected", function() return wrong + a end)
        end
        expect.failure("array or number expected", function() return a + nil end)
    end)
end)

describe("equality and order", function()
    it("of arrays is that of their shape and elements", function()
        local a = lun.ones(3)
        local same = a
        assert.is_true(a == same)
        assert.is_true(a == lun.ones(3))
        assert.is_true(a == lun.vector({ 1, 1, 1 }, "i32"))
        assert.is_true(a == a * 1 and a * 1 == a)
        assert.is_false(rawequal(a, lun.ones(3)))
        assert.is_false(a == a + 1)
        assert.is_true(a ~= a + 1)
        assert.is_false(a == lun.ones(1, 3) or a == lun.ones(4) or a == 1)
        assert.is_true(lun.vector { 0 / 0, lun.na, 2 } == lun.vector { 0 / 0, lun.na, 2 })
        assert.is_false(lun.vector { 0, lun.na } == lun.vector { 0, 1 })
        assert.is_true(lun.vector { "a", lun.na } == lun.vector { "a", lun.na })
        assert.is_false(lun.vector { "a" } == lun.vector { 1 })
        assert.is_false(lun.vector({ "2024-01-02" }, "date") == lun.vector { "2024-01-02" })
        assert.is_true(lun.vector({ "2024-01-02" }, "date") == lun.vector({ "2024-01-02 00:00:00" }, "timestamp"))
        assert.is_true(lun.zeros(0) == lun.zeros(0))
        assert.is_false(lun.zeros(2, 0) == lun.zeros(0, 2))
        assert.is_true(lun.vector { 2 }:sum() == lun.vector { 1, 1 }:sum())
        assert.is_false(a == lun.queue "openmp" or a == io.stdout or a == lun.na)
    end)

    it("lets arrays be keys of tables", function()
        local a, b = lun.ones(3), lun.ones(3)
        local t = { [a] = "a", [b] = "b" }
        a:fill(7)
        assert.equal("a", t[a])
        assert.equal("b", t[b])
    end)

    it("compares Scalars and numbers as booleans", function()
        local s = lun.vector({ 1, 2, 3 }):reduce("+")
        assert.is_true(s < 7)
        assert.is_true(5 < s)
        assert.is_false(s <= 5.5)
        assert.is_true(s >= 6)
        assert.is_true(s <= s)
    end)

    it("refuses < of longer arrays and names the way out", function()
        local a = lun.range(1, 3)
        expect.failure("a:lt(b)", function() return a < 2 end)
        expect.failure("a:le(b)", function() return a <= a end)
    end)

    it("compares elementwise by name", function()
        local a, b = lun.vector { 1, 2, 3 }, lun.vector { 3, 2, 1 }
        local cases = {
            lt = { true, false, false }, le = { true, true, false }, gt = { false, false, true },
            ge = { false, true, true }, eq = { false, true, false }, ne = { true, false, true },
        }
        for name, wanted in pairs(cases) do
            assert.equal("bool", a[name](a, b):dtype())
            expect.elements(wanted, a[name](a, b))
            expect.elements(wanted, lun[name](a, b))
        end
        expect.elements({ false, false, true }, a:gt(2))
    end)

    it("combines and chooses", function()
        local a, b = lun.vector { true, true, false, false }, lun.vector { true, false, true, false }
        expect.elements({ true, false, false, false }, a:land(b))
        expect.elements({ true, true, true, false }, a:lor(b))
        expect.elements({ false, false, true, true }, a:lnot())
        expect.elements({ 1, -2, 3, -4 }, lun.where(b:lor(lun.vector { false, false, true, false }),
            lun.range(1, 4), -lun.range(1, 4)))
        expect.elements({ 1.5, 1.5, 0.0, 0.0 }, lun.where(a, 1.5, 0))
    end)
end)

describe("functions", function()
    it("are there as lun.f(a) and a:f()", function()
        local names = {
            "abs", "sign", "floor", "ceil", "round", "trunc", "sqrt", "cbrt", "exp", "exp2", "expm1", "log", "log2",
            "log10", "log1p", "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh",
            "atanh", "erf", "erfc", "cospi", "isnan", "isinf", "isfinite",
        }
        local a = lun.vector { 0.25, 0.5, 0.75 }
        for _, name in ipairs(names) do
            assert.equal(#a, #lun[name](a), name)
            expect.elements(lun[name](a):totable(), a[name](a))
        end
        for _, name in ipairs { "atan2", "hypot", "copysign", "min", "max", "fmin", "fmax" } do
            expect.elements(lun[name](a, 0.5):totable(), a[name](a, 0.5))
        end
        for _, name in ipairs { "fma", "clamp" } do
            expect.elements(lun[name](a, 0.5, 0.6):totable(), a[name](a, 0.5, 0.6))
        end
    end)

    it("agree with Lua's math", function()
        local values = { 0.1, 0.5, 1.0, 2.5, 10.0, 0.001 }
        local a = lun.vector(values)
        for _, name in ipairs { "sqrt", "exp", "log", "sin", "cos", "tan" } do
            expect.close(expect.map(math[name], values), a[name](a), 4)
        end
    end)

    it("round halves away from zero", function()
        expect.elements({ 1.0, -1.0, 2.0, -3.0, 0.0 }, lun.vector({ 0.5, -0.5, 1.5, -2.5, 0.25 }):round())
        expect.elements({ 3, -3 }, lun.vector({ 3, -3 }):round())
    end)

    it("tell NaN apart in min and fmin", function()
        local nan = 0.0 / 0.0
        local a, b = lun.vector { 1.0, nan, 3.0 }, lun.vector { 2.0, 2.0, nan }
        local low = a:min(b):totable()
        assert.equal(1.0, low[1])
        assert.is_true(low[2] ~= low[2] and low[3] ~= low[3])
        expect.elements({ 1.0, 2.0, 3.0 }, a:fmin(b))
        expect.elements({ 2.0, 2.0, 3.0 }, a:fmax(b))
        expect.elements({ false, true, false }, a:isnan())
        assert.is_true(a:sign()[2] ~= a:sign()[2])
    end)

    it("give numbers for numbers", function()
        assert.equal(3.0, lun.sqrt(9))
        assert.equal(2, lun.min(5, 2))
        assert.equal(7, lun.add(3, 4))
    end)

    it("are what the values of lun.op do when they are called", function()
        local a = lun.vector { 1, 2, 3 }
        assert.same({ 5, 6, 7 }, lun.op.add(a, 4):totable())
        assert.equal(3, lun.op.add(1, 2))
        assert.same({ 1, 4, 9 }, lun.op.mul(a, a):totable())
        assert.equal(4.0, lun.op.sqrt(16))
        assert.equal("lun.op.add", tostring(lun.op.add))
        expect.failure("bad argument", lun.op.add, a, {})
    end)

    it("count their arguments", function()
        expect.failure("array or number expected", lun.sqrt)
        expect.failure("bad argument #2", lun.atan2, lun.ones(2))
        expect.failure("bad argument #3", lun.clamp, lun.ones(2), 1)
    end)
end)
