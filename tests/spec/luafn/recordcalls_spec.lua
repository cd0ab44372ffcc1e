-- Functions over records, in Lua and in C, against the same Lua function called with plain tables: several records,
-- results that are records, captured records, lun.generate and lun.each; both layouts, every backend; wrong functions.
local lun = require "lunarray"
local expect = require "expect"

local FIELDS = { { "x", "f64" }, { "n", "i64" }, { "up", "bool" }, { "h", "f32" } }
local P = lun.struct("Point", FIELDS)
local S = lun.struct("Point", FIELDS, { layout = "soa" })
local random = math.random

local function rows(n)
    local list = {}
    for i = 1, n do
        list[i] = { x = random(-4000, 4000) / 16, n = random(-50, 50), up = random(2) == 1, h = random(-100, 100) / 4 }
    end
    return list
end

-- Fails unless the array, or the records, are this list, of numbers or of tables.
local function same(wanted, got, what)
    local list = got:totable()
    assert.equal(#wanted, #list)
    for i, x in ipairs(wanted) do
        if type(x) == "table" then
            for _, name in ipairs(P) do
                local a, b = x[name], list[i][name]
                assert(a == b, ("%s: record %d: %s is %s, %s expected"):format(what, i, name, b, a))
            end
        else
            assert(x == list[i], ("%s: element %d is %s, %s expected"):format(what, i, list[i], x))
        end
    end
end

local function larger(p, q)
    if p.x > q.x then
        return p
    end
    return q
end

local function moved(p, d)
    return P(p.x + d, p.n, p.up, p.h)
end

-- Functions of one record.
local ONE = {
    field = function(p) return p.x end,
    sum = function(p) return p.x * 2 + p.n end,
    branch = function(p) if p.up then return p.x elseif p.n > 0 then return p.h end return -1.5 end,
    same = function(p) return p end,
    made = function(p) return P(p.x / 2, p.n + 1, not p.up, p.h * 2) end,
    constants = function(p) return P(p.x, 7, true, 0.5) end,
    either = function(p) if p.n > 0 then return p end return P(0, p.n, p.up, p.h) end,
    helper = function(p) return moved(p, 1).x + moved(p, 2).x end,
    nested = function(p) return larger(moved(p, 3), P(1, 2, false, 3)) end,
    joined = function(p)
        local q
        if p.up then q = P(1, p.n, p.up, 2) elseif p.n > 0 then q = p else q = P(p.x, 5, true, p.h) end
        return q.x + q.n, q.h
    end,
    loop = function(p)
        local s = 0.0
        for i = 1, 5 do
            s = s + p.x * i
            if p.n > i then
                s = s - p.h
            end
        end
        return s
    end,
    unread = function(_) return 3 end,
    ["local"] = function(p)
        local q = P(p.x + 1, p.n, p.up, p.h)
        local r = q
        return r.x - q.h, r.n
    end,
}

describe("functions of records", function()
    it("give what they give for tables", function()
        expect.everywhere(function()
            for _, layout in ipairs { P, S } do
                for _, n in ipairs { 1, 65, 1000 } do
                    local list = rows(n)
                    local a = lun.vector(list, layout)
                    for what, f in pairs(ONE) do
                        local first, second = {}, {}
                        for i, p in ipairs(list) do
                            first[i], second[i] = f(p)
                        end
                        local x, y = lun.map(f)(a)
                        same(first, x, what)
                        assert.equal(#second > 0, y ~= nil)
                        if y then
                            same(second, y, what)
                        end
                        same(first, (a:map(f)), what)
                    end
                end
            end
        end)
    end)

    it("of several records, numbers and arrays", function()
        expect.everywhere(function()
            local one, two = rows(300), rows(300)
            local a, b, x = lun.vector(one, P), lun.vector(two, S), lun.index(300)
            local cases = {
                { function(p, q) return p.x - q.x end, 2, a, b },
                { function(p, q) return larger(p, q) end, 2, a, b },
                { function(p, i) return p.n + i end, 2, a, x },
                { function(i, p) return P(p.x, i, p.up, p.h) end, 2, x, a },
                { function(p, q, i) return p.x + q.n * i end, 3, a, b, x },
                { function(p, k, m) return p.x * k + m end, 1, a, 3, 0.5 },
                { function(_, q, k) return q.h * k end, 2, a, b, 2 },
            }
            for i, case in ipairs(cases) do
                local f, elements = case[1], case[2]
                local wanted = {}
                for r = 1, 300 do
                    local arguments = {}
                    for k = 3, #case do
                        local c = case[k]
                        arguments[k - 2] = c == a and one[r] or c == b and two[r] or c == x and r or c
                    end
                    wanted[r] = f(table.unpack(arguments))
                end
                same(wanted, lun.map(f, { elements = elements })(table.unpack(case, 3)), "case " .. i)
                if elements == 2 then
                    same(wanted, lun.zip(f)(table.unpack(case, 3)), "case " .. i)
                    same(wanted, case[3]:zip(case[4], f, table.unpack(case, 5)), "case " .. i)
                end
            end
        end)
    end)

    it("read and assign captured records", function()
        expect.everywhere(function()
            for _, layout in ipairs { P, S } do
                local list = rows(70)
                local a = lun.vector(list, layout)
                local wanted, places = {}, {}
                for i, p in ipairs(list) do
                    wanted[i] = 0.0
                    for j = 1, #list do
                        wanted[i] = wanted[i] + list[j].x * p.h
                    end
                    places[i] = list[#list + 1 - i].x
                end
                same(wanted, a:map(function(p)
                    local s = 0.0
                    for j = 1, #a do
                        s = s + a[j].x * p.h
                    end
                    return s
                end), "all pairs")
                same(places, lun.map(function(i) return a.x[#a + 1 - i] end)(lun.index(70)), "reversed")
                same(places, lun.generate(70, function(i) local q = a[71 - i] return q.x end), "generated")
                lun.each(70, function(i)
                    a[i].x = a[i].x + a[i].n
                    a.h[i] = i
                end)
                for i, p in ipairs(list) do
                    p.x, p.h = p.x + p.n, i
                end
                same(list, a, "each")
            end
        end)
    end)

    it("make records of indices", function()
        expect.everywhere(function()
            local made = lun.generate({ 4, 5 }, function(i, j) return P(i / j, i * j, i > j, j) end)
            assert.same({ 4, 5 }, { made:shape() })
            for i = 1, 4 do
                for j = 1, 5 do
                    assert.same(P(i / j, i * j, i > j, j + 0.0), made[i][j])
                end
            end
            local r = lun.index(100):map(function(i) return P(i * 0.5, i, true, 1) end)
            assert.equal("f32", r.h:dtype())
            assert.equal(5050, r.n:sum())
            assert.equal(P, r:dtype())
        end)
    end)

    it("write into records", function()
        for _, layout in ipairs { P, S } do
            local list = rows(500)
            local a = lun.vector(list, layout)
            local step = lun.map(function(p, d) return P(p.x + d * p.n, p.n, not p.up, p.h) end)
            for _ = 1, 5 do
                a:set(step(a, 0.25))
                assert.equal(a, step:run { a, 0.5, out = a })
            end
            for _, p in ipairs(list) do
                for _ = 1, 5 do
                    p.x = p.x + 0.25 * p.n
                    p.x = p.x + 0.5 * p.n
                end
            end
            same(list, a, "steps")
            assert.equal(layout.layout, a:layout())
            local b = a
            for _ = 1, 20 do
                b = step(b, 1)
            end
            assert.is_true(math.abs(b.x:sum() - (a.x:sum() + 20 * a.n:sum())) < 1e-6)
        end
    end)

    it("take only the fields that they read", function()
        local a = lun.vector(rows(1000), S)
        local function f(p) return p.x * 2 end
        assert.equal(16000, lun.explain(a:map(f))[1].bytes)
        local get = function(p) return p.x end
        local function g(p) return get(p) end
        local first = a:map(g):totable()
        get = function(p) return p.x + p.n end -- it reads another field from now on
        local x, n, second = a.x:totable(), a.n:totable(), a:map(g):totable()
        for i = 1, 1000 do
            assert.equal(x[i], first[i])
            assert.equal(x[i] + n[i], second[i])
        end
        local fields = {}
        for k = 1, 40 do
            fields[k] = { "f" .. k, "i32" }
        end
        local many = lun.zeros(10, lun.struct("Many", fields))
        many.f7, many.f39 = 5, lun.index(10)
        assert.equal(105, many:map(function(p) return p.f7 + p.f39 end):sum())
    end)

    it("have the same bits on any number of threads", function()
        local path = os.tmpname()
        local file = assert(io.open(path, "w"))
        file:write [[
            local P = lun.struct("P", {{"x", "f32"}, {"y", "f64"}, {"k", "u8"}})
            local a = lun.zeros(200001, P)
            a.x = lun.random(200001, {seed = 1})
            a.y = lun.random(200001, {seed = 2})
            for _ = 1, 3 do
                a:set(a:map(function(p) return P(p.x * 0.9 + p.y, math.sin(p.x), p.k + 1) end))
            end
            local bytes = lun.frombytes(a:tobytes(), "u8")
            print((bytes:cast "i64" * (lun.index(#bytes) % 65521)):sum(), ("%a %a"):format(a.x:sum(), a.y:sum()))
        ]]
        file:close()
        local seen
        for _, threads in ipairs { 1, 2, 3, 8 } do
            local program = (os.getenv "BUILD" or "build") .. "/lunarray"
            local pipe = io.popen(("LUNARRAY_THREADS=%d %s %s"):format(threads, program, path))
            local text = pipe:read "a"
            pipe:close()
            assert.is_true(#text > 10)
            seen = seen or text
            assert.equal(seen, text)
        end
        os.remove(path)
    end)
end)

describe("C functions of records", function()
    it("see a struct of that name", function()
        expect.everywhere(function()
            for _, layout in ipairs { P, S } do
                local list = rows(200)
                local a, x = lun.vector(list, layout), lun.index(200)
                local cases = {
                    ["(Point p) { return p.x * p.x; }"] = function(p) return p.x * p.x end,
                    ["(const Point p, double k) { return p.up ? p.h * k : p.n; }"] = function(p)
                        return p.up and p.h * 3.0 or p.n + 0.0
                    end,
                    ["double f(struct Point p) { p.x += 1; return p.x; }"] = function(p) return p.x + 1 end,
                    ["double two(Point q) { return q.x + q.n; } /* { f( */ double go(Point p) { return two(p) * 2; }"] =
                        function(p) return (p.x + p.n) * 2 end,
                    ["#define HALF(q) ((q).x / 2)\nlong other(long i) { return i; }\ndouble <f>(Point p)\n"
                        .. "{ return HALF(p); }"] = function(p) return p.x / 2 end,
                }
                for text, f in pairs(cases) do
                    local wanted = {}
                    for i, p in ipairs(list) do
                        wanted[i] = f(p)
                    end
                    local extra = text:find "double k" and { 3 } or {}
                    text = text:gsub("<f>", "f")
                    same(wanted, lun.map(text)(a, table.unpack(extra)), text)
                    same(wanted, a:map(text, table.unpack(extra)), text)
                end
                local wanted, differences = {}, {}
                for i, p in ipairs(list) do
                    wanted[i] = p.n * i
                    differences[i] = p.x - list[201 - i].x
                end
                same(wanted, a:zip(x, "long f(Point p, long i) { return p.n * i; }"), "zip")
                same(differences, lun.zip "(Point p, Point q) { return p.x - q.x; }"(a, a:sub(-1, 1, -1)), "two")
            end
        end)
    end)

    it("may be wrong", function()
        local a = lun.vector(rows(3), P)
        for text, call in pairs {
            ["parameter 1 of the C function has to be a 'Point', not 'double x'"] = function()
                local _ = a:map "(double x) { return x; }"
            end,
            ["parameter 1 of the C function has to be a 'Point', not 'Point *p'"] = function()
                local _ = a:map "(Point *p) { return p->x; }"
            end,
            ["the entry function is ambiguous: call it f"] = function()
                local _ = a:map "double one(Point p) { return p.x; } double two(Point p) { return p.x; }"
            end,
            ["attempt to perform 'n/0'"] = function() a:map("(Point p) { return p.n / (p.n - p.n); }"):eval() end,
            ["records of Point expected, got a Vector i64[3]"] = function() return lun.map "(Point p) { return p.x; }"(lun.index(3)) end,
        } do
            expect.failure(text, call)
        end
        local path = os.tmpname()
        local file = assert(io.open(path, "w"))
        file:write [[local P = lun.struct("P", {{"x", "f32"}})
            print(pcall(function() return lun.zeros(2, P):map "(P p) { return p.x; }" end))
            print(lun.zeros(2, P):map(function(p) return P(p.x + 1) end).x:sum())]]
        file:close()
        local pipe = io.popen((os.getenv "BUILD" or "build") .. "/lunarray --sandbox " .. path)
        local said = pipe:read "a"
        pipe:close()
        os.remove(path)
        assert.matches("bad argument #1 to 'map' %(C functions are not allowed in the sandbox%)\n2.0", said)
        expect.failure("no member", function() a:map("(Point p) { return p.z; }"):eval() end)
        assert.equal(3, #a:map "(Point p) { return p.x; }")
    end)
end)

describe("one record as an extra argument", function()
    local Q = lun.struct("Pair", { { "scale", "f64" }, { "shift", "f64", 2 } })
    local Outer = lun.struct("Outer", { { "pair", Q }, { "turn", "c128" } })
    local x = lun.vector { 1.0, 2.0, 3.0 }

    it("is its fields, by methods, skeletons and C functions, beside arrays and records", function()
        local function f(v, q) return v * q.scale + q.shift[2] end
        assert.same({ 12.0, 14.0, 16.0 }, x:map(f, Q(2, { 5, 10 })):totable())
        assert.same({ 12.0, 14.0, 16.0 }, lun.map(f)(x, Q(2, { 5, 10 })):totable())
        assert.same({ 3.0, 6.0, 9.0 }, lun.zip(function(v, w, q) return (v + w) * q.scale end)(x, x * 2, Q(1, { 0, 0 })):totable())
        assert.same({ 7.0, 9.0, 11.0 }, x:map("double f(double v, Pair q) { return v * q.scale + q.shift[0]; }", Q(2, { 5, 10 })):totable())
        local list = rows(3)
        local shifted = lun.vector(list, P):map(function(p, k, q) return p.x * k + q.scale end, 2, Q(1000, { 0, 0 }))
        for k, row in ipairs(list) do
            assert.equal(row.x * 2 + 1000, shifted[k])
        end
        local turned = x:map(function(v, o) return o.turn * v + o.pair.scale end, Outer(Q(1, { 0, 0 }), lun.i))
        assert.is_true(turned == lun.vector { 1 + lun.i, 1 + 2 * lun.i, 1 + 3 * lun.i })
        local plain = lun.map(f)
        lun.stats "reset"
        for k = 1, 50 do
            assert.equal(k + 1.0, plain(x, Q(k, { 0, 1 }))[1])
        end
        assert.equal(50, lun.stats().launches)
    end)

    it("is no other table", function()
        expect.failure("bad argument #2 to 'map' (array or number expected, got table)", function()
            lun.map(function(v) return v end)(x, { scale = 1 })
        end)
        expect.failure("unknown option 'scale'", function() x:map(function(v) return v end, { scale = 1 }) end)
        local a = lun.vector(rows(2), P)
        expect.failure("bad argument #2 to 'map' (array, number or record expected, got table)", function()
            lun.map(function(p) return p.x end)(a, { scale = 1 })
        end)
        assert.equal("f32", x:map(function(v) return v end, { out = "f32" }):dtype())
    end)
end)

describe("a wrong function of records", function()
    local a = lun.vector(rows(4), P)

    it("is refused with its line", function()
        local here = debug.getinfo(1, "l").currentline
        for text, call in pairs {
            [("recordcalls_spec.lua:%d: no field 'z' of a record (local 'p'): there are x, n, up, h"):format(here + 3)] =
                function() local _ = a:map(function(p) return p.z end) end,
            ["arithmetic on a record (local 'p'): take one of its fields"] = function()
                local _ = a:map(function(p) return p + 1 end)
            end,
            ["P with 2 arguments: 4 expected, for its fields x, n, up, h"] = function()
                local _ = a:map(function(p) return P(p.x, 2) end)
            end,
            ["field 'x' of a value (local 'q') that is no record of one struct on each path and in each round of a loop"] = function()
                local _ = a:map(function(p)
                    local q = p
                    if p.n > 2 then
                        q = p.n
                    end
                    return q.x
                end)
            end,
            ["records with other fields are returned on each path: x, n, up, h; y"] = function()
                local Q = lun.struct("Q", { { "y", "f32" } })
                local _ = a:map(function(p) if p.up then return p end return Q(p.x) end)
            end,
            ["a record is returned beside other values"] = function()
                local _ = a:map(function(p) return p, p.x end)
            end,
            ["'map' (records behind the elements: a function in Lua takes them"] = function()
                local _ = a:map("(Point p, float k) { return p.x; }", a)
            end,
            ["'zip' (lengths differ: f64[4] and i64[3])"] = function()
                local _ = a:zip(lun.index(3), function(p, i) return p.x + i end)
            end,
            ["records need a function in Lua or C"] = function() local _ = a:map(math.abs) end,
            ["('add' takes 2 operands, not 1)"] = function() local _ = a:map "+" end,
            ["records are taken by map, zip, stencil and allpairs alone"] = function()
                local _ = lun.reduce(function(x, y) return x + y end)(a)
            end,
            ["only fields of captured tables and of records can be read"] = function()
                local _ = lun.index(4):map(function(p) return p.x end)
            end,
            ["P with 2 arguments: 4 expected"] = function()
                lun.each(4, function(i) a[i] = P(1, 2) end)
            end,
            ["no field 'q' of a record: there are x, n, up, h"] = function()
                lun.each(4, function(i) a[i].q = 1 end)
            end,
            ["return the value instead"] = function() local _ = a:map(function(p) p.x = 1 return p end) end,
        } do
            expect.failure(text, call)
        end
        assert.equal(4, #a:map(function(p) return p.x end):totable())
        local line = debug.getinfo(1, "l").currentline
        local quotient = a:map(function(p) return p.n // (p.n - p.n) end)
        local failure = expect.failure("attempt to perform 'n//0'", quotient.eval, quotient)
        assert.matches(("recordcalls_spec.lua:%d"):format(line + 1), tostring(failure))
    end)
end)
