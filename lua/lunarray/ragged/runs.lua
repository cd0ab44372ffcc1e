-- Rows of unequal length over one Vector: lun.runs. Reductions, sorts and scans of each row have the bits of that row
-- alone, since rows of one length are computed together, as the rows of a matrix.
-- Invariant: row k has the elements offsets[k] to offsets[k + 1] - 1 of values, from 1 to #values; nobody writes to
-- these arrays, which rows given out by row() and values() are copies of.

local call = require "lunarray.names.call"
local core = require "lunarray.core"
local public = require "lunarray.base.public"
local group = require("lunarray.table.group").group
local text_of = require "lunarray.ragged.text"

local Runs = { __name = "lun.runs", methods = {} }
local DATA = {} -- the key of what runs hold

local bad, whole = call.bad, call.whole
local M = {}

local function is(x)
    return type(x) == "table" and getmetatable(x) == Runs
end

local function data(r)
    return rawget(r, DATA)
end

local function described(x)
    if is(x) then
        return ("runs of %d rows, %d elements"):format(data(x).n, #data(x).values)
    end
    return core.isarray(x) and call.described(x) or core.internal.kind_of(x)
end

-- ---------------------------------------------------------------- making

-- Runs of what is checked already; like: runs with the same offsets, whose order of rows by length is shared.
local function made(values, offsets, like)
    values, offsets = core.eval(values, offsets)
    local d = { values = values, offsets = offsets, n = #offsets - 1, shared = like and data(like).shared or {} }
    return setmetatable({ [DATA] = d }, Runs)
end

local function numbers(x, argument, what)
    x = call.vector(x, argument)
    if #x > 0 and not x:dtype():find "^[iu]%d" then
        bad(argument, "%s: whole numbers expected, got %s", what, call.described(x))
    elseif x:ismissing():any() then
        bad(argument, "%s: no missing elements expected", what)
    end
    return x:cast "i64"
end

-- Offsets of n + 1 elements from 1, of the lengths of rows.
local function of_lengths(lengths, size)
    lengths = numbers(lengths, 2, "lengths")
    if #lengths > 0 and lengths:min() < 0 then
        local at = lengths:argmin()
        bad(2, "length %d is negative: %d", at, lengths[at])
    elseif lengths:cast("f64"):sum() ~= size then
        bad(2, "the lengths add up to %.0f, the Vector has %d elements", lengths:cast("f64"):sum(), size)
    end
    return core.concat { core.ones(1, "i64"), lengths:cumsum() + 1 }
end

-- The same of where rows begin; and the elements from the first row on.
local function of_offsets(values, at)
    at = numbers(at, 2, "offsets")
    local n, size = #at, #values
    if n == 0 then
        return values:sub(1, 0), core.ones(1, "i64")
    end
    local falls = at:sub(2):lt(at:sub(1, -2)):eval()
    if falls:any() then
        local k = falls:argmax()
        bad(2, "offset %d is %d, the next one %d: they do not descend", k, at[k], at[k + 1])
    elseif at[1] < 1 or at[n] > size + 1 then
        bad(2, "offset %d is out of range: from 1 to %d expected", at[1] < 1 and at[1] or at[n], size + 1)
    end
    return values:sub(at[1], -1), core.concat { at - (at[1] - 1), core.full(1, size + 2 - at[1]) }
end

M.runs = call.called("runs", 0, 2, function(values, rows)
    values = call.vector(values, 1)
    if rows == nil then
        bad(2, "where rows begin, or {lengths=}, expected")
    end
    if type(rows) == "table" and not core.isarray(rows) and #rows == 0 and next(rows) ~= nil then
        return made(values:copy(), of_lengths(call.options(rows, 2, "lengths").lengths, #values))
    end
    local elements, offsets = of_offsets(values, rows)
    return made(elements:copy(), offsets)
end)

-- ---------------------------------------------------------------- rows

local function lengths_of(d)
    return d.offsets:sub(2) - d.offsets:sub(1, -2)
end

-- x[k] of each element of row k.
local function spread(d, x)
    return d.n > 0 and x:spread(lengths_of(d)) or x:sub(1, 0)
end

-- The row of each element, and its number in it, from 1.
local function places(d)
    local rows = spread(d, core.index(d.n)):eval()
    return rows, core.index(#d.values) - spread(d, d.offsets:sub(1, -2)) + 1
end

-- How rows stand in the order of their lengths: from: which element of the values each place has; rows_back: the
-- place of each row; classes: of each length, which places it has, in how many rows.
local function by_length(d)
    local s = d.shared
    if s.classes then
        return s
    end
    local lengths = lengths_of(d):eval()
    local order = lengths:argsort():eval()
    local sorted = lengths:take(order):eval()
    local starts = core.scan("+", 0)(sorted):eval()
    local size, n = #d.values, d.n
    s.from = ((d.offsets:take(order) - starts):spread(sorted) + core.index(size) - 1):eval()
    s.rows_back = core.zeros(n, "i64"):put(order, core.index(n)):eval()
    local distinct, counts = sorted:unique()
    s.classes = {}
    local last = 0
    for k = 1, #distinct do
        local length, count = distinct[k], counts[k]
        s.classes[k] = { length = length, rows = count, first = last + 1, last = last + length * count }
        last = last + length * count
    end
    return s
end

-- f of each matrix whose rows are the rows of one length: a list of the results, and by_length.
local function of_classes(d, f)
    local s = by_length(d)
    local elements, results = d.values:take(s.from):eval(), {}
    for k, class in ipairs(s.classes) do
        results[k] = f(elements:sub(class.first, class.last):reshape(class.rows, class.length))
    end
    return results, s
end

-- One result for each row.
local function reduced(d, f)
    local results, s = of_classes(d, f)
    return core.concat(results):take(s.rows_back)
end

-- Rows of the same length.
local function mapped(r, f)
    local d = data(r)
    local results, s = of_classes(d, function(m) return f(m):reshape(m:size()) end)
    local size = #d.values
    s.back = s.back or core.zeros(size, "i64"):put(s.from, core.index(size)):eval() -- the place of each element
    return made(core.concat(results):take(s.back), d.offsets, r)
end

-- ---------------------------------------------------------------- methods

local function self(r)
    if not is(r) then
        bad(1, "runs expected, got %s", described(r))
    end
    return data(r)
end

local function method(name, most, f)
    Runs.methods[name] = call.called(name, 1, most + 1, f)
end

-- The options of a reduction along the second axis.
local function along(options)
    local copy = { axis = 2 }
    for name, x in pairs(call.options(options, 2, "skipna skipnan ddof correction order")) do
        copy[name] = x
    end
    return copy
end

local function check_filled(d, name)
    local empty = lengths_of(d):eq(0):eval()
    if d.n > 0 and empty:any() then
        bad(1, "%s of no elements is undefined: row %d is empty", name, empty:argmax())
    end
end

local NEEDS_ELEMENTS = { min = true, max = true, argmin = true, argmax = true, median = true }

for name in ("sum prod mean min max any all count argmin argmax norm var std median"):gmatch "%S+" do
    method(name, 1, function(r, options)
        local d = self(r)
        options = along(options)
        if NEEDS_ELEMENTS[name] then
            check_filled(d, name)
        end
        if d.n == 0 then
            local none = core.zeros({ 0, 1 }, d.values:dtype())
            return none[name](none, options)
        end
        return reduced(d, function(m) return m[name](m, options) end)
    end)
end

method("first", 0, function(r)
    local d = self(r)
    check_filled(d, "first")
    return d.values:take(d.offsets:sub(1, -2))
end)

method("last", 0, function(r)
    local d = self(r)
    check_filled(d, "last")
    return d.values:take(d.offsets:sub(2) - 1)
end)

for name, known in pairs { sort = "descending missing", argsort = "descending missing", cumsum = "" } do
    method(name, 1, function(r, options)
        self(r)
        local copy = { axis = 2 }
        for key, x in pairs(call.options(options, 2, known)) do
            copy[key] = x
        end
        return mapped(r, function(m) return m[name](m, copy) end)
    end)
end

method("scan", 3, function(r, f, id, options)
    self(r)
    local inclusive = call.options(options, 4, "inclusive").inclusive
    local skeleton = core.scan(f, id, { axis = 2, inclusive = inclusive })
    return mapped(r, function(m) return skeleton(m) end)
end)

method("reduce", 2, function(r, f, id)
    local d = self(r)
    local skeleton = core.reduce(f, id, { axis = 2 })
    if id == nil then
        check_filled(d, "reduce")
    end
    return d.n == 0 and skeleton(core.zeros({ 0, 1 }, d.values:dtype()))
        or reduced(d, function(m) return skeleton(m) end)
end)

method("rank", 1, function(r, options)
    local d = self(r)
    options = call.options(options, 2, "method descending")
    if #d.values == 0 then
        return made(core.zeros(0, "f64"), d.offsets, r)
    end
    return made(group((places(d))):rank(d.values, options), d.offsets, r)
end)

method("unique", 0, function(r)
    local d = self(r)
    if #d.values == 0 then
        return r
    end
    local sorted = data(mapped(r, function(m) return m:sort { axis = 2 } end)).values
    local before = sorted:sub(1, -2)
    local same = sorted:sub(2):eq(before)
    if sorted:dtype():find "^b?f%d" then
        same = same | sorted:sub(2):isnan() & before:isnan()
    end
    local rows = places(d)
    local new = core.concat { core.ones(1, "bool"), ~(same & rows:sub(2):eq(rows:sub(1, -2))) }
    local kept = new:indices():eval()
    local counts = core.zeros(d.n, "i64"):put(rows:take(kept), 1, { combine = "+" })
    return made(sorted:take(kept), core.concat { core.ones(1, "i64"), counts:cumsum() + 1 })
end)

-- The k greatest of each row, or all where it has fewer; and where they stand in it.
method("topk", 2, function(r, k, options)
    local d = self(r)
    whole(k, 2, 0)
    local smallest = call.options(options, 3, "smallest").smallest
    local order = data(mapped(r, function(m) return m:argsort { axis = 2, descending = not smallest } end)).values
    local rows, number = places(d)
    local kept = number:le(k):indices():eval()
    local at = order:take(kept):eval()
    local offsets = core.concat { core.ones(1, "i64"), core.min(lengths_of(d), k):cumsum() + 1 }
    local starts = d.offsets:take(rows:take(kept))
    local best = made(d.values:take(starts + at - 1), offsets)
    return best, made(at, offsets, best)
end)

method("lengths", 0, function(r) return lengths_of(self(r)) end)
method("offsets", 0, function(r) return self(r).offsets:sub(1, -2):copy() end)
method("values", 0, function(r) return self(r).values:copy() end)
method("dtype", 0, function(r) return self(r).values:dtype() end)

method("row", 1, function(r, k)
    local d = self(r)
    k = whole(k, 2)
    local at = k < 0 and d.n + 1 + k or k
    if at < 1 or at > d.n then
        bad(2, "row %d is out of range: there are %d", k, d.n)
    end
    return d.values:sub(d.offsets[at], d.offsets[at + 1] - 1):copy()
end)

-- f of each element, its number in its row and the row's, as many of these as f takes.
method("map", 1, function(r, f)
    local d = self(r)
    local takes = type(f) == "function" and debug.getinfo(f, "u") or { nparams = 1 }
    local count = math.max(1, math.min(takes.nparams, 3))
    local rows, number = places(d)
    local operands = { d.values, number, rows }
    return made(core.map(f, { elements = count })(table.unpack(operands, 1, count)), d.offsets, r)
end)

method("apply", 1, function(r, f)
    local d = self(r)
    if type(f) ~= "function" then
        bad(2, "function expected, got %s", described(f))
    end
    local y = call.users(f)(r)
    if is(y) and data(y).n == d.n then
        return y
    elseif core.isarray(y) and call.rank(y) == 1 and #y == d.n then
        return y
    end
    bad(2, "the function gives %s: %d rows, or a number for each, expected", described(y), d.n)
end)

-- ---------------------------------------------------------------- operations on elements

-- An operand beside runs with these offsets: runs, a Vector with one element for each row, or a number.
local function beside(d, x, name)
    if is(x) then
        local other = data(x)
        if other.n ~= d.n or not (other.offsets == d.offsets or other.offsets:eq(d.offsets):all()) then
            error(("attempt to perform '%s' of runs with rows of other lengths"):format(name), 0)
        end
        return other.values
    elseif core.isarray(x) and call.rank(x) > 0 then
        if call.rank(x) ~= 1 or #x ~= d.n then
            error(("attempt to perform '%s' of runs of %d rows and %s: one element for each row expected"):format(name,
                d.n, call.described(x)), 0)
        end
        return spread(d, x)
    end
    return x
end

-- The operation of elements; one operand at least is runs.
local function elementwise(name)
    local f = core[name]
    return public(function(...)
        local operands, like = table.pack(...), nil
        for k = 1, operands.n do
            like = like or is(operands[k]) and operands[k] or nil
        end
        if not like then
            error(("bad argument #1 to '%s' (runs expected)"):format(name), 0)
        end
        local d = data(like)
        for k = 1, operands.n do
            operands[k] = beside(d, operands[k], name)
        end
        return made(f(table.unpack(operands, 1, operands.n)), d.offsets, like)
    end)
end

for name in pairs(core.op) do
    Runs.methods[name] = Runs.methods[name] or core[name] and elementwise(name)
end

for name in ("add sub mul div mod pow idiv band bor bxor"):gmatch "%a+" do
    Runs["__" .. name] = elementwise(name)
end

for event, name in pairs { __unm = "neg", __bnot = "bnot" } do
    local f = elementwise(name)
    Runs[event] = function(r) return f(r) end -- Lua passes the operand twice
end

function Runs.__len(r)
    return data(r).n
end

Runs.__index = Runs.methods

function Runs.__newindex()
    error("runs are not written to: make new ones, with lun.runs", 2)
end

function Runs.__tostring(r)
    local d = data(r)
    return text_of(d.values, d.offsets)
end

M.methods = Runs.methods

return M
