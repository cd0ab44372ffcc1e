-- Methods of dates, timestamps and durations.

local call = require "lunarray.names.call"
local core = require "lunarray.core"
local dtypes = require "lunarray.base.dtypes"

local rows, row = call.rows "Dates"
local bad, internal = call.bad, core.internal

local DATES = 'lun.vector({"2024-02-29", "1969-12-31"}, "date")'
local STAMP = 'lun.vector({"2024-02-29 10:15:30.25"}, "timestamp")'
local SPAN = 'lun.vector({"1d 2h", "90"}, "duration")'

local function kind_of(dtype)
    local row_of = dtypes.by_name[dtype]
    return row_of and row_of.kind
end

-- An array of one of these dtypes, or of one of some.
local function times(a, argument, ...)
    call.array(a, argument)
    local dtype, wanted = a:dtype(), { ... }
    for _, name in ipairs(wanted) do
        if name == dtype then
            return a
        end
    end
    if #wanted > 0 or kind_of(dtype) ~= "time" then
        bad(argument, "%s expected, got %s", #wanted > 0 and table.concat(wanted, " or ")
            or "date, timestamp or duration", call.described(a))
    end
    return a
end

local function unit(x, argument)
    if type(x) ~= "string" then
        bad(argument, 'unit such as "1d" expected, got %s', internal.kind_of(x))
    end
    return x
end

-- ---------------------------------------------------------------- parts

for _, field in ipairs {
    { "year", "the year", "{2024, 1969}" },
    { "month", "the month, from 1", "{2, 12}" },
    { "day", "the day of the month, from 1", "{29, 31}" },
    { "weekday", "the day of the week, 1: Monday", "{4, 3}" },
    { "yearday", "the day of the year, from 1", "{60, 365}" },
    { "quarter", "the quarter of the year, from 1", "{1, 4}" },
    { "week", "the week by ISO 8601, from 1", "{9, 1}" },
    { "isoyear", "the year that the week by ISO 8601 belongs to", "{2024, 1970}" },
} do
    row(field[1], ("a:%s()"):format(field[1]), field[2] .. ", i64", ("%s:%s()"):format(DATES, field[1]), field[3],
        function(a)
            return internal.time_field(times(a, 1, "date", "timestamp"), field[1])
        end)
end

for _, field in ipairs {
    { "hour", "{10}" }, { "minute", "{15}" }, { "second", "{30}" }, { "microsecond", "{250000}" },
} do
    row(field[1], ("a:%s()"):format(field[1]), ("the %s, i64"):format(field[1]),
        ("%s:%s()"):format(STAMP, field[1]), field[2],
        function(a)
            return internal.time_field(times(a, 1, "timestamp"), field[1])
        end)
end

row("date", "a:date()", "the dates of timestamps", STAMP .. ":date()", "{'2024-02-29'}",
    function(a) return internal.time_cast(times(a, 1, "timestamp", "date"), "date") end)

row("time", "a:time()", "the durations since midnight of timestamps", STAMP .. ":time()", "{36930.25}",
    function(a) return internal.time_of_day(times(a, 1, "timestamp")) end)

row("seconds", "a:seconds()", "durations as f64", SPAN .. ":seconds()", "{93600.0, 90.0}",
    function(a) return internal.time_cast(times(a, 1, "duration"), "f64") / 1e6 end)

-- ---------------------------------------------------------------- units

row("truncate", "a:truncate(unit)",
    'the starts of the units that elements are in: "1d", "1w" from Monday on, "1mo", "3mo", "1q", "1y", "1h", "15m"',
    DATES .. ':truncate "1mo"', "{'2024-02-01', '1969-12-01'}",
    function(a, u) return internal.time_truncate(times(a, 1), unit(u, 2)) end)

row("add", "a:add(unit)", 'a step by the calendar, "1mo" or "-2d"; months end on their last day at most',
    'lun.vector({"2024-01-31"}, "date"):add "1mo"', "{'2024-02-29'}",
    function(a, u)
        if type(u) ~= "string" or a:dtype() == "duration" then
            return a + u
        end
        return internal.time_add(times(a, 1, "date", "timestamp"), unit(u, 2))
    end)

-- ---------------------------------------------------------------- zones

local SECOND <const> = 1000000

