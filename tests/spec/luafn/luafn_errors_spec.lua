-- Lua functions that cannot be kernels, and kernels that fail: each message whole, with the line of the script.
local lun = require "lunarray"

local backends = lun.backends()

-- The function that text, whose first line is line 1 of "script", returns for the upvalues given.
local function script(text, ...)
    return assert(load(text, "=script"))(...)
end

-- The text of the error that f on a raises when it is given to map.
local function refused(text, ...)
    local f, a = script(text, ...), lun.vector { 1.0, 2.0, 3.0 }
    local ok, e = pcall(function() return a:map(f) end)
    assert.is_false(ok)
    return (tostring(e):match "bad argument #1 to 'map' %((.*)%)$")
end

-- The text and the place of the error that evaluating raises, the same on every backend.
local function fails(wanted, where, make)
    for _, backend in ipairs(backends) do
        lun.use(backend)
        local bad = make()
        local ok, e = pcall(bad.totable, bad)
        assert.is_false(ok)
        assert.equal(wanted, e.message)
        assert.equal(where, e.where)
        assert.equal(where .. ": " .. wanted, tostring(e))
    end
    lun.use(backends[1])
end

describe("a function of lun.each that assigns what it captures", function()
    it("says that a reduction does it", function()
        local expect = require "tests.spec.expect"
        local a, n, t = lun.zeros(3), 0, { x = 0 }
        for what, f in pairs {
            ["the captured variable 'n'"] = function(i) n = n + i end,
            ["an element or field"] = function(i) t.x = i end,
        } do
            expect.failure("assignment to " .. what .. " is not supported: use a reduction, or assign an element of an array",
                lun.each, { 3 }, f)
        end
        lun.each({ 3 }, function(i) a[i] = i end)
        assert.same({ 6.0, 0, 0 }, { a:sum(), n, t.x })
    end)
end)

