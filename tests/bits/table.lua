-- Every operation, cast, reduction, scan and random number on special and random elements: a line for each case, its name and a
-- hash of the bits of the results. What computes is chosen by the environment; the lines are the same everywhere (table.sh).
-- usage: lunarray table.lua COUNT [CASE]    COUNT: random elements behind all pairs of 62 special ones; CASE: the bytes of that
--        case alone

local lun = lun or require "lunarray"
local COUNT, CASE = tonumber(arg[1]) or 2000, arg[2]

-- ---------------------------------------------------------------- elements

local special = { 0.0, 1.0, 2.0, 3.0, 0.5, 1.5, 0.1, 1 / 3, 2.5, 10.0, 7.25, 0.75, 1e-3, 100.0, 709.8, 745.2, 88.8, 104.0,
    1023.5, 1074.5, 0x1p-1074, 0x1p-1022, 0x1p-149, 0x1p-126, 0x1p-24, 0x1p52, 0x1p23, 0x1p31, 0x1p63, 1e300,
    math.huge }
local random = { 88172645463325252 } -- xorshift64

local function draw()
    local x = random[1]
    x = x ~ x << 13
    x = x ~ x >> 7
    x = x ~ x << 17
    random[1] = x
    return x
end

-- All pairs of the special elements and of their negatives, then random ones of all binades and near 1.
local function pairs_of_floats()
    local all, a, b = {}, {}, {}
    for _, x in ipairs(special) do
        all[#all + 1], all[#all + 2] = string.pack("<d", x), string.pack("<d", -x)
    end
    all[#all + 1] = string.pack("<I8", 0x7ff8000000000000)
    for _, x in ipairs(all) do
        for _, y in ipairs(all) do
            a[#a + 1], b[#b + 1] = x, y
        end
    end
    for _ = 1, COUNT do
        for _, to in ipairs { a, b } do
            local r = draw()
            if r & 0x7ff0000000000000 == 0x7ff0000000000000 then
                r = r & ~0x0008000000000000
            end
            to[#to + 1] = string.pack("<I8", draw() & 1 == 0 and r or r & ~0x7f00000000000000 | 0x3f00000000000000)
        end
    end
    return table.concat(a), table.concat(b)
end

local left, right = pairs_of_floats()
local N = #left // 8

-- Operands of a dtype: floats converted by the host, which has passed through no operation of the engine; integers by their bits.
local function operands(dtype)
    local size = ({ f64 = 8, i64 = 8, f32 = 4, i32 = 4, f16 = 2, bf16 = 2, u8 = 1, u64 = 8, i16 = 2 })[dtype]
    local function of(bytes)
        local parts = {}
        for i = 1, N do
            local x, bits = string.unpack("<d", bytes, 8 * i - 7), string.unpack("<i8", bytes, 8 * i - 7)
            if dtype == "f64" then
                return bytes
            elseif dtype == "f32" then
                parts[i] = x ~= x and string.pack("<I4", 0x7fc00000) or string.pack("<f", x)
            elseif dtype == "f16" then -- any bits: the upper ones of the f64 are of all binades too
                local h = bits >> 48 & 0xffff
                parts[i] = string.pack("<I2", h & 0x7fff > 0x7c00 and 0x7e00 or h)
            elseif dtype == "bf16" then
                local h = bits >> 47 & 0xffff
                parts[i] = string.pack("<I2", h & 0x7fff > 0x7f80 and 0x7fc0 or h)
            else
                parts[i] = string.pack("<i8", bits ~ bits >> 32):sub(1, size)
            end
        end
        return table.concat(parts)
    end
    local a, b = lun.frombytes(of(left), dtype), lun.frombytes(of(right), dtype)
    return a, b
end

-- ---------------------------------------------------------------- cases

local names, waiting = {}, {}

local function hash(bytes)
    local h, k = #bytes, 1
    for at = 1, #bytes - 63, 64 do
        local a, b, c, d, e, f, g, i = string.unpack("<i8i8i8i8i8i8i8i8", bytes, at)
        h = ((h ~ a) * 0x9e3779b97f4a7c15 ~ b) * 0x9e3779b97f4a7c15
        h = ((h ~ h >> 29 ~ c) * 0x9e3779b97f4a7c15 ~ d) * 0x9e3779b97f4a7c15
        h = ((h ~ h >> 29 ~ e) * 0x9e3779b97f4a7c15 ~ f) * 0x9e3779b97f4a7c15
        h = ((h ~ h >> 29 ~ g) * 0x9e3779b97f4a7c15 ~ i) * 0x9e3779b97f4a7c15
        k = at + 64
    end
    for at = k, #bytes do
        h = (h ~ bytes:byte(at)) * 0x100000001b3
    end
    return h ~ h >> 32
end

-- Evaluates what waits at once, which makes few kernels of it.
local function flush()
    lun.eval(table.unpack(waiting))
    for i, e in ipairs(waiting) do
        local bytes = e:tobytes()
        if CASE then
            io.write(bytes)
        else
            print(("%s %016x"):format(names[i], hash(bytes)))
        end
    end
    names, waiting = {}, {}
end

-- A case: what make() gives, an array; what is refused is no case.
local function case(name, make)
    if CASE and CASE ~= name then
        return
    end
    local well, e = pcall(make)
    if not well then
        if tostring(e):find "attempt to" then -- a mistake of this script
            error(name .. ": " .. tostring(e))
        end
        return
    end
    if type(e) == "number" or type(e) == "boolean" then
        e = lun.vector { e }
    end
    names[#names + 1], waiting[#waiting + 1] = name, e
    if #waiting == 24 then
        flush()
    end
end

local unary = [[neg abs sign floor ceil round trunc sqrt cbrt exp exp2 expm1 log log2 log10 log1p sin cos tan asin acos atan sinh cosh
    tanh asinh acosh atanh erf erfc cospi isnan isinf isfinite bnot]]
local binary = [[add sub mul div idiv mod pow band bor bxor shl shr lt le gt ge eq ne atan2 hypot copysign min max fmin fmax
    fillnan]]
local ternary = "fma clamp where"
local dtypes = { "f64", "f32", "f16", "bf16", "i64", "i32", "u8" }

for _, dtype in ipairs(dtypes) do
    local a, b = operands(dtype)
    local c = b:flip()
    local divisor = dtype:find "f" and b or lun.bor(b, 1)
    for name in unary:gmatch "%S+" do
        case(name .. " " .. dtype, function() return lun[name](a) end)
    end
    for name in binary:gmatch "%S+" do
        case(name .. " " .. dtype, function() return lun[name](a, (name == "idiv" or name == "mod") and divisor or b) end)
    end
    for name in ternary:gmatch "%S+" do
        case(name .. " " .. dtype, function() return lun[name](name == "where" and a:lt(b) or a, b, c) end)
    end
    -- Values that are not stored between two operations.
    case("copysign of mod " .. dtype, function() return lun.copysign(1, a % divisor) end)
    case("min of quotients " .. dtype, function() return lun.min(a / b, b / c) end)
    case("where of sums " .. dtype, function() return lun.where(a:lt(b), a + b, c) end)
    case("abs of difference " .. dtype, function() return lun.abs(a - b) * c end)
    for _, to in ipairs { "f64", "f32", "f16", "bf16", "i64", "i32", "i16", "u8", "u64", "bool" } do
        case(("cast %s to %s"):format(dtype, to), function() return a:cast(to) end)
    end
    for _, name in ipairs { "sum", "prod", "min", "max", "mean", "var", "std", "norm", "argmin", "argmax" } do
        for _, n in ipairs { 1, 63, 700, N } do
            case(("%s of %d %s"):format(name, n, dtype), function()
                local v = a:sub(1, n)[name](a:sub(1, n))
                return type(v) == "number" and lun.vector({ v }, math.type(v) == "integer" and "i64" or "f64") or v
            end)
        end
        for axis = 1, 2 do
            case(("%s along axis %d %s"):format(name, axis, dtype), function()
                local m = a:sub(1, 60 * 64):reshape(60, 64)
                return m[name](m, { axis = axis })
            end)
        end
    end
    for _, op in ipairs { "+", "*", "min", "max" } do
        case(("scan by %s %s"):format(op, dtype), function() return lun.scan(op, op == "*" and 1 or 0)(a) end)
    end
    for _, name in ipairs { "sort", "unique" } do
        case(name .. " " .. dtype, function() return (a[name](a)) end)
    end
    for _, dist in ipairs { "uniform", "normal", "exponential" } do
        case(("random %s %s"):format(dist, dtype), function()
            return lun.random(N, { seed = 7, dist = dist, dtype = dtype })
        end)
    end
end
flush()
