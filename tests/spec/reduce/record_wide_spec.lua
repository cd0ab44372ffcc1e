-- Reductions and scans of records of many elements, up to 64: against plain Lua loops over tables; with the bits, and the
-- integers that wrap, of those of few elements; axes, groups, further arguments; wrong calls. On every backend and over
-- sets of places.
local expect = require "spec.expect"
local lun = require "lunarray"
local onplaces = require "onplaces"

local At = lun.struct("At", { { "x", "f64" }, { "m", "i32", { 2, 3 } } })
local FIELDS = { { "sum", "f64" }, { "v", "i64", 4 }, { "at", At }, { "any", "bool" }, { "end", "u8" }, { "z", "c128" } }

local function row(i)
    return { sum = (i * 7919 % 1000) / 8, v = { i, -i, i % 7, 1 }, at = { x = i, m = { { i, 1, 2 }, { i % 3, i * i, 0 } } },
        any = i % 100 == 0, ["end"] = i % 5, z = lun.complex(i, 2) }
end

local function rows(n)
    local list = {}
    for i = 1, n do list[i] = row(i) end
    return list
end

local START = { sum = 0, v = { 0, 0, 0, 0 }, at = { x = -1, m = { { 0, 0, 0 }, { 0, 0, 0 } } }, any = false, ["end"] = 0, z = 0 }

-- A function of two records, or of two tables.
local function combine_with(S, make)
    return function(p, q, k)
        local last = q
        if q.at.x < p.at.x then last = p end
        return S(p.sum + q.sum, { p.v[1] + q.v[1], p.v[2] + q.v[2], math.max(p.v[3], q.v[3]), p.v[4] + q.v[4] * k },
            make(last.at.x, { { p.at.m[1][1] + q.at.m[1][1], last.at.m[1][2], q.at.m[1][3] },
                { p.at.m[2][1] + q.at.m[2][1], last.at.m[2][2], p.at.m[2][3] } }), p.any or q.any, p["end"] + q["end"], p.z + q.z)
    end
end

local plain = combine_with(function(sum, v, at, any, e, z)
    return { sum = sum, v = v, at = at, any = any, ["end"] = e & 255, z = z }
end, function(x, m) return { x = x, m = m } end)

-- The running results, before each row and behind it, and the last one.
local function running(list, k)
    local before, behind, now = {}, {}, START
    for i, one in ipairs(list) do
        before[i], now = now, plain(now, one, k)
        behind[i] = now
    end
    return before, behind, now
end

-- The same, for complex numbers and numbers compare apart: each lane as a text.
local function texts(x)
    if type(x) ~= "table" then
        return lun.iscomplex(x) and tostring(x) or math.type(x) and ("%.17g"):format(x) or tostring(x)
    end
    local result = {}
    for key, value in pairs(x) do result[key] = texts(value) end
    if x.z then result.z = tostring(lun.complex(1, 1) * x.z) end
    return result
end

local function same(wanted, got)
    assert.same(texts(wanted), texts(got))
end

