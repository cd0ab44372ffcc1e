-- Fourier transforms as plain loops in the documented order, on lists of complex numbers {re, im} that count from 0, each
-- operation rounded. Knows no algorithm of the engine's.
local lun = require "lunarray"
local plain = require "math.plain"

local fourier = {}

-- ---------------------------------------------------------------- roots of unity, in two doubles

local function quick(a, b)
    local s = a + b
    return s, b - (s - a)
end

local function sum(a, al, b, bl)
    local s = a + b
    local t = s - a
    return quick(s, ((a - (s - t)) + (b - t)) + (al + bl))
end

local function times(a, al, b, bl)
    local p = a * b
    return quick(p, lun.fma(a, b, -p) + (a * bl + al * b))
end

local function over(a, al, b) -- by an integer
    local q = a / b
    local r = (lun.fma(-q, b, a) + al) / b
    return quick(q, r)
end

-- Taylor's series of sine (from = 1) or cosine (from = 0) at x.
local function series(x, xl, from)
    local sq, sql = times(x, xl, x, xl)
    local term, terml = 1.0, 0.0
    if from == 1 then term, terml = x, xl end
    local s, sl = term, terml
    for k = from + 1, 40, 2 do
        term, terml = times(term, terml, sq, sql)
        term, terml = over(-term, -terml, k * (k + 1.0))
        s, sl = sum(s, sl, term, terml)
    end
    return s, sl
end

local HALF_PI, HALF_PI_LOW = 0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54

-- The nearest f64 or f32 to the sum of two doubles.
local NEAREST = {
    f64 = function(a) return a end,
    f32 = function(a, low)
        local bits = string.unpack("i8", string.pack("d", a))
        if low ~= 0 and bits % 2 == 0 then
            a = string.unpack("d", string.pack("i8", bits + (low > 0 and 1 or -1)))
        end
        return (plain.ROUND.f32(a))
    end,
}

local known = {}

-- Cosine and sine of a quarter turn times r/n, r <= n/2; 60 degrees, which have a number, are exact.
local function of_angle(r, n, dtype)
    local at = dtype .. r / n
    if not known[at] then
        local x, xl = over(HALF_PI * r, lun.fma(HALF_PI, r, -(HALF_PI * r)) + HALF_PI_LOW * r, n + 0.0)
        local c, cl = series(x, xl, 0)
        local s, sl = series(x, xl, 1)
        if r == 0 then c, cl, s, sl = 1.0, 0.0, 0.0, 0.0 end
        if 3 * r == n then s, sl = 0.5, 0.0 end
        known[at] = { NEAREST[dtype](c, cl), NEAREST[dtype](s, sl) }
    end
    return known[at][1], known[at][2]
end

-- cos(2 pi k/n) - i sin(2 pi k/n).
function fourier.w(k, n, dtype)
    local quarter, r = 4 * (k % n) // n, 4 * (k % n) % n
    local c, s
    if 2 * r > n then s, c = of_angle(n - r, n, dtype) else c, s = of_angle(r, n, dtype) end
    if quarter == 1 then c, s = -s, c elseif quarter == 2 then c, s = -c, -s elseif quarter == 3 then c, s = s, -c end
    return { c + 0.0, -(s + 0.0) }
end

-- ---------------------------------------------------------------- transforms

