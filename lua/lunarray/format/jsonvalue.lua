-- lun.json: values of Lua as JSON text (RFC 8259) and back. Text is read in C (interp/json).
--
-- null in a list is lun.json.null, in an object it is absent. An empty object that was read, and one of
-- lun.json.object, have the metatable Object, which says that they are no lists.

local columns_in = require "lunarray.format.columns"
local core = require "lunarray.core"
local fault = require "lunarray.base.fault"
local frame = require "lunarray.show.frame"
local numbers_as = require "lunarray.base.number"
local records = require "lunarray.base.records"

local internal = core.internal

local M = {}

-- ---------------------------------------------------------------- texts

local escapes = { ['"'] = '\\"', ["\\"] = "\\\\", ["\b"] = "\\b", ["\f"] = "\\f", ["\n"] = "\\n", ["\r"] = "\\r",
    ["\t"] = "\\t" }

local function escape(c)
    return escapes[c] or ("\\u%04x"):format(c:byte())
end

-- A text in quotes.
function M.quoted(text)
    return '"' .. text:gsub('[%z\1-\31"\\]', escape) .. '"'
end

-- Dates as they are, times with a T.
function M.iso(column)
    local texts = column:cast "text"
    return column:dtype() == "timestamp" and texts:replace(" ", "T") or texts
end

-- ---------------------------------------------------------------- values

local null = internal.json_null
local Object = { __name = "json.object", __metatable = "json.object" }

-- lun.json.object(t): marks a table, which is an object also without fields.
function M.object(t)
    if type(t) ~= "table" or getmetatable(t) ~= nil and getmetatable(t) ~= "json.object" then
        fault(("bad argument #1 to 'object' (table without a metatable expected, got %s)"):format(
            internal.kind_of(t)))
    end
    return getmetatable(t) == nil and setmetatable(t, Object) or t
end

-- lun.json.decode(text): the value; or nil, message, "format".
function M.decode(text)
    if type(text) ~= "string" then
        fault(("bad argument #1 to 'decode' (text expected, got %s)"):format(internal.kind_of(text)))
    end
    local value, message, line, column = internal.json_decode(text, null, Object)
    if value == nil then
        return nil, ("line %d, column %d: %s"):format(line, column, message), "format"
    end
    return value
end

local MOST = 512 -- lists and objects within each other

local encode_value

