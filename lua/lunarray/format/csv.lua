-- CSV (RFC 4180): text to a table of typed columns, and such a table to text.
-- Text is read and written in C (interp/csv).
--
-- Reading gives {[header name] = column}. A column whose fields are all integers is an i64 Vector (u64 if they need
-- it), one whose fields are all numbers an f64 Vector, one of true and false alone a bool Vector, with blanks around
-- or not, and fields that are missing; any other, and digits with leading zeros, a text Vector, blanks included. Empty
-- lines are no rows, in files of one column those at the end. The order is that of the header, or that of
-- opts.columns, the names of the columns that are wanted (frame.lua). getmetatable(t).csv says how the file was read:
-- `separator`, `nameless` (its first line is a row and gives no names), `skipped` (rows left out).

local columns_in = require "lunarray.format.columns"
local core = require "lunarray.core"
local csvpipe = require "lunarray.format.csvpipe"
local csvrows = require "lunarray.format.csvrows"
local file = require "lunarray.format.file"
local frame = require "lunarray.show.frame"
local object = require "lunarray.table.object"
local opened = require "lunarray.stream.opened"
local options = require "lunarray.format.csvoptions"
local progress = require "lunarray.base.progress"
local raw = require "lunarray.format.raw"
local zip = require "lunarray.format.zip"

local csv = {
    load_options = options.reading,
    open_options = options.reading,
    load_fault = options.load_fault,
    save_options = options.writing,
    save_fault = options.save_fault,
}

local internal = core.internal
local find = string.find

local ENOENT, EIO = 2, 5 -- the system's numbers
local HEAD = 4096 -- bytes in which binary data show

-- ---------------------------------------------------------------- text to columns

-- Messages for the reader's faults.
local faults = {
    empty = "the file is empty; a header line was expected",
    ["open quote"] = "the quote opened here is never closed",
    ["after quote"] = "text after the closing quote of a field; a quote within quotes is doubled, and {quote = false} "
        .. "takes quotes as they are",
    ["late quote"] = "a quote after blanks; remove the blanks, or quote the whole field and double it",
    ["return"] = "a carriage return without a line feed; lines end in LF or CRLF, or all of them in CR",
    feed = "a line feed outside of quotes, where lines end in carriage returns",
    nul = "a NUL byte; this is not a text file, or of an encoding such as {encoding = \"utf-16le\"}",
    long = "the row that begins here is longer than 2 GB",
    many = "more different texts in a column than an array can have, 2147483646",
}

