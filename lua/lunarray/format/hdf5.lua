-- Arrays of numbers in HDF5 files, through the system's library, which is called in C (interp/bind/file/hdf5.c,
-- interp/hdf5). A dataset is named by its path from the root, "run1/density".
--
-- Elements go in and out exactly. What is no number is left out of a whole file and refused by name.

local core = require "lunarray.core"
local fault = require "lunarray.base.fault"
local file = require "lunarray.format.file"
local frame = require "lunarray.show.frame"
local raw = require "lunarray.format.raw"
local records = require "lunarray.base.records"

local internal = core.internal

local hdf5 = {
    load_options = { dataset = true, part = true },
    save_options = { dataset = true, compression = true },
    open_options = {},
}

local EIO = 5 -- the system's number
local BLOCK = 512 -- bytes: the content begins at 0, at these, or at twice as many as before
local MOST_RANK = 8

-- The results of a call with the system's reason, where the library quotes one.
local function of_system(ok, message, code)
    if ok == nil and code == "format" then
        local number, reason = message:match "errno = (%d+), error message = '([^']*)'"
        if number then
            return nil, message:gsub("HDF5: .*$", "") .. reason, math.tointeger(tonumber(number))
        end
    end
    return ok, message, code
end

-- ---------------------------------------------------------------- options

local function path_fault(path)
    if path ~= nil and (type(path) ~= "string" or path:gsub("/", "") == "" or path:find("\0", 1, true)) then
        return ('dataset is %s; a path such as "run1/density" is expected'):format(
            type(path) == "string" and ("%q"):format(path) or "a " .. type(path))
    end
end

-- Whether x is a pair of integers.
local function is_pair(x)
    return type(x) == "table" and #x == 2 and math.type(x[1]) == "integer" and math.type(x[2]) == "integer"
end

local function part_fault(part)
    if part == nil or is_pair(part) then
        return nil
    end
    local wrong = type(part) ~= "table" or #part == 0 or #part > MOST_RANK
    for _, pair in ipairs(wrong and {} or part) do
        wrong = wrong or not is_pair(pair)
    end
    return wrong and "part is neither {first, last} along the first axis nor a list of these, one for each axis" or nil
end

function hdf5.load_fault(opts)
    if opts.part ~= nil and opts.dataset == nil then
        return "part is of one dataset, which the option dataset names"
    end
    return path_fault(opts.dataset) or part_fault(opts.part)
end

function hdf5.save_fault(opts)
    local level = opts.compression
    if level ~= nil and (math.type(level) ~= "integer" or level < 0 or level > 9) then
        return "compression is no integer from 0 to 9"
    end
    return path_fault(opts.dataset)
end

-- ---------------------------------------------------------------- reading

-- Nil if a file is one of HDF5, by what it begins with; else message, code.
local function content_fault(path)
    local handle, message, code = io.open(path, "rb")
    if not handle then
        return message:gsub("^.*: ", ""), code
    end
    local _ <close> = handle
    local head = handle:read(4)
    if head == "CDF\1" or head == "CDF\2" or head == "CDF\5" then
        return "a classic NetCDF file; nccopy -4 makes an HDF5 file of it", "unsupported"
    end
    local size, at = handle:seek "end", 0
    while size and at + 8 <= size do
        if not handle:seek("set", at) or handle:read(8) == "\137HDF\r\n\26\n" then
            return nil
        end
        at = at == 0 and BLOCK or 2 * at
    end
    return "not an HDF5 file", "format"
end

-- An open file; or nil, message, code.
local function open(path)
    local wrong, why = content_fault(path)
    if wrong then
        return nil, wrong, why
    end
    return of_system(internal.hdf5_open(path))
end

-- A dataset's path as its list has it.
local function plain(path)
    return (path:gsub("//+", "/"):gsub("^/", ""):gsub("/$", ""))
end

-- The first index, from 0, and the number along an axis of `extent` of the pair {first, last}, of which negative ones
-- count from the end; or nil.
local function span(pair, extent)
    local first, last = pair[1], pair[2]
    first = first < 0 and first + extent + 1 or first
    last = last < 0 and last + extent + 1 or last
    if first < 1 or last > extent or last < first - 1 then
        return nil
    end
    return first - 1, last - first + 1
end

