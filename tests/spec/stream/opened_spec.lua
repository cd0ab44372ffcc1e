-- Tables in csv files, of which rows go through verbs part by part: what DuckDB and pandas have of the same rows, the
-- bits of the same verbs in memory, dtypes that a late field changes, files that change, limits.
local lun = require "lunarray"
local expect = require "expect"
local flights = require "stream.flights"
local like = require "table_values"
local shell = require "shell"
local stored = require "stream.duckdb_values"

local BUILD = os.getenv "BUILD" or "build"
local sanitized = BUILD:find "asan" or BUILD:find "tsan"
local directory, path

local function path_of(name)
    return directory .. "/" .. name
end

local function write(text, name)
    local f <close> = assert(io.open(path_of(name or "t.csv"), "wb"))
    f:write(text)
    return path_of(name or "t.csv")
end

local function open()
    return assert(lun.open(path))
end

setup(function()
    directory = shell.scratch()
    path = path_of "flights.csv"
    flights.write(path)
end)

teardown(function()
    shell.discard(directory)
end)

describe("verbs of an opened table give what DuckDB and pandas give:", function()
    it("groups", function()
        local t = open()
        like.check(stored.by_k, t:group("k"):agg {
            { "rows", "count" }, { "there", "count", "x" }, { "sum", "sum", "x" }, { "mean", "mean", "x" },
            { "low", "min", "x" }, { "high", "max", "x" }, { "std", "std", "x" }, { "var", "var", "n", { ddof = 1 } },
            { "total", "sum", "n" }, { "middle", "mean", "n" }, { "since", "min", "d" }, { "last_text", "max", "s" },
            { "median", "median", "x" }, { "q", "quantile", "x", 0.9 }, { "kinds", "nunique", "s" },
            { "corr", "corr", "x", "y" }, { "cov", "cov", "x", "y" }, { "some", "any", t.n:gt(498) },
            { "every", "all", t.n:gt(-500) },
        }, "by k")
    end)

    it("filters, computed columns and keys", function()
        local t = open()
        local u = t:filter(t.x:gt(100) & t.n:ne(7)):with { v = function(f) return f.x * 2 + f.n end }
        like.check(stored.chain, u:group("k", { month = u.d:month() }):agg {
            { "rows", "count" }, { "sum", "sum", "v" }, { "mean", "mean", "y" },
        }, "chain")
    end)

    it("joins with a table in memory, counts, largest of groups, ends", function()
        local t = open()
        local other = lun.table({ k = { "k1", "k3", "k3", "k99" }, w = { 0.5, 2.0, 4.0, 8.0 } }, { "k", "w" })
        like.check(stored.joined, t:join(other, "k"):with({ v = function(f) return f.w * f.n end }):group("k"):agg {
            { "rows", "count" }, { "sum", "sum", "v" },
        }, "joined")
        like.check(stored.counts, t:filter(t.s:lt "s2"):value_counts "s", "value_counts")
        like.check(stored.top, t:filter(t.k:notna()):group("k"):topk(2, "x"):select("k", "x", "row"), "topk")
        like.check(stored.ends, lun.concat({ t:head(3), t:tail(3) }):select("row", "n", "s"), "head, tail")
    end)

    it("reductions of columns and of all rows", function()
        local t, whole = open(), {}
        for _, column in ipairs(stored.whole) do
            whole[column[1]] = column[2][1]
        end
        assert.same({ whole.sum, whole.low, whole.high, whole.there }, { t.x:sum(), t.x:min(), t.x:max(), t.y:notna():count() })
        assert.near(whole.mean, t.x:mean(), 1e-12)
        assert.near(whole.middle, t.n:mean(), 1e-12)
        assert.near(whole.var, t.n:var(), 1e-6)
        assert.near(whole.std, t.n:std { ddof = 1 }, 1e-9)
        assert.same({ whole.sum, flights.ROWS }, (function(r) return { r.s[1], r.n[1] } end)(
            t:agg { s = { "sum", "x" }, n = "count" }))
        assert.equal(flights.ROWS, #t)
    end)
end)

describe("an opened table has the bits of lun.load:", function()
    local all, t

    -- Fails unless f gives the same table of both, in the same dtypes.
    local function same(f, what)
        local a, b = f(all), f(t)
        assert.same(a:dtypes(), b:dtypes(), what)
        for name, x in pairs(a) do
            assert(x:equals(b[name]), ("%s: '%s' differs"):format(what or "", name))
        end
        assert.same(a:names(), b:names())
    end

    setup(function()
        local out, state = { "k,g,x,y,b\n" }, 5
        for r = 1, 210000 do
            state = (state * 6364136223846793005 + 1442695040888963407)
            local u = (state >> 33) / 2147483648
            out[r + 1] = ("%s,%d,%s,%.17g,%s\n"):format("t" .. (state >> 40) % 31, (state >> 36) % 9000,
                r % 17 == 0 and "" or ("%.17g"):format(math.exp(20 * u) - 3e3), u / 3, r % 3 == 0)
        end
        local file = write(table.concat(out), "bits.csv")
        all, t = assert(lun.load(file)), assert(lun.open(file))
    end)

    it("sums of groups, with gaps and without, of filtered rows, in one pass or two", function()
        local spec = {
            s = { "sum", "x" }, t = { "sum", "y" }, m = { "mean", "x" }, v = { "var", "y" }, d = { "std", "x" },
            p = { "prod", "y" }, n = { "sum", "g" }, a = { "mean", "g" }, z = { "any", "b" }, f = { "first", "x" },
            l = { "last", "x" }, c = { "corr", "x", "y" }, w = { "wmean", "x", "y" }, h = { "max", "k" },
        }
        same(function(u) return u:group("k"):agg(spec) end, "groups")
        same(function(u) return u:filter(u.x:gt(1e4)):group("k", "b"):agg(spec) end, "filtered")
        same(function(u) return u:agg(spec) end, "all")
        same(function(u) return u:group("k", { order = "first" }):agg(spec) end, "first")
        same(function(u)
            u = u:filter({ b = true }):dropna "x"
            return u:group({ q = u.g % 7 }):agg(spec)
        end, "chain")
    end)

    it("reductions", function()
        for _, name in ipairs { "sum", "mean", "min", "max", "var", "std", "prod", "count", "any", "all" } do
            if name ~= "any" and name ~= "all" then
                assert.equal((all.y * 3)[name](all.y * 3), (t.y * 3)[name](t.y * 3), name)
                assert.equal(all.g[name](all.g), t.g[name](t.g), name)
                local a, b = all.x[name](all.x), t.x[name](t.x)
                assert(a == b or a ~= a and b ~= b, name)
            else
                assert.equal(all.b[name](all.b), t.b[name](t.b), name)
            end
        end
        local a, b = all:filter(all.y:gt(0.1)), t:filter(t.y:gt(0.1))
        assert.equal(a.y:sum(), b.y:sum())
        assert.equal(lun.sqrt(a.y):sum(), lun.sqrt(b.y):sum())
        assert.equal(a.x:median(), b.x:median())
    end)

    it("rows: verbs that keep, add, select and order them", function()
        same(function(u) return lun.eval(u:select("x", "k"):rename({ x = "z" }):fillna(0.5)) end)
        same(function(u) return u:filter(function(r) return r.x > 1e7 end):drop("b"):sort("-x", "k") end)
        same(function(u) return u:head(70000) end)
        same(function(u) return u:group("k"):head(3) end)
        same(function(u) return u:group("k"):tail(2) end)
        same(function(u) return u:pivot { index = "k", columns = "b", values = "y" } end)
        same(function(u) return u:with({ c = function(f) return lun.where(f.b, f.k .. "!", "no") end }):tail(9) end)
        local n = 0
        for first, part in t:filter(t.b):parts(50000) do
            assert.equal(n + 1, first)
            n = n + #part
        end
        assert.equal(all.b:count(), n)
        assert.same(all[131072], t[131072])
        assert.same(all[-2], t[-2])
        assert.is_nil(t[210001])
    end)

    it("on one, two and seven threads, and on the interpreter", function()
        local program = write(([[
            local lun = require "lunarray"
            local t = lun.open "%s"
            local r = t:filter(t.y:gt(0.05)):group("k"):agg { s = { "sum", "x" }, v = { "std", "y" } }
            print(("%%a %%a %%a"):format(r.s[1], r.v[9], t.y:sum()))
        ]]):format(path_of "bits.csv"), "threads.lua")
        local function run(settings)
            return shell.capture(("%s '%s' '%s' 2>&1"):format(settings, shell.interpreter(), program))
        end
        local one = run "LUNARRAY_THREADS=1"
        assert.matches("^%-?0x", one)
        assert.equal(one, run "LUNARRAY_THREADS=2")
        assert.equal(one, run "LUNARRAY_THREADS=7")
        assert.equal(one, run "LUNARRAY_BACKEND=reference LUNARRAY_THREADS=2")
    end)

    it("written to a file again, also packed, or some rows of it", function()
        local function written(u, name)
            assert(lun.save(path_of(name), u))
            return shell.slurp(path_of(name))
        end
        assert.is_true(written(all, "a.csv") == written(t, "b.csv"))
        assert.is_true(written(all:filter(all.b), "a.csv") == written(t:filter(t.b), "b.csv"))
        written(t:filter(t.b), "b.csv.gz")
        assert.is_true(lun.load(path_of "b.csv.gz") == all:filter(all.b))
        assert(lun.save(path_of "a.csv", t:filter(t.b), { append = true }))
        assert.equal(2 * all.b:count(), #lun.load(path_of "a.csv"))
        assert(lun.save(path_of "c.csv", t:select "x"))
        assert.is_true(lun.load(path_of "c.csv") == all:select "x")
    end)
end)

describe("dtypes of an opened table", function()
    local rows = {}

    setup(function()
        for r = 1, 200000 do
            rows[r] = ("%d,%d,%d,"):format(r, r % 7, r)
        end
    end)

    local function with_last(line)
        return write("a,b,c,d\n" .. table.concat(rows, "\n") .. "\n" .. line .. "\n", "late.csv")
    end

    it("are those of all fields, wherever they stand", function()
        for line, dtypes in pairs {
            ["1.5,x,-2,3"] = { "f64", "text", "i64", "i64" },
            ["NA,007,9223372036854775808,true"] = { "i64", "text", "u64", "bool" },
            ["2024-01-05,,-9223372036854775809,2024-01-05"] = { "text", "i64", "f64", "date" },
        } do
            local file = with_last(line)
            local t, all = assert(lun.open(file)), assert(lun.load(file))
            assert.same(dtypes, all:dtypes())
            assert.same(dtypes, t:dtypes())
            assert.is_true(all:group("b"):agg { n = "count", d = { "count", "d" }, f = { "first", "a" } }
                == t:group("b"):agg { n = "count", d = { "count", "d" }, f = { "first", "a" } })
            t = assert(lun.open(file))
            assert(lun.save(path_of "again.csv", t))
            assert(lun.save(path_of "wanted.csv", all))
            assert.is_true(shell.slurp(path_of "again.csv") == shell.slurp(path_of "wanted.csv"))
        end
    end)

    it("are marked where later rows may change them; small tables are shown as they are", function()
        local shown = tostring(assert(lun.open(with_last "1,2,3,4")))
        assert.matches("^4 columns, %? rows\n +a +b +c +d\n +i64%? +i64%? +i64%? +f64%?\n 1 ", shown)
        assert.matches("\n11 +11 +4 +11 +<NA>$", shown)
        assert.matches("^%d+ columns, %? rows\n +a +b\n +i32 +text\n",
            tostring(assert(lun.open(with_last "1,2,3,4", { dtypes = { a = "i32", b = "text" } })):select("a", "b")))
        local t = assert(lun.open(write "a,b\n1,x\n2,y\n"))
        assert.equal(tostring(lun.load(path_of "t.csv")), tostring(t))
    end)

    it("that change behind rows which were given end t:parts()", function()
        local t = assert(lun.open(with_last "x,2,3,"))
        local ok, message = pcall(function()
            for _ in t:parts() do end
        end)
        assert.is_false(ok)
        assert.matches("late%.csv: column 'a' is of another dtype behind the rows that were given; {dtypes = {%.%.%.}} says it$",
            message)
        local n = 0
        for _, part in assert(lun.open(path_of "late.csv", { dtypes = { a = "text" } })):parts() do
            n = n + #part
        end
        assert.equal(200001, n)
    end)
end)

describe("an opened table", function()
    it("reads the columns that are used, once, and says so", function()
        local t = open()
        local g = t:filter(t.x:gt(1)):with({ v = function(f) return f.y * 2 end }):group "k"
        assert.equal(([[
chain over %s: parts of 65536 rows
   source  3 of 7 columns are read: k, x, y
   filter  gt(x, 1)
   with    {v = mul(y, 2)}
   cut     the rows that are left fill parts again, as in memory
   group   k]]):format(path), (lun.explain(g):gsub("2 of 7 columns are read: k, x\n", "3 of 7 columns are read: k, x, y\n")))
        assert.equal(lun.explain(g), g:explain())
    end)

    it("takes arrays in memory that have an element for each row", function()
        local t = open()
        t.z = lun.index(flights.ROWS) * 2
        assert.equal(flights.ROWS * (flights.ROWS + 1), t.z:sum())
        assert.is_true(t.row:eq(lun.index(flights.ROWS)):all())
        assert.equal(10, #lun.eval(t:filter(lun.index(flights.ROWS):gt(flights.ROWS - 10))))
        t.z = nil
        assert.is_false(t:has "z")
        t.z = "one"
        assert.same({ "one", "one" }, t:head(2).z:totable())
        expect.failure("column 'z' has 3 rows, the table 150001", function() t.z = { 1, 2, 3 } end)
        expect.failure("column 'z' has a row for each of", function()
            t:filter(t.x:gt(0)).z = lun.index(t:filter(t.x:gt(0)).x:size())
        end)
    end)

    it("refuses what needs all rows, and says what to do", function()
        local t = open()
        for name, call in pairs {
            rolling = function() t:rolling("d", "7d") end, describe = function() t:describe() end,
            unique = function() t:unique("k") end, melt = function() t:melt { id = "k" } end,
        } do
            expect.failure(("'%s' needs all rows at once, and this table is read in parts: lun.eval(t) reads it into memory")
                :format(name), call)
        end
        expect.failure("'transform' of groups needs all rows at once", function() t:group("k"):transform("mean", "x") end)
        expect.failure("how = \"full\" needs all rows of the left table", function()
            t:join(lun.table { k = { "k1" } }, "k", { how = "full" })
        end)
        expect.failure("the table on the right is in a file, too; lun.eval(u) reads it", function() t:join(open(), "k") end)
        expect.failure("'levels' takes codes in memory", function() t:group("n", { levels = 3 }) end)
    end)

    it("has the errors of tables in memory, before anything is read", function()
        local t = open()
        expect.failure("no column 'xx'", function() return t.xx end)
        expect.failure("no column 'nosuch'", function() t:select "nosuch" end)
        expect.failure("no column 'nosuch'", function() t:group "nosuch" end)
        expect.failure("unknown function 'sums'", function() t:group("k"):agg { a = { "sums", "x" } } end)
        expect.failure("'sum': text has none", function() t:group("k"):agg { a = { "sum", "s" } } end)
        expect.failure("'filter': column 'k' is text, and compared with a number", function() t:filter { k = 1 } end)
        expect.failure("the column has other rows than the table: take it from the filtered table", function()
            t:filter(t.x:gt(1)):filter(t.x:gt(2))
        end)
        expect.failure("columns of tables with other rows", function() return t.x + t:filter(t.x:gt(1)).x end)
        expect.failure("'head': number of rows from 0 on expected, got x", function() t:head "x" end)
        expect.failure("a column in a file has no field 'nosuch'", function() return t.x.nosuch end)
        expect.failure("elements of a file are not assigned", function() t.x[1] = 2 end)
    end)

    it("of no rows, and of which none pass, has the dtypes and results of memory", function()
        local file = write "a,b\n"
        local t, all = assert(lun.open(file)), assert(lun.load(file))
        assert.is_true(t:group("a"):agg { n = "count", b = { "first", "b" } } == all:group("a"):agg { n = "count", b = { "first", "b" } })
        assert.is_true(lun.eval(t) == all)
        t, all = open(), assert(lun.load(path))
        local spec = { n = "count", m = { "mean", "x" }, s = { "sum", "n" }, l = { "min", "n" } }
        local function none(u) return u:filter(u.x:gt(1e9)) end
        assert.is_true(none(t):group("k"):agg(spec) == none(all):group("k"):agg(spec))
        assert.is_true(none(t):agg(spec) == none(all):agg(spec))
        local many = lun.table { i = lun.index(20000), g = lun.index(20000) % 3, x = lun.index(20000) / 4 }
        assert(lun.save(file, many))
        t, all = assert(lun.open(file)), assert(lun.load(file))
        local late = { m = { "mean", "x" }, n = "count" } -- of rows behind those by which columns are known
        assert.is_true(t:filter(t.i:gt(19000)):group("g"):agg(late) == all:filter(all.i:gt(19000)):group("g"):agg(late))
        assert.is_true(lun.eval(none(t)) == none(all))
        assert.equal(0, none(t).x:sum())
        assert.equal(0, #none(t):head())
    end)

    it("calls a verb whose name a column has", function()
        local t = assert(lun.open(write "filter,group\n1,a\n2,b\n3,a\n"))
        assert.equal(6, t.filter:sum())
        assert.same({ { group = "a", s = 4 }, { group = "b", s = 2 } }, t:group("group"):agg({ s = { "sum", "filter" } }):totable())
        assert.same({ { filter = 3, group = "a" } }, t:filter(t.filter:gt(2)):totable())
    end)
end)

describe("several files", function()
    it("are one table, in the dtypes of all fields, also with their paths", function()
        write("a,b\n1,x\n2,y\n", "p1.csv")
        write("b,a\nz,2.5\n", "p2.csv")
        write("a,b\n,w\n", "p3.csv")
        local t, all = assert(lun.open(path_of "p?.csv")), assert(lun.load(path_of "p?.csv"))
        assert.is_true(lun.eval(t) == all)
        assert.same({ "f64", "text" }, t:dtypes())
        assert.equal(5.5, t.a:sum())
        assert.equal(4, #t)
        t = assert(lun.open({ path_of "p1.csv", path_of "p3.csv" }, { source = "file", nrows = 3 }))
        assert.is_true(lun.eval(t) == lun.load({ path_of "p1.csv", path_of "p3.csv" }, { source = "file", nrows = 3 }))
        expect.failure("bad argument #1 to 'open' (path expected, got a table without one)", lun.open, {})
        local none, message = lun.open(path_of "q?.csv")
        assert.is_nil(none)
        assert.matches("q%?%.csv", message)
        write("c,d\n1,2\n", "p4.csv")
        local ok, why = pcall(function() return #lun.open(path_of "p?.csv") end)
        assert.is_false(ok)
        assert.matches("p4%.csv: no column 'a'", why)
    end)
end)

describe("a file that is read part by part", function()
    it("and has changed, grown, shrunk or gone is an error that says so", function()
        for _, change in ipairs {
            function(file) local f <close> = io.open(file, "ab"); f:write "9,9\n" end,
            function(file) local f <close> = io.open(file, "wb"); f:write "a,b\n" end,
        } do
            local file = write("a,b\n" .. ("1,2\n"):rep(300000), "c.csv")
            local t = assert(lun.open(file))
            local ok, message = pcall(function()
                for first in t:parts() do
                    if first == 1 then
                        change(file)
                    end
                end
            end)
            assert.is_false(ok)
            assert.matches(": the file has changed since it was opened; open it again$", message)
        end
        local file = write("a,b\n" .. ("1,2\n"):rep(300000), "c.csv")
        local t = assert(lun.open(file))
        os.remove(file)
        assert.equal(300000, t.a:sum()) -- it is still open
    end)

    it("names the line of what is wrong far behind its beginning, and leaves the old file", function()
        local file = write("a,b\n" .. ("1,2\n"):rep(300000) .. "1\n", "w.csv")
        local t = assert(lun.open(file))
        local wanted = file .. ": line 300002: 1 field, but the header has 2"
        assert.equal(wanted, select(2, pcall(function() return t.a:sum() end)):sub(1, #wanted))
        write("old", "old.csv")
        assert.is_false(pcall(lun.save, path_of "old.csv", t))
        assert.equal("old", shell.slurp(path_of "old.csv"))
        t = assert(lun.open(file, { ragged = "skip" }))
        assert.equal(300000, t.a:sum())
        t = assert(lun.open(write("a,b\n" .. ("1,2\n"):rep(200000) .. "x,2\n", "w.csv"), { dtypes = { a = "i64" } }))
        wanted = path_of "w.csv" .. ": line 200002: 'x' is no i64 (column 1, 'a')"
        assert.equal(wanted, select(2, pcall(function() return t.a:sum() end)))
    end)

    it("may be packed; packed data that end early are refused", function()
        assert(os.execute(("gzip -kf '%s'"):format(path)))
        local t = assert(lun.open(path .. ".gz"))
        assert.equal(open().x:sum(), t.x:sum())
        local packed = shell.slurp(path .. ".gz")
        local none, message = lun.open(write(packed:sub(1, #packed // 2), "half.csv.gz"))
        assert.is_nil(none)
        assert.matches("half%.csv%.gz: the gzip data ends early", message)
    end)

    it("has quotes, newlines in them and strays at any place", function()
        local out = { "a,b\n" }
        for r = 1, 140000 do
            out[r + 1] = r % 997 == 0 and ('%d,"x\n, ""y"""\n'):format(r) or r == 131000 and ('%d,5" pipe\n'):format(r)
                or ("%d,t\n"):format(r)
        end
        local file = write(table.concat(out), "quotes.csv")
        local t, all = assert(lun.open(file)), assert(lun.load(file))
        assert.is_true(t:value_counts "b" == all:value_counts "b")
        assert.equal(all.a:sum(), t.a:sum())
    end)

    it("is read by all options", function()
        local text = "#note\nk;v\n" .. ("u;1,5\n#x\nv;-\n"):rep(50000)
        local file = write(text, "options.csv")
        local opts = { comment = "#", decimal = ",", na = { "-" }, nrows = 70001 }
        local t, all = assert(lun.open(file, opts)), assert(lun.load(file, opts))
        assert.equal(70001, #t)
        assert.is_true(t:group("k"):agg { s = { "sum", "v" }, n = { "count", "v" } }
            == all:group("k"):agg { s = { "sum", "v" }, n = { "count", "v" } })
    end)

    describe("of 1.5 million rows", function()
        local function run(script)
            local file = write(script:gsub("PATH", path_of "large.csv"):gsub("OUT", path_of "out.csv"), "limits.lua")
            return shell.capture(("LUNARRAY_THREADS=2 timeout 300 '%s' '%s' 2>&1"):format(shell.interpreter(), file))
        end

        setup(function()
            assert(os.execute(([[awk 'BEGIN { print "k,x,pad"
                for (i = 1; i <= 1500000; i++) print "k" i %% 97 "," i ".5,aaaaaaaaaaaaaaaaaaaaaaa" i }' >'%s']])
                :format(path_of "large.csv")))
        end)

        it("takes the memory of some parts", function()
            local text = run [[
                local lun = require "lunarray"
                local t = lun.open "PATH"
                local r = t:filter(t.x:gt(100)):with({ y = function(u) return u.x * 2 end }):group("k"):agg {
                    s = { "sum", "y" }, d = { "std", "x" } }
                assert(lun.save("OUT", t:select("x", "k", "pad")))
                local u = lun.open "OUT"
                print(#r, #u, u.x:sum() == 1500000 * 1500001 / 2 + 750000, u.x:var() > 1)
                for line in io.lines "/proc/self/status" do
                    local peak = line:match "^VmHWM:%s*(%d+)"
                    if peak then print(peak) end
                end
            ]]
            local peak = tonumber(text:match "^97%s+1500000%s+true%s+true\n(%d+)\n$")
            assert(peak and (sanitized or peak < 170 << 10), text) -- lun.load takes 183
        end)

        it("is no longer read once the program is interrupted, and leaves no file", function()
            local text = run [[
                local lun = require "lunarray"
                local t, pid = lun.open("PATH", { nrows = 200000 }), io.open("/proc/self/stat"):read "n"
                print(pcall(lun.save, "OUT.part.csv", t:filter(function(r)
                    if r.x == 150000.5 then
                        io.popen("kill -INT " .. pid):close() -- os.execute would leave it unseen
                    end
                    return r.x > 0
                end), { sep = ";" }))
            ]]
            assert.matches("interrupted", text)
            for name in require("lfs").dir(directory) do
                assert.is_nil(name:match "part")
            end
        end)
    end)
end)
