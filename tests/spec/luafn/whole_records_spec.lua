-- Records read and assigned as wholes in functions, and records that are other ones in each round of a loop, against the
-- same functions called by Lua with plain tables: lun.generate, map, lun.each and lun.teams; both layouts, every backend
-- and sets of places; wrong functions.
local expect = require "expect"
local lun = require "lunarray"
local onplaces = require "spec.onplaces"

local function structs(layout)
    local P = lun.struct("P", { { "x", "f64" }, { "n", "i64" } }, { layout = layout })
    return P, lun.struct("Q", { { "p", P }, { "v", "f64", 2 }, { "m", "i16", { 2, 2 } }, { "on", "bool" } }, { layout = layout })
end

local function rows(n)
    local list = {}
    for i = 1, n do
        list[i] = { p = { x = (i * 7 % 11) / 4, n = i * 3 % 5 }, v = { i / 2, 1.5 }, m = { { i, 2 }, { 3, -i } }, on = i % 3 == 0 }
    end
    return list
end

local N <const> = 37

-- Calls check(P, Q, list, records) with both layouts.
local function each(check)
    for _, layout in ipairs { "aos", "soa" } do
        local P, Q = structs(layout)
        local list = rows(N)
        check(P, Q, list, lun.vector(list, Q))
    end
end

-- What f gives for 1 to N in Lua.
local function called(f)
    local list = {}
    for i = 1, N do
        list[i] = f(i)
    end
    return list
end