-- What a table is: a list of so many elements, or nil and an object's keys in order.
local function kind_of_table(t, path)
    local count, keys = 0, {}
    local length, struct = rawlen(t), records.struct_of(t)
    if struct then
        fault(("%s is an array of records of %s: give it as a list, a:totable()"):format(path, struct.name))
    end
    for key in next, t do
        if math.type(key) == "integer" and key >= 1 and key <= length then
            count = count + 1
        elseif type(key) == "string" then
            keys[#keys + 1] = key
        else
            fault(("%s has the key %s: an object has texts as keys, a list 1 to its length"):format(path,
                tostring(key)))
        end
    end
    if #keys > 0 and count > 0 or count ~= length then
        fault(("%s has both numbers and texts as keys, or gaps in its numbers: it is neither a list nor an "
            .. "object"):format(path))
    elseif #keys == 0 and (count > 0 or debug.getmetatable(t) ~= Object) then
        return count
    end
    table.sort(keys)
    return nil, keys
end

-- Puts values between brackets into out, each by put(i).
local function group(state, open, close, count, put)
    local out, indent = state.out, state.indent
    out[#out + 1] = open
    state.depth = state.depth + 1
    if state.depth > MOST then
        fault(("more than %d lists and objects within each other"):format(MOST))
    end
    for i = 1, count do
        out[#out + 1] = i > 1 and "," or ""
        out[#out + 1] = indent and "\n" .. indent:rep(state.depth) or ""
        put(i)
    end
    state.depth = state.depth - 1
    out[#out + 1] = indent and count > 0 and "\n" .. indent:rep(state.depth) or ""
    out[#out + 1] = close
end

local function encode_text(text, path)
    if not utf8.len(text) then
        fault(path .. " is no UTF-8 text")
    end
    return M.quoted(text)
end

local function encode_table(x, state, path)
    if state.open[x] then
        fault(path .. " contains itself")
    end
    state.open[x] = true
    local count, keys = kind_of_table(x, path)
    if count then
        group(state, "[", "]", count, function(i)
            encode_value(rawget(x, i), state, ("%s[%d]"):format(path, i))
        end)
    else
        group(state, "{", "}", #keys, function(i)
            local name = keys[i]
            state.out[#state.out + 1] = encode_text(name, "a key of " .. path) .. (state.indent and ": " or ":")
            encode_value(rawget(x, name), state, ("%s.%s"):format(path, name))
        end)
    end
    state.open[x] = nil
end

-- A table of columns: an object of lists.
local function encode_columns(t, state, path)
    local made, wrong = columns_in.all_to_write(t, nil, M.iso)
    if not made then
        fault(("%s: %s"):format(path, wrong))
    end
    group(state, "{", "}", #made.names, function(i)
        local name = made.names[i]
        state.out[#state.out + 1] = M.quoted(name) .. (state.indent and ": " or ":")
        encode_value(t[name], state, ("%s.%s"):format(path, name))
    end)
end

-- An array: nested lists.
local function encode_array(a, state, path)
    local dtype = a:dtype()
    if dtype == "date" or dtype == "timestamp" then
        a = M.iso(a)
    elseif dtype == "duration" then
        a = a:seconds()
    end
    local unsigned = dtype == "u64"
    local function element(x)
        if unsigned and math.type(x) == "integer" then
            return numbers_as.unsigned(x)
        end
        return encode_value(x, state, path)
    end
    local function list(x)
        if type(x) ~= "table" then
            local text = element(x)
            state.out[#state.out + 1] = text
            return
        end
        group(state, "[", "]", #x, function(i) list(x[i]) end)
    end
    list(select("#", a:shape()) == 0 and a:value() or a:totable { missing = null })
end

function encode_value(x, state, path)
    local out, kind = state.out, math.type(x) or type(x)
    if kind == "integer" then
        out[#out + 1] = ("%d"):format(x)
    elseif kind == "float" then
        local finite = x == x and x ~= math.huge and x ~= -math.huge
        out[#out + 1] = finite and numbers_as.exact(x) or "null"
    elseif kind == "string" then
        out[#out + 1] = encode_text(x, path)
    elseif kind == "boolean" then
        out[#out + 1] = tostring(x)
    elseif x == null or x == core.na or x == nil then
        out[#out + 1] = "null"
    elseif core.isarray(x) then
        encode_array(x, state, path)
    elseif kind == "table" and frame.of(x) then
        encode_columns(x, state, path)
    elseif kind == "table" then
        encode_table(x, state, path)
    else
        fault(("%s is a %s, which JSON has not"):format(path, internal.kind_of(x)))
    end
end

-- lun.json.encode(value [, {indent = 2}]): its text.
function M.encode(value, opts)
    opts = opts == nil and {} or opts
    local indent = type(opts) == "table" and opts.indent
    for option in next, type(opts) == "table" and opts or {} do
        if option ~= "indent" then
            fault(("bad argument #2 to 'encode' (unknown option '%s')"):format(tostring(option)))
        end
    end
    if type(opts) ~= "table" or indent ~= nil and (math.type(indent) ~= "integer" or indent < 0 or indent > 16) then
        fault("bad argument #2 to 'encode' (options expected, such as {indent = 2}, a number from 0 to 16)")
    end
    local state = { out = {}, depth = 0, open = {}, indent = indent and (" "):rep(indent) }
    encode_value(value, state, "the value")
    return table.concat(state.out)
end

return M
