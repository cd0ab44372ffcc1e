-- Files of bare little-endian elements: the caller says dtype and, if it is not a Vector, shape.

local core = require "lunarray.core"
local dtypes = require "lunarray.base.dtypes"
local file = require "lunarray.format.file"

local raw = {
    by_ranks = true,
    load_options = { dtype = true, shape = true },
    open_options = { dtype = true, shape = true, offset = true },
    save_options = { dtype = true },
}

-- Nil if the dtype is one of ours, else what is wrong with it.
function raw.dtype_fault(dtype)
    if not dtypes.by_name[dtype] then
        return ("unknown dtype '%s'; supported: %s"):format(tostring(dtype), dtypes.names)
    end
end

-- Nil if these options describe an array, else the caller's mistake.
function raw.load_fault(opts)
    if opts.dtype == nil then
        return 'raw bytes need a dtype, such as {dtype = "f32"}'
    end
    local extents = opts.shape
    if extents == nil or math.type(extents) == "integer" and extents >= 0 then
        return raw.dtype_fault(opts.dtype)
    elseif type(extents) ~= "table" or #extents == 0 then
        return "shape must be an extent or a list of extents"
    end
    for i = 1, #extents do
        if math.type(extents[i]) ~= "integer" or extents[i] < 0 then
            local message = "extent %d of shape is %s; extents must be integers, 0 or more"
            return message:format(i, tostring(extents[i]))
        end
    end
    return raw.dtype_fault(opts.dtype)
end

-- The number of elements of `shape` (extents), or nil if at `bytes` each they exceed 2^63 bytes.
function raw.count(shape, bytes)
    local count, empty = 1, false
    for _, extent in ipairs(shape) do
        if extent == 0 then
            empty = true
        elseif count > math.maxinteger // bytes // extent then
            return nil
        else
            count = count * extent
        end
    end
    return empty and 0 or count
end

