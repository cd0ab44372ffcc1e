-- Fourier transforms of arrays, and of a length compared bit by bit with plain loops in the documented order
-- (plain_fourier.lua).
local lun = require "lunarray"
local core = require "lunarray.core"
local plain = require "math.plain"
local fourier = require "math.plain_fourier"

local M = {}
local same = plain.same

-- Kinds of transforms and norms, as sums.
local COMPLEX, OF_REAL, HALF, TO_REAL, INVERSE, BY_LENGTH, BY_ROOT = 0, 1, 2, 3, 4, 8, 16
local BACK = INVERSE | BY_LENGTH
M.kinds = { COMPLEX, OF_REAL, HALF, TO_REAL, INVERSE, BY_LENGTH, BY_ROOT }

-- The transform of n elements along an axis of complex numbers that are a last axis of two, or of real ones.
function M.transform(A, how, axis, n)
    local kind = how & 3
    local name = kind == HALF and "rfft" or kind == TO_REAL and "irfft" or how & INVERSE > 0 and "ifft" or "fft"
    local norm = how & BY_ROOT > 0 and "ortho" or (how & INVERSE > 0) == (how & BY_LENGTH > 0) and "backward" or "forward"
    local x = (kind == COMPLEX or kind == TO_REAL) and core.internal.complex_of(A) or A
    local y = lun[name](x, { n = n, axis = axis, norm = norm })
    return kind == TO_REAL and y or lun.stack({ y:real(), y:imag() }, select("#", y:shape()) + 1)
end

function M.random(shape, seed, dtype)
    return (lun.random(shape, { seed = seed, dtype = dtype or "f64" }) - 0.5):eval()
end

-- Lists that count from 0, and from 1.
function M.from_0(list)
    return table.move(list, 1, #list, 0, {})
end
local function from_1(list, n)
    return table.move(list, 0, n - 1, 1, {})
end

-- All kinds of transforms of n elements have the bits of plain loops.
function M.compare(n, dtype)
    local P, A = fourier.of(dtype), M.random({ n, 2 }, n, dtype)
    local z, half = M.from_0(A:totable()), n // 2 + 1
    same(from_1(P.fft(z, n), n), M.transform(A, COMPLEX, 1, n))
    same(from_1(P.ifft(z, n), n), M.transform(A, BACK, 1, n))
    local x = A:sub({}, { 1, 1 }):reshape(n):eval()
    same(from_1(P.rfft(M.from_0(x:totable()), n), half), M.transform(x, HALF, 1, n))
    same(from_1(P.irfft(z, n), n), M.transform(A, TO_REAL | BACK, 1, n))
end

return M
