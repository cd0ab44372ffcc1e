-- Elements, rows, parts, writing, and what an array says about itself.

local lun = require "lunarray"
local expect = require "expect"

describe("reading an element", function()
    it("counts from 1, and from the end", function()
        local a = lun.vector { 10, 20, 30 }
        assert.equal(10, a[1])
        assert.equal(30, a[3])
        assert.equal(30, a[-1])
        assert.equal(10, a[-3])
        assert.equal(20, a[2.0])
    end)

    it("gives nil one past the end, so that ipairs ends", function()
        local a = lun.vector { 1.5, 2.5 }
        assert.is_nil(a[3])
        local seen = {}
        for i, x in ipairs(a) do
            seen[i] = x
        end
        assert.same({ 1.5, 2.5 }, seen)
        assert.is_nil(lun.zeros(0)[1])
    end)

    it("refuses 0, what lies farther, and what is no integer", function()
        local a = lun.vector { 1, 2, 3 }
        for _, i in ipairs { 0, 5, -4, math.maxinteger, math.mininteger } do
            expect.failure("out of range", function() return a[i] end)
        end
        expect.failure("no integer representation", function() return a[1.5] end)
        expect.failure("integer index expected", function() return a[true] end)
        expect.failure("(integer index expected, got a table: a:take(t) has the elements", function() return a[{}] end)
        expect.failure("(integer index expected, got an array: a:compress(mask) has", function() return a[a:gt(1)] end)
        expect.failure("'A[i] = x' (integer index expected, got an array: a:compress(mask) has", function() a[a] = 1 end)
        expect.failure("the array is empty", function() return lun.zeros(0)[2] end)
        assert.equal(2, a[2])
    end)

    it("evaluates an expression", function()
        local a = lun.range(1, 100)
        assert.equal(10201 + 7, ((a + 1) * (a + 1) + 7)[-1])
    end)

    it("gives Lua booleans, integers and floats", function()
        assert.is_true(lun.vector({ true })[1])
        assert.equal("integer", math.type(lun.vector({ 1 }, "u8")[1]))
        assert.equal("float", math.type(lun.vector({ 1 }, "f32")[1]))
        assert.equal(math.mininteger, lun.vector({ 2.0 ^ 63 }, "u64")[1])
    end)

    it("gives nil for a name that is no method", function()
        assert.is_nil(lun.ones(2).nosuch)
        expect.failure("nosuch", function() return lun.ones(2):nosuch() end)
    end)
end)

describe("writing an element", function()
    it("sets it", function()
        local a = lun.vector { 1, 2, 3 }
        a[1], a[-1] = 10, 30
        expect.elements({ 10, 2, 30 }, a)
        local b = lun.vector { true, true }
        b[2] = false
        expect.elements({ true, false }, b)
        local c = lun.ones(2, "f32")
        c[1] = 7
        expect.elements({ 7.0, 1.0 }, c)
    end)

    it("refuses what lies past the end", function()
        local a = lun.vector { 1, 2, 3 }
        for _, i in ipairs { 0, 4, -4 } do
            expect.failure("out of range", function() a[i] = 1 end)
        end
        expect.failure("integer index expected", function() a.x = 1 end)
        expect.failure("the array is empty", function() lun.zeros(0)[1] = 1 end)
        expect.elements({ 1, 2, 3 }, a)
    end)

    it("refuses what is no number of the dtype", function()
        local a = lun.vector({ 1, 2 }, "u8")
        expect.failure("300", function() a[1] = 300 end)
        expect.failure("-1", function() a[1] = -1 end)
        expect.failure("0.5", function() a[1] = 0.5 end)
        expect.failure("number or boolean expected", function() a[1] = "3" end)
        expect.failure("number or boolean expected", function() a[1] = nil end)
        expect.failure("got 2 elements", function() a[1] = a end)
        expect.elements({ 1, 2 }, a)
    end)

    it("leaves expressions built before as they were, windows show it", function()
        local a = lun.vector { 1, 2, 3 }
        local twice, window, part = a * 2, a:sub(1, 2), a:sub(1, 2) + 0
        a[1] = 100
        expect.elements({ 2, 4, 6 }, twice)
        expect.elements({ 100, 2 }, window)
        expect.elements({ 1, 2 }, part)
        expect.elements({ 200, 4, 6 }, a * 2)
    end)

    it("takes a Scalar", function()
        local a = lun.vector { 1, 2, 3 }
        a[2] = a:reduce("+")
        expect.elements({ 1, 6, 3 }, a)
    end)
end)

