-- Which elements of arrays a loop's function reads and assigns: calls it, in plain Lua, with stand-ins for arrays,
-- whose elements are unknown, for each round. Where indices or the way through the function depend on elements, it
-- cannot be known beforehand. Knows no rank.

local opcodes = require "lunarray.opcodes"
local pack = require "lunarray.pack"

local inspect = {}

-- ---------------------------------------------------------------- unknown values

local UNKNOWN = "the way through the function depends on elements"

local unknown = {}
local value = setmetatable({}, unknown)
for event in ("add sub mul div mod pow unm idiv band bor bxor shl shr bnot"):gmatch "%a+" do
    unknown["__" .. event] = function()
        return value
    end
end
for _, event in ipairs { "lt", "le", "concat", "len", "call", "index", "newindex" } do
    unknown["__" .. event] = function()
        error(UNKNOWN, 0)
    end
end

-- A C function, such as math.sqrt: of something unknown it gives something unknown.
local wrapped = setmetatable({}, { __mode = "k" })
local function wrap(f)
    wrapped[f] = wrapped[f] or function(...)
        for k = 1, select("#", ...) do
            if (select(k, ...)) == value then
                return value
            end
        end
        return f(...)
    end
    return wrapped[f]
end

-- ---------------------------------------------------------------- stand-ins for arrays

-- What is noted of an array: shape, dtype, name; reads (times by place in row-major order), writes (places in the order
-- of the first times), written (times by place); values: of one whose elements are known, all of them. anyread,
-- anywhere: whether elements at unknown places are read, written.

-- Keys of what a stand-in, for an array or a row of it, holds: the notes, its axis, the place before its first element
-- in numbers of its rows, false if that is unknown. Rows that were asked for stand at their indices.
local NOTES, AXIS, BASE = {}, {}, {}

-- The integer that an index is, nil: it is unknown.
local function index_of(notes, axis, i)
    if i == value then
        return nil
    end
    local exact = math.tointeger(i)
    if not exact or exact < 1 or exact > notes.shape[axis] then
        error(("index %s is out of range for axis %d of '%s' (length %d)"):format(tostring(i), axis, notes.name,
            notes.shape[axis]), 0)
    end
    return exact
end

local inner, leaf = {}, {}

local function new_stand(notes, axis, base)
    return setmetatable({ [NOTES] = notes, [AXIS] = axis, [BASE] = base }, axis == #notes.shape and leaf or inner)
end

function inner.__index(a, i)
    local notes, axis = a[NOTES], a[AXIS]
    local k, base = index_of(notes, axis, i), a[BASE]
    local row = new_stand(notes, axis + 1, k and base and (base + k - 1) * notes.shape[axis + 1] or false)
    rawset(a, k or value, row)
    return row
end

function inner.__newindex()
    error(UNKNOWN, 0) -- a whole row
end

-- The place of an element, nil: it is unknown.
local function place_of(a, i)
    local base, k = a[BASE], index_of(a[NOTES], a[AXIS], i)
    return k and base and base + k or nil
end

function leaf.__index(a, i)
    local notes, reads = a[NOTES], a[NOTES].reads
    local place = place_of(a, i)
    if not place then
        notes.anyread = true
    else
        reads[place] = (reads[place] or 0) + 1
    end
    if place and notes.values then
        return notes.values[place]
    elseif notes.dtype == "bool" then
        error(UNKNOWN, 0) -- an element decides by itself
    end
    return value
end

function leaf.__newindex(a, i)
    local notes, written = a[NOTES], a[NOTES].written
    local place = place_of(a, i)
    if not place then
        notes.anywhere = true
        return
    end
    if not written[place] then
        notes.writes[#notes.writes + 1] = place
    end
    written[place] = (written[place] or 0) + 1
end

local function length(a)
    return a[NOTES].shape[a[AXIS]]
end
inner.__len, leaf.__len = length, length

-- ---------------------------------------------------------------- copies of functions

local function is_lua(f)
    return type(f) == "function" and debug.getinfo(f, "S").what ~= "C"
end

-- A copy of f with upvalues that `replace` gives in the place of some; those that it gives nil for are shared.
function inspect.copy(f, replace, copies)
    copies = copies or {}
    if copies[f] then
        return copies[f]
    end
    local copy = load(string.dump(f), "=copy", "b")
    copies[f] = copy
    local k = 1
    while true do
        local name, x = debug.getupvalue(f, k)
        if not name then
            return copy
        end
        local other = replace(x, name)
        if other == nil and is_lua(x) then
            other = inspect.copy(x, replace, copies)
        end
        if other ~= nil then
            debug.upvaluejoin(copy, k, function() -- a variable of its own
                return other
            end, 1)
        else
            debug.upvaluejoin(copy, k, f, k)
        end
        k = k + 1
    end
end

-- The arrays that f, and the functions that it captures, capture: { array = name } in the order of the upvalues, as a
-- list and by array. Whether one of them asks what stand-ins cannot answer.
function inspect.captured(f, is_array)
    local list, seen, question = {}, {}, false
    local function look(g)
        if seen[g] then
            return
        end
        seen[g] = true
        question = question or opcodes.asks(g)
        local k = 1
        while true do
            local name, x = debug.getupvalue(g, k)
            if not name then
                return
            end
            if is_array(x) and not seen[x] then
                seen[x] = true
                list[#list + 1] = { array = x, name = name }
            elseif is_lua(x) then
                look(x)
            end
            k = k + 1
        end
    end
    look(f)
    return list, question
end

-- ---------------------------------------------------------------- the loop

-- The global table and the libraries, as stand-ins see them.
local function library(t)
    return setmetatable({}, { __index = function(_, key)
        local x = t[key]
        if type(x) == "function" and not is_lua(x) then
            return wrap(x)
        elseif type(x) == "table" and getmetatable(x) == nil then
            return library(x)
        end
        return x
    end })
end

-- Calls f for each index of the box { {first, last}, ... }.
local function each(box, f)
    local indices = {}
    local function along(d)
        if d > #box then
            f(table.unpack(indices, 1, #box))
            return
        end
        for i = box[d][1], box[d][2] do
            indices[d] = i
            along(d + 1)
        end
    end
    along(1)
end

-- What f does to the arrays in `notes` (by array) in the rounds of a box; true, or false and why it cannot be known,
-- or nil and the error that f has met.
function inspect.run(f, box, notes)
    local stands = {}
    local copy = inspect.copy(f, function(x, name)
        local known = notes[x]
        if known then
            if not stands[x] then
                stands[x] = new_stand(known, 1, 0)
            end
            return stands[x]
        elseif name == "_ENV" or type(x) == "table" and getmetatable(x) == nil then
            return library(x)
        elseif type(x) == "function" and not is_lua(x) then
            return wrap(x)
        end
    end)
    local ok, e = pcall(each, box, copy)
    for _, known in pairs(notes) do -- what is both assigned and read is not what it was
        ok = ok and not (known.values and (next(known.reads) or known.anyread) and
            (next(known.written) or known.anywhere))
    end
    if ok then
        return true
    elseif type(e) == "string" and e:find("is out of range for axis", 1, true) then
        return nil, e
    end
    return false, e
end

inspect.is_array = pack.is_array

return inspect
