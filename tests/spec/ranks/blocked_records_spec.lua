-- Blocked arrays of records: what is computed of them is equal to what plain Lua computes of lists, on several numbers of ranks,
-- some of which have no record; elements, fields, loops, moves, messages and what is refused.
local onranks = require "onranks"

local scratch = onranks.scratch(setup, teardown)
local _, holds = onranks.blocked(scratch, assert)

local WITH = [[
local lun = require "lunarray"
local P = lun.struct("P", { { "x", "f64" }, { "v", "i64", 2 }, { "k", "i32" } }, { layout = ... })
local Q = lun.struct("Q", { { "p", P }, { "m", "f32", { 2, 3 } }, { "on", "bool" }, { "z", "c128" } })
local function item(x, v1, v2, k)
    return { x = x, v = { v1, v2 }, k = k }
end
local function rows(count)
    local list = {}
    for i = 1, count do list[i] = item(i / 4, i, -3 * i, i * 7 % 5) end
    return list
end
local function each(list, f)
    local made = {}
    for i, p in ipairs(list) do made[i] = f(p, i) end
    return made
end
local function over(a, options)
    options = options or {}
    options.over = "ranks"
    return a:distribute("block", options)
end
local function blocked(count, options)
    return over(lun.vector(rows(count), P), options)
end
local function is_blocked(a)
    assert(a:kind() == "Blocked", "not blocked: " .. a:kind())
    return a
end
local function whole(a)
    return is_blocked(a):copy():distribute("copy", { over = "ranks" })
end
local function alike(x, y, at)
    if type(x) ~= "table" then
        assert(x == y and math.type(x) == math.type(y), ("%s: %s instead of %s"):format(at, x, y))
        return
    end
    for key, one in pairs(x) do alike(one, y[key], at .. " " .. key) end
    for key in pairs(y) do assert(x[key] ~= nil, at .. " has no " .. key) end
end
local function same(what, a, list)
    if type(a) ~= "table" or a.totable then a = (a:kind() == "Blocked" and whole(a) or a):totable() end
    alike(a, list, what)
end
local function raises(part, f, ...)
    local ok, why = pcall(f, ...)
    assert(not ok and tostring(why):find(part, 1, true), tostring(why))
end
]]

-- On both layouts.
local function both(script)
    for _, layout in ipairs { "aos", "soa" } do holds((WITH:gsub("%.%.%.", ("%q"):format(layout), 1)) .. script) end
end

