-- Tables as Arrow's streams: between scripts here, and through the engine and back with pyarrow, polars, pandas, DuckDB
-- and nanoarrow, which compare (arrow_tools.py).
local scenes = require "doors.python_scenes"
local shell = require "shell"

local build = os.getenv "BUILD" or "build"
local na = lun.na

describe("lun.arrow", function()
    local function copied(f)
        local before = lun.stats().bytes_copied
        f()
        return lun.stats().bytes_copied - before
    end

    -- A table of every dtype; missing: with gaps.
    local function every(gaps)
        local function of(list, dtype)
            if gaps then
                list[2] = na
            end
            return lun.vector(list, dtype)
        end
        local columns = { text = of({ "a", "", "a text of more than twelve bytes", "a" }, "text"),
            bool = of({ true, false, true, true }, "bool"), date = of({ "2024-01-05", "1969-12-31", "0001-01-01", "9999-12-31" },
            "date"), timestamp = of({ "2024-01-05 10:00:00.25", "1969-12-31 23:59:59", "2000-01-01", "2000-01-02" }, "timestamp"),
            duration = of({ 1, -2, 3, 4 }, "i64"):cast "duration" }
        for _, dtype in ipairs { "i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64", "f16", "f32", "f64" } do
            columns[dtype] = of({ 1, 2, 3, 100 }, dtype)
        end
        return lun.table(columns)
    end

    it("gives back every dtype", function()
        for _, gaps in ipairs { false, true } do
            local t = every(gaps)
            for _, opts in ipairs { {}, { rows = 3 }, { text = "utf8_view" }, { text = "large_utf8" }, { text = "utf8", rows = 1 } } do
                local u = lun.arrow.import(lun.arrow.export(t, opts))
                assert.is_true(t == u)
                for name, dtype in pairs(t:dtypes()) do
                    assert.equal(dtype, u:dtypes()[name])
                end
            end
            local part = t:rows(2, 3)
            assert.is_true(part == lun.arrow.import(lun.arrow.export(part)))
            local none = t:rows(lun.vector({ false, false, false, false }, "bool"))
            assert.equal(0, #lun.arrow.import(lun.arrow.export(none)))
        end
    end)

    it("copies nothing that is there as Arrow has it #place", function()
        local x = lun.index(1000):cast "f64":eval()
        local gaps = lun.where(lun.index(1000):gt(10), x, na):eval()
        local days = (lun.index(1000):cast "i32"):cast "date":eval()
        local t = lun.table { x = x, gaps = gaps, days = days, small = x:cast "u8":eval(), part = lun.index(2000):eval():sub(1, 1000) }
        t.texts = lun.vector({ "rain", "sun", "a text of more than twelve bytes", na }, "text"):take(lun.index(1000) % 4 + 1)
        lun.eval(t.texts)
        local s
        assert.equal(0, copied(function() s = lun.arrow.export(t) end))
        local u
        local bytes = copied(function() u = lun.arrow.import(s) end)
        assert.is_true(bytes > 0 and bytes <= 1000 * 4 + 60, bytes) -- the texts alone
        assert.is_true(t == u)
        assert.equal(8000, copied(function() lun.arrow.export(lun.index(2000):eval():sub(1, 2000, 2)) end))
        assert.equal(24000, copied(function() lun.arrow.import(lun.arrow.export(lun.concat({ x, x, x }):eval(), { rows = 700 })) end))
        assert.equal(16000, copied(function() lun.arrow.export(t:select "texts", { text = "utf8_view" }) end))
    end)

    it("never writes what came in, and keeps what went out", function()
        local x = lun.vector({ 1, 2, 3 }, "i64")
        local u = lun.arrow.import(lun.arrow.export(x))
        u.value[1] = 50
        assert.same({ 50, 2, 3 }, u.value:totable())
        assert.same({ 1, 2, 3 }, x:totable())
        local v = lun.arrow.import(lun.arrow.export(x)).value
        lun.eval(lun.index(3) * 7, { out = { v } })
        v:put(lun.vector({ 1 }, "i64"), 9)
        assert.same({ 1, 2, 3 }, x:totable())
        local s = lun.arrow.export(x)
        x[1] = 100
        assert.same({ 1, 2, 3 }, lun.arrow.import(s).value:totable())
        local texts = lun.vector { "a", "b", na }
        s = lun.arrow.export(texts)
        for i = 1, 100 do
            texts[3] = ("value %d of more than twelve bytes"):format(i)
        end
        assert.same({ "a", "b", na }, lun.arrow.import(s).value:totable())
        assert.equal("value 100 of more than twelve bytes", texts[3])
        local e = lun.arrow.import(lun.arrow.export(lun.vector({ 1, 2, 3 }, "f64"))).value
        collectgarbage()
        assert.equal(12, (e * 2):sum())
    end)

    it("takes windows, expressions and constants", function()
        local a = lun.index(10)
        for _, x in ipairs { a, a * 2 + 1, a:eval():sub(3, 7), a:eval():sub(1, 9, 2), a:eval():sub(9, 1, -2), lun.full(5, 2.5),
            lun.vector({}, "f32"),
            lun.zeros(1), a:compress(a:gt(4)), lun.vector { "x", "y", "z", na }:sub(2, 4), lun.where(a:gt(4), a, na):sub(2, 8) } do
            assert.is_true(x:eval():equals(lun.arrow.import(lun.arrow.export(x)).value))
        end
    end)

    it("takes the values in use of a pool that has far more", function()
        local list = {}
        for i = 1, 20000 do
            list[i] = ("a text of more than twelve bytes %d"):format(i)
        end
        local part = lun.vector(list):sub(101, 110)
        local u
        assert.is_true(copied(function() u = lun.arrow.import(lun.arrow.export(part)) end) < 1000)
        assert.is_true(part:equals(u.value))
    end)

    it("copies no texts of a csv #place", function()
        local path = os.tmpname()
        local file = assert(io.open(path, "w"))
        file:write "name,few\n"
        for i = 1, 3000 do
            file:write(("a text of more than twelve bytes %d,%s\n"):format(i, i % 2 == 0 and "rain" or ""))
        end
        file:close()
        local t = lun.load(path, { format = "csv" })
        os.remove(path)
        local s
        assert.equal(0, copied(function() s = lun.arrow.export(t) end))
        assert.is_true(t == lun.arrow.import(s))
        local part = t:rows(11, 20)
        assert.equal(10, copied(function() s = lun.arrow.export(part) end)) -- codes of the ten values that it has
        assert.is_true(part == lun.arrow.import(s))
        t.name[1] = "another one"
        assert.is_true(t == lun.arrow.import(lun.arrow.export(t)))
    end)

    it("moves a stream once", function()
        local s <close> = lun.arrow.export(lun.index(3))
        assert.equal("Arrow stream", tostring(s))
        assert.equal("integer", math.type(s:address()))
        lun.arrow.import(s:address())
        assert.equal("Arrow stream, empty", tostring(s))
        assert.has_error(function() lun.arrow.import(s) end,
            "bad argument #1 to 'import' (the stream is empty: it was imported or closed already)")
        local other = lun.arrow.export(lun.index(3))
        other:close()
        other:close()
        assert.error_matches(function() lun.arrow.import(other) end, "the stream is empty")
    end)

    it("names what is wrong", function()
        local function fails(message, f, ...)
            local good, said = pcall(f, ...)
            assert.is_false(good)
            assert.equal(message, (tostring(said):gsub("^[^:]*:%d+: ", "")))
        end
        local t = lun.table { a = lun.index(2) }
        fails("bad argument #1 to 'export' (table of columns or array expected, got number)", lun.arrow.export, 1)
        fails("bad argument #1 to 'export' (table of columns or array expected, got table)", lun.arrow.export, {})
        fails("bad argument to 'export' (column 'value': a column is of rank 1)", lun.arrow.export, lun.zeros(2, 2))
        fails("bad argument to 'export' (column 'value': Arrow has no bf16: cast it to f32)", lun.arrow.export,
            lun.vector({ 1 }, "bf16"))
        fails("column 'r' is of records: give their fields", lun.arrow.export,
            lun.table { r = lun.vector({ { x = 1 }, { x = 2 } }, lun.struct("Spot_of_arrow", { { "x", "f64" } })) })
        fails("bad argument to 'export' (unknown option 'row'; there are rows, text)", lun.arrow.export, t, { row = 1 })
        fails("bad argument to 'export' (option rows: a whole number from 1 on expected)", lun.arrow.export, t, { rows = 0 })
        fails("bad argument to 'export' (option rows: a whole number from 1 on expected)", lun.arrow.export, t, { rows = 1.5 })
        fails("bad argument to 'export' (option text: one of the texts utf8_view large_utf8 utf8 expected)", lun.arrow.export, t,
            { text = "utf16" })
        fails("bad argument #2 to 'export' (table of options expected, got number)", lun.arrow.export, t, 3)
        fails("bad argument #2 to 'export' (unknown option 1)", lun.arrow.export, t, { "x" })
        local s = lun.arrow.export(t)
        fails("bad argument to 'import' (unknown option 'x'; there are blobs, decimals, nanoseconds)", lun.arrow.import, s, { x = 1 })
        fails("bad argument to 'import' (option blobs: one of the texts hex base64 expected)", lun.arrow.import, s, { blobs = "x" })
        assert.is_true(t == lun.arrow.import(s)) -- after failures it is still there
        fails("bad argument #1 to 'import' (stream, or the address of one, expected, got table)", lun.arrow.import, {})
        fails("bad argument #1 to 'import' (stream, or the address of one, expected, got number)", lun.arrow.import, 1.5)
        fails("bad argument #1 to 'import' (no address of an ArrowArrayStream)", lun.arrow.import, 0)
        for _, address in ipairs { 3, 8, -8, math.mininteger, 1 << 60 } do
            fails("bad argument #1 to 'import' (no address of an ArrowArrayStream)", lun.arrow.import, address)
        end
    end)

    it("is out of a sandbox's reach", function()
        assert.equal("nil\n", (shell.capture(("%s/lunarray --sandbox -e 'print(lun.arrow)' 2>&1"):format(build))))
    end)

    if not scenes.there "duckdb nanoarrow pandas polars pyarrow" then
        return
    end
    it("is enough for a host in Python", function()
        assert.equal("{'day': [1, 3], 'rain': [2.0, 5.0]}\n",
            (shell.capture(("%s examples/embed/host.py %s 2>&1"):format(scenes.python, scenes.library))))
    end)
    scenes.tests(it, "agrees with other libraries: ", "arrow_tools.py", { "random_tables", "large_tables", "sliced_and_chunked",
        "other_types", "missing_entry", "addresses", "libraries" })
end)
