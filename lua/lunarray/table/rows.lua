-- Rows of tables: lun.rows, and the verbs that select and order rows.

local core = require "lunarray.core"
local column = require "lunarray.table.column"
local dtypes = require "lunarray.base.dtypes"
local fault = require "lunarray.base.fault"
local frame = require "lunarray.show.frame"
local group = require "lunarray.table.group"
local misuse = require "lunarray.base.misuse"
local object = require "lunarray.table.object"
local ordering = require "lunarray.function.order"
local records = require "lunarray.base.records"

local M = {}

local function counted(rows)
    return ("%d row%s"):format(rows, rows == 1 and "" or "s")
end

-- ---------------------------------------------------------------- rows

-- Row numbers as i64 from 0 to `rows`; and whether a 0 is among them, and where the first.
local function row_numbers(which, rows)
    if dtypes.is_beyond_lua(which:dtype()) then
        which = core.min(which, math.maxinteger)
    end
    which = which:cast "i64"
    local back = core.where(which:lt(-rows), -1, which + (rows + 1))
    local at = core.where(which:lt(0), back, which):eval()
    if at:size() == 0 then
        return at
    end
    local low, high = core.eval(at:lazy "min", at:lazy "max")
    if low < 0 or high > rows then
        local i = at:lt(0):lor(at:gt(rows)):cast("i8"):argmax()
        misuse(2, "rows", "row %d (number %d) is out of range for a table of %s", which[i], i, counted(rows))
    end
    return at, low == 0 and at:argmin() or nil
end

-- `which` for a table of so many rows: a mask, or nil, row numbers, and the index of the first 0 among them.
local function chosen(which, rows)
    if type(which) == "table" and not records.struct_of(which) then
        which = #which == 0 and core.zeros(0, "i64") or core.vector(which)
    elseif not core.isarray(which) then
        misuse(2, "rows", "bool or integer Vector expected, got %s%s", records.kind_of(which),
            which == nil and "; for row in t:iter() do goes through the rows" or "")
    end
    local dtype, rank = which:dtype(), select("#", which:shape())
    if rank ~= 1 or dtypes.is_float(dtype) then
        misuse(2, "rows", "bool or integer Vector expected, got %s", core.internal.kind_of(which))
    elseif dtype ~= "bool" then
        return nil, row_numbers(which, rows)
    elseif which:size() ~= rows then
        misuse(2, "rows", "lengths differ: the table has %s and the mask has %d", counted(rows), which:size())
    end
    return which:eval()
end

-- A table of the rows of t with these numbers, an i64 Vector; gap: there may be zeros, of which all is missing.
function M.take(t, at, gap)
    at:eval()
    return object.each(t, function(x)
        return column.take(x, at, gap)
    end, at:size(), true)
end

-- A table of the rows of t where a mask holds.
function M.keep(t, mask)
    mask:eval()
    return object.each(t, function(x)
        return x:compress(mask)
    end, mask:count(), true)
end

