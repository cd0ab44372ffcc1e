-- CSV (RFC 4180): text to a table of typed columns, and such a table to text.
-- Text is read and written in C (interp/csv).
--
-- Reading gives {[header name] = column}. A column whose fields are all integers is an i64 Vector
-- (u64 if they need it), one whose fields are all numbers or empty an f64 Vector with nan for the
-- empty ones, one of true and false alone a bool Vector, with blanks around or not; any other a Lua
-- table of strings, blanks included. Blank lines at the end are no rows. The order is that of the header, or
-- that of opts.columns, the names of the columns that are wanted (frame.lua).

local core = require "lunarray.core"
local dtypes = require "lunarray.base.dtypes"
local frame = require "lunarray.show.frame"
local raw = require "lunarray.format.raw"
local records = require "lunarray.base.records"

local csv = {
    load_options = { columns = true, sep = true },
    open_options = { columns = true, sep = true },
    save_options = { names = true, sep = true },
}

local internal = core.internal
local find = string.find

local EIO = 5 -- the system's number
local HEAD = 4096 -- bytes in which binary data show

-- ---------------------------------------------------------------- text to columns

-- Messages for the reader's faults.
local faults = {
    empty = "the file is empty; a header line was expected",
    ["open quote"] = "the quote opened here is never closed",
    ["after quote"] = "text after the closing quote of a field",
    ["late quote"] = "a quote after blanks; remove the blanks, or quote the whole field and double it",
    ["return"] = "a carriage return without a line feed; lines end in LF or CRLF",
    nul = "a NUL byte; this is not a text file",
    long = "the row that begins here is longer than 2 GB",
}

