-- Blocked arrays of records: tables whose parts are records. What is done record by record needs no message; all fields
-- of a record go from rank to rank together, for stencils and shifts with what is around; all else is computed by a
-- private copy. Knows no transport.

local blocked = require "lunarray.block.blocked"
local core = require "lunarray.core"
local over = require "lunarray.block.blockover"
local private = require "lunarray.block.blockprivate"
local public = require "lunarray.base.public"
local records = require "lunarray.base.records"
local spread = require "lunarray.block.spread"
local windows = require "lunarray.ranks.windows"

local methods = blocked.methods
local npes, mype = core.internal.spmd.start()

-- ---------------------------------------------------------------- methods

-- Further methods of records, and those that are the same of any blocked array.
local own = {}
for name in ([[eval shape dtype size kind backend pending read distribute distribution sub set fill free copy put copyto
    cast map zip eq ne stencil]]):gmatch "%S+" do
    own[name] = methods[name]
end

function own.layout(a)
    local part = blocked.part_of(a)
    return part:size() > 0 and part:layout() or private.struct_of(part).layout
end

own.field = public(function(a, name)
    return blocked.field(a, name) or blocked.part_of(a):field(name) -- raises that there is none
end)

own.scan = blocked.kept "scan"

own.shift = public(function(a, ...)
    return over.method(a, "shift", "shifts", "a halo", ...)
end)

-- The method of that name of all blocked records, nil: there is none.
function blocked.record_method(name)
    if not records.has_method(name) then
        return nil
    end
    return own[name] or public(function(a, ...)
        return blocked.by_copy(a, name, ...)
    end)
end

-- ---------------------------------------------------------------- fields

-- The blocked arrays of a's fields, those of records in it among them; of another blocked array itself.
function blocked.leaves_of(a, list)
    local s = private.struct_of(blocked.part_of(a))
    list = list or {}
    if not s then
        list[#list + 1] = a
    end
    for _, name in ipairs(s or {}) do
        blocked.leaves_of(blocked.field(a, name), list)
    end
    return list
end

-- Private records of the arrays that `others` has for the fields of a; nil: a is no records.
function blocked.like_fields(a, others)
    local list = blocked.leaves_of(a)
    for k, x in ipairs(list) do
        list[k] = others[x]
    end
    return private.struct_of(blocked.part_of(a)) and records.like(blocked.part_of(a), list)
end

-- ---------------------------------------------------------------- of columns

-- Raises an error about what goes into a field.
local function refuse(path, message)
    error(("bad argument #1 to 'vector' (field '%s': %s)"):format(path, message), 0)
end

-- Calls f(name with points, x, extents, blocked field) for each of such values; of: records of s, or nil.
local function each_value(s, values, before, of, f)
    for _, name in ipairs(s) do
        local x, path, field = blocked.of_row(values[name]), before .. name, of and blocked.field(of, name)
        if type(x) == "table" and not blocked.is(x) then
            each_value(s.dtypes[name], x, path .. ".", field, f)
        else
            f(path, x, s.extents[name], field)
        end
    end
end

-- The blocks of records of which x, with those extents behind theirs, is a field.
local function spread_without(x, extents, path)
    local of = blocked.spread_of(x)
    local rank = #of.shape - #(extents or {})
    for _, axis in ipairs(extents and of.blocked or {}) do
        if axis > rank then
            refuse(path, ("%s is blocked along axis %d, which is the field's"):format(blocked.kind_of(x), axis))
        end
    end
    return extents and spread.new({ table.unpack(of.shape, 1, rank) }, of.blocked, of.rule, npes) or of
end

-- Records of s of values by the names of fields, in tables those of structs, in the blocks of the first blocked one.
function blocked.offers.of_columns(s, values)
    local blocks
    each_value(s, values, "", nil, function(path, x, extents)
        blocks = blocks or blocked.is(x) and spread_without(x, extents, path)
    end)
    local a = blocked.make(blocks, core.zeros(select(2, spread.box(blocks, mype)), s))
    each_value(s, values, "", a, function(path, x, _, field)
        local ok, why = pcall(type(x) == "number" and field.fill or field.set, field, x)
        if not ok then
            refuse(path, tostring(why):match "%((.*)%)$" or tostring(why))
        end
    end)
    return a
end

-- ---------------------------------------------------------------- tables

local kind = {}
for event, f in pairs(blocked.type) do
    kind[event] = f
end
kind.__name, kind.__records = "blocked records", setmetatable({}, { __index = blocked.offers })
blocked.record_type = kind

function kind.__records.isarray()
    return false
end

-- A field, or what private records have of that name, which refuses what they do not take.
local function field_of(a, name)
    local f = blocked.field(a, name)
    local refused = not f and blocked.part_of(a)[name] or nil
    return f or refused and function()
        return refused(blocked.part_of(a))
    end
end

function kind.__index(a, key)
    return blocked.method_of(a, key) or (type(key) == "string" and field_of or blocked.look)(a, key)
end

-- As of private ones: records are no operands.
for event in pairs(blocked.binary) do
    kind[event] = public(function(x, y)
        local a = blocked.is(x) and private.struct_of(blocked.part_of(x)) and x or y
        return getmetatable(blocked.part_of(a))[event](blocked.part_of(a), 0)
    end)
end
kind.__unm, kind.__bnot = kind.__sub, kind.__bxor

kind.__pairs = public(function(a)
    return blocked.by_copy(a, "iter")
end)

kind.__tostring = public(function(a)
    blocked.window_of(a)
    local s = private.struct_of(blocked.part_of(a))
    return require("lunarray.record.recordtext").text_of(s, ("Blocked<%s>[%s] %s %s"):format(s.name,
        table.concat({ a:shape() }, ", "), a:layout(), a:backend()), a)
end)

function kind.__gc(a)
    blocked.forget(a)
end

windows.homes[kind] = function(...)
    return windows.homes[blocked.type](...)
end
windows.updates[kind] = function(a)
    local name = private.struct_of(blocked.part_of(a))[1]
    error(("records are changed by their fields: s.atomic(a.%s, i, op, x)"):format(name), 0)
end

return kind
