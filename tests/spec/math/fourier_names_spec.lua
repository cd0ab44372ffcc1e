-- Names of Fourier transforms: values from sums in extended precision (fourier_values.py), dtypes, options, several axes,
-- empty batches, windows, mistakes, limits.
local lun = require "lunarray"
local expect = require "expect"
local plain = require "math.plain"
local shell = require "shell"
local stopped = require "math.stopped"
local values = require "math.fourier_values"

local fails = plain.fails

local function complex(list)
    local re, im = {}, {}
    for k, z in ipairs(list) do re[k], im[k] = z[1], z[2] end
    return lun.complex(lun.vector(re), lun.vector(im))
end

-- Within so many times the greatest modulus.
local function close(want, got, within)
    assert.same({ want:shape() }, { got:shape() })
    assert.is_true((want - got):abs():max() <= (within or 3e-15) * want:abs():max())
end

describe("names of Fourier transforms", function()
    it("have the values of sums, in every norm", function()
        expect.everywhere(function()
            for _, v in ipairs(values.lines) do
                local x, y, n = complex(v.x), complex(v.y), #v.x
                close(y, x:fft())
                close(y, x:cast "c64":fft():cast "c128", 1e-6)
                close(x, y:ifft())
                close(y / n, x:fft { norm = "forward" })
                close(y / math.sqrt(n), x:fft { norm = "ortho" })
                close(x * n, y:ifft { norm = "forward" })
                close(x * math.sqrt(n), y:ifft { norm = "ortho" })
            end
        end)
    end)

    it("take halves of real numbers' transforms", function()
        for _, v in ipairs(values.lines) do
            local x, y, n = complex(v.x):real(), complex(v.y), #v.x
            local backwards = y:take((-lun.index(n) + 1) % n + 1)
            local half = ((y + backwards:conj()) / 2):sub(1, n // 2 + 1) -- of the real parts alone
            close(half, x:rfft())
            close(half, x:cast "i64":rfft())
            close(x, half:irfft { n = n })
            close(half / n, x:rfft { norm = "forward" })
            close(half / math.sqrt(n), x:rfft { norm = "ortho" })
            close(x * math.sqrt(n), half:irfft { n = n, norm = "ortho" })
            close(x * n, half:irfft { n = n, norm = "forward" })
            close(x, half:conj():hfft { n = n } / n)
            close(x, half:conj():hfft { n = n, norm = "forward" })
            close(half:conj() / n, x:ihfft())
            close(half:conj(), x:ihfft { norm = "forward" })
            close(half:conj() / math.sqrt(n), x:ihfft { norm = "ortho" })
        end
    end)

    it("have the values of NumPy's manual", function()
        close(lun.vector { 15.0, -4.0, 0.0, -1.0, 0.0, -4.0 }, lun.vector { 1, 2, 3, 4 }:hfft())
        close(lun.vector { 15.0, -4.0, 0.0, -1.0, 0.0, -4.0 }, lun.vector { 1, 2, 3, 4, 3, 2 }:hfft { n = 6 })
        close(lun.vector { 1.0, 2.0, 3.0, 4.0 } + 0 * lun.i, lun.vector { 15, -4, 0, -1, 0, -4 }:ihfft())
        close(complex { { 1, 0 }, { 0, -1 }, { -1, 0 }, { 0, 1 } }, lun.vector { 0, 1, 0, 0 }:fft())
        close(lun.vector { 0.0, 1.0, 0.0, 0.0 }, complex { { 1, 0 }, { 0, -1 }, { -1, 0 } }:irfft())
    end)

    it("ignore imaginary parts that a real array's transform does not have", function()
        local z = complex { { 3, 7 }, { 1, 2 }, { 5, 9 } }
        local without = complex { { 3, 0 }, { 1, 2 }, { 5, 0 } }
        assert.is_true(without:irfft():equals(z:irfft()))
        assert.is_true(complex { { 3, 0 }, { 1, 2 }, { 5, 9 } }:irfft { n = 5 }:equals(z:irfft { n = 5 }))
    end)

    it("go along several axes", function()
        local v = values.matrix
        local x, y = complex(v.x):reshape(3, 4), complex(v.y):reshape(3, 4)
        close(y, x:fftn())
        close(x, y:ifftn())
        close(y / 12, x:fftn { norm = "forward" })
        close(x * 12, y:ifftn { norm = "forward" })
        close(y, x:fftn { axes = { -1, 1 } })
        assert.is_true(x:fft { axis = 1 }:equals(x:fftn { axes = 1 }))
        assert.is_true(x:fft { axis = 2 }:fft { axis = 1 }:equals(x:fftn()))
        assert.is_true(x:fft { axis = 1, n = 2 }:fft { axis = 2, n = 7 }:equals(x:fftn { axes = { 2, 1 }, shape = { 7, 2 } }))
        assert.is_true(x:fft { n = 3 }:equals(x:fftn { shape = { 3 } }))
        local r = x:real()
        assert.is_true(r:rfft():fft { axis = 1 }:equals(r:rfftn()))
        close(x:real():fftn():sub({}, { 1, 3 }), r:rfftn())
        close(r, r:rfftn():irfftn())
        close(r:sub({}, { 1, 3 }), r:sub({}, { 1, 3 }):rfftn():irfftn { shape = { 3, 3 } })
        assert.is_true(y:ifft { axis = 1 }:irfft { n = 5 }:equals(y:irfftn { shape = { 3, 5 } }))
        close(r, r:rfftn { axes = { 1 } }:irfftn { axes = { 1 }, shape = { 3 } })
        close(r, r:rfftn { norm = "ortho" }:irfftn { norm = "ortho" })
    end)

    it("are exact for a million elements within 3e-15 of the greatest one", function()
        local j = lun.index(1000000) - 1
        local x = (j * j * 7 + j * 3) % 101 - 50.0
        local full, half = x:fft():eval(), x:rfft():eval()
        local room = 3e-15 * full:abs():max()
        for _, v in ipairs(values.long) do
            local want = lun.complex(v[2], v[3])
            assert.is_true((full[v[1] + 1] - want):abs() <= room)
            assert.is_true((half[v[1] + 1] - want):abs() <= room)
        end
        assert.is_true((full:ifft():real() - x):abs():max() <= 3e-15 * 50)
        assert.is_true((half:irfft() - x):abs():max() <= 3e-15 * 50)
    end)

    it("give c64 of f32 and c64, c128 of others", function()
        for _, dtype in ipairs { "f32", "c64" } do
            local a = lun.ones(6, dtype)
            assert.equal("c64", a:fft():dtype())
            assert.equal("c64", a:ifft():dtype())
            assert.equal("f32", a:irfft():dtype())
            assert.equal("f32", a:hfft():dtype())
        end
        for _, dtype in ipairs { "f64", "c128", "f16", "i8", "u64", "bool" } do
            local a = lun.ones(6, dtype)
            assert.equal("c128", a:fft():dtype())
            assert.equal("f64", a:irfft():dtype())
            if dtype ~= "c128" then assert.equal("c128", a:rfft():dtype()) end
        end
        assert.equal("c64", lun.ones(6, "f32"):ihfft():dtype())
        assert.equal("c64", lun.ones({ 2, 6 }, "f32"):rfftn():dtype())
    end)

    it("take windows, and give arrays that are written to", function()
        local z = complex(values.lines[17].x):eval()
        local window = z:sub(29, 3, -2)
        assert.is_true(window:copy():fft():equals(window:fft()))
        assert.is_true(z:real():copy():rfft():equals(z:real():rfft()))
        assert.is_true((z * 2):fft():equals((z + z):eval():fft()))
        local y = z:fft():eval()
        local kept = y:copy()
        y[1] = lun.complex(1, 2)
        assert.is_true(y[1] == lun.complex(1, 2) and y[2] == kept[2])
        assert.is_true(kept:equals(z:fft()))
        y = z:fft()
        z[1] = 5
        assert.is_true(kept:equals(y))
    end)

    it("take empty batches", function()
        assert.same({ 0, 4 }, { lun.zeros { 0, 4 }:fft():eval():shape() })
        assert.same({ 0, 3 }, { lun.zeros { 0, 4 }:rfft():eval():shape() })
        assert.same({ 4, 0 }, { lun.zeros { 4, 0 }:fft { axis = 1 }:eval():shape() })
        assert.same({ 0, 6 }, { lun.zeros { 0, 4 }:irfft():eval():shape() })
    end)

    it("name what is wrong", function()
        local a = lun.ones { 2, 3 }
        local function wrong(text, f) fails(text, nil, f) end
        wrong("bad argument #1 to 'fft' (unknown option 'axes': the options are n, axis, norm)",
            function() return a:fft { axes = 1 } end)
        wrong("bad argument #2 to 'fft' (unknown norm 'orthogonal': known are backward, ortho, forward)",
            function() return lun.fft(a, { norm = "orthogonal" }) end)
        wrong("bad argument #1 to 'fft' (axis 3 is out of range: the array has 2)", function() return a:fft { axis = 3 } end)
        for _, n in ipairs { 0, -1 } do
            wrong("bad argument #1 to 'fft' (an axis of length 0 has no transform)", function() return a:fft { n = n } end)
        end
        wrong("bad argument #1 to 'irfft' (whole number expected, got 2.5)", function() return a:irfft { n = 2.5 } end)
        wrong("bad argument #1 to 'rfft' (real numbers expected, got c128[2, 3]: take fft, or the array's real())",
            function() return lun.rfft(a * lun.i) end)
        wrong("bad argument #1 to 'fft' (array expected, got table: lun.vector{...} makes one of a list)",
            function() return lun.fft { 1, 2 } end)
        wrong("bad argument #1 to 'fftn' (2 lengths for 1 axes)", function() return a:fftn { axes = 1, shape = { 2, 3 } } end)
        wrong("bad argument #1 to 'fftn' (3 lengths for 2 axes)", function() return a:fftn { shape = { 2, 3, 4 } } end)
        wrong("bad argument #1 to 'fftn' (axis 1 occurs twice)", function() return a:fftn { axes = { 1, -2 } } end)
        wrong("bad argument #1 to 'ifftn' (no axis is given)", function() return a:ifftn { axes = {} } end)
        for _, name in ipairs { "fft", "ifft", "rfft", "irfft", "hfft", "ihfft", "fftn", "rfftn" } do
            local _, e = pcall(lun[name], lun.zeros(0))
            assert.matches("an axis of length 0 has no transform", tostring(e), 1, true)
            _, e = pcall(lun[name], lun.vector { "a", "b" })
            assert.matches("text", tostring(e), 1, true)
        end
        local _, e = pcall(lun.irfft, lun.ones(1)) -- 2 (1 - 1) elements
        assert.matches("an axis of length 0 has no transform", tostring(e), 1, true)
        _, e = pcall(lun.fft, lun.vector { 1, lun.na, 3 })
        assert.matches("takes no missing elements: 1 of 3", tostring(e), 1, true)
        local nan = lun.vector { 1.0, 0 / 0, 3.0 }:fft():isnan()
        assert.equal(3, nan:count())
    end)

    it("end with an interrupt and limits, and work after them", function()
        stopped.by_interrupt("A = lun.random(1000003, { seed = 1, dtype = 'c128' }):eval()", "A:fft():eval()",
            "lun.ones(2):fft()[1].re", "2.0")
        local lines = shell.write(os.tmpname(), [[
            local A = lun.ones(1)
            for _, n in ipairs { 9999991, 2 ^ 31 + 1, 2 ^ 39 + 1 } do
                local ok, e = pcall(function() return A:fft { n = n }:eval() end)
                print(ok, tostring(e):match "memory limit reached", lun.ones(2):fft()[1].re)
            end
            print(pcall(function() return A:fft { n = 2 ^ 41 } end))]])
        assert.equal(("false\tmemory limit reached\t2.0\n"):rep(3), (shell.capture(("%s --memory-limit 100 %s 2>&1"):format(
            shell.interpreter(), lines)):gsub("false\t[^\n]*too many for a transform%)\n$", "")))
        os.remove(lines)
    end)
end)
