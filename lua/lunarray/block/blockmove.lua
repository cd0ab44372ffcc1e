-- Blocked arrays made and moved: zeros and others with a blocked extent, distribute, another spread, a private copy of
-- all, files. Knows no transport.

local blocked = require "lunarray.block.blocked"
local core = require "lunarray.core"
local dtypes = require "lunarray.base.dtypes"
local pack = require "lunarray.ranks.pack"
local private = require "lunarray.block.blockprivate"
local public = require "lunarray.base.public"
local ready = require "lunarray.ranks.ready"
local save_together = require "lunarray.block.blocksave"
local spread = require "lunarray.block.spread"
local windows = require "lunarray.ranks.windows"

local net = core.internal.spmd
local npes, mype = net.start()

local move = {}
local methods = blocked.methods

-- ---------------------------------------------------------------- extents to be blocked

local extent = { __name = "a blocked extent", __records = blocked.offers, __blocked = true }
local rule_of = setmetatable({}, { __mode = "k" })

-- s.block(n [, {rule=}])
function move.block(n, options)
    if math.type(n) ~= "integer" or n < 0 then
        error(("bad argument #1 to 'block' (an extent expected, got %s)"):format(tostring(n)), 0)
    end
    if options ~= nil and type(options) ~= "table" then
        error(("bad argument #2 to 'block' (a table of options expected, got %s)"):format(type(options)), 0)
    end
    for key, value in pairs(options or {}) do
        if key ~= "rule" or not spread.is_rule(value) then
            error(("bad argument #2 to 'block' (the option is rule, one of %s)"):format(spread.rules), 0)
        end
    end
    local e = setmetatable({ n }, extent)
    rule_of[e] = options and options.rule
    return e
end

