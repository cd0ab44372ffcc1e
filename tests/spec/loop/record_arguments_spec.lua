-- Records, and single records, as arguments behind the elements and of lun.teams and lun.call; pairs of records. Against
-- plain Lua loops over tables, on every backend and over sets of places; what is refused.
local expect = require "spec.expect"
local lun = require "lunarray"
local onplaces = require "onplaces"

local At = lun.struct("At", { { "h", "f32" } })
local FIELDS = { { "x", "f64" }, { "n", "i64", 2 }, { "at", At }, { "on", "bool" }, { "z", "c128" } }
local LAYOUTS = { aos = lun.struct("Item", FIELDS), soa = lun.struct("Item", FIELDS, { layout = "soa" }) }

local function rows(n)
    local list = {}
    for i = 1, n do
        list[i] = { x = (i * 37 % 101) / 4, n = { i, i * 13 % 29 }, at = { h = i / 2 }, on = i % 3 == 0,
            z = lun.complex(i, -i) }
    end
    return list
end

-- Calls check(struct, list, records, place) everywhere, for both layouts.
local function everywhere(n, check)
    onplaces.everywhere(function(place)
        for _, S in pairs(LAYOUTS) do
            local list = rows(n)
            check(S, list, lun.vector(list, S), place)
        end
    end)
end

