-- Random whole programs (programs.lua) on the backends of the host, between which they also change, and some on the
-- device. LUNARRAY_DIFF_PROGRAMS sets how many, LUNARRAY_DIFF_SEED where they begin. A failure shows the program.
local harness = require "diff.harness"
local lun = require "lunarray"
local shell = require "shell"
local run = require "diff.program_run"

local COUNT = tonumber(os.getenv "LUNARRAY_DIFF_PROGRAMS") or 120
local SEED = tonumber(os.getenv "LUNARRAY_DIFF_SEED") or 1
local DEVICE_EVERY = 40
local COMPILED_EVERY = 30 -- the specs wait for the compiler; the interpreter runs all programs

describe("random programs", function()
    local directory
    local before = lun.use()

    setup(function()
        directory = shell.scratch()
    end)

    teardown(function()
        lun.use(before)
        shell.discard(directory)
    end)

    it(("%d of them, from seed %d on"):format(COUNT, SEED), function()
        harness.programs(SEED, COUNT, COMPILED_EVERY, function(seed, compiled)
            if compiled then return { "openmp" } end
            return { seed % DEVICE_EVERY == 1 and harness.device or "reference" }
        end, function(seed, backend)
            return run.one(seed, backend, directory, seed % 3 == 0 and { "reference", "openmp" } or nil)
        end)
    end)
end)

teardown(harness.report)
