-- Blocked arrays: each rank has a part, an ordinary array; elementwise work is done on the parts without a message.
-- What needs elements of other ranks moves them (blockmove.lua) or asks for them (windows.lua). Knows no transport.
--
-- Invariant: a handle of the binding, or for records a table of record_type, is a blocked array exactly if state has an
-- entry for it. The handle of an array becomes one, and the other way round, by blocked.become. A part is an array, or
-- records.

local core = require "lunarray.core"
local operands = require "lunarray.block.blockoperands"
local pack = require "lunarray.ranks.pack"
local private = require "lunarray.block.blockprivate"
local public = require "lunarray.base.public"
local ready = require "lunarray.ranks.ready"
local spread = require "lunarray.block.spread"
local windows = require "lunarray.ranks.windows"

local net, handles = core.internal.spmd, core.internal.blocked
local npes, mype = net.start()

local blocked = { offers = {} }
local offers = blocked.offers -- functions of the module with a blocked array among their arguments, by name

-- Of each blocked array its spread, this rank's part, whether elements of any rank's may be missing, the array of which
-- it is a row, and the id of its window, once it has one; of a field the records, and its name.
local state = setmetatable({}, { __mode = "k" })

local methods = {}
local type_of = handles.type()
local release = type_of.__gc
type_of.__name, type_of.__records, type_of.__blocked = "a blocked array", offers, true

-- ---------------------------------------------------------------- asking

function blocked.is(x)
    return state[x] ~= nil
end

function blocked.spread_of(a)
    return state[a].spread
end

function blocked.part_of(a)
    return state[a].part
end

-- "f64[20, 50]"
local function kind_of(a)
    return ("%s[%s]"):format(private.dtype_name(state[a].part), table.concat(state[a].spread.shape, ", "))
end
blocked.kind_of = kind_of

operands.open(blocked)

-- missing: elements of other ranks' parts may be, also where none of this part are; of: the array of which it is a row.
function blocked.make(s, part, missing, of)
    local a = private.struct_of(part) and setmetatable({}, blocked.record_type) or handles.handle()
    state[a] = { spread = s, part = part, missing = missing or core.internal.has_missing(part), of = of }
    return a
end

-- Whether elements of a, an array or a blocked one, may be missing: the same on all ranks.
local function may_miss(a)
    local own = state[a]
    if own then
        return own.missing or own.of ~= nil and may_miss(own.of)
    end
    return core.internal.has_missing(a)
end
blocked.may_miss = may_miss

-- Elements of a may be missing from now on, on all ranks.
local function misses(a)
    local own = state[a]
    if own then
        own.missing = true
        misses(own.of)
    end
end

-- Raises that x, lun.na, is assigned to an element of an array of which none is missing: one rank assigns it, and no
-- other one would know.
local function check_missing(a, x)
    if rawequal(x, core.na) and not may_miss(a) and not private.struct_of(state[a].part) then
        local said = "no element of %s is missing: a:set(lun.where(mask, lun.na, a)) makes it one of which some are"
        error(said:format(kind_of(a)), 0)
    end
end
blocked.check_missing = check_missing

-- The handle a becomes what b is, an array or a blocked one, and b what a was.
function blocked.become(a, b)
    local swap = type(a) == "table" and private.swap or handles.swap
    swap(a, b)
    state[a], state[b] = state[b], state[a]
    return a
end

-- Another part in the place of this one.
function blocked.set_part(a, part)
    local of = state[a]
    of.part = part
    if of.id then
        windows.replace(of.id, part)
    end
end

-- Another spread with the same boxes: of one rank, whose blocked axes are others.
function blocked.set_spread(a, s)
    state[a].spread = s
    return a
end

local function eval(x)
    return x:eval()
end

-- This rank's part is evaluated, without a word to others.
local function eval_part(a)
    blocked.set_part(a, state[a].part:eval())
    return a
end

