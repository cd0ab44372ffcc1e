-- Reductions of ranges of a Vector, each from the index low[k] to high[k], empty where high is less. What is combined
-- is a tree: its first level is the elements, a node of the next what two of them come to. A range is at most two
-- nodes of each level, whose order depends on its indices alone: O(log w) operations for w elements, the same bits
-- everywhere.

local core = require "lunarray.core"

local M = {}

-- 0 and the running counts of a Vector of bools or sums of integers.
local function running(x)
    return core.concat { core.zeros(1, "i64"), x:cast "i64":scan("+", 0, { inclusive = true }) }:eval()
end

-- Sums of integers, or how many of bools are true, by differences.
function M.sum_of_integers(x, low, high)
    if #x == 0 or #low == 0 then
        return core.zeros(#low, "i64")
    end
    local sums = running(x)
    return sums:take(core.max(high, low - 1) + 1) - sums:take(low)
end

-- The levels of a tree, one behind the other, as a Vector for each component, and what stands before each of them; up
-- to the level whose nodes are of `widest` elements. merge(a, b): lists of components of neighbours to such a list.
local function tree(level, identity, merge, widest)
    local parts, before, at, width = {}, {}, 0, 1
    for c = 1, #level do
        parts[c] = {}
    end
    while true do
        local n = #level[1]
        local odd = n > 1 and n % 2 == 1
        local left, right = {}, {}
        for c, x in ipairs(level) do
            x = odd and core.concat { x, core.full(1, identity[c], x:dtype()) } or x
            table.insert(parts[c], x)
            left[c], right[c] = x:sub { 1, -1, 2 }, x:sub { 2, -1, 2 }
        end
        before[#before + 1] = at
        at, width = at + n + (odd and 1 or 0), width * 2
        if n <= 1 or width > widest then
            break
        end
        level = { core.eval(table.unpack(merge(left, right))) }
    end
    for c, list in ipairs(parts) do
        parts[c] = core.concat(list):eval()
    end
    return parts, core.vector(before, "i64")
end

-- The most elements of a range.
local function widest(low, high)
    return math.max((high - low + 1):max(), 1)
end

-- ---------------------------------------------------------------- sums, products, extremes

-- NaN is the least and the largest.
local FUNCTIONS <const> = {
    sum = function(a, b)
        return a + b
    end,
    prod = function(a, b)
        return a * b
    end,
    min = function(a, b)
        return (b < a or b ~= b) and b or a
    end,
    max = function(a, b)
        return (b > a or b ~= b) and b or a
    end,
}

-- The function "sum", "prod", "min" or "max" of ranges of x, f64 or i64; id: its identity, which empty ranges give.
function M.fold(name, x, low, high, id)
    if #x == 0 or #low == 0 then
        return core.full(#low, id, x:dtype())
    end
    local f = FUNCTIONS[name]
    local merge = core.zip(f)
    local parts, before = tree({ x }, { id }, function(a, b)
        return { merge(a[1], b[1]) }
    end, widest(low, high))
    local nodes = parts[1]
    return core.generate(#low, function(k)
        local l, r, level = low[k] - 1, high[k], 1
        local a, b = id, id
        while l < r do
            local at = before[level]
            if l % 2 == 1 then
                l = l + 1
                a = f(a, nodes[at + l])
            end
            if r % 2 == 1 then
                b = f(nodes[at + r], b)
                r = r - 1
            end
            l, r, level = l // 2, r // 2, level + 1
        end
        return f(a, b)
    end):eval()
end

-- ---------------------------------------------------------------- deviations

-- Counts, means and sums of products of deviations, of neighbours: Chan, Golub and LeVeque.
local function merge_deviations(a, b)
    local n = a[1] + b[1]
    local part = core.where(n:eq(0), 0, b[1] / core.max(n, 1))
    local dx, dy = b[2] - a[2], b[3] - a[3]
    local both = a[1] * part
    return {
        n, a[2] + dx * part, a[3] + dy * part,
        a[4] + b[4] + dx * dx * both, a[5] + b[5] + dy * dy * both, a[6] + b[6] + dx * dy * both,
    }
end

-- The sums of the products of deviations of x and y, and of the squares of both, of ranges of pairs that are there.
function M.products(x, y, there, low, high)
    if #x == 0 or #low == 0 then
        return core.zeros(#low), core.zeros(#low), core.zeros(#low)
    end
    local zero = core.zeros(#x)
    local leaves = { there:cast "f64", core.where(there, x, 0.0), core.where(there, y, 0.0), zero, zero, zero }
    local parts, before = tree(leaves, { 0.0, 0.0, 0.0, 0.0, 0.0, 0.0 }, merge_deviations, widest(low, high))
    local counts, mean_x, mean_y, xx, yy, xy = table.unpack(parts)
    return core.eval(core.generate(#low, function(k)
        local l, r, level = low[k] - 1, high[k], 1
        local n, mx, my, sxy, sxx, syy = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        while l < r do
            local at = before[level]
            for side = 0, 1 do
                local i = 0
                if side == 0 and l % 2 == 1 then
                    l = l + 1
                    i = l
                elseif side == 1 and r % 2 == 1 then
                    i = r
                    r = r - 1
                end
                if i > 0 and counts[at + i] > 0.0 then
                    local m, dx, dy = counts[at + i], mean_x[at + i] - mx, mean_y[at + i] - my
                    local both, part = n * m / (n + m), m / (n + m)
                    sxy = sxy + xy[at + i] + dx * dy * both
                    sxx = sxx + xx[at + i] + dx * dx * both
                    syy = syy + yy[at + i] + dy * dy * both
                    mx, my, n = mx + dx * part, my + dy * part, n + m
                end
            end
            l, r, level = l // 2, r // 2, level + 1
        end
        return sxy, sxx, syy
    end))
end

-- ---------------------------------------------------------------- order

-- Goes through the bits of `codes`, integers from 0 to n - 1, from the highest one, each time with the codes that have
-- a 0 there before those that have a 1 (a wavelet matrix). step(bit, before, zeros): before: how many 0s stand before
-- each place, from 0 to n; zeros: all of them.
local function by_bits(codes, n, step)
    local bit = 0
    while n - 1 >> bit + 1 > 0 do
        bit = bit + 1
    end
    for b = bit, 0, -1 do
        local zero = (codes >> b & 1):eq(0):eval()
        local before = running(zero)
        step(b, before, before[#before])
        if b > 0 then
            codes = core.concat { codes:compress(zero), codes:compress(~zero) }:eval()
        end
    end
end

-- The index of the element of x that is number k, from 1, in the order of each range; of ranges that are shorter any.
function M.nth(x, low, high, k)
    local n = #x
    if n == 0 or #low == 0 then
        return core.zeros(#low, "i64")
    end
    local order = x:argsort():eval()
    local from, to, place, number = low - 1, core.max(high, low - 1), k - 1, core.zeros(#low, "i64")
    by_bits(core.zeros(n, "i64"):put(order, core.index(n) - 1), n, function(bit, before, zeros)
        local first, last = before:take(from + 1), before:take(to + 1)
        local right = place:ge(last - first)
        from, to, place, number = core.eval(core.where(right, zeros + from - first, first),
            core.where(right, zeros + to - last, last), core.where(right, place - (last - first), place),
            number | core.where(right, 1 << bit, 0))
    end)
    return order:take(core.min(number, n - 1) + 1)
end

-- How many of the codes, from 0 to #codes, in each range are less than the range's bound, from 0 to #codes + 1.
function M.count_less(codes, low, high, bound)
    local n = #codes
    if n == 0 or #low == 0 then
        return core.zeros(#low, "i64")
    end
    local from, to, count = low - 1, core.max(high, low - 1), core.zeros(#low, "i64")
    by_bits(codes, n + 2, function(bit, before, zeros)
        local first, last = before:take(from + 1), before:take(to + 1)
        local right = (bound >> bit & 1):eq(1)
        from, to, count = core.eval(core.where(right, zeros + from - first, first),
            core.where(right, zeros + to - last, last), count + core.where(right, last - first, 0))
    end)
    return count
end

return M
