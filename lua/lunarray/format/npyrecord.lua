-- Records in .npy files, NumPy's structured arrays, with records and arrays as fields, aligned or packed, in either
-- byte order.
-- Characters that C's names cannot have become _.

local base = require "lunarray.record.recordbase"
local dtypes = require "lunarray.base.dtypes"
local raw = require "lunarray.format.raw"
local record = require "lunarray.record.record"

local npyrecord = {}

-- ---------------------------------------------------------------- the header

-- A name that C can have, which no other field in `taken` has.
local function name_for(name, taken)
    name = name:gsub("[^%w_]", "_"):gsub("^[^%a]", "f%0")
    while taken[name] or not pcall(record.struct, "Record", { { name, "u8" } }) do
        name = name .. "_"
    end
    taken[name] = true
    return name
end

local fields_of

-- One field of a header, behind found.bytes, as a field of lun.struct; or nil, message, code.
local function field_of(field, name, found, parse)
    local count = 1
    for k, extent in ipairs(field.shape or {}) do
        if k > 2 then
            return nil, "arrays of more than two axes in records are not supported", "unsupported"
        end
        count = count * math.min(extent, 65) -- more are refused by lun.struct
    end
    if type(field.descr) == "table" then
        local inner, message, code = fields_of(field.descr, parse, found.name .. "_" .. name)
        if not inner then
            return nil, message, code
        end
        found.inner[name], found.offsets[name] = inner, found.bytes
        found.bytes = found.bytes + inner.bytes * count
        return { name, inner.struct, field.shape }
    end
    local dtype, swap, code = parse(field.descr)
    if not dtype then
        return nil, swap, code
    end
    found.offsets[name], found.swaps[name] = found.bytes, swap
    found.bytes = found.bytes + dtypes.by_name[dtype].bytes * count
    return { name, dtype, field.shape }
end

