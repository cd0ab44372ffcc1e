-- Functions of one element that draw random numbers, compiled for all elements: i its number, from 1; then parameters;
-- key and lock, the low and high half of the seed. They make no arrays.
--
-- An element has a stream of its own: attempt t, for tag g, is the four words that Philox4x32-10 makes of the seed and
-- the counter (low half of i - 1, high half, t, g).

local M = {}

local core = require "lunarray.core"
local cospi, logarithm = core.cospi, core.log -- the engine's, also where a script calls a function itself
local abs, exp, log, sqrt, ult = math.abs, math.exp, math.log, math.sqrt, math.ult
local LOW = 0xffffffff

-- ---------------------------------------------------------------- words

-- Salmon, Moraes, Dror and Shaw: Parallel random numbers: as easy as 1, 2, 3 (2011).
-- Masks stand beside the products, as constants: processors multiply halves at once.
local function philox(key, lock, a, b, c, d)
    for _ = 1, 10 do
        local p, q = (a & 0xffffffff) * 0xD2511F53, (c & 0xffffffff) * 0xCD9E8D57
        a, b, c, d = (q >> 32) ~ b ~ key, q & 0xffffffff, (p >> 32) ~ d ~ lock, p & 0xffffffff
        key, lock = (key + 0x9E3779B9) & 0xffffffff, (lock + 0xBB67AE85) & 0xffffffff
    end
    return a | b << 32, c | d << 32
end
M.philox = philox

local function words(i, t, g, key, lock)
    return philox(key, lock, (i - 1) & LOW, (i - 1) >> 32 & LOW, t, g)
end

-- Two numbers in [0, 1).
local function uniforms(i, t, g, key, lock)
    local v, w = words(i, t, g, key, lock)
    return (v >> 11) * 0x1p-53, (w >> 11) * 0x1p-53
end

-- The first word of attempt 0.
function M.word(i, g, key, lock)
    local v = words(i, 0, g, key, lock)
    return v
end

-- Seed number i of those that are made of one.
function M.part(i, key, lock)
    local v = philox(key, lock, i & LOW, i >> 32 & LOW, 0, LOW)
    return v
end

-- ---------------------------------------------------------------- elements of lun.random

-- Element k, from 1, of lun.random(n, {seed = seed}): two have the words of one counter.
function M.uniform(seed, k)
    local i = k - 1
    local v, w = philox(seed & LOW, seed >> 32, i >> 1 & LOW, i >> 33, 0, 0)
    return ((i & 1 == 0 and v or w) >> 11) * 0x1p-53
end

-- The same with {dist = "normal"}. Box and Muller: A note on the generation of random normal deviates (1958).
function M.normal(seed, k)
    local i = k - 1
    local v, w = philox(seed & LOW, seed >> 32, i & LOW, i >> 32, 0, 0)
    local u1, u2 = ((v >> 11) + 1) * 0x1p-53, (w >> 11) * 0x1p-53
    return sqrt(logarithm(u1) * -2) * cospi(2 * u2)
end

-- ---------------------------------------------------------------- integers

-- The high 64 bits of a * b, without signs.
local function high(a, b)
    local a0, a1, b0, b1 = a & 0xffffffff, a >> 32, b & 0xffffffff, b >> 32
    local m = a1 * b0 + (a0 * b0 >> 32)
    local n = a0 * b1 + (m & 0xffffffff)
    return a1 * b1 + (m >> 32) + (n >> 32)
end

