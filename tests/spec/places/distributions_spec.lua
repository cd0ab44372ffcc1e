-- Sets of places and distributed arrays: names, rules, what moves and when, and that results have the same bits on any
-- set. The oracle of moves is tests/spec/distributed.lua, that of results one place.
local lun = require "lunarray"
local expect = require "expect"
local model = require "distributed"
local onplaces = require "onplaces"

local BUILD = os.getenv "BUILD" or "build"
local program = BUILD .. "/lunarray"
local refused = expect.failure

onplaces.restore(before_each, after_each)

describe("a set of places", function()
    it("counts the teams of one place there", function()
        lun.use "reference/2"
        local o = lun.zeros(64):eval()
        local before = lun.stats()
        lun.teams { league = 4, team = 1, elements = 16 } (function(w, p)
            for i = w:index(), w:index() + 15 do
                if i <= 64 then
                    p[i] = i
                end
            end
        end, o)
        local now = lun.stats()
        assert.equal(1, now.launches - before.launches)
        assert.equal(1, now.places["reference.1"].launches - before.places["reference.1"].launches)
        assert.equal(0, now.places["reference.2"].launches - before.places["reference.2"].launches)
        assert.equal(64 * 65 // 2, o:sum())
    end)

    it("gives results without elements the distribution of their operands", function()
        lun.use "reference/2"
        for _, n in ipairs { 0, 4 } do
            for _, rule in ipairs { "block", "copy" } do
                local a = lun.zeros(n):distribute(rule)
                local b = a:map(function(x) return x + 1 end):eval()
                assert.same({ rule, n }, { (b:distribution()), #b })
                assert.same({ rule, n }, { ((a * 2):eval():distribution()), n })
            end
            local empty = lun.zeros { n, 3 }:distribute "block"
            assert.equal("block", ((empty + 1):eval():distribution()))
            assert.equal(n == 0 and 0 or 3.0 * n, ((empty + 1):sum()))
        end
    end)

    it("is named by text or a list, in its order", function()
        assert.same({ "openmp.1", "openmp.2", "openmp.3" }, { lun.use "openmp/3" })
        assert.same({ "openmp.1", "openmp.2", "openmp.3" }, { lun.use() })
        assert.same({ "reference.1", "openmp", "reference.2" }, { lun.use { "reference.1", "openmp", "reference.2" } })
        assert.same({ "openmp.2", "openmp.1" }, { lun.use " openmp.2 , openmp.1" })
        assert.same({ "openmp" }, { lun.use { "openmp" } })
        assert.same({ "reference.1", "openmp" }, { lun.use("reference.1", "openmp") })
        assert.same({ "reference.1", "openmp" }, { lun.use(lun.use()) })
        assert.same({ "reference" }, { lun.use "reference" })
    end)

    it("is refused as a whole, and the one in use stays", function()
        lun.use "openmp/2"
        refused("bad argument #1 to 'use' (place 'openmp' appears twice in the set)", function() lun.use "openmp,openmp" end)
        refused("place 'openmp.1' appears twice", function() lun.use { "openmp/2", "openmp.1" } end)
        refused("no backend 'nothing'; available are", function() lun.use "openmp,nothing" end)
        refused("no backend ''", function() lun.use "openmp," end)
        refused("'openmp/0': a number of places from 1 to 4096 expected", function() lun.use "openmp/0" end)
        refused("'openmp/x': a number of places", function() lun.use "openmp/x" end)
        refused("'openmp/4097': a number of places", function() lun.use "openmp/4097" end)
        refused("'openmp/99999999999': a number of places", function() lun.use "openmp/99999999999" end)
        refused("'openmp:*': backend 'openmp' has no devices", function() lun.use "openmp:*" end)
        refused("no backend 'openmp.4097'", function() lun.use "openmp.4097" end)
        refused("a set of at least one place expected", function() lun.use {} end)
        refused("place 2 is a number: a name expected", function() lun.use { "openmp", 1 } end)
        refused("place 2 is a table: a name expected", function() lun.use("openmp", {}) end)
        assert.same({ "openmp.1", "openmp.2" }, { lun.use() })
    end)

    it("has up to 4096 places, and more of two sets are refused", function()
        assert.equal(4096, select("#", lun.use "openmp/4096"))
        assert.equal("openmp.4096", (select(4096, lun.use())))
        local list = { lun.use() }
        list[4097] = "reference"
        refused("a set has at most 4096 places", function() lun.use(list) end)
        assert.equal(4096, select("#", lun.use()))
        lun.use "reference/200"
        refused("too many places have been named: 4352 at most", function() lun.use "reference/400" end)
        assert.equal(200, select("#", lun.use()))
        local d = select(2, lun.zeros(1000):copy():distribute("block", { rule = "balanced" }):distribution())
        assert.equal("5 5 5", table.concat(d.counts, " ", 198, 200))
        assert.equal("986 991 996", table.concat(d.starts, " ", 198, 200))
        assert.is_nil(d.counts[201])
    end)

    it("gives the bits of one on more places than a byte counts, of which some have no element", function()
        local function results(n)
            local all = {}
            local function put(x) all[#all + 1] = type(x) == "number" and ("%a"):format(x) or x:eval():tobytes() end
            local a = lun.random(n, { seed = 5 }):eval()
            local k = (lun.index(n) * 7919 % n + 1):eval()
            put(a * 2 + 1) put(a:sum()) put(a:scan "+") put(a:sort()) put(a:compress(a:gt(0.5)))
            put(lun.stencil(function(w) return w(-1) + w(1) end, { edge = "nearest" })(a + 1))
            local h = lun.zeros(n // 2 + 1):copy():distribute "block"
            lun.each(n, function(i) h[k[i] // 2 + 1] = h[k[i] // 2 + 1] + a[i] end)
            h:sub(1, (n + 1) // 2):set(h:sub(1, (n + 1) // 2) * 2)
            put(h)
            local c = lun.zeros(9, "i64"):copy():distribute "copy"
            lun.teams { league = n }(function(t) lun.atomic.add(c, 1 + t:block() % 9, 1) end)
            put(c)
            return all
        end
        for _, n in ipairs { 1, 299, 300, 301, 16385, 100003 } do
            lun.use "openmp"
            local want = results(n)
            lun.use "openmp/300"
            assert.same(want, results(n))
        end
    end)

    it("is of equal parts of a device, where that has as many units", function()
        local script = [[
            for _, d in ipairs(lun.devices()) do if d.place == "opencl:1" and d.units ~= 2 then os.exit() end end
            local refused = table.pack(pcall(lun.use, "opencl:1/3"))
            print(lun.use "opencl:1/2")
            print(table.unpack(refused))
            print(pcall(lun.use, "opencl/2"))
            print(pcall(lun.use, "opencl:1.1/2"))
            print(pcall(lun.use, "opencl:9/2"))
            print(pcall(lun.use, "opencl:1/0"))
            local a = lun.range(1, 1000):eval():distribute "block"
            local b = (a * 2):eval()
            print(b:sum(), b:distribution())
            b:distribute("single", { device = "opencl:1.2" })
            print(lun.eval(b + 1):sum(), lun.stats().bytes_moved)
            print(lun.use "opencl:1.2,openmp")
            print((b + 1):sum())
        ]]
        local pipe = assert(io.popen(("POCL_DEVICES=pthread POCL_MAX_PTHREAD_COUNT=2 %s -e '%s' 2>&1"):format(program, script)))
        local text = pipe:read("a"):gsub("table: %S+", "table")
        pipe:close()
        if text == "" or text:find "no OpenCL driver" or text:find "no backend 'opencl" then return end
        local lines = {}
        for line in text:gmatch "[^\n]+" do lines[#lines + 1] = line end
        assert.equal("opencl:1.1\topencl:1.2", lines[1], text)
        assert.matches("^false\t.* has 2 compute units: it is not divided into 3 equal parts", lines[2])
        assert.matches("'opencl/2': name the device to be divided, as in 'opencl:1/2'", lines[3], 1, true)
        assert.matches("'opencl:1.1/2': name the device", lines[4], 1, true)
        assert.matches("no device 9: OpenCL has 1 here", lines[5], 1, true)
        assert.matches("a number of places from 1 to 511 expected", lines[6], 1, true)
        assert.equal("1001000\tblock\ttable", lines[7])
        assert.equal("1002000\t4000", lines[8])
        assert.equal("opencl:1.2\topenmp", lines[9])
        assert.equal("1002000", lines[10])
    end)

    it("is given to the program too", function()
        local function run(command)
            local pipe = assert(io.popen(command .. " 2>&1"))
            local text = pipe:read "a"
            pipe:close()
            return text
        end
        local script = " -e 'print(lun.use()) print(lun.range(1, 10):sum())'"
        assert.equal("reference.1\treference.2\n55\n", run("LUNARRAY_BACKEND=reference/2 " .. program .. script))
        assert.equal("openmp.1\topenmp.2\topenmp.3\n55\n", run(program .. " --backend openmp/3" .. script))
        assert.matches("place 'openmp' appears twice in the set", run(program .. " --backend openmp,openmp" .. script))
    end)
end)

-- Counts of a distribution, as text.
local function counts(a)
    local kind, d = a:distribution()
    return kind .. (d.counts and " " .. table.concat(d.counts, " ") or "")
end

describe("a distribution", function()
    it("divides by three rules, and by weights", function()
        lun.use "openmp/4"
        local a = lun.zeros(50)
        assert.equal("none", counts(a))
        assert.equal(a, a:distribute "block")
        assert.equal("block 12 12 12 14", counts(a))
        assert.equal("block 13 13 13 11", counts(a:distribute("block", { rule = "ceiling" })))
        assert.equal("block 13 13 12 12", counts(a:distribute("block", { rule = "balanced" })))
        assert.equal("block 5 10 15 20", counts(a:distribute("block", { weights = { 1, 2, 3, 4 } })))
        assert.equal("overlap 12 12 12 14", counts(a:distribute("overlap", { halo = 3 })))
        assert.equal("copy 50 50 50 50", counts(a:distribute "copy"))
        assert.equal("single 0 0 50 0", counts(a:distribute("single", { device = 3 })))
        assert.equal("single 0 50 0 0", counts(a:distribute("single", { device = "openmp.2" })))
        assert.equal("single 50 0 0 0", counts(a:distribute "single"))
        assert.equal("block 1 1 1 2", counts(lun.zeros(5):distribute "block"))
        assert.equal("block 2 2 1 0", counts(lun.zeros(5):distribute("block", { rule = "ceiling" })))
        assert.equal("block 0 0 0 0", counts(lun.zeros(0):distribute "block"))
    end)

    it("tells what belongs where, and computes nothing", function()
        lun.use "openmp/3"
        local a = (lun.vector { 1, 2, 3, 4, 5, 6, 7 } + 1):distribute("overlap", { rule = "balanced" })
        local kind, d = a:distribution()
        assert.equal("overlap", kind)
        assert.same({ "openmp.1", "openmp.2", "openmp.3" }, d.devices)
        assert.same({ 3, 2, 2 }, d.counts)
        assert.same({ 1, 4, 6 }, d.starts)
        assert.equal("balanced", d.rule)
        assert.equal(1, d.halo)
        assert.equal(1, d.axis)
        assert.equal(1, a:pending())
        assert.same({ ["openmp.1"] = false, ["openmp.2"] = false, ["openmp.3"] = false, host = false }, d.fresh)
        lun.eval(a)
        assert.equal("overlap", (a:distribution()))
    end)

    it("of rank 2 keeps rows whole, and the columns of a left array", function()
        lun.use "openmp/3"
        assert.equal("block 2 2 3", counts(lun.zeros(7, 5):distribute "block"))
        local left = lun.zeros({ 7, 5 }, "f64", { layout = "left" }):distribute("block", { rule = "balanced" })
        local _, d = left:distribution()
        assert.same({ 2, 2, 1 }, d.counts)
        assert.equal(2, d.axis)
        local twice = lun.ones(7, 5):copy() * 2 + lun.zeros(7, 5)
        lun.eval(twice)
        assert.equal("block 2 2 3", counts(twice))
        assert.equal(2, twice[7][5])
    end)

    it("is refused where it does not fit", function()
        lun.use "openmp/2"
        local a = lun.zeros(8)
        local function fails(part, ...)
            local arguments = table.pack(...)
            refused(part, function() a:distribute(table.unpack(arguments, 1, arguments.n)) end)
        end
        fails("bad argument #1 to 'distribute' (unknown distribution 'blok': none, single, block, overlap or copy expected)", "blok")
        fails("bad argument #1 to 'distribute' (string expected", nil)
        fails("bad argument #2 to 'distribute' (unknown rule 'even': remainder, ceiling or balanced expected)", "block", { rule = "even" })
        fails("bad argument #2 to 'distribute' (rule: remainder, ceiling or balanced expected)", "block", { rule = 1 })
        fails("a distribution 'copy' has no option 'rule'", "copy", { rule = "ceiling" })
        fails("a distribution 'single' has no option 'weights'", "single", { weights = { 1, 1 } })
        fails("a distribution 'block' has no option 'halo'", "block", { halo = 0 })
        fails("a distribution 'block' has no option 'device'", "block", { device = 1 })
        fails("device 3 is not in the set in use", "single", { device = 3 })
        fails("device openmp is not in the set in use", "single", { device = "openmp" })
        fails("device 1.5 is not in the set in use", "single", { device = 1.5 })
        fails("a halo of -1: 0 or more expected", "overlap", { halo = -1 })
        fails("halo: an integer of 0 or more expected", "overlap", { halo = 0.5 })
        fails("unknown option 'colour'", "block", { colour = 1 })
        fails("3 weights for 2 places", "block", { weights = { 1, 2, 3 } })
        fails("weight 2 is -1: numbers of 0 or more expected", "block", { weights = { 1, -1 } })
        fails("the sum of the weights is 0", "block", { weights = { 0, 0 } })
        fails("a rule and weights exclude each other", "block", { rule = "ceiling", weights = { 1, 1 } })
        assert.equal("none", counts(a))
        a:distribute "none":distribute "block"
        fails("bad argument #1 to 'distribute' (a distribution, once set, cannot be taken back to 'none')", "none")
        refused("a window lives where its array does", function() a:sub(2, 5):distribute "copy" end)
        refused("a single number is not distributed", function() a:lazy "sum":distribute "copy" end)
    end)

    it("stays with a copy and with an array that is written to, and not with another set", function()
        lun.use "openmp/2"
        local a = lun.vector { 1, 2, 3, 4 }:distribute("block", { weights = { 1, 3 } })
        local b = a:copy()
        assert.equal("block 1 3", counts(b))
        a[2] = 7
        a:fill(9)
        assert.equal("block 1 3", counts(a))
        lun.use "openmp/3"
        assert.equal("none", counts(a))
        lun.eval(a + b)
        assert.equal("block 1 1 2", counts(a))
        assert.same({ 9, 9, 9, 9 }, a:totable())
        lun.use "openmp"
        assert.same({ 10, 11, 12, 13 }, (a + b):totable())
    end)
end)

-- ---------------------------------------------------------------- moves

local OPTIONS = {
    block = function(p, random)
        local rules = { "remainder", "ceiling", "balanced" }
        if random(4) < 4 then return { rule = rules[random(3)] } end
        local weights = {}
        for k = 1, p do weights[k] = random(0, 3) end
        weights[random(p)] = 1
        return { weights = weights }
    end,
    single = function(p, random) return { device = random(p) } end,
    copy = function() return {} end,
}
OPTIONS.overlap = function(p, random)
    local options = OPTIONS.block(p, random)
    options.halo = random(0, 12)
    return options
end
local KINDS = { "block", "overlap", "single", "copy" }

-- One vector and its model, whose distribution and places have to agree.
local function check(pair, p, what)
    local kind, d = pair.a:distribution()
    assert.equal(pair.m.kind, kind, what)
    if kind ~= "none" then assert.same(model.counts(pair.m, p), d.counts, what) end
    local fresh = model.fresh(pair.m, p)
    assert.equal(fresh.host, d.fresh.host, what .. ": host")
    for k, name in ipairs(d.devices) do assert.equal(fresh[k], d.fresh[name], what .. ": " .. name) end
end

-- What the moves of a plan come to, as the model writes them.
local function planned(plan)
    local number = { host = 0 }
    for k, name in ipairs { lun.use() } do number[name] = k end
    local moves = {}
    for i, m in ipairs(plan.moves) do
        assert.equal(m.from == "host", m.why == "first use")
        moves[i] = { from = number[m.from], to = number[m.to], bytes = m.bytes }
    end
    return moves
end

-- Does f, whose moves the model tells; the counters have to agree.
local function counted(moves, f, what)
    local old = lun.stats()
    f()
    local new = lun.stats()
    for name, gain in pairs(model.counted(moves)) do
        assert.equal(gain, new[name] - old[name], what .. ": " .. name)
    end
end

local function new_pair(n, p, random)
    local values = {}
    for i = 1, n do values[i] = random(1000) * 0.5 end
    return { a = lun.vector(table.move(values, 1, n, 1, {})), m = model.vector(values, p) }
end

local STEPS = {
    function(vectors, p, random, what)
        local v, kind = vectors[random(#vectors)], KINDS[random(4)]
        local options = OPTIONS[kind](p, random)
        v.a:distribute(kind, options)
        model.distribute(v.m, kind, options, p)
        return what .. " distribute " .. kind
    end,
    function(vectors, p, random, what)
        local x, y = vectors[random(#vectors)], vectors[random(#vectors)]
        local e = x.a + y.a
        what = what .. " add"
        local result, moves = model.map(function(a, b) return a + (b or a) end, x == y and { x.m } or { x.m, y.m }, p)
        assert.same(moves, planned(lun.explain(e)), what)
        counted(moves, function() lun.eval(e) end, what)
        vectors[random(#vectors)] = { a = e, m = result }
        return what
    end,
    function(vectors, p, random, what)
        local v = vectors[random(#vectors)]
        local moves, sum, got = model.reduce(v.m, p), 0.0, nil
        what = what .. " sum"
        counted(moves, function() got = v.a:sum() end, what)
        for _, x in ipairs(v.m.values) do sum = sum + x end
        assert.equal(sum, got, what) -- halves: exact in any order
        return what
    end,
    function(vectors, _, random, what)
        local v = vectors[random(#vectors)]
        local got
        counted(model.read(v.m), function() got = v.a:totable() end, what .. " read")
        assert.same(v.m.values, got, what)
        return what .. " read"
    end,
    function(vectors, _, random, what)
        local v = vectors[random(#vectors)]
        if v.m.n == 0 then return what end
        local i, x = random(v.m.n), random(1000) * 0.5
        counted(model.write(v.m, i, x), function() v.a[i] = x end, what .. " write")
        return what .. " write"
    end,
}

describe("what moves", function()
    it("is exactly what is missing, and what explain tells, in any sequence of steps", function()
        local random = onplaces.generator(11)
        for round = 1, onplaces.devices and 20 or 60 do
            local p = random(2, 5)
            local sizes = { 1, p - 1, p, p + 1, 50, 63, 64, 65, 200 }
            local n = round == 60 and 40000 or sizes[random(#sizes)]
            onplaces.use(p)
            local vectors = {}
            for k = 1, 3 do vectors[k] = new_pair(n, p, random) end
            for step = 1, n > 1000 and 12 or 25 do
                local what = ("round %d, %d elements on %d places, step %d:"):format(round, n, p, step)
                what = STEPS[random(#STEPS)](vectors, p, random, what)
                for _, v in ipairs(vectors) do check(v, p, what) end
            end
        end
    end)

    it("is that on several devices, too", function()
        onplaces.again(5, "distributions_spec.lua", "is exactly what is missing")
    end)

    it("is nothing where elements are still there, and once for several changes", function()
        lun.use "openmp/4"
        local a = (lun.range(1, 100) * 1.5):eval():distribute "block"
        local sum = a:sum()
        lun.eval(a * 2)
        a:distribute "copy":distribute("single", { device = 2 }):distribute "block"
        local old = lun.stats()
        lun.eval(a * 3)
        assert.equal(0, lun.stats().moves - old.moves)
        assert.equal(4, lun.stats().launches - old.launches)
        assert.equal(sum, a:sum())
    end)

    it("is told with its reason", function()
        lun.use "openmp/2"
        local a, b = lun.vector { 1, 2, 3, 4 }:distribute "block", lun.vector { 4, 3, 2, 1 }
        local function why(e)
            local reasons = {}
            for i, m in ipairs(lun.explain(e).moves) do
                reasons[i] = ("%s>%s %d %s"):format(m.from, m.to, m.bytes, m.why)
            end
            return table.concat(reasons, "; ")
        end
        assert.equal("host>openmp.1 16 first use; host>openmp.2 16 first use", why(a * 2))
        lun.eval(a * 2, b * 2)
        assert.equal("", why(a + b))
        a = (a * 1):eval()
        assert.equal("openmp.1>openmp.2 16 a chunk crosses the boundary", why(a:lazy "sum"))
        assert.equal("openmp.2>openmp.1 8 halo", why(a:sub { 1, 3 } + a:sub { 2, 4 }))
        assert.equal("", why(a:sort()))
        assert.equal("", why((a:unique())))
        assert.equal("openmp.1>host 16 a step runs on one place; openmp.2>host 16 a step runs on one place", why(a:quantile { 0.5, 0.2 }))
        a:distribute "copy"
        assert.equal("openmp.2>openmp.1 16 distribution changes; openmp.1>openmp.2 16 distribution changes", why(a * 2))
        local plan = lun.explain(a * 2)
        assert.same({ { name = "openmp.1", first = 1, count = 4 }, { name = "openmp.2", first = 1, count = 4 } }, plan[1].places)
        assert.matches("places: openmp.1 4 from 1, openmp.2 4 from 1\n", tostring(plan))
        assert.matches("moves: 16 bytes from openmp.2 to openmp.1: distribution changes", tostring(plan), 1, true)
    end)

    it("is what explain tells, of kernels of all kinds and of what runs on one place", function()
        local n = 3000
        for _, set in ipairs { "openmp/3", "reference/4" } do
            lun.use(set)
            local a, b = (lun.range(1, n) * 0.5):copy():distribute("block", { rule = "balanced" }), lun.range(1, n):copy()
            local m = lun.random({ 60, 50 }, { seed = 1 }):copy():distribute("overlap", { halo = 2 })
            local pad = m:pad(1, "wrap")
            local around = pad:sub({ 1, 60 }, { 2, 51 }) + pad:sub({ 3, 62 }, { 2, 51 })
            for k, e in ipairs { a + b, a:lazy "sum", (a * b):scan("+", 0), b:scan("+", 0), m:sum(2), m - m:mean { axis = 2, keep = true },
                around, a:sub(2, n) - a:sub(1, n - 1), b:sort(), lun.generate(n, function(i) return a[n + 1 - i] + b[i] end),
                m:sum(1), (a + 1):sort():sub(1, 10) * 2, m:transpose() + 1, lun.concat { a, b } * 2, a:sub(n, 1, -1) * 1 } do
                local plan = model.counted(planned(lun.explain(e)))
                local old = lun.stats()
                lun.eval(e)
                local new = lun.stats()
                for name, gain in pairs(plan) do
                    assert.equal(gain, new[name] - old[name], ("%s, expression %d: %s"):format(set, k, name))
                end
            end
        end
    end)

    it("is counted by place", function()
        lun.use "openmp/3"
        lun.stats "reset"
        local a = lun.vector { 1, 2, 3, 4, 5, 6 }:distribute "block"
        lun.eval(a + 1)
        a:distribute("single", { device = 3 })
        lun.eval(a + 2)
        local s = lun.stats()
        local function of(launches, moves, up)
            return { launches = launches, moves = moves, bytes_moved = 0, bytes_to_device = up, bytes_to_host = 0, merges = 0,
                bytes_exchanged = 0 }
        end
        assert.same(of(1, 1, 16), s.places["openmp.1"])
        assert.same(of(2, 2, 48), s.places["openmp.3"])
        assert.equal(4, s.launches)
        lun.use "openmp"
        assert.equal(4, lun.stats().places.openmp.launches) -- a single place has done it all
    end)
end)

-- ---------------------------------------------------------------- results

-- Sums of f32 and products are sensitive to their order.
local function results(n)
    local a = (lun.random(n, { seed = 3, dtype = "f32" }) * 3 - 1):eval()
    local b = (lun.range(1, n) * 0.37):eval()
    local c = (lun.range(1, n) % 7):eval()
    local w = lun.map(function(x, y) return x > 0.5 and x * y or y end)
    local out = { a:sum(), (a * b):sum(), b:max(), (a - 0.5):abs():argmin(), a:mean(), a:var(), c:sum(), a:dot(a) }
    out[#out + 1] = (b + lun.range(1, n)):sum()
    out[#out + 1] = lun.eval(a:reduce(function(x, y) return x + y * 0.5 end, 0))
    local arrays = { a * b + c, w(a, 2), lun.where(c:eq(3), a, b), (a * 2):sub { n // 2 + 1, n }, a:scan("+", 0),
        lun.random(n, { seed = 9 }), b:sort(), a:sub(n, 1, -1) + b, lun.generate(n, function(i) return b[n + 1 - i] + a[i] + i end) }
    local m = n > 4 and a:sub(1, n // 5 * 5):copy():reshape(n // 5, 5) or lun.ones(2, 3) * 0.5
    local edges = m:pad(1, "wrap")
    local rows, columns = m:shape()
    for _, e in ipairs { a:scan(function(x, y) return x * 0.5 + y end, 1), c:scan("+", 3, { inclusive = true }),
        a:scan("max", -9), (b + 1):scan("+", 0, { inclusive = true }), m:sum(2), m:argmax(2), m:max(1), m:scan("+", 0, { axis = 2 }),
        m - m:mean { axis = 2, keep = true }, m:pad(2, "nearest") * 2,
        edges:sub({ 1, rows }, { 2, columns + 1 }) + edges:sub({ 3, rows + 2 }, { 1, columns }) } do
        arrays[#arrays + 1] = e:flatten()
    end
    for _, e in ipairs(arrays) do out[#out + 1] = table.concat(e:totable(), " ") end
    return out
end

describe("results on several places", function()
    for _, n in ipairs { 1, 3, 4, 5, 63, 64, 65, 1000, 16384, 16385, 70001, os.getenv "TEST_WHOLE" and 65536 or nil } do
        it("have the bits of one, of " .. n .. " elements", function()
            lun.use "openmp"
            local wanted = results(n)
            for _, set in ipairs(n > 20000 and not os.getenv "TEST_WHOLE" and { "openmp/3" }
                or { "openmp/2", "openmp/3", "reference.1,openmp,openmp.2", n < 20000 and "openmp/7" or nil }) do
                lun.use(set)
                local got = results(n)
                for k, x in ipairs(wanted) do
                    assert(x == got[k] or x ~= x, ("result %d on %s"):format(k, set))
                end
            end
        end)
    end

    it("are what a scan by hand gives, each place from what those before came to", function()
        lun.use "openmp/4"
        local v = lun.range(1, 16):copy()
        local s = v:scan("+", 0)
        local old = lun.stats().launches
        lun.eval(s)
        assert.equal(8, lun.stats().launches - old) -- a scan at each place, what three came to, these chained
        assert.equal("block 4 4 4 4", counts(s))
        assert.same({ 0, 1, 3, 6, 10, 15, 21, 28, 36, 45, 55, 66, 78, 91, 105, 120 }, s:totable())
        local zero = lun.vector({ 5, 0, 3 }, "i32"):distribute("single", { device = 2 })
        assert.same({ 5, 5, 8 }, zero:scan("+", 0, { inclusive = true }):totable())
    end)

    it("read nothing beside the rows that a stencil reaches", function()
        local around = lun.stencil(function(x) return (x(-2, -1) + x(1, 3) + x(0, 0) * 2) / 4 end, { edge = "nearest" })
        local m = lun.random({ 12, 20000 }, { seed = 1, dtype = "f32" }):copy()
        lun.use "openmp"
        local wanted = around(m):tobytes()
        for _, set in ipairs { "openmp/3", "reference/5" } do
            lun.use(set)
            assert.is_true(around(m):tobytes() == wanted, set)
        end
    end)

    it("are computed whatever the distributions of operands are", function()
        lun.use "openmp/3"
        local n, kinds = 130, { "none", "single", "block", "overlap", "copy" }
        local x, y = lun.range(1, n) * 0.1, lun.range(n, 1, -1) * 0.3
        local wanted = (x * y):totable()
        for _, k in ipairs(kinds) do
            for _, l in ipairs(kinds) do
                local a, b = x:copy():distribute(k), y:copy():distribute(l)
                assert.same(wanted, (a * b):totable(), k .. " and " .. l)
            end
        end
    end)

    it("fail as one place does, and leave operands whole", function()
        lun.use "openmp/3"
        local a, b = lun.vector({ 1, 2, 3, 4, 5, 6 }, "i32"):distribute "block", lun.vector({ 1, 1, 1, 1, 0, 1 }, "i32")
        refused("attempt to perform 'n//0'", function() lun.eval(a // b) end)
        assert.same({ 1, 2, 3, 4, 5, 6 }, a:totable())
        b[5] = 2
        assert.same({ 1, 2, 3, 4, 2, 6 }, (a // b):totable())
        local v = lun.vector { 1, 2, 3 }
        refused("out of", function() lun.eval(lun.generate(6, function(i) return v[i] end)) end)
    end)
end)

describe("on sets of places, what holds on one place holds:", function()
    for _, name in ipairs { "operators", "reductions", "indexing", "generate", "stencil", "each" } do
        it(name, function()
            local pipe = assert(io.popen(("%s -e 'dofile \"tests/sets.lua\"' tests/busted.lua tests/spec/*/%s_spec.lua 2>&1"):format(
                program, name)))
            local text = pipe:read "a"
            assert.is_true(pipe:close(), text)
            assert.matches("successes / 0 failures / 0 errors", text)
        end)
    end
end)
