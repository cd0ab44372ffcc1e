-- Structs: the names, dtypes and offsets of the fields of records. A struct is a value that is used like a dtype. Knows
-- no array.

local dtypes = require "lunarray.base.dtypes"

local struct = {}

local MOST_FIELDS = 64

-- C's keywords, which are no names of fields.
local KEYWORDS = {}
for word in ([[auto break case char const continue default do double else enum extern float for goto if inline int long
    register restrict return short signed sizeof static struct switch typedef union unsigned void volatile while bool
    half]]):gmatch "%S+" do
    KEYWORDS[word] = true
end

local C_TYPES = {
    bool = "bool", i8 = "int8_t", i16 = "int16_t", i32 = "int32_t", i64 = "int64_t", u8 = "uint8_t", u16 = "uint16_t",
    u32 = "uint32_t", u64 = "uint64_t", f32 = "float", f64 = "double", f16 = "float", bf16 = "float",
}

-- ---------------------------------------------------------------- making

-- What is wrong with a name for C, nil if nothing is.
local function name_fault(name)
    if type(name) ~= "string" then
        return ("a name expected, got %s"):format(type(name))
    elseif not name:find "^%a[%w_]*$" then
        return ("'%s' is no name: letters, digits and _ expected, a letter first"):format(name:sub(1, 40))
    elseif KEYWORDS[name] then
        return ("'%s' is a word of C"):format(name)
    elseif name:find "^lun_" or name:find "^LUN_" then
        return ("names that begin with '%s' belong to the engine"):format(name:sub(1, 4))
    end
end

-- What is wrong with field number k of a struct that has those in `at` already, nil if nothing is; placed: it says
-- where it is.
local function field_fault(field, k, at, placed)
    if type(field) ~= "table" then
        return ("field %d: {name, dtype} expected, got %s"):format(k, type(field))
    end
    local fault = name_fault(field[1])
    if fault then
        return ("field %d: %s"):format(k, fault)
    elseif at[field[1]] then
        return ("field %d: '%s' is there twice"):format(k, field[1])
    elseif dtypes.by_name[field[2]] and dtypes.by_name[field[2]].part then
        return ("field '%s': records have no complex numbers yet: two fields, re and im, hold them"):format(field[1])
    elseif not dtypes.by_name[field[2]] then
        return ("field '%s': a dtype expected (%s), got %s"):format(field[1], dtypes.names, tostring(field[2]))
    end
    for key in pairs(field) do
        if key ~= 1 and key ~= 2 and not (placed and key == "offset") then
            return ("field '%s': {name, dtype} expected, not %s"):format(field[1], tostring(key))
        end
    end
end

