-- lun.plot: lines and points in the terminal, eight dots a character (braille), with axes, or in a file (chart.lua).
-- The engine reduces long arrays to the columns shown; Lua sees some hundred numbers of each series.

local canvas = require "lunarray.chart.canvas"
local chart = require "lunarray.chart.chart"
local dtypes = require "lunarray.base.dtypes"
local picture = require "lunarray.chart.picture"
local series = require "lunarray.chart.series"
local ticks = require "lunarray.chart.ticks"

local plot = {}

local SAMPLES = 20000 -- points read of a series that is drawn point by point
local LONG = 1 << 28 -- elements of a line; of a longer one every k-th is used

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

-- The data of a series: points x, y one by one, or an envelope of columns.
local function sample(x, y, columns)
    local n = y:size()
    local found = { n = n }
    if x then
        local thin_x, step = thinned(x, SAMPLES)
        found.x = as_numbers(thin_x):totable()
        found.y = as_numbers(step == 1 and y or y:sub(1, n, step)):totable()
    elseif n <= 2 * columns then
        found.y = as_numbers(y):totable()
    else
        found.lows, found.highs = envelope(as_numbers((thinned(y, LONG))), 2 * columns)
    end
    return found
end

local function widen(range, values)
    for _, v in ipairs(values or {}) do
        if finite(v) then
            range[1], range[2] = math.min(range[1], v), math.max(range[2], v)
        end
    end
end

-- The limits of all series in one direction, widened if they are equal.
local function range_of(all, ...)
    local range = { math.huge, -math.huge }
    for _, one in ipairs(all) do
        for _, field in ipairs { ... } do
            widen(range, one[field])
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

local function draw_points(sheet, one, k, to_x, to_y, points)
    local x0, y0
    for i, y in ipairs(one.y) do
        local x = one.x and one.x[i] or i
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
local function draw_envelope(sheet, one, k, to_y)
    local low0, high0
    for i, low in ipairs(one.lows) do
        local high = one.highs[i]
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
        for k, one in ipairs(all) do
            local mark = colours and ("\27[%dm██\27[0m "):format(canvas.colour(k)) or ""
            names[k] = mark .. one.name
        end
        lines[#lines + 1] = (" "):rep(width + 2) .. table.concat(names, "   ")
    end
    return lines
end

-- An axis: its limits and the kind of its numbers.
local function axis_of(limits, range, kind)
    range = limits and { limits[1], limits[2] } or range
    range.kind = kind
    return range
end

-- Whether a series is drawn as points: by the option, else if x is not monotonic.
local function are_points(one, x, opts)
    if opts.points ~= nil then
        return opts.points
    end
    return x ~= nil and not ascends(one.x)
end

-- The text of a plot, as lines.
local function drawn(all, xs, ys, opts, columns, rows)
    local sheet = canvas.new(columns, rows)
    local to_x, to_y = scale(xs, 2 * columns - 1), scale(ys, 4 * rows - 1)
    for k, one in ipairs(all) do
        if one.lows then
            draw_envelope(sheet, one, k, to_y)
        else
            draw_points(sheet, one, k, to_x, to_y, one.points)
        end
    end
    return frame(sheet, xs, ys, opts, all, picture.colours(opts))
end

-- The names for a legend, nil where there is none.
local function legend(all, opts)
    local names = {}
    for k, one in ipairs(all) do
        names[k] = one.name
    end
    return (#all > 1 or opts.names) and names or nil
end

-- lun.plot(y [, opts]), lun.plot(x, y [, opts]): y may be a table of arrays, one series each, or a table of columns;
-- x a list of dates. With opts.file true, or nil, message, errno.
function plot.plot(...)
    local x, list, opts, kinds = series.of(...)
    local columns, rows
    if opts.file then
        columns = chart.size(opts) // 2 -- two parts of an envelope each
    else
        local width, height = picture.room(opts)
        rows = opts.height or math.max(4, math.min(20, height - 6))
        columns = math.max(8, width - 12)
    end
    local all, last = {}, 1
    for k, one in ipairs(list) do
        all[k] = sample(x, one[1], columns)
        all[k].name = one[2]
        all[k].points = not all[k].lows and are_points(all[k], x, opts)
        last = math.max(last, one[1]:size())
    end
    local xs = axis_of(opts.xlim, x and range_of(all, "x") or { 1, math.max(last, 2) }, kinds.x)
    local range = range_of(all, "y", "lows", "highs")
    local ys = axis_of(opts.ylim, { ticks.widened(range[1], range[2]) }, kinds.y)
    if opts.file then
        local spec = { series = all, x = xs, y = ys, title = opts.title and tostring(opts.title),
            names = legend(all, opts) }
        return chart.save(opts.file, spec, opts, "plot")
    end
    return picture.give(drawn(all, xs, ys, opts, columns, rows), opts)
end

return plot
