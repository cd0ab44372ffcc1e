-- DuckDB, through its library (interp/bind/file/duckdb.c, interp/duckdb): lun.sql, and what Parquet and databases of
-- DuckDB's stand on.
--
-- Invariant: an engine has one instance, in memory, made when it is first needed; databases are attached to it. Its
-- connection runs one statement at a time, all rows of which are taken before the next one.

local checks = require("lunarray.format.csvoptions").checks
local columns_in = require "lunarray.format.columns"
local core = require "lunarray.core"
local fault = require "lunarray.base.fault"
local file = require "lunarray.format.file"
local frame = require "lunarray.show.frame"
local lists = require "lunarray.table.lists"
local options = require "lunarray.format.csvoptions"
local recast = require "lunarray.format.recast"
local script_line = require "lunarray.base.script_line"

local internal = core.internal
local M = {}

-- ---------------------------------------------------------------- texts

-- A name, and a text, as SQL has them.
function M.name(x)
    return '"' .. x:gsub('"', '""') .. '"'
end

function M.text(x)
    return "'" .. x:gsub("'", "''") .. "'"
end

-- ---------------------------------------------------------------- the instance

local LEAST = 16 << 20 -- bytes that an instance needs
local wished = {} -- what lun.sql.config has set
local own -- { instance =, connection =, folder = } of the engine, once there is one

-- The folder for what does not fit memory, of the instance alone: it makes it when it needs it.
local function new_folder()
    local parent = os.getenv "TMPDIR"
    return (parent and parent ~= "" and parent or "/tmp") .. "/lunarray-duckdb-" .. file.unguessable()
end

-- The bytes that the engine's memory limit leaves, as a setting; nil: there is no limit.
local function memory_left()
    local _, left = internal.duckdb_limits()
    return left and ("%dB"):format(math.max(left, LEAST)) or nil
end

-- A new instance and its connection, with a folder for what does not fit memory; or nil, message, code.
local function open(folder)
    local threads = wished.threads or internal.duckdb_limits()
    local instance, message, code = internal.duckdb_open {
        threads = threads > 0 and tostring(threads) or nil, memory_limit = memory_left() or wished.memory,
        autoinstall_known_extensions = "false", autoload_known_extensions = "true", custom_user_agent = "lunarray",
        temp_directory = folder,
    }
    if not instance then
        return nil, message, code
    end
    local connection
    connection, message, code = instance:connect()
    if not connection then
        instance:close()
        return nil, message, code
    end
    if wished.temp == false then
        connection:run("set temp_directory = ''", {}, {}, false)
    end
    return { instance = instance, connection = connection, folder = folder }
end

local function close(one)
    one.connection:close()
    one.instance:close()
    if one.folder then
        os.remove(one.folder) -- a folder of which DuckDB has left nothing else
    end
end

-- The engine's instance; or nil, message, code.
function M.instance()
    if own then
        return own
    end
    local folder = wished.temp or new_folder()
    local made, message, code = open(folder)
    if not made then
        return nil, message, code
    end
    made.folder = not wished.temp and folder or nil -- that of a script stays
    own = setmetatable(made, { __gc = close })
    return own
end

-- ---------------------------------------------------------------- statements

-- Texts with one of these may use columns that they do not name.
local ALL = { "select%s*%*", "distinct%s*%*", "[,.]%s*%*", "columns%s*%(", "%f[%w]natural%f[%W]" }

-- The names of columns that a text is likely to use; nil: it may be any. Those that it uses besides are asked for while
-- it runs, and it is run again.
local function named_in(text, names)
    local lower = text:lower()
    if not lower:find "%f[%w]select%f[%W]" then
        return nil
    end
    for _, pattern in ipairs(ALL) do
        if lower:find(pattern) then
            return nil
        end
    end
    local found = {}
    for _, name in ipairs(names) do
        local word = name:lower()
        if word:find "^[%w_]+$" then
            found[name] = lower:find("%f[%w_]" .. word .. "%f[^%w_]") ~= nil
        else
            found[name] = lower:find(word, 1, true) ~= nil
        end
    end
    return found
