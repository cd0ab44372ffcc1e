-- A photograph blurred, and its edges found: stencils of the pixels around each one. Takes any PNG or PNM picture; the
-- second name is the file to write.
--     build/lunarray examples/sobel.lua examples/data/china.png /tmp/sobel.png
-- prints:
--     examples/data/china.png: 213 rows, 320 columns
--     as it stands  brightness   0.3 to 254.3, steepest edge 818
--     blurred       brightness   2.8 to 253.5, steepest edge 381
--     edges         14.4 % of the pixels are steeper than 100
--     wrote /tmp/sobel.png: as it stands, blurred, edges
local lun = require "lunarray"

local path, out = assert(arg[1], "which picture?"), arg[2]
local picture, high = assert(lun.load(path))
local height, width, channels = picture:shape()
print(("%s: %d rows, %d columns"):format(path, height, width))

-- Brightness from 0 to 255: the mean of the colours, without alpha.
local gray = picture
if channels then
    gray = picture:sub({}, {}, { 1, channels >= 3 and 3 or 1 }):mean(3)
end
gray = (gray * (255.0 / high)):eval()

-- Binomial weights, close to a normal distribution of variance 1: along the rows, then along the columns.
local blur = lun.stencil(function(x)
    return (x(0, -2) + 4 * x(0, -1) + 6 * x(0, 0) + 4 * x(0, 1) + x(0, 2)) / 16
end) >> lun.stencil(function(x)
    return (x(-2, 0) + 4 * x(-1, 0) + 6 * x(0, 0) + 4 * x(1, 0) + x(2, 0)) / 16
end)

-- Sobel's operator: the length of the gradient.
local sobel = lun.stencil(function(x)
    local right = x(-1, 1) + 2 * x(0, 1) + x(1, 1) - x(-1, -1) - 2 * x(0, -1) - x(1, -1)
    local down = x(1, -1) + 2 * x(1, 0) + x(1, 1) - x(-1, -1) - 2 * x(-1, 0) - x(-1, 1)
    return math.sqrt(right * right + down * down)
end)

local soft = (blur >> blur)(gray):eval()
local edges = (blur >> sobel)(gray):eval()
for _, row in ipairs { { "as it stands", gray }, { "blurred", soft } } do
    local name, A = row[1], row[2]
    print(("%-12s  brightness %5.1f to %5.1f, steepest edge %3.0f"):format(name, A:min(), A:max(), sobel(A):max()))
end
print(("edges         %.1f %% of the pixels are steeper than 100"):format(100 * edges:gt(100):mean()))

-- The same by loops in Lua.
local pixels, steep = gray:totable(), sobel(gray):totable()
local function sum(i, j, weights)
    local total = 0
    for k, weight in ipairs(weights) do
        local row = math.max(1, math.min(height, i + (k - 1) // 3 - 1))
        local column = math.max(1, math.min(width, j + (k - 1) % 3 - 1))
        total = total + weight * pixels[row][column]
    end
    return total
end
for i = 1, height do
    for j = 1, width do
        local right = sum(i, j, { -1, 0, 1, -2, 0, 2, -1, 0, 1 })
        local down = sum(i, j, { -1, -2, -1, 0, 0, 0, 1, 2, 1 })
        assert(math.abs(steep[i][j] - math.sqrt(right ^ 2 + down ^ 2)) < 1e-9, "another gradient")
    end
end

if out then
    local shown = lun.concat({ gray, soft, edges / 2 }, 2):clamp(0, 255):round():cast "u8"
    assert(lun.save(out, shown))
    print(("wrote %s: as it stands, blurred, edges"):format(out))
end
