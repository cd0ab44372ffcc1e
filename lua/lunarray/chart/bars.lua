-- lun.bars: a horizontal bar for each of some labels, in the terminal or in a file.

local axis = require "lunarray.chart.axis"
local chart = require "lunarray.chart.chart"
local core = require "lunarray.core"
local dtypes = require "lunarray.base.dtypes"
local letters = require "lunarray.chart.letters"
local picture = require "lunarray.chart.picture"
local plane = require "lunarray.chart.plane"
local records = require "lunarray.base.records"
local rows = require "lunarray.chart.rows"

local bars = {}

local OPTIONS = "most sort x y"
local MOST = 50 -- bars, if option 'most' does not say
local DIGITS = 6
local KINDS = { string = "text", number = "number" }

-- ---------------------------------------------------------------- arguments

-- Labels or values as a Vector: an array, or a list of texts or numbers.
local function vector_of(x, what, argument)
    if type(x) == "table" and not records.struct_of(x) and (type(x[1]) == what or next(x) == nil) then
        for i = 1, #x do
            if type(x[i]) ~= what and x[i] ~= core.na then
                picture.misuse(argument, "bars", "array, or a list of %ss, expected, got a list with a %s at %d",
                    KINDS[what], core.internal.kind_of(x[i]), i)
            end
        end
        return #x > 0 and core.vector(x) or core.zeros(0)
    elseif not core.isarray(x) then
        picture.misuse(argument, "bars", "array, or a list of %ss, expected, got %s", KINDS[what], records.kind_of(x))
    end
    local dtype, numbers = x:dtype(), what == "number"
    local kind = dtypes.by_name[dtype].kind
    if select("#", x:shape()) ~= 1 or numbers and (kind == "text" or kind == "time" and dtype ~= "duration") then
        picture.misuse(argument, "bars", "a Vector of %s expected, got %s[%s]", numbers and "numbers" or "labels",
            dtype, table.concat({ x:shape() }, ", "))
    end
    return x
end

-- The options, labels and values of a call: lun.bars(labels, values, opts) or lun.bars(t, {x =, y =}).
local function arguments_of(labels, values, opts)
    local columns = rows.is_columns(labels)
    if columns then
        opts = values
    end
    opts = chart.options(opts, OPTIONS, columns and 2 or 3, "bars")
    if columns then
        labels, values = rows.column(labels, opts, "x", "bars"), rows.column(labels, opts, "y", "bars")
    elseif opts.x ~= nil or opts.y ~= nil then
        picture.misuse(3, "bars", "options 'x' and 'y' name columns of a table, and this is %s",
            core.internal.kind_of(labels))
    end
    labels, values = vector_of(labels, "string", 1), vector_of(values, "number", columns and 1 or 2)
    if labels:size() ~= values:size() then
        picture.misuse(2, "bars", "lengths differ: %d labels and %d values", labels:size(), values:size())
    elseif labels:size() == 0 then
        picture.misuse(1, "bars", "no labels")
    end
    return opts, labels, (axis.numbers(values))
end

-- The text of a value.
local function text_of(v, missing)
    if missing then
        return "-"
    end
    return math.type(v) == "integer" and ("%d"):format(v) or picture.label(v + 0.0, DIGITS)
end

-- The bars that are shown: lists of labels, values (NaN where there is none) and their texts; a note of how many are
-- not.
local function shown(labels, values, opts)
    local n, most = labels:size(), opts.most or MOST
    if opts.sort then
        local order = values:argsort { descending = true }:sub(1, math.min(n, most))
        labels, values = labels:take(order), values:take(order)
    elseif n > most then
        labels, values = labels:sub(1, most), values:sub(1, most)
    end
    local gone, plain = values:ismissing():totable(), values:totable()
    local names = labels:totable { missing = "<NA>" }
    local found = { labels = {}, values = {}, texts = {}, note = n > most and ("... %d more"):format(n - most) or nil }
    for i = 1, #gone do
        local v = plain[i]
        v = v == true and 1 or v == false and 0 or v
        found.labels[i] = picture.shortened(tostring(names[i]))
        found.values[i] = gone[i] and 0 / 0 or v
        found.texts[i] = text_of(v, gone[i])
    end
    return found
end

-- ---------------------------------------------------------------- in letters

