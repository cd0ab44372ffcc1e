-- Values combined in order by the tree of adjacent pairs: neighbours first, then the results of neighbours; an odd one
-- at the end is passed up unchanged. Operations by their names.

local core = require "lunarray.core"

local fold = {}

local NAMES = { ["+"] = "add", ["*"] = "mul", ["&"] = "band", ["|"] = "bor", ["~"] = "bxor" }
local ASSOCIATIVE = {
    add = "+", mul = "*", band = "&", bor = "|", bxor = "~", min = "min", max = "max", fmin = "fmin", fmax = "fmax",
    land = "land", lor = "lor",
}

-- The function of an operation, which is a name or operator as a text, or a function of two values, and its name; nil
-- and what is wrong with it.
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

local operations = {} -- their names, by names and operators of scripts
for name, f in pairs(core.op) do
    operations[f] = name
end

-- The name of the operation f, also of core.op; nil for other functions.
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

-- count: how many values there are, which may be nil; all of the list without it.
function fold.tree(f, list, count)
    count = count or #list
    while count > 1 do
        local level = {}
        for k = 1, count, 2 do
            if k == count then
                level[(k + 1) // 2] = list[k]
            else
                level[(k + 1) // 2] = f(list[k], list[k + 1])
            end
        end
        list, count = level, (count + 1) // 2
    end
    return list[1]
end

local HAS_NONE = { fmin = true, fmax = true, ["a function"] = true }
local DTYPES = { integer = "i64", float = "f64" }

-- The identity of an operation for a value such as x, as in the engine's scans. Raises an error if there is none.
function fold.identity(name, x)
    if HAS_NONE[name] then
        error(("PE 0 has nothing before it: an identity of %s is wanted as the third argument"):format(name), 0)
    end
    local is_array = type(x) == "userdata"
    local dtype = is_array and x:dtype() or DTYPES[math.type(x)] or "bool"
    local id = core.zeros(1, dtype):scan(name):cast(dtype)[1]
    if not is_array then
        return id
    end
    local all = core.zeros({ x:shape() }, dtype)
    if dtype == "u64" and id < 0 then
        return all:bnot():eval()
    end
    all:fill(id)
    return all
end

return fold
