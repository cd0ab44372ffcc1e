-- Dates, timestamps and durations against Python's datetime: datetime.csv has years 1 to 9999, leap days, ends of months
-- and years, and 500 random days, each with a time of day, its parts, and what is a month later and a year before: the
-- same day, or the last one of its month.

local lun = require "lunarray"
local expect = require "expect"

local NA = lun.na

-- The columns of datetime.csv by name: numbers where all fields are.
local function values()
    local names, columns = {}, {}
    for line in io.lines "tests/spec/time/datetime.csv" do
        local k = 0
        for field in (line .. ","):gmatch "([^,]*)," do
            k = k + 1
            if not names[k] or #columns == 0 and not columns[names[1]] then
                names[k] = field
            else
                columns[names[k]][#columns[names[k]] + 1] = math.tointeger(field) or field
            end
        end
        for _, name in ipairs(names) do
            columns[name] = columns[name] or {}
        end
    end
    return columns
end

local V = values()

local function fails(text, f, ...)
    local ok, e = pcall(f, ...)
    assert.is_false(ok)
    assert.truthy(tostring(e):find(text, 1, true), tostring(e))
end

local function dates(list)
    return lun.vector(list, "date")
end

local function stamps(list)
    return lun.vector(list, "timestamp")
end

local function spans(list)
    return lun.vector(list, "duration")
end

local function on_backends(f)
    local before = lun.use()
    for _, name in ipairs(lun.backends()) do
        lun.use(name)
        f()
    end
    lun.use(before)
end

-- Empty fields of a column as lun.na.
local function with_gaps(list)
    local result = {}
    for i, x in ipairs(list) do
        result[i] = x ~= "" and x or NA
    end
    return result
end

describe("dates", function()
    it("are read, written and taken apart as Python does", function()
        on_backends(function()
            local d = dates(V.date)
            assert.equal("date", d:dtype())
            assert.same(V.date, d:totable())
            assert.same(V.days, d:cast("i64"):totable())
            assert.same(V.date, lun.vector(V.days):cast("date"):totable())
            assert.same(V.date, d:cast("text"):totable())
            for _, part in ipairs { "year", "month", "day", "weekday", "yearday", "quarter", "week", "isoyear" } do
                assert.same(V[part], d[part](d):totable())
                assert.equal("i64", d[part](d):dtype())
            end
        end)
    end)

    it("step by the calendar and truncate", function()
        on_backends(function()
            local d = dates(V.date)
            assert.same(with_gaps(V.month_later), lun.where(d:lt "9999-12-01", d:add "1mo", NA):totable())
            assert.same(with_gaps(V.year_before), lun.where(d:ge "0002-01-01", d:add "-1y", NA):totable())
            assert.same(V.quarter_start, d:truncate("1q"):totable())
            assert.same(V.quarter_start, d:truncate("3mo"):totable())
            assert.same(V.week_start, d:truncate("1w"):totable())
            local firsts = {}
            for i, text in ipairs(V.date) do
                firsts[i] = text:sub(1, 8) .. "01"
            end
            assert.same(firsts, d:truncate("1mo"):totable())
            assert.same(firsts, d:cast("timestamp"):truncate("1mo"):date():totable())
            assert.same({ "2023-02-28" }, dates({ "2024-02-29" }):add("-1y"):totable())
            assert.same({ "2024-02-29" }, dates({ "2024-01-31" }):add("1mo"):totable())
            assert.same({ "2024-01-01" }, dates({ "2024-01-03" }):truncate("7d"):add("4d"):totable())
        end)
    end)

    it("are there for every i32", function()
        local d = lun.vector({ -2147483648, 2147483647 }, "i32"):cast "date"
        assert.same({ "-5877641-06-23", "5881580-07-11" }, d:totable())
        assert.same({ -5877641, 5881580 }, d:year():totable())
    end)

    it("are elements", function()
        local d = dates { "2024-01-05", NA, "1969-12-31" }
        assert.equal("2024-01-05", d[1])
        assert.is_nil(d[2])
        assert.equal("1969-12-31", d[-1])
        d[2] = "2000-02-29"
        d[1] = NA
        assert.same({ NA, "2000-02-29", "1969-12-31" }, d:totable())
        d[3] = d:sub(2, 2)
        assert.same({ NA, "2000-02-29", "2000-02-29" }, d:totable())
        d:fill "1999-01-01"
        assert.same({ "1999-01-01", "1999-01-01", "1999-01-01" }, d:totable())
        d:set(dates { "2001-01-01", NA, "2001-01-03" })
        local list = {}
        for i, x in d:iter() do
            list[i] = x or "none"
        end
        assert.same({ "2001-01-01", "none", "2001-01-03" }, list)
        assert.equal("2001-01-01", d:sub(1, 1):value())
        fails("'2023-02-29' is no date such as", function() d[1] = "2023-02-29" end)
        fails('text such as "2024-01-31" expected, got number', function() d[1] = 5 end)
        assert.truthy(tostring(d):find("[2001-01-01       <NA> 2001-01-03]", 1, true), tostring(d))
        assert.truthy(tostring(d):find "^Vector<date>%[3%] ")
        assert.truthy(tostring(lun.table { d = d, x = { 1, 2, 3 } }):find "2001%-01%-03")
        assert.same({ "2024-01-05" }, { dates({ "2024-01-05" })[1] })
        assert.same({ { "2024-01-05", NA }, { "2024-01-06", "2024-01-07" } },
            dates({ { "2024-01-05", NA }, { "2024-01-06", "2024-01-07" } }):totable())
        assert.same({}, dates({}):totable())
    end)

    it("refuse texts that are none, with the row", function()
        fails("row 3: '2023-02-29' is no date of the form %Y-%m-%d", dates, { "2024-01-05", "2023-03-01", "2023-02-29" })
        for _, s in ipairs { "", "0000-01-01", "10000-01-01", "2024-1-5", "2024-13-01", "2024-00-10", "2024-04-31", "2024-01-00",
            "2024-01-05 ", "20240105", "2024-01-05x", "2024-01-05 10:00", "-001-01-01", "1900-02-29", "2100-02-29", "+024-01-01" } do
            local good = s == "2024-01-05 " -- blanks around are allowed
            if good then
                assert.same({ "2024-01-05" }, dates({ s }):totable())
            else
                fails("row 2: ", dates, { "2024-01-05", s })
            end
        end
        for _, s in ipairs { "2024-01-05 24:00", "2024-01-05 10:60", "2024-01-05 10:00:60", "2024-01-05 1:00", "2024-01-05 10",
            "2024-01-05T", "2024-01-05 10:00:00.", "2024-01-05 10:00:00.1234567", "2024-01-05 10:00+15:00",
            "2024-01-05 10:00+02:60", "2024-01-05  10:00" } do
            fails("row 1: ", stamps, { s })
        end
        fails("t[1] is a number; elements of date are texts; integers are cast", dates, { 1 })
        assert.same({ "2024-01-05", NA }, lun.vector({ "2024-01-05", "x" }):cast("date", { errors = "missing" }):totable())
        assert.same({ NA }, lun.vector({ "x" }):cast("date", { errors = "missing" }):totable())
        fails("row 2: 'x' is no date", function() return lun.vector({ NA, "x" }):cast "date" end)
        -- a text that no row has any more
        assert.same({ "2024-01-05" }, lun.vector({ "x", "2024-01-05" }):sub(2):cast("date"):totable())
    end)

    it("are reduced, scanned, limited, counted in bins and described", function()
        local d = lun.vector({ "2024-01-01", NA, "2024-03-05", "2024-01-01", "2024-02-01" }, "date")
        expect.everywhere(function()
            assert.equal("2024-03-05", d:reduce("max")[1])
            assert.equal("2023-12-31", d:reduce("min", "2023-12-31")[1])
            assert.equal("2024-03-05", d:reduce(function(x, y) return x > y and x or y end, "1970-01-01")[1])
            assert.equal(3.0, lun.vector({ "1s", "2s" }, "duration"):reduce("+")[1])
            assert.same({ "2024-01-01", NA, "2024-03-05", "2024-03-05", "2024-03-05" },
                expect.list(d:scan("max", nil, { inclusive = true })))
            assert.same({ "2024-01-15", NA, "2024-02-15", "2024-01-15", "2024-02-01" }, expect.list(d:clip("2024-01-15", "2024-02-15")))
            local counts, edges = d:histogram(3)
            assert.same({ 2, 1, 1 }, counts:totable())
            assert.same({ "2024-01-01", "2024-01-22", "2024-02-12", "2024-03-05" }, edges:totable())
            counts, edges = d:cast("timestamp"):histogram(2, { range = { "2024-01-01", "2024-02-01 12:00" } })
            assert.same({ 2, 1 }, counts:totable())
            assert.equal("2024-01-16 18:00:00", edges[2])
            assert.same({ 2, 2 }, d:histogram { "2024-01-01", "2024-02-01", "2024-04-01" }:totable())
            local sums, _, there = d:histogram({ "2024-01-01", "2024-02-01", "2024-04-01" }, { weights = lun.index(5) })
            assert.same({ 5.0, 8.0 }, sums:totable())
            assert.same({ 2, 2 }, there:totable())
            local codes, levels = lun.factor(d)
            assert.same({ 1, 0, 3, 1, 2 }, codes:totable())
            assert.same({ "2024-01-01", "2024-02-01", "2024-03-05" }, levels:totable())
            assert.same({ count = 4, mean = "2024-01-24", min = "2024-01-01", q25 = "2024-01-01", median = "2024-01-16",
                q75 = "2024-02-09", max = "2024-03-05" }, d:describe())
        end)
        local codes, levels = lun.factor(lun.vector { 5, NA, 2, 5 })
        assert.same({ 2, 0, 1, 2 }, codes:totable())
        assert.same({ 2, 5 }, levels:totable())
        assert.equal(2, lun.vector({ 1, 2, NA }):describe().count)
        fails("\"min\", \"max\" or function expected, got +", function() return d:reduce "+" end)
        fails("date expected, got number", function() return d:reduce("min", 5) end)
        fails("date expected, got soon", function() return d:reduce("min", "soon") end)
        fails("0: at least 1 expected", function() return d:histogram(0) end)
        fails("'x' is no date", function() return d:histogram { "x", "y" } end)
        fails("date expected, got number", function() return d:histogram(2, { range = { 1, 2 } }) end)
        fails("it ends before it begins", function() return d:histogram(2, { range = { "2024-01-02", "2024-01-01" } }) end)
        fails("no element is there", function() return d:sub(2, 2):histogram(2) end)
        fails("no element to describe", function() return d:sub(2, 2):describe() end)
    end)

    it("are written one by one where they seldom repeat, with gaps and formats, else once each", function()
        for _, n in ipairs { 59999, 60000, 300000 } do
            for _, of in ipairs { n, 100 } do
                local numbers = lun.index(n) % of * 1000003
                local a = lun.where((lun.index(n) % 1000):eq(7), lun.na, numbers:cast "timestamp")
                local texts, days = a:cast "text", a:format "%Y-%m-%d"
                assert.is_true(texts:cast("timestamp"):equals(a))
                assert.is_true(days:cast("date"):equals(a:date()))
                assert.equal((n - 7) // 1000 + 1, texts:ismissing():count())
                assert.equal(texts:nunique(), a:nunique())
            end
        end
    end)

    it("are read and written by a format", function()
        local function read(s, f, dtype)
            return lun.vector({ s }):cast(dtype or "date", { format = f })[1]
        end
        assert.equal("2024-01-05", read("05.01.2024", "%d.%m.%Y"))
        assert.equal("2024-01-05", read("5.1.2024", "%d.%m.%Y"))
        assert.equal("2024-02-29", read("060/2024", "%j/%Y"))
        assert.equal("1969-03-01", read("1 mar 69", "%d %b %y"))
        assert.equal("2068-03-01", read("1 March 68", "%d %B %y"))
        assert.equal("2024-01-05", read("Fri Jan 05 2024", "%a %b %d %Y"))
        assert.equal("2024-01-05 13:02:03.250000", read("05/01/2024 1:02:03.25 PM", "%d/%m/%Y %I:%M:%S.%f %p", "timestamp"))
        assert.equal("2024-01-05 00:02:00", read("05/01/2024 12:02 am", "%d/%m/%Y %I:%M %p", "timestamp"))
        assert.equal("2024-01-05 08:00:00", read("2024-01-05 10:00 +0200", "%Y-%m-%d %H:%M %z", "timestamp"))
        assert.equal("2024-01-05", read("2024%01%05", "%Y%%%m%%%d"))
        fails("row 1: 'Mon Jan 05 2024' is no date of the form %a %b %d %Y", read, "Mon Jan 05 2024", "%a %b %d %Y")
        fails("row 1: '366/2023' is no date", read, "366/2023", "%j/%Y")
        fails("%H is of a time", read, "10", "%H%Y")
        fails("%Q is no conversion", read, "10", "%Q")
        fails("%Y is not there", read, "10", "%d")
        local d = dates { "2024-01-05", NA, "1969-12-31" }
        assert.same({ "05 Jan 24 Friday 005", NA, "31 Dec 69 Wednesday 365" }, d:format("%d %b %y %A %j"):totable())
        assert.same({ "13:02 01 PM .250000 %" }, stamps({ "2024-01-05 13:02:03.25" }):format("%H:%M %I %p .%f %%"):totable())
        fails("%z is an offset", function() return d:format "%z" end)
    end)
end)

describe("timestamps", function()
    it("are read, written and taken apart as Python does", function()
        on_backends(function()
            local t = stamps(V.text)
            local us = {}
            for i, days in ipairs(V.days) do
                us[i] = days * 86400000000 + V.us[i]
            end
            assert.same(us, t:cast("i64"):totable())
            assert.same(V.date, t:date():totable())
            assert.same(lun.vector(V.us):totable(), t:time():cast("i64"):totable())
            assert.same((lun.vector(V.us) // 3600000000):totable(), t:hour():totable())
            assert.same((lun.vector(V.us) // 60000000 % 60):totable(), t:minute():totable())
            assert.same((lun.vector(V.us) // 1000000 % 60):totable(), t:second():totable())
            assert.same((lun.vector(V.us) % 1000000):totable(), t:microsecond():totable())
            for _, part in ipairs { "year", "month", "day", "weekday", "yearday", "quarter", "week", "isoyear" } do
                assert.same(V[part], t[part](t):totable())
            end
            assert.same(V.date, t:truncate("1d"):date():totable())
            assert.same(V.quarter_start, t:truncate("1q"):date():totable())
            assert.same((t:cast "i64" // 900000000 * 900000000):totable(), t:truncate("15m"):cast("i64"):totable())
            assert.same(t:time():cast("i64"):totable(), t:add("1mo"):time():cast("i64"):totable())
        end)
    end)

    it("take offsets, which all have or none", function()
        assert.same({ "2024-01-05 08:00:00", "2024-01-05 15:30:00", "2024-01-05 10:00:00" },
            stamps({ "2024-01-05T10:00+02:00", "2024-01-05 10:00-0530", "2024-01-05 10:00:00Z" }):totable())
        fails("row 2: '2024-01-05 10:00' has no offset from UTC, others have one", stamps,
            { "2024-01-05 10:00Z", "2024-01-05 10:00" })
    end)

    it("are made of integers of a unit", function()
        local n = lun.vector { 1, -1, 1500 }
        assert.same({ "1970-01-01 00:00:01", "1969-12-31 23:59:59", "1970-01-01 00:25:00" },
            n:cast("timestamp", { unit = "s" }):totable())
        assert.same({ 1, -1, 1500 }, n:cast("timestamp"):cast("i64"):totable())
        assert.same({ 1000, -1000, 1500000 }, n:cast("timestamp", { unit = "ms" }):cast("i64"):totable())
        assert.same({ 0, -1, 1 }, n:cast("timestamp", { unit = "ns" }):cast("i64"):totable())
        fails("integers expected", function() return lun.vector({ 1.5 }):cast "timestamp" end)
        fails("option unit", function() return n:cast("timestamp", { unit = "h" }) end)
    end)
end)

describe("durations", function()
    it("are seconds in Lua, and texts", function()
        local u = spans { "1d 2h30m", 90, "02:03:04.5", NA, "-1.5h", "250us", "1w" }
        assert.same({ 95400.0, 90.0, 7384.5, NA, -5400.0, 0.00025, 604800.0 }, u:totable())
        assert.same({ "1d 02:30:00", "00:01:30", "02:03:04.5", NA, "-01:30:00", "00:00:00.00025", "7d 00:00:00" },
            u:cast("text"):totable())
        assert.same(u:totable(), u:cast("text"):cast("duration"):totable())
        assert.truthy(tostring(u):find "1d 02:30:00 ")
        u[1] = 1.5
        u[2] = "2h"
        assert.equal(1.5, u[1])
        assert.equal(7200.0, u[2])
        for _, s in ipairs { "", "1", "h", "1mo", "1x", "1d 5", "1:2:3", "00:60", "1e3s", "0.0000001s", "99999999999d" } do
            if s == "1" then
                assert.equal(1.0, spans({ s })[1])
            else
                fails("row 1: ", spans, { s })
            end
        end
    end)
end)

describe("arithmetic", function()
    local d = dates { "2024-02-28", NA, "1969-12-31" }
    local t = stamps { "2024-02-28 12:00", NA, "1969-12-31 00:00:01" }
    local u = spans { "1h", "1d", NA }

    it("gives dates, timestamps, durations and numbers", function()
        on_backends(function()
            assert.same({ "2024-03-01", NA, "1970-01-02" }, (d + 2):totable())
            assert.same({ "2024-02-29", NA, "1970-01-03" }, (lun.vector { 1, 2, 3 } + d):totable())
            assert.same({ "2024-02-26", NA, "1969-12-29" }, (d - 2):totable())
            assert.same({ 19781 + 1, NA, 0 }, (d - dates { "1969-12-31" }):totable())
            assert.same({ 19782, NA, 0 }, (d - "1969-12-31"):totable())
            assert.same({ "2024-02-28 13:00:00", NA, NA }, (t + u):totable())
            assert.same({ "2024-02-28 11:00:00", NA, NA }, (t - u):totable())
            assert.same({ "2024-02-28 01:00:00", NA, NA }, (d + u):totable())
            assert.same({ 43200.0, NA, 1.0 }, (t - d):totable())
            assert.same({ 0.0, NA, 0.0 }, (t - t):totable())
            assert.same({ "2024-02-28 12:00:01", NA, "1969-12-31 00:00:02" }, (t + "1s"):totable())
            assert.same({ 7200.0, 172800.0, NA }, (u + u):totable())
            assert.same({ 5400.0, 129600.0, NA }, (u * 1.5):totable())
            assert.same({ 1800.0, 43200.0, NA }, (u / 2):totable())
            assert.same({ 1.0, 24.0 }, (u / spans { "1h" }):sub(1, 2):totable())
            assert.same({ 2, 48, NA }, (u // spans { "30m" }):totable())
            assert.same({ 600.0, 2400.0, NA }, (u % spans { "50m" }):totable())
            assert.same({ -3600.0, -86400.0, NA }, (-u):totable())
            assert.same({ 3600.0, 86400.0 }, u:seconds():sub(1, 2):totable())
            assert.equal("duration", (t - t):dtype())
            assert.equal("f64", (u / u):dtype())
            assert.same({ NA, NA, NA }, (u / 0):totable())
        end)
    end)

    it("refuses the rest and says what to do", function()
        fails("lun.duration", function() return d + 1.5 end)
        fails("lun.duration", function() return t + 1 end)
        fails("date and date; ", function() return d + d end)
        fails("date and i64; ", function() return d * 2 end)
        fails("timestamp; ", function() return t:sqrt() end)
        fails("duration and i64", function() return u + 1 end)
        fails("duration", function() return u:lt(3) end)
        fails("date and duration", function() return d:lt(u) end)
        fails("date; ", function() return d:sum() end)
        fails("timestamp expected, got date[3]", function() return d:hour() end)
        fails("date or timestamp expected, got duration[3]", function() return u:year() end)
        fails("date or timestamp expected, got i64[1]", function() return lun.vector({ 1 }):year() end)
        fails("'1h': dates have no parts of days", function() return d:truncate "1h" end)
        fails("'1mo': months of durations", function() return u:truncate "1mo" end)
        fails("'3 days' is no unit", function() return d:truncate "3 days" end)
    end)

    it("compares, also with texts, which are read once", function()
        on_backends(function()
            assert.same({ true, false, false }, d:ge("2013-06-01"):totable())
            assert.same({ false, true, true }, d:ne("2024-02-28"):totable())
            assert.same({ true, false, true }, d:lt("2024-02-28 00:00:01"):totable())
            assert.same({ true, false, true }, t:gt(d):totable())
            assert.same({ true, false, false }, u:eq("1h"):totable())
            assert.same({ true, false, false }, lun.vector({ "2024-02-28", "x", NA }):eq("2024-02-28"):totable())
            fails("row 1: 'yesterday' is no date", function() return d:lt "yesterday" end)
            assert.same({ true, true, false }, d:isin({ "2024-02-28", NA }):totable())
            assert.same({ "2024-02-28", NA, "2000-01-01" }, d:max("2000-01-01"):totable())
            assert.same({ "2024-02-28", "2020-01-01", "1969-12-31" }, lun.where(d:isna(), "2020-01-01", d):totable())
        end)
    end)

    it("reduces, sorts, groups and joins", function()
        on_backends(function()
            local s = stamps { "2024-02-28 12:00", NA, "1969-12-31 00:00:01", "2024-02-28 12:00" }
            assert.equal("1969-12-31 00:00:01", s:min())
            assert.equal("2024-02-28 12:00:00", s:max())
            assert.equal("2006-02-08 08:00:00.333333", s:mean())
            assert.equal("2024-02-28 12:00:00", s:median())
            assert.equal("1997-01-29", d:mean())
            assert.equal("1997-01-29", d:median())
            assert.equal(90000.0, u:sum())
            assert.equal(45000.0, u:mean())
            assert.is_nil(dates({ NA, NA }):min())
            assert.is_nil(dates({ NA, NA }):mean())
            assert.equal(3, s:argmin())
            assert.same({ "1969-12-31", "2024-02-28", NA }, d:sort():totable())
            assert.same({ 3, 1, 2 }, d:argsort():totable())
            local different, counts = s:unique()
            assert.same({ "1969-12-31 00:00:01", "2024-02-28 12:00:00", NA }, different:totable())
            assert.same({ 1, 2, 1 }, counts:totable())
            local g = lun.group(s)
            assert.same({ 1, 2, 1 }, g:count():totable())
            assert.same({ "1969-12-31 00:00:01", "2024-02-28 12:00:00", NA }, g:keys():totable())
            assert.same({ "1970-01-03", "1970-01-03", "1970-01-02" },
                g:mean(lun.vector({ 1, 1, 2, 4 }):cast "date"):totable())
            assert.same({ "1970-01-03", "1970-01-05", "1970-01-02" },
                g:max(lun.vector({ 1, 1, 2, 4 }):cast "date"):totable())
        end)
    end)

    it("moves them as others", function()
        on_backends(function()
            assert.same({ NA, "1969-12-31" }, d:sub(2):totable())
            assert.same({ "1969-12-31", "2024-02-28" }, d:take({ 3, 1 }):totable())
            assert.same({ NA, "2024-02-28", NA }, d:shift(1):totable())
            assert.same({ "2024-02-28", "1969-12-31" }, d:dropna():totable())
            assert.same({ "2024-02-28 00:00:00", NA, "1969-12-31 00:00:00", "2024-02-28 12:00:00", NA,
                "1969-12-31 00:00:01" }, lun.concat({ d, t }):totable())
            assert.same({ { "2024-02-28" }, { NA }, { "1969-12-31" } }, d:reshape(3, 1):totable())
            assert.same({ "2024-02-28" }, d:compress(lun.vector { true, false, false }):totable())
            fails("date and duration", lun.concat, { d, u })
        end)
    end)

    it("is exact over long arrays", function()
        on_backends(function()
            local n = 100003
            local k = lun.index(n) - 1
            local s = (k * 315576000000 - 50000 * 315576000000 + 7):cast "timestamp"
            assert.equal("1970-01-01 00:00:00.000007", s[50001])
            assert.same(s:cast("i64"):totable(), s:cast("text"):cast("timestamp"):cast("i64"):totable())
            local days = (k * 7 - 350000):cast "date"
            assert.same({ 1 }, days:truncate("1w"):weekday():unique():totable())
            assert.equal(0, (days - days:truncate "1mo" + 1 - days:day()):abs():sum())
            assert.equal((k * 7 - 350000):min(), days:cast("i64"):min())
            assert.equal(days[50002], days:mean())
        end)
    end)
end)

describe("making", function()
    it("gives durations of numbers and texts", function()
        assert.same({ 90.0, 120.0, NA }, lun.duration({ 1.5, 2, NA }, "m"):totable())
        assert.same({ 95400.0 }, lun.duration("1d 2h30m"):totable())
        assert.same({ 5.0 }, lun.duration(5):totable())
        assert.same({ 7200.0, -3600.0 }, lun.duration(lun.vector { 2, -1 }, "h"):totable())
        assert.same({ NA, 1.0 }, lun.duration({ 0 / 0, 1e6 }, "us"):totable())
        assert.same({ "2024-01-05 02:00:00" }, (dates { "2024-01-05" } + lun.duration(2, "h")):totable())
        fails("unit us, ms, s, m, h, d or w expected, got mo", lun.duration, 1, "mo")
        fails("a unit is of numbers", lun.duration, "1h", "s")
    end)

    it("gives ranges", function()
        assert.same({ "2024-01-31", "2024-02-29", "2024-03-31", "2024-04-30" },
            lun.date.range("2024-01-31", "2024-04-30", "1mo"):totable())
        assert.same({ "2024-02-28", "2024-02-29", "2024-03-01" }, lun.date.range("2024-02-28", "2024-03-01"):totable())
        assert.same({ "2024-02-28 00:00:00", "2024-02-28 12:00:00", "2024-02-29 00:00:00" },
            lun.date.range("2024-02-28", "2024-02-29", "12h"):totable())
        assert.same({ "2024-02-28 10:00:00", "2024-02-29 10:00:00" },
            lun.date.range("2024-02-28 10:00", "2024-02-29 12:00"):totable())
        assert.same({ "2024-03-01", "2024-02-01" }, lun.date.range("2024-03-01", "2024-01-15", "-1mo"):totable())
        assert.same({}, lun.date.range("2024-03-01", "2024-01-15"):totable())
        assert.equal(3652059, #lun.date.range("0001-01-01", "9999-12-31"))
        fails("'1 day' is no unit", lun.date.range, "2024-01-01", "2024-01-02", "1 day")
        fails("'x' is no date such as", lun.date.range, "x", "2024-01-02")
    end)
end)

describe("beside other parts", function()
    local d = dates { "2024-01-05", NA, "1969-12-31", "2024-02-01" }

    it("groups have medians and quantiles of them", function()
        local t = stamps { "2024-01-05 10:00", NA, "1969-12-31", "1970-01-02 00:00:00.000001" }
        local g = lun.group(lun.vector { 1, 1, 2, 2 })
        assert.same({ "2024-01-05 10:00:00", "1970-01-01 00:00:00" }, g:median(t):totable())
        assert.same({ "2024-01-05", "1969-12-31" }, g:quantile(d, 0):totable())
        assert.same({ 60.0, 90.0 }, g:median(spans { "1m", "1m", "1m", "2m" }):totable())
    end)

    it("lun.date takes them", function()
        assert.same({ 2024, NA, 1969, 2024 }, lun.date.year(d):totable())
        assert.same({ 5, 31 }, lun.date.day(stamps { "2024-01-05 23:59", "1969-12-31" }):totable())
        assert.same({ 19727, NA, -1, 19754 }, lun.date.parse(d):totable())
        assert.same({ 19727, NA }, lun.date.parse(lun.vector { "2024-01-05 10:00", NA }):totable())
        assert.same({ nil, "row 1: 'x' is no date such as 2012-01-31", "format" },
            { lun.date.parse(lun.vector { "x" }) })
        assert.same({ "2024-01-05" }, lun.date.text(dates { "2024-01-05" }))
    end)

    it("are parts of tables of arrays", function()
        assert.same({ { "2024-01-05", "1969-12-31" }, { "1969-12-31", "2024-02-01" } },
            lun.vector({ dates { "2024-01-05", "1969-12-31" }, d:sub(3, 4) }):totable())
    end)

    it("have formats without NUL", function()
        fails("NUL", function() return d:format "%Y\0" end)
        fails("NUL", function() return lun.vector({ "2024" }):cast("date", { format = "%Y\0" }) end)
    end)

    it("functions see their integers", function()
        on_backends(function()
            assert.same({ 1, NA, 6, 0 }, lun.map(function(x) return x % 7 end)(d):totable())
            assert.equal("i32", lun.map(function(x) return x end)(d):dtype())
            assert.same({ 1, NA, 6, 0 }, d:map(function(x) return x % 7 end):totable())
            assert.same({ 19728, NA, 2, 19758 }, lun.zip(function(x, y) return x + y end)(d, lun.index(4)):totable())
            assert.same({ 3600000000 }, spans({ "1h" }):map(function(x) return x end):totable())
        end)
    end)

    it("gaps are filled and csv has them", function()
        assert.same({ "2024-01-05", "2000-01-01", "1969-12-31", "2024-02-01" }, d:fillna("2000-01-01"):totable())
        assert.same({ "2024-01-05", "2024-01-05", "1969-12-31", "2024-02-01" }, d:ffill():totable())
        local path = os.tmpname() .. ".csv"
        lun.save(path, lun.table { d = d, u = spans { "1h", NA, 0.5, 2 } })
        local file = assert(io.open(path))
        assert.equal("d,u\n2024-01-05,3600\n,\n1969-12-31,0.5\n2024-02-01,2\n", file:read "a")
        file:close()
        os.remove(path)
    end)
end)
