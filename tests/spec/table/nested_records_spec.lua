-- Records with records and arrays as fields, against lists of plain tables: both layouts, every method, functions in Lua
-- and C, files; wrong calls.
local lun = require "lunarray"
local expect = require "expect"
local values = require "table.nested_records_values"

local POINT = { { "x", "f32" }, { "y", "f32" } }
local Point = lun.struct("Point", POINT)

local function both(check)
    for _, layout in ipairs { "aos", "soa" } do
        local fields = { { "pos", Point }, { "v", "f64", 3 }, { "m", "i16", { 2, 2 } }, { "id", "i32" }, { "ok", "bool" } }
        check(lun.struct("Body", fields, { layout = layout }), layout)
    end
end

local random = math.random
local function row()
    return {
        pos = { x = random(-99, 99) / 4, y = random(-99, 99) / 4 }, v = { random(), random(), random() },
        m = { { random(-9, 9), random(-9, 9) }, { random(-9, 9), random(-9, 9) } }, id = random(-999, 999),
        ok = random(2) == 1,
    }
end

local function rows(n)
    local list = {}
    for i = 1, n do
        list[i] = row()
    end
    return list
end

local function picked(list, at)
    local out = {}
    for k, i in ipairs(at) do
        out[k] = list[i]
    end
    return out
end

