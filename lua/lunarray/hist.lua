-- lun.hist: how often which values come, as bars in the terminal. The engine counts; Lua sees one number
-- for each bar.

local core = require "lunarray.core"
local dtypes = require "lunarray.dtypes"
local picture = require "lunarray.picture"

local hist = {}

local KNOWN = { width = true, string = true, colour = true, title = true, bins = true, low = true, high = true }
local EIGHTHS = { "▏", "▎", "▍", "▌", "▋", "▊", "▉", [0] = "" }
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

local function bar(length)
    local whole = math.floor(length)
    local part = math.floor((length - whole) * 8)
    return ("█"):rep(whole) .. EIGHTHS[part]
end

-- Labels of as few digits as tell all the edges apart.
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

local function draw(counts, edges, opts)
    local lines, labels = {}, labels_of(edges)
    local left, most = 0, 1
    for i, label in ipairs(labels) do
        left = math.max(left, #label)
        most = math.max(most, counts[i] or 0)
    end
    local width = math.max(4, picture.room(opts) - 2 * left - #tostring(most) - 9)
    local colours = picture.colours(opts)
    if opts.title then
        lines[1] = tostring(opts.title)
    end
    for i, count in ipairs(counts) do
        local text = bar(count / most * width)
        if count > 0 and text == "" then
            text = "▏"
        end
        if colours and text ~= "" then
            text = "\27[34m" .. text .. "\27[0m"
        end
        lines[#lines + 1] = ("%s%s to %s%s |%s %d"):format((" "):rep(left - #labels[i]), labels[i],
            (" "):rep(left - #labels[i + 1]), labels[i + 1], text, count)
    end
    return lines
end

-- lun.hist(a [, bins] [, opts]).
function hist.hist(a, bins, opts)
    local opts_at = 3
    if type(bins) == "table" and opts == nil then
        bins, opts, opts_at = nil, bins, 2
    end
    opts = picture.options(opts, KNOWN, opts_at, "hist")
    bins = bins or opts.bins
    if not core.isarray(a) then
        picture.misuse(1, "hist", "array expected, got %s", core.internal.kind_of(a))
    elseif bins ~= nil and (math.type(bins) ~= "integer" or bins < 1 or bins > MOST) then
        picture.misuse(2, "hist", "a number of bins from 1 to %d expected", MOST)
    elseif a:size() == 0 then
        picture.misuse(1, "hist", "the array has no elements")
    end
    local whole = not dtypes.is_float(a:dtype())
    local x = whole and a:cast "f64" or a
    if x:size() <= STORED then
        x = x:copy() -- what is counted several times is computed once
    end
    local low, high = picture.limits(x)
    local finite = core.isfinite(x):count()
    local left_out = a:size() - finite
    if not low then
        return picture.give({ ("no finite elements (%d nan or inf)"):format(left_out) }, opts)
    end
    low, high = opts.low or low, opts.high or high
    if low > high or low ~= low or high ~= high then
        picture.misuse(opts_at, "hist", "low must not exceed high: %s and %s", low, high)
    end
    local edges = edges_between(low, high, a:size(), bins, whole)
    local lines = draw(bars(x, edges), edges, opts)
    if left_out > 0 then
        lines[#lines + 1] = ("%d nan or inf skipped"):format(left_out)
    end
    return picture.give(lines, opts)
end

return hist
