"""Makes random_values.lua, what random_spec.lua compares with: the first elements of each distribution, by a program of its
own from the documented definitions. usage: python3 random_values.py >random_values.lua"""
from math import cos, exp, floor, lgamma, log, log1p, pi, sin, sqrt

MASK = 0xFFFFFFFF
SEED = 0x0123456789ABCDEF


def philox(seed, counter):
    key = [seed & MASK, seed >> 32]
    x = list(counter)
    for _ in range(10):
        p, q = x[0] * 0xD2511F53, x[2] * 0xCD9E8D57
        x = [(q >> 32) ^ x[1] ^ key[0], q & MASK, (p >> 32) ^ x[3] ^ key[1], p & MASK]
        key = [(key[0] + 0x9E3779B9) & MASK, (key[1] + 0xBB67AE85) & MASK]
    return x


def words(k, t, g):
    x = philox(SEED, (k & MASK, k >> 32, t, g))
    return x[0] | x[1] << 32, x[2] | x[3] << 32


def pair(k, t, g):
    return tuple((w >> 11) * 2.0 ** -53 for w in words(k, t, g))


def uniform(k):
    """Element k of the engine's uniform numbers: two to a block."""
    x = philox(SEED, (k // 2 & MASK, k // 2 >> 32, 0, 0))
    return ((x[2 * (k % 2)] | x[2 * (k % 2) + 1] << 32) >> 11) * 2.0 ** -53


def normal(k):
    u1, u2 = uniform(2 * k) + 2.0 ** -53, uniform(2 * k + 1)
    d = abs(2 * u2 - 1)  # cos(2 pi u2) = -cos(pi d), exact where it is small
    return sqrt(-2 * log(u1)) * (sin(pi * (d - 0.5)) if d > 0.25 else -cos(pi * d))


def signed(x):
    return x - 2 ** 64 if x >= 2 ** 63 else x


def integer(k, low, high):
    s, t = high - low + 1, 0
    while True:
        w = words(k, t, 1)[0]
        if s == 2 ** 64:
            return signed(low + w & 2 ** 64 - 1)
        if w * s % 2 ** 64 >= 2 ** 64 % s:
            return low + (w * s >> 64)
        t += 1


def gamma(k, a, scale, g=2):
    d = (a + 1 if a < 1 else a) - 1 / 3
    c, t = 1 / sqrt(9 * d), 0
    while True:
        u1, u2 = pair(k, 2 * t, g)
        x = sqrt(-2 * log(1 - u1)) * cos(2 * pi * u2)
        v = (1 + c * x) ** 3
        u, w = pair(k, 2 * t + 1, g)
        if v > 0 and log(1 - u) < 0.5 * x * x + d - d * v + d * log(v):
            return scale * d * v * ((1 - w) ** (1 / a) if a < 1 else 1)
        t += 1


def beta(k, a, b):
    x, y = gamma(k, a, 1, 3), gamma(k, b, 1, 4)
    return x / (x + y)


def few(u, p, step):
    total, n = p, 0
    while total <= u:
        n += 1
        p *= step(n)
        total += p
    return n


def poisson(k, rate):
    if rate < 10:
        return few(uniform(k), exp(-rate), lambda n: rate / n)
    b = 0.931 + 2.53 * sqrt(rate)
    a = -0.059 + 0.02483 * b
    t = 0
    while True:
        u, v = pair(k, t, 5)
        u, v = u - 0.5, 1 - v
        us = 0.5 - abs(u)
        n = floor((2 * a / us + b) * u + rate + 0.43) if us else -1
        if us >= 0.07 and v <= 0.9277 - 3.6224 / (b - 2):
            return n
        if n >= 0 and (us >= 0.013 or v <= us):
            if log(v * (1.1239 + 1.1328 / (b - 3.4)) / (a / us ** 2 + b)) <= n * log(rate) - rate - lgamma(n + 1):
                return n
        t += 1


def binomial(k, n, p):
    if p > 0.5:
        return n - binomial(k, n, 1 - p)
    if n * p < 10:
        return few(uniform(k), (1 - p) ** n, lambda i: (n - i + 1) / i * (p / (1 - p)))
    spread = sqrt(n * p * (1 - p))
    b = 1.15 + 2.53 * spread
    a = -0.0873 + 0.0248 * b + 0.01 * p
    m = floor((n + 1) * p)
    t = 0
    while True:
        u, v = pair(k, t, 6)
        u, v = u - 0.5, 1 - v
        us = 0.5 - abs(u)
        x = floor((2 * a / us + b) * u + n * p + 0.5) if us else -1
        if us >= 0.07 and v <= 0.92 - 4.2 / b:
            return x
        if 0 <= x <= n:
            likely = lgamma(m + 1) + lgamma(n - m + 1) - lgamma(x + 1) - lgamma(n - x + 1)
            if log(v * (2.83 + 5.1 / b) * spread / (a / us ** 2 + b)) <= likely + (x - m) * log(p / (1 - p)):
                return x
        t += 1


COUNT = 40
ROWS = [
    ('dist = "integers", low = 1, high = 6', lambda k: integer(k, 1, 6)),
    ('dist = "integers", low = -5, high = 1 << 62', lambda k: integer(k, -5, 2 ** 62)),
    ('dist = "integers", low = math.mininteger, high = math.maxinteger', lambda k: integer(k, -2 ** 63, 2 ** 63 - 1)),
    ('dist = "integers", low = -3, high = math.maxinteger', lambda k: integer(k, -3, 2 ** 63 - 1)),
    ('dist = "bernoulli", p = 0.3', lambda k: "true" if uniform(k) < 0.3 else "false"),
    ('dist = "normal"', normal),
    ('dist = "exponential", scale = 2', lambda k: -2 * log(1 - uniform(k))),
    ('dist = "geometric", p = 0.2', lambda k: floor(log1p(-uniform(k)) / log1p(-0.2)) + 1),
    ('dist = "gamma", shape = 2.5, scale = 3', lambda k: gamma(k, 2.5, 3)),
    ('dist = "gamma", shape = 0.3', lambda k: gamma(k, 0.3, 1)),
    ('dist = "beta", a = 0.5, b = 3', lambda k: beta(k, 0.5, 3)),
    ('dist = "chisquare", df = 3', lambda k: 2 * gamma(k, 1.5, 1, 3)),
    ('dist = "poisson", rate = 4', lambda k: poisson(k, 4)),
    ('dist = "poisson", rate = 25.5', lambda k: poisson(k, 25.5)),
    ('dist = "poisson", rate = 1e6', lambda k: poisson(k, 1e6)),
    ('dist = "binomial", n = 12, p = 0.3', lambda k: binomial(k, 12, 0.3)),
    ('dist = "binomial", n = 1000, p = 0.7', lambda k: binomial(k, 1000, 0.7)),
]

print("-- Made by random_values.py: options, and the first elements of seed 0x0123456789abcdef.")
print("return {")
for options, draw in ROWS:
    values = [draw(k) for k in range(COUNT)]
    print("    { options = { %s }," % options)
    line = "       "
    print("        values = {")
    for value in values:
        text = value if isinstance(value, str) else value.hex() if isinstance(value, float) else "%d" % value
        text = "math.mininteger" if text == str(-2 ** 63) else text
        if len(line) + len(text) > 117:
            print(line)
            line = "       "
        line += " %s," % text
    print(line)
    print("        } },")
print("}")
