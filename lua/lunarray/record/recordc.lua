-- C functions that take records: the text of a function around one that takes the fields and builds the structs. Knows
-- no array.

local struct = require "lunarray.record.struct"

local recordc = {}

-- The text with comments, strings and directives blanked, as long as it was.
local function blanked(text)
    local function blank(part)
        return (part:gsub("[^\n]", " "))
    end
    local at, parts = 1, {}
    while at <= #text do
        local two, stop = text:sub(at, at + 1), at
        if two == "//" then
            stop = (text:find("\n", at, true) or #text + 1) - 1
        elseif two == "/*" then
            stop = select(2, text:find("*/", at + 2, true)) or #text
        elseif two:find "^[\"']" then
            stop = at + 1
            while stop <= #text and text:sub(stop, stop) ~= two:sub(1, 1) do
                stop = stop + (text:sub(stop, stop) == "\\" and 2 or 1)
            end
        end
        local part = text:sub(at, stop)
        parts[#parts + 1] = stop > at and blank(part) or part
        at = stop + 1
    end
    return (table.concat(parts):gsub("%f[^\n\0]%s*#[^\n]*", blank))
end

-- The functions of a blanked text: { name, or "", open and close (their parentheses), body (their brace) }.
local function functions_of(text)
    local list, at = {}, 1
    while true do
        local open = text:find("[({]", at)
        if not open then
            return list
        elseif text:sub(open, open) == "{" then
            at = (text:match("^%b{}()", open) or #text + 1)
        else
            local close = text:match("^%b()()", open)
            if not close then
                return list
            end
            local body = text:match("^%s*(){", close)
            if body then
                local name = text:sub(1, open - 1):match "([%a_][%w_]*)%s*>?%s*$" or ""
                list[#list + 1] = { name = name, open = open, close = close - 1, body = body }
            end
            at = body or close
        end
    end
end

-- The function that kernels call: named f, marked <f>, or the one that no other calls.
local function entry_of(text, list)
    for _, f in ipairs(list) do
        if f.name == "f" or #list == 1 then
            return f
        end
    end
    local found
    for _, f in ipairs(list) do
        local mentioned = 0
        for _ in text:gmatch("%f[%w_]" .. f.name .. "%f[^%w_]") do
            mentioned = mentioned + 1
        end
        if mentioned == 1 then
            if found then
                return nil, ("which function is the entry, %s or %s? call it f"):format(found.name, f.name)
            end
            found = f
        end
    end
    return found, "no function is the entry: call it f"
end

-- The parameters of a function, as texts.
local function parameters_of(text, f)
    local list = {}
    for one in text:sub(f.open + 1, f.close - 1):gmatch "[^,]+" do
        list[#list + 1] = one
    end
    return list
end

-- The name of a parameter that is a struct of s; nil: it is none.
local function name_of(parameter, s)
    local words = {}
    for word in parameter:gmatch "[%w_]+" do
        if word ~= "const" and word ~= "struct" then
            words[#words + 1] = word
        end
    end
    return not parameter:find "[*%[]" and #words == 2 and words[1] == s.name and words[2] or nil
end

-- The fields of s that occur in the text, the first one if none does.
local function fields_in(text, s)
    local list = {}
    for _, name in ipairs(s) do
        if text:find("%f[%w_]" .. name .. "%f[^%w_]") then
            list[#list + 1] = name
        end
    end
    return #list > 0 and list or { s[1] }
end

-- The beginning of a function without a type: that of the first field, and a name if that is missing too.
local function result(text, f, structs)
    local front = text:sub(1, f.open - 1)
    local missing = front:find "^%s*$" and " f" or front:find "^%s*[%a_][%w_]*%s*$" and " "
    for _, s in ipairs(missing and structs or {}) do
        if s then
            return struct.c_name(s.lanes[1][2]) .. missing
        end
    end
    return ""
end

-- What is wrong if the function gives a struct.
local function result_fault(text, f, structs)
    local front = text:sub(1, f.open - 1):match "[^;}]*$"
    for _, s in ipairs(structs) do
        if s and f.name ~= s.name and front:find("%f[%w_]" .. s.name .. "%f[^%w_]") then
            return ("the result of the C function is a '%s'; it can be a number or bool: call one for each field, or a "
                .. "Lua function, which may return %s(...)"):format(s.name, s.name)
        end
    end
end

-- The text for the fields of records; structs: of each element, or false. Also the names of the fields that it takes,
-- by element, {} for what is no record. Nil, what is wrong.
function recordc.text(text, structs)
    local plain = blanked(text)
    local list = functions_of(plain)
    local f, message = entry_of(plain, list)
    local fault = f and result_fault(plain, f, structs)
    if not f or fault then
        return nil, fault or message
    end
    local parameters, fields, start, types = parameters_of(text, f), {}, {}, {}
    for k, s in ipairs(structs) do
        fields[k] = {}
        if s then
            local name = parameters[k] and name_of(parameters[k], s)
            if not name then
                return nil, ("parameter %d of the C function has to be a '%s', not '%s'"):format(k, s.name,
                    (parameters[k] or "nothing"):match "^%s*(.-)%s*$")
            end
            fields[k] = fields_in(plain, s)
            local scalars, values = {}, {}
            for i, field in ipairs(fields[k]) do
                local lanes, lane = struct.lanes_of(s, field), 0
                values[i] = (".%s = %s"):format(field, struct.initializer(s, field, function()
                    lane = lane + 1
                    local own = ("%s__%s"):format(name, (lanes[lane][1]:gsub("[^%w_]+", "_")))
                    scalars[#scalars + 1] = ("%s %s"):format(struct.c_name(lanes[lane][2]), own)
                    return own
                end))
            end
            parameters[k] = table.concat(scalars, ", ")
            start[#start + 1] = ("%s %s = {%s};"):format(s.name, name, table.concat(values, ", "))
            types[#types + 1] = s
        end
    end
    local definitions, known = {}, {}
    table.sort(types, function(a, b) return a.name < b.name end)
    for _, s in ipairs(types) do
        definitions[#definitions + 1] = not known[s.name] and struct.in_c(s, known) or nil
    end
    local before = table.concat(definitions, " ") .. (text:find "^%s*#" and "\n" or " ") .. result(text, f, structs)
    return before .. text:sub(1, f.open) .. table.concat(parameters, ", ") .. text:sub(f.close, f.body) .. " "
        .. table.concat(start, " ") .. text:sub(f.body + 1), fields
end

-- Whether the function that kernels call takes a struct, one of those that are the keys of `structs`.
function recordc.takes(text, structs)
    if not text:find("{", 1, true) then
        return false
    end
    local plain = blanked(text)
    local f = entry_of(plain, functions_of(plain))
    for _, parameter in ipairs(f and parameters_of(text, f) or {}) do
        for s in pairs(structs) do
            if parameter:find("%f[%w_]" .. s.name .. "%f[^%w_]") then
                return true
            end
        end
    end
    return false
end

return recordc
