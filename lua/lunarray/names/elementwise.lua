-- Names of elementwise functions, as expressions of the operations: arrays broadcast, numbers take the dtype of arrays,
-- and numbers alone give a number.

local call = require "lunarray.names.call"
local core = require "lunarray.core"
local dtypes = require "lunarray.base.dtypes"

local rows, row = call.rows "Elementwise"
local bad, where = call.bad, core.where

-- A function of `operands` arrays or numbers and of what follows them; of numbers alone it works on Vectors of one
-- element, so that they get the same bits.
local function elementwise(operands, f)
    local function numbers(first, ...)
        local results = table.pack(f(first, ...))
        for k = 1, results.n do
            results[k] = results[k][1]
        end
        return table.unpack(results, 1, results.n)
    end
    return function(...)
        local x = table.pack(...)
        local arrays = false
        for k = 1, operands do
            if core.isarray(x[k]) then
                x[k]:dtype() -- fails if it is freed
                arrays = true
            elseif not (math.type(x[k]) or type(x[k]) == "boolean" or x[k] ~= nil and core.iscomplex(x[k])) then
                call.array(x[k], k, "array or number")
            end
        end
        if arrays then
            call.common_shape(x, operands)
            return f(...)
        end
        for k = 1, operands do
            x[k] = type(x[k]) == "boolean" and core.full(1, x[k] and 1 or 0, "bool") or core.full(1, x[k])
        end
        return numbers(table.unpack(x, 1, math.max(x.n, operands)))
    end
end

-- A row of one to three operands without options: the form of the call has them.
local function op(name, form, text, example, gives, f)
    local _, operands = form:match "%((.-)%)":gsub("%a", "")
    local checked = elementwise(operands + 1, f)
    local described = { checked, function(a) return checked(a) end, function(a, b) return checked(a, b) end }
    row(name, form, text, example, gives, described[operands + 2])
end

-- The dtype that two operands have in common, of which numbers take the array's.
local function common(a, b)
    return where(core.full(1, 1, "bool"), a, b):dtype()
end

local function is_float(dtype)
    return dtypes.is_float(dtype)
end

-- Integers and bool as f64, floats as they are.
local function floating(x)
    return core.isarray(x) and (core.iscomplex(x) and x or call.floating(x)) or x + 0.0
end

local function integers(a, k)
    local kind = core.isarray(a) and dtypes.by_name[a:dtype()].kind or math.type(a)
    if kind ~= "signed" and kind ~= "unsigned" and kind ~= "integer" then
        bad(k, "integers expected, got %s", core.isarray(a) and a:dtype() or tostring(a))
    end
    return a
end

-- ---------------------------------------------------------------- parts of numbers

op("square", "a:square()", "a * a", "lun.vector{2, 3}:square()", "{4, 9}", function(a) return a * a end)
op("reciprocal", "a:reciprocal()", "1 / a, a float", "lun.vector{2, 4}:reciprocal()", "{0.5, 0.25}",
    function(a) return 1 / a end)

op("rint", "a:rint()", "the nearest whole number, halves to the even one; the dtype is kept",
    "lun.vector{0.5, 1.5, 2.6}:rint()", "{0.0, 2.0, 3.0}",
    (function()
        local function rint(a)
            if core.iscomplex(a) then
                return core.complex(rint(a:real()), rint(a:imag()))
            elseif not call.is_float(a) then
                return a
            end
            return where((a - a:trunc()):abs():eq(0.5), (a / 2):round() * 2, a:round())
        end
        return rint
    end)())

op("modf", "a:modf()", "two: the part behind the point and the whole part, both with a's sign, floats",
    "lun.vector{1.5, -2.25}:modf()", "{0.5, -0.25}, {1.0, -2.0}",
    function(a)
        a = call.floating(a)
        local whole = a:trunc()
        return core.copysign(where(a:isinf(), 0.0, a - whole), a), whole
    end)

op("signbit", "a:signbit()", "whether the sign is set: negative numbers, -0.0", "lun.vector{-1.0, 2.0}:signbit()",
    "{true, false}",
    function(a)
        return call.is_float(a) and core.copysign(1.0, a):lt(0) or a:lt(0)
    end)

