-- Structs: the names, dtypes, extents and offsets of the fields of records. A struct is a value that is used like a
-- dtype. Knows no array.

local dtypes = require "lunarray.base.dtypes"

local struct = {}

local MOST_LANES <const>, MOST_DEPTH <const> = 64, 8

local structs = setmetatable({}, { __mode = "k" }) -- all that there are

-- Whether x is a struct.
function struct.is(x)
    return structs[x] ~= nil
end

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

-- The dtype of the parts of complex elements; nil: the dtype is another one, or a struct.
local function part_of(dtype)
    local row = type(dtype) == "string" and dtypes.by_name[dtype]
    return row and row.part or nil
end
struct.part_of = part_of

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

-- The extents of a field: nil of one element, {3} or {2, 3} of an array; false: they are none.
local function extents_of(given)
    if given == nil then
        return nil
    end
    local list = type(given) == "table" and given or { given }
    if #list < 1 or #list > 2 then
        return false
    end
    local extents = {}
    for k, n in ipairs(list) do
        extents[k] = math.type(n) and math.tointeger(n)
        if not extents[k] or extents[k] < 1 then
            return false
        end
    end
    return extents
end

-- How many elements a field has.
local function count_of(extents)
    return extents and extents[1] * (extents[2] or 1) or 1
end

-- What is wrong with the dtype and extents of a field, nil if nothing is.
local function type_fault(field)
    local name, dtype = field[1], field[2]
    local row = type(dtype) == "string" and dtypes.by_name[dtype]
    if struct.is(dtype) then
        local deep = dtype.depth >= MOST_DEPTH and ("structs in structs, more than %d deep"):format(MOST_DEPTH)
        local fault = field[3] ~= nil and "an array of structs is no field: give each a field" or deep
        return fault and ("field '%s': %s"):format(name, fault) or nil
    elseif not row or row.kind == "text" or row.kind == "time" then
        return ("field '%s': a dtype expected (%s), got %s"):format(name, dtypes.names, tostring(dtype))
    elseif extents_of(field[3]) == false then
        return ("field '%s': extents such as 3 or {2, 3} expected, got %s"):format(name, tostring(field[3]))
    end
end

-- What is wrong with field number k of a struct that has those in `at` already, nil if nothing is; placed: it says
-- where it is.
local function field_fault(field, k, at, placed)
    if type(field) ~= "table" or struct.is(field) then
        return ("field %d: {name, dtype} expected, got %s"):format(k, type(field))
    end
    local fault = name_fault(field[1])
    if fault then
        return ("field %d: %s"):format(k, fault)
    elseif at[field[1]] then
        return ("field %d: '%s' is there twice"):format(k, field[1])
    end
    fault = type_fault(field)
    if fault then
        return fault
    end
    for key in pairs(field) do
        if key ~= 1 and key ~= 2 and key ~= 3 and not (placed and key == "offset") then
            return ("field '%s': {name, dtype} expected, not %s"):format(field[1], tostring(key))
        end
    end
end

