-- The entries of a plain table, for the prompt: one level, a bounded number, on one line if that fits. Runs no code of
-- the user.

local core = require "lunarray.core"

local peek = {}

local getmetatable = debug.getmetatable
local MOST = 20 -- entries
local LONGEST = 60 -- bytes of a string

local function is_name(key)
    return type(key) == "string" and key:find "^[%a_][%w_]*$"
end

local function text_of(value)
    if type(value) == "string" then
        local cut = #value > LONGEST and value:sub(1, LONGEST) or value
        return ("%q"):format(cut):gsub("\\\n", "\\n") .. (cut == value and "" or "...")
    elseif core.isarray(value) then
        local usable, dtype = pcall(value.dtype, value)
        return usable and ("%s<%s>[%s]"):format(value:kind(), dtype, table.concat({ value:shape() }, ", ")) or "freed"
    elseif type(value) == "table" and not getmetatable(value) then
        return next(value) == nil and "{}" or "{...}"
    elseif type(value) == "table" or type(value) == "userdata" then
        return type(value)
    elseif value ~= value then
        return "nan"
    end
    return tostring(value)
end

-- The keys past the list, names and numbers first, in order.
local function sorted_keys(t, listed)
    local keys = {}
    for key in next, t do
        if not (math.type(key) == "integer" and key >= 1 and key <= listed) then
            keys[#keys + 1] = key
        end
    end
    local function rank(key)
        return type(key) == "number" and 1 or type(key) == "string" and 2 or 3
    end
    table.sort(keys, function(a, b)
        if rank(a) ~= rank(b) then
            return rank(a) < rank(b)
        end
        return rank(a) < 3 and a < b
    end)
    return keys
end

-- The text of a list or of another table without a metatable, nil for anything else. width: of a line.
function peek.text(t, width)
    if type(t) ~= "table" or getmetatable(t) then
        return nil
    end
    local listed = rawlen(t)
    local parts = {}
    for i = 1, math.min(listed, MOST) do
        parts[i] = text_of(rawget(t, i))
    end
    local keys = sorted_keys(t, listed)
    for _, key in ipairs(keys) do
        if #parts >= MOST then
            break
        end
        local name = is_name(key) and key or "[" .. text_of(key) .. "]"
        parts[#parts + 1] = name .. " = " .. text_of(rawget(t, key))
    end
    local more = listed + #keys - #parts
    if more > 0 then
        parts[#parts + 1] = ("... %d more"):format(more)
    end
    local line = "{" .. table.concat(parts, ", ") .. "}"
    if utf8.len(line, 1, -1, true) and #line <= width or #parts <= 1 then
        return line
    end
    return "{\n  " .. table.concat(parts, ",\n  ") .. "\n}"
end

-- The text of results, a packed list: as print writes them, but NaN without a sign, and plain tables with their
-- entries.
function peek.texts(results)
    local parts = {}
    local width = core.internal.terminal() or 80
    for i = 1, results.n do
        local x = results[i]
        parts[i] = peek.text(x, width) or math.type(x) == "float" and x ~= x and "nan" or tostring(x)
    end
    return table.concat(parts, "\t")
end

return peek