describe("records with records and arrays in them", function()
    it("hold what lists of tables hold, on every backend", function()
        expect.everywhere(function()
            both(function(B, layout)
                for _, n in ipairs { 0, 1, 2, 65, 300 } do
                    local list = rows(n)
                    local a = lun.vector(list, B)
                    assert.same(list, a:totable())
                    assert.equal(n == 0 and "soa" or layout, a:layout())
                    assert.same(list[n], a[math.max(n, 1)])
                    assert.same(list, lun.frombytes(a:tobytes(), B):totable())
                    if n > 1 then
                        assert.same(picked(list, { 2 }), a:read(2, 1))
                    end
                end
            end)
        end)
    end)

    it("are in memory as C has them", function()
        local B = lun.struct("Body", { { "c", "u8" }, { "pos", Point }, { "v", "i16", 3 }, { "d", "f64" }, { "e", "u8" } })
        assert.equal("struct Body { u8 c; Point pos; i16 v[3]; f64 d; u8 e; } (aos, 40 bytes)", tostring(B))
        local bytes = lun.vector({ { c = 1, pos = { x = 2, y = 3 }, v = { 4, 5, 6 }, d = 7, e = 8 } }, B):tobytes()
        local got = table.pack(string.unpack("<BxxxffI2I2I2xxxxxxdB", bytes))
        assert.same({ 1, 2, 3, 4, 5, 6, 7, 8 }, table.move(got, 1, 8, 1, {}))
    end)

    it("have fields that are windows", function()
        expect.everywhere(function()
            both(function(B)
                local list = rows(9)
                local a = lun.vector(list, B)
                assert.equal("9 3", table.concat({ a.v:shape() }, " "))
                assert.equal("9 2 2", table.concat({ a.m:shape() }, " "))
                assert.equal(Point, a.pos:dtype())
                local part = a:sub(8, 2, -3)
                part.pos.x, part.v, part.ok = 7, part.v * 2, false
                part.m[1]:fill(5)
                part.pos[2] = { x = 1, y = 2 }
                for k, i in ipairs { 8, 5, 2 } do
                    local one = list[i]
                    one.pos = k == 2 and { x = 1, y = 2 } or { x = 7, y = one.pos.y }
                    one.v, one.ok = { one.v[1] * 2, one.v[2] * 2, one.v[3] * 2 }, false
                    one.m = k == 1 and { { 5, 5 }, { 5, 5 } } or one.m
                end
                a[1], list[1] = list[3], list[3]
                a.v[4] = lun.vector { 1, 2, 3 }
                list[4].v = { 1, 2, 3 }
                assert.same(list, a:totable())
            end)
        end)
    end)

    it("are moved as arrays of rows are", function()
        both(function(B)
            local list = rows(6)
            local a = lun.vector(list, B)
            assert.same(picked(list, { 6, 1, 1 }), a:take({ -1, 1, 1 }):totable())
            assert.same(picked(list, { 2, 5 }), a:compress(lun.vector { false, true, false, false, true, false }):totable())
            assert.same(picked(list, { 1, 2, 3, 4, 5, 6, 1, 2 }), (a .. a:sub(1, 2)):totable())
            assert.same(list, a:copy():totable())
            assert.same(list, a:copy { layout = "soa" }:totable())
            local grid = a:reshape(2, 3)
            assert.same({ picked(list, { 1, 2, 3 }), picked(list, { 4, 5, 6 }) }, grid:totable())
            assert.same({ picked(list, { 1, 4 }), picked(list, { 2, 5 }), picked(list, { 3, 6 }) }, grid:transpose():totable())
            assert.same(grid:transpose():totable(), grid:transpose({ -1, 1 }):totable())
            assert.same(picked(list, { 4, 5, 6 }), grid:row(2):totable())
            assert.same(picked(list, { 3, 6 }), grid:col(3):totable())
            assert.same(picked(list, { 2, 5 }), grid:select(-1, 2):totable())
            assert.same(picked(list, { 1, 5 }), grid:diagonal():totable())
            assert.same(list, grid:flatten():totable())
            assert.same(picked(list, { 2, 6 }), grid:compress(lun.vector { { false, true, false }, { false, false, true } })
                :totable())
            assert.same({ picked(list, { 1, 2 }), picked(list, { 2, 3 }), picked(list, { 3, 4 }), picked(list, { 4, 5 }),
                picked(list, { 5, 6 }) }, a:windows(2):totable())
            assert.same({ picked(list, { 3, 1 }), picked(list, { 6, 4 }) }, grid:take({ 3, 1 }, { axis = -1 }):totable())
            assert.same({ list, list }, a:broadcast(2, 6):totable())
            assert.same({ list, list }, lun.stack({ a, a }):totable())
            local two = lun.stack({ a, a }, -1)
            assert.same(picked(list, { 2, 2 }), two:totable()[2])
        end)
    end)

    it("are made of fields and numbers", function()
        both(function(B)
            local one = { pos = { x = 1, y = 2 }, v = { 1, 2, 3 }, m = { { 1, 2 }, { 3, 4 } }, id = 5, ok = true }
            assert.same({ one, one }, lun.full(2, one, B):totable())
            local a = lun.vector({ pos = { x = lun.index(2), y = 0 }, v = lun.ones(2, 3), m = 0, id = 1, ok = false }, B)
            assert.same({ x = 2, y = 0 }, a[2].pos)
            assert.same({ 1, 1, 1 }, a[2].v)
            assert.same({ { 0, 0 }, { 0, 0 } }, a[1].m)
            a:set { pos = a.pos:copy(), v = { 4, 5, 6 }, m = a.m + 1, id = a.id, ok = true }
            assert.same({ pos = { x = 1, y = 0 }, v = { 4, 5, 6 }, m = { { 1, 1 }, { 1, 1 } }, id = 1, ok = true }, a[1])
            local C = lun.struct("C", { { "pos", lun.struct("D", { { "x", "f64" }, { "y", "i32" } }) }, { "v", "f32", 3 },
                { "m", "f32", { 2, 2 } }, { "id", "i8" }, { "ok", "u8" } })
            assert.same({ pos = { x = 2.0, y = 0 }, v = { 4, 5, 6 }, m = { { 1, 1 }, { 1, 1 } }, id = 1, ok = 1 }, a:cast(C)[2])
        end)
    end)

    it("print a column for each element, and save one in csv", function()
        local B = lun.struct("Body", { { "pos", Point }, { "v", "i16", { 1, 2 } } })
        local a = lun.vector({ { pos = { x = 1, y = 2 }, v = { { 3, 4 } } }, { pos = { x = 5, y = 6 }, v = { { 7, 8 } } } }, B)
        assert.equal([[
Records<Body>[2] aos
   pos.x  pos.y  v[1,1]  v[1,2]
     f32    f32     i16     i16
1    1.0    2.0       3       4
2    5.0    6.0       7       8]], (tostring(a):gsub(" %a+\n", "\n", 1)))
        local path = os.tmpname()
        assert(lun.save(path .. ".csv", lun.table { k = lun.index(2), p = a }))
        local file <close> = assert(io.open(path .. ".csv"))
        assert.equal('k,p.pos.x,p.pos.y,"p.v[1,1]","p.v[1,2]"\n1,1.0,2.0,3,4\n2,5.0,6.0,7,8\n', file:read "a")
        os.remove(path .. ".csv")
        os.remove(path)
    end)

    it("go through functions", function()
        both(function(B, layout)
            local on = layout == "aos" and expect.everywhere or function(f) f() end
            on(function()
                local list = rows(70)
                local a = lun.vector(list, B)
                local sum = a:map(function(p)
                    local s = p.pos.x * p.m[2][1]
                    for k = 1, #p.v do
                        s = s + p.v[k]
                    end
                    return p.ok and s or -s
                end)
                local function turned(v)
                    return { v[2], v[3], v[1] }
                end
                local made = a:map(function(p, dt)
                    local at = Point(p.pos.y, p.pos.x)
                    if p.id > 0 then
                        at = Point(p.pos.x + dt, 0)
                    end
                    return B(at, turned(p.v), { p.m[2], { 1, 2 } }, p.id, not p.ok)
                end, 0.5):eval()
                local one = lun.zip(function(p, q) return p.v[1] * q.v[3] + q.pos.y end)(a, a:sub(70, 1, -1)):totable()
                local index = lun.index(70)
                local read = index:map(function(i) return a[i].pos.y + a[i].m[1][2] + a[71 - i].v[2] end):totable()
                for i, p in ipairs(list) do
                    local s = p.pos.x * p.m[2][1]
                    for k = 1, 3 do
                        s = s + p.v[k]
                    end
                    assert.equal(p.ok and s or -s, sum[i])
                    local at = p.id > 0 and { x = p.pos.x + 0.5, y = 0 } or { x = p.pos.y, y = p.pos.x }
                    assert.same({ pos = at, v = { p.v[2], p.v[3], p.v[1] }, m = { p.m[2], { 1, 2 } }, id = p.id, ok = not p.ok },
                        made[i])
                    local other = list[71 - i]
                    assert.equal(p.v[1] * other.v[3] + other.pos.y, one[i])
                    assert.equal(p.pos.y + p.m[1][2] + other.v[2], read[i])
                end
                lun.each(70, function(i)
                    a[i].pos.x = i
                    a[i].v[2] = i * 2
                end)
                assert.equal(70, a[70].pos.x)
                assert.equal(140, a[70].v[2])
                assert.equal(list[70].v[3], a[70].v[3])
            end)
        end)
    end)

    it("are extra arguments of functions in Lua", function()
        expect.everywhere(function()
            local B = lun.struct("Body", { { "pos", Point }, { "v", "f64", 2 } })
            local function made(n, d)
                return lun.vector({ pos = { x = lun.index(n) + d, y = d }, v = lun.ones(n, 2) * d }, B)
            end
            local function far(p, others, k)
                local sum = 0.0
                for j = 1, #others do
                    sum = sum + others[j].pos.x * k + others[j].v[2]
                end
                return p.pos.y + sum
            end
            local a, three, four = made(2, 1), made(3, 10), made(4, 100)
            local first, second = a:map(far, three, 2), a:map(far, four, 3)
            three.pos.x = 0 -- first keeps what they were
            assert.same({ 1 + 2 * 36 + 30, 1 + 2 * 36 + 30 }, first:totable())
            assert.same({ 1 + 3 * 410 + 400, 1 + 3 * 410 + 400 }, second:totable())
            assert.same({ 31, 31 }, a:map(far, three, 2):totable())
            assert.same({ 101, 102 }, lun.map(function(i, others) return others[i].pos.x end)(lun.index(2), four):totable())
            assert.same({ { x = 103, y = 2 }, { x = 104, y = 2 } }, a:zip(a, function(p, q, others)
                return Point(p.pos.x + others[1].pos.x, p.pos.y + q.v[1])
            end, four):totable())
        end)
    end)

    it("go through functions in C", function()
        both(function(B)
            local list = rows(5)
            local a = lun.vector(list, B)
            local made = a:map "(Body b) { Point p = b.pos; return p.x + b.m[1][0] * 2; }":totable()
            local sums = a:map "double f(Body b) { double s = 0; for (int k = 0; k < 3; k++) s += b.v[k]; return s; }":totable()
            for i, p in ipairs(list) do
                assert.equal(p.pos.x + p.m[2][1] * 2, made[i])
                assert.equal(p.v[1] + p.v[2] + p.v[3], sums[i])
            end
        end)
    end)

    it("are NumPy's in files, aligned and packed with swapped bytes", function()
        local path = os.tmpname()
        for _, kind in ipairs { "aligned", "packed" } do
            local file = assert(io.open(path .. ".npy", "wb"))
            file:write((values[kind]:gsub("%x%x", function(byte) return string.char(tonumber(byte, 16)) end)))
            file:close()
            local a = assert(lun.load(path .. ".npy"))
            assert.same(values.rows, a:totable())
            if kind == "aligned" then
                assert(lun.save(path .. ".npy", a))
                local saved <close> = assert(io.open(path .. ".npy", "rb"))
                local header, wanted = saved:read "a":gsub(".", function(c) return ("%02x"):format(c:byte()) end), values.aligned
                assert.equal(wanted:sub(-2 * #a:tobytes()), header:sub(-2 * #a:tobytes()))
                assert.same(values.rows, assert(lun.load(path .. ".npy")):totable())
            end
        end
        os.remove(path .. ".npy")
        os.remove(path)
    end)

    it("are refused with their fields' names", function()
        local function refused(message, ...)
            expect.failure("bad argument #2 to 'struct' (" .. message, lun.struct, "P", ...)
        end
        refused("field 'v': extents such as 3 or {2, 3} expected, got 0)", { { "v", "f32", 0 } })
        refused("field 'v': extents such as 3 or {2, 3} expected, got 1.5)", { { "v", "f32", 1.5 } })
        refused("field 'v': extents such as 3 or {2, 3} expected, got table:", { { "v", "f32", { 2, 2, 2 } } })
        refused("field 'v': more than 64 elements in all fields)", { { "v", "f32", 65 } })
        refused("field 'w': more than 64 elements in all fields)", { { "v", "f32", { 8, 8 } }, { "w", "f32" } })
        refused("field 'v': more than 64 elements in all fields)", { { "v", "f32", { math.maxinteger, 4 } } })
        refused("field 'p': an array of structs is no field: give each a field)", { { "p", Point, 2 } })
        refused("field 't': a dtype expected (", { { "t", "text" } })
        refused("field 1: {name, dtype} expected, got table)", { Point })
        local deep = Point
        for k = 2, 8 do
            deep = lun.struct("Deep" .. k, { { "in_", deep } })
        end
        refused("field 'p': structs in structs, more than 8 deep)", { { "p", deep } })
        local B = lun.struct("Body", { { "pos", Point }, { "v", "i8", 2 } })
        local a = lun.zeros(2, B)
        local good = { pos = { x = 1, y = 2 }, v = { 3, 4 } }
        a[1] = good
        for text, bad in pairs {
            ["field 'pos': field 'y' is missing: Point has x and y"] = { pos = { x = 1 }, v = { 1, 2 } },
            ["field 'pos': unknown field 'z': Point has x and y"] = { pos = { x = 1, y = 2, z = 3 }, v = { 1, 2 } },
            ["field 'pos': a table of x and y expected, got number"] = { pos = 1, v = { 1, 2 } },
            ["field 'v': a list of 2 expected, got 3"] = { pos = { x = 1, y = 2 }, v = { 1, 2, 3 } },
            ["field 'v': a list of 2 expected, got number"] = { pos = { x = 1, y = 2 }, v = 1 },
            ["field 'v': t[2] = 300 does not fit: the dtype is i8"] = { pos = { x = 5, y = 6 }, v = { 1, 300 } },
        } do
            expect.failure(text, function() a[1] = bad end)
            assert.same(good, a[1])
            expect.failure(text:gsub("t%[2%]", "t[1][2]"), lun.vector, { bad }, B)
        end
        local R = lun.struct("R", { { "x", "i8" }, { "y", "f32" } })
        expect.failure("field 'pos.x': 300 does not fit: the dtype is i8", lun.full, 2, { pos = { x = 300, y = 0 }, v = 0 },
            lun.struct("Q", { { "pos", R }, { "v", "f32", 2 } }))
    end)

    it("are refused in functions, with what to write", function()
        local B = lun.struct("Body", { { "pos", Point }, { "v", "f32", 3 } })
        local a = lun.zeros(4, B)
        local function refused(message, f)
            expect.failure(message, function() lun.eval(a:map(f)) end)
        end
        refused("field 'v' of B is an array [3]: a list of as many values, {x, y} expected", function(p)
            return B(p.pos, { 1, 2 })
        end)
        refused("field 'v' of B is an array [3]: a list of as many values, {x, y} expected", function(p) return B(p.pos, 1) end)
        refused("field 'pos' of B is the struct Point: a call of it expected", function(p) return B(p.v[1], p.v) end)
        refused("a list is returned: return several values, or a struct's record", function(p) return p.v end)
        refused("index 4 is out of range: there are 3 elements", function(p) return p.v[4] end)
        refused("an index of a list, or of an array in a record, that is not known while the function is compiled",
            function(p) return p.v[p.pos.x > 0 and 1 or 2] end)
        refused("field 'x' of a list", function(p) return p.v.x end)
        refused("no field 'z' of a record", function(p) return p.pos.z end)
        refused("arithmetic on a list", function(p) return p.v + 1 end)
        refused("a table constructor is not supported: use local", function(p) local t = { x = p.v[1] } return t.x end)
    end)
end)
