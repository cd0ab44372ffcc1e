-- a:pad, and shift on it, against index arithmetic on plain lists: every edge, ranks 1 to 3, windows on them, reductions
-- of them, on every backend.
local lun = require "lunarray"

local BACKENDS = { "reference", "openmp", "opencl" }

local function product(shape)
    local n = 1
    for _, extent in ipairs(shape) do
        n = n * extent
    end
    return n
end

-- What stands at index i, from 0, of an axis of n elements; nil: the value.
local function source(i, n, edge)
    if i >= 0 and i < n then
        return i
    elseif edge == "wrap" then
        return i % n
    elseif edge == "nearest" then
        return i < 0 and 0 or n - 1
    end
    return nil
end

-- The padded list and its shape; widths: {before, after} by axis.
local function padded(list, shape, widths, edge)
    local out, extents = {}, {}
    for k, n in ipairs(shape) do
        extents[k] = widths[k][1] + n + widths[k][2]
    end
    for f = 0, product(extents) - 1 do
        local at, rest, size = 0, f, product(extents)
        for k, n in ipairs(shape) do
            size = size // extents[k]
            local i = at and source(rest // size - widths[k][1], n, edge)
            rest = rest % size
            at = i and at * n + i
        end
        out[f + 1] = at and list[at + 1] or edge
    end
    return out, extents
end

local cases = {
    { { 7 }, { { 2, 3 } } }, { { 1 }, { { 4, 4 } } }, { { 5 }, { { 0, 11 } } }, { { 3, 4 }, { { 1, 2 }, { 0, 3 } } },
    { { 4, 70 }, { { 5, 5 }, { 9, 9 } } }, { { 2, 3, 4 }, { { 1, 1 }, { 2, 0 }, { 0, 5 } } },
    { { 3, 1, 2 }, { { 0, 0 }, { 2, 2 }, { 7, 1 } } },
    { { 300, 5 }, { { 0, 1 }, { 3, 2 } } },
}

for _, backend in ipairs(BACKENDS) do
    describe("pad on " .. backend, function()
        local before = lun.use()

        setup(function()
            lun.use(backend)
        end)

        teardown(function()
            lun.use(before)
        end)

        it("gives what index arithmetic gives, for every edge", function()
            for number, case in ipairs(cases) do
                local shape, widths = case[1], case[2]
                for _, t in ipairs(backend == "opencl" and { "f32" } or { "u8", "f32", "i64" }) do
                    local list = {}
                    for i = 1, product(shape) do
                        list[i] = i % 100
                    end
                    local a = lun.vector(list, t):reshape(shape)
                    for _, edge in ipairs { "wrap", "nearest", 9 } do
                        local want, extents = padded(list, shape, widths, edge)
                        local got = a:pad(widths, edge)
                        local name = ("case %d %s %s"):format(number, t, edge)
                        assert.same(extents, { got:shape() }, name)
                        assert.same(lun.vector(want, t):totable(), got:flatten():totable(), name)
                        -- in an expression, of an expression, from the other end, as columns
                        assert.same(lun.vector(want, t):totable(), ((a + a):pad(widths, edge == 9 and 18 or edge) / 2):cast(t)
                            :flatten():totable(), name)
                        local sum = 0
                        for i = #want, 1, -1 do
                            sum = sum + want[i]
                        end
                        assert.equal(sum, got:sum(), name)
                        assert.equal(want[#want // 2 + 1], got:flatten()[#want // 2 + 1])
                        if #shape > 1 then
                            local across = got:transpose():copy()
                            assert.equal(0, across:transpose():ne(lun.vector(want, t):reshape(extents)):count(), name)
                            local sums = lun.vector(want, t):reshape(extents):sum(1)
                            assert.equal(0, got:sum(1):ne(sums):count(), name)
                            assert.equal(0, (got * 1):transpose():sum(#shape):ne(sums:transpose()):count(), name)
                        else
                            local odd = got:sub(-1, 1, -2)
                            for i = 1, #odd do
                                assert.equal(want[#want - 2 * (i - 1)], odd[i], name)
                            end
                        end
                    end
                end
            end
        end)

        it("keeps the elements that its array had", function()
            local a = lun.vector { 1, 2, 3 }
            local p = a:pad(1, "wrap")
            local s = a:shift(1, { edge = "nearest" }) + p:sub(2, 4)
            a[1] = 100
            assert.same({ 3, 1, 2, 3, 1 }, p:totable())
            assert.same({ 2, 3, 5 }, s:totable())
        end)

        it("needs no memory for the shifted elements on the host", function()
            local a = lun.random(10000, { dtype = "f32" }):eval()
            lun.stats "reset"
            local d = lun.eval(a - a:shift(1, { edge = 0 }))
            assert.equal(1, lun.stats().launches)
            assert.equal(0, lun.stats().bytes_to_host)
            assert.equal(a[7] - a[6], d[7])
            if backend ~= "opencl" then
                assert.equal(10000 * 4, lun.stats().bytes_written)
            end
        end)
    end)
end

describe("pad", function()
    it("takes numbers, pairs and fewer axes", function()
        local A = lun.index(4):reshape { 2, 2 }
        assert.same({ 4, 4 }, { A:pad(1, 0):shape() })
        assert.same({ 4, 2 }, { A:pad({ 1 }, 0):shape() })
        assert.same({ 3, 6 }, { A:pad({ { 0, 1 }, 2 }, 0):shape() })
        assert.same({ 2, 2 }, { A:pad({}, 0):shape() })
        local nan = lun.vector({ 1.5 }):pad(1)
        assert.is_true(nan[1] ~= nan[1] and nan[3] ~= nan[3] and nan[2] == 1.5)
        assert.same({ 7, 7, 7, 7 }, lun.full(2, 7):pad(1, "nearest"):totable())
        assert.same({ 0, 7, 7, 0 }, lun.full(2, 7):pad(1, 0):totable())
        assert.same({ 1, 1 }, lun.zeros(0):pad(1, 1):totable())
        assert.same({ 0, 1, 2, 3, 0 }, lun.index(3):pad(1, 0):totable())
    end)

    it("says what is wrong", function()
        local A = lun.index(6):reshape { 2, 3 }
        local function fails(text, f, ...)
            local _, message = pcall(f, ...)
            assert.matches(text, message, 1, true)
        end
        fails('an edge is required, since i64 has no NaN: "wrap", "nearest" or a number', A.pad, A, 1)
        fails("widths of 3 axes: a View i64[2, 3] has 2", A.pad, A, { 1, 2, 3 }, 0)
        fails("axis 2: a number of elements, or {before, after}, expected, got -1", A.pad, A, { 1, { 0, -1 } }, 0)
        fails("axis 1: {before, after} expected", A.pad, A, { { 1, 2, 3 } }, 0)
        fails('"wrap", "nearest" or a number expected, got no', A.pad, A, 1, "no")
        fails("number 0.5 does not fit into dtype i64", A.pad, A, 1, 0.5)
        fails("axis 1 has no elements that could stand beyond its ends", A.pad, lun.zeros(0), 1, "wrap")
        fails("got x", A.pad, A, "x", 0)
        fails("too many elements", A.pad, A, math.maxinteger, 0)
    end)
end)
