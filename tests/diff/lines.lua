-- Arrays of several axes for the difference tests: the same elements laid out in many ways among garbage, and their
-- lines along some axes, found by indices alone. Knows no reduction.

local harness = require "diff.harness"
local lun = require "lunarray"

local lines = {}

local nan = 0.0 / 0.0

function lines.count(shape)
    local n = 1
    for _, extent in ipairs(shape) do
        n = n * extent
    end
    return n
end

-- Calls f(index) for every index of the extents, the last one fastest; the table is the same each time.
function lines.each_index(shape, f)
    local index, rank = {}, #shape
    for k = 1, rank do
        index[k] = 1
    end
    for _ = 1, lines.count(shape) do
        f(index)
        local k = rank
        while k >= 1 do
            index[k] = index[k] + 1
            if index[k] <= shape[k] then
                break
            end
            index[k] = 1
            k = k - 1
        end
    end
end

-- The position of an index in a row-major list.
function lines.position(shape, index)
    local at = 0
    for k, extent in ipairs(shape) do
        at = at * extent + index[k] - 1
    end
    return at + 1
end

-- Extents split by axes, a list of those that are reduced: what is kept, and what is reduced.
local function split(shape, axes)
    local reduced, kept_axes, gone_axes = {}, {}, {}
    for _, axis in ipairs(axes) do
        reduced[axis] = true
    end
    for k in ipairs(shape) do
        local to = reduced[k] and gone_axes or kept_axes
        to[#to + 1] = k
    end
    return kept_axes, gone_axes
end

local function extents(shape, axes)
    local list = {}
    for i, axis in ipairs(axes) do
        list[i] = shape[axis]
    end
    return list
end

-- What is left of the extents when axes are reduced; keep: with 1 in the place of each.
function lines.reduced_shape(shape, axes, keep)
    local result, gone = {}, {}
    for _, axis in ipairs(axes) do
        gone[axis] = true
    end
    for k, extent in ipairs(shape) do
        if not gone[k] then
            result[#result + 1] = extent
        elseif keep then
            result[#result + 1] = 1
        end
    end
    return result
end

-- The positions of the elements of each line along the axes, of several axes in row-major order.
function lines.positions(shape, axes)
    local kept, gone = split(shape, axes)
    local result, index = {}, {}
    lines.each_index(extents(shape, kept), function(outer)
        local line = {}
        for i, axis in ipairs(kept) do
            index[axis] = outer[i]
        end
        lines.each_index(extents(shape, gone), function(inner)
            for i, axis in ipairs(gone) do
                index[axis] = inner[i]
            end
            line[#line + 1] = lines.position(shape, index)
        end)
        result[#result + 1] = line
    end)
    return result
end

-- ---------------------------------------------------------------- layouts

local function reversed(rank)
    local perm = {}
    for k = 1, rank do
        perm[k] = rank + 1 - k
    end
    return perm
end

local function rotated(rank)
    local perm = {}
    for k = 1, rank do
        perm[k] = k % rank + 1
    end
    return perm
end

local function plain(n)
    return { n, 1, 1 }
end
local function stepped(n)
    return { 2 * n + 1, 2, 2 }
end
local function backwards(n)
    return { n, n, -1 }
end
local function framed_backwards(n)
    return { n + 3, n + 1, -1 }
end
local function thirds_backwards(n)
    return { 3 * n + 1, 3 * n, -3 }
end

-- How memory holds an array: axis k is axis perm[k] of the memory, and along it index i stands at first + (i - 1) *
-- step; along[k](extent) gives what the memory has there, first and step. The last of along stands for all further axes.
lines.layouts = {
    { name = "right", along = { plain } },
    { name = "transposed", perm = reversed, along = { plain } },
    { name = "rotated", perm = rotated, along = { plain } },
    { name = "stepped", along = { stepped } },
    { name = "stepped along the first axis", along = { stepped, plain } },
    { name = "backwards", along = { backwards } },
    { name = "backwards in a frame", along = { plain, framed_backwards } },
    { name = "transposed, stepped, backwards", perm = reversed, along = { thirds_backwards, stepped } },
}

-- An element that would be seen in any result.
local function garbage(t)
    if t.is_float then
        return nan
    elseif t.kind == "bool" then
        return true
    end
    return t.wrap(0x5a5a5a5a5a5a5a5a)
end

local PACKED = 5000 -- elements of memory up to which it is put together here, and not by the engine

-- The memory as an array: elements of the list at their places, garbage about.
local function packed(t, shape, list, memory, perm, along)
    local held, where = {}, {}
    local trash = garbage(t)
    for i = 1, lines.count(memory) do
        held[i] = trash
    end
    local i = 0
    lines.each_index(shape, function(index)
        i = i + 1
        for k, at in ipairs(index) do
            where[perm[k]] = along[k][2] + (at - 1) * along[k][3]
        end
        held[lines.position(memory, where)] = list[i]
    end)
    return harness.array(t, held):reshape(table.unpack(memory))
end

-- An array of those extents and elements (row-major), in a layout.
function lines.array(t, shape, list, layout)
    local rank = #shape
    local perm = layout.perm and layout.perm(rank)
    local along, memory, ranges = {}, {}, {}
    local order = perm or {}
    for k, n in ipairs(shape) do
        order[k] = order[k] or k
        along[k] = (layout.along[k] or layout.along[#layout.along])(n)
        memory[order[k]] = along[k][1]
        local first, step = along[k][2], along[k][3]
        ranges[k] = n == 0 and { 2, 1 } or { first, first + (n - 1) * step, step }
        if n > 0 and ranges[k][2] == 0 then
            error "no index is 0"
        end
    end
    local small = lines.count(memory) <= PACKED
    local whole = small and packed(t, shape, list, memory, order, along)
        or lun.full(memory, garbage(t), t.name)
    local window = perm and whole:transpose(order) or whole
    window = window:sub(table.unpack(ranges))
    if not small then
        window:set(harness.array(t, list):reshape(table.unpack(shape)))
    end
    return window
end

-- The elements of one line as a Vector of its own.
function lines.vector(t, list, positions)
    local line = {}
    for i, at in ipairs(positions) do
        line[i] = list[at]
    end
    return harness.array(t, line):eval()
end

-- The text of extents.
function lines.text(shape)
    return "[" .. table.concat(shape, ", ") .. "]"
end

return lines