-- The fields that the header lists, { name, descr, shape }, as { struct=, offsets=, swaps= and inner= (by field, of
-- records in records), bytes= }; or nil, message, code. parse(descr): the dtype and whether its bytes are swapped.
function fields_of(list, parse, struct_name)
    local fields, taken = {}, {}
    local found = { name = struct_name or "Record", offsets = {}, swaps = {}, inner = {}, bytes = 0 }
    for k, field in ipairs(list) do
        local padding = type(field.descr) == "string" and not field.shape and field.descr:match "^|V(%d+)$"
        if field.name == "" and padding then
            if #padding > 9 then
                return nil, ("%s bytes between fields are too many"):format(padding:sub(1, 40)), "unsupported"
            end
            found.bytes = found.bytes + math.tointeger(padding)
        else
            local name = name_for(field.name == "" and "f" .. k - 1 or field.name, taken)
            local made, message, code = field_of(field, name, found, parse)
            if not made then
                return nil, ("field '%s': %s"):format(field.name == "" and name or field.name, message), code
            end
            fields[#fields + 1] = made
        end
    end
    local ok, s = pcall(record.struct, found.name, fields)
    if not ok then
        return nil, "its records are not supported: " .. s:match "%((.*)%)$", "unsupported"
    end
    found.struct = s
    return found
end
npyrecord.fields = fields_of

-- ---------------------------------------------------------------- reading

-- Whether the structs of the file have C's layout and this machine's byte order.
local function is_native(found)
    local s = found.struct
    for _, name in ipairs(s) do
        local inner = found.inner[name]
        if found.offsets[name] ~= s.offsets[name] or inner and not is_native(inner)
            or found.swaps[name] and dtypes.by_name[s.dtypes[name]].bytes > 1 then
            return false
        end
    end
    return found.bytes == s.bytes
end

-- The bytes of a field, element by element; bytes: of all records, a line of them for each; at: where these fields are.
local function bytes_of(found, name, bytes, at)
    local s = found.struct
    local size, extents = dtypes.by_name[s.dtypes[name]].bytes, s.extents[name] or {}
    local first, count = at + found.offsets[name], (extents[1] or 1) * (extents[2] or 1)
    local own = bytes:sub({}, { first + 1, first + size * count })
    local unit = dtypes.by_name[dtypes.by_name[s.dtypes[name]].part or s.dtypes[name]].bytes -- parts are swapped each
    return (found.swaps[name] and own:reshape(-1, unit):sub({}, { unit, 1, -1 }) or own):tobytes()
end

-- The fields of the records in `bytes`, as base.store takes them, all of them or, if `whole`, those of bools; or nil,
-- message, code.
local function values_of(found, bytes, shape, whole, at)
    local s, values = found.struct, {}
    for _, name in ipairs(s) do
        local message, code
        if found.inner[name] then
            values[name], message, code = values_of(found.inner[name], bytes, shape, whole, at + found.offsets[name])
        elseif not whole or s.dtypes[name] == "bool" then
            values[name], message, code = dtypes.array(bytes_of(found, name, bytes, at), s.dtypes[name],
                base.shape_with(shape, s.extents[name]))
        end
        if message then
            return nil, ("field '%s': %s"):format(name, message), code
        end
    end
    return values
end

-- The records that come next in `source`, of which ranks read each field; or nil, for records with more than one
-- element in a field too.
local function load_fields(source, found, shape)
    local s, values = found.struct, {}
    if #s.lanes > #s or s.depth > 1 then
        return nil
    end
    for _, name in ipairs(s) do
        values[name] = source:elements(s.dtypes[name], shape, found.swaps[name], found.offsets[name], found.bytes)
        if not values[name] then
            return nil
        end
    end
    return base.make(s, values, true)
end

-- The records in the bytes of `source`, of that shape; or nil, message, code, which ranks leave to the host to find.
function npyrecord.decode(source, found, shape)
    local s, count = found.struct, raw.count(shape, found.bytes)
    if not count then
        return nil, "there are more records than any file has", "unsupported"
    end
    local all = { dtype = "u8", shape = { count * found.bytes } }
    if source.elements and count > 0 then
        return raw.layout(source, all) and load_fields(source, found, shape) or nil
    end
    local bytes, message, code = raw.decode(source, all)
    if not bytes then
        return nil, message, code
    elseif count == 0 then
        return base.zeros(s, shape)
    end
    local whole = is_native(found)
    local values, fault, why = values_of(found, bytes:view(count, found.bytes), shape, whole, 0)
    if not values then
        return nil, fault, why
    elseif whole then
        return base.on_bytes(s, bytes, shape)
    end
    return base.store(base.zeros(s, shape), values, 1, "load")
end

-- ---------------------------------------------------------------- writing

-- The word for the fields of a struct, and from byte 0 to its end; or nil, message. before: as in names of lanes.
local function descr_of(s, before)
    local parts, at = {}, 0
    local function pad(to)
        if to > at then
            parts[#parts + 1] = ("('', '|V%d')"):format(to - at)
        end
    end
    for _, name in ipairs(s) do
        local dtype, extents = s.dtypes[name], s.extents[name]
        local row, word = dtypes.by_name[dtype]
        pad(s.offsets[name])
        if not row then
            local inner, message = descr_of(dtype, before .. name .. ".")
            if not inner then
                return nil, message
            end
            word = inner
        elseif not row.npy then
            return nil, ("field '%s': NumPy has no %s; :cast to a struct with f32 preserves every value"):format(
                before .. name, row.name)
        else
            word = ("'%s%s'"):format(row.bytes == 1 and "|" or "<", row.npy)
        end
        local count = extents and extents[1] * (extents[2] or 1) or 1
        local shape = extents and (", (%s,)"):format(table.concat(extents, ", ")) or ""
        parts[#parts + 1] = ("('%s', %s%s)"):format(name, word, shape)
        at = s.offsets[name] + (row and row.bytes * count or dtype.bytes)
    end
    pad(s.bytes)
    return "[" .. table.concat(parts, ", ") .. "]"
end

-- The header's word for the fields of records; or nil, message.
function npyrecord.descr(r)
    return descr_of(base.struct_of(r), "")
end

return npyrecord
