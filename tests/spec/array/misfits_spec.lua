-- Arrays whose shapes do not go together: the error of every public call with two of them names both, each with the
-- dtype and the shape that it has itself, whatever they would be converted to or computed in.
local lun = require "lunarray"
local expect = require "expect"

local DTYPES <const> = { { "f32", "i16" }, { "u8", "i64" }, { "i32", "f64" }, { "bool", "u32" }, { "f16", "f32" },
    { "i16", "i32" }, { "bool", "bool" }, { "u16", "u64" } }
local SHAPES <const> = { { { 3 }, { 4 } }, { { 2, 3 }, { 2, 4 } }, { { 2, 3 }, { 5, 3 } }, { { 2, 3 }, { 4 } }, { { 4 }, { 2, 3 } },
    { { 2, 3, 1 }, { 2, 4, 5 } }, { { 6 }, { 2, 3 } } }

local function text_of(shape, dtype)
    return ("%s[%s]"):format(dtype, table.concat(shape, ", "))
end

-- An array of that shape; layout: "left" or "right".
local function array(shape, dtype, layout)
    return lun.ones(shape, dtype):copy { layout = layout }
end

-- Fails unless f fails with a text that names both arrays.
local function check(what, f, x, y)
    local ok, message = pcall(f)
    local wanted, other = text_of(table.unpack(x)), text_of(table.unpack(y))
    assert.is_false(ok, ("%s takes %s and %s"):format(what, wanted, other))
    local both = message:find(wanted, 1, true) and message:find(other, 1, true)
    assert.truthy(both, ("%s of %s and %s: %s"):format(what, wanted, other, message))
end

-- ---------------------------------------------------------------- elementwise

-- The arity of an operation of dtypes t and u; nil: it has none for them.
local function arity_of(name, t, u)
    for arity = 1, 3 do
        local given = { lun.ones(1, t), lun.ones(1, u), lun.ones(1, u) }
        if pcall(function() return lun.map(lun.op[name], { elements = arity })(table.unpack(given, 1, arity)) end) then
            return arity
        end
    end
end

