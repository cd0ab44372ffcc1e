-- A canvas of characters for the terminal, eight dots each (braille); each character has the colour of one series.

local canvas = {}

local COLOURS = { 34, 31, 32, 35, 33, 36, 94, 95 }
local GREY = 90

canvas.OTHER = 0 -- the series of all others

-- The terminal's colour of a series.
function canvas.colour(series)
    return series == canvas.OTHER and GREY or COLOURS[(series - 1) % #COLOURS + 1]
end

-- The bit of each dot in a braille character: [row][column].
local DOTS = { [0] = { [0] = 1, 8 }, { [0] = 2, 16 }, { [0] = 4, 32 }, { [0] = 64, 128 } }

local Canvas = {}
Canvas.__index = Canvas

-- A canvas of so many characters.
function canvas.new(columns, rows)
    return setmetatable({ columns = columns, rows = rows, cells = {}, owner = {} }, Canvas)
end

-- Sets the dot x, y: from the left and from the bottom, from 0.
function Canvas:dot(x, y, series)
    if x < 0 or y < 0 or x >= 2 * self.columns or y >= 4 * self.rows then
        return
    end
    y = 4 * self.rows - 1 - y
    local cell = y // 4 * self.columns + x // 2
    self.cells[cell] = (self.cells[cell] or 0) | DOTS[y % 4][x % 2]
    self.owner[cell] = series
end

-- A vertical stroke.
function Canvas:column(x, low, high, series)
    for y = math.max(low, 0), math.min(high, 4 * self.rows - 1) do
        self:dot(x, y, series)
    end
end

-- A straight line between two dots.
function Canvas:line(x1, y1, x2, y2, series)
    local steps = math.max(math.abs(x2 - x1), math.abs(y2 - y1), 1)
    for i = 0, steps do
        self:dot(math.floor(x1 + (x2 - x1) * i / steps + 0.5), math.floor(y1 + (y2 - y1) * i / steps + 0.5), series)
    end
end

-- The text of a row from the top, from 0.
function Canvas:row(row, colours)
    local parts, now = {}, nil
    for column = 0, self.columns - 1 do
        local cell = row * self.columns + column
        local bits = self.cells[cell]
        local colour = colours and bits and canvas.colour(self.owner[cell]) or now
        if colour ~= now then
            parts[#parts + 1] = ("\27[%dm"):format(colour)
            now = colour
        end
        parts[#parts + 1] = bits and utf8.char(0x2800 + bits) or " "
    end
    return (table.concat(parts):gsub(" +$", "")) .. (now and "\27[0m" or "")
end

return canvas
