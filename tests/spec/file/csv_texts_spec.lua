-- Columns of text of csv: what is missing and what is empty, codes of all widths, fields across pieces, what Python's
-- csv module wrote, and files saved as they were.
local lun = require "lunarray"
local shell = require "shell"

local stored = require "file.python_texts"

local internal = require("lunarray.core").internal

local NA = lun.na
local directory

local function write(text, name)
    return shell.write(directory .. "/" .. (name or "t.csv"), text)
end

local function load(text, opts)
    return assert(lun.load(write(text), opts))
end

setup(function() directory = shell.scratch() end)
teardown(function() shell.discard(directory) end)

-- Texts of which about `most` are different.
local function some(n, most, seed)
    local list = {}
    for i = 1, n do
        seed = seed * 6364136223846793005 + 1442695040888963407
        local x = (seed >> 33) % most
        list[i] = x % 11 == 0 and NA or x % 13 == 0 and "" or x % 3 == 0 and ("a longer text, no. %d"):format(x) or "t" .. x
    end
    return list
end

-- A csv of a column of these texts and their numbers.
local function csv_of(list)
    local lines = { "t,i" }
    for i, x in ipairs(list) do
        lines[i + 1] = (x == NA and "" or '"' .. x .. '"') .. "," .. i
    end
    return table.concat(lines, "\n") .. "\n"
end

