-- NumPy's .npy files, versions 1.0, 2.0 and 3.0: bytes to an array and back, any numeric dtype. The header is a Python
-- literal; it is parsed, never run.

local core = require "lunarray.core"
local dtypes = require "lunarray.base.dtypes"
local raw = require "lunarray.format.raw"

local npy = { by_ranks = true, load_options = {}, open_options = {}, save_options = {} }

local MAGIC = "\147NUMPY"
local MAX_RANK = 8
local MAX_HEADER = 1 << 20

-- ---------------------------------------------------------------- the header's grammar
-- Each parser takes the text and a position and gives the value and the position after it and the
-- blanks that follow; or nil, message, code.

local function after_blanks(text, pos)
    return text:match("^[ \n]*()", pos)
end

local function parse_string(text, pos)
    local value, stop = text:match("^'([^'\\\n]*)'()", pos)
    if not value then
        value, stop = text:match('^"([^"\\\n]*)"()', pos)
    end
    if not value then
        return nil, "string expected at " .. ("%q"):format(text:sub(pos, pos + 15)), "format"
    end
    return value, after_blanks(text, stop)
end

local function parse_bool(text, pos)
    local word, stop = text:match("^(%a+)()", pos)
    if word ~= "True" and word ~= "False" then
        return nil, "fortran_order is neither True nor False", "format"
    end
    return word == "True", after_blanks(text, stop)
end

local MOST_DEPTH <const> = 8 -- of records in records

