-- Blocked arrays of texts, dates, complex numbers and elements of which some are missing: what is computed of them is equal to
-- what is computed of private arrays, on several numbers of ranks; elements, moves, messages and what is refused.
local onranks = require "onranks"

local _, holds = onranks.blocked(onranks.scratch(setup, teardown), assert)

local WITH = ("package.path = %q .. package.path\n"):format(onranks.here .. "/tests/spec/?.lua;") .. [[
local logical = require "logical_programs"
local lun = require "lunarray"
local function over(a, options)
    options = options or {}
    options.over = "ranks"
    return a:distribute("block", options)
end
-- What is blocked, or private, as the text of a private array.
local function text(x)
    if type(x) == "userdata" and x.kind and x:kind() == "Blocked" then
        x = x:copy():distribute("copy", { over = "ranks" })
    end
    return logical.text_of(x)
end
local function raises(part, f, ...)
    local ok, why = pcall(f, ...)
    assert(not ok and tostring(why):find(part, 1, true), tostring(why))
end
]]

describe("Blocked arrays of logical dtypes", function()
    for _, count in ipairs { 8, 65, 301 } do
        it(("give what private ones give: %d"):format(count), function()
            holds(WITH .. ("local n = %d\n"):format(count) .. [[
                -- Windows on a blocked array are copies; elements that ranks assign by themselves are another test's.
                local apart = { ["a window written"] = true, ["numbers set"] = true, ["complex numbers set"] = true }
                for k, program in ipairs(logical.programs) do
                    if not apart[program[1] ] then
                        local wanted, a = text(program[2](logical.arrays(n), n)), logical.arrays(n)
                        for _, name in ipairs(logical.names) do
                            local b = over(a[name], { rule = k % 2 == 0 and "balanced" or nil })
                            assert(b == a[name] and b:kind() == "Blocked")
                        end
                        local given = text(program[2](a, n))
                        assert(given == wanted, program[1] .. ": " .. given .. " instead of " .. wanted)
                    end
                end]])
        end)
    end

    it("stay blocked where no element of another rank is needed, without a message", function()
        holds(WITH .. [[
            local a = logical.arrays(50)
            for _, name in ipairs(logical.names) do over(a[name]) end
            local before = lun.stats().messages
            local list = { a.text:upper(), a.text:eq "w5", a.text .. "!", a.text:len(), a.text:replace("w", "v"), a.number * 2 + 1,
                a.number:ismissing(), a.number:fillna(0), a.number:cast "f32", a.date:year(), a.date:truncate "1mo", a.z * a.w,
                a.z:real(), a.z:conj(), lun.where(a.number:gt(5), a.text, "none"), a.number:map(function(x) return x + 1 end) }
            assert(lun.stats().messages == before)
            for k, b in ipairs(list) do assert(b:kind() == "Blocked", k) end
            assert(list[8]:sum() == logical.arrays(50).number:fillna(0):sum())
            assert(a.text:cast "text":kind() == "Blocked" and a.text:map(string.upper):kind() == "Blocked")]])
    end)

    it("have elements that each rank reads and assigns", function()
        holds(WITH .. [[
            local a = logical.arrays(20)
            for _, name in ipairs(logical.names) do over(a[name]) end
            local here = logical.arrays(20)
            for k = 1, 20 do
                for name, one in pairs(here) do assert(tostring(a[name][k]) == tostring(one[k]), name) end -- no step
            end
            assert(#tostring(a.text) > 50 and tostring(a.number):find("<NA>", 1, true))
            s.barrier()
            if me == n - 1 then
                a.text[1], a.text[20], a.number[1], a.number[5], a.date[1] = "first", lun.na, lun.na, 2.5, "2000-02-29"
                a.z[1] = lun.complex(0, -1)
            end
            s.barrier()
            assert(a.text[1] == "first" and a.text[20] == nil and a.number[1] ~= a.number[1] and a.number[5] == 2.5)
            assert(a.date[1] == "2000-02-29" and a.z[1] == lun.complex(0, -1))
            raises("index 22 is out of range", function() return a.text[22] end)
            raises("is missing", function() over(lun.index(20))[3] = lun.na end)]])
    end)

    it("move to other blocks, of matrices as well", function()
        holds(WITH .. [[
            for _, name in ipairs(logical.names) do
                local m = logical.arrays(60)[name]:reshape(12, 5):copy()
                local wanted = logical.text_of(m:reshape(60))
                local b = over(m:copy())
                for _, way in ipairs { { axis = 2 }, { axis = 1, rule = "ceiling" }, { axis = 2, rule = "balanced" }, { axis = 1 } } do
                    assert(over(b, way) == b)
                    local whole = b:copy():distribute("copy", { over = "ranks" })
                    assert(whole:shape() == 12 and logical.text_of(whole:reshape(60)) == wanted)
                end
                assert(text(b:sub({ 3, 10 }, { 2, 5 }):reshape(32)) == logical.text_of(m:sub({ 3, 10 }, { 2, 5 }):reshape(32)))
                assert(b:sub({ 3, 10 }, { 2, 5 }):kind() == "Blocked" and b:sub({ 1, 2 }):kind() == "Blocked")
            end]])
    end)

    it("are columns of tables, which have all rows", function()
        holds(WITH .. [[
            local a, here = logical.arrays(40), logical.arrays(40)
            for _, name in ipairs(logical.names) do over(a[name]) end
            local function told(b)
                local t = lun.table { text = b.text, number = b.number, date = b.date }
                return tostring(t:group "text":agg { { "s", "sum", "number" } }) .. tostring(t:sort "date":head(3))
            end
            assert(told(a) == told(here))]])
    end)

    it("come whole in broadcasts, gathers and messages", function()
        holds(WITH .. [[
            for _, name in ipairs(logical.names) do
                local one = logical.arrays(30)[name]
                local wanted = logical.text_of(one)
                assert(logical.text_of(s.bcast(me == 0 and one or nil)) == wanted, name)
                local all = s.allgather(one:sub(1, me + 1))
                for k = 1, n do assert(logical.text_of(all[k]) == logical.text_of(one:sub(1, k)), name) end
                if n > 1 and me == 0 then s.send(1, one) end
                if me == 1 then assert(logical.text_of((s.recv(0))) == wanted) end
            end
            local x = s.bcast(me == 0 and { lun.na, lun.complex(1, 2) } or nil)
            assert(tostring(x[1]) == "<NA>" and x[2] == lun.complex(1, 2))
            for _, dtype in ipairs { "c64", "c128" } do -- large ones, which move from memory to memory
                local function made(pe)
                    local z = lun.complex(lun.random(20000, { seed = pe + 1 }), lun.random(20000, { seed = 99 })):cast(dtype)
                    return z:reshape(100, 200):eval()
                end
                assert(s.bcast(me == 0 and made(0) or nil):equals(made(0)))
                local all = s.allgather(made(me))
                for k = 1, n do assert(all[k]:equals(made(k - 1)) and all[k]:dtype() == dtype) end
                if n > 1 and me == 0 then s.send(1, made(7):transpose()) end
                if me == 1 then
                    local got = s.recv(0)
                    assert(got:equals(made(7):transpose()))
                    got[1][1] = 5 -- it is a value of its own
                    assert(got[1][1] == lun.complex(5, 0))
                end
            end]])
    end)

    it("are missing where all ranks, or one, make them so, and rows know it", function()
        holds(WITH .. [[
            local a, m = over(lun.vector { 1, 2, 3, 4 }), over(lun.vector { 1, 2, 3, 4, 5, lun.na }:reshape(2, 3):copy())
            assert(a:fill(lun.na):sum() == 0 and select(2, tostring(a):gsub("<NA>", "")) == 4)
            over(m, { axis = 2 })
            assert(m[1]:sum() == 6 and m[2]:sum() == 9 and tostring(m[2]):find("4 *5 *<NA>"))
            local x = over(lun.vector { 1, 2, 3, 4, 5, 6 }:reshape(2, 3):copy(), { axis = 2 })
            local row, words = x[1], over(lun.vector { "a", "b", "c" })
            assert(row:sum() == 6)
            s.barrier()
            x[2]:set(lun.where(x[2]:gt(4), lun.na, x[2]))
            assert(x:sum() == 10 and tostring(x):find("4 *<NA> *<NA>") and row:sum() == 6)
            x[1]:fill(lun.na)
            assert(x:sum() == 4 and row:sum() == 0)
            s.barrier()
            -- one rank cannot tell the others that one is missing from now on
            local numbers = over(lun.vector { 1, 2, 3, 4 })
            raises("no element of text[3] is missing", function() words[3] = lun.na end)
            raises("no element of i64[4] is missing", function() s.atomic(numbers, 4, "exchange", lun.na) end)
            raises("no element of i64[4] is missing", function() s.atomic(function() numbers[4] = lun.na end) end)
            raises("no element of i64[4] is missing", function()
                s.atomic(function() if numbers[1] == 1 then numbers[1] = lun.na end end)
            end)
            s.barrier()
            assert(numbers:sum() == 10 and words:len():sum() == 3)
            words:set(lun.where(words:eq "b", lun.na, words))
            s.barrier()
            if me == n - 1 then words[1] = lun.na end
            s.barrier()
            assert(words:len():sum() == 1 and tostring(words):find('<NA> *<NA> *"c"'))]])
    end)

    it("are written to where they are", function()
        holds(WITH .. [[
            local function three() return over(lun.vector { lun.complex(1, 2), lun.complex(3, 4), lun.complex(5, 6) }) end
            local a, b, c = three(), lun.zeros(s.block(3), "c128"), over(lun.vector { 0, 0, 0 })
            a:put(lun.vector { 3, 1 }, lun.vector { lun.complex(9, 0), lun.complex(0, 9) })
            s.barrier()
            assert(tostring(a):find("0.0+9.0i 3.0+4.0i 9.0+0.0i", 1, true))
            assert(a:copyto(b) == b)
            over(lun.vector { 1, lun.na, 3 }):copyto(c)
            s.barrier()
            assert(tostring(b) == tostring(a) and c:sum() == 4 and tostring(c):find "<NA>")
            for name in ("append label put_along_axis resize shuffle touched"):gmatch "%S+" do
                raises("a blocked array has no '" .. name, function() return a[name] end)
            end]])
    end)

    it("are arguments of methods of numbers", function()
        holds(WITH .. [[
            local function matrix(...) return lun.vector { ... }:reshape(2, 3):copy() end
            local m, z = matrix(1, 2, 3, 4, 5, 6):transpose():copy(), matrix(1, lun.complex(0, 1), 2, 3, lun.complex(4, 1), 5)
            local some, v = matrix(1, 2, 3, 4, 5, lun.na), lun.vector { 1, 2, 3, 4, 5, 6 }
            local function mask() return lun.where(lun.vector { 1, 0, 1, 0, 1, 1 }:eq(0), lun.na, true) end
            assert(text(over(m:copy()):matmul(over(z:copy())):reshape(9)) == text(m:matmul(z):reshape(9)))
            assert(text(m:matmul(over(z:copy())):reshape(9)) == text(over(m:copy()):matmul(z):reshape(9)))
            raises("takes no missing elements: 1 of 6", function() over(m:copy()):matmul(over(some:copy())) end)
            assert(text(over(v:copy()):compress(over(mask()))) == text(v:compress(mask())))
            assert(text(over(v:copy()):compress(mask())) == text(v:compress(mask())))
            assert(over(v):sum() == 21)
            -- a program need not know whether some are missing
            assert(v:fillna(0):kind() == "Blocked" and v:fillna(0):sum() == 21 and v:ismissing():sum() == 0)
            assert(v:notna():all() and v:conj():sum() == 21 and lun.ismissing(v):sum() == 0)]])
    end)

    it("are refused where numbers alone are taken, on all ranks", function()
        holds(WITH .. [[
            local a = logical.arrays(10)
            for _, name in ipairs(logical.names) do over(a[name]) end
            raises("text and i64", function() return a.text + 1 end)
            raises("row 2", function() return over(lun.vector { "1", "x", "3" }):cast "f64" end)
            raises("a blocked array has no 'nothing'", function() return a.text.nothing end)
            raises("text", function() return a.text:fft() end)
            assert(over(lun.vector({ "1", "x", "3" }, "text")):cast("f64", { errors = "missing" }):sum() == 4)
            assert(a.text[1] == logical.arrays(10).text[1])]])
    end)
end)

describe("Blocked complex numbers", function()
    it("come of lun.complex and of stencils", function()
        holds(WITH .. [[
            local n = 37
            local function numbers(seed) return lun.random(n, { seed = seed }) end
            local a, b = over(numbers(1)), over(numbers(2))
            for k, pair in ipairs {
                { lun.complex(a, b), lun.complex(numbers(1), numbers(2)) },
                { lun.complex(a, 2), lun.complex(numbers(1), 2) },
                { lun.complex(1, b), lun.complex(1, numbers(2)) },
                { lun.complex(a), lun.complex(numbers(1)) },
                { lun.complex(a, numbers(2)), lun.complex(numbers(1), numbers(2)) },
            } do
                assert(pair[1]:kind() == "Blocked" and text(pair[1]) == text(pair[2]), k)
            end
            raises("bad argument #2 to 'complex' (shapes differ: f64[37] and f64[2])", lun.complex, a, lun.zeros(2))
            local function pairs_of(m) return lun.complex(m(0) - m(-1), m(1)) end
            local function around(m) return lun.complex(m(0, 0) + m(0, 1), m(1, 1) - m(-1, 0)) end
            for _, edge in ipairs { "nearest", "wrap", 0 } do
                local options = { radius = 1, edge = edge }
                local made = a:stencil(pairs_of, options)
                assert(made:kind() == "Blocked" and made:dtype() == "c128")
                assert(text(made) == text(numbers(1):stencil(pairs_of, options)), edge)
                local M = over(lun.random({ 9, 4 }, { seed = 3, dtype = "f32" }))
                local wanted = lun.random({ 9, 4 }, { seed = 3, dtype = "f32" }):stencil(around, options)
                assert(text(M:stencil(around, options):flatten()) == text(wanted:flatten()), edge)
            end]])
    end)

    it("are evaluated beside Scalars", function()
        holds(WITH .. [[
            local a = over(lun.random(9, { seed = 1 }))
            local x, sum, two = lun.eval(a, lun.vector { 1, 2 }:lazy "sum", 2)
            assert(x == a and sum == 3 and two == 2)
            raises("bad argument #2 to 'eval' (array or number expected, got string)", lun.eval, a, "x")
            raises("bad argument #2 to 'eval' (no option out with blocked arrays", lun.eval, a, { out = a })]])
    end)
end)

describe("Errors of blocked arrays", function()
    it("count the arguments of methods as those of other arrays do", function()
        holds(WITH .. [[
            local a, x = over(lun.random(8, { seed = 1 })), lun.random(8, { seed = 1 })
            local calls = { "windows(99)", "reshape(3, 3)", "pad('x')", "select(9, 1)", "matmul('x')", "searchsorted('x')", "sort('x')",
                "quantile('x')", "topk('x')", "sum('x')", "median('x')", "totable('x')", "gt({})", "compress('x')", "copyto('x')",
                "transpose(1)", "broadcast(3, 3)", "histogram('x')", "spread('x')", "reduceby('x', '+', 0)", "allpairs('x')" }
            for _, call in ipairs(calls) do
                local f = load(("local a = ... local y = a:%s return y"):format(call), "=call")
                local ok, blocked = pcall(f, a)
                local also, alone = pcall(f, x)
                assert(not ok and not also)
                local number, name = alone:match "bad argument #(%d) to '(%w+)'"
                assert(blocked:find(("bad argument #%s to '%s' ("):format(number, name), 1, true), blocked .. " | " .. alone)
            end
            raises("bad argument #2 to 'sort'", lun.sort, a, "x")
            raises("bad argument #2 to 'gt'", lun.gt, a, {})]])
    end)
end)
