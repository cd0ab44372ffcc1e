-- lun.concat, lun.stack, a .. b and a:shift, against loops over the indices in plain Lua.

local lun = require "lunarray"
local expect = require "expect"
local shell = require "shell"

local DTYPES = { "bool", "i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64", "f32", "f64", "f16", "bf16" }
local EXTENTS = { 0, 1, 3, 63, 64, 65 }

-- f(i, j) in nested tables.
local function nested(n, m, f)
    local t = {}
    for i = 1, n do
        t[i] = {}
        for j = 1, m do
            t[i][j] = f(i, j)
        end
    end
    return t
end

local function matrix(n, m, first, how)
    local A = ((lun.index(n * m) * 7 + first) % 97):reshape(n, m)
    if how == "memory" then
        return A:copy()
    elseif how == "left" then
        return A:copy { layout = "left" }
    elseif how == "part" then
        return lun.zeros({ n + 2, m + 1 }, "i64"):sub({ 2, n + 1 }, { 2, m + 1 }):set(A)
    elseif how == "lazy" then
        return 96 - (96 - A:copy())
    end
    return A -- virtual
end

local function value(_, m, first, i, j)
    return (((i - 1) * m + j) * 7 + first) % 97
end

local WAYS = { "memory", "left", "part", "lazy", "virtual" }

