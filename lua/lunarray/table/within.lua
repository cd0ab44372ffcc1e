-- Values for each row out of the rows of its group, in their order: what was before, running sums, ranks. Rows that are
-- in no group have missing ones.

local core = require "lunarray.core"
local column = require "lunarray.table.column"
local dtypes = require "lunarray.base.dtypes"
local fault = require "lunarray.base.fault"
local group = require "lunarray.table.group"
local object = require "lunarray.table.object"

local internal = core.internal

local M = {}

-- ---------------------------------------------------------------- arguments

-- The column that a call names, for groups of a table or of arrays.
function M.column(s, x, call)
    if s.table and x ~= nil then
        return object.column(s.table, x, "an array of 'agg'")
    elseif x == nil then
        fault("'agg': '%s' takes a column", call)
    elseif type(x) == "string" then
        fault("'%s' takes a column, and got the text '%s'; t:group(\"k\") knows the columns of a table", call, x)
    end
    local made, length = column.from(x)
    if not made then
        fault("'%s': the column %s", call, length)
    elseif length ~= s.rows then
        fault("'%s': a column of %d elements, and groups of %d rows", call, length, s.rows)
    end
    return made
end

-- The same, of a function within groups, `call`.
local function given(s, x, call)
    if x == nil then
        fault("bad argument #1 to '%s' (name of a column, or an array, expected, got no value)", call)
    elseif s.table then
        return object.column(s.table, x, ("bad argument #1 to '%s': the array"):format(call))
    end
    return M.column(s, x, call)
end

local function whole(k, usual, call, least)
    k = k == nil and usual or k
    if math.type(k) ~= "integer" or k < (least or k) then
        fault("'%s': integer%s expected, got %s", call, least and (" from %d on"):format(least) or "", column.shown(k))
    end
    return k
end

-- ---------------------------------------------------------------- the order of groups

