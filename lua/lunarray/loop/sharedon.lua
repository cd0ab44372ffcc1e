-- s.sharedon: a loop of which each rank runs the rounds whose element of the owner it has. The function is compiled for
-- stand-ins of the arrays, which tells what rounds reach; each rank then runs its rounds on what it has of the arrays
-- and on what was fetched of others (loopread.lua), and sends what belongs elsewhere (loopwrite.lua). Knows no
-- transport.

local blocked = require "lunarray.block.blocked"
local core = require "lunarray.core"
local dtypes = require "lunarray.base.dtypes"
local inspect = require "lunarray.loop.inspect"
local loopkept = require "lunarray.loop.loopkept"
local loopreach = require "lunarray.loop.loopreach"
local loopread = require "lunarray.loop.loopread"
local loopwrite = require "lunarray.loop.loopwrite"
local owners = require "lunarray.loop.owner"
local pack = require "lunarray.ranks.pack"
local public = require "lunarray.base.public"
local roundlog = require "lunarray.loop.roundlog"

local internal = core.internal
local net = internal.spmd
local npes, mype = net.start()

-- ---------------------------------------------------------------- agreement

-- Everyone's string, by rank; all ranks learn of an error of any of them: the first in rank order is raised by all.
local function settle(e, text)
    local all = {}
    for k, bytes in ipairs(net.gather(pack.write(e, text))) do
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
    e = e:gsub("^lua/lunarray/[%w/]+%.lua:%d+: ", "")
    return (e:gsub("^bad argument #%d+ to 'each' %((.*)%)$", "%1"))
end

local RUNS = { "runs a shared loop", "a shared loop" }

-- An agreement, which tells whether all have this value, and what none has more of; unless ok, e: this rank fails, and
-- all raise the first error in rank order.
local function agree(said, ok, e, value, most)
    local same, longest, all_ok = net.agree(said[1], said[2], said[3], ok and value or 0, ok and most or 0, ok)
    if not all_ok then
        settle(not ok and text_of(e) or nil, "")
    end
    return same, longest
end

-- FNV-1a.
local function hash(text)
    local h = 0xcbf29ce484222325
    for k = 1, #text do
        h = (h ~ text:byte(k)) * 0x100000001b3
    end
    return h
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
        return by_array[x] or blocked.is(x) and blocked.like_fields(x, by_array) or nil
    end)
end

