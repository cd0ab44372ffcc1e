-- Three sensors read the temperature each minute for a week. Some readings are missing, some are wrong by 40 °C, and
-- one sensor is silent for a night: medians of the hours leave out what is missing and hold out against what is wrong.
-- prints:
--     8 columns, 8 rows
--        sensor  hour  readings      low   median     high     mean    truth
--           i64   i64       i64      f64      f64      f64      f64      f64
--     1       2    76         0      nan      nan      nan      nan  14.2664
--     2       2    77         0      nan      nan      nan      nan  15.2815
--     3       2    78         0      nan      nan      nan      nan  16.1576
--     4       2    79         0      nan      nan      nan      nan  16.8949
--     5       2    80        54  17.2584  17.4141  17.7020  18.1978  17.4933
--     6       2    81        56  17.6504  17.8828  18.2453  19.3481  17.9528
--     7       2    82        59  18.0428  18.3130  18.5658  18.2974  18.2734
--     8       2    83        56  18.2423  18.4142  18.6813  19.1495  18.4551
--     5 columns, 3 rows
--        sensor  missing  empty  median_off  mean_off
--           i64      i64    i64         f64       f64
--     1       1      604      0    0.172526   3.59570
--     2       2     1033      8    0.189017   3.69431
--     3       3      617      0    0.204290   3.45576
--         sensor 2: medians of the hours in °C, by day
--        │                                                    ⡤⣀      ⢠⠚⠉⢢
--     20 ┤                                 ⢀⡀      ⢀⠖⠒⡄     ⢠⠊  ⢣    ⢠⠃   ⢣
--     18 ┤                      ⢀⠤⢤       ⠜⠁⠑⢄    ⢀⠎  ⠈⢢    ⡇    ⢣   ⡜     ⢇
--     16 ┤    ⣀⡀      ⢀⠔⠚⠢⡀    ⢀⠜  ⠑⢄        ⠈⡆   ⡎    ⠈⡆  ⡰⠁    ⢸  ⡰⠁     ⢸
--     14 ┤   ⡎ ⠈⠑⡄    ⡜   ⢸    ⡎    ⢸         ⢣  ⢰⠁     ⢣ ⢠⠃      ⢇⢀⠇      ⠈⡆
--     12 ┤  ⡜    ⢇   ⡜     ⢇  ⢸      ⢇        ⠈⡆ ⡎      ⠈⡆⡎       ⠘⣼        ⠘
--        │ ⡰⠁    ⠈⡆  ⡇     ⠘⡄ ⡎      ⠘⡄        ⠸⣸        ⠸⠇        ⠉
--     10 ┤ ⡇      ⠸⡀⡸       ⢱⢰⠁       ⢱         ⠃
--      8 ┤⢠⠃       ⣇⠇       ⠸⠎
--      6 ┤⡜        ⠉
--        └┬──────────────────┬──────────────────┬──────────────────┬─────────
--         0                  2                  4                  6
local lun = require "lunarray"

local sensors, hours = 3, 24 * 7
local n = sensors * hours * 60

-- The readings in the order of time, made up: warm at noon, warmer from day to day, sensors 0.5 °C apart.
local i = lun.index(n) - 1
local sensor, minute = i % sensors + 1, i // sensors
local hour = minute // 60
local noon = minute % 1440 / 720 - 1 -- 0 at noon, -1 and 1 at midnight
local truth = (14 + sensor * 0.5 + minute / 1440 - 10 * noon * noon):eval()
local celsius = truth + lun.random(n, { seed = 1 }) - 0.5
celsius = lun.where(lun.random(n, { seed = 2 }):lt(0.02), celsius + 40, celsius)
local silent = sensor:eq(2):land(hour:ge(72)):land(hour:lt(80))
celsius = lun.where(silent:lor(lun.random(n, { seed = 3 }):lt(0.06)), 0 / 0, celsius):eval()

-- A group for each hour of each sensor.
local g = lun.group(sensor, hour)
local sensor_of, hour_of = g:keys()
local readings = g:sum(celsius:isnan():lnot())
local median, mean = g:median(celsius, { skipnan = true }), g:mean(celsius, { skipnan = true })
local middle = g:quantile(celsius, { 0.25, 0.75 }, { skipnan = true })
local medians = lun.table({ sensor = sensor_of, hour = hour_of, readings = readings, median = median, mean = mean,
    low = middle:row(1), high = middle:row(2), truth = g:mean(truth) },
    { "sensor", "hour", "readings", "low", "median", "high", "mean", "truth" })
print(lun.rows(medians, medians.sensor:eq(2):land(medians.hour:ge(76)):land(medians.hour:lt(84))))

-- By sensor: what is missing, hours without a reading, the largest errors of medians and of means.
local s = lun.group(medians.sensor)
local function worst(column)
    return s:max((column - medians.truth):abs(), { skipnan = true })
end
local summary = lun.table({ sensor = s:keys(), missing = hours * 60 - s:sum(medians.readings),
    empty = s:sum(medians.readings:eq(0)), median_off = worst(medians.median), mean_off = worst(medians.mean) },
    { "sensor", "missing", "empty", "median_off", "mean_off" })
print(summary)
assert(summary.median_off:max() < 0.5 and summary.mean_off:min() > 1)

lun.plot(medians.hour:sub(1, hours) / 24, medians.median:view { sensors, hours }:row(2),
    { width = 79, height = 10, title = "sensor 2: medians of the hours in °C, by day" })

-- The same, one reading after the other.
local lists = {}
for k, x in celsius:iter() do
    local key = sensor[k] * 1000 + hour[k]
    lists[key] = lists[key] or {}
    if x == x then
        table.insert(lists[key], x)
    end
end
for k = 1, #medians do
    local list = lists[medians.sensor[k] * 1000 + medians.hour[k]]
    table.sort(list)
    assert(#list == medians.readings[k])
    local wanted = #list > 0 and (list[(#list + 1) // 2] + list[#list // 2 + 1]) / 2
    local found = medians.median[k]
    assert(wanted and math.abs(found - wanted) < 1e-12 or not wanted and found ~= found, k)
end
