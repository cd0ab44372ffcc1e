-- The Mandelbrot set as the report on SkelCL has it (3.1.1): a map from positions to pixels, structs of a header that
-- the function in C includes and the script reads. What is printed is the picture, a letter for each pixel.
-- Needs a C compiler: functions in it are C text.
-- usage: lunarray examples/skelcl/mandelbrot.lua [picture.png]
local lun = require "lunarray"

local here = arg[0]:match "^.*/" or "./"
local Position = lun.struct(here .. "mandelbrot.h", "Position")
local Pixel = lun.struct(here .. "mandelbrot.h", "Pixel")
local mandelbrot = lun.map((here:find "^[/.]" and here or "./" .. here) .. "mandelbrot.cl")

local width, height = 60, 21
local index = lun.index(width * height) - 1
local input = lun.vector({ x = index % width, y = index // width }, Position)
local output = mandelbrot(input, -2.2, -1.2, 3.2 / width, 2.4 / height)

assert(output:dtype() == Pixel)
for row = 0, height - 1 do
    local line = {}
    for k = 1, width do
        local pixel = output[row * width + k]
        line[k] = pixel.blue == 0 and "#" or pixel.red > 15 and "." or " "
    end
    print((table.concat(line):gsub(" +$", "")))
end
print(output.red:sum(), output.green:sum(), output.blue:sum())
if arg[1] then
    local planes = lun.stack({ output.red, output.green, output.blue }, 2)
    assert(lun.save(arg[1], planes:reshape(height, width, 3)))
end
