-- lun.scan and lun.reduce of several elements against plain Lua loops: in the order that is documented, so that floats are
-- compared bit for bit; associative functions at random, on integers; refusals. Knows no engine internals.
local expect = require "spec.expect"
local lun = require "lunarray"
local shell = require "shell"

local LINE = 1024
local SIZES = { 0, 1, 2, 63, 64, 65, 1023, 1024, 1025, 2048, 4096, 65537 }

local function generator(seed)
    return function(n)
        seed = seed * 6364136223846793005 + 1442695040888963407
        return (seed >> 33) % n + 1
    end
end

-- f along rows from .. to of the lists, from the values in `first` on (nil: from the first row); what it gives for
-- each row goes to `put`.
local function along(f, count, first, lists, from, to, put)
    local values = first
    for i = from, to do
        local row = {}
        for k = 1, count do
            row[k] = lists[k][i]
        end
        local before = values
        if values then
            local given = table.move(row, 1, count, count + 1, table.move(values, 1, count, 1, {}))
            values = { f(table.unpack(given, 1, 2 * count)) }
        else
            values = row
        end
        if put then
            put(i, before, values)
        end
    end
    return values
end

-- The lists that a scan gives, and what a reduction gives, in the documented order.
local function model(f, ids, lists, inclusive)
    local n, count = #lists[1], #lists
    local out, totals = {}, {}
    for k = 1, count do
        out[k], totals[k] = {}, {}
    end
    for from = 1, n, LINE do
        local total = along(f, count, nil, lists, from, math.min(from + LINE - 1, n))
        for k = 1, count do
            totals[k][#totals[k] + 1] = total[k]
        end
    end
    local carry = ids
    for from = 1, n, LINE do
        along(f, count, carry, lists, from, math.min(from + LINE - 1, n), function(i, before, after)
            for k = 1, count do
                out[k][i] = (inclusive and after or before)[k]
            end
        end)
        local line = from // LINE + 1
        carry = along(f, count, carry, totals, line, line)
    end
    return out, n <= LINE and along(f, count, ids, lists, 1, n) or carry
end

-- The scan, both ways, and the reduction of these lists are those of the model.
local function check(f, ids, lists, dtypes)
    local arrays = {}
    for k, list in ipairs(lists) do
        arrays[k] = lun.vector(list, dtypes and dtypes[k])
    end
    local count = #lists
    for _, inclusive in ipairs { true, false } do
        local wanted = model(f, ids, lists, inclusive)
        local given = { lun.scan(f, ids, { elements = count, inclusive = inclusive })(table.unpack(arrays)) }
        assert.equal(count, #given)
        for k = 1, count do
            expect.elements(wanted[k], given[k])
        end
    end
    local _, wanted = model(f, ids, lists, true)
    local given = { lun.reduce(f, ids, { elements = count })(table.unpack(arrays)) }
    assert.equal(count, #given)
    for k = 1, count do
        local x = given[k]:value()
        assert(wanted[k] == x and math.type(wanted[k]) == math.type(x), ("%s, %s expected"):format(x, wanted[k]))
    end
end

local function affine(a1, b1, a2, b2)
    return a1 * a2, b1 * a2 + b2
end

local function highest(m, i, x, j)
    if x > m then
        return x, j
    end
    return m, i
end

-- Neumaier's sum: the sum and what rounding took of it.
local function compensated(s, c, x, d)
    local t = s + x
    local lost = math.abs(s) >= math.abs(x) and (s - t) + x or (x - t) + s
    return t, c + d + lost
end

local function list(n, f)
    local t = {}
    for i = 1, n do
        t[i] = f(i)
    end
    return t
end

describe("scan and reduce of several elements", function()
    it("are linear recurrences of floats, bit for bit", function()
        expect.everywhere(function(backend)
            for _, n in ipairs(SIZES) do
                local random = generator(n + 1)
                if n < 5000 or backend ~= "reference" then
                    check(affine, { 1.0, 0.0 },
                        { list(n, function() return random(2000) / 1001 end), list(n, function() return random(999) / 7 end) })
                end
            end
        end)
    end)

    it("take elements of different dtypes", function()
        expect.everywhere(function()
            for _, n in ipairs { 0, 1, 64, 1025, 5000 } do
                local random = generator(n + 3)
                local x = list(n, function() return random(1000000) / 64 end)
                check(highest, { -math.huge, 0 }, { x, list(n, function(i) return i end) }, { "f64", "i64" })
                local m, i = lun.scan(highest, { -1, 0 }, { elements = 2 })(lun.vector(x, "f32"), lun.index(n):cast "i32")
                assert.equal("f32", m:dtype())
                assert.equal("i32", i:dtype())
                local any, sum = lun.scan(function(p, s, q, t) return p or q, s + t end, { false, 0 },
                    { elements = 2, inclusive = true })(lun.vector(x, "f64"):gt(15000), lun.index(n))
                local wanted, seen = {}, false
                for k = 1, n do
                    seen = seen or x[k] > 15000
                    wanted[k] = seen
                end
                assert.equal("bool", any:dtype())
                expect.elements(wanted, any)
                expect.elements(list(n, function(k) return k * (k + 1) // 2 end), sum)
            end
        end)
    end)

    it("find dtypes of their own where the function gives others", function()
        local a, b = lun.scan(affine, { 1, 0 }, { elements = 2, inclusive = true })(lun.vector({ 2, 3 }, "i8"), lun.vector { 1, 2 })
        assert.equal("i32", a:dtype())
        assert.equal("i64", b:dtype())
        local half = lun.scan(function(s, c, x, d) return s / 2 + x, c + d end, { 0, 0 }, { elements = 2, inclusive = true })
        local s, c = half(lun.vector { 1, 2, 3 }, lun.vector { 1, 1, 1 })
        expect.elements({ 1.0, 2.5, 4.25 }, s)
        expect.elements({ 1, 2, 3 }, c)
    end)

    it("sum with compensation", function()
        expect.everywhere(function()
            local n = 3000
            local x = list(n, function(i) return i % 3 == 0 and 1e16 or i % 3 == 1 and 1.0 or -1e16 end)
            check(compensated, { 0.0, 0.0 }, { x, list(n, function() return 0.0 end) })
        end)
    end)

    it("take up to eight elements", function()
        expect.everywhere(function()
            local n, lists, ids = 2100, {}, {}
            for k = 1, 8 do
                lists[k], ids[k] = list(n, function(i) return i * k % 97 end), k % 2
            end
            check(function(a, b, c, d, e, f, g, h, i, j, k, l, m, o, p, q)
                return a + i, b * j, math.max(c, k), math.min(d, l), e | m, f & o, g ~ p, h + q * 3
            end, ids, lists)
            check(function(a, b, c, x, y, z) return a * x, a * y + b, c + z end, { 1, 0, 0 }, { lists[1], lists[2], lists[3] })
        end)
    end)

    it("are exact for any associative function of integers", function()
        expect.everywhere(function(backend)
            local random = generator(backend == "reference" and 11 or 12)
            for round = 1, 6 do
                local n = ({ 1, 100, 1024, 1030, 4096, 10007 })[round]
                local a = list(n, function() return random(1 << 30) * random(1 << 30) end)
                local b = list(n, function() return random(1 << 30) - (1 << 29) end)
                local c = list(n, function() return random(1 << 30) * random(1 << 31) end)
                -- affine maps x -> a x + b modulo 2^64, in both directions
                check(affine, { 1, 0 }, { a, b })
                check(function(p, q, x, y) return p * x, p * y + q end, { 1, 0 }, { a, b })
                -- products of upper triangular matrices {{p, q}, {0, r}}
                check(function(p, q, r, x, y, z) return p * x, p * y + q * z, r * z end, { 1, 0, 1 }, { a, b, c })
                -- the larger by a key, the first of equal ones
                local keys = list(n, function() return random(7) end)
                check(function(k, v, l, w) if l > k then return l, w end return k, v end, { math.mininteger, 0 }, { keys, b })
                -- a segment's own sum: flags start segments
                local flags = list(n, function() return random(9) == 1 and 1 or 0 end)
                check(function(f, s, g, t) return f | g, g == 1 and t or s + t end, { 0, 0 }, { flags, b })
            end
        end)
    end)

    it("are exact at a million elements", function()
        local n = 1000000
        local a, b = (lun.index(n) * 7919) % 1000 * 2 + 1, lun.index(n) % 1013
        local A, B = lun.scan(affine, { 1, 0 }, { elements = 2, inclusive = true })(a, b)
        local p, q = lun.reduce(affine, { 1, 0 }, { elements = 2 })(a, b)
        local la, lb, ga, gb = a:totable(), b:totable(), A:totable(), B:totable()
        local s, t = 1, 0
        for i = 1, n do
            s, t = affine(s, t, la[i], lb[i])
            assert(ga[i] == s and gb[i] == t, i)
        end
        assert.equal(s, p:value())
        assert.equal(t, q:value())
    end)

    it("take expressions, windows, numbers and arrays of any rank", function()
        expect.everywhere(function()
            local x, y = lun.index(60):reshape { 5, 12 }, (lun.index(60) % 7):reshape { 12, 5 }:transpose()
            local A, B = lun.scan(affine, { 1, 0 }, { elements = 2, inclusive = true })(x % 3, y + 1)
            assert.same({ 5, 12 }, { A:shape() })
            local wanted = model(affine, { 1, 0 }, { (x % 3):flatten():totable(), (y + 1):flatten():totable() }, true)
            expect.elements(wanted[1], A:flatten())
            expect.elements(wanted[2], B:flatten())
            assert.equal(lun.vector(wanted[2]):sum() * 2, (B * 2):sum())
            local _, decay = lun.scan(affine, { 1.0, 0.0 }, { elements = 2, inclusive = true })(0.5, lun.vector { 8.0, 0.0, 4.0 })
            expect.elements({ 8.0, 4.0, 6.0 }, decay)
            local w = lun.index(20):sub(2, -1, 3)
            local _, s = lun.scan(affine, { 1, 0 }, { elements = 2 })(w, w)
            expect.elements(model(affine, { 1, 0 }, { w:totable(), w:totable() }, false)[2], s)
        end)
    end)

    -- The places, from 1 in row-major order, of the lines of that shape along these axes (from 1, ascending): for each
    -- line a list.
    local function lines_of(shape, axes)
        local reduced, lines, by = {}, {}, {}
        for _, axis in ipairs(axes) do
            reduced[axis] = true
        end
        local size = 1
        for _, n in ipairs(shape) do
            size = size * n
        end
        for place = 1, size do
            local rest, key, factor = place - 1, 0, 1
            for k = #shape, 1, -1 do
                if not reduced[k] then
                    key, factor = key + rest % shape[k] * factor, factor * shape[k]
                end
                rest = rest // shape[k]
            end
            if not by[key] then
                by[key] = {}
                lines[#lines + 1] = by[key]
            end
            table.insert(by[key], place)
        end
        return lines
    end

    -- Scans along one axis, or a reduction along some, compared with the model line by line.
    local function check_along(f, ids, lists, shape, axes, keep)
        local arrays, count = {}, #lists
        for k, flat in ipairs(lists) do
            arrays[k] = lun.vector(flat):reshape(shape)
        end
        local lines = lines_of(shape, axes)
        local scans, sums = { {}, {} }, { {}, {} }
        for i, line in ipairs(lines) do
            local own = {}
            for k = 1, count do
                own[k] = {}
                for j, place in ipairs(line) do
                    own[k][j] = lists[k][place]
                end
            end
            for which, inclusive in ipairs { true, false } do
                local scan, total = model(f, ids, own, inclusive)
                for k = 1, count do
                    sums[which][k], scans[which][k] = sums[which][k] or {}, scans[which][k] or {}
                    sums[which][k][i] = total[k]
                    for j, place in ipairs(line) do
                        scans[which][k][place] = scan[k][j]
                    end
                end
            end
        end
        for which, inclusive in ipairs(#axes == 1 and { true, false } or {}) do
            local options = { elements = count, inclusive = inclusive, axis = axes[1] }
            local given = { lun.scan(f, ids, options)(table.unpack(arrays)) }
            for k = 1, count do
                assert.same(shape, { given[k]:shape() })
                expect.elements(scans[which][k], given[k]:flatten())
            end
        end
        local given = { lun.reduce(f, ids, { elements = count, axis = axes, keep = keep })(table.unpack(arrays)) }
        for k = 1, count do
            local flat = given[k]:kind() == "Scalar" and { given[k]:value() } or given[k]:flatten():totable()
            assert.same(sums[1][k], flat)
        end
        return table.unpack(given)
    end

    it("go along an axis, each line in its own order", function()
        expect.everywhere(function(backend)
            local random = generator(7)
            for _, case in ipairs { { { 3, 5 }, { 1 } }, { { 3, 5 }, { 2 } }, { { 1, 1 }, { 2 } }, { { 64, 63 }, { 1 } },
                { { 2, 1025, 3 }, { 2 } }, { { 2, 3, 2048 }, { 3 } }, { { 1030, 4 }, { 1 } }, { { 5, 1024 }, { 2 } },
                { { 2, 3, 4 }, { 1, 3 } }, { { 2, 3, 4 }, { 2, 3 } }, { { 33, 2, 40 }, { 1, 3 } }, { { 2, 3 }, { 1, 2 } },
                { { 2500 }, { 1 } }, { { 3, 1024 * 2 + 1 }, { 2 } } } do
                local shape, axes = case[1], case[2]
                local n = 1
                for _, extent in ipairs(shape) do
                    n = n * extent
                end
                if n < 3000 or backend ~= "reference" then
                    check_along(affine, { 1.0, 0.5 }, { list(n, function() return random(2000) / 1001 end),
                        list(n, function() return random(999) / 7 end) }, shape, axes)
                end
            end
        end)
    end)

    it("keep axes, take layouts, numbers and extra arguments along an axis", function()
        local x, y = list(60, function(i) return i * 7 % 11 end), list(60, function(i) return i % 5 end)
        for _, axes in ipairs { { 1 }, { 2 }, { 1, 2 }, { 1, 3 } } do
            local wanted = { 3, 4, 5 }
            for _, axis in ipairs(axes) do
                wanted[axis] = 1
            end
            local kept = check_along(affine, { 1, 0 }, { x, y }, { 3, 4, 5 }, axes, true)
            assert.same(wanted, { kept:shape() })
        end
        local A = lun.vector(x):reshape { 12, 5 }
        local left, right = A:copy { layout = "left" }, A:transpose()
        local options = { elements = 2, axis = 1, inclusive = true }
        local s = lun.scan(affine, { 1, 0 }, options)
        local _, one = s(A, A)
        local _, two = s(left, left * 1)
        assert.same(one:flatten():totable(), two:flatten():totable())
        local _, three = lun.scan(affine, { 1, 0 }, { elements = 2, axis = -1, inclusive = true })(right, right)
        assert.same(one:flatten():totable(), three:transpose():flatten():totable())
        local _, decay = lun.scan(affine, { 1.0, 0.0 }, options)(0.5, lun.vector { { 8.0, 1.0 }, { 0.0, 2.0 }, { 4.0, 0.0 } })
        expect.elements({ 8.0, 1.0, 4.0, 2.5, 6.0, 1.25 }, decay:flatten())
        local p, q = A:reduce(function(a, b, c, d, m) return (a + c) % m, math.max(b, d) end, { 0, 0 }, A, 7,
            { elements = 2, axis = 2 })
        assert.same((A:sum(2) % 7):totable(), p:totable())
        assert.same(A:max { axis = 2 }:totable(), q:totable())
    end)

    it("go along axes without elements", function()
        local none, rows = lun.zeros { 0, 3 }, lun.zeros { 3, 0 }
        local function fold(axis, a)
            local p, q = lun.reduce(affine, { 1, 2 }, { elements = 2, axis = axis })(a, a)
            return { p:shape() }, p:totable(), q:totable()
        end
        assert.same({ { 3 }, { 1, 1, 1 }, { 2, 2, 2 } }, { fold(1, none) })
        assert.same({ { 0 }, {}, {} }, { fold(2, none) })
        assert.same({ { 3 }, { 1, 1, 1 }, { 2, 2, 2 } }, { fold(2, rows) })
        for axis = 1, 2 do
            local p = lun.scan(affine, { 1, 2 }, { elements = 2, axis = axis })(rows, rows)
            assert.same({ 3, 0 }, { p:shape() })
            assert.same({}, p:flatten():totable())
        end
    end)

    it("wait, as other scans and reductions do", function()
        local a = lun.vector { 1, 2, 3 }
        local A, B = lun.scan(affine, { 1, 0 }, { elements = 2 })(a, a)
        local P = lun.reduce(affine, { 1, 0 }, { elements = 2 })(a, a)
        assert.equal("Composition", A:kind())
        assert.equal("Scalar", P:kind())
        a[1] = 100
        expect.elements({ 1, 1, 2 }, A)
        expect.elements({ 0, 1, 4 }, B)
        assert.equal(6, P:value())
        assert.is_truthy(tostring(lun.explain(lun.scan(affine, { 1, 0 }, { elements = 2 })(a, a))):find("running", 1, true))
    end)

    it("take extra arguments, captured numbers and arrays, and give their results to out=", function()
        expect.everywhere(function()
            local n = 2500
            local x, w, k = lun.index(n), lun.vector { 3, 5 }, 2
            local function f(a, b, c, d, m)
                return (a + c) % m, (b + d) % (k * w[2])
            end
            local s = lun.scan(f, { 0, 0 }, { elements = 2, inclusive = true })
            local A, B = s(x, x, 1000)
            k = 3
            local C, D = lun.zeros(n, "i64"), lun.zeros(n, "i64")
            s:run { x, x, 1000, out = { C, D } }
            local one, two, three = 0, 0, 0
            local wanted = { {}, {}, {} }
            for i = 1, n do
                one, two, three = (one + i) % 1000, (two + i) % 10, (three + i) % 15
                wanted[1][i], wanted[2][i], wanted[3][i] = one, two, three
            end
            expect.elements(wanted[1], A)
            expect.elements(wanted[2], B)
            expect.elements(wanted[1], C)
            expect.elements(wanted[3], D)
            local E, F = x:scan(f, { 0, 0 }, x, 1000, { elements = 2, inclusive = true })
            expect.elements(wanted[1], E)
            expect.elements(wanted[3], F)
            local p = x:reduce(function(a, b, c, d) return a + c, b * d end, { lun.vector { 1, 2 }:sum(), 1 }, x, { elements = 2 })
            assert.equal(3 + n * (n + 1) // 2, p:value())
        end)
    end)

    it("report mistakes of the function with its line", function()
        expect.everywhere(function()
            local a = lun.vector { 1, 0, 2 }
            expect.failure("tuples_spec.lua", function()
                lun.eval(lun.scan(function(p, q, x) return p // x, q end, { 1, 0 }, { elements = 2, inclusive = true })(a, a))
            end)
            local w = lun.vector { 5, 6 }
            expect.failure("index 3 is out of range for array 'w' of length 2", function()
                lun.eval(lun.scan(function(p, q, _, y) return p + w[y], q end, { 0, 0 }, { elements = 2 })(a, a + 1))
            end)
            expect.elements({ 1, 0, 2 }, a)
        end)
    end)

    it("refuse what does not fit", function()
        local v, w = lun.vector { 1, 2, 3 }, lun.vector { 1, 2, 3, 4 }
        local function two(f, ids, options)
            options = options or {}
            options.elements = options.elements or 2
            return lun.scan(f, ids, options)
        end
        expect.failure("a list of 2 initial values expected, one for each of the elements, got 1", two, affine, { 1 })
        expect.failure("a list of 2 initial values expected, one for each of the elements, got 3", two, affine, { 1, 2, 3 })
        expect.failure("a list of 2 initial values expected, one for each of the elements, got number", two, affine, 1)
        expect.failure("a list of 2 initial values expected", two, affine)
        expect.failure("initial value 2: a number expected, got string", two, affine, { 1, "x" })
        expect.failure("a list of them goes with the option elements", lun.scan, affine, { 1, 0 })
        expect.failure("option elements: at most 8 in scan, got 9", two, affine, {}, { elements = 9 })
        expect.failure("bad argument #2 to 'scan' (axis 2 is out of range: a Vector i64[3] has 1",
            two(affine, { 1, 0 }, { axis = 2 }), 1, v)
        expect.failure("option axis: a scan runs along a single axis", two, affine, { 1, 0 }, { axis = { 1, 2 } })
        expect.failure("wrong number of arguments to 'scan' (2 arrays expected, got 1)", two(affine, { 1, 0 }), v)
        expect.failure("shapes differ: array 1 is i64[3], array 2 is i64[4]", two(affine, { 1, 0 }), v, w)
        expect.failure("must return 2 results, not 1", two(function(a, b, c, d) return a + b + c + d end, { 1, 0 }), v, v)
        expect.failure("must return 2 results, not 3", two(function(a, b, c) return a, b, c end, { 1, 0 }), v, v)
        expect.failure("a C function gives one result", two("(long a, long b, long c, long d) { return a; }", { 1, 0 }), v, v)
        expect.failure("an operation gives one result", two("+", { 1, 0 }), v, v)
        expect.failure("number 1.5 does not fit into dtype i64", two(affine, { 1.5, 0 }), v, v)
        expect.failure("comparison on a boolean", two(function(a, b, c, d) return a > c, b + d end, { 1, 0 }), v, v)
        expect.elements({ 1, 2, 3 }, v)
    end)

    it("stop when they are told to", function()
        local text = shell.capture(("%s --time-limit 0.3 -e 'local function f(a, b, c, d) local s = a; "
            .. "for i = 1, 1000000 do s = s ~ (s << 1) ~ i end; return s, b + d end; "
            .. "local x = lun.index(1000000); lun.eval(lun.scan(f, {0, 0}, {elements = 2})(x, x))' 2>&1"):format(
            shell.interpreter()))
        assert.is_truthy(text:find("time limit", 1, true), text)
    end)
end)

describe("lun.check tries functions of several elements", function()
    it("for associativity and for their identity", function()
        lun.check(true)
        local ok, fault = pcall(function()
            local a, b = lun.random(2000, { seed = 3 }), lun.random(2000, { seed = 4 })
            local function wrong(p, q, x, y)
                return p * x, p * y - q
            end
            for _, kind in ipairs { "scan", "reduce" } do
                lun.eval(lun[kind](affine, { 1, 0 }, { elements = 2 })(a, b))
                lun.eval(a[kind](a, affine, { 1, 0 }, b, { elements = 2 }))
                lun.eval(lun[kind](highest, { -math.huge, 0 }, { elements = 2 })(a, lun.index(2000)))
                expect.failure("is not suitable (lun.check): it is not associative: of the elements (", function()
                    local r = lun[kind](wrong, { 1, 0 }, { elements = 2 })(a, b)
                    return r
                end)
                expect.failure("it is not associative", function()
                    local r = a[kind](a, wrong, { 1, 0 }, b, { elements = 2 })
                    return r
                end)
                expect.failure("{1, 2} is not its identity: with it and the elements (", function()
                    local r = lun[kind](affine, { 1, 2 }, { elements = 2 })(a, b)
                    return r
                end)
                expect.failure("it is not associative", function()
                    local r = lun[kind](function(m, i, x, j) return m - x, i + j end, { 0, 0 }, { elements = 2 })(
                        lun.index(9), lun.index(9))
                    return r
                end)
            end
        end)
        lun.check(false)
        assert(ok, fault)
    end)
end)
