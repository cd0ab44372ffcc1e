-- Reductions in the engine's own order, wherever the elements are: each rank combines the chunks that
-- end in its part, in the largest groups that the tree over all chunks has, and all combine these. Knows no transport.

local blocked = require "lunarray.block.blocked"
local core = require "lunarray.core"
local pack = require "lunarray.ranks.pack"
local ready = require "lunarray.ranks.ready"
local spread = require "lunarray.block.spread"

local _, mype = core.internal.spmd.start()

local tree = {}

local CHUNK = core.internal.order.chunk -- elements that the engine combines first, in their order; then neighbours

-- ---------------------------------------------------------------- the tree

-- f(level, number, first chunk, chunks) of the largest aligned groups of 2^level chunks that from .. behind - 1 make.
function tree.groups(from, behind, f)
    local chunk = from
    while chunk < behind do
        local level, size = 0, 1
        while chunk % (size * 2) == 0 and chunk + size * 2 <= behind do
            level, size = level + 1, size * 2
        end
        f(level, chunk // size, chunk, size)
        chunk = chunk + size
    end
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

-- What all chunks come to by f: lists, from each rank, of { level, number, ... }, of which value(node) is that node's.
function tree.value(lists, chunks, f, value)
    local known, top = {}, 0
    for _, list in ipairs(lists) do
        for _, node in ipairs(list) do
            known[node[1] .. ":" .. node[2]] = value(node)
        end
    end
    while 1 << top < chunks do
        top = top + 1
    end
    return value_of(known, top, 0, chunks, f)
end

-- ---------------------------------------------------------------- whole arrays

-- A PE's chunks of n elements, those whose last one it has: number of the first, and behind the last.
local function chunks_of(s, pe, n)
    local first, count = spread.range(s, pe)
    local from, behind = first // CHUNK, (first + count) // CHUNK
    if count > 0 and first + count == n then
        behind = (n + CHUNK - 1) // CHUNK
    end
    return from, math.max(from, behind)
end

-- This rank's chunks with all their elements, nil where it has none: their beginning comes from the ranks before.
local function own_chunks(a, n, said)
    local s = blocked.spread_of(a)
    local heads = blocked.fetch(a, function(pe)
        local from, behind = chunks_of(s, pe, n)
        return from * CHUNK, behind > from and spread.range(s, pe) or 0
    end, said)
    local from, behind = chunks_of(s, mype, n)
    local flat, first = blocked.part_of(a):reshape(-1), spread.range(s, mype)
    if behind == from then
        return nil, from, behind
    end
    local all = flat:sub(1, math.min(behind * CHUNK, n) - first)
    if #heads > 0 then
        all = core.frombytes(heads, flat:dtype()) .. all
    end
    return all, from, behind
end

-- What a flat blocked array of at least one element is reduced to, on all ranks, in the engine's order: of(x) is that
-- of a group of chunks, a value as pack.lua writes it, and f combines two of them. said: the step, { doing, noun,
-- options }.
function tree.whole(a, of, f, said)
    local n, own, lists = a:size(), {}, {}
    local all, from, behind = own_chunks(a, n, said)
    local bytes = ready(function()
        tree.groups(from, behind, function(level, number, chunk, chunks)
            local x = all:sub((chunk - from) * CHUNK + 1, math.min((chunk + chunks - from) * CHUNK, #all))
            own[#own + 1] = { level, number, of(x) }
        end)
        return pack.write(own)
    end)
    for k, given in ipairs(blocked.told(bytes, said)) do
        lists[k] = pack.read(given)
    end
    return tree.value(lists, (n + CHUNK - 1) // CHUNK, f, function(node)
        return node[3]
    end)
end

return tree
