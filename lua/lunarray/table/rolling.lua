-- Windows of rows: g:rolling, of so many rows within each group, and t:rolling, by time, with the agg of its windows.
--
-- Invariant: `state` maps each object of t:rolling, weakly, to its table, its windows and the names and columns of its
-- keys; an entry is set when the object is made and never changes.

local core = require "lunarray.core"
local column = require "lunarray.table.column"
local dtypes = require "lunarray.base.dtypes"
local fault = require "lunarray.base.fault"
local frame = require "lunarray.show.frame"
local group = require "lunarray.table.group"
local grouped = require "lunarray.table.grouped"
local object = require "lunarray.table.object"
local windows = require "lunarray.table.windows"
local within = require "lunarray.table.within"

local M = {}

local OPTIONS <const> = "center ddof min q skipnan"

-- The second column and the options of a function of windows of so many rows: fails with `raise`(argument, text, ...).
function M.options(f, y, opts, call)
    if opts == nil and column.is_list(y) and not windows.takes_two[f] then
        y, opts = nil, y
    end
    opts = object.options(opts, call, OPTIONS)
    if (y ~= nil) ~= (windows.takes_two[f] == true) then
        fault("'%s': '%s' takes %s", call, f, y == nil and "another array" or "one array")
    elseif opts.min ~= nil and not (math.type(opts.min) == "integer" and opts.min >= 0) then
        fault("'%s': option 'min': integer from 0 on expected, got %s", call, column.shown(opts.min))
    elseif opts.ddof ~= nil and not (math.type(opts.ddof) and opts.ddof >= 0) then
        fault("'%s': option 'ddof': number from 0 on expected, got %s", call, column.shown(opts.ddof))
    end
    return y, opts
end

-- The number of rows of a window.
function M.width(width, call)
    return math.type(width) == "integer" and width >= 1 and width
        or fault("'%s': number of rows from 1 on expected, got %s", call, column.shown(width))
end

-- What a function gives of windows of `width` places of x, between places `first` and `last`.
function M.fixed(x, y, width, f, opts, first, last)
    local n = x:size()
    local w = windows.fixed(n, math.min(width, 2 * n + 1), first, last, opts.center)
    w.least = opts.min or f ~= "count" and width or nil
    return windows.aggregate(w, f, x, y, opts)
end

-- g:rolling(x, w, f [, y] [, opts]): f of the w rows of the group up to each one.
function M.within(g, x, width, f, y, opts)
    local s = group.state_of(g)
    x, width, f = within.column(s, x, "rolling"), M.width(width, "rolling"), windows.check(f, "rolling")
    y, opts = M.options(f, y, opts, "rolling")
    local a = within.arranged(s)
    x = column.take(x, a.order)
    y = y ~= nil and column.take(within.column(s, y, "rolling"), a.order) or nil
    local last = #a.order > 0 and a.first + a.counts:take(a.codes) - 1 or a.first
    return within.spread(s, M.fixed(x, y, width, f, opts, a.first, last))
end

-- ---------------------------------------------------------------- windows by time

local rolling = {}
local type_of_rolling = { __index = rolling, __name = "rolling", __metatable = "rolling" }
local state = setmetatable({}, { __mode = "k" })

-- What ends the windows of these times before their first elements: times less the width.
local function bounds_of(time, width)
    if column.is_number(time) then
        if not (math.type(width) and width > 0) then
            fault("'rolling': number from 0 on expected as the width of windows, got %s", column.shown(width))
        end
        return time, time - width
    elseif type(width) ~= "string" or not width:find "^%d*[1-9]%d*%a+$" then
        fault("'rolling': unit such as \"7d\" expected as the width of windows, got %s", column.shown(width))
    elseif time:dtype() == "duration" then
        return time:cast "i64", time:cast "i64" - core.vector({ width }, "duration"):cast "i64"
    end
    time = time:cast "timestamp"
    return time:cast "i64", core.internal.time_add(time, "-" .. width):cast "i64"
end

