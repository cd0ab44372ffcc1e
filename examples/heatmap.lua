-- A heat map from a CSV file: a row for each year, a column for each week, the weekly mean of the daily high. To
-- the terminal as characters, to a file as a picture.
--     build/lunarray examples/heatmap.lua examples/data/seattle-weather.csv /tmp/heat.pgm
-- prints:
--     2012 |:. .:-...:::--==+-+*++=++**#**#%@#*%****==-=-::-:...|
--     2013 |.. .::::-:--+---+**+=+#**%##%%#%%#%##*=+=-----:- .:.|
--     2014 |:-::. :.-=---==-=++*+**+##%@##@%##*#%*+*++==-.-:---.|
--     2015 |:::-:-=--==-==-+=++*+*%##@@#%#@%%#****++++=--:..-:..|
--     2.1 to 31.4 degrees
--     wrote /tmp/heat.pgm
local lun = require "lunarray"

local path, picture = assert(arg[1], "which CSV file?"), arg[2]
local data = assert(lun.load(path))
local high, dates = data.temp_max, data.date

-- The running sum gives every weekly mean by one subtraction.
local sum = lun.vector { 0.0 } .. high:scan("+", 0, { inclusive = true })
local years, means = {}, {}
for day, date in ipairs(dates) do
    if date:find "%-01%-01$" then
        local from = sum:sub(day, day + 51 * 7, 7)
        local to = sum:sub(day + 7, day + 52 * 7, 7)
        years[#years + 1] = date:sub(1, 4)
        means[#means + 1] = ((to - from) / 7):eval()
    end
end

-- From the coldest week to the warmest: 0 to 255.
local all = means[1]
for i = 2, #means do
    all = all .. means[i]
end
local low, range = all:min(), all:max() - all:min()
local gray = ((all - low) * (255 / range)):cast "u8"

local shades = " .:-=+*#%@"
for i, year in ipairs(years) do
    local line = {}
    for _, x in gray:sub(52 * i - 51, 52 * i):iter() do
        local k = 1 + x * #shades // 256
        line[#line + 1] = shades:sub(k, k)
    end
    print(year .. " |" .. table.concat(line) .. "|")
end
print(("%.1f to %.1f degrees"):format(low, low + range))

if picture then
    assert(lun.save(picture, gray:reshape { #years, 52 }))
    print("wrote " .. picture)
end
