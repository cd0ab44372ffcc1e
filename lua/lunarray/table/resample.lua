-- t:resample: groups by periods of time, of which none between the first and the last is left out.

local core = require "lunarray.core"
local column = require "lunarray.table.column"
local fault = require "lunarray.base.fault"
local frame = require "lunarray.show.frame"
local group = require "lunarray.table.group"
local object = require "lunarray.table.object"

local M = {}

local MOST <const> = 100000000 -- periods
local MONTHS <const> = { mo = 1, q = 3, y = 12 }

-- How many units there are from one array of period starts to another; f64.
local function units_between(a, b, unit)
    local count, name = unit:match "^(%d+)(%a+)$"
    local months = MONTHS[name]
    if months then
        return ((b:year() - a:year()) * 12 + b:month() - a:month()) / (months * tonumber(count))
    end
    local length = core.vector({ unit }, "duration"):cast "i64"[1]
    return (b:cast "timestamp":cast "f64" - a:cast "timestamp":cast "f64") / length
end

local function check_number(periods, name, unit)
    if periods > MOST then
        fault("'resample': '%s' spans %.0f periods of %s; at most %d are made", name, periods, unit, MOST)
    end
end

-- t:resample(time, unit [, {by=}]): the rows in groups by the periods that their times are in, of the rows that are
-- equal in the columns `by`.
function M.resample(t, time, unit, opts)
    opts = object.options(opts, "resample", "by")
    local x = object.column(t, time, "the array of times")
    local name = type(time) == "string" and time or "time"
    if column.dtype(x) ~= "date" and column.dtype(x) ~= "timestamp" then
        fault("'resample': '%s' is %s; dates or timestamps expected", name, column.dtype(x))
    elseif type(unit) ~= "string" then
        fault("'resample': unit such as \"1mo\" expected, got %s", core.internal.kind_of(unit))
    end
    local names = opts.by ~= nil and object.names(t, opts.by) or {}
    local start = x:truncate(unit):eval()
    local kept = start:notna():indices():eval()
    if #kept == 0 then
        local none = {}
        for k, one in ipairs(names) do
            none[k] = column.take(frame.column(t, one), kept)
        end
        names[#names + 1], none[#none + 1] = name, start:take(kept)
        return group.of_codes(t, names, none, kept, 0, kept)
    end
    start = core.internal.slots(start):take(kept):eval()
    local first, last = start:min(), start:max()
    local a, b = core.vector({ first }, x:dtype()), core.vector({ last }, x:dtype())
    check_number(units_between(a, b, unit)[1] + 1, name, unit)
    local starts = core.internal.time_range(x:dtype(), a, b, unit)
    local number = starts:searchsorted(start)
    local all = #kept == #t and nil or kept
    if #names == 0 then
        return group.of_codes(t, { name }, { starts }, number, #starts, all)
    end
    local keys = {}
    for k, one in ipairs(names) do
        keys[k] = column.take(frame.column(t, one), kept)
    end
    local g = group.group(table.unpack(keys))
    local from, to = core.eval(g:min(number), g:max(number))
    local lengths = to - from + 1
    check_number(lengths:sum(), name, unit)
    local before = core.scan("+", 0, { inclusive = false })(lengths)
    local of_key = core.index(#g):spread(lengths):eval()
    local columns = table.pack(g:keys())
    for k = 1, columns.n do
        columns[k] = column.take(columns[k], of_key)
    end
    names[#names + 1] = name
    columns[#names] = starts:take(core.index(#of_key) - before:take(of_key) + from:take(of_key) - 1)
    local code = before:take(g:codes()) + number - from:take(g:codes()) + 1
    return group.of_codes(t, names, columns, code, #of_key, all)
end

return M
