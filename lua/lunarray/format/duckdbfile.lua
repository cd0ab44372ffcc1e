-- Databases of DuckDB (.duckdb), attached to the engine's instance: a table, or the rows of a query, as a table of
-- columns, and a table of columns as one of a database.
--
-- Invariant: `attached[path]` has the name of the database and how many use it; the last one detaches it.

local core = require "lunarray.core"
local duckdb = require "lunarray.format.duckdb"
local fault = require "lunarray.base.fault"
local options = require "lunarray.format.csvoptions"
local recast = require "lunarray.format.recast"

local checks = options.checks
local attached = {}

local M = {
    load_options = {
        table = true, columns = true, where = true, nrows = true, sql = true, parameters = true, dtypes = true,
        blobs = true, decimals = true, nanoseconds = true,
    },
    save_options = { table = true, append = true, columns = true },
    open_options = {},
}

local EIO = 5 -- the system's number
local CODES = { io = EIO, sql = "format" }

-- ---------------------------------------------------------------- options

local function text_fault(name, x)
    if x ~= nil and (type(x) ~= "string" or x == "" or x:find("\0", 1, true)) then
        return ("%s is no text, or empty"):format(name)
    end
end

function M.load_fault(opts)
    if opts.sql ~= nil and (opts.table or opts.columns or opts.where) then
        return "sql is a whole query: table, columns and where stand in it"
    elseif opts.parameters ~= nil and type(opts.parameters) ~= "table" then
        return "parameters is no list or table of values"
    end
    return text_fault("table", opts.table) or text_fault("where", opts.where) or text_fault("sql", opts.sql)
        or checks.names("columns", opts.columns) or checks.count("nrows", opts.nrows, 0)
        or checks.dtypes(opts.dtypes) or options.values_fault(opts)
end

function M.save_fault(opts)
    if opts.table == nil then
        return 'table is not given; {table = "orders"} names one in the database'
    elseif opts.append ~= nil and type(opts.append) ~= "boolean" then
        return "append is no boolean"
    end
    return text_fault("table", opts.table) or checks.names("columns", opts.columns)
end

-- ---------------------------------------------------------------- databases that are attached

-- Whether a file that is there is a database of DuckDB's; nil, message, code if it is none. new: it may be absent.
local function examine(path, new)
    local handle, message, code = io.open(path, "rb")
    if not handle then
        if new and code == 2 then
            return true
        end
        return nil, message, code
    end
    local head = handle:read(12)
    handle:close()
    if not head or head:sub(9) ~= "DUCK" then
        return nil, path .. ": no database of DuckDB's", "format"
    end
    return true
end

-- A name that no other database of the instance has: that of the file.
local function free_name(path)
    local base = path:match "([^/]*)$":gsub("%.[^.]*$", "")
    local taken = { temp = true, system = true, memory = true, main = true, [""] = true }
    for _, one in pairs(attached) do
        taken[one.name:lower()] = true
    end
    local name, number = base, 2
    while taken[name:lower()] do
        name, number = ("%s_%d"):format(base, number), number + 1
    end
    return name
end

-- Attaches a database, mode "read", "write" or "create", and gives a connection that uses it; or nil, message, code.
local function connect(path, mode)
    local ok, message, code = examine(path, mode == "create")
    if not ok then
        return nil, message, code
    end
    local one
    one, message, code = duckdb.instance()
    if not one then
        return nil, path .. ": " .. message, code
    end
    local known = attached[path]
    if not known then
        known = { name = free_name(path), count = 0 }
        ok, message, code = duckdb.query(("attach %s as %s%s"):format(duckdb.text(path), duckdb.name(known.name),
            mode == "read" and " (read_only)" or ""))
        if not ok then
            return nil, path .. ": " .. message, CODES[code] or code
        end
    end
    attached[path] = known
    known.count = known.count + 1
    local connection
    connection, message, code = one.instance:connect()
    if connection then
        connection:run("use " .. duckdb.name(known.name), {}, {}, false)
        return connection, known
    end
    return nil, path .. ": " .. message, code
end

-- Ends the use of such a connection.
local function disconnect(path, connection)
    local known = attached[path]
    connection:run("use memory", {}, {}, false)
    connection:close()
    known.count = known.count - 1
    if known.count == 0 then
        attached[path] = nil
        duckdb.query("detach " .. duckdb.name(known.name))
    end
end

-- The names of tables and views; or nil, message, code.
local function tables_of(connection)
    local t, message, code = duckdb.run(connection, [[select if(table_schema = 'main', table_name,
        table_schema || '.' || table_name) as name from information_schema.tables
        where table_catalog = current_database() order by name]], {}, {}, {})
    if not t then
        return nil, message, code
    end
    return t.name:totable()
end

-- ---------------------------------------------------------------- reading