describe("Blocked arrays of records", function()
    for _, count in ipairs { 1, 5, 50 } do
        it(("give what plain Lua gives: %d"):format(count), function()
            both(("local count = %d\n"):format(count) .. [[
                local a, l = blocked(count), rows(count)
                assert(is_blocked(a) == a and a:dtype() == P and a:size() == count and #a == count and a:layout() == P.layout)
                same("itself", a, l)
                local before = lun.stats().messages
                local made = {
                    a:map(function(p) return P(p.x + p.v[2], { p.v[2], p.v[1] }, p.k) end), a:map(function(p) return p.x * p.k end),
                    a:zip(a.x * 2, function(p, y) return p.x + y * p.k end), a.x:zip(a, function(y, p) return y + p.k end),
                    a:map "P f(P p) { return (P){p.x + 1, {p.v[1], p.v[0]}, 2 * p.k}; }",
                    a:eq(blocked(count)), a:ne(P(0.25, { 1, -3 }, 2)), lun.where(a.k:gt(2), a, P(9, { 8, 7 }, 6)),
                    lun.where(a.k:gt(2), P(9, { 8, 7 }, 6), lun.vector(l, P)), a:cast(lun.struct("P", { { "x", "f32" }, { "v", "i32", 2 },
                        { "k", "f64" } })), lun.eq(lun.vector(l, P), a), lun.map(function(p) return p.v[2] + p.k end)(a), a:copy(),
                }
                assert(lun.stats().messages == before)
                for k, f in ipairs {
                    function(p) return item(p.x + p.v[2], p.v[2], p.v[1], p.k) end, function(p) return p.x * p.k end,
                    function(p) return p.x + p.x * 2 * p.k end, function(p) return p.x + p.k end,
                    function(p) return item(p.x + 1, p.v[2], p.v[1], p.k * 2) end, function() return true end,
                    function(_, i) return i ~= 1 end, function(p) return p.k > 2 and p or item(9.0, 8, 7, 6) end,
                    function(p) return p.k > 2 and item(9.0, 8, 7, 6) or p end,
                    function(p) return item(p.x, p.v[1], p.v[2], p.k + 0.0) end, function() return true end,
                    function(p) return p.v[2] + p.k end, function(p) return p end,
                } do
                    same("alone " .. k, is_blocked(made[k]), each(l, f))
                end

                local function sum(p, q) return P(p.x + q.x, { p.v[1] + q.v[1], math.min(p.v[2], q.v[2]) }, p.k + q.k) end
                local zero, sums, r = P(0, { 0, 0 }, 0), {}, item(0.0, 0, 0, 0)
                for i, p in ipairs(l) do
                    sums[i] = r
                    r = item(r.x + p.x, r.v[1] + p.v[1], math.min(r.v[2], p.v[2]), r.k + p.k)
                end
                same("reduce", a:reduce(sum, zero), r)
                same("lun.reduce", lun.reduce(sum, zero)(a), r)
                same("scan", is_blocked(a:scan(sum, zero)), sums)
                same("lun.scan", lun.scan(sum, zero)(a), sums)
                same("inclusive", a:scan(sum, zero, { inclusive = true }), table.move(sums, 2, count, 1, { [count] = r }))
                same("stencil", is_blocked(a:stencil(function(p) return p(-1).x + p(1).v[1] end, { edge = "nearest" })),
                    each(l, function(_, i) return l[math.max(i - 1, 1)].x + l[math.min(i + 1, count)].v[1] end))
                same("wraps", is_blocked(a:stencil(function(p) return p(-1).x + p(1).k end, { edge = "wrap", radius = 1 })),
                    each(l, function(_, i) return l[(i - 2) % count + 1].x + l[i % count + 1].k end))
                same("shift", is_blocked(a:shift(1, { edge = "wrap" })), each(l, function(_, i) return l[(i - 2) % count + 1] end))
                same("shift back", a:shift(-1, { edge = zero }), each(l, function(_, i) return l[i + 1] or item(0.0, 0, 0, 0) end))

                local ordered = each(l, function(p) return p end)
                table.sort(ordered, function(p, q) if p.k ~= q.k then return p.k < q.k end return p.x > q.x end)
                same("sort", a:sort { by = { "k", "-x" } }, ordered)
                same("lun.sort", lun.sort(a, { by = { "k", "-x" } }), ordered)
                same("take", a:take { -1, 1, 1 }, { l[count], l[1], l[1] })
                same("filter", a:filter(function(p) return p.x <= 1 end), table.move(l, 1, math.min(count, 4), 1, {}))
                same("compress", a:compress(a.x:le(1)), table.move(l, 1, math.min(count, 4), 1, {}))
                same("concat", lun.concat { a, a:sub(1, 1) }, table.move({ l[1] }, 1, 1, count + 1, table.move(l, 1, count, 1, {})))
                same("..", a .. a:sub(1, 1), table.move({ l[1] }, 1, 1, count + 1, table.move(l, 1, count, 1, {})))
                same("sub", is_blocked(a:sub({ 1, (count + 1) // 2 })), table.move(l, 1, (count + 1) // 2, 1, {}))
                same("totable", a:totable(), l)
                local seen = {}
                for i, p in pairs(a) do seen[i] = p end
                same("pairs", seen, l)
                assert(a:equals(lun.vector(l, P)) and not a:equals(a:shift(1, { edge = zero })))]])
        end)
    end

    it("are made of a shape, of what a function gives, and distributed in place", function()
        both [[
            local a = lun.zeros({ s.block(10) }, P)
            same("zeros", a, each(rows(10), function() return item(0.0, 0, 0, 0) end))
            same("of one extent", lun.zeros(s.block(3), P), each(rows(3), function() return item(0.0, 0, 0, 0) end))
            same("full", lun.full({ s.block(10) }, { x = 1, v = { 2, 3 }, k = 4 }, P), each(rows(10), function()
                return item(1.0, 2, 3, 4)
            end))
            same("full of one", lun.full(s.block(2), P(1, { 2, 3 }, 4), P), each(rows(2), function() return item(1.0, 2, 3, 4) end))
            same("generate", lun.generate(s.block(10), function(i) return P(i / 4, { i, -3 * i }, i * 7 % 5) end), rows(10))
            same("empty", lun.zeros({ s.block(0) }, P), {})
            local b = lun.vector(rows(20), P)
            for _, way in ipairs { { rule = "balanced" }, { rule = "remainder" }, {}, { rule = "ceiling", axis = 1 } } do
                assert(over(b, way) == b and #b == 20)
                same("distributed", b, rows(20))
            end
            local kind, told = b:distribution()
            assert(kind == "block" and told.rule == "ceiling" and #told.counts == n)
            assert(s.home(b, 1) == 0 and s.blksize(b, 1, 0) == (20 + n - 1) // n)
            assert(s.localsize(b, 0) == P.bytes * s.blksize(b, 1, 0) and s.localsize({ s.block(20) }, P, 0) == s.localsize(b, 0))
            assert(#s.localview(b) == s.blksize(b, 1) and s.localview(b):dtype() == P)
            assert(b:distribute("copy", { over = "ranks" }) == b and b:kind() == "Records" and b:layout() == P.layout)
            same("private again", b, rows(20))
            assert(#b:tobytes() == 20 * P.bytes)]]
    end)

    it("are made of columns, some of them blocked", function()
        both [[
            local function column(x, options) return over(x:copy(), options) end
            local i = lun.index(17)
            local x, k, v = column(i / 4), column(i * 7 % 5, { rule = "balanced" }), column(lun.stack({ i, i * -3 }, 2))
            local before = lun.stats().messages
            same("alike", is_blocked(lun.vector({ x = x, v = v, k = i * 7 % 5 }, P)), rows(17))
            assert(lun.stats().messages == before)
            local a = lun.vector({ x = x, v = v, k = k }, P)
            same("in other blocks", a, rows(17))
            assert(a:dtype() == P and a:layout() == P.layout and a:size() == 17)
            local r = lun.vector({ x = lun.index(17) / 4, v = v, k = 3 }, P)
            same("by a field with an axis", r, each(rows(17), function(p) return item(p.x, p.v[1], p.v[2], 3) end))
            assert(select(2, r:distribution()).rule == select(2, v:distribution()).rule)
            x:fill(0)
            same("a copy", a, rows(17))
            local listed = lun.vector({ x = k, v = { 4, 5 }, k = lun.index(17):totable() }, P)
            same("of numbers and lists", listed, each(rows(17), function(p, j) return item(p.k + 0.0, 4, 5, j) end))
            local function check(q, z)
                assert(is_blocked(q):dtype() == Q and q.p:dtype() == P and q[17].p.v[2] == -51 and q[2].p.x == 0.5)
                assert(q.on:count() == 3 and q.m[3][2][3] == 6.0 and q[5].z == z)
            end
            local m, whole = { { 1, 2, 3 }, { 4, 5, 6 } }, over(lun.vector(rows(17), P))
            check(lun.vector({ p = whole, m = m, on = column((i * 7 % 5):lt(1)), z = 2 }, Q), lun.complex(2, 0))
            check(lun.vector({ p = { x = column(i / 4), v = v, k = 1 }, m = m, on = k:lt(1), z = k:map(function(u)
                return lun.complex(u, 1)
            end) }, Q), lun.complex(0, 1))
            local wide = column(lun.zeros({ 3, 8 }), { axis = 2 })
            wide = lun.vector({ x = wide, v = { 1, 2 }, k = 4 }, P)
            assert(wide:size() == 24 and wide[3][8].v[2] == 2 and select(2, wide:distribution()).axis == 2)
            raises("bad argument #1 to 'vector' (field 'k' is missing: P has x, v and k)", function()
                return lun.vector({ x = x, v = v }, P)
            end)
            raises("unknown field 'y'", function() return lun.vector({ x = x, v = v, k = k, y = 1 }, P) end)
            raises("field 'k': shapes differ: i32[17] and i64[9]", function()
                return lun.vector({ x = x, v = v, k = lun.index(9) }, P)
            end)
            raises("(field 'k': ", function() return lun.vector({ x = x, v = v, k = column(lun.index(9)) }, P) end)
            raises("(field 'v': t[1] is a string", function() return lun.vector({ x = x, v = { "a" }, k = 1 }, P) end)
            raises("(field 'v': i64[2, 4] is blocked along axis 2, which is the field's)", function()
                return lun.vector({ x = 1, v = column(lun.zeros({ 2, 4 }, "i64"), { axis = 2 }), k = 1 }, P)
            end)
            raises("(field 'p': field 'v' is missing", function() return lun.vector({ p = { x = x }, m = m, on = true, z = 1 }, Q) end)
            raises("(field 'p': a table of x, v and k expected", function() return lun.vector({ p = x, m = m, on = true, z = 1 }, Q) end)
            same("after all", a, rows(17))]]
    end)

    it("have records and fields that each rank reads and assigns", function()
        both [[
            local a, l = blocked(20), rows(20)
            for i = 1, 20 do -- no step
                alike(a[i], l[i], "record")
                assert(a.x[i] == l[i].x and a:field "k"[i] == l[i].k and a.v[i][2] == l[i].v[2])
            end
            assert(a[21] == nil and a[-1].x == 5.0 and a.x == a.x and a.nothing == nil)
            s.barrier()
            if me == n - 1 then
                a[1], a[20] = P(0.5, { 6, 7 }, 8), { x = 1, v = { 2, 3 }, k = 4 }
                a.x[2], a.v[19][1] = 77, 78
            end
            s.barrier()
            alike(a[1], item(0.5, 6, 7, 8), "first")
            alike(a[20], item(1.0, 2, 3, 4), "last")
            assert(a[2].x == 77.0 and a[19].v[1] == 78 and a.v[19][2] == -57)
            s.barrier()
            a.x = lun.index(20) * 2
            a.k:set(a.k * 0 + a.x:cast "i32")
            a.v = lun.zeros({ 20, 2 }, "i64")
            same("fields", a, each(l, function(_, i) return item(2.0 * i, 0, 0, 2 * i) end))
            a:set(lun.vector(l, P))
            assert(a.v:sum() == -420 and a.k:max() == 4 and a.x[20] == 5.0)
            s.barrier()
            a:fill(P(1, { 2, 3 }, 4))
            same("filled", a, each(l, function() return item(1.0, 2, 3, 4) end))
            local there = lun.vector(l, P)
            assert(there:copyto(a) == a and a:copyto(lun.vector(l, P)):equals(there))
            a:put(lun.vector { 20, 1 }, lun.vector({ l[1], l[20] }, P))
            same("put", a, each(l, function(p, i) return i == 1 and l[20] or i == 20 and l[1] or p end))
            s.barrier()
            for _ = 1, 3 do s.atomic(a.k, 5, "+", 1) end
            s.atomic(function() a.k[6] = a.k[6] + 1 end)
            s.barrier()
            assert(a[5].k == 3 * n and a[6].k == 2 + n)
            s.barrier()
            a:free()
            raises("freed", function() return a.x:sum() end)]]
    end)

    it("show themselves", function()
        both [[
            local a = blocked(50)
            if me == 0 then
                local text = tostring(a)
                assert(text:find("Blocked<P>[50] " .. P.layout .. " over " .. n, 1, true), text)
                assert(text:find("50 +12.50 +50 +%-150 +0$") and text:find "x +v%[1%] +v%[2%] +k", text)
            end
            s.barrier()
            local text = tostring(lun.zeros({ 2, s.block(3) }, Q))
            assert(text:find("Blocked<Q>[2, 3]", 1, true) and text:find("\n.p.v: ", 1, true) and text:find("\n.z: ", 1, true), text)]]
    end)

    it("may have structs, arrays and complex numbers in them", function()
        both [[
            local function made(count)
                local list = {}
                for i = 1, count do
                    list[i] = Q(P(i, { i, 2 * i }, 3), { { i, 2, 3 }, { 4, 5, -i } }, i % 2 == 0, lun.complex(i, -1))
                end
                return lun.vector(list, Q)
            end
            local a = over(made(9))
            assert(is_blocked(a.p) and a.p:dtype() == P and is_blocked(a.m) and table.concat({ a.m:shape() }, ",") == "9,2,3")
            assert(a.p.x[9] == 9.0 and a[9].p.v[2] == 18 and a.m[9][2][3] == -9.0 and a.z[9] == lun.complex(9, -1) and a[2].on == true)
            assert(a.m:sum() == 14 * 9 and a.z:sum() == lun.complex(45, -9) and a.on:count() == 4)
            a.p.k = lun.index(9)
            a.p:set(a.p:map(function(p) return P(p.x + 1, { p.v[2], p.v[1] }, p.k) end))
            local b = a:map(function(q) return Q(q.p, q.m, not q.on, q.z * q.z) end)
            assert(b.p.k:sum() == 45 and b.p.x[9] == 10.0 and b.p.v[9][1] == 18 and b.z[3] == lun.complex(8, -6) and b.on:count() == 5)
            over(a, { rule = "balanced" })
            over(b, { rule = "remainder" })
            assert(a:copy():distribute("copy", { over = "ranks" }).m:equals(made(9).m))
            assert(a:zip(b, function(p, q) return p.p.x + q.m[2][3] end):sum() == 54 - 45)
            s.barrier()
            if me == n - 1 then a.p[1] = P(5, { 6, 7 }, 8) end
            s.barrier()
            assert(a[1].p.v[2] == 7 and a.p.x[1] == 5.0)]]
    end)

    it("may have more than 16 elements, which functions return", function()
        both [[
            local W = lun.struct("W", { { "v", "i64", { 4, 5 } }, { "p", P }, { "z", "c64" } })
            local function made(x, y)
                local r = { x, y, x * y, 1, 2 }
                return W({ r, { y, x, 0, 1, 2 }, r, { 1, 2, 3, 4, x + y } }, P(x / 2, { y, x }, 5), lun.complex(x, y))
            end
            local function holds(w, f)
                is_blocked(w)
                for i = 1, 12 do
                    local x, y = f(i)
                    assert(w.v[i][2][1] == y and w.v[i][4][5] == x + y and w.v[i][3][3] == x * y and w.p.x[i] == x / 2)
                    assert(w.p.v[i][1] == y and w.p.k[i] == 5 and w.z[i] == lun.complex(x, y))
                end
            end
            local x = over((lun.index(12) * 3):copy())
            local function twice(i) return 3 * i, i end
            holds(lun.generate(s.block(12), function(i) return made(3 * i, i) end), twice)
            holds(x:map(function(v) return made(v, v // 3) end), twice)
            holds(x:zip(x // 3, made), twice)
            local w = x:zip(x // 3, made)
            holds(w:map(function(q) return W(q.v, q.p, q.z) end), twice)
            s.barrier()]]
    end)

    it("have several axes, and rows", function()
        both [[
            local a = lun.vector(rows(60), P):reshape(5, 12):copy()
            for _, axis in ipairs { 1, 2 } do
                local b = over(a:copy(), { axis = axis })
                assert(#b == 5 and select(2, b:shape()) == 12 and b[2][3].x == 15 / 4 and b.v[5][12][2] == -180)
                assert(b.x:sum(1)[12] == a.x:sum(1)[12] and is_blocked(b.x):sum() == a.x:sum())
                local all = b:copy():distribute("copy", { over = "ranks" })
                assert(all:equals(a))
                over(b, { axis = 3 - axis })
                assert(b:sub({ 2, 3 }, { 4, 7 }):equals(a:sub({ 2, 3 }, { 4, 7 })))
                assert(b:map(function(p) return p.x + p.v[1] end):sum() == a.x:sum() + 1830)
            end
            local b = over(a:copy(), { axis = 2 })
            local row = b[2]
            assert(#row == 12 and row[3].k == a[2][3].k and row:map(function(p) return p.x end):sum() == a.x[2]:sum())
            assert(row.x:sum() == a.x[2]:sum())
            row.k = lun.index(12)
            assert(b[2][12].k == 12 and b[1][12].k == a[1][12].k)
            s.barrier()
            if me == n - 1 then row[3] = P(1, { 2, 3 }, 4) end
            s.barrier()
            assert(b[2][3].v[2] == 3)
            local c = lun.zeros({ s.block(6), s.block(8) }, P)
            c.x = lun.index(48):reshape(6, 8)
            assert(c.x:sum() == 1176 and c[6][8].x == 48.0 and c.v[6][8][2] == 0)
            assert(c:reduce(function(p, q) return P(p.x + q.x, p.v, p.k) end, P(0, { 0, 0 }, 0)).x == 1176)
            local along = a:reduce(function(p, q) return P(p.x + q.x, { 0, 0 }, p.k + q.k) end, P(0, { 0, 0 }, 0), { axis = 1 })
            local same_along = b:reduce(function(p, q) return P(p.x + q.x, { 0, 0 }, p.k + q.k) end, P(0, { 0, 0 }, 0), { axis = 1 })
            assert(#along == 12 and along.k[4] ~= nil and #same_along == 12)]]
    end)

    it("are in loops of all ranks as records", function()
        both [[
            local a, b, l = blocked(20), blocked(20, { rule = "balanced" }), rows(20)
            s.sharedon(a, { { 2, 19 } }, function(i)
                a.x[i] = b[i - 1].x + b.x[i + 1]
                a[i].k = b.k[21 - i]
            end)
            same("fields", a, each(l, function(p, i)
                return 1 < i and i < 20 and item(l[i - 1].x + l[i + 1].x, p.v[1], p.v[2], l[21 - i].k) or p
            end))
            local x, h = a.x, lun.zeros(s.block(5), P)
            s.sharedon(a, function(i)
                x[i] = a[i].v[1] * 2
                h.x[b[i].k + 1] = h.x[b[i].k + 1] + 1
            end)
            assert(a.x:sum() == 420 and h.x:sum() == 20 and h.x:min() == 4)
            s.sharedon(a, function(i) a[i] = P(b[i].x, { 1, 2 }, 3) end)
            same("whole", a, each(l, function(p) return item(p.x, 1, 2, 3) end))
            s.sharedon(function(i) return b.k[i] end, { 20 }, function(i) b.k[i] = i end)
            assert(b.k:sum() == 210)]]
    end)

    it("travel with all fields in one message, and to other blocks", function()
        both [[
            local a, plain = blocked(40), over((lun.index(40) / 4):copy())
            local function messages(f)
                local before = lun.stats().messages
                f()
                return lun.stats().messages - before
            end
            for _, f in ipairs {
                function(x) over(x, { rule = "balanced" }) end, function(x) over(x, { rule = "remainder" }) end,
                function(x) return x:sub({ 3, 30 }) end, function(x) return x:eq(over(x:copy(), { rule = "ceiling" })) end,
                function(x) return x[40], x[1] end,
            } do
                assert(messages(function() f(a) end) <= messages(function() f(plain) end))
            end
            same("moved", a, rows(40))
            assert(messages(function() a:stencil(function(p) return p(-1).x + p(1).k + p(1).v[2] end, { edge = "nearest" }) end)
                <= messages(function() plain:stencil(function(p) return p(-1) + p(1) end, { edge = "nearest" }) end))
            local x = a.x
            over(a, { rule = "ceiling" })
            raises("the records of which this is 'x' are divided otherwise by now", function() return n > 1 and x[1] or error(
                "the records of which this is 'x' are divided otherwise by now") end)
            assert(a.x[1] == 0.25)]]
    end)

    it("are saved, columns of tables, and arguments of functions", function()
        both [[
            local path = "records.npy"
            local a, l = blocked(30), rows(30)
            s.barrier()
            assert(lun.save(path, a))
            s.barrier()
            local b = lun.load(path)
            assert(#b == 30 and b.x:sum() == a.x:sum() and b:distribute("block", { over = "ranks" }):kind() == "Blocked")
            assert(b[30].v[2] == -90)
            local t = lun.table { p = a, k = a.k }
            assert(#t.p == 30 and t:sort("p").k[30] == 0 and #t:group("p"):agg { { "n", "count", "k" } }.n == 30)
            local y = a:map(function(p, c) return p.x + c.x end, P(1, { 0, 0 }, 0))
            assert(y:sum() == a.x:sum() + 30)
            local c = a
            raises("blocked", function() return lun.index(3):map(function(i) return c.x[i] end):eval() end)
            s.barrier()]]
    end)

    it("go with private arrays and records, which are the first argument, too", function()
        both [[
            local a, l, x, r = blocked(5), rows(5), lun.index(5) * 1.0, lun.vector(rows(5), P)
            local half = over((lun.index(5) / 2):copy())
            local function second(v, b) return v + b[2].x end
            same("map of an array", x:map(second, a), { 1.5, 2.5, 3.5, 4.5, 5.5 })
            same("map of an array, plain", x:map(function(v, b) return v + b[2] end, half), { 2.0, 3.0, 4.0, 5.0, 6.0 })
            same("map of records", r:map(function(p, b) return p.k + b[2].k end, a), each(l, function(p) return p.k + 4 end))
            same("lun.map", lun.map(second)(x, a), { 1.5, 2.5, 3.5, 4.5, 5.5 })
            same("blocked by records", a:map(function(p, b) return p.k + b[2].k end, r), each(l, function(p) return p.k + 4 end))
            same("zip", is_blocked(x:zip(a, function(v, p) return v * p.k end)), each(l, function(p, i) return i * 1.0 * p.k end))
            same("zip of records", is_blocked(r:zip(a, function(p, q) return p.k + q.k end)), each(l, function(p) return p.k * 2 end))
            same("eq", is_blocked(r:eq(a)), { true, true, true, true, true })
            local twice = table.move(l, 1, 5, 6, each(l, function(p) return p end))
            same("concat", lun.concat { r, a }, twice)
            same("..", r .. a, twice)
            same("blocked first", a .. r, twice)
            assert(lun.stack { r, a }:equals(lun.stack { r, r }))
            same("run", lun.map(function(p) return P(p.x, p.v, 1) end):run { a, out = a }, each(l, function(p)
                return item(p.x, p.v[1], p.v[2], 1)
            end))
            same("of columns", is_blocked(lun.vector({ x = a.x, v = { 1, 2 }, k = 1 }, P)), each(l, function(p)
                return item(p.x, 1, 2, 1)
            end))
            raises("field 'x' is blocked", function() return lun.full(5, { x = a.x, v = { 1, 2 }, k = 1 }, P) end)
            raises("sharedon runs loops over blocked arrays", function() lun.each(5, function(i) a[i] = P(1, { 2, 3 }, 4) end) end)]]
    end)

    it("are refused where they are no operands, alike on all ranks", function()
        both [[
            local a = blocked(12)
            raises("attempt to perform + on records of P", function() return a + 1 end)
            raises("attempt to perform - on records of P", function() return 1 - a end)
            raises("got records of P", function() return a.x * a end)
            raises("attempt to perform - on records of P", function() return -a end)
            raises("records of P have no 'sum'", function() return a:sum() end)
            raises("records of P have no 'sum'", function() return lun.sum(a) end)
            raises("bad argument #1 to 'add' (array or number expected, got records of P", function() return lun.add(a, 1) end)
            raises("to 'concat' (list of arrays expected", function() return lun.concat(1, a) end)
            local ok, e = pcall(function() a[12] = { x = 1 } end) -- on another rank, which is at a line of its own
            assert(not ok and select(2, e:gsub("s%.lua:%d+: ", "")) == 1, e)
            assert(lun.convolve(a.x, a.x):sum() == 19.5 ^ 2)
            raises("no field 'y': P has x, v and k", function() return a:field "y" end)
            raises("no field 'y': P has x, v and k", function() a.y = 1 end)
            raises("index 13 is out of range", function() a[13] = P(1, { 2, 3 }, 4) end)
            raises("field 'v' is missing", function() a[1] = { x = 1 } end)
            raises("unknown field 'y'", function() a[12] = { x = 1, v = { 2, 3 }, k = 4, y = 5 } end)
            raises("a table of x, v and k expected", function() a[12] = lun.na end)
            raises("shapes differ: P[12] and P[5]", function() return a:eq(blocked(5)) end)
            raises("records of P and of R differ", function()
                return a:eq(lun.zeros(s.block(12), lun.struct("R", { { "x", "f32" }, { "v", "i64", 2 }, { "k", "i32" } })))
            end)
            raises("records expected, got a blocked array", function() return lun.vector(rows(12), P):set(a) end)
            raises("records of P have no '+'", function() return a:reduce("+", P(0, { 0, 0 }, 0)) end)
            raises("the function has to return a record of P", function()
                return a:reduce(function(p) return p.x end, P(0, { 0, 0 }, 0))
            end)
            raises("records are changed by their fields: s.atomic(a.x", function() s.atomic(a, 1, "exchange", P(1, { 2, 3 }, 4)) end)
            raises("records are read and assigned by their fields", function() s.atomic(function() a.k[1] = a[1].k + 1 end) end)
            raises("axis 2: an extent expected", function() return lun.zeros({ s.block(3), {} }, P) end)
            raises("axis 2 of an array of rank 1", function() over(a, { axis = 2 }) end)
            raises('over: "ranks" expected', function() lun.vector(rows(3), P):distribute("block", { over = "places" }) end)
            same("after all", a, rows(12))
            assert(not lun.isarray(a) and lun.isarray(a.x))]]
    end)
end)
