-- Operands for the difference tests: per dtype, values at which things go wrong, all pairs of them, and
-- random ones from a generator of its own, so that a seed means the same everywhere.

local operands = {}

-- ---------------------------------------------------------------- random numbers

-- A generator: next() gives 64 bits (splitmix64).
function operands.generator(seed)
    local state = seed
    local g = {}

    function g.bits()
        state = state + 0x9e3779b97f4a7c15
        local z = state
        z = (z ~ (z >> 30)) * 0xbf58476d1ce4e5b9
        z = (z ~ (z >> 27)) * 0x94d049bb133111eb
        return z ~ (z >> 31)
    end

    -- An integer in 1 .. n.
    function g.pick(n)
        return (g.bits() >> 1) % n + 1
    end

    -- A float in [0, 1).
    function g.unit()
        return (g.bits() >> 11) * 2.0 ^ -53
    end

    function g.one_of(list)
        return list[g.pick(#list)]
    end

    return g
end

-- ---------------------------------------------------------------- special values

local nan, inf = 0.0 / 0.0, math.huge

local function integers(t)
    local w = t.bits
    local list = { 0, 1, 2, 3, 7, w - 1, w, w + 1, t.high, t.high - 1, t.high >> 1, (t.mask >> 1) & 0x5555555555555555 }
    if t.kind == "signed" then
        table.move({ -1, -2, -3, -7, 1 - w, -w, t.low, t.low + 1, t.low // 2, -(1 << (w // 2)) }, 1, 10, #list + 1, list)
    else
        table.move({ 1 << (w - 1), (1 << (w - 1)) - 1, (1 << (w - 1)) + 1, 1 << (w // 2) }, 1, 4, #list + 1, list)
    end
    return list
end

-- whole: from there on every float is an integer.
local function floats(t)
    local last = 2.0 ^ -t.mantissa -- what 1 and the next float differ by
    local normal = 2.0 ^ t.least
    local tiny = normal * last
    local huge = (2.0 - last) * 2.0 ^ t.greatest
    local whole = 1 / last
    local below_half = 0.5 - last / 4
    local list = { nan }
    for _, x in ipairs {
        0.0, 1.0, 0.5, 1.5, 2.5, 2.0, 3.0, 0.1, inf, tiny, 3 * tiny, normal - tiny, normal, huge, huge / 2, whole,
        whole + 1, whole / 2 + 0.5, below_half, 1 + last, 100.0, math.pi,
    } do
        x = t.round(x)
        list[#list + 1] = x
        list[#list + 1] = -x
    end
    return list
end

function operands.special(t)
    if t.kind == "bool" then
        return { false, true }
    end
    return t.is_float and floats(t) or integers(t)
end

-- ---------------------------------------------------------------- random values

-- A float of dtype t: half of them of everyday size, the others of any exponent.
local function random_float(t, g)
    if g.pick(2) == 1 then
        return t.round((g.unit() - 0.5) * 2.0 ^ g.pick(12))
    end
    local sign = g.pick(2) == 1 and 1 or -1
    local low, high = t.least - t.mantissa, t.greatest
    return t.round(sign * (1 + g.unit()) * 2.0 ^ (low + g.pick(math.tointeger(high - low))))
end

function operands.random(t, g)
    if t.kind == "bool" then
        return g.pick(2) == 1
    elseif t.is_float then
        return random_float(t, g)
    end
    -- of any magnitude: small ones meet more often
    return t.wrap(t.wrap(g.bits()) >> (g.pick(t.bits) - 1))
end

-- Lists a, b, c: all pairs of special values, then `extra` random ones. Where no_zero, b holds no zero.
function operands.lists(t, extra, seed, no_zero)
    local g = operands.generator(seed)
    local special = operands.special(t)
    local a, b, c = {}, {}, {}
    for _, x in ipairs(special) do
        for _, y in ipairs(special) do
            a[#a + 1], b[#b + 1], c[#c + 1] = x, y, g.one_of(special)
        end
    end
    for _ = 1, extra do
        a[#a + 1], b[#b + 1], c[#c + 1] = operands.random(t, g), operands.random(t, g), operands.random(t, g)
    end
    if no_zero then
        for i, x in ipairs(b) do
            b[i] = x == 0 and t.wrap(i * 2 + 1) or x
        end
    end
    return a, b, c
end

-- The numbers of a script that an array of dtype t may meet.
function operands.numbers(t)
    if t.kind == "bool" then
        return { 0, 1, -5, 2.5, true, false }
    elseif t.is_float then
        return { 0, 3, -2, 16777217, 0.1, -0.0, 2.5, inf, nan, 1e300 }
    end
    local list = { 0, 1, 2, 7, t.bits - 1, t.is_wide and math.maxinteger or t.high, 2.5, -0.5, nan }
    if t.kind == "signed" then
        table.move({ -1, -3, t.low }, 1, 3, #list + 1, list)
    end
    return list
end

return operands