op("fmod", "a:fmod(b)", "the remainder of a / b rounded to zero, as C has it: the sign is a's",
    "lun.vector{-7, 7}:fmod(3)", "{-1, 1}",
    function(a, b)
        if is_float(common(a, b)) then
            a, b = floating(a), floating(b)
            return core.copysign(core.abs(a) % core.abs(b), a)
        end
        local r = a % b
        return where(core.land(core.ne(r, 0), core.ne(core.lt(a, 0), core.lt(b, 0))), r - b, r)
    end)

-- a times 2^k, rounded once: the last factor alone may leave the range.
local function scaled(a, k)
    local narrow = a:dtype() ~= "f64" and a:dtype()
    a, k = a:cast "f64", core.isarray(k) and k:cast "f64" or k + 0.0
    k = core.clamp(k, -2200, 2200)
    local last = core.clamp(k, -1000, 1000)
    local rest = k - last
    local middle = core.clamp(rest, -1000, 1000)
    a = a * core.exp2(rest - middle) * core.exp2(middle) * core.exp2(last)
    return narrow and a:cast(narrow) or a
end

op("ldexp", "a:ldexp(k)", "a * 2^k, rounded once; k: integers", "lun.vector{1.5, 3.0}:ldexp(2)", "{6.0, 12.0}",
    function(a, k)
        integers(k, 2)
        if not core.isarray(a) then
            a = core.full(1, a + 0.0)
        end
        return scaled(call.floating(a), k)
    end)

op("frexp", "a:frexp()",
    "two: m from 0.5 on and below 1, with a's sign, and e, i32, such that a = m * 2^e; of 0, NaN and\n"
        .. "infinities a and 0",
    "lun.vector{6.0, 0.25}:frexp()", "{0.75, 0.5}, {3, -1}",
    function(a)
        a = call.floating(a)
        local dtype = a:dtype()
        local x = a:cast "f64"
        local plain = core.land(x:ne(0), x:isfinite())
        local y = where(plain, x, 1.0)
        local small = y:abs():lt(2.0 ^ -1000)
        y = where(small, y * 2.0 ^ 100, y)
        local e = y:abs():log2():floor() + 1
        local m = scaled(y, -e)
        e = where(m:abs():ge(1), e + 1, where(m:abs():lt(0.5), e - 1, e))
        m = scaled(y, -e)
        e = where(small, e - 100, e)
        return where(plain, m, x):cast(dtype), where(plain, e, 0):cast "i32"
    end)

-- Numbers in f64, of which floats of a dtype have so many digits and are multiples of 2^least: the distance to the
-- neighbour on the side of 0, or on the other.
local function distance(x, outwards, digits, least)
    local m, e = x:frexp()
    local inwards = core.land(m:abs():eq(0.5), core.lnot(outwards))
    return scaled(core.copysign(1.0, x):abs(), core.max(where(inwards, e - 1, e) - digits, least))
end

op("nextafter", "a:nextafter(b)", "the next float of the dtype after a towards b; b where they are equal",
    "lun.vector{1.0, 0.0}:nextafter(2.0):gt(lun.vector{1.0, 0.0})", "{true, true}",
    function(a, b)
        local dtype = floating(where(core.full(1, 1, "bool"), a, b)):dtype()
        local float = dtypes.by_name[dtype]
        local top = (1 << float.exponent - 1) - 1
        local least, most = 1 - top - float.mantissa, (2.0 - 2.0 ^ -float.mantissa) * 2.0 ^ top
        local x = core.isarray(a) and a:cast(dtype):cast "f64" or core.full(1, a + 0.0)
        local y = core.isarray(b) and b:cast(dtype):cast "f64" or b + 0.0
        local outwards = core.eq(core.gt(y, x), x:gt(0))
        local by = distance(where(x:isfinite(), x, 1.0), outwards, float.mantissa + 1, least)
        local near = where(core.gt(y, x), x + by, x - by)
        near = where(x:eq(0), core.copysign(2.0 ^ least, y), where(near:eq(0), core.copysign(0.0, x), near))
        near = where(x:isinf(), core.copysign(most, x), near)
        near = where(core.eq(x, y), y, near)
        return where(core.lor(x:isnan(), core.isnan(y)), 0 / 0, near):cast(dtype)
    end)

