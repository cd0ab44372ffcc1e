-- Elementwise functions of complex numbers: values of mpmath and special values of C99's Annex G (complex_values.py), and what
-- has no complex form, found in the tables.
local lun = require "lunarray"
local core = require "lunarray.core"
local values = require "math.complex_values"

local c, i = lun.complex, lun.i

-- Whether x is the special value `wanted`, or a number within two roundings.
local function fits(x, wanted)
    if wanted == "zero" then
        return x == 0
    elseif wanted == "infinity" then
        return math.abs(x) == math.huge
    elseif wanted ~= wanted then
        return x ~= x
    elseif wanted == 0 then
        return x == 0 and 1 / x == 1 / wanted
    end
    return x == wanted or math.abs(x - wanted) <= 4e-16 * math.abs(wanted)
end

-- The greatest difference of parts in roundings of the modulus; all scaled, so that squares do not overflow or vanish.
local function error_of(z, re, im)
    local size = math.max(math.abs(re), math.abs(im), 2.0 ^ -1022)
    local modulus = size * math.sqrt((re / size) ^ 2 + (im / size) ^ 2)
    return math.max(math.abs(z.re - re), math.abs(z.im - im)) / math.max(modulus * 2.0 ^ -52, 2.0 ^ -1074)
end

local names = {}
for name in pairs(values.points) do names[#names + 1] = name end
table.sort(names)

describe("a function of complex numbers", function()
    for _, name in ipairs(names) do
        it(name .. " is within 8 roundings of the modulus, of c64 rounded from it", function()
            local list = {}
            for k, row in ipairs(values.points[name]) do list[k] = c(row[1], row[2]) end
            local got = lun.vector(list)[name](lun.vector(list)):totable()
            for k, row in ipairs(values.points[name]) do
                local e = error_of(got[k], row[3], row[4])
                assert.is_true(e <= 8, ("%s(%s): %s, %.3g"):format(name, tostring(list[k]), tostring(got[k]), e))
            end
            local narrow = lun.vector(list):cast "c64"
            local wide = narrow:cast "c128"
            assert.is_true(narrow[name](narrow) == wide[name](wide):cast "c64")
            assert.equal("c64", narrow[name](narrow):dtype())
        end)
    end

    for name, rows in pairs(values.special) do
        it(name .. " has the special values of Annex G, of conjugates too", function()
            for _, row in ipairs(rows) do
                for _, sign in ipairs { 1, -1 } do
                    local z = c(row[1], sign * row[2])
                    local w = z[name](z)
                    local im = type(row[4]) == "number" and sign * row[4] or row[4]
                    assert.is_true(fits(w.re, row[3]) and fits(w.im, im), ("%s(%s): %s, not %s %s"):format(name, tostring(z),
                        tostring(w), row[3], im))
                end
            end
        end)
    end

    it("sin, cos, tan, asin, atan are those of iz", function()
        local special = { 0, -0.0, 1.5, -1, math.huge, -math.huge, 0 / 0 }
        local function turned(z, name, hyperbolic) -- name(z) is -i hyperbolic(iz)
            local w, h = z[name](z), c(-z.im, z.re)
            h = h[hyperbolic](h)
            return fits(math.abs(w.re), math.abs(h.im)) and fits(math.abs(w.im), math.abs(h.re))
        end
        for _, x in ipairs(special) do
            for _, y in ipairs(special) do
                for name, of in pairs { sin = "sinh", tan = "tanh", asin = "asinh", atan = "atanh" } do
                    assert.is_true(turned(c(x, y), name, of), name .. " " .. tostring(c(x, y)))
                end
                local w, h = c(x, y):cos(), c(-y, x):cosh()
                assert.is_true(fits(math.abs(w.re), math.abs(h.re)) and fits(math.abs(w.im), math.abs(h.im)), tostring(c(x, y)))
            end
        end
    end)
end)

describe("what complex numbers do not have", function()
    local z = lun.vector { c(1, 2), i, 3 }

    local function refused(name, ...)
        local ok, e = pcall(...)
        assert.is_false(ok, name .. " takes complex numbers")
        assert.is_truthy(tostring(e):find "omplex" or tostring(e):find "c128", name .. ": " .. tostring(e))
    end

    it("is refused by each operation of the table, by name", function()
        local has = {}
        for name in ("add sub mul div pow neg eq ne land lor lnot where abs sign round sqrt exp expm1 log log1p log2 log10 sin "
            .. "cos tan asin acos atan sinh cosh tanh asinh acosh atanh isnan isinf isfinite"):gmatch "%S+" do
            has[name] = true
        end
        local orders = { lt = true, le = true, gt = true, ge = true, min = true, max = true, fmin = true, fmax = true, clamp = true }
        local count = 0
        for name, op in pairs(core.op) do
            local _, _, arity = core.internal.describe(op)
            local list = { z, z, z }
            if has[name] then
                op(table.unpack(list, 1, arity))
            else
                for at = 1, arity do
                    local mixed = { lun.ones(3), lun.ones(3), lun.ones(3) }
                    mixed[at] = z
                    local ok, e = pcall(op, table.unpack(mixed, 1, arity))
                    assert.is_false(ok, name)
                    local text = orders[name] and "complex numbers have no order: take abs(), real() or imag()"
                        or "not for complex numbers: take abs(), real() or imag()"
                    assert.is_truthy(tostring(e):find(text, 1, true), name .. ": " .. tostring(e))
                    count = count + 1
                end
            end
        end
        assert.is_true(count > 40)
    end)

    it("is refused by each reduction of the table", function()
        local has = { sum = 1, prod = 1, mean = 1, var = 1, std = 1, norm = 1, any = 1, all = 1, count = 1 }
        for _, row in ipairs(core.internal.reductions()) do
            if has[row.name] then
                z[row.name](z)
                z[row.name](z, { axis = 1 })
            else
                refused(row.name, z[row.name], z)
                refused(row.name, z[row.name], z, { axis = 1 })
            end
        end
    end)

    it("is refused by functions of arrays", function()
        local x = lun.ones(3)
        for _, name in ipairs { "median", "histogram", "topk", "searchsorted", "cummax", "cummin", "ptp", "floor",
            "digitize", "nunique", "mode", "rank", "svd", "eigh", "qr", "percentile", "skew", "clip",
            "fillna", "ffill", "bfill", "interpolate" } do
            local m = z:reshape(3, 1)
            refused(name, function() return (name == "topk" and z or m)[name](name == "topk" and z or m, 1, 2) end)
        end
        refused("map of C source", function() return z:map "(double x){ return x; }" end)
        refused("allpairs", function() return lun.allpairs("*", "+")(z:reshape(3, 1), z:reshape(3, 1)) end)
        refused("reduce", function() return z:reduce "max" end)
        refused("scan", function() return z:scan "max" end)
        refused("put", function() return z:copy():put({ 1 }, 5, { combine = "max" }) end)
        refused("put of complex", function() return lun.zeros(3):put({ 1 }, z:take { 1 }) end)
        refused("quantile", function() return z:quantile(0.5) end)
        refused("concat with text", function() return lun.concat({ z, lun.vector { "a" } }, 1) end)
        refused("where with dates", function() return lun.where(x, z, lun.vector({ "2024-01-01" }, "date")) end)
        refused("group", function() return lun.group(z) end)
    end)
end)

describe("complex columns", function()
    it("are shown and taken, and refused where files have none", function()
        local t = lun.table { z = lun.vector { i, 1, c(2, 3) } }
        assert.is_true(t:filter(t.z:ne(1)).z == lun.vector { i, c(2, 3) })
        assert.is_truthy(tostring(t):find("0.0+1.0i", 1, true))
        local path = os.tmpname()
        for _, name in ipairs { ".csv", ".json", ".arrow" } do
            local ok, e = pcall(lun.save, path .. name, t)
            assert.is_false(ok)
            assert.is_truthy(tostring(e):find("column 'z'", 1, true), tostring(e))
            assert.is_truthy(tostring(e):find("real() and", 1, true), tostring(e))
        end
        os.remove(path)
    end)
end)

describe("complex arrays in order, in running products", function()
    it("sort by real part, then imaginary part, NaN in either last", function()
        local n = 0 / 0
        local a = lun.vector { c(2, 1), c(1, 5), c(n, 1), c(1, -5), c(1, n), c(2, 1), 0 }
        assert.same({ 7, 4, 2, 1, 6, 5, 3 }, a:argsort():totable())
        assert.is_true(a:sort() == a:take { 7, 4, 2, 1, 6, 5, 3 })
        assert.same({ 1, 6, 2, 4, 7, 5, 3 }, a:argsort { descending = true }:totable())
        local u, k = a:unique()
        assert.is_true(u == a:take { 7, 4, 2, 1, 5, 3 })
        assert.same({ 1, 1, 1, 2, 1, 1 }, k:totable())
        assert.is_true(lun.sort(a) == a:sort())
        local M = lun.vector { { 2, i }, { 1, -i } }
        assert.is_true(M:sort { axis = 1 } == lun.vector { { 1, -i }, { 2, i } })
        assert.same({ 1, 1 }, { select(2, lun.vector { i, 2 * i }:unique()):totable()[1], 1 })
        assert.has_error(function() M:sort { axis = 3 } end)
    end)

    it("have sums and products from the first element on", function()
        local a = lun.vector { c(1, 2), c(3, 4), i, -1 }
        assert.is_true(a:prod() == c(10, 5))
        assert.is_true(a:cumsum() == lun.vector { c(1, 2), c(4, 6), c(4, 7), c(3, 7) })
        assert.is_true(a:cumprod() == lun.vector { c(1, 2), c(-5, 10), c(-10, -5), c(10, 5) })
        assert.is_true(a:reshape(2, 2):prod { axis = 1 } == lun.vector { c(-2, 1), c(-3, -4) })
        assert.equal("c64", a:cast "c64":reshape(2, 2):prod { axis = 2 }:dtype())
        assert.is_true(a:reshape(2, 2):cumsum { axis = 2 } == lun.vector { { c(1, 2), c(4, 6) }, { i, c(-1, 1) } })
    end)
end)

describe("complex numbers in files", function()
    it("are NumPy's <c8 and <c16, in both byte orders and layouts", function()
        local path = os.tmpname() .. ".npy"
        local function npy(descr, bytes, shape)
            local head = ("{'descr': '%s', 'fortran_order': False, 'shape': %s, }"):format(descr, shape)
            head = head .. (" "):rep(-(10 + #head + 1) % 64) .. "\n"
            local f = assert(io.open(path, "wb"))
            f:write("\147NUMPY\1\0", string.pack("<s2", head), bytes)
            f:close()
            return assert(lun.load(path))
        end
        assert.is_true(npy("<c16", string.pack("<dddd", 1, 2, 3, 4), "(2,)") == lun.vector { c(1, 2), c(3, 4) })
        assert.is_true(npy(">c16", string.pack(">dddd", 1, 2, 3, 4), "(2, 1)") == lun.vector { { c(1, 2) }, { c(3, 4) } })
        local narrow = npy("<c8", string.pack("<ff", 1, 2), "(1,)")
        assert.equal("c64", narrow:dtype())
        for _, a in ipairs { lun.random({ 3, 4 }, { dtype = "c64", seed = 1 }), lun.vector { i, 2 } * 2,
            lun.random({ 3, 4 }, { dtype = "c128", seed = 1 }):transpose() } do
            assert(lun.save(path, a))
            local back = assert(lun.load(path))
            assert.is_true(back == a)
            assert.equal(a:dtype(), back:dtype())
        end
        local a, message = lun.open(path)
        assert.is_nil(a)
        assert.is_truthy(message:find("complex numbers cannot stay in their file; use lun.load", 1, true))
        os.remove(path)
    end)
end)
