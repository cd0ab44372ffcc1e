-- Blocked arrays of logical dtypes (texts, times, complex numbers) and of which elements may be missing. What is done
-- element by element needs no message, as of numbers; parts go from rank to rank as pack.lua has them, and each rank
-- has a pool of the texts of its part; all else is computed by a private copy. Knows no transport.

local blocked = require "lunarray.block.blocked"
local core = require "lunarray.core"
local dtypes = require "lunarray.base.dtypes"
local pack = require "lunarray.ranks.pack"
local private = require "lunarray.block.blockprivate"
local public = require "lunarray.base.public"
local spread = require "lunarray.block.spread"

local internal = core.internal
local net = internal.spmd
local npes, mype = net.start()
local methods, offers = blocked.methods, blocked.offers

local function kind_of(a)
    local part = blocked.part_of(a)
    return private.struct_of(part) and "record" or dtypes.by_name[part:dtype()].kind
end

-- Whether a blocked array is of a logical dtype, or elements of it may be missing.
function blocked.is_logical(a)
    local kind = kind_of(a)
    return kind == "text" or kind == "time" or kind == "complex" or kind == "record" or blocked.may_miss(a)
end

-- The same of any value, which may be a private array.
function blocked.has_logical(x)
    if blocked.is(x) then
        return blocked.is_logical(x)
    end
    return pack.is_array(x) and (dtypes.by_name[x:dtype()].kind == "complex" or pack.is_column(x))
end

-- ---------------------------------------------------------------- moving

-- The array of that shape whose box k, { first, count }, is list[k], boxes in any order that covers it.
local function joined(shape, boxes, list)
    local flat, places, at = {}, core.zeros(shape, "i64"):copy(), 0
    for k, box in ipairs(boxes) do
        local size, ranges = spread.size(box[2]), {}
        flat[k] = list[k]:reshape(size)
        for d, first in ipairs(box[1]) do
            ranges[d] = { first, first + box[2][d] - 1 }
        end
        if size > 0 then
            places:sub(table.unpack(ranges)):set((core.index(size) + at):reshape(table.unpack(box[2])))
        end
        at = at + size
    end
    local all = #flat == 1 and flat[1] or core.concat(flat)
    if not core.all(places:reshape(at):eq(core.index(at))) then
        all = all:take(places:reshape(at))
    end
    return private.settled(all:reshape(table.unpack(shape)))
end

-- The whole array on each rank.
function blocked.private_logical(a)
    local s, part = blocked.spread_of(a), blocked.part_of(a)
    local boxes, list = {}, {}
    local said = { ("gathers %s"):format(blocked.kind_of(a)), "a gather", s.key }
    for pe, bytes in ipairs(net.gather(private.write(part), table.unpack(said))) do
        boxes[pe] = { spread.box(s, pe - 1) }
        list[pe] = pe == mype + 1 and part or private.read(bytes, part)
    end
    return joined(s.shape, boxes, list)
end

