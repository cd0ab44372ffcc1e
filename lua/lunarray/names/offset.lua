-- Offset views: arrays whose indices begin elsewhere, as Kokkos has them. Elements and ranges are read and written at
-- these indices, what is computed element by element has them, too; all else is done with the array.
-- Invariant: an offset view is a userdata that keeps its array, a window, and the first index of each axis.

local call = require "lunarray.names.call"
local core = require "lunarray.core"
local public = require "lunarray.base.public"

local internal = core.internal
local parts, new, kind_of = internal.offset_parts, internal.offset_view, internal.kind_of
local Offset = internal.offset_type

local rows, row = call.rows "Other indices"
local array, bad = call.array, call.bad

local methods, offers = {}, {} -- of views; of functions with one among their arguments, by name

local function fail(message, ...)
    error(message:format(...), 0)
end

local function misuse(argument, name, message, ...)
    fail("bad argument #%d to '%s' (%s)", argument, name, message:format(...))
end

-- A view as its array and the list of where indices begin; an array without a list; others as they are.
local function opened(x)
    local a, first = parts(x)
    if a == nil then
        return x
    end
    return a, { first, select(3, parts(x)) }
end

local function view(a, firsts)
    return new(a, table.unpack(firsts))
end

-- "-1 to 3", "-1 to 3 and 0 to 4"
local function ranges(a, firsts)
    local shape, list = { a:shape() }, {}
    for k, first in ipairs(firsts) do
        list[k] = shape[k] == 0 and "none" or ("%d to %d"):format(first, first + shape[k] - 1)
    end
    return table.concat(list, ", ")
end

-- ---------------------------------------------------------------- making

local FIRST <const>, LAST <const> = -(1 << 53), 1 << 53

