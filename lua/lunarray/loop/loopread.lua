-- What rounds of a shared loop read of other ranks, fetched before they run: boxes, which owners know and send without
-- being asked, and elements at computed indices, which a kernel has marked and owners are asked for. The rest of a
-- loop's arrays is in no rank's memory but its owner's. How many bytes go from where to where all know before they
-- move. Knows no transport.

local blocked = require "lunarray.block.blocked"
local core = require "lunarray.core"
local loopreach = require "lunarray.loop.loopreach"
local spread = require "lunarray.block.spread"

local internal = core.internal
local net = internal.spmd
local npes, mype = net.start()

local loopread = {}

-- ---------------------------------------------------------------- parts of parts

-- The elements of an array, whose first one has the indices `first`, that are in a box; step: of its indices, or nil.
local function window(array, first, at, count, step)
    local ranges = {}
    for d in ipairs(at) do
        local by = step and step[d] or 1
        local low = at[d] - first[d] + 1
        ranges[d] = { low, low + (count[d] - 1) * by, by }
    end
    return array:sub(table.unpack(ranges))
end
loopread.window = window

-- The same of this rank's part.
local function piece(entry, first, count, step)
    return window(entry.part, entry.first, first, count, step)
end
loopread.piece = piece

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

-- What this rank sends the others of boxes that they read: a list of strings by PE.
function loopread.sent(captured, loop, needs)
    local messages = {}
    for pe = 0, npes - 1 do
        local parts = {}
        for _, group in ipairs(pe ~= mype and needs[pe + 1].groups or {}) do
            local entry = captured[group.array]
            local first, count, step = loopreach.need(group, loop.rounds(pe), entry.of.shape)
            if first then
                first, count = loopreach.common(first, count, step, entry.first, entry.count)
            end
            parts[#parts + 1] = first and piece(entry, first, count, step):tobytes()
        end
        messages[pe + 1] = parts
    end
    return messages
end

-- The boxes that this rank's rounds read: of each group { entry, first, count, step, from }, from: a list of what each
-- PE has of it, { pe, first, count, bytes }. And how many bytes each PE sends.
function loopread.boxes(captured, loop, need)
    local list, sizes = {}, {}
    for pe = 1, npes do
        sizes[pe] = 0
    end
    for k, group in ipairs(need.groups) do
        local box = { entry = captured[group.array], group = group, from = {} }
        box.first, box.count, box.step = loopreach.need(group, loop.box, box.entry.of.shape)
        for pe = 0, box.first and npes - 1 or -1 do
            local first, count = loopreach.common(box.first, box.count, box.step, spread.box(box.entry.of, pe))
            if first then
                local bytes = pe == mype and 0 or spread.size(count) * box.entry.bytes
                table.insert(box.from, { pe = pe, first = first, count = count, bytes = bytes })
                sizes[pe + 1] = sizes[pe + 1] + bytes
            end
        end
        list[k] = box
    end
    return list, sizes
end

-- A box of elements from what each PE has sent, from at[pe + 1] on there.
local function join(box, messages, at)
    local entry, dtype = box.entry, box.entry.array:dtype()
    local all = core.zeros(box.count, dtype)
    for _, x in ipairs(box.from) do
        local place = {}
        for d, first in ipairs(x.first) do
            place[d] = (first - box.first[d]) // box.step[d] + 1
        end
        local elements
        if x.pe == mype then
            elements = piece(entry, x.first, x.count, box.step)
        else
            local from = at[x.pe + 1]
            at[x.pe + 1] = from + x.bytes
            elements = tensor(messages[x.pe + 1]:sub(from, from + x.bytes - 1), dtype, x.count)
        end
        local ranges = {}
        for d, from in ipairs(place) do
            ranges[d] = { from, from + x.count[d] - 1 }
        end
        all:sub(table.unpack(ranges)):set(elements)
    end
    return all
end

-- What a box is for the loop that runs. Of one that is all here a window, or for computed indices the whole part.
local function part_of(box, messages, at)
    local entry, group = box.entry, box.group
    local here = not box.first or #box.from == 1 and box.from[1].pe == mype
    if here and group.computed then
        local ones = {}
        for d in ipairs(entry.first) do
            ones[d] = 1
        end
        return { first = entry.first, count = entry.count, step = ones, elements = entry.part }
    elseif here then
        return box.first and { first = box.first, elements = piece(entry, box.first, box.count) }
    end
    return { first = box.first, count = box.count, step = box.step, elements = join(box, messages, at) }
end

-- The parts of the loop from such boxes; at: where each PE's bytes begin in the messages, then where the rest does.
function loopread.parts(boxes, messages, at)
    local parts = {}
    for _, box in ipairs(boxes) do
        local part = part_of(box, messages, at)
        if part then
            part.array, part.computed = box.group.array, box.group.computed
            if part.computed then
                part.elements = part.elements:reshape(-1)
            end
            if box.group.all or not part.computed then
                part.step = nil
            end
            parts[#parts + 1] = part
        end
    end
    return parts
end

-- How often rounds read elements of other ranks at indices that are known.
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

-- What the rounds want of others at computed indices: { marks = by array, requests = what each PE is asked for, as
-- bytes, sizes = how many bytes of each array each PE sends, gets = how often such elements are read }.
function loopread.wanted(f, captured, stands, loop, parts)
    local blocks, requests, sizes = {}, {}, {}
    for k, entry in ipairs(captured) do
        blocks[k] = entry.of.blocks
    end
    local marks, gets = internal.loop_wanted(loop, f, parts, blocks, mype, table.unpack(stands))
    for pe = 1, npes do
        local words, any = {}, false
        sizes[pe] = {}
        for k, entry in ipairs(captured) do
            local wanted = 0
            words[k] = ""
            if marks[k] and pe ~= mype + 1 then
                words[k], wanted = internal.marks_request(marks[k], entry.of.blocks, pe - 1)
            end
            sizes[pe][k] = wanted * entry.bytes
            any = any or words[k] ~= ""
        end
        requests[pe] = any and string.pack(("<s8"):rep(#words), table.unpack(words)) or ""
    end
    return { marks = marks, requests = requests, sizes = sizes, gets = gets }
end

-- What each PE asks for, from such bytes: by PE, by array, which elements of the part; false: none.
function loopread.asked(captured, requests)
    local asked = {}
    for pe, bytes in ipairs(requests) do
        local at, word = 1, ""
        asked[pe] = {}
        for k, entry in ipairs(captured) do
            if bytes ~= "" then
                word, at = string.unpack("<s8", bytes, at)
            end
            asked[pe][k] = word ~= "" and internal.marks_asked(entry.part:size(), word)
        end
    end
    return asked
end

-- Adds the elements that are asked for to lists of strings by PE.
function loopread.answer(captured, asked, messages)
    for pe, list in ipairs(asked) do
        for k, places in ipairs(list) do
            if places then
                table.insert(messages[pe], captured[k].part:reshape(-1):take(places):tobytes())
            end
        end
    end
end

-- Adds to the parts what has been marked, from what each PE has sent, from at[pe] on there.
function loopread.fill(captured, wanted, messages, at, parts)
    for k, entry in ipairs(captured) do
        local bytes = {}
        for pe = 1, npes do
            local size = wanted.sizes[pe][k]
            bytes[pe] = messages[pe]:sub(at[pe], at[pe] + size - 1)
            at[pe] = at[pe] + size
        end
        if wanted.marks[k] then
            local elements, from, words = internal.marks_fill(wanted.marks[k], entry.of.blocks, mype,
                entry.part:reshape(-1), bytes)
            parts[#parts + 1] = { array = k, computed = true, elements = elements, from = from, words = words }
        end
    end
end

return loopread
