-- Tables of constants as text, "{columns = {'a', 'b'}, sep = \";\"}": options that a host gives, read and never run.

local M = {}

local DEPTH <const> = 8 -- of tables in tables
local ESCAPES <const> = { n = "\n", r = "\r", t = "\t", ["\\"] = "\\", ['"'] = '"', ["'"] = "'" }
local WORDS <const> = { ["true"] = true, ["false"] = false }

local function refuse(text, at)
    error({ ("the options are no table of constants, such as {nrows = 1000}: byte %d: %s"):format(at,
        at > #text and "it ends too early" or ("%q"):format(text:sub(at, at + 15))) }, 0)
end

-- The text in quotes at `at`, and the position behind it.
local function quoted(text, at)
    local quote, parts = text:sub(at, at), {}
    local i = at + 1
    while true do
        local plain, stop = text:match("^([^\\\n\"']*)()", i)
        parts[#parts + 1] = plain
        local c = text:sub(stop, stop)
        if c == quote then
            return table.concat(parts), stop + 1
        elseif c == "\\" and ESCAPES[text:sub(stop + 1, stop + 1)] then
            parts[#parts + 1] = ESCAPES[text:sub(stop + 1, stop + 1)]
            i = stop + 2
        elseif c == '"' or c == "'" then
            parts[#parts + 1] = c
            i = stop + 1
        else
            refuse(text, stop)
        end
    end
end

local read_table

-- The constant at `at`, and the position of what follows it.
local function read_value(text, at, depth)
    local c = text:sub(at, at)
    if c == "{" then
        return read_table(text, at, depth)
    elseif c == '"' or c == "'" then
        return quoted(text, at)
    end
    local word, stop = text:match("^([%w_.+-]+)()", at)
    local x = word and WORDS[word]
    if x == nil and word then
        x = word:find "^-?[%d.]" and tonumber(word) or nil
    end
    if x == nil then
        refuse(text, at)
    end
    return x, stop
end

-- The name before "=" at `at`, nil if there is none, and the position of the value.
local function read_name(text, at)
    local name, stop = text:match("^([%a_][%w_]*)%s*=()", at)
    if not name and text:find('^%[%s*["\']', at) then
        name, stop = quoted(text, text:match("^%[%s*()", at))
        stop = text:match("^%s*%]%s*=()", stop) or refuse(text, stop)
    end
    return name, text:match("^%s*()", stop or at)
end

function read_table(text, at, depth)
    local out = {}
    local i = text:match("^%s*()", at + 1)
    if depth > DEPTH then
        refuse(text, at)
    end
    while text:sub(i, i) ~= "}" do
        local name, start = read_name(text, i)
        i = start
        if name and out[name] ~= nil then
            refuse(text, i)
        end
        out[name or #out + 1], i = read_value(text, i, depth + 1)
        i = text:match("^%s*()", i)
        if text:find("^[,;]", i) then
            i = text:match("^%s*()", i + 1)
        elseif text:sub(i, i) ~= "}" then
            refuse(text, i)
        end
    end
    return out, text:match("^%s*()", i + 1)
end

local function read_all(text)
    local start = text:match "^%s*()"
    if text:sub(start, start) ~= "{" then
        refuse(text, start)
    end
    local out, stop = read_table(text, start, 1)
    return stop > #text and out or refuse(text, stop)
end

-- The table that a text says; of nil an empty one. Or nil and what is wrong.
function M.read(text)
    local read, out = pcall(read_all, text or "{}")
    if not read then
        return nil, type(out) == "table" and out[1] or out
    end
    return out
end

return M
