-- Records as columns of a table: what a table does with its columns does the same with records of them, field by field;
-- what needs a key or a number says which field to take.
local lun = require "lunarray"
local expect = require "expect"

local P = lun.struct("Point", { { "x", "f64" }, { "y", "i32" } })
local Q = lun.struct("Apart", { { "x", "f64" }, { "y", "i32" } }, { layout = "soa" })

-- A table of n rows with records in both layouts; row i has x = i / 2 and y = -i.
local function table_of(n)
    local i = lun.index(n)
    local t = { key = i % 3, name = {}, point = lun.zeros(n, P), apart = lun.zeros(n, Q) }
    for _, column in ipairs { "point", "apart" } do
        t[column].x, t[column].y = i / 2, -i
    end
    for k = 1, n do
        t.name[k] = ("n%d"):format(k)
    end
    return lun.table(t, { "key", "name", "point", "apart" })
end

-- Fails unless the columns of records hold the rows that began as `wanted`.
local function check(wanted, t)
    assert.equal(#wanted, #t)
    for _, column in ipairs { "point", "apart" } do
        for k, i in ipairs(wanted) do
            assert.same({ x = i / 2, y = -i }, t[column][k])
        end
        assert.equal(column == "point" and P or Q, t[column]:dtype())
    end
    for k, i in ipairs(wanted) do
        assert.equal(("n%d"):format(i), t.name[k])
    end
end

local function file_of(path)
    local file <close> = assert(io.open(path))
    return file:read "a"
end

describe("columns of records", function()
    it("count as rows and keep their order", function()
        local t = table_of(5)
        local names = {}
        for name, column in pairs(t) do
            names[#names + 1] = name
            assert.is_true(column ~= nil)
        end
        assert.equal("key name point apart", table.concat(names, " "))
        check({ 1, 2, 3, 4, 5 }, t)
        assert.equal(4, #lun.table { only = lun.zeros(4, P) })
        assert.equal(0, #lun.table { only = lun.zeros(0, P) })
        expect.failure("lengths differ: column 'a' has 2 rows and 'b' has 3", lun.table,
            { a = lun.zeros(2, P), b = lun.ones(3) })
        expect.failure("column 'a' is of rank 2", lun.table, { a = lun.zeros({ 2, 2 }, P) })
        local freed = lun.zeros(2, P)
        freed:free()
        expect.failure("column 'a' has been freed", lun.table, { a = freed })
    end)

    it("of a length that only running tells are measured together", function()
        local i = lun.index(1000)
        local mask = (i % 10):eq(0)
        local all = table_of(1000)
        local t = lun.table { k = i:compress(mask), p = all.point:compress(mask) }
        assert.equal(100, #t)
        assert.same({ x = 10.0, y = -20 }, t.p[2])
    end)

    it("are selected by numbers, by a mask and in the order of a column or a field", function()
        local t = table_of(6)
        check({ 6, 1, 6, 3 }, lun.rows(t, { -1, 1, 6, 3 }))
        check({ 3, 6 }, lun.rows(t, t.key:eq(0)))
        check({ 1, 2, 3 }, lun.rows(t, t.point.x:lt(2)))
        check({ 3, 6, 1, 4, 2, 5 }, lun.rows(t, t.key:argsort()))
        check({ 6, 5, 4, 3, 2, 1 }, lun.rows(t, t.apart.y:argsort()))
        check({}, lun.rows(t, {}))
        check({}, lun.rows(t, lun.zeros(6, "bool")))
        check({ 5, 4 }, lun.rows(lun.rows(t, { 4, 5 }), { 2, 1 }))
        local selected = lun.rows(t, { 2, 4 })
        t.point[2] = { x = 9, y = 9 }
        check({ 2, 4 }, selected)
    end)

    it("have no missing rows", function()
        local t = lun.table { x = lun.ones(2), point = lun.zeros(2, P) }
        expect.failure("bad argument #2 to 'rows' (row 0 (number 2): the column 'point' is of records, in which nothing "
            .. "can be missing)", lun.rows, t, { 1, 0 })
        expect.failure("bad argument #2 to 'rows' (bool or integer Vector expected, got records of Point (column 'point'): "
            .. "take a field (x and y), as t.point:field 'x')", lun.rows, t, t.point)
    end)

    it("are evaluated, taken and joined end to end", function()
        local t, u = table_of(3), table_of(2)
        t = lun.table {
            point = t.point .. u.point, apart = lun.concat { t.apart, u.apart }, name = { "n1", "n2", "n3", "n1", "n2" },
        }
        assert.equal(t.point, t.point:eval())
        check({ 1, 2, 3, 1, 2 }, t)
        assert.equal(0, t.point:pending())
        check({ 2, 1 }, lun.table { point = t.point:take { 2, 4 }, apart = t.apart:take { 2, 1 }, name = { "n2", "n1" } })
    end)

    it("are written through the table", function()
        local t = table_of(3)
        t.point[2] = { x = 2.5, y = 7 }
        t.apart.y = t.apart.y * 10
        t.point.x[3] = -1
        assert.same({ { x = 0.5, y = -1 }, { x = 2.5, y = 7 }, { x = -1.0, y = -3 } }, t.point:totable())
        assert.same({ -10, -20, -30 }, t.apart.y:totable())
    end)

    it("print as a column for each field", function()
        local t = lun.table({ n = { "a", "b" }, point = lun.vector({ { x = 0.5, y = 10 }, { x = 12, y = -3 } }, P) }, { "n" })
        assert.equal([[
2 columns, 2 rows
   n     point.x  point.y
   text      f64      i32
1  a         0.5       10
2  b        12.0       -3]], tostring(t))
        expect.failure("column 'point' is of rank 2", function()
            t.point = lun.zeros({ 2, 1 }, P)
        end)
        t.point:free()
        assert.equal([[
2 columns, 2 rows
   n     point.x  point.y
   text  freed    freed
1  a
2  b]], tostring(t))
        assert.equal("1 column, 30 rows", tostring(lun.table { p = lun.zeros(30, P) }):match "^[^\n]*")
    end)

    it("are saved as a column for each field in csv, and as structs in npz", function()
        local t = lun.table({ k = lun.index(2), p = lun.vector({ { x = 0.5, y = 1 }, { x = 2, y = -3 } }, P) }, { "p" })
        local path <const> = os.tmpname()
        assert(lun.save(path .. ".csv", t))
        assert.equal("p.x,p.y,k\n0.5,1,1\n2.0,-3,2\n", file_of(path .. ".csv"))
        assert(lun.save(path .. ".csv", t, { names = { "k", "p" } }))
        assert.equal("k,p.x,p.y\n1,0.5,1\n2,2.0,-3\n", file_of(path .. ".csv"))
        expect.failure("columns 1 and 3 are both named 'p.x'", lun.save, path .. ".csv", { p = t.p, ["p.x"] = t.k })
        assert(lun.save(path .. ".npz", t))
        local back = lun.table((lun.load(path .. ".npz")))
        assert.same(t.p:totable(), back.p:totable())
        assert.same({ 1, 2 }, back.k:totable())
        for _, ending in ipairs { "", ".csv", ".npz" } do
            os.remove(path .. ending)
        end
    end)

    it("go along in groups and joins", function()
        local t = table_of(6) -- keys 1 2 0 1 2 0
        local g = lun.group(t.key)
        assert.same({ { x = 1.5, y = -3 }, { x = 0.5, y = -1 }, { x = 1.0, y = -2 } }, g:first(t.point):totable())
        assert.same({ { x = 3.0, y = -6 }, { x = 2.0, y = -4 }, { x = 2.5, y = -5 } }, g:last(t.apart):totable())
        assert.same({ -9, -5, -7 }, g:sum(t.point.y):totable())
        check({ 2, 5 }, lun.rows(t, g:rows(3)))
        local i, j = lun.join(t.name, { "n5", "no", "n2" })
        assert.same({ { x = 1.0, y = -2 }, { x = 2.5, y = -5 } }, t.point:take(i):totable())
        assert.same({ 3, 1 }, j:totable())
        expect.failure("bad argument #2 to 'first' (option 'skipnan': got records of Point (column 'point'): take", g.first, g,
            t.point, { skipnan = true })
    end)

    it("are aggregated by count, first, last and functions", function()
        local t = table_of(6) -- keys 1 2 0 1 2 0
        local r = t:group("key"):agg {
            { "n", "count", "point" }, { "begin", "first", "point" }, { "ends", "last", "apart" },
            { "sum", function(p) return { x = p.x:sum(), y = p.y:sum() } end, "point" },
            { "least", function(p) return p.y:min() end, "apart" },
        }
        assert.equal("key n begin ends sum least", table.concat(r:names(), " "))
        assert.same({ 2, 2, 2 }, r.n:totable())
        assert.same({ { x = 1.5, y = -3 }, { x = 0.5, y = -1 }, { x = 1.0, y = -2 } }, r.begin:totable())
        assert.same({ { x = 3.0, y = -6 }, { x = 2.0, y = -4 }, { x = 2.5, y = -5 } }, r.ends:totable())
        assert.same({ { x = 4.5, y = -9 }, { x = 2.5, y = -5 }, { x = 3.5, y = -7 } }, r.sum:totable())
        assert.same({ -6, -4, -5 }, r.least:totable())
        assert.equal(P, r.sum:dtype())
        assert.same({ { x = 0.5, y = -1 } }, t:agg { a = { "first", "point" } }.a:totable())
        assert.equal(21.0, t:agg { a = { "sum", t.point.x * 2 } }.a[1])
        assert.same({ 0.5, 1.0, 1.5, 0.5, 1.0, 1.5 }, t:group("key"):transform("first", "point").x:totable())
    end)

    it("have no other aggregates, and none of rows that are not there", function()
        local t = table_of(4)
        local g = t:group "key"
        local field <const> = "records of Point (column 'point'): take a field (x and y), as t.point:field 'x'"
        for name in ("sum mean min max prod any all var std median nunique mode argmin argmax concat"):gmatch "%S+" do
            expect.failure(("'%s': %s"):format(name, field), g.agg, g, { a = { name, "point" } })
        end
        expect.failure("'corr': " .. field, g.agg, g, { a = { "corr", "key", "point" } })
        expect.failure("'agg': the result of the function is no record: record 1: field 'y' is missing: Point has x and y",
            g.agg, g, { a = { function() return { x = 1 } end, "point" } })
        expect.failure("'agg': the result of the function has a table in row 1", g.agg, g,
            { a = { function() return { x = 1 } end, "key" } })
        expect.failure("nothing can be missing among records", function()
            t:filter(t.key:gt(9)):agg { a = { "first", "point" } }
        end)
    end)

    it("are no numbers", function()
        local k, p = lun.index(2), lun.zeros(2, P)
        local g = lun.group(k)
        local field <const> = "got records of Point: take a field (x and y), as a:field 'x')"
        local function refused(message, ...)
            expect.failure(message, ...)
        end
        refused("bad argument #2 to 'join' (key 1 is records of Point on one side and a Vector i64[2] on the other)", lun.join, p, k)
        refused("bad argument #2 to 'join' (key 2 is a Vector i64[2] on one side and records of Point on the other)", lun.join,
            { k, k }, { k, p })
        refused("bad argument #1 to 'factor' (Vector, or list of texts, expected, " .. field, lun.factor, p)
        refused("bad argument #1 to 'parse' (list of texts expected, " .. field, lun.date.parse, p)
        for _, name in ipairs { "sum", "min", "mean", "count", "any", "numbers", "median", "var" } do
            refused(("bad argument #1 to '%s' (array expected, %s"):format(name, field), g[name], g, p)
        end
        refused("bad argument #1 to 'quantile' (array expected, " .. field, g.quantile, g, p, 0.5)
        refused("bad argument #2 to 'reduce' (records of Point have no '+'", g.reduce, g, p, "+", 0)
        refused("bad argument #1 to 'plot' (array, or a table of arrays, expected, " .. field, lun.plot, p)
        refused("bad argument #1 to 'hist' (array, or a list of texts, expected, " .. field, lun.hist, p)
    end)

    it("are named where they are refused", function()
        local t = lun.table { p = lun.zeros(2, P), ["a b"] = lun.zeros(2, P), v = lun.index(2) }
        local p <const> = "got records of Point (column 'p'): take a field (x and y), as t.p:field 'x')"
        expect.failure("bad argument #1 to 'cumsum' (array expected, " .. p, lun.cumsum, t.p)
        expect.failure("got records of Point (column 'a b'): take a field (x and y), as t[\"a b\"]:field 'x')", lun.factor, t["a b"])
        assert.equal(2, lun.group(t.p):count():sum())
    end)

    it("are drawn as series of their fields", function()
        local text = lun.plot(lun.table { k = lun.index(3), p = lun.zeros(3, P) }, { string = true })
        for _, name in ipairs { "k", "p.x", "p.y" } do
            assert.truthy(text:find(name, 1, true))
        end
    end)
end)
