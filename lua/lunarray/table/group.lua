-- Rows in groups by equal keys, and aggregates of them: lun.group. A group is a handle of the binding
-- (interp/bind/array/lua_group.c) with its keys beside.
--
-- Invariant: `state` maps each group, weakly, to its handle, its keys (none for groups of codes), the numbers of
-- groups and rows and, if rows are in no group, those that are in one (kept), which are the handle's rows; an entry is
-- set when the group is made and never changes.

local core = require "lunarray.core"
local dtypes = require "lunarray.base.dtypes"
local fault = require "lunarray.base.fault"
local given_as = require "lunarray.table.keys"
local segments = require "lunarray.function.segments"
local misuse = require "lunarray.base.misuse"
local records = require "lunarray.base.records"

local internal = core.internal
local checked, column, is_list = given_as.checked, given_as.column, given_as.is_list
local options, vector = given_as.options, given_as.vector

local M = {}

-- ---------------------------------------------------------------- groups

local group = {}
local type_of_groups = { __index = group, __name = "group", __metatable = "group" }
local state = setmetatable({}, { __mode = "k" }) -- by group: its handle and its keys

local function of(g, call)
    local s = state[g]
    if not s then
        misuse(1, call, "group expected, got %s", internal.kind_of(g))
    end
    return s
end

local function new(handle, count, rows, keys, kept)
    local g = setmetatable({}, type_of_groups)
    state[g] = { handle = handle, count = count, rows = rows, keys = keys, kept = kept }
    return g
end

-- x, an array with an element or a line for each row, of rows that are in a group.
local function grouped(s, x, call)
    if not s.kept then
        return x
    elseif #x ~= s.rows then
        misuse(1, call, "lengths differ: %s and groups of %d rows", given_as.described(x), s.rows)
    end
    return x:take(s.kept)
end

function type_of_groups.__len(g)
    return of(g, "#").count
end

function type_of_groups.__tostring(g)
    local s = of(g, "tostring")
    return ("group: %d group%s of %d rows"):format(s.count, s.count == 1 and "" or "s", s.rows)
end

local GROUP_OPTIONS <const> = { order = true, levels = true, dropna = true }

