-- Reductions of all pairs of rows: functions, shapes, layouts and dtypes against loops in plain Lua. Floats are compared
-- bit by bit: the oracle follows the stated order, (id + s1) + s2 ..., s_b over the b-th 256 values from left to right.

local lun = require "lunarray"
local expect = require "expect"
local rows = require "rows"
local shell = require "shell"

local BLOCK <const> = 256

local rows_of, matrix = rows.integers, rows.matrix

local function single(x)
    return (string.unpack("f", string.pack("f", x)))
end

-- What zip and reduce give of rows x and y, in the stated order; round: to the dtype of the sums.
local function line(x, y, k, zip, reduce, id, round)
    local total = id
    for first = 1, k, BLOCK do
        local block
        for l = first, math.min(first + BLOCK - 1, k) do
            local value = round(zip(x[l], y[l]))
            block = block and round(reduce(block, value)) or value
        end
        total = total and round(reduce(total, block)) or block
    end
    return total
end

local function identity(x)
    return x
end

local function oracle(a, b, k, zip, reduce, id, round)
    local c = {}
    for i, x in ipairs(a) do
        c[i] = {}
        for j, y in ipairs(b) do
            c[i][j] = line(x, y, k, zip, reduce, id, round or identity)
        end
    end
    return c
end

local function same(wanted, m, got, what)
    local n, columns = got:shape()
    assert(n == #wanted and columns == m, what .. ": the shape differs")
    local flat = got:size() > 0 and got:read(1, got:size()) or {}
    for i = 1, n do
        for j = 1, m do
            local x, y = flat[(i - 1) * m + j], wanted[i][j]
            if x ~= y and (x == x or y == y) then
                error(("%s: element (%d, %d) is %s, %s expected"):format(what, i, j, x, y))
            end
        end
    end
end

local function distance(x, y)
    return math.abs(x - y)
end

local function add(x, y)
    return x + y
end

local EXTENTS = { 0, 1, 8, 16, 63, 64, 65, 257 }

-- n, m, k: every extent at every place, the others of no round number.
local function shapes()
    local list = { { 33, 40, 35 }, { 65, 65, 65 }, { 130, 3, 20 }, { 3, 130, 20 }, { 25, 67, 300 }, { 5, 130, 513 } }
    for _, e in ipairs(EXTENTS) do
        list[#list + 1] = { e, 9, 7 }
        list[#list + 1] = { 7, e, 5 }
        list[#list + 1] = { 6, 5, e }
        list[#list + 1] = { e, e, 2 }
        list[#list + 1] = { 1, e, 3 }
        list[#list + 1] = { e, 1, 3 }
    end
    return list
end

local function with_backends(f)
    local before = lun.use()
    for _, name in ipairs(lun.backends()) do
        lun.use(name)
        local ok, message = pcall(f, name)
        if not ok then
            lun.use(before)
            error(name .. ": " .. tostring(message), 0)
        end
    end
    lun.use(before)
end

describe("allpairs", function()
    it("is the reduction of each pair of rows, for all shapes", function()
        for _, s in ipairs(shapes()) do
            local n, m, k = table.unpack(s)
            local a, b = rows_of(n, k, 100, 1), rows_of(m, k, 100, 2)
            local wanted = oracle(a, b, k, distance, add, 0)
            local what = ("%d x %d x %d"):format(n, m, k)
            for _, t in ipairs { "i64", "f64", "f32" } do
                with_backends(function()
                    same(wanted, m, lun.allpairs(distance, "+")(matrix(a, k, t), matrix(b, k, t)), what .. " " .. t)
                end)
            end
        end
    end)

    it("takes every kind of function", function()
        local n, m, k = 9, 70, 12
        local a, b = rows_of(n, k, 50, 3), rows_of(m, k, 50, 4)
        local x, y = matrix(a, k, "f64"), matrix(b, k, "f64")
        local scale, shift = 3.0, 7.0
        local table_of = lun.vector { 1.0, -2.0, 4.0 }
        local pick = { 1.0, -2.0, 4.0 }
        local function max(p, q) return math.max(p, q) end
        local function joined(p, q) return p + q + shift end
        local cases = {
            { "max of min", lun.allpairs("min", "max"), math.min, max },
            { "min of max", lun.allpairs(math.max, lun.op.min), math.max, math.min },
            { "captured number", lun.allpairs(function(p, q) return (p - q) * scale end, "add"),
                function(p, q) return (p - q) * scale end, add },
            { "captured array", lun.allpairs(function(p, q) return p * table_of[(q // 1 | 0) % 3 + 1] end, "+"),
                function(p, q) return p * pick[(q // 1 | 0) % 3 + 1] end, add },
            { "Lua function that reduces", lun.allpairs("-", function(p, q) return p + q end), function(p, q) return p - q end, add },
            { "one that captures", lun.allpairs("-", joined), function(p, q) return p - q end, joined },
            { "one with a first value", lun.allpairs("-", max, 20), function(p, q) return p - q end, max, 20 },
            { "first value", lun.allpairs("-", "+", 5), function(p, q) return p - q end, add, 5 },
            { "C texts", lun.allpairs("(double p, double q){ return p > q ? p : 2 * q; }", "(double p, double q){ return p + q; }"),
                function(p, q) return p > q and p or 2 * q end, add },
            { "C text and operation", lun.allpairs("(double p, double q){ return p * q; }", "+"),
                function(p, q) return p * q end, add },
            { "operation and C text", lun.allpairs("max", "(double p, double q){ return p > q ? p : q; }", -100), math.max, max, -100 },
        }
        with_backends(function()
            for _, case in ipairs(cases) do
                local what, s, zip, reduce, id = table.unpack(case)
                same(oracle(a, b, k, zip, reduce, id), m, s(x, y), what)
            end
            -- extra arguments of zip
            local s = lun.allpairs(function(p, q, w, list) return w * distance(p, q) + list[2] end, "+")
            same(oracle(a, b, k, function(p, q) return 3 * distance(p, q) - 2 end, add), m, s(x, y, 3, table_of), "extras")
            local c = lun.allpairs("(double p, double q, double w){ return p - w * q; }", "+")
            same(oracle(a, b, k, function(p, q) return p - 2 * q end, add), m, c(x, y, 2), "extra of a C text")
            same(oracle(a, b, k, function(p, q) return p - 2 * q end, max, 1), m,
                x:allpairs(y, function(p, q, w) return p - w * q end, max, 1, 2), "method")
        end)
    end)

    it("gives correlations and Euclidean distances", function()
        local n, m, k = 20, 30, 40
        local a, b = lun.random({ n, k }, { seed = 1 }):eval(), lun.random({ m, k }, { seed = 2 }):eval()
        local function standard(v)
            return (v - v:mean { axis = 2, keep = true }) / v:std { axis = 2, keep = true }
        end
        local r = (lun.allpairs("*", "+")(standard(a), standard(b)) / k):totable()
        local d = lun.allpairs(function(p, q) return (p - q) ^ 2 end, "+")(a, b):sqrt():totable()
        for i = 1, n do
            for j = 1, m do
                local x, y = a[i]:copy(), b[j]:copy()
                local p, q = x - x:mean(), y - y:mean()
                assert.is_true(math.abs(p:dot(q) / math.sqrt(p:dot(p) * q:dot(q)) - r[i][j]) < 1e-12)
                assert.is_true(math.abs((x - y):norm() - d[i][j]) < 1e-12)
            end
        end
    end)

    it("of floats has the bits of the stated order", function()
        for _, s in ipairs { { 5, 34, 37 }, { 7, 9, 256 }, { 3, 70, 257 }, { 2, 5, 700 }, { 1, 33, 1100 } } do
            local n, m, k = table.unpack(s)
            for _, kind in ipairs { { "f64", 1 / 3, identity }, { "f32", 2.0 ^ -20, single } } do
                local t, unit, round = table.unpack(kind)
                local a, b = rows_of(n, k, 1 << 22, 5, unit), rows_of(m, k, 1 << 22, 6, unit)
                local function apart(p, q) return math.abs(p - q) end
                local wanted = oracle(a, b, k, apart, add, 0, round)
                local from_1000 = oracle(a, b, k, apart, add, 1000.0, round)
                local differs = 0
                for i = 1, n do
                    for j = 1, m do
                        local straight = 0
                        for l = 1, k do
                            straight = round(straight + round(apart(a[i][l], b[j][l])))
                        end
                        differs = differs + (straight ~= wanted[i][j] and 1 or 0)
                    end
                end
                assert(k <= BLOCK + 1 or differs > 0, "the order of blocks is not tested")
                local what = ("%s %d x %d x %d"):format(t, n, m, k)
                with_backends(function()
                    local x, y = matrix(a, k, t), matrix(b, k, t)
                    same(wanted, m, lun.allpairs(apart, "+")(x, y), what)
                    same(wanted, m, lun.allpairs(apart, add)(x, y), what .. " by a function")
                    same(from_1000, m, lun.allpairs(apart, "+", 1000)(x, y), what .. " from 1000")
                end)
            end
        end
    end)

    it("of products and sums is matmul, bits included", function()
        for _, t in ipairs { { "f32", "f32" }, { "f64", "f32" }, { "i32", "i8" }, { "u8", "u8" }, { "f16", "f16" } } do
            local a = (lun.random({ 20, 300 }, { seed = 1 }) * 100):cast(t[1]):eval()
            local b = (lun.random({ 35, 300 }, { seed = 2 }) * 100):cast(t[2]):eval()
            local wanted = a:matmul(b:transpose())
            for _, s in ipairs { lun.allpairs("*", "+"), lun.allpairs(lun.mul, lun.op.add), lun.allpairs("*", "+", 0) } do
                local got = s(a, b)
                assert.equal("matmul", lun.explain(got)[1].name)
                assert.equal(wanted:dtype(), got:dtype())
                assert.equal(wanted:tobytes(), got:tobytes())
            end
        end
        assert.equal("allpairs", lun.explain(lun.allpairs("*", "+", 1)(lun.ones(2, 2):copy(), lun.ones(2, 2):copy()))[1].name)
    end)

    it("has the dtype of the reduction of its zip", function()
        local names = { "bool", "i8", "u8", "i32", "u32", "i64", "u64", "f16", "bf16", "f32", "f64" }
        local function add_up(x, y) return x + y end
        for _, t in ipairs(names) do
            for _, u in ipairs { t, t == "u64" and "u8" or "i16", "f32" } do
                local x, y = lun.ones({ 2, 3 }, t):copy(), lun.ones({ 4, 3 }, u):copy()
                for _, f in ipairs { { "-", "+" }, { "max", "min" }, { "eq", "lor" }, { "-", add_up } } do
                    if not (f[1] == "-" and t == "bool") then
                        local line_of = lun.zip(f[1])(x:broadcast { 2, 3 }, y:sub(1, 2))
                        local wanted = lun.reduce(f[2], nil, { axis = 2 })(line_of):dtype()
                        assert.equal(wanted, lun.allpairs(f[1], f[2])(x, y):dtype(), table.concat({ t, u, f[1] }, " "))
                    end
                end
            end
        end
        local out = lun.allpairs("-", "+", nil, { out = "i32" })(lun.ones(2, 3), lun.ones(1, 3))
        assert.equal("i32", out:dtype())
    end)

    it("wraps integers", function()
        local a = lun.vector({ 100, 100, -100, 7 }, "i8"):reshape(2, 2)
        local b = lun.vector({ -100, 100, 100, 100 }, "i8"):reshape(2, 2)
        with_backends(function()
            -- the zip in i8, the sum in i64
            assert.same({ { (200 - 256) + 0, 0 }, { 0 - 93, (-200 + 256) - 93 } }, lun.allpairs("-", "+")(a, b):totable())
            local big = lun.full({ 1, 2 }, math.maxinteger)
            assert.same({ { -4 } }, lun.allpairs("+", "+")(big, big):totable())
            local u = lun.full({ 1, 3 }, 200, "u8"):copy()
            assert.same({ { 8 * 27 // 1 } }, { { lun.allpairs("min", "*")(lun.full({ 1, 3 }, 6, "u8"), u)[1][1] } })
        end)
    end)

    it("reads operands in every layout, lazy and mixed", function()
        local n, m, k = 70, 45, 33
        local a = (lun.random({ n, k }, { seed = 5 }) * 200 - 100):cast("i32"):eval()
        local b = (lun.random({ m, k }, { seed = 6 }) * 200 - 100):cast("i32"):eval()
        local function ways(v, r, c, t)
            v = v:cast(t):eval()
            local wide = lun.zeros({ 2 * r + 3, 3 * c + 2 }, t)
            local back = lun.zeros({ r, c }, t)
            return {
                v, v:copy { layout = "left" }, v:transpose():copy():transpose(), v:copy { layout = { 1, r + 5 } },
                wide:sub({ 2, 2 * r, 2 }, { 3, 3 * c, 3 }):set(v), back:sub({ -1, 1, -1 }, { -1, 1, -1 }):set(v),
                v + 0, (v:transpose() + 0):transpose(), v:cast "f64", lun.stack { v, v }:select(1, 2),
            }
        end
        with_backends(function()
            for _, t in ipairs { "i32", "f32", "f64" } do
                local wanted = oracle(a:totable(), b:totable(), k, distance, add, 0)
                local s = lun.allpairs(distance, "+")
                local all = { ways(a, n, k, t), ways(b, m, k, t) }
                for i = 1, #all[1] do
                    same(wanted, m, s(all[1][i], all[2][#all[2] + 1 - i]), t .. " way " .. i)
                end
                same(wanted, m, s(a:cast(t), b), t .. " and i32")
            end
            local x = a:cast "f64"
            same(oracle(a:totable(), a:totable(), k, distance, add, 0), n, lun.allpairs(distance, "+")(x, x), "an array and itself")
            local r = lun.range(1, 12):reshape(3, 4)
            same(oracle(r:totable(), r:totable(), 4, distance, add, 0), 3, lun.allpairs(distance, "+")(r, r), "virtual arrays")
            same({ { 6, 6 } }, 2, lun.allpairs(distance, "+")(lun.full({ 1, 3 }, 4), lun.full({ 2, 3 }, 2)), "numbers")
            local p = lun.range(1, 4):reshape(2, 2):pad(1, 0)
            same(oracle(p:totable(), p:totable(), 4, distance, add, 0), 4, lun.allpairs(distance, "+")(p, p), "padded arrays")
            local row = lun.range(1, 6):reshape(1, 6) * 2
            same(oracle(row:totable(), row:totable(), 6, distance, add, 0), 1, lun.allpairs(distance, "+")(row, row:sub(1, 1)), "a row")
        end)
    end)

    it("of one row, in every layout, is read in parts too", function()
        local s = lun.allpairs(distance, "+")
        with_backends(function()
            for _, shape in ipairs { { 1, 3 }, { 3, 1 }, { 1, 1 }, { 1, 90 }, { 90, 1 } } do
                local n, m = table.unpack(shape)
                local a, b = rows_of(n, 7, 50, 8), rows_of(m, 7, 50, 9)
                local wanted = oracle(a, b, 7, distance, add, 0)
                for _, layout in ipairs { "right", "left" } do
                    local x, y = matrix(a, 7, "f32"):copy { layout = layout }, matrix(b, 7, "f64"):copy { layout = layout }
                    local what = ("%d x %d %s"):format(n, m, layout)
                    assert.equal(wanted[n][m], s(x, y)[n][m], what)
                    assert.equal(wanted[1][1], s(x, y)[1][1], what)
                    same(wanted, m, s(x, y), what)
                end
            end
        end)
    end)

    it("propagates NaN and infinities", function()
        local nan, inf = 0 / 0, math.huge
        local a = lun.vector { { 1.0, nan }, { inf, 2.0 }, { 0.0, -0.0 } }
        local b = lun.vector { { inf, 0.0 }, { 1.0, 1.0 } }
        with_backends(function()
            local c = lun.allpairs("-", "+")(a, b):totable()
            assert.is_true(c[1][1] ~= c[1][1] and c[1][2] ~= c[1][2] and c[2][1] ~= c[2][1])
            assert.equal(inf, c[2][2])
            local d = lun.allpairs("min", "max")(a, b):totable()
            assert.is_true(d[1][1] ~= d[1][1])
            assert.same({ inf, 1.0 }, d[2])
        end)
    end)

    it("of rows without elements gives the first value, or says that it needs one", function()
        local a, b = lun.zeros(3, 0), lun.zeros(2, 0)
        same({ { 0, 0 }, { 0, 0 }, { 0, 0 } }, 2, lun.allpairs("-", "+")(a, b), "sum")
        same({ { 7, 7 }, { 7, 7 }, { 7, 7 } }, 2, lun.allpairs("-", function(x, y) return x + y end, 7)(a, b), "function")
        expect.failure("reduce of no elements needs an initial value", lun.allpairs("-", function(x, y) return x + y end), a, b)
        same({ { 0, 0 }, { 0, 0 }, { 0, 0 } }, 2, lun.allpairs("*", "+")(a, b), "product")
        local none = lun.allpairs("-", function(x, y) return x + y end)(lun.zeros(0, 3), lun.zeros(2, 3))
        assert.same({ 0, 2 }, { none:shape() })
        assert.equal(0, none:size())
    end)

    it("never lays down all values of all pairs", function()
        local n, k = 600, 300
        local a, b = lun.random({ n, k }, { seed = 1 }):eval(), lun.random({ n, k }, { seed = 2 }):eval()
        with_backends(function()
            lun.trim()
            lun.stats "reset"
            local before = lun.stats().allocated
            lun.allpairs(distance, "+")(a, b):eval()
            local s = lun.stats()
            local most = 4 * 8 * (n * n + 2 * n * k) -- the cube has n * n * k elements
            assert.is_true(s.peak - before < most, s.peak - before)
            assert.is_true(s.bytes_read + s.bytes_written < most, s.bytes_read + s.bytes_written)
        end)
    end)

    it("is lazy, takes lazy operands, and is read in parts", function()
        local a, b = lun.random({ 40, 20 }, { seed = 1 }):eval(), lun.random({ 30, 20 }, { seed = 2 }):eval()
        local d = lun.allpairs(distance, "+")(a * 2, b:sub({}, {}) + 1)
        assert.equal("Composition", d:kind())
        local plan = lun.explain(d)
        assert.equal("allpairs takes it", plan[1].cut)
        assert.equal("allpairs", plan[#plan].name)
        local e = (d + 1):max(3)
        assert.equal("allpairs ends", lun.explain(e)[#lun.explain(e) - 1].cut)
        local x, y = (a * 2):totable(), (b + 1):totable()
        assert.equal(line(x[7], y[9], 20, distance, add, 0, identity), d[7][9])
        local wanted = oracle(x, y, 20, distance, add, 0)
        same(wanted, 30, d, "whole")
        for i = 1, 40 do
            for j = 1, 30 do
                wanted[i][j] = math.max(wanted[i][j] + 1, 3)
            end
        end
        same(wanted, 30, e, "and what follows")
        -- two of them at once, and the smallest of each row
        local near, far = lun.allpairs(distance, "min")(a, b), lun.allpairs(distance, "max")(a, b)
        lun.eval(near, far)
        assert.is_true(near:le(far):all())
        assert.equal(40, #d:argmin(2))
        local again = lun.explain(lun.allpairs(distance, "+")(a, b))
        assert.truthy(again.graph:find("in blocks", 1, true))
        assert.same({ 2, 1, 8 * 70 * 20, 8 * 40 * 30 },
            { again[1].reads, again[1].writes, again[1].bytes_read, again[1].bytes_written })
    end)

    it("is compiled by prepare, and counted by profile", function()
        local scratch = shell.scratch()
        local path = shell.write(scratch .. "/program.lua", [[
            local a, b = lun.random({40, 20}, {seed = 1}):eval(), lun.random({90, 20}, {seed = 2}):eval()
            local function made() return lun.allpairs(function(x, y) return (x - y) * (x + 2 * y) end, "+")(a, b) end
            io.write(tostring(lun.prepare(made())), " ")
            local before = lun.stats().interpreted
            made():eval()
            local print_, shown = print, 0
            print = function() shown = shown + 1 end
            local rows = lun.profile(function() made():eval() end)
            print_(lun.stats().interpreted - before, #rows, rows[1].elements, shown)]])
        local text = shell.capture(("LUNARRAY_CACHE_DIR=%s %s %s 2>&1"):format(scratch, shell.interpreter(), path))
        shell.discard(scratch)
        assert.equal("true 0\t1\t3600\t1\n", text)
    end)

    it("of virtual arrays is computed once, as a whole", function()
        local a = lun.random({ 70, 20 }, { seed = 1 })
        local wanted = lun.allpairs(distance, "+")(a:copy(), a:copy())
        lun.stats "reset"
        local got = lun.allpairs(distance, "+")(a, a):copy()
        assert.is_true(lun.stats().launches < 8)
        assert.equal(wanted:tobytes(), got:tobytes())
        assert.equal(wanted:tobytes(), lun.allpairs(distance, "+")(a, a):tobytes())
    end)

    it("writes into arrays, and chains", function()
        local a, b = lun.random({ 8, 5 }, { seed = 1 }):eval(), lun.random({ 9, 5 }, { seed = 2 }):eval()
        local s = lun.allpairs(distance, "+")
        local wanted = s(a, b):totable()
        local into = lun.zeros(12, 11)
        s:run { a, b, out = into:sub({ 2, 9 }, { 3, 11 }) }
        assert.same(wanted, into:sub({ 2, 9 }, { 3, 11 }):totable())
        assert.equal(0.0, into[1][3] + into[10][3] + into[2][2])
        local rooted = (s >> lun.map "sqrt")(a, b)
        assert.is_true((rooted * rooted - s(a, b)):abs():max() < 1e-12)
        assert.truthy(tostring(s):find "allpairs")
        assert.truthy(s:source():find "lun_kernel")
        for _ = 1, 3 do
            into:sub({ 2, 9 }, { 3, 11 }):set(s(a, b))
        end
        assert.same(wanted, into:sub({ 2, 9 }, { 3, 11 }):totable())
    end)

    it("gives the same result in a long loop of mixed sizes", function()
        local s = lun.allpairs(distance, "+")
        for round = 1, 40 do
            local n, m, k = round * 7 % 67 + 1, round * 11 % 131 + 1, round * 5 % 29 + 1
            local a, b = rows_of(n, k, 30, round), rows_of(m, k, 30, round + 1)
            same(oracle(a, b, k, distance, add, 0), m, s(matrix(a, k, "f32"), matrix(b, k, "f32")), "round " .. round)
        end
    end)

    it("refuses what does not fit, and goes on", function()
        local a, b = lun.zeros { 2, 3 }, lun.zeros { 4, 5 }
        local s = lun.allpairs("-", "+")
        expect.failure("bad argument #2 to 'allpairs' (shapes do not fit: f64[2, 3] and f64[4, 5] (rows of 3 and of 5))", s, a, b)
        expect.failure("shapes do not fit: f64[2, 3] and f64[4, 5]", lun.allpairs("*", "+"), a, b)
        expect.failure("(a matrix is expected, whose rows are compared, not f64[3]: the rank is 1)", s, a, lun.zeros(3))
        expect.failure("not f64[2, 3, 4]: the rank is 3", s, lun.zeros { 2, 3, 4 }, a)
        expect.failure("array expected", s, a, 2)
        expect.failure("(2 arrays expected, got 1)", s, a)
        expect.failure("'sub' is not associative", lun.allpairs, "-", "-")
        expect.failure("'neg' takes 1 operand, not 2", lun.allpairs, "neg", "+")
        expect.failure("function, C source, path or operation expected", lun.allpairs, "-")
        expect.failure("2 results", function() return lun.allpairs(function(x, y) return x, y end, "+")(a, a) end)
        expect.failure("needs integers", lun.allpairs("&", "+"), a, a)
        expect.failure("must return one result", lun.allpairs("-", function(x, y) return x, y end), a, a)
        expect.failure("too many elements", s, lun.zeros { 2 ^ 40 | 0, 1 }, lun.zeros { 2 ^ 40 | 0, 1 })
        for _, n in ipairs { 2 ^ 45 | 0, 2 ^ 60 | 0 } do
            local many, one = lun.full({ n, 1 }, 1), lun.ones(1, 1):copy()
            expect.failure("memory", function() return s(many, one):eval() end)
            expect.failure("memory", function() return s(one, many):eval() end)
        end
        local freed = lun.zeros { 2, 3 }
        freed:free()
        expect.failure("freed", s, a, freed)
        assert.equal(0.0, s(a, a):sum())
    end)

    it("reports what fails in a function, with its line", function()
        local a, b = lun.vector { { 6, 4 }, { 8, 2 } }, lun.vector { { 3, 2 }, { 1, 0 } }
        local list = lun.vector { 1.0, 2.0, 3.0 }
        with_backends(function()
            expect.failure("attempt to perform 'n//0'", function() return lun.allpairs("//", "+")(a, b):eval() end)
            expect.failure("allpairs_spec.lua:", function() return lun.allpairs(function(x, y) return x // y end, "+")(a, b):eval() end)
            expect.failure("index 6 is out of range", function()
                return lun.allpairs(function(x, _) return list[x] end, "+")(a, b):eval()
            end)
            expect.failure("attempt to perform 'n//0'", function()
                return lun.allpairs("-", function(x, y) return x // (y - y) end)(a, b):eval()
            end)
            assert.same({ { 2 + 2, 6 + 1 }, { 2 + 1, 8 + 0 } }, lun.allpairs("//", "+")(a, b:max(1) + lun.vector { { 0, 0 }, { 0, 3 } })
                :totable())
        end)
    end)

    it("has the same bits on 1 to 4 threads and every backend", function()
        local path = shell.write(os.tmpname(), [[
            local lun = require "lunarray"
            local out = {}
            for _, s in ipairs { {300, 260, 70}, {65, 33, 1000}, {1, 2100, 300}, {700, 3, 20}, {64, 64, 257} } do
                for _, t in ipairs { "f32", "f64", "i32" } do
                    local a = (lun.random({s[1], s[3]}, {seed = 1}) * 100 - 50):cast(t):eval()
                    local b = (lun.random({s[2], s[3]}, {seed = 2}) * 100 - 50):cast(t):eval()
                    out[#out + 1] = lun.allpairs(function(x, y) return math.abs(x - y) end, "+")(a, b):tobytes()
                    out[#out + 1] = lun.allpairs("max", function(x, y) return x + y end)(a, b):tobytes()
                end
            end
            local all, h = table.concat(out), 0
            for i = 1, #all - 8, 8 do h = (h ~ string.unpack("<i8", all, i)) * 0x100000001b3 end
            print(#all, string.format("%016x", h))]])
        local wanted
        for _, way in ipairs { "openmp 1 sync", "openmp 2 sync", "openmp 3 sync", "openmp 4 sync", "openmp 2 auto", "reference 2 off",
            "opencl 2 sync" } do
            local backend, threads, jit = way:match "(%w+) (%d) (%w+)"
            if table.concat(lun.backends(), " "):find(backend) then
                local text = shell.capture(("LUNARRAY_BACKEND=%s LUNARRAY_THREADS=%s LUNARRAY_JIT=%s %s %s 2>&1"):format(backend, threads,
                    jit, shell.interpreter(), path))
                wanted = wanted or text
                assert.truthy(text:find "^%d+%s%x+\n$", text)
                assert.equal(wanted, text, way)
            end
        end
        os.remove(path)
    end)

    it("stops at a time limit, and the session goes on", function()
        local path = shell.write(os.tmpname(), [[
            local a = lun.ones({20000, 3000}, "f32"):copy()
            lun.allpairs(function(x, y) return math.abs(x - y) end, "+")(a, a):eval()]])
        local text = shell.capture(("timeout 300 %s --sandbox --time-limit 1 %s 2>&1"):format(shell.interpreter(), path))
        os.remove(path)
        assert.truthy(text:find("time limit", 1, true), text)
    end)
end)