-- The spread that a shape with blocked extents says.
local function spread_of(call, shape)
    if getmetatable(shape) == extent then
        shape = { shape }
    end
    local extents, axes, rule = {}, {}, nil
    for d, n in ipairs(type(shape) == "table" and shape or { shape }) do
        if getmetatable(n) == extent then
            axes[#axes + 1], rule = d, rule or rule_of[n]
            n = n[1]
        end
        extents[d] = math.type(n) and math.tointeger(n)
        if not extents[d] or extents[d] < 0 then
            local got = type(shape[d]) == "table" and "a table" or tostring(n)
            error(("bad argument #1 to '%s' (axis %d: an extent expected, got %s)"):format(call, d, got), 0)
        end
    end
    if #axes == 0 then
        error(("bad argument #1 to '%s' (a shape expected)"):format(call), 0)
    end
    return spread.new(extents, axes, rule, npes)
end

-- A blocked array of a part, which all ranks make.
local function made(s, part, missing)
    local a = blocked.make(s, part, missing)
    blocked.window_of(a)
    return a
end

local function new_part(name, shape, ...)
    local s = spread_of(name, shape)
    local _, count = spread.box(s, mype)
    return s, blocked.named(name, core[name], count, ...):copy()
end

-- core.zeros and its like of a shape with blocked extents.
for _, name in ipairs { "zeros", "ones", "full" } do
    blocked.offers[name] = public(function(...)
        return made(ready(new_part, name, ...))
    end)
end

-- What a PE has of `to` in an array of which `to` is a range, from the element `at` on (from 0; nil: it is all of it).
local function box_in(to, pe, at)
    local first, count = spread.box(to, pe)
    for d = 1, at and #at or 0 do
        first[d] = first[d] + at[d]
    end
    return first, count
end

-- A box as ranges of a:sub and lun.generate.
local function as_ranges(first, count)
    local ranges = {}
    for d = 1, #first do
        ranges[d] = { first[d], first[d] + count[d] - 1 }
    end
    return ranges
end

-- The elements of a private array that belong to a PE.
function blocked.box_of(a, s, pe, at)
    return a:sub(table.unpack(as_ranges(box_in(s, pe, at))))
end

-- A private array of which each rank keeps its part.
local function keep_part(a, s)
    return made(s, blocked.box_of(a, s, mype):copy(), blocked.may_miss(a))
end
blocked.keep_part = keep_part

local function new_random(shape, ...)
    local s = spread_of("random", shape)
    return blocked.named("random", core.random, s.shape, ...), s
end

local function new_index(n)
    local s = spread_of("index", n)
    return core.index(s.shape[1]), s
end

local function new_linspace(low, high, n, options)
    local s = spread_of("linspace", n)
    return blocked.named("linspace", core.linspace, low, high, s.shape[1], options), s
end

-- Arrays that are computed where they are read: no rank computes another's elements.
for name, new in pairs { random = new_random, index = new_index, linspace = new_linspace } do
    blocked.offers[name] = public(function(...)
        return keep_part(ready(new, ...))
    end)
end

-- The own parts of what f gives for each index.
local function new_generated(shape, f, options)
    local s = spread_of("generate", shape)
    if options ~= nil then
        error("bad argument #3 to 'generate' (a blocked array has no options: out is a private one's)", 0)
    end
    return s, blocked.named("generate", core.generate, as_ranges(spread.box(s, mype)), f)
end

local function made_each(s, ...)
    local results = table.pack(...)
    for k = 1, results.n do
        results[k] = made(s, results[k])
    end
    return table.unpack(results, 1, results.n)
end

blocked.offers.generate = public(function(...)
    return made_each(ready(new_generated, ...))
end)

-- The results of a call, or its error.
local function settle(results)
    if not results[1] then
        error(results[2], 3)
    end
    return table.unpack(results, 2, results.n)
end

-- What PE 0 writes; all get the same results.
local function save_there(save, path, a, ...)
    local results
    if mype == 0 then
        results = pack.write(pcall(save, path, a, ...))
    end
    return settle(table.pack(pack.read(npes > 1 and net.bcast(0, results) or results)))
end

-- A table of columns some of which are blocked, with private ones instead; nil: it is none.
local function private_columns(t)
    local names, any = {}, false
    for name, column in pairs(type(t) == "table" and getmetatable(t) == nil and t or {}) do
        names[#names + 1] = name
        any = any or blocked.is(blocked.of_row(column))
    end
    if not any then
        return nil
    end
    table.sort(names, function(x, y) -- the order of the steps, the same on all ranks
        return tostring(x) < tostring(y)
    end)
    local result = {}
    for _, name in ipairs(names) do
        result[name] = blocked.whole(t[name])
    end
    return result
end

function move.install(lun)
    local save = lun.save
    lun.save = function(path, a, ...)
        a = blocked.of_row(a)
        if blocked.is(a) then
            return move.save(save, path, a, ...)
        end
        local columns = private_columns(a)
        if columns then
            return save_there(save, path, columns, ...)
        end
        return save(path, a, ...)
    end
    local make_table = lun.table
    lun.table = function(t, ...)
        return make_table(private_columns(t) or t, ...)
    end
    for _, name in ipairs { "hist", "plot", "image", "group", "join" } do
        local f = lun[name]
        lun[name] = function(...)
            return f(blocked.whole(...))
        end
    end
end

-- The file that one rank would write, by all ranks or by PE 0; all get the same results.
function move.save(save, path, a, ...)
    local together = npes > 1 and type(path) == "string" and path:lower():find "%.npy$" and ... == nil
        and not blocked.is_logical(a) and save_together(path, a)
    if together then
        return settle(together)
    end
    return save_there(save, path, blocked.private(a), ...)
end

-- ---------------------------------------------------------------- moving

-- The window on box (first, count) of a part that begins at `base`.
local function window_on(part, base, first, count)
    local inside = {}
    for d = 1, #first do
        inside[d] = first[d] - base[d] + 1
    end
    return part:sub(table.unpack(as_ranges(inside, count)))
end
blocked.window_on = window_on

-- Part of a blocked array in another spread, of all of it or, from the element `at` on, of some: exactly what is common
-- to two boxes moves between their ranks.
function blocked.moved(a, to, at)
    local from, part = blocked.spread_of(a), blocked.part_of(blocked.evaluated(a))
    local own_base, own_size = box_in(to, mype, at)
    if npes == 1 then
        return at and blocked.box_of(part, to, mype, at):copy() or part
    end
    local base, size = spread.box(from, mype)
    local key = at and ("%s from %s"):format(to.key, table.concat(at, ",")) or to.key
    if blocked.is_logical(a) then
        return blocked.moved_logical(a, key, function(pe)
            return box_in(to, pe, at)
        end)
    end
    local parts, boxes, counts = {}, {}, {}
    local bytes = dtypes.by_name[part:dtype()].bytes
    for pe = 0, npes - 1 do
        local first, count = spread.common(base, size, box_in(to, pe, at))
        parts[pe + 1] = first and window_on(part, base, first, count):tobytes() or ""
        first, count = spread.common(own_base, own_size, spread.box(from, pe))
        boxes[pe + 1], counts[pe + 1] = first and { first, count } or false, first and spread.size(count) * bytes or 0
    end
    net.step(("moves %s to other blocks"):format(blocked.kind_of(a)), "a move", key)
    parts = net.exchange(parts, counts)
    local result = core.zeros(own_size, part:dtype())
    for k, box in ipairs(boxes) do
        if box then
            window_on(result, own_base, box[1], box[2]):set(core.frombytes(parts[k], result:dtype(), box[2]))
        end
    end
    return result
end

-- An array in the spread `to`.
function blocked.in_spread(a, to)
    return blocked.spread_of(a).key == to.key and a or blocked.make(to, blocked.moved(a, to), blocked.may_miss(a))
end

-- Everyone's bytes, in rank order, which f gives. An error of f on one rank is raised on all.
function blocked.gather(f)
    local ok, bytes = pcall(f)
    local list = net.gather((ok and "y" or "n") .. tostring(bytes))
    for k, text in ipairs(list) do
        if text:sub(1, 1) == "n" then
            error(("PE %d: %s"):format(k - 1, text:sub(2)), 0)
        end
        list[k] = text:sub(2)
    end
    return list
end

-- The whole array on each rank.
function blocked.private(a)
    local s, part = blocked.spread_of(a), blocked.part_of(blocked.evaluated(a))
    if blocked.is_logical(a) then
        return blocked.private_logical(a)
    end
    return net.whole(s.blocks, part, ("gathers %s"):format(blocked.kind_of(a)), "a gather", s.key)
end

-- The spread that a:distribute(kind, {over="ranks", rule=, axis=}) asks for; nil: a copy.
local function wanted_spread(a, kind, options)
    if not private.is(a) and not blocked.is(a) then
        error(("bad argument #1 to 'distribute' (array expected, got %s)"):format(core.internal.kind_of(a)), 0)
    elseif type(options) ~= "table" or options.over ~= "ranks" then
        error("bad argument #2 to 'distribute' (a blocked array is over ranks: {over=\"ranks\"} expected)", 0)
    end
    for key in pairs(options) do
        if key ~= "over" and key ~= "rule" and key ~= "axis" then
            error(("bad argument #2 to 'distribute' (over ranks the options are rule and axis, not %s)"):format(
                tostring(key)), 0)
        end
    end
    if kind == "copy" then
        return nil
    elseif kind ~= "block" then
        error(("bad argument #1 to 'distribute' (over ranks \"block\" or \"copy\" expected, got %s)"):format(
            tostring(kind)), 0)
    end
    local shape, axis, rule = { a:shape() }, options.axis or 1, options.rule
    if math.type(axis) ~= "integer" or axis < 1 or axis > #shape then
        error(("bad argument #2 to 'distribute' (axis %s of an array of rank %d)"):format(tostring(axis), #shape), 0)
    elseif rule ~= nil and not spread.is_rule(rule) then
        error(("bad argument #2 to 'distribute' (the rule is one of %s)"):format(spread.rules), 0)
    end
    return spread.new(shape, { axis }, rule, npes)
end

-- a, which is private, or blocked so, from now on.
function move.distribute(a, kind, options)
    local s = ready(wanted_spread, a, kind, options)
    if not s then
        return blocked.is(a) and blocked.become(a, blocked.private(a)) or a
    elseif not blocked.is(a) then
        return blocked.become(a, keep_part(a, s))
    elseif blocked.spread_of(a).key ~= s.key then
        return blocked.become(a, made(s, blocked.moved(a, s), blocked.may_miss(a)))
    end
    return blocked.set_spread(a, s) -- of one rank
end

methods.distribute = public(move.distribute)

-- Where the ranges of a:sub(...) begin, from 0 along each axis, and the shape that they leave; nil: they leave no
-- elements, go by steps, or leave out an axis.
local function ranges_of(a, ...)
    local shape, at = blocked.spread_of(a).shape, {}
    local numbers = core.index(spread.size(shape)):reshape(table.unpack(shape)):sub(...)
    local left = { numbers:shape() }
    if #left ~= #shape or numbers:size() == 0 then
        return nil
    end
    local first, last = numbers:read(1, 1)[1] - 1, numbers:read(numbers:size(), 1)[1] - 1
    for d = #shape, 1, -1 do
        at[d] = first % shape[d]
        if last % shape[d] - at[d] ~= left[d] - 1 then
            return nil
        end
        first, last = first // shape[d], last // shape[d]
    end
    return at, left
end

-- a:sub(...): ranges are blocked along the axes along which a is; others are a private copy's.
methods.sub = public(function(a, ...)
    local at, left = ready(ranges_of, a, ...)
    if not at then
        return blocked.by_copy(a, "sub", ...)
    end
    local from = blocked.spread_of(a)
    local to = spread.new(left, from.blocked, from.rule, npes)
    return made(to, blocked.moved(a, to, at), blocked.may_miss(a))
end)

-- ---------------------------------------------------------------- the functions of lun.spmd

local function check_blocked(a, call)
    if not blocked.is(a) then
        error(("bad argument #1 to '%s' (a blocked array expected, got %s)"):format(call,
            private.is(a) and "a private array" or type(a) == "table" and "a table" or type(a)), 0)
    end
    return blocked.spread_of(a)
end

function move.open(s, check_pe)
    s.block = public(move.block)
    s.distribute = public(move.distribute)
    s.blksize = public(function(a, dim, pe)
        local of = check_blocked(a, "blksize")
        if math.type(dim) ~= "integer" or dim < 1 or dim > #of.shape then
            error(("bad argument #2 to 'blksize' (a dimension from 1 to %d expected, got %s)"):format(#of.shape,
                tostring(dim)), 0)
        end
        local _, count = spread.box(of, check_pe(3, "blksize", pe, mype))
        return count[dim]
    end)
    -- s.localsize(a [, pe]), s.localsize(shape, dtype [, pe])
    s.localsize = public(function(a, ...)
        local of, dtype, pe = nil, ...
        if blocked.is(a) or type(a) ~= "table" then
            of, dtype, pe = check_blocked(a, "localsize"), a:dtype(), (...)
            if dtype == "text" then
                error("bad argument #1 to 'localsize' (texts have no bytes of one size)", 0)
            end
        end
        local row = dtypes.by_name[dtype] or type(dtype) == "table" and dtype -- a struct has bytes, too
        if not (row and math.type(row.bytes)) then
            error(("bad argument #2 to 'localsize' (a dtype expected, got %s)"):format(tostring(dtype)), 0)
        end
        of = of or spread_of("localsize", a)
        local _, count = spread.box(of, check_pe(blocked.is(a) and 2 or 3, "localsize", pe, mype))
        return spread.size(count) * row.bytes
    end)
    s.localview = public(function(a)
        check_blocked(a, "localview")
        return blocked.part_of(a)
    end)
    windows.homes[blocked.type] = function(a, indices)
        local of = blocked.spread_of(a)
        return (spread.home(of, windows.check_indices(of.shape, indices, "the blocked array " .. blocked.kind_of(a))))
    end
    windows.updates[blocked.type] = function(a, indices, x, op)
        local of = blocked.spread_of(a)
        indices = windows.check_indices(of.shape, indices, "the blocked array " .. blocked.kind_of(a))
        blocked.check_missing(a, op == "compare and swap" and type(x) == "table" and x.new or x)
        local pe, inside = spread.home(of, indices)
        return windows.access(pe, mype, "update", blocked.window_of(a), inside, x, op)
    end
end

return move
