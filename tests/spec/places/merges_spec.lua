-- Copies that differ: what team kernels write into arrays that are copies on a set of places, and how the copies are
-- merged. The oracle keeps a Lua table for each copy and runs the teams of each place one after the other.
local lun = require "lunarray"
local expect = require "expect"
local onplaces = require "onplaces"

local BUILD = os.getenv "BUILD" or "build"
local program = BUILD .. "/lunarray"
local refused = expect.failure

onplaces.restore(before_each, after_each)

local function kind(a)
    local name, d = a:distribution()
    return name, d.diverged, d.combine
end

-- ---------------------------------------------------------------- the model

local function ranges(league, p)
    local out = {}
    for k = 1, p do
        out[k] = { (k - 1) * (league // p) + 1, k == p and league or k * (league // p) }
    end
    return out
end

-- By kernel: how it writes, what changes nothing; what team b does to a copy x of n elements, in Lua and as a kernel.
local KERNELS = {
    { how = "add", neutral = 0, lua = function(x, n, b) local i = 1 + b * 7 % n; x[i] = x[i] + b end,
        teams = function(a, n) return function(t) local b = t:block(); lun.atomic.add(a, 1 + b * 7 % n, b) end end },
    { how = "add", neutral = 0, lua = function(x, n, b) local i = 1 + b * 5 % n; x[i] = x[i] - b; x[1] = x[1] + 2 end,
        teams = function(a, n)
            return function(t) local b = t:block(); lun.atomic.sub(a, 1 + b * 5 % n, b); lun.atomic.add(a, 1, 2) end
        end },
    { how = "max", neutral = math.mininteger, lua = function(x, n, b) local i = 1 + b * 3 % n; x[i] = math.max(x[i], b * 4) end,
        teams = function(a, n) return function(t) local b = t:block(); lun.atomic.max(a, 1 + b * 3 % n, b * 4) end end },
    { how = "bxor", neutral = 0, lua = function(x, n, b) local i = 1 + b % n; x[i] = x[i] ~ b end,
        teams = function(a, n) return function(t) local b = t:block(); lun.atomic.bxor(a, 1 + b % n, b) end end },
    { how = "plain", lua = function(x, n, b) if b <= n then x[b] = x[b] * 2 + b end end, -- no element twice
        teams = function(a, n) return function(t) local b = t:block(); if b <= n then a[b] = a[b] * 2 + b end end end },
}

local OPERATIONS = { add = function(a, b) return a + b end, max = math.max, bxor = function(a, b) return a ~ b end }
local COMBINE = {
    { "+", OPERATIONS.add }, { "max", math.max },
    { function(a, b) return a * 3 - b end, function(a, b) return a * 3 - b end },
    { "(long a, long b) { return a + b * 2; }", function(a, b) return a + b * 2 end },
}

local function merge(m)
    if not m.versions then return end
    local f
    if m.decided then f = m.by else f = m.kept end
    f = f or OPERATIONS[m.how] or function(a) return a end
    for i = 1, m.n do
        local x = m.versions[1][i]
        for k = 2, #m.versions do x = f(x, m.versions[k][i]) end
        m.value[i] = x
    end
    m.versions, m.decided, m.by = nil, nil, nil
    m.merges = m.merges + 1
end

local function write(m, kernel, league, p)
    if m.kind ~= "copy" then
        merge(m)
        for b = 1, league do kernel.lua(m.value, m.n, b) end
        return
    end
    local goes_on = m.versions and not m.decided and (m.how == "plain" or m.how == kernel.how)
    if not goes_on then
        merge(m)
        m.versions, m.how = {}, kernel.how
        for k = 1, p do
            m.versions[k] = {}
            for i = 1, m.n do m.versions[k][i] = k > 1 and kernel.neutral or m.value[i] end
        end
    end
    for k, range in ipairs(ranges(league, p)) do
        for b = range[1], range[2] do kernel.lua(m.versions[k], m.n, b) end
    end
end

local function distribute(m, name, f)
    if f then m.kept = f end
    if m.versions and not m.decided and (f or name ~= "copy") then m.decided, m.by = true, m.kept end
    m.kind = name
end

-- ---------------------------------------------------------------- sequences

local function counted()
    local s = lun.stats()
    return { moves = s.moves, bytes_moved = s.bytes_moved, merges = s.merges }
end

local STEPS = {
    function(a, m, p, random)
        local league, kernel = random(0, 3) == 0 and random(p) or random(40), KERNELS[random(#KERNELS)]
        lun.teams { league = league }(kernel.teams(a, m.n))
        write(m, kernel, league, p)
        return kernel.how .. " by " .. league .. " teams"
    end,
    function(a, m, _, random)
        local name, by = ({ "block", "copy", "copy", "single", "overlap" })[random(5)], COMBINE[random(#COMBINE * 2)]
        a:distribute(name, by and { combine = by[1] } or nil)
        distribute(m, name, by and by[2])
        return "distribute " .. name .. (by and " with a function" or "")
    end,
    function(a, m, _, _, what)
        local e = a * 3
        local plan, old = lun.explain(e), counted()
        local moves, bytes, merging = 0, 0, false
        for _, x in ipairs(plan.moves) do
            moves = moves + 1
            bytes = bytes + (x.from ~= "host" and x.bytes or 0)
            merging = merging or x.why == "copies are merged"
        end
        if merging then assert.truthy(m.versions) end
        assert.equal(old.merges, lun.stats().merges) -- explaining merges nothing
        lun.eval(e)
        merge(m)
        local new = counted()
        assert.equal(moves, new.moves - old.moves)
        assert.equal(bytes, new.bytes_moved - old.bytes_moved)
        local wanted = {}
        for i = 1, m.n do wanted[i] = m.value[i] * 3 end
        assert.same(wanted, e:totable(), what)
        return "use"
    end,
    function(a, m, _, _, what)
        merge(m)
        assert.same(m.value, a:totable(), what)
        return "read"
    end,
    function(a, m, _, random)
        local i, x = random(m.n), random(100)
        a[i] = x
        merge(m)
        m.value[i] = x
        return "write"
    end,
}

describe("copies that differ", function()
    it("have one value, merged once, in any sequence of steps", function()
        local random = onplaces.generator(5)
        for round = 1, onplaces.devices and 12 or 60 do
            local p = random(2, onplaces.devices and 3 or 5)
            local sizes = { 1, p, 7, 63, 64, 65 }
            local n = round == 60 and 16385 or sizes[random(#sizes)]
            onplaces.use(p)
            local values = {}
            for i = 1, n do values[i] = random(1000) end
            local a = lun.vector(table.move(values, 1, n, 1, {}))
            local m = { n = n, value = values, kind = "none", merges = lun.stats().merges }
            if random(4) > 1 then a:distribute "copy"; m.kind = "copy" end
            local done = {}
            for _ = 1, n > 1000 and 10 or 15 do
                local step = STEPS[random(2) == 1 and 1 or random(#STEPS)]
                done[#done + 1] = step(a, m, p, random, table.concat(done, ", "))
                local what = ("round %d, %d elements, %d places: %s"):format(round, n, p, table.concat(done, ", "))
                assert.equal(m.versions ~= nil, select(2, kind(a)), what)
                assert.equal(m.merges, lun.stats().merges, what)
            end
            merge(m)
            assert.same(m.value, a:totable(), table.concat(done, ", "))
        end
    end)

    it("are written by teams with memory of their own, in several launches at each place", function()
        local league, n = 201, 65536 -- half a megabyte for each team: 64 of them at a time
        for _, set in ipairs(onplaces.sets) do
            lun.use(set)
            local places = select("#", lun.use())
            local counts = lun.zeros(league, "i64"):copy():distribute "copy"
            local before = lun.stats()
            lun.teams { league = league }(function(t)
                local own, b = t:scratch("i64", n), t:block()
                own[n - b] = own[n - b] + b -- zero at first, whichever team had it before
                own[1 + b % 3] = own[1 + b % 3] + own[n - b]
                lun.atomic.add(counts, b, own[1] + own[2] + own[3])
            end)
            local after, launches = lun.stats(), 0
            for _, range in ipairs(ranges(league, places)) do launches = launches + (range[2] - range[1] + 64) // 64 end
            assert.equal(launches, after.launches - before.launches, set)
            if onplaces.devices == "opencl" and set == "opencl:*" then -- which is not sent: devices make it
                assert.equal(league * 8, after.bytes_to_device - before.bytes_to_device)
            end
            local want = {}
            for b = 1, league do want[b] = b end
            assert.same(want, counts:totable(), set)
        end
    end)

    it("do that on several devices, too", function()
        onplaces.again(3, "merges_spec.lua", "merged once, in any")
        onplaces.again(3, "merges_spec.lua", "memory of their own")
    end)

    it("are merged by places, each its part, as explain tells", function()
        lun.use "reference/3"
        local a = lun.zeros(9):copy():distribute("copy", { combine = "+" })
        lun.teams { league = 9 }(function(t) a[t:block()] = t:block() end)
        assert.same({ "copy", true, "+" }, { kind(a) })
        a:distribute "block"
        assert.same({ "block", true, "+" }, { kind(a) })
        local plan = lun.explain(a + 1)
        assert.equal(1, #plan)
        assert.equal(6, #plan.moves)
        for _, m in ipairs(plan.moves) do
            assert.same({ 24, "copies are merged", 1 }, { m.bytes, m.why, m.kernel })
        end
        lun.stats "reset"
        lun.eval(a + 1)
        local s = lun.stats()
        assert.same({ 1, 6, 144, 6 }, { s.merges, s.moves, s.bytes_moved, s.launches })
        for k = 1, 3 do assert.equal(1, s.places["reference." .. k].merges) end
        assert.same({ "block", false, "+" }, { kind(a) })
        assert.same({ 1, 2, 3, 4, 5, 6, 7, 8, 9 }, a:totable())
        assert.equal(1, lun.stats().merges)
    end)

    it("of one atomic operation begin with what changes nothing, in each dtype", function()
        local function bits(a)
            local out = {}
            for i, x in ipairs(a:totable()) do out[i] = ("%q"):format(x) end
            return out
        end
        for _, dtype in ipairs { "i32", "u32", "i64", "u64", "f32", "f64" } do
            local names = { "add", "sub", "min", "max" }
            if dtype:find "^[iu]" then table.move({ "band", "bor", "bxor" }, 1, 3, 5, names) end
            for _, name in ipairs(names) do
                local change, seen = lun.atomic[name], {}
                for _, set in ipairs { "reference", "reference/2", "reference/5" } do
                    lun.use(set)
                    local a = (lun.range(1, 6) * 11):cast(dtype):eval():copy():distribute "copy"
                    if dtype:find "f" then a[6] = -0.0 end
                    lun.teams { league = 12 }(function(t)
                        local b = t:block()
                        change(a, 1 + b % 5, b * 3)
                    end)
                    seen[#seen + 1] = bits(a)
                end
                assert.same(seen[1], seen[2], dtype .. " " .. name)
                assert.same(seen[1], seen[3], dtype .. " " .. name)
            end
        end
    end)

    it("go on as they are for the next kernel that writes, and merge for one that reads", function()
        lun.use "reference/2"
        local merges = lun.stats().merges
        local a = lun.zeros(4, "i64"):copy():distribute("copy", { combine = "+" })
        local b = lun.zeros(4, "i64"):copy():distribute "copy"
        lun.teams { league = 2 }(function(t) for i = 1, 4 do a[i] = 10 * t:block() + i end end)
        lun.teams { league = 2 }(function(t) for i = 1, 4 do a[i] = a[i] * t:block() end end) -- each sees its own
        lun.teams { league = 4 }(function(t) lun.atomic.add(b, t:block(), a[t:block()]) end)  -- both see the sum
        local sum = {}
        for i = 1, 4 do sum[i] = 10 + i + (20 + i) * 2 end
        assert.same(sum, b:totable())
        assert.same(sum, a:totable())
        assert.equal(merges + 2, lun.stats().merges)
    end)

    it("are what an expression was built with, also after the array has changed", function()
        lun.use "reference/2"
        local a = lun.zeros(3, "i64"):copy():distribute("copy", { combine = "+" })
        lun.teams { league = 2 }(function(t) for i = 1, 3 do a[i] = t:block() end end)
        local e = a * 10
        lun.teams { league = 2 }(function(t) for i = 1, 3 do a[i] = a[i] + t:block() end end)
        assert.same({ 30, 30, 30 }, e:totable())
        assert.same({ 9, 9, 9 }, a:totable()) -- of both copies 3, which each place adds to
    end)

    it("merge where windows, copies and tables of them are used", function()
        lun.use "reference/3"
        local function differing()
            local a = lun.zeros(6, "i64"):copy():distribute("copy", { combine = "+" })
            lun.teams { league = 6 }(function(t) a[t:block()] = t:block() end)
            return a
        end
        assert.same({ 2, 3 }, differing():sub(2, 3):totable())
        local b = differing():copy()
        assert.same({ "copy", false, "+" }, { kind(b) })
        assert.equal(21, differing():sum())
        assert.equal(5, differing()[5])
        assert.same({ 6, 5, 4, 3, 2, 1 }, differing():sort { descending = true }:totable())
        assert.same({ 2, 4, 6 }, differing():compress(differing():mod(2):eq(0)):totable())
        assert.equal(91, differing():dot(differing()))
        assert.same({ 1, 3, 6, 10, 15, 21 }, differing():scan("+", 0, { inclusive = true }):totable())
        local c = differing()
        c:sub(2, 4):fill(0)
        assert.same({ 1, 0, 0, 0, 5, 6 }, c:totable())
        local d = differing()
        d:set(d + 1)
        assert.same({ 2, 3, 4, 5, 6, 7 }, d:totable())
        assert.same({ false, false }, { select(2, kind(c)), (select(2, kind(d))) })
        local w = lun.zeros(6, "i64"):copy():distribute "copy":sub(2, 4)
        lun.teams { league = 3 }(function(t) w[t:block()] = 7 end) -- a window: the first place alone
        assert.same({ 7, 7, 7 }, w:totable())
    end)

    it("merge on their own places when another set is in use, and when memory of the set is let go", function()
        lun.use "reference/4"
        local a = lun.zeros(5, "i64"):copy():distribute("copy", { combine = "+" })
        local b = lun.zeros(5, "i64"):copy():distribute("copy", { combine = "+" })
        local c = lun.zeros(5, "i64"):copy():distribute "copy"
        for _, x in ipairs { a, b, c } do
            lun.teams { league = 4 }(function(t) for i = 1, 5 do x[i] = t:block() end end)
        end
        lun.use "openmp"
        assert.same({ 11, 11, 11, 11, 11 }, (a + 1):totable())
        lun.use "reference/2"
        lun.teams { league = 1 }(function(t) b[t:block()] = 100 end)
        assert.same({ 100, 10, 10, 10, 10 }, b:totable())
        c:free()
        assert.equal(60, lun.eval(a):sum() + 10)
    end)

    it("keep what was there where a kernel is refused", function()
        lun.use "reference/2"
        local a = lun.vector { 1, 2, 3 }:distribute("copy", { combine = "+" })
        local b = lun.vector { 1, 2, 3 }:distribute("copy", { combine = "+" })
        refused("shares elements with 'y': hand it over once", function()
            lun.teams { league = 2 }(function(t, x, y) x[t:block()] = y[1] end, a, a)
        end)
        refused("index 9", function() lun.teams { league = 2 }(function(t) a[8 + t:block()] = 1 end) end)
        assert.same({ 1, 2, 3 }, b:totable())
        assert.same({ 2, 4, 6 }, a:totable()) -- copies that began to differ, each with what was there
    end)

    it("are said to differ by hand", function()
        lun.use "reference/3"
        local a = lun.vector { 1, 2, 3 }:distribute("copy", { combine = "+" })
        assert.equal(a, a:touched())
        assert.same({ "copy", true, "+" }, { kind(a) })
        assert.same({ 3, 6, 9 }, a:totable())
        refused("only copies can differ", function() lun.vector { 1 }:touched() end)
        refused("only copies can differ", function() lun.vector { 1 }:distribute "block":touched() end)
    end)

    it("are the first place's without a function, which is logged once", function()
        local script = [[
            lun.use "reference/2"
            for _ = 1, 3 do
                local a = lun.zeros(4, "i64"):copy():distribute "copy"
                lun.teams { league = 4 }(function(t) a[t:block()] = t:block() end)
                print(a:totable()[2], a:totable()[3])
                local b = lun.zeros(4, "i64"):copy():distribute "copy"
                lun.teams { league = 4 }(function(t) lun.atomic.exchange(b, t:block(), 5) end)
                print(b:totable()[2], b:totable()[3])
            end]]
        local pipe = assert(io.popen(("%s -W -e '%s' 2>&1"):format(program, script)))
        local text = pipe:read "a"
        pipe:close()
        local _, logged = text:gsub("copies of an array differ and no function merges them", "")
        assert.equal(1, logged)
        assert.equal(("2\t0\n5\t0\n"):rep(3), (text:gsub("[^\n]*copies of an array[^\n]*\n", "")))
    end)
end)

describe("a function that merges", function()
    it("is taken with every kind, kept, and does nothing where copies are the same", function()
        lun.use "reference/2"
        local a, merges = lun.vector { 1, 2, 3, 4 }, lun.stats().merges
        assert.same({ "none", false, "max" }, { kind(a:distribute("none", { combine = "max" })) })
        a:distribute("block", { combine = "+" }):distribute "overlap":distribute "copy"
        assert.same({ "copy", false, "+" }, { kind(a) })
        assert.same({ 1, 2, 3, 4 }, a:totable())
        assert.equal(merges, lun.stats().merges)
        local function f(x, y) return x * y end
        assert.equal(f, select(2, a:distribute("copy", { combine = f }):distribution()).combine)
        local e = (a + 1):distribute("copy", { combine = "max" })
        assert.same({ "copy", false, "max" }, { kind(e) })
        lun.eval(e)
        assert.same({ "copy", false, "max" }, { kind(e) })
    end)

    it("is the one of the change of distribution, whatever is given afterwards", function()
        lun.use "reference/2"
        local a = lun.zeros(2, "i64"):copy():distribute("copy", { combine = "+" })
        lun.teams { league = 2 }(function(t) for i = 1, 2 do a[i] = 10 + t:block() end end)
        a:distribute("block", { combine = "*" }):distribute("copy", { combine = "max" })
        assert.same({ 132, 132 }, a:totable())
    end)

    it("has to be one that reduce takes", function()
        lun.use "reference/2"
        local a = lun.zeros(4):copy()
        local function fails(part, f)
            refused(part, function() a:distribute("copy", { combine = f }) end)
        end
        fails("bad argument #2 to 'distribute' (function, C source, path or operation expected, got number)", 5)
        fails("bad argument #2 to 'distribute' ('sub' is not associative", "-")
        fails("bad argument #2 to 'distribute' (bor needs integers, not f64)", "bor")
        fails("bad argument #2 to 'distribute' ('plus' is neither an operation", "plus")
        fails("must return one result, not 2", function(x, y) return x, y end)
        fails("return a number or a boolean", function(x, y) return x == y and "a" or "b" end)
        fails("a function of two values that returns a value of the same type", "(float x) { return x; }")
        assert.same({ "none", false }, { kind(a) })
    end)
end)
