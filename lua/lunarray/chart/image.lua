-- lun.image: a two-dimensional array as a picture in the terminal, two pixels a character, or as a heat map in a file;
-- three channels are red, green and blue. Rows are selected and averaged by the engine; Lua sees only the pixels shown.

local chart = require "lunarray.chart.chart"
local core = require "lunarray.core"
local dtypes = require "lunarray.base.dtypes"
local letters = require "lunarray.chart.letters"
local maps = require "lunarray.chart.colours"
local picture = require "lunarray.chart.picture"
local plane = require "lunarray.chart.plane"

local image = {}

local OPTIONS = "bar colours high low"
local RAMP = { " ", ".", ":", "-", "=", "+", "*", "#", "%", "@" }
local SCALE = 24 -- characters of the scale of colours
local STEPS = 128 -- of the scale of colours in files
local LONGEST = 8 -- a heat map is at most so many times as wide as high, or as high as wide
local WIDTH, TALLEST, LEAST = 800, 900, 160 -- pixels
local ROWS = 4 -- that are averaged at most for one row of pixels

-- ---------------------------------------------------------------- pixels

-- Rows first to last of A, or some of them, averaged; a table of numbers in row-major order.
local function averaged(A, first, last)
    local step = math.max(1, (last - first + 1) // ROWS)
    local sum, count = nil, 0
    for i = first, last, step do
        local row = dtypes.floats(A[i])
        sum = sum and sum + row or row
        count = count + 1
        if count == ROWS then
            break
        end
    end
    local mean = count > 1 and sum / count or sum
    return mean:read(1, mean:size())
end

-- Averages of the columns that make one pixel each, for one channel.
local function shrunk(row, width, columns, channels, channel)
    local pixels = {}
    for p = 1, columns do
        local first = width * (p - 1) // columns + 1
        local last = math.max(width * p // columns, first)
        local sum, count = 0.0, 0
        for x = first, last do
            local v = row[(x - 1) * channels + channel]
            if v == v and v ~= math.huge and v ~= -math.huge then
                sum, count = sum + v, count + 1
            end
        end
        pixels[p] = count > 0 and sum / count or 0 / 0
    end
    return pixels
end

-- Columns and rows of pixels for a picture of this size in this room, nothing made larger but on request.
local function fit(height, width, opts)
    local columns, rows = picture.room(opts)
    rows = opts.height and 2 * opts.height or 2 * math.max(4, rows - 3)
    local scale = math.min(columns / width, rows / height)
    if not opts.width and not opts.height then
        scale = math.min(scale, 1)
    end
    return math.max(1, math.floor(width * scale + 0.5)), math.max(1, math.floor(height * scale + 0.5))
end

-- ---------------------------------------------------------------- colours

-- The number of the nearest of 256 colours: the cube, or the ramp of grays.
local function nearest256(r, g, b)
    if math.max(r, g, b) - math.min(r, g, b) < 8 then
        local gray = (r + g + b) / 3
        if gray < 4 or gray > 246 then
            return gray < 4 and 16 or 231
        end
        return 232 + math.max(0, math.min(23, math.floor((gray - 8) / 10 + 0.5)))
    end
    local function level(v)
        return v < 48 and 0 or v < 115 and 1 or math.min(5, math.floor((v - 35) / 40))
    end
    return 16 + 36 * level(r) + 6 * level(g) + level(b)
end

local function code(which, pixel, colours)
    if colours == "true" then
        return ("%d;2;%d;%d;%d"):format(which, pixel[1], pixel[2], pixel[3])
    end
    return ("%d;5;%d"):format(which, nearest256(pixel[1], pixel[2], pixel[3]))
end

-- A line of half blocks: the upper pixel is the letter's colour, the lower one its ground. A pixel without
-- a value stays as the terminal is.
local function coloured_line(upper, lower, colours)
    local parts, now = {}, ""
    for x = 1, #upper do
        local top, bottom = upper[x], lower and lower[x]
        local style, text = "0", " "
        if top and bottom then
            style, text = code(38, top, colours) .. ";" .. code(48, bottom, colours), "▀"
        elseif top or bottom then
            style, text = "0;" .. code(38, top or bottom, colours), top and "▀" or "▄"
        end
        if style ~= now then
            parts[#parts + 1] = "\27[" .. style .. "m"
            now = style
        end
        parts[#parts + 1] = text
    end
    parts[#parts + 1] = "\27[0m"
    return table.concat(parts)
end

-- The same in letters that are dark to bright; "?" for no value.
local function plain_line(upper, lower)
    local parts = {}
    for x = 1, #upper do
        local sum, count = 0, 0
        for _, line in ipairs { upper, lower } do
            local pixel = line[x]
            if pixel then
                sum, count = sum + 0.299 * pixel[1] + 0.587 * pixel[2] + 0.114 * pixel[3], count + 1
            end
        end
        local level = count > 0 and math.floor(sum / count / 256 * #RAMP) + 1
        parts[x] = level and RAMP[math.max(1, math.min(#RAMP, level))] or "?"
    end
    return (table.concat(parts):gsub(" +$", ""))
end

-- ---------------------------------------------------------------- the whole

-- The values of black and white: the range of an integer type of up to 16 bits, else that of the elements; for colours
-- with a middle as far from 0 in both directions, if they are on both sides of it.
local function levels(A, opts, black, white)
    local low, high = 0, 1
    local dtype = A:dtype()
    local most = dtypes.most_of_image(dtype)
    if most then
        high = most
    elseif dtypes.by_name[dtype].kind ~= "bool" then
        low, high = picture.limits(A:reshape(A:size()))
    end
    if opts.colours == "blue-red" and not black and not white and (low or 0) < 0 and high > 0 then
        low, high = math.min(low, -high), math.max(high, -low)
    end
    low, high = black or low or 0, white or high or 1
    return low, high > low and high or low + 1
end

-- One line of pixels as triples from 0 to 255; false where there is no value. paint: from 0 to 1 to a colour; nil:
-- grey.
local function pixel_row(A, y, size, range, paint)
    local first = size.height * (y - 1) // size.rows + 1
    local last = math.max(size.height * y // size.rows, first)
    local row = averaged(A, first, last)
    local channels = {}
    for c = 1, size.channels do
        channels[c] = shrunk(row, size.width, size.columns, size.channels, c)
    end
    local low, half = range[1] / 2, range[2] / 2 - range[1] / 2 -- of huge values the difference is infinite
    local function part(v)
        return math.max(0, math.min(1, (v / 2 - low) / half))
    end
    local pixels = {}
    for x = 1, size.columns do
        local v = channels[1][x]
        if v ~= v then
            pixels[x] = false
        elseif size.channels < 3 and paint then
            pixels[x] = { paint(part(v)) }
        else
            local pixel = {}
            for c = 1, 3 do
                local w = size.channels >= 3 and channels[c][x] or v
                pixel[c] = w == w and math.floor(part(w) * 255 + 0.5)
            end
            pixels[x] = pixel[1] and pixel[2] and pixel[3] and pixel
        end
    end
    return pixels
end

-- The scale of colours as a line: dark to bright between its ends.
local function scale_line(range, colours, paint)
    local low, high = picture.label(range[1]), picture.label(range[2])
    local pixels = {}
    for x = 1, SCALE do
        local part = (x - 1) / (SCALE - 1)
        local grey = math.floor(part * 255 + 0.5)
        pixels[x] = paint and { paint(part) } or { grey, grey, grey }
    end
    local line = colours and coloured_line(pixels, pixels, colours) or plain_line(pixels, pixels)
    if not colours then
        line = line .. (" "):rep(SCALE - #line)
    end
    return ("%s %s %s"):format(low, line, high)
end

-- The picture as lines of half blocks, or of letters.
local function lines_of(A, size, range, opts)
    local colours = picture.colours(opts)
    colours = (colours == "true" or colours == "256") and colours or nil
    local paint = colours and opts.colours and maps.of(opts.colours)
    size.columns, size.rows = fit(size.height, size.width, opts)
    local lines = letters.head(picture.text(opts.title), picture.text(opts.ylabel), 0)
    for y = 1, size.rows, 2 do
        local upper = pixel_row(A, y, size, range, paint)
        local lower = y < size.rows and pixel_row(A, y + 1, size, range, paint) or nil
        lines[#lines + 1] = colours and coloured_line(upper, lower, colours) or plain_line(upper, lower)
    end
    if opts.xlabel ~= nil then
        local text = picture.text(opts.xlabel)
        lines[#lines + 1] = (" "):rep((size.columns - picture.breadth(text)) // 2) .. text
    end
    lines[#lines + 1] = opts.bar and scale_line(range, colours, paint) or nil
    return lines
end

-- Draws the picture as a heat map, a cell for each element, on a paper.
local function draw(paper, A, size, range, opts)
    local paint = maps.of(opts.colours or "viridis")
    local of = { range[1], range[2] }
    local square = not (opts.width and opts.height) and size.width / size.height
    local area = plane.begin(paper, {
        x = { 0.5, size.width + 0.5, kind = "whole", label = picture.text(opts.xlabel) }, down = true, bare = true,
        y = { 0.5, size.height + 0.5, kind = "whole", label = picture.text(opts.ylabel) },
        title = picture.text(opts.title), beside = opts.bar and plane.beside(paper, of) or 0,
        ratio = square and math.max(1 / LONGEST, math.min(LONGEST, square)),
    })
    local wide, high = area.right - area.left, area.bottom - area.top
    size.columns, size.rows = math.min(size.width, math.ceil(wide)), math.min(size.height, math.ceil(high))
    local rows = {}
    for y = 1, size.rows do
        rows[y] = pixel_row(A, y, size, range, paint)
    end
    paper:image(area.left, area.top, wide, high, rows)
    if opts.bar then
        local steps = {}
        for i = 1, STEPS do
            steps[i] = { { paint((STEPS - i) / (STEPS - 1)) } }
        end
        plane.scale(paper, area, of, steps)
    end
    plane.finish(paper, area)
end

-- The height and width of a heat map in a file, if its cells are squares.
local function size_of(size, opts)
    local beside, around = 70 + (opts.bar and 80 or 0), 50 + (opts.title and 30 or 0) + (opts.xlabel and 20 or 0)
    local ratio = math.max(1 / LONGEST, math.min(LONGEST, size.width / size.height))
    local high = math.floor(((opts.width or WIDTH) - beside) / ratio) + around
    local most = opts.height or TALLEST
    if high <= most then
        return math.max(LEAST, high), WIDTH
    end
    return most, math.max(2 * LEAST, math.floor((most - around) * ratio) + beside)
end

-- lun.image(A [, high] [, opts]): A is [height][width], or [height][width][channels] of 1 (gray), 2 (gray,
-- alpha), 3 or 4 (red, green, blue, alpha); high: the value of white, as lun.load returns it with an image. With
-- opts.file true, or nil, message, errno.
function image.image(A, high, opts)
    local opts_at = 3
    if type(high) ~= "number" and opts == nil then
        high, opts, opts_at = nil, high, 2
    end
    opts = chart.options(opts, OPTIONS, opts_at, "image")
    if not core.isarray(A) then
        picture.misuse(1, "image", "array expected, got %s", core.internal.kind_of(A))
    end
    local shape = { A:shape() }
    if #shape ~= 2 and not (#shape == 3 and shape[3] >= 1 and shape[3] <= 4) then
        picture.misuse(1, "image", "an array [height][width] or [height][width][3] expected, got %s[%s]", A:dtype(),
            table.concat(shape, ", "))
    elseif A:size() == 0 then
        picture.misuse(1, "image", "the array has no elements")
    elseif (shape[3] or 1) > 2 and (opts.colours or opts.bar) then
        picture.misuse(opts_at, "image", "options 'colours' and 'bar' are those of numbers, and these are colours")
    end
    local size = { height = shape[1], width = shape[2], channels = shape[3] or 1 }
    local range = { levels(A, opts, opts.low, opts.high or high) }
    return chart.give(opts, "image", function(paper)
        draw(paper, A, size, range, opts)
    end, function()
        return lines_of(A, size, range, opts)
    end, size_of(size, opts))
end

return image
