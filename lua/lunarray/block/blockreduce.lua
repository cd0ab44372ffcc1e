-- Whole reductions of blocked arrays, with the bits of one rank. Knows no transport.

local axes = require "lunarray.block.blockaxes"
local blocked = require "lunarray.block.blocked"
local core = require "lunarray.core"
local dtypes = require "lunarray.base.dtypes"
local fold = require "lunarray.ranks.fold"
local pack = require "lunarray.ranks.pack"
local public = require "lunarray.base.public"
local scope = require "lunarray.base.scope"
local over = require "lunarray.block.blockover"
local spread = require "lunarray.block.spread"

local methods = blocked.methods

-- ---------------------------------------------------------------- reductions

local function of_parts(a, name, f, said)
    local part = blocked.part_of(a)
    local own
    if part:size() > 0 then
        own = part[name](part)
    end
    local list = {}
    for _, bytes in ipairs(core.internal.spmd.gather(pack.write(own), table.unpack(said))) do
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

-- by_parts: each rank's elements first, in whatever order they stand there.
local function reduce(a, name, by_parts)
    blocked.evaluated(a)
    local f = fold.operation(axes.combines[name])
    local said = {
        ("%s %s"):format(name == "sum" and "sums" or "reduces", blocked.kind_of(a)), "a reduction",
        name .. blocked.spread_of(a).key .. (by_parts and " by ranks" or ""),
    }
    local function in_order()
        return over.call(over.by_rows(a), said, function(all)
            return all[name](all)
        end)
    end
    if not by_parts then
        return in_order()
    end
    local result = of_parts(a, name, f, said)
    if result == 0 and (name == "min" or name == "max") and a:dtype():find "f" then
        return in_order() -- of 0.0 and -0.0 the order tells which
    end
    return result
end

-- ---------------------------------------------------------------- by an operation or a function

-- a:reduce(f [, first]) of all elements, a Scalar on all ranks. nil where it has no form in parts.
local function reduce_by(a, f, ...)
    local first = ...
    if a:size() == 0 or select("#", ...) > 1 or type(first) == "table" then
        return nil -- further arguments of f; options; several arrays
    end
    core.zeros(1, a:dtype()):copy():reduce(f, ...):eval() -- raises what is wrong with the arguments
    local said = {
        ("reduces %s"):format(blocked.kind_of(a)), "a reduction", (fold.name_of(f) or "") .. blocked.spread_of(a).key,
    }
    return over.call(over.by_rows(a), said, function(all, ...)
        return all:reduce(f, ...)
    end, ...)
end

methods.reduce = public(function(a, f, ...)
    return blocked.is(a) and (axes.along(a, "reduce", nil, false, f, ...) or reduce_by(a, f, ...))
        or blocked.by_copy(a, "reduce", f, ...)
end)

for name in pairs(axes.combines) do
    local binary = methods[name] -- a:min(b)
    methods[name] = public(function(a, ...)
        local other = blocked.of_row((...))
        if binary and other ~= nil and (type(other) ~= "table" or blocked.is(other)) then
            return binary(a, ...)
        elseif other ~= nil then
            return axes.along(a, name, nil, true, ...) or blocked.by_copy(a, name, ...)
        end
        local s = blocked.spread_of(a)
        local by_parts = axes.is_free(name, a:dtype()) or spread.size(s.shape) == 0 or sums_of_ranks()
        return reduce(a, name, by_parts)
    end)
    blocked.offers[name] = blocked.as_function(methods[name])
end

-- Whether the sum of n such integers fits in a float, so that order and rounding do not matter.
local function sums_exactly(dtype, n)
    local bits = 8 * dtypes.by_name[dtype].bytes
    return not dtype:find "f" and bits < 53 and n <= 1 << 53 - bits
end

-- ---------------------------------------------------------------- moments

-- Whether it is one of all elements, which leaves none out. Options that are wrong raise.
local function is_whole(a, name, options)
    local how = type(options) == "table" and options or { ddof = options }
    if name == "mean" and options ~= nil or a:size() == 0 or how.axis ~= nil or how.skipnan or how.skipna ~= nil then
        return false
    end
    local shape = {}
    for d = 1, #blocked.spread_of(a).shape do
        shape[d] = 1
    end
    local model = core.zeros(shape, a:dtype())
    blocked.method_named(name, model, options)
    return true
end

-- The mean that sums in any order give; nil: they give others, or overflow.
local function mean_of_sums(a)
    local x = sums_exactly(a:dtype(), a:size()) and a or sums_of_ranks() and a:cast "f64"
    local mean = x and x:sum() / a:size()
    return mean and math.abs(mean) < math.huge and mean or nil
end

for _, name in ipairs { "mean", "var", "std" } do
    methods[name] = public(function(a, options)
        if not blocked.is(a) or not is_whole(a, name, options) then
            return blocked.is(a) and axes.along(a, name, nil, name == "mean", options)
                or blocked.by_copy(a, name, options)
        end
        local mean = name == "mean" and mean_of_sums(a)
        if mean then
            return mean
        end
        local said = { ("%s of %s"):format(name, blocked.kind_of(a)), "a reduction", name .. blocked.spread_of(a).key }
        return over.call(over.by_rows(a), said, function(all)
            return all[name](all, options)
        end)
    end)
    blocked.offers[name] = blocked.as_function(methods[name])
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
blocked.offers.dot = blocked.as_function(methods.dot)
