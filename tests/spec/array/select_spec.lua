-- compress, indices, filter, dropnan against plain lists: every dtype, ranks, lazy and strided operands, lengths that
-- only running tells, on every backend and any number of threads.
local lun = require "lunarray"
local expect = require "expect"

local DTYPES = { "bool", "i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64", "f32", "f64" }

local function kept(values, mask)
    local out = {}
    for i = 1, #values do
        if mask[i] then
            out[#out + 1] = values[i]
        end
    end
    return out
end

local function places(mask)
    local out = {}
    for i = 1, #mask do
        if mask[i] then
            out[#out + 1] = i
        end
    end
    return out
end

-- A random list of n bools; share: how many are true, about.
local function bools(random, n, share)
    local out = {}
    for i = 1, n do
        out[i] = random() < share
    end
    return out
end

local function generator(seed)
    local state = seed
    return function()
        state = (state * 6364136223846793005 + 1442695040888963407)
        return (state >> 11) * 2.0 ^ -53
    end
end

describe("a:compress(mask)", function()
    it("keeps what the mask says, for every dtype, length and share", function()
        local random = generator(7)
        expect.everywhere(function()
            for _, dtype in ipairs(DTYPES) do
                for _, n in ipairs { 0, 1, 2, 7, 8, 9, 63, 64, 65, 130, 1000 } do
                    for _, share in ipairs { 0, 0.1, 0.5, 0.9, 1 } do
                        local mask, values = bools(random, n, share), {}
                        for i = 1, n do
                            values[i] = dtype == "bool" and i % 3 == 0 or dtype ~= "bool" and i % 100 or false
                        end
                        local a = lun.vector(values, dtype)
                        local c = a:compress(lun.vector(mask, "bool"))
                        expect.elements(kept(a:totable(), mask), c)
                        assert.equal(dtype, c:dtype())
                    end
                end
            end
        end)
    end)

    it("gives the same on any number of threads, also where chunks keep nothing or everything", function()
        local n = 5 * 65536 + 17
        local x = lun.index(n):eval()
        for _, mask in ipairs { x:le(65536), x:gt(n - 3), (x % 2):eq(0), x:gt(0), x:lt(0), (x // 65536 % 2):eq(1) } do
            local want = lun.where(mask, x, 0):sum()
            local c, i = x:compress(mask), mask:indices()
            assert.equal(mask:count(), #c)
            assert.equal(want, c:sum())
            assert.is_true(#c < 2 or (c:sub(2, -1) - c:sub(1, -2)):min() > 0)
            assert.is_true(#c == 0 or c:eq(i):all())
        end
    end)

    it("takes lazy operands, windows, matrices in row-major order, numbers spread out", function()
        expect.everywhere(function()
            local A = lun.vector({ { 1, 2, 3 }, { 4, 5, 6 } }, "f32")
            expect.elements({ 2.0, 4.0, 6.0 }, A:compress((A % 2):eq(0)))
            expect.elements({ 4.0, 2.0, 6.0 }, A:transpose():compress((A % 2):eq(0):transpose()))
            expect.elements({ 6, 10 }, (lun.vector { 1, 2, 3, 4, 5 }:sub(1, -1, 2) * 2):compress(lun.vector { false, true, true }))
            expect.elements({ 7, 7 }, lun.full(3, 7):compress(lun.vector { true, false, true }))
            expect.elements({ 1, 2, 3 }, lun.index(3):compress(lun.full(3, true)))
        end)
    end)

    it("waits until its elements or its length are needed", function()
        local a = lun.index(10):copy()
        lun.stats "reset"
        local c = (a * 2):compress(a:gt(7))
        assert.equal("Composition", c:kind())
        assert.is_true(c:pending() > 0)
        assert.equal(0, lun.stats().algorithms)
        assert.equal(3, #c)
        assert.equal(1, lun.stats().algorithms)
        assert.equal(3, (c:shape()))
        expect.elements({ 16, 18, 20 }, c)
        assert.equal(1, lun.stats().algorithms)
    end)

    it("is an operand of whatever takes a Vector", function()
        expect.everywhere(function()
            local a = lun.index(10):copy()
            local function c()
                return a:compress((a % 2):eq(0))
            end
            expect.elements({ 3, 5, 7, 9, 11 }, c() + 1)
            expect.elements({ 4, 8, 12, 16, 20 }, c() + c())
            expect.elements({ 2, 4, 6, 8, 10, 1 }, c() .. lun.vector { 1 })
            expect.elements({ 4, 6 }, c():sub(2, 3))
            expect.elements({ 4, 8 }, c():compress(lun.vector { false, true, false, true, false }))
            expect.elements({ 2, 6, 12, 20, 30 }, c():scan("+", 0, { inclusive = true }))
            assert.equal(30, c():sum())
            assert.equal(6, c()[3])
            assert.equal(10, c()[-1])
            assert.equal(30, lun.zip("+")(c(), c()):sum() // 2)
            expect.elements({ 2, 99, 6, 8, 10 }, (function()
                local w = c()
                w[2] = 99
                return w
            end)())
            expect.elements({ 2, 4, 6, 8, 10 }, lun.zeros(5, "i64"):set(c()))
            local function at(i)
                local w = c()
                return lun.map(function(k) return w[k] end)(lun.vector { i })[1]
            end
            assert.equal(8, at(4))
            assert.truthy(tostring(c()):find "%[ 2  4  6  8 10%]")
        end)
    end)

    it("keeps the elements that there were when it was written", function()
        local a = lun.vector { 1, 2, 3, 4 }
        local c = a:compress(a:gt(2))
        a[4] = 0
        expect.elements({ 3, 4 }, c)
    end)

    it("evaluates several together, an equal expression once", function()
        local x, y = lun.index(1000):copy(), lun.index(1000):copy() * 2.5
        local m = x:gt(990)
        assert.equal(3, #lun.explain(x:compress(m), y:compress(m), x:compress(m))) -- a kernel, then two passes
        lun.stats "reset"
        local a, b, again = lun.eval(x:compress(m), y:compress(m), x:compress(m))
        assert.equal(2, lun.stats().algorithms)
        assert.equal(10, #a)
        assert.is_true(b:eq(a * 2.5):all())
        assert.equal(10, #again)
    end)

    it("takes large expressions from the cache, one mask for several once", function()
        local n = (5 << 18) + 77
        local x = lun.random(n, { dtype = "f32" }):eval()
        local y = lun.random(n, { seed = 3 }):eval()
        local function counted(...)
            collectgarbage()
            lun.stats "reset"
            local results = table.pack(lun.eval(...))
            local stats = lun.stats()
            return stats, table.unpack(results)
        end
        local low = x:le(0.5):eval()
        local stats, c, i = counted((x * 2 + 1):compress(x:le(0.5)), x:le(0.5):indices())
        assert.equal(1, stats.launches)
        assert.equal(4 * n, stats.bytes_read)
        assert.equal((4 + 8) * #c, stats.bytes_written)
        assert.is_true(c:eq(x:take(i) * 2 + 1):all())
        assert.equal(low:count(), #c)
        assert.is_true(low:take(i):all())
        local again, a, b = counted(x:compress(low), y:compress(low))
        assert.equal((4 + 8 + 1) * n, again.bytes_read)
        assert.is_true(a:eq(x:take(i)):all() and b:eq(y:take(i)):all())
        local plus = (x + 1):eval() -- what another holds is stored as ever
        local d = plus:compress(low)
        assert.is_true(d:eq(a + 1):all())
    end)

    it("leaves all as it was where an element fails, in any piece", function()
        local n = 3 << 18
        local x = lun.index(n):copy()
        x[n - 5] = 0
        local c = (n // x):compress(x:gt(n - 10))
        expect.failure("attempt to perform 'n//0'", function()
            return #c
        end)
        x[n - 5] = 1
        assert.equal(9 + 2 * n, (n // x):compress((x:gt(n - 10)):lor(x:eq(1))):sum())
    end)

    it("is shown by explain without being run", function()
        local a = lun.index(100):copy()
        lun.stats "reset"
        local plan = lun.explain((a * a):compress(a:gt(50)))
        assert.equal(2, #plan)
        assert.truthy(tostring(plan):find("compress n = 100", 1, true))
        assert.truthy(tostring(plan):find("an algorithm takes it", 1, true))
        assert.equal(0, lun.stats().algorithms)
    end)

    it("gives back the memory that few elements do not need", function()
        local a = lun.zeros(1 << 20):copy()
        a[1000] = 1.0
        collectgarbage()
        local c = a:compress(a:gt(0)):eval()
        collectgarbage()
        local before = lun.stats().allocated
        c:free()
        assert.is_true(before - lun.stats().allocated < 4096)
    end)

    it("keeps whole slices along an axis", function()
        expect.everywhere(function()
            local A = lun.vector { { 1, 2, 3 }, { 4, 5, 6 } }
            expect.elements({ 4, 5, 6 }, A:compress(A:sum(2):gt(6), { axis = 1 }):reshape(3))
            expect.elements({ 1, 3, 4, 6 }, A:compress(lun.vector { true, false, true }, { axis = 2 }):reshape(4))
            expect.elements({ 1, 3, 4, 6 }, A:compress(lun.vector { true, false, true }, { axis = -1 }):reshape(4))
            assert.same({ 0, 3 }, { A:compress(lun.full(2, false), { axis = 1 }):shape() })
        end)
        local A = lun.zeros { 2, 3 }
        expect.failure("axis 2 of f64[2, 3] and a mask bool[2] differ", A.compress, A, lun.full(2, true), { axis = 2 })
        expect.failure("axis", A.compress, A, lun.full(2, true), { axis = 3 })
        expect.failure("option", A.compress, A, lun.full(2, true), { along = 3 })
    end)

    it("refuses what is no mask, and another shape", function()
        local a = lun.index(4):copy()
        expect.failure("bad argument #1 to 'compress' (the mask is i64[4], not bool; compare first: x:gt(0))", function()
            a:compress(a)
        end)
        expect.failure("bad argument #1 to 'compress' (shapes differ: i64[4] and a mask bool[3])", function()
            a:compress(lun.full(3, true))
        end)
        expect.failure("(shapes differ: i64[2, 3] and a mask bool[3]: along an axis it takes {axis=2})", function()
            lun.vector { { 1, 2, 3 }, { 4, 5, 6 } }:compress(lun.full(3, true))
        end)
        expect.failure("(shapes differ: i64[2, 2] and a mask bool[3])", function()
            lun.vector { { 1, 2 }, { 4, 5 } }:compress(lun.full(3, true))
        end)
        expect.failure("array expected, got", function()
            a:compress "x"
        end)
    end)

    it("tells the line of the expression that fails when the length is asked for", function()
        local a, zero = lun.index(4):copy(), lun.zeros(4, "i64"):copy()
        local c = (a // zero):compress(a:gt(1))
        expect.failure("select_spec.lua", function()
            return #c
        end)
        expect.failure("attempt to perform 'n//0'", function()
            return c + 1
        end)
    end)
end)

describe("mask:indices()", function()
    it("gives the places of the true elements, row-major from 1", function()
        local random = generator(11)
        expect.everywhere(function()
            for _, n in ipairs { 0, 1, 5, 64, 1000 } do
                local mask = bools(random, n, 0.3)
                local i = lun.vector(mask, "bool"):indices()
                expect.elements(places(mask), i)
                assert.equal("i64", i:dtype())
            end
            expect.elements({ 2, 3, 6 }, lun.vector({ { 1, 5, 6 }, { 2, 1, 9 } }):gt(2):indices())
        end)
    end)
end)

describe("a:filter(p), a:dropnan()", function()
    it("keep what the predicate says", function()
        expect.everywhere(function()
            local a = lun.vector { 5, -1, 3, -7, 0 }
            expect.elements({ 5, 3 }, a:filter(function(x) return x > 0 end))
            expect.elements({ 5 }, a:filter(function(x, k) return x > k end, 3))
            expect.elements({ -1, -7 }, a:filter "(long x){ return x < 0; }")
            expect.elements({ 1.5, 2.0 }, lun.vector { 0 / 0, 1.5, 0 / 0, 2.0 }:dropnan())
            expect.elements({ 1, 2 }, lun.vector { 1, 2 }:dropnan())
        end)
    end)

    it("refuse a predicate that gives numbers", function()
        expect.failure("bad argument #1 to 'filter' (the predicate gives i64, not bool)", function()
            lun.vector { 1, 2 }:filter(function(x) return x end)
        end)
        expect.failure("select_spec.lua:" .. 2 + debug.getinfo(1, "l").currentline .. ": bad argument #1 to 'filter' (function, C source",
            function()
                local _ = lun.vector { 1, 2 }:filter(5)
            end)
    end)
end)

describe("mask:indices(), a:compress(mask)", function()
    it("take memory in proportion to what they find", function()
        local n = 8000000
        local mask, x = (lun.index(n) % 3000000):eq(7):eval(), lun.index(n):eval()
        local function most(f)
            collectgarbage()
            lun.stats "reset"
            local before = lun.stats().allocated
            assert.same({ 7, 3000007, 6000007 }, f():totable())
            return lun.stats().peak - before
        end
        assert.is_true(most(function() return mask:indices():eval() end) < 3 * n)
        assert.is_true(most(function() return x:compress(mask):eval() end) < 3 * n)
    end)

    it("find the same where what is found comes first, last or everywhere", function()
        local n = 3500000
        local x = lun.index(n)
        for _, row in ipairs {
            { x:le(1200000):eval(), 1, 1200000 }, { x:gt(1200000):eval(), 1200001, n }, { x:ge(1):eval(), 1, n },
            { x:gt(n):eval(), 1, 0 }, { x:eq(n):eval(), n, n },
        } do
            local mask, first, last = table.unpack(row)
            local count = last - first + 1
            for _, found in ipairs { mask:indices():eval(), (x * 2):eval():compress(mask) // 2 } do
                assert.equal(count, #found)
                assert.equal((first + last) * count // 2, found:sum())
                assert.equal(count, count == 0 and 0 or found:eq(lun.index(count) + (first - 1)):count())
            end
        end
    end)
end)
