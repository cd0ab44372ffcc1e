-- Prices of European options by Black and Scholes: a function with local helper functions, and captured numbers
-- that change from call to call without anything being compiled again.
-- Usage: lunarray examples/blackscholes.lua [options]
--     build/lunarray examples/blackscholes.lua 1000
-- prints:
--     volatility 0.2: calls 3.9373, puts 4.6185 on average
--     volatility 0.3: calls 5.0544, puts 5.7356 on average
--     volatility 0.4: calls 6.2327, puts 6.9139 on average
--     1000 options priced 3 times: ... ms
local lun = require "lunarray"

local n = tonumber(arg[1]) or 1000000
local spot = (lun.random(n, { seed = 1 }) * 25 + 5):eval()
local years = (lun.random(n, { seed = 2 }) * 9.75 + 0.25):eval()
local strike, rate, volatility = 20, 0.02, 0.3

-- The normal distribution by Abramowitz and Stegun 26.2.17, to 7.5e-8.
local function normal(d)
    local k = 1 / (1 + 0.2316419 * math.abs(d))
    local p = k * (0.319381530 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429))))
    local tail = 0.3989422804014327 * math.exp(-0.5 * d * d) * p
    return d < 0 and tail or 1 - tail
end

-- What a call costs, and what a put does.
local function prices(s, t)
    local width = volatility * math.sqrt(t)
    local d = (math.log(s / strike) + (rate + 0.5 * volatility * volatility) * t) / width
    local later = strike * math.exp(-rate * t)
    local call = s * normal(d) - later * normal(d - width)
    return call, call + later - s
end

local market = lun.zip(prices)
local ms, times = 0, 0
for _, v in ipairs { 0.2, 0.3, 0.4 } do
    volatility = v
    local start = lun.clock()
    local call, put = market(spot, years)
    lun.eval(call, put)
    ms, times = ms + 1e3 * (lun.clock() - start), times + 1
    for i = 1, n, math.max(1, n // 997) do
        local c, p = prices(spot[i], years[i])
        assert(math.abs(call[i] - c) < 1e-12 * (1 + c) and math.abs(put[i] - p) < 1e-12 * (1 + spot[i]), i)
    end
    print(("volatility %.1f: calls %.4f, puts %.4f on average"):format(v, call:mean(), put:mean()))
end
io.stderr:write(("%d options priced %d times: %.1f ms\n"):format(n, times, ms))