-- nil, message with the line, code. `names`: the header, if that is known.
local function failure(names, what, line, column, x, reason)
    if what == "packed" then
        return nil, line, column
    elseif what == "changed" then
        return nil, "the file has changed since it was opened; open it again", EIO
    elseif what == "unread" then
        return nil, x < 0 and "the file was truncated while it was read" or reason, x < 0 and "short" or x
    end
    local message = faults[what]
    if what == "ragged" then
        message = ("%d field%s, but the header has %d"):format(x, x == 1 and "" or "s", #names)
    elseif what == "encoding" then
        message = ("the byte 0x%02X is not UTF-8; convert the file first"):format(x)
    end
    if column and names and names[column] then
        message = ("%s (column %d, '%s')"):format(message, column, names[column])
    elseif column then
        message = ("%s (column %d)"):format(message, column)
    end
    return nil, ("line %d: %s"):format(line, message), "format"
end

-- Nil if `names` can be a header that is written, else what is wrong.
local function header_fault(names)
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

-- A file's names of columns without blanks around: an empty one is "c" and its number, one that there is already gets
-- the next number that no other name has, as in x_2.
local function complete(names)
    local given, used, out = {}, {}, {}
    for i, name in ipairs(names) do
        name = name:match "^[ \t]*(.-)[ \t]*$"
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
    end
    return out
end

-- Nil if opts.sep can separate fields, else the caller's mistake.
function csv.save_fault(opts)
    local sep = opts.sep
    if sep ~= nil and (type(sep) ~= "string" or #sep ~= 1 or find(sep, '[%z"\r\n\128-\255]')) then
        return ("sep is %s; one ASCII character between fields is expected, such as ';'"):format(
            type(sep) == "string" and ("%q"):format(sep) or "a " .. type(sep))
    end
end

-- Whether a file with that extension is gzip data.
local function is_packed(extension)
    return extension ~= nil and find(extension, "%.gz$") ~= nil
end

-- What separates the fields of a file with that extension; nil: its header says.
local function separator_of(opts, extension)
    return opts.sep or extension and find(extension, "^tsv") and "\t" or nil
end

-- Nil if opts.columns can be names of columns and opts.sep can separate fields, else the caller's mistake.
function csv.load_fault(opts)
    local wanted, seen, fault = opts.columns, {}, csv.save_fault(opts)
    if fault then
        return fault
    end
    if wanted ~= nil and (type(wanted) ~= "table" or #wanted == 0) then
        return 'columns is no list of names, such as {columns = {"x", "y"}}'
    end
    for i, name in ipairs(wanted or {}) do
        if type(name) ~= "string" then
            return ("columns[%d] is a %s, not a name"):format(i, type(name))
        elseif seen[name] then
            return ("columns has '%s' twice"):format(name)
        end
        seen[name] = true
    end
end

-- The numbers of the columns that are wanted and their names, or nil, message.
local function choose(names, wanted)
    local place, numbers = {}, {}
    for i, name in ipairs(names) do
        place[name] = i
    end
    for i, name in ipairs(wanted or names) do
        if not place[name] then
            return nil, ("no column '%s'; there are '%s'"):format(name, table.concat(names, "', '"))
        end
        numbers[i] = place[name]
    end
    return numbers, wanted and table.move(wanted, 1, #wanted, 1, {}) or names
end

-- A reader and the names of its columns, or nil, message, code.
local function open(source, opts, extension)
    local packed = is_packed(extension)
    local text, message, code
    if not source.handle or not source.left then -- it has no size
        text, message, code = source:peek(HEAD)
        if text and (packed or not find(text, "\0", 1, true)) then -- else enough is read to report the fault
            text, message, code = source:rest()
        end
        if not text then
            return nil, message, code
        end
    end
    local reader, names, line, column, x, reason = internal.csv_open(text or source.handle, source.left, nil, packed,
        separator_of(opts, extension))
    if not reader then
        return failure(nil, names, line, column, x, reason)
    end
    return reader, complete(names)
end

-- A reader, the names in its header, the numbers and the names of the columns that are wanted; or nil, message, code.
local function begin(source, opts, extension)
    local reader, names, code = open(source, opts, extension)
    if not reader then
        return nil, names, code
    end
    local numbers, wanted = choose(names, opts.columns)
    if not numbers then
        return nil, wanted, "format"
    end
    return reader, names, numbers, wanted
end

-- The table of columns that CSV text gives, or nil, message with the line, "format".
function csv.decode(source, opts, extension)
    local reader, names, numbers, wanted = begin(source, opts, extension)
    if not reader then
        return nil, names, numbers
    end
    local columns, rows, line, column, x, reason = internal.csv_columns(reader, numbers)
    internal.csv_close(reader)
    if not columns then
        return failure(names, rows, line, column, x, reason)
    end
    local t = frame.make({}, wanted, rows)
    for i, name in ipairs(wanted) do
        t[name] = columns[i]
    end
    return t
end

-- The same of a file, each of whose columns is read when it is first used; `path` is for errors then. All rows are
-- counted and checked now.
function csv.open(source, opts, extension, path)
    if not source.left then
        return nil, "not a regular file; use lun.load", "unsupported"
    end
    local reader, names, numbers, wanted = begin(source, opts, extension)
    if not reader then
        return nil, names, numbers
    end
    local none, rows, line, column, x, reason = internal.csv_columns(reader, {})
    if not none then
        return failure(names, rows, line, column, x, reason)
    end
    local number_of = {}
    for i, name in ipairs(wanted) do
        number_of[name] = numbers[i]
    end
    return frame.make({}, wanted, rows, function(name)
        local columns, what
        columns, what, line, column, x, reason = internal.csv_columns(reader, { number_of[name] })
        if not columns then
            local _, message = failure(names, what, line, column, x, reason)
            error(("%s: %s"):format(path, message), 0)
        end
        return columns[1]
    end)
end

-- ---------------------------------------------------------------- columns to text

-- The dtype in which elements of a kind are written.
local WRITTEN = { bool = "bool", signed = "i64", unsigned = "u64", float = "f64" }

-- A column for the writer (a rank-1 array or a Lua table) and its length, or nil and what is wrong with it.
local function column_to_write(column)
    if not core.isarray(column) then
        if type(column) ~= "table" then
            return nil, "is a " .. type(column) .. "; a column is a Vector or a Lua table"
        end
        local row, kind = internal.csv_check(column)
        if row and kind == "string" then
            return nil, ("row %d is not UTF-8 text"):format(row)
        elseif row then
            return nil, ("row %d is a %s; strings, numbers and booleans can be saved"):format(row, kind)
        end
        return column, #column
    end
    local usable, dtype = pcall(column.dtype, column)
    if not usable then
        return nil, "cannot be read: " .. dtype
    end
    local rank = select("#", column:shape())
    if rank ~= 1 then
        return nil, ("is of rank %d; a column is a Vector or a Lua table"):format(rank)
    end
    local written = WRITTEN[dtypes.by_name[dtype].kind]
    if not internal.streamed(column) then
        column:eval() -- else each batch would be computed when it is written
    end
    return dtype == written and column or column:cast(written), column:size()
end

-- The names of the columns to save, in order, or nil and what is wrong.
local function names_to_save(t, wanted)
    local meta = getmetatable(t)
    local names = wanted or frame.ordered(t, type(meta) == "table" and rawget(meta, "names") or nil)
    if type(names) ~= "table" or #names == 0 then
        return nil, wanted and "names is not a list of column names" or "no columns"
    end
    for _, name in ipairs(names) do
        if type(name) ~= "string" then
            return nil, ("the column name %s is not a string"):format(tostring(name))
        elseif t[name] == nil then
            return nil, ("no column '%s'"):format(name)
        elseif internal.csv_check { name } then
            return nil, ("the column name %q is not UTF-8 text"):format(name)
        end
    end
    return names
end

-- The names and columns of a table as a file has them: of records each field, called "name.field".
local function columns_to_save(t, wanted)
    local names, fault = names_to_save(t, wanted)
    if not names then
        return nil, fault
    end
    local flat, columns = {}, {}
    for _, name in ipairs(names) do
        records.each_column(name, t[name], function(label, column)
            flat[#flat + 1], columns[#columns + 1] = label, column
        end)
    end
    fault = header_fault(flat)
    if fault then
        return nil, fault
    end
    return flat, columns
end

-- An iterator over functions that write a table of columns (opts.names: which, in order; opts.sep), or nil and the
-- caller's mistake. Numbers are written so that they read back to the same bits.
function csv.encode(t, opts, extension)
    if type(t) ~= "table" or core.isarray(t) then
        return nil, "table of columns expected, {name = Vector or list, ...}"
    end
    local names, columns = columns_to_save(t, opts.names)
    if not names then
        return nil, columns
    end
    local rows
    for i, name in ipairs(names) do
        local count
        columns[i], count = column_to_write(columns[i])
        if not columns[i] then
            return nil, ("column '%s' %s"):format(name, count)
        end
        rows = rows or count
        if count ~= rows then
            local message = "lengths differ: column '%s' has %d rows and '%s' has %d"
            return nil, message:format(names[1], rows, name, count)
        end
    end
    return raw.pieces { function(handle)
        return internal.csv_write(handle, names, columns, rows, is_packed(extension),
            separator_of(opts, extension) or ",")
    end }
end

return csv
