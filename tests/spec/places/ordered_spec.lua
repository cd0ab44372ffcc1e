-- Kernels with an order among indices on sets of places: scans in stages, rows that are handed on. Results have the bits of
-- one place, and of the rule of docs written in plain Lua; what lun.explain tells is what the counters gain. With
-- ORDERED_SETS, of a run of this file by itself, the sets are of devices.
local lun = require "lunarray"
local expect = require "expect"
local moves = require "moves"

local BUILD = os.getenv "BUILD" or "build"
local program = BUILD .. "/lunarray"
local refused = expect.failure

local DEVICES = os.getenv "ORDERED_SETS"
local SETS = { "openmp/4", "openmp/3", "reference.1,openmp,openmp.2" }
if DEVICES then
    SETS = {}
    for set in DEVICES:gmatch "%S+" do SETS[#SETS + 1] = set end
end

local before
before_each(function() before = { lun.use() } end)
after_each(function() lun.use(before) end)

-- Runs what a plan of kernels tells, and no more.
local function launched(e, what)
    local runs = 0
    for _, kernel in ipairs(lun.explain(e)) do
        for _, list in ipairs { "totals", "carries", "places" } do runs = runs + #(kernel[list] or {}) end
    end
    local old = lun.stats().launches
    moves.counted(function() lun.eval(e) end, moves.told(e), what)
    assert.equal(runs, lun.stats().launches - old, what)
end

-- ---------------------------------------------------------------- scans

local CHUNK = 65536

-- By a function from left to right in each chunk of 65536 elements; chunks go on from the totals of those before.
local function chained(x, f, first, inclusive)
    local out, carry = {}, first
    for lo = 1, #x, CHUNK do
        local acc, total = carry, x[lo]
        for i = lo, math.min(lo + CHUNK - 1, #x) do
            local next = f(acc, x[i])
            out[i], acc = inclusive and next or acc, next
            if i > lo then total = f(total, x[i]) end
        end
        carry = f(carry, total)
    end
    return out
end

local function operands(n)
    return {
        i32 = ((lun.range(1, n) * 7919) % 1001 - 500):cast("i32"):copy(),
        i64 = (lun.range(1, n) * 2654435761):copy(),
        u64 = ((lun.range(1, n) * 48271) % 2147483647):cast("u64"):copy(),
        f32 = (lun.random(n, { seed = 3, dtype = "f32" }) * 3 - 1):copy(),
        f64 = (lun.random(n, { seed = 5 }) - 0.5):copy(),
    }
end

local fade = function(x, y) return x * 0.5 + y end
local larger = function(x, y) return x > y and x or y end

-- Scans of each kind; way: how operands are distributed.
local function scans(n, way)
    local a, out = operands(n), {}
    for _, t in ipairs { "i32", "i64", "u64", "f32", "f64" } do
        if way then a[t]:distribute(way[1], way[2]) end
    end
    out[1] = a.f64:scan("+", 0)
    out[2] = a.i32:scan("+", 5, { inclusive = true })
    out[3] = a.f32:scan(fade, 0, { inclusive = true })
    out[4] = (a.i64 * 3):scan("max", a.i64:lazy "sum", { inclusive = true }) -- the first value is computed
    if DEVICES then return out end -- whose drivers take a second for each kernel
    for _, t in ipairs { "i64", "f32", "f64" } do
        out[#out + 1] = a[t]:scan("+", 0)
        out[#out + 1] = (a[t] * 3):scan("max", a[t]:lazy "sum", { inclusive = true }) -- the first value is computed
        out[#out + 1] = a[t]:scan("+", 0, { inclusive = true }) * 2 - a[t]
    end
    out[#out + 1] = a.u64:scan("*", 1, { inclusive = true })
    out[#out + 1] = a.f64:scan("min", 0.25)
    out[#out + 1] = a.f64:scan(fade, 1)
    out[#out + 1] = (a.i64 % 1000):scan(larger, -1)
    out[#out + 1] = (a.f64 * 2):scan("+", 1, { inclusive = true }) * a.f32
    return out
end

local function bytes(list)
    lun.eval(table.unpack(list)) -- several in one evaluation
    for k, e in ipairs(list) do list[k] = e:tobytes() end
    return list
end

local KINDS = {}
for _, rule in ipairs { "remainder", "ceiling", "balanced" } do
    KINDS[#KINDS + 1] = { "block", { rule = rule } }
    KINDS[#KINDS + 1] = { "overlap", { rule = rule, halo = 2 } }
end
KINDS[#KINDS + 1] = { "copy" }
KINDS[#KINDS + 1] = { "single", { device = 2 } }
KINDS[#KINDS + 1] = { "block", { weights = { 0, 3, 1 } } }
KINDS[#KINDS + 1] = { "block", { weights = { 1, 0, 0 } } }

local function check_scans(n, set, ways)
    lun.use "openmp"
    local wanted = bytes(scans(n))
    local places = #{ lun.use(set) }
    for _, way in ipairs(ways) do
        if not (way[2] and way[2].weights) or places == 3 then
            for k, x in ipairs(bytes(scans(n, way))) do
                assert(x == wanted[k], ("scan %d of %d elements on %s, %s"):format(k, n, set, way[1]))
            end
        end
    end
end

describe("scans on several places", function()
    it("have the bits of one, for any size", function()
        for _, set in ipairs(SETS) do
            for _, n in ipairs { 0, 1, 2, 3, 4, 5, 63, 64, 65 } do check_scans(n, set, { KINDS[1], KINDS[4] }) end
        end
        for k, n in ipairs { 16383, 16384, 16385, 65535, 65536, 65537, 300001 } do
            check_scans(n, SETS[k % #SETS + 1], { KINDS[k % #KINDS + 1] })
        end
    end)

    it("have the bits of one, however operands are distributed", function()
        for _, set in ipairs(SETS) do check_scans(131072 + 77, set, { KINDS[1], KINDS[7], KINDS[8], KINDS[9], KINDS[10] }) end
        check_scans(1000, SETS[2] or SETS[1], KINDS)
    end)

    it("are what plain Lua gives", function()
        lun.use(SETS[1])
        for _, n in ipairs { 1, 65, 1000, 65536, 200001 } do
            local a = operands(n)
            local whole, real = a.i64:totable(), a.f64:totable()
            a.f64:distribute "block"
            local plus = function(x, y) return x + y end
            expect.elements(chained(whole, plus, 0), a.i64:scan("+", 0))
            expect.elements(chained(whole, plus, 7, true), a.i64:scan("+", 7, { inclusive = true }))
            expect.elements(chained(real, fade, 1.0), a.f64:scan(fade, 1))
        end
    end)

    it("run as they are explained: totals, carries, each place from its own", function()
        lun.use(SETS[1])
        local names = { lun.use() }
        local p = #names
        for _, n in ipairs { 1, 3, 16, 1000, 16385, 65537, 3 * CHUNK, 400003 } do
            for _, rule in ipairs { "remainder", "ceiling" } do
                local a = operands(n)
                for _, t in ipairs { "i64", "f64" } do
                    a[t]:distribute("block", { rule = rule })
                    launched(a[t]:scan("+", 0), ("%s of %d"):format(t, n))
                end
            end
        end
        -- sixteen whole numbers: each place finds the total of its part, but for the last one, which nothing starts from
        local s = lun.range(1, 4 * p):copy():distribute("block"):scan("+", 0)
        local plan = lun.explain(s)
        assert.equal(p - 1, #plan[1].totals)
        assert.same({ { name = names[1], first = 1, count = 4 * p } }, plan[1].carries)
        assert.equal(p, #plan[1].places)
        assert.matches(("      totals: %s 4 from 1, "):format(names[1]), tostring(plan), 1, true)
        assert.matches(("      carries: %s %d from 1\n"):format(names[1], 4 * p), tostring(plan), 1, true)
    end)

    it("move the beginnings of chunks and nothing else", function()
        lun.use(SETS[1])
        local p = #{ lun.use() }
        local n = p * 100000
        local a = (lun.range(1, n) * 0.5):eval():distribute "block"
        a = (a + 1):eval()
        local seam = 0 -- what each place lacks of its first chunk
        for k = 1, p - 1 do seam = seam + 8 * (k * 100000 % CHUNK) end
        local old = lun.stats()
        local s = a:scan("+", 0):eval()
        local new = lun.stats()
        assert.equal(seam, new.bytes_moved - old.bytes_moved)
        assert.equal("block", (s:distribution()))
        local b = (lun.range(1, n) % 5):eval():distribute "block" -- sums of whole numbers go on from anywhere
        b = (b + 1):eval()
        old = lun.stats()
        b:scan("+", 0):eval()
        assert.equal(0, lun.stats().moves - old.moves)
    end)

    it("fail as on one place, and leave operands whole", function()
        local n = 3 * CHUNK
        local div = function(x, y) return x // y end
        for _, at in ipairs { 10, CHUNK + 5, 2 * CHUNK + 7, n } do
            lun.use(SETS[1])
            local a = (lun.range(1, n) * 0 + 1):copy():distribute "block"
            a[at] = 0
            refused("attempt to perform 'n//0'", function() a:scan(div, 100, { inclusive = true }):eval() end)
            assert.equal(n - 1, a:sum())
            a[at] = 1
            assert.equal(100, a:scan(div, 100, { inclusive = true })[n])
        end
    end)
end)

-- ---------------------------------------------------------------- along the first axis

-- Reductions whose rows are on several places; the shapes have enough elements for lines that go across.
local function columns(shape, way)
    local m = (lun.random(shape, { seed = 3 }) - 0.5):copy()
    local whole = (m * 1000):floor():cast("i32"):copy()
    local small = lun.random(shape, { seed = 9, dtype = "f32" }):copy()
    if way then
        m:distribute(way[1], way[2])
        whole:distribute(way[1], way[2])
    end
    local out = { m:sum(1), (m * 2 - small):sum { axis = 1, keep = true }, whole:max { axis = 1 }, small:mean { axis = 1 },
        m:var { axis = 1 } }
    if DEVICES then return out end
    local rest = { whole:sum(1), m:argmin { axis = 1 }, (small * 0.5 + 1):prod { axis = 1 },
        whole:min { axis = 1, keep = true }, m - m:mean { axis = 1, keep = true }, small:sum(1) }
    return table.move(rest, 1, #rest, #out + 1, out)
end

local function check_columns(shape, set, ways)
    lun.use "openmp"
    local wanted = bytes(columns(shape))
    lun.use(set)
    for _, way in ipairs(ways) do
        for k, x in ipairs(bytes(columns(shape, way))) do
            assert(x == wanted[k], ("result %d of %s on %s, %s"):format(k, table.concat(shape, " x "), set, way[1]))
        end
    end
end

describe("reductions along the first axis", function()
    it("have the bits of one place, for any number of rows", function()
        local shapes = { { 33, 1000 }, { 63, 530 }, { 65, 520 }, { 257, 131 }, { 1000, 37 }, { 16383, 3 }, { 16385, 2 }, { 50001, 3 },
            { 70, 5, 101 } }
        for k, shape in ipairs(shapes) do
            check_columns(shape, SETS[k % #SETS + 1], { KINDS[(2 * k - 1) % 6 + 1], KINDS[(2 * k) % 8 + 1] })
        end
        check_columns({ 3000, 19 }, SETS[1], { KINDS[1], KINDS[5], KINDS[6], KINDS[7], KINDS[8] })
    end)

    it("are what plain Lua gives", function()
        lun.use(SETS[1])
        local rows, count = 20011, 2
        local m = ((lun.range(1, rows * count) * 7919) % 1013):copy():reshape(rows, count):copy():distribute "block"
        local list, sum, most = m:flatten():totable(), { 0, 0 }, { 0, 0 }
        for i, x in ipairs(list) do
            local c = (i - 1) % count + 1
            sum[c], most[c] = sum[c] + x, math.max(most[c], x)
        end
        expect.elements(sum, (m + 0):eval():sum(1))
        expect.elements(most, m:max { axis = 1 })
    end)

    it("leave elements where they are: accumulators are handed on, as it is explained", function()
        lun.use(SETS[1])
        local p = #{ lun.use() }
        local rows, count = p * 1000 + 3, 60
        local m = (lun.random({ rows, count }, { seed = 1 }) + 1):eval():distribute "block"
        m = (m * 2):eval()
        local e = m:sum(1)
        local plan = lun.explain(e)
        assert.equal(p, #plan[1].places)
        local gains = moves.counted(function() lun.eval(e) end, moves.told(e), "sum(1)")
        if DEVICES then -- 64 lanes of each column at each border, and what the last place comes to
            assert.equal((p - 1) * 64 * count * 8 + count * 8, gains.bytes_moved)
            assert.equal("accumulators are handed on", plan.moves[1].why)
            assert.equal(p, gains.moves)
        else -- places on the host's memory have them in common
            assert.equal(0, gains.moves)
        end
        local kind, d = m:distribution()
        assert.equal("block", kind)
        for k, name in ipairs { lun.use() } do assert.is_true(d.fresh[name], k) end
        for _, way in ipairs { KINDS[3], KINDS[4], KINDS[8] } do
            for _, shape in ipairs { { 40000, 3 }, { 1000, 41 } } do
                for k, x in ipairs(columns(shape, way)) do
                    moves.counted(function() lun.eval(x) end, moves.told(x), ("result %d, %s"):format(k, way[1]))
                end
            end
        end
    end)

    it("by a function are done by all places, from neighbour to neighbour", function()
        local function results(shape, way)
            local m = (lun.random(shape, { seed = 1 }) * 100):copy()
            if way then m:distribute(way[1], way[2]) end
            local out = { m:reduce(fade, 0.5, { axis = 1 }), (m:cast "i32" * 2):reduce(larger, -1, { axis = 1, keep = true }) }
            if not DEVICES then
                out[3] = m:reduce(function(x, y) return x - (y // 3) end, 7, { axis = 1 })
                out[4] = #shape == 3 and m:reduce(fade, 0, { axis = { 1, 2 } }) or nil
            end
            return out
        end
        local shapes = { { 33, 1000 }, { 63, 530 }, { 65, 520 }, { 2, 16400 }, { 16383, 3 }, { 16385, 2 }, { 50001, 3 }, { 70, 5, 101 } }
        for s, shape in ipairs(DEVICES and { { 16385, 3 } } or shapes) do
            lun.use "openmp"
            local wanted = bytes(results(shape))
            lun.use(SETS[s % #SETS + 1])
            for _, way in ipairs { KINDS[(2 * s - 1) % 6 + 1], KINDS[s % 2 + 7] } do
                for k, x in ipairs(results(shape, way)) do
                    local what = ("result %d of %s, %s"):format(k, table.concat(shape, " x "), way[1])
                    moves.counted(function() lun.eval(x) end, moves.told(x), what)
                    assert(x:tobytes() == wanted[k], what)
                end
            end
        end
        lun.use(SETS[1])
        local p = #{ lun.use() }
        local m = ((lun.range(1, p * 20000 * 5) * 7919) % 1013):copy():reshape(p * 20000, 5):copy():distribute "block"
        m = (m + 1):eval()
        local e = m:reduce(larger, 0, { axis = 1 })
        assert.equal(p, #lun.explain(e)[1].places)
        local gains = moves.counted(function() lun.eval(e) end, moves.told(e), "larger")
        assert.is_true(gains.bytes_moved < 20000) -- of 800000 bytes on each place
        local most = { 0, 0, 0, 0, 0 }
        for i, x in ipairs(m:flatten():totable()) do most[(i - 1) % 5 + 1] = math.max(most[(i - 1) % 5 + 1], x) end
        expect.elements(most, e)
    end)

    it("have a second pass where digits are lost, as it is explained", function()
        local function results(way)
            local m = (lun.random({ 1000, 41 }, { seed = 3 }) * 1e-6 + 1e9):copy()
            m[1] = lun.zeros(41)
            if way then m:distribute(way[1], way[2]) end
            return { m:var { axis = 1 }, m:var { axis = 2 }, m:flatten():lazy "var" * 1, m:lazy "mean" * 2 - m }
        end
        local function value(x) return x:kind() == "Scalar" and tostring(x:value()) or x:tobytes() end
        lun.use "openmp"
        local wanted = results()
        for k, x in ipairs(wanted) do wanted[k] = value(x) end
        lun.use(SETS[1])
        for _, way in ipairs { KINDS[3], KINDS[8] } do
            for k, x in ipairs(results(way)) do
                moves.counted(function() lun.eval(x) end, moves.told(x), ("result %d, %s"):format(k, way[1]))
                assert(value(x) == wanted[k], ("result %d, %s"):format(k, way[1]))
            end
        end
    end)

    it("read windows and broadcast rows", function()
        local function results()
            local m = (lun.random({ 4001, 31 }, { seed = 4 }) - 0.5):copy()
            local row = lun.random(31, { seed = 5 }):copy()
            if #{ lun.use() } > 1 then m:distribute("block", { rule = "balanced" }) end
            return bytes { (m * row):sum(1), m:sub({ 3, 3700 }, { 2, 30 }):sum(1),
                m:sub({ 4001, 1, -1 }, { 1, 31 }):sum(1), m:sub({ 1, 3999, 2 }, { 1, 31 }):max { axis = 1 },
                (m + lun.range(1, 4001 * 31):reshape(4001, 31)):sum(1), m:transpose():sum(2) }
        end
        lun.use "openmp"
        local wanted = results()
        for _, set in ipairs(SETS) do
            lun.use(set)
            for k, x in ipairs(results()) do assert(x == wanted[k], ("result %d on %s"):format(k, set)) end
        end
    end)

    it("fail as on one place, and leave operands whole", function()
        lun.use(SETS[1])
        local m = lun.ones({ 9000, 5 }, "i64"):copy():distribute "block"
        local by = lun.ones({ 9000, 5 }, "i64"):copy():distribute "block"
        by[8000][3] = 0
        refused("attempt to perform 'n//0'", function() (m // by):sum(1):eval() end)
        assert.equal(45000, m:sum())
        by[8000][3] = 1
        expect.elements({ 9000, 9000, 9000, 9000, 9000 }, (m // by):sum(1))
    end)
end)

if not DEVICES then
    describe("on several devices", function()
        it("all that holds, too", function()
            local there = false
            for _, backend in ipairs(lun.backends()) do there = there or backend == "opencl" end
            if not there then return end
            local pipe = assert(io.popen(("POCL_DEVICES='pthread pthread pthread pthread' ORDERED_SETS='%s' %s tests/busted.lua %s 2>&1")
                :format("opencl:* opencl:2,openmp,opencl:1", program, (os.getenv "TEST_WHOLE" and "" or "--filter='for any size' ")
                .. "tests/spec/places/ordered_spec.lua")))
            local text = pipe:read "a"
            assert.is_true(pipe:close(), text)
            assert.matches("success%l* / 0 failures / 0 errors", text)
        end)
    end)
end
