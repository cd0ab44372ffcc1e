-- Listings 3.1 and 4.1: a map with arguments, launched in one line: the Mandelbrot set, as rows of text. Nothing is
-- said about sizes, work-groups or devices.
-- Needs a C compiler: functions in it are C text.
-- usage: lunarray examples/skelcl/listing_3_01.lua
local lun = require "lunarray"

local width, height, rounds = 60, 21, 100
local mandelbrot = lun.map [[int f(int i, float startx, float starty, float dx, float dy, int width, int rounds) {
    float cx = startx + (i % width) * dx, cy = starty + (i / width) * dy, x = 0, y = 0;
    int n = 0;
    while (n < rounds && x * x + y * y < 4) {
        float next = x * x - y * y + cx;
        y = 2 * x * y + cy;
        x = next;
        n++;
    }
    return n;
}]]
local index = (lun.index(width * height) - 1):cast "i32"
local image = mandelbrot(index, -2.2, -1.2, 3.2 / width, 2.4 / height, width, rounds)
for row = 0, height - 1 do
    local line = {}
    for k = 1, width do
        local n = image[row * width + k]
        line[k] = n == rounds and "#" or n > 6 and "." or " "
    end
    print((table.concat(line):gsub(" +$", "")))
end
