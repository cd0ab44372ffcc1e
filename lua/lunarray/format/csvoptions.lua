-- Options of csv: checked, and as the reader in interp/csv takes them. A caller's mistake is a message; what only the
-- file can tell, such as a column that it lacks, is found by csv.lua.

local core = require "lunarray.core"
local dtypes = require "lunarray.base.dtypes"

local options = {}

local find = string.find

-- ---------------------------------------------------------------- checks

local function shown(x)
    return type(x) == "string" and ("%q"):format(x) or type(x) == "number" and tostring(x) or "a " .. type(x)
end

-- What is wrong with an option that is one ASCII character, or, where `none`, false.
local function character_fault(name, x, none, example)
    if x == nil or none and x == false or type(x) == "string" and #x == 1 and not find(x, "[%z\r\n\128-\255]") then
        return nil
    end
    return ("%s is %s; one ASCII character%s is expected, such as %s"):format(name, shown(x),
        none and " or false" or "", example)
end

local function flag_fault(opts, name)
    if opts[name] ~= nil and type(opts[name]) ~= "boolean" then
        return ("%s is %s; true or false is expected"):format(name, shown(opts[name]))
    end
end

local function count_fault(name, x, least)
    if x ~= nil and (math.type(x) ~= "integer" or x < least) then
        return ("%s is %s; an integer of at least %d is expected"):format(name, shown(x), least)
    end
end

local function choice_fault(opts, name, choices)
    if opts[name] == nil then
        return nil
    end
    for _, choice in ipairs(choices) do
        if opts[name] == choice then
            return nil
        end
    end
    return ('%s is %s; "%s" is expected'):format(name, shown(opts[name]), table.concat(choices, '", "'))
end

-- What is wrong with a list of names, or of names and, where `numbers`, of columns' numbers.
local function names_fault(option, list, numbers)
    local seen = {}
    if list == nil then
        return nil
    elseif type(list) ~= "table" or #list == 0 then
        return ('%s is no list of names, such as {%s = {"x", "y"}}'):format(option, option)
    end
    for i, name in ipairs(list) do
        if type(name) ~= "string" and not (numbers and math.type(name) == "integer" and name > 0) then
            return ("%s[%d] is a %s, not a name"):format(option, i, type(name))
        elseif seen[name] then
            return ("%s has '%s' twice"):format(option, name)
        end
        seen[name] = true
    end
end

-- Nil if characters are different from each other where they must be, else what is wrong.
local function clash(chars)
    local owner = {}
    for _, name in ipairs { "sep", "quote", "escape", "decimal", "thousands" } do
        local x = chars[name]
        if x and owner[x] then
            return ("%s and %s are both %q"):format(owner[x], name, x)
        elseif x then
            owner[x] = name
        end
    end
end

-- What is wrong with the words for missing elements.
local function words_fault(name, words)
    if words == false then
        return nil
    elseif type(words) ~= "table" then
        return ('%s is %s; a list of texts is expected, such as {na = {"-", "?"}}, or false'):format(name, shown(words))
    end
    for i, word in ipairs(words) do
        if type(word) ~= "string" then
            return ("%s[%d] is %s, not a text"):format(name, i, shown(word))
        end
    end
end

local function is_by_column(na)
    return type(na) == "table" and next(na) ~= nil and na[1] == nil
end

-- What is wrong with an option that has a value for each of some columns, by fault(what, value).
local function by_column_fault(option, values, fault)
    for name, value in pairs(values) do
        local wrong = type(name) ~= "string" and option .. " has a key that is no column's name"
            or fault(("%s['%s']"):format(option, name), value)
        if wrong then
            return wrong
        end
    end
end

local function na_fault(na)
    if na == nil then
        return nil
    elseif not is_by_column(na) then
        return words_fault("na", na)
    end
    return by_column_fault("na", na, words_fault)
end

-- What is wrong with a format of dates that are read, or written, of that dtype.
local function format_fault(name, format, dtype, write)
    if type(format) ~= "string" or find(format, "\0", 1, true) then
        return ('%s is %s; a format of dates is expected, such as "%%d.%%m.%%Y"'):format(name, shown(format))
    end
    local fault, which = core.internal.time_check(dtype, format, write)
    return fault and ("%s is %q: %%%s %s"):format(name, format, which, fault) or nil
