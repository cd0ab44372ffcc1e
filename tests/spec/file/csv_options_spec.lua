-- csv as it is found: what a column is by all its fields, missing words, leading zeros, lines that are no rows, first lines
-- of numbers, and the options of lun.load.
local lun = require "lunarray"
local shell = require "shell"

local directory, path

local function write(text, name)
    path = shell.write(directory .. "/" .. (name or "t.csv"), text)
    return path
end

local function load(text, opts, name)
    return lun.load(write(text, name), opts)
end

-- The columns in order, each as its dtype and elements: "i64 1 2"; "NA" where one is missing.
local function columns(t)
    local out = {}
    for name, column in pairs(t) do
        local words = { name .. ":", column:dtype() }
        local missing = column:ismissing():totable()
        for i = 1, #column do
            words[#words + 1] = missing[i] and "NA" or type(column[i]) == "string" and '"' .. column[i] .. '"'
                or tostring(column[i]):gsub("%-?nan", "nan") .. ""
        end
        out[#out + 1] = table.concat(words, " ")
    end
    return out
end

local function read(text, opts, name)
    return columns(assert(load(text, opts, name)))
end

-- The message of a file that is refused, without its path.
local function refused(text, opts, name)
    local t, message = load(text, opts, name)
    assert.is_nil(t)
    assert.equal(path .. ": ", message:sub(1, #path + 2))
    return message:sub(#path + 3)
end

-- The message of options that are refused.
local function misused(opts)
    local ok, message = pcall(lun.load, write "a\n1\n", opts)
    assert.is_false(ok)
    return message:match "bad argument #2 to 'load' (%b())" or message
end

setup(function() directory = shell.scratch() end)
teardown(function() shell.discard(directory) end)

describe("columns of csv", function()
    local WORDS = { "", "NA", "N/A", "n/a", "#N/A", "NULL", "null", "None", "<NA>", " ", "\t NA ", '""', '"NA"', '" "' }

    it("are numbers where the other fields are and some say that they are missing", function()
        for _, word in ipairs(WORDS) do
            local t = assert(load(("a,b,k\n1.5,1,0\n%s,%s,0\n-2,3,0\n"):format(word, word)))
            assert.same({ "f64", "1.5 NA -2.0" }, { t.a:dtype(), (columns(t)[1]:gsub("^a: f64 ", "")) }, word)
            assert.equal(4, t.b:sum(), word)
        end
    end)

    it("are text where another field is, with all words as they stand", function()
        assert.same({ 'a: text "NA" "x" NA "NULL" " "', 'b: text "1" "1" "1" "1" "y"' },
            read "a,b\nNA,1\nx,1\n,1\nNULL,1\n ,y\n")
        assert.equal('a: text "None" "na"', read("a\nNone\nna\n")[1])
        assert.equal('a: text "1" "Na"', read("a\n1\nNa\n")[1])
    end)

    it("of nothing but missing fields are f64", function()
        assert.same({ "a: f64 NA NA", "b: f64 NA NA" }, read "a,b\nNA,\n,NULL\n")
    end)

    it("have nan and inf as values, in any case, with a sign or without", function()
        assert.same({ "a: f64 nan nan nan nan inf -inf inf 1.0" }, read "a\nnan\n-nan\n+NaN\nNAN\nInf\n-INF\n+inf\n1\n")
    end)

    it("of digits with leading zeros are text, unless a field is no integer", function()
        assert.same({ 'zip: text "01220" "90210" NA "NA"', "n: i64 0 -7 3 0" }, read "zip,n\n01220,0\n90210,-7\n,+3\nNA,-0\n")
        assert.same({ "a: f64 1.0 2.5", "b: f64 nan 7.0" }, read "a,b\n001,nan\n2.5,007\n")
        assert.same({ 'a: text "00"', 'b: text "-007"', "c: i64 0", "d: i64 100" }, read "a,b,c,d\n00,-007,0,100\n")
        assert.same({ 'a: text "0001" "99999999999999999999999"' }, read "a\n0001\n99999999999999999999999\n")
        local rows = { "a,b" }
        for i = 1, 30000 do rows[#rows + 1] = i .. ",x" end
        rows[#rows + 1] = "0042,x"
        local t = assert(load(table.concat(rows, "\n") .. "\n"))
        assert.same({ "1", "30000", "0042", 30001 }, { t.a[1], t.a[30000], t.a[30001], #t.a })
    end)

    it("are the same in whatever order of rows, by all of their fields", function()
        local fields = { "1", "-2", "18446744073709551615", "2.5", "007", "NA", "", "true", "x", "nan" }
        for i, one in ipairs(fields) do
            for j = i + 1, #fields do
                local there, back = {}, {}
                for k = 1, 1200 do -- more rows than a guess sees
                    there[k], back[1201 - k] = k < 1200 and one or fields[j], k < 1200 and one or fields[j]
                end
                local a = assert(load("a,b\n" .. table.concat(there, ",0\n") .. ",0\n")).a
                local b = assert(load("a,b\n" .. table.concat(back, ",0\n") .. ",0\n")).a
                assert.equal(type(a), type(b))
                assert.equal(type(a) == "table" or a:dtype(), type(b) == "table" or b:dtype(), one .. " and " .. fields[j])
            end
        end
    end)
end)

describe("rows of csv", function()
    it("are no empty lines in files of several columns", function()
        for _, blank in ipairs { "", "  ", "\t" } do
            assert.same({ "a: i64 1 3", "b: i64 2 4" }, read(("a,b\n%s\n1,2\n%s\n%s\n3,4\n"):format(blank, blank, blank)))
        end
        assert.same({ "a: i64 1 3", "b: i64 2 4" }, read "a,b\r\n1,2\r\n\r\n3,4\r\n")
        assert.same({ "a: i64 1 NA 3" }, read "a\n1\n\n3\n\n\n")
    end)

    it("end in carriage returns where the header does", function()
        assert.same({ "a: i64 1 3", 'b: text "2\rx" "4\ny"' }, read 'a,b\r1,"2\rx"\r3,"4\ny"\r')
        assert.same({ "a: i64 1 3" }, read "a\r1\r3")
        assert.equal("line 3: 1 field, but the header has 2", refused("a,b\r1,2\r3\r"):match "^[^;]*")
    end)

    it("begin with the first line, if that is numbers", function()
        local t = assert(load "1.5,2\n3,4\n")
        assert.same({ "c1: f64 1.5 3.0", "c2: i64 2 4" }, columns(t))
        assert.is_true(getmetatable(t).csv.nameless)
        assert.same({ "0: i64 3", "1: i64 4" }, read "0,1\n3,4\n")
        assert.same({ "1: i64 3", "x: i64 4" }, read "1,x\n3,4\n")
        assert.same({ "1: i64 3", "c2: i64 4" }, read "1,\n3,4\n")
        assert.same({ "1: i64 3", "2: i64 4" }, read '"1","2"\n3,4\n')
        assert.same({ "1.5: i64 3", "2: i64 4" }, read("1.5,2\n3,4\n", { header = true }))
        assert.same({ "p: f64 1.5 3.0", "q: i64 2 4" }, read("1.5,2\n3,4\n", { names = { "p", "q" } }))
        assert.is_false(getmetatable(assert(load "a,b\n1,2\n")).csv.nameless)
    end)
end)

describe("options of csv", function()
    it("header", function()
        assert.same({ 'c1: text "a" "1"', 'c2: text "b" "2"' }, read("a,b\n1,2\n", { header = false }))
        assert.same({ "b: i64 1", "c: i64 2" }, read("x\na;a\nb,c\n1,2\n", { header = 3 }))
        assert.same({ "b: i64 1", "c: i64 2" }, read("x\na;a\nb,c\n1,2\n", { header = 2, skip = 1 }))
    end)

    it("skip, by whatever ends the lines", function()
        assert.same({ "b: i64 1", "c: i64 2" }, read("a title, long\nits \"second line\nb,c\n1,2\n", { skip = 2 }))
        assert.same({ "b: i64 1", "c: i64 2" }, read("t\r\nt\r\nb,c\r\n1,2\r\n", { skip = 2 }))
        assert.same({ "b: i64 1", "c: i64 2" }, read("t\rt\rb,c\r1,2\r", { skip = 2 }))
        assert.equal("line 1: the file is empty; a header line was expected", refused("a\n", { skip = 7 }):gsub("line %d", "line 1"))
        assert.matches("^line 4: 1 field", refused("t\nb,c\n1,2\n3\n", { skip = 1 }))
        local long = ("x"):rep(65535) .. "\r\n" .. ("y"):rep(200000) .. "\r\n" .. "b,c\r\n1,2\r\n"
        assert.same({ "b: i64 1", "c: i64 2" }, read(long, { skip = 2 }))
    end)

    it("comment, before the header and between rows", function()
        local text = "# made by, \"someone\n#\na,b\n1,2\n# 3,4\n5,\"#6\"\n#end"
        assert.same({ "a: i64 1 5", 'b: text "2" "#6"' }, read(text, { comment = "#" }))
        assert.same({ "a: i64 1", "b: i64 2" }, read("// x\na;b\n1;2\n//3;4\n", { comment = "//" }))
        assert.matches("^line 5: 3 fields", refused("#\na,b\n#\n1,2\n1,2,3\n", { comment = "#" }))
    end)

    it("names, and columns by name and number", function()
        assert.same({ "p: i64 1", "q: i64 2" }, read("a,b\n1,2\n", { names = { "p", "q" } }))
        assert.equal("names has 1 names, but there are 2 columns", refused("a,b\n1,2\n", { names = { "p" } }))
        assert.same({ "c: i64 3", "a: i64 1" }, read("a,b,c\n1,2,3\n", { columns = { 3, "a" } }))
        assert.equal("no column '4'; there are 'a', 'b', 'c'", refused("a,b,c\n1,2,3\n", { columns = { 4 } }))
    end)

    it("dtypes, of some columns and of all", function()
        local t = assert(load("zip,x,n,b\n01220,1,2,true\n90210,2.5,NA,false\n", { dtypes = { zip = "i32", x = "f32" } }))
        assert.same({ "i32", "f32" }, { t.zip:dtype(), t.x:dtype() })
        assert.same({ 1220, 90210 }, t.zip:totable())
        assert.same({ 'a: text "1" "2.50"', 'b: text "NA" NA' }, read("a,b\n1,NA\n2.50,\n", { dtypes = "text" }))
        assert.same({ "a: f64 1.0 2.0", "b: f64 3.0 NA" }, read("a,b\n1,3\n2,\n", { dtypes = "f64" }))
        assert.same({ "a: u64 1 -1" }, read("a\n1\n18446744073709551615\n", { dtypes = { a = "u64" } }))
        assert.same({ "a: bool true false" }, read("a\nTrue\nfalse\n", { dtypes = { a = "bool" } }))
    end)

    it("dtypes that a field does not fit, with the first such field", function()
        local text = "k,x,y\n1,2,3\n1,2,3\n1,abc,3\n1,2,zz\n"
        assert.equal("line 4: 'abc' is no f32 (column 2, 'x')", refused(text, { dtypes = { x = "f32", y = "i64" } }))
        assert.equal("line 5: 'zz' is no i64 (column 3, 'y')", refused(text, { dtypes = { y = "i64" } }))
        assert.equal("line 3: '128' is no i8 (column 1, 'a')", refused("a\n-128\n128\n", { dtypes = { a = "i8" } }))
        assert.equal("line 2: '-1' is no u8 (column 1, 'a')", refused("a\n-1\n1\n", { dtypes = { a = "u8" } }))
        assert.equal("line 2: '-1' is no u64 (column 1, 'a')", refused("a\n-1\n1\n", { dtypes = { a = "u64" } }))
        assert.equal("line 2: '9223372036854775808' is no i64 (column 1, 'a')",
            refused("a\n9223372036854775808\n", { dtypes = { a = "i64" } }))
        assert.equal("line 3: '1.0' is no i64 (column 1, 'a')", refused("a\n1\n1.0\n", { dtypes = { a = "i64" } }))
        assert.equal("line 3: '1' is no bool (column 1, 'a')", refused("a\ntrue\n1\n", { dtypes = { a = "bool" } }))
        local message = refused("a\n" .. ("é"):rep(100) .. "\n", { dtypes = { a = "f64" } })
        assert.equal(("line 2: '%s' is no f64 (column 1, 'a')"):format(("é"):rep(31)), message)
        assert.equal("dtypes has 'z', but there are the columns 'a'", refused("a\n1\n", { dtypes = { z = "f64" } }))
    end)

    it("na: other words, by column, or empty fields alone", function()
        local text = "a,b,c\n-,-99,NA\n1,3,x\n,4,-\n"
        assert.same({ "a: i64 NA 1 NA", "b: i64 -99 3 4", 'c: text "NA" "x" NA' }, read(text, { na = { "-" } }))
        assert.same({ 'a: text "-" "1" NA', "b: i64 NA 3 4", 'c: text "NA" "x" "-"' }, read(text, { na = { b = { "-99" } } }))
        assert.same({ 'a: text "NA" "1"', "b: i64 NA 2" }, read("a,b\nNA,\n1,2\n", { na = false }))
        assert.same({ 'a: text "NA" "1"', "b: i64 NA 2" }, read("a,b\nNA,NA\n1,2\n", { na = { a = false } }))
        assert.equal("na has 'z', but there are the columns 'a'", refused("a\n1\n", { na = { z = { "-" } } }))
    end)

    it("nrows: what follows is not read", function()
        local text = 'a,b\n1,2\n"3\n",4\n\n5,6,7\n8,"9\n'
        assert.same({ 'a: text "1" "3\n"', "b: i64 2 4" }, read(text, { nrows = 2 }))
        assert.same({ "a: i64 1", "b: i64 2" }, read(text, { nrows = 1 }))
        assert.same({ "a: text", "b: text" }, read(text, { nrows = 0 }))
        assert.same({ "a: i64 1 2" }, read("a\n1\n2", { nrows = 7 }))
        assert.matches("^line 6: 3 fields", refused(text, { nrows = 3 }))
    end)

    it("decimal and thousands", function()
        local text = "a;b;c\n1,5;1.234.567;1,2\n-2;12;x\n"
        assert.same({ "a: f64 1.5 -2.0", 'b: text "1.234.567" "12"', 'c: text "1,2" "x"' }, read(text, { decimal = "," }))
        assert.same({ "a: f64 1.5 -2.0", "b: i64 1234567 12", 'c: text "1,2" "x"' },
            read(text, { decimal = ",", thousands = "." }))
        assert.same({ "a: f64 1234.5 1.0" }, read('a\n"1,234.5"\n1.0\n', { thousands = "," }))
        assert.same({ "a: i64 1234 -1000000" }, read("a\n1 234\n -1 000 000 \n", { thousands = " " }))
        for _, wrong in ipairs { "1,23", "1,2345", ",123", "1234,567", "1,,234", "1,234.5,6", "12,34,567" } do
            assert.equal(('a: text "%s"'):format(wrong), read(('a\n"%s"\n'):format(wrong), { thousands = "," })[1])
        end
        assert.same({ 'a: text "1.5"' }, read("a\n1.5\n", { decimal = "," }))
    end)

    it("quote and escape", function()
        assert.same({ "a: text \"x,'y\"", 'b: text ""1"' }, read("a,b\n'x,''y',\"1\n", { quote = "'" }))
        assert.same({ 'a: text ""x"', 'b: text "y""' }, read('a,b\n"x,y"\n', { quote = false }))
        assert.same({ 'a: text "x,y" "q"r"', 'b: text "1\n2" "\\"' },
            read('a,b\nx\\,y,1\\\n2\n"q\\"r",\\\\\n', { escape = "\\" }))
    end)

    it("ragged", function()
        local text = 'a,b,c\n1,2,3\n4\n5,6\n,,7\n'
        assert.same({ "a: i64 1 4 5 NA", "b: i64 2 NA 6 NA", "c: i64 3 NA NA 7" },
            read(text, { ragged = "fill" }))
        assert.equal("line 2: 4 fields, but the header has 3; {ragged = \"skip\"} leaves such rows out",
            refused("a,b,c\n1,2,3,4\n", { ragged = "fill" }))
        local t = assert(load("a,b\n1,2\n3\n4,5,6\n\n7,8\n", { ragged = "skip" }))
        assert.same({ "a: i64 1 7", "b: i64 2 8" }, columns(t))
        assert.equal(2, getmetatable(t).csv.skipped)
        assert.equal('line 2: 1 field, but the header has 2; {ragged = "fill"} makes the others missing, {ragged = "skip"} '
            .. "leaves such rows out", refused "a,b\n1\n")
        local wide = { "a" .. (",b"):rep(999) }
        for i = 1, 3000 do wide[i + 1] = tostring(i) end
        t = assert(load(table.concat(wide, "\n"), { ragged = "fill", columns = { 1, 1000 } }))
        assert.equal(3000, t.a[3000])
        assert.equal(3000, #t.b_999)
    end)

    it("trim and infer", function()
        assert.same({ 'a: text "x y" NA', "b: i64 1 2" }, read("a,b\n x y\t,1\n  , 2\n", { trim = true }))
        assert.same({ 'a: text "1" "007"', 'b: text " true" "2.5"' }, read("a,b\n1, true\n007,2.5\n", { infer = false }))
        assert.same({ "a: f64 1.0", 'b: text "2"' }, read("a,b\n1,2\n", { infer = false, dtypes = { a = "f64" } }))
    end)

    it("for lun.open", function()
        local t = assert(lun.open(write "#x\n01;NA\n02;2,5\n", { comment = "#", header = false, decimal = ",", names = { "a", "b" } }))
        assert.same({ 'a: text "01" "02"', "b: f64 NA 2.5" }, columns(t))
        t = assert(lun.open(write "a,b\n1,x\n", { dtypes = { b = "f64" } }))
        assert.equal(1, t.a[1])
        local ok, message = pcall(function() return t.b end)
        assert.is_false(ok)
        assert.equal(path .. ": line 2: 'x' is no f64 (column 2, 'b')", message)
    end)

    it("are refused where they say nothing", function()
        for _, case in ipairs {
            { { header = 0 }, "header is 0; an integer of at least 1" }, { { skip = -1 }, "skip is %-1" },
            { { nrows = 1.5 }, "nrows is 1.5; an integer" }, { { comment = "" }, 'comment is ""; a text' },
            { { quote = "ab" }, 'quote is "ab"; one ASCII character or false' }, { { escape = 1 }, "escape is 1" },
            { { decimal = ";", sep = ";" }, 'sep and decimal are both ";"' },
            { { thousands = "." }, 'decimal and thousands are both "%."' }, { { thousands = "x" }, 'thousands is "x"' },
            { { ragged = "drop" }, 'ragged is "drop"; "error", "fill", "skip"' }, { { trim = 1 }, "trim is 1; true or false" },
            { { dtypes = "f31" }, 'dtypes is "f31"; supported: text ' }, { { dtypes = { a = 1 } }, "dtypes%['a'%] is 1" },
            { { na = "x" }, 'na is "x"; a list of texts' }, { { na = { 1 } }, "na%[1%] is 1, not a text" },
            { { na = { a = "x" } }, "na%['a'%] is \"x\"" }, { { names = {} }, "names is no list of names" },
            { { seperator = ";" }, "unknown option 'seperator' for csv; known: .*, sep, " },
        } do
            assert.matches(case[2], misused(case[1]))
        end
    end)
end)

describe("encodings of csv", function()
    local function recode(text, encoding)
        local from = write(text, "utf8.txt")
        local to = directory .. "/coded.csv"
        assert(os.execute(("iconv -f utf-8 -t %s '%s' > '%s'"):format(encoding, from, to)))
        return to
    end

    it("are those of iconv", function()
        local text = "name,x\nMünchen,1.5\nŁódź,2\n"
        for _, encoding in ipairs { "utf-16le", "utf-16be", "iso-8859-2", "utf-7", "utf-8" } do
            path = recode(text, encoding)
            assert.same({ 'name: text "München" "Łódź"', "x: f64 1.5 2.0" },
                columns(assert(lun.load(path, { encoding = encoding }))), encoding)
        end
        assert.same({ 'a: text "é"' }, read("a\n\233\n", { encoding = "latin1" }))
        path = recode(text, "utf-16le")
        assert(os.execute(("gzip -kf '%s'"):format(path)))
        assert.equal("Łódź", assert(lun.load(path .. ".gz", { encoding = "utf-16le" })).name[2])
        assert.equal("Łódź", assert(lun.open(path, { encoding = "utf-16le" })).name[2])
    end)

    it("are UTF-16 where its byte order mark begins the file", function()
        assert.same({ 'a: text "é"' }, read "\255\254a\0\n\0\233\0\n\0")
        assert.same({ 'a: text "é"' }, read "\254\255\0a\0\n\0\233\0\n")
        assert.same({ "a: i64 1" }, columns(assert(lun.load(io.popen "printf '\\377\\376a\\0\\n\\0001\\0\\n\\0'", { format = "csv" }))))
    end)

    it("that do not fit are refused with the line", function()
        assert.equal("line 3: the byte 0x81 is no character of the encoding", refused("a\nb\n\129\n", { encoding = "windows-1252" }))
        assert.equal("line 2: the byte 0xE9 is not UTF-8; {encoding = \"latin1\"} or another says what it is (column 1, 'a')",
            refused "a\n\233\n")
        assert.equal("iconv has no such encoding; 'iconv -l' lists those of this machine", refused("a\n1\n", { encoding = "klingon" }))
        assert.matches("^line 1: a NUL byte; ", refused "a\0\n\0")
    end)
end)

describe("several csv files", function()
    local function files(...)
        local paths = {}
        for i, text in ipairs { ... } do
            paths[i] = write(text, ("part-%d.csv"):format(i))
        end
        return paths
    end

    it("are one table, by the names of columns", function()
        local t = assert(lun.load(files("a,b,c\n1,x,2.5\n2,y,3\n", "c;b;a\n7;z;3\n", "b,a,c\n")))
        assert.same({ "a: i64 1 2 3", 'b: text "x" "y" "z"', "c: f64 2.5 3.0 7.0" }, columns(t))
        assert.equal(3, #t)
    end)

    it("have columns that are what all fields of all files are", function()
        local fields = { "1", "-2", "18446744073709551615", "2.5", "007", "NA", "true", "x", "nan" }
        for _, one in ipairs(fields) do
            for _, other in ipairs(fields) do
                local whole = read(("a,b\n%s,1\n%s,1\n"):format(one, other))
                assert.same(whole, columns(assert(lun.load(files(("a,b\n%s,1\n"):format(one), ("a,b\n%s,1\n"):format(other))))))
            end
        end
    end)

    it("by a pattern, in the order of bytes", function()
        os.remove(directory .. "/t.csv")
        for _, name in ipairs { "b.csv", "a.csv", "B.csv", "c.txt", ".a.csv" } do
            write("x\n" .. name .. "\n", name)
        end
        write("x\nodd\n", "[ab].csv")
        assert.same({ 'x: text "B.csv" "a.csv" "b.csv"' }, columns(assert(lun.load(directory .. "/?.csv"))))
        assert.same({ 'x: text "odd"' }, columns(assert(lun.load(directory .. "/[ab].csv"))))
        os.remove(directory .. "/[ab].csv")
        assert.same({ 'x: text "a.csv" "b.csv"' }, columns(assert(lun.load(directory .. "/[ab].csv"))))
        assert.same({ nil, directory .. "/no*.csv: no such file", 2 }, { lun.load(directory .. "/no*.csv") })
        local t, message = lun.load(directory .. "/none/*.csv")
        assert.is_nil(t)
        assert.matches("none/: No such file or directory$", message)
    end)

    it("with options: source, nrows, columns, dtypes, na", function()
        local paths = files("a,b\n1,-\n2,5\n", "a,b\n3,6\nx\n")
        local t = assert(lun.load(paths, { source = "file", nrows = 3, na = { "-" } }))
        assert.same({ "a: i64 1 2 3", "b: i64 NA 5 6",
            ('file: text "%s" "%s" "%s"'):format(paths[1], paths[1], paths[2]) }, columns(t))
        t = assert(lun.load(paths, { ragged = "skip", columns = { "b" }, dtypes = { b = "text" } }))
        assert.same({ 'b: text "-" "5" "6"' }, columns(t))
        assert.equal(1, getmetatable(t).csv.skipped)
        assert.same({ "a: i64 1", ('f: text "%s"'):format(write "a\n1\n") }, columns(assert(lun.load(path, { source = "f" }))))
        local _, message = lun.load(path, { source = "a" })
        assert.equal(path .. ": source names the column 'a', which the file has", message)
    end)

    it("are refused with the file that does not fit", function()
        local function refusal(...)
            local paths = files(...)
            local t, message = lun.load(paths)
            assert.is_nil(t)
            return (message:gsub(".*/(part%-%d)", "%1"))
        end
        assert.equal("part-2.csv: no column 'b'; there are 'a', 'c'", refusal("a,b\n1,2\n", "a,c\n1,2\n"))
        local _, message = lun.load(files("a,b\n1,2\n", "a,b,c\n1,2,3\n"))
        assert.equal(("%s/part-2.csv: 3 columns, but %s/part-1.csv has 2"):format(directory, directory), message)
        assert.matches("^part%-2.csv: line 3: 1 field", refusal("a,b\n1,2\n", "a,b\n1,2\n3\n"))
        assert.has_error(function() lun.load {} end, "bad argument #1 to 'load' (path expected, got a table without one)")
        assert.has_error(function() lun.load { 7 } end)
    end)
end)

describe("csv from elsewhere", function()
    it("is read from a file handle", function()
        local pipe = io.popen "printf 'a;b\\n1;x\\n2;y\\n'"
        assert.equal("a;b", pipe:read "l")
        assert.same({ "p: i64 1 2", 'q: text "x" "y"' },
            columns(assert(lun.load(pipe, { format = "csv", header = false, sep = ";", names = { "p", "q" } }))))
        assert.equal("file", io.type(pipe))
        pipe:close()
        local t, message = lun.load(assert(io.popen "printf 'a,b\\n1\\n'"), { format = "csv" })
        assert.is_nil(t)
        assert.matches("^%(file handle%): line 2: 1 field", message)
        assert.has_error(function() lun.load(io.stdin) end,
            [[bad argument #2 to 'load' (of a file handle {format = "csv"}, "json", "jsonl", "arrow" or "arrows" is read)]])
    end)

    it("has any name with the option format", function()
        assert.same({ "a: i64 1" }, read("a\n1\n", { format = "csv" }, "data.log"))
        assert.same({ "a: i64 1" }, read("a\n1\n", { format = "csv" }, "data"))
    end)

    it("is the only member of a zip archive", function()
        local zip = require("lunarray.format.zip")
        local function archive(...)
            local writer, pieces = zip.writer(), {}
            local crc = require("lunarray.core").internal.crc32
            for _, member in ipairs { ... } do
                pieces[#pieces + 1] = writer:header(member[1], #member[2], crc(member[2]))
                pieces[#pieces + 1] = member[2]
            end
            pieces[#pieces + 1] = writer:finish()
            return write(table.concat(pieces), "t.zip")
        end
        assert.same({ "a: i64 1", "b: i64 2" }, columns(assert(lun.load(archive { "x/t.tsv", "a\tb\n1\t2\n" }))))
        local t, message = lun.load(archive({ "a.csv", "a\n1\n" }, { "b.csv", "a\n2\n" }))
        assert.is_nil(t)
        assert.matches("t.zip: the archive has 2 members; one .csv, .tsv or .txt file is expected: unpack it first$", message)
    end)
end)
