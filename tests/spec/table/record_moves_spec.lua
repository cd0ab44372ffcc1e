-- Records compared, chosen, shifted, padded, put and taken as wholes, against plain Lua loops over lists of tables: both
-- layouts, nested and array fields, on every backend and on sets of places; wrong calls.
local expect = require "expect"
local lun = require "lunarray"
local onplaces = require "spec.onplaces"

local random = math.random

local function structs(layout)
    local P = lun.struct("P", { { "x", "f32" }, { "n", "i32" } }, { layout = layout })
    return P, lun.struct("Q", { { "p", P }, { "v", "f64", 2 }, { "m", "i8", { 2, 2 } }, { "on", "bool" } }, { layout = layout })
end

local function row()
    return { p = { x = random(2) / 4, n = random(2) }, v = { 1.5, random(2) / 2 }, m = { { 1, 2 }, { 3, 4 } }, on = random(3) > 1 }
end

local function rows(n)
    local list = {}
    for i = 1, n do
        list[i] = row()
    end
    return list
end

local function equal(a, b)
    return a.p.x == b.p.x and a.p.n == b.p.n and a.v[2] == b.v[2] and a.on == b.on
end

-- Calls check(Q, n) with both layouts and several lengths.
local function each(check)
    for _, layout in ipairs { "aos", "soa" } do
        local _, Q = structs(layout)
        for _, n in ipairs { 1, 2, 65 } do
            check(Q, n)
        end
    end
end

