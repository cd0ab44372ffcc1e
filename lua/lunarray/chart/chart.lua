-- Where a picture goes: into a file, as PNG or SVG, or to the terminal, as letters or as pixels. What is drawn comes as
-- functions.

local file = require "lunarray.format.file"
local graphics = require "lunarray.chart.graphics"
local internal = require("lunarray.core").internal
local misuse = require "lunarray.base.misuse"
local picture = require "lunarray.chart.picture"
local scope = require "lunarray.base.scope"

local chart = {
    sink = nil, -- takes pictures that no option sends elsewhere, as SVG: those of a session of a program
}

local WIDTH, HEIGHT = 800, 480
local LEAST = 120
local PAPERS = { png = "raster", svg = "svg" }

-- The size of a chart in pixels; nil where it is made of letters. high, wide: what it is if the options do not say.
function chart.pixels(opts, high, wide)
    if opts.file or opts.through then
        return opts.width or wide or WIDTH, opts.height or high or HEIGHT
    elseif chart.sink and not opts.string then
        return wide or WIDTH, high or HEIGHT
    end
end

-- Nil if the options can be those of a chart in opts.file, else what is wrong with them.
local function fault_of(opts)
    local path = opts.file
    if scope.no_files then
        return "option 'file': " .. scope.no_files
    elseif type(path) ~= "string" or path:find "\0" then
        return "option 'file': a path expected"
    elseif not PAPERS[(path:match "%.([^./]*)$" or ""):lower()] then
        return ("option 'file': '%s' is neither .png nor .svg"):format(path)
    end
    local width, height = chart.pixels(opts)
    if width < LEAST or height < LEAST then
        return ("options 'width' and 'height' of a file: pixels, at least %d"):format(LEAST)
    end
end

-- The options of a picture that goes to the terminal as pixels: `through` says how; the size is in pixels.
local function through(opts, how)
    local sized = { through = how }
    for name, value in pairs(opts) do
        sized[name] = value
    end
    local width, height, room = graphics.cell(opts)
    sized.width = opts.width and opts.width * width or room and room < WIDTH and room or nil
    sized.width = sized.width and math.max(LEAST, math.floor(sized.width))
    sized.height = opts.height and math.max(LEAST, math.floor(opts.height * height))
    return sized
end

-- The options of a picture as it is drawn: names are those of all pictures and those in `more`.
function chart.options(opts, more, argument, call)
    opts = picture.options(opts, more, argument, call)
    local fault = opts.file ~= nil and fault_of(opts)
    if fault then
        misuse(argument, call, "%s", fault)
    end
    local how = graphics.of(opts)
    return how and through(opts, how) or opts
end

-- Draws into the file at `path`: true; or nil, message, errno.
local function save(path, draw, width, height, call)
    if scope.no_files then -- the options have changed since they were checked
        misuse(1, call, "%s", scope.no_files)
    end
    local paper = require("lunarray.chart." .. PAPERS[path:match("%.([^./]*)$"):lower()]).new(width, height)
    draw(paper)
    local text, message = paper:encode()
    if not text then
        misuse(1, call, "%s", message)
    end
    local done = false
    return internal.writing(file.write, path, function()
        local piece = not done and text or nil
        done = true
        return piece
    end)
end

-- Gives a picture as the options say: draw(paper) draws it on a paper of pixels or SVG, lines() makes it of letters.
-- call: for a mistake of the script; high, wide: as of chart.pixels. With opts.file true, or nil, message, errno.
function chart.give(opts, call, draw, lines, high, wide)
    local width, height = chart.pixels(opts, high, wide)
    if opts.through then
        local paper = require("lunarray.chart.raster").new(width, height)
        draw(paper)
        local text, message = graphics.text(opts.through, paper)
        if not text then
            misuse(1, call, "%s", message)
        end
        return picture.give({ text }, opts)
    elseif width and not opts.file then
        local paper = require("lunarray.chart.svg").new(width, height)
        draw(paper)
        chart.sink((paper:encode()))
        return
    elseif width then
        return save(opts.file, draw, width, height, call)
    end
    return picture.give(lines(), opts)
end

return chart
