-- What chunks of lines along an axis that ranks share come to by an operation on floats, in the engine's own order: a
-- chunk of a line's elements is combined in 64 lanes, each in order, so a rank combines its elements with the lanes
-- that the rank before hands on, and hands them on; the rank that has a chunk's last element folds them. Knows no
-- method and no transport.

local blocked = require "lunarray.block.blocked"
local core = require "lunarray.core"
local dtypes = require "lunarray.base.dtypes"
local pack = require "lunarray.ranks.pack"

local net = core.internal.spmd
local npes, mype = net.start()

local lanes = {}

local LANES = core.internal.order.lanes
local STEPS = 16 -- rows for each lane that one kernel takes
local WIDTH = 128 -- columns at least that are handed on at once, while others are combined

-- What is combined is rows, each the next element of all lines. of: how many there are, `n`, of so many lines,
-- `width`, how many make a chunk, `chunk`, and of each PE the first row, from 0, and their number, by `range`. item:
-- the rows of this rank, `x`, of f64, the operation `f` and its `identity`.

-- ---------------------------------------------------------------- lanes

-- Rows r .. r + count - 1 of x.
local function rows(x, r, count)
    local _, width = x:shape()
    return x:sub({ r, r + count - 1 }, { 1, width })
end

-- A lane's rows so that lane `by`, from 0, is the first one.
local function turned(acc, by)
    if by == 0 then
        return acc
    end
    return core.concat { rows(acc, by + 1, LANES - by), rows(acc, 1, by) }
end

-- Lanes with the rows x of a chunk from row `from` on, from 0, combined.
local function combine(f, acc, x, from)
    local first, count = from % LANES, (x:shape())
    local whole, left = count // LANES, count % LANES
    acc = turned(acc, first)
    for step = 0, whole - 1 do
        acc = f(acc, rows(x, step * LANES + 1, LANES))
        if step % STEPS == STEPS - 1 then
            acc:eval()
        end
    end
    if left > 0 then
        local head = f(rows(acc, 1, left), rows(x, whole * LANES + 1, left))
        acc = core.concat { head, rows(acc, left + 1, LANES - left) }
    end
    return turned(acc, (LANES - first) % LANES):eval()
end

local function fresh(item, width)
    return core.full({ LANES, width }, item.identity, "f64"):copy()
end

-- What a chunk's lanes come to.
local function folded(f, acc)
    local half = LANES // 2
    while half > 0 do
        acc, half = f(rows(acc, 1, half), rows(acc, half + 1, half)), half // 2
    end
    return acc:reshape(-1):eval()
end

-- ---------------------------------------------------------------- from rank to rank

-- The nearest rank before this one that has rows, or behind it; nil where there is none.
local function neighbour(of, step)
    local pe = mype + step
    while pe >= 0 and pe < npes do
        local _, count = of.range(pe)
        if count > 0 then
            return pe
        end
        pe = pe + step
    end
end

-- Arrays of a group of columns for the next rank.
function lanes.hand_on(of, arrays)
    local bytes = {}
    for k, x in ipairs(arrays) do
        bytes[k] = x:tobytes()
    end
    of.given = of.given + 1
    net.send(neighbour(of, 1), nil, "y" .. table.concat(bytes))
end

-- Those of the rank before, of such numbers of rows.
function lanes.take_over(of, rows_of, width, dtype)
    of.taken = of.taken + 1
    local bytes = net.receive(neighbour(of, -1))
    if bytes:sub(1, 1) == "n" then
        of.taken = math.huge
        error(bytes:sub(2), 0)
    end
    local arrays, at = {}, 2
    for k, count in ipairs(rows_of) do
        local behind = at + count * width * dtypes.by_name[dtype].bytes
        arrays[k], at = core.frombytes(bytes:sub(at, behind - 1), dtype, { count, width }), behind
    end
    return arrays
end

