-- Zip archives: the members of one, and the bytes of a new one. Members are stored or deflated; sizes may be beyond
-- 4 GB (zip64). Reading is strict: the directory, the header of each member, sizes and checksums must agree.

local internal = require("lunarray.core").internal

local zip = {}

local pack, unpack = string.pack, string.unpack

-- The records of the format, by their forms. Their fields: APPNOTE.TXT of PKWARE, sections 4.3.7 to 4.3.16.
local LOCAL = "<c4 I2 I2 I2 I2 I2 I4 I4 I4 I2 I2"
local CENTRAL = "<c4 I2 I2 I2 I2 I2 I2 I4 I4 I4 I2 I2 I2 I2 I2 I4 I4"
local WIDE_END = "<c4 I8 I2 I2 I4 I4 I8 I8 I8 I8"
local LOCATOR = "<c4 I4 I8 I4"
local END = "<c4 I2 I2 I2 I2 I4 I4 I2"
local SIGNS = {
    [LOCAL] = "PK\3\4", [CENTRAL] = "PK\1\2", [WIDE_END] = "PK\6\6", [LOCATOR] = "PK\6\7", [END] = "PK\5\6",
}

local MOST, MANY = 0xFFFFFFFF, 0xFFFF -- stand for a value in a wider record
local LONGEST_COMMENT = 0xFFFF
local ENCRYPTED, SIZES_FOLLOW, UTF8 = 1, 8, 0x800
local STORED, DEFLATED = 0, 8
local MOST_RATIO = 1032 -- the most bytes that deflate packs into one

local function bad(message, ...)
    return nil, message:format(...), "format"
end

-- ---------------------------------------------------------------- reading

-- The `count` bytes at `offset` of a source; or nil, message, code.
local function bytes_at(source, offset, count)
    if offset < 0 or count < 0 or offset > source.size - count then
        return nil, "the file is too short: it ends within a record", "short"
    end
    local ok, message, code = source:seek(offset)
    if not ok then
        return nil, message, code
    end
    local text
    text, message, code = source:read(count)
    if text and #text < count then
        return nil, "the file was truncated while it was read", "short"
    end
    return text, message, code
end

-- The fields of the record of this form at `offset`, in a list; or nil, message, code.
local function record(source, form, offset, what)
    local text, message, code = bytes_at(source, offset, string.packsize(form))
    if not text then
        return nil, message, code
    end
    local fields = { unpack(form, text) }
    if fields[1] ~= SIGNS[form] then
        return bad("no %s where one should be, at byte %d", what, offset)
    end
    return fields
end

-- The offset of the record that ends the archive; or nil, message, code. A comment may follow it.
local function find_end(source)
    local size = string.packsize(END)
    local length = math.min(source.size, size + LONGEST_COMMENT)
    local text, message, code = bytes_at(source, source.size - length, length)
    if not text then
        return nil, message, code
    end
    for at = #text - size + 1, 1, -1 do
        if text:sub(at, at + 3) == SIGNS[END] and select(8, unpack(END, text, at)) == #text - at + 1 - size then
            return source.size - length + at - 1
        end
    end
    return bad "not a zip archive: it has no directory at its end"
end

-- The number of members, and where the directory starts and ends; or nil, message, code.
local function find_directory(source)
    local at, message, code = find_end(source)
    local last = at and record(source, END, at, "end of the archive")
    if not last then
        return nil, message, code
    end
    local count, size, offset = last[5], last[6], last[7]
    local wide_at = at - string.packsize(LOCATOR)
    local locator = wide_at >= 0 and bytes_at(source, wide_at, 4) == SIGNS[LOCATOR]
    if locator then
        locator, message, code = record(source, LOCATOR, wide_at, "zip64 locator")
        if not locator then
            return nil, message, code
        end
        at = locator[3]
        local wide
        wide, message, code = record(source, WIDE_END, at, "zip64 end of the archive")
        if not wide then
            return nil, message, code
        elseif wide[5] ~= 0 or wide[6] ~= 0 or wide[7] ~= wide[8] then
            return nil, "it is one of several parts of an archive", "unsupported"
        end
        count, size, offset = wide[8], wide[9], wide[10]
    elseif last[2] ~= 0 or last[3] ~= 0 or last[4] ~= last[5] then
        return nil, "it is one of several parts of an archive", "unsupported"
    end
    if offset < 0 or size < 0 or offset + size ~= at then
        return bad("the directory does not end where the end of the archive starts, at byte %d", at)
    end
    return count, offset, at
