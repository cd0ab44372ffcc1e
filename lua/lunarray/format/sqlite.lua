-- SQLite databases, through the system's library: a table or the rows of a query as a table of columns, and a table of
-- columns as one of a database. The library is called in C (interp/bind/file/sqlite.c).
--
-- Types are by value there: a column is what all its values are. Values go in and out exactly, or column and row are
-- refused; but numbers beside texts are cast as SQLite does, and NaN is NULL.

local columns_in = require "lunarray.format.columns"
local core = require "lunarray.core"
local csv = require "lunarray.format.csv"
local fault = require "lunarray.base.fault"
local frame = require "lunarray.show.frame"
local object = require "lunarray.table.object"
local options = require "lunarray.format.csvoptions"
local recast = require "lunarray.format.recast"

local internal = core.internal

local sqlite = {
    load_options = {
        table = true, columns = true, where = true, nrows = true, sql = true, parameters = true, dates = true,
        dtypes = true, blobs = true,
    },
    save_options = { table = true, append = true, columns = true },
    open_options = {},
}

local EIO = 5 -- the system's number
-- Codes of the library: a locked database has the number, others what they are.
local CODES = { [5] = 5, [6] = 5, [7] = "memory", [9] = "interrupt", [11] = "format", [26] = "format", [10] = EIO,
    [13] = 28, [14] = EIO, [8] = 30, [3] = 13 }

-- ---------------------------------------------------------------- options

local function text_fault(name, x)
    if x ~= nil and (type(x) ~= "string" or x == "" or x:find("\0", 1, true)) then
        return ("%s is %s; a text is expected"):format(name, type(x) == "string" and ("%q"):format(x)
            or "a " .. type(x))
    end
end

function sqlite.load_fault(opts)
    if opts.sql ~= nil and (opts.table or opts.columns or opts.where) then
        return "sql is a whole query: table, columns and where stand in it"
    elseif opts.blobs ~= nil and opts.blobs ~= "hex" and opts.blobs ~= "base64" then
        return 'blobs is neither "hex" nor "base64"'
    elseif opts.parameters ~= nil and type(opts.parameters) ~= "table" then
        return "parameters is no list or table of values"
    end
    return text_fault("table", opts.table) or text_fault("where", opts.where) or text_fault("sql", opts.sql)
        or options.load_fault { columns = opts.columns, nrows = opts.nrows, dates = opts.dates, dtypes = opts.dtypes }
end

function sqlite.save_fault(opts)
    if opts.table == nil then
        return 'table is not given; {table = "orders"} names one in the database'
    elseif opts.append ~= nil and type(opts.append) ~= "boolean" then
        return "append is no boolean"
    end
    return text_fault("table", opts.table)
end

-- ---------------------------------------------------------------- rows out

local function quoted(name)
    return '"' .. name:gsub('"', '""') .. '"'
end

-- A failure of the library with its message, the code of lun.load.
local function failed(message, code)
    return nil, message, type(code) == "string" and code or CODES[code] or "sql"
end

-- An open database, "read" or "write" of a file that there is, or "create"; or nil, message, code.
local function open(path, mode)
    if mode ~= "create" then
        local handle, message, code = io.open(path, "rb")
        if not handle then
            return nil, message:gsub("^.*: ", ""), code
        end
        handle:close()
    end
    local db, message, code = internal.sqlite_open(path, mode)
    if not db then
        return failed(message, code)
    end
    return db
end

-- Integers that are all 0 or 1 as truth values.
local function truths(column)
    local low, high = column:min(), column:max()
    return type(low) == "number" and low >= 0 and high <= 1 and column:cast "bool" or column
end

-- Parameters as the library takes them: truth values as 0 and 1, lun.na as a truth value.
local function bound(parameters)
    local out = {}
    for key, x in pairs(parameters or {}) do
        if x == core.na then
            out[key] = false
        elseif type(x) == "boolean" then
            out[key] = x and 1 or 0
        else
            out[key] = x
        end
    end
    return out
end

-- The table that a query gives; or true and the number of rows changed; or nil, message, code.
local function query(db, text, parameters, opts)
    local names, columns, valid, declared, rows = db:query(text, bound(parameters), opts.nrows or -1,
        opts.blobs or "no", opts.dates == false)
    if names == true then
        return true, columns
    elseif names == nil and columns == "value" then
        return nil, ("column '%s', row %d: this %s"):format(declared, rows, valid), "format"
    elseif names == nil then
        return failed(columns, valid)
    end
    names = csv.complete(names)
    local by_name = {}
    for i, name in ipairs(names) do
        local column = columns_in.joined(columns[i], valid[i])
        if declared[i]:upper():find "^BOOL" and column:dtype() == "i64" then
            column = truths(column)
        end
        by_name[name] = column:eval()
    end
    return object.make(by_name, names, rows)
