-- The plans of sixty expressions on sets of 1, 3 and 7 locations are those of tests/golden/plans.txt, on every machine. What a
-- plan computes is tested elsewhere; this says that none has changed unnoticed. TEXTS=write, in front of the command that runs
-- this spec, writes the file anew: look at the difference.
local lun = require "lunarray"
local planned = require "planned"
local shell = require "shell"

local golden = "tests/golden/plans.txt"

-- Other machines than this one: as tests/machines.sh has them, and further apart.
local MACHINES = {
    { threads = 1, l2 = 65536, vectors = "base", jit = "off" },
    { threads = 64, l2 = 8388608, vectors = "avx512", jit = "auto" },
}

-- The lines that two texts do not have in common at their first difference, below the name of the expression.
local function difference(want, got)
    local wanted, name, at = want:gmatch "[^\n]*", "", 0
    for line in got:gmatch "[^\n]*" do
        at = at + 1
        local other = wanted()
        name = line:find "^%S" and line or name
        if line ~= other then
            return ("%s, line %d:\n%s\nnot\n%s\nTEXTS=write writes the file anew"):format(name, at, line, other)
        end
    end
    return "a text that is shorter than the golden one"
end

describe("the plans of sixty expressions #place", function()
    local before = { lun.use() }
    teardown(function() lun.use(before) end)

    it("are the golden ones", function()
        assert.equal(60, #planned.list)
        local text = planned.all()
        if os.getenv "TEXTS" == "write" then
            shell.write(golden, text)
        end
        local want = shell.slurp(golden)
        assert.truthy(text == want, difference(want, text))
    end)

    it("are the same on machines with other caches, threads and vectors, and without a compiler", function()
        local want = shell.slurp(golden)
        for _, m in ipairs(MACHINES) do
            local text, status = shell.capture(([[
                HWLOC_SYNTHETIC='pack:1 l3:1(size=%d) l2:%d(size=%d) l1d:1(size=32768) core:1 pu:1' LUNARRAY_THREADS=%d \
                LUNARRAY_ISA=%s LUNARRAY_JIT=%s %s -e 'package.path = "tests/?.lua;tests/spec/?.lua;" .. package.path
                    io.write(require "planned".all())' 2>&1]]):format(m.l2 * 8, m.threads, m.l2, m.threads, m.vectors, m.jit,
                shell.interpreter()))
            assert.equal(0, status, text)
            assert.truthy(text == want, difference(want, text))
        end
    end)
end)
