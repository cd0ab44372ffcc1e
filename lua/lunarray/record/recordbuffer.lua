-- Buffers of records, a buffer for each field: lun.buffer(device, extents, P); lun.copy between them and records, and
-- q:enqueue(records).
--
-- Invariant: such a buffer is a table with STRUCT and FIELDS, a buffer for each field, of a field that is a struct
-- another one; the axes of a field that is an array stand behind those of all.

local base = require "lunarray.record.recordbase"
local core = require "lunarray.core"
local struct = require "lunarray.record.struct"

local internal = core.internal
local misuse, struct_of = base.misuse, base.struct_of

local buffers = {}

local STRUCT, FIELDS = {}, {}
local types = setmetatable({}, { __mode = "k" }) -- of a struct the metatable of its buffers
local methods, offers, given = {}, {}, {}

-- The struct of a buffer of records; nil for anything else.
function buffers.struct_of(b)
    return type(b) == "table" and rawget(b, STRUCT) or nil
end

-- Adds { buffer, extents } for each field of b, of those of structs in it too.
local function add_leaves(b, list)
    local s = b[STRUCT]
    for _, name in ipairs(s) do
        local x = b[FIELDS][name]
        if struct.is(s.dtypes[name]) then
            add_leaves(x, list)
        else
            list[#list + 1] = { x, s.extents[name] or {} }
        end
    end
    return list
end

-- The buffers of a buffer of records.
function buffers.list_of(b)
    local list = add_leaves(b, {})
    for k, leaf in ipairs(list) do
        list[k] = leaf[1]
    end
    return list
end

-- ---------------------------------------------------------------- making

local function type_of(s)
    types[s] = types[s] or {
        __name = "buffer of records of " .. s.name, __records = offers, __fields = s,
        __field = function(b, name) return b[FIELDS][name] end,
        __index = function(b, key) return methods[key] or rawget(b, FIELDS)[key] end,
        __newindex = base.public(function() error("a buffer of records is filled by lun.copy and tasks", 0) end),
        __tostring = function(b)
            local ok, device = pcall(methods.device, b)
            return ok and ("buffer %s[%s] on %s"):format(s.name, table.concat({ methods.extents(b) }, ", "), device)
                or "freed buffer"
        end,
    }
    return types[s]
end

local function make(device, extents, s, options, before)
    local fields = {}
    for _, name in ipairs(s) do
        local dtype = s.dtypes[name]
        if struct.part_of(dtype) then
            misuse(3, "buffer", ("field '%s' is complex: buffers have its parts, in fields of their own"):format(
                before .. name))
        end
        fields[name] = struct.is(dtype) and make(device, extents, dtype, options, before .. name .. ".")
            or core.buffer(device, base.shape_with(extents, s.extents[name]), dtype, options)
    end
    return setmetatable({ [STRUCT] = s, [FIELDS] = fields }, type_of(s))
end

-- lun.buffer(device, extents, P [, {align=, memory=}])
function given.buffer(device, extents, s, options)
    if not base.types[s] then
        misuse(3, "buffer", struct_of(s) and "records are no dtype: a:dtype() is their struct" or "a struct expected")
    elseif type(options) == "table" and options.pitch ~= nil then
        misuse(4, "buffer", "option pitch: fields have rows of different lengths: align is for all of them")
    end
    return make(device, extents, s, options, "")
end

-- ---------------------------------------------------------------- asking

function methods.extents(b)
    local leaf = add_leaves(b, {})[1]
    local list = { leaf[1]:extents() }
    return table.unpack(list, 1, #list - #leaf[2])
end

function methods.dtype(b)
    return b[STRUCT]
end

for _, name in ipairs { "device", "memory" } do
    methods[name] = function(b)
        local first = buffers.list_of(b)[1]
        return first[name](first)
    end
end

function methods.free(b)
    for _, x in ipairs(buffers.list_of(b)) do
        x:free()
    end
end

function offers.refusal(b)
    return ("array expected, got a buffer of records of %s, from which lun.copy copies"):format(b[STRUCT].name)
end

-- ---------------------------------------------------------------- queues

-- The arrays or buffers of a side of a copy, and its struct.
local function side(x, argument)
    local s = struct_of(x) or buffers.struct_of(x)
    if not s then
        misuse(argument, "copy", ("records, or a buffer of them, expected, got %s"):format(internal.kind_of(x)))
    end
    return struct_of(x) and base.list_of(x) or buffers.list_of(x), s
end

-- Extents or indices with `more` behind them.
local function with(given_list, more)
    if type(given_list) ~= "table" and type(given_list) ~= "number" then
        return given_list
    end
    return base.shape_with(given_list, more)
end

-- The extents of each field, in the order of the arrays and buffers.
local function extents_of(s, list)
    for _, name in ipairs(s) do
        if struct.is(s.dtypes[name]) then
            extents_of(s.dtypes[name], list)
        else
            list[#list + 1] = s.extents[name] or {}
        end
    end
    return list
end

-- lun.copy(q, to, from [, extents [, to_first, from_first]]): field by field.
function given.copy(q, to, from, extents, to_first, from_first)
    local targets, s = side(to, 2)
    local sources, other = side(from, 3)
    if not struct.same(s, other) then
        misuse(3, "copy", ("%s expected, got %s"):format(s.form, other.form))
    end
    for k, own in ipairs(extents_of(s, {})) do
        local ones = table.move({ 1, 1 }, 1, #own, 1, {})
        core.copy(q, targets[k], sources[k], with(extents, own), with(to_first, ones), with(from_first, ones))
    end
end

-- q:enqueue(records)
function given.enqueue(q, r)
    for _, a in ipairs(base.list_of(r)) do
        q:enqueue(a)
    end
    return q
end

for _, functions in ipairs { methods, given } do
    for name, f in pairs(functions) do
        functions[name] = base.public(f)
    end
end
offers.copy = given.copy
buffers.offers, buffers.offers_of_buffers = given, offers

return buffers
