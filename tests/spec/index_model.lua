-- Arrays, windows and broadcasting in plain Lua: a window is the list of the places of its elements, each found by
-- its indices. The oracle of the specs; knows no strides and no engine.

local model = {}

-- Calls visit with the indices of every element of a shape, last index first, in row-major order. The table of
-- indices is one and the same.
local function each(shape, visit)
    local rank, index = #shape, {}
    for d = 1, rank do
        if shape[d] == 0 then
            return
        end
        index[d] = 1
    end
    while true do
        visit(index)
        local d = rank
        while d > 0 and index[d] == shape[d] do
            index[d] = 1
            d = d - 1
        end
        if d == 0 then
            return
        end
        index[d] = index[d] + 1
    end
end

-- The place of an element of a.
local function place(a, index)
    local flat = 0
    for d, n in ipairs(a.shape) do
        flat = flat * n + index[d] - 1
    end
    return a.at[flat + 1]
end

-- The window of a whose element at `index` is a's at source(index).
local function picked(a, shape, source)
    local at = {}
    each(shape, function(index)
        at[#at + 1] = place(a, source(index))
    end)
    return { shape = shape, at = at, cells = a.cells }
end

-- An array of that shape of the numbers in a list, which becomes its own.
function model.new(shape, cells)
    local at = {}
    for i = 1, #cells do
        at[i] = i
    end
    return { shape = shape, at = at, cells = cells }
end

-- Which of n indices {first, last, step} names, as Lua's string.sub has it of a text of n.
local function part(n, t)
    local first, last, step = t[1], t[2], t[3] or 1
    if step < 0 then
        first, last = last or 1, first or -1
    end
    local text, indices, taken = (" "):rep(n), {}, {}
    local before = #text - #text:sub(first or 1) -- how many stand in front
    for i = 1, #text:sub(first or 1, last or -1) do
        indices[i] = before + i
    end
    for i = 1, #indices, math.abs(step) do
        taken[#taken + 1] = step > 0 and indices[i] or indices[#indices + 1 - i]
    end
    return taken
end

-- a:sub({first, last, step}, ...)
function model.sub(a, parts)
    local shape, chosen = {}, {}
    for d, n in ipairs(a.shape) do
        chosen[d] = part(n, parts[d] or {})
        shape[d] = #chosen[d]
    end
    local source = {}
    return picked(a, shape, function(index)
        for d, i in ipairs(index) do
            source[d] = chosen[d][i]
        end
        return source
    end)
end

-- Without entry d of a list; with x as entry d.
local function without(list, d)
    local rest = table.move(list, 1, #list, 1, {})
    table.remove(rest, d)
    return rest
end

local function with(list, d, x)
    local more = table.move(list, 1, #list, 1, {})
    table.insert(more, d, x)
    return more
end

function model.select(a, axis, i)
    return picked(a, without(a.shape, axis), function(index)
        return with(index, axis, i)
    end)
end

-- Axis k of the result is axis axes[k] of a.
function model.transpose(a, axes)
    local shape, source = {}, {}
    for k, axis in ipairs(axes) do
        shape[k] = a.shape[axis]
    end
    return picked(a, shape, function(index)
        for k, axis in ipairs(axes) do
            source[axis] = index[k]
        end
        return source
    end)
end

function model.view(a, shape)
    return { shape = shape, at = a.at, cells = a.cells }
end

function model.diagonal(a, k)
    local rank = #a.shape
    local rows, columns = a.shape[rank - 1], a.shape[rank]
    local n = 0
    for i = 1, rows do
        if i + k >= 1 and i + k <= columns then
            n = n + 1
        end
    end
    local shape = without(a.shape, rank)
    shape[rank - 1] = n
    local skip = math.max(0, -k)
    return picked(a, shape, function(index)
        local i = index[rank - 1] + skip
        local source = with(index, rank, i + k)
        source[rank - 1] = i
        return source
    end)
end

function model.windows(a, w, axis, step)
    local shape = with(a.shape, #a.shape + 1, w)
    shape[axis] = (a.shape[axis] - w) // step + 1
    return picked(a, shape, function(index)
        local source = without(index, #index)
        source[axis] = (index[axis] - 1) * step + index[#index]
        return source
    end)
end

-- Nothing if the shapes do not go together.
function model.broadcast(a, shape)
    local missing = #shape - #a.shape
    if missing < 0 then
        return nil
    end
    for d, n in ipairs(a.shape) do
        if n ~= 1 and n ~= shape[d + missing] then
            return nil
        end
    end
    local source = {}
    return picked(a, shape, function(index)
        for d, n in ipairs(a.shape) do
            source[d] = n == 1 and 1 or index[d + missing]
        end
        return source
    end)
end

-- The shape that several go together to, nothing if there is none.
function model.common(shapes)
    local rank, result = 0, {}
    for _, shape in ipairs(shapes) do
        rank = math.max(rank, #shape)
    end
    for d = 1, rank do
        result[d] = 1
        for _, shape in ipairs(shapes) do
            local n = shape[#shape - rank + d] or 1
            if n ~= 1 and result[d] ~= 1 and n ~= result[d] then
                return nil
            end
            result[d] = n ~= 1 and n or result[d]
        end
    end
    return result
end

-- The elements in row-major order.
function model.values(a)
    local values = {}
    for i, p in ipairs(a.at) do
        values[i] = a.cells[p]
    end
    return values
end

-- A value: f of the elements of several, broadcast; nothing if they do not go together.
function model.apply(f, ...)
    local operands, shapes = { ... }, {}
    for i, a in ipairs(operands) do
        shapes[i] = a.shape
    end
    local shape, columns, result = model.common(shapes), {}, {}
    if not shape then
        return nil
    end
    for i, a in ipairs(operands) do
        columns[i] = model.values(model.broadcast(a, shape))
    end
    for k = 1, #columns[1] do
        local x = {}
        for i, column in ipairs(columns) do
            x[i] = column[k]
        end
        result[k] = f(table.unpack(x))
    end
    return model.new(shape, result)
end

-- b as it is stored into an array of that shape: extents of 1 in front may be more; nothing if it does not fit.
function model.stored(b, shape)
    local own = table.move(b.shape, 1, #b.shape, 1, {})
    while #own > #shape and own[1] == 1 do
        table.remove(own, 1)
    end
    return model.broadcast(model.view(b, own), shape)
end

-- Stores b's elements, broadcast, into a; false if they do not fit.
function model.set(a, b)
    local wide = model.stored(b, a.shape)
    if not wide then
        return false
    end
    local values = model.values(wide)
    for k, p in ipairs(a.at) do
        a.cells[p] = values[k]
    end
    return true
end

-- Whether two indices share an element.
function model.shares(a)
    local seen = {}
    for _, p in ipairs(a.at) do
        if seen[p] then
            return true
        end
        seen[p] = true
    end
    return false
end

-- Nested tables of the elements, as a:totable() gives.
function model.nested(a)
    local values, next_one = model.values(a), 0
    local function level(d)
        if d > #a.shape then
            next_one = next_one + 1
            return values[next_one]
        end
        local t = {}
        for i = 1, a.shape[d] do
            t[i] = level(d + 1)
        end
        return t
    end
    return level(1)
end

return model
