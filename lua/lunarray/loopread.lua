-- What rounds of a shared loop read of other ranks, fetched before they run: boxes, which owners know and send without
-- being asked, and elements at computed indices, which a kernel has marked and owners are asked for. The rest of a
-- loop's arrays is in no rank's memory but its owner's. Knows no transport.

local blocked = require "lunarray.blocked"
local core = require "lunarray.core"
local loopreach = require "lunarray.loopreach"
local spread = require "lunarray.spread"

local internal = core.internal
local net = internal.spmd
local npes, mype = net.start()

local loopread = {}

-- ---------------------------------------------------------------- parts of parts

-- The elements of this rank's part of an array that are in a box of it, as a window.
local function piece(entry, first, count)
    local own_first = entry.first
    local ranges = {}
    for d in ipairs(first) do
        ranges[d] = { first[d] - own_first[d] + 1, first[d] - own_first[d] + count[d] }
    end
    return entry.part:sub(table.unpack(ranges))
end
loopread.piece = piece

local function window(array, first, at, count)
    local ranges = {}
    for d in ipairs(at) do
        ranges[d] = { at[d] - first[d] + 1, at[d] - first[d] + count[d] }
    end
    return array:sub(table.unpack(ranges))
end
loopread.window = window

local function tensor(bytes, dtype, shape)
    return core.frombytes(bytes, dtype):reshape(shape)
end
loopread.tensor = tensor

-- Sets what is here of each captured array: its spread, part, and the part's box.
function loopread.open(captured)
    for _, entry in ipairs(captured) do
        entry.of, entry.part = blocked.spread_of(entry.array), blocked.part_of(entry.array):eval()
        entry.first, entry.count = spread.box(entry.of, mype)
    end
end

-- ---------------------------------------------------------------- boxes

-- What this rank sends the others of boxes that they read: bytes by PE.
local function sent_boxes(captured, loop, needs)
    local messages = {}
    for pe = 0, npes - 1 do
        local parts = {}
        for _, group in ipairs(pe ~= mype and needs[pe + 1].groups or {}) do
            local entry = captured[group.array]
            local first, count = loopreach.need(group, loop.rounds(pe), entry.of.shape)
            if first then
                first, count = spread.common(first, count, entry.first, entry.count)
            end
            parts[#parts + 1] = first and piece(entry, first, count):tobytes()
        end
        messages[pe + 1] = table.concat(parts)
    end
    return messages
end

-- The box from what each PE has sent of it, from at[pe + 1] on there.
local function join(entry, first, count, messages, at)
    local own_first, own_count = spread.common(first, count, entry.first, entry.count)
    if own_first and spread.size(own_count) == spread.size(count) then
        return piece(entry, first, count)
    end
    local dtype = entry.array:dtype()
    local box = core.zeros(count, dtype)
    for pe = 0, npes - 1 do
        local from, some = spread.common(first, count, spread.box(entry.of, pe))
        if from and pe == mype then
            window(box, first, from, some):set(piece(entry, from, some))
        elseif from then
            local size = spread.size(some) * entry.bytes
            local bytes = messages[pe + 1]:sub(at[pe + 1], at[pe + 1] + size - 1)
            window(box, first, from, some):set(tensor(bytes, dtype, some))
            at[pe + 1] = at[pe + 1] + size
        end
    end
    return box
end

-- The boxes that this rank's rounds read; needs: what each rank's function reads.
function loopread.boxes(captured, loop, needs)
    local messages = net.exchange(sent_boxes(captured, loop, needs))
    local parts, at = {}, {}
    for pe = 1, npes do
        at[pe] = 1
    end
    for _, group in ipairs(needs[mype + 1].groups) do
        local entry = captured[group.array]
        local first, count = loopreach.need(group, loop.box, entry.of.shape)
        if first then
            local box = join(entry, first, count, messages, at)
            parts[#parts + 1] = { array = group.array, first = first, elements = box, computed = group.all }
            if group.all then
                parts[#parts].elements = box:reshape(-1)
            end
        end
    end
    return parts
end

-- How often rounds read elements of other ranks at the loop's own indices.
function loopread.count(captured, loop, reaches)
    local gets = 0
    for _, x in ipairs(reaches) do
        local entry = captured[x.array]
        if not x.assigned then
            local all = {}
            for d in ipairs(entry.of.shape) do
                all[d] = 1
            end
            gets = gets + loopreach.times(x, loop.box, all, entry.of.shape) -
                loopreach.times(x, loop.box, entry.first, entry.count)
        end
    end
    net.count(gets, 0)
end

-- ---------------------------------------------------------------- computed indices

-- What the rounds want of others at computed indices: marks by array, and what each PE is asked for, as bytes.
function loopread.wanted(f, captured, stands, loop, parts)
    local blocks, requests = {}, {}
    for k, entry in ipairs(captured) do
        blocks[k] = entry.of.blocks
    end
    local marks, gets = internal.loop_wanted(loop, f, parts, blocks, mype, table.unpack(stands))
    for pe = 1, npes do
        local words, any = {}, false
        for k, entry in ipairs(captured) do
            words[k] = marks[k] and pe ~= mype + 1 and internal.marks_request(marks[k], entry.of.blocks, pe - 1) or ""
            any = any or words[k] ~= ""
        end
        requests[pe] = any and string.pack(("<s8"):rep(#words), table.unpack(words)) or ""
    end
    return marks, requests, gets
end

-- The strings in such bytes, one for each array.
local function strings(bytes, captured)
    local list, at = {}, 1
    for k in ipairs(captured) do
        list[k] = ""
        if bytes ~= "" then
            list[k], at = string.unpack("<s8", bytes, at)
        end
    end
    return list
end

-- Answers what is asked for, by PE, and adds to the parts what has been marked.
function loopread.fetch(captured, asked, marks, parts)
    local answers = {}
    for pe, bytes in ipairs(asked) do
        local words = strings(bytes, captured)
        for k, request in ipairs(words) do
            local part = captured[k].part
            words[k] = request == "" and "" or
                part:reshape(-1):take(internal.marks_asked(part:size(), request)):tobytes()
        end
        answers[pe] = bytes == "" and "" or string.pack(("<s8"):rep(#words), table.unpack(words))
    end
    local got = {}
    for pe, bytes in ipairs(net.exchange(answers)) do
        got[pe] = strings(bytes, captured)
    end
    for k, entry in ipairs(captured) do
        if marks[k] then
            local bytes = {}
            for pe = 1, npes do
                bytes[pe] = got[pe][k]
            end
            local elements, from, words = internal.marks_fill(marks[k], entry.of.blocks, mype,
                entry.part:reshape(-1), bytes)
            parts[#parts + 1] = { array = k, computed = true, elements = elements, from = from, words = words }
        end
    end
end

return loopread
