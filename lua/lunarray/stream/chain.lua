-- Chains of verbs over the rows of a file: what each does, and how rows go through them in parts of 65,536, in constant
-- memory. Knows no file: a source gives the next rows and their columns.
--
-- A source has `names`, `path`, `row_bytes` (of text, about), `several` (rows come from several files), begin() and
-- next(rows, used), which gives how many rows come, at most so many, and a function that gives a column of them by its
-- name, or nil behind the last. `gives`, true: nothing of the source holds a column that it has given, and few rows at
-- a time cost it no more than many. It raises M.again where a column turns out to be of another dtype than before: the
-- rows are then read from the first one on once more, and come in that dtype.
--
-- Invariant of a node: parent, verb and args never change; `space` is the parent's where the verb keeps each row;
-- `depth` counts the verbs before; `sample` is what the verbs make of the first rows of the file, and raises what they
-- do not take. A part is a table of columns that are computed when they are used.

local core = require "lunarray.core"
local column = require "lunarray.table.column"
local expression = require "lunarray.stream.expression"
local fault = require "lunarray.base.fault"
local frame = require "lunarray.show.frame"
local object = require "lunarray.table.object"
local progress = require "lunarray.base.progress"

local M = {}

local internal = core.internal
local PART <const> = internal.order.part -- rows
local MOST <const> = 16 -- parts at a time
local BYTES <const> = 1 << 24 -- of text, or of elements, at a time, about

-- What a source raises to be read once more.
M.again = setmetatable({}, { __tostring = function() return "a column is of another dtype" end })

-- Verbs of which row i of the result is made of row i alone.
local KEEPS <const> = { select = true, drop = true, rename = true, with = true, fillna = true }

-- ---------------------------------------------------------------- nodes

-- The node of all rows of a source. sample: a table of the first rows.
function M.root(source, sample)
    return { source = source, sample = sample, space = {}, depth = 0 }
end

-- The node of a verb of a node's table, with these arguments. words: how it is shown.
function M.node(parent, verb, ...)
    local args = table.pack(...)
    local given = expression.resolved(args, function(x)
        if expression.of(x).node.space ~= parent.space then
            fault("'%s': the column has other rows than the table: take it from the filtered table", verb)
        end
        return expression.sample(x)
    end)
    local sample = object.verbs[verb](parent.sample, table.unpack(given, 1, given.n))
    return { parent = parent, verb = verb, args = args, sample = sample, depth = parent.depth + 1,
        space = KEEPS[verb] and parent.space or {}, root = parent.root or parent }
end

function M.root_of(node)
    return node.root or node
end

-- The nodes from the root to one, the root left out.
function M.path(node)
    local list = {}
    while node.parent do
        table.insert(list, 1, node)
        node = node.parent
    end
    return list
end

-- Whether rows of a node are others than those of its source.
local function is_cut(node)
    return node.space ~= M.root_of(node).space
end
M.is_cut = is_cut

-- The table of a node for a part of the source's rows, before which so many come.
local function through(path, root, part, first)
    local env = { first = first, tables = { [root] = part }, values = setmetatable({}, { __mode = "k" }) }
    for _, node in ipairs(path) do
        local args = expression.resolved(node.args, function(x)
            return expression.value(x, env)
        end)
        part = object.verbs[node.verb](part, table.unpack(args, 1, args.n))
        env.tables[node] = part
    end
    return part
end

-- ---------------------------------------------------------------- what is used

local function recorded(t)
    local seen = {}
    return object.by_use(frame.ordered(t), #t, function(name)
        seen[name] = true
        return frame.column(t, name)
    end), seen
end

