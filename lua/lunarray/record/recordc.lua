-- C functions that take records or complex numbers: the text of a function around one that takes their parts and builds
-- the structs. Knows no array.

local complextext = require "lunarray.record.complextext"
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

-- The struct, as named(word) knows it, that a parameter takes one of; nil: it takes none.
function recordc.by_value(parameter, named)
    for word in parameter:gmatch "[%a_][%w_]*" do
        local s = named(word)
        if s then
            return name_of(parameter, s) and s or nil
        end
    end
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

-- What is missing in front of a function's parameters: its type, then " ", or its name as well, " f"; nil: nothing.
local function missing_of(text, f)
    local front = text:sub(1, f.open - 1)
    return front:find "^%s*$" and " f" or front:find "^%s*[%a_][%w_]*%s*$" and " " or nil
end

-- The struct of the first parameter that is one.
local function first_of(structs)
    for _, s in ipairs(structs) do
        if s then
            return s
        end
    end
end

-- The text with what is missing in front of f's parameters: that type, and a name if it has none; f moves with it.
local function completed(text, plain, f, type)
    local missing = missing_of(plain, f)
    if not missing or not type then
        return text
    end
    local at, added = missing == " f" and f.open or plain:find "[%a_]", type .. missing
    f.open, f.close, f.body = f.open + #added, f.close + #added, f.body + #added
    return text:sub(1, at - 1) .. added .. text:sub(at)
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

-- The text of f, which gives a record of R, under another name, and the statement by which another function calls it;
-- or nil, what is wrong.
local function renamed(text, f, R)
    local names, own = {}, {}
    for k, parameter in ipairs(f.parameters) do
        names[k] = last_name(parameter)
        local array = parameter:find "[*%[]" and not parameter:find "global%f[^%w_]"
        own[k] = array and "__global " .. parameter or parameter -- f is called by another function now
    end
    local name_at = blanked(text):sub(1, f.open - 1):match "()[%a_][%w_]*%s*>?%s*$"
    if not name_at then
        return nil, "the C function has no name in front of its parameters: call it f"
    end
    local named = text:sub(1, name_at - 1):gsub("<%s*$", "") .. "record__" .. f.name
    return ("%s(%s%s"):format(named, table.concat(own, ", "), text:sub(f.close)),
        ("%s r__ = record__%s(%s);"):format(R.name, f.name, table.concat(names, ", "))
end

