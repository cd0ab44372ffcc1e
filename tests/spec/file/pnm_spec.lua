-- PGM and PPM images in and out; every way a file can be bad.
local lun = require "lunarray"
local shell = require "shell"

local directory

local function path_of(name)
    return directory .. "/" .. name
end

local function write(text, name)
    return shell.write(path_of(name or "t.pgm"), text)
end

describe("pnm", function()
    before_each(function()
        directory = shell.scratch()
    end)

    after_each(function()
        shell.discard(directory)
    end)

    describe("load", function()
        it("reads 8-bit gray", function()
            local a, maxval = lun.load(write "P5\n3 2\n255\n\0\1\2\10\32\255")
            assert.same({ "u8", 2, 3 }, { a:dtype(), a:shape() })
            assert.same({ { 0, 1, 2 }, { 10, 32, 255 } }, a:totable())
            assert.equal(255, maxval)
        end)

        it("gives what lun.save takes: the image and its largest sample", function()
            local path = path_of "copy.pgm"
            assert.is_true(lun.save(path, assert(lun.load(write "P5\n3 2\n15\n\0\1\2\10\12\15"))))
            local a, most = lun.load(path)
            assert.equal(15, most)
            assert.same({ { 0, 1, 2 }, { 10, 12, 15 } }, a:totable())
            for _, name in ipairs { "copy.png", "copy.npy", "copy.raw" } do
                assert.is_true(lun.save(path_of(name), assert(lun.load(path))))
                local b = assert(lun.load(path_of(name), name == "copy.raw" and { dtype = "u8", shape = { 2, 3 } } or nil))
                assert.same(a:totable(), b:totable())
            end
            assert.is_true(lun.save(path, assert(lun.load(path_of "copy.png"))))
            assert.equal(255, select(2, lun.load(path)))
            for _, bad in ipairs { 0, -1, 65536, 2.5, true, "15" } do
                local ok, message = pcall(lun.save, path, a, bad)
                assert.is_false(ok)
                assert.truthy(message:find("#3 to 'save' (table of options expected", 1, true), message)
            end
        end)

        it("reads 16-bit gray, the high byte first", function()
            local a, maxval = lun.load(write "P5 2 1 65535\n\1\2\255\254")
            assert.equal("u16", a:dtype())
            assert.same({ { 258, 65534 } }, a:totable())
            assert.equal(65535, maxval)
        end)

        it("reads colour of 8 and 16 bits", function()
            local a = assert(lun.load(write("P6\n2 1\n255\n\1\2\3\4\5\6", "t.ppm")))
            assert.same({ "u8", 1, 2, 3 }, { a:dtype(), a:shape() })
            assert.same({ { { 1, 2, 3 }, { 4, 5, 6 } } }, a:totable())
            a = assert(lun.load(write("P6\n1 1\n1000\n\0\1\0\2\3\232", "t.ppm")))
            assert.same({ { { 1, 2, 1000 } } }, a:totable())
        end)

        it("reads plain images", function()
            local a = assert(lun.load(write "P2\n# gray\n3 2\n# largest\n15\n0 1 2\n3 4 # five follows\n15\n"))
            assert.same({ "u8", 2, 3 }, { a:dtype(), a:shape() })
            assert.same({ { 0, 1, 2 }, { 3, 4, 15 } }, a:totable())
            a = assert(lun.load(write("P3 1 1 300\r\n300\t0 007", "t.ppm")))
            assert.same({ "u16", 1, 1, 3 }, { a:dtype(), a:shape() })
            assert.same({ { { 300, 0, 7 } } }, a:totable())
        end)

        it("takes a largest value below the dtype's, and says it", function()
            for maxval = 1, 254 do
                local a, m = lun.load(write(("P5 2 1 %d\n\0%s"):format(maxval, string.char(maxval))))
                assert.same({ { 0, maxval } }, a:totable())
                assert.equal(maxval, m)
                local none, message, code = lun.load(write(("P5 2 1 %d\n\0%s"):format(maxval, string.char(maxval + 1))))
                assert.is_nil(none)
                assert.matches(("a sample is %d, but the largest value allowed is %d"):format(maxval + 1, maxval), message)
                assert.equal("format", code)
            end
            local a, m = lun.load(write "P5 1 1 4095\n\15\255")
            assert.same({ 4095, 4095 }, { a:read(1, 1)[1], m })
        end)

        it("takes comments and any blanks in the header", function()
            local a = assert(lun.load(write "P5#a\n#b\n\t2 #c\r\n#\n1\v\f255\n\1\2"))
            assert.same({ { 1, 2 } }, a:totable())
        end)

        it("goes by content, not by the name", function()
            assert.same({ 1, 1, 3 }, { assert(lun.load(write "P6 1 1 255\n\1\2\3")):shape() })
            assert.same({ 1, 1 }, { assert(lun.load(write("P5 1 1 255\n\1", "t.ppm"))):shape() })
            assert.same({ 1, 1 }, { assert(lun.load(write("P5 1 1 255\n\1", "T.PNM"))):shape() })
        end)
    end)

    describe("load refuses", function()
        local cases = {
            { "an empty file", "", "format", "does not start with P2, P3, P5 or P6" },
            { "another file", "GIF89a", "format", "does not start with" },
            { "a bitmap", "P4 8 1\n\255", "unsupported", "PBM bitmaps are not supported" },
            { "PAM", "P7\nWIDTH 1\n", "unsupported", "PAM images are not supported" },
            { "a magic alone", "P5", "short", "no blank after P5" },
            { "a magic with more behind it", "P55 1 1 255\n\1", "format", "no blank after P5" },
            { "no height", "P5 3\n", "short", "no height" },
            { "a header that ends in a comment", "P5 3 2 # 255\n", "short", "no largest value" },
            { "a width in letters", "P5 x 2 255\n", "format", "no width" },
            { "a negative width", "P5 -3 2 255\n", "format", "no width" },
            { "a width of 0", "P5 0 2 255\n", "format", "the width is 0, not from 1 to" },
            { "a huge width", "P5 99999999999999999999999 2 255\n", "format", "the width is 9+, not from 1 to" },
            { "a size that nearly wraps", "P6 1073741824 1073741824 65535\n\0", "short",
                "the image needs 6917529027641081856 bytes, but there are 1" },
            { "a largest value of 0", "P5 1 1 0\n\0", "format", "the largest value is 0, not from 1 to 65535" },
            { "a largest value of 65536", "P5 1 1 65536\n\0", "format", "the largest value is 65536" },
            { "nothing after the header", "P5 1 1 255", "short", "no blank after the largest value" },
            { "a comment right after the header", "P5 1 1 255#x\n\1", "format", "no blank after the largest value" },
            { "too few bytes", "P5 2 2 255\n\1\2\3", "short", "too short: the image needs 4 bytes, but there are 3" },
            { "no bytes", "P5 2 2 255\n", "short", "there are 0" },
            { "too many bytes", "P5 2 2 255\n\1\2\3\4\n", "long", "too long: the image needs 4 bytes, but there are 5" },
            { "half a 16-bit sample", "P5 1 1 256\n\1", "short", "needs 2 bytes, but there are 1" },
            { "a 16-bit sample too large", "P5 1 1 256\n\1\1", "format", "a sample is 257, .* allowed is 256" },
            { "too few plain samples", "P2 2 2 255\n1 2 3\n", "short", "has 4 samples, but there are 3" },
            { "too many plain samples", "P2 2 2 255\n1 2 3 4 5\n", "long", "the image has 4 samples" },
            { "a plain sample in letters", "P2 2 1 255\n1 0x2\n", "format", "\"0x2\" is not a sample" },
            { "a negative plain sample", "P2 2 1 255\n1 -2\n", "format", "\"%-2\" is not a sample" },
            { "a plain sample of 30 digits", "P2 2 1 255\n1 " .. ("1"):rep(30), "format", "is not a sample" },
            { "a plain sample too large", "P2 2 1 100\n1 101\n", "format", "a sample is 101, .* allowed is 100" },
        }
        for _, case in ipairs(cases) do
            it(case[1], function()
                local a, message, code = lun.load(write(case[2]))
                assert.is_nil(a)
                assert.equal(path_of "t.pgm: ", message:sub(1, #path_of "t.pgm: "))
                assert.matches(case[4], message)
                assert.equal(case[3], code)
            end)
        end

        it("every length but the whole, without raising", function()
            local decode = require("lunarray.format.pnm").decode
            local source = require("lunarray.format.file").source
            for _, whole in ipairs { "P6 2 1 255\n\1\2\3\4\5\6", "P5 #c\n1 2 300\n\1\2\0\4", "P3 1 1 9\n1 2 3" } do
                for length = 0, #whole - 1 do
                    local a, message, code = decode(source(whole:sub(1, length)), {})
                    assert.is_nil(a)
                    assert.is_string(message)
                    assert.is_true(code == "short" or code == "format")
                end
                assert.is_true(decode(source(whole), {}):size() > 0)
            end
        end)
    end)

    describe("save", function()
        it("writes P5 and P6 of 8 and 16 bits", function()
            local path = path_of "s.pgm"
            assert.is_true(lun.save(path, lun.vector({ { 0, 10, 13 }, { 128, 254, 255 } }, "u8")))
            assert.equal("P5\n3 2\n255\n\0\10\13\128\254\255", shell.slurp(path))
            assert.is_true(lun.save(path, lun.vector({ { 258, 65535 } }, "u16")))
            assert.equal("P5\n2 1\n65535\n\1\2\255\255", shell.slurp(path))
            path = path_of "s.ppm"
            assert.is_true(lun.save(path, lun.vector({ { { 1, 2, 3 } }, { { 4, 5, 6 } } }, "u8")))
            assert.equal("P6\n1 2\n255\n\1\2\3\4\5\6", shell.slurp(path))
            assert.is_true(lun.save(path_of "s.pnm", lun.vector({ { { 1, 2, 3 } } }, "u16")))
            assert.equal("P6\n1 1\n65535\n\0\1\0\2\0\3", shell.slurp(path_of "s.pnm"))
        end)

        it("writes what load reads", function()
            local path = path_of "r.pgm"
            local a, maxval = lun.load(write "P5 2 2 4095\n\0\0\15\255\1\2\3\4")
            assert.is_true(lun.save(path, a, { maxval = maxval }))
            assert.equal("P5\n2 2\n4095\n\0\0\15\255\1\2\3\4", shell.slurp(path))
            local b, again = lun.load(path)
            assert.same({ a:totable(), 4095 }, { b:totable(), again })
        end)

        it("raises at the caller's mistakes and leaves the old file", function()
            write("old", "m.pgm")
            write("old", "m.ppm")
            local function refused(pattern, name, a, opts)
                local ok, message = pcall(lun.save, path_of(name), a, opts)
                assert.is_false(ok)
                assert.matches("bad argument #%d to 'save'", message)
                assert.matches(pattern, message)
                assert.equal("old", shell.slurp(path_of(name)))
            end
            local gray, colour = lun.vector({ { 1, 2 } }, "u8"), lun.vector({ { { 1, 2, 3 } } }, "u8")
            refused("a .pgm image must have the shape {height, width}, but this is u8%[1, 1, 3%]", "m.pgm", colour)
            refused("a .ppm image must have the shape {height, width, 3}, but this is u8%[1, 2%]", "m.ppm", gray)
            refused("this is u8%[2%]", "m.pgm", lun.vector({ 1, 2 }, "u8"))
            refused("this is u8%[1, 1, 2%]", "m.ppm", lun.vector({ { { 1, 2 } } }, "u8"))
            refused("an image must be u8 or u16, but this is f64%[1, 1%]; scale it", "m.pgm", lun.vector { { 0.5 } })
            refused("at least 1 by 1, but this is u8%[0, 2%]", "m.pgm", lun.frombytes("", "u8", { 0, 2 }))
            refused("a sample is 2, but the largest value allowed is 1", "m.pgm", gray, { maxval = 1 })
            refused("the maxval of a u8 image must be an integer from 1 to 255", "m.pgm", gray, { maxval = 256 })
            refused("the maxval of a u8 image must be an integer from 1 to 255", "m.pgm", gray, { maxval = 2.5 })
            refused("the maxval of a u16 image must be an integer from 256 to 65535", "m.pgm",
                lun.vector({ { 1 } }, "u16"), { maxval = 255 })
            refused("unknown option 'quality' for pnm; known: ", "m.pgm", gray, { quality = 9 })
            refused("array expected, got table; convert it with lun.vector", "m.pgm", { { 1 } })
        end)
    end)
end)