-- The first place from first[k] up to k whose time is after bound[k].
local function first_after(time, bound, first)
    return core.generate(#time, function(k)
        local l, r, b = first[k], k, bound[k]
        while l < r do
            local m = (l + r) // 2
            if time[m] > b then
                r = m
            else
                l = m + 1
            end
        end
        return l
    end)
end

-- The rows that have a time, in groups and in the order of times; the windows of each; the place of each row, or 0.
local function windows_of(t, time, width, by)
    local rows, times, bounds = #t, bounds_of(time, width)
    local there = ~time:isna()
    local order = there:indices()
    order = order:take(time:take(order):argsort())
    local codes = core.full(rows, 1)
    if #by > 0 then
        codes = group.group(table.unpack(by)):codes()
        order = order:take(codes:take(order):argsort())
    end
    order = order:eval()
    if #order == 0 then
        return { low = order, high = order, rows = order }, core.full(rows, 0)
    end
    local function at(a)
        return core.internal.slots(a):take(order)
    end
    times, bounds, codes = core.eval(at(times), at(bounds), codes:take(order))
    local first = within.last_where(core.concat { core.full(1, true), codes:sub(2, -1):ne(codes:sub(1, -2)) })
    local run, _, ends = within.runs(within.begins(times, codes))
    local low = first_after(times, bounds, first:eval()):eval()
    return { low = low, high = ends:take(run):eval(), rows = order }, core.full(rows, 0):put(order, core.index(#order))
end

-- t:rolling(time, width [, {by=}]): the windows of rows up to `width` before each row's time.
function M.rolling(t, time, width, opts)
    opts = object.options(opts, "rolling", "by")
    local x = object.column(t, time, "the array of times")
    local name = type(time) == "string" and time or "time"
    if not core.isarray(x) or not column.is_number(x) and dtypes.by_name[x:dtype()].kind ~= "time" then
        fault("'rolling': '%s' is %s; times or numbers expected", name, column.dtype(x))
    end
    local names, by = opts.by ~= nil and object.names(t, opts.by) or {}, {}
    for k, one in ipairs(names) do
        by[k] = frame.column(t, one)
    end
    local w, place = windows_of(t, x, width, by)
    names[#names + 1], by[#by + 1] = name, x
    local r = setmetatable({}, type_of_rolling)
    state[r] = { table = t, windows = w, place = place, names = names, keys = by }
    return r
end

function type_of_rolling.__tostring(r)
    return ("windows of %d rows"):format(#state[r].table)
end

-- f(array of the window's elements), a call for each window.
local function by_function(w, x, f)
    local low, high, out = w.low:totable(), w.high:totable(), {}
    for k = 1, #low do
        local result = f(x:sub(low[k], high[k]):copy())
        out[k] = result == nil and core.na or result
    end
    local made, wrong = column.from(out)
    return made or fault("'agg': the result of the function %s", wrong)
end

-- An element for each window of what a spec says: a function, a column, and what it takes besides.
local function aggregate(s, f, x, ...)
    local w = s.windows
    if f == "count" and x == nil then
        return w.high - w.low + 1
    elseif x == nil then
        fault("'agg': '%s' takes a column", column.shown(f))
    end
    local function taken(name)
        return column.take(object.column(s.table, name, "an array of 'agg'"), w.rows)
    end
    if type(f) == "function" then
        return by_function(w, taken(x), f)
    end
    windows.check(f, "agg")
    local more, opts = ...
    if f == "quantile" then
        opts = object.options(opts, "agg", "skipnan")
        return windows.aggregate(w, f, taken(x), nil, { q = more, skipnan = opts.skipnan })
    elseif windows.takes_two[f] then
        return windows.aggregate(w, f, taken(x), taken(more), object.options(opts, "agg", "skipnan"))
    end
    return windows.aggregate(w, f, taken(x), nil, object.options(more, "agg", "ddof skipnan"))
end

-- The table of the keys and times, and of what a function of windows gives of each row's.
function rolling.agg(r, spec)
    local s = state[r] or fault("bad argument #1 to 'agg' (windows of rows expected, got %s)", core.internal.kind_of(r))
    return grouped.table_of(s.names, s.keys, #s.table, spec, function(...)
        return column.take(aggregate(s, ...), s.place, true)
    end)
end

return M
