-- Pictures of pixels in the terminal: kitty's graphics and sixel, decoded here; and when they are shown.

package.path = "tests/?.lua;" .. package.path
local lun = require "lunarray"
local expect = require "expect"
local pty = require "terminal"
local shell = require "shell"
local known = require "lunarray.base.terminal"

local directory

setup(function()
    directory = shell.scratch()
end)

teardown(function()
    shell.discard(directory)
end)

-- The bytes of a text in base64.
local function bytes_of(text)
    local digits, parts = {}, {}
    for i = 0, 63 do
        digits[("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"):sub(i + 1, i + 1)] = i
    end
    for four in text:gmatch "...." do
        local bits = 0
        for c in four:gmatch "." do
            bits = bits << 6 | (digits[c] or 0)
        end
        parts[#parts + 1] = string.pack(">I3", bits)
    end
    return table.concat(parts):sub(1, -1 - #text:match "=*$")
end

-- What kitty reads: the file of all pieces, and the keys of the first.
local function from_kitty(text)
    local parts, first, last = {}, nil, nil
    local rest = text:gsub("\27_G([^;]*);([^\27]*)\27\\", function(keys, piece)
        first = first or keys
        last = keys
        parts[#parts + 1] = piece
        assert.is_truthy(#piece == 4096 or #piece < 4096 and keys:find "m=0")
        return ""
    end)
    assert.matches("m=0$", last)
    assert.equal("", rest)
    return bytes_of(table.concat(parts)), first, #parts
end

-- What a terminal with sixel shows: { width =, height =, [row * width + column] = { red, green, blue } in percent },
-- counted from 0; nothing where no dot is.
local function from_sixel(text)
    local width, height, data = text:match '^\27P0;1;0q"1;1;(%d+);(%d+)(.*)\27\\$'
    local picture = { width = tonumber(width), height = tonumber(height) }
    local palette, x, y, colour, at, most = {}, 0, 0, nil, 1, 0
    local function put(c, count)
        for column = x, x + count - 1 do
            for k = 0, 5 do
                if c - 63 >> k & 1 == 1 then
                    assert(column < picture.width and y + k < picture.height, "a dot outside")
                    picture[(y + k) * picture.width + column] = palette[colour]
                end
            end
        end
        x = x + count
        most = math.max(most, x)
    end
    while at <= #data do
        local n, r, g, b, stop = data:match("^#(%d+);2;(%d+);(%d+);(%d+)()", at)
        local count, c
        if n then
            palette[tonumber(n)] = { tonumber(r), tonumber(g), tonumber(b) }
        else
            n, stop = data:match("^#(%d+)()", at)
            colour = n and tonumber(n) or colour
            assert(palette[colour], "no such colour")
        end
        if not stop then
            count, c, stop = data:match("^!(%d+)([?-~])()", at)
            if not count then
                count, c, stop = 1, data:match("^([?-~])()", at)
            end
            if c then
                put(c:byte(), tonumber(count))
            else
                c, stop = data:match("^([$-])()", at)
                assert(c, "an unknown character")
                x, y = 0, c == "-" and y + 6 or y
            end
        end
        at = stop
    end
    local colours = 0
    for _ in pairs(palette) do
        colours = colours + 1
    end
    return picture, colours
end

-- The pixels of a PNG file: its bytes of red, green, blue and maybe alpha, width, height, channels.
local function png(path)
    local a = assert(lun.load(path))
    local height, width, channels = a:shape()
    return a:tobytes(), width, height, channels
end

-- The largest and the mean difference of both pictures; -1 where one has a hole and the other none.
local function difference(picture, path)
    local bytes, width, height, channels = png(path)
    assert.same({ width, height }, { picture.width, picture.height })
    local most, sum = 0, 0
    for i = 0, width * height - 1 do
        local dot, from = picture[i], channels * i
        if (dot == nil) ~= (channels == 4 and bytes:byte(from + 4) == 0) then
            return -1, -1
        end
        for c = 1, dot and 3 or 0 do
            local d = math.abs(dot[c] * 2.55 - bytes:byte(from + c))
            most, sum = math.max(most, d), sum + d
        end
    end
    return most, sum / (3 * width * height)
end

local HILLS = (-(lun.linspace(-2, 2, 40):reshape(1, 40)) ^ 2 - lun.linspace(-1, 1, 30):reshape(30, 1) ^ 2):exp()

-- Pictures: what is drawn, and by how much sixel may differ from the PNG, at most and in the mean.
local PICTURES = {
    bars = { function(opts) return lun.bars({ "a", "b", "c" }, { 3, -1.5, lun.na }, opts) end, 1.5, 1 },
    plot = { function(opts) return lun.plot((lun.index(500) * 0.05):sin(), opts) end, 40, 1 },
    ["heat map"] = { function(opts)
        opts.bar = true
        return lun.image(HILLS, opts)
    end, 12, 2 },
    holes = { function(opts) return lun.image(lun.vector { { 1, lun.na, 3 }, { 0 / 0, 2, 4 } } * 1.0, opts) end, 1.5, 1 },
    photograph = { function(opts) return lun.image(lun.random({ 30, 40, 3 }, { seed = 2 }), opts) end, 130, 15 },
}

describe("pictures of pixels as texts", function()
    for name, row in pairs(PICTURES) do
        it("are the file for kitty, in pieces: " .. name, function()
            local file = directory .. "/k.png"
            assert.is_true(row[1] { file = file, width = 400, height = 240 })
            local bytes, keys, pieces = from_kitty(row[1] { graphics = "kitty", string = true, width = 40, height = 12 })
            assert.equal(shell.slurp(file), bytes)
            assert.matches("^a=T,f=100,q=2,m=[01]$", keys)
            assert.is_true(pieces == math.ceil(#bytes / 3072))
        end)

        it("have the file's pixels in sixel: " .. name, function()
            local file = directory .. "/s.png"
            assert.is_true(row[1] { file = file, width = 400, height = 240 })
            local text = row[1] { graphics = "sixel", string = true, width = 40, height = 12 }
            local picture, colours = from_sixel(text)
            local most, mean = difference(picture, file)
            assert.is_true(most >= 0 and most <= row[2] and mean <= row[3], ("%g, %g"):format(most, mean))
            assert.is_true(colours <= 256, colours)
        end)
    end

    it("are as sixel2png reads them", function()
        if not os.execute "command -v sixel2png >/dev/null" then
            pending "no sixel2png here"
            return
        end
        local file = io.open(directory .. "/b.six", "wb")
        file:write(PICTURES.bars[1] { graphics = "sixel", string = true })
        file:close()
        assert(os.execute(("sixel2png -i %s/b.six -o %s/b.png"):format(directory, directory)))
        assert.is_true(PICTURES.bars[1] { file = directory .. "/c.png" })
        local ours, width, height = png(directory .. "/c.png")
        local theirs, wide, high, channels = png(directory .. "/b.png")
        assert.same({ width, height }, { wide, high })
        for i = 0, width * height - 1 do
            for c = 1, 3 do
                assert(math.abs(ours:byte(3 * i + c) - theirs:byte(channels * i + c)) <= 2)
            end
        end
    end)

    it("have the size of files, or that of characters of 10 by 20 pixels", function()
        local picture = from_sixel(lun.plot(lun.index(3), { graphics = "sixel", string = true }))
        assert.same({ 800, 480 }, { picture.width, picture.height })
        picture = from_sixel(lun.plot(lun.index(3), { graphics = "sixel", string = true, width = 30, height = 2 }))
        assert.same({ 300, 120 }, { picture.width, picture.height })
    end)

    it("are letters where nothing else is asked for", function()
        assert.equal(lun.plot(lun.index(3), { string = true }), lun.plot(lun.index(3), { string = true, graphics = "braille" }))
        assert.equal(lun.plot(lun.index(3), { string = true }), lun.plot(lun.index(3), { string = true, graphics = "auto" }))
        expect.failure("bad argument #2 to 'plot' (option 'graphics': \"auto\", \"braille\", \"kitty\" or \"sixel\" expected)",
            lun.plot, lun.index(3), { graphics = "regis" })
    end)
end)

describe("an answer of a terminal", function()
    it("lists sixel or not", function()
        for answer, expected in pairs { ["\27[?62;4c"] = true, ["\27[?4c"] = true, ["\27[?64;1;2;4;6;22c"] = true,
            ["\27[?62;22c"] = false, ["\27[?1;2c"] = false, ["\27[?64;14;44c"] = false, ["\27[4c"] = false, [""] = false } do
            assert.equal(expected, known.has_sixel(answer), answer:sub(2))
        end
        assert.is_false(known.has_sixel(nil))
    end)
end)

describe("in a terminal", function()
    local KITTY, SIXEL, ASKED = "\27_Ga=T", "\27P0;1;0q", "\27[c"

    -- What a script shows at a terminal with these variables.
    local function shown(environment, options)
        local _, raw = pty.run({}, { environment = environment,
            arguments = ("-e 'lun.plot(lun.index(3), {%s})'"):format(options or "") })
        return raw
    end

    local function has(raw, text)
        return raw:find(text, 1, true) ~= nil
    end

    it("pixels are shown where a script or LUNARRAY_GRAPHICS says so", function()
        assert.is_true(has(shown("NO_COLOR= LUNARRAY_GRAPHICS=kitty"), KITTY))
        assert.is_true(has(shown("NO_COLOR= LUNARRAY_GRAPHICS=sixel"), SIXEL))
        assert.is_true(has(shown("NO_COLOR=1", 'graphics = "kitty"'), KITTY))
        assert.is_true(has(shown("NO_COLOR= LUNARRAY_GRAPHICS=auto TERM=xterm-kitty"), KITTY))
        assert.is_true(has(shown("NO_COLOR= LUNARRAY_GRAPHICS=auto TERM_PROGRAM=WezTerm"), KITTY))
        assert.is_true(has(shown("NO_COLOR= LUNARRAY_GRAPHICS=auto KITTY_WINDOW_ID=1"), KITTY))
    end)

    it("letters are shown by default, with NO_COLOR, in tmux, and to a file or pipe", function()
        for environment, options in pairs { ["NO_COLOR= TERM=xterm-kitty"] = "", ["NO_COLOR=1 LUNARRAY_GRAPHICS=kitty"] = "",
            ["NO_COLOR= LUNARRAY_GRAPHICS=auto TERM=xterm-kitty TMUX=/tmp/t"] = "",
            ["NO_COLOR= LUNARRAY_GRAPHICS=auto TERM=screen-256color KITTY_WINDOW_ID=1"] = "",
            ["NO_COLOR= LUNARRAY_GRAPHICS=kitty"] = 'graphics = "braille"',
            ["NO_COLOR=1 TERM=xterm-kitty"] = 'graphics = "auto"' } do
            local raw = shown(environment, options)
            assert.is_true(has(raw, "┤") and not has(raw, "\27_G") and not has(raw, "\27P") and not has(raw, ASKED), environment)
        end
        local pipe = io.popen(("NO_COLOR= LUNARRAY_GRAPHICS=kitty TERM=xterm-kitty '%s' -e 'lun.plot(lun.index(3), "
            .. "{graphics = \"sixel\"})'"):format(pty.program))
        local text = pipe:read "a"
        pipe:close()
        assert.is_true(has(text, "┤") and not has(text, "\27"))
    end)

    it("an unknown word of LUNARRAY_GRAPHICS is an error", function()
        assert.is_true(has(shown "NO_COLOR= LUNARRAY_GRAPHICS=regis", 'LUNARRAY_GRAPHICS is "regis": "auto", "braille", "kitty" or '))
    end)

    it("the prompt shows them by itself, and asks a terminal that is none of the known ones", function()
        local function typed(inputs, environment)
            local steps = { { "wait", ">" }, { "idle" } }
            for _, input in ipairs(inputs) do
                steps[#steps + 1], steps[#steps + 2] = { "send", input[1] .. "\r" }, { "wait", input[2] }
                steps[#steps + 1] = { "idle" }
            end
            steps[#steps + 1] = { "send", "\4" }
            return select(2, pty.run(steps, { environment = "NO_COLOR= " .. environment }))
        end
        local raw = typed({ { "lun.plot(lun.index(3))", "m=0;" } }, "KITTY_WINDOW_ID=1")
        assert.is_true(has(raw, KITTY))
        raw = typed({ { "lun.plot(lun.index(3))", "└" }, { "lun.plot(lun.index(3))", "└" }, { "6 * 7", "42" } }, "")
        assert.is_true(has(raw, "┤") and not has(raw, SIXEL) and has(raw, "42"))
        assert.equal(1, select(2, raw:gsub("\27%[c", ""))) -- one question, to which there is no answer
    end)

    it("a question gets its answer, and what was typed before stays", function()
        local ask = [[local internal = require("lunarray.core").internal
            local answer = internal.ask_terminal("\27[c", "c", 60000)
            print(answer and #answer, answer and answer:sub(2)) print("read " .. io.read())]]
        local script = directory .. "/ask.lua"
        local file = io.open(script, "w")
        file:write(ask)
        file:close()
        local text, raw = pty.run({ { "wait", ASKED }, { "send", "\27[?62;4;22c" }, { "wait", "62" }, { "send", "a line\r" },
            { "wait", "read a line" } }, { arguments = script })
        assert.is_true(has(text, "11\t[?62;4;22c"), text)
        assert.equal(1, select(2, raw:gsub("%?62;4;22c", ""))) -- not echoed
        file = io.open(script, "w")
        file:write("print('ready') print('first ' .. io.read())\n" .. ask)
        file:close()
        text, raw = pty.run({ { "wait", "ready" }, { "send", "one\rtwo\r" }, { "wait", "read two" } }, { arguments = script })
        assert.is_true(has(text, "first one") and has(text, "nil\tnil") and not has(raw, ASKED), text)
    end)

    it("nothing is asked without one", function()
        local pipe = io.popen(("setsid '%s' -e 'print(require(\"lunarray.core\").internal.ask_terminal(\"x\", \"c\", 60000))' "
            .. "</dev/null 2>&1"):format(pty.program))
        assert.equal("nil\n", pipe:read "a":gsub("^\n$", "nil\n"))
        pipe:close()
    end)
end)
