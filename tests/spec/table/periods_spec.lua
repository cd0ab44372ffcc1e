-- Windows of rows and groups by periods: what pandas gives, loops over random rows, the order of operations, errors.
local lun = require "lunarray"
local expect = require "expect"
local stored = require "table.series_values"
local like = require "table_values"

local NA, list = lun.na, expect.list

local FUNCTIONS = { "count", "sum", "mean", "min", "max", "first", "last", "var", "std", "median", "quantile", "nunique", "prod" }
local OPTIONS = { std = { ddof = 1 }, quantile = { q = 0.3 } }

local function days()
    local t = like.table(stored.days)
    t.day = lun.vector(t.day, "timestamp"):date()
    return t
end

-- Without the times of dates, as texts.
local function as_dates(columns)
    local out = {}
    for k, column in ipairs(columns) do
        out[k] = { column[1], {} }
        for i, x in ipairs(column[2]) do
            out[k][2][i] = type(x) == "string" and x:gsub(" 00:00:00$", "") or x
        end
    end
    return out
end

describe("a:rolling", function()
    it("gives what pandas gives", function()
        expect.everywhere(function()
            local t = like.table(stored.steps)
            for name, opts in pairs { rolled = { 4, min = 2 }, centred = { 6, min = 3, center = true } } do
                for _, column in ipairs(stored[name]) do
                    local f = column[1]
                    local of = { min = opts.min, center = opts.center }
                    for key, value in pairs(OPTIONS[f] or {}) do
                        of[key] = value
                    end
                    like.check({ column }, lun.table { [f] = t.x:rolling(opts[1], f, of) }, name .. " " .. f)
                end
            end
            like.check(stored.pairs, lun.table({ corr = t.x:rolling(5, "corr", t.y, { min = 3 }),
                cov = t.x:rolling(5, "cov", t.y, { min = 3 }) }, { "corr", "cov" }), "pairs")
            like.check(stored.intervals, lun.table({
                ewm = t.x:ewm(0.3), cut = t.x:cut { 0, 1, 2.5, 4 }, left = t.x:cut({ 0, 1, 2.5, 4 }, { right = false }),
                qcut = t.y:qcut(4), texts = t.x:cut({ 0, 1, 2.5, 4 }, { labels = { "low", "mid", "high" } }),
            }, { "ewm", "cut", "left", "qcut", "texts" }), "intervals")
        end)
    end)

    -- What a function gives of a list of numbers that are there.
    local model = {
        count = function(xs) return #xs end,
        sum = function(xs) local s = 0 for _, x in ipairs(xs) do s = s + x end return s end,
        min = function(xs) return #xs > 0 and math.min(table.unpack(xs)) or NA end,
        max = function(xs) return #xs > 0 and math.max(table.unpack(xs)) or NA end,
        first = function(xs) return xs[1] or NA end,
        last = function(xs) return xs[#xs] or NA end,
        median = function(xs)
            local sorted = table.move(xs, 1, #xs, 1, {})
            table.sort(sorted)
            local m = #sorted // 2
            return #sorted == 0 and NA or #sorted % 2 == 1 and sorted[m + 1] + 0.0 or (sorted[m] + sorted[m + 1]) / 2
        end,
        nunique = function(xs)
            local seen, n = {}, 0
            for _, x in ipairs(xs) do
                n, seen[x] = n + (seen[x] and 0 or 1), true
            end
            return n
        end,
    }

    it("gives what a loop gives, of random lengths, widths, dtypes and gaps", function()
        local seed = 5
        local function number(n)
            seed = seed * 6364136223846793005 + 1442695040888963407
            return (seed >> 33) % n
        end
        for round = 1, 120 do
            local n, w, min = number(40), number(45) + 1, number(4)
            local center, gaps = number(2) == 0, number(2) == 0
            local xs = {}
            for i = 1, n do
                xs[i] = gaps and number(4) == 0 and NA or number(20)
            end
            local dtype = ({ "i64", "f64", "u8", "f32", "u64", "i16" })[round % 6 + 1]
            local a = n > 0 and lun.vector(xs, dtype) or lun.zeros(0, dtype)
            for f, of in pairs(model) do
                local wanted = {}
                for i = 1, n do
                    local ahead, there = center and (w - 1) // 2 or 0, {}
                    for j = math.max(i + ahead - w + 1, 1), math.min(i + ahead, n) do
                        there[#there + 1] = xs[j] ~= NA and xs[j] or nil
                    end
                    wanted[i] = #there < min and NA or of(there)
                end
                local got = list(a:rolling(w, f, { min = min, center = center }))
                for i = 1, n do
                    assert(wanted[i] == got[i], ("round %d: %s of %s: element %d is %s, %s expected"):format(round, f, dtype, i,
                        got[i], wanted[i]))
                end
                assert.equal(n, #got)
            end
        end
    end)

    it("has the same bits wherever it runs, on any number of threads", function()
        local path = os.tmpname()
        local file = assert(io.open(path, "w"))
        file:write [[
            local lun = require "lunarray"
            local x, y = lun.random(70001, { seed = 3 }) - 0.5, lun.random(70001, { seed = 4 })
            local parts = {}
            for k, f in ipairs { "sum", "mean", "var", "prod", "median", "corr" } do
                parts[k] = x:rolling(1000 + k, f, f == "corr" and y or nil, { min = 1 })
            end
            parts[#parts + 1] = x:ewm(0.01)
            local bits, hash = lun.concat(parts):tobytes(), 0
            for i = 1, #bits, 8 do
                hash = hash * 31 + string.unpack("<i8", bits, i)
            end
            print(("%d %016x"):format(#bits, hash))
        ]]
        file:close()
        expect.same_bits(path)
        os.remove(path)
    end)

    it("adds far from a large element without its error", function()
        local a = lun.concat { lun.full(1, 1e20), lun.full(50, 0.5) }
        assert.equal(2.0, a:rolling(4, "sum")[51])
        assert.equal(0.0, a:rolling(4, "var")[51])
        local nan = lun.concat { lun.full(1, 0 / 0), lun.full(50, 0.5) }
        assert.equal(0.5, nan:rolling(4, "max")[51])
        assert.is_true(nan:rolling(4, "mean"):isnan()[4])
        assert.equal(3, nan:rolling(4, "count", { skipnan = true })[4])
        assert.equal(0.5, nan:rolling(4, "mean", { skipnan = true, min = 3 })[4])
    end)

    it("takes dates, texts and bools where they mean something", function()
        local d = lun.vector({ "2024-01-01", "2024-01-05", NA, "2024-02-01", "2024-01-20" }, "date")
        assert.same({ NA, "2024-01-05", NA, NA, "2024-02-01" }, list(d:rolling(2, "max")))
        assert.same({ "2024-01-01", "2024-01-03", "2024-01-05", "2024-02-01", "2024-01-26" }, list(d:rolling(2, "median", { min = 1 })))
        assert.same({ "2024-01-01", "2024-01-03", "2024-01-05", "2024-02-01", "2024-01-26" }, list(d:rolling(2, "mean", { min = 1 })))
        assert.same({ 1, 1, NA, 2, 2 }, list(d:cut { "2023-12-31", "2024-01-10", "2024-02-10" }))
        assert.same({ 1, 1, NA, 2, 2 }, list(d:qcut(2)))
        local e = lun.vector({ "1s", "2s", "4s" }, "duration")
        assert.same({ NA, 3.0, 6.0 }, list(e:rolling(2, "sum")))
        assert.equal("duration", e:rolling(2, "sum"):dtype())
        local s = lun.vector { "b", "a", NA, "c" }
        assert.same({ "b", "a", "a", "c" }, list(s:rolling(2, "min", { min = 1 })))
        assert.same({ 1, 2, 1, 1 }, list(s:rolling(2, "nunique", { min = 0 })))
        assert.same({ 1, 2, 2, 4 }, list(s:rolling(2, "argmin", { min = 1 })))
        local b = lun.vector { true, false, false }
        assert.same({ true, true, false }, list(b:rolling(2, "any", { min = 1 })))
        assert.same({ NA, 1, 0 }, list(b:rolling(2, "sum")))
        assert.same({ 1.0, 1.75 }, list(lun.vector { 1, 2 }:rolling(2, "wmean", lun.vector { 1, 3 }, { min = 1 })))
    end)

    it("refuses what it does not know", function()
        local a = lun.index(3)
        expect.failure("bad argument #1 to 'rolling' (0: at least 1 expected)", function() a:rolling(0, "sum") end)
        expect.failure("bad argument #1 to 'rolling' (number of elements expected, got string)", function() a:rolling("7d", "sum") end)
        expect.failure("'rolling': unknown function 'mode'; there are all, any, argmax", function() a:rolling(2, "mode") end)
        expect.failure("'rolling': name of a function expected, such as a:rolling(3, \"mean\"), got no value", function() a:rolling(2) end)
        expect.failure("'rolling': 'corr' takes another array", function() a:rolling(2, "corr") end)
        expect.failure("'rolling': 'sum' takes one array", function() a:rolling(2, "sum", a) end)
        expect.failure("lengths differ: 3 and 4", function() a:rolling(2, "cov", lun.index(4)) end)
        expect.failure("'rolling': unknown option 'max'; there are center, ddof, min, q, skipnan", a.rolling, a, 2, "sum", { max = 1 })
        expect.failure("option 'min': integer from 0 on expected, got -1", function() a:rolling(2, "sum", { min = -1 }) end)
        expect.failure("'quantile': number from 0 to 1 expected, got nil", function() a:rolling(2, "quantile") end)
        expect.failure("'sum': numbers expected, got text", function() lun.vector { "a" }:rolling(1, "sum") end)
        expect.failure("'median': numbers expected, got text", function() lun.vector { "a" }:rolling(1, "median") end)
        expect.failure("'sum': numbers expected, got date", function() lun.vector({ "2024-01-01" }, "date"):rolling(1, "sum") end)
        expect.failure("Vector expected, got i64[2, 2]", function() lun.index(4):reshape(2, 2):rolling(1, "sum") end)
        expect.failure("2: more than 0, at most 1 expected", function() a:ewm(2) end)
        expect.failure("0: more than 0, at most 1 expected", function() a:ewm(0) end)
        expect.failure("edge 2 is not more than the one before", function() a:cut { 1, 1 } end)
        expect.failure("1: at least 2 edges expected", function() a:cut { 1 } end)
        expect.failure("edge 2 is missing or NaN", function() a:cut { 1, 0 / 0 } end)
        expect.failure("option labels: 1 labels for 2 intervals", function() a:cut({ 1, 2, 3 }, { labels = { "a" } }) end)
        expect.failure("0: from 1 to 1048576 expected", function() a:qcut(0) end)
    end)
end)

describe("t:rolling", function()
    it("gives what pandas gives", function()
        expect.everywhere(function()
            local t = days()
            for name, width in pairs { last_week = "7d", last_days = "40d" } do
                local spec, names = {}, {}
                for k, f in ipairs(FUNCTIONS) do
                    spec[k] = { f, f, "x", f == "quantile" and 0.3 or OPTIONS[f] }
                    names[k] = f
                end
                local got = t:rolling("day", width):agg(spec)
                assert.is_true(got.day:equals(t.day))
                got = got:select(table.unpack(names))
                -- pandas leaves sums and products of windows without elements missing.
                got.sum, got.prod = lun.where(got.count:eq(0), NA, got.sum), lun.where(got.count:eq(0), NA, got.prod)
                got.nunique = lun.where(got.count:eq(0), NA, got.nunique)
                got.std = got.std:naif(0 / 0) -- 0 / 0 of one element
                like.check(stored[name], got, name)
            end
            local got = t:rolling("day", "40d", { by = "k" }):agg { x = { "sum", "x" }, c = { "count", "x" } }
            got.x = lun.where(got.c:eq(0), NA, got.x)
            like.check(stored.last_k, got:select "x", "by k")
        end)
    end)

    it("takes months, times, numbers, equal and missing times, functions", function()
        local dates = lun.vector({ "2024-03-31", "2024-02-29", NA, "2024-02-28", "2024-03-31" }, "date")
        local t = lun.table({ d = dates, x = { 1, 2, 4, 8, 16 } }, { "d", "x" })
        local got = t:rolling("d", "1mo"):agg { n = "count", s = { "sum", "x" }, a = { "argmax", "x" },
            f = { function(x) return x:sum() * 2 end, "x" } }
        assert.same({ "d", "a", "f", "n", "s" }, got:names())
        assert.same({ 2, 2, NA, 1, 2 }, list(got.n))
        assert.same({ 17, 10, NA, 8, 17 }, list(got.s))
        assert.same({ 5, 4, NA, 4, 5 }, list(got.a))
        assert.same({ 34, 20, NA, 16, 34 }, list(got.f))
        assert.same({ 1, 3, 6, 9 }, list(lun.table({ i = { 1, 2, 3, 4 } }):rolling("i", 2.5):agg({ s = { "sum", "i" } }).s))
        assert.same({ 1, 2, 1 }, list(lun.table({ e = lun.vector({ "1s", "2s", "9s" }, "duration") }):rolling("e", "2s"):agg().count))
        assert.same({ "time", "n" }, t:rolling(t.d, "1d"):agg({ n = "count" }):names())
        assert.equal(0, #t:head(0):rolling("d", "1d"):agg { s = { "mean", "x" } })
        assert.equal("windows of 5 rows", tostring(t:rolling("d", "1d")))
        expect.failure("unit such as \"7d\" expected as the width of windows, got 7", t.rolling, t, "d", 7)
        expect.failure("unit such as \"7d\" expected as the width of windows, got 0d", t.rolling, t, "d", "0d")
        expect.failure("unit such as \"7d\" expected as the width of windows, got -7d", t.rolling, t, "d", "-7d")
        expect.failure("'-7foo' is no unit", t.rolling, t, "d", "7foo")
        expect.failure("expected as the width of windows, got 7d", t.rolling, t, "x", "7d")
        expect.failure("expected as the width of windows, got -1", t.rolling, t, "x", -1)
        expect.failure("no column 'q'", t.rolling, t, "q", "7d")
        expect.failure("no column 'q'", t.rolling, t, "d", "7d", { by = "q" })
        expect.failure("'rolling': unknown option 'min'; there are by", t.rolling, t, "d", "7d", { min = 1 })
        local r = t:rolling("d", "7d")
        expect.failure("'agg': unknown function 'mode'; there are all, any", r.agg, r, { m = { "mode", "x" } })
        expect.failure("no column 'm'", r.agg, r, { m = "mean" })
        expect.failure("are called 'd'", r.agg, r, { d = "count" })
        expect.failure("windows of rows expected, got columns", r.agg, t, {})
    end)
end)

describe("g:rolling", function()
    it("has windows that end where groups begin", function()
        local t = lun.table { k = { "a", "b", "a", "a", "b" }, x = { 1, 2, NA, 4, 8 } }
        local g = t:group "k"
        assert.same({ 1, 2, 1, 4, 10 }, list(g:rolling("x", 2, "sum", { min = 1 })))
        assert.same({ NA, NA, NA, NA, 10 }, list(g:rolling("x", 2, "sum")))
        assert.same({ 1, 1, 2, 2, 2 }, list(g:rolling(lun.index(5), 2, "count")))
        assert.same({ 1.0, 5.0, 2.5, 4.0, 5.0 }, list(g:rolling("x", 3, "mean", { min = 1, center = true })))
        expect.failure("'rolling': number of rows from 1 on expected, got 0", g.rolling, g, "x", 0, "sum")
        t.r = lun.vector({ { x = 1 }, { x = 2 }, { x = 3 }, { x = 4 }, { x = 5 } }, lun.struct("P", { { "x", "f64" } }))
        expect.failure("'first': numbers expected, got records of P; take a field", g.rolling, g, "r", 1, "first")
        expect.failure("'rolling': unknown function 'range'", g.rolling, g, "x", 1, "range")
        expect.failure("no column 'y'", g.rolling, g, "y", 1, "sum")
    end)
end)

describe("t:resample", function()
    it("gives what pandas gives", function()
        expect.everywhere(function()
            local t = days():sort "day" -- of which pandas has the last element
            for _, unit in ipairs { "1d", "1w", "1mo", "1q", "1y" } do
                like.check(as_dates(stored["by_" .. unit]), t:resample("day", unit):agg {
                    { "n", "count" }, { "c", "count", "x" }, { "sum", "sum", "x" }, { "mean", "mean", "x" }, { "last", "last", "x" },
                }, unit)
            end
            local got = t:resample("day", "1mo", { by = "k" }):agg { { "n", "count" }, { "mean", "mean", "x" } }
            like.check(as_dates(stored.by_k), got, "k")
        end)
    end)

    it("has empty periods, rows without a time in none, functions once for those that are not empty", function()
        local hours = lun.vector({ "2024-01-01 10:59", NA, "2024-01-01 13:00" }, "timestamp")
        local t = lun.table({ at = hours, x = { 1, 2, 3 } }, { "at", "x" })
        local g = t:resample("at", "1h")
        assert.equal(4, #g)
        local calls = 0
        local got = g:agg { { "n", "count" }, { "c", "count", "x" }, { "u", "nunique", "x" }, { "f", function(x)
            calls = calls + 1
            return x:sum()
        end, "x" } }
        assert.same({ "2024-01-01 10:00:00", "2024-01-01 11:00:00", "2024-01-01 12:00:00", "2024-01-01 13:00:00" }, list(got.at))
        assert.same({ 1, 0, 0, 1 }, list(got.n))
        assert.same({ 1, 0, 0, 1 }, list(got.c))
        assert.same({ 1, NA, NA, 1 }, list(got.u))
        assert.same({ 1, NA, NA, 3 }, list(got.f))
        assert.equal(2, calls)
        assert.same({ 1, NA, 3 }, list(g:cumsum "x"))
        assert.equal(0, #t:head(0):resample("at", "1h"):agg())
        assert.same({ "x", "at", "count" }, t:head(0):resample("at", "1h", { by = "x" }):agg():names())
        local names = {}
        for at, sub in g:iter() do
            names[#names + 1] = at:sub(12, 13) .. "x" .. #sub
        end
        assert.equal("10x1 11x0 12x0 13x1", table.concat(names, " "))
    end)

    it("refuses what it does not know, and too many periods", function()
        local t = lun.table({ d = lun.vector({ "1000-01-01", "3000-01-01" }, "date"), x = { 1, 2 } })
        expect.failure("'resample': 'x' is i64; dates or timestamps expected", t.resample, t, "x", "1d")
        expect.failure("'foo' is no unit", t.resample, t, "d", "foo")
        expect.failure("'resample': unit such as \"1mo\" expected, got number", t.resample, t, "d", 1)
        expect.failure("no column 'q'", t.resample, t, "q", "1d")
        expect.failure("'resample': unknown option 'fill'; there are by", t.resample, t, "d", "1d", { fill = 0 })
        t.at = t.d:cast "timestamp"
        expect.failure("'resample': 'at' spans 63113904001 periods of 1s; at most 100000000 are made", t.resample, t, "at", "1s")
    end)
end)
