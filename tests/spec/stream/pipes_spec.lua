-- lun.open of what comes once: pipes, files of Lua's. Rows are those of lun.load of the same bytes, whose values other
-- specs compare with those of Python; sums here are added up as the file is made.
local lun = require "lunarray"
local lfs = require "lfs"

local csvpipe = require "lunarray.format.csvpipe"

local path

-- A file of these texts, piped.
local function piped(opts, ...)
    local file = assert(io.open(path, "wb"))
    assert(file:write(...))
    file:close()
    opts.format = "csv"
    return lun.open(io.popen(("cat '%s'"):format(path)), opts)
end

local lines = {}
for i = 1, 380000 do
    lines[i] = ("%d,%s\n"):format(i, i % 5 == 0 and "" or "text " .. i % 100)
end
local body = table.concat(lines) -- more than one part

describe("lun.open of a pipe", function()
    setup(function()
        path = os.tmpname()
    end)
    teardown(function()
        os.remove(path)
    end)

    it("gives the rows of lun.load", function()
        local cases = {
            { "a,b\n" .. body, {} },
            { ("a,b\n" .. body):gsub("\n", "\r"):sub(1, -2), {} },
            { ("a;b\n\n" .. body):gsub(",", ";"):gsub("(%d+00);", '"%1\n\n\n";') .. "\n\n", {} },
            { ("junk\na\n" .. body):gsub(",[^\n]*", ""):gsub("00\n", "00\n\n"), { skip = 1, nrows = 378000 } },
            { body:gsub("text 7", 'te"xt'):gsub(",\n", "\n"), { header = false, quote = false, ragged = "fill" } },
            { "a,b\n" .. body, { columns = { "b" }, dtypes = { b = "text" }, source = "from" } },
        }
        for k, case in ipairs(cases) do
            local opened = assert(piped(case[2], case[1]))
            case[2].format = "csv"
            local loaded = assert(lun.load(io.open(path), case[2]))
            assert.is_true(#loaded >= 378000)
            assert.is_true(lun.eval(opened) == loaded, "case " .. k)
        end
    end)

    it("adds up as many rows as come, in one pass", function()
        local t = assert(piped({}, "a,b\n", body, body))
        local all = t:group("b"):agg { n = "count", s = { "sum", "a" } }
        local n, s = 0, 0
        for i = 1, 380000 do
            if i % 100 == 7 then
                n, s = n + 2, s + 2 * i
            end
        end
        local row = all:filter({ b = "text 7" })[1]
        assert.same({ n, s }, { row.n, row.s })
        assert.equal(2 * 380000, all.n:sum())
    end)

    it("says that it is read once, where lines are wrong, and which column is another dtype", function()
        local t = assert(piped({}, "a,b\n", body))
        assert.equal(380000 * 380001 // 2, t.a:sum())
        local ok, message = pcall(function() return t.a:max() end)
        assert.is_false(ok)
        assert.match("read once, and its first rows are gone; lun.load keeps all rows", message, 1, true)
        for text, wanted in pairs {
            ["1,2,3\n"] = "(file handle): line 380002: 3 fields, but the header has 2",
            ['1,"x\n'] = "(file handle): line 380002: the quote opened here is never closed (column 2, 'b')",
            ["1.5,x\n"] = "column 'a' is f64, as later rows say, and the first rows are gone: {dtypes = {a = \"f64\"}}",
        } do
            local opened = assert(piped({}, "a,b\n", body, text))
            ok, message = pcall(function() return opened.a:sum() end)
            assert.is_false(ok)
            assert.match(wanted, message, 1, true)
        end
        assert.same({ nil, "(file handle): line 1: the file is empty; a header line was expected", "format" },
            { piped({}, "") })
        assert.match("zip archives, and text of another encoding", select(2, piped({ encoding = "latin1" }, "a\n1\n")), 1, true)
        assert.has_error(function() lun.open(io.stdin) end,
            "bad argument #2 to 'open' (of a file handle {format = \"csv\"} is read)")
    end)

    it("unpacks gzip data, of one member or several, as it comes", function()
        local function gzipped(text) -- by the program gzip
            local plain = os.tmpname()
            local file = assert(io.open(plain, "wb"))
            file:write(text)
            file:close()
            local pipe = io.popen(("gzip -c '%s'"):format(plain))
            local bytes = pipe:read "a"
            pipe:close()
            os.remove(plain)
            return bytes
        end
        local s = 0
        for i = 1, 380000 do s = s + i end
        local whole = gzipped("a,b\n" .. body)
        for _, bytes in ipairs { whole, gzipped("a,b\n" .. body:sub(1, 1000001)) .. gzipped(body:sub(1000002)) } do
            local t = assert(piped({}, bytes))
            local all = t:agg { n = "count", s = { "sum", "a" }, gaps = { "count", "b" } }[1]
            assert.same({ n = 380000, s = s, gaps = 304000 }, all)
        end
        assert.same({ 1, 3 }, assert(piped({}, gzipped "a\n1\n3\n")).a:totable())
        local head, tail = whole:sub(1, #whole // 2), whole:sub(#whole // 2 + 1)
        for _, case in ipairs { { head, "the gzip data ends early" }, { whole .. "more", "bytes follow the gzip data" },
            { head .. ("\255"):rep(1000) .. tail, "the gzip data is damaged" }, { "\31\139", "the gzip data ends early" },
            { gzipped "\255\254a\0", "text of another encoding" } } do
            local ok, said = pcall(function()
                local t, message = piped({}, case[1])
                return t and tostring(t.a:sum()) or error(message, 0)
            end)
            assert.is_false(ok)
            assert.match(case[2], said, 1, true)
        end
    end)

    it("takes a small one more than once, and a fifo by its name", function()
        local t = assert(piped({}, "a,b\n1,x\n3,y\n"))
        assert.same({ 4, 3, 2 }, { t.a:sum(), t.a:max(), #t })
        local fifo = path .. ".csv"
        assert(os.execute(("mkfifo '%s' && (cat '%s' > '%s' &)"):format(fifo, path, fifo)))
        t = assert(lun.open(fifo))
        os.remove(fifo)
        assert.equal(2.0, t.a:mean())
        assert.is_nil(lfs.attributes(fifo))
    end)

    it("is cut behind rows, wherever bytes come", function()
        local function joined(text, length)
            local at, parts = 1, {}
            local pipe = csvpipe.new({ part = function()
                local some = text:sub(at, at + length - 1)
                at = at + length
                return some
            end }, '"')
            while true do
                local more = pipe:go(#parts + 1, function(part)
                    return select(2, part:gsub('"', "")) % 2 == 0
                end)
                if not more then
                    break
                end
                parts[#parts + 1] = pipe.text
            end
            return parts
        end
        local text = 'a,b\n1,"x\n\n""y"\n\n\n2,z\r\n3,"\n"\n'
        for length = 1, #text + 1 do
            local parts = joined(text, length)
            assert.equal(text, table.concat(parts))
            for k = 1, #parts - 1 do
                assert.match("[^%s]\r?\n$", parts[k])
                assert.equal(0, select(2, parts[k]:gsub('"', "")) % 2)
            end
        end
    end)
end)