-- Groups of codes from 1 on, of which some may have no rows.
local function of_levels(given, opts, argument)
    local levels = opts.levels
    local names = is_list(levels) and levels or nil
    local count = names and #names or math.tointeger(levels)
    if not count then
        misuse(argument, "group", "option 'levels': number or list of texts expected, got %s", internal.kind_of(levels))
    end
    if #given ~= 1 or opts.order ~= nil then
        misuse(argument, "group", "option 'levels' takes one Vector of codes and no other option")
    end
    local handle = checked(1, "group", internal.grouping_of(vector(given[1], 1, "group"), count))
    return new(handle, count, #given[1], { { names = names, index = not names } })
end

-- The rows in which no key is missing or NaN, and their keys; nil: all of them.
local function rows_with_keys(keys)
    local there
    for _, key in ipairs(keys) do
        if internal.has_missing(key) or key:dtype():find "f%d" then
            there = there and there & key:notna() or key:notna()
        end
    end
    local kept = there and not there:all() and there:indices():eval()
    for k = 1, kept and #keys or 0 do
        keys[k] = keys[k]:take(kept)
    end
    return kept or nil
end

-- The keys as Vectors, of records one for each element of their fields; what they were, by key: names of codes, or the
-- struct, and the number of the first Vector; and of each Vector the number of its key.
local function spread(given)
    local keys, whats, owner = {}, {}, {}
    for k = 1, #given do -- nil may be among them
        local x = given[k]
        local struct = records.struct_of(x)
        if struct and select("#", x:shape()) ~= 1 then
            misuse(k, "group", "a Vector of records expected, got %d axes", select("#", x:shape()))
        end
        local list, names = {}, nil
        if struct then
            list = select(2, records.lanes_of(x))
        else
            list[1], names = column(x, k, "group")
        end
        if #list[1] ~= #(keys[1] or list[1]) then
            misuse(k, "group", "lengths differ: keys %s and %s", given_as.described(given[1]), given_as.described(x))
        end
        whats[k] = { names = names, struct = struct, number = #keys + 1, count = #list }
        for _, key in ipairs(list) do
            keys[#keys + 1], owner[#keys + 1] = key, k
        end
    end
    return keys, whats, owner
end

-- lun.group(k1 [, k2, ...] [, {order=, levels=, dropna=}]): the rows in groups by equal keys.
function M.group(...)
    local given, opts = { ... }, {}
    local last = given[#given]
    if is_list(last) and #last == 0 and next(last) ~= nil then
        opts = options(table.remove(given), select("#", ...), "group", GROUP_OPTIONS)
    end
    if #given == 0 then
        misuse(1, "group", "Vector or list of texts expected, got no value")
    end
    if opts.levels ~= nil then
        return of_levels(given, opts, #given + 1)
    end
    if opts.order ~= nil and opts.order ~= "first" then
        misuse(#given + 1, "group", 'option \'order\': "first" expected')
    end
    if opts.dropna ~= nil and type(opts.dropna) ~= "boolean" then
        misuse(#given + 1, "group", "option 'dropna': true or false expected, got %s", internal.kind_of(opts.dropna))
    end
    local keys, whats, owner = spread(given)
    local kept = opts.dropna and rows_with_keys(keys) or nil
    local handle, count, operand = internal.grouping(keys, opts.order == "first")
    if not handle then
        misuse(owner[operand] or 1, "group", "%s", count)
    end
    return new(handle, count, #given[1], whats, kept)
end

local function array(s, call, what, k)
    return (checked(1, call, internal.grouping_array(s.handle, what, k)))
end

-- The keys of the groups: a column for each key.
function group.keys(g)
    local s, out = of(g, "keys"), {}
    for i, key in ipairs(s.keys) do
        if key.values then
            out[i] = key.values
        elseif key.index then
            out[i] = core.index(s.count)
        elseif not key.number then
            out[i] = table.move(key.names, 1, #key.names, 1, {})
        elseif key.struct then
            local list = {}
            for k = 1, key.count do
                list[k] = array(s, "keys", "key", key.number + k - 1)
            end
            out[i] = records.gather(key.struct, list)
        else
            local values = array(s, "keys", "key", key.number)
            if key.names then
                values = values:totable()
                for r, code in ipairs(values) do
                    values[r] = key.names[code]
                end
            end
            out[i] = values
        end
    end
    return table.unpack(out)
end

-- The group of each row; missing of rows that are in none.
function group.codes(g)
    local s = of(g, "codes")
    local codes = array(s, "codes", "codes")
    if not s.kept then
        return codes
    end
    local at = core.full({ s.rows }, 0, "i64"):put(s.kept, core.index(#s.kept))
    return codes:take(at, { missing = core.na })
end

-- How many rows each group has, and where each begins where those of a group are side by side.
local function extents(g, call)
    local s = of(g, call)
    if not s.starts then
        s.counts = array(s, call, "counts"):eval()
        s.starts = (core.scan("+", 0, { inclusive = false })(s.counts) + 1):eval()
    end
    return s.counts, s.starts
end

-- All rows, those of a group side by side; how many each group has; where each begins.
local function arranged(g, call)
    local s = of(g, call)
    if not s.order then
        local order = array(s, call, "order")
        s.order = (s.kept and s.kept:take(order) or order):eval()
    end
    return s.order, extents(g, call)
end

-- The numbers of the rows of group k.
function group.rows(g, k)
    local s = of(g, "rows")
    k = math.tointeger(k) or misuse(1, "rows", "number of a group expected, got %s", internal.kind_of(k))
    if k < 1 or k > s.count then
        misuse(1, "rows", "group %d is out of range: there are %d", k, s.count)
    end
    local order, counts, starts = arranged(g, "rows")
    return order:sub(starts[k], starts[k] + counts[k] - 1):copy()
end

-- ---------------------------------------------------------------- aggregates

-- x as a Vector with an element for each row; or, if `wide`, an array with a line for each.
local function check_rows(s, x, call, wide)
    vector(x, 1, call)
    if select("#", x:shape()) ~= 1 and not wide then
        misuse(1, call, "a Vector of %d elements expected, got %s", s.rows, internal.kind_of(x))
    elseif #x ~= s.rows then
        misuse(1, call, "lengths differ: %s and groups of %d rows", given_as.described(x), s.rows)
    end
    return x
end

local SKIPS <const> = { skipnan = true, skipna = true }
local DIVIDES <const> = { skipnan = true, skipna = true, ddof = true }

-- Whether the options ask that a missing element makes the result missing.
local function propagates(opts, argument, call)
    if opts.skipna ~= nil and type(opts.skipna) ~= "boolean" then
        misuse(argument, call, "option 'skipna': true or false expected, got %s", internal.kind_of(opts.skipna))
    end
    return opts.skipna == false
end

local function reduction(name, known)
    group[name] = function(g, x, opts)
        local s = of(g, name)
        opts = options(opts, 2, name, known)
        local ddof = opts.ddof
        if ddof ~= nil and not (math.type(ddof) and ddof >= 0 and ddof <= 2.0 ^ 53) then
            misuse(2, name, "option 'ddof': number from 0 on expected, got %s",
                math.type(ddof) and tostring(ddof) or internal.kind_of(ddof))
        end
        local propagate = propagates(opts, 2, name)
        x = grouped(s, vector(x, 1, name), name)
        return (checked(1, name, internal.grouping_reduce(s.handle, name, x, opts.skipnan, opts.ddof, propagate)))
    end
end

for _, name in ipairs { "sum", "prod", "mean", "min", "max", "first", "last" } do
    reduction(name, SKIPS)
end
reduction("var", DIVIDES)
reduction("std", DIVIDES)
reduction("any", { skipna = true })
reduction("all", { skipna = true })
reduction("count", { skipna = true })

-- The first and last rows of each group, of records and complex numbers also.
for _, name in ipairs { "first", "last" } do
    local of_reals = group[name]
    local function of_array(g, x, opts)
        if not core.isarray(x) or not core.iscomplex(x) or opts ~= nil then
            return of_reals(g, x, opts)
        end
        return core.complex(of_reals(g, core.real(x)), (of_reals(g, core.imag(x))))
    end
    group[name] = function(g, x, opts)
        x = given_as.whole(x)
        if not records.struct_of(x) then
            return of_array(g, x, opts)
        elseif next(options(opts, 2, name, SKIPS)) then
            misuse(2, name, "option '%s': got %s", next(opts), records.kind_of(x))
        end
        return records.each_field(x, function(a)
            return (of_array(g, a))
        end)
    end
end

local count_true = group.count

-- Rows of each group, or of x those elements that are not 0; skipnan: that are not NaN.
function group.count(g, x, opts)
    if x == nil then
        return array(of(g, "count"), "count", "counts")
    end
    opts = options(opts, 2, "count", SKIPS)
    if opts.skipnan then
        x = check_rows(of(g, "count"), x, "count", true):isnan():lnot()
    end
    return count_true(g, x, { skipna = opts.skipna })
end

-- How many elements of each group are numbers, not NaN; g:count(x, {skipnan=true}) is an older name of it.
function group.numbers(g, x)
    local s = of(g, "numbers")
    x = grouped(s, check_rows(s, x, "numbers", true), "numbers")
    return (checked(1, "numbers", internal.grouping_reduce(s.handle, "count", x:isnan():lnot())))
end

-- Linear between neighbours of the sorted elements of each group, as NumPy does it.
local function quantile(sorted, starts, counts, q)
    local place = (counts - 1) * q
    local low = place:floor()
    local part = place - low
    local first = core.where(counts:gt(0), starts + low:cast "i64", 0)
    local second = core.where(counts:gt(0), starts + place:ceil():cast "i64", 0)
    local a, b = sorted:take(first, { missing = 0 / 0 }), sorted:take(second, { missing = 0 / 0 })
    local step = b - a
    local inner = core.where(part:lt(0.5), a + step * part, b - step * (1 - part))
    -- Infinite ends, or huge ones of opposite signs: the weighted sum cannot overflow, and an infinite end stays.
    inner = core.where(step:isfinite(), inner, a * (1 - part) + b * part)
    return core.where(a:eq(b), a, inner)
end

-- The elements of x, group after group, those of each in order as f64; how many of each group are numbers; how many
-- are missing, nil: none.
local function in_order(s, x, call)
    local numbers, gone = s.counts, nil
    local sorted = checked(1, call, internal.grouping_sort(s.handle, internal.slots(x:cast "f64"))):eval()
    if sorted:isnan():any() then -- what is missing is NaN there
        numbers = checked(1, call, internal.grouping_reduce(s.handle, "count", x:isnan():lnot())):eval()
    end
    if internal.has_missing(x) then
        gone = internal.grouping_reduce(s.handle, "count", x:ismissing()):eval()
    end
    return { sorted, numbers, gone }
end

-- What make() gives for a column, once for all calls of sharing_orders.
local function shared(s, x, make)
    local known = s.sorted and s.sorted[x] or make()
    if s.sorted then
        s.sorted[x] = known
    end
    return known
end

local quantiles

-- The same of dates, timestamps and durations: between numbers from the first one on, rounded down.
local function of_times(g, x, ...)
    local numbers = shared(of(g, "quantile"), x, function()
        local all = x:cast "i64"
        local first = all:min() or 0
        return { all - first, first }
    end)
    return (quantiles(g, numbers[1], ...):floor():cast "i64" + numbers[2]):cast(x:dtype())
end

function quantiles(g, x, q, opts, call, argument)
    local s = of(g, call)
    x = given_as.whole(x)
    if core.isarray(x) and dtypes.by_name[x:dtype()].kind == "time" then
        return of_times(g, x, q, opts, call, argument)
    end
    opts = options(opts, argument, call, SKIPS)
    local propagate = propagates(opts, argument, call)
    local given = check_rows(s, x, call)
    x = grouped(s, given, call)
    local counts, starts = extents(g, call)
    local sorted, numbers, gone = table.unpack(shared(s, given, function()
        return in_order(s, x, call)
    end), 1, 3)
    local list = {}
    if type(q) == "table" and #q == 0 then
        misuse(2, call, "a number from 0 to 1, or a list of at least one, expected, got an empty table")
    end
    for i, p in ipairs(type(q) == "table" and q or { q }) do
        if type(p) ~= "number" or not (p >= 0 and p <= 1) then
            misuse(2, call, "number from 0 to 1 expected, got %s", type(p) == "number" and p or internal.kind_of(p))
        end
        list[i] = quantile(sorted, starts, numbers, p)
        if not opts.skipnan then
            list[i] = core.where((gone and numbers + gone or numbers):eq(counts), list[i], 0 / 0)
        end
        if gone then
            list[i] = internal.with_missing(list[i], propagate and gone:eq(0) or counts:gt(gone))
        end
    end
    return type(q) == "table" and core.stack(list) or list[1]
end

function group.quantile(g, x, q, opts)
    return quantiles(g, x, q, opts, "quantile", 3)
end

function group.median(g, x, opts)
    return quantiles(g, x, 0.5, opts, "median", 2)
end

-- ---------------------------------------------------------------- functions

-- The rows of the groups, for x: a Vector, or records, with an element for each row.
local function rows_of(g, x, call)
    if not records.struct_of(x) then
        check_rows(of(g, call), x, call)
    elseif select("#", x:shape()) ~= 1 or #x ~= of(g, call).rows then
        misuse(1, call, "lengths differ: %s and groups of %d rows", given_as.described(x), of(g, call).rows)
    end
    return arranged(g, call)
end

-- f of the rows of each group, in their order.
function group.reduce(g, x, f, id)
    f, id = segments.combiner(x, f, id, 2, "reduce")
    local order, counts, starts = rows_of(g, x, "reduce")
    return segments.reduce(x:take(order):eval(), starts, counts, f, id, 2, "reduce")
end

local SCANS <const> = { inclusive = true }

-- The running results of f in each group, in the order of the rows.
function group.scan(g, x, f, id, opts)
    f, id = segments.combiner(x, f, id, 2, "scan")
    opts = options(opts, 4, "scan", SCANS)
    local order, counts, starts = rows_of(g, x, "scan")
    local running = segments.scan(x, starts, counts, f, id, opts.inclusive == false, "scan", order)
    if of(g, "scan").kept and records.struct_of(x) then
        misuse(1, "scan", "some rows are in no group (dropna), and nothing can be missing among records")
    end
    return of(g, "scan").kept and internal.with_missing(running, g:codes():notna()) or running
end

-- ---------------------------------------------------------------- groups of a table

-- The rows that are in a group, those of one side by side: their numbers; how many each group has, where each begins.
function M.arranged(g)
    return arranged(g, "rows")
end

-- The elements of x, which has one for each row and none missing, group after group, those of each in order; how many
-- each group has, where each begins.
function M.in_order(g, x, call)
    local s = of(g, call)
    return checked(1, call, internal.grouping_sort(s.handle, grouped(s, x, call))):eval(), extents(g, call)
end

M.methods = group

-- Calls f, while columns that are put in order are kept for its other calls; no element changes meanwhile.
function M.sharing_orders(s, f, ...)
    local _ <close> = setmetatable({}, { __close = function()
        s.sorted = nil
    end })
    s.sorted = {}
    return f(...)
end

-- Whether x is groups of rows.
function M.is(x)
    return state[x] ~= nil
end

-- What functions of groups work on: the groups themselves, codes of the rows that are in one, and these rows' numbers.
function M.state_of(g)
    local s = of(g, "agg")
    s.g, s.codes = g, s.codes or array(s, "agg", "codes"):eval()
    s.may_be_empty = s.keys[1] and not s.keys[1].number
    return s
end

-- Groups of the rows of a table by these keys, whose names are given: columns are then taken by name.
function M.of_table(t, names, ...)
    local g = M.group(...)
    state[g].table, state[g].names = t, names
    return g
end

-- Groups of the rows of a table by codes from 1 on, with these columns of keys, an element for each of `count` groups,
-- of which some may have no rows. kept: the numbers of the rows that are in one, whose codes these are; nil: all.
function M.of_codes(t, names, keys, codes, count, kept)
    for k, values in ipairs(keys) do
        keys[k] = { values = values }
    end
    local g = new(checked(1, "group", internal.grouping_of(codes:eval(), count)), count, #t, keys, kept)
    state[g].table, state[g].names, state[g].periods = t, names, true
    return g
end

local WITH_NAMES <const> = "sum prod mean min max first last var std any all count numbers median quantile reduce scan"

for name in WITH_NAMES:gmatch "%S+" do
    local f = group[name]
    group[name] = function(g, x, ...)
        local t = of(g, name).table
        if type(x) == "string" then
            local second = ...
            if t and type(second) == "string" and t:has(second) and name ~= "quantile" then
                fault("'%s' takes one column; g:agg{\"%s\", \"%s\", \"%s\"} is of several", name, name, x, second)
            end
            x = t and t[x] or misuse(1, name, "t:group(\"k\") knows the columns of a table")
        elseif x == nil and t and name ~= "count" and name ~= "numbers" then
            misuse(1, name, "name of a column, or an array, expected, got no value")
        end
        return f(g, x, ...)
    end
end

-- Functions of other files, loaded at their first call: agg, and what is done within the groups.
local FILES <const> = {
    grouped = "agg size transform head tail topk table iter sample apply",
    within = "shift diff pct_change cumcount ffill bfill cumsum cumprod cummin cummax rank",
}

local function offer(file, name, known_as)
    group[name] = function(g, ...)
        of(g, name)
        return require("lunarray.table." .. file)[known_as](g, ...)
    end
end

offer("rolling", "rolling", "within")
for file, names in pairs(FILES) do
    for name in names:gmatch "%S+" do
        offer(file, name, name)
    end
end

return M
