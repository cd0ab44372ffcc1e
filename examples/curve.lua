-- A curve through points: the year of temperatures in Seattle as a mean and a wave, whose height, time and length are
-- found by lun.curve_fit from a guess; the length comes out as about a year, although nothing says so.
-- prints:
--     mean      16.54 +- 0.10
--     height     8.97 +- 0.13
--     peak     208.19 +- 1.44
--     length   360.96 +- 0.77
local lun = require "lunarray"

local w = assert(lun.load "examples/data/seattle-weather.csv")
local y = w.temp_max
local day = lun.index(#y):cast "f64"

local function wave(t, mean, height, peak, length)
    return mean + height * lun.cos((t - peak) * (2 * math.pi) / length)
end

local p, covariance = lun.curve_fit(wave, day, y, { 15, 5, 200, 350 })
local errors = covariance:diagonal():sqrt()
for k, name in ipairs { "mean", "height", "peak", "length" } do
    print(("%-7s %7.2f +- %.2f"):format(name, p[k], errors[k]))
end

-- No wave near it is better.
local function squares(q) return ((wave(day, q[1], q[2], q[3], q[4]) - y) ^ 2):sum() end
local best = squares(p)
for k = 1, 4 do
    for _, by in ipairs { 0.999, 1.001 } do
        assert(squares(lun.where(lun.index(4):eq(k), p * by, p)) > best)
    end
end
assert(lun.grad(squares)(p):abs():max() < 1e-3 * best)
