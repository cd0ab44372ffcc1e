-- SQLite databases: what Python's sqlite3 wrote (sqlite_made.db, by sqlite_files.py) comes in, what goes out it reads
-- where there is a Python; queries, transactions, and what is refused.
local expect = require "expect"
local shell = require "shell"

local na = lun.na
local MADE = "tests/spec/doors/sqlite_made.db"

if lun.door "sqlite" ~= true then
    print "doors/sqlite: skipped: no SQLite library"
    return
end

describe("SQLite", function()
    local directory

    local function path_of(name) return directory .. "/" .. (name or "t.db") end

    local function message_of(...)
        local t, message, code = lun.load(...)
        assert.is_nil(t)
        return message, code
    end

    before_each(function() directory = shell.scratch() end)
    after_each(function() shell.discard(directory) end)

    local function some()
        return lun.table({ i = lun.vector { 1, na, math.mininteger }, f = lun.vector { 0.1, 0 / 0, -1 / 0 },
            s = lun.vector { "a", "", "ü\"'x" }, b = lun.vector({ true, na, false }, "bool"),
            d = lun.vector { "2024-01-31", na, "1969-12-31" }:cast "date",
            w = lun.vector { "2024-01-31 10:00:00.25", "1969-12-31 23:59:59", na }:cast "timestamp" },
            { "i", "f", "s", "b", "d", "w" })
    end

    it("gives columns by their values", function()
        local t = assert(lun.load(MADE, { table = "kinds" }))
        assert.same({ "i", "f", "mixed", "s", "b", "d", "gone", "big", 'a "b' }, t:names())
        assert.same({ "i64", "f64", "text", "text", "bool", "date", "f64", "i64", "text" }, t:dtypes())
        assert.same({ 1, na, -3 }, t.i:totable { missing = na })
        assert.same({ 0.5, 2.0, na }, t.f:totable { missing = na })
        assert.same({ "1", "two", "2.5" }, t.mixed:totable())
        assert.same({ "x", "", "漢字 and more than twelve bytes" }, t.s:totable())
        assert.same({ true, false, na }, t.b:totable { missing = na })
        assert.same({ math.maxinteger, math.mininteger, 0 }, t.big:totable())
        assert.same({ true, true, true }, t.gone:ismissing():totable())
        assert.equal("text", lun.load(MADE, { table = "kinds", dates = false }).d:dtype())
    end)

    it("takes columns, rows, a query, a view", function()
        local t = lun.load(MADE, { table = "kinds", columns = { "s", "i" }, where = "i is not null", nrows = 1 })
        assert.same({ "s", "i" }, t:names())
        assert.equal(1, #t)
        assert.same({ "x" }, lun.load(MADE, { table = "seen" }).s:totable())
        t = lun.load(MADE, { sql = "select i + ? as j, :n as k, i from kinds where i = 1", parameters = { 2, n = "z", [2] = 5 } })
        assert.same({ 3, "z", 1 }, { t.j[1], t.k[1], t.i[1] })
        t = lun.load(MADE, { sql = "select i + ? as j, i, i as i from kinds where i = 1", parameters = { 2 } })
        assert.same({ "j", "i", "i_2" }, t:names())
        assert.same({ 3 }, t.j:totable())
        assert.equal(0, #lun.load(MADE, { table = "kinds", where = "i > 99" }))
        local name = path_of "d.db"
        assert(lun.save(name, { i = { 1, 2 }, s = { "7", "x" } }, { table = "t" }))
        assert.equal("u8", lun.load(name, { dtypes = { i = "u8" } }).i:dtype())
        assert.same({ nil, name .. ": row 2: 'x' is no i64 (column 's')", "format" }, { lun.load(name, { dtypes = { s = "i64" } }) })
        expect.failure("dtypes['s'] is", lun.load, name, { dtypes = { s = "f80" } })
    end)

    it("refuses with column and row", function()
        assert.matches("column 'x', row 2: this is a blob", (message_of(MADE, { table = "binary_" })))
        assert.same({ "t", "00ff", na }, lun.load(MADE, { table = "binary_", blobs = "hex" }).x:totable { missing = na })
        assert.same({ "t", "AP8=", na }, lun.load(MADE, { table = "binary_", blobs = "base64" }).x:totable { missing = na })
        assert.matches("column 'x', row 2: this is an integer beyond 2^53", (message_of(MADE, { table = "rounded" })))
        assert.matches("column 's', row 1: this is a text that is not UTF%-8", (message_of(MADE, { table = "latin" })))
        assert.matches("column 's', row 1: this is a text that is not UTF%-8, or has a NUL", (message_of(MADE, { table = "nul" })))
        local message, code = message_of(MADE)
        assert.matches("the database has the tables 'binary_', 'kinds', 'latin', 'nul', 'rounded', 'seen'", message)
        assert.equal("unsupported", code)
        assert.matches("no such table: none", (message_of(MADE, { table = "none" })))
        assert.matches("no column 'z'; there are 'n', 'x'", (message_of(MADE, { table = "binary_", columns = { "z" } })))
        assert.equal(2, select(2, message_of(path_of "none.db")))
        shell.write(path_of "text.db", ("no database "):rep(100))
        assert.equal("format", select(2, message_of(path_of "text.db", { table = "x" })))
        expect.failure("unknown option 'sep'", lun.load, MADE, { sep = "," })
        expect.failure("sql is a whole query", lun.load, MADE, { sql = "select 1", table = "x" })
        expect.failure('blobs is neither "hex" nor "base64"', lun.load, MADE, { blobs = true })
        expect.failure("one statement expected, got more", lun.load, MADE, { sql = "select 1; select 2" })
        expect.failure("one statement expected, got none", lun.load, MADE, { sql = " ; " })
        expect.failure("parameter ?1 is missing", lun.load, MADE, { sql = "select ?" })
        expect.failure("0 parameters expected, got 1", lun.load, MADE, { sql = "select 1", parameters = { 1 } })
        expect.failure("parameter 1 is a table", lun.load, MADE, { sql = "select ?", parameters = { {} } })
    end)

    it("writes every dtype, and reads it back", function()
        local t = some()
        assert.same({ true }, { lun.save(path_of(), t, { table = "a \"b" }) })
        local u = assert(lun.load(path_of()))
        assert.same({ 1, na, math.mininteger }, u.i:totable { missing = na })
        assert.same({ 0.1, na, -1 / 0 }, u.f:totable { missing = na }) -- NaN is NULL
        for _, name in ipairs { "s", "b", "d", "w" } do
            assert.is_true(t[name]:equals(u[name]), name)
            assert.equal(t[name]:dtype(), u[name]:dtype())
        end
        assert(lun.save(path_of(), lun.table { x = lun.vector({ 1500000, -1 }, "i64"):cast "duration", y = lun.vector({ 1, 255 }, "u8") },
            { table = "two" }))
        assert.same({ 1500000, -1 }, lun.load(path_of(), { table = "two" }).x:totable())
        expect.failure("column 'x': row 2 is beyond i64", lun.save, path_of(),
            { x = lun.vector({ 1, -1 }, "i64"):cast "u64" }, { table = "x" })
        expect.failure('table is not given', lun.save, path_of(), t)
    end)

    it("replaces one table or adds to it, the others stay", function()
        assert(lun.save(path_of(), { x = { 1, 2 } }, { table = "one" }))
        assert(lun.save(path_of(), { x = { 7 } }, { table = "two" }))
        assert(lun.save(path_of(), { x = { 3 } }, { table = "one", append = true }))
        assert.same({ 1, 2, 3 }, lun.load(path_of(), { table = "one" }).x:totable())
        assert(lun.save(path_of(), { y = { "a" } }, { table = "one" }))
        assert.same({ "y" }, lun.load(path_of(), { table = "one" }):names())
        assert.same({ 7 }, lun.load(path_of(), { table = "two" }).x:totable())
        local ok, message = lun.save(path_of(), { z = { 1 } }, { table = "one", append = true })
        assert.is_nil(ok)
        assert.matches("has no column named z", message)
        assert.same({ "a" }, lun.load(path_of(), { table = "one" }).y:totable())
    end)

    it("leaves the database as it was where a save fails, and no new file", function()
        assert(lun.save(path_of(), { x = { 1 } }, { table = "one" }))
        local db = lun.open(path_of())
        db:sql "create view v as select * from one"
        db:sql "create trigger full before insert on one begin select raise(abort, 'full'); end"
        db:close()
        local before = shell.slurp(path_of())
        assert.is_nil((lun.save(path_of(), { x = { 2 } }, { table = "one", append = true })))
        assert.is_nil((lun.save(path_of(), { x = { 2 } }, { table = "v" })))
        assert.equal(before, shell.slurp(path_of()))
        assert.is_nil((lun.save("/dev/null/x.db", { x = { 2 } }, { table = "v" })))
        assert.is_nil((lun.save(path_of "new.db", { x = { 2 } }, { table = "sqlite_x" })))
        assert.is_nil(io.open(path_of "new.db"))
    end)

    it("opened answers queries over its tables and given ones", function()
        assert(lun.save(path_of(), lun.table { k = lun.vector { 1, 2, 3 }, s = { "a", "b", "c" } }, { table = "one" }))
        local db <close> = assert(lun.open(path_of()))
        assert.equal(("SQLite database %s: one"):format(path_of()), tostring(db))
        assert.same({ "one" }, db:tables())
        local u = lun.table { k = lun.vector { 2, 3 }, x = lun.vector { 0.5, 1.5 }, unused = lun.vector { 1, 2 } }
        local t = db:sql("select s, u.x from one join u on u.k = one.k where x > ? order by s", { u = u }, { 1 })
        assert.same({ "c" }, t.s:totable())
        assert.same({ "one" }, db:tables())
        assert.same({ 4 }, db:sql("select sum(value) + ? as n from v", { v = lun.vector { 1, 2 } }, { 1 }).n:totable())
        assert.same({ true, 3 }, { db:sql "update one set k = k + 1" })
        assert.same({ na }, db:sql("select ? as x", nil, { na }).x:totable { missing = na })
        expect.failure("SQLite: no such column: z", db.sql, db, "select z from one")
        expect.failure("text expected, got nil", db.sql, db)
        expect.failure("tables by name expected", db.sql, db, "select 1", 5)
        expect.failure("'u': table of columns expected", db.sql, db, "select 1 from u", { u = 5 })
        db:close()
        expect.failure("the database is closed", db.sql, db, "select 1")
        expect.failure("the database is closed", db.tables, db)
        assert.matches(", closed$", tostring(db))
        assert.is_nil((lun.open(path_of "none.db")))
    end)

    it("reads virtual tables, and writes where it can", function()
        local name = path_of "v.db"
        assert(lun.save(name, { a = { 1 } }, { table = "t" }))
        local db = assert(lun.open(name))
        if pcall(db.sql, db, "create virtual table v using rtree(id, lo, hi)") then -- a part that a library may lack
            db:sql "insert into v values (1, 0.5, 2)"
            assert.same({ 0.5, 2 }, { lun.load(name, { table = "v" }).lo[1], lun.load(name, { table = "v" }).hi[1] })
        end
        db:close()
        for _, folder in ipairs { "/proc", path_of "none" } do
            assert.same({ nil, folder .. "/x.db: unable to open database file", 5 },
                { lun.save(folder .. "/x.db", { a = { 1 } }, { table = "t" }) })
        end
    end)

    it("reads rows by the hundred thousand", function()
        local n = 150000
        local t = lun.table({ i = lun.index(n), f = lun.index(n) / 7, s = lun.vector { "a", "bb", na }:take(lun.index(n) % 3 + 1) },
            { "i", "f", "s" })
        assert(lun.save(path_of(), t, { table = "t" }))
        assert.is_true(t == lun.load(path_of()))
        local u = lun.load(path_of(), { sql = "select case when i = 140000 then 'x' else i end as m from t" })
        assert.equal("text", u.m:dtype())
        assert.equal("139999", u.m[139999])
    end)

    it("is locked by another connection for a while only", function()
        assert(lun.save(path_of(), { x = { 1 } }, { table = "one" }))
        local other <close> = lun.open(path_of())
        local db <close> = lun.open(path_of())
        other:sql "begin exclusive"
        local ok, message, code = lun.save(path_of(), { x = { 2 } }, { table = "one" })
        assert.is_nil(ok)
        assert.matches("database is locked", message)
        assert.equal(5, code)
        other:sql "commit"
        other:sql "pragma journal_mode = wal"
        other:sql "insert into one values (2)"
        assert.same({ 1, 2 }, lun.load(path_of()).x:totable()) -- what is only in the WAL beside it
        assert.same({ 2 }, db:sql "select count(*) as n from one".n:totable())
    end)

    it("is what it was where a program was killed while it wrote", function()
        local t = lun.table { x = lun.index(100000) }
        assert(lun.save(path_of(), t, { table = "one" }))
        local before = shell.slurp(path_of())
        local db <close> = lun.open(path_of())
        db:sql "pragma cache_size = 1" -- what is changed is written before the transaction ends
        db:sql "begin"
        db:sql "update one set x = -x"
        local left = path_of "left.db"
        assert(os.execute(("cp '%s' '%s' && cp '%s-journal' '%s-journal'"):format(path_of(), left, path_of(), left)))
        db:sql "rollback"
        assert.is_false(before == shell.slurp(left))
        assert.is_true(lun.load(left) == t)
        assert.equal(before, shell.slurp(left))
        assert.is_nil(io.open(left .. "-journal"))
    end)

    it("is read by Python as it went out", function()
        local function tell(...)
            local pipe = io.popen(("python3 tests/spec/doors/sqlite_files.py tell '%s' '%s' 2>&1"):format(...))
            local text = pipe:read "a"
            return pipe:close() and text
        end
        assert(lun.save(path_of(), some(), { table = "t" }))
        local text = tell(path_of(), "t")
        if not text then
            print "doors/sqlite: skipped: no Python with sqlite3"
            return
        end
        assert.equal("['i', 'f', 's', 'b', 'd', 'w'] ['INTEGER', 'REAL', 'TEXT', 'BOOLEAN', 'DATE', 'TIMESTAMP']\n"
            .. "1 0.1 'a' 1 '2024-01-31' '2024-01-31 10:00:00.250000'\nNone None '' None None '1969-12-31 23:59:59'\n"
            .. "-9223372036854775808 -inf 'ü\"\\'x' 0 '1969-12-31' None\n", text)
    end)
end)
