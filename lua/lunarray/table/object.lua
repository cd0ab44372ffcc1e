-- Tables of columns as scripts see them: columns, rows and verbs by name; lun.table. Where columns are is frame.lua's.
--
-- Invariant: a column whose name is a verb's is an array that no other such column of the table is, so that a call of
-- it finds its name.

local core = require "lunarray.core"
local column = require "lunarray.table.column"
local fault = require "lunarray.base.fault"
local frame = require "lunarray.show.frame"
local misuse = require "lunarray.base.misuse"
local records = require "lunarray.base.records"

local M = {}

local events = { __name = "columns", __pairs = frame.pairs, __tostring = frame.text }

-- The verbs: methods of tables, by name.
M.verbs = {}
local verbs = M.verbs

-- ---------------------------------------------------------------- names

-- How many edits lead from one name to another, 3 if more than two.
local function edits(a, b)
    if math.abs(#a - #b) > 2 then
        return 3
    end
    local row = {}
    for j = 0, #b do
        row[j] = j
    end
    for i = 1, #a do
        local before = row[0]
        row[0] = i
        for j = 1, #b do
            local cost = a:byte(i) == b:byte(j) and before or before + 1
            before = row[j]
            row[j] = math.min(cost, before + 1, row[j - 1] + 1)
        end
    end
    return math.min(row[#b], 3)
end

-- The name among those in a list that was probably meant, or nil.
local function nearest(name, names)
    local best, least
    for _, other in ipairs(names) do
        local a, b = name:lower(), other:lower()
        local distance = #a > 2 and (b:sub(1, #a) == a or a:sub(1, #b) == b) and 2.5 or 4
        local apart = #a < 100 and #b < 100 and edits(a, b) or 3
        distance = apart <= (#a > 3 and 2 or #a > 2 and 1 or 0) and math.min(apart, distance) or distance
        if distance < (least or 4) then
            best, least = other, distance
        end
    end
    return best
end

-- Raises the error for a name that is no column.
local function no_column(t, name)
    local known = frame.ordered(t)
    for verb in pairs(verbs) do
        known[#known + 1] = verb
    end
    table.sort(known, function(a, b)
        return a < b
    end)
    local near = type(name) == "string" and nearest(name, known)
    local shown = column.shown(name)
    fault("no column '%s'%s (t:has \"%s\" tests for it)", shown, near and ("; did you mean '%s'?"):format(near) or "",
        shown)
end

-- The column that a verb's argument says: a name, or an array or list of #t rows, called `what` in errors.
function M.column(t, x, what)
    if type(x) == "string" then
        local found = frame.column(t, x)
        return found ~= nil and found or no_column(t, x)
    end
    local made, length = column.from(x)
    local rows = #t
    if not made then
        fault("%s %s", what or "the column", length)
    elseif length ~= rows then
        fault("%s has %d row%s, the table %d: take it from the filtered table", what or "an array", length,
            length == 1 and "" or "s", rows)
    end
    return made
end

-- The names in the arguments of a verb, texts and lists of texts; none: all. Each once.
function M.names(t, ...)
    local list, seen = {}, {}
    local function add(name)
        if type(name) ~= "string" then
            fault("name of a column expected, got %s", core.internal.kind_of(name))
        elseif frame.column(t, name) == nil then
            no_column(t, name)
        end
        list[#list + 1] = not seen[name] and name or nil
        seen[name] = true
    end
    for k = 1, select("#", ...) do
        local x = select(k, ...)
        if column.is_list(x) then
            for _, name in ipairs(x) do
                add(name)
            end
        else
            add(x)
        end
    end
    return select("#", ...) == 0 and frame.ordered(t) or list
end

-- The options of a verb: every name must be among those in a text.
function M.options(opts, call, known)
    if opts ~= nil and (type(opts) ~= "table" or frame.of(opts)) then
        fault("'%s': table of options expected, {%s=...}, got %s", call, known:gsub(" ", "=..., "),
            core.internal.kind_of(opts))
    end
    for name in pairs(opts or {}) do
        if type(name) ~= "string" or not (" " .. known .. " "):find(" " .. name .. " ", 1, true) then
            fault("'%s': unknown option '%s'; there are %s", call, column.shown(name), (known:gsub(" ", ", ")))
        end
    end
    return opts or {}
end

-- ---------------------------------------------------------------- elements

-- Row i, a table by name without what is missing; nil beyond the ends.
local function row(t, i)
    local rows = #t
    i = i < 0 and rows + 1 + i or i
    if i < 1 or i > rows then
        return nil
    end
    local out = {}
    for name, x in pairs(t) do
        out[name] = column.values(x, i, 1)[1]
    end
    return out
end

function events.__index(t, key)
    local found = frame.column(t, key)
    if found ~= nil then
        return found
    end
    if type(key) == "table" then
        fault("a table takes the name of a column or the number of a row in brackets; "
            .. "t:select(\"a\", \"b\") has several columns")
    end
    local i = math.tointeger(type(key) == "number" and key or nil)
    return verbs[key] or i and row(t, i) or not i and no_column(t, key) or nil
end

function events.__len(t)
    return getmetatable(t).rows
end

-- What a call of an array, or another column, means: with its own table, the verb of its name.
function M.call(x, t, ...)
    local meta = frame.of(t)
    for _, name in ipairs(meta and meta.names or {}) do
        if verbs[name] and rawequal(meta.columns[name], x) then
            return verbs[name](t, ...)
        end
    end
    if core.isarray(x) then
        fault("an array is no function: for i, x in a:iter() do")
    end
    fault("a column is no function")
end

-- A column that is called as the verb of its name: another array than those that are called so already.
local function for_verb(meta, name, x)
    for verb in pairs(verbs) do
        if verb ~= name and rawequal(meta.columns[verb], x) then
            x = core.isarray(x) and x:sub(1, -1) or x:copy()
            break
        end
    end
    column.callable(x, M.call)
    return x
end

-- Puts a column into the table, which takes it as it is.
local function put(meta, name, x)
    if meta.columns[name] == nil and not (meta.unread and meta.unread[name]) then
        meta.names[#meta.names + 1] = name
    end
    if meta.unread then
        meta.unread[name] = nil
    end
    meta.columns[name] = verbs[name] and for_verb(meta, name, x) or x
    records.is_column(x, name)
end

-- The column of a value of a script: an array, a list, or one value for all rows; and its length.
local function of_value(name, x, rows)
    local one = column.repeated(x, rows)
    if one then
        return one, rows
    end
    local made, length = column.from(x)
    return made or fault("column '%s' %s", name, length), length
end

function events.__newindex(t, name, x)
    local meta = getmetatable(t)
    if math.type(name) == "integer" then
        fault("a row is not assigned; assign its elements, as t.x[%d] = ...", name)
    elseif type(name) ~= "string" then
        fault("the name of a column is a text, not the %s %s", type(name), column.shown(name))
    elseif x == nil then
        for i, other in ipairs(meta.names) do
            if other == name then
                table.remove(meta.names, i)
                break
            end
        end
        meta.columns[name] = nil
        if meta.unread then
            meta.unread[name] = nil
        end
        return
    end
    local made, length = of_value(name, x, meta.rows)
    if #meta.names == 0 then
        meta.rows = length
    elseif length ~= meta.rows then
        fault("column '%s' has %d row%s, the table %d", name, length, length == 1 and "" or "s", meta.rows)
    end
    put(meta, name, made)
end

function events.__eq(t, u)
    local a, b = frame.of(t), frame.of(u)
    if not a or not b or a.rows ~= b.rows or #a.names ~= #b.names then
        return false
    end
    for i, name in ipairs(a.names) do
        if b.names[i] ~= name or not column.equal(frame.column(t, name), frame.column(u, name)) then
            return false
        end
    end
    return true
end

function events.__concat(t, u)
    return require("lunarray.table.verbs").append(t, u)
end

-- lun.eval(t): evaluates all columns; t.
function events.eval(t)
    local list = {}
    for _, x in frame.pairs(t) do
        list[#list + 1] = x
    end
    column.evaluate(list)
    return t
end

-- ---------------------------------------------------------------- making

-- A table of so many rows of the columns in `columns`, in the order of `names`. Those that are not in it yet are
-- fetched by fetch(name) when they are used. into: the Lua table that it becomes.
function M.make(columns, names, rows, fetch, into)
    local meta = { columns = {}, names = {}, rows = rows, fetch = fetch, unread = fetch and {} or nil }
    for event, f in pairs(events) do
        meta[event] = f
    end
    for i, name in ipairs(names) do
        if columns[name] == nil then
            meta.unread[name], meta.names[i] = true, name
        else
            put(meta, name, columns[name])
        end
    end
    return setmetatable(into or {}, meta)
end

-- The same of columns that are all fetched when they are used, as are those of what verbs make of it.
function M.by_use(names, rows, fetch)
    local t = M.make({}, names, rows, fetch)
    getmetatable(t).by_use = true
    return t
end

-- A column of a new table: what is written to it, or to the old one, is not seen in the other.
local function shared(x)
    local plain = debug.getmetatable(x) == core.internal.array_type and not records.struct_of(x)
    return plain and core.internal.copy_later(x) or x:copy()
end

-- A table of these names in t, under other names if `new` has them, that shares its columns; those not fetched yet are
-- fetched when they are used.
function M.some(t, names, new)
    local meta, from, columns, order = getmetatable(t), {}, {}, {}
    for i, name in ipairs(names) do
        order[i] = new and new[name] or name
        from[order[i]] = name
        columns[order[i]] = meta.columns[name] ~= nil and shared(meta.columns[name]) or nil
    end
    local u = M.make(columns, order, meta.rows, function(name)
        return shared(frame.column(t, from[name]))
    end)
    getmetatable(u).by_use = meta.by_use
    return u
end

-- A table of the columns f(column, name) of t, in the same order. later: each is evaluated when it is used.
function M.each(t, f, rows, later)
    local columns, list = {}, {}
    if getmetatable(t).by_use then
        return M.by_use(frame.ordered(t), rows or #t, function(name)
            return f(frame.column(t, name), name)
        end)
    end
    for name, x in pairs(t) do
        columns[name] = f(x, name)
        list[#list + 1] = columns[name]
    end
    if not later then
        column.evaluate(list)
    end
    return M.make(columns, frame.ordered(t), rows or #t)
end

-- The columns of a list of rows, by name, and their number.
local function of_rows(list)
    local columns, kinds, count = {}, {}, rawlen(list)
    for i = 1, count do
        local line = rawget(list, i)
        if type(line) ~= "table" or core.isarray(line) then
            misuse(1, "table", "row %d is a %s; a row is a table {name = value}", i, core.internal.kind_of(line))
        end
        for name, x in pairs(line) do
            local kind = type(x)
            if type(name) ~= "string" then
                misuse(1, "table", "row %d: the name of a column is a text, not the %s %s", i, type(name),
                    tostring(name))
            elseif x ~= core.na and kind ~= "string" and kind ~= "number" and kind ~= "boolean" then
                misuse(1, "table", "row %d: '%s' is a %s; a value is a text, number or boolean", i, name, kind)
            elseif x ~= core.na and kind ~= (kinds[name] or kind) then
                misuse(1, "table", "row %d: '%s' is a %s, and a %s in the rows before", i, name, kind, kinds[name])
            end
            kinds[name] = kinds[name] or x ~= core.na and kind or nil
            columns[name] = columns[name] or {}
            columns[name][i] = x
        end
    end
    for _, values in pairs(columns) do
        for i = 1, count do
            values[i] = values[i] == nil and core.na or values[i]
        end
    end
    return columns, count
end

-- Whether a table is a list of rows.
local function is_rows(t)
    local first = rawget(t, 1)
    return type(first) == "table" and not core.isarray(first) and not records.struct_of(first)
end

-- Evaluates the columns of unknown length together, so that they share their operands.
local function measure(columns)
    local list = {}
    for _, x in pairs(columns) do
        for _, array in ipairs(records.fields_of(x) or { x }) do
            local usable, measured = pcall(core.internal.measured, array)
            list[#list + 1] = usable and not measured and array or nil
        end
    end
    column.evaluate(list)
end

-- Refuses an order that is no list of names of columns, each once.
local function check_order(columns, names)
    if not column.is_list(names) or frame.of(names) then
        misuse(2, "table", "list of column names expected, got %s", core.internal.kind_of(names))
    end
    local seen = {}
    for i, name in ipairs(names) do
        if columns[name] == nil then
            misuse(2, "table", "there is no column '%s'", tostring(name))
        elseif seen[name] then
            misuse(2, "table", "names %d and %d are both '%s'", seen[name], i, name)
        end
        seen[name] = i
    end
end

-- The columns of a plain table, by name, those in `known` first, and their order and number of rows.
local function checked(columns, known, call_name)
    local names, rows, first = frame.ordered(columns, known), nil, nil
    measure(columns)
    for _, name in ipairs(names) do
        if type(name) ~= "string" then
            misuse(1, call_name, "the name of a column is a text, not the %s %s", type(name), tostring(name))
        end
        local made, count = column.from(columns[name])
        if not made then
            misuse(1, call_name, "column '%s' %s", name, count)
        elseif rows and count ~= rows then
            misuse(1, call_name, "lengths differ: column '%s' has %d row%s and '%s' has %d", first, rows,
                rows == 1 and "" or "s", name, count)
        end
        columns[name], rows, first = made, count, first or name
    end
    return names, rows or 0
end

-- The table of columns that argument 1 of `call` is, or that its entries make.
function M.of(t, call_name)
    local meta = type(t) == "table" and getmetatable(t)
    if frame.of(t) then
        return t
    elseif type(t) ~= "table" or meta and not (type(meta) == "table" and rawget(meta, "names")) then
        misuse(1, call_name, "table of columns expected, got %s", core.internal.kind_of(t))
    end
    local columns = {}
    for name, x in next, t do
        columns[name] = x
    end
    return M.make(columns, checked(columns, meta and meta.names, call_name))
end

-- lun.table(t [, names]): makes of the table t, of Vectors, records and lists of one length, or of a list of rows, a
-- table of columns as lun.load gives; returns t. The columns in `names` come first, then the others by name, or in the
-- order that t had.
function M.table(t, names)
    local own = frame.of(t)
    if own then
        if names ~= nil then
            check_order(setmetatable({}, { __index = function(_, name) return frame.column(t, name) end }), names)
            local order, seen = table.move(names, 1, #names, 1, {}), {}
            for _, name in ipairs(names) do
                seen[name] = true
            end
            for _, name in ipairs(own.names) do
                order[#order + 1] = not seen[name] and name or nil
            end
            own.names = order
        end
        return t
    end
    local meta = type(t) == "table" and getmetatable(t)
    if type(t) ~= "table" then
        misuse(1, "table", "table of columns expected, got %s", core.internal.kind_of(t))
    elseif meta and not (type(meta) == "table" and rawget(meta, "names")) then
        misuse(1, "table", "a table with a metatable of its own")
    end
    local columns, count = {}, nil
    if is_rows(t) then
        columns, count = of_rows(t)
    else
        for name, x in next, t do
            columns[name] = x
        end
    end
    if names ~= nil then
        check_order(columns, names)
    end
    local order, rows = checked(columns, names or meta and meta.names, "table")
    for name in next, t do
        rawset(t, name, nil)
    end
    return M.make(columns, order, count or rows, nil, t)
end

-- ---------------------------------------------------------------- what a table has

function verbs.has(t, name)
    local meta = getmetatable(t)
    return meta.columns[name] ~= nil or meta.unread ~= nil and meta.unread[name] == true
end

-- The names of the columns in order.
function verbs.names(t)
    return frame.ordered(t)
end

-- The dtypes of the columns in order.
function verbs.dtypes(t)
    local list = {}
    for i, name in ipairs(frame.ordered(t)) do
        list[i] = column.dtype(frame.column(t, name))
    end
    return list
end

-- A table with the same columns; what is assigned to one of both changes no other.
function verbs.copy(t)
    return M.each(t, shared)
end

local PART <const> = 65536 -- rows

-- Iterates over row numbers and rows, which are read some at a time.
function verbs.iter(t)
    local i, first, last, values = 0, 1, 0, {}
    return function()
        i = i + 1
        if i > #t then
            return nil
        elseif i > last then
            first, last = i, math.min(i + PART - 1, #t)
            for name, x in pairs(t) do
                values[name] = column.values(x, first, last - first + 1)
            end
        end
        local out = {}
        for name, list in pairs(values) do
            out[name] = list[i - first + 1]
        end
        return i, out
    end
end

-- Iterates over first rows and tables of so many rows.
function verbs.parts(t, rows)
    rows = rows == nil and PART or math.tointeger(rows)
    if not rows or rows < 1 then
        fault("'parts': number of rows from 1 on expected, got %s", column.shown(rows))
    end
    local first = 1 - rows
    return function()
        first = first + rows
        local last = math.min(first + rows - 1, #t)
        if first > last then
            return nil
        end
        local at = core.range(first, last)
        return first, M.each(t, function(x) return column.take(x, at) end, last - first + 1)
    end
end

-- A list of rows, or a list for each column by name.
function verbs.totable(t, how)
    local out = {}
    if how == "columns" then
        for name, x in pairs(t) do
            out[name] = x:totable()
        end
        return out
    elseif how ~= "rows" and how ~= nil then
        fault("'totable': \"rows\" or \"columns\" expected, got %s", column.shown(how))
    end
    for i, one in verbs.iter(t) do
        out[i] = one
    end
    return out
end

-- t:rows(which), or t:rows(i, j), rows i to j by the rules of a:sub.
function verbs.rows(t, which, last)
    local rows = require "lunarray.table.rows"
    if type(which) == "number" then
        return rows.between(t, which, last)
    end
    return rows.rows(t, which)
end

-- Verbs of other files, loaded at their first call.
local FILES <const> = {
    rows = "head tail sample filter dropna sort unique",
    grouped = "group value_counts",
    joined = "join",
    resample = "resample",
    rolling = "rolling",
    reshape = "pivot melt explode corr",
    verbs = "select drop rename with fillna describe info apply",
}

function verbs.agg(t, spec)
    return require("lunarray.table.grouped").agg_all(t, spec)
end

-- t:plot{x = "date", y = "wind", ...}: lun.plot of the table, a room that comes after this one.
function verbs.plot(t, ...)
    return require "lunarray".plot(t, ...)
end

for file, names in pairs(FILES) do
    for name in names:gmatch "%S+" do
        verbs[name] = function(...)
            return require("lunarray.table." .. file)[name](...)
        end
    end
end

return M