-- nil, message with the line, code. `names`: the header, if that is known; `chosen`: by their numbers, the dtypes that
-- columns must have; `lines`: how many come before the text, nil: none.
local function failure(names, chosen, lines, what, line, column, x, reason)
    local dtype = chosen and chosen[column]
    if what == "packed" then
        return nil, line, column
    elseif what == "many" then
        return nil, faults.many, "unsupported"
    elseif what == "offsets" then
        return nil, ("times with and without an offset from UTC (column %d, '%s')"):format(column, names[column]),
            "format"
    elseif what == "changed" then
        return nil, "the file has changed since it was opened; open it again", EIO
    elseif what == "unread" then
        return nil, x < 0 and "the file was truncated while it was read" or reason, x < 0 and "short" or x
    end
    local message = faults[what == "return" and x == 10 and "feed" or what]
    if what == "ragged" then
        message = '%d field%s, but the header has %d; %s{ragged = "skip"} leaves such rows out'
        message = message:format(x, x == 1 and "" or "s", #names,
            x < #names and '{ragged = "fill"} makes the others missing, ' or "")
    elseif what == "misfit" then
        message = ("'%s' is no %s"):format(reason, dtype or "text")
    elseif what == "encoding" then
        message = ("the byte 0x%02X is not UTF-8; {encoding = \"latin1\"} or another says what it is"):format(x)
    elseif what == "recode" then
        message = ("the byte 0x%02X is no character of the encoding"):format(x)
    elseif what == "no encoding" then
        return nil, "iconv has no such encoding; 'iconv -l' lists those of this machine", "unsupported"
    end
    if column and names and names[column] then
        message = ("%s (column %d, '%s')"):format(message, column, names[column])
    elseif column then
        message = ("%s (column %d)"):format(message, column)
    end
    return nil, ("line %d: %s"):format(line + (lines or 0), message), "format"
end

-- A file's names of columns without blanks around, and a list of those that were made.
local function complete(names)
    local trimmed = {}
    for i, name in ipairs(names) do
        trimmed[i] = name:match "^[ \t]*(.-)[ \t]*$"
    end
    return columns_in.distinct(trimmed)
end

csv.complete = complete

-- What separates the fields of a file with that extension; nil: its header says.
local function separator_of(opts, extension)
    return opts.sep or extension and find(extension, "^tsv") and "\t" or nil
end

-- The names of columns: those in the options, in the header, or c1, c2 and so on, and a list of those that were made;
-- or nil, message.
local function names_for(opts, header, nameless)
    if opts.names and #opts.names ~= #header then
        return nil, ("names has %d names, but there are %d columns"):format(#opts.names, #header)
    elseif opts.names then
        return table.move(opts.names, 1, #opts.names, 1, {}), {}
    end
    local names = {}
    for i, name in ipairs(header) do
        names[i] = nameless and "" or name
    end
    return complete(names)
end

-- A reader, the names in the header, whether there is none, and the separator; or nil, message, code.
local function open(source, opts, extension)
    local packed = columns_in.is_packed(extension)
    local text, message, code
    if not source.handle or not source.left then -- it has no size
        text, message, code = source:peek(HEAD)
        if text and (packed or opts.encoding or find(text, "^\255\254") or find(text, "^\254\255")
            or not find(text, "\0", 1, true)) then -- else enough is read to report the fault
            text, message, code = source:rest()
        end
        if not text then
            return nil, message, code
        end
    end
    local reader, names, nameless, separator, x, reason = internal.csv_open(text or source.handle, source.left, nil,
        packed, options.rules(opts, separator_of(opts, extension)))
    if not reader then
        return failure(nil, nil, opts.lines, names, nameless, separator, x, reason)
    end
    return reader, names, nameless, separator
end

-- A source of the text in a zip archive that has nothing else, and its extension; or nil, message, code.
local function unzipped(source)
    local message, code, members, text
    source, message, code = source:seekable()
    if not source then
        return nil, message, code
    end
    members, message, code = zip.members(source)
    if not members then
        return nil, message, code
    end
    local extension = #members == 1 and members[1].name:lower():match "%.([ct]sv)$"
        or #members == 1 and members[1].name:lower():match "%.(txt)$"
    if not extension then
        return nil, ("the archive has %d members; one .csv, .tsv or .txt file is expected: unpack it first"):format(
            #members), "unsupported"
    end
    text, message, code = zip.read(source, members[1])
    if not text then
        return nil, message, code
    end
    return file.source(text), extension
end

-- A file that is read: its reader, `names`, `numbers` of the columns that are wanted and their names `wanted`, `hows`
-- to read them and `dtypes` that they get; or nil, message, code.
local function begin(source, opts, extension)
    if extension and find(extension, "zip$") then
        local why
        source, extension, why = unzipped(source)
        if not source then
            return nil, extension, why
        end
    end
    local reader, header, nameless, separator = open(source, opts, extension)
    if not reader then
        return nil, header, nameless
    end
    local names, made = names_for(opts, header, nameless)
    if not names then
        return nil, made, "format"
    end
    local option, name = options.unknown(opts, names)
    if option then
        return nil, ("%s has '%s', but there are the columns '%s'"):format(option, name, table.concat(names, "', '")),
            "format"
    end
    local numbers, wanted = columns_in.choose(names, opts.columns)
    if not numbers then
        return nil, wanted, "format"
    end
    local from = { reader = reader, names = names, numbers = numbers, wanted = wanted, hows = {}, dtypes = {},
        chosen = {}, lines = opts.lines,
        about = { separator = separator, nameless = nameless, skipped = 0, made = made } }
    for i, number in ipairs(numbers) do
        from.hows[i], from.dtypes[i] = options.how(opts, names[number])
        from.chosen[number] = from.dtypes[i]
    end
    return from
end

-- Columns of a file, by `hows`: a list of values, that of their validities, their flags, the number of rows; or nil,
-- message, code.
local function columns_of(from, numbers, hows)
    local columns, rows, flags, valid, skipped, reason = internal.csv_columns(from.reader, numbers, hows)
    if not columns then
        return failure(from.names, from.chosen, from.lines, rows, flags, valid, skipped, reason)
    end
    from.about.skipped = skipped
    return columns, valid, flags, rows
end

-- Leaves a note for the prompt, csv.note, where a first line was taken as a row for its numbers alone.
local function leave_note(from, opts, path)
    if from.about.nameless and opts.header == nil and not opts.names then
        csv.note = ("%s: line %d is numbers: taken as data; {header = true} makes it names"):format(path,
            (opts.skip or 0) + 1)
    end
end

-- How a column is read once more to be of that kind.
local function again_as(kind, how)
    return { kind = kind, missing = how.missing, undated = how.undated }
end

-- The words that stood for missing elements in columns with these flags, each once.
local function words_of(flags)
    local all = 0
    for _, seen in ipairs(flags) do
        all = all | (internal.csv_kind(seen) ~= "text" and seen or 0)
    end
    return (select(2, internal.csv_kind(all)))
end

-- The table of columns: their names, values, validities and the dtypes that they get; about: how they were read.
local function make_table(names, columns, valid, kinds, rows, about)
    local by_name = {}
    for i, name in ipairs(names) do
        by_name[name] = columns_in.joined(columns[i], valid[i], kinds[i])
    end
    local t = object.make(by_name, names, rows)
    getmetatable(t).csv = about
    return t
end

-- The table of columns that CSV text gives, or nil, message with the line, "format"; path: what the option source says.
function csv.decode(source, opts, extension, path)
    local from, message, code = begin(source, opts, extension)
    if not from then
        return nil, message, code
    end
    local columns, valid, flags, rows = columns_of(from, from.numbers, from.hows)
    if not columns then
        return nil, valid, flags
    end
    internal.csv_close(from.reader)
    from.about.words = words_of(flags)
    leave_note(from, opts, path)
    local t = make_table(from.wanted, columns, valid, from.dtypes, rows, from.about)
    if opts.source then
        return columns_in.add_source(t, opts.source, { { path = path, rows = rows } })
    end
    return t
end

-- ---------------------------------------------------------------- several files

-- A file that is begun: columns in the order of the first one's; or nil, message, code.
local function begin_file(path, opts, extension, first)
    local source <close>, message, code = file.open(path)
    if not source then
        return nil, message, code
    end
    local from
    if first then
        opts = setmetatable({ columns = first.wanted }, { __index = opts })
    end
    from, message, code = begin(source, opts, extension)
    if from and first and #from.names ~= #first.names and not first.chosen_by_name then
        from, message, code = nil, ("%d columns, but %s has %d"):format(#from.names, first.path, #first.names), "format"
    end
    if not from then
        return nil, path .. ": " .. message, code
    end
    from.path, from.opts, from.extension = path, opts, extension
    from.chosen_by_name = opts.columns ~= nil
    local values, valid, flags, rows = columns_of(from, from.numbers, from.hows)
    internal.csv_close(from.reader)
    if not values then
        return nil, path .. ": " .. valid, flags
    end
    from.values, from.valid, from.flags, from.rows = values, valid, flags, rows
    return from
end

-- Reads columns of a file once more, each to be of the kind kinds[i], where that is not nil: true, or nil, message,
-- code.
local function read_again(from, kinds)
    local source <close>, message, code = file.open(from.path)
    if not source then
        return nil, message, code
    end
    local again
    again, message, code = begin(source, from.opts, from.extension)
    if not again then
        return nil, from.path .. ": " .. message, code
    end
    for i = 1, #from.wanted do
        local values, valid, flags, rows
        if kinds[i] then
            values, valid, flags, rows = columns_of(again, { again.numbers[i] }, { again_as(kinds[i], from.hows[i]) })
            if not values or rows ~= from.rows then
                return nil, from.path .. ": " .. (values and "the file has changed while it was read" or valid),
                    values and EIO or flags
            end
            from.values[i], from.valid[i] = values[1], valid[1]
        end
    end
    internal.csv_close(again.reader)
    return true
end

-- What column i of all files is, and its flags.
local function common_kind(files, i)
    local flags = 0
    for _, from in ipairs(files) do
        flags = flags | from.flags[i]
    end
    return files[1].dtypes[i] and files[1].values[i]:dtype() or internal.csv_kind(flags), flags
end

-- Makes column i of all files one: its values and validity.
local function appended(files, i)
    local list, valid, some = {}, {}, false
    for k, from in ipairs(files) do
        list[k] = from.values[i]
        some = some or from.valid[i] ~= nil
        valid[k] = from.valid[i] ~= nil and from.valid[i] or core.zeros(from.rows, "bool"):eq(false)
    end
    return core.concat(list):eval(), some and core.concat(valid):eval() or nil
end

-- The table of the rows of several files, one after the other: `list` has the path and extension of each. Nil, message,
-- code.
function csv.decode_all(list, opts)
    local files, rows, skipped = {}, 0, 0
    for i, one in ipairs(list) do
        local left = opts.nrows and math.max(opts.nrows - rows, 0)
        local mine = left and setmetatable({ nrows = left }, { __index = opts }) or opts
        local from, message, code = begin_file(one.path, mine, one.extension, files[1])
        if not from then
            return nil, message, code
        end
        files[i] = from
        rows, skipped = rows + from.rows, skipped + from.about.skipped
    end
    local kinds, flags, first = {}, {}, files[1]
    for i in ipairs(first.wanted) do
        kinds[i], flags[i] = common_kind(files, i)
    end
    for _, from in ipairs(files) do
        local other, some = {}, false
        for i, kind in ipairs(kinds) do
            other[i] = from.values[i]:dtype() ~= kind and kind or false
            some = some or other[i]
        end
        local ok, message, code = true, nil, nil
        if some then
            ok, message, code = read_again(from, other)
        end
        if not ok then
            return nil, message, code
        end
    end
    local columns, valid = {}, {}
    for i in ipairs(first.wanted) do
        columns[i], valid[i] = appended(files, i)
    end
    first.about.skipped, first.about.words = skipped, words_of(flags)
    leave_note(first, opts, first.path)
    local t = make_table(first.wanted, columns, valid, first.dtypes, rows, first.about)
    if opts.source then
        local message, code
        t, message, code = columns_in.add_source(t, opts.source, files)
        return t, message and first.path .. ": " .. message, code
    end
    return t
end

-- ---------------------------------------------------------------- rows that stay in their files

-- Whether no quote is open at the end of a text of rows, or of a header and rows.
local function ends_with_row(text, opts, separator)
    local reader, what = internal.csv_open(text, #text, nil, false, options.rules(opts, separator))
    if reader then
        local columns
        internal.csv_next(reader)
        columns, what = internal.csv_columns(reader, {})
        internal.csv_close(reader)
        what = not columns and what
    end
    return what ~= "open quote"
end

-- The opened table of what comes once from a source without a size; or nil, message, code.
local function open_pipe(source, one, opts)
    local start, message, code = source:peek(2)
    if start and (start == "\31\139" or columns_in.is_packed(one.extension)) then
        one = { path = one.path, extension = one.extension and one.extension:gsub("%.gz$", "") }
        source = csvpipe.unpacked(source)
        start, message, code = source:peek(2)
    end
    if not start then
        return nil, one.path .. ": " .. message, code
    elseif find(one.extension or "", "zip$") or options.rules(opts).encoding
        or start == "\255\254" or start == "\254\255" then
        return nil, one.path .. ": zip archives, and text of another encoding, are read once and whole; use lun.load",
            "unsupported"
    end
    local quote = opts.quote == nil and '"' or opts.quote
    local pipe, separator = csvpipe.new(source, quote), separator_of(opts, one.extension)
    local rows = setmetatable({ header = false, skip = 0 }, { __index = opts })
    local function part(k)
        return pipe:go(k, function(text)
            return ends_with_row(text, k == 1 and opts or rows, separator)
        end)
    end
    local some
    some, message, code = part(1)
    if some == nil then
        return nil, one.path .. ": " .. message, code
    end
    local list = setmetatable({ once = true }, { __index = function(_, k)
        local more, why = part(k)
        if more == nil then
            error(("%s: %s"):format(one.path, why), 0)
        end
        return more and one or nil
    end })
    return csvrows.open(list, opts, function(_, left, first)
        local mine = { nrows = left }
        if pipe.number > 1 then
            separator = first.about.separator
            mine.header, mine.skip, mine.sep = true, 0, separator
            mine.names, mine.columns = first.names, first.wanted
        end
        local text, lines = pipe:file(first and #first.names, separator)
        mine.lines = lines
        local from, why, number = begin(text, setmetatable(mine, { __index = opts }), one.extension)
        if not from then
            return nil, one.path .. ": " .. why, number
        end
        from.path, from.source = one.path, text
        return from
    end, columns_of, columns_in.joined)
end

-- The opened table of files, whose rows are read where they are used; or nil, message, code. list: path and extension
-- of each.
function csv.open(list, opts)
    if #list == 1 then
        local only, message, code = list[1], nil, nil
        local source = only.handle and file.stream(only.handle)
        if not source then
            source, message, code = file.open(only.path)
        end
        if not source then
            return nil, message, code
        elseif not source.left then
            return open_pipe(source, only, opts)
        end
        source:close()
    end
    return csvrows.open(list, opts, function(one, left, first)
        local source, message, code = file.open(one.path)
        if not source then
            return nil, message, code
        elseif not source.left then
            source:close()
            return nil, one.path .. ": not a regular file; it is opened alone, or use lun.load", "unsupported"
        end
        local mine = opts
        if first or left then
            mine = setmetatable({ nrows = left, columns = first and first.wanted }, { __index = opts })
        end
        local from
        from, message, code = begin(source, mine, one.extension)
        if from and first and #from.names ~= #first.names and not opts.columns then
            from, message, code = nil, ("%d columns, but %s has %d"):format(#from.names, first.path, #first.names),
                "format"
        end
        if not from then
            source:close()
            return nil, one.path .. ": " .. message, code
        end
        from.path, from.source = one.path, source
        return from
    end, columns_of, columns_in.joined)
end

-- ---------------------------------------------------------------- columns to text

-- How a table is written to a file with that extension: internal.csv_write.
local function form_of(opts, extension)
    return {
        separator = separator_of(opts, extension) or opts.decimal == "," and ";" or ",", decimal = opts.decimal,
        quote = opts.quote, float = opts.float, na = opts.na,
    }
end

-- Nil if names and texts can be written without quotes, where the form has none, else what is wrong.
local function quotes_fault(names, columns, form)
    local message = "needs quotes, which {quote = \"none\"} does not write"
    if form.quote ~= "none" then
        return nil
    end
    local row = internal.csv_check(core.vector(names, "text"), form)
    if row then
        return ("the column name %q %s"):format(names[row], message)
    end
    for i, name in ipairs(names) do
        row = columns[i]:dtype() == "text" and internal.csv_check(columns[i], form)
        if row then
            return ("column '%s': row %d %s"):format(name, row, message)
        end
    end
end

-- What a file at `path` that rows are added to is: whether it has a header, and whether its last line lacks a newline;
-- or nil, message, code where its columns are others.
local function present(path, names, opts, extension)
    local source <close>, message, code = file.open(path)
    if not source then
        if code == ENOENT then
            return false, false
        end
        return nil, message, code
    elseif not source.left then -- it was empty, or has no size
        return false, false
    end
    local reader, header, unended, x
    reader, header, message, code, unended, x = internal.csv_open(source.handle, source.left, nil,
        columns_in.is_packed(extension), options.rules({ sep = form_of(opts, extension).separator,
            header = opts.header }))
    if not reader then
        message, code = select(2, failure(nil, nil, nil, header, message, code, unended, x))
        return nil, path .. ": " .. message, code
    end
    internal.csv_close(reader)
    local there = opts.header == false and #header == #names and names or complete(header)
    for i = 1, math.max(#names, #there) do
        if there[i] ~= names[i] then
            return nil, ("%s: append: the file has the columns '%s', the table '%s'"):format(path,
                table.concat(there, "', '"), table.concat(names, "', '")), "format"
        end
    end
    return true, unended
end

-- A newline in such a file.
local function newline_in(extension)
    if not columns_in.is_packed(extension) then
        return "\n"
    end
    local head, crc = "\31\139\8\0\0\0\0\0\0\255", internal.crc32 "\n" -- RFC 1952: a member without a name
    return head .. internal.deflate "\n" .. ("<I4I4"):pack(crc, 1)
end

-- How dates and timestamps are written; nil: by ISO 8601.
local function dates_of(opts)
    return opts.dates and function(column)
        return column:format(opts.dates)
    end
end

-- An iterator over one function, which writes to a file what f does, behind a newline where its last line has none.
local function written_behind(unended, extension, f)
    return raw.pieces { function(handle)
        if unended then
            local ok, message, number = handle:write(newline_in(extension))
            if not ok then
                return nil, message, number
            end
        end
        return f(handle)
    end }
end

-- The rows of an opened table behind those in a file of Lua's: true; or nil, message, code.
local function write_opened(handle, t, names, opts, extension, headed)
    local start = handle:seek("cur")
    local form, failure_of = form_of(opts, extension), nil
    local function fail(...)
        failure_of = table.pack(...)
        return true
    end
    opened.written(t, names, function(part, before)
        local columns, valid = {}, {}
        for i, name in ipairs(names) do
            local length
            columns[i], length, valid[i] = columns_in.to_write(frame.column(part, name), dates_of(opts))
            if not columns[i] then
                return fail(nil, ("column '%s' %s"):format(name, length), "format")
            end
        end
        local wrong = quotes_fault(names, columns, form)
        if wrong then
            return fail(nil, wrong, "format")
        end
        local ok, message, code = internal.csv_write(handle, names, columns, #part, columns_in.is_packed(extension),
            form, valid, headed or before > 0)
        return not ok and fail(nil, message, code)
    end, function()
        if not (start and handle:seek("set", start) and internal.cut(handle, start)) then
            error("a column is of another dtype behind rows that are written; say it: {dtypes = {...}}", 0)
        end
    end)
    if failure_of then
        return table.unpack(failure_of, 1, 3)
    end
    return true
end

-- Functions that write an opened table, as csv.encode gives them.
local function encode_opened(t, opts, extension, path)
    local names = opts.columns or opts.names or t:names()
    for _, name in ipairs(names) do
        if not t:has(name) then
            return nil, ("no column '%s'"):format(tostring(name))
        end
    end
    local fault = #names == 0 and "no columns" or columns_in.header_fault(names)
    if fault then
        return nil, fault
    elseif #names == 1 then -- a missing element is an empty line, which its place decides how to write
        return csv.encode(t:select(names):eval(), opts, extension, path)
    end
    local headed, unended, code
    if opts.append then
        headed, unended, code = present(path, names, opts, extension)
        if headed == nil then
            return nil, unended, code
        end
    end
    return written_behind(unended, extension, function(handle)
        return write_opened(handle, t, names, opts, extension, headed or opts.header == false)
    end)
end

-- An iterator over functions that write a table of columns, or nil and the caller's mistake; or nil, message, code.
-- path: the file that rows are added to with opts.append. Numbers are written so that they read back to the same bits.
function csv.encode(t, opts, extension, path)
    if opened.is(t) then
        return encode_opened(t, opts, extension, path)
    elseif type(t) ~= "table" or core.isarray(t) then
        return nil, "table of columns expected, {name = Vector or list, ...}"
    end
    local made, wrong = columns_in.all_to_write(t, opts.columns or opts.names, dates_of(opts))
    if not made then
        return nil, wrong
    end
    local names, columns = made.names, made.columns
    local form = form_of(opts, extension)
    local fault = quotes_fault(names, columns, form)
    if fault then
        return nil, fault
    end
    local headed, unended, code
    if opts.append then
        headed, unended, code = present(path, names, opts, extension)
        if headed == nil then
            return nil, unended, code
        end
    end
    return written_behind(unended, extension, function(handle)
        local _ <close> = progress.begin()
        return internal.csv_write(handle, names, columns, made.rows, columns_in.is_packed(extension), form, made.valid,
            headed or opts.header == false)
    end)
end

return csv
