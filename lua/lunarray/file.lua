-- Whole files: a source to read from, and a save that leaves the old file whole if it fails.
-- Knows nothing of formats or arrays. What the system refuses is nil, message, errno, as in
-- io.open.

local file = {}

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

-- All that is left.
function Source:rest()
    return self:read(self.left)
end

function Source:close()
    if self.handle then
        self.handle:close()
        self.handle = nil
    end
end

Source.__close = Source.close

-- A source of the bytes of `text`; `left` counts those not yet read.
function file.source(text)
    return setmetatable({ text = text, left = #text }, Source)
end

-- Opens `path` for reading, or nil, message, errno. A pipe, which has no size, is read at once.
function file.open(path)
    local handle, message, code = io.open(path, "rb")
    if not handle then
        return nil, message, code
    end
    local _
    _, message, code = handle:read(0) -- a directory opens, but does not read
    if message then
        handle:close()
        return nil, path .. ": " .. message, code
    end
    local size = handle:seek("end")
    if size and size > 0 and handle:seek("set") then
        return setmetatable({ handle = handle, left = size }, Source)
    end
    local text
    text, message, code = handle:read("a")
    handle:close()
    if not text then
        return nil, path .. ": " .. message, code
    end
    return file.source(text)
end

-- 16 hexadecimal digits that cannot be guessed; math.random is the script's own and stays untouched.
local function unguessable()
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

-- Writes what `next_piece` returns until it returns nil into `path`, strings and functions that write to the
-- handle they are given: true, or
-- nil, message, errno. They go to a temporary file in the same directory, which then takes the
-- name (and the place of a symbolic link); an error, also one raised by next_piece, removes it.
function file.write(path, next_piece)
    local temporary = (path:match("^.*/") or "") .. ".lunarray-" .. unguessable()
    local handle, message, code = io.open(temporary, "wb")
    if not handle then
        return nil, path .. ": " .. message:gsub("^.*: ", ""), code
    end
    local saved = false
    local _ <close> = setmetatable({}, {
        __close = function()
            if not saved then
                if io.type(handle) == "file" then
                    handle:close()
                end
                os.remove(temporary)
            end
        end,
    })
    local ok
    for piece in next_piece do
        if type(piece) == "function" then
            ok, message, code = piece(handle)
        else
            ok, message, code = handle:write(piece)
        end
        if not ok then
            return nil, path .. ": " .. message, code
        end
    end
    ok, message, code = handle:close()
    if ok then
        ok, message, code = os.rename(temporary, path)
    end
    if not ok then
        return nil, path .. ": " .. message:gsub("^.*: ", ""), code
    end
    saved = true
    return true
end

return file
