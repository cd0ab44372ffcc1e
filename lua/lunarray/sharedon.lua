-- s.sharedon: a loop of which each rank runs the rounds whose element of the owner it has. What rounds read of other
-- ranks is fetched before, what they assign there is sent after; the rounds themselves are one kernel of lun.each, on
-- arrays of the global shape. Knows no transport.

local blocked = require "lunarray.blocked"
local core = require "lunarray.core"
local inspect = require "lunarray.inspect"
local owners = require "lunarray.owner"
local pack = require "lunarray.pack"
local placelist = require "lunarray.placelist"
local public = require "lunarray.public"
local spread = require "lunarray.spread"

local net = core.internal.spmd
local npes, mype = net.start()

-- ---------------------------------------------------------------- what rounds touch

local function indices_of(shape, place)
    local rest, indices = place - 1, {}
    for d = #shape, 1, -1 do
        indices[d], rest = rest % shape[d] + 1, rest // shape[d]
    end
    return indices
end

-- Whether each PE's elements are read: lists of places (global), by PE.
local function by_owner(of, places)
    local lists = {}
    for pe = 0, npes - 1 do
        lists[pe] = {}
    end
    for _, place in ipairs(places) do
        local pe = spread.home(of, indices_of(of.shape, place))
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
        local indices, place = indices_of(count, k), 0
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
local function look_at(f, box, empty, captured, asks)
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

