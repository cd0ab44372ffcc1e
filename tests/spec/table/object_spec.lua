-- The table object: columns, verbs and rows by name; what is assigned is checked at once.
local lun = require "lunarray"
local expect = require "expect"

-- A table of three rows with gaps in a column of each kind.
local function three()
    return lun.table({
        n = lun.vector { 1, lun.na, 3 }, f = lun.vector { 0.5, 0 / 0, lun.na }, b = lun.vector { true, lun.na, false },
        s = { "x", "", "z" },
    }, { "n", "f", "b", "s" })
end

describe("a table of columns", function()
    it("has nothing raw in it", function()
        local t = three()
        assert.is_nil(next(t))
        assert.equal("table", type(t))
        assert.equal(3, #t)
        assert.same({ "n", "f", "b", "s" }, t:names())
        assert.same({ "i64", "f64", "bool", "text" }, t:dtypes())
        assert.is_true(t:has "n")
        assert.is_false(t:has "head")
    end)

    it("raises for a column that it has not, and names the nearest", function()
        local t = lun.table { temp_max = lun.ones(2), rain = lun.ones(2) }
        expect.failure("no column 'temp'; did you mean 'temp_max'? (t:has \"temp\" tests for it)", function() return t.temp end)
        expect.failure("no column 'rian'; did you mean 'rain'?", function() return t.rian end)
        expect.failure("no column 'nmes'; did you mean 'names'?", function() return t:nmes() end)
        expect.failure("no column 'zzz' (t:has \"zzz\" tests for it)", function() return t.zzz end)
        expect.failure("no column '1.5'", function() return t[1.5] end)
        local _, message = pcall(function() return t.zzz end)
        assert.matches("object_spec.lua:%d+: no column", message)
    end)

    it("takes arrays, lists and single values of its length alone", function()
        local t = three()
        t.list = { 1, 2, lun.na }
        t.texts, t.flags = { "a", "b", "c" }, { true, false, lun.na }
        t.one, t.half, t.yes, t.word, t.gone = 7, 0.5, true, "w", lun.na
        assert.same({ "i64", "text", "bool", "i64", "f64", "bool", "text", "f64" }, {
            t.list:dtype(), "text", t.flags:dtype(), t.one:dtype(), t.half:dtype(), t.yes:dtype(), "text", t.gone:dtype(),
        })
        assert.same({ n = 1, f = 0.5, b = true, s = "x", list = 1, texts = "a", flags = true, one = 7, half = 0.5,
            yes = true, word = "w" }, t[1])
        local function refused(message, x)
            expect.failure(message, function() t.x = x end)
            assert.is_false(t:has "x")
        end
        refused("column 'x' has 2 rows, the table 3", { 1, 2 })
        refused("column 'x' has 1 row, the table 3", lun.ones(1))
        refused("column 'x' has 0 rows, the table 3", {})
        refused("column 'x' is of rank 2", lun.ones(3, 1))
        refused("column 'x' has a string in row 2, where a number was expected", { 1, "2", 3 })
        refused("column 'x' has a number in row 2, where a text was expected", { "1", 2, "3" })
        refused("column 'x' is a function", print)
        refused("column 'x' is a table of columns", t)
        expect.failure("a row is not assigned; assign its elements, as t.x[2] = ...", function() t[2] = {} end)
        expect.failure("the name of a column is a text, not the boolean true", function() t[true] = 1 end)
        t.one, t.nosuch = nil, nil
        assert.is_false(t:has "one")
        assert.equal("list", t:names()[5])
    end)

    it("gives rows, from the end too, without what is missing", function()
        local t = three()
        assert.same({ n = 1, f = 0.5, b = true, s = "x" }, t[1])
        assert.same({ n = 3, b = false, s = "z" }, t[3])
        assert.same(t[3], t[-1])
        assert.is_true(t[2].f ~= t[2].f)
        assert.is_nil(t[2].n)
        assert.is_nil(t[4])
        assert.is_nil(t[0])
        assert.is_nil(t[-4])
        local seen = {}
        for i, row in t:iter() do
            seen[#seen + 1] = ("%d %s"):format(i, row.n)
        end
        assert.same({ "1 1", "2 nil", "3 3" }, seen)
        local rows = t:totable "rows"
        assert.same(t[1], rows[1])
        assert.equal(3, #rows)
        assert.is_true(t == lun.table(t:totable "rows", t:names()))
        local columns = t:totable "columns"
        assert.same({ "x", "z" }, { columns.s[1], columns.s[3] })
        assert.equal(lun.na, columns.n[2])
        expect.failure([['totable': "rows" or "columns" expected, got lists]], t.totable, t, "lists")
    end)

    it("comes in parts", function()
        local t, firsts, rows = lun.table { i = lun.index(10) }, {}, 0
        for first, part in t:parts(4) do
            firsts[#firsts + 1] = first
            rows = rows + #part
            assert.equal(first, part.i[1])
        end
        assert.same({ 1, 5, 9 }, firsts)
        assert.equal(10, rows)
        for _ in lun.table({ i = lun.index(0) }):parts() do
            error "a part without rows"
        end
        expect.failure("number of rows from 1 on expected, got 0", t.parts, t, 0)
    end)

    it("is made from a list of rows", function()
        local t = lun.table({ { a = 1, b = "x" }, { a = 2 }, { a = lun.na, b = "z", c = true } })
        assert.same({ "a", "b", "c" }, t:names())
        assert.same({ a = 1, b = "x" }, t[1])
        assert.same({ a = 2 }, t[2])
        assert.same({ b = "z", c = true }, t[3])
        assert.same({ "c", "a", "b" }, lun.table({ { a = 1, b = "x", c = 0.5 } }, { "c" }):names())
        assert.equal("f64", lun.table({ { a = 1 }, { a = 1.5 } }).a:dtype())
        expect.failure("row 3: 'a' is a string, and a number in the rows before", lun.table, { { a = 1 }, {}, { a = "x" } })
        expect.failure("row 2 is a number; a row is a table", lun.table, { { a = 1 }, 2 })
        expect.failure("row 1: 'a' is a table; a value is a text, number or boolean", lun.table, { { a = {} } })
        expect.failure("row 1: the name of a column is a text, not the number 1", lun.table, { { 5 } })
        local rows = { {}, {} }
        assert.equal(rows, lun.table(rows))
        assert.equal(2, #rows)
    end)

    it("is equal to a table of the same names, dtypes and elements in the same order", function()
        local t = three()
        assert.is_true(t == three())
        assert.is_true(t == t:copy())
        assert.is_false(t == lun.table(three(), { "s" }))
        local u = three()
        u.n = u.n:cast "f64"
        assert.is_false(t == u)
        u = three()
        u.s = { "x", "", "y" }
        assert.is_false(t == u)
        u = three()
        u.f = lun.vector { 0.5, lun.na, lun.na }
        assert.is_false(t == u)
        assert.is_false(t == lun.rows(t, { 1, 2 }))
        assert.is_true(lun.table {} == lun.table {})
    end)

    it("is copied with its columns", function()
        local t = three()
        local u = t:copy()
        u.n[1], u.s[1], u.f = 100, "other", 1
        assert.same({ n = 1, f = 0.5, b = true, s = "x" }, t[1])
        t.b[1] = false
        assert.is_true(u.b[1])
    end)

    it("has columns of any name", function()
        local names = { "group", "1", "_", "end", "", "names", "iter", "has", "\n", ("x"):rep(10240), "__index", "rows" }
        local t = lun.table {}
        for i, name in ipairs(names) do
            t[name] = lun.full(2, i)
        end
        for i, name in ipairs(names) do
            assert.equal(i, t[name][1])
            assert.equal(i, t[1][name])
        end
        assert.same(names, t:names())
        assert.is_true(t:has "1")
        assert.equal(2, #t:rows { 1, 2 })
        assert.is_truthy(tostring(t))
        expect.failure("an array is no function: for i, x in a:iter() do", t.group)
        expect.failure("an array is no function", function() for _ in t.group do error "" end end)
    end)

    it("tells the verbs of an array under several names apart", function()
        local a = lun.index(3)
        local t = lun.table { names = a, has = a, other = a }
        assert.is_true(t:has "other")
        assert.same({ "has", "names", "other" }, t:names())
        local lazy = lun.index(3) * 2
        t.names = lazy
        lazy:eval()
        assert.same({ "has", "names", "other" }, t:names())
        local texts = { "x", "y", "z" }
        t.has, t.names = texts, texts
        assert.is_false(t:has "x")
        assert.same({ "has", "names", "other" }, t:names())
        local u = lun.table { names = lun.index(2) }
        expect.failure("an array is no function", u.names, t)
    end)

    it("holds ten thousand columns", function()
        local t = lun.table {}
        for i = 1, 10000 do
            t["c" .. i] = lun.full(1, i)
        end
        assert.equal(10000, #t:names())
        assert.equal(777, t.c777[1])
        assert.matches("^10000 columns, 1 row\n", tostring(t))
        t.c5 = nil
        assert.is_false(t:has "c5")
    end)

    it("may have no columns and no rows", function()
        local t = lun.table {}
        assert.same({}, t:names())
        assert.equal(0, #t)
        assert.is_nil(t[1])
        assert.equal(0, #t:totable())
        t.a = lun.zeros(0)
        assert.equal(0, #t)
        expect.failure("column 'b' has 1 row, the table 0", function() t.b = { 1 } end)
        t.b = 5
        assert.equal("i64", t.b:dtype())
    end)

    it("gives a range of rows as a:sub does", function()
        local t, a = lun.table { i = lun.index(5) }, lun.index(5)
        for _, range in ipairs { { 1, 5 }, { 2, 3 }, { 3, 2 }, { -2, -1 }, { 1, -1 }, { 5, 5 }, { 2 } } do
            assert.same(a:sub(range[1], range[2] or -1):totable(), t:rows(table.unpack(range)).i:totable())
        end
    end)
end)

describe("wrong calls of verbs", function()
    it("are blamed on the script", function()
        local verbs = require("lunarray.table.object").verbs
        local wrong = {
            3, -1, 0.5, "x", "nosuch", true, {}, { 3 }, { "x" }, { a = 1 }, { x = next }, function() end, lun.ones(2), lun.ones(3),
            lun.ones(2, 2), { { 3 } }, { { "n", {} } }, { 1, "a", 2 }, { how = "left" }, { n = 1 },
        }
        local calls = 0
        for name, verb in pairs(verbs) do
            for i = 0, name == "info" and -1 or #wrong do
                for k = 0, #wrong do
                    local ok, message = pcall(function()
                        local result = verb(three(), wrong[i], wrong[k])
                        return result
                    end)
                    calls = calls + 1
                    assert.is_falsy(not ok and tostring(message):find "^[^:]*lua/lunarray/", name .. ": " .. tostring(message))
                end
            end
        end
        assert.is_true(calls > 10000)
    end)
end)
