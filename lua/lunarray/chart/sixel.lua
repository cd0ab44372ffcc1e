-- Pixels as sixel: at most 256 colours, six rows a band, runs of equal columns counted.

local COLOURS = 256
local EXACT = 128 -- of them, where there are more: the most frequent ones
local COARSE = 5 -- bits of each channel that are kept of others
local FIRST = 63 -- the character of no dots; bit k is that of row k

-- ---------------------------------------------------------------- colours

-- How often each colour occurs, and how many colours there are. Holes, below 0, are none.
local function counted(pixels)
    local counts, n = {}, 0
    for _, pixel in ipairs(pixels) do
        if pixel >= 0 then
            n = n + (counts[pixel] and 0 or 1)
            counts[pixel] = (counts[pixel] or 0) + 1
        end
    end
    return counts, n
end

local function distance(a, b)
    local r, g, b2 = (a >> 16) - (b >> 16), (a >> 8 & 255) - (b >> 8 & 255), (a & 255) - (b & 255)
    return r * r + g * g + b2 * b2
end

-- The index of the nearest colour of a list.
local function nearest(list, colour)
    local best, found = math.huge, 1
    for i, other in ipairs(list) do
        local d = distance(colour, other)
        if d < best then
            best, found = d, i
        end
    end
    return found
end

-- Colours, the most frequent first.
local function by_count(counts)
    local list = {}
    for colour in pairs(counts) do
        list[#list + 1] = colour
    end
    table.sort(list, function(a, b)
        if counts[a] ~= counts[b] then
            return counts[a] > counts[b]
        end
        return a < b
    end)
    return list
end

-- The colour in the middle of those that have so many leading bits of each channel in common.
local function middle(colour, bits)
    local low = (1 << 8 - bits) - 1
    local lows = low << 16 | low << 8 | low
    return colour & ~lows | (lows + 0x010101 >> 1 & lows)
end

-- The most frequent colours as they are, and the others with so many bits, where that makes few enough; else nil.
local function mixed(list, bits)
    local palette, index = table.move(list, 1, EXACT, 1, {}), {}
    for i, colour in ipairs(palette) do
        index[colour] = i
    end
    local cells = {}
    for i = EXACT + 1, #list do
        local cell = middle(list[i], bits)
        if not cells[cell] then
            palette[#palette + 1] = cell
            cells[cell] = #palette
        end
        index[list[i]] = cells[cell]
    end
    return #palette <= COLOURS and palette or nil, index
end

-- The most frequent of colours that are apart by COARSE bits, and for all colours the nearest of them. list: the
-- colours, the most frequent first.
local function frequent(list, counts)
    local cells, sums, palette, index = {}, {}, {}, {}
    for _, colour in ipairs(list) do
        local cell = middle(colour, COARSE)
        cells[cell] = cells[cell] or colour
        sums[cells[cell]] = (sums[cells[cell]] or 0) + counts[colour]
    end
    for i, colour in ipairs(by_count(sums)) do
        if i <= COLOURS then
            palette[i] = colour
        end
        index[colour] = i <= COLOURS and i or nearest(palette, colour)
    end
    for _, colour in ipairs(list) do
        index[colour] = index[cells[middle(colour, COARSE)]]
    end
    return palette, index
end

-- A list of at most COLOURS colours and, for each colour of the pixels, its index in it.
local function palette_of(pixels)
    local counts, n = counted(pixels)
    local list = by_count(counts)
    if n <= COLOURS then
        local index = {}
        for i, colour in ipairs(list) do
            index[colour] = i
        end
        return list, index
    end
    for bits = 7, COARSE - 1, -1 do
        local palette, index = mixed(list, bits)
        if palette then
            return palette, index
        end
    end
    return frequent(list, counts)
end

-- ---------------------------------------------------------------- bands

-- Characters of one colour in a band, in runs: `append` takes them by column, from left to right.
local Run = {}
Run.__index = Run

local function put_run(run)
    local text = string.char(run.bits + FIRST)
    run.parts[#run.parts + 1] = run.length > 3 and ("!%d%s"):format(run.length, text) or text:rep(run.length)
    run.length = 0
end

function Run:append(column, bits)
    local gap = column - self.column
    if gap > 0 then
        if self.bits ~= 0 then
            put_run(self)
        end
        self.bits, self.length = 0, self.length + gap
    end
    if self.bits ~= bits then
        put_run(self)
        self.bits = bits
    end
    self.length, self.column = self.length + 1, column + 1
end

-- The text of the rows from `first` on, which has a line for each colour, laid over each other.
local function band(pixels, width, rows, first, index)
    local runs, order = {}, {}
    for x = 0, width - 1 do
        local bits = {}
        for k = 0, rows - 1 do
            local colour = index[pixels[(first + k) * width + x + 1]]
            if colour then
                bits[colour] = (bits[colour] or 0) | 1 << k
            end
        end
        for colour, dots in pairs(bits) do
            local run = runs[colour]
            if not run then
                run = setmetatable({ parts = {}, column = 0, bits = 0, length = 0 }, Run)
                runs[colour], order[#order + 1] = run, colour
            end
            run:append(x, dots)
        end
    end
    table.sort(order)
    local lines = {}
    for i, colour in ipairs(order) do
        put_run(runs[colour])
        lines[i] = ("#%d%s"):format(colour - 1, table.concat(runs[colour].parts))
    end
    return table.concat(lines, "$")
end

-- The bytes of a picture: pixels are a list of colours, row by row, below 0 for holes, which stay as the terminal is.
return function(pixels, width, height)
    local palette, index = palette_of(pixels)
    local parts = { ("\27P0;1;0q\"1;1;%d;%d"):format(width, height) }
    for i, colour in ipairs(palette) do
        local function percent(shift)
            return ((colour >> shift & 255) * 100 + 127) // 255
        end
        parts[#parts + 1] = ("#%d;2;%d;%d;%d"):format(i - 1, percent(16), percent(8), percent(0))
    end
    for first = 0, height - 1, 6 do
        parts[#parts + 1] = band(pixels, width, math.min(6, height - first), first, index) .. "-"
    end
    parts[#parts + 1] = "\27\\"
    return table.concat(parts)
end
