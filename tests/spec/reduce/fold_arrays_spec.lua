-- Functions of reduce and scan that read captured arrays: on every backend what a loop in Lua gives.
local lun = require "lunarray"
local expect = require "expect"

local everywhere, refused = expect.everywhere, expect.failure

-- The product of permutations of three: a group, whose table is no symmetric matrix.
local permutations = { { 1, 2, 3 }, { 1, 3, 2 }, { 2, 1, 3 }, { 2, 3, 1 }, { 3, 1, 2 }, { 3, 2, 1 } }

local function times(p, q)
    for number, r in ipairs(permutations) do
        local same = true
        for k = 1, 3 do same = same and r[k] == permutations[p][permutations[q][k]] end
        if same then return number end
    end
end

local products = {}
for p = 1, 6 do
    products[p] = {}
    for q = 1, 6 do products[p][q] = times(p, q) end
end

-- Numbers of permutations, and their products from the first one on.
local function chain(n)
    local list, running, now = {}, {}, 1
    for i = 1, n do
        list[i] = i * i * 7 % 13 % 6 + 1
        now = products[now][list[i]]
        running[i] = now
    end
    return list, running
end

describe("functions of reduce and scan", function()
    it("read captured arrays", function()
        everywhere(function()
            for _, dtype in ipairs { "u8", "i32", "i64" } do
                local T = lun.vector(products, dtype)
                local function f(a, b) return T[a][b] end
                for _, n in ipairs { 1, 2, 63, 64, 65, 4096, 4100, 70000 } do
                    local list, running = chain(n)
                    local x = lun.vector(list, "i64")
                    assert.are.equal(running[n], x:reduce(f, 1):value())
                    assert.are.equal(running[n], (x + 0):reduce(f):value())
                    assert.same(running, x:scan(f, 1, { inclusive = true }):totable())
                end
            end
        end)
    end)

    it("read parts, windows, lengths, helper functions, several arrays and Scalars", function()
        everywhere(function()
            local frame = lun.zeros({ 14, 8 }, "i32")
            local T = frame:sub({ 12, 2, -2 }, { 7, 2, -1 })
            T:set(lun.vector(products, "i32"))
            local up, six = lun.vector({ 1, 2, 3, 4, 5, 6 }, "i64") * 1, lun.vector({ 2, 4 }, "i64"):lazy "sum"
            local function row(p) return T[up[p]] end
            local function f(a, b)
                if #T ~= six then return 0 end
                local r = row(a)
                return r[b]
            end
            local list, running = chain(5000)
            local x = lun.vector(list, "i64")
            assert.are.equal(running[5000], x:reduce(f, 1):value())
            assert.same(running, x:scan(f, 1, { inclusive = true }):totable())
            assert.are.equal(running[5000], lun.reduce(function(a, b, k) return T[a][b] + k end)(x, 0):value())
        end)
    end)

    it("read floats and bools, and loop over arrays", function()
        everywhere(function()
            local limit, w = lun.vector({ 0.25, 0.5, 100.5 }, "f32"), lun.vector { true, false, true }
            local function f(a, b)
                local s = a > b and a or b
                for k = 1, #w do
                    if w[k] and s > limit[k] then s = s < 100 and s or limit[3] end
                end
                return s
            end
            local list, best = {}, -1 / 0
            for i = 1, 3000 do
                list[i] = (i * 37 % 1009) / 8
                best = math.min(math.max(best, list[i]), 100.5)
            end
            local x = lun.vector(list, "f32")
            assert.are.equal(best, x:reduce(f):value())
        end)
    end)

    it("reduce and scan lines along axes", function()
        everywhere(function()
            local T = lun.vector(products, "i64")
            local function f(a, b) return T[a][b] end
            local list, running = chain(700)
            local A = lun.vector(list, "i64"):reshape { 7, 100 }
            for _, a in ipairs { A, A:transpose():copy():transpose() } do
                local rows = a:reduce(f, 1, { axis = 2 }):totable()
                local columns = a:reduce(f, 1, { axis = 1 }):totable()
                local scanned = a:scan(f, 1, { axis = 1, inclusive = true }):row(7):totable()
                for i = 1, 7 do
                    local now = 1
                    for j = 1, 100 do now = products[now][list[(i - 1) * 100 + j]] end
                    assert.are.equal(now, rows[i])
                end
                for j = 1, 100 do
                    local now = 1
                    for i = 1, 7 do now = products[now][list[(i - 1) * 100 + j]] end
                    assert.are.equal(now, columns[j])
                    assert.are.equal(now, scanned[j])
                end
            end
            assert.are.equal(running[700], A:reduce(f, 1):value())
        end)
    end)

    it("combine all pairs of rows", function()
        everywhere(function()
            local T, list = lun.vector(products, "i64"), chain(1400)
            local A, B = lun.vector(list, "i64"):reshape { 20, 70 }, lun.vector(list, "i64"):reshape { 20, 70 } % 6 + 1
            local function f(a, b) return T[a][b] end
            local got, rows, columns = lun.allpairs(f, f)(A, B):totable(), A:totable(), B:totable()
            for i = 1, 20 do
                for j = 1, 20 do
                    local now = 1
                    for k = 1, 70 do now = products[now][products[rows[i][k]][columns[j][k]]] end
                    assert.are.equal(now, got[i][j])
                end
            end
        end)
    end)

    it("take the elements of the moment of the call", function()
        everywhere(function()
            local T = lun.vector { 1, 2, 3 }
            local function f(a, b) return math.max(T[1], a, b) end
            local x = lun.full(100, 0.0):copy()
            local before = x:reduce(f, 0)
            T[1] = 7
            assert.are.equal(7, x:reduce(f, 0):value())
            assert.are.equal(1, before:value())
            lun.each(3, function(i) T[i] = 9 end)
            assert.are.equal(9, x:reduce(f, 0):value())
            local y = lun.vector { 3, 1, 2 }
            assert.are.equal(3, y:reduce(function(a, b) return math.max(a, b, y[3]) end):value())
        end)
    end)

    it("check each index, on both tiers and where chunks are joined", function()
        everywhere(function(backend)
            local T = lun.vector(products, "i64")
            local line = debug.getinfo(1, "l").currentline
            local function f(a, b) return T[a][b] end
            local x = lun.full(40000, 1, "i64"):copy()
            assert.are.equal(1, x:reduce(f, 1):value())
            x[20001] = 8
            -- which one of several is reported is not specified on devices
            local message = backend == "opencl" and ":%d: index " or ":%d: index 8 is out of range for axis "
            refused(message:format(line + 1), function() return x:scan(f, 1):sum() end)
            refused(message:format(line + 1), function() return x:reduce(f, 1):value() end)
            x[20001] = 1
            local function wide(a, b) return T[a][b] + 2 ^ 45 // 1 | 0 end
            refused((":%d: index is out of range for axis 1 of array 'T' (length 6)"):format(line + 10),
                function() return x:reduce(wide, 1):value() end)
            local up = lun.index(14) + 1
            local function level(a) return up[a] end -- that of the tree, from 1
            assert.are.equal(15, lun.ones(16384, "i64"):reduce(level):value())
            refused((":%d: index 15 is out of range for array 'up' of length 14"):format(line + 14),
                function() return lun.ones(32768, "i64"):reduce(level):value() end)
            local empty = lun.zeros(0)
            refused("index 1 is out of range for array 'empty' of length 0",
                function() return x:reduce(function() return empty[1] end):value() end)
        end)
    end)
end)
