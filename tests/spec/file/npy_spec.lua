-- .npy in and out, checked against numpy where there is one, and raw bytes; every way a file can be bad.
local lun = require "lunarray"
local numpy = require "numpy"
local shell = require "shell"

local directory

local function path_of(name)
    return directory .. "/" .. name
end

local function write(text, name)
    return shell.write(path_of(name or "t.npy"), text)
end

-- A file of the given header text and data.
local function npy(header, data, version)
    version = version or 1
    local length = string.pack(version == 1 and "<I2" or "<I4", #header)
    return "\147NUMPY" .. string.char(version, 0) .. length .. header .. (data or "")
end

local function header(descr, shape, fortran)
    return ("{'descr': '%s', 'fortran_order': %s, 'shape': %s, }\n"):format(descr, fortran or "False", shape)
end

local function load_bytes(text)
    return lun.load(write(text))
end

local function run_python(text)
    return numpy.run(directory, text)
end

-- Values at the ends of each dtype: what Lua holds, and the bytes of one element each.
local samples = {
    bool = { { true, false, true }, "\1\0\1" },
    i8 = { { -128, -1, 127 }, string.pack("<i1i1i1", -128, -1, 127) },
    u8 = { { 0, 1, 255 }, "\0\1\255" },
    i16 = { { -32768, -1, 32767 }, string.pack("<i2i2i2", -32768, -1, 32767) },
    u16 = { { 0, 258, 65535 }, string.pack("<I2I2I2", 0, 258, 65535) },
    i32 = { { -2147483648, -1, 2147483647 }, string.pack("<i4i4i4", -2147483648, -1, 2147483647) },
    u32 = { { 0, 16909060, 4294967295 }, string.pack("<I4I4I4", 0, 16909060, 4294967295) },
    i64 = { { math.mininteger, -1, math.maxinteger }, string.pack("<i8i8i8", math.mininteger, -1, math.maxinteger) },
    u64 = { { 0, math.maxinteger, -1 }, string.pack("<i8i8i8", 0, math.maxinteger, -1) },
    f16 = { { 0.5, -math.huge, 65504.0 }, string.pack("<I2I2I2", 0x3800, 0xfc00, 0x7bff) },
    f32 = { { 0.5, -math.huge, 3.4028234663852886e38 }, string.pack("<fff", 0.5, -math.huge, 3.4028234663852886e38) },
    f64 = { { 0.1, -math.huge, 5e-324 }, string.pack("<ddd", 0.1, -math.huge, 5e-324) },
}
local descr_of = { bool = "|b1", i8 = "|i1", u8 = "|u1", i16 = "<i2", u16 = "<u2", i32 = "<i4", u32 = "<u4",
    i64 = "<i8", u64 = "<u8", f16 = "<f2", f32 = "<f4", f64 = "<f8" }

local function sorted(t)
    local keys = {}
    for key in pairs(t) do
        keys[#keys + 1] = key
    end
    table.sort(keys)
    return ipairs(keys)
end

describe("npy", function()
    before_each(function()
        directory = shell.scratch()
    end)

    after_each(function()
        shell.discard(directory)
    end)

    describe("load", function()
        for _, dtype in sorted(samples) do
            local values, bytes = samples[dtype][1], samples[dtype][2]
            local descr, size = descr_of[dtype], #samples[dtype][2] // 3

            it("reads " .. dtype .. " of both byte orders and all versions", function()
                for version = 1, 3 do
                    local a = assert(load_bytes(npy(header(descr, "(3,)"), bytes, version)))
                    assert.same({ dtype, 1, 3 }, { a:dtype(), select("#", a:shape()), #a })
                    assert.same(values, a:totable())
                end
                local swapped = ""
                for i = 1, 3 do
                    swapped = swapped .. bytes:sub((i - 1) * size + 1, i * size):reverse()
                end
                local a = assert(load_bytes(npy(header((descr:gsub("^.", ">")), "(3,)"), swapped)))
                assert.same({ dtype, values }, { a:dtype(), a:totable() })
            end)
        end

        it("reads any rank, and no elements", function()
            local data = string.pack("<i4i4i4i4i4i4", 1, 2, 3, 4, 5, 6)
            local a = assert(load_bytes(npy(header("<i4", "(2, 3)"), data)))
            assert.same({ 2, 3 }, { a:shape() })
            assert.same({ { 1, 2, 3 }, { 4, 5, 6 } }, a:totable())
            a = assert(load_bytes(npy(header("<i4", "(1,2,3,)"), data)))
            assert.same({ 1, 2, 3 }, { a:shape() })
            a = assert(load_bytes(npy(header("<f8", "(0,)"))))
            assert.same({ "f64", 0 }, { a:dtype(), #a })
            a = assert(load_bytes(npy(header("<f8", "(3, 0)"))))
            assert.same({ 3, 0 }, { a:shape() })
            a = assert(load_bytes(npy(header("<f8", "()"), string.pack("<d", 2.5))))
            assert.same({ {}, 2.5, "f64", 3.5 }, { { a:shape() }, a:value(), a:dtype(), (a + 1):value() })
            a:set(a * 2)
            assert.equal(5.0, a:value())
            local b = assert(load_bytes(npy(header(">f8", "()", "True"), string.pack(">d", 2.5))))
            assert.same({ {}, 2.5 }, { { b:shape() }, b:value() })
            local path = path_of "scalar.npy"
            assert.is_true(lun.save(path, a))
            assert.equal("()", shell.slurp(path):match "'shape': (%b())")
            local again = assert(lun.load(path))
            assert.same({ {}, 5.0 }, { { again:shape() }, again:value() })
        end)

        it("reads Fortran order where it makes no difference", function()
            local a = assert(load_bytes(npy(header("<f8", "(2,)", "True"), string.pack("<dd", 1, 2))))
            assert.same({ 1.0, 2.0 }, a:totable())
        end)

        it("reads a header in any order, quotes and blanks, as Python 2 wrote them too", function()
            for _, text in ipairs {
                '{"shape":(2,),"descr":"<i2","fortran_order":False}',
                "{ 'fortran_order' : False , 'shape' : ( 2 , ) , 'descr' : '<i2' , }   \n",
                "\n {\n'descr': '<i2',\n'fortran_order': False,\n'shape': (2L,)}\n",
                "{'descr': '=i2', 'fortran_order': False, 'shape': (2,), }" .. (" "):rep(200) .. "\n",
            } do
                assert.same({ 1, 2 }, assert(load_bytes(npy(text, "\1\0\2\0"))):totable())
            end
        end)
    end)

    describe("load refuses", function()
        local good = header("<f8", "(2,)")
        local sixteen = ("\0"):rep(16)
        local cases = {
            { "an empty file", "", "short", "ends within the header" },
            { "a file cut in the magic", "\147NUM", "short", "ends within the header" },
            { "another file", "PK\3\4 something else", "format", "does not start with" },
            { "a file cut before the length", "\147NUMPY\1\0\1", "short", "ends within the header" },
            { "a header cut short", npy(good):sub(1, 30), "short", "ends within the header" },
            { "version 0", npy(good, sixteen):gsub("\1\0", "\0\0", 1), "unsupported", "version 0%.0" },
            { "version 4", npy(good, sixteen, 4), "unsupported", "version 4%.0" },
            { "version 1.1", npy(good, sixteen):gsub("\1\0", "\1\1", 1), "unsupported", "version 1%.1" },
            { "a header of 4 GB", "\147NUMPY\2\0\255\255\255\255{", "unsupported", "a header of 4294967295 bytes" },
            { "too few bytes", npy(good, ("\0"):rep(15)), "short", "f64%[2%] needs 16 bytes of elements, .* 15" },
            { "no bytes", npy(good), "short", "needs 16 bytes of elements, but there are 0" },
            { "too many bytes", npy(good, ("\0"):rep(17)), "long", "needs 16 bytes of elements, but there are 17" },
            { "bytes for no elements", npy(header("<f8", "(0,)"), "x"), "long", "needs 0 bytes" },
            { "a shape beyond any file", npy(header("<f8", "(1000000, 1000000, 1000000, 1000000)"), sixteen),
                "unsupported", "more elements than any file" },
            { "a shape that wraps to 16 bytes", npy(header("<f8", "(2305843009213693954,)"), sixteen),
                "unsupported", "extent 2305843009213693954 is too large" },
            { "a product that wraps to 16 bytes", npy(header("<f8", "(2147483648, 4294967296, 2)"), sixteen),
                "unsupported", "more elements than any file" },
            { "an extent of 100 digits", npy(header("<f8", "(" .. ("9"):rep(100) .. ",)"), sixteen), "unsupported",
                "is too large" },
            { "a huge extent beside 0", npy(header("<f8", "(0, 99999999999999999999)")), "unsupported", "too large" },
            { "a rank of 9", npy(header("<f8", "(1, 1, 1, 1, 1, 1, 1, 1, 2)"), sixteen), "unsupported", "rank 9" },
            { "an object dtype", npy(header("|O", "(2,)"), sixteen), "unsupported", "Python objects" },
            { "text", npy(header("<U2", "(2,)"), sixteen), "unsupported", "'<U2' %(text%)" },
            { "byte strings", npy(header("|S8", "(2,)"), sixteen), "unsupported", "byte strings" },
            { "complex long doubles", npy(header("<c32", "(1,)"), sixteen .. sixteen), "unsupported", "complex numbers of another width" },
            { "quadruple floats", npy(header("<f16", "(8,)"), sixteen), "unsupported", "floats of another width" },
            { "dates", npy(header("<M8[ns]", "(2,)"), sixteen), "unsupported", "dates" },
            { "raw records", npy(header("|V8", "(2,)"), sixteen), "unsupported", "raw records" },
            { "an unknown dtype", npy(header("<q8", "(2,)"), sixteen), "format", "unknown dtype '<q8'" },
            { "an empty dtype", npy(header("", "(2,)"), sixteen), "format", "unknown dtype ''" },
            { "an integer of 3 bytes", npy(header("<i3", "(2,)"), "\0\0\0\0\0\0"), "format", "unknown dtype" },
            { "a dtype with more behind it", npy(header("<f8,<f8", "(1,)"), sixteen), "format", "unknown dtype" },
            { "no byte order", npy(header("|f8", "(2,)"), sixteen), "format", "has no byte order" },
            { "a bool of 2", npy(header("|b1", "(2,)"), "\1\2"), "format", "element 2 of a bool array is the byte 2" },
            { "no header", npy("", sixteen), "format", "the header is not a dictionary" },
            { "a header that is no dictionary", npy("[1, 2]", sixteen), "format", "the header is not a dictionary" },
            { "an open dictionary", npy(good:gsub("}.*", ""), sixteen), "format", "bad header" },
            { "an empty dictionary", npy("{}", sixteen), "format", "no key" },
            { "no shape", npy("{'descr': '<f8', 'fortran_order': False}", sixteen), "format", "no key 'shape'" },
            { "a second shape", npy("{'shape': (2,), 'shape': (2,), 'descr': '<f8'}", sixteen), "format",
                "a second key 'shape'" },
            { "an unknown key", npy("{'shape': (2,), 'x': (2,)}", sixteen), "format", "the unknown key 'x'" },
            { "text after it", npy(good:gsub("\n", "; import os\n"), sixteen), "format", "text after the dictionary" },
            { "NULs after it", npy(good .. "\0\0", sixteen), "format", "text after the dictionary" },
            { "a missing comma", npy(good:gsub("8',", "8'"), sixteen), "format", "missing comma" },
            { "a missing colon", npy(good:gsub("':", "'", 1), sixteen), "format", "no colon after 'descr'" },
            { "a shape of one number", npy(header("<f8", "(2)"), sixteen), "format", "without a comma" },
            { "a bare shape", npy(header("<f8", "2"), sixteen), "format", "shape is not a tuple" },
            { "a list as shape", npy(header("<f8", "[2]"), sixteen), "format", "shape is not a tuple" },
            { "a negative extent", npy(header("<f8", "(-2,)"), sixteen), "format", "shape is not a tuple" },
            { "a float extent", npy(header("<f8", "(2.0,)"), sixteen), "format", "shape is not a tuple" },
            { "an octal extent", npy(header("<f8", "(02,)"), sixteen), "format", "shape is not a tuple" },
            { "extents without a comma", npy(header("<f8", "(1 2)"), sixteen), "format", "shape is not a tuple" },
            { "two commas", npy(header("<f8", "(2,,)"), sixteen), "format", "shape is not a tuple" },
            { "an open shape", npy("{'descr': '<f8', 'fortran_order': False, 'shape': (2,", sixteen), "format",
                "shape is not a tuple" },
            { "a fortran_order of 0", npy(header("<f8", "(2,)", "0"), sixteen), "format", "neither True nor False" },
            { "an escaped string", npy("{'descr': '\\x3cf8', 'fortran_order': False, 'shape': (2,)}", sixteen),
                "format", "string expected at" },
            { "code in the header", npy("{'descr': os.system('true'), 'shape': (2,)}", sixteen), "format",
                "string expected at" },
        }
        for _, case in ipairs(cases) do
            it(case[1], function()
                local a, message, code = load_bytes(case[2])
                assert.is_nil(a)
                assert.equal(path_of "t.npy: ", message:sub(1, #path_of "t.npy: "))
                assert.matches(case[4], message)
                assert.equal(case[3], code)
            end)
        end

        it("a missing file, with the system's number", function()
            local a, message, code = lun.load(path_of "none.npy")
            assert.same({ nil, path_of "none.npy" .. ": No such file or directory", 2 }, { a, message, code })
        end)

        it("without raising, whatever the bytes (2000 mutations, every length)", function()
            local decode = require("lunarray.format.npy").decode
            local source = require("lunarray.format.file").source
            local whole = npy(header(">i2", "(2, 3)"), "\0\1\0\2\0\3\0\4\0\5\0\6")
            for length = 0, #whole - 1 do
                local a, _, code = decode(source(whole:sub(1, length)), {})
                assert.is_nil(a)
                assert.is_string(code)
            end
            assert.same({ { 1, 2, 3 }, { 4, 5, 6 } }, decode(source(whole), {}):totable())
            local seed = 11
            local function random(n)
                seed = (seed * 1103515245 + 12345) % 2147483648
                return seed // 65536 % n + 1
            end
            for _ = 1, 2000 do
                local text = whole
                for _ = 1, random(3) do
                    local at = random(#text)
                    text = text:sub(1, at - 1) .. string.char(random(256) - 1) .. text:sub(at + random(2) - 1 + 1)
                end
                local a, message, code = decode(source(text), {})
                if a == nil then
                    assert.is_string(message)
                    assert.is_string(code)
                else
                    assert.is_true(a:size() > 0)
                end
            end
        end)
    end)

    describe("save", function()
        it("writes version 1.0, padded to 64 bytes", function()
            for n = 0, 40 do
                local path = path_of "p.npy"
                assert.is_true(lun.save(path, lun.zeros(10 ^ (n % 7) // 1 | 0, n % 2 == 0 and "f32" or "u8")))
                local text = shell.slurp(path)
                assert.equal("\147NUMPY\1\0", text:sub(1, 8))
                local length = string.unpack("<I2", text, 9)
                assert.equal(0, (10 + length) % 64)
                assert.equal("\n", text:sub(10 + length, 10 + length))
            end
            local path = path_of "v.npy"
            assert.is_true(lun.save(path, lun.vector({ 1, 2 }, "i16")))
            assert.equal("{'descr': '<i2', 'fortran_order': False, 'shape': (2,), }", shell.slurp(path):match "{.*}")
            assert.equal("\1\0\2\0", shell.slurp(path):sub(-4))
        end)

        it("keeps every dtype and shape", function()
            local path = path_of "k.npy"
            for _, dtype in sorted(samples) do
                local bytes = samples[dtype][2]
                assert.is_true(lun.save(path, lun.frombytes(bytes, dtype)))
                assert.equal(bytes, shell.slurp(path):sub(-#bytes))
                local back = assert(lun.load(path))
                assert.same({ dtype, samples[dtype][1] }, { back:dtype(), back:totable() })
                assert.is_true(lun.save(path, lun.frombytes(bytes, dtype, { 1, 3, 1 })))
                assert.same({ 1, 3, 1 }, { assert(lun.load(path)):shape() })
            end
            assert.is_true(lun.save(path, lun.vector({}, "f32")))
            assert.same({ "f32", 0 }, { assert(lun.load(path)):dtype(), #assert(lun.load(path)) })
        end)

        it("evaluates a Composition", function()
            local path = path_of "c.npy"
            local a = lun.vector { 1, 2, 3 }
            assert.is_true(lun.save(path, a * 2 + 1))
            assert.same({ 3, 5, 7 }, assert(lun.load(path)):totable())
        end)

        it("raises at the caller's mistakes and leaves the old file", function()
            local path = write("old", "m.npy")
            for _, bad in ipairs { 5, "text", true, { 1, 2 }, print } do
                local ok, message = pcall(lun.save, path, bad)
                assert.is_false(ok)
                assert.matches("bad argument #2 to 'save' %(array expected, got ", message)
            end
            local ok, message = pcall(lun.save, path, nil)
            assert.is_false(ok)
            assert.matches("array expected, got nil", message)
            local freed = lun.vector { 1 }
            freed:free()
            ok, message = pcall(function() lun.save(path, freed) end)
            assert.is_false(ok)
            assert.matches("npy_spec%.lua:%d+: attempt to use a freed Vector", message)
            for part, array in pairs {
                ["NumPy has no text; csv, json, arrow and parquet have texts"] = lun.vector { "a" },
                ["NumPy has no date; :cast 'i64' gives its integers"] = lun.vector({ 1 }, "i32"):cast "date",
                ["a missing element has no bytes, and 1 of 2 is; fillna(x) sets them"] = lun.vector { 1, lun.na },
            } do
                ok, message = pcall(lun.save, path, array)
                assert.is_false(ok)
                assert.truthy(message:find("bad argument #2 to 'save' (" .. part, 1, true), message)
            end
            for part, array in pairs {
                ["texts have no bytes of one size"] = lun.vector { "a" },
                ["a missing element has no bytes, and 2 of 3 are"] = lun.vector { lun.na, lun.na, true },
            } do
                ok, message = pcall(lun.save, directory .. "/m.bin", array)
                assert.is_false(ok)
                assert.truthy(message:find("bad argument #2 to 'save' (" .. part, 1, true), message)
            end
            lun.save(directory .. "/f.npy", lun.vector { 1.5, lun.na })
            assert.equal("[1.5 nan]", tostring(lun.load(directory .. "/f.npy")):match "%[1.*")
            ok, message = pcall(lun.save, path, lun.vector { 1 }, { dtype = "f32" })
            assert.is_false(ok)
            assert.matches("bad argument #3 to 'save' %(unknown option 'dtype' for npy%)", message)
            ok, message = pcall(lun.load, path, { shape = 3 })
            assert.is_false(ok)
            assert.matches("bad argument #2 to 'load' %(unknown option 'shape' for npy%)", message)
            assert.equal("old", shell.slurp(path))
        end)

        it("that fails leaves no file behind", function()
            local ok, message, code = lun.save(path_of "none/x.npy", lun.vector { 1 })
            assert.same({ n = 3, path_of "none/x.npy" .. ": No such file or directory", 2 },
                { n = 3, message, code })
            assert.is_nil(ok)
        end)
    end)

    it("agrees with what numpy writes", numpy.needed(pending, function()
        local out = run_python [[
import numpy as np
n = 0
for order in '<>':
    for code in ['b1', 'i1', 'u1', 'i2', 'u2', 'i4', 'u4', 'i8', 'u8', 'f2', 'f4', 'f8']:
        for shape in [(), (0,), (1,), (7,), (3, 5), (2, 3, 4), (0, 4), (1, 2, 1, 2, 1, 2, 1, 2)]:
            n += 1
            rng = np.random.RandomState(n)
            a = (rng.randint(-1000, 1000, size=shape) / 7.0)
            a = (a > 0).astype('b1') if code == 'b1' else np.asarray(a).astype(order + code)
            np.save('n%d.npy' % n, a)
            little = a.astype(a.dtype.newbyteorder('<'))
            with open('n%d.bin' % n, 'wb') as f:
                f.write(little.tobytes())
            print(n, code, ' '.join(map(str, a.shape)))
with open('v2.npy', 'wb') as f:
    np.lib.format.write_array(f, np.arange(5.0), version=(2, 0))
with open('v3.npy', 'wb') as f:
    np.lib.format.write_array(f, np.arange(5.0), version=(3, 0))
np.save('o.npy', np.array([{}, None], dtype=object), allow_pickle=True)
np.save('s.npy', np.zeros(2, dtype=[('x', 'f4'), ('y', 'i4', (3,))]))
np.save('h.npy', np.zeros(4, dtype='c8'))
]]
        local count = 0
        for n, code, extents in out:gmatch "(%d+) (%w+) ([%d ]*)\n" do
            count = count + 1
            local a = assert(lun.load(path_of("n" .. n .. ".npy")))
            assert.equal(code, descr_of[a:dtype()]:sub(2))
            local shape = {}
            for extent in extents:gmatch "%d+" do
                shape[#shape + 1] = math.tointeger(tonumber(extent))
            end
            assert.same(shape, { a:shape() })
            assert.equal(shell.slurp(path_of("n" .. n .. ".bin")), a:tobytes())
        end
        assert.equal(2 * 12 * 8, count, out)
        assert.same({ 0.0, 1.0, 2.0, 3.0, 4.0 }, assert(lun.load(path_of "v2.npy")):totable())
        assert.same({ 0.0, 1.0, 2.0, 3.0, 4.0 }, assert(lun.load(path_of "v3.npy")):totable())
        local objects, message, code = lun.load(path_of "o.npy")
        assert.is_nil(objects)
        assert.is_string(message)
        assert.equal("unsupported", code)
        assert.same({ { x = 0.0, y = { 0, 0, 0 } }, { x = 0.0, y = { 0, 0, 0 } } }, assert(lun.load(path_of "s.npy")):totable())
        local complex = assert(lun.load(path_of "h.npy"))
        assert.same({ "c64", 4, 0.0 }, { complex:dtype(), #complex, lun.real(complex):sum() })
    end))

    it("reads and writes records as numpy does", numpy.needed(pending, function()
        local names = run_python [[
import numpy as np
rng = np.random.RandomState(1)
fields = [('a', 'u1'), ('b', 'i4'), ('c', 'f8'), ('d', '?'), ('e', 'u2'), ('f', 'f4'), ('g', 'i8')]
for name, dtype in [('p', np.dtype(fields)), ('q', np.dtype(fields, align=True)),
                    ('s', np.dtype([(n, '>' + t if t != '?' else t) for n, t in fields])),
                    ('o', np.dtype({'names': ['a', 'c', 'g'], 'formats': ['u1', 'f8', 'i8'], 'offsets': [3, 7, 40],
                                    'itemsize': 64}))]:
    a = np.zeros((50, 3), dtype=dtype)
    for field in dtype.names:
        a[field] = rng.randint(0, 200, size=a.shape)
    np.save('r%s.npy' % name, a)
    np.save('rf%s.npy' % name, np.asfortranarray(a))
    print(name)
]]
        for name in names:gmatch "%w+" do
            local a, b = assert(lun.load(path_of("r" .. name .. ".npy"))), assert(lun.load(path_of("rf" .. name .. ".npy")))
            assert.same(a:totable(), b:totable())
            assert.is_true(lun.save(path_of("w" .. name .. ".npy"), a))
        end
        assert.equal("all right\n", run_python [[
import numpy as np
for name in 'pqso':
    a, b = np.load('r%s.npy' % name), np.load('w%s.npy' % name)
    assert a.dtype.names == b.dtype.names and a.shape == b.shape, name
    for field in a.dtype.names:
        assert (a[field] == b[field]).all() and b[field].dtype == a[field].dtype.newbyteorder('<'), (name, field)
print('all right')
]])
    end))

    it("reads and writes Fortran's order as numpy does", numpy.needed(pending, function()
        run_python [[
import numpy as np
for n, shape in enumerate([(2, 3), (3, 1, 4), (5, 64), (1, 3)]):
    a = np.arange(np.prod(shape), dtype='<i4').reshape(shape)
    np.save('f%d.npy' % n, np.asfortranarray(a))
    np.save('c%d.npy' % n, a)
]]
        for n = 0, 3 do
            local a, b = assert(lun.load(path_of("f" .. n .. ".npy"))), assert(lun.load(path_of("c" .. n .. ".npy")))
            assert.same({ b:shape() }, { a:shape() })
            assert.same(b:totable(), a:totable())
            assert.is_true(lun.save(path_of("g" .. n .. ".npy"), a))
            assert.is_true(lun.save(path_of("h" .. n .. ".npy"), b:copy { layout = "left" }))
        end
        assert.equal("all right\n", run_python [[
import numpy as np
for n in range(4):
    c = np.load('c%d.npy' % n)
    for name in 'gh':
        a = np.load('%s%d.npy' % (name, n))
        assert a.dtype == c.dtype and a.shape == c.shape and (a == c).all(), (name, n)
        assert a.flags.f_contiguous, (name, n)
print('all right')
]])
    end))

    it("writes what numpy reads", numpy.needed(pending, function()
        local shapes = { { 3 }, { 1, 3 }, { 3, 1 }, { 1, 1, 3 }, { 1, 1, 1, 1, 1, 3, 1, 1 } }
        local lines = {}
        for _, dtype in sorted(samples) do
            for i, shape in ipairs(shapes) do
                local name = dtype .. i
                assert.is_true(lun.save(path_of(name .. ".npy"), lun.frombytes(samples[dtype][2], dtype, shape)))
                local f = assert(io.open(path_of(name .. ".bin"), "wb"))
                f:write(samples[dtype][2])
                f:close()
                lines[#lines + 1] = ("check('%s', '%s', (%s,))"):format(name, descr_of[dtype], table.concat(shape, ","))
            end
        end
        assert.is_true(lun.save(path_of "none.npy", lun.vector({}, "f32")))
        local out = run_python([[
import numpy as np
def check(name, descr, shape):
    a = np.load(name + '.npy')
    assert a.dtype == np.dtype(descr), (name, a.dtype)
    assert a.shape == shape, (name, a.shape)
    assert a.tobytes() == open(name + '.bin', 'rb').read(), name
]] .. table.concat(lines, "\n") .. "\n" .. [[
assert np.load('none.npy').shape == (0,)
print('all right')
]])
        assert.equal("all right\n", out)
    end))
end)

describe("raw bytes", function()
    before_each(function()
        directory = shell.scratch()
    end)

    after_each(function()
        shell.discard(directory)
    end)

    it("are read by dtype and shape, whatever the extension", function()
        local path = write(string.pack("<i2i2i2i2", 1, -2, 3, -4), "t.raw")
        assert.same({ 1, -2, 3, -4 }, assert(lun.load(path, { dtype = "i16" })):totable())
        assert.same({ { 1, -2 }, { 3, -4 } }, assert(lun.load(path, { dtype = "i16", shape = { 2, 2 } })):totable())
        assert.same({ 1, -2, 3, -4 }, assert(lun.load(path, { dtype = "i16", shape = 4 })):totable())
        for _, name in ipairs { "t.bin", "t.xyz", "t" } do
            write("\1\2", name)
            assert.same({ 1, 2 }, assert(lun.load(path_of(name), { dtype = "u8" })):totable())
        end
        write("", "t.bin")
        assert.equal(0, #assert(lun.load(path_of "t.bin", { dtype = "f64" })))
    end)

    it("of another length are refused", function()
        local path = write("1234567", "t.raw")
        local a, message, code = lun.load(path, { dtype = "f32" })
        assert.is_nil(a)
        assert.equal(path .. ": 7 bytes are not a whole number of f32 elements (4 bytes each)", message)
        assert.equal("short", code)
        a, message, code = lun.load(path, { dtype = "u8", shape = { 2, 4 } })
        assert.is_nil(a)
        assert.matches("too short: u8%[2, 4%] needs 8 bytes of elements, but there are 7", message)
        assert.equal("short", code)
        a, message, code = lun.load(path, { dtype = "u8", shape = { 2, 3 } })
        assert.is_nil(a)
        assert.matches("too long", message)
        assert.equal("long", code)
        a, message, code = lun.load(path, { dtype = "f64", shape = { math.maxinteger, math.maxinteger } })
        assert.is_nil(a)
        assert.matches("more elements than any file", message)
        assert.equal("unsupported", code)
        a, message, code = lun.load(path, { dtype = "bool" })
        assert.is_nil(a)
        assert.matches("element 1 of a bool array is the byte 49", message)
        assert.equal("format", code)
    end)

    it("need a dtype, and sound options", function()
        local path = write("12345678", "t.raw")
        local function refused(pattern, opts)
            local ok, message = pcall(lun.load, path, opts)
            assert.is_false(ok)
            assert.matches("bad argument #2 to 'load'", message)
            assert.matches(pattern, message)
        end
        refused("raw bytes need a dtype, such as {dtype = ")
        refused("unknown dtype 'f31'; supported: bool i8 u8", { dtype = "f31" })
        refused("unknown dtype '5'", { dtype = 5 })
        refused("extent 2 of shape is %-1", { dtype = "u8", shape = { 8, -1 } })
        refused("extent 1 of shape is 8.0", { dtype = "u8", shape = { 8.0 } })
        refused("shape must be an extent or a list", { dtype = "u8", shape = {} })
        refused("shape must be an extent or a list", { dtype = "u8", shape = "8" })
        refused("shape must be an extent or a list", { dtype = "u8", shape = -8 })
        refused("unknown option 'swap' for raw", { dtype = "u8", swap = true })
    end)

    it("are saved as they are, or cast", function()
        local path = path_of "s.raw"
        assert.is_true(lun.save(path, lun.vector({ 1, 258 }, "u16")))
        assert.equal("\1\0\2\1", shell.slurp(path))
        assert.is_true(lun.save(path, lun.vector({ 1, 2 }, "i64"), { dtype = "i8" }))
        assert.equal("\1\2", shell.slurp(path))
        assert.is_true(lun.save(path_of "s.xyz", lun.vector({ 1, 2 }, "i64"), { dtype = "u16" }))
        assert.equal("\1\0\2\0", shell.slurp(path_of "s.xyz"))
        local ok, message = pcall(lun.save, path, lun.vector { 1 }, { dtype = "f31" })
        assert.is_false(ok)
        assert.matches("unknown dtype 'f31'", message)
        assert.equal("\1\2", shell.slurp(path))
    end)
end)
