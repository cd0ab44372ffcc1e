-- map, zip, reduce and scan as values; run and out; chains and trees.

local lun = require "lunarray"
local expect = require "expect"

local add, mul = lun.zip "+", lun.zip(lun.op.mul)

describe("skeletons", function()
    it("are values that are called like functions", function()
        local a, b = lun.vector { 1, 2, 3 }, lun.vector { 10, 20, 30 }
        expect.elements({ 11, 22, 33 }, add(a, b))
        expect.elements({ 10, 40, 90 }, mul(a, b))
        expect.elements({ -1, -2, -3 }, lun.map("-")(a))
        expect.elements({ -1, -2, -3 }, lun.map(lun.op.neg)(a))
        expect.elements({ 1, 2, 3 }, lun.map("abs")(-a))
        assert.equal(6, lun.reduce("+", 0)(a):value())
        expect.elements({ 0, 1, 3 }, lun.scan("+", 0)(a))
        expect.elements({ 1, 3, 6 }, lun.scan("+", 0, { inclusive = true })(a))
        expect.elements({ 22, 44, 66 }, add(add(a, b), add(a, b)))
    end)

    it("are methods of arrays, too", function()
        local a, b = lun.vector { 1, 2, 3, 4 }, lun.vector { 4, 3, 2, 1 }
        expect.elements({ 4, 6, 6, 4 }, a:zip(b, "*"))
        expect.elements({ 1.0, 2.0, 3.0, 4.0 }, (a * a):map("sqrt"))
        assert.equal(24, a:reduce("*", 1):value())
        assert.equal(24, a:reduce(lun.op.mul):value())
        assert.equal(1, a:reduce("min"):value())
        expect.elements({ 1, 1, 2, 6 }, a:scan("*", 1))
        expect.elements({ 1, 2, 6, 24 }, a:scan("*", 1, { inclusive = true }))
        expect.elements({ 5, 6, 8, 11 }, a:scan("+", 5))
    end)

    it("zip an array with a number", function()
        local a = lun.vector { 1, 2, 3 }
        local f = lun.zip(function(x, y) return x * 10 + y end)
        expect.elements({ 15, 25, 35 }, f(a, 5))
        expect.elements({ 51, 52, 53 }, f(5, a))
        expect.elements({ 10.5, 20.5, 30.5 }, f(a, 0.5))
        expect.elements({ 6, 7, 8 }, lun.zip "+"(a, 5))
        expect.elements({ 4, 3, 2 }, lun.zip("-")(5, a))
        expect.elements({ 5, 10, 15 }, a:zip(5, function(x, y) return x * y end))
        if os.getenv "LUNARRAY_JIT" ~= "off" then
            expect.elements({ 7, 8, 9 }, lun.zip("(long x, long y, long k){ return x + y + k; }")(a, 5, 1))
        end
        expect.elements({ 6, 7, 8 }, lun.compose(lun.zip "+"):left(lun.zip "*")(a, 1, 5))
        expect.failure("bad argument #1 to 'zip' (array expected, got number)", f, 5, 6)
        expect.failure("bad argument #1 to 'map' (array expected, got number)", lun.map "-", 5)
        expect.failure("bad argument #2 to 'zip' (array expected, got string)", f, a, "5")
    end)

    it("know division from a path", function()
        expect.elements({ 0.5, 2.0 }, lun.zip("/")(lun.vector { 1, 4 }, lun.vector { 2, 2 }))
        expect.elements({ 0, 2 }, lun.zip("//")(lun.vector { 1, 4 }, lun.vector { 2, 2 }))
    end)

    it("give a lazy Scalar where they reduce", function()
        local s = lun.range(1, 10):reduce("+", 0)
        assert.equal("Scalar", s:kind())
        assert.equal(55, s:value())
        assert.equal(56, (s + 1):value())
        expect.elements({ 55, 110 }, lun.vector { 1, 2 } * s)
        assert.equal(0, lun.zeros(0, "i64"):reduce("+", 0):value())
        assert.equal(3, lun.zeros(0, "i64"):reduce("+", 3):value())
    end)

    it("take Scalars as identities", function()
        local s = lun.vector({ 1, 2 }):reduce("+")
        assert.equal(9, lun.vector({ 1, 2, 3 }):reduce("+", s):value())
    end)

    it("refuse lengths that differ, by the skeleton's name", function()
        local a, b = lun.range(1, 4), lun.range(1, 5)
        local message = expect.failure("lengths differ: i64[4] and i64[5]", add, a, b)
        assert.matches("bad argument #2 to 'zip'", message)
        message = expect.failure("lengths differ: i64[4] and i64[5]", function() return a:zip(b, "+") end)
        assert.matches("bad argument #1 to 'zip'", message)
        expect.elements({ 2, 4, 6, 8 }, add(a, a))
    end)

    it("refuse what is no array", function()
        expect.failure("bad argument #1 to 'zip' (array expected, got boolean)", add, true, lun.ones(2))
        expect.failure("bad argument #2 to 'zip' (array expected, got table)", add, lun.ones(2), {})
        expect.failure("wrong number of arguments to 'zip' (2 arrays expected, got 1)", add, lun.ones(2))
        expect.failure("wrong number of arguments to 'map' (1 array expected, got 0)", lun.map "-")
        expect.failure("add takes two values and no extra arguments", lun.reduce "+", lun.ones(2), 3)
        expect.failure("array expected", lun.ones(2).zip, lun.ones(2), "3", "+")
        expect.failure("array expected", lun.ones(2).map, 3, "-")
    end)

    it("refuse what is no function", function()
        for _, wrong in ipairs { 5, {}, io.stdout, coroutine.create(print) } do
            expect.failure("bad argument #1 to 'map' (function, C source, path or operation expected", function()
                lun.map(wrong)
            end)
        end
        expect.failure("bad argument #1 to 'map'", function() lun.map() end)
        expect.failure("'frobnicate' is neither an operation of lun.op", lun.map, "frobnicate")
        expect.failure("'add' takes 2 operands, not 1", lun.map, "add")
        expect.failure("'sqrt' takes 1 operand, not 2", lun.zip, "sqrt")
        expect.failure("NUL byte", lun.map, "-\0")
        expect.failure("bad argument #1 to 'map'", function() lun.ones(2):map(5) end)
        expect.failure("bad argument #2 to 'zip'", function() lun.ones(2):zip(lun.ones(2), 5) end)
    end)

    it("refuse what cannot be reduced or scanned", function()
        expect.failure("bad argument #1 to 'reduce' ('sub' is not associative", function()
            return lun.ones(2):reduce("-", 0)
        end)
        expect.failure("bad argument #1 to 'scan' ('div' is not associative", function() return lun.scan("/", 0) end)
        expect.failure("array or number expected", lun.reduce, "+", "0")
        expect.failure("one number expected", lun.reduce, "+", lun.ones(2))
        expect.failure("unknown option 'exclusive'", lun.scan, "+", 0, { exclusive = true })
        expect.failure("table expected", lun.scan, "+", 0, true)
        assert.equal(2.0, lun.ones(2):reduce("+", 0):value())
    end)

    it("describe themselves", function()
        assert.equal('map("-")', tostring(lun.map "-"))
        assert.equal("zip(lun.op.mul)", tostring(mul))
        assert.matches("^sequence of 1 array", tostring(lun.map "-" >> lun.map "abs"))
    end)

    it("show their code, called or not", function()
        for _, s in ipairs { add, lun.map "sqrt", lun.reduce "+", lun.scan("+", 0), lun.zip "&",
            lun.map "(float x, int n, const float *w) { return x * n + w[0]; }", lun.map "-" >> lun.reduce "+" } do
            assert.equal("string", type(s:source()))
            assert.is_true(#s:source() > 20)
        end
        assert.is_true(#lun.map("-"):source("reference") > 10)
        expect.failure("bad argument #1 to 'source' (no backend 'nosuch'", function() add:source "nosuch" end)
    end)

    it("remember a work-group size", function()
        local s = lun.map "-"
        assert.is_nil(s:workgroup())
        assert.equal(s, s:workgroup(64))
        assert.equal(64, s:workgroup())
        local _, why = s:workgroup(32)
        if lun.use() ~= "opencl" then
            assert.matches("^no effect: " .. lun.use() .. " runs on CPU cores", why)
        end
        assert.same({ s }, { s:workgroup(0) })
        assert.is_nil(s:workgroup())
        expect.failure("number of elements expected", s.workgroup, s, -1)
        expect.failure("number expected", s.workgroup, s, "x")
        expect.failure("skeleton expected", s.workgroup, lun.ones(2))
    end)
end)

describe("functions in chains", function()
    it("are stages as lun.map of them is", function()
        local a = lun.vector { 1.0, 4.0, 9.0 }
        local function inc(x) return x + 1 end
        local sum = lun.reduce("+", 0)
        expect.elements({ 2.0, 3.0, 4.0 }, lun.sequence("sqrt", inc)(a))
        assert.equal(9.0, lun.sequence(lun.map "sqrt", inc, sum)(a):value())
        assert.equal(9.0, (lun.map "sqrt" >> inc >> sum)(a):value())
        assert.equal(17.0, (inc >> sum)(a):value())
        assert.equal(6.0, (lun.op.sqrt >> sum)(a):value())
        assert.equal(1, #lun.explain((inc >> sum)(a)))
        expect.failure("bad argument #2 to 'sequence' (skeleton expected, got number)", lun.sequence, inc, 5)
        expect.failure("bad argument #1 to '>>' (skeleton expected, got number)", function() return 5 >> sum end)
    end)
end)

describe("s:run", function()
    it("writes into out, which it gives", function()
        local a, b, out = lun.vector { 1, 2, 3 }, lun.vector { 4, 5, 6 }, lun.zeros(3, "i64")
        assert.equal(out, add:run { a, b, out = out })
        expect.elements({ 5, 7, 9 }, out)
        assert.equal(a, add:run { a, b, out = a })
        expect.elements({ 5, 7, 9 }, a)
        expect.elements({ 9, 12, 15 }, add:run { a, b })
        local f = lun.zeros(3, "f32")
        add:run { a, b, out = f }
        expect.elements({ 9.0, 12.0, 15.0 }, f)
    end)

    it("writes several results into a list of arrays, in one kernel #place", function()
        local a = lun.vector { 1, 2, 3 }
        local both = lun.map(function(x) return x * 2, x + 0.5 end)
        local b, c = lun.zeros(3, "i64"), lun.zeros(3, "f64")
        lun.stats "reset"
        local p, q = both:run { a, out = { b, c } }
        assert.equal(1, lun.stats().launches)
        assert.is_true(p == b and q == c)
        expect.elements({ 2, 4, 6 }, b)
        expect.elements({ 1.5, 2.5, 3.5 }, c)
        local swap = lun.zip(function(x, y) return y, x end)
        local x, y = lun.vector { 1, 2 }, lun.vector { 3, 4 }
        swap:run { x, y, out = { x, y } } -- read before they are written
        expect.elements({ 3, 4 }, x)
        expect.elements({ 1, 2 }, y)
        expect.elements({ 3 }, (lun.map "-":run { -lun.vector { 3 }, out = { lun.zeros(1, "i64") } }))
        expect.failure("(2 results, but 3 arrays)", both.run, both, { a, out = { b, c, c } })
        expect.failure("(2 results, but 1 array)", both.run, both, { a, out = { b } })
        expect.failure("(array expected, got number)", both.run, both, { a, out = { b, 5 } })
        expect.failure("(a list of 1 to 64 arrays expected)", both.run, both, { a, out = {} })
        expect.failure("(array 2: lengths differ: f64[2] and f64[3])", both.run, both, { a, out = { b, lun.zeros(2) } })
        expect.elements({ 2, 4, 6 }, b) -- nothing is written then
    end)

    it("refuses an array out that does not fit", function()
        local a, copy = lun.vector { 1, 2, 3 }, lun.map(function(x) return x end)
        expect.failure("bad argument 'out' to 'run' (lengths differ: i64[4] and i64[3])",
            copy.run, copy, { a, out = lun.zeros(4, "i64") })
        local two = lun.map(function(x) return x, x end)
        expect.failure("bad argument 'out' to 'run' (2 results, but 1 array)", two.run, two, { a, out = a:copy() })
        expect.failure("bad argument #2 to 'map' (array or number expected, got table)", copy, a, {})
        local many = {}
        for i = 1, 300 do
            many[i] = a
        end
        expect.failure("too many arguments to 'run' (300)", copy.run, copy, many)
        expect.failure("too many arguments to 'map' (at most 63 expected after the array)",
            copy, a, table.unpack(table.move(many, 1, 64, 1, {})))
    end)

    it("gives results the dtypes that the option out names", function()
        local a = lun.vector { 1.5, 2.5, 300.5 }
        local function twice(x) return x * 2 end
        local function both(x) return x * 2, x > 2 end
        local b = lun.map(twice, { out = "i32" })(a)
        assert.equal("i32", b:dtype())
        expect.elements({ 3, 5, 601 }, b)
        assert.equal("f32", lun.zip("+", { out = "f32" })(a, a):dtype())
        expect.elements({ 4, 7, 127 }, a:map(function(x, k) return x * k end, 3, { out = "i8" }))
        expect.elements({ 3, 5, 255 }, a:zip(a, "+", { out = "u8" }))
        local c, d = a:map(both, { out = { "f32", "i64" } })
        assert.same({ "f32", "i64" }, { c:dtype(), d:dtype() })
        expect.elements({ 0, 1, 1 }, d)
        local e, f = a:map(both, { out = "f32" })
        assert.same({ "f32", "f32" }, { e:dtype(), f:dtype() })
        assert.equal("i32", (lun.map(twice, { out = "i32" }) >> lun.map "neg")(a):dtype())
        assert.equal(1, #lun.explain(b + 1))
    end)

    it("refuses an option out that is none", function()
        local a = lun.vector { 1, 2 }
        local function same(x) return x end
        for _, wrong in ipairs { "i33", 5, {}, { "f32", false }, print } do
            expect.failure("(option out: ", lun.map, same, { out = wrong })
        end
        expect.failure("unknown option 'oot': the options are elements, out", lun.map, same, { oot = "f32" })
        expect.failure("(2 dtypes for 1 result)", lun.map(same, { out = { "f32", "i8" } }), a)
        expect.failure("unknown option 'out': the options are elements, axis, inclusive", lun.scan, "+", 0, { out = "i8" })
    end)

    it("refuses an out of another length", function()
        local a = lun.range(1, 4)
        expect.failure("bad argument 'out' to 'run' (lengths differ: f64[5] and i64[4])",
            add.run, add, { a, a, out = lun.zeros(5) })
        expect.failure("lengths differ", add.run, add, { a, a, out = lun.zeros(1) })
        expect.failure("(f64[2, 4] does not broadcast to f64[4])",
            add.run, add, { lun.ones { 2, 4 }, 1.5, out = lun.zeros(4) })
        expect.elements({ 10.0, 10.0 }, (lun.reduce "+":run { a, out = lun.zeros(2) }))
    end)

    it("refuses what it does not know", function()
        local a = lun.range(1, 4)
        expect.failure("array expected", add.run, add, { a, a, out = 5 })
        expect.failure("unknown field 'Out'", add.run, add, { a, a, Out = a })
        expect.failure("wrong number of arguments", add.run, add, { a })
        expect.failure("table expected", add.run, add, a)
        expect.failure("skeleton expected", add.run, a, { a })
    end)
end)

describe("chains", function()
    it("apply one skeleton after the other", function()
        local s = lun.sequence(lun.map "-", lun.map "abs", lun.scan("+", 0))
        expect.elements({ 0, 1, 3 }, s(lun.vector { 1, 2, 3 }))
        local t = lun.map "sqrt" >> lun.map "-" >> lun.reduce("+", 0)
        assert.equal(-6.0, t(lun.vector { 1, 4, 9 }):value())
        assert.equal(32, (mul >> lun.reduce "+")(lun.vector { 1, 2, 3 }, lun.vector { 4, 5, 6 }):value())
        expect.elements({ 3, 3 }, (s >> lun.map "-" >> lun.map "-")(lun.vector { 3, 1 }) + lun.vector { 3, 0 })
    end)

    it("may be long", function()
        local s = lun.map "-"
        for _ = 1, 299 do
            s = s >> lun.map "-"
        end
        expect.elements({ 1.5, 2.5 }, s(lun.vector { 1.5, 2.5 }))
    end)

    -- A chain of so many steps, and one of a quarter of them that grows to the left; called.
    local function chains(length)
        local minus = lun.map "-"
        local left, right = minus, minus
        for _ = 2, length do
            left = left >> minus
        end
        for _ = 2, length // 4 do
            right = minus >> right
        end
        expect.elements({ 1.5 }, left(lun.vector { 1.5 }))
        expect.elements({ 1.5 }, right(lun.vector { 1.5 }))
        return left
    end

    it("are made step by step, and called, in work that grows with their length", function()
        local instructions, kilobytes = expect.work(chains, 1000)
        local more, larger = expect.work(chains, 4000)
        assert.is_true(more < 5 * instructions, more / instructions)
        assert.is_true(larger < 5 * kilobytes, larger / kilobytes)
    end)

    it("may be very long", function()
        local minus, left = lun.map "-", chains(100000)
        expect.elements({ -1.5 }, (left >> minus)(lun.vector { 1.5 }))
        for _ = 1, 3 do
            left = left >> left
        end
        expect.failure("too many skeletons", function() return left >> left end)
    end)

    it("and trees may stand in each other at any place", function()
        local tree = lun.compose(add >> lun.map "-"):left(mul):right(lun.map "abs" >> lun.map "-")
        expect.elements({ -(2 * 3 - 4) }, tree(lun.vector { 2 }, lun.vector { 3 }, lun.vector { 4 }))
        expect.elements({ 2 }, (tree >> lun.map "-")(lun.vector { 2 }, lun.vector { 3 }, lun.vector { 4 }))
        local deep = lun.map "-"
        for _ = 1, 2000 do
            deep = lun.compose(deep):only(lun.map "-")
        end
        expect.elements({ -7 }, deep(lun.vector { 7 }))
    end)

    it("refuse what does not chain", function()
        expect.failure("zip takes 2 arrays", function() return lun.map "-" >> add end)
        expect.failure("skeleton expected, got number", function() return lun.map "-" >> 3 end)
        expect.failure("skeleton expected, got table", function() return {} >> lun.map "-" end)
        expect.failure("bad argument #2 to 'sequence' (zip takes 2 arrays", lun.sequence, add, add)
        expect.failure("bad argument #2 to 'sequence' (skeleton expected", lun.sequence, add, 1)
        expect.failure("bad argument #1 to 'sequence'", lun.sequence)
        expect.failure("wrong number of arguments to 'sequence' (1 array expected, got 2)",
            lun.map "-" >> lun.map "-", lun.ones(2), lun.ones(2))
    end)
end)

describe("trees", function()
    local a, b, c, d = lun.vector { 1, 2 }, lun.vector { 3, 4 }, lun.vector { 5, 6 }, lun.vector { 7, 8 }

    it("assign their leaves from left to right", function()
        local sub = lun.zip "-"
        local tree = lun.compose(mul):left(add):right(sub)
        expect.elements({ (1 + 3) * (5 - 7), (2 + 4) * (6 - 8) }, tree(a, b, c, d))
        expect.elements({ 1 * (3 - 5), 2 * (4 - 6) }, lun.compose(mul):right(sub)(a, b, c))
        expect.elements({ (1 - 3) * 5, (2 - 4) * 6 }, lun.compose(mul):left(sub)(a, b, c))
        expect.elements({ -(1 * 3), -(2 * 4) }, lun.compose(lun.map "-"):only(mul)(a, b))
        expect.elements({ 3, 8 }, lun.compose(mul)(a, b))
    end)

    it("nest", function()
        local inner = lun.compose(mul):left(add)
        local tree = lun.compose(add):left(inner):right(lun.compose(lun.map "-"):only(inner))
        expect.elements({ (1 + 3) * 5 - (7 + 1) * 3, (2 + 4) * 6 - (8 + 2) * 4 }, tree(a, b, c, d, a, b))
        local sum = lun.compose(lun.reduce "+"):only(tree)
        assert.equal(-4 + -4, sum(a, b, c, d, a, b):value())
    end)

    it("are values: a branch makes a new tree", function()
        local root = lun.compose(mul)
        local left = root:left(add)
        expect.elements({ 3, 8 }, root(a, b))
        expect.elements({ 20, 36 }, left(a, b, c))
    end)

    it("may be deep", function()
        local tree = lun.compose(add)
        for _ = 1, 200 do
            tree = lun.compose(add):left(tree)
        end
        local leaves = {}
        for i = 1, 202 do
            leaves[i] = a
        end
        expect.elements({ 202, 404 }, tree(table.unpack(leaves)))
    end)

    it("say both counts when leaves are missing or too many", function()
        local tree = lun.compose(mul):left(add):right(add)
        expect.failure("wrong number of arguments to 'compose' (4 arrays expected, got 3)", tree, a, b, c)
        expect.failure("wrong number of arguments to 'compose' (4 arrays expected, got 5)", tree, a, b, c, d, a)
        expect.failure("bad argument #3 to 'compose' (array expected, got string)", tree, a, b, "3", d)
        expect.elements(tree(a, b, a * 0 + 3, d):totable(), tree(a, b, 3, d))
    end)

    it("name the first leaf of a branch whose length differs", function()
        local tree = lun.compose(mul):left(add):right(add)
        local e = lun.range(1, 3)
        expect.failure("bad argument #2 to 'compose' (lengths differ: i64[2] and i64[3])", tree, a, e, c, d)
        expect.failure("bad argument #3 to 'compose' (lengths differ: i64[2] and i64[3])", tree, a, b, e, e)
    end)

    it("refuse branches that do not fit", function()
        expect.failure("takes 1 array: use only", function() lun.compose(lun.map "-"):left(add) end)
        expect.failure("takes 2 arrays: use left and right", function() lun.compose(mul):only(add) end)
        expect.failure("already has a 'left' branch", function() lun.compose(mul):left(add):left(add) end)
        expect.failure("lun.compose(root)", function() mul:left(add) end)
        expect.failure("skeleton expected, got number", function() lun.compose(mul):left(3) end)
        expect.failure("skeleton expected, got nil", lun.compose)
    end)

    it("pass on the first result of a function that has several", function()
        local both = lun.map(function(x) return x, -x end)
        local up, down = both(a)
        expect.elements({ 1, 2 }, up)
        expect.elements({ -1, -2 }, down)
        expect.elements({ -1, -2 }, (both >> lun.map "-")(a))
    end)

    it("run into out", function()
        local tree = lun.compose(mul):left(add)
        local out = lun.zeros(2)
        tree:run { a, b, c, out = out }
        expect.elements({ 20.0, 36.0 }, out)
    end)
end)
