-- What files of names share of matrices, the last two axes of an array: shapes that are checked, parts. Knows no name.

local call = require "lunarray.names.call"
local core = require "lunarray.core"

local M = {}

-- The shape of an array of matrices, their numbers of rows and columns.
function M.oblong(A)
    call.array(A, 1, "matrix")
    local shape = { A:shape() }
    if #shape < 2 then
        call.bad(1, "a matrix expected, got %s", call.described(A))
    end
    return shape, shape[#shape - 1], shape[#shape]
end

-- The same of square ones.
function M.square(A)
    local shape, n, m = M.oblong(A)
    if n ~= m then
        call.bad(1, "matrix of shape %d x %d is not square", n, m)
    end
    return shape, n
end

-- The first `kept` extents, then the others.
function M.with(shape, kept, ...)
    local list = table.move(shape, 1, kept, 1, {})
    for _, extent in ipairs { ... } do
        list[#list + 1] = extent
    end
    return list
end

-- Rows i to j of each matrix, as a window.
function M.between(A, i, j)
    return call.part(A, call.rank(A) - 1, i, j)
end

-- The dtype in which matrices are computed, complex too.
function M.computed(A)
    local t = A:dtype()
    return (t == "c64" or t == "c128") and t or (t == "f32" or t == "f16" or t == "bf16") and "f32" or "f64"
end

-- The same of two operands.
function M.common(A, B)
    return (core.zeros(0, M.computed(A)) + core.zeros(0, M.computed(B))):dtype()
end

-- The transpose, of complex matrices the adjoint.
function M.adjoint(A)
    return core.iscomplex(A) and A:adjoint() or A:matrix_transpose()
end

-- The dtype of the parts of complex numbers, or of the numbers themselves.
function M.part(t)
    return t == "c64" and "f32" or t == "c128" and "f64" or t
end

-- The least difference from 1 of a dtype that matrices are computed in.
function M.epsilon(t)
    return M.part(t) == "f32" and 2.0 ^ -23 or 2.0 ^ -52
end

-- An element for each matrix as a number, if there is one matrix, else an array.
function M.given(x, shape)
    return #shape == 2 and call.shaped(x, { 1 })[1] or call.shaped(x, table.move(shape, 1, #shape - 2, 1, {}))
end

return M
