-- Conjugate gradients on a finite-element matrix, in the manner of miniFE: -div grad u = f on the unit cube, u = 0 on
-- its sides, trilinear elements; the matrix of 27 numbers a row is assembled in rows (CSR) and multiplied by a team
-- kernel. The solution is known, g(x) g(y) g(z) with g(s) = s (1 - s) exp s, and the error falls as the square of the
-- elements' width.
-- Usage: lunarray examples/cg.lua [elements along an edge]
-- prints:
--     13 elements along an edge: 39304 numbers, 31 steps, error 1.7e-03
--     26 elements along an edge: 389017 numbers, 63 steps, error 4.2e-04
--     a half of the width, a quarter of the error
local lun = require "lunarray"

local coarse = tonumber(arg[1]) or 13

-- Stiffness and mass of linear elements on a line, at the node itself and beside it; those of the cube are sums of
-- products.
local function along(d, h)
    return d == 0 and 2 / h or -1 / h, d == 0 and 4 * h / 6 or h / 6
end

local function entries(h)
    local values = {}
    for dz = -1, 1 do
        for dy = -1, 1 do
            for dx = -1, 1 do
                local kx, mx = along(dx, h)
                local ky, my = along(dy, h)
                local kz, mz = along(dz, h)
                values[#values + 1] = kx * my * mz + mx * ky * mz + mx * my * kz
            end
        end
    end
    return lun.vector(values)
end

-- The matrix of m nodes along an edge: where rows begin, columns, numbers.
local function assemble(m, h)
    local n, value = m ^ 3 // 1 | 0, entries(h)
    local lengths = lun.generate({ m, m, m }, function(i, j, k)
        local a = (i > 1 and i < m) and 3 or m == 1 and 1 or 2
        local b = (j > 1 and j < m) and 3 or m == 1 and 1 or 2
        local c = (k > 1 and k < m) and 3 or m == 1 and 1 or 2
        return a * b * c
    end):view { n }
    local first = lun.concat({ lun.zeros(1, "i64"), lengths:scan("+", 0, { inclusive = true }) }) + 1
    first = first:eval()
    local total = first[n + 1] - 1
    local column, number = lun.zeros(total, "i64"), lun.zeros(total)
    lun.teams { league = { m, m, m } }(function(t)
        local i, j, k = t:block(1), t:block(2), t:block(3)
        local at, which = first[((i - 1) * m + j - 1) * m + k], 0
        for di = -1, 1 do
            for dj = -1, 1 do
                for dk = -1, 1 do
                    which = which + 1
                    local a, b, c = i + di, j + dj, k + dk
                    if a >= 1 and a <= m and b >= 1 and b <= m and c >= 1 and c <= m then
                        column[at] = ((a - 1) * m + b - 1) * m + c
                        number[at] = value[which]
                        at = at + 1
                    end
                end
            end
        end
    end)
    return first, column, number
end

local function product(t, y, x, first, column, number)
    for row = t:index(), math.min(t:index() + t:elements() - 1, #y) do
        local sum = 0.0
        for k = first[row], first[row + 1] - 1 do sum = sum + number[k] * x[column[k]] end
        y[row] = sum
    end
end

local function solve(first, column, number, b)
    local n = #b
    local multiply = lun.teams(lun.workdiv(n, { elements = 16 }))
    local x, r, p, q = lun.zeros(n), b, b, lun.zeros(n)
    local rr = r:dot(r) + 0
    local enough = rr * 1e-20
    for step = 1, n do
        multiply(product, q, p, first, column, number)
        local alpha = rr / p:dot(q)
        x, r = lun.eval(x + alpha * p, r - alpha * q)
        local next_rr = r:dot(r) + 0
        if next_rr < enough then return x, step end
        p = (r + next_rr / rr * p):eval()
        rr = next_rr
    end
    error "no convergence"
end

local function g(s) return s * (1 - s) * math.exp(s) end
local function curve(s) return -(3 * s + s * s) * math.exp(s) end -- its second derivative

local function run(edges)
    local m, h = edges - 1, 1 / edges
    local first, column, number = assemble(m, h)
    local exact = lun.generate({ m, m, m }, function(i, j, k) return g(i * h) * g(j * h) * g(k * h) end)
    local force = lun.generate({ m, m, m }, function(i, j, k)
        local x, y, z = i * h, j * h, k * h
        return -(curve(x) * g(y) * g(z) + g(x) * curve(y) * g(z) + g(x) * g(y) * curve(z))
    end)
    exact = exact:view { m * m * m }:eval()
    local b = (force:view { m * m * m } * h ^ 3):eval() -- as much of it as each node has of the volume
    local x, steps = solve(first, column, number, b)
    local wrong = (x - exact):abs():max() + 0
    print(("%d elements along an edge: %d numbers, %d steps, error %.1e"):format(edges, #number, steps, wrong))
    return wrong
end

local ratio = run(coarse) / run(2 * coarse)
assert(ratio > 3.8 and ratio < 4.2, ratio)
print "a half of the width, a quarter of the error"
