-- Headers and separators of csv files as other programs write them: columns without a name, names twice, `;`, tab and `|`
-- between fields, `.tsv` and `.txt`, and the option sep. What a text with another separator gives is compared with the same
-- text with commas.
local lun = require "lunarray"

local directory, path

local function load(text, opts, name)
    path = directory .. "/" .. (name or "t.csv")
    local file = assert(io.open(path, "wb"))
    file:write(text)
    file:close()
    return lun.load(path, opts)
end

-- Names in their order, and all columns as lists.
local function contents(t)
    local names, columns = {}, {}
    for name, column in pairs(t) do
        names[#names + 1] = name
        columns[name] = {}
        for i = 1, #column do columns[name][i] = tostring(column[i]) end
    end
    return names, columns
end

local function names_of(...)
    return (contents(assert(load(...))))
end

setup(function()
    local pipe = assert(io.popen "mktemp -d")
    directory = pipe:read "l"
    pipe:close()
end)

teardown(function() os.execute(("rm -rf '%s'"):format(directory)) end)

describe("headers of csv files", function()
    it("give columns without a name their number", function()
        assert.same({ "c1", "name", "x" }, names_of ",name,x\n0,a,1.5\n1,b,2.5\n")
        assert.same({ "a", "c2", "c3" }, names_of 'a,"", \t\n1,2,3\n')
        assert.same({ "c1" }, names_of "\n1\n2\n")
        local _, columns = contents(assert(load ",name,x\n0,a,1.5\n1,b,2.5\n"))
        assert.same({ c1 = { "0", "1" }, name = { "a", "b" }, x = { "1.5", "2.5" } }, columns)
    end)

    it("give a name that is there already the next number that no other name has", function()
        assert.same({ "a", "b", "a_2", "a_3" }, names_of "a,b,a,a\n1,2,3,4\n")
        assert.same({ "a", "a_3", "a_2" }, names_of "a,a,a_2\n1,2,3\n")
        assert.same({ "c2", "c2_2" }, names_of "c2,\n1,2\n")
        assert.same({ "c1", "c1_2" }, names_of ",c1\n1,2\n")
    end)

    it("lose blanks around names and the byte order mark", function()
        assert.same({ "a", "b c" }, names_of "\239\187\191 a ,\tb c\n1,2\n")
        assert.same({ "x", "x_2" }, names_of "x, x\n1,2\n")
    end)

    it("name columns for the option columns, and for lun.open", function()
        local t = assert(load(",x,x\n1,2,3\n", { columns = { "x_2", "c1" } }))
        assert.same({ "x_2", "c1" }, (contents(t)))
        assert.same({ 3 }, t.x_2:totable())
        assert.same({ 1 }, assert(lun.open(path)).c1:totable())
    end)
end)

describe("separators of csv files", function()
    -- fields that hold every separator, quotes and newlines
    local ROWS = {
        { "id", "a text", "x" }, { "1", '"b;c"', "1.5" }, { "2", '"d\te"', "-2" }, { "3", '"f|g,h"', "" },
        { "4", '"say ""i"""', "1e3" }, { "5", '"two\nlines"', "7" },
    }

    local function text_with(separator)
        local lines = {}
        for i, row in ipairs(ROWS) do
            lines[i] = table.concat(row, separator)
        end
        return table.concat(lines, "\n") .. "\n"
    end

    it("are those of the header", function()
        local names, columns = contents(assert(load(text_with ",")))
        for _, separator in ipairs { ";", "\t", "|" } do
            local other, others = contents(assert(load(text_with(separator))))
            assert.same(names, other)
            assert.same(columns, others)
        end
    end)

    it("are the most frequent, outside of quotes, where the header has no comma", function()
        assert.same({ "a|b", "c", "d" }, names_of "a|b;c;d\n1;2;3\n")
        assert.same({ "a;b;c", "d" }, names_of '"a;b;c"|d\n1|2\n')
        assert.same({ "a;b", "c" }, names_of "a;b,c\n1,2\n")
        assert.same({ "a, b", "c" }, names_of '"a, b";c\n1;2\n')
        assert.same({ "alone" }, names_of "alone\n1;2\n")
    end)

    it("are what the option says", function()
        assert.same({ "a;b", "c;d" }, names_of("a;b,c;d\n1,2\n", { sep = "," }))
        assert.same({ "a,b", "c,d" }, names_of("a,b;c,d\n1;2\n", { sep = ";" }))
        assert.same({ 1 }, assert(lun.open(path, { sep = ";" }))["a,b"]:totable())
        for _, bad in ipairs { "", ";;", '"', "\n", "\r", "\0", "\195", 59, true } do
            local ok, message = pcall(lun.load, path, { sep = bad })
            assert.is_false(ok)
            assert.matches("bad argument #2 to 'load' %(sep is .*one ASCII character", message)
        end
    end)

    it("are tabs in .tsv files, and those of the header in .txt files", function()
        assert.same({ "a,b", "c" }, names_of("a,b\tc\n1\t2\n", nil, "t.tsv"))
        assert.same({ "a", "b" }, names_of("a;b\n1;2\n", nil, "t.txt"))
        assert.same({ "a", "b" }, names_of("a;b\n1;2\n", { sep = ";" }, "t.tsv"))
    end)

    it("that are tabs keep rows of empty fields at the end", function()
        local t = assert(load("a\tb\n1\t2\n\t\n", nil, "t.tsv"))
        assert.equal(2, t.a:size())
        assert.equal(2, assert(load "a\tb\n1\t2\n\t\n\n").a:size())
    end)

    it("hold for long headers and many rows, in pieces", function()
        local names, row = {}, {}
        for i = 1, 20000 do
            names[i], row[i] = "column" .. i, i
        end
        local t = assert(load(table.concat(names, ";") .. "\n" .. table.concat(row, ";") .. "\n"))
        assert.equal(20000, t.column20000:totable()[1])
        local lines = { "a|b" }
        for i = 1, 100000 do lines[i + 1] = ("%d|%.1f"):format(i, i * 0.5) end
        t = assert(load(table.concat(lines, "\n")))
        assert.equal(5000050000, t.a:sum())
        assert.equal(2500025000, t.b:sum())
    end)

    it("are written, and quote what holds them", function()
        local t = { a = { "x;y", "x,y", "x\ty" }, b = lun.vector { 1, 2, 3 } }
        for name, expected in pairs {
            ["o.csv"] = 'a,b\nx;y,1\n"x,y",2\nx\ty,3\n', ["o.tsv"] = 'a\tb\nx;y\t1\nx,y\t2\n"x\ty"\t3\n',
        } do
            assert.is_true(lun.save(directory .. "/" .. name, t))
            assert.equal(expected, io.open(directory .. "/" .. name):read "a")
        end
        assert.is_true(lun.save(directory .. "/o.csv", t, { sep = ";" }))
        assert.equal('a;b\n"x;y";1\nx,y;2\nx\ty;3\n', io.open(directory .. "/o.csv"):read "a")
        assert.same(t.a, assert(lun.load(directory .. "/o.csv")).a:totable())
        assert.is_true(lun.save(directory .. "/o.tsv.gz", t))
        assert.same(t.a, assert(lun.load(directory .. "/o.tsv.gz")).a:totable())
        local ok, message = pcall(lun.save, directory .. "/o.csv", t, { sep = "ab" })
        assert.is_false(ok)
        assert.matches("bad argument #3 to 'save' %(sep is \"ab\"", message)
    end)
end)
