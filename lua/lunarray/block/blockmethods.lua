-- Methods of blocked arrays beyond elementwise ones and whole reductions: those that go along axes, scans, order and
-- products on the ranks' parts; all others, and forms that have no parts, by a private copy. Knows no transport.

local axes = require "lunarray.block.blockaxes"
local blocked = require "lunarray.block.blocked"
local choose = require "lunarray.block.blockchoose"
local core = require "lunarray.core"
local halo = require "lunarray.block.blockhalo"
local over = require "lunarray.block.blockover"
local private = require "lunarray.block.blockprivate"
local product = require "lunarray.block.blockproduct"
local public = require "lunarray.base.public"
local spread = require "lunarray.block.spread"

local npes, mype = core.internal.spmd.start()
local methods = blocked.methods

-- A method: f of a blocked array, without f that of a private copy, which another argument alone may be. Operators
-- keep their names: a - b is `sub`, too.
local function offer(name, f)
    methods[name] = public(function(a, ...)
        if f and blocked.is(a) then
            return f(a, ...)
        end
        return blocked.by_copy(a, name, ...)
    end)
    if not core.op[name] then
        blocked.offers[name] = blocked.as_function(methods[name])
    end
end

offer("norm", function(a, ...)
    return axes.along(a, "norm", nil, true, ...) or blocked.by_copy(a, "norm", ...)
end)

for _, name in ipairs { "argmin", "argmax" } do
    offer(name, function(a, ...)
        return select("#", ...) == 0 and choose.position(a, name) or axes.along(a, name, nil, true, ...)
            or blocked.by_copy(a, name, ...)
    end)
end

-- Methods whose results are the same private arrays on all ranks: of what each rank's part gives, where f finds a way.
local function offer_chosen(name, f)
    offer(name, function(a, ...)
        local results = table.pack(f(a, ...))
        if results[1] == nil then
            return blocked.by_copy(a, name, ...)
        end
        return table.unpack(results, 1, results.n)
    end)
end

for name, f in pairs {
    topk = choose.topk, unique = choose.unique, histogram = choose.histogram, compress = choose.compress,
    filter = choose.filter, dropnan = choose.dropnan, indices = choose.indices, quantile = choose.quantile,
} do
    offer_chosen(name, f)
end
offer("median", function(a, ...)
    local options = ...
    return choose.quantile(a, 0.5, options) or axes.along(a, "median", nil, false, ...)
        or blocked.by_copy(a, "median", ...)
end)

for _, name in ipairs {
    "transpose", "totable", "tobytes", "take", "reshape", "broadcast", "flatten", "pad", "reduceat", "reduceby",
    "scanby", "spread", "windows",
    "row", "col", "diagonal", "select", "view", "iter", "allpairs", "searchsorted",
} do
    if core.internal.methods[name] then
        offer(name)
    end
end

-- Of all elements; of several arrays by a private copy.
offer("scan", function(a, f, id, ...)
    local result = axes.along(a, "scan", nil, false, f, id, ...)
    if result then
        return result
    end
    core.zeros({ a:shape() }, a:dtype()):scan(f, id, blocked.whole(...)) -- raises what is wrong with the arguments
    return over.method(a, "scan", "scans", "a scan", f, id, ...)
end)

for name, f in pairs(halo) do
    offer(name, f)
end

for _, name in ipairs { "sort", "argsort" } do
    offer(name, function(a, ...)
        local last = #blocked.spread_of(a).shape
        return last > 1 and axes.along(a, name, last, false, ...) or over.method(a, name, "sorts", "an order", ...)
    end)
end

methods.matmul = public(function(a, b)
    b = blocked.of_row(b)
    local numbers = not blocked.has_logical(a) and not blocked.has_logical(b)
    local both = numbers and (blocked.is(b) or private.is(b))
    return both and product(a, b) or blocked.by_copy(a, "matmul", b)
end)
blocked.offers.matmul = blocked.as_function(methods.matmul)

-- ---------------------------------------------------------------- functions of several arrays

blocked.type.__concat = public(function(a, b)
    a, b = blocked.whole(a, b)
    return a .. b
end)

-- Of a list with blocked arrays among its elements.
for _, name in ipairs { "concat", "stack" } do
    blocked.offers[name] = public(function(list, ...)
        local whole = blocked.whole
        local is_list = type(list) == "table" and not blocked.is(list)
        return blocked.named(name, core[name], is_list and { whole(table.unpack(list)) } or whole(list), whole(...))
    end)
end

-- s:run { a, ..., out = b }
blocked.offers.run = public(function(skeleton, given)
    local result = blocked.offers.call(skeleton, table.unpack(given))
    return given.out and given.out:set(result) or result
end)

function blocked.offers.isarray()
    return true
end

-- ---------------------------------------------------------------- writing

-- Indices and values are the same on all ranks: each writes a copy of the whole and keeps its part.
methods.put = public(function(a, ...)
    local s = blocked.spread_of(a)
    blocked.part_of(a):set(blocked.box_of(blocked.by_copy(a, "put", ...), s, mype))
    return a
end)

methods.copyto = public(function(a, b)
    if not blocked.is(b) then
        return blocked.by_copy(a, "copyto", b)
    end
    return b:set(a)
end)
blocked.offers.copyto = blocked.as_function(methods.copyto)

-- ---------------------------------------------------------------- describing

-- As of an array on several places: ranks are the devices, by the names that they have in a set of ranks.
methods.distribution = public(function(a)
    local s = blocked.spread_of(a)
    local axis = #s.blocked == 1 and s.blocked[1] or table.move(s.blocked, 1, #s.blocked, 1, {})
    local said = {
        over = "ranks", rule = s.rule, axis = axis,
        counts = {}, starts = {}, devices = {}, diverged = false,
    }
    for pe = 0, npes - 1 do
        local first, count = spread.box(s, pe)
        local alone = #s.blocked == 1 and s.blocked[1]
        said.devices[pe + 1] = "mpi:" .. pe + 1
        said.starts[pe + 1], said.counts[pe + 1] = alone and first[alone] or first, alone and count[alone] or count
    end
    return "block", said
end)