-- lun.rows(t, which): a new table of the rows of t that `which` says: a bool Vector with an element for each row, or
-- an integer Vector or list of row numbers, in any order, also several times, negative ones from the end. Row 0 is a
-- missing one: its elements are missing, an error among records.
function M.rows(t, which)
    if records.struct_of(t) then
        local mask, at, gap = chosen(which, #t)
        if gap then
            misuse(2, "rows", "row 0 (number %d): nothing can be missing among records", gap)
        end
        return (mask and t:compress(mask) or t:take(at)):eval()
    end
    t = object.of(t, "rows")
    local mask, at, gap = chosen(which, #t)
    for name, x in pairs(t) do
        if gap and records.struct_of(x) then
            misuse(2, "rows", "row 0 (number %d): the column '%s' is of records, in which nothing can be missing",
                gap, name)
        end
    end
    return mask and M.keep(t, mask) or M.take(t, at, gap)
end

-- Rows i to j, by the rules of a:sub.
function M.between(t, i, j)
    local n = #t
    i, j = math.tointeger(i), j == nil and n or math.tointeger(j)
    if not i or not j then
        misuse(1, "rows", "integers expected")
    end
    i, j = i < 0 and math.max(n + 1 + i, 1) or math.max(i, 1), j < 0 and n + 1 + j or math.min(j, n)
    return M.take(t, i <= j and core.range(i, j) or core.zeros(0, "i64"))
end

-- ---------------------------------------------------------------- ends and samples

local function count_of(n, call, usual)
    local count = n == nil and usual or math.tointeger(type(n) == "number" and n or nil)
    if not count or count < 0 then
        fault("'%s': number of rows from 0 on expected, got %s", call,
            type(n) == "number" and column.shown(n) or core.internal.kind_of(n))
    end
    return count
end

-- t:head([n=10]), t:tail([n=10]): the first and last rows.
function M.head(t, n)
    return M.between(t, 1, math.min(count_of(n, "head", 10), #t))
end

function M.tail(t, n)
    return M.between(t, math.max(#t - count_of(n, "tail", 10), 0) + 1, #t)
end

-- t:sample(n [, {seed=, replace=}]), t:sample{frac=}: rows by chance, in their order unless rows may come again.
function M.sample(t, n, opts)
    if column.is_list(n) and opts == nil then
        n, opts = nil, n
    end
    opts = object.options(opts, "sample", "frac replace seed")
    if (n == nil) == (opts.frac == nil) then
        fault("'sample': a number of rows or the option 'frac' expected")
    elseif n == nil and not (math.type(opts.frac) and opts.frac >= 0) then
        fault("'sample': option 'frac': number from 0 on expected, got %s", column.shown(opts.frac))
    end
    local rows = #t
    n = n == nil and math.floor(opts.frac * rows + 0.5) or count_of(n, "sample")
    if n > rows and (not opts.replace or rows == 0) then
        fault("'sample': %d rows of a table of %d; {replace = true} takes rows again", n, rows)
    end
    local random = core.random(opts.replace and n or rows, { seed = opts.seed })
    if opts.replace then
        return M.take(t, (random * rows):floor():cast "i64" + 1)
    end
    return M.take(t, random:argsort():sub(1, n):sort())
end

-- ---------------------------------------------------------------- conditions

-- A row that a function of filter reads: `list` has the columns read so far. A field that is missing ends the call.
local MISSING <const> = {}

local function row_reader(t)
    local at, lists = 0, {}
    local reader = setmetatable({}, {
        __index = function(_, name)
            local list = lists[name]
            if not list then
                list = column.values(object.column(t, name), 1, #t)
                lists[name] = list
            end
            local x = list[at]
            if x == nil then
                error(MISSING, 0)
            end
            return x
        end,
        __newindex = function() fault("the row of a function of filter cannot be assigned") end,
    })
    return reader, function(i) at = i end
end

-- Where f(row) is true, for each row in turn.
local function mask_of_function(t, f)
    local keeps = {}
    local row, go = row_reader(t)
    for i = 1, #t do
        go(i)
        local ok, result = pcall(f, row)
        if not ok and result ~= MISSING then
            error(result, 0)
        end
        keeps[i] = ok and result and true or false
    end
    return #keeps > 0 and core.vector(keeps) or core.zeros(0, "bool")
end

-- Where the columns that the table names are equal to what stands there, or among it.
local function mask_of_values(t, wanted)
    local mask
    for _, name in ipairs(frame.ordered(wanted)) do
        if type(name) ~= "string" then
            fault("'filter': name of a column expected, got the %s %s", type(name), column.shown(name))
        end
        local x, value = object.column(t, name), wanted[name]
        local several = value ~= core.na and (column.is_list(value) or core.isarray(value))
        local one, wrong = column[several and "isin" or "eq"](x, value)
        if not one then
            fault("'filter': column '%s' %s", name, wrong)
        end
        mask = mask and mask & one or one
    end
    return mask or core.full(#t, true)
end

-- A mask of #t rows of what filter takes.
local function mask_of(t, x, k)
    if type(x) == "function" then
        return mask_of_function(t, x)
    elseif column.is_list(x) then
        return mask_of_values(t, x)
    elseif type(x) == "boolean" then
        fault("'filter': mask expected, got %s: '==' and '~=' of an array and a value compare no elements; "
            .. "t.x:eq(value) does", x)
    elseif type(x) ~= "string" and not core.isarray(x) then
        fault("'filter': mask, table {name = value} or function expected, got %s", records.kind_of(x))
    end
    x = object.column(t, x, "mask " .. k)
    if column.dtype(x) ~= "bool" then
        fault("'filter': mask %d is %s, not bool", k, column.dtype(x))
    end
    return x
end

-- t:filter(m, ...): the rows where all conditions hold.
function M.filter(t, ...)
    local mask
    for k = 1, math.max(select("#", ...), 1) do
        local one = mask_of(t, (select(k, ...)), k)
        mask = mask and mask & one or one
    end
    return M.keep(t, mask)
end

-- t:dropna([names]): the rows in which none of these columns is missing or NaN.
function M.dropna(t, ...)
    local mask
    for _, name in ipairs(object.names(t, ...)) do
        local gone = column.isna(frame.column(t, name))
        mask = mask and mask | gone or gone
    end
    return mask and M.keep(t, ~mask) or t:copy()
end

-- ---------------------------------------------------------------- order

-- The key that argument k of sort is, and whether it descends.
local function sort_key(t, x, k, opts)
    local descends = opts.descending
    if type(descends) == "table" then
        descends = descends[k]
    end
    if type(x) == "string" and x:sub(1, 1) == "-" and not t:has(x) then
        x, descends = x:sub(2), true
    end
    return object.column(t, x, "key " .. k), descends and true or nil
end

-- The keys of sort, a list of names being its names; `desc` behind a name is what others write.
local function sort_keys(t, given)
    local keys = {}
    for k = 1, given.n do
        local x = given[k]
        if x == nil then
            fault("'sort': name of a column, or an array, expected, got no value")
        end
        local names = column.is_list(x) and rawlen(x) > 0
        for _, name in ipairs(names and x or {}) do
            names = names and type(name) == "string" and (#x ~= #t or t:has(name) or t:has((name:gsub("^%-", ""))))
        end
        if type(x) == "string" and type(given[k - 1]) == "string" and x:lower():find "^desc" and not t:has(x) then
            fault("'sort': a minus sign before the name descends: t:sort \"-%s\"", given[k - 1])
        end
        table.move(names and x or { x }, 1, names and #x or 1, #keys + 1, keys)
    end
    return keys
end

-- Adds a key, or those of the elements of the fields of records, to a list of { key, descending }.
local function add_key(keys, key, descends)
    records.each_column("", key, function(_, array)
        keys[#keys + 1] = { array, descends }
    end)
end

-- t:sort(k1, "-k2", ... or {k1, "-k2"} [, {descending=, missing=}]): the rows in the order of keys; stable.
function M.sort(t, ...)
    local given, opts, keys = table.pack(...), {}, {}
    if column.is_list(given[given.n]) and rawlen(given[given.n]) == 0 and next(given[given.n]) ~= nil then
        opts = object.options(given[given.n], "sort", "descending missing")
        given.n = given.n - 1
    end
    if opts.missing ~= nil and opts.missing ~= "first" and opts.missing ~= "last" then
        fault("'sort': option 'missing': \"first\" or \"last\" expected, got %s", column.shown(opts.missing))
    elseif given.n == 0 then
        fault("'sort': name of a column, or an array, expected, got no value")
    end
    for k, key in ipairs(sort_keys(t, given)) do
        add_key(keys, sort_key(t, key, k, opts))
    end
    return M.take(t, ordering.by_keys(keys, opts.missing == "first" and "first" or nil))
end

-- ---------------------------------------------------------------- equal rows

-- The rows in groups by equal elements of columns, in the order of their first rows.
function M.grouped(t, names)
    local keys = {}
    for k, name in ipairs(names) do
        keys[k] = frame.column(t, name)
    end
    keys[#keys + 1] = { order = "first" }
    return group.group(table.unpack(keys))
end

-- t:unique([names, ...] [, {keep="first"|"last"|"none"}]): the rows that differ in these columns, in order.
function M.unique(t, ...)
    local given, keep = table.pack(...), "first"
    if column.is_list(given[given.n]) and rawlen(given[given.n]) == 0 then
        keep = object.options(given[given.n], "unique", "keep").keep or keep
        given.n = given.n - 1
    end
    if keep ~= "first" and keep ~= "last" and keep ~= "none" then
        fault("'unique': option 'keep': \"first\", \"last\" or \"none\" expected, got %s", column.shown(keep))
    end
    local names = object.names(t, table.unpack(given, 1, given.n))
    if #names == 0 or #t == 0 then
        return t:copy()
    end
    local g = M.grouped(t, names)
    local at = keep == "last" and g:last(core.index(#t)) or g:first(core.index(#t))
    if keep == "none" then
        at = at:compress(g:count():eq(1))
    end
    return M.take(t, keep == "last" and at:sort() or at)
end

return M
