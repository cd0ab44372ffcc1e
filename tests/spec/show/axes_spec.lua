-- Axes of plots: logarithmic ones, labels, dates, groups, stairs, gaps; in letters and in SVG, by where the marks are.
local lun = require "lunarray"
local expect = require "expect"
local shell = require "shell"

local nan = 0.0 / 0.0
local directory

-- The text of a plot of 60 by 10 characters.
local function drawn(...)
    local arguments = table.pack(...)
    local opts = arguments[arguments.n]
    opts.string, opts.width, opts.height = true, opts.width or 60, opts.height or 10
    return lun.plot(table.unpack(arguments, 1, arguments.n))
end

local function lines_of(text)
    local lines = {}
    for line in (text .. "\n"):gmatch "([^\n]*)\n" do
        lines[#lines + 1] = line
    end
    return lines
end

-- The labels of the y axis from the top.
local function y_labels(text)
    local labels = {}
    for label in text:gmatch "(%S[^\n│┤]-) ┤" do
        labels[#labels + 1] = label
    end
    return table.concat(labels, " ")
end

-- The SVG text of a plot, and its lines: { colour, x1, y1, x2, y2, ... } each.
local function charted(...)
    local arguments = table.pack(...)
    arguments[arguments.n].file = directory .. "/a.svg"
    assert.is_true(lun.plot(table.unpack(arguments, 1, arguments.n)))
    local text, lines = shell.slurp(directory .. "/a.svg"), {}
    for points, stroke in text:gmatch '<polyline points="([^"]*)" fill="none" stroke="(#%x+)" stroke%-width="1.6"' do
        local list = { stroke }
        for number in points:gmatch "[%d.-]+" do
            list[#list + 1] = tonumber(number)
        end
        lines[#lines + 1] = list
    end
    return text, lines
end

-- The words of an SVG text with their places: { text, x, y, turned } each.
local function words_of(text)
    local words = {}
    for x, y, more, word in text:gmatch '<text x="([%d.]+)" y="([%d.]+)"([^>]*)>([^<]*)</text>' do
        words[#words + 1] = { word, tonumber(x), tonumber(y), more:find "rotate" ~= nil }
    end
    return words
end

local function word(words, text)
    for _, one in ipairs(words) do
        if one[1] == text then
            return one
        end
    end
    error("no word " .. text)
end

setup(function()
    directory = shell.scratch()
end)

teardown(function()
    shell.discard(directory)
end)

describe("a logarithmic axis", function()
    it("has powers of ten where at least three are seen", function()
        assert.equal("1000 100 10 1", y_labels(drawn(lun.vector { 1, 10, 100, 1000 }, { ylog = true })))
        assert.equal("1 0.1 0.01 0.001", y_labels(drawn(lun.vector { 1e-3, 1 }, { ylog = true })))
        assert.equal("1e12 1e10 1e8 1e6 1e4 1e2 1e0", y_labels(drawn(lun.vector { 1, 1e12 }, { ylog = true, height = 14 })))
    end)

    it("has 2 and 5 between where there are fewer, and round numbers where there are none of these", function()
        assert.equal("20 10 5 2", y_labels(drawn(lun.vector { 1.5, 20 }, { ylog = true })))
        assert.equal("4.5 4 3.5 3", y_labels(drawn(lun.vector { 3.0, 4.6 }, { ylog = true })))
        assert.equal("1e-9 5e-10", y_labels(drawn(lun.vector { 4e-10, 1e-9 }, { ylog = true })))
    end)

    it("places values by their logarithms", function()
        local _, lines = charted(lun.vector { 1.0, 10, 1000 }, { xlog = true, ylog = true })
        local line = lines[1]
        assert.equal(7, #line)
        local left, bottom, right, top = line[2], line[3], line[6], line[7]
        local across = math.log(2, 10) / math.log(3, 10)
        assert.is_true(math.abs(line[4] - (left + (right - left) * across)) < 0.02)
        assert.is_true(math.abs(line[5] - (bottom + (top - bottom) / 3)) < 0.02)
    end)

    it("leaves out what is not above 0 and says so in its last line", function()
        local lines = lines_of(drawn(lun.vector { 0, -1, 3, nan, 7, 4.0 }, { ylog = true }))
        assert.equal("2 values not above 0 are not shown", lines[#lines])
        lines = lines_of(drawn(lun.vector { 0, 1, 2 }, lun.vector { 1, 2, 3 }, { xlog = true }))
        assert.equal("1 value not above 0 is not shown", lines[#lines])
        lines = lines_of(drawn(lun.vector { 0, 1, 2 }, lun.vector { 0, 0, 3 }, { xlog = true, ylog = true }))
        assert.equal("2 values not above 0 are not shown", lines[#lines])
        assert.is_falsy(drawn(lun.vector { nan, 1, 2 }, { ylog = true }):find "not shown")
        local words = words_of((charted(lun.vector { 0, 1, 2 }, { ylog = true })))
        assert.is_truthy(word(words, "1 value not above 0 is not shown"))
    end)

    it("refuses an array without a value above 0, dates, and limits that are not", function()
        local refused = { string = true, ylog = true }
        expect.failure("bad argument #2 to 'plot' (option 'ylog': no value is above 0)", lun.plot, lun.vector { 0, -1 }, refused)
        expect.failure("bad argument #3 to 'plot' (option 'xlog': no value is above 0)", lun.plot, lun.vector { 0 },
            lun.vector { 1 }, { xlog = true })
        expect.failure("option 'xlog': an axis of dates is not logarithmic", lun.plot, { "2012-01-01" }, lun.vector { 1 },
            { xlog = true })
        expect.failure("option 'ylim': limits above 0 expected, for the axis is logarithmic", lun.plot, lun.vector { 1 },
            { ylog = true, ylim = { 0, 1 } })
        expect.failure("option 'ylog': true or false expected", lun.plot, lun.vector { 1 }, { ylog = 10 })
        assert.is_truthy(drawn(lun.vector { nan, nan }, { ylog = true }):find "10 ┤")
    end)

    it("shows extremes of long arrays", function()
        local y = lun.ones(100000)
        y[70000] = 1000
        for _, opts in ipairs { { ylog = true }, { ylog = true, xlog = true } } do
            assert.equal("1000 100 10 1", y_labels(drawn(y, opts)))
            assert.equal("1000 100 10 1", y_labels(drawn(lun.range(1, 100000), y, opts)))
        end
    end)
end)

describe("labels of a plot", function()
    it("stand above and below it in letters", function()
        local lines = lines_of(drawn(lun.index(3), { title = "a title", xlabel = "hours", ylabel = "metres" }))
        assert.matches("^ +a title$", lines[1])
        assert.equal("metres", lines[2])
        assert.matches("^ +hours$", lines[#lines])
        assert.equal(15, #lines)
    end)

    it("stand beside the axes in files, none over another", function()
        local text = charted(lun.index(3), { title = "a title", xlabel = "hours", ylabel = "metres" })
        local words = words_of(text)
        local hours, metres, title, tick = word(words, "hours"), word(words, "metres"), word(words, "a title"), word(words, "2")
        assert.is_true(metres[4] and not hours[4] and metres[2] < 20)
        assert.is_true(hours[3] < 480 and hours[3] > 455 and title[3] < 40)
        assert.is_true(tick[2] > metres[2] + 6)
        local at, width = 0, 0
        for _, one in ipairs(words) do
            if one[3] > 440 and one[3] < hours[3] - 8 then -- along the x axis
                assert.is_true(one[2] > at + width)
                at, width = one[2], #one[1] * 8
                assert.is_true(hours[3] - one[3] >= 13)
            end
        end
        assert.is_true(lun.plot(lun.index(3), { xlabel = "hours", ylabel = "metres", file = directory .. "/l.png" }))
    end)
end)

describe("option by", function()
    local y = lun.vector { 1, 2, 3, 4, 5, 6 }
    local by = lun.vector { "b", "a", "b", "a", "b", "c" }

    it("draws a series for each value, the most frequent first", function()
        local text = drawn(y, { by = by })
        assert.matches("\n +b   a   c$", text)
        local svg, lines = charted(y, { by = by })
        assert.same({ "#1f77b4", "#d62728" }, { lines[1][1], lines[2][1] })
        assert.same({ 7, 5 }, { #lines[1], #lines[2] })
        assert.is_true(lines[1][2] < lines[2][2] and lines[2][2] < lines[1][4]) -- each where its elements are
        assert.equal(1, select(2, svg:gsub('<circle [^>]*fill="#2ca02c"', "")))
        local words = words_of(svg)
        assert.is_true(word(words, "b")[2] < word(words, "a")[2] and word(words, "a")[2] < word(words, "c")[2])
    end)

    it("takes bools, integers, lists and columns of tables, and x", function()
        assert.matches("\n +true   false$", drawn(y, { by = y:gt(2) }))
        assert.matches("\n +1   0$", drawn(y, { by = y:gt(2):cast "i32" }))
        assert.matches("\n +u   v$", drawn(y, { by = { "u", "u", "u", "v", "v", "u" } }))
        local t = lun.table { x = y * 2, y = y, kind = by }
        assert.equal(drawn(y * 2, y, { by = by }), drawn(t, { x = "x", y = "y", by = "kind" }))
        assert.equal(drawn(y * 2, y, { by = by }), t:plot { x = "x", by = "kind", string = true, width = 60, height = 10 })
    end)

    it("joins all but eight values, and names those that are missing", function()
        local n = 10000
        local x = lun.range(1, n)
        assert.matches("1   2   3   4   5   6   7   8   other$", drawn(x, { by = x }))
        local _, lines = charted(x, { by = lun.where(x:le(100), 9, x % 8) })
        assert.equal("#8c8c8c", lines[#lines][1])
        assert.equal(9, #lines)
        assert.matches("\n +missing   a$", drawn(lun.vector { 1, 2, 3 }, { by = lun.vector { "a", lun.na, lun.na } }))
    end)

    it("refuses what gives no groups", function()
        local function refused(message, opts, what)
            expect.failure("bad argument #2 to 'plot' (" .. message, lun.plot, what or y, opts)
        end
        refused("option 'by': a column of texts, bools or integers expected, got f64[6])", { by = y * 0.5 })
        refused("option 'by': as many elements as the picture has expected, 6, got text[1]", { by = { "a" } })
        refused("option 'by' names a column of a table, and this is a Vector", { by = "kind" })
        refused("option 'by': there is no column 'knd'", { y = "y", by = "knd" }, lun.table { y = y, kind = by })
        refused("option 'by' takes one series, and these are 2: name it by y)", { by = "kind" },
            lun.table { u = y, v = y, kind = by })
        refused("options 'by' and 'names' exclude each other", { by = by, names = { "n" } })
        refused("unknown option 'bye': the options are by, colour, file, graphics, height, ", { by = by, bye = 1 })
    end)

    it("keeps a legend within its room", function()
        local names = {}
        for i = 1, 8 do
            names[i] = ("a rather long name %d"):format(i)
        end
        local lines = lines_of(drawn(lun.index(8), { by = names }))
        assert.equal(12 + 4, #lines)
        for _, line in ipairs(lines) do
            assert.is_true(utf8.len(line) <= 60, line)
        end
    end)
end)

describe("option step", function()
    it("draws stairs", function()
        local _, lines = charted(lun.vector { 1.0, 3, 2 }, { step = true })
        local line = lines[1]
        assert.equal(11, #line)
        assert.same({ line[3], line[4], line[7], line[8] }, { line[5], line[6], line[9], line[10] })
        assert.is_true(line[5] > line[7] and line[8] == line[10] or line[7] < line[5])
        for i = 4, #line, 2 do -- each piece goes along one axis
            assert.is_true(line[i] == line[i - 2] or line[i + 1] == line[i - 1])
        end
    end)

    it("has gaps, and excludes points", function()
        local _, lines = charted(lun.vector { 1.0, 3, lun.na, 2, 5 }, { step = true })
        assert.equal(2, #lines)
        expect.failure("options 'step' and 'points' exclude each other", lun.plot, lun.index(3), { step = true, points = true })
    end)
end)

describe("axes of dates", function()
    it("come with date and timestamp columns in both directions", function()
        local days = lun.date.range("2012-01-01", "2015-12-31", "1d")
        local text = drawn(days, lun.index(1461), {})
        assert.is_truthy(text:find "2012 +2013 +2014 +2015")
        assert.equal("2015 2014 2013 2012", y_labels(drawn(days, {})))
        local seconds = lun.date.range("2024-02-29 10:00:00", "2024-02-29 10:00:20", "1s")
        assert.is_truthy(drawn(seconds, lun.index(21), { width = 80 }):find "10:00:00 +10:00:05 +10:00:10 +10:00:15 +10:00:20")
        local soon = seconds:take(lun.ones(2, "i64")) + lun.duration(lun.vector { 0, 0.06 })
        assert.is_truthy(drawn(soon, lun.index(2), { width = 80 }):find "10:00:00.000 +10:00:00.020 +10:00:00.040 +10:00:00.060")
    end)

    it("have their labels within the picture at both ends", function()
        local text = charted(lun.date.range("2024-01-01", "2024-12-31", "1d"), lun.index(366) % 5 + 1, {})
        local found = 0
        for _, one in ipairs(words_of(text)) do
            if one[1]:find "^2024" then
                local half = #one[1] * 13 * 0.6 / 2 -- of 13 high, 0.6 of that wide
                assert.is_true(one[2] - half > 0 and one[2] + half < 800, one[1] .. " at " .. one[2])
                found = found + 1
            end
        end
        assert.is_true(found >= 2)
    end)

    it("are of numbers of days with xdate", function()
        assert.is_truthy(drawn(lun.vector { 15340, 16800 }, lun.index(2), { xdate = true }):find "2012 +2013 +2014 +2015")
    end)

    it("have gaps where a date or a value is missing", function()
        local days = lun.date.range("2012-01-01", "2012-01-06", "1d")
        local _, lines = charted(days, lun.vector { 1, 2, lun.na, 4, 5, 6 }, {})
        assert.same({ 5, 7 }, { #lines[1], #lines[2] })
        local holed = lun.where(lun.vector { true, true, true, false, true, true }, days, lun.na)
        _, lines = charted(holed, lun.index(6), {})
        assert.same({ 7, 5 }, { #lines[1], #lines[2] })
    end)
end)

describe("a long line over x", function()
    it("shows its extremes and its gaps", function()
        local n = 200000
        local y = lun.zeros(n)
        y[70001], y[140003] = 5, -3
        local _, lines = charted(lun.range(1, n) * 0.001, y, {})
        local top, bottom = math.huge, -math.huge
        for i = 3, #lines[1], 2 do
            top, bottom = math.min(top, lines[1][i]), math.max(bottom, lines[1][i])
        end
        assert.same({ 1, 14, 445 }, { #lines, top, bottom })
        y:sub(90000, 110000):fill(nan)
        _, lines = charted(lun.range(1, n) * 0.001, y, {})
        assert.equal(2, #lines)
    end)
end)