-- The text of a function for each element whose result, a record of R, goes to arrays for its lanes; parameters: those
-- of f, of which the first `elements` are lanes now and `start` makes structs of them.
local function storing(text, f, parameters, elements, start, R)
    local front = parameters[1] and table.move(parameters, 1, elements, 1, {}) or {}
    local behind = table.move(parameters, elements + 1, #parameters, 1, {})
    front[#front + 1] = "long at__"
    local stores = {}
    for k, lane in ipairs(R.lanes) do
        behind[#behind + 1] = ("%s *out__%d"):format(struct.c_name(lane[2]), k)
        stores[k] = ("out__%d[at__] = r__.%s;"):format(k, (lane[1]:gsub("%[(%d+),?(%d*)%]", function(i, j)
            return ("[%d]"):format(i - 1) .. (j ~= "" and ("[%d]"):format(j - 1) or "")
        end)))
    end
    table.move(behind, 1, #behind, #front + 1, front)
    local own, call = renamed(text, f, R)
    local body = own and table.concat({ table.concat(start, " "), call, table.concat(stores, " ") }, " ")
    return own and ("%s\nvoid f(%s) { %s }"):format(own, table.concat(front, ", "), body), call
end

-- The text of a function that gives one part of the complex number that f gives.
local function giving_part(text, f, parameters, start, R, part)
    local own, call = renamed(text, f, R)
    return own and ("%s\n%s f(%s) { %s %s return r__.%s; }"):format(own, struct.c_name(R.lanes[1][2]),
        table.concat(parameters, ", "), table.concat(start, " "), call, part), call
end

-- The parameter for the parts of a whole array of complex numbers that the function takes as `name`, with the statement
-- that makes a pointer to the structs of it.
local function as_parts(s, name)
    local part = struct.c_name(s.lanes[1][2])
    return ("const %s *%s__parts"):format(part, name),
        ("__global const %s *%s = (__global const %s *)%s__parts;"):format(s.name, name, s.name, name)
end

-- The ends of lines in a parameter.
local function lines_of(parameter)
    return (parameter:gsub("[^\n]", ""))
end

-- Puts parameters for the lanes of structs in place of those of f; gives the statements that make the structs, and the
-- fields that are taken of each; or nil, what is wrong. all: of all fields.
local function lowered(plain, parameters, given, all)
    local fields, start = {}, {}
    for k, s in ipairs(given.structs) do
        local pointer, lines = given.pointers[k], (s or given.pointers[k]) and lines_of(parameters[k] or "") or ""
        fields[k] = {}
        if s then
            local name = parameters[k] and name_of(parameters[k], s)
            if (parameters[k] or ""):match "^%s*([%w_]+)%s*$" == s.name then
                return nil, ("parameter %d of the C function, a '%s', has no name"):format(k, s.name)
            elseif not name then
                return nil, ("parameter %d of the C function has to be a '%s', not '%s'"):format(k, s.name,
                    (parameters[k] or "nothing"):match "^%s*(.-)%s*$")
            end
            local whole = all or complextext.is(s) or k > given.leaves
            fields[k] = whole and table.move(s, 1, #s, 1, {}) or fields_in(plain, s)
            parameters[k], start[#start + 1] = as_scalars(s, name, fields[k])
        elseif pointer then
            parameters[k], start[#start + 1] = as_parts(pointer, last_name(parameters[k]))
        end
        parameters[k] = parameters[k] and lines .. parameters[k]
    end
    return start, fields
end

-- The text in front of the function: the structs that it takes, gives or mentions, and functions of complex numbers;
-- and the text without structs of these names. A directive needs its own line: the one in front of it does not count.
local function preceded(text, plain, types)
    table.move(complextext.structs_in(plain), 1, 2, #types + 1, types)
    local definitions, known = definitions_of(types)
    text = header.without(text, known)
    local behind = text:find "^[ \t]*#" and "\n#line 1\n" or " "
    return definitions .. " " .. complextext.functions_in(plain, definitions) .. behind, text
end

-- The text for the fields of records, and the parts of complex numbers; given: structs (those of the parameters, or
-- false), pointers (of those that are whole arrays of complex numbers their structs), leaves (how many are elements);
-- named(word): the struct of that name. Also the names of the fields that it takes, by parameter, {} for what is no
-- record, and the struct that it gives: then the text is one that stores its lanes, or gives its `part`, and the number
-- of f's parameters.
-- Nil, what is wrong.
function recordc.text(text, given, named, part)
    local plain, kept = blanked(text), blanked(text, true)
    local f, message = entry_of(plain, functions_of(plain))
    if not f then
        return nil, message
    end
    local first = first_of(given.structs)
    local R = returned(plain, f, named) or missing_of(plain, f) and complextext.is(first) and first
    local parameters, types = parameters_of(text, f), { R or nil }
    f.parameters = table.move(parameters, 1, #parameters, 1, {})
    local start, fields = lowered(plain, parameters, given, R)
    if not start then
        return nil, fields
    end
    for _, s in ipairs(given.structs) do
        types[#types + 1] = s or nil
    end
    text = completed(text, plain, f, R and R.name or first and struct.c_name(first.lanes[1][2]))
    local before
    before, text = preceded(text, kept, types)
    if R then
        local made, fault
        if part then
            made, fault = giving_part(text, f, parameters, start, R, part)
        else
            made, fault = storing(text, f, parameters, given.leaves, start, R)
        end
        return made and before .. made, made and fields or fault, R, #f.parameters
    end
    return before .. text:sub(1, f.open) .. table.concat(parameters, ", ") .. text:sub(f.close, f.body) .. " "
        .. table.concat(start, " ") .. text:sub(f.body + 1), fields
end

-- Whether a text has no loops and writes no array: then the parts of what it gives may be computed each by itself, and
-- the compiler computes once what both have in common.
function recordc.is_straight(text)
    local plain = blanked(text, true)
    for word in plain:gmatch "%f[%w_][%a_][%w_]*" do
        if word == "for" or word == "while" or word == "do" or word == "goto" then
            return false
        end
    end
    for _, parameter in ipairs(recordc.parameters(text) or {}) do
        if parameter:find "[*%[]" and not parameter:find "%f[%w_]const%f[^%w_]" then
            return false
        end
    end
    return true
end

-- The parameters of the function that kernels call, as texts; nil, what is wrong.
function recordc.parameters(text)
    local plain = blanked(text)
    local f, message = entry_of(plain, functions_of(plain))
    return f and parameters_of(plain, f), message
end

-- Whether the function that kernels call takes or gives a struct, one of those that are the keys of `structs`, or the
-- text has complex numbers.
function recordc.takes(text, structs)
    if not text:find("{", 1, true) then
        return false
    end
    local plain = blanked(text)
    if #complextext.structs_in(plain) > 0 then
        return true
    end
    local f = entry_of(plain, functions_of(plain))
    if not f then
        return false
    end
    local start = plain:sub(1, f.open - 1):match "()[^;}]*$"
    local head = plain:sub(start, f.close)
    for s in pairs(structs) do
        if head:find("%f[%w_]" .. s.name .. "%f[^%w_]") then
            return true
        end
    end
    return false
end

return recordc
