-- Groups of tables, aggregates of them, pivot, melt, explode and corr, as pandas has them; and their errors.
local lun = require "lunarray"
local expect = require "expect"
local stored = require "table.pandas_values"
local like = require "table_values"

-- How often each value occurs, and the most frequent one, the least of equals; NaN is one value, the last.
local function counted(rows, list)
    local counts, kinds, best = {}, 0, nil
    for _, i in ipairs(rows) do
        local value = list[i]
        if value ~= lun.na then
            local key = value == value and value or "NaN"
            kinds = kinds + (counts[key] and 0 or 1)
            counts[key] = (counts[key] or 0) + 1
        end
    end
    for value, count in pairs(counts) do
        local most = best and counts[best]
        if not best or count > most or count == most and value ~= "NaN" and (best == "NaN" or value < best) then
            best = value
        end
    end
    return kinds, best == "NaN" and 0 / 0 or best
end

-- What agg gives of the rows of one group, by loops.
local function expected_order(rows, x, s)
    local sorted, low, high = {}, nil, nil
    for _, i in ipairs(rows) do
        if x[i] ~= lun.na and x[i] == x[i] then
            sorted[#sorted + 1] = x[i]
            low = (not low or x[i] < x[low]) and i or low
            high = (not high or x[i] > x[high]) and i or high
        end
    end
    table.sort(sorted)
    local want = { low = low or lun.na, high = high or lun.na }
    local place = (#sorted - 1) * 0.3
    local under, part = math.floor(place), place - math.floor(place)
    if #sorted > 0 then
        local a, b = sorted[under + 1], sorted[math.min(under + 2, #sorted)]
        want.q = part < 0.5 and a + (b - a) * part or b - (b - a) * (1 - part)
    end
    want.n, want.mode = counted(rows, x)
    want.texts, want.often = counted(rows, s)
    return want
end

describe("g:agg", function()
    it("gives what pandas gives", function()
        expect.everywhere(function()
            local t = like.table(stored.t)
            like.check(stored.by_k, t:group("k"):agg {
                { "rows", "count" }, { "count", "count", "x" }, { "sum", "sum", "n" }, { "mean", "mean", "x" },
                { "min", "min", "x" }, { "max", "max", "n" }, { "first", "first", "x" }, { "last", "last", "x" },
                { "var", "var", "x" }, { "std", "std", "x", { ddof = 1 } }, { "median", "median", "x" },
                { "q", "quantile", "x", 0.3 }, { "nunique", "nunique", "x" }, { "mode", "mode", "n" },
                { "prod", "prod", "n" }, { "argmin", "argmin", "x" }, { "argmax", "argmax", "x" },
                { "corr", "corr", "x", "y" }, { "cov", "cov", "x", "y" },
            }, "by k")
            like.check(stored.by_k_j, t:group("k", "j"):agg { { "rows", "count" }, { "mean", "mean", "x" } }, "by k, j")
            like.check(stored.by_j, t:group("j", { dropna = true }):agg {
                { "rows", "count" }, { "sum", "sum", "n" }, { "kinds", "nunique", "k" },
            }, "by j")
            like.check(stored.values, t:value_counts "n", "value_counts")
            like.check(stored.sorted, t:with({ row = lun.index(#t) - 1 }):sort("k", "-x"), "sort")
        end)
    end)

    it("takes texts, functions, weights, and keys with names", function()
        local t = lun.table({
            k = { 1, 2, 1, 2 }, s = { "q", lun.na, "p", "r" }, x = { 1, 2, 3, lun.na }, w = { 1, 1, 3, 1 },
        }, { "k", "s", "x", "w" })
        assert.same({
            { k = 1, c = "q, p", f = 4.5, first = "q", max = "q", min = "p", m = 2.5, mode = "p", n = 2 },
            { k = 2, c = "r", first = "r", max = "r", min = "r", m = 2.0, mode = "r", n = 1, f = 2.5 },
        }, t:group("k"):agg({
            c = { "concat", "s", ", " }, f = { function(a) return a:sum() + 0.5 end, "x" }, first = { "first", "s" },
            max = { "max", "s" }, min = { "min", "s" }, m = { "wmean", "x", "w" }, mode = { "mode", "s" }, n = { "count", "s" },
        }):totable())
        assert.same({ "qp", "r" }, t:group("k"):agg({ { "c", "concat", "s" } }).c:totable())
        local gaps = lun.table { k = { 1, 2 }, s = { lun.na, "a" } }
        assert.same({ "", "a" }, gaps:group("k"):agg({ c = { "concat", "s", "-" } }).c:totable())
        assert.same({ "k", "x", "w" }, t:group("k"):agg({ "mean", "x", "w" }):names())
        assert.same({ "k", "count" }, t:group("k"):agg():names())
        assert.same({ "big", "k2", "count" }, t:group({ big = t.w:gt(1) }, t.k):agg():names())
        assert.same({ 2.0, 2.0 }, t:group("k"):mean("x"):totable())
        local g = t:group "k"
        assert.is_true(g:mean("x"):equals(g:mean(t.x)))
    end)

    it("of all rows is one row, also of none", function()
        local t = lun.table { x = { 1, 2, lun.na }, s = { "a", "b", "a" } }
        local spec = { n = "count", m = { "mean", "x" }, u = { "nunique", "s" }, f = { "first", "s" }, a = { "argmax", "x" } }
        assert.same({ { n = 3, m = 1.5, u = 2, f = "a", a = 2 } }, t:agg(spec):totable())
        assert.same({ { n = 0, u = 0 } }, t:head(0):agg(spec):totable())
        assert.equal(0, #t:head(0):group("s"):agg(spec))
        assert.same({ { s = 0.0 } }, lun.table({ x = { lun.na, lun.na } }):agg({ s = { "sum", "x" }, m = { "median", "x" } }):totable())
    end)

    it("gives order statistics of each group, of many rows, of few, with gaps and NaN", function()
        local cases = { { 300, 4 }, { 9000, 3000 }, { 70000, 2 } }
        for _, case in ipairs(cases) do
            local n, count = table.unpack(case)
            local keys, x, s, of = {}, {}, {}, {}
            local state = 7
            for i = 1, n do
                state = state * 1103515245 + 12345 & 0x7fffffff
                local number = state >> 8
                keys[i] = number % count
                x[i] = number % 11 == 0 and lun.na or number % 13 == 0 and 0 / 0 or number // 7 % 50 - 25.5
                s[i] = number % 9 == 0 and lun.na or "t" .. number // 5 % 30
                of[keys[i]] = of[keys[i]] or {}
                table.insert(of[keys[i]], i)
            end
            local t = lun.table { k = keys, x = x, s = s }
            local got = t:group("k"):agg {
                q = { "quantile", "x", 0.3, { skipnan = true } }, n = { "nunique", "x" }, mode = { "mode", "x" },
                low = { "argmin", "x" }, high = { "argmax", "x" }, texts = { "nunique", "s" }, often = { "mode", "s" },
            }
            local columns = {}
            for name, column in pairs(got) do
                columns[name] = column:totable()
            end
            for g, key in ipairs(columns.k) do
                local want = expected_order(of[key], x, s)
                for name, value in pairs(want) do
                    local own = columns[name][g]
                    assert.is_true(own == value or own ~= own and value ~= value, ("%d rows, %s of group %d"):format(n, name, g))
                end
            end
        end
    end)

    it("puts a column in order once for all its quantiles, and anew in the next call", function()
        local t = lun.table { k = lun.index(60) % 7, x = lun.random(60, { seed = 1 }):eval() }
        local g = t:group "k"
        local function algorithms(spec)
            local before = lun.stats().algorithms
            local got = g:agg(spec)
            return lun.stats().algorithms - before, got
        end
        algorithms { m = { "median", "x" } } -- codes and keys
        local one, first = algorithms { m = { "median", "x" } }
        local three, all = algorithms { m = { "median", "x" }, a = { "quantile", "x", 0.1 }, b = { "quantile", "x", 0.9 } }
        assert.equal(one, three)
        assert.is_true(one > 0 and first.m == all.m)
        t.x[1] = 100
        assert.is_true(g:agg { b = { "quantile", "x", 1 } }.b[2] == 100)
    end)

    it("keeps groups without rows where levels are given", function()
        local t = lun.table { k = { 1, 3, 1 }, x = { 5, 6, 7 } }
        local got = t:group("k", { levels = 3 }):agg { n = "count", m = { "max", "x" }, s = { "sum", "x" } }
        assert.same({ { k = 1, n = 2, m = 7, s = 12 }, { k = 2, n = 0, s = 0 }, { k = 3, n = 1, m = 6, s = 6 } }, got:totable())
    end)

    it("knows columns called as verbs, keys called as results", function()
        local t = lun.table { group = { 1, 2, 1 }, agg = { 1, 2, 3 }, count = { 4, 5, 6 } }
        assert.same({ { group = 1, s = 4 }, { group = 2, s = 2 } }, t:group("group"):agg({ s = { "sum", "agg" } }):totable())
        assert.same({ { s = 15 } }, t:agg({ s = { "sum", "count" } }):totable())
        expect.failure("are called 'count'", function() t:group("count"):agg() end)
        expect.failure("a column is called 'count'; rename it", t.value_counts, t, "count")
    end)

    it("take the column of a result's name where none is given", function()
        local t = lun.table { k = { "a", "b", "a" }, x = { 1, 2, 5 }, y = { 3, 4, 8 } }
        local function range(v) return v:max() - v:min() end
        assert.same({ { k = "a", n = 2, x = 3, y = 5 }, { k = "b", n = 1, x = 2, y = 0 } },
            t:group("k"):agg({ x = "mean", y = range, n = "count" }):totable())
        assert.same({ { x = 2, y = 8 } }, t:agg({ x = { "median" }, y = "max" }):totable())
    end)

    it("refuses what it does not know", function()
        local t = like.table(stored.t)
        local g = t:group "k"
        expect.failure("'agg': entry 1: {name, function, column} expected, such as {\"mean\", \"mean\", \"x\"}", g.agg, g,
            { { "mean", "x" } })
        expect.failure("'agg': 'max' is no column; each result has one function: {a = {\"min\", column}, b = {\"max\", column}}",
            g.agg, g, { x = { "min", "max" } })
        expect.failure("'agg': unknown function 'average'; there are all, any, argmax", g.agg, g, { a = { "average", "x" } })
        expect.failure("no column 'a'", g.agg, g, { a = "mean" })
        expect.failure("'agg': the function comes first: {\"mean\", \"x\"}", g.agg, g, { a = { "x", "mean" } })
        expect.failure("'mean' takes a column, and got the text 'a'; t:group", function()
            lun.group(lun.vector { 1, 2, 1 }):agg { a = "mean" }
        end)
        expect.failure("'mean': text has none", g.agg, g, { a = { "mean", "k" } })
        expect.failure("no column 'q'", g.agg, g, { a = { "mean", "q" } })
        expect.failure("an array of 'agg' has 3 rows, the table 60", g.agg, g, { a = { "mean", lun.ones(3) } })
        expect.failure("no column 'q'", t.group, t, "q")
        expect.failure("name of a column, or an array, expected, got no value", t.group, t)
        expect.failure("t:group(\"k\") knows the columns of a table", function() lun.group(t.n):mean "x" end)
        expect.failure("number from 0 to 1 expected, got nil", g.agg, g, { a = { "quantile", "x" } })
    end)
end)

describe("within groups", function()
    local function seven()
        return lun.table({ k = { 2, 1, 2, 1, lun.na, 2, 1 }, x = { 5, 1, 7, lun.na, 9, 6, 3 }, i = lun.index(7) }, { "k", "x", "i" })
    end

    -- The elements as a text, "-" where missing.
    local function text(a)
        local list = {}
        for i = 1, #a do
            list[i] = a:ismissing()[i] and "-" or tostring(a[i])
        end
        return table.concat(list, " ")
    end

    it("rows have what their group has, and what was before", function()
        for _, dropna in ipairs { false, true } do
            local g = seven():group("k", { dropna = dropna })
            local last = dropna and "-" or "1"
            assert.equal(("3 3 3 3 %s 3 3"):format(last), text(g:size()))
            assert.equal(("7 3 7 3 %s 7 3"):format(dropna and "-" or "9"), text(g:transform("max", "x")))
            assert.equal("- - 5 1 - 7 -", text(g:shift "x"))
            assert.equal("- - - - - 5 1", text(g:shift("x", 2)))
            assert.equal("7 - 6 3 - - -", text(g:shift("x", -1)))
        end
        assert.equal(0, #seven():head(0):group("k"):shift "x")
    end)

    it("rows are chosen", function()
        for _, dropna in ipairs { false, true } do
            local g = seven():group("k", { dropna = dropna })
            local five = dropna and "" or " 5"
            assert.equal("1 2" .. five, text(g:head(1).i))
            assert.equal(("3 4%s 6 7"):format(five), text(g:tail(2).i))
            assert.equal("7 2 3 6" .. five, text(g:topk(2, "x").i))
            assert.equal("2 1" .. five, text(g:topk(1, "x", { smallest = true }).i))
            assert.equal("1 3 6", text(g:table(2).i))
            local keys, rows = {}, {}
            for key, sub in g:iter() do
                keys[#keys + 1], rows[#rows + 1] = tostring(key), #sub
            end
            assert.same(dropna and { "1", "2" } or { "1", "2", "<NA>" }, keys)
            assert.same(dropna and { 3, 3 } or { 3, 3, 1 }, rows)
        end
        expect.failure("'head': number of rows from 0 on expected, got -1", function() seven():group("k"):head(-1) end)
        expect.failure("t:group(\"k\") knows the rows of a table", function() lun.group(lun.ones(2)):head(1) end)
    end)
end)

describe("tables are reshaped", function()
    it("as pandas does it", function()
        local t = like.table(stored.t)
        local present = t:filter(t.j:notna())
        like.check(stored.pivot, present:pivot { index = "k", columns = "j", values = "x", agg = "median" }, "pivot")
        t.row = lun.index(#t)
        like.check(stored.counts, t:pivot { index = "n", columns = "k", agg = "count", fill = 0 }, "counts")
        like.check(stored.melt, t:melt { id = { "k", "n" }, vars = { "x", "y" } }, "melt")
        like.check(stored.corr, t:corr("x", "y", "n"), "corr")
        like.check(stored.explode, lun.table({ s = { "a;b", "c", "d;;e" }, i = { 1, 2, 3 } }, { "s", "i" }):explode("s", ";"),
            "explode")
    end)

    it("at their edges", function()
        local t = lun.table({ k = { "a", "b" }, c = { 1, lun.na }, v = { 1.5, 2.5 } }, { "k", "c", "v" })
        local p = t:pivot { index = "k", columns = "c", values = "v" }
        assert.same({ "k", "1", "<NA>" }, p:names())
        assert.same({ { k = "a", ["1"] = 1.5 }, { k = "b", ["<NA>"] = 2.5 } }, p:totable())
        assert.equal(0, #t:head(0):pivot { index = "k", columns = "c" })
        assert.equal(0, #t:head(0):melt { id = "k", vars = { "c", "v" } })
        assert.equal(0, #t:head(0):explode("k", ","))
        assert.equal(0, #t:melt { vars = {} })
        assert.same({ "k", "name", "x" }, t:melt({ id = "k", vars = { "c", "v" }, name = "name", value = "x" }):names())
        expect.failure("'melt': the columns of 'vars' differ", t.melt, t, {})
        expect.failure("'melt': two columns would be called 'k'", t.melt, t, { id = "k", vars = "v", name = "k" })
        expect.failure("option 'index': name of a column, or a list of them, expected, got nil", t.pivot, t, { columns = "c" })
        expect.failure("option 'values' says of which column the mean is", t.pivot, t, { index = "k", columns = "c", agg = "mean" })
        expect.failure("'pivot': two columns would be called 'a'", function()
            t:rename({ k = "a" }):with({ b = { "a", "z" } }):pivot { index = "a", columns = "b", values = "v" }
        end)
        expect.failure("'c' is i64; a column of text is split", t.explode, t, "c", ",")
        expect.failure("separator expected", t.explode, t, "k", "")
        expect.failure("column 'k' is text; numbers correlate", t.corr, t, "k")
    end)
end)
