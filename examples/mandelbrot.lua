-- The Mandelbrot set: a plain Lua function over the index of every pixel becomes one kernel.
-- Usage: lunarray examples/mandelbrot.lua [width height [iterations [file.pgm]]]
local lun = require "lunarray"

local width, height = tonumber(arg[1]) or 4096, tonumber(arg[2]) or 3072
local limit, file = tonumber(arg[3]) or 256, arg[4]

-- Where each pixel lies in its row and column; both stay on the device.
local k = lun.index(width * height) - 1
local row = (k / width):floor()
local x = ((k - row * width) * (3 / width) - 2.25):cast "f32"
local y = (row * (2.25 / height) - 1.125):cast "f32"
lun.eval(x, y)

-- How many steps a point takes to leave the circle of radius 2.
local escape = lun.zip(function(cx, cy)
    local zx, zy, n = 0.0, 0.0, 0
    while n < limit and zx * zx + zy * zy <= 4 do
        zx, zy, n = zx * zx - zy * zy + cx, 2 * zx * zy + cy, n + 1
    end
    return n
end)

local start = lun.clock()
local pixels = escape(x, y):cast("i32"):eval()
local ms = 1e3 * (lun.clock() - start)
print(("%d x %d pixels, %d iterations at most"):format(width, height, limit))
print(("%d pixels never escape, the mean is %.3f iterations"):format(pixels:ge(limit):count(), pixels:mean()))

-- A preview of characters: one sample in the middle of each cell.
local columns, rows = 72, 27
local shades = " .:-=+*#%@"
for line_number = 0, rows - 1 do
    local line = {}
    for column = 0, columns - 1 do
        local px, py = (2 * column + 1) * width // (2 * columns), (2 * line_number + 1) * height // (2 * rows)
        local n = pixels[py * width + px + 1]
        local shade = n >= limit and #shades or math.min(#shades - 1, 1 + n * 2 // 5)
        line[#line + 1] = shades:sub(shade, shade)
    end
    print((table.concat(line):gsub("%s+$", "")))
end

if file then
    local grey = (pixels * 255 // limit):cast "u8"
    assert(lun.save(file, lun.frombytes(grey:tobytes(), "u8", { height, width })))
    print("wrote " .. file)
end
io.stderr:write(("the pixels took %.1f ms\n"):format(ms))
