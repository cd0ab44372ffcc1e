-- Names of statistics, and of gaps: missing elements and NaN.

local call = require "lunarray.names.call"
local core = require "lunarray.core"
local dtypes = require "lunarray.base.dtypes"

local rows, row = call.rows "Statistics and gaps"
local array, bad, rank_of, where = call.array, call.bad, call.rank, core.where

-- ---------------------------------------------------------------- two variables

-- a without a validity: what is missing has been replaced, or left out.
local function whole(a)
    return core.internal.has_missing(a) and core.internal.slots(a) or a
end

-- Two arrays of one shape, in floats; of Vectors pairs of which one is missing are left out.
local function pair(a, b)
    array(b, 2)
    if table.concat({ a:shape() }, " ") ~= table.concat({ b:shape() }, " ") then
        bad(2, "shapes differ: %s and %s", call.described(a), call.described(b))
    end
    a, b = call.floating(a), call.floating(b)
    if core.internal.has_missing(a) or core.internal.has_missing(b) then
        local there = (a:ismissing() | b:ismissing()):lnot()
        a, b = whole(a):compress(there), whole(b):compress(there)
    end
    return a, b
end

-- The sums of products of the deviations of rows, or columns, and how many there are of each.
local function products(A, options)
    A = call.floating(call.of_rank(A, 2, 1))
    if options.rows == false then
        A = A:transpose()
    end
    local n = select(2, A:shape())
    if n == 0 then
        bad(1, "variables without observations: %s", call.described(A))
    end
    local D = A - A:mean { axis = 2, keep = true }
    return D:matmul(D:transpose()), n
end

row("cov", "a:cov(b [, {ddof=1}]), A:cov([{ddof=1, rows=true}])",
    "the covariance of two arrays, a number, without pairs of which one is missing; of a matrix that of its rows, or, "
        .. "with\nrows=false, columns, a matrix; divided by n - ddof, which is n - 1 here",
    "lun.vector{1, 2, 3}:cov(lun.vector{2, 4, 7})", "2.5",
    function(a, b, options)
        array(a, 1)
        if core.isarray(b) then
            options = call.options(options, 3, "ddof")
            local ddof = options.ddof == nil and 1 or call.number(options.ddof, 3)
            local x, y = pair(a, b)
            return ((x - x:mean()) * (y - y:mean())):sum() / (x:size() - ddof)
        end
        options = call.options(b, 2, "ddof rows")
        local P, n = products(a, options)
        return P / (n - (options.ddof == nil and 1 or call.number(options.ddof, 2)) + 0.0)
    end)

row("corr", "a:corr(b)", "the correlation of two arrays by Pearson, a number, without pairs of which one is missing",
    "lun.vector{1, 2, 3}:corr(lun.vector{2, 4, 6})", "1.0",
    function(a, b)
        local x, y = pair(array(a, 1), b)
        x, y = x - x:mean(), y - y:mean()
        local xy, xx, yy = core.eval((x * y):lazy "sum", (x * x):lazy "sum", (y * y):lazy "sum")
        local r = xy / (xx * yy) ^ 0.5
        return r ~= r and r or math.max(-1.0, math.min(1.0, r)) -- NaN where nothing varies
    end)

