-- Sorting on several places, and on ranks. The oracle is Lua's table.sort of values and places, of which no two are equal.

local onranks = require "onranks"
local shell = require "shell"

local scratch

setup(function()
    scratch = shell.scratch()
end)

teardown(function()
    shell.discard(scratch)
    lun.use "openmp"
end)

-- Runs on the places in use; prints what differs, "right" at the end.
local PROGRAM = [[
    local count = #{ lun.use() }
    -- NaNs last, -0.0 before 0.0
    local function before(a, b, falling)
        if (a.v ~= a.v) ~= (b.v ~= b.v) then return b.v ~= b.v end
        if a.v == a.v and a.v ~= b.v then
            if falling then return a.v > b.v end
            return a.v < b.v
        end
        if a.v == 0 and 1 / a.v ~= 1 / b.v and math.type(a.v) == "float" then
            if falling then return 1 / a.v > 1 / b.v end
            return 1 / a.v < 1 / b.v
        end
        return a.k < b.k
    end
    local function same(got, want)
        if #got ~= #want then return false end
        for k = 1, #want do
            local x, y = got[k], want[k]
            if x ~= y and (x == x or y == y) then return false end
            if x == 0 and math.type(x) == "float" and 1 / x ~= 1 / y then return false end
        end
        return true
    end
    local function check(a, text)
        local list = a:totable()
        local rows = {}
        for k, v in ipairs(list) do
            if type(v) == "boolean" then v = v and 1 or 0 end
            rows[k] = { v = v, k = k }
        end
        for _, falling in ipairs { false, true } do
            table.sort(rows, function(x, y) return before(x, y, falling) end)
            local values, places = {}, {}
            for k, r in ipairs(rows) do values[k], places[k] = list[r.k], r.k end
            local sorted, order = a:sort { descending = falling }, a:argsort { descending = falling }
            if not same(sorted:totable(), values) then print("sort", text, falling) end
            if not same(order:totable(), places) then print("argsort", text, falling) end
        end
    end
    local weights = {}
    for k = 1, count do weights[k] = k % 3 end
    for _, n in ipairs { 1, 2, 3, 63, 64, 65, 255, 256, 257, 1000 } do
        for _, t in ipairs { "f64", "f32", "i32", "u8", "i64", "i16", "bool" } do
            local a = (lun.random(n, { seed = n }) * 40 - 20):floor()
            if t == "f64" or t == "f32" then a = a / (lun.index(n) % 7) end
            check(a:cast(t):eval(), n .. " " .. t)
        end
        local a = (lun.random(n, { seed = 1 }) * n / 2):floor():eval()
        for _, kind in ipairs { "single", "copy", "overlap", "block" } do
            check((a + 1):distribute(kind), n .. " " .. kind)
        end
        if count > 1 then check((a + 2):distribute("block", { weights = weights }), n .. " weights") end
        check(lun.zeros(n) * a, n .. " equal ones")
        check(a:sub { 1 + n // 3, n }, n .. " a part")
        check(a:sort():eval() * 1, n .. " in order")
        check(a:sort { descending = true } * 1, n .. " in reverse")
    end
    -- many elements: their order is that of a permutation that is known
    for _, n in ipairs { 16383, 16385, 65537 } do
        local a = (lun.index(n) * 7919 % n):eval()
        if not a:sort():eq(lun.range(0, n - 1)):all() then print("permutation", n) end
        local order = a:argsort():eval()
        if not a:take(order):eq(lun.range(0, n - 1)):all() then print("its order", n) end
        local few = (a % 5):eval()
        local where = few:argsort():eval()
        local values = few:take(where):eval()
        if not values:sub(2, n):ge(values:sub(1, n - 1)):all() then print("few values", n) end
        local later = where:sub(2, n):gt(where:sub(1, n - 1)):cast "i32"
        if not (later + values:sub(2, n):gt(values:sub(1, n - 1)):cast "i32"):gt(0):all() then print("places of equal ones", n) end
    end
    -- lines
    for _, shape in ipairs { { 1, 7 }, { 5, 1 }, { 7, 33 }, { 40, 3 }, { 3, 4, 5 } } do
        local m = (lun.random(shape, { seed = 4 }) * 30):floor():eval()
        for axis = 1, #shape do
            local moved, want = {}, {}
            for k = 1, #shape do
                if k ~= axis then moved[#moved + 1] = k end
            end
            moved[#moved + 1] = axis
            local lines, sorted = m:transpose(moved):copy(), m:sort { axis = axis }:transpose(moved):copy()
            local flat, given = lines:reshape { m:size() }:totable(), sorted:reshape { m:size() }:totable()
            for first = 1, #flat, shape[axis] do
                local line = table.move(flat, first, first + shape[axis] - 1, 1, {})
                table.sort(line)
                table.move(line, 1, #line, first, want)
            end
            if not same(given, want) then print("lines", #shape, axis) end
        end
    end
    print "right"
]]

local function run(options, script, environment)
    shell.write(scratch .. "/s.lua", script)
    return shell.capture(("cd %s && LUNARRAY_RANK_TIMEOUT=120 %s timeout 300 %s %s s.lua 2>&1 </dev/null"):format(scratch,
        environment or "", onranks.path, options))
end

describe("sorting on several places", function()
    for _, set in ipairs { "openmp/2", "openmp/5", "reference/3" } do
        it("gives all in order, and where it stood, on " .. set, function()
            lun.use(set)
            local said = {}
            assert(load(PROGRAM, "=program", "t", setmetatable({ print = function(...)
                said[#said + 1] = table.concat({ tostring(...), select(2, ...) }, " ")
            end }, { __index = _G })))()
            assert.same({ "right" }, said)
        end)
    end

    for _, n in ipairs { 2, 5 } do
        it("gives the same on " .. n .. " ranks", function()
            assert.equal("right\n", (run(("--ranks %d --backend mpi"):format(n), PROGRAM)))
        end)
    end

    it("leaves the result where the operand is", function()
        lun.use "openmp/3"
        local a = (lun.random(1000, { seed = 1 }) * 2):distribute("block", { weights = { 1, 3, 1 } }):eval()
        local kind, how = a:sort():eval():distribution()
        assert.equal("block", kind)
        assert.same({ 200, 600, 200 }, how.counts)
        local before = lun.stats()
        local order = (a:argsort() * 2):eval()
        local after = lun.stats()
        assert.equal(0, after.moves - before.moves)
        assert.same({ 200, 600, 200 }, select(2, order:distribution()).counts)
        local plan = lun.explain(a:sort())
        assert.same({ { name = "openmp.1", first = 1, count = 200 }, { name = "openmp.2", first = 201, count = 600 },
            { name = "openmp.3", first = 801, count = 200 } }, plan[1].places)
        assert.equal(0, #plan.moves)
    end)

    -- What is exchanged hangs on the elements: no less than what has to leave its place, no more than explain says.
    it("tells what places exchange, and counts it", function()
        local function owner(bounds, k)
            local place = 1
            while k > bounds[place] do place = place + 1 end
            return place
        end
        -- bytes that each place has to give away, by the places of elements before and after
        local function leaving(values, how)
            local bounds, rows, least, at = {}, {}, {}, 0
            for k, count in ipairs(how.counts) do
                at = at + count
                bounds[k], least[how.devices[k]] = at, 0
            end
            for k, v in ipairs(values) do rows[k] = { v = v, k = k } end
            table.sort(rows, function(x, y) return x.v < y.v or x.v == y.v and x.k < y.k end)
            for k, r in ipairs(rows) do
                local was = owner(bounds, r.k)
                if was ~= owner(bounds, k) then least[how.devices[was]] = least[how.devices[was]] + 8 end
            end
            return least
        end
        local forms = {
            function(n) return lun.range(1, n) * 1.0 end,
            function(n) return lun.range(1, n) * -1.0 end,
            function(n) return lun.random(n, { seed = n }) end,
            function(n) return lun.range(1, n) * 7919 % 3 * 1.0 end,
            function(n) return lun.zeros(n) end,
        }
        for _, set in ipairs { "openmp/2", "openmp/3", "reference/5" } do
            local names = { lun.use(set) }
            for _, n in ipairs { 1, 2, #names, #names + 1, 63, 64, 65, 64 * #names, 64 * #names + 1, 1000, 16385 } do
                for f, form in ipairs(forms) do
                    local a = form(n):copy():distribute("block", { rule = f % 2 == 0 and "ceiling" or "balanced" }):eval()
                    local how = select(2, a:distribution())
                    local parts = 0
                    for _, count in ipairs(how.counts) do parts = parts + (count > 0 and 1 or 0) end
                    for _, op in ipairs { "sort", "argsort" } do
                        local what = ("%s of %d, form %d, on %s"):format(op, n, f, set)
                        local e = a[op](a)
                        local plan = lun.explain(e)
                        assert.equal(parts > 1 and parts or 0, #plan.exchanges, what)
                        local least = leaving(a:totable(), how)
                        local before, most, total, given = lun.stats(), {}, 0, 0
                        for _, x in ipairs(plan.exchanges) do
                            assert.same({ "other places", 1 }, { x.to, x.kernel })
                            most[x.from] = x.bytes
                        end
                        for k, sample in ipairs(plan[1].samples or {}) do
                            assert.equal(plan[1].places[k].count // (n // (64 * #names) + 1), sample.count, what)
                        end
                        e:eval()
                        local after = lun.stats()
                        for _, name in ipairs(names) do
                            local gave = after.places[name].bytes_exchanged - before.places[name].bytes_exchanged
                            if gave > (most[name] or 0) then
                                error(("%s: %s gave %d bytes, up to %d are told"):format(what, name, gave, most[name] or 0))
                            end
                            total, given = total + least[name], given + gave
                        end
                        assert.equal(given, after.bytes_exchanged - before.bytes_exchanged, what)
                        assert.is_true(given >= total, what)
                        assert.equal(#plan.moves, after.moves - before.moves, what)
                    end
                end
            end
        end
        assert.truthy(tostring(lun.explain(lun.range(1, 1000):eval():sort())):find(
            "exchanges: up to [%d.]+ %w+ from reference.1 to other places: they put elements in order"))
        lun.use "openmp"
        assert.same({}, lun.explain((lun.range(1, 1000) * -1):eval():sort()).exchanges)
    end)

    it("takes few messages in a modelled network, and no elements by way of rank 0", function()
        local text = run("--ranks 16 --backend mpi", [[
            local a = (lun.random(1 << 18, { seed = 3 }) + 1):eval()
            a:sort():eval()
            collectgarbage()
            local before = lun.stats()
            a:sort():eval()
            local after = lun.stats()
            print(after.messages - before.messages, after.bytes_sent - before.bytes_sent, (after.network_time - before.network_time) * 1e6)
        ]], "LUNARRAY_JIT=off LUNARRAY_RANK_CLOCK=2e-6,1e10")
        local messages, bytes, time = text:match "^(%d+)\t(%d+)\t([%d.]+)\n$"
        assert.truthy(time, text)
        -- two questions down a tree, one message to each rank
        assert.is_true(tonumber(messages) <= 4 + 4 + 15 + 4, text)
        -- about 15 of 16 of its own part
        assert.is_true(tonumber(time) < 150, text) -- all elements to rank 0 take 270
        assert.is_true(tonumber(bytes) < 1.2 * 8 * (1 << 18) / 16, text)
    end)
end)
