-- Sources of the formats on the bytes of an array on an open file (internal.open). From some, ranks among the locations
-- read elements themselves, each its shard: they have elements() and crc().

local core = require "lunarray.core"

local internal = core.internal

local infile = { MAX_RANK = 8 }

local EIO = 5 -- the system's number

-- f(...); or nil, message, code if a file with elements cannot be read.
function infile.reading(f, ...)
    local results = table.pack(pcall(f, ...))
    local problem = results[2]
    if results[1] then
        return table.unpack(results, 2, results.n)
    elseif type(problem) == "table" and rawget(problem, "code") == "EIO" then
        return nil, problem.message, EIO
    end
    error(problem, 0)
end

-- A source of `size` bytes of `array` from byte `start` on, of which `left` are not read yet.
local Bytes = {}
Bytes.__index = Bytes

-- Where in the array the next byte is, from 0.
function Bytes:at()
    return self.start + self.size - self.left
end

function Bytes:read(count)
    count = math.min(count, self.left)
    local text, message, code = infile.reading(internal.bytes, self.array, self:at() + 1, count)
    self.left = self.left - (text and count or 0)
    return text, message, code
end

function Bytes:rest()
    return self:read(self.left)
end

function Bytes:count()
    return self.left
end

function Bytes:seek(offset)
    self.left = self.size - offset
    return true
end

function Bytes:seekable()
    return self
end

-- `count` bytes from `offset` of the source on, as a source.
function Bytes:part(offset, count)
    return setmetatable({ array = self.array, start = self.start + offset, size = count, left = count },
        getmetatable(self))
end

-- A source of the bytes of `array` from `start` on.
function infile.source(array, start)
    local size = #array - start
    return setmetatable({ array = array, start = start, size = size, left = size }, Bytes)
end

-- ---------------------------------------------------------------- what ranks read

local Served = setmetatable({}, Bytes)
Served.__index = Served

-- The next elements, `offset` (0) bytes from here, each `step` bytes behind the one before (nil: dense), which ranks
-- load at once. Nil if they are no array: bytes above 1 are no booleans.
function Served:elements(dtype, shape, swap, offset, step)
    if #shape > infile.MAX_RANK then
        return nil
    end
    local at, truth = self:at() + (offset or 0), dtype == "bool"
    local a = internal.loaded(self.array, at, truth and "u8" or dtype, shape, swap, step)
    if truth and a:size() > 0 then
        return a:max() <= 1 and a:ne(0):eval() or nil
    end
    return truth and a:cast(dtype):eval() or a
end

-- The CRC-32 of bytes from `offset` on.
function Served:crc(offset, count)
    return internal.crc_of(self.array, self.start + offset, count)
end

-- The same as infile.source, for formats whose elements ranks read.
function infile.served(array)
    return setmetatable(infile.source(array, 0), Served)
end

return infile
