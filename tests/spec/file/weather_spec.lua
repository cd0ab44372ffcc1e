-- The weather example: its figures against plain Lua's, its picture, its manners, and bad input.
local lfs = require "lfs"
local shell = require "shell"
local terminal = require "terminal"

local DATA = "examples/data/seattle-weather.csv"
local directory

local function write(text, name)
    return shell.write(directory .. "/" .. (name or "t.csv"), text)
end

-- What a command writes to stdout and stderr, its exit status, and the line of stderr that counts kernels.
local function capture(command)
    local errors = directory .. "/stderr"
    local pipe = assert(io.popen(("%s 2>%s; echo \"status $?\""):format(command, errors)))
    local out = pipe:read "a"
    pipe:close()
    local status = out:match "status (%d+)\n$"
    local counted
    local complaint = shell.slurp(errors):gsub("%d+ kernels ran and moved [^\n]*\n$", function(line)
        counted = line
        return ""
    end)
    return out:gsub("status %d+\n$", ""), complaint, tonumber(status), counted
end

local function weather(arguments, before)
    return capture(("%s %s examples/weather.lua %s"):format(before or "", shell.interpreter(), arguments))
end

local function lines_of(text)
    local lines = {}
    for line in text:gmatch "([^\n]*)\n" do
        lines[#lines + 1] = line
    end
    return lines
end

-- The file's days as plain Lua tables, read without Lunarray.
local function days_of(path)
    local days = {}
    for line in io.lines(path) do
        local date, rain, high, low, wind = line:match "^([%d-]+),([%d.]+),([%d.-]+),([%d.-]+),([%d.]+),"
        if date then
            days[#days + 1] = { date = date, year = date:sub(1, 4), rain = tonumber(rain), high = tonumber(high),
                low = tonumber(low), wind = tonumber(wind) }
        end
    end
    return days
end

-- The line of the table for these days, computed one day at a time.
local function expected_line(name, days)
    local s = { mean = 0, felt = 0, low = math.huge, high = -math.huge, frost = 0, rain = 0, wet = 0,
        heat = 0, cool = 0 }
    for _, d in ipairs(days) do
        local mean, kmh = (d.high + d.low) / 2, d.wind * 3.6
        local felt = mean
        if mean <= 10 and kmh > 4.8 then
            felt = 13.12 + 0.6215 * mean - 11.37 * kmh ^ 0.16 + 0.3965 * mean * kmh ^ 0.16
        end
        s.mean, s.felt = s.mean + mean / #days, s.felt + felt / #days
        s.low, s.high = math.min(s.low, d.low), math.max(s.high, d.high)
        s.frost, s.wet = s.frost + (d.low < 0 and 1 or 0), s.wet + (d.rain >= 1 and 1 or 0)
        s.rain = s.rain + d.rain
        s.heat, s.cool = s.heat + math.max(18 - mean, 0), s.cool + math.max(mean - 18, 0)
    end
    local so_far, half = 0, ""
    for _, d in ipairs(days) do
        so_far = so_far + d.rain
        if name ~= "All" and half == "" and so_far >= s.rain / 2 then
            half = d.date:sub(6)
        end
    end
    return (" %4s %5.1f %5.1f %6.1f %7.1f %5d %7.1f %4d %7s %7.0f %7.0f"):format(name, s.mean, s.felt, s.low, s.high,
        s.frost, s.rain, s.wet, half, s.heat, s.cool)
end

describe("examples/weather.lua", function()
    local out, errors, status

    setup(function()
        directory = shell.scratch()
        out, errors, status = weather(DATA)
    end)

    teardown(function()
        shell.discard(directory)
    end)

    it("succeeds and is silent on stderr", function()
        assert.same({ "", 0 }, { errors, status })
    end)

    it("prints the figures that plain Lua computes", function()
        local days = days_of(DATA)
        assert.equal(1461, #days)
        local found = {}
        for _, line in ipairs(lines_of(out)) do
            local name = line:match "^ (%d%d%d%d) " or line:match "^  (All) "
            if name then
                local own = {}
                for _, day in ipairs(days) do
                    if name == "All" or day.year == name then
                        own[#own + 1] = day
                    end
                end
                assert.equal(expected_line(name, own), line)
                found[#found + 1] = name
            end
        end
        assert.same({ "2012", "2013", "2014", "2015", "All" }, found)
    end)

    it("says how many kernels ran and what they moved", function()
        local _, _, _, counted = weather(DATA)
        local kernels = counted and counted:match "^(%d+) kernels ran and moved [%d.]+ [kM]?B%.\n$"
        assert.is_truthy(kernels, counted)
        assert.is_true(tonumber(kernels) > 4)
    end)

    it("draws 52 weeks, warm in summer", function()
        local rows = {}
        for line in out:match("\nThe weeks of(.-)\nHighs"):gmatch "[^\n]*[┤│][^\n]*" do
            local picture = line:match "┤(.*)" or line:match "│(.*)"
            local signs = {}
            for _, c in utf8.codes(picture or "") do
                signs[#signs + 1] = utf8.char(c)
            end
            if picture then
                rows[#rows + 1] = signs
            end
        end
        assert.is_true(#rows > 10 and #rows < 30)
        -- The highest line of the average band in a week, counted from the top.
        local function top(week)
            for i, signs in ipairs(rows) do
                local sign = signs[week]
                if sign == "█" or sign == "▄" or sign == "▀" then
                    return i
                end
            end
        end
        for week = 1, 52 do
            assert.is_number(top(week))
        end
        assert.is_true(top(31) < top(18) and top(18) < top(3) and top(31) < top(45))
        for _, signs in ipairs(rows) do
            assert.is_true(#signs <= 52)
        end
    end)

    it("plots means of 30 days over the years", function()
        local plot = out:match "\nHighs and lows[^\n]*\n\n(.-)\n$"
        local years, series = plot:match "└[─┬]+\n([^\n]*)\n([^\n]*)$"
        assert.matches("^ +2012%-07 +2013%-01 +2013%-07 .* 2015%-07$", years)
        assert.matches("^ +high   low$", series)
        local ticks = {}
        for label in plot:gmatch "(%d+) ┤" do
            ticks[#ticks + 1] = tonumber(label)
        end
        assert.same({ 25, 20, 15, 10, 5, 0 }, ticks)
    end)

    it("is UTF-8 of at most 80 columns, without escapes where there is no terminal", function()
        assert.is_number(utf8.len(out))
        assert.is_nil(out:find "\27")
        for _, line in ipairs(lines_of(out)) do
            assert.is_true(utf8.len(line) <= 80, line)
            assert.is_nil(line:find " $", line)
        end
    end)

    it("uses colours on a terminal unless NO_COLOR is set", function()
        local here = shell.capture "pwd":gsub("\n$", "")
        local function on_terminal(environment)
            local _, raw = terminal.run({}, { environment = environment,
                arguments = ("'%s/examples/weather.lua' '%s/%s'"):format(here, here, DATA) })
            return raw
        end
        local coloured = on_terminal "NO_COLOR= TERM=xterm-256color"
        assert.is_truthy(coloured:find "\27%[38;5;%d+m")
        local plain = coloured:gsub("\27%[[%d;]*m", ""):gsub("\r\n", "\n"):gsub("██ (%a)", "%1")
        assert.equal(out, plain:match "(Weather of.*\n)%d+ kernels")
        assert.is_nil(on_terminal "NO_COLOR=1 TERM=xterm-256color":find "\27%[")
        assert.is_nil(on_terminal "NO_COLOR= TERM=dumb":find "\27%[")
    end)

    it("says the same in stock Lua with the module", function()
        local build = os.getenv "BUILD" or "build"
        local there = lfs.attributes(build .. "/lunarray.so") and os.execute "command -v lua5.4 >/dev/null"
        if not there or build:find "[at]san" then -- stock Lua cannot load what a sanitizer instruments
            pending "no module, or no stock Lua 5.4 to load it"
            return
        end
        local stock, complaint, code = capture(("LUA_PATH='lua/?.lua;lua/?/init.lua' LUA_CPATH='%s/?.so' "
            .. "lua5.4 examples/weather.lua %s"):format(build, DATA))
        assert.same({ "", 0 }, { complaint, code })
        assert.equal(out, stock)
    end)

    it("does with a part of a year, and without a picture then", function()
        local head = {}
        for line in io.lines(DATA) do
            head[#head + 1] = line
            if #head == 101 then
                break
            end
        end
        local short, complaint, code = weather(write(table.concat(head, "\n")))
        assert.same({ "", 0 }, { complaint, code })
        assert.matches("^Weather of 100 days, 2012%-01%-01 to 2012%-04%-09\n", short)
        assert.matches("\n 2012 ", short)
        assert.is_nil(short:find "All")
        assert.is_nil(short:find "┤")
    end)

    it("does with a single dry day", function()
        local one, complaint, code = weather(write "date,precipitation,temp_max,temp_min,wind\n2020-02-29,0,20,10,1\n")
        assert.same({ "", 0 }, { complaint, code })
        assert.matches("\n 2020  15%.0  15%.0   10%.0    20%.0     0     0%.0    0       %-       3       0\n", one)
    end)

    describe("refuses", function()
        local header = "date,precipitation,temp_max,temp_min,wind,weather\n"
        local cases = {
            { "an empty file", "", "line 1: the file is empty; a header line was expected" },
            { "a header alone", header, "a header, but no days" },
            { "a file without a column", "date,precipitation,temp_max,wind\n2012-01-01,0,1,2\n",
                "no column 'temp_min'; there are date, precipitation, temp_max, wind" },
            { "a file without dates", "precipitation,temp_max,temp_min,wind\n0,1,0,2\n", "no column 'date'" },
            { "text among numbers", header .. "2012-01-01,0,1,0,2,x\n2012-01-02,0,hot,0,2,x\n",
                "'hot' in row 2 of column 'temp_max' is no number" },
            { "a gap", header .. "2012-01-01,0,1,0,2,x\n2012-01-02,0,1,0,,x\n",
                "column 'wind' has no number in 1 of 2 rows" },
            { "dates of another kind", header .. "01.02.2012,0,1,0,2,x\n", "row 1: '01.02.2012' is no date such as" },
            { "a thirteenth month", header .. "2012-13-01,0,1,0,2,x\n", "row 1: '2012-13-01' is no date such as" },
            { "numbers for dates", header .. "2012,0,1,0,2,x\n", "column 'date' does not hold dates" },
            { "dates out of order", header .. "2012-01-02,0,1,0,2,x\n2012-01-01,0,1,0,2,x\n",
                "the date 2012-01-01 in row 2 does not follow 2012-01-02" },
            { "a ragged file", header .. "2012-01-01,0,1,0,2\n", "line 2: 5 fields, but the header has 6" },
        }
        for _, case in ipairs(cases) do
            it(case[1], function()
                local path = write(case[2])
                local printed, complaint, code = weather(path)
                assert.same({ "", 1 }, { printed, code })
                local line = ("weather: %s: %s"):format(path, case[3])
                assert.equal(line, complaint:sub(1, #line))
                assert.equal(#complaint, complaint:find "\n", complaint)
            end)
        end

        it("a missing file, a file of another kind and no file at all", function()
            local printed, complaint, code = weather(directory .. "/none.csv")
            assert.same({ "", ("weather: %s/none.csv: No such file or directory\n"):format(directory), 1 },
                { printed, complaint, code })
            printed, complaint, code = weather ""
            assert.same({ "", 1 }, { printed, code })
            assert.matches("^weather: which file%? usage: [^\n]*\n$", complaint)
        end)
    end)
end)
