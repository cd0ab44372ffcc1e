-- The text of a plan hangs on the form of its graph, dtypes, shapes and distributions alone. Golden texts, without IR, which
-- plans.txt has, are tests/golden/plantexts.txt; TEXTS=write, in front of the command that runs this spec, writes them anew.
local lun = require "lunarray"
local anyplan = require "anyplan"
local planned = require "planned"
local shell = require "shell"

local golden = "tests/golden/plantexts.txt"
local COUNT = 500

-- One thread and 64, caches of 256 KB and 32 MB, no compiler, little memory.
local MACHINES = {
    { threads = 1, l2 = 262144, vectors = "base", jit = "off", options = "" },
    { threads = 64, l2 = 33554432, vectors = "avx512", jit = "auto", options = "--memory-limit 200" },
}

-- The line where two texts differ first, and the expression that it belongs to.
local function difference(want, got)
    local other, name = want:gmatch "[^\n]*", ""
    for line in got:gmatch "[^\n]*" do
        name = line:match "^expression.*" or name
        local wanted = other()
        if line ~= wanted then return ("%s:\n%s\nnot\n%s"):format(name, line, wanted) end
    end
    return "a shorter text"
end

-- The texts of planned.list, their numbered lines.
local function texts(set)
    local out = {}
    lun.use(set)
    for _, entry in ipairs(planned.list) do
        out[#out + 1] = entry[1]
        for line in lun.explain(entry[2]()).text:gmatch "[^\n]+" do
            if line:find "^%d" then out[#out + 1] = "  " .. line end
        end
    end
    return table.concat(out, "\n") .. "\n"
end

describe("the text of a plan #place", function()
    local before = { lun.use() }
    teardown(function() lun.use(before) end)

    it("names steps, values and what moves between them", function()
        local one, three = texts "openmp/1", texts "openmp/3"
        local text = "on one location\n" .. one .. "on several\n" .. three
        if os.getenv "TEXTS" == "write" then
            shell.write(golden, text)
        end
        local want = shell.slurp(golden)
        assert.truthy(text == want, difference(want, text))
        local seven = texts "openmp/7"
        assert.truthy(three == seven, difference(three, seven))
    end)

    it("has no number of locations but in its first line", function()
        local function text(set)
            lun.use(set)
            local first, rest = lun.explain(anyplan.make(1)).text:match "^(.-)\n(.*)"
            return first, rest
        end
        local a, three = text "openmp/3"
        local b, seven = text "openmp/7"
        assert.same({ "set of 3", "set of 7" }, { a, b })
        assert.equal(three, seven)
    end)

    it("of 500 random expressions is the same on other machines, and does not hang on what was used before", function()
        local scratch = shell.scratch()
        finally(function() shell.discard(scratch) end)
        local source = shell.slurp("tests/spec/anyplan.lua"):gsub("return anyplan%s*$", "")
        shell.write(scratch .. "/any.lua", source .. ("print(anyplan.texts(%d))\n"):format(COUNT))
        for _, set in ipairs { "openmp/1", "openmp/3" } do
            lun.use(set)
            local want = anyplan.texts(COUNT)
            assert.truthy(want == anyplan.texts(COUNT))
            for _, m in ipairs(MACHINES) do
                local text, status = shell.capture(([[
                    HWLOC_SYNTHETIC='pack:1 l3:1(size=%d) l2:%d(size=%d) l1d:1(size=32768) core:1 pu:1' LUNARRAY_THREADS=%d \
                    LUNARRAY_ISA=%s LUNARRAY_JIT=%s LUNARRAY_BACKEND=%s %s %s %s/any.lua 2>&1]]):format(m.l2 * 2, m.threads,
                    m.l2, m.threads, m.vectors, m.jit, set, shell.interpreter(), m.options, scratch))
                assert.equal(0, status, text:sub(-500))
                assert.truthy(text == want .. "\n", difference(want, text))
            end
        end
    end)
end)