local function listed(t, seen)
    local names = {}
    for _, name in ipairs(frame.ordered(t)) do
        names[#names + 1] = seen[name] and name or nil
    end
    return names
end

-- The names of the columns of the source, and of the node, that take(part) uses: it is given the sample.
function M.used(node, take)
    local root = M.root_of(node)
    local first, of_source = recorded(root.sample)
    local last, of_node = recorded(through(M.path(node), root, first, 0))
    take(last)
    return listed(root.sample, of_source), listed(node.sample, of_node)
end

-- ---------------------------------------------------------------- parts

-- How many rows come together behind row `at`: as many parts as divide the number of those before, so that what is
-- combined pairwise in order is combined as for all rows at once (ir/combine_order.h).
local function size_after(at, most)
    local parts = at // PART
    return PART * (parts == 0 and 1 or math.min(parts & -parts, most))
end

-- The most parts of a source's rows that come together where so many columns are used: a power of two.
local function most_parts(source, columns)
    local most = MOST
    while most > 1 and most * PART * math.max(columns * 8, source.row_bytes) > BYTES do
        most = most // 2
    end
    return most
end

-- A table in memory of a part's columns of these names.
function M.stored(part, names)
    local columns, list = {}, {}
    for i, name in ipairs(names) do
        columns[name] = frame.column(part, name)
        list[i] = columns[name]
    end
    column.evaluate(list)
    return object.make(columns, names, #part)
end

-- Rows that wait until they fill a part, in the columns of these names.
local function waiting(names)
    local list, rows = {}, 0
    local self = {}

    function self.rows()
        return rows
    end

    function self.add(part)
        list[#list + 1] = { columns = getmetatable(M.stored(part, names)).columns, rows = #part }
        rows = rows + #part
    end

    -- The first n rows as a table.
    function self.take(n)
        local slices, left, columns = {}, n, {}
        while #list > 0 and (left > 0 or #slices == 0) do
            local one = list[1]
            local some = math.min(left, one.rows)
            slices[#slices + 1] = { columns = one.columns, some = some, all = some == one.rows }
            left = left - some
            if some == one.rows then
                table.remove(list, 1)
            else
                local rest = {}
                for name, x in pairs(one.columns) do
                    rest[name] = x:sub(some + 1, one.rows)
                end
                list[1] = { columns = rest, rows = one.rows - some }
            end
        end
        for _, name in ipairs(names) do
            local pieces = {}
            for k, slice in ipairs(slices) do
                local x = slice.columns[name]
                pieces[k] = slice.all and x or x:sub(1, slice.some)
            end
            columns[name] = #pieces == 1 and pieces[1]:copy() or (column.concat(pieces))
        end
        rows = rows - n
        return object.make(columns, names, n)
    end
    return self
end

-- Calls take(part, rows before it) for part after part of a node's rows, until it gives true or the rows end; at least
-- once. of_source, of_node: names of the columns that are used. rows: as many together, nil: as suits the machine.
-- how: what the sinks are all like (M.run).
function M.walk(node, of_source, of_node, take, rows, how)
    local root, path = M.root_of(node), M.path(node)
    local source, cut = root.source, is_cut(node) or root.source.several
    local single = how and how.single and source.gives
    local most, at, before, given = single and 1 or most_parts(source, #of_source), 0, 0, 0
    local held = cut and waiting(of_node)
    local given_away = how and how.passing and source.gives and not cut and {} or nil
    local function next_size()
        return rows or size_after(at, most)
    end
    local function emit(part)
        local done = take(part, at)
        at = at + #part
        given = given + 1
        for k = given_away and #given_away or 0, 1, -1 do
            internal.let_go(given_away[k])
            given_away[k] = nil
        end
        return done
    end
    source:begin()
    while true do
        local count, fetch = source:next(cut and most * PART or next_size(), of_source)
        if not count then
            break
        end
        local part = through(path, root, object.by_use(source.names, count, given_away and function(name)
            local x = fetch(name)
            given_away[#given_away + 1] = x
            return x
        end or fetch), before)
        before = before + count
        if not cut then
            if emit(part) then
                return
            end
        else
            held.add(part)
            while held.rows() >= next_size() do
                if emit(held.take(next_size())) then
                    return
                end
            end
        end
    end
    if cut and held.rows() > 0 then
        emit(held.take(held.rows()))
    elseif given == 0 then
        emit(through(path, root, root.sample:head(0), 0))
    end
end

-- ---------------------------------------------------------------- passes

-- One pass of a node's rows through the sinks that make() gives: each has take(part, rows before it), which gives true
-- if it needs no more rows; `passing`, true: it keeps no column of a part, whose memory is free for the next one then;
-- `single`, true: parts are less work for it one by one than together. Gives the sinks.
function M.run(node, make)
    local sinks
    local function take(part, at)
        local all = true
        for _, sink in ipairs(sinks) do
            if not sink.done then
                sink.done = sink:take(part, at)
            end
            all = all and sink.done
        end
        return all
    end
    sinks = make()
    local of_source, of_node = M.used(node, function(part)
        take(part, 0)
    end)
    local _ <close> = progress.begin()
    while true do
        sinks = make()
        local how = { passing = true, single = false }
        for _, sink in ipairs(sinks) do
            how.passing, how.single = how.passing and sink.passing, how.single or sink.single
        end
        local ok, problem = pcall(M.walk, node, of_source, of_node, take, nil, how)
        if ok then
            return sinks
        elseif problem ~= M.again then
            error(problem, 0)
        end
    end
end

return M