end

-- Replaces those of the values that are MOST by the ones of the zip64 field among the extra ones; false if there are
-- too few.
local function widen(extra, values)
    local at, wide = 1, ""
    while at + 4 <= #extra + 1 do
        local id, length = unpack("<I2 I2", extra, at)
        if id == 1 then
            wide = extra:sub(at + 4, at + 3 + length)
        end
        at = at + 4 + length
    end
    local place = 1
    for i, value in ipairs(values) do
        if value == MOST then
            if place + 7 > #wide then
                return false
            end
            values[i] = unpack("<I8", wide, place)
            place = place + 8
        end
    end
    return true
end

-- The member whose entry in the directory is at `at`, and where the next entry is; or nil, message, code.
local function entry(source, at)
    local fields, message, code = record(source, CENTRAL, at, "entry of the directory")
    if not fields then
        return nil, message, code
    end
    local lengths = fields[11] + fields[12]
    local text
    text, message, code = bytes_at(source, at + string.packsize(CENTRAL), lengths)
    if not text then
        return nil, message, code
    end
    local values = { fields[10], fields[9], fields[17] }
    local name = text:sub(1, fields[11])
    if not widen(text:sub(fields[11] + 1), values) then
        return bad("member '%s': no zip64 sizes where they are announced", name)
    end
    local member = { name = name, flags = fields[4], method = fields[5], crc = fields[8], size = values[1],
        packed = values[2], at = values[3] }
    if member.flags & ENCRYPTED ~= 0 then
        return nil, ("member '%s' is encrypted"):format(name), "unsupported"
    elseif member.method ~= STORED and member.method ~= DEFLATED then
        message = "member '%s': compression method %d is not supported; stored and deflated ones are"
        return nil, message:format(name, member.method), "unsupported"
    elseif member.size < 0 or member.packed < 0 or member.at < 0 or member.size / MOST_RATIO > member.packed
        or member.method == STORED and member.size ~= member.packed then
        return bad("member '%s': sizes that cannot be: %d bytes, %d in the archive", name, member.size, member.packed)
    end
    return member, at + string.packsize(CENTRAL) + lengths + fields[13]
end

-- Checks the header in front of a member, and finds its data: member.from, member.to; or nil, message, code.
local function check_header(source, member)
    local fields, message, code = record(source, LOCAL, member.at, ("header of member '%s'"):format(member.name))
    if not fields then
        return nil, message, code
    end
    local start = member.at + string.packsize(LOCAL)
    local text
    text, message, code = bytes_at(source, start, fields[10] + fields[11])
    if not text then
        return nil, message, code
    end
    local values = { fields[9], fields[8] }
    local widened = widen(text:sub(fields[10] + 1), values)
    if text:sub(1, fields[10]) ~= member.name or fields[4] ~= member.method then
        return bad("member '%s': its header is that of another one", member.name)
    elseif fields[3] & SIZES_FOLLOW == 0 and not (widened and values[1] == member.size and values[2] == member.packed
        and fields[7] == member.crc) then
        return bad("member '%s': its header and the directory state other sizes or checksums", member.name)
    end
    member.from = start + fields[10] + fields[11]
    member.to = member.from + member.packed
    return true
end

