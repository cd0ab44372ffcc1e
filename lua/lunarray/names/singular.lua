-- Singular values, and what is made of them: least squares, the pseudoinverse, ranks, condition numbers.

local call = require "lunarray.names.call"
local core = require "lunarray.core"
local making = require "lunarray.names.making"
local matrix = require "lunarray.names.matrix"

local rows, row = call.rows "Singular values"
local array, bad, shaped, size = call.array, call.bad, call.shaped, call.size
local dense = core.internal.dense
local adjoint, between, computed, given = matrix.adjoint, matrix.between, matrix.computed, matrix.given
local oblong, part_of, with = matrix.oblong, matrix.part, matrix.with

local VALUES = 1 -- of lunarray.h

-- ---------------------------------------------------------------- factors

-- An array of a number for each row or column, of which one has to be repeated: axis -1 or -2.
local function spread(x, axis)
    return x:expand_dims(axis)
end

-- U, S, Vh of matrices that are nearly square.
local function direct(A)
    local shape, m, n = oblong(A)
    local all = dense("svd", A)
    local S = shaped(between(all, m + 1, m + 1), with(shape, #shape - 2, math.min(m, n)))
    return between(all, 1, m), core.iscomplex(S) and S:real() or S, between(all, m + 2, m + n + 1):matrix_transpose()
end

-- The same where rows of Vh have changed: their signs as they are defined.
local function signed(U, S, Vh)
    local at = Vh:abs():argmax { axis = -1, keep = true }
    if core.iscomplex(Vh) then
        local entry = Vh:take_along_axis(at, { axis = -1 })
        return U * entry:matrix_transpose() / entry:abs():matrix_transpose(), S, Vh * entry:conj() / entry:abs()
    end
    local is_negative = Vh:take_along_axis(at, { axis = -1 }):lt(0)
    return core.where(is_negative:matrix_transpose(), 0 - U, U), S, core.where(is_negative, 0 - Vh, Vh)
end

-- U, S, Vh with as many columns and rows as the lesser extent.
local function reduced(A)
    local shape, m, n = oblong(A)
    local k, t = math.min(m, n), computed(A)
    if size(shape) == 0 then
        return core.zeros(with(shape, #shape - 2, m, k), t), core.zeros(with(shape, #shape - 2, k), part_of(t)),
            core.zeros(with(shape, #shape - 2, k, n), t)
    elseif 2 * m >= 3 * n then
        local Q, R = A:qr()
        local U, S, Vh = direct(R)
        return Q:matmul(U), S, Vh
    elseif 2 * n >= 3 * m then
        local Q, R = A:matrix_transpose():qr()
        local U, S, Vh = direct(R:matrix_transpose())
        return signed(U, S, Vh:matmul(Q:matrix_transpose()))
    end
    return direct(A)
end

-- An m x k matrix of orthonormal columns with all m columns.
local function completed(U)
    local shape, m, k = oblong(U)
    if m == k then
        return U
    end
    local Q = U:qr { mode = "complete" }
    return core.concat({ U, call.part(Q, #shape, k + 1, m) }, #shape)
end

row("svd", "A:svd([{full=false}])",
    "U, S, Vh: A is U times the singular values S, which descend, times Vh; of m x n matrices U has as many columns,\n"
        .. "and Vh as many rows, as the lesser of m and n; full: m columns, n rows. In each row of Vh the element of\n"
        .. "the greatest modulus is real and positive",
    "lun.vector{{0, 2}, {1, 0}}:svd()", "{{1.0, 0.0}, {0.0, 1.0}}, {2.0, 1.0}, {{0.0, 1.0}, {1.0, 0.0}}",
    function(A, options)
        oblong(A)
        options = call.options(options, 2, "full")
        local U, S, Vh = reduced(A)
        if options.full then
            return completed(U), S, completed(Vh:matrix_transpose()):matrix_transpose()
        end
        return U, S, Vh
    end)

-- The singular values alone.
local function values(A)
    local shape, m, n = oblong(A)
    local count = with(shape, #shape - 2, math.min(m, n))
    if size(shape) == 0 then
        return core.zeros(count, part_of(computed(A)))
    elseif 2 * m >= 3 * n then
        A = A:qr { mode = "r" }
    elseif 2 * n >= 3 * m then
        A = A:matrix_transpose():qr { mode = "r" }:matrix_transpose()
    end
    return shaped(dense("svd", A, VALUES), count)
end

row("svdvals", "A:svdvals()", "the singular values, which descend", "lun.vector{{0, 2}, {1, 0}}:svdvals()",
    "{2.0, 1.0}",
    values)

-- ---------------------------------------------------------------- ranks

-- Which singular values are no zeros: those above `part` of the first, a number or one for each matrix, by default
-- epsilon times the greater extent.
local function kept(A, S, part, argument)
    local shape, m, n = oblong(A)
    if core.isarray(part) and #shape > 2 then
        if call.rank(part) ~= #shape - 2 then
            bad(argument, "a number for each of the matrices of %s expected, got %s", call.described(A),
                call.described(part))
        end
        part = spread(part, -1)
    else
        part = part == nil and matrix.epsilon(computed(A)) * math.max(m, n) or call.number(part, argument)
    end
    return S:gt(call.part(S, call.rank(S), 1, 1) * part)
end

-- The number of trues along the last axis.
local function counted(keep, shape)
    return given(keep:cast "i64":sum { axis = -1, keep = true }, shape)
end

-- Zeros, of each matrix.
local function none(shape)
    return #shape == 2 and 0 or core.zeros(with(shape, #shape - 2), "i64")
end

row("matrix_rank", "A:matrix_rank([{rtol=}])",
    "how many singular values are above rtol times the greatest; by default epsilon times the greater extent; of\n"
        .. "batches rtol may be an array, a number for each matrix",
    "lun.vector{{1, 2}, {2, 4}}:matrix_rank()", "1",
    function(A, options)
        local shape = oblong(A)
        options = call.options(options, 2, "rtol")
        if size(shape) == 0 then
            return none(shape)
        end
        return counted(kept(A, values(A), options.rtol, 2), shape)
    end)

row("pinv", "A:pinv([{rtol=}])",
    "the pseudoinverse of Moore and Penrose; singular values not above rtol times the greatest count as 0, by default\n"
        .. "epsilon times the greater extent; rtol as of matrix_rank",
    "lun.vector{{2, 0}, {0, 4}, {0, 0}}:pinv()", "{{0.5, 0.0, 0.0}, {0.0, 0.25, 0.0}}",
    function(A, options)
        local shape, m, n = oblong(A)
        options = call.options(options, 2, "rtol")
        if size(shape) == 0 then
            return core.zeros(with(shape, #shape - 2, n, m), computed(A))
        end
        local U, S, Vh = reduced(A)
        local inverse = core.where(kept(A, S, options.rtol, 2), 1 / S, S * 0)
        return (adjoint(Vh) * spread(inverse, -2)):matmul(adjoint(U))
    end)

-- The sums of squares of the columns of B - A x, without elements where there are none or the rank is below n.
local function residuals(A, x, B, rank, shape)
    local m, n = shape[#shape - 1], shape[#shape]
    if m <= n or rank ~= n and #shape == 2 then
        return core.zeros(0, part_of(x:dtype()))
    end
    local rest = B - A:matmul(x)
    local squares = core.iscomplex(rest) and rest:real() ^ 2 + rest:imag() ^ 2 or rest ^ 2
    squares = squares:sum { axis = -2 }
    return #shape == 2 and squares or core.where(spread(rank:eq(n), -1), squares, call.nan)
end

row("lstsq", "A:lstsq(B [, {rcond=}])",
    "x with the least |A x - B|, and of these the least |x|, for a Vector or the columns of B; the rank; the sums of\n"
        .. "squares of A x - B, none where the rank is below A's columns or A has no more rows; the singular values.\n"
        .. "rcond: which of these count as 0, as rtol of pinv",
    "lun.vector{{1}, {1}}:lstsq(lun.vector{1, 3})", "{2.0}, 1, {2.0}, {1.4142135623731}",
    function(A, B, options)
        local shape, m, n = oblong(A)
        array(B, 2)
        options = call.options(options, 3, "rcond")
        local one = call.rank(B) == 1
        local right = one and B:reshape(-1, 1) or B
        if select(-2, right:shape()) ~= m then
            bad(2, "%d rows expected, as the matrix has, got %s", m, call.described(B))
        end
        local t = matrix.common(A, B)
        local columns = select(-1, right:shape())
        if size(shape) * columns == 0 then
            local x = core.zeros(with(shape, #shape - 2, n, columns), t)
            return one and shaped(x, with(shape, #shape - 2, n)) or x, none(shape), core.zeros(0, part_of(t)), values(A)
        end
        A, right = A:cast(t), right:cast(t)
        local U, S, Vh = reduced(A)
        local keep = kept(A, S, options.rcond, 3)
        local parts = adjoint(U):matmul(right)
        parts = core.where(spread(keep, -1), parts / spread(S, -1), 0)
        local x = adjoint(Vh):matmul(parts)
        local rank = counted(keep, shape)
        local rest = residuals(A, x, right, rank, shape)
        if one then
            local all = { x:shape() }
            x = shaped(x, table.move(all, 1, #all - 1, 1, {}))
        end
        return x, rank, rest, S
    end)

-- ---------------------------------------------------------------- condition

row("cond", "A:cond([ord=2])",
    "the condition number: the greatest singular value over the least, with -2 the least over the greatest; with\n"
        .. '"fro", "nuc", 1, -1, math.huge and -math.huge the norm of a square matrix times that of its inverse. Of a\n'
        .. "singular matrix infinity",
    "lun.vector{{2, 0}, {0, 4}}:cond()", "2.0",
    function(A, ord)
        local shape, m, n = matrix.oblong(A)
        if size(shape) == 0 then
            bad(1, "matrix is empty")
        elseif ord == nil or ord == 2 or ord == -2 then
            local S = values(A)
            local last = math.min(m, n)
            local most, least = call.part(S, #shape - 1, 1, 1), call.part(S, #shape - 1, last, last)
            return given(ord == -2 and least / most or most / least, shape)
        end
        matrix.square(A)
        local _, _, U = A:lu()
        local is_singular = U:diagonal():eq(0):any { axis = -1, keep = true }
        local regular = core.where(spread(is_singular, -1), making.eye(n, computed(A)), A)
        local how = { ord = ord, keep = true }
        local norm = A:matrix_norm(how) * regular:inv():matrix_norm(how)
        return given(core.where(spread(is_singular, -1), math.huge, norm), shape)
    end)

return rows
