-- Structs of C headers: `typedef struct { ... } Name;` and `struct Name { ... };` as fields of lun.struct, and the text
-- of a C file with what it includes. Knows no array.

local header = {}

local MOST_DEPTH <const> = 16 -- of files that include files

local WORDS <const> = {
    ["float"] = "f32", ["double"] = "f64", ["char"] = "i8", ["bool"] = "bool", ["_Bool"] = "bool", ["short"] = "i16",
    ["int"] = "i32", ["long"] = "i64", ["unsigned"] = "u32", ["signed"] = "i32", ["uchar"] = "u8", ["ushort"] = "u16",
    ["uint"] = "u32", ["ulong"] = "u64",
}
for _, bits in ipairs { 8, 16, 32, 64 } do
    WORDS[("int%d_t"):format(bits)], WORDS[("uint%d_t"):format(bits)] = "i" .. bits, "u" .. bits
end

-- ---------------------------------------------------------------- text

-- The text with comments, strings and, unless they are kept, directives blanked, as long as it was.
function header.blanked(text, keeps)
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
    local plain = table.concat(parts)
    return keeps and plain or (plain:gsub("%f[^\n\0]%s*#[^\n]*", blank))
end

-- The text of a file, with the files that it includes by #include "x" in their places; or nil, message.
function header.text_of(path, depth)
    local file <close>, message = io.open(path, "rb")
    if not file then
        return nil, message
    end
    local text, why = file:read "a"
    if not text then
        return nil, ("%s: %s"):format(path, why)
    end
    local fault
    text = text:gsub('(%f[^\n\0][ \t]*#[ \t]*include[ \t]*"([^"\n]+)"[^\n]*)', function(line, name)
        if fault then
            return line
        elseif (depth or 1) == MOST_DEPTH then
            fault = ("%s: files that include files, more than %d deep"):format(path, MOST_DEPTH)
            return line
        end
        local inner
        inner, fault = header.text_of(name:find "^/" and name or (path:match "^.*/" or "") .. name, (depth or 1) + 1)
        return inner or line
    end)
    return not fault and text or nil, fault
end

-- ---------------------------------------------------------------- structs

-- The structs that a blanked text defines, in order: { name, first and last (of the definition), open (its brace) }.
local function definitions_of(plain)
    local list, at = {}, 1
    while true do
        local first, tag, open = plain:match("()%f[%w_]struct%f[^%w_]%s*([%a_]?[%w_]*)%s*(){", at)
        if not first then
            return list
        end
        local close = plain:match("^%b{}()", open)
        if not close then
            return list
        end
        local typedef = plain:sub(1, first - 1):match "()%f[%w_]typedef%s*$"
        local other, name, behind = plain:match("^([^;{}]-)([%a_]?[%w_]*)%s*;()", close)
        if behind and (typedef or not other:find "%S" and name == "") then
            local odd = other:find "%S" ~= nil or typedef and name == ""
            list[#list + 1] = {
                name = odd and other:match "[%a_][%w_]*" or typedef and name or tag, tag = tag, odd = odd,
                first = typedef or first, last = behind - 1, open = open, close = close - 1,
            }
        end
        at = close
    end
end

-- The text without the definitions of the structs whose names are keys of `names`, as long as it was.
function header.without(text, names)
    local plain = header.blanked(text)
    for _, one in ipairs(definitions_of(plain)) do
        if names[one.name] then
            local blank = text:sub(one.first, one.last):gsub("[^\n]", " ")
            text = text:sub(1, one.first - 1) .. blank .. text:sub(one.last + 1)
        end
    end
    return text
end

local function line_at(plain, at)
    return select(2, plain:sub(1, at):gsub("\n", "")) + 1
end

