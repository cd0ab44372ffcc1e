-- lun.load, lun.open, lun.save, and lun.decode, lun.encode of bytes: picks the format by the file's extension and gives
-- errors their form.
-- A caller's mistake raises; a fault of a file is nil, message, code. The code is the system's errno (a
-- number) or, for the content, "format" (it breaks the rules of its format), "short" or "long" (its
-- length does not fit its header) or "unsupported" (sound, but no array can hold it). Each format is a
-- module of decode(source, opts) and encode(a, opts).

local arrowfile = require "lunarray.format.arrowfile"
local core = require "lunarray.core"
local file = require "lunarray.format.file"
local infile = require "lunarray.format.infile"
local object = require "lunarray.table.object"
local raw = require "lunarray.format.raw"
local records = require "lunarray.base.records"
local sheet = require "lunarray.format.sheet"

local formats = {
    csv = require "lunarray.format.csv",
    json = require "lunarray.format.json",
    sqlite = require "lunarray.format.sqlite",
    parquet = require "lunarray.format.parquet",
    hdf5 = require "lunarray.format.hdf5",
    duckdb = require "lunarray.format.duckdbfile",
    xlsx = sheet,
    npy = require "lunarray.format.npy",
    npz = require "lunarray.format.npz",
    raw = raw,
    pnm = require "lunarray.format.pnm",
    png = require "lunarray.format.png",
    arrow = arrowfile, arrows = arrowfile, -- a file, and a stream of bytes
}

local by_extension = {
    csv = "csv", ["csv.gz"] = "csv", tsv = "csv", ["tsv.gz"] = "csv", txt = "csv", ["txt.gz"] = "csv",
    zip = "csv",
    json = "json", ["json.gz"] = "json", jsonl = "json", ["jsonl.gz"] = "json", ndjson = "json",
    ["ndjson.gz"] = "json", db = "sqlite", sqlite = "sqlite", sqlite3 = "sqlite",
    h5 = "hdf5", hdf5 = "hdf5", nc = "hdf5",
    npy = "npy", npz = "npz", pgm = "pnm", ppm = "pnm", pnm = "pnm", png = "png", raw = "raw", bin = "raw",
    arrow = "arrow", feather = "arrow", ipc = "arrow", arrows = "arrows",
    parquet = "parquet", pq = "parquet", duckdb = "duckdb", xlsx = "xlsx",
}

-- Formats of tables of arrays; of tables of columns, of which several files are read at once; what opts.format says.
local TABLES = { csv = true, json = true, npz = true, arrow = true, arrows = true }
local ROWS = { csv = true, json = true, arrow = true, arrows = true, parquet = true }
local NAMED = { csv = "csv", json = "json", jsonl = "json", arrow = "arrow", arrows = "arrows" }

local reading, io_type = infile.reading, io.type

local FORMATS = "csv tsv txt json jsonl ndjson, these with .gz, zip arrow feather ipc arrows npy npz pgm ppm pnm png "
    .. "raw bin"
local KNOWN = ".csv .tsv .txt .json .jsonl .db .duckdb .h5 .parquet .xlsx .arrow .feather .arrows .npy .npz .pgm .ppm "
    .. '.pnm .png, and for bare elements .raw .bin or any other with {dtype = "f32"} or another dtype'

-- The format's name and module and the file's extension; or nil, bad argument's number, message.
local function format_for(path, opts, opts_at)
    if type(path) ~= "string" then
        return nil, 1, ("path expected, got %s"):format(core.internal.kind_of(path))
    elseif path:find("\0", 1, true) then
        return nil, 1, "a path cannot contain a NUL byte"
    elseif type(opts) ~= "table" then
        return nil, opts_at, ("table of options expected, got %s"):format(core.internal.kind_of(opts))
    end
    local extension = (path:match("[^/]%.([^./]*)$") or ""):lower()
    extension = extension == "gz" and path:lower():match("[^/]%.([^./]*%.gz)$") or extension
    local name = NAMED[opts.format] or sheet.is_remote(path) and "xlsx" or by_extension[extension]
        or opts.dtype ~= nil and "raw" or nil
    if opts.format ~= nil and not NAMED[opts.format] then
        return nil, opts_at, 'format is not "csv", "json", "jsonl", "arrow" or "arrows"; other files go by their names'
    end
    if not name then
        local what = extension == "" and "no extension in '%s'" or "unknown extension in '%s'"
        return nil, 1, (what .. "; supported: %s"):format(path, KNOWN)
    end
    return name, formats[name], extension
