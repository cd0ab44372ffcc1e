-- Conway's game of life on a torus: a stencil of the eight cells around each one. A glider moves one cell down and one
-- to the right in four generations, and a random field is counted after so many generations.
-- Usage: lunarray examples/life.lua [size [generations]]
--     build/lunarray examples/life.lua 400 100
-- prints:
--     .X......    ........
--     ..X.....    ..X.....
--     XXX.....    ...X....
--     ........    .XXX....
--     400 x 400 cells, 100 generations: 47971 alive, then 14915
--     100 generations: ... ms
local lun = require "lunarray"

local size, generations = tonumber(arg[1]) or 1000, tonumber(arg[2]) or 100

local step = lun.stencil(function(c)
    local around = c(-1, -1) + c(-1, 0) + c(-1, 1) + c(0, -1) + c(0, 1) + c(1, -1) + c(1, 0) + c(1, 1)
    return (around == 3 or around == 2 and c(0, 0) == 1) and 1 or 0
end, { edge = "wrap", out = "u8" })

local function run(cells, count)
    for _ = 1, count do
        cells = step(cells):eval()
    end
    return cells
end

-- The first four rows as text.
local function rows(cells)
    local text = {}
    for i = 1, 4 do
        local row = cells[i]:totable()
        for j, alive in ipairs(row) do
            row[j] = alive == 1 and "X" or "."
        end
        text[i] = table.concat(row)
    end
    return text
end

local glider = lun.zeros({ 8, 8 }, "u8")
for _, cell in ipairs { { 1, 2 }, { 2, 3 }, { 3, 1 }, { 3, 2 }, { 3, 3 } } do
    glider[cell[1]][cell[2]] = 1
end
local before, after = rows(glider), rows(run(glider, 4))
for i = 1, 4 do
    print(before[i] .. "    " .. after[i])
end

local field = lun.random({ size, size }, { seed = 1 }):lt(0.3):cast "u8"
local alive = field:count()
local start = os.clock()
local last = run(field, generations):count()
print(("%d x %d cells, %d generations: %d alive, then %d"):format(size, size, generations, alive, last))
io.stderr:write(("%d generations: %.0f ms\n"):format(generations, (os.clock() - start) * 1000))
