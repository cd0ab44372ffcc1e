-- Elements repeated by counts, and runs of elements reduced: spread, reduceat, reduceby, scanby. Built on takes, puts,
-- scans and functions.

local core = require "lunarray.core"
local given_as = require "lunarray.table.keys"
local segments = require "lunarray.function.segments"
local misuse = require "lunarray.base.misuse"
local number = require "lunarray.base.number"
local records = require "lunarray.base.records"

local M = {}

-- A Vector of i64 of the integers in x, an array or a table; nil: it is none. call, what: for the error if i64 has not
-- all of them.
local function integers(x, call, what)
    if type(x) == "table" then
        local made, v = pcall(core.vector, x, "i64")
        x = made and v or nil
    end
    if not (core.isarray(x) and select("#", x:shape()) == 1 and x:dtype():match "^[iu]%d") then
        return nil
    end
    local whole = x:cast "i64"
    if x:dtype() == "u64" and #x > 0 and whole:min() < 0 then -- from 2^63 on
        local k = whole:argmin()
        misuse(1, call, "%s %d is %s: at most 2^63 - 1 expected", what, k, number.unsigned(whole[k]))
    end
    return whole
end

-- The axis that the options name, and its length.
local function axis_of(a, options)
    local axis = 1
    for name, value in pairs(options or {}) do
        if name ~= "axis" then
            misuse(2, "spread", "unknown option '%s': the only option is axis", name)
        end
        axis = value
    end
    local shape = { a:shape() }
    local n = math.type(axis) == "integer" and shape[axis < 0 and #shape + 1 + axis or axis]
    if not n then
        misuse(2, "spread", "axis %s is out of range: the array has %d", axis, #shape)
    end
    return axis, n
end

-- a:spread(counts [, {axis=1}]): each element, or slice, as often as its count says; counts: one each, or a number.
function M.spread(a, counts, options)
    if not core.isarray(a) then
        misuse(1, "spread", "array expected, got %s", core.internal.kind_of(a))
    end
    a:dtype() -- fails if it is freed
    options = math.type(options) and { axis = options } or options
    if options ~= nil and type(options) ~= "table" then
        misuse(2, "spread", "table of options expected, got %s", type(options))
    end
    local axis, n = axis_of(a, options)
    local times = math.type(counts) == "integer" and core.full(n, counts) or integers(counts, "spread", "count")
    if not times then
        misuse(1, "spread", "a number or a Vector of integers expected")
    elseif #times ~= n then
        misuse(1, "spread", "lengths differ: counts %s and axis %d of %s",
            core.isarray(counts) and given_as.described(counts) or #times, axis, given_as.described(a))
    elseif n > 0 and times:min() < 0 then
        misuse(1, "spread", "count %d is negative: %d", times:argmin(), times:min())
    end
    local total = times:sum()
    if n > 0 and times:cast("f64"):sum() >= 2.0 ^ 62 then
        misuse(1, "spread", "the counts add up to 2^62 or more")
    end
    -- how many elements begin at each index: their running sum is the number of the element there
    local starts = core.scan("+", 0)(times):eval()
    local marks = core.zeros(total + 1, "i64"):put(starts + 1, 1, { combine = "+" })
    local at = core.scan("+", 0, { inclusive = true })(marks):eval()
    return a:take(at:sub(1, total), { axis = axis })
end

-- The function that runs from each of `first` to `last` are reduced by, in order.
local function reducer(x, f, id)
    if id == nil then
        return function(first, last)
            local sum = x[first]
            for k = first + 1, last do
                sum = f(sum, x[k])
            end
            return sum
        end
    end
    return function(first, last)
        local sum = id
        for k = first, last do
            sum = f(sum, x[k])
        end
        return sum
    end
end

-- Raises an error unless the offsets ascend within 1 .. n + 1; strictly: no run is empty.
local function check_offsets(at, n, strictly)
    local steps = at:sub(2) - at:sub(1, -2)
    if #at > 0 and (at[1] < 1 or at[#at] > n + 1) then
        misuse(1, "reduceat", "offsets from %d to %d: the length is %d", at[1], at[#at], n)
    elseif #at > 1 and steps:min() < 0 then
        misuse(1, "reduceat", "offset %d is less than the one before", steps:argmin() + 1)
    elseif strictly and #at > 0 and (at[#at] == n + 1 or (#at > 1 and steps:min() == 0)) then
        misuse(3, "reduceat", "a first value is needed, since a run is empty")
    end
end

-- The runs that begin at these offsets, of n elements: where each ends.
local function ends_of(at, n)
    return (at:sub(2) .. core.full(#at > 0 and 1 or 0, n + 1)) - 1
end

-- The same of records: f gives a record, and id is one.
local function reduceat_records(a, at, f, id)
    if not at then
        misuse(1, "reduceat", "a Vector of integers expected")
    elseif select("#", a:shape()) ~= 1 then
        misuse(1, "reduceat", "records along one axis expected, got %d axes", select("#", a:shape()))
    end
    check_offsets(at, #a, id == nil)
    if #at == 0 and id == nil then
        return a:sub(1, 0):copy()
    end
    local first
    f, first = segments.combiner(a, f, id == nil and a[1] or id, 2, "reduceat")
    if id ~= nil then
        local ends = ends_of(at, #a)
        return segments.reduce(a:eval(), at:eval(), (ends - at + 1):eval(), f, first, 2, "reduceat")
    end
    local x, ends = a:eval(), ends_of(at, #a):eval()
    at = at:eval()
    return segments.of_records(a, function()
        return core.generate(#at, function(k)
            local sum = x[at[k]]
            for i = at[k] + 1, ends[k] do
                sum = f(sum, x[i])
            end
            return sum
        end)
    end, 2, "reduceat")
end

-- a:reduceat(offsets, f [, id]): f over each run of elements, from its offset to the next one, or to the end.
function M.reduceat(a, offsets, f, id)
    local known = segments.operation(f)
    local at = integers(offsets, "reduceat", "offset")
    if records.struct_of(a) then
        return reduceat_records(a, at, f, id)
    elseif not core.isarray(a) or select("#", a:shape()) ~= 1 then
        misuse(1, "reduceat", "a Vector expected, got " .. core.internal.kind_of(a))
    elseif not at then
        misuse(1, "reduceat", "a Vector of integers expected")
    elseif type(f) ~= "function" and not known then
        misuse(2, "reduceat", 'a function of two values, or one of "+" "*" "min" "max" "&" "|" "~" expected')
    elseif id ~= nil and type(id) ~= "number" then
        misuse(3, "reduceat", "number expected, got " .. type(id))
    end
    local by_element = id == nil and (not known or known == "min" or known == "max") -- no first value to begin from
    check_offsets(at, #a, by_element)
    local ends = ends_of(at, #a)
    local some = nil
    if core.internal.has_missing(a) and #at > 0 then
        local rest, before = segments.there(a)
        at, ends = (before(at) + 1):eval(), before(ends + 1):eval()
        a, some = rest, at:le(ends)
    end
    local x, combine, first, dtype = segments.ruled(a, known or f, id, 2, "reduceat")
    if first == nil and not by_element then
        first = core.reduce(known)(core.zeros(0, x:dtype())):value()
    end
    if first and a:dtype():match "^b?f" then
        first = first + 0.0
    end
    if not some or first ~= nil then
        return segments.given_as(core.zip(reducer(x, combine, first))(at, ends), dtype)
    end
    -- A run of which nothing is there has no value: it takes some element, and is missing.
    x = #x > 0 and x or core.zeros(1, x:dtype())
    local from = core.min(at, #x)
    local out = core.zip(reducer(x, combine, nil))(from, core.max(ends, from))
    return core.internal.with_missing(segments.given_as(out, dtype), some)
end

-- ---------------------------------------------------------------- by keys

-- Where runs of equal neighbours begin, how many elements each has.
local function equal_neighbours(a, keys, call)
    if not records.struct_of(a) then
        given_as.vector(a, 1, call)
    end
    local k = given_as.column(keys, 1, call)
    if select("#", a:shape()) ~= 1 or select("#", k:shape()) ~= 1 or #a ~= #k then
        misuse(1, call, "lengths differ: %s and keys %s", given_as.described(a), given_as.described(keys))
    end
    local n = #k
    if n == 0 then
        return core.zeros(0, "i64"), core.zeros(0, "i64")
    end
    local before, here = k:sub(1, n - 1), k:sub(2, n)
    local is_new = before:ne(here)
    if k:dtype():find "f" then
        is_new = is_new:land(before:isnan():land(here:isnan()):lnot())
    end
    if core.internal.has_missing(k) then
        is_new = is_new:land(before:ismissing():land(here:ismissing()):lnot())
    end
    local starts = core.concat { core.vector({ 1 }, "i64"), is_new:indices() + 1 }:eval()
    local ends = core.concat { starts:sub(2, -1) - 1, core.vector({ n }, "i64") }
    return starts, (ends - starts + 1):eval()
end

-- a:reduceby(k, f, id): the keys of the runs of equal neighbours in k, and f of the elements of each.
function M.reduceby(a, k, f, id)
    local starts, counts = equal_neighbours(a, k, "reduceby")
    f, id = segments.combiner(a, f, id, 2, "reduceby")
    local keys
    if core.isarray(k) then
        keys = k:take(starts)
    else
        keys = {}
        for i, first in ipairs(starts:totable()) do
            keys[i] = k[first]
        end
    end
    return keys, segments.reduce(a, starts, counts, f, id, 2, "reduceby")
end

-- a:scanby(k, f, id [, opts]): a scan that starts again with each run.
function M.scanby(a, k, f, id, opts)
    local starts, counts = equal_neighbours(a, k, "scanby")
    f, id = segments.combiner(a, f, id, 2, "scanby")
    opts = given_as.options(opts, 4, "scanby", { inclusive = true })
    return segments.scan(a, starts, counts, f, id, opts.inclusive == false, "scanby")
end

return M