end

-- Nil if every option is among the known ones, else what is wrong.
local function option_fault(opts, known, name)
    for option in pairs(opts) do
        if not known[option] then
            local names = {}
            for own in pairs(known) do
                names[#names + 1] = own
            end
            table.sort(names)
            return ("unknown option '%s' for %s%s%s"):format(tostring(option), name, names[1] and "; known: " or "",
                table.concat(names, ", "))
        end
    end
end

-- Nil if an array, or a table of them, can be read with these options, else what is wrong.
local function read_fault(format, opts, known, name)
    return option_fault(opts, known, name) or format.load_fault and format.load_fault(opts) or nil
end

local EIO = 5 -- the system's number
local WORTH = 1 << 16 -- bytes from which on ranks read their shards themselves

-- The result of format.decode for a file of so many bytes (nil: it has no size), whose elements ranks read; nil: rank 0
-- must read it, which also finds its faults.
local function load_by_ranks(format, path, size, opts)
    if not size or size < WORTH or not format.by_ranks or not core.internal.ranks_read() then
        return nil
    end
    local bytes = core.internal.open(path)
    if not bytes then
        return nil
    end
    local _ <close> = bytes
    return (reading(format.decode, infile.served(bytes), opts))
end

local function misuse(argument, call, message, level)
    error(("bad argument #%d to '%s' (%s)"):format(argument, call, message), level or 3)
end

local M = {}

-- The files that `path` names, a list of { path =, extension = }, where they are tables of columns and several may be
-- meant: a list of paths, or a pattern; and their format. Nil, if one file is; false, message, code, if there are none.
local function files_of(path, opts, call)
    local list = path
    if type(path) == "string" and ROWS[format_for(path, opts, 2)] then
        local message, code
        list, message, code = file.matching(path)
        if list == false then
            return false, message, code
        end
    end
    if type(list) ~= "table" then
        return nil
    elseif #list == 0 then
        misuse(1, call, "path expected, got a table without one", 4)
    end
    local files, all = {}, nil
    for i, one in ipairs(list) do
        local name, format, extension = format_for(one, opts, 2)
        if not name then
            misuse(format, call, extension, 4)
        elseif not ROWS[name] then
            misuse(1, call, ("'%s' is no csv, JSON, Arrow or Parquet file; only these are read several at once")
                :format(one), 4)
        elseif all and formats[name] ~= formats[all] then
            misuse(1, call, ("'%s' is of another format than the first file"):format(one), 4)
        end
        all = all or name
        files[i] = { path = one, extension = extension }
    end
    return files, all
end

-- The table in several files of one format; or nil, message, code.
local function load_files(files, name, opts)
    local fault = read_fault(formats[name], opts, formats[name].load_options, name)
    if fault then
        misuse(2, "load", fault, 3)
    end
    return formats[name].decode_all(files, opts)
end

-- The table in what a script's file still has; or nil, message, code.
local function load_handle(handle, opts)
    local name = type(opts) == "table" and NAMED[opts.format]
    if not name then
        misuse(2, "load", 'of a file handle {format = "csv"}, "json", "jsonl", "arrow" or "arrows" is read', 3)
    end
    local fault = read_fault(formats[name], opts, formats[name].load_options, name)
    if fault then
        misuse(2, "load", fault, 3)
    end
    local t, message, code = formats[name].decode(file.stream(handle), opts, nil, "(file handle)")
    if not t then
        return nil, "(file handle): " .. message, code
    end
    return t
end

-- lun.load(path [, opts]): the array (for .csv the table of columns, for images also the largest
-- sample) in the file; or nil, message, code. opts for raw bytes: dtype, shape; for .csv, .tsv and .txt: those of
-- docs/files.md. Several csv files by a list of paths or a pattern give one table, as does a file of Lua's.
function M.load(path, opts)
    opts = opts == nil and {} or opts
    if io_type(path) == "file" then
        return load_handle(path, opts)
    end
    if type(opts) == "table" then
        local files, why, number = files_of(path, opts, "load")
        if files == false then
            return nil, why, number
        elseif files then
            return load_files(files, why, opts)
        end
    end
    local name, format, extension = format_for(path, opts, 2)
    if not name then
        misuse(format, "load", extension)
    end
    local fault = read_fault(format, opts, format.load_options, name)
    if fault then
        misuse(2, "load", fault)
    end
    if format.load_path then
        return format.load_path(path, opts)
    end
    local source, message, code = file.open(path)
    if not source then
        return nil, message, code
    end
    local _ <close> = source
    local a, extra, why = load_by_ranks(format, path, source.size, opts), nil, nil
    if a == nil then
        a, extra, why = format.decode(source, opts, extension, path)
    end
    if a == nil then
        return nil, path .. ": " .. extra, why
    end
    if extra == nil then -- the prompt shows every result
        return a
    end
    return a, extra
end

-- ---------------------------------------------------------------- arrays on files

-- The array whose elements stay in the source's file; or nil, message without the path, code.
local function elements_in(format, source, opts)
    local layout, message, code = format.layout(source, opts)
    if not layout then
        return nil, message, code
    elseif #layout.shape > infile.MAX_RANK then
        return nil, ("rank %d is not supported; at most %d is"):format(#layout.shape, infile.MAX_RANK), "unsupported"
    end
    return raw.array(layout, function(shape)
        return core.internal.elements(source.array, source:at(), layout.dtype, shape, layout.swap)
    end)
end

-- Nil if opts.offset is one, else what is wrong with it.
local function offset_fault(offset)
    if offset ~= nil and (math.type(offset) ~= "integer" or offset < 0) then
        return "offset must be a number of bytes, 0 or more"
    end
end

-- lun.open(path [, opts]): an array whose elements stay in a .npy file or one of bare elements and are
-- read where they are used; or nil, message, code. opts for bare elements: dtype, shape, offset. Of a .csv file: the
-- table whose rows stay in the file, or come once from a pipe or a file of Lua's; opts as of lun.load.
function M.open(path, opts)
    opts = opts == nil and {} or opts
    local files, why, number = nil, nil, nil
    if io_type(path) == "file" then
        if type(opts) ~= "table" or opts.format ~= "csv" then
            misuse(2, "open", 'of a file handle {format = "csv"} is read')
        end
        files = { { path = "(file handle)", handle = path } }
    elseif type(opts) == "table" then
        files, why, number = files_of(path, opts, "open")
    end
    if files == false then
        return nil, why, number
    end
    local name, format, message = format_for(files and files[1].path or path, opts, 2)
    local fault
    if not name then
        misuse(format, "open", message)
    elseif not format.open_options then
        fault = "elements of a .%s file are not stored as in memory; use lun.load"
        misuse(1, "open", fault:format(message))
    end
    fault = read_fault(format, opts, format.open_options, name) or offset_fault(opts.offset)
    if fault then
        misuse(2, "open", fault)
    elseif format.open then
        return format.open(files or { { path = path, extension = message } }, opts)
    end
    local bytes, code
    bytes, message, code = core.internal.open(path)
    if not bytes then
        return nil, message, code
    end
    local _ <close> = bytes
    local size, offset = #bytes, opts.offset or 0
    if offset > size then
        return nil, ("%s: the file is too short: offset %d, but it has %d bytes"):format(path, offset, size), "short"
    end
    local a
    a, message, code = elements_in(format, infile.source(bytes, offset), opts)
    if a == nil then
        return nil, code == EIO and message or path .. ": " .. message, code
    end
    return a
end

-- The options of a save; an integer is the largest sample that lun.load returns with an image, so that lun.save(path,
-- assert(lun.load(image))) works: an image is saved with it, other formats ignore it.
local function save_options(opts, path)
    if math.type(opts) ~= "integer" or opts < 1 or opts > 65535 then
        return opts == nil and {} or opts
    end
    local extension = path and path:match "%.([^./]*)$" or ""
    local format = formats[by_extension[extension:lower()]]
    return format and format.save_options.maxval and { maxval = opts } or {}
end

-- An iterator over the pieces of the file of a value; or nil, message, code. Raises for a value that the format, called
-- `name`, cannot have, as argument `at` of `call`.
local function pieces_of(a, name, opts, extension, path, at, call)
    local struct = records.struct_of(a)
    local meta = type(a) == "table" and getmetatable(a)
    if type(meta) == "table" and meta.__arrays and name ~= "npz" then
        misuse(at, call, "a sparse matrix goes into a .npz file; S:dense() is an array", 4)
    end
    if struct and ROWS[name] then
        local columns, names, lanes = {}, records.lanes_of(a)
        for k, lane in ipairs(lanes) do
            columns[names[k]] = lane
        end
        a = object.make(columns, names, #a)
    elseif struct and name == "raw" and opts.dtype == nil then
        return raw.pieces { a:tobytes() }
    elseif not TABLES[name] and not (struct and name == "npy") then
        if not core.isarray(a) then
            local hint = type(a) == "table" and not struct and "; convert it with lun.vector" or ""
            misuse(at, call, ("array expected, got %s%s"):format(core.internal.kind_of(a), hint), 4)
        end
        local usable, freed = pcall(a.dtype, a)
        if not usable then
            error(freed, 3)
        end
    end
    local pieces, why, code = reading(formats[name].encode, a, opts, extension, path)
    if not pieces and not code then
        misuse(at, call, why, 4)
    end
    return pieces, why, code
end

-- The results of writing, behind which `more`, if it is a function, puts others.
local function with_more(more, saved, ...)
    if saved and type(more) == "function" then
        return saved, more()
    end
    return saved, ...
end

-- lun.save(path, a [, opts]): true, or nil, message, code with the old file untouched. opts: those of
-- docs/files.md (.csv, .tsv), docs/json.md, maxval (images), dtype (raw bytes); or the largest sample that lun.load
-- gives with an image. Of JSON also how many NaN and infinities are null there, if any are.
function M.save(path, a, opts)
    a = core.internal.offset_parts(a) or a -- files have no indices
    opts = save_options(opts, type(path) == "string" and path)
    local name, format, extension = format_for(path, opts, 3)
    if not name then
        misuse(format, "save", extension)
    end
    if extension == "zip" then
        misuse(1, "save", "zip archives are read only; save a .csv or .csv.gz file")
    end
    local fault = option_fault(opts, format.save_options, name) or format.save_fault and format.save_fault(opts)
    if fault then
        misuse(3, "save", fault)
    end
    if format.save_path then
        local saved, why, code = format.save_path(path, a, opts)
        if not saved and not code then
            misuse(2, "save", why)
        end
        if saved then
            return true
        end
        return nil, why, code
    end
    local pieces, why, code = pieces_of(a, name, opts, extension, path, 2, "save")
    if not pieces then
        return nil, why, code
    end
    return with_more(why, reading(core.internal.writing, opts.append and file.append or file.write, path, pieces))
end

-- ---------------------------------------------------------------- bytes

-- The format that argument 2 names by the extension of its files: its name, module and the extension.
local function format_of_bytes(extension, opts, call)
    local name = type(extension) == "string" and by_extension[extension]
    name = name and formats[name].decode and name
    if type(extension) ~= "string" then
        misuse(2, call, ('the extension of a format expected, such as "png", got %s'):format(
            core.internal.kind_of(extension)), 4)
    elseif not name then
        misuse(2, call, ("unknown format '%s'; supported: %s"):format(extension, FORMATS), 4)
    elseif type(opts) ~= "table" then
        misuse(3, call, ("table of options expected, got %s"):format(core.internal.kind_of(opts)), 4)
    end
    local of_files = opts.append ~= nil and "append" or opts.source ~= nil and name == "csv" and "source" or nil
    if of_files then
        misuse(3, call, ("option '%s' is one of files"):format(of_files), 4)
    end
    return name, formats[name], extension
end

-- lun.decode(bytes, format [, opts]): what lun.load gives of a file of these bytes, whose extension the format is; or
-- nil, message, code.
function M.decode(bytes, extension, opts)
    opts = opts == nil and {} or opts
    if type(bytes) ~= "string" then
        misuse(1, "decode", ("string of bytes expected, got %s"):format(core.internal.kind_of(bytes)))
    end
    local name, format = format_of_bytes(extension, opts, "decode")
    local fault = read_fault(format, opts, format.load_options, name)
    if fault then
        misuse(3, "decode", fault)
    end
    local a, extra, why = format.decode(file.source(bytes), opts, extension)
    if a == nil then
        return nil, extra, why
    elseif extra == nil then
        return a
    end
    return a, extra
end

-- lun.encode(v, format [, opts]): the bytes of the file that lun.save writes; or nil, message, code.
function M.encode(v, extension, opts)
    opts = save_options(opts, type(extension) == "string" and "." .. extension)
    local name, format = format_of_bytes(extension, opts, "encode")
    if extension == "zip" then
        misuse(2, "encode", "zip archives are read only; csv or csv.gz is written")
    end
    local fault = option_fault(opts, format.save_options, name) or format.save_fault and format.save_fault(opts)
    if fault then
        misuse(3, "encode", fault)
    end
    local pieces, why, code = pieces_of(v, name, opts, extension, nil, 1, "encode")
    if not pieces then
        return nil, why, code
    end
    return with_more(why, reading(core.internal.writing, file.bytes, pieces))
end

return M
