-- What stands around a picture of letters: ticks and labels of axes, title, legend.

local axis = require "lunarray.chart.axis"
local canvas = require "lunarray.chart.canvas"
local picture = require "lunarray.chart.picture"
local ticks = require "lunarray.chart.ticks"

local letters = {}

local function pad(text, width)
    return (" "):rep(width - utf8.len(text)) .. text
end

local EIGHTHS = { "▏", "▎", "▍", "▌", "▋", "▊", "▉", [0] = "" }

-- A bar of so many characters, to an eighth; one that is not empty is seen.
function letters.bar(length)
    local eighths = length > 0 and math.max(1, math.floor(length * 8)) or 0
    return ("█"):rep(eighths // 8) .. EIGHTHS[eighths % 8]
end

-- Marks of an axis in `count` cells of so many dots each: a table from cell, from 0, to label. wide: the first and the
-- last cell of a label along the axis, where it takes more than one.
local function marks_of(of, count, dots, wide)
    local place = axis.scale(of, 0, count * dots - 1)
    local function cell_of(tick)
        return math.min(math.max(math.floor(place(tick.value) + 0.5) // dots, 0), count - 1)
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
    for _, tick in ipairs(ticks.of(of[1], of[2], of.kind, count, fits)) do
        marks[cell_of(tick)] = tick.label
    end
    if not next(marks) then
        marks[0], marks[count - 1] = ticks.text(of[1], of.kind), ticks.text(of[2], of.kind)
    end
    return marks
end

-- The labels of the y axis by row from the top, from 0, and how wide they are.
function letters.y_labels(of, rows)
    local labels, width = {}, 0
    for row, label in pairs(marks_of(of, rows, 4)) do
        labels[rows - 1 - row] = label
        width = math.max(width, #label)
    end
    return labels, width
end

-- The lines below a picture whose axis begins after `left` characters: the axis, its labels, the name of what it shows.
-- dots: of a character.
function letters.x_axis(of, columns, left, dots)
    local function place(label, column)
        local first = math.max(0, math.min(column - #label // 2, columns - #label))
        return first, first + #label - 1
    end
    local marks = marks_of(of, columns, dots, place)
    local line, labels, at = {}, {}, 0
    for column = 0, columns - 1 do
        line[#line + 1] = marks[column] and "┬" or "─"
        if marks[column] then
            local first, last = place(marks[column], column)
            labels[#labels + 1] = (" "):rep(first - at) .. marks[column]
            at = last + 1
        end
    end
    local margin = (" "):rep(left)
    local lines = { margin .. "└" .. table.concat(line), margin .. " " .. table.concat(labels) }
    if of.label then
        lines[3] = margin .. (" "):rep(math.max(1, (columns - picture.breadth(of.label)) // 2 + 1)) .. of.label
    end
    return lines
end

-- The lines above a picture: its title and the name of what the y axis shows.
function letters.head(title, label, left)
    local lines = {}
    if title then
        lines[1] = (" "):rep(left) .. title
    end
    lines[#lines + 1] = label
    return lines
end

-- The names of the series in lines of so many columns, behind `left` characters.
local function legend(spec, colours, left, columns)
    local lines, now, used = {}, {}, 0
    for k, one in ipairs(spec.series) do
        local breadth = picture.breadth(one.name) + (colours and 3 or 0)
        if used > 0 and used + 3 + breadth > columns then
            lines[#lines + 1] = (" "):rep(left) .. table.concat(now, "   ")
            now, used = {}, 0
        end
        local mark = colours and ("\27[%dm██\27[0m "):format(canvas.colour(one.other and canvas.OTHER or k)) or ""
        now[#now + 1], used = mark .. one.name, used + (used > 0 and 3 or 0) + breadth
    end
    lines[#lines + 1] = (" "):rep(left) .. table.concat(now, "   ")
    return lines
end

local function append(lines, more)
    table.move(more, 1, #more, #lines + 1, lines)
end

-- A sheet with a title, labels of the y axis beside it and of the x axis below it, and the names of the series.
function letters.frame(sheet, spec, colours)
    local labels, width = letters.y_labels(spec.y, sheet.rows)
    local lines = letters.head(spec.title, spec.y.label, width + 2)
    for row = 0, sheet.rows - 1 do
        local edge = labels[row] and " ┤" or " │"
        lines[#lines + 1] = pad(labels[row] or "", width) .. edge .. sheet:row(row, colours)
    end
    append(lines, letters.x_axis(spec.x, sheet.columns, width + 1, 2))
    if spec.names then
        append(lines, legend(spec, colours, width + 2, sheet.columns))
    end
    lines[#lines + 1] = spec.note
    return lines
end

return letters
