-- The same bits for 1, 2, 3 and 7 threads, on every backend, compiled and interpreted: digest.lua runs
-- once for each in a process of its own, and all must print the same lines.
local harness = require "diff.harness"
local shell = require "shell"

-- Lines of digest.lua by name.
local function run(backend, threads, jit)
    local command = ("LUNARRAY_BACKEND=%s LUNARRAY_THREADS=%d LUNARRAY_JIT=%s %s tests/diff/digest.lua 2>&1"):format(
        backend, threads, jit, shell.interpreter())
    local pipe = assert(io.popen(command))
    local lines, count = {}, 0
    for line in pipe:lines() do
        local name, rest = line:match "^([^\t]+)\t(.+)$"
        assert(name, line)
        lines[name], count = rest, count + 1
    end
    local good, _, status = pipe:close()
    assert(good and status == 0, "digest.lua failed: " .. command)
    assert.is_true(count > 300)
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

teardown(harness.report)