-- A bar to the left, of so many characters, to a half.
local function leftward(length)
    local halves = length > 0 and math.max(1, math.floor(length * 2)) or 0
    return (halves % 2 == 1 and "▐" or "") .. ("█"):rep(halves // 2)
end

-- The widest of texts of values that are below 0, or that are not.
local function widest(found, negative)
    local most = 0
    for i, text in ipairs(found.texts) do
        if (found.values[i] < 0) == negative then
            most = math.max(most, #text)
        end
    end
    return most
end

-- Where the bars are: `unit` characters of 1, and `left` of the axis.
local function places(found, room)
    local low, high = axis.extent { found.values, { 0 } }
    local before, behind = widest(found, true), widest(found, false)
    room = room - (before > 0 and before + 1 or 0) - (behind > 0 and behind + 1 or 0)
    local span = high > low and high / 2 - low / 2 or 0.5
    local unit = math.max(room, 4) / span / 2
    return unit, low < 0 and before + 1 + math.max(1, math.floor(-low * unit + 0.5)) or before > 0 and before + 1 or 0
end

-- The bars with their labels and values, as lines.
local function lines_of(found, opts)
    local names = rows.names(found.labels)
    local unit, left = places(found, picture.room(opts) - names.width - 2)
    local lines = letters.head(picture.text(opts.title), picture.text(opts.ylabel), names.width + 1)
    local blue = picture.colours(opts) and "\27[34m%s\27[0m" or "%s"
    local function painted(bar)
        return bar ~= "" and blue:format(bar) or bar
    end
    for i, v in ipairs(found.values) do
        local length, text = axis.finite(v) and math.abs(v) * unit or 0, found.texts[i]
        if v < 0 then
            local bar = leftward(length)
            local free = (" "):rep(left - utf8.len(bar) - #text - 1)
            lines[#lines + 1] = ("%s %s%s %s|"):format(names[i], free, text, painted(bar))
        else
            lines[#lines + 1] = ("%s %s|%s %s"):format(names[i], (" "):rep(left), painted(letters.bar(length)), text)
        end
    end
    lines[#lines + 1] = opts.xlabel ~= nil and (" "):rep(names.width + 2 + left) .. picture.text(opts.xlabel) or nil
    lines[#lines + 1] = found.note
    return lines
end

-- ---------------------------------------------------------------- in files

local GAP, BESIDE = 0.2, 6 -- between bars, of one; pixels between a bar and its value

local function draw(paper, found, opts)
    local low, high = axis.extent { found.values, { 0 } }
    local room = 0
    for _, text in ipairs(found.texts) do
        room = math.max(room, paper:breadth(text, plane.SIZE) + 2 * BESIDE)
    end
    local x = axis.of(nil, low, high, nil, picture.text(opts.xlabel))
    local part = math.min(room / paper.width * 1.4, 0.3) * (x[2] / 2 - x[1] / 2) * 2 -- of the axis, for values below 0
    x[1] = low < 0 and x[1] - part < x[1] and x[1] - part > -math.huge and x[1] - part or x[1]
    local area = plane.begin(paper, { x = x, y = { 0.5, #found.labels + 0.5, label = picture.text(opts.ylabel) },
        rows = found.labels, title = picture.text(opts.title), note = found.note, beside = room })
    local zero = area.to_x(0)
    for i, v in ipairs(found.values) do
        local at = axis.finite(v) and area.to_x(v) or zero
        local top, bottom = area.to_y(i - 0.5 + GAP / 2), area.to_y(i + 0.5 - GAP / 2)
        paper:box(math.min(at, zero), top, math.abs(at - zero), bottom - top, plane.colour(1))
        local left = v < 0
        paper:text(left and at - BESIDE or at + BESIDE, (top + bottom) / 2 + plane.SIZE * 0.35, found.texts[i],
            plane.SIZE, plane.INK, left and "end" or "start")
    end
    plane.finish(paper, area, zero)
end

-- lun.bars(labels, values [, opts]), lun.bars(t, {x =, y =}): a bar for each. With opts.file true, or nil, message,
-- errno.
function bars.bars(labels, values, opts)
    opts, labels, values = arguments_of(labels, values, opts)
    local found = shown(labels, values, opts)
    return chart.give(opts, "bars", function(paper)
        draw(paper, found, opts)
    end, function()
        return lines_of(found, opts)
    end, rows.height(#found.labels, opts))
end

return bars
