-- Scans along an axis that ranks share, without bringing lines together: what lines have come to goes from rank to
-- rank. Bits are those of one rank: by an operation on floats, groups of eight elements follow one another, so a rank
-- also learns the first elements of the group that it begins in. Knows no transport.

local blocked = require "lunarray.block.blocked"
local core = require "lunarray.core"
local fold = require "lunarray.ranks.fold"
local lanes = require "lunarray.block.blocklanes"
local pack = require "lunarray.ranks.pack"
local rows = require "lunarray.block.blockrows"

local net = core.internal.spmd
local npes, mype = net.start()

local order = core.internal.order
local CHUNK, GROUP = order.scan_chunk, order.scan_group -- rows
local PIECE = CHUNK // 2 -- rows that are scanned at once, with a group before them

-- ---------------------------------------------------------------- from a row

-- What the lines have come to behind each row of x, from `carry`, a row, on. A group that comes to carry stands before
-- them: the engine goes on from there.
local function behind_rows(how, carry, x)
    local count, width = x:shape()
    if not how.name then
        local starts, flat = (core.index(width) - 1) * count, x:transpose():reshape(-1):eval()
        local first, counts = carry:reshape(-1):eval(), core.full(width, count, "i64")
        local behind = core.internal.run_lines(how.f, first, flat, starts, counts, "behind")
        return behind:eval():reshape(width, count):transpose()
    end
    local list = {}
    for first = 1, count, PIECE do
        local before = core.concat { carry, core.full({ GROUP - 1, width }, how.neutral, how.dtype) }
        local last = math.min(count, first + PIECE - 1)
        local piece = core.concat { before, x:sub({ first, last }, { 1, width }) }
        local result = piece:scan(how.name, how.neutral, { axis = 1, inclusive = true }):eval()
        list[#list + 1] = result:sub({ GROUP + 1, GROUP + last - first + 1 }, { 1, width })
        carry = result:sub({ GROUP + last - first + 1, GROUP + last - first + 1 }, { 1, width })
    end
    return core.concat(list)
end

-- The rows of the scan, of what stands behind each of them.
local function given(how, carry, behind)
    local count, width = behind:shape()
    if how.inclusive then
        return behind
    elseif count == 1 then
        return carry
    end
    return core.concat { carry, behind:sub({ 1, count - 1 }, { 1, width }) }
end

-- ---------------------------------------------------------------- whole numbers

-- What is associative goes on from anywhere: each rank tells what its rows come to.
local function scan_apart(of, how, x)
    local _, count = of.range(mype)
    local list = blocked.gather(function()
        return count > 0 and x:reduce(how.name, how.neutral, { axis = 1 }):cast(how.dtype):tobytes() or ""
    end)
    local carry = core.full({ 1, of.width }, how.first, how.dtype)
    for pe = 1, mype do
        if #list[pe] > 0 then
            carry = core[how.name](carry, core.frombytes(list[pe], how.dtype, { 1, of.width }))
        end
    end
    if count == 0 then
        return x
    end
    return given(how, carry, behind_rows(how, carry:eval(), x))
end

-- ---------------------------------------------------------------- floats

-- What the lines have come to where each chunk begins.
local function carries(of, how, x)
    local before = (of.n - 1) // CHUNK * CHUNK -- rows of chunks that others follow
    local list = { core.full({ 1, of.width }, how.first, how.dtype):copy() }
    if before == 0 then
        return list
    end
    local totals = lanes.totals({
        n = before, width = of.width, chunk = CHUNK,
        range = function(pe)
            local first, count = of.range(pe)
            return math.min(first, before), math.max(0, math.min(first + count, before) - first)
        end,
    }, { x = x:cast "f64", f = core[how.name], identity = how.identity })
    for k, total in ipairs(totals) do
        list[k + 1] = core[how.name](list[k], total:cast(how.dtype):reshape(1, of.width)):eval()
    end
    return list
end

-- Columns from .. to of a segment: from where its chunk begins, or from what the rank before hands on: what the lines
-- have come to before a group of rows, and those rows of it that are there.
local function scan_columns(of, how, x, seg, carry, from, to)
    local width, open = to - from + 1, seg.from % how.group
    local own = x:sub({ seg.at, seg.at + seg.count - 1 }, { from, to })
    if seg.from > 0 then
        local state = lanes.take_over(of, { 1, open }, width, how.dtype)
        carry, own = state[1], open > 0 and core.concat { state[2], own } or own
    else
        carry = carry:sub({ 1, 1 }, { from, to })
    end
    local count = open + seg.count
    local behind = behind_rows(how, carry, own):eval()
    if not seg.ends then
        local whole = count // how.group * how.group
        local rest = whole < count and { own:sub({ whole + 1, count }, { 1, width }) } or {}
        lanes.hand_on(of, { whole > 0 and behind:sub({ whole, whole }, { 1, width }) or carry, table.unpack(rest) })
    end
    return given(how, carry, behind):sub({ open + 1, count }, { 1, width })
end

local function scan_segments(of, how, x, starts, result)
    local first, count = of.range(mype)
    if count == 0 then
        return ""
    end
    local head, tail = lanes.ends(of)
    local function scan(seg)
        for from, to in lanes.groups(of) do
            local given_rows = scan_columns(of, how, x, seg, starts[seg.chunk + 1], from, to)
            result:sub({ seg.at, seg.at + seg.count - 1 }, { from, to }):set(given_rows:cast(how.give))
        end
    end
    if tail.chunk > head.chunk then -- the next rank waits for it
        scan(tail)
    end
    for chunk = head.chunk, math.max(head.chunk, tail.chunk - 1) do
        scan(lanes.segment(of, math.max(first, chunk * CHUNK)))
    end
    return ""
end

local function scan_on(of, how, x)
    local _, count = of.range(mype)
    local result = core.zeros({ count, of.width }, how.give):copy()
    lanes.together(of, scan_segments, how, x, carries(of, how, x), result)
    return result
end

-- ---------------------------------------------------------------- the method

-- Rows of floats that move less than lines that are brought together.
local LEAST = 2 * GROUP -- a rank

local NEUTRAL = { add = -0.0, mul = 1.0 } -- what changes no float, not even -0.0

-- How a scan by f, which gives elements of dtype `give`, goes on from row to row; nil where it has no such form. name:
-- of an operation, else f is a function of any kind, which goes from left to right.
local function plan(f, id, give, inclusive)
    local name = fold.name_of(f)
    local how = { name = name, give = give, inclusive = inclusive, group = name and GROUP or 1 }
    if name == "fmin" or name == "fmax" or not name and type(f) ~= "function" then
        return nil
    end
    how.dtype = name and fold.accumulator(name, give) or give
    if name then
        how.identity = core.zeros(1, how.dtype):scan(name):cast(how.dtype)[1]
        how.neutral = how.dtype:find "f" and NEUTRAL[name] or how.identity
    end
    how.first = id == nil and how.identity or pack.is_array(id) and id:cast(how.dtype):reshape(1)[1] or id
    how.f = f
    return how.first ~= nil and how or nil
end

-- Whether run_lines takes f as how.f, and gives what the engine does.
local function runs(how)
    local one, list = core.zeros(1, how.dtype), core.zeros(1, "i64")
    local ran, try = pcall(core.internal.run_lines, how.f, core.full(1, how.first, how.dtype), one, list, list, "ends")
    return ran and try and try:dtype() == how.dtype
end

-- This rank's part of a:scan(f, id, {axis=, inclusive=}), which gives elements of dtype `give`; nil where it has no
-- such form.
return function(a, along, give, f, id, options)
    local s = blocked.spread_of(a)
    local cut = rows.cut_axis(s, along)
    local how = cut and type(options) == "table" and plan(f, id, give, options.inclusive)
    if not how then
        return nil
    end
    local of = rows.division(s, along, cut, CHUNK)
    local whole = how.name and not how.dtype:find "f"
    if not whole and of.n < LEAST * npes or not how.name and (of.n > CHUNK or not runs(how)) then
        return nil
    end
    local x = rows.of_part(blocked.part_of(a), along, of.width):cast(how.dtype)
    local result = (whole and scan_apart or scan_on)(of, how, x)
    return rows.as_part(result:cast(give), along, { blocked.part_of(a):shape() })
end
