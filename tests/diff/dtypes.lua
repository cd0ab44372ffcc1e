-- The dtypes as the difference tests see them, a row for each written by hand: width, range, rounding, the bytes of
-- an element; and the common dtypes. Nothing here is asked of the engine; tables_spec.lua
-- compares the list with the engine's.

local libm = require "libm"

local dtypes = {}

-- name, kind, bits, string.pack's format ("i8" for u64 too: its elements are Lua integers of 64 bits); of
-- floats the bits of exponent and mantissa, and of those that are stored alone the dtype they are computed in
local rows = {
    { "bool", "bool", 8, "B" },
    { "i8", "signed", 8, "i1" },
    { "u8", "unsigned", 8, "I1" },
    { "i16", "signed", 16, "i2" },
    { "u16", "unsigned", 16, "I2" },
    { "i32", "signed", 32, "i4" },
    { "u32", "unsigned", 32, "I4" },
    { "i64", "signed", 64, "i8" },
    { "u64", "unsigned", 64, "i8" },
    { "f32", "float", 32, "f", 8, 23 },
    { "f64", "float", 64, "d", 11, 52 },
    { "f16", "float", 16, "I2", 5, 10, "f32" },
    { "bf16", "float", 16, "I2", 8, 7, "f32" },
}

dtypes.list = {}

-- The integer cut to the dtype's width, as its elements come back.
local function wrapping(bits, signed)
    if bits == 64 then
        return function(x)
            return x
        end
    end
    local mask, top = (1 << bits) - 1, 1 << (bits - 1)
    return function(x)
        x = x & mask
        return signed and x >= top and x - mask - 1 or x
    end
end

