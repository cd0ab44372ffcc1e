-- The plane of a chart in a file: axes with ticks and labels, title, legend and note around the rectangle in which
-- marks are drawn. Knows no paper but by its methods, which raster.lua and svg.lua have.

local axis = require "lunarray.chart.axis"
local ticks = require "lunarray.chart.ticks"

local plane = {}

local COLOURS = { 0x1F77B4, 0xD62728, 0x2CA02C, 0x9467BD, 0xFF7F0E, 0x17BECF, 0x8C564B, 0xE377C2 }
local GREY = 0x8C8C8C -- of the series of all others
local INK, GRID, FAINT = 0x333333, 0xDDDDDD, 0x777777
local SIZE, TITLE = 13, 16 -- of letters
local SCALE = 16 -- pixels: how wide a scale of colours is, and how far from the plane
local LINE = SIZE + 7 -- from one line of letters to the next

plane.INK, plane.SIZE = INK, SIZE

-- The colour of a series.
function plane.colour(k, other)
    return other and GREY or COLOURS[(k - 1) % #COLOURS + 1]
end

-- ---------------------------------------------------------------- axes

-- The ticks of an axis whose labels do not touch; room(label): what one takes along it.
local function ticks_of(of, place, most, room)
    local function fits(list)
        for i = 2, #list do
            local apart = math.abs(place(list[i].value) - place(list[i - 1].value))
            if apart < (room(list[i].label) + room(list[i - 1].label)) / 2 + SIZE then
                return false
            end
        end
        return true
    end
    local found = ticks.of(of[1], of[2], of.kind, most, fits)
    if #found == 0 then
        for i = 1, 2 do
            found[i] = { value = of[i], label = ticks.text(of[i], of.kind) }
        end
    end
    return found
end

local function one_line()
    return SIZE
end

-- The ticks of the y axis of a plane that high; where there are rows, one for each.
local function y_ticks(spec, top, bottom)
    local to_y = axis.scale(spec.y, bottom, top)
    local found = {}
    for i, label in ipairs(spec.rows or {}) do
        found[i] = { value = i, label = label }
    end
    return spec.rows and found or ticks_of(spec.y, to_y, (bottom - top) // (2 * SIZE) + 2, one_line)
end

-- The lines and labels of the y axis.
local function draw_y(paper, spec, area)
    for _, tick in ipairs(y_ticks(spec, area.top, area.bottom)) do
        local y = area.to_y(tick.value)
        if spec.bare then
            paper:line(area.left - 5, y, area.left, y, INK, 1)
        elseif not spec.rows then
            paper:line(area.left, y, area.right, y, GRID, 1)
        end
        paper:text(area.left - 8, y + SIZE * 0.35, tick.label, SIZE, INK, "end")
    end
end

-- The lines and labels of the x axis.
local function draw_x(paper, spec, area)
    local function room(label)
        return paper:breadth(label, SIZE)
    end
    local named = spec.x.kind == "names"
    for _, tick in ipairs(named and {} or ticks_of(spec.x, area.to_x, paper.width // (3 * SIZE), room)) do
        local x = area.to_x(tick.value)
        local half = room(tick.label) / 2
        if spec.rows then
            paper:line(x, area.top, x, area.bottom, GRID, 1)
        end
        paper:line(x, area.bottom, x, area.bottom + 5, INK, 1)
        local within = math.max(half + 2, math.min(x, paper.width - half - 2))
        paper:text(within, area.bottom + SIZE + 9, tick.label, SIZE, INK, "middle")
    end
end

-- ---------------------------------------------------------------- legend

-- The entries of a legend, { name, x, row, colour }, side by side from `left` on, and their number of rows.
local function legend_of(paper, series, left)
    local entries, x, row = {}, left, 1
    for i, one in ipairs(series) do
        local breadth = 24 + paper:breadth(one.name, SIZE) + 20
        if x > left and x + breadth > paper.width then
            x, row = left, row + 1
        end
        entries[i] = { one.name, x, row, plane.colour(i, one.other) }
        x = x + breadth
    end
    return entries, #entries > 0 and row or 0
end

-- The names of the series above the axes, of which the first row is at y.
local function draw_legend(paper, entries, y)
    for _, entry in ipairs(entries) do
        local x, base = entry[2], y + (entry[3] - 1) * (SIZE + 6)
        paper:line(x, base - SIZE * 0.35, x + 18, base - SIZE * 0.35, entry[4], 3)
        paper:text(x + 24, base, entry[1], SIZE, INK, "start")
    end
end

-- ---------------------------------------------------------------- the whole

-- A scale of colours at the right of the plane: rows of a pixel each from the top, with the axis `of` of their values.
function plane.scale(paper, area, of, rows)
    local left = area.right + SCALE
    local to_y = axis.scale(of, area.bottom, area.top)
    paper:image(left, area.top, SCALE, area.bottom - area.top, rows)
    for _, tick in ipairs(ticks_of(of, to_y, (area.bottom - area.top) // (2 * SIZE) + 2, one_line)) do
        local y = to_y(tick.value)
        paper:line(left + SCALE, y, left + SCALE + 4, y, INK, 1)
        paper:text(left + SCALE + 9, y + SIZE * 0.35, tick.label, SIZE, INK, "start")
    end
end

-- How much room a scale of colours takes.
function plane.beside(paper, of)
    local most = 0
    for _, tick in ipairs(ticks_of(of, axis.scale(of, paper.height, 0), paper.height // (2 * SIZE), one_line)) do
        most = math.max(most, paper:breadth(tick.label, SIZE))
    end
    return math.ceil(2 * SCALE + 9 + most) - 12
end

-- How wide the labels of the y axis are, which are those of a plane as high as the paper at most.
local function room_for_labels(paper, spec)
    local most = 0
    for _, tick in ipairs(y_ticks(spec, 0, paper.height)) do
        most = math.max(most, paper:breadth(tick.label, SIZE))
    end
    return most
end

-- What stands beside the axes: title, their names, a note.
local function draw_texts(paper, spec, area)
    local across, along = (area.left + area.right) / 2, (area.top + area.bottom) / 2
    if spec.title then
        paper:text(across, TITLE + 10, spec.title, TITLE, INK, "middle")
    end
    if spec.x.label then
        paper:text(across, area.bottom + SIZE + 9 + LINE, spec.x.label, SIZE, INK, "middle")
    end
    if spec.y.label then
        paper:text(SIZE + 4, along, spec.y.label, SIZE, INK, "middle", true)
    end
    if spec.note then
        paper:text(area.left, paper.height - 9, spec.note, SIZE - 1, FAINT, "start")
    end
end

-- Makes a rectangle that is `ratio` times as wide as high, with the same left top corner.
local function narrow(area, ratio)
    local width, height = area.right - area.left, area.bottom - area.top
    if ratio and width > height * ratio then
        area.right = area.left + height * ratio
    elseif ratio then
        area.bottom = area.top + width / ratio
    end
end

-- Draws what is around the marks: spec.x, spec.y: the axes; rows: the labels of rows from 1 on, down the y axis;
-- title, note; names: whether there is a legend of spec.series; beside: pixels left free at the right; bare: no lines
-- over the plane; down: the y axis goes down; ratio: of its width and height. Gives the rectangle of the marks,
-- { left, top, right, bottom }, with the scales to_x and to_y of values.
function plane.begin(paper, spec)
    local left = room_for_labels(paper, spec) + 18 + (spec.y.label and LINE or 0)
    local entries, rows = legend_of(paper, spec.names and spec.series or {}, left)
    local top = spec.title and TITLE + 28 or 14
    draw_legend(paper, entries, top + SIZE)
    local area = {
        left = left, top = top + rows * (SIZE + 6) + (rows > 0 and 6 or 0),
        right = paper.width - 24 - (spec.beside or 0),
        bottom = paper.height - SIZE - 22 - (spec.x.label and LINE or 0) - (spec.note and LINE or 0),
    }
    area.bottom = math.max(area.bottom, area.top + 10)
    area.right = math.max(area.right, area.left + 10)
    narrow(area, spec.ratio)
    area.to_x = axis.scale(spec.x, area.left, area.right)
    local down = spec.rows or spec.down
    area.to_y = axis.scale(spec.y, down and area.top or area.bottom, down and area.bottom or area.top)
    draw_y(paper, spec, area)
    draw_x(paper, spec, area)
    draw_texts(paper, spec, area)
    return area
end

-- Draws the lines of the axes over the marks; upright: where the y axis is, if not at the left.
function plane.finish(paper, area, upright)
    upright = upright or area.left
    paper:line(upright, area.top, upright, area.bottom, INK, 1)
    paper:line(area.left, area.bottom, area.right, area.bottom, INK, 1)
end

return plane
