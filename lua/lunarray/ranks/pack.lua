-- Values as bytes and back: nil, booleans, numbers, strings, arrays, and tables of these.
--
-- The string, little-endian:
--
-- | offset | size | type | meaning                                                                 |
-- |--------|------|------|-------------------------------------------------------------------------|
-- | 0      | 4    | u32  | the number of values; SPLIT is set if large arrays are sent with them   |
-- | 4      |      |      | the values, one after the other: a tag, then what follows it            |
--
-- | tag         | what follows                                                                          |
-- |-------------|---------------------------------------------------------------------------------------|
-- | n, t, f     | nothing: nil, true, false                                                             |
-- | i, d        | an i64, an f64                                                                        |
-- | s           | a string: u64 bytes, these                                                            |
-- | A           | an array: u8 and the dtype's name, u8 rank, the extents as i64, u64 bytes, elements   |
-- | L           | a large array: the same without bytes and elements, which are sent separately         |
-- | C           | texts, times or elements that may be missing: u8 and the dtype's name, u8 rank, the   |
-- |             | extents as i64, u64 bytes, these: Arrow's stream of a column of them, row-major         |
-- | N           | nothing: lun.na                                                                       |
-- | c           | a complex number: two f64                                                             |
-- | Z           | a large array of complex numbers: that of their lanes, real numbers                   |
-- | R           | records: two tables, of their struct and of the arrays of their fields                   |
-- | {           | a table: keys and values in turn, then a byte }                                       |

local core = require "lunarray.core"
local records = require "lunarray.base.records"

local pack = {}

local DEPTH = 100 -- of tables in tables

local internal = core.internal
local array_type, na_type = internal.array_type, getmetatable(core.na)

local sizes, kinds = {}, {} -- bytes of an element; what it is
for _, row in ipairs(internal.dtypes()) do sizes[row.name], kinds[row.name] = row.bytes, row.kind end

local function is_array(x)
    return type(x) == "userdata" and debug.getmetatable(x) == array_type
end
pack.is_array = is_array

-- Whether an array goes as a column of Arrow's: texts, times, or elements that may be missing.
function pack.is_column(a)
    local kind = kinds[a:dtype()]
    return kind == "text" or kind == "time" or internal.has_missing(a)
end

-- ---------------------------------------------------------------- writing

local write

local LARGE = 1 << 16 -- bytes from which an array is sent separately
local SPLIT = 1 << 31 -- flag in the number of values: they have large arrays

-- The number of elements of a shape.
local function elements(shape)
    local n = 1
    for _, x in ipairs(shape) do n = n * x end
    return n
end