-- The layout of the next bytes of `source`, which must be as many as opts.shape needs: { dtype, shape
-- (extents), bytes (their number), swap, left (column by column) }; or nil, message, code.
function raw.layout(source, opts)
    local size = dtypes.by_name[opts.dtype].bytes
    local shape = opts.shape
    if not shape then
        local there, message, code = source:count()
        if not there then
            return nil, message, code
        elseif there % size ~= 0 then
            message = "%d bytes are not a whole number of %s elements (%d bytes each)"
            return nil, message:format(there, opts.dtype, size), "short"
        end
        shape = { there // size }
    elseif type(shape) ~= "table" then
        shape = { shape }
    end
    local what = dtypes.describe(opts.dtype, shape)
    local count = raw.count(shape, size)
    if not count then
        return nil, what .. " has more elements than any file", "unsupported"
    end
    local there, more, code = source:count(count * size)
    if not there then
        return nil, more, code
    elseif count * size ~= there then
        local short = count * size > there
        local message = "the file is too %s: %s needs %d bytes of elements, but there are %s%d"
        message = message:format(short and "short" or "long", what, count * size, more and "at least " or "", there)
        return nil, message, short and "short" or "long"
    end
    return { dtype = opts.dtype, shape = shape, bytes = count * size, swap = opts.swap and size > 1, left = opts.left }
end

-- The array of a layout: the result of make(shape), or nil, message, code. A column-major file is read with reversed
-- axes; without axes it is the element of a Vector.
function raw.array(layout, make)
    if #layout.shape == 0 then
        local v, message, code = make { 1 }
        if v == nil then
            return nil, message, code
        end
        return v:select(1, 1)
    elseif not layout.left then
        return make(layout.shape)
    end
    local turned, rank = {}, #layout.shape
    for i = 1, rank do
        turned[i] = layout.shape[rank + 1 - i]
    end
    local a, message, code = make(turned)
    if a == nil then
        return nil, message, code
    end
    return core.internal.column_major(a)
end

-- An array of the next bytes of `source`, or nil, message, code.
function raw.decode(source, opts)
    local layout, message, code = raw.layout(source, opts)
    local bytes
    if layout and source.elements then
        return raw.array(layout, function(shape)
            return dtypes.by_lanes(layout.dtype, shape, function(dtype, extents)
                return source:elements(dtype, extents, layout.swap)
            end)
        end)
    elseif layout then
        bytes, message, code = source:rest()
    end
    if not bytes then
        return nil, message, code
    elseif #bytes ~= layout.bytes then
        return nil, "the file was truncated while it was read", "short"
    end
    if layout.swap then
        local row = dtypes.by_name[layout.dtype]
        local size = row.part and row.bytes // 2 or row.bytes
        local order = { "%8", "%7", "%6", "%5", "%4", "%3", "%2", "%1" }
        bytes = bytes:gsub(("(.)"):rep(size), table.concat(order, "", 9 - size))
    end
    return raw.array(layout, function(shape)
        return dtypes.array(bytes, layout.dtype, shape)
    end)
end

-- An iterator over a list of strings, as encoders return it.
function raw.pieces(list)
    local i = 0
    return function()
        i = i + 1
        return list[i]
    end
end

local LARGE = 64 << 20 -- bytes from which on elements are not all in memory at once
local WORTH = 1 << 16 -- bytes from which on ranks write their shards themselves

-- Writes the elements of `a` behind `head` bytes into a file of Lua's, which has the name `name` meanwhile: each rank
-- that sees it writes its own. True; or nil, message, errno.
local function write_by_ranks(handle, name, head, a)
    local size, count = dtypes.by_name[a:dtype()].bytes, a:size()
    local bytes = head + count * size
    local mark, message, code = file.mark(handle, bytes)
    if not mark then
        return nil, message, code
    end
    local most = count
    if count * size >= LARGE and core.internal.streamed(a) then -- in pieces, which are not kept
        a, most = a:reshape(-1), LARGE // size * select("#", core.use())
    end
    for first = 1, count, most do
        local part = most == count and a or a:sub(first, math.min(first + most - 1, count))
        local ok
        ok, message, code = core.internal.write_by_ranks(handle, name, head + (first - 1) * size, bytes, mark, part)
        if not ok then
            return nil, message, code
        end
    end
    return core.internal.cut(handle, bytes)
end

-- An iterator over `head` and the bytes of `a`. A large expression over files or virtual arrays is computed in pieces
-- while it is written, and not kept: its elements need not fit into memory.
function raw.contents(head, a)
    a = core.iscomplex(a) and core.internal.complex_lanes(a) or a
    if a:size() >= WORTH // dtypes.by_name[a:dtype()].bytes and core.internal.on_ranks(a) then
        return raw.pieces { head, function(handle, name)
            if not name then
                return core.internal.write(handle, a)
            end
            local path, message, code = name()
            if not path then
                return nil, message, code
            end
            return write_by_ranks(handle, path, #head, a)
        end }
    elseif a:size() < LARGE // dtypes.by_name[a:dtype()].bytes then
        return raw.pieces { head, a:tobytes() }
    elseif not core.internal.streamed(a) then
        a:eval()
    end
    return raw.pieces { head, function(handle)
        return core.internal.write(handle, a)
    end }
end

-- What is wrong with saving a as bytes alone; nil: nothing. Missing floats are NaN there.
function raw.element_fault(a)
    local row = dtypes.by_name[a:dtype()]
    if row.kind == "text" then
        return "texts have no bytes of one size; csv, json, arrow and parquet have texts"
    end
    local count = core.internal.has_missing(a) and row.kind ~= "float" and a:ismissing():sum() or 0
    if count > 0 then
        local said = "a missing element has no bytes, and %d of %d %s; fillna(x) sets them, :cast 'f64' makes them NaN"
        return said:format(count, a:size(), count == 1 and "is" or "are")
    end
end

-- An iterator over the bytes of `a`, cast to opts.dtype if that is given.
function raw.encode(a, opts)
    if opts.dtype ~= nil then
        local fault = raw.dtype_fault(opts.dtype)
        if fault then
            return nil, fault
        end
        a = a:dtype() == opts.dtype and a or a:cast(opts.dtype)
    end
    local fault = raw.element_fault(a)
    if fault then
        return nil, fault
    end
    return raw.contents("", a)
end

return raw