-- The same with the fields of records in their place.
local function with_fields(captured)
    local list, seen = {}, {}
    for _, entry in ipairs(captured) do
        for _, array in ipairs(blocked.leaves_of(entry.array)) do
            list[#list + 1] = not seen[array] and { array = array, name = entry.name } or nil
            seen[array] = true
        end
    end
    return list
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

-- ---------------------------------------------------------------- what rounds read

local runs = 0 -- loops that all ranks have begun

-- What is known of the loop before any other rank is heard: what its rounds read, and what they wanted before.
local function prepare(x)
    local loop, captured = x.loop, x.captured
    loopread.open(captured)
    x.copy, x.stands = with_stands(x.f, captured, x.inner)
    local reaches, computed = internal.loop_reach(loop, x.copy, table.unpack(x.stands))
    local text = loopreach.text(reaches, computed)
    x.reaches, x.own = reaches, loopreach.parse(text)
    x.boxes, x.sizes = loopread.boxes(captured, loop, x.own)
    local numbers = {}
    if #x.own.some > 0 then
        x.depends, numbers = loopkept.depends(captured, x.copy, x.stands, loop, computed)
        x.kept = loopkept.find(x.key, x.depends)
        x.depends = x.kept and x.kept.depends or x.depends
    end
    x.text = ("%d|%s|%s"):format(x.kept and x.kept.run or 0, table.concat(numbers, " "), text)
end

-- What each rank's function reaches. Where that is not the same, or not all have kept what they wanted in the same run
-- before, they tell each other.
local function needs_of(x, same)
    local needs, known = {}, { [x.text] = x.own }
    local texts = not same and settle(nil, x.text)
    for pe = 1, npes do
        local text = texts and texts[pe] or x.text
        known[text] = known[text] or loopreach.parse(text:match "|.*|(.*)")
        needs[pe] = known[text]
        x.computes = x.computes or #needs[pe].some > 0
    end
    x.kept = same and x.kept or nil
    return needs
end

-- Strings for each PE, each as a list, of which each PE sends so many bytes.
local function exchange(lists, sizes)
    local messages = {}
    for pe, list in ipairs(lists) do
        messages[pe] = table.concat(list)
    end
    local at = {}
    for pe = 1, npes do
        at[pe] = 1
    end
    return net.exchange(messages, sizes), at
end

local function sum_of(sizes, other)
    local sums = {}
    for pe, list in ipairs(sizes) do
        sums[pe] = other and other[pe] or 0
        for _, size in ipairs(list) do
            sums[pe] = sums[pe] + size
        end
    end
    return sums
end

-- Finds what the rounds want at computed indices, and fetches it: elements of others alone, if all want what they
-- wanted before.
local function inspect_and_fetch(x, parts)
    local captured = x.captured
    local ok, wanted = pcall(loopread.wanted, x.copy, captured, x.stands, x.loop, parts)
    local before = ok and loopkept.asked_before(x.key, wanted)
    local sizes, most = ok and sum_of(wanted.sizes), 0
    for _, request in ipairs(ok and wanted.requests or {}) do
        most = math.max(most, #request)
    end
    local same, longest = agree(RUNS, ok, wanted, before and before.run or 0, most)
    local asked = same and before and before.asked
    if not asked then
        local requests = wanted.requests
        asked = loopread.asked(captured, longest > 0 and net.exchange(requests) or requests)
    end
    loopkept.keep(x.key, { run = runs, wanted = wanted, asked = asked, depends = x.depends })
    local lists = {}
    for pe = 1, npes do
        lists[pe] = {}
    end
    loopread.answer(captured, asked, lists)
    local messages, at = exchange(lists, sizes)
    loopread.fill(captured, wanted, messages, at, parts)
    return wanted
end

-- What this rank's rounds read, in parts of the arrays.
local function read_parts(x, needs)
    local kept = x.kept
    local lists, sizes = loopread.sent(x.captured, x.loop, needs), x.sizes
    if kept then
        loopread.answer(x.captured, kept.asked, lists)
        sizes = sum_of(kept.wanted.sizes, sizes)
    end
    local messages, at = exchange(lists, sizes)
    local parts = loopread.parts(x.boxes, messages, at)
    loopread.count(x.captured, x.loop, x.reaches)
    if kept then
        loopread.fill(x.captured, kept.wanted, messages, at, parts)
    end
    local wanted = kept and kept.wanted or x.computes and inspect_and_fetch(x, parts)
    net.count(wanted and wanted.gets or 0, 0)
    return parts
end

-- ---------------------------------------------------------------- the loop

-- Runs the rounds: what they assign, packed, and parts with what they have assigned at computed places if all of that
-- is here.
local function run_rounds(x, parts)
    local notes = internal.loop_run(x.loop, x.copy, parts, table.unpack(x.stands))
    local packed = loopwrite.pack(x.captured, notes, roundlog.pack(notes, x.captured, x.loop.box, x.loop.whole))
    local logs = {}
    if not packed.apart then
        roundlog.unpack(packed.logs, 1, logs)
    end
    return packed, roundlog.stored(x.captured, logs)
end

-- The steps: an agreement on the loop and on what it reads, which then moves; one once all have run; what was assigned
-- elsewhere then moves, and if some of that has to be put in order, all agree that it could be. What goes nowhere takes
-- no step. From the first agreement on requests for elements wait, until what is assigned here has been stored: so no
-- rank sees elements of before the loop after its end.
local function run_shared(x, said)
    local ok, e = pcall(prepare, x)
    local same = agree(said, ok, e, ok and hash(x.text))
    net.hold(true)
    runs = runs + 1
    local needs = needs_of(x, same)
    local parts = read_parts(x, needs)
    local packed, changed
    ok, packed, changed = pcall(run_rounds, x, parts)
    same = agree(RUNS, ok, packed, ok and packed.apart and 1 or 0)
    local apart = packed.apart or not same
    local boxes, logs = loopwrite.exchange(x.captured, x.loop, needs, packed, apart)
    if apart then
        ok, changed = pcall(roundlog.stored, x.captured, logs)
        agree(RUNS, ok, changed, 0)
    end
    loopwrite.store(x.captured, boxes, changed)
end

-- One rank has all elements.
local function run_alone(f, extents, captured)
    local parts = {}
    for k, entry in ipairs(captured) do
        parts[k] = blocked.part_of(entry.array)
    end
    core.each(extents, (copy_with(f, captured, parts)))
end

-- Raises that a captured array has elements which no loop takes.
local function check_captured(captured)
    for _, entry in ipairs(captured) do
        local kind = dtypes.by_name[entry.array:dtype()].kind
        local missing = blocked.may_miss(entry.array) and kind ~= "float"
        if missing or kind == "text" or kind == "time" then
            error(("'%s' is %s%s: loops take numbers of which none is missing"):format(entry.name,
                blocked.kind_of(entry.array), missing and " with missing elements" or ""), 0)
        end
    end
end

local inside = false

local function shared_loop(owner, extents, f)
    local array, list = owners.subscripts(owner, type(extents) == "table" and #extents or 1)
    extents = owners.ranges(extents or blocked.spread_of(array).shape)
    owners.check(array, list, extents)
    local captured, inner = inspect.captured(f, blocked.is)
    captured = with_fields(captured)
    check_captured(captured)
    if npes == 1 then
        return run_alone(f, extents, captured)
    end
    local texts = {}
    for k, range in ipairs(extents) do
        texts[k] = ("%d..%d"):format(range[1], range[2])
    end
    for _, subscript in ipairs(list) do
        texts[#texts + 1] = ("%d*%d+%d"):format(subscript.variable or 0, subscript.c, subscript.d)
    end
    local options = table.concat(texts, " ") .. " " .. blocked.spread_of(array).key .. " " .. #captured
    local key = string.dump(f) .. options
    for _, entry in ipairs(captured) do
        local dtype = entry.array:dtype()
        key = ("%s; %s %s"):format(key, dtype, blocked.spread_of(entry.array).key)
        entry.bytes = dtypes.by_name[dtype].bytes
    end
    local function rounds(pe)
        return owners.rounds(array, list, extents, pe)
    end
    local loop = { whole = extents, box = rounds(mype), rounds = rounds }
    local results = table.pack(pcall(run_shared, { key = key, f = f, captured = captured, inner = inner, loop = loop },
        { "shares a loop", "a shared loop", options }))
    net.hold(false)
    if not results[1] then
        error(results[2], 0)
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
    elseif options ~= nil and type(options) ~= "table" then
        error(("bad argument #4 to 'sharedon' (a table of options expected, got %s)"):format(type(options)), 0)
    end
    for key in pairs(options or {}) do
        if key ~= "nobarrier" then
            error(("bad argument #4 to 'sharedon' (the option is nobarrier, not %s)"):format(tostring(key)), 0)
        end
    end
    inside = true
    local results = table.pack(pcall(shared_loop, owner, extents, f))
    inside = false
    if not results[1] then
        error(results[2], 0)
    end
end)
