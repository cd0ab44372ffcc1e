-- C functions that take records: the text of a function around one that takes the fields and builds the structs. Knows
-- no array.

local header = require "lunarray.record.header"
local struct = require "lunarray.record.struct"

local blanked = header.blanked

local recordc = {}

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

-- The struct that the function gives, as named(word) knows it; nil: a number, or nothing.
local function returned(text, f, named)
    local front = text:sub(1, f.open - 1):match "[^;}]*$"
    for word in front:gmatch "[%a_][%w_]*" do
        local s = word ~= f.name and named(word)
        if s then
            return s
        end
    end
end

-- The name of a parameter, its last word.
local function last_name(parameter)
    return parameter:gsub("%[[^%]]*%]", ""):match "([%a_][%w_]*)%s*$" or ""
end

-- The parameters for the lanes of a struct that the function takes as `name`, in place of it, with the statement that
-- makes the struct of them; fields: those that are taken.
local function as_scalars(s, name, fields)
    local scalars, values = {}, {}
    for i, field in ipairs(fields) do
        local lanes, lane = struct.lanes_of(s, field), 0
        values[i] = (".%s = %s"):format(field, struct.initializer(s, field, function()
            lane = lane + 1
            local own = ("%s__%s"):format(name, (lanes[lane][1]:gsub("[^%w_]+", "_")))
            scalars[#scalars + 1] = ("%s %s"):format(struct.c_name(lanes[lane][2]), own)
            return own
        end))
    end
    return table.concat(scalars, ", "), ("%s %s = {%s};"):format(s.name, name, table.concat(values, ", "))
end

-- The definitions of structs, each once, behind those of which they have fields.
local function definitions_of(structs)
    local list, known = {}, {}
    table.sort(structs, function(a, b) return a.name < b.name end)
    for _, s in ipairs(structs) do
        list[#list + 1] = not known[s.name] and struct.in_c(s, known) or nil
    end
    return table.concat(list, " "), known
end

-- The text of a function for each element whose result, a record of R, goes to arrays for its lanes; parameters: those
-- of f, of which the first `elements` are lanes now and `start` makes structs of them.
local function storing(text, f, parameters, elements, start, R)
    local front = parameters[1] and table.move(parameters, 1, elements, 1, {}) or {}
    local names, own, behind = {}, {}, table.move(parameters, elements + 1, #parameters, 1, {})
    for k, parameter in ipairs(f.parameters) do
        names[k] = last_name(parameter)
        local array = parameter:find "[*%[]" and not parameter:find "global%f[^%w_]"
        own[k] = array and "__global " .. parameter or parameter -- f is called by another function now
    end
    front[#front + 1] = "long at__"
    local stores = {}
    for k, lane in ipairs(R.lanes) do
        behind[#behind + 1] = ("%s *out__%d"):format(struct.c_name(lane[2]), k)
        stores[k] = ("out__%d[at__] = r__.%s;"):format(k, (lane[1]:gsub("%[(%d+),?(%d*)%]", function(i, j)
            return ("[%d]"):format(i - 1) .. (j ~= "" and ("[%d]"):format(j - 1) or "")
        end)))
    end
    table.move(behind, 1, #behind, #front + 1, front)
    local name_at = text:sub(1, f.open - 1):match "()[%a_][%w_]*%s*>?%s*$"
    local named = text:sub(1, name_at - 1):gsub("<%s*$", "") .. "record__" .. f.name
    local call = ("%s r__ = record__%s(%s);"):format(R.name, f.name, table.concat(names, ", "))
    return ("%s(%s%s\nvoid f(%s) { %s %s %s }"):format(named, table.concat(own, ", "), text:sub(f.close),
        table.concat(front, ", "), table.concat(start, " "), call, table.concat(stores, " "))
end

-- The text for the fields of records; structs: of each element, or false; named(word): the struct of that name. Also
-- the names of the fields that it takes, by element, {} for what is no record, and the struct that it gives: then the
-- text is one that stores its lanes, and the number of f's parameters. Nil, what is wrong.
function recordc.text(text, structs, named)
    local plain = blanked(text)
    local f, message = entry_of(plain, functions_of(plain))
    if not f then
        return nil, message
    end
    local R = returned(plain, f, named)
    local parameters, fields, start, types = parameters_of(text, f), {}, {}, { R }
    f.parameters = table.move(parameters, 1, #parameters, 1, {})
    for k, s in ipairs(structs) do
        fields[k] = {}
        if s then
            local name = parameters[k] and name_of(parameters[k], s)
            if not name then
                return nil, ("parameter %d of the C function has to be a '%s', not '%s'"):format(k, s.name,
                    (parameters[k] or "nothing"):match "^%s*(.-)%s*$")
            end
            fields[k] = R and table.move(s, 1, #s, 1, {}) or fields_in(plain, s) -- all of what may be given back
            parameters[k], start[#start + 1] = as_scalars(s, name, fields[k])
            types[#types + 1] = s
        end
    end
    local definitions, known = definitions_of(types)
    text = header.without(text, known)
    local before = definitions .. (text:find "^%s*#" and "\n" or " ")
    if R then
        return before .. storing(text, f, parameters, #structs, start, R), fields, R, #f.parameters
    end
    return before .. result(text, f, structs) .. text:sub(1, f.open) .. table.concat(parameters, ", ")
        .. text:sub(f.close, f.body) .. " " .. table.concat(start, " ") .. text:sub(f.body + 1), fields
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
