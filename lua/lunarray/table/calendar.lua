-- Dates as numbers of days since 1970-01-01, in the proleptic Gregorian calendar.

local calendar = {}

local FORM = "^(%d%d%d%d)%-(%d%d)%-(%d%d)(.*)$"

-- The number of the day; months and days may be beyond their ends.
function calendar.days(year, month, day)
    year, month = year + (month - 1) // 12, (month - 1) % 12 + 1
    local y = month > 2 and year or year - 1 -- a year from March on ends with its leap day
    local of_year = (153 * ((month + 9) % 12) + 2) // 5 + day - 1
    return 365 * y + y // 4 - y // 100 + y // 400 + of_year - 719468
end

-- Year, month and day of a number of days.
function calendar.date(days)
    days = days + 719468
    local era = days // 146097
    local of_era = days - era * 146097
    local y = (of_era - of_era // 1460 + of_era // 36524 - of_era // 146096) // 365
    local of_year = of_era - (365 * y + y // 4 - y // 100)
    local m = (5 * of_year + 2) // 153
    local month = m < 10 and m + 3 or m - 9
    return y + era * 400 + (month <= 2 and 1 or 0), month, of_year - (153 * m + 2) // 5 + 1
end

-- The days of "2012-01-31", with a time such as "T06:30" or " 06:30:15.5" after it as a part of the day; nil where the
-- text is no date.
function calendar.parse(text)
    local year, month, day, rest = text:match(FORM)
    if not year then
        return nil
    end
    year, month, day = math.tointeger(year), math.tointeger(month), math.tointeger(day)
    local first, next_first = calendar.days(year, month, 1), calendar.days(year, month + 1, 1)
    if month < 1 or month > 12 or day < 1 or day > next_first - first then
        return nil
    elseif rest == "" then
        return calendar.days(year, month, day)
    end
    local hour, minute, second = rest:match "^[T ](%d%d):(%d%d)(.-)Z?$"
    if not hour or second ~= "" and not second:find "^:%d%d%.?%d*$" then
        return nil
    end
    second = second == "" and 0 or tonumber(second:sub(2))
    hour, minute = tonumber(hour), tonumber(minute)
    if hour > 23 or minute > 59 or second >= 61 then
        return nil
    end
    return calendar.days(year, month, day) + (hour * 3600 + minute * 60 + second) / 86400
end

return calendar
