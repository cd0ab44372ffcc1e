-- The ticks of an axis: round numbers or beginnings of days, months and years, and their labels.

local internal = require("lunarray.core").internal
local number = require "lunarray.base.number"

local ticks = {}

local WANTED = 4 -- at least so many where there is room
local EXACT = 1 << 53
local NEAR = 0.01 -- of an axis
local LARGE, SMALL = 1e6, 1e-4 -- from where on labels have exponents

-- ---------------------------------------------------------------- numbers

-- The digits of a number without zeros after its point.
local function short(digits)
    return digits:find(".", 1, true) and digits:match "^(.-)%.?0*$" or digits
end

-- The text of a multiple of 10^power.
local function label_of(x, power, exponents)
    if x == 0 then
        return "0"
    elseif not exponents then
        return short(number.format("%." .. math.max(0, -power) .. "f", x))
    end
    local digits = math.max(0, math.min(16, math.floor(math.log(math.abs(x), 10) + 1e-9) - power))
    local mantissa, exponent = number.format("%." .. digits .. "e", x):match "^(.-)e%+?(.*)$"
    return short(mantissa) .. "e" .. exponent:gsub("^(-?)0*(%d)", "%1%2")
end

-- The multiples of factor * 10^power from low to high, with labels; nil where there are too many, or doubles are too
-- coarse for them.
local function multiples(low, high, factor, power, most)
    local step = power >= 0 and factor * 10.0 ^ power or nil
    if step == math.huge then
        return nil
    end
    local function at(i) -- a quotient is the nearest double, a product with 0.1 is not
        return step and i * step or i * factor / 10.0 ^ -power
    end
    local first, last
    if step then
        first, last = math.ceil(low / step), math.floor(high / step)
    else
        first, last = math.ceil(low / factor * 10.0 ^ -power), math.floor(high / factor * 10.0 ^ -power)
    end
    if math.type(first) ~= "integer" or math.type(last) ~= "integer" or math.abs(first) > EXACT
        or math.abs(last) > EXACT or last - first + 1 > most then
        return nil
    end
    local largest = math.max(math.abs(at(first)), math.abs(at(last)))
    local exponents, found = largest >= LARGE or largest < SMALL, {}
    for i = first, last do
        found[#found + 1] = { value = at(i), label = label_of(at(i), power, exponents) }
    end
    return found
end

-- Candidates from fine to coarse, passed to a function that returns true to end it.
local function numbers(low, high, whole, most, visit)
    local span = high / 2 - low / 2 -- of huge numbers the difference is infinite
    local power = math.floor(math.log(span, 10)) - 2
    if whole then
        power = math.max(power, 0)
    end
    for p = math.max(power, -307), math.min(power + 5, 308) do
        for _, factor in ipairs { 1, 2, 5 } do
            local found = multiples(low, high, factor, p, most)
            if found and visit(found) then
                return
            end
        end
    end
end

-- Limits a little wider than low and high if a round number is that near, so that a tick is there.
function ticks.widened(low, high)
    local span = high / 2 - low / 2
    local power = math.floor(math.log(span, 10)) - 1
    if math.abs(power) > 300 then
        return low, high
    end
    for p = power + 1, power, -1 do
        for _, factor in ipairs { 5, 2, 1 } do
            local step = factor * 10.0 ^ p
            local below, above = math.floor(low / step) * step, math.ceil(high / step) * step
            if high - low >= 3 * step then
                return low - below <= NEAR * (high - low) and below or low,
                    above - high <= NEAR * (high - low) and above or high
            end
        end
    end
    return low, high
end

-- ---------------------------------------------------------------- dates

-- Steps from fine to coarse: how many of what.
local DATE_STEPS = {
    { 1, "minute" }, { 5, "minute" }, { 15, "minute" }, { 30, "minute" }, { 1, "hour" }, { 3, "hour" }, { 6, "hour" },
    { 12, "hour" }, { 1, "day" }, { 2, "day" }, { 7, "day" }, { 14, "day" }, { 1, "month" }, { 2, "month" },
    { 3, "month" }, { 6, "month" }, { 1, "year" }, { 2, "year" }, { 5, "year" }, { 10, "year" }, { 20, "year" },
    { 50, "year" }, { 100, "year" }, { 200, "year" }, { 500, "year" }, { 1000, "year" }, { 2000, "year" },
}

local MONDAY = 4 -- 1970-01-05, from which weeks are counted
local PER_DAY = { minute = 1440, hour = 24, day = 1 }
local DAYS = { month = 30.4, year = 365.2 } -- about
local FAR = 1e11 -- days, beyond which dates have no ticks

-- The i-th beginning of a month or year, in days.
local function beginning(unit, i)
    if unit == "year" then
        return internal.civil_days(i, 1, 1)
    end
    return internal.civil_days(i // 12, i % 12 + 1, 1)
end

local function date_label(days, unit)
    local whole = math.floor(days)
    local year, month, day = internal.civil_of(whole)
    if unit == "year" then
        return ("%d"):format(year)
    elseif unit == "month" then
        return ("%04d-%02d"):format(year, month)
    elseif unit == "day" then
        return ("%04d-%02d-%02d"):format(year, month, day)
    end
    local minutes = math.floor((days - whole) * 1440 + 0.5)
    return ("%02d-%02d %02d:%02d"):format(month, day, minutes // 60, minutes % 60)
end

-- The ticks of one step between two dates; nil where there are too many.
local function dates_of(low, high, count, unit, most)
    local first, last, at
    local per_day = PER_DAY[unit]
    if not (low > -FAR and high < FAR) then
        return nil
    elseif per_day then
        local offset = count % 7 == 0 and MONDAY or 0
        first, last = math.ceil((low - offset) * per_day / count), math.floor((high - offset) * per_day / count)
        function at(i)
            return i * count / per_day + offset
        end
    else
        if (high - low) / DAYS[unit] / count > 2 * most then
            return nil
        end
        local year, month = internal.civil_of(math.floor(low))
        first = (unit == "year" and year or year * 12 + month - 1) // count
        function at(i)
            return beginning(unit, i * count)
        end
        while at(first) < low do
            first = first + 1
        end
        last = first - 1
        while at(last + 1) <= high do
            last = last + 1
        end
    end
    if last - first + 1 > most then
        return nil
    end
    local found = {}
    for i = first, last do
        found[#found + 1] = { value = at(i), label = date_label(at(i), unit) }
    end
    return found
end

local function dates(low, high, _, most, visit)
    for _, step in ipairs(DATE_STEPS) do
        local found = dates_of(low, high, step[1], step[2], most)
        if found and visit(found) then
            return
        end
    end
end

-- ---------------------------------------------------------------- the choice

-- The ticks of an axis from low to high, each { value =, label = }: the coarsest steps that give four of them and more,
-- else as many as there can be. kind: "whole" numbers, "dates" (days since 1970-01-01), or nil; most: of all ticks;
-- fits(list): whether they have room.
function ticks.of(low, high, kind, most, fits)
    local best = {}
    local candidates = kind == "dates" and dates or numbers
    candidates(low, high, kind == "whole", most, function(found)
        if #found < #best and #best >= WANTED and #found < WANTED then
            return true
        elseif fits(found) and (#found >= WANTED or #found > #best) then
            best = found
        end
    end)
    return best
end

return ticks
