-- The base of all files on records: the representation of an array of records (for each field an array, in the memory
-- of C structs, "aos", or separate, "soa"), how it is made and written, and errors with the script's source line. Knows
-- no method.
--
-- Invariant: records are a table with STRUCT, FIELDS and BYTES and the metatable of their struct in base.types; all
-- fields have one shape, behind which those that are arrays have their extents; a field that is a struct is records;
-- with BYTES every field is a window of the same bytes.

local core = require "lunarray.core"
local dtypes = require "lunarray.base.dtypes"
local struct = require "lunarray.record.struct"

local internal = core.internal
local array_methods = internal.methods

local base = {}

-- Keys of records: their struct, their arrays by the names of fields; of structs in memory their bytes, or true if
-- these are not accessible: for a window on them, and for structs whose fields ranks have, each its shard.
local STRUCT, FIELDS, BYTES = {}, {}, {}

base.types = setmetatable({}, { __mode = "k" }) -- of a struct the metatable of its records

-- ---------------------------------------------------------------- errors

base.public = require("lunarray.base.public")

-- Calls f from a Lua function: nodes that it builds get the script's source line, which C functions do not have.
local function invoke(f, ...)
    local results = table.pack(f(...))
    return table.unpack(results, 1, results.n)
end

-- pcall, for what may build expressions.
function base.try(f, ...)
    return pcall(invoke, f, ...)
end

function base.misuse(argument, call, message)
    error(("bad argument #%d to '%s' (%s)"):format(argument, call, message), 0)
end

-- ---------------------------------------------------------------- what records hold

-- The struct of records; nil for anything else.
function base.struct_of(r)
    return type(r) == "table" and rawget(r, STRUCT) or nil
end

local type_of = debug.getmetatable

-- What functions of the module are for what is divided over ranks, by name; nil: x is no such array, row or extent.
function base.kind_over(x)
    local kind = (type(x) == "table" or type(x) == "userdata") and type_of(x)
    return type(kind) == "table" and rawget(kind, "__blocked") and kind.__records or nil
end

-- The arrays of records, by the names of their fields.
function base.fields_of(r)
    return rawget(r, FIELDS)
end

