-- Broadcasting: extents aligned from the last, equal or 1, in everything elementwise; what does not fit is refused
-- with both shapes. The oracle is index_model's, which finds elements by their indices.

local lun = require "lunarray"
local expect = require "expect"
local model = require "index_model"

local function describe_shape(shape)
    return "f64[" .. table.concat(shape, ", ") .. "]"
end

-- An array of that shape, and its model: numbers from `first` on.
local function made(shape, first)
    local cells, n = {}, 1
    for _, extent in ipairs(shape) do
        n = n * extent
    end
    for k = 1, n do
        cells[k] = (first + k * 7 % 101) + 0.0
    end
    local real = n > 0 and lun.vector(cells) or lun.zeros(0)
    return real:reshape(shape), model.new(shape, cells)
end

local SHAPES = {
    { 1 }, { 3 }, { 0 }, { 64 }, { 65 }, { 1, 1 }, { 1, 3 }, { 3, 1 }, { 3, 3 }, { 2, 3 }, { 3, 2 }, { 0, 3 }, { 3, 0 }, { 1, 65 },
    { 63, 1 }, { 63, 65 }, { 100, 64 }, { 2, 1, 3 }, { 2, 4, 3 }, { 1, 1, 1 }, { 4, 1 }, { 5, 1, 1 }, { 2, 3, 1, 3 },
}

local function same(wanted, got, what)
    assert.same(wanted.shape, { got:shape() }, what)
    local values = model.values(wanted)
    local list = got:size() > 0 and got:read(1, got:size()) or {}
    for k = 1, #values do
        if values[k] ~= list[k] then
            error(("%s: element %d is %s, %s expected"):format(what, k, list[k], values[k]))
        end
    end
end

