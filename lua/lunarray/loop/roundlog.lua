-- What rounds of a shared loop assign at places that they compute: the kernel's notes of it, sent to the ranks that
-- have the elements as (round, element, value), and stored there in the order of all ranks' rounds. Knows no transport.

local core = require "lunarray.core"
local spread = require "lunarray.block.spread"

local net = core.internal.spmd
local npes, mype = net.start()

local roundlog = {}

-- The numbers of a box's rounds among those of the whole loop, in the box's order.
local function numbers_of(box, extents)
    local count = 1
    for _, range in ipairs(box) do
        count = count * (range[2] - range[1] + 1)
    end
    local rest, result, stride = core.index(count) - 1, 0, 1
    for d = #box, 1, -1 do
        local size = box[d][2] - box[d][1] + 1
        result = result + (rest % size + (box[d][1] - extents[d][1])) * stride
        rest = rest // size
        stride = stride * (extents[d][2] - extents[d][1] + 1)
    end
    return result
end

-- Whether a PE has the elements at places, from 0, and which of its own these are.
local function places_at(of, pe, places)
    local first, count = spread.box(of, pe)
    local there, result, rest, stride = places:ge(0), 0, places, 1
    for d = #of.shape, 1, -1 do
        local index = rest % of.shape[d] - (first[d] - 1)
        there = there:land(index:ge(0)):land(index:lt(count[d]))
        result = result + index * stride
        rest = rest // of.shape[d]
        stride = stride * count[d]
    end
    return there, result
end

-- Numbers as bytes: of u32 where these have them, as most of a log's bytes are numbers.
local function pack_numbers(x)
    return (x:max() < 2^32 and x:cast "u32" or x):tobytes()
end

local function unpack_numbers(bytes, count)
    return core.frombytes(bytes, #bytes == 4 * count and "u32" or "i64"):cast "i64"
end

local function pack_one(note, found, rounds, places, values)
    return string.pack("<I8I1I1s2s1s8s8s8", note.array, note.how, note.behind and 1 or 0, note.note, values:dtype(),
        pack_numbers(rounds:take(found)), pack_numbers(places:take(found)), values:take(found):tobytes())
end

-- Adds a note to the lists of the PEs that have its elements; gives how many are elsewhere.
local function pack_note(note, of, rounds, lists)
    local places, values, sent = note.places:reshape(-1), note.values:reshape(-1), 0
    for pe = 0, npes - 1 do
        local there, at = places_at(of, pe, places)
        local found = there:indices()
        if #found > 0 then
            table.insert(lists[pe + 1], pack_one(note, found, rounds, at, values))
            sent = sent + (pe ~= mype and #found or 0)
        end
    end
    return sent
end

-- The notes but those of boxes as a string for each PE, "" where it has none of the elements. Counts accesses to
-- elements of other PEs.
function roundlog.pack(notes, captured, box, extents)
    local lists, strings = {}, {}
    for pe = 1, npes do
        lists[pe] = {}
    end
    local rounds
    for _, note in ipairs(notes) do
        if note.places then
            rounds = rounds or numbers_of(box, extents):eval()
            local sent = pack_note(note, captured[note.array].of, rounds, lists)
            net.count(note.how > 0 and sent or 0, sent)
        end
    end
    for pe = 1, npes do
        strings[pe] = table.concat(lists[pe])
    end
    return strings
end

-- Adds what such a string says, from `at` on, to the logs by number of the array.
function roundlog.unpack(s, at, logs)
    while at <= #s do
        local log, array, behind, dtype, rounds, places, values = {}
        array, log.how, behind, log.note, dtype, rounds, places, values, at = string.unpack("<I8I1I1s2s1s8s8s8", s, at)
        log.behind = behind == 1
        log.values = core.frombytes(values, dtype)
        log.rounds, log.places = unpack_numbers(rounds, #log.values), unpack_numbers(places, #log.values)
        logs[array] = logs[array] or {}
        table.insert(logs[array], log)
    end
end

-- This rank's parts after what the logs say, by number of the array.
function roundlog.stored(captured, logs)
    local parts = {}
    for k, list in pairs(logs) do
        local part = captured[k].part
        parts[k] = core.internal.store_logged(part, list):reshape({ part:shape() })
    end
    return parts
end

return roundlog
