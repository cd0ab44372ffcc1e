-- Windows and axes on a photograph: a part of it cropped, mirrored, upended, transposed, its rows and columns evened
-- out. Takes any PNG; the second name is the file to write. examples/data/README.md says whose photograph this is
-- (CC BY 2.0).
--     build/lunarray examples/picture.lua examples/data/china.png /tmp/picture.png
-- prints:
--     examples/data/china.png: 213 rows, 320 columns, samples from 0 to 255
--     crop         320 elements from row to row,    1 from column to column; first pixel 218
--     mirrored     320 elements from row to row,   -1 from column to column; first pixel 245
--     upended     -320 elements from row to row,    1 from column to column; first pixel 26
--     transposed     1 elements from row to row,  320 from column to column; first pixel 218
--
--     brightness by row
--        1 to   21  229 #########################################################
--       22 to   42  226 ########################################################
--       43 to   63  199 ##################################################
--       64 to   85  180 #############################################
--       86 to  106  153 ######################################
--      107 to  127  125 ###############################
--      128 to  149  119 ##############################
--      150 to  170   85 #####################
--      171 to  191   70 #################
--      192 to  213   58 ##############
--
--     brightness by column
--     180 ┤                                 ⢀⢰⢲⠦⠓⠲⠒⠓⠋⠓⠲⢤⣀⡠⠤⠤⠴⠔⠒⠲⠤⠦⠤⣄⡀
--         │                                ⢠⡎⠁                      ⠸⢢
--     160 ┤  ⢀⡤⠴⠉⠱⠲⢄                       ⡸                          ⢣
--     140 ┤⢠⠤⠊     ⠸⢤                     ⡰⠇                          ⠈⡆
--         │⠋         ⡇                  ⢀⢸⠁                            ⠙⢆   ⣠⡼
--     120 ┤          ⣇⢄               ⢠⡔⠋⠃                              ⠘⠚⠦⠓⠁
--     100 ┤          ⠋⢸⡀     ⢠⣆⡀ ⡰⠒⠞⠙⠊⠁
--         │            ⠸⠶⠖⠋⠙⢆⡜ ⢸⣴⠁
--         └──────────┬─────────┬──────────┬─────────┬──────────┬─────────┬────
--                   50        100        150       200        250       300
--
--     wrote /tmp/picture.png: crop, mirrored, upended; transposed, evened rows, evened columns
local lun = require "lunarray"

local path, out = assert(arg[1], "which PNG file?"), arg[2]
local picture, high = assert(lun.load(path))
local height, width, channels = picture:shape()
print(("%s: %d rows, %d columns, samples from 0 to %d"):format(path, height, width, high))

-- Gray from 0 to 255: the mean of the colours, without alpha.
local gray = picture
if channels then
    gray = picture:sub({}, {}, { 1, channels >= 3 and 3 or 1 }):mean(3)
end
gray = (gray * (255.0 / high)):round():cast("u8"):eval()

-- Windows: none of them copies a pixel.
local side = math.max(math.min(height, width) * 2 // 3, 1)
local left = (width - side) // 2
local crop = gray:sub({ 1, side }, { left + 1, left + side })
local mirrored = crop:sub({}, { -1, 1, -1 })
local upended = crop:sub({ -1, 1, -1 }, {})
local transposed = crop:transpose()
for _, window in ipairs {
    { "crop", crop }, { "mirrored", mirrored }, { "upended", upended }, { "transposed", transposed },
} do
    local name, A = window[1], window[2]
    local down, right = A:strides()
    print(("%-10s  %4d elements from row to row, %4d from column to column; first pixel %d")
        :format(name, down, right, A[1][1]))
end

-- Every row, or every column, with the same mean and spread; a row of one shade becomes gray.
local function evened(A, axis)
    local spread = lun.max(A:std { axis = axis, keep = true }, 1)
    return ((A - A:mean { axis = axis, keep = true }) / spread * 48 + 128):clamp(0, 255):round():cast "u8"
end
local rows, columns = lun.eval(evened(crop, 2), evened(crop, 1))

-- Brightness of the rows, ten bands of them.
print "\nbrightness by row"
local light = gray:mean(2)
for band = 1, 10 do
    local first, last = (band - 1) * height // 10 + 1, band * height // 10
    if first <= last then
        local mean = light:sub(first, last):mean()
        print(("%4d to %4d  %3.0f %s"):format(first, last, mean, ("#"):rep(math.floor(mean / 4 + 0.5))))
    end
end

print "\nbrightness by column"
lun.plot(gray:mean(1), { width = 79, height = 8, colour = false })

if out then
    local upper = lun.concat({ crop, mirrored, upended }, 2)
    local lower = lun.concat({ transposed, rows, columns }, 2)
    assert(lun.save(out, lun.concat { upper, lower }))
    print(("\nwrote %s: crop, mirrored, upended; transposed, evened rows, evened columns"):format(out))
end
