-- Listing 3.3: the sequential list-mode OSEM, its loops as they stand: for each event of a subset the sum along its
-- path, then its share for each voxel of the path, then the next image. `lun.generate` and `lun.each` run the loops as
-- kernels, and give what plain Lua gives, which runs the same functions below. The image is flat, and events are lines
-- along its rows, columns and diagonals.
-- usage: lunarray examples/skelcl/listing_3_03.lua
local lun = require "lunarray"

local N, SUBSETS, EVENTS = 8, 3, 40

-- What the first loop does for event i, and the second one for voxel m of its path, of which some lie in the image.
local function project(events, f)
    return function(i)
        local fp = 0.0
        for m = 0, N - 1 do
            local x, y = events[i][3] + m * events[i][1], events[i][4] + m * events[i][2]
            if x >= 0 and x < N and y >= 0 and y < N then fp = fp + f[y * N + x + 1] end
        end
        return fp
    end
end
local function correct(events, fp, c)
    return function(i, m)
        local x, y = events[i][3] + (m - 1) * events[i][1], events[i][4] + (m - 1) * events[i][2]
        if x >= 0 and x < N and y >= 0 and y < N then c[y * N + x + 1] = c[y * N + x + 1] + 1 / fp[i] end
    end
end

-- A square in the image; lines in four directions, more of them where they cross it.
math.randomseed(7)
local subsets = {}
for s = 1, SUBSETS do
    local events = {}
    while #events < EVENTS do
        local x, y, way = math.random(0, N - 1), math.random(0, N - 1), math.random(4)
        if x >= 2 and x <= 4 and y >= 3 and y <= 5 or math.random() < 0.1 then
            local dx, dy = way == 2 and 0 or 1, way == 1 and 0 or way == 4 and -1 or 1
            local back = math.min(dx == 1 and x or N, dy == 1 and y or dy == -1 and N - 1 - y or N)
            events[#events + 1] = { dx, dy, x - back * dx, y - back * dy }
        end
    end
    subsets[s] = events
end

local f, plain = lun.ones(N * N):copy(), {}
for k = 1, N * N do plain[k] = 1.0 end
for s, events in ipairs(subsets) do
    local c, own = lun.zeros(N * N):copy(), {}
    local list = lun.vector(events)
    local fp = lun.generate(EVENTS, project(list, f)):eval()
    lun.each({ EVENTS, N }, correct(list, fp, c))
    f = lun.zip(function(x, y) return y > 0 and x * y or x end)(f, c):eval()

    for k = 1, N * N do own[k] = 0.0 end
    local sums, first = {}, project(events, plain)
    for i = 1, EVENTS do sums[i] = first(i) end
    local second = correct(events, sums, own)
    for i = 1, EVENTS do
        for m = 1, N do second(i, m) end
    end
    for k = 1, N * N do plain[k] = own[k] > 0 and plain[k] * own[k] or plain[k] end

    local same = true
    for k = 1, N * N do same = same and f[k] == plain[k] end
    print(("subset %d: largest voxel %d, bits of plain Lua: %s"):format(s, f:argmax(), same))
end
