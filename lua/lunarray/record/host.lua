-- Records of a host in C: structs by the places of their fields, and what the host is given of records.
--
-- Invariant: `known` maps a description, weakly, to the struct made of it, so that one description is one struct.

local base = require "lunarray.record.recordbase"
local record = require "lunarray.record.record"
local struct = require "lunarray.record.struct"

local host = {}

local known = setmetatable({}, { __mode = "v" })

-- The same text for the same struct.
local function key_of(name, fields, bytes)
    local parts = { name, bytes }
    for _, field in ipairs(fields) do
        local inner = struct.is(field[2]) and host.key(field[2]) or field[2]
        parts[#parts + 1] = ("%s %s %s %d"):format(field[1], inner, table.concat(field[3] or {}, ","), field.offset)
    end
    return table.concat(parts, "\n")
end

-- The description of a struct.
function host.key(s)
    local fields = {}
    for k, name in ipairs(s) do
        fields[k] = { name, s.dtypes[name], s.extents[name], offset = s.offsets[name] }
    end
    return key_of(s.name, fields, s.bytes)
end

-- Records on the host's arrays, records for structs in the struct: fields: a list of {name, dtype, extents, offset=}.
function host.records(name, fields, bytes, arrays)
    for k, field in ipairs(fields) do
        field[2] = base.struct_of(arrays[k]) or field[2]
    end
    local key = key_of(name, fields, bytes)
    local s = known[key] or record.placed(name, fields, bytes)
    known[key] = s
    local values = {}
    for k, field in ipairs(s) do
        values[field] = arrays[k]
    end
    return base.make(s, values, true)
end

-- Name, fields as above, bytes, arrays and shape of records; nothing: x is none.
function host.parts(x)
    local s = base.struct_of(x)
    if not s then
        return nil
    end
    local fields, arrays = {}, {}
    for k, name in ipairs(s) do
        fields[k] = { name, s.dtypes[name], s.extents[name], offset = s.offsets[name] }
        arrays[k] = base.fields_of(x)[name]
    end
    return s.name, fields, s.bytes, arrays, { x:shape() }
end

return host
