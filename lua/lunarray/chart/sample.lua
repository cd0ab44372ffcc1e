-- The numbers by which a series is drawn: its points, or of a long one the smallest and the largest element of each
-- part, which the engine finds. Lua sees some hundred numbers of each.

local axis = require "lunarray.chart.axis"
local core = require "lunarray.core"
local picture = require "lunarray.chart.picture"

local sample = {}

local SAMPLES = 20000 -- points read of a series that is drawn point by point
local LONG = 1 << 28 -- elements of a line; of a longer one every k-th is used

-- Every k-th element, so that no more than `most` are left; and k.
local function thinned(a, most)
    local n = a:size()
    local step = math.max(1, (n + most - 1) // most)
    return step == 1 and a or a:sub(1, n, step), step
end

-- The smallest and largest element from first to last; NaN where there is none.
local function ends_of(a, first, last)
    local low, high = picture.limits(a:sub(first, last))
    return low or 0 / 0, high or 0 / 0
end

-- The smallest and largest element in each of `columns` equal parts.
local function envelope(a, columns)
    local lows, highs = {}, {}
    local n = a:size()
    for i = 1, columns do
        lows[i], highs[i] = ends_of(a, n * (i - 1) // columns + 1, n * i // columns)
    end
    return lows, highs
end

-- Whether numbers ascend, but for NaN.
local function ascends(values)
    local before = -math.huge
    for _, v in ipairs(values) do
        if v < before then
            return false
        elseif v == v then
            before = v
        end
    end
    return true
end

-- Points through the smallest and the largest element of each part of a line: of parts that are as wide. xs: every
-- step-th x, ascending.
local function zigzag(xs, y, step, columns)
    local found = { n = y:size(), x = {}, y = {} }
    local low, high = axis.extent { xs }
    local i, first, up = 1, 1, true
    for column = 1, columns do
        local edge = low + (high - low) * column / columns
        local from = i
        while i <= #xs and (column == columns or xs[i] ~= xs[i] or xs[i] <= edge) do
            i = i + 1
        end
        if i > from then
            local last = i > #xs and y:size() or (i - 1) * step
            local lowest, highest = ends_of(y, first, last)
            local left, right = axis.extent { table.move(xs, from, i - 1, 1, {}) }
            local middle, at = left / 2 + right / 2, #found.x
            found.x[at + 1], found.x[at + 2] = middle, middle
            found.y[at + 1], found.y[at + 2] = up and lowest or highest, up and highest or lowest
            first, up = last + 1, not up
        end
    end
    return found
end

-- A line that stays as it is until the next point, by further points.
local function stairs(found)
    local xs, ys = {}, {}
    for i, y in ipairs(found.y) do
        local x = found.x and found.x[i] or i
        if i > 1 then
            xs[#xs + 1], ys[#ys + 1] = x, found.y[i - 1]
        end
        xs[#xs + 1], ys[#ys + 1] = x, y
    end
    found.x, found.y = xs, ys
    return found
end

-- The numbers of the series `one`, { y, name, x = } with x an array or nil: n, and x (nil: from 1 on) and y, or lows
-- and highs; points: whether they are not joined. columns: parts of a long line; opts: those of lun.plot.
function sample.of(one, columns, opts)
    local y, x = axis.values(one[1], opts.ylog), one.x
    local n = y:size()
    if not x and opts.xlog then
        x = core.index(n)
    elseif not x and n > 2 * columns then
        local lows, highs = envelope((thinned(y, LONG)), 2 * columns)
        return { n = n, lows = lows, highs = highs }
    end
    local found = { n = n }
    local ascending = true
    if x then
        local thin, step = thinned(x, SAMPLES)
        found.x = axis.values(thin, opts.xlog):totable()
        ascending = ascends(found.x)
        if step > 1 and ascending and not opts.points then
            return zigzag(found.x, y, step, 2 * columns)
        end
        found.y = (step == 1 and y or y:sub(1, n, step)):totable()
    else
        found.y = y:totable()
    end
    found.points = opts.points
    if found.points == nil then
        found.points = not ascending
    end
    return opts.step and not found.points and stairs(found) or found
end

-- How many points of the series are not shown, because they are not above 0 on a logarithmic axis.
function sample.left_out(list, opts)
    local counts = {}
    for _, one in ipairs(list) do
        local mask = opts.ylog and one[1]:le(0)
        if opts.xlog and one.x then
            mask = mask and mask | one.x:le(0) or one.x:le(0)
        end
        counts[#counts + 1] = mask and mask:lazy "count" or nil
    end
    local sum = 0
    for _, count in ipairs { core.eval(table.unpack(counts)) } do
        sum = sum + count
    end
    return sum
end

return sample
