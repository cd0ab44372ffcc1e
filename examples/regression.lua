-- Least squares with standard errors, by the normal equations: tomorrow's highest temperature in Seattle from today's
-- weather and the time of the year.
-- prints:
--     4 columns, 7 rows
--        cause          coefficient      error          t
--        text                   f64        f64        f64
--     1  constant         5.2480063  0.3580454   14.65738
--     2  temp_max         0.6412357  0.0234159   27.38462
--     3  temp_min         0.1180116  0.0324262    3.63939
--     4  wind            -0.0721185  0.0517659   -1.39317
--     5  precipitation   -0.0306956  0.0115814   -2.65042
--     6  cos(year)       -2.3869019  0.1976797  -12.07459
--     7  sin(year)       -0.5640318  0.1205457   -4.67899
--     explained: 87.2 %, 2.64 °C remain
local lun = require "lunarray"

local w = assert(lun.load "examples/data/seattle-weather.csv")
local n = #w.wind - 1
local today, tomorrow = { 1, n }, { 2, n + 1 }
local function column(a, days) return a:sub(table.unpack(days)) end

-- A column for each cause; the first is 1.
local day = lun.index(n) * (2 * math.pi / 365.25)
local names = { "constant", "temp_max", "temp_min", "wind", "precipitation", "cos(year)", "sin(year)" }
local X = lun.stack { lun.ones(n), column(w.temp_max, today), column(w.temp_min, today), column(w.wind, today),
    column(w.precipitation, today), day:cos(), day:sin() }:transpose()
local y = column(w.temp_max, tomorrow)

-- X'X b = X'y: a Cholesky factor, two triangular solutions.
local A, c = X:transpose():matmul(X), X:transpose():matmul(y)
local L = A:cholesky()
local b = L:solve_triangular(L:solve_triangular(c), { transpose = true })
local residual = (y - X:matmul(b)):eval()
local variance = residual:dot(residual) / (n - #names)
local deviation = (A:inv():diagonal() * variance):sqrt()
print(lun.table({ cause = names, coefficient = b, error = deviation, t = b / deviation },
    { "cause", "coefficient", "error", "t" }))
print(("explained: %.1f %%, %.2f °C remain"):format(100 * (1 - residual:var() / y:var()), variance ^ 0.5))

-- The residual is orthogonal to every cause, and tomorrow as today is worse.
assert(X:transpose():matmul(residual):abs():max() < 1e-6)
assert(residual:std() < (y - column(w.temp_max, today)):std())
