-- The base of all files on records: the representation of an array of records (for each field an array, in the memory
-- of C structs, "aos", or separate, "soa"), how it is made and written, and errors with the script's source line. Knows
-- no method.
--
-- Invariant: records are a table with STRUCT, FIELDS and BYTES and the metatable of their struct in base.types; all
-- fields have one shape; with BYTES every field is a window of the same bytes.

local core = require "lunarray.core"
local struct = require "lunarray.record.struct"

local internal = core.internal

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

-- The arrays of records, by the names of their fields.
function base.fields_of(r)
    return rawget(r, FIELDS)
end

-- The same in the order of the struct.
function base.list_of(r)
    local list = {}
    for k, name in ipairs(rawget(r, STRUCT)) do
        list[k] = rawget(r, FIELDS)[name]
    end
    return list
end

-- The first field, which has the shape of all.
function base.first_of(r)
    return rawget(r, FIELDS)[rawget(r, STRUCT)[1]]
end

-- The bytes of the structs that are all of r in their order; nil: there are none.
function base.bytes_of(r)
    local bytes = rawget(r, BYTES)
    return bytes ~= true and bytes or nil
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

-- The records of f(field) for each field of r, which share its memory if `window`.
function base.each_field(r, f, window)
    local fields = {}
    for _, name in ipairs(rawget(r, STRUCT)) do
        fields[name] = f(rawget(r, FIELDS)[name], name)
    end
    return make(rawget(r, STRUCT), fields, window and rawget(r, BYTES) and true or nil)
end

-- The number of elements of a shape: n, or a list.
function base.count_of(shape)
    local count = 1
    for _, n in ipairs(type(shape) == "table" and shape or { shape }) do
        count = count * n
    end
    return count
end

-- Records on such bytes of structs, as many as the shape says.
function base.on_bytes(s, bytes, shape)
    local fields = {}
    for _, name in ipairs(s) do
        fields[name] = internal.field(bytes, s.offsets[name], s.bytes, s.dtypes[name], shape)
    end
    return make(s, fields, bytes)
end

-- Zeros of s, in its layout or the one given.
function base.zeros(s, shape, layout)
    local fields = {}
    for _, name in ipairs(s) do
        fields[name] = core.zeros(shape, s.dtypes[name])
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

-- Stores values by the names of fields, arrays or numbers, into r's fields, all of them read before any is written;
-- gives r. An error is one of argument number `argument` of `call`.
function base.store(r, values, argument, call)
    local s, list, targets = rawget(r, STRUCT), {}, {}
    for k, name in ipairs(s) do
        if not core.isarray(values[name]) then
            local ok, e = pcall(core.full, 1, values[name], s.dtypes[name])
            local text = not ok and type(e) == "string" and e:match "%((.*)%)$"
            if text then
                base.misuse(argument, call, ("field '%s': %s"):format(name, text))
            end
        end
        list[k], targets[k] = values[name], rawget(r, FIELDS)[name]
    end
    list[#s + 1] = { out = targets }
    local ok, e = pcall(core.eval, table.unpack(list, 1, #s + 1))
    local k, text = fault_of(not ok and e)
    if text then
        base.misuse(argument, call, ("field '%s': %s"):format(s[k], text))
    elseif not ok then
        error(e, 0)
    end
    return r
end

-- What is wrong with the fields of records of `from` as those of s, nil if nothing is.
local function difference(s, from)
    for _, name in ipairs(s) do
        if not from.dtypes[name] then
            return ("records of %s have no field '%s'"):format(from.name, name)
        end
    end
    for _, name in ipairs(from) do
        if not s.dtypes[name] then
            return ("records of %s have a field '%s': %s has %s"):format(from.name, name, s.name, struct.names(s))
        end
    end
end

-- Arrays and numbers by the names of fields that records, or a table of columns, hold for s.
function base.values_of(s, t, argument, call)
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
        base.misuse(argument, call, fault)
    elseif from then
        return rawget(t, FIELDS)
    end
    local values = {}
    for _, name in ipairs(s) do
        values[name] = t[name]
        if type(t[name]) == "table" then
            local ok, a = pcall(core.vector, t[name], s.dtypes[name])
            local text = not ok and type(a) == "string" and a:match "%((.*)%)$"
            if text then
                base.misuse(argument, call, ("field '%s': %s"):format(name, text))
            elseif not ok then
                error(a, 0)
            end
            values[name] = a
        end
    end
    return values
end

return base
