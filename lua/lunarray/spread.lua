-- How the elements of a blocked array are spread over ranks: pure functions of extents and numbers. Knows no array and
-- no rank.

local spread = {}

-- The sizes of p parts of n elements. ceiling: of ceil(n / p) until none is left; balanced: larger ones first;
-- remainder: the last one takes what is left over.
local RULES = {}

function RULES.ceiling(n, p, k)
    local size = (n + p - 1) // p
    return math.max(0, math.min(size, n - k * size))
end

function RULES.balanced(n, p, k)
    return n // p + (k < n % p and 1 or 0)
end

function RULES.remainder(n, p, k)
    return k < p - 1 and n // p or n - n // p * (p - 1)
end

spread.rules = "ceiling, balanced, remainder"

function spread.is_rule(rule)
    return RULES[rule] ~= nil
end

-- Whether the sum of p[d] / n[d] over the blocked axes is less than that of q: exactly, as integers.
local function is_less(p, q, n)
    local sum = 0
    for d = 1, #n do
        local others = 1
        for e = 1, #n do
            others = others * (e == d and 1 or math.max(n[e], 1))
        end
        sum = sum + (p[d] - q[d]) * others
    end
    return sum < 0
end

-- The grid p[1] * p[2] * ... = npes with the least sum of p[d] / n[d]; of equal ones that with the smallest p[1], then
-- p[2].
local function best_grid(n, npes)
    local best
    local function try(p, left)
        if #p == #n - 1 then
            local grid = table.move(p, 1, #p, 1, {})
            grid[#n] = left
            if not best or is_less(grid, best, n) then
                best = grid
            end
            return
        end
        for factor = 1, left do
            if left % factor == 0 then
                p[#p + 1] = factor
                try(p, left // factor)
                p[#p] = nil
            end
        end
    end
    try({}, npes)
    return best
end

-- A spread of an array: its shape, the blocked axes and their rule (nil: ceiling for one, balanced for several).
-- counts[d][c + 1] and starts[d][c + 1]: elements along axis d at coordinate c, and those before them.
function spread.new(shape, blocked, rule, npes)
    local extents = {}
    for k, d in ipairs(blocked) do
        extents[k] = shape[d]
    end
    rule = rule or (#blocked > 1 and "balanced" or "ceiling")
    local grid = best_grid(extents, npes)
    local s = { shape = shape, rule = rule, blocked = blocked, grid = {}, counts = {}, starts = {}, npes = npes }
    for d = 1, #shape do
        s.grid[d] = 1
    end
    for k, d in ipairs(blocked) do
        s.grid[d] = grid[k]
    end
    for d, n in ipairs(shape) do
        local counts, starts, at = {}, {}, 0
        for c = 0, s.grid[d] - 1 do
            counts[c + 1], starts[c + 1] = s.grid[d] == 1 and n or RULES[rule](n, s.grid[d], c), at
            at = at + counts[c + 1]
        end
        s.counts[d], s.starts[d] = counts, starts
    end
    s.key = ("%s %s %s"):format(table.concat(shape, ","), table.concat(s.grid, ","), rule)
    return s
end

-- The coordinate along axis d of a PE: that of the first axis changes fastest.
function spread.coordinate(s, d, pe)
    for e = 1, d - 1 do
        pe = pe // s.grid[e]
    end
    return pe % s.grid[d]
end

-- A PE's elements: the first index and the number along each axis.
function spread.box(s, pe)
    local first, count = {}, {}
    for d = 1, #s.shape do
        local c = spread.coordinate(s, d, pe) + 1
        first[d], count[d] = s.starts[d][c] + 1, s.counts[d][c]
    end
    return first, count
end

-- The PE that has an element, and its indices there.
function spread.home(s, indices)
    local pe, step, inside = 0, 1, {}
    for d, i in ipairs(indices) do
        local starts = s.starts[d]
        local low, high = 1, s.grid[d]
        while low < high do -- the last coordinate that starts before i
            local middle = (low + high + 1) // 2
            if starts[middle] < i then
                low = middle
            else
                high = middle - 1
            end
        end
        pe, step, inside[d] = pe + (low - 1) * step, step * s.grid[d], i - starts[low]
    end
    return pe, inside
end

-- The elements of a PE of a flat spread, in row-major order: the place of the first one, from 0, and their number.
function spread.range(s, pe)
    local first, count = spread.box(s, pe)
    local width = spread.size(s.shape) // math.max(s.shape[1], 1)
    return (first[1] - 1) * width, count[1] * width
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