describe("rows", function()
    it("are Views that can be written", function()
        local a = lun.vector { { 1, 2 }, { 3, 4 } }
        assert.equal("View", a[2]:kind())
        assert.equal(4, a[2][2])
        a[1][2] = 20
        assert.same({ { 1, 20 }, { 3, 4 } }, a:totable())
        a[2] = lun.vector { 7, 8 }
        a[1] = 0
        assert.same({ { 0, 0 }, { 7, 8 } }, a:totable())
        expect.failure("out of range", function() return a[4] end)
        expect.failure("lengths differ", function() a[1] = lun.range(1, 3) end)
        expect.failure("array or number expected", function() a[1] = { 1, 2 } end)
        assert.is_nil(a[3])
    end)

    it("come from iteration", function()
        local sums = {}
        for i, row in lun.vector({ { 1, 2 }, { 3, 4 } }):iter() do
            sums[i] = row:sum()
        end
        assert.same({ 3, 7 }, sums)
    end)
end)

describe("iteration", function()
    it("yields indices and elements", function()
        local a, seen = lun.range(1, 5) ^ 2, {}
        for i, x in a:iter() do
            seen[i] = x
        end
        assert.same({ 1.0, 4.0, 9.0, 16.0, 25.0 }, seen)
        local sum = 0
        for i, x in pairs(a) do
            sum = sum + i * x
        end
        assert.equal((lun.index(#a) * a):sum(), sum)
        for i, row in pairs(lun.vector { { 1, 2 }, { 3, 4 } }) do
            expect.elements({ 2 * i - 1, 2 * i }, row)
        end
        for _ in pairs(lun.zeros(0)) do
            error "an element of nothing"
        end
        for _ in lun.zeros(0):iter() do
            error("an empty array has no elements")
        end
    end)
end)

describe("v:sub", function()
    it("follows string.sub", function()
        local text = "abcdefg"
        local a = lun.vector { text:byte(1, -1) }
        for i = -9, 9 do
            for j = -9, 9 do
                expect.elements({ text:sub(i, j):byte(1, -1) }, a:sub(i, j))
            end
            expect.elements({ text:sub(i):byte(1, -1) }, a:sub(i))
        end
        expect.elements({}, a:sub(math.maxinteger, math.mininteger))
        expect.elements(a:totable(), a:sub(math.mininteger, math.maxinteger))
    end)

    it("takes steps in both directions", function()
        local a = lun.range(1, 10)
        expect.elements({ 1, 4, 7, 10 }, a:sub(1, -1, 3))
        expect.elements({ 2, 5, 8 }, a:sub(2, 9, 3))
        expect.elements({ 10, 9, 8, 7, 6, 5, 4, 3, 2, 1 }, a:sub(-1, 1, -1))
        expect.elements({ 9, 6, 3 }, a:sub(9, 2, -3))
        expect.elements({ 10, 5 }, a:sub(100, nil, -5))
        expect.elements({ 3 }, a:sub(3, 5, math.maxinteger))
        expect.elements({}, a:sub(5, 3))
        expect.elements({}, a:sub(3, 5, -1))
        expect.failure("'step' is zero", a.sub, a, 1, 2, 0)
        expect.failure("number expected", a.sub, a, "x")
    end)

    it("is a window", function()
        local a = lun.vector { 1, 2, 3, 4 }
        local b = a:sub(2, 3)
        b[1] = 20
        a[3] = 30
        expect.elements({ 20, 30 }, b)
        expect.elements({ 1, 20, 30, 4 }, a)
        expect.elements({ 6, 8 }, (a * 2):sub(3, 4) - lun.vector { 54, 0 })
    end)

    it("computes only what is asked for", function()
        local a = lun.range(1, 1000000) * 2 + 1
        expect.elements({ 3, 5 }, a:sub(1, 2))
    end)
end)

describe("concatenation", function()
    it("joins arrays, promoting dtypes", function()
        expect.elements({ 1, 2, 3 }, lun.vector { 1, 2 } .. lun.vector { 3 })
        expect.elements({ 1.0, 0.5 }, lun.vector { 1 } .. lun.vector { 0.5 })
        local none = lun.zeros(0, "i64")
        expect.elements({ 1, 2, 3, 4, 5 }, none .. lun.range(1, 2) .. none .. lun.range(3, 5))
        assert.same({ { 1, 2 }, { 3, 4 } }, (lun.vector { { 1, 2 } } .. lun.vector { { 3, 4 } }):totable())
    end)

    it("refuses what is no array and rows that differ", function()
        local a = lun.ones(2)
        expect.elements({ 1.0, 1.0, 2.5 }, a .. 2.5)
        expect.elements({ 2.0, 1.0, 1.0 }, 2 .. a)
        expect.failure("array, list or number expected, got boolean", function() return a .. true end)
        expect.elements({ 1.0, 1.0 }, {} .. a)
        assert.same({ "x1.0", "x1.0" }, ("x" .. a):totable()) -- joins texts
        expect.failure("cannot concatenate", function() return lun.ones({ 1, 2 }) .. lun.ones({ 1, 3 }) end)
    end)
end)

describe("whole arrays", function()
    it("are copied, filled and set", function()
        local a = lun.vector { 1, 2, 3 }
        local b = a:copy()
        assert.equal(a, a:fill(7))
        expect.elements({ 7, 7, 7 }, a)
        expect.elements({ 1, 2, 3 }, b)
        assert.equal(a, a:set(b * 10))
        expect.elements({ 10, 20, 30 }, a)
        a:set(a + a)
        expect.elements({ 20, 40, 60 }, a)
        a:set(5)
        expect.elements({ 5, 5, 5 }, a)
        expect.failure("lengths differ: i64[3] and i64[4]", a.set, a, lun.range(1, 4))
        expect.failure("array or number expected", a.set, a, "x")
        expect.failure("number or boolean expected", a.fill, a, {})
        expect.failure("300", lun.ones(2, "u8").fill, lun.ones(2, "u8"), 300)
    end)

    it("keep their dtype when they are set", function()
        local a = lun.zeros(3, "i32")
        a:set(lun.vector { 1.9, -1.9, 1e20 })
        assert.equal("i32", a:dtype())
        expect.elements({ 1, -1, 2147483647 }, a)
    end)

    it("are cast by the rules of conversion", function()
        local inf = math.huge
        expect.elements({ 1, -1, 127, -128, 0 }, lun.vector({ 1.9, -1.9, inf, -inf, 0 / 0 }):cast("i8"))
        expect.elements({ 44, 212 }, lun.vector({ 300, -300 }):cast("u8"))
        expect.elements({ 3.0 }, lun.vector({ 3 }):cast("f32"))
        expect.elements({ true, false, true }, lun.vector({ 2, 0, -1 }):cast("bool"))
        expect.elements({ 1, 0 }, lun.vector({ true, false }):cast("i32"))
        expect.failure("unknown dtype", lun.ones(2).cast, lun.ones(2), "int")
    end)

    it("say what they are", function()
        local a = lun.ones({ 2, 3 }, "f32")
        assert.equal("f32", a:dtype())
        assert.same({ 2, 3 }, { a:shape() })
        assert.equal(2, #a)
        assert.equal(6, a:size())
        assert.equal(lun.use(), a:backend())
        assert.equal(lun.use(), (a + 1):eval():backend())
        assert.equal("Composition", (a + 1 + lun.random({ 2, 3 }, { dtype = "f32" })):kind())
        local s = lun.vector({ 1, 2 }):reduce("+")
        assert.equal("Scalar", s:kind())
        assert.equal(0, select("#", s:shape()))
        assert.is_true(lun.isarray(s))
        assert.is_false(lun.isarray(5))
        assert.is_false(lun.isarray(io.stdout))
        assert.is_false(lun.isarray())
    end)

    it("are read in part", function()
        local a = lun.vector { { 1, 2, 3 }, { 4, 5, 6 } }
        assert.same({ 3, 4 }, a:read(3, 2))
        assert.same({}, a:read(7, 0))
        expect.failure("bad argument", a.read, a, 0, 1)
        expect.failure("bad argument", a.read, a, 6, 2)
        expect.failure("bad argument", a.read, a, 1, -1)
    end)

    it("are reshaped", function()
        assert.same({ { 1, 2 }, { 3, 4 } }, lun.range(1, 4):reshape({ 2, 2 }):totable())
        expect.failure("bad argument #1 to 'reshape'", function() lun.range(1, 4):reshape { 3, 2 } end)
    end)

    it("become large tables without loss", function()
        local n = 10007
        local t = (lun.range(1, n) * 3):totable()
        assert.equal(n, #t)
        for i = 1, n do
            assert(t[i] == 3 * i)
        end
        local rows = (lun.range(1, 6 * 2000):reshape { 2000, 6 } + 0):totable()
        assert.same({ 11995, 11996, 11997, 11998, 11999, 12000 }, rows[2000])
    end)
end)
