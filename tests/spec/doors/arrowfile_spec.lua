-- Arrow's files and streams of bytes: those of pyarrow, pandas and polars (arrowfiles, by arrowfile_make.py), our own,
-- damaged ones, and random ones where these programs are there (arrowfile_tools.py).
local damage = require "doors.arrow_damage"
local scenes = require "doors.python_scenes"
local shell = require "shell"

local build = os.getenv "BUILD" or "build"
local na = lun.na
local FILES = "tests/spec/doors/arrowfiles/"
local LONG = "a text of more than twelve bytes, é 日本"

-- A folder for the tests, and what becomes of one.
local folder
local function path(name)
    return folder .. "/" .. name
end

local function bytes_of(name)
    local file <close> = assert(io.open(name, "rb"))
    return file:read "a"
end

local function write(name, bytes)
    local file <close> = assert(io.open(name, "wb"))
    file:write(bytes)
    return name
end

describe("Arrow files", function()
    setup(function()
        folder = os.tmpname()
        os.remove(folder)
        assert(os.execute("mkdir " .. folder))
    end)
    teardown(function() os.execute("rm -r " .. folder) end)

    -- A table with every dtype; gaps: with missing elements.
    local function every(gaps)
        local columns = {}
        local function add(name, list, dtype)
            if gaps then
                list[2] = na
            end
            columns[name] = dtype == "duration" and lun.vector(list, "i64"):cast(dtype) or lun.vector(list, dtype)
        end
        for _, dtype in ipairs { "i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64", "f16", "f32", "f64" } do
            add(dtype, { 1, 2, 3, 100 }, dtype)
        end
        add("bool", { true, false, true, true }, "bool")
        add("text", { "", "b", LONG, "b" }, "text")
        add("date", { "0001-01-01", "1969-12-31", "2024-01-05", "9999-12-31" }, "date")
        add("timestamp", { "1969-12-31 23:59:59.25", "2000-01-01", "2000-01-02", "2000-01-03" }, "timestamp")
        add("duration", { -1, 2, 3, 4 }, "duration")
        return lun.table(columns)
    end

    local FORMS = { {}, { compression = "none" }, { compression = "lz4" }, { compression = "zstd" }, { text = "utf8" },
        { text = "dictionary" }, { text = "dictionary", compression = "lz4" } }

    it("give back every dtype", function()
        for _, gaps in ipairs { false, true } do
            local t = every(gaps)
            for _, extension in ipairs { "arrow", "feather", "ipc", "arrows" } do
                for _, opts in ipairs(FORMS) do
                    local name = path("t." .. extension)
                    assert.is_true(lun.save(name, t, opts))
                    local u = assert(lun.load(name))
                    assert.is_true(t == u)
                    assert.is_true(t == lun.open(name))
                    for _, column in ipairs(t:names()) do
                        assert.equal(t[column]:dtype(), u[column]:dtype())
                    end
                end
            end
            for _, rows in ipairs { t:rows(2, 3), t:rows(lun.vector({ false, false, false, false }, "bool")) } do
                lun.save(path "t.arrow", rows)
                assert.is_true(rows == lun.load(path "t.arrow"))
            end
        end
    end)

    it("hold batches of 65536 rows", function()
        for _, n in ipairs { 65535, 65536, 65537, 140000 } do
            local i = lun.index(n):eval()
            local t = lun.table { i = i, gaps = lun.where((i % 3):gt(0), i / 2, na), bits = (i % 5):eq(0),
                s = lun.vector({ "a", LONG, na }, "text"):take(i % 3 + 1) }
            for _, opts in ipairs { {}, { compression = "zstd", text = "dictionary" } } do
                assert.is_true(lun.save(path "t.arrow", t, opts))
                assert.is_true(t == lun.load(path "t.arrow"))
                assert.is_true(t:rows(65000, n) == lun.load(path "t.arrow"):rows(65000, n))
            end
            assert.is_true(t:rows(1, 65537 < n and 65537 or n) == lun.load(path "t.arrow", { nrows = 65537 }))
        end
    end)

    it("are those of pyarrow, pandas and polars", function()
        local function column(values, dtype)
            local function or_na(x)
                return x == nil and na or x
            end
            return lun.vector({ or_na(values[1]), na, or_na(values[2]) }, dtype)
        end
        local expected = lun.table({ i8 = column({ -128, 127 }, "i8"), u64 = column({ 0, -1 }, "i64"):cast "u64",
            f16 = column({ 1.5, -2.0 }, "f16"), f32 = column({ 0.1, math.huge }, "f32"), f64 = column({ 0 / 0, -0.0 }, "f64"),
            bool = column({ true, false }, "bool"), text = column({ "", LONG }, "text"), large = column({ LONG, "b" }, "text"),
            view = column({ LONG, "b" }, "text"), date = column({ "0001-01-01", "9999-12-31" }, "date"),
            ms = column({ "1969-12-31 23:59:59.25", "1969-12-31 23:59:59.25" }, "timestamp"),
            us = column({ "1969-12-31 23:59:59.25", "1969-12-31 23:59:59.25" }, "timestamp"),
            time = column({ 3723000000 }, "i64"):cast "duration", duration = column({ -1000000, 0 }, "i64"):cast "duration",
            null = column({}, "f64"), decimal = column({ 1.25, -0.01 }, "f64") })
        for _, name in ipairs { "pyarrow.arrow", "pyarrow-batches.arrow", "pyarrow-zstd.arrow", "pyarrow-lz4.arrows",
            "pyarrow-v4.arrows" } do
            local t = assert(lun.load(FILES .. name))
            for _, column_name in ipairs(t:names()) do
                assert.equal(expected[column_name]:dtype(), t[column_name]:dtype(), name .. column_name)
                assert.is_true(expected[column_name]:equals(t[column_name]), name .. column_name)
            end
            assert.equal(name == "pyarrow-v4.arrows" and 15 or 16, #t:names())
            assert.is_true(1 / t.f64[3] < 0)
        end
        local small = lun.table { n = lun.vector({ 1, 2, 3 }, "i64"), s = column({ "a", LONG }, "text"), x = column({ 0.5, 2.5 }) }
        assert.is_true(small:select("n", "s", "x") == lun.load(FILES .. "pandas.feather"))
        assert.is_true(small:select("n", "s", "x") == lun.load(FILES .. "polars.ipc"))
        assert.is_true(small:select("n", "s", "x") == lun.open(FILES .. "polars.ipc"))
    end)

    it("have dictionaries that are replaced or grow", function()
        assert.same({ "x", "y", na, LONG, "x", na, "z" }, lun.load(FILES .. "replaced.arrows").d:totable())
        assert.same({ "x", "y", na, LONG, "x" }, lun.load(FILES .. "grown.arrow").d:totable())
        assert.same({ "x", "y", na, LONG }, lun.load(FILES .. "grown.arrow", { nrows = 4 }).d:totable())
        local t = lun.load(FILES .. "grown.arrows")
        assert.is_true(lun.vector({ 0.5, na, 2.5, na, 0.5 }):equals(t.f))
        assert.same({ true, false, na, false, true }, t.b:totable())
        assert.same({ "p", LONG, LONG .. "!", LONG, "p" }, t.v:totable())
        assert.same({ "p", na, LONG, na, "p" }, t.u:totable())
    end)

    it("take columns and rows", function()
        local t = lun.load(FILES .. "pyarrow.arrow", { columns = { "text", 1 }, nrows = 2 })
        assert.same({ { "text", "i8" }, 2 }, { t:names(), #t })
        assert.same({ "", na }, t.text:totable())
        assert.equal(0, #lun.load(FILES .. "pyarrow.arrow", { nrows = 0 }))
        local nested = FILES .. "nested.arrow"
        local said = select(2, lun.load(nested))
        assert.equal(nested .. ": column 'tags' is list<int64>: unnest it first; {columns = ...} leaves it out", said)
        local u = lun.load(nested, { columns = { "n", "s", "v" } })
        assert.same({ { 1, 2 }, { "a", "b" }, { "c", LONG } }, { u.n:totable(), u.s:totable(), u.v:totable() })
        assert.same({ "00ff", "" }, lun.load(nested, { columns = { "blob" }, blobs = "hex" }).blob:totable())
        assert.same({ "AP8=", "" }, lun.open(nested, { blobs = "base64" }).blob:totable())
        local part = lun.open(nested)
        assert.equal("b", part.s[2])
        assert.error_matches(function() return part.point end, "column 'point' is struct<int64, string>: unnest it first")
        assert.same({ "x", "x_2", "c3" }, lun.load(FILES .. "twice.arrow"):names())
        assert.same({ "i8", "text", "view" }, lun.load(FILES .. "none.arrow"):names())
        assert.same({}, lun.load(FILES .. "empty.arrow"):names())
    end)

    it("are one table where they are several", function()
        local t = every(true)
        lun.save(path "part-1.arrow", t:rows(1, 3))
        lun.save(path "part-2.arrows", t:rows(4, 4))
        lun.save(path "part-3.feather", t)
        assert.is_true(t == lun.load { path "part-1.arrow", path "part-2.arrows" })
        local u = lun.load(path "part-*.*", { format = "arrow", source = "from", nrows = 5 })
        assert.same({ path "part-1.arrow", path "part-1.arrow", path "part-1.arrow", path "part-2.arrows", path "part-3.feather" },
            u.from:totable())
        lun.save(path "part-2.arrows", t:select("i8", "text"))
        assert.equal(path "part-2.arrows" .. ": 2 columns, but " .. path "part-1.arrow" .. " has 16",
            select(2, lun.load { path "part-1.arrow", path "part-2.arrows" }))
        lun.save(path "part-2.arrows", lun.table { a = t.i8 })
        lun.save(path "part-1.arrow", lun.table { a = t.i16 })
        assert.equal(path "part-2.arrows" .. ": column 'a' is i8, but i16 in " .. path "part-1.arrow",
            select(2, lun.load { path "part-1.arrow", path "part-2.arrows" }))
        assert.equal(path "none-*.arrow" .. ": no such file", select(2, lun.load(path "none-*.arrow")))
    end)

    it("stay where they are when opened #place", function()
        local n = 20000
        local t = lun.table { x = lun.index(n) / 4, gaps = lun.where((lun.index(n) % 2):gt(0), lun.index(n), na) }
        lun.save(path "t.arrow", t)
        local u = lun.open(path "t.arrow")
        lun.stats "reset"
        assert.equal((lun.index(n) / 4):sum(), u.x:sum())
        assert.is_true(lun.stats().bytes_copied == 0)
        assert.is_true(t == u)
        u.x[1] = 50
        assert.equal(0.25, lun.open(path "t.arrow").x[1])
        assert.same({ nil, path "nothing.arrow" .. ": No such file or directory", 2 }, { lun.open(path "nothing.arrow") })
        local v = lun.open(path "t.arrow")
        os.execute(("sleep 0.01; touch -d 2001-01-01 %s"):format(path "t.arrow"))
        assert.error_matches(function() return v.gaps end, "the file has changed since it was opened")
    end)

    it("are taken from arrays, lists and handles", function()
        lun.save(path "t.arrow", lun.index(3) * 2)
        assert.same({ 2, 4, 6 }, lun.load(path "t.arrow").value:totable())
        lun.save(path "t.arrows", { b = { "x", "y" }, a = lun.vector { 1, 2 } })
        local t = lun.load(path "t.arrows")
        assert.same({ { "x", "y" }, { 1, 2 } }, { t.b:totable(), t.a:totable() })
        local file = assert(io.open(path "t.arrows", "rb"))
        assert.is_true(t == lun.load(file, { format = "arrows" }))
        file:close()
        os.rename(path "t.arrows", path "t.data")
        assert.is_true(t == lun.load(path "t.data", { format = "arrow" }))
        assert.is_true(lun.save(path "t.data", t, { format = "arrows", columns = { "b" } }))
        assert.same({ "b" }, lun.load(path "t.data", { format = "arrow" }):names())
    end)

    it("name what is wrong with a call", function()
        local function fails(message, f, ...)
            local good, said = pcall(f, ...)
            assert.is_false(good)
            assert.equal(message, (tostring(said):gsub("^[^:]*:%d+: ", "")))
        end
        local t, name = lun.table { a = lun.index(2), r = lun.index(2) }, path "kept.arrow"
        assert(lun.save(name, t))
        fails("bad argument #3 to 'save' (unknown option 'rows' for arrow; known: columns, compression, format, text)", lun.save,
            name, t, { rows = 1 })
        fails([[bad argument #3 to 'save' (compression is "gzip"; "none", "lz4", "zstd" is expected)]], lun.save, name, t,
            { compression = "gzip" })
        fails([[bad argument #3 to 'save' (text is 3; "utf8", "dictionary" is expected)]], lun.save, name, t, { text = 3 })
        fails("bad argument #2 to 'save' (no column 'b')", lun.save, name, t, { columns = { "b" } })
        fails("bad argument #2 to 'save' (table of columns or array expected, got number)", lun.save, name, 3)
        fails("bad argument #2 to 'save' (column 'x' is a number: a column is an array or a list)", lun.save, name, { x = 1 })
        fails("bad argument #2 to 'save' (column 'value': a column is of rank 1)", lun.save, name, lun.zeros(2, 2))
        fails("bad argument #2 to 'save' (column 'value': Arrow has no bf16: cast it to f32)", lun.save, name,
            lun.vector({ 1 }, "bf16"))
        fails("bad argument #2 to 'save' (column 'r' is of records: give their fields)", lun.save, name,
            lun.table { r = lun.vector({ { x = 1 }, { x = 2 } }, lun.struct("Spot_of_arrow_file", { { "x", "f64" } })) })
        local known = "known: blobs, columns, decimals, format, nanoseconds, nrows, source"
        fails(("bad argument #2 to 'load' (unknown option 'sep' for arrow; %s)"):format(known), lun.load, name, { sep = ";" })
        fails([[bad argument #2 to 'load' (blobs is "x"; "hex", "base64" is expected)]], lun.load, name, { blobs = "x" })
        fails("bad argument #2 to 'load' (nrows is -1; an integer of at least 0 is expected)", lun.load, name, { nrows = -1 })
        fails([[bad argument #2 to 'load' (format is not "csv", "json", "jsonl", "arrow" or "arrows"; other files go by their names)]],
            lun.load, name, { format = "parquet" })
        fails(("bad argument #2 to 'open' (unknown option 'where' for arrow; %s)"):format(known), lun.open, name, { where = "a > 1" })
        assert.same({ nil, name .. ": no column 'b'; there are 'a', 'r'", "format" }, { lun.load(name, { columns = { "b" } }) })
        assert.same({ nil, name .. ": source names the column 'a', which the file has", "format" },
            { lun.load(name, { source = "a" }) })
        assert.is_true(t == lun.load(name)) -- what failed left it
        local said = { lun.save("/dev/full", t, { format = "arrow" }) }
        assert.same({ nil, "/dev/full: No space left on device", 28 }, said)
    end)

    it("name what is wrong with a file", function()
        local function fails(bytes, message, code)
            local name = write(path "bad.arrow", bytes)
            assert.same({ nil, name .. ": " .. message, code }, { lun.load(name) })
            assert.same({ nil, name .. ": " .. (bytes == "" and "not a regular file; use lun.load" or message),
                bytes == "" and "unsupported" or code }, { lun.open(name) })
        end
        local good, stream = bytes_of(FILES .. "pyarrow.arrow"), bytes_of(FILES .. "pyarrow-lz4.arrows")
        fails("", "the file is empty", "short")
        fails("a,b\n1,2\n3,4\n5,6\n", "no file or stream of Arrow's", "format")
        fails("FEA1" .. ("\0"):rep(40) .. "FEA1", "a Feather file of version 1: convert it, as by "
            .. "pyarrow.feather.write_feather(t, path, version=2)", "unsupported")
        fails(good:sub(1, -2), "the file is cut short: it does not end as files of Arrow's do", "short")
        fails(stream:sub(1, -9), "the stream is cut short: it has no mark of its end", "short")
        fails(stream .. "xyz", "3 bytes are behind the end of the stream", "long")
        local replaced = bytes_of(FILES .. "replaced.arrows")
        local first = replaced:find("\255\255\255\255", 5, true)
        local second = replaced:find("\255\255\255\255", first + 1, true)
        local missing = replaced:sub(1, first - 1) .. replaced:sub(second)
        local name = write(path "bad.arrow", missing)
        assert.same({ nil, name .. ": column 'd': its dictionary is missing", "format" }, { lun.load(name) })
        name = write(path "bad.arrow", (good:gsub("twelve", "twelv\255")))
        assert.same({ nil, name .. ": column 'text': row 3 is not UTF-8 text", "format" }, { lun.load(name) })
    end)

    it("are an error or a table where bytes are cut or changed", function()
        assert.is_true(damage.try(folder, 23) > 1500)
    end)

    it("are out of a sandbox's reach", function()
        assert.equal("nil\tnil\tnil\n", (shell.capture(("%s/lunarray --sandbox -e 'print(lun.load, lun.save, lun.open)' 2>&1"):format(
            build))))
    end)

    if scenes.there "duckdb nanoarrow pandas polars pyarrow" then
        scenes.tests(it, "agree with other programs: ", "arrowfile_tools.py", { "random_files", "other_writers", "large_files", "pipes" },
            function() return build .. "/lunarray " .. folder end)
    end
end)
