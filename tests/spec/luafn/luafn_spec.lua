-- Plain Lua functions given to skeletons. The oracle is the Lua VM running the same function.
local lun = require "lunarray"
local expect = require "expect"

local backends = lun.backends()

-- f on each element by the VM and by every backend: the same values and the same kinds of number.
local function agrees(f, list, dtype)
    local a = lun.vector(list, dtype)
    for _, backend in ipairs(backends) do
        lun.use(backend)
        local got = a:map(f):totable()
        for i, x in ipairs(list) do
            local want = f(x)
            local same = got[i] == want or (got[i] ~= got[i] and want ~= want)
            assert.is_true(same, ("%s: f(%s) is %s, not %s"):format(backend, x, got[i], want))
        end
    end
    lun.use(backends[1])
end

local integers, floats = {}, {}
for i = -70, 70 do
    integers[#integers + 1] = i * i * i // 7
    floats[#floats + 1] = i / 4
end

describe("a Lua function", function()
    it("branches and loops as the VM does", function()
        agrees(function(x)
            if x > 10 then return x * 2 elseif x < -10 then return -x else return x * x end
        end, integers)
        agrees(function(x)
            local n, s = 0, 0
            while n < x do n = n + 3; s = s + n % 5 end
            repeat s = s - 1 until s < 10
            return s
        end, integers)
        agrees(function(x)
            local s = 0.5
            for i = 10, 1, -3 do
                if i == 4 and x > 0 then goto continue end
                for j = i, i + 2 do s = s + j * x; if s > 1e6 then break end end
                ::continue::
            end
            return s
        end, floats)
    end)

    it("calls several closures of one function", function()
        local function inc(x) return x + 1 end
        local function twice(x) return x * 2 end
        local function compose(f, g) return function(x) return f(g(x)) end end
        local function adder(n, f) return function(x) return (f and f(x) or x) + n end end
        local function guarded(n, f)
            return function(x)
                if f == nil then return n end
                return f(x) - n
            end
        end
        agrees(compose(compose(inc, twice), twice), integers)
        agrees(adder(1, adder(2, adder(3))), integers)
        agrees(guarded(1, guarded(2, guarded(3))), integers)
        local long = inc
        for i = 1, 150 do long = compose(long, i % 2 == 0 and inc or twice) end
        agrees(long, { 1.0, 2.0 })
    end)

    it("refuses a closure that comes to call itself, and too many calls", function()
        local function refused(f, words)
            local ok, message = pcall(lun.map(f), lun.vector { 1, 2 })
            assert.is_false(ok)
            assert.truthy(tostring(message):find(words, 1, true), tostring(message))
        end
        local function compose(f, g) return function(x) return f(g(x)) end end
        local function inc(x) return x + 1 end
        local again
        local round = compose(inc, function(x) return again(x) end)
        again = compose(inc, round)
        refused(round, "a recursive call of 'g' is not supported: write it as a loop")
        local deep, wide = inc, inc
        for _ = 1, 250 do deep = compose(deep, inc) end
        for _ = 1, 30 do wide = compose(wide, wide) end
        refused(deep, "calls nested more than 200 levels deep are not supported: write them as a loop")
        refused(wide, "the function is too large after its calls have been inlined: split it")
    end)

    -- how the work grows: tests/core/ir/growth_test.c
    it("may be long", function()
        local shapes = {
            ["while"] = function(k) return ("while i < %d do i = i + 1 end"):format(k) end,
            ["for"] = function(k) return ("for k = 1, %d do i = i + k end"):format(k % 7) end,
            ["if"] = function(k) return ("if x == %d then return %d end"):format(k, k * k) end,
            ["local"] = function(k) return ("do local a%d = i * 2 i = a%d + 1 end"):format(k, k) end,
        }
        for name, shape in pairs(shapes) do
            local lines = { "return function(x) local i = x" }
            for k = 1, name == "for" and 5000 or 10000 do lines[#lines + 1] = shape(k) end
            lines[#lines + 1] = "return i end"
            local f = load(table.concat(lines, "\n"))()
            local ok = pcall(function() return lun.vector { 1.0 }:map(f) end)
            assert.is_true(ok or name == "for") -- which may be refused as too large
        end
    end)

    it("is compiled in memory that counts against the limit", function()
        local path = os.tmpname()
        local file = assert(io.open(path, "w"))
        file:write [[
            local lines = { "return function(x) local i = x" }
            for k = 1, 10000 do lines[#lines + 1] = ("while i < %d do i = i + 1 end"):format(k) end
            lines[#lines + 1] = "return i end"
            local f = load(table.concat(lines, " "))()
            print(pcall(function() return type(lun.vector { 1.0 }:map(f)) end))
        ]]
        file:close()
        local program = (os.getenv "BUILD" or "build") .. "/lunarray --sandbox --memory-limit "
        for limit, words in pairs { [20] = "out of memory while compiling a Lua function", [400] = "userdata" } do
            local pipe = assert(io.popen(program .. limit .. " " .. path .. " 2>&1"))
            assert.matches(words, pipe:read "a", 1, true)
            pipe:close()
        end
        os.remove(path)
    end)

    it("may be one of math's, or an operation of lun", function()
        local a, b = lun.vector { 4.0, 9.5, -1.25 }, lun.vector { 2.5, -3.0, 1.0 }
        for _, backend in ipairs(backends) do
            lun.use(backend)
            for name, f in pairs { sqrt = math.sqrt, floor = math.floor, abs = math.abs, exp = math.exp } do
                local got = a:abs():map(f):totable()
                for i, x in ipairs(a:abs():totable()) do
                    assert.is_true(math.abs(got[i] - f(x)) <= 1e-14 * f(x), name)
                    assert.equal(math.type(f(x)), math.type(got[i]))
                end
            end
            assert.same({ 4.0, 9.5, 1.0 }, a:zip(b, math.max):totable())
            assert.same({ 2.0, 3.0 }, lun.vector { 4.0, 8.0 }:map(math.log, 2):totable())
            assert.equal(9.5, a:reduce(math.max):value())
            local whole, rest = a:map(math.modf)
            assert.same({ { 4, 9, -1 }, { 0.0, 0.5, -0.25 } }, { whole:totable(), rest:totable() })
            assert.same({ 2.0, 3.0 }, lun.vector { 4.0, 9.0 }:map(lun.sqrt):totable())
            assert.same({ 6.5, 6.5, -0.25 }, a:zip(b, lun.add):totable())
        end
        lun.use(backends[1])
        local function refused(f, words)
            local ok, message = pcall(lun.map, f)
            assert.is_false(ok)
            assert.truthy(tostring(message):find(words, 1, true), tostring(message))
        end
        refused(print, "a C function cannot be compiled: use a Lua function, C source or lun.op")
        refused(math.random, "a C function cannot be compiled")
        refused(lun.add, "'add' takes 2 operands, not 1")
    end)

    it("refuses rows of an array as results", function()
        local m = lun.vector { { 1, 2, 3 }, { 4, 5, 6 } }
        local line = debug.getinfo(1, "l").currentline + 1
        local f = function(x, y) return y[x] end
        local ok, message = pcall(lun.map(f), lun.vector { 1, 2 }, m)
        assert.is_false(ok)
        message = tostring(message)
        assert.truthy(message:find(":" .. line .. ": result 1 is a part of 'y'", 1, true), message)
        assert.same({ 2, 1 }, lun.map(f)(lun.vector { 1, 2 }, lun.vector { 2, 1 }):totable())
        assert.same({ 3, 4 }, lun.map(function(x, y) return #y + x end)(lun.vector { 1, 2 }, m):totable())
    end)

    it("has Lua's arithmetic", function()
        agrees(function(x) return x // 3 + x % 7 - (x >> 2) ~ (x & 12) | (x << 3) end, integers)
        agrees(function(x) return x // 0.75 + x % -1.5 end, floats)
        agrees(function(x)
            local positive = x > 0
            return (x > 2 and x or -x) + (not positive and 1 or 2)
        end, floats)
        agrees(function(x) return x * 4611686018427387904 + math.maxinteger end, integers)
        agrees(function(x) return math.max(x, 3) + math.min(x, -3) + math.abs(x) + math.floor(x) end, floats)
    end)

    it("calls other functions", function()
        local function clamp(x, lo, hi) return x < lo and lo or x > hi and hi or x end
        local function twice(f, x) return f(f(x)) end
        agrees(function(x)
            local function step(y) return clamp(y * 1.5, -8, 8) end
            return twice(step, x)
        end, floats)
    end)

    it("reads captured numbers at each call and compiles nothing for them", function()
        local k = 2
        local f = function(x) return x * k end
        local a = lun.vector { 1, 2, 3 }
        assert.same({ 2, 4, 6 }, a:map(f):totable())
        local compiles = lun.stats().compiles
        for i = 1, 20 do
            k = i
            assert.equal(6 * i, a:map(f):sum())
        end
        assert.is_true(lun.stats().compiles - compiles <= 1)
    end)

    it("indexes captured arrays, within bounds", function()
        local w = lun.vector { 10, 20, 30 }
        local function at(i) return w[i] + #w end
        for _, backend in ipairs(backends) do
            lun.use(backend)
            assert.same({ 33, 13 }, lun.vector { 3, 1 }:map(at):totable())
            local bad = lun.vector { 1, 4 }:map(at)
            local ok, e = pcall(bad.totable, bad)
            assert.is_false(ok)
            assert.matches("index 4 is out of range for array 'w' of length 3", tostring(e), 1, true)
            assert.matches("luafn_spec.lua:%d+", tostring(e))
            assert.same({ 23 }, lun.vector { 2 }:map(at):totable())
        end
        lun.use(backends[1])
    end)

    it("gives several results in one pass", function()
        local a = lun.vector { 7, -7, 9 }
        lun.stats "reset"
        local q, r = a:map(function(x) return x // 2, x % 2 == 1 end)
        lun.eval(q, r)
        assert.equal(1, lun.stats().launches)
        assert.same({ 3, -4, 4 }, q:totable())
        assert.same({ true, true, true }, r:totable())
    end)

    it("fuses with operators and reductions", function()
        local a, b = lun.range(1, 100), lun.range(101, 200)
        lun.stats "reset"
        local s = (a + b):map(function(x) return x % 3 == 0 and x or 0 end):sum()
        local want = 0
        for i = 1, 100 do
            local x = 2 * i + 100
            if x % 3 == 0 then want = want + x end
        end
        assert.equal(want, s)
        assert.equal(1, lun.stats().launches)
    end)

    it("zips, reduces and scans", function()
        local a = lun.vector({ 3, 1, 4, 1, 5 }, "f32")
        assert.same({ 9, 1, 16, 1, 25 }, a:zip(a, function(x, y) return x * y end):totable())
        assert.equal(5, a:reduce(function(x, y) return math.max(x, y) end, 0):value())
        assert.same({ 0, 3, 4, 8, 9 }, a:scan(function(x, y) return x + y end, 0):totable())
        assert.equal("f32", a:map(function(x) return x * 0.1 end):dtype())
    end)

    it("reduces and scans with captured numbers, as they are at the call", function()
        local k = 3
        local function f(x, y) return (x + y) % k end
        local a = lun.index(40000)
        for _, backend in ipairs(backends) do
            lun.use(backend)
            local kernel
            for new = 3, 6 do
                k = new
                assert.equal(40000 * 40001 // 2 % k, a:reduce(f, 0):value())
                assert.equal(30000 * 30001 // 2 % k, a:scan(f, 0)[30001])
                local ir = lun.explain(a:reduce(f, 0))[1].ir .. lun.explain(a:scan(f, 0))[1].ir
                kernel = kernel or ir
                assert.equal(kernel, ir) -- the same kernel, whatever the number
            end
        end
        k = 10
        local ten = a:reduce(f, 0)
        k = 7
        local seven = a:reduce(f, 0)
        assert.equal(40000 * 40001 // 2 % 10, ten:value())
        assert.equal(40000 * 40001 // 2 % 7, seven:value())
        lun.use(backends[1])
    end)

    it("reports what fails where chunks are combined", function()
        local n = 2 * 16384
        local whole = n * (n + 1) // 2 -- met only when both chunks come together
        local function f(x, y)
            local s = x + y
            return s // (s == whole and 0 or 1)
        end
        for _, backend in ipairs(backends) do
            lun.use(backend)
            local s = lun.index(n):reduce(f)
            local line = debug.getinfo(f, "S").linedefined + 2
            expect.failure(("luafn_spec.lua:%d: attempt to perform 'n//0'"):format(line), s.value, s)
        end
        lun.use(backends[1])
    end)

    it("has its types explained", function()
        local limit, w = 10, lun.vector({ 1, 1, 1 }, "f32")
        local function f(x, k)
            local s, n = 0, 0
            while n < limit do
                s = s + x * w[1]
                n = n + 1
            end
            if k > 2 then k = 0.5 end
            return s, n, k
        end
        local line = debug.getinfo(f, "S").linedefined
        local s = lun.zip(f)(lun.vector({ 1 }, "f32"), lun.vector { 2 })
        local plan = lun.explain(s)
        local here = debug.getinfo(f, "S").short_src .. ":" .. line
        assert.equal(("function %s(x: f32, k: i64) returns f32, i64, f32"):format(here), plan[1].types:match "[^\n]*")
        for _, text in ipairs { "captured 'limit': an integer, read at each call", "captured 'w': array of f32",
            "local n: i64", ("local s: f32 (the integer of line %d becomes a float)"):format(line + 1),
            ("local k: f32 (the integer of line %d becomes a float)"):format(line) } do
            assert.matches("\n  " .. text, plan[1].types .. "\n", 1, true)
            assert.matches(text, tostring(plan), 1, true)
        end
        assert.matches("loop", plan[1].ir, 1, true)
        assert.equal("", lun.explain(lun.vector { 3 } + 1)[1].types)
    end)

    it("computes with constants as Lua does", function()
        local whole = { 0, 1, -1, 7, -7, 64, -64, math.maxinteger, math.mininteger }
        local real = { 0.0, -0.0, 0.5, -2.5, 3.0, 1e300, 1 / 0, -1 / 0, 0 / 0 }
        local zero, same = lun.vector { 0 }, function(x, y)
            return x == y and math.type(x) == math.type(y) and (x ~= 0 or 1 / x == 1 / y) or x ~= x and y ~= y
        end
        local function compare(expression, a, b) -- locals, which Lua's compiler does not fold
            local text = "return function(x) local a, b = %s, %s return %s end"
            local function word(x)
                return x == math.mininteger and "math.mininteger" or math.type(x) == "integer" and tostring(x)
                    or x ~= x and "(0/0)" or x == 1 / 0 and "math.huge" or x == -1 / 0 and "-math.huge" or (("%a"):format(x):gsub(",", "."))
            end
            local f = assert(load(text:format(word(a), word(b), expression)))()
            local right, want = pcall(f, 0)
            local done, got = pcall(function() return zero:map(f)[1] end)
            assert(right == done and (not right or same(want, got)),
                ("%s with a = %s, b = %s: %s, not %s"):format(expression, a, b, got, want))
        end
        for _, list in ipairs { whole, real } do
            for _, a in ipairs(list) do
                for _, b in ipairs(list) do
                    for op in ("+ - * / // % ^ < <= > >= == ~="):gmatch "%S+" do
                        compare("a " .. op .. " b", a, b)
                    end
                    for op in (list == whole and "& | ~ << >>" or ""):gmatch "%S+" do
                        compare("a " .. op .. " b", a, b)
                    end
                    compare("math.max(a, b)", a, b)
                    compare("math.min(a, b)", a, b)
                end
                compare("-a", a, 0)
                compare("math.abs(a)", a, 0)
                compare("(not (a < b)) == (a >= b)", a, 1)
                compare(list == whole and "~a" or "math.sqrt(a)", a, 0)
                compare("a + b", a, 2.5)
                compare("b // a", a, -3)
            end
        end
        for _, a in ipairs { 0.5, -0.5, 2.0, -2.5, 1e15 } do
            compare("math.floor(a)", a, 0)
            compare("math.ceil(a)", a, 0)
            compare("math.tointeger(a // 1)", a, 0)
        end
    end)

    it("does what Lua does with nil, truth, loops and jumps", function()
        local bodies = {
            "return x == nil and 1 or 2", "return x ~= nil and x or 0", "local y return y == nil and x or 0",
            "local y = nil if y then return 1 end return x", "local y return (y ~= x) and 1 or 0", "return not nil and x or 1",
            "local t = x > 1 local u = x > 2 return (t == u) and 1 or 0", "local t = x > 1 return (t ~= true) and 1 or 0",
            "local t = (x > 1) == (x > 2) return t and 5 or 6", "return (false == (x > 2)) and 1 or 0",
            "local t = x > 1 and x < 3 return t and x or -x", "local t = x > 1 or x < 3 return t and 1 or 2",
            "local t = not (x > 1) return t and 1 or 0", "local y = x > 2 or nil return y and 1 or 0",
            "return x >= 2 and x <= 3 and 1 or x < 2 and 2 or 3",
            "local n = 0 for i = 10, x, -1 do n = n + i end return n", "local n = 0 for i = 10, 1, -3 do n = n + i * x end return n",
            "local n = 0 for i = x, x + 5, 2 do n = n + i end return n",
            "local n = 0 for i = 1.0, 3.0, 0.5 do n = n + i end return n",
            "local n, i = 0, 100 while i > 0 do i = i - 7 n = n + i end return n + x",
            "local n, i = 0, 100 repeat i = i - 7 n = n + i until i <= x return n",
            "local n, i = 0, 100 while i ~= 2 do i = i - 7 n = n + 1 end return n + x",
            "local y = x if y == y then y = y + 1 end return y",
            "local a, b if x > 1 then a, b = 1, 2 else a, b = 2, 1 end return a - b",
            "local a = x while true do a = a + 1 if a > 5 then goto done end end ::done:: return a",
            "local i = 0 ::top:: i = i + 1 if i < x then goto top end return i", "return math.max(x, 2, 3.5)", "return -(-x)",
        }
        for _, body in ipairs(bodies) do
            local f = assert(load("return function(x) " .. body .. " end"))()
            for _, list in ipairs { { 1, 2, 3, 4 }, { 0.5, 1.5, 2.5 } } do
                for i, got in lun.vector(list):map(f):iter() do
                    assert(got == f(list[i]), ("%s of %s is %s, not %s"):format(body, list[i], got, f(list[i])))
                end
            end
        end
        for body, base in pairs { ["2"] = 2, ["10"] = 10, ["3"] = 3, ["x + 1"] = false } do
            local f = assert(load("return function(x) return math.log(x, " .. body .. ") end"))()
            expect.close(expect.map(function(x) return math.log(x, base or x + 1) end, { 1.5, 2.0, 10.0 }),
                lun.vector({ 1.5, 2.0, 10.0 }):map(f), 16)
        end
    end)

    it("may have any number of constants", function()
        local words = { "return function(x) local y = 0 goto last " }
        for i = 1, 140000 do -- more than an instruction has room for
            words[#words + 1] = ("y = %d.5 "):format(i)
        end
        words[#words + 1] = "::last:: y = 123456.75 return x + y end"
        assert.equal(123457.75, lun.vector({ 1.0 }):map(assert(load(table.concat(words)))())[1])
    end)

    it("ends with an integer division by zero as Lua does", function()
        local bad = lun.vector { 1, 0 }:map(function(x) return 1 // x end)
        expect.failure("attempt to perform 'n//0'", bad.totable, bad)
    end)

    it("is refused with line and reason where it cannot be a kernel", function()
        local a, count, t = lun.ones(3), 0, {}
        local cases = {
            { function(x) return { x } end, "list" },
            { function(x) return x .. "" end, "concatenation" },
            { function(x) count = count + 1; return x end, "count" },
            { function(x) return t[x] end, "t" },
            { function(x) return unknown(x) end, "unknown" }, -- luacheck: ignore unknown
            { function(x) return coroutine.yield(x) end, "coroutine" },
            { function(...) return (...) end, "'...'" },
            { function(x) return string.len(x) end, "string" },
            { string.len, "C function" },
        }
        for _, case in ipairs(cases) do
            local ok, e = pcall(a.map, a, case[1])
            assert.is_false(ok)
            assert.matches(case[2], tostring(e), 1, true)
            if case[1] ~= string.len then assert.matches("luafn_spec.lua:%d+", tostring(e)) end
        end
        local function again(x) return x < 1 and 0 or again(x - 1) end
        expect.failure("recurs", a.map, a, again)
        assert.equal(3, a:sum()) -- the session goes on
    end)
end)
