-- lun.check: wrong operators of reduce and scan are found with a counterexample, right ones raise no alarm, and
-- elements that Lua itself computes otherwise are told.

-- Operators with their first values. Those of the first list are associative and have that identity on the data, as far as
-- numbers are exact; those of the second are not, or it is none.
local maxint, minint = math.maxinteger, math.mininteger

local integers = { 3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 58, 97 }
local signed = { 3, -1, 4, 1, -5, 9, 2, -6, 5, 3, 0, 7 }
local floats = { 0.25, 1.5, -2.75, 3.125, 10.1, -7.3, 0.01, 4.4, 6.6, -0.7 }
local positive = { 0.25, 1.5, 2.75, 3.125, 10.1, 7.3, 0.01, 4.4, 6.6, 0.7 }
local unit = { 0.25, 0.5, 0.75, 0.125, 1.0, 0.0, 0.01, 0.44, 0.66, 0.7 }
local truths = { true, false, true, true }

local right = {
    { "+", 0, signed }, { "*", 1, signed }, { "min", maxint, signed }, { "max", minint, signed },
    { "&", -1, integers }, { "|", 0, integers }, { "~", 0, signed },
    { "+", 0, floats }, { "*", 1, floats }, { "min", math.huge, floats }, { "max", -math.huge, floats },
    { function(x, y) return x + y end, 0, signed },
    { function(x, y) return x * y end, 1, signed },
    { function(x, y) return x + y + 1 end, -1, signed },
    { function(x, y) return x + y - 5 end, 5, signed },
    { function(x, y) return x + y + x * y end, 0, signed },
    { function(x, y) return (x + y) % 1009 end, 0, integers },
    { function(x, y) return (x * y) % 1009 end, 1, integers },
    { function(x, y) return math.max(x, y) end, minint, signed },
    { function(x, y) return math.min(x, y) end, maxint, signed },
    { function(x, y) if x > y then return x end return y end, minint, signed },
    { function(x, y) if x < y then return x else return y end end, maxint, signed },
    { function(x, y) return (x - 1) * (y - 1) + 1 end, 2, signed },
    { function(_, y) return y end, 0, signed },
    { function(x, y) if x ~= 0 then return x end return y end, 0, signed },
    { function(x, y) return x | y end, 0, integers },
    { function(x, y) return x & y end, -1, integers },
    { function(x, y) return x ~ y end, 0, signed },
    { function(x, y) while y ~= 0 do x, y = y, x % y end return x end, 0, integers },
    { function(x, y) return math.min(x + y, 255) end, 0, integers },
    { function(x, y) return x + y end, 0, floats },
    { function(x, y) return x * y end, 1, floats },
    { function(x, y) return x * y * 2 end, 0.5, floats },
    { function(x, y) return x * y / 4 end, 4, floats },
    { function(x, y) return x + y - 0.5 end, 0.5, floats },
    { function(x, y) return x + y + x * y end, 0, floats },
    { function(x, y) return x + y - x * y end, 0, unit },
    { function(x, y) return math.max(x, y) end, -math.huge, floats },
    { function(x, y) return math.min(x, y) end, math.huge, floats },
    { function(x, y) return math.sqrt(x * x + y * y) end, 0, positive },
    { function(x, y) return x * y / (x + y) end, math.huge, positive },
    { function(x, y) return 1 / (1 / x + 1 / y) end, math.huge, positive },
    { function(x, y) return math.log(math.exp(x) + math.exp(y)) end, -math.huge, floats },
    { function(x, y) return (x + y) / (1 + x * y) end, 0, unit },
    { function(x, y) if math.abs(x) >= math.abs(y) then return x end return y end, 0, floats },
    { function(x, y) return math.max(x, y) + 0.0 end, -math.huge, floats },
    { function(x, y) return x and y end, true, truths },
    { function(x, y) return x or y end, false, truths },
    { function(x, y) return x ~= y end, false, truths },
    { "(double x, double y) { return x + y; }", 0, floats },
}

