-- Particles that fall and bounce in a box, as records: the same function moves structs side by side in memory ("aos"),
-- fields apart ("soa") and, called by Lua itself, plain tables; all three have to agree to the last bit.
-- Needs a C compiler: functions in it are C text.
-- Usage: lunarray examples/particles.lua [particles [steps]]
-- prints:
--     struct Particle { f64 x; f64 y; f64 vx; f64 vy; i32 hits; } (aos, 40 bytes)
--     100000 particles, 300 steps
--     hits per particle: mean 3.2, at most 179
--     the same bits side by side, apart and in plain Lua
--     energy per particle: 0.83 at first, 0.61 at last
--     at rest in the lower half: 71 of them
local lun = require "lunarray"

local n, steps = tonumber(arg[1]) or 100000, tonumber(arg[2]) or 300
local dt, gravity, bounce = 0.01, 1.0, 0.9 -- of the speed is left after a bounce

local FIELDS = { { "x", "f64" }, { "y", "f64" }, { "vx", "f64" }, { "vy", "f64" }, { "hits", "i32" } }
local Particle = lun.struct("Particle", FIELDS)
local Apart = lun.struct("Particle", FIELDS, { layout = "soa" })

-- A step along one axis of the unit box: place, speed and 1 if it has hit a wall.
local function along(x, v)
    x = x + dt * v
    if x < 0 then
        return -x, -v * bounce, 1
    elseif x > 1 then
        return 2 - x, -v * bounce, 1
    end
    return x, v, 0
end

-- A particle after a step.
local function moved(p)
    local x, vx, sides = along(p.x, p.vx)
    local y, vy, ends = along(p.y, p.vy - dt * gravity)
    return Particle(x, y, vx, vy, p.hits + sides + ends)
end

local step = lun.map(moved)

-- Kinetic and potential energy; in C the record is a struct.
local energy = lun.map "double f(Particle p, double g) { return (p.vx * p.vx + p.vy * p.vy) / 2 + g * p.y; }"

local place, speed = lun.random({ 2, n }, { seed = 1 }), lun.random({ 2, n }, { seed = 2 }) * 2 - 1
local start = lun.vector({ x = place[1], y = place[2], vx = speed[1], vy = speed[2], hits = 0 }, Particle)
local a, b = start:copy(), start:copy { layout = "soa" }
assert(a:layout() == "aos" and b:layout() == "soa" and #lun.zeros(0, Apart) == 0)
print(Particle)
print(("%d particles, %d steps"):format(n, steps))

for _ = 1, steps do
    a:set(step(a))
    step:run { b, out = b }
end
print(("hits per particle: mean %.1f, at most %d"):format(a.hits:mean(), a.hits:max()))

for _, name in ipairs { "x", "y", "vx", "vy", "hits" } do
    assert(a:field(name):eq(b:field(name)):all(), "the layouts differ")
end
for i = 1, n, math.max(n // 50, 1) do
    local p = start[i]
    for _ = 1, steps do
        p = moved(p)
    end
    for name, value in pairs(p) do
        assert(a[i][name] == value, "plain Lua differs")
    end
end
print "the same bits side by side, apart and in plain Lua"

print(("energy per particle: %.2f at first, %.2f at last"):format(energy(start, gravity):mean(),
    energy(a, gravity):mean()))
local slow = a:map(function(p) return p.vx * p.vx + p.vy * p.vy < 1e-3 and p.y < 0.5 end)
print(("at rest in the lower half: %d of them"):format(slow:cast "i64":sum()))
