-- quantile, median and searchsorted against plain Lua: sorted lists and loops; axes, NaN, dtypes, on every backend.
local lun = require "lunarray"
local expect = require "tests.spec.expect"

local function generator(seed)
    local state = seed
    return function(n)
        state = state * 6364136223846793005 + 1442695040888963407
        return (state >> 33) % n
    end
end

-- The quantile of a list of numbers, linear between neighbours.
local function quantile(values, q, skipnan)
    local numbers = {}
    for _, x in ipairs(values) do
        if x == x then
            numbers[#numbers + 1] = x
        end
    end
    if #numbers == 0 or #numbers < #values and not skipnan then
        return 0 / 0
    end
    table.sort(numbers)
    local at = q * (#numbers - 1)
    local below = math.min(math.floor(at), #numbers - 1)
    local part, x, y = at - below, numbers[below + 1], numbers[below + 2]
    if part == 0 or x == y then
        return x + 0.0
    end
    return part < 0.5 and x + (y - x) * part or y - (y - x) * (1 - part)
end

local function numbers(random, n, with_nan)
    local out = {}
    for i = 1, n do
        out[i] = with_nan and random(9) == 0 and 0 / 0 or (random(1000) - 500) / 4
    end
    return out
end

local PARTS = { 0, 0.1, 0.25, 0.5, 0.77, 0.99, 1 }

describe("a:quantile(q) and a:median()", function()
    it("are those of the sorted list", function()
        local random = generator(1)
        expect.everywhere(function()
            for _, n in ipairs { 1, 2, 3, 10, 101, 1000 } do
                for _, nan in ipairs { false, true } do
                    local values = numbers(random, n, nan)
                    local a, wanted = lun.vector(values, "f64"), {}
                    for _, skip in ipairs { false, true } do
                        for k, q in ipairs(PARTS) do
                            wanted[k] = quantile(values, q, skip)
                            expect.elements({ wanted[k] }, lun.vector({ a:quantile(q, { skipnan = skip }) }, "f64"))
                        end
                        expect.elements(wanted, a:quantile(PARTS, { skipnan = skip }))
                        expect.elements({ quantile(values, 0.5, skip) }, lun.vector({ a:median { skipnan = skip } }, "f64"))
                    end
                end
            end
        end)
    end)

    it("take axes, windows and dtypes", function()
        local random = generator(2)
        expect.everywhere(function()
            local a = lun.vector(numbers(random, 60), "f64"):reshape(3, 4, 5)
            for axis = 1, 3 do
                local m, qs = a:median { axis = axis }, a:transpose():quantile(PARTS, { axis = 4 - axis })
                for i = 1, a:size() // 60 * ({ 4, 3, 3 })[axis] do
                    for j = 1, ({ 5, 5, 4 })[axis] do
                        local line = ({ a:sub({}, { i, i }, { j, j }), a:sub({ i, i }, {}, { j, j }),
                            a:sub({ i, i }, { j, j }, {}) })[axis]:flatten():totable()
                        assert.equal(quantile(line, 0.5), m[i][j])
                        for k, q in ipairs(PARTS) do
                            assert.equal(quantile(line, q), qs[k][j][i])
                        end
                    end
                end
            end
            assert.equal(quantile(a:flatten():totable(), 0.3), a:quantile(0.3))
            expect.elements({ quantile(a[1]:flatten():totable(), 0.3), quantile(a[2]:flatten():totable(), 0.3),
                quantile(a[3]:flatten():totable(), 0.3) }, a:quantile(0.3, { axis = { 2, 3 } }))
            assert.equal("f64", lun.vector({ 1, 2 }, "u8"):quantile({ 0.5 }):dtype())
            assert.equal("f16", lun.vector({ 1, 2 }, "f16"):quantile({ 0.5 }):dtype())
            assert.equal(1.5, lun.vector({ 1, 2 }, "f32"):median())
            assert.equal(0.5, lun.vector { true, false }:median())
            assert.same({ 2, 0 }, { lun.zeros { 2, 0, 3 }:median({ axis = 3 }):shape() })
            assert.equal(1 / 0, lun.vector { 1, 1 / 0, 1 / 0, 1 / 0 }:quantile(0.6))
        end)
    end)
end)

-- Neighbours a and b, the part between them, and what is there, by hand; M: the largest number of the dtype.
local INF <const>, M <const> = math.huge, "the largest number"
local LARGEST <const> = { f16 = 65504.0, f32 = 0x1.fffffep127, f64 = 0x1.fffffffffffffp1023 }
local BETWEEN <const> = {
    { 2, INF, 0.25, INF }, { 2, INF, 0.5, INF }, { 2, INF, 0.75, INF }, { -INF, 2, 0.25, -INF }, { -INF, 2, 0.5, -INF },
    { -INF, 2, 0.75, -INF }, { -INF, INF, 0.25, 0 / 0 }, { -INF, INF, 0.5, 0 / 0 }, { -INF, INF, 0.75, 0 / 0 },
    { -INF, INF, 0, -INF }, { -INF, INF, 1, INF }, { -INF, -INF, 0.5, -INF }, { INF, INF, 0.75, INF },
    { "-" .. M, M, 0.5, 0.0 }, { "-" .. M, M, 0, "-" .. M }, { "-" .. M, M, 1, M }, { M, INF, 0.25, INF }, { M, M, 0.5, M },
    { "-" .. M, "-" .. M, 0.75, "-" .. M },
}

local function between(row, dtype)
    local out = {}
    for k, x in ipairs(row) do
        out[k] = (x == M and LARGEST[dtype] or x == "-" .. M and -LARGEST[dtype] or x) + 0.0
    end
    return table.unpack(out)
end

describe("quantiles beside infinities and of the largest numbers", function()
    it("are those of the neighbours", function()
        expect.everywhere(function()
            for dtype in pairs(LARGEST) do
                for _, row in ipairs(BETWEEN) do
                    local a, b, part, wanted = between(row, dtype)
                    local x = lun.vector({ b, a }, dtype)
                    expect.elements({ wanted }, lun.vector { x:quantile(part) })
                    expect.elements({ wanted, wanted }, lun.stack { x, x }:quantile(part, { axis = 2 }):cast "f64")
                    expect.elements({ wanted }, lun.vector { lun.vector({ 0 / 0, a, b }, dtype):quantile(part, { skipnan = true }) })
                    local g = lun.group(lun.vector { 2, 1, 2, 1 })
                    expect.elements({ 7.0, wanted }, g:quantile(lun.vector({ b, 7, a, 7 }, dtype), part))
                    if part == 0.5 then
                        local odd = (lun.index(6000) % 2):eq(1)
                        local long = lun.where(odd, lun.full(6000, b, dtype), lun.full(6000, a, dtype))
                        expect.elements({ wanted, wanted }, lun.vector { x:median(), long:median() })
                    end
                end
            end
        end)
    end)

    it("are those of the neighbours on a set", function()
        lun.use "openmp/2"
        for _, row in ipairs(BETWEEN) do
            local a, b, part, wanted = between(row, "f64")
            expect.elements({ wanted }, lun.vector { lun.vector { b, a }:distribute "block":quantile(part) })
        end
        lun.use(lun.backends()[1])
    end)

    it("are exact between huge neighbours", function()
        local big = 2.0 ^ 1023
        expect.elements({ -big / 2, big / 2, 0.0 }, lun.vector { -big, big }:quantile { 0.25, 0.75, 0.5 })
        expect.elements({ -big / 2, big / 2 }, lun.group(lun.vector { 1, 1 }):quantile(lun.vector { -big, big }, { 0.25, 0.75 }):flatten())
    end)
end)

describe("s:searchsorted(x)", function()
    it("counts the elements before each one", function()
        local random = generator(3)
        expect.everywhere(function()
            for _, n in ipairs { 0, 1, 2, 7, 100 } do
                for _, dtype in ipairs { "f64", "i32", "u8", "f16" } do
                    local s = (lun.vector(numbers(random, n), "f64") % 20):cast(dtype):sort()
                    local x = (lun.vector(numbers(random, 50), "f64") % 23 - 1):cast(dtype == "u8" and "i16" or dtype)
                    local list, left, right = s:totable(), {}, {}
                    for i, y in ipairs(x:totable()) do
                        left[i], right[i] = 1, 1
                        for _, z in ipairs(list) do
                            left[i] = left[i] + (z < y and 1 or 0)
                            right[i] = right[i] + (z <= y and 1 or 0)
                        end
                    end
                    expect.elements(left, s:searchsorted(x))
                    expect.elements(right, s:searchsorted(x:reshape(5, 10), { side = "right" }):flatten())
                    assert.equal(left[3], s:searchsorted(x[3]))
                end
            end
            local s = lun.vector { -0.0, 0.0, 1.0, 0 / 0 }
            expect.elements({ 1, 3, 4, 5 }, s:searchsorted(lun.vector { 0.0, 1, 2, 1 / 0 }) + lun.vector { 0, 0, 0, 1 })
            assert.same({ 4, 5 }, { s:searchsorted(0 / 0), s:searchsorted(0 / 0, { side = "right" }) })
        end)
    end)

    it("of an array without axes is a number wherever it is used", function()
        local s = lun.vector { 10, 20, 30, 40 }
        local function check()
            local scalars = {
                [2] = function() return lun.vector({ 5, 20 }):select(1, 2) end,
                [4] = function() return s:lazy "max" end,
                [3] = function() return s:lazy "mean" + 1 end,
            }
            for k, scalar in pairs(scalars) do
                local function q() return s:searchsorted(scalar()) end
                assert.equal(k, q():value())
                assert.equal(k + 10, (q() + 10):value())
                assert.equal(k + 0.0, q():cast("f64"):value())
                assert.equal(3 * k - 1, q():map(function(i) return 3 * i - 1 end):value())
                assert.equal(100 * k, (s * q()):sum())
                assert.equal(10 * k, s:take(q()):value())
                assert.equal(k + 1, (q() + s:searchsorted(-scalar())):value())
                assert.equal(k == 2 and 1 or 2, s:searchsorted(q() * 4):value())
                expect.elements({ 10 + k, 20 + k, 30 + k, 40 + k }, s:map(function(x, i) return x + i end, q()))
                expect.elements({ k, k + 1 }, lun.stack { q(), q() + 1 })
                local twice, both = q() * 2, q() + s
                lun.eval(twice, both)
                assert.equal(2 * k, twice:value())
                expect.elements({ 10 + k, 20 + k, 30 + k, 40 + k }, both)
            end
        end
        expect.everywhere(check)
        local before = { lun.use() }
        lun.use "openmp/3"
        local ok, message = pcall(check)
        lun.use(before)
        assert(ok, message)
    end)
end)

describe("wrong calls of quantile and its like", function()
    it("say what is wrong", function()
        local a, m = lun.vector { 1, 2 }, lun.zeros { 2, 2 }
        expect.failure("bad argument #2 to 'quantile' (a quantile is a number from 0 to 1, not 1.5)", a.quantile, a, 1.5)
        expect.failure("the list is empty: at least one number is needed", a.quantile, a, {})
        expect.failure("element 2 is a string, not a number", a.quantile, a, { 1, "x" })
        expect.failure("bad argument #3 to 'quantile' (axis 2 is out of range", a.quantile, a, 0.5, { axis = 2 })
        expect.failure("the options are axis, skipnan", a.median, a, { keep = true })
        expect.failure("quantile of no elements is undefined", lun.median, lun.vector({}, "f32"))
        expect.failure("a sorted Vector expected, got f64[2, 2]", m.searchsorted, m, 1)
        expect.failure("option side: 'left' or 'right' expected, got up", a.searchsorted, a, 1, { side = "up" })
    end)
end)
