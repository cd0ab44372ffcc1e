-- Convolution and correlation: sums of products, or, of long arrays of floats, products of Fourier transforms.

local call = require "lunarray.names.call"
local core = require "lunarray.core"
local dtypes = require "lunarray.base.dtypes"
local records = require "lunarray.base.records"

local rows, row = call.rows "Convolution"
local bad, described, rank_of = call.bad, call.described, call.rank
local along = core.internal.fourier

local SHORT = 64 -- elements of the shorter array, up to which sums of products are computed
local AXES = 3 -- of these, at most
local MANY = 4096 -- sums of as many products each that are worth a kernel of their own

-- ---------------------------------------------------------------- sums of products

-- Functions of an element's place, by the number of axes: the sum, `zero` at first, of the products of b's elements,
-- in their order, and those of a that begin at `from` + `step` times the place. a has n and b has m elements along an
-- axis.
local sums = {
    function(a, b, zero, from, step, n, m)
        local from1, n1, m1 = from[1], n[1], m[1]
        return function(k1)
            local s, at1 = zero, from1 + step * k1
            for i = math.max(1, 1 - at1), math.min(m1, n1 - at1) do
                s = s + a[at1 + i] * b[i]
            end
            return s
        end
    end,
    function(a, b, zero, from, step, n, m)
        local from1, from2, n1, n2, m1, m2 = from[1], from[2], n[1], n[2], m[1], m[2]
        return function(k1, k2)
            local s, at1, at2 = zero, from1 + step * k1, from2 + step * k2
            for i = math.max(1, 1 - at1), math.min(m1, n1 - at1) do
                for j = math.max(1, 1 - at2), math.min(m2, n2 - at2) do
                    s = s + a[at1 + i][at2 + j] * b[i][j]
                end
            end
            return s
        end
    end,
    function(a, b, zero, from, step, n, m)
        local from1, from2, from3 = from[1], from[2], from[3]
        local n1, n2, n3, m1, m2, m3 = n[1], n[2], n[3], m[1], m[2], m[3]
        return function(k1, k2, k3)
            local s, at1, at2, at3 = zero, from1 + step * k1, from2 + step * k2, from3 + step * k3
            for i = math.max(1, 1 - at1), math.min(m1, n1 - at1) do
                for j = math.max(1, 1 - at2), math.min(m2, n2 - at2) do
                    for k = math.max(1, 1 - at3), math.min(m3, n3 - at3) do
                        s = s + a[at1 + i][at2 + j][at3 + k] * b[i][j][k]
                    end
                end
            end
            return s
        end
    end,
}

local function flipped(a)
    local cuts = {}
    for k, n in ipairs { a:shape() } do
        cuts[k] = { n, 1, -1 }
    end
    return a:sub(table.unpack(cuts))
end

-- Elements first[k] to first[k] + shape[k] - 1 of all, counted from 1 along each axis. mirrored: of the convolution.
local function looped(a, b, mirrored, first, shape)
    local n, m, from = { a:shape() }, { b:shape() }, {}
    for k = 1, #n do
        from[k] = mirrored and n[k] - first[k] + 1 or first[k] - 1 - m[k]
    end
    local of = sums[#n](mirrored and flipped(a) or a, b, dtypes.is_float(a:dtype()) and 0.0 or 0, from,
        mirrored and -1 or 1, n, m)
    return core.generate(shape, of)
end

