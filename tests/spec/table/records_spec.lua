-- Records (lun.struct) against lists of plain tables: both layouts, every dtype, on every backend; what is written
-- through fields, windows and indices; wrong calls.
local lun = require "lunarray"
local dtypes = require "lunarray.base.dtypes"
local expect = require "expect"

local FIELDS = { { "x", "f32" }, { "flag", "bool" }, { "id", "i32" }, { "w", "f64" }, { "k", "u8" } }
local NAMES = { "x", "flag", "id", "w", "k" }

local function both(check)
    for _, layout in ipairs { "aos", "soa" } do
        check(lun.struct("Thing", FIELDS, { layout = layout }), layout)
    end
end

local random = math.random
local function row()
    return { x = random(-1000, 1000) / 8, flag = random(2) == 1, id = random(-100000, 100000),
        w = random(), k = random(0, 255) }
end

local function rows(n)
    local list = {}
    for i = 1, n do
        list[i] = row()
    end
    return list
end

-- Fails unless the records are these tables.
local function same(wanted, records)
    local got = records:totable()
    assert.equal(#wanted, #got)
    assert.equal(#wanted, #records)
    for i, one in ipairs(wanted) do
        for _, name in ipairs(NAMES) do
            assert(one[name] == got[i][name],
                ("record %d: %s is %s, %s expected"):format(i, name, got[i][name], one[name]))
        end
    end
end

describe("records", function()
    it("hold what lists of tables hold, on every backend", function()
        expect.everywhere(function()
            both(function(P, layout)
                for _, n in ipairs { 0, 1, 2, 63, 64, 65, 1000 } do
                    local list = rows(n)
                    local a = lun.vector(list, P)
                    assert.equal(n == 0 and "soa" or layout, a:layout())
                    same(list, a)
                    for i = 1, math.min(n, 5) do
                        local one = a[i]
                        for _, name in ipairs(NAMES) do
                            assert.equal(list[i][name], one[name])
                            assert.equal(list[n - i + 1][name], a[-i][name])
                        end
                    end
                    assert.is_nil(a[n + 1])
                end
            end)
        end)
    end)

    it("of more elements than a chunk has, written by fields", function()
        expect.everywhere(function()
            both(function(P)
                local n = (1 << 16) + 1
                local a = lun.zeros(n, P)
                local index = lun.index(n)
                a.id:set(index)
                a.x = index * 0.5
                a:field "w":set(a.x:cast "f64" * a.id)
                a.flag = (index % 3):eq(0)
                a.k = index % 251
                local id, x, w, flag, k = a.id:totable(), a.x:totable(), a.w:totable(), a.flag:totable(), a.k:totable()
                for i = 1, n do
                    assert(id[i] == i and x[i] == i * 0.5 and w[i] == i * 0.5 * i and flag[i] == (i % 3 == 0)
                        and k[i] == i % 251, i)
                end
                assert.equal(n * (n + 1) // 2, a.id:sum())
            end)
        end)
    end)

    it("are what is assigned to an index", function()
        both(function(P)
            local list = rows(40)
            local a = lun.vector(list, P)
            for _ = 1, 100 do
                local i, one = random(40), row()
                list[i] = one
                a[random(2) == 1 and i or i - 41] = one
            end
            same(list, a)
        end)
    end)

    it("have windows that reach them", function()
        expect.everywhere(function()
            both(function(P)
                local list = rows(50)
                local a = lun.vector(list, P)
                local part = a:sub(40, 2, -3)
                part.id = 7
                part[2] = { x = 1, flag = true, id = 2, w = 3, k = 4 }
                for i = 40, 2, -3 do
                    list[i].id = 7
                end
                list[37] = { x = 1, flag = true, id = 2, w = 3, k = 4 }
                same(list, a)
                a:sub(1, 20):set(a:sub(31, 50))
                same(table.move(list, 31, 50, 1, table.move(list, 1, 50, 1, {})), a)
                a:sub(11, 30):set(a:sub(1, 20)) -- they overlap
                local now = table.move(list, 31, 50, 1, table.move(list, 1, 50, 1, {}))
                same(table.move(table.move(now, 1, 50, 1, {}), 1, 20, 11, now), a)
            end)
        end)
    end)

    it("keep what expressions took from them before a write", function()
        both(function(P)
            local a = lun.vector(rows(100), P)
            local x, before = a.x + 0, a.x:totable()
            local whole, was = a:copy(), a:totable()
            local part = a:sub(3, 9).x * 2
            local twice = a.x:sub(3, 9):totable()
            a.x = 1
            a.w:fill(2)
            a[4] = row()
            assert.same(before, x:totable())
            same(was, whole)
            for i = 1, 7 do
                twice[i] = twice[i] * 2
            end
            assert.same(twice, part:totable())
        end)
    end)

    it("are iterated, read, joined, reshaped, stacked", function()
        both(function(P)
            local list, other = rows(12), rows(5)
            local a, b = lun.vector(list, P), lun.vector(other, P)
            local count = 0
            for i, one in a:iter() do
                count = count + 1
                assert.same(list[i], one)
            end
            for i, one in pairs(b) do
                count = count + 1
                assert.same(other[i], one)
            end
            assert.equal(17, count)
            assert.same({ list[4], list[5] }, a:read(4, 2))
            local all = table.move(other, 1, 5, 13, table.move(list, 1, 12, 1, {}))
            same(all, a .. b)
            same(all, lun.concat { a, b })
            same(all, (a .. b):copy())
            assert.equal(P.layout, (a .. b):copy():layout())
            assert.equal("soa", a:copy { layout = "soa" }:layout())
            same(list, a:copy { layout = "soa" })
            local grid = a:reshape(3, 4)
            assert.same({ list[5], list[6], list[7], list[8] }, grid[2]:totable())
            assert.same({ list[2], list[6], list[10] }, grid:col(2):totable())
            assert.same(list[7], grid[2][3])
            assert.same({ 2, 3, 4 }, { lun.stack { grid, grid }:shape() })
            local z = lun.zeros({ 2, 3 }, P)
            z[2]:set(a:sub(1, 3))
            assert.same({ list[1], list[2], list[3] }, z[2]:totable())
            assert.same({ list[1], list[2], list[3] }, z:totable()[2])
            z[1][2] = list[9]
            assert.same(list[9], z:transpose()[2][1])
            assert.equal(0, z[1][1].x)
        end)
    end)

    it("are chosen by indices, by a mask, by a function", function()
        expect.everywhere(function()
            both(function(P)
                local list = rows(200)
                local a = lun.vector(list, P)
                local at, taken, kept = {}, {}, {}
                for k = 1, 300 do
                    at[k] = random(200)
                    taken[k] = list[at[k]]
                end
                for _, one in ipairs(list) do
                    kept[#kept + 1] = one.k > 100 and one or nil
                end
                same(taken, a:take(at))
                same(taken, lun.rows(a, at))
                same(kept, a:compress(a.k:gt(100)))
                same(kept, lun.rows(a, a.k:gt(100)))
                same(kept, a:filter(function(p) return p.k > 100 end))
                same(kept, lun.filter(a, function(p) return p.k > 100 end))
                same(kept, a:filter(function(p, least) return p.k > least end, 100):copy())
                same({}, a:compress(a.k:gt(255)))
                local here = debug.getinfo(1, "l").currentline
                local beyond = a:take { 1, 201 }
                local failure = expect.failure("index 201 (number 2) is out of range", beyond.eval, beyond)
                assert.matches(("records_spec.lua:%d"):format(here + 1), tostring(failure))
                expect.failure("row 0 (number 1): nothing can be missing among records", lun.rows, a, { 0 })
                expect.failure("'compress' (shapes differ: f32[200]", function() a:compress(lun.vector { true }):eval() end)
            end)
        end)
    end)

    it("are made of columns, of a value, of others", function()
        both(function(P)
            local list = rows(9)
            local a = lun.vector(list, P)
            same(list, lun.vector({ x = a.x, flag = a.flag, id = a.id:totable(), w = a.w, k = a.k }, P))
            same(list, lun.vector(a))
            assert.same({ list, list }, lun.vector({ a, a }):totable())
            assert.same({ list, list }, lun.vector({ a, a }, P):totable())
            local one = row()
            local full = lun.full(3, one, P)
            same({ one, one, one }, full)
            same({ one, one, one }, lun.zeros(3, P):fill(one))
            local Q = lun.struct("Other", { { "w", "f32" }, { "id", "i64" }, { "x", "f64" }, { "k", "i16" },
                { "flag", "u8" } })
            local b = a:cast(Q)
            assert.equal("i64", b.id:dtype())
            assert.equal(list[3].id, b[3].id)
            assert.equal(list[3].flag and 1 or 0, b[3].flag)
            same(list, lun.vector(b:cast(P)):set(a))
            assert.equal(P, a:dtype())
            assert.same({ 9 }, { a:shape() })
        end)
    end)

    it("of every dtype stand where C has them", function()
        local fields, list = {}, {}
        for i, dtype in ipairs(dtypes.list) do
            fields[i] = { "f" .. i, dtype.name }
        end
        local P = lun.struct("All", fields)
        local at, widest = 0, 1
        for i, dtype in ipairs(dtypes.list) do
            at = (at + dtype.bytes - 1) // dtype.bytes * dtype.bytes
            assert.equal(at, P.offsets["f" .. i])
            at, widest = at + dtype.bytes, math.max(widest, dtype.bytes)
        end
        assert.equal((at + widest - 1) // widest * widest, P.bytes)
        for k = 1, 5 do
            list[k] = {}
            for i, dtype in ipairs(dtypes.list) do
                local x = dtype.kind == "float" and k + 0.5 or k
                if dtype.kind == "bool" then
                    x = k % 2 == 0
                end
                list[k]["f" .. i] = x
            end
        end
        local a = lun.vector(list, P)
        assert.same(list, a:totable())
        for _, r in ipairs { lun.frombytes(a:tobytes(), P), lun.frombytes(a:copy { layout = "soa" }:tobytes(), P) } do
            assert.same(list, r:totable())
        end
        assert.same(list, lun.frombytes(a:tobytes(), P, { 5, 1 }):col(1):totable())
    end)

    it("have the bytes of a struct", function()
        local P = lun.struct("Mixed", { { "a", "u8" }, { "b", "i32" }, { "c", "u8" }, { "d", "f64" } })
        assert.equal(24, P.bytes)
        local a = lun.vector({ { a = 1, b = -2, c = 3, d = 4.5 }, { a = 255, b = 6, c = 7, d = -8 } }, P)
        local format = "<Bxxxi4Bxxxxxxxd"
        assert.equal(format:pack(1, -2, 3, 4.5) .. format:pack(255, 6, 7, -8), a:tobytes())
        local b = lun.frombytes(a:tobytes(), P)
        b.b = b.b * 2
        assert.equal(format:pack(1, -4, 3, 4.5) .. format:pack(255, 12, 7, -8), b:tobytes())
        assert.equal(a:sub(2, 2):tobytes(), format:pack(255, 6, 7, -8))
    end)

    it("live as long as one of their fields does", function()
        local function field()
            local a = lun.zeros(1000, lun.struct("P", { { "x", "f32" }, { "y", "f32" } }))
            a.x = lun.index(1000)
            return a.x
        end
        local x = field()
        collectgarbage()
        collectgarbage()
        assert.equal(500500, x:sum())
    end)

    it("print as tables, with what they are", function()
        local P = lun.struct("Particle", { { "x", "f32" }, { "id", "i32" } })
        local a = lun.vector({ { x = 1, id = 2 }, { x = 0.5, id = -3 } }, P)
        assert.equal("Records<Particle>[2] aos " .. lun.use() .. "\n     x   id\n   f32  i32\n1  1.0    2\n2  0.5   -3",
            tostring(a))
        local lines = 0
        for _ in tostring(lun.zeros(100000, P)):gmatch "[^\n]+" do
            lines = lines + 1
        end
        assert.is_true(lines < 20)
        assert.equal("struct Particle { f32 x; i32 id; } (aos, 8 bytes)", tostring(P))
        assert.matches("operations waiting", tostring(a .. a))
        assert.matches("^Records<Particle>%[2, 2%] aos.-%.x: View<f32>", tostring(lun.zeros({ 2, 2 }, P)))
        assert.matches("records of Particle", lun.help(a))
        assert.matches("struct Particle", lun.help(P))
        assert.matches("lun.struct", lun.help "struct")
    end)
end)

describe("records: a wrong call", function()
    local P = lun.struct("Particle", { { "x", "f32" }, { "y", "f32" }, { "id", "i32" } })
    local a = lun.vector({ { x = 1, y = 2, id = 3 }, { x = 4, y = 5, id = 6 } }, P)
    local HAS = "Particle has x, y and id"

    it("says what, and changes nothing", function()
        local before = a:totable()
        for text, call in pairs {
            ["field 'y' is missing: " .. HAS] = function() a[1] = { x = 1, id = 3 } end,
            ["unknown field 'z': " .. HAS] = function() a[1] = { x = 1, y = 2, id = 3, z = 4 } end,
            ["field 'id': number 1.5 does not fit into dtype i32"] = function() a[1] = { x = 9, y = 9, id = 1.5 } end,
            ["a table of x, y and id expected, got number"] = function() a[1] = 5 end,
            ["index 3 is out of range: 1 to 2"] = function() a[3] = { x = 1, y = 2, id = 3 } end,
            ["index 0 is out of range"] = function() return a[0] end,
            ["integer index or name of a field expected, got number"] = function() return a[1.5] end,
            ["no field 'z': " .. HAS] = function() local _ = a:field "z" end,
            ["no field 'q': " .. HAS] = function() a.q = 1 end,
            ["perform + on records of Particle: take their fields (x, y and id)"] = function() return a + 1 end,
            ["perform * on records"] = function() return 2 * a end,
            ["perform - on records"] = function() return -a end,
            ["perform < on records"] = function() return a < a end,
            ["array or number expected, got records of Particle (fields x, y and id)"] = function()
                return lun.sqrt(a)
            end,
            ["'+' (array or number expected, got records of Particle"] = function() return lun.index(2) + a end,
            ["records of Particle have no 'sum': take a field (x, y and id), as a:field 'x'"] = function()
                local _ = a:sum()
            end,
            ["bad argument #3 to 'sub' ('step' is zero)"] = function() local _ = a:sub(1, 2, 0) end,
            ["'set' (field 'id': lengths differ: i32[2] and i64[3])"] = function()
                a:set { x = 0, y = 0, id = lun.index(3) }
            end,
            ["'fill' (field 'id': 1.5 has no integer representation: the dtype is i32)"] = function()
                a:fill { x = 0, y = 0, id = 1.5 }
            end,
            ["'set' (field 'x' is missing"] = function() a:set { y = 1, id = 2 } end,
            ["'..' (records expected, got a Vector i64[3])"] = function() return a .. lun.index(3) end,
            ["element 2 has other fields: Q has x, Particle has x, y and id"] = function()
                return a .. lun.zeros(2, lun.struct("Q", { { "x", "f32" } }))
            end,
            ["a struct expected, got string"] = function() local _ = a:cast "f32" end,
            ["the option of records is layout"] = function() local _ = a:copy { layout = "left" } end,
        } do
            local e = expect.failure(text, call)
            assert.matches("^[^\n]*records_spec.lua:%d+: ", e)
        end
        assert.same(before, a:totable())
    end)

    it("of what makes records", function()
        for text, call in pairs {
            ["'struct' (a name expected, got number)"] = function() lun.struct(1, { { "x", "f32" } }) end,
            ["'a b' is no name"] = function() lun.struct("a b", { { "x", "f32" } }) end,
            ["field 1: 'int' is a word of C"] = function() lun.struct("P", { { "int", "f32" } }) end,
            ["field 2: 'x' is there twice"] = function() lun.struct("P", { { "x", "f32" }, { "x", "f32" } }) end,
            ["field 'x': a dtype expected"] = function() lun.struct("P", { { "x", "float" } }) end,
            ["a list of fields expected, such as"] = function() lun.struct("P", {}) end,
            ["field 1: {name, dtype} expected, got string"] = function() lun.struct("P", { "x" }) end,
            ["without 'x'"] = function() lun.struct("P", { { "y", "f32" }, x = "f32" }) end,
            ["option layout: \"aos\" or \"soa\" expected"] = function()
                lun.struct("P", { { "x", "f32" } }, { layout = "left" })
            end,
            ["unknown option 'align'"] = function() lun.struct("P", { { "x", "f32" } }, { align = 4 }) end,
            ["wrong number of arguments to 'Particle' (3 expected, got 2: x, y and id)"] = function() P(1, 2) end,
            ["a struct cannot be changed"] = function() P.z = 1 end,
            ["extent 1 is negative: -3"] = function() lun.zeros(-3, P) end,
            ["are more than can be addressed"] = function() lun.zeros(1 << 61, P) end,
            ["records are no dtype: a:dtype() is their struct"] = function() lun.zeros(3, a) end,
            ["a struct has no 1"] = function() lun.ones(3, P) end,
            ["'full' (a table of x, y and id expected, got number)"] = function() lun.full(3, 1, P) end,
            ["record 2: field 'id' is missing"] = function()
                lun.vector({ { x = 1, y = 2, id = 3 }, { x = 1, y = 2 } }, P)
            end,
            ["record 1: a table of x, y and id expected, got number"] = function() lun.vector({ 1, 2 }, P) end,
            ["field 'id': t[1] is a string"] = function() lun.vector({ { x = 1, y = 2, id = "3" } }, P) end,
            ["13 bytes are not a whole number of records of 12"] = function() lun.frombytes(("x"):rep(13), P) end,
            ["the shape does not match 1 records"] = function() lun.frombytes(("x"):rep(12), P, 2) end,
            ["array expected, got the struct Particle"] = function() lun.index(P) end,
            ["array expected, got records of Particle: take a field (x, y and id), as a:field 'x'"] = function()
                lun.random(a)
            end,
        } do
            local e = expect.failure(text, call)
            assert.matches("^[^\n]*records_spec.lua:%d+: ", e)
        end
    end)

    it("of the function of filter, not of map", function()
        local function refused(argument, message, ...)
            expect.failure(("bad argument #%d to 'filter' (%s"):format(argument, message), a.filter, a, ...)
        end
        refused(1, "function, C source, path or operation expected, got number", 3)
        refused(1, debug.getinfo(1, "S").short_src, function(p) return p.z > 1 end)
        refused(1, "C function, line 1: unknown type 'Other'", "(Other p){ return p.x > 1; }")
        refused(2, "array or number expected, got string", function(p, q) return p.x > q end, "x")
    end)
end)

describe("records with a freed field", function()
    it("show the others", function()
        for _, layout in ipairs { "aos", "soa" } do
            local S = lun.struct("S", { { "x", "f64" }, { "v", "i64", 2 }, { "z", "c128" } }, { layout = layout })
            local s, t, m = lun.zeros(2, S), lun.zeros(2, S), lun.zeros({ 1, 2 }, S)
            s.x:free()
            assert.matches("\n   x      v%[1%]  v%[2%]  z.re  z.im\n   freed   i64   i64   f64   f64\n1            0     0   0.0   0.0\n",
                tostring(s))
            t.v:free()
            assert.equal(0.0, t:map(function(p) return p.x end)[1])
            t.z:free()
            assert.matches("\n     x  v%[1%]   v%[2%]   z.re   z.im\n   f64  freed  freed  freed  freed\n1  0.0", tostring(t))
            m.x:free()
            assert.matches("%[1, 2%] " .. layout .. "[^\n]*\n%.x: freed\n%.v: .*0 0.*%.z: ", tostring(m))
            s:free() -- the rest
            expect.failure("attempt to use a freed Vector", tostring, s)
            expect.failure("attempt to use a freed Vector", s.free, s)
            do
                local closed <close> = m
                assert.equal(m, closed)
            end
            expect.failure("attempt to use a freed Vector", tostring, m)
        end
    end)
end)