describe("arguments that are records", function()
    onplaces.restore(before_each, after_each)

    it("stand behind the elements of a stencil, of records and of numbers", function()
        everywhere(40, function(_, list, a)
            local one = { x = 2.5, n = { 3, 4 }, at = { h = 0.5 }, on = true, z = lun.complex(0, 7) }
            local function f(p, k, q, m)
                return p(-1).x * k.n[2] + q[m].at.h + (k.on and 1 or 0) + k.z.im + q[2].z.re
            end
            local made = a:stencil(f, one, a, 3):totable()
            local numbers = lun.index(40):stencil(function(x, k, q) return x(-1) * k.n[1] + q[1].n[2] end, one, a):totable()
            local plain = lun.index(40):stencil(function(x, k) return x(1) + k.x end, one):totable()
            for i in ipairs(list) do
                local before = list[math.max(i - 1, 1)]
                assert.equal(before.x * 4 + list[3].at.h + 1 + 7 + list[2].z.re, made[i])
                assert.equal(math.max(i - 1, 1) * 3 + list[1].n[2], numbers[i])
                assert.equal(math.min(i + 1, 40) + 2.5, plain[i])
            end
        end)
    end)

    it("stand behind those of a reduction and a scan", function()
        everywhere(30, function(S, list, a)
            local q, none = a:sub(3, 4), { x = 0, n = { 0, 0 }, at = { h = 0 }, on = false, z = 0 }
            local function f(l, r, k, more, one)
                return S(l.x + r.x, { l.n[1] + k * 0, more[1].n[1] + one.n[2] }, At(one.at.h), l.on or r.on, l.z + r.z)
            end
            local total = a:reduce(f, none, 2, q, list[5])
            local scanned = a:scan(f, none, 2, q, list[5], { inclusive = true })[30]
            local x, z = 0.0, lun.complex(0, 0)
            for _, row in ipairs(list) do
                x, z = x + row.x, z + row.z
            end
            for _, got in ipairs { total, scanned } do
                assert.equal(x, got.x)
                assert.same({ 0, 3 + list[5].n[2] }, got.n)
                assert.equal(list[5].at.h, got.at.h)
                assert.equal(z, got.z)
            end
        end)
    end)

    it("are those of lun.teams, which reads and assigns them", function()
        everywhere(24, function(S, list, a)
            local to, k = lun.zeros(24, S), list[7]
            local function run(t, out, from, one, m)
                for i = t:index(), math.min(t:index() + t:elements() - 1, #out) do
                    out[i] = S(from[i].x + one.x * m, { one.n[2], from[i].n[1] }, At(one.at.h), one.on, from[i].z * one.z)
                    out[i].n[1] = out[i].n[1] + 1
                end
            end
            for _ = 1, 2 do
                lun.teams(lun.workdiv(24, { elements = 5 }))(run, to, a, k, 3)
            end
            for i, row in ipairs(to:totable()) do
                assert.same({ x = list[i].x + k.x * 3, n = { k.n[2] + 1, list[i].n[1] }, at = { h = k.at.h }, on = k.on,
                    z = list[i].z * k.z }, row)
            end
        end)
    end)

    it("are those of threads that meet", function()
        everywhere(12, function(_, list, a)
            lun.teams { league = 3, team = 4 }(function(t, r, one)
                local s = t:scratch("f64", 4)
                s[t:thread()] = r[t:index()].x
                t:barrier()
                r[t:index()].x = s[5 - t:thread()] + one.n[1]
            end, a, list[2])
            for i, x in ipairs(a.x:totable()) do
                local first = (i - 1) // 4 * 4
                assert.equal(list[first + 5 - (i - first)].x + 2, x)
            end
        end)
    end)

    it("are single ones of C functions of lun.each and lun.teams", function()
        everywhere(12, function(S, list)
            local x, y, z = lun.zeros(12), lun.zeros(12), lun.zeros { 3, 4 }
            lun.each(12, "void f(long i, double *x, const Item p, double k) { x[i] = p.x * i + p.n[1] * k + p.at.h + p.on; }",
                x, list[3], 2)
            lun.each({ 3, 4 }, "void f(int i, int j, At q, double *z, Item p) { z[i * 4 + j] = q.h * i + p.z.im * j; }",
                { tile = { 2, 2 } }, At(5), z, S(1, { 2, 3 }, At(4), false, lun.complex(6, 7)))
            lun.teams { league = 3, team = 4 }([[double of(Item p) { return p.x + p.n[0]; }
                void f(double *y, Item p) {
                    LUN_SCRATCH(double, s, LUN_THREADS(0));
                    p.x += LUN_THREAD(0);
                    s[LUN_THREAD(0)] = of(p);
                    LUN_BARRIER;
                    y[LUN_INDEX(0)] = s[LUN_THREADS(0) - 1 - LUN_THREAD(0)] + 100 * p.x;
                }]], y, list[4])
            local p, q = list[3], list[4]
            for i = 0, 11 do
                assert.equal(p.x * i + p.n[2] * 2 + p.at.h + (p.on and 1 or 0), x[i + 1])
                assert.equal(5.0 * (i // 4) + 7 * (i % 4), z[i // 4 + 1][i % 4 + 1])
                assert.equal(q.x + q.n[1] + 3 - i % 4 + 100 * (q.x + i % 4), y[i + 1])
            end
        end)
    end)

    it("are those of lun.call, which may return one", function()
        everywhere(12, function(S, list, a)
            local function sum(r, one, k)
                local s = one
                for i = 1, #r do
                    s = S(s.x + r[i].x * k, { i, r[i].n[2] }, r[i].at, r[i].on, s.z + r[i].z)
                end
                return s
            end
            local function plain(r, one, k)
                local x, z = one.x, one.z
                for i = 1, #r do
                    x, z = x + r[i].x * k, z + r[i].z
                end
                return { x = x, n = { #r, r[#r].n[2] }, at = r[#r].at, on = r[#r].on, z = z }
            end
            assert.same(plain(list, list[3], 2), lun.call(sum, a, list[3], 2))
            assert.equal(list[4].x, lun.call(function(r) return r[4].x end, a))
            assert.equal(list[4].x, lun.call(function(one) return one.x end, list[4]))
            local captured = lun.call(function() return S(1, { 2, 3 }, At(4), true, lun.complex(5, 6)) end)
            assert.same({ x = 1, n = { 2, 3 }, at = { h = 4.0 }, on = true, z = lun.complex(5, 6) }, captured)
        end)
    end)

    it("may be read as a whole, whatever their struct has", function()
        onplaces.everywhere(function()
            local W = lun.struct("Many", { { "v", "f64", 40 }, { "k", "i32" } })
            local w = lun.vector({ v = lun.index(240):reshape(2, 3, 40), k = lun.index(6):reshape(2, 3) }, W)
            local One = lun.struct("One", { { "n", "i64" } })
            local made = w:zip(lun.vector { 1, 2, 3 }, function(p, x, one)
                local s = p.k * one.n
                for j = 1, 40 do s = s + p.v[j] * x end
                return s
            end, One(5))
            assert.is_true(made:pending() > 0)
            for i = 1, 2 do
                for k = 1, 3 do
                    local row = (i - 1) * 3 + k
                    assert.equal(5 * row + k * (40 * 40 * (row - 1) + 820), made[i][k])
                end
            end
        end)
    end)

    it("have fields of any name", function()
        local W = lun.struct("Words", { { "end", "f64" }, { "size", "i64" }, { "take", "i64" } })
        local w = lun.vector({ { ["end"] = 1.5, size = 2, take = 3 } }, W)
        assert.same({ 6.5 }, w:map(function(p) return p["end"] + p.size + p.take end):totable())
        assert.same({ 6.5 }, lun.generate(1, function(i) return w[i]["end"] + w[i].size + w[i].take end):totable())
    end)

    it("are refused with what to do", function()
        local S, list = LAYOUTS.aos, rows(3)
        local a, teams = lun.vector(list, S), lun.teams { league = 3 }
        local function f(t, q) q[t:index()].x = 1 end
        local lines = debug.getinfo(1, "S").short_src .. ":"
        local function refused(message, ...)
            assert.matches(lines, expect.failure(message, ...), 1, true)
        end
        refused("bad argument #3 to 'teams' (array, number or record expected, got table)", function() teams(f, a, { x = 1 }) end)
        refused("bad argument #3 to 'teams' (array or number expected, got string)", function() teams(f, a, "x") end)
        refused("bad argument #2 to 'teams' (records: a C function takes arrays of their fields, a.x, and single records)", function()
            teams("void f(double *x) { x[0] = 1; }", a)
        end)
        local x = lun.zeros(3)
        refused("bad argument #4 to 'each' (records: a C function takes arrays of their fields", function()
            lun.each(3, "void f(long i, double *x, const Item *p, At q) { x[i] = q.h; }", x, a, At(1))
        end)
        refused("bad argument #3 to 'teams' (field 'x' is missing", function()
            teams("void f(double *x, Item p) { x[0] = p.x; }", x, At(1))
        end)
        refused("bad argument #4 to 'each' (array or number expected for 'double k', got table)", function()
            lun.each(3, "void f(long i, double *x, double k) { x[i] = k; }", x, At(1))
        end)
        refused("bad argument #5 to 'each' (array or number expected for 'nothing', got table)", function()
            lun.each(3, "void f(long i, double *x, double k) { x[i] = k; }", x, 1, At(1))
        end)
        refused("unknown option 'tiles'", function()
            lun.each(3, "void f(long i, double *x, At q) { x[i] = q.h; }", { tiles = { 2 } }, x, At(1))
        end)
        refused("no field 'y' of a record", function() teams(function(t, q) q[t:index()].y = 1 end, a) end)
        refused("index 4 is out of range for array 'q.x' of length 3", function()
            teams(function(t, q) q[t:index() + 1].x = 1 end, a)
        end)
        refused("'q.x', which the function assigns, shares elements with 'r.x': hand it over once", function()
            teams(function(t, q, r) q[t:index()].x = r[t:index()].x end, a, a)
        end)
        local wide = lun.zeros(3, lun.struct("Wide", { { "v", "f64", 33 } }))
        refused("bad argument to 'stencil' (66 elements of records, at most 64: capture the records, r[i].x, in lun.generate)", function()
            print(lun.stencil(function(p, q) return p(0).v[1] + q(1).v[1] end, { elements = 2 })(wide, wide))
        end)
        local reads = {}
        for k = 1, 62 do reads[k] = ("p(%d).v[1]"):format(k) end
        local many = load("return function(p) return " .. table.concat(reads, " + ") .. " end")()
        assert.equal(0.0, wide:stencil(many)[1])
        reads[63] = "p(63).v[1]"
        many = load("return function(p) return " .. table.concat(reads, " + ") .. " end")()
        refused("more than 2048 elements around an index", function() print(wide:stencil(many)) end)
        for k = 1, 66 do reads[k] = ("p(%d).v[%d]"):format(k % 2, (k + 1) // 2) end
        many = load("return function(p) return " .. table.concat(reads, " + ") .. " end")()
        refused("66 elements around an index are read: read at most 64", function() print(wide:stencil(many)) end)
        refused("bad argument #3 to 'call' (array, number or record expected, got table)", function() lun.call(f, a, {}) end)
        refused("bad argument #1 to 'call' (records need a function in Lua", function() lun.call(print, a) end)
        refused("bad argument #2 to 'stencil' (array, number or record expected, got table)", function()
            a:stencil(function(p) return p(0).x end, { 1 }, { edge = 0 })
        end)
    end)
end)

describe("pairs of records", function()
    onplaces.restore(before_each, after_each)

    it("have the results of plain loops", function()
        everywhere(12, function(_, list, a)
            local wide, tall = a:reshape(3, 4), a:reshape(3, 4)
            local function f(p, q, k, one) return math.abs(p.x - q.n[2]) * k + one.at.h end
            local function wanted(i, j)
                local sum = 0.0
                for l = 1, 4 do
                    sum = sum + f(list[(i - 1) * 4 + l], list[(j - 1) * 4 + l], 2, list[5])
                end
                return sum
            end
            for _, made in ipairs { wide:allpairs(tall, f, "+", nil, 2, list[5]), lun.allpairs(f, "+")(wide, tall, 2, list[5]),
                wide:allpairs(tall, f, function(x, y) return x + y end, 0.0, 2, list[5]) } do
                assert.same({ made:shape() }, { 3, 3 })
                for i = 1, 3 do
                    for j = 1, 3 do
                        assert.equal(wanted(i, j), made[i][j])
                    end
                end
            end
        end)
    end)

    it("may have numbers on one side, and records behind", function()
        everywhere(12, function(_, list, a)
            local numbers = lun.index(8):reshape(2, 4)
            local one = lun.allpairs(function(x, q, r) return x * q.n[1] + r[3].n[2] end, "max")(numbers, a:reshape(3, 4), a)
            local other = lun.allpairs(function(p, x) return p.n[1] - x end, "min", nil, { out = "f64" })(a:reshape(3, 4), numbers)
            local plain = numbers:allpairs(numbers, function(x, y, k) return x * y + k.n[1] end, "+", 0, list[9])
            for i = 1, 2 do
                for j = 1, 3 do
                    local most, least = math.mininteger, math.maxinteger
                    for l = 1, 4 do
                        local x, q = (i - 1) * 4 + l, list[(j - 1) * 4 + l]
                        most, least = math.max(most, x * q.n[1] + list[3].n[2]), math.min(least, q.n[1] - x)
                    end
                    assert.equal(most, one[i][j])
                    assert.equal(least + 0.0, other[j][i])
                end
            end
            assert.equal(1 + 4 + 9 + 16 + 4 * 9, plain[1][1])
        end)
    end)

    it("give records, each of whose fields an operation combines, or a function", function()
        local R = lun.struct("R", { { "d", "f64" }, { "n", "i64", 2 }, { "k", "i32" } })
        local x = lun.generate({ 3, 4 }, function(i, j) return i * 5 - j end)
        local y = lun.generate({ 2, 4 }, function(i, j) return i + 2 * j end)
        everywhere(12, function(_, list, a)
            local function f(p, q, k, one) return R(p.x - q.x + one.at.h, { p.n[1] * k, q.n[2] }, 1) end
            for what, combine in pairs { ["+"] = function(s, v) return s + v end, max = math.max } do
                local made = a:reshape(3, 4):allpairs(a:reshape(3, 4), f, what, nil, 2, list[5])
                assert.equal(R, made:dtype())
                assert.same({ 3, 3 }, { made:shape() })
                for i = 1, 3 do
                    for j = 1, 3 do
                        local d, n1, n2, k
                        for l = 1, 4 do
                            local p, q = list[(i - 1) * 4 + l], list[(j - 1) * 4 + l]
                            local one = p.x - q.x + list[5].at.h
                            d, n1 = d and combine(d, one) or one, n1 and combine(n1, p.n[1] * 2) or p.n[1] * 2
                            n2, k = n2 and combine(n2, q.n[2]) or q.n[2], k and combine(k, 1) or 1
                        end
                        assert.same({ d = d, n = { n1, n2 }, k = k }, made[i][j])
                    end
                end
            end
            local plain = lun.allpairs(function(v, w) return R(v - w, { v, w }, 1) end, "+")(x, y)
            local many = x:allpairs(y, function(v, w) return R(v - w, { v, w }, 1) end, function(v, w) return v + w end, 0)
            for i = 1, 3 do
                for j = 1, 2 do
                    local v, w = 4 * i * 5 - 10, 4 * j + 20
                    assert.same({ d = v - w + 0.0, n = { v, w }, k = 4 }, plain[i][j])
                    assert.same(plain[i][j], many[i][j])
                end
            end
        end)
    end)

    it("give records that a function combines from left to right", function()
        local Near = lun.struct("Near", { { "d", "f64" }, { "k", "i64" } })
        local Wide = lun.struct("Wide", { { "v", "f64", 20 }, { "z", "c128" } })
        local x = lun.generate({ 3, 4 }, function(i, j) return (i * 7 - j * 3) % 5 end)
        local y = lun.generate({ 2, 4 }, function(i, j) return i + j end)
        local function closer(p, q) if q.d < p.d then return q end return p end
        everywhere(12, function(_, list, a)
            local b = a:reshape(3, 4)
            local function f(p, q, k, r, one) return Near(math.abs(p.x - q.x - k), q.n[1] + r[2].n[2] + one.k) end
            local first = Near(1e9, -1)
            for _, made in ipairs { b:allpairs(b, f, closer, first, 1, a, Near(0, 5)),
                lun.allpairs(f, closer, first)(b, b, 1, a, Near(0, 5)) } do
                assert.equal(Near, made:dtype())
                for i = 1, 3 do
                    for j = 1, 3 do
                        local d, k = 1e9, -1
                        for l = 1, 4 do
                            local p, q = list[(i - 1) * 4 + l], list[(j - 1) * 4 + l]
                            local own = math.abs(p.x - q.x - 1)
                            if own < d then d, k = own, q.n[1] + list[2].n[2] + 5 end
                        end
                        assert.same({ d = d, k = k }, made[i][j])
                    end
                end
            end
            local twenty, sums = {}, {}
            for k = 1, 20 do twenty[k], sums[k] = ("v * %d + w"):format(k), ("p.v[%d] * 0.5 + q.v[%d]"):format(k, k) end
            local wide = load(("local W, c = ... return function(v, w) return W({%s}, c(v, w)) end"):format(table.concat(twenty, ", ")))
            local added = load(("local W = ... return function(p, q) return W({%s}, p.z * q.z) end"):format(table.concat(sums, ", ")))
            local zero = {}
            for k = 1, 20 do zero[k] = 0 end
            local made = x:allpairs(y, wide(Wide, lun.complex), added(Wide), Wide(zero, 1))
            local empty = lun.zeros({ 3, 0 }):allpairs(lun.zeros { 2, 0 }, wide(Wide, lun.complex), added(Wide), Wide(zero, 1))
            for i = 1, 3 do
                for j = 1, 2 do
                    local v, z = {}, lun.complex(1, 0)
                    for k = 1, 20 do v[k] = 0.0 end
                    for l = 1, 4 do
                        local p, q = (i * 7 - l * 3) % 5, j + l
                        for k = 1, 20 do v[k] = v[k] * 0.5 + (p * k + q) end
                        z = z * lun.complex(p, q)
                    end
                    assert.same(v, made[i][j].v)
                    assert.is_true(z == made[i][j].z)
                    assert.same(0.0, empty[i][j].v[20])
                end
            end
        end)
    end)

    it("have the bits of pairs of their fields", function()
        local X = lun.struct("X", { { "x", "f64" } })
        local v, w = lun.random(700):reshape(7, 100), lun.random(500):reshape(5, 100)
        local a, b = lun.vector({ x = v }, X), lun.vector({ x = w }, X)
        for _, g in ipairs { "+", "*", "max", function(x, y) return x + y end } do
            local id = type(g) == "function" and 0.0 or nil
            local fields = v:allpairs(w, function(x, y) return math.abs(x - y) + 0.3 end, g, id)
            local made = a:allpairs(b, function(p, q) return math.abs(p.x - q.x) + 0.3 end, g, id)
            assert.is_true(made:equals(fields))
        end
    end)

    it("are refused with what to do", function()
        local a = lun.zeros({ 2, 2 }, LAYOUTS.aos)
        local function f(p, q) return p.x + q.x end
        local function refused(message, ...) expect.failure(message, a.allpairs, a, ...) end
        refused("bad argument #1 to 'allpairs' (records need a function in Lua", a, "float f(float x, float y){ return x; }", "+")
        refused("bad argument #2 to 'allpairs' (function, C source, path or operation expected, got nil)", a)
        refused("bad argument #3 to 'allpairs' (function, C source, path or operation expected, got nil)", a, f)
        refused("bad argument #5 to 'allpairs' (array, number or record expected, got table)", a, f, "+", 0, { 1 }, 2)
        refused("no field 'y' of a record", a, function(p, q) return p.y + q.x end, "+")
        expect.failure("wrong number of arguments to 'allpairs' (2 arrays expected, got 1)", lun.allpairs(f, "+"), a)
        expect.failure("wrong number of arguments to 'map' (3 arrays expected, got 2)", lun.map(f, { elements = 3 }), a, a)
        expect.failure("2", lun.allpairs(f, "+"), a:flatten(), a) -- two matrices
        local Q = lun.struct("Q", { { "d", "f64" } })
        local x, one = lun.zeros { 2, 2 }, { d = 0 }
        local lines = debug.getinfo(1, "S").short_src .. ":"
        local function made(v, w) return Q(v - w) end
        local function sum(p, q) return Q(p.d + q.d) end
        local function fails(message, ...)
            local given = table.pack(...)
            local e = expect.failure(message, function() x:allpairs(table.unpack(given, 1, given.n)) end)
            assert.matches(lines, tostring(e), 1, true)
        end
        fails("bad argument #3 to 'allpairs' (a function in Lua expected, beside a first record, got string)", x, made, "+", one)
        fails("bad argument #2 to 'allpairs' (a function in Lua expected, beside a first record, got string)", x, "+", sum, one)
        local function number(p) return p.d end
        local function same(v) return v end
        fails("bad argument #2 to 'allpairs' (the function has to return a record, as the first value is one", x, same, sum, one)
        fails("bad argument #3 to 'allpairs' (the function has to return a record of Q, got a number)", x, made, number, one)
        fails("no field 'e' of a record", x, made, function(p) return Q(p.e) end, one)
        fails("bad argument #4 to 'allpairs' (field 'd' is missing", x, made, sum, { h = 1 })
        fails("bad argument #1 to 'allpairs' (shapes do not fit: rows of 2 and of 3)", lun.zeros { 2, 3 }, made, sum, one)
        fails("#1 to 'allpairs' (a matrix is expected, whose rows are compared: the rank is 1)", lun.zeros(2), made, sum, one)
        fails("bad argument #5 to 'allpairs' (array, number or record expected, got table)", x, made, sum, one, {}, 1)
        local Z = lun.struct("Z", { { "z", "c128" } })
        fails("field 'z' of Z is complex: combine records, by a function and a first one, Z(...)", x, function(v) return Z(v) end, "+")
    end)
end)
