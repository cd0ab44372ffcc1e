-- CSV (RFC 4180): text to a table of typed columns, and such a table to text.
-- Knows nothing of files or of how arrays compute: it makes them from Lua tables and reads them so.
--
-- Reading gives {[header name] = column}. A column whose fields are all integers is an i64 Vector
-- (u64 if they need it), one whose fields are all numbers or empty an f64 Vector with nan for the
-- empty ones, one of true and false alone a bool Vector, with blanks around or not; any other a Lua
-- table of strings, blanks included. Blank lines at the end are no rows. The order is that of the header (frame.lua).

local core = require "lunarray.core"
local dtypes = require "lunarray.dtypes"
local frame = require "lunarray.frame"
local number = require "lunarray.number"

local csv = { load_options = {}, save_options = { names = true } }

local byte, find, gsub, match, sub = string.byte, string.find, string.gsub, string.match, string.sub
local math_type, parse, tonumber = math.type, number.parse, tonumber

local HEAD = 4096 -- bytes, in which what is no text shows
local BOM = "\239\187\191"
local QUOTE, COMMA, NEWLINE, RETURN = byte('",\n\r', 1, 4)
local BLANK = { [32] = true, [9] = true, [NEWLINE] = true, [RETURN] = true }
local TRUTH = { ["true"] = true, True = true, TRUE = true, ["false"] = false, False = false, FALSE = false }

-- ---------------------------------------------------------------- text to fields

-- The field in quotes that starts at `pos`, and the position after its closing quote.
local function quoted_field(text, pos)
    local stop = pos + 1
    while true do
        stop = find(text, '"', stop, true)
        if not stop then
            return nil, "the quote opened here is never closed", pos
        elseif byte(text, stop + 1) ~= QUOTE then
            return gsub(sub(text, pos + 1, stop - 1), '""', '"'), stop + 1
        end
        stop = stop + 2
    end
end

-- The fields of the record that starts at `pos`, with every rule of the format, and the position
-- of the next record; or nil, message, position of the fault.
local function record(text, pos)
    local fields, n = {}, 0
    while true do
        local field
        if byte(text, pos) == QUOTE then
            local after, fault
            field, after, fault = quoted_field(text, pos)
            if not field then
                return nil, after, fault
            end
            pos = after
        else
            local stop = find(text, '[,"\r\n]', pos) or #text + 1
            if byte(text, stop) == QUOTE then -- 5'11" is a text as it stands, blanks before quotes are a slip
                if not find(sub(text, pos, stop - 1), "[^ \t]") then
                    return nil, "a quote after blanks; remove the blanks, or quote the whole field and double it", stop
                end
                stop = find(text, "[,\r\n]", stop) or #text + 1
            end
            field = sub(text, pos, stop - 1)
            pos = stop
        end
        n = n + 1
        fields[n] = field
        local c = byte(text, pos)
        if c == COMMA then
            pos = pos + 1
        elseif c == NEWLINE then
            return fields, pos + 1
        elseif not c then
            return fields, pos
        elseif c ~= RETURN then
            return nil, "text after the closing quote of a field", pos
        elseif byte(text, pos + 1) == NEWLINE then
            return fields, pos + 2
        else
            return nil, "a carriage return without a line feed; lines end in LF or CRLF", pos
        end
    end
end

