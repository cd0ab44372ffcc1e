-- Sums and products of floats in the engine's own order, wherever the elements are: each rank combines the chunks that
-- end in its part, in the largest groups that the tree over all chunks has, and all combine these. Of whole arrays, or
-- of each column of rows that are spread over the ranks. Knows no transport.

local blocked = require "lunarray.blocked"
local core = require "lunarray.core"
local pack = require "lunarray.pack"
local spread = require "lunarray.spread"

local net = core.internal.spmd
local _, mype = net.start()

local CHUNK = 16384 -- elements, or rows, that the engine combines first, in their order; then neighbours

-- What is combined: n elements or rows, in chunks of `unit` elements.
local function measure(s, width)
    local n = spread.size(s.shape) // width
    return { n = n, width = width, unit = CHUNK * width, chunks = (n + CHUNK - 1) // CHUNK }
end

-- A PE's chunks, those whose last element it has: number of the first, and behind the last.
local function chunks_of(s, pe, of)
    local first, count = spread.range(s, pe)
    local from, behind = first // of.unit, (first + count) // of.unit
    if count > 0 and first + count == of.n * of.width then
        behind = of.chunks
    end
    return from, math.max(from, behind)
end

-- This rank's chunks with all their elements, nil where it has none: their beginning comes from the ranks before.
local function own_chunks(a, of)
    local s = blocked.spread_of(a)
    local heads = blocked.fetch(a, function(pe)
        local from, behind = chunks_of(s, pe, of)
        return from * of.unit, behind > from and spread.range(s, pe) or 0
    end)
    local from, behind = chunks_of(s, mype, of)
    local flat, first = blocked.part_of(a):reshape(-1), spread.range(s, mype)
    if behind == from then
        return nil, from, behind
    end
    local all = flat:sub(1, math.min(behind * of.unit, of.n * of.width) - first)
    if #heads > 0 then
        all = core.frombytes(heads, flat:dtype()) .. all
    end
    return all, from, behind
end

-- What some elements come to: a number, or an array with one for each column, not rounded to the operands' dtype.
local function combined(x, name, width)
    if width == 1 then
        return x[name](x)
    end
    return x:reshape(-1, width):cast "f64"[name](x:reshape(-1, width):cast "f64", 1):eval()
end

-- Results of the own chunks: of the largest aligned groups of 2^h chunks, as { level, number, value }.
local function own_nodes(a, name, of)
    local nodes, all, from, behind = {}, own_chunks(a, of)
    local chunk = from
    while all and chunk < behind do
        local level, size = 0, 1
        while chunk % (size * 2) == 0 and chunk + size * 2 <= behind do
            level, size = level + 1, size * 2
        end
        local x = all:sub((chunk - from) * of.unit + 1, math.min((chunk + size - from) * of.unit, #all))
        nodes[#nodes + 1] = { level, chunk // size, combined(x, name, of.width) }
        chunk = chunk + size
    end
    return nodes
end

-- The value of node `number` of a level, of which those in `known` are there already.
local function value_of(known, level, number, chunks, f)
    local key = level .. ":" .. number
    if known[key] ~= nil then
        return known[key]
    end
    local left = value_of(known, level - 1, number * 2, chunks, f)
    if (number * 2 + 1) << (level - 1) >= chunks then
        return left
    end
    return f(left, value_of(known, level - 1, number * 2 + 1, chunks, f))
end

-- a[name](a), a sum or product of a flat blocked array, which f combines, on all ranks; width > 1: of each column of
-- rows of so many elements, an f64 Vector.
return function(a, name, f, width)
    local of, known, top = measure(blocked.spread_of(a), width or 1), {}, 0
    for _, bytes in ipairs(net.gather(pack.write(own_nodes(a, name, of)))) do
        for _, node in ipairs(pack.read(bytes)) do
            known[node[1] .. ":" .. node[2]] = node[3]
        end
    end
    while 1 << top < of.chunks do
        top = top + 1
    end
    return value_of(known, top, 0, of.chunks, f)
end
