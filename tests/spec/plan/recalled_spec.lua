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

    it("index the arrays that they are given then", function()
        local pick = lun.map(function(x, w) return w[x] * #w end)
        local a, b = f64 { 10, 20, 30 }, f64 { 1, 2, 3, 4 }
        local line = debug.getinfo(1, "l").currentline - 2
        for _ = 1, 3 do
            assert.are.same({ 90.0, 30.0 }, pick(i64 { 3, 1 }, a):totable())
            assert.are.same({ 16.0, 4.0 }, pick(i64 { 4, 1 }, b):totable())
            assert.are.same({ 90.0, 30.0, 60.0 }, pick(i64 { 3, 1, 2 }, a):totable())
            assert.are.same({ 2.0, 2.0, 4.0, 4.0 }, pick(i64 { 1, 1, 2, 2 }, i32 { 1, 2 }):cast("f64"):totable())
            assert.are.same({ 7.0 }, pick(i64 { 1 }, f64 { 7 }):totable())
            local indices = i64 { 1, 3, 2 } -- which are the array as well
            assert.are.same({ 3, 6, 9 }, pick(indices, indices):totable())
            expect.failure("recalled_spec.lua:" .. line .. ": index 4 is out of range for array 'w' of length 3",
                function() return pick(i64 { 4, 1 }, a):totable() end)
            expect.failure("index 5 is out of range for array 'w' of length 4",
                function() return pick(i64 { 5, 1 }, b):totable() end)
        end
        local m = f64 { { 1, 2, 3 }, { 4, 5, 6 } }
        local corner = lun.map(function(x) return m[x][#m[x]] end)
        assert.are.same({ 3.0, 6.0 }, corner(i64 { 1, 2 }):totable())
        m[2][3] = 60
        assert.are.same({ 3.0, 60.0 }, corner(i64 { 1, 2 }):totable())
        m = f64 { { 1 }, { 2 }, { 3 } }
        assert.are.same({ 3.0, 2.0 }, corner(i64 { 3, 2 }):totable())
    end)

    it("give several results, together or apart", function()
        local both = lun.map(function(x, y) return x + y, x * y end, { elements = 2 })
        for _ = 1, 3 do
            local s, p = lun.eval(both(f64 { 1, 2 }, f64 { 3, 4 }))
            assert.are.same({ { 4.0, 6.0 }, { 3.0, 8.0 } }, { s:totable(), p:totable() })
            s, p = both(f64 { 5, 6 }, f64 { 7, 8 })
            assert.are.same({ 35.0, 48.0 }, p:totable())
            assert.are.same({ 12.0, 14.0 }, s:totable())
            p, s = lun.eval(p, s)
            assert.are.same({ { 35.0, 48.0 }, { 12.0, 14.0 } }, { p:totable(), s:totable() })
            s, p = both(f64 { 1, 2, 3 }, f64 { 4, 5, 6 })
            assert.are.same({ -1.0, 3.0, 9.0 }, (p - s):totable())
            assert.are.equal(32.0 + 21.0, (s + p):sum())
        end
    end)

    it("read neighbours in arrays of any extents and edges", function()
        local function sums(edge)
            return lun.stencil(function(x) return x(-1, 0) * 2 + x(1, 1) * 3 - x(0, 0) + x(0, -2) end, { edge = edge })
        end
        local places = {
            wrap = function(i, n) return (i - 1) % n + 1 end,
            nearest = function(i, n) return math.max(1, math.min(n, i)) end,
        }
        local function at(t, i, j, edge)
            local place = places[edge]
            if place then
                return t[place(i, #t)][place(j, #t[1])]
            end
            return t[i] and t[i][j] or edge
        end
        local stencils = { wrap = sums "wrap", nearest = sums "nearest", [4.0] = sums(4) }
        for round = 1, 3 do
            for _, s in ipairs { { 1, 1 }, { 2, 3 }, { 5, 70 }, { 70, 5 }, { 3, 64 } } do
                local A = lun.random(s, { seed = round }):copy()
                local t = A:totable()
                for edge, f in pairs(stencils) do
                    local got, total, least = f(A):totable(), f(A):sum(), 0
                    for i = 1, s[1] do
                        for j = 1, s[2] do
                            local wanted = at(t, i - 1, j, edge) * 2 + at(t, i + 1, j + 1, edge) * 3 - t[i][j] +
                                at(t, i, j - 2, edge)
                            assert.are.equal(wanted, got[i][j])
                            least = least + wanted
                        end
                    end
                    assert.is_true(math.abs(total - least) < 1e-9 * s[1] * s[2])
                end
            end
        end
        local v = lun.stencil(function(x) return x(-1) + x(1) end, { edge = 0 })
        for _, n in ipairs { 1, 2, 3, 1, 64, 65 } do
            local t = v(lun.range(1, n):copy()):totable()
            assert.are.equal(n == 1 and 0 or 2, t[1])
            assert.are.equal(n - 1, t[n])
        end
    end)

    it("look around each index, whatever the extents and what stands beyond them", function()
        local function around(x) return x(-1, 0) * 2 + x(0, 2) - x(1, -1) + x(0, 0) * 5 end
        local edges = { nearest = lun.stencil(around), wrap = lun.stencil(around, { edge = "wrap" }),
            number = lun.stencil(around, { edge = 7 }), ["another number"] = lun.stencil(around, { edge = -3 }) }
        local function beyond(i, n, edge)
            if i < 0 or i >= n then
                i = edge == "wrap" and i % n or edge == "nearest" and math.max(0, math.min(n - 1, i)) or nil
            end
            return i
        end
        local function model(t, rows, columns, edge, value)
            local wanted = {}
            for k = 0, rows * columns - 1 do
                local function x(di, dj)
                    local i, j = beyond(k // columns + di, rows, edge), beyond(k % columns + dj, columns, edge)
                    return i and j and t[i * columns + j + 1] or value
                end
                wanted[k + 1] = around(x)
            end
            return wanted
        end
        expect.everywhere(function()
            local shapes = { { 3, 4 }, { 3, 4 }, { 70, 65 }, { 2, 17000 }, { 1, 9 }, { 9, 1 }, { 5, 100 }, { 2, 17000 }, { 3, 3 } }
            for _, shape in ipairs(shapes) do
                local rows, columns = table.unpack(shape)
                local t = list(rows * columns, function(i) return i * 7 % 13 + 0.0 end)
                local A = f64(t):view(rows, columns)
                for edge, skeleton in pairs(edges) do
                    local value = edge == "number" and 7.0 or -3.0
                    local once = model(t, rows, columns, edge, value)
                    expect.elements(once, skeleton(A):flatten())
                    if #t < 1000 then -- two sweeps, what they are made of, what is made of them
                        expect.elements(model(once, rows, columns, edge, value), skeleton(skeleton(A)):flatten())
                        expect.elements(expect.map(function(x) return x * 2 end, once), (skeleton(A) * 2):flatten())
                        local twice = expect.map(function(x) return x * 2 end, t)
                        expect.elements(model(twice, rows, columns, edge, value), skeleton(A * 2):flatten())
                    end
                end
            end
        end)
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