describe("the length of captured records", function()
    it("is that of any first field, and of rows", function()
        local P = lun.struct("P", { { "x", "f64" } })
        for _, fields in ipairs { { { "z", "c64" } }, { { "v", "c128", 2 } }, { { "v", "f32", 2 } }, { { "p", P } },
            { { "p", lun.struct("Q", { { "z", "c64" } }) }, { "q", "f32" } } } do
            for _, layout in ipairs { "aos", "soa" } do
                local a = lun.zeros({ 3, 2 }, lun.struct("S", fields, { layout = layout }))
                local line = a:flatten()
                assert.same({ 3, 3 }, lun.generate(2, function() return #a end):totable())
                assert.same({ 2, 2 }, lun.generate(2, function(i) return #a[i] end):totable())
                assert.same({ 6, 6 }, lun.generate(2, function() return #line end):totable())
                expect.failure("the length of a record", lun.generate, 2, function(i) return #line[i] end)
            end
        end
    end)
end)

describe("whole records", function()
    onplaces.restore(before_each, after_each)

    it("are returned as they are captured", function()
        onplaces.everywhere(function()
            each(function(P, Q, list, r)
                local reversed = called(function(i) return list[N + 1 - i] end)
                local made = lun.generate(N, function(i) return r[N + 1 - i] end)
                assert.same(reversed, made:totable())
                assert.same(Q.lanes, made:dtype().lanes)
                local p = lun.index(N):map(function(i) return r[i].p end)
                assert.same(called(function(i) return list[i].p end), p:totable())
                assert.same({ "x", "n" }, { table.unpack(p:dtype()) })
                assert.same(called(function(i) return i > 9 and list[i] or list[1] end), lun.generate(N, function(i)
                    local q
                    if i > 9 then q = r[i] else q = r[1] end
                    return q
                end):totable())
                assert.same(called(function(i) return { p = list[i].p, v = list[i].v, m = { { 1, 2 }, { 3, 4 } }, on = true } end),
                    r:map(function(q) return Q(P(q.p.x, q.p.n), q.v, { { 1, 2 }, { 3, 4 } }, true) end):totable())
            end)
        end)
    end)

    it("of other structs are seen when the variable gets them", function()
        local P, Q = structs()
        local a = lun.full(3, P(1, 2), P)
        local function f(i) return a[i] end
        assert.equal("P", lun.generate(2, f):dtype().name)
        a = lun.vector(rows(3), Q)
        assert.same(rows(2), lun.generate(2, f):totable())
        a = lun.full(3, P(5, 6), P)
        assert.same({ P(5.0, 6), P(5.0, 6) }, lun.generate(2, f):totable())
    end)

    it("are assigned in lun.each and lun.teams", function()
        onplaces.everywhere(function()
            each(function(P, Q, list, r)
                local made = lun.zeros(N, Q)
                local function row(i) return Q(P(i / 2, i), { i * 2.0, 3.0 }, { { 1, i }, { 2, 3 } }, i > 5) end
                lun.each(N, function(i) made[i] = Q(P(i / 2, i), { i * 2, 3 }, { { 1, i }, { 2, 3 } }, i > 5) end)
                assert.same(called(row), made:totable())
                lun.each(N, function(i) made[i] = r[N + 1 - i] end)
                assert.same(called(function(i) return list[N + 1 - i] end), made:totable())
                lun.each(N, function(i)
                    if i % 2 == 0 then
                        made[i] = r[i]
                    else
                        made[i].p = P(i, 7)
                        made[i].v = r[i].v
                        made[i].m = { { 4, 3 }, { 2, 1 } }
                    end
                end)
                assert.same(called(function(i)
                    return i % 2 == 0 and list[i]
                        or { p = P(i + 0.0, 7), v = list[i].v, m = { { 4, 3 }, { 2, 1 } }, on = list[N + 1 - i].on }
                end), made:totable())
                made:fill(row(1))
                lun.teams { league = N, team = 1 }(function(t)
                    local i = t:index()
                    made[i] = r[i]
                    made[i].p = P(i, 1)
                end)
                assert.same(called(function(i)
                    return { p = P(i + 0.0, 1), v = list[i].v, m = list[i].m, on = list[i].on }
                end), made:totable())
                local s, at = lun.zeros(N, P), lun.index(N):copy()
                at:set(N + 1 - lun.index(N))
                lun.each(N, function(i) s[at[i]] = r[i].p end)
                assert.same(called(function(i) return list[N + 1 - i].p end), s:totable())
            end)
        end)
    end)

    it("have several axes", function()
        onplaces.everywhere(function()
            each(function(P, Q, list)
                local g = lun.zeros({ 3, 4 }, Q)
                lun.each({ 3, 4 }, function(i, j)
                    g[i][j] = Q(P(i, j), { i, j }, { { 1, 2 }, { 3, 4 } }, i == j)
                    g[i][j].p.x = i * j
                    g[i][j].v[2] = j + 1
                end)
                local function row(i, j)
                    return { p = { x = i * j + 0.0, n = j }, v = { i + 0.0, j + 1.0 }, m = { { 1, 2 }, { 3, 4 } }, on = i == j }
                end
                for i = 1, 3 do
                    assert.same({ row(i, 1), row(i, 2), row(i, 3), row(i, 4) }, g[i]:totable())
                end
                assert.same({ row(2, 4), row(2, 3) }, lun.generate(2, function(j) return g[2][5 - j] end):totable())
                assert.equal(#list, N)
            end)
        end)
        local P = structs()
        local g = lun.zeros({ 2, 2 }, P)
        expect.failure("an element of a record of 'g': it has fields, x, n", lun.generate, 2, function(j) return g[1][j][1] end)
        expect.failure("an element of a record of 'g'", lun.each, 2, function(j) g[1][j][1] = 3 end)
        expect.failure("an assignment to a part of 'g.x', which has 2 dimensions", lun.each, 2, function(i) g[i] = P(1, 2) end)
    end)

    it("have complex fields, too", function()
        onplaces.everywhere(function()
            local Z = lun.struct("Z", { { "z", "c64" }, { "w", "c128", 2 } })
            local made, copy = lun.zeros(N, Z), lun.zeros(N, Z)
            lun.each(N, function(i) made[i] = Z(lun.complex(i, 1), { lun.complex(2, i), 3 }) end)
            lun.each(N, function(i) copy[i] = made[N + 1 - i] end)
            local late = lun.generate(N, function(i)
                local p = copy[i]
                for _ = 1, 1000 do p = Z(p.z + 1, { p.w[2], p.w[1] }) end
                return p
            end)
            for i = 1, N do
                local k = N + 1 - i
                assert.is_true(made[i].z == lun.complex(i, 1) and made[i].w[1] == lun.complex(2, i))
                assert.is_true(copy[i].z == lun.complex(k, 1) and copy[i].w[2] == lun.complex(3, 0))
                assert.is_true(late[i].z == lun.complex(k + 1000, 1) and late[i].w[1] == lun.complex(2, k))
            end
        end)
    end)

    it("leave other elements of their arrays as they are", function()
        onplaces.everywhere(function()
            local A = lun.zeros(N, 3)
            lun.each(N, function(i)
                A[i][1] = i
                A[i][3] = A[i][1] + A[i][2] + 1
            end)
            assert.same(called(function(i) return { i + 0.0, 0.0, i + 1.0 } end), A:totable())
        end)
    end)
end)

-- Functions of i that make a record in a loop: by P and records r of P in both.
local function loops(P, r)
    return {
        of_numbers = function(i)
            local p = P(0.0, 0)
            for k = 1, 3000 do p = P(p.x + 1, p.n + i * k % 3) end
            return p
        end,
        from_captured = function(i)
            local p = r[i]
            for _ = 1, 3000 do p = P(p.x + 0.5, p.n + 1) end
            return p
        end,
        swapped = function(i)
            local p, q = r[1], r[2]
            for _ = 1, 3000 + i do p, q = q, p end
            return p
        end,
        least = function(i)
            local p = r[1]
            for k = 1, i do
                if r[k].x < p.x then p = r[k] end
            end
            return p
        end,
        sometimes = function(i)
            local p = P(0.0, 0)
            for k = 1, 3000 do
                if k == 2 * i then p = P(k / 2, i) end
            end
            return p
        end,
        inner = function(i)
            local p = P(0.0, 0)
            for k = 1, 200 do
                for j = 1, 300 do
                    if j == i then p = P(p.x + k, j) end
                end
                p = P(p.x, p.n + 1)
            end
            return p
        end,
        ended = function(i)
            local p = P(0.0, 0)
            for k = 1, 3000 do
                p = P(p.x + 1, p.n)
                if k == i * 10 then break end
            end
            return p
        end,
        in_while = function(i)
            local p = P(0.0, 0)
            while p.x < 5000 do p = P(p.x + i, p.n + 1) end
            return p
        end,
        in_repeat = function(i)
            local p = P(0.0, 0)
            repeat p = P(p.x + i, p.n + 1) until p.x > 5000
            return p
        end,
        by_function = function(i)
            local p = P(i / 2, 2)
            local function step() p = P(p.x + 1, p.n) end
            for _ = 1, 3000 do step() end
            return p
        end,
        with_lists = function(i)
            local v, n = { 0.0, 1.0 }, 0
            for _ = 1, 3000 do
                v = { v[2], v[1] + i }
                n = n + 1
            end
            return P(v[1] + v[2], n)
        end,
        known_rounds = function(i)
            local p = P(0.0, 1)
            for _ = 1, 3 do p = P(p.x + i, p.n * 2) end
            return p
        end,
    }
end

describe("records in loops", function()
    onplaces.restore(before_each, after_each)

    it("are variables, each of their values", function()
        onplaces.everywhere(function()
            for _, layout in ipairs { "aos", "soa" } do
                local P = structs(layout)
                local list = called(function(i) return P((i * 7 % 11) / 4, i % 5) end)
                local plain, in_kernels = loops(P, list), loops(P, lun.vector(list, P))
                for name, f in pairs(in_kernels) do
                    assert.same(called(plain[name]), lun.generate(N, f):totable(), name)
                end
            end
        end)
    end)

    it("are those of map, reduce and lun.each, too", function()
        onplaces.everywhere(function()
            local P, Q = structs()
            local list = rows(N)
            local r = lun.vector(list, Q)
            local function turned(q)
                for _ = 1, 1001 do
                    q = Q(P(q.p.n + 0.0, 1), { q.v[2], q.v[1] }, { q.m[2], q.m[1] }, not q.on)
                end
                return q
            end
            assert.same(called(function(i) return turned(list[i]) end), r:map(turned):totable())
            local function sum(p, q)
                for _ = 1, 1000 do p = P(p.x, p.n) end
                return P(p.x + q.x, p.n + q.n)
            end
            local x, n = 0.0, 0
            for _, one in ipairs(list) do x, n = x + one.p.x, n + one.p.n end
            assert.same(P(x, n), r.p:reduce(sum, P(0.0, 0)))
            local made = lun.zeros(N, P)
            lun.each(N, function(i)
                local p = P(0, 0)
                for k = 1, 2000 do p = P(p.x + 1, i + k) end
                made[i] = p
            end)
            assert.same(called(function(i) return P(2000.0, i + 2000) end), made:totable())
        end)
    end)
end)

describe("a wrong function of whole records", function()
    it("is refused with its line", function()
        local P, Q = structs()
        local W = lun.struct("W", { { "a", "f32" } })
        local r, q, m = lun.zeros(4, P), lun.zeros(4, Q), lun.zeros(4, P)
        local many = 3000
        local wanted = {
            ["records of P and of W differ: P { f64 x; i64 n; }; W { f32 a; }"] = function(i) m[i] = W(i) end,
            ["a record of P is assigned: a call of P, or an element of such records, expected"] = function(i) m[i] = i end,
            ["an array [2] of a record is assigned: a list of 2 values expected"] = function(i) q[i].v = { 1, 2, 3 } end,
            ["an array [2][2] of a record is assigned: a list of 2 values expected"] = function(i) q[i].m = i end,
            ["a float is assigned to 'm.n', an array of i64"] = function(i) m[i] = P(1, i / 2) end,
            ["reads 'm.x' where another round may assign it"] = function(i) m[i] = m[5 - i] end,
            ["field 'x' of an element that was taken before 'r' was assigned: take its fields before"] = function(i)
                local p = r[i]
                r[i] = m[i]
                m[i] = p
            end,
            ["'m' is assigned in a loop that reads field 'x' of an element (local 'p') taken before the loop"] = function(i)
                local p, sum = m[i], 0
                for k = 1, 3 do
                    sum = sum + p.x
                    m[i] = P(sum, k)
                end
            end,
            ["a record before a loop is a value in it: a variable is a record of one struct in each round"] = function(i)
                local p = P(0, 0)
                for k = 1, many do
                    m[i].x = p.x
                    p = k
                end
            end,
            ["a record before a loop is one with other fields in it"] = function(i)
                local p = P(0, 0)
                for _ = 1, many do
                    m[i].x = p.x
                    p = W(1)
                end
            end,
        }
        for message, f in pairs(wanted) do
            local failure = expect.failure(message, lun.each, 4, f)
            local line = tonumber(tostring(failure):match "%(tests/spec/luafn/whole_records_spec.lua:(%d+): ")
            local made = debug.getinfo(f, "S")
            assert.is_true(line >= made.linedefined and line <= made.lastlinedefined)
        end
        assert.is_true(m:eq(P(0, 0)):all())
    end)

    it("may read an element in each round, and before and after a loop", function()
        local P = structs()
        local m, s = lun.vector({ P(1, 1), P(2, 2), P(3, 3) }, P), lun.zeros(3)
        lun.each(3, function(i)
            for k = 1, 3 do
                local p = m[i]
                s[i] = s[i] + p.x
                m[i] = P(p.x + k, k)
            end
        end)
        assert.same({ 1.0 + 2 + 4, 2.0 + 3 + 5, 3.0 + 4 + 6 }, s:totable())
        lun.each(3, function(i)
            local p = m[i]
            for _ = 1, 3 do
                s[i] = s[i] + p.x
            end
            m[i] = P(0, 0)
        end)
        assert.same({ 7.0 + 21, 10.0 + 24, 13.0 + 27 }, s:totable())
        assert.is_true(m:eq(P(0, 0)):all())
    end)
end)