-- 2^64 mod s, without signs; of s = 0, which is 2^64, 0.
local function surplus(s)
    if s < 0 then
        return -s
    end
    local d = s == 0 and 1 or s
    local q = ((-d >> 1) // d) << 1
    local r = -d - q * d
    return ult(r, d) and r or r - d
end
M.surplus = surplus

-- low to high; limit: surplus(high - low + 1).
function M.integer(i, low, most, limit, key, lock)
    local s = most - low + 1
    local x, t, again = 0, 0, true
    while again do
        local w = words(i, t, 1, key, lock)
        x = s == 0 and w or high(w, s)
        again = ult(w * s, limit)
        t = t + 1
    end
    return low + x
end

-- ---------------------------------------------------------------- gamma

-- Marsaglia and Tsang: A simple method for generating gamma variables (2000).
local function gamma(i, shape, g, key, lock)
    local d = (shape < 1 and shape + 1 or shape) - 1 / 3
    local c = 1 / sqrt(9 * d)
    local v, rest, t, again = 0.0, 0.0, 0, true
    while again do
        local p, q = uniforms(i, 2 * t, g, key, lock)
        local u, w = uniforms(i, 2 * t + 1, g, key, lock)
        local x = sqrt(-2 * log(1 - p)) * cospi(2 * q)
        local y = 1 + c * x
        v, rest = y * y * y, w
        again = not (v > 0 and log(1 - u) < 0.5 * x * x + d - d * v + d * log(v))
        t = t + 1
    end
    return shape < 1 and d * v * (1 - rest) ^ (1 / shape) or d * v
end

function M.gamma(i, shape, scale, key, lock)
    return gamma(i, shape, 2, key, lock) * scale
end

function M.beta(i, a, b, key, lock)
    local x, y = gamma(i, a, 3, key, lock), gamma(i, b, 4, key, lock)
    return x / (x + y)
end

local function chisquare(i, df, key, lock)
    return 2 * gamma(i, df / 2, 3, key, lock)
end
M.chisquare = chisquare

-- z: a normal number.
function M.student(i, df, z, key, lock)
    return z / sqrt(chisquare(i, df, key, lock) / df)
end

-- ---------------------------------------------------------------- counts

-- log n!, of a whole number: the logarithm of the product, or Stirling's series.
local function log_factorial(n)
    local product, k = 1.0, 2.0
    while k <= n and k <= 16 do
        product = product * k
        k = k + 1
    end
    local y = n + 1
    local r = 1 / (y * y)
    local series = (1 / 12 - r * (1 / 360 - r * (1 / 1260 - r * (1 / 1680 - r / 1188)))) / y
    return n <= 16 and log(product) or (y - 0.5) * log(y) - y + 0.91893853320467274178 + series
end

-- By inversion; u: uniform. Probabilities beyond the mode that no longer count end it.
local function poisson_few(rate, u)
    local p = exp(-rate)
    local sum, n, again = p, 0.0, p <= u
    while again do
        n = n + 1
        p = p * (rate / n)
        again = sum + p <= u and (sum + p > sum or n < rate)
        sum = sum + p
    end
    return n
end

-- Hoermann: The transformed rejection method for generating Poisson random variables (1993), PTRS.
local function poisson_many(i, rate, key, lock)
    local b = 0.931 + 2.53 * sqrt(rate)
    local a = -0.059 + 0.02483 * b
    local inverse = 1.1239 + 1.1328 / (b - 3.4)
    local sure = 0.9277 - 3.6224 / (b - 2)
    local n, t, again = 0.0, 0, true
    while again do
        local u1, u2 = uniforms(i, t, 5, key, lock)
        local u, v = u1 - 0.5, 1 - u2
        local s = 0.5 - abs(u)
        n = (2 * a / s + b) * u + rate + 0.43
        n = n // 1
        again = not (s >= 0.07 and v <= sure)
            and (n < 0 or s < 0.013 and v > s
                or log(v * inverse / (a / (s * s) + b)) > n * log(rate) - rate - log_factorial(n))
        t = t + 1
    end
    return n
end

-- u: uniform.
function M.poisson(i, rate, u, key, lock)
    local n
    if rate < 10 then
        n = poisson_few(rate, u)
    else
        n = poisson_many(i, rate, key, lock)
    end
    return n
end

local function binomial_few(n, p, u)
    local q = 1 - p
    local x = q ^ n
    local sum, k, again = x, 0.0, x <= u and n > 0
    while again do
        k = k + 1
        x = x * ((n - k + 1) / k * (p / q))
        again = sum + x <= u and k < n and (sum + x > sum or k < n * p)
        sum = sum + x
    end
    return k
end

-- The same for binomial numbers, BTRS.
local function binomial_many(i, n, p, key, lock)
    local spread = sqrt(n * p * (1 - p))
    local b = 1.15 + 2.53 * spread
    local a = -0.0873 + 0.0248 * b + 0.01 * p
    local sure = 0.92 - 4.2 / b
    local alpha = (2.83 + 5.1 / b) * spread
    local odds = log(p / (1 - p))
    local mode = (n + 1) * p // 1
    local h = log_factorial(mode) + log_factorial(n - mode)
    local k, t, again = 0.0, 0, true
    while again do
        local u1, u2 = uniforms(i, t, 6, key, lock)
        local u, v = u1 - 0.5, 1 - u2
        local s = 0.5 - abs(u)
        k = (2 * a / s + b) * u + n * p + 0.5
        k = k // 1
        again = not (s >= 0.07 and v <= sure)
            and (k < 0 or k > n
                or log(v * alpha / (a / (s * s) + b))
                    > h - log_factorial(k) - log_factorial(n - k) + (k - mode) * odds)
        t = t + 1
    end
    return k
end

function M.binomial(i, n, p, u, key, lock)
    local least = p > 0.5 and 1 - p or p
    local k
    if n * least < 10 then
        k = binomial_few(n, least, u)
    else
        k = binomial_many(i, n, least, key, lock)
    end
    return p > 0.5 and n - k or k
end

return M