describe("records of many elements", function()
    onplaces.restore(before_each, after_each)

    local function check(layout, n)
        local S = lun.struct("S", FIELDS, { layout = layout })
        local f, list = combine_with(S, At), rows(n)
        local a = lun.vector(list, S)
        local before, behind, last = running(list, 1)
        same(last, a:reduce(f, START, 1))
        same(last, lun.reduce(f, START)(a, 1))
        local scanned = a:scan(f, START, 1)
        assert.equal(S, scanned:dtype())
        same(before, scanned:totable())
        same(behind, a:scan(f, START, 1, { inclusive = true }):totable())
    end

    it("are reduced and scanned as their rows", function()
        onplaces.everywhere(function() check("aos", 2500) end)
        lun.use "openmp"
        for _, n in ipairs { 0, 1, 1024, 1025 } do check("soa", n) end
    end)

    it("go along axes, with further arguments", function()
        local S = lun.struct("S", FIELDS)
        local list = rows(24)
        local a = lun.vector(list, S):reshape(2, 3, 4)
        local function lane(i, j, k) return list[(i - 1) * 12 + (j - 1) * 4 + k] end
        local g = combine_with(S, At)
        local function f(p, q, k, r, one) return g(p, q, k + r[1].v[1] + one.n) end
        local One = lun.struct("One", { { "n", "i64" } })
        local function arguments(opts) return 2, a:flatten(), One(3), opts end
        local along = a:reduce(f, START, arguments { axis = 2 }):totable()
        local kept = a:reduce(f, START, arguments { axis = { 1, -1 }, keep = true })
        local scanned = a:scan(f, START, arguments { axis = 2, inclusive = true }):totable()
        assert.same({ 1, 3, 1 }, { kept:shape() })
        assert.same({ 1, 1, 1 }, { a:reduce(f, START, arguments { keep = true }):shape() })
        for j = 1, 3 do
            local both = {}
            for i = 1, 2 do
                for k = 1, 4 do both[#both + 1] = lane(i, j, k) end
            end
            same(select(3, running(both, 6)), kept[1][j][1])
        end
        for i = 1, 2 do
            for k = 1, 4 do
                local _, behind, last = running({ lane(i, 1, k), lane(i, 2, k), lane(i, 3, k) }, 6)
                same(last, along[i][k])
                for j = 1, 3 do same(behind[j], scanned[i][j][k]) end
            end
        end
        same(select(3, running(list, 6)), a:reduce(f, START, arguments()))
        same(select(2, running(list, 6)), a:scan(f, START, arguments { inclusive = true }):flatten():totable())
    end)

    it("are reduced and scanned by keys and in runs", function()
        onplaces.everywhere(function()
            local S = lun.struct("S", FIELDS)
            local list, g = rows(60), combine_with(S, At)
            local function f(p, q) return g(p, q, 1) end
            local a, keys, wanted, scanned = lun.vector(list, S), {}, {}, {}
            for i = 1, 60 do keys[i] = i % 3 end
            for key = 0, 2 do
                local own, at = {}, {}
                for i = 1, 60 do
                    if keys[i] == key then own[#own + 1], at[#at + 1] = list[i], i end
                end
                local _, behind, last = running(own, 1)
                wanted[key + 1] = last
                for k, i in ipairs(at) do scanned[i] = behind[k] end
            end
            local k = lun.vector(keys)
            local order = k:argsort()
            same(wanted, select(2, a:take(order):reduceby(k:take(order), f, START)):totable())
            same(wanted, lun.group(k):reduce(a, f, START):totable())
            same(scanned, lun.group(k):scan(a, f, START):totable())
            same({ select(3, running(table.move(list, 1, 20, 1, {}), 1)), select(3, running(table.move(list, 21, 60, 1, {}), 1)) },
                a:reduceat({ 1, 21 }, f, START):totable())
        end)
    end)

    it("have the bits of records of few elements", function()
        local few, many = { { "x", "f64" }, { "y", "f32" }, { "k", "i8" }, { "h", "f16" } }, {}
        for k, field in ipairs(few) do many[k] = field end
        many[5] = { "pad", "i64", 60 }
        local pad = {}
        for k = 1, 60 do pad[k] = 0 end
        local F, M = lun.struct("F", few), lun.struct("M", many)
        local n = 5000
        local columns = { x = lun.random(n, { seed = 1 }), y = lun.random(n, { seed = 2 }):cast "f32", k = (lun.index(n) % 50):cast "i8",
            h = lun.random(n, { seed = 3 }):cast "f16" }
        local a = lun.vector(columns, F)
        columns.pad = lun.zeros({ n, 60 }, "i64")
        local b = lun.vector(columns, M)
        local function f(p, q) return F(p.x * 0.7 + q.x / 3, p.y + q.y * 1.1, p.k + q.k, p.h * 0.5 + q.h) end
        local function g(p, q) return M(p.x * 0.7 + q.x / 3, p.y + q.y * 1.1, p.k + q.k, p.h * 0.5 + q.h, p.pad) end
        local zero, wide = { x = 0.1, y = 0.2, k = 3, h = 0.3 }, { x = 0.1, y = 0.2, k = 3, h = 0.3, pad = pad }
        onplaces.everywhere(function()
            local one, other = a:reduce(f, zero), b:reduce(g, wide)
            for _, name in ipairs { "x", "y", "k", "h" } do assert.equal(one[name], other[name]) end
            for _, opts in ipairs { { axis = 1 }, { axis = 2 }, { axis = 2, inclusive = true } } do
                local inclusive = opts.inclusive ~= nil
                local r, s = a:reshape(2, 2500), b:reshape(2, 2500)
                local made = inclusive and r:scan(f, zero, opts) or r:reduce(f, zero, opts)
                local wider = inclusive and s:scan(g, wide, opts) or s:reduce(g, wide, opts)
                for _, name in ipairs { "x", "y", "k", "h" } do assert.is_true(made[name]:equals(wider[name])) end
            end
            for _, name in ipairs { "x", "y", "k", "h" } do
                assert.is_true(a:scan(f, zero)[name]:equals(b:scan(g, wide)[name]))
            end
        end)
    end)

    it("wrap integers in runs, whatever their struct has", function()
        local I = lun.struct("I", { { "k", "i8" }, { "u", "u16" } })
        local a, keys = lun.vector({ k = lun.full(3, 100), u = lun.full(3, 40000) }, I), lun.zeros(3, "i64")
        local function f(p, q) return I(p.k + q.k, p.u + q.u) end
        local zero = { k = 0, u = 0 }
        assert.same({ { k = 44, u = 54464 } }, select(2, a:reduceby(keys, f, zero)):totable())
        assert.same({ { k = 100, u = 40000 }, { k = -56, u = 14464 }, { k = 44, u = 54464 } }, a:scanby(keys, f, zero):totable())
    end)

    it("may have lists of 64", function()
        local L = lun.struct("L", { { "v", "f32", 64 } })
        local a = lun.vector({ v = lun.index(128):reshape(2, 64) }, L)
        assert.same({ 65, 193 }, a:map(function(p) return p.v[1] + p.v[64] end):totable())
        local list = {}
        for k = 1, 64 do list[k] = ("p.v[%d] + q.v[%d]"):format(k, k) end
        local f = load(("local L = ... return function(p, q) return L({%s}) end"):format(table.concat(list, ", ")))(L)
        local zero = {}
        for k = 1, 64 do zero[k], list[k] = 0, 2.0 * k + 64 end
        assert.same({ v = list }, a:reduce(f, { v = zero }))
    end)

    it("are refused with what to write", function()
        local S = lun.struct("S", FIELDS)
        local a, f = lun.zeros(3, S), combine_with(S, At)
        local lines = debug.getinfo(1, "S").short_src .. ":"
        for _, name in ipairs { "reduce", "scan" } do
            local function refused(message, ...)
                local given = table.pack(...)
                local e = expect.failure(message:format(name), function() a[name](a, table.unpack(given, 1, given.n)) end)
                assert.matches(lines, tostring(e), 1, true)
            end
            refused("bad argument #2 to '%s' (records of S have no '+'", "+", START)
            refused("bad argument #3 to '%s' (field 'v' is missing", f, { sum = 1 })
            refused("bad argument #2 to '%s' (the function has to return a record of S)", function() return 1 end, START)
            refused("bad argument #2 to '%s' (the function has to return a record of S)", function(p) return p.sum, p.v[1] end, START)
            refused("bad argument #2 to '%s' (the function has to return a record of S)", function() return At(1, { { 1, 2, 3 },
                { 4, 5, 6 } }) end, START)
            refused("no field 'y' of a record", function(p) return p.y end, START)
            refused("bad argument #3 to '%s' (axis 2: the records have 1)", f, START, { axis = 2 })
            refused("bad argument #3 to '%s' (unknown option 'axs'", f, START, { axs = 2 })
            refused("bad argument #4 to '%s' (array, number or record expected, got table)", f, START, {}, { axis = 1 })
            refused("bad argument #2 to '%s' (number 1e+300 has no integer representation)", function(p)
                return S(p.sum, p.v, p.at, p.any, 1e300, p.z)
            end, START)
        end
        expect.failure("bad argument #2 to 'scanby' (the function has to return a record of S)", a.scanby, a, lun.zeros(3, "i64"),
            function() return 1 end, START)
    end)
end)