-- The field of that name of records divided over ranks, which shows their elements; nil: there is none.
function blocked.field(a, name)
    local own = state[a]
    local x, extents = private.field(own.part, name)
    local known = own.fields and own.fields[name]
    if not x or known and state[known].part == x then
        return x and known
    end
    local s = own.spread
    s = extents and spread.new(table.move(extents, 1, #extents, #s.shape + 1, { table.unpack(s.shape) }), s.blocked,
        s.rule, npes) or s
    local f = blocked.make(s, x)
    state[f].within, state[f].name = a, name
    own.fields = own.fields or {}
    own.fields[name] = f
    return f
end

-- The window by which other ranks reach the elements: a step of all ranks, once. Of a field that of the records, and
-- its name.
local function window_of(a)
    local of = state[a]
    if of.within then
        if not state[of.within] or blocked.field(of.within, of.name) ~= a then
            error(("the records of which this is '%s' are divided otherwise by now: take their field again"):format(
                of.name), 0)
        end
        local id = blocked.window_of(of.within)
        id = type(id) == "table" and table.move(id, 1, #id, 1, {}) or { id }
        id[#id + 1] = of.name
        return id
    elseif not of.id then
        of.part = ready(eval, of.part)
        local doing = ("evaluates %s"):format(kind_of(a))
        of.id = windows.make(of.part, spread.size(of.spread.shape), doing, "an evaluation", of.spread.key)
    end
    return of.id
end
blocked.window_of = window_of

-- A blocked array, or a private one, that is evaluated before a step of all ranks.
function blocked.evaluated(a)
    return ready(blocked.is(a) and eval_part or eval, a)
end

-- ---------------------------------------------------------------- elements

local function check(a, indices)
    return windows.check_indices(state[a].spread.shape, indices, "the blocked array " .. kind_of(a))
end

local function reach(a, what, indices, x, op)
    local pe, inside = spread.home(state[a].spread, check(a, indices))
    return windows.access(pe, mype, what, window_of(a), inside, x, op)
end

local function index(a, indices, i)
    local further = table.move(indices, 1, #indices, 1, {})
    further[#further + 1] = i
    local shape = state[a].spread.shape
    local last = shape[#further]
    if i == last + 1 then
        return nil -- as of other arrays, for ipairs
    elseif #further == #shape then
        return reach(a, "get", further)
    end
    windows.check_indices({ last }, { i }, "the blocked array " .. kind_of(a))
    return blocked.row(a, further)
end
blocked.index = index

local function assign(a, indices, i, x)
    local further = table.move(indices, 1, #indices, 1, {})
    further[#further + 1] = i
    if #further < #state[a].spread.shape then
        error("rows of a blocked array are assigned element by element, in sharedon, or by set of the whole", 0)
    end
    check_missing(a, x)
    reach(a, "put", further, x)
end
blocked.assign = assign

type_of.__index = function(a, key)
    return blocked.method_of(a, key) or blocked.look(a, key)
end
blocked.look = public(function(a, key)
    if type(key) ~= "number" then
        local instead = "a:distribute(\"copy\", {over=\"ranks\"}) is a private array, which has all"
        error(("a blocked array has no '%s': %s"):format(tostring(key), instead), 0)
    end
    return index(a, {}, key)
end)
type_of.__newindex = public(function(a, i, x)
    if type(i) == "string" and private.struct_of(state[a].part) then
        a:field(i):set(x)
    else
        assign(a, {}, i, x)
    end
end)
function type_of.__len(a)
    return state[a].spread.shape[1]
end

-- ---------------------------------------------------------------- elementwise work

local parts_of = operands.parts_of

local function wrap(s, missing, ...)
    local results = table.pack(...)
    for k = 1, results.n do
        results[k] = blocked.make(s, results[k], missing)
    end
    return table.unpack(results, 1, results.n)
end

-- Elements of no result are missing, whatever was in the operands.
local THERE = {}
for name in ("eq ne lt le gt ge ismissing isna notna fillna contains startswith endswith isin"):gmatch "%a+" do
    THERE[name] = true
end

-- f(...), whose errors have a number for another one of an argument: change(number).
local function counted(change, f, ...)
    local results = table.pack(pcall(f, ...))
    if not results[1] then
        local e = results[2]
        error(type(e) == "string" and e:gsub("bad argument #?(%d*) ?to", change, 1) or e, 0)
    end
    return table.unpack(results, 2, results.n)
end

-- An argument as methods count it, without the array, and as functions do.
local function without_array(k)
    return k == "1" and "bad argument to" or k ~= "" and ("bad argument #%d to"):format(k - 1) or nil
end
local function with_array(k)
    return ("bad argument #%d to"):format(k == "" and 1 or k + 1)
end

-- A function as a method, and the other way round.
local function as_method(f)
    return function(...)
        return counted(without_array, f, ...)
    end
end
function blocked.as_function(method)
    return function(...)
        return counted(with_array, method, ...)
    end
end

-- f of the parts of the operands; its results are blocked.
local function elementwise(name, f)
    return public(function(...)
        local s, parts = parts_of(name, ...)
        return wrap(s, parts.missing and not THERE[name], blocked.named(name, f, table.unpack(parts, 1, parts.n)))
    end)
end

for name in pairs(core.op) do
    offers[name] = elementwise(name, core[name])
    methods[name] = as_method(offers[name])
end

-- Operators of two operands, by event.
blocked.binary = {
    __add = "add", __sub = "sub", __mul = "mul", __div = "div", __idiv = "idiv", __mod = "mod", __pow = "pow",
    __band = "band", __bor = "bor", __bxor = "bxor", __shl = "shl", __shr = "shr",
}
for event, name in pairs(blocked.binary) do
    type_of[event] = offers[name]
end
for event, name in pairs { __unm = "neg", __bnot = "bnot" } do
    type_of[event] = function(a) -- Lua gives a unary operator its operand twice
        return offers[name](a)
    end
end

offers.complex = elementwise("complex", core.complex)
methods.cast = elementwise("cast", function(a, dtype)
    return a:cast(dtype)
end)
methods.copy = elementwise("copy", function(a)
    return a:copy()
end)

-- ---------------------------------------------------------------- map, zip

-- Arguments behind the elements are whole arrays: a blocked one is given as a private copy.
local function whole(...)
    local given = table.pack(...)
    for k = 1, given.n do
        given[k] = blocked.of_row(given[k])
        if blocked.is(given[k]) then
            given[k] = blocked.private(given[k])
        end
    end
    return table.unpack(given, 1, given.n)
end
blocked.whole = whole

-- f(...). Lua has no name for a function that is found by a variable: its errors get it here.
function blocked.named(name, f, ...)
    local results = table.pack(pcall(f, ...))
    if not results[1] then
        error(type(results[2]) == "string" and results[2]:gsub("to '[^']*'", "to '" .. name .. "'", 1) or results[2], 0)
    end
    return table.unpack(results, 2, results.n)
end

-- x[name](x, ...), whose errors count arguments as those of methods: a function in C counts the array where it is
-- called by no method's name.
function blocked.method_named(name, x, ...)
    local f = x[name]
    if debug.getinfo(f, "S").what == "C" then
        return counted(without_array, blocked.named, name, f, x, ...)
    end
    return blocked.named(name, f, x, ...)
end

-- The method of private copies of what is blocked.
function blocked.by_copy(a, name, ...)
    return blocked.method_named(name, whole(a), whole(...))
end

methods.map = public(function(a, f, ...)
    if not state[a] then -- another argument is blocked
        return blocked.by_copy(a, "map", f, ...)
    end
    return wrap(state[a].spread, may_miss(a), state[a].part:map(f, whole(...)))
end)
methods.zip = public(function(a, b, f, ...)
    if not operands.common_spread { n = 2, a, b } then
        return blocked.by_copy(a, "zip", b, f, ...)
    end
    local s, parts = parts_of("zip", a, b)
    return wrap(s, parts.missing, parts[1]:zip(parts[2], f, whole(...)))
end)
offers.map, offers.zip = methods.map, methods.zip

-- s(a, ...) of a skeleton.
offers.call = public(function(skeleton, ...)
    local name, leaves = core.internal.skeleton(skeleton)
    if not name and type(skeleton) ~= "function" then
        return blocked.named("call", core.call, whole(skeleton, ...))
    elseif name ~= "map" and name ~= "zip" then
        return skeleton(whole(...))
    end
    local given = table.pack(...)
    if not operands.common_spread({ n = leaves, table.unpack(given, 1, leaves) }) then
        return skeleton(whole(...))
    end
    local s, parts = parts_of(name, table.unpack(given, 1, leaves))
    table.move({ whole(table.unpack(given, leaves + 1, given.n)) }, 1, given.n - leaves, leaves + 1, parts)
    return wrap(s, parts.missing, skeleton(table.unpack(parts, 1, given.n)))
end)

-- ---------------------------------------------------------------- writing

methods.set = public(function(a, e)
    local s, parts = parts_of("set", a, e)
    if s.key ~= state[a].spread.key then
        error(("bad argument #1 to 'set' (%s does not fit into %s)"):format(kind_of(e), kind_of(a)), 0)
    end
    state[a].part:set(parts[2])
    if parts.missing then
        misses(a)
    end
    return a
end)
-- The elements of this rank are gone: any use of them is an error.
methods.free = public(function(a)
    local of = state[a]
    of.part:free()
    if of.id then
        windows.drop(of.id)
        of.id = nil
    end
end)
type_of.__close = methods.free
methods.fill = public(function(a, x)
    state[a].part:fill(x)
    if rawequal(x, core.na) or pack.is_array(x) and may_miss(x) then
        misses(a)
    end
    return a
end)
-- All ranks evaluate it: from then on each of them can read and assign elements alone.
methods.eval = public(function(a)
    window_of(a)
    return eval_part(a)
end)
offers.eval = public(function(...)
    local results = table.pack(...)
    for k = 1, results.n do
        local x = results[k]
        if state[x] then
            x:eval()
        elseif type(x) == "table" and not getmetatable(x) then
            error(("bad argument #%d to 'eval' (no option out with blocked arrays: b:set(a) writes them)"):format(k), 0)
        else
            local ok, value = pcall(core.eval, x)
            if not ok then
                error(tostring(value):gsub("argument #1", "argument #" .. k), 0)
            end
            results[k] = value
        end
    end
    return table.unpack(results, 1, results.n)
end)

-- ---------------------------------------------------------------- describing

function methods.shape(a)
    return table.unpack(state[a].spread.shape)
end
function methods.dtype(a)
    return state[a].part:dtype()
end
function methods.size(a)
    return spread.size(state[a].spread.shape)
end
function methods.kind()
    return "Blocked"
end
function methods.backend()
    return ("over %d rank%s"):format(npes, npes == 1 and "" or "s")
end
function methods.pending(a)
    return state[a].part:pending()
end
function methods.layout()
    return "right"
end

-- Elements by their place in row-major order, for printing.
methods.read = public(function(a, first, count)
    local shape, list = state[a].spread.shape, {}
    for k = 1, count do
        local rest, indices = first + k - 2, {}
        for d = #shape, 1, -1 do
            indices[d], rest = rest % shape[d] + 1, rest // shape[d]
        end
        list[k] = reach(a, may_miss(a) and "read" or "get", indices)
    end
    return list
end)

type_of.__tostring = public(function(a)
    window_of(a)
    return require("lunarray.show.show").text(a)
end)

-- a has ended.
function blocked.forget(a)
    local of = state[a]
    if of and of.id then
        windows.drop(of.id)
    end
    state[a] = nil
end

function type_of.__gc(a)
    blocked.forget(a)
    release(a)
end

-- ---------------------------------------------------------------- for other files

blocked.methods, blocked.type, blocked.parts_of, blocked.wrap, blocked.elementwise = methods, type_of, parts_of, wrap,
    elementwise

function offers.refusal()
    return "a blocked array: a:distribute(\"copy\", {over=\"ranks\"}) is a private one"
end

return blocked
