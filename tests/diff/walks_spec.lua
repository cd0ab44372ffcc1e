-- Functions with inner loops along parts of arrays of different lengths, as the rows of a sparse matrix: on every
-- backend what the loop gives in Lua, of f32 and narrow integers what the interpreter gives, bit for bit.
local lun = require "lunarray"
local expect = require "expect"

local backends = lun.backends()

local everywhere = expect.everywhere

-- Rows of a sparse matrix, many of them empty, some long: ends, columns and values as lists.
local function sparse(n, seed)
    math.randomseed(seed)
    local first, column, value = { 1 }, {}, {}
    for i = 1, n do
        local length = math.random(4) == 1 and 0 or math.random(50) == 1 and math.random(0, 200) or math.random(0, 9)
        for k = first[i], first[i] + length - 1 do
            column[k], value[k] = math.random(n), math.random(-64, 64) / 8
        end
        first[i + 1] = first[i] + length
    end
    if not column[1] then
        column[1], value[1] = 1, 0.5
    end
    return first, column, value
end

local function arrays(n, dtype, whole)
    local first, column, value = sparse(n, n)
    local x = {}
    for i = 1, n do x[i] = i % 17 / 4 - 2 end
    return lun.vector(first, whole), lun.vector(column, whole), lun.vector(value, dtype), lun.vector(x, dtype)
end

-- The functions, of a table of arrays as of lists of numbers.
local functions = {
    product = function(first, column, value, x)
        return function(i)
            local s = 0.0
            for k = first[i], first[i + 1] - 1 do s = s + value[k] * x[column[k]] end
            return s
        end
    end,
    several = function(first, column, value, x)
        return function(i)
            local count, largest, found = 0, -1e30, false
            for k = first[i], first[i + 1] - 1 do
                local y = value[k]
                if y > 6 then
                    found = true
                    break
                end
                if column[k] % 3 ~= 0 then
                    count = count + 1
                    largest = math.max(largest, y / 3 - x[column[k]])
                end
            end
            return count, largest, found
        end
    end,
    integers = function(first, column, _, _)
        return function(i)
            local h, k = i, first[i]
            while k < first[i + 1] do
                h = (h * 31 + column[k]) % 65521
                if h % 7 == 3 then h = h // 2 ~ k end
                k = k + 1
            end
            return h
        end
    end,
    nested = function(first, column, value, _)
        return function(i)
            local s = 0.0
            for k = first[i], first[i + 1] - 1 do
                local j = column[k]
                for m = first[j], first[j + 1] - 1 do s = s + value[m] * value[k] end
            end
            return s
        end
    end,
}

local function lists(n, f, ...)
    local given = { ... }
    for k, a in ipairs(given) do given[k] = a:totable() end
    local g, results = f(table.unpack(given)), {}
    for i = 1, n do
        for k, y in ipairs { g(i) } do
            results[k] = results[k] or {}
            results[k][i] = y
        end
    end
    return results
end

local function computed(n, f, ...)
    local results = { lun.map(f(...))(lun.index(n)) }
    lun.eval(table.unpack(results))
    for k, a in ipairs(results) do results[k] = a:totable() end
    return results
end

describe("functions that walk along arrays", function()
    for name, f in pairs(functions) do
        it("give what Lua gives: " .. name, function()
            for _, n in ipairs { 1, 2, 63, 64, 65, 4096, 4100, 20000 } do
                for _, whole in ipairs { "i32", "i64" } do
                    local wanted = lists(n, f, arrays(n, "f64", whole))
                    everywhere(function() assert.same(wanted, computed(n, f, arrays(n, "f64", whole))) end)
                end
            end
        end)

        it("have the same bits in f32 and narrow integers: " .. name, function()
            for _, n in ipairs { 65, 4100 } do
                lun.use "reference"
                local wanted = computed(n, f, arrays(n, "f32", "u16"))
                everywhere(function() assert.same(wanted, computed(n, f, arrays(n, "f32", "u16"))) end)
            end
        end)
    end

    it("run on single elements where that is faster", function()
        lun.use "openmp"
        local function source(f)
            return lun.explain((lun.map(f)(lun.index(3))))[1].source or ""
        end
        local first, column, value, x = arrays(100, "f64", "i32")
        assert.truthy(source(functions.product(first, column, value, x)):find("kernel: single elements", 1, true))
        assert.falsy(source(function(i)
            local s = 0.0
            for k = 1, #value do s = s + value[k] * x[i] end
            return s
        end):find("kernel: single elements", 1, true))
        lun.use(backends[1])
    end)

    it("check each index, report the first fault, and go on with the next evaluation", function()
        everywhere(function(backend)
            local n = 5000
            local first, column, value, x = arrays(n, "f64", "i64")
            local wanted = lists(n, functions.product, first, column, value, x)
            local y = lun.zeros(n)
            local line = debug.getinfo(functions.product, "S").linedefined + 3
            local good = column[7]
            column[7] = n + 1
            local f = functions.product(first, column, value, x)
            local ok, message = pcall(lun.each, n, function(i) y[i] = f(i) end)
            assert.is_false(ok)
            assert.truthy(tostring(message):find((":%d: index %d is out of range for array 'x' of length %d"):format(line,
                n + 1, n), 1, true), backend .. ": " .. tostring(message))
            assert.are.equal(0, y:sum())
            column[7] = good
            lun.each(n, function(i) y[i] = f(i) end)
            assert.same(wanted[1], y:totable())
        end)
    end)
end)