end

-- What is wrong with a dtype of columns.
local function dtype_fault(name, dtype)
    if type(dtype) == "table" and (dtype[1] == "date" or dtype[1] == "timestamp") and #dtype == 2 then
        return format_fault(name .. "[2]", dtype[2], dtype[1], false)
    elseif type(dtype) == "table" then
        return ('%s is a table; {"date", format} or {"timestamp", format} is expected'):format(name)
    elseif type(dtype) ~= "string" or dtype ~= "text" and not dtypes.by_name[dtype] then
        return ("%s is %s; supported: text %s"):format(name, shown(dtype), dtypes.names)
    end
end

local function dtypes_fault(wanted)
    if wanted == nil then
        return nil
    elseif type(wanted) ~= "table" or wanted[1] ~= nil then
        return dtype_fault("dtypes", wanted)
    end
    return by_column_fault("dtypes", wanted, dtype_fault)
end

local function header_fault(header)
    if header == nil or type(header) == "boolean" then
        return nil
    end
    return count_fault("header", header, 1)
end

local function text_fault(name, text)
    if text ~= nil and (type(text) ~= "string" or text == "" or find(text, "[\r\n%z]")) then
        return ("%s is %s; a text is expected"):format(name, shown(text))
    end
end

-- Nil if opts.sep can separate fields, else the caller's mistake.
local function sep_fault(sep)
    if sep ~= nil and (type(sep) ~= "string" or #sep ~= 1 or find(sep, '[%z"\r\n\128-\255]')) then
        return ("sep is %s; one ASCII character between fields is expected, such as ';'"):format(
            type(sep) == "string" and ("%q"):format(sep) or "a " .. type(sep))
    end
end

local function thousands_fault(x)
    if x and (type(x) ~= "string" or not find(x, "^[,.' _]$")) then
        return ("thousands is %s; , . ' _ or a blank is expected"):format(shown(x))
    end
end

-- Checks that other formats of tables share.
options.checks = {
    count = count_fault, choice = choice_fault, text = text_fault, names = names_fault, dtypes = dtypes_fault,
}

-- Nil, or the caller's mistake in options for reading.
function options.load_fault(opts)
    local quote = opts.quote == nil and '"' or opts.quote
    return sep_fault(opts.sep) or character_fault("quote", opts.quote, true, "\"'\"")
        or character_fault("escape", opts.escape, true, [["\\"]])
        or character_fault("decimal", opts.decimal, false, '","')
        or thousands_fault(opts.thousands)
        or clash { sep = opts.sep, quote = quote, escape = opts.escape, decimal = opts.decimal or ".",
            thousands = opts.thousands }
        or header_fault(opts.header) or count_fault("skip", opts.skip, 0) or count_fault("nrows", opts.nrows, 0)
        or text_fault("comment", opts.comment) or text_fault("encoding", opts.encoding)
        or text_fault("source", opts.source) or choice_fault(opts, "ragged", { "error", "fill", "skip" })
        or flag_fault(opts, "trim") or flag_fault(opts, "infer") or flag_fault(opts, "dates")
        or names_fault("columns", opts.columns, true)
        or names_fault("names", opts.names) or na_fault(opts.na) or dtypes_fault(opts.dtypes)
end

-- Nil, or the caller's mistake in options for writing.
function options.save_fault(opts)
    local float = opts.float
    if float ~= nil and (type(float) ~= "string" or not find(float, "^%%[-+ #0]*%d?%d?[eEfFgG]$")
        and not find(float, "^%%[-+ #0]*%d?%d?%.%d?%d?[eEfFgG]$")) then
        return ('float is %s; one conversion of string.format is expected, such as "%%.3f"'):format(shown(float))
    elseif opts.names ~= nil and opts.columns ~= nil then
        return "names and columns are both given, which mean the same"
    end
    return sep_fault(opts.sep) or character_fault("decimal", opts.decimal, false, '","')
        or choice_fault(opts, "quote", { "needed", "all", "none" })
        or clash { sep = opts.sep, quote = '"', decimal = opts.decimal or "." }
        or flag_fault(opts, "header") or flag_fault(opts, "append")
        or opts.dates ~= nil and format_fault("dates", opts.dates, "timestamp", true)
        or opts.na ~= nil and opts.na ~= "" and text_fault("na", opts.na)
        or opts.na and find(opts.na, '[",;|\t]')
        and ("na is %q; a text without separators and quotes is expected"):format(opts.na) or nil
end

-- ---------------------------------------------------------------- for the reader

-- The table of rules that internal.csv_open takes; sep: what separates fields where the options do not say.
function options.rules(opts, sep)
    local header = opts.header
    return {
        separator = opts.sep or sep or opts.decimal == "," and ";" or nil,
        quote = opts.quote, escape = opts.escape or nil, decimal = opts.decimal, thousands = opts.thousands or nil,
        trim = opts.trim, nrows = opts.nrows, comment = opts.comment, ragged = opts.ragged,
        encoding = opts.encoding and not find(opts.encoding:lower(), "^utf%-?8$") and opts.encoding or nil,
        skip = (opts.skip or 0) + (math.type(header) == "integer" and header - 1 or 0),
        header = header == false and "none" or header and "names" or "either",
    }
end

-- How a column of that dtype is read: internal.csv_columns. Integers of fewer bytes are i64 within bounds.
local function forced(dtype)
    local row = dtypes.by_name[dtype]
    if dtype == nil or row.kind == "text" or row.kind == "time" then
        return { kind = dtype }
    end
    if row.kind == "bool" then
        return { kind = "bool" }
    elseif row.kind == "float" then
        return { kind = "f64" }
    elseif row.bytes == 8 then
        return { kind = dtype }
    elseif row.kind == "signed" then
        local least = -1 << 8 * row.bytes - 1
        return { kind = "i64", low = least, high = -(least + 1) }
    end
    return { kind = "i64", low = 0, high = (1 << 8 * row.bytes) - 1 }
end

-- How column `name` is read, and the dtype that it gets, nil: that which it has.
function options.how(opts, name)
    local dtype = opts.dtypes
    if type(dtype) == "table" and dtype[1] == nil then
        dtype = dtype[name]
    end
    local format
    if type(dtype) == "table" then
        dtype, format = dtype[1], dtype[2]
    end
    if dtype == nil and opts.infer == false then
        dtype = "text"
    end
    local how, words = forced(dtype), opts.na
    how.format, how.undated = format, opts.dates == false
    if is_by_column(words) then
        words = words[name]
    end
    if words ~= nil then
        how.missing = words or {}
    end
    return how, dtype
end

-- The first name in options by column that is none of the file's, with the option's name; nil: all are.
function options.unknown(opts, names)
    local known = {}
    for _, name in ipairs(names) do
        known[name] = true
    end
    for _, option in ipairs { "dtypes", "na" } do
        local by = opts[option]
        local named = type(by) == "table" and by[1] == nil and (option == "dtypes" or is_by_column(by))
        for name in pairs(named and by or {}) do
            if not known[name] then
                return option, name
            end
        end
    end
end

-- How values are read that no dtype holds as they are, in all formats that have such: Arrow's, Parquet.
local VALUES = { blobs = { "hex", "base64" }, decimals = { "f64", "text" }, nanoseconds = { "floor" } }

function options.values_fault(opts)
    for name, choices in pairs(VALUES) do
        local fault = choice_fault(opts, name, choices)
        if fault then
            return fault
        end
    end
end

-- These options as the text that the C interface takes.
function options.values_text(opts)
    local list = {}
    for name in pairs(VALUES) do
        list[#list + 1] = opts[name] and ('%s = "%s"'):format(name, opts[name]) or nil
    end
    return "{" .. table.concat(list, ", ") .. "}"
end

options.writing = {
    names = true, columns = true, sep = true, header = true, na = true, quote = true, decimal = true, float = true,
    append = true, dates = true,
}

options.reading = {
    columns = true, sep = true, header = true, names = true, skip = true, comment = true, dtypes = true, na = true,
    nrows = true, decimal = true, thousands = true, quote = true, escape = true, encoding = true, ragged = true,
    trim = true, infer = true, source = true, format = true, dates = true,
}

return options
