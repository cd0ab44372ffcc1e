-- PNG files: what is saved comes back, what others wrote is read, what is damaged is refused.
local shell = require "shell"

-- ---------------------------------------------------------------- another writer of PNG files

local function crc(text)
    local c = 0xFFFFFFFF
    for i = 1, #text do
        c = c ~ text:byte(i)
        for _ = 1, 8 do
            c = c & 1 == 1 and 0xEDB88320 ~ (c >> 1) or c >> 1
        end
    end
    return c ~ 0xFFFFFFFF
end

local function chunk(kind, data)
    return string.pack(">s4", data):sub(1, 4) .. kind .. data .. string.pack(">I4", crc(kind .. data))
end

-- zlib's format without compression.
local function stored(data)
    local a, b = 1, 0
    for i = 1, #data do
        a = (a + data:byte(i)) % 65521
        b = (b + a) % 65521
    end
    return "\x78\x01\1" .. string.pack("<I2I2", #data, #data ~ 0xFFFF) .. data .. string.pack(">I4", b << 16 | a)
end

local SIGNATURE = "\x89PNG\r\n\x1a\n"

-- A file of rows (strings of packed samples); more: chunks before the image.
local function make(width, height, depth, kind, rows, more)
    local data = {}
    for i, row in ipairs(rows) do
        data[i] = "\0" .. row
    end
    return SIGNATURE .. chunk("IHDR", string.pack(">I4I4BBBBB", width, height, depth, kind, 0, 0, 0)) .. (more or "")
        .. chunk("IDAT", stored(table.concat(data))) .. chunk("IEND", "")
end

local directory

setup(function()
    directory = io.popen "mktemp -d":read "l"
end)

teardown(function()
    os.execute(("rm -rf '%s'"):format(directory))
end)

local function path(name)
    return directory .. "/" .. name
end

local function write(name, content)
    return shell.write(path(name), content)
end

local function load(content)
    return lun.load(write("given.png", content))
end

local function assert_array(a, dtype, shape, elements)
    assert.is_true(lun.isarray(a))
    assert.equal(dtype, a:dtype())
    assert.same(shape, { a:shape() })
    assert.same(elements, a:read(1, a:size()))
end

describe("saving and loading a PNG file", function()
    for _, dtype in ipairs { "u8", "u16" } do
        for _, channels in ipairs { 1, 2, 3, 4 } do
            it(("keeps %s with %d channels"):format(dtype, channels), function()
                local shape = channels == 1 and { 3, 5 } or { 3, 5, channels }
                local a = (lun.index(15 * channels) * (dtype == "u8" and 4 or 1021)):cast(dtype):reshape(shape)
                assert.is_true(lun.save(path "a.png", a))
                local b, most = lun.load(path "a.png")
                assert_array(b, dtype, shape, a:read(1, a:size()))
                assert.equal(dtype == "u8" and 255 or 65535, most)
            end)
        end
    end

    it("writes what the header promises", function()
        lun.save(path "a.png", lun.zeros({ 7, 300, 3 }, "u16"))
        local file = assert(io.open(path "a.png", "rb"))
        local text = file:read "a"
        file:close()
        assert.equal(SIGNATURE, text:sub(1, 8))
        assert.same({ 300, 7, 16, 2, 27 }, { string.unpack(">I4I4BB", text, 17) })
        assert.is_true(#text < 1000) -- compressed
    end)

    it("takes an expression", function()
        lun.save(path "a.png", (lun.zeros({ 2, 2 }, "u8") + 7))
        assert_array(lun.load(path "a.png"), "u8", { 2, 2 }, { 7, 7, 7, 7 })
    end)
end)

describe("a PNG file of another program", function()
    it("is read in 8 and 16 bits", function()
        assert_array(load(make(2, 2, 8, 0, { "\1\2", "\3\255" })), "u8", { 2, 2 }, { 1, 2, 3, 255 })
        assert_array(load(make(2, 1, 16, 0, { "\1\2\255\254" })), "u16", { 1, 2 }, { 258, 65534 })
        assert_array(load(make(1, 1, 8, 2, { "\9\8\7" })), "u8", { 1, 1, 3 }, { 9, 8, 7 })
    end)

    it("is read from few bits and from a palette", function()
        assert_array(load(make(4, 1, 1, 0, { "\xA0" })), "u8", { 1, 4 }, { 255, 0, 255, 0 })
        assert_array(load(make(2, 1, 2, 0, { "\x60" })), "u8", { 1, 2 }, { 85, 170 })
        local palette = chunk("PLTE", "\1\2\3\4\5\6")
        assert_array(load(make(2, 1, 8, 3, { "\1\0" }, palette)), "u8", { 1, 2, 3 }, { 4, 5, 6, 1, 2, 3 })
        assert_array(load(make(2, 1, 8, 3, { "\1\0" }, palette .. chunk("tRNS", "\0"))), "u8", { 1, 2, 4 },
            { 4, 5, 6, 255, 1, 2, 3, 0 })
    end)
end)

describe("a damaged PNG file", function()
    local good = make(3, 2, 8, 0, { "\1\2\3", "\4\5\6" })

    local function refused(content, code)
        local a, message, got = load(content)
        assert.is_nil(a)
        assert.is_truthy(message:find("given.png: ", 1, true), message)
        assert.equal(code, got)
    end

    it("is refused wherever it ends early", function()
        for length = 0, #good - 1 do
            refused(good:sub(1, length), length < 8 and "format" or "short")
        end
    end)

    it("is refused where bytes follow", function()
        refused(good .. "x", "long")
    end)

    it("is refused where any byte has changed", function()
        for i = 1, #good do
            local changed = good:sub(1, i - 1) .. string.char(good:byte(i) ~ 0x55) .. good:sub(i + 1)
            local a, message = load(changed)
            assert.is_nil(a, ("byte %d"):format(i))
            assert.is_string(message)
        end
    end)

    it("cannot promise more than it holds", function()
        local a, message, code = load(make(900000, 900000, 8, 2, { "\1\2\3" }))
        assert.is_nil(a)
        assert.equal("short", code)
        assert.is_truthy(message:find("too short", 1, true))
        refused(make(0, 1, 8, 0, { "" }), "format")
    end)

    it("is refused where it is something else", function()
        refused("P5 1 1 255 x", "format")
        local a, _, code = lun.load(path "missing.png")
        assert.is_nil(a)
        assert.equal(2, code)
    end)
end)

describe("what is no image", function()
    it("is a caller's mistake", function()
        local function refuses(a, part)
            local ok, message = pcall(lun.save, path "no.png", a)
            assert.is_false(ok)
            assert.is_truthy(message:find(part, 1, true), message)
            assert.is_nil(io.open(path "no.png"))
        end
        refuses(lun.zeros(3, "u8"), "must have the shape {height, width}")
        refuses(lun.zeros({ 2, 2, 5 }, "u8"), "this is u8[2, 2, 5]")
        refuses(lun.zeros { 2, 2 }, "scale it and :cast 'u8'")
        refuses(lun.zeros({ 0, 2 }, "u8"), "at least 1 by 1")
        assert.is_false(pcall(lun.save, path "no.png", lun.zeros({ 1, 1 }, "u8"), { maxval = 3 }))
    end)

    it("leaves an old file whole, as a full disk does", function()
        write("old.png", "old")
        pcall(lun.save, path "old.png", lun.zeros { 2, 2 })
        assert.equal("old", io.open(path "old.png"):read "a")
        local ok, message, code = lun.save("/proc/nowhere/a.png", lun.zeros({ 2, 2 }, "u8"))
        assert.is_nil(ok)
        assert.is_string(message)
        assert.is_number(code)
    end)
end)
