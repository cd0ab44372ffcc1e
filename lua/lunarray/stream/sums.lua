-- Reductions of columns of opened tables, part by part, with the bits of the same reduction in memory: parts are
-- combined as the engine combines chunks, pairwise in order (ir/combine_order.h).

local core = require "lunarray.core"
local chain = require "lunarray.stream.chain"
local column = require "lunarray.table.column"
local dtypes = require "lunarray.base.dtypes"
local frame = require "lunarray.show.frame"

local internal = core.internal

local M = {}

local PART <const> = internal.order.part

-- Values of parts, one after the other, combined pairwise: those of as many rows as soon as there are two.
local function pairwise(combine)
    local values, sizes = {}, {}
    local self = {}

    function self.add(x, rows)
        local n = #values + 1
        values[n], sizes[n] = x, rows
        while n > 1 and sizes[n - 1] == sizes[n] and rows % PART == 0 do
            values[n - 1] = combine(values[n - 1], values[n])
            sizes[n - 1] = 2 * sizes[n - 1]
            values[n], sizes[n] = nil, nil
            n = n - 1
        end
    end

    function self.result()
        local x = values[#values]
        for k = #values - 1, 1, -1 do
            x = combine(values[k], x)
        end
        return x
    end
    return self
end

-- Of results of parts of which some may have none.
local function of_some(combine)
    return function(a, b)
        if a == nil or b == nil then
            return a == nil and b or a
        end
        return combine(a, b)
    end
end

local NONE <const> = {} -- a part without a result

local COMBINED <const> = {
    sum = function(a, b) return a + b end,
    prod = function(a, b) return a * b end,
    count = function(a, b) return a + b end,
    any = function(a, b) return a or b end,
    all = function(a, b) return a and b end,
    min = of_some(function(a, b) return core.min(a, b) end),
    max = of_some(function(a, b) return core.max(a, b) end),
}

-- A sink that reduces the column `name` by x:call(...), parts combined by `combine`.
local function reducing(name, combine, call)
    local function given(x)
        if x ~= NONE then
            return x
        end
    end
    local parts = pairwise(function(a, b)
        local x = combine(given(a), given(b))
        return x == nil and NONE or x
    end)
    local sink = { passing = true }

    function sink.take(_, part)
        local x = call(frame.column(part, name), part)
        parts.add(x == nil and NONE or x, #part)
    end

    function sink.result()
        return given(parts.result())
    end
    return sink
end

M.reducing = reducing

-- Of each list that call gives the sums by place.
local function sums(name, call)
    return reducing(name, function(a, b)
        local out = {}
        for k = 1, #a do
            out[k] = a[k] + b[k]
        end
        return out
    end, call)
end

local function one(node, make)
    return chain.run(node, function() return { make() } end)[1].result()
end

-- The sum of a column as f64, of elements that are there and no NaN; their number; how many are NaN; and all.
local function moments_of_gaps(x)
    local wide = internal.slots(x:cast "f64")
    local there = ~x:ismissing()
    local number = there & ~wide:isnan()
    return { core.where(number, wide, 0.0):sum(), number:count(), (there & wide:isnan()):count(), there:count() }
end

-- The mean; whole(): the array, where parts do not do.
local function mean(node, name, whole)
    local found = one(node, function()
        return sums(name, function(x)
            if internal.has_missing(x) then
                return moments_of_gaps(x)
            end
            local n = #x
            return { n > 0 and x:cast("f64"):sum() or 0.0, n, 0, n }
        end)
    end)
    if found[4] == 0 then
        return whole():mean()
    elseif found[3] > 0 then
        return 0 / 0
    end
    local result = found[1] / found[2]
    if result - result ~= 0 then -- infinite elements, or their sum overflows
        return whole():mean()
    end
    return result
end

-- The sum of squared deviations by differences from a shift, and the mean, as the engine finds them (fold/total.c).
local function by_shift(node, name, shift)
    local found = one(node, function()
        return sums(name, function(x)
            if internal.has_missing(x) then
                return { 0, 0, 0, 0, 1 }
            end
            local wide = x:cast "f64"
            local d = shift ~= 0 and wide - shift or wide
            local a, b, c = core.eval(wide:lazy "sum", d:lazy "sum", (d * d):lazy "sum")
            return { a, b, c, #x, 0 }
        end)
    end)
    local n = found[4]
    if found[5] > 0 then
        return nil
    end
    return found[1] / n, math.max(found[3] - found[2] * (found[2] / n), 0), n
end

-- The first element of the column, nil: there is none.
local function first_of(node, name)
    local x = frame.column(node.sample, name)
    if #x == 0 then
        x = nil
        chain.run(node, function()
            return { { take = function(_, part)
                x = #part > 0 and frame.column(part, name) or nil
                return x ~= nil
            end } }
        end)
    end
    return x and x[1]
end

-- The variance, or nil where parts do not do: elements are missing, or none is there, or some are not finite.
local function variance(node, name, ddof)
    local first = first_of(node, name)
    if not (math.type(first) and first - first == 0) then
        return nil
    end
    local shift = first + 0.0
    local middle, squares, n = by_shift(node, name, shift)
    if not middle or middle - middle ~= 0 then
        return nil
    end
    local off = middle - shift
    if off ~= 0 and (squares - squares ~= 0 or off * off * n > 1e4 * squares) then
        squares = select(2, by_shift(node, name, middle))
    end
    return n - ddof > 0 and squares / (n - ddof) or 0 / 0
end

-- The reduction `call` of the column `name` of a node, with these arguments; whole(): the array of all its elements.
function M.reduce(node, name, call, whole, ...)
    local opts = ...
    local x = frame.column(node.sample, name)
    local dtype = column.dtype(x)
    local kind = dtypes.by_name[dtype].kind
    local numbers = kind == "signed" or kind == "float" or kind == "bool" or dtype == "u8" or dtype == "u16"
        or dtype == "u32"
    if call == "dtype" then
        one(node, function()
            return reducing(name, function(a) return a end, function(part)
                dtype = column.dtype(part)
                return true
            end)
        end)
        return dtype
    elseif not numbers then
        return whole()[call](whole(), ...)
    elseif call == "mean" and opts == nil and kind ~= "bool" then
        return mean(node, name, whole)
    elseif (call == "var" or call == "std") and kind ~= "bool"
        and (opts == nil or type(opts) == "table" and math.type(opts.ddof) and next(opts, "ddof") == nil) then
        local found = variance(node, name, opts and opts.ddof or 0)
        if found then
            return call == "std" and math.sqrt(found) or found
        end
    elseif COMBINED[call] then
        local given = table.pack(...)
        return one(node, function()
            return reducing(name, COMBINED[call], function(part)
                return part[call](part, table.unpack(given, 1, given.n))
            end)
        end)
    end
    return whole()[call](whole(), ...)
end

return M
