-- Calls of Lua functions that are repeated, whose plans the engine remembers: another function, captured value, dtype,
-- shape or expression around the call gives what it gives when it is planned for the first time.
local expect = require "spec.expect"
local lun = require "lunarray"

local function list(n, f)
    local t = {}
    for i = 1, n do
        t[i] = f(i)
    end
    return t
end

local function f64(t)
    return lun.vector(t, "f64")
end

local function i64(t)
    return lun.vector(t, "i64")
end

local function i32(t)
    return lun.vector(t, "i32")
end

-- f's results for 1, 2, ... n, by the engine and by the Lua VM.
local function agree(skeleton, f, n)
    expect.elements(expect.map(f, list(n, function(i) return i + 0.0 end)), skeleton(f64(list(n, function(i) return i end))))
end

describe("repeated calls of Lua functions", function()
    it("take what is captured then", function()
        local c = 1.5
        local function f(x) return x * c - 1 end
        local skeleton = lun.map(f)
        for _, value in ipairs { 1.5, 2.5, 7, 0.25, -3 } do
            c = value
            agree(skeleton, f, 50)
            agree(skeleton, f, 50)
        end
    end)

    it("tell closures of one text apart", function()
        local function adder(c) return function(x) return x + c end end
        for _, value in ipairs { 1.0, 2.0, 1, 1 << 40 } do
            local f = adder(value)
            agree(lun.map(f), f, 20)
        end
    end)

    it("tell functions apart, also where one has taken another's place in memory", function()
        for round = 1, 60 do
            local f = assert(load(("return function(x) return x * %d + %d end"):format(round, round % 7)))()
            agree(lun.map(f), f, 10)
            agree(lun.map(f), f, 10)
            collectgarbage()
        end
    end)

    it("take arrays of other dtypes, lengths and ranks", function()
        local double = lun.map(function(x) return x + x end)
        for _ = 1, 2 do
            assert.are.same({ 2.5, 5.0 }, double(f64 { 1.25, 2.5 }):totable())
            assert.are.same({ 2, 4, 6 }, double(i64 { 1, 2, 3 }):totable())
            assert.are.same({ 2, 4, 6 }, double(i32 { 1, 2, 3 }):totable())
            assert.are.same({ 8 }, double(f64 { 4 }):totable())
            assert.are.same({ { 2, 4 }, { 6, 8 } }, double(f64 { { 1, 2 }, { 3, 4 } }):totable())
            assert.are.same({}, double(f64 {}):totable())
        end
    end)

    it("take the same operands in another order, or one twice", function()
        local step = lun.map(function(x, y, c) return x * 10 + y + c end, { elements = 2 })
        local a, b = f64 { 1, 2 }, f64 { 3, 4 }
        for _ = 1, 2 do
            assert.are.same({ 13, 24 }, step(a, b, 0):totable())
            assert.are.same({ 31, 42 }, step(b, a, 0):totable())
            assert.are.same({ 11, 22 }, step(a, a, 0):totable())
            assert.are.same({ 13.5, 24.5 }, step(a, b, 0.5):totable())
            assert.are.same({ 112, 133 }, step(a + 10, step(a, a, 0) - 9, 0):totable())
            assert.are.same({ 14, 16, 15, 17 }, step(f64 { 1, 1, 1, 1 }, f64 { 3, 5, 4, 6 }, 1):totable())
        end
    end)

    it("stand within expressions and reductions", function()
        local square = lun.map(function(x) return x * x end)
        local a = f64(list(100, function(i) return i end))
        for _ = 1, 3 do
            assert.are.equal(338350.0, square(a):sum())
            assert.are.equal(338350.0 - 5050, (square(a) - a):sum())
            assert.are.same({ 16, 81 }, square(square(f64 { 2, 3 })):totable())
        end
    end)

    it("read strided views", function()
        local square = lun.map(function(x) return x * x end)
        local a = f64 { { 1, 2 }, { 3, 4 } }
        for _ = 1, 2 do
            assert.are.same({ { 1, 9 }, { 4, 16 } }, square(a:transpose()):totable())
            assert.are.same({ { 1, 4 }, { 9, 16 } }, square(a):totable())
        end
    end)

    it("say where they fail", function()
        local divide = lun.map(function(x, y) return x // y end, { elements = 2 })
        local a = i64 { 6, 8 }
        local line = debug.getinfo(1, "l").currentline - 2
        for _ = 1, 3 do
            assert.are.same({ 3, 2 }, divide(a, i64 { 2, 4 }):totable())
            expect.failure("recalled_spec.lua:" .. line .. ":", function() return divide(a, i64 { 2, 0 }):totable() end)
        end
    end)
end)
