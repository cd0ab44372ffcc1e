-- lun.map(f, {elements=n}): functions of more than two arrays, element by element, against the same function on numbers.

local lun = require "lunarray"
local expect = require "expect"

describe("the option elements of map", function()
    local function lists(n)
        local t = { {}, {}, {}, {} }
        for i = 1, n do
            for k = 1, 4 do
                t[k][i] = (i * (2 * k + 1)) % 23 + k / 2
            end
        end
        return t
    end

    local function f(x, y, z)
        if x > y then
            return x * z - y
        end
        return x + y / z
    end

    it("takes as many arrays, of any length", function()
        for _, n in ipairs { 0, 1, 3, 63, 64, 65, 1000 } do
            local t = lists(n)
            local a, b, c = lun.vector(t[1], "f64"), lun.vector(t[2], "f64"), lun.vector(t[3], "f64")
            local wanted = expect.map(f, t[1], t[2], t[3])
            expect.elements(wanted, lun.map(f, { elements = 3 })(a, b, c))
            expect.elements(wanted, a:map(f, b, c, { elements = 3 }))
            expect.elements(wanted, lun.map("(double x, double y, double z) { return x > y ? x * z - y : x + y / z; }",
                { elements = 3 })(a, b, c))
            expect.elements(expect.map(function(x, y) return x - y end, t[1], t[2]),
                lun.map(function(x, y) return x - y end, { elements = 2 })(a, b))
            expect.elements(t[1], lun.map(function(x) return x end, { elements = 1 })(a))
        end
        local many, arrays, sum = {}, {}, {}
        for k = 1, 16 do
            many[k], sum[k] = "double x" .. k, "x" .. k
            arrays[k] = lun.vector { k, 10 * k }:cast "f64"
        end
        local text = ("(%s) { return %s; }"):format(table.concat(many, ", "), table.concat(sum, " + "))
        expect.elements({ 136.0, 1360.0 }, lun.map(text, { elements = 16 })(table.unpack(arrays)))
        for k = 1, 64 do many[k], arrays[k], sum[k] = "x" .. k, lun.vector { k, 10 * k }, "x" .. k end
        local adding = load(("return function(%s) return %s end"):format(table.concat(many, ", "), table.concat(sum, " + ")))()
        expect.elements({ 2080, 20800 }, lun.map(adding, { elements = 64 })(table.unpack(arrays)))
    end)

    it("is followed by extra arguments", function()
        local t = lists(5)
        local a, b, c, w = lun.vector(t[1]), lun.vector(t[2]), lun.vector(t[3]), lun.vector { 7, 11 }
        local function g(x, y, z, k, table_of) return x * y + z * k + table_of[2] end
        local wanted = expect.map(function(x, y, z) return x * y + z * 3 + 11 end, t[1], t[2], t[3])
        expect.elements(wanted, lun.map(g, { elements = 3 })(a, b, c, 3, w))
        expect.elements(wanted, a:map(g, b, c, 3, w, { elements = 3 }))
        expect.elements(wanted, lun.map("(double x, double y, double z, double k, long *w) { return x * y + z * k + w[1]; }",
            { elements = 3 })(a, b, c, 3, w))
    end)

    it("broadcasts, numbers too", function()
        local A, row, column = lun.vector { { 1, 2, 3 }, { 4, 5, 6 } }, lun.vector { 10, 20, 30 }, lun.vector { { 100 }, { 200 } }
        local s = lun.map(function(x, y, z) return x + y + z end, { elements = 3 })
        assert.same({ { 111, 122, 133 }, { 214, 225, 236 } }, s(A, row, column):totable())
        assert.same({ { 111, 122, 133 }, { 214, 225, 236 } }, s(row, column, A):totable())
        assert.same({ 16, 26, 36 }, s(1, row, 5):totable())
        local left = A:copy { layout = "left" }
        assert.equal("left", s(left, row, column):layout())
        assert.same({ { 111, 122, 133 }, { 214, 225, 236 } }, s(left, row, column):totable())
        expect.failure("lengths differ: i64[3] and i64[2]", s, row, row, lun.vector { 1, 2 })
        expect.failure("shapes do not broadcast", s, A, row, lun.ones { 3, 3 })
    end)

    it("takes arrays of several dtypes, operations, and gives several results", function()
        local a, b, c = lun.vector({ 1, 2 }, "i16"), lun.vector({ 0.5, 1.5 }, "f32"), lun.vector { true, false }
        expect.elements({ 1.5, 0.5 }, lun.map(function(x, y, z) return z and x + y or x - y end, { elements = 3 })(a, b, c))
        expect.elements({ 3.0, 7.0 }, lun.map("fma", { elements = 3 })(lun.vector { 2.0, 3.0 }, lun.vector { 1.0, 2.0 }, lun.ones(2)))
        expect.elements({ 1, 5 }, lun.map(lun.where, { elements = 3 })(c, lun.vector { 1, 4 }, lun.vector { 3, 5 }))
        local sum, product = lun.map(function(x, y, z) return x + y + z, x * y * z end, { elements = 3, out = { "i64", "f32" } })(
            lun.vector { 1, 2 }, lun.vector { 3, 4 }, lun.vector { 5, 6 })
        assert.same({ "i64", "f32" }, { sum:dtype(), product:dtype() })
        assert.same({ { 9, 12 }, { 15, 48 } }, { sum:totable(), product:totable() })
    end)

    it("makes one kernel with what the arrays are made of", function()
        local a = lun.vector { 1.0, 2.0, 3.0 }:eval()
        local e = lun.map(function(x, y, z) return x * y + z end, { elements = 3 })(a + 1, a * 2, a:sqrt())
        assert.equal(1, #lun.explain(e))
        assert.equal(1, lun.explain(e)[1].reads)
    end)

    it("works in chains and with run", function()
        local a, b, c, out = lun.vector { 1, 2 }, lun.vector { 3, 4 }, lun.vector { 5, 6 }, lun.zeros(2, "i64")
        local s = lun.map(function(x, y, z) return x * y + z end, { elements = 3 })
        expect.elements({ -8, -14 }, (s >> function(x) return -x end)(a, b, c))
        expect.elements({ 8, 22 }, lun.sequence(s, lun.scan("+", 0, { inclusive = true }))(a, b, c))
        assert.equal(out, s:run { a, b, c, out = out })
        expect.elements({ 8, 14 }, out)
        s:run { out, out, c, out = out }
        expect.elements({ 69, 202 }, out)
        assert.matches("lun", s:source():lower())
    end)

    it("is checked by lun.check as others are", function()
        lun.check(true)
        local ok, problem = pcall(function()
            local a = lun.vector { 1, 2, 3 }
            expect.elements({ 3, 6, 9 }, lun.map(function(x, y, z) return x + y + z end, { elements = 3 })(a, a, a))
            expect.elements({ 3, 6, 9 }, a:map(function(x, y, z) return x + y + z end, a, a, { elements = 3 }))
        end)
        lun.check(false)
        assert.is_true(ok, tostring(problem))
    end)

    it("is refused where it means nothing", function()
        local function sum(x, y, z) return x + y + z end
        local a = lun.vector { 1, 2 }
        for _, wrong in ipairs { 0, -1, 65, 1.5, "3", true } do
            expect.failure("option elements: 1 to 64 expected", lun.map, sum, { elements = wrong })
        end
        local s = lun.map(sum, { elements = 3 })
        expect.failure("wrong number of arguments to 'map' (3 arrays expected, got 2)", s, a, a)
        expect.failure("wrong number of arguments to 'map' (3 arrays expected, got 2)", function()
            return a:map(sum, a, { elements = 3 })
        end)
        expect.failure("bad argument #3 to 'map' (array expected, got string)", s, a, a, "x")
        expect.failure("array expected, got number", s, 1, 2, 3)
        expect.failure("the function has 3 parameters, but is called with 3 elements and 1 extra argument", s, a, a, a, 1)
        expect.failure("unknown option 'elements': the only option is out", lun.zip, "+", { elements = 2 })
        expect.failure("a list of 2 initial values expected, one for each of the elements, got number", lun.scan, sum, 0,
            { elements = 2 })
        -- without it, what is wrong is told together with the mend
        expect.failure("lun.map with {elements=3}", lun.map(sum), a, a, a)
        expect.failure("elements=2 passes it", lun.map "(int x, int y) { return x + y; }", a:cast "i32", a:cast "i32")
        expect.failure("takes 3 arrays: only a root of one or two arrays can have branches",
            function() return lun.compose(s):left(lun.map "neg") end)
    end)
end)
