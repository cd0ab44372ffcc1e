-- Sums, products, means, variances and norms of floats along an axis that ranks share, without bringing lines together:
-- lanes of sums are handed on from rank to rank (blocklanes.lua). Bits are those of one rank: what is made of the sums
-- is what the engine makes of them. Knows no transport.

local blocked = require "lunarray.block.blocked"
local core = require "lunarray.core"
local dtypes = require "lunarray.base.dtypes"
local lanes = require "lunarray.block.blocklanes"
local rows = require "lunarray.block.blockrows"

local net = core.internal.spmd
local npes, mype = net.start()

-- ---------------------------------------------------------------- moments

local function sum_of(x)
    return { x = x, name = "sum", f = core.add, identity = 0 }
end

-- The mean by the sum of x and, where that may overflow, the one of x times 2^-64.
local function mean_of(sums, n)
    local mean = sums[1] / n
    return sums[2] and core.where(mean:isfinite(), mean, sums[2] / n * 0x1p64) or mean
end

local function items_of_mean(x, dtype)
    return { sum_of(x), dtype == "f64" and sum_of(x * 0x1p-64) or nil }
end

-- The sum of squared deviations by those of x - shift and of its square.
local function squares(sum, square, n)
    local m2 = square - sum * (sum / n)
    return core.where(m2:lt(0), 0.0, m2)
end

-- The first element of each line, 0 where it is not finite, on all ranks.
local function first_of(of, x)
    local pe = 0
    while select(2, of.range(pe)) == 0 do
        pe = pe + 1
    end
    local first = core.frombytes(net.bcast(pe, mype == pe and x:sub({ 1, 1 }, { 1, of.width }):tobytes() or nil), "f64")
    return core.where(first:isfinite(), first, 0.0):eval()
end

-- Where squares by a shift that is `off` away from the mean have lost digits.
local function rough(m2, mean, off, n)
    local lost = (off * off * n):gt(m2 * 1e4)
    return mean:isfinite():land(off:ne(0)):land(m2:isfinite():lnot():lor(lost))
end

local function variance(of, x, dtype, ddof)
    local shift, n = first_of(of, x), of.n + 0.0
    local d, items = x - shift:reshape(1, -1), items_of_mean(x, dtype)
    local sums = lanes.reduce(of, table.move({ sum_of(d), sum_of(d * d) }, 1, 2, #items + 1, items))
    local m2 = squares(sums[#sums - 1], sums[#sums], n):eval()
    local mean = mean_of(sums[4] and sums or { sums[1] }, n):eval()
    local again = rough(m2, mean, mean - shift, n):eval()
    if again:any() then
        d = x - mean:reshape(1, -1)
        sums = lanes.reduce(of, { sum_of(d), sum_of(d * d) })
        m2 = core.where(again, squares(sums[1], sums[2], n), m2)
    end
    return m2 / (n - ddof)
end

-- Where the sum of squares has left f64's range, of scaled elements, as the engine does it (prims/api/fold/lazy.h).
local function norm(of, x, dtype)
    local plain = lanes.reduce(of, { sum_of(x * x) })[1]:eval()
    local huge = plain:isinf()
    local again = huge:lor(plain:lt(0x1p-900)):eval()
    if dtype ~= "f64" or not again:any() then
        return plain:sqrt()
    end
    local scale = core.where(huge, 0x1p-600, 0x1p600):eval()
    x = x * scale:reshape(1, -1)
    local scaled = lanes.reduce(of, { sum_of(x * x) })[1]
    return core.where(again, scaled:sqrt() / scale, plain:sqrt())
end

-- ---------------------------------------------------------------- methods

local MOMENTS = {
    sum = function(of, x)
        return lanes.reduce(of, { sum_of(x) })[1]
    end,
    prod = function(of, x)
        return lanes.reduce(of, { { x = x, name = "prod", f = core.mul, identity = 1 } })[1]
    end,
    min = function(of, x)
        return lanes.reduce(of, { { x = x, name = "min", f = core.min, identity = 1 / 0 } })[1]
    end,
    max = function(of, x)
        return lanes.reduce(of, { { x = x, name = "max", f = core.max, identity = -1 / 0 } })[1]
    end,
    mean = function(of, x, dtype)
        return mean_of(lanes.reduce(of, items_of_mean(x, dtype)), of.n + 0.0)
    end,
    norm = norm,
    var = variance,
    std = function(of, x, dtype, ddof)
        return variance(of, x, dtype, ddof):sqrt()
    end,
}

-- a[name](a, ...) along axes that ranks share, a private f64 Vector with an element for each line, on all ranks; nil
-- where lines have no such form, or are brought together by moving less.
return function(a, name, along, options)
    local s, moment = blocked.spread_of(a), MOMENTS[name]
    local cut = moment and rows.cut_axis(s, along)
    options = type(options) == "table" and options or {}
    local ddof = options.ddof or 0
    local rounds = not (name == "min" or name == "max") or a:dtype():find "f"
    if not cut or not rounds or options.skipnan then
        return nil
    end
    local of, bytes = rows.division(s, along, cut, lanes.CHUNK), dtypes.by_name[a:dtype()].bytes
    if of.n * bytes <= 64 * 8 * npes or of.n <= ddof then
        return nil
    end
    local x = rows.of_part(blocked.part_of(a), along, of.width):cast "f64"
    return moment(of, x, a:dtype(), ddof)
end