describe("lun.concat", function()
    it("puts arrays one after the other along any axis", function()
        for turn, n in ipairs(EXTENTS) do
            for k, m in ipairs(EXTENTS) do
                local how, other = WAYS[(turn + k) % 5 + 1], WAYS[(turn * 2 + k) % 5 + 1]
                local down = lun.concat({ matrix(n, m, 1, how), matrix(2, m, 5, other), matrix(n, m, 9, how) }, 1)
                assert.same({ 2 * n + 2, m }, { down:shape() })
                assert.same(nested(2 * n + 2, m, function(i, j)
                    return i <= n and value(n, m, 1, i, j) or i <= n + 2 and value(2, m, 5, i - n, j) or value(n, m, 9, i - n - 2, j)
                end), m > 0 and down:totable() or nested(2 * n + 2, 0))
                for _, axis in ipairs { 2, -1 } do
                    local across = lun.concat({ matrix(n, m, 1, how), matrix(n, 3, 5, other), matrix(n, m, 9, how) }, axis)
                    assert.same({ n, 2 * m + 3 }, { across:shape() })
                    assert.same(nested(n, 2 * m + 3, function(i, j)
                        return j <= m and value(n, m, 1, i, j) or j <= m + 3 and value(n, 3, 5, i, j - m) or value(n, m, 9, i, j - m - 3)
                    end), n > 0 and across:totable() or {})
                end
            end
        end
    end)

    it("takes rank 3 along each axis", function()
        local function cube(a, b, c, first)
            local t = {}
            for i = 1, a do
                t[i] = nested(b, c, function(j, k) return first + i * 100 + j * 10 + k end)
            end
            return t
        end
        local x, y = cube(2, 3, 4, 0), cube(2, 2, 4, 5000)
        local middle = lun.concat({ lun.vector(x), lun.vector(y) }, 2)
        assert.same({ 2, 5, 4 }, { middle:shape() })
        for i = 1, 2 do
            assert.same({ x[i][1], x[i][2], x[i][3], y[i][1], y[i][2] }, middle[i]:totable())
        end
        local last = lun.concat({ lun.vector(x), lun.vector(cube(2, 3, 1, 7000)) }, 3)
        assert.same({ 111, 112, 113, 114, 7111 }, last[1][1]:totable())
        assert.same({ 231, 232, 233, 234, 7231 }, last[2][3]:totable())
    end)

    it("takes every dtype, and finds the one that holds two", function()
        for _, dtype in ipairs(DTYPES) do
            local a, b = lun.ones(3, dtype), lun.zeros(65, dtype):copy()
            local both = lun.concat { a, b, a }
            assert.same({ dtype, 71 }, { both:dtype(), #both })
            assert.equal(a:tobytes() .. b:tobytes() .. a:tobytes(), both:tobytes())
        end
        for _, case in ipairs { { "i16", "u8", "i16" }, { "i32", "f32", "f32" }, { "u64", "u8", "u64" }, { "f32", "f64", "f64" },
            { "bool", "u8", "u8" }, { "f16", "f32", "f32" } } do
            assert.equal(case[3], lun.concat({ lun.ones(2, case[1]), lun.ones(2, case[2]) }):dtype())
            assert.equal(case[3], (lun.ones(2, case[1]) .. lun.ones(2, case[2])):dtype())
        end
        expect.elements({ 1.0, 2.0, 2.5 }, lun.vector { 1, 2 } .. lun.vector { 2.5 })
    end)

    it("is lazy, keeps old elements, and fuses what it is made of", function()
        local a = lun.vector { 1, 2, 3 }
        local both = lun.concat { a, a * 10 }
        assert.equal("Composition", both:kind())
        a[1] = 100
        assert.same({ 1, 2, 3, 10, 20, 30 }, both:totable())
        assert.same({ 2, 4, 6, 20, 40, 60 }, (both * 2):totable())
        assert.equal(66, both:sum())
        local one = lun.concat { a }
        a[2] = 0
        assert.same({ 100, 2, 3 }, one:totable())
        one:fill(5)
        assert.same({ 100, 0, 3 }, a:totable())
    end)

    it("copies a long chain once", function()
        local a = lun.range(1, 1000):eval()
        lun.stats "reset"
        local all = a
        for _ = 1, 50 do
            all = all .. a
        end
        assert.equal(51 * 500500, all:sum())
        assert.is_true(lun.stats().bytes_written < 51 * 1000 * 8 * 1.1)
        local list = {}
        for i = 1, 3000 do
            list[i] = lun.vector { i }
        end
        expect.elements(lun.range(1, 3000):totable(), lun.concat(list))
        assert.equal(1, #lun.explain(lun.concat { list[1], list[2], list[3] }))
    end)

    it("refuses what does not go together", function()
        local v, A = lun.ones(3), lun.ones { 2, 3 }
        expect.failure("list of arrays expected, got a Vector f64[3]", lun.concat, v)
        expect.failure("the list is empty", lun.concat, {})
        expect.failure("element 2 is a number, not an array", lun.concat, { v, 5 })
        expect.failure("cannot concatenate f64[3] and f64[2, 3]", lun.concat, { v, A })
        expect.failure("cannot concatenate f64[2, 3] and f64[3, 2]: only the extents of axis 1 may differ", lun.concat,
            { A, lun.ones { 3, 2 } })
        expect.failure("cannot concatenate f64[2, 3] and f64[4, 3]: only the extents of axis 2 may differ", lun.concat,
            { A, lun.ones { 4, 3 } }, 2)
        expect.failure("axis 3 is out of range", lun.concat, { A, A }, 3)
        expect.failure("axis 0 is out of range: axes count from 1", lun.concat, { A, A }, 0)
        expect.failure("Scalars have no axis", lun.concat, { v:lazy "sum", v:lazy "max" })
        expect.failure("too many elements", function()
            local wide = lun.zeros(1 << 62)
            return wide .. wide .. wide
        end)
        local freed = lun.ones(3)
        freed:free()
        expect.failure("freed", lun.concat, { v, freed })
        expect.failure("cannot concatenate f64[2, 3] and f64[0]", function() return A .. {} end)
    end)
end)

describe("lun.stack", function()
    it("makes a new axis at any place", function()
        for turn, n in ipairs(EXTENTS) do
            local how = WAYS[turn % 5 + 1]
            local a, b = matrix(n, 3, 1, how), matrix(n, 3, 40, "memory")
            local first, middle, last = lun.stack { a, b }, lun.stack({ a, b }, 2), lun.stack({ a, b }, -1)
            assert.same({ 2, n, 3 }, { first:shape() })
            assert.same({ n, 2, 3 }, { middle:shape() })
            assert.same({ n, 3, 2 }, { last:shape() })
            for i = 1, n do
                for j = 1, 3 do
                    local x, y = value(n, 3, 1, i, j), value(n, 3, 40, i, j)
                    assert.same({ x, y, x, y, x, y },
                        { first[1][i][j], first[2][i][j], middle[i][1][j], middle[i][2][j], last[i][j][1], last[i][j][2] })
                end
            end
        end
        local v = lun.vector { 1, 2, 3 }
        assert.same({ { 1, 10 }, { 2, 20 }, { 3, 30 } }, lun.stack({ v, v * 10 }, 2):totable())
        expect.elements({ 6, 3 }, lun.stack { v:lazy "sum", v:lazy "max" })
        assert.equal("f64", lun.stack({ v, v * 0.5 }):dtype())
    end)

    it("refuses arrays of other shapes", function()
        local v = lun.ones(3)
        expect.failure("cannot stack f64[3] and f64[4]: the shapes differ", lun.stack, { v, lun.ones(4) })
        expect.failure("cannot stack f64[3] and f64[1, 3]", lun.stack, { v, lun.ones { 1, 3 } })
        expect.failure("axis 3 is out of range", lun.stack, { v, v }, 3)
        expect.failure("the list is empty", lun.stack, {})
        local deep = lun.ones { 1, 1, 1, 1, 1, 1, 1, 1 }
        expect.failure("the arrays already have 8, the maximum", lun.stack, { deep, deep })
    end)
end)

describe("a:shift", function()
    -- Element i of a list t shifted by k.
    local function shifted(t, i, k, edge)
        local at, n = i - k, #t
        if edge == "wrap" then
            return t[(at - 1) % n + 1]
        elseif edge == "nearest" then
            return t[math.max(1, math.min(n, at))]
        end
        return at >= 1 and at <= n and t[at] or edge
    end

    it("moves elements along, with every edge", function()
        for _, n in ipairs(EXTENTS) do
            local t = {}
            for i = 1, n do
                t[i] = (i * 7) % 31
            end
            for _, how in ipairs { "memory", "lazy", "part" } do
                local a = how == "lazy" and lun.vector(t, "i32") + 0 or how == "part" and lun.zeros(2 * n, "i32"):sub(1, -1, 2)
                    or lun.vector(t, "i32")
                if how == "part" then
                    a:set(lun.vector(t, "i32"))
                end
                for _, k in ipairs { 0, 1, -1, 2, -3, n - 1, n, -n, n + 5, -2 * n - 1, math.maxinteger, math.mininteger } do
                    for _, edge in ipairs { "wrap", "nearest", -5 } do
                        local wanted = {}
                        for i = 1, n do
                            -- for numbers beyond all arrays the place would wrap
                            local near = edge == "wrap" and k % n or math.max(-n - 1, math.min(n + 1, k))
                            wanted[i] = shifted(t, i, near, edge)
                        end
                        local s = a:shift(k, { edge = edge })
                        assert.equal("i32", s:dtype())
                        expect.elements(wanted, s)
                    end
                end
            end
        end
    end)

    it("goes along any axis", function()
        local A = matrix(3, 65, 4, "left")
        local down, across = A:shift(1, { edge = 0 }), A:shift(-2, { axis = 2, edge = "wrap" })
        assert.same(nested(3, 65, function(i, j) return i > 1 and value(3, 65, 4, i - 1, j) or 0 end), down:totable())
        assert.same(nested(3, 65, function(i, j) return value(3, 65, 4, i, (j + 1) % 65 + 1) end), across:totable())
        assert.same(across:totable(), A:shift(-2, { axis = -1, edge = "wrap" }):totable())
        assert.same(nested(3, 65, function(i, j) return value(3, 65, 4, math.min(3, i + 2), j) end),
            A:shift(-2, { edge = "nearest" }):totable())
    end)

    it("fills floats with NaN, others with what is said, else with missing elements", function()
        for _, dtype in ipairs(DTYPES) do
            local a = lun.ones(3, dtype)
            if dtype:find "f" then
                local s = a:shift(1)
                assert.same({ dtype, true, 1.0 }, { s:dtype(), s[1] ~= s[1], s[3] })
            else
                local s = a:shift(1)
                assert.same({ dtype, true, false, false }, { s:dtype(), table.unpack(s:ismissing():totable()) })
                assert.same(a:totable()[1], s[3])
            end
            local zero = 0
            if dtype == "bool" then
                zero = false
            end
            local s = a:shift(2, { edge = zero })
            assert.equal(lun.vector({ 0, 0, 1 }, dtype):tobytes(), s:tobytes())
        end
        expect.elements({ 7.5, 1.0 }, lun.ones(2):shift(1, { edge = 7.5 }))
    end)

    it("leaves missing elements where none were", function()
        local a = lun.vector { 1, lun.na, 3, 4 }
        local na = { missing = "-" }
        assert.same({ "-", "-", 1, "-" }, a:shift(2):totable(na))
        assert.same({ "-", 3, 4, "-" }, a:shift(-1, { edge = lun.na }):totable(na))
        assert.same({ "-", "-", "-", "-" }, a:shift(9):totable(na))
        assert.same({ "-", 1.5 }, lun.vector { 1.5, 2.5 }:shift(1, { edge = lun.na }):totable(na))
        assert.same({ "-", true }, lun.vector { true, false }:shift(1):totable(na))
        assert.same({ "-", "a" }, lun.vector { "a", "b" }:shift(1, { edge = lun.na }):totable(na))
        assert.same({ { 2, "-" }, { 4, "-" } }, lun.vector { { 1, 2 }, { 3, 4 } }:shift(-1, { axis = 2 }):totable(na))
        assert.equal(3, lun.vector { 1, 2, 3 }:shift(1):sum())
    end)

    it("is a value that fuses with what uses it", function()
        local a = lun.vector { 1.0, 4.0, 9.0 }
        local s = a:shift(1, { edge = 0 })
        a[1] = 100
        expect.elements({ 0.0, 1.0, 4.0 }, s)
        s[1] = 5
        expect.elements({ 100.0, 4.0, 9.0 }, a)
        expect.elements({ 100.0, -96.0, 5.0 }, a - a:shift(1, { edge = 0 }))
        local e = a * 2
        assert.same({ -192.0, 10.0 }, (e - e:shift(1)):read(2, 2))
    end)

    it("refuses what is no shift", function()
        local a = lun.vector { 1, 2, 3 }
        expect.failure("number 1.5 does not fit into dtype i64", function() return a:shift(1, { edge = 1.5 }) end)
        expect.failure("number 300 does not fit into dtype u8", function() return a:cast("u8"):shift(1, { edge = 300 }) end)
        expect.failure('"wrap", "nearest" or a number expected, got mirror', function() return a:shift(1, { edge = "mirror" }) end)
        expect.failure("axis 2 is out of range", function() return a:shift(1, { edge = 0, axis = 2 }) end)
        expect.failure("option axis: an integer expected", function() return a:shift(1, { edge = 0, axis = "x" }) end)
        expect.failure("unknown option 'mode': the options are axis, edge", function() return a:shift(1, { mode = 0 }) end)
        expect.failure("number expected, got no value", function() return a:shift() end)
        expect.failure("options such as {axis=1, edge=0} expected, got wrap", function() return a:shift(1, "wrap") end)
        expect.failure("out of range", function() return a:lazy("sum"):shift(1, { edge = 0 }) end)
    end)
end)

describe("joined arrays", function()
    it("are the same on any number of threads and on the reference backend", function()
        local program = [[
            local lun = require "lunarray"
            local A = lun.random({ 517, 130 }, { seed = 3, dtype = "f32" })
            local B = (A * 2):copy { layout = "left" }
            local parts = { lun.concat { A, B + 1 }, lun.concat({ A:shift(3), B }, 2), lun.stack({ A, B }, 3),
                A:shift(-7, { axis = 2, edge = "nearest" }), lun.concat { A:transpose(), B:transpose() } }
            local large = lun.random({ 700, 900 }, { seed = 4 }):copy()
            local turned = lun.random({ 900, 700 }, { seed = 5 }):copy():transpose()
            for k, joined in ipairs { lun.concat({ large, turned }, 2), lun.stack({ turned, large }, 3),
                lun.concat { large:sub({}, { -1, 1, -1 }), lun.full({ 700, 900 }, 2) }, lun.concat({ turned, large:copy() }, 1) } do
                parts[#parts + 1] = joined
            end
            local sum = 0
            for _, p in ipairs(parts) do
                local bytes = p:tobytes()
                for i = 1, #bytes, 997 do
                    sum = (sum * 31 + bytes:byte(i)) % 1000000007
                end
            end
            print(sum)]]
        local texts = {}
        for i, setting in ipairs { "LUNARRAY_THREADS=1", "LUNARRAY_THREADS=2", "LUNARRAY_THREADS=3", "LUNARRAY_THREADS=4",
            "LUNARRAY_BACKEND=reference" } do
            texts[i] = shell.capture(("%s %s -e '%s' 2>&1"):format(setting, shell.interpreter(), program))
            assert.matches("^%d+\n$", texts[i])
            assert.equal(texts[1], texts[i])
        end
    end)
end)
