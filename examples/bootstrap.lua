-- The bootstrap (Efron, 1979): how far from the truth may the median of a sample be? Of the wind on rainy days in
-- Seattle 2,000 samples of the same size are drawn again, with replacement, and each has its median; then the same for
-- the difference from dry days.
-- prints:
--     median on rainy days     3.50 m/s, from 3.40 to 3.80 in 95 % of samples
--     median on dry days       2.70 m/s, from 2.60 to 2.80 in 95 % of samples
--     difference               0.80 m/s, from 0.60 to 1.20 in 95 % of samples
--     medians of 100 and of 400: 2.0 times as far apart
local lun = require "lunarray"

local w = assert(lun.load "examples/data/seattle-weather.csv")
local rain, dry = w.wind:compress(w.precipitation:gt(0)), w.wind:compress(w.precipitation:eq(0))
local samples = 2000

-- A row for each sample.
local function medians(x, seed)
    return lun.choice(x, { samples, #x }, { seed = seed }):quantile(0.5, { axis = 2 }):eval()
end

local function report(name, found, drawn)
    local q = drawn:quantile { 0.025, 0.975 }
    print(("%-24s %.2f m/s, from %.2f to %.2f in 95 %% of samples"):format(name, found, q[1], q[2]))
    assert(q[1] <= found and found <= q[2])
end

local wet, calm = medians(rain, 1), medians(dry, 2)
report("median on rainy days", rain:median(), wet)
report("median on dry days", dry:median(), calm)
report("difference", rain:median() - dry:median(), wet - calm)

-- Without samples: of medians of n numbers half as far apart where n is four times as large.
local normal = lun.random({ samples, 400 }, { dist = "normal", seed = 3 })
local few, many = normal:sub({}, { 1, 100 }):quantile(0.5, { axis = 2 }):std(), normal:quantile(0.5, { axis = 2 }):std()
print(("medians of 100 and of 400: %.1f times as far apart"):format(few / many))
