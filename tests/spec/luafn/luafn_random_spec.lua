-- Random Lua functions with all control flow, against the Lua VM: a few hundred on every run; make fuzz does
-- more. tests/core/lua/luafn_test.c compares the IR itself.
local lun = require "lunarray"

local build = os.getenv "BUILD" or "build"
local whole = os.getenv "TEST_WHOLE"
local seed <const> = 20240611

local function output(command)
    local pipe = assert(io.popen(command .. " 2>&1"))
    local text = pipe:read "a"
    return pipe:close(), text
end

describe("random Lua functions", function()
    it("give what the VM gives on the reference backend", function()
        local compare = dofile "tests/fuzz/luafn_compare.lua"
        local backends, counts = lun.backends(), { same = 0, skipped = 0, different = 0 }
        for number = 1, whole and 150 or 50 do
            local verdict, message = compare(seed, number, "f64", { "reference" }, number % 3 == 0)
            counts[verdict] = counts[verdict] + 1
            assert.is_nil(message)
        end
        assert.is_true(counts.same > (whole and 120 or 40))
        lun.use(backends[1])
    end)

    it("give the same bits once they are compiled", function()
        local ok, text = output(("LUNARRAY_JIT=sync %s tests/fuzz/luafn_run.lua %d %d both reference openmp"):format(
            build .. "/lunarray", seed, whole and 16 or 6))
        assert.is_true(ok, text)
        assert.matches("%d+ passed, 0 failed", text)
    end)

    it("read arrays of several dimensions as the VM reads tables", function()
        local ok, text = output(("LUNARRAY_JIT=sync %s tests/fuzz/luafn_run.lua %d %d both+ranks reference openmp"):format(
            build .. "/lunarray", seed + 1, whole and 8 or 3))
        assert.is_true(ok, text)
        assert.matches("%d+ passed, 0 failed", text)
    end)
end)
