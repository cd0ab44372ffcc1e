-- The arguments of lun.plot: series and their x, from arrays, lists of them, tables of columns and options. Knows
-- nothing of how they are drawn.

local chart = require "lunarray.chart.chart"
local core = require "lunarray.core"
local dtypes = require "lunarray.base.dtypes"
local frame = require "lunarray.show.frame"
local given_as = require "lunarray.table.keys"
local picture = require "lunarray.chart.picture"
local records = require "lunarray.base.records"

local series = {}

local KNOWN = { width = true, height = true, string = true, colour = true, title = true, points = true,
    names = true, ylim = true, xlim = true, file = true, x = true, y = true }

local function check_array(a, argument)
    if not core.isarray(a) then
        picture.misuse(argument, "plot", "array, or a table of arrays, expected, got %s", records.kind_of(a))
    elseif a:dtype() == "text" then
        picture.misuse(argument, "plot", "numbers expected, got text")
    end
    local shape = { a:shape() }
    if #shape > 1 then
        picture.misuse(argument, "plot", "a Vector expected, got an array of rank %d; use a:flatten()",
            #shape)
    elseif a:size() == 0 then
        picture.misuse(argument, "plot", "the array has no elements")
    end
    return a
end

-- The order of a table of columns; nil for what is none.
local function columns_of(t)
    local meta = type(t) == "table" and getmetatable(t)
    return type(meta) == "table" and (frame.of(t) or rawget(meta, "names")) and frame.ordered(t) or nil
end

-- ---------------------------------------------------------------- series

-- The column called `name`, for an option.
local function column(t, name, option, argument)
    local a = type(name) == "string" and frame.column(t, name) or nil
    if a == nil then
        picture.misuse(argument, "plot", "option '%s': there is no column '%s'", option, tostring(name))
    end
    return a
end

-- The series of a table by name: { array, name } each. wanted: a name or a list of names; else all but `left_out`, of a
-- table of columns those of numbers.
local function series_by_name(t, argument, wanted, left_out, opts_at)
    local list = {}
    if wanted ~= nil then
        for i, name in ipairs(type(wanted) == "table" and wanted or { wanted }) do
            list[i] = { check_array(column(t, name, "y", opts_at), argument), name }
        end
        return list
    end
    local names = columns_of(t)
    for _, name in ipairs(names or frame.ordered(t)) do
        if type(name) == "string" and name ~= left_out then
            records.each_column(name, frame.column(t, name), function(label, a)
                local kind = dtypes.by_name[a:dtype()].kind
                if not names or kind ~= "text" and kind ~= "time" then
                    list[#list + 1] = { check_array(a, argument), label }
                end
            end)
        end
    end
    return list
end

-- The series at `argument`: a list of { array, name }. An array, a list of them or a table by name.
local function series_of(a, argument, opts, opts_at)
    local list, names = {}, opts.names
    if type(a) ~= "table" or records.struct_of(a) then
        list[1] = { check_array(a, argument), names and names[1] or "1" }
        return list
    end
    for i, one in ipairs(frame.of(a) and {} or a) do
        list[i] = { check_array(one, argument), tostring(names and names[i] or i) }
    end
    local by_name = series_by_name(a, argument, opts.y, type(opts.x) == "string" and opts.x, opts_at)
    table.move(by_name, 1, #by_name, #list + 1, list)
    if #list == 0 then
        picture.misuse(argument, "plot", "array, or a table of arrays, expected, got %s",
            not frame.of(a) and next(a) == nil and "an empty table" or "a table without columns of numbers")
    end
    for i, one in ipairs(list) do
        one[2] = tostring(names and names[i] or one[2])
    end
    return list
end

-- Whether a table is one of series, not of options.
local function holds_series(t)
    if columns_of(t) then
        return true
    end
    local _, value = next(t)
    return core.isarray(value)
end

-- "whole" where all series are integers.
local function kind_of_series(list)
    for _, one in ipairs(list) do
        if dtypes.is_float(one[1]:dtype()) then
            return nil
        end
    end
    return "whole"
end

-- ---------------------------------------------------------------- what they stand over

local DAY <const> = 86400000000 -- microseconds

-- A list of dates, with or without times, as days.
local function days_of(list, argument)
    local days = {}
    for i, text in ipairs(list) do
        local us = type(text) == "string" and core.internal.time_read("timestamp", text)
        days[i] = us and us // DAY + us % DAY / DAY
        if not us then
            picture.misuse(argument, "plot", "'%s' at %d is no date such as 2012-01-31", tostring(text), i)
        end
    end
    if #days == 0 then
        picture.misuse(argument, "plot", "array, or a list of dates, expected, got an empty table")
    end
    return core.vector(days, "f64")
end

-- The x at an argument as an array, and what its numbers are ("whole", "dates" or nil). Nil: indices.
local function x_of(x, argument)
    local dtype = core.isarray(x) and x:dtype()
    if x == nil then
        return nil, "whole"
    elseif dtype == "text" then
        return days_of(x:totable { missing = "<NA>" }, argument), "dates"
    elseif dtype == "date" or dtype == "timestamp" then
        return check_array(x:cast "timestamp":cast "i64" / 86400e6, argument), "dates"
    elseif type(x) == "table" and not records.struct_of(x) then
        return days_of(x, argument), "dates"
    elseif not core.isarray(x) then
        picture.misuse(argument, "plot", "array, or a list of dates, expected, got %s", records.kind_of(x))
    end
    return check_array(x, argument), not dtypes.is_float(x:dtype()) and "whole" or nil
end

-- ---------------------------------------------------------------- options

local function check_limits(range, name, argument)
    if range ~= nil and not (type(range) == "table" and #range == 2 and math.type(range[1]) and math.type(range[2])
        and range[1] < range[2]) then
        picture.misuse(argument, "plot", "option '%s': {low, high} expected", name)
    end
end

local function check_options(opts, argument)
    opts = picture.options(opts, KNOWN, argument, "plot")
    check_limits(opts.xlim, "xlim", argument)
    check_limits(opts.ylim, "ylim", argument)
    local fault = opts.file ~= nil and chart.fault(opts)
    if fault then
        picture.misuse(argument, "plot", "%s", fault)
    end
    return opts
end

-- The arguments of lun.plot: x or nil, the list of series, each { array, name }, the options, and the kinds of their
-- numbers, { x =, y = }.
function series.of(...)
    local x, y, opts = ...
    local opts_at = 3
    if not core.isarray(y) and not (type(y) == "table" and holds_series(y)) then
        x, y, opts = nil, ...
        opts_at = 2
    end
    opts = check_options(opts, opts_at)
    if type(y) ~= "table" and (opts.x or opts.y) ~= nil then
        picture.misuse(opts_at, "plot", "options 'x' and 'y' name columns of a table, and this is %s",
            core.internal.kind_of(y))
    end
    local list = series_of(y, opts_at - 1, opts, opts_at)
    if opts.x ~= nil then
        x = column(y, opts.x, "x", opts_at)
    end
    local over, kind = x
    x, kind = x_of(x, opts.x ~= nil and opts_at or 1)
    for _, one in ipairs(list) do
        if x and x:size() ~= one[1]:size() then
            picture.misuse(opts.x ~= nil and 1 or 2, "plot", "lengths differ: %s and %s", given_as.described(over),
                given_as.described(one[1]))
        end
    end
    return x, list, opts, { x = kind, y = kind_of_series(list) }
end

return series