local function parse_shape(text, pos)
    if text:sub(pos, pos) ~= "(" then
        return nil, "shape is not a tuple", "format"
    end
    local extents, comma = {}, true
    pos = after_blanks(text, pos + 1)
    while text:sub(pos, pos) ~= ")" do
        local digits, stop = text:match("^(%d+)L?()", pos) -- Python 2 wrote 10L
        if not digits or not comma or digits:find("^0%d") then
            return nil, "shape is not a tuple of extents", "format"
        elseif #digits > 18 then
            return nil, "the extent " .. digits:sub(1, 40) .. " is too large", "unsupported"
        end
        extents[#extents + 1] = math.tointeger(tonumber(digits))
        pos = after_blanks(text, stop)
        comma = text:sub(pos, pos) == ","
        pos = comma and after_blanks(text, pos + 1) or pos
    end
    if #extents == 1 and not comma then
        return nil, "shape is not a tuple: (n) without a comma", "format"
    end
    return extents, after_blanks(text, pos + 1)
end

local parse_descr

-- One field of a record, ('name', '<f4'), perhaps with a shape, or with a list of fields; pos: behind its parenthesis.
local function parse_field(text, pos, depth)
    local name, descr, code, shape
    if text:find("^%(", pos) then
        return nil, "fields with titles are not supported", "unsupported"
    end
    name, pos = parse_string(text, pos)
    if not name then
        return nil, pos, "format"
    elseif text:sub(pos, pos) ~= "," then
        return nil, ("field '%s' has no dtype"):format(name), "format"
    end
    pos = after_blanks(text, pos + 1)
    if text:find("^%(", pos) then
        return nil, ("field '%s': a dtype and a shape in one are not supported"):format(name), "unsupported"
    elseif depth == MOST_DEPTH then
        return nil, ("field '%s': records in records, more than %d deep"):format(name, MOST_DEPTH), "unsupported"
    end
    descr, pos, code = parse_descr(text, pos, depth + 1)
    if descr and text:find("^,%s*%(", pos) then
        shape, pos, code = parse_shape(text, after_blanks(text, pos + 1))
        descr = shape and descr
    end
    if not descr then
        return nil, pos, code
    elseif text:sub(pos, pos) ~= ")" then
        return nil, ("field '%s' does not end"):format(name), "format"
    end
    return { name = name, descr = descr, shape = shape }, after_blanks(text, pos + 1)
end

-- A dtype's word, or the list of a record's fields.
function parse_descr(text, pos, depth)
    if text:sub(pos, pos) ~= "[" then
        return parse_string(text, pos)
    end
    local fields, comma = {}, true
    pos = after_blanks(text, pos + 1)
    while text:sub(pos, pos) ~= "]" do
        if text:sub(pos, pos) ~= "(" or not comma then
            return nil, "descr is not a list of fields", "format"
        end
        local field, code
        field, pos, code = parse_field(text, after_blanks(text, pos + 1), depth or 1)
        if not field then
            return nil, pos, code
        end
        fields[#fields + 1] = field
        comma = text:sub(pos, pos) == ","
        pos = comma and after_blanks(text, pos + 1) or pos
    end
    return fields, after_blanks(text, pos + 1)
end

local parsers = { descr = parse_descr, fortran_order = parse_bool, shape = parse_shape }

-- The fields of a header, {descr=, fortran_order=, shape=}, or nil, message, code.
local function parse_header(text)
    local header, comma = {}, true
    local pos = after_blanks(text, 1)
    if text:sub(pos, pos) ~= "{" then
        return nil, "the header is not a dictionary", "format"
    end
    pos = after_blanks(text, pos + 1)
    while text:sub(pos, pos) ~= "}" do
        local key, value, code
        key, pos = parse_string(text, pos)
        if not key or not comma then
            return nil, pos and not comma and "missing comma" or pos, "format"
        elseif not parsers[key] or header[key] ~= nil then
            local which = parsers[key] and "a second" or "the unknown"
            return nil, ("%s key '%s'"):format(which, key:sub(1, 40)), "format"
        elseif text:sub(pos, pos) ~= ":" then
            return nil, ("no colon after '%s'"):format(key), "format"
        end
        value, pos, code = parsers[key](text, after_blanks(text, pos + 1))
        if value == nil then
            return nil, pos, code
        end
        header[key] = value
        comma = text:sub(pos, pos) == ","
        pos = comma and after_blanks(text, pos + 1) or pos
    end
    if after_blanks(text, pos + 1) <= #text then
        return nil, "text after the dictionary", "format"
    end
    for key in pairs(parsers) do
        if header[key] == nil then
            return nil, ("no key '%s'"):format(key), "format"
        end
    end
    return header
end

-- ---------------------------------------------------------------- reading

local kinds = {
    O = "Python objects", S = "byte strings", a = "byte strings", U = "text", V = "raw records",
    M = "dates", m = "time spans", c = "complex numbers of another width", f = "floats of another width",
}

-- The dtype of a descr and whether its bytes are to be swapped; or nil, message, code.
local function parse_dtype(descr)
    local order, letters, unit = descr:match("^([<>|=]?)(%a%d*)(.*)$")
    local row = unit == "" and dtypes.by_npy[letters]
    if row then
        if row.bytes > 1 and order ~= "<" and order ~= ">" and order ~= "=" then
            return nil, ("the dtype '%s' has no byte order"):format(descr), "format"
        end
        return row.name, order == ">"
    end
    local kind = letters and kinds[letters:sub(1, 1)]
    if not kind or unit ~= "" and not unit:find("^%[%w+%]$") then
        return nil, ("unknown dtype '%s'"):format(descr:sub(1, 40)), "format"
    end
    local message = "the dtype '%s' (%s) is not supported; supported: %s"
    return nil, message:format(descr:sub(1, 40), kind, dtypes.names), "unsupported"
end

-- The next `count` bytes of the header; or nil, message, code.
local function take(source, count)
    local bytes, message, code = source:read(count)
    if not bytes then
        return nil, message, code
    elseif #bytes < count then
        return nil, "the file is too short: it ends within the header", "short"
    end
    return bytes
end

-- The header's text; or nil, message, code.
local function read_header(source)
    local head, message, code = take(source, 8)
    if not head then
        return nil, message, code
    elseif head:sub(1, 6) ~= MAGIC then
        return nil, "not a .npy file: it does not start with \\x93NUMPY", "format"
    end
    local major, minor = head:byte(7, 8)
    if major < 1 or major > 3 or minor ~= 0 then
        local text = "version %d.%d of the format is not supported; 1.0, 2.0 and 3.0 are"
        return nil, text:format(major, minor), "unsupported"
    end
    local form = major == 1 and "<I2" or "<I4"
    head, message, code = take(source, string.packsize(form))
    if not head then
        return nil, message, code
    end
    local length = string.unpack(form, head)
    if length > MAX_HEADER then
        local text = "a header of %d bytes is too long; at most %d are supported"
        return nil, text:format(length, MAX_HEADER), "unsupported"
    end
    return take(source, length)
end

-- The header of a file; or nil, message, code.
local function header_of(source)
    local text, message, code = read_header(source)
    if not text then
        return nil, message, code
    end
    local header
    header, message, code = parse_header(text)
    if not header then
        return nil, "bad header: " .. message, code
    end
    local shape = header.shape
    if #shape > MAX_RANK then
        return nil, ("rank %d is not supported; at most %d is"):format(#shape, MAX_RANK), "unsupported"
    end
    if #shape == 0 and type(header.descr) == "table" then
        header.shape = { 1 } -- records have an axis
    end
    header.left = header.fortran_order and #shape > 1
    return header
end

-- The layout behind a header, as raw.layout returns it; or nil, message, code.
local function layout_of(source, header)
    local dtype, swap, code = parse_dtype(header.descr)
    if not dtype then
        return nil, swap, code
    end
    return raw.layout(source, { dtype = dtype, shape = header.shape, swap = swap, left = header.left })
end

-- Reads the header and returns the layout behind it, as raw.layout does; or nil, message, code.
function npy.layout(source)
    local header, message, code = header_of(source)
    if not header then
        return nil, message, code
    elseif type(header.descr) == "table" then
        return nil, "records cannot stay in their file; use lun.load", "unsupported"
    elseif header.descr:find "c" then
        return nil, "complex numbers cannot stay in their file; use lun.load", "unsupported"
    end
    return layout_of(source, header)
end

-- The records behind a header with fields; or nil, message, code.
local function decode_records(source, header)
    local npyrecord = require "lunarray.format.npyrecord"
    local found, message, code = npyrecord.fields(header.descr, parse_dtype)
    if not found then
        return nil, message, code
    end
    local shape, turned = header.shape, {}
    for k = 1, #shape do
        turned[k] = shape[#shape + 1 - k]
    end
    local r
    r, message, code = npyrecord.decode(source, found, header.left and turned or shape)
    if not r then
        return nil, message, code
    end
    return header.left and r:transpose():copy() or r
end

-- The array in the bytes of `source`, or nil, message, code.
function npy.decode(source)
    local header, layout, message, code
    header, message, code = header_of(source)
    if not header then
        return nil, message, code
    elseif type(header.descr) == "table" then
        return decode_records(source, header)
    end
    local length = #header.shape == 0 and header.descr:match "^|S(%d%d?%d?)$"
    if length then -- one text
        local text = source:read(tonumber(length)) or ""
        if #text < tonumber(length) then
            return nil, "the file is too short: it ends within the text", "short"
        end
        return (text:gsub("\0+$", ""))
    end
    layout, message, code = layout_of(source, header)
    if not layout then
        return nil, message, code
    end
    return raw.decode(source, layout)
end

-- ---------------------------------------------------------------- writing

-- The head of a version 1.0 file of such elements: descr as the header has it. Nil if it is too long.
local function front(descr, left, shape)
    local tuple = table.concat(shape, ", ") .. (#shape == 1 and "," or "") -- of a Scalar: none
    local header = ("{'descr': %s, 'fortran_order': %s, 'shape': (%s), }"):format(descr, left and "True" or "False",
        tuple)
    local padding = -(#MAGIC + 4 + #header + 1) % 64
    header = header .. (" "):rep(padding) .. "\n"
    return #header <= 0xffff and MAGIC .. "\1\0" .. string.pack("<s2", header) or nil
end

local IN_ITS_PLACE = { -- what users save, by the kind of dtypes that are not NumPy's
    float = ":cast 'f32' preserves every value",
    text = "csv, json, arrow and parquet have texts",
    time = ":cast 'i64' gives its integers; csv, arrow and parquet have times",
}

-- The header of a version 1.0 file for `a`, and the array whose elements follow it in row-major order; or nil and
-- what is wrong.
function npy.head(a)
    local row = dtypes.by_name[a:dtype()]
    if not row.npy then
        return nil, ("NumPy has no %s; %s"):format(row.name, IN_ITS_PLACE[row.kind])
    end
    local fault = raw.element_fault(a)
    if fault then
        return nil, fault
    end
    local left = a:layout() == "left"
    local descr = ("'%s%s'"):format(row.bytes == 1 and "|" or "<", row.npy)
    return front(descr, left, { a:shape() }), left and a:transpose() or a
end

-- The header of a file that holds one text of at most 999 bytes.
function npy.text_head(text)
    return front(("'|S%d'"):format(math.max(#text, 1)), false, {})
end

-- The header of a file that holds records, which their bytes follow; or nil and what is wrong.
function npy.record_head(r)
    local descr, message = require "lunarray.format.npyrecord".descr(r)
    local head = descr and front(descr, false, { r:shape() })
    if not head then
        return nil, message or "the names of the fields are too long for a .npy file"
    end
    return head
end

-- An iterator over the bytes of a file that holds `a`, an array or records.
function npy.encode(a)
    if not core.isarray(a) then
        local head, message = npy.record_head(a)
        if not head then
            return nil, message
        end
        return raw.pieces { head, a:tobytes() }
    end
    local head, elements = npy.head(a)
    if not head then
        return nil, elements
    end
    return raw.contents(head, elements)
end

return npy
