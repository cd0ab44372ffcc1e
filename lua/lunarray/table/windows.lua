-- Functions of windows of rows: each window is a range of places in an order of the rows, and has a result. Missing
-- elements are left out, as reductions leave them out.

local core = require "lunarray.core"
local column = require "lunarray.table.column"
local dtypes = require "lunarray.base.dtypes"
local fault = require "lunarray.base.fault"
local ranges = require "lunarray.function.ranges"

local internal = core.internal

local M = {}

-- ---------------------------------------------------------------- operands

local function kind_of(x)
    return dtypes.by_name[x:dtype()].kind
end

-- Numbers, or durations, that can be added.
local function addable(x, call)
    if not (column.is_number(x) or column.dtype(x) == "bool" or column.dtype(x) == "duration") then
        fault("'%s': numbers expected, got %s", call, column.dtype(x))
    end
    return x
end

-- Numbers that have means and spreads.
local function measured(x, call)
    if not (column.is_number(x) or column.dtype(x) == "bool") then
        fault("'%s': numbers expected, got %s", call, column.dtype(x))
    end
    return x:cast "f64"
end

-- The elements without a validity, where they are there, and how many of each window are.
local function whole(w, x)
    if not internal.has_missing(x) then
        return x, nil, w.high - w.low + 1
    end
    local there = (~x:ismissing()):eval()
    return internal.slots(x), there, ranges.sum_of_integers(there, w.low, w.high)
end

-- Missing where a window has fewer than n elements.
local function of_at_least(n, result, count)
    return internal.with_missing(result, count:ge(n))
end

-- ---------------------------------------------------------------- functions
-- Each is given the windows, `w`: low, high, arrays; a column in their order; and what it takes besides.

local functions = {}

function functions.count(w, x)
    local _, _, count = whole(w, x)
    return count
end

local function sums(w, x, call)
    local values, there, count = whole(w, addable(x, call))
    if there then
        values = core.where(there, values, core.zeros(1, values:dtype()))
    end
    if dtypes.is_float(values:dtype()) then
        return ranges.fold("sum", values:cast "f64", w.low, w.high, 0.0), count
    end
    return ranges.sum_of_integers(values:cast "i64", w.low, w.high), count
end

function functions.sum(w, x)
    local result = sums(w, x, "sum")
    return x:dtype() == "duration" and result:cast "duration" or result
end

function functions.prod(w, x)
    local values, there = whole(w, addable(x, "prod"))
    if x:dtype() == "duration" then
        fault("'prod': numbers expected, got duration")
    end
    local dtype = dtypes.is_float(values:dtype()) and "f64" or "i64"
    values = values:cast(dtype)
    return ranges.fold("prod", there and core.where(there, values, core.full(1, 1, dtype)) or values, w.low, w.high,
        dtype == "f64" and 1.0 or 1)
end

-- f of dates, timestamps and durations, computed of numbers from the least one on and rounded down.
local function of_times(x, f)
    local dtype, numbers = x:dtype(), x:cast "i64"
    local least = #x > 0 and numbers:min() or 0
    return (f(numbers - least):floor():cast "i64" + least):cast(dtype)
end

function functions.mean(w, x)
    if core.isarray(x) and kind_of(x) == "time" then
        return of_times(x, function(numbers) return functions.mean(w, numbers) end)
    end
    local sum, count = sums(w, x, "mean")
    return of_at_least(1, sum:cast "f64" / core.max(count, 1), count)
end

-- The place of the least or greatest element of each window, the first of equals; 0: of none.
local function extreme(w, x, descending)
    local n = #x
    local there = (~x:isna()):eval()
    local order = x:argsort { descending = descending or nil }:eval()
    local rank = n > 0 and core.zeros(n, "i64"):put(order, core.index(n)) or core.zeros(0, "i64")
    local least = ranges.fold("min", core.where(there, rank, n + 1), w.low, w.high, n + 1)
    local last = core.concat { order, core.zeros(1, "i64") }
    return last:take(least)
end

