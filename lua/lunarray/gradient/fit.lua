-- Minima of functions and curves through points, by derivatives: minimize, curve_fit.

local core = require "lunarray.core"
local gradient = require "lunarray.gradient.gradient"
local tape = require "lunarray.gradient.rules"

local M = {}

local function misuse(argument, name, text, ...)
    tape.fail("bad argument #%d to '%s' (%s)", argument, name, text:format(...))
end

-- A Vector of floats, of a Vector or a table of numbers.
local function vector(x, argument, name)
    if type(x) == "table" and not core.isarray(x) then
        local ok, v = pcall(core.vector, x)
        x = ok and v or nil
    end
    if not core.isarray(x) or select("#", x:shape()) ~= 1 then
        misuse(argument, name, "a Vector or a table of numbers expected")
    end
    local t = x:dtype()
    return t ~= "f32" and t ~= "f64" and x:cast "f64" or x
end

local function options_of(options, argument, name, known)
    options = options == nil and {} or options
    if type(options) ~= "table" then
        misuse(argument, name, "table of options expected, got %s", core.internal.kind_of(options))
    end
    for key in pairs(options) do
        if not (" " .. known .. " "):find(" " .. tostring(key) .. " ", 1, true) then
            misuse(argument, name, "unknown option '%s': the options are %s", tostring(key), (known:gsub(" ", ", ")))
        end
    end
    return options
end

-- ---------------------------------------------------------------- minimize

local MEMORY, TRIALS = 10, 50 -- steps that are remembered; lengths of one that are tried

-- The direction against g that the last steps and changes of g say (Nocedal: Updating quasi-Newton matrices, 1980).
local function direction(g, steps)
    local q, along = g, {}
    for k = #steps, 1, -1 do
        along[k] = steps[k].s:dot(q) / steps[k].curvature
        q = (q - along[k] * steps[k].y):eval()
    end
    local last = steps[#steps]
    if last then
        q = q * (last.curvature / last.y:dot(last.y))
    end
    for k = 1, #steps do
        local back = steps[k].y:dot(q) / steps[k].curvature
        q = (q + (along[k] - back) * steps[k].s):eval()
    end
    return (-q):eval()
end

-- x, value and derivative after a step along d by Wolfe's two conditions, the value less and the slope flatter; nil: no
-- digits are left for one.
local function step(g_of, x, value, g, d)
    local slope, t, low, high = g:dot(d), 1.0, 0.0, math.huge
    local best_x, best_value, best_g
    for _ = 1, TRIALS do
        local next_x = (x + t * d):eval()
        local next_g, next_value = g_of(next_x)
        if next_value <= value + 1e-4 * t * slope then
            best_x, best_value, best_g = next_x, next_value, next_g:eval()
            if best_g:dot(d) >= 0.9 * slope then
                break
            end
            low = t
        else -- of NaN, too
            high = t
        end
        t = high < math.huge and (low + high) / 2 or 2 * t
    end
    return best_x, best_value, best_g
end

-- lun.minimize(f, x0 [, {method="lbfgs", tol=1e-8, maxiter=200}]): x, f(x) and how many iterations; f is as in grad. It
-- ends where no element of the derivative is beyond tol.
function M.minimize(f, x0, options)
    if type(f) ~= "function" then
        misuse(1, "minimize", "function expected, got %s", core.internal.kind_of(f))
    end
    options = options_of(options, 3, "minimize", "method tol maxiter")
    if options.method ~= nil and options.method ~= "lbfgs" then
        misuse(3, "minimize", "unknown method '%s': known are lbfgs", tostring(options.method))
    end
    local x, g_of = vector(x0, 2, "minimize"), gradient.grad(f)
    local tol, most, steps, k = options.tol or 1e-8, options.maxiter or 200, {}, 0
    local g, value = g_of(x)
    g = g:eval()
    while k < most and #x > 0 and g:abs():max() > tol do
        local d = direction(g, steps)
        if g:dot(d) >= 0 then
            steps, d = {}, (-g):eval()
        end
        local next_x, next_value, next_g = step(g_of, x, value, g, d)
        if not next_x and #steps == 0 then
            break -- no digits are left
        elseif not next_x then
            steps = {}
        else
            local s, y = (next_x - x):eval(), (next_g - g):eval()
            local curvature = s:dot(y)
            if curvature > 0 then
                steps[#steps + 1] = { s = s, y = y, curvature = curvature }
            end
            if #steps > MEMORY then
                table.remove(steps, 1)
            end
            x, value, g, k = next_x, next_value, next_g, k + 1
        end
    end
    return x, value, k
end

-- ---------------------------------------------------------------- curve_fit

-- lun.curve_fit(model, x, y, p0): the parameters p with the least sum of squares of model(x, p[1], p[2], ...) - y, from
-- p0 on (Levenberg and Marquardt), and their covariance.
function M.curve_fit(model, x, y, p0)
    if type(model) ~= "function" then
        misuse(1, "curve_fit", "function expected, got %s", core.internal.kind_of(model))
    elseif not core.isarray(y) or select("#", y:shape()) ~= 1 then
        misuse(3, "curve_fit", "Vector expected, got %s", core.internal.kind_of(y))
    end
    local p = vector(p0, 4, "curve_fit"):cast "f64"
    local n, m = #p, #y
    if m < n then
        misuse(3, "curve_fit", "%d points for %d parameters", m, n)
    end
    y = y:cast "f64"
    local function residual(q)
        local list = {}
        for k = 1, n do
            list[k] = q[k]
        end
        local found = model(x, table.unpack(list))
        if not core.isarray(found) or #tape.shape_of(found) ~= 1 or #found ~= m then
            tape.fail("the model must give %d elements, as y has", m)
        end
        return found - y
    end
    local damping = 1e-3
    local r, J = gradient.jacobian(residual, p)
    local sum = r:dot(r)
    for _ = 1, 200 do
        local T = J:transpose()
        local A, g = T:matmul(J):eval(), T:matmul(r):eval()
        local d = A:diagonal()
        local scale = core.where(d:gt(0), d, 1.0)
        local moved = (A + (scale * damping):diag()):solve(g)
        local q = (p - moved):eval()
        local r2 = residual(q)
        local next_sum = r2:dot(r2)
        if next_sum <= sum then
            local is_done = sum - next_sum <= 1e-15 * sum and moved:norm() <= 1e-9 * (1e-9 + p:norm())
            p, damping = q, math.max(damping / 10, 1e-15)
            r, J = gradient.jacobian(residual, p)
            sum = next_sum
            if is_done then
                break
            end
        else
            damping = damping * 10
            if damping > 1e15 then
                break
            end
        end
    end
    local A = J:transpose():matmul(J)
    return p, (A:pinv() * (sum / math.max(m - n, 1))):eval()
end

return M
