-- Two thousand bodies that attract each other, by the leapfrog method: each step sums all four million forces. Energy,
-- momentum and angular momentum, which forces among the bodies do not change, are checked.
-- Usage: lunarray examples/nbody.lua [bodies [steps]]
-- prints:
--     2000 bodies, energy -0.9147
--     time 0.20: mean radius 0.438, energy -0.9147
--     time 0.40: mean radius 0.318, energy -0.9146
--     time 0.60: mean radius 0.092, energy -0.9187
--     time 0.80: mean radius 0.233, energy -0.9148
--     time 1.00: mean radius 0.345, energy -0.9149
local lun = require "lunarray"

local n, steps = tonumber(arg[1]) or 2000, tonumber(arg[2]) or 200
local dt, mass = 0.005, 1 / n
local soft = 0.05 ^ 2 -- added to squares of distances, so that no two bodies are too close for the step

-- What all bodies do to one at x, y, z: its acceleration and its potential, to which it adds itself.
local field = lun.map(function(x, y, z, xs, ys, zs)
    local ax, ay, az, potential = 0.0, 0.0, 0.0, 0.0
    for j = 1, #xs do
        local dx, dy, dz = xs[j] - x, ys[j] - y, zs[j] - z
        local near = 1 / math.sqrt(dx * dx + dy * dy + dz * dz + soft)
        local pull = mass * near * near * near
        ax, ay, az = ax + pull * dx, ay + pull * dy, az + pull * dz
        potential = potential - mass * near
    end
    return ax, ay, az, potential
end, { elements = 3 })

-- A cube of bodies that turns around the axis z, too slowly to keep its size.
local x, y, z = lun.eval(table.unpack(lun.random({ 3, n }, { seed = 1 }) - 0.5))
local vx, vy, vz = -y / 2, x / 2, lun.zeros(n)
local ax, ay, az, potential = lun.eval(field(x, y, z, x, y, z))

-- Energy, momentum along x, angular momentum around z.
local function conserved()
    local energy = mass / 2 * ((vx * vx + vy * vy + vz * vz + potential):sum() + 1 / math.sqrt(soft))
    return energy, mass * vx:sum(), mass * (x * vy - y * vx):sum()
end

local function kick()
    vx, vy, vz = vx + dt / 2 * ax, vy + dt / 2 * ay, vz + dt / 2 * az
end

local energy, momentum, spin = conserved()
print(("%d bodies, energy %.4f"):format(n, energy))
for step = 1, steps do
    kick()
    x, y, z = lun.eval(x + dt * vx, y + dt * vy, z + dt * vz)
    ax, ay, az, potential = lun.eval(field(x, y, z, x, y, z))
    kick()
    if step % math.max(steps // 5, 1) == 0 then
        local e, p, l = conserved()
        assert(math.abs(e / energy - 1) < 1e-2, "energy is lost")
        assert(math.abs(p - momentum) < 1e-12 and math.abs(l - spin) < 1e-12, "momentum is lost")
        print(("time %.2f: mean radius %.3f, energy %.4f"):format(step * dt, (x * x + y * y + z * z):sqrt():mean(), e))
    end
end
