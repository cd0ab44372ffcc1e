-- DuckDB: the cases of duckdb_cases.lua with the newest library and the oldest that is supported; random tables there and back
-- by Python's packages (duckdb_tools.py).
local library = require "doors.duckdb_library"
local shell = require "shell"

local build = os.getenv "BUILD" or "build"
local program = shell.interpreter()
local scratch = shell.scratch()
local sanitized = build:find "asan" or build:find "tsan"
local list = sanitized and {} or library.list(scratch)

describe("DuckDB", function()
    teardown(function() shell.discard(scratch) end)

    if #list == 0 then
        print("doors/duckdb: skipped: " .. (sanitized and "no sanitizer" or "no duckdb (sh tests/setup.sh doors)"))
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

    local python = build .. "/doors/venv/bin/python"
    local _, status = shell.capture(python .. " -c 'import duckdb, pandas, polars, pyarrow' 2>&1")
    if status ~= 0 then
        print "doors/duckdb: skipped: no Python packages (sh tests/setup.sh doors)"
        return
    end
    for _, scene in ipairs { "reading", "queries", "writing", "databases", "host", "killed" } do
        it("agrees with pyarrow and DuckDB: " .. scene, function()
            local said, code = shell.capture(("LUNARRAY_DUCKDB='%s' %s tests/spec/doors/duckdb_tools.py %s/liblunarray.so.0 %s %s %s 2>&1")
                :format(list[1].variable, python, build, scene, program, scratch))
            assert.equal(0, code, said)
            assert.is_true(tonumber(said:match "^(%d+) compared\n$") > 0, said)
        end)
    end
end)
