-- Four years of weather, from a CSV file to a table and a picture:
--     build/lunarray examples/weather.lua examples/data/seattle-weather.csv
-- Columns: date (YYYY-MM-DD, in order), precipitation (mm), temp_max, temp_min (°C), wind (m/s).
-- prints: a line for each year and one for all, the weeks of the average year, means of 30 days, the number of kernels.
local lun = require "lunarray"

local function fail(message, ...)
    io.stderr:write("weather: ", message:format(...), "\n")
    os.exit(1, true)
end

local path = arg and arg[1]
    or fail "which file? usage: lunarray examples/weather.lua examples/data/seattle-weather.csv"
local w, message = lun.load(path)
if not w or #w == 0 then
    fail("%s", message or path .. ": a header, but no days")
end

-- The column of numbers called `name`, without gaps.
local function numbers(name)
    local column = w:has(name) and w[name]
        or fail("%s: no column '%s'; there are %s", path, name, table.concat(w:names(), ", "))
    for row, text in ipairs(column:dtype() == "text" and column:totable { missing = "" } or {}) do
        if not tonumber(text) then
            fail("%s: '%s' in row %d of column '%s' is no number", path, text, row, name)
        end
    end
    local gaps = column:isnan():count()
    return gaps == 0 and column or fail("%s: column '%s' has no number in %d of %d rows", path, name, gaps, #w)
end

-- The dates as days since 1970, each after the one before.
local function dates()
    if not w:has "date" then
        fail("%s: no column 'date'", path)
    elseif w.date:dtype() ~= "text" and w.date:dtype() ~= "date" then
        fail("%s: column 'date' does not hold dates such as 2012-01-31", path)
    end
    local days, complaint = lun.date.parse(w.date)
    local back = days and days:sub(2):le(days:sub(1, -2)):indices() or fail("%s: %s", path, complaint)
    if #back > 0 then
        local row = back[1]
        fail("%s: the date %s in row %d does not follow %s", path, w.date[row + 1], row + 1, w.date[row])
    end
    return days
end

-- What follows from the columns, day by day.
local days = dates()
local rain, high, low, wind = numbers "precipitation", numbers "temp_max", numbers "temp_min", numbers "wind"
local mean, kmh = (high + low) / 2, wind * 3.6
local chill = 13.12 + 0.6215 * mean - 11.37 * kmh ^ 0.16 + 0.3965 * mean * kmh ^ 0.16
local felt = lun.where(mean:le(10):land(kmh:gt(4.8)), chill, mean) -- the formula's own limits
local heat, cool = lun.max(18 - mean, 0), lun.max(mean - 18, 0) -- below 18 °C houses are heated, above cooled
local year, day = lun.eval(lun.date.year(days), lun.date.yearday(days))

-- The columns of the table for groups of days, computed together.
local function summary(g)
    return { lun.eval(g:mean(mean), g:mean(felt), g:min(low), g:max(high), g:sum(low:lt(0)), g:sum(rain),
        g:sum(rain:ge(1)), g:sum(heat), g:sum(cool)) }
end

-- The first day of each year by whose end half of its rain had fallen.
local years = lun.group(year)
local fallen = years:scan(rain, "+", 0, { inclusive = true })
local enough = fallen:ge(years:last(fallen):take(years:codes()) / 2):eval()
local half = lun.date.text(lun.group(year:compress(enough)):first(days:compress(enough)))
local by_year = summary(years)
for k, text in ipairs(half) do
    half[k] = by_year[6][k] == 0 and "-" or text:sub(6)
end

local function print_rows(names, columns, halves)
    for k, name in ipairs(names) do
        local x = {}
        for i, column in ipairs(columns) do
            x[i] = column[k]
        end
        table.insert(x, 8, halves[k])
        print((" %4s %5.1f %5.1f %6.1f %7.1f %5d %7.1f %4d %7s %7.0f %7.0f"):format(name, table.unpack(x)))
    end
end

local rule = " " .. ("─"):rep(74)
print(("Weather of %d days, %s to %s\n"):format(#w, w.date[1], w.date[#w]))
print " Year  Mean  Felt Lowest Highest Frost    Rain  Wet Half by    Heat    Cool"
print "         °C    °C     °C      °C  days      mm days          K·days  K·days"
print(rule)
print_rows(years:keys():totable(), by_year, half)
if #years > 1 then
    print(rule)
    print_rows({ "All" }, summary(lun.group(lun.zeros(#w))), { "" })
end
print "\n Felt: wind chill where it applies. Wet: 1 mm or more. Half by: then half the"
print " year's rain had fallen. Heat, Cool: degrees below and above 18 °C, summed up."

-- Colours only where someone sees them and has not asked for none.
local colour = (os.getenv "NO_COLOR" or "") == "" and os.getenv "TERM" ~= "dumb" and os.execute()
    and os.execute "test -t 1"

local STEP = 2.5 -- °C that a line of the picture is high

-- The sign for a week in the line from `bottom` up: the average day in half lines, around it the records.
local function sign(bottom, from, to, lowest, highest)
    local function within(a, b, part)
        local celsius = bottom + STEP * part
        return a <= celsius and celsius <= b
    end
    local upper, lower = within(from, to, 0.75), within(from, to, 0.25)
    return upper and lower and "█" or upper and "▀" or lower and "▄" or within(lowest, highest, 0.5) and "░" or " "
end

-- The picture of 52 weeks: Vectors of their average lows and highs and of their records.
local function draw(from, to, lowest, highest)
    local shades = { 63, 69, 75, 79, 114, 185, 215, 209, 203 } -- from cold to warm, in steps of 4 °C
    for i = math.ceil(highest:max() / STEP) - 1, math.floor(lowest:min() / STEP), -1 do
        local bottom, signs = i * STEP, {}
        for k = 1, 52 do
            signs[k] = sign(bottom, from[k], to[k], lowest[k], highest[k])
        end
        local band = table.concat(signs):gsub(" +$", "")
        if colour then
            local shade = shades[math.max(1, math.min(#shades, (bottom + STEP / 2) // 4 + 2))]
            band = ("\27[38;5;%dm%s\27[0m"):format(shade, band)
        end
        print((bottom % 5 == 0 and (" %3d °C ┤"):format(bottom) or "        │") .. band)
    end
    print("        └" .. ("─"):rep(52))
    print "         Jan Feb Mar Apr  May Jun Jul  Aug Sep  Oct Nov Dec"
end

-- 52 weeks of the years that are whole, then running means.
local whole = years:first(day):eq(1):land(years:count():ge(365)):eval()
local count = whole:count()
if count > 0 then
    local these = whole:take(years:codes()):land(day:le(364)):eval()
    local weeks = lun.group(((day - 1) // 7):compress(these))
    local lows, highs = low:compress(these), high:compress(these)
    print(("\nThe weeks of %s: █ average day from low to high, ░ records\n")
        :format(count == 1 and "one year" or count .. " years"))
    draw(lun.eval(weeks:mean(lows), weeks:mean(highs), weeks:min(lows), weeks:max(highs)))
    print "\nHighs and lows in °C, means of 30 days\n"
    local function smooth(x)
        local sums = x:scan("+", 0, { inclusive = true })
        return (sums:sub(31) - sums:sub(1, -31)) / 30
    end
    lun.plot(w.date:sub(16, -16), { high = smooth(high), low = smooth(low) },
        { width = 79, height = 12 })
end

local stats = lun.stats()
io.stderr:write(("%d kernels ran and moved %.1f kB.\n"):format(stats.launches,
    (stats.bytes_read + stats.bytes_written) / 1000))
