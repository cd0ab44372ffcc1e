-- Names of running sums, differences, integrals, means and counts.

local call = require "lunarray.names.call"
local core = require "lunarray.core"
local dtypes = require "lunarray.base.dtypes"

local rows, row = call.rows "Running sums, differences, means"
local array, bad, rank_of = call.array, call.bad, call.rank

-- ---------------------------------------------------------------- running

-- An inclusive scan along an axis, without one of all elements in row-major order, as a Vector.
local function running(a, options, op)
    local dtype = array(a, 1):dtype()
    if dtypes.by_name[dtype].kind == "time" and (op == "min" or op == "max" or op == "+" and dtype == "duration") then
        return running(a:cast "i64", options, op):cast(dtype)
    end
    options = call.options(options, 2, "axis")
    local of_complex = dtypes.by_name[dtype].part and require("lunarray.names.complex").of_arrays
    if of_complex and op == "+" then
        return of_complex.cumsum(a, options)
    elseif of_complex and op == "*" then
        return of_complex.cumprod(a, options)
    end
    if options.axis == nil then
        return (rank_of(a) == 1 and a or a:flatten()):scan(op, nil, { inclusive = true })
    end
    return a:scan(op, nil, { inclusive = true, axis = call.axis(rank_of(a), options.axis, 2) })
end

for _, one in ipairs {
    { "cumsum", "+", "sums; of integers i64 or u64, as sum", "{1, 3, 6}" },
    { "cumprod", "*", "products; of integers i64 or u64, as prod", "{1, 2, 6}" },
    { "cummax", "max", "maxima; NaN from the first NaN on", "{1, 2, 3}" },
    { "cummin", "min", "minima; NaN from the first NaN on", "{1, 1, 1}" },
} do
    local name, op, said, gives = table.unpack(one)
    row(name, ("a:%s([{axis=}])"):format(name),
        ("the running %s; each element's own is in it; without an axis a Vector in row-major order"):format(said),
        ("lun.vector{1, 2, 3}:%s()"):format(name), gives,
        function(a, options) return running(a, options, op) end)
end

-- As the standard has them: along an axis, one longer with what stands before the first.
local function cumulative(a, options, op, before)
    array(a, 1)
    options = call.options(options, 2, "axis include_initial")
    local rank = rank_of(a)
    if options.axis == nil and rank ~= 1 then
        bad(2, "an axis is needed: %s", call.described(a))
    end
    local axis = options.axis == nil and 1 or call.axis(rank, options.axis, 2)
    local result = a:scan(op, nil, { inclusive = true, axis = axis })
    if options.include_initial then
        local shape = { a:shape() }
        shape[axis] = 1
        result = core.concat({ core.full(shape, before, result:dtype()), result }, axis)
    end
    return result
end

row("cumulative_sum", "a:cumulative_sum([{axis=, include_initial=true}])",
    "the running sums along an axis, which a Vector need not name; include_initial: with the 0 before them",
    "lun.vector{1, 2, 3}:cumulative_sum{include_initial=true}", "{0, 1, 3, 6}",
    function(a, options) return cumulative(a, options, "+", 0) end)

row("cumulative_prod", "a:cumulative_prod([{axis=, include_initial=true}])",
    "the running products along an axis, which a Vector need not name; include_initial: with the 1 before them",
    "lun.vector{1, 2, 3}:cumulative_prod{include_initial=true}", "{1, 1, 2, 6}",
    function(a, options) return cumulative(a, options, "*", 1) end)

-- ---------------------------------------------------------------- differences

-- x as a slice of a along the axis: an array, or a number in each.
local function slice(a, x, axis)
    if core.isarray(x) then
        return x
    end
    local shape = { a:shape() }
    shape[axis] = 1
    return core.full(shape, call.number(x, 3), a:dtype())
end