-- The same. Of Vectors the many elements that have a product for each of b's few are one expression of windows of a.
local function summed(a, b, mirrored, first, shape)
    local n, m = #a, #b
    local from, last = first[1], first[1] + shape[1] - 1
    local low, high = math.max(m, from), math.min(n, last)
    if #shape > 1 or m > SHORT or high - low < MANY then
        return looped(a, b, mirrored, first, shape)
    end
    local sum = dtypes.is_float(a:dtype()) and 0.0 or 0
    for i = 1, m do
        local at = mirrored and 1 - i or i - m
        sum = sum + a:sub(low + at, high + at) * b:sub(i, i)
    end
    local parts = { sum }
    if from < low then
        table.insert(parts, 1, looped(a, b, mirrored, first, { low - from }))
    end
    if high < last then
        parts[#parts + 1] = looped(a, b, mirrored, { high + 1 }, { last - high })
    end
    return #parts > 1 and core.concat(parts) or sum
end

-- ---------------------------------------------------------------- transforms

-- The least 2^a 3^b 5^c from n on.
local function smooth(n)
    while true do
        local rest = n
        for _, p in ipairs { 2, 3, 5 } do
            while rest % p == 0 do
                rest = rest // p
            end
        end
        if rest == 1 then
            return n
        end
        n = n + 1
    end
end

-- The same by transforms of at least as many elements as all have along each axis.
local function transformed(a, b, mirrored, first, shape)
    local rank, long, cuts = rank_of(a), {}, {}
    local last = core.iscomplex(a) and rank or rank - 1 -- of the axes along which transforms are complex
    for k = 1, rank do
        long[k] = smooth((select(k, a:shape())) + (select(k, b:shape())) - 1)
        cuts[k] = { first[k], first[k] + shape[k] - 1 }
    end
    local function spectrum(x)
        x = last < rank and along("rfft", x, long[rank], rank, 0) or x
        for axis = last, 1, -1 do
            x = along("fft", x, long[axis], axis, 0)
        end
        return x
    end
    local z = spectrum(a) * spectrum(mirrored and b or flipped(b))
    for axis = last, 1, -1 do
        z = along("ifft", z, long[axis], axis, 0)
    end
    z = last < rank and along("irfft", z, long[rank], rank, 0) or z
    return z:sub(table.unpack(cuts))
end

-- Sums of complex numbers of those of their parts, as matmul has them.
local function summed_parts(a, b, ...)
    local re, im, u, v = a:real(), a:imag(), b:real(), b:imag()
    return core.complex(summed(re, u, ...) - summed(im, v, ...), summed(re, v, ...) + summed(im, u, ...))
end

-- ---------------------------------------------------------------- names

local function operand(x, argument)
    if type(x) == "table" and not core.isarray(x) and not records.struct_of(x) then
        x = call.vector(x, argument)
    end
    call.array(x, argument)
    if #x:reshape(-1) == 0 then
        bad(argument, "an array without elements has no sums of products: %s", described(x))
    end
    return x
end

-- Where the elements of a mode begin among all along an axis, and how many they are. Of a correlation whose second
-- array is the longer one all elements are those of the exchanged arrays backwards.
local function range(mode, n, m, mirrored)
    local short, long = math.min(n, m), math.max(n, m)
    if mode == "full" then
        return 1, n + m - 1
    elseif mode == "valid" then
        return short, long - short + 1
    end
    return (mirrored or n >= m) and (short - 1) // 2 + 1 or short // 2 + 1, long
end

local function combined(a, b, options, mirrored, mode)
    a, b = operand(a, 1), operand(b, 2)
    mode = call.word(call.options(options, 3, "mode").mode or mode, 3, "full same valid", "mode")
    local rank = rank_of(a)
    if rank_of(b) ~= rank then
        bad(2, "an array with as many axes as %s expected, got %s", described(a), described(b))
    elseif rank < 1 or rank > AXES then
        bad(1, "an array of 1 to %d axes expected, got %s", AXES, described(a))
    end
    local dtype = call.part(a, 1, 1, 0):reshape(-1)
    dtype = (dtype * call.part(b, 1, 1, 0):reshape(-1)):dtype()
    local complex = dtype == "c64" or dtype == "c128"
    local floats = complex or dtypes.is_float(dtype)
    local computed = complex and dtype or floats and ((dtype == "f64") and "f64" or "f32") or "i64"
    a, b = a:cast(computed), b:cast(computed)
    b = complex and not mirrored and b:conj() or b
    local first, shape = {}, {}
    for k = 1, rank do
        first[k], shape[k] = range(mode, (select(k, a:shape())), (select(k, b:shape())), mirrored)
    end
    local by = floats and math.min(#a:reshape(-1), #b:reshape(-1)) > SHORT and transformed
        or complex and summed_parts or summed
    local c = by(a, b, mirrored, first, shape)
    return dtype == computed and c or c:cast(dtype)
end

row("convolve", 'a:convolve(b [, {mode="full"}])',
    "sums of products of a's elements with b's in reverse, of 1 to 3 axes; mode: \"full\", \"same\", as many as\n"
        .. 'the longer has, or "valid", where both overlap; of floats, if both have more than 64 elements, by Fourier\n'
        .. "transforms",
    "lun.vector{1, 2, 3}:convolve(lun.vector{0, 1, 2})", "{0, 1, 4, 7, 6}",
    function(a, b, options)
        return combined(a, b, options, true, "full")
    end)

row("correlate", 'a:correlate(b [, {mode="valid"}])',
    "sums of products of a's elements with the conjugates of b's at each shift, of 1 to 3 axes; modes as of convolve",
    "lun.vector{1, 2, 3}:correlate(lun.vector{0, 1, 2}, {mode = \"full\"})", "{2, 5, 8, 3, 0}",
    function(a, b, options)
        return combined(a, b, options, false, "valid")
    end)

return rows
