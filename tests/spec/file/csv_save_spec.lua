-- Options of lun.save for csv: what the file has, byte for byte, and what is refused.
local lun = require "lunarray"
local shell = require "shell"

local internal = require("lunarray.core").internal

local directory

local function path_of(name) return directory .. "/" .. name end

local function saved(t, opts, name)
    local path = path_of(name or "t.csv")
    assert(lun.save(path, t, opts))
    return shell.slurp(path)
end

local function misused(t, opts)
    local ok, message = pcall(lun.save, path_of "never.csv", t, opts)
    assert.is_false(ok)
    assert.is_nil(io.open(path_of "never.csv"))
    return message
end

setup(function() directory = shell.scratch() end)
teardown(function() shell.discard(directory) end)

describe("options of lun.save for csv", function()
    local function table_of()
        return lun.table({ s = { "x", 'a "b", c', "" }, x = lun.vector { 1.5, 1 / 3, 2 }, i = lun.vector({ 1, -2, 3 }, "i32"),
            b = lun.vector({ true, false, true }, "bool") }, { "s", "x", "i", "b" })
    end

    it("columns, as names", function()
        assert.equal("i,s\n1,x\n-2,\"a \"\"b\"\", c\"\n3,\"\"\n", saved(table_of(), { columns = { "i", "s" } }))
        assert.equal("i\n1\n-2\n3\n", saved(table_of(), { names = { "i" } }))
    end)

    it("header", function()
        assert.equal("1,true\n-2,false\n3,true\n", saved(table_of(), { columns = { "i", "b" }, header = false }))
        assert.equal("i\tb\n1\ttrue\n-2\tfalse\n3\ttrue\n", saved(table_of(), { columns = { "i", "b" } }, "t.tsv"))
    end)

    it("quote", function()
        assert.equal('"i","b","s"\n"1","true","x"\n"-2","false","a ""b"", c"\n"3","true",""\n',
            saved(table_of(), { columns = { "i", "b", "s" }, quote = "all" }))
        local t = lun.table { s = { "x", "y z" } }
        assert.equal("s\nx\ny z\n", saved(t, { quote = "none" }))
        assert.equal('"s"\n"x"\n"y z"\n', saved(t, { quote = "all" }))
        assert.matches([[%(column 's': row 2 needs quotes, which {quote = "none"} does not write%)]],
            misused(table_of(), { quote = "none", columns = { "s" } }))
        assert.matches([[column name "a,b" needs quotes]], misused({ ["a,b"] = { 1 } }, { quote = "none" }))
        assert(lun.save(path_of "q.csv", { s = { "a", "b,c" } }))
        assert.matches("row 2 needs quotes", misused(assert(lun.load(path_of "q.csv")), { quote = "none" }))
        assert.equal("s\na\nb,c\n", saved(assert(lun.load(path_of "q.csv")), { quote = "none", sep = ";" }))
    end)

    it("decimal and float", function()
        assert.equal("x;i\n1,5;1\n0,3333333333333333;-2\n2,0;3\n", saved(table_of(), { columns = { "x", "i" }, decimal = "," }))
        assert.equal("x|i\n1,5|1\n0,333|-2\n2|3\n", saved(table_of(), { columns = { "x", "i" }, decimal = ",", sep = "|", float = "%.3g" }))
        assert.equal("x\n1.500\n0.333\n2.000\n", saved(table_of(), { columns = { "x" }, float = "%.3f" }))
        assert.equal('"x"\n"1.500"\n"0.333"\n"2.000"\n', saved(table_of(), { columns = { "x" }, float = "%.3f", quote = "all" }))
        local odd = lun.table { x = lun.vector { 0 / 0, 1 / 0, -1 / 0, 1e308 } }
        local lines = saved(odd, { float = "%+99.99f" })
        assert.matches("^x\nnan\ninf\n%-inf\n%+1%d+%.0+\n$", lines)
        assert.equal(3 + 4 + 4 + 5 + 1 + 309 + 1 + 99 - 0, #lines)
    end)

    it("na, for elements that are missing", function()
        local there = lun.vector({ true, false, true }, "bool")
        local t = lun.table({ i = internal.with_missing(lun.vector({ 1, 2, 3 }, "i32"), there),
            x = internal.with_missing(lun.vector { 0 / 0, 0.5, 1.5 }, there),
            b = internal.with_missing(lun.vector({ true, true, false }, "bool"), there) }, { "i", "x", "b" })
        assert.equal("i,x,b\n1,nan,true\n,,\n3,1.5,false\n", saved(t))
        assert.equal("i,x,b\n1,nan,true\nNA,NA,NA\n3,1.5,false\n", saved(t, { na = "NA" }))
        assert.equal('i\n1\n""\n3\n', saved(t, { columns = { "i" } }))
        local big = internal.with_missing(lun.index(200000), (lun.index(200000) % 7):ne(0))
        local text = saved { n = big, k = lun.index(200000) }
        assert.equal(200000 // 7, select(2, text:gsub("\n%d+,\n", "%0")))
    end)

    it("na, where a validity says that elements are missing", function()
        local function written(form)
            local file = assert(io.open(path_of "v.csv", "wb"))
            local columns = { lun.vector({ 1, 2, 3 }, "i64"), lun.vector { 0.5, 0.5, 0.5 } }
            local valid = { lun.vector({ true, false, true }, "bool"), lun.vector({ false, true, true }, "bool") }
            assert(internal.csv_write(file, { "a", "b" }, columns, 3, false, form, valid))
            file:close()
            return shell.slurp(path_of "v.csv")
        end
        assert.equal("a,b\n1,\n,0.5\n3,0.5\n", written {})
        assert.equal("a,b\n1,NA\nNA,0.5\n3,0.5\n", written { na = "NA" })
        assert.equal('"a","b"\n"1",\n,"0.5"\n"3","0.5"\n', written { quote = "all" })
    end)

    it("append", function()
        for _, name in ipairs { "log.csv", "log.tsv", "log.csv.gz" } do
            local path = path_of(name)
            for i = 1, 3 do
                assert(lun.save(path, lun.table({ n = { "run " .. i }, x = lun.vector { i } }, { "n", "x" }), { append = true }))
            end
            local t = assert(lun.load(path))
            assert.same({ { "run 1", "run 2", "run 3" }, { 1, 2, 3 } }, { t.n:totable(), t.x:totable() })
        end
        assert.equal("n,x\nrun 1,1\nrun 2,2\nrun 3,3\n", shell.slurp(path_of "log.csv"))
        shell.write(path_of "open.csv", "a\n1")
        local one = { a = lun.vector({ 2 }, "i64") }
        assert(lun.save(path_of "open.csv", one, { append = true }))
        assert.equal("a\n1\n2\n", shell.slurp(path_of "open.csv"))
        assert(os.execute(("printf 'a\\n1' | gzip > '%s'"):format(path_of "open.csv.gz")))
        assert(lun.save(path_of "open.csv.gz", one, { append = true }))
        assert.same({ 1, 2 }, assert(lun.load(path_of "open.csv.gz")).a:totable())
        shell.write(path_of "empty.csv", "")
        assert(lun.save(path_of "empty.csv", one, { append = true }))
        assert.equal("a\n2\n", shell.slurp(path_of "empty.csv"))
        assert(lun.save(path_of "bare.csv", one, { append = true, header = false }))
        assert(lun.save(path_of "bare.csv", one, { append = true, header = false }))
        assert.equal("2\n2\n", shell.slurp(path_of "bare.csv"))
    end)

    it("append to a file of other columns is refused, and leaves it alone", function()
        local path = shell.write(path_of "other.csv", "a,b\n1,2\n")
        local ok, message, code = lun.save(path, { b = { 1 }, a = { 2 } }, { append = true, columns = { "b", "a" } })
        assert.same({ nil, path .. ": append: the file has the columns 'a', 'b', the table 'b', 'a'", "format" }, { ok, message, code })
        assert.equal("a,b\n1,2\n", shell.slurp(path))
        shell.write(path, '"a,b\n1')
        ok, message = lun.save(path, { a = { 1 } }, { append = true })
        assert.is_nil(ok)
        assert.matches("other%.csv: line 1: the quote opened here", message)
        ok, message = lun.save(path_of "none/x.csv", { a = { 1 } }, { append = true })
        assert.is_nil(ok)
        assert.equal(path_of "none/x.csv: No such file or directory", message)
    end)

    it("are not for zip archives", function()
        local ok, message = pcall(lun.save, path_of "t.csv.zip", { a = { 1 } })
        assert.is_false(ok)
        assert.matches("zip archives are read only; save a .csv or .csv.gz file", message)
        assert.is_nil(io.open(path_of "t.csv.zip"))
    end)

    it("are refused where they say nothing", function()
        for _, case in ipairs {
            { { float = "%d" }, 'float is "%%d"; one conversion' }, { { float = "%.3fx" }, "float is" },
            { { float = "%1000f" }, "float is" }, { { quote = "yes" }, 'quote is "yes"; "needed", "all", "none"' },
            { { decimal = ",", sep = "," }, 'sep and decimal are both ","' }, { { append = 1 }, "append is 1" },
            { { na = "a,b" }, 'na is "a,b"' }, { { columns = { "z" } }, "no column 'z'" },
            { { columns = { "a" }, names = { "a" } }, "names and columns are both given" },
        } do
            assert.matches(case[2], misused({ a = lun.vector { 1 } }, case[1]))
        end
    end)
end)
