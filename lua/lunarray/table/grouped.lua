-- Groups of the rows of a table: t:group, g:agg, t:agg, t:value_counts. Functions that the binding has for groups are
-- computed one by one; the others are built here on groups of (group, value) and on orders.

local core = require "lunarray.core"
local column = require "lunarray.table.column"
local dtypes = require "lunarray.base.dtypes"
local fault = require "lunarray.base.fault"
local frame = require "lunarray.show.frame"
local group = require "lunarray.table.group"
local keys_of = require "lunarray.table.keys"
local object = require "lunarray.table.object"
local ordering = require "lunarray.function.order"
local records = require "lunarray.base.records"
local rows = require "lunarray.table.rows"
local verbs = require "lunarray.table.verbs"
local within = require "lunarray.table.within"

local M = {}

-- ---------------------------------------------------------------- functions of groups
-- Each is given the groups of rows, `s`: g, their handle; codes, of those rows that are in a group; kept, their
-- numbers, or nil; count, the number of groups; and columns with an element for each row of the table.

-- The elements of the rows that are in a group.
local function of_kept(s, x)
    return s.kept and column.take(x, s.kept) or x
end

-- Groups by codes, of which some may be empty.
local function by_codes(codes, count)
    return group.group(codes, { levels = count })
end

-- The elements of x that are not missing by group, in order; how many each group has, where each begins; of which
-- elements a value begins.
local function in_order(s, x, call)
    local codes = s.codes
    x = of_kept(s, x)
    if core.internal.has_missing(x) then
        local there = (~x:ismissing()):indices():eval()
        x, codes = x:take(there), codes:take(there)
    end
    local sorted, counts, starts = group.in_order(by_codes(codes, s.count), x, call)
    local n = #sorted
    if n == 0 then
        return sorted, counts, starts, core.full(0, false)
    end
    local before, behind = sorted:sub(1, n - 1), sorted:sub(2, n)
    local differs = behind:ne(before)
    if dtypes.is_float(sorted:dtype()) then
        differs = differs & ~(behind:isnan() & before:isnan())
    end
    local begins = core.concat { core.full(1, true), differs }
    return sorted, counts, starts, begins:put(starts:compress(counts:gt(0)), true):eval()
end

-- x, of texts its codes; and what makes values of its elements again.
local function as_numbers(x)
    if not column.is_text(x) then
        return x, function(values)
            return dtypes.is_float(values:dtype()) and values + 0 or values -- no -0.0
        end
    end
    local levels = x:levels()
    return x:codes():naif(0), function(values)
        return levels:take(values)
    end
end

-- The first of these numbers, f64, in each group that is not NaN; missing where there is none.
local function first_of(codes, count, numbers)
    return by_codes(codes, count):first(numbers, { skipnan = true }):naif(0 / 0):cast "i64" -- of no rows: NaN
end

local function taken(values, at)
    return values:take(at:fillna(0):cast "i64", { missing = core.na })
end

