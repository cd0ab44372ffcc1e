-- Completions at the cursor: names reached through __index (globals, fields, methods, ours too), module names after
-- require, file names in other strings. Runs no code of the user: an __index that is a function is not called.

local core = require "lunarray.core"
local dtypes = require "lunarray.base.dtypes"
local tokens = require "lunarray.prompt.tokens"

local complete = {}

local KEYWORDS = {
    "and", "break", "do", "else", "elseif", "end", "false", "for", "function", "goto", "if", "in", "local",
    "nil", "not", "or", "repeat", "return", "then", "true", "until", "while",
}

local getmetatable = debug.getmetatable
local LONGEST_CHAIN = 100

-- ---------------------------------------------------------------- names of a value

-- The tables in which x's fields are looked up, in order.
local function tables_of(x)
    local tables, seen = {}, {}
    for _ = 1, LONGEST_CHAIN do
        local records = package.loaded["lunarray.record.recordbase"]
        if records and records.struct_of(x) then
            tables[#tables + 1] = records.methods
            tables[#tables + 1] = records.fields_of(x)
            break
        elseif type(x) == "table" then
            if seen[x] then
                break
            end
            seen[x] = true
            tables[#tables + 1] = x
        elseif core.isarray(x) then
            local kind = dtypes.by_name[x:dtype()].kind
            tables[#tables + 1] = core.internal[kind .. "_methods"]
            tables[#tables + 1] = core.internal.methods
            break
        end
        local meta = getmetatable(x)
        if type(meta) == "table" and rawget(meta, "columns") then -- a table of columns (frame.lua)
            tables[#tables + 1] = meta.columns
            tables[#tables + 1] = meta.unread
            tables[#tables + 1] = package.loaded["lunarray.table.object"].verbs
        end
        local index = type(meta) == "table" and rawget(meta, "__index")
        if index == nil or type(index) == "function" then
            break
        end
        x = index
    end
    return tables
end

-- The field of x, nil if it has none.
function complete.field(x, name)
    for _, t in ipairs(tables_of(x)) do
        local value = rawget(t, name)
        if value ~= nil then
            return value
        end
    end
end

-- The names of x's fields that a script can write after a dot, only of functions if `methods`.
function complete.names(x, methods)
    local names, seen = {}, {}
    for _, t in ipairs(tables_of(x)) do
        for key, value in next, t do
            if type(key) == "string" and not seen[key] and key:find "^[%a_][%w_]*$"
                and (not methods or type(value) == "function") then
                seen[key] = true
                names[#names + 1] = key
            end
        end
    end
    return names
end

-- The value that a path like "a.b.c" leads to; `first` returns that of a single name. Nil if there is none.
function complete.resolve(path, first)
    local value
    for i, name in ipairs(path) do
        if i == 1 then
            value = first(name)
        else
            value = complete.field(value, name)
        end
        if value == nil then
            return nil
        end
    end
    return value
end

function complete.global(name)
    return complete.field(_G, name)
end

-- ---------------------------------------------------------------- the text before the cursor

-- The start of the string that is open at the end of the text, the text before it and whether it is a long one; nil if
-- none is open.
local function open_string(text)
    local list = tokens.read(text)
    local last = list[#list]
    if not last or last.kind ~= "string" then
        return nil
    end
    local level = last.text:match "^%[(=*)%["
    if level and not last.text:find("]" .. level .. "]", 1, true) then
        return last.first + #level + 2, text:sub(1, last.first - 1), true
    elseif not level and last.open then
        return last.first + 1, text:sub(1, last.first - 1), false
    end
end

-- Those names that start with the prefix, sorted, each once.
local function starting(names, prefix)
    local found, seen = {}, {}
    for _, name in ipairs(names) do
        if name:sub(1, #prefix) == prefix and not seen[name] then
            seen[name] = true
            found[#found + 1] = name
        end
    end
    table.sort(found)
    return found
end

-- ---------------------------------------------------------------- modules and files

local function modules(list)
    local names, own = {}, rawget(_G, "package")
    local path, cpath = type(own) == "table" and rawget(own, "path"), type(own) == "table" and rawget(own, "cpath")
    if type(path) ~= "string" or type(cpath) ~= "string" then -- as in a sandbox
        return names
    end
    for name in pairs(package.loaded) do
        names[#names + 1] = name
    end
    for name in pairs(package.preload) do
        names[#names + 1] = name
    end
    for template in (path .. ";" .. cpath):gmatch "[^;]+" do
        local dir, tail = template:match "^(.-)([^/]*%?.*)$"
        local suffix = tail and tail:match "^%?(%.?[%w]*)$"
        if suffix then
            for _, file in ipairs(list(dir == "" and "." or dir)) do
                if #file > #suffix and file:sub(-#suffix) == suffix and suffix ~= "" then
                    names[#names + 1] = file:sub(1, -#suffix - 1)
                end
            end
        end
    end
    return names
end

local function files(prefix, list)
    local dir, base = prefix:match "^(.*/)([^/]*)$"
    local names = {}
    for _, file in ipairs(list(dir or ".")) do
        if base and base ~= "" or not dir and prefix ~= "" or file:sub(1, 1) ~= "." then
            names[#names + 1] = (dir or "") .. file
        end
    end
    return names
end

-- ---------------------------------------------------------------- the answer

-- The value that a path such as "a.b" leads to, nil where there is none.
local function value_of(path)
    local parts = {}
    for name in path:gmatch "[%w_]+" do
        parts[#parts + 1] = name
    end
    return complete.resolve(parts, complete.global)
end

-- The texts that are keys of a table: the names of columns, also those that no dot can reach.
local function keys(x)
    local meta = type(x) == "table" and getmetatable(x)
    if type(meta) == "table" and rawget(meta, "columns") then -- a table of columns (frame.lua)
        return meta.names
    end
    local names = {}
    for key in next, type(x) == "table" and x or {} do
        names[#names + 1] = type(key) == "string" and key or nil
    end
    return names
end

-- ---------------------------------------------------------------- queries

local function is_table(x)
    local meta = type(x) == "table" and getmetatable(x)
    return type(meta) == "table" and rawget(meta, "columns") ~= nil
end

-- The names of a database's tables.
local function tables_in(database)
    for _, file in ipairs { "sqlite", "duckdbfile" } do
        local format = package.loaded["lunarray.format." .. file]
        if format and getmetatable(database) == format.database then
            local done, names = pcall(format.database.tables, database)
            return done and names or {}
        end
    end
    return {}
end

-- The names that can complete the text of a query, and the end of the text with which they start: the script's tables
-- of columns, a database's, and columns; behind `from` and `join` no columns, behind "t." those of t.
local function in_query(text, database)
    local of, prefix = text:match "([%a_][%w_]*)%.([%w_]*)$"
    local names = {}
    local function add(list)
        for _, name in ipairs(list) do
            names[#names + 1] = type(name) == "string" and name:find "^[%a_][%w_]*$" and name or nil
        end
    end
    if of then
        local t = complete.global(of)
        add(is_table(t) and keys(t) or {})
        return names, prefix
    end
    prefix = text:match "[%w_]*$"
    local word = text:sub(1, -#prefix - 1):lower():match "(%a+)%s+$"
    for name, x in next, _G do
        if is_table(x) and type(name) == "string" then
            add { name }
            add(word ~= "from" and word ~= "join" and keys(x) or {})
        end
    end
    add(database and tables_in(database) or {})
    return names, prefix
end

-- The names that can complete the text, and the end of the text with which they start.
local function candidates(text, list, commands)
    local command = text:match "^%s*:(%a*)$"
    if command then
        return starting(commands, command), command
    end
    local start, before, long = open_string(text)
    local of_query = start and before:match "([%a_][%w_.]*)[.:]sql%s*%(?%s*$"
    if of_query then
        local names, word = in_query(text:sub(start), before:find ":sql%s*%(?%s*$" and value_of(of_query))
        return starting(names, word), word
    elseif start and not long then
        local prefix = text:sub(start)
        local keyed = before:match "([%w_%.]+)%s*%[%s*$"
        local owner = keyed and value_of(keyed)
        if owner ~= nil then
            return starting(keys(owner), prefix), prefix
        end
        if before:find "require%s*%(?%s*$" then
            return starting(modules(list), prefix), prefix
        end
        return starting(files(prefix, list), prefix), prefix
    end
    local path_of_file = text:match "^%s*:%s*run%s+(.*)$" or text:match "^%s*:%s*save%s+(%S*)$"
    if path_of_file then
        return starting(files(path_of_file, list), path_of_file), path_of_file
    end
    text = text:gsub("^%s*:%a+%s", "")
    local path, mark, prefix = text:match "([%w_%.]-)%s*([.:])%s*([%w_]*)$"
    if not mark then
        prefix = text:match "[%w_]*$"
        if prefix:find "^%d" then
            return {}, ""
        end
        local names = complete.names(_G)
        table.move(KEYWORDS, 1, #KEYWORDS, #names + 1, names)
        return starting(names, prefix), prefix
    end
    local value
    if path == "" then -- of a call, a constructor or a string: the most likely names
        local last = text:sub(1, -#prefix - 2):match "(%S)%s*$"
        if mark == ":" and last then
            value = last:find "[\"']" and "" or core.internal.methods
        end
    else
        value = value_of(path)
    end
    if value == nil then
        return {}, prefix
    end
    return starting(complete.names(value, mark == ":"), prefix), prefix
end

local function common_start(names)
    local common = names[1]
    for _, name in ipairs(names) do
        while name:sub(1, #common) ~= common do
            common = common:sub(1, -2)
        end
    end
    return common
end

-- The names in columns of a window so wide.
local function columns(names, width)
    local longest = 0
    for _, name in ipairs(names) do
        longest = math.max(longest, #name)
    end
    local across = math.max(1, (width + 2) // (longest + 2))
    local down = (#names + across - 1) // across
    local lines = {}
    for row = 1, down do
        local cells = {}
        for i = row, #names, down do
            cells[#cells + 1] = names[i] .. (" "):rep(longest - #names[i])
        end
        lines[row] = table.concat(cells, "  "):gsub("%s+$", "")
    end
    return table.concat(lines, "\n")
end

-- The completions at the end of the text, sorted, and how many of its last bytes each begins with.
function complete.matches(text, list, commands)
    local names, prefix = candidates(text:match "[^\n]*$", list, commands)
    return names, #prefix
end

-- How what is called at the end of the text, "w:mean(", is called, as help shows it; nil if that is not known.
function complete.call(text)
    local path, name = text:match "([%a_][%w_.]*[.:]([%w_]+))%s*%(%s*$"
    local about = path and require("lunarray.prompt.help").about(path)
    return about and about:match("^(%l[%w_]*[.:]" .. name .. ".-[%)}])[:,] ")
end

-- Answers Tab after `text`: what to insert (nil: nothing), and what to show (nil: nothing).
-- list(directory) returns the names in it; commands: those after a colon; width of the window.
function complete.answer(text, list, commands, width)
    if text:find "^%s*$" then
        return "  "
    end
    local line = text:match "[^\n]*$"
    local call = complete.call(line)
    if call then
        return nil, call
    end
    local names, prefix = candidates(line, list, commands)
    if #names == 0 then
        return nil
    end
    local insert = common_start(names):sub(#prefix + 1)
    if insert ~= "" or #names == 1 then
        return insert
    end
    for i, name in ipairs(names) do -- of a path only the last part is shown
        names[i] = name:match "([^/]+/?)$" or name
    end
    return nil, columns(names, width)
end

return complete
