-- Charts in files: lines, points and bars between axes with ticks, a title and a legend, on a paper of pixels or of
-- SVG. The data come prepared from plot.lua and hist.lua; papers have equal methods.

local file = require "lunarray.format.file"
local internal = require("lunarray.core").internal
local misuse = require "lunarray.base.misuse"
local picture = require "lunarray.chart.picture"
local scope = require "lunarray.base.scope"
local ticks = require "lunarray.chart.ticks"

local chart = {}

local COLOURS = { 0x1F77B4, 0xD62728, 0x2CA02C, 0x9467BD, 0xFF7F0E, 0x17BECF, 0x8C564B, 0x7F7F7F }
local INK, GRID = 0x333333, 0xDDDDDD
local SIZE, TITLE = 13, 16 -- of letters
local STROKE, RADIUS = 1.6, 2.2
local WIDTH, HEIGHT = 800, 480
local LEAST = 120
local PAPERS = { png = "raster", svg = "svg" }

-- The size of a chart in a file, from opts.width and opts.height.
function chart.size(opts)
    return opts.width or WIDTH, opts.height or HEIGHT
end

-- Nil if the options can be those of a chart in opts.file, else what is wrong with them.
function chart.fault(opts)
    local path = opts.file
    if scope.no_files then
        return "option 'file': " .. scope.no_files
    elseif type(path) ~= "string" or path:find "\0" then
        return "option 'file': a path expected"
    elseif not PAPERS[(path:match "%.([^./]*)$" or ""):lower()] then
        return ("option 'file': '%s' is neither .png nor .svg"):format(path)
    end
    local width, height = chart.size(opts)
    if width < LEAST or height < LEAST then
        return ("options 'width' and 'height' of a file: pixels, at least %d"):format(LEAST)
    end
end

-- ---------------------------------------------------------------- axes

-- A function from a value between low and high to a coordinate between two.
local function scale(axis, from, to)
    local low, span = axis[1], axis[2] - axis[1]
    local part = span < math.huge and 1 or 0.5 -- of huge values the difference is infinite
    span = part == 1 and span or axis[2] * part - low * part
    return function(v)
        return from + (v * part - low * part) / span * (to - from)
    end
end

-- The ticks of an axis whose labels do not touch; room(label): what one takes along it.
local function ticks_of(axis, place, most, room)
    local function fits(list)
        for i = 2, #list do
            local apart = math.abs(place(list[i].value) - place(list[i - 1].value))
            if apart < (room(list[i].label) + room(list[i - 1].label)) / 2 + SIZE then
                return false
            end
        end
        return true
    end
    local found = ticks.of(axis[1], axis[2], axis.kind, most, fits)
    if #found == 0 then
        for i = 1, 2 do
            found[i] = { value = axis[i], label = picture.label(axis[i]) }
        end
    end
    return found
end

-- The entries of a legend, { name, x, row }, side by side from `left` on, and their number of rows.
local function legend_of(paper, names, left)
    local entries, x, row = {}, left, 1
    for i, name in ipairs(names or {}) do
        local breadth = 24 + paper:breadth(name, SIZE) + 20
        if x > left and x + breadth > paper.width then
            x, row = left, row + 1
        end
        entries[i] = { name, x, row }
        x = x + breadth
    end
    return entries, names and row or 0
end

