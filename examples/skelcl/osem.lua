-- List-mode OSEM: an image is reconstructed from decays, of each of which only the line is known on which it happened.
-- Paths through the image are Siddon's. On several places (LUNARRAY_BACKEND=openmp/4, opencl:*) each has its part of
-- the events and an error image of its own; these are merged by addition, each place its part of the voxels, of which
-- the next image is a zip. What is printed is the same on any number of places.
-- usage: lunarray examples/skelcl/osem.lua [explicit | implicit [passes [slice.pgm]]]
local lun = require "lunarray"

local explicit = (arg[1] or "explicit") == "explicit"
local passes, file = math.tointeger(arg[2] or 1), arg[3]
local N, EVENTS, SUBSETS = 10, 9000, 4 -- voxels along an axis, events of a subset
local MOST = 3 * N                     -- voxels on a path

-- A phantom: a ball with a hot ball in it.
local function activity(x, y, z)
    local function within(cx, cy, cz, r) return (x - cx) ^ 2 + (y - cy) ^ 2 + (z - cz) ^ 2 < (r * N) ^ 2 end
    return within(0.35 * N, 0.4 * N, 0.5 * N, 0.14) and 6 or within(0.5 * N, 0.5 * N, 0.5 * N, 0.42) and 1 or 0
end

-- Events: a decay somewhere in the phantom, on a line in any direction, whose ends lie outside. Each is a record, so
-- that a subset is one vector of events, as in the report, which is distributed as one.
local Point = lun.struct("Point", { { "x", "f64" }, { "y", "f64" }, { "z", "f64" } })
local Event = lun.struct("Event", { { "a", Point }, { "b", Point } }, { layout = "soa" })
math.randomseed(42)
local ends = { {}, {}, {}, {}, {}, {} }
while #ends[1] < EVENTS * SUBSETS do
    local p, d = {}, {}
    for k = 1, 3 do p[k], d[k] = math.random() * N, 2 * math.random() - 1 end
    local length = math.sqrt(d[1] ^ 2 + d[2] ^ 2 + d[3] ^ 2)
    if math.random() * 6 < activity(p[1], p[2], p[3]) and length <= 1 and length > 0.1 then
        for k = 1, 3 do
            table.insert(ends[k], p[k] - d[k] * 2 * N / length)
            table.insert(ends[k + 3], p[k] + d[k] * 2 * N / length)
        end
    end
end

-- Siddon's path through the image: where the line from (x, y, z) along (dx, dy, dz) enters and leaves it, in lengths of
-- the line, and the voxel in which it enters.
local function enter(x, y, z, dx, dy, dz)
    local x0, y0, z0 = -x / dx, -y / dy, -z / dz
    local x1, y1, z1 = (N - x) / dx, (N - y) / dy, (N - z) / dz
    local from = math.max(math.min(x0, x1), math.min(y0, y1), math.min(z0, z1))
    local to = math.min(math.max(x0, x1), math.max(y0, y1), math.max(z0, z1))
    local px = math.max(0, math.min(N - 1, math.floor(x + from * dx)))
    local py = math.max(0, math.min(N - 1, math.floor(y + from * dy)))
    local pz = math.max(0, math.min(N - 1, math.floor(z + from * dz)))
    return from, to, px, py, pz
end

-- From a voxel to the next one: where, and where the line is then; behind the last one from is to.
local function step(x, y, z, dx, dy, dz, from, to, px, py, pz)
    local nx = ((dx > 0 and px + 1 or px) - x) / dx
    local ny = ((dy > 0 and py + 1 or py) - y) / dy
    local nz = ((dz > 0 and pz + 1 or pz) - z) / dz
    local next = math.min(nx, ny, nz, to)
    local length = math.max(0.0, next - from) * math.sqrt(dx * dx + dy * dy + dz * dz)
    if next == nx then px = px + (dx > 0 and 1 or -1)
    elseif next == ny then py = py + (dy > 0 and 1 or -1)
    else pz = pz + (dz > 0 and 1 or -1) end
    local inside = next < to and px >= 0 and px < N and py >= 0 and py < N and pz >= 0 and pz < N
    return length, inside and next or to, px, py, pz
end

-- Element m of the path of event i: the number of the voxel, and the length in it; 0 behind the last one.
local function path(events)
    return function(i, m)
        local a, b = events[i].a, events[i].b
        local x, y, z = a.x, a.y, a.z
        local dx, dy, dz = b.x - x, b.y - y, b.z - z
        local from, to, px, py, pz = enter(x, y, z, dx, dy, dz)
        local voxel, length, round = 1, 0.0, 0
        while round < m do
            voxel, length, round = 1, 0.0, round + 1
            if from < to then
                voxel = (pz * N + py) * N + px + 1
                length, from, px, py, pz = step(x, y, z, dx, dy, dz, from, to, px, py, pz)
            end
        end
        return voxel, length
    end
