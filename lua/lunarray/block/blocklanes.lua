-- Sums, products and extremes of floats along an axis that ranks share, in the engine's own order: a chunk of a line's
-- elements is combined in 64 lanes, each in order, so a rank combines its elements with the lanes that the rank before
-- hands on, and hands them on; the rank that has a chunk's last element folds them. Knows no method and no transport.

local blocked = require "lunarray.block.blocked"
local core = require "lunarray.core"
local dtypes = require "lunarray.base.dtypes"
local pack = require "lunarray.ranks.pack"
local tree = require "lunarray.block.blocktree"

local net = core.internal.spmd
local npes, mype = net.start()

local lanes = { CHUNK = core.internal.order.chunk } -- rows that the engine combines first

local LANES = core.internal.order.lanes
local STEPS = 16 -- rows for each lane that one kernel takes
local WIDTH = 128 -- columns at least that are handed on at once, while others are combined

-- What is combined is rows, each the next element of all lines. of: how many there are, `n`, of so many lines,
-- `width`, how many make a chunk, `chunk`, and of each PE the first row, from 0, and their number, by `range`. items:
-- sums and products of the same lines: the rows of this rank, `x`, of f64, the method's `name`, operation `f` and
-- `identity`.

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

-- Lists of lanes, by the item, with the rows of a chunk from row `from` on, from 0, combined; x: those rows, by item.
local function combine(items, acc, xs, from)
    local first, count = from % LANES, (xs[1]:shape())
    acc = table.move(acc, 1, #acc, 1, {})
    for k in ipairs(items) do
        acc[k] = turned(acc[k], first)
    end
    local whole = count // LANES
    for step = 0, whole - 1 do
        for k, item in ipairs(items) do
            acc[k] = item.f(acc[k], rows(xs[k], step * LANES + 1, LANES))
        end
        if step % STEPS == STEPS - 1 or step == whole - 1 then
            core.eval(table.unpack(acc))
        end
    end
    local left = count % LANES
    for k, item in ipairs(items) do
        if left > 0 then
            local head = item.f(rows(acc[k], 1, left), rows(xs[k], whole * LANES + 1, left))
            acc[k] = core.concat { head, rows(acc[k], left + 1, LANES - left) }
        end
        acc[k] = turned(acc[k], (LANES - first) % LANES)
    end
    core.eval(table.unpack(acc))
    return acc
end

local function fresh(items, width)
    local acc = {}
    for k, item in ipairs(items) do
        acc[k] = core.full({ LANES, width }, item.identity, "f64"):copy()
    end
    return acc
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

-- Columns from .. to of the rows of a segment, by item.
local function window(items, seg, from, to)
    local xs = {}
    for k, item in ipairs(items) do
        xs[k] = item.x:sub({ seg.at, seg.at + seg.count - 1 }, { from, to })
    end
    return xs
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
local function begin(of, items, seg)
    for from, to in lanes.groups(of) do
        lanes.hand_on(of, combine(items, fresh(items, to - from + 1), window(items, seg, from, to), 0))
    end
end

-- A chunk that an earlier rank has begun: what it comes to, by item, where it ends here.
local function go_on(of, items, seg)
    local cells, sizes = {}, {}
    for k in ipairs(items) do
        cells[k], sizes[k] = {}, LANES
    end
    for from, to in lanes.groups(of) do
        local acc = lanes.take_over(of, sizes, to - from + 1, "f64")
        acc = combine(items, acc, window(items, seg, from, to), seg.from)
        for k, item in ipairs(seg.ends and items or {}) do
            table.insert(cells[k], folded(item.f, acc[k]))
        end
        if not seg.ends then
            lanes.hand_on(of, acc)
        end
    end
    for k in ipairs(items) do
        cells[k] = seg.ends and core.concat(cells[k]):eval() or nil
    end
    return cells
end

-- ---------------------------------------------------------------- chunks

-- Chunks that are whole here, each by its lanes: { 0, number, what each item comes to }.
local function whole_chunks(of, items, chunk, behind)
    local first, nodes = of.range(mype), {}
    for number = chunk, behind - 1 do
        local seg, values = segment(of, math.max(first, number * of.chunk)), {}
        local acc = combine(items, fresh(items, of.width), window(items, seg, 1, of.width), 0)
        for k, item in ipairs(items) do
            values[k] = folded(item.f, acc[k])
        end
        nodes[#nodes + 1] = { 0, number, values }
    end
    return nodes
end

-- Groups of chunks that are whole here, as the engine combines them: { level, number, what each item comes to }.
local function whole_groups(of, items, chunk, behind)
    local first, nodes = of.range(mype), {}
    tree.groups(chunk, behind, function(level, number, from, count)
        local last = math.min((from + count) * of.chunk, of.n)
        local seg, values = { at = from * of.chunk - first + 1, count = last - from * of.chunk }, {}
        for k, x in ipairs(window(items, seg, 1, of.width)) do
            values[k] = x[items[k].name](x, { axis = 1 })
        end
        core.eval(table.unpack(values))
        nodes[#nodes + 1] = { level, number, values }
    end)
    return nodes
end

-- What ends here comes to. What the next rank waits for is given first.
local function own_nodes(of, items)
    local _, count = of.range(mype)
    if count == 0 then
        return pack.write {}
    end
    local head, tail = lanes.ends(of)
    if not tail.ends and tail.from == 0 then
        begin(of, items, tail)
    end
    local whole = of.alone and whole_chunks or whole_groups
    local nodes = whole(of, items, head.chunk + (head.from > 0 and 1 or 0), tail.chunk + (tail.ends and 1 or 0))
    if head.from > 0 then
        local cells = go_on(of, items, head)
        nodes[#nodes + 1] = head.ends and { 0, head.chunk, cells } or nil
    end
    return pack.write(nodes)
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

local function nodes_of_all(of, items)
    local lists = {}
    for k, bytes in ipairs(lanes.together(of, own_nodes, items)) do
        lists[k] = pack.read(bytes)
    end
    return lists
end

-- What the chunks of one item come to, f64 Vectors with an element for each line, the same on all ranks; chunks of any
-- length, each by its lanes.
function lanes.totals(of, item)
    local totals = {}
    of.alone = true
    for _, list in ipairs(nodes_of_all(of, { item })) do
        for _, node in ipairs(list) do
            totals[node[2] + 1] = node[3][1]
        end
    end
    return totals
end

-- What each item comes to in each column, a list of f64 Vectors, the same on all ranks.
function lanes.reduce(of, items)
    local lists, results = nodes_of_all(of, items), {}
    for k, item in ipairs(items) do
        results[k] = tree.value(lists, (of.n + of.chunk - 1) // of.chunk, item.f, function(node)
            return node[3][k]
        end):eval()
    end
    return results
end

return lanes
