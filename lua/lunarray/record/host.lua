-- Records of a host in C: structs by the places of their fields, and what the host is given of records.
--
-- Invariant: `known` maps a description, weakly, to the struct made of it, so that one description is one struct.

local base = require "lunarray.record.recordbase"
local record = require "lunarray.record.record"

local host = {}

local known = setmetatable({}, { __mode = "v" })

-- The same text for the same struct.
local function key_of(name, fields, bytes)
    local parts = { name, bytes }
    for _, field in ipairs(fields) do
        parts[#parts + 1] = ("%s %s %d"):format(field[1], field[2], field.offset)
    end
    return table.concat(parts, "\n")
end

-- Records on the host's arrays: fields: a list of {name, dtype, offset=}.
function host.records(name, fields, bytes, arrays)
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
        fields[k] = { name, s.dtypes[name], offset = s.offsets[name] }
        arrays[k] = base.fields_of(x)[name]
    end
    return s.name, fields, s.bytes, arrays, { x:shape() }
end

return host
