-- --memory-limit: whatever a script piles up ends with the error of the limit; what it lets go of is free again, and the
-- script goes on.

local lun = require "lunarray"
local shell = require "shell"

local LIMIT = 40 -- megabytes

-- What a script says, with a limit. It has full(n, f), which calls f(k, kept) up to n times and gives the error's text,
-- and half(n, f), which does so five times, each time letting go of what was kept.
local function run(options, script)
    local directory = shell.scratch()
    local path = shell.write(directory .. "/script.lua", [[
        local function full(n, f)
            local ok, err = pcall(function()
                local kept = {}
                for k = 1, n do f(k, kept) end
            end)
            return ok, tostring(err)
        end
        local function half(n, f)
            for _ = 1, 5 do
                local kept = {}
                for k = 1, n do f(k, kept) end
            end
        end
        local function tell(ok, text)
            print(ok, text:match "memory limit reached" or text:match "not enough memory" or text)
        end
    ]] .. script .. [[
        collectgarbage()
        print("goes on", lun.ones(1000000):eval():sum())
    ]])
    local text = shell.capture(("LUNARRAY_CACHE_DIR= timeout 120 %s --memory-limit %d %s %s 2>&1"):format(
        shell.interpreter(), LIMIT, options, path))
    shell.discard(directory)
    return text
end

local ends = "^false\t[mn][eo][mt][^\n]*\n" -- "memory limit reached", or Lua's "not enough memory"
local goes_on = "goes on\t1000000.0\n$"

-- So many of these pass the limit; what gives them back, where a collection does not.
local kinds = {
    { "messages of a rank to itself", 100, [[function() lun.spmd.send(0, ("x"):rep(1 << 20)) end]],
        [[for _ = 1, 100 do if not pcall(lun.spmd.recv, 0) then break end end]] },
    { "arrays sent to itself", 100, [[function() lun.spmd.send(0, lun.ones(1 << 17)) end]],
        [[for _ = 1, 100 do if not pcall(lun.spmd.recv, 0) then break end end]] },
    { "tasks", 100000, [[function(k, kept) kept[k] = lun.task(lun.workdiv(10), f, b) end]] },
    { "events", 1000000, [[function(k, kept) kept[k] = q:record() end]] },
    { "queues", 1000000, [[function(k, kept) kept[k] = lun.queue "openmp" end]] },
    { "buffers", 1000000, [[function(k, kept) kept[k] = lun.buffer("host", 1) end]] },
    { "large buffers", 100, [[function(k, kept) kept[k] = lun.buffer("host", 1 << 17) end]] },
    { "windows", 1000000, [[function(k, kept) kept[k] = a:sub(1, k % 9 + 1) end]] },
    { "pending operations", 1000000, [[function(k, kept) kept[k] = a + k end]] },
    { "arrays beside texts", 100, [[
        function(k, kept) kept[k] = k % 2 == 0 and ("x"):rep(1 << 20) .. k or lun.full(1 << 17, k):eval() end]] },
}

local prepare = [[
    local q, b, a = lun.queue "openmp", lun.buffer("openmp", 10), lun.ones(10):eval()
    local function f(t, to) to[1] = 1 end
]]

describe("a memory limit", function()
    for _, kind in ipairs(kinds) do
        local name, many, make, drop = table.unpack(kind)
        it("counts " .. name, function()
            local text = run("", prepare .. ("tell(full(%d, %s))\n%s\n"):format(many, make, drop or ""))
            assert.matches(ends, text)
            assert.matches(goes_on, text)
        end)

        if not drop then
            it("counts no more " .. name .. " that are let go of", function()
                local few = many == 100 and 10 or many // 50
                local text = run("", prepare .. ("half(%d, %s)\n"):format(few, make))
                assert.matches("^" .. goes_on, text)
            end)
        end
    end

    it("counts what queues with threads compute", function()
        local text = run("", [[
            local queues = {}
            for k = 1, 8 do queues[k] = lun.queue("openmp", { async = true }) end
            tell(full(80, function(k, kept)
                kept[k] = lun.ones(1 << 17) + k
                queues[k % 8 + 1]:enqueue(kept[k])
            end))
            for k = 1, 8 do pcall(queues[k].wait, queues[k]) end
        ]])
        assert.matches("^false\tmemory limit reached\n", text)
        assert.matches(goes_on, text)
    end)

    it("is named where a script ends at it", function()
        for _, value in ipairs { "k", 'lun.queue "openmp"' } do
            assert.matches("memory limit reached", run("", ("local t = {} for k = 1, 1e8 do t[k] = %s end\n"):format(value)))
        end
    end)
end)

local there = false
for _, backend in ipairs(lun.backends()) do there = there or backend == "opencl" end

if there then
    describe("a memory limit with arrays on a device", function()
        it("counts buffers", function()
            local text = run("--backend opencl", [[
                local before = lun.stats().allocated
                tell(full(100, function(k, kept) kept[k] = lun.buffer("opencl", 1 << 17) end))
                collectgarbage()
                print(lun.stats().allocated == before)
                half(20, function(k, kept) kept[k] = lun.buffer("opencl", 1 << 17) end)
            ]])
            assert.matches("^false\tmemory limit reached\ntrue\n", text)
            assert.matches(goes_on, text)
        end)

        it("counts arrays", function()
            local text = run("--backend opencl", [[
                local before = lun.stats().allocated
                tell(full(100, function(k, kept) kept[k] = (lun.index(1 << 17) + k):eval() end))
                collectgarbage()
                print(lun.stats().allocated == before)
                half(20, function(k, kept) kept[k] = (lun.index(1 << 17) + k):eval() end)
            ]])
            assert.matches("^false\tmemory limit reached\ntrue\n", text)
            assert.matches(goes_on, text)
        end)

        it("is beside them: lun.stats counts their bytes", function()
            local text = run("--backend opencl", [[
                local before = lun.stats().allocated
                local a = (lun.index(1 << 17) + 1):eval()
                local b = lun.buffer("opencl", 1 << 17)
                print(lun.stats().allocated - before >= 2 << 20, lun.stats().peak >= 2 << 20)
                a, b = nil
            ]])
            assert.matches("^true\ttrue\n", text)
            assert.matches(goes_on, text)
        end)
    end)
end
