-- Parquet files, through DuckDB: read as the rows of a query, in which columns, rows and files are chosen, and written
-- by one.

local columns_in = require "lunarray.format.columns"
local duckdb = require "lunarray.format.duckdb"
local frame = require "lunarray.show.frame"
local lists = require "lunarray.table.lists"
local options = require "lunarray.format.csvoptions"
local recast = require "lunarray.format.recast"

local checks = options.checks
local EIO = 5 -- the system's number

local M = {
    load_options = {
        columns = true, where = true, nrows = true, dtypes = true, source = true, blobs = true, decimals = true,
        nanoseconds = true,
    },
    save_options = { columns = true, compression = true, rows = true },
}
M.open_options = M.load_options

function M.load_fault(opts)
    local where = opts.where
    if where ~= nil and (type(where) ~= "string" or where == "" or where:find("\0", 1, true)) then
        return "where is no text of SQL, such as \"x > 1 and g = 'a'\""
    end
    return checks.names("columns", opts.columns, true) or checks.count("nrows", opts.nrows, 0)
        or checks.text("source", opts.source) or checks.dtypes(opts.dtypes) or options.values_fault(opts)
end

function M.save_fault(opts)
    return checks.names("columns", opts.columns) or checks.count("rows", opts.rows, 1)
        or checks.choice(opts, "compression", { "snappy", "zstd", "none" })
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

