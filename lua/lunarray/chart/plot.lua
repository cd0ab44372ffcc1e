-- lun.plot: lines and points in the terminal, eight dots a character (braille), with axes, or in a file (marks.lua).

local axis = require "lunarray.chart.axis"
local canvas = require "lunarray.chart.canvas"
local chart = require "lunarray.chart.chart"
local letters = require "lunarray.chart.letters"
local marks = require "lunarray.chart.marks"
local picture = require "lunarray.chart.picture"
local sample = require "lunarray.chart.sample"
local series = require "lunarray.chart.series"

local plot = {}

-- ---------------------------------------------------------------- in the terminal

-- A function from a value to a dot from 0 to last.
local function dots_of(of, last)
    local place = axis.scale(of, 0, last)
    return function(v)
        return math.floor(place(v) + 0.5)
    end
end

local function draw_points(sheet, one, k, to_x, to_y, points)
    local x0, y0
    for i, y in ipairs(one.y) do
        local x = one.x and one.x[i] or i
        if axis.finite(x) and axis.finite(y) then
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
        if axis.finite(low) then
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


-- The text of a plot, as lines.
local function drawn(spec, opts, columns, rows)
    local sheet = canvas.new(columns, rows)
    local to_x, to_y = dots_of(spec.x, 2 * columns - 1), dots_of(spec.y, 4 * rows - 1)
    for k, one in ipairs(spec.series) do
        local colour = one.other and canvas.OTHER or k
        if one.lows then
            draw_envelope(sheet, one, colour, to_y)
        else
            draw_points(sheet, one, colour, to_x, to_y, one.points)
        end
    end
    return letters.frame(sheet, spec, picture.colours(opts))
end

-- ---------------------------------------------------------------- the whole

-- The data of all series: their numbers, axes and names.
local function spec_of(list, opts, kinds, columns)
    local spec, last, over = { series = {}, title = picture.text(opts.title) }, 1, false
    local xs, ys = {}, {}
    for k, one in ipairs(list) do
        local found = sample.of(one, columns, opts)
        found.name, found.other = one[2], one.other
        spec.series[k] = found
        last, over = math.max(last, one[1]:size()), over or one.x ~= nil or opts.xlog
        xs[k] = found.x or {}
        ys[#ys + 1], ys[#ys + 2] = found.lows or found.y, found.highs or {}
    end
    local low, high = 1, math.max(last, 2)
    if over then
        low, high = axis.extent(xs)
    end
    spec.x = axis.of(opts.xlim, low, high, kinds.x, picture.text(opts.xlabel), true)
    low, high = axis.extent(ys)
    spec.y = axis.of(opts.ylim, low, high, kinds.y, picture.text(opts.ylabel))
    spec.names = #list > 1 or opts.names or opts.by ~= nil
    return spec, low > high or over and axis.extent(xs) == math.huge
end

-- lun.plot(y [, opts]), lun.plot(x, y [, opts]): y may be a table of arrays, one series each, or a table of columns;
-- x a list of dates. With opts.file true, or nil, message, errno.
function plot.plot(...)
    local list, opts, kinds, opts_at = series.of(...)
    local columns, rows = chart.pixels(opts), nil
    if columns then
        columns = columns // 2 -- two parts of an envelope each
    else
        local width, height = picture.room(opts)
        rows = opts.height or math.max(4, math.min(20, height - 6))
        columns = math.max(8, width - 12)
    end
    local spec, nothing = spec_of(list, opts, kinds, columns)
    local left_out = (opts.xlog or opts.ylog) and sample.left_out(list, opts) or 0
    if left_out > 0 and nothing then
        picture.misuse(opts_at, "plot", "option '%s': no value is above 0", opts.ylog and "ylog" or "xlog")
    elseif left_out > 0 then
        spec.note = ("%d value%s not above 0 %s not shown"):format(left_out, left_out > 1 and "s" or "",
            left_out > 1 and "are" or "is")
    end
    return chart.give(opts, "plot", function(paper)
        marks.series(paper, spec)
    end, function()
        return drawn(spec, opts, columns, rows)
    end)
end

return plot