row("corrcoef", "A:corrcoef([{rows=true}])",
    "the matrix of the correlations of a matrix's rows, or, with rows=false, columns",
    "lun.vector{{1, 2, 3}, {6, 4, 2}}:corrcoef()", "{{1.0, -1.0}, {-1.0, 1.0}}",
    function(A, options)
        local P = products(array(A, 1), call.options(options, 2, "rows"))
        local s = P:diagonal():sqrt()
        return core.clamp(P / call.shaped(s, { #s, 1 }) / s, -1.0, 1.0)
    end)

row("histogram2d", "a:histogram2d(b [, bins=10])",
    "counts of the pairs of two Vectors in a grid of bins, a matrix, and the edges of both; bins: a number, a "
        .. "Vector of\n"
        .. "edges, or a list of two of these; the last bins hold their upper edges",
    "(lun.vector{1, 2, 2}:histogram2d(lun.vector{1, 2, 2}, 2))", "{{1, 0}, {0, 2}}",
    function(a, b, bins)
        a, b = call.of_rank(a, 1, 1), call.of_rank(b, 1, 2)
        if #a ~= #b then
            bad(2, "lengths differ: %d and %d", #a, #b)
        end
        local both = type(bins) == "table" and not core.isarray(bins)
        local inside, at, edges = nil, {}, {}
        for k, x in ipairs { a, b } do
            local wanted = bins == nil and 10 or both and bins[k] or bins
            if not core.isarray(wanted) then
                call.whole(wanted, 3, 1, nil, "number of bins")
            end
            edges[k] = select(2, x:histogram(wanted))
            local e, n = edges[k], #edges[k] - 1
            local bin = e:searchsorted(x, { side = "right" }) - 1
            at[k] = where(x:eq(e[n + 1]), n, bin)
            local within = at[k]:ge(1):land(at[k]:le(n))
            inside = inside and inside:land(within) or within
        end
        local n, m = #edges[1] - 1, #edges[2] - 1
        local cell = where(inside, (at[1] - 1) * m + at[2], n * m + 1)
        local counts = core.zeros(n * m + 1, "i64")
        counts = #a > 0 and counts:put(cell, 1, { combine = "+" }) or counts
        return counts:sub(1, n * m):reshape(n, m), edges[1], edges[2]
    end)

-- ---------------------------------------------------------------- one variable

row("percentile", "a:percentile(p [, {axis=, skipnan=true}])",
    "the quantile of p percent: a:quantile(p / 100); p: a number or a list",
    "lun.vector{1, 2, 3}:percentile(50)", "2.0",
    function(a, p, options)
        array(a, 1)
        options = call.options(options, 3, "axis skipnan")
        local q = {}
        for k, x in ipairs(type(p) == "table" and p or { p }) do
            q[k] = call.number(x, 2) / 100
            if not (q[k] >= 0 and q[k] <= 1) then
                bad(2, "%s: from 0 to 100 expected", tostring(x))
            end
        end
        if #q == 0 then
            bad(2, "a number or a list of numbers expected, got %s", core.internal.kind_of(p))
        end
        return a:quantile(type(p) == "table" and q or q[1], options)
    end)

-- Deviations from the mean along an axis or of all elements, and what takes the mean of powers of them.
local function deviations(a, options, argument)
    array(a, 1)
    options = call.options(options, argument, "axis")
    a = call.floating(a)
    if options.axis == nil then
        if a:size() == 0 then
            bad(1, "moments of an empty array")
        end
        return a - a:mean(), function(x) return x:mean() end
    end
    local axis = call.axis(rank_of(a), options.axis, argument)
    return a - a:mean { axis = axis, keep = true }, function(x) return x:mean { axis = axis } end
end

-- x to a whole power, by products from the left.
local function power(x, k)
    local result = x
    for _ = 2, k do
        result = result * x
    end
    return result
end

row("moment", "a:moment(k [, {axis=}])", "the mean of the k-th powers of the deviations from the mean",
    "lun.vector{1, 2, 6}:moment(3)", "6.0",
    function(a, k, options)
        array(a, 1)
        call.whole(k, 2, 1, 64, "order")
        local d, mean = deviations(a, options, 3)
        return mean(power(d, k))
    end)

row("skew", "a:skew([{axis=}])", "the third moment over the second to the power 3/2, biased",
    "lun.vector{1, 2, 3}:skew()", "0.0",
    function(a, options)
        local d, mean = deviations(a, options, 2)
        return mean(power(d, 3)) / mean(d * d) ^ 1.5
    end)

row("kurtosis", "a:kurtosis([{axis=}])", "the fourth moment over the square of the second, less 3, biased",
    "lun.vector{1, 2, 3}:kurtosis()", "-1.5",
    function(a, options)
        local d, mean = deviations(a, options, 2)
        local second = mean(d * d)
        return mean(power(d, 4)) / (second * second) - 3.0
    end)

row("zscore", "a:zscore([{axis=, ddof=0}])",
    "the deviations from the mean over the standard deviation, of all elements or along an axis",
    "lun.vector{1, 3}:zscore()", "{-1.0, 1.0}",
    function(a, options)
        array(a, 1)
        options = call.options(options, 2, "axis ddof")
        local ddof = options.ddof == nil and 0 or call.number(options.ddof, 2)
        a = call.floating(a)
        if a:size() == 0 then
            return a
        end
        local axis = options.axis ~= nil and call.axis(rank_of(a), options.axis, 2) or nil
        local along = axis and { axis = axis, keep = true } or nil
        local deviation = a - a:mean(along)
        return deviation / a:std { axis = axis, keep = axis and true or nil, ddof = ddof }
    end)

row("describe", "a:describe()",
    "a table of numbers: count, mean, std, min, q25, median, q75, max, of the elements that are neither missing nor "
        .. "NaN",
    "lun.vector{1, 2, 3, 4}:describe().mean", "2.5",
    function(a)
        array(a, 1)
        a = (rank_of(a) == 1 and a or a:flatten()):dropna()
        if a:size() == 0 then
            bad(1, "no number to describe")
        end
        local q = a:quantile { 0.25, 0.5, 0.75 }
        return {
            count = a:size(), mean = a:mean(), std = a:std(), min = a:min(), q25 = q[1], median = q[2], q75 = q[3],
            max = a:max(),
        }
    end)

row("pct_change", "a:pct_change([k=1] [, {axis=1}])", "a / a[i - k] - 1, with k missing ones first",
    "lun.vector{2.0, 3.0}:pct_change():sub(2)", "{0.5}",
    function(a, k, options)
        array(a, 1)
        options = call.options(options, 3, "axis")
        local axis = call.axis(rank_of(a), options.axis == nil and 1 or options.axis, 3)
        a = call.floating(a)
        return a / call.before(a, k == nil and 1 or call.whole(k, 2), axis) - 1.0
    end)

-- ---------------------------------------------------------------- gaps

row("isna", "a:isna()", "where elements are missing, or NaN", "lun.vector{1, lun.na}:isna()", "{false, true}",
    function(a) return array(a, 1):isnan() end)
row("notna", "a:notna()", "where elements are neither missing nor NaN",
    "lun.vector{1, lun.na}:notna()", "{true, false}",
    function(a) return array(a, 1):isnan():lnot() end)

row("dropna", "a:dropna()", "the elements that are neither missing nor NaN", "lun.vector{1, lun.na}:dropna()", "{1}",
    function(a)
        local there = array(a, 1):isnan():lnot()
        return whole(a):compress(there)
    end)
row("fillna", "a:fillna(x)", "x, a number or an array that broadcasts, where elements are missing or NaN",
    "lun.vector{1, lun.na}:fillna(0)",
    "{1, 0}",
    function(a, x)
        array(a, 1)
        if not core.isarray(x) and not (type(x) == "string" and dtypes.by_name[a:dtype()].kind:find "^t") then
            call.number(x, 2)
        end
        if core.internal.has_missing(a) then
            return where(a:isnan(), x, whole(a))
        end
        return call.is_float(a) and a:fillnan(x) or a
    end)
row("naif", "a:naif(x)", "missing where elements are equal to x, a number or an array that broadcasts, NaN to NaN",
    "lun.vector{1, -99}:naif(-99):isna()", "{false, true}",
    function(a, x)
        array(a, 1)
        local equal = core.eq(a, x)
        if x ~= x then
            equal = a:isnan()
        elseif core.isarray(x) then
            equal = equal:lor(a:isnan():land(x:isnan()))
        end
        return core.internal.with_missing(a, equal:lnot())
    end)
row("coalesce", "lun.coalesce(a, b, ...)",
    "the elements of a; where those are missing of b, and so on; the last one may be a number",
    "lun.coalesce(lun.vector{1, lun.na}, lun.vector{5, 6})", "{1, 6}",
    function(a, ...)
        array(a, 1)
        local result = a
        for _, b in ipairs { ... } do
            if core.internal.has_missing(result) then
                local rest = core.isarray(b) and core.internal.has_missing(b) and result or whole(result)
                result = where(result:ismissing(), b, rest)
            end
        end
        return result
    end)

-- Along an axis the index of the last number up to each element, 0 before the first; and 1 to n.
local function last_number(a, axis)
    local i = call.along((select(axis, a:shape())), axis, rank_of(a))
    return where(a:isnan(), 0, i):scan("max", 0, { inclusive = true, axis = axis }), i
end

-- The elements at indices along an axis; at 0 NaN, missing if elements of a may be.
local function taken(a, k, axis)
    if core.internal.has_missing(a) then
        local values = require("lunarray.names.shapes").take_along_axis(whole(a), core.max(k, 1), { axis = axis })
        return core.internal.with_missing(values, k:gt(0))
    end
    local values = require("lunarray.names.shapes").take_along_axis(a, core.max(k, 1), { axis = axis })
    return where(k:eq(0), call.nan, values):cast(a:dtype())
end

local function filled(a, limit, options, back)
    array(a, 1)
    if type(limit) == "table" and options == nil then
        limit, options = nil, limit
    end
    options = call.options(options, 3, "axis")
    local axis = call.axis(rank_of(a), options.axis == nil and 1 or options.axis, 3)
    limit = limit ~= nil and call.whole(limit, 2, 0, nil, "limit")
    if not (call.is_float(a) or core.internal.has_missing(a)) or a:size() == 0 then
        return a
    end
    a = back and call.part(a, axis, -1, 1, -1) or a
    local k, i = last_number(a, axis)
    local result = taken(a, limit and where((i - k):gt(limit), 0, k) or k, axis)
    return back and call.part(result, axis, -1, 1, -1) or result
end

row("ffill", "a:ffill([limit] [, {axis=1}])",
    "each NaN replaced by the last number before it, over `limit` of them at most",
    "lun.vector{1.0, 0 / 0, 3.0}:ffill()", "{1.0, 1.0, 3.0}",
    function(a, limit, options) return filled(a, limit, options, false) end)
row("bfill", "a:bfill([limit] [, {axis=1}])",
    "each NaN replaced by the first number behind it, over `limit` of them at most",
    "lun.vector{1.0, 0 / 0, 3.0}:bfill()", "{1.0, 3.0, 3.0}",
    function(a, limit, options) return filled(a, limit, options, true) end)

row("interpolate", "a:interpolate([{axis=1}])",
    "each missing one or NaN between two numbers replaced by the line between them; at the ends they stay; dates are\n"
        .. "rounded down",
    "lun.vector{1.0, 0 / 0, 3.0}:interpolate()", "{1.0, 2.0, 3.0}",
    function(a, options)
        array(a, 1)
        options = call.options(options, 2, "axis")
        local axis = call.axis(rank_of(a), options.axis == nil and 1 or options.axis, 2)
        local n, dtype = (select(axis, a:shape())), a:dtype()
        if dtypes.by_name[dtype].kind == "time" and core.internal.has_missing(a) then
            local least = a:cast "i64":min() or 0
            local between = (a:cast "i64" - least):interpolate(options)
            return (between:floor():cast "i64" + least):cast(dtype)
        elseif dtypes.by_name[dtype].kind == "text" then
            bad(1, "numbers or times expected, got %s", call.described(a))
        elseif core.internal.has_missing(a) then
            local between = a:cast(call.is_float(a) and a:dtype() or "f64")
            local slots = whole(between):interpolate { axis = axis }
            return core.internal.with_missing(slots, slots:isnan():lnot())
        elseif not call.is_float(a) or a:size() == 0 then
            return a
        end
        local before, i = last_number(a, axis)
        local after = n + 1 - call.part((last_number(call.part(a, axis, -1, 1, -1), axis)), axis, -1, 1, -1)
        after = where(after:gt(n), 0, after)
        local low, high = taken(a, before, axis), taken(a, after, axis)
        local part = (i - before) / core.max(after - before, 1)
        return where(a:isnan(), low + (high - low) * part:cast(a:dtype()), a)
    end)

return rows
