-- What the other specs of doors leave out for its length: tables of a million rows and of 10,000 columns, every cut of a file, many kills.
local damage = require "doors.arrow_damage"
local library = require "doors.duckdb_library"
local scenes = require "doors.python_scenes"
local shell = require "shell"

describe("Doors", function()
    local scratch = shell.scratch()
    teardown(function() shell.discard(scratch) end)

    it("refuse or load Arrow's files that are cut at each byte, or of which each is changed", function()
        assert.is_true(damage.try(scratch, 1) > 40000)
    end)

    local function following() return shell.interpreter() .. " " .. scratch end

    if scenes.there "duckdb nanoarrow pandas polars pyarrow" then
        scenes.tests(it, "agree with other libraries: ", "arrow_tools.py", { "million_rows", "many_columns" })
        scenes.tests(it, "agree with other programs: ", "arrowfile_tools.py", { "million_rows", "many_columns" }, following)
        local list = library.list(scratch)
        if #list > 0 then
            scenes.tests(it, "agree with pyarrow and DuckDB: ", "duckdb_tools.py", { "million_rows", "many_columns", "killed_often" },
                following, ("LUNARRAY_DUCKDB='%s'"):format(list[1].variable))
        end
    end
end)
