-- Whole files: a source to read from, and a save that leaves the old file whole if it fails. Failures of the system are
-- nil, message, errno, as in io.open.
--
-- Invariant of a source: `left` (a stream: `held`) counts the bytes that were not taken yet, and reading continues at
-- the first of them; peek changes neither. A stream that would read more than `most` bytes fails.

local internal = require("lunarray.core").internal

local file = {}

-- A source has read(count), rest(), peek(count), count(most), seekable() and close(). This one is of a file with a
-- size, or of a text; `left` counts the bytes not yet read, of `size` in all.
local Source = {}
Source.__index = Source

-- The next `count` bytes, fewer at the end of the file; nil, message, errno if reading fails.
function Source:read(count)
    count = math.min(count, self.left)
    if count == 0 then
        return ""
    end
    local text
    if self.text then
        local first = #self.text - self.left + 1
        text = self.text:sub(first, first + count - 1)
    else
        local message, code
        text, message, code = self.handle:read(count)
        if not text and message then
            return nil, message, code
        end
        text = text or ""
    end
    self.left = self.left - count
    return text
end

-- The rest of the bytes.
function Source:rest()
    return self:read(self.left)
end

-- The next `count` bytes, without taking them.
function Source:peek(count)
    local left = self.left
    local text, message, code = self:read(count)
    if text and self.handle then
        self.handle:seek("cur", -#text)
    end
    self.left = left
    return text, message, code
end

-- How many bytes are left.
function Source:count()
    return self.left
end

-- Goes to the byte at `offset` from the start, at most the size: true, or nil, message, errno.
function Source:seek(offset)
    if self.handle then
        local at, message, code = self.handle:seek("set", offset)
        if not at then
            return nil, message, code
        end
    end
    self.left = self.size - offset
    return true
end

-- A source of the same bytes that can seek; or nil, message, errno.
function Source:seekable()
    return self
end

function Source:close()
    if self.handle then
        self.handle:close()
        self.handle = nil
        internal.file_event(false, "load", self.path)
    end
end

Source.__close = Source.close

-- A source of the bytes of `text`.
function file.source(text)
    return setmetatable({ text = text, left = #text, size = #text }, Source)
end

-- A source without a size, such as a pipe or a device: `pieces` are read and not yet taken, `held` bytes;
-- at most `most` are read in all.
local Stream = {}
Stream.__index = Stream
Stream.close = Source.close
Stream.__close = Source.close

local PIECE = 1 << 16
local UNBOUNDED = 1 << 30 -- bytes of a script's file at most
local ENOENT = 2 -- the system's number

-- Reads on until `count` bytes are held or the stream ends: true, or nil, message, code.
local function hold(stream, count)
    while stream.held < count and not stream.ended do
        local text, message, code
        if stream.given then
            text, message, code = stream.given:read(PIECE)
            text = text or not message and "" or nil
        else
            text, message, code = internal.receive(stream.handle, PIECE)
        end
        if text == nil then
            return nil, message, code
        elseif text == "" then
            stream.ended = true
        elseif text then -- else there is none yet, and the script may be stopped here
            stream.pieces[#stream.pieces + 1] = text
            stream.held, stream.total = stream.held + #text, stream.total + #text
            if stream.total > stream.most then
                stream.pieces = {}
                return nil, ("no end of file within %d bytes, the limit for sources without a size; "
                    .. "write it to a file first, or give the shape"):format(stream.most), "unsupported"
            end
        end
    end
    return true
end

-- Takes `count` of the held bytes, or all.
local function take(stream, count)
    local text = table.concat(stream.pieces)
    stream.pieces = { text:sub(count + 1) }
    stream.held = math.max(#text - count, 0)
    return text:sub(1, count)
end

function Stream:read(count)
    local ok, message, code = hold(self, count)
    if not ok then
        return nil, message, code
    end
    return take(self, count)
end

function Stream:rest()
    return self:read(math.maxinteger)
end

function Stream:peek(count)
    local ok, message, code = hold(self, count)
    if not ok then
        return nil, message, code
    end
    self.pieces = { table.concat(self.pieces) }
    return self.pieces[1]:sub(1, count)
end

function Stream:seekable()
    local text, message, code = self:rest()
    if not text then
        return nil, message, code
    end
    return file.source(text)
end

-- At most `count` bytes more, which the limit of what is read in all does not count; "" at the end.
function Stream:part(count)
    self.total = self.held
    return self:read(count)
end

-- How many bytes are left; if they are more than `most`, some number above that, and true.
function Stream:count(most)
    local ok, message, code = hold(self, most and most + 1 or math.maxinteger)
    if not ok then
        return nil, message, code
    end
    return self.held, not self.ended
end

-- Opens `path` for reading, or nil, message, errno.
function file.open(path)
    local handle, size, most = internal.source(path)
    if not handle then
        return nil, size, most
    end
    internal.file_event(true, "load", path)
    if size then
        return setmetatable({ handle = handle, path = path, left = size, size = size }, Source)
    end
    return setmetatable({ handle = handle, path = path, pieces = {}, held = 0, total = 0, most = most }, Stream)
end

-- A source of what a script's file still has, such as a pipe; it is not closed with the source.
function file.stream(handle)
    return setmetatable({ given = handle, pieces = {}, held = 0, total = 0, most = UNBOUNDED }, Stream)
end

-- The paths that match a pattern, whose last part has *, ? or [...], in the order of their bytes; nil if it has none of
-- these, or is the path of a file; or false, message, errno.
function file.matching(path)
    local directory, pattern = path:match "^(.*/)([^/]*)$"
    directory, pattern = directory or "", pattern or path
    if not pattern:find "[*?]" and not pattern:find "%[.*%]" then
        return nil
    end
    local one = io.open(path, "rb")
    if one then
        one:close()
        return nil
    end
    local names, message, code = internal.matching(directory == "" and "." or directory, pattern)
    if not names then
        return false, message, code
    elseif #names == 0 then
        return false, path .. ": no such file", ENOENT
    end
    table.sort(names, function(a, b)
        local i = 1
        while i <= #a and a:byte(i) == b:byte(i) do
            i = i + 1
        end
        return (a:byte(i) or -1) < (b:byte(i) or -1)
    end)
    for i, name in ipairs(names) do
        names[i] = directory .. name
    end
    return names
end

-- 16 hexadecimal digits that cannot be guessed; math.random is the script's and is not used.
function file.unguessable()
    local bytes
    local random = io.open("/dev/urandom", "rb")
    if random then
        random:setvbuf("no")
        bytes = random:read(8)
        random:close()
    end
    if bytes and #bytes == 8 then
        return ("%016x"):format((string.unpack("<i8", bytes)))
    end
    return (tostring({}) .. os.time() .. os.clock()):gsub("%W", "")
end

-- Makes a new file of Lua's `bytes` long, and appends a mark by which other processes recognise it: the mark; or nil,
-- message, errno. internal.cut removes it.
function file.mark(handle, bytes)
    local mark = file.unguessable()
    local ok, message, code = handle:seek("set", bytes)
    if ok then
        ok, message, code = handle:write(mark)
    end
    if ok then
        ok, message, code = handle:flush()
    end
    if not ok then
        return nil, message, code
    end
    return mark
end

-- Writes what `next_piece` returns until it returns nil into a file of Lua's: strings, and functions that write to it,
-- of the file and of `name`, which returns its present name, or nil, message, errno. Names and closes it: true; or nil,
-- message, errno. It is also closed if next_piece raises an error.
local function put(handle, next_piece, name)
    local _ <close> = setmetatable({}, {
        __close = function()
            if io.type(handle) == "file" then
                handle:close()
            end
        end,
    })
    for piece in next_piece do
        local ok, message, code
        if type(piece) == "function" then
            ok, message, code = piece(handle, name)
        else
            ok, message, code = handle:write(piece)
        end
        if not ok then
            return nil, message, code
        end
    end
    if name then
        local named, message, code = name()
        if not named then
            return nil, message, code
        end
    end
    return handle:close()
end

-- The same into a new file beside `target` with the rights of the file `like`, if there is one; it then replaces the
-- target. If the system can, it has no name until it is complete. What remains where the process is killed is removed
-- by the next one that replaces this target. An error, also one raised by next_piece, removes it.
local function replace(target, like, next_piece)
    local scratch <close>, handle, code = internal.create(target, file.unguessable(), like)
    if not scratch then
        return nil, handle, code
    end
    local saved, message
    saved, message, code = put(handle, next_piece, function()
        return internal.name(scratch, handle)
    end)
    if saved then
        saved, message, code = internal.settle(scratch)
    end
    return saved, message, code
end

-- Tools see the file until what this returns is closed.
local function saving(path)
    internal.file_event(true, "save", path)
    return setmetatable({}, {
        __close = function()
            internal.file_event(false, "save", path)
        end,
    })
end

-- Writes what `next_piece` returns until it returns nil into `path`: true; or nil, message, errno. A regular file is
-- replaced as a whole, keeping mode, owner and group, also behind symbolic links; others, such as a device or a pipe,
-- are written in place.
function file.write(path, next_piece)
    local _ <close> = saving(path)
    local target, kind, code = internal.target(path)
    local ok, message = nil, kind
    if target and kind == "other" then
        local handle
        if io.type(io.stdout) == "file" then -- which may be the target
            io.stdout:flush()
        end
        handle, message, code = io.open(target, "ab") -- standard output may be a file that others write to
        if handle then
            ok, message, code = put(handle, next_piece)
        end
    elseif target then
        ok, message, code = replace(target, kind == "file" and target or nil, next_piece)
    end
    if not ok then
        return nil, path .. ": " .. message:gsub("^.*: ", ""), code
    end
    return true
end

-- What `next_piece` returns until it returns nil as a string; or nil, message, errno.
function file.bytes(next_piece)
    local handle, buffer, number = internal.memory_file()
    if not handle then
        return nil, buffer, number
    end
    local ok, message, code = put(handle, next_piece)
    if not ok then
        return nil, message, code
    end
    return internal.memory_bytes(buffer)
end

-- Writes what `next_piece` returns until it returns nil behind the end of `path`: true; or nil, message, errno with the
-- file as it was.
function file.append(path, next_piece)
    local _ <close> = saving(path)
    local handle, message, code = io.open(path, "ab")
    if not handle then
        return nil, message, code
    end
    local size, ok = handle:seek("end", 0), nil
    for piece in next_piece do
        ok, message, code = piece(handle)
        if ok then
            ok, message, code = handle:flush()
        end
        if not ok then
            break
        end
    end
    if not ok and size then
        internal.cut(handle, size)
    end
    handle:close()
    if not ok then
        return nil, path .. ": " .. message:gsub("^.*: ", ""), code
    end
    return true
end

return file