end

-- The dtype as which elements go out that DuckDB has no type for.
local WIDER = { f16 = "f32", bf16 = "f32" }

-- A table, or an array, as a connection takes it, of these columns (nil: all); or nil and what is wrong with it.
function M.given(name, t, text, wanted)
    local opened = package.loaded["lunarray.stream.opened"]
    if opened and opened.is(t) then
        t = core.eval(t)
    end
    local names, arrays = columns_in.arrays_of(t, wanted)
    if not names then
        return nil, arrays
    end
    local used, eager, rows = named_in(text, names), {}, nil
    for i, x in ipairs(arrays) do
        local dtype = x:dtype()
        if select("#", x:shape()) ~= 1 then
            return nil, ("column '%s': a column is of rank 1"):format(names[i])
        end
        arrays[i] = WIDER[dtype] and x:cast(WIDER[dtype]) or x
        eager[i] = not used or used[names[i]]
        rows = rows or x:size()
        if x:size() ~= rows then
            return nil, ("lengths differ: column '%s' has %d rows and '%s' has %d"):format(names[1], rows, names[i],
                x:size())
        end
    end
    local seen = {}
    for _, column in ipairs(names) do
        local lower = column:lower()
        if seen[lower] then
            return nil, ("columns '%s' and '%s' are one name in SQL"):format(seen[lower], column)
        end
        seen[lower] = column
    end
    if #names == 0 then
        return nil, "a table without columns"
    end
    return { name = name, names = names, arrays = arrays, eager = eager, rows = rows }
end

-- Parameters as a connection takes them: lun.na as a table.
function M.bound(parameters)
    local out = {}
    for key, x in pairs(parameters or {}) do
        local kind = type(x)
        if x ~= core.na and kind ~= "number" and kind ~= "boolean" and kind ~= "string" then
            fault("bad argument #3 to 'sql' (parameter %s is a %s; numbers, booleans, texts and lun.na are bound)",
                tostring(key), kind)
        end
        out[key] = x == core.na and {} or x
    end
    return out
end

-- Runs a statement on a connection. given: a list of tables as M.given makes them. The table of its rows; or true and
-- how many rows it changed; or nil, message, code.
function M.run(connection, text, given, parameters, opts)
    local left = memory_left()
    if left and not opts.fixed then
        connection:run(("set memory_limit = '%s'"):format(left), {}, {}, false)
    end
    local stream = opts.stream
    if stream == nil and left then
        stream = true
    end
    local names, arrays, code
    do
        local _ <close> = setmetatable({}, { __close = function() connection:release() end })
        names, arrays, code = connection:run(text, given, parameters, stream, options.values_text(opts))
    end
    if not names then
        return nil, arrays, code
    elseif names == true then
        return true, arrays
    end
    return lists.table(columns_in.distinct(names), arrays)
end

-- The same on the engine's connection, without tables and parameters.
function M.query(text, opts)
    local one, message, code = M.instance()
    if not one then
        return nil, message, code
    end
    return M.run(one.connection, text, {}, {}, opts or {})
end

