-- The element types as files know them: name, bytes of one element, and the code of a .npy header.
-- Also the one way from a file's raw bytes to an array. Knows no file format.

local core = require "lunarray.core"

local dtypes = {}

dtypes.list = {
    { name = "bool", bytes = 1, npy = "b1" },
    { name = "i8", bytes = 1, npy = "i1" },
    { name = "u8", bytes = 1, npy = "u1" },
    { name = "i16", bytes = 2, npy = "i2" },
    { name = "u16", bytes = 2, npy = "u2" },
    { name = "i32", bytes = 4, npy = "i4" },
    { name = "u32", bytes = 4, npy = "u4" },
    { name = "i64", bytes = 8, npy = "i8" },
    { name = "u64", bytes = 8, npy = "u8" },
    { name = "f32", bytes = 4, npy = "f4" },
    { name = "f64", bytes = 8, npy = "f8" },
}

dtypes.by_name, dtypes.by_npy = {}, {}
local names = {}
for i, row in ipairs(dtypes.list) do
    dtypes.by_name[row.name] = row
    dtypes.by_npy[row.npy] = row
    names[i] = row.name
end
dtypes.names = table.concat(names, " ")

-- "f32[3, 4]", for messages.
function dtypes.describe(dtype, shape)
    return dtype .. "[" .. table.concat(shape, ", ") .. "]"
end

-- An array of `shape` (extents) from exactly as many little-endian bytes as it needs,
-- or nil, message, code.
function dtypes.array(bytes, dtype, shape)
    local bad = dtype == "bool" and bytes:find("[^\0\1]")
    if bad then
        local message = "element %d of a bool array is the byte %d, not 0 or 1"
        return nil, message:format(bad, bytes:byte(bad)), "format"
    end
    local ok, a = pcall(core.frombytes, bytes, dtype, shape)
    if not ok then
        if type(a) ~= "string" then
            error(a, 0) -- not about these bytes: an interrupt, a limit
        end
        local what = dtypes.describe(dtype, shape)
        return nil, ("cannot make %s: %s"):format(what, a), "unsupported"
    end
    return a
end

return dtypes