-- The members of the archive in a source, in the order of its directory; or nil, message, code.
function zip.members(source)
    local count, at, stop = find_directory(source)
    if not count then
        return nil, at, stop
    end
    local members, names, directory = {}, {}, at
    while at < stop do
        local member, message, code = entry(source, at)
        if not member then
            return nil, message, code
        elseif names[member.name] then
            return bad("two members are named '%s'", member.name)
        end
        names[member.name] = true
        members[#members + 1] = member
        at = message
    end
    if at ~= stop or #members ~= count then
        return bad("the directory has %d members, not %d", #members, count)
    end
    local in_order = table.move(members, 1, #members, 1, {})
    table.sort(in_order, function(a, b)
        return a.at < b.at
    end)
    for i, member in ipairs(in_order) do
        local ok, message, code = check_header(source, member)
        if not ok then
            return nil, message, code
        elseif member.to > (in_order[i + 1] and in_order[i + 1].at or directory) then
            return bad("member '%s' goes on beyond what follows it", member.name)
        end
    end
    return members
end

-- Whether a member is stored, not deflated.
function zip.is_stored(member)
    return member.method == STORED
end

-- Whether that is the checksum of a member; or nil, message, code.
function zip.check(member, crc)
    if crc ~= member.crc then
        return bad("member '%s': its checksum is wrong, so it is damaged", member.name)
    end
    return true
end

-- The bytes of a member; or nil, message, code.
function zip.read(source, member)
    local text, message, code = bytes_at(source, member.from, member.packed)
    if text and member.method == DEFLATED then
        text, message = internal.inflate(text, member.size)
        code = "format"
    end
    if not text then
        return nil, ("member '%s': %s"):format(member.name, message), code
    end
    local sound
    sound, message, code = zip.check(member, internal.crc32(text))
    if not sound then
        return nil, message, code
    end
    return text
end

-- ---------------------------------------------------------------- writing

local Writer = {}
Writer.__index = Writer

local VERSION, WIDE_VERSION = 20, 45 -- that a reader must know
local DATE = 1 << 5 | 1 -- 1980-01-01: equal members give equal files

-- A writer of an archive. most, many: sizes and numbers from which on zip64 is used.
--
-- Invariant: `at` is the offset behind the last member, whose data the header has announced; `directory` has an entry
-- for each member that has a header, in order.
function zip.writer(most, many)
    return setmetatable({ at = 0, directory = {}, most = most or MOST, many = many or MANY }, Writer)
end

-- An extra field of 64-bit values for those beyond 32 bits.
local function wide_field(...)
    local values = { ... }
    return pack("<I2 I2" .. (" I8"):rep(#values), 1, 8 * #values, table.unpack(values))
end

-- The header of the next member; its data of `packed` bytes must follow. packed: nil where it is stored.
function Writer:header(name, size, crc, packed)
    local method = packed and DEFLATED or STORED
    packed = packed or size
    local wide = size >= self.most or packed >= self.most
    local flags = name:find "[\128-\255]" and UTF8 or 0
    local version = wide and WIDE_VERSION or VERSION
    local narrow, narrow_packed = wide and MOST or size, wide and MOST or packed
    local extra = wide and wide_field(size, packed) or ""
    local header = pack(LOCAL, SIGNS[LOCAL], version, flags, method, 0, DATE, crc, narrow_packed, narrow, #name, #extra)
        .. name .. extra
    local far = self.at >= self.most
    if far then
        extra = wide and wide_field(size, packed, self.at) or wide_field(self.at)
    end
    version = far and WIDE_VERSION or version
    self.directory[#self.directory + 1] = pack(CENTRAL, SIGNS[CENTRAL], WIDE_VERSION, version, flags, method, 0, DATE,
        crc, narrow_packed, narrow, #name, #extra, 0, 0, 0, 0, far and MOST or self.at) .. name .. extra
    self.at = self.at + #header + packed
    return header
end

-- The end of the archive.
function Writer:finish()
    local count, directory, tail = #self.directory, table.concat(self.directory), ""
    local size, at = #directory, self.at
    if count >= self.many or size >= self.most or at >= self.most then
        tail = pack(WIDE_END, SIGNS[WIDE_END], string.packsize(WIDE_END) - 12, WIDE_VERSION, WIDE_VERSION, 0, 0, count,
            count, size, at) .. pack(LOCATOR, SIGNS[LOCATOR], 0, at + size, 1)
        count, size, at = MANY, MOST, MOST
    end
    return directory .. tail .. pack(END, SIGNS[END], 0, 0, count, count, size, at, 0)
end

return zip