-- The rows that are in a group, those of a group side by side, in their order: order, their numbers; codes, the group
-- of each; first, of each the place of the first one of its group; starts and counts, by group; index, their places.
-- place: of each row of the table its place, 0 where it is in no group.
function M.arranged(s)
    local a = s.arranged
    if not a then
        local order, counts, starts = group.arranged(s.g)
        a = { order = order, counts = counts, starts = starts, index = core.index(#order) }
        a.codes = core.index(s.count):spread(counts):eval()
        a.first = #order > 0 and starts:take(a.codes) or a.codes
        a.place = (#order > 0 and core.full(s.rows, 0):put(order, a.index) or core.full(s.rows, 0)):eval()
        s.arranged = a
    end
    return a
end

-- Values at places, for each row.
function M.spread(s, values)
    return column.take(values, M.arranged(s).place, s.kept ~= nil)
end

-- The elements of a column at the rows that stand at `places`, at 0 missing, for each row.
local function moved(s, x, places)
    local rows = core.full(#places + 1, 0):put(M.arranged(s).index + 1, M.arranged(s).order):take(places + 1)
    return column.take(x, M.spread(s, rows):fillna(0), true)
end

-- Whether there is something before `a` of the same group: places of a's group from the first one on.
local function before(s, x, k)
    local a = M.arranged(s)
    local at = a.index - k
    local last = a.first + a.counts:take(a.codes) - 1
    return moved(s, x, core.where(at:ge(a.first) & at:le(last), at, 0))
end

-- g:shift(x [, k=1]): the element k rows before in the group, missing where there is none.
function M.shift(g, x, k)
    local s = group.state_of(g)
    k = whole(k, 1, "shift")
    x = given(s, x, "shift")
    if #M.arranged(s).order == 0 then
        return column.gap(x, s.rows)
    end
    return before(s, x, math.max(-s.rows, math.min(k, s.rows)))
end

-- A column of dates or numbers.
local function numbers(s, x, call, refuse_dates)
    x = given(s, x, call)
    local kind = core.isarray(x) and dtypes.by_name[x:dtype()].kind
    if not core.isarray(x) or kind == "text" or kind == "time" and refuse_dates then
        fault("'%s': numbers expected, got %s", call, column.dtype(x))
    end
    return x, kind
end

-- g:diff(x [, k=1]): the element less that k rows before.
function M.diff(g, x, k)
    local s = group.state_of(g)
    x = numbers(s, x, "diff")
    x = x:dtype() == "bool" and x:cast "i64" or x
    return x - M.shift(g, x, whole(k, 1, "diff"))
end

-- g:pct_change(x [, k=1]): the element over that k rows before, less 1.
function M.pct_change(g, x, k)
    local s = group.state_of(g)
    x = dtypes.floats((numbers(s, x, "pct_change", true)))
    return x / M.shift(g, x, whole(k, 1, "pct_change")) - 1
end

-- g:cumcount(): the number of each row in its group, from 1.
function M.cumcount(g)
    local s = group.state_of(g)
    local a = M.arranged(s)
    return M.spread(s, a.index - a.first + 1)
end

-- The last place up to each one where `there` holds, 0 where there is none.
function M.last_where(there)
    return core.where(there, core.index(#there), 0):scan("max", 0, { inclusive = true })
end

-- g:ffill(x [, limit]), g:bfill(x [, limit]): missing ones and NaN from the neighbour before, or behind, in the group.
local function filled(g, x, limit, call, back)
    local s = group.state_of(g)
    x = given(s, x, call)
    local a = M.arranged(s)
    local n = #a.order
    limit = limit ~= nil and whole(limit, nil, call, 0)
    if n == 0 then
        return column.gap(x, s.rows)
    end
    local there = ~column.isna(column.take(x, a.order))
    local from
    if back then
        from = n + 1 - M.last_where(there:sub { -1, 1, -1 }):sub { -1, 1, -1 }
        from = core.where(from:le(a.first + a.counts:take(a.codes) - 1), from, 0)
    else
        from = M.last_where(there)
        from = core.where(from:ge(a.first), from, 0)
    end
    if limit then
        from = core.where((from - a.index):abs():le(limit), from, 0)
    end
    return moved(s, x, core.where(from:eq(0), a.index, from))
end

function M.ffill(g, x, limit)
    return filled(g, x, limit, "ffill", false)
end

function M.bfill(g, x, limit)
    return filled(g, x, limit, "bfill", true)
end

-- ---------------------------------------------------------------- running results

-- The largest and the least element of a dtype.
local function ends_of(dtype)
    local row = dtypes.by_name[dtype]
    if row.kind == "float" then
        return math.huge, -math.huge
    elseif row.kind == "unsigned" then
        return row.bytes == 8 and -1 or (1 << 8 * row.bytes) - 1, 0
    end
    local most = row.bytes == 8 and math.maxinteger or (1 << 8 * row.bytes - 1) - 1
    return most, ~most
end

-- The integers of bools and dates, in which running results are computed.
local function as_integers(x, kind, call)
    local dtype = x:dtype()
    local extreme = call == "cummin" or call == "cummax"
    if kind == "time" and not (extreme or dtype == "duration" and call == "cumsum") then
        fault("'%s': numbers expected, got %s", call, dtype)
    elseif kind == "time" then
        return x:cast "i64", dtype
    elseif dtype == "bool" then
        return x:cast(extreme and "u8" or "i64"), extreme and dtype or nil
    end
    return x, nil
end

local RUNNING <const> = { cumsum = "+", cumprod = "*", cummin = "min", cummax = "max" }

-- g:cumsum(x) and the others: inclusive; missing elements stay and are passed over.
local function running(g, x, call)
    local s = group.state_of(g)
    local numbers_of, kind = numbers(s, x, call)
    local values, dtype = as_integers(numbers_of, kind, call)
    local least, most = ends_of(values:dtype())
    local id = call == "cumsum" and 0 or call == "cumprod" and 1 or call == "cummin" and least or most
    local there = internal.has_missing(values) and ~values:ismissing()
    if there then
        values = core.where(there, internal.slots(values), core.full(1, id, values:dtype()))
    end
    local result = g:scan(values, RUNNING[call], id)
    result = there and internal.with_missing(result, s.kept and g:codes():notna() & there or there) or result
    return dtype and result:cast(dtype) or result
end

for call in pairs(RUNNING) do
    M[call] = function(g, x)
        return running(g, x, call)
    end
end

-- ---------------------------------------------------------------- ranks

local METHODS <const> = { average = true, min = true, max = true, dense = true, first = true }

-- Where the element at a place, in the order of codes and elements, is another one than that at the place before.
function M.begins(key, codes)
    local n = #key
    local function differ(x, y)
        local ne = x:ne(y)
        return dtypes.is_float(x:dtype()) and ne & ~(x:isnan() & y:isnan()) or ne
    end
    local new = codes:sub(2, n):ne(codes:sub(1, n - 1))
    if internal.has_missing(key) then
        local gone = key:ismissing()
        new, key = new | (gone:sub(2, n) ~ gone:sub(1, n - 1)), internal.slots(key)
    end
    return core.concat { core.full(1, true), new | differ(key:sub(2, n), key:sub(1, n - 1)) }
end

-- Of runs that begin where `new` holds: of each place the number of its run, and where each run begins and ends.
function M.runs(new)
    local starts = new:indices():eval()
    return new:cast "i64":scan("+", 0, { inclusive = true }):eval(), starts,
        core.concat { starts:sub(2, -1) - 1, core.full(1, #new) }
end

-- The ranks at places, of elements of which those that begin a run of equal ones are marked.
local function places_of(a, new, method)
    if method == "first" then
        return a.index - a.first + 1
    end
    local run, starts, ends = M.runs(new)
    if method == "dense" then
        return run - run:take(a.first) + 1
    end
    local low, high = starts:take(run) - a.first + 1, ends:take(run) - a.first + 1
    return method == "min" and low or method == "max" and high or (low + high) / 2
end

-- g:rank(x [, {method="average", descending=}]): the place of each element in the order of its group, as a:rank.
function M.rank(g, x, opts)
    local s = group.state_of(g)
    x = given(s, x, "rank")
    opts = object.options(opts, "rank", "method descending")
    local method = opts.method == nil and "average" or opts.method
    if not METHODS[method] then
        fault("'rank': option 'method': average, min, max, dense or first expected, got %s", column.shown(method))
    end
    local a = M.arranged(s)
    if #a.order == 0 then
        return column.gap(core.zeros(0), s.rows)
    end
    local key = s.kept and column.take(x, s.kept) or x
    local by = key:argsort { descending = opts.descending and true or nil }
    local order = by:take(s.codes:take(by):argsort()):eval()
    local rank = places_of(a, M.begins(key:take(order):eval(), a.codes), method):cast "f64"
    local place = core.full(s.rows, 0):put(s.kept and s.kept:take(order) or order, a.index)
    rank = column.take(rank, place, s.kept ~= nil)
    local gone = column.ismissing(x)
    return core.where(gone, core.na, rank)
end

return M
