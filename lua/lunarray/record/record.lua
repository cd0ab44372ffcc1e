-- lun.struct, and the functions of the module for records, which work field by field as on arrays. Calls with records
-- among their arguments are routed here by interp/bind/host/record_calls.c.

local base = require "lunarray.record.recordbase"
local complextext = require "lunarray.record.complextext"
local core = require "lunarray.core"
local header = require "lunarray.record.header"
local records = require "lunarray.base.records"
local scope = require "lunarray.base.scope"
local struct = require "lunarray.record.struct"

local internal = core.internal
local misuse, struct_of, fields_of, list_of = base.misuse, base.struct_of, base.fields_of, base.list_of
local values_of, store, types, zeros = base.values_of, base.store, base.types, base.zeros
local elements = require "lunarray.record.recordmethods"
local methods, events = elements.methods, elements.events

local record = {}
local offers = require "lunarray.record.recordcall" -- for functions of the module, by their names
local buffers = require "lunarray.record.recordbuffer"
for _, functions in ipairs { require "lunarray.record.recordmoves", buffers.offers } do
    for name, f in pairs(functions) do
        offers[name] = f
    end
end
buffers.offers_of_buffers.task = base.public(offers.task)
require "lunarray.record.recordorder"

-- The error for records where an array is expected.
local function refusal(r)
    if not struct_of(r) then
        return ("array expected, got the struct %s"):format(r.name)
    end
    return "array expected, got " .. records.kind_of(r)
end
offers.refusal = refusal

-- ---------------------------------------------------------------- making

-- The shape of the first array among such values, without the axes of its field; nil if there is none.
local function shape_of(s, values)
    for _, name in ipairs(s) do
        local x, extents = values[name], s.extents[name]
        if core.isarray(x) then
            local shape = { x:shape() }
            local rank = #shape - (extents and #extents or 0)
            if rank > 0 or not extents then
                return table.move(shape, 1, rank, 1, {})
            end
        elseif struct_of(x) then
            return { x:shape() }
        elseif struct.is(s.dtypes[name]) then
            local shape = shape_of(s.dtypes[name], x)
            if shape then
                return shape
            end
        end
    end
end

-- Arrays by the names of fields of a list of tables, which have been checked; before: the names of the fields in which
-- they are, with points.
local function columns_of(s, list, before)
    local values = {}
    for _, name in ipairs(s) do
        local column, inner = {}, s.dtypes[name]
        for i, row in ipairs(list) do
            column[i] = row[name]
        end
        if struct.is(inner) then
            values[name] = columns_of(inner, column, before .. name .. ".")
        else
            local ok, a = pcall(core.vector, column, inner)
            if not ok then
                local text = type(a) == "string" and a:match "%((.*)%)$"
                if not text then
                    error(a, 0)
                end
                misuse(1, "vector", ("field '%s': %s"):format(before .. name, text))
            end
            values[name] = #list == 0 and core.zeros(base.shape_with(0, s.extents[name]), inner) or a
        end
    end
    return values
end

