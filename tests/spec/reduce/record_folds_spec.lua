-- Reductions and scans of records by functions of two records, against plain Lua loops over tables: integers and floats
-- whose sums are exact, so that no order matters; axes, extra arguments, nested fields; wrong calls.
local expect = require "spec.expect"
local lun = require "lunarray"

local FIELDS = { { "sum", "f64" }, { "least", "i32" }, { "at", "i64" } }

-- Adds sums; the lesser of two, and where it is, the first of equal ones.
local function combine_with(S)
    return function(p, q)
        if q.least < p.least then
            return S(p.sum + q.sum, q.least, q.at)
        end
        return S(p.sum + q.sum, p.least, p.at)
    end
end

local function combined(p, q)
    local lesser = q.least < p.least and q or p
    return { sum = p.sum + q.sum, least = lesser.least, at = lesser.at }
end

local START = { sum = 0.0, least = 2147483647, at = 0 }

local function rows(n)
    local list = {}
    for i = 1, n do
        list[i] = { sum = (i * 7919 % 1000) / 8, least = (i * 31) % 57 - 20, at = i }
    end
    return list
end

-- The running results from `first` on, before each row and behind it, and the last one.
local function running(list, first)
    local before, behind, now = {}, {}, first
    for i, row in ipairs(list) do
        before[i], now = now, combined(now, row)
        behind[i] = now
    end
    return before, behind, now
end