-- The number of the first row with the least element of each group, or the greatest.
local function extreme(s, x, which)
    x = as_numbers(x)
    local best = s.g[which](s.g, x, { skipnan = true }):eval()
    local hits = of_kept(s, x):eq(best:take(s.codes))
    local at = first_of(s.codes, s.count, core.where(hits, core.index(#s.codes), 0 / 0))
    return s.kept and taken(s.kept, at) or at
end

-- What corr, cov and wmean add up in each group, of the pairs in which nothing is missing.
local function paired(s, x, y)
    x, y = of_kept(s, x):cast "f64", of_kept(s, y):cast "f64"
    local gone = x:ismissing() | y:ismissing()
    local g = by_codes(s.codes, s.count)
    x, y = core.where(gone, core.na, x), core.where(gone, core.na, y)
    return g, x, y, g:count(~gone)
end

local function centred(g, s, x)
    return x - g:mean(x):take(s.codes)
end

-- Missing where there are fewer than n pairs.
local function of_at_least(n, result, pairs)
    return core.where(pairs:lt(n), core.na, result)
end

local functions = {}

for name in ("sum prod mean var std median any all"):gmatch "%S+" do
    functions[name] = function(s, x, opts)
        if column.is_text(x) then
            fault("'%s': text has none", name)
        end
        return s.g[name](s.g, x, opts)
    end
end

for name in ("min max first last"):gmatch "%S+" do
    functions[name] = function(s, x, opts)
        return s.g[name](s.g, x, opts)
    end
end

function functions.count(s, x)
    if x == nil or core.isarray(x) and not core.internal.has_missing(x) then
        return s.g:count()
    end
    return s.g:count(~column.ismissing(x))
end

function functions.quantile(s, x, q, opts)
    if type(q) ~= "number" then
        fault("'quantile': number from 0 to 1 expected, got %s", core.internal.kind_of(q))
    end
    return s.g:quantile(x, q, opts)
end

function functions.nunique(s, x)
    local _, counts, starts, begins = in_order(s, as_numbers(x), "nunique")
    local number = begins:cast "i64":cumsum():eval()
    local first = core.where(counts:gt(0), starts, 0)
    return number:take(core.where(counts:gt(0), starts + counts - 1, 0), { missing = 0 })
        - number:take(first, { missing = 1 }) + 1
end

function functions.mode(s, x)
    local numbers, values_of = as_numbers(x)
    local sorted, counts, _, begins = in_order(s, numbers, "mode")
    local runs = begins:indices():eval()
    local codes = core.index(s.count):spread(counts):take(runs):eval()
    local lengths = (core.concat { runs:sub(2, #runs), core.full(1, #sorted + 1) } - runs):cast "f64":eval()
    local longest = by_codes(codes, s.count):max(lengths)
    local hits = lengths:eq(longest:take(codes))
    return taken(values_of(sorted:take(runs)), first_of(codes, s.count, core.where(hits, core.index(#runs), 0 / 0)))
end

function functions.argmin(s, x)
    return extreme(s, x, "min")
end

function functions.argmax(s, x)
    return extreme(s, x, "max")
end

function functions.cov(s, x, y)
    local g, a, b, n = paired(s, x, y)
    return of_at_least(2, g:sum(centred(g, s, a) * centred(g, s, b)) / (n - 1), n)
end

function functions.corr(s, x, y)
    local g, a, b, n = paired(s, x, y)
    a, b = centred(g, s, a), centred(g, s, b)
    return of_at_least(2, g:sum(a * b) / (g:sum(a * a) * g:sum(b * b)):sqrt(), n)
end

function functions.wmean(s, x, weights)
    local g, a, w, n = paired(s, x, weights)
    return of_at_least(1, g:sum(a * w) / g:sum(w), n)
end

function functions.concat(s, x, separator)
    if not column.is_text(x) then
        fault("'concat': text expected, got %s", column.dtype(x))
    end
    x = of_kept(s, x)
    local there = (~column.ismissing(x)):indices()
    local order = there:take(s.codes:take(there):argsort())
    local counts = by_codes(s.codes:take(there), s.count):count():totable()
    local values, out, first = column.values(column.take(x, order), 1, #order), {}, 1
    for k = 1, s.count do
        out[k] = table.concat(values, separator or "", first, first + counts[k] - 1)
        first = first + counts[k]
    end
    return core.vector(out, "text")
end

-- f of the elements of each group.
local function by_function(s, x, f)
    x = of_kept(s, x)
    local order = s.codes:argsort()
    local sorted, counts = column.take(x, order), by_codes(s.codes, s.count):count():totable()
    local out, first = {}, 1
    for k, n in ipairs(counts) do
        local result = f(sorted:sub(first, first + n - 1):copy())
        out[k] = result == nil and core.na or result
        first = first + n
    end
    local made, wrong
    if records.struct_of(x) and type(out[1]) == "table" and out[1] ~= core.na then
        made, wrong = column.like(out, x)
    else
        made, wrong = column.from(out)
    end
    return made or fault("'agg': the result of the function %s", wrong)
end

-- What is done with records; the other functions take one of their fields.
local OF_RECORDS <const> = { count = true, first = true, last = true }

local function refuse_records(f, x)
    if records.struct_of(x) then
        fault("'%s': %s", f, records.kind_of(x))
    end
    return x
end

local TWO <const> = { corr = true, cov = true, wmean = true }
local TOTALS <const> = { sum = true, prod = true, count = true, any = true, all = true, nunique = true }

-- ---------------------------------------------------------------- agg

-- An aggregate of groups of which some may have no rows: these have a sum, but no mean.
local function of_present(s, ...)
    local present = s.g:count():gt(0):indices()
    local result = M.aggregate(group.state_of(group.of_table(s.table, nil, s.g:codes(), { dropna = true })), ...)
    return column.take(result, core.full(s.count, 0):put(present, core.index(present:size())), true)
end

-- One aggregate: f is the name of a function or one in Lua, x its column, the rest what it takes besides.
function M.aggregate(s, f, x, ...)
    if s.periods and x ~= nil and f ~= "count" then
        return of_present(s, f, x, ...)
    elseif type(f) == "function" then
        return by_function(s, within.column(s, x, "function"), f)
    elseif type(f) == "string" and functions[x] and s.table and s.table:has(f) and not functions[f] then
        fault("'agg': the function comes first: {\"%s\", \"%s\"}", x, f)
    elseif type(f) ~= "string" or not functions[f] then
        local known = {}
        for name in pairs(functions) do
            known[#known + 1] = name
        end
        table.sort(known)
        fault("'agg': unknown function '%s'; there are %s", column.shown(f), table.concat(known, ", "))
    elseif f == "count" and x == nil then
        return functions.count(s)
    end
    if type(x) == "string" and functions[x] and s.table and not s.table:has(x) then
        fault("'agg': '%s' is no column; each result has one function: "
            .. "{a = {\"%s\", column}, b = {\"%s\", column}}", x, f, x)
    end
    x = within.column(s, x, f)
    if not OF_RECORDS[f] then
        refuse_records(f, x)
    end
    if s.may_be_empty and not TOTALS[f] then
        return of_present(s, f, x, ...)
    elseif TWO[f] then
        return functions[f](s, x, refuse_records(f, within.column(s, (...), f)))
    end
    return functions[f](s, x, ...)
end

-- The entries of a spec, in order: { name, function, column, ... } each.
function M.entries_of(spec)
    local list = {}
    if spec == nil then
        return { { "count", "count" } }
    elseif not column.is_list(spec) then
        fault("'agg': table {name = {function, column}} expected, got %s", core.internal.kind_of(spec))
    elseif type(spec[1]) == "string" or type(spec[1]) == "function" then
        for k = 2, #spec do
            list[#list + 1] = { spec[k], spec[1], spec[k] }
        end
        return list
    end
    for k, entry in ipairs(spec) do
        if not column.is_list(entry) then
            fault("'agg': entry %d: {name, function, column} expected, got %s", k, core.internal.kind_of(entry))
        elseif #entry == 2 and functions[entry[1]] and not functions[entry[2]] and type(entry[2]) == "string" then
            fault("'agg': entry %d: {name, function, column} expected, such as {\"%s\", \"%s\", \"%s\"}", k, entry[1],
                entry[1], entry[2])
        end
        list[k] = entry
    end
    local names = {}
    for name in pairs(spec) do
        names[#names + 1] = type(name) == "string" and name or nil
    end
    table.sort(names)
    for _, name in ipairs(names) do
        local one = spec[name]
        local entry = type(one) == "table" and { name, table.unpack(one) } or { name, one }
        if entry[3] == nil and entry[2] ~= "count" then
            entry[3] = name -- {rain = "sum"}: of the column of that name
        end
        list[#list + 1] = entry
    end
    return list
end

-- A table of so many rows of the keys, by their names, and what aggregate(function, column, ...) gives for a spec.
function M.table_of(names, keys, rows_of, spec, aggregate)
    local columns, order = {}, {}
    local function add(name, x)
        if type(name) ~= "string" then
            fault("'agg': name of a result expected, got %s", core.internal.kind_of(name))
        elseif columns[name] ~= nil then
            fault("'agg': two results, or a key and a result, are called '%s'", name)
        end
        columns[name], order[#order + 1] = x, name
    end
    for k, name in ipairs(names) do
        add(name, keys[k])
    end
    for _, entry in ipairs(M.entries_of(spec)) do
        add(entry[1], aggregate(table.unpack(entry, 2)))
    end
    local list = {}
    for i, name in ipairs(order) do
        list[i] = columns[name]
    end
    column.evaluate(list)
    return object.make(columns, order, rows_of)
end

local function aggregated(s, spec, keys, names)
    return group.sharing_orders(s, M.table_of, names, keys, s.count, spec, function(...)
        return M.aggregate(s, ...)
    end)
end

-- g:agg{name = {function, column, ...}, ...}: the keys and these aggregates, a row for each group.
function M.agg(g, spec)
    local s = group.state_of(g)
    local keys = table.pack(g:keys())
    local names = s.names or {}
    for k = 1, keys.n do
        names[k] = names[k] or "k" .. k
    end
    return aggregated(s, keys_of.whole(spec), keys, names)
end

-- All rows of a table as one group.
function M.one(t)
    return group.state_of(group.of_table(t, {}, core.full(#t, 1), { levels = 1 }))
end

-- t:agg{...}: a table of one row.
function M.agg_all(t, spec)
    return aggregated(M.one(t), spec, {}, {})
end

-- ---------------------------------------------------------------- t:group

local OPTIONS <const> = { order = true, levels = true, dropna = true }

local function is_options(x)
    if not column.is_list(x) or frame.of(x) or next(x) == nil then
        return false
    end
    for name, value in next, x do
        if not OPTIONS[name] or core.isarray(value) then
            return false
        end
    end
    return true
end

-- t:group(k1, k2, ... [, opts]): the rows in groups; keys are names, arrays, or tables {name = array}.
function M.group(t, ...)
    local given, keys, names = table.pack(...), {}, {}
    local opts = is_options(given[given.n]) and given[given.n] or nil
    local function add(name, x)
        keys[#keys + 1], names[#names + 1] = object.column(t, x, "key " .. #keys + 1), name
    end
    for k = 1, given.n - (opts and 1 or 0) do
        local x = given[k]
        if type(x) == "string" then
            add(x, x)
        elseif column.is_list(x) and rawlen(x) == 0 and next(x) ~= nil then
            for _, name in ipairs(frame.ordered(x)) do
                add(name, x[name])
            end
        elseif column.is_list(x) and rawlen(x) ~= #t and t:has(x[1]) then
            for _, name in ipairs(x) do
                add(name, name)
            end
        else
            add("k" .. #keys + 1, x)
        end
    end
    if #keys == 0 then
        fault("'group': name of a column, or an array, expected, got no value")
    end
    keys[#keys + 1] = opts
    return group.of_table(t, names, table.unpack(keys))
end

-- t:value_counts(names, ...): the groups and their counts, most frequent first, then by key.
function M.value_counts(t, ...)
    local names = object.names(t, ...)
    for _, name in ipairs(names) do
        if name == "count" then
            fault("'value_counts': a column is called 'count'; rename it")
        end
    end
    local counted = M.agg(M.group(t, table.unpack(names)))
    return rows.take(counted, ordering.by_keys { { counted.count, true } })
end

-- ---------------------------------------------------------------- within groups

-- The groups of a table, for a function that needs one.
local function of_table(g, call)
    local s = group.state_of(g)
    return s.table and s or fault("'%s': t:group(\"k\") knows the rows of a table", call)
end

-- Elements of a column by group, for each row; missing where a row is in none.
local function spread(s, x)
    return column.take(x, s.g:codes():fillna(0):cast "i64", true)
end

-- g:size(): how many rows the group of each row has.
function M.size(g)
    local s = group.state_of(g)
    return spread(s, g:count())
end

-- g:transform(f, x, ...): an aggregate, for each row.
function M.transform(g, ...)
    local s = group.state_of(g)
    return spread(s, M.aggregate(s, ...))
end

-- Positions of rows in an order, those of a group side by side, and the number of each within its group.
local function numbered(s, order)
    order = order:take(s.codes:take(order):argsort()):eval()
    local codes = s.codes:take(order)
    local counts = by_codes(codes, s.count):count()
    local starts = core.scan("+", 0, { inclusive = false })(counts)
    return order, core.index(#order) - starts:take(codes)
end

-- The numbers of rows of the table at positions among those in a group.
local function numbers_of(s, order)
    return s.kept and s.kept:take(order) or order
end

local function count_of(n, call)
    return math.type(n) == "integer" and n >= 0 and n
        or fault("'%s': number of rows from 0 on expected, got %s", call, column.shown(n))
end

-- The rows of groups whose number in their group is from `first` to `last`, in the order of the table.
local function numbered_from(s, first, last)
    local a = within.arranged(s)
    local number = a.index - a.first + 1
    return rows.take(s.table, a.order:compress(number:ge(first) & number:le(last)):sort())
end

-- g:head(n), g:tail(n): the first and last rows of each group, in the order of the table.
function M.head(g, n)
    return numbered_from(of_table(g, "head"), 1, count_of(n, "head"))
end

function M.tail(g, n)
    local s = of_table(g, "tail")
    local a = within.arranged(s)
    return numbered_from(s, a.counts:take(a.codes) - count_of(n, "tail") + 1, #a.order)
end

-- g:sample(n [, {seed=}]): n rows of each group by chance, all of those that have fewer, in the order of the table.
function M.sample(g, n, opts)
    local s = of_table(g, "sample")
    opts = object.options(opts, "sample", "seed")
    n = count_of(n, "sample")
    local order, number = numbered(s, core.random(#s.codes, { seed = opts.seed }):argsort())
    return rows.take(s.table, numbers_of(s, order:compress(number:le(n))):sort())
end

-- g:topk(n, x [, {smallest=true}]): the rows with the largest x of each group, groups in order, largest first.
function M.topk(g, n, x, opts)
    local s = of_table(g, "topk")
    opts = object.options(opts, "topk", "smallest")
    local key = of_kept(s, within.column(s, x, "topk"))
    local order, number = numbered(s, key:argsort { descending = not opts.smallest })
    return rows.take(s.table, numbers_of(s, order:compress(number:le(count_of(n, "topk")))))
end

-- g:table(k): the rows of group k.
function M.table(g, k)
    return rows.take(of_table(g, "table").table, g:rows(k))
end

-- Tables of the rows of each group, in turn: windows of one in which those of a group are side by side.
local function parts(s)
    local a, k = within.arranged(s), 0
    local all = rows.take(s.table, a.order)
    local starts, counts = a.starts:totable(), a.counts:totable()
    return function()
        k = k + 1
        if k > s.count then
            return nil
        end
        local first, count = starts[k], counts[k]
        return k, object.each(all, function(x)
            return column.is_list(x) and column.take(x, core.index(count) + (first - 1))
                or x:sub(first, first + count - 1)
        end, count)
    end
end

-- for key..., sub in g:iter()
function M.iter(g)
    local s, keys = of_table(g, "iter"), table.pack(g:keys())
    for i = 1, keys.n do
        keys[i] = column.values(keys[i], 1, s.count)
    end
    local next_part = parts(s)
    return function()
        local k, sub = next_part()
        if not k then
            return nil
        end
        local out = {}
        for i = 1, keys.n do
            out[i] = keys[i][k] == nil and core.na or keys[i][k]
        end
        out[keys.n + 1] = sub
        return table.unpack(out)
    end
end

-- g:apply(f): the rows that f(sub) gives of each group's table, one group after the other, behind the keys.
function M.apply(g, f)
    local s = of_table(g, "apply")
    if type(f) ~= "function" then
        fault("'apply': function of a table expected, got %s", core.internal.kind_of(f))
    end
    local given, lengths = {}, {}
    for k, sub in parts(s) do
        local made = f(sub)
        if made ~= nil and not (type(made) == "table" and not core.isarray(made)) then
            fault("'apply': the function gives a table or nil, not %s, of group %d", core.internal.kind_of(made), k)
        end
        given[#given + 1] = made ~= nil and object.table(made) or nil
        lengths[k] = made ~= nil and #given[#given] or 0
    end
    local columns, order, names = {}, {}, s.names or {}
    local keys = table.pack(g:keys())
    local all = #given > 0 and verbs.concat(given) or object.make({}, {}, 0)
    local of_group = core.index(s.count):spread(core.vector(lengths, "i64"))
    for k = 1, keys.n do
        order[k] = names[k] or "k" .. k
        columns[order[k]] = column.take(keys[k], of_group)
    end
    for name, x in pairs(all) do
        order[#order + 1] = columns[name] == nil and name or nil
        columns[name] = columns[name] == nil and x or columns[name]
    end
    return object.make(columns, order, #all)
end

return M
