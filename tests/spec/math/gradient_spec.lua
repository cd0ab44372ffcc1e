-- Derivatives: all operations, reductions, products, factors and shapes against central differences; what is known exactly;
-- second derivatives, minima, curves, mistakes.
local lun = require "lunarray"
local core = require "lunarray.core"
local elementwise = require "lunarray.gradient.elementwise"
local plain = require "math.plain"

local fails, same = plain.fails, plain.same

-- The derivative of f at x along v by central differences.
local function difference(f, x, v)
    local h = 2.0 ^ -17
    return (f(x + h * v) - f(x - h * v)) / (2 * h)
end

-- Fails unless the gradient of f at x is that of differences along some directions; f of arrays gives one number.
local function check(f, x, room)
    local g, value = lun.grad(f)(x)
    assert.equal(f(x), value)
    assert.same({ x:shape() }, { g:shape() })
    assert.equal(x:dtype(), g:dtype())
    for seed = 1, 3 do
        local v = lun.random({ x:shape() }, { seed = seed }) - 0.5
        local want, got = difference(f, x, v), (g * v):sum()
        assert.is_true(math.abs(want - got) <= (room or 2e-7) * (1 + math.abs(want)), ("%.12g, %.12g expected"):format(got, want))
    end
end

local function near(want, got, room)
    assert.is_true(math.abs(want - got) <= (room or 1e-13) * math.max(1, math.abs(want)), ("%.17g, %.17g expected"):format(got, want))
end

local A = (lun.random({ 4, 4 }, { seed = 1 }) + 2 * lun.eye(4)):eval()
local x = (lun.random(4, { seed = 5 }) * 0.6 + 0.2):eval()

