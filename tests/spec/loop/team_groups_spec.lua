-- Teams as work-groups, the form for graphics processors, on whatever OpenCL device there is: LUNARRAY_OPENCL_GROUPS=1. The
-- oracle is plain Lua with threads as coroutines. Kernels are few and small: PoCL 3.1 compiles barriers slowly.
local lun = require "lunarray"
local shell = require "shell"

local PROGRAM = [[
package.path = "tests/?.lua;" .. package.path
local plain = require "diff.plain_teams"
local function same(name, how, n, f, ...)
    local v, list = lun.zeros(n, "i64"), {}
    for i = 1, n do list[i] = 0 end
    lun.teams(how)(f, v, ...)
    plain.run(how, false, f, list, ...)
    for i = 1, n do
        if v[i] ~= list[i] then print(name, i, v[i], list[i]) return end
    end
    print(name, "same")
end
for _, threads in ipairs { 2, 7, 64, 65 } do
    same("turned " .. threads, { league = 3, team = threads }, 3 * threads, function(t, v)
        local s, own = t:scratch("i64", t:threads()), t:private("i64", 3)
        s[t:thread()] = t:index()
        own[2] = t:thread()
        t:barrier()
        for k = 1, 3 do
            v[t:index()] = v[t:index()] * 5 + s[t:threads() + 1 - t:thread()] + own[2] + own[3]
            t:barrier()
            s[t:thread()] = s[t:thread()] + k * own[2]
            t:barrier()
        end
    end)
end
same("methods", { league = 2, team = 5 }, 10, function(t, v)
    local before, all = t:scan("+", t:index())
    local u = t:broadcast(before, 4)
    v[t:index()] = before * 1000 + all * 10 + u + t:reduce("max", t:index() % 4)
end)
local counts = lun.zeros(4, "i64")
lun.teams { league = 9, team = 8 }(function(t)
    local s = t:scratch("i64", 4)
    lun.atomic.add(s, t:thread() % 4 + 1, t:block())
    t:barrier()
    if t:thread() <= 4 then lun.atomic.add(counts, t:thread(), s[t:thread()]) end
end)
print(counts)
local kernels = lun.stats().kernels
for _, n in ipairs { 4, 9, 100, 7 } do
    same("sized " .. n, { league = 3, team = 4 }, 12, function(t, v, k)
        local s, bytes, more = t:scratch("i64", k), t:scratch("u8", k, 3), t:scratch("i32", 2 * k + 1)
        for i = t:thread(), k, t:threads() do
            s[i] = s[i] + i * t:block()
            bytes[i][2] = bytes[i][1] + i
            more[2 * i + 1] = more[2 * i] + s[i]
        end
        t:barrier()
        for i = 1, k do v[t:index()] = v[t:index()] * 3 % 1000003 + s[i] + bytes[k + 1 - i][2] + more[2 * i + 1] end
    end, n)
end
print("new kernels", lun.stats().kernels - kernels)
local large = lun.zeros(8, "i64")
lun.teams { league = 2, team = 4 }(function(t) -- beyond any local memory
    local s = t:scratch("i64", 4000000)
    s[t:thread() * 1000000] = t:thread()
    t:barrier()
    large[t:index()] = s[(5 - t:thread()) * 1000000]
end)
print(large)
]]

local FAILS = [[
local z = lun.zeros(64, "i64")
print(pcall(lun.teams { league = 4, team = 16 }, function(t)
    local s = t:scratch("i64", 16)
    s[t:thread()] = t:thread()
    t:barrier()
    if t:index() == 37 then z[t:index() + 1000] = 1 end
    for _ = 1, 3 do
        z[t:index()] = z[t:index()] + s[17 - t:thread()]
        t:barrier()
    end
end))
local function divided(t, d)
    local s = t:scratch("i64", 16)
    s[t:thread()] = 60 // (t:thread() - d)
    t:barrier()
    z[t:index()] = s[17 - t:thread()]
end
print(pcall(lun.teams { league = 4, team = 16 }, divided, 3))
lun.teams { league = 4, team = 16 }(divided, 17) -- the device goes on
print(z[16], z[49])
]]
local ENDLESS = [[
local z = lun.zeros(64, "i64")
lun.teams { league = 2, team = 4 }(function(t)
    local k = 1
    while k > 0 do
        z[t:index()] = z[t:index()] + k
        t:barrier()
        k = k % 1000 + 1
    end
end)
]]