local function least_or_greatest(name, descending)
    functions[name] = function(w, x)
        if not (core.isarray(x) and column.is_number(x)) or dtypes.is_beyond_lua(x:dtype()) then
            return column.take(x, extreme(w, x, descending), true)
        end
        local values, there, count = whole(w, x)
        local float = dtypes.is_float(x:dtype())
        local id = float and math.huge or math.maxinteger
        id = descending and (float and -id or ~id) or id
        values = values:cast(float and "f64" or "i64")
        local result = ranges.fold(name, there and core.where(there, values, id) or values, w.low, w.high, id)
        return of_at_least(1, core.where(count:gt(0), result, core.zeros(1, result:dtype())):cast(x:dtype()), count)
    end
    functions["arg" .. name] = function(w, x)
        local place = extreme(w, x, descending)
        return w.rows:take(place, { missing = core.na })
    end
end

least_or_greatest("min", false)
least_or_greatest("max", true)

-- The place of the first element of each window that is there, or the last, 0: there is none.
local function outermost(w, x, last)
    local n = #x
    if n == 0 then
        return core.zeros(#w.low, "i64")
    end
    local there = ~x:ismissing()
    local function up_to(mask)
        return core.where(mask, core.index(n), 0):scan("max", 0, { inclusive = true })
    end
    if last then
        local place = up_to(there):take(core.max(w.high, 1))
        return core.where(place:ge(w.low) & w.high:ge(w.low), place, 0)
    end
    local place = n + 1 - up_to(there:sub { -1, 1, -1 }):sub { -1, 1, -1 }
    place = place:take(core.min(w.low, n))
    return core.where(place:le(w.high), place, 0)
end

function functions.first(w, x)
    return column.take(x, outermost(w, x, false), true)
end

function functions.last(w, x)
    return column.take(x, outermost(w, x, true), true)
end

for _, name in ipairs { "any", "all" } do
    functions[name] = function(w, x)
        if not (column.is_number(x) or column.dtype(x) == "bool") then
            fault("'%s': bools or numbers expected, got %s", name, column.dtype(x))
        end
        local values, there, count = whole(w, x)
        local holds = values:dtype() == "bool" and values or values:ne(0)
        holds = there and holds & there or holds
        local true_ones = ranges.sum_of_integers(holds, w.low, w.high)
        return name == "any" and true_ones:gt(0) or true_ones:eq(count)
    end
end

local function products(w, x, y)
    local there = ~(x:ismissing() | y:ismissing())
    there = there:eval()
    local count = ranges.sum_of_integers(there, w.low, w.high)
    local function slots(a)
        return internal.has_missing(a) and internal.slots(a) or a
    end
    local xy, xx, yy = ranges.products(slots(x):eval(), slots(y):eval(), there, w.low, w.high)
    return count, xy, xx, yy
end

function functions.var(w, x, opts)
    x = measured(x, "var")
    local count, squares = products(w, x, x)
    local divisor = count:cast "f64" - (opts.ddof or 0)
    return of_at_least(1, squares / core.where(count:gt(0), divisor, 1.0), count)
end

function functions.std(w, x, opts)
    return functions.var(w, measured(x, "std"), opts):sqrt()
end

function functions.cov(w, x, y)
    local count, xy = products(w, measured(x, "cov"), measured(y, "cov"))
    return of_at_least(2, xy / core.max(count - 1, 1), count)
end

function functions.corr(w, x, y)
    local count, xy, xx, yy = products(w, measured(x, "corr"), measured(y, "corr"))
    return of_at_least(2, core.where(count:ge(2), core.clamp(xy / (xx * yy):sqrt(), -1.0, 1.0), 0.0), count)
end

function functions.wmean(w, x, weights)
    x, weights = measured(x, "wmean"), measured(weights, "wmean")
    weights = core.where(x:ismissing(), core.na, weights)
    local sum, count = sums(w, x * weights, "wmean")
    local all = sums(w, weights, "wmean")
    return of_at_least(1, sum / core.where(count:gt(0), all, 1.0), count)
end

-- Linear between neighbours of the sorted elements, as quantiles of groups.
local function quantile(w, x, q, call)
    if type(q) ~= "number" or not (q >= 0 and q <= 1) then
        fault("'quantile': number from 0 to 1 expected, got %s", type(q) == "number" and q or internal.kind_of(q))
    elseif core.isarray(x) and kind_of(x) == "time" then
        return of_times(x, function(numbers) return quantile(w, numbers, q, call) end)
    end
    x = measured(x, call)
    local values, there, count = whole(w, x)
    local nan = there and values:isnan() & there or values:isnan()
    nan = nan:any() and ranges.sum_of_integers(nan, w.low, w.high):gt(0)
    local place = core.max(count - 1, 0) * q
    local low = place:floor()
    local n = #w.low
    local both = ranges.nth(x, core.concat { w.low, w.low }, core.concat { w.high, w.high },
        core.concat { low:cast "i64", place:ceil():cast "i64" } + 1):eval()
    if #x == 0 or n == 0 then
        return column.gap(x, n)
    end
    local a, b = values:take(both:sub(1, n)), values:take(both:sub(n + 1, 2 * n))
    local part, step = place - low, b - a
    local between = core.where(part:lt(0.5), a + step * part, b - step * (1 - part))
    between = core.where(a:eq(b), a, core.where(step:isfinite(), between, a * (1 - part) + b * part))
    return of_at_least(1, nan and core.where(nan, 0 / 0, between) or between, count)
end

function functions.quantile(w, x, q)
    return quantile(w, x, q, "quantile")
end

function functions.median(w, x)
    return quantile(w, x, 0.5, "median")
end

-- How many elements have no equal one before them in the window.
function functions.nunique(w, x)
    local n = #x
    if n == 0 then
        return core.zeros(#w.low, "i64")
    end
    local order = x:argsort():eval()
    local sorted = x:take(order)
    local same = sorted:sub(2, n):eq(sorted:sub(1, n - 1))
    if dtypes.by_name[x:dtype()].kind == "float" then
        same = same | sorted:sub(2, n):isnan() & sorted:sub(1, n - 1):isnan()
    end
    local before = core.concat { core.zeros(1, "i64"), core.where(same, order:sub(1, n - 1), 0) }
    local of_place = core.zeros(n, "i64"):put(order, before)
    of_place = core.where(x:ismissing(), n + 1, of_place):eval() -- missing ones are never counted
    return ranges.count_less(of_place, w.low, w.high, core.min(w.low, n))
end

local TWO <const> = { corr = true, cov = true, wmean = true }
local KNOWN <const> = "all any argmax argmin corr count cov first last max mean median min nunique prod quantile std "
    .. "sum var wmean"

-- ---------------------------------------------------------------- calls

M.names = KNOWN
M.takes_two = TWO

-- A function's name, checked; `call` for the error.
function M.check(f, call)
    if f == nil then
        fault("'%s': name of a function expected, such as a:%s(3, \"mean\"), got no value", call, call)
    end
    if type(f) ~= "string" or not functions[f] then
        fault("'%s': unknown function '%s'; there are %s", call, column.shown(f), (KNOWN:gsub(" ", ", ")))
    end
    return f
end

-- An element for each window. w: low and high, i64 arrays of places, which are 1 to #x + 1 and 0 to #x; rows, of the
-- places the numbers of their rows; least: below how many elements the result is missing, or nil. x: a column in the
-- order of places; y: another, of functions of two; opts: ddof, skipnan, q.
function M.aggregate(w, f, x, y, opts)
    if not core.isarray(x) then
        fault("'%s': numbers expected, got records of %s; take a field", f, column.dtype(x))
    end
    if opts.skipnan and dtypes.is_float(x:dtype()) then
        x = x:naif(0 / 0)
    end
    x = x:eval()
    local result
    if TWO[f] then
        result = functions[f](w, x, y)
    elseif f == "quantile" then
        result = functions.quantile(w, x, opts.q)
    else
        result = functions[f](w, x, opts)
    end
    if w.least then
        local keeps = functions.count(w, x):ge(w.least)
        result = core.isarray(result) and core.where(keeps, result, core.na)
            or column.take(result, core.where(keeps, core.index(#w.low), 0), true)
    end
    return result
end

-- Windows of w places up to each one, or around it, that go back to `first` and on to `last`, a number or array.
function M.fixed(n, width, first, last, center)
    local i = core.index(n)
    local ahead = center and (width - 1) // 2 or 0
    return {
        low = core.max(i - (width - 1 - ahead), first):eval(), high = core.min(i + ahead, last):eval(), rows = i,
    }
end

return M