-- The offsets of a zone at seconds, since 1970-01-01, of UTC, or of its own clock.
local function offsets(zone, seconds, own)
    local before, at, all = zone.first, {}, { zone.first }
    for k, change in ipairs(zone.at) do
        local offset = zone.offset[k]
        -- By its own clock the offset before holds until both are past, in the hour that is there twice and in the gap.
        at[k] = own and math.max(change + math.max(before, offset), at[k - 1] or math.mininteger) or change
        before, all[k + 1] = offset, offset
    end
    local ends = zone.ends and zone.ends + (own and before or 0)
    if ends then
        local period = require("lunarray.format.zone").period
        seconds = core.where(seconds:ge(ends), ends - period + (seconds - ends) % period, seconds)
    end
    local number = core.vector(at, "i64"):searchsorted(seconds, { side = "right" })
    return core.vector(all, "i64"):take(number)
end

row("zone", "a:zone(from, to)",
    'timestamps by the clock of one zone, "UTC" or such as "Europe/Berlin", as those of another, out of the system\'s '
        .. "zone files;\na time that is there twice is read as the first, one that is not there is moved forward by "
        .. "the gap; nil, message\nwhere there is no such zone",
    STAMP .. ':zone("UTC", "UTC"):hour()', "{10}",
    function(a, from, to)
        times(a, 1, "timestamp")
        local zones = {}
        for k, name in ipairs { from or false, to or false } do
            if type(name) ~= "string" or not ("/" .. name):find "^[/%w_+-]+$" or ("/" .. name .. "/"):find "//" then
                bad(k + 1, "zone such as \"Europe/Berlin\" expected, got %s", type(name) == "string" and name
                    or internal.kind_of(name or nil))
            end
            local zone, wrong = require("lunarray.format.zone").read(name)
            if not zone then
                return nil, wrong
            end
            zones[k] = zone
        end
        local numbers = internal.time_cast(a, "i64")
        local there = internal.has_missing(numbers) and numbers:ismissing():lnot()
        local us = there and internal.slots(numbers) or numbers
        local utc = us - offsets(zones[1], us // SECOND, true) * SECOND
        local wall = utc + offsets(zones[2], utc // SECOND, false) * SECOND
        return internal.time_cast(there and internal.with_missing(wall, there) or wall, "timestamp")
    end)

-- ---------------------------------------------------------------- texts and numbers

row("format", "a:format(f)", "dates or timestamps as texts: %Y %m %d %j %H %I %M %S %f %p %y %b %B %a %A %%",
    DATES .. ':format "%d.%m.%Y"', "{'29.02.2024', '31.12.1969'}",
    function(a, form)
        if type(form) ~= "string" then
            bad(2, "format such as \"%%d.%%m.%%Y\" expected, got %s", internal.kind_of(form))
        elseif form:find("\0", 1, true) then
            bad(2, "the format has a NUL")
        end
        return internal.time_texts(times(a, 1, "date", "timestamp"), form)
    end)

-- The dates of texts or integers, or the numbers of dates.
local function cast(a, dtype, options)
    local from = a:dtype()
    if from == "text" then
        return internal.time_parse(a, dtype, options.format, options.errors == "missing")
    elseif dtype == "text" then
        return internal.time_texts(a, options.format)
    end
    return internal.time_cast(a, dtype, options.unit)
end

-- a:cast(dtype, options) where one of both is a date, timestamp or duration.
function rows.converted(a, dtype, options)
    call.array(a, 1)
    local from = a:dtype()
    options = call.options(options, 3, "format errors unit")
    if options.errors then
        call.word(options.errors, 3, "raise missing", "option errors")
    end
    if options.unit ~= nil then
        call.word(options.unit, 3, "s ms us ns", "option unit")
    end
    if options.format ~= nil and type(options.format) ~= "string" then
        bad(3, "option format: string expected, got %s", internal.kind_of(options.format))
    elseif options.format and options.format:find("\0", 1, true) then
        bad(3, "option format has a NUL")
    end
    local text = from == "text" or dtype == "text"
    if options.unit and (text or kind_of(from) == "time") then
        bad(3, "option unit is of integers")
    elseif (options.format or options.errors) and not text then
        bad(3, "options format and errors are of texts")
    end
    return cast(a, dtype, options)
end

row("cast", 'a:cast(dtype [, {format=, errors="raise", unit=}])',
    "dates, timestamps or durations of texts, by a format, or of integers: days, microseconds, or of the unit s, ms,\n"
    .. "us or ns; and days, microseconds or texts of them",
    'lun.vector{"29.02.2024"}:cast("date", {format="%d.%m.%Y"})', "{'2024-02-29'}",
    rows.converted)

row("isin", "a:isin(list)", "where elements are among those of a list of texts, or an array",
    DATES .. ':isin{"2024-02-29"}', "{true, false}",
    function(a, list)
        times(a, 1)
        if type(list) ~= "table" and not core.isarray(list) then
            bad(2, "list or array expected, got %s", internal.kind_of(list))
        end
        local gaps = false
        if not core.isarray(list) then
            local there = {}
            for _, x in ipairs(list) do
                gaps = gaps or x == core.na
                there[#there + 1] = x ~= core.na and x or nil
            end
            list = core.vector(there, a:dtype())
        else
            gaps, list = list:ismissing():any(), list:dropna()
        end
        local found = core.full({ a:shape() }, false)
        if #list > 0 then
            local sorted = list:unique()
            local flat = a:flatten()
            local at = sorted:searchsorted(flat:dropna())
            at = core.where(at:gt(#sorted), #sorted, at)
            local hit = sorted:take(at):eq(flat:dropna())
            found = core.full(a:size(), false)
            found:put(flat:ismissing():lnot():indices(), hit)
            found = found:reshape { a:shape() }
        end
        return gaps and found:lor(a:ismissing()) or found
    end)

-- ---------------------------------------------------------------- reduced, counted

-- The integer of an element of a's dtype, or of a text.
local function integer_of(a, x, argument)
    local dtype = a:dtype()
    local usable, made = pcall(function()
        return internal.time_cast(core.isarray(x) and x or core.vector({ x }, dtype), "i64")[1]
    end)
    if not usable or not made or core.isarray(x) and x:dtype() ~= dtype then
        bad(argument, "%s expected, got %s", dtype, type(x) == "string" and x or internal.kind_of(x))
    end
    return made
end

-- What an operation that gives elements gives of the integers, which a function sees.
local function along(a, name, f, id, ...)
    local dtype = times(a, 1):dtype()
    if f ~= "min" and f ~= "max" and not (f == "+" and dtype == "duration") and type(f) ~= "function" then
        bad(2, "%sor function expected, got %s", dtype == "duration" and '"+", "min", "max" ' or '"min", "max" ',
            type(f) == "string" and f or internal.kind_of(f))
    end
    local numbers = internal.time_cast(a, "i64")
    if name == "reduce" and (...) == nil and internal.has_missing(numbers) then
        numbers = internal.slots(numbers:flatten():dropna())
    end
    return internal.time_cast(numbers[name](numbers, f, id ~= nil and integer_of(a, id, 3) or nil, ...), dtype)
end

row("reduce", "a:reduce(f [, id [, {axis=}]])",
    'the least or latest of dates, timestamps or durations, "min" or "max", of durations also "+"; a function sees '
        .. "integers",
    DATES .. ':reduce("max")', "'2024-02-29'",
    function(a, f, id, options) return along(a, "reduce", f, id, options) end)

row("scan", "a:scan(f [, id [, {inclusive=, axis=}]])", "the running results of a:reduce(f)",
    DATES .. ':scan("max", nil, {inclusive = true})', "{'2024-02-29', '2024-02-29'}",
    function(a, f, id, options) return along(a, "scan", f, id, options) end)

row("clip", "a:clip(lo, hi)", "lo where a is before it, hi where it is behind; nil: no limit",
    DATES .. ':clip("2000-01-01", nil)', "{'2024-02-29', '2000-01-01'}",
    function(a, lo, hi)
        times(a, 1)
        a = lo ~= nil and core.max(a, lo) or a
        return hi ~= nil and core.min(a, hi) or a
    end)

-- Edges of n bins, as integers: from the first element to the last, or of a range, rounded down.
local function even_edges(a, n, range)
    local low, high
    if range ~= nil then
        if type(range) ~= "table" or #range ~= 2 then
            bad(3, "option range: list of two elements expected, got %s", internal.kind_of(range))
        end
        low, high = integer_of(a, range[1], 3), integer_of(a, range[2], 3)
    else
        local numbers = internal.time_cast(a, "i64")
        low, high = numbers:min(), numbers:max()
        if not low then
            bad(1, "no element is there, and no range is given")
        end
    end
    if high < low then
        bad(3, "option range: it ends before it begins")
    end
    local i, span = core.index(n + 1) - 1, math.max(high - low, 1)
    return i * (span // n) + i * (span % n) // n + low
end

row("histogram", "a:histogram([bins=10] [, {range=, weights=}])",
    "counts of the elements in bins, and their edges: bins of one size, rounded down, or a list of edges; the last bin "
        .. "has\nits upper edge; with weights sums, edges and counts",
    DATES .. ':histogram{"1960-01-01", "2000-01-01", "2030-01-01"}',
    "{1, 1}, {'1960-01-01', '2000-01-01', '2030-01-01'}",
    function(a, bins, options)
        local dtype = times(a, 1):dtype()
        if type(bins) == "table" and not core.isarray(bins) and options == nil and #bins == 0 then
            bins, options = nil, bins
        end
        options = call.options(options, 3, "range weights")
        local edges
        if type(bins) == "table" and not core.isarray(bins) then
            bins = core.vector(bins, dtype)
        end
        if core.isarray(bins) then
            edges = internal.time_cast(times(bins, 2, dtype), "i64")
        else
            edges = even_edges(a, bins == nil and 10 or call.whole(bins, 2, 1, nil, "number of bins"), options.range)
        end
        local first = edges[1] or 0
        local counts, _, others = (internal.time_cast(a, "i64") - first):histogram(edges - first,
            options.weights ~= nil and { weights = options.weights } or nil)
        edges = internal.time_cast(edges, dtype)
        if others then
            return counts, edges, others
        end
        return counts, edges
    end)

row("describe", "a:describe()", "a table: count, mean, min, q25, median, q75, max, of the elements that are there",
    DATES .. ":describe().max", "'2024-02-29'",
    function(a)
        a = times(a, 1):flatten():dropna()
        if #a == 0 then
            bad(1, "no element to describe")
        end
        local q = a:quantile { 0.25, 0.5, 0.75 }
        return { count = #a, mean = a:mean(), min = a:min(), q25 = q[1], median = q[2], q75 = q[3], max = a:max() }
    end)

-- ---------------------------------------------------------------- making

local US <const> = {
    us = 1, ms = 1000, s = 1000000, m = 60000000, h = 3600000000, d = 86400000000, w = 604800000000,
}

row("duration", "lun.duration(x [, unit])",
    'durations of texts such as "1d 2h30m", or of numbers of a unit: "s", or us, ms, m, h, d, w; of one also one',
    'lun.duration({1.5, 2}, "m")', "{90.0, 120.0}",
    function(x, units)
        if units ~= nil and not US[units] then
            bad(2, "unit us, ms, s, m, h, d or w expected, got %s", tostring(units))
        elseif type(x) == "string" or type(x) == "number" then
            x = { x }
        end
        x = core.isarray(x) and x or core.vector(x)
        local kind = kind_of(x:dtype())
        if (kind == "text" or kind == "time") and units then
            bad(2, "a unit is of numbers")
        elseif kind == "text" then
            return internal.time_parse(x, "duration", nil, false)
        elseif x:dtype() == "duration" then
            return x
        elseif kind == "float" then
            x = (x:cast "f64" * US[units or "s"]):round()
            return core.where(x:isfinite(), x:cast "i64":cast "duration", core.na)
        elseif kind ~= "signed" and kind ~= "unsigned" then
            bad(1, "numbers or texts expected, got %s", call.described(x))
        end
        return (x:cast "i64" * US[units or "s"]):cast "duration"
    end)

-- Whether what begins, ends or steps a range has a time.
local function has_time(x)
    if core.isarray(x) then
        return x:dtype() == "timestamp"
    end
    return x:find "^%-?%d+[hmsu]s?$" or x:find "^%d%d%d%d%-%d%d%-%d%d."
end

row("range", 'lun.date.range(a, b [, step="1d"])',
    "dates from a to b, b included, by a unit; timestamps if one of them has a time; months are counted from a",
    'lun.date.range("2024-01-31", "2024-03-31", "1mo")', "{'2024-01-31', '2024-02-29', '2024-03-31'}",
    function(a, b, step)
        step = step == nil and "1d" or unit(step, 3)
        for i, x in ipairs { a, b } do
            if core.isarray(x) then
                times(x, i, "date", "timestamp")
            elseif type(x) ~= "string" then
                bad(i, "text or date expected, got %s", internal.kind_of(x))
            end
        end
        local dtype = (has_time(a) or has_time(b) or has_time(step)) and "timestamp" or "date"
        return internal.time_range(dtype, a, b, step)
    end)

return rows
