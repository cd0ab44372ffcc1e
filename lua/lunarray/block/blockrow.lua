-- Rows of blocked arrays, q = a[i]: elements and further rows, without a message or an array of its own; and q as an
-- array that is blocked as a is and shows a's elements, once it is used as a whole. Knows no transport.

local blocked = require "lunarray.block.blocked"
local core = require "lunarray.core"
local public = require "lunarray.base.public"
local spread = require "lunarray.block.spread"

local npes = core.internal.spmd.start()

-- Functions of the module that have a row among their arguments, as those of blocked arrays.
local offers = {}
local rows = { __name = "a row of a blocked array", __records = offers, __blocked = true }

-- Of each row its array and indices; as an array: of which part it is a window, and the array.
local state = setmetatable({}, { __mode = "k" })

-- The row of a at these indices.
function blocked.row(a, indices)
    local row = setmetatable({}, rows)
    state[row] = { a = a, indices = indices }
    return row
end

-- The array of a row and the row's indices; of one that is private by now the row, and nil.
local function behind(row)
    local a, indices = state[row].a, state[row].indices
    if blocked.is(a) then
        return a, indices
    end
    for _, i in ipairs(indices) do
        a = a[i]
    end
    return a
end

-- The row as an array: each rank has of it what it has of a, as a window on its part.
local function as_array(row)
    local a, indices = behind(row)
    if not indices then
        return a
    end
    local of, part, own = blocked.spread_of(a), blocked.part_of(a), state[row]
    if own.part == part then
        return own.array
    end
    local axes, shape = {}, table.move(of.shape, #indices + 1, #of.shape, 1, {})
    for _, d in ipairs(of.blocked) do
        if d > #indices then
            axes[#axes + 1] = d - #indices
        else
            local said = "one rank has this row of %s, blocked along axis %d: a:row(i) is a private array on each"
            error(said:format(blocked.kind_of(a), d), 0)
        end
    end
    local window = part
    for _, i in ipairs(indices) do
        window = window[i]
    end
    local its = spread.new(shape, #axes > 0 and axes or { 1 }, of.rule, npes)
    own.part, own.array = part, blocked.make(its, window, blocked.may_miss(a), a)
    return own.array
end

-- What a row is as an operand.
function blocked.of_row(x)
    return getmetatable(x) == rows and as_array(x) or x
end

rows.__index = public(function(row, i)
    if type(i) == "string" then
        local a = as_array(row)
        local method = a[i]
        return type(method) == "function" and function(_, ...)
            return method(a, ...)
        end or method
    end
    local a, indices = behind(row)
    if not indices then
        return a[i]
    end
    return blocked.index(a, indices, i)
end)

rows.__newindex = public(function(row, i, x)
    local a, indices = behind(row)
    if type(i) == "string" then -- a field of records
        as_array(row)[i] = x
    elseif not indices then
        a[i] = x
    else
        blocked.assign(a, indices, i, x)
    end
end)

function rows.__len(row)
    local a, indices = behind(row)
    return indices and blocked.spread_of(a).shape[#indices + 1] or #a
end

rows.__tostring = public(function(row)
    return tostring(as_array(row))
end)

-- A row as an array, and a list of rows as one of arrays.
local function as_given(x)
    if type(x) == "table" and getmetatable(x) == nil then
        local list = {}
        for key, one in next, x do
            list[key] = blocked.of_row(one)
        end
        return list
    end
    return blocked.of_row(x)
end

local function with_arrays(f)
    return public(function(...)
        local given = table.pack(...)
        for k = 1, given.n do
            given[k] = as_given(given[k])
        end
        return f(table.unpack(given, 1, given.n))
    end)
end

for event, name in pairs(blocked.binary) do
    rows[event] = with_arrays(core[name])
end
for event, f in pairs { __unm = core.neg, __bnot = core.bnot } do
    rows[event] = public(function(row)
        return f(as_array(row))
    end)
end
rows.__concat = public(function(x, y)
    return blocked.of_row(x) .. blocked.of_row(y)
end)

setmetatable(offers, {
    __index = function(_, name)
        local f = core[name] and blocked.offers[name] and with_arrays(core[name])
        f = name == "refusal" and blocked.offers.refusal or f
        rawset(offers, name, f)
        return f
    end,
})
