-- Names of polynomials, whose coefficients stand highest power first, of windows and of filters.

local call = require "lunarray.names.call"
local core = require "lunarray.core"
local dtypes = require "lunarray.base.dtypes"

local rows, row = call.rows "Polynomials, windows, filters"
local array, bad, whole = call.array, call.bad, call.whole

-- ---------------------------------------------------------------- polynomials

-- Coefficients as a list of numbers.
local function coefficients(c, argument)
    c = call.vector(c, argument)
    local kind = dtypes.by_name[c:dtype()].kind
    if kind == "text" or kind == "time" or kind == "bool" then
        bad(argument, "coefficients are numbers, got %s", call.described(c))
    end
    return #c == 0 and {} or c:totable()
end

-- A list of numbers as a Vector: of integers alone i64.
local function polynomial(list)
    return #list == 0 and core.zeros(0) or core.vector(list)
end

row("polyval", "c:polyval(x)",
    "the polynomial at x, an array or a number, by Horner's rule; coefficients highest power first",
    "lun.vector{1, 0, -1}:polyval(lun.vector{2, 3})", "{3, 8}",
    function(c, x)
        local is_float = core.isarray(c) and call.is_float(c)
        local list = coefficients(c, 1)
        if not core.isarray(x) then
            call.number(x, 2)
        end
        for _, a in ipairs(list) do
            is_float = is_float or math.type(a) == "float"
        end
        if is_float then
            x = core.isarray(x) and call.floating(x) or x + 0.0
        end
        local sum = x * 0
        for _, a in ipairs(list) do
            sum = sum * x + a
        end
        return sum
    end)

