-- HDF5 files: what h5py wrote (hdf5_made.h5, by hdf5_tools.py) comes in, what goes out it reads where it is installed;
-- parts, what is refused, saves that fail.
local expect = require "expect"
local onranks = require "onranks"
local shell = require "shell"

local MADE = "tests/spec/doors/hdf5_made.h5"

if lun.door "hdf5" ~= true then
    print "doors/hdf5: skipped: no HDF5 library"
    return
end

local python = (os.getenv "BUILD" or "build") .. "/doors/venv/bin/python"
local has_h5py = os.execute(("'%s' -c 'import h5py' 2>/dev/null"):format(python))
if not has_h5py then
    print "doors/hdf5: files of h5py: skipped: no h5py (sh tests/setup.sh doors)"
end

describe("HDF5", function()
    local directory

    local function path_of(name) return directory .. "/" .. (name or "t.h5") end

    local function message_of(...)
        local t, message, code = lun.load(...)
        assert.is_nil(t)
        return message, code
    end

    local function tools(...)
        local pipe = io.popen(("'%s' tests/spec/doors/hdf5_tools.py %s 2>&1"):format(python, table.concat({ ... }, " ")))
        local text = pipe:read "a"
        assert(pipe:close(), text)
        return text
    end

    before_each(function() directory = shell.scratch() end)
    after_each(function() shell.discard(directory) end)

    it("gives every integer and float of both byte orders", function()
        local t = assert(lun.load(MADE))
        local letters = { i = "i", u = "u", f = "f" }
        for _, order in ipairs { "little", "big" } do
            for letter, kind in pairs(letters) do
                for bytes = letter == "f" and 1 or 0, 3 do
                    local dtype = kind .. (8 << bytes)
                    local a = t[("%s/%s%d"):format(order, letter, 1 << bytes)]
                    assert.equal(dtype, a:dtype())
                    if letter == "i" then
                        local most = (1 << (8 << bytes) - 1) - 1
                        assert.same({ -most - 1, 0, 1, most }, a:totable())
                    elseif letter == "u" then
                        assert.same({ 0, 0, 1, bytes == 3 and 2.0 ^ 64 or (1 << (8 << bytes)) - 1 }, a:cast "f64":totable())
                    else
                        local most = ({ 65504.0, 0x1.fffffep127, 0x1.fffffffffffffp1023 })[bytes]
                        local least = ({ 0x1p-24, 0x1p-149, 0x1p-1074 })[bytes]
                        local tiny = ({ 0x1p-14, 0x1p-126, 0x1p-1022 })[bytes]
                        local x = a:cast "f64":totable()
                        assert.same({ -most, 0.0, tiny, least }, { table.unpack(x, 1, 4) })
                        assert.equal(-1 / 0, 1 / x[2])
                        assert.is_true(x[5] ~= x[5])
                        assert.same({ 1 / 0, -1 / 0, most }, { table.unpack(x, 6) })
                    end
                end
            end
        end
    end)

    it("gives shapes, truth values, enumerations, chunks and unusual widths", function()
        local t = assert(lun.load(MADE))
        assert.same({ 2, 3, 4 }, { t["run1/density"]:shape() })
        assert.same({ 0, 1, 2, 3 }, t["run1/density"][1][1]:totable())
        assert.equal(23, t["run1/density"][2][3][4])
        assert.same({ 0, 3 }, { t.empty:shape() })
        assert.equal("i16", t.empty:dtype())
        assert.equal(2.5, t.scalar:value())
        assert.same({ true, false, true }, t.truth:totable())
        assert.same({ true, false, true }, t.wide:totable())
        assert.same({ 0, 9, 1 }, t.colours:totable())
        assert.is_true(t.packed:reshape(600):equals((lun.index(600) - 1):cast "i32"))
        assert.same({ 7, 7, 7, 7 }, t.filled:totable())
        assert.same({ 1, 2 }, t["naïve/größe"]:totable())
        assert.same({ -8388608, 5, 8388607 }, t.three:totable())
        assert.equal("bf16", t.brain:dtype())
        assert.same({ 1.5, -0.0, 0x1.fep127, 1 / 0 }, t.brain:totable())
        assert.same({ 1.25, -0.0, 57344.0, 1 / 0, 0x1p-16 }, t.quarter:totable())
        for _, name in ipairs { "text", "records", "complex", "nothing", "reference", "soft", "elsewhere", "run2/density" } do
            assert.is_nil(t[name])
        end
    end)

    it("reads one dataset, and parts of it", function()
        local a = assert(lun.load(MADE, { dataset = "/run2//density/" }))
        assert.same({ 2, 3, 4 }, { a:shape() })
        assert.is_true(a:equals(lun.load(MADE, { dataset = "soft" })))
        assert.is_true(a:sub(2, 2):equals(lun.load(MADE, { dataset = "run1/density", part = { 2, 2 } })))
        assert.is_true(a:sub(2, 2):equals(lun.load(MADE, { dataset = "run1/density", part = { -1, -1 } })))
        local b = lun.load(MADE, { dataset = "packed", part = { { 6, 22 }, { -3, -1 } } })
        assert.same({ 17, 3 }, { b:shape() })
        for i = 1, 17 do
            for j = 1, 3 do
                assert.equal((i + 4) * 20 + j + 16, b[i][j])
            end
        end
        assert.same({ 0, 20 }, { lun.load(MADE, { dataset = "packed", part = { 5, 4 } }):shape() })
        assert.matches("dataset 'packed': part {30, 31} is not within the 30 elements along axis 1",
            (message_of(MADE, { dataset = "packed", part = { 30, 31 } })))
        assert.matches("part has 2 axes, the dataset 1", (message_of(MADE, { dataset = "truth", part = { { 1, 1 }, { 1, 1 } } })))
        assert.matches("part has 1 axes, the dataset 0", (message_of(MADE, { dataset = "scalar", part = { 1, 1 } })))
    end)

    it("refuses what is no array of numbers by name", function()
        local message, code = message_of(MADE, { dataset = "text" })
        assert.equal(MADE .. ": dataset 'text': texts; numbers are read", message)
        assert.equal("unsupported", code)
        assert.matches("'complex': records;", (message_of(MADE, { dataset = "complex" })))
        assert.matches("'nothing': no elements and no shape;", (message_of(MADE, { dataset = "nothing" })))
        assert.matches("'reference': references;", (message_of(MADE, { dataset = "reference" })))
        assert.matches("'run1' is no dataset", (message_of(MADE, { dataset = "run1" })))
        assert.matches("no dataset 'none': HDF5: ", (message_of(MADE, { dataset = "none" })))
        assert.matches("no dataset 'dangling': HDF5: ", (message_of(MADE, { dataset = "dangling" })))
        assert.matches("no dataset 'elsewhere': HDF5: ", (message_of(MADE, { dataset = "elsewhere" })))
        expect.failure("unknown option 'sep'", lun.load, MADE, { sep = "," })
        expect.failure("part is of one dataset", lun.load, MADE, { part = { 1, 2 } })
        expect.failure("part is neither", lun.load, MADE, { dataset = "x", part = { 1, 2.5 } })
        expect.failure("part is neither", lun.load, MADE, { dataset = "x", part = {} })
        expect.failure('dataset is "/"', lun.load, MADE, { dataset = "/" })
        expect.failure("dataset is a table", lun.load, MADE, { dataset = {} })
    end)

    it("refuses files that are none", function()
        assert.equal(2, select(2, message_of(path_of "none.h5")))
        shell.write(path_of "text.h5", ("no file "):rep(500))
        local message, code = message_of(path_of "text.h5")
        assert.same({ path_of "text.h5" .. ": not an HDF5 file", "format" }, { message, code })
        shell.write(path_of "old.nc", "CDF\1" .. ("\0"):rep(100))
        message, code = message_of(path_of "old.nc")
        assert.matches("a classic NetCDF file; nccopy %-4", message)
        assert.equal("unsupported", code)
        shell.write(path_of "empty.h5", "")
        assert.equal("format", select(2, message_of(path_of "empty.h5")))
        assert.is_nil((lun.open(path_of "empty.h5")))
        local whole = shell.slurp(MADE)
        for size = 8, #whole - 1, 997 do
            shell.write(path_of "cut.h5", whole:sub(1, size))
            assert.equal("format", select(2, message_of(path_of "cut.h5")))
        end
    end)

    it("opened lists what there is, and reads it when it is used", function()
        local f = assert(lun.open(MADE))
        local by_path = {}
        for _, set in ipairs(f:list()) do
            by_path[set.path] = set
        end
        assert.same({ path = "run1/density", dtype = "f64", shape = { 2, 3, 4 } }, by_path["run1/density"])
        assert.same({ path = "text", refused = "texts", shape = {} }, by_path.text)
        assert.is_nil(by_path["run2/density"])
        assert.matches("^HDF5 file .-made%.h5\n  brain  bf16%[4%]\n.*\n  complex  records, not read\n.*%.%.%. %d+ more$", tostring(f))
        local names = table.concat(f:names(), " ")
        assert.matches("run1/density", names)
        assert.not_matches("text", names)
        local a = f["run1/density"]
        assert.equal(276, a:sum())
        assert.equal(a, f["/run1/density"])
        assert.same({ true, false, true }, f.truth:totable())
        assert.same({ 1, 3, 4 }, { f:read("run1/density", { part = { 2, 2 } }):shape() })
        assert.matches("no dataset 'zz'", select(2, f:read "zz"))
        expect.failure("no dataset 'zz'", function() return f.zz end)
        expect.failure("read only", function() f.truth = lun.vector { 1 } end)
        expect.failure("unknown option 'rows'; part is known", f.read, f, "truth", { rows = 1 })
        expect.failure("path expected, got nil", f.read, f)
    end)

    it("writes every dtype and reads it back, in groups", function()
        local t = { ["a/b/truth"] = lun.vector({ true, false }, "bool"), ["a/ü"] = (lun.index(24) * 0.5):reshape(2, 3, 4),
            ["a/turned"] = lun.index(6):reshape(2, 3):transpose(), one = lun.vector { 7 }:select(1, 1),
            none = lun.vector({}, "f32"), flat = lun.index(12):reshape(3, 0 + 4):sub(2, 3) }
        for _, dtype in ipairs { "i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64", "f16", "bf16", "f32", "f64" } do
            t["all/" .. dtype] = lun.vector({ 0, 1, 100 }, dtype)
        end
        for _, opts in ipairs { {}, { compression = 0 }, { compression = 9 } } do
            assert.is_true(lun.save(path_of(), t, opts))
            local u = assert(lun.load(path_of()))
            for name, a in pairs(t) do
                assert.equal(a:dtype(), u[name]:dtype(), name)
                assert.same({ a:shape() }, { u[name]:shape() }, name)
                assert.equal(a:tobytes(), u[name]:tobytes(), name)
            end
        end
        assert.is_true(lun.save(path_of(), lun.vector { 1, 2 }, { dataset = "/x/y" }))
        assert.same({ 1, 2 }, lun.load(path_of())["x/y"]:totable())
        assert.is_nil(lun.load(path_of()).none)
        local first = shell.slurp(path_of())
        assert.is_true(lun.save(path_of(), { ["x/y"] = lun.vector { 1, 2 } }))
        assert.equal(first, shell.slurp(path_of()))
        assert.is_true(lun.save(path_of(), lun.table({ a = lun.vector { 1, 2 }, b = { true, false } }, { "a", "b" })))
        assert.same({ true, false }, lun.load(path_of()).b:totable())
    end)

    it("writes and reads more than a piece at a time", function()
        local a = lun.random({ 5, 900, 1100 }, { seed = 1, dtype = "f32" }):eval()
        for _, opts in ipairs { {}, { compression = 1 } } do
            assert.is_true(lun.save(path_of(), { a = a }, opts))
            assert.equal(a:tobytes(), lun.load(path_of()).a:tobytes())
            assert.equal(a:sub(2, 3):tobytes(), lun.load(path_of(), { dataset = "a", part = { 2, 3 } }):tobytes())
        end
    end)

    it("refuses to write what it cannot have", function()
        local v = lun.vector { 1 }
        local function refused(message, ...)
            expect.failure(message, lun.save, path_of(), ...)
        end
        refused("dataset is not given", v)
        refused("array or table of arrays by path expected", 5)
        refused("option 'dataset' is of one array", { a = v }, { dataset = "x" })
        refused("'a' is a number; arrays can be saved", { a = 5 })
        refused("'s' is text; numbers are written", { s = lun.vector { "a" } })
        refused("'d' is of dtype date; cast it to i64", { d = lun.vector { "2024-01-01" }:cast "date" })
        refused("'z' is of dtype c128; write its real and imaginary parts", { z = lun.vector({ 1 }, "c128") })
        refused("'m' has missing elements", { m = lun.vector { 1, lun.na } })
        refused("'a' cannot be a dataset and the group of 'a/b'", { a = v, ["a/b"] = v })
        refused("'a/b' is given twice", { ["/a/b"] = v, ["a//b"] = v })
        refused("cannot be the path of a dataset", { ["a/../b"] = v })
        refused("cannot be the path of a dataset", { ["\255"] = v })
        refused("the path of a dataset is a text", { v })
        refused("compression is no integer from 0 to 9", { a = v }, { compression = 10 })
        refused("unknown option 'level'", { a = v }, { level = 1 })
        assert.is_nil(io.open(path_of()))
    end)

    it("leaves the old file where a save fails, and the session whole", function()
        local program = ([[
            local path = %q
            assert(lun.save(path, { x = lun.vector { 1, 2, 3 } }))
            for k = 1, 3 do
                for _, opts in ipairs { {}, { compression = 1 } } do
                    local ok, message, code = lun.save(path, { x = lun.random(200000, { seed = k }) }, opts)
                    assert(not ok and code == 27 and message == path .. ": File too large", message)
                end
                assert(lun.load(path).x:sum() == 6)
            end
            assert(lun.save(path, { x = lun.vector { 4 } }))
            print(lun.load(path).x[1])
        ]]):format(path_of())
        shell.write(path_of "a.lua", program)
        local pipe = io.popen(("ulimit -f 500; %s/lunarray '%s' 2>&1; echo $?"):format(os.getenv "BUILD" or "build", path_of "a.lua"))
        local text = pipe:read "a"
        pipe:close()
        assert.equal("4\n0\n", text)
        local ok, message = lun.save("/nowhere/x.h5", { x = lun.vector { 1 } })
        assert.is_nil(ok)
        assert.matches("No such file or directory", message)
        local names = io.popen(("ls -A '%s'"):format(directory)):read "a"
        assert.equal("a.lua\nt.h5\n", names)
    end)

    it("takes the library that the process has already", function()
        if onranks.sanitized then
            return -- a sanitizer wants to be the first library of the process
        end
        local program = (os.getenv "BUILD" or "build") .. "/lunarray"
        local info = shell.capture(program .. " --info 2>&1")
        local version, library = info:match "\nhdf5 +([%d.]+), ([^\n]+)"
        local with = ("LD_PRELOAD='%s' LUNARRAY_HDF5=/nowhere.so %s "):format(library, program)
        assert.equal("true\n", shell.capture(with .. "-e 'print(lun.door \"hdf5\")' 2>&1"))
        local again = shell.capture(with .. "--info 2>&1")
        assert.equal(version, again:match "\nhdf5 +([%d.]+), ")
        assert.matches("^nil\tLUNARRAY_HDF5 names /nowhere.so: not found\n",
            (shell.capture(("LUNARRAY_HDF5=/nowhere.so %s -e 'print(lun.door \"hdf5\")' 2>&1"):format(program))))
    end)

    it("stops when it is told to, with the old file and no other left", function()
        assert(lun.save(path_of(), { x = lun.vector { 1, 2 } }))
        -- the signal comes once the new file, of 500 MB, has begun to grow
        shell.write(path_of "a.lua", ([[
            local x = lun.random({ 8000, 8000 }, { seed = 1 }):eval()
            os.execute [=[(until [ -s '%s'/.lunarray-* ]; do sleep 0.02; done; kill -INT $PPID) &]=]
            lun.save(%q, { x = x }, { compression = 9 })
        ]]):format(directory, path_of()))
        local said = shell.capture(("%s/lunarray '%s' 2>&1"):format(os.getenv "BUILD" or "build", path_of "a.lua"))
        assert.matches("interrupted!", said)
        assert.same({ 1, 2 }, lun.load(path_of()).x:totable())
        assert.equal("a.lua\nt.h5\n", (shell.capture(("ls -A '%s'"):format(directory))))
    end)

    if has_h5py then
        it("agrees with h5py on random arrays, both ways", function()
            for seed = 1, 3 do
                tools("random", directory, seed)
                local t, n = assert(lun.load(path_of "random.h5")), 0
                for path, a in pairs(t) do
                    local b = assert(lun.load(("%s/%s.npy"):format(directory, path:match "[^/]*$")))
                    assert.equal(b:dtype(), a:dtype(), path)
                    assert.same({ b:shape() }, { a:shape() }, path)
                    assert.equal(b:tobytes(), a:tobytes(), path)
                    n = n + 1
                end
                assert.equal(60, n)
                for _, opts in ipairs { {}, { compression = 4 } } do
                    assert(lun.save(path_of "back.h5", t, opts))
                    assert.equal("60\n", tools("compare", directory))
                end
            end
        end)

        it("refuses ranks, widths, filters, members and damage by name", function()
            tools("bad", directory)
            local message, code = message_of(path_of "rank9.h5")
            assert.matches("dataset 'nine': rank 9; at most 8 is supported; {dataset = ", message)
            assert.equal("unsupported", code)
            assert.same({ 0, 1, 2 }, lun.load(path_of "rank9.h5", { dataset = "good" }):totable())
            assert.matches("dataset 'wide': floats of 16 bytes each", (message_of(path_of "wide.h5")))
            assert.matches("dataset 'lzf' cannot be read: HDF5: required filter 'lzf' is not registered", (message_of(path_of "filter.h5")))
            assert.matches("dataset 't': element 2 is no member of the enumeration", (message_of(path_of "lying.h5")))
            assert.matches("dataset 'x' cannot be read: HDF5: ", (message_of(path_of "damaged.h5")))
            assert.same({ 0, 1 }, lun.load(path_of "damaged.h5", { dataset = "x", part = { 1, 2 } }):totable())
        end)
    end
end)
