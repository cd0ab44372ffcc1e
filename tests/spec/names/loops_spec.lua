-- Names of NumPy beside plain Lua loops: all dtypes that make sense, Scalars to rank 3, empty axes, mistakes.
local lun = require "lunarray"

local INTEGERS = { "i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64" }
local FLOATS = { "f16", "bf16", "f32", "f64" }

local function each_dtype(lists, f)
    for _, list in ipairs(lists) do
        for _, dtype in ipairs(list) do
            f(dtype)
        end
    end
end

-- Lists of numbers, nested, of whatever is compared.
local function plain(x)
    if lun.isarray(x) then
        return select("#", x:shape()) == 0 and x:value() or x:totable()
    end
    return x
end

local function same(expected, x, text)
    assert.same(expected, plain(x), text)
end

local function fails(text, f)
    local ok, problem = pcall(f)
    assert.is_false(ok)
    assert.equal(text, (tostring(problem):gsub("^tests/spec/names/loops_spec%.lua:%d+: ", "")))
    assert.is_truthy(tostring(problem):find "^tests/spec/names/loops_spec%.lua:%d+: ", problem)
end

-- f(element of a) for each element of a Vector.
local function mapped(a, f)
    local list = {}
    for i, x in a:iter() do
        list[i] = f(x)
    end
    return list
end

