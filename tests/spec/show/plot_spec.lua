-- Pictures in the terminal: what they show of the data, their size, and what they refuse.

package.path = "tests/?.lua;" .. package.path
local terminal = require "terminal"

local nan, inf = 0 / 0, math.huge

local function lines_of(text)
    local lines = {}
    for line in (text .. "\n"):gmatch "([^\n]*)\n" do
        lines[#lines + 1] = line
    end
    return lines
end

local function widest(text)
    local most = 0
    for _, line in ipairs(lines_of(text)) do
        most = math.max(most, utf8.len(line))
    end
    return most
end

-- The dots of a plot as { [column] = { lowest, highest } }, counted from the left and the bottom.
local BITS = { { 1, 0, 0 }, { 2, 0, 1 }, { 4, 0, 2 }, { 8, 1, 0 }, { 16, 1, 1 }, { 32, 1, 2 }, { 64, 0, 3 }, { 128, 1, 3 } }
local function dots(text)
    local rows = {}
    for _, line in ipairs(lines_of(text)) do
        rows[#rows + 1] = line:match "│(.*)" or line:match "┤(.*)"
    end
    local columns = {}
    for r, row in ipairs(rows) do
        local at = 0
        for _, c in utf8.codes(row) do
            for _, bit in ipairs(c >= 0x2800 and c < 0x2900 and BITS or {}) do
                if c - 0x2800 & bit[1] ~= 0 then
                    local x, y = 2 * at + bit[2], 4 * #rows - 1 - (4 * (r - 1) + bit[3])
                    columns[x] = columns[x] or { y, y }
                    columns[x][1], columns[x][2] = math.min(columns[x][1], y), math.max(columns[x][2], y)
                end
            end
            at = at + 1
        end
    end
    return columns, 4 * #rows - 1
end

local function plot(...)
    local arguments = table.pack(...)
    local opts = { string = true, width = 60, height = 10 }
    local last = arguments[arguments.n]
    if type(last) == "table" and last.opts then
        arguments.n = arguments.n - 1
        for k, v in pairs(last.opts) do
            opts[k] = v
        end
    end
    arguments[arguments.n + 1] = opts
    return lun.plot(table.unpack(arguments, 1, arguments.n + 1))
end

local function refuses(part, f, ...)
    local ok, message = pcall(f, ...)
    assert.is_false(ok)
    assert.is_truthy(message:find(part, 1, true), message)
end

describe("lun.plot", function()
    it("draws a rising line from corner to corner", function()
        local columns, top = dots(plot(lun.index(50)))
        assert.same({ 0, 0 }, { columns[0][1], columns[0][1] })
        local last = 2 * 48 - 1
        assert.equal(top, columns[last][2])
        for x = 1, last do
            assert.is_true(columns[x][1] >= columns[x - 1][1])
        end
    end)

    it("labels the axes and shows the title", function()
        local text = plot(lun.linspace(-5, 5, 100), { opts = { title = "a title" } })
        local lines = lines_of(text)
        assert.is_truthy(lines[1]:find("a title", 1, true))
        local labels = {}
        for _, line in ipairs(lines) do
            labels[#labels + 1] = line:match "^ *(%S+) ┤"
        end
        assert.same({ "4", "2", "0", "-2", "-4" }, labels)
        assert.is_truthy(lines[13]:find "^ +20 +40 +60 +80 +100$")
        assert.equal(5, select(2, lines[12]:gsub("┬", "")))
    end)

    it("marks the dots where its ticks say", function()
        local y = lun.vector { 0, 10, 20, 30, 40, 30, 20, 10, 0 }
        local lines = lines_of(plot(y, { opts = { height = 21 } }))
        for row, line in ipairs(lines) do
            local label = tonumber(line:match "^ *(%d+) ┤")
            if label then
                assert.equal(math.floor(label / 40 * 83 + 0.5) // 4, 21 - row)
            end
        end
        local columns, ticks = {}, {}
        for at, c in utf8.codes(lines[22]) do
            if c == utf8.codepoint "┬" then
                columns[#columns + 1] = utf8.len(lines[22], 1, at) - utf8.len(lines[22]:match "^.-└")
            end
        end
        for label in lines[23]:gmatch "%d+" do
            ticks[#ticks + 1] = tonumber(label)
        end
        assert.is_true(#ticks >= 4)
        for k, tick in ipairs(ticks) do
            assert.equal(math.floor((tick - 1) / 8 * 95 + 0.5) // 2 + 1, columns[k])
        end
    end)

    it("has dates where x is a list of them", function()
        local dates, y = {}, {}
        for i = 1, 1461 do
            dates[i] = os.date("!%Y-%m-%d", (15339 + i) * 86400)
            y[i] = i
        end
        local lines = lines_of(plot(dates, lun.vector(y)))
        assert.is_truthy(lines[#lines]:find "^ +2012 +2013 +2014 +2015$")
        local joined = dots(plot(dates, lun.vector(y)))
        assert.is_truthy(joined[40])
        lines = lines_of(plot({ "2012-01-01 00:00", "2012-01-02 00:00" }, { a = lun.index(2), b = lun.zeros(2) }))
        assert.is_truthy(lines[#lines - 1]:find "01%-01 %d%d:00 +01%-01 %d%d:00")
        assert.is_truthy(lines[#lines]:find "a   b$")
        refuses("bad argument #1 to 'plot' ('2012-02-30' at 2 is no date such as 2012-01-31)", lun.plot,
            { "2012-02-28", "2012-02-30" }, lun.index(2))
        refuses("bad argument #1 to 'plot' ('3' at 1 is no date such as 2012-01-31)", lun.plot, { 3 }, lun.index(1))
        refuses("bad argument #1 to 'plot' (array, or a list of dates, expected, got an empty table)", lun.plot, {},
            lun.index(1))
        refuses("lengths differ: 1 text and i64[2]", lun.plot, { "2012-01-01" }, lun.index(2))
    end)

    it("shows the extremes of an array much longer than the window", function()
        local a = lun.zeros(1000000, "f32")
        a[654321] = 5
        a[123456] = -3
        local text = plot(a)
        local columns, top = dots(text)
        assert.equal(top, columns[math.floor(654320 / 1000000 * 96)][2])
        assert.equal(0, columns[math.floor(123455 / 1000000 * 96)][1])
        assert.is_truthy(text:find "\n?%s*4 ┤")
    end)

    it("takes x and y, joined where x ascends and as points where not", function()
        local x = lun.linspace(0, 1, 20)
        local joined = dots(plot(x, x * x))
        local count = 0
        for _ in pairs(joined) do
            count = count + 1
        end
        assert.equal(96, count)
        count = 0
        for _ in pairs((dots(plot(lun.vector { 1, 0, 0.5 }, lun.vector { 1, 2, 3 })))) do
            count = count + 1
        end
        assert.equal(3, count)
    end)

    it("takes several series, by name or not", function()
        local x = lun.linspace(0, 6, 50)
        assert.is_truthy(plot(x, { sin = x:sin(), cos = x:cos() }):find "cos   sin$")
        assert.is_truthy(plot({ x, x * 2 }):find "1   2$")
        assert.is_truthy(plot({ x, x * 2 }, { opts = { names = { "one", "two" } } }):find "one   two$")
    end)

    it("leaves out what is not finite", function()
        local text = plot(lun.vector { 1, nan, 3, inf, 5, -inf })
        assert.is_falsy(text:lower():find "nan" or text:lower():find "inf")
        assert.is_truthy(text:find "5 ┤")
        local columns = dots(text)
        assert.is_nil(columns[19]) -- where the nan is
        assert.is_truthy(plot(lun.vector { nan, nan }):find "0 ┤")
        local long = lun.full(100000, nan)
        long[5] = 7
        assert.is_truthy(plot(long):find "7%.?%d* ┤")
    end)

    it("takes one element, equal ones, huge ones, all dtypes", function()
        for _, a in ipairs { lun.vector { 3 }, lun.full(10, 2), lun.vector { -1e308, 1e308 }, lun.vector { true, false },
            lun.vector({ 1, 255 }, "u8"), lun.vector { math.mininteger, math.maxinteger } } do
            local text = plot(a)
            assert.equal(12, #lines_of(text))
            assert.is_truthy(next((dots(text))))
        end
    end)

    it("does not loop over a huge virtual array", function()
        lun.stats "reset"
        plot(lun.index(1 << 61)) -- no machine computes so many
        assert.is_true(lun.stats().launches < 1000, lun.stats().launches)
    end)

    it("keeps to its room, and without colours in a pipe", function()
        local width = widest(plot(lun.index(500)))
        assert.is_true(width > 50 and width <= 60)
        local pipe = io.popen(("COLUMNS=70 TERM=xterm-256color '%s' -e 'lun.plot(lun.index(1000):cast \"f64\":sin())'")
            :format(terminal.program))
        local text = pipe:read "a"
        pipe:close()
        assert.is_falsy(text:find "\27")
        assert.is_true(widest(text) <= 70)
    end)

    it("uses colours and the window's width at a terminal", function()
        local text, raw = terminal.run({}, { columns = 100, environment = "NO_COLOR=",
            arguments = [[-e 'local x = lun.linspace(0, 6, 50) lun.plot(x, { x:sin(), x:cos() })']] })
        assert.is_truthy(raw:find("\27[31m", 1, true) and raw:find("\27[34m", 1, true))
        assert.is_true(widest(text) > 80 and widest(text) <= 100)
    end)

    it("refuses what it cannot draw", function()
        refuses("bad argument #1 to 'plot' (array, or a table of arrays, expected, got nil)", lun.plot)
        refuses("array of rank 2", lun.plot, lun.zeros { 2, 2 })
        refuses("no elements", lun.plot, lun.zeros(0))
        refuses("lengths differ: i64[3] and i64[2]", lun.plot, lun.index(3), lun.index(2))
        refuses("unknown option 'colr'", lun.plot, lun.index(3), { colr = true })
        refuses("option 'width'", lun.plot, lun.index(3), { width = 3 })
        refuses("option 'ylim': {low, high} expected", lun.plot, lun.index(3), { ylim = { 2, 1 } })
    end)
end)

describe("lun.hist", function()
    local function counts(...)
        local text = lun.hist(...)
        local result = {}
        for _, line in ipairs(lines_of(text)) do
            result[#result + 1] = tonumber(line:match "| ?[^ ]* ?(%d+)$")
        end
        return result, text
    end

    it("counts every element once", function()
        local a = lun.random(10000, { seed = 3, dist = "normal" })
        local result = counts(a, 20, { string = true })
        assert.equal(20, #result)
        local sum = 0
        for _, count in ipairs(result) do
            sum = sum + count
        end
        assert.equal(10000, sum)
        local expected = 0
        local low, high = a:min(), a:max()
        local edge = low * (1 - 10 / 20) + high * (10 / 20)
        for _, x in a:iter() do
            expected = expected + (x < edge and 1 or 0)
        end
        local below = 0
        for i = 1, 10 do
            below = below + result[i]
        end
        assert.equal(expected, below)
    end)

    it("gives few integers a bar each", function()
        assert.same({ 1, 2, 0, 3 }, (counts(lun.vector { 1, 2, 2, 4, 4, 4 }, { string = true })))
        assert.same({ 2, 1 }, (counts(lun.vector { false, true, false }, { string = true })))
        assert.same({ 5 }, (counts(lun.full(5, 7), { string = true })))
    end)

    it("tells what it leaves out", function()
        local result, text = counts(lun.vector { 1, 2, nan, inf }, 2, { string = true })
        assert.same({ 1, 1 }, { result[1], result[2] })
        assert.is_truthy(text:find "2 nan or inf skipped$")
        assert.equal("no finite elements (1 nan or inf)", lun.hist(lun.vector { nan }, { string = true }))
    end)

    it("keeps to its room", function()
        local _, text = counts(lun.random(1000, { seed = 1 }), { string = true, width = 50, title = "random" })
        assert.is_true(widest(text) <= 50)
        assert.equal("random", lines_of(text)[1])
    end)

    it("refuses what it cannot count", function()
        refuses("bad argument #1 to 'hist' (array, or a list of texts, expected, got number)", lun.hist, 1)
        refuses("from 1 to 200", lun.hist, lun.index(3), 0)
        refuses("no elements", lun.hist, lun.zeros(0))
    end)
end)

describe("lun.image", function()
    local gray = lun.vector({ { 0, 255 }, { 0, 255 }, { 255, 0 }, { 255, 0 } }, "u8")

    it("is letters, dark to bright, without colours", function()
        assert.equal(" @\n@", lun.image(gray, { string = true }))
        local holes = lun.vector { { 2, 2 }, { 2, 2 }, { nan, nan }, { nan, inf } }
        assert.equal("@@\n??", lun.image(holes, { string = true, low = 0, high = 2 }))
    end)

    it("is half blocks in colours", function()
        assert.equal("\27[38;2;0;0;0;48;2;0;0;0m▀\27[38;2;255;255;255;48;2;255;255;255m▀\27[0m\n"
            .. "\27[38;2;255;255;255;48;2;255;255;255m▀\27[38;2;0;0;0;48;2;0;0;0m▀\27[0m",
            lun.image(gray, { string = true, colour = "true" }))
        local red = lun.vector({ { { 255, 0, 0 } } }, "u8")
        assert.equal("\27[0;38;2;255;0;0m▀\27[0m", lun.image(red, { string = true, colour = "true" }))
        assert.equal("\27[0;38;5;196m▀\27[0m", lun.image(red, { string = true, colour = "256" }))
    end)

    it("is made smaller to fit, by averages, and larger only on request", function()
        local big = lun.index(400 * 1000):reshape { 400, 1000 }:cast "f64"
        local text = lun.image(big, { string = true, width = 50 })
        assert.equal(50, widest(text))
        assert.equal(10, #lines_of(text))
        assert.equal("@", text:sub(-1))
        assert.equal("", lines_of(text)[1])
        assert.equal(2, widest(lun.image(gray, { string = true })))
        assert.equal(20, widest(lun.image(gray, { string = true, width = 20, height = 40 })))
        local checks = lun.index(200 * 200):reshape { 200, 200 } % 2 -- gray from afar
        assert.is_truthy(lun.image(checks, { string = true, width = 20 }):find "^[=+\n]+$")
    end)

    it("takes bool, constant and three-channel float arrays", function()
        assert.equal("@", lun.image(lun.vector { { true }, { true } }, { string = true }))
        assert.equal("", lun.image(lun.zeros { 2, 3 }, { string = true }))
        assert.is_truthy(lun.image(lun.random({ 4, 4, 3 }, { seed = 1 }), { string = true, colour = "true" }):find "▀")
    end)

    it("takes what lun.load gives", function()
        local path = os.tmpname() .. ".png"
        lun.save(path, gray)
        local a, most = lun.load(path)
        os.remove(path)
        os.remove((path:gsub("%.png$", "")))
        assert.equal(" @\n@", lun.image(a, most, { string = true }))
        assert.equal("+", lun.image(lun.vector { { 0.5 }, { 0.5 } }, 1, { string = true, low = 0 }))
    end)

    it("refuses what is no image", function()
        refuses("[height][width]", lun.image, lun.index(3))
        refuses("[height][width]", lun.image, lun.zeros { 2, 2, 5 })
        refuses("no elements", lun.image, lun.zeros { 0, 2 })
        refuses("array expected, got string", lun.image, "x")
    end)
end)
