-- Missing elements in reductions of lines and groups, against a model in plain Lua.

local expect = require "expect"
local lun = require "lunarray"

local NA, list = lun.na, expect.list

local function fold(f)
    return function(x)
        local y = x[1]
        for k = 2, #x do
            y = f(y, x[k])
        end
        return y
    end
end

local function mean(x)
    return #x > 0 and fold(function(a, b) return a + b end)(x) / #x or nil
end

local function var(x)
    local m, sum = mean(x), 0
    for _, y in ipairs(x) do
        sum = sum + (y - m) ^ 2
    end
    return #x > 0 and sum / #x or nil
end

-- Of a list of elements that are there; nil: missing.
local MODEL <const> = {
    sum = function(x) return fold(function(a, b) return a + b end)(x) or 0 end,
    prod = function(x) return fold(function(a, b) return a * b end)(x) or 1 end,
    min = fold(math.min),
    max = fold(math.max),
    mean = mean,
    var = var,
    std = function(x) return #x > 0 and var(x) ^ 0.5 or nil end,
    count = function(x)
        local n = 0
        for _, y in ipairs(x) do
            n = n + (y ~= 0 and 1 or 0)
        end
        return n
    end,
}

local function there(x)
    local out = {}
    for _, y in ipairs(x) do
        if y ~= NA then
            out[#out + 1] = y
        end
    end
    return out
end

local function close(expected, a, call)
    local given = list(a)
    assert.equal(#expected, #given)
    for k, x in ipairs(expected) do
        if x == NA then
            assert.equal(NA, given[k], call)
        else
            assert.is_true(math.abs(x - given[k]) <= 1e-6 * math.max(1, math.abs(x)), call)
        end
    end
end

local ROWS <const> = { { 4, NA, 1, 7 }, { NA, NA, NA, NA }, { 2, 2, NA, 0 }, { 3, 3, 3, 5 } }

describe("missing elements along axes", function()
    for _, dtype in ipairs { "i64", "u8", "f64", "f32" } do
        it("are left out of " .. dtype, function()
            local m = lun.vector(ROWS):cast(dtype)
            for name, of in pairs(MODEL) do
                local expected = {}
                for k, row in ipairs(ROWS) do
                    local x = of(there(row))
                    expected[k] = x == nil and NA or x
                end
                close(expected, m[name](m, { axis = 2 }), name)
                close(expected, lun.eval(m:transpose():lazy(name, { axis = 1 })), name)
                close(expected, m[name](m, { axis = 2, keep = true }):flatten(), name)
            end
        end)

        it("are left out of lazy reductions of " .. dtype, function()
            local flat = {}
            for _, row in ipairs(ROWS) do
                table.move(row, 1, #row, #flat + 1, flat)
            end
            local m = lun.vector(ROWS):cast(dtype)
            for name, of in pairs(MODEL) do
                local x = lun.eval(m:lazy(name))
                assert.is_true(math.abs(of(there(flat)) - x) < 1e-5 * math.max(1, math.abs(x)), name)
            end
        end)
    end

    it("are no place of an extreme", function()
        for _, dtype in ipairs { "i64", "u8", "f64" } do
            local m = lun.vector({ { NA, 255, 0 }, { 7, NA, 7 } }):cast(dtype)
            assert.same({ 2, 1 }, m:argmax({ axis = 2 }):totable())
            assert.same({ 3, 1 }, m:argmin({ axis = 2 }):totable())
            assert.equal(3, lun.eval(m:lazy "argmin"))
            assert.has_error(function() return lun.vector({ { NA, NA } }, dtype):argmin({ axis = 2 }):eval() end)
        end
        assert.same({ 3 }, lun.vector({ { NA, 1.5, 0 / 0 } }):argmin({ axis = 2 }):totable())
        assert.same({ 2 }, lun.vector({ { NA, 1.5, 0 / 0 } }):argmin({ axis = 2, skipnan = true }):totable())
    end)

    it("leave NaN a value", function()
        local m = lun.vector { { 1, 0 / 0, NA, 3 } }
        for _, name in ipairs { "sum", "mean", "min", "var" } do
            local x = m[name](m, { axis = 2 })
            assert.is_true(x[1] ~= x[1] and not x:ismissing()[1], name)
        end
        assert.same({ 2.0 }, m:mean({ axis = 2, skipnan = true }):totable())
        assert.equal(2.0, m:mean { skipnan = true })
        assert.same({ 1.0 }, m:min({ axis = 2, skipnan = true }):totable())
    end)

    it("leave variances their digits", function()
        assert.same({ 1.0 }, lun.vector({ { NA, 1e15, 1e15 + 2 } }):var({ axis = 2 }):totable())
    end)

    it("leave nothing", function()
        local none = lun.vector({ NA, NA }, "i64")
        assert.is_nil(none:min { skipnan = true })
        assert.same({ NA }, list(lun.vector({ { NA, NA } }, "i64"):max { axis = 2 }))
        assert.same({ false }, lun.vector({ { NA, NA } }, "bool"):any({ axis = 2 }):totable())
        assert.same({ true }, lun.vector({ { NA, true } }, "bool"):all({ axis = 2 }):totable())
    end)

    it("leave pairs out of dot", function()
        assert.equal(11, lun.vector({ 1, NA, 3, 5 }):dot(lun.vector { 2, 4, 3, NA }))
    end)
end)

-- The rows of each key as lists, of keys in ascending order, NA last.
local function rows_by(keys, values)
    local seen, order = {}, {}
    for i, key in ipairs(keys) do
        if not seen[key] then
            seen[key] = {}
            order[#order + 1] = key
        end
        table.insert(seen[key], values[i])
    end
    table.sort(order, function(a, b)
        return b == NA and a ~= NA or a ~= NA and b ~= NA and a < b
    end)
    return order, seen
end

describe("missing elements in groups", function()
    local KEYS <const> = { 2, NA, 1, 2, NA, 0, 3, 2, 1, 1 }
    local VALUES <const> = { 10, 20, NA, 4, 5, 7, NA, NA, 3, 0 }

    for _, dtype in ipairs { "i64", "u8", "f64", "f32" } do
        it("are left out of values of " .. dtype, function()
            local order, rows = rows_by(KEYS, VALUES)
            local g = lun.group(lun.vector(KEYS))
            assert.same(order, list((g:keys())))
            local x = lun.vector(VALUES):cast(dtype)
            local more = {
                first = function(y) return y[1] end,
                last = function(y) return y[#y] end,
                median = function(y)
                    table.sort(y)
                    return #y > 0 and (y[(#y + 1) // 2] + y[#y // 2 + 1]) / 2 or nil
                end,
            }
            for _, model in ipairs { MODEL, more } do
                for name, of in pairs(model) do
                    local expected = {}
                    for k, key in ipairs(order) do
                        local y = of(there(rows[key]))
                        expected[k] = y == nil and NA or y
                    end
                    close(expected, g[name](g, x), name)
                end
            end
        end)
    end

    it("are one key, last, after NaN", function()
        assert.same({ 2, 3, 1, 3 }, lun.group(lun.vector { 0 / 0, NA, 1.0, NA }):codes():totable())
        assert.same({ 2, 1, 2 }, lun.group(lun.vector { NA, 0, NA }):codes():totable())
        assert.same({ 1, 2, 1 }, lun.group(lun.vector { NA, 0, NA }, { order = "first" }):codes():totable())
        local x, y = lun.group(lun.vector { NA, 1, NA, 1 }, lun.vector { 5, NA, 5, 4 }):keys()
        assert.same({ 1, 1, NA }, list(x))
        assert.same({ 4, NA, 5 }, list(y))
        assert.same({ NA }, list((lun.group(lun.vector({ NA, NA }, "bool")):keys())))
    end)

    it("leave NaN a value", function()
        local g, x = lun.group { "a", "a", "b" }, lun.vector { 0 / 0, NA, 1.0 }
        for _, name in ipairs { "sum", "mean", "min", "first", "median" } do
            local y = g[name](g, x)
            assert.is_true(y[1] ~= y[1] and y[2] == 1.0 and not y:ismissing():any(), name)
        end
    end)
end)

describe("missing elements in sets and joins", function()
    local A <const> = { 3, NA, 1, 3, NA, 0 }

    it("are one different value, last", function()
        for _, dtype in ipairs { "i64", "u8", "f64" } do
            local a = lun.vector(A):cast(dtype)
            local values, counts = a:unique()
            assert.same({ 0, 1, 3, NA }, list(values))
            assert.same({ 1, 1, 2, 2 }, counts:totable())
            assert.equal(3, a:nunique())
            assert.equal(3, a:reshape(2, 3):nunique())
            local all, firsts, inverse = a:unique_all()
            assert.same({ 0, 1, 3, NA }, list(all))
            assert.same({ 6, 3, 1, 2 }, firsts:totable())
            assert.same({ 3, 4, 2, 3, 4, 1 }, inverse:totable())
            assert.equal(3, a:mode())
            assert.same({ 3, NA, 0, 1 }, list(a:value_counts().value))
            assert.same({ 3.5, NA, 2.0, 3.5, NA, 1.0 }, list(a:rank()))
        end
        assert.equal(2, lun.vector({ NA, 0 / 0, 1.0, NA, 0 / 0 }):nunique())
        assert.same({ NA }, list((lun.vector({ NA, NA }, "i64"):unique())))
        local filled = lun.vector { NA, 2 }
        filled[1] = 2
        assert.same({ 2 }, list((filled:unique())))
    end)

    it("are in a list that has one, and one value of sets", function()
        local a = lun.vector(A)
        assert.same({ true, false, false, true, false, false }, a:isin({ 3 }):totable())
        assert.same({ true, true, false, true, true, false }, a:isin(lun.vector { 3, NA }):totable())
        assert.same({ true, true, false, true, true, false }, a:isin({ 3, NA }):totable())
        assert.same({ false, false, false, false, false, false }, lun.index(6):isin({ NA }):totable())
        assert.same({ 3, NA }, list(a:intersect(lun.vector { 3, NA })))
        assert.same({ 0, 1 }, list(a:setdiff(lun.vector { 3, NA })))
        assert.same({ 0, 1, NA }, list(a:setdiff { 3 }))
        assert.same({ 0, 1, 3, 5, NA }, list(a:union { 5 }))
    end)

    it("match no key of a join", function()
        local b = lun.vector { NA, 3, 0, NA, 0 }
        for _, how in ipairs { "inner", "left" } do
            local expected_i, expected_j = {}, {}
            for i, x in ipairs(A) do
                local found = false
                for j, y in ipairs(list(b)) do
                    if x ~= NA and x == y then
                        found = true
                        expected_i[#expected_i + 1], expected_j[#expected_j + 1] = i, j
                    end
                end
                if how == "left" and not found then
                    expected_i[#expected_i + 1], expected_j[#expected_j + 1] = i, 0
                end
            end
            for _, dtype in ipairs { "i64", "u64", "f32" } do
                local i, j = lun.join(lun.vector(A):cast(dtype), b:cast(dtype), how)
                assert.same(expected_i, i:totable())
                assert.same(expected_j, j:totable())
            end
            local i, j = lun.join(lun.vector(A):cast "u64", b, how)
            assert.same(expected_i, i:totable())
            assert.same(expected_j, j:totable())
        end
        local i = lun.join({ lun.vector { 1, NA }, lun.vector { NA, 2 } }, { lun.vector { 1, 1 }, lun.vector { 2, NA } })
        assert.equal(0, #i)
        i = lun.join(lun.vector { 1, 2 }, lun.vector { NA, 2 })
        assert.same({ 2 }, i:totable())
    end)
end)

describe("missing elements in runs", function()
    local function add(x, y) return x + y end

    it("are passed over by reduceat", function()
        for _, dtype in ipairs { "i64", "u8", "f64" } do
            local a = lun.vector({ NA, 1, 4, NA, NA, 2, NA }):cast(dtype)
            local at = { 1, 4, 6, 7 }
            assert.same({ 5, 0, 2, 0 }, list(a:reduceat(at, "+")))
            assert.same({ 4, 1, 2, 1 }, list(a:reduceat(at, "*")))
            assert.same({ 4, NA, 2, NA }, list(a:reduceat(at, "max")))
            assert.same({ 1, NA, 2, NA }, list(a:reduceat(at, "min")))
            assert.same({ 5, NA, 2, NA }, list(a:reduceat(at, add)))
            assert.same({ 15, 10, 12, 10 }, list(a:reduceat(at, add, 10)))
            local none = lun.vector({ NA, NA }):cast(dtype)
            assert.same({ NA, NA }, list(none:reduceat({ 1, 2 }, "max")))
            assert.same({ 0, 0 }, list(none:reduceat({ 1, 2 }, "+")))
            assert.has_error(function() return a:reduceat({ 1, 9 }, "+") end)
            assert.has_error(function() return a:reduceat({ 4, 4 }, "max") end)
        end
        local x = lun.vector({ NA, 0 / 0, 1.0 }):reduceat({ 1, 3 }, "+")
        assert.is_true(x[1] ~= x[1] and x[2] == 1.0 and not x:ismissing():any())
    end)

    it("are passed over by reduceby, and are one key", function()
        for _, dtype in ipairs { "i64", "u8", "f64" } do
            local keys = lun.vector({ 1, 1, NA, NA, 1, 2 }):cast(dtype)
            local k, sums = lun.vector({ 4, NA, 2, 3, NA, 7 }):cast(dtype):reduceby(keys, "+", 0)
            assert.same({ 1, NA, 1, 2 }, list(k))
            assert.same({ 4, 5, 0, 7 }, list(sums))
            assert.same({ 0 }, list((select(2, lun.vector({ NA }):cast(dtype):reduceby({ "a" }, "+", 0)))))
        end
    end)

    it("are passed over by functions of groups", function()
        local g = lun.group(lun.vector { 2, 1, NA, 2, NA })
        assert.same({ 0, 6, 7 }, list(g:reduce(lun.vector { 6, NA, 5, NA, 2 }, add, 0)))
    end)
end)
