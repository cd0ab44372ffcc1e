-- Rows of unequal length: each result against the row alone or a loop in plain Lua, with empty rows, one row, a row for each
-- element, every kind of dtype; mistakes.
local lun = require "lunarray"
local expect = require "expect"

local function generator(seed)
    local state = seed
    return function(n)
        state = (state * 6364136223846793005 + 1442695040888963407) & 0x7fffffffffffffff
        return (state >> 33) % n + 1
    end
end

-- Lengths of `rows` rows, of at most `most` elements.
local function lengths_of(rows, most, seed)
    local random, lengths, sum = generator(seed), {}, 0
    for k = 1, rows do
        lengths[k] = random(most + 1) - 1
        sum = sum + lengths[k]
    end
    return lengths, sum
end

-- The rows as arrays of their own.
local function rows_of(a, lengths)
    local rows, from = {}, 1
    for k, n in ipairs(lengths) do
        rows[k] = a:sub(from, from + n - 1):copy()
        from = from + n
    end
    return rows
end

-- A reduction of a whole row; of f32 and integers of the dtype that a result along an axis has.
local function alone(row, name)
    if row:dtype() == "f64" then
        return row[name](row)
    end
    local matrix = row:reshape(1, #row)
    return matrix[name](matrix, { axis = 2 })[1]
end

local function same(want, got, what)
    assert.is_true(want == got or want ~= want and got ~= got, ("%s: %s, not %s"):format(what, got, want))
end

local function message_of(f, ...)
    local ok, e = pcall(f, ...)
    assert.is_false(ok)
    assert.is_falsy(tostring(e):find("lua/lunarray", 1, true), e)
    return (tostring(e):gsub("^[^:]*:%d+: ", ""))
end

describe("rows of unequal length", function()
    it("are made of offsets, or of lengths", function()
        local a = lun.vector { 3, 1, 2, 5, 4, 9 }
        local r = lun.runs(a, { 1, 4, 4, 6 })
        assert.equal("runs<i64>[4], 6 elements\n[3 1 2]\n[]\n[5 4]\n[9]", tostring(r))
        assert.equal(4, #r)
        assert.equal("i64", r:dtype())
        expect.elements({ 3, 0, 2, 1 }, r:lengths())
        expect.elements({ 1, 4, 4, 6 }, r:offsets())
        expect.elements({ 5, 4 }, r:row(3))
        expect.elements({ 9 }, r:row(-1))
        assert.equal(0, #r:row(2))
        local s = lun.runs(a, { lengths = lun.vector({ 3, 0, 2, 1 }, "u8") })
        assert.equal(tostring(r), tostring(s))
        expect.elements({ 2, 5, 4, 9 }, lun.runs(a, { 3, 5 }):values()) -- what is before the first row is in none
        assert.equal(0, #lun.runs(a, {}))
        assert.equal(0, lun.runs(a, {}):sum():size())
        assert.equal(1, #lun.runs(lun.zeros(0), { 1 }))
    end)

    it("keep the elements that they were made of", function()
        local a = lun.vector { 1, 2, 3 }
        local r = lun.runs(a, { 1, 3 })
        a[1] = 100
        r:values()[2], r:row(2)[1] = 50, 60
        expect.elements({ 3, 3 }, r:sum())
    end)

    it("have reductions with the bits of each row alone", function()
        for _, dtype in ipairs { "f64", "f32", "i32" } do
            local lengths, size = lengths_of(60, 200, 7)
            local a = ((lun.random(size, { seed = 1 }) - 0.5) * 1e6):cast(dtype)
            local r, rows = lun.runs(a, { lengths = lengths }), rows_of(a, lengths)
            for _, name in ipairs { "sum", "prod", "any", "count", "norm" } do
                local got = r[name](r):totable()
                for k, row in ipairs(rows) do
                    same(alone(row, name), got[k], name .. dtype .. k)
                end
            end
            local filled = lun.runs(a, { lengths = lun.vector(lengths):filter(function(n) return n > 0 end) })
            for _, name in ipairs { "min", "max", "argmin", "argmax", "median", "mean", "var", "std" } do
                local got, k = filled[name](filled):totable(), 0
                for _, row in ipairs(rows) do
                    if #row > 0 then
                        k = k + 1
                        same(alone(row, name), got[k], name .. dtype .. k)
                    end
                end
            end
        end
    end)

    it("have the same bits on every backend", function()
        local lengths, size = lengths_of(40, 70, 3)
        local want
        expect.everywhere(function()
            local r = lun.runs(lun.random(size, { seed = 2 }), { lengths = lengths })
            local got = { r:sum():totable(), r:cumsum():values():totable(), r:sort():values():totable() }
            want = want or got
            assert.same(want, got)
        end)
    end)

    it("are sorted, scanned and numbered row by row", function()
        local lengths, size = lengths_of(50, 30, 11)
        local a = (lun.random(size, { seed = 5 }) * 20):cast "i64"
        local r = lun.runs(a, { lengths = lengths })
        local sorted, order, falling = r:sort(), r:argsort(), r:sort { descending = true }
        local sums, products = r:cumsum(), r:scan(function(x, y) return (x + y) % 7 end, 0, { inclusive = true })
        local unique, rank = r:unique(), r:rank { method = "min" }
        local best, at = r:topk(4)
        local least = r:topk(2, { smallest = true })
        local folded = r:reduce(function(x, y) return (x + y) % 7 end, 0):totable()
        for k, row in ipairs(rows_of(a, lengths)) do
            local list = row:totable()
            local plain = table.move(list, 1, #list, 1, {})
            table.sort(plain)
            assert.same(plain, sorted:row(k):totable())
            local down, places = {}, {}
            for i = #plain, 1, -1 do down[#down + 1] = plain[i] end
            assert.same(down, falling:row(k):totable())
            for i, at_i in ipairs(order:row(k):totable()) do
                assert.equal(plain[i], list[at_i])
                places[at_i] = (places[at_i] or 0) + 1
            end
            for i = 1, #list do assert.equal(1, places[i]) end
            local sum, fold, once = 0, 0, {}
            for i, x in ipairs(list) do
                sum, fold = sum + x, (fold + x) % 7
                assert.equal(sum, sums:row(k)[i])
                assert.equal(fold, products:row(k)[i])
                local below = 1
                for _, y in ipairs(list) do below = below + (y < x and 1 or 0) end
                assert.equal(below, rank:row(k)[i])
            end
            for i, x in ipairs(plain) do once[#once + 1] = x ~= plain[i - 1] and x or nil end
            assert.same(once, unique:row(k):totable())
            assert.same(table.move(down, 1, math.min(4, #down), 1, {}), best:row(k):totable())
            assert.same(table.move(plain, 1, math.min(2, #plain), 1, {}), least:row(k):totable())
            for i, at_i in ipairs(at:row(k):totable()) do assert.equal(down[i], list[at_i]) end
            if #list > 0 then
                same(row:scan(function(x, y) return (x + y) % 7 end, 0, { inclusive = true })[-1], products:row(k)[-1], k)
            end
            assert.equal(fold, folded[k])
        end
    end)

    it("meet numbers, other runs and one element for each row", function()
        local r = lun.runs(lun.vector { 3.0, 1, 2, 5, 4, 9 }, { 1, 4, 4, 6 })
        expect.elements({ 1.0, -1.0, 0.0, 0.5, -0.5, 0.0 }, (r - r:mean()):values())
        expect.elements({ 6.0, 2.0, 4.0, 10.0, 8.0, 18.0 }, (2 * r):values())
        expect.elements({ 9.0, 1.0, 4.0, 25.0, 16.0, 81.0 }, (r * r):values())
        expect.elements({ -3.0, -1.0, -2.0, -5.0, -4.0, -9.0 }, (-r):values())
        expect.elements({ true, false, false, true, true, true }, r:gt(2):values())
        expect.elements({ 1, 0, 2, 1 }, r:gt(2):count())
        expect.elements({ 3.0, 2.0, 2.0, 5.0, 4.0, 9.0 }, r:fmax(2):values())
        expect.elements({ 3.0, 1.0, 2.0, 4.0, 4.0, 4.0 }, r:clamp(0, 4):values())
        expect.elements({ 103.0, 201.0, 302.0, 105.0, 204.0, 109.0 }, r:map(function(x, k) return x + k * 100 end):values())
        expect.elements({ 11, 12, 13, 31, 32, 41 }, r:map(function(_, k, row) return row * 10 + k end):values())
        expect.elements({ 9.0, 1.0, 4.0, 25.0, 16.0, 81.0 }, r:map "double f(double x) { return x * x; }":values())
    end)

    it("go through a function as one value", function()
        local r = lun.runs(lun.vector { 3.0, 1, 2, 5, 4, 9 }, { 1, 4, 6 })
        local calls = 0
        local scaled = r:apply(function(x)
            calls = calls + 1
            return x * x:sum()
        end)
        expect.elements({ 36.0, 81.0, 81.0 }, scaled:sum())
        expect.elements({ 2.0, 1.0, 0.0 }, r:apply(function(x) return x:max() - x:min() end))
        assert.equal(1, calls)
        assert.equal("bad argument #1 to 'apply' (the function gives number: 3 rows, or a number for each, expected)",
            message_of(function() r:apply(function() return 3 end) end))
    end)

    it("hold texts, missing elements and NaN", function()
        local t = lun.runs(lun.vector { "pear", "fig", "kiwi", "apple" }, { 1, 3, 3 })
        assert.same({ "fig", "pear" }, t:sort():row(1):totable())
        assert.same({ "kiwi", "apple" }, t:row(3):totable())
        assert.same({ "fig", "pear" }, t:sort { descending = true }:sort():row(1):totable())
        local x = lun.runs(lun.vector { 1.0, 0 / 0, 0 / 0, 0 / 0, -0.0, 0.0 }, { 1, 4 })
        expect.elements({ 2, 2 }, x:unique():lengths())
        local m = lun.runs(lun.vector { 1.5, 2.5, 3.5, 4.5 }:naif(2.5), { 1, 3 })
        expect.elements({ 1.5, 8.0 }, m:sum())
        expect.elements({ 1, 2 }, m:count())
    end)

    it("are as many as there are elements, or one", function()
        local a = lun.random(500, { seed = 9 })
        expect.elements(a, lun.runs(a, lun.index(500)):sum())
        assert.equal(a:sum(), lun.runs(a, { 1 }):sum()[1])
        local empty = lun.runs(lun.zeros(0), { lengths = lun.zeros(5, "i64") })
        expect.elements({ 0.0, 0.0, 0.0, 0.0, 0.0 }, empty:sum())
        assert.equal(0, #empty:sort():values())
        assert.equal(0, #empty:unique():values())
        assert.equal(0, #empty:rank():values())
        assert.equal(0, #empty:topk(3):values())
    end)

    it("name what is wrong", function()
        local a = lun.vector { 1.0, 2, 3 }
        local r = lun.runs(a, { 1, 3, 3 })
        local cases = {
            { "bad argument #2 to 'runs' (offset 2 is 3, the next one 2: they do not descend)",
                function() lun.runs(a, { 1, 3, 2 }) end },
            { "bad argument #2 to 'runs' (offset 0 is out of range: from 1 to 4 expected)", function() lun.runs(a, { 0, 1 }) end },
            { "bad argument #2 to 'runs' (offset 5 is out of range: from 1 to 4 expected)", function() lun.runs(a, { 1, 5 }) end },
            { "bad argument #2 to 'runs' (the lengths add up to 4, the Vector has 3 elements)",
                function() lun.runs(a, { lengths = { 1, 3 } }) end },
            { "bad argument #2 to 'runs' (length 2 is negative: -1)", function() lun.runs(a, { lengths = { 4, -1 } }) end },
            { "bad argument #2 to 'runs' (where rows begin, or {lengths=}, expected)", function() lun.runs(a) end },
            { "bad argument #2 to 'runs' (offsets: whole numbers expected, got f64[2])",
                function() lun.runs(a, lun.vector { 1.5, 2 }) end },
            { "bad argument #2 to 'runs' (unknown option 'length': the options are lengths)",
                function() lun.runs(a, { length = { 3 } }) end },
            { "bad argument #1 to 'min' (min of no elements is undefined: row 2 is empty)", function() r:min() end },
            { "bad argument #1 to 'last' (last of no elements is undefined: row 2 is empty)", function() r:last() end },
            { "bad argument #1 to 'row' (row 4 is out of range: there are 3)", function() r:row(4) end },
            { "bad argument #1 to 'sum' (unknown option 'axis': the options are skipna, skipnan, ddof, correction, order)",
                function() r:sum { axis = 1 } end },
            { "attempt to perform 'add' of runs of 3 rows and f64[2]: one element for each row expected",
                function() return r + lun.ones(2) end },
            { "attempt to perform 'mul' of runs with rows of other lengths", function() return r * lun.runs(a, { 1, 2, 3 }) end },
            { "runs are not written to: make new ones, with lun.runs", function() r[1] = 2 end },
        }
        for _, case in ipairs(cases) do
            assert.equal(case[1], message_of(case[2]))
        end
    end)
end)
