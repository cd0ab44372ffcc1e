-- a .. 3, 3 .. a and a .. {4, 5}: numbers behind, or before, the elements of a Vector. A number takes the dtype that it
-- takes in an operation with the Vector; a list is a Vector, or rows.

local call = require "lunarray.names.call"
local core = require "lunarray.core"

local bad = call.bad

-- x, an operand that is no array, as a Vector that goes with v.
local function as_vector(x, v, argument)
    if type(x) == "table" and not getmetatable(x) then
        local ok, list = pcall(core.vector, x)
        return ok and list or bad(argument, "array, list of numbers or number expected, got another table")
    elseif not math.type(x) then
        bad(argument, "array, list or number expected, got %s", core.internal.kind_of(x))
    elseif call.rank(v) ~= 1 then
        bad(argument, "a number behind %s: parts of its first axis are joined, as in M .. lun.full({1, n}, %s)",
            call.described(v), tostring(x))
    end
    return core.where(core.zeros(1, "bool"), core.zeros(1, v:dtype()), x)
end

return call.called("..", 0, 2, function(a, b)
    if core.isarray(a) then
        return core.concat { a, as_vector(b, a, 2) }
    end
    return core.concat { as_vector(a, b, 1), b }
end)
