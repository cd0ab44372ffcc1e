-- Random expression graphs for the difference tests. A graph is Lua code that builds arrays, and the list
-- of elements that each step must give, computed step by step with the oracle. Only what is exact is
-- used; a zero whose sign is left open loses it at once (x + 0.0).

local dtypes = require "diff.dtypes"
local operands = require "diff.operands"
local oracle = require "diff.oracle"

local graphs = {}

-- Names of operations by the number of operands.
local function names_of(arity_of)
    local names = { {}, {}, {} }
    for name, row in pairs(oracle.ops) do
        if not row.accuracy and not row.ordered then
            table.insert(names[arity_of(name)], name)
        end
    end
    for _, list in ipairs(names) do
        table.sort(list)
    end
    return names
end

-- ---------------------------------------------------------------- values

-- A value of a graph: variable name, dtype, elements.
local function value(graph, t, list, code)
    local v = { name = "v" .. #graph.values + 1, t = t, list = list }
    graph.values[#graph.values + 1] = v
    graph.code[#graph.code + 1] = ("local %s = %s"):format(v.name, code)
    return v
end

local function leaf(graph, t, n)
    local list, special = {}, operands.special(t)
    for i = 1, n do
        list[i] = graph.g.pick(4) == 1 and graph.g.one_of(special) or operands.random(t, graph.g)
    end
    graph.leaves[#graph.leaves + 1] = { t = t, list = list }
    return value(graph, t, list, ("leaf(%d)"):format(#graph.leaves))
end

-- Element i of a value, which may have just one.
local function at(v, i)
    if #v.list == 1 then
        return v.list[1]
    end
    return v.list[i]
end

-- ---------------------------------------------------------------- steps

local literals = { 0, 1, 2, 3, 0.5, -0.0, 2.5, 1e10, 1 / 3 }

-- A number of a script that fits dtype t, and its text.
local function literal(graph, t)
    local x = graph.g.one_of(literals)
    return x, math.type(x) == "integer" and tostring(x) or (("%a"):format(x):gsub(",", ".")), dtypes.with_number(t, x)
end

-- An operand that is safe to divide by: an odd number.
local function without_zero(graph, v)
    if v.t.kind == "bool" then
        return nil
    elseif v.t.is_float then
        return v
    end
    local list = {}
    for i, x in ipairs(v.list) do
        list[i] = x | 1
    end
    return value(graph, v.t, list, v.name .. " | 1")
end

-- A zero's sign that the oracle leaves open is removed.
local function settle(graph, row, t, list, code)
    if row.any_zero and t.is_float then
        for i, x in ipairs(list) do
            list[i] = x + 0.0
        end
        code = "(" .. code .. ") + 0.0"
    end
    return value(graph, t, list, code)
end

local function compute(row, computed, args, n)
    local f, list = oracle.element(row, computed), {}
    for i = 1, n do
        local x = {}
        for k, v in ipairs(args) do
            local to = row.rule == "selection" and k == 1 and dtypes.bool or computed
            x[k] = v.number and dtypes.number(v.number, to) or dtypes.convert(at(v, i), v.t, to)
        end
        list[i] = f(computed, x[1], x[2], x[3])
    end
    return list
end

-- A step by an operation of the table; nil if the operands do not suit it.
local function operation(graph, name, count)
    local row, args, texts, n = oracle.ops[name], {}, {}, 1
    for k = 1, count do
        args[k] = graph.g.one_of(graph.values)
    end
    if row.trap then
        args[2] = without_zero(graph, args[2])
        if not args[2] then
            return nil
        end
    end
    local meeting
    for k = row.rule == "selection" and 2 or 1, count do
        meeting = meeting and dtypes.common(meeting, args[k].t) or args[k].t
    end
    if meeting == dtypes.none then
        return nil
    end
    -- a number is no truth value
    if count == 2 and not row.trap and row.rule ~= "logic" and graph.g.pick(4) == 1 then
        local x, text, t = literal(graph, args[1].t)
        args[2], meeting = { number = x, name = text }, t
    end
    for k = 1, count do
        texts[k] = args[k].name
        n = args[k].list and #args[k].list > n and #args[k].list or n
    end
    local computed, given = oracle.result(row, meeting)
    if not computed then
        return nil
    end
    return settle(graph, row, given, compute(row, computed, args, n),
        ("lun.%s(%s)"):format(name, table.concat(texts, ", ")))
end

local steps = {}

function steps.cast(graph)
    local v, t = graph.g.one_of(graph.values), dtypes[graph.g.one_of(graph.dtypes)]
    local list = {}
    for i, x in ipairs(v.list) do
        list[i] = dtypes.convert(x, v.t, t)
    end
    return value(graph, t, list, ("%s:cast %q"):format(v.name, t.name))
end

-- The elements from k on, then those before.
function steps.rotate(graph)
    local v = graph.g.one_of(graph.values)
    local n = #v.list
    if n < 2 then
        return nil
    end
    local k, list = graph.g.pick(n - 1), {}
    for i = 1, n do
        list[i] = v.list[(i + k - 1) % n + 1]
    end
    return value(graph, v.t, list, ("%s:sub(%d, -1) .. %s:sub(1, %d)"):format(v.name, k + 1, v.name, k))
end

function steps.scan(graph)
    local v = graph.g.one_of(graph.values)
    if v.t.kind == "bool" or v.t.is_float or #v.list < 2 then
        return nil
    end
    local list, sum = {}, 0
    for i, x in ipairs(v.list) do
        list[i] = sum
        sum = sum + x
    end
    return value(graph, oracle.folded("add", v.t), list, ("lun.scan('+', 0)(%s)"):format(v.name))
end

-- A Scalar, as an array of one element.
function steps.total(graph)
    local v = graph.g.one_of(graph.values)
    if v.t.kind ~= "signed" or v.t.bits ~= 64 then
        return nil
    end
    local sum = 0
    for _, x in ipairs(v.list) do
        sum = sum + x
    end
    return value(graph, v.t, { sum }, ("%s:lazy 'sum'"):format(v.name))
end

-- ---------------------------------------------------------------- graphs

-- A graph of a generator g: { code, leaves, values }, its leaves of n elements (or one). arity_of(name)
-- gives an operation's number of operands.
function graphs.make(g, n, arity_of)
    graphs.names = graphs.names or names_of(arity_of)
    local graph = { g = g, code = {}, values = {}, leaves = {} }
    graph.dtypes = { "f64", "i64", "bool" }
    if g.pick(3) == 1 then
        graph.dtypes = { "f64", "i64", "bool", "f32", "u8", "i16", "u32", "u64" }
    end
    for _ = 1, 1 + g.pick(4) do
        leaf(graph, dtypes[g.one_of(graph.dtypes)], g.pick(6) == 1 and 1 or n)
    end
    local size = #graph.values + 5 + g.pick(35)
    while #graph.values < size do
        local kind = g.pick(100)
        if kind < 6 then
            steps.cast(graph)
        elseif kind < 8 then
            steps.rotate(graph)
        elseif kind < 9 then
            steps.scan(graph)
        elseif kind < 11 then
            steps.total(graph)
        else
            local count = kind < 35 and 1 or kind < 88 and 2 or 3
            operation(graph, g.one_of(graphs.names[count]), count)
        end
    end
    return graph
end

-- The function leaf -> list of arrays that the code stands for, and the code. results: indices of values.
function graphs.compile(graph, results)
    local names = {}
    for i, index in ipairs(results) do
        names[i] = graph.values[index].name
    end
    local code = table.concat(graph.code, "\n") .. "\nreturn { " .. table.concat(names, ", ") .. " }"
    return assert(load("local lun, leaf = ...\n" .. code, "=graph", "t", {})), code
end

return graphs