local function equal(expected, x, text)
    x = x:totable()
    assert.equal(#expected, #x, text)
    for i, e in ipairs(expected) do
        assert.is_true(e == x[i] or e ~= e and x[i] ~= x[i], ("%s, element %d: %s, not %s"):format(text, i, x[i], e))
    end
end

-- Within `ulp` roundings of the dtype.
local function close(expected, x, ulp, text)
    local eps = lun.finfo(x:dtype()).eps
    x = x:totable()
    for i, e in ipairs(expected) do
        assert.is_true(e == x[i] or e ~= e and x[i] ~= x[i] or math.abs(x[i] - e) <= ulp * eps * math.abs(e),
            ("%s, element %d: %.17g, not %.17g"):format(text, i, x[i], e))
    end
end

local function whole(dtype)
    return dtype:find "f" and function(x) return x + 0.0 end or function(x) return x end
end

describe("names that make arrays", function()
    it("have the diagonal where k says, in every dtype", function()
        each_dtype({ INTEGERS, FLOATS, { "bool" } }, function(dtype)
            for _, k in ipairs { -3, -1, 0, 2, 5 } do
                local eye, tri = {}, {}
                for i = 1, 3 do
                    eye[i], tri[i] = {}, {}
                    for j = 1, 4 do
                        local one, zero = whole(dtype)(1), whole(dtype)(0)
                        if dtype == "bool" then
                            one, zero = true, false
                        end
                        eye[i][j] = j - i == k and one or zero
                        tri[i][j] = j - i <= k and one or zero
                    end
                end
                same(eye, lun.eye(3, 4, k, dtype))
                same(tri, lun.tri(3, 4, k, dtype))
                assert.equal(dtype, lun.eye(2, dtype):dtype())
                same(eye, lun.ones({ 3, 4 }, dtype):triu(k):tril(k))
            end
        end)
        assert.equal(0, lun.eye(0, 3):size())
    end)

    it("keep shape and dtype of what they are like", function()
        each_dtype({ INTEGERS, FLOATS }, function(dtype)
            local a = lun.zeros({ 2, 0, 3 }, dtype)
            assert.same({ 2, 0, 3 }, { a:ones_like():shape() })
            assert.equal(dtype, a:full_like(2):dtype())
            assert.equal("i16", a:zeros_like("i16"):dtype())
        end)
        assert.equal(3, lun.index(4):lazy "sum":full_like(3):value())
    end)

    it("say what is wrong", function()
        fails("bad argument #1 to 'eye' (-1: at least 0 expected)", function() lun.eye(-1) end)
        fails("bad argument #4 to 'eye' (unknown dtype 'f99'; known: bool i8 u8 i16 u16 i32 u32 i64 u64 f32 f64 f16 bf16 c64 c128)",
            function() lun.eye(3, "f99") end)
        fails("bad argument #3 to 'meshgrid' (unknown indexing 'yx': known are xy, ij)",
            function() lun.meshgrid({ 1 }, { 2 }, { indexing = "yx" }) end)
        fails("bad argument #1 to 'meshgrid' (Vector expected, got i64[1, 2])",
            function() lun.meshgrid(lun.vector { { 1, 2 } }) end)
        fails("bad argument #2 to 'geomspace' (from 1 to -2 there is no multiple: numbers of one sign, not 0, expected)",
            function() lun.geomspace(1, -2, 3) end)
        fails("bad argument #1 to 'finfo' (i8 is no dtype of floats)", function() lun.finfo "i8" end)
        fails("bad argument #2 to 'result_type' (u64 and i64 have no common dtype)", function() lun.result_type("u64", "i64") end)
    end)

    it("know what dtypes have in common", function()
        assert.equal("bool", lun.result_type("bool", "bool"))
        assert.equal("i16", lun.result_type("u8", "i8"))
        assert.equal("f32", lun.result_type(lun.zeros(2, "f32"), 2.5, "i64"))
        assert.equal("f64", lun.result_type(1, 2.5))
        for _, name in ipairs(FLOATS) do
            local known = lun.finfo(name)
            same({ known.max }, lun.full(1, known.max, name))
            same({ 1 + known.eps }, lun.full(1, 1 + known.eps, name))
            same({ 1.0 }, lun.full(1, 1 + known.eps / 2, name))
            same({ known.tiny }, lun.full(1, known.tiny, name))
        end
    end)
end)

describe("names of shapes", function()
    it("move elements round, in every dtype and rank", function()
        each_dtype({ INTEGERS, FLOATS }, function(dtype)
            local n = whole(dtype)
            local a = lun.index(5):cast(dtype)
            for k = -7, 7 do
                local list = {}
                for i = 1, 5 do
                    list[(i - 1 + k) % 5 + 1] = n(i)
                end
                same(list, a:roll(k))
            end
            local T = lun.index(24):cast(dtype):reshape(2, 3, 4)
            local t = T:totable()
            local rolled, flipped, moved, swapped = {}, {}, {}, {}
            for i = 1, 2 do
                rolled[i], flipped[i] = {}, {}
                for j = 1, 3 do
                    rolled[i][j], flipped[i][j] = {}, {}
                    for k = 1, 4 do
                        rolled[i][j][k] = t[i][(j - 2) % 3 + 1][k % 4 + 1]
                        flipped[i][j][k] = t[3 - i][j][5 - k]
                        moved[j] = moved[j] or {}
                        moved[j][k] = moved[j][k] or {}
                        moved[j][k][i] = t[i][j][k]
                        swapped[k] = swapped[k] or {}
                        swapped[k][j] = swapped[k][j] or {}
                        swapped[k][j][i] = t[i][j][k]
                    end
                end
            end
            same(rolled, T:roll({ 1, -1 }, { axis = { 2, 3 } }))
            same(flipped, T:flip { 1, 3 })
            same(moved, T:moveaxis(1, 3))
            same(swapped, T:swapaxes(1, 3))
            same({ { n(1), n(2), n(1), n(2) } }, lun.vector({ { 1, 2 } }, dtype):tile(2))
        end)
        assert.equal(7, lun.vector { 7 }:squeeze():value())
        local scalar = lun.vector { 3, 4 }:lazy "sum"
        assert.equal(7, scalar:roll(1):value())
        assert.equal(7, scalar:flip():value())
        same({ 7 }, scalar:expand_dims(1))
        same({ 7, 7 }, scalar:tile(2))
        same({ 7, 7 }, scalar:broadcast_to { 2 })
    end)

    it("are windows where they say so", function()
        local A = lun.zeros { 2, 3 }
        A:flip(1):row(1):fill(1)
        A:rot90():row(1):fill(2)
        A:swapaxes(1, 2):expand_dims(1):squeeze():row(2):fill(3)
        A:split({ 2 }, { axis = 2 })[1]:fill(4)
        A:unstack(2)[1][1] = 5
        same({ { 5.0, 3.0, 2.0 }, { 4.0, 3.0, 2.0 } }, A)
        local B = lun.vector { 1, 2, 3 }
        B:roll(1):fill(0)
        same({ 1, 2, 3 }, B)
    end)

    it("work on axes of extent 0 and on what is not yet computed", function()
        local O = lun.zeros({ 2, 0, 3 }, "f32")
        assert.same({ 0, 3, 2 }, { O:moveaxis(1, -1):shape() })
        assert.same({ 2, 0, 3 }, { O:roll(2, { axis = 2 }):shape() })
        assert.same({ 2, 0, 3 }, { O:roll(2):shape() })
        assert.same({ 2, 0, 6 }, { O:tile(2):shape() })
        assert.same({ 2, 0, 3 }, { O:take_along_axis(lun.zeros({ 2, 0, 3 }, "i64")):shape() })
        assert.equal(0, #O:unstack(2))
        same({ 4, 2, 3 }, (lun.index(3) + 1):roll(1))
        same({ { 3, 2 } }, (lun.index(3) + 1):compress(lun.vector { true, true, false }):flip():expand_dims(1))
    end)

    it("take and put along an axis", function()
        each_dtype({ INTEGERS, FLOATS }, function(dtype)
            local A = lun.vector({ { 3, 1, 2 }, { 6, 4, 5 } }, dtype)
            same(plain(A:sort()), A:take_along_axis(A:argsort()))
            same(plain(A:sort { axis = 1 }), A:take_along_axis(A:argsort { axis = 1 }, { axis = 1 }))
            local n = whole(dtype)
            local same_array = A:put_along_axis(lun.vector { { 1 }, { -1 } }, 9)
            assert.is_true(rawequal(same_array, A))
            same({ { n(9), n(1), n(2) }, { n(6), n(4), n(9) } }, A)
            A:transpose():put_along_axis(lun.vector { { 2, 1 } }, lun.vector { { 7, 8 } }, { axis = 1 })
            same({ { n(9), n(7), n(2) }, { n(8), n(4), n(9) } }, A)
        end)
        local A = lun.zeros { 2, 3 }
        fails("bad argument #1 to 'take_along_axis' (index 4 is out of range for axis 2 of length 3)",
            function() A:take_along_axis(lun.vector { { 4 } }) end)
        fails("bad argument #1 to 'take_along_axis' (index 0 is out of range for axis 2 of length 3)",
            function() A:take_along_axis(lun.vector { { 0, 1 } }) end)
        fails("bad argument #1 to 'take_along_axis' (indices of rank 1 for an array of rank 2)",
            function() A:take_along_axis(lun.vector { 1 }) end)
        fails("bad argument #1 to 'take_along_axis' (an array of integers expected, got f64[2, 3])",
            function() A:take_along_axis(A) end)
        fails("bad argument #1 to 'take_along_axis' (shapes do not broadcast: f64[2, 3] and i64[3, 1], axis 1: 2 and 3)",
            function() A:take_along_axis(lun.ones({ 3, 1 }, "i64")) end)
    end)

    it("insert and delete", function()
        for i = 1, 6 do
            local list = { 1, 2, 3, 4, 5 }
            table.insert(list, i, 9)
            same(list, lun.index(5):insert(i, 9))
            same({ 1, 2, 3, 4, 5 }, lun.index(5):insert(i, 9):delete(i))
        end
        same({ 1, 2, 3 }, lun.index(3):delete {})
        same({ 9 }, lun.zeros(0, "i64"):insert(1, 9))
        fails("bad argument #1 to 'delete' (index 4 is out of range: the axis has 3)", function() lun.index(3):delete(4) end)
        fails("bad argument #2 to 'insert' (i64[3] does not broadcast to the 2 elements or slices inserted)",
            function() lun.index(3):insert({ 1, 2 }, { 1, 2, 3 }) end)
    end)

    it("say what is wrong", function()
        local A = lun.zeros { 2, 3 }
        fails("bad argument #1 to 'squeeze' (axis 2 has extent 3, not 1: f64[2, 3])", function() A:squeeze(2) end)
        fails("bad argument #1 to 'flip' (axis 3 is out of range: the array has 2)", function() A:flip { 1, 3 } end)
        fails("bad argument #1 to 'flip' (axis 2 occurs twice)", function() A:flip { 2, -1 } end)
        fails("bad argument #1 to 'split' (axis 2 of extent 3 cannot be split into 2 equal parts: give the indices at which parts begin)",
            function() A:split(2, { axis = 2 }) end)
        fails("bad argument #2 to 'broadcast_arrays' (shapes do not broadcast: f64[2], axis 1: 3 and 2)",
            function() lun.broadcast_arrays(A, lun.zeros(2)) end)
        fails("bad argument #1 to 'hstack' (a list of arrays expected, got an array)", function() lun.hstack(A) end)
        fails("bad argument #1 to 'rot90' (an array of rank 2 or more expected, got f64[3])", function() lun.rot90(lun.zeros(3)) end)
        fails("bad argument #1 to 'roll' (2 steps without an axis)", function() A:roll { 1, 2 } end)
        fails("bad argument #1 to 'expand_dims' (an axis, a whole number, expected, got 1.5)", function() A:expand_dims(1.5) end)
    end)
end)

describe("names of sums", function()
    it("run along axes, in every dtype", function()
        each_dtype({ INTEGERS, { "f32", "f64" } }, function(dtype)
            local n = whole(dtype)
            local a = lun.vector({ 3, 1, 2, 5, 4 }, dtype)
            local sum, product, high, low, list = 0, 1, 0, 99, { {}, {}, {}, {}, {}, {} }
            for i, x in a:iter() do
                sum, product, high, low = sum + x, product * x, math.max(high, x), math.min(low, x)
                for k, value in ipairs { sum, product, high, low } do
                    list[k][i] = n(value)
                end
            end
            for k, name in ipairs { "cumsum", "cumprod", "cummax", "cummin" } do
                same(list[k], lun[name](a), name)
                same({ list[k] }, a:expand_dims(1)[name](a:expand_dims(1), { axis = 2 }), name)
                assert.equal(0, lun.zeros(0, dtype)[name](lun.zeros(0, dtype)):size())
            end
            same({ n(0), n(3), n(4), n(6), n(11), n(15) }, a:cumulative_sum { include_initial = true })
            assert.equal(a:sum(), a:cumsum()[5])
            assert.equal(n(4), a:ptp())
            assert.equal(5, a:count_nonzero())
        end)
        assert.equal("i64", lun.zeros(3, "bool"):cumsum():dtype())
        assert.equal("u64", lun.zeros(3, "u8"):cumsum():dtype())
    end)

    it("differ from neighbours and from those k before", function()
        local a = lun.vector { 1, 4, 9, 16 }
        same({ 3, 5, 7 }, a:diff())
        same({ 2, 2 }, a:diff(2))
        same({ lun.na, lun.na, 8, 12 }, a:diff { lag = 2 })
        same({ -8, -12, lun.na, lun.na }, a:diff { lag = -2 })
        same({ lun.na, lun.na, lun.na, lun.na }, a:diff { lag = 9 })
        same({ lun.na, -1, 1 }, lun.vector { true, false, true }:diff { lag = 1 })
        same({ true, true, false }, lun.vector { true, false, true, true }:diff())
        assert.equal(0, lun.zeros(0):diff():size())
        assert.equal("f32", lun.zeros(3, "f32"):diff { lag = 1 }:dtype())
        fails("bad argument #2 to 'diff' (lag goes with axis alone)", function() a:diff(1, { lag = 1 }) end)
        fails("bad argument #1 to 'gradient' (axis 1 has 1: at least 2 elements expected)", function() lun.gradient(lun.zeros(1)) end)
        fails("bad argument #1 to 'gradient' (3 coordinates for axis 1 of length 4)", function() a:gradient(lun.index(3)) end)
    end)

    it("integrate and average", function()
        local x, y = lun.vector { 0.0, 1.0, 3.0 }, lun.vector { 2.0, 4.0, 6.0 }
        assert.equal(13.0, y:trapz(x))
        assert.equal(2.0, y:trapz { dx = 0.25 })
        same({ 13.0, 26.0 }, lun.stack { y, y * 2 }:trapz(x))
        assert.equal(0.0, lun.zeros(0):trapz())
        assert.equal(5.0, y:average { 1, 0, 3 })
        fails("bad argument #1 to 'average' (weights of another shape: f64[3] and i64[2])", function() y:average { 1, 2 } end)
        fails("bad argument #1 to 'trapz' (2 coordinates for axis 1 of length 3)", function() y:trapz(lun.index(2)) end)
        assert.equal(8.0, lun.vector { 2.0, 0 / 0, 6.0 }:nansum())
    end)

    it("count values from 1", function()
        local counts = {}
        local a = (lun.random(1000, { seed = 3 }) * 9):floor():cast "i32" + 1
        for _, x in a:iter() do
            counts[x] = (counts[x] or 0) + 1
        end
        same(counts, a:bincount())
        same({ 0, 0 }, lun.zeros(0, "i8"):bincount { n = 2 })
        fails("bad argument #1 to 'bincount' (0 is no value from 1 to 2)", function() lun.bincount(lun.vector { 0, 2 }) end)
        fails("bad argument #1 to 'bincount' (3 is no value from 1 to 2)", function() lun.vector { 3, 2 }:bincount { n = 2 } end)
        fails("bad argument #1 to 'bincount' (a Vector of integers expected, got f64[1])", function() lun.zeros(1):bincount() end)
    end)
end)

describe("elementwise names", function()
    local numbers = {
        0.0, -0.0, 0.5, -0.5, 1.5, 2.5, -2.5, 1, -1, 3.75, -3.75, 1e-3, 7, -9, 100.25, 1 / 0, -1 / 0, 0 / 0,
    }

    it("round to decimals", function()
        same({ 1.2, 2.5, -3.5, 1234.5 }, lun.vector { 1.234, 2.5, -3.456, 1234.5 }:round(1))
        same({ 0.0, 1200.0 }, lun.vector { 2.5, 1234.5 }:round(-2))
        same({ 20.0, 30.0 }, lun.vector { 15, 27 }:round(-1))
        same({ 3.0, -3.0 }, lun.vector { 2.5, -2.5 }:round())
        assert.equal("f32", lun.vector({ 1.25 }, "f32"):round(1):dtype())
        assert.has_error(function() lun.vector { 1.5 }:round "x" end,
            "bad argument #1 to 'round' (number of decimals, an integer, expected, got string)")
    end)

    it("round halves to even", function()
        each_dtype({ FLOATS }, function(dtype)
            local a = lun.vector(numbers, dtype)
            equal(mapped(a, function(x)
                if x ~= x or math.abs(x) == math.huge then
                    return x
                end
                local low = math.floor(x)
                local part = x - low
                return part == 0.5 and (low % 2 == 0 and low or low + 1) or part < 0.5 and low or low + 1
            end), a:rint(), dtype)
            assert.equal(-math.huge, 1 / lun.vector({ -0.25 }, dtype):rint()[1])
        end)
    end)

    it("take numbers apart", function()
        each_dtype({ FLOATS }, function(dtype)
            local a = lun.vector(numbers, dtype)
            local behind, before = a:modf()
            equal(mapped(a, function(x) return (math.modf(x)) end), before, dtype)
            equal(mapped(a, function(x) return select(2, math.modf(x)) end), behind, dtype)
            local m, e = a:frexp()
            for i, x in a:iter() do
                assert.is_true(x == m[i] * 2.0 ^ e[i] or x ~= x and m[i] ~= m[i])
                assert.is_true(math.abs(m[i]) >= 0.5 and math.abs(m[i]) < 1 or x == 0 or x ~= x or x - x ~= 0, dtype)
            end
            equal(a:totable(), m:ldexp(e), dtype)
            equal(mapped(a, function(x) return x < 0 or 1 / x < 0 end), lun.where(a:isnan(), 1.0, a):signbit(), dtype)
        end)
        local k = lun.range(-1100, 1100)
        equal(mapped(k, function(i) return i < -1074 and 0.0 or 2.0 ^ i end), lun.full(#k, 1.0):ldexp(k), "2^k")
        same({ 2.0 ^ -1074, 2.0 ^ 1000, math.huge }, lun.vector { 2.0 ^ 1000, 2.0 ^ -1074, 3.0 }:ldexp(lun.vector { -2074, 2074, 3000 }))
        same({ 3 * 2.0 ^ -1074 }, lun.vector { 1.625 * 2.0 ^ -1000 }:ldexp(-73)) -- 3.25 units, rounded once
    end)

    it("have C's remainder", function()
        each_dtype({ { "f32", "f64" } }, function(dtype)
            local a = lun.vector(numbers, dtype)
            for _, b in ipairs { 2.5, -0.75, 3.0, 1 / 0 } do
                equal(mapped(a, function(x) return x - x ~= 0 and 0 / 0 or math.fmod(x, b) end), a:fmod(b), dtype)
            end
        end)
        each_dtype({ INTEGERS }, function(dtype)
            local signed = dtype:find "i"
            local a = lun.vector(signed and { -7, 7, -6, 0, 5 } or { 7, 6, 0, 5, 250 }, dtype)
            for _, b in ipairs(signed and { 3, -3, 1, -5 } or { 3, 1, 5 }) do
                equal(mapped(a, function(x) return math.fmod(x, b) end), a:fmod(b), dtype)
            end
        end)
    end)

    it("see the bits of integers", function()
        each_dtype({ INTEGERS }, function(dtype)
            local width = lun.iinfo(dtype).bits
            local list = { 0, 1, 2, 3, 12, 64, 100, 127 }
            if dtype:find "i" then
                list[#list + 1] = -1
                list[#list + 1] = -128
                list[#list + 1] = lun.iinfo(dtype).min
                list[#list + 1] = lun.iinfo(dtype).max
            end
            local a = lun.vector(list, dtype)
            local function bits(x)
                local set, high, low = 0, width, width
                for k = 0, width - 1 do
                    if x >> k & 1 == 1 then
                        set, high, low = set + 1, width - 1 - k, math.min(low, k)
                    end
                end
                return set, high, low
            end
            same(mapped(a, function(x) return (bits(x)) end), a:popcount())
            same(mapped(a, function(x) return (select(2, bits(x))) end), a:clz())
            same(mapped(a, function(x) return (select(3, bits(x))) end), a:ctz())
            assert.equal(dtype, a:ctz():dtype())
            for _, k in ipairs { 0, 1, 5, 70 } do
                same(mapped(a, function(x) return k > 62 and (x < 0 and -1 or 0) or x // (1 << k) end), a:sar(k))
            end
        end)
        fails("bad argument #1 to 'popcount' (integers expected, got f64)", function() lun.zeros(2):popcount() end)
        assert.equal(3, lun.popcount(7))
    end)

    it("divide, multiply and raise integers exactly", function()
        local function gcd(x, y)
            return y == 0 and math.abs(x) or gcd(y, x % y)
        end
        each_dtype({ INTEGERS }, function(dtype)
            local a = lun.vector({ 12, 0, 7, 100, 0, 36 }, dtype)
            local b = lun.vector({ 8, 5, 0, 75, 0, 6 }, dtype)
            local x, y = a:totable(), b:totable()
            local divisors, multiples = {}, {}
            for i = 1, 6 do
                divisors[i] = gcd(x[i], y[i])
                multiples[i] = divisors[i] == 0 and 0 or x[i] // divisors[i] * y[i]
            end
            same(divisors, a:gcd(b))
            same(lun.vector(multiples):cast(dtype):abs():totable(), a:lcm(b))
            assert.equal(dtype, a:gcd(b):dtype())
            local k = lun.vector({ 0, 1, 2, 3, 5, 62 }, dtype)
            local powers = {}
            for i = 1, 6 do
                powers[i] = 1
                for _ = 1, k[i] do
                    powers[i] = powers[i] * x[i]
                end
            end
            same(lun.vector(powers):cast(dtype):totable(), a:ipow(k))
        end)
        assert.equal(4052555153018976267, lun.ipow(3, 39))
        fails("bad argument #1 to 'ipow' (the exponent -2 is negative: a ^ k gives floats)", function() lun.index(3):ipow(-2) end)
        fails("bad argument #2 to 'gcd' (integers expected, got f64)", function() lun.gcd(4, 2.5) end)
        fails("bad argument #1 to 'gcd' (an element is 2^63 or more)", function() lun.vector({ -1 }, "u64"):gcd(lun.vector({ 2 },
            "u64")) end)
    end)

    it("are near what C's library has", function()
        local list = {}
        for k = -60, 60 do
            list[#list + 1] = k * 0.37
        end
        for _, dtype in ipairs { "f32", "f64" } do
            local a = lun.vector(list, dtype)
            local function check(name, f, ulp)
                close(mapped(a, f), lun[name](a), ulp, name)
            end
            check("expit", function(x) return 1 / (1 + math.exp(-x)) end, 4)
            check("softplus", function(x)
                local e = math.exp(-math.abs(x))
                return math.max(x, 0) + (1 + e == 1 and e or math.log(1 + e) * e / (1 + e - 1)) -- Kahan's log1p
            end, 4)
            check("deg2rad", function(x) return x * math.pi / 180 end, 2)
            check("rad2deg", function(x) return x * 180 / math.pi end, 2)
            check("reciprocal", function(x) return 1 / x end, 1)
        end
        local x = lun.vector { 0.25, 0.75, 1.25, -0.25, 1e15 + 0.25, 2.0, 0.5, 1.5, -3.5 }
        close({ 0.5 ^ 0.5, 0.5 ^ 0.5, -0.5 ^ 0.5, -0.5 ^ 0.5, 0.5 ^ 0.5, 0.0, 1.0, -1.0, 1.0 }, x:sinpi(), 2, "sinpi")
        close({ 0.5 ^ 0.5, -0.5 ^ 0.5, -0.5 ^ 0.5, 0.5 ^ 0.5, 0.5 ^ 0.5, 1.0, 0.0, 0.0, 0.0 }, x:cospi(), 2, "cospi")
        close({ math.log(3), 0.0, -math.log(3), math.huge, -math.huge, math.log(1e-300) },
            lun.vector { 0.75, 0.5, 0.25, 1.0, 0.0, 1e-300 }:logit(), 4, "logit")
        equal({ math.huge, -math.huge, math.huge }, lun.vector { math.huge, -math.huge, -math.huge }:logaddexp(
            lun.vector { math.huge, -math.huge, math.huge }), "logaddexp")
    end)

    it("compare", function()
        local a = lun.vector { 1.0, 2.0, 1 / 0, 0 / 0 }
        same({ true, false, true, false }, a:isclose(lun.vector { 1.0, 2.1, 1 / 0, 0 / 0 }))
        same({ true, true, true, true }, a:isclose(lun.vector { 1.0, 2.1, 1 / 0, 0 / 0 }, { atol = 0.2, equal_nan = true }))
        same({ false, false, false, false }, a:isclose(-1 / 0))
        assert.is_false(a:allclose(a))
        assert.is_true(a:allclose(a, { equal_nan = true }))
        assert.is_true(a:equals(a:copy()))
        assert.is_false(a:equals(a:expand_dims(1)))
        assert.is_false(a:equals(3))
        assert.is_true(lun.zeros { 0, 3 }:equals(lun.zeros { 0, 3 }))
        assert.is_false(lun.vector { 1, 2 }:equals(lun.vector { 1, 3 }))
        assert.is_true(lun.vector { 2, 3 }:lazy "sum":equals(lun.vector { 5 }:lazy "sum"))
        fails("bad argument #2 to 'isclose' (unknown option 'tol': the options are rtol, atol, equal_nan)",
            function() a:isclose(a, { tol = 1 }) end)
    end)

    it("give numbers of numbers, and take Scalars", function()
        assert.equal(9, lun.square(3))
        assert.equal("integer", math.type(lun.square(3)))
        assert.equal(0.25, lun.reciprocal(4))
        assert.same({ 0.5, 1.0 }, { lun.modf(1.5) })
        assert.is_true(lun.isclose(1.0, 1.0))
        assert.is_true(lun.allclose(1, 1.0000000001))
        assert.equal(2, lun.clip(1, 2, nil))
        assert.equal(-1, lun.fmod(-7, 3))
        assert.equal(25, lun.vector { 2, 3 }:lazy "sum":square():value())
        assert.equal("f32", lun.vector({ 1 }, "f32"):heaviside(0.5):dtype())
        assert.equal("f16", lun.vector({ 1 }, "f16"):expit():dtype())
        assert.equal("f64", lun.vector { 1 }:expit():dtype())
        fails("bad argument #2 to 'fmod' (array or number expected, got nil)", function() lun.fmod(1) end)
        fails("bad argument #1 to 'square' (array or number expected, got string)", function() lun.square "x" end)
        fails("bad argument #1 to 'clip' (number expected, got string)", function() lun.index(3):clip("x") end)
    end)
end)

describe("names that search", function()
    it("find bins, places and lines between points", function()
        each_dtype({ INTEGERS, FLOATS }, function(dtype)
            local n = whole(dtype)
            local a = lun.vector({ 5, 1, 3, 9, 3 }, dtype)
            local function bin(x, right)
                for k, edge in ipairs { 1, 3, 6 } do
                    if right and x <= edge or not right and x < edge then
                        return k
                    end
                end
                return 4
            end
            same(mapped(a, bin), a:digitize { 1, 3, 6 })
            same(mapped(a, function(x) return bin(x, true) end), a:digitize({ 1, 3, 6 }, { right = true }))
            same({ false, false, true, false, true }, a:isin { 3, 7 })
            same({ n(1), n(3) }, a:intersect { 3, 1, 4 })
            same({ n(5), n(9) }, a:setdiff { 3, 1, 4 })
            assert.equal(4, a:nunique())
            assert.equal(n(3), a:mode())
            local values, firsts, inverse, counts = a:unique_all()
            same({ n(1), n(3), n(5), n(9) }, values)
            same({ 2, 3, 1, 4 }, firsts)
            same({ 3, 1, 2, 4, 2 }, inverse)
            same({ 1, 2, 1, 1 }, counts)
        end)
        fails("bad argument #1 to 'digitize' (element 2 is less than the one before: they have to ascend)",
            function() lun.index(3):digitize { 2, 1 } end)
        fails("bad argument #1 to 'interp' (element 2 is NaN)", function() lun.index(3):interp({ 1, 0 / 0 }, { 1, 2 }) end)
        fails("bad argument #2 to 'interp' (1 values for 2 places)", function() lun.index(3):interp({ 1, 2 }, { 1 }) end)
        fails("bad argument #1 to 'interp' (a point at least is needed)", function() lun.index(3):interp({}, {}) end)
        fails("bad argument #1 to 'mode' (mode of an empty array)", function() lun.mode(lun.zeros(0)) end)
        equal({ 0 / 0, 1.0, 2.0 }, lun.vector { 0 / 0, 0.0, 5.0 }:interp({ 1, 2 }, { 1, 2 }), "interp")
        local z = lun.vector { 0.5, 1.25, 2, 7 }:interp({ 1, 2 }, lun.vector { lun.complex(1, 2), lun.complex(3, -2) })
        equal({ 1.0, 1.5, 3.0, 3.0 }, z:real(), "interp")
        equal({ 2.0, 1.0, -2.0, -2.0 }, z:imag(), "interp")
        z = lun.vector { 0.5, 7 }:interp({ 1, 2 }, lun.vector { lun.i, 2 * lun.i }, { left = lun.complex(5, 6), right = 9 })
        equal({ 5.0, 9.0 }, z:real(), "interp")
        equal({ 6.0, 0.0 }, z:imag(), "interp")
    end)

    it("count NaN as one value, or, as the standard does, each as one, and it is in no list", function()
        local a = lun.vector { 1.0, 0 / 0, 2.0, 0 / 0 }
        assert.equal(3, a:nunique())
        assert.equal(4, #a:unique_values())
        same({ 1, 3, 2, 4 }, (select(2, a:unique_inverse())))
        same({ 1, 2, 4, 3 }, (select(3, lun.vector { 1.0, 0 / 0, lun.na, 0 / 0 }:unique_all())))
        same({ true, false, true, false }, a:isin(a))
        local t = lun.vector { 3, 1, 3, 2, 2 }:value_counts()
        same({ 2, 3, 1 }, t.value)
        same({ 2, 2, 1 }, t.count)
    end)

    it("tell rows apart, of any dtype", function()
        local function both(rows, counts, A, options)
            local values, often = A:unique(options or { axis = 1 })
            same(rows, values)
            same(counts, often)
            assert.equal(A:dtype(), values:dtype())
        end
        both({ { "a", "z" }, { "b", "a" } }, { 1, 2 }, lun.vector { { "b", "a" }, { "a", "z" }, { "b", "a" } })
        both({ { false, true }, { true, true } }, { 2, 1 }, lun.vector { { true, true }, { false, true }, { false, true } })
        both({ 1, 3 }, { 1, 2 }, lun.vector { 3, 1, 3 })
        local z = lun.complex(lun.vector { { 1, 2 }, { 1, 1 }, { 1, 2 } }, lun.vector { { 0, 1 }, { 0, 5 }, { 0, 1 } })
        local values, counts = z:unique { axis = 1 }
        same({ { 1, 1 }, { 1, 2 } }, values:real())
        same({ 1, 2 }, counts)
        local nan = 0 / 0
        values, counts = lun.vector { { 1, nan }, { 1, 3 }, { 1, nan }, { nan, 0 } }:unique { axis = 1 }
        same({ 1, 2, 1 }, counts)
        assert.is_true(values[2][2] ~= values[2][2] and values[3][1] ~= values[3][1])
        assert.equal("0 4", table.concat({ lun.zeros { 0, 4 }:unique { axis = 1 }:shape() }, " "))
        assert.equal("1 0", table.concat({ lun.zeros { 3, 0 }:unique { axis = 1 }:shape() }, " "))
        local A = lun.zeros { 2, 2 }
        fails("bad argument #1 to 'unique' (option axis: an axis from 1 to 2 expected, got 3)", function() A:unique { axis = 3 } end)
        fails("bad argument #1 to 'unique' (option axis: an axis from 1 to 2 expected, got nil)", function() A:unique {} end)
        fails("bad argument #1 to 'unique' (unknown option 'axes'; the option is axis)", function() A:unique { axes = 1 } end)
    end)

    it("rank as a loop over all pairs does", function()
        each_dtype({ { "i8", "u64", "f32", "f64" } }, function(dtype)
            local a = lun.vector({ 3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5 }, dtype)
            for _, descending in ipairs { false, true } do
                local less, equals, ahead, values = {}, {}, {}, {}
                for i, x in a:iter() do
                    less[i], equals[i], ahead[i] = 0, 0, 0
                    local seen = {}
                    for j, y in a:iter() do
                        local before = descending and y > x or not descending and y < x
                        less[i] = less[i] + (before and 1 or 0)
                        equals[i] = equals[i] + (x == y and 1 or 0)
                        ahead[i] = ahead[i] + (x == y and j < i and 1 or 0)
                        seen[before and y or false] = true
                    end
                    seen[false] = nil
                    values[i] = 0
                    for _ in pairs(seen) do
                        values[i] = values[i] + 1
                    end
                end
                local expected = { average = {}, min = {}, max = {}, first = {}, dense = {} }
                for i = 1, #a do
                    expected.average[i] = less[i] + (equals[i] + 1) / 2
                    expected.min[i] = less[i] + 1.0
                    expected.max[i] = less[i] + equals[i] + 0.0
                    expected.first[i] = less[i] + ahead[i] + 1.0
                    expected.dense[i] = values[i] + 1.0
                end
                for method, list in pairs(expected) do
                    same(list, a:rank { method = method, descending = descending }, method)
                end
            end
        end)
        local a = lun.vector { 2.0, 0 / 0, 1.0 }
        same({ 2.0, 3.0, 1.0 }, a:rank())
        same({ 1.0, 3.0, 2.0 }, a:rank { descending = true })
        same({ 1.0, 3.0, 2.0 }, a:rank { method = "first", descending = true })
        assert.equal(0, lun.zeros(0):rank():size())
        fails("bad argument #1 to 'rank' (unknown method 'mean': known are average, min, max, dense, first)",
            function() a:rank { method = "mean" } end)
        fails("bad argument #1 to 'rank' (Vector expected, got f64[2, 2])", function() lun.rank(lun.zeros { 2, 2 }) end)
    end)
end)

describe("names of statistics", function()
    it("are what their definitions say", function()
        local a, b = lun.vector { 1.0, 2.0, 4.0, 8.0 }, lun.vector { 3.0, 1.0, 2.0, 7.0 }
        local n, ma, mb, sab, saa, sbb = 4, a:mean(), b:mean(), 0, 0, 0
        for i = 1, n do
            sab, saa, sbb = sab + (a[i] - ma) * (b[i] - mb), saa + (a[i] - ma) ^ 2, sbb + (b[i] - mb) ^ 2
        end
        assert.is_true(math.abs(a:cov(b) - sab / 3) < 1e-14)
        assert.is_true(math.abs(a:corr(b) - sab / (saa * sbb) ^ 0.5) < 1e-15)
        assert.is_true(math.abs(lun.stack { a, b }:cov { ddof = 0 }[1][2] - sab / 4) < 1e-14)
        assert.equal(1.0, a:corr(a))
        assert.equal(-1.0, a:corr(-a))
        for _, still in ipairs { a:corr(lun.ones(4)), lun.ones(4):corr(a), lun.zeros(1):corr(lun.ones(1)) } do
            assert.is_true(still ~= still) -- as NumPy's corrcoef: nothing varies
        end
        local d = lun.vector { 4.0, 0 / 0, 1.0, 3.0, 2.0 }:describe()
        assert.same({ count = 4, mean = 2.5, std = 1.25 ^ 0.5, min = 1.0, q25 = 1.75, median = 2.5, q75 = 3.25, max = 4.0 }, d)
        fails("bad argument #1 to 'corr' (shapes differ: f64[4] and f64[2])", function() a:corr(lun.zeros(2)) end)
        fails("bad argument #1 to 'percentile' (101: from 0 to 100 expected)", function() a:percentile(101) end)
        fails("bad argument #1 to 'skew' (moments of an empty array)", function() lun.skew(lun.zeros(0)) end)
        fails("bad argument #1 to 'cov' (unknown option 'bias': the options are ddof, rows)",
            function() lun.zeros { 2, 3 }:cov { bias = true } end)
        fails("bad argument #2 to 'cov' (unknown option 'bias': the options are ddof)",
            function() a:cov(b, { bias = true }) end)
    end)

    it("fill gaps along axes", function()
        local N <const> = 0 / 0
        for _, dtype in ipairs { "f32", "f64", "f16" } do
            local a = lun.vector({ N, 1, N, N, 4, N, N, N, 8, N }, dtype)
            for limit = 0, 4 do
                local forth, back, list = {}, {}, a:totable()
                for i, x in ipairs(list) do
                    forth[i], back[i] = x, x
                    for k = 1, limit do
                        local before, behind = list[i - k] or N, list[i + k] or N
                        forth[i] = forth[i] == forth[i] and forth[i] or before
                        back[i] = back[i] == back[i] and back[i] or behind
                    end
                end
                equal(forth, a:ffill(limit), "ffill")
                equal(back, a:bfill(limit), "bfill")
            end
            equal({ N, 1, 1, 1, 4, 4, 4, 4, 8, 8 }, a:ffill(), "ffill")
            equal({ N, 1, 2, 3, 4, 5, 6, 7, 8, N }, a:interpolate(), "interpolate")
            assert.equal(dtype, a:interpolate():dtype())
            assert.equal(dtype, a:ffill():dtype())
            equal({ N, 1, 2, 3, 4, 5, 6, 7, 8, N }, lun.stack({ a, a }, 2):interpolate():col(2), "interpolate")
            equal({ N, 1, 1, 1, 4, 4, 4, 4, 8, 8 }, lun.stack { a, a }:ffill { axis = 2 }:row(2), "ffill")
            equal({ 1, 1, 4, 4, 4, 8, 8, 8, 8, N }, lun.stack { a, a }:bfill(nil, { axis = -1 }):row(1), "bfill")
            equal({ 0, 1, 0, 0, 4, 0, 0, 0, 8, 0 }, a:fillna(0), "fillna")
        end
        same({ 1, 2 }, lun.vector { 1, 2 }:ffill())
        same({ false, false }, lun.vector { 1, 2 }:isna())
        assert.equal(0, lun.zeros(0):interpolate():size())
        fails("bad argument #1 to 'ffill' (-1: at least 0 expected)", function() lun.zeros(3):ffill(-1) end)
        fails("bad argument #1 to 'interpolate' (axis 2 is out of range: the array has 1)",
            function() lun.zeros(3):interpolate { axis = 2 } end)
    end)
end)

describe("names of polynomials and filters", function()
    it("divide what they multiply, and undo each other", function()
        local a, b = lun.vector { 2, -3, 0, 5 }, lun.vector { 1, 4 }
        same({ 2, 5, -12, 5, 20 }, a:polymul(b))
        local quotient, rest = a:polymul(b):polyadd { 7 }:polydiv(b)
        same({ 2.0, -3.0, 0.0, 5.0 }, quotient)
        same({ 7.0 }, rest)
        same({ 2.0, -3.0, 0.0, 5.0 }, a:polyint():polyder())
        same({ 6, -6, 0 }, a:polyder())
        assert.equal(9, a:polyval(2))
        assert.equal(5.5, lun.polyval({ 0.5, 2 }, 7))
        same({ 5.0, 5.0 }, lun.vector { 5.0 }:polyval(lun.vector { 1, 2 }))
        same({ 0, 0 }, lun.zeros(0):polyval(lun.vector { 1, 2 }):cast "i64")
        same({ 1, -6, 11, -6 }, lun.poly { 1, 2, 3 })
        local x = lun.range(-5, 5) / 2
        local c = x:polyfit(x:square() * 3 - x + 0.5, 2)
        assert.is_true(c:allclose(lun.vector { 3.0, -1.0, 0.5 }, { rtol = 1e-13, atol = 0 }))
        fails("bad argument #2 to 'polyfit' (2 points do not determine a polynomial of degree 2)",
            function() lun.vector { 1, 2 }:polyfit({ 1, 2 }, 2) end)
        fails("bad argument #2 to 'polyfit' (the points do not determine a polynomial of degree 1)",
            function() lun.vector { 1, 1, 1 }:polyfit({ 1, 2, 3 }, 1) end)
        fails("bad argument #1 to 'polyfit' (2 values for 3 points)", function() lun.index(3):polyfit({ 1, 2 }, 1) end)
        fails("bad argument #1 to 'polydiv' (the divisor's first coefficient is 0)", function() a:polydiv { 0, 1 } end)
    end)

    it("filter as loops and SciPy do", function()
        local list = {}
        for k = 1, 30 do
            list[k] = (k * 37 + k * k * 11) % 23 + 0.0
        end
        local a = lun.vector(list)
        local medians = {}
        for i = 1, 30 do
            local around = {}
            for k = i - 2, i + 2 do
                around[#around + 1] = list[k] or 0.0
            end
            table.sort(around)
            medians[i] = around[3]
        end
        same(medians, a:medfilt(5))
        -- scipy.signal.savgol_filter(a, 7, 3), scipy.ndimage.gaussian_filter(a, 1.5)
        assert.is_true(a:savgol(7, 3):take { 1, 2, 15, -1 }:allclose(lun.vector { 3.0952381, 1.35714286, 10.42857143, 18.73809524 },
            { rtol = 1e-8 }))
        assert.is_true(a:gaussian(1.5):take { 1, 2, 15, -1 }:allclose(lun.vector { 2.47175564, 2.60230738, 11.00269078, 14.22567363 },
            { rtol = 1e-8 }))
        local cubic = lun.index(20) ^ 3 - lun.index(20) * 7
        assert.is_true(cubic:savgol(9, 3):allclose(cubic, { rtol = 1e-12 }))
        assert.equal("f32", lun.ones({ 3, 4 }, "f32"):gaussian(2):dtype())
        assert.is_true(lun.ones { 3, 4 }:gaussian(2):allclose(lun.ones { 3, 4 }))
        assert.equal(0, lun.zeros { 0, 4 }:gaussian(1):size())
        same(list, a:savgol(1, 0))
        for n = 0, 6 do
            for _, name in ipairs { "hanning", "hamming", "blackman", "bartlett" } do
                local w = lun[name](n)
                assert.equal(n, #w)
                assert.is_true(w:flip():allclose(w), name)
            end
        end
        fails("bad argument #1 to 'medfilt' (4: an odd width expected)", function() a:medfilt(4) end)
        fails("bad argument #1 to 'medfilt' (a width of 31 is more than the length, 30)", function() a:medfilt(31) end)
        fails("bad argument #2 to 'savgol' (7: from 0 to 6 expected)", function() a:savgol(7, 7) end)
        fails("bad argument #1 to 'gaussian' (0: a number above 0 expected)", function() a:gaussian(0) end)
        fails("bad argument #1 to 'hanning' (-1: at least 0 expected)", function() lun.hanning(-1) end)
    end)
end)
