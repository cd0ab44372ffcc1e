-- Records in files: NumPy's structured arrays, aligned, packed and byte-swapped, as NumPy writes them; what cannot be
-- records; csv and raw bytes.
local lun = require "lunarray"
local expect = require "expect"
local shell = require "shell"

local directory

local function write(name, bytes)
    return shell.write(directory .. "/" .. name, bytes)
end

local function npy(descr, shape, bytes, fortran)
    local header = ("{'descr': %s, 'fortran_order': %s, 'shape': %s, }"):format(descr, fortran and "True" or "False",
        shape)
    header = header .. (" "):rep(-(#header + 11) % 64) .. "\n"
    return "\147NUMPY\1\0" .. ("<s2"):pack(header) .. bytes
end

-- Records {x, id, ok, h} packed by a format, and the list of them.
local function packed(format, n)
    local parts, list = {}, {}
    for i = 1, n do
        list[i] = { x = i * 1.5, id = -i * 1000000007, ok = i % 2 == 0, k = 40000 + i }
        parts[i] = format:pack(list[i].x, list[i].id, list[i].ok and 1 or 0, list[i].k)
    end
    return table.concat(parts), list
end

describe("records in .npy files", function()
    setup(function()
        directory = shell.scratch()
    end)

    teardown(function()
        shell.discard(directory)
    end)

    it("are read as they were written, however they stand", function()
        local forms = {
            packed = { "[('x', '<f4'), ('id', '<i8'), ('ok', '|b1'), ('k', '<u2')]", "<fi8BI2" },
            swapped = { "[('x', '>f4'), ('id', '>i8'), ('ok', '|b1'), ('k', '>u2')]", ">fi8BI2" },
            mixed = { "[('x', '<f4'), ('id', '>i8'), ('ok', '?'), ('k', '<u2')]", "<f>i8B<I2" },
            aligned = { "[('x', '<f4'), ('', '|V4'), ('id', '<i8'), ('ok', '|b1'), ('', '|V1'), ('k', '<u2'), ('', '|V4')]",
                "<fxxxxi8BxI2xxxx" },
            apart = { "[('', '|V3'), ('x', '<f4'), ('id', '<i8'), ('', '|V16'), ('ok', '|b1'), ('k', '<u2')]",
                "<xxxfi8xxxxxxxxxxxxxxxxBI2" },
        }
        for name, form in pairs(forms) do
            for _, n in ipairs { 0, 1, 2, 1000 } do
                local bytes, list = packed(form[2], n)
                local a = assert(lun.load(write(name .. ".npy", npy(form[1]:gsub("'%?'", "'|b1'"), ("(%d,)"):format(n),
                    bytes))))
                assert.same(list, a:totable(), name)
                assert.equal("struct Record { f32 x; i64 id; bool ok; u16 k; } (aos, 24 bytes)", tostring(a:dtype()))
                if n > 0 then
                    assert.equal("aos", a:layout())
                    a.x = a.x + 1 -- the file keeps its bytes
                    assert.equal(list[1].x + 1, a[1].x)
                    assert.same(list, lun.load(directory .. "/" .. name .. ".npy"):totable())
                end
            end
        end
    end)

    it("of several dimensions, row by row and column by column", function()
        local bytes = packed("<fi8BI2", 6)
        local descr = "[('x', '<f4'), ('id', '<i8'), ('ok', '|b1'), ('k', '<u2')]"
        local rows = lun.load(write("rows.npy", npy(descr, "(2, 3)", bytes)))
        local columns = lun.load(write("columns.npy", npy(descr, "(3, 2)", bytes, true)))
        local none = lun.load(write("none.npy", npy(descr, "()", bytes:sub(1, 15))))
        assert.same({ 2, 3 }, { rows:shape() })
        assert.same({ 3, 2 }, { columns:shape() })
        assert.same({ 1 }, { none:shape() })
        for i = 1, 2 do
            for j = 1, 3 do
                assert.equal(((i - 1) * 3 + j) * 1.5, rows[i][j].x)
                assert.same(rows[i][j], columns[j][i])
            end
        end
    end)

    it("have the bytes that NumPy writes", function()
        for _, layout in ipairs { "aos", "soa" } do
            local P = lun.struct("P", { { "a", "u8" }, { "b", "i32" }, { "c", "bool" }, { "d", "f64" }, { "h", "f16" } },
                { layout = layout })
            local a = lun.vector({ { a = 1, b = -2, c = true, d = 0.5, h = 1.5 },
                { a = 4, b = 5, c = false, d = 1e300, h = -2 } }, P)
            local path = directory .. "/written.npy"
            assert(lun.save(path, a))
            local text = shell.slurp(path)
            local head, format = text:match "^\147NUMPY\1\0..([^\n]*)\n", "<Bxxxi4BxxxxxxxdI2xxxxxx"
            assert.equal("{'descr': [('a', '|u1'), ('', '|V3'), ('b', '<i4'), ('c', '|b1'), ('', '|V7'), ('d', '<f8'), "
                .. "('h', '<f2'), ('', '|V6')], 'fortran_order': False, 'shape': (2,), }", (head:gsub(" +$", "")))
            assert.equal(0, (#text - 64) % 64)
            assert.equal(format:pack(1, -2, 1, 0.5, 0x3e00) .. format:pack(4, 5, 0, 1e300, 0xc000), text:sub(-64))
            assert.same(a:totable(), lun.load(path):totable())
            assert(lun.save(path, a:sub(2, 1, -1):reshape(2, 1)))
            assert.same({ { a[2] }, { a[1] } }, lun.load(path):totable())
            assert(lun.save(path, lun.zeros(0, P)))
            assert.same({}, lun.load(path):totable())
        end
    end)

    it("stand in .npz files beside arrays", function()
        for _, layout in ipairs { "aos", "soa" } do
            local P = lun.struct("P", { { "x", "f32" }, { "id", "i64" }, { "ok", "bool" } }, { layout = layout })
            local a = lun.vector({ { x = 1, id = 2, ok = true }, { x = 3.5, id = -7, ok = false } }, P)
            local grid = lun.zeros({ 2, 3 }, P)
            grid[2][3] = { x = 9, id = -9, ok = true }
            for _, compress in ipairs { false, true } do
                local path = directory .. "/all.npz"
                assert(lun.save(path, { a = a, grid = grid, none = lun.zeros(0, P), y = lun.index(3) },
                    { compress = compress }))
                local t = lun.load(path)
                assert.same(a:totable(), t.a:totable())
                assert.same(grid:totable(), t.grid:totable())
                assert.equal(0, #t.none)
                expect.elements({ 1, 2, 3 }, t.y)
                assert.equal("4 arrays\na     Record[2]\ngrid  Record[2, 3]\nnone  Record[0]\ny     i64[3]", tostring(t))
                assert(lun.save(directory .. "/one.npy", a))
                assert.is_truthy(compress or shell.slurp(path):find(shell.slurp(directory .. "/one.npy"), 1, true))
            end
            expect.failure("'h': field 'h': NumPy has no bf16", lun.save, directory .. "/h.npz",
                { h = lun.zeros(2, lun.struct("H", { { "h", "bf16" } })) })
            local freed = lun.zeros(2, P)
            freed:free()
            expect.failure("('f' cannot be read: attempt to use a freed", lun.save, directory .. "/h.npz", { f = freed })
            assert.is_nil(io.open(directory .. "/h.npz"))
        end
    end)

    it("get names that C can have", function()
        local descr = "[('mass (kg)', '|u1'), ('int', '|u1'), ('', '|u1'), ('2nd', '|u1'), ('mass_(kg)', '|u1')]"
        local a = assert(lun.load(write("names.npy", npy(descr, "(2,)", "abcdefghij"))))
        assert.same({ "mass__kg_", "int_", "f2", "f2nd", "mass__kg__" }, table.move(a:dtype(), 1, 5, 1, {}))
        assert.equal(("j"):byte(), a[2].mass__kg__)
    end)

    it("may be none that can be read", function()
        local eight = ("\0"):rep(8)
        for text, file in pairs {
            ["u8[16] needs 16 bytes of elements, but there are 8"] = npy("[('x', '<f8')]", "(2,)", eight),
            ["needs 8 bytes of elements, but there are 16"] = npy("[('x', '<f8')]", "(1,)", eight:rep(2)),
            ["field 'pos': arrays of more than two axes in records are not supported"] =
                npy("[('pos', '<f4', (2,1,1))]", "(1,)", eight),
            ["field 'pos': more than 64 elements in all fields"] = npy("[('pos', '<f4', (2,99999999999))]", "(1,)", eight),
            ["field 'pos': extents such as 3 or {2, 3} expected"] = npy("[('pos', '<f4', (0,))]", "(1,)", ""),
            ["field 'p': an array of structs is no field"] = npy("[('p', [('x', '<f4')], (2,))]", "(1,)", eight),
            ["field 'p': records in records, more than 8 deep"] =
                npy(("[('p', "):rep(9) .. "'<f4'" .. (")]"):rep(9), "(1,)", eight),
            ["field 'p': field 'q': the dtype '<U2' (text) is not supported"] =
                npy("[('p', [('q', '<U2')])]", "(1,)", eight),
            ["fields with titles are not supported"] = npy("[(('T', 'x'), '<f8')]", "(1,)", eight),
            ["field 's': the dtype '<U2' (text) is not supported"] = npy("[('s', '<U2')]", "(1,)", eight),
            ["field 'b': element 2 of a bool array is the byte 7"] = npy("[('b', '|b1')]", "(2,)", "\1\7"),
            ["field 'x' has no dtype"] = npy("[('x')]", "(1,)", eight),
            ["descr is not a list of fields"] = npy("[('x', '<f4') ('y', '<f4')]", "(1,)", eight),
            ["field 'x' does not end"] = npy("[('x', '<f8']", "(1,)", eight),
            ["a list of fields expected"] = npy("[]", "(1,)", eight),
            ["bytes between fields are too many"] = npy("[('', '|V99999999999999999999'), ('x', '<f8')]", "(1,)", eight),
            ["there are more records than any file has"] = npy("[('x', '<f8')]", "(1000000000, 1000000000, 1000000000)",
                eight),
        } do
            local path = write("bad.npy", file)
            local a, message, code = lun.load(path)
            assert.is_nil(a)
            assert(message:find(text, 1, true), message)
            assert.is_true(code ~= nil)
            local twice = write("cut.npy", file:sub(1, 70))
            assert.is_nil((lun.load(twice)))
        end
        local _, message = lun.open(write("open.npy", npy("[('x', '<f8')]", "(1,)", eight)))
        assert.matches("records cannot stay in their file; use lun.load", message)
    end)

    it("are csv and raw bytes too", function()
        local P = lun.struct("P", { { "x", "f64" }, { "k", "i32" } })
        local a = lun.vector({ { x = 1, k = 2 }, { x = 0.5, k = -3 } }, P)
        assert(lun.save(directory .. "/t.csv", a))
        assert.equal("x,k\n1.0,2\n0.5,-3\n", shell.slurp(directory .. "/t.csv"))
        local t = lun.load(directory .. "/t.csv")
        assert.same(a:totable(), lun.vector({ x = t.x, k = t.k }, P):totable())
        assert(lun.save(directory .. "/t.bin", a))
        assert.equal(a:tobytes(), shell.slurp(directory .. "/t.bin"))
        expect.failure("array expected, got records of P", lun.save, directory .. "/t.png", a)
        expect.failure("field 'h': NumPy has no bf16", lun.save, directory .. "/h.npy",
            lun.zeros(2, lun.struct("H", { { "h", "bf16" } })))
        assert.is_nil(io.open(directory .. "/h.npy"))
    end)
end)
