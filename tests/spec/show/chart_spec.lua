-- Plots and histograms in files: SVG by its elements, PNG by its pixels; what is drawn where, and what is refused.
local lun = require "lunarray"
local expect = require "expect"
local shell = require "shell"

local BLUE, RED = 0x1F77B4, 0xD62728
local nan, inf = 0.0 / 0.0, math.huge
local directory

local function path_of(name)
    return directory .. "/" .. name
end

-- The lines of a colour in an SVG file: lists of numbers x1, y1, x2, y2, ...
local function lines_of(text, colour)
    local found = {}
    for points, stroke in text:gmatch '<polyline points="([^"]*)" fill="none" stroke="#(%x+)"' do
        if tonumber(stroke, 16) == colour then
            local list = {}
            for number in points:gmatch "[%d.-]+" do
                list[#list + 1] = tonumber(number)
            end
            found[#found + 1] = list
        end
    end
    return found
end

local function plotted(...)
    local arguments = table.pack(...)
    arguments[arguments.n].file = path_of "p.svg"
    assert.is_true(lun.plot(table.unpack(arguments, 1, arguments.n)))
    return shell.slurp(path_of "p.svg")
end

-- The pixels of a PNG file: a function of x and y, from 0, and its size.
local function pixels_of(path)
    local a = assert(lun.load(path))
    local height, width = a:shape()
    local bytes = a:tobytes()
    return function(x, y)
        return (string.unpack(">I3", bytes, 3 * (y * width + x) + 1))
    end, width, height
end

-- How many pixels of that colour there are, and the box around them.
local function box_of(path, colour)
    local at, width, height = pixels_of(path)
    local count, left, top, right, bottom = 0, width, height, -1, -1
    for y = 0, height - 1 do
        for x = 0, width - 1 do
            if at(x, y) == colour then
                count = count + 1
                left, right, top, bottom = math.min(left, x), math.max(right, x), math.min(top, y), math.max(bottom, y)
            end
        end
    end
    return count, left, top, right, bottom
end

describe("lun.plot into a file", function()
    setup(function()
        directory = shell.scratch()
    end)

    teardown(function()
        shell.discard(directory)
    end)

    it("draws a line from corner to corner", function()
        local text = plotted(lun.index(100), {})
        local lines = lines_of(text, BLUE)
        assert.equal(1, #lines)
        assert.equal(200, #lines[1])
        local left, bottom, right, top = lines[1][1], lines[1][2], lines[1][199], lines[1][200]
        assert.is_true(left > 10 and left < 80 and right == 776 and bottom == 445 and top == 14)
        for i = 1, 199, 2 do
            local part = (i - 1) / 198
            assert.is_true(math.abs(lines[1][i] - left - part * (right - left)) < 0.01)
            assert.is_true(math.abs(lines[1][i + 1] - bottom - part * (top - bottom)) < 0.01)
        end
        for _, label in ipairs { "20", "40", "60", "80", "100" } do
            assert.is_truthy(text:find(">" .. label .. "</text>", 1, true), label)
        end
        assert.matches('^<svg xmlns="http://www.w3.org/2000/svg" width="800" height="480" viewBox="0 0 800 480"', text)
        assert.matches("</svg>\n$", text)
    end)

    it("draws two columns against each other, points where x goes back and forth", function()
        local x, y = lun.vector { 3.0, 1.0, 2.0, nan }, lun.vector { 9.0, 1.0, 4.0, 5.0 }
        local text = plotted(x, y, {})
        assert.equal(3, select(2, text:gsub("<circle ", "")))
        assert.equal(0, #lines_of(text, BLUE))
        assert.equal(1, #lines_of(plotted(x, y, { points = false }), BLUE))
    end)

    it("breaks lines at nan, and cuts them at the limits", function()
        local lines = lines_of(plotted(lun.vector { 1, 2, 3, nan, 5, inf, 7, 8 } * 1.0, {}), BLUE)
        assert.same({ 6, 4 }, { #lines[1], #lines[2] })
        lines = lines_of(plotted(lun.vector { 0.0, 10, 0, -10, 0 }, { ylim = { -5, 5 }, height = 234, width = 500 }), BLUE)
        assert.equal(3, #lines)
        for _, line in ipairs(lines) do
            for i = 2, #line, 2 do
                assert.is_true(line[i] >= 14 and line[i] <= 199)
            end
        end
        assert.same({ 14, 14 }, { lines[1][4], lines[2][2] })
        lines = lines_of(plotted(lun.index(10), { xlim = { 3.5, 5.5 } }), BLUE)
        assert.equal(8, #lines[1])
        assert.equal(776, lines[1][7])
    end)

    it("shows extremes of long arrays", function()
        local a = lun.zeros(1000000)
        a[700000], a[300000] = 5, -2
        local lines = lines_of(plotted(a, {}), BLUE)
        local top, bottom = inf, -inf
        for i = 2, #lines[1], 2 do
            top, bottom = math.min(top, lines[1][i]), math.max(bottom, lines[1][i])
        end
        assert.same({ 1, 14, 445 }, { #lines, top, bottom })
    end)

    it("draws numbers of every size", function()
        for i, a in ipairs { lun.vector { 1.0 }, lun.vector { nan }, lun.vector { nan, inf, -inf }, lun.vector { 1e308, -1e308, 1e308 },
            lun.vector { 5e-324, 0.0 }, lun.vector { 1e300, 1e300 }, lun.ones(2, "bool"), lun.vector { 2.0 ^ 53, 2.0 ^ 53 + 1 },
            lun.vector { 0.1, 0.30000000000000004 }, lun.full(100000, nan) } do
            for _, name in ipairs { "p.svg", "p.png" } do
                local opts = { file = path_of(name), width = 150, height = 120 }
                assert.is_true(lun.plot(a, opts), i)
                assert.is_true(lun.plot(a * 1, a, opts), i)
                assert.is_true(lun.hist(a, opts), i)
                lun.plot(a, opts)
                assert.is_nil(shell.slurp(path_of "p.svg"):find '"[^"]*nan[^"]*"' or shell.slurp(path_of "p.svg"):find '"[^"]*inf')
            end
        end
    end)

    it("names series in a legend, which goes on in a next row", function()
        local text = plotted({ b = lun.index(3), a = lun.index(3) * 2 }, { title = "a < b & c" })
        assert.equal(2, #lines_of(text, BLUE) + #lines_of(text, RED) - 2) -- a line and a sample each
        assert.is_truthy(text:find(">a &lt; b &amp; c</text>", 1, true))
        assert.is_true(text:find(">a</text>", 1, true) < text:find(">b</text>", 1, true))
        local names = {}
        for i = 1, 20 do
            names[i] = ("a rather long name %d"):format(i)
        end
        local arrays = {}
        for i = 1, 20 do
            arrays[i] = lun.index(2) * i
        end
        text = plotted(arrays, { names = names })
        for x, name in text:gmatch '<text x="([%d.]+)" y="[%d.]+" font%-size="13" fill="#333333" text%-anchor="start">([^<]+)<' do
            assert.is_true(tonumber(x) + #name * 7 < 800, name)
        end
    end)

    it("takes tables of columns", function()
        local w = lun.load "examples/data/seattle-weather.csv"
        local text = plotted(w, { x = "date", y = { "temp_max", "temp_min" } })
        assert.equal(2922, #lines_of(text, BLUE)[2])
        for _, label in ipairs { "2012", "2013", "2014", "2015", "temp_max", "temp_min" } do
            assert.is_truthy(text:find(">" .. label .. "</text>", 1, true), label)
        end
        text = plotted(w, {})
        for _, name in ipairs { "precipitation", "temp_max", "temp_min", "wind" } do
            assert.is_truthy(text:find(">" .. name .. "</text>", 1, true), name)
        end
        assert.equal(lun.plot(w.temp_min, w.wind, { string = true }),
            lun.plot(w, { x = "temp_min", y = "wind", string = true }))
    end)

    it("draws the same as PNG", function()
        assert.is_true(lun.plot(lun.index(100), { file = path_of "p.png" }))
        local at, width, height = pixels_of(path_of "p.png")
        assert.same({ 800, 480, 0xFFFFFF }, { width, height, at(0, 0) })
        local count, left, top, right, bottom = box_of(path_of "p.png", BLUE)
        assert.is_true(count > 400, count)
        assert.is_true(left < 80 and left > 20 and right > 772 and right <= 777 and top >= 13 and top < 17 and bottom <= 446
            and bottom > 440)
        lun.plot(lun.ones(5), { file = path_of "q.png", width = 300, height = 200, ylim = { 0, 2 } })
        count, left, top, right, bottom = box_of(path_of "q.png", BLUE)
        assert.is_true(count > 200 and right - left > 200 and bottom - top <= 1, count)
        assert.is_true(math.abs(top - (14 + 165) / 2) <= 1.5, top) -- the middle of the axes
    end)

    it("refuses other files, and says why one cannot be written", function()
        local a = lun.index(3)
        local function refused(message, opts)
            expect.failure("bad argument #2 to 'plot' (" .. message, lun.plot, a, opts)
        end
        refused(("option 'file': '%s' is neither .png nor .svg"):format(path_of "p.gif"), { file = path_of "p.gif" })
        refused("option 'file': a path expected", { file = 1 })
        refused("options 'width' and 'height' of a file: pixels, at least 120)", { file = "p.png", width = 100 })
        refused("options 'x' and 'y' name columns of a table, and this is a Vector", { x = "a" })
        local t = lun.table { a = a, s = { "x", "y", "z" } }
        expect.failure("bad argument #2 to 'plot' (option 'y': there is no column 'q')", lun.plot, t, { y = "q" })
        expect.failure("bad argument #2 to 'plot' (option 'x': there is no column 'q')", lun.plot, t, { x = "q" })
        expect.failure("'x' at 1 is no date such as 2012-01-31", lun.plot, t, { x = "s" })
        expect.failure("got a table without columns of numbers", lun.plot, lun.table { s = { "x" } })
        assert.same({ nil, "/nowhere/p.svg: No such file or directory", 2 }, { lun.plot(a, { file = "/nowhere/p.svg" }) })
        assert.is_nil(io.open(path_of "p.gif"))
    end)
end)

describe("lun.hist", function()
    setup(function()
        directory = shell.scratch()
    end)

    teardown(function()
        shell.discard(directory)
    end)

    it("counts texts", function()
        assert.equal("fog  |███████████▋ 1\nrain |███████████████████████▎ 2\nsun  |███████████████████████████████████ 3",
            lun.hist({ "sun", "rain", "sun", "fog", "sun", "rain" }, { string = true, width = 45 }))
        expect.failure("expected, got a list with a number at 2)", lun.hist, { "a", 1 })
        local many = {}
        for i = 1, 201 do
            many[i] = "t" .. i
        end
        expect.failure("201 different texts; from 1 to 200 can be shown", lun.hist, many)
    end)

    it("draws bars into files", function()
        assert.is_true(lun.hist(lun.vector { 1, 1, 2, 3, 3, 3 }, { file = path_of "h.svg" }))
        local text, heights = shell.slurp(path_of "h.svg"), {}
        for height in text:gmatch 'height="([%d.]+)" fill="#1f77b4"' do
            heights[#heights + 1] = tonumber(height)
        end
        assert.equal(3, #heights)
        assert.is_true(math.abs(heights[1] - 2 * heights[2]) < 0.03 and math.abs(heights[3] - 3 * heights[2]) < 0.03)
        assert.is_true(lun.hist({ "sun", "rain", "sun" }, { file = path_of "h.png", title = "days" }))
        local count, left, top, right, bottom = box_of(path_of "h.png", BLUE)
        assert.is_true(count > 0.4 * (right - left) * (bottom - top) and count < 0.8 * (right - left) * (bottom - top))
        lun.hist({ "sun", "rain" }, { file = path_of "h.svg" })
        assert.matches(">rain</text>.*>sun</text>", shell.slurp(path_of "h.svg"))
    end)
end)
