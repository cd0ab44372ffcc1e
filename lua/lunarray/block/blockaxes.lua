-- Methods of blocked arrays that go along axes: sums, scans, order. Axes that no rank shares are each rank's own; the
-- elements of a line that is cut are brought to one rank, so that bits are those of one. Knows no transport.

local blocked = require "lunarray.block.blocked"
local choose = require "lunarray.block.blockchoose"
local core = require "lunarray.core"
local dtypes = require "lunarray.base.dtypes"
local fold = require "lunarray.ranks.fold"
local over = require "lunarray.block.blockover"
local pack = require "lunarray.ranks.pack"
local rows = require "lunarray.block.blockrows"
local spread = require "lunarray.block.spread"

local net = core.internal.spmd
local npes, mype = net.start()

local axes = {}

-- ---------------------------------------------------------------- where results stand

-- The axis of the largest extent of which no line is cut: one that is not in `along`; nil where there is none.
local function longest(shape, along)
    local best
    for d, n in ipairs(shape) do
        if not along[d] and (not best or n > shape[best]) then
            best = d
        end
    end
    return best
end

-- The axes of the result that axes of the operand are, by number; nil for those that are gone.
local function places_in(shape, along, result)
    local places, at = {}, 0
    for d = 1, #shape do
        if #result == #shape or not along[d] then
            at = at + 1
            places[d] = at
        end
    end
    return places
end