-- The dtype that words of a declaration name, one of `known` (by name) among them; nil: none.
local function dtype_of(words, known)
    local count, unsigned = {}, false
    for _, word in ipairs(words) do
        if word == "unsigned" then
            unsigned = true
        end
        count[word] = (count[word] or 0) + 1
    end
    if #words == 0 then
        return nil
    elseif #words == 1 then
        return known[words[1]] or WORDS[words[1]]
    elseif #words == 2 and words[1] == "struct" then
        return known[words[2]]
    end
    for _, word in ipairs(words) do
        if not (word == "unsigned" or word == "signed" or word == "int" or word == "long" or word == "short"
            or word == "char") or count[word] > (word == "long" and 2 or 1) then
            return nil
        end
    end
    local base = count.char and "i8" or count.short and "i16" or count.long and "i64" or "i32"
    if count.char and #words > 2 or count.signed and unsigned or count.short and count.long then
        return nil
    end
    return unsigned and "u" .. base:sub(2) or base
end

-- The fields of one declaration, "float x, y[3]"; or nil and what is wrong.
local function declared(text, known, fields)
    local front, rest = text:match "^([%w_%s]-)([%a_][%w_]*%s*%f[%[,\0].*)$"
    local words = {}
    for word in (front or ""):gmatch "[%w_]+" do
        words[#words + 1] = word ~= "const" and word ~= "volatile" and word or nil
    end
    if text:find "[*:({]" or text:find "%f[%w_]union%f[^%w_]" or not front then
        return nil, ("'%s': fields are numbers, fixed arrays of them and structs made before"):format(text:sub(1, 60))
    end
    local dtype = dtype_of(words, known)
    if not dtype then
        return nil, ("unknown type '%s'"):format(table.concat(words, " "))
    elseif type(dtype) == "table" and rawget(dtype, "fault") then
        return nil, dtype.fault
    end
    for one in rest:gmatch "[^,]+" do
        local name, extents = one:match "^%s*([%a_][%w_]*)%s*(.-)%s*$"
        local list = {}
        for extent in (extents or ""):gmatch "%[([^%]]*)%]" do
            list[#list + 1] = math.tointeger(tonumber(extent:match "^%s*(%d+)[uUlL]*%s*$"))
                or ("'%s': an extent is a number, not '%s'"):format(name, extent)
            if type(list[#list]) == "string" then
                return nil, list[#list]
            end
        end
        if not name or (extents:gsub("%[[^%]]*%]%s*", "")) ~= "" then
            return nil, ("'%s' is no declaration"):format(one:sub(1, 60))
        end
        fields[#fields + 1] = { name, dtype, list[1] and list or nil }
    end
    return true
end

-- The fields of a struct that a blanked text defines; or nil, what is wrong with it, and where.
local function fields_of(plain, one, known)
    local fields, at = {}, one.open + 1
    if one.odd then
        return nil, "a name and ; expected behind }", one.close
    end
    for declaration, stop in plain:sub(1, one.close - 1):gmatch("%s*([^;]-)%s*;()", at) do
        local fine, fault = declared(declaration, known, fields)
        if not fine then
            return nil, fault, at + #plain:match("^%s*", at)
        end
        at = stop
    end
    if plain:sub(at, one.close - 1):find "%S" then
        return nil, "a declaration without ;", one.close
    end
    return fields
end

-- The struct of that name in a header: what make(name, fields) gives, which is called for those before it too, whose
-- faults are its own where it has fields of them; or nil and what is wrong, with path and line.
function header.struct(path, name, make)
    local text, message = header.text_of(path)
    if not text then
        return nil, message
    end
    local plain, known, names = header.blanked(text), {}, {}
    for _, one in ipairs(definitions_of(plain)) do
        local fields, fault, at = fields_of(plain, one, known)
        local made
        if fields then
            made, fault = make(one.name, fields)
        end
        fault = not made and ("%s:%d: %s: %s"):format(path, line_at(plain, at or one.first), one.name, fault)
        if one.name == name then
            return made or nil, fault
        end
        known[one.name], names[#names + 1] = made or { fault = fault }, one.name
        known[one.tag] = known[one.name]
    end
    return nil, ("%s: no struct '%s'%s"):format(path, name,
        #names > 0 and ": there are " .. table.concat(names, ", ") or " is defined there")
end

return header
