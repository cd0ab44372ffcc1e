-- Records in orders and groups: sort, argsort, topk, unique, lun.group, lun.join and the verbs of tables with records as
-- keys, against plain Lua loops and table.sort: both layouts, nested and array fields, on every backend and on sets of
-- places; wrong calls.
local expect = require "expect"
local lun = require "lunarray"
local onplaces = require "spec.onplaces"

local random = math.random

local function struct(layout)
    local P = lun.struct("P", { { "x", "f32" }, { "n", "i32" } }, { layout = layout })
    return lun.struct("Q", { { "p", P }, { "v", "f64", 2 }, { "on", "bool" } }, { layout = layout })
end

local function rows(n)
    local list = {}
    for i = 1, n do
        list[i] = { p = { x = random(-2, 2) / 4, n = random(3) }, v = { random(2) / 2, random(2) / 2 }, on = random(2) == 1 }
        list[i].p.x = list[i].p.x + 0.0 -- no -0.0
    end
    return list
end

-- The elements of all fields in order, as numbers.
local function lanes(q)
    return { q.p.x, q.p.n, q.v[1], q.v[2], q.on and 1 or 0 }
end

local function key(q)
    return table.concat(lanes(q), " ")
end

local KEYS = { ["p.x"] = { 1 }, ["p.n"] = { 2 }, p = { 1, 2 }, v = { 3, 4 }, ["v[2]"] = { 4 }, on = { 5 } }

-- The indices of rows in the order of names of keys, with "-" in front of those that descend.
local function order(list, by)
    local at = {}
    for i = 1, #list do
        at[i] = i
    end
    table.sort(at, function(i, j)
        local a, b = lanes(list[i]), lanes(list[j])
        for _, name in ipairs(by) do
            local plain = name:match "^%-?(.*)$"
            for _, k in ipairs(KEYS[plain]) do
                if a[k] ~= b[k] then
                    return (a[k] < b[k]) == (plain == name)
                end
            end
        end
        return i < j
    end)
    return at
end

local ALL <const> = { "p", "v", "on" }

local function each(check)
    for _, layout in ipairs { "aos", "soa" } do
        local Q = struct(layout)
        for _, n in ipairs { 0, 1, 2, 65 } do
            check(Q, rows(n), n)
        end
    end
end

