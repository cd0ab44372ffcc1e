-- Options about missing elements: skipna of reductions, missing of sorts, dropna of groups, na of joins, against models
-- in plain Lua.

local expect = require "expect"
local lun = require "lunarray"

local NA, list = lun.na, expect.list

-- Lines of small numbers of which about a third is missing: the same ones each time.
local function lines(rows, columns)
    local state, out = 7, {}
    for r = 1, rows do
        out[r] = {}
        for c = 1, columns do
            state = (state * 1103515245 + 12345) % 2147483648
            out[r][c] = state // 65536 % 3 == 0 and NA or state // 1024 % 50
        end
    end
    return out
end

-- The indices of x in stable order, missing ones last or first.
local function argsorted(x, descending, first)
    local order = {}
    for i = 1, #x do
        order[i] = i
    end
    table.sort(order, function(i, j)
        local a, b = x[i], x[j]
        if a == NA or b == NA then
            if a == NA and b == NA then
                return i < j
            end
            return (a == NA) == (first == true)
        elseif a == b then
            return i < j
        elseif descending then
            return a > b
        end
        return a < b
    end)
    return order
end

local function pick(x, order)
    local out = {}
    for k, i in ipairs(order) do
        out[k] = x[i]
    end
    return out
end

local function flat(rows)
    local out = {}
    for _, row in ipairs(rows) do
        table.move(row, 1, #row, #out + 1, out)
    end
    return out
end

describe("orders with missing elements", function()
    for _, dtype in ipairs { "i32", "u8", "f32", "f64" } do
        it("are those of a model for lines of " .. dtype, function()
            for _, extent in ipairs { 1, 2, 7, 130 } do
                local rows = lines(5, extent)
                local m = lun.vector(rows, dtype)
                for _, descending in ipairs { false, true } do
                    for _, first in ipairs { false, true } do
                        local options = { axis = 2, descending = descending, missing = first and "first" or "last" }
                        local order, sorted = {}, {}
                        for r, row in ipairs(rows) do
                            order[r] = argsorted(row, descending, first)
                            sorted[r] = pick(row, order[r])
                        end
                        assert.same(flat(order), m:argsort(options):flatten():totable())
                        assert.same(flat(sorted), list(m:sort(options):flatten()))
                        options.axis = 1
                        local across = m:transpose()
                        assert.same(flat(order), across:argsort(options):transpose():flatten():totable())
                        assert.same(flat(sorted), list(across:sort(options):transpose():flatten()))
                        options.axis = nil
                        local row = m[1] -- a Vector
                        assert.same(order[1], row:argsort(options):totable())
                        assert.same(sorted[1], list(row:sort(options)))
                    end
                end
            end
        end)
    end

    it("have NaN before what is missing, or behind all", function()
        local a = lun.vector { 0 / 0, 2, NA, 1 }
        assert.same({ 4, 2, 1, 3 }, a:argsort():totable())
        assert.same({ 2, 4, 1, 3 }, a:argsort({ descending = true }):totable())
        assert.same({ 3, 4, 2, 1 }, a:argsort({ missing = "first" }):totable())
        local m = lun.vector { { 0 / 0, 2, NA, 1 } }
        assert.same({ 4, 2, 1, 3 }, m:argsort({ axis = 2 }):flatten():totable())
        assert.same({ 3, 4, 2, 1 }, m:argsort({ axis = 2, missing = "first" }):flatten():totable())
    end)

    it("give topk the missing ones last", function()
        local values, places = lun.vector({ 3, NA, 5, NA, 5 }, "i64"):topk(4)
        assert.same({ 5, 5, 3, NA }, list(values))
        assert.same({ 3, 5, 1, 2 }, places:totable())
        values, places = lun.vector({ 3, NA, 5 }, "i64"):topk(2, { smallest = true })
        assert.same({ 3, 5 }, list(values))
        assert.same({ 1, 3 }, places:totable())
    end)

    it("take arrays without elements", function()
        local none = lun.vector({ 1, NA }, "i64"):compress(lun.vector { false, false }):reshape { 0, 3 }
        assert.equal(0, none:sort({ axis = 1 }):size())
        assert.equal(0, none:argsort({ axis = 2 }):size())
    end)

    it("name a wrong option", function()
        local a = lun.vector { 1, NA }
        assert.has_error(function() a:sort { missing = "front" } end,
            [[bad argument #1 to 'sort' (option missing: "first" or "last" expected, got front)]])
        assert.has_error(function() a:argsort { missing = true } end,
            [[bad argument #1 to 'argsort' (option missing: "first" or "last" expected, got true)]])
    end)
end)

local REDUCTIONS <const> = { "sum", "prod", "min", "max", "mean", "var", "std", "norm", "any", "all", "count", "argmin",
    "argmax" }

describe("skipna = false", function()
    for _, dtype in ipairs { "i64", "u8", "bool", "f64" } do
        it("makes reductions of lines with a gap missing in " .. dtype, function()
            local rows = { { 1, NA, 0 }, { 1, 0, 1 }, { NA, NA, NA } }
            local m = lun.vector(rows):cast(dtype)
            local whole = m[2]
            for _, name in ipairs(REDUCTIONS) do
                local given = list(m[name](m, { axis = 2, skipna = false }))
                assert.equal(NA, given[1], name)
                assert.same(list(whole[name](whole, { keep = true }))[1], given[2], name)
                assert.equal(NA, given[3], name)
            end
        end)
    end

    it("makes a number nil, of floats NaN", function()
        local a = lun.vector({ 1, NA, 3 }, "i64")
        assert.is_nil(a:sum { skipna = false })
        assert.is_nil(a:argmax { skipna = false })
        assert.equal(4, a:sum { skipna = true })
        assert.equal(4, lun.vector({ 1, 3 }):sum { skipna = false })
        local x = lun.vector({ 1.0, NA }):sum { skipna = false }
        assert.is_true(x ~= x)
    end)

    it("goes for medians and quantiles, whole and of lines", function()
        local m = lun.vector({ { 3, 1, 2 }, { 4, NA, 8 } }, "i64")
        assert.same({ 2.0, NA }, list(m:median { axis = 2, skipna = false }))
        assert.same({ 2.0, 6.0 }, list(m:median { axis = 2 }))
        assert.same({ 1.0, 4.0, 3.0, 8.0 }, list(m:quantile({ 0, 1 }, { axis = 2 }):flatten()))
        assert.same({ 1.0, NA, 3.0, NA }, list(m:quantile({ 0, 1 }, { axis = 2, skipna = false }):flatten()))
        local x = m:median { skipna = false }
        assert.is_true(x ~= x)
    end)

    it("goes for groups", function()
        local g = lun.group(lun.vector { 1, 2, 1, 2 })
        local x = lun.vector({ 5, 6, 7, NA }, "i64")
        for name, expected in pairs { sum = 12, prod = 35, min = 5, max = 7, mean = 6, var = 1, std = 1, first = 5,
            last = 7, median = 6, count = 2, any = true, all = true } do
            assert.same({ expected, name == "first" and 6 or NA }, list(g[name](g, x, { skipna = false })), name)
        end
        assert.has_error(function() g:sum(x, { skipna = 1 }) end,
            "bad argument #2 to 'sum' (option 'skipna': true or false expected, got number)")
    end)
end)

describe("medians of lines", function()
    it("leave missing elements out, in the dtype that they have", function()
        local m = lun.vector { { 1, NA, 5 }, { NA, NA, NA }, { 0 / 0, NA, 1 } }
        for _, dtype in ipairs { "f64", "f32" } do
            local x = m:cast(dtype):median { axis = 2 }
            assert.equal(dtype, x:dtype())
            assert.same({ false, true, false }, x:ismissing():totable())
            assert.equal(3.0, x[1])
            assert.is_true(x[3] ~= x[3])
        end
        assert.same({ 3.0, NA, 1.0 }, list(m:median { axis = 2, skipnan = true }))
    end)
end)

describe("groups with dropna", function()
    local keys = lun.vector({ 1, NA, 2, 1, NA }, "i32")
    local x = lun.vector { 10, 20, 30, 40, 50 }

    it("have no group of missing keys", function()
        local g = lun.group(keys, { dropna = true })
        assert.equal(2, #g)
        assert.equal("group: 2 groups of 5 rows", tostring(g))
        assert.same({ 1, 2 }, g:keys():totable())
        assert.same({ 1, NA, 2, 1, NA }, list(g:codes()))
        assert.same({ 2, 1 }, g:count():totable())
        assert.same({ 1, 4 }, g:rows(1):totable())
        for name, expected in pairs { sum = { 50, 30 }, mean = { 25, 30 }, first = { 10, 30 }, last = { 40, 30 },
            median = { 25, 30 }, max = { 40, 30 }, numbers = { 2, 1 } } do
            assert.same(expected, g[name](g, x):totable(), name)
        end
        assert.same({ 50, 30 }, g:reduce(x, "+", 0):totable())
        assert.same({ 10, NA, 30, 50, NA }, list(g:scan(x, "+", 0)))
        assert.equal(3, #lun.group(keys, { dropna = false }))
    end)

    it("leave out NaN, and rows of which any key is", function()
        local other = lun.vector { 7, 7, 0 / 0, 8, 7 }
        local g = lun.group(keys, other, { dropna = true, order = "first" })
        local k, l = g:keys()
        assert.same({ 1, 1 }, k:totable())
        assert.same({ 7.0, 8.0 }, l:totable())
        assert.same({ 1, NA, NA, 2, NA }, list(g:codes()))
        assert.same({ 10, 40 }, g:sum(x):totable())
    end)

    it("may have no row at all", function()
        local g = lun.group(lun.vector({ NA, NA }, "i64"), { dropna = true })
        assert.equal(0, #g)
        assert.same({ NA, NA }, list(g:codes()))
        assert.same({}, g:sum(lun.vector { 1, 2 }):totable())
    end)

    it("name mistakes", function()
        assert.has_error(function() lun.group(keys, { dropna = 1 }) end,
            "bad argument #2 to 'group' (option 'dropna': true or false expected, got number)")
        assert.has_error(function() lun.group(keys, { dropna = true }):sum(lun.vector { 1, 2, 3 }) end)
    end)
end)

describe("joins", function()
    it("match missing keys where that is asked for", function()
        local a, b = lun.vector({ 1, NA, 2, NA }, "i64"), lun.vector({ NA, 2, NA }, "i64")
        local i, j = lun.join(a, b)
        assert.same({ { 3 }, { 2 } }, { i:totable(), j:totable() })
        i, j = lun.join(a, b, "inner", { na = "match" })
        assert.same({ { 2, 2, 3, 4, 4 }, { 1, 3, 2, 1, 3 } }, { i:totable(), j:totable() })
        i, j = lun.join(a, b, "left", { na = "match" })
        assert.same({ { 1, 2, 2, 3, 4, 4 }, { 0, 1, 3, 2, 1, 3 } }, { i:totable(), j:totable() })
        assert.has_error(function() lun.join(a, b, "left", { na = "ignore" }) end,
            "bad argument #4 to 'join' (option 'na': \"match\" expected, got string)")
    end)
end)
