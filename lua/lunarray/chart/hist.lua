-- lun.hist: histograms as bars in the terminal or in a file (chart.lua). The engine counts numbers;
-- Lua sees one for each bar. Texts are counted by Lua.

local chart = require "lunarray.chart.chart"
local core = require "lunarray.core"
local dtypes = require "lunarray.base.dtypes"
local letters = require "lunarray.chart.letters"
local marks = require "lunarray.chart.marks"
local picture = require "lunarray.chart.picture"
local records = require "lunarray.base.records"

local hist, internal = {}, core.internal

local OPTIONS = "bins high low"
local TOGETHER = 16 -- counts of one kernel
local MOST = 200
local STORED = 1 << 26 -- elements

-- ---------------------------------------------------------------- counting

-- How many elements are below each of the edges, in as few passes as kernels of a fair size allow.
local function below(a, edges)
    local counts = {}
    for first = 1, #edges, TOGETHER do
        local lazy = {}
        for i = first, math.min(first + TOGETHER - 1, #edges) do
            lazy[#lazy + 1] = a:lt(edges[i]):lazy "count"
        end
        table.move({ core.eval(table.unpack(lazy)) }, 1, #lazy, first, counts)
    end
    return counts
end

-- The counts of the bars between neighbouring edges; the last one includes its upper edge.
local function bars(a, edges)
    local counts = below(a, edges)
    counts[#edges] = a:le(edges[#edges]):count()
    local result = {}
    for i = 1, #edges - 1 do
        result[i] = counts[i + 1] - counts[i]
    end
    return result
end

-- Edges of as many bars as asked for, or as fit the number of elements.
local function edges_between(low, high, n, bins, whole)
    if low == high then
        local more = whole and 0.5 or math.max(math.abs(low) * 0.05, 0.5)
        low, high, bins = low - more, high + more, bins or 1
    elseif whole and not bins and high - low < 40 then -- one for each number
        low, high = low - 0.5, high + 0.5
        bins = math.tointeger(high - low)
    end
    bins = bins or math.max(5, math.min(25, math.ceil(math.log(n, 2)) + 1))
    local edges = {}
    for i = 0, bins do
        edges[i + 1] = low * (1 - i / bins) + high * (i / bins)
    end
    return edges
end

-- ---------------------------------------------------------------- drawing

-- Labels with as few digits as distinguish all edges.
local function labels_of(edges)
    local labels
    for digits = 3, 15 do
        local seen, apart = {}, true
        labels = {}
        for i, edge in ipairs(edges) do
            labels[i] = picture.label(edge, digits)
            apart = apart and not seen[labels[i]]
            seen[labels[i]] = true
        end
        if apart then
            break
        end
    end
    return labels
end

-- The labels of the bars between edges: "low to high", all equally wide.
local function ranges_of(edges)
    local labels, width, result = labels_of(edges), 0, {}
    for _, label in ipairs(labels) do
        width = math.max(width, #label)
    end
    for i = 1, #edges - 1 do
        result[i] = ("%s%s to %s%s"):format((" "):rep(width - #labels[i]), labels[i],
            (" "):rep(width - #labels[i + 1]), labels[i + 1])
    end
    return result
end

-- The bars with their labels, as lines.
local function draw(counts, labels, opts)
    local lines, left, most = {}, 0, 1
    for i, label in ipairs(labels) do
        left = math.max(left, picture.breadth(label))
        most = math.max(most, counts[i])
    end
    local width = math.max(4, picture.room(opts) - left - #tostring(most) - 5)
    local colours = picture.colours(opts)
    lines[1] = picture.text(opts.title)
    lines[#lines + 1] = picture.text(opts.ylabel)
    for i, count in ipairs(counts) do
        local text = letters.bar(count / most * width)
        if colours and text ~= "" then
            text = "\27[34m" .. text .. "\27[0m"
        end
        local room = (" "):rep(left - picture.breadth(labels[i]))
        lines[#lines + 1] = ("%s%s |%s %d"):format(labels[i], room, text, count)
    end
    lines[#lines + 1] = opts.xlabel ~= nil and (" "):rep(left + 2) .. picture.text(opts.xlabel) or nil
    return lines
end

-- The bars, drawn as the options say; x: the axis of a chart; names: the labels of its bars; note: a line below.
local function give(counts, edges, opts, x, names, note)
    local most = 1
    for _, count in ipairs(counts) do
        most = math.max(most, count)
    end
    x.label = picture.text(opts.xlabel)
    return chart.give(opts, "hist", function(paper)
        marks.bars(paper, { counts = counts, edges = edges, labels = names, x = x, note = note,
            y = { 0, most * 1.05, kind = "whole", label = picture.text(opts.ylabel) },
            title = picture.text(opts.title) })
    end, function()
        local lines = draw(counts, names or ranges_of(edges), opts)
        lines[#lines + 1] = note
        return lines
    end)
end

-- What is drawn where nothing is counted: a picture of empty axes, or the line that says why.
local function give_nothing(note, opts)
    if opts.file then
        return give({ 0 }, { 0, 1 }, opts, { 0, 1 }, nil, note)
    end
    return picture.give({ note }, opts)
end

-- ---------------------------------------------------------------- texts

-- The count of each text of a list or an array, in the order of their bytes; missing ones are left out.
local function of_texts(list, opts)
    local levels, counts
    if core.isarray(list) then
        local counted = list:dropna():value_counts():sort "value"
        levels, counts = counted.value:totable(), counted.count:totable()
    else
        local codes
        codes, levels = internal.factor(list)
        if not codes then
            picture.misuse(1, "hist", "array, or a list of texts, expected, got a list with a %s at %d",
                type(list[levels]), levels)
        end
        counts = require("lunarray.table.group").group(codes):count():totable()
    end
    if #levels == 0 and #list > 0 then
        return give_nothing(("no texts (%d missing)"):format(#list), opts)
    elseif #levels == 0 or #levels > MOST then
        picture.misuse(1, "hist", "%d different texts; from 1 to %d can be shown", #levels, MOST)
    end
    local names, edges = {}, { 1 }
    for i, text in ipairs(levels) do
        names[i], edges[i + 1] = picture.shortened(text), i + 1
    end
    return give(counts, edges, opts, { 1, #levels + 1, kind = "names" }, names)
end

-- ---------------------------------------------------------------- arguments

-- lun.hist(a [, bins] [, opts]): of an array or a list of texts. With opts.file true, or nil, message, errno.
function hist.hist(a, bins, opts)
    local opts_at = 3
    if type(bins) == "table" and opts == nil then
        bins, opts, opts_at = nil, bins, 2
    end
    opts = chart.options(opts, OPTIONS, opts_at, "hist")
    bins = bins or opts.bins
    if type(a) == "table" and type(a[1]) == "string" or core.isarray(a) and a:dtype() == "text" then
        return of_texts(a, opts)
    elseif not core.isarray(a) then
        picture.misuse(1, "hist", "array, or a list of texts, expected, got %s", records.kind_of(a))
    elseif bins ~= nil and (math.type(bins) ~= "integer" or bins < 1 or bins > MOST) then
        picture.misuse(2, "hist", "a number of bins from 1 to %d expected", MOST)
    elseif a:size() == 0 then
        picture.misuse(1, "hist", "the array has no elements")
    end
    local whole = not dtypes.is_float(a:dtype())
    local x = whole and a:cast "f64" or a
    if x:size() <= STORED then
        x = x:copy() -- evaluated once for all counts
    end
    local low, high = picture.limits(x)
    local finite = core.isfinite(x):count()
    local left_out = a:size() - finite
    local missing = internal.has_missing(a) and a:ismissing():count() or 0
    local skipped = missing == 0 and "nan or inf" or missing == left_out and "missing" or "nan, inf or missing"
    if not low then
        return give_nothing(("no finite elements (%d %s)"):format(left_out, skipped), opts)
    end
    low, high = opts.low or low, opts.high or high
    if low > high or low ~= low or high ~= high then
        picture.misuse(opts_at, "hist", "low must not exceed high: %s and %s", low, high)
    end
    local edges = edges_between(low, high, a:size(), bins, whole)
    local note = left_out > 0 and ("%d %s skipped"):format(left_out, skipped) or nil
    return give(bars(x, edges), edges, opts, { edges[1], edges[#edges] }, nil, note)
end

return hist