describe("a Lua function that cannot be a kernel", function()
    local cases = {
        ["a function of the module"] = { "local lun = require 'lunarray'\nreturn function(x)\n return lun.date.year(x)\nend",
            "script:3: a call of 'lun.date.year' is not supported: only plain Lua functions, those of math and the operations "
                .. "of lun.op can be called" },
        tables = { "return function(x)\n local t = { x = x }\n return t.x\nend",
            "script:2: a table constructor is not supported: use local variables, or capture an array" },
        ["a captured table"] = { "local t = {}\nreturn function(x)\n return t[x]\nend",
            "script:3: an element of a table ('t') cannot be read at an index that is no constant: convert the table with "
                .. "lun.vector(t) and capture the array" },
        ["an element that a captured table lacks"] = { "local t = {{}}\nreturn function(x)\n return t[1][2]\nend",
            "script:3: 't[1][2]' is nil: define it before the function is used" },
        ["the length of a captured table"] = { "local t = {}\nreturn function(x)\n return #t\nend",
            "script:3: the length of a table ('t') cannot be read: convert the table with lun.vector(t) and capture the array" },
        ["strings that grow"] = { "return function(x) return x .. 'a' end",
            "script:1: string concatenation (..) is not supported: kernels have no strings" },
        ["strings as numbers"] = { "return function(x)\n return x + '1' end",
            "script:2: arithmetic on a string ('1'): only numbers and booleans are supported" },
        ["strings as results"] = { "return function(x) return 'a' end",
            "script:1: result 1 is a string: return a number or a boolean" },
        ["rows as results"] = { "return function(x)\n local r = A[1] return r end",
            "script:1: result 1 is a part of 'A', which has 2 dimensions but is indexed with 1: return an element" },
        varargs = { "return function(...) return (...) end",
            "script:1: a function with '...' is not supported: name its parameters" },
        coroutines = { "return function(x)\n\n return coroutine.yield(x) end",
            "script:3: a call of 'coroutine.yield' is not supported: only plain Lua functions, "
                .. "those of math and the operations of lun.op can be called" },
        ["method calls"] = { "return function(x) return x:half() end",
            "script:1: a method call is not supported: compute the result beforehand and capture it" },
        ["unknown globals"] = { "return function(x)\n return x * never_defined\nend",
            "script:2: global 'never_defined' is nil: define it before the function is used" },
        ["globals that are no numeric functions"] = { "return function(x) print(x) return x end",
            "script:1: a call of global 'print' is not supported: only plain Lua functions, "
                .. "those of math and the operations of lun.op can be called" },
        recursion = { "local function f(x)\n return x < 1 and 0 or f(x - 1)\nend\nreturn f",
            "script:2: a recursive call of 'f' is not supported: write it as a loop" },
        ["recursion round a corner"] = {
            "local f, g\nfunction f(x) return g(x) end\nfunction g(x)\n return f(x) end\nreturn f",
            "script:4: a recursive call of 'f' is not supported: write it as a loop" },
        ["C functions"] = { "return print", "a C function cannot be compiled: use a Lua function, C source or lun.op" },
        ["random numbers inside"] = { "return function(x) return math.random() end",
            "script:1: a call of 'math.random' is not supported: draw element k with lun.uniform(seed, k), "
                .. "or all beforehand with lun.random" },
        ["mutation of a captured number"] = { "local n = 0\nreturn function(x)\n n = n + 1\n return x end",
            "script:3: assignment to the captured variable 'n' is not supported: return the value instead" },
        ["mutation of a global"] = { "return function(x) total = x return x end",
            "script:1: assignment to a global variable is not supported: declare it local, or return the value" },
        ["indices that are floats"] = { "local w = ...\nreturn function(x)\n return w[x / 0 * 0] end",
            "script:3: indexing with a float: make it an integer with math.floor or //" },
        ["one index too many"] = { "local _ = ...\nreturn function(x)\n return A[1][2][1] end",
            "script:3: an element of an element of 'A', which has 2 dimensions: too many indices" },
        ["a captured table in arithmetic"] = { "local t = {}\nreturn function(x) return 1 << t end",
            "script:2: arithmetic on a table ('t'): only numbers and booleans are supported" },
        ["a function in arithmetic"] = { "local t = print\nreturn function(x)\n return t + x end",
            "script:3: arithmetic on a value that is not a number ('t'): only numbers and booleans are supported" },
        ["tables that are compared"] = { "local t = {}\nreturn function(x) return t == t and 1 or 2 end",
            "script:2: comparison on a value that is not a number: only numbers and booleans are supported" },
        ["a number on some paths only"] = { "return function(x)\n local y if x > 1 then y = 1 end\n return x + y end",
            "script:3: arithmetic on a value that is a number on some paths only (local 'y'): give it a number on every path" },
        ["nil on some paths, compared"] = { "return function(x)\n local y = x > 2 and nil\n return y == nil and 1 or 0 end",
            "script:3: comparison on a value that may be nil (local 'y'): give it a value on every path" },
        ["a boolean as a shift count"] = { "return function(x)\n local b = x > 1\n return 1 << b end",
            "script:3: arithmetic on a boolean (local 'b'): make it a number with 'b and 1 or 0'" },
        ["a boolean that is compared"] = { "return function(x)\n local b = x > 1\n return b > 1 and 1 or 0 end",
            "script:3: comparison on a boolean (local 'b'): make it a number with 'b and 1 or 0'" },
        ["a boolean as a bound"] = { "return function(x)\n local b = x > 1\n for i = 1, b do x = x + 1 end return x end",
            "script:3: 'for' on a boolean: make it a number with 'b and 1 or 0'" },
        ["a boolean as an index"] = { "local w = ...\nreturn function(x)\n local b = x > 1\n return w[b] end",
            "script:4: indexing on a boolean (local 'b'): make it a number with 'b and 1 or 0'" },
        ["nil as an index"] = { "local w = ...\nreturn function(x)\n return w[nil] end",
            "script:3: indexing on nil: give it a value on every path" },
        ["elements of a number"] = { "return function(x) return x[1] end",
            "script:1: an element of a value (local 'x'): only captured arrays and array arguments have elements" },
        ["rows that are used as numbers"] = { "return function(x)\n return A[1] + 1 end",
            "script:2: arithmetic on a part of 'A', which has 2 dimensions but is indexed with 1 index: take an element" },
        ["a loop without an end"] = { "return function(x) while true do end end",
            "script:1: the function never returns: add a return" },
        ["writes to captured arrays"] = { "local w = ...\nreturn function(x)\n w[1] = x return x end",
            "script:3: assignment to an element or field is not supported: return the value instead, or "
            .. "assign it in lun.each or lun.teams" },
        ["no result"] = { "return function(x) end", "script:1: the function returns nothing: return a number" },
        ["results on some paths only"] = { "return function(x)\n if x > 1 then return x end\nend",
            "script:1: result 1 is a number on some paths only: return a number or a boolean" },
        ["jumps into loops"] = {
            "return function(x)\n if x > 1 then goto b end\n ::a:: x = x + 1\n ::b:: x = x * 2\n"
                .. " if x < 9 then goto a end\n return x end",
            "script:5: goto into a loop is not supported: write the loop with while, repeat or for" },
    }
    for name, case in pairs(cases) do
        it("is refused with its line: " .. name, function()
            _G.A = lun.vector { { 1, 2 }, { 3, 4 } } -- luacheck: ignore
            assert.equal(case[2], refused(case[1], lun.ones(3)))
            _G.A = nil -- luacheck: ignore
        end)
    end

    it("leaves the session as it was", function()
        refused "return function(...) end"
        assert.same({ 2.0 }, lun.vector({ 1.0 }):map(function(x) return x + 1 end):totable())
    end)
end)

