-- Arrow's files (.arrow, .feather, .ipc) and its streams of bytes (.arrows): tables of columns, read and written in C
-- (interp/arrow). lun.arrow's streams in memory are arrow.lua's.

local options = require "lunarray.format.csvoptions"
local columns_in = require "lunarray.format.columns"
local core = require "lunarray.core"
local file = require "lunarray.format.file"
local frame = require "lunarray.show.frame"
local object = require "lunarray.table.object"
local raw = require "lunarray.format.raw"

local checks, internal = options.checks, core.internal

local M = {
    load_options = {
        columns = true, nrows = true, source = true, format = true, blobs = true, decimals = true, nanoseconds = true,
    },
    save_options = { columns = true, compression = true, text = true, format = true },
}
M.open_options = M.load_options

-- Nil, or the caller's mistake in options for reading.
function M.load_fault(opts)
    return checks.names("columns", opts.columns, true) or checks.count("nrows", opts.nrows, 0)
        or checks.text("source", opts.source) or options.values_fault(opts)
end

-- Nil, or the caller's mistake in options for writing.
function M.save_fault(opts)
    return checks.names("columns", opts.columns) or checks.choice(opts, "compression", { "none", "lz4", "zstd" })
        or checks.choice(opts, "text", { "utf8", "dictionary" })
end

-- ---------------------------------------------------------------- reading

-- An open file: its reader, `names` of the columns that are wanted and their `numbers`, `rows`, `options`; or nil,
-- message, code.
local function begin(source, opts)
    local from = source.handle
    if not from or not source.left then -- it has no size
        local message, code
        from, message, code = source:rest()
        if not from then
            return nil, message, code
        end
    end
    local reader, names, rows = internal.arrow_open(from)
    if not reader then
        return nil, names, rows
    end
    for i, name in ipairs(names) do
        if not utf8.len(name) then
            return nil, ("the name of column %d is not UTF-8"):format(i), "format"
        end
    end
    local numbers, wanted = columns_in.choose(columns_in.distinct(names), opts.columns)
    if not numbers then
        return nil, wanted, "format"
    end
    return { reader = reader, numbers = numbers, names = wanted, rows = math.min(rows, opts.nrows or rows),
        options = options.values_text(opts) }
end

-- The table in a file or stream; or nil, message, code. path: what the option source says.
function M.decode(source, opts, _, path)
    local from, message, code = begin(source, opts)
    if not from then
        return nil, message, code
    end
    local columns = {}
    for i, name in ipairs(from.names) do
        columns[name], message, code = internal.arrow_column(from.reader, from.numbers[i], from.rows, from.options)
        if not columns[name] then
            return nil, message .. (code == "unsupported" and "; {columns = ...} leaves it out" or ""), code
        end
    end
    local t = object.make(columns, from.names, from.rows)
    if opts.source then
        return columns_in.add_source(t, opts.source, { { path = path, rows = from.rows } })
    end
    return t
end

-- The table of one of several files, of the columns `names` unless that is nil; or nil, message, code.
local function decode_file(path, opts, names, first)
    local source <close>, message, code = file.open(path)
    if not source then
        return nil, message, code
    end
    local t
    t, message, code = M.decode(source, opts, nil, path)
    if not t then
        return nil, path .. ": " .. message, code
    end
    for i, name in ipairs(names or {}) do
        local column = frame.column(t, name)
        local width = #frame.ordered(t)
        local wrong = width ~= #names and ("%d columns, but %s has %d"):format(width, first.path, #names)
            or column == nil and ("no column '%s', which %s has"):format(name, first.path)
            or column:dtype() ~= first.dtypes[i] and ("column '%s' is %s, but %s in %s"):format(name, column:dtype(),
                first.dtypes[i], first.path)
        if wrong then
            return nil, ("%s: %s"):format(path, wrong), "format"
        end
    end
    return t
end

-- The table of the rows of several files of the same columns, one after the other: `list` has the path of each. Nil,
-- message, code.
function M.decode_all(list, opts)
    local names, parts, rows = nil, {}, 0
    local first = { path = list[1].path, dtypes = {} }
    for k, one in ipairs(list) do
        local mine = opts.nrows and setmetatable({ nrows = math.max(opts.nrows - rows, 0) }, { __index = opts }) or opts
        local t, message, code = decode_file(one.path, mine, names, first)
        if not t then
            return nil, message, code
        end
        names = names or frame.ordered(t)
        rows = rows + #t
        for i, name in ipairs(names) do
            parts[i] = parts[i] or {}
            parts[i][k] = frame.column(t, name)
            first.dtypes[i] = parts[i][k]:dtype()
        end
    end
    local columns = {}
    for i, name in ipairs(names) do
        columns[name] = #list == 1 and parts[i][1] or core.concat(parts[i]):eval()
    end
    return object.make(columns, names, rows)
end

-- The same of a file, each of whose columns is read when it is first used. Numbers that stand in it as in memory stay
-- there, as in a .npy file.
function M.open(files, opts)
    local path = files[1].path
    if #files > 1 then
        return nil, "several Arrow files are one table by lun.load", "unsupported"
    end
    local source <close>, message, code = file.open(path)
    if not source then
        return nil, message, code
    elseif not source.left then
        return nil, path .. ": not a regular file; use lun.load", "unsupported"
    end
    local from
    from, message, code = begin(source, opts)
    if not from then
        return nil, path .. ": " .. message, code
    end
    local place, bytes = {}, internal.open(path)
    for i, name in ipairs(from.names) do
        place[name] = from.numbers[i]
    end
    local t = object.make({}, from.names, from.rows, function(name)
        local at = bytes and internal.arrow_place(from.reader, place[name])
        local column, why = internal.arrow_column(from.reader, place[name], at and 0 or from.rows, from.options)
        if not column then
            error(("%s: %s"):format(path, why), 0)
        end
        return at and internal.elements(bytes, at, column:dtype(), { from.rows }, false) or column
    end)
    if opts.source then
        return columns_in.add_source(t, opts.source, { { path = path, rows = from.rows } })
    end
    return t
end

-- ---------------------------------------------------------------- writing

local ROWS = 65536 -- of a batch, a multiple of 8

-- The stream of columns, by a list of names and one of arrays; or nil, message where a column cannot go out.
local function stream_of(names, arrays)
    local usable, stream = pcall(internal.arrow_export, names, arrays, ("{rows = %d}"):format(ROWS))
    if usable then
        return stream
    end
    local message = type(stream) == "string" and stream:match "%((.*)%)$"
    if not message then
        error(stream, 0)
    end
    return nil, message
end

-- An iterator over a function that writes the table, or the array, as a file or as a stream of bytes; or nil and the
-- caller's mistake.
function M.encode(t, opts, extension)
    local names, arrays = columns_in.arrays_of(t, opts.columns)
    if not names then
        return nil, arrays
    end
    local stream, fault = stream_of(names, arrays)
    if not stream then
        return nil, fault
    end
    return raw.pieces { function(handle)
        local _ <close> = stream
        return internal.arrow_write(handle, stream, (opts.format or extension) == "arrows", opts.text == "dictionary",
            opts.compression)
    end }
end

return M
