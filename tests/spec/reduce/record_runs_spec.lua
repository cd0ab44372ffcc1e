-- Runs and groups of records reduced and scanned by functions of two records, against plain Lua loops: reduceby, scanby,
-- reduceat, reduce and scan of lun.group; nested and array fields, both layouts, every backend and sets of places; wrong
-- calls.
local expect = require "expect"
local lun = require "lunarray"
local onplaces = require "spec.onplaces"

local function structs(layout)
    local P = lun.struct("P", { { "x", "f32" }, { "n", "i32" } }, { layout = layout })
    return P, lun.struct("Q", { { "p", P }, { "v", "f64", 2 }, { "on", "bool" } }, { layout = layout })
end

local START = { p = { x = 0.5, n = 1 }, v = { 0.0, 100.0 }, on = false }

local function combined(a, b)
    return {
        p = { x = a.p.x + b.p.x, n = a.p.n + b.p.n }, v = { a.v[1] + b.v[1], a.v[2] < b.v[2] and a.v[2] or b.v[2] },
        on = a.on or b.on,
    }
end

local function function_of(P, Q)
    return function(a, b)
        return Q(P(a.p.x + b.p.x, a.p.n + b.p.n), { a.v[1] + b.v[1], math.min(a.v[2], b.v[2]) }, a.on or b.on)
    end
end

local function rows(n)
    local list = {}
    for i = 1, n do
        list[i] = { p = { x = i % 7 / 4, n = i * 5 % 11 }, v = { i / 2, i * 7 % 13 + 0.0 }, on = i % 9 == 0 }
    end
    return list
end

local function each(check)
    local function with()
        for _, layout in ipairs { "aos", "soa" } do
            local P, Q = structs(layout)
            for _, n in ipairs { 0, 1, 2, 100, 1500 } do
                local list = rows(n)
                check(function_of(P, Q), list, lun.vector(list, Q), n, Q)
            end
        end
    end
    expect.everywhere(with)
    for _, set in ipairs(onplaces.sets) do
        lun.use(set)
        with()
    end
end

-- Of each key the value of its rows, and of each row the value behind it and before it; key(i): that of row i.
local function running(list, key)
    local now, behind, before = {}, {}, {}
    for i, row in ipairs(list) do
        local k = key(i)
        before[i] = now[k] or START
        now[k] = combined(before[i], row)
        behind[i] = now[k]
    end
    return now, behind, before
end

describe("records", function()
    onplaces.restore(before_each, after_each)

    it("are reduced and scanned in runs of equal neighbours", function()
        each(function(f, list, r, n, Q)
            local function key(i) return i // 4 end
            local now, behind, before = running(list, key)
            local wanted = {}
            for k = 0, n // 4 do
                wanted[#wanted + 1] = now[k]
            end
            local keys = n == 0 and lun.zeros(0, "i64") or lun.index(n) // 4
            local found, values = r:reduceby(keys, f, START)
            assert.same(wanted, values:totable())
            assert.equal(#wanted, #found)
            assert.same(Q.lanes, values:dtype().lanes)
            assert.same(behind, r:scanby(keys, f, START):totable())
            assert.same(before, r:scanby(keys, f, START, { inclusive = false }):totable())
        end)
    end)

    it("are reduced from offsets on", function()
        each(function(f, list, r, n)
            local offsets, wanted, whole = {}, {}, {}
            for at = 1, n, 3 do
                offsets[#offsets + 1] = at
                local first, sum = START, list[at]
                for i = at, math.min(at + 2, n) do
                    first = combined(first, list[i])
                    sum = i > at and combined(sum, list[i]) or sum
                end
                wanted[#wanted + 1], whole[#whole + 1] = first, sum
            end
            assert.same(wanted, r:reduceat(offsets, f, START):totable())
            assert.same(whole, r:reduceat(offsets, f):totable())
            assert.same({ START }, r:reduceat({ n + 1 }, f, START):totable())
        end)
    end)

    it("are reduced and scanned in groups", function()
        each(function(f, list, r, n)
            if n == 0 then
                return
            end
            local function key(i) return i * 7 % 5 end
            local now, behind, before = running(list, key)
            local wanted = {}
            for k = 0, 4 do
                wanted[#wanted + 1] = now[k]
            end
            local g = lun.group(lun.index(n) * 7 % 5)
            assert.same(wanted, g:reduce(r, f, START):totable())
            assert.same(behind, g:scan(r, f, START):totable())
            assert.same(before, g:scan(r, f, START, { inclusive = false }):totable())
            local t = lun.table { k = lun.index(n) * 7 % 5, r = r }
            assert.same(wanted, t:group("k"):reduce("r", f, START):totable())
        end)
    end)

    it("and wrong calls say what is wrong", function()
        local P = structs()
        local r, k = lun.zeros(4, P), lun.vector { 1, 1, 2, 2 }
        local function add(p, q) return P(p.x + q.x, p.n + q.n) end
        local function number(p, q) return p.x + q.x end
        local zero, g = P(0, 0), lun.group(k)
        local wanted = {
            ["bad argument #2 to 'reduceby' (records of P have no '+': a function of two records, which gives one, expected)"] =
                function() r:reduceby(k, "+", zero) end,
            ["bad argument #2 to 'reduce' (records of P have no 'max'"] = function() g:reduce(r, "max", zero) end,
            ["bad argument #3 to 'scanby' (a table of x and n expected, got number)"] = function() r:scanby(k, add, 0) end,
            ["bad argument #3 to 'reduce' (field 'n' is missing: P has x and n)"] = function() g:reduce(r, add, { x = 1 }) end,
            ["bad argument #2 to 'reduceby' (the function has to return a record of P)"] = function() r:reduceby(k, number, zero) end,
            ["bad argument #2 to 'scanby' (the function has to return a record of P)"] = function() r:scanby(k, number, zero) end,
            ["bad argument #2 to 'reduceat' (the function has to return a record of P)"] = function() r:reduceat({ 1 }, number) end,
            ["no field 'z' of a record (local 'p'): there are x, n"] = function()
                g:scan(r, function(p) return p.z end, zero)
            end,
            ["(lengths differ: P[4] and keys i64[3])"] = function() r:reduceby(lun.index(3), add, zero) end,
            ["(lengths differ: P[4] and groups of 2 rows)"] = function() lun.group { "a", "b" }:reduce(r, add, zero) end,
            ["(offsets from 1 to 9: the length is 4)"] = function() r:reduceat({ 1, 9 }, add, zero) end,
            ["(a first value is needed, since a run is empty)"] = function() r:reduceat({ 2, 2 }, add) end,
            ["(some rows are in no group (dropna), and nothing can be missing among records)"] = function()
                lun.group(lun.vector { 1, 0 / 0, 1, 2 }, { dropna = true }):scan(r, add, zero)
            end,
        }
        for message, wrong in pairs(wanted) do
            expect.failure(message, wrong)
        end
    end)
end)