-- For the common record, without quotes: patterns that take eight fields each, then the position
-- after them. Where fewer are left, positions stand in for fields, for columns past the last.
local function record_patterns(width)
    local patterns = {}
    for first = 1, width, 8 do
        local count = math.min(8, width - first + 1)
        local fields = ("([^,\"\r\n]*),"):rep(count - 1) .. "([^,\"\r\n]*)"
        local ends = first + 8 > width and "\r?\n" or ","
        patterns[#patterns + 1] = { "^" .. fields .. ends .. ("()"):rep(9 - count), first }
    end
    return patterns
end

-- The length of `text` without blank lines at its end.
local function without_blank_lines(text)
    local last = #text
    while last > 0 and BLANK[byte(text, last)] do
        last = last - 1
    end
    return find(text, "\n", last + 1, true) or #text
end

-- The records from `pos` on, by columns: a list of `width` lists of strings and their length;
-- or nil, message, position of the fault.
local function columns_of(text, pos, width)
    local columns, rows, size = {}, 0, without_blank_lines(text)
    local patterns = record_patterns(width)
    for c = 1, #patterns * 8 do
        columns[c] = {}
    end
    while pos <= size do
        local start, row = pos, rows + 1
        for i = 1, #patterns do
            local p = patterns[i]
            local c = p[2]
            local f1, f2, f3, f4, f5, f6, f7, f8, after = match(text, p[1], pos)
            pos = after
            if not pos then
                break
            end
            columns[c][row], columns[c + 1][row] = f1, f2
            columns[c + 2][row], columns[c + 3][row] = f3, f4
            columns[c + 4][row], columns[c + 5][row] = f5, f6
            columns[c + 6][row], columns[c + 7][row] = f7, f8
        end
        if not pos then
            local fields, after, fault = record(text, start)
            if not fields then
                return nil, after, fault
            elseif #fields ~= width then
                local message = "%d field%s, but the header has %d"
                return nil, message:format(#fields, #fields == 1 and "" or "s", width), start
            end
            for c = 1, width do
                columns[c][row] = fields[c]
            end
            pos = after
        end
        rows = row
    end
    return columns, rows
end

-- ---------------------------------------------------------------- fields to columns

-- Whether every field is an integer without sign from 0 to 2^64 - 1: then their u64 Vector.
local function unsigned_column(fields, rows)
    local packed = {}
    for i = 1, rows do
        local digits = match(fields[i], "^0*(%d+)$")
        if not digits or #digits > 20 or #digits == 20 and digits > "18446744073709551615" then
            return nil
        end
        local last = tonumber(sub(digits, -1)) -- apart: the sum may wrap, the rest is no float
        packed[i] = string.pack("<i8", (tonumber(sub(digits, 1, -2)) or 0) * 10 + last)
    end
    return core.frombytes(table.concat(packed), "u64")
end

-- The Vector of the numbers that these fields are; or nil and the first field that is none.
local function numbers(fields, rows)
    local values, floats, beyond = {}, false, false
    for i = 1, rows do
        local s = fields[i]
        local x
        if s == "" then
            x, floats = 0.0 / 0.0, true
        else
            x = not find(s, "[^%d.eE+-]") and tonumber(s) or parse(s)
            if not x then
                return nil, s
            elseif math_type(x) == "float" then
                floats = true
                beyond = beyond or not find(s, "[^%d]")
            end
        end
        values[i] = x
    end
    if not floats then
        return core.vector(values, "i64")
    elseif beyond then
        local column = unsigned_column(fields, rows)
        if column then
            return column
        end
    end
    for i = 1, rows do
        if values[i] == 0 and byte(fields[i]) == 45 then
            values[i] = -0.0 -- "-0" is an integer only among integers
        end
    end
    return core.vector(values, "f64")
end

-- The bool Vector that these fields are, or nil.
local function truths(fields, rows)
    local values = {}
    for i = 1, rows do
        local x = TRUTH[fields[i]]
        if x == nil then
            return nil
        end
        values[i] = x
    end
    return core.vector(values, "bool")
end

-- The column that these fields are: an array, or the fields themselves.
local function typed(fields, rows)
    local column, odd = numbers(fields, rows)
    if column then
        return column
    elseif find(odd, "^[ \t]") or find(odd, "[ \t]$") then
        local bare = {}
        for i = 1, rows do
            bare[i] = match(fields[i], "^[ \t]*(.-)[ \t]*$")
        end
        return numbers(bare, rows) or truths(bare, rows) or fields
    end
    return truths(fields, rows) or fields
end

-- Nil if `names` can be a header, else what is wrong with it.
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

-- Nil if `text` is UTF-8 without NUL, else what is wrong and where.
local function text_fault(text)
    local nul = find(text, "\0", 1, true)
    if nul then
        return "a NUL byte; this is not a text file", nul
    end
    local _, bad = utf8.len(text)
    if bad then
        return ("the byte 0x%02X is not UTF-8; convert the file first"):format(byte(text, bad)), bad
    end
end

-- The table of columns that CSV text gives, or nil, message with the line, "format".
function csv.decode(source)
    local text, failure, errno = source:peek(HEAD)
    if text and not find(text, "\0", 1, true) then -- else enough is read to say what is wrong
        text, failure, errno = source:rest()
    end
    if not text then
        return nil, failure, errno
    end
    local function bad(message, pos)
        local _, newlines = gsub(sub(text, 1, pos - 1), "\n", "")
        return nil, ("line %d: %s"):format(newlines + 1, message), "format"
    end
    local fault, where = text_fault(text)
    if fault then
        return bad(fault, where)
    end
    local pos = sub(text, 1, 3) == BOM and 4 or 1
    if pos > #text then
        return bad("the file is empty; a header line was expected", 1)
    end
    local names, after, place = record(text, pos)
    if not names then
        return bad(after, place)
    end
    fault = header_fault(names)
    if fault then
        return bad(fault, pos)
    end
    local columns, rows, spot = columns_of(text, after, #names)
    if not columns then
        return bad(rows, spot)
    end
    local t = frame.make({}, names, rows)
    for i, name in ipairs(names) do
        t[name] = typed(columns[i], rows)
        columns[i] = nil -- its strings need not outlive it
    end
    return t
end

-- ---------------------------------------------------------------- columns to text

local function quote(text)
    if find(text, '[,"\r\n]') or sub(text, 1, 3) == BOM then
        return '"' .. gsub(text, '"', '""') .. '"'
    end
    return text
end

-- The field for one element of a column, or nil and what is wrong.
local function field(x)
    local t = type(x)
    if t == "number" then
        return number.exact(x)
    elseif t == "boolean" then
        return tostring(x)
    elseif t ~= "string" then
        return nil, "is a " .. t .. "; strings, numbers and booleans can be saved"
    elseif text_fault(x) then
        return nil, "is not UTF-8 text"
    end
    return quote(x)
end

-- The fields of a column (a rank-1 array or a Lua table), or nil and what is wrong with it.
local function fields_of(column)
    local values, convert = column, field
    if core.isarray(column) then
        local usable, dtype = pcall(column.dtype, column)
        if not usable then
            return nil, "cannot be read: " .. dtype
        end
        local rank = select("#", column:shape())
        if rank ~= 1 then
            return nil, ("is of rank %d; a column is a Vector or a Lua table"):format(rank)
        end
        values = column:totable()
        convert = dtypes.is_beyond_lua(dtype) and number.unsigned or field
    elseif type(column) ~= "table" then
        return nil, "is a " .. type(column) .. "; a column is a Vector or a Lua table"
    end
    local fields = {}
    for i = 1, #values do
        local text, fault = convert(values[i])
        if not text then
            return nil, ("row %d %s"):format(i, fault)
        end
        fields[i] = text
    end
    return fields
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
        elseif text_fault(name) then
            return nil, ("the column name %q is not UTF-8 text"):format(name)
        end
    end
    local fault = header_fault(names)
    if fault then
        return nil, fault
    end
    return names
end

-- An iterator over the text of a table of columns (opts.names: which, in order), or nil and what
-- the caller did wrong. Numbers are written so that they read back to the same bits.
function csv.encode(t, opts)
    if type(t) ~= "table" or core.isarray(t) then
        return nil, "table of columns expected, {name = Vector or list, ...}"
    end
    local names, fault = names_to_save(t, opts.names)
    if not names then
        return nil, fault
    end
    local columns, header, rows = {}, {}, nil
    for i, name in ipairs(names) do
        columns[i], fault = fields_of(t[name])
        if not columns[i] then
            return nil, ("column '%s' %s"):format(name, fault)
        end
        rows = rows or #columns[1]
        if #columns[i] ~= rows then
            local message = "lengths differ: column '%s' has %d rows and '%s' has %d"
            return nil, message:format(names[1], rows, name, #columns[i])
        end
        header[i] = quote(name)
    end
    local row = 0
    return function()
        if row > rows then
            return nil
        end
        local lines = row == 0 and { table.concat(header, ",") } or {}
        for i = math.max(row, 1), math.min(row + 1023, rows) do
            local line = {}
            for c = 1, #columns do
                line[c] = columns[c][i]
            end
            line = table.concat(line, ",")
            lines[#lines + 1] = find(line, "[^ \t]") and line or '"' .. line .. '"' -- a blank line may be no row
        end
        row = row + 1024
        return table.concat(lines, "\n") .. "\n"
    end
end

return csv
