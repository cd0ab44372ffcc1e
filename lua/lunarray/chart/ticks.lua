-- The ticks of an axis: round numbers, powers of ten, or beginnings of days, months and years, and their labels.

local internal = require("lunarray.core").internal
local number = require "lunarray.base.number"
local picture = require "lunarray.chart.picture"

local ticks = {}

local WANTED = 4 -- at least so many where there is room
local EXACT = 1 << 53
local NEAR = 0.01 -- of an axis
local LARGE, SMALL = 1e6, 1e-4 -- from where on labels have exponents
local POWERS = 8 -- powers of ten on an axis, at most
local FEW = 3 -- of fewer powers of ten 2 and 5 stand between

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
local DATE_STEPS = {}
for _, row in ipairs {
    { "millisecond", 1, 2, 5, 10, 20, 50, 100, 200, 500 }, { "second", 1, 2, 5, 10, 15, 30 },
    { "minute", 1, 5, 15, 30 }, { "hour", 1, 3, 6, 12 }, { "day", 1, 2, 7, 14 }, { "month", 1, 2, 3, 6 },
    { "year", 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000 },
} do
    for i = 2, #row do
        DATE_STEPS[#DATE_STEPS + 1] = { row[i], row[1] }
    end
end

local MONDAY = 4 -- 1970-01-05, from which weeks are counted
local PER_DAY = { millisecond = 86400000, second = 86400, minute = 1440, hour = 24, day = 1 }
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
    local thousandths = math.floor((days - whole) * 86400000 + 0.5)
    local seconds = thousandths // 1000
    if unit == "second" or unit == "millisecond" then
        local clock = ("%02d:%02d:%02d"):format(seconds // 3600, seconds // 60 % 60, seconds % 60)
        return unit == "second" and clock or ("%s.%03d"):format(clock, thousandths % 1000)
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

-- Of candidates from fine to coarse the coarsest that has four ticks and more, else the one of most ticks.
local function chosen(candidates, low, high, whole, most, fits)
    local best = {}
    candidates(low, high, whole, most, function(found)
        if #found < #best and #best >= WANTED and #found < WANTED then
            return true
        elseif fits(found) and (#found >= WANTED or #found > #best) then
            best = found
        end
    end)
    return best
end

-- ---------------------------------------------------------------- powers of ten

-- Every stride-th power of ten, times each of the factors, between two powers low and high, at their logarithms.
local function powers(low, high, stride, factors)
    local at, largest, smallest = {}, 0, math.huge
    for power = math.ceil(low - 1) // stride * stride, math.floor(high), stride do
        for _, factor in ipairs(factors) do
            local value = power + math.log(factor, 10)
            if value >= low - 1e-9 and value <= high + 1e-9 then
                local x = power >= 0 and factor * 10.0 ^ power or factor / 10.0 ^ -power
                at[#at + 1] = { value = value, x = x, power = power }
                largest, smallest = math.max(largest, x), math.min(smallest, x)
            end
        end
    end
    for _, tick in ipairs(at) do
        tick.label = label_of(tick.x, tick.power, largest >= LARGE or smallest < SMALL)
    end
    return at
end

-- The ticks of a logarithmic axis: as many powers of ten as have room; where there are few, with 2 and 5 between; where
-- there are none of these, round numbers.
local function logarithmic(low, high, most, fits)
    local list = powers(low, high, 1, { 1 })
    local fine = powers(low, high, 1, { 1, 2, 5 })
    if #list < FEW and #fine > 1 and #fine <= most and fits(fine) then
        return fine
    end
    for _, stride in ipairs(#list > 1 and { 1, 2, 3, 5, 10, 20, 50, 100, 200 } or {}) do
        list = stride > 1 and powers(low, high, stride, { 1 }) or list
        if #list > 1 and #list <= math.min(most, POWERS) and fits(list) then
            return list
        end
    end
    local function placed(found)
        for _, tick in ipairs(found) do
            tick.value = math.log(tick.value, 10)
        end
        return fits(found)
    end
    local first, last = 10.0 ^ low, 10.0 ^ high
    return last > first and first > 0 and last < math.huge and chosen(numbers, first, last, false, most, placed) or {}
end

-- ---------------------------------------------------------------- of any kind

-- The text of a value on an axis of that kind, for its ends.
function ticks.text(value, kind)
    if kind == "dates" and math.abs(value) < FAR then
        local whole = math.floor(value)
        return value == whole and date_label(value, "day") or date_label(value, "hour"):sub(1, 6)
            .. date_label(value, "second")
    end
    return picture.label(kind == "log" and 10.0 ^ value or value)
end

-- The ticks of an axis from low to high, each { value =, label = }: the coarsest steps that give four of them and more,
-- else as many as there can be. kind: "whole" numbers, "dates" (days since 1970-01-01), "log" (the logarithms to base
-- ten of what the labels say), or nil; most: of all ticks; fits(list): whether they have room.
function ticks.of(low, high, kind, most, fits)
    if kind == "log" then
        return logarithmic(low, high, most, fits)
    end
    return chosen(kind == "dates" and dates or numbers, low, high, kind == "whole", most, fits)
end

return ticks
