-- What DuckDB's library is asked for, of the version that LUNARRAY_DUCKDB names: duckdb_spec.lua runs this file.
local shell = require "shell"

local na = lun.na

-- The message, the code and what else an error object of lun.sql has.
local function failure(...)
    local ok, problem = pcall(lun.sql, ...)
    assert.is_false(ok)
    return type(problem) == "table" and problem.message or problem, type(problem) == "table" and problem.code or nil, problem
end

-- Whether a text has another one in it.
local function has(text, part)
    assert.is_truthy(text:find(part, 1, true), text)
end

describe("DuckDB", function()
    local folder

    local function path(name) return folder .. "/" .. name end

    before_each(function() folder = shell.scratch() end)
    after_each(function() shell.discard(folder) end)

    -- Has DuckDB write a file of a query's rows.
    local function write(name, query, form)
        lun.sql(("copy (%s) to '%s' (format parquet%s)"):format(query, path(name), form or ""))
        return path(name)
    end

    local function some()
        return lun.table({ i = lun.vector { 1, na, math.mininteger }, x = lun.vector { 0.1, 0 / 0, na },
            s = lun.vector { "a", "", "ü\"'x, and more than twelve" }, b = lun.vector({ true, na, false }, "bool"),
            d = lun.vector { "2024-01-31", na, "1969-12-31" }:cast "date",
            w = lun.vector { "2024-01-31 10:00:00.25", "1969-12-31 23:59:59", na }:cast "timestamp",
            h = lun.duration(lun.vector { 90000.25, -1, na }, "s") }, { "i", "x", "s", "b", "d", "w", "h" })
    end

    it("is out of a sandbox's reach", function()
        assert.equal("nil\tnil\n", (shell.capture(("%s --sandbox -e 'print(lun.sql, lun.load)' 2>&1"):format(shell.interpreter()))))
    end)

    it("is stopped by an interrupt, with the session whole", function()
        local script = shell.write(path "s.lua", "print(pcall(lun.sql, [[select count(*) from range(100000000) a, "
            .. "range(100000) b where a.range * b.range % 17 = 3]]))")
        local said = shell.capture(([[%s %s & pid=$!; %s; kill -INT $pid; wait $pid; echo "status $?"]]):format(
            "timeout -s KILL 60 " .. shell.interpreter(), script, "sleep 1") .. " 2>&1")
        assert.is_nil(said:find("137", 1, true), said)
    end)

    describe("queries", function()
        it("give tables of every type", function()
            local t = lun.sql [[select true as b, (-128)::tinyint as i8, 255::utinyint as u8,
                (-32768)::smallint as i16, 65535::usmallint as u16, 1::integer as i32, 4294967295::uinteger as u32,
                (-9223372036854775808)::bigint as i64, 18446744073709551615::ubigint as u64,
                1.5::float as f32, 'nan'::double as f64, 'é'::varchar as s, date '1969-12-31' as d,
                timestamp '2024-02-29 12:00:00.000001' as us,
                timestamp_s '2024-02-29 12:00:00' as s_, timestamp_ms '2024-02-29 12:00:00.5' as ms,
                timestamp_ns '2024-02-29 12:00:00.25' as ns, timestamptz '2024-02-29 12:00:00+01' as tz, time '23:59:59.5' as t,
                interval '1 day 2 hours' as i, 12.25::decimal(4, 2) as dec,
                (-1234567890.12345)::decimal(30, 5) as wide, (-5)::hugeint as h,
                18446744073709551615::hugeint as hu, 7::uhugeint as uh,
                uuid '00112233-4455-6677-8899-aabbccddeeff' as id, bit '0101' as bits,
                'y'::enum('x', 'y') as e, null as none]]
            assert.same({ "bool", "i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64", "f32", "f64", "text", "date", "timestamp",
                "timestamp", "timestamp", "timestamp", "timestamp", "duration", "duration", "f64", "f64",
                "i64", "u64", "i64", "text", "text", "text" },
                table.move(t:dtypes(), 1, 28, 1, {}))
            local function of(...)
                local list = {}
                for k, name in ipairs { ... } do list[k] = t[name][1] end
                return list
            end
            assert.same({ true, -128, 255, -32768, 65535, 1, 4294967295, math.mininteger, 1.5, "é", "1969-12-31" },
                of("b", "i8", "u8", "i16", "u16", "i32", "u32", "i64", "f32", "s", "d"))
            assert.equal("18446744073709551615", t.u64:cast("text")[1])
            assert.same({ "2024-02-29 12:00:00.000001", "2024-02-29 12:00:00", "2024-02-29 12:00:00.500000", "2024-02-29 12:00:00.250000",
                "2024-02-29 11:00:00", 86399.5, 93600.0 }, of("us", "s_", "ms", "ns", "tz", "t", "i"))
            assert.same({ 12.25, -1234567890.12345, -5, "18446744073709551615", 7 },
                { t.dec[1], t.wide[1], t.h[1], t.hu:cast("text")[1], t.uh[1] })
            assert.same({ "00112233-4455-6677-8899-aabbccddeeff", "0101", "y" }, of("id", "bits", "e"))
            assert.is_true(t.f64[1] ~= t.f64[1] and not t.f64:ismissing()[1] and t.none:ismissing()[1])
        end)

        it("refuse what no column holds, by column and row", function()
            for query, message in pairs {
                ["select 170141183460469231731687303715884105727 as n"] = "column 'n': "
                    .. "170141183460469231731687303715884105727 (row 1) does not fit i64: cast it in the query, n::double or n::varchar",
                ["select x::hugeint as n from (values (18446744073709551615), (-1)) v(x)"] = "column 'n': -1 (row 2) does not fit i64",
                ["select [1, 2] as l"] = "column 'l' is INTEGER[]: unnest(l), or l::varchar",
                ["select [[1], [2]]::int[][2] as l"] = "column 'l' is INTEGER[][2]: unnest(l), or l::varchar",
                ["select {'a': 1} as q"] = "column 'q' is STRUCT: q::varchar",
                ["select map {1: 2} as m"] = "column 'm' is MAP: m::varchar",
                ["select timetz '12:00:00+01' as z"] = "column 'z' is TIME WITH TIME ZONE: z::time, or z::varchar",
                ["select d from (values (date '2024-01-01'), ('infinity')) v(d)"] = "column 'd' is infinity (row 2)",
                ["select '-infinity'::timestamp as w"] = "column 'w' is -infinity (row 1)",
                ["select i from (values (interval 1 day), (interval 3 months)) v(i)"] = "column 'i' has months (row 2)",
                ["select 'ab'::blob as q"] = "column 'q' is BLOB: {blobs = \"hex\"} or \"base64\" makes it text",
                ["select 123456789012345.678::decimal(20, 3) as e"] = "column 'e': 123456789012345.678 (row 1) has more than 15 digits",
                ["select timestamp_ns '2024-01-01 00:00:00.000000001' as w"] = "column 'w': row 1 is no whole microsecond",
                ["select if(range = 5000, chr(0), 'x') as s from range(6000)"] = "row 5001 of 's' holds a NUL byte",
            } do
                local said, code, object = failure(query)
                has(said, message)
                assert.equal("unsupported", code)
                assert.matches("duckdb_cases.lua:%d+$", object.where)
            end
            local t = lun.sql("select 'ab'::blob as q, 123456789012345.678::decimal(20, 3) as e, "
                .. "timestamp_ns '2024-01-01 00:00:00.000000001' as w", nil, nil,
                { blobs = "hex", decimals = "text", nanoseconds = "floor" })
            assert.same({ "6162", "123456789012345.678", "2024-01-01 00:00:00" }, { t.q[1], t.e[1], t.w[1] })
        end)

        it("take tables, of which they see values and gaps", function()
            local t = some()
            assert.is_true(lun.sql("select * from t", { t = t }) == t)
            assert.is_true(lun.sql("from t", { t = t }) == t)
            assert.is_true(lun.sql("select columns('.*') from T", { t = t }) == t)
            assert.same({ 1, na, na }, lun.sql("select if(b, i, null) as q from t", { t = t }).q:totable { missing = na })
            assert.equal(6, lun.sql("select sum(value) as s from v", { v = lun.vector { 1, 2, 3 } }).s[1])
            assert.equal(6, lun.sql("select sum(value) as s from v", { v = { value = { 1, 2, 3 } } }).s[1])
            local joined = lun.sql("select a.k, b.w from a join b on a.k = b.k order by a.k", { a = { k = { 1, 2, 3 } },
                b = lun.table({ k = { 3, 1 }, w = { "three", "one" } }, { "k", "w" }) })
            assert.same({ "one", "three" }, joined.w:totable())
            assert.same({ 1.5, 2.5 }, lun.sql("select value from v", { v = lun.vector({ 1.5, 2.5 }, "bf16") }).value:totable())
            assert.equal(3, #lun.sql("select 1 as one from t", { t = t }))
        end)

        it("read only the columns that they use", function()
            local t = lun.table({ a = lun.index(10), c = lun.index(10) // 0 }, { "a", "c" }) -- whose values cannot be computed
            assert.equal(55, lun.sql("select sum(a) as s from t", { t = t }).s[1])
            assert.equal(10, lun.sql("select count(*) as n from t", { t = t }).n[1])
            assert.is_false((pcall(lun.sql, "select sum(c) as s from t", { t = t })))
            assert.equal(55, lun.sql("select sum(a) as s from t", { t = t }).s[1])
            for _, stream in ipairs { true, false } do -- a column without its name: asked for while the query runs
                assert.equal(10, #lun.sql("select #1 as one from t", { t = t }, nil, { stream = stream }))
                assert.equal(10, #lun.sql("select #1 as one, 'x' || #1 as text from t", { t = t }, nil, { stream = stream }))
            end
        end)

        it("whose rows come one by one leave nothing open where they fail", function()
            for _ = 1, 3 do
                has(failure("select if(range = 5000, chr(0), 'x') as s from range(6000)", nil, nil, { stream = true }), "row 5001 of 's'")
                local _, code = failure("select 'x' as s, error('no') as e", nil, nil, { stream = true })
                assert.equal("sql", code)
                assert.equal(3, #lun.sql("select 'x' || range as s from range(3)", nil, nil, { stream = false }))
            end
        end)

        it("keep the order of rows", function()
            local n = lun.index(1000000)
            assert.is_true(lun.sql("select value from v", { v = n }).value == n)
            assert.is_true(lun.sql("select value from v where value % 3 = 0", { v = n }).value == n:compress((n % 3):eq(0)))
        end)

        it("take little more memory than their columns and the rows of numbers once more", function()
            if (os.getenv "BUILD" or ""):find "[at]san" then return end -- which keeps what is freed
            local script = shell.write(path "m.lua", [[
                local function peak() return io.open "/proc/self/status":read "a":match "VmHWM:%s*(%d+)" * 1024 end
                lun.sql "select count(*) from range(2000000) where range % 7 = 3"
                local before = peak()
                lun.sql(arg[1], nil, nil, arg[2] and { stream = true })
                print(peak() - before)]])
            local function grown(query, rows)
                return tonumber((shell.capture(("%s %s \"%s\" %s"):format(shell.interpreter(), script, query, rows or ""))))
            end
            local numbers = "select range as a, range * 0.5::double as x, (range % 1000)::int as g from range(2000000)"
            local texts = "select range as a, 'text number ' || range % 1000 as s from range(2000000)"
            local bytes = 2000000 * 20
            assert.is_true(grown(numbers) < 2.3 * bytes)
            assert.is_true(grown(numbers, "rows") < 1.5 * bytes + (16 << 20)) -- what DuckDB works with
            assert.is_true(grown(texts, "rows") < 60 << 20)
            if not os.getenv "LUNARRAY_DUCKDB":find "oldest" then -- which does not say that there are texts
                assert.is_true(grown(texts) < 60 << 20)
            end
        end)

        it("take parameters", function()
            local r = lun.sql("select ? as a, ? as b, ? as c, ? as d", nil, { 1, 2.5, "x", true })
            assert.same({ 1, 2.5, "x", true }, { r.a[1], r.b[1], r.c[1], r.d[1] })
            assert.equal(7, lun.sql("select $1 + $2 + $1 as n", nil, { 2, 3 }).n[1])
            assert.equal(5, lun.sql("select $low + $high as n", nil, { low = 2, high = 3 }).n[1])
            assert.is_true(lun.sql("select date '2024-01-05' > ?::date as later", nil, { "2024-01-04" }).later[1])
            assert.is_true(lun.sql("select ? is null as none", nil, { na }).none[1])
            has(failure("select ?, ?", nil, { 1 }), "parameter 2 is missing")
            has(failure("select ?", nil, { 1, 2 }), "1 parameters expected, got 2")
            has(failure("select $a", nil, { a = 1, b = 2 }), "1 parameters expected, got 2")
            has(failure("select ?", nil, { {} }),
                "bad argument #3 to 'sql' (parameter 1 is a table; numbers, booleans, texts and lun.na are bound")
            local said, code = failure("select date '2024-01-05' > ?::date", nil, { "soon" })
            has(said, "soon")
            assert.equal("sql", code)
        end)

        it("are one statement", function()
            assert.equal("one statement expected, got 2", (failure "select 1; select 2"))
            assert.equal("one statement expected, got none", (failure "  -- nothing"))
            local said, code = failure "select * from nope"
            has(said, "DuckDB: Catalog Error: Table with name nope does not exist!")
            assert.equal("sql", code)
            has(failure("select n from t", { t = { name = { 1 } } }), "name")
            assert.is_true((lun.sql "create table made as select range as i from range(3)"))
            assert.equal(2, (select(2, lun.sql "insert into made values (7), (8)")))
            assert.equal(5, #lun.sql("select * from made", { made = { i = { 1 } } })) -- a table of the catalog hides ours
            assert.is_true((lun.sql "drop table made"))
            local t = lun.sql "select 1 as a, 2 as a, 3 as a_2, 4 as a"
            assert.same({ "a", "a_3", "a_2", "a_4" }, t:names())
        end)

        it("know their arguments", function()
            has(failure(7), "bad argument #1 to 'sql' (text expected, got number)")
            has(failure("select 1", 7), "bad argument #2 to 'sql' (tables by name expected, got number)")
            has(failure("select 1", { t = 7 }), "bad argument #2 to 'sql' ('t': table of columns or array expected, got number)")
            has(failure("select 1", { t = { a = { 1 }, b = { 1, 2 } } }), "lengths differ")
            has(failure("select 1", { t = lun.table({ a = { 1 }, A = { 1 } }) }), "are one name in SQL")
            has(failure("select 1", nil, 7), "bad argument #3 to 'sql' (parameters expected, got number)")
            has(failure("select 1", nil, nil, { file = false }),
                "bad argument #4 to 'sql' (unknown option 'file'; known: files, stream, blobs, decimals, nanoseconds)")
            has(failure("select 1", nil, nil, { blobs = "x" }), 'blobs is "x"; "hex", "base64" is expected')
        end)

        it("may be asked inside of a map, a region and another's tables, and not of what is freed", function()
            local function asked(s) return lun.sql("select ? || 'x' as a", nil, { s }).a[1] end
            assert.same({ "ax", "bx" }, lun.vector { "a", "b" }:map(asked):totable())
            assert.equal(1, lun.region("r", function() return lun.sql("select 1 as a").a[1] end))
            local gone = lun.vector { 1.0, 2 }:eval()
            gone:free()
            has(failure("select sum(x) as s from t", { t = { x = gone } }), "attempt to use a freed Vector")
            assert.equal(3, lun.sql("select sum(x) as s from t", { t = { x = { 1, 2 } } }).s[1])
        end)

        it("of strangers reach no file", function()
            local closed = { files = false }
            assert.equal(15, lun.sql("select sum(value) as s from t", { t = lun.index(5) }, nil, closed).s[1])
            for _, query in ipairs { "select * from read_csv('/etc/passwd')", "copy (select 1) to '" .. path "x.csv" .. "'",
                "install excel", "load excel", "attach '" .. path "x.duckdb" .. "'",
                "set threads = 1", "set enable_external_access = true",
                "select * from '/etc/passwd'", "export database '" .. path "x" .. "'" } do
                local _, code = failure(query, nil, nil, closed)
                assert.is_truthy(code, query)
            end
            assert.equal("", (shell.capture("ls " .. folder)))
            lun.sql("create table mine as select 1 as i", nil, nil, closed)
            has(failure("select * from mine", nil, nil, closed), "mine")
        end)

        it("have settings", function()
            local before = lun.sql.config()
            assert.equal(1, lun.sql.config { threads = 1 }.threads)
            has(lun.sql.config { memory = "200MB" }.memory, "190.7 MiB")
            assert.equal(folder, lun.sql.config { temp = folder }.temp)
            assert.is_false(lun.sql.config { temp = false }.temp)
            lun.sql.config { threads = before.threads, memory = "1GB" }
            for opts, message in pairs { [7] = "table of options expected, got number",
                [{ thread = 1 }] = "unknown option 'thread'; known: threads, memory, temp",
                [{ threads = 0 }] = "threads is 0; an integer of at least 1 is expected" } do
                local ok, said = pcall(lun.sql.config, opts)
                assert.is_false(ok)
                has(said, "bad argument #1 to 'config' (" .. message)
            end
        end)
    end)

    describe("Parquet", function()
        it("is a table of chosen columns and rows", function()
            local file = write("a.parquet", "select range::int as i, range / 2 as x, 't' || range % 3 as s from range(10000)")
            local t = assert(lun.load(file))
            assert.same({ { "i", "x", "s" }, { "i32", "f64", "text" }, 10000, "t0" }, { t:names(), t:dtypes(), #t, t.s[10000] })
            t = assert(lun.load(file, { columns = { "s", "i" }, where = "i > 5 -- of them", nrows = 2 }))
            assert.same({ { "s", "i" }, { 6, 7 } }, { t:names(), t.i:totable() })
            assert.same({ "x" }, assert(lun.load(file, { columns = { 2 }, nrows = 1 })):names())
            assert.equal(0, #assert(lun.load(file, { nrows = 0 })))
            local odd = write("b.pq", [[select 1 as "a ""b", 2 as "日本
", 3 as "A b"]])
            assert.same({ 'a "b', "日本\n", "A b" }, assert(lun.load(odd)):names())
            assert.equal(2, assert(lun.load(odd, { columns = { "日本\n" } }))["日本\n"][1])
        end)

        it("has columns of one name, which get numbers as in csv", function()
            local file, names = "tests/spec/doors/parquet_twice.parquet", { "n", "n_3", "m", "n_2", "N" } -- n n m n_2 N, by pyarrow
            for _, read in ipairs { lun.load, lun.open } do
                local t = assert(read(file))
                assert.same({ names, 3, 23, 63, 83 }, { t:names(), t.n:sum(), t.n_3:sum(), t.n_2:sum(), t.N:sum() })
                t = assert(read(file, { columns = { "N", "n_3" }, dtypes = { n_3 = "f64" }, source = "from" }))
                assert.same({ { "N", "n_3", "from" }, "f64", 23.0, file }, { t:names(), t.n_3:dtype(), t.n_3:sum(), t[2].from })
            end
            local none, message, code = lun.load(file, { columns = { "n_1" } })
            assert.same({ nil, "format" }, { none, code })
            has(message, "no column 'n_1'; there are 'n', 'n_3', 'm', 'n_2', 'N'")
            local numbered = write("numbered.parquet", "select 1 as n, 2 as n_1, {'a': 3, 'b': 4} as s")
            assert.same({ "n", "n_1" }, assert(lun.load(numbered, { columns = { "n", "n_1" } })):names())
        end)

        it("of several files is one table, if they agree", function()
            for k, query in ipairs { "select 1::int as i, 'a' as s", "select 'b' as s, 2::int as i", "select 2.5::double as i, 'c' as s",
                "select 4::int as i", "select 5::int as i, 'e' as s, 1 as more" } do
                write(k .. ".parquet", query)
            end
            local t = assert(lun.load { path "1.parquet", path "2.parquet" })
            assert.same({ { 1, 2 }, { "a", "b" } }, { t.i:totable(), t.s:totable() })
            t = assert(lun.load(path "[12].parquet", { source = "file", columns = { "i" } }))
            assert.same({ { "i", "file" }, { path "1.parquet", path "2.parquet" } }, { t:names(), t.file:totable() })
            for k, part in pairs { [3] = "column 'i' is DOUBLE, but INT32 INT_32", [4] = "1 columns, but", [5] = "3 columns, but" } do
                local none, message, code = lun.load { path "1.parquet", path(k .. ".parquet") }
                assert.is_nil(none)
                has(message, part)
                assert.equal("format", code)
            end
            local none, message, code = lun.load(path "x*.parquet")
            assert.same({ nil, 2 }, { none, code })
            has(message, "x*.parquet: no such file")
            write("c[1]*.parquet", "select 7 as i") -- characters of patterns in a name
            assert.equal(7, assert(lun.load(path "c[1]*.parquet")).i[1])
            lun.sql("copy (select 1 as i) to '" .. write("it.parquet", "select 2 as i"):gsub("it%.", "it''s.") .. "'")
            assert.equal(1, assert(lun.load(path "it's.parquet")).i[1])
            assert(os.execute(("mkdir '%s' && cp '%s' '%s'"):format(path "year=2024", path "1.parquet", path "year=2024")))
            assert.same({ "i", "s" }, assert(lun.load(path "year=2024/1.parquet")):names())
        end)

        it("that is damaged, or of other types, is refused", function()
            local function refused(name, ...)
                local t, message, code = lun.load(path(name), ...)
                assert.is_nil(t)
                has(message, path(name))
                return message, code
            end
            local whole = shell.slurp(write("a.parquet", "select range as i, 'text ' || range as s from range(1000)"))
            assert.same({ 2 }, { select(2, refused "none.parquet") })
            for _, size in ipairs { 0, 1, 4, 100, #whole - 1 } do
                shell.write(path "bad.parquet", whole:sub(1, size))
                assert.equal("format", (select(2, refused "bad.parquet")))
            end
            for at = 1, #whole, 97 do -- damage that is not noticed gives other values, and nothing else
                shell.write(path "bad.parquet", whole:sub(1, at - 1) .. "\255" .. whole:sub(at + 1))
                local t, _, code = lun.load(path "bad.parquet")
                assert.is_true(t ~= nil or code ~= nil)
            end
            write("l.parquet", "select 1 as i, [1, 2] as l")
            local said, code = refused "l.parquet"
            has(said, "column 'l' is INTEGER[]: unnest(l), or l::varchar; {columns = ...} leaves it out")
            assert.equal("unsupported", code)
            assert.equal(1, assert(lun.load(path "l.parquet", { columns = { "i" } })).i[1])
            has(refused("a.parquet", { columns = { "q" } }), "no column 'q'; there are 'i', 's'")
            has(refused("a.parquet", { where = "q > 1" }), "DuckDB: Binder Error")
            has(refused("a.parquet", { where = "i >" }), "DuckDB: Parser Error")
            has(refused("a.parquet", { where = "1 = 1; drop table x" }), "one statement expected")
            for opts, message in pairs { [{ sep = "," }] = "unknown option 'sep' for parquet", [{ where = 7 }] = "where is no text of SQL",
                [{ nrows = -1 }] = "nrows is -1" } do
                local ok, text = pcall(lun.load, path "a.parquet", opts)
                assert.is_false(ok)
                has(text, message)
            end
        end)

        it("comes in the dtypes that are wanted", function()
            local file = write("a.parquet", [[select i, i::double / 2 as x, 'n' || i as s, (i * 10)::varchar as t, i % 2 = 0 as b,
                (i / 4.0)::decimal(20, 2) as c, (9007199254740993 + i)::decimal(18, 0) as id, date '2024-01-30' + i::int as d,
                timestamp '2024-01-31 10:00:00' + to_hours(14 * i) as w, '3' || i || '.01.2024' as g, [i] as l, nullif(i, 1) as o
                from range(2) r(i)]])
            local function load(dtypes, opts)
                opts = opts or {}
                opts.dtypes = dtypes
                return lun.load(file, opts)
            end
            local t = assert(load { i = "u8", x = "f32", t = "i32", b = "i8", c = "f64", id = "i64", d = "timestamp",
                g = { "date", "%d.%m.%Y" }, l = "text", o = "bool" })
            assert.same({ "u8", "f32", "text", "i32", "i8", "f64", "i64", "timestamp", "timestamp", "date", "text", "bool" },
                table.move(t:dtypes(), 1, 12, 1, {}))
            assert.same({ 1, 0.5, 10, 0, 0.25, 9007199254740994, "2024-01-31 00:00:00", "2024-01-31", "[1]" },
                { t.i[2], t.x[2], t.t[2], t.b[2], t.c[2], t.id[2], t.d[2], t.g[2], t.l[2] })
            assert.same({ false, na }, t.o:totable { missing = na })
            t = assert(load("text", { columns = { "i", "x", "c", "b" } }))
            assert.same({ "1", "0.5", "0.25", "false" }, { t.i[2], t.x[2], t.c[2], t.b[2] })
            assert.same({ 0, 1e6 }, assert(load({ i = "duration" }, { columns = { "i" } })).i:cast("i64"):totable())
            for dtypes, message in pairs { [{ x = "i64" }] = "row 2: '0.5' is no i64 (column 'x')",
                [{ s = "i64" }] = "row 1: 'n0' is no i64 (column 's')", [{ c = "i32" }] = "row 2: '0.25' is no i32 (column 'c')",
                [{ id = "i32" }] = "row 1: '9007199254740993' is no i32 (column 'id')",
                [{ i = "date" }] = "column 'i' is i64, of which no date is made",
                [{ w = "date" }] = "row 1: '2024-01-31 10:00:00' is no date (column 'w')",
                [{ d = "f64" }] = "column 'd' is date, of which no f64 is made",
                [{ d = { "timestamp", "%Y" } }] = "column 'd' is date, of which no timestamp is made by a format",
                [{ g = { "date", "%m.%d.%Y" } }] = "row 1: '30.01.2024' is no date (column 'g')",
                [{ y = "f64" }] = "dtypes has 'y', but there are the columns 'i', 'x'" } do
                local none, said, code = load(dtypes, { decimals = "text", columns = { "i", "x", "s", "c", "id", "d", "w", "g" } })
                assert.same({ nil, "format" }, { none, code })
                has(said, file .. ": " .. message)
            end
            for dtypes, message in pairs { [{ x = "f80" }] = "dtypes['x'] is \"f80\"; supported", [7] = "dtypes is 7; supported: text bool",
                [{ x = { "date" } }] = "dtypes['x'] is a table" } do
                local ok, said = pcall(load, dtypes)
                assert.is_false(ok)
                has(tostring(said), message)
            end
        end)

        it("has integers exactly or not at all in another dtype", function()
            local ends = { "-9223372036854775808", "-1", "0", "1", "255", "256", "2147483647", "2147483648", "9007199254740993",
                "9223372036854775807", "9223372036854775808", "18446744073709551615" }
            local fits = { i64 = { -0x1p63, 0x1p63 }, u64 = { 0, 0x1p64 }, i32 = { -0x1p31, 0x1p31 }, u8 = { 0, 256 } }
            for _, text in ipairs(ends) do
                for _, from in ipairs { "bigint", "ubigint", "hugeint", "double", "varchar", "decimal(20,0)" } do
                    local ok, file = pcall(write, text .. from .. ".parquet", ("select (%s)::%s as n"):format(text, from))
                    for dtype, range in pairs(ok and from ~= "hugeint" and fits or {}) do
                        local value = from == "double" and ("%.0f"):format(tonumber(text .. ".0")) or text
                        local number = tonumber(value .. ".0") -- rounded: away from 0 at the upper end
                        local inside = number >= range[1] and number < range[2]
                            or value == "9223372036854775807" and dtype ~= "i32" and dtype ~= "u8"
                            or value == "18446744073709551615" and dtype == "u64"
                        local t, said = lun.load(file, { dtypes = { n = dtype } })
                        if inside then
                            assert.equal(value, assert(t, said).n:cast("text")[1])
                        else
                            assert.is_nil(t, text .. " " .. from .. " " .. dtype)
                            has(text .. from .. said, ("is no %s (column 'n')"):format(dtype))
                        end
                    end
                end
            end
        end)

        it("that is encrypted is refused", function()
            local key = ", encryption_config {footer_key: 'k'}"
            lun.sql "pragma add_parquet_key('k', '0123456789112345')"
            if pcall(write, "e.parquet", "select 1 as i", key) then
                assert.is_nil((lun.load(path "e.parquet")))
            end
        end)
    end)

    describe("Parquet", function()
        it("is written, and read again, with every dtype", function()
            local t = some()
            for _, opts in ipairs { {}, { compression = "snappy" }, { compression = "zstd", rows = 2048 }, { compression = "none" } } do
                t.h = lun.duration(lun.vector { 90000.25, 0, na }, "s")
                assert.is_true(lun.save(path "a.parquet", t, opts))
                assert.is_true(assert(lun.load(path "a.parquet")) == t)
            end
            local codec = lun.sql("select any_value(compression) as c from parquet_metadata(?)", nil, { path "a.parquet" })
            assert.equal("UNCOMPRESSED", codec.c[1])
            assert.is_true(lun.save(path "b.pq", t, { columns = { "s", "i" } }))
            assert.same({ "s", "i" }, assert(lun.load(path "b.pq")):names())
            assert.is_true(lun.save(path "c.parquet", lun.index(300000), { rows = 100000 }))
            assert.is_true(assert(lun.load(path "c.parquet")).value == lun.index(300000))
            assert.equal(3, lun.sql("select count(distinct row_group_id) as n from parquet_metadata(?)", nil, { path "c.parquet" }).n[1])
            assert.equal(0, #assert(lun.save(path "d.parquet", t:head(0)) and lun.load(path "d.parquet")))
            lun.sql "create or replace table t as select 1 as other"
            assert.is_true(lun.save(path "e.parquet", { a = { 1, 2 } }) and #lun.load(path "e.parquet") == 2)
            lun.sql "drop table t"
        end)

        it("that cannot be written leaves the old file", function()
            assert.is_true(lun.save(path "a.parquet", { a = { 1 } }))
            local before = shell.slurp(path "a.parquet")
            for value, message in pairs {
                [{ h = lun.duration({ 1, -1 }, "s") }] = "column 'h': row 2: Parquet's intervals are whole "
                    .. "milliseconds from 0 on: cast it to i64",
                [{ h = lun.duration({ 0.0005 }, "s") }] = "column 'h': row 1",
                [7] = "table of columns or array expected, got number", [{}] = "a table without columns",
                [{ a = lun.index(4):reshape(2, 2) }] = "is of rank 1" } do
                local ok, said = pcall(lun.save, path "a.parquet", value)
                assert.is_false(ok)
                has(said, "bad argument #2 to 'save' (")
                has(said, message)
            end
            for opts, message in pairs { [{ compression = "lzo" }] = 'compression is "lzo"', [{ rows = 0 }] = "rows is 0", [{ sep = "," }] =
                "unknown option 'sep' for parquet" } do
                local ok, said = pcall(lun.save, path "a.parquet", { a = { 1 } }, opts)
                assert.is_false(ok)
                has(said, message)
            end
            local none, _, code = lun.save(path "none/a.parquet", { a = { 1 } })
            assert.same({ nil, 2 }, { none, code })
            assert(os.execute(("ln -s /dev/full '%s'"):format(path "full.parquet")))
            none, _, code = lun.save(path "full.parquet", { a = { 1 } })
            assert.same({ nil, "unsupported" }, { none, code })
            assert.equal(before, shell.slurp(path "a.parquet"))
            assert.equal("a.parquet\nfull.parquet\n", (shell.capture("ls -A " .. folder)))
        end)

        it("opened is a source of chains, of which used columns and wanted rows are read", function()
            local file = write("a.parquet", "select i, i % 7 as g, if(i % 5 = 0, null, i / 3) as x, 't' || i % 3 as s, 1 as unused "
                .. "from range(200000) r(i)")
            local t, o = assert(lun.load(file)), assert(lun.open(file))
            local spec = { m = { "mean", "x" }, n = { "count", "x" } }
            local few = o:filter(o.i:gt(1000) & o.s:eq "t1")
            assert.is_true(few:group("g"):agg(spec) == t:filter(t.i:gt(1000) & t.s:eq "t1"):group("g"):agg(spec))
            has(lun.explain(few:group "g"), "3 of 5 columns are read: i, g, s")
            assert.is_true(lun.eval(o) == t)
            assert.same({ 200000, "t1", t.x:sum() }, { #o, o[200000].s, o.x:sum() })
            local other = assert(lun.open(file, { dtypes = { i = "i32", g = "text" } }))
            assert.same({ "i32", "text" }, { other.i:dtype(), other.g:dtype() })
            assert.equal(7, #other:group("g"):agg { n = { "sum", "i" } })
            assert.equal(t.i:sum(), other.i:sum())
            local misfit = assert(lun.open(file, { dtypes = { i = "u16" } }))
            has(tostring(select(2, pcall(function() return misfit.i:sum() end))), "row 65537: '65536' is no u16 (column 'i')")
            local part = assert(lun.open(file, { where = "i >= 199990", columns = { "s", "i" } }))
            assert.same({ { "s", "i" }, 10 }, { part:names(), #part })
            assert.is_true(lun.save(path "b.parquet", few) and #lun.load(path "b.parquet") == #few)
            assert.equal(28571, lun.sql("select count(*) as n from o where g = 3", { o = o }).n[1])
            local both = assert(lun.open { file, file })
            assert.equal(400000, #both)
            local none, message, code = lun.open(path "none.parquet")
            assert.same({ nil, 2 }, { none, code })
            has(message, "none.parquet")
            local a, b = o:parts(60000), o:parts(60000) -- two at a time
            assert.equal(select(2, a()).i[1], select(2, b()).i[1])
        end)

        it("opened has the bits of the same table in memory", function()
            local file = write("a.parquet", "select i % 1000 as g, i as own, sin(i) as x, if(i % 10 = 3, null, cos(i)) as y from "
                .. "range(300000) r(i)")
            local t, o = assert(lun.load(file)), assert(lun.open(file))
            local spec = { a = { "sum", "x" }, b = { "mean", "y" }, c = { "var", "x" }, d = { "min", "y" }, e = { "first", "y" },
                f = { "last", "x" }, k = { "corr", "x", "y" }, h = { "median", "x" }, i = { "prod", "x" }, j = { "count", "y" } }
            assert.is_true(o:group("g"):agg(spec) == t:group("g"):agg(spec))
            assert.is_true(o:agg(spec) == t:agg(spec))
            assert.is_true(o:group("own"):agg { m = { "min", "x" } } == t:group("own"):agg { m = { "min", "x" } })
            for name in ("sum mean var std min max prod"):gmatch "%S+" do
                assert.equal(t.x[name](t.x), o.x[name](o.x))
            end
            assert.equal((t.x * t.y):sum(), (o.x * o.y):sum())
        end)

        it("opened takes the memory of a few parts, whether or not the collector runs", function()
            local file = write("a.parquet", "select i * 0.5::double as x from range(4000000) r(i)") -- 32 MB
            local script = shell.write(path "m.lua", [[
                collectgarbage "stop"
                local o = lun.open(arg[1])
                print(o.x:sum(), lun.stats().peak < 20 << 20, lun.stats().peak)]])
            has(shell.capture(("%s %s '%s' 2>&1"):format(shell.interpreter(), script, file)), "3999999000000.0\ttrue")
        end)
    end)

    describe("databases", function()
        it("are saved into, loaded and asked", function()
            local t, file = some(), path "shop one.duckdb"
            assert.is_true(lun.save(file, t, { table = "days" }))
            assert.is_true(assert(lun.load(file)) == t)
            assert.same({ "f64", "text" }, { lun.load(file, { dtypes = { i = "f64", d = "text" }, columns = { "i", "d" } }):dtypes()[1],
                lun.load(file, { dtypes = "text", columns = { "d" } }):dtypes()[1] })
            assert.same({ "15", "15" }, { lun.load(file, { sql = "select 15::hugeint as n", dtypes = "text" }).n[1],
                lun.load(file, { sql = "select '15' as n", dtypes = { n = "u8" } }).n:cast("text")[1] })
            assert.equal("format", (select(3, lun.load(file, { dtypes = { s = "i64" } }))))
            assert.same({ "ü\"'x, and more than twelve" }, lun.load(file, { columns = { "s" }, where = "i < 0", nrows = 5 }).s:totable())
            assert.equal(2, lun.load(file, { sql = "select count(i) as n from days where i < ?", parameters = { 5 } }).n[1])
            local db = assert(lun.open(file))
            assert.equal(("DuckDB database %s: days"):format(file), tostring(db))
            assert.equal(6, db:sql("select count(*) as n from days, u", { u = { a = { 1, 2 } } }).n[1])
            assert.is_true(db:save("Other \"one", t:head(1)))
            assert.same({ 'Other "one', "days" }, db:tables())
            assert.is_true(db:save("days", t:head(2), { append = true }))
            assert.equal(5, #lun.load(file, { table = "days" })) -- while it is open
            assert.is_true(db:save("days", t:head(2)))
            assert.equal(2, #lun.load(file, { table = "days" }))
            local ok, n = db:sql "delete from days where i = 1"
            assert.same({ true, 1 }, { ok, n })
            local none, message, code = lun.load(file)
            assert.same({ nil, "unsupported" }, { none, code })
            has(message, "the database has the tables 'Other \"one', 'days'")
            db:close()
            db:close()
            assert.equal(("DuckDB database %s, closed"):format(file), tostring(db))
            for _, call in ipairs { "tables", "sql", "save" } do
                local fine, said = pcall(db[call], db, "select 1", t)
                assert.is_false(fine)
                has(said, "the database is closed")
            end
            assert.equal(1, #lun.load(file, { table = "days" }))
            assert.equal("memory", lun.sql("select current_database() as d").d[1])
        end)

        it("that are none, or absent, are refused", function()
            local none, message, code = lun.open(path "none.duckdb")
            assert.same({ nil, 2 }, { none, code })
            has(message, "none.duckdb")
            assert.same({ nil, 2 }, { (lun.load(path "none.duckdb")), (select(3, lun.load(path "none.duckdb"))) })
            for _, bytes in ipairs { "", "text", ("x"):rep(5000), ("x"):rep(8) .. "DUCK" .. ("x"):rep(5000) } do
                shell.write(path "bad.duckdb", bytes)
                none, message, code = lun.open(path "bad.duckdb")
                assert.is_nil(none)
                has(message, "bad.duckdb")
                assert.is_truthy(code)
                assert.is_nil((lun.save(path "bad.duckdb", { a = { 1 } }, { table = "t" })))
                assert.equal(bytes, shell.slurp(path "bad.duckdb"))
            end
            local ok, said = pcall(lun.save, path "a.duckdb", { a = { 1 } })
            assert.is_false(ok)
            has(said, 'table is not given; {table = "orders"} names one in the database')
            ok, said = pcall(lun.load, path "a.duckdb", { sql = "select 1", table = "t" })
            assert.is_false(ok)
            has(said, "sql is a whole query")
        end)

        it("stay whole where a save fails", function()
            local file = path "a.duckdb"
            assert.is_true(lun.save(file, { a = { 1, 2 } }, { table = "t" }))
            local none, _, code = lun.save(file, { b = { "x" } }, { table = "t", append = true })
            assert.same({ nil, "format" }, { none, code })
            assert.same({ 1, 2 }, lun.load(file).a:totable())
        end)
    end)

    describe("sheets and files of other machines", function()
        it("need extensions, which a script installs", function()
            shell.write(path "x.xlsx", "no sheet")
            local none, message, code = lun.load(path "x.xlsx")
            assert.is_nil(none)
            if code == "library" then -- else the extension is there, or this version has none
                assert.equal(path "x.xlsx" .. ": excel is an extension of DuckDB that is not installed: lun.sql \"install excel\" "
                    .. "downloads it from DuckDB's site", message)
                none, message, code = lun.save(path "y.xlsx", { a = { 1 } })
                assert.same({ nil, "library" }, { none, code })
                has(message, 'lun.sql "install excel"')
            end
            assert.equal("x.xlsx\n", (shell.capture("ls -A " .. folder)))
            none, message, code = lun.load "https://127.0.0.1:1/a.parquet?key=1" -- nobody answers
            assert.is_nil(none)
            assert.is_truthy(code)
            has(message, "https://127.0.0.1:1/a.parquet?key=1: ")
        end)

        it("know their options", function()
            local none, _, code = lun.load(path "none.xlsx")
            assert.same({ nil, 2 }, { none, code })
            none, _, code = lun.load "https://127.0.0.1:1/a.exe"
            assert.same({ nil, "unsupported" }, { none, code })
            none, _, code = lun.load("s3://b/a.csv", { sheet = "x" })
            assert.same({ nil, "unsupported" }, { none, code })
            none, _, code = lun.save("https://127.0.0.1:1/a.parquet", { a = { 1 } })
            assert.same({ nil, "unsupported" }, { none, code })
            local ok, said = pcall(lun.load, path "x.xlsx", { sep = "," })
            assert.is_false(ok)
            has(said, "unknown option 'sep' for xlsx")
        end)
    end)
end)
