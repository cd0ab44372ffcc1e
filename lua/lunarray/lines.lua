-- A function of the elements of each line of a Vector, one after the other: reduced, and running. Knows nothing of what
-- lines are of.

local core = require "lunarray.core"
local misuse = require "lunarray.misuse"

local internal = core.internal

local M = {}

local FUNCTIONS <const> = {
    ["+"] = function(a, b)
        return a + b
    end,
    ["*"] = function(a, b)
        return a * b
    end,
    min = function(a, b)
        return math.min(a, b)
    end,
    max = function(a, b)
        return math.max(a, b)
    end,
}

-- f and its identity, as they were given after `first` other arguments.
function M.combiner(f, id, first, call)
    f = FUNCTIONS[f] or f
    if type(f) ~= "function" then
        misuse(first, call, 'function, "+", "*", "min" or "max" expected, got %s', internal.kind_of(f))
    end
    if type(id) ~= "number" and type(id) ~= "boolean" then
        misuse(first + 1, call, "identity expected, a number or a boolean, got %s", internal.kind_of(id))
    end
    return f, id
end

-- id combined with the elements of each line from starts[k] on, one after the other.
function M.reduce(x, starts, counts, f, id)
    if #starts == 0 then
        return core.zeros(0, x:dtype())
    end
    if #x == 0 then
        return core.full(#starts, id)
    end
    return core.generate(#starts, function(k)
        local sum = id
        for i = starts[k], starts[k] + counts[k] - 1 do
            sum = f(sum, x[i])
        end
        return sum
    end):eval()
end

-- The same of what stands before each element in its line, and of itself unless exclusive. Line k holds elements
-- starts[k] .. of x, or those whose numbers stand there in `rows`. Lua calls f.
function M.scan(x, starts, counts, f, id, exclusive, rows)
    local from, out = x:totable(), {}
    local first, many = starts:totable(), counts:totable()
    for k = 1, #first do
        local sum = id
        for i = first[k], first[k] + many[k] - 1 do
            local at, before = rows and rows[i] or i, sum
            sum = f(sum, from[at])
            out[at] = exclusive and before or sum
        end
    end
    return #out == 0 and core.zeros(0, x:dtype()) or core.vector(out)
end

return M
