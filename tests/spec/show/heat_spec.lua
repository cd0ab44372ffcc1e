-- Heat maps: lun.image into PNG and SVG, by the colours of cells, and its colours, labels and scale in the terminal.
local lun = require "lunarray"
local expect = require "expect"
local shell = require "shell"

local nan = 0.0 / 0.0
local directory

setup(function()
    directory = shell.scratch()
end)

teardown(function()
    shell.discard(directory)
end)

-- What matplotlib 3.11 has of viridis: { part of 255, colour }.
local VIRIDIS = { { 0, 0x440154 }, { 37, 0x46337F }, { 64, 0x3B528B }, { 101, 0x2A778E }, { 128, 0x21918C },
    { 150, 0x21A585 }, { 200, 0x70CF57 }, { 255, 0xFDE725 } }

-- The pixels of a PNG file: a function of x and y, from 0, to a colour and how opaque it is; and its size.
local function pixels_of(path)
    local a = assert(lun.load(path))
    local height, width, channels = a:shape()
    local bytes = a:tobytes()
    return function(x, y)
        local at = channels * (y * width + x) + 1
        return (string.unpack(">I3", bytes, at)), channels == 4 and bytes:byte(at + 3) or 255
    end, width, height
end

-- Whether two colours differ by at most so much in each channel.
local function near(a, b, most)
    for shift = 0, 16, 8 do
        if math.abs((a >> shift & 255) - (b >> shift & 255)) > most then
            return false
        end
    end
    return true
end