row("diff", "a:diff([n=1] [, {axis=-1, prepend=, append=}]), a:diff{lag=k}",
    "the differences of neighbours, n times, each one shorter; prepend, append: numbers or slices put in front and\n"
        .. "behind before; with lag=k, as long as a, the difference from k before, with k missing ones first",
    "lun.vector{1, 4, 9}:diff()", "{3, 5}",
    function(a, n, options)
        array(a, 1)
        if type(n) == "table" and not core.isarray(n) and options == nil then
            n, options = nil, n
        end
        options = call.options(options, 3, "axis prepend append lag")
        local axis = call.axis(rank_of(a), options.axis == nil and -1 or options.axis, 3)
        if options.lag ~= nil then
            if n ~= nil or options.prepend ~= nil or options.append ~= nil then
                bad(3, "lag goes with axis alone")
            end
            a = a:dtype() == "bool" and a:cast "i64" or a
            return a - call.before(a, call.whole(options.lag, 3, nil, nil, "lag"), axis)
        end
        n = n == nil and 1 or call.whole(n, 2, 0)
        if n == 0 then
            return a
        end
        local parts = { a }
        if options.prepend ~= nil then
            table.insert(parts, 1, slice(a, options.prepend, axis))
        end
        if options.append ~= nil then
            parts[#parts + 1] = slice(a, options.append, axis)
        end
        a = #parts > 1 and core.concat(parts, axis) or a
        local extent = (select(axis, a:shape()))
        for _ = 1, math.min(n, extent) do -- then nothing is left
            local after, before = call.part(a, axis, 2, -1), call.part(a, axis, 1, -2)
            a = a:dtype() == "bool" and after ~ before or after - before
        end
        return a
    end)

-- The slope along an axis: of second order inside, of first order at both ends.
local function slope(a, dx, axis)
    local n = (select(axis, a:shape()))
    if n < 2 then
        bad(1, "axis %d has %d: at least 2 elements expected", axis, n)
    end
    local function part(x, i, j)
        return call.part(x, axis, i, j)
    end
    local inside, first, last
    if core.isarray(dx) then
        if #dx ~= n then
            bad(2, "%d coordinates for axis %d of length %d", #dx, axis, n)
        end
        local shape = {}
        for k = 1, rank_of(a) do
            shape[k] = k == axis and n or 1
        end
        local x = call.shaped(call.floating(dx), shape)
        local h = part(x, 2, n) - part(x, 1, n - 1)
        first = (part(a, 2, 2) - part(a, 1, 1)) / part(h, 1, 1)
        last = (part(a, n, n) - part(a, n - 1, n - 1)) / part(h, n - 1, n - 1)
        local l, r = part(h, 1, n - 2), part(h, 2, n - 1)
        inside = part(a, 1, n - 2) * (-r / (l * (l + r))) + part(a, 2, n - 1) * ((r - l) / (l * r))
            + part(a, 3, n) * (l / (r * (l + r)))
    else
        first = (part(a, 2, 2) - part(a, 1, 1)) / dx
        last = (part(a, n, n) - part(a, n - 1, n - 1)) / dx
        inside = (part(a, 3, n) - part(a, 1, n - 2)) / (2.0 * dx)
    end
    return core.concat({ first, inside, last }, axis)
end

row("gradient", "a:gradient([dx=1] [, {axis=}])",
    "the slope along each axis, an array for each, or along one: central differences, one-sided ones at the ends; dx:\n"
        .. "the distance of neighbours, or a Vector of coordinates",
    "lun.vector{1, 4, 9, 16}:gradient()", "{3.0, 4.0, 6.0, 7.0}",
    function(a, dx, options)
        array(a, 1)
        if type(dx) == "table" and not core.isarray(dx) and options == nil then
            dx, options = nil, dx
        end
        options = call.options(options, 3, "axis")
        dx = dx == nil and 1.0 or core.isarray(dx) and call.vector(dx, 2) or call.number(dx, 2) + 0.0
        local rank = rank_of(a)
        local axes = {}
        for k = 1, rank do
            axes[k] = k
        end
        axes = options.axis == nil and axes or call.axes(rank, options.axis, 3)
        a = call.floating(a)
        for k, axis in ipairs(axes) do
            axes[k] = slope(a, dx, axis)
        end
        return table.unpack(axes)
    end)

-- A number of a Vector, else the lazy array.
local function sum_along(a, axis)
    if rank_of(a) == 1 then
        return a:sum()
    end
    return a:sum { axis = axis }
end

local function trapezoid(a, x, options)
    array(a, 1)
    if type(x) == "table" and not core.isarray(x) and options == nil then
        x, options = nil, x
    end
    options = call.options(options, 3, "dx axis")
    local rank = rank_of(a)
    local axis = call.axis(rank, options.axis == nil and -1 or options.axis, 3)
    a = core.iscomplex(a) and a or call.floating(a)
    local n = (select(axis, a:shape()))
    local middle = call.part(a, axis, 2, n) + call.part(a, axis, 1, n - 1)
    local width = options.dx == nil and 1.0 or call.number(options.dx, 3) + 0.0
    if x ~= nil then
        x = call.floating(array(x, 2))
        local at = axis
        if rank_of(x) == 1 then
            local shape = {}
            for k = 1, rank do
                shape[k] = k == axis and #x or 1
            end
            x = call.shaped(x, shape)
        elseif rank_of(x) ~= rank then
            bad(2, "coordinates of rank %d for an array of rank %d", rank_of(x), rank)
        end
        if select(at, x:shape()) ~= n then
            bad(2, "%d coordinates for axis %d of length %d", select(at, x:shape()), axis, n)
        end
        width = call.part(x, at, 2, n) - call.part(x, at, 1, n - 1)
    end
    return sum_along(middle * width / 2.0, axis)
end

row("trapz", "a:trapz([x] [, {dx=1, axis=-1}])",
    "the integral by the trapezoidal rule, a number of a Vector; x: the coordinates, else dx apart",
    "lun.vector{1, 2, 4}:trapz()", "4.5", trapezoid)
row("trapezoid", "a:trapezoid([x] [, {dx=1, axis=-1}])", "a:trapz",
    "lun.vector{1, 2, 4}:trapezoid(lun.vector{0, 2, 4})",
    "9.0", trapezoid)

-- ---------------------------------------------------------------- means and counts

row("average", "a:average(w [, {axis=}])",
    "the mean weighted by w, an array of a's shape or a Vector along the axis; without an axis a number",
    "lun.vector{1, 2, 4}:average(lun.vector{1, 1, 2})", "2.75",
    function(a, w, options)
        array(a, 1)
        options = call.options(options, 3, "axis")
        local rank = rank_of(a)
        local axis = options.axis ~= nil and call.axis(rank, options.axis, 3) or nil
        if w == nil then
            return a:mean(axis)
        end
        w = core.isarray(w) and w or call.vector(w, 2)
        if axis and rank > 1 and rank_of(w) == 1 then
            if #w ~= select(axis, a:shape()) then
                bad(2, "%d weights for axis %d of length %d", #w, axis, (select(axis, a:shape())))
            end
            local shape = {}
            for k = 1, rank do
                shape[k] = k == axis and #w or 1
            end
            w = call.shaped(w, shape):broadcast { a:shape() }
        elseif table.concat({ w:shape() }, " ") ~= table.concat({ a:shape() }, " ") then
            bad(2, "weights of another shape: %s and %s", call.described(a), call.described(w))
        end
        a, w = call.floating(a), call.floating(w)
        if axis then
            return (a * w):sum { axis = axis } / w:sum { axis = axis }
        end
        return (a * w):sum() / w:sum()
    end)

row("ptp", "a:ptp([{axis=, keep=true}])", "the largest element less the smallest", "lun.vector{3, 1, 2}:ptp()", "2",
    function(a, options)
        array(a, 1)
        options = call.options(options, 2, "axis keep")
        return a:max(options) - a:min(options)
    end)

for _, one in ipairs {
    { "sum", "sum", "5.0" }, { "mean", "mean", "2.5" }, { "min", "smallest element", "1.0" },
    { "max", "largest element", "4.0" }, { "std", "standard deviation", "1.5" }, { "median", "median", "2.5" },
} do
    local name, said, gives = table.unpack(one)
    local known = name == "median" and "axis" or name == "std" and "axis keep ddof" or "axis keep"
    row("nan" .. name, ("a:nan%s([{%s=}])"):format(name, known:gsub(" ", "=, ")),
        ("the %s of the elements that are not NaN: a:%s{skipnan=true}"):format(said, name),
        ("lun.vector{1.0, 0 / 0, 4.0}:nan%s()"):format(name),
        gives,
        function(a, options)
            array(a, 1)
            local given = { skipnan = true }
            for key, value in pairs(call.options(options, 2, known)) do
                given[key] = value
            end
            return a[name](a, given)
        end)
end

row("count_nonzero", "a:count_nonzero([{axis=, keep=true}])", "the number of elements that are not 0: a:count",
    "lun.vector{1, 0, 2}:count_nonzero()", "2",
    function(a, options)
        array(a, 1)
        return a:count(type(options) == "table" and call.options(options, 2, "axis keep") or options)
    end)

row("bincount", "a:bincount([{weights=, n=}])",
    "how often each value 1 to n occurs in a Vector of integers, or the sums of its weights; n is by default the "
        .. "largest",
    "lun.vector{1, 3, 3}:bincount()", "{1, 0, 2}",
    function(a, options)
        a = call.vector(a, 1)
        options = call.options(options, 2, "weights n")
        if not a:dtype():find "^[iu]%d" then
            bad(1, "a Vector of integers expected, got %s", call.described(a))
        end
        a = a:cast "i64"
        local least, most = 1, 0
        if #a > 0 then
            least, most = core.eval(a:lazy "min", a:lazy "max")
        end
        local n = options.n == nil and most or call.whole(options.n, 2, 0, nil, "n")
        if least < 1 or most > n then
            bad(1, "%d is no value from 1 to %d", least < 1 and least or most, n)
        end
        local weights = options.weights
        if weights ~= nil then
            weights = call.vector(weights, 2)
            if #weights ~= #a then
                bad(2, "%d weights for %d elements", #weights, #a)
            end
            weights = weights:cast "f64"
        end
        local counts = core.zeros(n, weights and "f64" or "i64")
        return #a == 0 and counts or counts:put(a, weights or 1, { combine = "+" })
    end)

return rows
