-- Matrix products: every shape, layout and dtype against sums in plain Lua. Floats are compared bit by bit: the
-- oracle follows the stated order, c = (s1 + s2) + s3 ..., s_b = fma(a_k, b_k, s) over the b-th 256 values of k, in
-- integers, which round as floats of so many bits do.

local lun = require "lunarray"
local expect = require "expect"
local rows = require "rows"
local shell = require "shell"

local integers, matrix = rows.integers, rows.matrix

local function product(x, y, inner, columns)
    local c = {}
    for i, row in ipairs(x) do
        local sums = {}
        for j = 1, columns do
            local s = 0
            for k = 1, inner do
                s = s + row[k] * y[k][j]
            end
            sums[j] = s
        end
        c[i] = sums
    end
    return c
end

local function same(wanted, columns, got, what)
    local height, n = got:shape()
    assert(height == #wanted and n == columns, what .. ": the shape differs")
    local flat = got:size() > 0 and got:read(1, got:size()) or {}
    for i = 1, height do
        for j = 1, n do
            local x = flat[(i - 1) * n + j]
            if x ~= wanted[i][j] then
                error(("%s: element (%d, %d) is %s, %s expected"):format(what, i, j, x, wanted[i][j]))
            end
        end
    end
end

-- s, an integer, rounded to so many bits, to even.
local function rounded(s, bits)
    local magnitude, shift = math.abs(s), 0
    while magnitude >> shift >= 1 << bits do
        shift = shift + 1
    end
    if shift == 0 then
        return s
    end
    local low, half, kept = magnitude & ((1 << shift) - 1), 1 << (shift - 1), magnitude >> shift
    if low > half or (low == half and kept & 1 == 1) then
        kept = kept + 1
    end
    return (s < 0 and -1 or 1) * (kept << shift)
end

-- An element by the stated order, in units of the product of the operands' units.
local function ordered(row, y, j, inner, bits)
    local c
    for first = 1, inner, 256 do
        local s = 0
        for k = first, math.min(first + 255, inner) do
            s = rounded(s + row[k] * y[k][j], bits)
        end
        c = c and rounded(c + s, bits) or s
    end
    return c
end

local EXTENTS = { 0, 1, 7, 8, 9, 16, 63, 64, 65, 256, 257 }

-- Every extent at every place, the others of no round number.
local function shapes()
    local list = { { 33, 40, 35 }, { 65, 65, 65 }, { 16, 16, 16 }, { 25, 300, 67 }, { 0, 0, 0 }, { 257, 64, 257 } }
    for _, e in ipairs(EXTENTS) do
        list[#list + 1] = { e, 9, 17 }
        list[#list + 1] = { 7, e, 35 }
        list[#list + 1] = { 13, 5, e }
        list[#list + 1] = { 1, e, e }
        list[#list + 1] = { e, e, 1 }
        list[#list + 1] = { e, 1, e }
    end
    return list
end

describe("matmul", function()
    it("is the sum of products, for all shapes", function()
        for _, s in ipairs(shapes()) do
            local m, k, n = s[1], s[2], s[3]
            local x, y = integers(m, k, 100, 1), integers(k, n, 100, 2)
            local wanted = product(x, y, k, n)
            local what = ("%d x %d x %d"):format(m, k, n)
            for _, t in ipairs { "i64", "f64", "f32" } do
                same(wanted, n, matrix(x, k, t):matmul(matrix(y, n, t)), what .. " " .. t)
            end
            same(wanted, n, lun.matmul(matrix(x, k, "i32"), matrix(y, n, "f64")), what .. " i32 x f64")
        end
    end)

    it("of floats has the bits of the stated order", function()
        -- f32: factors of 24 bits, products exact in 48; f64: of 28 bits, sums beyond 2^53
        for _, kind in ipairs { { "f32", 24, 23 }, { "f64", 53, 28 } } do
            local t, bits, width = table.unpack(kind)
            for _, s in ipairs { { 5, 37, 34 }, { 14, 256, 17 }, { 3, 257, 33 }, { 13, 700, 5 }, { 1, 1100, 70 }, { 30, 513, 3 } } do
                local m, k, n = table.unpack(s)
                local x, y = integers(m, k, 2 ^ width // 1 | 0, 3), integers(k, n, 2 ^ width // 1 | 0, 4)
                local got = matrix(x, k, t):matmul(matrix(y, n, t)):totable()
                local differs = 0
                for i = 1, m do
                    for j = 1, n do
                        local wanted = ordered(x[i], y, j, k, bits)
                        if got[i][j] ~= wanted + 0.0 then
                            error(("%s %d x %d x %d: element (%d, %d) is %a, %a expected"):format(t, m, k, n, i, j,
                                got[i][j], wanted + 0.0))
                        end
                        local plain = 0
                        for p = 1, k do
                            plain = plain + x[i][p] * y[p][j]
                        end
                        differs = differs + (plain ~= wanted and 1 or 0)
                    end
                end
                assert(k < 200 or differs > 0, "nothing was rounded: the order is not tested")
            end
        end
    end)

    it("of random floats is near the true sum", function()
        local a, b = lun.random({ 40, 600 }, { seed = 1 }) - 0.5, lun.random({ 600, 30 }, { seed = 2 }) - 0.5
        for _, t in ipairs { "f32", "f64" } do
            local x, y = a:cast(t):eval(), b:cast(t):eval()
            local got = x:matmul(y):cast "f64"
            local wide = x:cast("f64"):reshape(40, 1, 600) * y:cast("f64"):transpose():reshape(1, 30, 600)
            local true_sum, size = wide:sum(3), wide:abs():sum(3)
            local unit = t == "f32" and 2.0 ^ -24 or 2.0 ^ -53
            assert.is_true((got - true_sum):abs():le(size * (260 * unit)):all(), t)
        end
    end)

    it("keeps signs of zero, infinities and NaN where they are", function()
        local inf = math.huge
        local a = lun.vector { { 1.0, inf }, { -0.0, 0.0 }, { 0 / 0, 1.0 } }
        local b = lun.vector { { 2.0, -1.0, 0.0 }, { 3.0, 0.0, -inf } }
        local c = a:matmul(b):totable()
        assert.equal(inf, c[1][1])
        assert.is_true(c[1][2] ~= c[1][2] and c[2][3] ~= c[2][3] and c[3][1] ~= c[3][1])
        assert.equal(-inf, c[1][3])
        assert.equal("0.0", tostring(c[2][1])) -- fma(-0.0, 2, 0.0)
        -- a finite row is not touched by its neighbours
        local many = lun.zeros { 30, 30 }
        many[7][3] = 0 / 0
        local d = many:matmul(lun.ones { 30, 40 })
        assert.equal(40, d:isnan():count())
    end)

    it("has the same bits in every layout", function()
        local m, k, n = 70, 300, 45
        local a, b = lun.random({ m, k }, { seed = 5 }):eval(), lun.random({ k, n }, { seed = 6 }):eval()
        for _, t in ipairs { "f64", "f32", "i32", "u8" } do
            local scale = t:find "f" and 1 or 200
            local x, y = (a * scale):cast(t):eval(), (b * scale):cast(t):eval()
            local wanted = x:matmul(y):tobytes()
            local function ways(v, r, c)
                local wide = lun.zeros({ 2 * r + 3, 3 * c + 2 }, t)
                local inside = wide:sub({ 2, 2 * r, 2 }, { 3, 3 * c, 3 }):set(v)
                local back = lun.zeros({ r, c }, t)
                local reversed = back:sub({ -1, 1, -1 }, { -1, 1, -1 }):set(v)
                return {
                    v, v:copy { layout = "left" }, v:transpose():copy():transpose(), inside, reversed,
                    v:copy { layout = { 1, r + 5 } }, v + 0, v:transpose():cast(t):transpose(), (v:transpose() + 0):transpose(),
                }
            end
            local left, right = ways(x, m, k), ways(y, k, n)
            for i, p in ipairs(left) do
                for j, q in ipairs(right) do
                    assert(p:matmul(q):tobytes() == wanted, ("%s: ways %d and %d"):format(t, i, j))
                end
            end
            assert(y:transpose():matmul(x:transpose()):transpose():tobytes() == wanted, t .. " transposed")
            assert(x:sub({ 5, 5 }):matmul(y:sub({}, { 7, 7 })):tobytes()
                == x:matmul(y):sub({ 5, 5 }, { 7, 7 }):tobytes(), t .. ": one element")
        end
    end)

    it("takes all dtypes together", function()
        local x, y = integers(5, 7, 1, 7), integers(7, 3, 1, 8)
        local names = { "bool", "i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64", "f32", "f64", "f16", "bf16" }
        for _, t in ipairs(names) do
            for _, u in ipairs(names) do
                local a, b = matrix(x, 7, t), matrix(y, 3, u)
                if (t .. u):find "u" then -- -1 is many other numbers
                    a, b = matrix(x, 7):abs():cast(t), matrix(y, 3):abs():cast(u)
                end
                local none = t == "u64" and u:find "i" == 1 or u == "u64" and t:find "i" == 1
                if none then
                    expect.failure("no common integer dtype", a.matmul, a, b)
                    goto continue
                end
                local both = (lun.zeros(1, t):copy() .. lun.zeros(1, u):copy()):dtype()
                local wanted = both:find "f" and both or both:find "u" and "u64" or "i64"
                local c = a:matmul(b)
                assert.equal(wanted, c:dtype(), t .. " x " .. u)
                local as = wanted:find "f" and "f64" or wanted
                local oracle = product(a:cast(as):totable(), b:cast(as):totable(), 7, 3)
                same(oracle, 3, c:cast(as), t .. " x " .. u)
                ::continue::
            end
        end
    end)

    it("wraps integers", function()
        local big = lun.full({ 3, 3 }, math.maxinteger)
        assert.same({ { 3, 3, 3 }, { 3, 3, 3 }, { 3, 3, 3 } }, big:matmul(big):totable())
        local bytes = lun.full({ 2, 300 }, 255, "u8")
        assert.equal(255 * 255 * 300, bytes:matmul(bytes:transpose())[1][1])
        local negative = lun.full({ 2, 300 }, -128, "i8")
        assert.equal(128 * 128 * 300, negative:matmul(negative:transpose())[1][1])
        local huge = lun.full({ 40, 40 }, -1):cast "u64"
        assert.same({ 40, "u64" }, { huge:matmul(huge)[3][9], huge:matmul(huge):dtype() })
    end)

    it("rounds f16 and bf16 once", function()
        for _, t in ipairs { "f16", "bf16" } do
            local a = (lun.random({ 9, 40 }, { seed = 3 }) - 0.5):cast(t):eval()
            local b = (lun.random({ 40, 11 }, { seed = 4 }) - 0.5):cast(t):eval()
            assert.equal(a:cast("f32"):matmul(b:cast "f32"):cast(t):tobytes(), a:matmul(b):tobytes())
        end
    end)

    it("takes Vectors as a row and as a column", function()
        local a = lun.vector { { 1, 2, 3 }, { 4, 5, 6 } }
        assert.same({ 14, 32 }, a:matmul(lun.vector { 1, 2, 3 }):totable())
        assert.same({ 9, 12, 15 }, lun.vector { 1, 2 }:matmul(a):totable())
        local s = lun.vector { 1, 2, 3 }:matmul(lun.vector { 4, 5, 6 })
        assert.equal("Scalar", s:kind())
        assert.equal(32, s:value())
        assert.equal("i64", s:dtype())
        assert.equal("f32", lun.ones(3, "f32"):matmul(lun.ones(3, "f32")):dtype())
        assert.equal(300 * 200, lun.full({ 300 }, 200, "u8"):matmul(lun.ones(300, "u8")):value())
        assert.same({ 60000, 60000 }, lun.full({ 2, 300 }, 200, "u8"):matmul(lun.ones(300, "u8")):totable())
        -- (A * v):sum(2), bits included
        local x, v = lun.random({ 30, 1000 }, { seed = 1, dtype = "f32" }), lun.random(1000, { seed = 2, dtype = "f32" })
        assert.equal((x * v):sum(2):tobytes(), x:matmul(v):tobytes())
        assert.equal((x * v):sum(2):tobytes(), v:matmul(x:transpose()):tobytes())
        -- no axis of one element is dropped but a Vector's
        assert.same({ { 14 }, { 32 } }, a:matmul(lun.vector { { 1 }, { 2 }, { 3 } }):totable())
        assert.same({ 2, 0 }, { lun.zeros(2, 0):matmul(lun.zeros(0, 0)):shape() })
        assert.same({ 0, 0 }, lun.zeros(2, 0):matmul(lun.zeros(0)):totable())
        assert.equal(0.0, lun.zeros(0):matmul(lun.zeros(0)):value())
        assert.same({ { 0.0, 0.0 } }, lun.zeros(1, 0):matmul(lun.zeros(0, 2)):totable())
    end)

    it("broadcasts batches", function()
        local function check(p, q)
            local a = lun.range(1, 6 * p[1] * p[2]):cast("f64"):reshape(p[1], p[2], 2, 3) % 7
            local b = lun.range(1, 12 * q[1] * q[2]):cast("f64"):reshape(q[1], q[2], 3, 4) % 5
            local c = a:matmul(b)
            local n1, n2 = math.max(p[1], q[1]), math.max(p[2], q[2])
            assert.same({ n1, n2, 2, 4 }, { c:shape() })
            for i = 1, n1 do
                for j = 1, n2 do
                    local x = a[p[1] == 1 and 1 or i][p[2] == 1 and 1 or j]
                    local y = b[q[1] == 1 and 1 or i][q[2] == 1 and 1 or j]
                    assert.same(product(x:totable(), y:totable(), 3, 4), c[i][j]:totable())
                end
            end
        end
        check({ 2, 3 }, { 2, 3 })
        check({ 1, 3 }, { 2, 1 })
        check({ 5, 1 }, { 1, 1 })
        check({ 1, 1 }, { 4, 3 })
        local a, b = lun.random { 50, 20, 30 }, lun.random { 30, 10 }
        local c = a:matmul(b)
        assert.same({ 50, 20, 10 }, { c:shape() })
        for _, i in ipairs { 1, 17, 50 } do
            assert.equal(a[i]:matmul(b):tobytes(), c[i]:tobytes())
        end
        local d = b:transpose():matmul(a:transpose { 1, 3, 2 })
        assert.equal(c:transpose({ 1, 3, 2 }):tobytes(), d:tobytes())
        assert.same({ 50, 20 }, { a:matmul(lun.ones(30)):shape() })
        assert.same({ 50, 30 }, { lun.ones(20):matmul(a):shape() })
        assert.equal((a * lun.ones(30)):sum(3):tobytes(), a:matmul(lun.ones(30)):tobytes())
        assert.equal(a:sum(2):tobytes(), lun.ones(20):matmul(a):tobytes())
        assert.same({ 0, 2, 4 }, { lun.zeros(0, 2, 3):matmul(lun.zeros(3, 4)):shape() })
        -- many small ones, for several threads
        local many, other = lun.random { 3000, 8, 16 }, lun.random { 3000, 16, 9 }
        local all = many:matmul(other)
        for _, i in ipairs { 1, 2, 1501, 3000 } do
            assert.equal(many[i]:matmul(other[i]):tobytes(), all[i]:tobytes())
        end
    end)

    it("is lazy, and keeps the elements that its operands had #place", function()
        local a, b = lun.ones { 4, 4 }, lun.full({ 4, 4 }, 2.0)
        a:eval()
        local before = lun.stats().products
        local c = a:matmul(b)
        assert.equal("Composition", c:kind())
        assert.equal(before, lun.stats().products)
        a:fill(100)
        b[2][3] = 7
        assert.equal(8.0, c[1][3])
        assert.equal(before + 1, lun.stats().products)
        local w = lun.range(1, 36):cast("f64"):reshape(6, 6):copy()
        local s = w:sub({ 2, 4 }, { 3, 5 })
        local wanted = product(s:totable(), s:totable(), 3, 3)
        local square = s:matmul(s)
        s:fill(0)
        w:set(-1)
        assert.same(wanted, square:totable())
        w:set(w:matmul(w))
        assert.equal(6.0, w[6][6])
    end)

    it("takes expressions, windows of expressions and virtual arrays", function()
        local x, y = integers(20, 30, 9, 1), integers(30, 10, 9, 2)
        local a, b = matrix(x, 30, "f64"), matrix(y, 10, "f64")
        local wanted = product(x, y, 30, 10)
        same(wanted, 10, ((a + 1) - 1):matmul(b * 2 / 2), "expressions")
        local e = a * 3 - 2 * a
        same(wanted, 10, (b + 0):transpose():matmul(e:transpose()):transpose(), "transposed expressions")
        same(wanted, 10, e:matmul(b), "shared")
        same(product(x, y, 30, 10), 10, (e .. e):sub({ 21, 40 }):matmul(b), "a part of a concatenation")
        local z = integers(10, 4, 9, 3)
        same(product(wanted, z, 10, 4), 4, a:matmul(b):matmul(matrix(z, 4, "f64")), "a product of a product")
        assert.equal(30.0, lun.ones { 5, 30 }:matmul(lun.ones { 30, 5 })[2][2])
        local row = lun.range(1, 5):reshape(1, 5)
        assert.equal(55, row:matmul(row:transpose())[1][1])
        local scalar = lun.vector { 2.0, 3.0 }:lazy "sum"
        assert.equal(5.0 * 3, (lun.ones { 3, 3 } * scalar):matmul(lun.ones { 3, 3 })[1][1])
        assert.equal(3 * 5.0, scalar:broadcast({ 2, 3 }):matmul(lun.ones { 3, 2 })[2][1])
        local running = lun.vector { 1, 2, 3, 4, 5, 6 }:windows(3)
        assert.same({ { 6 }, { 9 }, { 12 }, { 15 } }, running:matmul(lun.ones({ 3, 1 }, "i64")):totable())
    end)

    it("goes on in expressions, reductions, scans and functions", function()
        local x, y = integers(20, 30, 9, 1), integers(30, 10, 9, 2)
        local a, b = matrix(x, 30, "f64"), matrix(y, 10, "f64")
        local bias = lun.range(1, 10)
        local wanted = product(x, y, 30, 10)
        local total = 0
        for i = 1, 20 do
            for j = 1, 10 do
                wanted[i][j] = math.max(wanted[i][j] + j, 0)
                total = total + wanted[i][j]
            end
        end
        local e = (a:matmul(b) + bias):max(0)
        same(wanted, 10, e, "epilogue")
        assert.equal(total, (a:matmul(b) + bias):max(0):sum())
        local c = a:matmul(b):eval()
        assert.equal(c:sum(1):tobytes(), a:matmul(b):sum(1):tobytes())
        assert.equal(c:map(function(v) return v * 2 end):tobytes(),
            a:matmul(b):map(function(v) return v * 2 end):tobytes())
        assert.equal(c:reshape(-1):scan("+", 0):tobytes(), a:matmul(b):reshape(-1):scan("+", 0):tobytes())
        assert.equal((c / c:max { axis = 2, keep = true }):tobytes(),
            (a:matmul(b) / a:matmul(b):max { axis = 2, keep = true }):tobytes())
        local p, q = lun.eval(a:matmul(b) + 1, a:matmul(b) - 1)
        assert.equal(2.0 * 200, (p - q):sum())
        assert.equal(c:diagonal():sum(), a:matmul(b):diagonal():sum())
        local sum = lun.zeros { 20, 10 }
        sum:set(sum + a:matmul(b))
        assert.equal(c:tobytes(), sum:tobytes())
    end)

    it("computes what is shared once, and is shown by explain and stats #place", function()
        local a, b = lun.random { 30, 40 }, lun.random { 40, 20 }
        lun.eval(a, b)
        local before = lun.stats().products
        local c = a:matmul(b)
        lun.eval(c + 1, c * 2, c:lazy "sum")
        assert.equal(before + 1, lun.stats().products)
        local plan = lun.explain((a:matmul(b:copy()) + 1):max(0))
        assert.equal(2, #plan)
        assert.equal("matmul", plan[1].name)
        assert.equal("a matrix product ends", plan[1].cut)
        assert.equal(8 * (30 * 40 + 40 * 20), plan[1].bytes_read)
        assert.equal(8 * 30 * 20, plan[1].bytes_written)
        assert.equal(600, plan[1].n)
        local page = tostring(plan)
        assert.truthy(page:find("f64[30, 40] x f64[40, 20]", 1, true), page)
        local other = lun.explain((a + 1):transpose():matmul(a))
        assert.equal("it is read in another order", other[1].cut)
        assert.equal("a matrix product takes it", lun.explain((a + 1):matmul(b))[1].cut)
        assert.truthy(tostring(other):find("f64[40, 30] strided x f64[30, 40]", 1, true), tostring(other))
        assert.truthy(lun.explain(c:copy():matmul(b:transpose())).graph:find("matmul f64[30, 40]", 1, true))
    end)

    it("refuses what does not fit", function()
        local a, b = lun.zeros { 2, 3 }, lun.zeros { 2, 3 }
        expect.failure("(shapes do not fit: f64[2, 3] and f64[2, 3] (3 columns, 2 rows))",
            lun.matmul, a, b)
        expect.failure("bad argument #1 to 'matmul' (shapes do not fit: f64[2, 3] and f64[2] (3 columns, 2 rows))",
            function() return a:matmul(lun.zeros(2)) end)
        expect.failure("shapes do not fit: f64[1] and f64[2, 3] (1 columns, 2 rows)", lun.matmul, lun.zeros(1), a)
        expect.failure("shapes do not fit: f64[2] and f64[3] (2 columns, 3 rows)", lun.matmul, lun.zeros(2), lun.zeros(3))
        expect.failure("batches do not broadcast: f64[2, 2, 3] and f64[4, 3, 2], axis 1: 2 and 4", lun.matmul,
            lun.zeros { 2, 2, 3 }, lun.zeros { 4, 3, 2 })
        expect.failure("a Scalar is no matrix", lun.matmul, a, lun.vector { 1.0 }:lazy "sum")
        expect.failure("bad argument #1 to '", lun.matmul, lun.vector { 1.0 }:lazy "sum", a)
        expect.failure("(array expected, got number)", lun.matmul, a, 2)
        expect.failure("wrong number of arguments to 'matmul'", lun.matmul, a, a:transpose(), 1)
        local freed = lun.zeros { 2, 2 }
        freed:free()
        expect.failure("freed", lun.matmul, freed, a)
        expect.failure("freed", lun.matmul, a:transpose(), freed)
        expect.failure("too many elements", lun.matmul, lun.zeros { 2 ^ 40 | 0, 1 }, lun.zeros { 1, 2 ^ 40 | 0 })
        assert.equal(0.0, a:matmul(b:transpose()):sum())
    end)

    it("has the same bits on 1 to 8 threads and every backend", function()
        local program = [[
            local lun = require "lunarray"
            local function show(c) io.write(string.format("%016x ", (c:reshape(-1):map(function(x) return x end)):size())) end
            local out = {}
            for _, s in ipairs { {300, 700, 260}, {65, 1000, 33}, {1500, 40, 20}, {20, 300, 2100} } do
                for _, t in ipairs { "f32", "f64", "i32" } do
                    local a = (lun.random({s[1], s[2]}, {seed = 1}) * 100 - 50):cast(t)
                    local b = (lun.random({s[3], s[2]}, {seed = 2}) * 100 - 50):cast(t):transpose()
                    out[#out + 1] = a:matmul(b):tobytes()
                end
            end
            out[#out + 1] = lun.random({900, 20, 30}, {seed = 3}):matmul(lun.random({900, 30, 20}, {seed = 4})):tobytes()
            local all, h = table.concat(out), 0
            for i = 1, #all - 8, 8 do h = (h ~ string.unpack("<i8", all, i)) * 0x100000001b3 end
            print(#all, string.format("%016x", h))]]
        local path = shell.write(os.tmpname(), program)
        expect.same_bits(path)
        os.remove(path)
    end)

    it("has the same bits on a device, by its kernel and on the host", function()
        if not table.concat(lun.backends(), " "):find "opencl" then
            return
        end
        local path = shell.write(os.tmpname(), [[
            local lun = require "lunarray"
            local h = 0
            local function show(c)
                local all = c:tobytes()
                for i = 1, #all - 7, 8 do h = (h ~ string.unpack("<i8", all, i)) * 0x100000001b3 end
            end
            for _, s in ipairs { {5, 7, 9}, {64, 64, 64}, {65, 300, 130}, {129, 257, 3}, {2, 9000, 3}, {1, 513, 2} } do
                for _, t in ipairs { {"f32", "f32"}, {"f64", "f64"}, {"i32", "i64"}, {"f32", "i16"}, {"bool", "u8"}, {"f16", "f16"} } do
                    local a = (lun.random({s[1], s[2]}, {seed = 1}) * 100 - 50):cast(t[1]):eval()
                    local b = (lun.random({s[3], s[2]}, {seed = 2}) * 100 - 50):cast(t[2]):eval():transpose()
                    show(a:matmul(b))
                    show(a:transpose():copy():transpose():matmul(b:copy()))
                end
            end
            local a, b = lun.random({3, 4, 20, 30}, {seed = 1}), lun.random({4, 30, 10}, {seed = 2})
            show(a:matmul(b)) show(a:transpose{2, 1, 3, 4}:matmul(b:reshape(4, 1, 30, 10)))
            show(a:matmul(lun.ones(30, 5))) show((a:matmul(b) + 1):max(20))
            io.write(string.format("%016x ", h), tostring(lun.explain(lun.ones(3, 4):copy():matmul(lun.ones(4, 5)))))]])
        local function run(settings)
            return shell.capture(("%s %s %s 2>&1"):format(settings, shell.interpreter(), path))
        end
        local wanted = run "LUNARRAY_BACKEND=reference":match "^%x+ "
        local kernel, host = run "LUNARRAY_BACKEND=opencl LUNARRAY_OPENCL_FORM=scalar", run "LUNARRAY_BACKEND=opencl"
        os.remove(path)
        assert.equal(wanted, kernel:match "^%x+ ", kernel)
        assert.is_nil(kernel:find "on the host")
        assert.equal(wanted, host:match "^%x+ ", host)
    end)

    it("stops at limits of time and memory, and the session goes on", function()
        local path = shell.write(os.tmpname(), [[
            local a = lun.ones({3000, 3000}):copy()
            local ok, message = pcall(function() return a:matmul(a:transpose()):eval() end)
            print(ok, message, a[1][1])
            print(a:sub({1, 2}, {1, 2}):matmul(lun.ones(2, 2))[2][2])]])
        local text = shell.capture(("timeout 300 %s --sandbox --memory-limit 100 %s 2>&1"):format(shell.interpreter(), path))
        assert.truthy(text:find "^false\t.*memory.*\t1%.0\n2%.0\n$", text)
        shell.write(path, "local a = lun.ones({4000, 4000}):copy() for i = 1, 1000 do a:matmul(a):eval() end")
        text = shell.capture(("timeout 300 %s --sandbox --time-limit 1 %s 2>&1"):format(shell.interpreter(), path))
        os.remove(path)
        assert.truthy(text:find("time limit", 1, true), text)
    end)
end)
