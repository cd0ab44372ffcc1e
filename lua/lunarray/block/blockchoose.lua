-- What each rank chooses of its part, and all choose of that: positions of extremes, the largest elements, different
-- values, counts, elements that a mask or a function names. The results are private arrays, the same on all ranks, with
-- the bits of one. Knows no transport.

local blocked = require "lunarray.block.blocked"
local core = require "lunarray.core"
local over = require "lunarray.block.blockover"
local pack = require "lunarray.ranks.pack"
local rows = require "lunarray.block.blockrows"
local spread = require "lunarray.block.spread"

local net = core.internal.spmd
local _, mype = net.start()

local choose = {}

-- ---------------------------------------------------------------- what ranks tell

-- The arrays that f gives of this rank's part, or nothing, from all ranks: lists by place among the results, by rank.
local function from_all(count, f)
    local lists = {}
    for k = 1, count do
        lists[k] = {}
    end
    for _, bytes in ipairs(blocked.gather(function()
        return pack.write({ f() })
    end)) do
        for k, x in ipairs(pack.read(bytes)) do
            table.insert(lists[k], x)
        end
    end
    return table.unpack(lists)
end

local function begin(a, name, ...)
    blocked.evaluated(a)
    net.step(("%s %s"):format(name, blocked.kind_of(a)), "a " .. name, blocked.spread_of(a).key .. pack.write(...))
    return blocked.part_of(a), blocked.spread_of(a)
end

-- ---------------------------------------------------------------- positions

-- The place of element k of this rank's box in the whole array, row-major, both from 1.
local function place_in_whole(s, k)
    local first, count = spread.box(s, mype)
    local rest, place, width = k - 1, 0, 1
    for d = #count, 1, -1 do
        place = place + (first[d] - 1 + rest % count[d]) * width
        rest, width = rest // count[d], width * s.shape[d]
    end
    return place + 1
end

-- a:argmin() or a:argmax(): of equal elements the one that stands first, of NaNs too.
function choose.position(a, name)
    if a:size() == 0 then
        return nil
    end
    local part, s = begin(a, name)
    local places, values = from_all(2, function()
        if part:size() > 0 then
            local k = part[name](part)
            return place_in_whole(s, k), part:reshape(-1):sub(k, k):eval()
        end
    end)
    local order = {}
    for k in ipairs(places) do
        order[k] = k
    end
    table.sort(order, function(p, q)
        return places[p] < places[q]
    end)
    local sorted = {}
    for k, from in ipairs(order) do
        sorted[k] = values[from]
    end
    local all = core.concat(sorted)
    return places[order[all[name](all)]]
end

-- The same along the axis that ranks share: an i64 Vector with a position for each line; nil: lines have no such form.
function choose.positions(a, name, along, options)
    local x, at = rows.of(a, along)
    if not x or name ~= "argmin" and name ~= "argmax" or type(options) == "table" and options.skipnan then
        return nil
    end
    local columns = core.index(at.shape[2])
    local values, positions = from_all(2, function()
        if x:size() > 0 then
            local best = x:eval()[name](x, 1):eval()
            local own = x:reshape(-1):take((best - 1) * #columns + columns):eval()
            return own, (best + at.bounds[mype + 1]):cast "i64":eval()
        end
    end)
    local all = core.concat(values):reshape(#values, #columns)
    return core.concat(positions):take((all[name](all, 1) - 1) * #columns + columns):eval()
end

-- ---------------------------------------------------------------- counts

-- A Vector with the least and the greatest element that are no NaN; with NaN where all are.
local function extremes(a)
    if a:dtype():find "f" then
        local nan = a:isnan()
        local low, high = core.where(nan, 1 / 0, a):min(), core.where(nan, -1 / 0, a):max()
        return core.vector(low <= high and { low, high } or { 0 / 0 }, a:dtype())
    end
    local ends = from_all(1, function()
        local x = blocked.part_of(a):reshape(-1)
        return #x > 0 and x:take { x:argmin(), x:argmax() }:eval() or nil
    end)
    return core.concat(ends)
end

function choose.histogram(a, bins, options)
    if type(options) == "table" and options.weights ~= nil or blocked.is(bins) or a:size() == 0 then
        return nil
    end
    begin(a, "histogram")
    local trial, edges = extremes(a):histogram(bins, options)
    trial:eval() -- raises what is wrong with the edges
    return over.elements(a, nil, function(all)
        return (all:histogram(edges))
    end), edges
end

local FEW = 4096 -- elements: all of them are hardly more than counts

-- a:unique(), and how often each of them stands in a.
function choose.unique(a)
    if a:size() == 0 then
        return nil
    end
    begin(a, "unique")
    return over.elements(a, nil, function(all)
        return all:unique()
    end)
end

-- a:quantile(q, {skipnan=}) of all elements; nil: it has no such form.
function choose.quantile(a, q, options)
    if a:size() <= FEW or options ~= nil and (type(options) ~= "table" or options.axis ~= nil) then
        return nil
    end
    core.zeros(1, a:dtype()):quantile(q, options) -- raises what is wrong with the arguments
    local said = { ("selects of %s"):format(blocked.kind_of(a)), "a quantile", blocked.spread_of(a).key }
    return over.elements(a, said, function(all)
        return all:quantile(q, options)
    end)
end

-- ---------------------------------------------------------------- elements

-- A method of a Vector that finds some of its elements: the engine finds them on each rank.
local function found(name)
    return function(a, ...)
        local options = ...
        local model = core.zeros(blocked.spread_of(a).shape, a:dtype())
        local like = blocked.is(options) and core.zeros(options:size(), options:dtype()) or options
        blocked.method_named(name, model, like, select(2, ...)) -- raises what is wrong with the arguments
        for k = 1, select("#", ...) do
            local x = select(k, ...)
            if blocked.is(x) and (name ~= "compress" or k > 1) or blocked.has_logical(x) then
                return nil
            end
        end
        if #blocked.spread_of(a).shape ~= 1 or a:size() == 0 then
            return nil
        end
        local said = { ("%s %s"):format(name, blocked.kind_of(a)), "a " .. name, blocked.spread_of(a).key }
        said[3] = said[3] .. (math.type(options) and pack.write(options) or "")
        return over.call(blocked.evaluated(a), said, function(all, ...)
            return all[name](all, ...)
        end, ...)
    end
end

for _, name in ipairs { "topk", "compress", "filter", "dropnan", "indices" } do
    choose[name] = found(name)
end

return choose