describe("texts of csv", function()
    it("are those that Python's csv module was given", function()
        for k, case in ipairs(stored) do
            local t = load(case.text, { sep = case.separator })
            for c, name in ipairs { "a", "b", "c" } do
                assert.equal("text", t[name]:dtype())
                assert.same(case.columns[c], t[name]:totable(), ("case %d, column %d"):format(k, c))
            end
            local reader, names = internal.csv_open(case.text, nil, nil, false, { separator = case.separator })
            assert.same({ "a", "b", "c" }, names)
            internal.csv_close(reader)
            for _, piece in ipairs { 1, 7, 64, 300 } do
                reader = internal.csv_open(case.text, nil, piece, false, { separator = case.separator })
                for c, column in ipairs((internal.csv_columns(reader, { 1, 2, 3 }))) do
                    assert.same(case.columns[c], column:totable(), ("case %d in pieces of %d"):format(k, piece))
                end
            end
        end
    end)

    it("are missing in an empty field and empty between quotes", function()
        local t = load 'a,b,c\nx,1,\n,2,\n"",3,\n" ",4,""\nNA,5,\n'
        assert.same({ "x", NA, "", " ", "NA" }, t.a:totable())
        assert.same({ false, true, false, false, false }, t.a:ismissing():totable())
        assert.equal("f64", t.c:dtype())
        assert.equal(1, t.a:ismissing():count())
        assert.same({ NA, "", "" }, load('a\nx\n\n""\n" "\n', { trim = true }).a:sub(2):totable())
        assert.same({ NA, NA, "x" }, load('a,b\n-,1\n"-",1\nx,1\n', { na = { "-" } }).a:totable())
        assert.same({ NA, "x" }, load('a,b\n,1\nx,1\n', { dtypes = { a = "text" }, na = false }).a:totable())
        assert.same({ NA, NA }, load('a,b\n,1\n,2\n', { dtypes = "text" }).a:totable())
        assert.same({ "x", NA }, load('a,b\n1,x\n2\n', { ragged = "fill" }).b:totable())
        assert.same({ "a,b", "", NA }, load('a,b\na\\,b,1\n"",2\n,3\n', { escape = "\\" }).a:totable())
    end)

    it("have codes as narrow as their number allows, and the order of bytes", function()
        for _, most in ipairs { 1, 2, 255, 256, 65535, 65536, 70000 } do
            local lines = { "t,i" }
            for i = 1, most + 5 do
                lines[i + 1] = ("k%06d,%d"):format((i * 13) % most, i)
            end
            local t = load(table.concat(lines, "\n"))
            local u = t.t:unique()
            assert.equal(most, #u)
            assert.same({ "k000000", ("k%06d"):format(most - 1) }, { u[1], u[most] })
            local g = lun.group(t.t)
            assert.equal(most, #g)
            assert.equal((most + 5) * (most + 6) // 2, g:sum(t.i):sum())
            assert.equal(("k%06d"):format(13 % most), t.t[1])
        end
    end)

    it("are the same whether they repeat or not, on any number of threads", function()
        local script = write([[
            local lun = require "lunarray"
            local t = assert(lun.load(arg[1]))
            local g = lun.group(t.t)
            print(#t, #t.t:dropna():unique(), t.t:ismissing():count(), #g, g:count():max(), ("%d"):format(g:sum(t.i):max()))
            local keys = g:keys()
            print(keys[1], keys[#keys // 2], keys[#keys - 1], keys[#keys])
            print(t.t:upper():len():sum(), t.t:eq("t7"):count(), t.t:sort()[5], t:sort("-t", "i").i[3])
            assert(lun.save(arg[1] .. ".copy.csv", t))
            print(io.open(arg[1] .. ".copy.csv"):read "a" == io.open(arg[1]):read "a")
        ]], "texts.lua")
        for k, most in ipairs { 5, 3000, 1 << 40 } do
            local list = some(150000, most, k)
            local lines, values, missing = { "t,i" }, {}, 0
            for i, x in ipairs(list) do
                local field = x == NA and "" or x == "" and '""' or x:find "," and '"' .. x .. '"' or x
                lines[i + 1] = field .. "," .. i
                if x == NA then
                    missing = missing + 1
                else
                    values[x] = true
                end
            end
            local distinct = 0
            for _ in pairs(values) do
                distinct = distinct + 1
            end
            local path, first = write(table.concat(lines, "\n") .. "\n"), nil
            for _, threads in ipairs { 1, 2, 3, 7 } do
                local out = shell.capture(("LUNARRAY_THREADS=%d LUA_PATH='%s' LUA_CPATH='%s' %s %s %s"):format(threads,
                    package.path, package.cpath, shell.interpreter(), script, path))
                first = first or out
                assert.equal(first, out)
            end
            assert.equal(("150000\t%d\t%d"):format(distinct, missing), first:match "^%d+\t%d+\t%d+")
            assert.matches("true\n$", first)
        end
    end)

    it("take a code a row and a view a value, and no more", function()
        local function bytes(rows, most)
            local lines = { "t,i" }
            for i = 1, rows do
                lines[i + 1] = ("k%06d,%d"):format(i % most, i)
            end
            return load(table.concat(lines, "\n")).t:nbytes()
        end
        assert.equal(2000, bytes(3000, 5) - bytes(1000, 5))
        assert.equal(4000, bytes(3000, 300) - bytes(1000, 300))
        for _, rows in ipairs { 70000, 200000 } do
            local each = bytes(rows, rows) / rows
            assert.is_true(each >= 20 and each < 20.1, each)
        end
        local long = load("t,i\n" .. ("x"):rep(100000) .. ",1\n").t
        assert.is_true(long:nbytes() >= 100000 and long:nbytes() < 101000)
    end)

    it("give up no value where texts begin to repeat after many that do not, or the reverse", function()
        for _, early in ipairs { true, false } do
            local list = {}
            for i = 1, 140000 do
                list[i] = (i <= 70000) == early and "only " .. i or "again" .. i % 7
            end
            local t = load(csv_of(list))
            assert.equal(70007, t.t:nunique())
            assert.equal(7, lun.group(t.t):count():gt(1):count())
            assert.is_true(t.t:equals(lun.vector(list, "text")))
            assert.equal(10000, t.t:eq("again3"):count())
        end
    end)

    it("may be long, and lie across pieces", function()
        local long = ("0123456789"):rep(1 << 20)
        local t = load('t,i\n"' .. long .. '",1\nshort,2\n' .. long .. "x,3\n")
        assert.same({ #long, 5, #long + 1 }, t.t:len():totable())
        assert.is_true(t.t[1] == long and t.t[3] == long .. "x")
    end)

    it("are saved as they were, and missing ones at the end of a single column as empty ones", function()
        local form = 'name,n,note\nAnna,1,\n"B ""x""",,""\nNA,3,"two\nlines"\n lead,4,007\n'
        local path = directory .. "/o.csv"
        assert(lun.save(path, load(form)))
        assert.equal(form, shell.slurp(path))
        assert(lun.save(path, lun.table { only = { "x", NA, "", NA, NA } }))
        assert.equal('only\nx\n\n""\n""\n""\n', shell.slurp(path))
        assert.same({ "x", NA, "", "", "" }, lun.load(path).only:totable())
        local list = {}
        for i = 1, 70000 do
            list[i] = (i < 10 or i == 66000) and "x" or NA
        end
        assert(lun.save(path, lun.table { only = list }))
        local only = assert(lun.load(path)).only
        assert.same({ 70000, 65990, 4000 }, { #only, only:ismissing():count(), only:eq(""):count() })
        local ok, message = pcall(lun.save, path, lun.table { a = { "x", "" } }, { quote = "none" })
        assert.is_false(ok)
        assert.matches("column 'a': row 2 needs quotes", message)
        assert(lun.save(path, lun.table { a = { "x", NA } }, { quote = "none" }))
        assert.equal("a\nx\n\n", shell.slurp(path))
    end)

    it("of several files are one column, with its gaps", function()
        write("t,n\nx,1\n,2\n", "s1.csv")
        write('t,n\n"",3\ny,4\n', "s2.csv")
        write("t,n\n5,5\n", "s3.csv")
        local t = assert(lun.load(directory .. "/s?.csv", { source = "from" }))
        assert.same({ "x", NA, "", "y", "5" }, t.t:totable())
        assert.equal("text", t.from:dtype())
        assert.equal(3, t.from:nunique())
        assert.equal(directory .. "/s3.csv", t.from[5])
    end)

    it("say how they were read: names made, words taken as missing, rows left out", function()
        local t = load(",x,x,k\n1,NA,2.5,NA\n2,4,null,x\n3,NA,1\n", { ragged = "skip" })
        assert.same({ separator = ",", nameless = false, skipped = 1, made = { "c1", "x_2" }, words = { "NA", "null" } },
            getmetatable(t).csv)
        local script = write([[
            local lun = require "lunarray"
            local info = lun.load(arg[1], { ragged = "skip" }):info()
            print(table.concat(info.name:totable(), " "), table.concat(info.missing:totable(), " "))
        ]], "info.lua")
        local out = shell.capture(("LUA_PATH='%s' LUA_CPATH='%s' %s %s %s"):format(package.path, package.cpath,
            shell.interpreter(), script, directory .. "/t.csv"))
        assert.equal('read with sep = ","; names made: c1, x_2; taken as missing: NA, null; 1 row left out\n'
            .. "c1 x x_2 k\t0 1 1 0\n", out:match "read with.*")
        assert.same({}, getmetatable(load("a,b\n-,1\nNA,2\n", { na = { "-" } })).csv.words)
        write("a,b\n1,None\n", "w1.csv")
        write("a,b\n#N/A,2\n", "w2.csv")
        assert.same({ "#N/A", "None" }, getmetatable(lun.load(directory .. "/w?.csv")).csv.words)
    end)

    it("go through every verb", function()
        local t = load 'k,s,x\nb,p,1\na,,2\nb,"",3\n,q,4\n'
        assert.same({ { k = "a", n = 0 }, { k = "b", n = 2 }, { n = 1 } },
            t:group("k"):agg({ n = { "count", "s" } }):totable())
        assert.same({ "a", "b", "b", NA }, t:sort("k").k:totable())
        assert.same({ "b", "a", NA }, t:unique("k").k:totable())
        assert.same({ { value = "b", count = 2 }, { value = "a", count = 1 }, { count = 1 } },
            t.k:value_counts():totable())
        assert.same({ 3 }, { #t:dropna "k" })
        assert.same({ 1, 3 }, t:filter({ k = "b" }).x:totable())
        assert.same({ "B", "A", "B", NA }, t.k:upper():totable())
        local u = lun.table { k = { "a", "b", NA }, y = { 10, 20, 30 } }
        assert.same({ 20, 10, 20, NA }, t:join(u, "k", { how = "left" }).y:totable())
        assert.same({ { "a", "b", NA }, { 2, 1, 2, 3 } }, { (lun.group(t.k):keys()):totable(), lun.group(t.k):codes():totable() })
        local codes, levels = lun.factor(t.k)
        assert.same({ { "a", "b" }, 2, 1 }, { levels:totable(), codes[1], codes[2] })
        assert.same({ "b", NA, "b", "b" }, lun.rows(t, { 1, 0, 3, 1 }).k:totable())
        assert.same({ "b", "-" }, t:fillna({ k = "-" }).k:take(lun.vector { 1, 4 }):totable())
        assert.is_true((t .. t).k:equals(lun.concat { t.k, t.k }))
        assert.is_true(lun.vector(t.x, "text"):equals(lun.vector { "1", "2", "3", "4" }))
        assert.equal("date", lun.vector(load("d,e\n2024-01-05,1\n", { dtypes = "text" }).d, "date"):dtype())
        local i, j = lun.join(t.k, { "b", "c" })
        assert.same({ { 1, 3 }, { 1, 1 } }, { i:totable(), j:totable() })
    end)
end)
