-- JSON (RFC 8259): text to a table of typed columns, and such a table to text.
-- Text is read and written in C (interp/json).
--
-- A table is an object a line (.jsonl, .ndjson), a list of objects, or an object of lists of one length (.json). A key
-- is a column; columns stand in the order in which keys appear first; null, and a key that an object lacks, is missing.

local columns_in = require "lunarray.format.columns"
local core = require "lunarray.core"
local file = require "lunarray.format.file"
local object = require "lunarray.table.object"
local options = require "lunarray.format.csvoptions"
local raw = require "lunarray.format.raw"
local text = require "lunarray.format.jsonvalue"

local internal = core.internal

local json = {
    load_options = {
        columns = true, nrows = true, dtypes = true, dates = true, nested = true, source = true, form = true,
        format = true,
    },
    save_options = { columns = true, form = true },
}

local FORMS = { lines = true, rows = true, columns = true }

-- ---------------------------------------------------------------- options

local function form_fault(form)
    if form ~= nil and not FORMS[form] then
        return ('form is %s; "lines", "rows" or "columns" is expected'):format(
            type(form) == "string" and ("%q"):format(form) or "a " .. type(form))
    end
end

-- Nil, or the caller's mistake in options for reading.
function json.load_fault(opts)
    for i, name in ipairs(type(opts.columns) == "table" and opts.columns or {}) do
        if math.type(name) == "integer" then
            return ("columns[%d] is a number, not a name"):format(i)
        end
    end
    if opts.nested ~= nil and opts.nested ~= "text" then
        return 'nested is not "text", the only way in which objects and lists are read'
    end
    return form_fault(opts.form) or options.load_fault(opts)
end

-- Nil, or the caller's mistake in options for writing.
function json.save_fault(opts)
    return form_fault(opts.form)
end

-- Whether a file has an object a line.
local function is_lines(opts, extension)
    if opts.form then
        return opts.form == "lines"
    end
    return opts.format == "jsonl" or opts.format == nil and extension ~= nil and extension:find "^jsonl" ~= nil
        or opts.format == nil and extension ~= nil and extension:find "^ndjson" ~= nil
end

