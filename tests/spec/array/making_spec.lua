-- Making arrays, good and bad.

local lun = require "lunarray"
local expect = require "expect"

describe("lun.vector", function()
    it("takes Lua's numbers as they are", function()
        local a = lun.vector { 1, 2, 3 }
        assert.equal("i64", a:dtype())
        assert.equal("Vector", a:kind())
        assert.equal(3, #a)
        expect.elements({ 1, 2, 3 }, a)
        local b = lun.vector { 1, 2.5, 3 }
        assert.equal("f64", b:dtype())
        expect.elements({ 1.0, 2.5, 3.0 }, b)
        local c = lun.vector { true, false }
        assert.equal("bool", c:dtype())
        expect.elements({ true, false }, c)
    end)

    it("takes every dtype by name", function()
        for _, dtype in ipairs { "i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64" } do
            local a = lun.vector({ 1, 2, 100 }, dtype)
            assert.equal(dtype, a:dtype())
            expect.elements({ 1, 2, 100 }, a)
        end
        for _, dtype in ipairs { "f32", "f64" } do
            expect.elements({ 1.0, -2.5 }, lun.vector({ 1, -2.5 }, dtype))
        end
        expect.elements({ true, false }, lun.vector({ 1, 0 }, "bool"))
        expect.elements({ 1.0, 0.0 }, lun.vector({ true, false }, "f32"))
    end)

    it("holds the ends of each integer dtype and refuses what lies beyond", function()
        local ends = {
            i8 = { -128, 127 }, u8 = { 0, 255 }, i16 = { -32768, 32767 }, u16 = { 0, 65535 },
            i32 = { -2147483648, 2147483647 }, u32 = { 0, 4294967295 },
            i64 = { math.mininteger, math.maxinteger },
        }
        for dtype, pair in pairs(ends) do
            expect.elements(pair, lun.vector(pair, dtype))
            if dtype ~= "i64" then
                expect.failure("does not fit", lun.vector, { pair[1] - 1 }, dtype)
                expect.failure("does not fit", lun.vector, { pair[2] + 1 }, dtype)
            end
        end
        expect.elements({ 0, math.maxinteger }, lun.vector({ 0, math.maxinteger }, "u64"))
        expect.elements({ math.mininteger }, lun.vector({ 2.0 ^ 63 }, "u64"))
        expect.elements({ -1, math.mininteger }, lun.vector({ -1, math.mininteger }, "u64")) -- by their bits
        expect.failure("does not fit", lun.vector, { -1.0 }, "u64")
        expect.failure("no integer representation", lun.vector, { 1, 2.5 }, "i32")
        expect.failure("no integer representation", lun.vector, { 0 / 0 }, "i32")
        expect.failure("no integer representation", lun.vector, { 1e300 }, "i64")
        expect.elements({ 3 }, lun.vector({ 3.0 }, "i32"))
    end)

    it("makes arrays of higher rank from nested tables", function()
        local a = lun.vector { { 1, 2, 3 }, { 4, 5, 6 } }
        assert.same({ 2, 3 }, { a:shape() })
        assert.equal("View", a:kind())
        assert.equal(2, #a)
        assert.equal(6, a:size())
        assert.same({ { 1, 2, 3 }, { 4, 5, 6 } }, a:totable())
        local b = lun.vector { { { 1, 2 }, { 3, 4 } }, { { 5, 6 }, { 7, 8 } } }
        assert.same({ 2, 2, 2 }, { b:shape() })
        assert.equal(7, b[2][2][1])
    end)

    it("takes empty tables", function()
        local a = lun.vector {}
        assert.equal(0, #a)
        assert.equal("f64", a:dtype())
        assert.same({}, a:totable())
        assert.same({ 2, 0 }, { lun.vector({ {}, {} }):shape() })
        assert.equal("i8", lun.vector({}, "i8"):dtype())
    end)

    it("copies an array", function()
        local a = lun.vector { 1, 2 }
        local b = lun.vector(a)
        b[1] = 9
        expect.elements({ 1, 2 }, a)
        assert.equal("f32", lun.vector(a, "f32"):dtype())
    end)

    it("says where a table is ragged, with both lengths", function()
        expect.failure("t[2] has 2 elements, but t[1] has 3", lun.vector, { { 1, 2, 3 }, { 4, 5 } })
        expect.failure("t[2][1] has 1 element, but t[1][1] has 2", lun.vector, { { { 1, 2 } }, { { 3 } } })
        expect.failure("t[2] is a number", lun.vector, { { 1 }, 2 })
        expect.failure("t[2] is a table", lun.vector, { 1, { 2 } })
    end)

    it("refuses holes, strings and mixtures", function()
        expect.failure("t[2] is nil", lun.vector, { 1, nil, 3 })
        expect.failure("holes", lun.vector, { [1] = 1, [2] = 2, [10] = 3 })
        expect.failure("t[2] is a string", lun.vector, { 1, "2" })
        expect.failure("t[1] is a function", lun.vector, { print })
        expect.failure("numbers and booleans are mixed", lun.vector, { 1, true })
        expect.failure("table of numbers expected", lun.vector, 5)
        expect.failure("bad argument #1 to 'vector' (table of numbers expected, got number: in braces they are one, lun.vector{1, 2})",
            lun.vector, 1, 2, 3)
        expect.failure("table of numbers expected", lun.vector)
    end)

    it("reads a table through its metamethods, as Lua's own library does", function()
        local function proxy(t, length)
            return setmetatable({}, { __index = t, __len = function() return length or #t end })
        end
        expect.elements({ 1, 2, 3 }, lun.vector(proxy { 1, 2, 3 }))
        expect.elements({ 1, 2 }, lun.vector(proxy({ 1, 2, 3 }, 2)))
        assert.same({ { 1, 2 }, { 3, 4 } }, lun.vector(proxy { proxy { 1, 2 }, { 3, 4 } }):totable())
        assert.same({ { 1, 2 }, { 3, 4 } }, lun.vector({ { 1, 2 }, proxy { 3, 4 } }):totable())
        expect.elements({ 7, 8 }, lun.vector(setmetatable({ 7, 8 }, { __index = table })))
        expect.elements({ 1, 0, 3 }, lun.vector(setmetatable({ 1, nil, 3 }, { __index = function() return 0 end,
            __len = function() return 3 end })))
        expect.failure("t[3] is nil", lun.vector, proxy({ 1, 2 }, 3))
        expect.failure("t[1] is nil", lun.vector, setmetatable({}, { __len = function() return math.maxinteger >> 24 end }))
        expect.failure("too many elements", lun.vector, setmetatable({}, { __len = function() return math.maxinteger end }))
        expect.failure("holes", lun.vector, setmetatable({ [1] = 1, [10] = 3 }, { __index = table }))
        expect.failure("t[2] has 1 element, but t[1] has 2", lun.vector, proxy { proxy { 1, 2 }, proxy { 3 } })
        expect.failure("length is not an integer", lun.vector, setmetatable({}, { __len = function() return "x" end }))
        expect.failure("at most 8 levels", lun.vector, setmetatable({}, { __index = function(t) return t end,
            __len = function() return 1 end }))
        expect.failure("stop here", lun.vector, setmetatable({}, { __index = function() error "stop here" end,
            __len = function() return 1 end }))
        local calls = 0
        expect.failure("t[1][1]", lun.vector, { setmetatable({}, { __len = function() return 1 end, __index = function()
            calls = calls + 1 -- another answer each time
            return calls < 3 and 1 or "x"
        end }) })
    end)

    it("refuses unknown dtypes and lists the known ones", function()
        local message = expect.failure("unknown dtype 'f46'", lun.vector, { 1 }, "f46")
        assert.matches("bool i8 u8 i16 u16 i32 u32 i64 u64 f32 f64", message, 1, true)
        expect.failure("name of a dtype expected", lun.vector, { 1 }, 32)
        for theirs, ours in pairs { int = "i64", float32 = "f32", double = "f64", boolean = "bool", str = "text" } do
            expect.failure(("unknown dtype '%s'; '%s' is \"%s\" here; the dtypes are bool"):format(theirs, theirs, ours),
                lun.vector, { 1 }, theirs)
        end
    end)

    it("refuses what is nested too deep or too large", function()
        local cycle = {}
        cycle[1] = cycle
        expect.failure("at most 8 levels", lun.vector, cycle)
        local rows = {}
        for i = 1, 2000 do
            rows[i] = i
        end
        for _ = 1, 7 do
            local level = {}
            for i = 1, 2000 do
                level[i] = rows
            end
            rows = level
        end
        -- Walking this would never end; the size is known before.
        expect.failure("too many elements", lun.vector, rows)
        expect.elements({ 1 }, lun.vector { 1 })
    end)
end)

describe("lun.zeros, ones and full", function()
    it("take a length or a table of extents", function()
        expect.elements({ 0.0, 0.0 }, lun.zeros(2))
        expect.elements({ 1, 1 }, lun.ones(2, "u8"))
        expect.elements({ true }, lun.ones(1, "bool"))
        assert.same({ 2, 3 }, { lun.zeros({ 2, 3 }):shape() })
        assert.same({ { 7, 7 } }, lun.full({ 1, 2 }, 7):totable())
        assert.equal(0, #lun.zeros(0))
    end)

    it("take the dtype of the number", function()
        assert.equal("i64", lun.full(2, 7):dtype())
        assert.equal("f64", lun.full(2, 7.0):dtype())
        assert.equal("bool", lun.full(2, true):dtype())
        assert.equal("f32", lun.full(2, 7, "f32"):dtype())
        expect.failure("does not fit", lun.full, 2, 300, "u8")
        expect.failure("no integer representation", lun.full, 2, 0.5, "i8")
    end)

    it("use no memory until someone writes", function()
        local before = lun.stats().allocated
        local a = lun.zeros(100000000)
        assert.equal(before, lun.stats().allocated)
        assert.equal(0.0, a[100000000])
        local small = lun.ones(4)
        small[2] = 5
        expect.elements({ 1.0, 5.0, 1.0, 1.0 }, small)
    end)

    it("refuse bad shapes", function()
        expect.failure("negative", lun.zeros, -1)
        expect.failure("negative", lun.zeros, { 2, -3 })
        expect.failure("not an integer", lun.zeros, 2.5)
        expect.failure("not an integer", lun.zeros, { 2, "x" })
        expect.failure("at least one extent", lun.zeros, {})
        expect.failure("at most 8", lun.zeros, { 1, 1, 1, 1, 1, 1, 1, 1, 1 })
        expect.failure("length or table of extents expected", lun.zeros, "3")
        expect.failure("too many elements", lun.zeros, { math.maxinteger, 4 })
        expect.failure("name of a dtype expected", lun.zeros, 2, {}, {})
        expect.failure("at most 8", lun.zeros, 1, 1, 1, 1, 1, 1, 1, 1, 1)
        expect.failure("table expected, got number", lun.zeros, 3, "f32", 2)
        expect.failure("at most 3 expected, got 4", lun.ones, 3, 4, "f32", {}, "f32")
    end)
end)

describe("extents written one by one", function()
    it("are a shape, for zeros, ones, random and reshape", function()
        assert.same({ 2, 3 }, { lun.zeros(2, 3):shape() })
        local a = lun.zeros(2, 3, "f32")
        assert.same({ 2, 3 }, { a:shape() })
        assert.equal("f32", a:dtype())
        assert.equal("f32", lun.zeros(3, "f32"):dtype())
        assert.same({ { 1.0, 1.0 } }, lun.ones(1, 2):totable())
        assert.same(lun.random({ 2, 3 }, { seed = 5 }):totable(), lun.random(2, 3, { seed = 5 }):totable())
        assert.same({ { 1, 2, 3 }, { 4, 5, 6 } }, lun.index(6):reshape(2, 3):totable())
        expect.failure("at most 1 expected, got 3", function() return lun.index(6):reshape({ 2, 3 }, 1, 2) end)
    end)

    it("may be -1 once in reshape, which follows from the others", function()
        local a = lun.index(12)
        assert.same({ 4, 3 }, { a:reshape { -1, 3 }:shape() })
        assert.same({ 2, 2, 3 }, { a:reshape(2, -1, 3):shape() })
        assert.same({ 12 }, { (a + 1):reshape(3, 4):reshape(-1):shape() })
        expect.failure("12 elements are not a multiple of 5", a.reshape, a, { -1, 5 })
        expect.failure("12 elements are not a multiple of 0", a.reshape, a, 0, -1)
        expect.failure("extents 1 and 2 are both -1", a.reshape, a, -1, -1)
        expect.failure("extent 1 is negative: -2", a.reshape, a, -2, 6)
    end)
end)

describe("lun.vector of arrays", function()
    local v, w = lun.vector { 1, 2 }, lun.vector({ 3, 4 }, "f32")

    it("takes Scalars and numbers as elements, and evaluates all in one pass", function()
        local x = lun.range(1, 1000) * 0.5
        lun.stats "reset"
        local a = lun.vector { x:lazy "sum", x:lazy "max", 2.5 }
        assert.equal(1, lun.stats().launches)
        expect.elements({ 250250.0, 500.0, 2.5 }, a)
        assert.equal("Vector", a:kind())
        expect.elements({ 3, 7 }, lun.vector { v:lazy "sum", 7 })
        expect.elements({ 3.0, 7.5 }, lun.vector { v:lazy "sum", 7.5 })
        assert.equal("f32", lun.vector { w:lazy "max", 2.5 }:dtype())
        assert.same({ { 3, 1 }, { 2, 4.5 } }, lun.vector { { v:lazy "sum", 1 }, { 2, 4.5 } }:totable())
    end)

    it("takes arrays of equal shape as rows", function()
        local a = lun.vector { v, v * 10 }
        assert.same({ { 1, 2 }, { 10, 20 } }, a:totable())
        a[1] = lun.vector { 7, 8 }
        expect.elements({ 1, 2 }, v)
        assert.same({ 2, 2, 2 }, { lun.vector { { v, v }, { v, v } }:shape() })
        assert.same({ 1, 1 }, { lun.vector { lun.vector { 1 } }:shape() })
        assert.equal("f64", lun.vector { v, w }:dtype())
        assert.equal("f32", lun.vector { w, w + 1 }:dtype())
        assert.same({ { 1, 2 }, { 3, 4 } }, lun.vector({ v, w }, "u8"):totable())
    end)

    it("says which element does not fit", function()
        expect.failure("t[2] has the shape [1], but the first element has the shape [2]", lun.vector, { v, lun.vector { 1 } })
        expect.failure("t[2] is a number, but the first element is an array", lun.vector, { v, 3 })
        expect.failure("t[2] has the shape [2], but the first element is a number", lun.vector, { 3, v })
        expect.failure("t[2] is a Vector i64[2], but the first element is a table", lun.vector, { { 1, 2 }, v })
        local gone = lun.vector { 1, 2 }
        gone:free()
        expect.failure("freed", lun.vector, { v, gone })
    end)
end)

describe("lun.range, index and linspace", function()
    local function lua_for(a, b, step)
        local t = {}
        for i = a, b, step or 1 do
            t[#t + 1] = i
        end
        return t
    end

    it("count as Lua's for does", function()
        local cases = {
            { 1, 10 }, { 1, 10, 3 }, { 10, 1, -2 }, { 5, 4 }, { 4, 5, -1 }, { -3, 3, 2 }, { 7, 7 },
            { math.maxinteger - 2, math.maxinteger }, { math.mininteger, math.mininteger + 3 },
            { math.mininteger, math.maxinteger, math.maxinteger },
        }
        for _, case in ipairs(cases) do
            local a = lun.range(table.unpack(case))
            assert.equal("i64", a:dtype())
            expect.elements(lua_for(table.unpack(case)), a)
        end
    end)

    it("are floats as soon as one number is", function()
        local a = lun.range(1, 2.5)
        assert.equal("f64", a:dtype())
        expect.elements({ 1.0, 2.0 }, a)
        expect.elements({ 0.0, 0.25, 0.5, 0.75, 1.0 }, lun.range(0, 1, 0.25))
        assert.equal(11, #lun.range(0, 1, 0.1))
        for k = 1, 2000 do -- as many as there are numbers a + i * step up to b, however the quotient is rounded
            local first, b, step, n = (k * 7 % 41 - 20) / 10, (k * 11 % 61 - 30) / 10, (k * 13 % 30 + 1) / 10, 0
            step = b < first and -step or step
            while step > 0 and first + n * step <= b or step < 0 and first + n * step >= b do
                n = n + 1
            end
            assert.equal(n, #lun.range(first, b, step), ("range(%s, %s, %s)"):format(first, b, step))
        end
        expect.elements({ 1.0, 0.5, 0.0 }, lun.range(1, 0, -0.5))
    end)

    it("refuse a step of 0, NaN and what cannot be counted", function()
        expect.failure("'step' is zero", lun.range, 1, 2, 0)
        expect.failure("'step' is zero", lun.range, 1, 2, 0.0)
        expect.failure("not a finite number", lun.range, 1, 0 / 0)
        expect.failure("too many elements", lun.range, math.mininteger, math.maxinteger)
        expect.failure("too many elements", lun.range, 0, 1e300, 1e-5)
        expect.failure("number expected", lun.range, "1", 2)
    end)

    it("index counts from 1", function()
        expect.elements({ 1, 2, 3, 4 }, lun.index(4))
        assert.equal(0, #lun.index(0))
        expect.failure("negative", lun.index, -1)
    end)

    it("linspace ends exactly", function()
        local a = lun.linspace(0, 0.7, 8)
        assert.equal(0.0, a[1])
        assert.equal(0.7, a[8])
        assert.equal(8, #a)
        assert.equal(0, #lun.linspace(0, 1, 0))
        expect.elements({ 3.0 }, lun.linspace(3, 9, 1))
    end)

    it("are virtual until someone writes", function()
        local before = lun.stats().allocated
        local a = lun.index(1000000000)
        assert.equal(1000000000, a[-1])
        assert.equal(999999999, a[999999999])
        assert.is_true(lun.stats().allocated <= before) -- less where something was collected meanwhile
        local b = lun.range(1, 3)
        b[2] = 20
        expect.elements({ 1, 20, 3 }, b)
    end)
end)

describe("lun.random", function()
    it("gives the same numbers for the same seed", function()
        local a, b = lun.random(1000, { seed = 42 }), lun.random(1000, { seed = 42 })
        expect.elements(a:totable(), b)
        assert.equal("f64", a:dtype())
        assert.is_true(a:min() >= 0 and a:max() < 1)
        assert.is_true(math.abs(a:mean() - 0.5) < 0.05)
        assert.is_false(a[1] == lun.random(1000, { seed = 43 })[1])
    end)

    it("does not depend on the shape", function()
        local flat, square = lun.random(100, { seed = 7 }), lun.random({ 10, 10 }, { seed = 7 })
        assert.equal(flat[37], square[4][7])
        assert.equal(lun.random(5, { seed = 7 })[5], flat[5])
    end)

    it("gives fresh numbers without a seed", function()
        assert.is_false(lun.random(4)[1] == lun.random(4)[1])
    end)

    -- Philox4x32-10 by hand, for a block and a key of 32 bits each: its published constants.
    local function philox(block, key)
        local c, k0, k1 = { block & 0xffffffff, block >> 32, 0, 0 }, key & 0xffffffff, key >> 32
        for _ = 1, 10 do
            local p0, p1 = c[1] * 0xD2511F53, c[3] * 0xCD9E8D57
            c = {
                (p1 >> 32) ~ c[2] ~ k0, p1 & 0xffffffff,
                (p0 >> 32) ~ c[4] ~ k1, p0 & 0xffffffff,
            }
            k0, k1 = (k0 + 0x9E3779B9) & 0xffffffff, (k1 + 0xBB67AE85) & 0xffffffff
        end
        return c
    end

    it("is Philox4x32-10", function()
        -- The published test vector for a counter and a key of zeros.
        assert.same({ 0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8 }, philox(0, 0))
        for _, seed in ipairs { 0, 42, -1, 0x123456789abcdef } do
            local words, f32, f64 = {}, {}, {}
            for block = 0, 4 do
                local c = philox(block, seed)
                for w = 1, 4 do
                    words[#words + 1] = c[w]
                    f32[#f32 + 1] = (c[w] >> 8) * 2.0 ^ -24
                end
                for w = 1, 3, 2 do
                    f64[#f64 + 1] = ((c[w] | c[w + 1] << 32) >> 11) * 2.0 ^ -53
                end
            end
            expect.elements(words, lun.random(#words, { seed = seed, dtype = "u32" }))
            expect.elements(f32, lun.random(#f32, { seed = seed, dtype = "f32" }))
            expect.elements(f64, lun.random(#f64, { seed = seed }))
        end
    end)

    it("has a normal distribution too", function()
        local a = lun.random(20000, { seed = 1, dist = "normal" })
        assert.equal(lun.random(9, { seed = 1 })[9], lun.random(9, { seed = 1, dist = "uniform" })[9])
        assert.is_true(math.abs(a:mean()) < 0.05)
        assert.is_true(math.abs(a:std() - 1) < 0.05)
    end)

    it("refuses what it does not know", function()
        expect.failure("unknown option 'sed'", lun.random, 4, { sed = 1 })
        expect.failure("unknown distribution 'cauchy'", lun.random, 4, { dist = "cauchy" })
        expect.failure("unknown dtype 'x'", lun.random, 4, { dtype = "x" })
        expect.failure("'seed'", lun.random, 4, { seed = "1" })
        expect.failure("need a float dtype", lun.random, 4, { dtype = "bool" })
        expect.failure("table expected", lun.random, 4, "5")
    end)
end)

describe("bytes", function()
    it("come back as they went", function()
        for _, dtype in ipairs { "bool", "i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64", "f32", "f64" } do
            local a = lun.vector({ 0, 1, 1, 0 }, dtype)
            local b = lun.frombytes(a:tobytes(), dtype)
            assert.equal(dtype, b:dtype())
            expect.elements(a:totable(), b)
        end
        assert.equal(string.pack("<i4i4", 1, -2), lun.vector({ 1, -2 }, "i32"):tobytes())
        assert.equal("", lun.vector({}):tobytes())
    end)

    it("take a shape", function()
        assert.same({ { 1, 2 }, { 3, 4 } }, lun.frombytes("\1\2\3\4", "u8", { 2, 2 }):totable())
        expect.failure("does not match 4 elements", lun.frombytes, "\1\2\3\4", "u8", { 2, 3 })
        expect.failure("not a whole number", lun.frombytes, "\1\2\3", "i16")
        expect.failure("string expected", lun.frombytes, 12, "u8")
    end)

    it("make true of any byte but 0", function()
        expect.elements({ true, false, true }, lun.frombytes("\7\0\1", "bool"))
        assert.equal("\1\0\1", lun.frombytes("\7\0\1", "bool"):tobytes())
    end)

    it("counts elements as far as indices can be rounded up", function()
        local most = math.maxinteger - (1 << 20)
        expect.elements({ most - 1, most }, lun.index(most):sub(-2, -1))
        assert.equal(most, lun.index(most)[-1])
        assert.equal(most + 1, (lun.index(most) + 1)[-1])
        for _, make in ipairs {
            function(n) return lun.index(n) end, function(n) return lun.zeros(n) end, function(n) return lun.range(1, n) end,
            function(n) return lun.linspace(0, 1, n) end, function(n) return lun.random(n) end,
            function(n) return lun.full({ n // 4 + 1, 4 }, 7) end,
        } do
            expect.failure("too many elements", make, math.maxinteger)
            expect.failure("too many elements", make, most + 1)
        end
    end)
end)
