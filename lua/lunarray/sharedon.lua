-- s.sharedon: a loop of which each rank runs the rounds whose element of the owner it has. What rounds read of other
-- ranks is fetched before, what they assign there is sent after; the rounds themselves are one kernel of lun.each, on
-- arrays of the global shape. Knows no transport.

local blocked = require "lunarray.blocked"
local core = require "lunarray.core"
local dtypes = require "lunarray.dtypes"
local inspect = require "lunarray.inspect"
local owners = require "lunarray.owner"
local pack = require "lunarray.pack"
local placelist = require "lunarray.placelist"
local public = require "lunarray.public"
local roundlog = require "lunarray.roundlog"
local spread = require "lunarray.spread"
local touched = require "lunarray.touched"

local net = core.internal.spmd
local npes, mype = net.start()

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

-- What this rank asks each PE for, as bytes, which entries' `wanted` says by array and PE.
local function requests_of(captured, known)
    local requests, any = {}, {}
    for pe = 1, npes do
        requests[pe] = {}
    end
    for _, entry in ipairs(captured) do
        local lists = touched.by_owner(blocked.spread_of(entry.array), touched.wanted_of(entry, known))
        entry.wanted = lists
        for pe = 1, npes do
            local request = requests[pe]
            request[#request + 1] = placelist.pack(lists[pe - 1])
            any[pe] = any[pe] or #lists[pe - 1] > 0
        end
    end
    for pe = 1, npes do
        requests[pe] = any[pe] and table.concat(requests[pe]) or ""
    end
    return requests
end

-- Gets what is wanted of each array, for which `asked` are the requests of all to this rank, and puts it into the
-- replicas.
local function fetch(captured, asked)
    local answers = {}
    for pe, request in ipairs(asked) do
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
                local size = #places * dtypes.by_name[entry.array:dtype()].bytes
                store_at(entry.replica, core.vector(places, "i64"), bytes:sub(at, at + size - 1))
                at = at + size
            end
        end
    end
end

-- ---------------------------------------------------------------- loops that ran before

local KEPT = 32 -- loops whose requests are remembered

-- By loop: the number of the run, the same on all ranks, which sent them, what was asked for then, and by whom here.
local kept, kept_count, runs = {}, 0, 0

-- Whether a loop asks for what it asked for before: the number of that run; else 0.
local function same_as_before(key, requests)
    local before = kept[key]
    for pe = 1, before and npes or 0 do
        if before.requests[pe] ~= requests[pe] then
            return 0
        end
    end
    return before and before.run or 0
end

-- The requests of all to this rank: those of that run, if it is one for all ranks (not 0), else by a message each.
local function asked_of(key, requests, before)
    if before > 0 then
        return kept[key].asked
    end
    if not kept[key] then
        kept_count = kept_count + 1
    end
    if kept_count > KEPT then
        kept, kept_count = {}, 1
    end
    local asked = net.exchange(requests)
    kept[key] = { run = runs, requests = requests, asked = table.move(asked, 1, npes, 1, {}) }
    return asked
end

-- ---------------------------------------------------------------- what is sent

-- An array's elements as integers, which differ where bits do.
local function bits(array)
    local bytes = dtypes.by_name[array:dtype()].bytes
    return core.frombytes(array:tobytes(), "i" .. bytes * 8)
end

-- Places at the loop's own indices that the rounds have assigned. Where that was not known before: those that have
-- changed, which no other round assigns.
local function assigned(entry, known)
    if entry.logged then
        return {}
    elseif known then
        return entry.notes.writes
    end
    local places = bits(entry.replica):ne(entry.before):indices():totable()
    return places
end

-- Sends what was assigned to the owners, and gives what came, by PE: first what stands at the loop's own indices, then
-- the logs.
local function send(captured, known, logs)
    local messages, any = {}, {}
    for pe = 1, npes do
        messages[pe], any[pe] = {}, logs[pe] ~= ""
    end
    for _, entry in ipairs(captured) do
        local places = assigned(entry, known)
        local lists = touched.by_owner(blocked.spread_of(entry.array), places)
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
        messages[pe] = any[pe] and table.concat(messages[pe]) .. logs[pe] or ""
    end
    return net.exchange(messages)
end

-- The messages as { entry, places, bytes }, and the logs by number of the array.
local function received(captured, messages)
    local list, logs = {}, {}
    for _, message in ipairs(messages) do
        local at = 1
        for _, entry in ipairs(message ~= "" and captured or {}) do
            local places, count
            places, count, at = placelist.unpack(message, at)
            if places then
                local size = count * dtypes.by_name[entry.array:dtype()].bytes
                list[#list + 1] = { entry = entry, places = places, bytes = message:sub(at, at + size - 1) }
                at = at + size
            end
        end
        roundlog.unpack(message, at, logs)
    end
    return list, logs
end

-- ---------------------------------------------------------------- the loop

-- All ranks learn of an error of any of them: the first in rank order is raised by all. Else the value that all have
-- given; 0 where they differ.
local function settle(e, value)
    local common = value
    for k, bytes in ipairs(net.gather(pack.write(e, value))) do
        local other, its = pack.read(bytes)
        if other then
            error(("PE %d: %s"):format(k - 1, other), 0)
        end
        common = its == common and its or 0
    end
    return common
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

-- The kernel; gives notes of what it assigns at computed places.
local function run(f, box, empty, captured)
    local copy, replicas = on_replicas(f, captured)
    local notes = empty and {} or core.internal.each_logged(box, copy, table.unpack(replicas))
    for _, note in ipairs(notes) do
        captured[note.array].logged = true
    end
    return notes
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
    local key = table.concat(texts, " ") .. " " .. blocked.spread_of(array).key .. " " .. #captured
    net.step("shares a loop", "a shared loop", key)
    runs = runs + 1
    key = string.dump(f) .. key
    for _, entry in ipairs(captured) do
        key = key .. blocked.spread_of(entry.array).key
    end
    local known, fault = touched.look_at(f, box, empty, captured, asks)
    local requests = known ~= nil and requests_of(captured, known)
    local before = settle(known == nil and fault or nil, requests and same_as_before(key, requests))
    for _, entry in ipairs(captured) do
        entry.replica = replica_of(entry)
    end
    fetch(captured, asked_of(key, requests, before))
    for _, entry in ipairs(known and {} or captured) do
        entry.before = bits(entry.replica)
    end
    local ok, notes = pcall(run, f, box, empty, captured)
    settle(not ok and text_of(notes) or nil)
    local writes, logs = received(captured, send(captured, known, roundlog.pack(notes, captured, box, extents,
        function(entry)
            return not known or entry.notes.anywhere
        end)))
    local fits, parts = pcall(roundlog.stored, captured, logs)
    settle(not fits and text_of(parts) or nil)
    for k, part in pairs(parts) do
        blocked.part_of(captured[k].array):set(part)
    end
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
