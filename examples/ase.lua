-- Amplified spontaneous emission in a laser's gain medium by Monte Carlo, in the manner of HASEonGPU. Model: a ball
-- of radius 1 emits light everywhere and in all directions, one unit of it from each unit of volume; on its way light
-- grows by exp(integral of the gain), which a table gives for shells. What reaches a point is 1 / (4 pi) times the
-- integral over directions, and along each up to the surface, of that factor; rays take a random direction and a
-- random distance. Of uniform gain g closed forms are known: at the centre (e^g - 1) / g, at the surface ((e^(2 g) -
-- 1) / (2 g) - 1) / (2 g).
-- Usage: lunarray examples/ase.lua [rays for each point]
-- prints:
--     no gain: at the centre 1.000, at the surface 0.501
--     uniform gain 2: at the centre 3.19, exactly 3.19; at the surface 3.11, exactly 3.10
--     gain that falls outwards from 3: at the centre 4.13, by an integral along a radius 4.13
local lun = require "lunarray"

local rays, teams, steps, shells = tonumber(arg[1]) or 100000, 64, 32, 50

-- Each team sums up its share of a point's rays.
local function trace(t, sums, random, gain, px)
    local share = #random[1] // t:blocks()
    local sum = 0.0
    for ray = (t:block() - 1) * share + 1, t:block() * share do
        -- a direction at the angle acos(mu) to that of the point; the ball is the same around it
        local mu = 2 * random[1][ray] - 1
        local along = px * mu
        local length = math.sqrt(along * along + 1 - px * px) - along -- up to the surface
        local step = length * random[2][ray] / steps
        local growth = 0.0
        for k = 1, steps do
            local s = (k - 0.5) * step
            local r = math.sqrt(px * px + 2 * along * s + s * s)
            growth = growth + gain[math.min(math.floor(r * #gain), #gain - 1) + 1] * step
        end
        sum = sum + length * math.exp(growth)
    end
    sums[t:block()] = sum / (share * t:blocks())
end

local random = lun.random({ 2, rays // teams * teams }, { seed = 1 }):eval()

-- What reaches a point at distance px from the centre, and the standard error of that.
local function flux(gain, px)
    local sums = lun.zeros(teams)
    lun.teams { league = teams }(trace, sums, random, gain, px)
    return sums:sum() + 0, sums:std() * math.sqrt(teams) + 0
end

local function check(gain, px, exact)
    local found, spread = flux(gain, px)
    assert(math.abs(found - exact) < 4 * spread + 1e-3 * exact, found)
    return found
end

local function uniform(g) return lun.full(shells, g + 0.0):eval() end

local function at_centre(g) return g == 0 and 1 or (math.exp(g) - 1) / g end
local function at_surface(g) return g == 0 and 0.5 or ((math.exp(2 * g) - 1) / (2 * g) - 1) / (2 * g) end

print(("no gain: at the centre %.3f, at the surface %.3f"):format(check(uniform(0), 0.0, at_centre(0)),
    check(uniform(0), 1.0, at_surface(0))))

local g = 2
local inside, outside = check(uniform(g), 0.0, at_centre(g)), check(uniform(g), 1.0, at_surface(g))
print(("uniform gain %d: at the centre %.2f, exactly %.2f; at the surface %.2f, exactly %.2f")
    :format(g, inside, at_centre(g), outside, at_surface(g)))

-- A medium that is pumped from its middle: the flux at the centre is the integral along a radius of
-- exp(integral of the gain).
local profile = (3 * (1 - ((lun.index(shells) - 0.5) / shells) ^ 2)):eval()
local exact, growth, parts = 0, 0, 100
for i = 1, shells do
    for _ = 1, parts do
        local step = 1 / (shells * parts)
        exact = exact + math.exp(growth + profile[i] * step / 2) * step
        growth = growth + profile[i] * step
    end
end
print(("gain that falls outwards from 3: at the centre %.2f, by an integral along a radius %.2f"):format(
    check(profile, 0.0, exact), exact))
