-- Rows of names: what their examples say, where they are found, what they cost, and mistakes in their arguments.
local lun = require "lunarray"
local core = require "lunarray.core"
local complete = require "lunarray.prompt.complete"
local shell = require "shell"

-- f(row, rows) for each row.
local function each_row(f)
    for _, names in ipairs(require "lunarray.names.list") do
        local rows = require("lunarray.names." .. names.file)
        for _, row in ipairs(rows.list) do
            f(row, rows, names)
        end
    end
end

local function written(x)
    if lun.isarray(x) then
        return written(select("#", x:shape()) == 0 and x:value() or x:totable())
    elseif type(x) == "table" then
        local parts = {}
        for i, part in ipairs(x) do
            parts[i] = written(part)
        end
        return "{" .. table.concat(parts, ", ") .. "}"
    elseif type(x) == "string" then
        return "'" .. x .. "'"
    elseif math.type(x) == "float" and x == x then
        local text = ("%.14g"):format(x)
        return text:find "[.ei]" and text or text .. ".0"
    end
    return tostring(x)
end

describe("a row of names", function()
    it("has an example that gives what it says", function()
        local count = 0
        each_row(function(row)
            local values = table.pack(assert(load("return " .. row.example, "=example", "t",
                setmetatable({ lun = lun }, { __index = _G })))())
            for i = 1, values.n do
                values[i] = written(values[i])
            end
            assert.equal(row.gives, table.concat(values, ", "), row.example)
            count = count + 1
        end)
        assert.is_true(count > 80, count .. " rows")
    end)

    it("is a function, of an array a method, and nothing else is", function()
        each_row(function(row, _, names)
            local is_method = row.call:find("^%a:" .. row.name .. "%(") ~= nil
            assert.is_true(is_method or row.call:find("^lun%." .. row.name .. "%(") ~= nil, row.call)
            assert.is_truthy((" " .. names[is_method and "methods" or "functions"] .. " "):find(" " .. row.name .. " ", 1, true),
                row.name)
            assert.equal("function", type(lun[row.name]), row.name)
            assert.equal(is_method, core.internal.methods[row.name] ~= nil, row.name)
        end)
        for _, names in ipairs(require "lunarray.names.list") do
            for name in (names.functions .. " " .. names.methods):gmatch "%S+" do
                assert.is_truthy(require("lunarray.names." .. names.file)[name], name)
            end
        end
    end)

    it("is described by help and completed", function()
        each_row(function(row)
            local text = lun.help(row.name)
            assert.is_truthy(text:find((row.call:gsub("\n", " ")), 1, true), row.name)
            assert.is_truthy(text:find(row.example, 1, true), row.name)
            assert.equal(text, lun.help(lun[row.name]), row.name)
        end)
        local insert, shown = complete.answer("lun.index(3):cums", function() return {} end, {}, 80)
        assert.equal("um", insert or shown)
    end)

    it("is loaded when one of its file is first called", function()
        local script = [[
            local function loaded()
                local n = 0
                for name in pairs(package.loaded) do
                    n = n + (name:find "^lunarray%.names%." and name ~= "lunarray.names.list" and 1 or 0)
                end
                return n
            end
            local before = loaded()
            lun.index(3):roll(1):totable()
            print(before, loaded(), package.loaded["lunarray.names.shapes"] ~= nil)]]
        assert.equal("0\t2\ttrue\n", (shell.capture(shell.interpreter() .. " -e " .. ("'%s'"):format(script))))
    end)

    it("names the call, the argument and the user's line in its errors", function()
        each_row(function(row)
            local f = lun[row.name]
            local ok, problem = pcall(function() f(print, print, print) end)
            assert.is_false(ok, row.name)
            assert.is_truthy(problem:find("^tests/spec/names/rows_spec%.lua:%d+: bad argument #%d to '" .. row.name .. "' %(.+%)$")
                or problem:find("^tests/spec/names/rows_spec%.lua:%d+: wrong number of arguments to '" .. row.name .. "' "), problem)
        end)
    end)

    it("counts arguments as the call is written", function()
        local a = lun.vector { 1, 2, 3 }
        local function fails(text, f)
            local _, problem = pcall(f)
            assert.equal(text, (tostring(problem):gsub("^[^:]*:%d+: ", "")))
        end
        fails("bad argument #1 to 'roll' (whole number expected, got 1.5)", function() return a:roll(1.5) end)
        fails("bad argument #2 to 'roll' (whole number expected, got 1.5)", function() return lun.roll(a, 1.5) end)
        fails("bad argument #2 to 'roll' (axis 2 is out of range: the array has 1)", function() return a:roll(1, { axis = 2 }) end)
        fails("bad argument #2 to 'roll' (unknown option 'axes': the options are axis)", function() return a:roll(1, { axes = 2 }) end)
        fails("bad argument #1 to 'roll' (array expected, got number)", function() return lun.roll(3, 1) end)
        fails("wrong number of arguments to 'roll' (at most 3 expected, got 4)", function() return a:roll(1, nil, 2) end)
        fails("bad argument #2 to 'roll' (axis 2 is out of range: the array has 1)", function() return a:roll(1, 2) end)
        fails("bad argument #2 to 'roll' (table of options expected, got string)", function() return a:roll(1, "x") end)
        fails("bad argument #1 to 'zscore' (table of options expected, got number: write {axis=1})", function() return a:zscore(1) end)
    end)
end)
