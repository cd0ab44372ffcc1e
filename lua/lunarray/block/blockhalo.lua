-- Methods of blocked arrays that read elements around each one. Where the first axis wraps, what stands beyond its ends
-- is brought to the ranks that have them as further rows, so that none has all rows between. Knows no transport.

local blocked = require "lunarray.block.blocked"
local core = require "lunarray.core"
local misuse = require "lunarray.base.misuse"
local over = require "lunarray.block.blockover"
local spread = require "lunarray.block.spread"

local npes, mype = core.internal.spmd.start()

local halo = {}

-- a[name](a, ...), which reads rows up to so far away and wraps; its arguments say that it does not. nil: the halo
-- would be all of a, or one rank has all.
local function wrapped(a, name, before, behind, ...)
    local x = over.by_rows(a)
    local s = blocked.spread_of(x)
    local n, at, first, last = s.shape[1], over.slices_of(s), nil, nil
    for pe = 0, npes - 1 do
        if at.bounds[pe + 1] < at.bounds[pe + 2] then
            first, last = first or pe, pe
        end
    end
    if first == last or before + behind > n // (npes - 1) then
        return nil
    end
    local head = blocked.moved(x, spread.rows_at(s, before, first), { n - before })
    local tail = blocked.moved(x, spread.rows_at(s, behind, last), { 0 })
    local part, low = core.concat({ head, blocked.part_of(x), tail }, 1):eval(), at.bounds[mype + 1]
    for k, row in ipairs(at.bounds) do
        at.bounds[k] = row + (k > first + 1 and before or 0) + (k > last + 1 and behind or 0)
    end
    at.shape = { n + before + behind, table.unpack(s.shape, 2) }
    local results, parts = over.slices(at, part, nil, function(all, ...)
        return all[name](all, ...)
    end, ...)
    for k = 1, results.n do -- of parts the rows that are a's
        local from = parts[k] and (mype == first and before or 0) - low or before
        local own = blocked.box_of(results[k], s, mype, { from }):copy()
        results[k] = blocked.in_spread(blocked.make(s, own), blocked.spread_of(a))
    end
    return table.unpack(results, 1, results.n)
end

-- The value for an axis of an option that is one for all axes, or a list by axis.
local function of_axis(x, d)
    if type(x) == "table" then
        return x[d]
    end
    return x
end

-- a:shift(k [, {axis=, edge=}])
function halo.shift(a, k, options)
    local s = blocked.spread_of(a)
    local like = core.zeros(s.shape, a:dtype()):shift(k, options) -- raises what is wrong with the arguments
    options = options or {}
    if core.internal.has_missing(like) then
        misuse(2, "shift", "option edge: \"wrap\", \"nearest\" or a number expected: "
            .. "no elements of a blocked array are missing")
    end
    local axis = options.axis or 1
    axis = axis < 0 and axis + #s.shape + 1 or axis
    if s.grid[axis] == 1 then
        return blocked.wrap(s, false, blocked.part_of(a):shift(k, options))
    end
    local result = axis == 1 and options.edge == "wrap" and wrapped(a, "shift", math.max(k, 0), math.max(-k, 0), k)
    return result or over.method(a, "shift", "shifts", "a halo", k, options)
end

-- a:stencil(f, ..., {radius=, ...})
function halo.stencil(a, ...)
    local given = table.pack(blocked.whole(...))
    local options, results = given[given.n], {}
    local wraps = given.n > 1 and type(options) == "table" and not getmetatable(options)
        and of_axis(options.edge, 1) == "wrap"
    local radius = wraps and of_axis(options.radius, 1)
    if math.type(radius) == "integer" and radius >= 0 then
        local straight = { edge = { "nearest" }, radius = options.radius }
        for d = 2, #blocked.spread_of(a).shape do
            straight.edge[d] = of_axis(options.edge, d)
        end
        given[given.n] = straight
        results = table.pack(wrapped(a, "stencil", radius, radius, table.unpack(given, 1, given.n)))
    end
    if results[1] == nil then
        return over.method(a, "stencil", "stencils", "a halo", ...)
    end
    return table.unpack(results, 1, results.n)
end

return halo
