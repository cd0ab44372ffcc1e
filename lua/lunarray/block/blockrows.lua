-- Lines along an axis that ranks share, as rows: each row has the next element of every line, each rank the rows of its
-- part. Knows no method and no transport.

local spread = require "lunarray.block.spread"

local rows = {}

-- The one axis that is cut, if lines go along it and, of their axes, it is the slowest one; else nil.
function rows.cut_axis(s, along)
    local cut
    for d = 1, #s.shape do
        if s.grid[d] > 1 then
            if cut or not along[d] then
                return nil
            end
            cut = d
        elseif along[d] and not cut then
            return nil
        end
    end
    return cut
end

-- How many rows there are, of so many lines; of each PE the first row, from 0, and their number.
function rows.division(s, along, cut)
    local inner, width = 1, 1
    for d, n in ipairs(s.shape) do
        inner = along[d] and d ~= cut and inner * n or inner
        width = along[d] and width or width * n
    end
    return {
        n = s.shape[cut] * inner, width = width,
        range = function(pe)
            local first, count = spread.box(s, pe)
            return (first[cut] - 1) * inner, count[cut] * inner
        end,
    }
end

-- The axes that lines go along, in front of the others.
local function order_of(rank, along)
    local order, behind = {}, {}
    for d = 1, rank do
        table.insert(along[d] and order or behind, d)
    end
    return table.move(behind, 1, #behind, #order + 1, order)
end

-- A part as rows.
function rows.of_part(part, along, width)
    local order = order_of(select("#", part:shape()), along)
    return part:transpose(order):reshape(part:size() // math.max(width, 1), width)
end

-- Rows as a part of such a shape.
function rows.as_part(x, along, shape)
    local order, back, extents = order_of(#shape, along), {}, {}
    for at, d in ipairs(order) do
        back[d], extents[at] = at, shape[d]
    end
    return x:reshape(extents):transpose(back):eval()
end

return rows
