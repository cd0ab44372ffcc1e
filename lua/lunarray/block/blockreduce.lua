-- Whole reductions of blocked arrays, with the bits of one rank. Knows no transport.

local axes = require "lunarray.block.blockaxes"
local blocked = require "lunarray.block.blocked"
local core = require "lunarray.core"
local dtypes = require "lunarray.base.dtypes"
local fold = require "lunarray.ranks.fold"
local pack = require "lunarray.ranks.pack"
local public = require "lunarray.base.public"
local scope = require "lunarray.base.scope"
local spread = require "lunarray.block.spread"
local tree = require "lunarray.block.blocktree"

local net = core.internal.spmd
local npes, mype = net.start()

local methods = blocked.methods

-- ---------------------------------------------------------------- reductions

-- Whether the parts' results, in any order, give the whole's: no rounding.
local function is_exact(name, dtype)
    return name ~= "sum" and name ~= "prod" and name ~= "mean" or not dtype:find "f"
end

local COMBINE = { sum = "+", prod = "*", min = "min", max = "max", any = "lor", all = "land", count = "+" }

local function of_parts(a, name, f, said)
    local part = blocked.part_of(a)
    local own
    if part:size() > 0 then
        own = part[name](part)
    end
    local list = {}
    for _, bytes in ipairs(blocked.told(pack.write(own), said)) do
        list[#list + 1] = pack.read(bytes)
    end
    if #list == 0 then
        return part[name](part) -- of no element: the engine's value, or error
    end
    return fold.tree(name == "any" and function(x, y)
        return x or y
    end or name == "all" and function(x, y)
        return x and y
    end or f, list)
end

-- Whether sums of floats are those of the ranks' own sums: lun.spmd.sums.
local function sums_of_ranks()
    local sums
    scope.every(function(lun)
        local s = rawget(lun, "spmd")
        if type(s) == "table" and rawget(s, "sums") ~= nil then
            sums = s.sums
        end
    end)
    if sums ~= nil and sums ~= "ranks" then
        error(("lun.spmd.sums is nil, for the bits of one rank, or \"ranks\", not %s"):format(tostring(sums)), 0)
    end
    return sums == "ranks"
end

local function by_rows(a)
    local s = blocked.spread_of(a)
    return spread.is_flat(s) and a or blocked.in_spread(a, spread.new(s.shape, { 1 }, "balanced", npes))
end

-- by_parts: each rank's elements first, in whatever order they stand there.
local function reduce(a, name, by_parts)
    blocked.evaluated(a)
    local f = fold.operation(COMBINE[name])
    local said = {
        ("%s %s"):format(name == "sum" and "sums" or "reduces", blocked.kind_of(a)), "a reduction",
        name .. blocked.spread_of(a).key .. (by_parts and " by ranks" or ""),
    }
    local function in_order(x)
        return tree.whole(x, function(group)
            return group[name](group)
        end, f, said)
    end
    local result
    if by_parts then
        result = of_parts(a, name, f, said)
    else
        result = in_order(a)
    end
    if result == 0 and (name == "min" or name == "max") and a:dtype():find "f" then
        return in_order(by_rows(a)) -- of 0.0 and -0.0 the order tells which
    end
    return result
end

-- ---------------------------------------------------------------- by an operation or a function

-- x reduced by f, as an array of one element; false where f fails.
local function reduced(x, f)
    local done, total = pcall(function()
        return x:reduce(f):reshape(1):eval()
    end)
    return done and total
end

-- The dtype in which elements of a dtype are combined by f, the name of an operation or nil; nil where what f gives is
-- of another dtype than what it takes, so that there are no cells. like: what f gives of such elements.
local function dtype_of_cells(f, name, like)
    local cells = name and fold.accumulator(name, like) or like
    return core.zeros(2, cells):reduce(f):dtype() == cells and cells or nil
end

-- a:reduce(f [, first]) of all elements, a Scalar on all ranks. nil where it has no form in parts.
local function reduce_by(a, f, ...)
    local first = ...
    if a:size() == 0 or select("#", ...) > 1 or type(first) == "table" then
        return nil -- further arguments of f; options; several arrays
    end
    local like = core.zeros(1, a:dtype()):reduce(f, ...) -- raises what is wrong with the arguments
    local name = fold.name_of(f)
    local cells = pack.is_array(like) and dtype_of_cells(f, name, like:dtype())
    if not cells then
        return nil
    end
    a = by_rows(blocked.evaluated(a))
    local said = { ("reduces %s"):format(blocked.kind_of(a)), "a reduction", (name or "") .. blocked.spread_of(a).key }
    local function join(x, y)
        return x and y and reduced(x .. y, f)
    end
    local total = tree.whole(a, function(x)
        return reduced(name and x:cast(cells) or x, f)
    end, join, said)
    if first ~= nil then
        total = join(pack.is_array(first) and first:reshape(1):cast(cells) or core.full(1, first, cells), total)
    end
    if not total then
        return nil -- a private copy fails as well, and says where
    end
    local kept = (name == "add" or name == "mul") and "min" or f -- one element stays what it is
    return total:cast(like:dtype()):reduce(kept):eval()
end

methods.reduce = public(function(a, f, ...)
    if not blocked.is(a) then
        return blocked.by_copy(a, "reduce", f, ...)
    end
    return axes.along(a, "reduce", nil, false, f, ...) or reduce_by(a, f, ...) or blocked.by_copy(a, "reduce", f, ...)
end)

for name in pairs(COMBINE) do
    local binary = methods[name] -- a:min(b)
    methods[name] = public(function(a, ...)
        local other = ...
        if binary and other ~= nil and (type(other) ~= "table" or blocked.is(other)) then
            return binary(a, ...)
        elseif other ~= nil then
            return axes.along(a, name, nil, true, ...) or blocked.by_copy(a, name, ...)
        end
        local s = blocked.spread_of(a)
        local by_parts = is_exact(name, a:dtype()) or spread.size(s.shape) == 0 or sums_of_ranks()
        return reduce(by_parts and a or by_rows(a), name, by_parts)
    end)
    blocked.offers[name] = methods[name]
end

-- Whether the sum of n such integers fits in a float, so that order and rounding do not matter.
local function sums_exactly(dtype, n)
    local bits = 8 * dtypes.by_name[dtype].bytes
    return not dtype:find "f" and bits < 53 and n <= 1 << 53 - bits
end

methods.mean = public(function(a, ...)
    if select("#", ...) > 0 or a:size() == 0 then
        return axes.along(a, "mean", nil, true, ...) or blocked.by_copy(a, "mean", ...)
    end
    local x, n = a, a:size()
    if not sums_exactly(a:dtype(), n) then
        x = a:cast "f64"
    end
    local mean = x:sum() / n
    if mean ~= mean or math.abs(mean) == math.huge then
        mean = (x * 0x1p-64):sum() / n * 0x1p64 -- as on one rank, where the sum overflows
    end
    return mean
end)
blocked.offers.mean = methods.mean

-- ---------------------------------------------------------------- variances

-- The first element, 0 where it is not finite, on all ranks.
local function first_element(a)
    local s, pe = blocked.spread_of(a), 0
    while select(2, spread.range(s, pe)) == 0 do
        pe = pe + 1
    end
    local own = mype == pe and blocked.part_of(a):reshape(-1):sub(1, 1):cast("f64"):tobytes() or nil
    local first = string.unpack("d", net.bcast(pe, own))
    return first - first == 0 and first or 0.0
end

-- The sums of all elements, of their distances from `shift`, and of the squares of these, in one step.
local function sums_around(a, shift)
    return tree.whole(a, function(group)
        local x = group:cast "f64"
        local d = shift ~= 0 and x - shift or x
        return { x:sum(), d:sum(), (d * d):sum() }
    end, function(p, q)
        return { p[1] + q[1], p[2] + q[2], p[3] + q[3] }
    end, { taken = true })
end

-- The sum of squared deviations, in one pass by the first element and, where that loses digits, in a second one by the
-- mean: as on one rank (prims/api/fold/total.c).
local function deviations(a)
    local n, shift = a:size(), first_element(a)
    local sums = sums_around(a, shift)
    local function squares()
        return math.max(sums[3] - sums[2] * (sums[2] / n), 0.0)
    end
    local mean, m2 = sums[1] / n, squares()
    if mean - mean ~= 0 then
        local small = tree.whole(a, function(group)
            return (group:cast "f64" * 0x1p-64):sum()
        end, function(p, q)
            return p + q
        end, { taken = true })
        mean = small / n * 0x1p64
    end
    local off = mean - shift
    if mean - mean == 0 and off ~= 0 and (m2 - m2 ~= 0 or off * off * n > 1e4 * m2) then
        sums = sums_around(a, mean)
        m2 = squares()
    end
    return m2
end

-- The option ddof of a whole variance; nil: it is along axes, or leaves elements out. Options that are wrong raise.
local function ddof_of(a, name, options)
    local given = type(options) == "table" and options or { ddof = options }
    if a:size() == 0 or given.axis ~= nil or given.skipnan or given.skipna ~= nil then
        return nil
    end
    local shape = {}
    for d = 1, a:rank() do
        shape[d] = 1
    end
    local model = core.zeros(shape, a:dtype())
    blocked.named(name, model[name], model, options)
    return given.ddof or 0
end

for _, name in ipairs { "var", "std" } do
    methods[name] = public(function(a, options)
        local ddof = blocked.is(a) and ddof_of(a, name, options)
        if not ddof then
            return blocked.is(a) and axes.along(a, name, nil, false, options) or blocked.by_copy(a, name, options)
        end
        local x = by_rows(blocked.evaluated(a))
        net.step(("%s of %s"):format(name, blocked.kind_of(a)), "a reduction", name .. blocked.spread_of(a).key)
        local m2, n = deviations(x), a:size() - ddof
        local variance = n > 0 and m2 / n or 0 / 0
        return name == "std" and math.sqrt(variance) or variance
    end)
    blocked.offers[name] = methods[name]
end

-- The sum of the products, which integers are widened for. a or b is blocked.
methods.dot = public(function(a, b)
    local x, y = core.zeros({ a:shape() }, a:dtype()), pack.is_array(b) and b
    if blocked.is(b) then
        y = core.zeros({ b:shape() }, b:dtype())
    end
    core.dot(x, y or b) -- raises what is wrong with the arguments
    local meeting = (core.zeros(1, a:dtype()) * core.zeros(1, b:dtype())):dtype()
    local narrow = dtypes.by_name[meeting].bytes == 2 and "f32" or meeting
    local wide = meeting:find "f" and narrow or core.zeros({ 1, 1 }, meeting):sum(1):dtype()
    return (a:cast(wide) * b):sum()
end)
blocked.offers.dot = methods.dot
