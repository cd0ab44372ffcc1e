-- Values combined in their order by the pair tree: neighbours first, then the results of neighbours; the one that is
-- left over at the end goes up as it is. Operations by their names. Knows no ranks.

local core = require "lunarray.core"

local fold = {}

local NAMES = { ["+"] = "add", ["*"] = "mul", ["&"] = "band", ["|"] = "bor", ["~"] = "bxor" }
local ASSOCIATIVE = {
    add = "+", mul = "*", band = "&", bor = "|", bxor = "~", min = "min", max = "max", fmin = "fmin", fmax = "fmax",
    land = "land", lor = "lor",
}

-- The function that an operation is, a name or operator in a text or a function of two values, and its name; nil and
-- what is wrong with it.
function fold.operation(op)
    if type(op) == "string" then
        local name = NAMES[op] or op
        if not ASSOCIATIVE[name] then
            local wanted = "+ * & | ~ min max fmin fmax land lor, or a function"
            return nil, ("'%s' is no associative operation: %s"):format(op, wanted)
        end
        return core[name], ASSOCIATIVE[name]
    elseif type(op) == "function" or type(op) == "userdata" then
        return op, "a function"
    end
    return nil, ("an operation such as \"+\" or a function expected, got %s"):format(op == nil and "no value"
        or type(op))
end

local operations = {} -- their names, by what scripts say
for name, f in pairs(core.op) do
    operations[f] = name
end

-- The name of the operation that f is, also of core.op; nil for other functions.
function fold.name_of(f)
    if operations[f] then
        return operations[f]
    end
    local g = type(f) == "string" and fold.operation(f)
    for name in pairs(core.op) do
        if g == core[name] then
            return name
        end
    end
end

-- The dtype in which an operation combines elements for a result of some dtype.
function fold.accumulator(name, result)
    if not result:find "f" then
        return result
    elseif name == "add" or name == "mul" then
        return "f64"
    end
    return result == "f64" and "f64" or "f32"
end

function fold.tree(f, list)
    while #list > 1 do
        local level = {}
        for k = 1, #list, 2 do
            if list[k + 1] == nil then
                level[#level + 1] = list[k]
            else
                level[#level + 1] = f(list[k], list[k + 1])
            end
        end
        list = level
    end
    return list[1]
end

local IDENTITIES = { ["+"] = 0, ["|"] = 0, ["~"] = 0, ["*"] = 1, ["&"] = -1 }

-- What changes nothing: for a value such as x.
function fold.identity(name, x)
    local id = IDENTITIES[name]
    if id == nil then
        error(("PE 0 has nothing before it: an identity of %s is wanted as the third argument"):format(name), 0)
    elseif type(x) == "userdata" then
        return core.full({ x:shape() }, id, x:dtype())
    end
    return math.type(x) == "float" and id + 0.0 or id
end

return fold
