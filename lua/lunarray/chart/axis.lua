-- The axes of pictures: their limits, what their numbers are, and where the elements of an array are on them.

local core = require "lunarray.core"
local dtypes = require "lunarray.base.dtypes"
local picture = require "lunarray.chart.picture"
local ticks = require "lunarray.chart.ticks"

local axis = {}

local function finite(x)
    return x == x and x ~= math.huge and x ~= -math.huge
end
axis.finite = finite

-- An array of dates or timestamps as days, one of durations as seconds, others as they are; and what the numbers are:
-- "whole", "dates" or nil.
function axis.numbers(a)
    local dtype = a:dtype()
    if dtype == "date" or dtype == "timestamp" then
        return a:cast "timestamp":cast "i64" / 86400e6, "dates"
    elseif dtype == "duration" then
        return a:cast "i64" / 1e6, nil
    end
    return a, not dtypes.is_float(dtype) and "whole" or nil
end

-- The elements of an array as floats; for a logarithmic axis their logarithms to base ten, NaN of what is not above 0.
function axis.values(a, log)
    local x = dtypes.floats(a)
    return log and core.where(x:gt(0), x:log10(), 0 / 0) or x
end

-- Raises unless an option that names limits has two, in order, and above 0 for a logarithmic axis.
function axis.check_limits(opts, name, log, argument, call)
    local range = opts[name]
    if range == nil then
        return
    elseif not (type(range) == "table" and #range == 2 and math.type(range[1]) and math.type(range[2])
        and range[1] < range[2]) then
        picture.misuse(argument, call, "option '%s': {low, high} expected", name)
    elseif log and range[1] <= 0 then
        picture.misuse(argument, call, "option '%s': limits above 0 expected, for the axis is logarithmic", name)
    end
end

-- The smallest and the largest finite number of lists; infinity and its negative where there is none.
function axis.extent(lists)
    local low, high = math.huge, -math.huge
    for _, values in ipairs(lists) do
        for _, v in ipairs(values) do
            if finite(v) then
                low, high = math.min(low, v), math.max(high, v)
            end
        end
    end
    return low, high
end

-- An axis: { low, high, kind =, label = }. limits: what the user asks for, nil: those of the data, low and high, with
-- round numbers near them; tight: without these.
function axis.of(limits, low, high, kind, label, tight)
    local found
    if limits then
        local log = kind == "log"
        found = { log and math.log(limits[1], 10) or limits[1], log and math.log(limits[2], 10) or limits[2] }
    elseif low > high then
        found = { 0, 1 }
    elseif low == high then
        local more = math.max(math.abs(low) * 0.05, 0.5)
        found = { low - more, high + more }
    else
        found = { low, high }
    end
    if not limits and not tight then
        found = { ticks.widened(found[1], found[2]) }
    end
    found.kind, found.label = kind, label
    return found
end

-- A function from a value between low and high of an axis to a coordinate between two.
function axis.scale(of, from, to)
    local low, span = of[1], of[2] - of[1]
    local part = span < math.huge and 1 or 0.5 -- of huge values the difference is infinite
    span = part == 1 and span or of[2] * part - low * part
    return function(v)
        return from + (v * part - low * part) / span * (to - from)
    end
end

return axis
