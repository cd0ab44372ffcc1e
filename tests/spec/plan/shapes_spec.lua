-- Kernels know no extents, offsets, steps and orders of axes: one expression on arrays of fifty kinds is a few kernels,
-- and none is compiled in the next process. Counts of lun.stats() show it, loops over elements that results are right.

local shell = require "shell"

-- Operands of one shape, standing in memory in as many ways; where `i` says so, broadcast to the others' shape.
local HEAD = [[
local lun = require "lunarray"
lun.use "openmp"
local function source(seed, ...)
    return lun.random({ ... }, { seed = seed, dtype = "f32" }):copy()
end
local function array(seed, way, r, c)
    if way == 0 then return source(seed, r, c) end
    if way == 1 then return source(seed, c, r):transpose() end
    if way == 2 then return source(seed, r + 5, c + 3):sub({ 3, r + 2 }, { 2, c + 1 }) end
    if way == 3 then return source(seed, 2 * r, 3 * c):sub({ 2, 2 * r, 2 }, { 1, 3 * c - 2, 3 }) end
    if way == 4 then return source(seed, r, c):sub({ r, 1, -1 }, {}) end
    if way == 5 then return source(seed, r, c):sub({}, { c, 1, -1 }) end
    if way == 6 then return source(seed, r, c):copy { layout = "left" } end
    if way == 7 then return source(seed, r, 2, c):sub({}, { 2, 2 }, {}):reshape { r, c } end
    if way == 8 then return source(seed, 1, c) end
    return source(seed, r, 1)
end
local function at(a, i, j)
    local r, c = a:shape()
    return a[r == 1 and 1 or i][c == 1 and 1 or j]
end
local extents = { { 1, 7 }, { 7, 1 }, { 3, 3 }, { 64, 65 }, { 17, 40 }, { 5, 300 }, { 300, 5 }, { 100, 100 } }
local function operands(k)
    local r, c = table.unpack(extents[k % #extents + 1])
    return r, c, array(k, k % 10, r, c), array(k + 100, (k * 3 + 1) % 8, r, c), array(k + 200, (k * 7 + 2) % 10, r, c)
end
]]
local ELEMENTWISE = HEAD .. [[
for k = 1, 50 do
    local r, c, x, y, z = operands(k)
    local got = ((x - y) * z + y):eval()
    for i = 1, r, 3 do
        for j = 1, c, 7 do
            local want = (at(x, i, j) - at(y, i, j)) * at(z, i, j) + at(y, i, j)
            assert(math.abs(got[i][j] - want) < 1e-6, k)
        end
    end
end
print(lun.stats().compiles)
]]
local ALONG = HEAD .. [[
for k = 1, 50 do
    local r, c, x, y, z = operands(k)
    local got = ((x - y) * z + y):sum(2)
    for i = 1, r, 3 do
        local want = 0
        for j = 1, c do
            want = want + (at(x, i, j) - at(y, i, j)) * at(z, i, j) + at(y, i, j)
        end
        assert(math.abs(got[i] - want) < 1e-3, k)
    end
end
print(lun.stats().compiles)
]]

describe("one expression on arrays of fifty kinds", function()
    local directory
    setup(function() directory = shell.scratch() end)
    teardown(function() shell.discard(directory) end)

    -- The kernels that a process compiles, with what the ones before it have left.
    local function compiles(name, script)
        local path = shell.write(("%s/%s.lua"):format(directory, name), script)
        local said = shell.capture(("LUNARRAY_JIT=sync LUNARRAY_CACHE_DIR=%s/%s %s %s 2>&1"):format(directory, name,
            shell.interpreter(), path))
        return assert(tonumber(said), said)
    end

    it("compiles three kernels at most, and none in the next process", function()
        local first = compiles("elementwise", ELEMENTWISE)
        assert.is_true(first >= 1 and first <= 3, first)
        assert.equal(0, compiles("elementwise", ELEMENTWISE))
    end)

    it("the same of its sums along an axis, but for short rows, of which each element is an operand", function()
        local first = compiles("along", ALONG)
        assert.is_true(first >= 1 and first <= 6, first) -- short ones: of arrays, and with a row or a column that is repeated
        assert.equal(0, compiles("along", ALONG))
    end)
end)