-- ---------------------------------------------------------------- bits of integers

-- How many bits are set, of u64 below 2^bits.
local function set_bits(x)
    x = x - ((x >> 1) & 0x5555555555555555)
    x = (x & 0x3333333333333333) + ((x >> 2) & 0x3333333333333333)
    x = (x + (x >> 4)) & 0x0f0f0f0f0f0f0f0f
    return (x * 0x0101010101010101) >> 56
end

-- The bits of integers as u64, and how many each has.
local function bits_of(a)
    local known = dtypes.by_name[integers(a, 1):dtype()]
    return a:cast("u" .. 8 * known.bytes):cast "u64", 8 * known.bytes
end

op("popcount", "a:popcount()", "how many bits of each integer are set", "lun.vector{7, 8}:popcount()", "{3, 1}",
    function(a) return set_bits((bits_of(a))):cast(a:dtype()) end)

-- The bit of element 1 to 8 of a byte, from 0.
local function shifts_of(options, argument)
    local known = call.options(options, argument, "bitorder")
    local little = known.bitorder ~= nil and call.word(known.bitorder, argument, "big little", "bitorder") == "little"
    local shifts = {}
    for k = 1, 8 do
        shifts[k] = little and k - 1 or 8 - k
    end
    return shifts
end

row("packbits", 'm:packbits([{bitorder="big"}])',
    "eight elements of a mask in a byte, in flat order, the first one in its highest bit, with little in its\n"
        .. "lowest: a u8 Vector of an eighth of the elements; what is not 0 is true, bits behind the last element 0",
    "lun.vector{true, false, true}:packbits()", "{160}",
    function(m, options)
        call.array(m, 1)
        local shifts, n = shifts_of(options, 2), m:size()
        local flat = m:reshape(n)
        flat = m:dtype() == "bool" and flat or flat:ne(0)
        if n % 8 ~= 0 then
            flat = flat:pad({ { 0, -n % 8 } }, false)
        end
        local eights, byte = flat:cast("u8"):reshape((n + 7) // 8, 8), nil
        for k = 1, 8 do
            local bit = eights:col(k) << shifts[k]
            byte = byte and byte | bit or bit
        end
        return byte
    end)

row("unpackbits", 'p:unpackbits([n] [, {bitorder="big"}])',
    "the first n bits of bytes, all of them by default, as a mask: what packbits has packed",
    "lun.vector({160}, 'u8'):unpackbits(3)", "{true, false, true}",
    function(p, n, options)
        call.of_rank(p, 1, 1)
        local weights = {}
        if type(n) == "table" and options == nil then
            n, options = nil, n
        end
        for k, shift in ipairs(shifts_of(options, 3)) do
            weights[k] = 1 << shift
        end
        if p:dtype() ~= "u8" then
            bad(1, "a Vector of u8 expected, got %s", call.described(p))
        end
        local all = 8 * #p
        n = n == nil and all or call.whole(n, 2, 0, all, "number of bits")
        local bits = (p:reshape(#p, 1) & core.vector({ weights }, "u8")):ne(0):reshape(all)
        return n < all and bits:sub(1, n) or bits
    end)

op("clz", "a:clz()", "how many zero bits stand above the highest one that is set; of 0 all bits of the dtype",
    "lun.vector({1, 128}, 'u8'):clz()", "{7, 0}",
    function(a)
        local x, width = bits_of(a)
        for k = 0, 5 do
            x = x | (x >> (1 << k))
        end
        return (core.full(1, width, "u64") - set_bits(x)):cast(a:dtype())
    end)

op("ctz", "a:ctz()", "how many zero bits stand below the lowest one that is set; of 0 all bits of the dtype",
    "lun.vector{1, 8}:ctz()", "{0, 3}",
    function(a)
        local x, width = bits_of(a)
        return where(x:eq(0), width, set_bits(~x & (x - 1))):cast(a:dtype())
    end)

op("sar", "a:sar(k)", "shift right by k that keeps the sign, as of two's complement; a negative count shifts left",
    "lun.vector{-8, 8}:sar(2)", "{-2, 2}",
    function(a, k)
        integers(a, 1)
        integers(k, 2)
        local kept = where(core.lt(a, 0), ~(~a >> k), a >> k)
        return where(core.lt(k, 0), a >> k, kept)
    end)

-- ---------------------------------------------------------------- integers

-- b beside a: both in the integer dtype that they have in common.
local function both_integers(a, b)
    integers(a, 1)
    integers(b, 2)
    local dtype = common(a, b)
    local function as(x, other)
        if core.isarray(x) then
            return x:cast(dtype)
        end
        local one = core.full(1, x, dtype)
        return core.isarray(other) and call.rank(other) == 0 and one:lazy "max" or one
    end
    return as(a, b), as(b, a), dtype
end

local function euclid(a, b)
    while b ~= 0 do
        a, b = b, a % b
    end
    return a < 0 and -a or a
end

-- The greatest common divisor of two arrays of one dtype.
local function divisor(a, b, dtype)
    if dtype == "u64" then -- Lua's integers are signed
        local most = core.max(a, b)
        if most:size() > 0 and (most >> 63):max() ~= 0 then
            bad(1, "an element is 2^63 or more")
        end
        a, b = a:cast "i64", b:cast "i64"
    end
    return core.zip(euclid)(a:cast "i64", b:cast "i64"):cast(dtype)
end

op("gcd", "a:gcd(b)", "the greatest common divisor of integers, not negative; of 0 and 0 it is 0",
    "lun.vector{12, 7}:gcd(8)",
    "{4, 1}",
    function(a, b)
        return divisor(both_integers(a, b))
    end)

op("lcm", "a:lcm(b)", "the least common multiple of integers, not negative, which wraps; beside 0 it is 0",
    "lun.vector{4, 6}:lcm(6)", "{12, 6}",
    function(a, b)
        local x, y, dtype = both_integers(a, b)
        local g = divisor(x, y, dtype)
        return ((x // where(g:eq(0), 1, g)) * y):abs()
    end)

op("ipow", "a:ipow(k)",
    "a to the whole power k, exact, in the integers' dtype, which wraps; k: integers, not negative (^ gives floats)",
    "lun.vector{2, 3}:ipow(3)", "{8, 27}",
    function(a, k)
        local x, y, dtype = both_integers(a, k)
        local most = 0
        if y:size() > 0 then
            local least
            least, most = core.eval(y:lazy "min", y:lazy "max")
            if least < 0 and dtype ~= "u64" then
                bad(2, "the exponent %d is negative: a ^ k gives floats", least)
            end
        end
        local result = where((y & 1):ne(0), x, 1)
        local bit = 1
        while bit < 64 and (most < 0 or most >> bit > 0) do
            x = x * x
            result = where(((y >> bit) & 1):ne(0), result * x, result)
            bit = bit + 1
        end
        return result
    end)

op("lxor", "a:lxor(b)", "whether one of the two is true, not both", "lun.vector{0, 1, 1}:lxor(lun.vector{0, 0, 1})",
    "{false, true, false}",
    function(a, b)
        local function truth(x)
            return core.isarray(x) and x:ne(0) or core.full(1, x ~= 0 and x and 1 or 0, "bool")
        end
        return truth(a):ne(truth(b))
    end)

-- ---------------------------------------------------------------- functions of floats

op("logaddexp", "a:logaddexp(b)", "log(exp(a) + exp(b)) without the overflow of exp",
    "lun.vector{0.0, 1000.0}:logaddexp(-800.0)",
    "{0.0, 1000.0}",
    function(a, b)
        a, b = floating(a), floating(b)
        return where(core.eq(a, b), a + math.log(2), core.max(a, b) + core.log1p(core.exp(-core.abs(a - b))))
    end)

op("heaviside", "a:heaviside(b)", "0 where a < 0, b where a is 0, else 1; floats",
    "lun.vector{-1.0, 0.0, 2.0}:heaviside(0.5)",
    "{0.0, 0.5, 1.0}",
    function(a, b)
        a, b = floating(a), floating(b)
        local dtype = common(a, b)
        return where(core.isnan(a), a, where(core.lt(a, 0), 0.0, where(core.eq(a, 0), b, 1.0))):cast(dtype)
    end)

op("deg2rad", "a:deg2rad()", "degrees as radians", "lun.vector{180.0}:deg2rad():eq(math.pi)", "{true}",
    function(a) return floating(a) * (math.pi / 180) end)
op("rad2deg", "a:rad2deg()", "radians as degrees", "lun.vector{math.pi}:rad2deg()", "{180.0}",
    function(a) return floating(a) * (180 / math.pi) end)

-- x less the nearest even number, from -1 to 1: exact.
local function within_turn(x)
    return x - (x / 2):round() * 2
end

op("sinpi", "a:sinpi()", "sin(pi * a), exact where a is a multiple of 1/2", "lun.vector{0.5, 1.0, -0.5}:sinpi()",
    "{1.0, 0.0, -1.0}",
    function(a)
        a = call.floating(a)
        local x = within_turn(a)
        local y = where(x:abs():gt(0.5), core.copysign(1 - x:abs(), x), x)
        local half = y:abs()
        local s = where(half:gt(0.25), core.cos((0.5 - half) * math.pi), core.sin(half * math.pi))
        return core.copysign(s, where(y:eq(0), a, y))
    end)

op("sinc", "a:sinc()", "sin(pi * a) / (pi * a), 1 at 0", "lun.vector{0.0, 1.0, 0.5}:sinc():round()", "{1.0, 0.0, 1.0}",
    function(a)
        a = call.floating(a)
        local x = where(a:eq(0), 1.0, a)
        return where(a:eq(0), 1.0, where(a:isinf(), 0.0, rows.sinpi(x) / (x * math.pi)))
    end)

op("expit", "a:expit()", "1 / (1 + exp(-a))", "lun.vector{0.0}:expit()", "{0.5}",
    function(a) return 1 / (1 + core.exp(-call.floating(a))) end)

op("logit", "a:logit()", "log(a / (1 - a)), the inverse of expit", "lun.vector{0.5}:logit()", "{0.0}",
    function(a)
        a = call.floating(a)
        local near = core.land(a:gt(0.3), a:lt(0.65))
        local s = 2 * (a - 0.5)
        return where(near, core.log1p(s) - core.log1p(-s), core.log(a / (1 - a)))
    end)

op("softplus", "a:softplus()", "log(1 + exp(a)) without the overflow of exp",
    "lun.vector{0.0, 800.0}:softplus():gt(0.69)",
    "{true, true}",
    function(a)
        a = call.floating(a)
        return core.max(a, 0.0) + core.log1p(core.exp(-a:abs()))
    end)

op("minimum", "a:minimum(b)", "the smaller one, NaN beside NaN: a:min(b)", "lun.vector{1, 5}:minimum(3)", "{1, 3}",
    function(a, b) return core.min(a, b) end)
op("maximum", "a:maximum(b)", "the larger one, NaN beside NaN: a:max(b)", "lun.vector{1, 5}:maximum(3)", "{3, 5}",
    function(a, b) return core.max(a, b) end)

row("clip", "a:clip(lo, hi)", "lo where a is below, hi where it is above: a:clamp; nil: no limit",
    "lun.vector{1, 5, 9}:clip(2, nil)",
    "{2, 5, 9}",
    (function()
        local function clip(a, lo, hi)
            a = lo ~= nil and core.max(a, lo) or a
            return hi ~= nil and core.min(a, hi) or a
        end
        local of_one, of_several = elementwise(1, clip), elementwise(3, clip)
        local of_low = elementwise(2, clip)
        local of_high = elementwise(2, function(a, hi) return core.min(a, hi) end)
        return function(a, lo, hi)
            for k, limit in pairs { [2] = lo, [3] = hi } do
                if not core.isarray(limit) then
                    call.number(limit, k)
                end
            end
            if core.isarray(lo) or core.isarray(hi) then
                if lo == nil then
                    return of_high(a, hi)
                end
                return hi == nil and of_low(a, lo) or of_several(a, lo, hi)
            end
            return of_one(a, lo, hi)
        end
    end)())

row("nan_to_num", "a:nan_to_num([{nan=0, posinf=, neginf=}])",
    "numbers for NaN and infinities, for these by default the largest and the smallest of the dtype, in complex\n"
        .. "numbers of each part",
    "lun.vector{1.0, 0 / 0}:nan_to_num()", "{1.0, 0.0}",
    (function()
        local replaced = elementwise(1, function(a, nan, above, below)
            if not call.is_float(a) then
                return a
            end
            local known = dtypes.by_name[a:dtype()]
            local most = (2.0 - 2.0 ^ -known.mantissa) * 2.0 ^ ((1 << known.exponent - 1) - 1)
            a = where(a:eq(math.huge), above or most, where(a:eq(-math.huge), below or -most, a))
            return a:fillnan(nan or 0)
        end)
        return function(a, options)
            options = call.options(options, 2, "nan posinf neginf")
            for _, x in pairs(options) do
                call.number(x, 2)
            end
            local nan, above, below = options.nan, options.posinf, options.neginf
            if core.isarray(a) and core.iscomplex(a) then
                return core.complex(replaced(a:real(), nan, above, below), replaced(a:imag(), nan, above, below))
            end
            return replaced(a, nan, above, below)
        end
    end)())

-- ---------------------------------------------------------------- comparisons

-- Whether |a - b| is within atol + rtol * |b|, infinities of one sign are close.
local close = elementwise(2, function(a, b, options)
    a, b = floating(a), floating(b)
    local near = core.le(core.abs(a - b), (options.atol or 1e-8) + core.abs(b) * (options.rtol or 1e-5))
    local result = core.lor(core.eq(a, b), core.land(near, core.isfinite(b)))
    return options.equal_nan and core.lor(result, core.land(core.isnan(a), core.isnan(b))) or result
end)

local function tolerances(options)
    options = call.options(options, 3, "rtol atol equal_nan")
    for _, name in ipairs { "rtol", "atol" } do
        if options[name] ~= nil then
            call.number(options[name], 3)
        end
    end
    return options
end

row("isclose", "a:isclose(b [, {rtol=1e-5, atol=1e-8, equal_nan=false}])",
    "where |a - b| is at most atol + rtol * |b|, or both are the same infinity; equal_nan: or both are NaN",
    "lun.vector{1.0, 2.0}:isclose(1.000001)", "{true, false}",
    function(a, b, options) return close(a, b, tolerances(options)) end)

row("allclose", "a:allclose(b [, {rtol=1e-5, atol=1e-8, equal_nan=false}])", "whether isclose holds of all elements",
    "lun.vector{1.0, 2.0}:allclose(lun.vector{1.0, 2.000001})", "true",
    function(a, b, options)
        local result = close(a, b, tolerances(options))
        if core.isarray(result) then
            return result:all()
        end
        return result
    end)

-- What dtypes beside numbers are compared with: their own kind alone.
local KIND = { text = "text", date = "time", timestamp = "time", duration = "duration" }

local function may_be_nan(a)
    return call.is_float(a) or core.iscomplex(a)
end

row("equals", "a:equals(b), a == b",
    "whether b is an array of a's shape with equal elements: NaN equals NaN, missing missing",
    "lun.vector{1, 2}:equals(lun.vector{1.0, 2.0})", "true",
    function(a, b)
        call.array(a, 1)
        if not core.isarray(b) or table.concat({ a:shape() }, " ") ~= table.concat({ b:shape() }, " ")
            or KIND[a:dtype()] ~= KIND[b:dtype()] then
            return false
        end
        local same = a:eq(b)
        if may_be_nan(a) and may_be_nan(b) then
            same = core.lor(same, core.land(a:isnan(), b:isnan()))
        end
        if core.internal.has_missing(a) or core.internal.has_missing(b) then
            local gone, other = a:ismissing(), b:ismissing()
            same = core.lor(core.land(same, core.lor(gone, other):lnot()), core.land(gone, other))
        end
        return call.rank(a) == 0 and same:value() or same:all()
    end)

return rows
