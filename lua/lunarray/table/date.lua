-- lun.date: texts such as "2012-01-31" to days since 1970-01-01 and back, and the parts of dates, in the proleptic
-- Gregorian calendar. Arrays are computed in kernels, single numbers and texts directly. The arithmetic counts years
-- from March on, so that a leap day is the last of its year.

local core = require "lunarray.core"
local dtypes = require "lunarray.base.dtypes"
local misuse = require "lunarray.base.misuse"
local records = require "lunarray.base.records"

local M = {}

-- ---------------------------------------------------------------- arithmetic
-- Functions of integers, for Lua and for kernels: 4 * n is a number of quarters of days, so that 146097 of them are a
-- mean century and 1461 a mean year; 2141 / 65536 and 979 / 32 count months through years of 31, 30, 31, 30, 31 days
-- (Neri and Schneider, Euclidean affine functions and their application to calendar algorithms).

-- The year from March on, its month from 3 to 14, its day from 0.
local function parts_of(days)
    local quarters = 4 * days + 2877875
    local century = quarters // 146097
    local of_century = (quarters - century * 146097) | 3
    local year = 2939745 * of_century >> 32
    local of_year = of_century - 1461 * year >> 2
    local month = 2141 * of_year + 197913 >> 16
    return 100 * century + year, month, of_year - (979 * month - 2919 >> 5)
end

local function days_of(year, month, day)
    local past = month + 9
    local y = year + past // 12 - 1
    past = past % 12
    local century = y // 100
    return 1461 * y // 4 - century + century // 4 + (979 * past + 18 >> 5) + day - 719469
end

local function year_of(days)
    local year, month = parts_of(days)
    if month > 12 then
        year = year + 1
    end
    return year
end

local function month_of(days)
    local _, month = parts_of(days)
    if month > 12 then
        month = month - 12
    end
    return month
end

local function day_of(days)
    local _, _, day = parts_of(days)
    return day + 1
end

local function weekday_of(days)
    return (days + 3) % 7 + 1
end

local function yearday_of(days)
    return days - days_of(year_of(days), 1, 0)
end

-- ---------------------------------------------------------------- arguments

-- An integer, or an i64 array, from argument `i` of `call`.
local function integers(x, i, call)
    if core.isarray(x) then
        local kind = dtypes.by_name[x:dtype()].kind
        if kind == "time" and x:dtype() ~= "duration" then
            return x:cast "date":cast "i64"
        elseif kind ~= "signed" and kind ~= "unsigned" then
            misuse(i, call, "integers expected, got %s; use :cast 'i64'", core.internal.kind_of(x))
        end
        return x:dtype() == "i64" and x or x:cast "i64"
    end
    local n = math.type(x) and math.tointeger(x)
    if not n then
        misuse(i, call, "integer or array of integers expected, got %s", math.type(x) and tostring(x)
            or core.internal.kind_of(x))
    end
    return n
end

-- lun.date.year and the like.
local function part(name, f)
    local mapped
    M[name] = function(days)
        days = integers(days, 1, name)
        if not core.isarray(days) then
            return f(days)
        end
        mapped = mapped or core.map(f)
        return mapped(days)
    end
end

part("year", year_of)
part("month", month_of)
part("day", day_of)
part("weekday", weekday_of)
part("yearday", yearday_of)

-- ---------------------------------------------------------------- making and texts

-- lun.date.make(y, m, d): numbers of days; months and days may be beyond their ends.
function M.make(year, month, day)
    local numbers, arrays = { integers(year, 1, "make"), integers(month, 2, "make"), integers(day, 3, "make") }, false
    for _, x in ipairs(numbers) do
        arrays = arrays or core.isarray(x)
    end
    if not arrays then
        return days_of(table.unpack(numbers))
    end
    for i, x in ipairs(numbers) do
        numbers[i] = core.isarray(x) and x or core.full(1, x)
    end
    return core.map(days_of, { elements = 3 })(table.unpack(numbers))
end

local LONGEST = 40 -- characters of a text in a message

-- lun.date.parse(list): the days of a list of texts such as "2012-01-31", each of which may have a time behind it,
-- which is ignored; or nil, message with the row, "format". Of one text its number.
function M.parse(list)
    local one = type(list) == "string"
    if core.isarray(list) and list:dtype() == "text" then
        local ok, made = pcall(core.internal.time_parse, list, "timestamp", nil, false)
        if ok then
            return made:cast "date":cast "i64"
        end
        local row = tostring(made):match "(row %d+: '.*') is no"
        return nil, row and row .. " is no date such as 2012-01-31" or tostring(made), "format"
    elseif core.isarray(list) and (list:dtype() == "date" or list:dtype() == "timestamp") then
        return integers(list, 1, "parse")
    end
    if not one and (type(list) ~= "table" or core.isarray(list) or records.struct_of(list)) then
        misuse(1, "parse", "list of texts expected, got %s", records.kind_of(list))
    end
    local days, row = core.internal.parse_dates(one and { list } or list)
    if not days then
        local text = one and list or list[row]
        text = type(text) == "string" and ("'%s'"):format(text:sub(1, LONGEST):gsub("%c", "?")) or type(text)
        return nil, ("row %d: %s is no date such as 2012-01-31"):format(row, text), "format"
    end
    return one and days[1] or days
end

-- lun.date.text(days): a list of texts such as "2012-01-31"; of a number its text.
function M.text(days)
    days = integers(days, 1, "text")
    if not core.isarray(days) then
        return core.internal.date_texts(core.vector({ days }, "i64"))[1]
    elseif select("#", days:shape()) > 1 then
        misuse(1, "text", "a Vector expected, got %s; use :flatten()", core.internal.kind_of(days))
    end
    return core.internal.date_texts(days)
end

return M
