-- Watched values: arrays and numbers whose operations a tape records, so that derivatives can be found backwards
-- (reverse mode). A tape inside of a function that an outer tape records has a higher number; operations are recorded
-- on the highest tape of their operands, on which the operands of lower tapes are values as any other. Knows no rules.

local core = require "lunarray.core"
local script_line = require "lunarray.base.script_line"

local M = { rules = {}, handlers = {}, constant = {}, without = {}, composed = {} }

local Watched = { __name = "a watched value, which lun.exp takes and math.exp does not" }
local VALUE, NODE = {}, {} -- keys of what a watched value holds

local methods = core.internal.methods
local tapes = setmetatable({}, { __mode = "k" }) -- the tape of each node
local numbers = 0

local function is(x)
    return type(x) == "table" and getmetatable(x) == Watched
end
M.is = is

-- The error of the script's line.
local function fail(text, ...)
    error(script_line() .. text:format(...), 0)
end
M.fail = fail

-- The value below all tapes.
local function plain(x)
    while is(x) do
        x = rawget(x, VALUE)
    end
    return x
end
M.plain = plain

-- Whether a value is one number.
local function is_number(x)
    x = plain(x)
    return type(x) == "number" or core.isarray(x) and select("#", x:shape()) == 0
end
M.is_number = is_number

local function shape_of(x)
    if is_number(x) then
        return {}
    end
    return { plain(x):shape() }
end
M.shape_of = shape_of

-- ---------------------------------------------------------------- recording

-- The number of the next tape, or of a batch (batch/batch.lua): what has the higher number is inside.
function M.number()
    numbers = numbers + 1
    return numbers
end

function M.tape()
    return { number = M.number(), nodes = {} }
end

