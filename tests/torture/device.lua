-- OpenCL devices: many processes compiling the same kernels with an empty cache, programs that end in every way with
-- work on a device, an expression of ten thousand operations. Skipped without a device.
local kit = dofile "tests/torture/kit.lua"
local lun = require "lunarray"

local found = false
for _, name in ipairs(lun.backends()) do
    found = found or name == "opencl"
end

-- An environment whose caches, the driver's too, are empty.
local function fresh(name)
    local dir = kit.directory() .. "/" .. name
    os.execute(("rm -rf %s && mkdir -p %s/pocl"):format(dir, dir))
    return ("LUNARRAY_CACHE_DIR=%s/own POCL_CACHE_DIR=%s/pocl"):format(dir, dir)
end

local kernels = [[
    local count = tonumber(os.getenv "KERNELS")
    local x = lun.range(1, 3000):cast "f64":eval()
    for k = 1, count do
        local y = x
        for bit = 0, 5 do
            if k >> bit & 1 == 1 then y = y + x * (bit + 1) else y = y - x end
        end
        local factor = 1
        for bit = 0, 5 do factor = factor + (k >> bit & 1 == 1 and bit + 1 or -1) end
        assert(y:sum() == factor * 4501500.0, "kernel " .. k)
    end
    io.write("compiled ", lun.stats().compiles, "\n")]]

if found then
    kit.part("16 processes on an empty cache, opencl", function()
        local processes, rounds = kit.factor >= 0.1 and 16 or 6, kit.count(5, 1)
        local count, failed, compiled = math.min(6, kit.count(6, 2)), 0, 0
        local script = kit.write(kit.directory() .. "/kernels.lua", kernels)
        for _ = 1, rounds do
            local environment = fresh "cold"
            local pipes = {}
            for i = 1, processes do
                pipes[i] = io.popen(("env %s LUNARRAY_BACKEND=opencl KERNELS=%d timeout -s KILL 500 %s/lunarray %s 2>&1"):format(
                    environment, count, kit.build, script))
            end
            for _, pipe in ipairs(pipes) do
                local text = pipe:read "a"
                local good = pipe:close()
                if not good then
                    failed = failed + 1
                    io.stderr:write(text, "\n")
                end
                compiled = compiled + (tonumber(text:match "compiled (%d+)") or 0)
            end
        end
        return failed == 0, "%d processes, %d kernels, %d rounds: %d processes failed, %d programs compiled in all", processes, count,
            rounds, failed, compiled
    end)

    kit.part("ways to end, opencl", function()
        local environment = fresh "ends" .. " LUNARRAY_BACKEND=opencl"
        return kit.ends(5, function() return environment end)
    end)
end

-- Operations in an order without a period, so that each group is a different kernel.
local large = [[
    local random = dofile "tests/torture/kit.lua".generator(3)
    local x, z = lun.vector({ 1, 2, 3 }, "f64"), lun.vector({ 0.5, 0.25, 0.125 }, "f64")
    local list, other, y = { 1, 2, 3 }, { 0.5, 0.25, 0.125 }, x
    local steps = {
        function(a) return a * 0.5 end, function(a, b) return a + b end, function(a, _, c) return a - c end,
        function(a) return type(a) == "number" and math.abs(a) or a:abs() end,
        function(a, _, c) return type(a) == "number" and math.max(a, c) or lun.max(a, c) end,
        function(a, _, c) return a * c end,
    }
    local want = { 1, 2, 3 }
    for i = 1, tonumber(os.getenv "OPERATIONS") do
        local step = steps[random(#steps)]
        y = step(y, x, z)
        for k = 1, 3 do want[k] = step(want[k], list[k], other[k]) end
    end
    for k = 1, 3 do assert(y[k] == want[k], y[k] .. " is not " .. want[k]) end
    print(lun.stats().compiles)]]

kit.part("an expression of 10,000 operations", function()
    local operations, bad, told = math.min(10000, kit.count(10000, 600)), 0, {}
    local ways = { { "openmp", "auto" }, { "openmp", "sync" }, { "reference", "off" }, found and { "opencl", "auto" } }
    for _, way in ipairs(ways) do
        for _, state in ipairs { "cold", "warm" } do
            if state == "cold" then
                fresh "large"
            end
            local dir = kit.directory() .. "/large"
            local out, err, status = kit.run(large, ("OPERATIONS=%d LUNARRAY_BACKEND=%s LUNARRAY_JIT=%s LUNARRAY_CACHE_DIR=%s/own " ..
                "POCL_CACHE_DIR=%s/pocl bash -c 'TIMEFORMAT=%%R; time \"$@\"' -"):format(operations, way[1], way[2], dir, dir), 600)
            bad = bad + (status == 0 and 0 or 1)
            if status ~= 0 then
                io.stderr:write(out, err, "\n")
            end
            told[#told + 1] = ("%s %s %s %s s"):format(way[1], way[2], state, err:match "([%d.]+)\n*$" or "?")
        end
    end
    return bad == 0, "%d operations: %s; %d wrong", operations, table.concat(told, ", "), bad
end)