describe("records as wholes", function()
    onplaces.restore(before_each, after_each)

    it("are equal where all fields are", function()
        onplaces.everywhere(function()
            each(function(Q, n)
                local a, b = rows(n), rows(n)
                local r, s, same, differ, as_first = lun.vector(a, Q), lun.vector(b, Q), {}, {}, {}
                for i = 1, n do
                    same[i], as_first[i] = equal(a[i], b[i]), equal(a[i], a[1])
                    differ[i] = not same[i]
                end
                assert.same(same, r:eq(s):totable())
                assert.same(differ, r:ne(s):totable())
                assert.same(as_first, r:eq(a[1]):totable())
                assert.same(as_first, lun.eq(a[1], r):totable())
                assert.same(as_first, r:eq(r:sub(1, 1)):totable())
                assert.same({ as_first }, r:reshape(1, n):eq(r[1]):totable())
                assert.is_true(r:equals(lun.vector(a, Q)))
                assert.equal(r:eq(s):all(), r:equals(s))
            end)
        end)
        local P = structs()
        local nan = lun.vector({ P(0 / 0, 1) }, P)
        assert.same({ false }, nan:eq(nan):totable())
        assert.same({}, lun.zeros(0, P):eq(P(0, 0)):totable())
        assert.is_false(nan:equals(3))
    end)

    it("are chosen by a mask", function()
        onplaces.everywhere(function()
            each(function(Q, n)
                local a, b, mask = rows(n), rows(n), {}
                local both, one = {}, {}
                for i = 1, n do
                    mask[i] = random(2) == 1
                    both[i], one[i] = mask[i] and a[i] or b[i], mask[i] and b[1] or b[i]
                end
                local m, r, s = lun.vector(mask), lun.vector(a, Q), lun.vector(b, Q)
                assert.same(both, lun.where(m, r, s):totable())
                assert.same(one, lun.where(m, b[1], s):totable())
                assert.same({ one, b }, lun.where(lun.stack { m, lun.zeros(n, "bool") }, b[1], s):totable())
                assert.equal(Q, m:where(r, s):dtype())
            end)
        end)
    end)

    it("are shifted and padded", function()
        onplaces.everywhere(function()
            each(function(Q, n)
                local a, edge = rows(n), row()
                local r = lun.vector(a, Q)
                for _, k in ipairs { 0, 1, -1, 5, -70 } do
                    local by_edge, around, nearest = {}, {}, {}
                    for i = 1, n do
                        by_edge[i] = a[i - k] or edge
                        around[i] = a[(i - k - 1) % n + 1]
                        nearest[i] = a[math.max(1, math.min(n, i - k))]
                    end
                    assert.same(by_edge, r:shift(k, edge):totable())
                    assert.same(by_edge, r:shift(k, { edge = edge }):totable())
                    assert.same(around, r:shift(k, { edge = "wrap", axis = 1 }):totable())
                    assert.same(nearest, r:shift(k, { edge = "nearest" }):totable())
                    assert.same({ by_edge }, r:reshape(1, n):shift(k, { axis = 2, edge = edge }):totable())
                end
                local padded = table.move(a, 1, n, 2, { edge })
                assert.same(padded, r:pad({ { 1, 0 } }, edge):totable())
                padded[n + 2] = edge
                assert.same(padded, r:pad(1, edge):totable())
                assert.same(table.move(a, 1, n, 2, { a[n] }), r:pad({ { 1, 0 } }, "wrap"):totable())
            end)
        end)
        local F = lun.struct("F", { { "x", "f32" }, { "v", "f64", 2 } })
        local shifted = lun.zeros(2, F):shift(1)
        assert.is_true(shifted.v[1]:isnan():all() and not shifted[2].x ~= 0)
    end)

    it("are put and taken at indices", function()
        onplaces.everywhere(function()
            each(function(Q, n)
                local a, b, at, taken = rows(n), rows(n), {}, {}
                local missing = row()
                for i = 1, n do
                    at[i] = random(0, n)
                    taken[i] = at[i] == 0 and missing or a[at[i]]
                end
                local r, s = lun.vector(a, Q), lun.vector(b, Q)
                assert.same(taken, r:take(at, { missing = missing }):totable())
                assert.same({ taken }, r:reshape(1, n):take(at, { axis = 2, missing = missing }):totable())
                local all, some = table.move(a, 1, n, 1, {}), {}
                for i = 1, n do
                    some[i] = math.max(at[i], 1)
                    all[some[i]] = b[i]
                end
                local put = r:copy()
                assert.equal(put, put:put(some, s))
                assert.same(all, put:totable())
                put:put(lun.vector(some), b[1])
                for i = 1, n do
                    all[some[i]] = b[1]
                end
                assert.same(all, put:totable())
                local reversed = {}
                for i = 1, n do
                    reversed[i] = all[n + 1 - i]
                end
                assert.same(reversed, put:put(lun.index(n), put:sub(n, 1, -1)):totable())
                local grid = lun.zeros({ 2, n }, Q):put({ 2 }, s)
                assert.same(b, grid:totable()[2])
                grid:put({ 1, -1 }, b[1], { axis = 2 })
                assert.same(b[1], grid[1][n])
                assert.same(b[1], grid[2][1])
            end)
        end)
    end)

    it("have complex fields, too", function()
        onplaces.everywhere(function()
            for _, layout in ipairs { "aos", "soa" } do
                local Z = lun.struct("Z", { { "z", "c64" }, { "w", "c128", 2 }, { "n", "i32" } }, { layout = layout })
                local function made(i)
                    return { z = lun.complex(i, -i), w = { lun.complex(1, i), lun.complex(i, 2) }, n = i }
                end
                local list = { made(3), made(1), made(2), made(1) }
                local r = lun.vector(list, Z)
                local function same(wanted, got)
                    assert.equal(#wanted, #got)
                    for i, one in ipairs(wanted) do
                        assert.is_true(got:eq(made(one)):totable()[i])
                        assert.equal(one, got[i].n)
                    end
                end
                assert.same({ false, true, false, true }, r:eq(made(1)):totable())
                same({ 9, 3, 1, 2 }, r:shift(1, made(9)))
                same({ 9, 3, 1, 2, 1, 9 }, r:pad(1, made(9)))
                same({ 9, 1 }, r:take({ 0, -1 }, { missing = made(9) }))
                same({ 3, 7, 2, 7 }, lun.where(r:eq(made(1)), made(7), r))
                same({ 5, 1, 5, 1 }, r:copy():put({ 1, 3 }, made(5)))
                same({ 1, 1, 2, 3 }, r:sort { by = "n" })
                same({ 1, 2, 3 }, (r:unique()))
                same({ 1, 2, 3 }, (lun.group(r):keys()))
            end
        end)
    end)

    it("say what is wrong", function()
        local P, Q = structs()
        local R = lun.struct("P", { { "x", "f64" }, { "n", "i32" } })
        local S = lun.struct("S", { { "p", R }, { "v", "f64", 2 }, { "m", "i8", { 2, 2 } }, { "on", "bool" } })
        local r, q = lun.zeros(3, P), lun.zeros(3, Q)
        local wanted = {
            ["bad argument #1 to 'eq' (records of P and of P differ (field 'x': f32, f64))"] = function() r:eq(lun.zeros(3, R)) end,
            ["bad argument #2 to 'eq' (records of P and of P differ (field 'x': f32, f64))"] = function() lun.eq(r, lun.zeros(3, R)) end,
            ["records of Q and of S differ (field 'p': field 'x': f32, f64)"] = function() q:ne(lun.zeros(3, S)) end,
            ["records of P and of Q differ (x and n; p, v, m and on)"] = function() r:eq(q) end,
            ["bad argument #1 to 'eq' (lengths differ: f32[3] and f32[2])"] = function() r:eq(lun.zeros(2, P)) end,
            ["bad argument #1 to 'eq' (records of P, or one record, expected, got number)"] = function() r:eq(0) end,
            ["bad argument #1 to 'ne' (field 'n' is missing: P has x and n)"] = function() r:ne { x = 1 } end,
            ["bad argument #1 to 'eq' (field 'n': 1.5 has no integer representation: the dtype is i32)"] = function()
                r:eq(P(1, 1.5))
            end,
            ["bad argument #1 to 'where' (a mask expected, got records of P)"] = function() lun.where(r, r, r) end,
            ["bad argument #3 to 'where' (field 'n': number or boolean expected, got string)"] = function()
                lun.where(true, r, P(1, "a"))
            end,
            ["(lengths differ: i64[2] and f32[3])"] = function() lun.where(lun.index(2), r, r) end,
            ["(an edge is required, since field 'n' (i32) has no NaN: \"wrap\", \"nearest\" or a record of P)"] = function()
                r:shift(1)
            end,
            ["bad argument #2 to 'shift' (edge: field 'n' is missing: P has x and n)"] = function() r:shift(1, { x = 1 }) end,
            ["(unknown option 'foo': the options are axis, edge)"] = function() r:shift(1, { foo = 1 }) end,
            ["bad argument #1 to 'shift' (number expected, got string)"] = function() r:shift("a", P(0, 0)) end,
            ["bad argument #1 to 'put' (array or table of integers expected, got string)"] = function() r:put("a", P(0, 0)) end,
            ["bad argument #2 to 'take' (array or table of integers expected, got string)"] = function() lun.take(r, "a") end,
            ["(axis 2 is out of range: there is 1)"] = function() r:shift(1, { axis = 2, edge = "wrap" }) end,
            ["(edge: \"wrap\", \"nearest\" or a record of P expected, got keep)"] = function() r:pad(1, "keep") end,
            ["axis 1: a number of elements, or {before, after}, expected, got -1"] = function() r:pad(-1, P(0, 0)) end,
            ["index 4 (number 2) is out of range for axis 1 of length 3"] = function() r:put({ 1, 4 }, P(5, 5)) end,
            ["bad argument #2 to 'put' (records of shape [3] do not broadcast to the shape of the indices: [2])"] = function()
                r:put({ 1, 2 }, r)
            end,
            ["bad argument #2 to 'put' (field 'n': 0.5 has no integer representation: the dtype is i32)"] = function()
                r:put({ 1 }, P(5, 0.5))
            end,
            ["(records are not combined: of equal indices the last one wins)"] = function() r:put({ 1 }, P(5, 5), { combine = "+" }) end,
            ["to 'put' (records of P and of P differ (field 'x': f32, f64))"] = function() r:put({ 1 }, lun.zeros(1, R)) end,
            ["bad argument #3 to 'put' (table of options expected, got string)"] = function() r:put({ 1 }, P(5, 5), "x") end,
            ["#2 to 'take' (missing: a table of x and n expected, got number)"] = function() r:take({ 1 }, { missing = 0 }) end,
            ["records of P have no 'cumsum'"] = function() r:cumsum() end,
        }
        for message, wrong in pairs(wanted) do
            local failure = expect.failure(message, wrong)
            assert.matches("record_moves_spec.lua:%d+: ", tostring(failure))
        end
        assert.same({ x = 0.0, n = 0 }, r[1]) -- nothing was written
    end)
end)