end

-- What an event adds to the error image where it has a length of its path: a whole number of these parts of 1, so that
-- sums do not depend on the order in which places and threads add.
local UNIT = 2.0 ^ 40

-- The error image of events, added up by a thread for each of them: each place has its own one, and its own events.
local function errors(f, events)
    local c = lun.zeros(#f, "i64"):copy():distribute("copy", { combine = "+" })
    lun.teams { league = EVENTS }(function(t)
        local voxels, lengths = t:private("i64", MOST), t:private("f64", MOST)
        local i = t:block()
        local a, b = events[i].a, events[i].b
        local x, y, z = a.x, a.y, a.z
        local dx, dy, dz = b.x - x, b.y - y, b.z - z
        local from, to, px, py, pz = enter(x, y, z, dx, dy, dz)
        local count = 0
        while from < to do
            count = count + 1
            voxels[count] = (pz * N + py) * N + px + 1
            lengths[count], from, px, py, pz = step(x, y, z, dx, dy, dz, from, to, px, py, pz)
        end
        local forward = t:reduce("+", MOST, function(m) return m <= count and f[voxels[m]] * lengths[m] or 0.0 end)
        for m = 1, count do lun.atomic.add(c, voxels[m], math.floor(lengths[m] / forward * UNIT)) end
    end)
    return c
end

-- The same with nothing said about places.
local function plain_errors(f, events)
    local voxels, lengths = lun.eval(lun.generate({ EVENTS, MOST }, path(events)))
    local forward = (f:take(voxels) * lengths):sum { axis = 2, keep = true }
    local parts = (lengths / forward * UNIT):floor():cast "i64"
    return lun.zeros(#f, "i64"):copy():put(voxels:flatten(), parts:flatten(), { combine = "+" })
end

local subsets = {}
for s = 1, SUBSETS do
    local function of(k) return lun.vector(table.move(ends[k], (s - 1) * EVENTS + 1, s * EVENTS, 1, {})) end
    subsets[s] = lun.vector({ a = { x = of(1), y = of(2), z = of(3) }, b = { x = of(4), y = of(5), z = of(6) } }, Event)
    if explicit then subsets[s]:distribute "block" end
end

local update = lun.zip(function(f, c) return c > 0 and f * (c / UNIT) or f end)
local truth = lun.generate({ N, N, N }, function(z, y, x)
    local dx, dy, dz = x - 0.5 - 0.5 * N, y - 0.5 - 0.5 * N, z - 0.5 - 0.5 * N
    local hx, hy, hz = x - 0.5 - 0.35 * N, y - 0.5 - 0.4 * N, z - 0.5 - 0.5 * N
    local hot = hx * hx + hy * hy + hz * hz < (0.14 * N) ^ 2
    return hot and 6 or dx * dx + dy * dy + dz * dz < (0.42 * N) ^ 2 and 1 or 0
end):flatten():cast "f64":eval()
truth = truth / truth:sum()

local f = lun.ones(N ^ 3 // 1):copy()
for pass = 1, passes do
    for s, events in ipairs(subsets) do
        local c
        if explicit then
            f:distribute "copy"
            c = errors(f, events)
            c:distribute "block" -- the error images are added up
            f:distribute "block"
        else
            c = plain_errors(f, events)
        end
        f = update(f, c):eval()
        local distance = f / f:sum() - truth
        local error = (distance:dot(distance) / truth:dot(truth)) ^ 0.5
        print(("iteration %d: error %.4f"):format((pass - 1) * SUBSETS + s, error))
    end
end

-- The slice in the middle, beside that of the phantom.
local middle = N // 2
local function shade(image, y, x)
    local v = image[((middle - 1) * N + y - 1) * N + x] / truth:max()
    return (" .:+*#@"):sub(math.min(7, math.floor(v * 7) + 1)):sub(1, 1)
end
local image = f / f:sum()
for y = 1, N do
    local line = {}
    for x = 1, 2 * N + 2 do
        line[x] = x <= N and shade(image, y, x) or x > N + 2 and shade(truth, y, x - N - 2) or " "
    end
    print((table.concat(line):gsub(" +$", "")))
end
local sum = 0
for _, x in f:iter() do sum = (sum * 31 + string.unpack("i8", string.pack("d", x))) & 0xffffffffff end
print(("image %010x"):format(sum))

if file then
    local slice = image:reshape(N, N, N)[middle] / truth:max() * 255
    assert(lun.save(file, slice:min(255):cast "u8"))
end