-- The names of the series above the axes, of which the first row is at y.
local function draw_legend(paper, entries, y)
    for k, entry in ipairs(entries) do
        local x, base = entry[2], y + (entry[3] - 1) * (SIZE + 6)
        paper:line(x, base - SIZE * 0.35, x + 18, base - SIZE * 0.35, COLOURS[(k - 1) % #COLOURS + 1], 3)
        paper:text(x + 24, base, entry[1], SIZE, INK, "start")
    end
end

-- ---------------------------------------------------------------- series

local function inside(v, axis)
    return v == v and v >= axis[1] and v <= axis[2]
end

-- Where the line from x1, y1 to x2, y2 enters and leaves the range of an axis, as fractions of the line; from, to: its
-- coordinates along the axis.
local function narrowed(first, last, from, to, axis)
    if from == to then
        if from < axis[1] or from > axis[2] then
            return 1, 0
        end
        return first, last
    end
    local span = to / 2 - from / 2
    local a, b = (axis[1] / 2 - from / 2) / span, (axis[2] / 2 - from / 2) / span
    return math.max(first, math.min(a, b)), math.min(last, math.max(a, b))
end

local function between(a, b, part)
    return a * (1 - part) + b * part
end

-- A line through points, cut at the axes.
local function draw_line(paper, xs, ys, xaxis, yaxis, to_x, to_y, colour)
    local points = {}
    local function finish()
        if #points >= 4 then
            paper:lines(points, colour, STROKE)
        elseif #points == 2 then
            paper:dot(points[1], points[2], STROKE, colour)
        end
        points = {}
    end
    local x0, y0
    for i, y in ipairs(ys) do
        local x = xs[i]
        if x - x ~= 0 or y - y ~= 0 then -- nan or inf
            finish()
            x0 = nil
        else
            local first, last = 0, 1
            if x0 then
                first, last = narrowed(first, last, x0, x, xaxis)
                first, last = narrowed(first, last, y0, y, yaxis)
            else
                x0, y0 = x, y
                first = inside(x, xaxis) and inside(y, yaxis) and 1 or 2
            end
            if first <= last then
                if #points == 0 and first < 1 then
                    points = { to_x(between(x0, x, first)), to_y(between(y0, y, first)) }
                end
                points[#points + 1] = to_x(between(x0, x, last))
                points[#points + 1] = to_y(between(y0, y, last))
            end
            if first > last or last < 1 then
                finish()
            end
            x0, y0 = x, y
        end
    end
    finish()
end

-- A line through the smallest and the largest value of each part of a long series.
local function draw_envelope(paper, series, yaxis, from, to, to_y, colour)
    local points, low, high = {}, yaxis[1], yaxis[2]
    local function finish()
        if #points >= 4 then
            paper:lines(points, colour, STROKE)
        end
        points = {}
    end
    local up = true
    for i, lowest in ipairs(series.lows) do
        local highest = series.highs[i]
        if lowest == lowest and lowest <= high and highest >= low then
            local x = from + (i - 0.5) / #series.lows * (to - from)
            local a, b = to_y(math.max(lowest, low)), to_y(math.min(highest, high))
            table.move(up and { x, a, x, b } or { x, b, x, a }, 1, 4, #points + 1, points)
            up = not up
        else
            finish()
        end
    end
    finish()
end

local function draw_points(paper, xs, ys, xaxis, yaxis, to_x, to_y, colour)
    for i, y in ipairs(ys) do
        if inside(xs[i], xaxis) and inside(y, yaxis) then
            paper:dot(to_x(xs[i]), to_y(y), RADIUS, colour)
        end
    end
end

local function counting(n)
    local list = {}
    for i = 1, n do
        list[i] = i
    end
    return list
end

-- ---------------------------------------------------------------- charts

-- The lines and labels of both axes on the paper; returns the scales of values.
local function draw_axes(paper, xaxis, yaxis, left, top, right, bottom)
    local to_x, to_y = scale(xaxis, left, right), scale(yaxis, bottom, top)
    for _, tick in ipairs(ticks_of(yaxis, to_y, paper.height // (2 * SIZE), function() return SIZE end)) do
        local y = to_y(tick.value)
        paper:line(left, y, right, y, GRID, 1)
        paper:text(left - 8, y + SIZE * 0.35, tick.label, SIZE, INK, "end")
    end
    local function room(label)
        return paper:breadth(label, SIZE)
    end
    for _, tick in ipairs(xaxis.kind ~= "names" and ticks_of(xaxis, to_x, paper.width // (3 * SIZE), room) or {}) do
        local x = to_x(tick.value)
        local half = room(tick.label) / 2
        paper:line(x, bottom, x, bottom + 5, INK, 1)
        paper:text(math.min(x, paper.width - half - 2), bottom + SIZE + 9, tick.label, SIZE, INK, "middle")
    end
    return to_x, to_y
end

-- Draws the parts around the series: returns to_x, to_y and the rectangle of the axes.
local function begin(paper, spec)
    local labels = {}
    for i, tick in ipairs(ticks_of(spec.y, scale(spec.y, paper.height, 0), paper.height // (2 * SIZE),
        function() return SIZE end)) do
        labels[i] = tick.label
    end
    local left, top = 0, spec.title and TITLE + 28 or 14
    for _, label in ipairs(labels) do
        left = math.max(left, paper:breadth(label, SIZE))
    end
    left = left + 18
    local entries, rows = legend_of(paper, spec.names, left)
    draw_legend(paper, entries, top + SIZE)
    top = top + rows * (SIZE + 6) + (rows > 0 and 6 or 0)
    local right, bottom = paper.width - 24, paper.height - SIZE - 22
    if spec.title then
        paper:text((left + right) / 2, TITLE + 10, spec.title, TITLE, INK, "middle")
    end
    local to_x, to_y = draw_axes(paper, spec.x, spec.y, left, top, right, bottom)
    return to_x, to_y, left, top, right, bottom
end

local function finish(paper, left, top, right, bottom)
    paper:line(left, top, left, bottom, INK, 1)
    paper:line(left, bottom, right, bottom, INK, 1)
end

-- Draws spec.series, each { y =, x =, points = } or { lows =, highs = }; spec.x, spec.y: the axes, limits and kind;
-- title and names, where there are.
local function draw_series(paper, spec)
    local to_x, to_y, left, top, right, bottom = begin(paper, spec)
    for k, series in ipairs(spec.series) do
        local colour = COLOURS[(k - 1) % #COLOURS + 1]
        if series.lows then
            draw_envelope(paper, series, spec.y, to_x(1), to_x(series.n), to_y, colour)
        else
            local draw = series.points and draw_points or draw_line
            draw(paper, series.x or counting(#series.y), series.y, spec.x, spec.y, to_x, to_y, colour)
        end
    end
    finish(paper, left, top, right, bottom)
end

-- Draws bars from spec.edges[i] to spec.edges[i + 1], spec.counts[i] high; or one for each of spec.labels.
local function draw_bars(paper, spec)
    local to_x, to_y, left, top, right, bottom = begin(paper, spec)
    local every, free = 1, (right - left) / #spec.counts
    for _, label in ipairs(spec.labels or {}) do
        every = math.max(every, math.ceil((paper:breadth(label, SIZE) + SIZE) / free))
    end
    for i, count in ipairs(spec.counts) do
        local from, to = to_x(spec.edges[i]), to_x(spec.edges[i + 1])
        local gap = spec.labels and (to - from) * 0.2 or to - from > 4 and 1 or 0
        paper:box(from + gap / 2, to_y(count), to - from - gap, bottom - to_y(count), COLOURS[1])
        if spec.labels and (i - 1) % every == 0 then
            paper:text((from + to) / 2, bottom + SIZE + 9, spec.labels[i], SIZE, INK, "middle")
        end
    end
    finish(paper, left, top, right, bottom)
end

-- Draws a chart into the file at `path`: true; or nil, message, errno. call: for a mistake of the script.
function chart.save(path, spec, opts, call)
    if scope.no_files then -- the options have changed since they were checked
        misuse(1, call, "%s", scope.no_files)
    end
    local width, height = chart.size(opts)
    local paper = require("lunarray.chart." .. PAPERS[path:match("%.([^./]*)$"):lower()]).new(width, height);
    (spec.counts and draw_bars or draw_series)(paper, spec)
    local text, message = paper:encode()
    if not text then
        misuse(1, call, "%s", message)
    end
    local done = false
    return internal.writing(file.write, path, function()
        local piece = not done and text or nil
        done = true
        return piece
    end)
end

return chart
