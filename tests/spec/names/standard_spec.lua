-- What the Array API standard's suite asks of names, in cases that NumPy's comparison has not: Scalars, complex numbers,
-- narrow floats, arrays without elements, and what is refused.

local function fails(text, f, ...)
    local ok, e = pcall(f, ...)
    assert.is_false(ok)
    assert.is_truthy(tostring(e):find(text, 1, true), tostring(e))
end

-- A number as a Scalar of a dtype.
local function scalar(x, dtype)
    return lun.full(1, x, dtype):lazy "max"
end

describe("nextafter", function()
    -- The floats of 16 bits in order, by their bits.
    for _, dtype in ipairs { "f16", "bf16" } do
        it("goes through the floats of " .. dtype, function()
            local top = dtype == "f16" and 0x7c00 or 0x7f80
            local bits = {}
            for k = 0, top do
                bits[k + 1] = string.pack("<I2", k)
            end
            local up = lun.frombytes(table.concat(bits), dtype)
            assert.is_true(up:sub(1, -2):nextafter(1 / 0) == up:sub(2))
            assert.is_true(up:sub(2):nextafter(0.0) == up:sub(1, -2))
            assert.is_true((-up):sub(2):nextafter(0.0) == (-up):sub(1, -2))
            assert.is_true((-up):sub(1, -2):nextafter(-1 / 0) == (-up):sub(2))
            assert.equal(dtype, up:nextafter(0.0):dtype())
        end)
    end

    it("has the zeros' signs, NaN, numbers and Scalars", function()
        assert.equal(-math.huge, 1 / lun.vector { -2.0 ^ -1074 }:nextafter(1.0)[1])
        assert.equal(-2.0 ^ -1074, lun.nextafter(0.0, -1.0))
        assert.equal(1 + 2.0 ^ -52, lun.nextafter(1, 2))
        assert.equal(0, select("#", scalar(1.5, "f32"):nextafter(2.0):shape()))
        local x = lun.vector { 0 / 0, 1.0, 2.0 }:nextafter(lun.vector { 1.0, 0 / 0, 2.0 })
        assert.is_true(x[1] ~= x[1] and x[2] ~= x[2] and x[3] == 2.0)
        assert.equal("f64", lun.vector { 1, 2 }:nextafter(3):dtype())
    end)
end)

describe("names keep the rank and the dtype", function()
    it("of Scalars", function()
        assert.equal(0, select("#", scalar(3, "u8"):ipow(scalar(2, "u8")):shape()))
        assert.equal(0, select("#", scalar(3, "u8"):ipow(2):shape()))
        assert.equal(9, scalar(3, "u8"):ipow(2):value())
        for _, k in ipairs { 2, 3 } do
            local inverse = (select(k, scalar(3, "i32"):unique_all()))
            assert.equal(k == 3 and 0 or 1, select("#", inverse:shape()))
            assert.equal(1, k == 3 and inverse:value() or inverse[1])
        end
    end)

    it("of integers with one limit", function()
        local a = lun.vector({ 1, 5, 9 }, "u32")
        local low, high = a:clip(lun.vector({ 2 }, "u32"), nil), a:clip(nil, lun.vector({ 2, 9, 2 }, "u32"))
        assert.is_true(low:dtype() == "u32" and high:dtype() == "u32")
        assert.is_true(low == lun.vector { 2, 5, 9 } and high == lun.vector { 1, 5, 2 })
    end)
end)

describe("names take", function()
    local i = lun.i

    it("complex numbers", function()
        local z = lun.vector { 3, i, 1 + i, i, 3 }
        local values, first, inverse, counts = z:unique_all()
        assert.is_true(values == lun.vector { i, 1 + i, 3 })
        assert.is_true(first == lun.vector { 2, 3, 1 } and inverse == lun.vector { 3, 1, 2, 1, 3 })
        assert.is_true(counts == lun.vector { 2, 1, 2 })
        assert.is_true(lun.vector { 0.5 - 1.5 * i, 2.5 * i + 3 }:rint() == lun.vector { -2 * i, 3 + 2 * i })
        local sign = lun.vector { lun.complex(-0.0, -0.0) }:sign()
        assert.is_true(1 / sign.re[1] > 0 and 1 / sign.im[1] > 0)
    end)

    it("arrays without elements", function()
        assert.equal(0.0, lun.zeros { 2, 0 }:tensordot(lun.zeros { 2, 0 }))
        assert.equal(0, #lun.zeros(0):repeat_(lun.vector { 2 }))
        assert.equal(0, #(lun.zeros(0, "c64"):unique_inverse()))
    end)

    it("one count for all elements, a tolerance for each matrix, no differences", function()
        assert.is_true(lun.vector { 1, 2 }:repeat_(lun.vector { 2 }) == lun.vector { 1, 1, 2, 2 })
        local A = lun.ones { 2, 3, 3 }
        assert.is_true(A:matrix_rank { rtol = lun.vector { 1e-3, 2 } } == lun.vector { 1, 0 })
        local P = A:pinv { rtol = lun.vector { 1e-3, 2 } }
        assert.is_true((P[1] - 1 / 9):abs():max() < 1e-15 and P[2]:eq(0):all())
        fails("a number for each of the matrices of f64[2, 3, 3] expected, got f64[1, 1]", A.pinv, A, { rtol = lun.zeros { 1, 1 } })
        assert.is_true(lun.vector { 1, 4 }:diff(0, { prepend = 0 }) == lun.vector { 1, 4 })
    end)
end)

describe("vecdot", function()
    it("refuses other extents along its axis, whose others broadcast", function()
        local a = lun.ones { 2, 3 }
        fails("bad argument #1 to 'vecdot' (3 elements along the axis of f64[2, 3], and 1 of f64[2, 1])", a.vecdot, a, lun.ones { 2, 1 })
        fails("3 elements along the axis", lun.vecdot, lun.ones(3), lun.ones(1))
        fails("2 elements along the axis", lun.vecdot, a, lun.ones(3), { axis = 1 })
        assert.is_true(a:vecdot(lun.ones { 1, 3 }) == lun.vector { 3, 3 })
        assert.is_true(lun.ones { 4, 2, 3 }:vecdot(lun.ones { 2, 1 }, { axis = -2 }) == lun.full({ 4, 3 }, 2.0))
    end)
end)

describe("the layer of Python that the standard's suite sees", function()
    it("works", function()
        local shell = require "shell"
        local build = os.getenv "BUILD" or "build"
        if build:find "asan" or build:find "tsan" or select(2, shell.capture "command -v python3") ~= 0 then
            pending "no python3, or a sanitizer, which wants to be the first library of the process"
            return
        end
        local call = "PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=tests/standard LUNARRAY_LIBRARY=%s/liblunarray.so.0 "
            .. "python3 tests/standard/smoke.py 2>&1"
        assert.equal([==[
[[4, 3, 2], [7, 6, 5]] [4, 6] [5, 6] [0.0, -2.0, 2.0]
[0.5, 7.0, 7.0] [[9, 2, 3], [9, 5, 6]] int64 [[2, 3, 9], [5, 6, 9]]
[1, 0, 1] (-9+0j)
[(4+0j), 0j, 0j] int16 (3,) nan
]==], (shell.capture(call:format(build))))
    end)
end)