-- A value on a tape: a leaf, or with the nodes of operands and what gives their derivatives.
local function record(tape, value, parents, pull)
    local node = { value = value, parents = parents, pull = pull, index = #tape.nodes + 1 }
    tape.nodes[node.index] = node
    tapes[node] = tape
    return setmetatable({ [VALUE] = value, [NODE] = node }, Watched)
end

function M.leaf(tape, value)
    return record(tape, value)
end

-- The highest tape among values.
local function tape_of(...)
    local tape
    for i = 1, select("#", ...) do
        local x = (select(i, ...))
        local own = is(x) and tapes[rawget(x, NODE)]
        if own and (not tape or own.number > tape.number) then
            tape = own
        end
    end
    return tape
end

-- The number of the highest tape among values, also in a list that is the first of them; nil: none is watched.
function M.newest(...)
    local tape, list = tape_of(...), ...
    if not tape and type(list) == "table" and getmetatable(list) == nil then
        tape = tape_of(table.unpack(list))
    end
    return tape and tape.number
end

-- Gives what does a call in place of the tape of that number: a batch inside of it, among whose items the operands are.
function M.inner()
    return nil
end

-- op of values, recorded on the highest tape among them; pull(g, y, ...) gives, for the derivative g by the result y,
-- that by each operand, nil where there is none.
function M.apply(op, pull, ...)
    local tape = tape_of(...)
    if not tape then
        return op(...)
    end
    local given, parents = table.pack(...), {}
    for i = 1, given.n do
        local x = given[i]
        if is(x) and tapes[rawget(x, NODE)] == tape then
            parents[#parents + 1] = { i, rawget(x, NODE) }
            given[i] = rawget(x, VALUE)
        end
    end
    local y = op(table.unpack(given, 1, given.n))
    return record(tape, y, parents, function(g)
        return pull(g, y, table.unpack(given, 1, given.n))
    end)
end

-- ---------------------------------------------------------------- backwards

-- g, which has a shape that x broadcasts to, as a derivative by x.
local function fitted(g, x)
    if is_number(x) then
        return is_number(g) and g or g:sum()
    elseif is_number(g) then
        return core.ones({ plain(x):shape() }, plain(x):dtype()) * g
    end
    local shape, wanted = shape_of(g), shape_of(x)
    local behind, axes = #shape - #wanted, {}
    for axis = 1, #shape do
        local extent = axis > behind and wanted[axis - behind] or nil
        if extent == nil or extent == 1 and shape[axis] ~= 1 then
            axes[#axes + 1] = axis
        end
    end
    if #axes == 0 then
        for axis = 1, #shape do
            if shape[axis] ~= wanted[axis] then -- it has to be repeated
                return core.ones(wanted, plain(x):dtype()) * g
            end
        end
        return g
    end
    return g:sum { axis = axes, keep = true }:reshape(wanted)
end
M.fitted = fitted

-- The derivatives by leaves of a value, given those by itself: nil for leaves that it does not depend on.
function M.backward(tape, out, seed, leaves)
    local found = {}
    if not is(out) or tapes[rawget(out, NODE)] ~= tape then
        return found
    end
    local by = { [rawget(out, NODE)] = seed }
    for k = rawget(out, NODE).index, 1, -1 do
        local node = tape.nodes[k]
        local g = by[node]
        if g ~= nil and node.pull then
            by[node] = nil
            local given = table.pack(node.pull(g))
            for _, parent in ipairs(node.parents) do
                local part, of = given[parent[1]], parent[2]
                if part ~= nil then
                    part = fitted(part, of.value)
                    by[of] = by[of] == nil and part or by[of] + part
                end
            end
        end
    end
    for i, leaf in ipairs(leaves) do
        found[i] = by[rawget(leaf, NODE)]
    end
    return found
end

-- The value on the tape below that one.
function M.value(tape, x)
    if is(x) and tapes[rawget(x, NODE)] == tape then
        return rawget(x, VALUE)
    end
    return x
end

-- ---------------------------------------------------------------- calls

-- The operation on elements, the method or the function of the module of that name.
local function function_of(name)
    return core.op[name] and core[name] or methods[name] or core[name]
end

local offers = setmetatable({}, { __index = function(_, name) return M.offer(name) end })

local function strip(...)
    local given = table.pack(...)
    for i = 1, given.n do
        given[i] = plain(given[i])
    end
    return table.unpack(given, 1, given.n)
end

-- Does the call of that name, of operands some of which are watched.
function M.call(name, ...)
    local rule, handler = M.rules[name], M.handlers[name]
    local inner = M.inner(M.newest(...) or 0, ...)
    if inner then
        return inner(name, ...)
    elseif handler then
        return handler(...)
    elseif rule then
        return M.apply(function_of(name), rule, ...)
    elseif M.constant[name] then
        return function_of(name)(strip(...))
    elseif M.composed[name] and not M.without[name] then
        return M.composed[name](...)
    end
    fail("no derivative of '%s'%s", name, M.without[name] or "")
end

local called = {} -- functions by name

function M.offer(name)
    if name == "refusal" then
        return function() return "a watched value has no derivative here" end
    end
    called[name] = called[name] or function(...) return M.call(name, ...) end
    return called[name]
end

-- ---------------------------------------------------------------- the metatable

Watched.__records = offers
Watched.__watched = function(name) -- what takes over a call that is composed of others, or nil
    return (M.rules[name] or M.handlers[name] or M.constant[name] or M.without[name]) and M.offer(name)
end

function Watched.__index(x, key)
    if type(key) == "string" then
        return M.offer(key == "sub" and "window" or key) -- a:sub(i, j), as lun.sub(a, b) is a - b
    end
    return M.call("index", x, key)
end

function Watched.__newindex()
    fail "a watched array is not written to: make a new one, with where or concat"
end

function Watched.__len(x)
    return #plain(x)
end

function Watched.__tostring(x)
    x = plain(x)
    return type(x) == "number" and ("watched %s"):format(x) or ("watched %s[%s]"):format(x:dtype(),
        table.concat({ x:shape() }, ", "))
end

local function number_of(x)
    x = plain(x)
    return core.isarray(x) and select("#", x:shape()) == 0 and x:value() or x
end

function Watched.__lt(a, b)
    return number_of(a) < number_of(b)
end

function Watched.__le(a, b)
    return number_of(a) <= number_of(b)
end

for event, name in pairs { __add = "add", __sub = "sub", __mul = "mul", __div = "div", __mod = "mod", __pow = "pow",
    __idiv = "idiv", __unm = "neg" } do
    Watched[event] = function(a, b)
        if name == "neg" then
            return M.call(name, a)
        end
        return M.call(name, a, b)
    end
end

function Watched.__concat(a, b)
    return M.call("concat", { a, b })
end

-- Names that are compositions of others take watched values as they are.
require "lunarray.names.composed"(M.composed)

return M