-- What stands before the elements of an array.
local function head(tag, a, shape)
    return tag .. string.pack("<s1B", a:dtype(), #shape) .. string.pack("<" .. ("i8"):rep(#shape), table.unpack(shape))
end

-- Arrow's stream of the elements in row-major order.
local function arrow_bytes(a)
    local column = a:reshape(a:size())
    if column:dtype() == "bf16" then
        column = column:cast "f32" -- of which Arrow has none, and f32 has all
    end
    local handle, buffer = assert(internal.memory_file())
    local stream <close> = internal.arrow_export({ "a" }, { column }, "{rows = 65536}")
    assert(internal.arrow_write(handle, stream, true, true))
    handle:close()
    return internal.memory_bytes(buffer)
end

local function write_array(out, a)
    local shape = { a:shape() }
    if #shape == 0 then
        return write(out, a:value(), 0)
    elseif pack.is_column(a) then
        out[#out + 1] = head("C", a, shape)
        out[#out + 1] = string.pack("<s8", arrow_bytes(a))
        return
    end
    local large = out.large
    if large and elements(shape) * sizes[a:dtype()] >= LARGE then
        if kinds[a:dtype()] == "complex" then
            out[#out + 1] = "Z"
            return write_array(out, internal.complex_lanes(a))
        end
        large[#large + 1] = internal.spmd.dense(a)
        out[#out + 1] = head("L", a, shape)
        return
    end
    out[#out + 1] = head("A", a, shape)
    out[#out + 1] = string.pack("<s8", a:tobytes())
end

-- Whether x is an error of Lunarray, which travels as its text.
local function is_error(x)
    local kind = type(x) == "table" and getmetatable(x)
    return type(kind) == "table" and rawget(kind, "__name") == "lunarray.error"
end

local function write_table(out, t, depth, open)
    if records.struct_of(t) then
        out[#out + 1] = "R"
        write(out, records.described(t), depth + 1, open)
        return write(out, records.fields_of(t), depth + 1, open)
    elseif open[t] then
        error("a table that contains itself cannot be sent", 0)
    elseif depth > DEPTH then
        error(("tables more than %d deep cannot be sent"):format(DEPTH), 0)
    elseif getmetatable(t) ~= nil then
        local name = getmetatable(t)
        name = type(name) == "table" and rawget(name, "__name") or "a table with a metatable"
        error(("%s cannot be sent: nil, booleans, numbers, strings, arrays and tables of these can"):format(name), 0)
    end
    open[t] = true
    out[#out + 1] = "{"
    for key, value in next, t do
        write(out, key, depth + 1, open)
        write(out, value, depth + 1, open)
    end
    out[#out + 1] = "}"
    open[t] = nil
end

local WRITERS = {
    ["nil"] = function()
        return "n"
    end,
    boolean = function(x)
        return x and "t" or "f"
    end,
    number = function(x)
        return math.type(x) == "integer" and string.pack("<c1i8", "i", x) or string.pack("<c1d", "d", x)
    end,
    string = function(x)
        return string.pack("<c1s8", "s", x)
    end,
}

function write(out, x, depth, open)
    local writer = WRITERS[type(x)]
    if writer then
        out[#out + 1] = writer(x)
    elseif is_array(x) then
        write_array(out, x)
    elseif is_error(x) then
        out[#out + 1] = WRITERS.string(tostring(x))
    elseif type(x) == "userdata" and getmetatable(x) == na_type then
        out[#out + 1] = "N"
    elseif internal.kind_of(x) == "complex number" then
        out[#out + 1] = string.pack("<c1dd", "c", x.re, x.im)
    elseif type(x) == "table" then
        write_table(out, x, depth, open)
    else
        error(("a %s cannot be sent: nil, booleans, numbers, strings, arrays and tables of these can"):format(type(x)),
            0)
    end
end

local function write_all(out, ...)
    out[1] = "" -- how many values
    for k = 1, select("#", ...) do
        write(out, (select(k, ...)), 0, {})
    end
    out[1] = string.pack("<I4", select("#", ...) | (out.large and #out.large > 0 and SPLIT or 0))
    return table.concat(out), out.large
end

-- The values as one string. Raises an error, without a source line, if one cannot be written.
function pack.write(...)
    return (write_all({}, ...))
end

-- The values as one string without large arrays, and a list of these with their present elements, in the order in which
-- pack.join takes them.
function pack.split(...)
    return write_all({ large = {} }, ...)
end

-- Whether the values of a string have large arrays.
function pack.is_split(s)
    return string.unpack("<I4", s) & SPLIT ~= 0
end

-- ---------------------------------------------------------------- reading

local read

-- What stands before the elements of an array: dtype, shape, and where it ends.
local function read_head(s, at)
    local dtype, rank
    dtype, rank, at = string.unpack("<s1B", s, at)
    local shape = table.pack(string.unpack("<" .. ("i8"):rep(rank), s, at))
    at, shape[rank + 1], shape.n = shape[rank + 1], nil, nil
    return dtype, shape, at
end

local function read_array(s, at)
    local dtype, shape, bytes
    dtype, shape, at = read_head(s, at)
    bytes, at = string.unpack("<s8", s, at)
    return core.frombytes(bytes, dtype, shape), at
end

-- An array that is sent separately.
local function read_large(s, at, take)
    local dtype, shape
    dtype, shape, at = read_head(s, at)
    return take(dtype, shape), at
end

local function read_column(s, at)
    local dtype, shape, bytes
    dtype, shape, at = read_head(s, at)
    bytes, at = string.unpack("<s8", s, at)
    local reader, _, rows = internal.arrow_open(bytes)
    local column = assert(internal.arrow_column(reader, 1, rows))
    return (dtype == "bf16" and column:cast "bf16" or column):reshape(table.unpack(shape)), at
end

local READERS = {
    L = read_large,
    Z = function(s, at, take)
        local lanes
        lanes, at = read(s, at, take)
        return internal.complex_of(lanes), at -- which shows what comes later
    end,
    n = function(_, at)
        return nil, at
    end,
    t = function(_, at)
        return true, at
    end,
    f = function(_, at)
        return false, at
    end,
    i = function(s, at)
        return string.unpack("<i8", s, at)
    end,
    d = function(s, at)
        return string.unpack("<d", s, at)
    end,
    s = function(s, at)
        return string.unpack("<s8", s, at)
    end,
    A = read_array,
    C = read_column,
    N = function(_, at)
        return core.na, at
    end,
    c = function(s, at)
        local re, im
        re, im, at = string.unpack("<dd", s, at)
        return core.complex(re, im), at
    end,
    R = function(s, at, take)
        local struct, arrays
        struct, at = read(s, at, take)
        arrays, at = read(s, at, take)
        return records.of_described(struct, arrays), at
    end,
    ["{"] = function(s, at, take)
        local t = {}
        while s:sub(at, at) ~= "}" do
            local key
            key, at = read(s, at, take)
            t[key], at = read(s, at, take)
        end
        return t, at + 1
    end,
}

function read(s, at, take)
    return READERS[s:sub(at, at)](s, at + 1, take)
end

-- The values of a string of pack.write, or of pack.split; take(dtype, shape) returns the next large array.
function pack.join(s, take)
    local count, at = string.unpack("<I4", s)
    count = count & ~SPLIT
    local values = { n = count }
    for k = 1, count do
        values[k], at = read(s, at, take)
    end
    return table.unpack(values, 1, count)
end
pack.read = pack.join

-- ---------------------------------------------------------------- kinds

-- The kind of a value, for agreements and errors: "f64[100]", "a number".
function pack.kind(x)
    if is_array(x) then
        local shape = { x:shape() }
        return #shape == 0 and "a number" or ("%s[%s]"):format(x:dtype(), table.concat(shape, ", "))
    elseif x == nil then
        return "nil"
    elseif records.struct_of(x) then
        return ("%s[%s]"):format(records.struct_of(x).name, table.concat({ x:shape() }, ", "))
    end
    return ("a %s"):format(type(x))
end

return pack
