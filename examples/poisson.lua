-- Poisson's equation in a cube, -(u_xx + u_yy + u_zz) = f with u = 0 on the surface, by conjugate gradients: once with
-- the matrix as a stencil, where none is stored, once with its nonzero elements row by row (CSR). Both solutions are
-- compared with the exact one, x(1-x) y(1-y) z(1-z), for which differences of neighbours are exact too.
-- Usage: lunarray examples/poisson.lua [points], points along a side
-- prints:
--     stencil  64000 points, 113 iterations, u is 0.0155971314 at most
--     CSR      64000 points, 113 iterations, u is 0.0155971314 at most
--     exact    u is 0.0155971314 at most
local lun = require "lunarray"

local n = tonumber(arg[1]) or 40
local h = 1 / (n + 1)

-- Solves A(x) = b for a symmetric positive definite A. What a sum needs and later lines need too is evaluated with the
-- sum, in one pass.
local function conjugate_gradients(A, b, tolerance)
    local x, r, p = b * 0, b, b
    local rr, count = r:dot(r), 0
    local enough = tolerance ^ 2 * rr
    while rr > enough do
        local q = A(p)
        local alpha = rr / lun.eval((p * q):lazy "sum", q)
        x, r = x + alpha * p, r - alpha * q
        local before = rr
        rr = lun.eval((r * r):lazy "sum", r, x)
        p = r + rr / before * p
        count = count + 1
    end
    return x, count
end

local stencil = lun.stencil(function(u)
    local around = u(-1, 0, 0) + u(1, 0, 0) + u(0, -1, 0) + u(0, 1, 0) + u(0, 0, -1) + u(0, 0, 1)
    return (6 * u(0, 0, 0) - around) / (h * h)
end, { edge = 0 })

-- The same matrix for the points in row-major order: row i has value[e] in column[e] for e from first[i] to
-- first[i + 1] - 1.
local first, column, value = { 1 }, {}, {}
local around = { { -1, 0, 0 }, { 0, -1, 0 }, { 0, 0, -1 }, { 0, 0, 0 }, { 0, 0, 1 }, { 0, 1, 0 }, { 1, 0, 0 } }
for point = 0, n ^ 3 // 1 - 1 do
    for which, step in ipairs(around) do
        local i, j, k = point // (n * n) + step[1], point // n % n + step[2], point % n + step[3]
        if math.min(i, j, k) >= 0 and math.max(i, j, k) < n then
            column[#column + 1] = (i * n + j) * n + k + 1
            value[#value + 1] = (which == 4 and 6 or -1) / (h * h)
        end
    end
    first[#first + 1] = #column + 1
end
first, column, value = lun.vector(first), lun.vector(column), lun.vector(value)

local function csr(p)
    return lun.generate(#first - 1, function(row)
        local sum = 0.0
        for e = first[row], first[row + 1] - 1 do
            sum = sum + value[e] * p[column[e]]
        end
        return sum
    end)
end

local s = lun.linspace(h, 1 - h, n)
local w = s * (1 - s)
local x, y, z = w:view { n, 1, 1 }, w:view { n, 1 }, w
local exact, f = lun.eval(x * y * z, 2 * (y * z + x * z + x * y))

local function solve(name, A, b)
    local u, count = conjugate_gradients(A, b, 1e-12)
    assert((u:reshape { n, n, n } - exact):abs():max() < 1e-14, "another solution")
    print(("%-7s  %d points, %d iterations, u is %.10f at most"):format(name, u:size(), count, u:max()))
    return u:flatten()
end
local a, b = solve("stencil", stencil, f), solve("CSR", csr, f:flatten())
assert((a - b):abs():max() < 1e-15, "two solutions")
print(("exact    u is %.10f at most"):format(exact:max()))
