-- What pictures with a row for each of some labels have in common: their labels, their height in files, and the columns
-- of tables that options name.

local core = require "lunarray.core"
local dtypes = require "lunarray.base.dtypes"
local frame = require "lunarray.show.frame"
local picture = require "lunarray.chart.picture"

local rows = {}

local ROW, AROUND = 24, 90 -- pixels of a row in a file, and of what is around them

-- Labels that are equally wide; and `width`.
function rows.names(labels)
    local names = { width = 0 }
    for _, label in ipairs(labels) do
        names.width = math.max(names.width, picture.breadth(label))
    end
    for i, label in ipairs(labels) do
        names[i] = label .. (" "):rep(names.width - picture.breadth(label))
    end
    return names
end

-- The height in a file of a picture of so many rows.
function rows.height(count, opts)
    return math.max(160, count * ROW + AROUND + (opts.title and 20 or 0) + (opts.xlabel and 20 or 0))
end

-- The names of the columns of numbers of a table.
function rows.number_columns(t)
    local names = {}
    for _, name in ipairs(frame.ordered(t)) do
        local a = frame.column(t, name)
        local kind = core.isarray(a) and dtypes.by_name[a:dtype()].kind
        if kind and kind ~= "text" and kind ~= "time" then
            names[#names + 1] = name
        end
    end
    return names
end

-- Whether x is a table of columns.
function rows.is_columns(x)
    return frame.of(x) ~= nil
end

-- The column of a table, at the first argument, that an option names, at the second.
function rows.column(t, opts, option, call)
    local name = opts[option]
    local a = type(name) == "string" and frame.column(t, name) or nil
    if name == nil then
        picture.misuse(2, call, "option '%s': the name of a column expected", option)
    elseif a == nil then
        picture.misuse(2, call, "option '%s': there is no column '%s'", option, tostring(name))
    end
    return a
end

return rows
