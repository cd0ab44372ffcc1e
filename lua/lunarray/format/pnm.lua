-- Netpbm images: PGM and PPM, binary (P5, P6) and, to read only, plain (P2, P3).
-- Gray is a View of {height, width}, colour one of {height, width, 3}; u8 where the largest sample
-- the file allows is below 256, else u16. Samples are not scaled.

local dtypes = require "lunarray.base.dtypes"
local raw = require "lunarray.format.raw"

local pnm = { load_options = {}, save_options = { maxval = true } }

local channels_of = { P2 = 1, P3 = 3, P5 = 1, P6 = 3 }
local refused = {
    P1 = "PBM bitmaps", P4 = "PBM bitmaps", P7 = "PAM images", PF = "PFM images", Pf = "PFM images",
}

-- ---------------------------------------------------------------- reading

-- The position of the next token at or after `pos`, past blanks and comments.
local function skip(text, pos)
    repeat
        local start = pos
        pos = text:match("^[ \t\r\n\v\f]*()", pos)
        pos = text:match("^#[^\r\n]*()", pos) or pos
    until pos == start
    return pos
end

-- A header's number, called `name` in messages, and the position after it; or nil, message, code.
local function header_number(text, pos, name, limit)
    local start = skip(text, pos)
    local digits, stop = text:match("^(%d+)()", start)
    if not digits then
        return nil, "bad header: no " .. name, start > #text and "short" or "format"
    end
    local x = #digits <= 18 and math.tointeger(tonumber(digits))
    if not x or x < 1 or x > limit then
        local message = "bad header: the %s is %s, not from 1 to %d"
        return nil, message:format(name, digits:sub(1, 40), limit), "format"
    end
    return x, stop
end

-- Nil if no sample of these little-endian bytes is above maxval, else what is wrong.
local function sample_fault(bytes, size, maxval)
    if maxval == 256 ^ size - 1 then
        return nil
    end
    for first = 1, #bytes, 256 do
        local block = bytes:sub(first, first + 255)
        local largest
        if size == 1 then
            largest = math.max(block:byte(1, -1))
        else
            largest = math.max(string.unpack("<" .. ("I2"):rep(#block // 2), block))
        end
        if largest > maxval then
            return ("a sample is %d, but the largest value allowed is %d"):format(largest, maxval)
        end
    end
end

-- The bytes of `count` binary samples from `pos` on, little-endian; or nil, message, code.
local function binary_samples(text, pos, count, size)
    local there = #text - pos + 1
    if there ~= count * size then
        local short = there < count * size
        local message = "the file is too %s: the image needs %d bytes, but there are %d"
        message = message:format(short and "short" or "long", count * size, math.max(there, 0))
        return nil, message, short and "short" or "long"
    end
    local bytes = text:sub(pos)
    return size == 1 and bytes or (bytes:gsub("(.)(.)", "%2%1"))
end

-- The same of samples written as decimal digits.
local function plain_samples(text, pos, count, size)
    local form = size == 1 and "<I1" or "<I2"
    local limit = 256 ^ size - 1
    local samples = {}
    local body = text:sub(pos):gsub("#[^\r\n]*", "")
    for token in body:gmatch("[^ \t\r\n\v\f]+") do
        local x = token:find("^%d+$") and #token <= 9 and tonumber(token)
        if not x or x > limit then
            return nil, ("%q is not a sample"):format(token:sub(1, 40)), "format"
        elseif #samples == count then
            return nil, ("the file is too long: the image has %d samples"):format(count), "long"
        end
        samples[#samples + 1] = form:pack(x)
    end
    if #samples < count then
        local message = "the file is too short: the image has %d samples, but there are %d"
        return nil, message:format(count, #samples), "short"
    end
    return table.concat(samples)
end

-- Width, height, the largest sample and the position after them; or nil, message, code.
local function parse_header(text)
    local pos = 3
    local numbers = {}
    for i, name in ipairs { "width", "height", "largest value" } do
        local x, after, code = header_number(text, pos, name, i == 3 and 65535 or 1 << 30)
        if not x then
            return nil, after, code
        end
        numbers[i], pos = x, after
    end
    return numbers[1], numbers[2], numbers[3], pos
end

-- The array of the image and its largest possible sample, or nil, message, code.
function pnm.decode(source)
    local magic, message, code = source:peek(2)
    if not magic then
        return nil, message, code
    end
    local channels = channels_of[magic]
    if not channels then
        if refused[magic] then
            return nil, refused[magic] .. " are not supported; convert to PGM or PPM", "unsupported"
        end
        return nil, "not a PGM or PPM image: it does not start with P2, P3, P5 or P6", "format"
    end
    local text
    text, message, code = source:rest()
    if not text then
        return nil, message, code
    elseif not text:find("^[ \t\r\n\v\f#]", 3) then
        return nil, "bad header: no blank after " .. magic, #text == 2 and "short" or "format"
    end
    local width, height, maxval, pos = parse_header(text)
    if not width then
        return nil, height, maxval
    elseif not text:find("^[ \t\r\n\v\f]", pos) then
        local why = pos > #text and "short" or "format"
        return nil, "bad header: no blank after the largest value", why
    end
    local size = maxval < 256 and 1 or 2
    local read = (magic == "P5" or magic == "P6") and binary_samples or plain_samples
    local bytes
    bytes, message, code = read(text, pos + 1, width * height * channels, size)
    if not bytes then
        return nil, message, code
    end
    local fault = sample_fault(bytes, size, maxval)
    if fault then
        return nil, fault, "format"
    end
    local shape = channels == 1 and { height, width } or { height, width, 3 }
    local a
    a, message, code = dtypes.array(bytes, size == 1 and "u8" or "u16", shape)
    if not a then
        return nil, message, code
    end
    return a, maxval
end

-- ---------------------------------------------------------------- writing

local shapes = {
    pgm = "{height, width}",
    ppm = "{height, width, 3}",
    pnm = "{height, width} or {height, width, 3}",
}

-- An iterator over the bytes of the binary image of `a`; opts.maxval: the largest sample, by
-- default that of the dtype. Nil and what is wrong if `a` is no image.
function pnm.encode(a, opts, extension)
    local shape, dtype = { a:shape() }, a:dtype()
    local what = dtypes.describe(dtype, shape)
    local gray, colour = #shape == 2, #shape == 3 and shape[3] == 3
    if not (gray and extension ~= "ppm" or colour and extension ~= "pgm") then
        local message = "a .%s image must have the shape %s, but this is %s"
        return nil, message:format(extension, shapes[extension], what)
    elseif not dtypes.most_of_image(dtype) then
        return nil, ("an image must be u8 or u16, but this is %s; scale it and :cast 'u8'"):format(what)
    elseif shape[1] == 0 or shape[2] == 0 then
        return nil, ("an image must be at least 1 by 1, but this is %s"):format(what)
    end
    local size, highest = dtypes.by_name[dtype].bytes, dtypes.most_of_image(dtype)
    local lowest = size == 1 and 1 or 256
    local maxval = opts.maxval or highest
    if math.type(maxval) ~= "integer" or maxval < lowest or maxval > highest then
        local message = "the maxval of a %s image must be an integer from %d to %d"
        return nil, message:format(dtype, lowest, highest)
    end
    local bytes = a:tobytes()
    local fault = sample_fault(bytes, size, maxval)
    if fault then
        return nil, fault
    end
    return raw.pieces {
        ("%s\n%d %d\n%d\n"):format(colour and "P6" or "P5", shape[2], shape[1], maxval),
        size == 1 and bytes or (bytes:gsub("(.)(.)", "%2%1")),
    }
end

return pnm
