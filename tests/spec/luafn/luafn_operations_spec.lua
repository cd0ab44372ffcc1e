-- The engine's operations inside plain Lua functions: every way to name one, what they give where paths
-- differ, and what is said of calls that cannot be. tests/diff/functions_spec.lua has every row and dtype.
local lun = require "lunarray"
local expect = require "expect"

local each_backend = expect.everywhere

local function bytes(a)
    return a:dtype() .. a:tobytes()
end

local function same(wanted, make)
    each_backend(function(backend)
        assert.equal(bytes(wanted()), bytes(make()), backend)
    end)
end

local function script(text, ...)
    return assert(load(text, "=script"))(...)
end

describe("an operation in a Lua function", function()
    local x = lun.linspace(-2, 2, 67)

    it("may be a field of the module, a local variable, captured or not, a value of lun.op", function()
        local function wanted() return lun.erf(x) end
        local erf, op = lun.erf, lun.op
        same(wanted, function() return x:map(function(t) return lun.erf(t) end) end)
        same(wanted, function() return x:map(function(t) return erf(t) end) end)
        same(wanted, function()
            return x:map(function(t)
                local f = lun.erf
                return f(t)
            end)
        end)
        same(wanted, function() return x:map(function(t) return op.erf(t) end) end)
        same(wanted, function() return x:map(function(t) return lun.op.erf(t) end) end)
    end)

    it("may be a global variable, and another one at the next call", function()
        local environment = { f = lun.erf }
        local f = assert(load("return function(t) return f(t) end", "=script", "t", environment))()
        local map = lun.map(f)
        same(function() return lun.erf(x) end, function() return map(x) end)
        environment.f = lun.cbrt
        same(function() return lun.cbrt(x) end, function() return map(x) end)
        environment.f = math.exp
        same(function() return lun.exp(x) end, function() return map(x) end)
    end)

    it("may be called by a function that is put in place, and in a loop", function()
        local function limited(t) return lun.clamp(t, -1, 1) end
        same(function() return lun.clamp(x, -1, 1) + 1.0 end,
            function() return x:map(function(t) return limited(t) + 1.0 end) end)
        same(function() return lun.tanh(lun.tanh(lun.tanh(x))) end, function()
            return x:map(function(t)
                for _ = 1, 3 do t = lun.tanh(t) end
                return t
            end)
        end)
    end)

    it("runs where a path leads to it, and where it does not", function()
        same(function() return lun.where(x:gt(0), lun.erf(x), lun.fma(x, x, -1)) end, function()
            return x:map(function(t)
                if t > 0 then return lun.erf(t) end
                return lun.fma(t, t, -1)
            end)
        end)
        local n = lun.vector({ 4, 0, -3, 0, 9 }, "i32") -- divides where n ~= 0 only
        same(function() return lun.vector({ 25, 0, -34, 0, 11 }, "i32") end, function()
            return n:map(function(k) return k ~= 0 and lun.idiv(100, k) or 0 end)
        end)
    end)

    it("folds an array", function()
        each_backend(function()
            assert.equal(1.75, lun.vector({ 0.5, 1.75, -3 }):reduce(function(p, q) return lun.max(p, q) end, -1e9):value())
        end)
    end)

    it("is a shift by a constant, or a product of halves of words", function()
        local words = { 0, 1, -1, math.maxinteger, math.mininteger, 0xffffffff, 0x100000000, 0x80000000, 0x123456789abcdef }
        for i = 1, 58 do words[#words + 1] = words[#words] * 6364136223846793005 + i end
        local terms = {}
        for _, k in ipairs { -70, -64, -63, -33, -32, -31, -1, 0, 1, 5, 31, 32, 33, 63, 64, 70 } do
            terms[#terms + 1] = ("(v << %d) * 3 ~ (v >> %d) * 5"):format(k, k)
        end
        for _, product in ipairs { "(v & 0xffffffff) * 0xD2511F53", "(v >> 32) * (v & 0x7fffffff)", "(v >> 31) * 0xffffffff",
            "(v | 1) * (v & 0xffffffff)", "(v & 0xffffffff) * -3", "(v & 0x1ffffffff) * 7", "(v << -40) * (v >> 33)" } do
            terms[#terms + 1] = product
        end
        local list = {}
        for i, term in ipairs(terms) do list[i] = ("r = r * 31 + (%s)"):format(term) end
        local f = script("return function(v) local r = 0 " .. table.concat(list, " ") .. " return r end")
        local wanted = {}
        for i, v in ipairs(words) do wanted[i] = f(v) end
        each_backend(function() assert.same(wanted, lun.vector(words, "i64"):map(f):totable()) end)
    end)

    it("is min of the table, not of math: NaN stays", function()
        local v = lun.vector { 0 / 0, 1.0 }
        each_backend(function()
            local both = lun.map(function(t) return lun.min(1, t), math.min(1, t) end)
            local table_min, lua_min = both(v)
            assert.is_true(table_min[1] ~= table_min[1])
            assert.equal(1.0, lua_min[1])
            assert.equal(1.0, table_min[2])
        end)
    end)

    it("takes booleans where arrays of them are taken", function()
        local b = lun.vector { true, false }
        same(function() return lun.add(b, 1) end, function() return b:map(function(t) return lun.add(t, 1) end) end)
        same(function() return lun.lnot(b) end, function() return b:map(function(t) return lun.lnot(t) end) end)
        same(function() return lun.where(b, 1.5, 2) end,
            function() return b:map(function(t) return lun.where(t, 1.5, 2) end) end)
        same(function() return lun.lnot(lun.vector { 3, 0 }) end,
            function() return lun.vector { 3, 0 }:map(function(t) return lun.lnot(t) end) end)
    end)
end)

describe("a call of an operation that cannot be", function()
    local w = lun.vector { 1.0, 2.0 }
    local cases = {
        ["with too few arguments"] = { "return lun.clamp(x, 1)", "lun.clamp with 2 arguments: 3 expected" },
        ["of a reduction's name"] = { "return lun.min(x)", "lun.min with 1 argument: 2 expected" },
        ["with an array"] = { "return lun.erf(w)",
            "lun.erf on an array ('w'): index an element, w[i], or pass arrays of one shape to lun.zip, or to lun.map with {elements=3}" },
        ["with nil"] = { "return lun.add(x, nil)", "lun.add on nil: give it a value on every path" },
        ["with a string"] = { "return lun.add(x, '1')",
            "lun.add on a string ('1'): only numbers and booleans are supported" },
        ["of integers with a float"] = { "return lun.band(x, 1)",
            "lun.band on a float: make it an integer with math.floor or //" },
        ["of integers with booleans"] = { "return lun.bnot(x > 0)",
            "lun.bnot on a boolean: make it a number with 'b and 1 or 0'" },
        ["of truth values with a number"] = { "return lun.land(x > 0, 1)", "lun.land on a number: make it a boolean with x ~= 0" },
        ["choosing by a number"] = { "return lun.where(1, x, x)", "lun.where on a number: make it a boolean with x ~= 0" },
        ["of math with a boolean"] = { "return math.sqrt(x > 1)",
            "math on a boolean: make it a number with 'b and 1 or 0'" },
        ["that reduces"] = { "return lun.sum(w)",
            "a call of 'lun.sum' is not supported: only plain Lua functions, those of math and the operations of lun.op can be called" },
    }
    for name, case in pairs(cases) do
        it(name .. " is refused with its line", function()
            local f = script("local lun, w = ...\nreturn function(x)\n " .. case[1] .. "\nend", lun, w)
            local ok, e = pcall(function() return w:map(f) end)
            assert.is_false(ok)
            assert.equal("script:3: " .. case[2], (tostring(e):match "bad argument #1 to 'map' %((.*)%)$"))
        end)
    end

    it("fails at its line where integers are divided by zero", function()
        for _, op in ipairs { "idiv", "mod" } do
            local f = script(("local lun = ...\nreturn function(x)\n local y = x + 1\n return lun.%s(y, x)\nend"):format(op),
                lun)
            for _, dtype in ipairs { "i8", "u16", "i32", "i64", "u64" } do
                each_backend(function()
                    local e = lun.vector({ 1, 2, 0, 4 }, dtype):map(f)
                    local ok, message = pcall(e.totable, e)
                    assert.is_false(ok)
                    assert.equal("script:4", message.where)
                    assert.equal(op == "idiv" and "attempt to perform 'n//0'" or "attempt to perform 'n%%0'", message.message)
                end)
            end
        end
    end)
end)
