-- CSV files in gzip data: written and read whole, opened, and far longer than what is unpacked at a time.
local lun = require "lunarray"
local shell = require "shell"

local build = os.getenv "BUILD" or "build"
local sanitized = build:find "asan" or build:find "tsan" -- which takes memory of its own
local directory

local function path_of(name)
    return directory .. "/" .. name
end

local function write(text, name)
    return shell.write(path_of(name), text)
end

-- The file packed by gzip, which keeps it.
local function pack(path)
    assert(os.execute(("gzip -1 -k -f '%s'"):format(path)))
    return path .. ".gz"
end

local BLOCK = 960 << 10 -- bytes that are unpacked together

describe("csv files of gzip data", function()
    before_each(function()
        directory = shell.scratch()
    end)

    after_each(function()
        shell.discard(directory)
    end)

    it("are written, and read by anyone", function()
        local path = path_of "t.csv.gz"
        local texts = {}
        for i = 1, 70000 do
            texts[i] = "t" .. i % 100
        end
        local t = { x = lun.random(70000, { seed = 1 }), t = texts }
        assert.is_true(lun.save(path, t))
        assert(lun.save(path_of "t.csv", t))
        assert.equal(shell.slurp(path_of "t.csv"), shell.capture(("gzip -dc '%s'"):format(path)))
        local back = assert(lun.load(path, { columns = { "t", "x" } }))
        assert.same(texts, back.t:totable())
        assert.equal(t.x:cast "f64":tobytes(), back.x:tobytes())
        local before = shell.slurp(path)
        assert.is_true(lun.save(path, t))
        assert.equal(before, shell.slurp(path))
    end)

    it("by other programs are read, in several members too", function()
        write("a,b\n1,x\n", "1.csv")
        write("2,y\n", "2.csv")
        local path = path_of "two.csv.gz"
        assert(os.execute(("cd '%s'; gzip -c 1.csv > two.csv.gz; gzip -9 -c 2.csv >> two.csv.gz"):format(directory)))
        local t = assert(lun.load(path))
        assert.same({ 1, 2 }, t.a:totable())
        assert.same({ "x", "y" }, t.b:totable())
        if os.execute(("mkfifo '%s' 2>/dev/null"):format(path_of "p.csv.gz")) then
            os.execute(("(cat '%s' > '%s') &"):format(path, path_of "p.csv.gz"))
            assert.same({ 1, 2 }, assert(lun.load(path_of "p.csv.gz")).a:totable())
        end
    end)

    it("that is damaged, cut off or none is refused", function()
        local path = path_of "d.csv.gz"
        assert(lun.save(path, { x = lun.random(1000, { seed = 1 }) }))
        local good = shell.slurp(path)
        local function refused(text, message, code)
            write(text, "d.csv.gz")
            local t, got, why = lun.load(path)
            assert.is_nil(t)
            assert.equal(path .. ": " .. message, got)
            assert.equal(code, why)
        end
        refused(good:sub(1, #good // 2), "the gzip data ends early", "short")
        refused(good:sub(1, -2), "the gzip data ends early", "short")
        refused("", "the gzip data ends early", "short")
        refused(good .. "x", "bytes follow the gzip data", "long")
        refused(good:sub(1, -9) .. "\1\2\3\4" .. good:sub(-4), "the gzip data is damaged (incorrect data check)", "format")
        refused("x\n1\n", "the gzip data is damaged (incorrect header check)", "format")
    end)

    it("with a fault in the text names its line", function()
        write("a,b\n1,2\n3\n", "t.csv")
        assert(os.execute(("gzip '%s'"):format(path_of "t.csv")))
        local _, message = lun.load(path_of "t.csv.gz")
        assert.equal(path_of "t.csv.gz" .. ": line 3: 1 field, but the header has 2", message:match "^[^;]*")
    end)

    it("of lengths around those of blocks, in members that end there too, give the same rows", function()
        for _, size in ipairs { BLOCK - 1, BLOCK, BLOCK + 1, 2 * BLOCK, 3 * BLOCK + 17 } do
            local lines, length = { "i,t" }, 4
            while length < size - 200 do
                lines[#lines + 1] = ("%d,%s"):format(#lines, ("x"):rep(50 + #lines % 7))
                length = length + #lines[#lines] + 1
            end
            lines[#lines + 1] = ("%d,"):format(#lines)
            lines[#lines] = lines[#lines] .. ("y"):rep(size - length - #lines[#lines] - 1)
            local text = table.concat(lines, "\n") .. "\n"
            assert.equal(size, #text)
            local whole = pack(write(text, "w.csv"))
            pack(write(text:sub(1, BLOCK), "1.csv"))
            pack(write(text:sub(BLOCK + 1), "2.csv"))
            pack(write("", "0.csv"))
            assert(os.execute(("cd '%s'; cat 0.csv.gz 1.csv.gz 0.csv.gz 2.csv.gz 0.csv.gz > m.csv.gz"):format(directory)))
            for _, path in ipairs { whole, path_of "m.csv.gz" } do
                for _, read in ipairs { lun.load, lun.open } do
                    local t = assert(read(path))
                    assert.equal(#lines - 1, #t)
                    assert.is_true(t.i:eq(lun.index(#lines - 1)):all())
                    assert.equal(lines[#lines], ("%d,%s"):format(#t, t.t[#t]))
                end
            end
        end
    end)

    describe("that are opened", function()
        it("read a column when it is used", function()
            local t = assert(lun.open(pack(write("a,b,c\n1,x,2.5\n2,y,\n3,z,4\n", "o.csv"))))
            assert.equal(tostring(lun.load(path_of "o.csv.gz")), tostring(t))
            assert.same({ "x", "y", "z" }, t.b:totable())
            assert.same({ 1, 2, 3 }, t.a:totable())
            assert.is_nil(rawget(t, "c"))
            assert.equal(6.5, t.c:sum { skipnan = true })
        end)

        it("are checked at once, and refused when they have changed", function()
            local path = pack(write("a,b\n1,2\n3\n", "o.csv"))
            local function refused(message, code)
                local t, got, why = lun.open(path)
                assert.same({ nil, path .. ": " .. message, code }, { t, got:match "^[^;]*", why })
            end
            refused("line 3: 1 field, but the header has 2", "format")
            pack(write("a,b\n1,2\n3,4\n", "o.csv"))
            local t = assert(lun.open(path))
            local good = shell.slurp(path)
            write(good .. "x", "o.csv.gz")
            local ok, problem = pcall(function() return t.a:sum() end)
            assert.is_false(ok)
            assert.equal(path .. ": the file has changed since it was opened; open it again", problem)
            refused("bytes follow the gzip data", "long")
            write(good:sub(1, -2), "o.csv.gz")
            refused("the gzip data ends early", "short")
            write("a,b\n", "o.csv.gz")
            refused("the gzip data is damaged (incorrect header check)", "format")
        end)
    end)

    describe("of 70 MB", function()
        -- Rows of 80 bytes and more, some with quotes and newlines; what they hold follows from their number.
        local PROGRAM = [[awk 'BEGIN { print "i,half,t,pad"
            pad = "0123456789abcdefghijklmnopqrstuvwxyz ABCDEFGHIJKLMNOPQRSTUVWXYZ"
            for (i = 1; i <= %d; i++)
                printf "%%d,%%d.5,%%s,%%s%%d\n", i, i, i %% 1000 ? "t" i %% 89 : "\"a\n, \"\"" i "\"", pad, i * 7 %% 13
            %s }' | gzip -1 > '%s']]
        local ROWS = 800000

        local function make(tail)
            local path = path_of "l.csv.gz"
            assert(os.execute(PROGRAM:format(ROWS, tail, path)))
            return path
        end

        it("are the same rows on any number of threads, in little memory", function()
            local path = make ""
            local program = write(([[
                local lun = require "lunarray"
                local path, rows = "%s", %d
                local function check(t)
                    assert(#t == rows and t.i:eq(lun.index(rows)):all() and t.half:eq(lun.index(rows) + 0.5):all())
                    for i = 1, rows, 997 do
                        assert(i %% 1000 == 0 or t.t[i] == "t" .. i %% 89)
                    end
                    for i = 1000, rows, 1000 do
                        assert(t.t[i] == 'a\n, "' .. i)
                    end
                end
                check(assert(lun.load(path, { columns = { "i", "half", "t" } })))
                collectgarbage()
                local t = lun.open(path)
                assert(lun.stats().allocated < 45 << 20, lun.stats().allocated)
                check(t)
                for line in io.lines "/proc/self/status" do
                    local peak = line:match "^VmHWM:%%s*(%%d+)"
                    assert(not peak or tonumber(peak) < %d, peak)
                end
                print "fine"
            ]]):format(path, ROWS, sanitized and 1 << 40 or 130 << 10), "check.lua")
            for _, threads in ipairs { 1, 3 } do
                assert.equal("fine\n", shell.capture(("LUNARRAY_THREADS=%d '%s' '%s' 2>&1")
                    :format(threads, shell.interpreter(), program)))
            end
        end)

        it("name the line of a fault, also behind a quote inside of a field", function()
            local path = make [[; print "5,5\"11,t,p"; for (i = 1; i <= 99; i++) print "1,2,3,4"; print "1,2,3"]]
            local t, message = lun.load(path)
            assert.is_nil(t)
            local line = 1 + ROWS + ROWS // 1000 + 1 + 99 + 1
            assert.equal(("%s: line %d: 3 fields, but the header has 4"):format(path, line), message:match "^[^;]*")
        end)
    end)
end)
