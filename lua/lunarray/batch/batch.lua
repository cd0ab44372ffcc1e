-- lun.batch: a function of one item as a function of many. The function runs once, of items that hide the axis of the
-- batch: what is done with them is done with all, along the other axes.
-- Invariant: an item's value is an array whose first axis is the batch; of items in items, the higher number is inside.

local call = require "lunarray.names.call"
local core = require "lunarray.core"
local tape = require "lunarray.gradient.rules"

local M = { handlers = {}, composed = {} }

local Item = { __name = "an item of a batch" }
local VALUE, NUMBER, COUNT = {}, {}, {} -- keys of what an item holds

local fail, methods, handlers = tape.fail, core.internal.methods, M.handlers

local function is(x)
    return type(x) == "table" and getmetatable(x) == Item
end

local function value(x)
    return rawget(x, VALUE)
end

local function item(x, of)
    return setmetatable({ [VALUE] = x, [NUMBER] = rawget(of, NUMBER), [COUNT] = rawget(of, COUNT) }, Item)
end

-- The shape of what the function sees.
local function shape_of(x)
    if is(x) then
        local shape = { value(x):shape() }
        return table.move(shape, 2, #shape, 1, { table.unpack(shape, 1, 0) }), #shape - 1
    elseif core.isarray(x) then
        local shape = { x:shape() }
        return shape, #shape
    end
    return {}, 0
end

local function rank(x)
    return (select(2, shape_of(x)))
end

-- The item with the highest number among values, also in a list that is the first of them.
local function innermost(...)
    local found
    local function look(x)
        if is(x) and (not found or rawget(x, NUMBER) > rawget(found, NUMBER)) then
            found = x
        end
    end
    for i = 1, select("#", ...) do
        look((select(i, ...)))
    end
    local list = ...
    if type(list) == "table" and getmetatable(list) == nil then
        for _, x in ipairs(list) do
            look(x)
        end
    end
    return found
end

-- Whether x is an item of that batch.
local function belongs(x, of)
    return is(x) and rawget(x, NUMBER) == rawget(of, NUMBER)
end

-- The value of an item, with axes of extent 1 behind the batch's up to that rank; others as they are.
local function aligned(x, of, wanted)
    if not belongs(x, of) then
        return x
    end
    local shape, own = shape_of(x)
    if own >= wanted then
        return value(x)
    end
    local full = { rawget(of, COUNT) }
    for _ = own + 1, wanted do
        full[#full + 1] = 1
    end
    return value(x):reshape(table.move(shape, 1, own, #full + 1, full))
end

-- All as items: an array or a number that is the same for each.
local function repeated(x, of)
    if belongs(x, of) then
        return value(x)
    end
    local shape = shape_of(x)
    x = (core.isarray(x) and rank(x) > 0) and x:expand_dims(1) or core.full({ 1 }, x)
    return x:broadcast { rawget(of, COUNT), table.unpack(shape) }
end

-- ---------------------------------------------------------------- axes

-- The number of an axis in the item's value.
local function behind(axis)
    return axis > 0 and axis + 1 or axis
end

local function all_axes(x)
    local axes = {}
    for k = 1, rank(x) do
        axes[k] = k + 1
    end
    return axes
end

-- A copy of options whose axes are those of the value; without any: `default`.
local function shifted(how, default)
    local options = {}
    for name, x in pairs(type(how) == "table" and how or { axis = how }) do
        options[name] = x
    end
    for _, name in ipairs { "axis", "axes" } do
        local axes = options[name]
        if math.type(axes) then
            options[name] = behind(axes)
        elseif type(axes) == "table" then
            options[name] = {}
            for k, axis in ipairs(axes) do
                options[name][k] = behind(axis)
            end
        end
    end
    if options.axis == nil and options.axes == nil then
        options.axis = default
    end
    return options
end

-- ---------------------------------------------------------------- calls

local function elementwise(f, of, ...)
    local given, most = table.pack(...), 0
    for i = 1, given.n do
        most = math.max(most, rank(given[i]))
    end
    for i = 1, given.n do
        given[i] = aligned(given[i], of, most)
    end
    return item(f(table.unpack(given, 1, given.n)), of)
end

-- Does the call of that name, of values some of which are items.
function M.call(name, ...)
    local of = innermost(...)
    local newer = tape.newest(...)
    if newer and newer > rawget(of, NUMBER) then
        return tape.call(name, ...)
    elseif handlers[name] then
        return handlers[name](of, ...)
    elseif core.op[name] then
        return elementwise(core[name], of, ...)
    elseif M.composed[name] then
        return M.composed[name](...)
    end
    fail("'%s' has no form for lun.batch", name)
end

tape.inner = function(number, ...)
    local of = innermost(...)
    return of and rawget(of, NUMBER) > number and M.call or nil
end

local called = {}
local offers = setmetatable({}, { __index = function(_, name)
    if name == "refusal" then
        return function() return "an item of a batch is not taken here" end
    end
    called[name] = called[name] or function(...) return M.call(name, ...) end
    return called[name]
end })

Item.__records = offers
Item.__watched = function(name)
    return handlers[name] and offers[name] or nil
end

local function refuse_number(what)
    fail("%s in a function of lun.batch: it is another one for each item; choose with lun.where", what)
end

function Item.__index(x, key)
    if type(key) == "string" then
        return offers[key == "sub" and "window" or key]
    elseif rank(x) == 1 then
        refuse_number "an element is read as a number"
    end
    return handlers.select(x, x, 1, key)
end

function Item.__newindex()
    fail "an item of a batch is not written to: make a new array, with lun.where or concat"
end

function Item.__len(x)
    return (shape_of(x))[1]
end

function Item.__tostring(x)
    return ("item %s[%s]"):format(value(x):dtype(), table.concat(shape_of(x), ", "))
end

function Item.__lt() refuse_number "a comparison decides" end
Item.__le = Item.__lt

for event, name in pairs { __add = "add", __sub = "sub", __mul = "mul", __div = "div", __mod = "mod", __pow = "pow",
    __idiv = "idiv", __band = "band", __bor = "bor", __bxor = "bxor", __shl = "shl", __shr = "shr" } do
    Item[event] = function(a, b) return M.call(name, a, b) end
end
function Item.__unm(a) return M.call("neg", a) end
function Item.__concat(a, b) return M.call("concat", { a, b }) end

-- ---------------------------------------------------------------- what an item is

handlers.isarray = function() return true end
handlers.iscomplex = function(_, x) return core.iscomplex(value(x)) end
handlers.shape = function(_, x) return table.unpack((shape_of(x))) end
handlers.size = function(_, x) return call.size((shape_of(x))) end
for name in ("dtype kind backend"):gmatch "%S+" do
    handlers[name] = function(_, x) return value(x)[name](value(x)) end
end
handlers.pending = function(_, x) return value(x):pending() end
handlers.ismissing = function(of, x) return item(value(x):ismissing(), of) end
handlers.eval = function(_, ...)
    local list = table.pack(...)
    for i = 1, list.n do
        list[i] = is(list[i]) and item(core.eval(value(list[i])), list[i]) or list[i]
    end
    return table.unpack(list, 1, list.n)
end

for name in ("cast copy real imag conj angle adjoint complex nan_to_num"):gmatch "%S+" do
    handlers[name] = function(of, ...)
        return elementwise(methods[name] and function(x, ...) return x[name](x, ...) end or core[name], of, ...)
    end
end

-- ---------------------------------------------------------------- reductions

-- The axis is a number, or in options; without one all of the item's.
for name in ("sum prod mean var std any all count norm"):gmatch "%S+" do
    handlers[name] = function(of, x, how)
        if (name == "var" or name == "std") and math.type(how) then
            how = { ddof = how }
        end
        return item(value(x)[name](value(x), shifted(how, all_axes(x))), of)
    end
end

local function is_options(x)
    return x == nil or type(x) == "table" and getmetatable(x) == nil
end

for name in ("min max"):gmatch "%S+" do
    handlers[name] = function(of, x, y, ...)
        if is_options(y) and is(x) then
            return item(value(x)[name](value(x), shifted(y, all_axes(x))), of)
        end
        return elementwise(core[name], of, x, y, ...)
    end
end

-- Of all elements of the item in a row, or along an axis.
for name in ("argmin argmax cumsum cumprod cummax cummin"):gmatch "%S+" do
    handlers[name] = function(of, x, how)
        local y = value(x)
        if how == nil and rank(x) > 1 then
            y = y:reshape(rawget(of, COUNT), -1)
        end
        return item(y[name](y, shifted(how, 2)), of)
    end
end

for name in ("sort argsort"):gmatch "%S+" do
    handlers[name] = function(of, x, how)
        return item(value(x)[name](value(x), shifted(how, 2)), of)
    end
end

handlers.median = function(of, x, how)
    return item(value(x):median(shifted(how, all_axes(x))), of)
end
handlers.quantile = function(of, x, q, how)
    local y = value(x):quantile(q, shifted(how, all_axes(x)))
    return item(math.type(q) and y or y:moveaxis(2, 1), of)
end
handlers.percentile = function(of, x, p, how)
    local q = math.type(p) and p / 100 or core.vector(p) / 100
    return handlers.quantile(of, x, math.type(q) and q or q:totable(), how)
end

-- ---------------------------------------------------------------- shapes

-- The extents of a call, as numbers or a list.
local function extents(...)
    local first = ...
    return type(first) == "table" and first or { ... }
end

for name in ("reshape view"):gmatch "%S+" do
    handlers[name] = function(of, x, ...)
        return item(value(x)[name](value(x), { rawget(of, COUNT), table.unpack(extents(...)) }), of)
    end
end
handlers.flatten = function(of, x) return handlers.reshape(of, x, -1) end
for name in ("broadcast broadcast_to"):gmatch "%S+" do
    handlers[name] = function(of, x, ...)
        local shape = extents(...)
        return item(aligned(x, of, #shape):broadcast { rawget(of, COUNT), table.unpack(shape) }, of)
    end
end
handlers.transpose = function(of, x, order)
    local axes = { 1 }
    for k = 1, rank(x) do
        axes[k + 1] = 1 + (order and order[k] or rank(x) + 1 - k)
    end
    return item(value(x):transpose(axes), of)
end
handlers.window = function(of, x, i, ...)
    if type(i) == "table" then
        return item(value(x):sub({}, i, ...), of)
    end
    return item(value(x):sub({}, { i, ... }), of)
end
handlers.select = function(of, x, axis, i)
    if is(i) then
        fail "an index is another one for each item of a batch: use take_along_axis"
    end
    return item(value(x):select(behind(axis), i), of)
end
handlers.row = function(of, x, i) return handlers.select(of, x, 1, i) end
handlers.col = function(of, x, j) return handlers.select(of, x, 2, j) end
handlers.index = handlers.row
handlers.expand_dims = function(of, x, axis) return item(value(x):expand_dims(behind(axis)), of) end
handlers.squeeze = function(of, x, axes)
    local list = {}
    for _, axis in ipairs(type(axes) == "table" and axes or { axes }) do
        list[#list + 1] = behind(axis)
    end
    for k, extent in ipairs((shape_of(x))) do
        list[#list + 1] = axes == nil and extent == 1 and k + 1 or nil
    end
    return item(#list > 0 and value(x):squeeze(list) or value(x), of)
end
handlers.flip = function(of, x, axes)
    return item(value(x):flip(shifted({ axis = axes }, all_axes(x)).axis), of)
end
handlers.take = function(of, x, i, how)
    if not is(x) and rank(x) == 1 and how == nil then
        return item(x:take(value(i)), of)
    elseif is(i) then
        fail "indices are others for each item of a batch: use take_along_axis"
    end
    return item(value(x):take(i, shifted(how, 2)), of)
end
for name in ("shift windows"):gmatch "%S+" do
    handlers[name] = function(of, x, k, how)
        return item(value(x)[name](value(x), k, shifted(how, 2)), of)
    end
end
handlers.pad = function(of, x, n, mode)
    local sides = { { 0, 0 } }
    for k = 1, rank(x) do
        sides[k + 1] = math.type(n) and { n, n } or type(n[k]) == "table" and n[k] or { n[k], n[k] }
    end
    return item(value(x):pad(sides, mode), of)
end
handlers.take_along_axis = function(of, x, i, how)
    local axis = type(how) == "table" and how.axis or -1
    return item(repeated(x, of):take_along_axis(repeated(i, of), { axis = behind(axis) }), of)
end
for name in ("concat stack"):gmatch "%S+" do
    handlers[name] = function(of, list, axis)
        local parts = {}
        for k, x in ipairs(list) do
            parts[k] = repeated(x, of)
        end
        return item(core[name](parts, behind(axis or 1)), of)
    end
end

-- ---------------------------------------------------------------- matrices

-- The product of elements, summed along an axis, in the dtype of sums.
local function summed(of, a, b, how)
    local function wide(x)
        local dtype = (is(x) or core.isarray(x)) and x:dtype() or ""
        return dtype:find "^[iu]%d+$" and dtype ~= "u64" and x:cast "i64" or x
    end
    return handlers.sum(of, elementwise(core.mul, of, wide(a), wide(b)), how)
end

-- The product of a sparse matrix and items, which are its columns, or columns of it.
local function sparse_product(of, S, x)
    local shape = shape_of(x)
    if #shape == 1 then
        return item(S:matmul(value(x):transpose()):transpose(), of)
    end
    local columns = value(x):moveaxis(1, 2):reshape(shape[1], -1)
    return item(S:matmul(columns):reshape((S:shape()), rawget(of, COUNT), shape[2]):moveaxis(2, 1), of)
end

-- The sums of a product with a Vector have the order of a sum along that axis.
handlers.matmul = function(of, a, b)
    local meta = type(a) == "table" and not is(a) and getmetatable(a)
    if type(meta) == "table" and meta.__arrays then
        return sparse_product(of, a, b)
    end
    local p, q = rank(a), rank(b)
    local n, m = (shape_of(a))[p], (shape_of(b))[math.max(q - 1, 1)]
    if n ~= m or n == nil then
        fail("bad argument #1 to 'matmul' (%s rows expected, got %s)", n or "a Vector's", m or "a number")
    elseif q == 1 then
        return summed(of, a, b, -1)
    elseif p == 1 then
        return summed(of, b, a:expand_dims(-1), -2)
    end
    local most = math.max(p, q)
    return item(core.matmul(aligned(a, of, most), aligned(b, of, most)), of)
end
handlers.dot = function(of, a, b)
    return summed(of, a, b)
end
handlers.vecdot = function(of, a, b, how)
    return summed(of, core.iscomplex(a) and a:conj() or a, b, how and how.axis or -1)
end
handlers.lazy = function(of, x, name, how)
    if not handlers[name] then
        fail("'%s' has no form for lun.batch", tostring(name))
    end
    return handlers[name](of, x, how)
end

-- x with A x = B; of a Vector the last axis goes.
for name in ("solve solve_triangular"):gmatch "%S+" do
    handlers[name] = function(of, A, B, how)
        local a, b = aligned(A, of, 2), aligned(B, of, 1)
        local one = rank(B) == 1
        local x = a[name](a, one and b:expand_dims(-1) or b, how)
        return item(one and x:squeeze { -1 } or x, of)
    end
end

handlers.lstsq = function(of, A, B, how)
    local one = rank(B) == 1
    local b = repeated(B, of)
    local x, ranks, rest, S = repeated(A, of):lstsq(one and b:expand_dims(-1) or b, how)
    return item(one and x:squeeze { -1 } or x, of), item(ranks, of), rest:size() > 0 and item(rest, of) or rest,
        item(S, of)
end

-- What takes batches itself, of the last two axes.
for name in ("inv det slogdet lu cholesky qr eigh eigvalsh eig eigvals svd svdvals pinv matrix_rank cond expm trace "
    .. "diagonal tril triu matrix_transpose matrix_power matrix_norm"):gmatch "%S+" do
    handlers[name] = function(of, A, ...)
        if rank(A) < 2 then
            fail("bad argument #1 to '%s' (a matrix expected, got %s)", name, tostring(A))
        end
        local results = table.pack(value(A)[name](value(A), ...))
        for k = 1, results.n do
            results[k] = item(results[k], of)
        end
        return table.unpack(results, 1, results.n)
    end
end

for name in ("fft ifft rfft irfft hfft ihfft"):gmatch "%S+" do
    handlers[name] = function(of, x, how)
        return item(value(x)[name](value(x), shifted(how, -1)), of)
    end
end
for name in ("fftn ifftn rfftn irfftn fftshift ifftshift"):gmatch "%S+" do
    handlers[name] = function(of, x, how)
        local options = shifted(how)
        options.axes = options.axes or all_axes(x)
        return item(value(x)[name](value(x), options), of)
    end
end

handlers.searchsorted = function(of, sorted, x, how)
    if is(sorted) then
        fail "'searchsorted' in a function of lun.batch: what is searched is the same for each item"
    end
    return item(core.searchsorted(sorted, value(x), how), of)
end

-- Functions of elements.
handlers.map = function(of, x, f, ...)
    return elementwise(function(y, ...) return y:map(f, ...) end, of, x, ...)
end

-- ---------------------------------------------------------------- refusals

for name in ("compress filter nonzero indices unique argwhere extract dropna dropnan unique_values unique_counts "
    .. "unique_inverse unique_all intersect union setdiff setxor value_counts histogram bincount topk"):gmatch "%S+" do
    handlers[name] = function()
        fail("'%s' in a function of lun.batch: its length is another one for each item; choose with lun.where", name)
    end
end
for name in ("convolve correlate medfilt savgol gaussian rolling ewm cut qcut polyfit histogram2d describe "
    .. "rank mode nunique isin"):gmatch "%S+" do
    handlers[name] = function() fail("'%s' has no form for lun.batch", name) end
end
for name in ("value totable tobytes read iter"):gmatch "%S+" do
    handlers[name] = function() refuse_number(("'%s' reads elements"):format(name)) end
end
for name in ("set put fill copyto shuffle put_along_axis each teams run"):gmatch "%S+" do
    handlers[name] = function()
        fail("'%s' in a function of lun.batch: items are not written to, make a new array, with lun.where or concat",
            name)
    end
end

-- Names that are compositions of others take items as they are.
require "lunarray.names.composed"(M.composed)

-- ---------------------------------------------------------------- lun.batch

local function misuse(argument, text, ...)
    fail("bad argument #%d to 'batch' (%s)", argument, text:format(...))
end

-- The axis of argument i, nil if it is whole.
local function axis_of(x, i, axes, given)
    local axis
    if axes ~= nil then
        axis = axes[i]
    end
    if axis == false or axis == nil and not core.isarray(x) then
        return nil
    elseif not core.isarray(x) then
        misuse(i, "an array expected, got %s; false in axes: the same for each item", core.internal.kind_of(x))
    end
    axis = axis == nil and 1 or axis
    local count = select("#", x:shape())
    if math.type(axis) ~= "integer" or axis == 0 or axis > count or axis < -count then
        misuse(i, "no axis %s: the array has %d", tostring(axis), count)
    end
    given[i] = axis < 0 and count + 1 + axis or axis
    return given[i]
end

-- The arguments with items for those that have the batch's axis; an item of them, of which the others are made.
local function items(axes, ...)
    local list, own, of, first = table.pack(...), {}, nil, nil
    for i = 1, list.n do
        local axis = axis_of(list[i], i, axes, own)
        if axis then
            local x = list[i]
            local count = (select(axis, x:shape()))
            if of and count ~= rawget(of, COUNT) then
                misuse(i, "extents differ: %d in argument %d and %d", rawget(of, COUNT), first, count)
            end
            first = first or i
            of = of or setmetatable({ [NUMBER] = tape.number(), [COUNT] = count }, Item)
            list[i] = item(axis == 1 and x or x:moveaxis(axis, 1), of)
        end
    end
    if not of then
        misuse(1, "none of the arguments has an axis of items")
    end
    return of, table.unpack(list, 1, list.n)
end

local function results(out, of, ...)
    local list = table.pack(...)
    for i = 1, list.n do
        local x = list[i]
        if not core.isarray(x) and not core.iscomplex(x) and not math.type(x) and type(x) ~= "boolean" then
            misuse(1, "the function gave %s; arrays and numbers are results", core.internal.kind_of(x))
        end
        x = repeated(x, of)
        local count = select("#", x:shape())
        if out > count or out < -count then
            misuse(2, "out: no axis %d in a result of %d", out, count)
        end
        list[i] = (out == 1 or out == -count) and x or x:moveaxis(1, out)
    end
    return table.unpack(list, 1, list.n)
end

local function gather(out, f, of, ...)
    return results(out, of, f(...))
end

-- h = lun.batch(f [, {axes={1, false}, out=1}]): h(...) gives what f gives for each item of its arguments.
function M.batch(f, options)
    if type(f) ~= "function" then
        misuse(1, "function expected, got %s", core.internal.kind_of(f))
    end
    options = options == nil and {} or options
    if type(options) ~= "table" then
        misuse(2, "table of options expected, got %s", core.internal.kind_of(options))
    end
    for name in pairs(options) do
        if name ~= "axes" and name ~= "out" then
            misuse(2, "unknown option '%s': the options are axes, out", tostring(name))
        end
    end
    local axes, out = options.axes, options.out == nil and 1 or options.out
    if axes ~= nil and type(axes) ~= "table" then
        misuse(2, "axes: a list of axes and false expected, got %s", core.internal.kind_of(axes))
    elseif math.type(out) ~= "integer" or out == 0 then
        misuse(2, "out: an axis expected, got %s", tostring(out))
    end
    return function(...)
        return gather(out, f, items(axes, ...))
    end
end

return M
