-- Functions of a script that the library calls, or that run in the middle of its work: they evaluate, free, raise, yield,
-- end their coroutine. Nothing hangs or crashes, what they do holds, and what they interrupted ends as if they had not
-- been, or with an error.
local expect = require "expect"
local lun = require "lunarray"
local shell = require "shell"

-- What everything ends with: the engine works.
local function usable()
    expect.elements({ 3, 5, 7 }, lun.vector { 1, 2, 3 } * 2 + 1)
    assert.equal(5050, lun.index(100):sum())
end

-- What lun.profile prints is not for the report of the tests.
local function silently(f, ...)
    local old = print
    _G.print = function() end -- luacheck: ignore
    local results = table.pack(pcall(f, ...))
    _G.print = old -- luacheck: ignore
    return table.unpack(results, 1, results.n)
end

describe("a function that the library calls", function()
    after_each(usable)

    it("profiled: evaluates, frees and profiles", function()
        local a = lun.range(1, 1000):eval()
        local ok, rows, value = silently(lun.profile, function()
            local b = (a * 2):eval()
            a:free()
            lun.profile(function() b:sum() end)
            lun.use(lun.use())
            return b:sum()
        end)
        assert.is_true(ok)
        assert.equal("table", type(rows))
        assert.equal(1001000, value)
        expect.failure("freed", function() return a[1] end)
    end)

    it("profiled: raises, in the middle of another", function()
        local mark = {}
        local ok, e = silently(lun.profile, function()
            pcall(lun.profile, error, mark);
            (lun.index(10) + 1):eval()
            error(mark)
        end)
        assert.is_false(ok)
        assert.equal(mark, e)
    end)

    it("profiled: yields, and is never resumed", function()
        local co = coroutine.create(function() return lun.profile(function() coroutine.yield(7) return (lun.index(5) * 2):sum() end) end)
        local ok, first = coroutine.resume(co)
        if ok then
            assert.equal(7, first)
            usable()
            local well = silently(coroutine.resume, co)
            assert.is_true(well)
        else
            assert.truthy(tostring(first):find "yield")
        end
        local lost = coroutine.create(function() lun.profile(coroutine.yield) end)
        coroutine.resume(lost)
        lost = nil -- luacheck: ignore
        collectgarbage()
        local well, rows = silently(lun.profile, function() return lun.index(9):sum() end)
        assert.is_true(well)
        assert.equal("table", type(rows))
    end)

    it("as __index and __len of a table that becomes a Vector", function()
        local other = lun.range(1, 100):eval()
        local ways = {
            function() return (other * 2):sum() end,
            function() other:free() return 1 end,
            function() error "no" end,
            function() return coroutine.yield(1) end,
            function(t) return lun.vector(t) end,
            function() collectgarbage() return lun.vector { 1 }:sum() end,
        }
        for _, way in ipairs(ways) do
            for _, event in ipairs { "__index", "__len", "__pairs", "__name", "__tostring" } do
                local t = setmetatable({ 1, 2 }, { [event] = way })
                for _, f in ipairs { lun.vector, lun.zeros, lun.eval, lun.full, lun.load, lun.use } do
                    local co = coroutine.create(function() return pcall(f, t, t, t) end)
                    coroutine.resume(co, t)
                    coroutine.close(co)
                end
            end
        end
    end)

    it("as __index of a table of options", function()
        local a = lun.vector { 1, 2, 3 }
        local depth = 0
        local options = setmetatable({}, { __index = function(t, k)
            depth = depth + 1
            if depth < 20 then
                pcall(lun.random, 3, t)
            end
            if k == "seed" then return a:sum() end
            if k == "dtype" then a:free() end
            return nil
        end })
        pcall(lun.random, 5, options)
        pcall(lun.scan, "+", 0, options)
        pcall(lun.save, "/nonexistent/x.csv", { x = lun.vector { 1 } }, options)
    end)

    it("as the finaliser of what is collected while arrays are made", function()
        local done, kept = 0, {}
        for i = 1, 300 do
            local own = lun.range(1, 50) + i
            setmetatable({}, { __gc = function()
                done = done + 1
                if i % 3 == 0 then
                    kept[#kept + 1] = own:sum()
                elseif i % 3 == 1 then
                    own:free()
                    collectgarbage() -- must not begin in the middle of itself
                else
                    local _ = (own * own):eval() .. lun.map(function(x) return x + 1 end)(own)
                end
            end })
            assert.equal(55 + 10 * i, (lun.range(1, 10) + i):sum())
            if i % 50 == 0 then
                collectgarbage()
            end
        end
        collectgarbage()
        collectgarbage()
        assert.equal(300, done)
        assert.equal(100, #kept)
    end)

    it("as __close, evaluating on the way out of an error", function()
        local a, seen = lun.range(1, 10):eval(), {}
        local function closing(f) return setmetatable({}, { __close = f }) end
        local ok, e = pcall(function()
            local one <close> = closing(function(_, why) seen[#seen + 1] = a:sum() error(why, 0) end) -- luacheck: ignore
            local two <close> = closing(function() seen[#seen + 1] = (a + 1):sum() a:fill(2) end) -- luacheck: ignore
            local three <close> = a * 3 -- luacheck: ignore
            return (lun.index(5) // (lun.index(5) - 2)):eval()
        end)
        assert.is_false(ok)
        assert.truthy(tostring(e):find "n//0")
        assert.same({ 65, 20 }, seen)
    end)

    it("as the body of a loop over an array that it frees, writes and leaves", function()
        local a, count = lun.range(1, 10):eval(), 0
        expect.failure("freed", function()
            for i in a:iter() do
                count = count + 1
                if i == 3 then a:free() end
            end
        end)
        assert.equal(3, count)
        local b, sum = lun.range(1, 10):eval(), 0
        local walk = coroutine.wrap(function() for i, x in b:iter() do coroutine.yield(x) b[i % 10 + 1] = 100 end end)
        for _ = 1, 4 do sum = sum + walk() b:sum() end
        walk = nil -- luacheck: ignore
        collectgarbage()
        assert.is_true(sum >= 10)
    end)

    it("as a hook between any two instructions of the library", function()
        local path = os.tmpname()
        local a, b = lun.range(1, 200):eval(), lun.range(1, 50):eval()
        local sum, inside, calls = 0, false, 0
        local function hook()
            if inside then return end
            inside, calls = true, calls + 1
            sum = (b * calls):sum()
            local _ = lun.vector { calls } .. b
            inside = false
        end
        for _, period in ipairs { 1, 7, 100 } do
            debug.sethook(hook, "", period)
            local ok, e = pcall(function()
                assert(#tostring(a * 2) > 50)
                assert(#tostring(lun.explain((a + 1):sqrt():lazy "sum")) > 50)
                assert(lun.save(path .. ".csv", { x = a, y = a * 2 }))
                assert(lun.load(path .. ".csv").y:sum() == 40200)
                assert(lun.save(path .. ".npy", a))
                assert(lun.load(path .. ".npy"):sum() == 20100)
                assert((lun.map "-" >> lun.map(function(x) return x + 1 end))(a):sum() == 200 - 20100)
                assert(pcall(lun.vector, { { 1, 2 }, { 3 } }) == false)
            end)
            debug.sethook()
            assert.is_true(ok, tostring(e))
        end
        assert.is_true(calls > 100 and sum > 0)
        for _, ending in ipairs { "", ".csv", ".npy" } do os.remove(path .. ending) end
    end)

    it("as a hook that raises anywhere in the library", function()
        local path = os.tmpname()
        local a = lun.range(1, 20):eval()
        local function work()
            local _ = tostring(a * 2)
            lun.save(path .. ".csv", { x = a })
            lun.load(path .. ".csv")
            lun.save(path .. ".npy", a)
            lun.load(path .. ".npy")
            silently(lun.profile, function() return (a + 1):eval() end)
            return lun.compose(lun.zip "+"):left(lun.map "-"):right(lun.map "-")(a, a):sum()
        end
        local raised = 0
        for at = 1, 4000, 37 do
            local left = at
            local ok, result = pcall(function()
                debug.sethook(function()
                    left = left - 1
                    if left == 0 then debug.sethook() error("stop", 0) end
                end, "", 1)
                local result = work()
                debug.sethook()
                return result
            end)
            if ok then assert.equal(-420, result) else raised = raised + 1 end
            assert.equal(210, a:sum())
        end
        assert.is_true(raised > 10)
        assert.equal(-420, work())
        for _, ending in ipairs { "", ".csv", ".npy" } do os.remove(path .. ending) end
    end)

    it("as a column that ends the others while they are saved", function()
        local path = os.tmpname() .. ".csv"
        local x = lun.range(1, 5000):eval()
        local odd = setmetatable({}, { __index = function(_, i) if i == 100 then x:free() end return "t" end,
            __len = function() return 5000 end })
        local ok, e = pcall(lun.save, path, { a = odd, x = x })
        assert.is_true(not ok or e == nil or e == true)
        os.remove(path)
        os.remove((path:gsub("%.csv$", "")))
    end)

    it("captured by a kernel: freed, changed and replaced between building and evaluating", function()
        local w, k = lun.vector { 10, 20, 30 }, 2
        local f = lun.map(function(i) return w[i] * k end)
        local before = f(lun.index(3))
        k = 3
        expect.elements({ 30, 60, 90 }, f(lun.index(3)))
        w[1] = 7
        w:free()
        expect.failure("freed", function() return f(lun.index(3)):eval() end)
        local ok, first = pcall(function() return before[1] end) -- saw the old elements, or says that they are gone
        assert.is_true(ok and (first == 20 or first == 30) or not ok and tostring(first):find "freed" ~= nil)
        w = lun.vector { 1, 2, 3 }
        expect.elements({ 3, 6, 9 }, f(lun.index(3)))
    end)

    it("in coroutines that share arrays and are closed with work pending", function()
        local shared = lun.range(1, 100)
        local pending = {}
        for i = 1, 50 do
            pending[i] = coroutine.create(function()
                local own <close> = (shared + i):copy()
                coroutine.yield(own * 2)
                return own:sum()
            end)
        end
        for i, co in ipairs(pending) do
            local _, e = coroutine.resume(co)
            if i % 3 == 0 then
                assert.is_true(coroutine.close(co))
                pcall(e.sum, e)
            elseif i % 3 == 1 then
                assert.equal(2 * (5050 + 100 * i), e:sum())
                local ok, sum = coroutine.resume(co)
                assert.is_true(ok)
                assert.equal(5050 + 100 * i, sum)
            end
        end
        pending = nil -- luacheck: ignore
        collectgarbage()
        collectgarbage()
    end)
end)

describe("a stock interpreter's callbacks", function()
    it("end the process from inside", function()
        for _, text in ipairs {
            "lun.profile(function() lun.index(10):sum() os.exit(3, true) end)",
            "for i in lun.index(10):eval():iter() do if i == 5 then os.exit(3, true) end end",
            "lun.vector(setmetatable({}, { __index = function() os.exit(3, true) end, __len = function() return 3 end })) os.exit(3)",
            "setmetatable({}, { __gc = function() lun.index(10):sum() os.exit(3) end }) collectgarbage()",
        } do
            local script = os.tmpname()
            shell.write(script, text)
            local _, _, status = os.execute(("timeout 300 %s %s >/dev/null 2>&1"):format(shell.interpreter(), script))
            os.remove(script)
            assert.equal(3, status, text)
        end
    end)
end)
