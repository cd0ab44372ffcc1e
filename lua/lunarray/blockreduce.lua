-- Reductions of blocked arrays, with the bits of one rank; and methods of private arrays, which blocked ones have by a
-- private copy. Knows no transport.

local blocked = require "lunarray.blocked"
local core = require "lunarray.core"
local fold = require "lunarray.fold"
local pack = require "lunarray.pack"
local public = require "lunarray.public"
local spread = require "lunarray.spread"

local net = core.internal.spmd
local npes, mype = net.start()

local methods = blocked.methods

-- ---------------------------------------------------------------- reductions

local CHUNK = 16384 -- elements that the engine combines first, in their order; then neighbours

-- Whether the parts' results, in any order, give the whole's: no rounding.
local function is_exact(name, dtype)
    return name ~= "sum" and name ~= "prod" and name ~= "mean" or not dtype:find "f"
end

local COMBINE = { sum = "+", prod = "*", min = "min", max = "max", any = "lor", all = "land", count = "+" }

-- This rank's chunks: those whose last element it has, whose beginning the ranks before send. Numbers of the first
-- and behind the last, and an array of their elements.
local function own_chunks(part, first, count, n)
    local last = first + count - 1
    local behind = last == n and (n + CHUNK - 1) // CHUNK or last // CHUNK -- number behind the last own chunk
    local from = (first - 1) // CHUNK
    if behind <= from then
        behind = from
    end
    return from, behind, part:reshape(-1)
end

-- To whom the elements behind the last own chunk go, and the results of own chunks as nodes of the tree.
local function send_tails(a)
    local s = blocked.spread_of(a)
    local n, width = spread.size(s.shape), spread.size(s.shape) // math.max(s.shape[1], 1)
    local function range(pe)
        local first, count = spread.box(s, pe)
        return (first[1] - 1) * width + 1, count[1] * width
    end
    local function owner(chunk)
        local last = math.min((chunk + 1) * CHUNK, n)
        for pe = 0, npes - 1 do
            local first, count = range(pe)
            if last >= first and last < first + count then
                return pe
            end
        end
    end
    local first, count = range(mype)
    local from, behind, flat = own_chunks(blocked.part_of(a), first, count, n)
    local parts = {}
    for pe = 1, npes do
        parts[pe] = ""
    end
    local tail = math.max(first, behind * CHUNK + 1)
    if count > 0 and tail <= first + count - 1 then
        parts[owner(behind) + 1] = flat:sub(tail - first + 1, count):tobytes()
    end
    local heads = table.concat(net.exchange(parts))
    local own = math.min(tail, first + count) - first
    if own <= 0 or behind <= from then
        return {}, n
    end
    local all = flat:sub(1, own)
    if #heads > 0 then
        all = core.frombytes(heads, flat:dtype()) .. all
    end
    return { array = all, from = from, behind = behind, n = n }, n
end

-- Results of the own chunks: of the largest aligned groups of 2^h chunks, as { level, number, value }.
local function nodes_of(own, name)
    local nodes, chunk = {}, own.from
    while own.array and chunk < own.behind do
        local level, size = 0, 1
        while chunk % (size * 2) == 0 and chunk + size * 2 <= own.behind do
            level, size = level + 1, size * 2
        end
        local first = (chunk - own.from) * CHUNK + 1
        local last = math.min((chunk + size - own.from) * CHUNK, own.array:size())
        nodes[#nodes + 1] = { level, chunk // size, own.array:sub(first, last)[name](own.array:sub(first, last)) }
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

-- A sum or product of floats in the engine's own order, wherever the elements are.
local function in_order(a, name)
    local own, n = send_tails(a)
    local known, chunks, top = {}, (n + CHUNK - 1) // CHUNK, 0
    for _, bytes in ipairs(net.gather(pack.write(nodes_of(own, name)))) do
        for _, node in ipairs(pack.read(bytes)) do
            known[node[1] .. ":" .. node[2]] = node[3]
        end
    end
    while 1 << top < chunks do
        top = top + 1
    end
    return value_of(known, top, 0, chunks, (fold.operation(COMBINE[name])))
end

local function of_parts(a, name)
    local part = blocked.part_of(a)
    local own
    if part:size() > 0 then
        own = part[name](part)
    end
    local list = {}
    for _, bytes in ipairs(net.gather(pack.write(own))) do
        list[#list + 1] = pack.read(bytes)
    end
    if #list == 0 then
        return part[name](part) -- of no element: the engine's value, or error
    end
    return fold.tree(name == "any" and function(x, y)
        return x or y
    end or name == "all" and function(x, y)
        return x and y
    end or (fold.operation(COMBINE[name])), list)
end

-- Whether sums of floats are those of the ranks' own sums: lun.spmd.sums.
local function sums_of_ranks()
    local sums = package.loaded.lunarray.spmd.sums
    if sums ~= nil and sums ~= "ranks" then
        error(("lun.spmd.sums is nil, for the bits of one rank, or \"ranks\", not %s"):format(tostring(sums)), 0)
    end
    return sums == "ranks"
end

-- by_parts: each rank's elements first, in whatever order they stand there.
local function reduce(a, name, by_parts)
    net.step(("%s %s"):format(name == "sum" and "sums" or "reduces", blocked.kind_of(a)), "a reduction",
        name .. blocked.spread_of(a).key .. (by_parts and " by ranks" or ""))
    return (by_parts and of_parts or in_order)(a, name)
end

for name in pairs(COMBINE) do
    local binary = methods[name] -- a:min(b)
    methods[name] = public(function(a, ...)
        local other = ...
        if binary and other ~= nil and (type(other) ~= "table" or blocked.is(other)) then
            return binary(a, ...)
        elseif other ~= nil then -- axes
            local whole = blocked.private(a)
            return whole[name](whole, ...)
        end
        local s = blocked.spread_of(a)
        local by_parts = is_exact(name, a:dtype()) or spread.size(s.shape) == 0 or sums_of_ranks()
        if not by_parts and not spread.is_flat(s) then
            s = spread.new(s.shape, { 1 }, "balanced", npes)
            a = blocked.make(s, blocked.moved(a, s))
        end
        return reduce(a, name, by_parts)
    end)
    blocked.offers[name] = methods[name]
end

methods.mean = public(function(a, ...)
    if select("#", ...) > 0 or a:size() == 0 then
        local whole = blocked.private(a)
        return whole:mean(...)
    end
    return a:sum() / a:size()
end)
blocked.offers.mean = methods.mean

-- ---------------------------------------------------------------- what private arrays have

-- Methods that a blocked array has not of its own are those of a private copy of it: all ranks call them.
for _, name in ipairs {
    "var", "std", "norm", "argmin", "argmax", "dot", "reduce", "scan", "sort", "argsort", "median", "quantile",
    "topk", "unique", "histogram", "matmul", "transpose", "totable", "tobytes", "sub", "take", "compress", "reshape",
} do
    if core.internal.methods[name] and not methods[name] then
        methods[name] = public(function(a, ...)
            local given = table.pack(...)
            for k = 1, given.n do
                given[k] = blocked.is(given[k]) and blocked.private(given[k]) or given[k]
            end
            local whole = blocked.is(a) and blocked.private(a) or a
            return whole[name](whole, table.unpack(given, 1, given.n))
        end)
        blocked.offers[name] = methods[name]
    end
end
