-- Functions of several elements given to reduce and scan, tested for associativity and for their identity: lun.check's
-- part for these.

local core = require "lunarray.core"

local tools -- of check.lua

local ROWS = 12 -- of the data, of which all triples are tried

-- The elements of each array at these positions, for the operand of each triple that `turn` returns.
local function operand(arrays, at, dtypes, turn)
    local columns = {}
    for k, a in ipairs(arrays) do
        local flat, column, n = a:reshape(a:size()), {}, #at
        for i = 0, n ^ 3 - 1 do
            column[i + 1] = flat[at[i // n ^ turn % n + 1]]
        end
        columns[k] = core.vector(column, dtypes[k])
    end
    return columns
end

local function row(columns, i)
    local texts = {}
    for k, column in ipairs(columns) do
        texts[k] = tools.show(column[i])
    end
    return table.concat(texts, ", ")
end

-- The results of f for operands and the extra arguments, element by element, as these dtypes.
local function merger(f, dtypes, extras)
    local map = tools.map(f, { elements = 2 * #dtypes })
    return function(x, y)
        local given = table.move(y, 1, #y, #x + 1, table.move(x, 1, #x, 1, {}))
        table.move(extras, 1, extras.n, #given + 1, given)
        local z = { map(table.unpack(given, 1, 2 * #dtypes + extras.n)) }
        for k, dtype in ipairs(dtypes) do
            z[k] = z[k]:cast(dtype)
        end
        return { core.eval(table.unpack(z)) }
    end
end

-- The first element of a result that differs from that of the other; magnitudes: what it was made of.
local function first_difference(left, right, magnitudes)
    for i = 1, #left[1] do
        local scale = 1
        for _, columns in ipairs(magnitudes) do
            for _, column in ipairs(columns) do
                scale = type(column[i]) == "number" and tools.largest(scale, column[i]) or scale
            end
        end
        for k, column in ipairs(left) do
            if tools.differ(column[i], right[k][i], scale, tools.tolerance[column:dtype()]) then
                return i
            end
        end
    end
end

local function several_counterexample(f, arrays, dtypes, extras)
    local at, combine = tools.positions(arrays[1]:size(), ROWS), merger(f, dtypes, extras)
    local x, y, z = operand(arrays, at, dtypes, 2), operand(arrays, at, dtypes, 1), operand(arrays, at, dtypes, 0)
    local xy, yz = combine(x, y), combine(y, z)
    local left, right = combine(xy, z), combine(x, yz)
    local i = first_difference(left, right, { x, y, z, xy, yz, left, right })
    if i then
        local format = "it is not associative: of the elements (%s), (%s), (%s) in this order it gives (%s) "
            .. "if the first two are combined first, (%s) if the last two are"
        return format:format(row(x, i), row(y, i), row(z, i), row(left, i), row(right, i))
    end
end

local function no_identities(f, ids, arrays, dtypes, extras)
    local first, x = {}, operand(arrays, tools.positions(arrays[1]:size(), ROWS), dtypes, 0)
    for k, id in ipairs(ids) do
        first[k] = core.full(#x[k], id):cast(dtypes[k])
    end
    local given = merger(f, dtypes, extras)(first, x)
    local i = first_difference(given, x, { first, x, given })
    if i then
        local format = "{%s} is not its identity: with it and the elements (%s) it gives (%s)"
        return format:format(row(first, i), row(x, i), row(given, i))
    end
end

-- A counterexample for a fold by f of several arrays, as text, found among triples of their own elements: other values
-- say little about functions that are defined for some tuples only. t: the tools of check.lua.
return function(t, f, ids, arrays, extras)
    tools = t
    local dtypes = {}
    for k, a in ipairs(arrays) do
        if not core.isarray(a) or a:size() == 0 or a:size() ~= arrays[1]:size() or core.isarray(ids[k]) then
            return
        end
        dtypes[k] = a:dtype()
    end
    local ok, fault = pcall(function()
        local map = tools.map(f, { elements = 2 * #arrays })
        local one = operand(arrays, { 1 }, dtypes, 0)
        local both = table.move(one, 1, #one, #one + 1, table.move(one, 1, #one, 1, {}))
        table.move(extras, 1, extras.n, #both + 1, both)
        for k, z in ipairs { map(table.unpack(both, 1, 2 * #arrays + extras.n)) } do
            dtypes[k] = tools.tolerance[z:dtype()] and not tools.tolerance[dtypes[k]] and z:dtype() or dtypes[k]
        end
        return several_counterexample(f, arrays, dtypes, extras)
            or no_identities(f, ids, arrays, dtypes, extras)
    end)
    return ok and fault or nil -- else the call itself raises the error
end
