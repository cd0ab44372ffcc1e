-- Four years of weather, from a CSV file to a table and a picture:
--
--     build/lunarray examples/weather.lua examples/data/seattle-weather.csv
--
-- Columns: date (YYYY-MM-DD, in order), precipitation (mm), temp_max, temp_min (°C), wind (m/s).
-- Every figure comes from a kernel. Lua only finds where years begin and lays out text.

local lun = require "lunarray"

local function fail(message, ...)
    io.stderr:write("weather: ", message:format(...), "\n")
    os.exit(1, true)
end

-- ---------------------------------------------------------------- input

-- The column of numbers called `name`, without gaps.
local function numbers(data, name, path)
    local column = data[name]
    if column == nil then
        local there = table.concat(getmetatable(data).names, ", ")
        fail("%s: no column '%s'; there are %s", path, name, there)
    elseif type(column) == "table" then
        for row, text in ipairs(column) do
            if not text:find("^%-?[%d.]+$") then
                fail("%s: '%s' in row %d of column '%s' is no number", path, text, row, name)
            end
        end
        fail("%s: column '%s' does not hold numbers", path, name)
    end
    local missing = column:isnan():count()
    if missing > 0 then
        fail("%s: column '%s' has no number in %d of %d rows", path, name, missing, #column)
    end
    return column
end

-- The dates as a list of strings, each after the one before.
local function days(data, path)
    local dates = data.date
    if dates == nil then
        fail("%s: no column 'date'", path)
    elseif type(dates) ~= "table" then
        fail("%s: column 'date' does not hold dates such as 2012-01-31", path)
    end
    for row, date in ipairs(dates) do
        local month, day = date:match("^%d%d%d%d%-(%d%d)%-(%d%d)$")
        if not month or month < "01" or month > "12" or day < "01" or day > "31" then
            fail("%s: '%s' in row %d is no date such as 2012-01-31", path, date, row)
        elseif row > 1 and date <= dates[row - 1] then
            fail("%s: the date %s in row %d does not follow %s", path, date, row, dates[row - 1])
        end
    end
    return dates
end

local function read(path)
    local data, message = lun.load(path)
    if not data then
        fail("%s", message)
    elseif #data == 0 then
        fail("%s: a header, but no days", path)
    end
    return {
        date = days(data, path),
        rain = numbers(data, "precipitation", path),
        high = numbers(data, "temp_max", path),
        low = numbers(data, "temp_min", path),
        wind = numbers(data, "wind", path),
    }
end

-- The years in the data: where each begins and ends.
local function years_of(dates)
    local years = {}
    for row, date in ipairs(dates) do
        local year = years[#years]
        if not year or year.name ~= date:sub(1, 4) then
            year = { name = date:sub(1, 4), first = row }
            years[#years + 1] = year
        end
        year.last = row
    end
    return years
end

-- ---------------------------------------------------------------- computing

local BASE = 18 -- °C: below it houses are heated, above it cooled

-- What follows from the columns, day by day. Nothing runs before lun.eval, which makes it all in
-- as few passes as it can.
local function derive(w)
    local mean = (w.high + w.low) / 2
    local kmh = w.wind * 3.6
    local p = kmh ^ 0.16
    local chill = 13.12 + 0.6215 * mean - 11.37 * p + 0.3965 * mean * p
    local felt = lun.where(mean:le(10):land(kmh:gt(4.8)), chill, mean) -- the formula's own limits
    local heating = lun.max(BASE - mean, 0)
    local cooling = lun.max(mean - BASE, 0)
    local fallen = lun.scan("+", 0, { inclusive = true })(w.rain)
    w.mean, w.felt, w.heating, w.cooling, w.fallen = lun.eval(mean, felt, heating, cooling, fallen)
end

-- The first day of a year, from `first` to `last`, by whose end half of its rain had fallen.
local function half_of_rain(w, first, last)
    local before = first > 1 and w.fallen[first - 1] or 0
    local total = w.fallen[last] - before
    if total == 0 then
        return "-"
    end
    local short = (w.fallen:sub(first, last) - before):lt(total / 2):count()
    return w.date[first + short]:sub(6)
end

-- One line of the table: the days from `first` to `last`, of one year or of all.
local function summary(w, name, first, last)
    local function of(column)
        return column:sub(first, last)
    end
    return {
        name,
        of(w.mean):mean(),
        of(w.felt):mean(),
        of(w.low):min(),
        of(w.high):max(),
        of(w.low):lt(0):count(),
        of(w.rain):sum(),
        of(w.rain):ge(1):count(),
        name == "All" and "" or half_of_rain(w, first, last),
        of(w.heating):sum(),
        of(w.cooling):sum(),
    }
end

-- The average and the record temperatures of each of 52 weeks, over the full years; nil if there
-- is none.
local function weeks_of(w, years)
    local count, low, high, lowest, highest = 0, nil, nil, nil, nil
    for _, year in ipairs(years) do
        local first, last = year.first, year.first + 363
        if year.last > last and w.date[first]:sub(6) == "01-01" then
            local l, h = w.low:sub(first, last), w.high:sub(first, last)
            count = count + 1
            low, high = low and low + l or l, high and high + h or h
            lowest = lowest and lun.min(lowest, l) or l
            highest = highest and lun.max(highest, h) or h
        end
    end
    if count == 0 then
        return nil
    end
    low, high, lowest, highest = lun.eval(low / count, high / count, lowest, highest)
    local weeks = { years = count }
    for i = 1, 52 do
        local first, last = 7 * i - 6, 7 * i
        weeks[i] = {
            low = low:sub(first, last):mean(),
            high = high:sub(first, last):mean(),
            lowest = lowest:sub(first, last):min(),
            highest = highest:sub(first, last):max(),
        }
    end
    return weeks
end

local SMOOTH = 30 -- days that a running mean is of

-- The running means of the highs and lows, and the days in their middle.
local function smoothed(w)
    local function mean(column)
        local sums = lun.scan("+", 0, { inclusive = true })(column)
        return (sums:sub(SMOOTH + 1) - sums:sub(1, -SMOOTH - 1)) / SMOOTH
    end
    local middle = SMOOTH // 2 + 1
    local dates = table.move(w.date, middle, middle + #w.date - SMOOTH - 1, 1, {})
    return dates, { high = mean(w.high), low = mean(w.low) }
end

-- ---------------------------------------------------------------- layout

-- Colours only where someone sees them and has not asked for none.
local function wants_colour()
    if (os.getenv "NO_COLOR" or "") ~= "" or os.getenv "TERM" == "dumb" then
        return false
    end
    return os.execute() and os.execute "test -t 1" == true
end

local function painted(text, colour)
    return colour and ("\27[38;5;%dm%s\27[0m"):format(colour, text) or text
end

local columns = {
    { "Year", "", 4, "%s" },
    { "Mean", "°C", 5, "%.1f" },
    { "Felt", "°C", 5, "%.1f" },
    { "Lowest", "°C", 6, "%.1f" },
    { "Highest", "°C", 7, "%.1f" },
    { "Frost", "days", 5, "%d" },
    { "Rain", "mm", 7, "%.1f" },
    { "Wet", "days", 4, "%d" },
    { "Half by", "", 7, "%s" },
    { "Heat", "K·days", 7, "%.0f" },
    { "Cool", "K·days", 7, "%.0f" },
}

-- `text` at the right of `width` columns of the screen.
local function right(text, width)
    return (" "):rep(width - utf8.len(text)) .. text
end

local function print_table(rows)
    local function line(cell)
        local cells = {}
        for i, column in ipairs(columns) do
            cells[i] = right(cell(i, column), column[3])
        end
        print(" " .. table.concat(cells, " "))
    end
    local function rule()
        local dashes = {}
        for i, column in ipairs(columns) do
            dashes[i] = ("─"):rep(column[3])
        end
        print(" " .. table.concat(dashes, "─"))
    end
    line(function(_, column) return column[1] end)
    line(function(_, column) return column[2] end)
    rule()
    for i, row in ipairs(rows) do
        if i == #rows and i > 1 then
            rule()
        end
        line(function(k, column)
            local x = row[k]
            return type(x) == "string" and x or column[4]:format(x)
        end)
    end
end

-- From cold to warm: below so many °C, this one of a terminal's 256 colours.
local shades = { { 0, 63 }, { 4, 69 }, { 8, 75 }, { 12, 79 }, { 16, 114 }, { 20, 185 }, { 24, 215 },
    { 28, 209 }, { math.huge, 203 } }

local function shade(celsius)
    for _, s in ipairs(shades) do
        if celsius < s[1] then
            return s[2]
        end
    end
end

local STEP = 2.5 -- °C that a line of the picture is high

-- The sign for one week in the line from `bottom` up: the average band in half lines, around it
-- the range of the records.
local function sign(week, bottom)
    local function within(a, b, part)
        local celsius = bottom + STEP * part
        return a <= celsius and celsius <= b
    end
    local upper, lower = within(week.low, week.high, 0.75), within(week.low, week.high, 0.25)
    if upper or lower then
        return upper and lower and "█" or upper and "▀" or "▄"
    end
    return within(week.lowest, week.highest, 0.5) and "░" or " "
end

local function print_picture(weeks, colour)
    local lowest, highest = math.huge, -math.huge
    for _, week in ipairs(weeks) do
        lowest, highest = math.min(lowest, week.lowest), math.max(highest, week.highest)
    end
    local top = math.ceil(highest / STEP) - 1
    for i = top, math.floor(lowest / STEP), -1 do
        local bottom = i * STEP
        local label = bottom % 5 == 0 and ("%3d °C ┤"):format(bottom) or "       │"
        local signs = {}
        for k, week in ipairs(weeks) do
            signs[k] = sign(week, bottom)
        end
        local band = table.concat(signs):gsub(" +$", "")
        print(" " .. label .. painted(band, colour and shade(bottom + STEP / 2)))
    end
    print("        └" .. ("─"):rep(52))
    print("         Jan Feb Mar Apr  May Jun Jul  Aug Sep  Oct Nov Dec")
end

-- 1234567 as "1.2 MB".
local function bytes(n)
    local units, i = { "B", "kB", "MB", "GB" }, 1
    while n >= 1000 and i < #units do
        n, i = n / 1000, i + 1
    end
    return (i == 1 and "%d %s" or "%.1f %s"):format(n, units[i])
end

-- ---------------------------------------------------------------- all of it

local path = arg and arg[1]
if not path then
    fail("which file? usage: lunarray examples/weather.lua examples/data/seattle-weather.csv")
end
local w = read(path)
local years = years_of(w.date)
derive(w)

local rows = {}
for i, year in ipairs(years) do
    rows[i] = summary(w, year.name, year.first, year.last)
end
if #years > 1 then
    rows[#rows + 1] = summary(w, "All", 1, #w.date)
end
print(("Weather of %d days, %s to %s\n"):format(#w.date, w.date[1], w.date[#w.date]))
print_table(rows)
print "\n Felt: wind chill where it applies. Wet: 1 mm or more. Half by: then half the"
print " year's rain had fallen. Heat, Cool: degrees below and above 18 °C, summed up."

local weeks = weeks_of(w, years)
if weeks then
    local many = weeks.years == 1 and "one year" or weeks.years .. " years"
    print(("\nThe weeks of %s: █ average day from low to high, ░ records\n"):format(many))
    print_picture(weeks, wants_colour())
    print(("\nHighs and lows in °C, means of %d days\n"):format(SMOOTH))
    local dates, means = smoothed(w)
    lun.plot(dates, means, { width = 79, height = 12 })
end

local stats = lun.stats()
local moved = bytes(stats.bytes_read + stats.bytes_written)
print(("\n%d kernels ran and moved %s."):format(stats.launches, moved))