-- The box of a part of a shape, the lists first and count; or nil, message.
local function box(part, shape)
    local first, count = {}, {}
    local pairs_of = part == nil and {} or is_pair(part) and { part } or part
    if #pairs_of > #shape then
        return nil, ("part has %d axes, the dataset %d"):format(#pairs_of, #shape)
    end
    for k, extent in ipairs(shape) do
        first[k], count[k] = 0, extent
        if pairs_of[k] then
            first[k], count[k] = span(pairs_of[k], extent)
            if not first[k] then
                return nil, ("part {%d, %d} is not within the %d elements along axis %d"):format(pairs_of[k][1],
                    pairs_of[k][2], extent, k)
            end
        end
    end
    return first, count
end

-- The elements of a dataset that `set` describes; or nil, message, code.
local function read(from, path, set, part)
    if set.refused then
        return nil, ("dataset '%s': %s%s"):format(path, set.refused, set.number and "" or "; numbers are read"),
            "unsupported"
    end
    local first, count = box(part, set.shape)
    if not first then
        return nil, ("dataset '%s': %s"):format(path, count), "format"
    end
    return from:read(path, first, count)
end

-- All datasets of numbers in a table by path; or nil, message, code.
local function read_all(from)
    local sets, message, code = from:list()
    if not sets then
        return nil, message, code
    end
    local t, names = {}, {}
    for _, set in ipairs(sets) do
        if set.dtype or set.number then
            names[#names + 1] = set.path
            t[set.path], message, code = read(from, set.path, set)
            if t[set.path] == nil then
                return nil, message .. '; {dataset = "..."} reads another one', code
            end
        end
    end
    return frame.list(t, names)
end

-- One dataset; or nil, message, code.
local function read_one(from, path, part)
    local set, message, code = from:describe(path)
    if not set then
        return nil, message, code
    end
    return read(from, path, set, part)
end

-- lun.load of a file; or nil, message, code.
function hdf5.load_path(path, opts)
    local from <close>, message, code = open(path)
    if not from then
        return nil, path .. ": " .. message, code
    end
    local a
    if opts.dataset then
        a, message, code = of_system(read_one(from, plain(opts.dataset), opts.part))
    else
        a, message, code = of_system(read_all(from))
    end
    if a == nil then
        return nil, path .. ": " .. message, code
    end
    return a
end

-- ---------------------------------------------------------------- an opened file

-- Invariant: no file is open between calls. `path_of` and `kept_of` have an opened file's path, and by path the arrays
-- that were read, as long as others have them; the file itself has nothing raw in it.
local File = { __name = "HDF5 file" }
local methods = {}
local path_of, kept_of = setmetatable({}, { __mode = "k" }), setmetatable({}, { __mode = "k" })

-- file:list(): a list of the datasets, {path =, shape = {...}, dtype =, or refused = what it is instead}.
function methods:list()
    local path = path_of[self] or fault("bad argument #1 to 'list' (HDF5 file expected)")
    local from <close>, message = open(path)
    local sets
    if from then
        sets, message = from:list()
    end
    if not sets then
        fault("%s: %s", path, message)
    end
    for _, set in ipairs(sets) do
        set.number = nil
    end
    return sets
end

-- file:names(): the paths of the datasets that are read.
function methods:names()
    local names = {}
    for _, set in ipairs(methods.list(self)) do
        names[#names + 1] = set.dtype and set.path or nil
    end
    return names
end

-- file:read(path [, opts]): the dataset, or opts.part of it; or nil, message, code.
function methods:read(path, opts)
    opts = opts == nil and {} or opts
    if type(opts) ~= "table" then
        fault("bad argument #2 to 'read' (table of options expected, got %s)", internal.kind_of(opts))
    end
    for name in pairs(opts) do
        if name ~= "part" then
            fault("bad argument #2 to 'read' (unknown option '%s'; part is known)", tostring(name))
        end
    end
    local wrong = path == nil and "path expected, got nil" or path_fault(path)
    if wrong or part_fault(opts.part) then
        fault("bad argument #%d to 'read' (%s)", wrong and 1 or 2, wrong or part_fault(opts.part))
    end
    return hdf5.load_path(path_of[self], { dataset = path, part = opts.part })
end

function File:__index(name)
    if methods[name] then
        return methods[name]
    elseif type(name) ~= "string" or path_fault(name) then
        return nil
    end
    local kept, path = kept_of[self], plain(name)
    local a = kept[path]
    if a == nil then
        local message
        a, message = hdf5.load_path(path_of[self], { dataset = path })
        if a == nil then
            fault("%s", message)
        end
        kept[path] = a
    end
    return a
end

function File.__newindex(_, name)
    fault("'%s' cannot be set: an opened HDF5 file is read only; lun.save writes a new one", tostring(name))
end

local LINES = 20

function File:__tostring()
    local text = { "HDF5 file " .. path_of[self] }
    local sets = methods.list(self)
    for i, set in ipairs(sets) do
        if i > LINES then
            text[#text + 1] = ("  ... %d more"):format(#sets - LINES)
            break
        end
        text[#text + 1] = ("  %s  %s"):format(set.path, set.dtype
            and ("%s[%s]"):format(set.dtype, table.concat(set.shape, ", ")) or set.refused .. ", not read")
    end
    return table.concat(text, "\n")
end

-- lun.open of a file: what is in it is read when it is used; or nil, message, code.
function hdf5.open(files)
    local path = files[1].path
    local from <close>, message, code = open(path)
    if not from then
        return nil, path .. ": " .. message, code
    end
    local opened = setmetatable({}, File)
    path_of[opened], kept_of[opened] = path, setmetatable({}, { __mode = "v" })
    return opened
end

-- ---------------------------------------------------------------- writing

-- Why no dataset can have that name, or nil.
local function name_fault(name)
    if type(name) ~= "string" then
        return ("the path of a dataset is a text, not the %s %s"):format(type(name), tostring(name))
    elseif name:find("\0", 1, true) or not utf8.len(name) then
        return ("%q cannot be the path of a dataset"):format(name)
    end
    for part in (plain(name) .. "/"):gmatch "([^/]*)/" do
        if part == "" or part == "." or part == ".." then
            return ("%q cannot be the path of a dataset"):format(name)
        end
    end
end

-- Why an array cannot be written, or nil.
local function array_fault(name, a)
    if records.struct_of(a) then
        return ("'%s' is records; give their fields"):format(name)
    elseif not core.isarray(a) then
        return ("'%s' is a %s; arrays can be saved"):format(name, type(a))
    end
    local usable, dtype = pcall(a.dtype, a)
    if not usable then
        return ("'%s' cannot be read: %s"):format(name, (dtype:gsub("^[^ ]-:%d+: ", "")))
    elseif dtype == "text" then
        return ("'%s' is text; numbers are written"):format(name)
    elseif dtype == "date" or dtype == "timestamp" or dtype == "duration" then
        return ("'%s' is of dtype %s; cast it to i64"):format(name, dtype)
    elseif dtype == "c64" or dtype == "c128" then
        return ("'%s' is of dtype %s; write its real and imaginary parts"):format(name, dtype)
    elseif internal.has_missing(a) then
        return ("'%s' has missing elements, which HDF5 has not: fill them"):format(name)
    end
end

-- The paths, arrays by path; or nil and the caller's mistake.
local function to_write(t, opts)
    if core.isarray(t) or records.struct_of(t) then
        if not opts.dataset then
            return nil, 'dataset is not given; {dataset = "run1/density"} names an array in the file'
        end
        t = { [opts.dataset] = t }
    elseif type(t) ~= "table" then
        return nil, "array or table of arrays by path expected, got " .. internal.kind_of(t)
    elseif opts.dataset then
        return nil, "option 'dataset' is of one array; a table names its own"
    end
    local paths, arrays = {}, {}
    for i, name in ipairs(frame.ordered(t)) do
        local a = frame.column(t, name)
        local wrong = name_fault(name) or array_fault(name, a)
        paths[i] = wrong and "" or plain(name)
        if wrong or arrays[paths[i]] then
            return nil, wrong or ("'%s' is given twice"):format(paths[i])
        end
        arrays[paths[i]] = a
    end
    for _, path in ipairs(paths) do
        for stop in path:gmatch "()/" do
            if arrays[path:sub(1, stop - 1)] then
                return nil, ("'%s' cannot be a dataset and the group of '%s'"):format(path:sub(1, stop - 1), path)
            end
        end
    end
    return paths, arrays
end

-- Writes arrays into an empty file of that name: true; or nil, message, code.
local function put_all(scratch, paths, arrays, level)
    local to <close>, message, code = internal.hdf5_create(scratch)
    if not to then
        return nil, message, code
    end
    for _, name in ipairs(paths) do
        if not internal.streamed(arrays[name]) then
            arrays[name]:eval()
        end
        local done, why, number = to:write(name, arrays[name], level)
        if not done then
            return nil, why, number
        end
    end
    return to:close()
end

-- lun.save of a file: true, or nil, message, code with the old file as it was; or nil and the caller's mistake.
function hdf5.save_path(path, t, opts)
    local paths, arrays = to_write(t, opts)
    if not paths then
        return nil, arrays
    end
    local function put(handle, name_of)
        if not name_of then
            return nil, "HDF5 files are written into regular files only", EIO
        end
        local scratch, message, code = name_of()
        if not scratch then
            return nil, message, code
        end
        local ok
        ok, message, code = of_system(put_all(scratch, paths, arrays, opts.compression or -1))
        if not ok then
            internal.cut(handle, 0) -- the library may have it open
        end
        return ok, message, code
    end
    return internal.writing(file.write, path, raw.pieces { put })
end

return hdf5
