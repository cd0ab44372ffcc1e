-- CSV read in pieces on several threads: pieces of any size give what one piece gives, columns that turn out to be
-- something else far down, columns chosen by name, and the examples of RFC 4180.
local lun = require "lunarray"
local shell = require "shell"

local internal = require("lunarray.core").internal

local directory

local function write(text, name)
    return shell.write(directory .. "/" .. (name or "t.csv"), text)
end

local function load_text(text, opts)
    return lun.load(write(text), opts)
end

local function generator(seed)
    return function(n)
        seed = (seed * 6364136223846793005 + 1442695040888963407)
        return (seed >> 33) % n + 1
    end
end

-- All that reading a text in pieces of that size gives, as one text.
local function reading(text, piece, rules)
    local reader, names, line, column = internal.csv_open(text, nil, piece, false, rules)
    if not reader then
        return ("%s %d %s"):format(names, line, column)
    end
    local numbers = {}
    for i = 1, #names do
        numbers[i] = i
    end
    local columns, rows, flags, valid, skipped = internal.csv_columns(reader, numbers)
    if not columns then
        return ("%s %d %s"):format(rows, flags, valid)
    end
    local result = { ("%d rows"):format(rows), ("%d left out"):format(skipped) }
    for i, c in ipairs(columns) do
        local dtype = c:dtype()
        local values = dtype == "text" and table.concat(c:totable { missing = "<NA>" }, "|")
            or table.concat(c:cast("f64"):totable(), "|")
        result[#result + 1] = names[i] .. ":" .. dtype .. ":" .. #c .. ":" .. values:gsub("%-nan", "nan")
            .. ":" .. (valid[i] == nil and "all" or table.concat(valid[i]:cast("i64"):totable()))
    end
    return table.concat(result, "\n")
end

describe("csv in pieces", function()
    before_each(function()
        directory = shell.scratch()
    end)

    after_each(function()
        shell.discard(directory)
    end)

    it("is what it is in one, faults and their lines included (1200 random tables)", function()
        local random = generator(5)
        local fields = {
            { "1", "22", "-333", "0", "-0", "123456789012" }, { "1", "18446744073709551615", "7", "99999" },
            { "1", "2.5", "-1e5", "", "nan", " 3 " }, { "true", "False", "TRUE" }, { "-5", "9223372036854775808", "3" },
            { "x", "", '"a, b"', '"say ""so"""', '"two\nlines"', "Ω", '"x\r\ny"', "1" }, { '5\'11"', '6\'2"', "n" },
            { "1", "NA", "", "n/a", " ", "-7" }, { "007", "1", "NULL", "" }, { "true", "", "None", "False" },
            { "00", "1.5", "", "NA", "3" }, { "", "NA" }, { "NA", "x", "" }, { "0099999999999999999999", "1", "" },
        }
        local RULES = {
            {}, {}, { comment = "#" }, { escape = "\\" }, { ragged = "fill" }, { ragged = "skip" }, { nrows = 7 },
            { trim = true }, { quote = false }, { header = "none", ragged = "skip" }, { decimal = ",", thousands = "'" },
        }
        local odd = { "", "  ", "#, no row", "#\"", "1", "1,2,3,4,5,6,7" }
        local faults = { '"a"b', ' "a"', "a\rb", "1,2", "\255", "\0", '"open' }
        local seen = {}
        for _ = 1, 1200 do
            local width, rows = random(5), random(40)
            local lines, kinds = {}, {}
            for c = 1, width do
                lines[1] = (lines[1] and lines[1] .. "," or "") .. "c" .. c
                kinds[c] = fields[random(#fields)]
            end
            for r = 1, rows do
                local line = {}
                for c = 1, width do
                    line[c] = random(900) == 1 and faults[random(#faults)] or kinds[c][random(#kinds[c])]
                end
                lines[r + 1] = random(60) == 1 and odd[random(#odd)] or table.concat(line, ",")
            end
            local ending = ({ "\n", "\n", "\r\n", "\r" })[random(4)]
            local text = table.concat(lines, ending) .. (random(2) == 1 and ending or "")
            local rules = RULES[random(#RULES)]
            local whole = reading(text, 1 << 20, rules)
            for _ = 1, 4 do
                local piece = random(#text + 10)
                assert.equal(whole, reading(text, piece, rules), ("pieces of %d of %q"):format(piece, text))
            end
            seen[whole:match "^%a*"] = true
        end
        assert.is_true(seen[""] and seen.ragged and seen.encoding and seen.nul and seen.open and seen.late and true)
    end)

    it("is the same on 1 to 4 threads", function()
        local random, lines = generator(9), { "i,x,t,q" }
        for i = 1, 60000 do
            lines[#lines + 1] = ('%d,%d.%03d,name%d,"a, %d"'):format(i, random(1000), random(999), random(50), random(9))
        end
        local path, script = write(table.concat(lines, "\n") .. "\n"), write([[
            local lun = require "lunarray"
            local t = assert(lun.load(arg[1]))
            print(t.i:sum(), t.x:dtype(), ("%.17g"):format(t.x:sum()), #t.t, table.concat(t.t:totable()):len(),
                table.concat(t.q:totable()):len(), t.t:nunique(), t.t:unique()[7])
        ]], "count.lua")
        local results = {}
        for threads = 1, 4 do
            results[threads] = shell.capture(("LUNARRAY_THREADS=%d LUA_PATH='%s' LUA_CPATH='%s' %s %s %s"):format(
                threads, package.path, package.cpath, shell.interpreter(), script, path))
            assert.equal(results[1], results[threads])
        end
        assert.matches("^1800030000\tf64\t", results[1])
    end)

    describe("far down", function()
        local ROWS, AT = 200000, 180000

        -- A column of ROWS integers, but for one field.
        local function with(field)
            local lines = { "a,b" }
            for i = 1, ROWS do
                lines[i + 1] = (i == AT and field or i) .. "," .. i
            end
            return assert(load_text(table.concat(lines, "\n") .. "\n"))
        end

        it("a text makes the column one", function()
            local t = with "late"
            assert.equal("text", t.a:dtype())
            assert.same({ "1", tostring(AT - 1), "late", tostring(ROWS), ROWS },
                { t.a[1], t.a[AT - 1], t.a[AT], t.a[ROWS], #t.a })
            assert.equal(ROWS * (ROWS + 1) // 2, t.b:sum())
        end)

        it("a fraction makes the column f64, a missing value leaves it", function()
            for field, value in pairs { [""] = "nil", ["0.5"] = "0.5" } do
                local a = with(field).a
                assert.equal(field == "" and "i64" or "f64", a:dtype())
                assert.equal(field == "", a:ismissing()[AT])
                assert.equal(value, tostring(a[AT]))
                assert.equal(1, a[1] // 1 | 0)
                assert.equal(ROWS, a[ROWS] // 1 | 0)
                assert.equal(AT + 1, a[AT + 1] // 1 | 0)
            end
        end)

        it("a number beyond i64 makes the column u64, with signs f64", function()
            local a = with("18446744073709551615").a
            assert.same({ "u64", -1, 1, ROWS }, { a:dtype(), a[AT], a[1], a[ROWS] })
            local lines = { "a" }
            for i = 1, ROWS do
                lines[i + 1] = i == 1 and "-1" or i == AT and "18446744073709551615" or "9223372036854775808"
            end
            a = assert(load_text(table.concat(lines, "\n") .. "\n")).a
            assert.same({ "f64", -1.0, 0x1p64, 0x1p63 }, { a:dtype(), a[1], a[AT], a[ROWS] })
        end)

        it("a fraction keeps the sign of zeros before", function()
            local lines = { "a" }
            for i = 1, ROWS do
                lines[i + 1] = i == AT and "0.5" or i % 1000 == 0 and "-0" or "7"
            end
            local a = assert(load_text(table.concat(lines, "\n") .. "\n")).a
            assert.equal("f64", a:dtype())
            assert.equal(-math.huge, 1 / a[1000])
            assert.equal(7.0, a[1])
        end)

        it("a fault is named by its line and column", function()
            local lines = { "a,b" }
            for i = 1, ROWS do
                lines[i + 1] = i == AT and "1,\"x" or "1,\"a\nb\""
            end
            local t, message, code = load_text(table.concat(lines, "\n") .. "\n")
            assert.is_nil(t)
            assert.equal("format", code)
            assert.equal(("%s/t.csv: line %d: text after the closing quote of a field; a quote within quotes is doubled, "
                .. "and {quote = false} takes quotes as they are (column 2, 'b')"):format(directory, 2 * AT + 1), message)
        end)
    end)

    describe("columns", function()
        local TEXT = "a,b,c,a b\n1,x,2.5,true\n2,y,,false\n"

        it("are those that are asked for, in that order", function()
            local t = assert(load_text(TEXT, { columns = { "c", "a" } }))
            assert.same({ "c", "a" }, getmetatable(t).names)
            assert.equal(2, #t)
            assert.same({ 1, 2 }, t.a:totable())
            assert.is_false(t:has "b")
            assert.equal("bool", load_text(TEXT, { columns = { "a b" } })["a b"]:dtype())
        end)

        it("not asked for may hold anything, but rows are rows", function()
            assert.same({ 1, 2 }, load_text("a,b\n1,x\n2,5\n", { columns = { "a" } }).a:totable())
            local t, message = load_text("a,b\n1,x\n2\n", { columns = { "a" } })
            assert.is_nil(t)
            assert.matches("line 3: 1 field, but the header has 2; ", message)
        end)

        it("are refused by name", function()
            local t, message, code = load_text(TEXT, { columns = { "a", "z" } })
            assert.is_nil(t)
            assert.equal(directory .. "/t.csv: no column 'z'; there are 'a', 'b', 'c', 'a b'", message)
            assert.equal("format", code)
            local path = write(TEXT)
            for wrong, part in pairs {
                ["a"] = "columns is no list of names", [{}] = "columns is no list of names",
                [{ 0 }] = "columns%[1%] is a number, not a name", [{ "a", "a" }] = "columns has 'a' twice",
            } do
                local ok, problem = pcall(lun.load, path, { columns = wrong })
                assert.is_false(ok)
                assert.matches("bad argument #2 to 'load' %(" .. part, problem)
            end
        end)
    end)

    -- The rules of RFC 4180, section 2, by number; its texts.
    it("reads the examples of RFC 4180", function()
        local function columns(text)
            local t, list = assert(load_text(text)), {}
            for name, column in pairs(t) do
                list[#list + 1] = name .. "=" .. table.concat(column:totable { missing = "" }, "|")
            end
            return table.concat(list, ";")
        end
        local header = "field_name,field_2,field_3\r\n"
        local rows = "field_name=aaa|zzz;field_2=bbb|yyy;field_3=ccc|xxx"
        assert.equal(rows, columns(header .. "aaa,bbb,ccc\r\nzzz,yyy,xxx\r\n")) -- 1
        assert.equal(rows, columns(header .. "aaa,bbb,ccc\r\nzzz,yyy,xxx")) -- 2
        assert.equal(rows, columns(header .. '"aaa","bbb","ccc"\r\nzzz,yyy,xxx\r\n')) -- 3, 5
        assert.equal("field_name= a|z ;field_2=bbb|;field_3=ccc|x", columns(header .. " a,bbb,ccc\r\nz ,,x")) -- 4
        assert.equal("field_name=aaa|zzz;field_2=b \r\nbb|yyy;field_3=ccc|xxx",
            columns(header .. '"aaa","b \r\nbb","ccc"\r\nzzz,yyy,xxx')) -- 6
        assert.equal('field_name=aaa;field_2=b"bb;field_3=ccc', columns(header .. '"aaa","b""bb","ccc"')) -- 7
    end)

    it("finds the text of repeated values again, and others whose hashes meet", function()
        local lines, random = { "a,b" }, generator(3)
        local a, b = {}, {}
        for i = 1, 30000 do
            a[i], b[i] = "key" .. random(20000), ("%d"):format(random(3)):rep(random(12)) .. "x"
            lines[i + 1] = a[i] .. "," .. b[i]
        end
        local t = assert(load_text(table.concat(lines, "\n")))
        assert.same(a, t.a:totable())
        assert.same(b, t.b:totable())
    end)
end)
