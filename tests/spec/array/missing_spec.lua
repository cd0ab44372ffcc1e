-- Missing elements: what each kind of call makes of them, against a model in plain Lua. The model's arrays are lists
-- with NA for a missing element.

local expect = require "expect"
local lun = require "lunarray"

local NA, list = lun.na, expect.list

local function same(expected, a)
    assert.same(expected, list(a))
end

describe("missing elements", function()
    it("are made by lun.na", function()
        local a = lun.vector { 1, NA, 3 }
        assert.equal("i64", a:dtype())
        same({ 1, NA, 3 }, a)
        assert.equal("f64", lun.vector({ NA }):dtype())
        assert.equal("u8", lun.vector({ 1, NA }, "u8"):dtype())
        same({ true, NA }, lun.vector { true, NA })
        same({ 1.5, NA }, lun.vector { 1.5, NA })
        assert.is_nil(a[2])
        assert.equal(3, a[3])
        local x = lun.vector { 1.5, NA }[2]
        assert.is_true(x ~= x)
        assert.equal("<NA>", tostring(NA))
        assert.has_error(function() return NA + 1 end)
        assert.same({ { 1, NA }, { 3, 4 } }, lun.vector({ { 1, NA }, { 3, 4 } }):totable())
    end)

    it("are printed", function()
        assert.truthy(tostring(lun.vector { 10, NA }):find("[  10 <NA>]", 1, true))
        assert.truthy(tostring(lun.vector { 1.5, NA, 0 / 0 }):find("[ 1.5 <NA>  nan]", 1, true))
    end)

    it("are written and taken away, through windows", function()
        local a = lun.vector { 1, 2, 3, 4 }
        local w = a:sub(2, 3)
        a[2] = NA
        same({ NA, 3 }, w)
        w[2] = NA
        same({ 1, NA, NA, 4 }, a)
        a[2] = 7
        same({ 7, NA }, w)
        w:fill(5)
        same({ 1, 5, 5, 4 }, a)
        a:fill(NA)
        same({ NA, NA }, w)
        a:set(lun.vector { 1, NA, 3, NA })
        same({ 1, NA, 3, NA }, a)
        local b = a + 0
        a[1] = NA
        same({ 1, NA, 3, NA }, b)
        local c = a:sub(1, 2)
        c:set(lun.vector { 8, 9 })
        same({ 8, 9, 3, NA }, a)
    end)

    it("stay away where nothing is missing", function()
        assert.is_false(lun.vector({ 1, 2 }):ismissing():any())
    end)

    it("move", function()
        local a = lun.vector { 1, NA, 3, 4 }
        same({ 4, NA, 1 }, a:take(lun.vector { 4, 2, 1 }))
        same({ NA, 3 }, a:compress(lun.vector { false, true, true, false }))
        same({ 1 }, a:compress(lun.vector { true, NA, false, NA }))
        same({ 0, 1, NA, 3 }, a:shift(1, { edge = 0 }))
        same({ 1, NA, 3, 4, 1.5, NA }, lun.concat { a, lun.vector { 1.5, NA } })
        same({ 1, NA, 3, 4, 7 }, lun.concat { a, lun.vector { 7 } })
        assert.same({ { 1, 3 }, { NA, 4 } }, a:reshape(2, 2):transpose():totable())
        same({ 1, NA, 3, 4 }, lun.vector(a))
        same({ NA, 3 }, a:reshape(2, 2):transpose():flatten():take(lun.vector { 3, 2 }))
    end)

    it("make comparisons false and ne true", function()
        local a, f = lun.vector { 0, NA }, lun.vector { 0.0, NA }
        for _, x in ipairs { a, f } do
            same({ true, false }, x:eq(0))
            same({ false, true }, x:ne(0))
            same({ true, false }, x:le(0))
            same({ false, true }, x:isna())
            same({ true, false }, x:notna())
        end
        assert.is_true(0 / 0 ~= 0 / 0 and lun.vector({ 0 / 0 }):isna()[1])
        assert.is_false(lun.vector({ 0 / 0 }):ismissing()[1])
    end)

    it("follow Kleene's logic", function()
        local T, F = true, false
        local values = { T, F, NA }
        local function land(x, y) if x == F or y == F then return F end if x == NA or y == NA then return NA end return T end
        local function lnot(x) if x == NA then return NA end return not x end
        for _, x in ipairs(values) do
            for _, y in ipairs(values) do
                local a, b = lun.vector({ x }, "bool"), lun.vector({ y }, "bool")
                same({ land(x, y) }, a:land(b))
                same({ lnot(land(lnot(x), lnot(y))) }, a:lor(b))
                same({ land(x, y) }, a & b)
                same({ lnot(land(lnot(x), lnot(y))) }, a | b)
                same({ (x == NA or y == NA) and NA or x ~= y }, a ~ b)
            end
            same({ lnot(x) }, lun.vector({ x }, "bool"):lnot())
            same({ lnot(x) }, ~lun.vector({ x }, "bool"))
        end
        same({ F, NA }, lun.vector { F, NA } & lun.vector { NA, T })
        same({ F, F }, lun.vector { NA, T } & false)
        same({ T, T }, true | lun.vector { NA, F })
        same({ 0, NA }, lun.vector { 4, NA } & lun.vector { 3, 0 }) -- of integers: bits
    end)

    it("are made, filled and left out", function()
        local a = lun.vector { 1, NA, 3 }
        same({ NA, NA, 3 }, lun.where(lun.vector { true, false, false }, NA, a))
        same({ 1, 0, 3 }, a:fillna(0))
        assert.is_false(lun.where(a:isna(), 0, a):ismissing():any())
        same({ 1, 3 }, a:dropna())
        same({ 1, NA, NA }, a:naif(3))
        same({ NA, 2.0 }, lun.vector({ 0 / 0, 2 }):naif(0 / 0))
        same({ 1, 5, 3 }, lun.coalesce(a, lun.vector { 4, 5, 6 }))
        same({ 1, 1, 3 }, a:ffill())
        same({ 1, 3, 3 }, a:bfill())
        same({ NA, 2 }, lun.vector({ NA, 2 }):ffill())
        same({ 1.0, 2.0, 3.0 }, a:interpolate())
    end)

    it("are left out by reductions to a number", function()
        local a, f = lun.vector { 4, NA, 1, 1 }, lun.vector { 4.0, NA, 1.0, 1.0 }
        for _, x in ipairs { a, f, a:reshape(2, 2) } do
            assert.equal(6, x:sum())
            assert.equal(4, x:prod())
            assert.equal(3, x:count())
            assert.equal(2.0, x:mean())
            assert.equal(2.0, x:var())
            assert.equal(3.0, x:flatten():var(1))
            assert.equal(1, x:min())
            assert.equal(4, x:max())
            assert.equal(3, x:argmin())
            assert.equal(1, x:argmax())
        end
        assert.is_true(lun.vector({ true, NA }):all())
        assert.is_false(lun.vector({ false, NA }):any())
        local x = lun.vector({ 0 / 0, NA }):sum()
        assert.is_true(x ~= x) -- NaN is a value
        local none = lun.vector({ NA, NA }, "i64")
        assert.same({ 0, 1, 0, false, true }, { none:sum(), none:prod(), none:count(), none:any(), none:all() })
        assert.is_nil(none:min())
        assert.is_true(none:mean() ~= none:mean())
        assert.has_error(function() return none:argmin() end)
    end)

    it("are left out by quantiles", function()
        local a = lun.vector { 5, NA, 1, 2 }
        assert.equal(2.0, a:median())
        assert.same({ 1.0, 5.0 }, a:quantile({ 0, 1 }):totable())
        local none = lun.vector({ NA }, "i64"):median()
        assert.is_true(none ~= none)
        same({ NA, NA }, lun.vector({ NA }, "i64"):quantile { 0, 1 })
    end)

    it("are computed in the kernel of their values #place", function()
        local a, b = lun.vector { 1, NA, 3 }, lun.vector { 4, 5, NA }
        local e = a * 2 + b
        local before = lun.stats().launches
        e:eval()
        assert.equal(1, lun.stats().launches - before)
        same({ 6, NA, NA }, e)
    end)

    it("leave no trace where they were replaced: the plan is that of plain arrays #place", function()
        local plain, filled = lun.vector { 1.5, 2.5 }, lun.vector { NA, 2.5 }
        filled:fill(1.5)
        assert.is_false(lun.vector({ NA, 2.5 }):fillna(0):ismissing():any())
        assert.equal(((plain + 1) * 2):source(), ((filled + 1) * 2):source())
        assert.equal(tostring(lun.explain((plain + 1) * 2)), tostring(lun.explain((filled + 1) * 2)))
    end)

    it("are refused by scans of lines by functions and by writes at indices", function()
        local m = lun.vector { { 1, NA }, { 3, 4 } }
        local f = m:cast "f64"
        for _, call in ipairs {
            function(x) return x:scan(function(y, z) return y + z end, 0, { axis = 1 }) end,
            function(x) return x:flatten():reduce("+", 0) end,
            function(x) return x:flatten():put(lun.vector { 1, 2, 3, 4 }, x:flatten()) end,
            function(x) return lun.teams { league = 1 }(function(_, w) w[1] = 2 end, x:flatten()) end,
            function(x) return lun.atomic.add(x:flatten():eval(), 1, 1) end,
        } do
            for _, x in ipairs { m, f } do
                local ok, e = pcall(call, x)
                assert.is_false(ok)
                assert.truthy(tostring(e):find("takes no missing elements: 1 of 4", 1, true), tostring(e))
            end
        end
    end)

    it("are passed over by scans", function()
        local ops = { cumsum = { "+", 0 }, cumprod = { "*", 1 }, cummin = { "min" }, cummax = { "max" } }
        local combine = {
            cumsum = function(x, y) return x + y end, cumprod = function(x, y) return x * y end,
            cummin = function(x, y) return math.min(x, y) end, cummax = function(x, y) return math.max(x, y) end,
        }
        -- The running values of a list.
        local function model(name, elements)
            local value, result = nil, {}
            for i, x in ipairs(elements) do
                if x == NA then
                    result[i] = NA
                else
                    value = value and combine[name](value, x) or x
                    result[i] = value
                end
            end
            return result
        end
        for _, elements in ipairs { { NA, 3, 1, NA, 4, 2 }, { 2, NA, NA }, { NA, NA }, { 5, 1 } } do
            for name, op in pairs(ops) do
                for _, dtype in ipairs { "i64", "i32", "u8", "f64", "f32" } do
                    local a = lun.vector(elements, dtype)
                    same(model(name, elements), a[name](a))
                    if op[2] then
                        same(model(name, elements), a:scan(combine[name], op[2], { inclusive = true }))
                    end
                end
            end
        end
        local b = lun.vector { true, NA, true, false }
        same({ 1, NA, 2, 2 }, b:cumsum())
        same(lun.vector({ true, true, false }):cummin():totable(), b:cummin():dropna())
        local m = lun.vector { { 1, NA, 3 }, { 4, 5, NA } }
        local function rows(a) -- with "gap" where elements are missing
            local gone, lists = a:ismissing():totable(), a:totable()
            for i, row in ipairs(gone) do
                for k, missing in ipairs(row) do
                    lists[i][k] = missing and "gap" or lists[i][k]
                end
            end
            return lists
        end
        assert.same({ { 1, "gap", 4 }, { 4, 9, "gap" } }, rows(m:cumsum { axis = 2 }))
        assert.same({ { 1, "gap", 3 }, { 5, 5, "gap" } }, rows(m:cumsum { axis = 1 }))
        same({ 1, NA, 4, 8, 13, NA }, m:cumsum())
        same({ 10, NA, 11, 14 }, lun.vector({ 1, NA, 3, 4 }):scan("+", 10))
        same({ 10, NA, 11, 14 }, lun.vector({ 1, NA, 3, 4 }):scan(function(x, y) return x + y end, 10))
        local x = lun.vector({ 1.5, NA, 0 / 0, 2 }):cumsum():ismissing()
        same({ false, true, false, false }, x) -- NaN is a value
        same({ NA, NA, 1 }, lun.vector({ 1, NA, 3, 4 }):diff())
        same({ true, NA, NA }, lun.vector({ true, false, NA, true }):diff())
    end)

    it("are what take gives at 0", function()
        local index, gap = lun.vector { 2, 0, 1 }, { missing = NA }
        for _, dtype in ipairs { "i64", "u8", "f64", "f32" } do
            same({ 6, NA, 5 }, lun.vector({ 5, 6 }, dtype):take(index, gap))
        end
        same({ NA, NA, 5 }, lun.vector({ 5, NA }):take(index, gap))
        same({ true, NA, false }, lun.vector({ false, true }):take(index, gap))
        same({ NA }, lun.vector({ 5 }):sub(2):take({ 0 }, gap))
        local m = lun.vector({ { 1, 2 }, { 3, 4 } }):take({ 0, 1 }, { axis = 2, missing = NA })
        assert.same({ { true, false }, { true, false } }, m:ismissing():totable())
        same({ 6, 0, 5 }, lun.vector({ 5, 6 }):take(index, { missing = 0 }))
        assert.has_error(function() return lun.vector({ 5 }):take({ 3 }, gap):eval() end)
    end)

    it("are what totable is given for them", function()
        assert.same({ 1, -9, 3 }, lun.vector({ 1, NA, 3 }):totable { missing = -9 })
        assert.same({ 1.5, "gap" }, lun.vector({ 1.5, NA }):totable { missing = "gap" })
        assert.same({ { 1, false }, { 3, 4 } }, lun.vector({ { 1, NA }, { 3, 4 } }):totable { missing = false })
        assert.same({ 1.5, NA }, lun.vector({ 1.5, NA }):totable { missing = NA })
        assert.same({ 1, 2 }, lun.vector({ 1, 2 }):totable { missing = 0 })
        assert.same({ true, NA }, lun.vector({ true, NA }):totable {})
        assert.has_error(function() return lun.vector({ 1 }):totable { gone = 0 } end)
        local gaps = lun.range(1, 9000):cast("i64"):naif(5000):totable { missing = "gap" }
        assert.same({ 4999, "gap", 5001, 9000 }, { gaps[4999], gaps[5000], gaps[5001], gaps[#gaps] })
    end)

    it("come last in order, behind NaN", function()
        local a = lun.vector { 3, NA, 1, NA, 2 }
        same({ 1, 2, 3, NA, NA }, a:sort())
        same({ 3, 2, 1, NA, NA }, a:sort { descending = true })
        same({ 3, 5, 1, 2, 4 }, a:argsort())
        same({ 1, 5, 3, 2, 4 }, a:argsort { descending = true })
        assert.same({ 3, 2, 1 }, lun.vector({ NA, 0 / 0, 1.5 }):argsort():totable())
        same({ NA, NA }, lun.vector({ NA, NA }, "u8"):sort())
    end)

    it("do not divide", function()
        same({ 4, NA, 3 }, 12 // lun.vector { 3, NA, 4 })
        same({ NA, 1 }, lun.vector({ NA, 5 }) % lun.vector { 0, 2 })
    end)

    it("are not given to functions", function()
        local a, b = lun.vector { 3, NA, 0, 4 }, lun.vector { NA, 1, 2, 2 }
        local function idiv(x, y) return x // y end
        same({ 4, NA, 3 }, lun.vector({ 3, NA, 4 }):map(function(x) return 12 // x end))
        same({ 4, NA, 3 }, lun.vector({ 3, NA, 4 }):map("(long x){ return 12 / x; }"))
        same({ NA, NA, 0, 2 }, a:zip(b, idiv))
        same({ NA, 0, NA, 0 }, b:zip(lun.vector { 1, 2, NA, 5 }, idiv))
        assert.has_error(function() return b:zip(a, idiv):eval() end) -- by the 0 that is there
        assert.same({ { NA, 1 }, { NA, 2 } },
            lun.zip(function(x, y) return x * y end)(lun.vector { NA, 1 }, lun.vector { { 1 }, { 2 } }):totable())
        same({ 3.5, NA, 0.5, 4.5 }, a:map(function(x) return x + 0.5 end))
        same({ true, NA, false, true }, a:map(function(x) return x > 2 end))
        local names = lun.vector { 10, 20, 30, 40 }
        same({ 30, NA, 10, 40 }, lun.vector({ 3, NA, 1, 4 }):map(function(i) return names[i] end))
        local half, rest = lun.map(function(x) return x // 2, x % 2 == 1 end)(a)
        same({ 1, NA, 0, 2 }, half)
        same({ true, NA, false, false }, rest)
        same({ 6, NA, 0, 8 }, a:map(function(x, k) return x * k end, 2))
        same({ -3, NA, 0, -4 }, a:map "neg")
        same({ NA, NA }, lun.vector({ NA, NA }, "u8"):map(function(x) return 1 // x end))
        same({ NA, 2 }, lun.vector({ 7, NA, 2 }):sub(2, 3):map(function(x) return x end))
        local extra = lun.vector { 1.5, NA }
        local seen = lun.vector({ 1, 2 }):map(function(i, known) return known[i] end, extra)
        assert.equal(1.5, seen[1])
        assert.is_true(seen[2] ~= seen[2])
        assert.is_false(seen:ismissing():any())
        assert.has_error(function() return names:map(function(_, known) return known[1] end, a) end)
    end)

    it("are no elements that a predicate takes", function()
        local a = lun.vector { 5, NA, 1, 7 }
        same({ 5, 7 }, a:filter(function(x) return 10 // x < 3 end))
        same({ 5, 7 }, a:filter "(long x){ return 10 / x < 3; }")
        same({ 2.5 }, lun.vector({ NA, 2.5 }):filter(function(x) return x == x end))
    end)

    it("stay where a loop assigns none", function()
        local a = lun.vector { 1, NA, NA }
        lun.each({ { 1, 2 } }, function(i) a[i] = 5 end)
        same({ 5, 5, NA }, a)
    end)

    it("broadcast", function()
        local m = lun.vector { { 1 }, { NA } } + lun.vector { 10, 20 }
        assert.same({ { 11, 21 }, { NA, NA } }, m:totable())
        assert.same({ { NA, 2 }, { NA, 3 } }, (lun.vector { NA, 1 } + lun.vector { { 1 }, { 2 } }):totable())
    end)

    it("are refused by name with their number", function()
        local a = lun.vector { 1, NA, 3 }
        local ok, e = pcall(function() return a:matmul(lun.vector { 1, 2, 3 }) end)
        assert.is_false(ok)
        assert.truthy(e:find("takes no missing elements: 1 of 3 are; use fillna, dropna or cast \"f64\"", 1, true))
        assert.has_error(function() return a:tobytes() end)
    end)
end)

-- Random expressions against the model.

local DTYPES = { "i64", "i32", "u8", "f64", "f32", "bool" }

local function element(dtype, random)
    local x = random(0, 9)
    if x < 3 then
        return NA
    elseif dtype == "bool" then
        return x > 5
    end
    return dtype:sub(1, 1) == "f" and x + 0.5 or x
end

local MODEL = {
    add = function(x, y) return x + y end,
    mul = function(x, y) return x * y end,
    min = math.min,
    max = math.max,
    lt = function(x, y) return x < y end,
    eq = function(x, y) return x == y end,
}
local MASKS = { lt = true, eq = true }

describe("expressions with missing elements", function()
    for _, place in ipairs { "reference", "openmp" } do
        it("are the model's on " .. place, function()
            local before = lun.use()
            lun.use(place)
            finally(function() lun.use(before) end)
            local state = 7
            local function random(low, high)
                state = (state * 1103515245 + 12345) % 2147483648
                return low + (state // 65536) % (high - low + 1)
            end
            for round = 1, 40 do
                local dtype = DTYPES[round % 5 + 1]
                local n = random(1, 70)
                local x, y = {}, {}
                for i = 1, n do
                    x[i], y[i] = element(dtype, random), element(dtype, random)
                end
                local a, b = lun.vector(x, dtype), lun.vector(y, dtype)
                for name, f in pairs(MODEL) do
                    local expected = {}
                    for i = 1, n do
                        if x[i] == NA or y[i] == NA then
                            expected[i] = not MASKS[name] and NA
                        else
                            expected[i] = f(x[i], y[i])
                        end
                    end
                    same(expected, lun.op[name](a, b))
                end
            end
        end)
    end

    it("are not counted by histograms, and printed as such in tables", function()
        local a = lun.vector { 1, lun.na, 3.5, 2, lun.na }
        local counts, edges = a:histogram(2)
        assert.same({ { 2, 1 }, { 1.0, 2.25, 3.5 } }, { counts:totable(), edges:totable() })
        local sums = a:histogram(2, { range = { 0, 4 }, weights = lun.vector { 1, 10, 100, 1000, 10000 } })
        assert.same({ 1.0, 1100.0 }, sums:totable())
        assert.same({ 1, 1 }, (lun.vector({ 1, lun.na, 9 }, "i8"):histogram(2)):totable())
        local text = tostring(lun.table { x = a, k = lun.vector({ 1, lun.na, 3, 4, 5 }, "i32") })
        assert.equal(3, select(2, text:gsub("<NA>", "")))
    end)

    it("are equal to missing ones alone", function()
        for _, backend in ipairs(lun.backends()) do
            lun.use(backend)
            for _, values in ipairs { { 1, lun.na, 3 }, { 0.5, 0 / 0, lun.na }, { true, lun.na, false } } do
                local a = lun.vector(values)
                assert.is_true(a:equals(lun.vector(values)))
                assert.is_false(a:equals(a:fillna(0)))
                assert.is_false(a:fillna(0):equals(a))
            end
            assert.is_false(lun.vector { 0 / 0 }:equals(lun.vector { lun.na }))
            assert.is_false(lun.vector { lun.na }:equals(lun.vector { 0 / 0 }))
        end
        lun.use(lun.backends()[1])
    end)
end)
