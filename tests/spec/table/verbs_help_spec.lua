-- What help says of methods of tables and groups is what they do.

local lun = require "lunarray"
local expect = require "expect"
local verbs = require "lunarray.prompt.help_tables"

describe("help", function()
    local t = lun.table { { city = "Oslo", day = 1, temp = 7 }, { city = "Rome", day = 1, temp = 21 },
        { city = "Oslo", day = 2, temp = 9 } }
    local g = t:group "city"

    for mark, rows in pairs { t = verbs.verbs, g = verbs.of_groups } do
        for name, row in pairs(rows) do
            it(("has an example of %s:%s that is true"):format(mark, name), function()
                local print, shown = _G.print, nil
                local environment = setmetatable({ t = t, g = g }, { __index = _G })
                _G.print = function(x) shown = x end -- t:info() prints
                local value = assert(load("return " .. row[3], "=example", "t", environment))()
                _G.print = print
                assert.is_true(shown == nil or name == "info")
                -- string.format follows the locale
                assert.equal(row[4], (expect.text(value):gsub("^(%d+),(%d+)$", "%1.%2")))
                local text = lun.help(mark .. ":" .. name)
                assert.is_truthy(text:find(row[1], 1, true), text)
                assert.is_truthy(text:find("example: " .. row[3], 1, true), text)
            end)
        end
    end

    it("knows every method of tables and of groups of their rows", function()
        for name in pairs(package.loaded["lunarray.table.object"].verbs) do
            assert.is_truthy(verbs.verbs[name], name)
        end
        local text = lun.help "group" -- has those of plain groups
        for name in pairs(debug.getmetatable(g).__index) do
            assert.is_truthy(verbs.of_groups[name] or text:find("%f[%w]" .. name .. "%f[^%w]"), name)
        end
    end)
end)
