-- The names of lunarray/names of blocked arrays, as methods and functions of the module: of each rank's part where each
-- element is computed alone, as they are where they are written over what blocked arrays have, else by a private copy.

local blocked = require "lunarray.block.blocked"
local core = require "lunarray.core"
local public = require "lunarray.base.public"

local methods, is, names, net = blocked.methods, blocked.is, core.internal.names, core.internal.spmd

local function set_of(list)
    local set = {}
    for name in list:gmatch "%S+" do
        set[name] = true
    end
    return set
end

-- Of a part as of the whole.
local OF_PARTS = set_of("square reciprocal rint modf signbit fmod ldexp frexp nextafter popcount clz ctz sar gcd lcm "
    .. "ipow lxor logaddexp heaviside deg2rad rad2deg sinpi sinc expit logit softplus minimum maximum clip nan_to_num "
    .. "isclose naif i0")

-- Over slices, shifts, scans, sums and operators, which move what they need.
local OVER_OTHERS = set_of("cumsum cumprod cummax cummin cumulative_sum cumulative_prod diff average ptp nansum "
    .. "nanmean nanmin nanmax nanstd nanmedian count_nonzero itemsize nbytes unique_values unique_counts nunique "
    .. "percentile moment skew kurtosis zscore pct_change")

-- Of the part of the first argument alone.
local OF_ITS_PARTS = set_of "zeros_like ones_like full_like interp digitize"

-- What they write is the first argument.
local WRITES = set_of "put_along_axis shuffle"

-- x, or a private copy if it is blocked; of a list or table so of what is in it, to `depth` levels.
local function private(x, depth)
    if depth == 0 or type(x) ~= "table" or getmetatable(x) then
        return is(x) and blocked.whole(x) or x
    end
    local list = {}
    for key, value in next, x do
        list[key] = private(value, depth - 1)
    end
    return list
end

-- The arguments as private arrays.
local function whole(...)
    local given = table.pack(...)
    for k = 1, given.n do
        given[k] = private(given[k], 2)
    end
    return table.unpack(given, 1, given.n)
end

-- Whether an argument is blocked, or an element of a list.
local function has_blocked(...)
    for k = 1, select("#", ...) do
        local x = select(k, ...)
        for _, value in next, type(x) == "table" and not getmetatable(x) and x or { x } do
            if is(value) then
                return true
            end
        end
    end
    return false
end

names.whole = whole -- for groups, whose columns may be blocked

-- The arguments of a method that writes a: of `shuffle` with a seed, where none is given rank 0's, as all ranks have to
-- write the same.
local function with_seed(a, name, ...)
    local options = ...
    if name ~= "shuffle" or options ~= nil and (type(options) ~= "table" or options.seed ~= nil) then
        return ...
    end
    net.step(("shuffles %s"):format(blocked.kind_of(a)), "a shuffle", blocked.spread_of(a).key)
    local given = { seed = tonumber(blocked.gather(function()
        return (core.random(1)[1] * 2 ^ 53) // 1 | 0
    end)[1]) }
    for key, value in next, options or {} do
        given[key] = value
    end
    return given, select(2, ...)
end

-- f, which is found when it is first called, of blocked arrays.
local function over(name, find)
    if OVER_OTHERS[name] then
        return function(a, ...)
            local of_codes = name == "nbytes" and is(a) and a:dtype() == "text" -- which ranks do not have alike
            return blocked.named(name, find(), of_codes and blocked.whole(a) or a, ...)
        end
    elseif OF_PARTS[name] then
        return blocked.elementwise(name, function(...)
            return find()(...)
        end)
    end
    local function of_whole(...)
        return blocked.named(name, find(), whole(...))
    end
    return public(function(a, ...)
        if is(a) and OF_ITS_PARTS[name] then
            local part = blocked.named(name, find(), blocked.part_of(a), whole(...))
            return blocked.wrap(blocked.spread_of(a), blocked.may_miss(a), part)
        elseif is(a) and WRITES[name] then
            a:set(of_whole(blocked.whole(a):copy(), with_seed(a, name, ...)))
            return a
        end
        return of_whole(a, ...)
    end)
end

local function offer(file, name, is_method)
    local of_blocked = over(name, function()
        return require(file)[name]
    end)
    local there = methods[name]
    names.over_ranks[name] = function(a, ...)
        if there and is(a) then
            return a[name](a, ...)
        end
        return (has_blocked(a, ...) and of_blocked or require(file)[name])(a, ...)
    end
    if is_method and not there then
        methods[name] = over(name, function()
            return require(file).methods[name]
        end)
    end
end

for _, file in ipairs(names.files) do
    for name in file.functions:gmatch "%S+" do
        offer("lunarray.names." .. file.file, name, false)
    end
    for name in file.methods:gmatch "%S+" do
        offer("lunarray.names." .. file.file, name, true)
    end
end
