-- Columns of tables on their way from and to files, whatever the format: validity joined, the column of paths, and the
-- arrays of bool, i64, u64, f64 or text that writers take.

local core = require "lunarray.core"
local dtypes = require "lunarray.base.dtypes"
local frame = require "lunarray.show.frame"
local numbers_as = require "lunarray.base.number"
local records = require "lunarray.base.records"

local M = {}

local internal = core.internal
local find = string.find

-- Whether a file with that extension is gzip data.
function M.is_packed(extension)
    return extension ~= nil and find(extension, "%.gz$") ~= nil
end

-- A column of these elements and, unless it is nil, their validity, in that dtype (nil: its own).
function M.joined(values, validity, dtype)
    local column = (validity ~= nil and internal.with_missing(values, validity) or values):eval()
    return dtype and dtype ~= column:dtype() and column:cast(dtype) or column
end

-- ---------------------------------------------------------------- names

-- The names of a table: an empty one is "c" and its number, one that there is already gets the next number that no
-- other name has, as in x_2. And a list of those that were made so.
function M.distinct(names)
    local given, used, out, made = {}, {}, {}, {}
    for i, name in ipairs(names) do
        out[i] = name == "" and "c" .. i or name
        given[out[i]] = true
    end
    for i, name in ipairs(out) do
        local number = 2
        while used[name] and (used[("%s_%d"):format(name, number)] or given[("%s_%d"):format(name, number)]) do
            number = number + 1
        end
        out[i] = used[name] and ("%s_%d"):format(name, number) or name
        used[out[i]] = true
        made[#made + 1] = out[i] ~= names[i] and out[i] or nil
    end
    return out, made
end

-- The numbers of the columns that are wanted, by name or number (nil: all), and their names; or nil, message.
function M.choose(names, wanted)
    local place, numbers, chosen = {}, {}, {}
    for i, name in ipairs(names) do
        place[name] = i
    end
    for i, name in ipairs(wanted or names) do
        local number = place[name] or math.type(name) == "integer" and names[name] and name
        if not number then
            return nil, ("no column '%s'; there are '%s'"):format(name, table.concat(names, "', '"))
        end
        numbers[i], chosen[i] = number, names[number]
    end
    return numbers, chosen
end

-- Adds a column of text with the path of each row's file; or nil, message, code.
function M.add_source(t, name, files)
    local paths, rows = {}, {}
    if frame.column(t, name) ~= nil then
        return nil, ("source names the column '%s', which the file has"):format(name), "format"
    end
    for k, from in ipairs(files) do
        paths[k], rows[k] = from.path, core.full(from.rows, k)
    end
    local usable, column = pcall(core.vector, paths, "text")
    if not usable then
        return nil, "source: a path is not UTF-8 text", "format"
    end
    t[name] = column:take(core.concat(rows)):eval()
    return t
end

-- ---------------------------------------------------------------- columns to write

-- Nil if `names` can be a header that is written, else what is wrong.
function M.header_fault(names)
    local seen = {}
    for i, name in ipairs(names) do
        if name == "" then
            return ("column %d has no name"):format(i)
        elseif seen[name] then
            return ("columns %d and %d are both named '%s'"):format(seen[name], i, name)
        end
        seen[name] = i
    end
end

-- The dtype in which elements of a kind are written.
local WRITTEN = { bool = "bool", signed = "i64", unsigned = "u64", float = "f64" }

-- The text of a list's element of a column that has elements of several kinds.
local function text_of(x)
    return type(x) == "number" and numbers_as.exact(x) or x == core.na and x or tostring(x)
end

-- The Vector that a Lua list is, or nil and what is wrong with it: of elements of several kinds a text one.
local function of_list(list)
    local kinds, values = {}, {}
    for i = 1, rawlen(list) do
        local x = rawget(list, i)
        local kind = type(x)
        if kind == "string" and (not utf8.len(x) or find(x, "\0", 1, true)) then
            return nil, ("row %d is not UTF-8 text"):format(i)
        elseif kind ~= "string" and kind ~= "number" and kind ~= "boolean" and x ~= core.na then
            return nil, ("row %d is a %s; strings, numbers and booleans can be saved"):format(i, kind)
        end
        values[i] = x
        kinds[x == core.na and "na" or math.type(x) or kind] = true
    end
    kinds.na = nil
    local first = next(kinds)
    if first == nil or next(kinds, first) == nil then
        return core.vector(values, first == "string" and "text" or nil)
    end
    for i, x in ipairs(values) do
        values[i] = text_of(x)
    end
    return core.vector(values, "text")
end

-- The texts of dates and timestamps, by a function unless that is nil, and of durations, which are seconds.
local function time_texts(column, dtype, dates)
    if dtype == "duration" then
        return column:seconds():format "%.6f":rtrim "0":rtrim "."
    end
    return dates and dates(column) or column:cast "text"
end

-- A column for the writer (a rank-1 array or a Lua table), its length and its validity, nil where no element is
-- missing; or nil and what is wrong with it.
function M.to_write(column, dates)
    if type(column) == "table" then
        local made, wrong = of_list(column)
        if not made then
            return nil, wrong
        end
        column = made
    elseif not core.isarray(column) then
        return nil, "is a " .. type(column) .. "; a column is a Vector or a Lua table"
    end
    local usable, dtype = pcall(column.dtype, column)
    if not usable then
        return nil, "cannot be read: " .. dtype
    end
    local rank = select("#", column:shape())
    if rank ~= 1 then
        return nil, ("is of rank %d; a column is a Vector or a Lua table"):format(rank)
    end
    if dtypes.by_name[dtype].part then
        return nil, ("is %s, which texts do not hold: save a:real() and a:imag()"):format(dtype)
    elseif dtypes.by_name[dtype].kind == "time" then
        return time_texts(column, dtype, dates):eval(), column:size(), nil, dtype
    elseif dtype == "text" then
        return column:eval(), column:size()
    end
    local valid
    if internal.has_missing(column) then
        column, valid = internal.slots(column), column:ismissing():eq(false):eval()
    end
    local written = WRITTEN[dtypes.by_name[dtype].kind]
    if not internal.streamed(column) then
        column:eval() -- else each batch would be computed when it is written
    end
    return dtype == written and column or column:cast(written), column:size(), valid
end

-- The names of the columns to save, in order, or nil and what is wrong.
local function names_to_save(t, wanted)
    local names = wanted or frame.ordered(t)
    if type(names) ~= "table" or #names == 0 then
        return nil, wanted and "names is not a list of column names" or "no columns"
    end
    for _, name in ipairs(names) do
        if type(name) ~= "string" then
            return nil, ("the column name %s is not a string"):format(tostring(name))
        elseif frame.column(t, name) == nil then
            return nil, ("no column '%s'"):format(name)
        elseif not utf8.len(name) or find(name, "\0", 1, true) then
            return nil, ("the column name %q is not UTF-8 text"):format(name)
        end
    end
    return names
end

-- The names and columns of a table as a file has them: of records each field, called "name.field".
local function to_save(t, wanted)
    local names, fault = names_to_save(t, wanted)
    if not names then
        return nil, fault
    end
    local flat, columns = {}, {}
    for _, name in ipairs(names) do
        records.each_column(name, frame.column(t, name), function(label, column)
            flat[#flat + 1], columns[#columns + 1] = label, column
        end)
    end
    fault = M.header_fault(flat)
    if fault then
        return nil, fault
    end
    return flat, columns
end

-- What a writer takes of a table: `names`, `columns`, `valid` (by their numbers, the validity of those of numbers that
-- have one), `rows`, `seconds` (which texts are durations); or nil and the caller's mistake. dates: gives the texts of
-- dates and timestamps.
function M.all_to_write(t, wanted, dates)
    local names, columns = to_save(t, wanted)
    if not names then
        return nil, columns
    end
    local rows
    local valid, seconds = {}, {}
    for i, name in ipairs(names) do
        local count, dtype
        columns[i], count, valid[i], dtype = M.to_write(columns[i], dates)
        if not columns[i] then
            return nil, ("column '%s' %s"):format(name, count)
        end
        seconds[i] = dtype == "duration"
        rows = rows or count
        if count ~= rows then
            local message = "lengths differ: column '%s' has %d rows and '%s' has %d"
            return nil, message:format(names[1], rows, name, count)
        end
    end
    return { names = names, columns = columns, valid = valid, rows = rows, seconds = seconds }
end

-- A column of a plain table, of which lists become arrays; or nil, message.
local function column_of(x, name)
    if type(x) == "table" and not records.struct_of(x) then
        local usable, made = pcall(core.vector, x)
        x = usable and made or nil
        return x, ("column '%s': %s"):format(name, tostring(made))
    elseif records.struct_of(x) then
        return nil, ("column '%s' is of records: give their fields"):format(name)
    elseif not core.isarray(x) then
        return nil, ("column '%s' is a %s: a column is an array or a list"):format(name, type(x))
    end
    return x
end

-- Names and arrays of a table, or of an array, which is a column named "value"; or nil, message.
function M.arrays_of(t, wanted)
    if core.isarray(t) then
        return { "value" }, { t }
    elseif type(t) ~= "table" or records.struct_of(t) then
        return nil, ("table of columns or array expected, got %s"):format(core.internal.kind_of(t))
    end
    local names, arrays = wanted or frame.ordered(t), {}
    for i, name in ipairs(names) do
        if type(name) ~= "string" or name == "" then
            return nil, ("the column name %s is no text, or empty"):format(tostring(name))
        elseif frame.column(t, name) == nil then
            return nil, ("no column '%s'"):format(name)
        end
        local x, message = column_of(frame.column(t, name), name)
        if not x then
            return nil, message
        end
        arrays[i] = x
    end
    return names, arrays
end

return M