-- The bytes of a text in base64.
local function bytes_of(text)
    local digits, parts = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", {}
    assert.equal(0, #text % 4)
    for i = 1, #text, 4 do
        local bits = 0
        for k = i, i + 3 do
            bits = bits << 6 | (digits:find(text:sub(k, k), 1, true) or 1) - 1
        end
        parts[#parts + 1] = string.pack(">I3", bits)
    end
    return table.concat(parts):sub(1, -1 - #text:match "=*$")
end

-- Draws into SVG: its text, and the pixels of its first picture.
local function as_svg(A, opts)
    opts.file = directory .. "/h.svg"
    assert.is_true(lun.image(A, opts))
    local text = shell.slurp(opts.file)
    local x, y, width, height, data = text:match('<image x="([%d.]+)" y="([%d.]+)" width="([%d.]+)" height="([%d.]+)" '
        .. 'preserveAspectRatio="none" style="image%-rendering:pixelated" href="data:image/png;base64,([^"]*)"/>')
    local file = assert(io.open(directory .. "/inner.png", "wb"))
    file:write(bytes_of(data))
    file:close()
    return text, { tonumber(x), tonumber(y), tonumber(width), tonumber(height) }, pixels_of(directory .. "/inner.png")
end

describe("lun.image into a file", function()
    it("has a cell of its colour for each element", function()
        local list = {}
        for i, row in ipairs(VIRIDIS) do
            list[i] = row[1] / 255
        end
        local A = lun.vector(list):reshape { 2, 4 }
        local text, place, at, width, height = as_svg(A, {})
        assert.same({ 4, 2 }, { width, height })
        assert.is_true(math.abs(place[3] / place[4] - 2) < 0.01) -- cells are squares
        for i, row in ipairs(VIRIDIS) do
            local colour, opaque = at((i - 1) % 4, (i - 1) // 4)
            assert.is_true(near(colour, row[2], 2), ("%06x"):format(colour))
            assert.equal(255, opaque)
        end
        for _, label in ipairs { "1", "2", "3", "4" } do
            assert.is_truthy(text:find(">" .. label .. "</text>", 1, true), label)
        end
        assert.is_true(lun.image(A, { file = directory .. "/h.png" }))
        local pixel = pixels_of(directory .. "/h.png")
        for i, row in ipairs(VIRIDIS) do
            local x = place[1] + (((i - 1) % 4) + 0.5) * place[3] / 4
            local y = place[2] + ((i - 1) // 4 + 0.5) * place[4] / 2
            assert.is_true(near(pixel(math.floor(x), math.floor(y)), row[2], 2), i)
        end
    end)

    it("leaves what is missing or no number transparent", function()
        local A = lun.vector { { 1, lun.na }, { nan, 4 } }
        local _, place, at = as_svg(A, { colours = "grey" })
        local seen = {}
        for i = 0, 3 do
            seen[#seen + 1], seen[#seen + 2] = at(i % 2, i // 2)
        end
        assert.same({ 0, 255, 0, 0, 0, 0, 0xFFFFFF, 255 }, seen)
        assert.is_true(lun.image(A, { file = directory .. "/h.png", colours = "grey" }))
        local pixel, width, height = pixels_of(directory .. "/h.png")
        local x, y, side = place[1], place[2], place[3] / 2
        assert.same({ 0, 255 }, { pixel(math.floor(x + side / 2), math.floor(y + side / 2)) })
        local clear = 0
        for row = 0, height - 1 do
            for column = 0, width - 1 do
                clear = clear + (select(2, pixel(column, row)) == 0 and 1 or 0)
            end
        end
        assert.is_true(math.abs(clear - 2 * side * side) < 6 * side, clear)
        assert.same({ 0xFFFFFF, 255 }, { pixel(0, 0) })
    end)

    it("has three colours, and limits", function()
        local A = lun.vector { { -2, 0, 1 } }
        local _, _, at = as_svg(A, { colours = "blue-red" })
        assert.equal(0xF7F7F7, (at(1, 0))) -- 0 is in the middle, for there are values on both sides
        assert.equal(0x2B5CB8, (at(0, 0)))
        _, _, at = as_svg(A, { colours = "blue-red", low = -1, high = 1 })
        assert.same({ 0x2B5CB8, 0xF7F7F7, 0xBE2A36 }, { (at(0, 0)), (at(1, 0)), (at(2, 0)) })
        _, _, at = as_svg(A, { colours = "grey", low = 0, high = 2 })
        assert.same({ 0, 0, 0x808080 }, { (at(0, 0)), (at(1, 0)), (at(2, 0)) })
        _, _, at = as_svg(lun.vector({ { { 255, 0, 10 } } }, "u8"), {})
        assert.equal(0xFF000A, (at(0, 0)))
    end)

    it("has labels, a title, and a scale beside it", function()
        local A = lun.index(200 * 300):reshape { 200, 300 }
        local text = as_svg(A, { title = "a title", xlabel = "columns", ylabel = "rows", bar = true })
        assert.equal(2, select(2, text:gsub("<image ", "")))
        for _, word in ipairs { "a title", "columns", "rows", "100", "300", "20000", "60000" } do
            assert.is_truthy(text:find(">" .. word .. "</text>", 1, true), word)
        end
        local x, width = text:match '<image [^\n]*\n.*<image x="([%d.]+)" y="[%d.]+" width="([%d.]+)"'
        for at, label in text:gmatch '<text x="([%d.]+)"[^>]*text%-anchor="start">(%d+)<' do
            assert.is_true(tonumber(at) > x + width and at + #label * 7.8 <= 800, label)
        end
        local top = tonumber(text:match '>200</text>' and text:match 'y="([%d.]+)"[^>]*>50</text>')
        assert.is_true(top < tonumber(text:match 'y="([%d.]+)"[^>]*>150</text>')) -- the first row is above
    end)

    it("is made smaller by averages, and drawn in any shape", function()
        local A = lun.index(2000 * 3000):reshape { 2000, 3000 } % 2
        local _, _, at, width, height = as_svg(A * 1.0, { colours = "grey", width = 300, height = 200, low = 0, high = 1 })
        assert.is_true(width < 300 and height < 200 and width > 200)
        for x = 0, width - 1, 7 do
            assert.is_true(near(at(x, 3), 0x808080, 12))
        end
        for _, shape in ipairs { { 1, 1 }, { 1, 2000 }, { 2000, 1 }, { 3, 400 }, { 700, 2 } } do
            for _, opts in ipairs { {}, { bar = true, width = 120 }, { height = 120 }, { width = 120, height = 120, bar = true } } do
                for _, name in ipairs { "/h.png", "/h.svg" } do
                    opts.file = directory .. name
                    assert.is_true(lun.image(lun.random(shape, { seed = 1 }), opts))
                end
            end
        end
        for _, x in ipairs { nan, math.huge, 0.0, 1e308 } do
            assert.is_true(lun.image(lun.vector { { x, -x } }, { file = directory .. "/h.svg", bar = true }))
            assert.is_falsy(shell.slurp(directory .. "/h.svg"):find '"[^"]*nan[^"]*"')
        end
    end)

    it("refuses what it does not draw", function()
        local A = lun.zeros { 2, 2 }
        local function refused(message, opts, what)
            expect.failure("bad argument #2 to 'image' (" .. message, lun.image, what or A, opts)
        end
        refused("option 'colours': \"viridis\", \"grey\" or \"blue-red\" expected)", { colours = "jet" })
        refused("option 'bar': true or false expected)", { bar = 1 })
        refused("options 'colours' and 'bar' are those of numbers, and these are colours)", { bar = true }, lun.zeros { 2, 2, 3 })
        refused("option 'file': 'h.gif' is neither .png nor .svg)", { file = "h.gif" })
        refused("unknown option 'color': the options are bar, colour, colours, file, graphics, height, high, low, string, title, "
            .. "width, xlabel, ylabel)", { color = 1 })
        assert.same({ nil, "/nowhere/h.svg: No such file or directory", 2 }, { lun.image(A, { file = "/nowhere/h.svg" }) })
    end)
end)

describe("lun.image in the terminal", function()
    it("has the same colours where there are any", function()
        assert.equal("\27[38;2;68;1;84;48;2;253;231;37m▀\27[0m",
            lun.image(lun.vector { { 0.0 }, { 1.0 } }, { string = true, colour = "true", colours = "viridis" }))
        assert.equal(" @\n@", lun.image(lun.vector { { 0, 1 }, { 0, 1 }, { 1, 0 }, { 1, 0 } }, { string = true, colours = "viridis" }))
    end)

    it("has labels and a scale", function()
        local text = lun.image(lun.index(40 * 40):reshape { 40, 40 } * 0.5,
            { string = true, width = 40, title = "t", xlabel = "columns", ylabel = "rows", bar = true })
        local lines = {}
        for line in (text .. "\n"):gmatch "([^\n]*)\n" do
            lines[#lines + 1] = line
        end
        assert.same({ "t", "rows" }, { lines[1], lines[2] })
        assert.matches("^ +columns$", lines[#lines - 1])
        assert.matches("^0%.5    %.%.::%-%-%-==%+%+%*%*%*##%%%%@@@ 800$", lines[#lines])
        text = lun.image(lun.vector { { 0.0, 1 } }, { string = true, colour = "true", bar = true, colours = "blue-red" })
        assert.is_truthy(text:find("\n0 \27[38;2;43;92;184;48;2;43;92;184m▀", 1, true))
        assert.matches("▀\27%[0m 1$", text)
    end)
end)
