-- Columns of opened tables: expressions that are computed part by part when a chain runs. Knows no files.
--
-- Invariant: an expression belongs to the rows of one space (chain.lua) and never changes; `sample` is its value in the
-- sample of its node, made when the expression was, so that what is wrong with it is an error of that line.

local core = require "lunarray.core"
local fault = require "lunarray.base.fault"
local frame = require "lunarray.show.frame"

local M = {}

-- Methods of which element i of the result depends on element i of the operands alone.
local BY_ELEMENT <const> = "abs acos acosh add asin asinh atan atan2 atanh band bnot bor bxor cast cbrt ceil clamp "
    .. "clip clz contains copysign cos cosh cospi ctz cut date day deg2rad div endswith eq erf "
    .. "erfc exp exp2 expit expm1 fillna fillnan find floor fma fmax fmin fmod format ge gsub gt "
    .. "heaviside hour hypot idiv isfinite isin isinf ismissing isna isnan isoyear land ldexp le "
    .. "len lnot log log10 log1p log2 logaddexp logit lor lower lpad lt ltrim lxor map match "
    .. "matches max maximum microsecond min minimum minute mod month mul naif ne neg nextafter notna part "
    .. "popcount pow quarter rad2deg replace rint round rpad rtrim sar second seconds shl shr "
    .. "sign signbit sin sinc sinh sinpi softplus split sqrt square startswith substr tan tanh "
    .. "time trim trunc truncate upper week weekday where year yearday zone"

-- Methods that are reductions where they have no second array: computed part by part, too (sums.lua).
local REDUCTIONS <const> = { sum = true, prod = true, mean = true, min = true, max = true, count = true, any = true,
    all = true, var = true, std = true }

local OPERATORS <const> = {
    __add = function(a, b) return a + b end, __sub = function(a, b) return a - b end,
    __mul = function(a, b) return a * b end, __div = function(a, b) return a / b end,
    __mod = function(a, b) return a % b end, __pow = function(a, b) return a ^ b end,
    __idiv = function(a, b) return a // b end, __band = function(a, b) return a & b end,
    __bor = function(a, b) return a | b end, __bxor = function(a, b) return a ~ b end,
    __shl = function(a, b) return a << b end, __shr = function(a, b) return a >> b end,
    __concat = function(a, b) return a .. b end, __unm = function(a) return -a end,
    __bnot = function(a) return ~a end,
}

local by_element = {}
for name in BY_ELEMENT:gmatch "%S+" do
    by_element[name] = true
end

-- What an error says of one where an array is expected.
local Expression = { __name = "a column in a file, of which methods are computed part by part" }
local state = setmetatable({}, { __mode = "k" }) -- by expression: node, sample and name, or f and its arguments

M.rows = nil -- function(node): the number of the node's rows; set by opened.lua
M.whole = nil -- function(expression): the array of all elements; set by opened.lua
M.reduce = nil -- function(expression, name, ...): a reduction; set by opened.lua
M.verb = nil -- function(table, name, ...): calls a verb whose name a column has; set by opened.lua

function M.is(x)
    return type(x) == "table" and state[x] ~= nil
end

-- The node, sample and parts of an expression.
function M.of(x)
    return state[x]
end

local function new(s)
    local x = setmetatable({}, Expression)
    state[x] = s
    return x
end

-- The column of that name in a node's table.
function M.column(node, name)
    return new { node = node, name = name, sample = frame.column(node.sample, name) }
end

