-- .npz in and out, checked against numpy where there is one, and every way an archive can be bad.
local lun = require "lunarray"
local expect = require "expect"
local numpy = require "numpy"
local shell = require "shell"
local zip = require "lunarray.format.zip"

local directory

local function path_of(name)
    return directory .. "/" .. (name or "t.npz")
end

local function names_of(t)
    local names = {}
    for name in pairs(t) do
        names[#names + 1] = name
    end
    return table.concat(names, " ")
end

-- Fails unless both tables hold the same arrays: dtypes, shapes, bits.
local function same_arrays(wanted, got)
    local count = 0
    for name, a in pairs(wanted) do
        count = count + 1
        local b = assert(got[name], name)
        assert.equal(a:dtype(), b:dtype())
        assert.same({ a:shape() }, { b:shape() })
        assert.equal(a:tobytes(), b:tobytes(), name)
    end
    for _ in pairs(got) do
        count = count - 1
    end
    assert.equal(0, count)
end

local function samples()
    local t = { empty = lun.zeros(0), none = lun.zeros { 3, 0 }, M = lun.random({ 7, 5 }, { seed = 1 }),
        long = lun.index(300000) // 7, ["zo\u{eb}/x y"] = lun.vector { true, false } }
    for _, row in ipairs(require("lunarray.base.dtypes").list) do
        if row.npy then
            t[row.name] = (lun.random(40, { seed = 2 }) * 200):cast(row.name)
        end
    end
    return t
end

describe("npz files", function()
    setup(function()
        directory = shell.scratch()
    end)

    teardown(function()
        shell.discard(directory)
    end)

    it("hold arrays of every dtype and shape, stored or deflated", function()
        for _, opts in ipairs { {}, { compress = true }, { compress = false } } do
            assert.is_true(lun.save(path_of(), samples(), opts))
            local got = assert(lun.load(path_of()))
            same_arrays(samples(), got)
        end
        assert.is_true(lun.save(path_of(), {}))
        assert.equal("0 arrays", tostring(lun.load(path_of())))
    end)

    it("give a table that prints its arrays, in the order of the file", function()
        lun.save(path_of(), lun.table({ b = lun.index(3), a = lun.ones(3) }, { "b", "a" }))
        local t = lun.load(path_of())
        assert.equal("2 arrays\nb  i64[3]\na  f64[3]", tostring(t))
        assert.equal("b a", names_of(t))
        t.c, t.M, t.gone = 1, lun.ones(2, 3), lun.ones(1)
        t.gone:free()
        assert.equal("5 arrays\nb     i64[3]\na     f64[3]\nM     f64[2, 3]\nc     number\ngone  freed", tostring(t))
        lun.save(path_of(), lun.load(path_of()))
        assert.equal("b a", names_of(lun.table(lun.load(path_of()))))
        same_arrays({ a = t.a, b = t.b }, lun.load(path_of()))
    end)

    it("are equal for equal arrays", function()
        lun.save(path_of "1.npz", samples())
        lun.save(path_of "2.npz", samples())
        assert.equal(shell.slurp(path_of "1.npz"), shell.slurp(path_of "2.npz"))
    end)

    it("#place keep the order of axes, and expressions and files are saved without memory of their own", function()
        lun.save(path_of "a.npy", lun.index(9000000))
        local t = { left = samples().M:transpose():copy { layout = "left" }, view = samples().M:sub({}, { 2, 3 }),
            large = lun.open(path_of "a.npy") * 2, virtual = lun.index(9000000) }
        lun.trim()
        lun.stats "reset"
        assert.is_true(lun.save(path_of(), t))
        assert.is_true(lun.stats().peak < 70e6, lun.stats().peak)
        local got = lun.load(path_of())
        assert.equal("left", got.left:layout())
        assert.is_true(got.left:eq(t.left):all())
        assert.is_true(got.view:eq(t.view):all())
        assert.is_true(got.large:eq(lun.index(9000000) * 2):all())
        assert.is_true(got.virtual:eq(lun.index(9000000)):all())
    end)

    it("are read from pipes", function()
        lun.save(path_of(), samples(), { compress = true })
        assert(os.execute(("mkfifo %s"):format(path_of "p.npz")))
        os.execute(("cat %s > %s &"):format(path_of(), path_of "p.npz"))
        same_arrays(samples(), lun.load(path_of "p.npz"))
    end)

    it("are read by numpy", numpy.needed(pending, function()
        for _, compress in ipairs { false, true } do
            lun.save(path_of(), samples(), { compress = compress })
            assert.equal("True True 17\nbool float16 float64 7.5\n", numpy.run(directory, [[
import numpy as np
z = np.load("t.npz")
print((z["long"] == np.arange(1, 300001) // 7).all(), z["zo\u00eb/x y"].tolist() == [True, False], len(z.files))
print(z["bool"].dtype, z["f16"].dtype, z["none"].dtype, z["empty"].sum() + z["M"].shape[0] + 0.5)
]]))
        end
    end))

    it("of numpy are read", numpy.needed(pending, function()
        for _, save in ipairs { "savez", "savez_compressed" } do
            numpy.run(directory, ([[
import numpy as np
np.%s("t.npz", np.arange(3), x=np.arange(12, dtype=">i4").reshape(3, 4), y=np.asfortranarray(np.ones((2, 3), "f4")),
    s=np.float32(2.5), u=np.array([1, 2**63], "u8"), z=np.zeros(10**6), b=np.array([True]))
]]):format(save))
            local t = assert(lun.load(path_of()))
            assert.equal("x i32[3, 4] y f32[2, 3] s f32[] u u64[2] z f64[1000000] b bool[1] arr_0 i64[3]",
                (tostring(t):gsub("^.-\n", ""):gsub("%s+", " ")))
            expect.elements({ 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 }, t.x:flatten())
            assert.equal(6.0, t.y:sum())
            assert.equal(2.5, t.s[1])
            assert.equal(math.mininteger, t.u[2])
            assert.equal(0.0, t.z:sum())
        end
    end))

    -- Sizes beyond 4 GB, in small: the limits from which on the wider records are used are given.
    it("may have sizes of 64 bits", numpy.needed(pending, function()
        for _, limits in ipairs { { 1, 1 }, { 100, 3 }, { 1 << 40, 2 }, { 300, 1 << 40 } } do
            local writer, parts = zip.writer(limits[1], limits[2]), {}
            for i = 1, 5 do
                lun.save(path_of "one.npy", lun.index(10 * i))
                local text = shell.slurp(path_of "one.npy")
                local packed = i % 2 == 0 and require("lunarray.core").internal.deflate(text) or nil
                parts[#parts + 1] = writer:header(("a%d.npy"):format(i), #text,
                    require("lunarray.core").internal.crc32(text), packed and #packed)
                parts[#parts + 1] = packed or text
            end
            parts[#parts + 1] = writer:finish()
            shell.write(path_of(), table.concat(parts))
            local t = assert(lun.load(path_of()))
            for i = 1, 5 do
                assert.is_true(t["a" .. i]:eq(lun.index(10 * i)):all())
            end
            assert.equal("['a1', 'a2', 'a3', 'a4', 'a5'] 1275\n", numpy.run(directory,
                "import numpy as np\nz = np.load('t.npz')\nprint(z.files, z['a5'].sum())\n"))
        end
    end))

    -- ---------------------------------------------------------------- bad archives

    local function fails(code, message, text)
        shell.write(path_of "bad.npz", text)
        local t, said, why = lun.load(path_of "bad.npz")
        assert.is_nil(t)
        assert.equal(path_of "bad.npz" .. ": " .. message, said)
        assert.equal(code, why)
    end

    it("that are damaged anywhere are refused, or give the same arrays", function()
        local t = { x = lun.index(4):cast "u8", y = lun.ones(9, "u8") }
        for _, compress in ipairs { false, true } do
            lun.save(path_of(), t, { compress = compress })
            local text, refused = shell.slurp(path_of()), 0
            for i = 1, #text do
                local byte = string.char(text:byte(i) ~ ({ 1, 0x80, 0xFF })[i % 3 + 1])
                shell.write(path_of "bad.npz", text:sub(1, i - 1) .. byte .. text:sub(i + 1))
                local got, message, code = lun.load(path_of "bad.npz")
                if got then
                    same_arrays(t, got)
                else
                    refused = refused + 1
                    assert.is_true(#message > 10 and (code == "format" or code == "short" or code == "unsupported"),
                        tostring(code))
                end
            end
            assert.is_true(refused > 0.75 * #text, refused / #text)
            for i = 0, #text - 1 do
                shell.write(path_of "bad.npz", text:sub(1, i))
                assert.is_nil((lun.load(path_of "bad.npz")))
            end
        end
    end)

    it("say what is wrong with them", function()
        lun.save(path_of(), { x = lun.index(4), z = lun.zeros(1000) }, { compress = true })
        local text = shell.slurp(path_of())
        fails("format", "not a zip archive: it has no directory at its end", "")
        fails("format", "not a zip archive: it has no directory at its end", ("x"):rep(100000))
        fails("format", "the directory does not end where the end of the archive starts, at byte "
            .. #text - 22 + 1, "x" .. text)
        local first = text:find("PK\1\2", 1, true)
        local at = text:find("x.npy", first, true)
        fails("format", "member 'z.npy': its header is that of another one",
            text:sub(1, first - 1) .. text:sub(first):gsub("x%.npy", "q.npy"):gsub("z%.npy", "z.npy"):gsub("q%.npy", "z.npy", 1)
            :gsub("z%.npy", "w.npy", 1):gsub("z%.npy", "x.npy", 1):gsub("w%.npy", "z.npy", 1))
        fails("format", "two members are named 'x.npy'",
            text:sub(1, first - 1) .. text:sub(first):gsub("z%.npy", "x.npy"))
        fails("format", ("member 'x.npy': sizes that cannot be: 4294967294 bytes, %d in the archive"):format(
            (string.unpack("<I4", text, at - 26))),
            text:sub(1, at - 23) .. "\xFE\xFF\xFF\xFF" .. text:sub(at - 18))
    end)

    it("with other members than arrays are refused", function()
        local function archive(name, content, flags, method)
            local crc = require("lunarray.core").internal.crc32(content)
            local writer = zip.writer()
            local bytes = writer:header(name, #content, crc) .. content .. writer:finish()
            if flags or method then
                local central = bytes:find("PK\1\2", 1, true)
                bytes = bytes:sub(1, central + 7) .. string.pack("<I2I2", flags, method) .. bytes:sub(central + 12)
            end
            return bytes
        end
        fails("unsupported", "member 'readme.txt' is no .npy file", archive("readme.txt", "hello"))
        fails("unsupported", "member '.npy' is no .npy file", archive(".npy", "hello"))
        fails("short", "member 'a.npy': the file is too short: it ends within the header", archive("a.npy", "hello"))
        fails("format", "member 'a.npy': not a .npy file: it does not start with \\x93NUMPY", archive("a.npy", "hello you"))
        fails("unsupported", "member 'a.npy' is encrypted", archive("a.npy", "x", 1, 0))
        fails("unsupported", "member 'a.npy': compression method 12 is not supported; stored and deflated ones are",
            archive("a.npy", "x", 0, 12))
    end)

    it("refuse what is no table of arrays", function()
        local function refused(message, ...)
            expect.failure("bad argument #" .. message, lun.save, path_of "never.npz", ...)
        end
        refused("2 to 'save' (table of arrays expected, {name = array, ...})", lun.ones(2))
        refused("2 to 'save' ('a' is a number; arrays can be saved)", { a = 1 })
        refused("2 to 'save' ('a' is a table; arrays can be saved)", { a = { "x" } })
        refused("2 to 'save' (the name of an array is a text, not the number 1)", { lun.ones(2) })
        refused("2 to 'save' (\"\" cannot be the name of an array)", { [""] = lun.ones(2) })
        refused("2 to 'save' ('a': NumPy has no bf16; :cast 'f32' preserves every value)", { a = lun.ones(2, "bf16") })
        refused("2 to 'save' (option 'compress': true or false expected)", {}, { compress = 9 })
        refused("3 to 'save' (unknown option 'names' for npz; known: compress)", {}, { names = {} })
        expect.failure("elements of a .npz file are not stored as in memory; use lun.load", lun.open, path_of())
        assert.is_nil(io.open(path_of "never.npz"))
    end)
end)
