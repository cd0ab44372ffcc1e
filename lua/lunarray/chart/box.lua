-- lun.box: boxes from the lower to the upper quartile with whiskers and points outside, a row for each group or column,
-- in the terminal or in a file. The engine finds what they are drawn by.

local axis = require "lunarray.chart.axis"
local chart = require "lunarray.chart.chart"
local core = require "lunarray.core"
local dtypes = require "lunarray.base.dtypes"
local groups = require "lunarray.chart.groups"
local letters = require "lunarray.chart.letters"
local picture = require "lunarray.chart.picture"
local plane = require "lunarray.chart.plane"
local records = require "lunarray.base.records"
local rows = require "lunarray.chart.rows"

local box = {}

local OPTIONS = "by x"
local MOST = 20 -- rows
local OUTSIDE = 200 -- points outside that are shown of a row
local MARGIN = 0.02 -- of the axis, at both ends
local REACH = 1.5 -- of whiskers, in distances of the quartiles

-- ---------------------------------------------------------------- what is drawn

-- The least and the greatest element of v from low to high, which are within.
local function ends_of(v, low, high)
    return core.eval(core.where(v:ge(low), v, math.huge):lazy "min", core.where(v:le(high), v, -math.huge):lazy "max")
end

-- The box of an array: { low, lower, middle, upper, high, name =, skipped =, outside =, hidden = }, without numbers
-- where it has no finite element. skipped: how many elements are infinite or NaN; outside: a list of points, hidden:
-- how many there are more.
local function box_of(name, a)
    local there = a:dropna()
    local v = there:compress(core.isfinite(there))
    local skipped = a:size() - a:ismissing():count() - v:size()
    if v:size() == 0 then
        return { name = name, skipped = skipped, outside = {}, hidden = 0 }
    end
    local q = v:quantile({ 0.25, 0.5, 0.75 }):totable()
    local reach = REACH * (q[3] - q[1])
    local low, high = ends_of(v, q[1] - reach, q[3] + reach)
    low, high = math.min(low, q[1]), math.max(high, q[3])
    local outside = v:compress(v:lt(low) | v:gt(high)):sort()
    local n = outside:size()
    local shown = n > OUTSIDE and outside:take((core.index(OUTSIDE) - 1) * (n - 1) // (OUTSIDE - 1) + 1) or outside
    return { low, q[1], q[2], q[3], high, name = name, skipped = skipped, outside = shown:totable(),
        hidden = math.max(0, n - OUTSIDE) }
end

-- ---------------------------------------------------------------- arguments

-- A Vector of numbers, and what they are.
local function numbers_of(a, argument)
    if not core.isarray(a) then
        picture.misuse(argument, "box", "array, or a table of columns, expected, got %s", records.kind_of(a))
    elseif a:dtype() == "text" or select("#", a:shape()) ~= 1 then
        picture.misuse(argument, "box", "a Vector of numbers expected, got %s[%s]", a:dtype(),
            table.concat({ a:shape() }, ", "))
    elseif a:size() == 0 then
        picture.misuse(argument, "box", "the array has no elements")
    end
    local numbers, kind = axis.numbers(a)
    return dtypes.floats(numbers), kind == "dates" and kind or nil
end

-- Groups by their values, those that are missing last.
local function before(a, b)
    if a.value == nil or b.value == nil then
        return a.value ~= nil
    elseif type(a.value) == "boolean" then
        return b.value and not a.value
    end
    return a.value < b.value
end

-- The rows of an array: one for each group, or one of all; and how many groups have none.
local function grouped(name, a, by, what, argument)
    if by == nil then
        return { { name = name, a } }, 0
    end
    local list, count = groups.of(by, MOST, a:size(), what, argument, "box")
    table.sort(list, before)
    for _, group in ipairs(list) do
        group[1] = a:compress(group.mask)
    end
    return list, count - #list
end

-- The same of a table: of its column x, or a row for each column of numbers.
local function of_table(t, opts)
    if type(opts.x) == "string" or opts.by ~= nil then
        local a, kind = numbers_of(rows.column(t, opts, "x", "box"), 1)
        local by = opts.by
        if type(by) == "string" then
            by = rows.column(t, opts, "by", "box")
        end
        local list, more = grouped(opts.x, a, by, "option 'by'", 2)
        return list, more, kind
    end
    local list = {}
    for _, name in ipairs(opts.x or rows.number_columns(t)) do
        list[#list + 1] = { name = name, (numbers_of(rows.column(t, { x = name }, "x", "box"), 1)) }
    end
    if #list == 0 then
        picture.misuse(1, "box", "a table without columns of numbers")
    end
    return table.move(list, 1, MOST, 1, {}), math.max(0, #list - MOST)
end

-- The boxes of a call, a note of what is not shown, the kind of the axis and the options.
local function boxes_of(x, by, opts)
    local list, more, kind
    if rows.is_columns(x) then
        opts = chart.options(by, OPTIONS, 2, "box")
        list, more, kind = of_table(x, opts)
    else
        local opts_at = 3
        if type(by) == "table" and opts == nil and type(by[1]) ~= "string" then
            by, opts, opts_at = nil, by, 2
        end
        opts = chart.options(opts, OPTIONS, opts_at, "box")
        local a
        a, kind = numbers_of(x, 1)
        if opts.by ~= nil then
            list, more = grouped("", a, opts.by, "option 'by'", opts_at)
        else
            list, more = grouped("", a, by, "groups", 2)
        end
    end
    local boxes, skipped, hidden = {}, 0, 0
    for i, one in ipairs(list) do
        boxes[i] = box_of(one.name, one[1])
        skipped, hidden = skipped + boxes[i].skipped, hidden + boxes[i].hidden
    end
    local notes = {}
    notes[1] = more > 0 and ("... %d more"):format(more) or nil
    notes[#notes + 1] = hidden > 0 and ("%d points outside are not shown"):format(hidden) or nil
    notes[#notes + 1] = skipped > 0 and ("%d nan or inf skipped"):format(skipped) or nil
    return boxes, #notes > 0 and table.concat(notes, ", ") or nil, kind, opts
end

-- The axis of all boxes.
local function axis_of(boxes, kind, opts)
    local lists = {}
    for _, one in ipairs(boxes) do
        lists[#lists + 1], lists[#lists + 2] = { one[1], one[5] }, one.outside
    end
    local of = axis.of(nil, axis.extent(lists))
    local margin = (of[2] / 2 - of[1] / 2) * MARGIN * 2
    if of[1] - margin > -math.huge and of[2] + margin < math.huge then
        of[1], of[2] = of[1] - margin, of[2] + margin
    end
    of.kind, of.label = kind, picture.text(opts.xlabel)
    return of
end

-- ---------------------------------------------------------------- in letters

-- One row, of so many characters: whiskers, box, median, points outside.
local function row_of(one, columns, to_x, colours)
    local cells = {}
    local function at(v)
        return math.floor(to_x(v) + 0.5)
    end
    for _, v in ipairs(one.outside) do
        cells[at(v)] = "•"
    end
    if one[1] then
        for x = at(one[1]), at(one[5]) do
            cells[x] = "─"
        end
        cells[at(one[1])], cells[at(one[5])] = "├", "┤"
        for x = at(one[2]), at(one[4]) do
            cells[x] = colours and "█" or "▒"
        end
        local first, middle, last = at(one[2]), at(one[3]), at(one[4])
        cells[middle] = colours and "\27[97;44m┃\27[0;34m" or "┃"
        if colours then
            cells[first], cells[last] = "\27[34m" .. cells[first], cells[last] .. "\27[0m"
        end
    end
    local parts = {}
    for x = 0, columns - 1 do
        parts[x + 1] = cells[x] or " "
    end
    return (table.concat(parts):gsub(" +$", ""))
end

local function lines_of(boxes, note, kind, opts)
    local labels = {}
    for i, one in ipairs(boxes) do
        labels[i] = one.name
    end
    local names = rows.names(labels)
    local of = axis_of(boxes, kind, opts)
    local columns = math.max(8, picture.room(opts) - names.width - 2)
    local to_x = axis.scale(of, 0, columns - 1)
    local lines = letters.head(picture.text(opts.title), picture.text(opts.ylabel), names.width + 2)
    for i, one in ipairs(boxes) do
        lines[#lines + 1] = names[i] .. " │" .. row_of(one, columns, to_x, picture.colours(opts))
    end
    for _, line in ipairs(letters.x_axis(of, columns, names.width + 1, 1)) do
        lines[#lines + 1] = line
    end
    lines[#lines + 1] = note
    return lines
end

-- ---------------------------------------------------------------- in files

local FILL, EDGE, DOT = 0xB8D4EA, 0x1F77B4, 2.2
local HALF, CAP = 0.32, 0.16 -- of a row: half of a box, half of the end of a whisker

-- One box around the line at y; unit: pixels of a row.
local function draw_box(paper, one, y, unit, to_x)
    for _, v in ipairs(one.outside) do
        paper:dot(to_x(v), y, DOT, EDGE)
    end
    if not one[1] then
        return
    end
    local at = {}
    for i = 1, 5 do
        at[i] = to_x(one[i])
    end
    local half, cap = HALF * unit, CAP * unit
    for i = 1, 4, 3 do
        local tip = i == 1 and at[1] or at[5]
        paper:line(at[i], y, at[i + 1], y, EDGE, 1.4)
        paper:line(tip, y - cap, tip, y + cap, EDGE, 1.4)
    end
    paper:box(at[2], y - half, at[4] - at[2], 2 * half, FILL)
    paper:lines({ at[2], y - half, at[4], y - half, at[4], y + half, at[2], y + half, at[2], y - half }, EDGE, 1.4)
    paper:line(at[3], y - half, at[3], y + half, plane.INK, 2)
end

local function draw(paper, boxes, note, kind, opts)
    local labels = {}
    for i, one in ipairs(boxes) do
        labels[i] = one.name
    end
    local area = plane.begin(paper, { x = axis_of(boxes, kind, opts), rows = labels, note = note,
        y = { 0.5, #boxes + 0.5, label = picture.text(opts.ylabel) }, title = picture.text(opts.title) })
    local unit = (area.bottom - area.top) / #boxes
    for i, one in ipairs(boxes) do
        draw_box(paper, one, area.to_y(i), math.min(unit, 60), area.to_x)
    end
    plane.finish(paper, area)
end

-- lun.box(x [, by] [, opts]), lun.box(t, {x =, by =}): a box for each group, or each column. With opts.file true, or
-- nil, message, errno.
function box.box(x, by, opts)
    local boxes, note, kind
    boxes, note, kind, opts = boxes_of(x, by, opts)
    return chart.give(opts, "box", function(paper)
        draw(paper, boxes, note, kind, opts)
    end, function()
        return lines_of(boxes, note, kind, opts)
    end, rows.height(#boxes, opts))
end

return box