-- Counts accesses, as the loop makes them, and gives the places of other PEs that are read.
local function wanted_of(entry, known)
    local of, gets, puts, wanted = blocked.spread_of(entry.array), 0, 0, {}
    if not known then
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
        if spread.home(of, indices_of(of.shape, place)) ~= mype then
            gets = gets + times
            if not entry.notes.written[place] then
                wanted[#wanted + 1] = place
            end
        end
    end
    for place, times in pairs(entry.notes.written) do
        if spread.home(of, indices_of(of.shape, place)) ~= mype then
            puts = puts + times
            wanted[#wanted + 1] = entry.notes.reads[place] and place or nil
        end
    end
    net.count(gets, puts)
    table.sort(wanted)
    return wanted
end

-- ---------------------------------------------------------------- moving

-- Elements of an array at places in row-major order, as bytes.
local function elements(array, places)
    return array:reshape(-1):take(places):tobytes()
end

-- The places in the array of the global shape as places in this rank's part.
local function local_places(of, places)
    local first, count = spread.box(of, mype)
    local result, rest = 0, places - 1
    local stride = 1
    for d = #of.shape, 1, -1 do
        result = result + (rest % of.shape[d] - (first[d] - 1)) * stride
        rest = rest // of.shape[d]
        stride = stride * count[d]
    end
    return (result + 1):eval()
end

local function store_at(array, places, bytes)
    local shape = { array:shape() }
    local values = core.frombytes(bytes, array:dtype())
    array:set(array:reshape(-1):put(places, values):reshape(shape))
end

-- An array of the global shape with this rank's part and the elements that were fetched.
local function replica_of(entry)
    local a = entry.array
    local of, part = blocked.spread_of(a), blocked.part_of(a)
    local replica = core.zeros(of.shape, a:dtype())
    local first, count = spread.box(of, mype)
    if spread.size(count) > 0 then
        local ranges = {}
        for d = 1, #first do
            ranges[d] = { first[d], first[d] + count[d] - 1 }
        end
        replica:sub(table.unpack(ranges)):set(part)
    end
    return replica
end

-- Asks the owners for what is wanted of each array, and puts it into the replicas.
local function fetch(captured, known)
    local requests = {}
    for pe = 0, npes - 1 do
        requests[pe + 1] = {}
    end
    local any = {}
    for _, entry in ipairs(captured) do
        local lists = by_owner(blocked.spread_of(entry.array), wanted_of(entry, known))
        entry.wanted = lists
        for pe = 0, npes - 1 do
            local request = requests[pe + 1]
            request[#request + 1] = placelist.pack(lists[pe])
            any[pe + 1] = any[pe + 1] or #lists[pe] > 0
        end
    end
    for pe = 1, npes do
        requests[pe] = any[pe] and table.concat(requests[pe]) or ""
    end
    local answers = net.exchange(requests)
    for pe, request in ipairs(answers) do
        local parts, at = {}, 1
        for _, entry in ipairs(request ~= "" and captured or {}) do
            local places
            places, _, at = placelist.unpack(request, at)
            parts[#parts + 1] = places and elements(blocked.part_of(entry.array),
                local_places(blocked.spread_of(entry.array), places))
        end
        answers[pe] = table.concat(parts)
    end
    answers = net.exchange(answers)
    for pe, bytes in ipairs(answers) do
        local at = 1
        for _, entry in ipairs(bytes ~= "" and captured or {}) do
            local places = entry.wanted[pe - 1]
            if #places > 0 then
                local size = #places * require("lunarray.dtypes").by_name[entry.array:dtype()].bytes
                store_at(entry.replica, core.vector(places, "i64"), bytes:sub(at, at + size - 1))
                at = at + size
            end
        end
    end
end

-- Places that the rounds have assigned, where that was not known before: those that have changed, and marked ones,
-- which are elsewhere than at the loop's own indices and may be what they were.
local function assigned(entry)
    local a, b = entry.replica:reshape(-1), entry.before:reshape(-1)
    local differs = a:ne(b)
    if a:dtype():find "f" then
        differs = differs:land(a:isnan():land(b:isnan()):lnot())
    end
    return (entry.marks and differs:lor(entry.marks) or differs):indices():totable()
end

-- Sends what was assigned to the owners. Gives the list of what came, by PE, and an error where two PEs have assigned
-- one element.
local function send(captured, known)
    local messages = {}
    for pe = 1, npes do
        messages[pe] = {}
    end
    local any = {}
    for _, entry in ipairs(captured) do
        local places = known and entry.notes.writes or assigned(entry)
        local lists = by_owner(blocked.spread_of(entry.array), places)
        net.count(0, known and 0 or #places - #lists[mype])
        for pe = 0, npes - 1 do
            local message = messages[pe + 1]
            message[#message + 1] = placelist.pack(lists[pe])
            if #lists[pe] > 0 then
                any[pe + 1] = true
                message[#message + 1] = elements(entry.replica, core.vector(lists[pe], "i64"))
            end
        end
    end
    for pe = 1, npes do
        messages[pe] = any[pe] and table.concat(messages[pe]) or ""
    end
    return net.exchange(messages)
end

-- The messages as { entry, places, bytes, pe }, or nil and what is wrong.
local function received(captured, messages)
    local list, writer = {}, {}
    for pe, message in ipairs(messages) do
        local at = 1
        for _, entry in ipairs(message ~= "" and captured or {}) do
            local places, count
            places, count, at = placelist.unpack(message, at)
            if places then
                local size = count * require("lunarray.dtypes").by_name[entry.array:dtype()].bytes
                list[#list + 1] = { entry = entry, places = places, bytes = message:sub(at, at + size - 1) }
                at = at + size
                local seen = writer[entry] or {}
                writer[entry] = seen
                for _, place in ipairs(places:totable()) do
                    if seen[place] then
                        local indices = indices_of(blocked.spread_of(entry.array).shape, place)
                        return nil, ("element [%s] of '%s' is assigned by rounds of PE %d and PE %d: only one may")
                            :format(table.concat(indices, "]["), entry.name, seen[place], pe - 1)
                    end
                    seen[place] = pe - 1
                end
            end
        end
    end
    return list
end

-- ---------------------------------------------------------------- the loop

-- All ranks learn of an error of any of them: the first in rank order is raised by all.
local function settle(e)
    for k, bytes in ipairs(net.gather(pack.write(e))) do
        local other = pack.read(bytes)
        if other then
            error(("PE %d: %s"):format(k - 1, other), 0)
        end
    end
end

local function text_of(e)
    e = tostring(e)
    e = e:gsub("^lua/lunarray/%w+%.lua:%d+: ", "")
    return (e:gsub("^bad argument #%d+ to 'each' %((.*)%)$", "%1"))
end

-- The function on replicas of what is blocked, and these.
local function on_replicas(f, captured)
    local replicas, list = {}, {}
    for k, entry in ipairs(captured) do
        replicas[entry.array], list[k] = entry.replica, entry.replica
    end
    return inspect.copy(f, function(x)
        return replicas[x]
    end), list
end

-- The kernel.
local function run(f, box, empty, captured)
    local copy, replicas = on_replicas(f, captured)
    local marks = empty and {} or { core.internal.each_marked(box, copy, table.unpack(replicas)) }
    for k, entry in ipairs(captured) do
        entry.marks = marks[k]
    end
end

local inside = false

-- One rank has all elements.
local function run_alone(f, extents, captured)
    for _, entry in ipairs(captured) do
        entry.replica = blocked.part_of(entry.array)
    end
    core.each(extents, (on_replicas(f, captured)))
end

local function shared_loop(owner, extents, f, options)
    local array, list = owners.subscripts(owner, type(extents) == "table" and #extents or 1)
    extents = owners.ranges(extents or blocked.spread_of(array).shape)
    owners.check(array, list, extents)
    local box, empty = owners.rounds(array, list, extents)
    local captured, asks = inspect.captured(f, blocked.is)
    if npes == 1 then
        return run_alone(f, extents, captured)
    end
    local texts = {}
    for k, range in ipairs(extents) do
        texts[k] = ("%d..%d"):format(range[1], range[2])
    end
    net.step("shares a loop", "a shared loop", table.concat(texts, " ") .. blocked.spread_of(array).key .. #captured)
    local known, fault = look_at(f, box, empty, captured, asks)
    settle(known == nil and fault or nil)
    for _, entry in ipairs(captured) do
        entry.replica = replica_of(entry)
    end
    local all_known = known
    for _, bytes in ipairs(net.gather(known and "y" or "n")) do
        all_known = all_known and bytes == "y"
    end
    fetch(captured, all_known)
    for _, entry in ipairs(all_known and {} or captured) do
        entry.before = entry.replica:copy():eval()
    end
    local ok, e = pcall(run, f, box, empty, captured)
    settle(not ok and text_of(e) or nil)
    local writes, wrong = received(captured, send(captured, all_known))
    settle(wrong)
    for _, write in ipairs(writes) do
        local a = write.entry.array
        store_at(blocked.part_of(a), local_places(blocked.spread_of(a), write.places), write.bytes)
    end
    if not options.nobarrier then
        net.barrier()
    end
end

return public(function(owner, extents, f, options)
    if type(extents) == "function" then
        extents, f, options = nil, extents, f
    end
    if type(f) ~= "function" then
        error(("bad argument #3 to 'sharedon' (function expected, got %s)"):format(f == nil and "no value" or type(f)),
            0)
    elseif extents == nil and not blocked.is(owner) then
        error("bad argument #2 to 'sharedon' (extents expected: the owner is a function)", 0)
    elseif inside then
        error("sharedon inside sharedon", 0)
    end
    for key in pairs(options or {}) do
        if key ~= "nobarrier" then
            error(("bad argument #4 to 'sharedon' (the option is nobarrier, not %s)"):format(tostring(key)), 0)
        end
    end
    inside = true
    local results = table.pack(pcall(shared_loop, owner, extents, f, options or {}))
    inside = false
    if not results[1] then
        error(results[2], 0)
    end
end)
