-- lun.open: arrays whose elements stay in a file. The same results as in memory, to the bit; nothing of the
-- file is kept; a write never reaches it; whatever can be wrong with a file is told.
local lun = require "lunarray"
local lfs = require "lfs"
local shell = require "shell"
local expect = require "expect"

local BUILD = os.getenv "BUILD" or "build"
local sanitized = BUILD:find "asan" or BUILD:find "tsan"
local directory

local function path_of(name)
    return directory .. "/" .. name
end

local function write(text, name)
    local path = path_of(name or "t.npy")
    local f = assert(io.open(path, "wb"))
    f:write(text)
    f:close()
    return path
end

local function slurp(path)
    local f = assert(io.open(path, "rb"))
    local text = f:read "a"
    f:close()
    return text
end

-- A file of so many bytes, nearly all of them 0, which takes no room on disk.
local function sparse(name, bytes)
    local path = path_of(name)
    local f = assert(io.open(path, "wb"))
    f:seek("set", bytes - 1)
    f:write "\1"
    f:close()
    return path
end

-- A .npy file of one Vector.
local function npy(descr, n, data)
    local header = ("{'descr': '%s', 'fortran_order': False, 'shape': (%d,), }\n"):format(descr, n)
    return "\147NUMPY\1\0" .. string.pack("<s2", header) .. data
end

local function open_files()
    local count = 0
    for _ in lfs.dir "/proc/self/fd" do
        count = count + 1
    end
    return count
end

-- Runs the program with a script under a shell's limits; gives what it printed and its status.
local function program(limits, script)
    local pipe = assert(io.popen(("%s; exec %s/lunarray -e '%s' 2>&1"):format(limits, BUILD, script)))
    local text = pipe:read "a"
    local _, _, status = pipe:close()
    return text, status
end

