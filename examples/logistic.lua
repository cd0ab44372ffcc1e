-- Logistic regression by derivatives: whether it rains tomorrow in Seattle, from today's weather. The loss is written
-- as a formula, lun.grad finds its derivative, lun.minimize the least loss.
-- prints:
--     3 columns, 5 rows
--        cause       coefficient      error
--        text                f64        f64
--     1  constant     -0.3932546  0.0616450
--     2  temp_max     -1.0835211  0.1575044
--     3  temp_min      0.5397012  0.1390116
--     4  wind         -0.0066323  0.0610466
--     5  rain today    0.6304674  0.0693472
--     right on 71.3 % of days, 57.3 % if it were always dry; loss 0.5601
local lun = require "lunarray"

local w = assert(lun.load "examples/data/seattle-weather.csv")
local n = #w.wind - 1
local function today(a) return a:sub(1, n):zscore() end

-- A row for each day, a column for each cause; the first is 1.
local names = { "constant", "temp_max", "temp_min", "wind", "rain today" }
local rain = w.precipitation:gt(0):cast "f64"
local X = lun.stack({ lun.ones(n), today(w.temp_max), today(w.temp_min), today(w.wind), today(rain) }, 2):eval()
local y = rain:sub(2, n + 1):copy():eval()

-- The mean of -log of the probability of what came, with a small weight on large coefficients.
local function loss(b)
    local s = X:matmul(b)
    return (s:softplus() - y * s):mean() + 1e-4 * b:dot(b)
end

local b, least, iterations = lun.minimize(loss, lun.zeros(#names), { tol = 1e-7 })
local errors = lun.hessian(loss)(b):inv():diagonal():sqrt() / n ^ 0.5
print(lun.table({ cause = names, coefficient = b, error = errors }, { "cause", "coefficient", "error" }))
local said = X:matmul(b):gt(0):cast "f64"
print(("right on %.1f %% of days, %.1f %% if it were always dry; loss %.4f"):format(100 * said:eq(y):mean(),
    100 * (1 - y:mean()), least))

-- At the least loss the derivative is 0, and it is that of differences.
local g = lun.grad(loss)
assert(g(b):abs():max() < 1e-7 and iterations < 100)
local step = lun.index(#names):eq(2):cast "f64" * 1e-6
assert(math.abs(g(b * 0)[2] - (loss(step) - loss(-step)) / 2e-6) < 1e-8)