-- The elements of an array in memory, one for each row of the file.
function M.given(node, array, what)
    local root = node.root or node
    local rows = M.rows(node)
    if #array ~= rows then
        fault("%s has %d row%s, the table %d", what, #array, #array == 1 and "" or "s", rows)
    elseif node.space ~= root.space then
        fault("%s has a row for each of '%s', and some were left out: make it of the columns of this table", what,
            root.source.path)
    end
    return new { node = root, array = array, sample = array:sub(1, #root.sample) }
end

-- ---------------------------------------------------------------- made of others

-- The deepest node of the operands, which must be of one space.
local function node_of(args)
    local node
    for k = 1, args.n do
        local s = state[args[k]]
        if s and node and s.node.space ~= node.space then
            fault("columns of tables with other rows: take both from the filtered table")
        elseif s and not (node and node.depth >= s.node.depth) then
            node = s.node
        end
    end
    return node
end

-- Arguments with what `value` makes of expressions; of a table that is no array the entries.
function M.resolved(args, value)
    local out = { n = args.n }
    for k = 1, args.n do
        local x = args[k]
        if M.is(x) then
            x = value(x)
        elseif type(x) == "table" and getmetatable(x) == nil then
            local some = false
            for _, entry in next, x do
                some = some or M.is(entry)
            end
            if some then
                local copy = {}
                for key, entry in next, x do
                    copy[key] = M.is(entry) and value(entry) or entry
                end
                x = copy
            end
        end
        out[k] = x
    end
    return out
end

function M.sample(x)
    return state[x].sample
end

local function applied(f, ...)
    local args = table.pack(...)
    local node = node_of(args)
    for k = 1, args.n do
        if f.whole and core.isarray(args[k]) and args[k]:size() ~= 1 then
            args[k] = M.given(node, args[k], "an array")
        end
    end
    local s = { node = node, f = f.run, args = args, word = f.name }
    local given = M.resolved(args, M.sample)
    s.sample = f.run(table.unpack(given, 1, given.n))
    return new(s)
end

for event, run in pairs(OPERATORS) do
    local f = { run = run, name = event:sub(3), whole = true }
    Expression[event] = function(a, b)
        if event == "__unm" or event == "__bnot" then
            return applied(f, a)
        end
        return applied(f, a, b)
    end
end

-- The value of an expression where env.tables[node] is the table of a part of the rows.
function M.value(x, env)
    local s = state[x]
    local found = env.values[x]
    if found ~= nil then
        return found
    elseif s.name then
        return frame.column(env.tables[s.node], s.name)
    elseif s.array then
        return s.array:sub(env.first + 1, env.first + #env.tables[s.node])
    end
    local args = M.resolved(s.args, function(one)
        return M.value(one, env)
    end)
    found = s.f(table.unpack(args, 1, args.n))
    env.values[x] = found
    return found
end

-- ---------------------------------------------------------------- what scripts see

local calls = setmetatable({}, { __mode = "v" }) -- by name of a method: the function that scripts call

-- Whether the arguments of min or max ask for a reduction.
local function is_reduction(name, args)
    return REDUCTIONS[name] and not ((name == "min" or name == "max") and args.n > 0 and type(args[1]) ~= "table")
end

local function call_of(name)
    local function run(x, ...)
        local f = x[name]
        if f == nil then
            fault("no method '%s' of %s", name, core.internal.kind_of(x))
        end
        return f(x, ...)
    end
    local f = { run = run, name = name, whole = name ~= "isin" }
    return function(x, ...)
        if not M.is(x) then
            fault("bad argument #1 to '%s' (no column: say t.x:%s() with a colon)", name, name)
        end
        local args = table.pack(...)
        if name == "dtype" and not M.is(args[1]) or is_reduction(name, args) then
            return M.reduce(x, name, ...)
        elseif by_element[name] or REDUCTIONS[name] then
            if name == "split" then
                return M.pieces(f, x, ...)
            end
            return applied(f, x, ...)
        end
        local a = M.whole(x)
        return a[name](a, ...)
    end
end

-- Functions of the module that are given expressions (interp/bind/host/record_calls.c).
local offers = {}

function offers.refusal()
    return "a column in a file: methods of it are computed part by part; lun.eval(t) reads the table into memory"
end

function offers.eval(x)
    return M.whole(x)
end

function offers.isarray()
    return false
end

M.isarray, M.by_element = offers.isarray, by_element

Expression.__records = setmetatable(offers, { __index = function(_, name)
    local run = by_element[name] and core[name]
    if run then
        local f = { run = run, name = name, whole = true }
        return function(...)
            return applied(f, ...)
        end
    end
    return REDUCTIONS[name] and function(x, ...) return x[name](x, ...) end or nil
end })

-- x:split(sep, n): n expressions.
function M.pieces(f, x, sep, n, ...)
    local out = {}
    for k = 1, math.tointeger(n) or 0 do
        out[k] = applied({ run = function(a, ...)
            return (select(k, f.run(a, ...)))
        end, name = "split", whole = true }, x, sep, n, ...)
    end
    if #out == 0 then
        return applied(f, x, sep, n, ...)
    end
    return table.unpack(out)
end

function Expression.__index(x, key)
    if type(key) == "number" then
        return M.whole(x)[key]
    elseif type(key) ~= "string" or not (core.internal.methods[key] or core.internal.text_methods[key]
        or core.internal.time_methods[key]) then
        fault("a column in a file has no field '%s'", tostring(key))
    end
    local call = calls[key] or call_of(key)
    calls[key] = call
    return call
end

function Expression.__newindex()
    fault("elements of a file are not assigned; lun.eval(t) gives a table in memory")
end

function Expression.__len(x)
    return #M.whole(x)
end

function Expression.__call(x, t, ...)
    return M.verb(x, t, ...)
end

-- How an expression is made, for lun.explain.
function M.text(x)
    local s = state[x]
    if s.name or s.array then
        return s.name or core.internal.kind_of(s.array)
    end
    local out = {}
    for k = 1, s.args.n do
        local a = s.args[k]
        out[k] = M.is(a) and M.text(a) or type(a) == "string" and ("%q"):format(a)
            or type(a) == "table" and "{...}" or tostring(a)
    end
    return ("%s(%s)"):format(s.word, table.concat(out, ", "))
end

function Expression.__tostring(x)
    local s = state[x]
    return ("%s: a column in a file, read where it is used\nfirst elements: %s"):format(M.text(x),
        tostring(s.sample:sub(1, math.min(#s.sample, 5))))
end

return M