-- The arrays of records and of the records in them, in order; as a list of { array, name in messages, extents, dtype of
-- the parts of complex elements }.
local function leaves(r, list, before)
    local s = rawget(r, STRUCT)
    for _, name in ipairs(s) do
        local x = rawget(r, FIELDS)[name]
        if struct.is(s.dtypes[name]) then
            leaves(x, list, before .. name .. ".")
        else
            list[#list + 1] = { x, before .. name, s.extents[name], struct.part_of(s.dtypes[name]) }
        end
    end
    return list
end

function base.leaves_of(r)
    return leaves(r, {}, "")
end

-- Those arrays alone.
function base.list_of(r)
    local list = base.leaves_of(r)
    for k, leaf in ipairs(list) do
        list[k] = leaf[1]
    end
    return list
end

-- Whether the memory of an array was given back.
function base.is_freed(a)
    return not pcall(array_methods.dtype, a)
end

-- The elements of fields, one array of r's shape for each lane of its struct, in order: windows. A freed field is
-- itself in the place of its elements.
function base.lanes_of(r)
    local list = {}
    for _, leaf in ipairs(base.leaves_of(r)) do
        local a, _, extents, part = table.unpack(leaf, 1, 4)
        local whole = (extents or part) and base.is_freed(a)
        local rank = extents and not whole and select("#", a:shape()) - #extents
        for i = 1, extents and extents[1] or 1 do
            local row = rank and array_methods.select(a, rank + 1, i) or a
            for k = 1, extents and extents[2] or 1 do
                local one = rank and extents[2] and array_methods.select(row, rank + 1, k) or row
                list[#list + 1] = part and not whole and core.real(one) or one
                list[#list + 1] = part and (whole and one or core.imag(one)) or nil
            end
        end
    end
    return list
end

-- A field that has the shape of all.
function base.first_of(r)
    local s = rawget(r, STRUCT)
    for _, name in ipairs(s) do
        if not s.extents[name] and not struct.is(s.dtypes[name]) then
            return rawget(r, FIELDS)[name]
        end
    end
    return base.lanes_of(r)[1]
end

-- The bytes of the structs that are all of r in their order; nil: there are none.
function base.bytes_of(r)
    local bytes = rawget(r, BYTES)
    return bytes ~= true and bytes or nil
end

-- The fields of r have memory of their own from now on.
function base.leave_bytes(r)
    rawset(r, BYTES, nil)
    for _, x in pairs(rawget(r, FIELDS)) do
        if base.struct_of(x) then
            base.leave_bytes(x)
        end
    end
end

function base.layout_of(r)
    return rawget(r, BYTES) and "aos" or "soa"
end

-- For lun.help: the kind of records, or of a struct; nil for anything else.
function base.kind_of(x)
    local s = base.struct_of(x)
    if s then
        return ("records of %s: a:field '%s' is an array, a[i] a table; see lun.help \"records\""):format(
            tostring(s):gsub("^struct ", ""), s[1])
    end
    return base.types[x] and tostring(x) .. ": the dtype of records; see lun.help \"struct\"" or nil
end

-- ---------------------------------------------------------------- making

-- Records of s on arrays by name.
local function make(s, fields, bytes)
    return setmetatable({ [STRUCT] = s, [FIELDS] = fields, [BYTES] = bytes }, base.types[s])
end
base.make = make

-- The records of f(array, name, extents) for each array of r, which share its memory if `window`; extents: the axes of
-- the array behind those of r, nil: none.
function base.each_field(r, f, window)
    local fields, s = {}, rawget(r, STRUCT)
    for _, name in ipairs(s) do
        local x = rawget(r, FIELDS)[name]
        fields[name] = struct.is(s.dtypes[name]) and base.each_field(x, f, window) or f(x, name, s.extents[name])
    end
    return make(s, fields, window and rawget(r, BYTES) and true or nil)
end

-- One array of those for the elements of a field, whose axes come last.
function base.stacked(parts, extents)
    local rank = select("#", parts[1]:shape())
    if not extents[2] then
        return core.stack(parts, rank + 1)
    end
    local rows, columns = {}, extents[2]
    for i = 1, extents[1] do
        rows[i] = core.stack(table.move(parts, (i - 1) * columns + 1, i * columns, 1, {}), rank + 1)
    end
    return core.stack(rows, rank + 1)
end

-- Records of s of the arrays that take() gives for its lanes, each in its turn.
local function of_lanes(s, take)
    local fields = {}
    for _, name in ipairs(s) do
        local dtype, extents, parts = s.dtypes[name], s.extents[name], {}
        local row = not struct.is(dtype) and dtypes.by_name[dtype]
        for k = 1, row and base.count_of(extents or {}) or 0 do
            local a = take()
            a = row.part and core.complex(a, take()) or a
            parts[k] = a:dtype() == dtype and a or a:cast(dtype)
        end
        fields[name] = not row and of_lanes(dtype, take) or extents and base.stacked(parts, extents) or parts[1]
    end
    return make(s, fields)
end

-- Records of s of a list of arrays for its lanes.
function base.of_lanes(s, list)
    local k = 0
    return of_lanes(s, function()
        k = k + 1
        return list[k]
    end)
end

-- The records of join(arrays, extents) for each field of a list of records with the same fields.
function base.joined(list, join)
    local fields, s = {}, rawget(list[1], STRUCT)
    for _, name in ipairs(s) do
        local parts = {}
        for i, r in ipairs(list) do
            parts[i] = rawget(r, FIELDS)[name]
        end
        fields[name] = struct.is(s.dtypes[name]) and base.joined(parts, join) or join(parts, s.extents[name])
    end
    return make(s, fields)
end

-- The number of elements of a shape: n, or a list.
function base.count_of(shape)
    local count = 1
    for _, n in ipairs(type(shape) == "table" and shape or { shape }) do
        count = count * n
    end
    return count
end

-- A shape with the extents of a field behind it.
function base.shape_with(shape, extents)
    if not extents then
        return shape
    end
    local list = type(shape) == "table" and table.move(shape, 1, #shape, 1, {}) or { shape }
    return table.move(extents, 1, #extents, #list + 1, list)
end

-- Records of s at byte `at` of structs of `step` bytes.
local function on_structs(s, bytes, at, step, shape)
    local fields = {}
    for _, name in ipairs(s) do
        local inner, offset = s.dtypes[name], at + s.offsets[name]
        fields[name] = struct.is(inner) and on_structs(inner, bytes, offset, step, shape)
            or internal.field(bytes, offset, step, inner, shape, s.extents[name])
    end
    return make(s, fields, at == 0 and step == s.bytes and bytes or true)
end

-- Records on such bytes of structs, as many as the shape says.
function base.on_bytes(s, bytes, shape)
    return on_structs(s, bytes, 0, s.bytes, shape)
end

-- Zeros of s, in its layout or the one given.
function base.zeros(s, shape, layout)
    local fields = {}
    for _, name in ipairs(s) do
        local inner = s.dtypes[name]
        fields[name] = struct.is(inner) and base.zeros(inner, shape, "soa")
            or core.zeros(base.shape_with(shape, s.extents[name]), inner)
    end
    local count = base.count_of(shape)
    if (layout or s.layout) == "soa" or count == 0 then
        return make(s, fields)
    elseif count > math.maxinteger // s.bytes then
        base.misuse(1, "zeros", ("%d records of %d bytes are more than can be addressed"):format(count, s.bytes))
    end
    return base.on_bytes(s, internal.zero_bytes(count * s.bytes), shape)
end

-- ---------------------------------------------------------------- writing

-- The field, by its number, and the text of an error of core.eval of such a list; nothing: it is none.
local function fault_of(e)
    if type(e) == "string" then
        local k, text = e:match "%(array (%d+): (.*)%)$"
        if not k then
            k, text = e:match "bad argument #(%d+) to .- %((.*)%)$"
        end
        return tonumber(k) or 1, text or e:match "bad argument 'out' to 'eval' %((.*)%)$"
    end
end

-- Adds a value for an array, where it goes, and its name in messages; of complex numbers their parts.
local function add(x, target, name, to)
    local k = #to.names + 1
    if not struct.part_of(target:dtype()) then
        to.list[k], to.targets[k], to.names[k] = x, target, name
        return
    end
    local complex = core.iscomplex(x)
    to.list[k], to.targets[k], to.names[k] = complex and core.real(x) or x, core.real(target), name
    to.list[k + 1], to.targets[k + 1], to.names[k + 1] = complex and core.imag(x) or 0, core.imag(target), name
end

-- Adds to lists the values for r's fields, where they go, and the fields' names in messages.
local function gather(r, values, call, to, before)
    local s = rawget(r, STRUCT)
    for _, name in ipairs(s) do
        local x, target = values[name], rawget(r, FIELDS)[name]
        if struct.is(s.dtypes[name]) then
            gather(target, base.struct_of(x) and base.fields_of(x) or x, call, to, before .. name .. ".")
        else
            if not core.isarray(x) then
                local ok, e = pcall(core.full, 1, x, s.dtypes[name])
                local text = not ok and type(e) == "string" and e:match "%((.*)%)$"
                if text then
                    base.misuse(call[1], call[2], ("field '%s': %s"):format(before .. name, text))
                end
            end
            if s.extents[name] and core.isarray(x) and #s.extents[name] == select("#", x:shape()) then
                x = x:broadcast { target:shape() } -- one for all records
            end
            add(x, target, before .. name, to)
        end
    end
end

-- Stores values by the names of fields, arrays, numbers, records or such tables, into r's fields, all of them read
-- before any is written; gives r. An error is one of argument number `argument` of `call`.
function base.store(r, values, argument, call)
    local to = { list = {}, targets = {}, names = {} }
    gather(r, values, { argument, call }, to, "")
    local count = #to.names
    to.list[count + 1] = { out = to.targets }
    local ok, e = pcall(core.eval, table.unpack(to.list, 1, count + 1))
    local k, text = fault_of(not ok and e)
    if text then
        base.misuse(argument, call, ("field '%s': %s"):format(to.names[k], text))
    elseif not ok then
        error(e, 0)
    end
    return r
end

-- One record of s as an array of records.
function base.one(s, x, argument, call)
    local fault = struct.fault(s, x, true)
    if fault then
        base.misuse(argument, call, fault)
    end
    return base.store(base.zeros(s, 1), base.values_of(s, x, argument, call), argument, call)
end

local function same_extents(a, b)
    return table.concat(a or {}, ",") == table.concat(b or {}, ",")
end

-- What is wrong with the fields of records of `from` as those of s, nil if nothing is.
local function difference(s, from)
    for _, name in ipairs(s) do
        if not from.dtypes[name] then
            return ("records of %s have no field '%s'"):format(from.name, name)
        end
    end
    for _, name in ipairs(from) do
        local to, inner = s.dtypes[name], from.dtypes[name]
        if not to then
            return ("records of %s have a field '%s': %s has %s"):format(from.name, name, s.name, struct.names(s))
        elseif struct.is(to) and struct.is(inner) then
            local fault = difference(to, inner)
            if fault then
                return fault
            end
        elseif struct.is(to) ~= struct.is(inner) or not same_extents(s.extents[name], from.extents[name]) then
            return ("records of %s and of %s differ (field '%s': %s, %s)"):format(from.name, s.name, name,
                struct.shown(from, name), struct.shown(s, name))
        end
    end
end

-- x, an array, a number or a list, for a field of that dtype.
local function as_array(x, dtype, argument, call, name)
    if base.kind_over(x) then
        base.misuse(argument, call, ("field '%s' is blocked: make a of lun.zeros({s.block(n)}, P), then a.%s = e")
            :format(name, name))
    elseif type(x) ~= "table" or base.struct_of(x) then
        return x
    end
    local ok, a = pcall(core.vector, x, dtype)
    local text = not ok and type(a) == "string" and a:match "%((.*)%)$"
    if text then
        base.misuse(argument, call, ("field '%s': %s"):format(name, text))
    elseif not ok then
        error(a, 0)
    end
    return a
end

-- Arrays and numbers by the names of fields that records, or a table of columns, hold for s; before: the names of the
-- fields in which s is, with points. over: also arrays that are divided over ranks, and as the second result what
-- functions are, by name, for the first one.
function base.values_of(s, t, argument, call, before, over)
    before = before or ""
    local from, frame = base.struct_of(t), package.loaded["lunarray.show.frame"]
    local fault
    if frame and frame.of(t) then
        local columns = {}
        for name, x in pairs(t) do
            columns[name] = x
        end
        t = columns
    end
    if from then
        fault = difference(s, from)
    else
        fault = struct.fault(s, t)
    end
    if fault then
        base.misuse(argument, call, before ~= "" and ("field '%s': %s"):format(before:sub(1, -2), fault) or fault)
    elseif from then
        return rawget(t, FIELDS)
    end
    local values, divided = {}, nil
    for _, name in ipairs(s) do
        local x, inner = t[name], s.dtypes[name]
        local kind = over and base.kind_over(x)
        if kind then
            values[name] = x
        elseif struct.is(inner) then
            values[name], kind = base.values_of(inner, x, argument, call, before .. name .. ".", over)
        else
            values[name] = as_array(x, inner, argument, call, before .. name)
        end
        divided = divided or kind
    end
    return values, divided
end

require("lunarray.base.records").are_loaded(base)

return base
