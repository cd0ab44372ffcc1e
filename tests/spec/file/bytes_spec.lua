-- lun.decode and lun.encode: what lun.load gives of a file, and lun.save writes, of bytes in memory.

local shell = require "shell"

local scratch = shell.scratch()

describe("lun.encode and lun.decode", function()
    teardown(function()
        shell.discard(scratch)
    end)

    local gray = lun.range(0, 255):cast "u8":reshape(16, 16)
    local values = {
        npy = lun.range(1, 24):reshape(2, 3, 4) / 7, npz = { a = lun.index(3), b = lun.vector { 0.5 } },
        png = gray, pgm = gray, pnm = gray, ppm = lun.range(0, 47):cast "u8":reshape(4, 4, 3), raw = lun.index(5),
        bin = lun.index(5), csv = lun.table { k = { "a", "", lun.na }, x = lun.vector { 1, lun.na, 3 } },
    }
    values.tsv, values.txt, values.jsonl, values["json.gz"] = values.csv, values.csv, values.csv, values.csv
    values["csv.gz"], values["tsv.gz"] = values.csv, values.csv

    it("give and take the bytes of files in every format", function()
        for format, v in pairs(values) do
            local path = ("%s/v.%s"):format(scratch, format)
            assert(lun.save(path, v))
            local bytes = lun.encode(v, format)
            assert.equal(shell.slurp(path), bytes, format)
            local opts = (format == "raw" or format == "bin") and { dtype = "i64" } or nil
            local back, loaded = table.pack(lun.decode(bytes, format, opts)), table.pack(lun.load(path, opts))
            assert.equal(loaded.n, back.n, format)
            assert.equal(loaded[2], back[2], format)
            if format == "npz" then
                assert.is_true(back[1].a == v.a and back[1].b == v.b)
            else
                assert.is_true(back[1] == loaded[1] and back[1] == v, format)
            end
        end
    end)

    it("take a zip archive of one csv file", function()
        if select(2, shell.capture "command -v python3") ~= 0 then
            pending "no python3"
            return
        end
        local path = scratch .. "/x.zip"
        shell.capture(("python3 -c \"import zipfile; zipfile.ZipFile('%s', 'w').writestr('x.csv', 'a\\n4\\n')\""):format(path))
        assert.equal(4, lun.decode(shell.slurp(path), "zip").a[1])
    end)

    it("take the options of files", function()
        local t = lun.decode("a;b\n1,5;x\n2;NA\n", "csv", { sep = ";", decimal = ",", columns = { "a" } })
        assert.same({ "a" }, t:names())
        assert.same({ 1.5, 2 }, t.a:totable())
        assert.equal("x|y\n1|2\n", lun.encode(lun.table { x = lun.vector { 1 }, y = lun.vector { 2 } }, "csv", { sep = "|" }))
        assert.equal(9, lun.decode(lun.encode(gray:lt(9):cast "u8", "pgm", { maxval = 9 }), "pgm"):sum())
        assert.equal(lun.encode(gray, "pgm"), lun.encode(gray, "pgm", 255)) -- as lun.load gives it
    end)

    it("hold large results piece by piece", function()
        local a = lun.index(9000000) -- 72 MB: written in pieces
        local bytes = lun.encode(a, "npy")
        assert.equal(72000128, #bytes)
        assert.is_true(lun.decode(bytes, "npy") == a)
    end)

    it("give nil, a message and a code for bytes that are no such file", function()
        for _, case in ipairs {
            { "", "csv", "line 1: the file is empty; a header line was expected", "format" },
            { "a,b\n1\n", "csv", nil, "format" },
            { "x", "png", "not a PNG image: it has no PNG signature", "format" },
            { "P5 2 2 255\nabc", "pgm", "the file is too short: the image needs 4 bytes, but there are 3", "short" },
            { "x", "npy", nil, "short" },
            { "x", "npz", nil, nil },
            { "x", "csv.gz", nil, "short" },
        } do
            local v, message, code = lun.decode(case[1], case[2])
            assert.is_nil(v)
            assert.equal("string", type(message), case[2])
            if case[3] then
                assert.equal(case[3], message)
            end
            if case[4] then
                assert.equal(case[4], code, case[2])
            end
        end
    end)

    it("raise for what the caller does wrong, with its line", function()
        local t = values.csv
        for _, case in ipairs {
            { function() lun.decode(3, "csv") end, "bad argument #1 to 'decode' (string of bytes expected, got number)" },
            { function() lun.decode("x") end, "bad argument #2 to 'decode' (the extension of a format expected, such as \"png\", got " },
            { function() lun.decode("x", ".csv") end, "bad argument #2 to 'decode' (unknown format '.csv'; supported: csv tsv " },
            { function() lun.decode("x", "parquet") end, "unknown format 'parquet'" },
            { function() lun.decode("x", "csv", 3) end, "bad argument #3 to 'decode' (table of options expected, got number)" },
            { function() lun.decode("x", "csv", { sepp = 1 }) end, "bad argument #3 to 'decode' (unknown option 'sepp' for csv" },
            { function() lun.decode("x", "csv", { source = "f" }) end, "bad argument #3 to 'decode' (option 'source' is one of files)" },
            { function() lun.decode("x", "raw") end, "bad argument #3 to 'decode' (" },
            { function() lun.encode(3, "png") end, "bad argument #1 to 'encode' (array expected, got number)" },
            { function() lun.encode({}, "png") end, "array expected, got table; convert it with lun.vector)" },
            { function() lun.encode(gray, "csv") end, "bad argument #1 to 'encode' (table of columns expected" },
            { function() lun.encode(gray * 1.5, "png") end, "bad argument #1 to 'encode' (an image must be u8 or u16" },
            { function() lun.encode(t, "csv", { append = true }) end, "bad argument #3 to 'encode' (option 'append' is one of files)" },
            { function() lun.encode(t, "csv", { nosuch = true }) end,
                "bad argument #3 to 'encode' (unknown option 'nosuch' for csv; known: append, columns," },
            { function() lun.encode(t, "zip") end, "zip archives are read only" },
            { function() lun.encode(t, 3) end, "bad argument #2 to 'encode' (the extension of a format expected, such as "
                .. "\"png\", got number)" },
        } do
            local done, message = pcall(case[1])
            assert.is_false(done)
            assert.is_truthy(tostring(message):find(case[2], 1, true), tostring(message) .. "\n" .. case[2])
            assert.is_truthy(tostring(message):find "^[^\n]*bytes_spec%.lua:%d+: ", tostring(message))
        end
    end)

    it("are there in a sandbox, within its memory", function()
        local script = scratch .. "/s.lua"
        shell.write(script, [[
            local t = lun.decode("k,x\na,1\n", "csv")
            print(lun.encode(t, "csv"))
            print(pcall(lun.encode, lun.index(4000000), "npy"))
            print(lun.decode(lun.encode(lun.index(3), "npy"), "npy"):sum())
        ]])
        local printed = shell.capture(("%s/lunarray --sandbox --memory-limit 50 %s 2>&1"):format(os.getenv "BUILD" or "build",
            script))
        assert.is_truthy(printed:find "^k,x\na,1\n\nfalse\t[^\n]*memory[^\n]*\n6\n$", printed)
    end)

    it("touch no file", function()
        if select(2, shell.capture "strace -o /dev/null true") ~= 0 then
            pending "no strace"
            return
        end
        shell.write(scratch .. "/p.lua", [[
            local a = (lun.range(0, 999999) % 256):cast "u8":reshape(1000, 1000):eval()
            lun.encode(lun.vector { 1 }:cast "u8":reshape(1, 1), "png")
            io.stderr:write "begin\n"
            assert(lun.decode(lun.encode(a, "png"), "png") == a)
            io.stderr:write "end\n"
        ]])
        shell.capture(("strace -f -e trace=%%file,write -o %s/trace env LUNARRAY_JIT=off %s/lunarray %s/p.lua 2>&1"):format(scratch,
            os.getenv "BUILD" or "build", scratch))
        local between = shell.slurp(scratch .. "/trace"):match 'write%(2, "begin.-\n(.*)write%(2, "end'
        assert.equal("string", type(between))
        for line in between:gmatch "[^\n]+" do
            assert.is_falsy(line:find "open" or line:find "unlink" or line:find "rename", line)
        end
    end)
end)
