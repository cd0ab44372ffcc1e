-- What each rank chooses of its part, and all choose of that: positions of extremes, the largest elements, different
-- values, counts, elements that a mask or a function names. The results are private arrays, the same on all ranks, with
-- the bits of one. Knows no transport.

local blocked = require "lunarray.block.blocked"
local core = require "lunarray.core"
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

local function joined(list, dtype)
    return #list > 0 and core.concat(list):eval() or core.zeros(0, dtype)
end

-- Of a flat blocked array: elements that precede this rank's.
local function elements_before(s)
    return (spread.range(s, mype))
end

local function is_flat_vector(a)
    return #blocked.spread_of(a).shape == 1
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
    local s = blocked.spread_of(a)
    local cut = rows.cut_axis(s, along)
    if not cut or type(options) == "table" and options.skipnan then
        return nil
    end
    local of = rows.division(s, along, cut)
    local values, positions = from_all(2, function()
        local first, count = of.range(mype)
        if count > 0 then
            local x = rows.of_part(blocked.part_of(a), along, of.width):eval()
            local at = x[name](x, 1):eval()
            return x:reshape(-1):take((at - 1) * of.width + core.index(of.width)):eval(), (at + first):cast "i64":eval()
        end
    end)
    local all = core.concat(values):reshape(#values, of.width)
    local best = all[name](all, 1)
    return core.concat(positions):take((best - 1) * of.width + core.index(of.width)):eval()
end

-- ---------------------------------------------------------------- the largest, the different ones

function choose.topk(a, k, options)
    local like = core.zeros(1, a:dtype())
    like:topk(k, options) -- raises what is wrong with the arguments
    if not is_flat_vector(a) or a:size() == 0 then
        return nil
    end
    local part, s = begin(a, "topk", k)
    local values, places = from_all(2, function()
        local x, at = part:topk(k, options)
        return x:eval(), (at + elements_before(s)):eval()
    end)
    local x, at = core.concat(values):topk(k, options)
    return x, core.concat(places):take(at)
end

function choose.unique(a)
    local part = begin(a, "unique")
    local values, counts = from_all(2, function()
        local x, n = part:unique()
        return x:eval(), n:eval()
    end)
    local x, n = core.concat(values):eval(), core.concat(counts):eval()
    local different = x:unique():eval()
    local total = core.zeros(#different, n:dtype()):copy()
    local known = x:dtype():find "f" and x:isnan():lnot():eval() or core.full(#x, true, "bool"):eval()
    if known:any() then
        total:put(different:searchsorted(x:compress(known)), n:compress(known), { combine = "+" })
    end
    if not known:all() then -- NaN stands last
        total[#total] = n:compress(known:lnot()):sum()
    end
    return different, total
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
    local part = begin(a, "histogram")
    local trial, edges = extremes(a):histogram(bins, options)
    trial:eval() -- raises what is wrong with the edges
    local counts = from_all(1, function()
        return (part:histogram(edges)):eval()
    end)
    local total = core.zeros(#counts[1], counts[1]:dtype())
    for _, n in ipairs(counts) do
        total = total + n
    end
    return total:eval(), edges
end

-- ---------------------------------------------------------------- elements

-- The elements that f gives of this rank's part, those of all ranks one after the other.
local function chosen(a, name, f)
    local part, s = begin(a, name)
    local list = from_all(1, function()
        return f(part, s):eval()
    end)
    return joined(list, f(part:sub(1, 0), s):dtype())
end

function choose.compress(a, mask, ...)
    if select("#", ...) > 0 or not is_flat_vector(a) then
        return nil
    end
    local like = blocked.is(mask) and core.zeros(mask:size(), mask:dtype()) or mask
    core.zeros(a:size(), a:dtype()):compress(like) -- raises what is wrong
    local _, parts = blocked.parts_of("compress", a, mask)
    return chosen(a, "compress", function(x)
        return x:compress(x:size() == parts[2]:size() and parts[2] or parts[2]:sub(1, 0))
    end)
end

function choose.filter(a, f, ...)
    if not is_flat_vector(a) then
        return nil
    end
    for _, x in ipairs { ... } do
        if blocked.is(x) then
            return nil
        end
    end
    local extra = table.pack(...)
    core.zeros(1, a:dtype()):filter(f, ...)
    return chosen(a, "filter", function(x)
        return x:filter(f, table.unpack(extra, 1, extra.n))
    end)
end

function choose.dropnan(a)
    return is_flat_vector(a) and chosen(a, "dropnan", function(x)
        return x:dropnan()
    end) or nil
end

function choose.indices(a)
    core.zeros(a:size(), a:dtype()):indices() -- raises what is wrong
    return is_flat_vector(a) and chosen(a, "indices", function(x, s)
        return x:indices() + elements_before(s)
    end) or nil
end

return choose
