-- What the functions of names share: rows of names with the functions that scripts call, and checks of their arguments.
-- A mistake names the argument as the call is written: of a method, arguments are counted without the array. Knows none
-- of the names.

local core = require "lunarray.core"
local count = require "lunarray.base.arguments"
local dtypes = require "lunarray.base.dtypes"
local public = require "lunarray.base.public"
local records = require "lunarray.base.records"

local M = {}

local getinfo, mathtype = debug.getinfo, math.type
local Mistake = {} -- the metatable of mistakes on their way from a check to the call

-- What takes over a call with a watched value (gradient/tape.lua) among its arguments, or nil.
local function taken_over(name, ...)
    for i = 1, select("#", ...) do
        local x = (select(i, ...))
        local kind = type(x) == "table" and getmetatable(x)
        local offer = kind and type(kind) == "table" and rawget(kind, "__watched")
        if offer then
            return offer(name)
        end
    end
end

-- ---------------------------------------------------------------- calls

-- Gives the results of a call, or raises its error; first: the number of arguments that the script does not count. An
-- error of a function that these files call is the call's own.
local function settle(name, first, ok, ...)
    if ok then
        return ...
    end
    local e = ...
    if getmetatable(e) == Mistake and e.raised then
        e = e.value
    elseif getmetatable(e) == Mistake then
        e = ("bad argument #%d to '%s' (%s)"):format(math.max(e.argument - first, 1), name, e.text)
    elseif type(e) == "string" then
        local text = e:match "bad argument #%-?%d+ to '[^']*' (%(.*%))$"
            or e:match "calling '[^']*' on bad self (%(.*%))$"
        e = text and ("bad argument to '%s' %s"):format(name, text) or e
    end
    error(e, 0)
end

-- Names that take real numbers alone though what they are made of takes others: complex ones would stay as they are.
local REAL = {}
for name in ("fillna ffill bfill interpolate"):gmatch "%S+" do
    REAL[name] = true
end

local function of_real(f)
    return function(a, ...)
        if core.isarray(a) and core.iscomplex(a) then
            local text = "not for complex numbers: take abs(), real() or imag()"
            error(setmetatable({ argument = 1, text = text }, Mistake), 0)
        end
        return f(a, ...)
    end
end

-- f as scripts call it, by that name, with at most so many arguments.
local function called(name, first, most, f)
    f = REAL[name] and of_real(f) or f
    return public(function(...)
        count(name, most, ...)
        local a = ...
        if core.isarray(a) then
            a:dtype() -- fails if it is freed
        end
        return settle(name, first, pcall(taken_over(name, ...) or f, ...))
    end)
end
M.called = called

