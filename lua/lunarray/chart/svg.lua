-- A paper on which charts are drawn, saved as SVG. Its methods are those of raster.lua.

local base64 = require "lunarray.chart.base64"
local core = require "lunarray.core"
local number = require "lunarray.base.number"

local svg = {}

local Paper = {}
Paper.__index = Paper

-- A white paper of so many units, which are pixels where it is shown in its own size.
function svg.new(width, height)
    return setmetatable({ width = width, height = height, parts = {} }, Paper)
end

-- A coordinate: to a hundredth.
local function coordinate(x)
    return (number.format("%.2f", x):gsub("%.?0+$", ""))
end

local function colour_text(colour)
    return ("#%06x"):format(colour)
end

local ESCAPES = { ["&"] = "&amp;", ["<"] = "&lt;", [">"] = "&gt;", ['"'] = "&quot;" }

-- A text as XML holds it: without the control characters that it does not.
local function escaped(text)
    text = utf8.len(text) and text or text:gsub("[\128-\255]", "?")
    return (text:gsub("%c", " "):gsub('[&<>"]', ESCAPES))
end

local function add(paper, form, ...)
    paper.parts[#paper.parts + 1] = form:format(...)
end

function Paper:line(x1, y1, x2, y2, colour, width)
    self:lines({ x1, y1, x2, y2 }, colour, width)
end

function Paper:lines(points, colour, width)
    local texts = {}
    for i = 1, #points, 2 do
        texts[#texts + 1] = coordinate(points[i]) .. "," .. coordinate(points[i + 1])
    end
    add(self, '<polyline points="%s" fill="none" stroke="%s" stroke-width="%s" stroke-linejoin="round" '
        .. 'stroke-linecap="round"/>', table.concat(texts, " "), colour_text(colour), coordinate(width))
end

function Paper:dot(x, y, radius, colour)
    add(self, '<circle cx="%s" cy="%s" r="%s" fill="%s"/>', coordinate(x), coordinate(y), coordinate(radius),
        colour_text(colour))
end

function Paper:box(x, y, width, height, colour)
    add(self, '<rect x="%s" y="%s" width="%s" height="%s" fill="%s"/>', coordinate(x), coordinate(y), coordinate(width),
        coordinate(height), colour_text(colour))
end

-- A picture in a rectangle: rows of pixels, or holes, as those of raster.lua.
function Paper:image(x, y, width, height, rows)
    local bytes = {}
    for _, row in ipairs(rows) do
        for _, pixel in ipairs(row) do
            bytes[#bytes + 1] = pixel and string.char(pixel[1], pixel[2], pixel[3], 255) or "\0\0\0\0"
        end
    end
    local png = assert(core.internal.png_encode(table.concat(bytes), #rows, #rows[1], 4, 8))
    add(self, '<image x="%s" y="%s" width="%s" height="%s" preserveAspectRatio="none" '
        .. 'style="image-rendering:pixelated" href="data:image/png;base64,%s"/>', coordinate(x), coordinate(y),
        coordinate(width), coordinate(height), base64(png))
end

-- About how wide a text is: fonts differ.
function Paper.breadth(_, text, size)
    return (utf8.len(text) or #text) * size * 0.6
end

function Paper:text(x, y, text, size, colour, align, turned)
    local at = ('x="%s" y="%s"'):format(coordinate(x), coordinate(y))
    local turn = turned and (' transform="rotate(-90 %s %s)"'):format(coordinate(x), coordinate(y)) or ""
    add(self, '<text %s font-size="%s" fill="%s" text-anchor="%s"%s>%s</text>', at, coordinate(size),
        colour_text(colour), align, turn, escaped(text))
end

-- The text of the SVG file.
function Paper:encode()
    local size = ('width="%d" height="%d" viewBox="0 0 %d %d"'):format(self.width, self.height, self.width, self.height)
    return ('<svg xmlns="http://www.w3.org/2000/svg" %s font-family="Helvetica, Arial, sans-serif">\n'):format(size)
        .. ('<rect width="%d" height="%d" fill="#ffffff"/>\n'):format(self.width, self.height)
        .. table.concat(self.parts, "\n") .. "\n</svg>\n"
end

return svg