-- The distinct rows in order, how often each is there, and of each row the number of its own.
local function distinct(list)
    local at, values, counts, codes = order(list, ALL), {}, {}, {}
    for _, i in ipairs(at) do
        if not values[1] or key(values[#values]) ~= key(list[i]) then
            values[#values + 1], counts[#values + 1] = list[i], 0
        end
        counts[#values] = counts[#values] + 1
        codes[i] = #values
    end
    return values, counts, codes
end

local function taken(list, at)
    local out = {}
    for k, i in ipairs(at) do
        out[k] = list[i]
    end
    return out
end

describe("records", function()
    onplaces.restore(before_each, after_each)

    it("are sorted by fields", function()
        onplaces.everywhere(function()
            each(function(Q, list, n)
                local r = lun.vector(list, Q)
                for _, by in ipairs { { "p.x" }, { "-p.x" }, { "p.x", "-p.n" }, { "on", "-v", "p" }, { "-v[2]", "p" } } do
                    local at = order(list, by)
                    assert.same(at, r:argsort { by = by }:totable())
                    assert.same(taken(list, at), r:sort { by = by }:totable())
                end
                assert.same(order(list, { "p.n" }), r:argsort { by = "p.n" }:totable())
                assert.same(order(list, { "-p.n" }), r:argsort { by = "p.n", descending = true }:totable())
                assert.same(order(list, ALL), r:argsort():totable())
                assert.same(taken(list, order(list, ALL)), lun.sort(r):totable())
                assert.equal(n, #r:sort())
            end)
        end)
    end)

    it("are the first few by fields", function()
        onplaces.everywhere(function()
            each(function(Q, list, n)
                local r = lun.vector(list, Q)
                for _, k in ipairs { 0, 1, 3, 1000 } do
                    local largest = table.move(order(list, { "-p.x" }), 1, math.min(k, n), 1, {})
                    local least = table.move(order(list, { "p.n", "-v" }), 1, math.min(k, n), 1, {})
                    local some, at = r:topk(k, { by = "p.x" })
                    assert.same(largest, at:totable())
                    assert.same(taken(list, largest), some:totable())
                    some, at = r:topk(k, { by = { "p.n", "-v" }, smallest = true })
                    assert.same(least, at:totable())
                    assert.same(taken(list, least), some:totable())
                end
            end)
        end)
    end)

    it("are distinct in all fields", function()
        onplaces.everywhere(function()
            each(function(Q, list)
                local values, counts = distinct(list)
                local found, times = lun.vector(list, Q):unique()
                assert.same(values, found:totable())
                assert.same(counts, times:totable())
            end)
        end)
        local P = lun.struct("P", { { "x", "f32" }, { "n", "u64" } })
        local found, times = lun.vector({ P(0 / 0, 1), P(-0.0, 2), P(0.0, 2), P(0 / 0, 1), P(0, -1) }, P):unique()
        assert.same({ 2, 1, 2 }, times:totable())
        assert.same({ 2, -1, 1 }, found.n:totable())
        assert.is_true(found[3].x ~= found[3].x)
    end)

    it("are keys of groups and of joins", function()
        onplaces.everywhere(function()
            each(function(Q, list, n)
                local r = lun.vector(list, Q)
                local values, counts, codes = distinct(list)
                local g = lun.group(r)
                assert.same(values, g:keys():totable())
                assert.same(counts, g:count():totable())
                assert.same(codes, g:codes():totable())
                local second, keys = lun.group(r.on, r):keys()
                assert.equal(#values, #keys)
                assert.equal(second:count(), keys.on:count())
                local other = rows(7)
                local i, j, number = {}, {}, 0
                for a = 1, n do
                    for b = 1, 7 do
                        if key(list[a]) == key(other[b]) then
                            number = number + 1
                            i[number], j[number] = a, b
                        end
                    end
                end
                local left, right = lun.join(r, lun.vector(other, Q))
                assert.same(i, left:totable())
                assert.same(j, right:totable())
            end)
        end)
    end)

    it("are keys of verbs of tables", function()
        each(function(Q, list, n)
            if n == 0 then
                return
            end
            local t = lun.table { q = lun.vector(list, Q), a = lun.index(n) }
            local values, counts, codes = distinct(list)
            local sums, first = {}, {}
            for i, code in ipairs(codes) do
                sums[code] = (sums[code] or 0) + i
                first[code] = first[code] or i
            end
            local by = t:group "q":agg { n = "count", s = { "sum", "a" } }
            assert.same(values, by.q:totable())
            assert.same(counts, by.n:totable())
            assert.same(sums, by.s:totable())
            assert.same(order(list, ALL), t:sort "q".a:totable())
            assert.same(order(list, { "-p", "-v", "-on" }), t:sort "-q".a:totable())
            table.sort(first)
            assert.same(first, t:unique "q".a:totable())
            local u = lun.table { q = by.q, code = lun.index(#by) }
            assert.same(codes, t:join(u, "q", { how = "left" }).code:totable())
            assert.equal(n, #t:join(u, "q", { how = "semi", validate = "m:1" }))
            assert.equal(n + #by, #t:join(lun.table { q = u.q:map(function(q)
                return Q(q.p, q.v, q.on)
            end):take(lun.index(#by)), b = u.code }, "q", { how = "full" }) + #by)
            assert.equal(#values, #t:value_counts "q")
        end)
    end)

    it("say what is wrong", function()
        local Q = struct()
        local r, P = lun.zeros(4, Q), lun.struct("P", { { "x", "f32" } })
        local wanted = {
            ["bad argument #1 to 'sort' (option by: no field 'z': Q has p, v and on)"] = function() r:sort { by = "z" } end,
            ["bad argument #2 to 'sort' (option by: no field 'z': Q has p, v and on)"] = function() lun.sort(r, { by = "z" }) end,
            ["(option by: no field 'p.z': Q has p, v and on)"] = function() r:argsort { by = { "on", "-p.z" } } end,
            ["(option by: no field is named)"] = function() r:sort { by = {} } end,
            ["(option by: names of fields expected, such as {\"x\", \"-y\"}, got number)"] = function() r:sort { by = { 1 } } end,
            ["(unknown option 'axis': the options are by, descending)"] = function() r:sort { axis = 1 } end,
            ["(option descending: true or false expected, got number)"] = function() r:sort { descending = 1 } end,
            ["(options such as {by=\"x\"} expected, got string)"] = function() r:sort "x" end,
            ["bad argument #1 to 'topk' (integer expected, got 1.5)"] = function() r:topk(1.5) end,
            ["bad argument #1 to 'topk' (the number of records is negative: -1)"] = function() r:topk(-1) end,
            ["bad argument #1 to 'unique' (records of shape [2, 2]: one axis expected, as a:flatten() has)"] = function()
                r:reshape(2, 2):unique()
            end,
            ["bad argument #2 to 'group' (lengths differ: keys Q[4] and i64[3])"] = function() lun.group(r, lun.index(3)) end,
            ["bad argument #1 to 'group' (a Vector of records expected, got 2 axes)"] = function() lun.group(r:reshape(2, 2)) end,
            ["(key 1 is records of Q on one side and records of P with other fields on the other)"] = function()
                lun.join(r, lun.zeros(2, P))
            end,
            ["(key 1 is a Vector i64[2] on one side and records of P on the other)"] = function()
                lun.join(lun.index(2), lun.zeros(2, P))
            end,
        }
        for message, wrong in pairs(wanted) do
            expect.failure(message, wrong)
        end
    end)
end)
