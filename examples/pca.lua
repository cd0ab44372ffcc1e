-- Principal components: four measurements of each day's weather in Seattle, standardised, are turned so that the first
-- new axis has as much of their variance as one axis can have, the second as much of the rest, and so on.
-- prints:
--     6 columns, 4 rows
--        axis      share  precipitation   temp_max    temp_min        wind
--         i64        f64            f64        f64         f64         f64
--     1     1  0.4970906      -0.286363  0.6710463   0.6347157  -0.2546160
--     2     2  0.3072736       0.638270  0.1985776   0.3428010   0.6600499
--     3     3  0.1682718      -0.705252  0.0236707  -0.0599933   0.7060171
--     4     4  0.0273641       0.115011  0.7139352  -0.6899451   0.0323224
--     furthest along the first axis: 2014-08-11, 35.6 °C
local lun = require "lunarray"

local w = assert(lun.load "examples/data/seattle-weather.csv")
local names = { "precipitation", "temp_max", "temp_min", "wind" }
local columns = {}
for k, name in ipairs(names) do
    columns[k] = w[name]:zscore()
end
local X = lun.stack(columns, 2):eval()

-- The eigenvectors of the correlations, the greatest eigenvalue first.
local values, vectors = (X:transpose():matmul(X) / #w.wind):eigh()
values, vectors = values:flip(), vectors:flip(2)
local parts = { axis = lun.index(4), share = values / values:sum() }
for k, name in ipairs(names) do
    parts[name] = vectors[k]
end
print(lun.table(parts, { "axis", "share", table.unpack(names) }))

-- Days on the new axes: uncorrelated, with the eigenvalues as variances.
local days = X:matmul(vectors):eval()
assert((days:transpose():cov { ddof = 0 } - values:diag()):abs():max() < 1e-12)
local warm = days:col(1):argmax()
print(("furthest along the first axis: %s, %.1f °C"):format(w.date[warm], w.temp_max[warm]))
