-- a:unique{axis=}: the different parts of an array along an axis, rows of a matrix along the first.

local core = require "lunarray.core"
local misuse = require "lunarray.base.misuse"
local public = require "lunarray.base.public"
local search = require "lunarray.names.search"

-- Numbers, from 1, that are equal where elements are, and ascend with them.
local numbered = search.index_of_value

-- The same of two: by the first, then by the second.
local function numbered_by(first, second)
    return first and numbered(first * (second:max() + 1) + second) or second
end

local function axis_of(a, options)
    local rank, axis = select("#", a:shape()), math.tointeger(options.axis)
    for name in pairs(options) do
        if name ~= "axis" then
            misuse(1, "unique", "unknown option '%s'; the option is axis", tostring(name))
        end
    end
    if not axis or axis == 0 or math.abs(axis) > rank then
        misuse(1, "unique", "option axis: an axis from 1 to %d expected, got %s", rank,
            math.type(options.axis) and tostring(options.axis) or core.internal.kind_of(options.axis))
    end
    return axis < 0 and rank + 1 + axis or axis, rank
end

-- The parts that differ, in ascending order, the first element the most important, and how often each occurs. Of equal
-- parts the first one stays; NaN is the last value, and equal to itself.
return public(function(a, options)
    local axis, rank = axis_of(a, options)
    local n = (select(axis, a:shape()))
    if n == 0 then
        return a:copy(), core.zeros(0, "i64")
    end
    local table_of = (rank == 1 and a or a:moveaxis(axis, 1)):reshape(n, -1)
    local same
    for j = 1, select(2, table_of:shape()) do
        same = numbered_by(same, numbered(table_of:col(j):copy()))
    end
    same = same or core.ones(n, "i64") -- parts without elements are equal
    local order = same:argsort()
    local counts = select(2, same:unique())
    return a:take(order:take(core.scan("+", 0)(counts) + 1), { axis = axis }), counts
end)
