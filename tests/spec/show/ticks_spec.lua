-- Ticks of axes: round numbers within the limits, evenly spaced, told apart by their labels; dates at beginnings of
-- years, months and days.
local lun = require "lunarray"
local internal = require("lunarray.core").internal
local ticks = require "lunarray.chart.ticks"

local function anything()
    return true
end

-- Days of a text, with its time as a part of one; nil: it is no date.
local function days_of(text)
    local us = internal.time_read("timestamp", text)
    return us and us / 86400e6
end

local function labels(...)
    local result = {}
    for i, tick in ipairs(ticks.of(...)) do
        result[i] = tick.label
    end
    return table.concat(result, " ")
end

describe("days", function()
    it("are those of the C library", function()
        local uniform = lun.random(1000, { seed = 5 }):totable()
        for i = 1, #uniform do
            local days = math.floor((uniform[i] - 0.2) * 1000000)
            local expected = os.date("!%Y-%m-%d", days * 86400)
            local year, month, day = internal.civil_of(days)
            assert.equal(expected, ("%d-%02d-%02d"):format(year, month, day))
            assert.equal(days, internal.civil_days(year, month, day))
            assert.equal(year > 999 and days + 0.0 or nil, (days_of(expected)))
        end
        for _, year in ipairs { 1600, 1900, 1999, 2000, 2012, 2100 } do
            local leap = os.date("!%m-%d", internal.civil_days(year, 2, 29) * 86400) == "02-29"
            assert.equal(leap, days_of(year .. "-02-29") ~= nil)
            assert.equal(internal.civil_days(year + 1, 1, 1), internal.civil_days(year, 13, 1))
        end
    end)

    it("have times as their parts, and texts that are none are refused", function()
        assert.equal(0, days_of "1970-01-01")
        assert.equal(0.25, days_of "1970-01-01T06:00")
        assert.equal(1.5 + 1 / 86400, days_of "1970-01-02 12:00:01Z")
        assert.equal(-1 + 0.5 / 86400, days_of "1969-12-31 00:00:00.5")
        for _, text in ipairs { "", "2012", "2012-1-1", "2012-13-01", "2012-00-10", "2012-04-31", "2012-01-01x",
            "2012-01-01 24:00", "2012-01-01 10:60", "2012-01-01 10:00:70", "2012-01-01T10", "31.12.2012" } do
            assert.is_nil(days_of(text), text)
        end
    end)
end)

