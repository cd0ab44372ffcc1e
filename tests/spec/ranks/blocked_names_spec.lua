-- Names of lunarray/names of blocked arrays, as methods and as functions of the module: what they give is what they give of
-- a private array, bit for bit, on several numbers of ranks.

local onranks = require "onranks"

local _, holds = onranks.blocked(onranks.scratch(setup, teardown), assert)

-- Calls by name, with their arguments: of a Vector of numbers, of integers, of a matrix, of a square one.
local CALLS = [[
local NUMBERS = {
    { "tile", 2 }, { "repeat_", 2 }, { "roll", 3 }, { "flip" }, { "expand_dims", 1 }, { "squeeze" }, { "delete", { 2, 5 } },
    { "insert", 3, 0.5 }, { "trim_zeros" }, { "split", 4 }, { "vander", 3 }, { "diag" }, { "zeros_like" }, { "ones_like" },
    { "full_like", 2.5 }, { "itemsize" }, { "nbytes" }, { "cumsum" }, { "cumprod" }, { "cummax" }, { "cummin" }, { "diff" },
    { "gradient" }, { "trapz" }, { "average" }, { "ptp" }, { "nansum" }, { "nanmean" }, { "nanmin" }, { "nanmax" },
    { "nanstd" }, { "nanmedian" }, { "count_nonzero" }, { "square" }, { "reciprocal" }, { "rint" }, { "modf" }, { "signbit" },
    { "fmod", 3 }, { "ldexp", 2 }, { "frexp" }, { "nextafter", 3 }, { "logaddexp", 1 }, { "heaviside", 0.5 }, { "deg2rad" },
    { "rad2deg" }, { "sinpi" }, { "sinc" }, { "expit" }, { "logit" }, { "softplus" }, { "minimum", 3 }, { "maximum", 3 },
    { "clip", 2, 5 }, { "nan_to_num" }, { "isclose", 3 }, { "allclose", 3 }, { "equals", 3 }, { "digitize", { 2, 5, 9 } },
    { "digitize", lun.vector { 2.0, 5.0 } }, { "interp", lun.vector { 1.0, 4.0 }, lun.vector { 3.0, 7.0 } }, { "argwhere" },
    { "nonzero" }, { "unique_values" }, { "unique_counts" }, { "unique_inverse" }, { "unique_all" }, { "isin", { 1, 2, 3 } },
    { "intersect", { 1, 2 } }, { "union", { 1, 2 } }, { "setdiff", { 1, 2 } }, { "setxor", { 1, 2 } }, { "nunique" },
    { "mode" }, { "value_counts" }, { "rank" }, { "percentile", 30 }, { "moment", 2 }, { "skew" }, { "kurtosis" },
    { "zscore" }, { "describe" }, { "pct_change" }, { "naif", 3 }, { "ffill" }, { "bfill" }, { "interpolate" },
    { "rolling", 3, "mean" }, { "ewm", 0.5 }, { "cut", { 0, 3, 6, 20 } }, { "qcut", 3 }, { "roots" }, { "polyder" },
    { "polyint" }, { "polyval", 0.5 }, { "i0" }, { "medfilt", 3 }, { "savgol", 5, 2 }, { "gaussian", 1 }, { "fft" },
    { "rfft" }, { "fftshift" }, { "convolve", lun.vector { 1.0, 2.0 } }, { "vector_norm" }, { "outer", lun.vector { 1.0, 2.0 } },
    { "kron", lun.vector { 1.0, 2.0 } }, { "shuffle", { seed = 3 } },
}
local INTEGERS = {
    { "popcount" }, { "clz" }, { "ctz" }, { "sar", 1 }, { "gcd", 4 }, { "lcm", 4 }, { "ipow", 2 }, { "lxor", 5 },
    { "bincount" }, { "cumsum" }, { "diff" }, { "mode" }, { "isin", { 1, 2 } }, { "nunique" },
}
local MATRIX = {
    { "cumsum", { axis = 1 } }, { "cumsum", { axis = 2 } }, { "cumprod", { axis = 2 } }, { "diff", { axis = 1 } },
    { "diff", { axis = 2 } }, { "roll", 1, { axis = 2 } }, { "flip", { axis = 1 } }, { "tile", { 2, 1 } }, { "tril" }, { "triu", 1 },
    { "swapaxes", 1, 2 }, { "matrix_transpose" }, { "moveaxis", 1, 2 }, { "rot90" }, { "unstack" }, { "cov" }, { "corrcoef" },
    { "nansum", { axis = 1 } }, { "nanmean", { axis = 2 } }, { "ptp", { axis = 1 } }, { "percentile", 40, { axis = 1 } },
    { "zscore", { axis = 1 } }, { "skew", { axis = 2 } }, { "square" }, { "clip", 1, 4 }, { "count_nonzero", { axis = 1 } },
    { "svdvals" }, { "pinv" }, { "matrix_rank" }, { "qr" }, { "matrix_norm" }, { "fft" }, { "fftn" },
}
local SQUARE = {
    { "solve", lun.vector { 1.0, 2.0, 3.0, 4.0 } }, { "inv" }, { "det" }, { "slogdet" }, { "lu" }, { "matrix_power", 3 },
    { "eigh" }, { "eigvals" }, { "cond" },
}

local function bytes(x)
    if lun.isarray(x) then
        local whole = x:kind() == "Blocked" and x:copy():distribute("copy", { over = "ranks" }) or x
        return ("%s %s %s"):format(whole:dtype(), table.concat({ whole:shape() }, ","), whole:tobytes())
    elseif type(x) == "table" and not getmetatable(x) then
        local list = {}
        for k, y in ipairs(x) do
            list[k] = bytes(y)
        end
        return table.concat(list, "|")
    end
    return math.type(x) == "float" and string.pack("d", x) or tostring(x)
end

local function all_bytes(...)
    local list = table.pack(...)
    for k = 1, list.n do
        list[k] = bytes(list[k])
    end
    return table.concat(list, "; ")
end

local function check(calls, x, axis)
    for _, call in ipairs(calls) do
        local name = call[1]
        local want = all_bytes(x:copy()[name](x:copy(), table.unpack(call, 2)))
        local a = blocked(x, axis)
        assert(a:kind() == "Blocked")
        assert(all_bytes(a[name](a, table.unpack(call, 2))) == want, "a:" .. name)
        a = blocked(x, axis)
        assert(all_bytes(lun[name](a, table.unpack(call, 2))) == want, "lun." .. name)
    end
end
]]

