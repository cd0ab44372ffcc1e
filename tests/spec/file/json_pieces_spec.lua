-- JSON read in pieces on several threads: pieces of any size give what one piece gives, and the first fault of the file;
-- columns chosen by name, rows at most, several files, gzip data, pipes; what lun.save writes.
local expect = require "expect"
local lun = require "lunarray"
local shell = require "shell"

local json = require "lunarray.format.json"

local directory
local na = lun.na

local function path_of(name) return directory .. "/" .. name end

local function write(text, name)
    return shell.write(path_of(name or "t.jsonl"), text)
end

local function generator(seed)
    return function(n)
        seed = (seed * 6364136223846793005 + 1442695040888963407)
        return (seed >> 33) % n + 1
    end
end

setup(function() directory = shell.scratch() end)
teardown(function() shell.discard(directory) end)
after_each(function() json.piece = nil end)

-- All that reading a file in pieces of that size gives, as one text.
local function reading(path, piece, opts)
    json.piece = piece
    local t, message, code = lun.load(path, opts)
    if not t then
        return message .. " " .. code
    end
    return table.concat(t:names(), ",") .. table.concat(t:dtypes(), ",") .. #t .. lun.json.encode(t)
end

describe("JSON in pieces", function()
    local SCALARS = { "1", "-7", "2.5", "null", "9007199254740993", '"x"', '"a text of more than twelve bytes"', '"\\u00e9\\n"',
        '"2024-01-05"', "true", "false", "18446744073709551615", "{}", "[1,2]", "1e3", "01", '"\\ud800"', "\"\1\"", "nul" }

    -- An object of a few of five keys; sound: with values that fit their columns.
    local function row(random, sound)
        local fields = {}
        for k, key in ipairs { "a", "b", "c", "d", "e" } do
            if random(4) > 1 then
                local x = random(40) == 1 and not sound and SCALARS[random(#SCALARS)]
                    or random(6) == 1 and "null"
                    or ({ tostring(random(1000) - 500), '"t' .. random(300) .. '"', random(2) == 1 and "true" or "false",
                        ("%.3f"):format(random(1000) / 7), '"2024-01-' .. ("%02d"):format(random(28)) .. '"' })[k]
                fields[#fields + 1] = '"' .. key .. '":' .. (random(5) == 1 and " " or "") .. x
            end
        end
        return "{" .. table.concat(fields, ",") .. "}"
    end

    it("is what it is in one, its first fault included", function()
        local random = generator(3)
        local faults, tables = 0, 0
        for case = 1, 300 do
            local rows = {}
            for i = 1, random(60) do
                rows[i] = row(random, case % 3 == 0)
            end
            local lines = write(table.concat(rows, random(2) == 1 and "\n" or "\r\n\n"))
            local whole = reading(lines, 1 << 20)
            for _, piece in ipairs { 1, 7, 64, 500 } do
                assert.equal(whole, reading(lines, piece))
            end
            faults = faults + (whole:find " line %d" and 1 or 0)
            tables = tables + (whole:find " line %d" and 0 or 1)
        end
        assert(faults > 50 and tables > 100)
    end)

    it("is the same table in lines and in a list of megabytes", function()
        local random = generator(4)
        local rows = {}
        for i = 1, 20000 do
            rows[i] = row(random, true)
        end
        local t = assert(lun.load(write(table.concat(rows, "\n"))))
        local u = assert(lun.load(write("[" .. table.concat(rows, ",\n") .. "]\n", "t.json")))
        assert.is_true(t == u)
        assert.same({ "i64", "text", "bool", "f64", "date" }, t:select { "a", "b", "c", "d", "e" }:dtypes())
        assert(lun.save(path_of "u.json", t, { form = "columns" }))
        assert.is_true(t == lun.load(path_of "u.json"))
    end)

    it("names the line of a fault far down, in lines, a list and an object of lists", function()
        local rows = {}
        for i = 1, 50000 do
            rows[i] = '{"a":' .. i .. ',"b":"x"}'
        end
        rows[45000] = '{"a":"x","b":"x"}'
        rows[47000] = '{"a":01,"b":"x"}'
        local message = select(2, lun.load(write(table.concat(rows, "\n"))))
        assert.matches("t.jsonl: line 45000, column 6: column 'a' is a number before and a text here", message)
        message = select(2, lun.load(write("[\n" .. table.concat(rows, ",\n") .. "]", "t.json")))
        assert.matches("t.json: line 45001, column 6: column 'a' is a number before and a text here", message)
        rows[45000] = '{"a":1,"b":"x"}'
        message = select(2, lun.load(write("[\n" .. table.concat(rows, ",\n") .. "]", "t.json")))
        assert.matches("t.json: line 47001, column 6: a number has no 0", message)
        message = select(2, lun.load(write('{"a":[1,\n2,\n"x"]}', "t.json")))
        assert.matches("t.json: line 3, column 1: column 'a' is a number before and a text here", message)
    end)

    it("names the line of a fault in a million", function()
        local rows = {}
        for i = 1, 1000000 do
            rows[i] = '{"a":' .. i .. "}"
        end
        rows[900000] = '{"a":"x"}'
        local none, message, code = lun.load(write(table.concat(rows, "\n")))
        assert.same({ nil, "format" }, { none, code })
        assert.matches("t.jsonl: line 900000, column 6: column 'a' is a number before and a text here", message, 1, true)
        rows[900000] = '{"a":7}'
        assert.same({ 1000000, 900000, 7 }, { #rows, lun.load(write(table.concat(rows, "\n"))).a[1000000] - 100000,
            lun.load(path_of "t.jsonl").a[900000] })
    end)

    it("reads a line of 100 MB", function()
        local long = ("0123456789"):rep(10 << 20)
        local t = assert(lun.load(write('{"a":1,"b":"y"}\n{"a":2,"b":"' .. long .. '"}\n{"a":3,"b":"z"}\n')))
        assert.same({ 1, 2, 3 }, t.a:totable())
        assert.is_true(long == t.b[2])
        local none, message = lun.load(write('{"a":1,"b":"y"}\n{"a":2,"b":"' .. long .. "\n"))
        assert.is_nil(none)
        assert.matches("t.jsonl: line 2, column", message, 1, true)
        os.remove(path_of "t.jsonl")
    end)

    it("reads a line of megabytes among others", function()
        local long = ("x"):rep(3 << 20)
        local t = assert(lun.load(write('{"a":1,"b":"y"}\n{"a":2,"b":"' .. long .. '"}\n{"a":3,"b":"z"}\n')))
        assert.same({ 1, 2, 3 }, t.a:totable())
        assert.equal(long, t.b[2])
        assert.equal("z", t.b[3])
    end)

    it("has 10,000 columns", function()
        local fields = {}
        for k = 1, 10000 do
            fields[k] = ('"k%d":%d'):format(k, k)
        end
        local line = "{" .. table.concat(fields, ",") .. "}\n"
        local t = assert(lun.load(write(line .. "{}\n" .. line)))
        assert.equal(10000, #t:names())
        assert.same({ 10000, na, 10000 }, t.k10000:totable { missing = na })
    end)

    it("refuses what no form has", function()
        local function message(text, name) return (select(2, lun.load(write(text, name))):gsub("^[^:]*: ", "")) end
        assert.equal("line 1, column 1: a list of objects, or an object of lists of one length, is expected", message("1", "t.json"))
        assert.equal("line 1, column 2: an object is expected: a row is one", message("[1]", "t.json"))
        assert.equal("line 1, column 11: no comma stands before the end of an object or list", message('[{"a":1}  ,]', "t.json"))
        assert.equal("line 1, column 10: text behind the end of the value", message('[{"a":1}]x', "t.json"))
        assert.equal("line 1, column 9: the text ends within a value", message('[{"a":1}', "t.json"))
        assert.matches("^line 1, column 6: a list is expected: in an object of columns", message('{"a":1}', "t.json"))
        assert.equal("line 1, column 12: the lists of an object of columns have one length",
            (message('{"a":[1],\n"b":[1,2]}', "t.json"):gsub("line 2, column 1", "line 1, column 12")))
        assert.equal("line 1, column 6: the line ends within an object; a line of such a file has a whole one", message '{"a":\n1}')
        assert.equal("line 1, column 9: text behind the end of the value", message '{"a":1} {"a":2}')
        assert.equal("line 1, column 8: the key 'a' is in this object already", message '{"a":1,"a":null}')
        assert.equal("line 1, column 15: the key 'a' is in this object already", message '{"\\u0061":null,"a":1}' :gsub("16", "15"))
        assert.matches("line 1, column 7: \\u0000, which no text of a column has", message '{"a":"\\u0000"}')
        assert.equal("line 1, column 8: a control character in a text; it is written as an escape, such as \\n or \\u0001",
            message '{"a":"x\0"}')
        assert.equal("line 2, column 7: not UTF-8", message '{"a":"é"}\n{"a":"\xc3("}')
        assert.equal("line 1, column 1: not UTF-8", message '\255\254{\0"\0')
    end)
end)

describe("options of lun.load for JSON", function()
    local TEXT = '{"a":1,"b":"x","d":"05.01.2024"}\n{"a":2,"b":"y","d":"06.01.2024"}\n{"a":300,"c":2}\n'

    it("columns and nrows", function()
        local path = write(TEXT)
        assert.same({ "c", "a" }, lun.load(path, { columns = { "c", "a" } }):names())
        local t = lun.load(path, { nrows = 2 })
        assert.same({ "a", "b", "d" }, t:names())
        assert.equal(2, #t)
        assert.equal(0, #lun.load(path, { nrows = 0 }))
        assert.equal(2, #lun.load(write '{"a":1}\n{"a":2}\n{"a":"x"', { nrows = 2 }))
        json.piece = 1
        assert.equal(2, #lun.load(write '{"a":1}\n{"a":2}\n{"a":"x"', { nrows = 2 }))
        write(TEXT)
        assert.matches("no column 'z'", (select(2, lun.load(path, { columns = { "z" } }))))
        assert.matches("dtypes has 'z', but there are the columns 'a'", (select(2, lun.load(path, { dtypes = { z = "f64" } }))))
    end)

    it("dtypes", function()
        local path = write(TEXT)
        local t = lun.load(path, { dtypes = { a = "i16", c = "f32", d = { "date", "%d.%m.%Y" } } })
        assert.same({ "i16", "text", "date", "f32" }, t:dtypes())
        assert.same({ "2024-01-05", "2024-01-06", na }, t.d:cast "text":totable { missing = na })
        local _, message, code = lun.load(path, { dtypes = { a = "u8" } })
        assert.matches("line 3, column 6: column 'a': this is no u8", message)
        assert.equal("format", code)
        assert.matches("line 1, column 12: column 'b': this is no f64", (select(2, lun.load(path, { dtypes = "f64" }))))
        assert.same({ "text", "text", "text", "text" }, lun.load(path, { dtypes = "text" }):dtypes())
        assert.equal("duration", lun.load(write '{"a":1.5}\n{"a":-2}', { dtypes = { a = "duration" } }).a:dtype())
    end)

    it("are refused where they are none", function()
        local path = write(TEXT)
        expect.failure("unknown option 'sep' for json", lun.load, path, { sep = ";" })
        expect.failure('nested is not "text"', lun.load, path, { nested = true })
        expect.failure('form is "x"', lun.load, path, { form = "x" })
        expect.failure("columns[1] is a number", lun.load, path, { columns = { 1 } })
        expect.failure("dtypes['a'] is \"f33\"", lun.load, path, { dtypes = { a = "f33" } })
        expect.failure("nrows is -1", lun.load, path, { nrows = -1 })
        expect.failure('format is not "csv", "json", "jsonl", "arrow" or "arrows"', lun.load, path, { format = "xml" })
        expect.failure("elements of a .jsonl file are not stored as in memory", lun.open, path)
    end)

    it("several files are one table, its columns those of all", function()
        write('{"a":1,"b":"x"}\n', "p1.jsonl")
        write('{"b":"y","c":true}\n{"a":2.5}\n', "p2.jsonl")
        local t = assert(lun.load(path_of "p?.jsonl", { source = "from" }))
        assert.same({ "a", "b", "c", "from" }, t:names())
        assert.same({ 1.0, na, 2.5 }, t.a:totable { missing = na })
        assert.same({ path_of "p1.jsonl", path_of "p2.jsonl", path_of "p2.jsonl" }, t.from:totable())
        assert.is_true(t == lun.load({ path_of "p1.jsonl", path_of "p2.jsonl" }, { source = "from" }))
        assert.equal(2, #lun.load(path_of "p?.jsonl", { nrows = 2 }))
        write('{"a":3}\n{"a":"x"}\n', "p3.jsonl")
        assert.matches("p3.jsonl: line 2, column 6: column 'a' is a number before", (select(2, lun.load(path_of "p?.jsonl"))))
        expect.failure("is of another format than the first file", lun.load, { path_of "p1.jsonl", path_of "x.csv" })
    end)

    it("gzip data, pipes and handles", function()
        local t = lun.load(write(TEXT))
        for _, name in ipairs { "t.jsonl.gz", "t.ndjson.gz", "t.json.gz" } do
            assert(lun.save(path_of(name), t))
            assert.equal("\31\139", shell.slurp(path_of(name)):sub(1, 2))
            assert.is_true(t == lun.load(path_of(name)))
        end
        shell.write(path_of "bad.jsonl.gz", shell.slurp(path_of "t.jsonl.gz"):sub(1, -9))
        assert.is_nil((lun.load(path_of "bad.jsonl.gz")))
        local pipe = io.popen("cat '" .. path_of "t.jsonl" .. "'")
        assert.is_true(t == lun.load(pipe, { format = "jsonl" }))
        pipe:close()
        local list = io.popen("printf '[{\"a\":1}]'")
        assert.same({ 1 }, lun.load(list, { format = "json" }).a:totable())
        list:close()
        assert.is_true(t == lun.load(write(TEXT, "log.txt"), { format = "jsonl" }))
    end)

    it("says what a missing or empty file is", function()
        local _, message, code = lun.load(path_of "none.jsonl")
        assert.matches("none.jsonl: No such file", message)
        assert.equal(2, code)
        assert.equal(0, #lun.load(write ""))
    end)
end)

describe("lun.save of JSON", function()
    local function saved(t, opts, name)
        assert(lun.save(path_of(name or "s.jsonl"), t, opts))
        return shell.slurp(path_of(name or "s.jsonl"))
    end

    it("writes lines, a list and an object of lists", function()
        local t = lun.table({ a = lun.vector { 1.0, na }, s = { "x\n\"", "é\1" }, b = lun.vector({ true, false }, "bool") },
            { "a", "s", "b" })
        local one, two = '{"a":1.0,"s":"x\\n\\"","b":true}', '{"a":null,"s":"é\\u0001","b":false}'
        assert.equal(one .. "\n" .. two .. "\n", saved(t))
        assert.equal("[" .. one .. ",\n" .. two .. "]\n", saved(t, nil, "s.json"))
        assert.equal('{"a":[1.0,null],\n"s":["x\\n\\"","é\\u0001"],\n"b":[true,false]}\n', saved(t, { form = "columns" }, "s.json"))
        assert.equal('{"b":true}\n{"b":false}\n', saved(t, { columns = { "b" } }))
        assert.equal("[]\n", saved(t:rows(lun.vector({ false, false }, "bool")), nil, "s.json"))
    end)

    it("writes every dtype so that it reads back", function()
        local t = lun.table { d = lun.vector({ "2024-01-05", na }):cast "date", when = lun.vector({ "1969-12-31 23:59:59.5", na })
            :cast "timestamp", u = lun.vector({ -1, 5 }, "i64"):cast "u64", i = lun.vector({ math.mininteger, math.maxinteger }),
            f = lun.vector { 0.1, -0.0 }, r = lun.vector({ 1, 2 }, "i8"), e = lun.vector({ "", na }), x = lun.vector({ na, na }, "f64") }
        local text = saved(t)
        assert.matches('"when":"1969%-12%-31T23:59:59.500000"', text)
        assert.matches('"u":18446744073709551615', text)
        local u = lun.load(path_of "s.jsonl", { dtypes = { r = "i8", f = "f64" } })
        for _, name in ipairs(t:names()) do
            assert.equal(t[name]:dtype(), u[name]:dtype())
        end
        assert.is_true(t:select(u:names()) == u)
        assert.equal('{"x":1.5}\n{"x":-2}\n', saved(lun.table { x = lun.vector({ 1500000, -2000000 }, "i64"):cast "duration" }))
    end)

    it("says how many NaN and infinities are null", function()
        local t = lun.table { x = lun.vector { 1, 0 / 0, 1 / 0, na, -1 / 0 } }
        local ok, odd = lun.save(path_of "s.jsonl", t)
        assert.same({ true, 3 }, { ok, odd })
        assert.same({ 1.0, na, na, na, na }, lun.load(path_of "s.jsonl").x:totable { missing = na })
        assert.equal(1, select("#", lun.save(path_of "s.jsonl", lun.table { x = lun.vector { 1, na } })))
    end)

    it("leaves the old file where it fails", function()
        write("old", "s.jsonl")
        assert.is_nil((lun.save("/dev/full/s.jsonl", lun.table { x = lun.vector { 1 } })))
        expect.failure("column 'x' is of rank 2", lun.save, path_of "s.jsonl", { x = lun.zeros(2, 2) })
        expect.failure('form is "x"', lun.save, path_of "s.jsonl", lun.table { x = lun.vector { 1 } }, { form = "x" })
        expect.failure("table of columns expected", lun.save, path_of "s.jsonl", lun.vector { 1 })
        assert.equal("old", shell.slurp(path_of "s.jsonl"))
    end)

    it("is the same for a table of many batches", function()
        local n = 150000
        local t = lun.table({ i = lun.index(n), f = lun.index(n) / 7, s = lun.vector({ "a", "b\"", "c" }):take(lun.index(n) % 3 + 1) },
            { "i", "f", "s" })
        for _, name in ipairs { "big.jsonl", "big.json", "big.json.gz" } do
            assert(lun.save(path_of(name), t))
            assert.is_true(t == lun.load(path_of(name)))
        end
        assert(lun.save(path_of "big.json", t, { form = "columns" }))
        assert.is_true(t == lun.load(path_of "big.json"))
    end)
end)
