-- Names that find elements and places, and names of sets.

local call = require "lunarray.names.call"
local core = require "lunarray.core"
local dtypes = require "lunarray.base.dtypes"

local rows, row = call.rows "Searching and sets"
local array, bad, rank_of, where = call.array, call.bad, call.rank, core.where

-- A Vector whose elements ascend and are no NaN.
local function ascending(x, argument)
    x = call.vector(x, argument)
    if call.is_float(x) and x:isnan():any() then
        bad(argument, "element %d is NaN", x:isnan():indices()[1])
    elseif #x > 1 then
        local falls = x:sub(2):lt(x:sub(1, -2))
        if falls:any() then
            bad(argument, "element %d is less than the one before: they have to ascend", falls:indices()[1] + 1)
        end
    end
    return x
end

row("digitize", "a:digitize(edges [, {right=true}])",
    "the bin of each element: the index of the first edge above it, or, with right, of the first that is not below",
    "lun.vector{0.5, 1.0, 9.0}:digitize(lun.vector{1.0, 2.0})", "{1, 2, 3}",
    function(a, edges, options)
        array(a, 1)
        edges = ascending(edges, 2)
        options = call.options(options, 3, "right")
        return edges:searchsorted(a, not options.right and { side = "right" } or nil)
    end)

-- The indices along each axis of elements that are not 0, row-major.
local function places(a)
    local shape = { array(a, 1):shape() }
    if #shape == 0 then
        bad(1, "an array of rank 1 or more expected, got a Scalar")
    end
    local at = (a:dtype() == "bool" and a or a:ne(0)):indices() - 1
    local list = {}
    for axis = #shape, 1, -1 do
        local n = math.max(shape[axis], 1)
        list[axis] = axis == 1 and at + 1 or at % n + 1
        at = at // n
    end
    return list
end

row("nonzero", "a:nonzero()", "a list of Vectors, one for each axis: the indices of the elements that are not 0",
    "lun.vector{{0, 5}, {7, 0}}:nonzero()", "{{1, 2}, {2, 1}}", places)

row("argwhere", "a:argwhere()", "a matrix with a row of indices for each element that is not 0",
    "lun.vector{{0, 5}, {7, 0}}:argwhere()", "{{1, 2}, {2, 1}}", function(a) return core.stack(places(a), 2) end)

row("extract", "a:extract(mask)", "the elements where mask is true: a:compress",
    "lun.vector{1, 2, 3}:extract(lun.vector{true, false, true})",
    "{1, 3}",
    function(a, mask)
        array(a, 1)
        return a:compress(array(mask, 2))
    end)

-- At each element of a, real numbers, the line through the points (x, y), all floats; left and right: numbers.
local function interpolated(a, x, y, left, right)
    local n, inside = #x
    if n == 1 then
        inside = core.zeros(1) + y[1]
    else
        local k = core.clamp(x:searchsorted(a, { side = "right" }) - 1, 1, n - 1)
        local slope = (y:sub(2) - y:sub(1, -2)) / (x:sub(2) - x:sub(1, -2))
        inside = slope:take(k) * (a - x:take(k)) + y:take(k)
        inside = where(a:eq(x:take(k + 1)), y:take(k + 1), where(a:eq(x:take(k)), y:take(k), inside))
    end
    return where(a:isnan(), a, where(a:lt(x[1]), left or y[1], where(a:gt(x[n]), right or y[n], inside)))
end

-- A number for one end of complex values.
local function complex_end(z)
    return core.iscomplex(z) and z or call.number(z, 4)
end

