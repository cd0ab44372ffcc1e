-- PNG images: gray, gray with alpha, RGB and RGBA in 8 or 16 bits. Gray is a View of {height, width}, the
-- others {height, width, channels}; u8 or u16, samples not scaled (but those of fewer than 8 bits, which become 8).
-- libpng does the work (interp/bind/file/png.c).

local core = require "lunarray.core"
local dtypes = require "lunarray.base.dtypes"
local raw = require "lunarray.format.raw"

local SIGNATURE = "\137PNG\r\n\26\n"

local png = { load_options = {}, save_options = {} }

-- The array of the image and its largest possible sample, or nil, message, code.
function png.decode(source)
    local text, message, code = source:peek(8)
    if text == SIGNATURE then
        text, message, code = source:rest()
    end
    if not text then
        return nil, message, code
    end
    local bytes, height, width, channels, bits = core.internal.png_decode(text)
    if not bytes then
        return nil, height, width
    end
    local a
    a, message, code = dtypes.array(bytes, bits == 8 and "u8" or "u16",
        channels == 1 and { height, width } or { height, width, channels })
    if not a then
        return nil, message, code
    end
    return a, bits == 8 and 255 or 65535
end

-- An iterator over the bytes of the image of `a`. Nil and what is wrong if `a` is no image.
function png.encode(a)
    local shape, dtype = { a:shape() }, a:dtype()
    local what = dtypes.describe(dtype, shape)
    if #shape ~= 2 and not (#shape == 3 and shape[3] >= 2 and shape[3] <= 4) then
        local message = "a .png image must have the shape {height, width} or {height, width, 2 to 4}, but this is %s"
        return nil, message:format(what)
    elseif not dtypes.most_of_image(dtype) then
        return nil, ("an image must be u8 or u16, but this is %s; scale it and :cast 'u8'"):format(what)
    elseif shape[1] == 0 or shape[2] == 0 then
        return nil, ("an image must be at least 1 by 1, but this is %s"):format(what)
    end
    local text, message = core.internal.png_encode(a:tobytes(), shape[1], shape[2], shape[3] or 1,
        8 * dtypes.by_name[dtype].bytes)
    if not text then
        return nil, message
    end
    return raw.pieces { text }
end

return png
