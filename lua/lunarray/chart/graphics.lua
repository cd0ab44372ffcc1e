-- Pictures of pixels in the terminal, as kitty's graphics or as sixel: whether, how large, and the bytes for it.

local base64 = require "lunarray.chart.base64"
local fault = require "lunarray.base.fault"
local internal = require("lunarray.core").internal
local terminal = require "lunarray.base.terminal"

local graphics = {}

local WORDS = { auto = true, braille = true, kitty = true, sixel = true }
local CELL = { width = 10, height = 20 } -- pixels of a character, where the terminal does not say
local CHUNK = 4096 -- characters of one piece of kitty's

-- An environment variable that is not empty.
local function variable(name)
    local value = os.getenv(name)
    return value ~= "" and value or nil
end

-- What a terminal shows by its own account: "kitty", "sixel" or nil. None within a terminal of its own, which may
-- not pass pictures on.
local function automatic()
    local term = variable "TERM" or "dumb"
    if variable "NO_COLOR" or variable "TMUX" or term:find "^screen" or term:find "^tmux" or term == "dumb" then
        return nil
    elseif variable "KITTY_WINDOW_ID" or term == "xterm-kitty" or term == "xterm-ghostty"
        or variable "TERM_PROGRAM" == "WezTerm" then
        return "kitty"
    end
    return terminal.shows_sixel() and "sixel" or nil
end

-- How a picture with these options goes to the terminal: "kitty", "sixel", or nil for letters.
function graphics.of(opts)
    local wanted = opts.graphics
    if opts.string or opts.file then
        return (wanted == "kitty" or wanted == "sixel") and not opts.file and wanted or nil
    end
    local _, _, is_terminal = internal.terminal()
    if not is_terminal then
        return nil
    end
    if wanted == nil and not variable "NO_COLOR" then
        wanted = variable "LUNARRAY_GRAPHICS"
        if wanted and not WORDS[wanted] then
            fault('LUNARRAY_GRAPHICS is "%s": "auto", "braille", "kitty" or "sixel" expected', wanted)
        end
        wanted = wanted or terminal.prompt and "auto"
    end
    if wanted == "auto" then
        return automatic()
    end
    return (wanted == "kitty" or wanted == "sixel") and wanted or nil
end

-- The width and the height of a character in pixels, and how wide the terminal is.
function graphics.cell(opts)
    if opts.string then
        return CELL.width, CELL.height
    end
    local columns, rows, _, wide, high = internal.terminal()
    if not wide or wide < columns or high < rows then
        return CELL.width, CELL.height, columns and columns * CELL.width
    end
    return wide / columns, high / rows, wide
end

-- The bytes of a PNG file as kitty's graphics.
local function kitty(png)
    local text, parts = base64(png), {}
    for i = 1, #text, CHUNK do
        local keys = i == 1 and "a=T,f=100,q=2," or ""
        local more = i + CHUNK <= #text and 1 or 0
        parts[#parts + 1] = ("\27_G%sm=%d;%s\27\\"):format(keys, more, text:sub(i, i + CHUNK - 1))
    end
    return table.concat(parts)
end

-- The bytes that show a paper of pixels; or nil and what is wrong.
function graphics.text(how, paper)
    if how == "sixel" then
        return require("lunarray.chart.sixel")(paper.pixels, paper.width, paper.height)
    end
    local png, message = paper:encode()
    return png and kitty(png), message
end

return graphics