-- How many columns are handed on at once: the next rank combines these while this one goes on.
local function group_of(of)
    return math.max(WIDTH, (of.width + npes - 1) // npes)
end

-- The first and the last column of each group that is handed on at once.
function lanes.groups(of)
    local from = 1 - group_of(of)
    return function()
        from = from + group_of(of)
        if from <= of.width then
            return from, math.min(of.width, from + group_of(of) - 1)
        end
    end
end

-- Columns from .. to of the rows of a segment.
local function window(item, seg, from, to)
    return item.x:sub({ seg.at, seg.at + seg.count - 1 }, { from, to })
end

-- This rank's rows of the chunk that a row is in: their number, where they begin in the chunk, from 0, and here, from
-- 1; whether the chunk ends with them.
local function segment(of, row)
    local first, count = of.range(mype)
    local chunk = row // of.chunk
    local begins, ends = chunk * of.chunk, math.min((chunk + 1) * of.chunk, of.n)
    local from, to = math.max(first, begins), math.min(first + count, ends)
    return { chunk = chunk, from = from - begins, count = to - from, at = from - first + 1, ends = to == ends }
end

lanes.segment = segment

-- The segments of this rank's first and last row; notes how many messages are due, and owed.
function lanes.ends(of)
    local first, count = of.range(mype)
    local head, tail = segment(of, first), segment(of, first + count - 1)
    local groups = (of.width + group_of(of) - 1) // group_of(of)
    of.due, of.owed = head.from > 0 and groups or 0, tail.ends and 0 or groups
    return head, tail
end

-- A chunk that begins here and goes on at the next rank.
local function begin(of, item, seg)
    for from, to in lanes.groups(of) do
        lanes.hand_on(of, { combine(item.f, fresh(item, to - from + 1), window(item, seg, from, to), 0) })
    end
end

-- A chunk that an earlier rank has begun: what it comes to, where it ends here.
local function go_on(of, item, seg)
    local cells = {}
    for from, to in lanes.groups(of) do
        local acc = lanes.take_over(of, { LANES }, to - from + 1, "f64")[1]
        acc = combine(item.f, acc, window(item, seg, from, to), seg.from)
        if seg.ends then
            cells[#cells + 1] = folded(item.f, acc)
        else
            lanes.hand_on(of, { acc })
        end
    end
    return seg.ends and core.concat(cells):eval()
end

-- What ends here comes to: { number of the chunk, a Vector }. What the next rank waits for is given first.
local function own_totals(of, item)
    local first, count = of.range(mype)
    local totals = {}
    if count == 0 then
        return pack.write(totals)
    end
    local head, tail = lanes.ends(of)
    if not tail.ends and tail.from == 0 then
        begin(of, item, tail)
    end
    for number = head.chunk + (head.from > 0 and 1 or 0), tail.chunk + (tail.ends and 1 or 0) - 1 do
        local seg = segment(of, math.max(first, number * of.chunk))
        local acc = combine(item.f, fresh(item, of.width), window(item, seg, 1, of.width), 0)
        totals[#totals + 1] = { number, folded(item.f, acc) }
    end
    local total = head.from > 0 and go_on(of, item, head)
    totals[#totals + 1] = total and { head.chunk, total } or nil
    return pack.write(totals)
end

-- After an error on this rank: the messages that are under way to it are taken, and the next rank learns of it.
local function give_up(of, message)
    while of.taken < of.due do
        of.taken = of.taken + 1
        if net.receive(neighbour(of, -1)):sub(1, 1) == "n" then
            break
        end
    end
    if of.given < of.owed then
        net.send(neighbour(of, 1), nil, "n" .. message)
    end
end

-- The bytes that f(of, ...) gives on each rank, which hands on and takes over; an error on one is raised on all.
function lanes.together(of, f, ...)
    of.given, of.taken, of.due, of.owed = 0, 0, 0, 0
    local given = table.pack(...)
    return blocked.gather(function()
        local ok, result = pcall(f, of, table.unpack(given, 1, given.n))
        if not ok then
            give_up(of, tostring(result))
            error(result, 0)
        end
        return result
    end)
end

-- What the chunks come to, f64 Vectors with an element for each line, the same on all ranks.
function lanes.totals(of, item)
    local totals = {}
    for _, bytes in ipairs(lanes.together(of, own_totals, item)) do
        for _, total in ipairs(pack.read(bytes)) do
            totals[total[1] + 1] = total[2]
        end
    end
    return totals
end

return lanes