local function fault_of(fields, placed)
    if type(fields) ~= "table" or #fields == 0 then
        return 'a list of fields expected, such as {{"x", "f32"}, {"id", "i32"}}'
    elseif #fields > MOST_FIELDS then
        return ("%d fields, at most %d expected"):format(#fields, MOST_FIELDS)
    end
    local at = {}
    for key in pairs(fields) do
        if math.type(key) ~= "integer" or key < 1 or key > #fields then
            return ("a list of fields expected, without '%s'"):format(tostring(key))
        end
    end
    for k, field in ipairs(fields) do
        local fault = field_fault(field, k, at, placed)
        if fault then
            return fault
        end
        at[field[1]] = k
    end
end

local function round_up(n, unit)
    return (n + unit - 1) // unit * unit
end

-- Offsets of the fields as C places them, and the bytes of a struct; given: the bytes, of fields that say where
-- they are.
local function offsets_of(fields, given)
    local offsets, at, widest = {}, 0, 1
    for _, field in ipairs(given and fields or {}) do
        offsets[field[1]] = field.offset
    end
    if given then
        return offsets, given
    end
    for _, field in ipairs(fields) do
        local bytes = dtypes.by_name[field[2]].bytes
        at = round_up(at, bytes)
        offsets[field[1]] = at
        at, widest = at + bytes, math.max(widest, bytes)
    end
    return offsets, round_up(at, widest)
end

-- A struct with its metatable; or nil, the number of the bad argument, what is wrong with it. It is a list of its
-- fields' names, and has name, layout ("aos" or "soa"), bytes (of one in memory), dtypes and offsets (by name). bytes:
-- fields {name, dtype, offset=} are in a struct of so many.
function struct.new(name, fields, options, metatable, bytes)
    local fault = name_fault(name)
    if fault then
        return nil, 1, fault
    end
    fault = fault_of(fields, bytes)
    if fault then
        return nil, 2, fault
    elseif options ~= nil and type(options) ~= "table" then
        return nil, 3, ('options such as {layout="soa"} expected, got %s'):format(type(options))
    end
    for option in pairs(options or {}) do
        if option ~= "layout" then
            return nil, 3, ("unknown option '%s': the option is layout"):format(tostring(option))
        end
    end
    local layout = options and options.layout or "aos"
    if layout ~= "aos" and layout ~= "soa" then
        return nil, 3, ('option layout: "aos" or "soa" expected, got %s'):format(tostring(layout))
    end
    local s = { name = name, layout = layout, dtypes = {} }
    s.offsets, s.bytes = offsets_of(fields, bytes)
    for k, field in ipairs(fields) do
        s[k], s.dtypes[field[1]] = field[1], field[2]
    end
    return setmetatable(s, metatable)
end

-- ---------------------------------------------------------------- asking

-- "x, y and id"
function struct.names(s)
    return #s == 1 and s[1] or table.concat(s, ", ", 1, #s - 1) .. " and " .. s[#s]
end

-- Whether two structs have the same fields in the same order.
function struct.same(a, b)
    if a == b then
        return true
    elseif #a ~= #b then
        return false
    end
    for k, name in ipairs(a) do
        if b[k] ~= name or a.dtypes[name] ~= b.dtypes[name] then
            return false
        end
    end
    return true
end

-- What is wrong with a table that should have each field of s and nothing else, nil if nothing is.
function struct.fault(s, t)
    if type(t) ~= "table" then
        return ("a table of %s expected, got %s"):format(struct.names(s), type(t))
    end
    for _, name in ipairs(s) do
        if rawget(t, name) == nil then
            return ("field '%s' is missing: %s has %s"):format(name, s.name, struct.names(s))
        end
    end
    for key in next, t do
        if not s.dtypes[key] then
            return ("unknown field '%s': %s has %s"):format(tostring(key), s.name, struct.names(s))
        end
    end
end

-- The text for a struct without that field.
function struct.unknown(s, name)
    return ("no field '%s': %s has %s"):format(tostring(name), s.name, struct.names(s))
end

-- One record as a table, of values in the order of the fields; nil, message if there are too few or too many.
function struct.record(s, ...)
    local given, record = select("#", ...), {}
    if given ~= #s then
        return nil, ("wrong number of arguments to '%s' (%d expected, got %d: %s)"):format(s.name, #s, given,
            struct.names(s))
    end
    for k, name in ipairs(s) do
        record[name] = (select(k, ...))
    end
    return record
end

-- The C type of a field.
function struct.c_type(s, name)
    return C_TYPES[s.dtypes[name]]
end

-- The struct as functions in C see it.
function struct.in_c(s)
    local members = {}
    for k, name in ipairs(s) do
        members[k] = ("%s %s;"):format(struct.c_type(s, name), name)
    end
    return ("typedef struct %s { %s } %s;"):format(s.name, table.concat(members, " "), s.name)
end

-- "struct Particle { f32 x; f32 y; i32 id; } (aos, 12 bytes)"
function struct.text(s)
    local members = {}
    for k, name in ipairs(s) do
        members[k] = ("%s %s;"):format(s.dtypes[name], name)
    end
    return ("struct %s { %s } (%s, %d bytes)"):format(s.name, table.concat(members, " "), s.layout, s.bytes)
end

return struct