-- Rows of names, filled by row(): their title, a list, and by name the function that scripts call, as a function and
-- as a method.
function M.rows(title)
    local rows = { title = title, list = {}, methods = {} }
    -- call: how it is written; text: what it gives; example, gives: code, and its values as lists and numbers; f: the
    -- function, whose first parameter is the array of a method.
    local function row(name, call, text, example, gives, f)
        local described = getinfo(f, "u")
        local most = described.isvararg and math.huge or described.nparams
        rows.list[#rows.list + 1] = { name = name, call = call, text = text, example = example, gives = gives }
        rows[name], rows.methods[name] = called(name, 0, most, f), called(name, 1, most, f)
    end
    return rows, row
end

-- ---------------------------------------------------------------- checks

-- Raises the mistake in the argument, counted as in the function's own list.
local function bad(argument, text, ...)
    error(setmetatable({ argument = argument, text = select("#", ...) > 0 and text:format(...) or text }, Mistake), 0)
end
M.bad = bad

local function passed_on(ok, ...)
    if not ok then
        error(setmetatable({ raised = true, value = (...) }, Mistake), 0)
    end
    return ...
end

-- A function of the script's, whose errors are its own and not the call's.
function M.users(f)
    return function(...)
        return passed_on(pcall(f, ...))
    end
end

-- An array; text: what is expected.
function M.array(x, argument, text)
    if not core.isarray(x) then
        local list = type(x) == "table" and not getmetatable(x) and ": lun.vector{...} makes one of a list" or ""
        bad(argument, "%s expected, got %s%s", text or "array", records.kind_of(x), list)
    end
    return x
end

function M.rank(a)
    return select("#", a:shape())
end

local function described(a)
    return dtypes.describe(a:dtype(), { a:shape() })
end
M.described = described

-- An array of that rank.
function M.of_rank(x, rank, argument)
    M.array(x, argument, rank == 1 and "Vector" or "matrix")
    if M.rank(x) ~= rank then
        bad(argument, "%s expected, got %s", rank == 1 and "Vector" or "matrix", described(x))
    end
    return x
end

-- A Vector, or the Vector of a table of numbers.
function M.vector(x, argument)
    if type(x) == "table" and not core.isarray(x) and not records.struct_of(x) then
        local ok, v = pcall(core.vector, x)
        if not ok then
            bad(argument, "a Vector or a table of numbers expected")
        end
        x = v
    end
    return M.of_rank(x, 1, argument)
end

-- A whole number from `least` to `most`.
function M.whole(x, argument, least, most, what)
    local n = mathtype(x) and math.tointeger(x)
    if not n then
        bad(argument, "%s expected, got %s", what or "whole number", mathtype(x) and tostring(x)
            or core.internal.kind_of(x))
    elseif n < (least or n) or n > (most or n) then
        bad(argument, most and "%d: from %d to %d expected" or "%d: at least %d expected", n, least, most)
    end
    return n
end

function M.number(x, argument)
    if not mathtype(x) then
        bad(argument, "number expected, got %s", records.kind_of(x))
    end
    return x
end

function M.dtype(x, argument)
    if type(x) ~= "string" or not dtypes.by_name[x] then
        bad(argument, "unknown dtype %s; known: %s", type(x) == "string" and ("'%s'"):format(x) or
            core.internal.kind_of(x), dtypes.names)
    end
    return x
end

-- Options whose one number is the axis, if it is named first: of others, such as ddof, a bare number says too little.
local function takes_axis(known)
    return known:find "^axis%f[%A]" ~= nil and not known:find "ddof"
end

-- The options as a table, of which `known` lists the names, with blanks between; a bare number is the axis.
function M.options(options, argument, known)
    if options == nil then
        return {}
    elseif mathtype(options) and takes_axis(known) then
        return { axis = options }
    elseif type(options) ~= "table" then
        bad(argument, "table of options expected, got %s%s", records.kind_of(options),
            mathtype(options) and known:find "axis" and (": write {axis=%s}"):format(options) or "")
    end
    for name in pairs(options) do
        if not (" " .. known .. " "):find(" " .. tostring(name) .. " ", 1, true) then
            bad(argument, "unknown option '%s': the options are %s", tostring(name), (known:gsub(" ", ", ")))
        end
    end
    return options
end

-- One of the words in `known`.
function M.word(x, argument, known, what)
    if type(x) ~= "string" or not (" " .. known .. " "):find(" " .. x .. " ", 1, true) then
        bad(argument, "unknown %s '%s': known are %s", what, tostring(x), (known:gsub(" ", ", ")))
    end
    return x
end

-- An axis from 1, of an array of that rank.
function M.axis(rank, axis, argument)
    local k = mathtype(axis) and math.tointeger(axis)
    if not k then
        bad(argument, "an axis, a whole number, expected, got %s", mathtype(axis) and tostring(axis) or
            core.internal.kind_of(axis))
    elseif k == 0 or k > rank or k < -rank then
        bad(argument, "axis %d is out of range: the array has %d", k, rank)
    end
    return k < 0 and rank + 1 + k or k
end

-- A list of different axes, of a number or a table.
function M.axes(rank, axes, argument)
    local list, seen = {}, {}
    for i, axis in ipairs(type(axes) == "table" and axes or { axes }) do
        list[i] = M.axis(rank, axis, argument)
        if seen[list[i]] then
            bad(argument, "axis %d occurs twice", list[i])
        end
        seen[list[i]] = true
    end
    return list
end

-- The extents of a table, or of a number one.
function M.extents(x, argument)
    local shape = {}
    for i, n in ipairs(type(x) == "table" and x or { x == nil and "nil" or x }) do
        shape[i] = M.whole(n, argument, 0, nil, "extent")
    end
    return shape
end

-- A window that has `shape`, or the same as a value where no window does.
function M.shaped(a, shape)
    local ok, window = pcall(a.view, a, shape)
    return ok and window or a:reshape(shape)
end

-- The shape to which arrays broadcast; the list has `n` arguments, of which others than arrays do not count.
function M.common_shape(list, n)
    local rank, extents = 0, {}
    for k = 1, n do
        rank = math.max(rank, core.isarray(list[k]) and M.rank(list[k]) or 0)
    end
    for k = 1, n do
        local shape = core.isarray(list[k]) and { list[k]:shape() } or {}
        for back = 0, #shape - 1 do
            local extent, common = shape[#shape - back], extents[rank - back]
            if common and common ~= 1 and extent ~= 1 and extent ~= common then
                bad(k, "shapes do not broadcast: %s, axis %d: %d and %d", described(list[k]), #shape - back, common,
                    extent)
            end
            extents[rank - back] = (common == nil or common == 1) and extent or common
        end
    end
    return extents
end

-- The part of an axis from i to j, as a window.
function M.part(a, axis, i, j, step)
    local cuts = {}
    for k = 1, axis do
        cuts[k] = {}
    end
    cuts[axis] = { i, j, step }
    return a:sub(table.unpack(cuts))
end

-- 1 to n along an axis of an array of that rank, to be broadcast.
function M.along(n, axis, rank)
    local shape = {}
    for k = 1, rank do
        shape[k] = k == axis and n or 1
    end
    return core.index(n):reshape(shape)
end

-- The elements k before along an axis, missing where there is none.
function M.before(a, k, axis)
    local n = (select(axis, a:shape()))
    k = math.max(-n, math.min(k, n))
    local at = M.along(n, axis, M.rank(a)) - k
    return core.where(at:ge(1):land(at:le(n)), a:shift(k, { axis = axis, edge = "nearest" }), core.na)
end

-- How many elements an array of these extents has.
function M.size(shape)
    local n = 1
    for _, extent in ipairs(shape) do
        n = n * extent
    end
    return n
end

function M.is_float(a)
    return dtypes.is_float(a:dtype())
end

-- In floats: integers as f64.
function M.floating(a)
    return M.is_float(a) and a or a:cast "f64"
end

-- NaN in the dtype of floats.
M.nan = 0.0 / 0.0

return M
