-- A function of the elements of each line of a Vector, one after the other: reduced, and running. Knows nothing of what
-- lines are of.

local core = require "lunarray.core"
local misuse = require "lunarray.base.misuse"

local internal = core.internal

local M = {}

local NAMES <const> = { ["+"] = "add", ["*"] = "mul", ["&"] = "band", ["|"] = "bor", ["~"] = "bxor" }
local KNOWN <const> = { add = true, mul = true, min = true, max = true, band = true, bor = true, bxor = true }

-- The function of two values that an operation is, by its name or symbol; nil: it is none of those that combine.
function M.operation(f)
    local name = NAMES[f] or f
    local op = KNOWN[name] and core.op[name]
    return op and function(a, b)
        return op(a, b)
    end or nil
end

-- f and its identity, as they were given after `first` other arguments.
function M.combiner(f, id, first, call)
    f = M.operation(f) or f
    if type(f) ~= "function" then
        misuse(first, call, 'function or one of "+" "*" "min" "max" "&" "|" "~" expected, got %s', internal.kind_of(f))
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
-- starts[k] .. of x, or those whose numbers stand there in `rows`.
function M.scan(x, starts, counts, f, id, exclusive, call, rows)
    if #x == 0 then
        return core.zeros(0, x:dtype())
    end
    local along, give = rows and x:take(rows) or x, exclusive and "before" or "behind"
    local out, failure = internal.run_lines(f, id, along, starts - 1, counts, give)
    if not out then
        misuse(2, call, "%s", failure)
    end
    out:eval()
    return rows and core.zeros(#x, out:dtype()):put(rows, out) or out
end

return M
