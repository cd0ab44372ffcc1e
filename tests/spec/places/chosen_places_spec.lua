-- What several places, and ranks, find out together of elements: the different values, the first ones in order. The
-- oracle is Lua's table.sort of values and places, of which no two are equal.

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
        if a.v == 0 and math.type(a.v) == "float" and 1 / a.v ~= 1 / b.v then
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
    local function rows_of(list)
        local rows = {}
        for k, v in ipairs(list) do
            if type(v) == "boolean" then v = v and 1 or 0 end
            rows[k] = { v = v, k = k }
        end
        return rows
    end
    local function differ(x, y)
        return x ~= y and (x == x or y == y)
    end
    local function check_unique(a, list, rows, text)
        local values, counts = {}, {}
        table.sort(rows, function(x, y) return before(x, y) end)
        for k, r in ipairs(rows) do
            if k == 1 or differ(r.v, rows[k - 1].v) then
                local v = list[r.k]
                values[#values + 1] = v == 0 and math.type(v) == "float" and 0.0 or v
                counts[#counts + 1] = 0
            end
            counts[#counts] = counts[#counts] + 1
        end
        local v, c = a:unique()
        if not same(c:totable(), counts) then print("counts", text) end
        if not same(v:totable(), values) then print("unique", text) end
        if not same((a:unique()):totable(), values) then print("unique without counts", text) end
    end
    local function check_topk(a, list, rows, text)
        local n = #list
        for _, falling in ipairs { false, true } do
            table.sort(rows, function(x, y) return before(x, y, falling) end)
            for _, k in ipairs { 1, 3, n // 2, n, n + 1 } do
                local values, places = {}, {}
                for i = 1, math.min(k, n) do values[i], places[i] = list[rows[i].k], rows[i].k end
                local v, p = a:topk(k, { smallest = not falling })
                if not same(p:totable(), places) then print("places", text, k, falling) end
                if not same(v:totable(), values) then print("topk", text, k, falling) end
            end
        end
    end
    local function check(a, text)
        local list = a:totable()
        local rows = rows_of(list)
        check_unique(a, list, rows, text)
        check_topk(a, list, rows, text)
    end
    local weights = {}
    for k = 1, count do weights[k] = k % 3 end
    for _, n in ipairs { 1, 2, 3, 4, 5, 6, 63, 64, 65, 500 } do
        for _, t in ipairs { "f64", "f32", "f16", "i32", "u8", "i64", "u64", "i16", "bool" } do
            local a = (lun.random(n, { seed = n }) * 40 - 20):floor()
            if t:find "f" then a = a / (lun.index(n) % 7) end
            if t:find "u" then a = a:abs() end
            check(a:cast(t):eval(), n .. " " .. t)
        end
        local a = (lun.random(n, { seed = 1 }) * n / 2):floor():eval()
        for _, kind in ipairs { "single", "copy", "overlap", "block" } do
            check((a + 1):distribute(kind), n .. " " .. kind)
        end
        if count > 1 then
            check((a + 2):distribute("block", { weights = weights }), n .. " weights")
            check((a + 2):distribute("single", { device = 2 }), n .. " another place")
        end
        check(lun.zeros(n) * a, n .. " equal ones")
        check(a:sub { 1 + n // 3, n }, n .. " a part")
        check(a:sort():eval() * 1, n .. " in order")
        check(a:sort { descending = true } * 1, n .. " in reverse")
        check(a / 0 - a / 0, n .. " NaNs")
    end
    -- of lines: all elements
    local m = (lun.random({ 7, 33 }, { seed = 4 }) * 30):floor():eval()
    local list = m:reshape(231):totable()
    check_unique(m, list, rows_of(list), "lines")
    -- many different ones: how many there are of each is known
    for _, n in ipairs { 16383, 16384, 16385, 40000, 65537 } do
        local a = (lun.index(n) * 7919 % n):eval()
        local v, c = a:unique()
        if not (v:eq(lun.range(0, n - 1)):all() and c:eq(1):all()) then print("permutation", n) end
        local m = n // 2
        v, c = (lun.index(n) * 7919 % n % m):eval():unique()
        if not (v:eq(lun.range(0, m - 1)):all() and c:sum() == n and c:sub { 1, n - 2 * m }:eq(3):all()
            and c:sub { n - 2 * m + 1, m }:eq(2):all()) then print("twice", n) end
        -- half of them equal
        v, c = lun.where((lun.index(n) % 2):eq(0), 5, a):eval():unique()
        if not (c:sum() == n and c:max() == c[1 + v:lt(5):count()]
            and v:sub { 2, #v }:gt(v:sub { 1, #v - 1 }):all()) then print("half", n) end
        -- all of them at one place
        v, c = (a + 1):distribute("single"):unique()
        if not (v:eq(lun.range(1, n)):all() and c:eq(1):all()) then print("one place", n) end
        local top, at = a:topk(20)
        if not (top:eq(n - lun.range(1, 20)):all() and a:take(at):eq(top):all()) then print("greatest", n) end
    end
    print "right"
]]

-- The same of so many elements that each of two places first takes memory for few values.
local MANY = [[
    local n = 4400000
    local i = lun.index(n) - 1
    local function check(text, x, low, m)
        local v, c = x:eval():unique()
        if not (#v == m and v:cast("f64"):eq(lun.range(low, low + m - 1)):all() and c:eq(n // m):all()) then print(text, m) end
    end
    for _, m in ipairs { 1, 2, 1000, 27500, 44000, 110000, n } do
        check("shuffled", i * 7919 % m, 0, m)
        check("in order", i // (n // m), 0, m)
    end
    for _, dtype in ipairs { "f32", "f64", "i32", "u64" } do check(dtype, (i * 7919 % 20000):cast(dtype), 0, 20000) end
    check("u8", (i * 7919 % 250):cast "u8", 0, 250)
    check("i16", (i * 7919 % 40000 - 20000):cast "i16", -20000, 40000)
    check("f16", (i * 7919 % 2000):cast "f16", 0, 2000)
    check("bool", (i % 2):cast "bool", 0, 2)
    -- many, the first or the last ones
    for _, few in ipairs { i:lt(4100000), i:ge(300000) } do
        local v, c = lun.where(few, -1, i):eval():unique()
        local low = few[1] and 4100000 or 0
        if not (#v == 300001 and v[1] == -1 and v:sub { 2, #v }:eq(lun.range(low, low + 299999)):all()
            and c[1] == 4100000 and c:sub { 2, #c }:eq(1):all()) then print("some", few[1]) end
    end
    local v, c = lun.where((i % 5):eq(0), -0.0, lun.where((i % 5):eq(1), 0.0, lun.where((i % 5):eq(2), 0 / 0,
        lun.where((i % 5):eq(3), 1 / 0, -1 / 0)))):eval():unique()
    if not (#v == 4 and v[1] == -1 / 0 and 1 / v[2] == 1 / 0 and v[3] == 1 / 0 and v[4] ~= v[4]
        and c:eq(lun.vector { n // 5, 2 * n // 5, n // 5, n // 5 }):all()) then print("zeros and NaNs") end
    print "right"
]]

local function run(options, script, environment)
    shell.write(scratch .. "/s.lua", script)
    return shell.capture(("cd %s && LUNARRAY_RANK_TIMEOUT=120 %s timeout 300 %s %s s.lua 2>&1 </dev/null"):format(scratch,
        environment or "", onranks.path, options))
end

describe("what several places find out together", function()
    for _, set in ipairs { "openmp/2", "openmp/5", "reference/3" } do
        it("is right on " .. set, function()
            lun.use(set)
            local said = {}
            assert(load(PROGRAM, "=program", "t", setmetatable({ print = function(...)
                said[#said + 1] = table.concat({ tostring(...), select(2, ...) }, " ")
            end }, { __index = _G })))()
            assert.same({ "right" }, said)
        end)
    end

    for _, set in ipairs { "openmp", "openmp/2", "reference" } do
        it("is right of many elements on " .. set, function()
            lun.use(set)
            local said = {}
            assert(load(MANY, "=program", "t", setmetatable({ print = function(...)
                said[#said + 1] = table.concat({ tostring(...), select(2, ...) }, " ")
            end }, { __index = _G })))()
            assert.same({ "right" }, said)
        end)
    end

    it("is right of many elements on 2 ranks", function()
        assert.equal("right\n", (run("--ranks 2 --backend mpi", MANY)))
    end)

    for _, n in ipairs { 2, 5 } do
        it("is right on " .. n .. " ranks", function()
            assert.equal("right\n", (run(("--ranks %d --backend mpi"):format(n), PROGRAM)))
        end)
    end

    it("has the bits of the first NaN", function()
        local bytes = {}
        for k = 1, 100 do
            bytes[k] = k % 3 == 0 and string.pack("<I8", 0x7ff8000000000000 + k) or string.pack("<d", k % 5)
        end
        for _, set in ipairs { "openmp", "openmp/4" } do
            lun.use(set)
            local a = lun.frombytes(table.concat(bytes), "f64"):distribute "block"
            assert.equal(string.pack("<I8", 0x7ff8000000000003), (a:unique()):tobytes():sub(-8))
            local top = a:topk(100)
            assert.equal(string.pack("<I8", 0x7ff8000000000063), top:tobytes():sub(-8))
        end
        local one, late = string.pack("<d", 1):rep(1000000), string.pack("<I8", 0x7ff8000000000009):rep(3400000)
        for _, set in ipairs { "openmp", "openmp/2" } do
            lun.use(set)
            local a = lun.frombytes(one .. string.pack("<I8", 0x7ff8000000000007) .. late, "f64"):distribute "block"
            local values, counts = a:unique()
            assert.equal(string.pack("<dI8", 1, 0x7ff8000000000007), values:tobytes())
            assert.same({ 1000000, 3400001 }, counts:totable())
        end
    end)

    it("leaves many values where they were found", function()
        lun.use "openmp/3"
        local n = 60000
        local a = (lun.index(n) * 7919 % n + 1):distribute("block"):eval()
        local before = lun.stats()
        local values, counts = a:unique()
        lun.eval(values, counts)
        local after = lun.stats()
        assert.equal(0, after.moves - before.moves)
        assert.equal(0, after.bytes_to_host - before.bytes_to_host)
        for _, v in ipairs { values, counts } do
            local kind, how = v:distribution()
            assert.equal("block", kind)
            local all = 0
            for k = 1, 3 do
                assert.is_true(how.counts[k] > 0.8 * n / 3 and how.counts[k] < 1.2 * n / 3, how.counts[k])
                assert.equal(all + 1, how.starts[k])
                all = all + how.counts[k]
            end
            assert.equal(n, all)
        end
    end)

    it("runs as it is explained", function()
        lun.use "openmp/3"
        local places = { { name = "openmp.1", first = 1, count = 200 }, { name = "openmp.2", first = 201, count = 600 },
            { name = "openmp.3", first = 801, count = 200 } }
        for _, f in ipairs { function(a) return (a:unique()) end, function(a) return (select(2, a:topk(7))) end } do
            local a = (lun.random(1000, { seed = 1 }) * 2):distribute("block", { weights = { 1, 3, 1 } }):eval()
            f(a):eval() -- elements go to where they belong
            local e = f(a)
            local plan = lun.explain(e)
            assert.same(places, plan[1].places)
            assert.equal(0, #plan.moves)
            local before = lun.stats()
            e:eval()
            local after = lun.stats()
            assert.equal(0, after.moves - before.moves)
            local list = {}
            for k = 1, 999 do
                list[k] = k * 7919 % 999
            end
            local b = lun.vector(list):distribute "block"
            e = f(b)
            local bytes = 0
            for _, m in ipairs(lun.explain(e).moves) do
                bytes = bytes + m.bytes
            end
            assert.equal(999 * 8, bytes)
            before = lun.stats()
            e:eval()
            after = lun.stats()
            assert.equal(bytes, after.bytes_to_device - before.bytes_to_device)
            assert.equal(3, after.moves - before.moves)
        end
    end)

    it("takes few messages in a modelled network, and no array to rank 0", function()
        local text = run("--ranks 16 --backend mpi", [[
            local n = 1 << 18
            local a = (lun.random(n, { seed = 3 }) + 1):eval()
            local few = (lun.random(n, { seed = 3 }) * 100):floor():eval()
            local function count(f, ...)
                lun.eval(f(...))
                collectgarbage()
                local before = lun.stats()
                lun.eval(f(...))
                local after = lun.stats()
                print(after.messages - before.messages, after.bytes_to_host - before.bytes_to_host,
                    ("%.2f"):format((after.network_time - before.network_time) * 1e6))
            end
            a:sum()
            few:sum()
            count(function(x) return x:topk(10) end, a)
            count(function(x) return x:unique() end, few)
            count(function(x) return x:unique() end, a)
        ]], "LUNARRAY_JIT=off LUNARRAY_RANK_CLOCK=2e-6,1e10")
        local lines = {}
        for messages, bytes, time in text:gmatch "(%d+)\t(%d+)\t([%d.]+)\n" do
            lines[#lines + 1] = { tonumber(messages), tonumber(bytes), tonumber(time) }
        end
        assert.equal(3, #lines, text)
        -- a question down a tree, or two; all elements to rank 0 take 270
        assert.is_true(lines[1][1] <= 4 and lines[1][2] == 0 and lines[1][3] < 20, text)
        assert.is_true(lines[2][1] <= 8 and lines[2][2] == 0 and lines[2][3] < 40, text)
        -- values and their numbers between all ranks
        assert.is_true(lines[3][1] <= 4 + 4 + 15 + 4 and lines[3][3] < 200, text)
    end)
end)
