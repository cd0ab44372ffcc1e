-- The arguments of lun.plot: series and their x, from arrays, lists of them, tables of columns and options. Knows
-- nothing of how they are drawn.

local axis = require "lunarray.chart.axis"
local chart = require "lunarray.chart.chart"
local core = require "lunarray.core"
local dtypes = require "lunarray.base.dtypes"
local frame = require "lunarray.show.frame"
local given_as = require "lunarray.table.keys"
local groups = require "lunarray.chart.groups"
local picture = require "lunarray.chart.picture"
local records = require "lunarray.base.records"

local series = {}

local OPTIONS = "by names points step x xdate xlim xlog y ylim ylog"

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

-- The series of a table by name: { array, name } each: opts.y, a name or a list of names; else all but those that
-- opts.x and opts.by name, of a table of columns those of numbers.
local function series_by_name(t, argument, opts, opts_at)
    local list, wanted = {}, opts.y
    if wanted ~= nil then
        for i, name in ipairs(type(wanted) == "table" and wanted or { wanted }) do
            list[i] = { check_array(column(t, name, "y", opts_at), argument), name }
        end
        return list
    end
    local names = columns_of(t)
    for _, name in ipairs(names or frame.ordered(t)) do
        if type(name) == "string" and not rawequal(name, opts.x) and not rawequal(name, opts.by) then
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
    local by_name = series_by_name(a, argument, opts, opts_at)
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

-- Whether a table is one of series, not of options: where `by` is an array, all names and values tell.
local function holds_series(t)
    if columns_of(t) then
        return true
    elseif rawget(t, "by") ~= nil then
        local known, others = picture.known(OPTIONS), false
        for name, value in next, t do
            if not core.isarray(value) then
                return false
            end
            others = others or not known[name]
        end
        return others
    end
    local _, value = next(t)
    return core.isarray(value)
end

-- ---------------------------------------------------------------- dates

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
local function x_of(x, argument, opts)
    local kind
    if x == nil then
        return nil, "whole"
    elseif core.isarray(x) and x:dtype() == "text" then
        return days_of(x:totable { missing = "<NA>" }, argument), "dates"
    elseif type(x) == "table" and not records.struct_of(x) then
        return days_of(x, argument), "dates"
    elseif not core.isarray(x) then
        picture.misuse(argument, "plot", "array, or a list of dates, expected, got %s", records.kind_of(x))
    end
    x, kind = axis.numbers(check_array(x, argument))
    return x, opts.xdate and "dates" or kind
end

-- Makes numbers of all series; what they are where that is the same of all.
local function kind_of_series(list)
    local kind
    for i, one in ipairs(list) do
        local own
        one[1], own = axis.numbers(one[1])
        kind = i == 1 and own or kind == own and kind or nil
    end
    return kind
end

-- ---------------------------------------------------------------- options

local function check_options(opts, argument)
    opts = chart.options(opts, OPTIONS, argument, "plot")
    axis.check_limits(opts, "xlim", opts.xlog, argument, "plot")
    axis.check_limits(opts, "ylim", opts.ylog, argument, "plot")
    if opts.step and opts.points then
        picture.misuse(argument, "plot", "options 'step' and 'points' exclude each other")
    end
    return opts
end

-- An axis of dates is not logarithmic.
local function check_kinds(kinds, opts, argument)
    for _, name in ipairs { "x", "y" } do
        if opts[name .. "log"] and kinds[name] == "dates" then
            picture.misuse(argument, "plot", "option '%slog': an axis of dates is not logarithmic", name)
        elseif opts[name .. "log"] then
            kinds[name] = "log"
        end
    end
end

-- The column or array that option 'by' names.
local function by_of(y, opts, opts_at)
    if type(opts.by) == "string" then
        if type(y) ~= "table" then
            picture.misuse(opts_at, "plot", "option 'by' names a column of a table, and this is %s",
                core.internal.kind_of(y))
        end
        return column(y, opts.by, "by", opts_at)
    end
    return opts.by
end

-- The arguments of lun.plot: a list of series, each { array, name, x = }, x an array or nil; the options, and the kinds
-- of their numbers, { x =, y = }; and at which argument the options are.
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
    local over = x
    local kind
    x, kind = x_of(x, opts.x ~= nil and opts_at or 1, opts)
    for _, one in ipairs(list) do
        if x and x:size() ~= one[1]:size() then
            picture.misuse(opts.x ~= nil and 1 or 2, "plot", "lengths differ: %s and %s", given_as.described(over),
                given_as.described(one[1]))
        end
        one.x = x
    end
    local kinds = { x = kind, y = kind_of_series(list) }
    check_kinds(kinds, opts, opts_at)
    if opts.by ~= nil then
        list = groups.series(list, by_of(y, opts, opts_at), opts_at, opts)
    end
    return list, opts, kinds, opts_at
end

return series
