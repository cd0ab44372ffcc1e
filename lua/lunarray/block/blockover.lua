-- Steps in which all ranks evaluate everyone's parts as one array, as on any set of locations: what moves, and in which
-- order elements are combined, is the engine's (prims/api/spmd/over_ranks.c). Knows no method and no transport.

local blocked = require "lunarray.block.blocked"
local core = require "lunarray.core"
local private = require "lunarray.block.blockprivate"
local ready = require "lunarray.ranks.ready"
local spread = require "lunarray.block.spread"

local net = core.internal.spmd
local npes, mype = net.start()

local over = {}

-- A blocked array by rows of its first axis, evaluated.
function over.by_rows(a)
    local s = blocked.spread_of(blocked.evaluated(a))
    return spread.is_flat(s) and a or blocked.in_spread(a, spread.new(s.shape, { 1 }, "balanced", npes))
end

local function evaluate(...)
    local arrays = {}
    for k = 1, select("#", ...) do
        local x = select(k, ...)
        for _, a in ipairs(private.is(x) and private.arrays(x) or {}) do
            arrays[#arrays + 1] = a
        end
    end
    core.eval(table.unpack(arrays))
end

-- The array of everyone's slices, of which this rank has x, or such records.
local function shared(at, x)
    return private.each(x, function(a, extents)
        local shape = extents and table.move(extents, 1, #extents, #at.shape + 1, { table.unpack(at.shape) })
        return net.over(at.bounds, shape or at.shape, a)
    end)
end

-- This rank's part of an array that is divided as `all` is; else nil. Of complex numbers their lanes are.
local function own_elements(all, a)
    if not core.iscomplex(a) then
        return net.own(all, a)
    end
    local lanes = net.own(all, core.internal.complex_lanes(a))
    return lanes and core.internal.complex_of(lanes):eval()
end

-- This rank's part of x if that is divided as `all` is, or a field of it; else nil.
local function own_part(at, all, x)
    local own, any = {}, nil
    for _, a in ipairs(private.is(x) and private.arrays(x) or {}) do
        own[a] = own_elements(all, a)
        any = any or own[a]
    end
    return any and private.each(x, function(a)
        return own[a] or a:sub({ at.bounds[mype + 1] + 1, at.bounds[mype + 2] }):copy()
    end)
end

-- What f gives, arrays as they are on this rank: of those that are divided as `all` is its part, of others all.
-- Behind them, for each whether it is a part.
local function run(at, f, all, ...)
    local list, parts, one = table.pack(f(all, ...)), {}, private.first(all)
    evaluate(table.unpack(list, 1, list.n))
    for k = 1, list.n do
        local own = own_part(at, one, list[k])
        list[k], parts[k] = own or list[k], own and true or false
    end
    return list, parts
end

-- f(x, ...), x being the array of `shape` of which rank k has slices bounds[k + 1] .. bounds[k + 2] - 1 of the first
-- axis, from 0, here `part`: a list of its results, and for each whether it is this rank's part of one that is divided
-- so. said: the step, { doing, noun, options }; nil: it has been taken.
function over.slices(at, part, said, f, ...)
    if npes == 1 then
        return table.pack(f(part, ...)), {}
    end
    ready(evaluate, ...) -- what all ranks have: nothing of it is theirs to share
    part = private.dense(part)
    local all = ready(shared, at, part)
    if said then
        net.step(table.unpack(said, 1, 3))
    end
    local list, parts = net.together(run, at, f, all, ...)
    all:free() -- its memory is the part's
    return list, parts
end

-- Where the slices of each PE begin, of n; range(pe): its first one, from 0, and their number.
function over.bounds(n, range)
    local bounds = { [npes + 1] = n }
    for pe = npes - 1, 0, -1 do
        local first, count = range(pe)
        bounds[pe + 1] = count > 0 and first or bounds[pe + 2]
    end
    return bounds
end

-- The slices that a blocked array by rows is made of.
function over.slices_of(s)
    local bounds = over.bounds(s.shape[1], function(pe)
        local first, count = spread.box(s, pe)
        return first[1] - 1, count[1]
    end)
    return { bounds = bounds, shape = s.shape }
end

-- f(x) of everyone's elements one after the other, wherever they stand in a. Results all ranks have.
function over.elements(a, said, f)
    local bounds, s = { 0 }, blocked.spread_of(blocked.evaluated(a))
    for pe = 0, npes - 1 do
        bounds[pe + 2] = bounds[pe + 1] + spread.size(select(2, spread.box(s, pe)))
    end
    local list = over.slices({ bounds = bounds, shape = { a:size() } }, blocked.part_of(a):reshape(-1), said, f)
    return table.unpack(list, 1, list.n)
end

-- f(x, ...) of everyone's parts of a, which is blocked by rows, and of arguments that are blocked: results that all
-- ranks have.
function over.call(a, said, f, ...)
    local s, given, own = blocked.spread_of(a), table.pack(...), {} -- own: stay while others use them
    local at = over.slices_of(s)
    for k = 1, given.n do
        if blocked.is(given[k]) then
            own[k] = blocked.part_of(blocked.in_spread(blocked.evaluated(given[k]), s))
            given[k] = npes > 1 and ready(shared, at, own[k]) or own[k]
        end
    end
    local list, parts = over.slices(at, blocked.part_of(a), said, f, table.unpack(given, 1, given.n))
    for k = 1, list.n do
        list[k] = parts[k] and net.whole(s.blocks, list[k]) or list[k]
    end
    return table.unpack(list, 1, list.n)
end

-- The method of a, whose results are blocked as a is.
function over.method(a, name, doing, noun, ...)
    local x = over.by_rows(a)
    local s = blocked.spread_of(x)
    local said = { ("%s %s"):format(doing, blocked.kind_of(a)), noun, name .. s.key }
    local list, parts = over.slices(over.slices_of(s), blocked.part_of(x), said, function(all, ...)
        return blocked.method_named(name, all, ...)
    end, blocked.whole(...))
    for k = 1, list.n do
        local part = (parts[k] or npes == 1) and list[k] or blocked.box_of(list[k], s, mype):copy()
        list[k] = blocked.in_spread(blocked.make(s, part), blocked.spread_of(a))
    end
    return table.unpack(list, 1, list.n)
end

return over