for i, row in ipairs(rows) do
    local t = { name = row[1], kind = row[2], bits = row[3], format = row[4], size = row[3] // 8 }
    t.is_float = t.kind == "float"
    if t.is_float then
        t.exponent, t.mantissa, t.wide = row[5], row[6], dtypes[row[7]]
        t.greatest = 2 ^ (t.exponent - 1) - 1 -- exponent of the largest numbers, and of the smallest normal one
        t.least = 1 - t.greatest
    end
    t.is_integer = t.kind == "signed" or t.kind == "unsigned"
    t.is_wide = t.name == "u64" -- elements beyond 2^63 look negative
    if t.is_integer then
        t.wrap = wrapping(t.bits, t.kind == "signed")
        t.mask = t.bits == 64 and -1 or (1 << t.bits) - 1
        t.low = t.kind == "signed" and -(1 << (t.bits - 1)) or 0
        t.high = t.kind == "signed" and (1 << (t.bits - 1)) - 1 or t.mask
    end
    dtypes.list[i] = t
    dtypes[t.name] = t
end

-- A float rounded to the dtype.
function dtypes.f64.round(x)
    return x
end

function dtypes.f32.round(x)
    return (string.unpack("f", string.pack("f", x)))
end

-- A float of few bits by the definition: a whole number of the last places that its size has, halves to even.
local function round_to(t)
    return function(x)
        local size = math.abs(x)
        if x ~= x or size == math.huge or size == 0 then
            return x
        end
        local exponent = math.max((string.unpack("i8", string.pack("d", size)) >> 52) - 1023, t.least)
        local place = 2.0 ^ (exponent - t.mantissa)
        local whole, part = math.modf(size / place)
        if part > 0.5 or part == 0.5 and whole % 2 == 1 then
            whole = whole + 1
        end
        size = whole * place
        if size >= 2.0 ^ (t.greatest + 1) then
            size = math.huge
        end
        return libm.copysign(size, x)
    end
end

-- The bits of a rounded element, and the element of such bits; every NaN is the quiet one.
local function encode(t)
    local sign, all = 1 << (t.exponent + t.mantissa), (1 << t.exponent) - 1
    return function(x)
        local size, top = math.abs(x), libm.copysign(1, x) < 0 and sign or 0
        if x ~= x then
            return top | all << t.mantissa | 1 << (t.mantissa - 1)
        elseif size == math.huge then
            return top | all << t.mantissa
        end
        local exponent = math.max((string.unpack("i8", string.pack("d", size)) >> 52) - 1023, t.least)
        local places = math.tointeger(size / 2.0 ^ (exponent - t.mantissa))
        return top | (exponent - t.least << t.mantissa) + places
    end
end

local function decode(t)
    local sign, all = 1 << (t.exponent + t.mantissa), (1 << t.exponent) - 1
    return function(bits)
        local exponent, places = bits >> t.mantissa & all, bits & (1 << t.mantissa) - 1
        local size
        if exponent == all then
            size = places == 0 and math.huge or 0.0 / 0.0
        elseif exponent == 0 then
            size = places * 2.0 ^ (t.least - t.mantissa)
        else
            size = (places + (1 << t.mantissa)) * 2.0 ^ (exponent - 1 + t.least - t.mantissa)
        end
        return bits & sign ~= 0 and -size or size
    end
end

for _, t in ipairs(dtypes.list) do
    if t.wide then
        t.round, t.encode, t.decode = round_to(t), encode(t), decode(t)
    end
end

-- ---------------------------------------------------------------- promotion

-- The dtype in which integers of two dtypes meet: SPEC section 3, row by row.
local common = {
    --       bool    i8     u8     i16    u16    i32    u32    i64    u64
    bool = { "bool", "i8",  "u8",  "i16", "u16", "i32", "u32", "i64", "u64" },
    i8 =   { "i8",   "i8",  "i16", "i16", "i32", "i32", "i64", "i64", "none" },
    u8 =   { "u8",   "i16", "u8",  "i16", "u16", "i32", "u32", "i64", "u64" },
    i16 =  { "i16",  "i16", "i16", "i16", "i32", "i32", "i64", "i64", "none" },
    u16 =  { "u16",  "i32", "u16", "i32", "u16", "i32", "u32", "i64", "u64" },
    i32 =  { "i32",  "i32", "i32", "i32", "i32", "i32", "i64", "i64", "none" },
    u32 =  { "u32",  "i64", "u32", "i64", "u32", "i64", "u32", "i64", "u64" },
    i64 =  { "i64",  "i64", "i64", "i64", "i64", "i64", "i64", "i64", "none" },
    u64 =  { "u64",  "none", "u64", "none", "u64", "none", "u64", "none", "u64" },
}
local column = {}
for i, row in ipairs(rows) do
    column[row[1]] = i
end

-- The float of the fewest bits whose exponents and mantissas include those of both.
local function common_float(a, b)
    local best
    for _, t in ipairs(dtypes.list) do
        local holds = t.is_float and t.exponent >= math.max(a.exponent, b.exponent)
            and t.mantissa >= math.max(a.mantissa, b.mantissa)
        if holds and (not best or t.bits < best.bits) then
            best = t
        end
    end
    return best
end

-- What u64 and a signed integer meet in.
dtypes.none = { name = "none", kind = "none" }

function dtypes.common(a, b)
    if a.is_float and b.is_float then
        return common_float(a, b)
    elseif a.is_float or b.is_float then
        return a.is_float and a or b
    elseif a == dtypes.none or b == dtypes.none then
        return dtypes.none
    end
    return dtypes[common[a.name][column[b.name]]]
end

-- The same for an array and a Lua number (or boolean), which takes the array's dtype where it can.
function dtypes.with_number(t, x)
    if t.is_float then
        return t
    elseif math.type(x) == "float" then
        return dtypes.f64
    end
    return t.kind == "bool" and type(x) ~= "boolean" and dtypes.i64 or t
end

-- ---------------------------------------------------------------- conversion

-- The float x, truncated, within the range of the integer dtype.
local function truncated(x, t)
    if x ~= x then
        return 0
    elseif t.is_wide then
        if x < 1 then
            return 0
        elseif x >= 2.0 ^ 64 then
            return -1
        elseif x >= 2.0 ^ 63 then
            return math.tointeger(x - 2.0 ^ 63) | math.mininteger
        end
    elseif x <= t.low then
        return t.low
    elseif x >= t.high then
        return t.high
    end
    return math.tointeger(x < 0 and math.ceil(x) or math.floor(x))
end

-- An integer as a float that lies between the same floats of few bits: the low bits of a large one become one bit.
local function few_bits(x, is_wide)
    if not is_wide and math.abs(x) < 1 << 53 and x ~= math.mininteger then
        return x + 0.0
    elseif is_wide and math.ult(x, 1 << 53) then
        return x + 0.0
    end
    local negative = not is_wide and x < 0
    x = negative and -x or x
    x = x >> 12 << 1 | (x & 0xfff ~= 0 and 1 or 0)
    return (negative and -x or x) * 2.0 ^ 11
end

local nan = libm.fabs(0.0 / 0.0)

-- What an operation gives: of NaNs the one that is positive.
function dtypes.computed(x)
    return x ~= x and nan or x
end

-- One element of dtype `from` as an element of dtype `to`.
function dtypes.convert(x, from, to)
    if from == to then
        return x
    elseif to.kind == "bool" then
        if from.kind == "bool" then
            return x
        end
        return x ~= 0
    end
    if from.kind == "bool" then
        x = x and 1 or 0
    end
    if from.is_float then
        return to.is_float and dtypes.computed(to.round(x)) or truncated(x, to)
    elseif to.wide then
        return to.round(few_bits(x, from.is_wide))
    elseif to.is_float then
        return libm.float(to.name, x, from.is_wide)
    end
    return to.wrap(x)
end

-- A Lua number or boolean as an element of dtype t, which it fits.
function dtypes.number(x, t)
    if math.type(x) == "integer" then
        return dtypes.convert(x, dtypes.i64, t)
    elseif math.type(x) == "float" then
        return dtypes.convert(dtypes.computed(x), dtypes.f64, t)
    end
    return dtypes.convert(x, dtypes.bool, t)
end

-- ---------------------------------------------------------------- bytes

local BATCH = 128

-- A list of elements as the bytes of an array.
function dtypes.pack(t, list)
    local parts = {}
    for i, x in ipairs(list) do
        if t.kind == "bool" then
            x = x and 1 or 0
        end
        parts[i] = string.pack(t.format, t.encode and t.encode(x) or x)
    end
    return table.concat(parts)
end

function dtypes.unpack(t, bytes)
    local list, format = {}, t.format:rep(BATCH)
    local count = #bytes // t.size
    local at = 1
    while #list < count do
        local left = count - #list
        local batch = left < BATCH and t.format:rep(left) or format
        local part = { string.unpack(batch, bytes, at) }
        at = part[#part]
        table.move(part, 1, #part - 1, #list + 1, list)
    end
    if t.decode then
        for i, x in ipairs(list) do
            list[i] = t.decode(x)
        end
    elseif t.kind == "bool" then
        for i, x in ipairs(list) do
            list[i] = x == 1 or (x ~= 0 and x) -- another byte than 0 and 1 equals neither
        end
    end
    return list
end

return dtypes