-- What an array gives in all ways that go through it, as numbers.
local function results(a)
    local x = a:dtype() == "bool" and a:cast "i32" or a
    local scan = lun.scan("+", 0)
    return {
        a:sum(), a:prod(), a:mean(), a:var(), a:min(), a:max(), a:argmin(), a:argmax(), a:norm(), a:count(),
        ((x * 2 + 1) * x):sum(), x:dot(x), x:reduce(function(p, q) return p > q and p or q end, 0):value(),
        scan(x):sum(), scan(x)[#a], x:map(function(v) return v * 3 end):sum(), (x:sub(2, -2) + x:sub(3, -1)):sum(),
        x:sub(1, -1, 7):sum(), (x .. x):sum(),
    }
end

local function same(a, b)
    return a == b and math.type(a) == math.type(b) or a ~= a and b ~= b
end

describe("lun.open", function()
    setup(function()
        directory = shell.scratch()
    end)

    teardown(function()
        shell.discard(directory)
    end)

    it("reads one array both in order and at other places in a function", function()
        local a = lun.linspace(0, 1, 100000):eval()
        local path = path_of "t.npy"
        assert(lun.save(path, a))
        for _, backend in ipairs { "reference", "openmp" } do
            lun.use(backend)
            local f = assert(lun.open(path))
            local g = f:map(function(x) return x + f[3] end)
            local h = (f * 2):zip(f, function(x, y) return x + y + f[7] end)
            assert.equal(0, g:ne(a + a[3]):count())
            assert.equal(0, h:ne(a * 2 + a + a[7]):count())
        end
    end)

    for _, dtype in ipairs { "bool", "i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64", "f32", "f64" } do
        it("gives the results of memory for " .. dtype, function()
            for _, n in ipairs { 3, 64, 1001, 16385, 150001 } do
                local a = ((lun.random(n, { seed = n }) - 0.5) * 200):cast(dtype):eval()
                local path = path_of "t.npy"
                assert(lun.save(path, a))
                local f = assert(lun.open(path))
                assert.equal(dtype, f:dtype())
                assert.equal(n, #f)
                assert.equal("Vector", f:kind())
                local want, got = results(a), results(f)
                for i = 1, #want do
                    assert(same(want[i], got[i]), ("n = %d, result %d: %s, %s in memory"):format(n, i, got[i], want[i]))
                end
                assert.equal((a:tobytes()), (f:tobytes()))
                assert.equal(a[n], f[n])
                f:free()
            end
        end)
    end

    it("reads bare elements from any byte on, in any shape", function()
        local a = lun.random(20000, { seed = 3, dtype = "f64" }):eval()
        for _, offset in ipairs { 0, 1, 13, 4096 } do
            local path = write(("x"):rep(offset) .. a:tobytes(), "t.raw")
            local f = assert(lun.open(path, { dtype = "f64", offset = offset }))
            assert.equal(a:sum(), f:sum())
            local g = assert(lun.open(path, { dtype = "f64", offset = offset, shape = { 100, 200 } }))
            assert.same({ 100, 200 }, { g:shape() })
            assert.equal(a[200 * 41 + 3], g[42][3])
            assert.equal(a:sub(201, 400):sum(), g[2]:sum())
            assert.equal((a * 2):sum(), (g * 2):sum())
        end
    end)

    it("turns elements of the other byte order, and any byte but 0 is true", function()
        local list, packed = {}, {}
        for i = 1, 20000 do
            list[i] = i * 77 - 1e5
            packed[i] = string.pack(">d", list[i])
        end
        local f = assert(lun.open(write(npy(">f8", #list, table.concat(packed)))))
        expect.elements(list, f)
        assert.equal(lun.vector(list):sum(), f:sum())
        for i = 1, #list do
            list[i] = i % 30000
            packed[i] = string.pack(">i2", list[i])
        end
        assert.equal(lun.vector(list):sum(), lun.open(write(npy(">i2", #list, table.concat(packed)))):sum())
        for i = 1, #list do
            list[i] = i * 1000.5
            packed[i] = string.pack(">f", list[i])
        end
        assert.equal(lun.vector(list, "f32"):sum(), lun.open(write(npy(">f4", #list, table.concat(packed)))):sum())
        assert.equal(3, lun.open(write("\0\1\2\255", "t.raw"), { dtype = "bool" }):count())
    end)

    it("keeps nothing of the file", function()
        local path = sparse("big.raw", 64 << 20)
        collectgarbage()
        lun.trim()
        lun.stats "reset"
        local f = assert(lun.open(path, { dtype = "f32" }))
        local before = lun.stats()
        assert.equal(before.allocated, lun.stats().peak)
        assert.equal(string.unpack("<f", "\0\0\0\1"), f:max())
        assert.equal(string.unpack("<f", "\0\0\0\1"), ((f * 2 + f) / 3):max())
        local after = lun.stats()
        assert.equal(before.peak, after.peak)
        assert.equal(before.allocations, after.allocations)
        assert.equal(2, after.launches - before.launches)
        local anonymous = io.open "/proc/self/status"
        if anonymous then
            local text = anonymous:read "a"
            anonymous:close()
            assert.is_true(tonumber(text:match "RssAnon:%s*(%d+)") < 400 << 10)
        end
    end)

    it("goes through files that are larger than memory may get", function()
        if sanitized then
            return -- a sanitizer's own tables need the address space
        end
        local path = sparse("huge.raw", 1 << 30)
        local text, status = program("ulimit -v 900000", ([[
            local f = lun.open("%s", {dtype = "i64"})
            print(f:sum(), (f + 1):max(), #f)
            print(pcall(function() f[1] = 5 end))
            print(f:sum())]]):format(path))
        local first = tostring(1 << 56)
        assert.equal(0, status, text)
        assert.is_truthy(text:find(("%s\t%d\t%d\n"):format(first, (1 << 56) + 1, 1 << 27), 1, true), text)
        assert.is_truthy(text:find "out of memory", text)
        assert.is_truthy(text:find "from a file", text)
        assert.is_truthy(text:find("\n" .. first .. "\n", 1, true), text)
        os.remove(path)
    end)

    it("copies what is written to, and leaves the file alone", function()
        local a = lun.range(1, 5000):eval()
        local path = path_of "t.npy"
        assert(lun.save(path, a))
        local bytes = slurp(path)
        local f = lun.open(path)
        local e, part, row = f + 1, f:sub(10, 20), f:reshape { 50, 100 }
        f[10] = -7
        assert.equal(-7, f[10])
        assert.equal(11, e[10])
        assert.equal(-7, part[1])
        assert.equal(10, row[1][10])
        assert.equal(a:sum() - 17, f:sum())
        part:fill(0)
        assert.equal(0, f[10])
        assert.equal(a:sum() - 165, f:sum())
        local g = lun.open(path)
        g:set(g * 2)
        assert.equal(2 * a:sum(), g:sum())
        local h = lun.open(path)
        lun.map "-":run { h, out = h }
        assert.equal(-a:sum(), h:sum())
        local m = lun.open(path):reshape { 50, 100 }
        m[2][3] = 0
        assert.equal(a:sum() - 103, m:sum())
        assert.equal(bytes, slurp(path))
    end)

    it("reads only the part that a function indexes", function()
        local f = assert(lun.open(sparse("big.raw", 64 << 20), { dtype = "u8" }))
        local w = f:sub(-1000, -1)
        lun.stats "reset"
        local before = lun.stats().allocated
        assert.equal(1, lun.index(1000):map(function(i) return w[i] end):sum())
        assert.is_true(lun.stats().peak - before < 1 << 20)
    end)

    it("goes on when the path is gone or another file's", function()
        local path = path_of "t.npy"
        assert(lun.save(path, lun.ones(1000)))
        local f = assert(lun.open(path))
        assert(lun.save(path, f + 1)) -- takes the place of the file that it reads
        assert.equal(1000, f:sum())
        assert.equal(2000, lun.open(path):sum())
        os.remove(path)
        assert.equal(1000, f:sum())
        local pipe = io.popen "true"
        assert.equal(1000, f:sum())
        pipe:close()
    end)

    it("tells that a file has changed, and survives it", function()
        local path = path_of "t.npy"
        assert(lun.save(path, lun.ones(100000)))
        local f = assert(lun.open(path))
        local half, e = f:sub(1, 100), f * 2
        write(slurp(path):sub(1, 5000))
        for _, use in ipairs {
            function() return f:sum() end, function() return e:eval() end, function() return f[1] end,
            function() return f:totable() end, function() f[1] = 1 end, function() return half:sum() end,
            function() return f:tobytes() end,
        } do
            local problem = expect.failure("changed since it was opened", use)
            assert.equal("EIO", problem.code)
            assert.is_truthy(problem.message:find(path, 1, true))
            assert.is_truthy(problem.where:find "open_spec", problem.where)
        end
        local _, message, code = lun.save(path_of "u.npy", e)
        assert.equal(5, code)
        assert.is_truthy(message:find "changed since it was opened")
        assert.is_nil(io.open(path_of "u.npy"))
        assert.equal(10, lun.ones(10):sum())
        write(slurp(path) .. "more")
        expect.failure("changed since it was opened", function() return f:sum() end)
    end)

    it("closes the file when the array ends", function()
        local path = path_of "t.npy"
        assert(lun.save(path, lun.ones(1000)))
        collectgarbage()
        lun.stats() -- what the collector found ends with the next call
        local before = open_files()
        do
            local f <close> = assert(lun.open(path))
            assert.equal(before + 1, open_files())
            local _ <close> = f:sub(1, 10)
            assert.equal(before + 1, open_files())
        end
        assert.equal(before, open_files())
        local f = lun.open(path)
        f:free()
        assert.equal(before, open_files())
        expect.failure("attempt to use a freed Vector", function() return f:sum() end)
        f = lun.open(path)
        f[1] = 2 -- from here on in memory
        assert.equal(before, open_files())
    end)

    it("does not run out of files while nobody holds the arrays", function()
        local path = path_of "t.npy"
        assert(lun.save(path, lun.ones(10)))
        local text = program("ulimit -n 40", ([[
            collectgarbage "generational"
            for i = 1, 500 do assert(assert(lun.open("%s")):sum() == 10) end
            local held = {}
            for i = 1, 50 do
                local f, message, code = lun.open("%s")
                if not f then print(message, code) break end
                held[i] = f
            end]]):format(path, path))
        assert.is_truthy(text:find "Too many open files\t24", text)
        assert.is_falsy(text:find "assertion", text)
    end)

    it("writes large expressions piece by piece #place", function()
        local f = assert(lun.open(sparse("big.raw", 80 << 20), { dtype = "u8" }))
        local out = path_of "out.npy"
        collectgarbage()
        lun.trim()
        lun.stats "reset"
        local before = lun.stats().allocated
        local e = (f + 3) * 2
        assert(lun.save(out, e))
        assert.is_true(lun.stats().peak - before < 32 << 20)
        assert.equal(2, e:pending()) -- not kept
        local g = assert(lun.open(out))
        assert.equal((80 << 20) * 6 + 2, g:sum())
        assert.same({ 6, 6, 8 }, { g[1], g[(80 << 20) - 1], g[80 << 20] })
        g:free()
        assert(lun.save(out, lun.scan("+", 0)(f:cast "u8"):reshape { 80, 1 << 20 }))
        assert.same({ 80, 1 << 20 }, { lun.open(out):shape() })
        assert.equal(lun.scan("+", 0)(f):sum(), lun.open(out):sum())
        assert(lun.save(path_of "out.raw", lun.index(10 << 20), { dtype = "i64" }))
        assert.equal((10 << 20) * ((10 << 20) + 1) // 2, lun.open(path_of "out.raw", { dtype = "i64" }):sum())
        os.remove(out)
        os.remove(path_of "out.raw")
    end)

    it("is as strict as lun.load", function()
        local good = npy("<f4", 3, ("x"):rep(12))
        local cases = {
            { good:sub(1, -2), {}, "short" }, { good .. "y", {}, "long" }, { "", {}, "short" },
            { good:sub(1, 20), {}, "short" }, { "garbage, not an array", {}, "format" },
            { npy("|O", 3, ("x"):rep(24)), {}, "unsupported" }, { npy("<m8[s]", 3, ("x"):rep(24)), {}, "unsupported" },
            { npy("<f4", 3, ("x"):rep(12)):gsub("False", "maybe"), {}, "format" },
            { "12345", { dtype = "f32" }, "short" }, { "12345678", { dtype = "f32", shape = 3 }, "short" },
            { "12345678", { dtype = "f32", shape = 1 }, "long" },
            { "12345678", { dtype = "f32", shape = { 1 << 40, 1 << 40 } }, "unsupported" },
        }
        for i, case in ipairs(cases) do
            local path = write(case[1], next(case[2]) and "t.raw" or "t.npy")
            local a, message, code = lun.open(path, case[2])
            local b, as_loaded, load_code = lun.load(path, case[2])
            assert.is_nil(a, "case " .. i)
            assert.is_nil(b)
            assert.equal(as_loaded, message)
            assert.equal(load_code, code)
            assert.equal(case[3], code, message)
        end
        local _, message, code = lun.open(write("12345", "t.raw"), { dtype = "u8", offset = 6 })
        assert.equal("short", code)
        assert.is_truthy(message:find("offset 6, but it has 5 bytes", 1, true))
        _, message, code = lun.open(write("x", "t.raw"), { dtype = "u8", shape = { 1, 1, 1, 1, 1, 1, 1, 1, 1 } })
        assert.equal("unsupported", code)
        assert.is_truthy(message:find "rank 9")
    end)

    it("takes empty files", function()
        local f = assert(lun.open(write("", "t.raw"), { dtype = "f64" }))
        assert.equal(0, #f)
        assert.equal(0, f:sum())
        expect.failure("max of an empty array", f.max, f)
        f = assert(lun.open(write("1234", "t.raw"), { dtype = "f64", offset = 4 }))
        assert.equal(0, #(f + 1))
        f = assert(lun.open(write(npy("<i4", 0, ""))))
        assert.equal(0, #f)
        assert.equal("", f:tobytes())
    end)

    it("says what it cannot open", function()
        local function fails(part, wanted, path, opts)
            local a, message, code = lun.open(path, opts)
            assert.is_nil(a)
            assert.is_truthy(message:find(part, 1, true), message)
            assert.equal(wanted, code)
        end
        fails("No such file or directory", 2, path_of "nothing.npy")
        fails("Is a directory", 21, directory, { dtype = "u8" })
        fails("not a regular file", 29, "/dev/null", { dtype = "u8" })
        os.execute("mkfifo " .. path_of "fifo.npy")
        fails("not a regular file", 29, path_of "fifo.npy")
        expect.failure("bad argument #1 to 'open' (unknown extension", lun.open, "a.xyz")
        expect.failure("bad argument #1 to 'open' (elements of a .png file", lun.open, "a.png")
        expect.failure("bad argument #1 to 'open' (path expected, got nil)", lun.open)
        expect.failure("bad argument #2 to 'open' (unknown option 'dtype' for npy)", lun.open, "a.npy", { dtype = "f32" })
        expect.failure("bad argument #2 to 'open' (unknown dtype 'f99'", lun.open, "a.raw", { dtype = "f99" })
        for _, offset in ipairs { -1, 1.5, "1" } do
            expect.failure("bad argument #2 to 'open' (offset must be a number of bytes", lun.open, "a.raw",
                { dtype = "u8", offset = offset })
        end
        expect.failure("unknown option 'offset' for raw", lun.load, "a.raw", { dtype = "u8", offset = 1 })
    end)

    it("gives the same on every backend", function()
        local path = path_of "t.npy"
        assert(lun.save(path, (lun.random(100003, { seed = 5, dtype = "f32" }) - 0.5):eval()))
        local want, before = nil, lun.use()
        for _, name in ipairs(lun.backends()) do
            lun.use(name)
            local f = lun.open(path)
            local got = { f:sum(), (f * f):sum(), (f * 2):max(), lun.scan("+", 0)(f)[100003], f[77] }
            want = want or got
            lun.use(before)
            assert.same(want, got, name)
        end
    end)
end)