local SWAPS = [[
local y = lun.zeros(8, "i64")
for round = 1, 3 do
    lun.teams { league = 2, team = 4 }(function(t)
        local s = t:scratch("i64", 4)
        s[t:thread()] = t:index() * round
        t:barrier()
        y[t:index()] = s[5 - t:thread()]
    end)
    print(y, lun.stats().compiles)
end
local reals, counts = lun.zeros(1), lun.zeros(1, "i32")
print(pcall(lun.teams { league = 2 }, function() lun.atomic.add(y, 1, 1) end))
print(pcall(lun.teams { league = 2 }, function() lun.atomic.exchange(reals, 1, 1) end))
lun.teams { league = 2 }(function() lun.atomic.add(counts, 1, 1) end)
print(counts)
]]

-- What a program prints with teams as groups, or not.
local function run(text, groups, options, settings)
    local path = shell.write(os.tmpname(), text)
    local out = shell.capture(("%s LUNARRAY_OPENCL_GROUPS=%d timeout 120 %s --backend opencl %s %s 2>&1"):format(settings or "",
        groups, shell.interpreter(), options or "", path))
    os.remove(path)
    return (out:gsub("/tmp/[%w_]*", "FILE"))
end

local has = false
for _, name in ipairs(lun.backends()) do has = has or name == "opencl" end

describe("teams as work-groups", function()
    if not has then return end

    it("do what they do in plain Lua", function()
        local out = run(PROGRAM, 1)
        for _, name in ipairs { "turned 2", "turned 7", "turned 64", "turned 65", "methods", "sized 4", "sized 9", "sized 100",
            "sized 7" } do
            assert.truthy(out:find(name .. "\tsame\n", 1, true), out)
        end
        assert.truthy(out:find("new kernels\t1\n", 1, true), out)
        assert.truthy(out:find("[90 90 90 90]", 1, true), out)
        assert.truthy(out:find("[4 3 2 1 4 3 2 1]", 1, true), out)
    end)

    -- On a device that is what LUN_TEST_CL says (tests/shim/cl_faults.c): what is printed, and the texts of its programs.
    local function pretending(what, groups)
        local path = os.tmpname()
        local out = run(SWAPS, groups, "", ("LUN_TEST_CL=%s LUN_TEST_CL_TEXTS=%s LD_LIBRARY_PATH=%s/tests/shim LUNARRAY_CACHE_DIR="):format(
            what, path, os.getenv "BUILD" or "build"))
        local file = assert(io.open(path))
        local texts = file:read "a"
        file:close()
        os.remove(path)
        return out, texts
    end

    local function swaps(out, compiles)
        for round = 1, 3 do
            local numbers = {}
            for i = 1, 8 do numbers[i] = ((i - 1) // 4 * 8 + 5 - i) * round end
            local row = "%[" .. (" *%d"):rep(8):format(table.unpack(numbers)) .. "%]\t" .. compiles .. "\n"
            assert.truthy(out:find(row), row .. out)
        end
    end

    it("are what the driver gets; else it gets one work-item for each", function()
        local out, texts = pretending("", 1)
        swaps(out, 1)
        assert.truthy(texts:find("reqd_work_group_size(4, 1, 1)", 1, true), texts)
        assert.truthy(texts:find("__local", 1, true) and texts:find("barrier(", 1, true), texts)
        out, texts = pretending("", 0)
        swaps(out, 1)
        assert.falsy(texts:find("__local", 1, true) or texts:find("barrier(", 1, true), texts)
    end)

    it("are refused once where a kernel has no groups so large, and then are work-items", function()
        local out, texts = pretending("tight", 1)
        swaps(out, 2)
        assert.equal(1, select(2, texts:gsub("reqd_work_group_size%(4, 1, 1%)", "")))
    end)

    it("say which extension a device lacks, and what else can be done", function()
        local out = pretending("no64", 1)
        swaps(out, 1)
        for _, what in ipairs { "lun.atomic.add on elements of i64", "lun.atomic.exchange on elements of f64" } do
            assert.truthy(out:find(what .. " needs the extension cl_khr_int64_base_atomics, which the device lacks: " ..
                "use elements of 32 bits, or another backend", 1, true), out)
        end
        assert.truthy(out:find("Vector<i32>[1] opencl\n[2]", 1, true), out)
    end)

    it("end together where one thread fails, and when they are stopped", function()
        local out = run(FAILS, 1, "--sandbox")
        assert.truthy(out:find("6: index 1037 is out of range for array 'z' of length 64", 1, true), out)
        assert.truthy(out:find("14: attempt to perform 'n//0'", 1, true), out)
        assert.truthy(out:find("-4\t-60", 1, true), out)
        out = run(ENDLESS, 1, "--sandbox --time-limit 5") -- the compiler's time counts, too
        assert.truthy(out:find("time limit", 1, true), out)
    end)
end)
