-- lun.date: texts such as "2012-01-31" to days since 1970-01-01 and back, and the parts of days, i64 or dates. The
-- calendar is prims/time's; arrays are computed in kernels, single numbers and texts directly.

local core = require "lunarray.core"
local dtypes = require "lunarray.base.dtypes"
local misuse = require "lunarray.base.misuse"
local records = require "lunarray.base.records"

local internal = core.internal

local M = {}

-- ---------------------------------------------------------------- arguments

-- An integer, or an i64 array, from argument `i` of `call`.
local function integers(x, i, call)
    if core.isarray(x) then
        local kind = dtypes.by_name[x:dtype()].kind
        if kind == "time" and x:dtype() ~= "duration" then
            return x:cast "date":cast "i64"
        elseif kind ~= "signed" and kind ~= "unsigned" then
            misuse(i, call, "integers expected, got %s; use :cast 'i64'", internal.kind_of(x))
        end
        return x:dtype() == "i64" and x or x:cast "i64"
    end
    local n = math.type(x) and math.tointeger(x)
    if not n then
        misuse(i, call, "integer or array of integers expected, got %s", math.type(x) and tostring(x)
            or internal.kind_of(x))
    end
    return n
end

-- The parts of one day.
local PARTS <const> = {
    year = function(day)
        return (internal.civil_of(day))
    end,
    month = function(day)
        return (select(2, internal.civil_of(day)))
    end,
    day = function(day)
        return (select(3, internal.civil_of(day)))
    end,
    weekday = function(day)
        return (day + 3) % 7 + 1
    end,
    yearday = function(day)
        return day - internal.civil_days(internal.civil_of(day), 1, 0)
    end,
}

local FAR <const> = 1 << 40 -- years and days

-- Numbers that the calendar of single dates has, each the argument of its place.
local function within(call, ...)
    for i = 1, select("#", ...) do
        local x = select(i, ...)
        if x < -FAR or x > FAR then
            misuse(i, call, "%d is beyond 2^40", x)
        end
    end
    return ...
end

-- lun.date.year and the like.
for name, of_one in pairs(PARTS) do
    M[name] = function(days)
        days = integers(days, 1, name)
        return core.isarray(days) and internal.time_field(days, name) or of_one(within(name, days))
    end
end

-- ---------------------------------------------------------------- making and texts

-- lun.date.make(y, m, d): numbers of days; months and days may be beyond their ends.
function M.make(year, month, day)
    local numbers, arrays = { integers(year, 1, "make"), integers(month, 2, "make"), integers(day, 3, "make") }, false
    for _, x in ipairs(numbers) do
        arrays = arrays or core.isarray(x)
    end
    if not arrays then
        return internal.civil_days(within("make", table.unpack(numbers)))
    end
    for i, x in ipairs(numbers) do
        numbers[i] = core.isarray(x) and x or core.full(1, x)
    end
    return internal.time_days(table.unpack(numbers))
end

local LONGEST = 40 -- characters of a text in a message

-- lun.date.parse(list): the days of a list of texts such as "2012-01-31", each of which may have a time behind it,
-- which is ignored; or nil, message with the row, "format". Of one text its number.
function M.parse(list)
    local one = type(list) == "string"
    if core.isarray(list) and list:dtype() == "text" then
        local ok, made = pcall(internal.time_parse, list, "timestamp", nil, false)
        if ok then
            -- The day as it is written: with an offset that of UTC may be another one.
            return internal.time_parse(list:trim():substr(1, 10), "date", nil, false):cast "i64"
        end
        local row = tostring(made):match "(row %d+: '.*') is no"
        return nil, row and row .. " is no date such as 2012-01-31" or tostring(made), "format"
    elseif core.isarray(list) and (list:dtype() == "date" or list:dtype() == "timestamp") then
        return integers(list, 1, "parse")
    end
    if not one and (type(list) ~= "table" or core.isarray(list) or records.struct_of(list)) then
        misuse(1, "parse", "list of texts expected, got %s", records.kind_of(list))
    end
    local days, row = internal.parse_dates(one and { list } or list)
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
        return internal.date_texts(core.vector({ days }, "i64"))[1]
    elseif select("#", days:shape()) > 1 then
        misuse(1, "text", "a Vector expected, got %s; use :flatten()", internal.kind_of(days))
    end
    return internal.date_texts(days)
end

return M
