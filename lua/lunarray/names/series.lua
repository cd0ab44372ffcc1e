-- Names of windows and weights along a Vector, and of intervals that its elements are in.

local call = require "lunarray.names.call"
local core = require "lunarray.core"
local dtypes = require "lunarray.base.dtypes"

local rows, row = call.rows "Windows and intervals"
local bad, where, internal = call.bad, core.where, core.internal

row("rolling", "a:rolling(w, f [, b] [, {min=w, center=true, ddof=0, q=, skipnan=true}])",
    "of each element of a Vector f of the w elements up to it, or, with center, around it: "
        .. '"count" "sum" "prod" "mean" "min"\n'
        .. '"max" "first" "last" "any" "all" "var" "std" "median" "quantile" with q, "nunique" "argmin" "argmax", and '
        .. "of another\n"
        .. 'Vector b "corr" "cov" "wmean"; missing where there are fewer than min of them, not missing',
    'lun.vector{1, 2, 3, 4}:rolling(2, "sum"):sub(2)', "{3, 5, 7}",
    function(a, w, f, b, options)
        call.of_rank(a, 1, 1)
        local rolling = require "lunarray.table.rolling"
        w = call.whole(w, 2, 1, nil, "number of elements")
        require("lunarray.table.windows").check(f, "rolling")
        b, options = rolling.options(f, b, options, "rolling")
        if b ~= nil and #call.of_rank(b, 1, 4) ~= #a then
            bad(4, "lengths differ: %d and %d", #a, #b)
        end
        return rolling.fixed(a, b, w, f, options, 1, #a)
    end)

row("ewm", "a:ewm(alpha)",
    "the mean of the elements of a Vector up to each one, each weighted 1 - alpha times as much as the next one; "
        .. "missing ones\nstay so and have no weight",
    "lun.vector{2, 5}:ewm(0.5)", "{2.0, 4.0}",
    function(a, alpha)
        a = call.floating(call.of_rank(a, 1, 1)):cast "f64"
        if not (call.number(alpha, 2) > 0 and alpha <= 1) then
            bad(2, "%s: more than 0, at most 1 expected", tostring(alpha))
        end
        local there = internal.has_missing(a) and a:ismissing():lnot()
        local n, keep = #a, 1.0 - alpha
        if n == 0 then
            return a
        end
        -- What stands before is multiplied by p, of which the element adds s, and to the weights w.
        local _, sum, weight = core.scan(function(p, s, w, q, t, v)
            return p * q, s * q + t, w * q + v
        end, { 1.0, 0.0, 0.0 }, { elements = 3, inclusive = true })(core.full(n, keep),
            there and where(there, internal.slots(a), 0.0) or a, there and there:cast "f64" or core.full(n, 1.0))
        local mean = sum / weight
        return there and internal.with_missing(where(there, mean, 0.0), there) or mean
    end)

-- ---------------------------------------------------------------- intervals

-- Numbers of intervals, 1 to n, as texts, or as they are.
local function labelled(number, labels, n, made)
    if labels == nil or labels == false then
        return number
    elseif labels == true then
        labels = made()
    elseif type(labels) ~= "table" and not core.isarray(labels) then
        bad(3, "option labels: list of texts expected, got %s", internal.kind_of(labels))
    end
    if #labels ~= n then
        bad(3, "option labels: %d labels for %d intervals", #labels, n)
    end
    local texts = core.isarray(labels) and labels or core.vector(labels)
    return texts:take(number:fillna(0), { missing = core.na })
end

-- Edges as an ascending Vector that goes with a's elements.
local function edges_of(a, edges)
    if not core.isarray(edges) then
        if type(edges) ~= "table" then
            bad(2, "Vector or list of edges expected, got %s", internal.kind_of(edges))
        end
        edges = dtypes.by_name[a:dtype()].kind == "time" and core.vector(edges, a:dtype()) or core.vector(edges)
    end
    call.of_rank(edges, 1, 2)
    if #edges < 2 then
        bad(2, "%d: at least 2 edges expected", #edges)
    elseif internal.has_missing(edges) and edges:ismissing():any() or edges:isnan():any() then
        bad(2, "edge %d is missing or NaN", edges:isna():indices()[1])
    end
    local falls = edges:sub(2, -1):le(edges:sub(1, -2))
    if falls:any() then
        bad(2, "edge %d is not more than the one before", falls:indices()[1] + 1)
    end
    return edges
end

row("cut", "a:cut(edges [, {labels=, right=true}])",
    "the number of the interval between edges that each element is in, missing of those in none; right: an interval "
        .. "has its\n"
        .. 'upper edge, else its lower one; labels: texts instead of numbers, true: such as "(0, 10]"',
    "lun.vector{5, 10, 15}:cut{0, 10, 20}", "{1, 1, 2}",
    function(a, edges, options)
        call.of_rank(a, 1, 1)
        edges = edges_of(a, edges)
        options = call.options(options, 3, "labels right")
        local right, n = options.right ~= false, #edges - 1
        local values = internal.has_missing(a) and internal.slots(a) or a
        local number = edges:searchsorted(values, not right and { side = "right" } or nil) - 1
        number = where(a:isna() | number:lt(1) | number:gt(n), core.na, number)
        return labelled(number, options.labels, n, function()
            local list, texts = {}, edges:totable()
            for k = 1, n do
                list[k] = ("%s%s, %s%s"):format(right and "(" or "[", texts[k], texts[k + 1], right and "]" or ")")
            end
            return list
        end)
    end)

row("qcut", "a:qcut(n [, {labels=}])",
    "the number, 1 to n, of the part that each element is in if all in their order are cut into n of one size, at "
        .. "quantiles;\n"
        .. "missing of missing ones and NaN; labels: n texts instead",
    "lun.vector{4, 1, 3, 2}:qcut(2)", "{2, 1, 2, 1}",
    function(a, n, options)
        call.of_rank(a, 1, 1)
        n = call.whole(n, 2, 1, 1 << 20, "number of parts")
        options = call.options(options, 3, "labels")
        local there = a:notna()
        local values = internal.has_missing(a) and internal.slots(a) or a
        values = dtypes.by_name[a:dtype()].kind == "time" and values:cast "i64" or values
        local all, at = values:compress(there), {}
        if #all == 0 then
            return labelled(where(there, 1, core.na), options.labels, n)
        end
        for k = 1, n - 1 do
            at[k] = k / n
        end
        local number = n == 1 and core.full(#a, 1) or all:quantile(at):searchsorted(values:cast "f64")
        return labelled(where(there, number, core.na), options.labels == true and false or options.labels, n)
    end)

return rows
