-- A paper of pixels on which charts are drawn, with smooth edges, saved as PNG. Its methods are those of svg.lua. Knows
-- no chart.

local core = require "lunarray.core"
local glyphs = require "lunarray.chart.glyphs"

local raster = {}

local Paper = {}
Paper.__index = Paper

local WHITE = 0xFFFFFF
local HOLE = -1 -- a pixel that is transparent

-- A white paper of so many pixels.
function raster.new(width, height)
    local pixels = {}
    for i = 1, width * height do
        pixels[i] = WHITE
    end
    return setmetatable({ width = width, height = height, pixels = pixels }, Paper)
end

-- ---------------------------------------------------------------- pixels

-- Lays `part` (0 to 1) of a colour over a pixel, counted from 0.
local function blend(paper, x, y, colour, part)
    if x < 0 or y < 0 or x >= paper.width or y >= paper.height or part <= 0 then
        return
    end
    local i = y * paper.width + x + 1
    local old = paper.pixels[i]
    old = old == HOLE and WHITE or old
    if part >= 1 then
        paper.pixels[i] = colour
        return
    end
    local function channel(shift)
        local from, to = old >> shift & 255, colour >> shift & 255
        return math.floor(from + (to - from) * part + 0.5) << shift
    end
    paper.pixels[i] = channel(16) | channel(8) | channel(0)
end

-- The distance of a point from a line between two others.
local function distance(x, y, x1, y1, dx, dy, squared)
    local t = squared > 0 and math.max(0, math.min(1, ((x - x1) * dx + (y - y1) * dy) / squared)) or 0
    local a, b = x - x1 - t * dx, y - y1 - t * dy
    return math.sqrt(a * a + b * b)
end

-- A straight line, round at its ends. Pixels have their centres at 0.5.
function Paper:line(x1, y1, x2, y2, colour, width)
    local dx, dy = x2 - x1, y2 - y1
    local squared, steep = dx * dx + dy * dy, math.abs(dy) > math.abs(dx)
    local reach = width / 2 + 1
    local a1, a2, b1, slope = x1, x2, y1, dx ~= 0 and dy / dx or 0
    if steep then
        a1, a2, b1, slope = y1, y2, x1, dx / dy
    end
    local origin, across = a1, reach * 1.5
    a1, a2 = math.min(a1, a2), math.max(a1, a2)
    local last = (steep and self.height or self.width) - 1
    for a = math.max(0, math.floor(a1 - reach)), math.min(last, math.ceil(a2 + reach)) do
        local b0 = b1 + (math.max(a1, math.min(a2, a + 0.5)) - origin) * slope
        for b = math.floor(b0 - across), math.ceil(b0 + across) do
            local x, y = a, b
            if steep then
                x, y = b, a
            end
            blend(self, x, y, colour, reach - 0.5 - distance(x + 0.5, y + 0.5, x1, y1, dx, dy, squared))
        end
    end
end

-- Lines from each of the points x1, y1, x2, y2, ... of a list to the next.
function Paper:lines(points, colour, width)
    for i = 1, #points - 3, 2 do
        self:line(points[i], points[i + 1], points[i + 2], points[i + 3], colour, width)
    end
end

-- A dot of that radius.
function Paper:dot(x, y, radius, colour)
    self:line(x, y, x, y, colour, 2 * radius)
end

-- A filled rectangle.
function Paper:box(x, y, width, height, colour)
    for row = math.floor(y + 0.5), math.floor(y + height + 0.5) - 1 do
        for column = math.floor(x + 0.5), math.floor(x + width + 0.5) - 1 do
            blend(self, column, row, colour, 1)
        end
    end
end

-- A picture in a rectangle: rows of pixels from the top, { red, green, blue } each from 0 to 255, or false for a hole.
function Paper:image(x, y, width, height, rows)
    local first, last = math.max(0, math.floor(x + 0.5)), math.min(self.width, math.floor(x + width + 0.5)) - 1
    for row = math.max(0, math.floor(y + 0.5)), math.min(self.height, math.floor(y + height + 0.5)) - 1 do
        local from = rows[math.max(0, math.min(math.floor((row + 0.5 - y) / height * #rows), #rows - 1)) + 1]
        for column = first, last do
            local at = math.floor((column + 0.5 - x) / width * #from)
            local pixel = from[math.max(0, math.min(at, #from - 1)) + 1]
            self.pixels[row * self.width + column + 1] = pixel and pixel[1] << 16 | pixel[2] << 8 | pixel[3] or HOLE
            self.holes = self.holes or not pixel
        end
    end
end

-- ---------------------------------------------------------------- texts

-- Grid units of a letter to pixels: a text is about as high as that of a browser.
local function unit_of(size)
    return size / 10
end

function Paper.breadth(_, text, size)
    return glyphs.count(text) * glyphs.advance * unit_of(size)
end

-- A text whose base line is at y; align: what is at x, its "start", "middle" or "end". turned: it goes up from there,
-- with its base line at x, and what align says is at y.
function Paper:text(x, y, text, size, colour, align, turned)
    local unit = unit_of(size)
    local breadth = self:breadth(text, size) - unit
    local from, base = turned and -y or x, turned and x or y
    local left = math.floor(align == "middle" and from - breadth / 2 or align == "end" and from - breadth or from) + 0.5
    local top = math.floor(base - (glyphs.height - 1) * unit - unit / 2) + 0.5
    glyphs.draw(text, function(x1, y1, x2, y2)
        x1, y1, x2, y2 = left + x1 * unit, top + y1 * unit, left + x2 * unit, top + y2 * unit
        if turned then
            x1, y1, x2, y2 = y1, -x1, y2, -x2
        end
        self:line(x1, y1, x2, y2, colour, size / 9)
    end)
end

-- ---------------------------------------------------------------- the file

-- The bytes of the PNG file; or nil and what is wrong.
function Paper:encode()
    local rows, form = {}, self.holes and ">I4" or ">I3"
    for y = 0, self.height - 1 do
        local bytes = {}
        for x = 1, self.width do
            local pixel = self.pixels[y * self.width + x]
            if self.holes then
                pixel = pixel == HOLE and 0 or pixel << 8 | 255
            end
            bytes[x] = string.pack(form, pixel)
        end
        rows[y + 1] = table.concat(bytes)
    end
    return core.internal.png_encode(table.concat(rows), self.height, self.width, self.holes and 4 or 3, 8)
end

return raster
