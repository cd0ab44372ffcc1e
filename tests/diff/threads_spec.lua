-- The same bits for 1, 2, 3 and 7 threads, on every backend, compiled and interpreted: digest.lua runs
-- once for each in a process of its own, and all must print the same lines. So must a device, in both forms of
-- its kernels and on any number of its cores.
local harness = require "diff.harness"
local shell = require "shell"

-- Lines of digest.lua by name, at least so many; more: of the environment.
local function run(backend, threads, jit, least, more)
    local command = ("%s LUNARRAY_BACKEND=%s LUNARRAY_THREADS=%d LUNARRAY_JIT=%s %s tests/diff/digest.lua 2>&1"):format(
        more or "", backend, threads, jit, shell.interpreter())
    local pipe = assert(io.popen(command))
    local lines, count = {}, 0
    for line in pipe:lines() do
        local name, rest = line:match "^([^\t]+)\t(.+)$"
        assert(name, line)
        lines[name], count = rest, count + 1
    end
    local good, _, status = pipe:close()
    assert(good and status == 0, "digest.lua failed: " .. command)
    assert.is_true(count > (least or 300))
    return lines
end

describe("the same bits", function()
    local expected
    local ways = {}
    for _, backend in ipairs(harness.backends) do
        for _, threads in ipairs { 1, 2, 3, 7 } do
            ways[#ways + 1] = { backend, threads, "sync" }
        end
    end
    ways[#ways + 1] = { harness.backends[1], 2, "auto" }
    ways[#ways + 1] = { harness.backends[1], 2, "off" }

    for _, way in ipairs(ways) do
        it(("on %s with %d threads, LUNARRAY_JIT=%s"):format(table.unpack(way)), function()
            local lines = run(table.unpack(way))
            expected = expected or lines
            for name, rest in pairs(lines) do
                harness.elements = harness.elements + 1
                if expected[name] ~= rest then
                    harness.fail("%s is %s with %s, %d threads, %s, but %s with %s, 1 thread, sync", name, rest, way[1],
                        way[2], way[3], expected[name], ways[1][1])
                end
            end
            harness.combinations = harness.combinations + 1
            harness.finish()
        end)
    end
end)

describe("the same bits as on the host", function()
    local ways = harness.device and { { "f32", "vector" }, { "i64", "scalar" } } or {}
    for _, way in ipairs(ways) do
        local dtype, form = table.unpack(way)
        it(("for %s on a device, kernels in the form '%s'"):format(dtype, form), function()
            local more = ("DIGEST_DTYPES=%s LUNARRAY_OPENCL_FORM=%s"):format(dtype, form)
            local expected = run("reference", 2, "off", 50, "DIGEST_DTYPES=" .. dtype)
            local here = run(harness.device, 1, "sync", 50, more)
            local alone = run(harness.device, 1, "sync", 50, more .. " POCL_MAX_PTHREAD_COUNT=1")
            local compared = 0
            for name, rest in pairs(here) do
                if expected[name] then
                    compared = compared + 1
                    if expected[name] ~= rest then
                        harness.fail("%s is %s on the device, but %s on the host", name, rest, expected[name])
                    end
                end
                if alone[name] ~= rest then
                    harness.fail("%s is %s on the device, but %s on one of its cores", name, rest, alone[name])
                end
            end
            assert.is_true(compared > 50)
            harness.elements = harness.elements + compared
            harness.combinations = harness.combinations + 2
            harness.finish()
        end)
    end
end)

teardown(harness.report)