-- The names that all columns of a file have in a table where DuckDB gives these, which makes n_1 of a second n; nil:
-- the same.
local function known_as(files, given)
    local changed = false
    for _, name in ipairs(given) do
        changed = changed or name:find "_%d+$" ~= nil
    end
    local t = changed and duckdb.query(([[select name, coalesce(num_children, 0)::bigint as inside
        from parquet_schema(%s)]]):format(literal(files[1].path)))
    if not t or #t == 0 then
        return nil
    end
    local names, inside, own = t.name:totable(), t.inside:totable(), {}
    local function behind(i)
        local next_one = i + 1
        for _ = 1, inside[i] do
            next_one = behind(next_one)
        end
        return next_one
    end
    local i = 2 -- behind the root
    while i <= #names do
        own[#own + 1] = names[i]
        i = behind(i)
    end
    return #own == #given and (columns_in.distinct(own)) or nil
end

-- A table as a query gives it with its columns in these names, nil: those of all columns of the file, behind which may
-- be that of their paths; and DuckDB's name of each where it is another one.
local function named(files, t, names, source)
    local given, arrays, theirs = t:names(), {}, {}
    if not names then
        names = known_as(files, table.move(given, 1, source and #given - 1 or #given, 1, {}))
        if not names then
            return t, theirs
        end
        names[#names + 1] = source
    end
    names = columns_in.distinct(names)
    for i, name in ipairs(given) do
        arrays[i] = frame.column(t, name)
        theirs[names[i]] = names[i] ~= name and name or nil
    end
    return next(theirs) and lists.table(names, arrays) or t, theirs
end

-- The list of what is selected: the columns, by names or numbers; and the names that they get, nil: their own.
local function selected(files, opts)
    local list, chosen = {}, nil
    if opts.columns or opts.dtypes then
        local names, types, code = duckdb.described(from(files))
        if not names then
            return nil, types, code
        end
        local own, theirs, known = known_as(files, names) or names, {}, {}
        local numbers
        numbers, chosen = columns_in.choose(own, opts.columns)
        if not numbers then
            return nil, chosen, "format"
        end
        for i, number in ipairs(numbers) do
            theirs[i] = names[number]
            known[theirs[i]] = chosen[i]
        end
        list = duckdb.listed(theirs, opts, names, types, known)
        chosen[#chosen + 1] = opts.source
    else
        list[1] = opts.source and "* exclude (filename)" or "*"
    end
    list[#list + 1] = opts.source and "filename as " .. duckdb.name(opts.source) or nil
    return table.concat(list, ", "), chosen
end

-- The query that options ask for, and the names that its columns get, nil: their own; or nil, message, code.
function M.query_of(files, opts)
    local list, names, code = selected(files, opts)
    if not list then
        return nil, names, code
    end
    return ("select %s from %s%s%s"):format(list, from(files, opts.source),
        opts.where and " where " .. opts.where .. "\n" or "", opts.nrows and " limit " .. opts.nrows or ""), names
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

-- Whether all files are there and make one table; or nil, message, code.
function M.are_one(files)
    local there, message, code = M.are_there(files)
    if not there then
        return nil, message, code
    end
    message, code = M.disagreement(files)
    if message then
        return nil, message, CODES[code] or code
    end
    return true
end

-- The table of the rows of all files: `files` has the path of each. Nil, message, code.
function M.decode_all(files, opts)
    local together, message, code = M.are_one(files)
    if not together then
        return nil, message, code
    end
    local text, names, t
    text, names, code = M.query_of(files, opts)
    if text then
        t, message, code = duckdb.query(text, opts)
    else
        message = names
    end
    if t then
        t, message, code = recast.table(named(files, t, names, opts.source), opts)
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

-- ---------------------------------------------------------------- rows in turn

-- The rows of the files for the chains of opened tables (stream/chain.lua): those of a query that gives them as they
-- are asked for, on a connection of its own. `rows` is the query, `columns` are the names that it gives, `theirs` has
-- DuckDB's where they are others; `at` counts the rows before.
local Source = {}
Source.__index = Source

local function fail(source, message)
    error(("%s: %s"):format(source.path, message), 0)
end

-- The query of columns by their names.
local function text_of(source, names)
    local theirs = {}
    for i, name in ipairs(names) do
        theirs[i] = source.theirs[name] or name
    end
    local list = duckdb.listed(theirs)
    return ("select %s from (%s)"):format(list[1] and table.concat(list, ", ") or "1", source.text)
end

function Source:close()
    if self.rows then
        self.rows:close()
        self.connection:close()
    end
    self.rows = nil
end

-- The next rows are the first.
function Source:begin()
    self:close()
    self.at = 0
end

-- Runs the query for columns of these names.
local function start(source, names)
    local one, message = duckdb.instance()
    source.connection = one and one.instance:connect()
    if not source.connection then
        fail(source, message or "DuckDB gives no connection")
    end
    source.columns = names
    source.rows, message = source.connection:rows(text_of(source, names), {})
    if not source.rows then
        source.connection:close()
        fail(source, message)
    end
end

-- At most so many rows behind those that came before: how many there are, and a function that gives columns of them;
-- nil: there are no more.
function Source:next(rows, used)
    if self.at == 0 and not self.rows then
        start(self, used)
    elseif not self.rows then
        return nil
    end
    local names, arrays, count = self.rows:next(rows, self.options)
    if not names then
        fail(self, arrays)
    elseif count == 0 then
        self:close()
        self.at = self.at + 1
        return nil
    end
    local columns, ready, first = {}, {}, self.at
    for i, name in ipairs(self.columns) do
        columns[name] = arrays[i]
    end
    self.at = self.at + count
    return count, function(name)
        local message
        if not columns[name] then -- which the query has not
            local t
            t, message = duckdb.query(("%s limit %d offset %d"):format(text_of(self, { name }), count, first),
                self.opts)
            columns[name] = t and frame.column(t, t:names()[1]) or fail(self, message)
        end
        if not ready[name] then
            ready[name], message = recast.array(columns[name], name, self.opts, first)
        end
        return ready[name] or fail(self, message)
    end
end

local SAMPLE <const> = 1000 -- rows

-- lun.open: the opened table of the rows of all files; or nil, message, code.
function M.open(files, opts)
    local together, message, code = M.are_one(files)
    if not together then
        return nil, message, code
    end
    local text, names, sample, theirs
    text, names, code = M.query_of(files, opts)
    if text then
        sample, message, code = duckdb.query(("select * from (%s) limit %d"):format(text, SAMPLE), opts)
    else
        message = names
    end
    if sample then
        sample, theirs = named(files, sample, names, opts.source)
        sample, message, code = recast.table(sample, opts)
    end
    if not sample then
        return failed(files, message, code)
    end
    local source = setmetatable({ path = files[1].path .. (#files > 1 and (" and %d more"):format(#files - 1) or ""),
        text = text, names = sample:names(), certain = {}, row_bytes = 8 * #sample:names(), at = 0, opts = opts,
        theirs = theirs, gives = true, options = options.values_text(opts), complete = #sample < SAMPLE }, Source)
    for _, name in ipairs(source.names) do
        source.certain[name] = true
    end
    return require("lunarray.stream.opened").table(source, sample)
end

-- ---------------------------------------------------------------- writing

local ROWS = 122880 -- of a group, DuckDB's own number

-- Nil if Parquet's intervals, of whole milliseconds from 0 on, can be the durations of a table; else what is wrong.
local function duration_fault(given)
    for i, x in ipairs(given.arrays) do
        if x:dtype() == "duration" then
            local micros = x:cast "i64"
            local wrong = (micros:lt(0) | (micros % 1000):ne(0)) & micros:notna()
            local rows = wrong:indices()
            if #rows > 0 then
                return ("column '%s': row %d: Parquet's intervals are whole milliseconds from 0 on: cast it to i64")
                    :format(given.names[i], rows[1])
            end
        end
    end
end

-- lun.save: true; or nil, message, code with the old file as it was; or nil and the caller's mistake.
function M.save_path(path, t, opts)
    local codec = opts.compression == "none" and "uncompressed" or opts.compression or "snappy"
    return duckdb.write(path, t, opts.columns, ("format parquet, compression '%s', row_group_size %d"):format(codec,
        opts.rows or ROWS), duration_fault)
end

return M
