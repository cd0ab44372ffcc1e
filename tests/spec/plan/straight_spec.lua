-- Expressions stored into windows of many elements: computed where they shall stand, with nothing beside it touched and
-- no array in between; what cannot be computed there comes out the same. Compared with plain Lua that knows only indices.

local lun = require "lunarray"
local expect = require "expect"
local shell = require "shell"

-- Runs a program by itself; environment: "NAME=value ...".
local function run(program, environment, argument)
    local name = shell.write(os.tmpname(), program)
    local text = shell.capture(("%s %s %s %s 2>&1"):format(environment, shell.interpreter(), name, argument))
    os.remove(name)
    return text
end

-- Arrays of t in a frame of guards, large enough to be computed straight, through windows of all kinds; prints "good".
local every_window = [[
    local lun = require "lunarray"
    local t, device = arg[1], lun.use() == "opencl"
    local bytes = #lun.zeros(1, t):tobytes()
    local C = 451
    local R = 270000 // bytes // C + 7 -- a window of 256 KB and more
    local guard = t == "bool" and true or 99
    local function value(k) -- of the k-th element, from 0, of what is stored
        if t == "bool" then return k * 7 % 11 > 4 end
        return k * 7 % 11 + 1
    end
    local function expression(...)
        local I = (lun.index(select("#", ...) == 1 and ... or select(1, ...) * select(2, ...)) - 1) * 7 % 11
        I = I:reshape { ... }:cast("u8"):eval()
        local e = t == "bool" and I:gt(4) or I:cast(t) + 1
        e:size()
        return e
    end
    -- A frame's extents, a window of it, and the place of the window's element (i, j) from 0, among the frame's.
    local cases = {
        inside = { { R + 2, C + 3 }, function(F) return F:sub({ 2, R + 1 }, { 3, C + 2 }) end, R, C,
            function(i, j) return (i + 1) * (C + 3) + j + 2 end },
        rows = { { R + 5, C }, function(F) return F:sub({ 4, R + 3 }) end, R, C, function(i, j) return (i + 3) * C + j end },
        ["the last rows"] = { { R + 1, C }, function(F) return F:sub { 2 } end, R, C, function(i, j) return (i + 1) * C + j end },
        steps = { { 2 * R, 2 * C + 1 }, function(F) return F:sub({ 1, 2 * R, 2 }, { 2, 2 * C, 2 }) end, R, C,
            function(i, j) return 2 * i * (2 * C + 1) + 2 * j + 1 end },
        backwards = { { R, C + 1 }, function(F) return F:sub({ R, 1, -1 }, { C + 1, 2, -1 }) end, R, C,
            function(i, j) return (R - 1 - i) * (C + 1) + C - j end },
        transposed = { { C + 1, R }, function(F) return F:sub({ 1, C }):transpose() end, R, C,
            function(i, j) return j * R + i end },
        column = { { R * C, 3 }, function(F) return F:col(2) end, R * C, nil, function(i) return 3 * i + 1 end },
        planes = { { R, 3, C }, function(F) return F:select(2, 2) end, R, C, function(i, j) return (3 * i + 1) * C + j end },
    }
    for name, case in pairs(cases) do
        local F = lun.full(case[1], guard, t):copy()
        local e = case[4] and expression(case[3], case[4]) or expression(case[3])
        local w = case[2](F)
        collectgarbage()
        lun.stats "reset"
        local before = lun.stats().allocated
        w:set(e)
        assert(device or lun.stats().peak == before, name .. ": memory of " .. lun.stats().peak - before)
        local wanted, columns = {}, case[4] or 1
        for k = 1, F:size() do wanted[k] = guard end
        for k = 0, case[3] * columns - 1 do
            wanted[case[5](k // columns, k % columns) + 1] = value(k)
        end
        local got = F:flatten():totable()
        assert(#got == #wanted)
        for k = 1, #wanted do
            if got[k] ~= wanted[k] then
                error(("%s: element %d is %s instead of %s"):format(name, k, got[k], wanted[k]))
            end
        end
    end
    print "good"]]

describe("an expression stored into a window", function()
    it("is computed there, of all dtypes, on any number of threads", function()
        for i, t in ipairs { "bool", "i8", "u8", "i16", "u16", "f16", "i32", "u32", "f32", "i64", "u64", "f64" } do
            for _, threads in ipairs(i % 6 == 0 and { 1, 2, 8 } or { 1 + i % 8 }) do
                local jit = (i + threads) % 2 == 0 and "off" or "auto"
                assert.equal("good\n", run(every_window, ("LUNARRAY_THREADS=%d LUNARRAY_JIT=%s"):format(threads, jit), t))
            end
        end
    end)

    it("comes out so on every backend", function()
        for i, backend in ipairs(lun.backends()) do
            local t = ({ "f32", "i16", "u8" })[i % 3 + 1]
            assert.equal("good\n", run(every_window, "LUNARRAY_BACKEND=" .. backend, t))
        end
    end)

    local R, C = 300, 401 -- of f32: 480 KB

    local function numbers(seed)
        return lun.random({ R, C }, { dtype = "f32", seed = seed }):copy()
    end

    it("reads all old elements first, and old expressions keep them", function()
        expect.everywhere(function()
            local U = (lun.index(R * C) % 1000):reshape { R, C }:cast "i32":copy()
            local list = U:flatten():totable()
            local old = U + 1
            local inner = U:sub({ 2, -2 }, { 2, -2 })
            inner:set(U:sub({ 1, -3 }, { 2, -2 }) + U:sub({ 2, -2 }, { 3, -1 })) -- above and to the right
            local function before(i, j) return list[(i - 1) * C + j] end
            local wanted = {}
            for i = 1, R do
                for j = 1, C do
                    local inside = i > 1 and i < R and j > 1 and j < C
                    wanted[#wanted + 1] = inside and before(i - 1, j) + before(i, j + 1) or before(i, j)
                end
            end
            expect.elements(wanted, U:flatten())
            expect.elements(expect.map(function(x) return x + 1 end, list), old:flatten())
            U:sub({ 1, R // 2 }):set(U:sub({ R // 2 + 1, R }) * 2) -- from one half of it to the other
            for k = 1, R // 2 * C do
                wanted[k] = 2 * wanted[R // 2 * C + k]
            end
            expect.elements(wanted, U:flatten())
        end)
    end)

    it("stays what it is", function()
        expect.everywhere(function()
            local A, B, F = numbers(1), numbers(2), lun.zeros({ R + 2, C + 2 }, "f32"):copy()
            local w = F:sub({ 2, -2 }, { 2, -2 })
            local e = A * 2 + B
            local wanted = (A * 2 + B):copy()
            w:set(e)
            A:fill(0)
            w:fill(1)
            assert.is_true(e:eq(wanted):all())
            w:set(e) -- a second time
            assert.is_true(w:eq(wanted):all())
            assert.is_true(e:eq(wanted):all())
        end)
    end)

    it("takes a sum or a mean of other elements with it, and rows of indices and random numbers", function()
        local A, F = numbers(3), lun.zeros({ R + 1, C }, "f32"):copy()
        local w = F:sub { 2 }
        for name, e in pairs {
            mean = function() return A - A:mean { axis = 1, keep = true } end,
            sum = function() return A * A:sum() end,
            softmax = function()
                local x = (A - A:max { axis = 2, keep = true }):exp()
                return x / x:sum { axis = 2, keep = true }
            end,
            product = function() return A:sub({ 1, 50 }):transpose():matmul(A:sub({ 1, 50 })):sub({ 1, R }) end,
            index = function() return lun.index(R * C):reshape { R, C } * 0.5 end,
            random = function() return lun.random({ R, C }, { dtype = "f32", seed = 9 }) * 2 end,
            transposed = function() return A:view(C, R):transpose() + 1 end,
            stencil = function()
                return lun.stencil(function(x) return x(-1, 0) + x(0, 1) end)(A)
            end,
            ["a row for all"] = function() return A:row(1) + 1 end,
        } do
            w:fill(0)
            w:set(e())
            assert.is_true(w:eq((e() + lun.zeros({ R, C }, "f32")):copy()):all(), name)
            assert.equal(0, F:row(1):norm(), name)
        end
    end)

    it("leaves the window as it is where it fails", function()
        expect.everywhere(function()
            local n = 100000
            local A = lun.index(n):cast("i32"):copy()
            local F = lun.full({ 2, n }, 7, "i32"):copy()
            local divide = lun.map(function(x) return 100 // x end)
            expect.failure("attempt to perform 'n//0'", function() F[2] = lun.full(n, 100, "i32") // (A - n) end)
            expect.failure("n//0", divide.run, divide, { A - n, out = F:row(1) })
            local pick = lun.map(function(x) return A[x] end)
            expect.failure("out of range", pick.run, pick, { A + 1, out = F:row(1) })
            assert.is_true(F:eq(7):all())
            F[2] = A // A
            assert.is_true(F:row(2):eq(1):all())
        end)
    end)

    it("needs no memory beside the array and what it is made of", function()
        local program = shell.write(os.tmpname(), [[
            local n = 1 << 20
            local A = lun.index(n):cast("f64"):eval()
            local F = lun.zeros({ 2, n }):copy()
            F[2] = A * 2 + 1
            print(F[1][n], F[2][n])]])
        local text = shell.capture(("%s --memory-limit 28 %s 2>&1"):format(shell.interpreter(), program)) -- of which 24 are used
        os.remove(program)
        assert.equal("0.0\t2097153.0\n", text)
    end)

    it("goes into several windows in one pass", function()
        local A, B = numbers(4), numbers(5)
        local F, G = lun.zeros({ R + 2, 2 * C }, "f32"):copy(), lun.zeros({ R, C + 1 }, "f32"):copy()
        local f, g = F:sub({ 2, -2 }, { 1, C }), G:sub({}, { 2, -1 })
        lun.eval(A + B, A - B, { out = { f, g } })
        assert.is_true(f:eq(A + B):all())
        assert.is_true(g:eq(A - B):all())
        assert.equal(0, G:col(1):norm() + F:row(1):norm() + F:row(-1):norm() + F:sub({}, { C + 1, -1 }):norm())
        local both = lun.map(function(x) return x + 1, x * 2 end)
        local before = lun.stats().launches
        both:run { A, out = { F:sub({ 2, -2 }, { C + 1, -1 }), g } }
        assert.equal(1, lun.stats().launches - before)
        assert.is_true(F:sub({ 2, -2 }, { C + 1, -1 }):eq(A + 1):all())
        assert.is_true(g:eq(A * 2):all())
        both:run { A, out = { F:sub({ 2, -2 }, { 1, C }), F:sub({ 2, -2 }, { 3, C + 2 }) } } -- the later one wins
        assert.is_true(F:sub({ 2, -2 }, { 3, C + 2 }):eq(A * 2):all())
        assert.is_true(F:sub({ 2, -2 }, { 1, 2 }):eq((A + 1):sub({}, { 1, 2 })):all())
        lun.eval(A + B, A + B, { out = { f, g } })
        assert.is_true(f:eq(A + B):all() and g:eq(A + B):all())
    end)
end)
