-- Excel sheets (.xlsx) and files of other machines ("https://...", "s3://..."), through extensions of DuckDB: whether
-- they are installed is a script's business.

local duckdb = require "lunarray.format.duckdb"
local options = require "lunarray.format.csvoptions"
local recast = require "lunarray.format.recast"

local checks = options.checks
local EIO = 5 -- the system's number

local M = {
    load_options = {
        columns = true, where = true, nrows = true, sheet = true, range = true, dtypes = true, blobs = true,
        decimals = true, nanoseconds = true,
    },
    save_options = { columns = true, sheet = true },
}

-- Whether a path is one of another machine.
function M.is_remote(path)
    return type(path) == "string" and path:find "^%a[%w+.%-]+://" ~= nil
end

function M.load_fault(opts)
    return checks.names("columns", opts.columns) or checks.text("where", opts.where)
        or checks.count("nrows", opts.nrows, 0) or checks.text("sheet", opts.sheet) or checks.text("range", opts.range)
        or checks.dtypes(opts.dtypes) or options.values_fault(opts)
end

function M.save_fault(opts)
    return checks.names("columns", opts.columns) or checks.text("sheet", opts.sheet)
end

-- ---------------------------------------------------------------- what DuckDB says

local CODES = { sql = "format", io = EIO }

-- The extension that a message says is needed, if it does.
local function needed(message)
    return message:match "exists in the (%w+) extension" or message:match "requires the extension (%w+)"
        or message:match "Install it first using \"INSTALL (%w+)\""
        or message:find("Copy Function with name xlsx", 1, true) and "excel" or nil
end

-- A failure, of which one of an extension says what to do.
local function failed(path, message, code)
    local name = needed(message)
    if name then
        return nil, ("%s: %s is an extension of DuckDB that is not installed: lun.sql \"install %s\" downloads it from "
            .. "DuckDB's site"):format(path, name, name), "library"
    end
    return nil, path .. ": " .. message, CODES[code] or code
end

-- ---------------------------------------------------------------- reading

local READERS = {
    parquet = "read_parquet", pq = "read_parquet", csv = "read_csv", tsv = "read_csv", txt = "read_csv",
    json = "read_json", jsonl = "read_json", ndjson = "read_json", xlsx = "read_xlsx",
}

-- The rows of a file as SQL has them; or nil and the caller's mistake.
local function from(path, opts)
    local name = path:gsub("[?#].*$", ""):gsub("%.gz$", "")
    local reader = READERS[(name:match "%.([^./]*)$" or ""):lower()]
    if not reader then
        return nil, "DuckDB reads files named .parquet .csv .tsv .json .jsonl and .xlsx there"
    end
    local list = { duckdb.text(path) }
    for _, option in ipairs { "sheet", "range" } do
        if opts[option] and reader ~= "read_xlsx" then
            return nil, ("%s is one of .xlsx files"):format(option)
        end
        list[#list + 1] = opts[option] and ("%s = %s"):format(option, duckdb.text(opts[option])) or nil
    end
    return ("%s(%s)"):format(reader, table.concat(list, ", "))
end

-- lun.load; or nil, message, code.
function M.load_path(path, opts)
    local rows, wrong = from(path, opts)
    if not rows then
        return nil, path .. ": " .. wrong, "unsupported"
    elseif not M.is_remote(path) then
        local handle, message, code = io.open(path, "rb")
        if not handle then
            return nil, message, code
        end
        handle:close()
    end
    local list = {}
    for i, name in ipairs(opts.columns or {}) do
        list[i] = duckdb.name(name)
    end
    local t, message, code = duckdb.query(("select %s from %s%s%s"):format(list[1] and table.concat(list, ", ") or "*",
        rows, opts.where and " where " .. opts.where .. "\n" or "", opts.nrows and " limit " .. opts.nrows or ""), opts)
    if t then
        t, message, code = recast.table(t, opts)
    end
    if not t then
        return failed(path, message, code)
    end
    return t
end

-- ---------------------------------------------------------------- writing

-- lun.save of a sheet: true; or nil, message, code; or nil and the caller's mistake.
function M.save_path(path, t, opts)
    if M.is_remote(path) then
        return nil, path .. ": files of other machines are read only", "unsupported"
    end
    local form = "format xlsx, header true" .. (opts.sheet and ", sheet " .. duckdb.text(opts.sheet) or "")
    local saved, message, code = duckdb.write(path, t, opts.columns, form)
    if not saved and code and needed(message) and duckdb.query "load excel" then -- which only reading does by itself
        saved, message, code = duckdb.write(path, t, opts.columns, form)
    end
    if not saved and code then
        return failed(path, message:gsub("^.-: ", "", 1), code)
    end
    return saved, message, code
end

return M
