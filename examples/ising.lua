-- The Ising model by random integers: spins on a square lattice, -1 or 1, flip by Metropolis' rule. Spins of one colour
-- of a chessboard have neighbours of the other colour alone: they flip at once. A spin of energy d flips if a random
-- integer of 0 .. 2^32 - 1 is below 2^32 exp(-d / T).
-- prints:
--     temperature  energy  exact    order  exact
--             1.5  -1.952  -1.951  0.987  0.986
--             2.0  -1.750  -1.746  0.914  0.911
--             2.2  -1.553  -1.546  0.789  0.785
--             2.6  -1.026  -1.028  0.056  0.000
--             3.5  -0.658  -0.660  0.036  0.000
local lun = require "lunarray"

local n, sweeps = 64, 240
local colours = { lun.generate({ n, n }, function(i, j) return (i + j) % 2 == 0 end):eval(),
    lun.generate({ n, n }, function(i, j) return (i + j) % 2 == 1 end):eval() }

local function neighbours(s)
    local function beside(k, axis) return s:shift(k, { axis = axis, edge = "wrap" }) end
    return beside(1, 1) + beside(-1, 1) + beside(1, 2) + beside(-1, 2)
end

-- The mean energy and magnetisation of a spin at a temperature, over the second half of the sweeps.
local function measure(temperature)
    local s, seed = lun.ones({ n, n }, "i32"), 0
    local energy, order = 0, 0
    local limits = (lun.exp(lun.vector { 0.0, -4, -8 } / temperature) * 2.0 ^ 32):cast "i64":eval() -- of d = 0, 4, 8
    for k = 1, sweeps do
        for _, colour in ipairs(colours) do
            seed = seed + 1
            local draws = lun.random({ n, n }, { dist = "integers", low = 0, high = (1 << 32) - 1, seed = seed })
            local d = s * neighbours(s) * 2
            local flips = colour:land(d:le(0):lor(draws:lt(limits:take((d // 4):clamp(0, 2) + 1))))
            s = lun.where(flips, 0 - s, s):eval()
        end
        if k > sweeps / 2 then
            energy = energy - (s * neighbours(s)):mean() / 2
            order = order + math.abs(s:mean())
        end
    end
    return energy / (sweeps / 2), order / (sweeps / 2)
end

-- Onsager's energy, by the arithmetic and geometric mean for the elliptic integral; Yang's magnetisation below the
-- critical temperature.
local function exact(temperature)
    local b = 1 / temperature
    local sinh, cosh = (math.exp(2 * b) - math.exp(-2 * b)) / 2, (math.exp(2 * b) + math.exp(-2 * b)) / 2
    local tanh = sinh / cosh
    local x, y = 1.0, math.sqrt(1 - (2 * sinh / cosh ^ 2) ^ 2)
    for _ = 1, 40 do
        x, y = (x + y) / 2, math.sqrt(x * y)
    end
    local integral = math.pi / (2 * x)
    local energy = -1 / tanh * (1 + 2 / math.pi * (2 * tanh ^ 2 - 1) * integral)
    return energy, sinh > 1 and (1 - sinh ^ -4) ^ 0.125 or 0.0
end

print "temperature  energy  exact    order  exact"
for _, temperature in ipairs { 1.5, 2.0, 2.2, 2.6, 3.5 } do
    local e, m = measure(temperature)
    local known_e, known_m = exact(temperature)
    print(("%11.1f  %6.3f  %6.3f  %5.3f  %5.3f"):format(temperature, e, known_e, m, known_m))
    assert(math.abs(e - known_e) < 0.03)
end
