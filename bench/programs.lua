-- Three programs as scripts say them: 20 steps of n-body, 5 rounds of k-means, 20 iterations of conjugate gradients.
-- usage: lunarray bench/programs.lua [workload]
-- programs.c has the same by hand, programs.py in numpy; sh bench/programs.sh runs them in turn and prints ratios.

package.path = "bench/?.lua;" .. package.path
local lun = require "lunarray"
local measure = require "measure"

local workloads = {}

-- The same numbers from 0 to 1 in all three languages.
local function uniform(n, root)
    return (lun.index(n) * math.sqrt(root)) % 1.0
end

-- A result, for comparison with those of the others.
local function check(name, x)
    print(("check %s ours %.17g"):format(name, x))
end

local field = lun.map(function(x, y, z, xs, ys, zs)
    local ax, ay, az = 0.0, 0.0, 0.0
    for j = 1, #xs do
        local dx, dy, dz = xs[j] - x, ys[j] - y, zs[j] - z
        local near = 1 / math.sqrt(dx * dx + dy * dy + dz * dz + 0.0025)
        local pull = near * near * near
        ax, ay, az = ax + pull * dx, ay + pull * dy, az + pull * dz
    end
    return ax, ay, az
end, { elements = 3 })

function workloads.nbody()
    local n, steps, dt = 2000, 20, 1e-6
    local x0, y0, z0 = lun.eval(uniform(n, 2), uniform(n, 3), uniform(n, 5))
    local function run()
        local x, y, z = x0, y0, z0
        local vx, vy, vz = lun.zeros(n), lun.zeros(n), lun.zeros(n)
        for _ = 1, steps do
            local ax, ay, az = field(x, y, z, x, y, z)
            vx, vy, vz = vx + dt * ax, vy + dt * ay, vz + dt * az
            x, y, z = x + dt * vx, y + dt * vy, z + dt * vz
        end
        return lun.eval(x, y, z)
    end
    check("nbody", run():sum())
    measure.run("nbody", "ours", steps, run, function(_, rep)
        x0[1] = rep / 100 -- no result is remembered
    end)
end

local nearest = lun.map(function(x, y, z, centres)
    local best, least = 1, math.huge
    for c = 1, #centres do
        local dx, dy, dz = x - centres[c][1], y - centres[c][2], z - centres[c][3]
        local d = dx * dx + dy * dy + dz * dz
        if d < least then
            best, least = c, d
        end
    end
    return best
end, { elements = 3 })

function workloads.kmeans()
    local n, k, rounds = 1 << 20, 16, 5
    local x, y, z = lun.eval(uniform(n, 2):cast "f32", uniform(n, 3):cast "f32", uniform(n, 5):cast "f32")
    local function run()
        local centres = lun.stack({ x:sub(1, k), y:sub(1, k), z:sub(1, k) }, 2)
        for _ = 1, rounds do
            local which = nearest(x, y, z, centres):eval()
            local count, sx, sy, sz = lun.zeros(k), lun.zeros(k), lun.zeros(k), lun.zeros(k)
            lun.each(n, function(i)
                local c = which[i]
                count[c] = count[c] + 1
                sx[c] = sx[c] + x[i]
                sy[c] = sy[c] + y[i]
                sz[c] = sz[c] + z[i]
            end)
            centres = (lun.stack({ sx, sy, sz }, 2) / count:max(1):view { k, 1 }):cast "f32":eval()
        end
        return centres
    end
    check("kmeans", (run():cast "f64" ^ 2):sum())
    measure.run("kmeans", "ours", rounds, run, function(_, rep)
        x[1] = rep / 100
    end)
end

local poisson = lun.stencil(function(u)
    local around = u(-1, 0, 0) + u(1, 0, 0) + u(0, -1, 0) + u(0, 1, 0) + u(0, 0, -1) + u(0, 0, 1)
    return 6 * u(0, 0, 0) - around
end, { edge = 0 })

function workloads.cg()
    local n, iterations = 128, 20
    local b = uniform(n * n * n, 2):reshape { n, n, n }:eval()
    local function run()
        local x, r, p = b * 0, b, b
        local rr = r:dot(r)
        for _ = 1, iterations do
            local q = poisson(p)
            local alpha = rr / lun.eval((p * q):lazy "sum", q)
            x, r = x + alpha * p, r - alpha * q
            local before = rr
            rr = lun.eval((r * r):lazy "sum", r, x)
            p = r + rr / before * p
        end
        return x
    end
    check("cg", run():dot(b))
    measure.run("cg", "ours", iterations, run, function(x, rep)
        x:free()
        b[1][1][1] = rep / 100
    end)
end

for _, name in ipairs { "nbody", "kmeans", "cg" } do
    if not arg[1] or arg[1] == name then
        workloads[name]()
    end
end