-- The functions of one dtype.
function fourier.of(dtype)
    local f32 = dtype == "f32"
    local round = plain.ROUND[dtype]
    local function R(x) return (round(x)) end
    local function add(a, b) return { R(a[1] + b[1]), R(a[2] + b[2]) } end
    local function sub(a, b) return { R(a[1] - b[1]), R(a[2] - b[2]) } end
    local function mul(a, b)
        return { R(R(a[1] * b[1]) - R(a[2] * b[2])), R(R(a[1] * b[2]) + R(a[2] * b[1])) }
    end
    local function scale(c, a) return { R(R(c) * a[1]), R(R(c) * a[2]) } end
    local function i(a) return { -a[2], a[1] } end
    local function conj(a) return { a[1], -a[2] } end
    local function w(k, n) return fourier.w(k, n, dtype) end
    local function constant(x) return f32 and R(x) or x end

    local s3 = constant(math.sqrt(3) / 2)
    local c1, c2, s1, s2 = w(1, 5)[1], w(2, 5)[1], -w(1, 5)[2], -w(2, 5)[2]
    local butterfly = {
        [2] = function(x) return { [0] = add(x[0], x[1]), sub(x[0], x[1]) } end,
        [3] = function(x)
            local a, b = add(x[1], x[2]), sub(x[1], x[2])
            local e, t = sub(x[0], scale(0.5, a)), i(scale(s3, b))
            return { [0] = add(x[0], a), sub(e, t), add(e, t) }
        end,
        [4] = function(x)
            local t0, t1, t2, t3 = add(x[0], x[2]), sub(x[0], x[2]), add(x[1], x[3]), sub(x[1], x[3])
            return { [0] = add(t0, t2), sub(t1, i(t3)), sub(t0, t2), add(t1, i(t3)) }
        end,
        [5] = function(x)
            local p1, p2, u1, u2 = add(x[1], x[4]), add(x[2], x[3]), sub(x[1], x[4]), sub(x[2], x[3])
            local m1 = add(add(x[0], scale(c1, p1)), scale(c2, p2))
            local m2 = add(add(x[0], scale(c2, p1)), scale(c1, p2))
            local e1, e2 = add(scale(s1, u1), scale(s2, u2)), sub(scale(s2, u1), scale(s1, u2))
            return { [0] = add(add(x[0], p1), p2), sub(m1, i(e1)), sub(m2, i(e2)), add(m2, i(e2)), add(m1, i(e1)) }
        end,
    }
    for _, f in ipairs { 7, 11, 13 } do
        butterfly[f] = function(x)
            local y = {}
            for q = 0, f - 1 do
                y[q] = x[0]
                for r = 1, f - 1 do y[q] = add(y[q], q == 0 and x[r] or mul(x[r], w(q * r, f))) end
            end
            return y
        end
    end

    local function passes(x, n)
        if n == 1 then return x end
        local f
        for _, p in ipairs { 4, 2, 3, 5, 7, 11, 13 } do
            if n % p == 0 then f = p break end
        end
        local l, lines, out = n // f, {}, {}
        for q = 0, f - 1 do lines[q] = {} end
        for j = 0, l - 1 do
            local xs = {}
            for r = 0, f - 1 do xs[r] = x[j + r * l] end
            local y = butterfly[f](xs)
            for q = 0, f - 1 do lines[q][j] = q == 0 and y[0] or mul(y[q], w(q * j, n)) end
        end
        for q = 0, f - 1 do
            local line = passes(lines[q], l)
            for k = 0, l - 1 do out[q + f * k] = line[k] end
        end
        return out
    end

    local function without(n, ...)
        for _, p in ipairs { ... } do
            while n % p == 0 do n = n // p end
        end
        return n
    end

    local function fft(x, n)
        if without(n, 2, 3, 5, 7, 11, 13) == 1 then return passes(x, n) end
        local m, u, filter, y = 2 * n - 1, {}, {}, {}
        while without(m, 2, 3, 5) > 1 do m = m + 1 end
        for k = 0, m - 1 do u[k], filter[k] = { 0.0, 0.0 }, { 0.0, 0.0 } end
        for k = 0, n - 1 do
            local c = w(k * k % (2 * n), 2 * n)
            u[k] = mul(x[k], c)
            filter[k], filter[(m - k) % m] = conj(c), conj(c)
        end
        local U, V = passes(u, m), passes(filter, m)
        for k = 0, m - 1 do U[k] = conj(mul(U[k], { R(V[k][1] / m), R(V[k][2] / m) })) end
        U = passes(U, m)
        for k = 0, n - 1 do y[k] = mul(w(k * k % (2 * n), 2 * n), conj(U[k])) end
        return y
    end

    local function each(x, n, f)
        local y = {}
        for k = 0, n - 1 do y[k] = f(x[k]) end
        return y
    end
    local function exchanged(a) return { a[2], a[1] } end

    -- Without the division.
    local function backward(x, n)
        return each(fft(each(x, n, exchanged), n), n, exchanged)
    end
    local function divided(x, n, by)
        return each(x, n, function(a) return { R(a[1] / by), R(a[2] / by) } end)
    end

    local M = { fft = fft, divided = divided }
    function M.ifft(x, n) return divided(backward(x, n), n, n) end

    -- Of numbers x[0] to x[n - 1] the first n//2 + 1.
    function M.rfft(x, n)
        local y, z, h = {}, {}, n // 2
        if n % 2 == 1 then
            for k = 0, n - 1 do z[k] = { x[k], 0.0 } end
            y = fft(z, n)
            return each(y, h + 1, function(a) return a end)
        end
        for k = 0, h - 1 do z[k] = { x[2 * k], x[2 * k + 1] } end
        z = fft(z, h)
        z[h] = z[0]
        for k = 0, h do
            local a, b = z[k], conj(z[h - k])
            local d = sub(a, b)
            y[k] = add(scale(0.5, add(a, b)), mul(w(k, n), { R(0.5 * d[2]), -R(0.5 * d[1]) }))
        end
        return y
    end

    -- Numbers of n//2 + 1 complex ones.
    function M.irfft(X, n)
        local x, z, h, y = {}, {}, n // 2, {}
        for k = 0, h do y[k] = X[k] end
        y[0] = { y[0][1], 0.0 }
        if n % 2 == 1 then
            for k = 0, h do
                z[k] = y[k]
                if k > 0 then z[n - k] = conj(y[k]) end
            end
            z = M.ifft(z, n)
            for k = 0, n - 1 do x[k] = z[k][1] end
            return x
        end
        y[h] = { y[h][1], 0.0 }
        for k = 0, h - 1 do
            local a, b = y[k], conj(y[h - k])
            local d = sub(a, b)
            z[k] = add(scale(0.5, add(a, b)), mul(conj(w(k, n)), { -R(0.5 * d[2]), R(0.5 * d[1]) }))
        end
        z = M.ifft(z, h)
        for k = 0, h - 1 do x[2 * k], x[2 * k + 1] = z[k][1], z[k][2] end
        return x
    end
    return M
end

return fourier
