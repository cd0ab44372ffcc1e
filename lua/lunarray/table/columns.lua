-- lun.table and lun.rows: tables of columns from a script's own columns, and rows of such tables. Their representation
-- and printing are frame.lua's.

local core = require "lunarray.core"
local dtypes = require "lunarray.base.dtypes"
local frame = require "lunarray.show.frame"
local misuse = require "lunarray.base.misuse"
local records = require "lunarray.base.records"

local M = {}

local function counted(rows)
    return ("%d row%s"):format(rows, rows == 1 and "" or "s")
end

-- ---------------------------------------------------------------- checks

-- The number of rows of a column; nil and what is wrong with it.
local function length_of(column)
    if core.isarray(column) or records.struct_of(column) then
        local usable, rank = pcall(function()
            return select("#", column:shape())
        end)
        if not usable then
            return nil, "has been freed"
        elseif rank ~= 1 then
            return nil, ("is of rank %d; a column is a Vector or a list of texts"):format(rank)
        end
        return column:size()
    elseif type(column) ~= "table" then
        return nil, ("is a %s; a column is a Vector or a list of texts"):format(type(column))
    end
    local count = core.internal.texts(column)
    if count then
        return count
    end
    count = rawlen(column)
    for i = 1, count do
        local kind = type(rawget(column, i))
        if kind ~= "string" then
            local fix = (kind == "number" or kind == "boolean") and "; make it a Vector with lun.vector" or ""
            return nil, ("has a %s in row %d, where a text was expected%s"):format(kind, i, fix)
        end
    end
    if count == 0 and next(column) ~= nil then
        return nil, "is no list of texts"
    end
    return count
end