describe("names of blocked arrays", function()
    for _, case in ipairs {
        { "Vectors", "for _, N in ipairs { 8, 24 } do check(NUMBERS, ((lun.index(N) * 7) % 11 * 0.75 + 1):eval()) end" },
        { "Vectors of integers", "check(INTEGERS, ((lun.index(23) * 7) % 11 + 1):eval())" },
        { "matrices", "for axis = 1, 2 do check(MATRIX, (lun.index(30) * 7 % 13 * 0.5):eval():reshape(6, 5), axis) end" },
        { "square matrices", "for axis = 1, 2 do\n"
            .. "check(SQUARE, ((lun.index(16) * 7 % 13):reshape(4, 4) + lun.eye(4) * 20):eval(), axis) end" },
    } do
        it("give of " .. case[1] .. " what they give of private ones", function()
            holds(CALLS .. case[2])
        end)
    end

    it("stay blocked where parts suffice", function()
        holds [[
            local x = (lun.index(24) * 0.5):eval()
            local a = blocked(x)
            for _, y in ipairs { a:square(), a:clip(2, 5), a:cumsum(), a:digitize { 2, 5 }, a:minimum(x), lun.maximum(x, a) } do
                assert(y:kind() == "Blocked")
            end
            same("square", lun.square(a), x * x)
            same("minimum", lun.minimum(a, x + 1), x)
        ]]
    end)

    it("write the array that they change, and take lists of arrays and columns of groups", function()
        holds [[
            local x = (lun.index(12) * 7 % 5 * 1.0):eval()
            local a = blocked(x)
            assert(rawequal(a:shuffle { seed = 5 }, a))
            same("shuffle", a, x:copy():shuffle { seed = 5 })
            local many = blocked((lun.index(1000) * 1.0):eval())
            assert(many:shuffle():unique_values():tobytes() == (lun.index(1000) * 1.0):tobytes())
            local ok, why = pcall(many.shuffle, many, { sead = 3 })
            assert(not ok and why:find("unknown option 'sead'", 1, true), why)
            a = blocked(x)
            assert(lun.hstack({ a, x }):tobytes() == lun.hstack({ x, x }):tobytes())
            local keys, sums = lun.group(a):keys(), lun.group(a):sum(a)
            assert(keys:tobytes() == lun.group(x):keys():tobytes() and sums:tobytes() == lun.group(x):sum(x):tobytes())
            assert(lun.group(a):median(a):tobytes() == lun.group(x):median(x):tobytes())
            assert(lun.group(a):first(a):tobytes() == lun.group(x):first(x):tobytes())
            local t = lun.group(a):agg { s = { "sum", a }, m = { "max", a } }
            assert(t.s:tobytes() == sums:tobytes() and t.m:tobytes() == lun.group(x):max(x):tobytes())
        ]]
    end)

    it("say what is wrong as of private ones; what has no blocked form says so", function()
        holds [[
            local a = blocked((lun.index(12) * 1.0):eval())
            local function says(text, f, ...)
                local ok, e = pcall(f, ...)
                assert(not ok and tostring(e):find(text, 1, true), tostring(e))
            end
            says("bad argument #1 to 'clip' (number expected, got string)", a.clip, a, "x")
            says("wrong number of arguments to 'cumsum'", a.cumsum, a, 1, 2, 3)
            local texts, none = lun.vector { "a", "b", "", "a", "zz" }, blocked(lun.zeros(0))
            assert(lun.nbytes(blocked(texts)) == lun.nbytes(texts) and lun.nbytes(a) == 96)
            says("to 'average' (mean of an empty array)", none.average, none)
            says("to 'percentile' (quantile of no elements", lun.percentile, none, 30)
            says("a blocked array has no 'nothing'", function() return a.nothing end)
            says("bad argument #2 to 'teams' (a blocked array: a:distribute(\"copy\", {over=\"ranks\"}) is a private one)",
                lun.teams(lun.workdiv(2)), function(t, v) v[1] = 1 end, a)
        ]]
    end)
end)
