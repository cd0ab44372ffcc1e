-- s.sharedon: a loop of which each rank runs the rounds whose element of the owner it has. The function is compiled for
-- stand-ins of the arrays, which tells what rounds reach; each rank then runs its rounds on what it has of the arrays
-- and on what was fetched of others (loopread.lua), and sends what belongs elsewhere (loopwrite.lua). Knows no
-- transport.

local blocked = require "lunarray.blocked"
local core = require "lunarray.core"
local dtypes = require "lunarray.dtypes"
local inspect = require "lunarray.inspect"
local loopreach = require "lunarray.loopreach"
local loopread = require "lunarray.loopread"
local loopwrite = require "lunarray.loopwrite"
local owners = require "lunarray.owner"
local pack = require "lunarray.pack"
local public = require "lunarray.public"
local roundlog = require "lunarray.roundlog"

local internal = core.internal
local net = internal.spmd
local npes, mype = net.start()

-- ---------------------------------------------------------------- agreement

-- Everyone's string, by rank; all ranks learn of an error of any of them: the first in rank order is raised by all.
-- Further arguments: the step that this begins.
local function settle(e, text, ...)
    local all = {}
    for k, bytes in ipairs(net.gather(pack.write(e, text), ...)) do
        local other, its = pack.read(bytes)
        if other then
            error(("PE %d: %s"):format(k - 1, other), 0)
        end
        all[k] = its
    end
    return all
end

local function text_of(e)
    e = tostring(e)
    e = e:gsub("^lua/lunarray/%w+%.lua:%d+: ", "")
    return (e:gsub("^bad argument #%d+ to 'each' %((.*)%)$", "%1"))
end

-- What f gives, unless it fails on some rank; text_by: a string of its results for all ranks. Gives these strings
-- first. said: the step that this begins, { doing, noun, options }, or {}.
local function together(said, text_by, f, ...)
    local results = table.pack(pcall(f, ...))
    local ok = results[1]
    local all = settle(not ok and text_of(results[2]) or nil, ok and text_by(table.unpack(results, 2, results.n)) or "",
        table.unpack(said))
    return all, table.unpack(results, 2, results.n)
end

-- What f gives, unless it fails on some rank: an agreement where it does not.
local function unless_failed(f, ...)
    local results = table.pack(pcall(f, ...))
    local ok = results[1]
    local _, _, all_ok = net.agree("runs a shared loop", "a shared loop", nil, 0, 0, ok)
    if not all_ok then
        settle(not ok and text_of(results[2]) or nil, "")
    end
    return table.unpack(results, 2, results.n)
end

-- ---------------------------------------------------------------- stand-ins

local copies = setmetatable({}, { __mode = "k" }) -- by function: its copy, for the arrays that it captured then

local function same_arrays(captured, known)
    local same = known ~= nil and #captured == #known.captured
    for k, entry in ipairs(same and captured or {}) do
        local other = known.captured[k]
        same = same and entry.array == other.array and entry.array:dtype() == other.dtype
    end
    return same
end

local function copy_with(f, captured, replacements)
    local by_array = {}
    for k, entry in ipairs(captured) do
        by_array[entry.array] = replacements[k]
    end
    return inspect.copy(f, function(x)
        return by_array[x]
    end)
end

-- f's copy that captures stand-ins of the blocked arrays: virtual arrays of their shapes. And these.
local function with_stands(f, captured, inner)
    if same_arrays(captured, copies[f]) then
        return copies[f].copy, copies[f].stands
    end
    local stands, known = {}, { captured = {} }
    for k, entry in ipairs(captured) do
        local dtype = entry.array:dtype()
        stands[k] = core.full(entry.of.shape, dtype ~= "bool" and 0, dtype)
        known.captured[k] = { array = entry.array, dtype = dtype }
    end
    known.copy, known.stands = copy_with(f, captured, stands), stands
    if not inner then
        copies[f] = known
    end
    return known.copy, stands
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

-- The requests of all to this rank: those of the run before, if it is one for all ranks, else by a message each.
local function asked_of(key, requests, befores)
    local before = befores[1]
    for pe = 2, npes do
        before = befores[pe] == before and before or "0"
    end
    if before ~= "0" then
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

-- ---------------------------------------------------------------- the loop

-- What this rank's rounds read, in parts of the arrays.
local function read_parts(key, said, copy, captured, stands, loop)
    local texts, reaches = together(said, loopreach.text, internal.loop_reach, loop, copy, table.unpack(stands))
    local needs, known, computes = {}, {}, false
    for pe, text in ipairs(texts) do
        known[text] = known[text] or loopreach.parse(text)
        needs[pe] = known[text]
        computes = computes or #needs[pe].some > 0
    end
    local parts = loopread.boxes(captured, loop, needs)
    loopread.count(captured, loop, reaches)
    if computes then
        local befores, marks, requests, gets = together({}, function(_, requests)
            return tostring(same_as_before(key, requests))
        end, loopread.wanted, copy, captured, stands, loop, parts)
        net.count(gets, 0)
        loopread.fetch(captured, asked_of(key, requests, befores), marks, parts)
    end
    return parts
end

local function run_shared(key, said, f, captured, inner, loop, extents)
    loopread.open(captured)
    local copy, stands = with_stands(f, captured, inner)
    local parts = read_parts(key, said, copy, captured, stands, loop)
    local notes = unless_failed(internal.loop_run, loop, copy, parts, table.unpack(stands))
    local boxes, logs = loopwrite.exchange(captured, notes, roundlog.pack(notes, captured, loop.box, extents))
    local changed = unless_failed(roundlog.stored, captured, logs)
    loopwrite.store(captured, boxes, changed)
end

-- One rank has all elements.
local function run_alone(f, extents, captured)
    local parts = {}
    for k, entry in ipairs(captured) do
        parts[k] = blocked.part_of(entry.array)
    end
    core.each(extents, (copy_with(f, captured, parts)))
end

local inside = false

local function shared_loop(owner, extents, f, options)
    local array, list = owners.subscripts(owner, type(extents) == "table" and #extents or 1)
    extents = owners.ranges(extents or blocked.spread_of(array).shape)
    owners.check(array, list, extents)
    local captured, inner = inspect.captured(f, blocked.is)
    if npes == 1 then
        return run_alone(f, extents, captured)
    end
    local texts = {}
    for k, range in ipairs(extents) do
        texts[k] = ("%d..%d"):format(range[1], range[2])
    end
    local key = table.concat(texts, " ") .. " " .. blocked.spread_of(array).key .. " " .. #captured
    local said = { "shares a loop", "a shared loop", key }
    runs = runs + 1
    key = string.dump(f) .. key
    for _, entry in ipairs(captured) do
        key = key .. blocked.spread_of(entry.array).key
        entry.bytes = dtypes.by_name[entry.array:dtype()].bytes
    end
    local function rounds(pe)
        return owners.rounds(array, list, extents, pe)
    end
    run_shared(key, said, f, captured, inner, { whole = extents, box = rounds(mype), rounds = rounds }, extents)
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
