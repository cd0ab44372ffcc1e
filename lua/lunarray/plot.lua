-- lun.plot: lines and points in the terminal, eight dots a character (braille), with axes. The engine
-- reduces long arrays to what the columns can show; Lua sees some hundred numbers of each series.

local calendar = require "lunarray.calendar"
local canvas = require "lunarray.canvas"
local core = require "lunarray.core"
local dtypes = require "lunarray.dtypes"
local picture = require "lunarray.picture"
local ticks = require "lunarray.ticks"

local plot = {}

local KNOWN = { width = true, height = true, string = true, colour = true, title = true, points = true,
    names = true, ylim = true, xlim = true }
local SAMPLES = 20000 -- points read of a series that is drawn point by point
local LONG = 1 << 28 -- elements of a line; of a longer one every k-th is looked at

-- ---------------------------------------------------------------- data

local function finite(x)
    return x == x and x ~= math.huge and x ~= -math.huge
end

local function as_numbers(a)
    return dtypes.floats(a)
end

-- Every k-th element, so that no more than `most` are left; and k.
local function thinned(a, most)
    local n = a:size()
    local step = math.max(1, (n + most - 1) // most)
    return step == 1 and a or a:sub(1, n, step), step
end

-- The smallest and largest element in each of `columns` equal parts; nan where a part has none.
local function envelope(a, columns)
    local lows, highs = {}, {}
    local n = a:size()
    for i = 1, columns do
        local part = a:sub(n * (i - 1) // columns + 1, n * i // columns)
        local low, high = picture.limits(part)
        lows[i], highs[i] = low or 0 / 0, high or 0 / 0
    end
    return lows, highs
end

-- What is drawn of a series: points x, y one by one, or an envelope of columns.
local function sample(x, y, columns)
    local n = y:size()
    local series = { n = n }
    if x then
        local thin_x, step = thinned(x, SAMPLES)
        series.x = as_numbers(thin_x):totable()
        series.y = as_numbers(step == 1 and y or y:sub(1, n, step)):totable()
    elseif n <= 2 * columns then
        series.y = as_numbers(y):totable()
    else
        series.lows, series.highs = envelope(as_numbers((thinned(y, LONG))), 2 * columns)
    end
    return series
end

local function widen(range, values)
    for _, v in ipairs(values or {}) do
        if finite(v) then
            range[1], range[2] = math.min(range[1], v), math.max(range[2], v)
        end
    end
end

-- The limits of what all series show in one direction, widened where they are one value.
local function range_of(all, ...)
    local range = { math.huge, -math.huge }
    for _, series in ipairs(all) do
        for _, field in ipairs { ... } do
            widen(range, series[field])
        end
    end
    if range[1] > range[2] then
        return { 0, 1 }
    elseif range[1] == range[2] then
        local more = math.max(math.abs(range[1]) * 0.05, 0.5)
        return { range[1] - more, range[2] + more }
    end
    return range
end

-- ---------------------------------------------------------------- drawing

-- A function from a value in range to a dot from 0 to last.
local function scale(range, last)
    local span = range[2] - range[1]
    if not finite(span) then -- the difference of huge values
        return function(v)
            return math.floor((v / 2 - range[1] / 2) / (range[2] / 2 - range[1] / 2) * last + 0.5)
        end
    end
    return function(v)
        return math.floor((v - range[1]) / span * last + 0.5)
    end
end

local function ascends(values)
    for i = 2, #values do
        if values[i] < values[i - 1] or values[i] ~= values[i] then
            return false
        end
    end
    return true
end

local function draw_points(sheet, series, k, to_x, to_y, points)
    local x0, y0
    for i, y in ipairs(series.y) do
        local x = series.x and series.x[i] or i
        if finite(x) and finite(y) then
            local px, py = to_x(x), to_y(y)
            if points or not x0 then
                sheet:dot(px, py, k)
            else
                sheet:line(x0, y0, px, py, k)
            end
            x0, y0 = px, py
        else
            x0 = nil
        end
    end
end

-- A stroke for each column, long enough to touch its neighbour.
local function draw_envelope(sheet, series, k, to_y)
    local low0, high0
    for i, low in ipairs(series.lows) do
        local high = series.highs[i]
        if finite(low) then
            local from, to = to_y(low), to_y(high)
            local low1, high1 = from, to
            if low0 and from > high0 + 1 then
                from = high0 + 1
            elseif low0 and to < low0 - 1 then
                to = low0 - 1
            end
            sheet:column(i - 1, from, to, k)
            low0, high0 = low1, high1
        else
            low0 = nil
        end
    end
end

local function pad(text, width)
    return (" "):rep(width - utf8.len(text)) .. text
end

-- Marks in `count` cells of so many dots each: a table from cell, from 0, to label. wide: how many cells a label takes
-- along the axis, where that is not one.
local function marks_of(axis, count, dots, wide)
    local to_dot = scale(axis, count * dots - 1)
    local function cell_of(tick)
        return math.min(math.max(to_dot(tick.value) // dots, 0), count - 1)
    end
    local function fits(list)
        local free = -1
        for _, tick in ipairs(list) do
            local first, last = cell_of(tick), cell_of(tick)
            if wide then
                first, last = wide(tick.label, first)
            end
            if first < free then
                return false
            end
            free = last + (wide and 2 or 1)
        end
        return true
    end
    local marks = {}
    for _, tick in ipairs(ticks.of(axis[1], axis[2], axis.kind, count, fits)) do
        marks[cell_of(tick)] = tick.label
    end
    if not next(marks) then
        marks[0], marks[count - 1] = picture.label(axis[1]), picture.label(axis[2])
    end
    return marks
end

-- The line below the canvas and the labels under it.
local function x_axis(axis, columns)
    local function place(label, column)
        local first = math.max(0, math.min(column - #label // 2, columns - #label))
        return first, first + #label - 1
    end
    local marks = marks_of(axis, columns, 2, place)
    local line, labels, at = {}, {}, 0
    for column = 0, columns - 1 do
        line[#line + 1] = marks[column] and "┬" or "─"
        if marks[column] then
            local first, last = place(marks[column], column)
            labels[#labels + 1] = (" "):rep(first - at) .. marks[column]
            at = last + 1
        end
    end
    return table.concat(line), table.concat(labels)
end

-- The canvas with a title, labels of the y axis beside it and of the x axis below it.
local function frame(sheet, x, y, opts, all, colours)
    local lines, labels, width = {}, {}, 0
    for row, label in pairs(marks_of(y, sheet.rows, 4)) do
        labels[sheet.rows - 1 - row] = label
        width = math.max(width, #label)
    end
    if opts.title then
        lines[1] = (" "):rep(width + 2) .. tostring(opts.title)
    end
    for row = 0, sheet.rows - 1 do
        local edge = labels[row] and " ┤" or " │"
        lines[#lines + 1] = pad(labels[row] or "", width) .. edge .. sheet:row(row, colours)
    end
    local line, under = x_axis(x, sheet.columns)
    lines[#lines + 1] = (" "):rep(width + 1) .. "└" .. line
    lines[#lines + 1] = (" "):rep(width + 2) .. under
    if #all > 1 or opts.names then
        local names = {}
        for k, series in ipairs(all) do
            local mark = colours and ("\27[%dm██\27[0m "):format(canvas.colour(k)) or ""
            names[k] = mark .. series.name
        end
        lines[#lines + 1] = (" "):rep(width + 2) .. table.concat(names, "   ")
    end
    return lines
end

-- ---------------------------------------------------------------- arguments

local function check_array(a, argument)
    if not core.isarray(a) then
        picture.misuse(argument, "plot", "array, or a table of arrays, expected, got %s", core.internal.kind_of(a))
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

-- The series at `argument`: a list of { array, name }. An array, a list of them or a table by name.
local function series_of(a, argument, names)
    local list = {}
    if type(a) ~= "table" then
        list[1] = { check_array(a, argument), names and names[1] or "1" }
        return list
    end
    for i, one in ipairs(a) do
        list[i] = { check_array(one, argument), tostring(names and names[i] or i) }
    end
    local keys = {}
    for key in pairs(a) do
        if type(key) == "string" then
            keys[#keys + 1] = key
        end
    end
    table.sort(keys)
    for _, key in ipairs(keys) do
        list[#list + 1] = { check_array(a[key], argument), key }
    end
    if #list == 0 then
        picture.misuse(argument, "plot", "array, or a table of arrays, expected, got an empty table")
    end
    return list
end

-- Whether a table is one of series, not of options.
local function holds_series(t)
    local _, value = next(t)
    return core.isarray(value)
end

local function check_limits(range, name, argument)
    if range ~= nil and not (type(range) == "table" and #range == 2 and math.type(range[1]) and math.type(range[2])
        and range[1] < range[2]) then
        picture.misuse(argument, "plot", "option '%s': {low, high} expected", name)
    end
    return range
end

-- A list of dates as days, or what is wrong with it.
local function days_of(list)
    local days = {}
    for i, text in ipairs(list) do
        days[i] = type(text) == "string" and calendar.parse(text) or nil
        if not days[i] then
            picture.misuse(1, "plot", "'%s' at %d is no date such as 2012-01-31", tostring(text), i)
        end
    end
    if #days == 0 then
        picture.misuse(1, "plot", "array, or a list of dates, expected, got an empty table")
    end
    return core.vector(days, "f64")
end

-- The x at argument 1 as an array, and what its numbers are ("whole", "dates" or nil). Nil: indices.
local function x_of(x)
    if x == nil then
        return nil, "whole"
    elseif type(x) == "table" then
        return days_of(x), "dates"
    elseif not core.isarray(x) then
        picture.misuse(1, "plot", "array, or a list of dates, expected, got %s", core.internal.kind_of(x))
    end
    return check_array(x, 1), not dtypes.is_float(x:dtype()) and "whole" or nil
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

-- An axis: its limits and what its numbers are.
local function axis_of(limits, range, kind)
    range = limits and { limits[1], limits[2] } or range
    range.kind = kind
    return range
end

-- lun.plot(y [, opts]), lun.plot(x, y [, opts]): y may be a table of arrays, one series each; x a list of dates.
function plot.plot(...)
    local x, y, opts = ...
    local opts_at = 3
    if not core.isarray(y) and not (type(y) == "table" and holds_series(y)) then
        x, y, opts = nil, ...
        opts_at = 2
    end
    opts = picture.options(opts, KNOWN, opts_at, "plot")
    check_limits(opts.xlim, "xlim", opts_at)
    check_limits(opts.ylim, "ylim", opts_at)
    local list = series_of(y, opts_at - 1, opts.names)
    local kind
    x, kind = x_of(x)
    local width, height = picture.room(opts)
    local rows = opts.height or math.max(4, math.min(20, height - 6))
    local columns = math.max(8, width - 12)
    local all, last = {}, 1
    for k, one in ipairs(list) do
        if x and x:size() ~= one[1]:size() then
            picture.misuse(2, "plot", "lengths differ: %d and %d", x:size(), one[1]:size())
        end
        all[k] = sample(x, one[1], columns)
        all[k].name = one[2]
        last = math.max(last, one[1]:size())
    end
    local xs = axis_of(opts.xlim, x and range_of(all, "x") or { 1, math.max(last, 2) }, kind)
    local range = range_of(all, "y", "lows", "highs")
    local ys = axis_of(opts.ylim, { ticks.widened(range[1], range[2]) }, kind_of_series(list))
    local sheet = canvas.new(columns, rows)
    local to_x, to_y = scale(xs, 2 * columns - 1), scale(ys, 4 * rows - 1)
    for k, series in ipairs(all) do
        if series.lows then
            draw_envelope(sheet, series, k, to_y)
        else
            local points = opts.points
            if points == nil then
                points = x ~= nil and not ascends(series.x)
            end
            draw_points(sheet, series, k, to_x, to_y, points)
        end
    end
    return picture.give(frame(sheet, xs, ys, opts, all, picture.colours(opts)), opts)
end

return plot
