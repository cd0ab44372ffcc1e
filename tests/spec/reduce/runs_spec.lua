-- a:spread and a:reduceat against plain loops: counts of zero, empty runs, every axis, operations and functions, on every
-- backend.
local lun = require "lunarray"
local expect = require "expect"
local rows = require "rows"

describe("spread", function()
    it("repeats each element as often as its count says", function()
        expect.everywhere(function()
            for _, n in ipairs { 1, 5, 300, (1 << 16) + 1 } do
                local draw, counts, want = rows.sequence(n), {}, {}
                for k = 1, n do
                    counts[k] = math.max(draw(3), 0)
                    for _ = 1, counts[k] do
                        want[#want + 1] = k * 3 + 0.5
                    end
                end
                if #want == 0 then
                    counts[1], want[1] = 1, 3.5
                end
                expect.elements(want, (lun.index(n) * 3 + 0.5):spread(lun.vector(counts, "u8")))
            end
        end)
    end)

    it("takes tables, numbers, axes, windows and nothing", function()
        local a, A = lun.vector { 10, 20, 30 }, lun.index(6):reshape { 2, 3 }
        assert.same({ 10, 10, 30 }, a:spread({ 2, 0, 1 }):totable())
        assert.same({ 10, 10, 20, 20, 30, 30 }, a:spread(2):totable())
        assert.equal(0, #a:spread { 0, 0, 0 })
        assert.equal(0, #lun.zeros(0):spread {})
        assert.same({ { 1, 3, 3 }, { 4, 6, 6 } }, A:spread({ 1, 0, 2 }, { axis = 2 }):totable())
        assert.same({ { 1, 2, 3 }, { 1, 2, 3 }, { 4, 5, 6 } }, A:spread(lun.vector { 2, 1 }):totable())
        assert.same({ 2, 5, 5 }, A:col(2):spread({ 1, 2 }):totable())
        assert.same({ { 1, 1, 4 }, { 2, 2, 5 }, { 3, 3, 6 } }, A:transpose():spread({ 2, 1 }, { axis = -1 }):totable())
    end)

    it("says what is wrong", function()
        local a, failure = lun.vector { 1, 2, 3 }, expect.failure
        failure("bad argument #1 to 'spread' (lengths differ: counts 2 and axis 1 of i64[3])", function() a:spread { 1, 2 } end)
        failure("bad argument #1 to 'spread' (count 2 is negative: -2)", function() a:spread { 1, -2, 3 } end)
        failure("a number or a Vector of integers expected", function() a:spread "x" end)
        failure("a number or a Vector of integers expected", function() a:spread { 1.5, 1, 1 } end)
        failure("bad argument #2 to 'spread' (axis 2 is out of range: the array has 1)", function() a:spread({ 1 }, { axis = 2 }) end)
        failure("unknown option 'axes': the only option is axis", function() a:spread({ 1 }, { axes = 2 }) end)
        failure("axis 2 is out of range: the array has 1", function() a:spread({ 1 }, 2) end)
        failure("table of options expected, got string", function() a:spread({ 1 }, "x") end)
    end)
end)

describe("reduceat", function()
    -- f over each run of the list, in order.
    local function reduced(list, offsets, f, id)
        local out = {}
        for r, first in ipairs(offsets) do
            local sum, from = id, first
            if sum == nil then
                sum, from = list[first], first + 1
            end
            for k = from, (offsets[r + 1] or #list + 1) - 1 do
                sum = f(sum, list[k])
            end
            out[r] = sum
        end
        return out
    end

    local function random_runs(n, seed, empty)
        local draw, at, place = rows.sequence(seed), {}, 3
        while place <= n do
            at[#at + 1] = place
            place = place + math.abs(draw(40)) + (empty and 0 or 1)
        end
        return at
    end

    local functions = {
        ["+"] = function(x, y) return x + y end, ["*"] = function(x, y) return x * y end, ["max"] = math.max,
        ["min"] = math.min, ["&"] = function(x, y) return x & y end, ["|"] = function(x, y) return x | y end,
        ["~"] = function(x, y) return x ~ y end,
    }

    it("reduces runs by operations and functions, in order", function()
        expect.everywhere(function()
            for _, n in ipairs { 3, 100, 5000 } do
                local list = {}
                for k = 1, n do
                    list[k] = k * 7919 % 1009 - 500
                end
                local x, at, empty = lun.vector(list, "i64"), random_runs(n, 7), random_runs(n, 8, true)
                for name, f in pairs(functions) do
                    expect.elements(reduced(list, at, f), x:reduceat(at, name))
                    expect.elements(reduced(list, empty, f, 5), x:reduceat(lun.vector(empty, "i32"), name, 5))
                end
                expect.elements(reduced(list, empty, functions["+"], 0), x:reduceat(empty, "+"))
                expect.elements(reduced(list, at, function(p, q) return p - q * 3 end),
                    x:reduceat(at, function(p, q) return p - q * 3 end))
                expect.elements(reduced(list, empty, function(p, q) return p // 2 + q end, 9),
                    x:reduceat(empty, function(p, q) return p // 2 + q end, 9))
            end
        end)
    end)

    it("reduces floats, expressions, windows and empty runs", function()
        expect.everywhere(function()
            local list = {}
            for k = 1, 500 do
                list[k] = math.sin(k)
            end
            local at = random_runs(500, 3)
            expect.elements(reduced(list, at, functions["+"], 0.0), lun.vector(list):reduceat(at, "+"))
            expect.elements(reduced(list, at, functions.max), lun.vector(list):reduceat(at, "max"))
            expect.elements({ 21.0, 0.0 }, lun.index(6):cast("f32"):reduceat({ 1, 7 }, "+"))
            assert.equal("f32", lun.index(6):cast("f32"):reduceat({ 1, 7 }, "+"):dtype())
            expect.elements({ 8, 10 }, (lun.index(6) * 2):sub(1, -1, 2):reduceat({ 1, 3 }, "+"))
            assert.equal(0, #lun.index(6):reduceat({}, "+"))
            expect.elements({ 0 }, lun.zeros(0, "i64"):reduceat({ 1 }, "+"))
        end)
    end)

    it("says what is wrong", function()
        local x, failure = lun.index(6), expect.failure
        failure("bad argument #1 to 'reduceat' (offsets from 1 to 9: the length is 6)", function() x:reduceat({ 1, 9 }, "+") end)
        failure("bad argument #1 to 'reduceat' (offset 2 is less than the one before)", function() x:reduceat({ 3, 1 }, "+") end)
        failure("bad argument #3 to 'reduceat' (a first value is needed, since a run is empty)", function()
            x:reduceat({ 1, 1 }, "max")
        end)
        failure("a function of two values, or one of", function() x:reduceat({ 1 }, "/") end)
        failure("a Vector of integers expected", function() x:reduceat({ 1.5 }, "+") end)
        failure("a Vector expected", function() x:reshape(2, 3):reduceat({ 1 }, "+") end)
        failure("number expected, got string", function() x:reduceat({ 1 }, "+", "x") end)
    end)
end)

-- The dtypes are written out here; integers are Lua's, those of u64 with its bits.
describe("an operation", function()
    local SUMS = { bool = "i64", i8 = "i64", u8 = "u64", i16 = "i64", u16 = "u64", i32 = "i64", u32 = "u64", i64 = "i64",
        u64 = "u64", f16 = "f16", bf16 = "bf16", f32 = "f32", f64 = "f64" }
    local VALUES = { bool = { true, false, true }, i8 = { -128, 127, 127 }, u8 = { 255, 1, 200 },
        i16 = { -32768, 32767, 32767 }, u16 = { 65535, 2, 65535 }, i32 = { 2147483647, -2147483648, 2147483647 },
        u32 = { 4294967295, 3, 4294967295 }, i64 = { math.maxinteger, -5, math.maxinteger }, u64 = { -1, 5, math.mininteger },
        f16 = { 1.5, -2.0, 0.25 }, bf16 = { 1.5, -2.0, 0.25 }, f32 = { 1.5, -2.0, 0.25 }, f64 = { 1.5, -2.0, 0.25 } }
    local function pick(is_less)
        return function(a, b) return is_less(b, a) and b or a end
    end
    local function less(dtype)
        return dtype == "u64" and math.ult or function(a, b) return a < b end
    end
    local OPERATIONS = {
        { "+", function() return function(a, b) return a + b end end, 0 },
        { "*", function() return function(a, b) return a * b end end, 1 },
        { "min", function(dtype) return pick(less(dtype)) end },
        { "max", function(dtype)
            local is_less = less(dtype)
            return pick(function(a, b) return is_less(b, a) end)
        end },
        { "&", function() return function(a, b) return a & b end end, -1 },
        { "|", function() return function(a, b) return a | b end end, 0 },
        { "~", function() return function(a, b) return a ~ b end end, 0 },
    }

    -- Compilers need seconds for all of them: they compile one dtype of each kind.
    local COMPILED = { u64 = true, i32 = true, f16 = true }

    it("has one rule in reduceat, reduceby, scanby and groups, for every dtype", function()
        expect.everywhere(function(backend)
            for dtype, three in pairs(VALUES) do
                if backend ~= "reference" and not COMPILED[dtype] then goto next end
                local float = dtype:find "f" ~= nil
                local list = { three[1], three[2], three[3], three[3], three[1] }
                local x, k = lun.vector(list, dtype), lun.vector { 1, 1, 1, 2, 2 }
                for i, v in ipairs(list) do list[i] = v == true and 1 or v or 0 end
                for _, row in ipairs(OPERATIONS) do
                    local symbol, made, id = row[1], row[2], row[3]
                    if not symbol:find "[&|~]" or not (float or dtype == "bool") then
                        local f, first = made(dtype), id
                        if first == nil then first = list[1] end
                        if symbol == "&" and dtype:find "^u[138]" then first = (1 << tonumber(dtype:sub(2))) - 1 end
                        if float then first = first + 0.0 end
                        local sums, running = {}, {}
                        for i, v in ipairs(list) do
                            local old = (i == 1 or i == 4) and first or running[i - 1]
                            running[i] = f(old, v)
                            sums[i < 4 and 1 or 2] = running[i]
                        end
                        local wide = symbol == "+" or symbol == "*"
                        local wanted = (wide or dtype == "bool") and SUMS[dtype] or dtype
                        local what = dtype .. " " .. symbol
                        local function holds(numbers, array)
                            assert.equal(wanted, array:dtype(), what)
                            assert.same(numbers, array:totable(), what)
                        end
                        local g = lun.group(k)
                        holds(sums, x:reduceat({ 1, 4 }, symbol, first))
                        holds(sums, (select(2, x:reduceby(k, symbol, first))))
                        holds(sums, g:reduce(x, symbol, first))
                        holds(running, x:scanby(k, symbol, first))
                        holds(running, g:scan(x, symbol, first))
                        assert.equal(wanted, lun.reduce(symbol)(x):dtype(), what)
                    end
                end
                ::next::
            end
            expect.failure("bad argument #3 to 'reduceat' (number 300 does not fit into dtype u8)", function()
                lun.zeros(3, "u8"):reduceat({ 1 }, "min", 300)
            end)
            expect.failure("bad argument #2 to 'reduceat' (band needs integers, not f64)", function()
                lun.zeros(3):reduceat({ 1 }, "&")
            end)
        end)
    end)

    it("refuses counts and offsets that i64 has not, and too many elements", function()
        local a = lun.vector { 7, 8 }
        expect.failure("#1 to 'spread' (count 2 is 18446744073709551615: at most 2^63 - 1 expected)", function()
            a:spread(lun.vector({ 1, -1 }, "u64"))
        end)
        expect.failure("#1 to 'spread' (the counts add up to 2^62 or more)", function() a:spread { 1 << 61, 1 << 61 } end)
        expect.failure("#1 to 'spread' (the counts add up to 2^62 or more)", function() a:spread(math.maxinteger) end)
        expect.failure("#1 to 'reduceat' (offset 2 is 9223372036854775808: at most 2^63 - 1 expected)", function()
            a:reduceat(lun.vector({ 1, math.mininteger }, "u64"), "+")
        end)
        assert.same({ 7, 8, 8 }, a:spread(lun.vector({ 1, 2 }, "u64")):totable())
    end)
end)
