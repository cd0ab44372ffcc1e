-- From file to file: a CSV file in, one with derived columns out. All new columns are computed in one go.
--     build/lunarray examples/pipeline.lua examples/data/seattle-weather.csv /tmp/derived.csv
-- prints:
--     day,mean,spread,fahrenheit,frost
--     2012-01-01,8.9,7.800000000000001,48.019999999999996,false
--     2012-01-02,6.699999999999999,7.8,44.06,false
--     2012-01-03,9.45,4.499999999999999,49.01,false
--     1461 rows, 72 days of frost
--     1 kernel ran
local lun = require "lunarray"

local from, to = assert(arg[1], "which CSV file?"), assert(arg[2], "to which file?")
local t = assert(lun.load(from))

local mean = (t.temp_max + t.temp_min) / 2
local fahrenheit = mean * 1.8 + 32
local spread = t.temp_max - t.temp_min
local frost = t.temp_min:lt(0)
lun.stats "reset"
mean, fahrenheit, spread, frost = lun.eval(mean, fahrenheit, spread, frost)
local kernels = lun.stats().launches

assert(lun.save(to, { day = t.date, mean = mean, spread = spread, fahrenheit = fahrenheit, frost = frost },
    { names = { "day", "mean", "spread", "fahrenheit", "frost" } }))

local line_number = 0
for line in io.lines(to) do
    line_number = line_number + 1
    if line_number <= 4 then
        print(line)
    end
end
print(("%d rows, %d days of frost"):format(#mean, frost:count()))
io.stderr:write(("%d kernel%s ran\n"):format(kernels, kernels == 1 and "" or "s"))
