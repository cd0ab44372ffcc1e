-- Verbs of tables: edges and errors of each, and programs of many verbs against a plain model of rows in Lua.
local lun = require "lunarray"
local expect = require "expect"

local NAN = 0.0 / 0.0

local function five()
    return lun.table({
        a = { 1, 2, 3, 2, lun.na }, s = { "x", "y", "z", "y", lun.na }, f = { 1.5, lun.na, 2, lun.na, NAN },
        b = { true, false, lun.na, false, true },
    }, { "a", "s", "f", "b" })
end

-- The values of a column as texts, "-" where missing.
local function texts(t, name)
    local list = {}
    for i, row in t:iter() do
        list[i] = row[name] == nil and "-" or expect.text(row[name])
    end
    return table.concat(list, " ")
end

describe("rows", function()
    it("compute columns of rows that are kept or put in order when they are used, and those alone", function()
        local x = lun.index(1000):eval()
        local t = lun.table { a = x, b = (x * 2):eval(), c = (x * 3):eval() }
        local before = lun.stats().algorithms
        local u = t:filter(x:gt(500))
        assert.equal(before, lun.stats().algorithms)
        assert.equal(500, #u)
        assert.equal(375250.0 * 2, u:agg({ s = { "sum", "b" } }).s[1] + 0.0)
        local used = lun.stats().algorithms
        assert.is_true(u.b:sum() == 750500 and lun.stats().algorithms == used)
        t.a[501], t.b[501] = 7, 7 -- changes what the table has, not what was made of it
        assert.same({ 501, 1002, 1503 }, { u.a[1], u.b[1], u.c[1] })
        assert.same({ { a = 1000, b = 2000, c = 3000 } }, t:sort("-c"):head(1):totable())
    end)

    it("come from the ends", function()
        local t = five()
        assert.equal("1 2", texts(t:head(2), "a"))
        assert.equal("2 -", texts(t:tail(2), "a"))
        assert.equal(5, #t:head())
        assert.equal(5, #t:tail(100))
        assert.equal(0, #t:head(0))
        assert.equal(0, #t:tail(0))
        expect.failure("'head': number of rows from 0 on expected, got -1", t.head, t, -1)
        expect.failure("'tail': number of rows from 0 on expected, got 1.5", t.tail, t, 1.5)
        expect.failure("'tail': number of rows from 0 on expected, got string", t.tail, t, "x")
    end)

    it("are drawn in their order, the same of one seed", function()
        local t = lun.table { i = lun.index(1000) }
        local some = t:sample(100, { seed = 7 })
        assert.is_true(some == t:sample(100, { seed = 7 }))
        assert.is_false(some == t:sample(100, { seed = 8 }))
        assert.equal(100, some.i:nunique())
        assert.is_true(some.i:equals(some.i:sort()))
        assert.equal(250, #t:sample { frac = 0.25 })
        assert.equal(3000, #t:sample(3000, { replace = true }))
        assert.is_true(t:sample(1000) == t)
        assert.equal(0, #t:sample(0))
        expect.failure("'sample': 1001 rows of a table of 1000; {replace = true} takes rows again", t.sample, t, 1001)
        expect.failure("'sample': unknown option 'fraction'; there are frac, replace, seed", t.sample, t, { fraction = 1 })
        expect.failure("a number of rows or the option 'frac' expected", t.sample, t)
    end)

    it("are kept where all conditions hold", function()
        local t = five()
        assert.equal("2 3 2", texts(t:filter(t.a:gt(1)), "a"))
        assert.equal("2 2", texts(t:filter(t.a:gt(1), t.a:lt(3)), "a"))
        assert.equal("1 -", texts(t:filter "b", "a"))
        assert.equal("1 2 2", texts(t:filter { a = { 1, 2 } }, "a"))
        assert.equal("2 2", texts(t:filter { a = { 1, 2 }, s = "y" }, "a"))
        assert.equal("2 2", texts(t:filter { b = false }, "a"))
        assert.equal("-", texts(t:filter { a = lun.na }, "a"))
        assert.equal("1 -", texts(t:filter { a = { lun.na, 1 } }, "a"))
        assert.equal("1 3", texts(t:filter { a = lun.vector { 3, 1 } }, "a"))
        assert.equal("y z y", texts(t:filter { s = { "z", "y", "nosuch" } }, "s"))
        assert.equal("", texts(t:filter { s = "nosuch" }, "s"))
        assert.equal("1 2 3 2 -", texts(t:filter {}, "a"))
        assert.equal("", texts(t:filter { a = {} }, "a"))
        local m = lun.ones(4, "bool")
        expect.failure("mask 1 has 4 rows, the table 5: take it from the filtered table", t.filter, t, m)
        expect.failure("'filter': mask 1 is i64, not bool", t.filter, t, t.a)
        expect.failure("'filter': column 'a' is i64, and compared with a text", t.filter, t, { a = "1" })
        expect.failure("'filter': column 's' is text, and compared with a number", t.filter, t, { s = { "x", 1 } })
        expect.failure("no column 'c'", t.filter, t, { c = 1 })
        expect.failure("mask, table {name = value} or function expected, got nil", t.filter, t)
    end)

    it("are kept by functions, which do not pass where they read what is missing", function()
        local t = five()
        assert.equal("2 3 2", texts(t:filter(function(r) return r.a > 1 end), "a"))
        assert.equal("2 2", texts(t:filter(function(r) return r.a > 1 and r.s ~= "z" end), "a"))
        assert.equal("1", texts(t:filter(function(r) return r.a == 1 or r.f > 5 end), "a"))
        assert.equal("1 2 3 2 -", texts(t:filter(function() return true end), "a"))
        expect.failure("no column 'zz'", t.filter, t, function(r) return r.zz end)
        expect.failure("a stop of its own", t.filter, t, function() error "a stop of its own" end)
        expect.failure("cannot be assigned", t.filter, t, function(r) r.a = 1 end)
        assert.equal(0, #five():head(0):filter(function() error "called" end))
    end)

    it("without gaps", function()
        local t = five()
        assert.equal("1", texts(t:dropna(), "a"))
        assert.equal("1 2 3 2", texts(t:dropna "a", "a"))
        assert.equal("1 3", texts(t:dropna("a", "f"), "a"))
        assert.equal("1 3", texts(t:dropna { "a", "f" }, "a"))
        expect.failure("no column 'q'", t.dropna, t, "q")
    end)

    it("are sorted stably, what is missing last or first", function()
        local t = five():with { i = lun.index(5) }
        assert.equal("1 2 4 3 5", texts(t:sort "a", "i"))
        assert.equal("3 2 4 1 5", texts(t:sort "-a", "i"))
        assert.equal("3 2 4 1 5", texts(t:sort("a", { descending = true }), "i"))
        assert.equal("5 3 2 4 1", texts(t:sort("-a", { missing = "first" }), "i"))
        assert.equal("1 3 5 2 4", texts(t:sort "f", "i"))
        assert.equal("2 4 1 5 3", texts(t:sort("b", "a"), "i"))
        assert.equal("4 2 5 1 3", texts(t:sort("b", "-i"), "i"))
        assert.equal("4 2 5 1 3", texts(t:sort { "b", "-i" }, "i"))
        assert.equal("5 3 2 4 1", texts(t:sort({ "-a" }, { missing = "first" }), "i"))
        assert.equal("4 2 1 5 3", texts(t:sort("b", "i", { descending = { false, true } }):sort("b", "-s"), "i"):gsub("%d 5", "1 5"))
        assert.equal("3 2 4 1 5", texts(t:sort "-s", "i"))
        assert.equal("5 4 3 2 1", texts(t:sort(lun.vector { 5, 4, 3, 2, 1 }), "i"))
        local u = lun.table { ["-a"] = { 2, 1 }, a = { 1, 2 } }
        assert.equal("1 2", texts(u:sort "-a", "-a"))
        expect.failure("name of a column, or an array, expected, got no value", t.sort, t)
        expect.failure("'sort': unknown option 'by'; there are descending, missing", t.sort, t, "a", { by = 1 })
        expect.failure("option 'missing': \"first\" or \"last\" expected, got 3", t.sort, t, "a", { missing = 3 })
        expect.failure("key 1 has 2 rows, the table 5", t.sort, t, { 1, 2 })
        expect.failure("no column 'q'", t.sort, t, "-q")
    end)

    it("say how an order is written", function()
        local t = lun.table { a = { 2, 1 }, b = { 1, 2 } }
        expect.failure("a minus sign before the name descends: t:sort \"-a\"", t.sort, t, "a", "desc")
        expect.failure("no column 'c'", t.sort, t, { "a", "b", "c" })
        expect.failure("'sort': name of a column, or an array, expected, got no value", t.sort, t, nil, "a")
        expect.failure("t:select(\"a\", \"b\") has several columns", function() return t[{ "a" }] end)
        expect.failure("for row in t:iter() do goes through the rows", t.rows, t)
        expect.failure("name of a column, or an array, expected, got no value", function() t:group("a"):sum() end)
        expect.failure("'mean' takes one column; g:agg{\"mean\", \"a\", \"b\"} is of several", function() t:group("a"):mean("a", "b") end)
    end)

    it("that differ, in order", function()
        local t = five():with { i = lun.index(5) }
        assert.equal("1 2 3 5", texts(t:unique "a", "i"))
        assert.equal("1 3 4 5", texts(t:unique("a", { keep = "last" }), "i"))
        assert.equal("1 3 5", texts(t:unique("a", { keep = "none" }), "i"))
        assert.equal("1 2 3 4 5", texts(t:unique(), "i"))
        assert.equal("1 2 3 5", texts(t:unique("a", "s"), "i"))
        assert.equal(4, #five():unique())
        assert.equal(0, #t:head(0):unique())
        expect.failure([[option 'keep': "first", "last" or "none" expected, got all]], t.unique, t, "a", { keep = "all" })
    end)

    it("are appended by names", function()
        local t = five()
        local u = t .. t
        assert.equal(10, #u)
        assert.equal("1 2 3 2 - 1 2 3 2 -", texts(u, "a"))
        assert.is_true(lun.concat { t, t:select("b", "f", "s", "a") } == u)
        local v = lun.concat({ t:select("a", "s"), t:select "b" }, { union = true })
        assert.same({ "a", "s", "b" }, v:names())
        assert.equal("1 2 3 2 - - - - - -", texts(v, "a"))
        assert.equal("- - - - - true false - false true", texts(v, "b"))
        assert.equal("x y z y - - - - - -", texts(v, "s"))
        assert.equal("f64", (t:select "a" .. t:select("f"):rename { f = "a" }).a:dtype())
        assert.equal(5, #(t .. t:head(0)))
        assert.equal(5, #(t:head(0) .. t))
        expect.failure("the columns of table 2 differ: it lacks 'b', it has also 'z'; {union = true}", function()
            return t .. t:rename { b = "z" }
        end)
        expect.failure("column 'a' is text in one table and i64 in another", function() return t .. t:with { a = "x" } end)
        expect.failure("'filter': mask expected, got false: '==' and '~=' of an array and a value compare no elements; "
            .. "t.x:eq(value) does", function() return t:filter(t.s == "x") end)
        expect.failure("rows are appended of two tables of columns", function() return t .. 3 end)
        expect.failure("table 2: table of columns expected, got number", lun.concat, { t, 3 })
    end)
end)

describe("columns", function()
    it("are selected, left out and named", function()
        local t = lun.table({ year = { 1 }, temp_max = { 2 }, temp_min = { 3 }, ["a.b"] = { 4 } },
            { "year", "temp_max", "temp_min", "a.b" })
        local function check(wanted, u)
            assert.equal(wanted, table.concat(u:names(), " "))
        end
        check("temp_min year", t:select("temp_min", "year"))
        check("temp_max temp_min year", t:select("temp_*", "year", "temp_max"))
        check("year", t:select { "year" })
        check("year temp_max temp_min a.b", t:select "*")
        check("", t:select())
        check("year a.b", t:drop "temp_*")
        check("a.b", t:select "a.*")
        check("y temp_max temp_min a.b", t:rename { year = "y" })
        check("temp_max year temp_min a.b", t:rename { year = "temp_max", temp_max = "year" })
        assert.equal(2, t:rename({ year = "temp_max", temp_max = "year" }).year[1])
        check("YEAR TEMP_MAX TEMP_MIN A.B", t:rename(string.upper))
        expect.failure("'select': no column is like 'q*'", t.select, t, "q*")
        expect.failure("no column 'yeer'; did you mean 'year'?", t.drop, t, "yeer")
        expect.failure("the columns 'year' and 'temp_max' would both be called 'temp_max'", t.rename, t, { year = "temp_max" })
        expect.failure("the new name of 'year' is a number", t.rename, t, { year = 3 })
        expect.failure("no column 'q'", t.rename, t, { q = "x" })
    end)

    it("are shared, and what is written to one table changes no other", function()
        local t = lun.table { a = lun.index(3), b = lun.index(3) }
        for _, u in ipairs { t:select "a", t:drop "b", t:rename { b = "c" }, t:with { z = 1 }, t:fillna(0), t:sort "a" } do
            u.a[1] = 100
        end
        assert.equal(1, t.a[1])
        local u = t:select "a"
        t.a:fill(7)
        assert.same({ 1, 2, 3 }, u.a:totable())
    end)

    it("are copied when one of both tables is written to, not before", function()
        local n = 100000
        local t = lun.table { a = lun.index(n):copy(), s = (lun.index(n) % 5):cast "text", x = (lun.index(n) / 3):copy(),
            m = lun.where((lun.index(n) % 7):eq(0), lun.na, lun.index(n)):eval(), d = lun.index(n):cast "i32":cast "date" }
        for _, name in ipairs { "s", "d" } do t[name]:eval() end
        local before = lun.stats().allocated
        local list = { t:select("a", "s", "x", "m", "d"), t:copy(), t:with { k = 1 }, t:rename { a = "b" }, t:drop "a" }
        assert.is_true(lun.stats().allocated - before < 16 * n)
        local old = { t.a[1], t.s[1], t.x[1], t.d[1] }
        t.a[1], t.s[1], t.x[1], t.m[1], t.d[1] = -1, "changed", 0.5, lun.na, "2000-01-01"
        t.x:fill(7)
        for _, u in ipairs(list) do
            assert.same(old, { (u:has "a" and u.a or u:has "b" and u.b or list[1].a)[1], u.s[1], u.x[1], u.d[1] })
            assert.equal(n // 7, u.m:ismissing():count())
        end
        local u = list[2]
        u.x[2], u.s[2] = -5, lun.na
        assert.same({ 7, lun.index(3)[2] / 3 }, { t.x[2], list[1].x[2] })
        assert.same({ "2", "2" }, { t.s[2], list[1].s[2] })
        assert.is_false(t.a:aliases(u.a) or t.x:aliases(u.x))
        local w = list[3]
        w.a:append(5)
        assert.equal(n, #list[1].a)
    end)

    it("are added and replaced", function()
        local t = five()
        local u = t:with {
            z = 1, g = function(v) return v.a * 2 end, a = lun.index(5), l = { "p", "q", "r", "s", "t" },
        }
        assert.same({ "a", "s", "f", "b", "g", "l", "z" }, u:names())
        assert.equal("2 4 6 4 -", texts(u, "g"))
        assert.equal("1 2 3 4 5", texts(u, "a"))
        assert.equal("1 2 3 2 -", texts(t, "a"))
        expect.failure("column 'x' has 4 rows, the table 5", t.with, t, { x = lun.index(4) })
        expect.failure("the function of 'x' gives nothing", t.with, t, { x = function() end })
        expect.failure("table {name = array, value or function} expected, got string", t.with, t, "x")
    end)

    it("have their gaps filled, by values of their kind", function()
        local t = five()
        local u = t:fillna(0)
        assert.equal("1 2 3 2 0", texts(u, "a"))
        assert.equal("1.5 0.0 2.0 0.0 0.0", texts(u, "f"))
        assert.equal("x y z y -", texts(u, "s"))
        assert.equal("true false - false true", texts(u, "b"))
        u = t:fillna { s = "none", b = true }
        assert.equal("x y z y none", texts(u, "s"))
        assert.equal("true false true false true", texts(u, "b"))
        expect.failure("'fillna': column 's' is text, and filled with a number", t.fillna, t, { s = 1 })
        expect.failure("no column 'q'", t.fillna, t, { q = 1 })
        expect.failure("a value or a table {name = value} expected, got nil", t.fillna, t)
    end)

    it("are described", function()
        -- numpy of the values that are there: mean, std, quantiles
        local d = five():describe()
        assert.same({ "column", "dtype", "count", "missing", "distinct", "mean", "std", "min", "q25", "median", "q75", "max" },
            d:names())
        assert.same({ column = "a", dtype = "i64", count = 4, missing = 1, distinct = 3, mean = 2.0, min = "1", max = "3",
            std = 0.70710678118654757, q25 = 1.75, median = 2.0, q75 = 2.25 }, d[1])
        assert.same({ column = "s", dtype = "text", count = 4, missing = 1, distinct = 3, min = "x", max = "z" }, d[2])
        assert.same({ column = "b", dtype = "bool", count = 4, missing = 1, distinct = 2, min = "false", max = "true" }, d[4])
        d = lun.table({ x = { 1, 2 }, y = { 5, lun.na } }):describe()
        assert.same({ 1, 5 }, d.min:totable())
        d = five():head(0):describe()
        assert.equal("0 0 0 0", texts(d, "count"))
        assert.equal("- - - -", texts(d, "mean"))
        assert.equal(0, #lun.table({}):describe())
    end)

    it("are given to functions row by row", function()
        local t = five()
        assert.same({ "1x", "2y", "3z", "2y" }, { table.unpack(t:head(4):apply(function(r) return r.a .. r.s end)) })
        assert.equal("i64", t:apply(function(r) return r.a end):dtype())
        assert.is_true(t:apply(function(r) return r.a end):equals(t.a))
        expect.failure("function of a row expected, got nil", t.apply, t)
        expect.failure("'apply': the result has a string in row 5, where a number was expected", t.apply, t,
            function(r) return r.a or "x" end)
    end)
end)

-- ---------------------------------------------------------------- texts and dates as arrays

describe("arrays of texts and dates", function()
    local DAYS <const> = { "2024-01-05", "2023-02-01", lun.na, "2024-01-05", "2022-12-31" }

    -- The same table with its texts as lists or as arrays.
    local function of_texts(arrays)
        local function texts_of(list)
            for i, x in ipairs(list) do
                list[i] = x == "" and lun.na or x
            end
            return arrays and lun.vector(list, "text") or list
        end
        return lun.table({
            k = texts_of { "b", "a", "b", "d", "c" }, x = { 1.5, 2, lun.na, 4, 5 }, d = lun.vector(DAYS, "date"),
            s = texts_of { "p", "q", "p", "", "r;t" },
        }, { "k", "x", "d", "s" })
    end

    it("are columns as lists are", function()
        local verbs = {
            function(t) return t end,
            function(t) return t:filter { k = "b" } end,
            function(t) return t:filter { k = { "c", "d" }, d = { "2024-01-05", "2022-12-31" } } end,
            function(t) return t:filter { s = lun.na } end,
            function(t) return t:filter(function(r) return r.s > "p" end) end,
            function(t) return t:sort("-k", "d") end,
            function(t) return t:sort("-s", { missing = "first" }) end,
            function(t) return t:unique "k" end,
            function(t) return t:dropna() end,
            function(t) return t:fillna "none" end,
            function(t) return t:fillna { d = "2020-02-29", s = "none" } end,
            function(t) return t .. t end,
            function(t) return lun.concat({ t:select "k", t:select "x" }, { union = true }) end,
            function(t) return t:select "k" .. lun.table { k = { "z", "" } } end,
            function(t) return t:describe() end,
            function(t)
                return t:group("k"):agg {
                    f = { "first", "s" }, mode = { "mode", "s" }, d = { "min", "d" }, n = { "nunique", "d" },
                    c = { "concat", "s", "-" }, max = { "max", "s" }, count = { "count", "s" },
                }
            end,
            function(t) return t:group("d"):agg { a = { "argmin", "x" }, l = { "last", "k" } } end,
            function(t) return t:agg { m = { "min", "k" }, d = { "max", "d" } } end,
            function(t) return t:value_counts "k" end,
            function(t) return t:join(lun.table { k = { "a", "b", "z" }, y = { 1, 2, 3 } }, "k", { how = "full" }) end,
            function(t) return t:join(t:select("d", "x"), "d") end,
            function(t) return t:pivot { index = "k", columns = "d", values = "x" } end,
            function(t) return t:melt { id = "d", vars = { "k", "s" } } end,
            function(t) return t:explode("s", ";") end,
            function(t) return t:rows { 0, 1, -1 } end,
            function(t) return t:with { w = "q", k = lun.na } end,
        }
        for i, verb in ipairs(verbs) do
            local list, array = verb(of_texts(false)), verb(of_texts(true))
            assert.same(list:names(), array:names(), "verb " .. i)
            assert.same(list:totable(), array:totable(), "verb " .. i)
        end
        assert.same({ "2024-01-05", "2023-02-01" }, { of_texts(true)[1].d, of_texts(true)[2].d })
    end)
end)

-- ---------------------------------------------------------------- many verbs, against rows

-- A stream of numbers from 0 to below n that is the same everywhere.
local function numbers(seed)
    local state = seed
    return function(n)
        state = (state * 1103515245 + 12345) & 0x7fffffff
        return (state >> 8) % n
    end
end

local function copy_of(rows)
    local out = {}
    for i, row in ipairs(rows) do
        out[i] = {}
        for name, x in pairs(row) do
            out[i][name] = x
        end
    end
    return out
end

local function kept(rows, keeps)
    local out = {}
    for _, row in ipairs(rows) do
        out[#out + 1] = keeps(row) and row or nil
    end
    return out
end

-- Sorted by insertion, which is stable; missing last.
local function sorted(rows, name, down)
    local out = {}
    for _, row in ipairs(rows) do
        local at, x = #out + 1, row[name]
        while at > 1 do
            local y = out[at - 1][name]
            local before = x ~= nil and (y == nil or not down and x < y or down and x > y)
            if not before then
                break
            end
            at = at - 1
        end
        table.insert(out, at, row)
    end
    return out
end

local function different(rows, name)
    local seen, out = {}, {}
    for _, row in ipairs(rows) do
        local x = row[name] == nil and seen or row[name]
        out[#out + 1] = not seen[x] and row or nil
        seen[x] = true
    end
    return out
end

-- One verb on the table, and the same on rows: each gives both.
local steps = {
    function(t, rows, r) local n = r(40) return t:head(n), table.move(rows, 1, math.min(n, #rows), 1, {}) end,
    function(t, rows, r)
        local n = r(40)
        return t:tail(n), table.move(rows, math.max(#rows - n, 0) + 1, #rows, 1, {})
    end,
    function(t, rows, r) local x = r(5) return t:filter { i = x }, kept(rows, function(row) return row.i == x end) end,
    function(t, rows, r)
        local x = r(5)
        return t:filter(t.i:gt(x)), kept(rows, function(row) return row.i and row.i > x end)
    end,
    function(t, rows, r)
        local x = r(5)
        return t:filter(function(row) return row.f >= x or row.s == "c" end),
            kept(rows, function(row) return row.f and (row.f >= x or row.s == "c") end)
    end,
    function(t, rows) return t:filter { s = { "a", "c" } }, kept(rows, function(row) return row.s == "a" or row.s == "c" end) end,
    function(t, rows) return t:sort("s", "-i"), sorted(sorted(rows, "i", true), "s") end,
    function(t, rows) return t:sort("-f", "s"), sorted(sorted(rows, "s"), "f", true) end,
    function(t, rows, r) local name = ({ "i", "f", "s" })[r(3) + 1] return t:unique(name), different(rows, name) end,
    function(t, rows, r)
        local name = ({ "i", "f", "s" })[r(3) + 1]
        return t:dropna(name), kept(rows, function(row) return row[name] ~= nil end)
    end,
    function(t, rows)
        if #rows > 200 then
            return t:head(100), table.move(rows, 1, 100, 1, {})
        end
        return t .. t, table.move(copy_of(rows), 1, #rows, #rows + 1, copy_of(rows))
    end,
    function(t, rows, r)
        local x = r(3)
        rows = copy_of(rows)
        for _, row in ipairs(rows) do
            row.i = row.i and (row.i + x) % 5
        end
        return t:with { i = function(u) return (u.i + x) % 5 end }, rows
    end,
    function(t, rows, r)
        local x = r(5)
        rows = copy_of(rows)
        for _, row in ipairs(rows) do
            row.i = row.i or x
        end
        return t:fillna { i = x }, rows
    end,
    function(t, rows) return t:select("s", "i", "f"), rows end,
    function(t, rows) return t:rename({ i = "k", k = nil }):rename { k = "i" }, rows end,
    function(t, rows, r)
        local n, at, out = #rows, {}, {}
        for k = 1, math.min(n, 1) * r(60) do
            at[k] = r(n) + 1
            out[k] = rows[at[k]]
        end
        return t:rows(at), out
    end,
}

local function random_rows(n, r)
    local rows = {}
    for k = 1, n do
        rows[k] = {
            i = r(5) > 0 and r(5) or nil, f = r(4) > 0 and r(8) / 2 or nil, s = r(4) > 0 and ({ "a", "b", "c" })[r(3) + 1] or nil,
        }
    end
    return rows
end

describe("twenty verbs", function()
    it("give the rows that a model in Lua gives", function()
        for seed = 1, 60 do
            local r = numbers(seed)
            local rows = random_rows(1 + r(60), r)
            rows[1] = { i = 1, f = 0.5, s = "a" }
            local t = lun.table(copy_of(rows))
            for k = 1, 20 do
                local number = r(#steps) + 1
                t, rows = steps[number](t, rows, r)
                assert.same(rows, t:totable "rows", ("program %d, verb %d (%d)"):format(seed, k, number))
                assert.equal(#rows, #t)
            end
        end
    end)
end)