-- Records of a list of tables.
local function of_list(s, list)
    for i, row in ipairs(list) do
        local fault = struct.fault(s, row, true)
        if fault then
            misuse(1, "vector", ("record %d: %s"):format(i, fault))
        end
    end
    return store(zeros(s, #list), columns_of(s, list, ""), 1, "vector")
end

-- What the functions of the module are, by name, for a shape that is divided over ranks; nil: it is not.
local function offers_over(shape)
    local divided = base.kind_over(shape)
    for _, extent in ipairs(not divided and type(shape) == "table" and shape or {}) do
        divided = divided or base.kind_over(extent)
    end
    return divided
end

-- lun.zeros(shape, P), where shape may be several numbers.
function offers.zeros(...)
    local given = table.pack(...)
    local s = given[given.n]
    if not types[s] then
        misuse(given.n, "zeros", struct_of(s) and "records are no dtype: a:dtype() is their struct"
            or "the struct is the last argument: its layout is lun.struct's")
    end
    if given.n < 2 then
        misuse(1, "zeros", "length or table of extents expected")
    end
    local shape = given.n == 2 and given[1] or table.pack(table.unpack(given, 1, given.n - 1))
    local divided = offers_over(shape)
    if divided then
        return divided.zeros(shape, s)
    end
    for _, extent in ipairs(type(shape) == "table" and shape or {}) do
        if type(extent) ~= "number" then
            misuse(1, "zeros", ("numbers expected, got %s"):format(internal.kind_of(extent)))
        end
    end
    return zeros(s, shape)
end

function offers.ones(...)
    misuse(select("#", ...), "ones", "a struct has no 1: lun.full(n, {x = 1, ...}, P) says each field")
end

-- lun.full(shape, {x = ..., ...}, P)
function offers.full(shape, t, s)
    local divided = offers_over(shape)
    if not types[s] then
        misuse(3, "full", "a struct expected")
    elseif divided then
        return divided.full(shape, t, s)
    end
    return store(zeros(s, shape), values_of(s, t, 2, "full"), 2, "full")
end

-- Makes 1 of any byte but 0 in fields of bools of r, which is at byte `at` of structs of `step` bytes.
local function truths(s, r, bytes, at, step, shape)
    for _, name in ipairs(s) do
        local inner, offset = s.dtypes[name], at + s.offsets[name]
        if struct.is(inner) then
            truths(inner, fields_of(r)[name], bytes, offset, step, shape)
        elseif inner == "bool" then
            fields_of(r)[name]:set(internal.field(bytes, offset, step, "u8", shape, s.extents[name]):ne(0))
        end
    end
end

-- lun.frombytes(text, P [, shape])
function offers.frombytes(text, s, shape)
    if not types[s] then
        misuse(2, "frombytes", "a struct expected")
    elseif type(text) ~= "string" then
        misuse(1, "frombytes", ("string expected, got %s"):format(internal.kind_of(text)))
    elseif #text % s.bytes ~= 0 then
        misuse(1, "frombytes", ("%d bytes are not a whole number of records of %d"):format(#text, s.bytes))
    end
    local count = #text // s.bytes
    shape = shape or count
    if base.count_of(shape) ~= count then
        misuse(3, "frombytes", ("the shape does not match %d records"):format(count))
    end
    local aos = count == 0 and zeros(s, shape) or base.on_bytes(s, core.frombytes(text, "u8"), shape)
    if count > 0 then
        truths(s, aos, base.bytes_of(aos), 0, s.bytes, shape)
    end
    return s.layout == "aos" and aos or aos:copy()
end

-- ---------------------------------------------------------------- several arrays of records

-- Applies `join` to each field of a list of records with the same fields.
local function joined(list, call, axis, join)
    local s = struct_of(list[1])
    for i, r in ipairs(list) do
        local other = struct_of(r)
        if not other then
            misuse(1, call, ("element %d is %s, not records"):format(i, internal.kind_of(r)))
        elseif not struct.same(s, other) then
            misuse(1, call, ("element %d has other fields: %s has %s, %s has %s"):format(i, other.name,
                struct.names(other), s.name, struct.names(s)))
        end
    end
    return base.joined(list, function(arrays, extents)
        return join(arrays, axis and axis < 0 and extents and axis - #extents or axis)
    end)
end

for _, name in ipairs { "concat", "stack" } do
    offers[name] = function(list, axis)
        if type(list) ~= "table" then
            misuse(1, name, ("list of arrays expected, got %s"):format(type(list)))
        end
        local divided = offers_over(list)
        if divided then
            return divided[name](list, axis)
        end
        return joined(list, name, axis, core[name])
    end
end

-- lun.vector(list of tables, P), lun.vector({x = array, ...}, P), lun.vector(records [, P]), lun.vector(list of records
-- [, P])
function offers.vector(t, s, ...)
    if select("#", ...) > 0 and ... ~= nil then
        misuse(3, "vector", "the layout of records is lun.struct's")
    end
    if type(t) == "table" and struct_of(rawget(t, 1)) then
        local stacked = offers.stack(t)
        return s == nil and stacked:copy() or offers.vector(stacked, s)
    elseif struct_of(t) and s == nil then
        s = struct_of(t)
    end
    if not types[s] then
        misuse(2, "vector", "a struct expected")
    elseif type(t) ~= "table" then
        misuse(1, "vector", ("a list of records expected, got %s"):format(internal.kind_of(t)))
    end
    if not struct_of(t) and (#t > 0 or next(t) == nil) then
        return of_list(s, t)
    end
    local values, divided = values_of(s, t, 1, "vector", nil, true)
    return divided and divided.of_columns(s, values)
        or store(zeros(s, shape_of(s, values) or { 1 }), values, 1, "vector")
end

function events.__concat(a, b)
    for i, r in ipairs { a, b } do
        if not struct_of(r) and not base.kind_over(r) then
            misuse(i, "..", ("records expected, got %s"):format(internal.kind_of(r)))
        end
    end
    return offers.concat { a, b }
end

-- The arguments with records replaced by their fields.
local function spread(...)
    local list, n = {}, 0
    for i = 1, select("#", ...) do
        local x = select(i, ...)
        for _, a in ipairs(struct_of(x) and list_of(x) or { x }) do
            n = n + 1
            list[n] = a
        end
    end
    return list
end

-- A function of the module that takes the fields of records as it takes arrays.
local function of_fields(name, gives_itself)
    offers[name] = function(...)
        local list = spread(...)
        if not gives_itself then
            return core[name](table.unpack(list))
        end
        local values, result, k = table.pack(core[name](table.unpack(list))), {}, 0
        for i = 1, select("#", ...) do
            local x = select(i, ...)
            k = k + (struct_of(x) and #list_of(x) or 1)
            result[i] = struct_of(x) and x or values[k]
        end
        return table.unpack(result, 1, select("#", ...))
    end
end

of_fields("eval", true)
of_fields("explain")
of_fields("prepare")

function offers.isarray()
    return false
end

-- ---------------------------------------------------------------- what records are not

local SIGNS = {
    add = "+", sub = "-", mul = "*", div = "/", idiv = "//", mod = "%", pow = "^", unm = "-", band = "&", bor = "|",
    bxor = "~", bnot = "~", shl = "<<", shr = ">>", lt = "<", le = "<=",
}
for event, sign in pairs(SIGNS) do
    events["__" .. event] = function(a, b)
        local s = struct_of(a) or struct_of(b)
        if not s then -- a struct
            error(("attempt to perform %s on a struct"):format(sign), 0)
        end
        error(("attempt to perform %s on records of %s: take their fields (%s), as a:field '%s'"):format(sign, s.name,
            struct.names(s), s[1]), 0)
    end
end

-- ---------------------------------------------------------------- structs

for _, name in ipairs { "map", "zip", "stencil", "allpairs", "reduce", "scan" } do
    methods[name] = offers[name]
end

-- A method as a function of the module: its errors count the records.
local function as_function(name)
    return function(...)
        local given = table.pack(...)
        for k = 1, struct_of(given[1]) and 0 or given.n do
            if struct_of(given[k]) then
                misuse(k, name, refusal(given[k]))
            end
        end
        local results = table.pack(base.try(methods[name], ...))
        if not results[1] then
            error(type(results[2]) == "string" and results[2]:gsub("bad argument #(%d+)", function(k)
                return "bad argument #" .. k + 1
            end, 1) or results[2], 0)
        end
        return table.unpack(results, 2, results.n)
    end
end

for name in ("take sort argsort topk unique"):gmatch "%S+" do
    offers[name] = as_function(name)
end

local ASKED <const> = { refusal = true, is_one = true, stand_in = true, gather = true, measured = true, groups = true,
    of_lanes = true } -- by the engine

-- f of records; where some argument is divided over ranks, what those have of that name.
local function also_divided(name, f)
    if ASKED[name] then
        return f
    end
    return function(...)
        for k = 1, select("#", ...) do
            local x = select(k, ...)
            local divided = type(x) ~= "number" and base.kind_over(x)
            if divided and divided[name] then
                return divided[name](...)
            elseif divided then
                misuse(k - 1, name, ("records expected, got %s"):format(divided.refusal()))
            end
        end
        return f(...)
    end
end

for _, functions in ipairs { methods, offers, events } do
    for name, f in pairs(functions) do
        functions[name] = name ~= "refusal" and base.public(functions ~= events and also_divided(name, f) or f) or f
    end
end
internal.offer_records(offers)

local struct_type = {
    __name = "struct", __records = offers, __tostring = struct.text,
    __call = base.public(function(s, ...)
        local one, message = struct.record(s, ...)
        return one or error(message, 0)
    end),
    __newindex = base.public(function() error("a struct cannot be changed", 0) end),
}

-- Makes a struct the dtype of records.
local function known_type(s)
    local own = {
        __name = ("records of %s (fields %s)"):format(s.name, struct.names(s)), __records = offers,
        __tostring = function(r) return require("lunarray.record.recordtext").text(r) end, __pairs = methods.iter,
        __fields = s, __field = function(r, name) return base.fields_of(r)[name] end,
    }
    for event, f in pairs(events) do
        own[event] = f
    end
    types[s] = own
    return s
end

-- The struct of that name in a C header.
local function of_header(path, name, options)
    if scope.no_files then
        misuse(1, "struct", scope.no_files)
    end
    local found, message = header.struct(path, name, function(own, fields)
        local s, _, fault = struct.new(own, fields, options, struct_type)
        return s and known_type(s), fault
    end)
    return found or misuse(1, "struct", message)
end

local function new_struct(name, fields, options)
    if type(name) == "string" and type(fields) == "string" and name:find "[/.]" then
        return of_header(name, fields, options)
    end
    if complextext.struct(name) then
        misuse(1, "struct", ("'%s' is a dtype"):format(name))
    end
    local s, argument, message = struct.new(name, fields, options, struct_type)
    if not s then
        misuse(argument, "struct", message)
    end
    return known_type(s)
end

-- ---------------------------------------------------------------- other processes

-- A struct as a table: its name, layout and fields.
local function described(s)
    local t = { name = s.name, layout = s.layout }
    for k, name in ipairs(s) do
        local dtype = s.dtypes[name]
        t[k] = { name, struct.is(dtype) and described(dtype) or dtype, s.extents[name] }
    end
    return t
end

function base.described(r)
    return described(struct_of(r))
end

local built = setmetatable({}, { __mode = "k" }) -- structs that are made of such tables

-- The struct that such a table describes: one of the script's, or another one.
local function of_description(t)
    local fields = {}
    for k, field in ipairs(t) do
        local dtype = field[2]
        fields[k] = { field[1], type(dtype) == "table" and of_description(dtype) or dtype, field[3] }
    end
    local made = new_struct(t.name, fields, { layout = t.layout })
    built[made] = true
    for s in pairs(types) do
        if s ~= made and not built[s] and s.name == t.name and s.layout == t.layout and struct.same(s, made) then
            return s
        end
    end
    return made
end

-- Records of s on arrays, take() for each field in its turn.
local function on_arrays(s, take)
    local fields = {}
    for _, name in ipairs(s) do
        fields[name] = struct.is(s.dtypes[name]) and on_arrays(s.dtypes[name], take) or take()
    end
    return base.make(s, fields)
end

-- In layout "soa": the elements of large arrays arrive later.
local function on_list(s, arrays)
    local k = 0
    return on_arrays(s, function()
        k = k + 1
        return arrays[k]
    end)
end

function base.of_described(t, arrays)
    return on_list(of_description(t), arrays)
end

-- Records as r is on the arrays of their fields.
function base.like(r, arrays)
    return on_list(struct_of(r), arrays)
end

-- A struct of a host's, whose fields {name, dtype, offset=} are where it says.
function record.placed(name, fields, bytes)
    local s, argument, message = struct.new(name, fields, nil, struct_type, bytes)
    if not s then
        misuse(argument, "struct", message)
    end
    return known_type(s)
end

-- lun.struct(name, {{field, dtype}, ...} [, {layout="soa"}]), lun.struct(path, name [, {layout="soa"}])
record.struct = base.public(new_struct)

return record
