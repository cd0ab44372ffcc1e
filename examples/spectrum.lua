-- A spectrum: how much of the warmest temperatures of 1,461 days in Seattle is in waves of each length. Without the
-- mean, and through a window, so that the ends do not meet in a step.
-- prints:
--     the greatest wave: 365 days, 9.0 °C up and down
--        waves a year
--     8 ┤      ⡜⡄
--       │     ⢠⠃⢣
--     6 ┤     ⡜ ⠘⡄
--     4 ┤    ⢰⠁  ⢱
--     2 ┤   ⢠⠃   ⠈⡆   ⡀
--     0 ┤⠤⠒⠢⠎     ⠱⠔⠒⠉⠈⠑⠢⠤⠤⠤⠤⠤⠤⣀⣀⣀⠤⠤⠤⠤⠤⣀⣀⣀⠤⠤⠒⠒⠒⠒⠒⠒⠢⠤⠤⠤⠤⣀⡠⠤⠤⠤⠤
--       └┬────────────┬────────────┬───────────┬────────────┬
--        0            2            4           6            8
--     the season explains 77 % of the variance
local lun = require "lunarray"

local w = assert(lun.load "examples/data/seattle-weather.csv")
local n = #w.temp_max
local x = (w.temp_max - w.temp_max:mean()) * lun.hanning(n)

-- The amplitude of each wave: a wave is in two elements of the transform, of which rfft gives one, and the window lets
-- half of it through.
local amplitude = (x:rfft():abs() * (4 / n)):eval()
local frequency = lun.rfftfreq(n, 1 / 365.25) -- in waves a year

local k = amplitude:argmax()
print(("the greatest wave: %.0f days, %.1f °C up and down"):format(365.25 / frequency[k], amplitude[k]))
print(lun.plot(frequency:sub(1, 33), amplitude:sub(1, 33),
    { width = 64, height = 6, string = true, title = "waves a year" }))

-- The transform of the waves below two a year alone gives the season of each day, without the weather.
local season = lun.where(frequency:lt(2), (w.temp_max - w.temp_max:mean()):rfft(), 0):irfft { n = n }
print(("the season explains %.0f %% of the variance"):format(100 * season:var() / w.temp_max:var()))
