-- What goes wrong raises, says what and where, and leaves the engine usable.

local lun = require "lunarray"
local expect = require "expect"

-- The engine still computes.
local function usable()
    expect.elements({ 3, 5, 7 }, lun.vector { 1, 2, 3 } + lun.vector { 2, 3, 4 })
end

describe("a kernel without memory to work in", function()
    it("says so, and over how many elements", function()
        local _, e = pcall(function() return (lun.index(1 << 60) + 1):sum() end)
        assert.matches("no working memory for a kernel over 1152921504606846976 elements", e.message, 1, true)
        assert.matches("NOMEM", e.code)
        usable()
    end)
end)

describe("integer division by zero", function()
    it("raises Lua's message in an error object", function()
        local a, zero = lun.vector { 1, 2, 3 }, lun.vector { 1, 0, 1 }
        local quotient, line = a // zero, debug.getinfo(1, "l").currentline
        local rest = a % zero
        for _, case in ipairs { { quotient, "attempt to perform 'n//0'" }, { rest, "attempt to perform 'n%%0'" } } do
            local ok, e = pcall(case[1].eval, case[1])
            assert.is_false(ok)
            assert.equal("table", type(e))
            assert.matches(case[2], e.message, 1, true)
            assert.matches("ZERO", e.code)
            assert.matches("errors_spec.lua:%d+$", e.where)
            assert.equal(e.where .. ": " .. e.message, tostring(e))
            assert.equal("failed: " .. tostring(e), "failed: " .. e)
            usable()
        end
        local _, e = pcall(quotient.eval, quotient)
        assert.matches(":" .. line .. "$", e.where)
    end)

    it("names the line of each expression, also where equal ones share a node", function()
        local a, zero = lun.vector { 1, 2, 3 }, lun.vector { 1, 0, 1 }
        local function line_of(e)
            local ok, problem = pcall(e.eval, e)
            assert.is_false(ok)
            return tonumber(problem.where:match ":(%d+)$")
        end
        local here = debug.getinfo(1, "l").currentline
        local x = a // zero -- + 1
        local y = a // zero -- + 2
        local z = (a // zero):lazy "sum" -- + 3
        local mod = a % zero -- + 4
        local sum = y + 1
        local part = y:sub(1, 2)
        local same = a // zero -- + 7
        for _, case in ipairs { { x, 1 }, { y, 2 }, { z, 3 }, { mod, 4 }, { sum, 2 }, { part, 2 }, { same, 7 },
            { x + 1, 1 }, { x:sub(2, 3), 1 }, { -y, 2 }, { y:abs(), 2 },
            { x, 1 }, { y * x, 2 }, { x * y, 1 } } do
            assert.equal(here + case[2], line_of(case[1]))
        end
        assert.equal(1, #lun.explain(x, y, same))
        assert.equal(1, lun.explain(x, y, same)[1].ops)
    end)

    it("does not concern floats", function()
        expect.elements({ 1 / 0, -1 / 0 }, lun.vector { 1.0, -1.0 } // 0.0)
        assert.is_true((lun.vector { 1.0 } % 0.0)[1] ~= (lun.vector { 1.0 } % 0.0)[1])
    end)

    it("leaves the target of set as it was", function()
        local a = lun.vector { 1, 2, 3 }
        expect.failure("n//0", a.set, a, a // lun.vector { 1, 0, 1 })
        expect.elements({ 1, 2, 3 }, a)
    end)

    it("defines what processors do not", function()
        expect.elements({ math.mininteger }, lun.vector { math.mininteger } // -1)
        expect.elements({ 0 }, lun.vector { math.mininteger } % -1)
        expect.elements({ -128 }, lun.vector({ -128 }, "i8") // lun.vector({ -1 }, "i8"))
    end)
end)

describe("the operand that does not suit", function()
    it("is named by its number", function()
        local bytes, two, three = lun.vector({ 1, 2 }, "u8"), lun.ones(2), lun.ones(3)
        expect.failure("#1 to '+' (number 300 does not fit into dtype u8)", function() return 300 + bytes end)
        expect.failure("#2 to '+' (number 300 does not fit into dtype u8)", function() return bytes + 300 end)
        for arg, x in ipairs { -1, 300 } do
            local limits = { 0, 2 }
            limits[arg] = x
            expect.failure(("#%d to '"):format(arg + 1), lun.clamp, bytes, limits[1], limits[2])
        end
        expect.failure("#1 to '", lun.where, 2, two, two)
        expect.failure("#3 to '", lun.where, two:gt(0), two, three)
        expect.failure("#2 to '", lun.where, two:gt(0), three, two)
        expect.failure("#3 to '", lun.fma, two, 1, three)
        usable()
    end)
end)

-- Whether a method refuses so many arguments.
local function is_too_many(method, a, rest)
    local ok, message = pcall(method, a, table.unpack(rest))
    return not ok and tostring(message):find("wrong number of arguments", 1, true) ~= nil
end

describe("arguments too many", function()
    -- These take any number; iter gives a function that does.
    local variadic = { eval = true, prepare = true, explain = true, sequence = true, profile = true, map = true, zip = true,
        filter = true, group = true, call = true, task = true, use = true, meshgrid = true, cartesian = true, broadcast_arrays = true,
        result_type = true, coalesce = true, einsum = true, region = true, expect = true }
    local folds = { reduce = true, scan = true, stencil = true, allpairs = true } -- as methods

    it("are refused by every function and method", function()
        local internal = require("lunarray.core").internal
        local a = lun.vector { 1, 2, 3 }
        local many = table.pack(a, a, a, a, a, a, a, a)
        local count = 0
        for _, where in ipairs { lun, internal.methods, internal.skeleton_methods, lun.op } do
            for name, f in pairs(where) do
                if name ~= "op" and f ~= lun.na and f ~= lun.i and type(f) ~= "string" and type(f) ~= "table" and type(f) ~= "number"
                    and not (variadic[name] and (where == internal.methods or where == lun))
                    and not (folds[name] and where == internal.methods) and not (name == "trace" and where == lun) then
                    local first = where == internal.skeleton_methods and lun.map "abs" or a
                    expect.failure("wrong number of arguments to '", f, first, table.unpack(many))
                    count = count + 1
                end
            end
        end
        assert.is_true(count > 200, count)
    end)

    it("say what was given and what is taken", function()
        local v = lun.vector { 1.0, 4.0 }
        local one = lun.map(function(x) return x end)
        for message, f in pairs {
            ["'index' (at most 1 expected, got 2)"] = function() return lun.index(3, "f32") end,
            ["'sqrt' (at most 1 expected, got 2)"] = function() return lun.sqrt(v, 2) end,
            ["'sqrt' (none expected, got 1)"] = function() return v:sqrt(2) end,
            ["'add' (at most 2 expected, got 3)"] = function() return lun.add(v, 2, 3) end,
            ["'copy' (at most 1 expected, got 2)"] = function() return v:copy({}, "left") end,
            ["'zeros' (at most 3 expected, got 4)"] = function() return lun.zeros(3, "f32", {}, 5) end,
            ["'concat' (at most 2 expected, got 3)"] = function() return lun.concat({ v, v }, 1, 2) end,
            ["'stack' (at most 2 expected, got 3)"] = function() return lun.stack({ v, v }, 1, 2) end,
            ["'shift' (at most 2 expected, got 3)"] = function() return v:shift(1, {}, 2) end,
            ["'sum' (at most 1 expected, got 2)"] = function() return v:sum(1, 2) end,
            ["'var' (at most 1 expected, got 2)"] = function() return v:var(1, 2) end,
            ["'reduce' (at most 3 expected, got 4)"] = function() return lun.reduce("+", 0, {}, 1) end,
            ["'load' (at most 2 expected, got 3)"] = function() return lun.load("x.npy", {}, 1) end,
            ["'backends' (none expected, got 1)"] = function() return lun.backends "all" end,
        } do
            expect.failure("wrong number of arguments to " .. message, f)
        end
        expect.failure("the function has 1 parameter, but is called with 1 element and 2 extra arguments", one, v, 2, 3)
        expect.failure("the function has 0 parameters, but is called with 1 element and 1 extra argument",
            lun.map(function() return 1 end), v, 2)
        expect.failure("the function has 1 parameter, but is called with 2 elements and 1 extra argument",
            lun.zip(function(x) return x end), v, v, 2)
        expect.failure("sqrt takes 1 operand, not 2", lun.map "sqrt", v, 2)
        usable()
    end)

    it("of methods are numbered as they are written", function()
        local v = lun.vector { 1, 2 }
        expect.failure("bad argument #2 to 'map'", function()
            return (v:map(function(x, w) return x + w end, v))
        end)
        expect.failure("bad argument #3 to 'zip'", function()
            return (v:zip(v, function(x, y) return x + y end, 1))
        end)
    end)

    it("count nothing that is nil", function()
        local v = lun.vector { 1.0, 4.0 }
        expect.elements({ 1.0, 2.0 }, lun.sqrt(v, nil, nil))
        expect.elements({ 1, 2 }, lun.index(2, nil))
        assert.equal(5.0, v:sum(nil))
        expect.elements({ -1.0, -4.0 }, -v) -- Lua calls it with two operands
        expect.elements({ -2 }, ~lun.vector { 1 })
        expect.elements({ 1, 1 }, lun.map(function() return 1 end)(v))
    end)
end)

describe("a freed array", function()
    -- Every method, with arguments that would do for an array in use.
    local arguments = {
        fill = { 1 }, set = { 1 }, cast = { "f32" }, reshape = { 3 }, sub = { 1, 2 }, read = { 1, 1 }, lazy = { "sum" },
        map = { "-" }, reduce = { "+" }, scan = { "+" },
    }

    it("refuses every method", function()
        local methods = require("lunarray.core").internal.methods
        local count = 0
        for name, method in pairs(methods) do
            local a, b = lun.vector { 1, 2, 3 }, lun.vector { 1, 2, 3 }
            local rest = arguments[name] or { b, b }
            a:free()
            if name == "zip" then
                rest = { b, "+" }
            elseif name == "source" then
                rest = {}
            end
            while #rest > 0 and not arguments[name] and is_too_many(method, b, rest) do
                rest = { table.unpack(rest, 2) }
            end
            expect.failure("attempt to use a freed Vector", method, a, table.unpack(rest))
            count = count + 1
        end
        assert.is_true(count > 80)
        usable()
    end)

    it("refuses operators, indices and length", function()
        local a, b = lun.vector { 1, 2, 3 }, lun.vector { 1, 2, 3 }
        a:free()
        local message = "attempt to use a freed Vector"
        expect.failure(message, function() return a + b end)
        expect.failure(message, function() return b + a end)
        expect.failure(message, function() return -a end)
        expect.failure(message, function() return #a end)
        expect.failure(message, function() return a[1] end)
        expect.failure(message, function() a[1] = 1 end)
        expect.failure(message, function() return a .. b end)
        expect.failure(message, function() return a < 1 end)
        expect.failure(message, function() b:set(a) end)
        expect.failure(message, function() b:map("(int x, int y) { return x + y; }", a) end)
        expect.failure(message, lun.eval, a)
        expect.failure(message, lun.explain, a)
        expect.failure(message, tostring, a)
        expect.failure(message, a.free, a)
        assert.is_true(lun.isarray(a))
        assert.is_true(a == a)
        usable()
    end)

    it("ends with its scope", function()
        local kept
        do
            local a <close> = lun.vector { 1, 2, 3 }
            kept = a
        end
        expect.failure("freed", function() return kept[1] end)
        do
            local a <close> = lun.vector { 1 }
            a:free()
        end
        usable()
    end)
end)

describe("functions of the module", function()
    -- Calls f with values of every kind in every one of the first places; errors are welcome, crashes
    -- and a spoilt engine are not.
    local function kinds()
        local freed = lun.vector { 1 }
        freed:free()
        return { nil, true, 7, 2.5, "x", "+", {}, { 1, 2 }, print, coroutine.create(print), io.stdout, freed,
            lun.vector { 1, 2 }, lun.map "-", lun.op.add, math.huge, -1, { out = 1 }, [0] = 0 }, 18
    end

    local function torment(f)
        local values, count = kinds()
        pcall(f)
        for i = 1, count do
            pcall(f, values[i])
            for j = 1, count do
                pcall(f, values[i], values[j])
            end
            pcall(f, values[i], values[i], values[i], values[i])
        end
    end

    it("survive arguments of every kind", function()
        for name, f in pairs(lun) do
            if type(f) == "function" and name ~= "save" and name ~= "load" and name ~= "trace" then
                torment(f)
            end
        end
        lun.use(lun.backends()[1])
        lun.math "fast"
        usable()
    end)

    it("survive it as methods and metamethods", function()
        local internal = require("lunarray.core").internal
        for _, where in ipairs { internal.methods, internal.skeleton_methods, internal.array_type,
            internal.skeleton_type, internal.page_type } do
            for name, f in pairs(where) do
                if type(f) == "function" and name ~= "__gc" then
                    torment(f)
                end
            end
        end
        usable()
    end)

    it("survive strangers that bear our metatable", function()
        local internal = require("lunarray.core").internal
        for _, mt in ipairs { internal.array_type, internal.skeleton_type } do
            local file = assert(io.tmpfile())
            local old = getmetatable(file)
            debug.setmetatable(file, mt)
            for _, f in pairs(internal.methods) do
                pcall(f, file)
            end
            pcall(function() return file + file end)
            pcall(function() return file[1] end)
            pcall(function() return file(1) end)
            pcall(tostring, file)
            debug.setmetatable(file, old)
            file:close()
        end
        usable()
    end)

    it("survive very many arguments", function()
        local many = {}
        for i = 1, 200 do
            many[i] = i
        end
        local a = lun.ones(2)
        expect.failure("too many arguments", function()
            a:map("(float x) { return x; }", table.unpack(many))
        end)
        assert.equal(200, select("#", lun.eval(table.unpack(many))))
        usable()
    end)
end)

describe("a function of the host", function()
    it("cannot become a kernel", function()
        for _, f in ipairs { print, math.random, string.format } do
            expect.failure("", function() return lun.map(f)(lun.ones(2)):totable() end)
        end
        usable()
    end)
end)

describe("a script's own text in messages", function()
    it("has no bytes that move a number", function()
        local t = { ["a\0025"] = lun.ones(3) }
        for text, f in pairs {
            ["no backend 'x?5'"] = function() lun.use "x\0025" end,
            ["index 4 is out of range for array 't.a?5' of length 3"] = function()
                lun.map(function(i) return t["a\0025"][i] end)(lun.index(9)):eval()
            end,
        } do
            expect.failure(text, f)
        end
        assert.matches("/none/?5.npy: ", select(2, lun.open "/none/\0025.npy"), 1, true)
        expect.failure("axis 2: 3 and 4", function() return lun.ones(2, 3) + lun.ones(2, 4) end)
    end)
end)

describe("operators in messages", function()
    local a, m, row = lun.vector { 1.5, 2, 3 }, lun.zeros { 4, 2 }, lun.vector { 1, 2, 3 }
    local function says(text, f)
        local message = expect.failure(text, f)
        for _, word in ipairs { "'index'", "newindex", "'%?'", "lunarray%.", "userdata" } do
            assert.is_nil(message:find(word), message)
        end
    end

    it("are those that the script has", function()
        says("bad argument #2 to '-' (shapes do not broadcast: f64[4, 2] and i64[3], axis 2: 2 and 3)", function() return m - row end)
        says("bad argument #2 to '+' (array or number expected, got table)", function() return a + {} end)
        says("bad argument #2 to '*' (skeleton, array or number expected, got table)", function() return lun.map "-" * {} end)
        says("bad argument #2 to '..' (array, list or number expected, got nil)", function() return a .. nil end)
        says("bad argument #2 to '&' (", function() return row & 1.5 end)
        says("bad argument #1 to '~' (", function() return ~a end)
        says("bad argument #2 to '>>' (", function() return row >> a end)
        says("bad argument #2 to '<' (array or number expected, got table)", function() return lun.ones(1) < {} end)
        says("bad argument #2 to 'A[i]' (index 9 is out of range", function() return a[9] end)
        says("bad argument #2 to 'A[i] = x' (index 9 is out of range", function() a[9] = 1 end)
        says("bad argument #3 to 'A[i] = x' (number or boolean expected, got table)", function() a[1] = {} end)
        says("bad argument #3 to 'A[i] = x' (lengths differ: f64[2] and i64[3])", function() m[1] = row end)
    end)

    it("and methods keep their names in a tail call", function()
        says("to 'reshape' (6 elements cannot be reshaped to [4, 2])", function() return lun.ones(6):reshape { 4, 2 } end)
        says("to 'cast' (unknown dtype 'f99'", function() return a:cast "f99" end)
    end)

    it("tell what an array is", function()
        says("t[2] is a Vector f64[3], but the first element is a table", function() lun.vector { { 1 }, a } end)
        says("t[2] has the shape [4, 2], but the first element is a number", function() lun.vector { 1, m } end)
        says("an array is no function: for i, x in a:iter() do", function() a() end)
        says("length or table of extents expected, got a Vector f64[3]", function() lun.zeros(a) end)
        says("path expected, got a Vector f64[3]", function() lun.load(a) end)
    end)
end)
