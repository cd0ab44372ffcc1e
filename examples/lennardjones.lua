-- Molecular dynamics in the manner of miniMD: Lennard-Jones atoms in a periodic box, from a crystal that melts;
-- density, temperature, cutoff and time step are that program's. Every twenty steps atoms are sorted into cells, and
-- a team kernel writes each atom's neighbours out of the 27 cells around it; another one adds up forces. Energy and
-- momentum are conserved.
-- Usage: lunarray examples/lennardjones.lua [cells along an edge [steps]]
-- prints:
--     1372 atoms, energy -4.17 an atom
--     step  250: temperature 0.76, energy -4.17
--     step  500: temperature 0.71, energy -4.17
--     step  750: temperature 0.73, energy -4.17
--     step 1000: temperature 0.71, energy -4.17
--     energy is conserved to 1e-3 of itself, momentum to 1e-10
local lun = require "lunarray"

local edge, steps = tonumber(arg[1]) or 7, tonumber(arg[2]) or 1000
local n, density, dt, cutoff, skin, most = 4 * edge ^ 3 // 1 | 0, 0.8442, 0.005, 2.5, 0.3, 120
local size = (n / density) ^ (1 / 3)
local cells = (size / (cutoff + skin)) // 1 | 0
assert(cells >= 3, "the box is too small for its cells")

-- A crystal of cubes, an atom at a corner and at the middle of three sides, and velocities of temperature 1.44.
local cube, site = (lun.index(n) - 1) // 4, (lun.index(n) - 1) % 4 + 1
local function crystal(corner, within) return ((corner + lun.vector(within):take(site)) * (size / edge)):eval() end
local x = crystal(cube % edge, { 0, 0.5, 0.5, 0 })
local y = crystal(cube // edge % edge, { 0, 0.5, 0, 0.5 })
local z = crystal(cube // (edge * edge), { 0, 0, 0.5, 0.5 })
local v = lun.random({ 3, n }, { seed = 1 }) - 0.5
v = v - v:mean { axis = 2, keep = true }
v = (v * math.sqrt(1.44 * 3 * n / ((v * v):sum() + 0))):eval()
local vx, vy, vz = v[1]:copy(), v[2]:copy(), v[3]:copy()

local neighbours, counts = lun.zeros({ n, most }, "i32"), lun.zeros(n, "i32")

-- The shortest way from one atom to another, some image of it.
local function short(d)
    if d > size / 2 then return d - size elseif d < -size / 2 then return d + size end
    return d
end

-- Sorts atoms into cells, then lists those that may come near before the next time.
local function list_neighbours()
    local cell = ((x / size * cells):floor():min(cells - 1) * cells + (y / size * cells):floor():min(cells - 1)) * cells
        + (z / size * cells):floor():min(cells - 1) + 1
    cell = cell:cast "i64"
    local order = cell:argsort()
    local first = cell:take(order):searchsorted(lun.index(cells ^ 3 // 1 + 1 | 0)):eval()
    local reach = (cutoff + skin) ^ 2
    lun.teams(lun.workdiv(n, { elements = 4 }))(function(t, list, count, px, py, pz, own, sorted, begin)
        for i = t:index(), math.min(t:index() + t:elements() - 1, #count) do
            local c, found = own[i] - 1, 0
            local cx, cy, cz = c // (cells * cells), c // cells % cells, c % cells
            for d = 0, 26 do
                local a, b, e = (cx + d // 9 - 1) % cells, (cy + d // 3 % 3 - 1) % cells, (cz + d % 3 - 1) % cells
                local other = (a * cells + b) * cells + e + 1
                for k = begin[other], begin[other + 1] - 1 do
                    local j = sorted[k]
                    local dx, dy, dz = short(px[j] - px[i]), short(py[j] - py[i]), short(pz[j] - pz[i])
                    if j ~= i and dx * dx + dy * dy + dz * dz < reach then
                        found = found + 1
                        list[i][found] = j
                    end
                end
            end
            count[i] = found
        end
    end, neighbours, counts, x, y, z, cell, order, first)
end

-- Forces and each atom's half of the potential, which is zero at the cutoff.
local shift = 4 * (cutoff ^ -12 - cutoff ^ -6)
local fx, fy, fz, potential = lun.zeros(n), lun.zeros(n), lun.zeros(n), lun.zeros(n)
local sum_forces = lun.teams(lun.workdiv(n, { elements = 4 }))
local function forces(t, ax, ay, az, u, px, py, pz, list, count)
    for i = t:index(), math.min(t:index() + t:elements() - 1, #count) do
        local sx, sy, sz, su = 0.0, 0.0, 0.0, 0.0
        for k = 1, count[i] do
            local j = list[i][k]
            local dx, dy, dz = short(px[i] - px[j]), short(py[i] - py[j]), short(pz[i] - pz[j])
            local square = dx * dx + dy * dy + dz * dz
            if square < cutoff * cutoff then
                local inverse = 1 / square
                local sixth = inverse * inverse * inverse
                local f = 48 * sixth * (sixth - 0.5) * inverse
                sx, sy, sz = sx + f * dx, sy + f * dy, sz + f * dz
                su = su + 2 * sixth * (sixth - 1) - shift / 2
            end
        end
        ax[i], ay[i], az[i], u[i] = sx, sy, sz, su
    end
end

local function kinetic() return 0.5 * (vx:dot(vx) + vy:dot(vy) + vz:dot(vz)) / n end

local function turn() -- to new forces
    sum_forces(forces, fx, fy, fz, potential, x, y, z, neighbours, counts)
end

list_neighbours()
turn()
local energy = kinetic() + potential:mean()
print(("%d atoms, energy %.2f an atom"):format(n, energy))
local worst = 0
for step = 1, steps do
    vx, vy, vz = lun.eval(vx + dt / 2 * fx, vy + dt / 2 * fy, vz + dt / 2 * fz)
    x, y, z = lun.eval((x + dt * vx) % size, (y + dt * vy) % size, (z + dt * vz) % size)
    if step % 20 == 0 then list_neighbours() end
    turn()
    vx, vy, vz = lun.eval(vx + dt / 2 * fx, vy + dt / 2 * fy, vz + dt / 2 * fz)
    if step % 50 == 0 then
        local k = kinetic()
        worst = math.max(worst, math.abs((k + potential:mean()) / energy - 1))
        if step % (steps // 4) == 0 then
            print(("step %4d: temperature %.2f, energy %.2f"):format(step, k / 1.5, k + potential:mean()))
        end
    end
end
local momentum = math.abs(vx:sum() + 0) + math.abs(vy:sum() + 0) + math.abs(vz:sum() + 0)
assert(worst < 1e-3, worst)
assert(momentum < 1e-10 * n, momentum)
print "energy is conserved to 1e-3 of itself, momentum to 1e-10"
