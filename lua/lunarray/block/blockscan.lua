-- Scans of whole blocked arrays: totals of what each rank has, one step that tells them to all, and each rank scans
-- from what they come to before its first element. Bits are those of one rank: floats are combined in the chunks of the
-- engine's order, of which the ones that ranks share are fetched. Knows no transport.

local blocked = require "lunarray.block.blocked"
local core = require "lunarray.core"
local fold = require "lunarray.ranks.fold"
local pack = require "lunarray.ranks.pack"
local spread = require "lunarray.block.spread"

local net = core.internal.spmd
local npes, mype = net.start()

local order = core.internal.order
local CHUNK, LANES = order.scan_chunk, order.lanes -- chunks, and lanes in which an operation combines each

-- ---------------------------------------------------------------- functions

-- f as a function for lines, which are combined from left to right.
local function line_function(f, name)
    if not name then
        return f
    end
    local g = core[name]
    return function(x, y)
        return g(x, y)
    end
end

-- What f comes to along `count` lines of x, of `size` elements each, from `first` on: an array of them, or of what f
-- has come to before each element. nil: f has no such form.
local function lines(f, first, x, count, size, give)
    return (core.internal.run_lines(f, first, x, (core.index(count) - 1) * size, core.full(count, size, "i64"), give))
end

-- ---------------------------------------------------------------- totals

-- Totals of chunks, `count` of which x begins with, by an operation: each lane from the identity on, then the lanes in
-- halves.
local function chunk_totals(how, x, count)
    local f, all = how.f, x:sub({ 1, count * CHUNK }):cast(how.dtype)
    all = all:reshape(count, CHUNK // LANES, LANES):transpose({ 1, 3, 2 }):reshape(-1)
    local lanes = lines(f, how.identity, all:eval(), count * LANES, CHUNK // LANES, "ends"):reshape(count, LANES)
    local half = LANES // 2
    while half > 0 do
        lanes = core[how.name](lanes:sub({ 1, count }, { 1, half }), lanes:sub({ 1, count }, { half + 1, 2 * half }))
        half = half // 2
    end
    return lanes:reshape(-1):eval()
end

-- The same by a function: from left to right, from each chunk's first element on.
local function chunk_folds(how, x, count)
    local starts = (core.index(count) - 1) * CHUNK
    return core.internal.run_lines(how.f, x:take(starts + 1), x, starts + 1, core.full(count, CHUNK - 1, "i64"), "ends")
        :eval()
end

-- ---------------------------------------------------------------- how a scan goes

local function first_of(id, dtype)
    return pack.is_array(id) and id:reshape(1):cast(dtype) or core.full(1, id, dtype)
end

-- How a scan by f from id is done in parts: its function for lines, the dtype of totals, the first value; nil where it
-- has no such form. Raises what is wrong with f and id, as a private array does.
local function plan(dtype, f, id)
    local name = fold.name_of(f)
    local one = core.zeros(1, dtype)
    local result = id == nil and one:scan(f) or one:scan(f, id)
    local how = { name = name, f = line_function(f, name), dtype = result:dtype(), give = result:dtype() }
    if name then
        how.dtype = fold.accumulator(name, how.give)
        how.identity = one:cast(how.dtype):scan(f):cast(how.dtype):eval()
        how.whole = not how.dtype:find "f" -- no order: each rank has one total
    elseif type(f) ~= "function" then
        return nil
    end
    how.first = id == nil and how.identity or first_of(id, how.dtype)
    local ran, try = pcall(lines, how.f, how.first, one:cast(how.dtype), 1, 1, "ends")
    if not ran or not try or try:dtype() ~= how.dtype and not how.whole then
        return nil
    end
    return how
end

-- This rank's elements, and how many of other ranks before them it has fetched: where there are chunks, from the
-- beginning of the first one's.
local function from_chunk(a, how, said)
    local s = blocked.spread_of(a)
    local heads = how.whole and "" or blocked.fetch(a, function(pe)
        local first, count = spread.range(s, pe)
        return first // CHUNK * CHUNK, count > 0 and first or 0
    end, said)
    local flat = blocked.part_of(a):reshape(-1)
    if #heads == 0 then
        return flat, 0
    end
    heads = core.frombytes(heads, flat:dtype())
    return (heads .. flat):eval(), #heads
end

-- The totals of what ends on this rank, of which x begins with the first, as bytes.
local function own_totals(a, how, x)
    local first, count = spread.range(blocked.spread_of(a), mype)
    local chunks = (first + count) // CHUNK - first // CHUNK
    if count == 0 or chunks == 0 and not how.whole then
        return ""
    elseif how.whole then
        return x:reduce(core.op[how.name]):reshape(1):cast(how.dtype):tobytes()
    end
    return (how.name and chunk_totals or chunk_folds)(how, x, chunks):tobytes()
end

-- ---------------------------------------------------------------- the scan

-- a:scan(f, id, {inclusive=}) in the spread that a has; nil where it has no form in parts.
return function(a, f, id, ...)
    local options = ...
    if type(id) == "table" and options == nil then
        id, options = nil, id
    end
    if select("#", ...) > 1 or options ~= nil and (type(options) ~= "table" or options.elements) then
        return nil -- further arguments of f; several arrays
    end
    local how = a:size() > 0 and plan(a:dtype(), f, id)
    if not how then
        return nil
    end
    local given, s = blocked.evaluated(a), blocked.spread_of(a)
    if not spread.is_flat(s) then
        a = blocked.in_spread(a, spread.new(s.shape, { 1 }, "balanced", npes))
    end
    local said = { ("scans %s"):format(blocked.kind_of(a)), "a scan", (how.name or "") .. blocked.spread_of(a).key }
    local x, fetched = from_chunk(a, how, said)
    local list = blocked.gather(function()
        return own_totals(a, how, x)
    end, said)
    local before = core.frombytes(table.concat(list, "", 1, mype), how.dtype)
    local from = #before == 0 and how.first or lines(how.f, how.first, before, 1, #before, "ends")
    local scanned = #x > 0 and x:scan(f, from, options or {}):sub({ fetched + 1, #x }) or core.zeros(0, how.give)
    local _, count = spread.box(blocked.spread_of(a), mype)
    return blocked.in_spread(blocked.make(blocked.spread_of(a), scanned:reshape(count)), blocked.spread_of(given))
end
