-- What the rounds of a shared loop read and assign on this rank, and which of it other ranks have. Knows no transport.

local blocked = require "lunarray.blocked"
local core = require "lunarray.core"
local inspect = require "lunarray.inspect"
local spread = require "lunarray.spread"

local net = core.internal.spmd
local npes, mype = net.start()

local touched = {}

function touched.indices_of(shape, place)
    local rest, indices = place - 1, {}
    for d = #shape, 1, -1 do
        indices[d], rest = rest % shape[d] + 1, rest // shape[d]
    end
    return indices
end

-- Whether each PE's elements are read: lists of places (global), by PE.
function touched.by_owner(of, places)
    local lists = {}
    for pe = 0, npes - 1 do
        lists[pe] = {}
    end
    for _, place in ipairs(places) do
        local pe = spread.home(of, touched.indices_of(of.shape, place))
        local list = lists[pe]
        list[#list + 1] = place
    end
    return lists
end

-- All places of a PE's part, in its own order.
local function places_of(of, pe)
    local first, count = spread.box(of, pe)
    local places, size = {}, spread.size(count)
    for k = 1, size do
        local indices, place = touched.indices_of(count, k), 0
        for d, i in ipairs(indices) do
            place = place * of.shape[d] + first[d] + i - 2
        end
        places[k] = place + 1
    end
    return places
end

local function new_notes(entry)
    local of = blocked.spread_of(entry.array)
    return { shape = of.shape, name = entry.name, dtype = entry.array:dtype(), reads = {}, writes = {}, written = {} }
end

-- Notes for each captured blocked array; known: whether they tell all.
function touched.look_at(f, box, empty, captured, asks)
    local notes = {}
    for _, entry in ipairs(captured) do
        notes[entry.array] = new_notes(entry)
        entry.notes = notes[entry.array]
    end
    if empty then
        return true
    elseif asks then
        return false
    end
    for _, entry in ipairs(inspect.captured(f, inspect.is_array)) do -- private ones, such as arrays of indices
        local x = entry.array
        notes[x] = {
            shape = { x:shape() }, name = entry.name, dtype = x:dtype(), reads = {}, writes = {}, written = {},
            values = x:reshape(-1):totable(),
        }
    end
    return inspect.run(f, box, notes)
end

-- Counts accesses, as the loop makes them, and gives the places of other PEs that are read. Of an array that is
-- assigned at unknown places none is needed: rounds may read it only where they assign it, to combine.
function touched.wanted_of(entry, known)
    local of, gets, puts, wanted = blocked.spread_of(entry.array), 0, 0, {}
    if known and entry.notes.anywhere then
        return wanted -- what its elements become, their owners compute
    elseif not known or entry.notes.anyread then
        for pe = 0, npes - 1 do
            if pe ~= mype then
                local places = places_of(of, pe)
                table.move(places, 1, #places, #wanted + 1, wanted)
            end
        end
        net.count(#wanted, 0)
        return wanted
    end
    for place, times in pairs(entry.notes.reads) do
        if spread.home(of, touched.indices_of(of.shape, place)) ~= mype then
            gets = gets + times
            if not entry.notes.written[place] then
                wanted[#wanted + 1] = place
            end
        end
    end
    for place, times in pairs(entry.notes.written) do
        if spread.home(of, touched.indices_of(of.shape, place)) ~= mype then
            puts = puts + times
            wanted[#wanted + 1] = entry.notes.reads[place] and place or nil
        end
    end
    net.count(gets, puts)
    table.sort(wanted)
    return wanted
end

return touched