row("interp", "a:interp(x, y [, {left=, right=}])",
    "at each element of a the line through the points (x, y), x ascending; before and after them left and right, by\n"
        .. "default the first and the last y; y may be complex",
    "lun.vector{1.5, 9.0}:interp(lun.vector{1, 2}, lun.vector{10, 20})", "{15.0, 20.0}",
    function(a, x, y, options)
        a = call.floating(array(a, 1))
        x, y = call.floating(ascending(x, 2)), call.vector(y, 3)
        options = call.options(options, 4, "left right")
        local complex = core.iscomplex(y)
        if #x == 0 then
            bad(2, "a point at least is needed")
        elseif #y ~= #x then
            bad(3, "%d values for %d places", #y, #x)
        end
        local number = complex and complex_end or function(z) return call.number(z, 4) end
        local left, right = options.left and number(options.left), options.right and number(options.right)
        if not complex then
            return interpolated(a, x, call.floating(y), left, right)
        end
        local function of_part(part)
            return interpolated(a, x, part(y), left and part(left), right and part(right))
        end
        return core.complex(of_part(core.real), of_part(core.imag))
    end)

-- ---------------------------------------------------------------- different values

-- All elements as a Vector.
local function flat(a)
    return rank_of(array(a, 1)) == 1 and a or a:flatten()
end

local has_missing, slots = core.internal.has_missing, core.internal.slots

-- The elements of a that are there, a Vector.
local function there(a)
    return has_missing(a) and slots(flat(a):compress(flat(a):ismissing():lnot())) or a
end

-- Whether elements are NaN, which missing ones are not.
local function is_nan(x)
    return has_missing(x) and x:isnan():land(x:ismissing():lnot()) or x:isnan()
end

-- Values and counts of a:unique, in which all NaN are one: each is a value of its own, as the standard has it. Then
-- also how many values each of them became; nil: there is no NaN.
local function apart(values, counts)
    local known = dtypes.by_name[values:dtype()] -- nil: records
    local nan = known and (known.kind == "float" or known.kind == "complex") and #values > 0 and is_nan(values)
    if not nan or not nan:any() then
        return values, counts
    end
    local many = where(nan, counts, 1)
    return values:spread(many), where(nan, 1, counts):spread(many), many
end

-- The places, from 1, at which runs of so many begin.
local function starts(counts)
    return core.scan("+", 0)(counts) + 1
end

-- For each element of a Vector the index of its value among those of a:unique.
local function indices_of_values(all, values, counts)
    if core.iscomplex(all) then
        return core.index(#values):spread(counts):take(all:argsort():argsort())
    end
    local numbers = there(values)
    local inverse = numbers:searchsorted(has_missing(all) and slots(all) or all)
    if call.is_float(all) then -- NaN is the last of them
        inverse = where(all:isnan(), #numbers, inverse)
    end
    return has_missing(all) and where(all:ismissing(), #values, inverse) or inverse
end

-- The same without the values.
function rows.index_of_value(all)
    return indices_of_values(all, all:unique())
end

-- The different values, how often each occurs, and for each element the index of its value, in a's shape.
local function distinct(a)
    local all = flat(a)
    local values, counts = all:unique()
    local inverse = indices_of_values(all, values, counts)
    local each, times, many = apart(values, counts)
    if many then -- NaN in the order in which they stand
        local behind = all:argsort():argsort() - starts(counts):take(inverse)
        inverse = starts(many):take(inverse) + where(is_nan(all), behind, 0)
    end
    if rank_of(a) == 0 then
        inverse = inverse:lazy "max"
    end
    return each, times, rank_of(a) > 1 and inverse:reshape { a:shape() } or inverse
end

local function values_alone(a) return (apart(flat(a):unique())) end

row("unique_values", "a:unique_values()",
    "the different values, sorted: the first result of a:unique, but each NaN is a value of its own",
    "lun.vector{2, 1, 2}:unique_values()",
    "{1, 2}", values_alone)
row("unique_counts", "a:unique_counts()", "the different values, as of unique_values, and how often each occurs",
    "lun.vector{2, 1, 2}:unique_counts()", "{1, 2}, {1, 2}",
    function(a)
        local values, counts = apart(flat(a):unique())
        return values, counts
    end)
row("unique_inverse", "a:unique_inverse()",
    "the different values, as of unique_values, and for each element, in a's shape, the index of its value",
    "lun.vector{2, 1, 2}:unique_inverse()", "{1, 2}, {2, 1, 2}",
    function(a)
        local values, _, inverse = distinct(a)
        return values, inverse
    end)
row("unique_all", "a:unique_all()",
    "four: the different values, as of unique_values; the index, row-major, at which each first occurs; for each "
        .. "element\n"
        .. "the index of its value; how often each occurs",
    "lun.vector{2, 1, 2}:unique_all()", "{1, 2}, {2, 1}, {2, 1, 2}, {1, 2}",
    function(a)
        local values, counts, inverse = distinct(a)
        return values, flat(a):argsort():take(starts(counts)), inverse, counts
    end)

-- Where elements are among the sorted different values of another array; NaN is none of them, missing may be one.
local function among(a, values)
    if core.iscomplex(a) or core.iscomplex(values) then
        bad(1, "complex numbers have no order: take abs(), real() or imag()")
    elseif has_missing(values) then
        local rest = there(values)
        return among(a, rest):lor(a:ismissing():land(#rest < #values))
    elseif has_missing(a) then
        return among(slots(a), values):land(a:ismissing():lnot())
    elseif #values == 0 then
        return a:ne(a:copy()):land(false)
    end
    local k = core.min(values:searchsorted(a), #values)
    return values:take(k):eq(a)
end

-- The different values of an argument, without NaN or with.
local function values_of(x, argument)
    x = core.isarray(x) and x or call.vector(x, argument)
    return (flat(x):unique())
end

row("isin", "a:isin(list)",
    "where elements are among those of a list or an array; NaN is in none, missing ones where one is there",
    "lun.vector{1, 2, 3}:isin{3, 1}", "{true, false, true}",
    function(a, list) return among(array(a, 1), values_of(list, 2)) end)

row("intersect", "a:intersect(b)", "the different values that are in both, sorted",
    "lun.vector{3, 1, 2}:intersect{3, 2, 5}", "{2, 3}",
    function(a, b)
        local values = values_of(array(a, 1), 1)
        return values:compress(among(values, values_of(b, 2)))
    end)
row("union", "a:union(b)", "the different values that are in one or both, sorted", "lun.vector{3, 1}:union{2, 3}",
    "{1, 2, 3}",
    function(a, b) return (core.concat({ values_of(array(a, 1), 1), values_of(b, 2) }):unique()) end)
row("setdiff", "a:setdiff(b)", "the different values of a that are not in b, sorted", "lun.vector{3, 1, 2}:setdiff{3}",
    "{1, 2}",
    function(a, b)
        local values = values_of(array(a, 1), 1)
        return values:compress(among(values, values_of(b, 2)):lnot())
    end)
row("setxor", "a:setxor(b)", "the different values that are in one of the two, sorted", "lun.vector{3, 1}:setxor{2, 3}",
    "{1, 2}",
    function(a, b)
        local x, y = values_of(array(a, 1), 1), values_of(b, 2)
        return core.concat({ x:compress(among(x, y):lnot()), y:compress(among(y, x):lnot()) }):sort()
    end)

row("nunique", "a:nunique()", "how many different values there are, missing ones left out; all NaN are one",
    "lun.vector{2, 1, 2}:nunique()",
    "2",
    function(a) return #(there(flat(a)):unique()) end)

row("mode", "a:mode()", "the value that occurs most often, of several the least", "lun.vector{3, 1, 3, 2, 2}:mode()",
    "2",
    function(a)
        local values, counts = there(flat(a)):unique()
        if #values == 0 then
            bad(1, "mode of an empty array")
        end
        return values[counts:argmax()]
    end)

row("value_counts", "a:value_counts()", "a table of columns, value and count: most frequent first, then by value",
    "lun.vector{3, 1, 3}:value_counts().value", "{3, 1}",
    function(a)
        local values, counts = flat(a):unique()
        local order = counts:argsort { descending = true }
        return require("lunarray.table.object").table({ value = values:take(order), count = counts:take(order) },
            { "value", "count" })
    end)

row("rank", 'a:rank([{method="average", descending=true}])',
    'the place of each element of a Vector in their order, f64; of equal ones the mean of their places, "average",\n'
        .. 'the least, "min", the greatest, "max", one after the other, "first", or without gaps, "dense"; '
        .. 'NaN is last;\n'
        .. "what is missing has none",
    "lun.vector{30, 10, 30}:rank()", "{2.5, 1.0, 2.5}",
    function(a, options)
        a = call.of_rank(a, 1, 1)
        if has_missing(a) then
            local valid = a:ismissing():lnot()
            local ranks = core.zeros(#a):put(valid:indices(), there(a):rank(options))
            return core.internal.with_missing(ranks, valid)
        end
        options = call.options(options, 2, "method descending")
        local method = call.word(options.method == nil and "average" or options.method, 2,
            "average min max dense first",
            "method")
        local n = #a
        if n == 0 then
            return core.zeros(0)
        elseif method == "first" then
            local order = a:argsort { descending = options.descending and true or nil }
            return core.zeros(n):put(order, core.index(n):cast "f64")
        end
        local values, counts, k = distinct(a)
        local before = core.scan("+", 0)(counts)
        local last = call.is_float(a) and #values > 0 and a:isnan():any()
        local numbers, different = n - (last and counts[#values] or 0), #values - (last and 1 or 0)
        local low, high, dense = before + 1, before + counts, core.index(#values)
        if options.descending then
            local is_number = dense:le(different)
            low, high = where(is_number, numbers + 1 - high, low), where(is_number, numbers + 1 - low, high)
            dense = where(is_number, different + 1 - dense, dense)
        end
        local place = method == "min" and low or method == "max" and high or method == "dense" and dense
            or (low + high) / 2
        return place:take(k):cast "f64"
    end)

return rows
