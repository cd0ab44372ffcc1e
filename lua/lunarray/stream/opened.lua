-- Opened tables as scripts see them: tables whose rows stay in their file. Verbs make chains (chain.lua), which run
-- when a result is asked for: groups, reductions, rows, files that are written.
--
-- Invariant: `state` maps each table, weakly, to its node, and by name to the expressions of its columns; assigning a
-- column gives the table another node, which changes no table made of it before.

local core = require "lunarray.core"
local chain = require "lunarray.stream.chain"
local column = require "lunarray.table.column"
local expression = require "lunarray.stream.expression"
local fault = require "lunarray.base.fault"
local frame = require "lunarray.show.frame"
local grouped = require "lunarray.table.grouped"
local groups = require "lunarray.stream.groups"
local object = require "lunarray.table.object"
local ordering = require "lunarray.function.order"
local rows = require "lunarray.table.rows"
local sums = require "lunarray.stream.sums"

local M = {}

local Opened = { __name = "opened table" }
local state = setmetatable({}, { __mode = "k" })
local verbs = {}

local function new(node)
    local t = setmetatable({}, Opened)
    state[t] = { node = node, columns = {} }
    return t
end

function M.is(t)
    return type(t) == "table" and state[t] ~= nil
end

local function of(t, call)
    return state[t] or fault("'%s': table expected, got %s", call, core.internal.kind_of(t))
end

-- The opened table of a source's rows; sample: a table of the first ones.
function M.table(source, sample)
    return new(chain.root(source, sample))
end

-- Whether the sample is all there is.
local function is_whole(node)
    return chain.root_of(node).source.complete
end

local function names_of(node)
    return frame.ordered(node.sample)
end

