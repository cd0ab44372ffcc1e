-- Reductions and scans along axes as scripts write them: shapes and dtypes, options, first values, NaN that is left
-- out, empty axes, errors, and programs that users write with them. tests/diff/along_spec.lua has every dtype.

local lun = require "lunarray"
local expect = require "expect"

local nan = 0.0 / 0.0

local function is_nan(x)
    return x ~= x
end

-- The same nested lists; NaN equals NaN, 1 and 1.0 differ.
local function same(wanted, got, path)
    path = path or "result"
    if type(wanted) == "table" then
        assert(type(got) == "table" and #got == #wanted, ("%s: %d elements, %d expected"):format(path,
            type(got) == "table" and #got or -1, #wanted))
        for i = 1, #wanted do
            same(wanted[i], got[i], path .. "[" .. i .. "]")
        end
        return
    end
    local equal = wanted == got and math.type(wanted) == math.type(got) or is_nan(wanted) and is_nan(got)
    assert(equal, ("%s is %s, %s expected"):format(path, got, wanted))
end

local function gives(wanted, dtype, array)
    same(wanted, array:totable())
    assert.equal(dtype, array:dtype())
end

-- rows x columns of 1, 2, ... in row-major order.
local function counted(dtype, ...)
    local n = 1
    for _, extent in ipairs { ... } do
        n = n * extent
    end
    return lun.range(1, n):cast(dtype):reshape(...):eval()
end

describe("a reduction along an axis", function()
    local A = counted("i32", 2, 3)

    it("takes the axis away, counted from 1 or from the end", function()
        gives({ 5, 7, 9 }, "i64", A:sum(1))
        gives({ 6, 15 }, "i64", A:sum(2))
        gives({ 6, 15 }, "i64", A:sum(-1))
        gives({ 5, 7, 9 }, "i64", A:sum { axis = -2 })
        gives({ 4, 10, 18 }, "i64", A:prod(1))
        gives({ 1, 2, 3 }, "i32", A:min { axis = 1 })
        gives({ 3, 6 }, "i32", A:max { axis = 2 })
        gives({ 2.0, 5.0 }, "f64", A:mean(2))
        gives({ true, true }, "bool", A:gt(2):any(2))
        gives({ false, true }, "bool", A:gt(2):all(2))
        gives({ 1, 3 }, "i64", A:gt(2):count(2))
        gives({ 3, 3 }, "i64", A:argmax(2))
        gives({ 1, 1, 1 }, "i64", A:argmin(1))
        gives({ math.sqrt(17.0), math.sqrt(29.0), math.sqrt(45.0) }, "f64", A:norm(1))
        gives({ 5, 7, 9 }, "i64", lun.sum(A, 1))
        gives({ 3, 6 }, "i32", lun.max(A, { axis = 2 }))
    end)

    it("keeps it with extent 1 where that is asked for", function()
        gives({ { 6 }, { 15 } }, "i64", A:sum { axis = 2, keep = true })
        gives({ { 5, 7, 9 } }, "i64", A:sum { axis = 1, keep = true })
        gives({ { 21 } }, "i64", A:sum { keep = true })
        gives({ { 6 } }, "i32", A:max { axis = { 1, 2 }, keep = true })
        gives({ { -1.0, 0.0, 1.0 }, { -1.0, 0.0, 1.0 } }, "f64", A - A:mean { axis = 2, keep = true })
        gives({ { 1, 1, 1 } }, "i64", A:argmin { axis = 1, keep = true })
    end)

    it("is of several axes in row-major order", function()
        local B = counted("f64", 2, 3, 4)
        gives({ 68.0, 100.0, 132.0 }, "f64", B:sum { axis = { 1, 3 } })
        gives({ 68.0, 100.0, 132.0 }, "f64", B:sum { axis = { -1, 1 } })
        gives({ { { 68.0 }, { 100.0 }, { 132.0 } } }, "f64", B:sum { axis = { 1, 3 }, keep = true })
        gives({ 12.0, 24.0 }, "f64", B:max { axis = { 2, 3 } })
        gives({ 68.0, 100.0, 132.0 }, "f64", B:transpose():sum { axis = { 1, 3 } })
    end)

    it("is a number where all axes are, or none is named", function()
        assert.equal(21, A:sum { axis = { 1, 2 } })
        assert.equal(21, A:sum {})
        assert.equal("integer", math.type(A:sum { axis = { 2, 1 } }))
        assert.equal(3.5, A:mean { axis = { 1, 2 } })
        local v = lun.vector { 3, 1, 2 }
        assert.equal(6, v:sum(1))
        assert.equal(1, v:min { axis = -1 })
        assert.equal(2, v:argmin(1))
        assert.equal(1.0, v:var { ddof = 1 })
        assert.equal(1.0, v:var(1))
        gives({ 6 }, "i64", v:sum { keep = true })
        gives({ 2 }, "i64", v:argmin { keep = true })
    end)

    it("is lazy, and shares passes with others", function()
        local x = lun.random({ 50, 40 }, { seed = 1 }):eval()
        local s, m = x:sum(1), x:max { axis = 2 }
        assert.is_true(s:pending() > 0 and m:pending() > 0)
        lun.eval(s, m)
        assert.equal(0, s:pending() + m:pending())
        local function launches(...)
            local before = lun.stats().launches
            lun.eval(...)
            return lun.stats().launches - before
        end
        local low, high, total = x:lazy("min", { axis = 2 }), x:lazy("max", { axis = 2 }), x:lazy("sum", 2)
        assert.equal(launches((x + 1):lazy("sum", 2)), launches(low, high, total))
        for i = 1, 50 do
            assert.equal(x[i]:min(), low[i])
            assert.equal(x[i]:max(), high[i])
            assert.equal(x[i]:sum(), total[i])
        end
        local whole, rows = lun.eval(x:lazy "sum", (x * 2):lazy("sum", 2))
        assert.equal(x:sum(), whole)
        assert.equal((x * 2)[7]:sum(), rows[7])
    end)

    it("keeps the elements that its operand had", function()
        local x = lun.vector { 1, 2, 3, 4 }:reshape(2, 2):eval()
        local rows, last = x:sum(2), x:scan("+", 0, { axis = 2, inclusive = true })
        x:fill(0)
        gives({ 3, 7 }, "i64", rows)
        gives({ { 1, 3 }, { 3, 7 } }, "i64", last)
    end)

    it("min and max of a number are the elementwise ones, var and std say what they could mean", function()
        gives({ { 1, 2, 2 }, { 2, 2, 2 } }, "i32", A:min(2))
        gives({ { 2, 2, 3 }, { 4, 5, 6 } }, "i32", A:max(2))
        expect.failure("var{axis=...} or var{ddof=...}", A.var, A, 1)
        expect.failure("std{axis=...} or std{ddof=...}", A.std, A, 1)
        gives({ 0.5, 0.5 }, "f64", lun.vector({ 1, 2, 3, 4 }, "f64"):reshape(2, 2):var { axis = 2, ddof = 1 })
        assert.equal(3.5, A:var { ddof = 1 })
        gives({ nan, nan }, "f64", A:sub({}, { 1, 1 }):var { axis = 2, ddof = 1 })
        expect.failure("max expects its axis in a table", A.lazy, A, "max", 2)
    end)
end)

describe("skipnan", function()
    local x = lun.vector { 1.0, nan, 3.0, nan, nan, nan, -2.0, 5.0, nan }:reshape(3, 3):eval()

    it("leaves NaN out, also of the number of elements", function()
        gives({ 4.0, 0.0, 3.0 }, "f64", x:sum { axis = 2, skipnan = true })
        gives({ 3.0, 1.0, -10.0 }, "f64", x:prod { axis = 2, skipnan = true })
        gives({ 1.0, nan, -2.0 }, "f64", x:min { axis = 2, skipnan = true })
        gives({ 3.0, nan, 5.0 }, "f64", x:max { axis = 2, skipnan = true })
        gives({ 2.0, nan, 1.5 }, "f64", x:mean { axis = 2, skipnan = true })
        gives({ 1.0, nan, 12.25 }, "f64", x:var { axis = 2, skipnan = true })
        gives({ 2.0, nan, 24.5 }, "f64", x:var { axis = 2, skipnan = true, ddof = 1 })
        gives({ 1.0, nan, 3.5 }, "f64", x:std { axis = 2, skipnan = true })
        gives({ math.sqrt(10.0), 0.0, math.sqrt(29.0) }, "f64", x:norm { axis = 2, skipnan = true })
        gives({ 2, 0, 2 }, "i64", x:count { axis = 2, skipnan = true })
        gives({ true, false, true }, "bool", x:any { axis = 2, skipnan = true })
        gives({ true, true, true }, "bool", x:all { axis = 2, skipnan = true })
        assert.equal(7.0, x:sum { skipnan = true })
        assert.equal(1.75, x:mean { skipnan = true })
        assert.equal(4, x:count { skipnan = true })
    end)

    it("is asked for: by default NaN counts", function()
        gives({ nan, nan, nan }, "f64", x:sum(2))
        gives({ nan, nan, nan }, "f64", x:max { axis = 2 })
        gives({ 3, 3, 3 }, "i64", x:count(2))
        gives({ 2, 1, 3 }, "i64", x:argmin(2))
    end)

    it("changes nothing where there is no NaN, and integers have none", function()
        local y = lun.random({ 30, 20 }, { seed = 3, dtype = "f32" })
        for _, name in ipairs { "sum", "prod", "min", "max", "mean", "norm", "count", "argmin" } do
            same(y[name](y, { axis = 1 }):totable(), y[name](y, { axis = 1, skipnan = true }):totable(), name)
        end
        gives({ 3, 7 }, "i64", lun.vector({ 1, 2, 3, 4 }, "i8"):reshape(2, 2):sum { axis = 2, skipnan = true })
    end)

    it("finds the extremes' places among what is left", function()
        local y = x:sub({ 1, 3, 2 })
        gives({ 1, 1 }, "i64", y:argmin { axis = 2, skipnan = true })
        gives({ 3, 2 }, "i64", y:argmax { axis = 2, skipnan = true })
        gives({ 2, 2, 1 }, "i64", y:argmin { axis = 1, skipnan = true })
        assert.equal(7, x:argmin { skipnan = true })
    end)

    it("leaves no place in a line of NaN alone: an error that names the line and the script's", function()
        for _, backend in ipairs(lun.backends()) do
            lun.use(backend)
            for _, name in ipairs { "argmin", "argmax" } do
                local at = debug.getinfo(1, "l").currentline + 1
                local e = x[name](x, { axis = 2, skipnan = true })
                local failed = expect.failure("every element of line 2 along the axis is NaN", e.totable, e)
                assert.equal("EBOUNDS", failed.code)
                assert.truthy(failed.where:find(":" .. at, 1, true), failed.where)
                local again = x[name](x, { axis = 2, skipnan = true })
                failed = expect.failure("every element of line 2", again.totable, again)
                assert.truthy(failed.where:find(":" .. at + 4, 1, true), failed.where)
                expect.failure("every element is NaN, which skipnan leaves out", function()
                    return x[name](x:row(2), { skipnan = true })
                end)
            end
            local cube = lun.zeros { 2, 3, 2 }
            cube[2][1] = nan
            expect.failure("line 4 along", cube.totable, cube:argmax { axis = -1, skipnan = true })
            local turned = cube:transpose { 2, 3, 1 }
            gives({ { 2, 2 }, { 1, 1 }, { 1, 1 } }, "i64", turned:argmin { axis = 3 })
            gives({ { 1, 1 }, { 1, 1 }, { 1, 1 } }, "i64", turned:argmin { axis = 3, skipnan = true })
        end
        lun.use(lun.backends()[1])
        assert.equal(1, x:row(2):argmin())
        gives({ 1, 2 }, "i64", lun.vector { nan, nan, 1.0, 2.0 }:reshape(2, 2):argmax(2))
    end)

    it("of no lines fails nowhere", function()
        gives({}, "i64", lun.zeros { 0, 3 }:argmin { axis = 2, skipnan = true })
    end)
end)

describe("variances of lines", function()
    local function cost(build)
        build():eval()
        local before = lun.stats()
        local result = build():eval()
        local after = lun.stats()
        return {
            launches = after.launches - before.launches,
            read = after.bytes_read - before.bytes_read,
            written = after.bytes_written - before.bytes_written,
        }, result
    end

    -- Lines whose first element lies so far from the others that the first pass loses digits, if there are more than
    -- 10,000, or overflows.
    local function array(rows, columns, axis, far, by)
        local a = lun.random({ rows, columns }, { seed = 3 }):copy()
        for _, i in ipairs(far) do
            if axis == 1 then a[1][i] = by or 1e9 else a[i][1] = by or 1e9 end
        end
        return a
    end

    local function check(a, axis)
        local var, std = lun.eval(a:var { axis = axis }, a:std { axis = axis, ddof = 1 })
        for i = 1, math.min(#var, 500) do
            local line = (axis == 1 and a:col(i) or a[i]):copy()
            assert.equal(line:var(), var[i])
            assert.equal(line:std(1), std[i])
        end
    end

    it("have the bits of Vectors where some, all or none have lost digits", function()
        for _, shape in ipairs { { 40, 30 }, { 700, 500 }, { 20000, 5 }, { 5, 20000 }, { 20000, 70 } } do
            for axis = 1, 2 do
                local n, all = math.min(shape[3 - axis], 500), {}
                for i = 1, n do all[i] = i end
                for _, far in ipairs { {}, { 1 }, { 4, n }, all } do
                    check(array(shape[1], shape[2], axis, far), axis)
                end
                check(array(shape[1], shape[2], axis, { 2 }, 1e160), axis)
            end
        end
    end)

    it("read the lines once, and again only where digits were lost", function()
        local function z(a, axis)
            local o = { axis = axis, keep = true }
            return function() return (a - a:mean(o)) / a:std(o) end
        end
        local bytes = 8 * 2048 * 600
        for axis = 1, 2 do
            local sum = cost(function() return array(2048, 600, axis, {}):sum(axis) end)
            local plain, far = array(2048, 600, axis, {}), array(2048, 600, axis, { 5 }, 1e160)
            local one, again = cost(z(plain, axis)), cost(z(far, axis))
            local times = axis == 1 and 2 or 1 -- rows are a chain, which reads them once
            assert.is_true(one.read > (times - 0.01) * bytes and one.read < (times + 0.1) * bytes, one.read / bytes)
            assert.is_true(one.written >= bytes and one.written < 1.1 * bytes, one.written / bytes)
            assert.is_true(axis == 2 or again.read > one.read + 0.03 * bytes, again.read / bytes)
            assert.is_true(again.launches > one.launches)
            assert.is_true(sum.read < 1.1 * bytes, sum.read / bytes)
        end
    end)

    it("of whole arrays, too", function()
        for _, first in ipairs { 0.5, 1e9 } do
            local v = lun.random({ 50000 }, { seed = 4 }):copy()
            v[1] = first
            local mean, var, again = lun.eval(v:lazy "mean", v:lazy "var", (v * 2):lazy "std")
            assert.equal(v:mean(), mean)
            assert.equal(v:var(), var)
            assert.equal((v * 2):std(), again)
        end
        local v = lun.random({ 5000 }, { seed = 4 }):copy()
        local plan = lun.explain(v:lazy "var")
        assert.is_true(plan.graph:find("where needed", 1, true) ~= nil)
    end)

    it("say in the plan that a reduction is computed where it is needed", function()
        local a = array(64, 50, 1, {})
        local found = 0
        for _, kernel in ipairs(lun.explain(a:var { axis = 1 })) do
            found = found + (kernel.cut == "it says whether a reduction is needed" and 1 or 0)
        end
        assert.equal(1, found)
    end)
end)

-- Lines of many elements that stand apart while lines stand side by side: few lines and many, all lanes of a line at
-- once and one, whole chunks of them and parts.
describe("reductions down columns", function()
    local function column(x, i)
        return x:col(i):copy()
    end

    local function check(x, columns)
        local sum, high, mean, var = lun.eval(x:sum(1), x:max { axis = 1 }, x:mean(1), x:var { axis = 1 })
        for _, i in ipairs(columns) do
            local line = column(x, i)
            local one = lun.vector({ line:sum(), line:mean(), line:var() }, sum:dtype() == "f32" and "f32" or "f64")
            assert.equal(sum:dtype() == "i64" and line:sum() or one[1], sum[i])
            assert.equal(line:max(), high[i])
            assert.equal(one[2], mean[i])
            assert.equal(one[3], var[i])
        end
    end

    local shapes = { { 20000, 3 }, { 33000, 40 }, { 40000, 2 }, { 700, 1024 }, { 16700, 64 }, { 300, 4100 }, { 515, 2048 } }

    it("have the bits of each column, of arrays and of expressions", function()
        for k, shape in ipairs(shapes) do
            local r, c = table.unpack(shape)
            local columns = { 1, c // 2 + 1, c }
            local x = lun.random({ r, c }, { seed = k, dtype = "f32" }):copy()
            local wide = lun.random({ r + 3, c + 5 }, { seed = k + 50 }):copy()
            local row, col = lun.random({ c }, { seed = 8 }):copy(), lun.random({ r, 1 }, { seed = 9 }):copy()
            check(x, columns)
            check(wide:sub({ 2, r + 1 }, { 3, c + 2 }), columns)
            check(x * row + col, columns)
            check((x * 1000):cast "i64", columns)
            check(x + lun.random({ c, r }, { seed = 5 }):copy():transpose(), columns)
            check(x:sub({ r, 1, -1 }, {}), columns)
        end
    end)

    it("are few launches where lines are few", function()
        local x = lun.random({ 60000, 3 }, { seed = 1 }):copy()
        x:sum(1):eval()
        x[1][1] = 1
        local before = lun.stats().launches
        x:sum(1):eval()
        assert.is_true(lun.stats().launches - before <= 30, lun.stats().launches - before)
    end)

    it("take arrays of all the axes there can be, in any order", function()
        local a = lun.random({ 64, 2, 2, 2, 3, 3, 2, 4 }, { seed = 1 }):copy():transpose { 7, 6, 5, 4, 3, 2, 8, 1 }
        assert.equal(0, a:sum(8):ne(a:copy():sum(8)):count())
    end)

    it("name the line of what fails in them", function()
        local a = lun.random({ 20000, 3 }, { seed = 1 }):copy()
        local n = (a * 0):cast "i64"
        expect.failure("attempt to perform 'n//0'", function() return ((n + 1) // n):sum(1):eval() end)
        assert.equal(20000, (n + 1):sum(1)[2])
    end)
end)

describe("an empty axis", function()
    it("gives the identity, or an error where there is none", function()
        local none = lun.zeros { 2, 0 }
        gives({ 0.0, 0.0 }, "f64", none:sum(2))
        gives({ 1.0, 1.0 }, "f64", none:prod(2))
        gives({ false, false }, "bool", none:any(2))
        gives({ true, true }, "bool", none:all(2))
        gives({ 0, 0 }, "i64", none:count(2))
        gives({ 0.0, 0.0 }, "f64", none:norm(2))
        gives({ { 0.0 }, { 0.0 } }, "f64", none:sum { axis = 2, keep = true })
        for _, name in ipairs { "min", "max", "argmin", "argmax" } do
            expect.failure(name .. " of no elements is undefined: an axis of f64[2, 0] is empty", none[name], none, { axis = 2 })
        end
    end)

    it("has a mean, a variance and a deviation that are NaN, as those of NaN that skipnan leaves out", function()
        local NAN <const> = 0 / 0
        for _, name in ipairs { "mean", "var", "std" } do
            for dtype, given in pairs { f64 = "f64", f32 = "f32", f16 = "f16", i32 = "f64", bool = "f64" } do
                local none = lun.zeros({ 2, 0 }, dtype)
                gives({ NAN, NAN }, given, none[name](none, { axis = 2 }))
                gives({ { NAN }, { NAN } }, given, none[name](none, { axis = 2, keep = true }))
            end
            local flat = lun.vector({}, "f64")
            assert.is_true(flat[name](flat, { axis = 1 }) ~= flat[name](flat, { axis = 1 }))
            expect.failure(name .. " of an empty array", flat[name], flat)
        end
    end)

    it("of results without elements fails nowhere", function()
        local none = lun.zeros { 2, 0 }
        for _, name in ipairs { "sum", "min", "max", "mean", "var", "argmin" } do
            assert.equal(0, none[name](none, { axis = 1 }):size())
        end
        assert.equal(0, none:reduce(function(x, y) return x + y end, nil, { axis = 1 }):size())
        assert.equal(0, lun.scan("+", 0, { axis = 1 })(none):size())
        assert.equal(0, lun.scan("+", 0, { axis = 2 })(none):size())
    end)

    it("is the first value of a reduce", function()
        local none = lun.zeros({ 2, 0 }, "i64")
        gives({ 7, 7 }, "i64", none:reduce("+", 7, { axis = 2 }))
        gives({ 0, 0 }, "i64", none:reduce("+", nil, { axis = 2 }))
        expect.failure("reduce of no elements needs an initial value", none.reduce, none,
            function(x, y) return x + y end, nil, { axis = 2 })
    end)
end)

-- What the second one says, unless it says nothing: associative, does not commute.
local function last(x, y)
    if y ~= 0 then
        return y
    end
    return x
end

describe("reduce and scan by functions", function()
    local A = counted("i64", 2, 3)

    it("run along axes", function()
        gives({ 5, 7, 9 }, "i64", A:reduce("+", 0, { axis = 1 }))
        gives({ 106, 115 }, "i64", A:reduce("+", 100, { axis = 2 }))
        gives({ { 6 }, { 15 } }, "i64", A:reduce(lun.op.add, 0, { axis = -1, keep = true }))
        gives({ { 720 } }, "i64", A:reduce("*", 1, { keep = true }))
        assert.equal(720, A:reduce("*", 1, { axis = { 1, 2 } }):value())
        assert.equal(720, A:reduce("*", 1):value())
        gives({ 3, 6 }, "i64", lun.reduce(math.max, 0, { axis = 2 })(A))
        gives({ { 1, 2, 3 }, { 5, 7, 9 } }, "i64", A:scan("+", 0, { axis = 1, inclusive = true }))
        gives({ { 10, 11, 13 }, { 10, 14, 19 } }, "i64", A:scan("+", 10, { axis = 2 }))
        gives({ { 0, 1, 3 }, { 6, 10, 15 } }, "i64", A:scan("+", 0))
        gives({ { 1, 3, 6 }, { 4, 9, 15 } }, "i64", lun.scan("+", 0, { axis = -1, inclusive = true })(A))
        local below = A:sub({ -1, 1, -1 })
        gives({ { 4, 5, 6 }, { 4, 5, 6 } }, "i64", below:scan("max", 0, { axis = 1, inclusive = true }))
        gives({ { 0, 0, 0 }, { 4, 5, 6 } }, "i64", below:scan("+", 0, { axis = 1 }))
    end)

    it("keep their operands in order, in Lua and in C", function()
        local B = lun.vector { 3, 0, 5, 0, 0, 0, 1, 0, 0, 2, 0, 0 }:reshape(3, 4):eval()
        for _, f in ipairs { last, "(long x, long y) { return y != 0 ? y : x; }" } do
            gives({ 5, 1, 2 }, "i64", B:reduce(f, 0, { axis = 2 }))
            gives({ 3, 2, 1, 0 }, "i64", B:reduce(f, 0, { axis = 1 }))
            gives({ 3, 2, 1, 9 }, "i64", B:reduce(f, 9, { axis = 1 }))
            gives({ 3, 2, 1, 0 }, "i64", B:transpose():reduce(f, 0, { axis = 2 }))
            gives({ 5, 2 }, "i64", B:view { 2, 6 }:reduce(f, 0, { axis = 2 }))
            gives({ { 3, 3, 5, 5 }, { 9, 9, 1, 1 }, { 9, 2, 2, 2 } }, "i64",
                B:scan(f, 9, { axis = 2, inclusive = true }))
            gives({ { 9, 3, 3, 5 }, { 9, 9, 9, 1 }, { 9, 9, 2, 2 } }, "i64", B:scan(f, 9, { axis = 2 }))
            gives({ { 3, 9, 5, 9 }, { 3, 9, 1, 9 }, { 3, 2, 1, 9 } }, "i64",
                B:scan(f, 9, { axis = 1, inclusive = true }))
        end
    end)

    it("store and compose as others", function()
        local out = lun.zeros(2, "i64")
        lun.reduce("+", 0, { axis = 2 }):run { A, out = out }
        gives({ 6, 15 }, "i64", out)
        local running = lun.zeros({ 2, 3 }, "i64")
        lun.scan("+", 0, { axis = 1, inclusive = true }):run { A, out = running }
        gives({ { 1, 2, 3 }, { 5, 7, 9 } }, "i64", running)
        local squares = lun.map(function(x) return x * x end) >> lun.reduce("+", 0, { axis = 2 })
        gives({ 14, 77 }, "i64", squares(A))
    end)

    it("check their options when they are made, and their axes when they are called", function()
        expect.failure("unknown option 'inclusive': the options are elements, axis, keep", lun.reduce, "+", 0, { inclusive = true })
        expect.failure("unknown option 'keep': the options are elements, axis, inclusive", lun.scan, "+", 0, { keep = true })
        expect.failure("a scan runs along a single axis", lun.scan, "+", 0, { axis = { 1, 2 } })
        expect.failure("option inclusive: true or false expected, got 1", lun.scan, "+", 0, { inclusive = 1 })
        expect.failure("option axis: an integer or a list of integers expected, got x", lun.reduce, "+", 0, { axis = "x" })
        local third = lun.reduce("+", 0, { axis = 3 })
        expect.failure("bad argument #1 to 'reduce' (axis 3 is out of range: a View i64[2, 3] has 2)", third, A)
        expect.failure("(axis 0 is out of range: axes of a View i64[2, 3]", A.scan, A, "+", 0, { axis = 0 })
        assert.equal(1, third(lun.zeros { 1, 1, 0 }):size())
    end)
end)

describe("an empty list of axes", function()
    it("makes each element a line", function()
        expect.everywhere(function()
            local A = lun.vector { { 3, 1 }, { -2, 5 } }
            local x, truths = A:cast "f64", { { true, true }, { true, true } }
            for _, name in ipairs { "sum", "prod", "min", "max" } do
                gives({ { 3, 1 }, { -2, 5 } }, "i64", A[name](A, { axis = {} }))
            end
            gives({ { 3.0, 1.0 }, { -2.0, 5.0 } }, "f64", A:mean { axis = {} })
            gives({ { 0.0, 0.0 }, { 0.0, 0.0 } }, "f64", A:var { axis = {} })
            gives({ { 3.0, 1.0 }, { 2.0, 5.0 } }, "f64", A:norm { axis = {}, keep = true })
            gives(truths, "bool", A:any { axis = {} })
            gives({ { 1, 1 }, { 1, 1 } }, "i64", A:argmin { axis = {} })
            gives({ { 4, 2 }, { -1, 6 } }, "i64", A:reduce("+", 1, { axis = {} }))
            gives({ { 4, 2 }, { -1, 6 } }, "i64", A:reduce(function(a, b) return a + b end, 1, { axis = {} }))
            gives({ { 3.0, 1.0 }, { -2.0, 5.0 } }, "f64", x:median { axis = {} })
            gives({ { { 3.0, 1.0 }, { -2.0, 5.0 } } }, "f64", x:quantile({ 0.3 }, { axis = {} }))
            local least, at = lun.reduce(function(v, i, w, j)
                if w < v then
                    return w, j
                end
                return v, i
            end, { math.huge, 0 }, { elements = 2, axis = {} })(x, lun.index(4):reshape(2, 2))
            gives({ { 3.0, 1.0 }, { -2.0, 5.0 } }, "f64", least)
            gives({ { 1, 2 }, { 3, 4 } }, "i64", at)
        end)
    end)
end)

describe("all axes by name", function()
    it("have the position in the whole array", function()
        expect.everywhere(function()
            local A = lun.vector { { 3, 1, 4 }, { 1, 5, 9 } }
            assert.equal(2, A:argmin { axis = { 1, 2 } })
            assert.equal(6, A:argmax { axis = { 2, 1 } })
            gives({ { 2 } }, "i64", A:argmin { axis = { 1, 2 }, keep = true })
            local B = lun.vector { 0 / 0, 2.0, 1.0, 7.0 }:reshape(1, 2, 2)
            assert.equal(3, B:argmin { axis = { 1, 2, 3 }, skipnan = true })
        end)
    end)
end)

describe("a variance", function()
    it("takes a fraction as ddof", function()
        expect.everywhere(function()
            local x, squares = lun.vector { 1.0, 2.0, 4.0, 9.0 }, 38.0 -- (1 - 4)^2 + (2 - 4)^2 + (4 - 4)^2 + (9 - 4)^2
            expect.close({ squares / 3.5, squares / 2.75, squares / 3.5 },
                lun.vector { x:var(0.5), x:var { ddof = 1.25 }, x:var { axis = 1, ddof = 0.5 } })
            expect.close({ math.sqrt(squares / 3.5) }, lun.vector { x:std(0.5) })
            expect.close({ squares / 3.5 }, lun.vector { x:lazy("var", 0.5):value() })
            expect.close({ squares / 3.5, squares / 3.5 }, lun.stack { x, x }:var { axis = 2, ddof = 0.5 })
            expect.close({ squares / 3.5 }, lun.group(lun.ones(4)):var(x, { ddof = 0.5 }))
            assert.equal(x:var(1), x:var(1.0))
            local none = lun.vector { 1.0, 3.0 }
            local g = lun.group(lun.ones(2))
            for _, y in ipairs { none:var(2.5), none:var { axis = 1, ddof = 2.5 }, g:var(none, { ddof = 2.5 })[1] } do
                assert.is_true(y ~= y)
            end
        end)
        expect.failure("'ddof' is a number from 0 on, not -0.5", lun.var, lun.ones(3), -0.5)
        local g = lun.group(lun.ones(3))
        expect.failure("option 'ddof': number from 0 on expected, got -0.5", g.var, g, lun.ones(3), { ddof = -0.5 })
        expect.failure("option 'ddof': number from 0 on expected, got string", g.var, g, lun.ones(3), { ddof = "1" })
    end)
end)

describe("a norm", function()
    local NAN <const>, INF <const> = 0 / 0, 1 / 0
    -- Lines and their norms: 3, 4 and 5 times a power of two, which rounds nothing.
    local LINES <const>, NORMS <const> = {}, {}
    for _, row in ipairs {
        { 3.0, 4.0, 5.0 }, { 3 * 0x1p1000, 4 * 0x1p1000, 5 * 0x1p1000 }, { 0x3p-700, -0x4p-700, 0x5p-700 }, { 0.0, -0.0, 0.0 },
        { 0x3p-1074, 0x4p-1074, 0x5p-1074 }, { 0x1p1000, 0.0, 0x1p1000 }, { INF, 1.0, INF }, { -INF, INF, INF }, { NAN, 0x1p1000, NAN },
        { 0x1p1023, 0x1p1023, 0x1.6a09e667f3bcdp1023 }, { 0x1p1000, 0x1p-700, 0x1p1000 }, { 0x1.8p1023, 0x1.8p1023, INF },
        { INF, NAN, NAN }, { 3 * 0x1p-450, 4 * 0x1p-450, 5 * 0x1p-450 },
    } do
        LINES[#LINES + 1], NORMS[#NORMS + 1] = { row[1], row[2] }, row[3]
    end


    it("neither overflows nor underflows before its result does", function()
        expect.everywhere(function()
            local A = lun.vector(LINES)
            for i, line in ipairs(LINES) do
                local x = lun.vector(line, "f64")
                expect.close({ NORMS[i], NORMS[i] }, lun.vector { x:norm(), x:lazy "norm":value() }, 1)
            end
            expect.close(NORMS, A:norm(2), 1)
            expect.close(NORMS, A:transpose():copy():norm(1), 1)
            for _, n in ipairs { 40, 3000 } do -- longer lines, in which all else is 0
                local wide = lun.concat({ A, lun.zeros { #LINES, n } }, 2)
                expect.close(NORMS, wide:norm(2), 1)
                expect.close(NORMS, wide:transpose():copy():norm { axis = 1, keep = true }:flatten(), 1)
            end
            local many = lun.concat({ A, lun.zeros { 20000, 2 } }, 1):norm(2) -- lines of few elements as an expression
            expect.close(NORMS, many:sub { 1, #LINES }, 1)
            assert.equal(0.0, many:sub { #LINES + 1, -1 }:max())
            expect.close({ 0x5p1000 }, lun.vector { lun.vector { 0x3p1000, NAN, 0x4p1000 }:norm { skipnan = true } }, 1)
        end)
    end)

    it("has its bits where squares do not leave the range", function()
        local x = lun.random(5000, { seed = 3 }) - 0.5
        assert.equal(math.sqrt(x:dot(x)), x:norm())
        assert.equal(math.sqrt((x * x):sum()), x:lazy "norm":value())
        gives((x * x):reshape(50, 100):sum(2):sqrt():totable(), "f64", x:reshape(50, 100):norm(2))
    end)

    it("of other dtypes is that of their elements", function()
        assert.equal(0x5p120, lun.vector({ 0x3p120, 0x4p120 }, "f32"):norm())
        gives({ 0x5p-140 }, "f32", lun.vector({ { 0x3p-140, 0x4p-140 } }, "f32"):norm(2))
        gives({ 5000.0 }, "f16", lun.vector({ { 3000, 4000 } }, "f16"):norm(2))
        assert.equal(0x5p60, lun.vector { 0x3p60 // 1 | 0, 0x4p60 // 1 | 0 }:norm())
    end)
end)

describe("axes that are none", function()
    local A = lun.zeros { 2, 3 }

    it("are named with the shape", function()
        expect.failure("axis 0 is out of range: axes of a View f64[2, 3] count from 1, or backwards from -1", A.sum, A, 0)
        expect.failure("axis 3 is out of range: a View f64[2, 3] has 2", A.sum, A, 3)
        expect.failure("axis -3 is out of range: a View f64[2, 3] has 2", A.max, A, { axis = -3 })
        expect.failure("axis 2 of a View f64[2, 3] is given twice", A.sum, A, { axis = { 2, -1 } })
        expect.failure("axis 1 is out of range: a Scalar f64 has 0", lun.sum, A:reduce("+", 0), 1)
        expect.failure("option axis: a scan runs along a single axis", A.scan, A, "+", 0, { axis = {} })
        expect.failure("option axis: one axis expected, got none", A.sort, A, { axis = {} })
        expect.failure("the list of axes is too long", A.sum, A, { axis = { 1, 1, 1, 1, 1, 1, 1, 1, 1 } })
        expect.failure("an axis or a table of options expected, got 1.5", A.sum, A, 1.5)
        expect.failure("an axis or a table of options expected, got rows", A.sum, A, "rows")
        local B = lun.zeros { 2, 2, 2 }
        expect.failure("argmin reduces along one axis or over the whole array, not along several axes", B.argmin, B, { axis = { 1, 2 } })
    end)

    it("and options that are none", function()
        expect.failure("unknown option 'axes': the options are axis, keep, skipnan", A.sum, A, { axes = 1 })
        expect.failure("unknown option '1': the options are axis, keep, skipnan", A.sum, A, { 1 })
        expect.failure("unknown option 'ddof': the options are axis, keep, skipnan", A.sum, A, { ddof = 1 })
        expect.failure("unknown option 'keepdims': the options are axis, keep, skipnan, skipna, ddof", A.var, A, { keepdims = true })
        expect.failure("unknown option 'bins': the options are range, weights", A.histogram, A, 3, { bins = 3 })
        expect.failure("option keep: true or false expected, got 1", A.sum, A, { keep = 1 })
        expect.failure("option ddof: a number from 0 on expected, got -1", A.var, A, { ddof = -1 })
        expect.failure("option ddof: a number from 0 on expected, got nan", A.var, A, { ddof = -(0 / 0) })
        expect.failure("option ddof: a number from 0 on expected, got 1", A.var, A, { ddof = "1" })
        expect.failure("'sum' (at most 2 expected, got 3)", A.sum, A, 1, 2)
        assert.equal(0.0, A:sum()) -- and the session goes on
    end)
end)

-- ---------------------------------------------------------------- programs

local function table_of(rows, columns, f)
    local list = {}
    for i = 1, rows do
        list[i] = {}
        for j = 1, columns do
            list[i][j] = f(i, j)
        end
    end
    return list
end

local function close(wanted, array, room)
    local got = array:totable()
    for i, row in ipairs(wanted) do
        for j, x in ipairs(row) do
            assert(math.abs(got[i][j] - x) <= room, ("[%d][%d] is %.17g, %.17g expected"):format(i, j, got[i][j], x))
        end
    end
end

describe("programs with axes:", function()
    local rows, columns = 37, 70
    local list = table_of(rows, columns, function(i, j)
        return math.sin(i * 12.9898 + j * 78.233) * 10
    end)
    local A = lun.vector(list)

    it("softmax of rows", function()
        local wanted = {}
        for i, row in ipairs(list) do
            local most, sum = math.max(table.unpack(row)), 0
            wanted[i] = {}
            for j, x in ipairs(row) do
                wanted[i][j] = math.exp(x - most)
                sum = sum + wanted[i][j]
            end
            for j = 1, columns do
                wanted[i][j] = wanted[i][j] / sum
            end
        end
        local e = (A - A:max { axis = 2, keep = true }):exp()
        close(wanted, e / e:sum { axis = 2, keep = true }, 1e-14)
        local t = A:transpose()
        local f = (t - t:max { axis = 1, keep = true }):exp()
        close(wanted, (f / f:sum { axis = 1, keep = true }):transpose(), 1e-14)
    end)

    it("standardised rows and columns", function()
        local function standardised(x, axis)
            return (x - x:mean { axis = axis, keep = true }) / x:std { axis = axis, keep = true }
        end
        for axis = 1, 2 do
            local z = standardised(A, axis)
            for _, x in ipairs(z:mean(axis):totable()) do
                assert.is_true(math.abs(x) < 1e-14)
            end
            for _, x in ipairs(z:std { axis = axis }:totable()) do
                assert.is_true(math.abs(x - 1) < 1e-13)
            end
            same(standardised(A:transpose(), 3 - axis):transpose():totable(), z:totable())
        end
    end)

    it("moving means by windows, and distances of pairs by broadcasting", function()
        local x = lun.range(1, 10):cast "f64"
        gives({ 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0 }, "f64", x:windows(3):mean(2))
        gives({ 3.0, 6.0, 9.0 }, "f64", x:windows(3, { step = 3 }):max { axis = 2 })
        local p = lun.vector { { 0.0, 0.0 }, { 3.0, 4.0 }, { 6.0, 8.0 } }
        local d = p:view { 3, 1, 2 } - p:view { 1, 3, 2 }
        gives({ { 0.0, 5.0, 10.0 }, { 5.0, 0.0, 5.0 }, { 10.0, 5.0, 0.0 } }, "f64", d:norm(3))
        gives({ 4, 4 }, "i64", lun.vector { 4, 4 }:broadcast { 3, 2 }:max { axis = 1 })
        gives({ 15, 15 }, "i64", lun.vector { 4, 5, 6 }:broadcast { 2, 3 }:sum(2))
    end)

    it("rows and columns of expressions, in one evaluation with whole reductions", function()
        local rows_of, columns_of, whole, count = lun.eval((A * 2 + 1):lazy("sum", 2), A:abs():lazy("max", { axis = 1 }),
            A:lazy "sum", A:gt(0):lazy("count", { axis = 2, keep = true }))
        assert.equal(rows, rows_of:size())
        assert.equal(columns, columns_of:size())
        assert.equal(A:sum(), whole)
        for i = 1, rows, 9 do
            assert.equal((A[i] * 2 + 1):sum(), rows_of[i])
            assert.equal(A[i]:gt(0):count(), count[i][1])
        end
        for j = 1, columns, 9 do
            assert.equal(A:col(j):copy():abs():max(), columns_of[j])
        end
    end)

    it("results go on in expressions, and into windows", function()
        local share = A:abs():sum(2) / A:abs():sum()
        assert.is_true(math.abs(share:sum() - 1) < 1e-14)
        local held = lun.zeros { 3, rows }
        held:row(2):set(A:sum(2))
        same(A:sum(2):totable(), held:row(2):totable())
        assert.equal(0.0, held:row(1):abs():sum() + held:row(3):abs():sum())
        local best = A:argmax(2):totable()
        for i = 1, rows do
            assert.equal(A[i]:max(), A[i][best[i]])
        end
    end)
end)