describe("the derivative of an operation", function()
    it("is there for each row, unless it is 0", function()
        for name in pairs(core.op) do
            local is_none = (" " .. elementwise.none .. " "):find(" " .. name .. " ", 1, true)
            assert.is_true((is_none ~= nil) ~= (elementwise.rules[name] ~= nil), name)
        end
    end)

    local constants = { where = { x:gt(0.5), x * 3 }, fma = { x * 2, x + 1 }, clamp = { 0.3, 0.6 }, acosh = {} }
    for _, name in ipairs { "add", "sub", "mul", "div", "mod", "neg", "abs", "fma", "pow", "sqrt", "cbrt", "exp", "exp2", "expm1", "log",
        "log2", "log10", "log1p", "sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh", "asinh", "acosh",
        "atanh", "erf", "erfc", "cospi", "hypot", "min", "max", "fmin", "fmax", "clamp", "copysign", "fillnan", "where" } do
        it("of " .. name, function()
            assert.is_truthy(elementwise.rules[name])
            local operands = debug.getinfo(elementwise.rules[name], "u").nparams
            local f = lun[name]
            local more = constants[name] or (operands > 3 or name == "add" or name == "sub") and { x:flip() * 1.3 } or {}
            if name == "copysign" or name == "fillnan" or name:find "^f?min$" or name:find "^f?max$" then more = { x:flip() * 1.3 } end
            local weights = lun.index(4):cast "f64"
            local function of(place)
                return function(y)
                    local list = { x, table.unpack(more) }
                    list[place] = name == "acosh" and y + 1 or y
                    return (f(table.unpack(list)) * weights):sum()
                end
            end
            for place = name == "where" and 2 or 1, #more + 1 do
                if not (name == "clamp" and place > 1) then
                    check(of(place), place == 1 and x or (more[place - 1] * 1.0):eval())
                end
            end
        end)
    end

    it("is that of the branch at a kink", function()
        local z = lun.vector { 0.0, -2, 3 }
        same({ 0.0, -1.0, 1.0 }, (lun.grad(function(y) return y:abs():sum() end)(z)))
        same({ 1.0, 0.0, 1.0 }, (lun.grad(function(y) return y:max(0):sum() end)(z)))
        same({ 0.0, 0.0, 1.0 }, (lun.grad(function(y) return y:max() end)(lun.vector { 1.0, 2, 3 })))
        same({ 0.0, 1.0, 0.0 }, (lun.grad(function(y) return y:max() end)(lun.vector { 1.0, 3, 3 }))) -- the first of equals
        same({ 0.0, 0.0, 0.0 }, (lun.grad(function(y) return (y:floor() + y:sign() + y:gt(1):cast "f64"):sum() end)(z)))
        assert.equal(math.huge, (lun.grad(function(y) return lun.sqrt(y) end)(0.0)))
    end)

    it("of numbers and broadcast operands has their shape", function()
        local B = lun.random({ 3, 4 }, { seed = 3 })
        check(function(y) return ((B * y) ^ 2):sum() end, x)
        check(function(y) return (B / y):sum() end, lun.random({ 3, 1 }, { seed = 4 }) + 1)
        local dx, db, value = lun.grad(function(y, b) return (y * b + b ^ 2):sum() end, { wrt = { 1, 2 } })(x, 3.0)
        same({ 3, 3, 3, 3 }, dx)
        near((x + 6):sum(), db)
        near((x * 3 + 9):sum(), value)
    end)

    it("holds for random expressions", function()
        local unary = { "exp", "sin", "cos", "tanh", "atan", "log1p", "sqrt", "erf", "asinh", "square", "softplus", "expit" }
        local state = 42
        local function draw(n)
            state = (state * 1103515245 + 12345) % 2147483648
            return state // 65536 % n + 1
        end
        for _ = 1, 100 do
            local steps = {}
            for k = 1, 6 do steps[k] = { draw(4), unary[draw(#unary)], draw(k) } end
            local function f(y)
                local values = { y }
                for k, step in ipairs(steps) do
                    local a, b = values[#values], values[step[3]]
                    values[k + 1] = step[1] == 1 and a * b or step[1] == 2 and a - b * 0.5
                        or lun[step[2]](a:abs() + 0.1) * 0.5 + b * 0.1
                end
                return values[#values]:sum()
            end
            check(f, x, 1e-6)
        end
    end)
end)

describe("the derivative of an array operation", function()
    local cases = {
        sum = function(y) return (y:exp() * lun.index(4)):sum() end,
        mean = function(y) return (y:sin() / y):mean() end,
        spread = function(y) return y:var() + y:std() * y:norm() + (A * y):var { axis = 2, ddof = 1 }:sum() end,
        prod = function(y) return y:prod() + (A * y):prod { axis = 1 }:sum() end,
        extremes = function(y) return y:max() * y:min() + (A * y):max { axis = 1 }:sum() + (A * y):min { axis = 2, keep = true }:sum() end,
        along = function(y) return ((A * y):sum(1) ^ 2):sum() + (A * y):mean { axis = 2 }:norm() + (A * y):norm { axis = 1 }:sum() end,
        cumsum = function(y) return (y:cumsum() ^ 2):sum() end,
        dot = function(y) return y:dot(A[1]) * A[2]:dot(y) end,
        matmul = function(y) return A:matmul(y):dot(y:matmul(A)) + (A * y):matmul(A):sum() end,
        batches = function(y) return (lun.stack { A, A + 1 }:matmul(A * y) ^ 2):sum() end,
        solve = function(y) return A:solve(y):sum() + (A * y):solve(A):sum() end,
        triangular = function(y)
            return (A:tril() * y):solve_triangular(y):sum() + A:solve_triangular(y, { upper = true, transpose = true }):sum()
        end,
        inv = function(y) return (A + y):inv():sum() end,
        det = function(y) return (A * y):det() + select(2, (A * y):slogdet()) + lun.stack { A * y, A }:det():sum() end,
        cholesky = function(y) return (A:matmul(A:transpose()) + y:diag()):cholesky():exp():sum() end,
        eigenvalues = function(y) return ((A + A:transpose() + y:diag()):eigvalsh() * lun.index(4)):sum() end,
        singular = function(y) return (A * y):svdvals():max() + (A * y):matrix_norm { ord = "nuc" } end,
        expm = function(y) return (A * y):expm():sum() + (A * y):matrix_power(3):sum() end,
        joined = function(y) return ((y .. y * 2):cumsum() * lun.index(8)):sum() + (lun.stack({ y, y * y }, 2) ^ 3):sum() end,
        windows = function(y)
            return y:sub(2, 3):sum() * y[1] * y[4] + (y:windows(2) ^ 2):sum() + (A * y)[2]:sum() + (A * y):col(3):sum()
        end,
        places = function(y) return (y:take(lun.vector { 1, 1, 3 }) * lun.vector { 1, 2, 3 }):sum() + (y:sort() * lun.index(4)):sum()
            + y:compress(lun.vector { true, false, true, true }):prod() end,
        moved = function(y) return (y:shift(1, { edge = 0 }) * y):sum() + (y:shift(1, { edge = "wrap" }) * y):sum()
            + (y:pad(1, 2) ^ 2):sum()
            + (y:flip() * y):sum() + (y:roll(1) * y ^ 2):sum() end,
        shapes = function(y) return (y:reshape(2, 2):matmul(y:reshape(2, 2)):transpose() * lun.vector { { 1, 2 }, { 3, 4 } }):sum()
            + (y:expand_dims(1) * y:expand_dims(2)):flatten():norm() end,
        triangles = function(y) return (A * y):tril():sum() + (A * y):trace() + (A * y):diagonal(1):prod() end,
        names = function(y) return lun.einsum("i,ij,j", y, A, y) + y:zscore():dot(y ^ 2) + (y:diff() ^ 2):sum() + y:outer(y):sum()
            + (y:logit() * 0.1):sum() + y:vector_norm { ord = 3 } end,
        lua = function(y)
            local s = 0
            for i, element in ipairs(y) do
                s = element > 0.5 and s + element ^ 2 or s - element * i
            end
            return s
        end,
    }
    for name, f in pairs(cases) do
        it(name, function() check(f, x) end)
    end

    it("of f32 is f32, of nothing 0", function()
        local g = lun.grad(function(y) return (y * y):sum() end)(lun.vector({ 1, 2 }, "f32"))
        assert.equal("f32", g:dtype())
        same({ 2.0, 4.0 }, g)
        same({ 0.0, 0.0 }, (lun.grad(function() return 3 end)(lun.vector { 1.0, 2 })))
        same({ 0.0, 6.0, 0.0 }, (lun.grad(function(y) return y:prod() end)(lun.vector { 2.0, 0, 3 })))
        assert.equal(0.0, (lun.grad(function() return 3 end)(1)))
    end)
end)

describe("higher derivatives", function()
    it("are those of grad of grad", function()
        local f = function(y) return y ^ 4 end
        assert.equal(48.0, (lun.grad(lun.grad(f))(2)))
        for k, want in ipairs { 32.0, 48.0, 48.0, 24.0, 0.0 } do
            near(want, lun.derivative(f, k)(2))
        end
        near(-math.sin(1), lun.derivative(lun.sin, 2)(1))
        same({ 2.0, 4.0 }, lun.derivative(function(y) return y ^ 2 end)(lun.vector { 1.0, 2 }))
        assert.equal(f, lun.derivative(f, 0))
        near(6.0, (lun.grad(function(a) return a * lun.grad(function(b) return a * b end)(3.0) end)(3.0))) -- of a captured value
    end)

    it("make the Hessian", function()
        local function f(y) return (y ^ 3):sum() + y[1] * y[2] end
        same({ { 6, 1, 0 }, { 1, 12, 0 }, { 0, 0, 18 } }, lun.hessian(f)(lun.vector { 1.0, 2, 3 }))
        local function h(y) return (A:matmul(y):sin() * y:exp()):sum() / y:norm() + select(2, (A * y):slogdet()) end
        local H = lun.hessian(h)(x)
        near(0, (H - H:transpose()):abs():max(), 1e-12)
        for i = 1, 4 do
            local e = lun.index(4):eq(i):cast "f64"
            local d = difference(function(y) return (lun.grad(h)(y)) end, x, e)
            near(0, (H[i] - d):abs():max(), 1e-6)
        end
        assert.equal(12.0, lun.hessian(function(y) return y ^ 3 end)(2))
        assert.equal(0, lun.hessian(function(y) return y:sum() end)(lun.zeros(0)):size())
    end)

    it("go along a direction", function()
        local v = lun.vector { 1.0, -1, 0.5, 2 }
        local y, d = lun.jvp(function(z) return A:matmul(z:exp()) end, x, v)
        near(0, (y - A:matmul(x:exp())):abs():max())
        near(0, (d - A:matmul(x:exp() * v)):abs():max())
        local value, slope = lun.jvp(function(z) return z:norm() end, x, v)
        near(x:norm(), value)
        near(x:dot(v) / x:norm(), slope)
    end)
end)

describe("minimize", function()
    it("finds minima", function()
        local p, value, iterations = lun.minimize(function(y) return (1 - y[1]) ^ 2 + 100 * (y[2] - y[1] ^ 2) ^ 2 end, { -1.2, 1 })
        near(0, (p - 1):abs():max(), 1e-7)
        assert.is_true(value < 1e-14 and iterations < 60)
        local S = A:transpose():matmul(A)
        local b = lun.ones(4)
        p = lun.minimize(function(y) return y:dot(S:matmul(y)) / 2 - b:dot(y) end, lun.zeros(4), { tol = 1e-10 })
        near(0, (p - S:solve(b)):abs():max(), 1e-8)
        assert.equal(0, (select(3, lun.minimize(function(y) return (y ^ 2):sum() end, { 0, 0 }))))
        assert.equal(3, (select(3, lun.minimize(function(y) return (y:exp() - y):sum() end, { 5, -3 }, { maxiter = 3, tol = 0 }))))
    end)

    it("fits curves", function()
        local t = lun.index(30) * 0.1
        local function model(u, a, b, c) return a * lun.exp(-b * u) + c end
        local y = model(t, 2.5, 1.3, 0.5)
        local p, cov = lun.curve_fit(model, t, y, { 1, 1, 0 })
        near(0, (p - lun.vector { 2.5, 1.3, 0.5 }):abs():max(), 1e-9)
        assert.is_true(cov:abs():max() < 1e-15)
        -- SciPy 1.17.1: curve_fit(lambda x, a, b: a*x + b, [1, 2, 3, 4], [2.1, 3.9, 6.2, 7.8])
        local function line(u, a, b) return a * u + b end
        p, cov = lun.curve_fit(line, lun.vector { 1, 2, 3, 4 }, lun.vector { 2.1, 3.9, 6.2, 7.8 }, { 1, 0 })
        near(0, (p - lun.vector { 1.94, 0.15 }):abs():max(), 1e-9)
        near(0, (cov - lun.vector { { 0.0082, -0.0205 }, { -0.0205, 0.0615 } }):abs():max(), 1e-9)
    end)
end)

describe("a mistake in derivatives", function()
    it("names the line and what is wrong", function()
        local y = lun.vector { 1.0, 2 }
        local function wrong(text, f) fails(text, nil, f) end
        local function of(f, ...)
            local list = table.pack(...)
            return function() return lun.grad(f)(table.unpack(list, 1, list.n)) end
        end
        wrong("f must give one number, got f64[2]", of(function(a) return a * 2 end, y))
        wrong("f must give one number, got nil", of(function() end, y))
        wrong("argument 1 of the function is i64: f32 and f64 have derivatives, cast it",
            of(function(a) return a:sum() end, lun.vector { 1, 2 }))
        wrong("argument 1 of the function is string: an array or a number has a derivative", of(function(a) return a end, "x"))
        wrong("no derivative of 'median'", of(function(a) return a:median() end, y))
        wrong("no derivative of 'svd'", of(function(a) return a:outer(a):svd():sum() end, y))
        wrong("no derivative of 'map': functions of elements are not differentiated, write it with operations on arrays",
            of(function(a) return a:map(function(e) return e * e end):sum() end, y))
        wrong("a watched array is not written to: make a new one, with where or concat",
            of(function(a) a[1] = 2 return a:sum() end, y))
        wrong("no derivative of 'set': watched arrays are not written to, make a new one, with where or concat",
            of(function(a) a:set(2) return a:sum() end, y))
        wrong("bad argument #1 to 'exp' (number expected, got a watched value, which lun.exp takes and math.exp does not)",
            of(function(a) return math.exp(a) end, 1.0))
        wrong("bad argument #1 to 'grad' (function expected, got nil)", function() return lun.grad() end)
        wrong("bad argument #2 to 'grad' (unknown option 'with': the options are wrt)", function() return lun.grad(print, { with = 1 }) end)
        wrong("bad argument #2 to 'grad' (wrt: numbers of arguments expected, got x)", function() return lun.grad(print, { wrt = "x" }) end)
        wrong("bad argument #2 to 'derivative' (a whole number, at least 0, expected, got -1)",
            function() return lun.derivative(print, -1) end)
        wrong("bad argument #3 to 'jvp' (it has another shape than x: f64[3] and f64[2])",
            function() return lun.jvp(function(a) return a end, y, lun.ones(3)) end)
        wrong("bad argument #3 to 'minimize' (unknown method 'newton': known are lbfgs)",
            function() return lun.minimize(function(a) return a:sum() end, y, { method = "newton" }) end)
        wrong("bad argument #3 to 'curve_fit' (1 points for 2 parameters)",
            function() return lun.curve_fit(function(u, a, b) return a * u + b end, y, lun.ones(1), { 1, 2 }) end)
        wrong("the model must give 2 elements, as y has",
            function() return lun.curve_fit(function(_, a) return lun.ones(3) * a end, y, y, { 1 }) end)
    end)

    it("leaves the rest as it was", function()
        pcall(lun.grad(function(a) error("stop " .. tostring(a)) end), lun.vector { 1.0 })
        same({ 2.0 }, (lun.grad(function(a) return (a * a):sum() end)(lun.vector { 1.0 })))
    end)
end)
