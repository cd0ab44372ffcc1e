-- Reductions of all pairs of rows on several places, and on ranks. The oracle is a loop in plain Lua over integers, which are
-- exact in each dtype, and for floats one place: the same script prints the same bytes.

local onplaces = require "onplaces"
local onranks = require "onranks"
local shell = require "shell"

local scratch = onranks.scratch(setup, teardown)
onplaces.restore(before_each, after_each)

local function run(launch, script, environment)
    local file = shell.write(scratch() .. "/s.lua", script)
    return shell.capture(("cd %s && LUNARRAY_RANK_TIMEOUT=120 %s timeout 300 %s %s 2>&1 </dev/null"):format(scratch(),
        environment or "", launch, file))
end

local served = onranks.serving(run, assert)

-- What differs from a loop over all pairs; fewer rows than a launch takes at once, lanes and blocks that are not full.
local PROGRAM = onranks.PUT .. [[
    local function check(what, got, x, y, zip, reduce, first)
        local a, b, c = x:totable(), y:totable(), got:totable()
        for i = 1, #a do
            for j = 1, #b do
                local total = first
                for l = 1, #a[i] do
                    local value = zip(a[i][l], b[j][l])
                    total = total and reduce(total, value) or value
                end
                if c[i][j] ~= total then
                    print(what, i, j, c[i][j], total)
                    return
                end
            end
        end
        put(got)
    end
    local function apart(p, q) return math.abs(p - q) end
    local function add(p, q) return p + q end
    local list = lun.vector { 3, -2, 5 }
    local pick = list:totable()
    local function picked(p, q) return p * list[(q // 1 | 0) % 3 + 1] end
    local function by_hand(p, q) return p * pick[(q // 1 | 0) % 3 + 1] end
    local function divided(p, q) return p // q end
    for _, e in ipairs { { 1, 1, 1 }, { 1, 70, 3 }, { 3, 70, 5 }, { 4, 65, 5 }, { 9, 70, 5 }, { 70, 3, 5 }, { 130, 1, 2 }, { 5, 5, 5 },
        { 64, 64, 3 }, { 65, 63, 4 }, { 300, 70, 2 }, { 12, 128, 257 } } do
        local n, m, k = table.unpack(e)
        for _, t in ipairs { "i32", "f64" } do
            local what = ("%d x %d x %d %s"):format(n, m, k, t)
            local a = (lun.random({ n, k }, { seed = 1 }) * 100 + 1):floor():cast(t):eval()
            local b = (lun.random({ m, k }, { seed = 2 }) * 100 + 1):floor():cast(t):eval()
            check(what, lun.allpairs(apart, "+")(a, b), a, b, apart, add, 0)
            check(what .. " function", lun.allpairs("-", add)(a, b), a, b, function(p, q) return p - q end, add)
            check(what .. " captured", lun.allpairs(picked, "max")(a, b), a, b, by_hand, math.max)
            check(what .. " first value", lun.allpairs(divided, "+", 3)(a, b), a, b, divided, add, 3)
            check(what .. " itself", lun.allpairs(apart, "+")(a, a), a, a, apart, add, 0)
            local x, y = a:transpose():copy():transpose(), b:sub({ -1, 1, -1 }, { 1, k })
            check(what .. " layouts", lun.allpairs(apart, "min")(x, y), x, y, apart, math.min)
            x, y = a + 1, b * 2
            check(what .. " lazy", lun.allpairs(apart, "+")(x, y), x, y, apart, add, 0)
            local f, g = a / 3, b / 7
            put(lun.allpairs(apart, "+")(f, g))
            put(lun.allpairs(apart, "+")(f:cast "f32", g) * 2 + 1)
        end
    end
    local a = (lun.index(36) % 7 + 1):reshape(9, 4)
    for _, kind in ipairs { "single", "copy", "overlap", "block" } do
        local x, y = a:copy():distribute(kind), (a * 2):copy():distribute(kind)
        check(kind, lun.allpairs(apart, "+")(x, y), x, y, apart, add, 0)
    end
    print(lun.allpairs("-", "+")(lun.zeros(0, 3), lun.zeros(2, 3)):size(), lun.allpairs("-", "+")(lun.zeros(3, 0), lun.zeros(2, 0)):sum())
]]

describe("allpairs on several places", function()
    local wanted

    local function same(launch, environment)
        wanted = wanted or run(onranks.path, PROGRAM)
        assert.is_nil(wanted:find " x ", wanted)
        assert.equal(wanted, (run(launch, PROGRAM, environment)))
    end

    it("is a loop over pairs, with the bits of one place, on the host's memory #place", function()
        for _, set in ipairs { "openmp/3", "reference/4" } do
            same(onranks.path, "LUNARRAY_BACKEND=" .. set)
        end
    end)

    it("is that on devices, beside the host or alone #place", function()
        if not onplaces.there "opencl" then return end
        same(onranks.path, "POCL_DEVICES='pthread pthread' LUNARRAY_BACKEND=openmp,opencl:1")
        same(onranks.path, "POCL_DEVICES='pthread pthread' LUNARRAY_BACKEND='opencl:*'")
    end)

    it("is that on ranks, whatever computes there", function()
        for _, n in ipairs { 2, 3, 5 } do
            same(("%s --ranks %d --backend mpi"):format(onranks.path, n))
        end
        same(onranks.path .. " --ranks 3 --backend mpi", "LUNARRAY_JIT=off LUNARRAY_RANK_BACKEND=reference")
    end)

    -- Bytes of the plan's moves from one place to another, and their sum.
    local MOVES = [[
        local function apart(x, y) return math.abs(x - y) end
        local s = lun.allpairs(apart, "+")
        local a = lun.random({ 256, 64 }, { seed = 1 }):distribute "block":eval()
        local b = lun.random({ 192, 64 }, { seed = 2 }):distribute "block":eval()
        local r = s(a, b)
        local from, sum = {}, 0
        for _, m in ipairs(lun.explain(r).moves) do
            from[m.from], sum = (from[m.from] or 0) + m.bytes, sum + m.bytes
        end
        for _, name in ipairs { lun.use() } do print(name, from[name]) end
        local before = lun.stats()
        r:eval()
        local after = lun.stats()
        print(sum, after.moves - before.moves, after.bytes_moved - before.bytes_moved)
        print(after.bytes_to_host - before.bytes_to_host, after.launches - before.launches)
        local kind, d = r:distribution()
        print(kind, table.concat(d.counts, " "), d.fresh.host)
        before = lun.stats()
        s(a, b):eval()
        after = lun.stats()
        print(after.moves - before.moves, after.bytes_sent - before.bytes_sent)]]

    it("is made where rows are: elements go from each rank to each, results stay, and explain tells it", function()
        local part = 192 * 64 * 8 // 4
        local lines = onranks.lines(served(4, MOVES), true)
        local expected = { "0\t0", ("%d\t%d\t%d"):format(12 * part, 12, 12 * part), ("%d\t%d"):format(3 * part, 4),
            "block\t64 64 64 64\tfalse" }
        for k = 1, 4 do expected[#expected + 1] = ("mpi:%d\t%d"):format(k, 3 * part) end
        table.sort(expected)
        assert.same(expected, lines)
    end)

    it("is made by all ranks at once", function()
        -- in a network of 2 microseconds: a launch for each rank, and the answers; in turns it takes 15 times as long
        local time = tonumber((served(16, [[
            local s = lun.allpairs(function(x, y) return math.abs(x - y) end, "+")
            local a = lun.random({ 1024, 8 }, { seed = 1 }):distribute "block":eval()
            local b = lun.random({ 64, 8 }, { seed = 2 }):distribute "block":eval()
            s(a, b):eval()
            local before = lun.stats().network_time
            s(a, b):eval()
            print((lun.stats().network_time - before) * 1e6)]],
            "LUNARRAY_JIT=off LUNARRAY_RANK_BACKEND=reference LUNARRAY_RANK_CLOCK=2e-6,1e10")))
        assert.is_true(time < 30, time)
    end)

    local TRAPS = [[
        local function try(f)
            local _, message = pcall(f)
            print((tostring(message):gsub("^.*s%.lua:", "s.lua:")))
        end
        local a = (lun.index(45) % 50 + 1):reshape(9, 5):copy()
        local b = (lun.index(350) % 9 + 1):reshape(70, 5):copy()
        local z, list, before = b:copy(), lun.vector { 1.0, 2.0 }, a:tobytes() .. b:tobytes()
        z[33][2] = 0
        try(function() lun.allpairs("//", "+")(a, z):eval() end)
        try(function() lun.allpairs(function(x, y) return x // y end, "+")(a, z):eval() end)
        try(function() lun.allpairs(function(x, y) return list[x // 1000 + 5] + y end, "+")(a, b):eval() end)
        try(function() lun.allpairs("-", function(x, y) return x // (y - y) end)(a, b):eval() end)
        print(a:tobytes() .. b:tobytes() == before, lun.allpairs("//", "+")(a, b):sum())]]

    it("tells what fails as one place does, and operands stay", function()
        local want = run(onranks.path, TRAPS)
        assert.matches("\ntrue\t", want)
        assert.matches("attempt to perform 'n//0'", want)
        assert.matches("index 5 is out of range for array 'list' of length 2", want)
        for _, n in ipairs { 2, 4 } do assert.equal(want, (served(n, TRAPS))) end
        assert.equal(want, (run(onranks.path, TRAPS, "LUNARRAY_BACKEND=openmp/3")))
    end)
end)
