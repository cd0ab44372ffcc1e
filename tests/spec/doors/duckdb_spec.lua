-- DuckDB: the cases of duckdb_cases.lua with the newest library, the oldest that is supported and the last of versions 1; random
-- tables there and back by Python's packages (duckdb_tools.py).
local library = require "doors.duckdb_library"
local scenes = require "doors.python_scenes"
local shell = require "shell"

local build = os.getenv "BUILD" or "build"
local program = shell.interpreter()
local scratch = shell.scratch()
local sanitized = build:find "asan" or build:find "tsan"
local list = build:find "tsan" and {} or library.list(scratch)

describe("DuckDB", function()
    teardown(function() shell.discard(scratch) end)

    if #list == 0 then
        print("skipped: " .. (build:find "tsan" and "a sanitizer" or "no duckdb (sh tests/setup.sh doors)"))
        return
    end

    local excel
    for _, one in ipairs(list) do
        excel = excel or one.excel and one
        it("passes the cases: " .. one.name, function()
            local command = "LUNARRAY_DUCKDB='%s' %s tests/busted.lua tests/spec/doors/duckdb_cases.lua 2>&1 </dev/null"
            local said, status = shell.capture(command:format(one.variable, program))
            assert.equal(0, status, said)
            assert.is_true(tonumber(said:match "(%d+) success") > 0, said)
        end)
    end

    if not excel then
        print "doors/duckdb: skipped: sheets: no duckdb-extension-excel (sh tests/setup.sh doors)"
    end
    it("writes and reads sheets once the extension is installed", function()
        if not excel then return end
        local script = shell.write(scratch .. "/sheets.lua", [[
            local file, extension = arg[1] .. "/t.xlsx", arg[2]
            local t = lun.table({ n = { 1.0, 2.0, 3.0 }, x = { 0.5, lun.na, 2.0 }, s = lun.vector { "a", "ü", lun.na },
                d = lun.vector { "2024-01-31", "1999-12-31", lun.na }:cast "date" }, { "n", "x", "s", "d" })
            local function refused(what, said, ...)
                assert(said == nil and select(2, ...) == "library" and (...):find('lun.sql "install excel"', 1, true), what)
            end
            local function write(text) local f = io.open(file, "w") f:write(text) f:close() end
            refused("save", lun.save(file, t))
            write "no sheet"
            refused("load", lun.load(file))
            assert(lun.sql(("install '%s'"):format(extension)))
            assert(select(3, lun.load(file)) ~= "library")
            assert(lun.save(file, t, { sheet = "May" })) -- over it
            assert(lun.load(file) == t and lun.load(file, { sheet = "May" }) == t)
            assert(lun.load(file, { range = "A1:B3" }) == t:head(2):select { "n", "x" })
            assert(lun.load(file, { columns = { "s", "n" }, where = "n > 1", nrows = 1 }).s[1] == "ü")
            local none, message, code = lun.load(file, { sheet = "June" })
            assert(none == nil and message:find "June" and code, message)
            assert(lun.save(file, t:head(0), { columns = { "n" } }))
            print "whole"]])
        local lossy = 'ASAN_OPTIONS="$ASAN_OPTIONS:detect_leaks=0" ' -- the extension loses a file that is no sheet
        local said = shell.capture((lossy .. "LUNARRAY_DUCKDB='%s' HOME='%s' %s %s '%s' '%s' 2>&1"):format(excel.variable, scratch,
            program, script, scratch, excel.excel))
        assert.equal("whole\n", said)
    end)

    if not sanitized and scenes.there "duckdb pandas polars pyarrow" then
        scenes.tests(it, "agrees with pyarrow and DuckDB: ", "duckdb_tools.py", { "reading", "queries", "writing", "databases", "host",
            "killed" }, function() return program .. " " .. scratch end, ("LUNARRAY_DUCKDB='%s'"):format(list[1].variable))
    end
end)
