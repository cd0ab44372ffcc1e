-- lun.stream: elements that come in chunks, compared with the same elements in memory; where they come from, what they
-- may not be, what is left after an error.

local lun = require "lunarray"
local shell = require "shell"

local N <const> = 200003

local function all()
    return lun.index(N) * 0.37 - 1000
end

-- A stream of these elements in chunks of that size.
local function stream(chunk)
    local at = 0
    return lun.stream(function()
        local count = math.min(chunk, N - at)
        at = at + count
        if count > 0 then
            return (lun.index(count) + (at - count)) * 0.37 - 1000
        end
    end, { dtype = "f64" })
end

local function fault(text, f, ...)
    local ok, message = pcall(f, ...)
    assert.is_false(ok)
    assert.is_truthy(tostring(message):find(text, 1, true), tostring(message))
end

-- A stream of the values of a list, one after the other.
local function of_list(list, dtype)
    local k = 0
    return lun.stream(function() k = k + 1 return list[k] end, { dtype = dtype or "f64" })
end

local function scratch(extension)
    local path = os.tmpname()
    os.remove(path)
    return path .. (extension or "")
end

describe("a stream #place", function()
    it("has the bits of the same elements in memory", function()
        local a = all()
        for _, chunk in ipairs { 9973, 65536, N } do
            assert.equal(a:sum(), stream(chunk):sum())
            assert.equal(a:mean(), stream(chunk):mean())
            assert.equal(a:min(), stream(chunk):min())
            assert.equal(a:max(), stream(chunk):max())
            assert.equal(lun.eval(a:reduce("+", 0)), stream(chunk):reduce("+", 0))
            assert.equal(lun.eval(a:reduce(function(x, y) return math.max(x, y) end, 0)),
                stream(chunk):reduce(function(x, y) return math.max(x, y) end, 0))
            assert.equal((a * 2 + 1):abs():sqrt():sum(), (stream(chunk) * 2 + 1):abs():sqrt():sum())
            assert.equal(a:gt(5):count(), stream(chunk):gt(5):count())
            local counts, edges = stream(chunk):histogram(7, { range = { -1000, 500 } })
            local known, ends = a:histogram(7, { range = { -1000, 500 } })
            assert.same(known:totable(), counts:totable())
            assert.same(ends:totable(), edges:totable())
        end
    end)

    it("is mapped, filtered, taken apart", function()
        local a = all()
        local kept = a:filter(function(x) return x > 100 end):map(function(x) return x * x end)
        assert.equal(kept:sum(), stream(1000):filter(function(x) return x > 100 end):map(function(x) return x * x end):sum())
        assert.is_true(stream(777):eval():equals(a))
        assert.is_true(stream(777):head(3):equals(a:sub(1, 3)))
        local firsts, total = {}, 0
        for first, x in stream(777):parts(80000) do
            firsts[#firsts + 1] = first
            total = total + #x
        end
        assert.same({ 1, 80001, 160001 }, firsts)
        assert.equal(N, total)
    end)

    it("has moments in one pass", function()
        local a = all()
        assert.is_true(math.abs(stream(777):var() / a:var() - 1) < 1e-12)
        assert.is_true(math.abs(stream(777):std { ddof = 1 } / a:std { ddof = 1 } - 1) < 1e-12)
    end)

    it("is written as a file, whole or not at all", function()
        local path, npy = scratch ".bin", scratch ".npy"
        finally(function() os.remove(path) os.remove(npy) end)
        assert.is_true(stream(777):write(npy))
        assert.is_true(assert(lun.load(npy)):equals(all()))
        assert.is_true(stream(777):lt(0):write(npy))
        assert.is_true(assert(lun.load(npy)):equals(all():lt(0)))
        assert.is_true(stream(777):write(path))
        assert.equal(all():sum(), lun.stream(path, { dtype = "f64" }):sum())
        fault("chunk 2 of the stream: gone", function()
            local k = 0
            return lun.stream(function()
                k = k + 1
                return k == 1 and lun.zeros(100000) or error("gone", 0)
            end, { dtype = "f64" }):write(path)
        end)
        assert.equal(all():sum(), lun.stream(path, { dtype = "f64" }):sum())
        fault("the extension is none of .npy .raw .bin", stream(1).write, stream(777), "x.csv")
        local done, message = stream(777):write "/no/such/folder/x.bin"
        assert.is_nil(done)
        assert.is_truthy(message:find("No such file", 1, true))
    end)

    it("comes of a coroutine, a list, a number, bytes", function()
        local co = coroutine.create(function()
            for i = 1, 5 do coroutine.yield { i, i + 1 } end
        end)
        assert.equal(35, lun.stream(co, { dtype = "i32" }):sum())
        assert.equal(10, of_list({ 1, 2, { 3, 4 } }, "i64"):sum())
        local bytes = lun.vector({ 1, 2, 3 }, "i64"):tobytes()
        assert.same({ 1, 2, 3 }, of_list({ bytes:sub(1, 11), bytes:sub(12, 13), bytes:sub(14) }, "i64"):eval():totable())
    end)

    it("comes of pipes, sockets and files that grow", function()
        assert.equal(5.0 * 1000, lun.stream(io.popen "head -c 40000 /dev/zero", { dtype = "f64" })
            :map(function(x) return x + 1 end):sum())
        local texts, left = { "timeout", ("\1"):rep(10), "timeout", ("\1"):rep(6), "closed" }, 0
        local socket = {}
        function socket.receive()
            left = left + 1
            local text = texts[left]
            if text == "timeout" or text == "closed" then
                return nil, text, ""
            end
            return text
        end
        assert.equal(2, #lun.stream(socket, { dtype = "u64" }):eval())
        local path = scratch()
        finally(function() os.remove(path) end)
        assert(io.open(path, "wb")):close()
        os.execute(("(for i in 1 2 3; do head -c 800 /dev/zero >> %s; sleep 0.1; done) >/dev/null 2>&1 &"):format(path))
        assert.equal(300, #lun.stream(path, { dtype = "f64", follow = 3 }):eval()) -- a loaded machine may stall the writer
    end)

    it("is of the same memory for any number of elements", function()
        local s, n = lun.stream(function() return lun.ones(100000) end, { dtype = "f64" }), 0
        collectgarbage()
        lun.stats "reset"
        for _, x in s:parts() do
            n = n + #x
            collectgarbage() -- what Lua has not collected yet counts, too
            if n > 2e7 then
                break
            end
        end
        assert.is_true(lun.stats().peak < 8 * n / 3, tostring(lun.stats().peak))
    end)

    it("names the chunk in errors, and is read once", function()
        local k = 0
        local s = lun.stream(function()
            k = k + 1
            return k == 4 and error "the sensor is gone" or { k }
        end, { dtype = "f64" })
        fault("chunk 4 of the stream: ", s.sum, s)
        fault("the stream has been read, up to chunk 4: what comes is read once", s.sum, s)
        fault("chunk 2 of the stream: a Vector, a list of numbers, a number or bytes expected, got boolean",
            of_list({ 1, true }).sum, of_list { 1, true })
        fault("chunk 2 of the stream: a Vector of f64 expected, got i64[1]", stream(1).sum,
            of_list { 1, lun.vector { 1 } })
        fault("the stream ends within an element: 3 bytes of the 4 of one of f32", stream(1).sum,
            of_list({ "abcdefg" }, "f32"))
        local t = lun.vector { 1, 2, 3 }
        fault("chunks 1 to 2 of the stream: index 4 is out of range for array 't'", function()
            return of_list({ { 1, 2 }, { 4 } }, "i64"):map(function(x) return t[x] end):sum()
        end)
    end)

    it("without elements has what reductions have of none", function()
        assert.equal(0, of_list({}):sum())
        assert.equal(7, of_list({}):reduce("+", 7))
        assert.equal(0, #of_list({}):eval())
        fault("min of a stream without elements", stream(1).min, of_list {})
    end)

    it("refuses what needs all elements at once", function()
        local s = stream(10)
        fault("a stream has no 'sort': it has all any count", function() return s.sort end)
        fault("a stream is computed with numbers", function() return s + lun.vector { 1 } end)
        fault("how many elements a stream has", function() return #s end)
        fault("are not assigned", function() s[1] = 2 end)
        fault("{range={lo, hi}} expected", s.histogram, s, 4)
        fault("the function gives f64: true or false expected", s.filter, s, function(x) return x end)
        fault("an initial value expected", s.reduce, s, "+")
        fault("{ddof=1} expected", s.var, s, 3)
    end)

    it("refuses other sources and options", function()
        fault("bad argument #2 to 'stream' (a table of options expected", lun.stream, print)
        fault("unknown option 'dtyp'; the options are dtype and follow", lun.stream, print, { dtyp = 1 })
        fault("option dtype: a dtype of numbers or bool expected, got text", lun.stream, print, { dtype = "text" })
        fault("path, open file or socket expected, got number", lun.stream, 5, { dtype = "f32" })
        fault("/nope: No such file", lun.stream, "/nope", { dtype = "f32" })
        fault("option follow: seconds, or true, expected", lun.stream, "/dev/null", { dtype = "f32", follow = -1 })
        fault("option follow: a path expected", lun.stream, print, { dtype = "f32", follow = 1 })
    end)

    it("ends at Ctrl-C, and the file that it was to write is as it was", function()
        local path, script = scratch ".bin", scratch ".lua"
        finally(function() os.remove(path) os.remove(script) end)
        local file = assert(io.open(path, "w"))
        file:write "old"
        file:close()
        file = assert(io.open(script, "w"))
        file:write(([[
            local begun
            local s = lun.stream(function()
                begun = begun or os.execute "(sleep 0.1; kill -INT $PPID) &" -- once the stream runs
                return lun.zeros(1000)
            end, { dtype = "f64" })
            print(pcall(s.write, s, %q))
        ]]):format(path))
        file:close()
        local pipe = assert(io.popen(("(%s %s; true) 2>&1"):format(shell.interpreter(), script)))
        local text = pipe:read "a"
        pipe:close()
        assert.is_truthy(text:find("interrupted!", 1, true), text)
        file = assert(io.open(path))
        assert.equal("old", file:read "a")
        file:close()
    end)

    it("has no files and sockets in the sandbox", function()
        local script = scratch ".lua"
        finally(function() os.remove(script) end)
        local file = assert(io.open(script, "w"))
        file:write [[
            print(pcall(lun.stream, "/etc/passwd", { dtype = "u8" }))
            print(pcall(lun.stream, { receive = print }, { dtype = "u8" }))
            local s = lun.stream(function() end, { dtype = "u8" })
            print(pcall(s.write, s, "/tmp/escaped.bin"))
            print(lun.stream(coroutine.create(function() coroutine.yield { 3, 4 } end), { dtype = "u8" }):sum())
        ]]
        file:close()
        local text = shell.capture(("%s --sandbox %s 2>&1"):format(shell.interpreter(), script))
        local count = select(2, text:gsub("false[^\n]*the sandbox has no files", ""))
        assert.equal(3, count, text)
        assert.is_truthy(text:find "\n7\n", text)
    end)
end)