local function check_firsts(a, firsts)
    local shape = { a:shape() }
    firsts = math.type(firsts) and { firsts } or firsts
    if type(firsts) ~= "table" or getmetatable(firsts) ~= nil then
        bad(2, "a list of the first index of each axis expected, got %s", kind_of(firsts))
    elseif #firsts ~= #shape or #shape == 0 then
        bad(2, "%d first ind%s for %s", #firsts, #firsts == 1 and "ex" or "ices", call.described(a))
    end
    local list = {}
    for k, first in ipairs(firsts) do
        list[k] = math.type(first) and math.tointeger(first)
        if not list[k] or list[k] < FIRST or list[k] > LAST then
            bad(2, "axis %d: the first index is an integer from -2^53 to 2^53, got %s", k,
                math.type(first) and tostring(first) or kind_of(first))
        end
    end
    return list
end

row("offset", "a:offset(firsts)",
    "a view whose indices begin elsewhere, {first, ...}, a number for each axis: negative ones are plain indices\n"
        .. "there and no ends; o:first(), o:last() and o:array(), with indices from 1; what is computed element\n"
        .. "by element has its indices, too",
    "lun.vector{5, 6, 7}:offset{-1}:array()", "{5, 6, 7}",
    function(a, firsts)
        a = parts(a) or a
        array(a, 1)
        return view(a, check_firsts(a, firsts))
    end)

-- ---------------------------------------------------------------- elements and ranges

-- The index k of an axis as one that counts from 1.
local function place(a, firsts, axis, k)
    local n, i = (select(axis, a:shape())), math.type(k) and math.tointeger(k)
    if not i then
        fail("integer index expected, got %s", math.type(k) and tostring(k) or kind_of(k))
    end
    local first = firsts[axis]
    if i < first or i > first + n - 1 then
        local label = a:label()
        fail("index %d%s is out of range%s: %s", i, label and (" of '%s'"):format(label) or "",
            #firsts > 1 and (" for axis %d"):format(axis) or "",
            n == 0 and "the array is empty" or ("%d to %d"):format(first, first + n - 1))
    end
    return i - first + 1
end

local function element(o, k)
    local a, firsts = opened(o)
    local x = a[place(a, firsts, 1, k)]
    return #firsts > 1 and view(x, { table.unpack(firsts, 2) }) or x
end

Offset.__metatable = "lunarray.offset"

Offset.__index = public(function(o, key)
    if type(key) == "string" then
        if not methods[key] then
            fail("an offset view has no '%s': take its array, o:array(), whose indices begin with 1", key)
        end
        return methods[key]
    end
    return element(o, key)
end)

Offset.__newindex = public(function(o, k, x)
    local a, firsts = opened(o)
    a[place(a, firsts, 1, k)] = (opened(x))
end)

function Offset.__len(o)
    return #(parts(o))
end

-- o:sub(i, j), O:sub({i, j}, ...): a range of each axis, which keeps its indices.
methods.sub = public(function(o, ...)
    local a, firsts = opened(o)
    local given, bounds = table.pack(...), {}
    if math.type(given[1]) then
        given = { { given[1], given[2], given[3] }, n = 1 }
    end
    if given.n > #firsts then
        misuse(given.n, "sub", "%d ranges for %s", given.n, call.described(a))
    end
    firsts = table.move(firsts, 1, #firsts, 1, {})
    for axis = 1, given.n do
        local range = given[axis]
        if type(range) == "table" and next(range) == nil then -- the whole axis
            range = { firsts[axis], firsts[axis] + select(axis, a:shape()) - 1 }
        end
        if type(range) ~= "table" or range[1] == nil or range[2] == nil or range[3] ~= nil then
            misuse(axis, "sub", "the first and the last index of an axis expected%s",
                type(range) == "table" and range[3] ~= nil and ": steps are taken of o:array()" or "")
        end
        local i = place(a, firsts, axis, range[1])
        bounds[axis] = { i, place(a, firsts, axis, range[2]) }
        if bounds[axis][2] < i then
            misuse(axis, "sub", "the range %d to %d has no elements", range[1], range[2])
        end
        firsts[axis] = math.tointeger(range[1])
    end
    return view(a:sub(table.unpack(bounds)), firsts)
end)

function methods.iter(o)
    local a, firsts = opened(o)
    local k, last = firsts[1] - 1, firsts[1] + #a - 1
    return function()
        if k < last then
            k = k + 1
            return k, element(o, k)
        end
    end
end

-- ---------------------------------------------------------------- what it is

local function of_axis(name, add)
    return public(function(o, axis)
        local a, firsts = opened(o)
        local shape = { a:shape() }
        for k = 1, #firsts do
            shape[k] = firsts[k] + add(shape[k])
        end
        if axis == nil then
            return table.unpack(shape)
        elseif not shape[math.type(axis) and math.tointeger(axis)] then
            misuse(1, name, "an axis from 1 to %d expected, got %s", #shape, tostring(axis))
        end
        return shape[axis]
    end)
end
methods.first = of_axis("first", function() return 0 end)
methods.last = of_axis("last", function(n) return n - 1 end)

function methods.array(o)
    return (parts(o))
end

function methods.kind()
    return "Offset"
end

methods.offset = rows.methods.offset

-- Answers of the array.
for name in ("shape size dtype itemsize nbytes backend layout strides label pending totable tobytes source free "
    .. "distribution"):gmatch "%S+" do
    methods[name] = public(function(o, ...)
        local a = parts(o)
        return a[name](a, ...)
    end)
end

-- Of the array, and then the view again; another view among the arguments is taken by the places of its elements.
for name in ("set fill eval touched distribute"):gmatch "%S+" do
    methods[name] = public(function(o, x, ...)
        local a = parts(o)
        a[name](a, (opened(x)), ...)
        return o
    end)
end

methods.copyto = public(function(o, b)
    parts(o):copyto((opened(b)))
    return b
end)

function Offset.__tostring(o)
    local a, firsts = opened(o)
    return (tostring(a):gsub("^%a+(<[^>]*>)%[[^%]]*%]", function(dtype)
        return ("Offset%s[%s]"):format(dtype, ranges(a, firsts))
    end, 1))
end

-- ---------------------------------------------------------------- element by element

-- The arrays of the arguments, and the indices that those have which are views: the same of each axis.
local function operands(name, given)
    local list, common, of, with = { n = given.n }, nil, nil, nil
    for k = 1, given.n do
        local a, firsts = opened(given[k])
        list[k] = a
        if firsts then
            for axis, first in ipairs(common or {}) do
                if first ~= firsts[axis] or #common ~= #firsts then
                    misuse(k, name, "its indices, %s, are not those of argument #%d, %s: take the array of one, "
                        .. "o:array()", ranges(a, firsts), with, ranges(of, common))
                end
            end
            if not common then
                common, of, with = firsts, a, k
            end
        end
    end
    return list, common
end

-- Results, arrays, at these indices.
local function settled(name, firsts, ...)
    local results = table.pack(...)
    for k = 1, results.n do
        local x = results[k]
        if core.isarray(x) and call.rank(x) > #firsts then
            misuse(1, name, "the result has %d axes, the offset view %d: take its array, o:array()", call.rank(x),
                #firsts)
        end
        results[k] = core.isarray(x) and view(x, firsts) or x
    end
    return table.unpack(results, 1, results.n)
end

local function elementwise(name, f)
    return public(function(...)
        local list, firsts = operands(name, table.pack(...))
        return settled(name, firsts, f(table.unpack(list, 1, list.n)))
    end)
end

for name in pairs(core.op) do
    offers[name] = elementwise(name, core[name])
    methods[name] = methods[name] or offers[name] -- o:sub is a range
end

for event, name in pairs {
    __add = "add", __sub = "sub", __mul = "mul", __div = "div", __idiv = "idiv", __mod = "mod", __pow = "pow",
    __band = "band", __bor = "bor", __bxor = "bxor", __shl = "shl", __shr = "shr",
} do
    Offset[event] = offers[name]
end
for event, name in pairs { __unm = "neg", __bnot = "bnot" } do
    Offset[event] = function(o) -- Lua gives a unary operator its operand twice
        return offers[name](o)
    end
end

for name in ("cast copy readonly"):gmatch "%S+" do
    methods[name] = elementwise(name, function(a, ...) return a[name](a, ...) end)
end
-- Arguments behind the elements are whole arrays, whose indices would begin with 1 in the function.
local function check_behind(name, given, from)
    for k = from, given.n do
        if parts(given[k]) then
            misuse(k, name, "an offset view behind the elements: let the function capture it, or give o:array()")
        end
    end
end

-- a:map(f, ...), a:zip(b, f, ...)
for name, arrays in pairs { map = 1, zip = 2 } do
    methods[name] = public(function(...)
        local given = table.pack(...)
        check_behind(name, given, arrays + 1)
        local list, firsts = operands(name, given)
        return settled(name, firsts, list[1][name](table.unpack(list, 1, list.n)))
    end)
    offers[name] = methods[name]
end

-- s(a, ...) of a skeleton.
offers.call = public(function(s, ...)
    local name, leaves = internal.skeleton(s)
    local given = table.pack(...)
    if name ~= "map" and name ~= "zip" then
        fail("bad argument to '%s' (an offset view is taken by map and zip: take its array, o:array())", name)
    end
    check_behind(name, given, leaves + 1)
    local list, firsts = operands(name, given)
    return settled(name, firsts, s(table.unpack(list, 1, list.n)))
end)

-- ---------------------------------------------------------------- reductions

-- The firsts of the axes that are left of a reduction with these options; nil: they cannot be told.
local function left_of(firsts, options)
    local axis = type(options) == "table" and options.axis or options
    axis = math.type(axis) and math.tointeger(axis)
    if not axis or axis == 0 or math.abs(axis) > #firsts then
        return nil
    end
    local left = table.move(firsts, 1, #firsts, 1, {})
    if type(options) == "table" and options.keep then
        left[axis < 0 and #firsts + 1 + axis or axis] = 1
    else
        table.remove(left, axis < 0 and #firsts + 1 + axis or axis)
    end
    return left
end

for name in ("sum prod mean min max count any all var std norm median quantile nunique reduce dot"):gmatch "%S+" do
    methods[name] = public(function(o, ...)
        local a, firsts = opened(o)
        local given = table.pack(...)
        for k = 1, given.n do
            given[k] = (opened(given[k]))
        end
        local result = a[name](a, table.unpack(given, 1, given.n))
        local left = core.isarray(result) and call.rank(result) > 0 and left_of(firsts, given[given.n])
        return left and #left == call.rank(result) and view(result, left) or result
    end)
    local pairwise = offers[name] -- min and max
    offers[name] = pairwise and function(x, ...)
        return (select("#", ...) == 0 and methods[name] or pairwise)(x, ...)
    end or methods[name]
end

for _, name in ipairs { "argmin", "argmax" } do
    methods[name] = public(function(o, ...)
        local a, firsts = opened(o)
        if #firsts > 1 or select("#", ...) > 0 then
            fail("bad argument to '%s' (indices of an offset Vector alone: take the array, o:array())", name)
        end
        return a[name](a) + firsts[1] - 1
    end)
    offers[name] = methods[name]
end

-- ---------------------------------------------------------------- functions of the module

-- f of the arrays of its arguments.
local function of_arrays(f)
    return public(function(...)
        local given = table.pack(...)
        for k = 1, given.n do
            given[k] = (opened(given[k]))
        end
        return f(table.unpack(given, 1, given.n))
    end)
end

for name in ("eval explain prepare"):gmatch "%S+" do
    offers[name] = of_arrays(core[name])
end

function offers.set(a, e)
    return a:set((opened(e)))
end

function offers.copyto(a, b)
    (parts(a) or a):copyto((opened(b)))
    return b
end

function offers.isarray()
    return false
end

function offers.refusal()
    return "an offset view: take its array, o:array(), whose indices begin with 1"
end

Offset.__records = offers

return rows
