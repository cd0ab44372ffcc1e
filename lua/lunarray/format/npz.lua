-- NumPy's .npz files: a zip archive with a .npy file for each array, also of records, stored or deflated, to a table of
-- arrays by name and back.

local core = require "lunarray.core"
local dtypes = require "lunarray.base.dtypes"
local file = require "lunarray.format.file"
local frame = require "lunarray.show.frame"
local npy = require "lunarray.format.npy"
local records = require "lunarray.base.records"
local zip = require "lunarray.format.zip"

local npz = { by_ranks = true, load_options = {}, save_options = { compress = true } }

-- ---------------------------------------------------------------- reading

local WORTH = 1 << 16 -- bytes of a member from which on ranks read it themselves

-- A source of a member's bytes; or nil, message, code.
local function open(source, member)
    if source.crc and member.size >= WORTH and zip.is_stored(member) then
        local sound, message, code = zip.check(member, source:crc(member.from, member.size))
        if not sound then
            return nil, message, code
        end
        return source:part(member.from, member.size)
    end
    local text, message, code = zip.read(source, member)
    if not text then
        return nil, message, code
    end
    return file.source(text)
end

-- The table of arrays that the archive holds; or nil, message, code.
function npz.decode(source)
    local message, code, members
    source, message, code = source:seekable()
    if not source then
        return nil, message, code
    end
    members, message, code = zip.members(source)
    if not members then
        return nil, message, code
    end
    local t, names = {}, {}
    for i, member in ipairs(members) do
        local name = member.name:match "^(.+)%.npy$"
        if not name then
            return nil, ("member '%s' is no .npy file"):format(member.name), "unsupported"
        end
        local from, a
        from, message, code = open(source, member)
        if not from then
            return nil, message, code
        end
        a, message, code = npy.decode(from)
        if a == nil then
            return nil, ("member '%s': %s"):format(member.name, message), code
        end
        t[name], names[i] = a, name
    end
    return frame.list(t, names)
end

-- ---------------------------------------------------------------- writing

-- The names of the arrays of a table in order; or nil and what is wrong with it.
local function names_of(t)
    local names = frame.ordered(t)
    for _, name in ipairs(names) do
        if type(name) ~= "string" then
            return nil, ("the name of an array is a text, not the %s %s"):format(type(name), tostring(name))
        elseif name == "" or #name > 60000 or name:find("\0", 1, true) or not utf8.len(name) then
            return nil, ("%q cannot be the name of an array"):format(name)
        end
        local a = frame.column(t, name)
        local struct = records.struct_of(a)
        if type(a) == "string" and #a < 1000 and not a:find "\0" then
            goto continue
        elseif not struct and not core.isarray(a) then
            return nil, ("'%s' is a %s; arrays can be saved"):format(name, type(a))
        end
        local usable, freed = pcall(struct and a.shape or a.dtype, a)
        if not usable then
            return nil, ("'%s' cannot be read: %s"):format(name, (freed:gsub("^[^ ]-:%d+: ", "")))
        end
        ::continue::
    end
    return names
end

local PIECE = 1 << 22 -- bytes

-- Calls each(bytes) with the elements of an array, some at a time.
local function pieces_of(a, each)
    local count, total = PIECE // dtypes.by_name[a:dtype()].bytes, a:size()
    for first = 1, total, count do
        each(core.internal.bytes(a, first, math.min(count, total - first + 1)))
    end
end

-- The bytes of a member, in a list of texts and functions that write to a file. Stored elements are read twice, since
-- their checksum comes before them: they need no memory.
local function member(writer, name, head, a, compress)
    if compress or type(a) == "string" or records.struct_of(a) then
        local text = head .. (type(a) == "string" and (a == "" and "\0" or a) or a:tobytes())
        local packed = compress and core.internal.deflate(text) or text
        return { writer:header(name, #text, core.internal.crc32(text), compress and #packed), packed }
    end
    if not core.internal.streamed(a) then
        a:eval()
    end
    local crc = core.internal.crc32(head)
    pieces_of(a, function(bytes)
        crc = core.internal.crc32(bytes, crc)
    end)
    local size = #head + a:size() * dtypes.by_name[a:dtype()].bytes
    return { writer:header(name, size, crc), head, function(handle)
        return core.internal.write(handle, a)
    end }
end

-- An iterator over the bytes of an archive of the arrays of a table, deflated if opts.compress; or nil and the caller's
-- mistake.
function npz.encode(t, opts)
    if type(t) ~= "table" then
        return nil, "table of arrays expected, {name = array, ...}"
    elseif opts.compress ~= nil and type(opts.compress) ~= "boolean" then
        return nil, "option 'compress': true or false expected"
    end
    local meta = getmetatable(t)
    t = type(meta) == "table" and meta.__arrays and meta.__arrays(t) or t -- of a sparse matrix
    local names, fault = names_of(t)
    if not names then
        return nil, fault
    end
    local heads, arrays = {}, {}
    for i, name in ipairs(names) do
        if type(t[name]) == "string" then
            heads[i], arrays[i] = npy.text_head(t[name]), t[name]
        elseif records.struct_of(t[name]) then
            heads[i], arrays[i] = npy.record_head(t[name])
            fault, arrays[i] = arrays[i], t[name]
        else
            heads[i], arrays[i] = npy.head(t[name])
            fault = arrays[i]
        end
        if not heads[i] then
            return nil, ("'%s': %s"):format(name, fault)
        end
    end
    local writer, next_array, parts, next_part = zip.writer(), 1, {}, 1
    return function()
        if next_part > #parts and next_array <= #names then
            local i = next_array
            parts, next_part = member(writer, names[i] .. ".npy", heads[i], arrays[i], opts.compress), 1
            next_array = i + 1
        elseif next_part > #parts and writer then
            parts, next_part = { writer:finish() }, 1
            writer = nil
        end
        next_part = next_part + 1
        return parts[next_part - 1]
    end
end

return npz