-- Names and types of the columns of rows as SQL has them, on a connection (nil: the engine's); or nil, message, code.
function M.described(rows, connection)
    local text = ("select column_name, column_type from (describe select * from %s)"):format(rows)
    local t, message, code
    if connection then
        t, message, code = M.run(connection, text, {}, {}, {})
    else
        t, message, code = M.query(text)
    end
    if not t then
        return nil, message, code
    end
    return t.column_name:totable(), t.column_type:totable()
end

-- A list of columns as SQL has them, of rows that have these columns and types; no `names`: each comes as it is.
-- known: the names that options have for them, nil: the same.
function M.listed(chosen, opts, names, types, known)
    local by_name, list = {}, {}
    for i, name in ipairs(names or {}) do
        by_name[name] = types[i]
    end
    for i, name in ipairs(chosen) do
        local instead = by_name[name] and recast.instead(opts, known and known[name] or name, by_name[name])
        list[i] = (instead and instead .. " as %s" or "%s"):gsub("%%s", (M.name(name):gsub("%%", "%%%%")))
    end
    return list
end

-- ---------------------------------------------------------------- files

local SAVE_CODES = { io = 5, sql = "format" }

-- Has DuckDB write a table's columns (nil: all) into a file of that form: true; or nil, message, code with the old file
-- as it was; or nil and the caller's mistake, which `fault_of` says of what M.given makes.
function M.write(path, t, columns, form, fault_of)
    local given, wrong = M.given("t", t, "*", columns)
    wrong = wrong or fault_of and fault_of(given)
    if wrong then
        return nil, wrong
    end
    local one, problem, code = M.instance()
    if not one then
        return nil, path .. ": " .. problem, code
    end
    local function piece(_, name)
        local target, done
        if not name then
            problem, code = "not a regular file", "unsupported"
            return nil, problem, code
        end
        target, problem, code = name()
        if target then
            done, problem, code = M.run(one.connection, ("copy (from lunarray_table(0)) to %s (%s, use_tmp_file false)")
                :format(M.text(target), form), { given }, {}, {})
        end
        if not done then
            return nil, problem, code
        end
        return true
    end
    local given_out = false
    local saved, message, number = file.write(path, function()
        local next_piece = not given_out and piece or nil
        given_out = true
        return next_piece
    end)
    if saved then
        return true
    elseif problem and code then -- as it stands: the other one is cut behind the last colon
        return nil, path .. ": " .. problem, SAVE_CODES[code] or code
    end
    return nil, message, number
end

-- ---------------------------------------------------------------- lun.sql

local SQL_OPTIONS = { files = true, stream = true, blobs = true, decimals = true, nanoseconds = true }
local CODES = { format = "unsupported" } -- a value that no column holds

-- Raises a failure as an error object of the script's line.
local function raise(message, code)
    if not code then
        fault("%s", message)
    end
    local where = script_line():gsub(": $", "")
    error(setmetatable({ code = CODES[code] or code, message = message, where = where }, internal.error_type), 0)
end
M.raise = raise

local function check_arguments(text, tables, parameters, opts)
    if type(text) ~= "string" then
        fault("bad argument #1 to 'sql' (text expected, got %s)", internal.kind_of(text))
    elseif text:find("\0", 1, true) then
        fault "bad argument #1 to 'sql' (the text has a NUL byte)"
    elseif tables ~= nil and (type(tables) ~= "table" or frame.of(tables)) then
        fault("bad argument #2 to 'sql' (tables by name expected, got %s)", internal.kind_of(tables))
    elseif parameters ~= nil and type(parameters) ~= "table" then
        fault("bad argument #3 to 'sql' (parameters expected, got %s)", internal.kind_of(parameters))
    elseif opts ~= nil and type(opts) ~= "table" then
        fault("bad argument #4 to 'sql' (table of options expected, got %s)", internal.kind_of(opts))
    end
    for option, x in pairs(opts or {}) do
        if not SQL_OPTIONS[option] then
            fault("bad argument #4 to 'sql' (unknown option '%s'; known: files, stream, blobs, decimals, nanoseconds)",
                tostring(option))
        elseif (option == "files" or option == "stream") and type(x) ~= "boolean" then
            fault("bad argument #4 to 'sql' (%s is no boolean)", option)
        end
    end
    local wrong = options.values_fault(opts or {})
    if wrong then
        fault("bad argument #4 to 'sql' (%s)", wrong)
    end
end

-- The tables of a call as a list.
local function all_given(tables, text)
    local list = {}
    for name, t in pairs(tables or {}) do
        if type(name) ~= "string" or name == "" then
            fault("bad argument #2 to 'sql' (the name %s of a table is no text, or empty)", tostring(name))
        end
        local made, wrong = M.given(name, t, text)
        if not made then
            fault("bad argument #2 to 'sql' ('%s': %s)", name, wrong)
        end
        list[#list + 1] = made
    end
    return list
end

-- Runs a statement of a script on a connection.
function M.sql_on(connection, text, tables, parameters, opts)
    local t, message, code = M.run(connection, text, all_given(tables, text), M.bound(parameters), opts or {})
    if not t then
        raise(message, code)
    elseif t == true then
        return true, message
    end
    return t
end

-- An instance for a text of strangers: it reaches no file, and its settings stay.
local function closed_instance()
    local one, message, code = open(new_folder())
    if not one then
        raise(message, code)
    end
    for _, setting in ipairs { "enable_external_access = false", "lock_configuration = true" } do
        local done, why, kind = one.connection:run("set " .. setting, {}, {}, false)
        if not done then
            close(one)
            raise(why, kind)
        end
    end
    return setmetatable(one, { __close = close })
end

-- lun.sql(text [, tables [, parameters [, opts]]]): the table of its rows, or true and how many rows it changed.
function M.sql(text, tables, parameters, opts)
    check_arguments(text, tables, parameters, opts)
    if opts and opts.files == false then
        local one <close> = closed_instance()
        return M.sql_on(one.connection, text, tables, parameters, setmetatable({ fixed = true }, { __index = opts }))
    end
    local one, message, code = M.instance()
    if not one then
        raise(message, code)
    end
    return M.sql_on(one.connection, text, tables, parameters, opts)
end

-- The same for a host: a list of names and one of tables, and options, of which one is `parameters`. Nil, message where
-- DuckDB, or a value, is the reason; raises for the caller's mistakes.
function M.sql_of_host(text, names, tables, opts)
    local by_name, rest = {}, {}
    for i, name in ipairs(names) do
        by_name[name] = tables[i]
    end
    for option, x in pairs(opts) do
        if option ~= "parameters" then
            rest[option] = x
        end
    end
    local done, t, changed = pcall(M.sql, text, by_name, opts.parameters, rest)
    if done then
        return t == true and changed or t
    elseif getmetatable(t) == internal.error_type and (t.code == "sql" or SAVE_CODES[t.code] or t.code == "library"
        or t.code == "unsupported" or t.code == "memory") then
        return nil, t.message
    end
    error(t, 0)
end

M.check_arguments = check_arguments

-- ---------------------------------------------------------------- lun.sql.config

local function config_fault(opts)
    if type(opts) ~= "table" then
        return ("table of options expected, got %s"):format(internal.kind_of(opts))
    end
    for option in pairs(opts) do
        if option ~= "threads" and option ~= "memory" and option ~= "temp" then
            return ("unknown option '%s'; known: threads, memory, temp"):format(tostring(option))
        end
    end
    return checks.count("threads", opts.threads, 1) or checks.text("memory", opts.memory)
        or opts.temp and checks.text("temp", opts.temp) or nil
end

-- Applies a setting of the instance; raises where DuckDB does not take it.
local function set(name, value)
    local done, message, code = M.query(("set %s = %s"):format(name, value))
    if not done then
        raise(message, code)
    end
end

-- lun.sql.config{threads =, memory =, temp =}: sets them, and gives what is set.
function M.config(opts)
    local wrong = config_fault(opts == nil and {} or opts)
    if wrong then
        fault("bad argument #1 to 'config' (%s)", wrong)
    end
    opts = opts or {}
    if opts.temp ~= nil and own and opts.temp ~= wished.temp then
        set("temp_directory", M.text(opts.temp or ""))
    end
    if opts.temp ~= nil then
        wished.temp = opts.temp
    end
    if opts.threads then
        set("threads", opts.threads)
        wished.threads = opts.threads
    end
    if opts.memory then
        set("memory_limit", M.text(opts.memory))
        wished.memory = opts.memory
    end
    local t, message, code = M.query("select current_setting('threads') as threads, "
        .. "current_setting('memory_limit') as memory, current_setting('temp_directory') as temp")
    if not t then
        raise(message, code)
    end
    local temp = frame.column(t, "temp")[1]
    return { threads = frame.column(t, "threads")[1], memory = frame.column(t, "memory")[1],
        temp = temp ~= "" and temp or false }
end

return M