describe("broadcasting", function()
    it("aligns extents from the last, for every pair of shapes", function()
        local together, apart = 0, 0
        for _, left in ipairs(SHAPES) do
            local a, x = made(left, 1)
            for _, right in ipairs(SHAPES) do
                local b, y = made(right, 50)
                local what = describe_shape(left) .. " + " .. describe_shape(right)
                local wanted = model.apply(function(p, q) return p + 2 * q end, x, y)
                if wanted then
                    same(wanted, a + 2 * b, what)
                    local total = 0
                    for _, number in ipairs(model.values(wanted)) do
                        total = total + number
                    end
                    assert.equal(total, (a + 2 * b):sum(), what)
                    together = together + 1
                elseif #left == 1 and #right == 1 then
                    expect.failure(("(lengths differ: %s and %s)"):format(describe_shape(left), describe_shape(right)),
                        function() return a + b end)
                else
                    expect.failure(("bad argument #2 to '+' (shapes do not broadcast: %s and %s, axis "):format(
                        describe_shape(left), describe_shape(right)), function() return a + b end)
                    apart = apart + 1
                end
            end
        end
        assert.is_true(together > 150 and apart > 150, together .. " and " .. apart)
    end)

    it("goes for every way of writing it", function()
        local A, x = made({ 4, 3 }, 1)
        local row, y = made({ 3 }, 20)
        local col, z = made({ 4, 1 }, 40)
        local function f(p, q) return p * q + 1 end
        local wanted = model.apply(f, x, y)
        same(wanted, A * row + 1, "operators")
        same(wanted, lun.fma(A, row, 1), "several operands")
        same(wanted, A:zip(row, f), "zip by a Lua function")
        same(wanted, lun.zip(f)(A, row), "a skeleton")
        same(wanted, A:zip(row, "(double p, double q) { return p * q + 1; }"), "zip by a C function")
        same(model.apply(math.max, y, z), lun.zip(lun.op.max)(row, col), "an operation")
        same(model.apply(math.max, y, z), lun.max(row, col), "a function of the module")
        same(model.apply(function(p, q, r) return p > 30 and q or r end, x, y, z), lun.where(A:gt(30), row, col), "where")
        same(model.apply(function(p, q) return p > 21 and q or -1.0 end, y, z), lun.where(row:gt(21), col, -1), "where of two")
        same(model.apply(function(p, q, r) return math.min(math.max(p, q), r) end, x, y, z), A:clamp(row, col), "clamp")
        local sum, product = lun.zip(function(p, q) return p + q, p * q end)(row, col)
        same(model.apply(function(p, q) return p + q end, y, z), sum, "a first result")
        same(model.apply(function(p, q) return p * q end, y, z), product, "a second result")
        local B = lun.zeros(4, 3)
        lun.zip("+"):run { row, col, out = B }
        same(model.apply(function(p, q) return p + q end, y, z), B, "run with out")
        B:set(row)
        same(model.broadcast(y, { 4, 3 }), B, "set")
        B:set(col)
        same(model.broadcast(z, { 4, 3 }), B, "set of a column")
        B[2] = 7
        B[3] = row:sub(2, 2)
        assert.same({ 7.0, 7.0, 7.0 }, B[2]:totable())
        assert.same({ row[2], row[2], row[2] }, B[3]:totable())
        same(model.broadcast(y, { 2, 4, 3 }), row:broadcast(2, 4, 3), "broadcast")
        same(model.apply(function(p, q) return p == q end, x, model.broadcast(z, { 4, 3 })), A:eq(col), "a comparison")
    end)

    it("is by turned, cut and lazy operands too", function()
        local A, x = made({ 5, 70 }, 3)
        local add = function(p, q) return p - 2 * q end
        same(model.apply(add, model.transpose(x, { 2, 1 }), model.select(x, 2, 1)), A:transpose() - 2 * A:col(1), "a column")
        same(model.apply(add, x, model.select(x, 1, 5)), A - 2 * A[5], "a row")
        same(model.apply(add, model.sub(x, { { 2, 4 }, { -1, 1, -3 } }), model.sub(x, { { 1, 1 }, { 1, -1, 3 } })),
            A:sub({ 2, 4 }, { -1, 1, -3 }) - 2 * A:sub({ 1, 1 }, { 1, -1, 3 }), "parts with steps")
        local exp = model.apply(function(p) return p * p end, model.select(x, 1, 2))
        local dear = A[2] * A[2]
        same(model.apply(add, x, exp), A - 2 * dear, "an expression")
        same(model.apply(add, model.sub(x, { {}, { 1, 1 } }), exp), A:sub({}, { 1, 1 }) - 2 * dear, "an expression and a column")
    end)

    it("computes what is repeated once", function()
        local row = lun.linspace(0, 1, 64):eval()
        local A = lun.ones(1000, 64):eval()
        lun.stats "reset"
        local plan = lun.explain(A + (row * 3):exp())
        assert.equal(2, #plan)
        assert.equal(64, plan[1].n)
        assert.matches("it is broadcast", plan[1].cut)
        assert.equal(1, #lun.explain(A + row))
    end)

    it("is refused with the shapes, the axis and the extents", function()
        local A, B, v = lun.ones(3, 2), lun.ones(2, 4, 3), lun.ones(3)
        for _, case in ipairs {
            { "#2 to 'add' (shapes do not broadcast: f64[3, 2] and f64[3], axis 2: 2 and 3)", function() return lun.add(A, v) end },
            { "#2 to '+' (shapes do not broadcast: i16[3, 2] and u8[3], axis 2: 2 and 3)", function()
                return A:cast "i16":eval() + v:cast "u8":eval()
            end },
            { "#3 to 'where' (shapes do not broadcast: bool[3, 2] and u8[3], axis 2: 2 and 3)", function()
                return lun.where(A:gt(0), A:cast "f32", v:cast "u8")
            end },
            { "#2 to '-' (shapes do not broadcast: f64[3] and f64[3, 2], axis 2: 3 and 2)", function() return v - A end },
            { "#2 to '*' (shapes do not broadcast: f64[2, 4, 3] and f64[3, 2], axis 2: 4 and 3)", function() return B * A end },
            { "#3 to 'where' (shapes do not broadcast: f64[3, 2] and f64[2, 4, 3], axis 2: 3 and 4)",
                function() return lun.where(true, A, B) end },
            { "#1 to 'zip' (shapes do not broadcast: f64[3, 2] and f64[3], axis 2: 2 and 3)", function() return A:zip(v, "+") end },
            { "#2 to 'zip' (shapes do not broadcast: f64[3, 2] and f64[3], axis 2: 2 and 3)",
                function() return lun.zip(function(x, y) return x + y end)(A, v) end },
            { "lengths differ: f64[3] and f64[4]", function() return v + lun.ones(4) end },
            { "f64[3] does not broadcast to f64[3, 2], axis 2: 3 and 2", function() A:set(v) end },
            { "f64[2, 4, 3] does not broadcast to f64[3, 2]", function() A:set(B) end },
        } do
            expect.failure(case[1], case[2])
        end
        assert.equal(6.0, A:sum())
    end)

    it("does not go for what combines elements", function()
        expect.failure("shapes differ", function() return lun.ones(2, 3):dot(lun.ones(3)) end)
    end)
end)