describe("a Lua function without debug information", function()
    local function stripped(text, upvalue)
        local f = load(string.dump(script(text), true), "=gone", "b")
        if upvalue then debug.setupvalue(f, 1, upvalue) end
        return f
    end

    it("is compiled all the same", function()
        local f = stripped "return function(x) local y = x * 2 if y > 3 then y = y - 1 end return y end"
        assert.same({ 2, 3, 5 }, lun.vector({ 1, 2, 3 }):map(f):totable())
    end)

    it("fails without names", function()
        local a = lun.vector { 1, 9 }
        local f = stripped "return function(x) return x .. 'a' end"
        local ok, e = pcall(function() return a:map(f) end)
        assert.is_false(ok)
        assert.matches("bad argument #1 to 'map' (?:1: string concatenation (..) is not supported: kernels have no strings)",
            tostring(e), 1, true)
        fails("index 9 is out of range for array '?' of length 3", "?:1", function()
            return a:map(stripped("local w return function(x) return w[x] end", lun.vector { 1, 2, 3 }))
        end)
    end)
end)

describe("a Lua function that fails while it runs", function()
    it("names the array, the index, the length and the line", function()
        local f = script("local w = ...\nreturn function(x)\n local y = x + 1\n return\n  w[y]\nend", lun.vector { 7, 8, 9 })
        fails("index 6 is out of range for array 'w' of length 3", "script:5", function()
            return lun.vector({ 1, 2, 5 }):map(f)
        end)
        fails("index -8 is out of range for array 'w' of length 3", "script:5", function()
            return lun.vector({ -9 }):map(f) + 1
        end)
    end)

    it("says so where the whole part of NaN is an index", function()
        local f = script("local w = ...\nreturn function(x)\n return w[math.floor(x)] end", lun.vector { 7 })
        fails("number NaN has no integer representation", "script:3", function()
            return lun.vector({ 0 / 0 }):map(f)
        end)
    end)

    it("ends with the line of an integer division by zero", function()
        local a = lun.vector { 4, 0 }
        fails("attempt to perform 'n//0'", "script:3", function()
            return a:map(script "return function(x)\n local y = x\n return 7 // y\nend")
        end)
        fails("attempt to perform 'n%%0'", "script:2", function()
            return a:map(script "return function(x)\n return 7 % x end")
        end)
        fails("bad argument #2 to 'fmod' (zero)", "script:2", function()
            return a:map(script "return function(x)\n return math.fmod(7, x) end")
        end)
    end)

    it("ends with the line of what has no value", function()
        fails("'for' step is zero", "script:2", function()
            return lun.vector({ 0 }):map(script "return function(x)\n for i = 1, 3, x do x = x + i end return x end")
        end)
        fails("math.tointeger of a number that is not an integer gives nil: use math.floor", "script:1", function()
            return lun.vector({ 0.5 }):map(script "return function(x) return math.tointeger(x) end")
        end)
    end)

    it("tells what each of several functions met, at the lengths that it was given", function()
        local w = lun.vector { 1, 2, 3 }
        local f = function(x) return w[x] end
        local g = script "return function(x, y)\n return x // (x - y) end"
        local long = lun.vector({ 9 }):map(f)
        w = lun.vector { 1, 2 }
        local short = lun.vector({ 9 }):map(f)
        local ok, e = pcall(long.totable, long)
        assert.is_false(ok)
        assert.equal("index 9 is out of range for array 'w' of length 3", e.message)
        ok, e = pcall(short.totable, short)
        assert.is_false(ok)
        assert.equal("index 9 is out of range for array 'w' of length 2", e.message)
        local a = lun.vector { 1, 2 }
        fails("attempt to perform 'n//0'", "script:2", function()
            return a:map(f) + lun.zip(g)(a, a)
        end)
        fails("attempt to perform 'n//0'", "script:2", function()
            return lun.zip(g)(a, a) + a:map(f)
        end)
    end)

    it("does not mind failures on paths that no element takes", function()
        local w = lun.vector { 5, 6 }
        assert.same({ 5, 0 }, lun.vector({ 1, 9 }):map(function(i) return i <= 2 and w[i] or 0 end):totable())
        assert.same({ 2, 0 }, lun.vector({ 4, 0 }):map(function(x) if x ~= 0 then return 8 // x end return 0 end):totable())
    end)
end)