-- Evaluates arrays together, as many at a time as a kernel takes.
local function evaluate(list)
    for first = 1, #list, 32 do
        core.eval(table.unpack(list, first, math.min(first + 31, #list)))
    end
end

-- Evaluates the columns of unknown length together, so that they share their operands.
local function measure(t, names)
    local list = {}
    for _, name in ipairs(names) do
        for _, column in ipairs(records.fields_of(t[name]) or { t[name] }) do
            local usable, measured = pcall(core.internal.measured, column)
            list[#list + 1] = usable and not measured and column or nil
        end
    end
    evaluate(list)
end

-- The names of the columns in order and the number of rows of `t`, which is argument 1 of `call`.
local function shape_of(t, known, call)
    if type(t) ~= "table" then
        misuse(1, call, "table of columns expected, got %s", core.internal.kind_of(t))
    end
    local names, rows, first = frame.ordered(t, known), nil, nil
    measure(t, names)
    for _, name in ipairs(names) do
        if type(name) ~= "string" then
            misuse(1, call, "the name of a column is a text, not the %s %s", type(name), tostring(name))
        end
        local count, fault = length_of(t[name])
        if not count then
            misuse(1, call, "column '%s' %s", name, fault)
        elseif rows and count ~= rows then
            misuse(1, call, "lengths differ: column '%s' has %s and '%s' has %d", first, counted(rows), name, count)
        end
        rows, first = count, first or name
    end
    return names, rows or 0
end

-- The order of columns that a table has already, if it is one of columns, or of arrays from a .npz file.
local function order_of(t)
    local meta = type(t) == "table" and getmetatable(t) or nil
    local kind = type(meta) == "table" and rawget(meta, "__name")
    return (kind == "columns" or kind == "arrays") and meta.names or nil, meta
end

-- Refuses an order that is no list of names of columns, each once.
local function check_order(t, names)
    if type(names) ~= "table" then
        misuse(2, "table", "list of column names expected, got %s", core.internal.kind_of(names))
    end
    local seen = {}
    for i, name in ipairs(names) do
        if t[name] == nil then
            misuse(2, "table", "there is no column '%s'", tostring(name))
        elseif seen[name] then
            misuse(2, "table", "names %d and %d are both '%s'", seen[name], i, name)
        end
        seen[name] = i
    end
end

-- lun.table(t [, names]): makes of the table t, of Vectors, records and lists of texts of one length, a table of
-- columns as lun.load gives; returns t. The columns in `names` come first, then the others by name; without names the
-- order that t had. Columns that are added later come last.
function M.table(t, names)
    local known, meta = order_of(t)
    if meta and not known then
        misuse(1, "table", "a table with a metatable of its own")
    elseif names ~= nil and type(t) == "table" then
        check_order(t, names)
        known = names
    end
    local order, rows = shape_of(t, known, "table")
    for _, name in ipairs(order) do
        records.is_column(t[name], name)
    end
    return frame.make(t, order, rows)
end

-- ---------------------------------------------------------------- rows

-- Row numbers as i64 from 0 to `rows`; and whether a 0 is among them, and where the first.
local function row_numbers(which, rows)
    if dtypes.is_beyond_lua(which:dtype()) then
        which = core.min(which, math.maxinteger)
    end
    which = which:cast "i64"
    local back = core.where(which:lt(-rows), -1, which + (rows + 1))
    local at = core.where(which:lt(0), back, which):eval()
    if at:size() == 0 then
        return at
    end
    local low, high = core.eval(at:lazy "min", at:lazy "max")
    if low < 0 or high > rows then
        local i = at:lt(0):lor(at:gt(rows)):cast("i8"):argmax()
        misuse(2, "rows", "row %d (number %d) is out of range for a table of %s", which[i], i, counted(rows))
    end
    return at, low == 0 and at:argmin() or nil
end

-- `which` for a table of so many rows: a mask, or nil, row numbers, and the index of the first 0 among them.
local function chosen(which, rows)
    if type(which) == "table" and not records.struct_of(which) then
        which = #which == 0 and core.zeros(0, "i64") or core.vector(which)
    elseif not core.isarray(which) then
        misuse(2, "rows", "bool or integer Vector expected, got %s", records.kind_of(which))
    end
    local dtype, rank = which:dtype(), select("#", which:shape())
    if rank ~= 1 or dtypes.is_float(dtype) then
        misuse(2, "rows", "bool or integer Vector expected, got %s", core.internal.kind_of(which))
    elseif dtype ~= "bool" then
        return nil, row_numbers(which, rows)
    elseif which:size() ~= rows then
        misuse(2, "rows", "lengths differ: the table has %s and the mask has %d", counted(rows), which:size())
    end
    return which:eval()
end

-- The texts of a list at these indices, "" at 0.
local function texts_at(list, places)
    local texts = {}
    for k, i in ipairs(places) do
        texts[k] = list[i] or ""
    end
    return texts
end

-- lun.rows(t, which): a new table of the rows of t that `which` says: a bool Vector with an element for each row, or
-- an integer Vector or list of row numbers, in any order, also several times, negative ones from the end. Row 0 is a
-- missing one: its elements are missing, "" among texts, an error among records.
function M.rows(t, which)
    if records.struct_of(t) then
        local mask, at, gap = chosen(which, #t)
        if gap then
            misuse(2, "rows", "row 0 (number %d): nothing can be missing among records", gap)
        end
        return (mask and t:compress(mask) or t:take(at)):eval()
    end
    local names, rows = shape_of(t, (order_of(t)), "rows")
    local mask, at, gap = chosen(which, rows)
    local result, list, numbers, places = {}, {}, nil, nil
    for _, name in ipairs(names) do
        local column = t[name]
        local struct = records.struct_of(column)
        if not struct and not core.isarray(column) then
            numbers = numbers or (at or mask:indices()):eval()
            result[name] = core.internal.texts_take(column, numbers)
            if not result[name] then
                places = places or numbers:totable()
                result[name] = texts_at(column, places)
            end
        elseif mask then
            result[name] = column:compress(mask)
        elseif gap and struct then
            misuse(2, "rows", "row 0 (number %d): the column '%s' is of records, in which nothing can be missing",
                gap, name)
        else
            result[name] = gap and column:take(at, { missing = core.na }) or column:take(at)
        end
        for _, array in ipairs(records.fields_of(result[name]) or { core.isarray(column) and result[name] or nil }) do
            list[#list + 1] = array
        end
    end
    evaluate(list)
    return frame.make(result, names, at and at:size() or mask:count())
end

return M
