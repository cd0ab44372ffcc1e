-- lun.each: loops whose rounds assign elements of captured arrays. tests/diff/indices_spec.lua compares random functions
-- with the plain loop.
local lun = require "lunarray"
local expect = require "expect"

local everywhere, refused = expect.everywhere, expect.failure

describe("lun.each", function()
    it("assigns elements, at once, and gives nothing", function()
        everywhere(function()
            local B = lun.zeros(2, 3)
            assert.are.equal(0, select("#", lun.each({ 2, 3 }, function(i, j) B[i][j] = i * 10 + j end)))
            assert.same({ { 11, 12, 13 }, { 21, 22, 23 } }, B:totable())
        end)
    end)

    it("assigns under conditions, in loops and in helper functions, several arrays, in any order of axes", function()
        everywhere(function()
            local A = lun.vector({ { 1, -2, 3 }, { -4, 5, -6 } }, "f64")
            local clipped, turned, rows = lun.zeros(2, 3), lun.zeros(3, 2, "f32"), lun.zeros(2, "i32")
            local function put(i, j, x) turned[j][i] = x end
            lun.each({ 2, 3 }, function(i, j)
                if A[i][j] < 0 then return end
                clipped[i][j] = A[i][j]
                put(i, j, A[i][j] / 2)
            end)
            assert.same({ { 1, 0, 3 }, { 0, 5, 0 } }, clipped:totable())
            assert.same({ { 0.5, 0 }, { 0, 2.5 }, { 1.5, 0 } }, turned:totable())
            lun.each(2, function(i)
                for j = 1, #A[i] do
                    if A[i][j] > 0 then rows[i] = rows[i] + j end
                end
            end)
            assert.same({ 4, 2 }, rows:totable())
        end)
    end)

    it("assigns windows, shifted elements and parts that lie inside", function()
        everywhere(function()
            local A = lun.zeros(4, 4)
            local w = A:sub({ 2, 3 }, { 4, 1, -2 })
            lun.each({ 2, 2 }, function(i, j) w[i][j] = i * 10 + j end)
            assert.same({ { 0, 0, 0, 0 }, { 0, 12, 0, 11 }, { 0, 22, 0, 21 }, { 0, 0, 0, 0 } }, A:totable())
            local v = lun.zeros(5)
            lun.each({ { 2, 4 } }, function(i) v[i + 1] = i end)
            assert.same({ 0, 0, 2, 3, 4 }, v:totable())
            lun.each(9, function(i) if i > 7 then v[i - 6] = -i end end)
            assert.same({ 0, -8, -9, 3, 4 }, v:totable())
            local wide, first = lun.ones(3, 1000), lun.zeros(3)
            lun.each(100000, function(i) -- beyond the ends of wide there would be a lot
                if i <= 3 then first[i] = wide[i][1] + i end
            end)
            assert.same({ 2, 3, 4 }, first:totable())
        end)
    end)

    it("reads many elements beside those that it assigns", function()
        local n = 9
        local A, B = lun.index(n * n):view { n, n }, lun.zeros({ n, n }, "i64")
        local terms, wanted = {}, 0
        for y = -3, 3 do
            for x = -3, 3 do
                terms[#terms + 1] = ("A[i%+d][j%+d] * %d"):format(y, x, #terms + 1)
                wanted = wanted + A[5 + y][5 + x] * #terms
            end
        end
        local text = "local A, B = ... return function(i, j) B[i][j] = B[i][j] + " .. table.concat(terms, " + ") .. " end"
        lun.each({ { 4, 6 }, { 5, 6 } }, load(text)(A, B))
        assert.are.equal(wanted, B[5][5])
        assert.are.equal(0, B[4][4] + B[7][5])
        refused("is out of range for axis 1 of array 'A'", lun.each, { { 4, 7 }, { 5, 6 } }, load(text)(A, B))
        assert.are.equal(wanted, B[5][5])
    end)

    it("leaves the array as it was after an error", function()
        everywhere(function()
            local v, u = lun.ones(4), lun.ones(4, "u8")
            local line = debug.getinfo(1, "l").currentline
            local function beyond(i)
                v[i] = 0
                u[i] = i < 3 and 2 or u[i + 2]
            end
            refused("reads 'u' where another round may assign it", lun.each, 4, beyond)
            refused((":%d: index 5 is out of range for array 'v' of length 4"):format(line + 7), lun.each, 5, function(i)
                v[i] = 7
                u[1 + i - 1] = 9
            end)
            refused("number 300 does not fit in u8", lun.each, 3, function(i)
                v[i] = 7
                u[i] = i * 100
            end)
            assert.same({ 1, 1, 1, 1 }, v:totable())
            assert.same({ 1, 1, 1, 1 }, u:totable())
        end)
    end)

    it("converts to the array's dtype, or says why not", function()
        local f, n, t = lun.zeros(2, "f32"), lun.zeros(2, "i64"), lun.zeros(2, "bool")
        lun.each(2, function(i)
            f[i] = 0.1
            f[i] = f[i] + i
        end)
        assert.is_true(f:eq(lun.vector({ 0.1, 0.1 }, "f32") + lun.vector({ 1, 2 }, "f32")):all())
        lun.each(2, function(i) n[i] = math.floor(i * 1.5) end)
        assert.same({ 1, 3 }, n:totable())
        lun.each(2, function(i) t[i] = i > 1 end)
        assert.same({ false, true }, t:totable())
        refused("a float is assigned to 'n', an array of i64", lun.each, 2, function(i) n[i] = i / 2 end)
        refused("'t' is an array of bool: assign true or false", lun.each, 2, function(i) t[i] = i end)
        refused("an assignment to an element on a boolean", lun.each, 2, function(i) f[i] = i > 1 end)
    end)

    it("refuses what the loop's order would matter for, with both lines", function()
        local A, v = lun.zeros(3, 4), lun.zeros(4)
        local line = debug.getinfo(1, "l").currentline
        refused((":%d: reads 'A' where another round may assign it (line %d): read a copy, or use scan"):format(line + 3,
            line + 4), lun.each, { 3, 4 }, function(i, j)
            local x = A[i - 1][j]
            A[i][j] = x
        end)
        refused((":%d: reads 'A' where another round may assign it (line %d)"):format(line + 10, line + 8),
            lun.each, { 3, 4 }, function(i, j)
                A[i][j] = 1
                local s = 0
                for k = 1, 3 do s = s + A[k][j] end
                A[i][j] = s
            end)
        refused((":%d: assigns 'v' where another round may assign it at another index (line %d)"):format(line + 16,
            line + 15), lun.each, { { 2, 4 } }, function(i)
            v[i] = 1
            v[i - 1] = 2
        end)
        refused(("reads 'v' where another round may assign it (line %d): read a copy, or use scan"):format(line + 19),
            lun.each, 4, function(i) v[i // 2 + 1] = v[i] end)
        refused("reads 'v' where another round may assign it", lun.each, 4, function(i)
            if v[1] < i then v[1] = i end
        end)
        refused("reads 'v' where another round may assign it", lun.each, 4, function() v[1] = v[1] / 2 end)
        refused("reads 'v' where another round may assign it", lun.each, 4, function(i)
            local sum = v[1] + i
            v[1] = sum
            A[1][1] = sum
        end)
        refused(("assigns 'v' where another round may assign it at another index (line %d)"):format(line + 32),
            lun.each, 4, function(i)
                v[i] = 1
                v[1] = 2
            end)
        local w, same = A:row(2), v
        refused("shares elements with another one", lun.each, { 3, 4 }, function(i, j) A[i][j] = w[j] end)
        refused("shares elements with another one", lun.each, 4, function(i) v[i] = same[5 - i] end)
        refused("several indices share an element", lun.each, { 3, 4 }, (function()
            local b = v:broadcast { 3, 4 }
            return function(i, j) b[i][j] = 1 end
        end)())
        assert.are.equal(0, A:sum() + v:sum())
    end)

    it("assigns elements that several rounds share: the last one in index order wins", function()
        everywhere(function()
            for _, n in ipairs { 1, 2, 63, 64, 65, 4096, 4100, 70000 } do
                local k = (lun.index(n) * 7919 % 101 + 1):eval()
                local last, wanted = lun.full(101, -1, "i64"), {}
                for x = 1, 101 do wanted[x] = -1 end
                for i = 1, n do wanted[k[i]] = i end
                lun.each(n, function(i) last[k[i]] = i end)
                assert.same(wanted, last:totable())
            end
            local A, t = lun.zeros(3, 4), lun.zeros(2, "bool")
            lun.each({ 3, 4 }, function(i, j)
                A[i][i] = i * 10 + j
                if j == 2 then t[i % 2 + 1] = i > 2 end
            end)
            assert.same({ { 14, 0, 0, 0 }, { 0, 24, 0, 0 }, { 0, 0, 34, 0 } }, A:totable())
            assert.same({ false, true }, t:totable())
        end)
    end)

    it("assigns one index by several statements, of which the last one wins, and by either branch of an if", function()
        local v, w = lun.zeros(4), lun.zeros(4)
        lun.each(8, function(i)
            v[i // 3 + 1] = i
            if i % 2 == 0 then v[i // 3 + 1] = -i end
            if i < 5 then w[i // 1] = 1 else w[9 - i] = i end
        end)
        assert.same({ -2, 5, -8, 0 }, v:totable())
        assert.same({ 8, 7, 6, 5 }, w:totable())
        lun.each({ { 2, 3 } }, function(i)
            for s = 1, 3 do v[i % 2 * 2 + 1] = s * i end
        end)
        assert.same({ 6, 5, 9, 0 }, v:totable())
    end)

    it("combines elements that several rounds share, in index order", function()
        local random = lun.random({ 5000, 2 }, { seed = 5 }):totable()
        local keys, xs = {}, {}
        for i, pair in ipairs(random) do
            keys[i], xs[i] = pair[1] * 37 // 1 | 0, (pair[2] - 0.5) * 10 ^ (i % 7)
        end
        everywhere(function()
            for _, n in ipairs { 1, 63, 64, 65, 4096, 4100 } do
                local k = lun.vector({ table.unpack(keys, 1, n) }, "i64")
                local x = lun.vector({ table.unpack(xs, 1, n) }, "f64")
                local got, wanted = {}, {}
                for at, first in ipairs { 0, 0, 1, 1 / 0, -1 / 0 } do
                    got[at], wanted[at] = lun.full(37, first, "f64"), {}
                    for b = 1, 37 do wanted[at][b] = first + 0.0 end
                end
                local sum, less, product, min, max = table.unpack(got)
                lun.each(n, function(i)
                    local b = k[i] + 1
                    sum[b] = sum[b] + x[i]
                    less[b] = less[b] - x[i]
                    product[b] = x[i] * product[b]
                    min[b] = math.min(min[b], x[i])
                    max[b] = math.max(x[i], max[b])
                end)
                for i = 1, n do
                    local b, s, l, p, low, high = keys[i] + 1, table.unpack(wanted)
                    s[b], l[b], p[b] = s[b] + xs[i], l[b] - xs[i], xs[i] * p[b]
                    low[b], high[b] = math.min(low[b], xs[i]), math.max(xs[i], high[b])
                end
                for at = 1, 5 do assert.same(wanted[at], got[at]:totable()) end
            end
        end)
    end)

    it("assigns and combines different columns of one array, each as it likes", function()
        local random = lun.random({ 4100, 2 }, { seed = 6 }):totable()
        everywhere(function()
            for _, n in ipairs { 1, 64, 4100 } do
                local keys, xs, wanted = {}, {}, {}
                for c = 1, 7 do wanted[c] = { 0, 0, 9, 100, c } end
                for i = 1, n do
                    keys[i], xs[i] = random[i][1] * 7 // 1 | 0, (random[i][2] * 5) // 1 | 0
                    local row = wanted[keys[i] + 1]
                    row[1], row[2], row[3] = row[1] + xs[i], row[2] + 1, math.min(row[3], xs[i])
                    if i % 3 == 0 then row[4] = i % 100 end
                end
                local k, x = lun.vector(keys, "i64"), lun.vector(xs, "i64")
                local function matrix(dtype, transposed)
                    local m = lun.zeros(7, 5, dtype):copy()
                    if transposed then m = lun.zeros(5, 7, dtype):copy():transpose() end
                    for c = 1, 7 do m[c][3], m[c][4], m[c][5] = 9, 100, c end
                    return m
                end
                for _, dtype in ipairs { "f64", "i64", "f32", "i32", "u16" } do
                    for _, s in ipairs { matrix(dtype, false), matrix(dtype, true) } do
                        lun.each(n, function(i)
                            local c = k[i] + 1
                            s[c][1] = s[c][1] + x[i]
                            s[c][2] = s[c][2] + 1
                            s[c][3] = math.min(s[c][3], x[i])
                            if i % 3 == 0 then s[c][4] = i % 100 end
                        end)
                        for c = 1, 7 do
                            for j = 1, 5 do assert.equal(wanted[c][j] + 0.0, s[c][j] + 0.0) end
                        end
                    end
                end
            end
        end)
        local s, k = lun.zeros(4, 2, "u8"):copy(), lun.vector({ 1, 2, 3, 2 }, "i64")
        s[2][2] = 250
        refused("number 256 does not fit in u8", lun.each, 4, function(i)
            s[k[i]][1] = s[k[i]][1] + 1
            s[k[i]][2] = s[k[i]][2] + 3
        end)
        assert.same({ { 0, 0 }, { 0, 250 }, { 0, 0 }, { 0, 0 } }, s:totable())
        refused("assigns 's' at an index that may be that of line", lun.each, 4, function(i)
            s[k[i]][1] = s[k[i]][1] + 1
            s[k[i]][2] = s[k[i]][2] + 1
            s[1][k[i]] = s[1][k[i]] + 1
        end)
        refused("combines an element of 's' in a round that may have combined one already", lun.each, 4, function(i)
            s[k[i]][1] = s[k[i]][1] + 1
            s[k[i] + 1][1] = s[k[i] + 1][1] + 1
        end)
        refused("reads 's'", lun.each, 4, function(i)
            s[k[i]][1] = s[k[i]][1] + 1
            s[k[i]][2] = s[k[i]][2] + s[k[i]][1]
        end)
    end)

    it("combines integers of every width, and says which one does not fit", function()
        everywhere(function()
            for _, dtype in ipairs { "i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64" } do
                local h, bits, low = lun.zeros(3, dtype), lun.full(2, 15, dtype), lun.full(1, 90, dtype)
                lun.each(120, function(i)
                    h[i % 3 + 1] = h[i % 3 + 1] + i % 4
                    bits[1] = bits[1] & ~(i % 2 * 4)
                    low[1] = math.min(low[1], 200 - i)
                end)
                lun.each({ { 16, 47 } }, function(i)
                    h[2] = h[2] ~ i
                    bits[2] = i | bits[2]
                end)
                assert.same({ 60, 60, 60 }, h:totable())
                assert.same({ 11, 63 }, bits:totable())
                assert.same({ 80 }, low:totable())
            end
            for dtype, least in pairs { i8 = -128, u8 = 0, i16 = -32768, u16 = 0, i32 = -2147483648, u32 = 0 } do
                local h, kept = lun.full(2, 1, dtype), lun.zeros(2)
                local line = debug.getinfo(1, "l").currentline
                refused((":%d: number %d does not fit in %s"):format(line + 4, least - 1, dtype), lun.each, 3,
                    function(i)
                        kept[3 - (i + 1) // 2] = i
                        h[2] = h[2] - (i == 2 and 2 - least or lun.where(i > 2, 5, 0))
                    end)
                assert.same({ 1, 1 }, h:totable())
                assert.same({ 0, 0 }, kept:totable())
            end
        end)
    end)

    it("rounds floats at each step, as elements of their dtype do", function()
        everywhere(function()
            for _, dtype in ipairs { "f16", "bf16", "f32", "f64" } do
                local h, x = lun.zeros(2, dtype), lun.full(3001, 0.1, "f64"):copy()
                lun.each(3001, function(i) h[1] = h[1] + x[i] end)
                lun.each(50, function() h[2] = h[2] + 0.1 end)
                local round = lun.vector({ 0.0 }, dtype)
                for _ = 1, 3001 do round[1] = round[1] + 0.1 end
                assert.are.equal(round[1], h[1])
                -- a literal takes the dtype that elements are computed in
                local tenth = lun.vector({ 0.1 }, dtype == "f64" and "f64" or "f32")
                local short = lun.zeros(1, dtype)
                for _ = 1, 50 do short:set(short + tenth) end
                assert.are.equal(short[1], h[2])
            end
        end)
    end)

    it("assigns shared elements of windows, of arrays that others hold, and of any rank", function()
        everywhere(function()
            local A = lun.zeros(3, 4)
            local w, before = A:sub({ 3, 1, -2 }, { 1, 4, 3 }), A + 1
            lun.each({ 2, 3, 2 }, function(i, j, k)
                w[(i + j) % 2 + 1][k] = i * 100 + j * 10 + k
            end)
            assert.same({ { 231, 0, 0, 232 }, { 0, 0, 0, 0 }, { 221, 0, 0, 222 } }, A:totable())
            assert.are.equal(12, before:sum())
            lun.each({ 2, 3, 2 }, function(i, j, k) w[i][k] = w[i][k] + j end)
            assert.same({ { 237, 0, 0, 238 }, { 0, 0, 0, 0 }, { 227, 0, 0, 228 } }, A:totable())
            local C = lun.zeros(2, 2, 2)
            local function add(part, j, x) part[j] = part[j] + x end
            lun.each(10, function(i)
                local plane = C[i % 2 + 1]
                if i > 4 then add(plane[2], i % 3 // 2 + 1, i) end
            end)
            assert.same({ { { 0, 0 }, { 6 + 10, 8 } }, { { 0, 0 }, { 7 + 9, 5 } } }, C:totable())
            local lazy = lun.index(4) * 2
            lun.each(8, function(i) lazy[i // 2 % 4 + 1] = lazy[i // 2 % 4 + 1] + 1 end)
            assert.same({ 4, 6, 8, 10 }, lazy:totable())
            lun.each(0, function(i) lazy[i // 2] = 7 end)
            assert.same({ 4, 6, 8, 10 }, lazy:totable())
        end)
    end)

    it("checks every index of shared elements before it assigns one", function()
        everywhere(function()
            local h, B = lun.ones(4), lun.ones(2, 3)
            local k = lun.vector({ 1, 2, 5, 0 }, "i32")
            local line = debug.getinfo(1, "l").currentline
            refused((":%d: index 5 is out of range for array 'h' of length 4"):format(line + 3), lun.each, 3,
                function(i)
                    h[k[i]] = h[k[i]] + 1
                    B[i // 2 + 1][1] = 9
                end)
            refused((":%d: index 0 is out of range for axis 2 of array 'B' (length 3)"):format(line + 9), lun.each, 4,
                function(i)
                    h[i // 3 + 1] = 9
                    if i == 4 then B[2][k[i]] = B[2][k[i]] + 1 end
                end)
            refused((":%d: index 3 is out of range for axis 1 of array 'B' (length 2)"):format(line + 12), lun.each, 3,
                function(i) B[i][1] = B[i][1] + 1 end)
            assert.are.equal(10, h:sum() + B:sum())
        end)
    end)

    it("refuses what assigns two elements of an array, or combines one twice, in a round", function()
        local v, k = lun.zeros(4), lun.index(4):eval()
        local line = debug.getinfo(1, "l").currentline
        refused((":%d: assigns 'v' in a round that may have assigned it at another index (line %d)"):format(line + 4,
            line + 3), lun.each, 4, function(i)
            v[k[i]] = 1
            if i > 2 then v[1] = 2 end
        end)
        refused("may have assigned it at another index", lun.each, 4, function(i)
            for j = 1, #k do v[j] = i end
        end)
        refused("may have assigned it at another index", lun.each, 4, function(i)
            for j = 1, 3 do
                local e = 1
                if j > 1 then e = 2 end
                v[e] = i
            end
        end)
        refused("combines an element of 'v' in a round that may have combined one already", lun.each, 4, function(i)
            v[1] = v[1] + 1
            if i > 2 then v[k[i]] = v[k[i]] + 1 end
        end)
        refused("combines an element of 'v' in a round that may have combined one already", lun.each, 4, function(i)
            for j = 1, 3 do v[1] = v[1] + j * i end
        end)
        refused(("assigns 'v' in another way than line %d"):format(line + 24), lun.each, 4, function(i)
            v[1] = 0
            v[1] = v[1] + i
        end)
        local b = v:broadcast { 3, 4 }
        refused("several indices share an element", lun.each, 4, function(i) b[1][k[i]] = 1 end)
        refused("a float is assigned to 'k', an array of i64", lun.each, 4, function() k[1] = k[1] + 0.5 end)
        refused("arithmetic on a boolean", lun.each, 4, function(i) v[1] = v[1] + (i > 2) end)
        assert.are.equal(0, v:sum())
    end)

    it("refuses functions that assign nothing, or something else", function()
        local A, n = lun.zeros(3, 4), 0
        refused("a function that assigns no element of a captured array", lun.each, 3, function(i) return i end)
        refused("an assignment to a part of 'A', which has 2 dimensions", lun.each, 3, function(i) A[i] = 1 end)
        refused("assignment to the captured variable 'n'", lun.each, 3, function(i) n = n + i end)
        refused("C text without a result", lun.each, 3, "(long i) { return i; }")
        refused("assignment to an element or field", lun.generate, 3, function(i) A[i][1] = 1 return 1 end)
        assert.are.equal(0, n)
    end)

    it("does not keep what other arrays hold from changing, nor change them", function()
        local v = lun.vector { 1.0, 2.0, 3.0 }
        local before = v * 10
        lun.each(3, function(i) v[i] = v[i] + 0.5 end)
        assert.same({ 10, 20, 30 }, before:totable())
        assert.same({ 1.5, 2.5, 3.5 }, v:totable())
    end)

    it("shares out rounds as options say, with the same results", function()
        local function loop(n, m, options)
            local a, h = lun.zeros { n, m }, lun.zeros(7)
            lun.each({ n, m }, function(i, j)
                local s = 0.25
                for k = 1, i * j % 13 do s = s * 1.5 + k / j end
                a[i][j] = s
                h[(i + j) % 7 + 1] = h[(i + j) % 7 + 1] + s
            end, options)
            return a:tobytes() .. h:tobytes()
        end
        everywhere(function()
            for _, shape in ipairs { { 1, 1 }, { 9, 7 }, { 65, 63 }, { 130, 127 } } do
                local n, m = shape[1], shape[2]
                local wanted = loop(n, m)
                for _, options in ipairs {
                    {}, { tile = { 8, 8 } }, { tile = { 1, 1 } }, { tile = { 1000, 1000 } }, { schedule = "static" },
                    { schedule = "dynamic" }, { chunk = 1 }, { chunk = 65 }, { schedule = "dynamic", chunk = 100 },
                    { tile = { 2, 64 }, schedule = "dynamic", chunk = 1 << 40 },
                } do
                    assert.is_true(loop(n, m, options) == wanted)
                end
            end
        end)
        local z = lun.zeros(4, 4)
        local function says(text, options)
            refused(text, function() lun.each({ 4, 4 }, function(i, j) z[i][j] = 1 end, options) end)
        end
        says("unknown option 'tiles'", { tiles = { 2, 2 } })
        says("tile: a list of 2 numbers expected", { tile = { 2 } })
        says("tile: a list of 2 numbers expected", { tile = 4 })
        says("tile: an integer of 1 or more expected, got 0", { tile = { 2, 0 } })
        says("chunk: an integer of 1 or more expected, got 1.5", { chunk = 1.5 })
        says('schedule: "static" or "dynamic" expected', { schedule = "guided" })
        says("table expected", 3)
        assert.are.equal(0, z:sum() + 0)
        lun.each({ 4, 4 }, function(i, j) z[i][j] = 1 end, { tile = { 1 << 40, 1 << 40 } }) -- a wish
        assert.are.equal(16, z:sum() + 0)
    end)
end)
