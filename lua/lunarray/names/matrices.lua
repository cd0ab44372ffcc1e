-- Linear algebra: factors of matrices, the last two axes, and what is solved with them.

local call = require "lunarray.names.call"
local core = require "lunarray.core"
local making = require "lunarray.names.making"
local matrix = require "lunarray.names.matrix"

local rows, row = call.rows "Linear algebra"
local array, bad, shaped, size = call.array, call.bad, call.shaped, call.size
local dense = core.internal.dense
local between, computed, part, with = matrix.between, matrix.computed, matrix.part, matrix.with
local oblong, square = matrix.oblong, matrix.square

-- Of enums of lunarray.h.
local SIGN, LOGARITHM = 1, 2
local UPPER, UNIT, TRANSPOSED = 1, 2, 4
local COMPLETE, TRIANGULAR = 1, 2

-- ---------------------------------------------------------------- shapes

-- The batches to which those of both shapes broadcast.
local function batches(a, b)
    local shape, rank = {}, math.max(#a, #b) - 2
    for k = 1, rank do
        local i, j = k + #a - 2 - rank, k + #b - 2 - rank
        local x, y = i > 0 and a[i] or 1, j > 0 and b[j] or 1
        if x ~= y and x ~= 1 and y ~= 1 then
            bad(2, "batches of %s and %s do not broadcast", table.concat(a, " x "), table.concat(b, " x "))
        end
        shape[k] = x == 1 and y or x
    end
    return shape
end

-- What `what` gives of prepared matrices and right sides B, a Vector or matrices.
local function solved(what, A, B, prepare, flags)
    local shape, n = square(A)
    array(B, 2)
    local right = { B:shape() }
    local one = #right == 1
    if one then
        right[2] = 1
    end
    local m = right[#right]
    if #right < 2 or right[#right - 1] ~= n then
        bad(2, "%d rows expected, as the matrix has, got %s", n, call.described(B))
    end
    B = one and shaped(B, right) or B
    local common = batches(shape, right)
    local all = with(common, #common, n, m)
    local x
    if size(all) == 0 then
        x = core.zeros(all, matrix.common(A, B))
    else
        local T = prepare(A)
        T = #common > 0 and T:broadcast(with(common, #common, (select(#shape - 1, T:shape())), n)) or T
        x = dense(what, T, #common > 0 and B:broadcast(all) or B, flags)
    end
    return one and shaped(x, with(common, #common, n)) or x
end

local function factors(A)
    return dense("lu", A)
end

-- The factors of complex matrices with pivots of modulus 1, of which the sign of the determinant is the product.
local function turned(LU, n)
    return core.concat({ between(LU, 1, n):sign(), between(LU, n + 1, n + 2) }, call.rank(LU) - 1)
end

-- An element for each matrix: of one a number.
local function of_each(A, what, empty)
    local shape, n = square(A)
    local count = with(shape, #shape - 2)
    if n == 0 or size(count) == 0 then
        return #count == 0 and empty or core.full(count, empty, computed(A))
    end
    local LU = factors(#count > 0 and A or shaped(A, { 1, n, n }))
    local complex = what == SIGN and core.iscomplex(A)
    local x = dense("det", complex and turned(LU, n) or LU, complex and 0 or what)
    return #count == 0 and x[1] or x
end

-- ---------------------------------------------------------------- names

row("solve", "A:solve(B)", "x with A x = B, a Vector or matrix; axes before the last two are batches, which broadcast",
    "lun.vector{{2, 0}, {0, 4}}:solve(lun.vector{2, 2})", "{1.0, 0.5}",
    function(A, B)
        return solved("solved", A, B, factors)
    end)

row("inv", "A:inv()", "the inverse: A:solve of the identity", "lun.vector{{2, 0}, {0, 4}}:inv()",
    "{{0.5, 0.0}, {0.0, 0.25}}",
    function(A)
        local _, n = square(A)
        return solved("solved", A, making.eye(n, computed(A)), factors)
    end)

row("det", "A:det()", "the determinant, a number; of batches an array", "lun.vector{{2, 0}, {0, 4}}:det()", "8.0",
    function(A)
        return of_each(A, 0, 1.0)
    end)

row("slogdet", "A:slogdet()",
    "the sign of the determinant and the logarithm of its modulus; of a singular matrix 0, -inf",
    "lun.vector{{0, 1}, {1, 0}}:slogdet()", "-1.0, 0.0",
    function(A)
        local sign, logarithm = of_each(A, SIGN, 1.0), of_each(A, LOGARITHM, 0.0)
        return sign, core.iscomplex(logarithm) and logarithm:real() or logarithm
    end)

row("lu", "A:lu()", "P, L, U: A:take(P) is L U, L with ones on its diagonal, P the rows, i64",
    "lun.vector{{1, 2}, {2, 2}}:lu()", "{2, 1}, {{1.0, 0.0}, {0.5, 1.0}}, {{2.0, 2.0}, {0.0, 1.0}}",
    function(A)
        local shape, n = square(A)
        if size(shape) == 0 then
            local zeros = core.zeros(shape, computed(A))
            return core.zeros(with(shape, #shape - 1), "i64"), zeros, zeros
        end
        local LU = factors(A)
        local both = between(LU, 1, n)
        local P = between(LU, n + 1, n + 1):real():cast "i64" + 1
        return shaped(P, with(shape, #shape - 1)), both:tril(-1) + making.eye(n, computed(A)), both:triu()
    end)

row("cholesky", "A:cholesky([{upper=false}])",
    "L with L L' = A, of which the lower triangle is read; upper: L', of complex matrices the adjoint",
    "lun.vector{{4, 2}, {2, 5}}:cholesky()", "{{2.0, 0.0}, {1.0, 2.0}}",
    function(A, options)
        local shape = square(A)
        options = call.options(options, 2, "upper")
        local U = size(shape) > 0 and dense("cholesky", A) or core.zeros(shape, computed(A))
        if core.iscomplex(U) and not options.upper then
            U = core.complex(U:real(), 0 - U:imag()) -- zeros keep their sign
        end
        return options.upper and U or U:matrix_transpose()
    end)

row("solve_triangular", "A:solve_triangular(B [, {upper=false, unit=false, transpose=false, adjoint=false}])",
    "x with A x = B of a triangular matrix, whose other triangle is not read",
    "lun.vector{{2, 9}, {2, 4}}:solve_triangular(lun.vector{2, 6})", "{1.0, 1.0}",
    function(A, B, options)
        options = call.options(options, 3, "upper unit transpose adjoint")
        local flags = (options.upper and UPPER or 0) | (options.unit and UNIT or 0)
            | ((options.transpose or options.adjoint) and TRANSPOSED or 0)
        return solved("triangular", A, B, function(T) return options.adjoint and T:conj() or T end, flags)
    end)

row("qr", 'A:qr([{mode="reduced"}])',
    "Q, R: A is Q R, Q with orthonormal columns, R upper triangular with a real diagonal >= 0; of m x n\n"
        .. 'matrices Q has as many columns as the lesser of m and n, with mode "complete" m; mode "r": R alone',
    "lun.vector{{3, 1}, {4, 2}}:qr{mode = \"r\"}:round()", "{{5.0, 2.0}, {0.0, 0.0}}",
    function(A, options)
        local shape, m, n = oblong(A)
        local mode = call.word(call.options(options, 2, "mode").mode or "reduced", 2, "reduced complete r", "mode")
        local k = mode == "complete" and m or math.min(m, n)
        if size(shape) == 0 then
            local t = computed(A)
            local R = core.zeros(with(shape, #shape - 2, k, n), t)
            local Q = making.eye(m, k, 0, t):broadcast(with(shape, #shape - 2, m, k))
            if mode == "r" then
                return R
            end
            return Q, R
        elseif mode == "r" then
            return dense("qr", A, TRIANGULAR):matrix_transpose()
        end
        local both = dense("qr", A, mode == "complete" and COMPLETE or 0)
        return between(both, 1, m), between(both, m + 1, m + n):matrix_transpose()
    end)

-- The matrix whose lower triangle is read.
local function lower(A, options)
    return options.upper and matrix.adjoint(A) or A
end

row("eigh", "A:eigh([{upper=false}])",
    "the eigenvalues of a symmetric or Hermitian matrix, ascending, and its eigenvectors, as columns, in which the\n"
        .. "element of the greatest modulus is real and positive; the lower triangle is read",
    "lun.vector{{2, 0}, {0, 1}}:eigh()", "{1.0, 2.0}, {{0.0, 1.0}, {1.0, 0.0}}",
    function(A, options)
        local shape, n = square(A)
        options = call.options(options, 2, "upper")
        if size(shape) == 0 then
            return core.zeros(with(shape, #shape - 1), part(computed(A))), core.zeros(shape, computed(A))
        end
        local all = dense("eigh", lower(A, options))
        local values = shaped(between(all, 1, 1), with(shape, #shape - 1))
        return core.iscomplex(values) and values:real() or values, between(all, 2, n + 1):matrix_transpose()
    end)

row("eigvalsh", "A:eigvalsh([{upper=false}])", "the eigenvalues of a symmetric or Hermitian matrix alone",
    "lun.vector{{2, 1}, {1, 2}}:eigvalsh():round()", "{1.0, 3.0}",
    function(A, options)
        local shape = square(A)
        options = call.options(options, 2, "upper")
        if size(shape) == 0 then
            return core.zeros(with(shape, #shape - 1), part(computed(A)))
        end
        return dense("eigh", lower(A, options), 1)
    end)

-- The eigenvalues as complex numbers, of rows of their parts.
local function joined(parts, shape)
    return shaped(core.complex(between(parts, 1, 1), between(parts, 2, 2)), with(shape, #shape - 1))
end

-- Of matrices that have no elements.
local function none(A, shape)
    return core.zeros(shape, part(computed(A)) == "f32" and "c64" or "c128")
end

row("eig", "A:eig()",
    "the eigenvalues of a square matrix, complex, ascending by real, then imaginary part, and its eigenvectors, as\n"
        .. "columns of length 1 whose element of the greatest modulus is real and positive",
    "lun.vector{{2, 1}, {0, 1}}:eig()",
    '{1.0+0.0i, 2.0+0.0i}, {{0.70710678118655+0.0i, 1.0+0.0i}, {-0.70710678118655+0.0i, 0.0+0.0i}}',
    function(A)
        local shape, n = square(A)
        if size(shape) == 0 then
            return none(A, with(shape, #shape - 1)), none(A, shape)
        end
        local all = dense("eig", A)
        local re, im = between(all, 3, n + 2), between(all, n + 3, 2 * n + 2)
        return joined(all, shape), core.complex(re, im):matrix_transpose()
    end)

row("eigvals", "A:eigvals()", "the eigenvalues of a square matrix alone",
    "lun.vector{{0, -1}, {1, 0}}:eigvals()", "{0.0-1.0i, 0.0+1.0i}",
    function(A)
        local shape = square(A)
        if size(shape) == 0 then
            return none(A, with(shape, #shape - 1))
        end
        return joined(dense("eig", A, 1), shape)
    end)

return rows
