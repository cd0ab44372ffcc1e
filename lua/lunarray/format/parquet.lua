-- Parquet files, through DuckDB: read as the rows of a query, in which columns, rows and files are chosen.

local columns_in = require "lunarray.format.columns"
local duckdb = require "lunarray.format.duckdb"
local options = require "lunarray.format.csvoptions"

local checks = options.checks
local EIO = 5 -- the system's number

local M = {
    load_options = {
        columns = true, where = true, nrows = true, source = true, blobs = true, decimals = true, nanoseconds = true,
    },
}

function M.load_fault(opts)
    local where = opts.where
    if where ~= nil and (type(where) ~= "string" or where == "" or where:find("\0", 1, true)) then
        return "where is no text of SQL, such as \"x > 1 and g = 'a'\""
    end
    return checks.names("columns", opts.columns, true) or checks.count("nrows", opts.nrows, 0)
        or checks.text("source", opts.source) or options.values_fault(opts)
end

-- Codes of lun.load for those of DuckDB.
local CODES = { sql = "format", io = EIO }

local function failed(files, message, code)
    local path = #files == 1 and files[1].path or ("%s and %d more"):format(files[1].path, #files - 1)
    return nil, path .. ": " .. message, CODES[code] or code
end

-- ---------------------------------------------------------------- queries

-- A path as DuckDB takes one: characters of patterns stand for themselves.
local function literal(path)
    if path:find "[%*%?%[]" then
        path = path:gsub("[%*%?%[\\]", { ["*"] = "[*]", ["?"] = "[?]", ["["] = "[[]", ["\\"] = "\\\\" })
    end
    return duckdb.text(path:find "^~" and "./" .. path or path)
end

-- The rows of the files as SQL has them.
local function from(files, named)
    local list = {}
    for i, one in ipairs(files) do
        list[i] = literal(one.path)
    end
    return ("read_parquet([%s], hive_partitioning = false%s)"):format(table.concat(list, ", "),
        named and ", filename = true" or "")
end

-- The names of the columns, as the files have them; or nil, message, code.
local function names_of(files)
    local t, message, code = duckdb.query(("select column_name from (describe select * from %s)"):format(from(files)))
    if not t then
        return nil, message, code
    end
    return t.column_name:totable()
end

-- The list of what is selected: the columns, by names or numbers.
local function selected(files, opts)
    local list = {}
    if opts.columns then
        local names, message, code = names_of(files)
        if not names then
            return nil, message, code
        end
        local numbers, chosen = columns_in.choose(names, opts.columns)
        if not numbers then
            return nil, chosen, "format"
        end
        for i, name in ipairs(chosen) do
            list[i] = duckdb.name(name)
        end
    else
        list[1] = opts.source and "* exclude (filename)" or "*"
    end
    list[#list + 1] = opts.source and "filename as " .. duckdb.name(opts.source) or nil
    return table.concat(list, ", ")
end

-- The query that options ask for; or nil, message, code.
function M.query_of(files, opts)
    local list, message, code = selected(files, opts)
    if not list then
        return nil, message, code
    end
    return ("select %s from %s%s%s"):format(list, from(files, opts.source),
        opts.where and " where " .. opts.where .. "\n" or "", opts.nrows and " limit " .. opts.nrows or "")
end

-- True if the files are there; or nil, message, errno.
function M.are_there(files)
    for _, one in ipairs(files) do
        local handle, message, code = io.open(one.path, "rb")
        if not handle then
            return nil, message, code
        end
        handle:close()
    end
    return true
end

-- ---------------------------------------------------------------- reading

-- Nil if all files have the same columns of the same types, in any order; or what differs, code: DuckDB would convert
-- those of other files to the types of the first one.
function M.disagreement(files)
    if #files == 1 then
        return nil
    end
    local list, first = {}, nil
    for i, one in ipairs(files) do
        list[i] = literal(one.path)
    end
    local t, message, code = duckdb.query(([[select file_name, name, concat_ws(' ', type, type_length, converted_type,
        "precision", "scale", logical_type) as kind from parquet_schema([%s]) where num_children is null or
        num_children = 0]]):format(table.concat(list, ", ")))
    if not t then
        return message, code
    end
    local of_file, order = {}, {}
    for _, r in t:iter() do
        if not of_file[r.file_name] then
            order[#order + 1] = r.file_name
            of_file[r.file_name] = { count = 0, kinds = {} }
        end
        local seen = of_file[r.file_name]
        first = first or seen
        seen.kinds[r.name] = r.kind
        seen.count = seen.count + 1
    end
    for _, path in ipairs(order) do
        local seen = of_file[path]
        if seen.count ~= first.count then
            return ("%s: %d columns, but %s has %d"):format(path, seen.count, order[1], first.count), "format"
        end
        for name, kind in pairs(first.kinds) do
            if seen.kinds[name] == nil then
                return ("%s: no column '%s', which %s has"):format(path, name, order[1]), "format"
            elseif seen.kinds[name] ~= kind then
                return ("%s: column '%s' is %s, but %s in %s"):format(path, name, seen.kinds[name], kind, order[1]),
                    "format"
            end
        end
    end
end

-- The table of the rows of all files: `files` has the path of each. Nil, message, code.
function M.decode_all(files, opts)
    local there, message, code = M.are_there(files)
    if not there then
        return nil, message, code
    end
    message, code = M.disagreement(files)
    if message then
        return nil, message, CODES[code] or code
    end
    local text, t
    text, message, code = M.query_of(files, opts)
    if text then
        t, message, code = duckdb.query(text, opts)
    end
    if not t then
        return failed(files, message .. (code == "unsupported" and not opts.columns
            and "; {columns = ...} leaves it out" or ""), code)
    end
    return t
end

function M.load_path(path, opts)
    return M.decode_all({ { path = path } }, opts)
end

return M
