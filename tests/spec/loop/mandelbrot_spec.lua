-- examples/mandelbrot.lua on a small picture: its counts are those of the same loop in the Lua VM.
local lun = require "lunarray"
local shell = require "shell"

local program = shell.interpreter()

describe("the Mandelbrot example", function()
    it("draws what the VM computes", function()
        local file = os.tmpname()
        local path = file .. ".pgm"
        local pipe = assert(io.popen(("%s examples/mandelbrot.lua 96 72 64 %s 2>&1"):format(program, path)))
        local text = pipe:read "a"
        assert.is_true(pipe:close())
        assert.matches("96 x 72 pixels, 64 iterations at most", text, 1, true)
        local picture = assert(lun.load(path))
        os.remove(path)
        os.remove(file)
        local function f32(v) return (string.unpack("f", string.pack("f", v))) end
        local different = 0
        for row = 0, 71 do
            for column = 0, 95 do
                local cx, cy = f32(column * (3 / 96) - 2.25), f32(row * (2.25 / 72) - 1.125)
                local zx, zy, n = 0.0, 0.0, 0
                while n < 64 and f32(f32(zx * zx) + f32(zy * zy)) <= 4 do
                    zx, zy = f32(f32(f32(zx * zx) - f32(zy * zy)) + cx), f32(f32(f32(2 * zx) * zy) + cy)
                    n = n + 1
                end
                if picture[row + 1][column + 1] ~= n * 255 // 64 then different = different + 1 end
            end
        end
        assert.equal(0, different)
    end)
end)
