-- What charts in files show on a plane: lines, points, bars. The data come prepared; knows no paper but by its methods.

local plane = require "lunarray.chart.plane"

local marks = {}

local STROKE, RADIUS = 1.6, 2.2

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

-- Draws spec.series, each { y =, x =, points =, other = } or { lows =, highs =, n = }; spec.x, spec.y: the axes; title,
-- names and note, where there are.
function marks.series(paper, spec)
    local area = plane.begin(paper, spec)
    local to_x, to_y = area.to_x, area.to_y
    for k, series in ipairs(spec.series) do
        local colour = plane.colour(k, series.other)
        if series.lows then
            draw_envelope(paper, series, spec.y, to_x(1), to_x(series.n), to_y, colour)
        else
            local draw = series.points and draw_points or draw_line
            draw(paper, series.x or counting(#series.y), series.y, spec.x, spec.y, to_x, to_y, colour)
        end
    end
    plane.finish(paper, area)
end

-- ---------------------------------------------------------------- bars

-- Draws bars from spec.edges[i] to spec.edges[i + 1], spec.counts[i] high; or one for each of spec.labels.
function marks.bars(paper, spec)
    local area = plane.begin(paper, spec)
    local to_x, to_y, bottom = area.to_x, area.to_y, area.bottom
    local every, free = 1, (area.right - area.left) / #spec.counts
    for _, label in ipairs(spec.labels or {}) do
        every = math.max(every, math.ceil((paper:breadth(label, plane.SIZE) + plane.SIZE) / free))
    end
    for i, count in ipairs(spec.counts) do
        local from, to = to_x(spec.edges[i]), to_x(spec.edges[i + 1])
        local gap = spec.labels and (to - from) * 0.2 or to - from > 4 and 1 or 0
        paper:box(from + gap / 2, to_y(count), to - from - gap, bottom - to_y(count), plane.colour(1))
        if spec.labels and (i - 1) % every == 0 then
            paper:text((from + to) / 2, bottom + plane.SIZE + 9, spec.labels[i], plane.SIZE, plane.INK, "middle")
        end
    end
    plane.finish(paper, area)
end

return marks
