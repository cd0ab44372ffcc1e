-- Exponentials of matrices, traces, and linear equations of which only products are known.

local call = require "lunarray.names.call"
local core = require "lunarray.core"
local making = require "lunarray.names.making"
local matrix = require "lunarray.names.matrix"
local number = require "lunarray.base.number"

local rows, row = call.rows "Exponentials, traces, iterations"
local bad, size = call.bad, call.size
local computed, given, oblong, square = matrix.computed, matrix.given, matrix.oblong, matrix.square

-- ---------------------------------------------------------------- trace

row("trace", "A:trace([k])", "the sum of the elements A[i][i + k] of the last two axes, a number; of batches an array",
    "lun.vector{{1, 2}, {3, 4}}:trace()", "5",
    function(A, k)
        local shape = oblong(A)
        local elements = A:diagonal(k)
        if #shape == 2 then
            return elements:sum()
        end
        return given(elements:sum { axis = -1, keep = true }, shape)
    end)

-- ---------------------------------------------------------------- exponentials

-- Pade's approximation of degree 13, good for norms up to BOUND (Higham: The scaling and squaring method for the matrix
-- exponential revisited, 2005).
local PADE = { [0] = 64764752532480000, 32382376266240000, 7771770303897600, 1187353796428800, 129060195264000,
    10559470521600, 670442572800, 33522128640, 1323241920, 40840800, 960960, 16380, 182, 1 }
local BOUND = 5.371920351148152

local function approximated(A)
    local one = making.eye((select(-1, A:shape())), A:dtype())
    local A2 = A:matmul(A)
    local A4 = A2:matmul(A2)
    local A6 = A4:matmul(A2)
    -- The terms of the powers from k on, every other one.
    local function terms(k)
        local high = A6 * (PADE[k + 12] or 0) + A4 * PADE[k + 10] + A2 * PADE[k + 8]
        local low = A6 * PADE[k + 6] + A4 * PADE[k + 4] + A2 * PADE[k + 2] + one * PADE[k]
        return A6:matmul(high) + low
    end
    local odd, even = A:matmul(terms(1)), terms(0)
    return (even - odd):solve(even + odd)
end

row("expm", "A:expm()", "the exponential of a square matrix: the sum of A^k / k!",
    "lun.vector{{0, 1}, {0, 0}}:expm()", "{{1.0, 1.0}, {0.0, 1.0}}",
    function(A)
        local shape = square(A)
        if size(shape) == 0 then
            return core.zeros(shape, computed(A))
        end
        A = A:cast(computed(A))
        local norm = A:matrix_norm { ord = 1, keep = true } / BOUND
        local is_finite = norm:lt(math.huge)
        local _, exponent = core.where(is_finite, norm, 0):frexp()
        local squarings = exponent:max(0):eval()
        local x = approximated(A * (2.0 ^ (0 - squarings)):cast(A:dtype()))
        for k = 1, squarings:max() do
            local twice = x:matmul(x)
            x = #shape == 2 and twice or core.where(squarings:ge(k), twice, x)
        end
        return x
    end)

-- ---------------------------------------------------------------- iterations

-- f as a function of a Vector that gives one as long.
local function operator(f, b, argument)
    local meta = type(f) == "table" and getmetatable(f)
    if type(meta) == "table" and meta.__arrays then -- a sparse matrix
        local n, m = f:shape()
        if n ~= m or n ~= #b then
            bad(argument, "a matrix of %d x %d expected, got one of %d x %d", #b, #b, n, m)
        end
        return function(x) return f:matmul(x) end
    elseif core.isarray(f) then
        local _, m, n = oblong(f)
        if m ~= n or n ~= #b or call.rank(f) ~= 2 then
            bad(argument, "a matrix of %d x %d expected, got %s", #b, #b, call.described(f))
        end
        return function(x) return f:matmul(x) end
    elseif type(f) ~= "function" then
        bad(argument, "a function or a matrix expected, got %s", core.internal.kind_of(f))
    end
    f = call.users(f)
    return function(x)
        local y = f(x)
        if not core.isarray(y) or call.rank(y) ~= 1 or #y ~= #b then
            bad(argument, "the function gave %s, a Vector of %d elements is expected",
                core.isarray(y) and call.described(y) or core.internal.kind_of(y), #b)
        end
        return y
    end
end

row("cg", "lun.cg(f_or_A, b [, {x0=, tol=1e-8, maxiter=, precondition=}])",
    "conjugate gradients: x with A x = b of a symmetric positive definite A, a matrix, of lun.csr too, or\n"
        .. "a function that multiplies Vectors by it; how many iterations, and the norm of b - A x. It ends at\n"
        .. "tol times the norm of b, or after maxiter of them, 10 times #b by default; precondition: an\n"
        .. "approximate inverse, a function or a matrix",
    "lun.cg(lun.vector{{2, 0}, {0, 4}}, lun.vector{2, 2})", "{1.0, 0.5}, 2, 0.0",
    function(f, b, options)
        call.of_rank(b, 1, 2)
        options = call.options(options, 3, "x0 tol maxiter precondition")
        local tol = options.tol == nil and 1e-8 or call.number(options.tol, 3)
        local most = options.maxiter == nil and 10 * #b or call.whole(options.maxiter, 3, 0, nil, "maxiter")
        b = call.floating(b)
        local apply = operator(f, b, 1)
        local M = options.precondition and operator(options.precondition, b, 3)
        local x = options.x0 == nil and core.zeros(#b, b:dtype()) or call.of_rank(options.x0, 1, 3)
        if #x ~= #b then
            bad(3, "x0 has %d elements, b %d", #x, #b)
        elseif #b == 0 then
            return x, 0, 0.0
        end
        local r = options.x0 == nil and b or (b - apply(x)):eval()
        local bound, residual, k = tol * b:norm(), r:norm(), 0
        local z = M and M(r):eval() or r
        local p, rz = z, r:dot(z)
        while k < most and residual > bound do
            local q = apply(p):eval()
            local along = p:dot(q)
            if along <= 0 then
                bad(1, "not positive definite: p'Ap is %s in iteration %d", number.format("%.6g", along), k + 1)
            end
            local alpha = rz / along
            x, r = core.eval(x + alpha * p, r - alpha * q)
            residual, k = r:norm(), k + 1
            z = M and M(r):eval() or r
            local before = rz
            rz = r:dot(z)
            p = (z + rz / before * p):eval()
        end
        return x, k, residual
    end)

return rows
