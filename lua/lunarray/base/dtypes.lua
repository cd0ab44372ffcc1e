-- The element types as the engine's table has them: name, kind ("bool", "signed", "unsigned" or "float"),
-- bytes of one element, exponent and mantissa bits of a float, code in a .npy header (nil: it has none).
-- Also makes arrays of a file's raw bytes.

local core = require "lunarray.core"

local dtypes = {}

dtypes.list, dtypes.by_name, dtypes.by_npy = {}, {}, {}
local names, complex = {}, {}
for _, row in ipairs(core.internal.dtypes()) do
    local i = #dtypes.list + 1
    dtypes.by_name[row.name] = row
    if row.kind == "complex" then
        row.npy = "c" .. row.bytes
        row.part = row.bytes == 8 and "f32" or "f64"
        dtypes.by_npy[row.npy], complex[#complex + 1] = row, row.name
    elseif row.kind ~= "text" and row.kind ~= "time" then -- which are of arrays: kernels do not know them
        dtypes.list[i], names[i] = row, row.name
        if row.npy then
            dtypes.by_npy[row.npy] = row
        end
    end
end
dtypes.names = table.concat(names, " ") .. " " .. table.concat(complex, " ")

-- The array of a dtype and a shape that make(dtype, shape) gives, of complex numbers of their lanes: real numbers with
-- a last axis of the two parts. Or nil, message, code.
function dtypes.by_lanes(dtype, shape, make)
    local part = dtypes.by_name[dtype].part
    if not part then
        return make(dtype, shape)
    end
    local lanes = table.move(shape, 1, #shape, 1, {})
    lanes[#lanes + 1] = 2
    local a, message, code = make(part, lanes)
    if a == nil then
        return nil, message, code
    end
    return core.internal.complex_of(a)
end

function dtypes.is_float(dtype)
    return dtypes.by_name[dtype].kind == "float"
end

-- An array for computing in floats: as it is if its elements are floats of at least four bytes, else cast to f64.
function dtypes.floats(a)
    local row = dtypes.by_name[a:dtype()]
    return row.kind == "float" and row.bytes >= 4 and a or a:cast "f64"
end

-- Whether the dtype holds integers that Lua's do not: u64.
function dtypes.is_beyond_lua(dtype)
    local row = dtypes.by_name[dtype]
    return row.kind == "unsigned" and row.bytes == 8
end

-- The largest sample of an image of this dtype; nil: images are of bytes or pairs of bytes.
function dtypes.most_of_image(dtype)
    local row = dtypes.by_name[dtype]
    return row.kind == "unsigned" and row.bytes <= 2 and (1 << 8 * row.bytes) - 1 or nil
end

-- How many significant decimal digits distinguish any two elements of a float dtype.
function dtypes.digits(dtype)
    return math.ceil(1 + (dtypes.by_name[dtype].mantissa + 1) * math.log(2, 10))
end

-- "f32[3, 4]", for messages.
function dtypes.describe(dtype, shape)
    return dtype .. "[" .. table.concat(shape, ", ") .. "]"
end

-- An array of `shape` (extents) from exactly as many little-endian bytes as it needs,
-- or nil, message, code.
function dtypes.array(bytes, dtype, shape)
    local bad = dtypes.by_name[dtype].kind == "bool" and bytes:find("[^\0\1]")
    if bad then
        local message = "element %d of a bool array is the byte %d, not 0 or 1"
        return nil, message:format(bad, bytes:byte(bad)), "format"
    end
    local ok, a = pcall(core.frombytes, bytes, dtype, shape)
    if not ok then
        if type(a) ~= "string" then
            error(a, 0) -- not a fault of these bytes: an interrupt, a limit
        end
        local what = dtypes.describe(dtype, shape)
        return nil, ("cannot make %s: %s"):format(what, a), "unsupported"
    end
    return a
end

return dtypes