-- A spread of the operand in which no line along the axes is cut, and that of a result of such a shape.
local function spreads(s, along, result)
    local places, list, cut = places_in(s.shape, along, result), {}, false
    for _, d in ipairs(s.blocked) do
        cut = cut or along[d]
        list[#list + 1] = places[d]
    end
    if not cut then
        return s, spread.new(result, list, s.rule, npes)
    end
    local d = longest(s.shape, along)
    return spread.new(s.shape, { d }, nil, npes), spread.new(result, { places[d] }, nil, npes)
end

-- ---------------------------------------------------------------- reductions whose order does not matter

axes.combines = { sum = "+", prod = "*", min = "min", max = "max", any = "lor", all = "land", count = "+" }

-- Whether the results of parts, in any order, give those of the whole.
function axes.is_free(name, dtype)
    local rounds = (name == "sum" or name == "prod") and dtype:find "f"
    return axes.combines[name] ~= nil and not rounds
end

-- Whether each rank has parts of all lines.
local function is_across(s, along)
    for d = 1, #s.shape do
        if s.grid[d] > 1 and not along[d] then
            return false
        end
    end
    return true
end

-- Whether the order of elements tells which of 0.0 and -0.0 a line's extreme is.
local function is_open(part, name, result)
    if name ~= "min" and name ~= "max" or not part:dtype():find "f" or not result:eq(0):any() then
        return false
    end
    return part:eq(0):land(core.div(1, part):lt(0)):any()
end

-- Each rank reduces its parts of the lines; a rank that gets some of the results combines those of all. nil on all
-- ranks: the order of elements matters.
local function combine_parts(a, to, dtype, name, ...)
    local part, own = blocked.part_of(a), {}
    local result = part:size() > 0 and part[name](part, ...):eval() or nil
    local said = result and is_open(part, name, result) and "o" or "-"
    for pe = 0, npes - 1 do
        own[pe + 1] = said .. (result and blocked.box_of(result, to, pe):tobytes() or "")
    end
    local list, _, count = {}, spread.box(to, mype)
    for _, bytes in ipairs(net.exchange(own)) do
        if bytes:sub(1, 1) == "o" then
            return nil
        end
        list[#list + 1] = #bytes > 1 and core.frombytes(bytes:sub(2), dtype, count) or nil
    end
    if #list == 0 then
        return core.zeros(count, dtype)
    end
    return fold.tree((fold.operation(axes.combines[name])), list):cast(dtype):eval() -- max of truths is an integer
end

-- ---------------------------------------------------------------- rows that stay where they are

local MOMENTS = { sum = true, prod = true, mean = true, norm = true, var = true, std = true }

-- a[name](a, ...) of floats along axes that ranks share, with an element for each line, on all ranks: the engine hands
-- lanes of sums on from rank to rank. nil where lines have no such form, or are brought together by moving less.
local function moment(a, name, along, options)
    options = type(options) == "table" and options or {}
    local x, at = rows.of(a, along)
    local bytes = dtypes.by_name[a:dtype()].bytes
    if not x or not MOMENTS[name] or options.skipnan or at.shape[1] * bytes <= 64 * 8 * npes then
        return nil
    end
    return over.slices(at, x:eval(), nil, function(all)
        return all[name](all, { axis = 1, ddof = options.ddof })
    end)[1]
end

local order = core.internal.order
local LEAST = 2 * order.scan_group -- rows of floats on each rank that move less than lines that are brought together

-- This rank's part of a:scan(f, id, {axis=, inclusive=}), which gives elements of dtype `give`: the engine hands on
-- what lines have come to. nil as above.
local function scan(a, along, give, f, id, options)
    local name = fold.name_of(f)
    local is_float, x, at = give:find "f", rows.of(a, along)
    local n = x and at.shape[1]
    local wide = name == "add" or name == "mul" or give == "f64"
    local dtype = name and is_float and (wide and "f64" or "f32") or give
    if not x or type(options) ~= "table" or not name and (type(f) ~= "function" or n > order.scan_chunk)
        or name == "fmin" or name == "fmax" or n < LEAST * npes and (is_float or not name) then
        return nil
    end
    local first = id ~= nil and (pack.is_array(id) and id:reshape(1) or core.full(1, id, dtype)):cast(dtype) or nil
    local scanned = net.scan_rows(at.bounds, at.shape, x:cast(dtype), f, first, options.inclusive)
    return rows.as_part(scanned:cast(give), along, { blocked.part_of(a):shape() })
end

-- ---------------------------------------------------------------- all

-- a[name](a, ...), which goes along the axes `along` (a set). What it gives of the whole array says `like`, a private
-- array that is not evaluated. nil where there is no axis along which the result could be blocked.
local function run(a, name, along, like, ...)
    local s, result = blocked.spread_of(a), { like:shape() }
    if a:size() == 0 or not longest(s.shape, along) then
        return nil
    end
    local from, to = spreads(s, along, result)
    blocked.evaluated(a)
    net.step(("%s %s along axes"):format(name, blocked.kind_of(a)), "a method along axes", name .. from.key .. to.key)
    if axes.is_free(name, a:dtype()) and from ~= s and is_across(s, along) then
        local combined = combine_parts(a, to, like:dtype(), name, ...)
        if combined then
            return blocked.make(to, combined)
        end
    end
    local whole = from ~= s and (moment(a, name, along, ...) or choose.positions(a, name, along, ...))
    if whole then
        return blocked.make(to, blocked.box_of(whole:reshape(to.shape), to, mype):eval())
    end
    local scanned = from ~= s and name == "scan" and scan(a, along, like:dtype(), ...)
    if scanned then
        return blocked.make(s, scanned)
    end
    local part = blocked.part_of(blocked.in_spread(a, from))
    local made = blocked.make(to, part[name](part, ...))
    if #result == #s.shape and table.concat(result, ",") == table.concat(s.shape, ",") then
        return blocked.in_spread(made, s) -- scans and order: where the operand is
    end
    return made
end

-- The axes that an argument names, by the option axis or, if `numbers`, as a number: a set; nil where it does not.
local function axes_of(given, rank, numbers)
    local axis = numbers and given or nil
    if type(given) == "table" then
        axis = given.axis
    end
    if axis == nil then
        return nil
    end
    local set = {}
    for _, d in ipairs(type(axis) == "table" and axis or { axis }) do
        d = math.tointeger(d)
        set[d and d < 0 and rank + 1 + d or d or 0] = true
    end
    return set
end

-- a[name](a, ...) along the axes that its last argument names, or along `otherwise`; numbers: whether a number names
-- one. nil where there are none, or where the method is not one for parts: a private copy has it.
function axes.along(a, name, otherwise, numbers, ...)
    local count, shape = select("#", ...), blocked.spread_of(a).shape
    local along = axes_of((select(math.max(count, 1), ...)), #shape, numbers) or otherwise and { [otherwise] = true }
    for k = 1, count do
        local x = select(k, ...)
        if blocked.is(x) or type(x) == "table" and x.elements ~= nil then
            return nil
        end
    end
    if not along then
        return nil
    end
    local model = core.zeros(shape, a:dtype())
    local like = blocked.method_named(name, model, ...) -- raises what is wrong with the arguments
    if not pack.is_array(like) or #{ like:shape() } == 0 then
        return nil
    end
    return run(a, name, along, like, ...)
end

return axes
