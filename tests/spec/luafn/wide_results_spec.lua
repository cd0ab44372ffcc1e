-- Functions that return records of more than 16 elements, up to 64: map, zip, generate and stencil against the same
-- functions in plain Lua, which make tables; captured arrays, random numbers, axes, options; wrong functions. On every
-- backend and over sets of places.
local expect = require "spec.expect"
local lun = require "lunarray"
local onplaces = require "onplaces"

local FIELDS = { { "x", "f64" }, { "m", "f32", { 3, 5 } }, { "k", "i32" }, { "on", "bool" }, { "z", "c128" }, { "b", "i8", 3 } }
local At = lun.struct("At", { { "h", "f64" }, { "n", "i64", 2 } })
local LAYOUTS = {}
for _, layout in ipairs { "aos", "soa" } do
    local fields = table.move(FIELDS, 1, #FIELDS, 1, {})
    fields[#fields + 1] = { "at", At }
    LAYOUTS[layout] = lun.struct("Wide", fields, { layout = layout })
end

-- What functions call in place of structs in plain Lua.
local function table_of(x, m, k, on, z, b, at)
    return { x = x, m = m, k = k, on = on, z = z, b = b, at = at }
end

local function at_of(h, n)
    return { h = h, n = n }
end

-- A function of two numbers, whose results are exact in each field's dtype.
local function making(S, at)
    return function(x, y)
        local row, k = { x, y, x + y, x * 2, 1 }, y
        for i = 1, 3 do
            if x > i then k = k + i end
        end
        return S(x / 4, { row, { y, x, 3, 4, 5 }, row }, k, x > y, lun.complex(x, -y), { 1, k, -y }, at(k / 2, { x, y * y }))
    end
end

local plain = making(table_of, at_of)

-- Rows as records have them: floats in fields of floats.
local function floats(row)
    for _, line in ipairs(row.m) do
        for j = 1, 5 do line[j] = line[j] + 0.0 end
    end
    row.z = tostring(row.z * lun.complex(1.0, 0.0))
    return row
end

local function same(wanted, got)
    local list = got:totable()
    assert.equal(#wanted, #list)
    for i, row in ipairs(wanted) do
        list[i].z = tostring(list[i].z)
        assert.same(floats(row), list[i])
    end
end

local function rows_of(n, f)
    local list = {}
    for i = 1, n do list[i] = f(i) end
    return list
end

describe("records of more than 16 elements", function()
    onplaces.restore(before_each, after_each)

    it("are what functions return to map, zip and generate", function()
        onplaces.everywhere(function()
            for _, S in pairs(LAYOUTS) do
                local f, x = making(S, At), lun.index(37)
                local wanted = rows_of(37, function(i) return plain(i, 7 - i) end)
                for _, made in ipairs {
                    x:map(function(i) return f(i, 7 - i) end), lun.map(function(i) return f(i, 7 - i) end)(x),
                    x:zip(7 - x, f), lun.zip(f)(x, 7 - x), lun.generate(37, function(i) return f(i, 7 - i) end),
                    x:map(function(i, k, r) return f(i, k + r[2] - i) end, 5, x),
                    x:map(lun.variant { default = function(i) return f(i, 7 - i) end, openmp = function(j) return f(j, 7 - j) end }),
                } do
                    assert.equal(S, made:dtype())
                    same(rows_of(37, function(i) return plain(i, 7 - i) end), made)
                end
                local r = lun.vector(wanted, S)
                same(rows_of(37, function(i) return plain(i, 7 - i) end), r:map(function(p) return p end))
                local swapped = r:zip(r:sub(-1, 1, -1), function(p, q) return S(q.x, p.m, q.k, p.on, q.z, p.b, At(p.x, q.at.n)) end)
                same(rows_of(37, function(i)
                    local p, q = plain(i, 7 - i), plain(38 - i, i - 31)
                    return table_of(q.x, p.m, q.k, p.on, q.z, p.b, at_of(p.x, q.at.n))
                end), swapped)
                r:set(swapped)
                assert.equal(S.layout, r:layout())
                assert.is_true(r:eq(swapped):all())
            end
        end)
    end)

    it("are what stencils return, along several axes too", function()
        onplaces.everywhere(function()
            local S = LAYOUTS.aos
            local f, x = making(S, At), lun.index(20)
            local made = x:stencil(function(p) return f(p(-1), p(2)) end, { edge = "wrap" })
            same(rows_of(20, function(i) return plain((i - 2) % 20 + 1, (i + 1) % 20 + 1) end), made)
            local grid = x:reshape(4, 5):stencil(function(p, k) return f(p(1, 0) * k, p(0, -1)) end, 3, { edge = 0 })
            assert.same({ 4, 5 }, { grid:shape() })
            same(rows_of(20, function(i)
                return plain(i > 15 and 0 or 3 * (i + 5), i % 5 == 1 and 0 or i - 1)
            end), grid:flatten())
            local axes = lun.generate({ { 2, 4 }, { -1, 0 } }, f)
            assert.same({ 3, 2 }, { axes:shape() })
            same(rows_of(6, function(i) return plain((i - 1) // 2 + 2, (i - 1) % 2 - 1) end), axes:flatten())
        end)
    end)

    it("may have 64, of captured arrays and random numbers, as they are at the call", function()
        onplaces.everywhere(function()
            local L = lun.struct("L", { { "v", "f64", { 8, 8 } } })
            local list = {}
            for i = 1, 8 do
                list[i] = {}
                for j = 1, 8 do list[i][j] = ("w[%d] * i + lun.uniform(3, %d)"):format(j, i * 8 + j) end
                list[i] = "{" .. table.concat(list[i], ", ") .. "}"
            end
            local text = "local L, w, lun = ... return function(i) return L({" .. table.concat(list, ", ") .. "}) end"
            local w = lun.index(8):copy()
            local made = lun.generate(5, load(text)(L, w, lun))
            w:fill(0)
            local u, got = lun.random(72, { seed = 3 }):totable(), made.v:totable()
            for i = 1, 5 do
                for j = 1, 8 do
                    for k = 1, 8 do assert.equal(k * i + u[j * 8 + k], got[i][j][k]) end
                end
            end
        end)
    end)

    it("are of few dtypes, and of what a function captures by then", function()
        lun.use "openmp"
        local S, k = LAYOUTS.soa, 2
        local f = making(S, At)
        local function g(i) return f(i, k) end
        same(rows_of(3, function(i) return plain(i, 2) end), lun.generate(3, g))
        k = 5
        same(rows_of(3, function(i) return plain(i, 5) end), lun.generate(3, g))
        same(rows_of(3, function(i) return plain(i, 5) end), lun.index(3):map(g, { out = "f64" }))
        assert.is_true(lun.generate(3, g).b:pending() > 0)
        assert.equal(0, #lun.index(0):map(g))
        assert.equal(0, #lun.generate(0, g).m)
        assert.same({ 3, 5 }, { select(2, lun.index(0):map(g).m:shape()) })
    end)

    it("are refused where records are, and where functions run but once", function()
        local S = LAYOUTS.aos
        local f, x = making(S, At), lun.index(5)
        local lines = debug.getinfo(1, "S").short_src .. ":"
        local function refused(message, ...)
            assert.matches(lines, tostring(expect.failure(message, ...)), 1, true)
        end
        local function one(i) return f(i, 1) end
        refused("bad option 'out' of 'map' (2 dtypes for 26 results)", function() x:map(one, { out = { "f32", "f32" } }) end)
        refused("bad option 'out' of 'generate' (1 dtypes for 26 results)", function() lun.generate(5, one, { out = { "f32" } }) end)
        refused("records with other fields are returned on each path: x, m, k, on, z, b, at; h, n", function()
            x:map(function(i) if i > 2 then return f(i, i) end return At(1, { 2, 3 }) end)
        end)
        refused("bad argument #1 to 'map' (" .. lines, function()
            x:map(function(i) return i, i, i, i, i, i, i, i, i, i, i, i, i, i, i, i, i end)
        end)
        refused("the function returns 17 results: return at most 16", function()
            x:map(function(i) return i, i, i, i, i, i, i, i, i, i, i, i, i, i, i, i, i end)
        end)
        refused("field 'k' of Wide is i32, not complex", function()
            x:map(function(i) return S(i, f(i, i).m, lun.complex(i, i), true, 1, { 1, 2, 3 }, At(1, { 2, 3 })) end)
        end)
        refused("bad argument #1 to 'call' (" .. lines, function() lun.call(function() return f(1, 2) end) end)
        refused("the function returns 26 elements of a record: return at most 16", function() lun.call(function() return f(1, 2) end) end)
        refused("the function returns 26 elements of a record: return at most 16", function()
            lun.pack(lun.map(one), { dtypes = { "i64" } })
        end)
        local r = lun.zeros(5, S)
        refused("the function assigns 26 elements: assign at most 16, or take lun.teams", function()
            lun.each(5, function(i) r[i] = f(i, i) end)
        end)
        refused("lengths differ: i64[5] and i64[4]", function() x:zip(lun.index(4), f) end)
        local w = lun.index(3)
        local line = debug.getinfo(1, "l").currentline
        local late = x:map(function(i) return f(i, w[i]) end)
        local failure = expect.failure("index 4 is out of range for array 'w' of length 3", late.eval, late)
        assert.matches(("wide_results_spec.lua:%d"):format(line + 1), tostring(failure))
    end)

    it("are the same on devices", function() onplaces.again(2, "wide_results_spec.lua") end)
end)
