-- Whole reductions to Lua numbers, against Lua's arithmetic.

local lun = require "lunarray"
local expect = require "expect"

describe("reductions", function()
    it("give Lua numbers", function()
        local a = lun.vector { 3, 1, 2 }
        assert.equal(6, a:sum())
        assert.equal(6, a:prod())
        assert.equal(1, a:min())
        assert.equal(3, a:max())
        assert.equal(2.0, a:mean())
        assert.equal("integer", math.type(a:sum()))
        assert.equal("float", math.type(a:mean()))
        assert.equal(2, a:argmin())
        assert.equal(1, a:argmax())
        assert.equal(3, a:count())
        assert.is_true(a:any())
        assert.is_true(a:all())
        assert.is_false(lun.zeros(3):any())
        assert.is_false(lun.vector({ 1, 0 }):all())
        assert.equal(math.sqrt(14), a:norm())
        assert.equal(14, a:dot(a))
        assert.equal(32.0, lun.vector({ 1.0, 2.0, 3.0 }):dot(lun.vector { 4, 5, 6 }))
    end)

    it("multiply in the dtype of the sum: no product of narrow integers wraps", function()
        for _, row in ipairs { { "u8", 255 }, { "i8", -128 }, { "u16", 65535 }, { "i16", 30000 }, { "i32", 100000 },
            { "u32", 4294967295 }, { "bool", true } } do
            local t, x = row[1], row[2]
            local a, n = lun.full(3, x, t), x == true and 1 or x
            assert.equal(3 * n * n, a:dot(a), t)
            assert.equal(math.sqrt(3.0 * n * n), a:norm(), t)
            assert.equal(0.0, a:var(), t)
            if x ~= true then
                assert.equal(3 * n, a:dot(lun.ones(3, "u8")), t)
                assert.equal(3 * n * 0.5, a:dot(lun.full(3, 0.5)), t)
            end
        end
        for _, t in ipairs { "f16", "bf16" } do
            local a = lun.full(3, 300, t) -- the products are beyond f16
            assert.equal(270000.0, a:dot(a))
        end
        local f = lun.full(3, 3e38, "f32") -- f32 products stay f32
        assert.equal(math.huge, f:dot(f))
        assert.equal(math.huge, (f * f):sum())
    end)

    it("know dot and cast as functions of the module", function()
        local a = lun.vector { 1, 2, 3 }
        assert.equal(14, lun.dot(a, a))
        assert.equal("f32", lun.cast(a, "f32"):dtype())
    end)

    it("sum products in one kernel", function()
        local a = lun.full(5000, 200, "u8"):copy()
        lun.stats "reset"
        assert.equal(5000 * 40000, a:dot(a))
        assert.equal(1, lun.stats().launches)
    end)

    it("by + and * are i64 or u64 for integers, also as scans and given as operations", function()
        for _, f in ipairs { "+", lun.op.add, "add" } do
            local a = lun.vector({ 200, 100 }, "u8")
            assert.equal(300, a:reduce(f):value())
            assert.equal("u64", a:reduce(f):dtype())
            expect.elements({ 200, 300 }, a:scan(f, 0, { inclusive = true }))
            assert.equal("u64", a:scan(f):dtype())
        end
        local b = lun.vector({ 100, -100, 100 }, "i8")
        expect.elements({ 1, 100, -10000, -1000000 }, (b .. lun.zeros(1, "i8")):scan "*")
        assert.equal("i64", b:scan("*"):dtype())
        assert.equal("i8", b:scan("max"):dtype())
        assert.equal("i8", b:reduce("&"):dtype())
        assert.equal("f32", b:cast("f32"):scan("+"):dtype())
        local out = lun.zeros(3, "i8") -- stored into narrow elements it wraps, as every conversion
        lun.scan("+", 0, { inclusive = true }):run { b + b, out = out }
        expect.elements({ -56, 0, -56 }, out)
    end)

    it("are functions of the module, too", function()
        local a = lun.vector { 3, 1, 2 }
        for _, name in ipairs { "sum", "prod", "min", "max", "mean", "var", "std", "any", "all", "count", "argmin",
            "argmax", "norm" } do
            assert.equal(a[name](a), lun[name](a), name)
        end
    end)

    it("mean, var and std of an expression have the bits of its elements in memory", function()
        local r = lun.random(30011, { seed = 5 })
        local m = lun.random({ 40, 50 }, { seed = 6 })
        for k, make in ipairs {
            function() return r end, function() return r:sub { 3, 29000 } end, function() return r * 3 + 1e3 end,
            function() return r:cast "f32" / 7 end, function() return (r * 1000):cast "i32" end,
            function() return m:transpose() end, function() return m:matmul(m:transpose()) end,
            function() return r:shift(2, { edge = 0.5 }) end, function() return r:flip() - 1e5 end,
            function() return lun.index(5000) end, function() return (r - r) / 0 end, function() return r:scan "+" end,
        } do
            local there = make():copy():eval()
            for _, name in ipairs { "var", "std", "mean" } do
                local x, y = make(), there:copy():eval()
                local got, wanted = x[name](x), y[name](y)
                assert.is_true(got == wanted or got ~= got and wanted ~= wanted, k .. " " .. name)
            end
            assert.equal(("%a"):format(make():lazy "var"[1]), ("%a"):format(there:copy():eval():lazy "var"[1]), k)
        end
    end)

    it("compute variance with either divisor", function()
        local a = lun.vector { 2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0 }
        assert.equal(4.0, a:var())
        assert.equal(2.0, a:std())
        assert.is_true(math.abs(a:var(1) - 32 / 7) < 1e-12)
        assert.is_true(math.abs(a:std(1) - math.sqrt(32 / 7)) < 1e-12)
        expect.failure("'ddof' is a number from 0 on, not -1", a.var, a, -1)
        expect.failure("number expected", a.var, a, "x")
    end)

    it("do not lose digits to a large mean", function()
        local a = lun.vector { 1e9 + 4, 1e9 + 7, 1e9 + 13, 1e9 + 16 }
        assert.equal(22.5, a:var())
        assert.equal(30.0, a:var(1))
    end)

    it("sum integers in 64 bits, wrapping, and booleans as 0 and 1", function()
        assert.equal(255 * 1000, lun.full(1000, 255, "u8"):sum())
        assert.equal(127 * 1000, lun.full(1000, 127, "i8"):sum())
        assert.equal(math.mininteger, lun.vector({ math.maxinteger, 1 }):sum())
        assert.equal(2, lun.vector({ true, false, true }):sum())
        assert.equal(2, lun.vector({ true, false, true }):count())
        assert.equal(1 << 40, lun.full(40, 2, "u8"):prod())
    end)

    it("sum small integers of many elements without loss, compiled or not", function()
        local n = 70001 -- several chunks, the last one not full
        local most = { bool = true, i8 = -128, u8 = 255, i16 = -32768, u16 = 65535 }
        for dtype, x in pairs(most) do
            local a = lun.full(n, x, dtype):copy()
            local one = x == true and 1 or x
            assert.equal(n * one, a:sum(), dtype)
            assert.equal(n * one, (a:lnot():lnot():cast "i64" * one):sum(), dtype)
        end
        local k = lun.index(n):cast "f32"
        local wide = k:cast("u16"):cast "i64"
        local below, sum, most_of = lun.eval(k:le(60000):reduce("+", 0), wide:reduce("+", 0), wide:reduce("max", 0))
        assert.equal(60000, below)
        assert.equal(65535 * 65536 // 2 + (n - 65535) * 65535, sum)
        assert.equal(65535, most_of)
    end)

    it("agree with Lua on many elements", function()
        local n, t, sum = 100003, {}, 0
        for i = 1, n do
            t[i] = (i * 7919) % 1000 - 500
            sum = sum + t[i]
        end
        local a = lun.vector(t)
        assert.equal(sum, a:sum())
        assert.equal(sum + 0.0, a:cast("f64"):sum())
        assert.equal(sum / n, a:mean())
        assert.equal(-500, a:min())
        assert.equal(499, a:max())
        local low = 1
        for i = 2, n do
            low = t[i] < t[low] and i or low
        end
        assert.equal(low, a:argmin())
    end)

    it("sum with the error of pairwise summation", function()
        local n = 1000000
        local a = lun.full(n, 0.1)
        assert.is_true(math.abs(a:sum() - n * 0.1) < 1e-6)
        assert.is_true(math.abs(lun.full(n, 0.1, "f32"):sum() - n * 0.1) < 1e-1)
    end)

    it("propagate NaN, and the first one is the index", function()
        local nan = 0 / 0
        local a = lun.vector { 1.0, nan, 0.5, nan }
        assert.is_true(a:min() ~= a:min())
        assert.is_true(a:max() ~= a:max())
        assert.equal(2, a:argmin())
        assert.equal(2, a:argmax())
        assert.is_true(a:sum() ~= a:sum())
        assert.equal(0.5, a:reduce("fmin", math.huge):value())
    end)

    it("know what an empty array gives", function()
        local a = lun.zeros(0)
        assert.equal(0.0, a:sum())
        assert.equal(0, lun.zeros(0, "i32"):sum())
        assert.equal(1.0, a:prod())
        assert.is_false(a:any())
        assert.is_true(a:all())
        assert.equal(0, a:count())
        assert.equal(0.0, a:norm())
        assert.equal(0.0, a:dot(a))
        for _, name in ipairs { "min", "max", "mean", "var", "std", "argmin", "argmax" } do
            local message = expect.failure("empty", function() return a[name](a) end)
            assert.matches(name, message, 1, true)
        end
        assert.equal(0.0, a:sum())
    end)

    it("reduce arrays of any rank, and expressions", function()
        assert.equal(10, lun.vector({ { 1, 2 }, { 3, 4 } }):sum())
        assert.equal(4, lun.vector({ { 1, 2 }, { 3, 4 } }):argmax())
        local a, b = lun.range(1, 1000), lun.range(0, 999)
        assert.equal(1000, ((a - b) * (a - b)):sum())
        assert.equal(1000.0, ((a - b) ^ 2):sum())
    end)

    it("take nothing but what they know", function()
        local a = lun.ones(3)
        expect.failure("wrong number of arguments to 'sum'", a.sum, a, 1, 2)
        expect.failure("array expected", a.sum)
        expect.failure("array expected", lun.sum, 5)
        expect.failure("array expected", a.dot, a, 5)
        expect.failure("lengths differ: f64[3] and f64[4]", a.dot, a, lun.ones(4))
    end)
end)

describe("a:lazy", function()
    it("gives Scalars that are evaluated together", function()
        local a = lun.random(1000, { seed = 5 }):eval()
        local low, high, sum = lun.eval(a:lazy "min", a:lazy "max", a:lazy "sum")
        assert.equal(a:min(), low)
        assert.equal(a:max(), high)
        assert.equal(a:sum(), sum)
        expect.failure("unknown reduction 'middle'", a.lazy, a, "middle")
    end)

    it("gives each reduction with the bits of the number, where the array is in memory", function()
        local half = lun.random(5000, { seed = 6 }):eval()
        local odd = lun.vector { 1.0, 0 / 0, 3.0 }
        local cases = {
            half, (half - 0.25):eval(), (half + 1e9):eval(), (half * 0 + 3):eval(), half:cast("f32"):eval(),
            lun.vector { 1e308, 1e308, -1e308 }, lun.vector { 5, 7, -3, 7 }, odd, lun.vector { 1 / 0, 1.0 },
            lun.range(1, 100):eval(), lun.vector { true, false, true }, lun.vector { 2.5 },
            lun.vector { { 1.0, 7.0 }, { -1.0, 7.0 } }, lun.random(70000, { seed = 7, dtype = "f32" }):eval(),
        }
        local names = { "sum", "mean", "var", "std", "norm", "argmin", "argmax", "max", "min", "any", "all", "count" }
        for k, a in ipairs(cases) do
            local lazy = {}
            for i, name in ipairs(names) do
                lazy[i] = a:lazy(name)
                assert.equal("Scalar", lazy[i]:kind())
            end
            lazy = { lun.eval(table.unpack(lazy)) }
            for i, name in ipairs(names) do
                local want = a[name](a)
                assert.equal(math.type(want), math.type(lazy[i]), name .. k)
                assert.is_true(want == lazy[i] or want ~= want and lazy[i] ~= lazy[i],
                    ("%s of case %d: %s, not %s"):format(name, k, lazy[i], want))
            end
            local var = lun.eval(a:lazy("var", { ddof = 1 }))
            assert.is_true(var == a:var { ddof = 1 } or var ~= var, k)
        end
        local waiting = half * 3 + 1e9
        local std, mean = lun.eval(waiting:lazy "std", waiting:lazy "mean")
        assert.is_true(math.abs(std / waiting:std() - 1) < 1e-6)
        assert.equal(mean, waiting:mean())
        expect.failure("wrong number of arguments to 'lazy'", half.lazy, half, "mean", 1, 2)
        expect.failure("'ddof' is a number from 0 on, not -1", half.lazy, half, "var", -1)
        expect.failure("mean of an empty array", lun.zeros(0).lazy, lun.zeros(0), "mean")
    end)

    it("can be written to, as what has axes", function()
        expect.everywhere(function()
            local a = lun.vector { 1.0, 2.0, 5.0 }
            local sum, other = a:lazy "sum", a:lazy "sum"
            sum:set(sum * 2)
            assert.same({ 16.0, 8.0, 16.0 }, { sum:value(), other:value(), (sum + other * 0):value() })
            sum:fill(3)
            assert.equal(4.0, (sum + 1):value())
            local x = a:select(1, 3) + 1
            x:set(x * 2)
            assert.equal(12.0, x:value())
            local number = lun.full(1, 4.0):select(1, 1) * 1
            local same = number
            lun.range(1, 1):cast("f64"):select(1, 1):copyto(number)
            assert.same({ 1.0, 1.0 }, { number:value(), same:value() })
        end)
    end)

    it("shares passes", function()
        local a = lun.random(5000, { seed = 8 }):eval()
        local function passes(...)
            local count = 0
            for _, kernel in ipairs(lun.explain(...)) do
                count = count + (kernel.n == 5000 and 1 or 0)
            end
            return count
        end
        local b = a:cast("f32"):eval()
        assert.equal(1, passes(a:lazy "mean", a:lazy "sum", a:lazy "max"))
        assert.equal(1, passes(b:lazy "mean", b:lazy "norm", b:lazy "sum", b:lazy "max"))
        assert.equal(2, passes(a:lazy "mean", a:lazy "std", a:lazy "var", a:lazy "argmax", a:lazy "argmin"))
    end)

    it("divides by a Scalar in one expression", function()
        local a = lun.vector { 1.0, 3.0 }
        expect.elements({ 0.25, 0.75 }, a / a:reduce "+")
    end)
end)
