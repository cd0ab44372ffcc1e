-- Fourier transforms: bits against plain loops in the documented order (plain_fourier.lua), on all backends, numbers of
-- threads and layouts, in batches, along all axes.
local lun = require "lunarray"
local expect = require "expect"
local plain = require "math.plain"
local fourier = require "math.plain_fourier"
local lengths = require "math.fourier_lengths"

local same = plain.same

local transform, random, compare, from_0 = lengths.transform, lengths.random, lengths.compare, lengths.from_0
local COMPLEX, OF_REAL, HALF, TO_REAL, INVERSE, BY_LENGTH, BY_ROOT = table.unpack(lengths.kinds)
local BACK = INVERSE | BY_LENGTH

describe("Fourier transforms", function()
    for _, dtype in ipairs { "f64", "f32" } do
        for first = 1, 40, 10 do
            it(("have the bits of plain loops, n = %d to %d, %s"):format(first, first + 9, dtype), function()
                for n = first, first + 9 do compare(n, dtype) end
            end)
        end
        for _, n in ipairs { 53, 64, 97, 121, 128, 1024, dtype == "f64" and 1009 or 131 } do
            it(("have the bits of plain loops, n = %d, %s"):format(n, dtype), function() compare(n, dtype) end)
        end

        it("have the bits of each line along every axis of batches, " .. dtype, function()
            for _, n in ipairs { 1, 2, 12, 15, 17, 64 } do
                for _, inner in ipairs { 1, 2, 3, 5, 9, 33 } do
                    local A = random({ 3, n, inner, 2 }, n, dtype)
                    local X = A:sub({}, {}, {}, { 1, 1 }):reshape(3, n, inner):eval()
                    local all, back = transform(A, COMPLEX, 2, n), transform(A, BACK, 2, n)
                    local half, real = transform(X, HALF, 2, n), transform(A, TO_REAL | BACK, 2, n)
                    for _, o in ipairs { 1, 3 } do
                        for _, i in ipairs { 1, (inner + 1) // 2, inner } do
                            local line = A[o]:sub({}, { i, i }):reshape(n, 2):eval()
                            local function of(B, ...) return B[o]:sub({}, { i, i }):reshape(...) end
                            same(transform(line, COMPLEX, 1, n), of(all, n, 2))
                            same(transform(line, BACK, 1, n), of(back, n, 2))
                            same(transform(line, TO_REAL | BACK, 1, n), of(real, n))
                            same(transform(line:sub({}, { 1, 1 }):reshape(n), HALF, 1, n), of(half, n // 2 + 1, 2))
                        end
                    end
                end
            end
        end)

        it("cut lines, or fill them with zeros, " .. dtype, function()
            for _, n in ipairs { 1, 7, 16, 19, 40 } do
                local A = random({ 2, 16, 3, 2 }, n, dtype)
                local B = lun.zeros({ 2, 40, 3, 2 }, dtype):copy()
                B:sub({}, { 1, 16 }):set(A)
                B = B:sub({}, { 1, n }):copy()
                local X, Y = A:sub({}, {}, {}, { 1, 1 }):reshape(2, 16, 3), B:sub({}, {}, {}, { 1, 1 }):reshape(2, n, 3)
                same(transform(B, COMPLEX, 2, n), transform(A, COMPLEX, 2, n))
                same(transform(Y, HALF, 2, n), transform(X, HALF, 2, n))
                same(transform(Y, OF_REAL, 2, n), transform(X, OF_REAL, 2, n))
                local part = B:sub({}, { 1, n // 2 + 1 }):copy()
                same(transform(part, TO_REAL | BACK, 2, n), transform(A, TO_REAL | BACK, 2, n))
            end
        end)

        it("take real numbers as complex ones, " .. dtype, function()
            for _, n in ipairs { 1, 6, 23, 64 } do
                local x = random({ 4, n }, 7, dtype)
                local z = lun.stack({ x, lun.zeros({ 4, n }, dtype) }, 3)
                same(transform(z, COMPLEX, 2, n), transform(x, OF_REAL, 2, n))
            end
        end)

        it("divide by the length, by its root, or by nothing, " .. dtype, function()
            for _, n in ipairs { 2, 9, 30 } do
                local A = random({ n, 2 }, 1, dtype)
                local bare, root = transform(A, INVERSE, 1, n), lun.full(1, math.sqrt(n), dtype)
                same(bare / n, transform(A, BACK, 1, n))
                same(bare / root, transform(A, INVERSE | BY_ROOT, 1, n))
                local real = transform(A, TO_REAL | INVERSE, 1, n)
                same(real / n, transform(A, TO_REAL | BACK, 1, n))
                same(real / root, transform(A, TO_REAL | INVERSE | BY_ROOT, 1, n))
            end
        end)
    end

    it("keep infinity, NaN and the signs of zeros where the order says so", function()
        local P, inf, nan = fourier.of "f64", math.huge, 0 / 0
        for _, n in ipairs { 2, 3, 4, 5, 7, 8, 15, 17 } do
            for at = 1, n, 3 do
                for _, x in ipairs { -0.0, inf, -inf, nan } do
                    local A = lun.zeros({ n, 2 }):copy()
                    A[at][1] = x
                    local want, got = P.fft(from_0(A:totable()), n), transform(A, COMPLEX, 1, n):totable()
                    for k = 0, n - 1 do
                        for i = 1, 2 do
                            local a, b = want[k][i], got[k + 1][i]
                            assert.is_true(a ~= a and b ~= b or string.pack("d", a) == string.pack("d", b))
                        end
                    end
                end
            end
        end
    end)

    it("give the same bits for every number of threads and backend", function()
        expect.same_texts [[
            for _, dtype in ipairs { "c128", "c64" } do
                for _, n in ipairs { 100, 251, 65536, 20011 } do
                    local A = lun.random(n, { seed = n, dtype = dtype })
                    texts[#texts + 1] = A:fft():tobytes()
                    texts[#texts + 1] = A:irfft({ n = n }):tobytes()
                    texts[#texts + 1] = A:real():rfft({ n = 2 * n }):tobytes()
                end
                local B = lun.random({ 50, 30, 7 }, { seed = 1, dtype = dtype })
                for axis = 1, 3 do
                    texts[#texts + 1] = B:fft({ axis = axis }):tobytes()
                end
            end]]
    end)

    it("read windows of every layout, and are read by what follows", function()
        local big = random({ 60, 40, 2 }, 3)
        local window = big:sub({ 2, 60, 2 }, { 40, 1, -3 })
        local n = (select(2, window:shape()))
        same(transform(window:copy(), COMPLEX, 2, n), transform(window, COMPLEX, 2, n))
        same(transform(window:copy() + 1, COMPLEX, 1, 30) * 2, transform(window + 1, COMPLEX, 1, 30) * 2)
    end)

    it("are lazy, and explained", function()
        local text = lun.explain(lun.random(46, { seed = 1, dtype = "c128" }):fft() * 2)
        assert.matches("fourier n = 92", text)
        assert.matches("Fourier transforms of lines", text)
    end)
end)
