-- Helpers of pictures in the terminal: their size, colours, output, and checks of arguments.

local core = require "lunarray.core"
local dtypes = require "lunarray.base.dtypes"
local misuse = require "lunarray.base.misuse"
local number = require "lunarray.base.number"

local picture = { misuse = misuse }

-- Columns and rows to draw in: those of opts, else the terminal's, $COLUMNS, or 80 by 24.
function picture.room(opts)
    local columns, rows = core.internal.terminal()
    if not columns then
        columns = math.tointeger(tonumber(os.getenv "COLUMNS" or "")) or 80
    end
    return math.max(20, opts.width or columns), rows or 24
end

-- The colours of stdout: "true", "256", "16" or nil. opts.colour asks for one, or false for none.
function picture.colours(opts)
    if opts.colour ~= nil then
        return opts.colour == true and "256" or opts.colour or nil
    end
    local _, _, is_terminal = core.internal.terminal()
    local term, no = os.getenv "TERM" or "", os.getenv "NO_COLOR"
    if opts.string or not is_terminal or no and no ~= "" or term == "" or term == "dumb" then
        return nil
    end
    local colorterm = os.getenv "COLORTERM" or ""
    if colorterm == "truecolor" or colorterm == "24bit" then
        return "true"
    end
    return term:find "256color" and "256" or "16"
end

-- Prints the lines, or gives them as a string where opts.string is set.
function picture.give(lines, opts)
    local text = table.concat(lines, "\n")
    if opts.string then
        return text
    end
    io.stdout:write(text, "\n")
end

local CHECKS = {
    width = "a number of columns, at least 20,", height = "a number of rows, at least 2,",
    string = "true or false", colour = 'true, false, "16", "256" or "true"',
}

-- The options at `argument` of `call`: a table of which all names are known; {} for nil.
function picture.options(opts, known, argument, call)
    if opts == nil then
        return {}
    elseif type(opts) ~= "table" then
        misuse(argument, call, "table of options expected, got %s", core.internal.kind_of(opts))
    end
    for name, value in pairs(opts) do
        if not known[name] then
            misuse(argument, call, "unknown option '%s'", tostring(name))
        end
        local sound = true
        if name == "width" or name == "height" then
            sound = math.type(value) == "integer" and value >= (name == "width" and 20 or 2) and value <= 10000
        elseif name == "string" then
            sound = type(value) == "boolean"
        elseif name == "colour" then
            sound = type(value) == "boolean" or value == "16" or value == "256" or value == "true"
        end
        if not sound then
            misuse(argument, call, "option '%s': %s expected", name, CHECKS[name])
        end
    end
    return opts
end

-- The smallest and largest finite element, nil where there is none. Computed by the engine.
function picture.limits(a)
    local x = dtypes.floats(a)
    local finite = core.isfinite(x)
    local low, high = core.eval(core.where(finite, x, math.huge):lazy "min",
        core.where(finite, x, -math.huge):lazy "max")
    if low <= high then
        return low, high
    end
end

-- A number as a label: at most `digits` of it.
function picture.label(x, digits)
    local text = number.format("%." .. (digits or 4) .. "g", x)
    return (text:gsub("e%+?(-?)0*(%d)", "e%1%2"))
end

return picture
