-- Values for each row out of the rows of its group: what pandas gives, and plain Lua loops over random groups; their
-- errors.
local lun = require "lunarray"
local expect = require "expect"
local stored = require "table.series_values"
local like = require "table_values"

local NA, list = lun.na, expect.list

-- The methods of groups that series_values.lua has: each gives a column.
local function columns_of(g)
    local all = {
        { "shift", g:shift "n" }, { "shift2", g:shift("n", -2) }, { "diff", g:diff "n" }, { "diff2", g:diff("x", -2) },
        { "pct", g:pct_change "x" }, { "count", g:cumcount() }, { "ffill", g:ffill "x" }, { "ffill1", g:ffill("x", 1) },
        { "bfill", g:bfill "x" }, { "bfill1", g:bfill("x", 1) }, { "cumsum", g:cumsum "x" }, { "cumprod", g:cumprod "x" },
        { "cummin", g:cummin "x" }, { "cummax", g:cummax "n" }, { "size", g:size() }, { "mean", g:transform("mean", "x") },
    }
    for _, method in ipairs { "average", "min", "max", "dense", "first" } do
        all[#all + 1] = { "r_" .. method, g:rank("x", { method = method }) }
        all[#all + 1] = { "d_" .. method, g:rank("n", { method = method, descending = true }) }
    end
    local columns, names = {}, {}
    for k, one in ipairs(all) do
        names[k], columns[one[1]] = one[1], one[2]
    end
    return lun.table(columns, names)
end

describe("within groups", function()
    it("rows have what pandas gives", function()
        expect.everywhere(function()
            like.check(stored.within, columns_of(like.table(stored.t):group "k"), "within k")
        end)
    end)

    -- The running results and the elements before, by a loop over the rows for each group.
    it("rows have what a loop gives, of random groups, rows in no group and gaps", function()
        local function number(seed)
            return function(n)
                seed = seed * 6364136223846793005 + 1442695040888963407
                return (seed >> 33) % n
            end
        end
        for seed = 1, 40 do
            local next_number = number(seed)
            local rows, groups = next_number(30), next_number(6) + 1
            local keys, xs = {}, {}
            for i = 1, rows do
                keys[i] = next_number(7) == 0 and NA or next_number(groups)
                xs[i] = next_number(4) == 0 and NA or next_number(9) - 4
            end
            keys[rows + 1], xs[rows + 1] = 0, 1 -- a row at least
            local t = lun.table { k = lun.vector(keys), x = lun.vector(xs) }
            local g = t:group("k", { dropna = seed % 2 == 0 })
            local sums, products, seen, last, counts = {}, {}, {}, {}, {}
            local wanted = { cumsum = {}, cumprod = {}, cummax = {}, shift = {}, ffill = {}, cumcount = {}, diff = {} }
            for i, key in ipairs(keys) do
                local x = xs[i]
                if key == NA and seed % 2 == 0 then
                    for _, of_call in pairs(wanted) do
                        of_call[i] = NA
                    end
                else
                    local before = seen[key] or {}
                    seen[key] = before
                    counts[key] = (counts[key] or 0) + 1
                    wanted.cumcount[i] = counts[key]
                    wanted.shift[i] = before[#before] or NA
                    wanted.diff[i] = (x == NA or wanted.shift[i] == NA) and NA or x - wanted.shift[i]
                    before[#before + 1] = x
                    if x ~= NA then
                        sums[key], products[key] = (sums[key] or 0) + x, (products[key] or 1) * x
                        last[key] = x
                    end
                    local most = NA
                    for _, other in ipairs(before) do
                        most = other ~= NA and (most == NA or other > most) and other or most
                    end
                    wanted.ffill[i] = last[key] or NA
                    wanted.cumsum[i], wanted.cumprod[i] = x == NA and NA or sums[key], x == NA and NA or products[key]
                    wanted.cummax[i] = x == NA and NA or most
                end
            end
            for call, values in pairs(wanted) do
                assert.same(values, list(g[call](g, call ~= "cumcount" and "x" or nil)), ("%s, seed %d"):format(call, seed))
            end
        end
    end)

    it("dates, texts and bools are taken where they mean something", function()
        local t = lun.table({
            k = { 1, 2, 1, 1 }, s = { "b", "c", NA, "a" }, b = { true, false, false, true }, u = { 5, 6, 7, 8 },
            d = lun.vector({ "2024-03-01", "2024-01-01", "2024-02-01", NA }, "date"),
            e = lun.vector({ "1d", "1h", "2d", "3h" }, "duration"),
        })
        t.u = t.u:cast "u64"
        local g = t:group "k"
        assert.same({ NA, NA, -29, NA }, list(g:diff "d"))
        assert.same({ "2024-03-01", "2024-01-01", "2024-02-01", NA }, list(g:cummin "d"))
        assert.same({ true, false, false, false }, list(g:cummin "b"))
        assert.same({ 1, 0, 1, 2 }, list(g:cumsum "b"))
        assert.same({ 86400.0, 3600.0, 259200.0, 270000.0 }, list(g:cumsum "e"))
        assert.equal("duration", g:cumsum "e":dtype())
        assert.same({ "b", "c", "b", "a" }, t:with({ f = g:ffill "s" }):totable("columns").f)
        assert.same({ 2.0, 1.0, NA, 1.0 }, list(g:rank "s"))
        assert.same({ 2.0, 1.0, 1.0, NA }, list(g:rank "d"))
        assert.same({ 5, 6, 12, 20 }, list(g:cumsum "u"))
        assert.same({ 5, 6, 5, 5 }, list(g:cummin "u"))
    end)

    it("NaN is a value: the last one, and equal to itself in ranks", function()
        local g = lun.table({ k = { 1, 1, 1, 1, 1 }, x = lun.vector { 2, 0 / 0, NA, 1, 0 / 0 } }):group "k"
        assert.same({ 2.0, 3.5, NA, 1.0, 3.5 }, list(g:rank "x"))
        assert.same({ 1.0, 3.0, NA, 2.0, 4.0 }, list(g:rank("x", { method = "first", descending = true })))
        assert.same({ 2.0, 2.0, 2.0, 1.0, 1.0 }, list(g:ffill "x"))
        assert.same({ 2.0, 1.0, 1.0, 1.0 }, list(g:bfill "x":sub(1, 4)))
        assert.is_true(g:bfill "x":sub(5, 5):isnan()[1])
        assert.is_false(g:bfill "x":ismissing():any())
    end)

    it("of groups of arrays, of no rows and of groups without rows", function()
        local g = lun.group(lun.vector { 1, 2, 1 })
        assert.same({ 1, 5, 4 }, list(g:cumsum(lun.vector { 1, 5, 3 })))
        assert.same({ 1.0, 1.0, 2.0 }, list(g:rank(lun.vector { 1, 5, 3 })))
        g = lun.group(lun.vector { 3, 1, 3 }, { levels = 4 })
        assert.same({ 1, 1, 2 }, list(g:cumcount()))
        assert.same({ NA, NA, 7 }, list(g:shift(lun.vector { 7, 8, 9 })))
        local none = lun.table({ k = lun.zeros(0, "i64"), x = lun.zeros(0) }):group "k"
        for _, call in ipairs { "shift", "diff", "pct_change", "ffill", "bfill", "cumsum", "cumprod", "cummin", "cummax", "rank" } do
            assert.equal(0, #none[call](none, "x"))
        end
        assert.equal(0, #none:cumcount())
    end)

    it("refuses what it does not know", function()
        local t = lun.table { k = { 1, 1 }, x = { 1, 2 }, s = { "a", "b" }, d = lun.vector({ "2024-01-01", NA }, "date") }
        local g = t:group "k"
        for _, call in ipairs { "diff", "cumsum", "cumprod", "cummin", "cummax", "pct_change" } do
            expect.failure(("'%s': numbers expected, got text"):format(call), g[call], g, "s")
        end
        for _, call in ipairs { "shift", "diff", "cumsum", "cumprod", "cummin", "cummax", "pct_change", "ffill", "bfill", "rank" } do
            expect.failure("no column 'q'", g[call], g, "q")
            expect.failure("the array has 3 rows, the table 2", g[call], g, lun.ones(3))
            expect.failure(("bad argument #1 to '%s'"):format(call), g[call], g)
            expect.failure("t:group(\"k\") knows the columns of a table", function()
                local h = lun.group(t.x)
                h[call](h, "x")
            end)
        end
        expect.failure("'cumsum': numbers expected, got date", g.cumsum, g, "d")
        expect.failure("'pct_change': numbers expected, got date", g.pct_change, g, "d")
        expect.failure("'shift': integer expected, got 1.5", g.shift, g, "x", 1.5)
        expect.failure("'diff': integer expected, got one", g.diff, g, "x", "one")
        expect.failure("'ffill': integer from 0 on expected, got -1", g.ffill, g, "x", -1)
        expect.failure("'rank': option 'method': average, min, max, dense or first expected, got mean", g.rank, g, "x", { method = "mean" })
        expect.failure("'rank': unknown option 'ties'; there are method, descending", g.rank, g, "x", { ties = 1 })
        expect.failure("group expected, got columns", g.cumcount, t)
    end)
end)

describe("rows of groups", function()
    local function five()
        return lun.table({ k = { "b", "a", "b", "a", "b" }, x = { 1, 2, 3, 4, 5 } }, { "k", "x" })
    end

    it("are chosen by chance: as many of each group, in the order of the table", function()
        local g = five():group "k"
        for seed = 1, 20 do
            local some = g:sample(2, { seed = seed })
            assert.equal(4, #some)
            assert.equal(2, some:filter({ k = "a" }).x:size())
            assert.is_true(some.x:equals(some.x:sort()))
            assert.is_true(some == g:sample(2, { seed = seed }))
        end
        assert.is_true(g:sample(9) == five())
        assert.equal(0, #g:sample(0))
        expect.failure("'sample': number of rows from 0 on expected, got nil", g.sample, g)
        expect.failure("'sample': unknown option 'frac'; there are seed", g.sample, g, 1, { frac = 1 })
    end)

    it("go through a function that gives tables, lists of rows or nothing", function()
        local g = five():group "k"
        assert.same({ { k = "a", x = 2 }, { k = "b", x = 1 } }, g:apply(function(u) return u:head(1) end):totable())
        assert.same({ { k = "a", n = 2 }, { k = "b", n = 3 } }, g:apply(function(u) return { n = { #u } } end):totable())
        local got = g:apply(function(u)
            return u.k[1] == "b" and { { s = u.x:sum(), t = "x" }, { s = 0, t = "y" } } or nil
        end)
        assert.same({ "k", "s", "t" }, got:names())
        assert.same({ { k = "b", s = 9, t = "x" }, { k = "b", s = 0, t = "y" } }, got:totable())
        assert.equal(0, #g:apply(function() end))
        expect.failure("'apply': function of a table expected, got string", g.apply, g, "mean")
        expect.failure("'apply': the function gives a table or nil, not number, of group 1", g.apply, g, function() return 1 end)
        expect.failure("t:group(\"k\") knows the rows of a table", function() lun.group(lun.ones(2)):apply(print) end)
    end)
end)