describe("reductions and scans of records", function()
    it("are those of their rows, on every backend", function()
        expect.everywhere(function()
            for _, layout in ipairs { "aos", "soa" } do
                local S = lun.struct("S", FIELDS, { layout = layout })
                local f = combine_with(S)
                for _, n in ipairs { 0, 1, 2, 1023, 1025, 2500 } do
                    local list = rows(n)
                    local a = lun.vector(list, S)
                    local before, behind, last = running(list, START)
                    assert.same(last, a:reduce(f, START))
                    local scanned = a:scan(f, S(0.0, 2147483647, 0))
                    assert.same(before, scanned:totable())
                    assert.equal(S, scanned:dtype())
                    assert.same(behind, a:scan(f, START, { inclusive = true }):totable())
                end
            end
        end)
    end)

    it("go along axes", function()
        local S = lun.struct("S", FIELDS)
        local f, list = combine_with(S), rows(12)
        local a = lun.vector(list, S):reshape(3, 4)
        local wanted, columns = {}, {}
        for i = 1, 3 do
            local _, behind, last = running(table.move(list, 4 * i - 3, 4 * i, 1, {}), START)
            wanted[i] = last
            assert.same(behind, a:scan(f, START, { axis = 2, inclusive = true }):totable()[i])
        end
        for j = 1, 4 do
            columns[j] = select(3, running({ list[j], list[j + 4], list[j + 8] }, START))
        end
        assert.same(wanted, a:reduce(f, START, { axis = 2 }):totable())
        assert.same(columns, a:reduce(f, START, { axis = 1 }):totable())
        assert.same({ { wanted[1] }, { wanted[2] }, { wanted[3] } }, a:reduce(f, START, { axis = -1, keep = true }):totable())
        assert.same(select(3, running(list, START)), a:reduce(f, START))
    end)

    it("keep the fields' dtypes, take extra arguments and fields of all kinds", function()
        local P = lun.struct("P", { { "p", lun.struct("Q", { { "x", "i8" } }) }, { "v", "f32", 2 }, { "any", "bool" } })
        local a = lun.vector({ { p = { x = 1 }, v = { 1, 2 }, any = false }, { p = { x = 3 }, v = { 5, 7 }, any = true } }, P)
        local Q = P.dtypes.p
        local function f(p, q, k)
            return P(Q(p.p.x + q.p.x), { p.v[1] + q.v[1] * k, math.max(p.v[2], q.v[2]) }, p.any or q.any)
        end
        local zero = { p = { x = 0 }, v = { 0, 0 }, any = false }
        assert.same({ p = { x = 4 }, v = { 12, 7 }, any = true }, a:reduce(f, zero, 2))
        local scanned = a:scan(f, zero, 1, { inclusive = true })
        assert.same({ { p = { x = 1 }, v = { 1, 2 }, any = false }, { p = { x = 4 }, v = { 6, 7 }, any = true } },
            scanned:totable())
        assert.equal("i8", scanned.p.x:dtype())
        assert.equal("f32", scanned.v:dtype())
        local One = lun.struct("One", { { "x", "i64" } })
        assert.same({ x = 10 }, lun.vector({ x = lun.index(4) }, One):reduce(function(p, q) return One(p.x + q.x) end, { x = 0 }))
    end)

    it("are lazy where they are arrays", function()
        local S = lun.struct("S", FIELDS)
        local scanned = lun.vector(rows(10), S):scan(combine_with(S), START)
        assert.is_true(scanned:pending() > 0)
        assert.equal(START.least, scanned.least[1])
    end)

    it("are skeletons, of records and of what a function makes records of", function()
        local S = lun.struct("S", FIELDS)
        local f = combine_with(S)
        for _, n in ipairs { 1, 2, 1500 } do
            local list = rows(n)
            local a = lun.vector(list, S)
            local before, behind, last = running(list, START)
            local total, scan = lun.reduce(f, START), lun.scan(f, START, { inclusive = true })
            assert.same(last, total(a))
            assert.same(behind, scan(a):totable())
            assert.same(before, lun.scan(f, START)(a):totable())
            local function from(k) return S((k * 7919 % 1000) / 8, (k * 31) % 57 - 20, k) end
            assert.same(last, lun.reduce(f, START, { from = from })(lun.range(1, n)))
            assert.same(last, lun.reduce(f, START, { axis = 1, from = from })(lun.range(1, n):reshape(n, 1))[1])
        end
        expect.failure("bad argument #1 to 'reduce' (records expected, got a Vector i64[3])", function()
            lun.reduce(f, START)(lun.index(3))
        end)
        expect.failure("bad argument #3 to 'scan' (option from: function expected, got number)", function()
            lun.scan(f, START, { from = 1 })
        end)
        expect.failure("bad argument #3 to 'reduce' (unknown option 'frm'", function()
            lun.reduce(f, START, { frm = f })(lun.zeros(3, S))
        end)
    end)

    it("are refused with what to write", function()
        local S = lun.struct("S", FIELDS)
        local a, f = lun.zeros(3, S), combine_with(S)
        for _, name in ipairs { "reduce", "scan" } do
            local function refused(message, ...)
                expect.failure(message:format(name), a[name], a, ...)
            end
            refused("bad argument #2 to '%s' (records of S have no '+': a function of two records in Lua", "+", START)
            refused("bad argument #2 to '%s' (records of S have no 'min'", "min", START)
            refused("bad argument #3 to '%s' (field 'least' is missing: S has sum, least and at)", f, { sum = 1 })
            refused("bad argument #3 to '%s' (a table of sum, least and at expected, got number)", f, 0)
            refused("bad argument #3 to '%s' (a table of sum, least and at expected, got nil)", f)
            refused("bad argument #2 to '%s' (the function has to return a record of S, got 3 numbers)", function(p)
                return p.sum, p.least, p.at
            end, START)
            refused("bad argument #2 to '%s' (the function has to return a record of S)", function(p) return p.sum end, START)
            refused("option elements: records have those of their struct", f, START, { elements = 2 })
            refused("axis 2", f, START, { axis = 2 })
            local Other = lun.struct("Other", { { "a", "f64" }, { "b", "f64" }, { "c", "f64" } })
            refused("(the function has to return a record of S, got one of Other)", function() return Other(1, 2, 3) end, START)
        end
        expect.failure("no field 'y' of a record", a.reduce, a, function(p) return S(p.y, 1, 1) end, START)
    end)
end)
