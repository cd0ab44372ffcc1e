-- Pictures with a row for each label: lun.bars and lun.box, in letters and in SVG. Boxes against quartiles of pandas.
local lun = require "lunarray"
local expect = require "expect"
local shell = require "shell"
local pandas = dofile "tests/spec/show/box_values.lua"

local nan, inf = 0.0 / 0.0, math.huge
local directory

setup(function()
    directory = shell.scratch()
end)

teardown(function()
    shell.discard(directory)
end)

local function lines_of(text)
    local lines = {}
    for line in (text .. "\n"):gmatch "([^\n]*)\n" do
        lines[#lines + 1] = line
    end
    return lines
end

-- A picture as SVG: its text, and a function from a place along the x axis to the value there, by the ticks.
local function charted(f, ...)
    local arguments = table.pack(...)
    arguments[arguments.n].file = directory .. "/r.svg"
    assert.is_true(f(table.unpack(arguments, 1, arguments.n)))
    local text, ticks = shell.slurp(directory .. "/r.svg"), {}
    for x, label in text:gmatch '<text x="([%d.]+)" y="[%d.]+" font%-size="13" fill="#333333" text%-anchor="middle">(-?[%d.]+)<' do
        ticks[#ticks + 1] = { tonumber(x), tonumber(label) }
    end
    local first, last = ticks[1], ticks[#ticks]
    return text, function(x)
        return first[2] + (x - first[1]) / (last[1] - first[1]) * (last[2] - first[2])
    end
end

-- The numbers in each of the captures of a pattern.
local function all_of(text, pattern)
    local found = {}
    for a, b, c, d in text:gmatch(pattern) do
        found[#found + 1] = { tonumber(a), tonumber(b), tonumber(c), tonumber(d) }
    end
    return found
end

local BAR = '<rect x="([%d.]+)" y="([%d.]+)" width="([%d.]+)" height="([%d.]+)" fill="#1f77b4"/>'

describe("lun.bars", function()
    it("draws a bar for each label, in the order given, with its value", function()
        assert.equal("rain  |████████████████████████████ 3\nsun   |██████████████ 1.5\nfog   |▏ 0.01\nnever | 0",
            lun.bars({ "rain", "sun", "fog", "never" }, { 3, 1.5, 0.01, 0 }, { string = true, width = 40 }))
        local t = lun.table({ kind = { "a", "b" }, n = { 2, 4 } }, { "kind", "n" })
        assert.equal("a |████████▌ 2\nb |█████████████████ 4",
            lun.bars(t, { x = "kind", y = "n", string = true, width = 22 }))
        assert.equal("2012-01-31 |██████ 1\n2012-02-01 |██████ 1",
            lun.bars(lun.date.range("2012-01-31", "2012-02-01", "1d"), lun.vector { true, true }, { string = true, width = 20 }))
    end)

    it("draws negative values to the left of the axis, none for missing ones", function()
        assert.equal("a -2 █████|\nb         |██████████ 4\nc   -1 ▐██|\nd         | -\ne         |▏ 1e-9",
            lun.bars({ "a", "b", "c", "d", "e" }, lun.vector { -2, 4, -1, lun.na, 1e-9 }, { string = true, width = 26 }))
        local lines = lines_of(lun.bars({ "a", "b", "c", "d" }, { nan, inf, -inf, 1 }, { string = true }))
        assert.matches("^a +| nan$", lines[1])
        assert.matches("^b +| inf$", lines[2])
        assert.matches("^c +%-inf |$", lines[3])
        assert.equal("a | -", lun.bars({ "a" }, lun.vector { lun.na } * 1.0, { string = true }))
    end)

    it("sorts, and shows the most", function()
        local n = 100000
        local text = lun.bars(lun.range(1, n), lun.range(1, n) % 1000, { string = true, sort = true, most = 2, width = 30 })
        local bar = ("█"):rep(20)
        assert.equal(("999  |%s 999\n1999 |%s 999\n... 99998 more"):format(bar, bar), text)
        assert.matches("\n%.%.%. 99950 more$", lun.bars(lun.range(1, n), lun.range(1, n), { string = true }))
        assert.matches("^c[^\n]*\na[^\n]*\nb[^\n]*%-$",
            lun.bars({ "a", "b", "c" }, lun.vector { 1, lun.na, 2 }, { string = true, sort = true }))
    end)

    it("keeps to its room, with a title and labels", function()
        local labels, values = {}, {}
        for i = 1, 10 do
            labels[i], values[i] = ("x"):rep(7 * i), (i - 4) * 1234567.25
        end
        local text = lun.bars(labels, values, { string = true, width = 80, title = "a title", xlabel = "euros", ylabel = "names" })
        local lines = lines_of(text)
        assert.equal(13, #lines)
        assert.matches("^ +a title$", lines[1])
        assert.equal("names", lines[2])
        assert.matches("^ +euros$", lines[13])
        for _, line in ipairs(lines) do
            assert.is_true(utf8.len(line) <= 80, line)
        end
        assert.is_true(utf8.len(lines[12]) > 70)
    end)

    it("draws into files, as long as the values say", function()
        local values = { 3, -4.5, 1, -0.25 }
        local text, value = charted(lun.bars, { "a", "b", "c", "d" }, values, { title = "t", xlabel = "m" })
        local bars = all_of(text, BAR)
        assert.equal(4, #bars)
        for i, bar in ipairs(bars) do
            local from, to = value(bar[1]), value(bar[1] + bar[3])
            assert.is_true(math.abs(math.min(values[i], 0) - from) < 0.02, from)
            assert.is_true(math.abs(math.max(values[i], 0) - to) < 0.02, to)
            assert.is_true(i == 1 or bar[2] > bars[i - 1][2] + bars[i - 1][4]) -- apart, downwards
        end
        for _, word in ipairs { "a", "d", "-4.5", "-0.25", "3", "t", "m" } do
            assert.is_truthy(text:find(">" .. word .. "</text>", 1, true), word)
        end
        charted(lun.bars, { "a", "b" }, { inf, 1e308 }, {})
        charted(lun.bars, { "a", "b" }, { -1e308, 1e308 }, {})
        charted(lun.bars, { "a" }, lun.vector { lun.na }, {})
        assert.is_falsy(shell.slurp(directory .. "/r.svg"):find '"[^"]*nan[^"]*"')
        assert.is_true(lun.bars({ "a" }, { 1 }, { file = directory .. "/r.png", width = 200, height = 120 }))
        local height, width = lun.load(directory .. "/r.png"):shape()
        assert.same({ 120, 200 }, { height, width })
    end)

    it("refuses what has no bars", function()
        local function refused(message, ...)
            expect.failure("bad argument " .. message, lun.bars, ...)
        end
        refused("#1 to 'bars' (array, or a list of texts, expected, got number)", 1)
        refused("#2 to 'bars' (array, or a list of numbers, expected, got nil)", { "a" })
        refused("#1 to 'bars' (array, or a list of texts, expected, got a list with a number at 2)", { "a", 1 }, { 1, 2 })
        refused("#2 to 'bars' (array, or a list of numbers, expected, got a list with a string at 2)", { "a", "b" }, { 1, "x" })
        refused("#2 to 'bars' (a Vector of numbers expected, got text[1])", { "a" }, lun.vector { "x" })
        refused("#2 to 'bars' (lengths differ: 2 labels and 1 values)", { "a", "b" }, { 1 })
        refused("#1 to 'bars' (no labels)", {}, {})
        refused("#3 to 'bars' (unknown option 'sorted': the options are colour, file, graphics, height, most, sort, string, title, width, "
            .. "x, xlabel, y, ylabel)", { "a" }, { 1 }, { sorted = true })
        refused("#3 to 'bars' (option 'most': a number of rows, at least 1, expected)", { "a" }, { 1 }, { most = 0 })
        refused("#3 to 'bars' (options 'x' and 'y' name columns of a table, and this is table)", { "a" }, { 1 }, { x = "a" })
        local t = lun.table { kind = { "a" }, n = { 1 } }
        refused("#2 to 'bars' (option 'y': the name of a column expected)", t, { x = "kind" })
        refused("#2 to 'bars' (option 'y': there is no column 'm')", t, { x = "kind", y = "m" })
        refused("#1 to 'bars' (a Vector of numbers expected, got text[1])", t, { x = "n", y = "kind" })
    end)
end)

describe("lun.box", function()
    local w

    setup(function()
        w = assert(lun.load "examples/data/seattle-weather.csv")
    end)

    -- The boxes of an SVG text: { least within, quartiles, greatest within, number of dots } from above.
    local function boxes_of(text, value)
        local boxes = {}
        local LINE = '<polyline points="([%d.]+),([%d.]+) ([%d.]+),([%d.]+)" fill="none" stroke="#'
        local middles = all_of(text, LINE .. '333333" stroke%-width="2"')
        local strokes = all_of(text, LINE .. '1f77b4" stroke%-width="1.4"')
        for i, at in ipairs(all_of(text, (BAR:gsub("1f77b4", "b8d4ea")))) do
            local y = at[2] + at[4] / 2
            local low, high, dots = inf, -inf, 0
            for _, stroke in ipairs(strokes) do
                if math.abs((stroke[2] + stroke[4]) / 2 - y) < 0.1 then
                    low, high = math.min(low, stroke[1]), math.max(high, stroke[3])
                end
            end
            for dot in text:gmatch '<circle cx="[%d.]+" cy="([%d.]+)"' do
                dots = dots + (math.abs(dot - y) < 0.1 and 1 or 0)
            end
            boxes[i] = { value(low), value(at[1]), value(middles[i][1]), value(at[1] + at[3]), value(high), dots }
        end
        return boxes
    end

    local function compare(expected, got)
        for i = 1, 5 do
            assert.is_true(math.abs(expected[i] - got[i]) < 0.03, ("%g, not %g"):format(got[i], expected[i]))
        end
        assert.equal(math.min(expected[6], 200), got[6])
    end

    it("draws quartiles, whiskers and points outside, of columns and of groups", function()
        local text, value = charted(lun.box, w, {})
        local boxes = boxes_of(text, value)
        local columns = { "precipitation", "temp_max", "temp_min", "wind" }
        assert.equal(4, #boxes)
        for i, name in ipairs(columns) do
            compare(pandas[name].all, boxes[i])
            text, value = charted(lun.box, w, { x = name, by = "weather" })
            local groups = boxes_of(text, value)
            assert.equal(5, #groups)
            for k, kind in ipairs { "drizzle", "fog", "rain", "snow", "sun" } do
                compare(pandas[name][kind], groups[k])
            end
        end
        assert.is_truthy(charted(lun.box, w, {}):find(">6 points outside are not shown<", 1, true))
        text, value = charted(lun.box, w.wind, w.weather, {})
        compare(pandas.wind.fog, boxes_of(text, value)[2])
    end)

    it("draws the same in letters", function()
        local lines = lines_of(lun.box(w.wind, w.weather, { string = true, width = 80, title = "wind", xlabel = "m/s" }))
        assert.equal(9, #lines)
        assert.matches("^ +wind$", lines[1])
        assert.matches("^ +m/s$", lines[9])
        local from = utf8.len(lines[2]:match "^.-│")
        local ticks, at = {}, {}
        for place, c in utf8.codes(lines[7]) do
            if c == utf8.codepoint "┬" then
                at[#at + 1] = utf8.len(lines[7], 1, place) - from
            end
        end
        for label in lines[8]:gmatch "%d+" do
            ticks[#ticks + 1] = tonumber(label)
        end
        assert.same({ 2, 4, 6, 8 }, ticks)
        local unit = (at[4] - at[1]) / 6
        for i, kind in ipairs { "drizzle", "fog", "rain", "snow", "sun" } do
            local row, cells = lines[i + 1], {}
            assert.equal(kind, row:match "^%a+")
            for place, c in utf8.codes(row) do
                local cell = utf8.len(row, 1, place) - from
                cells[utf8.char(c)] = cells[utf8.char(c)] or {}
                table.insert(cells[utf8.char(c)], at[1] and 2 + (cell - at[1]) / unit)
            end
            local expected = pandas.wind[kind]
            for k, mark in ipairs { "├", "▒", "┃", "▒", "┤" } do
                local places = cells[mark]
                local place = k == 4 and places[#places] or places[1]
                assert.is_true(math.abs(place - expected[k]) <= 1.1 / unit, kind .. " " .. mark)
            end
            assert.equal(expected[6] > 0, cells["•"] ~= nil)
        end
    end)

    it("takes all that has no box, and few elements", function()
        local function text(...)
            return lun.box(...)
        end
        local lines = lines_of(text(lun.vector { 1, 2, nan, inf, lun.na, 10 }, lun.vector { 1, 1, 1, 1, 1, 2 }, { string = true }))
        assert.equal(5, #lines)
        assert.matches("^2 │ +┃$", lines[2])
        assert.equal("2 nan or inf skipped", lines[5])
        assert.matches("^ │\n └", text(lun.vector { lun.na, lun.na } * 1.0, { string = true }))
        assert.matches("^ │ +┃\n", text(lun.full(9, 5), { string = true }))
        assert.matches("\n 2014", text(w.date, { string = true }):gsub(" +", " "):gsub("2012 2013 ", ""))
        charted(lun.box, lun.vector { 1e308, -1e308 }, { width = 120, height = 120 })
        local holed = lun.vector { lun.na, "a", "b", "a" }
        lines = lines_of(text(lun.vector { 1, 2, 3, 4 }, holed, { string = true }))
        assert.matches("^a       │.*b       │.*missing │", table.concat(lines, "\n"))
        lines = lines_of(text(lun.vector { 1, 2, 3 }, lun.vector { true, false, true }, { string = true }))
        assert.matches("^false │.*\ntrue  │", table.concat(lines, "\n"))
    end)

    it("shows the twenty most frequent of many groups, by their values", function()
        local n = 100000
        local x = lun.range(1, n)
        local lines = lines_of(lun.box(x % 7, lun.where(x:le(100), 5, x), { string = true }))
        assert.equal(23, #lines)
        assert.equal("5", lines[1]:match "^%d+")
        assert.equal(("... %d more"):format(n - 100 + 1 - 20), lines[23])
    end)

    it("refuses what has no rows", function()
        local function refused(message, ...)
            expect.failure("bad argument " .. message, lun.box, ...)
        end
        refused("#1 to 'box' (array, or a table of columns, expected, got string)", "x")
        refused("#1 to 'box' (a Vector of numbers expected, got text[1])", lun.vector { "x" })
        refused("#1 to 'box' (a Vector of numbers expected, got f64[2, 2])", lun.zeros { 2, 2 })
        refused("#1 to 'box' (the array has no elements)", lun.zeros(0))
        refused("#1 to 'box' (a table without columns of numbers)", lun.table { s = { "x" } }, {})
        refused("#2 to 'box' (groups: as many elements as the picture has expected, 3, got text[1])", lun.index(3), { "a" })
        refused("#2 to 'box' (groups: a column of texts, bools or integers expected, got f64[3])", lun.index(3), lun.zeros(3))
        refused("#2 to 'box' (option 'x': there is no column 'q')", w, { x = "q" })
        refused("#2 to 'box' (option 'x': the name of a column expected)", w, { by = "weather" })
        refused("#2 to 'box' (unknown option 'most': the options are by, colour, file, graphics, height, string, title, width, x, xlabel, "
            .. "ylabel)", lun.index(3), { most = 3 })
    end)
end)