end

-- The names of tables and views; or nil, message, code.
local function tables_of(db)
    local t, message, code = query(db, "select name from sqlite_master where type in ('table', 'view') and name "
        .. "not like 'sqlite\\_%' escape '\\' order by name", nil, { dates = false })
    if not t then
        return nil, message, code
    end
    return #t > 0 and frame.column(t, "name"):totable() or {}
end

-- The query that options ask for; or nil, message, code.
local function text_of(db, opts)
    local name = opts.table
    if opts.sql then
        return opts.sql
    elseif not name then
        local names, message, code = tables_of(db)
        if not names then
            return nil, message, code
        elseif #names ~= 1 then
            return nil, #names == 0 and "the database has no table" or ("the database has the tables '%s'; "
                .. '{table = "..."} says which'):format(table.concat(names, "', '")), "unsupported"
        end
        name = names[1]
    end
    local list = { "*" }
    for i, column in ipairs(opts.columns or {}) do
        list[i] = quoted(tostring(column))
    end
    return ("select %s from %s%s"):format(table.concat(list, ", "), quoted(name),
        opts.where and " where " .. opts.where or "")
end

-- Nil, or what is wrong with the names of columns: SQLite takes "x" for a text where there is no column x.
local function unknown_column(db, opts)
    if not opts.columns or opts.sql then
        return nil
    end
    local text, message = text_of(db, { table = opts.table })
    local t = text and query(db, text, nil, { nrows = 0 })
    if not t then
        return message
    end
    for _, name in ipairs(opts.columns) do
        if not t:has(name) then
            return ("no column '%s'; there are '%s'"):format(name, table.concat(t:names(), "', '"))
        end
    end
end

-- lun.load of a database; or nil, message, code.
function sqlite.load_path(path, opts)
    local db, message, code = open(path, "read")
    if not db then
        return nil, path .. ": " .. message, code
    end
    local t
    local wrong = unknown_column(db, opts)
    if wrong then
        db:close()
        return nil, path .. ": " .. wrong, "format"
    end
    local text
    text, message, code = text_of(db, opts)
    if text then
        t, message, code = query(db, text, opts.parameters, opts)
    end
    db:close()
    if t and t ~= true then
        t, message, code = recast.table(t, opts)
    end
    if not t then
        return nil, path .. ": " .. message, code
    end
    return t, message
end

-- ---------------------------------------------------------------- rows in

local DECLARED = { bool = "BOOLEAN", date = "DATE", timestamp = "TIMESTAMP", text = "TEXT", duration = "INTEGER" }

local function declared_as(dtype)
    return DECLARED[dtype] or (dtype:find "^b?f" and "REAL") or "INTEGER"
end

-- What a writer takes of a table, with `declared` types; or nil and the caller's mistake.
local function to_write(t, wanted)
    if core.isarray(t) then
        t = { value = t }
    elseif type(t) ~= "table" then
        return nil, "table of columns expected, got " .. internal.kind_of(t)
    end
    local names = wanted or frame.ordered(t)
    local plain, declared = {}, {}
    for i, name in ipairs(names) do
        local column = frame.column(t, name)
        local usable = core.isarray(column) and select("#", column:shape()) == 1
        local dtype = usable and column:dtype() or nil
        declared[i] = DECLARED[dtype] or false
        if dtype == "duration" then
            column = column:cast "i64"
        elseif dtype == "u64" and #column > 0 and (column:max() or 0) < 0 then
            return nil, ("column '%s': row %d is beyond i64, which is what SQLite has"):format(name, column:argmax())
        end
        plain[name] = column
    end
    local made, wrong = columns_in.all_to_write(plain, names)
    if not made then
        return nil, wrong
    end
    for i, column in ipairs(made.columns) do
        declared[i] = declared[i] or declared_as(column:dtype())
    end
    made.declared = declared
    return made
end

-- Makes the table `name` of what to_write gave, and puts its rows in: true, or nil, message, code.
local function put(db, name, made, kind, append)
    local ok, message, code = true, nil, nil
    local columns, marks, names = {}, {}, {}
    for i, column in ipairs(made.names) do
        columns[i] = quoted(column) .. " " .. made.declared[i]
        names[i], marks[i] = quoted(column), "?"
    end
    if not append then
        ok, message, code = db:execute(("create %s %s (%s)"):format(kind, name, table.concat(columns, ", ")))
    end
    if ok then
        ok, message, code = db:insert(("insert into %s (%s) values (%s)"):format(name, table.concat(names, ", "),
            table.concat(marks, ", ")), made.columns, made.rows, made.valid)
    end
    return ok, message, code
end

