-- Helpers of pictures in the terminal: their size, colours, output, and checks of arguments.

local colours = require "lunarray.chart.colours"
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

-- Options that all pictures have.
picture.OPTIONS = "colour file graphics height string title width xlabel ylabel"

local CHECKS = {
    width = "a number of columns, at least 20,", height = "a number of rows, at least 2,",
    colour = 'true, false, "16", "256" or "true"', graphics = '"auto", "braille", "kitty" or "sixel"',
    most = "a number of rows, at least 1,", colours = colours.NAMES,
}
local FLAGS = { string = true, xlog = true, ylog = true, step = true, points = true, xdate = true, sort = true,
    bar = true }
local WORDS = {
    colour = { [true] = true, [false] = true, ["16"] = true, ["256"] = true, ["true"] = true },
    graphics = { auto = true, braille = true, kitty = true, sixel = true },
}

-- Whether the value of an option is one that it may have.
local function is_sound(name, value)
    if name == "width" or name == "height" then
        return math.type(value) == "integer" and value >= (name == "width" and 20 or 2) and value <= 10000
    elseif name == "most" then
        return math.type(value) == "integer" and value >= 1
    elseif FLAGS[name] then
        return type(value) == "boolean"
    elseif name == "colours" then
        return colours.known(value)
    end
    return not WORDS[name] or WORDS[name][value] ~= nil
end

-- The names of the options of all pictures and those in `more`: a set, and sorted as text.
function picture.known(more)
    local set, list = {}, {}
    for name in (picture.OPTIONS .. " " .. more):gmatch "%S+" do
        set[name], list[#list + 1] = true, name
    end
    table.sort(list)
    return set, table.concat(list, ", ")
end

-- The options at `argument` of `call`: a table of which all names are those of all pictures or in `more`; {} for nil.
function picture.options(opts, more, argument, call)
    if opts == nil then
        return {}
    elseif type(opts) ~= "table" then
        misuse(argument, call, "table of options expected, got %s", core.internal.kind_of(opts))
    end
    local known, list = picture.known(more)
    for name, value in pairs(opts) do
        if not known[name] then
            misuse(argument, call, "unknown option '%s': the options are %s", tostring(name), list)
        elseif not is_sound(name, value) then
            misuse(argument, call, "option '%s': %s expected", name, CHECKS[name] or "true or false")
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

-- What stands in a picture as a title or a label, on one line.
function picture.text(x)
    return x ~= nil and (tostring(x):gsub("%c", " ")) or nil
end

local LONGEST = 32 -- characters shown of a text

-- A text on one line, cut where it is long.
function picture.shortened(text)
    text = text:gsub("%c", " ")
    local length = utf8.len(text)
    if not length or length <= LONGEST then
        return length and text or text:sub(1, LONGEST)
    end
    return text:sub(1, utf8.offset(text, LONGEST - 2) - 1) .. "..."
end

-- How many characters a text has.
function picture.breadth(text)
    return utf8.len(text) or #text
end

return picture
