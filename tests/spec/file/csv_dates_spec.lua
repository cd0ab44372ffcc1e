-- Dates and times of csv: what a column of them is, whatever stands where; formats and dtypes that are asked for;
-- written and read back.
local lun = require "lunarray"
local shell = require "shell"

local internal = require("lunarray.core").internal

local NA = lun.na
local directory

local function write(text, name)
    return shell.write(directory .. "/" .. (name or "t.csv"), text)
end

local function load(text, opts)
    return assert(lun.load(write(text), opts))
end

-- The dtype and the elements, as one text, of a column of these fields.
local function column(fields, opts)
    local t = load("a,b\n" .. table.concat(fields, ",1\n") .. ",1\n", opts)
    local texts = t.a:dtype() == "text" and t.a or t.a:cast "text"
    return t.a:dtype() .. ": " .. table.concat(texts:totable { missing = "NA" }, " | ")
end

local function refused(fields, opts)
    local t, message = lun.load(write("a,b\n" .. table.concat(fields, ",1\n") .. ",1\n"), opts)
    assert.is_nil(t)
    return message:match "^.-t%.csv: (.*)$"
end

setup(function() directory = shell.scratch() end)
teardown(function() shell.discard(directory) end)

describe("columns of csv", function()
    it("of ISO dates are dates, of times of dates timestamps", function()
        assert.equal("date: 2024-02-29 | 0001-01-01 | 9999-12-31", column { "2024-02-29", "0001-01-01", "9999-12-31" })
        assert.equal("date: 2024-02-29 | NA | 1970-01-01 | NA", column { '"2024-02-29"', "", " 1970-01-01 ", "NA" })
        assert.equal("timestamp: 2024-01-05 10:15:00 | 1969-12-31 23:59:59.250000 | NA",
            column { "2024-01-05T10:15", "1969-12-31 23:59:59.25", "null" })
        assert.equal("timestamp: 2024-01-05 08:15:00 | 2024-01-05 10:15:00", column { "2024-01-05T10:15+02:00", "2024-01-05T10:15Z" })
        local t = load "d,t\n2024-02-29,\n,2024-02-29 10:15\n"
        assert.same({ "Vector", "Vector" }, { t.d:kind(), t.t:kind() })
        assert.same({ 19782, -1 }, load("d,i\n2024-02-29,1\n1969-12-31,2\n").d:cast("i64"):totable())
    end)

    it("of anything else beside dates are text, as it stands", function()
        for _, other in ipairs { "soon", "2024-1-5", "2024-02-30", "0000-01-01", "24:00", "2024-01-05T24:00", "2024-01-05 10:60",
            "05.01.2024", "20240105", "1", "1.5", "true", "2024-01-05 10:15", "2024-01-05T10:15Z", "10000-01-01", "007", "inf",
            "2024-01-05x", "2024-01-05 10:15:00.1234567" } do
            local wanted = "text: 2024-01-05 | " .. other .. " | 2024-01-06"
            assert.equal(wanted, column { "2024-01-05", other, "2024-01-06" })
        end
        assert.equal("text: 2024-01-05 10:15 | 2024-01-05 10:15Z", column { "2024-01-05 10:15", "2024-01-05 10:15Z" })
        assert.equal("text: 10:15 | 10:16", column { "10:15", "10:16" })
    end)

    it("are the same in pieces, whatever stands first", function()
        local kinds = { "2024-01-05", "2024-01-05 10:15", "2024-01-05 10:15Z", "x", "1", "1.5", "true", "", "NA", "007", "2^64" }
        for _, first in ipairs(kinds) do
            for _, second in ipairs(kinds) do
                local text = "a,b\n" .. (first .. ",1\n"):rep(20) .. second .. ",1\n" .. (first .. ",1\n"):rep(3)
                local whole
                for _, piece in ipairs { 1 << 20, 30, 100 } do
                    local reader = internal.csv_open(text, nil, piece, false, {})
                    local columns, _, flags, valid = internal.csv_columns(reader, { 1 })
                    local a = columns[1]
                    local missing = (valid[1] and valid[1]:eq(false) or a:ismissing()):count()
                    local seen = ("%s %d %s"):format(a:dtype(), missing, tostring(a[21]))
                    assert.equal(internal.csv_kind(flags[1]), a:dtype())
                    whole = whole or seen
                    assert.equal(whole, seen, first .. " and " .. second)
                end
            end
        end
    end)

    it("far down make a column of dates text, or leave it one", function()
        local lines = { "a,b" }
        for i = 1, 200000 do
            lines[i + 1] = ("2024-%02d-%02d,%d"):format(i % 12 + 1, i % 28 + 1, i)
        end
        local path = write(table.concat(lines, "\n"))
        assert.equal("date", lun.load(path).a:dtype())
        lines[180001] = ",180000"
        local a = lun.load(write(table.concat(lines, "\n"))).a
        assert.same({ "date", 1, "2024-02-02" }, { a:dtype(), a:ismissing():count(), a[1] })
        lines[180001] = "never,180000"
        a = lun.load(write(table.concat(lines, "\n"))).a
        assert.same({ "text", "never", "2024-02-02" }, { a:dtype(), a[180000], a[1] })
        lines[180001] = "2024-01-01,1"
        for i = 2, 100000 do
            lines[i] = "," .. i
        end
        a = lun.load(write(table.concat(lines, "\n"))).a
        assert.same({ "date", 99999 }, { a:dtype(), a:ismissing():count() })
    end)

    it("stay text with dates = false, and are what dtypes says", function()
        assert.equal("text: 2024-01-05 | NA", column({ "2024-01-05", "" }, { dates = false }))
        assert.equal("text: 2024-01-05 | NA", column({ "2024-01-05", "NA" }, { dtypes = { a = "text" } }))
        assert.equal("text: 2024-01-05 | 1", column({ "2024-01-05", "1" }, { infer = false }))
        assert.equal("date: 2024-01-05 | NA", column({ "2024-01-05", "NA" }, { dtypes = { a = "date" } }))
        assert.equal("timestamp: 2024-01-05 00:00:00 | 2024-01-05 10:15:00",
            column({ "2024-01-05", "2024-01-05 10:15" }, { dtypes = { a = "timestamp" } }))
        assert.same({ 90000000, 93600500000, NA },
            load("a,b\n90,1\n1d 2h 0.5s,1\n,1\n", { dtypes = { a = "duration" } }).a:cast("i64"):totable())
        local german = { dtypes = { a = { "date", "%d.%m.%Y" } } }
        assert.equal("date: 2024-01-05 | NA | 2024-02-29", column({ "05.01.2024", "NA", " 29.02.2024 " }, german))
        assert.equal("timestamp: 2024-01-05 15:30:00", column({ "5 Jan 2024 03:30 PM" }, {
             dtypes = { a = { "timestamp", "%d %b %Y %I:%M %p" } } }))
        assert.equal("date: 2024-01-05", column({ "05.01.2024" }, { dtypes = { "date", "%d.%m.%Y" }, columns = { "a" } }))
        assert.equal("line 3: '2024-01-05' is no date (column 1, 'a')", refused({ "05.01.2024", "2024-01-05" }, german))
        assert.equal("line 2: '2024-02-30' is no date (column 1, 'a')", refused({ "2024-02-30" }, { dtypes = { a = "date" } }))
        assert.equal("line 3: '1' is no timestamp (column 1, 'a')", refused({ "2024-02-03", "1" }, { dtypes = { a = "timestamp" } }))
        assert.equal("times with and without an offset from UTC (column 1, 'a')",
            refused({ "2024-02-03 10:15", "2024-02-03 10:15Z" }, { dtypes = { a = "timestamp" } }))
        assert.equal("line 3: 'true' is no f64 (column 1, 'a')", refused({ "1", "true" }, { dtypes = { a = "f64" } }))
        assert.equal("line 2: '2024-01-05' is no bool (column 1, 'a')", refused({ "2024-01-05" }, { dtypes = { a = "bool" } }))
        assert.equal("line 2: '2024-01-05' is no i64 (column 1, 'a')", refused({ "2024-01-05" }, { dtypes = { a = "i64" } }))
        assert.equal("line 2: '2024-01-05' is no f32 (column 1, 'a')", refused({ "2024-01-05" }, { dtypes = { a = "f32" } }))
    end)

    it("refuse formats that are none", function()
        local path = write "a\n1\n"
        for message, opts in pairs {
            ["dtypes%['a'%]%[2%] is \"%%q\": %%q is no conversion of dates"] = { dtypes = { a = { "date", "%q" } } },
            ["dtypes%['a'%]%[2%] is \"%%Y %%H\": %%H is of a time, which a date has not"] = { dtypes = { a = { "date", "%Y %H" } } },
            ["dtypes%['a'%]%[2%] is 1; a format of dates is expected"] = { dtypes = { a = { "date", 1 } } },
            ["dtypes%['a'%] is a table; {\"date\", format} or"] = { dtypes = { a = { "i64", "%d" } } },
            ["dates is \"no\"; true or false is expected"] = { dates = "no" },
        } do
            local ok, wrong = pcall(lun.load, path, opts)
            assert.is_false(ok)
            assert.matches(message, wrong)
        end
        local ok, wrong = pcall(lun.save, path, lun.table { a = { 1 } }, { dates = "%z" })
        assert.is_false(ok)
        assert.matches("dates is \"%%z\": %%z is an offset, which arrays do not have", wrong)
    end)

    it("are written as they were, by a format, and durations as seconds", function()
        local path = directory .. "/o.csv"
        local text = "d,t,n\n2024-02-29,2024-01-05 10:15:00,1\n,1969-12-31 23:59:59.250000,2\n"
        assert(lun.save(path, load(text)))
        assert.equal(text, shell.slurp(path))
        assert(lun.save(path, load(text), { dates = "%d.%m.%Y", columns = { "d", "n" } }))
        assert.equal("d,n\n29.02.2024,1\n,2\n", shell.slurp(path))
        local spans = lun.vector({ "1d 2h", "-0.000001", NA, "10s", "0" }, "duration")
        assert(lun.save(path, lun.table { e = spans, n = { 1, 2, 3, 4, 5 } }))
        assert.equal("e,n\n93600,1\n-0.000001,2\n,3\n10,4\n0,5\n", shell.slurp(path))
        assert.is_true(lun.load(path, { dtypes = { e = "duration" } }).e:equals(spans))
    end)

    it("of several files are what all their fields say", function()
        write("d,e,f\n2024-01-05,2024-01-05,2024-01-05\n", "f1.csv")
        write("d,e,f\n,later,2024-01-05\n", "f2.csv")
        write("d,e,f\n2024-01-07,2024-01-05,2024-01-05 10:15\n", "f3.csv")
        local t = assert(lun.load(directory .. "/f?.csv"))
        assert.same({ "date", "text", "text" }, t:dtypes())
        assert.same({ "2024-01-05", NA, "2024-01-07" }, t.d:totable())
        assert.same({ "2024-01-05", "later", "2024-01-05" }, t.e:totable())
        assert.equal("2024-01-05 10:15", t.f[3])
    end)

    it("go where texts of dates went: lun.date, groups, filters", function()
        local t = load "d,x\n2024-01-05,1\n2024-02-05,2\n2024-02-06,4\n"
        assert.same({ 19727, 19758, 19759 }, lun.date.parse(t.d):totable())
        assert.same({ 1, 2, 2 }, lun.date.month(t.d):totable())
        assert.same({ 2, 4 }, t:filter(t.d:ge "2024-02-01").x:totable())
        assert.same({ 2 }, t:filter({ d = "2024-02-05" }).x:totable())
        assert.same({ { m = 1, s = 1 }, { m = 2, s = 6 } }, t:group({ m = t.d:month() }):agg({ s = { "sum", "x" } }):totable())
        assert.equal("date", lun.open(directory .. "/t.csv").d:dtype())
    end)
end)
