-- Verbs that select, name, make, append and describe columns.

local core = require "lunarray.core"
local column = require "lunarray.table.column"
local fault = require "lunarray.base.fault"
local frame = require "lunarray.show.frame"
local object = require "lunarray.table.object"
local records = require "lunarray.base.records"

local M = {}

-- ---------------------------------------------------------------- columns

-- The names that patterns say, each once: texts in which * matches any characters, and lists of them.
local function matching(t, call, ...)
    local list, seen = {}, {}
    local function add(name)
        list[#list + 1] = not seen[name] and name or nil
        seen[name] = true
    end
    local function add_all(x)
        if type(x) == "table" and column.is_list(x) then
            for _, one in ipairs(x) do
                add_all(one)
            end
        elseif type(x) == "string" and x:find("*", 1, true) and not t:has(x) then
            local pattern, before = "^" .. x:gsub("%p", "%%%0"):gsub("%%%*", ".*") .. "$", #list
            local some = false
            for _, name in ipairs(frame.ordered(t)) do
                if name:find(pattern) then
                    some = true
                    add(name)
                end
            end
            if not some and #list == before then
                fault("'%s': no column is like '%s'", call, x)
            end
        else
            add(object.names(t, x)[1])
        end
    end
    for k = 1, select("#", ...) do
        add_all((select(k, ...)))
    end
    return list, seen
end

-- t:select(names...): these columns, in this order.
function M.select(t, ...)
    return object.some(t, (matching(t, "select", ...)))
end

-- t:drop(names...): the other columns.
function M.drop(t, ...)
    local _, gone = matching(t, "drop", ...)
    local names = {}
    for _, name in ipairs(frame.ordered(t)) do
        names[#names + 1] = not gone[name] and name or nil
    end
    return object.some(t, names)
end

-- t:rename{old = "new"}, t:rename(f): columns under other names.
function M.rename(t, how)
    local new, taken = {}, {}
    if type(how) == "function" then
        for _, name in ipairs(frame.ordered(t)) do
            new[name] = how(name)
        end
    elseif column.is_list(how) then
        for _, name in ipairs(frame.ordered(how)) do
            object.names(t, name)
            new[name] = how[name]
        end
    else
        fault("'rename': table {old = \"new\"} or function expected, got %s", core.internal.kind_of(how))
    end
    for _, name in ipairs(frame.ordered(t)) do
        local other = new[name] == nil and name or new[name]
        if type(other) ~= "string" then
            fault("'rename': the new name of '%s' is a %s; a text was expected", name, type(other))
        elseif taken[other] then
            fault("'rename': the columns '%s' and '%s' would both be called '%s'", taken[other], name, other)
        end
        taken[other] = name
    end
    return object.some(t, frame.ordered(t), new)
end

-- t:with{name = array or value or function(t) ... end}: with columns added or replaced.
function M.with(t, new)
    if not column.is_list(new) then
        fault("'with': table {name = array, value or function} expected, got %s", core.internal.kind_of(new))
    end
    local u = object.some(t, frame.ordered(t))
    for _, name in ipairs(frame.ordered(new)) do
        local x = new[name]
        if type(x) == "function" then
            x = x(t)
            if x == nil then
                fault("'with': the function of '%s' gives nothing", column.shown(name))
            end
        end
        u[name] = x
    end
    return u
end

-- ---------------------------------------------------------------- rows appended

-- Refuses a table that has not the columns of the first.
local function check_columns(names, t, number)
    local missing, more, there = {}, {}, {}
    for _, name in ipairs(names) do
        there[name] = true
        missing[#missing + 1] = not t:has(name) and "'" .. name .. "'" or nil
    end
    for _, name in ipairs(frame.ordered(t)) do
        more[#more + 1] = not there[name] and "'" .. name .. "'" or nil
    end
    if #missing + #more > 0 then
        fault("the columns of table %d differ:%s%s%s; {union = true} makes what a table lacks missing", number,
            #missing > 0 and " it lacks " .. table.concat(missing, ", ") or "",
            #missing > 0 and #more > 0 and "," or "", #more > 0 and " it has also " .. table.concat(more, ", ") or "")
    end
end

-- lun.concat({t, u, ...} [, {union=true}]): the rows of tables one after the other, columns by their names.
function M.concat(list, opts)
    opts = object.options(opts, "concat", "union")
    local names, seen, rows, columns = {}, {}, 0, {}
    for k, t in ipairs(list) do
        if not frame.of(t) then
            fault("'concat': table %d: table of columns expected, got %s", k, core.internal.kind_of(t))
        elseif k > 1 and not opts.union then
            check_columns(names, t, k)
        end
        for _, name in ipairs(frame.ordered(t)) do
            if not seen[name] then
                names[#names + 1], seen[name] = name, frame.column(t, name)
            end
        end
        rows = rows + #t
    end
    for _, name in ipairs(names) do
        local parts = {}
        for k, t in ipairs(list) do
            parts[k] = t:has(name) and frame.column(t, name) or column.gap(seen[name], #t)
        end
        local joined, wrong = column.concat(parts)
        columns[name] = joined or fault("column '%s' %s", name, wrong)
    end
    local all = {}
    for i, name in ipairs(names) do
        all[i] = columns[name]
    end
    column.evaluate(all)
    return object.make(columns, names, rows)
end

-- t .. u
function M.append(t, u)
    if not frame.of(t) or not frame.of(u) then
        fault("'..' of %s and %s: rows are appended of two tables of columns", core.internal.kind_of(t),
            core.internal.kind_of(u))
    end
    return M.concat { t, u }
end

-- ---------------------------------------------------------------- gaps

-- A column of whose missing elements and NaN x is made; nil if x is of another kind.
local function filled(a, x)
    if records.struct_of(a) then
        return nil
    end
    local dtype = column.dtype(a)
    if core.isarray(x) then
        return a:copy():fillna(x)
    elseif dtype == "bool" then
        return type(x) == "boolean" and core.where(a:ismissing(), x, a) or nil
    elseif type(x) ~= (column.is_number(a) and "number" or "string") then
        return nil
    end
    return a:copy():fillna(x)
end

-- Whether a value for all columns is one for this one: texts do not go into dates.
local function suits(a, x)
    return type(x) ~= "string" or column.is_text(a)
end

-- t:fillna(x), t:fillna{name = x}: x where elements are missing or NaN, in columns of its kind.
function M.fillna(t, x)
    if x == nil or x == core.na then
        fault("'fillna': a value or a table {name = value} expected, got %s", core.internal.kind_of(x))
    end
    if column.is_list(x) then
        local u = object.some(t, frame.ordered(t))
        for _, name in ipairs(frame.ordered(x)) do
            local a = object.column(t, name)
            u[name] = filled(a, x[name]) or fault("'fillna': column '%s' is %s, and filled with a %s", name,
                column.dtype(a), type(x[name]) == "string" and "text" or type(x[name]))
        end
        return u
    end
    return object.each(t, function(a)
        return suits(a, x) and filled(a, x) or a:copy()
    end)
end

-- ---------------------------------------------------------------- what there is

local STATISTICS <const> = { "mean", "std", "min", "q25", "median", "q75", "max" }

-- What describe says of numbers: by name; nil where there is none.
local function statistics(a, there)
    local out = {}
    if column.is_number(a) and there > 0 then
        out.mean, out.std, out.median = a:mean(), a:std(), a:median()
        out.q25, out.q75 = a:quantile(0.25), a:quantile(0.75)
    end
    if there > 0 and not records.struct_of(a) then
        local sorted = column.dtype(a) == "bool" and a:cast "u8" or a
        local low, high = sorted:min(), sorted:max()
        if column.dtype(a) == "bool" then
            low, high = low ~= 0, high ~= 0
        end
        out.min, out.max = low, high
    end
    return out
end

-- t:describe(): a row for each column.
function M.describe(t)
    local out = { column = {}, dtype = {}, count = {}, missing = {}, distinct = {} }
    for _, name in ipairs(STATISTICS) do
        out[name] = {}
    end
    local same, first = true, nil
    for i, name in ipairs(frame.ordered(t)) do
        local a = frame.column(t, name)
        local missing = column.ismissing(a):count()
        out.column[i], out.dtype[i], out.missing[i], out.count[i] = name, column.dtype(a), missing, #t - missing
        out.distinct[i] = records.struct_of(a) and core.na or a:nunique()
        local found = statistics(a, #t - missing)
        for _, what in ipairs(STATISTICS) do
            out[what][i] = found[what] == nil and core.na or found[what]
        end
        first = first or out.dtype[i]
        same = same and first == out.dtype[i]
    end
    for _, what in ipairs(same and {} or { "min", "max" }) do
        for i, x in ipairs(out[what]) do
            out[what][i] = x == core.na and x or tostring(x)
        end
    end
    return object.table(out, { "column", "dtype", "count", "missing", "distinct", table.unpack(STATISTICS) })
end

local FIRST <const> = 3 -- values that info shows

M.printed = nil -- what info printed last: the prompt does not show it again

-- t:info(): prints and gives a row for each column: name, dtype, missing, bytes, first values; and how a csv was read.
function M.info(t)
    local out = { name = {}, dtype = {}, missing = {}, bytes = {}, first = {} }
    for i, name in ipairs(frame.ordered(t)) do
        local a, shown = frame.column(t, name), {}
        out.name[i], out.dtype[i], out.missing[i] = name, column.dtype(a), column.ismissing(a):count()
        out.bytes[i] = a:nbytes()
        for k, x in ipairs(object.table({ x = column.take(a, core.index(math.min(FIRST, #t))) }):totable "rows") do
            shown[k] = x.x == nil and "<NA>" or type(x.x) == "table" and "..." or tostring(x.x)
        end
        out.first[i] = table.concat(shown, ", ")
    end
    local info = object.table(out, { "name", "dtype", "missing", "bytes", "first" })
    local about = getmetatable(t).csv
    print(("%d row%s"):format(#t, #t == 1 and "" or "s"))
    print(info)
    M.printed = info
    if about then
        local words = { ("read with sep = %q"):format(about.separator) }
        words[#words + 1] = about.nameless and "the first line was a row" or nil
        words[#words + 1] = #about.made > 0 and "names made: " .. table.concat(about.made, ", ") or nil
        words[#words + 1] = #about.words > 0 and "taken as missing: " .. table.concat(about.words, ", ") or nil
        words[#words + 1] = about.skipped > 0
            and ("%d row%s left out"):format(about.skipped, about.skipped == 1 and "" or "s") or nil
        print(table.concat(words, "; "))
    end
    return info
end

-- t:apply(f): f(row) for each row in Lua, as a column.
function M.apply(t, f)
    if type(f) ~= "function" then
        fault("'apply': function of a row expected, got %s", core.internal.kind_of(f))
    end
    local list = {}
    for i, row in t:iter() do
        local x = f(row)
        list[i] = x == nil and core.na or x
    end
    local made, wrong = column.from(list)
    return made or fault("'apply': the result %s", wrong)
end

return M
