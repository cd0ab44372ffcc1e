-- CSV text that comes once, from a pipe, a device or a file of Lua's, in parts that csvrows.lua reads as files one
-- after the other: each of a few MB that end with a row, behind a line in the place of the header.
--
-- Invariant: `text` is part `number`, before which `lines` lines came; `rest` was read and is of later parts. A part
-- stays until the next one is asked for; then it cannot be had again.

local core = require "lunarray.core"
local file = require "lunarray.format.file"

local M, internal = {}, core.internal

local PART <const> = 1 << 22 -- bytes, about
local EIO <const> = 5 -- the system's number

local Pipe = {}
Pipe.__index = Pipe

-- How many lines a text ends.
local function lines_in(text)
    if text == "" then
        return 0
    end
    local bytes = core.frombytes(text, "u8")
    local count = bytes:eq(10):count()
    return count > 0 and count or bytes:eq(13):count()
end

-- Where the last line ends that is not blank; 0: nowhere. Blank lines belong to what follows: at the end of all they
-- are none.
local function last_end(text)
    local last = text:match "^.*()[^ \t\r\n]"
    if not last then
        return 0
    end
    local at = text:find("\n", last + 1, true)
    if at then
        return at
    end
    local before = text:sub(1, last):match "^.*()\n"
    if before then
        return last_end(text:sub(1, before))
    end
    return not text:find("\n", 1, true) and text:match "^.*()\r[^\r\n]" or 0
end

-- Whether a text that ends with a line ends with a row: whether check(text) does not say that a quote is open.
local function is_whole(self, text, check)
    local quote = self.quote
    return not quote or not text:find(quote, 1, true) or check(text)
end

-- The text of the next part, "" where there is none; or nil, message, code. check: whether no quote is open.
local function next_part(self, check)
    local wanted, text = PART, self.rest
    self.rest = ""
    while true do
        local more, message, code = self.source:part(wanted)
        if not more then
            return nil, message, code
        elseif more == "" then
            return text
        end
        text = text .. more
        local at = last_end(text)
        if at > 0 and is_whole(self, text:sub(1, at), check) then
            self.rest = text:sub(at + 1)
            return text:sub(1, at)
        end
        wanted = math.max(wanted, #text)
    end
end

-- Goes to part k, the one in turn or the next: true, false where there is none; or nil, message, code.
function Pipe:go(k, check)
    if k == self.number then
        return true
    elseif k < self.number then
        return nil, "it is read once, and its first rows are gone; lun.load keeps all rows, lun.eval(t) those of a "
            .. "chain", EIO
    end
    local text, message, code = next_part(self, check)
    if not text then
        return nil, message, code
    elseif text == "" and k > 1 then
        return false
    end
    self.lines = self.lines + lines_in(self.text)
    self.text, self.number = text, k
    return true
end

-- The text of the part in turn as that of a file: behind a header of so many columns where it is not the first; and the
-- lines before it, less those.
function Pipe:file(width, separator)
    if self.number == 1 then
        return file.source(self.text), 0
    end
    local names = {}
    for i = 1, width do
        names[i] = "c" .. i
    end
    local newline = not self.text:find("\n", 1, true) and self.text:find("\r", 1, true) and "\r" or "\n"
    return file.source(table.concat(names, separator) .. newline .. self.text), self.lines - 1
end

-- The bytes that the gzip data of a source unpacks to: peek(count) and part(count) of it, `count` being about how many
-- are read of the source.
function M.unpacked(source)
    local state, ahead = internal.unpacking(), nil
    local unpacked = {}
    function unpacked.part(_, count)
        local text = ahead
        ahead = nil
        while not text do
            local bytes, message, code = source:part(math.max(count // 4, PART // 64))
            if not bytes then
                return nil, message, code
            end
            text, message, code = internal.unpack(state, bytes)
            if not text then
                return nil, message, code
            end
            text = (text ~= "" or bytes == "") and text or nil
        end
        return text
    end
    function unpacked:peek(count)
        local text, message, code = self:part(PART)
        ahead = text
        return text and text:sub(1, count), message, code
    end
    return unpacked
end

-- What comes from a source without a size. quote: the byte that fields are in, or false.
function M.new(source, quote)
    return setmetatable({ source = source, quote = quote, number = 0, lines = 0, text = "", rest = "" }, Pipe)
end

return M
