-- Derivatives of functions of arrays and numbers: grad, derivative, hessian, jvp.

local core = require "lunarray.core"
local tape = require "lunarray.gradient.rules"

local M = {}

local is_number, plain, shape_of = tape.is_number, tape.plain, tape.shape_of

-- ---------------------------------------------------------------- checks

local function misuse(argument, name, text, ...)
    tape.fail("bad argument #%d to '%s' (%s)", argument, name, text:format(...))
end

-- A wrong value in a message: a number or text as it is, else its kind.
local function shown(x)
    return (type(x) == "number" or type(x) == "string") and tostring(x) or core.internal.kind_of(x)
end

local function check_point(x, argument, name)
    local value = plain(x)
    if type(value) ~= "number" and not core.isarray(value) then
        misuse(argument, name, "array or number expected, got %s", core.internal.kind_of(value))
    end
end

local function check_function(f, name)
    if type(f) ~= "function" then
        misuse(1, name, "function expected, got %s", core.internal.kind_of(f))
    end
end

-- An argument that is to be watched: an array of f32 or f64, or a number, as a float.
local function watchable(x, i)
    if type(x) == "number" then
        return x + 0.0
    elseif tape.is(x) then
        return x
    elseif not core.isarray(x) then
        tape.fail("argument %d of the function is %s: an array or a number has a derivative", i,
            core.internal.kind_of(x))
    elseif x:dtype() ~= "f32" and x:dtype() ~= "f64" then
        tape.fail("argument %d of the function is %s: f32 and f64 have derivatives, cast it", i, x:dtype())
    end
    return x
end

local function described(y)
    y = plain(y)
    if not core.isarray(y) then
        return core.internal.kind_of(y)
    end
    return ("%s[%s]"):format(y:dtype(), table.concat({ y:shape() }, ", "))
end

-- A derivative in the form of the argument.
local function as_argument(g, x)
    if g == nil then
        return is_number(x) and 0.0 or core.zeros(shape_of(x), plain(x):dtype())
    elseif is_number(x) or plain(g):dtype() == plain(x):dtype() then
        return g
    end
    return g:cast(plain(x):dtype())
end

-- ---------------------------------------------------------------- calls

-- f of the arguments with those numbered in `wrt` watched; gives its result, and a function that gives, for a
-- derivative by the result, those by these arguments.
local function run(f, wrt, ...)
    local t, given, leaves = tape.tape(), table.pack(...), {}
    for k, i in ipairs(wrt) do
        given[i] = watchable(given[i], i)
        leaves[k] = tape.leaf(t, given[i])
    end
    local watched = { table.unpack(given, 1, given.n) }
    for k, i in ipairs(wrt) do
        watched[i] = leaves[k]
    end
    local y = f(table.unpack(watched, 1, given.n))
    return tape.value(t, y), function(seed)
        local found, results = tape.backward(t, y, seed, leaves), {}
        for k, i in ipairs(wrt) do
            results[k] = as_argument(found[k], given[i])
        end
        return results
    end
end

-- g = lun.grad(f [, {wrt=1}]): g(...) gives the derivatives of f(...), one number, by the arguments numbered in wrt, a
-- number or a list, then its value.
function M.grad(f, options)
    check_function(f, "grad")
    options = options == nil and {} or options
    if type(options) ~= "table" then
        misuse(2, "grad", "table of options expected, got %s", core.internal.kind_of(options))
    end
    for name in pairs(options) do
        if name ~= "wrt" then
            misuse(2, "grad", "unknown option '%s': the options are wrt", tostring(name))
        end
    end
    local wrt = options.wrt == nil and { 1 } or type(options.wrt) == "table" and options.wrt or { options.wrt }
    for _, i in ipairs(wrt) do
        if math.type(i) ~= "integer" or i < 1 then
            misuse(2, "grad", "wrt: numbers of arguments expected, got %s", shown(i))
        end
    end
    return function(...)
        local y, back = run(f, wrt, ...)
        if not is_number(y) then
            tape.fail("f must give one number, got %s", described(y))
        end
        local results = back(1.0)
        results[#results + 1] = y
        return table.unpack(results)
    end
end

-- The derivative of f by its one argument: of a number a number, of an array that of each element.
local function once(f)
    return function(x)
        local y, back = run(f, { 1 }, x)
        if not (is_number(y) and is_number(x)) and table.concat(shape_of(y), ",") ~= table.concat(shape_of(x), ",") then
            tape.fail("f must give an element for each one of its argument, got %s of %s", described(y), described(x))
        end
        return back(is_number(y) and 1.0 or core.ones(shape_of(y), plain(y):dtype()))[1]
    end
end

-- lun.derivative(f [, k=1]): the k-th derivative of a function of numbers, or of elements.
function M.derivative(f, k)
    check_function(f, "derivative")
    k = k == nil and 1 or k
    if math.type(k) ~= "integer" or k < 0 then
        misuse(2, "derivative", "a whole number, at least 0, expected, got %s", shown(k))
    end
    for _ = 1, k do
        f = once(f)
    end
    return f
end

-- lun.hessian(f): a function that gives the matrix of second derivatives of f(x), one number, by the elements of a
-- Vector.
function M.hessian(f)
    check_function(f, "hessian")
    local g = M.grad(f)
    return function(x, ...)
        if is_number(x) then
            return (M.grad(function(...) return (g(...)) end)(x, ...))
        elseif #shape_of(x) ~= 1 then
            tape.fail("argument 1 of the function is %s: a Vector or a number is expected", described(x))
        end
        local y, back = run(function(...) return (g(...)) end, { 1 }, x, ...)
        local n, rows = #x, {}
        for i = 1, n do
            rows[i] = back(core.index(n):eq(i):cast(plain(y):dtype()))[1]
        end
        return n > 0 and core.stack(rows) or core.zeros({ 0, 0 }, plain(x):dtype())
    end
end

-- The derivative of f, of which `back` gives those by its argument for one by its result, along v.
local function forward(y, back, v)
    local zero = is_number(y) and 0.0 or core.zeros(shape_of(y), plain(y):dtype())
    local _, along = run(function(u) return back(u)[1] end, { 1 }, zero)
    return along(v)[1]
end

-- lun.jvp(f, x, v): f(x), and its derivative at x along v, which has x's shape.
function M.jvp(f, x, v)
    check_function(f, "jvp")
    check_point(x, 2, "jvp")
    check_point(v, 3, "jvp")
    if table.concat(shape_of(v), ",") ~= table.concat(shape_of(x), ",") then
        misuse(3, "jvp", "it has another shape than x: %s and %s", described(v), described(x))
    end
    local y, back = run(f, { 1 }, x)
    return y, forward(y, back, v)
end

-- The value of f(p), a Vector, and the matrix of its derivatives by the elements of the Vector p.
function M.jacobian(f, p)
    local y, back = run(f, { 1 }, p)
    local columns = {}
    for j = 1, #p do
        columns[j] = forward(y, back, core.index(#p):eq(j):cast(p:dtype()))
    end
    return y, core.stack(columns, 2)
end

return M
