-- The picture example: each pixel of what it writes against loops over indices, on gray and colour, and bad input.
local lun = require "lunarray"
local shell = require "shell"

describe("examples/picture.lua", function()
    local directory

    setup(function()
        directory = shell.scratch()
    end)

    teardown(function()
        shell.discard(directory)
    end)

    local function run(arguments)
        return shell.capture(("%s examples/picture.lua %s 2>&1"):format(shell.interpreter(), arguments))
    end

    -- The image as a table of rows of shades from 0 to 255.
    local function shades(path, gray_of)
        local image = assert(lun.load(path))
        local height, width = image:shape()
        local rows = image:totable()
        for _, row in ipairs(rows) do
            for j, sample in ipairs(row) do
                row[j] = gray_of and gray_of(sample) or sample
            end
        end
        return rows, height, width
    end

    local function evened(shade, line)
        local sum, square = 0, 0
        for _, x in ipairs(line) do
            sum = sum + x
        end
        local mean = sum / #line
        for _, x in ipairs(line) do
            square = square + (x - mean) ^ 2
        end
        local spread = math.max(math.sqrt(square / #line), 1)
        return math.min(math.max((shade - mean) / spread * 48 + 128, 0), 255)
    end

    -- How many pixels of the six parts are others than the loops give.
    local function different(gray, height, width, made)
        local side = math.max(math.min(height, width) * 2 // 3, 1)
        local left = (width - side) // 2
        local crop, columns = {}, {}
        for i = 1, side do
            crop[i] = table.move(gray[i], left + 1, left + side, 1, {})
        end
        for j = 1, side do
            columns[j] = {}
            for i = 1, side do
                columns[j][i] = crop[i][j]
            end
        end
        local wrong = {}
        local function check(part, got, expected)
            -- a half may be rounded to either side: sums are in another order
            local near = math.type(expected) == "integer" and 0 or 0.5 + 1e-6
            if math.abs(got - expected) > near then
                wrong[part] = (wrong[part] or 0) + 1
            end
        end
        for i = 1, side do
            for j = 1, side do
                check("crop", made[i][j], crop[i][j])
                check("mirrored", made[i][side + j], crop[i][side + 1 - j])
                check("upended", made[i][2 * side + j], crop[side + 1 - i][j])
                check("transposed", made[side + i][j], crop[j][i])
                check("rows", made[side + i][side + j], evened(crop[i][j], crop[i]))
                check("columns", made[side + i][2 * side + j], evened(crop[i][j], columns[j]))
            end
        end
        return wrong, side
    end

    local function holds(path, gray_of)
        local out = directory .. "/out.png"
        os.remove(out)
        local text, status = run(("%s %s"):format(path, out))
        assert.equal(0, status, text)
        local gray, height, width = shades(path, gray_of)
        local made, rows, columns = shades(out)
        local wrong, side = different(gray, height, width, made)
        assert.same({ 2 * side, 3 * side }, { rows, columns })
        assert.same({}, wrong)
        return text, gray
    end

    it("writes what loops over indices give, and tells the brightness of bands of rows", function()
        -- the mean of three colours is never a half
        local text, gray = holds("examples/data/china.png", function(pixel) return (pixel[1] + pixel[2] + pixel[3] + 1) // 3 end)
        local bands = 0
        for first, last, mean, signs in text:gmatch "(%d+) to +(%d+) +(%d+) (#+)\n" do
            local sum, count = 0, 0
            for i = tonumber(first), tonumber(last) do
                for _, x in ipairs(gray[i]) do
                    sum, count = sum + x, count + 1
                end
            end
            assert.is_true(math.abs(sum / count - tonumber(mean)) <= 0.5 + 1e-6, first)
            assert.equal(math.floor(sum / count / 4 + 0.5), #signs)
            bands = bands + 1
        end
        assert.equal(10, bands)
    end)

    it("takes colours, alpha left out, 16 bits and a single pixel", function()
        local path = directory .. "/in.png"
        local samples = {}
        for k = 1, 17 * 12 * 4 do
            samples[k] = k * k * 37 // 11 % 256
        end
        assert(lun.save(path, lun.vector(samples, "u8"):reshape(17, 12, 4)))
        holds(path, function(pixel) return (pixel[1] + pixel[2] + pixel[3] + 1) // 3 end) -- never a half
        for k = 1, 9 * 14 do
            samples[k] = k * 7919 % 256 * 257
        end
        assert(lun.save(path, lun.vector(table.move(samples, 1, 9 * 14, 1, {}), "u16"):reshape(9, 14)))
        holds(path, function(sample) return sample // 257 end)
        assert(lun.save(path, lun.vector({ 200 }, "u8"):reshape(1, 1)))
        holds(path)
    end)

    it("names a file that is none", function()
        local text, status = run(directory .. "/none.png")
        assert.equal(1, status)
        assert.matches("none.png: No such file or directory", text, 1, true)
        text, status = run ""
        assert.equal(1, status)
        assert.matches("which PNG file?", text, 1, true)
    end)
end)
