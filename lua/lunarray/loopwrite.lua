-- What rounds of a shared loop have assigned, sent to the ranks that have the elements: boxes of elements at the loop's
-- own indices, which one round assigns each, and logs of what was assigned at computed ones (roundlog.lua). Stored once
-- all ranks have all of it. Knows no transport.

local core = require "lunarray.core"
local loopread = require "lunarray.loopread"
local roundlog = require "lunarray.roundlog"
local spread = require "lunarray.spread"

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

local function pack_box(box)
    local edges = table.move(box.count, 1, #box.count, #box.first + 1, table.move(box.first, 1, #box.first, 1, {}))
    return string.pack("<I1" .. ("i8"):rep(#edges), box.array, table.unpack(edges)) ..
        string.pack("<s8", box.values:tobytes())
end

-- The boxes in bytes from `at` on, added to a list; where the next thing is.
local function unpack_boxes(bytes, at, captured, list)
    local boxes
    boxes, at = string.unpack("<I4", bytes, at)
    for _ = 1, boxes do
        local array, values
        array, at = string.unpack("<I1", bytes, at)
        local entry, box = captured[array], { array = array, first = {}, count = {} }
        local rank = #entry.of.shape
        local edges = table.pack(string.unpack("<" .. ("i8"):rep(2 * rank), bytes, at))
        table.move(edges, 1, rank, 1, box.first)
        table.move(edges, rank + 1, 2 * rank, 1, box.count)
        values, at = string.unpack("<s8", bytes, edges[2 * rank + 1])
        box.values = loopread.tensor(values, entry.array:dtype(), box.count)
        list[#list + 1] = box
    end
    return at
end

-- ---------------------------------------------------------------- all of it

-- Sends what was assigned, and gives what belongs here: boxes, and logs by number of the array.
function loopwrite.exchange(captured, notes, logs)
    local messages, own, puts = {}, boxes_of(notes, captured, mype), 0
    for pe = 0, npes - 1 do
        local boxes = pe == mype and {} or boxes_of(notes, captured, pe)
        for k, box in ipairs(boxes) do
            puts = puts + spread.size(box.count)
            boxes[k] = pack_box(box)
        end
        local any = #boxes > 0 or logs[pe + 1] ~= ""
        messages[pe + 1] = any and string.pack("<I4", #boxes) .. table.concat(boxes) .. logs[pe + 1] or ""
    end
    net.count(0, puts)
    local by_array = {}
    for _, bytes in ipairs(net.exchange(messages)) do
        if bytes ~= "" then
            roundlog.unpack(bytes, unpack_boxes(bytes, 1, captured, own), by_array)
        end
    end
    return own, by_array
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
