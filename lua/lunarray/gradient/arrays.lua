-- Derivatives of what is done with whole arrays: sums, products, factors, windows and shapes.

local call = require "lunarray.names.call"
local core = require "lunarray.core"
local making = require "lunarray.names.making"
local tape = require "lunarray.gradient.tape"

local apply, is_number, plain, shape_of = tape.apply, tape.is_number, tape.plain, tape.shape_of
local size = call.size
local handlers, methods, rules = tape.handlers, core.internal.methods, tape.rules

handlers.isarray = function(x) return not is_number(x) end
handlers.iscomplex = function() return false end -- derivatives are of real arrays

-- ---------------------------------------------------------------- sums

-- The axes that a reduction goes along, nil: all; and the shape that its result has with keep.
local function reduced(a, how)
    local shape = shape_of(a)
    local axes = how
    if type(how) == "table" then
        axes = how.axis
    end
    if axes == nil then
        return nil, shape
    end
    local list, kept = type(axes) == "table" and axes or { axes }, { table.unpack(shape) }
    for _, axis in ipairs(list) do
        kept[axis < 0 and #shape + 1 + axis or axis] = 1
    end
    return list, kept
end

-- What belongs to a result, as an array that broadcasts to a.
local function spread(x, a, how)
    local axes, kept = reduced(a, how)
    if is_number(x) or axes == nil then
        return x
    end
    return x:reshape(kept)
end

-- How many elements each result is made of.
local function count(a, how)
    local axes, kept = reduced(a, how)
    local n = size(shape_of(a))
    return axes and n / math.max(size(kept), 1) or n
end

function rules.sum(g, _, a, how)
    return core.ones(shape_of(a), plain(a):dtype()) * spread(g, a, how)
end

function rules.mean(g, _, a, how)
    return core.ones(shape_of(a), plain(a):dtype()) * (spread(g, a, how) / count(a, how))
end

local function variance(g, a, how)
    local ddof = type(how) == "table" and how.ddof or 0
    local axes = reduced(a, how)
    local mean = axes and a:mean { axis = axes, keep = true } or a:mean()
    return spread(g, a, how) * 2 / (count(a, how) - ddof) * (a - mean)
end

function rules.var(g, _, a, how)
    return variance(g, a, how)
end

function rules.std(g, y, a, how)
    return variance(g / (2 * y), a, how)
end

function rules.norm(g, y, a, how)
    local length = spread(y, a, how)
    local is_zero = core.eq(length, 0)
    if type(is_zero) == "boolean" then
        return a * (is_zero and 0.0 or spread(g, a, how) / length)
    end
    return a * core.where(is_zero, 0.0, spread(g, a, how) / core.where(is_zero, 1.0, length))
end

-- Without the zeros; where one element is 0, the product of the others is its derivative.
function rules.prod(g, _, a, how)
    local axes = reduced(a, how)
    local along = axes and { axis = axes, keep = true } or nil
    local is_zero = plain(a):eq(0)
    local zeros = is_zero:cast "f64"
    zeros = zeros:sum(along)
    local others = core.where(is_zero, 1.0, a)
    local product = others:prod(along)
    local rest = core.where(is_zero, product, core.where(core.eq(zeros, 0), product / others, 0.0))
    return spread(g, a, how) * core.where(core.gt(zeros, 1), 0.0, rest)
end

function rules.dot(g, _, a, b)
    return g * b, g * a
end

function rules.cumsum(g, _, _, how)
    local axis = how and how.axis
    return g:flip(axis):cumsum(how):flip(axis)
end
rules.trace = function(g, _, a, k)
    local shape = shape_of(a)
    local one = making.eye(shape[#shape - 1], shape[#shape], k or 0, plain(a):dtype())
    return (is_number(g) and g or g:expand_dims(-1):expand_dims(-1)) * one
end

-- ---------------------------------------------------------------- elements in other places

-- The numbers of the elements of an array of that shape.
local function places(a)
    return core.index(size(shape_of(a))):reshape(shape_of(a))
end

local gather

-- An array like a, in which the elements of g are added at places; 0 is nowhere.
local function scatter(g, at, shape)
    return apply(function(x)
        local n = size(shape)
        local all = core.zeros(n + 1, plain(x):dtype() == "f32" and "f32" or "f64")
        all:put(at:reshape(-1) + 1, x:reshape(-1), { combine = "+" })
        return all:sub(2, n + 1):reshape(shape)
    end, function(h)
        return gather(h, at, function(x)
            return core.concat { core.zeros(1, x:dtype()), x:reshape(-1) }:take(at + 1)
        end)
    end, g)
end

-- op of a, whose elements are those of a at places.
function gather(a, at, op)
    return apply(op, function(g, _, x)
        if type(at) == "number" then
            local one = core.zeros(size(shape_of(x))):copy()
            one[at] = 1
            return one:reshape(shape_of(x)) * g
        end
        return scatter(g, at, shape_of(x))
    end, a)
end

for name in ("sub select row col diagonal diag windows take compress transpose flip"):gmatch "%S+" do
    handlers[name == "sub" and "window" or name] = function(a, ...)
        local given = table.pack(...)
        for i = 1, given.n do
            given[i] = plain(given[i])
        end
        local function op(x)
            return methods[name](x, table.unpack(given, 1, given.n))
        end
        return gather(a, op(places(a)), op)
    end
end

function handlers.index(a, i)
    i = plain(i)
    if plain(a)[i] == nil then
        return nil -- as of other arrays, for ipairs
    end
    return gather(a, places(a)[i], function(x) return x[i] end)
end

-- Elements that come from nowhere have the number 0.
for name in ("pad shift"):gmatch "%S+" do
    handlers[name] = function(a, n, how)
        local edge
        if name == "shift" then
            edge = type(how) == "table" and how.edge or nil
        else
            edge = how
        end
        local own = type(edge) == "string" and edge or 0
        local at
        if name == "shift" then
            at = places(a):shift(n, { axis = how and how.axis, edge = own })
        else
            at = places(a):pad(n, own)
        end
        return gather(a, at, function(x) return methods[name](x, n, how) end)
    end
end

function handlers.sort(a, how)
    local at = plain(a):argsort(how)
    local axis = type(how) == "table" and how.axis or 1
    return gather(a, places(a):take_along_axis(at, { axis = axis }), function(x) return x:sort(how) end)
end

-- The least or the greatest: the first of equals.
for name, where in pairs { min = "argmin", max = "argmax" } do
    local elementwise = rules[name]
    rules[name] = nil
    handlers[name] = function(a, b, ...)
        local is_reduction = b == nil or type(b) == "table" and not tape.is(b) and getmetatable(b) == nil
        if not is_reduction then
            return apply(core[name], elementwise, a, b, ...)
        end
        local axes = reduced(a, b)
        local x = plain(a)
        if not axes then
            return gather(a, x[where](x), function(y) return y[name](y) end)
        end
        local at = x[where](x, { axis = axes[1], keep = true })
        at = places(a):take_along_axis(at, { axis = axes[1] })
        return gather(a, at:reshape { methods[name](x, b):shape() }, function(y) return y[name](y, b) end)
    end
end

-- a is m 2^e: e is a whole number.
function handlers.frexp(a)
    local _, e = methods.frexp(plain(a))
    return a * 2.0 ^ (0 - e), e
end

-- ---------------------------------------------------------------- shapes

for name in ("reshape view flatten expand_dims squeeze"):gmatch "%S+" do
    rules[name] = function(g, _, a)
        return is_number(a) and g or g:reshape(shape_of(a))
    end
end

function handlers.eval(...)
    local list = table.pack(...)
    for k = 1, list.n do
        list[k] = apply(core.eval, function(g) return g end, list[k])
    end
    return table.unpack(list, 1, list.n)
end

for name in ("broadcast broadcast_to copy"):gmatch "%S+" do
    rules[name] = function(g) return g end
end

function rules.cast(g, _, a)
    return is_number(a) and g or g:cast(plain(a):dtype())
end

-- Parts of g along an axis: of so many elements each, or one by one.
local function joined(name, list, axis)
    axis = axis or 1
    return apply(function(...)
        return core[name]({ ... }, axis)
    end, function(g, _, ...)
        local parts, first = {}, 1
        for k, x in ipairs { ... } do
            if name == "stack" then
                parts[k] = g:select(axis, k)
            else
                local n = shape_of(x)[axis]
                local cuts = {}
                for d = 1, axis do cuts[d] = {} end
                cuts[axis] = { first, first + n - 1 }
                parts[k], first = g:sub(table.unpack(cuts)), first + n
            end
        end
        return table.unpack(parts)
    end, table.unpack(list))
end

function handlers.concat(list, axis) return joined("concat", list, axis) end
function handlers.stack(list, axis) return joined("stack", list, axis) end

-- ---------------------------------------------------------------- matrices

local function turned(a)
    return a:matrix_transpose()
end

rules.matrix_transpose = function(g) return turned(g) end

-- A Vector as a row or a column.
local function as_matrix(a, is_row)
    if #shape_of(a) == 1 then
        return is_row and a:reshape(1, -1) or a:reshape(-1, 1)
    end
    return a
end

function rules.matmul(g, _, a, b)
    local x, y = as_matrix(a, true), as_matrix(b, false)
    if is_number(g) then
        return g * b, g * a
    elseif #shape_of(a) == 2 and #shape_of(b) == 1 then
        return g:expand_dims(-1) * b, turned(a):matmul(g)
    elseif #shape_of(a) == 1 then
        g = g:expand_dims(-2)
    elseif #shape_of(b) == 1 then
        g = g:expand_dims(-1)
    end
    local by_x, by_y = g:matmul(turned(y)), turned(x):matmul(g)
    by_x, by_y = tape.fitted(by_x, x), tape.fitted(by_y, y)
    return #shape_of(a) == 1 and by_x:reshape(-1) or by_x, #shape_of(b) == 1 and by_y:reshape(-1) or by_y
end

-- Of a sparse matrix the product with what is watched.
function handlers.matmul(a, b)
    local meta = type(a) == "table" and not tape.is(a) and getmetatable(a)
    if type(meta) == "table" and meta.__arrays then
        return apply(function(x) return a:matmul(x) end, function(g) return a:transpose():matmul(g) end, b)
    end
    return apply(core.matmul, rules.matmul, a, b)
end

-- Right sides and solutions as matrices.
local function solution(y, g, b)
    if #shape_of(b) == 1 then
        return y:expand_dims(-1), g:expand_dims(-1), function(x) return x:squeeze { -1 } end
    end
    return y, g, function(x) return x end
end

function rules.solve(g, y, a, b)
    local x, h, back = solution(y, g, b)
    local by = turned(a):solve(h)
    return -by:matmul(turned(x)), back(by)
end

function rules.solve_triangular(g, y, a, b, how)
    how = how or {}
    local x, h, back = solution(y, g, b)
    local is_turned = how.transpose or how.adjoint
    local by = a:solve_triangular(h, { upper = how.upper, unit = how.unit, transpose = not is_turned })
    local by_a = is_turned and -x:matmul(turned(by)) or -by:matmul(turned(x))
    if how.unit then
        return how.upper and by_a:triu(1) or by_a:tril(-1), back(by)
    end
    return how.upper and by_a:triu() or by_a:tril(), back(by)
end

function rules.inv(g, y)
    local t = turned(y)
    return -t:matmul(g):matmul(t)
end

-- Numbers of matrices, so that they multiply these.
local function of_each(x)
    return is_number(x) and x or x:expand_dims(-1):expand_dims(-1)
end

function rules.det(g, y, a)
    return of_each(g * y) * turned(a:inv())
end

local function logarithm(a)
    return select(2, methods.slogdet(a))
end

function handlers.slogdet(a)
    return (methods.slogdet(plain(a))), apply(function(x)
        return logarithm(x)
    end, function(g, _, x)
        return of_each(g) * turned(x:inv())
    end, a)
end

function rules.cholesky(g, y, _, how)
    local L = how and how.upper and turned(y) or y
    local h = how and how.upper and turned(g) or g
    local middle = turned(L):matmul(h):tril()
    local half = middle - middle:diagonal():expand_dims(-1) * making.eye((select(-1, plain(L):shape()))) * 0.5
    local s = turned(L):solve(turned(turned(L):solve(turned(half))))
    return (s + turned(s)) * 0.5
end

function rules.eigvalsh(g, _, a, how)
    local _, V = a:eigh(how)
    return (V * g:expand_dims(-2)):matmul(turned(V))
end

function rules.svdvals(g, _, a)
    local U, _, Vh = a:svd()
    return (U * g:expand_dims(-2)):matmul(Vh)
end
