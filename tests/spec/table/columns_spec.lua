-- lun.table and lun.rows: what makes a table of columns, and rows of one against plain loops, on every backend.
local lun = require "lunarray"
local expect = require "expect"

local NAN = 0.0 / 0.0

local function names_of(t)
    local names = {}
    for name in pairs(t) do
        names[#names + 1] = name
    end
    return table.concat(names, " ")
end

describe("lun.table", function()
    it("gives the table itself, with an order of columns", function()
        local t = { b = lun.index(3), a = { "x", "", "z" }, c = lun.ones(3) }
        assert.equal(t, lun.table(t))
        assert.equal("a b c", names_of(t))
        assert.equal(t, lun.table(t, { "c" }))
        assert.equal("c a b", names_of(t))
        assert.equal("c a b", names_of(lun.table(t)))
        assert.equal(3, #t)
        t.d = t.b * 2
        assert.equal("c a b d", names_of(t))
        assert.equal("a c b d", names_of(lun.table(t, { "a", "c" })))
        assert.equal([[
2 columns, 2 rows
   kind  days
   text   i64
1  sun      1
2  rain     2]], tostring(lun.table({ kind = { "sun", "rain" }, days = lun.index(2) }, { "kind", "days" })))
    end)

    it("keeps its number of rows", function()
        local t = lun.table({ s = { "x", "y" }, n = { "1", "2" } }, { "s", "n" })
        assert.equal(2, #t)
        expect.failure("column 's' has 5 rows, the table 2", function()
            t.s = lun.index(5)
        end)
        t.n = lun.index(2)
        t.n:free()
        assert.equal(2, #t)
        t.s, t.n = nil, nil
        assert.equal(2, #t)
        t.s = lun.index(5)
        assert.equal(5, #t)
        local empty = lun.table {}
        empty.a = { "x" }
        assert.equal(1, #empty)
    end)

    it("evaluates columns together whose lengths only running tells", function()
        local n = 100000
        local function calls(f)
            local before = lun.stats().launches
            f()
            return lun.stats().launches - before
        end
        local x = lun.random(n, { seed = 3 }):eval()
        local function columns()
            local y = x * 3 + 1
            local mask = y:gt(2)
            return { a = x:compress(mask), b = y:compress(mask), c = (y * y):compress(mask) }
        end
        local one, together = columns(), columns()
        local apart = calls(function()
            for _, name in ipairs { "a", "b", "c" } do
                one[name]:eval()
            end
        end)
        local t
        assert.is_true(calls(function()
            t = lun.table(together)
        end) < apart)
        assert.equal(one.a:size(), #t)
        for name, column in pairs(t) do
            expect.elements(one[name]:totable(), column)
        end
    end)

    it("may have no rows, and no columns", function()
        assert.equal("0 columns, 0 rows", tostring(lun.table {}))
        assert.equal("2 columns, 0 rows\n  a       b\n  text  f64", tostring(lun.table { a = {}, b = lun.zeros(0) }))
    end)

    it("is saved in its order", function()
        local path = os.tmpname() .. ".csv"
        assert(lun.save(path, lun.table({ a = lun.index(2), b = { "x", "y" } }, { "b", "a" })))
        local file <close> = io.open(path)
        assert.equal("b,a\nx,1\ny,2\n", file:read "a")
        os.remove(path)
    end)

    it("refuses what is no table of columns", function()
        local function refused(message, ...)
            expect.failure(message, lun.table, ...)
        end
        refused("bad argument #1 to 'table' (table of columns expected, got number)", 1)
        refused("bad argument #1 to 'table' (table of columns expected, got a Vector f64[2])", lun.ones(2))
        refused("bad argument #1 to 'table' (column 'a' is a number; a column is a Vector or a list of texts)", { a = 1 })
        refused("column 'a' has a number in row 2, where a text was expected; make it a Vector with lun.vector",
            { a = { "x", 2 } })
        refused("column 'a' has a table in row 1, where a text was expected)", { a = { {} } })
        refused("column 'a' is no list of texts", { a = { x = 1 } })
        refused("column 'a' is of rank 2", { a = lun.ones(2, 2) })
        refused("lengths differ: column 'a' has 2 rows and 'b' has 3", { a = lun.ones(2), b = { "x", "y", "z" } })
        refused("lengths differ: column 'a' has 1 row and 'b' has 0", { a = lun.ones(1), b = {} })
        refused("the name of a column is a text, not the number 1", { lun.ones(2) })
        refused("bad argument #2 to 'table' (there is no column 'c')", { a = lun.ones(2) }, { "a", "c" })
        refused("bad argument #2 to 'table' (names 1 and 3 are both 'a')", { a = lun.ones(2), b = lun.ones(2) }, { "a", "b", "a" })
        refused("bad argument #2 to 'table' (list of column names expected, got string)", { a = lun.ones(2) }, "a")
        refused("a table with a metatable of its own", setmetatable({ a = lun.ones(2) }, {}))
        refused("wrong number of arguments to 'table' (at most 2 expected, got 3)", {}, {}, {})
        local freed = lun.ones(2)
        freed:free()
        refused("column 'a' has been freed", { a = freed })
    end)
end)

-- ---------------------------------------------------------------- rows

-- A table with a column of each dtype and one of texts, of n rows; and its columns as lists.
local function every_dtype(n, seed)
    local t, lists = { text = {} }, {}
    local wide = (lun.random(n, { seed = seed }) * 2.0 ^ 53):cast "i64"
    for _, row in ipairs(require("lunarray.base.dtypes").list) do
        local name = row.name
        t[name] = row.kind == "bool" and (wide & 1):eq(1) or row.kind == "float" and (lun.random(n, { seed = seed + 1 }) * 100):cast(name)
            or (wide * 2049):cast(name)
        lists[name] = t[name]:totable()
    end
    t.f64 = lun.where(t.f64:lt(10), NAN, t.f64):eval()
    lists.f64 = t.f64:totable()
    for i = 1, n do
        t.text[i] = i % 3 == 0 and "" or ("t%d"):format(i)
    end
    lists.text = t.text
    return t, lists
end

-- Fails unless the table holds the elements of the lists at these places; 0 is a missing one.
local function check_rows(got, lists, places)
    assert.equal(#places, #got)
    for name, list in pairs(lists) do
        local wanted = {}
        for k, i in ipairs(places) do
            wanted[k] = list[i]
            if i == 0 then
                wanted[k] = name == "text" and lun.na or NAN
            end
        end
        if name == "text" then
            assert.same(wanted, got.text:totable())
        else
            assert.equal(name, got[name]:dtype())
            expect.elements(wanted, got[name])
        end
    end
end

describe("lun.rows", function()
    it("keeps the rows that a mask says", function()
        expect.everywhere(function()
            for _, n in ipairs { 0, 1, 2, 100, 4097 } do
                local t, lists = every_dtype(n, n)
                for _, part in ipairs { 0, 0.3, 0.9, 1 } do
                    local mask, places = lun.random(n, { seed = 7 }):lt(part), {}
                    for i, keeps in ipairs(mask:totable()) do
                        places[#places + 1] = keeps and i or nil
                    end
                    check_rows(lun.rows(t, mask), lists, places)
                end
            end
        end)
    end)

    it("takes row numbers in any order, repeated and from the end", function()
        expect.everywhere(function()
            for _, n in ipairs { 1, 5, 4097 } do
                local t, lists = every_dtype(n, n)
                for _, dtype in ipairs { "i64", "i32", "i16" } do
                    local which = (lun.random(3 * n, { seed = n }) * n):cast(dtype) + 1
                    check_rows(lun.rows(t, which), lists, which:totable())
                    check_rows(lun.rows(t, which - (n + 1)), lists, which:totable())
                end
                check_rows(lun.rows(t, { n, -1, 1, -n, 1 }), lists, { n, n, 1, 1, 1 })
                check_rows(lun.rows(t, lun.vector({ n, 1 }, "u64")), lists, { n, 1 })
                check_rows(lun.rows(t, {}), lists, {})
            end
        end)
    end)

    it("makes missing rows of 0", function()
        expect.everywhere(function()
            local all, lists = every_dtype(70, 3)
            local t, kept = {}, {}
            for _, name in ipairs { "f16", "bf16", "f32", "f64", "text" } do
                t[name], kept[name] = all[name], lists[name]
            end
            check_rows(lun.rows(t, { 0, 5, 0, -1 }), kept, { 0, 5, 0, 70 })
        end)
        local empty = lun.rows({ x = lun.zeros(0), s = {} }, { 0, 0 })
        expect.elements({ NAN, NAN }, empty.x)
        assert.same({ lun.na, lun.na }, empty.s:totable())
    end)

    it("gives a table with the order of the one it is of, which stays as it is", function()
        local t = lun.table({ a = lun.index(4), z = lun.index(4) * 10 }, { "z", "a" })
        local some = lun.rows(t, t.a:gt(2))
        assert.equal("z a", names_of(some))
        some.a:fill(0)
        expect.elements({ 1, 2, 3, 4 }, t.a)
        t.z:fill(0)
        expect.elements({ 30, 40 }, some.z)
        assert.equal("a b", names_of(lun.rows({ b = lun.ones(1), a = lun.ones(1) }, { 1 })))
    end)

    it("gives missing elements for row 0, in every dtype", function()
        local t = lun.table { a = lun.index(2), f = lun.vector { 1.5, 2 }, b = lun.vector { true, false }, s = { "x", "y" } }
        local u = lun.rows(t, { 2, 0, 1 })
        for _, name in ipairs { "a", "f", "b", "s" } do
            assert.equal(t[name]:dtype(), u[name]:dtype())
            assert.same({ false, true, false }, u[name]:ismissing():totable())
            assert.same({ t[name][2], t[name][1] }, { u[name][1], u[name][3] })
        end
    end)

    it("says which row there is not", function()
        local t = lun.table { a = lun.index(5), s = { "1", "2", "3", "4", "5" } }
        local function refused(message, which)
            expect.failure("bad argument #2 to 'rows' (" .. message, lun.rows, t, which)
        end
        refused("row 7 (number 3) is out of range for a table of 5 rows)", { 1, 2, 7, 8 })
        refused("row -6 (number 1) is out of range for a table of 5 rows)", { -6 })
        refused("row -9223372036854775808 (number 2) is out of range", { 1, math.mininteger })
        refused("row 9223372036854775807 (number 1) is out of range", ~lun.zeros(1, "u64"))
        refused("lengths differ: the table has 5 rows and the mask has 4)", lun.ones(4, "bool"))
        refused("bool or integer Vector expected, got a Vector f64[2])", lun.ones(2))
        refused("bool or integer Vector expected, got a View i64[2, 2])", lun.ones({ 2, 2 }, "i64"))
        refused("bool or integer Vector expected, got number)", 3)
        expect.failure("bad argument #1 to 'rows' (table of columns expected, got a Vector f64[2])", lun.rows, lun.ones(2), { 1 })
        expect.failure("lengths differ: column 'a' has 1 row and 'b' has 2",
            lun.rows, { a = lun.ones(1), b = lun.ones(2) }, { 1 })
    end)
end)

describe("a:fillnan", function()
    it("puts a value where NaN is", function()
        expect.everywhere(function()
            local a = lun.vector { 1, NAN, -0.0, 1 / 0, NAN }
            expect.elements({ 1.0, 7.0, -0.0, 1 / 0, 7.0 }, a:fillnan(7))
            assert.equal(-1 / 0, 1 / a:fillnan(7)[3])
            expect.elements({ 1.0, 20.0, -0.0, 1 / 0, NAN }, a:fillnan(lun.vector { 10, 20, 30, 40, NAN }))
            assert.equal("f32", a:cast("f32"):fillnan(7):dtype())
            expect.elements({ 1, 2 }, lun.vector { 1, 2 }:fillnan(0))
        end)
    end)
end)