local wrong = {
    { function(x, y) return y - x end, 0, signed }, { function(x, y) return x - y end, 0, floats },
    { function(x, y) return x / y end, 1, positive }, { function(x, y) return (x + 1) ^ y end, 1, positive },
    { function(x, y) return x // (y + 1) end, 1, integers }, { function(x, y) return x % (y + 1) end, 1, integers },
    { "+", 1, signed }, { "*", 0, signed }, { "min", 0, signed }, { "max", 0, signed },
    { "*", 2, floats }, { "max", 0, floats },
    { function(x, y) return x - y end, 0, signed },
    { function(x, y) return (x + y) / 2 end, 0, floats },
    { function(x, y) return (x + y) // 2 end, 0, integers },
    { function(x, y) return 2 * x + y end, 0, signed },
    { function(x, y) return x + 2 * y end, 0, signed },
    { function(x, y) return 10 * x + y end, 0, integers },
    { function(x, y) return x * y + 1 end, 1, signed },
    { function(x, y) return x + y + 1 end, 0, signed },
    { function(x, y) return x * x + y end, 0, signed },
    { function(x, y) return x + y * y end, 0, signed },
    { function(x, y) return x * x + y * y end, 0, floats },
    { function(x, y) return math.abs(x - y) end, 0, integers },
    { function(x, y) return math.abs(x) - math.abs(y) end, 0, signed },
    { function(x, y) return x ~ (y << 1) end, 0, integers },
    { function(x, y) return x << (y & 3) end, 0, integers },
    { function(x, y) return ~(x & y) end, -1, integers },
    { function(x, y) return ~(x | y) end, 0, integers },
    { function(x, y) return 31 * x + y end, 0, integers },
    { function(x, y) return (31 * x + y) % 1009 end, 0, integers },
    { function(x, y) return math.min(math.max(x + y, -10), 10) end, 0, signed },
    { function(x, y) return math.max(x, y) - math.min(x, y) end, 0, signed },
    { function(x, y) return math.max(x, y - 1) end, minint, signed },
    { function(x, y) if x > y then return x - y end return y - x end, 0, integers },
    { function(x, y) if x > 0 then return x + y end return x - y end, 0, signed },
    { function(x, y) return 0.9 * x + 0.1 * y end, 0, floats },
    { function(x, y) return 0.9 * x + y end, 0, floats },
    { function(x, y) return y / x end, 1, positive },
    { function(x, y) return x ^ y end, 1, positive },
    { function(x, y) return math.floor(x + y + 0.5) end, 0, positive },
    { function(x, y) return math.sqrt(x + y) end, 0, positive },
    { function(x, y) return math.exp(x) * y end, 0, unit },
    { function(x, y) return math.sin(x) + y end, 0, floats },
    { function(x, y) return x + y * 1.0001 end, 0, floats },
    { function(x, y) return math.sqrt(x * x + y * y + 0.01 * x * y * x) end, 0, positive },
    { function(x, y) return not (x and y) end, true, truths },
    { function(x, y) return not x or y end, true, truths },
    { function(x, y) if x then return not y end return x end, true, truths },
    { "(double x, double y) { return x - y; }", 0, floats },
}

describe("lun.check", function()
    before_each(function()
        lun.check(true)
    end)

    after_each(function()
        lun.check(false)
    end)

    -- What it says of an operator; nil: nothing.
    local function alarm(row, scans)
        local a = lun.vector(row[3])
        local ok, message = pcall(function()
            return (scans and lun.scan or lun.reduce)(row[1], row[2])(a)
        end)
        return not ok and tostring(message) or nil
    end

    it("raises no alarm for 50 right operators", function()
        assert.equal(50, #right)
        for i, row in ipairs(right) do
            assert.is_nil(alarm(row, i % 2 == 0), "operator " .. i)
        end
    end)

    it("finds 49 of 50 wrong operators at least, with operands", function()
        assert.equal(50, #wrong)
        local found = 0
        for i, row in ipairs(wrong) do
            local message = alarm(row, i % 2 == 0)
            if message then
                found = found + 1
                assert.is_truthy(message:find "lun%.check%): it is not associative: f%(f%(.-, .-%), .-%) is .-, f%(.-, f%(.-, .-%)%) is "
                    or message:find "is not its identity: f%(.-, .-%) is ", message)
            end
        end
        assert.is_true(found >= 49, found .. " of 50")
    end)

    it("names the skeleton, the operands and the script's line", function()
        local ok, message = pcall(function()
            local s = lun.reduce(function(x, y) return x - y end, 0)(lun.vector { 0, 1 })
            return s
        end)
        assert.is_false(ok)
        assert.is_truthy(message:find "check_spec.lua:%d+: the function given to 'reduce' is not suitable %(lun%.check%)%: ", message)
        assert.is_truthy(message:find("f(f(0, 0), 1) is -1, f(0, f(0, 1)) is 1", 1, true), message)
        ok, message = pcall(function()
            local s = lun.vector { 3, 4 }:scan("+", 2)
            return s
        end)
        assert.is_false(ok)
        assert.is_truthy(message:find("^tests/spec/loop/check_spec.lua:%d+: .*2 is not its identity: f%(2, 3%) is 5"), message)
    end)

    it("computes elements again by Lua itself", function()
        local a = lun.vector(floats)
        assert.equal(#floats, #a:map(function(x) return math.sin(x) * 2 end))
        assert.equal(2, lun.zip(function(x, y, k) return x * k + y end)(lun.vector { 1, 2 }, lun.vector { 3, 4 }, 10):size())
        -- what a kernel cannot know: the function is another one each time it is called
        local other = { function(x) return x + 1 end }
        local kernel = a:map(other[1])
        local ok, message = pcall(require("lunarray.function.check").elements, "map", function(x) return x + 2 end, { a }, 1, kernel, 1)
        assert.is_false(ok)
        assert.is_truthy(message:find("returns 1.25 for element 1, but Lua itself returns 2.25 (lun.check): f(0.25)", 1, true), message)
    end)

    it("checks plain indices of arrays in C functions", function()
        local w = lun.vector { 10.5, 20.5, 30.5 }
        local function fails(line, index, text, x, ...)
            local extra = { ... }
            local ok, message = pcall(function() lun.vector { 0, x }:map(text, w, table.unpack(extra)):eval() end)
            local wanted = "loop/check_spec.lua:177: C function, line %d: index %d is out of range for array 'w' of length 3"
            wanted = wanted:format(line, index)
            assert.is_false(ok, text)
            assert.is_truthy(tostring(message):find(wanted, 1, true), tostring(message))
        end
        for _, backend in ipairs(lun.backends()) do
            lun.use(backend)
            fails(2, 7, "double f(long i, const double *w) {\n return w[i] * 2; }", 7)
            fails(1, -1, "(long i, const double *w) { return (w[i / -7] + w[0]) / 2; }", 7)
            fails(1, 3, "(double x, const double *w) { int i = 0; while (w[i] <= x) { i++; } return i; }", 50)
            fails(1, 3, "(double x, const double *w) { int i; for (i = 0; w[i] <= x; i++) x += 1; return i; }", 50)
            fails(1, 4, "(long i, const double *w, const double *v) { return v[0] * w[(int)v[i]]; }", 1, lun.vector { 1.0, 4.0 })
            fails(1, 9, "(long i, const double *w) { return 1 && i && w[8 + i] > 0; }", 1)
            -- within its range, and where w is something else, or only an address
            local function gives(x, text)
                assert.same({ x }, lun.vector { 2.0 }:map(text, w):totable(), text)
            end
            gives(61.5, "(double x, const double *w) { double s = 0; for (int i = 0; i < 3; i++) s += w[i]; return s; }")
            gives(33.5, "double h(const double *w, int i) { return w[i]; } double f(double x, const double *w) "
                .. "{ return h(w, 2) + *(&w[3] - 3) - w[0] + 3; }")
            gives(3.0, "(double x, const double *w) { { double a = 1, w[9] = {a}; w[8] = 2; return w[0] + w[8]; } }")
            gives(7.0, "typedef struct { double w[5]; } T; double f(double x, const double *w) { T t; t.w[4] = 7; return t.w[4]; }")
            gives(51.0, "#define W(i) w[i]\ndouble f(double x, const double *w) { return W(1) + w[(int)x]; }")
        end
        lun.use(lun.backends()[1])
    end)

    it("leaves everything as it was when it is off", function()
        local before = math.random
        assert.is_true(lun.check())
        lun.check(false)
        assert.is_false(lun.check())
        assert.equal(before, math.random)
        assert.is_number(lun.reduce(function(x, y) return x - y end, 0)(lun.vector { 1, 2, 3 }):value())
        assert.is_truthy(select(2, pcall(lun.check, 1)):find "boolean or table of options expected")
    end)

    it("keeps results and errors", function()
        assert.same({ 0, 3, 4, 8 }, lun.scan("+", 0)(lun.vector { 3, 1, 4, 1 }):totable())
        assert.same({ 3, 4, 8, 9 }, lun.vector { 3, 1, 4, 1 }:scan("+", 0, { inclusive = true }):totable())
        local q, r = lun.map(function(x) return x // 2, x % 2 end)(lun.vector { 5, 6 })
        assert.same({ { 2, 3 }, { 1, 0 } }, { q:totable(), r:totable() })
        assert.is_truthy(tostring(select(2, pcall(lun.map, "+"))):find "bad argument #1 to 'map'", 1, true)
        assert.is_truthy(tostring(select(2, pcall(lun.reduce, "-", 0))):find "bad argument #1 to 'reduce'", 1, true)
        assert.equal(0, lun.reduce("+", 0)(lun.zeros(0)):value())
    end)

    it("tries what folds the pairs of rows of two matrices", function()
        local expect = require "expect"
        local A, B = lun.vector(floats):reshape(5, 2), lun.vector(positive):reshape(5, 2)
        local function close(x, y) return math.abs(x - y) end
        local function halves(x, y) return x / 2 + y end
        local error = expect.failure("given to 'allpairs' is not suitable (lun.check): it is not associative", function()
            local C = lun.allpairs(close, halves, 0)(A, B)
            return C
        end)
        assert.truthy(tostring(error):find "^tests/spec/loop/check_spec.lua:%d+: ", tostring(error))
        expect.failure("1 is not its identity", function()
            local C = A:allpairs(B, "-", "+", 1)
            return C
        end)
        expect.failure("it is not associative", function() return A:allpairs(B, close, halves, 0, { out = "f32" }) end)
        expect.failure("shapes do not fit", function() return A:allpairs(B:transpose(), close, "+") end)
        expect.failure("array expected", function() return A:allpairs(3, close, "+") end)
        local checked = { A:allpairs(B, close, "+", 0):tobytes(), lun.allpairs("-", "max")(A, B):tobytes(),
            A:allpairs(B, function(x, y, p) return math.abs(x - y) ^ p end, "+", 0, 3):tobytes(),
            lun.allpairs("-", "+", nil, { out = "f32" })(A, B):tobytes(), A:allpairs(B:sub(1, 0), "-", "+"):tobytes() }
        lun.check(false)
        assert.same(checked, { A:allpairs(B, close, "+", 0):tobytes(), lun.allpairs("-", "max")(A, B):tobytes(),
            A:allpairs(B, function(x, y, p) return math.abs(x - y) ^ p end, "+", 0, 3):tobytes(),
            lun.allpairs("-", "+", nil, { out = "f32" })(A, B):tobytes(), A:allpairs(B:sub(1, 0), "-", "+"):tobytes() })
    end)
end)
