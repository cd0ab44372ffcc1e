-- How the elements of a blocked array are spread over ranks: pure functions of extents and numbers, those of
-- lunarray.h. Knows no array and no rank.

local net = require("lunarray.core").internal.spmd

local spread = {}

spread.rules = "ceiling, balanced, remainder"

function spread.is_rule(rule)
    return rule == "ceiling" or rule == "balanced" or rule == "remainder"
end

-- A spread of an array: its shape, the blocked axes and their rule (nil: ceiling for one, balanced for several).
-- grid[d]: ranks along axis d; the first axis changes fastest in their numbers.
function spread.new(shape, blocked, rule, npes)
    rule = rule or (#blocked > 1 and "balanced" or "ceiling")
    local s = { shape = shape, rule = rule, blocked = blocked, npes = npes }
    s.blocks, s.grid = net.cut(shape, blocked, rule, npes)
    s.key = ("%s %s %s"):format(table.concat(shape, ","), table.concat(s.grid, ","), rule)
    return s
end

-- What each PE needs of an operand of a product of matrices whose elements are spread by s: along the axis what its box
-- in s has, of the other axis all. Several PEs have an element.
function spread.panels(s, shape, axis)
    return {
        shape = shape, key = ("panels %d %s"):format(axis, s.key),
        box = function(pe)
            local first, count = spread.box(s, pe)
            first[3 - axis], count[3 - axis] = 1, shape[3 - axis]
            return first, count
        end,
    }
end

-- As many rows of what is spread by s, all of them at one PE.
function spread.rows_at(s, rows, owner)
    return {
        key = ("%d rows at %d"):format(rows, owner),
        box = function(pe)
            local first, count = spread.box(s, pe)
            for d = 1, #count do
                first[d], count[d] = 1, d > 1 and s.shape[d] or pe == owner and rows or 0
            end
            return first, count
        end,
    }
end

-- A PE's elements: the first index and the number along each axis.
function spread.box(s, pe)
    if s.box then
        return s.box(pe)
    end
    return net.box(s.blocks, pe)
end

-- The PE that has an element, and its indices there.
function spread.home(s, indices)
    return net.home(s.blocks, indices)
end

-- Whether the elements of each PE are next to each other in row-major order, PE after PE.
function spread.is_flat(s)
    for d = 2, #s.shape do
        if s.grid[d] > 1 then
            return false
        end
    end
    return true
end

function spread.size(count)
    local size = 1
    for _, n in ipairs(count) do
        size = size * n
    end
    return size
end

-- What two boxes have in common; nil if nothing.
function spread.common(first, count, other_first, other_count)
    local from, size = {}, {}
    for d = 1, #first do
        from[d] = math.max(first[d], other_first[d])
        size[d] = math.min(first[d] + count[d], other_first[d] + other_count[d]) - from[d]
        if size[d] <= 0 then
            return nil
        end
    end
    return from, size
end

return spread
