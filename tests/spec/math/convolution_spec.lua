-- Convolution and correlation: values of NumPy and SciPy (convolution_values.py), bits of sums of products against plain
-- loops, long arrays against exact sums, modes, axes, mistakes; frequencies and exchanged halves.
local lun = require "lunarray"
local expect = require "expect"
local plain = require "math.plain"
local values = require "math.convolution_values"

local same, fails = plain.same, plain.fails

local function random(shape, seed, dtype)
    return (lun.random(shape, { seed = seed, dtype = dtype }) - 0.5):eval()
end

-- Sums of products of two lists in the order of b's index.
local function summed(a, b, dtype, first, step)
    local round, c = plain.ROUND[dtype], {}
    for k = 1, #a + #b - 1 do
        local s = 0.0
        for j = 1, #b do
            local x = a[first + k + step * j]
            if x then s = (round(s + round(x * b[j]))) end
        end
        c[k] = s
    end
    return c
end

describe("convolution", function()
    it("has NumPy's values, in every dtype", function()
        for _, dtype in ipairs { "i64", "f64", "f32", "i32", "f16" } do
            for _, v in ipairs(values) do
                local a, b = lun.vector(v.a, dtype), lun.vector(v.b, dtype)
                local c = a[v.name](a, b, { mode = v.mode })
                assert.equal(dtype, c:dtype())
                local scale = dtype:sub(1, 1) == "f" and 1.0 or 1
                assert.is_true((lun.vector(v.c) * scale):equals(c * scale), v.name .. v.mode)
            end
        end
    end)

    it("has the same values on every backend", function()
        expect.everywhere(function()
            for k = 1, #values, 5 do
                local v = values[k]
                local a, b = lun.vector(v.a), lun.vector(v.b)
                assert.is_true(lun.vector(v.c):equals(a[v.name](a, b, { mode = v.mode })))
            end
        end)
    end)

    it("adds the products of long arrays in the same order", function()
        for _, case in ipairs { { 4230, 64, "f64" }, { 4200, 5, "f32" }, { 4100, 1, "f64" } } do
            local n, m, dtype = table.unpack(case)
            local a, b = random(n, n, dtype):copy(), random(m, m + 7, dtype)
            a[100], a[2000], a[3000] = 1 / 0, 0 / 0, 0
            local x, y = a:totable(), b:totable()
            local all = summed(x, y, dtype, 1, -1)
            same(all, a:convolve(b))
            same(table.move(all, m, n, 1, {}), a:convolve(b, { mode = "valid" }))
            same(summed(x, y, dtype, -m, 1), a:correlate(b, { mode = "full" }))
            assert.equal(n, #a:correlate(b, { mode = "same" }))
        end
        local k = lun.random(5000, { seed = 1, dist = "integers", low = -1 << 62, high = 1 << 62 }):eval()
        local c, x = k:convolve { 3, -5, 7 }, k:totable()
        for _, i in ipairs { 3, 4, 2500, 5000 } do
            assert.equal(3 * x[i] - 5 * x[i - 1] + 7 * x[i - 2], c[i])
        end
        local z = lun.complex(random(5000, 1), random(5000, 2)):convolve(lun.vector { lun.i, 2 })
        assert.equal(5001, #z)
        assert.is_true((lun.zeros(5000) - 0.0):convolve { -1.0, -1.0 }:copy():tobytes() == lun.zeros(5001):tobytes()) -- no -0
    end)

    for _, dtype in ipairs { "f64", "f32" } do
        it("adds products in the order of the second array, " .. dtype, function()
            for _, n in ipairs { 1, 2, 63, 64, 65, 200 } do
                for _, m in ipairs { 1, 3, 64 } do
                    local a, b = random(n, n, dtype), random(m, m + 7, dtype)
                    local x, y = a:totable(), b:totable()
                    same(summed(x, y, dtype, 1, -1), a:convolve(b))
                    same(summed(y, x, dtype, 1, -1), b:convolve(a))
                    same(summed(x, y, dtype, -m, 1), a:correlate(b, { mode = "full" }))
                end
            end
        end)

        it("is exact for long arrays within the rounding of transforms, " .. dtype, function()
            local least = dtype == "f64" and 1e-11 or 1e-2
            for _, n in ipairs { { 65, 65 }, { 66, 200 }, { 1000, 100 } } do
                local a = (random(n[1], 1) * 20):round():cast "i64":eval()
                local b = (random(n[2], 2) * 20):round():cast "i64":eval()
                for _, name in ipairs { "convolve", "correlate" } do
                    for _, mode in ipairs { "full", "same", "valid" } do
                        local exact = a[name](a, b, { mode = mode })
                        local x = a:cast(dtype)
                        local c = x[name](x, b:cast(dtype), { mode = mode })
                        assert.equal(dtype, c:dtype())
                        assert.is_true((c:cast "f64" - exact):abs():max() < least)
                    end
                end
            end
        end)
    end

    it("takes long matrices by transforms", function()
        local a, b = (random({ 20, 9 }, 1) * 9):round():cast "i64", (random({ 8, 11 }, 2) * 9):round():cast "i64"
        for _, name in ipairs { "convolve", "correlate" } do
            local exact, c = a[name](a, b, { mode = "full" }), a[name](a * 1.0, b * 1.0, { mode = "full" })
            assert.is_true((c - exact):abs():max() < 1e-11)
        end
    end)

    it("takes complex numbers by their parts, and conjugates what it correlates with", function()
        for _, n in ipairs { 5, 100 } do
            local x, y = (random(2 * n, 1) * 20):round(), (random(160, 2) * 20):round()
            local a, b = lun.complex(x:sub(1, n), x:sub(n + 1)), lun.complex(y:sub(1, 80), y:sub(81))
            local function part(name, p, q) return a[p](a)[name](a[p](a), b[q](b), { mode = "full" }) end
            for _, name in ipairs { "convolve", "correlate" } do
                local sign = name == "convolve" and 1 or -1
                local re = part(name, "real", "real") - part(name, "imag", "imag") * sign
                local im = part(name, "real", "imag") * sign + part(name, "imag", "real")
                local c = a[name](a, b, { mode = "full" })
                assert.equal("c128", c:dtype())
                assert.is_true((c - lun.complex(re, im)):abs():max() < 1e-10)
                assert.is_true((a:real()[name](a:real(), b, { mode = "full" }) - lun.complex(part(name, "real", "real"),
                    part(name, "real", "imag") * sign)):abs():max() < 1e-10)
            end
        end
        local z = lun.vector { 1 + 2 * lun.i, 3 - lun.i }
        -- numpy.convolve, numpy.correlate
        assert.is_true(z:convolve { 1, 1 }:equals(lun.vector { 1 + 2 * lun.i, 4 + lun.i, 3 - lun.i }))
        assert.is_true(z:correlate(z):equals(lun.vector { 15 + 0 * lun.i }))
    end)

    it("wraps integers, and takes bools as integers", function()
        local big = lun.vector { math.maxinteger, 1 }
        same({ math.maxinteger, math.mininteger, 1 }, big:convolve { 1, 1 })
        same({ 144 - 256 + 256, 44 }, lun.vector({ 200, 100 }, "u8"):convolve(lun.vector({ 2 }, "u8")):cast "i64"
            + lun.vector { 0, 44 - 200 })
        same({ 1, 2, 1 }, lun.vector { true, true }:convolve(lun.vector { true, true }))
        same({ 2 ^ 63, 0 }, lun.vector({ 2 ^ 62, 2 ^ 63 }, "u64"):convolve(lun.vector({ 2 }, "u64")):cast "f64")
    end)

    it("keeps NaN and infinity where they are", function()
        local c = lun.vector { 1.0, 2.0, 3.0 }:convolve { 1.0, math.huge }:totable()
        same({ 1.0, math.huge, math.huge, math.huge }, lun.vector(c))
        local nans = lun.vector { 0 / 0, 2.0, 3.0, 4.0 }:convolve { 1.0, 1.0 }:isnan():totable()
        assert.same({ true, true, false, false, false }, nans)
    end)

    it("takes the dtype of products", function()
        assert.equal("f64", lun.ones(3, "f32"):convolve(lun.ones(2)):dtype())
        assert.equal("f32", lun.ones(3, "f32"):convolve(lun.ones(2, "i64")):dtype())
        assert.equal("f32", lun.ones(300, "i32"):convolve(lun.ones(100, "f32")):dtype())
        assert.equal("i16", lun.ones(3, "i16"):convolve(lun.ones(2, "i8")):dtype())
    end)

    it("is lazy and takes windows", function()
        local a = random({ 40, 3 }, 1)
        same(a:col(2):copy():convolve { 1.0, -1.0 }, a:col(2):convolve { 1.0, -1.0 })
        assert.matches("captured 'a'", lun.explain(a:col(2):convolve { 1.0, -1.0 }))
        assert.matches("fourier", lun.explain(lun.ones(100):convolve(lun.ones(100))))
    end)

    it("names what is wrong", function()
        local a = lun.ones(3)
        local function wrong(text, f) fails(text, nil, f) end
        wrong("bad argument #2 to 'convolve' (unknown mode 'ful': known are full, same, valid)",
            function() return a:convolve(a, { mode = "ful" }) end)
        wrong("bad argument #2 to 'correlate' (unknown option 'modes': the options are mode)",
            function() return a:correlate(a, { modes = "full" }) end)
        wrong("bad argument #1 to 'convolve' (an array with as many axes as f64[3] expected, got f64[3, 3])",
            function() return a:convolve(lun.ones { 3, 3 }) end)
        wrong("bad argument #2 to 'convolve' (an array without elements has no sums of products: f64[0])",
            function() return lun.convolve(a, lun.zeros(0)) end)
        wrong("bad argument #1 to 'convolve' (an array of 1 to 3 axes expected, got f64[1, 1, 1, 1])",
            function() return lun.convolve(lun.ones { 1, 1, 1, 1 }, lun.ones { 1, 1, 1, 1 }) end)
        wrong("bad argument #1 to 'convolve' (array expected, got number)", function() return lun.convolve(3, a) end)
        wrong("bad argument #1 to 'convolve' (array expected, got string)", function() return a:convolve "a" end)
    end)
end)

describe("frequencies", function()
    it("are those of NumPy, divided once", function()
        for n = 1, 9 do
            local want, half = {}, {}
            for i = 0, n - 1 do want[i + 1] = (i <= (n - 1) // 2 and i or i - n) / (n * 0.3) end
            for i = 0, n // 2 do half[i + 1] = i / (n * 0.3) end
            same(want, lun.fftfreq(n, 0.3))
            same(half, lun.rfftfreq(n, 0.3))
        end
        same({ 0.0, 0.2, 0.4, -0.4, -0.2 }, lun.fftfreq(5)) -- numpy.fft.fftfreq(5)
        same({ 0.0, 0.2, 0.4 }, lun.rfftfreq(5))
        same({ 0.0, 1.25, -2.5, -1.25 }, lun.fftfreq(4, 0.2))
        fails("bad argument #1 to 'fftfreq' (0: at least 1 expected)", nil, function() return lun.fftfreq(0) end)
        fails("bad argument #2 to 'rfftfreq' (number expected, got string)", nil, function() return lun.rfftfreq(4, "x") end)
    end)

    it("are moved to the middle and back, along each axis", function()
        for n = 1, 6 do
            local f = lun.index(n)
            local want = {}
            for i = 1, n do want[(i - 1 + n // 2) % n + 1] = i end
            same(want, f:fftshift())
            same(f, f:fftshift():ifftshift())
        end
        local A = lun.index(12):reshape(3, 4)
        same({ { 11, 12, 9, 10 }, { 3, 4, 1, 2 }, { 7, 8, 5, 6 } }, A:fftshift()) -- numpy.fft.fftshift
        same({ { 3, 4, 1, 2 }, { 7, 8, 5, 6 }, { 11, 12, 9, 10 } }, A:fftshift { axes = 2 })
        same({ { 9, 10, 11, 12 }, { 1, 2, 3, 4 }, { 5, 6, 7, 8 } }, A:fftshift { axes = { -2 } })
        same(A, A:fftshift { axes = { 1 } }:ifftshift { axes = { 1 } })
        fails("bad argument #1 to 'fftshift' (axis 3 is out of range: the array has 2)", nil,
            function() return A:fftshift { axes = 3 } end)
    end)
end)