-- Within a transaction: writes the table into the database.
local function replace(db, made, opts)
    local names, message, code = tables_of(db)
    local ok = names ~= nil
    local there = false
    for _, name in ipairs(names or {}) do
        there = there or name:lower() == opts.table:lower()
    end
    if ok and there and not opts.append then
        ok, message, code = db:execute("drop table " .. quoted(opts.table))
    end
    if ok then
        ok, message, code = put(db, quoted(opts.table), made, "table", opts.append and there)
    end
    if ok then
        ok, message, code = db:execute "commit"
    end
    return ok, message, code
end

-- lun.save into a database: true, or nil, message, code with the database as it was; or nil and the caller's mistake.
function sqlite.save_path(path, t, opts)
    local made, wrong = to_write(t, opts.columns)
    if not made then
        return nil, wrong
    end
    local old = io.open(path, "rb")
    if old then
        old:close()
    end
    local db, message, code = open(path, "create")
    if not db then
        return nil, path .. ": " .. message, code
    end
    local done, ok = false
    local _ <close> = setmetatable({}, {
        __close = function()
            if not done then
                db:execute "rollback"
            end
            db:close()
            local size = not done and not old and io.open(path, "rb")
            if size and size:seek "end" == 0 then
                os.remove(path)
            end
        end,
    })
    ok, message, code = db:execute "begin immediate"
    if ok then
        ok, message, code = replace(db, made, opts)
    end
    done = ok
    if not ok then
        return failed(path .. ": " .. message, code)
    end
    return true
end

-- ---------------------------------------------------------------- an open database

local Database = { __name = "SQLite database" }
Database.__index = Database
sqlite.database = Database

-- The columns of t that a text may name: those whose names are in it, or all where it has a star.
local function named_in(text, t)
    if type(t) ~= "table" or text:find("*", 1, true) then
        return nil
    end
    local names, lower = {}, text:lower()
    for _, name in ipairs(frame.ordered(t)) do
        if lower:find(name:lower(), 1, true) then
            names[#names + 1] = name
        end
    end
    return #names > 0 and names or nil
end

-- Makes a temporary table; raises for one that cannot be.
local function make_temporary(db, name, t, text)
    local made, wrong = to_write(t, named_in(text, t))
    if not made then
        fault("bad argument #2 to 'sql' ('%s': %s)", name, wrong)
    end
    local ok, message = put(db, "temp." .. quoted(name), made, "temp table", false)
    if not ok then
        ok, message = put(db, quoted(name), made, "temp table", false)
    end
    if not ok then
        fault("'%s': SQLite: %s", name, message)
    end
end

-- db:sql(text [, tables [, parameters]]): the table of its rows, or true and how many rows changed.
function Database:sql(text, tables, parameters)
    if type(text) ~= "string" then
        fault("bad argument #1 to 'sql' (text expected, got %s)", internal.kind_of(text))
    elseif not self.db then
        fault "the database is closed"
    elseif tables ~= nil and type(tables) ~= "table" then
        fault("bad argument #2 to 'sql' (tables by name expected, got %s)", internal.kind_of(tables))
    elseif parameters ~= nil and type(parameters) ~= "table" then
        fault("bad argument #3 to 'sql' (parameters expected, got %s)", internal.kind_of(parameters))
    end
    local made = {}
    local _ <close> = setmetatable({}, {
        __close = function()
            for _, name in ipairs(made) do
                self.db:execute("drop table temp." .. quoted(name))
            end
        end,
    })
    for name, t in pairs(tables or {}) do
        made[#made + 1] = name
        make_temporary(self.db, name, t, text)
    end
    local t, message = query(self.db, text, parameters, {})
    if not t then
        fault("SQLite: %s", message)
    elseif t == true then
        return true, message
    end
    return t
end

-- db:tables(): the names of tables and views.
function Database:tables()
    if not self.db then
        fault "the database is closed"
    end
    local names, message = tables_of(self.db)
    if not names then
        fault("SQLite: %s", message)
    end
    return names
end

function Database:close()
    if self.db then
        self.db:close()
    end
    self.db = nil
end

Database.__close = Database.close

function Database:__tostring()
    local names = self.db and tables_of(self.db)
    return ("SQLite database %s%s"):format(self.path, not self.db and ", closed"
        or names and #names > 0 and ": " .. table.concat(names, ", ") or "")
end

-- lun.open of a database; or nil, message, code.
function sqlite.open(files)
    local path = files[1].path
    local db, message, code = open(path, "write")
    if not db then
        return nil, path .. ": " .. message, code
    end
    local names
    names, message, code = tables_of(db) -- what is no database is found now
    if not names then
        db:close()
        return nil, path .. ": " .. message, code
    end
    return setmetatable({ db = db, path = path }, Database)
end

return sqlite