local function fault_of(fields, placed)
    if type(fields) ~= "table" or #fields == 0 then
        return 'a list of fields expected, such as {{"x", "f32"}, {"id", "i32"}}'
    elseif #fields > MOST_LANES then
        return ("%d fields, at most %d expected"):format(#fields, MOST_LANES)
    end
    local at, lanes = {}, 0
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
        local extents = extents_of(field[3])
        for _, n in ipairs(extents or {}) do
            lanes = n > MOST_LANES and MOST_LANES + 1 or lanes
        end
        local own = lanes <= MOST_LANES and count_of(extents) * (part_of(field[2]) and 2 or 1) or 0
        lanes = lanes + (struct.is(field[2]) and #field[2].lanes or own)
        if lanes > MOST_LANES then
            return ("field '%s': more than %d elements in all fields"):format(field[1], MOST_LANES)
        end
    end
end

local function round_up(n, unit)
    return (n + unit - 1) // unit * unit
end

-- Offsets of the fields as C places them, the bytes of a struct, and of what they are multiples; given: the bytes, of
-- fields that say where they are.
local function offsets_of(fields, given)
    local offsets, at, widest = {}, 0, 1
    for _, field in ipairs(fields) do
        local inner = struct.is(field[2]) and field[2]
        local unit = inner and inner.align or dtypes.by_name[part_of(field[2]) or field[2]].bytes
        at = given and field.offset or round_up(at, unit)
        offsets[field[1]] = at
        at = at + (inner and inner.bytes or dtypes.by_name[field[2]].bytes * count_of(extents_of(field[3])))
        widest = math.max(widest, unit)
    end
    return offsets, given or round_up(at, widest), widest
end

-- Adds the lanes of one element: itself, or its parts.
local function add_lanes(name, dtype, lanes)
    local part = part_of(dtype)
    if part then
        lanes[#lanes + 1], lanes[#lanes + 2] = { name .. ".re", part }, { name .. ".im", part }
    else
        lanes[#lanes + 1] = { name, dtype }
    end
end

-- The lanes of a field, its elements or their parts, as a list of { name, dtype }: "x", "pos.x", "v[1]", "m[1,2]",
-- "z.re".
local function lanes_of(name, dtype, extents, lanes)
    if struct.is(dtype) then
        for _, lane in ipairs(dtype.lanes) do
            lanes[#lanes + 1] = { name .. "." .. lane[1], lane[2] }
        end
    elseif not extents then
        add_lanes(name, dtype, lanes)
    else
        for k = 0, count_of(extents) - 1 do
            local at = extents[2] and ("%d,%d"):format(k // extents[2] + 1, k % extents[2] + 1) or k + 1
            add_lanes(("%s[%s]"):format(name, at), dtype, lanes)
        end
    end
end

-- The extents behind a field's name in C: "[2][3]".
local function brackets(extents)
    return extents and "[" .. table.concat(extents, "][") .. "]" or ""
end

-- A struct with its metatable; or nil, the number of the bad argument, what is wrong with it. It is a list of its
-- fields' names, and has name, layout ("aos" or "soa"), bytes (of one in memory), align, depth, lanes, and by the names
-- of fields dtypes (a dtype, or a struct), extents (nil: one element) and offsets. bytes: fields {name, dtype, extents,
-- offset=} are in a struct of so many.
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
    local s = { name = name, layout = layout, dtypes = {}, extents = {}, lanes = {}, forms = {}, depth = 1 }
    s.offsets, s.bytes, s.align = offsets_of(fields, bytes)
    for k, field in ipairs(fields) do
        local own, dtype, extents = field[1], field[2], extents_of(field[3])
        s[k], s.dtypes[own], s.extents[own] = own, dtype, extents
        local element = part_of(dtype) and "complex" or ""
        s.forms[k] = struct.is(dtype) and dtype.form or extents and brackets(extents) or element
        s.depth = math.max(s.depth, struct.is(dtype) and dtype.depth + 1 or 1)
        lanes_of(own, dtype, extents, s.lanes)
    end
    s.form = struct.form(s)
    structs[s] = true
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
    elseif not struct.is(a) or not struct.is(b) or #a ~= #b then
        return false
    end
    for k, name in ipairs(a) do
        local x, y = a.dtypes[name], b.dtypes[name]
        local differ = b[k] ~= name or brackets(a.extents[name]) ~= brackets(b.extents[name])
        if differ or x ~= y and not struct.same(x, y) then
            return false
        end
    end
    return true
end

-- What is wrong with a value for a field with those extents, the first of which is number `axis`; nil if nothing is.
local function list_fault(x, extents, axis)
    if axis > #extents then
        return nil
    elseif type(x) ~= "table" or #x ~= extents[axis] then
        return ("a list of %d expected, got %s"):format(extents[axis], type(x) == "table" and #x or type(x))
    end
    for _, one in ipairs(x) do
        local fault = list_fault(one, extents, axis + 1)
        if fault then
            return fault
        end
    end
end

-- What is wrong with a table that should have each field of s and nothing else, nil if nothing is; whole: also with
-- those of the fields that are structs and arrays.
function struct.fault(s, t, whole)
    if type(t) ~= "table" then
        return ("a table of %s expected, got %s"):format(struct.names(s), type(t))
    end
    for _, name in ipairs(s) do
        local x, dtype, extents = rawget(t, name), s.dtypes[name], s.extents[name]
        if x == nil then
            return ("field '%s' is missing: %s has %s"):format(name, s.name, struct.names(s))
        end
        local fault = whole and (struct.is(dtype) and struct.fault(dtype, x, true)
            or extents and list_fault(x, extents, 1))
        if fault then
            return ("field '%s': %s"):format(name, fault)
        end
    end
    for key in next, t do
        if not s.dtypes[key] then
            return ("unknown field '%s': %s has %s"):format(tostring(key), s.name, struct.names(s))
        end
    end
end

-- Adds a value for a field of that dtype, a number or truth, to a list.
local function add_value(x, dtype, to)
    if part_of(dtype) then
        local real = type(x) == "number"
        to[#to + 1], to[#to + 2] = real and x or x.re, real and 0.0 or x.im
    else
        to[#to + 1] = x
    end
end

-- Adds the values of a list, of lists where `extents` has a second axis, to a list.
local function flatten_list(x, extents, dtype, to)
    for _, one in ipairs(x) do
        if extents[2] then
            flatten_list(one, {}, dtype, to)
        else
            add_value(one, dtype, to)
        end
    end
end

-- The values of a record, for which struct.fault finds nothing, in the order of the lanes.
function struct.values(s, record, to)
    to = to or {}
    for _, name in ipairs(s) do
        local x = record[name]
        if struct.is(s.dtypes[name]) then
            struct.values(s.dtypes[name], x, to)
        elseif s.extents[name] then
            flatten_list(x, s.extents[name], s.dtypes[name], to)
        else
            add_value(x, s.dtypes[name], to)
        end
    end
    return to
end

-- The text for a struct without that field.
function struct.unknown(s, name)
    return ("no field '%s': %s has %s"):format(tostring(name), s.name, struct.names(s))
end

-- "f32", "f32[3]" or "Point": what a field is.
function struct.shown(s, name)
    local dtype = s.dtypes[name]
    return (struct.is(dtype) and dtype.name or dtype) .. brackets(s.extents[name])
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

-- The lanes of one of its fields.
function struct.lanes_of(s, name)
    local lanes = {}
    lanes_of(name, s.dtypes[name], s.extents[name], lanes)
    return lanes
end

-- The C type of a dtype.
function struct.c_name(dtype)
    return C_TYPES[dtype]
end

-- The C type of a field's elements.
function struct.c_type(s, name)
    local dtype = s.dtypes[name]
    return C_TYPES[dtype] or part_of(dtype) and dtype or dtype.name
end

-- The struct as functions in C see it, behind those of its fields that are not in `known` yet.
function struct.in_c(s, known)
    local members, before = {}, {}
    for k, name in ipairs(s) do
        local inner = s.dtypes[name]
        if struct.is(inner) and not (known and known[inner.name]) then
            before[#before + 1] = struct.in_c(inner, known)
        elseif part_of(inner) and not (known and known[inner]) then
            local part = C_TYPES[part_of(inner)]
            before[#before + 1] = ("typedef struct %s { %s re; %s im; } %s;"):format(inner, part, part, inner)
            known[inner] = true
        end
        members[k] = ("%s %s%s;"):format(struct.c_type(s, name), name, brackets(s.extents[name]))
    end
    if known then
        known[s.name] = true
    end
    before[#before + 1] = ("typedef struct %s { %s } %s;"):format(s.name, table.concat(members, " "), s.name)
    return table.concat(before, " ")
end

-- An initializer of a field, from the texts of its lanes, take() for each in order; pair: the format of a complex
-- number, in C that of a struct.
function struct.initializer(s, name, take, pair)
    local inner, extents, values = s.dtypes[name], s.extents[name], {}
    local function one()
        if not part_of(inner) then
            return take()
        end
        local re = take()
        return (pair or "{%s, %s}"):format(re, take())
    end
    if struct.is(inner) then
        for k, field in ipairs(inner) do
            values[k] = (".%s = %s"):format(field, struct.initializer(inner, field, take, pair))
        end
    elseif not extents then
        return one()
    else
        for k = 1, extents[1] do
            values[k] = one()
            for _ = 2, extents[2] or 1 do
                values[k] = values[k] .. ", " .. one()
            end
            values[k] = extents[2] and "{" .. values[k] .. "}" or values[k]
        end
    end
    return "{" .. table.concat(values, ", ") .. "}"
end

-- "Particle { f32 x; f32 y; i32 id; }"
function struct.form(s)
    local members = {}
    for k, name in ipairs(s) do
        local dtype = s.dtypes[name]
        members[k] = ("%s %s%s;"):format(struct.is(dtype) and dtype.name or dtype, name, brackets(s.extents[name]))
    end
    return ("%s { %s }"):format(s.name, table.concat(members, " "))
end

-- "struct Particle { f32 x; f32 y; i32 id; } (aos, 12 bytes)"
function struct.text(s)
    return ("struct %s (%s, %d bytes)"):format(s.form, s.layout, s.bytes)
end

return struct
