-- Tables from wide to long and back: pivot, melt, explode; and the matrix of correlations.

local core = require "lunarray.core"
local column = require "lunarray.table.column"
local fault = require "lunarray.base.fault"
local frame = require "lunarray.show.frame"
local group = require "lunarray.table.group"
local grouped = require "lunarray.table.grouped"
local object = require "lunarray.table.object"
local rows = require "lunarray.table.rows"

local M = {}

-- The names that an option says: one, or a list.
local function names_of(t, x, call, option)
    if type(x) ~= "string" and not column.is_list(x) then
        fault("'%s': option '%s': name of a column, or a list of them, expected, got %s", call, option,
            core.internal.kind_of(x))
    end
    return object.names(t, x)
end

-- The values of a key as names of columns.
local function labels(key)
    local list = column.values(key, 1, #key)
    for k = 1, #key do
        list[k] = list[k] == nil and "<NA>" or tostring(list[k])
    end
    return list
end

-- t:pivot{index=, columns=, values=, agg="mean", fill=}: a row for each index, a column for each value of `columns`.
function M.pivot(t, opts)
    opts = object.options(opts, "pivot", "agg columns fill index values")
    local index = names_of(t, opts.index, "pivot", "index")
    local across = names_of(t, opts.columns, "pivot", "columns")
    if #across ~= 1 then
        fault("'pivot': option 'columns': one column expected, got %d", #across)
    end
    local f = opts.agg or opts.values and "mean" or "count"
    f = type(f) == "table" and f or { f }
    if opts.values == nil and f[1] ~= "count" then
        fault("'pivot': option 'values' says of which column the %s is", column.shown(f[1]))
    end
    local by = {}
    for k, name in ipairs(index) do
        by[k] = frame.column(t, name)
    end
    local down, right = group.group(table.unpack(by)), group.group(frame.column(t, across[1]))
    -- Cells in order of columns, in each of which rows ascend.
    local cells = group.of_table(t, {}, right:codes(), down:codes())
    local value = grouped.aggregate(group.state_of(cells), f[1], opts.values, table.unpack(f, 2))
    local at_column, at_row = core.eval(cells:keys())
    local columns, order, list = {}, {}, {}
    local function add(name, x)
        if columns[name] ~= nil then
            fault("'pivot': two columns would be called '%s'", name)
        end
        columns[name], order[#order + 1], list[#list + 1] = x, name, x
    end
    local keys = table.pack(down:keys())
    for k, name in ipairs(index) do
        add(name, keys[k])
    end
    local last = 0
    local counts = #right > 0 and group.group(at_column, { levels = #right }):count():totable() or {}
    for k, name in ipairs(labels((right:keys()))) do
        local places = core.range(last + 1, last + counts[k])
        local at = core.full(#down, 0):put(at_row:take(places), places)
        local cell = column.take(value, at, true)
        last = last + counts[k]
        add(name, opts.fill ~= nil and core.where(at:eq(0), opts.fill, cell) or cell)
    end
    column.evaluate(list)
    return object.make(columns, order, #down)
end

-- t:melt{id=, vars=, name="variable", value="value"}: a row for each row and each of vars.
function M.melt(t, opts)
    opts = object.options(opts, "melt", "id name value vars")
    local id = opts.id == nil and {} or names_of(t, opts.id, "melt", "id")
    local is_id, vars = {}, {}
    for _, name in ipairs(id) do
        is_id[name] = true
    end
    if opts.vars ~= nil then
        vars = names_of(t, opts.vars, "melt", "vars")
    else
        for _, name in ipairs(frame.ordered(t)) do
            vars[#vars + 1] = not is_id[name] and name or nil
        end
    end
    local n = #t
    local at = core.index(n * #vars) - 1
    at = n > 0 and at % n + 1 or at
    local columns, order, list = {}, {}, {}
    local function add(name, x)
        if columns[name] ~= nil then
            fault("'melt': two columns would be called '%s'; the options 'name' and 'value' say others", name)
        end
        columns[name], order[#order + 1], list[#list + 1] = x, name, x
    end
    for _, name in ipairs(id) do
        add(name, column.take(frame.column(t, name), at))
    end
    local values = {}
    for k, name in ipairs(vars) do
        values[k] = frame.column(t, name)
    end
    add(opts.name or "variable", core.vector(vars, "text"):take((core.index(n * #vars) - 1) // math.max(n, 1) + 1))
    local value, wrong = core.zeros(0), nil
    if #vars > 0 then
        value, wrong = column.concat(values)
    end
    add(opts.value or "value", value or fault("'melt': the columns of 'vars' differ: one %s", wrong))
    column.evaluate(list)
    return object.make(columns, order, n * #vars)
end

-- t:explode(name, sep): a row for each piece of a column of text.
function M.explode(t, name, separator)
    local x = object.column(t, name, "the column")
    if type(name) ~= "string" or not column.is_text(x) then
        fault("'explode': '%s' is %s; a column of text is split", column.shown(name), column.dtype(x))
    elseif type(separator) ~= "string" or separator == "" then
        fault("'explode': separator expected, a text of at least one character")
    end
    local pieces, at, values = {}, {}, column.values(x, 1, #t)
    for i = 1, #t do
        local text, from = values[i], 1
        repeat
            local first, last = (text or ""):find(separator, from, true)
            at[#at + 1] = i
            pieces[#at] = text and text:sub(from, first and first - 1) or core.na
            from = last and last + 1
        until not first
    end
    local u = rows.take(t, core.vector(at, "i64"))
    u[name] = pieces
    return u
end

-- t:corr([names]): the correlations of columns as a table; pairs of which one is missing or NaN are left out.
function M.corr(t, ...)
    local names, numbers = object.names(t, ...), {}
    for _, name in ipairs(names) do
        local x = frame.column(t, name)
        if column.is_number(x) then
            numbers[#numbers + 1] = name
        elseif select("#", ...) > 0 then
            fault("'corr': column '%s' is %s; numbers correlate", name, column.dtype(x))
        end
    end
    local out, present = { column = table.move(numbers, 1, #numbers, 1, {}) }, {}
    for k, name in ipairs(numbers) do
        local x = frame.column(t, name):cast "f64"
        present[k] = x:naif(0 / 0)
        out[name] = {}
    end
    local one = grouped.one(t)
    for k, name in ipairs(numbers) do
        for j = 1, k do
            local r = grouped.aggregate(one, "corr", present[k], present[j])
            r = r:ismissing()[1] and core.na or r[1]
            out[name][j], out[numbers[j]][k] = r, r
        end
    end
    return object.table(out, { "column", table.unpack(numbers) })
end

return M
