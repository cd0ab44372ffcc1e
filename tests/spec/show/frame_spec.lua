-- Tables of columns as they are printed: what is shown, how wide, and that no other element is read.
local lun = require "lunarray"
local object = require "lunarray.table.object"

local function load_text(text)
    local path = os.tmpname()
    os.rename(path, path .. ".csv")
    local file = assert(io.open(path .. ".csv", "wb"))
    file:write(text)
    file:close()
    local t = assert(lun.load(path .. ".csv"))
    os.remove(path .. ".csv")
    return t
end

-- The text as a list of lines.
local function lines_of(t)
    local lines = {}
    for line in (tostring(t) .. "\n"):gmatch "(.-)\n" do
        lines[#lines + 1] = line
    end
    return lines
end

-- "a,b" and so on: a table of n rows whose columns count.
local function counting(names, n)
    local t = {}
    for i, name in ipairs(names) do
        t[name] = lun.index(n) * i
    end
    return object.make(t, names, n)
end

describe("a table of columns", function()
    after_each(function()
        lun.width(nil)
        lun.precision(nil)
        lun.rows_shown(nil)
    end)

    it("prints as many rows as asked for", function()
        local t = counting({ "a" }, 12)
        assert.equal(11, lun.rows_shown())
        assert.equal(3 + 11, #lines_of(t)) -- title, names, dtypes; five, a gap, five
        assert.equal(12, lun.rows_shown(12))
        assert.equal(3 + 12, #lines_of(t))
        assert.equal(4, lun.rows_shown(4))
        local lines = lines_of(t)
        assert.equal(3 + 5, #lines)
        assert.matches("^ *2 +2$", lines[5])
        assert.matches("^ *11 +11$", lines[7])
        lun.rows_shown(math.huge)
        assert.equal(3 + 500, #lines_of(counting({ "a" }, 500)))
        for _, bad in ipairs { 1, 2.5, "x", -1 } do
            assert.matches("to 'rows_shown' %(a whole number from 2 on or math.huge expected, or nil for 11%)",
                (select(2, pcall(lun.rows_shown, bad))))
        end
    end)

    it("prints names, kinds and all of few rows", function()
        local t = load_text "id,who,x,ok,missing\n1,Zo\u{eb},1.5,true,\n20,\"a\nb\",,false,\n"
        assert.equal([[
5 columns, 2 rows
    id  who      x     ok  missing
   i64  text   f64   bool      f64
1    1  Zoë    1.5   true     <NA>
2   20  a\nb  <NA>  false     <NA>]], tostring(t))
        assert.equal(2, #t)
    end)

    it("prints the first and last five of many rows", function()
        assert.equal([[
2 columns, 100 rows
       a    b
     i64  i64
  1    1    2
  2    2    4
  3    3    6
  4    4    8
  5    5   10
...
 96   96  192
 97   97  194
 98   98  196
 99   99  198
100  100  200]], tostring(counting({ "a", "b" }, 100)))
        for n = 0, 30 do
            local lines = lines_of(counting({ "a" }, n))
            assert.equal(n <= 11 and 3 + n or 14, #lines)
            assert.equal(("1 column, %d row%s"):format(n, n == 1 and "" or "s"), lines[1])
            for k = 1, math.min(n, 5) do
                assert.same({ k, k }, { tonumber(lines[3 + k]:match "^ *(%d+)"), tonumber(lines[3 + k]:match "(%d+)$") })
                assert.equal(tostring(n - k + 1), lines[#lines - k + 1]:match "(%d+)$")
            end
        end
    end)

    it("reads no more than it shows", function()
        local n = 1 << 40
        local t = object.make({ x = lun.index(n):cast "f64" * 0.5 }, { "x" }, n)
        local before = lun.stats().bytes_written
        assert.matches("1099511627776  5.49756e%+11$", tostring(t))
        assert.is_true(lun.stats().bytes_written - before < 1e6)
    end)

    it("leaves out columns in the middle where there are too many", function()
        local names = {}
        for i = 1, 60 do
            names[i] = "column" .. i
        end
        local t = counting(names, 3)
        assert.equal("   column1  column2  column3  column4  ...  column58  column59  column60", lines_of(t)[2])
        for _, width in ipairs { 20, 21, 30, 41, 55, 80, 133, 1000 } do
            lun.width(width)
            local lines = lines_of(t)
            local shown = select(2, lines[2]:gsub("column", ""))
            local widest = 0
            for _, line in ipairs(lines) do
                widest = math.max(widest, #line)
            end
            assert.is_true(widest <= width, ("%d of %d"):format(widest, width))
            assert.is_true(shown == 60 or widest > width - 10 - 2, ("%d of %d"):format(widest, width))
            assert.equal(shown < 60, lines[2]:find("...", 1, true) ~= nil)
        end
    end)

    it("cuts long texts, and shows control characters as Lua writes them", function()
        local t = load_text(("text,n\n%s,1\n\"tab\there\1\",2\n%s,3\n"):format(("\u{e9}"):rep(40), ("x"):rep(32)))
        local lines = lines_of(t)
        assert.is_truthy(lines[4]:find(("1  %s...  "):format(("\u{e9}"):rep(29)), 1, true), lines[4])
        assert.is_truthy(lines[5]:find("2  tab\\there\\1  ", 1, true), lines[5])
        assert.is_truthy(lines[6]:find(("3  %s  "):format(("x"):rep(32)), 1, true), lines[6])
    end)

    it("shows columns that a script adds last, of freed ones no elements", function()
        local t = load_text "c,b\n1,2\n3,4\n"
        t.b, t.sum = nil, t.c + 1
        t.list = { "x", "y" }
        t.gone = lun.ones(2)
        t.gone:free()
        assert.equal([[
4 columns, 2 rows
     c  sum  list  gone
   i64  i64  text  freed
1    1    2  x
2    3    4  y]], tostring(t))
    end)

    it("shows the digits that lun.precision says", function()
        local t = load_text "x\n0.123456789\n"
        assert.matches("0.123457$", tostring(t))
        lun.precision(3)
        assert.matches(" 0.123$", tostring(t))
    end)

    it("of a csv is one result, which the prompt and print show alone", function()
        local path = os.tmpname()
        local file = assert(io.open(path, "w"))
        file:write "a\n1\n"
        file:close()
        os.rename(path, path .. ".csv")
        assert.equal(1, select("#", lun.load(path .. ".csv")))
        os.remove(path .. ".csv")
    end)
end)
