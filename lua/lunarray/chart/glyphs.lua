-- Letters for pictures of pixels: the ASCII characters and the degree sign as points on a grid of 5 by 8, joined by
-- strokes where they are neighbours.

local glyphs = {}

-- Five columns of each character from the space on, two hexadecimal digits each; the lowest bit is the top, the seventh
-- the base line, the eighth below it.
local COLUMNS = {
    "0000000000", "00005F0000", "0007000700", "147F147F14", "242A7F2A12", "2313086462", "3649552250", "0000070000",
    "001C224100", "0041221C00", "14083E0814", "08083E0808", "0080600000", "0808080808", "0000600000", "2010080402",
    "3E4141413E", "00427F4000", "4261514946", "2141454B31", "1814127F10", "2745454539", "3C4A494930", "0171090503",
    "3649494936", "064949291E", "0000240000", "0080640000", "0814224100", "1414141414", "0041221408", "0201510906",
    "3E415D551E", "7E0909097E", "7F49494936", "3E41414122", "7F4141413E", "7F49494941", "7F09090901", "3E41495138",
    "7F0808087F", "00417F4100", "2040413F01", "7F08142241", "7F40404040", "7F020C027F", "7F0408107F", "3E4141413E",
    "7F09090906", "3E4151215E", "7F09192946", "2649494932", "01017F0101", "3F4040403F", "0F3040300F", "3F4038403F",
    "6314081463", "0304780403", "6151494543", "007F414100", "0204081020", "0041417F00", "0402010204", "8080808080",
    "0001020000", "2054545478", "7F48444438", "3844444420", "384444487F", "3854545418", "08087E0902", "18A4A4A47C",
    "7F08040478", "00447D4000", "4080847D00", "7F10284400", "00417F4000", "7C04780478", "7C08040478", "3844444438",
    "FC18242418", "18242418FC", "7C08040408", "4854545424", "04043F4424", "3C4040203C", "1C2040201C", "3C4030403C",
    "4428102844", "1CA0A0A07C", "4464544C44", "0008364100", "0000770000", "0041360800", "0804081008",
}
local DEGREE = "0006090906"
local UNKNOWN = "7F4141417F"

glyphs.advance, glyphs.height = 6, 7 -- grid units from one character to the next, and above the base line

-- Whether the point at column x, row y of a character is set.
local function is_set(columns, x, y)
    return x >= 0 and x < 5 and y >= 0 and y < 8
        and (tonumber(columns:sub(2 * x + 1, 2 * x + 2), 16) >> y) & 1 == 1
end

-- Neighbours to which a stroke goes. A diagonal one only where no corner joins both.
local STEPS = { { 1, 0 }, { 0, 1 }, { 1, 1 }, { -1, 1 } }

-- Calls stroke(x1, y1, x2, y2) for each stroke of a character, in grid units from its top left point. A point alone is
-- a stroke to itself.
local function strokes_of(columns, stroke)
    for x = 0, 4 do
        for y = 0, 7 do
            local alone = is_set(columns, x, y)
            for _, step in ipairs(alone and STEPS or {}) do
                local x2, y2 = x + step[1], y + step[2]
                local cornered = step[1] * step[2] ~= 0 and (is_set(columns, x2, y) or is_set(columns, x, y2))
                if is_set(columns, x2, y2) and not cornered then
                    stroke(x, y, x2, y2)
                end
            end
            if alone then
                stroke(x, y, x, y)
            end
        end
    end
end

-- How many characters a text has.
function glyphs.count(text)
    return utf8.len(text) or #text
end

-- Calls stroke(x1, y1, x2, y2) for each stroke of a text, in grid units from the top left point of its first character.
function glyphs.draw(text, stroke)
    local at = 0
    local codes = utf8.len(text) and { utf8.codepoint(text, 1, -1) } or { text:byte(1, -1) }
    for _, code in ipairs(codes) do
        local columns = code == 0xB0 and DEGREE or COLUMNS[code - 31] or UNKNOWN
        strokes_of(columns, function(x1, y1, x2, y2)
            stroke(at + x1, y1, at + x2, y2)
        end)
        at = at + glyphs.advance
    end
end

return glyphs
