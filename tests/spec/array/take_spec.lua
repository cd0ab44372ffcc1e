-- a:take against index arithmetic on plain lists: ranks 1 to 3, every axis, indices of any shape and dtype, windows and
-- expressions on either side, on every backend.
local lun = require "lunarray"
local expect = require "expect"
local model = require "places"

local numbers, product, random_indices = model.numbers, model.product, model.random_indices

-- The elements of the flat list of that shape at the indices (from 1, or from the end) along an axis; 0: missing.
local function taken(list, shape, indices, axis, missing)
    local outer, length, inner = product(shape, 1, axis - 1), shape[axis], product(shape, axis + 1)
    local out = {}
    for o = 0, outer - 1 do
        for _, i in ipairs(indices) do
            local at = i < 0 and length + i or i - 1
            for k = 1, inner do
                out[#out + 1] = i == 0 and missing or list[(o * length + at) * inner + k]
            end
        end
    end
    return out
end

describe("take", function()
    it("gives what index arithmetic gives, along each axis, of ranks 1 to 3", function()
        expect.everywhere(function(backend)
            for number, shape in ipairs { { 7 }, { 1 }, { 300 }, { 3, 4 }, { 5, 70 }, { 2, 3, 4 }, { 3, 1, 65 }, { 1, 6, 1 } } do
                local list = numbers(product(shape))
                local A = lun.vector(list, "i64"):reshape(shape)
                for axis = 1, #shape do
                    for n, count in ipairs { 1, 5, 130 } do
                        local at = random_indices(count, shape[axis], number * 10 + n)
                        local got = A:take(at, { axis = axis })
                        local extents = { table.unpack(shape) }
                        extents[axis] = count
                        local name = ("%s: shape %d, axis %d, %d indices"):format(backend, number, axis, count)
                        assert.same(extents, { got:shape() }, name)
                        expect.elements(taken(list, shape, at, axis), got:flatten())
                        assert.same(got:totable(), A:take(at, { axis = axis - #shape - 1 }):totable(), name)
                    end
                end
            end
        end)
    end)

    it("takes elements of every dtype by indices of every integer dtype", function()
        expect.everywhere(function()
            local at = { 3, 1, 120, 7, 120, 64 }
            for _, t in ipairs { "bool", "i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64", "f16", "bf16", "f32", "f64" } do
                local x = (lun.index(120) % 2):cast(t)
                local want, got = x:totable(), x:take(at)
                assert.equal(t, got:dtype())
                for i, k in ipairs(at) do
                    assert.equal(want[k], got[i])
                end
            end
            for _, u in ipairs { "i8", "u8", "i16", "u16", "i32", "u32", "u64" } do
                expect.elements({ 30, 10, 1200, 70, 1200, 640 }, (lun.index(120) * 10):take(lun.vector(at, u)))
            end
            local large = lun.vector({ math.mininteger, -1, math.maxinteger }):cast "u64"
            assert.equal(0, large:take({ 2, 1, 3 }):ne(lun.vector({ -1, math.mininteger, math.maxinteger }):cast "u64"):count())
            local odd = lun.vector { 0.0 / 0.0, -0.0, 1 / 0 }
            assert.same({ "-0.0", "inf" }, { tostring(odd:take({ 2 })[1]), tostring(odd:take({ 3 })[1]) })
            assert.is_true(odd:take({ -3 })[1] ~= odd:take({ -3 })[1])
        end)
    end)

    it("puts the indices' shape in the place of the axis", function()
        expect.everywhere(function()
            local A = lun.index(12):reshape { 3, 4 }
            assert.same({ { { 1, 2 }, { 4, 4 } }, { { 5, 6 }, { 8, 8 } }, { { 9, 10 }, { 12, 12 } } },
                A:take({ { 1, 2 }, { 4, -1 } }, { axis = 2 }):totable())
            assert.same({ { { 9, 10, 11, 12 } }, { { 1, 2, 3, 4 } } }, A:take(lun.vector { { 3 }, { 1 } }):totable())
            assert.same({ 5, 6, 7, 8 }, A:take(2):totable())
            assert.same({ 0, 4 }, { A:take({}):shape() })
            assert.same({ 3, 0 }, { A:take(lun.zeros(0, "i32"), { axis = 2 }):shape() })
            assert.equal(30, lun.vector({ 10, 20, 30 }):take(-1):value())
        end)
    end)

    it("and its like are functions of the module, too", function()
        local a = lun.vector { 5, 7, 5 }
        assert.same({ 7, 5 }, lun.take(a, { 2, 1 }):totable())
        assert.same({ 5, 7, 7, 5 }, lun.spread(a, { 1, 2, 1 }):totable())
        assert.same({ 12, 5 }, lun.reduceat(a, { 1, 3 }, "+"):totable())
        local counts, edges = lun.histogram(a, 2)
        assert.same({ { 2, 1 }, { 5.0, 6.0, 7.0 } }, { counts:totable(), edges:totable() })
    end)

    it("gives what is missing where the index is 0", function()
        expect.everywhere(function()
            local list, at = numbers(50), random_indices(200, 50, 4, true)
            at[1] = 0
            expect.elements(taken(list, { 50 }, at, 1, -9), lun.vector(list):take(at, { missing = -9 }))
            expect.elements(taken(list, { 10, 5 }, { 0, 3, -1 }, 2, 7),
                lun.vector(list):reshape({ 10, 5 }):take({ 0, 3, -1 }, { axis = 2, missing = 7 }):flatten())
            local x = lun.vector({ 1.5, 2.5 }):take({ 0, 2 }, { missing = 0 / 0 })
            assert.is_true(x[1] ~= x[1] and x[2] == 2.5)
            assert.same({ 4.0, 4.0 }, lun.zeros(0):take({ 0, 0 }, { missing = 4 }):totable())
            assert.same({ true, false }, lun.vector({ false }):take({ 0, 1 }, { missing = true }):totable())
        end)
    end)

    it("takes windows, files' order, expressions and virtual arrays, and fuses", function()
        expect.everywhere(function(backend)
            local list = numbers(60)
            local A = lun.vector(list, "f64"):reshape { 6, 10 }
            local T = A:transpose()
            local turned = {}
            for j = 1, 10 do
                for i = 1, 6 do
                    turned[#turned + 1] = list[(i - 1) * 10 + j] + 0.0
                end
            end
            expect.elements(taken(turned, { 10, 6 }, { 3, 10, -10 }, 1), T:take({ 3, 10, -10 }):flatten())
            expect.elements(taken(turned, { 10, 6 }, { 6, 1 }, 2), T:take({ 6, 1 }, { axis = 2 }):flatten())
            expect.elements(taken(turned, { 10, 6 }, { 6, 1 }, 2), A:copy({ layout = "left" }):transpose()
                :take({ 6, 1 }, { axis = 2 }):flatten())
            local column = A:col(3)
            expect.elements({ list[53] + 0.0, list[3] + 0.0 }, column:take { 6, 1 })
            local index = lun.vector { 1, 9, 3, 9, 5, 9 }
            expect.elements({ list[1] * 2.0, list[21] * 2.0, list[41] * 2.0 }, (A * 2):col(1):take(index:sub(1, -1, 2)))
            expect.elements({ 20, 40, 20 }, (lun.index(5) * 10):take(lun.vector({ 1, 3, 1 }) + 1))
            expect.elements({ 4, 2 }, lun.range(1, 9):take { 4, 2 })
            local x, i = lun.random(5000):eval(), (lun.random(5000, { seed = 2 }) * 5000):cast("i64"):eval()
            lun.stats "reset"
            local sum = (x:take(i + 1) * 2):sum()
            assert.equal(1, lun.stats().launches, backend)
            local part = x:take(i + 1):sub(11, 20)
            for k = 1, 10 do
                assert.equal(x[i[10 + k] + 1], part[k])
            end
            assert.is_true(sum > 0)
        end)
    end)

    it("takes by what a scan gives, in one kernel with it", function()
        expect.everywhere(function()
            for _, n in ipairs { 1, 3, 200, 70000 } do
                local a, ones = lun.index(n + 1):copy() * 10, lun.ones(n, "i64"):copy()
                local got = a:eval():take(lun.scan("+", 0)(ones) + 1)
                assert.is_true(got:eq(lun.index(n) * 10):all())
            end
            expect.failure("index 4 (number 4) is out of range for axis 1 of length 3", function()
                return lun.vector { 1, 2, 3 }:take(lun.scan("+", 1)(lun.ones(4, "i64"):copy())):eval()
            end)
        end)
    end)

    it("takes many elements, on any number of threads", function()
        local n = (1 << 16) + 1
        local x = (lun.index(n) * 7 % 1000003):eval()
        local i = (lun.random(3 * n, { seed = 9 }) * n):cast("i64"):eval()
        local want
        expect.everywhere(function()
            local got = x:take(i + 1)
            assert.equal(0, got:ne((i + 1) * 7 % 1000003):count())
            want = want or got:sum()
            assert.equal(want, got:sum())
        end)
    end)

    it("keeps the elements that its arrays had", function()
        local x, i = lun.vector { 1, 2, 3 }, lun.vector { 3, 1 }
        local y = x:take(i)
        x[3], i[1] = 30, 2
        assert.same({ 3, 1 }, y:totable())
    end)

    it("names the index that is out of range, its number, the axis and its length", function()
        expect.everywhere(function()
            local x = lun.vector { 1, 2, 3, 4, 5 }
            local A = lun.index(12):reshape { 3, 4 }
            expect.failure("index 7 (number 3) is out of range for axis 1 of length 5", lun.eval, x:take { 1, 5, 7, 8 })
            expect.failure("index 0 (number 1) is out of range for axis 1 of length 5", lun.eval, x:take { 0 })
            expect.failure("index -6 (number 2) is out of range for axis 1 of length 5", lun.eval, x:take { -5, -6 })
            expect.failure("index 5 (number 4) is out of range for axis 2 of length 4", lun.eval,
                A:take({ { 1, 2 }, { 3, 5 } }, { axis = 2 }) * 2)
            expect.failure("index 4 (number 1) is out of range for axis 1 of length 3", function()
                return A:take({ 4, 1, 1 }):sum()
            end)
            expect.failure("index 18446744073709551615 (number 2) is out of range", lun.eval,
                x:take((lun.vector { 1, -1 }):cast "u64"))
            expect.failure("index 9223372036854775807 (number 1)", lun.eval, x:take { math.maxinteger })
            expect.failure("index -9223372036854775808 (number 1)", lun.eval, x:take { math.mininteger })
            expect.failure("index 6 (number 1)", lun.eval, x:take({ 6, 0 }, { missing = 0 }))
            expect.failure("index 1 (number 1) is out of range for axis 1 of length 0", lun.eval, lun.zeros(0):take { 1 })
            local many = lun.full(100000, 1, "i32"):copy()
            many[70001] = 6
            expect.failure("take_spec.lua:" .. debug.getinfo(1, "l").currentline .. ": index 6 (number 70001)", lun.eval, x:take(many) + 1)
            assert.same({ 1, 2, 3, 4, 5 }, x:totable())
        end)
    end)

    it("says what is wrong with its arguments", function()
        local x, A = lun.vector { 1, 2, 3 }, lun.index(12):reshape { 3, 4 }
        local failure = expect.failure
        failure("#1 to 'take' (indices are integers, got f64)", function() x:take(lun.vector { 1.0 }) end)
        failure("got bool: compress takes the elements", function() x:take(x:gt(1)) end)
        failure("#1 to 'take' (t[2]", function() x:take { 1, "x" } end)
        failure("#1 to 'take' (array or table of integers expected, got string)", function() x:take "x" end)
        failure("number has no integer representation", function() x:take(1.5) end)
        failure("axis 3 is out of range: a View i64[3, 4] has 2", function() A:take({ 1 }, { axis = 3 }) end)
        failure("axis 0 is out of range", function() A:take({ 1 }, { axis = 0 }) end)
        failure("option axis: an integer expected", function() A:take({ 1 }, { axis = "x" }) end)
        failure("unknown option 'axes': the options are axis, missing", function() A:take({ 1 }, { axes = 1 }) end)
        failure("number 0.5 does not fit into dtype i64", function() A:take({ 0 }, { missing = 0.5 }) end)
        failure("the result would have rank 9", function()
            lun.zeros({ 1, 1, 1, 1, 1 }):take(lun.ones({ 1, 1, 1, 1, 1 }, "i64"))
        end)
        failure("axis 1 is out of range", function() lun.vector({ 1 }):lazy("sum"):take { 1 } end)
    end)
end)
