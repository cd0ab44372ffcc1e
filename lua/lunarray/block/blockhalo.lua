-- Methods of blocked arrays that read elements around each one, along the axis that ranks share: each rank gets the
-- rows before and behind its part, runs the method on part and halo, and keeps its own. Knows no transport.

local blocked = require "lunarray.block.blocked"
local core = require "lunarray.core"
local spread = require "lunarray.block.spread"

local net = core.internal.spmd
local npes, mype = net.start()

local halo = {}

-- Rows of n, from 0, that a PE's halo has in turn: wrapped before, before, behind, wrapped behind; low == high: none.
local function rows_around(s, pe, before, behind, wraps)
    local n, first, count = s.shape[1], spread.box(s, pe)
    local low, high = first[1] - 1, first[1] - 1 + count[1]
    if count[1] == 0 or count[1] == n then
        return { { 0, 0 }, { 0, 0 }, { 0, 0 }, { 0, 0 } }, 0
    end
    local up, down = math.min(before, low), math.min(behind, n - high)
    local far_up, far_down = wraps and before - up or 0, wraps and behind - down or 0
    return { { n - far_up, n }, { low - up, low }, { high, high + down }, { 0, far_down } }, far_up + up
end

-- This rank's part of a, by rows, between rows of others; how many of them stand before it.
local function widened(a, before, behind, wraps, said)
    local s = blocked.spread_of(a)
    local part, width = blocked.part_of(a), spread.size(s.shape) // math.max(s.shape[1], 1)
    local pieces, dtype = {}, part:dtype()
    for k = 1, 4 do
        pieces[k] = blocked.fetch(a, function(pe)
            local rows = rows_around(s, pe, before, behind, wraps)[k]
            return rows[1] * width, rows[2] * width
        end, said)
    end
    local function rows(bytes)
        local flat = core.frombytes(bytes, dtype)
        return flat:reshape(#flat // width, table.unpack(s.shape, 2))
    end
    local head, tail = pieces[1] .. pieces[2], pieces[3] .. pieces[4]
    if #head + #tail > 0 then
        part = core.concat({ rows(head), part, rows(tail) }, 1)
    end
    return part, select(2, rows_around(s, mype, before, behind, wraps))
end

-- a[name](a, ...) of elements up to so many rows away; results are blocked as a is. nil: the halo would be all of a.
local function around(a, name, before, behind, wraps, ...)
    local s = blocked.spread_of(a)
    if not spread.is_flat(s) or a:size() == 0 or before + behind > s.shape[1] // math.max(npes - 1, 1) then
        return nil
    end
    blocked.evaluated(a)
    local _, count = spread.box(s, mype)
    local all, first = widened(a, before, behind, wraps, {
        ("%s %s with a halo"):format(name, blocked.kind_of(a)), "a halo",
        ("%s %d %d %s"):format(name, before, behind, s.key),
    })
    local results = table.pack(all[name](all, ...))
    for k = 1, results.n do
        local own = { { first + 1, first + count[1] } }
        for d = 2, #s.shape do
            own[d] = { 1, s.shape[d] }
        end
        results[k] = all == blocked.part_of(a) and results[k] or results[k]:sub(table.unpack(own)):copy()
    end
    return blocked.wrap(s, table.unpack(results, 1, results.n))
end

-- The value for the first axis of an option that is one for all axes, or a list by axis.
local function of_first(x)
    if type(x) == "table" then
        return x[1]
    end
    return x
end

-- a:shift(k [, {axis=, edge=}]); nil: it has no halo.
function halo.shift(a, k, options)
    local s = blocked.spread_of(a)
    core.zeros(s.shape, a:dtype()):shift(k, options) -- raises what is wrong with the arguments
    options = options or {}
    local axis = options.axis or 1
    axis = axis < 0 and axis + #s.shape + 1 or axis
    if s.grid[axis] == 1 then
        return blocked.wrap(s, blocked.part_of(a):shift(k, options))
    end
    return axis == 1 and around(a, "shift", math.max(k, 0), math.max(-k, 0), options.edge == "wrap", k, options) or nil
end

-- a:stencil(f, ..., {radius=, ...}); nil: it has no halo, or does not say how far f looks.
function halo.stencil(a, ...)
    local count = select("#", ...)
    local options = select(math.max(count, 1), ...)
    local radius = count > 1 and type(options) == "table" and getmetatable(options) == nil and of_first(options.radius)
    if math.type(radius) ~= "integer" or radius < 0 then
        return nil
    end
    return around(a, "stencil", radius, radius, of_first(options.edge) == "wrap", blocked.whole(...))
end

return halo
