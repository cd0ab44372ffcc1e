-- lun.arrow: tables as streams of Arrow's C interface, out and in.

local core = require "lunarray.core"
local frame = require "lunarray.show.frame"
local fault = require "lunarray.base.fault"
local lists = require "lunarray.table.lists"

local M = {}

-- Options as the text that the C interface takes.
local function options_text(opts, call)
    if opts == nil then
        return nil
    elseif type(opts) ~= "table" or frame.of(opts) then
        fault("bad argument #2 to '%s' (table of options expected, got %s)", call, core.internal.kind_of(opts))
    end
    local list = {}
    for name, x in pairs(opts) do
        if type(name) ~= "string" or not name:find "^[%a_][%w_]*$" then
            fault("bad argument #2 to '%s' (unknown option %s)", call, tostring(name))
        end
        local value = type(x) == "string" and '"' .. x:gsub('[%c"\\]', "?") .. '"' or tostring(x)
        list[#list + 1] = name .. " = " .. value
    end
    table.sort(list)
    return "{" .. table.concat(list, ", ") .. "}"
end

-- The stream of a table, or of an array, which is a column named "value".
function M.export(t, opts)
    local names, arrays = { "value" }, { t }
    if frame.of(t) then
        names, arrays = lists.of(t)
    elseif not core.isarray(t) then
        fault("bad argument #1 to 'export' (table of columns or array expected, got %s)", core.internal.kind_of(t))
    end
    return core.internal.arrow_export(names, arrays, options_text(opts, "export"))
end

-- The table of a stream, which is empty afterwards; or nil, message, code where the stream itself fails.
function M.import(s, opts)
    local names, arrays, code = core.internal.arrow_import(s, options_text(opts, "import"))
    if not names then
        return nil, arrays, code
    end
    return lists.table(names, arrays)
end

return M