describe("ticks of numbers", function()
    it("are round", function()
        assert.equal("0 10 20 30 40", labels(0, 40, nil, 20, anything))
        assert.equal("20 40 60 80 100", labels(1, 100, "whole", 20, anything))
        assert.equal("-4 -2 0 2 4", labels(-5, 5, nil, 20, anything))
        assert.equal("0 0.2 0.4 0.6 0.8 1", labels(0, 1, nil, 20, anything))
        assert.equal("1 2 3", labels(1, 3, "whole", 20, anything))
        assert.equal("0 2e6 4e6 6e6 8e6 1e7", labels(0, 1e7, nil, 20, anything))
        assert.equal("-1e308 -5e307 0 5e307 1e308", labels(-1e308, 1e308, nil, 20, anything))
        assert.equal("0 1e-9 2e-9 3e-9 4e-9", labels(0, 4.5e-9, nil, 20, anything))
        assert.equal("1999 2000 2001 2002", labels(1999, 2002.5, nil, 20, anything))
    end)

    it("of any limits are multiples of 1, 2 or 5 times a power of ten, four at least", function()
        local random = lun.random({ 1000, 3 }, { seed = 11 }):totable()
        for i = 1, 1000 do
            local row = random[i]
            local size = 10.0 ^ math.floor(row[1] * 40 - 20)
            local low = (row[2] - 0.5) * size
            local high = low + row[3] * size * 10.0 ^ -(i % 5)
            local list = ticks.of(low, high, nil, 40, anything)
            local text = ("%g to %g: %s"):format(low, high, labels(low, high, nil, 40, anything))
            assert.is_true(#list >= 4 and #list <= 12, text)
            local step = tonumber((("%.6g"):format(list[2].value - list[1].value)))
            local digit = ("%.5e"):format(step):match "^(%d%.%d*)e"
            assert.is_true(digit == "1.00000" or digit == "2.00000" or digit == "5.00000", text)
            for k, tick in ipairs(list) do
                assert.is_true(tick.value >= low - 1e-9 * step and tick.value <= high + 1e-9 * step, text)
                assert.is_true(math.abs(tick.value / step - math.floor(tick.value / step + 0.5)) < 1e-6, text)
                assert.is_true(math.abs(tonumber(tick.label) - tick.value) <= 1e-9 * step, text)
                assert.is_true(k == 1 or math.abs(tick.value - list[k - 1].value - step) < 1e-6 * step, text)
                assert.is_true(k == 1 or tick.label ~= list[k - 1].label, text)
            end
        end
    end)

    it("are as many as have room", function()
        local function at_most(n)
            return function(list)
                return #list <= n
            end
        end
        assert.equal("0 20 40 60 80 100", labels(0, 100, nil, 40, at_most(6)))
        assert.equal("0 50 100", labels(0, 100, nil, 40, at_most(5)))
        assert.equal("0 100", labels(0, 100, nil, 40, at_most(2)))
        assert.equal("", labels(0, 100, nil, 40, function() return false end))
    end)

    it("stand at the ends of limits that are nearly round", function()
        assert.same({ -1, 1 }, { ticks.widened(-0.9999, 0.9997) })
        assert.same({ 0, 1000 }, { ticks.widened(1, 1000) })
        assert.same({ 1, 50 }, { ticks.widened(1, 50) })
        assert.same({ 0.3, 0.77 }, { ticks.widened(0.3, 0.77) })
        assert.same({ -1e308, 1e308 }, { ticks.widened(-1e308, 1e308) })
        for _, row in ipairs(lun.random({ 500, 2 }, { seed = 13 }):totable()) do
            local low = (row[1] - 0.5) * 1000
            local high = low + 10.0 ^ (row[2] * 6 - 3)
            local below, above = ticks.widened(low, high)
            assert.is_true(below <= low and above >= high and above - below <= 1.0201 * (high - low))
        end
    end)

    it("of neighbouring doubles are none that is not there", function()
        for _, low in ipairs { 1, 1e15, 1e300, -1e-300, 2.0 ^ 53 } do
            local high = low
            for _ = 1, 3 do
                high = high + math.abs(low) * 2.0 ^ -52
            end
            for _, tick in ipairs(ticks.of(low, high, nil, 40, anything)) do
                assert.is_true(tick.value >= low and tick.value <= high)
            end
        end
    end)
end)

describe("ticks of dates", function()
    local function between(first, last)
        return labels(assert(days_of(first)), assert(days_of(last)), "dates", 40, anything)
    end

    it("are beginnings of years, months, weeks, days and hours", function()
        assert.equal("2012 2013 2014 2015", between("2012-01-01", "2015-12-31"))
        assert.equal("1960 1980 2000 2020", between("1951-03-01", "2024-12-31"))
        assert.equal("2012-01 2012-04 2012-07 2012-10", between("2012-01-01", "2012-12-31"))
        assert.equal("2011-12 2012-01 2012-02 2012-03", between("2011-11-15", "2012-03-09"))
        assert.equal("2012-01-02 2012-01-09 2012-01-16 2012-01-23", between("2012-01-01", "2012-01-29"))
        assert.equal("2012-02-27 2012-02-28 2012-02-29 2012-03-01", between("2012-02-26T06:00", "2012-03-01T20:00"))
        assert.equal("01-01 06:00 01-01 12:00 01-01 18:00 01-02 00:00", between("2012-01-01T06:00", "2012-01-02T05:00"))
        assert.equal("06-01 10:00 06-01 10:05 06-01 10:10 06-01 10:15", between("2012-06-01 10:00", "2012-06-01 10:17"))
    end)

    it("lie within the limits, whatever those are", function()
        local random = lun.random({ 500, 2 }, { seed = 12 }):totable()
        for i = 1, 500 do
            local low = random[i][1] * 40000 - 10000
            local high = low + 10.0 ^ (random[i][2] * 7 - 2)
            local list = ticks.of(low, high, "dates", 40, anything)
            assert.is_true(#list >= 4, ("%g to %g"):format(low, high))
            for k, tick in ipairs(list) do
                assert.is_true(tick.value >= low and tick.value <= high)
                assert.is_true(k == 1 or tick.value > list[k - 1].value)
            end
        end
    end)
end)
