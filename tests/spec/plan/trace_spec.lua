-- lun.region and lun.trace: what stands in the file of a program that runs on its own, read by lun.json and by Python;
-- how traces begin and end; tools of other libraries.

local onranks = require "onranks"
local shell = require "shell"

local build = os.getenv "BUILD" or "build"
local scratch

local CATEGORIES = {}
for word in ("kernel compile move algorithm product task message plan file door script"):gmatch "%a+" do
    CATEGORIES[word] = true
end

-- What a script prints, and its status; `with`: variables before the program, options behind it.
local function run(code, with, options)
    local path = shell.write(scratch .. "/script.lua", code)
    local text, status = shell.capture(("cd %s && LUNARRAY_CACHE_DIR='' LUNARRAY_BACKEND=openmp %s timeout 300 %s/lunarray %s %s 2>&1")
        :format(scratch, with or "", build:match "^/" and build or os.getenv "PWD" .. "/" .. build, options or "", path))
    return text, status
end

-- The slices of a trace by their names, lists, and what its threads are called; checks what holds of every trace.
local function read(name)
    local path = scratch .. "/" .. (name or "t.json")
    local whole = lun.json.decode(shell.slurp(path))
    assert.equal("ms", whole.displayTimeUnit)
    local slices, threads, open, all = {}, {}, {}, {}
    for _, ev in ipairs(whole.traceEvents) do
        if ev.ph == "M" then
            threads[ev.tid] = ev.args.name
        else
            assert.equal("X", ev.ph)
            assert.is_true(CATEGORIES[ev.cat], ev.cat)
            assert.is_true(ev.ts >= 0 and ev.dur >= 0)
            assert.is_truthy(threads[ev.tid])
            all[#all + 1] = ev
            slices[ev.name] = slices[ev.name] or {}
            table.insert(slices[ev.name], ev)
        end
    end
    -- Slices of a thread are in one another or apart, to the nanosecond.
    local function ns(us) return math.floor(us * 1000 + 0.5) end
    table.sort(all, function(a, b)
        if a.tid ~= b.tid then return a.tid < b.tid end
        if ns(a.ts) ~= ns(b.ts) then return ns(a.ts) < ns(b.ts) end
        return ns(a.dur) > ns(b.dur)
    end)
    for _, ev in ipairs(all) do
        local from, to = ns(ev.ts), ns(ev.ts) + ns(ev.dur)
        while open[1] and (open[#open].tid ~= ev.tid or open[#open].to <= from) do
            open[#open] = nil
        end
        assert.is_true(not open[1] or to <= open[#open].to, ev.name)
        open[#open + 1] = { tid = ev.tid, to = to }
    end
    return slices, threads, all
end

local function inside(outer, ev)
    return ev.tid == outer.tid and ev.ts >= outer.ts and ev.ts + ev.dur <= outer.ts + outer.dur + 1e-6
end

describe("a trace", function()
    setup(function() scratch = shell.scratch() end)
    teardown(function() shell.discard(scratch) end)

    it("has kernels, algorithms, products, plans and regions, with what they are and where", function()
        assert.same({ "true\t4950.0\ttrue\n", 0 }, { run([[
local a = lun.range(0, 99):cast "f64":eval()
local begun = lun.trace "t.json"
local s
lun.region("outer", function()
    lun.region("inner \"1\"", function() s = (a * 1 + 0):sqrt():square():sum() end)
    a:sort():eval()
    local m = a:reshape(10, 10)
    m:matmul(m):eval()
end)
print(begun, s, lun.trace())
]]) })
        local slices = read()
        local kernel, outer, inner = slices.reduce[1], slices.outer[1], slices['inner "1"'][1]
        assert.equal("kernel", kernel.cat)
        assert.matches("mul add sqrt mul", kernel.args.operations)
        assert.matches("script.lua:5$", kernel.args.where)
        assert.equal("openmp", kernel.args.device)
        assert.is_true(kernel.args.tier == "interpreted" or kernel.args.tier == "compiled")
        assert.same({ 100, 800 }, { kernel.args.elements, kernel.args.bytes })
        assert.same({ "algorithm", 100 }, { slices.sort[1].cat, slices.sort[1].args.elements })
        assert.matches("script.lua:6$", slices.sort[1].args.where)
        assert.same({ "product", 100, 2400 }, { slices.matmul[1].cat, slices.matmul[1].args.elements,
            slices.matmul[1].args.bytes })
        assert.equal("plan", slices.plan[1].cat)
        assert.same({ "script", "script" }, { outer.cat, inner.cat })
        assert.is_true(inside(outer, inner) and inside(inner, kernel) and inside(outer, slices.sort[1]))
        assert.is_false(inside(inner, slices.sort[1]))
    end)

    it("has runs whose times add up to that of lun.stats", function()
        local text, status = run([[
local a = lun.random(100000, { seed = 1 }):eval()
lun.trace "t.json"
lun.stats "reset"
for i = 1, 60 do local _ = (a:sub(1, 50 * i) * i):sum() end
for i = 1, 3 do (a * i):sort():eval() end
local m = a:sub(1, 10000):reshape(100, 100)
m:matmul(m):sum()
print(lun.stats().run_time, lun.stats().algorithms)
lun.trace()
]])
        assert.equal(0, status, text)
        local _, _, all = read()
        local seconds, sorts = 0, 0
        for _, ev in ipairs(all) do
            if ev.cat == "kernel" or ev.cat == "product" or ev.cat == "algorithm" then
                seconds = seconds + ev.dur / 1e6
                sorts = sorts + (ev.name == "sort" and 1 or 0)
            end
        end
        local counted, algorithms = text:match "(%S+)\t(%d+)"
        assert.is_true(math.abs(seconds / tonumber(counted) - 1) < 0.02, seconds .. " " .. counted)
        assert.equal(3, sorts)
        assert.equal(3, tonumber(algorithms))
    end)

    it("is read by Python as by lun.json", function()
        if select(2, shell.capture "command -v python3") ~= 0 then
            pending "no python3"
            return
        end
        assert.equal(0, select(2, run([[
lun.trace("t.json", function() lun.region("ä\n\"\\\1\200", lun.zeros(10).sum, lun.zeros(10)) end)
]])))
        local slices, _, all = read()
        local script = shell.write(scratch .. "/read.py", [[
import json, sys
events = json.load(open(sys.argv[1]))["traceEvents"]
names = [e["name"].encode().hex() for e in events if e.get("cat") == "script"]
print(sum(e["ph"] == "X" for e in events), sum(e.get("dur", 0) for e in events), names)
]])
        local count, sum, name = shell.capture(("python3 %s %s/t.json"):format(script, scratch)):match "^(%d+) (%S+) %['(%x+)'%]\n$"
        assert.equal(#all, tonumber(count))
        local ours = 0
        for _, ev in ipairs(all) do ours = ours + ev.dur end
        assert.is_true(math.abs(ours - tonumber(sum)) < 1e-3)
        local given = name:gsub("%x%x", function(hex) return string.char(tonumber(hex, 16)) end)
        assert.equal("ä\n\"\\\1\u{fffd}", given)
        assert.is_truthy(slices[given])
    end)

    it("has compilations beside threads, files, tasks of queues and moves between locations", function()
        local text, status = run([[
lun.trace "t.json"
local a = lun.random(1000, { seed = 1 })
assert((a * 2 + 1):sum() > 0)
lun.save("a.csv", lun.table { x = a })
assert(lun.load "a.csv")
lun.save("a.npy", a)
local b = assert(lun.open "a.npy")
assert(math.abs(b:sum() - a:sum()) < 1e-9)
local q = lun.queue("openmp", { async = true })
q:enqueue(a * 3)
q:wait()
lun.use "openmp/2"
local c = lun.random(1000, { seed = 2 }):eval()
c:distribute "block"
assert(c:sum() > 0)
lun.trace()
]], "LUNARRAY_JIT=sync")
        assert.equal(0, status, text)
        local slices, threads, all = read()
        assert.equal("compile", slices.compile[1].cat)
        assert.matches("^compiler", threads[slices.compile[1].tid])
        assert.same({ "file", "a.csv" }, { slices.load[1].cat, slices.load[1].args.path })
        assert.same({ "a.csv", "a.npy" }, { slices.save[1].args.path, slices.save[2].args.path })
        assert.equal("task", slices.evaluate[1].cat)
        assert.equal("queue on openmp", threads[slices.evaluate[1].tid])
        local kernels = 0
        for _, ev in ipairs(all) do
            kernels = kernels + (ev.cat == "kernel" and inside(slices.evaluate[1], ev) and 1 or 0)
        end
        assert.equal(1, kernels)
        assert.equal("move", slices.move[1].cat)
        assert.matches("^from ", slices.move[1].args.label)
    end)

    -- The bytes of copies by their way, and whether all say whose they are.
    local function copied(slices, place)
        local bytes = {}
        for _, ev in ipairs(slices.copy or {}) do
            assert.equal("move", ev.cat)
            assert.equal(place, ev.args.device)
            bytes[ev.args.label] = (bytes[ev.args.label] or 0) + (ev.args.bytes or 0)
        end
        return bytes
    end

    it("has copies to and from OpenCL's devices, and what they compile", function()
        local text, status = run([[
if not pcall(lun.use, "opencl") then print "skipped" return end
lun.trace "t.json"
local b = lun.zeros(1000):copy()
b[1] = 5
local s = (b * 2 + 1):eval()
print(s[1], s[1000], s:sum())
lun.trace()
]])
        assert.equal(0, status, text)
        if text:find "skipped" then
            print "trace: OpenCL: skipped: no device"
            return
        end
        assert.matches("11.0\t1.0\t1010.0\n$", text)
        local slices = read()
        local device = slices.copy[1].args.device -- as the driver calls it
        assert.same({ ["to device"] = 8000, ["to host"] = 16 }, copied(slices, device))
        assert.same({ "compile", device }, { slices.compile[1].cat, slices.compile[1].args.device })
        local on_device = 0
        for _, ev in ipairs(slices.map or {}) do
            on_device = on_device + (ev.args.device:find "opencl" and 1 or 0)
        end
        assert.is_true(on_device > 0)
    end)

    local root = shell.capture "id -u" == "0\n" and " --allow-run-as-root" or ""
    for name, start in pairs { ["--ranks"] = "", ["mpirun.mpich"] = "mpirun.mpich -n 2",
        ["mpirun.openmpi"] = "mpirun.openmpi -n 2 --oversubscribe" .. root } do
        it("has copies to and from ranks that serve: " .. name, function()
            if start ~= "" and (onranks.sanitized or shell.capture("command -v " .. name) == "") then
                print("trace: " .. name .. ": skipped: " .. (onranks.sanitized and "its library is not watched" or "it is not there"))
                return
            end
            local text, status = run([[
lun.trace "t.json"
local a = lun.range(1, 1000):cast "f64":eval()
local b = (a * 2 + 1):eval()
print(b:sum(), b[1000])
lun.trace()
]], "LUNARRAY_BACKEND=mpi " .. start, (start == "" and "--ranks 2 " or "") .. "--backend mpi")
            assert.equal(0, status, text)
            assert.matches("1002000.0\t2001.0\n", text)
            local slices = read()
            assert.same({ ["to device"] = 4000, ["to host"] = 8 }, copied(slices, "mpi:2")) -- half of it to rank 2, an element back
            assert.equal("mpi:1 and 1 more", slices.map[1].args.device)
        end)
    end

    it("is written by --trace and LUNARRAY_TRACE, whether a script ends, fails or leaves by os.exit", function()
        for code, status in pairs { ["lun.region('r', math.abs, 1)"] = 0, ["lun.region('r', error, 'no')"] = 1,
            ["lun.region('r', os.exit, 3)"] = 3, ["lun.region('r', os.exit, 3, true)"] = 3 } do
            for _, way in ipairs { { "", "--trace t.json" }, { "LUNARRAY_TRACE=t.json", "" } } do
                assert.equal(status, select(2, run(code, way[1], way[2])), code)
                assert.equal("script", read().r[1].cat)
                os.remove(scratch .. "/t.json")
            end
        end
        run("lun.region('r', math.abs, 1)", "", "--trace t.json --sandbox")
        assert.equal("script", read().r[1].cat)
        os.remove(scratch .. "/t.json")
        run("lun.region('r', math.abs, 1)", "LUNARRAY_TRACE=t.json", "--sandbox")
        assert.is_nil(io.open(scratch .. "/t.json"))
    end)

    it("of several ranks is a file of each", function()
        assert.equal(0, select(2, run("lun.region('r' .. lun.spmd.mype, lun.spmd.barrier)", "", "--ranks 2 --trace t.json")))
        for rank = 0, 1 do
            local slices = read(rank == 0 and "t.json" or "t.rank1.json")
            local region, wait = slices["r" .. rank][1], slices.wait[1]
            assert.same({ rank, "message", "a barrier" }, { region.pid, wait.cat, wait.args.label })
            assert.is_true(inside(region, wait))
        end
    end)

    it("leaves nothing where it cannot be written, and says so", function()
        assert.same({ nil, "the trace cannot be written: /no/folder/t.json: No such file or directory", 2 },
            { lun.trace "/no/folder/t.json" })
        local text, status = run("print(1)", "", "--trace /no/folder/t.json")
        assert.equal(1, status)
        assert.matches("lunarray: the trace cannot be written: /no/folder/t.json: No such file or directory\n", text)
        text, status = run("print(1)", "LUNARRAY_TRACE=/no/folder/t.json")
        assert.equal(1, status)
        assert.matches("cannot open the engine %(the trace cannot be written", text)
    end)

    it("around a function gives its results and its failures", function()
        local path = scratch .. "/f.json"
        assert.same({ 1, nil, 3, n = 3 }, table.pack(lun.trace(path, function(...) return ... end, 1, nil, 3)))
        assert.is_truthy(io.open(path))
        os.remove(path)
        assert.has_error(function() lun.trace(path, error, "mine") end, "mine")
        assert.is_truthy(io.open(path))
        assert.has_error(function() lun.trace() end, "no trace is on")
        lun.trace(path)
        assert.has_error(function() lun.trace(path) end, "a trace is on already, into " .. path)
        assert.is_true(lun.trace())
    end)

    it("and a region refuse what they are not given", function()
        local function fails(message, f, ...)
            local ok, got = pcall(f, ...)
            assert.is_false(ok)
            assert.is_truthy(tostring(got):find(message, 1, true), tostring(got))
        end
        fails("bad argument #1 to 'trace' (path expected, got number)", lun.trace, 7)
        fails("bad argument #1 to 'trace' (path expected; the trace of a matrix is A:trace())", lun.trace, lun.zeros(2, 2))
        fails("bad argument #2 to 'trace' (function expected, got string)", lun.trace, "t.json", "f")
        fails("the path of a trace must not be empty", lun.trace, "")
        fails("bad argument #1 to 'region' (name expected, got nil)", lun.region)
        fails("bad argument #2 to 'region' (function expected, got nil)", lun.region, "r")
        assert.same({ 1, 2, n = 2 }, table.pack(lun.region("r", function(...) return ... end, 1, 2)))
        fails("inside", lun.region, "r", error, "inside")
    end)
end)

describe("a tool of a library", function()
    setup(function() scratch = shell.scratch() end)
    teardown(function() shell.discard(scratch) end)

    it("prints the time of regions as a tree", function()
        if select(2, shell.capture "command -v cc") ~= 0 then
            pending "no C compiler"
            return
        end
        local said, status = shell.capture(("cc -std=c11 -Wall -Wextra -pedantic -Werror -shared -fPIC -Iprims -o %s/regions.so "
            .. "examples/embed/regions.c 2>&1"):format(scratch))
        assert.equal(0, status, said)
        local code = [[
local a = lun.range(1, 10):eval()
for i = 1, 3 do
    lun.region("step", function()
        lun.region("sum", a.sum, a)
        lun.region("sort", function() return a:sort():eval() end)
    end)
end
lun.region("end", math.abs, 1)
]]
        local text = run(code, "LUNARRAY_TOOL=" .. scratch .. "/regions.so"):gsub("[%d.]+ s", "T s")
        assert.matches("^all: %d+ runs\n  step: 3 x, T s, 6 runs\n    sum: 3 x, T s, 3 runs\n    sort: 3 x, T s, 3 runs\n"
            .. "  end: 1 x, T s, 0 runs\n$", text)
        assert.equal("", (run(code, "LUNARRAY_TOOL=" .. scratch .. "/regions.so", "--sandbox"))) -- never there
    end)

    it("that is none is refused", function()
        local text, status = run("print(1)", "LUNARRAY_TOOL=/no/such.so")
        assert.equal(1, status)
        assert.matches("cannot open the engine %(LUNARRAY_TOOL: /no/such.so: .*No such file", text)
        text = run("print(1)", "LUNARRAY_TOOL=such.so")
        assert.matches("LUNARRAY_TOOL: such.so: a path with a / is expected", text)
        shell.write(scratch .. "/text.so", "text")
        text = run("print(1)", "LUNARRAY_TOOL=" .. scratch .. "/text.so")
        assert.matches("LUNARRAY_TOOL: .*/text.so: ", text)
    end)
end)
