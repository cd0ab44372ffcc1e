-- Methods of blocked arrays beyond elementwise ones and whole reductions: those that go along axes, scans, order and
-- products on the ranks' parts; all others, and forms that have no parts, by a private copy. Knows no transport.

local axes = require "lunarray.blockaxes"
local blocked = require "lunarray.blocked"
local core = require "lunarray.core"
local order = require "lunarray.blockorder"
local product = require "lunarray.blockproduct"
local public = require "lunarray.public"
local scan = require "lunarray.blockscan"

local _, mype = core.internal.spmd.start()
local methods = blocked.methods

-- A method: f of a blocked array, without f that of a private copy, which another argument alone may be.
local function offer(name, f)
    methods[name] = public(function(a, ...)
        if f and blocked.is(a) then
            return f(a, ...)
        end
        return blocked.by_copy(a, name, ...)
    end)
    blocked.offers[name] = methods[name]
end

-- numbers: whether a number alone names an axis.
local function offer_along(name, numbers)
    offer(name, function(a, ...)
        return axes.along(a, name, nil, numbers, ...) or blocked.by_copy(a, name, ...)
    end)
end

for _, name in ipairs { "var", "std", "reduce", "median" } do
    offer_along(name, false)
end
for _, name in ipairs { "norm", "argmin", "argmax" } do
    offer_along(name, true)
end

for _, name in ipairs {
    "dot", "quantile", "topk", "unique", "histogram", "transpose", "totable", "tobytes", "sub", "take", "compress",
    "reshape",
} do
    if core.internal.methods[name] then
        offer(name)
    end
end

-- The method's results of a private copy, each rank's part of them.
local function by_copy_in_parts(a, name, ...)
    local s, results = blocked.spread_of(a), table.pack(blocked.by_copy(a, name, ...))
    for k = 1, results.n do
        results[k] = blocked.box_of(results[k], s, mype):copy()
    end
    return blocked.wrap(s, table.unpack(results, 1, results.n))
end

offer("scan", function(a, ...)
    local result = axes.along(a, "scan", nil, false, ...) or scan(a, ...)
    if result then
        return result
    end
    return by_copy_in_parts(a, "scan", ...)
end)

for _, name in ipairs { "sort", "argsort" } do
    offer(name, function(a, ...)
        local last = #blocked.spread_of(a).shape
        return last > 1 and axes.along(a, name, last, false, ...) or order(a, name, ...)
            or by_copy_in_parts(a, name, ...)
    end)
end

methods.matmul = public(function(a, b)
    return product(a, b) or blocked.by_copy(a, "matmul", b)
end)
blocked.offers.matmul = methods.matmul