-- The query that options ask for; or nil, message, code.
local function text_of(connection, opts)
    local name = opts.table
    if opts.sql then
        return opts.sql
    elseif not name then
        local names, message, code = tables_of(connection)
        if not names then
            return nil, message, code
        elseif #names ~= 1 then
            return nil, #names == 0 and "the database has no table" or ("the database has the tables '%s'; "
                .. '{table = "..."} says which'):format(table.concat(names, "', '")), "unsupported"
        end
        name = names[1]
    end
    local list = duckdb.listed(opts.columns or {})
    if opts.dtypes then
        local names, types, code = duckdb.described(duckdb.name(name), connection)
        if not names then
            return nil, types, code
        end
        list = duckdb.listed(opts.columns or names, opts, names, types)
    end
    return ("select %s from %s%s%s"):format(list[1] and table.concat(list, ", ") or "*", duckdb.name(name),
        opts.where and " where " .. opts.where .. "\n" or "", opts.nrows and " limit " .. opts.nrows or "")
end

-- lun.load of a database; or nil, message, code.
function M.load_path(path, opts)
    local connection, message, code = connect(path, "read")
    if not connection then
        return nil, message, code
    end
    local _ <close> = setmetatable({}, { __close = function() disconnect(path, connection) end })
    local text, t
    text, message, code = text_of(connection, opts)
    if text then
        t, message, code = duckdb.run(connection, text, {}, duckdb.bound(opts.parameters), opts)
    end
    if t and t ~= true then
        t, message, code = recast.table(t, opts)
    end
    if not t then
        return nil, path .. ": " .. message, CODES[code] or code
    end
    return t, message
end

-- ---------------------------------------------------------------- writing

-- Makes a table of what M.given has made, or adds its rows to one: true; or nil, message, code.
local function put(connection, name, given, append)
    local text = append and "insert into %s by name from lunarray_table(0)"
        or "create or replace table %s as from lunarray_table(0)"
    local done, message, code = duckdb.run(connection, text:format(duckdb.name(name)), { given }, {}, {})
    if not done then
        return nil, message, code
    end
    return true
end

-- Whether there is a table of that name.
local function has(connection, name)
    for _, other in ipairs(tables_of(connection) or {}) do
        if other:lower() == name:lower() then
            return true
        end
    end
    return false
end

-- lun.save into a database: true, or nil, message, code with the database as it was; or nil and the caller's mistake.
function M.save_path(path, t, opts)
    local given, wrong = duckdb.given("t", t, "*", opts.columns)
    if not given then
        return nil, wrong
    end
    local connection, message, code = connect(path, "create")
    if not connection then
        return nil, message, code
    end
    local _ <close> = setmetatable({}, { __close = function() disconnect(path, connection) end })
    local done
    done, message, code = put(connection, opts.table, given, opts.append and has(connection, opts.table))
    if not done then
        return nil, path .. ": " .. message, CODES[code] or code
    end
    return true
end

-- ---------------------------------------------------------------- an open database

local Database = { __name = "DuckDB database" }
Database.__index = Database
M.database = Database

local function check_open(db)
    if not db.connection then
        fault "the database is closed"
    end
end

-- db:sql(text [, tables [, parameters [, opts]]]), as lun.sql, of its tables.
function Database:sql(text, tables, parameters, opts)
    check_open(self)
    duckdb.check_arguments(text, tables, parameters, opts)
    if opts and opts.files == false then
        fault "bad argument #4 to 'sql' (files = false is of lun.sql, which has a database of its own then)"
    end
    return duckdb.sql_on(self.connection, text, tables, parameters, opts)
end

-- db:tables(): the names of tables and views.
function Database:tables()
    check_open(self)
    local names, message, code = tables_of(self.connection)
    if not names then
        duckdb.raise(message, code)
    end
    return names
end

-- db:save(name, t [, {append =, columns =}]): makes, or replaces, a table of it; true, or nil, message, code.
function Database:save(name, t, opts)
    check_open(self)
    if type(name) ~= "string" or text_fault("name", name) then
        fault("bad argument #1 to 'save' (name of a table expected, got %s)", core.internal.kind_of(name))
    elseif opts ~= nil and type(opts) ~= "table" then
        fault("bad argument #3 to 'save' (table of options expected, got %s)", core.internal.kind_of(opts))
    end
    for option in pairs(opts or {}) do
        if option ~= "append" and option ~= "columns" then
            fault("bad argument #3 to 'save' (unknown option '%s'; known: append, columns)", tostring(option))
        end
    end
    opts = opts or {}
    local wrong = M.save_fault { table = name, append = opts.append, columns = opts.columns }
    if wrong then
        fault("bad argument #3 to 'save' (%s)", wrong)
    end
    local given
    given, wrong = duckdb.given("t", t, "*", opts.columns)
    if not given then
        fault("bad argument #2 to 'save' (%s)", wrong)
    end
    return put(self.connection, name, given, opts.append and has(self.connection, name))
end

function Database:close()
    if self.connection then
        disconnect(self.path, self.connection)
    end
    self.connection = nil
end

Database.__close = Database.close

function Database:__gc()
    pcall(Database.close, self) -- the instance may have ended before
end

function Database:__tostring()
    local names = self.connection and tables_of(self.connection)
    return ("DuckDB database %s%s"):format(self.path, not self.connection and ", closed"
        or names and #names > 0 and ": " .. table.concat(names, ", ") or "")
end

-- lun.open of a database; or nil, message, code.
function M.open(files)
    local path = files[1].path
    local connection, message, code = connect(path, "write")
    if not connection then
        return nil, message, code
    end
    return setmetatable({ connection = connection, path = path }, Database)
end

return M
