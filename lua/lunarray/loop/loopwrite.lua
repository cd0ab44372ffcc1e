-- What rounds of a shared loop have assigned, sent to the ranks that have the elements: boxes of elements at the loop's
-- own indices, which one round assigns each and all ranks know, and logs of what was assigned at computed ones
-- (roundlog.lua). Stored once all ranks have all of it. Knows no transport.

local core = require "lunarray.core"
local loopread = require "lunarray.loop.loopread"
local loopreach = require "lunarray.loop.loopreach"
local roundlog = require "lunarray.loop.roundlog"
local spread = require "lunarray.block.spread"

local net = core.internal.spmd
local npes, mype = net.start()

local loopwrite = {}

-- ---------------------------------------------------------------- boxes

-- What a PE has of the boxes in notes: { array, first, count, values }.
local function boxes_of(notes, captured, pe)
    local list = {}
    for _, note in ipairs(notes) do
        if note.first and spread.size(note.count) > 0 then
            local first, count = spread.common(note.first, note.count, spread.box(captured[note.array].of, pe))
            list[#list + 1] = first and {
                array = note.array, first = first, count = count,
                values = loopread.window(note.values, note.first, first, count),
            }
        end
    end
    return list
end

-- The boxes that a PE's rounds assign of this rank's elements, values: from its bytes, which begin with them, and where
-- these end. needs: what its function reaches.
local function received(bytes, captured, needs, rounds, list)
    local at = 1
    for _, group in ipairs(needs.stores) do
        local entry = captured[group.array]
        local first, count = loopreach.need(group, rounds, entry.of.shape)
        if first then
            first, count = spread.common(first, count, entry.first, entry.count)
        end
        if first then
            local size = spread.size(count) * entry.bytes
            local values = bytes and loopread.tensor(bytes:sub(at, at + size - 1), entry.array:dtype(), count)
            list[#list + 1] = { array = group.array, first = first, count = count, values = values }
            at = at + size
        end
    end
    return at
end

-- ---------------------------------------------------------------- all of it

-- What goes to each PE: { messages =, own = boxes, logs = this rank's, apart = whether others get logs }.
function loopwrite.pack(captured, notes, logs)
    local puts = 0
    local packed = { messages = {}, apart = false }
    packed.own, packed.logs = boxes_of(notes, captured, mype), logs[mype + 1]
    for pe = 0, npes - 1 do
        local parts = {}
        for k, box in ipairs(pe ~= mype and boxes_of(notes, captured, pe) or {}) do
            puts = puts + spread.size(box.count)
            parts[k] = box.values:tobytes()
        end
        if pe ~= mype and logs[pe + 1] ~= "" then
            packed.apart = true
            parts[#parts + 1] = logs[pe + 1]
        end
        packed.messages[pe + 1] = table.concat(parts)
    end
    net.count(0, puts)
    return packed
end

-- Moves it: what belongs here, boxes, and where some rank has logs for others (apart) logs by number of the array.
-- needs: what each PE's function reaches.
function loopwrite.exchange(captured, loop, needs, packed, apart)
    local sizes, own, logs = not apart and {} or nil, packed.own, {}
    local function box(pe, bytes)
        return received(bytes, captured, needs[pe + 1], loop.rounds(pe), bytes and own or {})
    end
    for pe = 0, apart and -1 or npes - 1 do
        sizes[pe + 1] = pe == mype and 0 or box(pe) - 1
    end
    local messages = net.exchange(packed.messages, sizes)
    for pe, bytes in ipairs(messages) do
        if pe == mype + 1 then
            roundlog.unpack(packed.logs, 1, logs)
        else
            roundlog.unpack(bytes, box(pe - 1, bytes), logs)
        end
    end
    return own, logs
end

-- Changes this rank's parts; parts: those with logs, by number of the array.
function loopwrite.store(captured, boxes, parts)
    for k, part in pairs(parts) do
        captured[k].part:set(part)
    end
    for _, box in ipairs(boxes) do
        local entry = captured[box.array]
        loopread.piece(entry, box.first, box.count):set(box.values)
    end
end

return loopwrite