-- Each way of calling an operation of that arity, with x and y at two of its operands and one element at the third.
local function ways(name, arity, x, y, one)
    local list = {}
    local function add(what, ...)
        local given = { ... }
        list[#list + 1] = { "lun." .. name .. what, function() return lun[name](table.unpack(given)) end }
        if name ~= "sub" then -- whose method gives a window
            list[#list + 1] = { "method " .. name .. what, function() return given[1][name](table.unpack(given)) end }
        end
        list[#list + 1] = { "zip by " .. name .. what, function()
            return lun.map(lun.op[name], { elements = arity })(table.unpack(given))
        end }
    end
    if arity == 2 then
        add("", x, y)
    else
        add(" (1, 2)", x, y, one)
        add(" (1, 3)", x, one, y)
        add(" (2, 3)", one, x, y)
    end
    return list
end

local SIGNS <const> = {
    ["+"] = function(x, y) return x + y end, ["-"] = function(x, y) return x - y end, ["*"] = function(x, y) return x * y end,
    ["/"] = function(x, y) return x / y end, ["//"] = function(x, y) return x // y end, ["%"] = function(x, y) return x % y end,
    ["^"] = function(x, y) return x ^ y end, ["&"] = function(x, y) return x & y end, ["|"] = function(x, y) return x | y end,
    ["~"] = function(x, y) return x ~ y end, ["<<"] = function(x, y) return x << y end, [">>"] = function(x, y) return x >> y end,
}

describe("arrays whose shapes do not go together", function()
    it("are both named by each operation, in each way to call it", function()
        local seen = 0
        for name in pairs(lun.op) do
            local taken = false
            for k, dtypes in ipairs(DTYPES) do
                local t, u = dtypes[1], dtypes[2]
                local arity = arity_of(name, t, u)
                for _, shapes in ipairs(arity and arity > 1 and SHAPES or {}) do
                    for _, layout in ipairs { "right", "left" } do
                        local x, y = array(shapes[1], t, layout), array(shapes[2], u, layout)
                        for _, way in ipairs(ways(name, arity, x, y, lun.ones(1, DTYPES[k][2]))) do
                            check(way[1], way[2], { shapes[1], t }, { shapes[2], u })
                            seen = seen + 1
                        end
                    end
                end
                taken = taken or arity ~= nil
            end
            assert.is_true(taken, name)
        end
        assert.is_true(seen > 5000)
    end)

    it("are both named by each operator", function()
        for sign, f in pairs(SIGNS) do
            local taken = false
            for _, dtypes in ipairs(DTYPES) do
                local t, u = dtypes[1], dtypes[2]
                for _, shapes in ipairs(pcall(f, lun.ones(1, t), lun.ones(1, u)) and SHAPES or {}) do
                    local x, y = array(shapes[1], t), array(shapes[2], u)
                    check(sign, function() return f(x, y) end, { shapes[1], t }, { shapes[2], u })
                    taken = true
                end
            end
            assert.is_true(taken, sign)
        end
    end)

    it("are both named by functions in Lua and in C", function()
        local function add(a, b) return a + b end
        for _, shapes in ipairs(SHAPES) do
            local x, y, one = array(shapes[1], "f32"), array(shapes[2], "i16"), lun.ones(1, "f64")
            for what, f in pairs {
                zip = function() return lun.zip(add)(x, y) end,
                ["zip's method"] = function() return x:zip(y, add) end,
                ["map, elements"] = function() return lun.map(add, { elements = 2 })(x, y) end,
                ["three elements"] = function() return lun.map(function(_, a, b) return a, b end, { elements = 3 })(one, x, y) end,
                ["in C"] = function() return lun.zip "(double x, long y) { return x + y; }" (x, y) end,
                ["run"] = function() return lun.zip(add):run { x, y } end,
                ["by a sign"] = function() return lun.zip "-" (x, y) end,
                ["sequence"] = function() return (lun.zip(add) >> lun.map "sqrt")(x, y) end,
            } do
                check(what, f, { shapes[1], "f32" }, { shapes[2], "i16" })
            end
        end
    end)

    -- ---------------------------------------------------------------- the others

    -- By name: a call with arrays of these shapes, in dtypes t and u.
    local CALLS <const> = {
        { "dot", { 3 }, { 4 }, function(x, y) return x:dot(y) end },
        { "lun.dot", { 2, 3 }, { 3, 2 }, function(x, y) return lun.dot(x, y) end },
        { "matmul", { 2, 3 }, { 5, 4 }, function(x, y) return x:matmul(y) end },
        { "matmul of Vectors", { 3 }, { 4 }, function(x, y) return x:matmul(y) end },
        { "matmul of batches", { 2, 2, 3 }, { 3, 3, 2 }, function(x, y) return x:matmul(y) end },
        { "allpairs", { 2, 3 }, { 5, 4 }, function(x, y) return lun.allpairs("*", "+")(x, y) end },
        { "allpairs of functions", { 2, 3 }, { 5, 4 }, function(x, y)
            return lun.allpairs(function(a, b) return a - b end, "max")(x, y)
        end },
        { "..", { 2, 3 }, { 5, 4 }, function(x, y) return x .. y end },
        { "concat", { 2, 3 }, { 5, 4 }, function(x, y) return lun.concat({ x, y }, 2) end },
        { "concat of three", { 2, 3 }, { 5, 4 }, function(x, y) return lun.concat { x, x, y } end },
        { "stack", { 3 }, { 4 }, function(x, y) return lun.stack { x, y } end },
        { "set", { 3 }, { 4 }, function(x, y) x:set(y) end },
        { "set of a matrix", { 2, 3 }, { 5, 4 }, function(x, y) x:set(y) end },
        { "copyto", { 3 }, { 4 }, function(x, y) x:copyto(y) end },
        { "eval out", { 3 }, { 4 }, function(x, y) lun.eval(x, { out = y }) end },
        { "eval out of an expression", { 2, 3 }, { 4, 3 }, function(x, y) lun.eval(x:max(x), { out = y }) end },
        { "run out", { 3 }, { 4 }, function(x, y) lun.map "abs":run { x, out = y } end },
        { "assignment", { 3 }, { 2, 4 }, function(x, y) y:row(1):set(x) end, { 3 }, { 4 } },
        { "stencil", { 3 }, { 4 }, function(x, y)
            return lun.stencil(function(a, b) return a(1) + b(0) end, { edge = 0, elements = 2 })(x, y)
        end },
        { "reduce of several", { 3 }, { 4 }, function(x, y)
            return lun.reduce(function(a, b, c, d) return a + c, b + d end, { 0, 0 }, { elements = 2 })(x, y)
        end },
        { "scan of several", { 2, 3 }, { 4 }, function(x, y)
            return lun.scan(function(a, b, c, d) return a + c, b + d end, { 0, 0 }, { elements = 2 })(x, y)
        end },
        { "weights", { 3 }, { 4 }, function(x, y) return x:histogram(3, { weights = y }) end },
        { "counts", { 3 }, { 4 }, function(x, y) return x:spread(y) end },
        { "reduceby", { 3 }, { 4 }, function(x, y) return x:reduceby(y, "max", 0) end },
        { "scanby", { 3 }, { 4 }, function(x, y) return x:scanby(y, "max", 0) end },
        { "group", { 3 }, { 4 }, function(x, y) return lun.group(x, y) end },
        { "group, third key", { 3 }, { 4 }, function(x, y) return lun.group(x, x, y) end },
        { "join", { 3 }, { 4 }, function(x, y) return lun.join({ x, y }, { x, x }) end },
        { "plot", { 3 }, { 4 }, function(x, y) return lun.plot(x, y, { string = true }) end },
        { "put", { 9 }, { 4 }, function(x, y) x:put({ 1, 2, 3 }, y) end, { 3 }, { 4 } },
        { "put, combined", { 9 }, { 4 }, function(x, y) x:put({ 1, 2, 3 }, y, { combine = "+" }) end, { 3 }, { 4 } },
        { "put by a function", { 9 }, { 4 }, function(x, y)
            x:put({ 1, 2, 3 }, y, { combine = function(a) return a end })
        end, { 3 }, { 4 } },
        { "put in a matrix", { 9, 5 }, { 4, 5 }, function(x, y)
            x:put({ 1, 2, 3 }, y, { combine = function(a) return a end })
        end, { 3, 5 }, { 4, 5 } },
    }

    it("are both named by what takes two arrays otherwise", function()
        for _, call in ipairs(CALLS) do
            for _, dtypes in ipairs { { "i64", "i16" }, { "i32", "u8" }, { "u8", "i32" } } do
                local t, u = dtypes[1], dtypes[2]
                local x, y = array(call[2], t), array(call[3], u)
                check(call[1], function() call[4](x, y) end, { call[5] or call[2], t }, { call[6] or call[3], u })
            end
        end
    end)

    it("are named where the other has bools, or says rows", function()
        local x, mask = array({ 3 }, "f32"), array({ 4 }, "bool")
        check("compress", function() x:compress(mask) end, { { 3 }, "f32" }, { { 4 }, "bool" })
        check("compress along an axis", function() array({ 2, 3 }, "f32"):compress(mask, { axis = 2 }) end,
            { { 2, 3 }, "f32" }, { { 4 }, "bool" })
        local g = lun.group { "a", "b", "a" }
        for name, f in pairs {
            sum = function(y) g:sum(y) end, first = function(y) g:first(y) end, any = function(y) g:any(y) end,
            count = function(y) g:count(y) end, numbers = function(y) g:numbers(y) end,
            ["count of numbers"] = function(y) g:count(y, { skipnan = true }) end, median = function(y) g:median(y) end,
            quantile = function(y) g:quantile(y, 0.5) end, reduce = function(y) g:reduce(y, "max", 0) end,
            scan = function(y) g:scan(y, "max", 0) end, var = function(y) g:var(y) end,
        } do
            local _, message = pcall(f, array({ 4 }, "i16"))
            assert.truthy(message:find("i16[4]", 1, true) and message:find("3 rows", 1, true), name .. ": " .. message)
        end
        expect.failure("lengths differ: keys 3 texts and i16[4]", lun.group, { "a", "b", "c" }, array({ 4 }, "i16"))
        expect.failure("lengths differ: f32[3] and keys 1 text", x.reduceby, x, { "a" }, "+", 0)
    end)
end)
