-- A Julia set in complex numbers: how often z becomes z*z + c until it leaves the circle of radius 2, for each point z.
-- Arguments: width, height, the most iterations, a PNG file to write.
-- prints:
--     1200 x 690 points, 200 iterations at most
--
--                                         .@:.
--                                       ..@%@%.
--                                    ....:@%+%@...
--                                .%%%%%%%::--=#@@:*%.
--                  .%.....    ...%@**%@@@%@@*@#%#=+@..
--                ...--%%+-.....@@%%%#@%%@@%%%%%%%%%+%...          .-.
--              ..@@@@%%@@@@...+%%=@=@=%%**%@%%%@@@@%@........=@*..=+..
--         .@@%::@=-=+%%%@%@::=#===-----%=@%@%%%%%%@%:....=@#@%@%%%=*%:%.
--       -@%-%#--#*---*%@*=---%*%%*@------##%%%%@@*%::::#@%%==+%%#%%%@%%......
--          .%%%%@:.-@@%%%%----==++%=:::--*@%@@%#+--:::-@++#=----@@@@%@:::@%@#%.
--            ......%%@%%%%%%+==%%@#::::%*@@%%%%##------@*%%*%---=*@%*---*#--#%-%@-
--                 .%:%*=%%%@%@#@=....:@@%%%%%%@%@=%-----===#=::@@@%%%+=-=@::%%@.
--                   ..+=.:*@=........@%@@@@%%%@%**%@=@=@=%%+...@@@@%%@@@@..
--                    .-.          ...%*%%%%%%%%%@@%%@#%%%@@.....@+%%--...
--                                   ..#+=#%#@*@@%@@@%**@%...    .....%.
--                                    .@*:@@#=--::%%%%%%%.
--                                       ...*@+%*:....
--                                          .%@%@..
--                                           .:@.
--
--     59612 never leave, the mean is 33.430 iterations
local lun = require "lunarray"

local width, height = tonumber(arg[1]) or 1200, tonumber(arg[2]) or 690
local limit, file = tonumber(arg[3]) or 200, arg[4]
local c = lun.complex(-0.8, 0.156)

-- The points, row by row from the top: the real axis from -1.6 to 1.6, the imaginary one from 0.92 down to -0.92.
local points = lun.generate({ height, width }, function(i, j)
    return lun.complex((j - 0.5) * 3.2 / width - 1.6, 0.92 - (i - 0.5) * 1.84 / height)
end)

local function escape(z)
    local n = 0
    while n < limit and z.re * z.re + z.im * z.im <= 4 do
        z, n = z * z + c, n + 1
    end
    return n
end

local pixels = points:map(escape)
lun.eval(pixels)
print(("%d x %d points, %d iterations at most"):format(width, height, limit))

-- A preview of characters: one sample in the middle of each cell.
local columns, rows = 78, 21
local shades = " .:-=+*#%@"
for r = 0, rows - 1 do
    local line = {}
    for k = 0, columns - 1 do
        local n = pixels[(2 * r + 1) * height // (2 * rows) + 1][(2 * k + 1) * width // (2 * columns) + 1]
        local shade = n >= limit and #shades or math.min(#shades - 1, 1 + n // 6)
        line[#line + 1] = shades:sub(shade, shade)
    end
    print((table.concat(line):gsub("%s+$", "")))
end
print(("%d never leave, the mean is %.3f iterations"):format(pixels:ge(limit):count(), pixels:mean()))

if file then
    assert(lun.save(file, (pixels * 255 // limit):cast "u8"))
    print("wrote " .. file)
end
