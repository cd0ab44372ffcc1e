-- DuckDB: the cases of duckdb_cases.lua with the newest library and the oldest that is supported; random tables there and back
-- by Python's packages (duckdb_tools.py).
local library = require "doors.duckdb_library"
local scenes = require "doors.python_scenes"
local shell = require "shell"

local build = os.getenv "BUILD" or "build"
local program = shell.interpreter()
local scratch = shell.scratch()
local sanitized = build:find "asan" or build:find "tsan"
local list = sanitized and {} or library.list(scratch)

describe("DuckDB", function()
    teardown(function() shell.discard(scratch) end)

    if #list == 0 then
        print("skipped: " .. (sanitized and "a sanitizer" or "no duckdb (sh tests/setup.sh doors)"))
        return
    end

    for _, one in ipairs(list) do
        it("passes the cases: " .. one.name, function()
            local command = "LUNARRAY_DUCKDB='%s' %s tests/busted.lua tests/spec/doors/duckdb_cases.lua 2>&1 </dev/null"
            local said, status = shell.capture(command:format(one.variable, program))
            assert.equal(0, status, said)
            assert.is_true(tonumber(said:match "(%d+) success") > 0, said)
        end)
    end

    if scenes.there "duckdb pandas polars pyarrow" then
        scenes.tests(it, "agrees with pyarrow and DuckDB: ", "duckdb_tools.py", { "reading", "queries", "writing", "databases", "host",
            "killed" }, function() return program .. " " .. scratch end, ("LUNARRAY_DUCKDB='%s'"):format(list[1].variable))
    end
end)