-- The columns that are wanted, or those that must have a dtype: a list of {name, how} for internal.json_columns, and
-- their dtypes.
local function wishes_of(opts)
    local names = opts.columns
    local by_name = type(opts.dtypes) == "table" and opts.dtypes[1] == nil and opts.dtypes or {}
    local wishes, dtypes = {}, {}
    if not names then
        names = {}
        for name in pairs(by_name) do
            names[#names + 1] = name
        end
        table.sort(names)
    end
    for i, name in ipairs(names) do
        local how, dtype = options.how(opts, name)
        wishes[i], dtypes[i] = { name, how }, dtype or false
    end
    return wishes, dtypes
end

-- ---------------------------------------------------------------- text to columns

-- Messages of values that their column does not hold, formats for its name, what it was and what it is.
local faults = {
    class = "column '%s' is %s before and %s here; {dtypes = {%s = \"text\"}} reads both as they are written",
    rounded = "column '%s' has numbers with a fraction, and this integer is beyond 2^53: no dtype holds both exactly; "
        .. "{dtypes = {%s = \"f64\"}} takes the nearest, \"text\" what is written",
    mixed = "column '%s' has numbers below 0, and this one is beyond i64: no dtype holds both exactly; "
        .. "{dtypes = {%s = \"f64\"}} takes the nearest, \"text\" what is written",
    large = "column '%s': this integer is beyond u64; {dtypes = {%s = \"f64\"}} takes the nearest, \"text\" what is "
        .. "written",
    nested = "column '%s' has an object or a list here; {nested = \"text\"} takes its text, {columns = {...}} leaves "
        .. "the column out",
    twice = "the key '%s' is in this object already",
    misfit = "column '%s': this is no %s",
    offsets = "column '%s' has times with and without an offset from UTC",
    many = "more different texts in a column than an array can have, 2147483646",
    wide = "more than 131072 different keys",
}

local function message_of(what, name, was, is, dtype)
    local form = faults[what]
    if what == "text" then
        return name
    elseif what == "class" then
        return form:format(name, was, is, name:find "^[%a_][%w_]*$" and name or ("[%q]"):format(name))
    elseif what == "misfit" then
        return form:format(name, dtype)
    end
    return form:format(name, name:find "^[%a_][%w_]*$" and name or ("[%q]"):format(name))
end

-- The dtype that a column must have.
local function dtype_of(opts, name)
    local _, dtype = options.how(opts, name)
    return dtype or "of these values"
end

-- nil, message with the path, code.
local function failure(files, opts, number, what, line, column, name, was, is)
    local path = files[number].path
    if what == "packed" then
        return nil, path .. ": " .. line, column
    elseif what == "unread" then
        return nil, path .. ": " .. (line < 0 and "the file was truncated while it was read" or column),
            line < 0 and "short" or line
    end
    local message = message_of(what, name, was, is, what == "misfit" and dtype_of(opts, name))
    local code = (what == "many" or what == "wide" or what == "nested") and "unsupported" or "format"
    return nil, ("%s: line %d, column %d: %s"):format(path, line, column, message), code
end

-- The names of columns: one without a name is "c" and its number.
local function complete(names)
    local used, out = {}, {}
    for _, name in ipairs(names) do
        used[name] = true
    end
    for i, name in ipairs(names) do
        out[i] = name
        if name == "" then
            local number = i
            while used["c" .. number] do
                number = number + 1
            end
            out[i] = "c" .. number
            used[out[i]] = true
        end
    end
    return out
end

-- Nil, or the first column that is asked for and not there.
local function missing_column(opts, names)
    local known = {}
    for _, name in ipairs(names) do
        known[name] = true
    end
    for _, name in ipairs(opts.columns or {}) do
        if not known[name] then
            return ("no column '%s'"):format(name)
        end
    end
    local unknown, name = options.unknown(opts, names)
    return unknown and not opts.columns and ("%s has '%s', but there are the columns '%s'"):format(unknown, name,
        table.concat(names, "', '")) or nil
end

-- What internal.json_columns reads of a source; or nil, message, code.
local function text_of(source, extension)
    local packed = columns_in.is_packed(extension)
    if source.handle and source.left then
        return { source.handle, source.left, packed }
    end
    local bytes, message, code = source:rest()
    return bytes and { bytes, 0, packed }, message, code
end

-- The table in files, a list of { path =, source =, extension = }; or nil, message with the path, code.
local function read(files, opts)
    local sources = {}
    for i, from in ipairs(files) do
        local message, code
        sources[i], message, code = text_of(from.source, from.extension)
        if not sources[i] then
            return nil, from.path .. ": " .. message, code
        end
    end
    local wishes, dtypes = wishes_of(opts)
    local others, every = options.how(setmetatable({ dtypes = type(opts.dtypes) == "table"
        and opts.dtypes[1] ~= nil and opts.dtypes or type(opts.dtypes) == "string" and opts.dtypes or {} },
        { __index = opts }), "")
    local names, values, valid, rows, places, x, y, z = internal.json_columns(sources,
        is_lines(opts, files[1].extension), wishes, opts.columns ~= nil, others, opts.nested == "text",
        opts.nrows or -1, json.piece)
    if not names then
        return failure(files, opts, values, valid, rows, places, x, y, z)
    end
    local fault = missing_column(opts, names)
    if fault then
        return nil, files[1].path .. ": " .. fault, "format"
    end
    names = complete(names)
    local columns, all = {}, 0
    for i, name in ipairs(names) do
        local dtype = every
        if places[i] > 0 then
            dtype = dtypes[places[i]] or nil
        end
        columns[name] = columns_in.joined(values[i], valid[i], dtype)
    end
    for i, from in ipairs(files) do
        from.rows = rows[i]
        all = all + rows[i]
    end
    local t = object.make(columns, names, all)
    if opts.source then
        local message, code
        t, message, code = columns_in.add_source(t, opts.source, files)
        return t, message and files[1].path .. ": " .. message, code
    end
    return t
end

-- The table of columns that JSON text gives; or nil, message with line and column, code. path: what the option source
-- says.
function json.decode(source, opts, extension, path)
    path = path or "bytes"
    local t, message, code = read({ { path = path, source = source, extension = extension } }, opts)
    if not t then
        return nil, message:sub(#path + 3), code
    end
    return t
end

-- The table of the rows of several files, one after the other: `list` has the path and extension of each. Nil, message,
-- code.
function json.decode_all(list, opts)
    local files = {}
    local _ <close> = setmetatable({}, {
        __close = function()
            for _, from in ipairs(files) do
                from.source:close()
            end
        end,
    })
    for i, one in ipairs(list) do
        local source, message, code = file.open(one.path)
        if not source then
            return nil, message, code
        end
        files[i] = { path = one.path, extension = one.extension, source = source }
    end
    return read(files, opts)
end

-- ---------------------------------------------------------------- columns to text

-- An iterator over functions that write a table of columns, and a function that gives lun.save's second result; or nil
-- and the caller's mistake.
function json.encode(t, opts, extension)
    if type(t) ~= "table" or core.isarray(t) then
        return nil, "table of columns expected, {name = Vector or list, ...}"
    end
    local made, wrong = columns_in.all_to_write(t, opts.columns, text.iso)
    if not made then
        return nil, wrong
    end
    local packed, odd, heads = columns_in.is_packed(extension), 0, {}
    for i, name in ipairs(made.names) do
        heads[i] = text.quoted(name) .. ":"
    end
    local function write(handle, names, columns, shape, valid, bare, head, foot)
        local ok, message, code = internal.json_write(handle, names, columns, made.rows, packed, shape, valid, bare,
            head, foot)
        if ok then
            odd = odd + message
        end
        return ok, message, code
    end
    local pieces = {}
    if opts.form == "columns" then
        for i, head in ipairs(heads) do
            pieces[i] = function(handle)
                return write(handle, { "" }, { made.columns[i] }, "values", { made.valid[i] }, { made.seconds[i] },
                    (i == 1 and "{" or ",\n") .. head .. "[", i == #heads and "]}\n" or "]")
            end
        end
    else
        local lines = is_lines(opts, extension)
        pieces[1] = function(handle)
            return write(handle, heads, made.columns, lines and "rows" or "items", made.valid, made.seconds,
                lines and "" or "[", lines and "" or "]\n")
        end
    end
    return raw.pieces(pieces), function()
        if odd > 0 then
            return odd
        end
    end
end

return json