-- The first rows of the sample, as a table of its own.
local function head_of(node, n)
    return object.each(object.make({}, names_of(node), #node.sample, function(name)
        return frame.column(node.sample, name)
    end), function(x) return x:sub(1, n):copy() end, math.min(n, #node.sample))
end

-- ---------------------------------------------------------------- columns

-- An argument of a verb: of an array in memory the expression of its elements.
local function taken(node, x, what)
    if core.isarray(x) then
        return expression.given(node, x, what)
    end
    return x
end

-- A node that has an expression as a column, and the name of it.
local function named(x, hidden)
    local s = expression.of(x)
    if s.name then
        return s.node, s.name
    end
    hidden = hidden or "\1"
    return chain.node(s.node, "with", { [hidden] = x }), hidden
end

-- The rows of a node in these columns, in memory.
local function loaded(node, names)
    return chain.run(node, function() return { groups.rows_kept(names) } end)[1].result()
end

local arrays = setmetatable({}, { __mode = "k" }) -- by expression: all its elements

function expression.whole(x)
    local found = arrays[x]
    if not found then
        local node, name = named(x)
        found = frame.column(loaded(node, { name }), name)
        arrays[x] = found
    end
    return found
end

function expression.reduce(x, call, ...)
    local node, name = named(x)
    return sums.reduce(node, name, call, function() return expression.whole(x) end, ...)
end

function expression.verb(x, t, ...)
    local s = expression.of(x)
    if M.is(t) and s.name and verbs[s.name] then
        return verbs[s.name](t, ...)
    end
    fault("an array is no function: for i, x in a:iter() do")
end

-- The row with this number, nil beyond the ends.
local function row(t, i)
    local node, found = state[t].node, nil
    if i < 0 then
        local last = verbs.tail(t, -i)
        return #last == -i and last[1] or nil
    elseif i == 0 then
        return nil
    end
    chain.run(node, function()
        return { { take = function(_, part, at)
            for _, name in ipairs(at == 0 and names_of(node) or {}) do
                frame.column(part, name)
            end
            found = i <= at + #part and part[i - at] or nil
            return found ~= nil
        end } }
    end)
    return found
end

function Opened.__index(t, key)
    local s = state[t]
    if type(key) == "string" and s.node.sample:has(key) then
        local x = s.columns[key] or expression.column(s.node, key)
        s.columns[key] = x
        return x
    end
    local i = math.tointeger(type(key) == "number" and key or nil)
    if i then
        return row(t, i)
    end
    return verbs[key] or s.node.sample[key] -- which raises that there is none, and knows the names
end

function Opened.__newindex(t, name, x)
    local s = state[t]
    if type(name) ~= "string" then
        s.node.sample:copy()[name] = x -- refused in these words
    elseif x == nil then
        s.node = chain.node(s.node, "drop", name)
    else
        if type(x) == "table" and not expression.is(x) then
            local made, wrong = column.from(x)
            x = made or fault("column '%s' %s", name, wrong)
        end
        x = taken(s.node, x, ("column '%s'"):format(name))
        s.node = chain.node(s.node, "with", { [name] = x })
    end
    s.columns = {}
end

function Opened.__pairs(t)
    local names, i = names_of(state[t].node), 0
    return function()
        i = i + 1
        return names[i], names[i] and t[names[i]]
    end
end

-- The number of rows: lines are counted once.
function expression.rows(node)
    if node.space == chain.root_of(node).space then
        node = chain.root_of(node)
    end
    if not node.rows then
        local count = 0
        chain.run(node, function()
            count = 0
            return { { take = function(_, part) count = count + #part end } }
        end)
        node.rows = count
    end
    return node.rows
end

function Opened.__len(t)
    return expression.rows(state[t].node)
end

function Opened.__tostring(t)
    local node = state[t].node
    if is_whole(node) then
        return tostring(head_of(node, #node.sample))
    end
    local shown = node.sample:head(math.min(frame.rows_shown(), #node.sample))
    local names = names_of(node)
    local columns = {}
    for _, name in ipairs(names) do
        columns[name] = frame.column(shown, name)
    end
    return frame.lines(names, columns, #shown, true, chain.root_of(node).source.certain)
end

-- ---------------------------------------------------------------- verbs that make chains

local function staged(t, verb, ...)
    return new(chain.node(of(t, verb).node, verb, ...))
end

for name in ("select drop rename dropna fillna explode"):gmatch "%S+" do
    verbs[name] = function(t, ...)
        return staged(t, name, ...)
    end
end

function verbs.filter(t, ...)
    local masks = table.pack(...)
    for k = 1, masks.n do
        masks[k] = taken(of(t, "filter").node, masks[k], "mask " .. k)
    end
    return staged(t, "filter", table.unpack(masks, 1, masks.n))
end

function verbs.with(t, new_columns)
    local given = new_columns
    if column.is_list(new_columns) then
        given = {}
        for name, x in next, new_columns do
            if type(x) == "function" then
                x = x(t)
                if x == nil then
                    fault("'with': the function of '%s' gives nothing", column.shown(name))
                end
            end
            given[name] = taken(of(t, "with").node, x, ("column '%s'"):format(column.shown(name)))
        end
    end
    return staged(t, "with", given)
end

local ROW_BY_ROW <const> = { inner = true, left = true, semi = true, anti = true, cross = true, asof = true }

function verbs.join(t, u, on, opts)
    local how = type(opts) == "table" and opts.how or nil
    local validate = type(opts) == "table" and opts.validate or nil
    if M.is(u) then
        fault("'join': the table on the right is in a file, too; lun.eval(u) reads it into memory")
    elseif how and not ROW_BY_ROW[how] and (how == "right" or how == "full" or how == "outer")
        or validate == "1:1" or validate == "1:m" then
        fault("'join': %s needs all rows of the left table at once; lun.eval(t) reads them into memory",
            how and not ROW_BY_ROW[how] and ("how = %q"):format(how) or ("validate = %q"):format(validate))
    end
    return staged(t, "join", u, on, opts)
end

function verbs.copy(t)
    return new(of(t, "copy").node)
end

function verbs.has(t, name)
    return of(t, "has").node.sample:has(name)
end

function verbs.names(t)
    return names_of(of(t, "names").node)
end

function verbs.dtypes(t)
    local node, list = of(t, "dtypes").node, nil
    chain.run(node, function()
        return { { take = function(_, part)
            list = part:dtypes()
        end } }
    end)
    return list
end

-- ---------------------------------------------------------------- verbs that run them

-- The node, and names of its columns, for keys: names of columns, expressions, or tables {name = expression}; and the
-- names of the keys.
local function keys_of(node, given)
    local names, shown, new_columns = {}, {}, {}
    local function add(name, x)
        shown[#shown + 1] = name
        if expression.is(x) then
            names[#names + 1] = "\1" .. #shown
            new_columns[names[#names]] = x
        else
            names[#names + 1] = object.names(node.sample, x)[1]
        end
    end
    for k = 1, #given do
        local x = given[k]
        x = taken(node, x, "key " .. k)
        if expression.is(x) then
            add("k" .. #names + 1, x)
        elseif column.is_list(x) and rawlen(x) == 0 and next(x) ~= nil then
            for _, name in ipairs(frame.ordered(x)) do
                add(name, taken(node, x[name], ("key '%s'"):format(name)))
            end
        elseif column.is_list(x) then
            for _, name in ipairs(x) do
                add(name, name)
            end
        else
            add(type(x) == "string" and x or "k" .. #names + 1, x)
        end
    end
    if next(new_columns) then
        node = chain.node(node, "with", new_columns)
    end
    return node, names, shown
end

-- The node and spec in which the columns that are expressions have names.
local function spec_of(node, spec)
    local new_columns, count = {}, 0
    local function entry_of(entry)
        if type(entry) ~= "table" or getmetatable(entry) then
            return entry
        end
        local out = {}
        for k, x in next, entry do
            x = taken(node, x, "an array of 'agg'")
            if expression.is(x) then
                count = count + 1
                out[k] = "\2" .. count
                new_columns[out[k]] = x
            else
                out[k] = x
            end
        end
        return out
    end
    local given = {}
    for name, entry in next, type(spec) == "table" and spec or {} do
        given[name] = entry_of(entry)
    end
    if next(new_columns) then
        node = chain.node(node, "with", new_columns)
    end
    return node, type(spec) == "table" and given or spec
end

-- What agg says to the sample, whose errors are those of the script.
local function checked(node, names, spec)
    local sample = node.sample
    if #names == 0 then
        return sample:agg(spec)
    end
    return sample:group(table.unpack(names)):agg(spec)
end

local function aggregated(node, names, shown, first, spec)
    local given
    node, given = spec_of(node, spec)
    if #node.sample > 0 then
        checked(node, names, given)
    end
    return groups.agg(node, names, shown, first, given)
end

function verbs.agg(t, spec)
    return aggregated(of(t, "agg").node, {}, {}, false, spec)
end

local Groups = { __name = "groups of an opened table" }
Groups.__index = {}
local of_groups = setmetatable({}, { __mode = "k" })
local methods = Groups.__index

function verbs.group(t, ...)
    local node, given = of(t, "group").node, table.pack(...)
    local opts = {}
    local last = given[given.n]
    if column.is_list(last) and (last.order ~= nil or last.dropna ~= nil or last.levels ~= nil)
        and not expression.is(last.order) and not expression.is(last.dropna) then
        opts = table.remove(given)
    end
    if opts.levels ~= nil then
        fault("'group': option 'levels' takes codes in memory; '%s' is read in parts", chain.root_of(node).source.path)
    end
    local names, shown
    node, names, shown = keys_of(node, given)
    if #names == 0 then
        node.sample:group() -- refused in its words
    end
    if next(opts) then
        node.sample:group(names[1], opts) -- the same of the options
    end
    if opts.dropna then
        node = chain.node(node, "dropna", table.unpack(names))
    end
    local g = setmetatable({}, Groups)
    of_groups[g] = { node = node, names = names, shown = shown, first = opts.order == "first", table = t }
    return g
end

function methods.agg(g, spec)
    local s = of_groups[g]
    return aggregated(s.node, s.names, s.shown, s.first, spec)
end

for name in ("sum prod mean min max first last any all var std median nunique mode"):gmatch "%S+" do
    methods[name] = function(g, x, opts)
        return methods.agg(g, { { "\3", name, x, opts } })["\3"]
    end
end

function methods.count(g, x)
    return methods.agg(g, { { "\3", "count", x } })["\3"]
end

function methods.quantile(g, x, q, opts)
    return methods.agg(g, { { "\3", "quantile", x, q, opts } })["\3"]
end

function methods.keys(g)
    local t, out = methods.agg(g), {}
    for k, name in ipairs(of_groups[g].shown) do
        out[k] = t[name]
    end
    return table.unpack(out)
end

-- A sink of all columns that keeps what f makes of the rows so far and of more.
local function folding(node, f)
    local names, found = names_of(node), nil
    return {
        take = function(_, part)
            part = chain.stored(part, names)
            found = f(found and require("lunarray.table.verbs").concat { found, part } or part)
        end,
        result = function() return found end,
    }
end

local function folded(node, f)
    return chain.run(node, function() return { folding(node, f) } end)[1].result()
end

for name in ("head tail topk"):gmatch "%S+" do
    methods[name] = function(g, n, x, opts)
        local s = of_groups[g]
        local node, hidden = s.node, {}
        if name == "topk" and expression.is(x) then
            node = chain.node(node, "with", { ["\2"] = x })
            x = "\2"
        end
        for _, one in ipairs(names_of(node)) do
            hidden[#hidden + 1] = one:find "^[\1\2]" and one or nil
        end
        local t = folded(node, function(part)
            return grouped[name](grouped.group(part, table.unpack(s.names)), n, x, opts)
        end)
        return #hidden > 0 and t:drop(hidden) or t
    end
end

function Groups.__len(g)
    return #methods.agg(g)
end

function Groups.__tostring(g)
    return ("groups of rows in %s"):format(chain.root_of(of_groups[g].node).source.path)
end

setmetatable(methods, { __index = function(_, name)
    fault("'%s' of groups needs all rows at once, and this table is read in parts: lun.eval(t) reads it into memory, "
        .. "and g:agg, head, tail, topk and reductions do without", column.shown(name))
end })

function verbs.value_counts(t, ...)
    local node = of(t, "value_counts").node
    local names = object.names(node.sample, ...)
    for _, name in ipairs(names) do
        if name == "count" then
            fault("'value_counts': a column is called 'count'; rename it")
        end
    end
    local counted = aggregated(node, names, names, false, nil)
    return rows.take(counted, ordering.by_keys { { counted.count, true } })
end

local function count_of(n, call)
    n = n == nil and 10 or n
    return math.type(n) == "integer" and n >= 0 and n
        or fault("'%s': number of rows from 0 on expected, got %s", call, column.shown(n))
end

function verbs.head(t, n)
    local node = of(t, "head").node
    n = count_of(n, "head")
    if #node.sample >= n then
        return head_of(node, n)
    end
    local left = n
    return chain.run(node, function()
        left = n
        local kept = groups.rows_kept(names_of(node))
        return { {
            take = function(_, part)
                kept.take(nil, #part > left and part:head(left) or part)
                left = left - math.min(#part, left)
                return left == 0
            end,
            result = kept.result,
        } }
    end)[1].result()
end

function verbs.tail(t, n)
    n = count_of(n, "tail")
    return folded(of(t, "tail").node, function(part)
        return part:tail(n)
    end)
end

-- All rows in memory.
function verbs.eval(t)
    local node = of(t, "eval").node
    return loaded(node, names_of(node))
end

-- Verbs that read the columns that they need.
function verbs.sort(t, ...)
    local given = expression.resolved(table.pack(...), function(x)
        return named(x) and expression.of(x).name or fault("'sort': add the key to the table first, by with")
    end)
    return verbs.eval(t):sort(table.unpack(given, 1, given.n))
end

function verbs.pivot(t, opts)
    if not column.is_list(opts) then
        return of(t, "pivot").node.sample:pivot(opts)
    end
    local names, seen = {}, {}
    for _, key in ipairs { "index", "columns", "values" } do
        local x = opts[key]
        for _, name in ipairs(type(x) == "table" and x or { x }) do
            names[#names + 1] = not seen[name] and name or nil
            seen[name] = true
        end
    end
    return verbs.eval(verbs.select(t, names)):pivot(opts)
end

-- ---------------------------------------------------------------- rows

-- for first row, table in t:parts([rows]) do
function verbs.parts(t, count)
    local node = of(t, "parts").node
    count = count == nil and core.internal.order.part or math.tointeger(count)
    if not count or count < 1 then
        fault("'parts': number of rows from 1 on expected, got %s", column.shown(count))
    end
    local names = names_of(node)
    local of_source = chain.used(node, function(part)
        for _, name in ipairs(names) do
            frame.column(part, name)
        end
    end)
    local source = chain.root_of(node).source
    return coroutine.wrap(function()
        local ok, problem = pcall(chain.walk, node, of_source, names, function(part, at)
            if #part == 0 then
                return
            end
            coroutine.yield(at + 1, chain.stored(part, names))
        end, count)
        if not ok and problem == chain.again then
            error(("%s: column '%s' is of another dtype behind the rows that were given; {dtypes = {...}} says it")
                :format(source.path, source.changed), 0)
        elseif not ok then
            error(problem, 0)
        end
    end)
end

function verbs.iter(t)
    local next_part = verbs.parts(t)
    local first, part, next_row
    return function()
        while true do
            local i, one
            if next_row then
                i, one = next_row()
            end
            if i then
                return first + i - 1, one
            end
            first, part = next_part()
            if not first then
                return nil
            end
            next_row = part:iter()
        end
    end
end

function verbs.totable(t, how)
    return verbs.eval(t):totable(how)
end

-- Calls write(part, rows before) for part after part of all rows; restart() where they come once more.
function M.written(t, names, write, restart)
    local node = of(t, "save").node
    local started = false
    chain.run(node, function()
        if started then
            restart()
        end
        local dry = not started
        started = true
        return { { take = function(_, part, at)
            for _, name in ipairs(dry and names or {}) do
                frame.column(part, name)
            end
            if not dry then
                return write(part, at)
            end
        end } }
    end)
end

-- ---------------------------------------------------------------- explain

local function shown_argument(x)
    if expression.is(x) then
        return expression.text(x)
    elseif frame.of(x) then
        return ("table of %d rows"):format(#x)
    elseif type(x) == "table" and getmetatable(x) == nil then
        local out = {}
        for _, name in ipairs(frame.ordered(x)) do
            local value = shown_argument(x[name])
            out[#out + 1] = math.type(name) and value or ("%s = %s"):format(name, value)
        end
        return "{" .. table.concat(out, ", ") .. "}"
    elseif type(x) == "string" then
        return ("%q"):format(x)
    elseif type(x) == "function" then
        local info = debug.getinfo(x, "S")
        return ("function of line %d"):format(info.linedefined)
    end
    return core.isarray(x) and core.internal.kind_of(x) or tostring(x)
end

-- The chain of a table, or of groups of its rows: where its rows come from, what is read of them, what is done.
function verbs.explain(t)
    local s = of_groups[t]
    local node = s and s.node or of(t, "explain").node
    local source = chain.root_of(node).source
    local wanted = s and s.names or names_of(node)
    local used = chain.used(node, function(part)
        for _, name in ipairs(wanted) do
            frame.column(part, name)
        end
    end)
    local lines = { ("chain over %s: parts of %d rows"):format(source.path, core.internal.order.part),
        ("   source  %d of %d columns are read: %s"):format(#used, #source.names, table.concat(used, ", ")) }
    for _, one in ipairs(chain.path(node)) do
        local words = {}
        for k = 1, one.args.n do
            words[k] = shown_argument(one.args[k])
        end
        lines[#lines + 1] = ("   %-7s %s"):format(one.verb, table.concat(words, ", "))
    end
    if chain.is_cut(node) then
        lines[#lines + 1] = "   cut     the rows that are left fill parts again, as in memory"
    end
    if s then
        lines[#lines + 1] = "   group   " .. table.concat(s.shown, ", ")
    end
    return table.concat(lines, "\n")
end

methods.explain = verbs.explain

-- lun.eval(t), lun.explain(t) (interp/bind/host/record_calls.c).
local offers = { isarray = expression.isarray }

function offers.eval(t)
    return verbs.eval(t)
end

function offers.explain(t)
    return verbs.explain(t)
end

function offers.refusal()
    return "an opened table, of which lun.eval, lun.explain, lun.save and its verbs are computed part by part"
end

Opened.__records = offers
Groups.__records = { explain = function(g) return verbs.explain(g) end, refusal = offers.refusal,
    isarray = expression.isarray }

-- What verbs of tables in memory say here.
for name in pairs(object.verbs) do
    if not verbs[name] then
        verbs[name] = function()
            fault("'%s' needs all rows at once, and this table is read in parts: lun.eval(t) reads it into memory",
                name)
        end
    end
end

return M