-- This rank's part of a, evaluated, where each PE has box(pe) of it; key: what ranks agree on.
function blocked.moved_logical(a, key, box)
    local from, part = blocked.spread_of(a), blocked.part_of(a)
    local base, size = spread.box(from, mype)
    local own_base, own_size = box(mype)
    local bytes, boxes, list = {}, {}, {}
    for pe = 0, npes - 1 do
        local first, count = spread.common(base, size, box(pe))
        bytes[pe + 1] = first and private.write(blocked.window_on(part, base, first, count)) or ""
    end
    net.step(("moves %s to other blocks"):format(blocked.kind_of(a)), "a move", key)
    for k, given in ipairs(net.exchange(bytes)) do
        local first, count = spread.common(own_base, own_size, spread.box(from, k - 1))
        if first then
            for d = 1, #first do
                first[d] = first[d] - own_base[d] + 1
            end
            boxes[#boxes + 1], list[#list + 1] = { first, count }, private.read(given, part)
        end
    end
    if #list == 0 then -- no element
        return part:reshape(part:size()):take(core.zeros(0, "i64")):reshape(table.unpack(own_size))
    end
    return joined(own_size, boxes, list)
end

-- ---------------------------------------------------------------- methods

local function set_of(names)
    local set = {}
    for name in names:gmatch "%S+" do
        set[name] = true
    end
    return set
end

-- What no element of another rank is needed for: of any array; by kind of dtype.
local ALONE = set_of "ismissing isna notna fillna real imag conj angle"
local ALONE_OF = {
    text = set_of [[contains endswith find format isin len lower lpad ltrim matches replace rpad rtrim startswith substr
        trim upper]],
    time = set_of [[add date day format hour isoyear microsecond minute month quarter second seconds time truncate week
        weekday year yearday zone]],
}
-- What is the same of any blocked array.
local ALIKE = set_of [[eval shape dtype size rank kind backend pending layout read distribute distribution sub set fill
    free copy put copyto]]
-- What changes the array itself, or is of its memory: a private copy's would be lost.
local NONE = set_of "aliases append label offset put_along_axis readonly resize shuffle source strides touched"

-- The result of a private copy, of which each rank keeps its part: what refuses an element names its row.
local function kept(name)
    return public(function(a, ...)
        local s, result = blocked.spread_of(a), blocked.by_copy(a, name, ...)
        return blocked.keep_part(result:eval(), s)
    end)
end

blocked.kept = kept

local function by_copy(name)
    return public(function(a, ...)
        return blocked.by_copy(a, name, ...)
    end)
end

-- a:max(b) element by element, a:max() of all.
local function extreme(name)
    local all = by_copy(name)
    return public(function(a, other, ...)
        other = blocked.of_row(other)
        local two = other ~= nil and (type(other) ~= "table" or blocked.is(other))
        return (two and methods[name] or all)(a, other, ...)
    end)
end

local function alone(name)
    return blocked.elementwise(name, function(a, ...)
        return a[name](a, ...)
    end)
end

-- Numbers of which none is missing have them too: whether some are is a matter of data.
for name in pairs(ALONE) do
    methods[name] = methods[name] or alone(name)
    offers[name] = offers[name] or methods[name]
end

local found = {} -- by kind and name

local function new_method(kind, missing, name)
    if kind == "record" then
        return blocked.record_method(name)
    end
    local numbers = kind ~= "text" and kind ~= "time"
    local as_numbers = name == "cast" or missing and (name == "map" or name == "zip")
    if name == "min" or name == "max" then
        return extreme(name)
    elseif ALIKE[name] or ALONE[name] or core.op[name] or numbers and as_numbers then
        return methods[name]
    elseif ALONE_OF[kind] and ALONE_OF[kind][name] then
        return alone(name)
    elseif name == "cast" or name == "map" then
        return kept(name)
    end
    return not NONE[name] and internal.methods[name] and by_copy(name) or nil
end

-- The method of a blocked array, nil: it has none of that name.
function blocked.method_of(a, name)
    if type(name) ~= "string" or not blocked.is_logical(a) then
        return methods[name]
    end
    local kind, missing = kind_of(a), blocked.may_miss(a)
    local key = ("%s %s %s"):format(kind, missing, name)
    if found[key] == nil then
        found[key] = new_method(kind, missing, name) or false
    end
    return found[key] or nil
end

-- ---------------------------------------------------------------- functions

local function is_one(x)
    return blocked.is(x) and blocked.is_logical(x)
end

-- Functions of the module, as the methods are; by private copies where another argument is of the sort.
for name, f in pairs(offers) do
    if not ALIKE[name] and not core.op[name] and internal.methods[name] and name ~= "zip" then
        offers[name] = public(function(a, ...)
            if is_one(a) then
                return a[name](a, ...)
            elseif not blocked.is(a) and not private.is(a) then -- which the function for private arrays says
                return blocked.named(name, core[name], blocked.whole(a, ...))
            end
            for k = 1, select("#", ...) do
                if is_one((select(k, ...))) and name ~= "map" then -- which lun.map is not
                    return core[name](blocked.whole(a, ...))
                end
            end
            return f(a, ...)
        end)
    end
end

-- Texts joined element by element; other arrays end to end.
local ends = blocked.type.__concat
local texts = blocked.elementwise("..", function(a, b)
    return a .. b
end)
blocked.type.__concat = function(a, b)
    local x = blocked.is(a) and a or b
    return (kind_of(x) == "text" and texts or ends)(a, b)
end
