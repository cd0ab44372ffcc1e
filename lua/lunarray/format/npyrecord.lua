-- Records in .npy files, NumPy's structured arrays: fields of plain dtypes, aligned or packed, in either byte order.
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

-- The fields that the header lists, { name, descr }, as { struct=, offsets= and swaps= (by field), bytes= }; or nil,
-- message, code. parse(descr): the dtype and whether its bytes are swapped.
function npyrecord.fields(list, parse)
    local fields, found, taken = {}, { offsets = {}, swaps = {}, bytes = 0 }, {}
    for k, field in ipairs(list) do
        local padding = field.descr:match "^|V(%d+)$"
        if field.name == "" and padding then
            if #padding > 9 then
                return nil, ("%s bytes between fields are too many"):format(padding:sub(1, 40)), "unsupported"
            end
            found.bytes = found.bytes + math.tointeger(padding)
        else
            local dtype, swap, code = parse(field.descr)
            if not dtype then
                return nil, ("field '%s': %s"):format(field.name, swap), code
            end
            local name = name_for(field.name == "" and "f" .. k - 1 or field.name, taken)
            fields[#fields + 1] = { name, dtype }
            found.offsets[name], found.swaps[name] = found.bytes, swap
            found.bytes = found.bytes + dtypes.by_name[dtype].bytes
        end
    end
    local ok, s = pcall(record.struct, "Record", fields)
    if not ok then
        return nil, "its records are not supported: " .. s:match "%((.*)%)$", "unsupported"
    end
    found.struct = s
    return found
end

-- ---------------------------------------------------------------- reading

-- Whether the structs of the file have C's layout and this machine's byte order.
local function is_native(found)
    local s = found.struct
    for _, name in ipairs(s) do
        if found.offsets[name] ~= s.offsets[name] or found.swaps[name] and dtypes.by_name[s.dtypes[name]].bytes > 1 then
            return false
        end
    end
    return found.bytes == s.bytes
end

-- The bytes of a field, element by element; bytes: of all records.
local function bytes_of(found, name, bytes, count)
    local first = found.offsets[name] + 1
    local last = first + dtypes.by_name[found.struct.dtypes[name]].bytes - 1
    local part = found.swaps[name] and { last, first, -1 } or { first, last }
    return bytes:view(count, found.bytes):sub({}, part):tobytes()
end

-- The records that come next in `source`, of which ranks read each field; or nil.
local function load_fields(source, found, shape)
    local s, values = found.struct, {}
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
    local values = {}
    local whole = is_native(found)
    for _, name in ipairs(s) do
        if not whole or s.dtypes[name] == "bool" then
            values[name], message, code = dtypes.array(bytes_of(found, name, bytes, count), s.dtypes[name], shape)
            if not values[name] then
                return nil, ("field '%s': %s"):format(name, message), code
            end
        end
    end
    if whole then
        return base.on_bytes(s, bytes, shape)
    end
    return base.store(base.zeros(s, shape), values, 1, "load")
end

-- ---------------------------------------------------------------- writing

-- The header's word for the fields of records; or nil, message.
function npyrecord.descr(r)
    local s, parts, at = base.struct_of(r), {}, 0
    local function pad(to)
        if to > at then
            parts[#parts + 1] = ("('', '|V%d')"):format(to - at)
        end
    end
    for _, name in ipairs(s) do
        local row = dtypes.by_name[s.dtypes[name]]
        if not row.npy then
            return nil, ("field '%s': NumPy has no %s; :cast to a struct with f32 preserves every value"):format(name,
                row.name)
        end
        pad(s.offsets[name])
        parts[#parts + 1] = ("('%s', '%s%s')"):format(name, row.bytes == 1 and "|" or "<", row.npy)
        at = s.offsets[name] + row.bytes
    end
    pad(s.bytes)
    return "[" .. table.concat(parts, ", ") .. "]"
end

return npyrecord
