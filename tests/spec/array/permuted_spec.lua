-- Copies of arrays whose axes stand in memory in another order: each element is where its indices say, whatever the order, the
-- extents, the size of elements, the direction of axes and the number of threads.
local lun = require "lunarray"
local shell = require "shell"

-- The element of a lun.range array of that shape at these indices, from 1.
local function number_at(shape, indices)
    local n = 0
    for k = 1, #shape do
        n = n * shape[k] + indices[k] - 1
    end
    return n + 1
end

local state = 7
local function pick(n)
    state = (state * 1103515245 + 12345) % 2147483648
    return state // 8 % n + 1
end

local function shuffled(n)
    local order = {}
    for k = 1, n do order[k] = k end
    for k = n, 2, -1 do
        local j = pick(k)
        order[k], order[j] = order[j], order[k]
    end
    return order
end

local function element(A, indices)
    for _, i in ipairs(indices) do A = A[i] end
    return A
end

local SHAPES = {
    { 130, 130, 70 }, { 70, 130, 130 }, { 65, 3, 5, 1200 }, { 33, 31, 35, 37 }, { 16, 16, 16, 16, 16 }, { 8, 9, 10, 11, 12, 13 },
    { 300, 7, 700 }, { 2, 600, 2, 600 }, { 64, 64, 64, 4 },
}

describe("a copy with its axes in another order", function()
    for _, dtype in ipairs { "f64", "i32", "u16", "i8", "bool" } do
        it("has each element where its indices say: " .. dtype, function()
            for _, shape in ipairs(SHAPES) do
                local count = 1
                for _, extent in ipairs(shape) do count = count * extent end
                local A = lun.range(1, count):cast(dtype == "bool" and "i64" or dtype)
                A = (dtype == "bool" and (A % 3):eq(0) or A):copy():reshape(shape):eval()
                local order, reversed = shuffled(#shape), {}
                for k = 1, #shape do reversed[k] = #shape + 1 - k end
                for _, axes in ipairs { order, reversed } do
                    local B = A:transpose(axes):copy():eval()
                    for _ = 1, 60 do
                        local to, from = {}, {}
                        for k, axis in ipairs(axes) do
                            to[k] = pick(shape[axis])
                            from[axis] = to[k]
                        end
                        assert.equal(element(A, from), element(B, to))
                    end
                    assert.equal(A:count(), B:count())
                end
            end
        end)
    end

    it("takes windows, axes that go down, and axes that are repeated", function()
        local shape = { 140, 140, 70 }
        local A = lun.range(1, 140 * 140 * 70):cast "i32":copy():reshape(shape):eval()
        local W = A:sub({ 3, 135 }, { 138, 2, -1 }, { 1, 66 }):transpose { 3, 2, 1 }:copy():eval()
        local R = A:sub({}, {}, { -1, 1, -1 }):transpose { 3, 1, 2 }:copy():eval()
        local E = lun.zeros({ 140, 140, 70 }, "i32") + A:sub({ 1, 1 }, {}, {})
        E = E:transpose { 3, 2, 1 }:copy():eval()
        for _ = 1, 400 do
            local i, j, k = pick(133), pick(137), pick(66)
            assert.equal(number_at(shape, { i + 2, 139 - j, k }), W[k][j][i])
            assert.equal(number_at(shape, { i, j, 71 - k }), R[k][i][j])
            assert.equal(number_at(shape, { 1, j, k }), E[k][j][i])
        end
    end)

    it("is the same by any number of threads, and counts as one launch", function()
        local script = shell.write(os.tmpname(), [[
local lun = require "lunarray"
local A = lun.random({ 150, 140, 130 }, { seed = 5, dtype = "f32" }):eval()
local before = lun.stats().launches
local B = A:transpose { 3, 2, 1 }:copy():eval()
io.write(lun.stats().launches - before, " ", (B:cast "f64" * lun.range(1, 150 * 140 * 130):reshape(130, 140, 150)):sum(), "\n")
]])
        local wanted
        for _, threads in ipairs { 1, 2, 3, 7 } do
            local said = shell.capture(("LUNARRAY_THREADS=%d %s %s 2>&1"):format(threads, shell.interpreter(), script))
            wanted = wanted or said
            assert.equal(wanted, said)
            assert(said:find "^1 ", said)
        end
        os.remove(script)
    end)
end)
