-- Complex numbers as values and as arrays: making, parts, elements, operators, dtypes, moving, reductions, printing, files,
-- and what is refused.  Numbers are those of NumPy 2.4 where a comment does not derive them.
local lun = require "lunarray"
local expect = require "expect"

local c, i, fails = lun.complex, lun.i, expect.failure

-- Fails unless a has these elements, by their texts, which tell zeros of both signs apart.
local function same(wanted, a)
    local got = a:flatten():totable()
    assert(#got == #wanted, #got .. " elements")
    for k, x in ipairs(wanted) do
        assert(tostring(got[k]) == tostring(x), ("element %d is %s, not %s"):format(k, tostring(got[k]), tostring(x)))
    end
end

describe("a complex number", function()
    it("has parts, operators and methods", function()
        local z = 3 + 4 * i
        assert.equal("3.0+4.0i", tostring(z))
        assert.equal("0.0-1.5i", tostring(c(0, -1.5)))
        assert.equal("nan+infi", tostring(c(0 / 0, math.huge)))
        assert.equal("1.0-0.0i", tostring(c(1):conj()))
        assert.equal(3.0, z.re)
        assert.equal(4.0, z.im)
        assert.equal(5.0, z:abs())
        assert.equal("-7.0+24.0i", tostring(z * z))
        assert.equal("1.5+2.0i", tostring(z / 2))
        assert.equal("0.24-0.32i", tostring(2 / z))
        assert.equal("1.0+0.0i", tostring(z / z))
        assert.equal("-3.0-4.0i", tostring(-z))
        assert.equal("2.0-4.0i", tostring(5 - z))
        assert.equal("-7.0+24.0i", tostring(z ^ 2))
        assert.equal("2.0+1.0i", tostring(z:sqrt()))
        assert.is_true(z == c(3, 4))
        assert.is_false(z == c(3, 5))
        assert.is_false(c(3) == 3) -- Lua asks no metamethod of a number
        assert.is_true(c(3):eq(3))
        assert.is_true(z:ne(3))
        assert.equal(math.pi / 2, i:angle())
        assert.is_nil(math.type(z))
        assert.is_true(lun.iscomplex(z))
        assert.is_false(lun.iscomplex(3))
        assert.is_false(lun.iscomplex(lun.zeros(2)))
        assert.is_true(lun.iscomplex(lun.zeros(2, "c64")))
    end)

    it("has the bits of an element of an array", function()
        local list = { c(1.25, -0.7), c(-3.5, 1e-9), c(0.1, 700) }
        local a = lun.vector(list)
        for _, name in ipairs { "exp", "log", "sqrt", "sin", "tanh", "asin", "acosh", "atan", "square", "reciprocal" } do
            local whole = a[name](a)
            for k, z in ipairs(list) do
                assert.equal(tostring(whole[k]), tostring(z[name](z)))
                assert.is_true(whole[k] == z[name](z))
            end
        end
        for k, z in ipairs(list) do
            assert.is_true((a * c(0.3, 7))[k] == z * c(0.3, 7))
            assert.is_true((a / c(0.3, 7))[k] == z / c(0.3, 7))
            assert.is_true((c(0.3, 7) / a)[k] == c(0.3, 7) / z)
        end
    end)

    it("has no order, does not change, and has no other operators", function()
        local z = c(1, 2)
        fails("complex numbers have no order", function() return z < 3 end)
        fails("complex numbers have no order", function() return z <= z end)
        fails("complex numbers have + - * / ^ alone", function() return z // 2 end)
        fails("complex numbers have + - * / ^ alone", function() return z % 2 end)
        fails("complex numbers have + - * / ^ alone", function() return z & 2 end)
        fails("a complex number does not change", function() z.re = 3 end)
        fails("bad argument #1 to 'complex' (real array or number expected, got complex number)", c, z)
        fails("bad argument #2 to 'complex' (real array or number expected, got string)", c, 1, "2")
    end)
end)

describe("a complex array", function()
    it("is made of values, zeros, numbers, parts", function()
        local a = lun.vector { c(1, 2), 3 }
        assert.equal("c128", a:dtype())
        same({ c(1, 2), c(3) }, a)
        assert.equal("c64", lun.vector({ 1, i }, "c64"):dtype())
        same({ c(1), c(0, 1) }, lun.vector({ 1, i }, "c64"))
        assert.equal("c64", lun.zeros(3, "c64"):dtype())
        same({ c(0), c(0), c(0) }, lun.zeros(3, "c64"))
        same({ c(1), c(1) }, lun.ones(2, "c128"))
        same({ i, i }, lun.full(2, i))
        same({ c(2), c(2) }, lun.full(2, 2, "c64"))
        assert.equal("c64", lun.full({ 2, 2 }, i, "c64"):dtype())
        assert.equal("c64", c(lun.zeros(2, "f32"), lun.ones(2, "f32")):dtype())
        assert.equal("c64", c(lun.zeros(2, "f32"), 1):dtype())
        assert.equal("c128", c(lun.zeros(2, "f32"), lun.ones(2)):dtype())
        assert.equal("c128", c(lun.vector { 1, 2 }, 0):dtype())
        same({ c(1, 10), c(1, 20), c(2, 10), c(2, 20) }, c(lun.vector { { 1 }, { 2 } }, lun.vector { 10, 20 }))
        assert.same({ 2, 2 }, { lun.vector({ { 1, i }, { 2, 3 } }):shape() })
        same({ c(1), i, c(2), c(3) }, lun.vector { lun.vector { 1, i }, lun.vector { 2, 3 } })
        same({ c(0, 2), c(0, 4) }, lun.polar(lun.vector { 2, 4 }, lun.pi / 2):imag() * i)
    end)

    it("of random numbers has the pairs of the real stream", function()
        for _, dist in ipairs { "uniform", "normal" } do
            local a = lun.random({ 2, 3 }, { dtype = "c128", seed = 5, dist = dist })
            local x = lun.random(12, { seed = 5, dist = dist })
            for k, z in ipairs(a:flatten():totable()) do
                assert.equal(x[2 * k - 1], z.re)
                assert.equal(x[2 * k], z.im)
            end
        end
        assert.equal("c64", lun.random(3, { dtype = "c64" }):dtype())
    end)

    it("has its parts as windows that are written through", function()
        for _, a in ipairs { lun.vector { c(1, 2), c(3, 4) }, lun.zeros(2, "c128") + lun.vector { c(1, 2), c(3, 4) } } do
            expect.elements({ 1.0, 3.0 }, a:real())
            expect.elements({ 2.0, 4.0 }, a.im)
            a.re[1] = 10
            a:imag():set(7)
            same({ c(10, 7), c(3, 7) }, a)
        end
        local b = lun.vector { 1, 2 }
        expect.elements({ 1, 2 }, b:real())
        expect.elements({ 0, 0 }, b:imag())
        local row = lun.random({ 3, 4 }, { dtype = "c64", seed = 1 })
        row[2].im:set(1)
        assert.equal(4.0, row:imag()[2]:sum())
        assert.equal("f32", row:real():dtype())
        row:sub({ 1, 2 }, { 1, 2 }).re:set(0)
        assert.equal(0.0, row[1][2].re)
    end)

    it("takes elements, rows, fills and windows", function()
        local a = lun.zeros({ 2, 3 }, "c128")
        a[1][2] = c(1, 2)
        a[2][1] = 5
        a[1][3] = i
        same({ c(0), c(1, 2), i, c(5), c(0), c(0) }, a)
        a[2] = lun.vector { 1, 2, i }
        same({ c(1), c(2), i }, a[2])
        a[1] = 2 * i
        same({ 2 * i, 2 * i, 2 * i }, a[1])
        a:sub({ 1, 2 }, { 1, 1 }):set(lun.vector { { 7 }, { 8 } })
        same({ c(7), c(8) }, a:select(2, 1))
        a:fill(c(1, 1))
        same({ c(1, 1), c(1, 1), c(1, 1) }, a[2])
        local before = a:copy()
        a[1][1] = 0
        assert.equal("1.0+1.0i", tostring(before[1][1]))
    end)

    it("converts between widths, from real numbers, and to none", function()
        local a = lun.vector { c(0.1, 1), c(2, 3) }
        assert.equal("c64", a:cast "c64":dtype())
        assert.equal(lun.vector({ 0.1 }, "f32")[1], a:cast "c64"[1].re)
        same({ c(1), c(2) }, lun.vector { 1, 2 }:cast "c64")
        local text = "a complex array does not fit f64: take real(), imag() or abs()"
        fails(text, a.cast, a, "f64")
        fails("a complex array does not fit bool", a.cast, a, "bool")
        fails("a complex array does not fit text", a.cast, a, "text")
        fails(text, function() lun.zeros(2):set(a) end)
        fails(text, function() a:copyto(lun.zeros(2)) end)
        fails("a complex number does not fit f64: take re, im or abs()", function() lun.zeros(2)[1] = i end)
        fails("a complex number does not fit i64", function() lun.vector { 1 }:fill(i) end)
        fails("a complex number does not fit f32", lun.full, 2, i, "f32")
        fails("t[1] is a complex number: the dtype is not c64 or c128", lun.vector, { i }, "f64")
        fails("no element of a complex array is missing", lun.vector, { i, lun.na })
        fails("no element of a complex array is missing", function() a[1] = lun.na end)
        assert.is_false(a:ismissing():any())
    end)

    it("beats other dtypes, and numbers are weak", function()
        local function dtype(a, b) return (a + b):dtype() .. " " .. (b * a):dtype() .. " " .. (a / b):dtype() end
        local c64, c128 = lun.ones(2, "c64"), lun.ones(2, "c128")
        assert.equal("c64 c64 c64", dtype(c64, lun.ones(2, "f32")))
        assert.equal("c128 c128 c128", dtype(c64, lun.ones(2, "f64")))
        assert.equal("c128 c128 c128", dtype(c64, c128))
        for _, name in ipairs { "i64", "u8", "bool", "f16", "bf16" } do
            assert.equal("c64 c64 c64", dtype(c64, lun.ones(2, name)))
            assert.equal("c128 c128 c128", dtype(c128, lun.ones(2, name)))
        end
        assert.equal("c64 c64 c64", dtype(c64, 2.5))
        assert.equal("c64 c64 c64", dtype(c64, i))
        assert.equal("c64 c64 c64", dtype(lun.ones(2, "f32"), i))
        assert.equal("c64 c64 c64", dtype(lun.ones(2, "f16"), i))
        assert.equal("c128 c128 c128", dtype(lun.ones(2), i))
        assert.equal("c128 c128 c128", dtype(lun.ones(2, "i32"), i))
        assert.equal("c128", (lun.vector { 1, 2 } .. lun.vector { i }):dtype())
        assert.equal("c64", (lun.ones(2, "f32") .. lun.ones(1, "c64")):dtype())
        assert.equal("c64", lun.where(lun.vector { true, false }, c64, 2.5):dtype())
    end)
end)

describe("operators", function()
    local a, b = lun.vector { c(1, 2), c(-0.5, 3), c(0, -1) }, lun.vector { c(3, -1), c(2, 2), c(1, 4) }

    it("are those of parts, each rounded", function()
        same({ c(4, 1), c(1.5, 5), c(1, 3) }, a + b)
        same({ c(-2, 3), c(-2.5, 1), c(-1, -5) }, a - b)
        same({ c(5, 5), c(-7, 5), c(4, -1) }, a * b)
        same({ c(0.1, 0.7), c(0.625, 0.875), c(-4 / 17, -1 / 17) }, a / b)
        same({ c(-1, -2), c(0.5, -3), c(-0.0, 1) }, -a)
        same({ c(2, 4), c(-1, 6), c(0, -2) }, 2 * a)
        same({ c(0.5, 1), c(-0.25, 1.5), c(0, -0.5) }, a / 2)
        same({ c(-2, 1), c(-3, -0.5), c(1, 0) }, a * i)
        same({ c(2, 2), c(0.5, 3), c(1, -1) }, a + 1)
        same({ c(0, -2), c(1.5, -3), c(1, 1) }, 1 - a)
    end)

    it("keep an absent part out of infinities", function()
        local z = lun.vector { c(math.huge, 1) }
        same({ c(math.huge, 2) }, z * 2)
        same({ c(math.huge, 0.5) }, z / 2)
        same({ c(math.huge, 1) }, z + 1)
        same({ c(1, -0.0) }, lun.vector { c(1, -0.0) } + 0)
    end)

    it("raise to powers: whole ones by squaring, others by exp and log", function()
        same({ c(-11, -2), c(13.375, -24.75), c(-0.0, 1) }, a ^ 3)
        same({ c(1), c(1), c(1) }, a ^ 0)
        same({ c(1) }, lun.vector { c(0 / 0, 1) } ^ 0)
        same({ c(0.2, -0.4) }, lun.vector { c(1, 2) } ^ -1)
        same({ c(1), c(0), c(0 / 0, 0 / 0) }, lun.vector { c(0), c(0), c(0) } ^ lun.vector { c(0), c(2, 1), c(-1, 1) })
        -- (1+2i)^(3-i), by mpmath 1.4 to 17 digits
        local z = (lun.vector { c(1, 2) } ^ c(3, -1))[1]
        assert.is_true((z - c(-27.436381991606051, 19.789310365010698)):abs() < 1e-13)
        local w = (c(3, -1) * c(1, 2):log()):exp()
        assert.is_true(z == w)
    end)

    it("compare for equality alone, and are true where they are not 0", function()
        local z = lun.vector { c(1, 2), c(3), c(0), c(0, 1) }
        expect.elements({ false, true, false, false }, z:eq(3))
        expect.elements({ true, false, true, true }, z:ne(3))
        expect.elements({ true, false, false, false }, z:eq(c(1, 2)))
        expect.elements({ true, true, false, true }, z:land(true))
        expect.elements({ false, false, true, false }, z:lnot())
        expect.elements({ true, true, false, true }, z:ne(0))
        same({ c(1, 2), i, i, i }, lun.where(z:eq(c(1, 2)), z, i))
        same({ c(1), c(2), c(1), c(1) }, lun.where(lun.vector { true, false, true, true }, 1, 2 + 0 * i))
        expect.elements({ 1, 1, 2, 1 }, lun.where(z, 1, 2))
        assert.is_true(z == z:copy())
        assert.is_false(z == z * 2)
        assert.is_true(lun.vector { c(0 / 0, 1) } == lun.vector { c(0 / 0, 1) })
    end)

    it("give moduli, angles, conjugates, signs, roundings, tests", function()
        local z = lun.vector { c(3, 4), c(-1, 0), c(0), c(1.5, -2.5) }
        expect.elements({ 5.0, 1.0, 0.0, math.sqrt(8.5) }, z:abs())
        assert.equal("f32", z:cast "c64":abs():dtype())
        expect.elements({ math.atan(4, 3), math.pi, 0.0, math.atan(-2.5, 1.5) }, z:angle())
        same({ c(3, -4), c(-1, -0.0), c(0, -0.0), c(1.5, 2.5) }, z:conj())
        same({ c(0.6, 0.8), c(-1), c(0), c(1.5, -2.5) / math.sqrt(8.5) }, z:sign())
        same({ c(3, 4), c(-1), c(0), c(2, -3) }, z:round())
        local n, h = 0 / 0, math.huge
        local s = lun.vector { c(n, 0), c(0, n), c(h, n), c(1, -h), c(1, 1) }
        expect.elements({ true, true, true, false, false }, s:isnan())
        expect.elements({ false, false, true, true, false }, s:isinf())
        expect.elements({ false, false, false, false, true }, s:isfinite())
        expect.elements({ 1, 2 }, lun.vector { 1, 2 }:conj())
    end)
end)

describe("an expression of complex arrays", function()
    it("is one kernel for both parts", function()
        local a = lun.random(100, { dtype = "c128", seed = 1 }):copy()
        assert.is_truthy(tostring(lun.explain(a * a + 1)):find("plan: 1 kernel,", 1, true))
        assert.is_truthy(tostring(lun.explain(a * a + 1)):find("writes 2 arrays", 1, true))
    end)
end)

describe("moving and reducing", function()
    local a = lun.random({ 3, 4 }, { dtype = "c128", seed = 9 }):copy()

    -- The same call of both parts.
    local function by_parts(f)
        local z = f(a)
        assert.is_true(z:real() == f(a:real()))
        assert.is_true(z:imag() == f(a:imag()))
        assert.equal("c128", z:dtype())
    end

    it("moves parts together", function()
        by_parts(function(x) return x:transpose() end)
        by_parts(function(x) return x:reshape(2, 6) end)
        by_parts(function(x) return x:flatten() end)
        by_parts(function(x) return x:sub({ 2, 3 }, { 4, 1, -1 }) end)
        by_parts(function(x) return x[2] end)
        by_parts(function(x) return x:take({ 3, 1, 1 }, { axis = 1 }) end)
        by_parts(function(x) return x:flip() end)
        by_parts(function(x) return x:roll(1) end)
        by_parts(function(x) return x:shift(1, { edge = "wrap" }) end)
        by_parts(function(x) return x:pad(1, 0) end)
        by_parts(function(x) return x:compress(lun.vector { true, false, true }, { axis = 1 }) end)
        by_parts(function(x) return x:windows(2) end)
        by_parts(function(x) return x:broadcast(2, 3, 4) end)
        by_parts(function(x) return x:diagonal() end)
        by_parts(function(x) return lun.concat({ x, x }, 2) end)
        by_parts(function(x) return lun.stack({ x, x * 2 }, 1) end)
        by_parts(function(x) return x:tile(2) end)
        by_parts(function(x) return x:copy() end)
        by_parts(function(x) return lun.vector(x, nil, { layout = "left" }) end)
    end)

    it("sums and averages with the bits of the parts", function()
        by_parts(function(x) return x:sum { axis = 1 } end)
        by_parts(function(x) return x:mean { axis = 2, keep = true } end)
        local re, im = a:real(), a:imag()
        assert.is_true(a:sum() == c(re:sum(), im:sum()))
        assert.is_true(a:mean() == c(re:mean(), im:mean()))
        assert.equal(re:var() + im:var(), a:var())
        assert.equal(math.sqrt(re:var { ddof = 1 } + im:var { ddof = 1 }), a:std { ddof = 1 })
        assert.equal(math.sqrt((re * re + im * im):sum()), a:norm())
        assert.equal("f64", a:var { axis = 1 }:dtype())
        assert.is_true(a:any())
        assert.equal(2, lun.vector { c(0, 1), c(0), c(2) }:count())
        assert.is_false(lun.vector { c(0, 1), c(0) }:all())
        assert.equal("c64", lun.ones({ 3, 2 }, "c64"):sum { axis = 1 }:dtype())
        assert.is_true(lun.vector { c(1, 2), i }:dot(lun.vector { c(3), i }) == c(2, 6))
        assert.is_true(lun.vector { c(1, 2), i }:vecdot(lun.vector { c(3), i }) == c(4, -6))
    end)

    it("multiplies matrices by four real products", function()
        local b = lun.random({ 4, 2 }, { dtype = "c128", seed = 10 })
        local p, ar, ai, br, bi = a:matmul(b), a:real():copy(), a:imag():copy(), b:real():copy(), b:imag():copy()
        assert.is_true(p:real() == ar:matmul(br) - ai:matmul(bi))
        assert.is_true(p:imag() == ar:matmul(bi) + ai:matmul(br))
        assert.is_true(a:matmul(br):imag() == ai:matmul(br))
        assert.is_true(ar:matmul(b):imag() == ar:matmul(bi))
        same({ c(1, -2), c(3, -0.0), c(0, -1), c(-0.0, 1) }, lun.vector { { c(1, 2), i }, { 3, -i } }:adjoint())
    end)
end)

describe("printing and bytes", function()
    it("#place aligns the parts as columns", function()
        assert.equal("Vector<c128>[2] openmp\n[ 1.0+2.0i -0.5-3.0i]",
            (tostring(lun.vector { c(1, 2), c(-0.5, -3) }):gsub("> ", ">")))
        assert.equal("[1.0 +2.5i 1.0-10.0i]", tostring(lun.vector { c(1, 2.5), c(1, -10) }):match "\n(.*)")
        assert.equal("0.1+0.3i", tostring(lun.vector({ c(0.1, 0.3) }, "c64"):select(1, 1)):match "\n(.*)")
    end)

    it("has integrals, and numbers for NaN of its parts", function()
        assert.is_true(lun.vector { 1, 2 * i, 4 }:trapz():eq(2.5 + 2 * i))
        assert.is_true(lun.vector { 1, 2 * i, 4 }:trapz(lun.vector { 0, 2, 4 }):eq(5 + 4 * i))
        local z = lun.vector { c(0 / 0, 1), c(math.huge, 0 / 0), c(1, -math.huge) }:nan_to_num { nan = 7, posinf = 8 }
        assert.is_true(z:eq(lun.vector { c(7, 1), c(8, 7), c(1, -0x1.fffffffffffffp+1023) }):all())
        assert.equal("c64", z:cast "c64":nan_to_num():dtype())
    end)

    it("has bytes as C does, the real part first", function()
        local a = lun.vector { c(1, 2), c(3, 4) }
        assert.equal(string.pack("<dddd", 1, 2, 3, 4), a:tobytes())
        assert.equal(string.pack("<ff", 1, 2), a:cast "c64":sub(1, 1):tobytes())
        assert.is_true(lun.frombytes(a:tobytes(), "c128") == a)
        assert.is_true(lun.frombytes(a:tobytes(), "c128", { 2, 1 }) == a:reshape(2, 1))
    end)
end)