row("polyder", "c:polyder([m=1])", "the coefficients of the m-th derivative", "lun.vector{1, 2, 3}:polyder()", "{2, 2}",
    function(c, m)
        c = coefficients(c, 1)
        for _ = 1, math.min(m == nil and 1 or whole(m, 2, 0), #c) do -- then nothing is left
            local n, list = #c, {}
            for i = 1, n - 1 do
                list[i] = c[i] * (n - i)
            end
            c = list
        end
        return polynomial(c)
    end)

row("polyint", "c:polyint([m=1])", "the coefficients of the m-th integral that is 0 at 0, floats",
    "lun.vector{2, 2}:polyint()", "{1.0, 2.0, 0.0}",
    function(c, m)
        c = coefficients(c, 1)
        for _ = 1, m == nil and 1 or whole(m, 2, 0, 1000) do
            local n, list = #c, {}
            for i = 1, n do
                list[i] = c[i] / (n + 1 - i)
            end
            list[n + 1] = 0.0
            c = list
        end
        return polynomial(c)
    end)

local function product(a, b)
    local list = {}
    for i = 1, #a + #b - 1 do
        local sum = 0
        for k = math.max(1, i + 1 - #b), math.min(i, #a) do
            sum = sum + a[k] * b[i + 1 - k]
        end
        list[i] = sum
    end
    return list
end

row("polymul", "c:polymul(d)", "the coefficients of the product", "lun.vector{1, 1}:polymul{1, -1}", "{1, 0, -1}",
    function(c, d)
        c, d = coefficients(c, 1), coefficients(d, 2)
        return polynomial((#c == 0 or #d == 0) and {} or product(c, d))
    end)

row("polyadd", "c:polyadd(d)", "the coefficients of the sum", "lun.vector{1, 1}:polyadd{5}", "{1, 6}",
    function(c, d)
        c, d = coefficients(c, 1), coefficients(d, 2)
        if #c < #d then
            c, d = d, c
        end
        for i = 1, #d do
            c[#c - #d + i] = c[#c - #d + i] + d[i]
        end
        return polynomial(c)
    end)

row("polydiv", "c:polydiv(d)", "two: the coefficients of the quotient and of the rest, floats; the first of d is not 0",
    "lun.vector{1, 0, -1}:polydiv{1, 1}", "{1.0, -1.0}, {0.0}",
    function(c, d)
        c, d = coefficients(c, 1), coefficients(d, 2)
        if #d == 0 or d[1] == 0 then
            bad(2, "the divisor's first coefficient is 0")
        end
        local quotient, rest = {}, {}
        for i = 1, #c do
            rest[i] = c[i] + 0.0
        end
        for i = 1, #c - #d + 1 do
            quotient[i] = rest[i] / d[1]
            for k = 1, #d do
                rest[i + k - 1] = k == 1 and 0.0 or rest[i + k - 1] - quotient[i] * d[k]
            end
        end
        local first = math.max(#c - #d + 2, 1)
        while first < #rest and rest[first] == 0 do
            first = first + 1
        end
        return polynomial(#quotient > 0 and quotient or { 0.0 }),
            polynomial(first <= #rest and table.move(rest, first, #rest, 1, {}) or { 0.0 })
    end)

row("poly", "r:poly()", "the coefficients of the polynomial with these roots", "lun.vector{1, 2}:poly()", "{1, -3, 2}",
    function(r)
        local list = { 1 }
        for _, root in ipairs(coefficients(r, 1)) do
            list = product(list, { 1, -root })
        end
        return core.vector(list)
    end)

-- Numbers and complex ones, which no number is equal to.
local function is_zero(x)
    return x == 0 or not math.type(x) and x.re == 0 and x.im == 0
end

row("roots", "c:roots()",
    "the roots of the polynomial, complex, ascending by real, then imaginary part: the eigenvalues of its companion",
    "lun.vector{1, 0, 4}:roots()", "{0.0-2.0i, 0.0+2.0i}",
    function(c)
        c = coefficients(c, 1)
        local first, last = 1, #c
        while first <= last and is_zero(c[first]) do
            first = first + 1
        end
        while last >= first and is_zero(c[last]) do
            last = last - 1
        end
        local zeros = core.zeros(last < first and 0 or #c - last, "c128")
        local n = last - first
        if n <= 0 then
            return zeros
        end
        local companion = {}
        for i = 1, n do
            companion[i] = {}
            for k = 1, n do
                companion[i][k] = i == 1 and -c[first + k] / c[first] or i == k + 1 and 1.0 or 0.0
            end
        end
        return (core.vector(companion):eigvals() .. zeros):sort()
    end)

row("polyfit", "x:polyfit(y, k)",
    "the coefficients of the polynomial of degree k that is nearest to the points (x, y), in the least sum of "
        .. "squares:\n"
        .. "orthogonal columns of the scaled Vandermonde matrix, made orthogonal twice",
    "lun.vector{0, 1, 2, 3}:polyfit(lun.vector{1, 3, 5, 7}, 1):round()", "{2.0, 1.0}",
    function(x, y, k)
        x, y = call.vector(x, 1):cast "f64", call.vector(y, 2):cast "f64"
        k = whole(k, 3, 0, nil, "degree")
        if #x ~= #y then
            bad(2, "%d values for %d points", #y, #x)
        elseif #x <= k then
            bad(3, "%d points do not determine a polynomial of degree %d", #x, k)
        end
        local columns, scales, R, b, power = {}, {}, {}, {}, core.ones(#x)
        for j = k + 1, 1, -1 do
            scales[j] = power:norm()
            columns[j] = (power / scales[j]):eval()
            power = power * x
        end
        for j = 1, k + 1 do
            local v = columns[j]
            R[j] = {}
            for _ = 1, 2 do
                for i = 1, j - 1 do
                    local r = columns[i]:dot(v)
                    v = (v - columns[i] * r):eval()
                    R[j][i] = (R[j][i] or 0.0) + r
                end
            end
            R[j][j] = v:norm()
            if R[j][j] ~= R[j][j] or R[j][j] <= #x * 2.0 ^ -52 then
                bad(3, "the points do not determine a polynomial of degree %d", k)
            end
            columns[j] = (v / R[j][j]):eval()
            b[j] = columns[j]:dot(y)
            y = (y - columns[j] * b[j]):eval()
        end
        for j = k + 1, 1, -1 do
            for i = j + 1, k + 1 do
                b[j] = b[j] - R[i][j] * b[i]
            end
            b[j] = b[j] / R[j][j]
        end
        for j = 1, k + 1 do
            b[j] = b[j] / scales[j]
        end
        return core.vector(b)
    end)

-- ---------------------------------------------------------------- windows

-- A window of n elements: f of 1 - n, 3 - n, ..., n - 1 and of n - 1.
local function window(n, f)
    n = whole(n, 1, 0, nil, "length")
    if n <= 1 then
        return core.ones(n)
    end
    return f(core.range(1 - n, n - 1, 2) * 1.0, n - 1.0)
end

row("hanning", "lun.hanning(n)", "the Hann window: half of 1 + cos, 0 at both ends", "lun.hanning(3)",
    "{0.0, 1.0, 0.0}",
    function(n) return window(n, function(k, m) return 0.5 + core.cos(k * math.pi / m) * 0.5 end) end)
row("hamming", "lun.hamming(n)", "the Hamming window: 0.54 + 0.46 cos", "lun.hamming(1)", "{1.0}",
    function(n) return window(n, function(k, m) return 0.54 + core.cos(k * math.pi / m) * 0.46 end) end)
row("blackman", "lun.blackman(n)", "the Blackman window: 0.42 + 0.5 cos + 0.08 cos of twice the angle",
    "lun.blackman(3):round()",
    "{-0.0, 1.0, -0.0}",
    function(n)
        return window(n, function(k, m)
            return 0.42 + core.cos(k * math.pi / m) * 0.5 + core.cos(k * (2 * math.pi) / m) * 0.08
        end)
    end)
row("bartlett", "lun.bartlett(n)", "the triangle that is 0 at both ends", "lun.bartlett(5)",
    "{0.0, 0.5, 1.0, 0.5, 0.0}",
    function(n) return window(n, function(k, m) return 1 - k:abs() / m end) end)

-- Chebyshev coefficients of exp(-x) i0(x) on [0, 8] and of exp(-x) sqrt(x) i0(x) on [8, inf] (Cephes).
local BELOW_8 = {
    -4.4153416464793395e-18, 3.3307945188222384e-17, -2.431279846547955e-16, 1.715391285555133e-15,
    -1.1685332877993451e-14, 7.676185498604936e-14, -4.856446783111929e-13, 2.95505266312964e-12,
    -1.726826291441556e-11, 9.675809035373237e-11, -5.189795601635263e-10, 2.6598237246823866e-09,
    -1.300025009986248e-08, 6.046995022541919e-08, -2.670793853940612e-07, 1.1173875391201037e-06,
    -4.4167383584587505e-06, 1.6448448070728896e-05, -5.754195010082104e-05, 0.00018850288509584165,
    -0.0005763755745385824, 0.0016394756169413357, -0.004324309995050576, 0.010546460394594998,
    -0.02373741480589947, 0.04930528423967071, -0.09490109704804764, 0.17162090152220877, -0.3046826723431984,
    0.6767952744094761,
}
local ABOVE_8 = {
    -7.233180487874754e-18, -4.830504485944182e-18, 4.46562142029676e-17, 3.461222867697461e-17,
    -2.8276239805165836e-16, -3.425485619677219e-16, 1.7725601330565263e-15, 3.8116806693526224e-15,
    -9.554846698828307e-15, -4.150569347287222e-14, 1.54008621752141e-14, 3.8527783827421426e-13,
    7.180124451383666e-13, -1.7941785315068062e-12, -1.3215811840447713e-11, -3.1499165279632416e-11,
    1.1889147107846439e-11, 4.94060238822497e-10, 3.3962320257083865e-09, 2.266668990498178e-08,
    2.0489185894690638e-07, 2.8913705208347567e-06, 6.889758346916825e-05, 0.0033691164782556943,
    0.8044904110141088,
}

-- The sum of a Chebyshev series by Clenshaw's rule.
local function series(x, list)
    local b0, b1, b2 = list[1], 0.0, nil
    for i = 2, #list do
        b0, b1, b2 = x * b0 - b1 + list[i], b0, b1
    end
    return (b0 - b2) * 0.5
end

local function bessel(x)
    x = x:abs()
    local large = core.max(x, 8.0)
    return core.where(x:le(8.0), core.exp(x) * series(core.min(x, 8.0) / 2.0 - 2.0, BELOW_8),
        core.exp(x) * series(32.0 / large - 2.0, ABOVE_8) / large:sqrt())
end

row("i0", "a:i0()", "the modified Bessel function of order 0", "lun.vector{0.0}:i0()", "{1.0}",
    function(a)
        if not core.isarray(a) then
            return bessel(core.full(1, call.number(a, 1) + 0.0))[1]
        end
        a = call.floating(a)
        return bessel(a:cast "f64"):cast(a:dtype())
    end)

row("kaiser", "lun.kaiser(n, beta)", "the Kaiser window of that shape: 0 is a rectangle, 6 like hanning",
    "lun.kaiser(3, 0)", "{1.0, 1.0, 1.0}",
    function(n, beta)
        beta = call.number(beta, 2) + 0.0
        return window(n, function(k, m)
            local part = k / m
            return bessel((1 - part * part):sqrt() * beta) / bessel(core.full(1, beta))[1]
        end)
    end)

-- ---------------------------------------------------------------- filters

local function odd(w, argument, n)
    w = whole(w, argument, 1, nil, "width")
    if w % 2 == 0 then
        bad(argument, "%d: an odd width expected", w)
    elseif w > n then
        bad(argument, "a width of %d is more than the length, %d", w, n)
    end
    return w
end

row("medfilt", "a:medfilt(w)",
    "the median of the w elements around each one of a Vector, zeros beyond its ends; w is odd",
    "lun.vector{1, 9, 2, 3}:medfilt(3)", "{1.0, 2.0, 3.0, 2.0}",
    function(a, w)
        a = call.of_rank(a, 1, 1)
        w = odd(w, 2, #a)
        return call.floating(a):pad(w // 2, 0):windows(w):median { axis = 2 }
    end)

-- Weights that give the polynomial of a degree, fitted to w points: [t][i] of point i for its value at point t.
local function smoothing(w, order)
    local basis, H = {}, {}
    for j = 0, order do
        local v = {}
        for i = 1, w do
            v[i] = ((2 * i - w - 1) / w) ^ j
        end
        for _ = 1, 2 do
            for _, q in ipairs(basis) do
                local r = 0.0
                for i = 1, w do
                    r = r + q[i] * v[i]
                end
                for i = 1, w do
                    v[i] = v[i] - r * q[i]
                end
            end
        end
        local square = 0.0
        for i = 1, w do
            square = square + v[i] * v[i]
        end
        for i = 1, w do
            v[i] = v[i] / square ^ 0.5
        end
        basis[j + 1] = v
    end
    for t = 1, w do
        H[t] = {}
        for i = 1, w do
            local sum = 0.0
            for _, q in ipairs(basis) do
                sum = sum + q[t] * q[i]
            end
            H[t][i] = sum
        end
    end
    return H
end

row("savgol", "a:savgol(width, order)",
    "each element of a Vector replaced by the polynomial of that degree fitted to `width` elements around it, of "
        .. "those at\n"
        .. "the ends to the first and last ones; width is odd",
    "lun.vector{1, 4, 9, 16, 25}:savgol(3, 2):round()", "{1.0, 4.0, 9.0, 16.0, 25.0}",
    function(a, width, order)
        a = call.of_rank(a, 1, 1):cast "f64"
        width = odd(width, 2, #a)
        order = whole(order, 3, 0, width - 1, "order")
        local H, h, n = core.vector(smoothing(width, order)), width // 2, #a
        local middle = (a:windows(width) * H:row(h + 1)):sum(2)
        if h == 0 then
            return middle
        end
        local first = (H:sub(1, h) * a:sub(1, width)):sum(2)
        local last = (H:sub(h + 2, width) * a:sub(n - width + 1, n)):sum(2)
        return core.concat { first, middle, last }
    end)

row("gaussian", "A:gaussian(sigma)",
    "smoothed along each axis by a bell of that standard deviation, cut off after 4 of them; beyond the ends the "
        .. "elements\n"
        .. "mirrored",
    "lun.vector{0, 0, 1, 0, 0}:gaussian(0.1)", "{0.0, 0.0, 1.0, 0.0, 0.0}",
    function(A, sigma)
        A = call.floating(array(A, 1))
        if not (call.number(sigma, 2) > 0 and sigma < 1e6) then
            bad(2, "%s: a number above 0 expected", tostring(sigma))
        end
        local radius = (4 * sigma + 0.5) // 1 | 0
        local x = core.range(-radius, radius) * 1.0
        local bell = core.exp(x * x * (-0.5 / (sigma * sigma)))
        bell = (bell / bell:sum()):cast(A:dtype())
        local rank = call.rank(A)
        for axis = 1, rank do
            local n = (select(axis, A:shape()))
            if n > 0 then
                local k = (core.index(n + 2 * radius) - (radius + 1)) % (2 * n)
                A = A:take(core.where(k:lt(n), k, 2 * n - 1 - k) + 1, { axis = axis })
                A = (A:windows(2 * radius + 1, { axis = axis }) * bell):sum { axis = rank + 1 }
            end
        end
        return A
    end)

return rows
