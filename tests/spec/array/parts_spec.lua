-- Windows on what is joined, stacked, padded or shifted: only what is looked at is computed, and it is what plain
-- functions of indices give.
local lun = require "lunarray"
local expect = require "expect"

local function product(shape)
    local n = 1
    for _, extent in ipairs(shape) do
        n = n * extent
    end
    return n
end

-- Models: extents, and a function of indices.
local function model(array, shape, at)
    return { array = array, shape = shape, at = at }
end

-- An expression on an array of those extents: twice the number of the element, and a half.
local counter = 0
local function expression(shape)
    counter = counter + 1
    local first = counter * 100000
    local a = lun.range(first, first + product(shape) - 1):cast("f64"):reshape(table.unpack(shape)):eval()
    return model(a * 2 + 0.5, shape, function(...)
        local at = 0
        for k, i in ipairs { ... } do
            at = at * shape[k] + i - 1
        end
        return (first + at) * 2 + 0.5
    end)
end

local function joined(list, axis)
    local arrays, shape = {}, table.move(list[1].shape, 1, #list[1].shape, 1, {})
    shape[axis] = 0
    for k, m in ipairs(list) do
        arrays[k] = m.array
        shape[axis] = shape[axis] + m.shape[axis]
    end
    return model(lun.concat(arrays, axis), shape, function(...)
        local index = { ... }
        for _, m in ipairs(list) do
            if index[axis] <= m.shape[axis] then
                return m.at(table.unpack(index))
            end
            index[axis] = index[axis] - m.shape[axis]
        end
    end)
end

local function stacked(list, axis)
    local arrays, shape = {}, table.move(list[1].shape, 1, #list[1].shape, 1, {})
    for k, m in ipairs(list) do
        arrays[k] = m.array
    end
    table.insert(shape, axis, #list)
    return model(lun.stack(arrays, axis), shape, function(...)
        local index = { ... }
        local m = list[table.remove(index, axis)]
        return m.at(table.unpack(index))
    end)
end

local function beyond(i, extent, edge)
    if i >= 1 and i <= extent then
        return i
    elseif edge == "wrap" then
        return (i - 1) % extent + 1
    elseif edge == "nearest" then
        return math.max(1, math.min(extent, i))
    end
end

local function shifted(m, by, axis, edge)
    return model(m.array:shift(by, { axis = axis, edge = edge }), m.shape, function(...)
        local index = { ... }
        index[axis] = beyond(index[axis] - by, m.shape[axis], edge)
        return index[axis] and m.at(table.unpack(index)) or edge
    end)
end

local function padded(m, widths, edge)
    local shape = {}
    for k, extent in ipairs(m.shape) do
        shape[k] = extent + widths[k][1] + widths[k][2]
    end
    local array = m.array:pad(widths, edge)
    return model(array, shape, function(...)
        local index = { ... }
        for k, extent in ipairs(m.shape) do
            index[k] = beyond(index[k] - widths[k][1], extent, edge)
            if not index[k] then
                return edge
            end
        end
        return m.at(table.unpack(index))
    end)
end

-- A window of the model: some indices of each axis, in steps, maybe downwards; the axes reversed at times.
local function window(m)
    local ranges, shape, first, step = {}, {}, {}, {}
    for k, extent in ipairs(m.shape) do
        local i, j = math.random(extent), math.random(extent)
        local by = math.random(3)
        if math.random(2) == 1 then
            j = math.max(1, math.min(extent, i + math.random(-3, 3)))
        end
        step[k] = j < i and -by or by
        first[k], ranges[k], shape[k] = i, { i, j, step[k] }, math.abs(j - i) // by + 1
    end
    local array = m.array:sub(table.unpack(ranges))
    local function at(...)
        local index = { ... }
        for k, i in ipairs(index) do
            index[k] = first[k] + (i - 1) * step[k]
        end
        return m.at(table.unpack(index))
    end
    if #shape < 2 or math.random(2) == 1 then
        return model(array, shape, at)
    end
    local turned, rank = {}, #shape
    for k = 1, rank do
        turned[k] = shape[rank + 1 - k]
    end
    return model(array:transpose(), turned, function(...)
        local index, back = { ... }, {}
        for k = 1, rank do
            back[k] = index[rank + 1 - k]
        end
        return at(table.unpack(back))
    end)
end

local function elements(m)
    local list, index = {}, {}
    local function walk(k)
        if k > #m.shape then
            list[#list + 1] = m.at(table.unpack(index))
            return
        end
        for i = 1, m.shape[k] do
            index[k] = i
            walk(k + 1)
        end
    end
    walk(1)
    return list
end

local function holds(m)
    expect.elements(elements(m), (m.array + 0):flatten())
end

-- What an evaluation reads and writes, in bytes.
local function moved(e)
    local total = 0
    for _, step in ipairs(lun.explain(e)) do
        total = total + step.bytes
    end
    return total
end

describe("a window of what is moved", function()
    math.randomseed(11, 7)

    local makers = {
        joined = function(shape, axis)
            local other = table.move(shape, 1, #shape, 1, {})
            other[axis] = math.random(4)
            return joined({ expression(shape), expression(other), expression(shape) }, axis)
        end,
        stacked = function(shape, axis)
            return stacked({ expression(shape), expression(shape), expression(shape) }, axis)
        end,
        shifted = function(shape, axis)
            local edge = ({ "wrap", "nearest", -7.0 })[math.random(3)]
            return shifted(expression(shape), math.random(-3, 3), axis, edge)
        end,
        padded = function(shape)
            local widths = {}
            for k = 1, #shape do
                widths[k] = { math.random(0, 3), math.random(0, 3) }
            end
            return padded(expression(shape), widths, ({ "wrap", "nearest", -7.0 })[math.random(3)])
        end,
    }

    for name, make in pairs(makers) do
        it("has the elements of " .. name .. " expressions, on every backend", function()
            expect.everywhere(function(backend)
                for round = 1, backend == "opencl" and 15 or 120 do
                    local rank, shape = round % 3 + 1, {}
                    for k = 1, rank do
                        shape[k] = math.random(9)
                    end
                    local large = math.random(3) == 1
                    shape[1] = large and 900 // rank or shape[1]
                    local m = make(shape, math.random(rank))
                    holds(window(m))
                    holds(window(window(m)))
                end
            end)
        end)
    end

    it("has them where one is made of another", function()
        for round = 1, 60 do
            local shape = { math.random(300, 400), round % 5 + 2 }
            local inner = joined({ expression(shape), shifted(expression(shape), 2, 1, "nearest") }, 1)
            local m = padded(shifted(inner, -1, 2, 0.25), { { 1, 2 }, { 1, 0 } }, "wrap")
            holds(window(window(joined({ m, m }, 2))))
        end
    end)

    it("computes what is looked at alone", function()
        local n = 100000
        local a = lun.range(1, n):cast("f64"):eval()
        local e, f = a * 1.5, a - 1
        assert.is_true(moved(lun.concat { e, f }:sub(5, 14)) <= 400)
        assert.is_true(moved(lun.concat { e, f }:sub(n - 4, n + 5)) <= 800) -- some of both
        assert.is_true(moved(lun.stack({ e, f }, 2):sub({ 7, 9 }, {})) <= 800)
        assert.is_true(moved(lun.stack({ e, f }, 2):col(2)) <= 2 * 8 * n)
        assert.is_true(moved(e:shift(3):sub(1, 10)) <= 800)
        local around = e:shift(3, { edge = "wrap" })
        assert.is_true(moved(around:sub(5000, 5009)) <= 400)
        assert.is_true(moved(around:sub(1, 10)) <= 800) -- across the seam
        assert.is_true(moved(around:sub(1, 3)) <= 400) -- and before it
        assert.is_true(moved(a:shift(3, { edge = "wrap" }):sub(1, 10) * 2) <= 800)
        local M = a:view(400, 250) * 2
        assert.is_true(moved(M:pad({ { 4, 0 }, { 0, 5 } }, "wrap"):sub({ 1, 6 }, { 248, 255 })) <= 48 * 8 * 6) -- two seams
        assert.is_true(moved(e:pad({ { 2, 2 } }, 0):sub(1, 10)) <= 800)
        local before = lun.stats()
        assert.equal(7.5, lun.concat { e, f }[5])
        assert.equal(0, lun.stats().bytes_read - before.bytes_read - 8)
    end)

    it("of which more is looked at, is computed once", function()
        local a = lun.range(1, 50000):cast("f64"):eval()
        local both = lun.concat { a * 3, a * 5 }
        local before, sum = lun.stats().launches, 0
        for i = 1, 2000 do
            sum = sum + both[i]
        end
        assert.equal(3.0 * 2000 * 2001 / 2, sum)
        assert.is_true(lun.stats().launches - before < 8)
    end)

    it("writes through where it is a window of an array", function()
        local a = lun.range(1, 10):cast("f64"):eval()
        local both = lun.concat { a * 2, a }
        both:sub(3, 4):fill(0)
        expect.elements({ 2.0, 4.0, 0.0, 0.0, 10.0 }, both:sub(1, 5))
        expect.elements({ 3.0, 4.0 }, a:sub(3, 4))
    end)
end)
