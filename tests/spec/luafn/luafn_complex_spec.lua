-- Complex numbers in plain Lua functions: values of NumPy (complex_loops.py), the bits of operations on arrays on every
-- backend, every function that calls one, and what is refused.
local lun = require "lunarray"
local expect = require "expect"
local wanted = require "luafn.complex_loops"
local values = require "math.complex_values"

local c, i = lun.complex, lun.i

local function bytes(a)
    return a:dtype() .. a:tobytes()
end

-- Fails unless both functions give the same bits on every backend.
local function same(by_operators, by_function)
    expect.everywhere(function(backend)
        assert.equal(bytes(by_operators()), bytes(by_function()), backend)
    end)
end

local function fails(text, f, ...)
    local ok, e = pcall(f, ...)
    assert(not ok, "no error")
    assert(tostring(e):find(text, 1, true), tostring(e))
end

local function numbers(list)
    local result = {}
    for k, z in ipairs(list) do result[k] = c(z[1], z[2]) end
    return lun.vector(result)
end

-- Fails unless elements are within so many roundings of NumPy's moduli.
local function near(list, a, roundings)
    local got = a:totable()
    assert.equal(#list, #got)
    for k, z in ipairs(list) do
        local e = (got[k] - c(z[1], z[2])):abs()
        assert.is_true(e <= (roundings or 50) * 2.0 ^ -53 * c(z[1], z[2]):abs(), ("%d: %s"):format(k, tostring(got[k])))
    end
end

local points = numbers(wanted.points)

describe("complex numbers in a Lua function", function()
    it("leave a loop where NumPy's do", function()
        local add = c(-0.8, 0.156)
        local function escape(z)
            local n = 0
            while n < 80 and z.re * z.re + z.im * z.im <= 4 do
                z, n = z * z + add, n + 1
            end
            return n
        end
        expect.everywhere(function()
            local grid = c(lun.linspace(-1.5, 1.5, 13), lun.linspace(-1, 1, 9):reshape(9, 1))
            local got = grid:map(escape)
            assert.is_true(got:equals(lun.vector(wanted.julia)))
            assert.is_true(lun.generate({ 9, 13 }, function(k, j) return escape(grid[k][j]) end):equals(got))
        end)
    end)

    it("compute what NumPy's do", function()
        local factors = { c(1, 2), -3 * i, 0.5, c(2, -1) }
        expect.everywhere(function()
            near(wanted.newton, points:map(function(z)
                for _ = 1, 10 do z = z - (z ^ 3 - 1) / (3 * z ^ 2) end
                return z
            end), 2 ^ 26) -- a starting point may be between two roots
            near(wanted.horner, points:map(function(z)
                local p = 0 -- becomes complex
                p = p * z + factors[1]
                p = p * z + factors[2]
                p = p * z + factors[3]
                return p * z + factors[4]
            end))
            near(wanted.functions, points:map(function(z)
                return lun.exp(z) * (z + 2):sqrt() - lun.log(z * i) / lun.tanh(z)
            end), 200)
        end)
    end)

    it("have the bits of operations on arrays", function()
        local list = {}
        for _, name in ipairs { "exp", "sqrt", "asin", "atanh" } do
            for _, row in ipairs(values.points[name]) do list[#list + 1] = c(row[1], row[2]) end
        end
        local wide = lun.vector(list)
        local x = lun.linspace(-3, 3, #list)
        for _, dtype in ipairs { "c64", "c128" } do
            local z = wide:cast(dtype)
            local w = z:flip(1):copy()
            local r = x:cast(dtype == "c64" and "f32" or "f64")
            same(function() return z + w end, function() return z:zip(w, function(a, b) return a + b end) end)
            same(function() return z - w end, function() return z:zip(w, function(a, b) return a - b end) end)
            same(function() return z * w end, function() return z:zip(w, function(a, b) return a * b end) end)
            same(function() return z / w end, function() return z:zip(w, function(a, b) return a / b end) end)
            same(function() return z ^ w end, function() return z:zip(w, function(a, b) return a ^ b end) end)
            same(function() return z * r - 2 / z end, function() return z:zip(r, function(a, b) return a * b - 2 / a end) end)
            same(function() return r ^ z end, function() return z:zip(r, function(a, b) return b ^ a end) end)
            same(function() return r / z end, function() return z:zip(r, function(a, b) return b / a end) end)
            same(function() return -(r - z) end, function() return z:zip(r, function(a, b) return -(b - a) end) end)
            for k = -3, 4 do
                same(function() return z ^ k end, function() return z:map(function(a) return a ^ k end) end)
            end
            same(function() return z ^ 0.5 end, function() return z:map(function(a) return a ^ 0.5 end) end)
            same(function() return r * i + 1.5 end, function() return r:map(function(a) return a * i + 1.5 end) end)
            same(function() return z:abs():add(z:angle()) end, function()
                return z:map(function(a) return a:abs() + lun.angle(a) end)
            end)
            same(function() return lun.where(z:eq(w), z:conj(), w:sign()) end, function()
                return z:zip(w, function(a, b) return lun.where(lun.eq(a, b), a:conj(), lun.sign(b)) end)
            end)
            same(function() return c(z:imag(), w:real()) end, function()
                return z:zip(w, function(a, b) return c(a.im, lun.real(b)) end)
            end)
        end
    end)

    -- Each function of complex numbers is a kernel of its own: a longer list is compiled in diff/complex_spec.
    for _, name in ipairs { "sqrt", "exp", "log", "sin", "tanh", "asinh", "acos", "atan" } do
        it("have the bits of " .. name .. " of an array", function()
            local list = {}
            for _, row in ipairs(values.points[name]) do list[#list + 1] = c(row[1], row[2]) end
            for _, row in ipairs(values.special[name] or {}) do list[#list + 1] = c(row[1], row[2]) end
            local f = lun[name]
            for _, dtype in ipairs { "c64", "c128" } do
                local z = lun.vector(list):cast(dtype)
                same(function() return f(z) end, function() return z:map(function(a) return f(a) end) end)
            end
        end)
    end

    it("have one type for each variable, and say which", function()
        local text = lun.explain(points:map(function(z)
            local sum = 0
            for k = 1, 3 do sum = sum + z / k end
            return sum
        end))
        assert.matches("local sum: c128", text, 1, true)
        same(function() return lun.where(points:real():gt(0), points, 1) end, function()
            return points:map(function(z)
                local w = 1
                if z.re > 0 then w = z end
                return w
            end)
        end)
    end)

    it("are equal to others, and to real numbers, exactly", function()
        local z = lun.vector { c(1, 0), c(1, 1e-300), i }
        local one = lun.vector { 1, 1, 0 }
        same(function() return lun.vector { true, false, false } end, function() return z:map(function(a) return a == 1 end) end)
        same(function() return lun.vector { true, false, false } end, function()
            return z:zip(one, function(a, b) if a ~= b then return false end
                return true
            end)
        end)
        same(function() return lun.vector { false, false, true } end, function() return z:map(function(a) return a == i end) end)
        same(function() return lun.vector { true, true, true } end, function()
            return z:map(function(a) return a ~= true and a ~= nil and a and true end)
        end)
    end)

    it("are captured, given, returned, several at once, and real ones beside them", function()
        local z = lun.vector({ c(1, 2), c(3, -4) }, "c64")
        local scale = c(0, 2)
        local map = lun.map(function(a, b, n, w) return a * scale, a.re + n, a + b, w[1] * a end)
        for _, factor in ipairs { c(0, 2), c(1, 1) } do
            scale = factor
            local p, q, r, s = map(z, i, 5, z)
            assert.equal(bytes(z * factor), bytes(p))
            assert.equal(bytes(z:real() + 5), bytes(q))
            assert.equal(bytes(z + i), bytes(r))
            assert.equal(bytes(z * z[1]), bytes(s))
        end
        local total = z:lazy "sum"
        assert.equal(bytes(z * total), bytes(z:map(function(a) return a * total end)))
        assert.equal("c128", z:map(function(a) return a end, { out = "c128" }):dtype())
        fails("a complex array does not fit f64", z.map, z, function(a) return a end, { out = "f64" })
    end)

    it("are elements of captured arrays of any rank and layout", function()
        local A = lun.vector { { c(1, 2), c(3, 4), 5 }, { i, c(0, -1), c(7, 7) } }
        same(function() return A:sum(2) end, function()
            return lun.generate(#A, function(k)
                local row, s = A[k], 0
                for j = 1, #row do s = s + row[j] end
                return s
            end)
        end)
        local T = A:transpose()
        same(function() return T:copy() * 2 end, function()
            return lun.generate({ 3, 2 }, function(k, j) return T[k][j] * 2 end)
        end)
        fails("index 4 is out of range for axis 2 of array 'A' (length 3)", function()
            return lun.generate(2, function(k) return A[k][k + 2] end):eval()
        end)
    end)

    it("are assigned in lun.each, replaced or combined", function()
        for _, dtype in ipairs { "c64", "c128" } do
            local n = #points
            local z, a, h = points:cast(dtype), lun.zeros(n, dtype), lun.zeros(2, dtype)
            lun.each(n, function(k) a[k] = z[k] * i end)
            assert.equal(bytes(z * i), bytes(a))
            lun.each(n, function(k) if k % 2 == 0 then a[k] = a[k] - k end end)
            lun.each(n, function(k) h[k % 2 + 1] = h[k % 2 + 1] + c(k, -1) end)
            assert.equal(tostring(c(58 * 59, -58)), tostring(h[1]))
            assert.equal(tostring(c(59 * 59, -59)), tostring(h[2]))
            lun.each(3, function(k) a[k] = k end) -- a real number
            assert.equal("2.0+0.0i", tostring(a[2]))
        end
        local x = lun.zeros(2)
        fails("complex number", lun.each, 2, function(k) x[k] = c(k, k) end)
        local h = lun.zeros(2, "c128")
        fails("reads 'h' where another round may assign it", lun.each, 2, function(k) h[k] = h[3 - k] end)
    end)

    it("are around an index of a stencil", function()
        local z = points:sub(1, 12)
        local s = lun.stencil(function(x) return x(-1) + x(1) * i end, { edge = "wrap" })
        same(function() return z:roll(1) + z:roll(-1) * i end, function() return s(z) end)
    end)

    it("go through chains and run{out=}", function()
        local square = lun.map(function(z) return z * z end)
        local chain = square >> lun.map(function(z) return z + i end)
        assert.equal(bytes(points * points + i), bytes(chain(points)))
        local out = lun.zeros(#points, "c128")
        square:run { points, out = out }
        assert.equal(bytes(points * points), bytes(out))
    end)

    it("refuse what they have not, with the line", function()
        local function refused(text, f)
            fails(text, points.map, points, f)
        end
        refused("complex numbers have no order: take abs(), re or im", function(z) return z < 1 end)
        refused("complex numbers have + - * / ^ alone", function(z) return z // 2 end)
        refused("complex numbers have + - * / ^ alone", function(z) return z & 1 end)
        refused("math on a complex number: take its re, im or abs()", function(z) return math.floor(z) end)
        refused("math.sqrt of a complex number: lun.sqrt takes one", function(z) return math.sqrt(z) end)
        refused("lun.floor is not for complex numbers: take abs(), re or im", function(z) return lun.floor(z) end)
        refused("lun.max: complex numbers have no order", function(z) return lun.max(z, z) end)
        refused("'re' of a number: only complex numbers have it", function(z) return (z.re + 1).re end)
        refused("'abs' of a number: only complex numbers have it", function(z) return (z.re + 1):abs() end)
        refused("'foo' is no method of complex numbers in a kernel", function(z) return z:foo() end)
        refused("luafn_complex_spec.lua", function(z) return z < 1 end)
        refused("'for'", function(z) for _ = 1, z do z = z + 1 end return z end)
        fails("indexing on a complex number", lun.generate, 2, function(k) return points[points[k]] end)
        local Spot = lun.struct("ComplexSpot", { { "x", "f64" } })
        refused("field 'x' of ComplexSpot is f64, not complex: give its re, im or abs()", function(z) return Spot(z) end)
    end)
end)

describe("complex numbers combined by a Lua function", function()
    local function plus(a, b) return a + b end
    local function times(a, b) return a * b end

    it("reduce and scan as NumPy's sums and products", function()
        expect.everywhere(function()
            near(wanted.product, points:sub(1, 12):reduce(times, 1):reshape(1), 50)
            local factors = points:sub(1, 20) * points:sub(21, 40)
            near(wanted.cumulative, factors:scan(plus, 0, { inclusive = true }), 100)
        end)
    end)

    it("along an axis, of both dtypes, with a complex or a real first value", function()
        for _, dtype in ipairs { "c64", "c128" } do
            local A = points:sub(1, 24):reshape(4, 6):cast(dtype)
            same(function() return A:prod { axis = 2 } end, function() return A:reduce(times, 1, { axis = 2 }) end)
            same(function() return A:cumprod { axis = 1 } end, function()
                return A:scan(times, c(1, 0), { axis = 1, inclusive = true })
            end)
        end
        local x = lun.vector { 1, 2, 3 }
        assert.equal("0.0+6.0i", tostring(x:reduce(times, i):value()))
        fails("need an initial value", points.reduce, points, times)
    end)

    it("take more elements and further arguments", function()
        local z, n = points:sub(1, 4), lun.vector { 1, 2, 3, 4 }
        local sum, count = lun.reduce(function(s, k, w, m) return s + w * m, k + m end, { 0, 0 }, { elements = 2 })(z, n)
        assert.equal(10.0, count:value() + 0.0)
        assert.is_true(lun.iscomplex(sum))
    end)
end)
