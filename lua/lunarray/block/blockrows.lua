-- Lines along an axis that ranks share, as rows: each row has the next element of every line, each rank the rows of its
-- part. Knows no method and no transport.

local blocked = require "lunarray.block.blocked"
local over = require "lunarray.block.blockover"
local spread = require "lunarray.block.spread"

local rows = {}

-- The one axis that is cut, if lines go along it and, of their axes, it is the slowest one; else nil.
local function cut_axis(s, along)
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

-- The axes that lines go along, in front of the others.
local function order_of(rank, along)
    local order, behind = {}, {}
    for d = 1, rank do
        table.insert(along[d] and order or behind, d)
    end
    return table.move(behind, 1, #behind, #order + 1, order)
end

-- This rank's part of a as rows, and what everyone has of these as over.slices wants it, their number and width the
-- shape. nil: no lines along the axes are cut, or not so.
function rows.of(a, along)
    local s, part = blocked.spread_of(a), blocked.part_of(a)
    local cut, inner, width = cut_axis(s, along), 1, 1
    if not cut then
        return nil
    end
    for d, n in ipairs(s.shape) do
        inner = along[d] and d ~= cut and inner * n or inner
        width = along[d] and width or width * n
    end
    local n = s.shape[cut] * inner
    local bounds = over.bounds(n, function(pe)
        local first, count = spread.box(s, pe)
        return (first[cut] - 1) * inner, count[cut] * inner
    end)
    local x = part:transpose(order_of(#s.shape, along)):reshape(part:size() // math.max(width, 1), width)
    return x, { bounds = bounds, shape = { n, width } }
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
