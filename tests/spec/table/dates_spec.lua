-- lun.date against a calendar that counts day by day, and against os.date; texts that are dates and those that are none.
local lun = require "lunarray"
local expect = require "expect"

local date = lun.date
local LENGTHS = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 }
local FIRST, LAST_YEAR = -719162, 4000 -- the day 0001-01-01, a Monday

local function is_leap(year)
    return year % 4 == 0 and (year % 100 ~= 0 or year % 400 == 0)
end

-- All days from the year 1 on, one by one: lists of years, months, days, weekdays, days of the year, and texts.
local function calendar()
    local c = { year = {}, month = {}, day = {}, weekday = {}, yearday = {} }
    local texts, n = {}, 0
    for year = 1, LAST_YEAR do
        local before = n
        for month = 1, 12 do
            for day = 1, LENGTHS[month] + (month == 2 and is_leap(year) and 1 or 0) do
                n = n + 1
                c.year[n], c.month[n], c.day[n] = year, month, day
                c.weekday[n], c.yearday[n] = (n - 1) % 7 + 1, n - before
                texts[n] = ("%04d-%02d-%02d"):format(year, month, day)
            end
        end
    end
    return c, texts
end

describe("lun.date", function()
    it("agrees with counting, from the year 1 to 4000", function()
        local parts, texts = calendar()
        local days = lun.index(#texts) + (FIRST - 1)
        local parsed = date.parse(texts)
        assert.is_true(parsed:eq(days):all())
        assert.equal(table.concat(texts, " "), table.concat(date.text(parsed), " "))
        for name, list in pairs(parts) do
            parts[name] = lun.vector(list)
        end
        expect.everywhere(function()
            for name, wanted in pairs(parts) do
                local got = date[name](days)
                assert.equal("i64", got:dtype())
                assert.is_true(got:eq(wanted):all(), name)
            end
            assert.is_true(date.make(parts.year, parts.month, parts.day):eq(days):all())
        end)
    end)

    it("agrees with os.date, and gives the same for a number as for an element", function()
        for day = -100000, 300000, 37 do
            local t = day >= 0 and os.date("!*t", day * 86400) or nil
            if t then
                assert.same({ t.year, t.month, t.day, (t.wday + 5) % 7 + 1, t.yday },
                    { date.year(day), date.month(day), date.day(day), date.weekday(day), date.yearday(day) })
                assert.equal(os.date("!%Y-%m-%d", day * 86400), date.text(day))
            end
            assert.equal(day, date.make(date.year(day), date.month(day), date.day(day)))
            assert.equal(day, date.parse(date.text(day)))
        end
        local days = (lun.random(5000, { seed = 3 }) * 2e9):cast "i64" - 1000000000
        local list = days:totable()
        for _, name in ipairs { "year", "month", "day", "weekday", "yearday", "text" } do
            local got = date[name](days)
            got = name == "text" and got or got:totable()
            for i, day in ipairs(list) do
                assert(got[i] == date[name](day), ("%s of %d"):format(name, day))
            end
        end
    end)

    it("counts on where months and days are beyond their ends", function()
        expect.everywhere(function()
            local months, days = lun.range(-30, 40), {}
            for i = -30, 40 do
                days[#days + 1] = date.make(2024 + (i - 1) // 12, (i - 1) % 12 + 1, 1) + 30
            end
            expect.elements(days, date.make(2024, months, 31))
            assert.same({ 2023, 2024 }, date.year(date.make(lun.vector { 2024, 2023 }, 1, lun.vector { 0, 366 })):totable())
            assert.same({ 2, 3 }, { date.make(lun.zeros({ 2, 3 }, "i32"), 1, lun.vector({ 1, 2, 3 }, "u8")):shape() })
        end)
        assert.equal(date.parse "2025-01-01", date.make(2024, 13, 1))
        assert.equal("-0001-12-31", date.text(date.make(0, 1, 0)))
        assert.equal("12345-06-07", date.text(date.make(12345, 6, 7)))
        assert.matches("^%-2525%d+%-%d%d%-%d%d$", date.text(math.mininteger))
        expect.failure("bad argument #2 to 'make' (2000000000000 is beyond 2^40)", date.make, 1, 2000000000000, 1)
        expect.failure("bad argument #1 to 'year' (-2000000000000 is beyond 2^40)", date.year, -2000000000000)
    end)

    it("parses dates with times, whose day it takes", function()
        local sound = { "2012-01-31", "2012-01-31T06:30", "2012-01-31 06:30", "2012-01-31T23:59:59", "2012-01-31T06:30:15.25",
            "2012-01-31T06:30Z", "2012-01-31T06:30:15+02:00", "2012-01-31 00:00:00-11:30" }
        expect.elements({ 15370, 15370, 15370, 15370, 15370, 15370, 15370, 15370 }, date.parse(sound))
        expect.elements({ 15370, 15370, 15370 }, date.parse(lun.vector { "2012-01-31T23:30-11:30", " 2012-01-31T06:30+0200",
            "2012-01-31T00:30+02" }))
        expect.elements({ 15370, 15371 }, date.parse(lun.vector { "2012-01-31", "2012-02-01 23:59" }))
        assert.equal(0, #date.parse {})
        assert.same({}, date.text(lun.zeros(0, "i64")))
        assert.equal(-719162, date.parse "0001-01-01")
        assert.equal(2932896, date.parse "9999-12-31")
    end)

    it("says which row is no date", function()
        for _, text in ipairs { "", "2012-1-31", "2012-01-3", "2012-13-01", "2012-00-01", "2012-01-00", "2012-01-32",
            "2011-02-29", "1900-02-29", "2012-04-31", "12012-01-31", "-012-01-31", "2012/01/31", "2012-01-31x", "2012-01-31T",
            "2012-01-31T6:30", "2012-01-31T24:00", "2012-01-31T06:60", "2012-01-31T06:30:60", "0000-01-01", "2012-01-31T06:30:1",
            "2012-01-31T06:30+2", "2012-01-31T06:30+02:0x", "2012-01-31 ", " 2012-01-31", "2012-01-31\0", "x" } do
            local days, message, code = date.parse { "2012-01-31", text, "" }
            assert.is_nil(days, text)
            assert.equal("format", code)
            assert.equal(("row 2: '%s' is no date such as 2012-01-31"):format(text:gsub("%c", "?")), message)
        end
        assert.same({ nil, "row 1: table is no date such as 2012-01-31", "format" }, { date.parse { {} } })
        assert.equal(40, #select(2, date.parse(("x"):rep(1000))):match "'(x+)'")
        assert.same({ nil, "row 1: 'nonsense' is no date such as 2012-01-31", "format" }, { date.parse "nonsense" })
    end)

    it("refuses what is no date at all", function()
        expect.failure("bad argument #1 to 'parse' (list of texts expected, got a Vector f64[2])", date.parse, lun.ones(2))
        expect.failure("bad argument #1 to 'year' (integers expected, got a Vector f64[2]; use :cast 'i64')",
            date.year, lun.ones(2))
        expect.failure("bad argument #1 to 'weekday' (integers expected, got a Vector bool[2]", date.weekday, lun.ones(2, "bool"))
        expect.failure("bad argument #1 to 'month' (integer or array of integers expected, got 1.5)", date.month, 1.5)
        expect.failure("bad argument #2 to 'make' (integer or array of integers expected, got string)", date.make, 1, "2", 3)
        expect.failure("bad argument #3 to 'make' (integer or array of integers expected, got nil)", date.make, 1, 2)
        expect.failure("bad argument #1 to 'text' (a Vector expected, got a View i64[2, 2]; use :flatten())",
            date.text, lun.ones({ 2, 2 }, "i64"))
        expect.failure("lengths differ: i64[2] and i64[3]", function()
            return date.make(lun.ones(2, "i64"), lun.ones(3, "i64"), 1):eval()
        end)
        expect.failure("wrong number of arguments to 'year' (at most 1 expected, got 2)", date.year, 1, 2)
    end)
end)
