-- What follows a matrix product: it takes the product's rows from the cache. Every result must have the bits that it
-- has when the product is evaluated before, and a product that a script holds must be there afterwards.
local lun = require "lunarray"
local expect = require "expect"
local shell = require "shell"

local function matrix(shape, dtype, seed)
    return (lun.random(shape, { seed = seed }) * 40 - 20):cast(dtype):eval()
end

local function same(a, b)
    return a:tobytes() == b:tobytes()
end

local function chains(...)
    local numbers = {}
    for _, kernel in ipairs(lun.explain(...)) do
        numbers[#numbers + 1] = kernel.chain or 0
    end
    return table.concat(numbers, " ")
end

local function moved(f)
    collectgarbage()
    local before = lun.stats()
    f()
    local after = lun.stats()
    return { after.bytes_read - before.bytes_read, after.bytes_written - before.bytes_written,
        after.products - before.products }
end

-- Each gives an expression of a product p, a row, a column and a matrix of its shape.
local EPILOGUES = {
    bias = function(p, row) return (p + row):max(0) end,
    column = function(p, _, column) return p * column - 1 end,
    added = function(p, _, _, C) return C + p end,
    twice = function(p) return p * p + p end,
    narrower = function(p, row) return (p - row):gt(3) end,
    wider = function(p, row) return (p + row):cast "f64" / 3 end,
    strided = function(p, _, _, C) return p - C:sub({}, { -1, 1, -1 }) end,
    softmax = function(p)
        local e = ((p - p:max { axis = -1, keep = true }):cast "f32" * 0.01):exp()
        return e / e:sum { axis = -1, keep = true }
    end,
    sums = function(p) return p:sum { axis = -1 } end,
    scaled = function(p, row) return (p - p:mean { axis = -1, keep = true }) * row end,
}

describe("what follows a product", function()
    it("is in its chain, and the product is not in memory #place", function()
        if lun.backends()[1] == "reference" then
            return
        end
        local A, B = matrix({ 700, 90 }, "f32", 1), matrix({ 90, 1001 }, "f32", 2)
        local row, C = matrix({ 1001 }, "f32", 3), matrix({ 700, 1001 }, "f32", 4)
        local size = 700 * 1001 * 4
        local operands = (700 * 90 + 90 * 1001) * 4
        -- f's kernels are one chain and move no more than these bytes.
        local function check(f, kernels, read, written)
            local y = f(A:matmul(B))
            collectgarbage()
            assert.equal(("1 "):rep(kernels - 1) .. "1", chains(y))
            local plan = lun.explain(y)
            assert.equal(0, plan[1].bytes_written)
            assert.equal(operands, plan[1].bytes_read)
            assert.truthy(tostring(plan):find("chain 1", 1, true))
            assert.same({ operands + read, written, 1 }, moved(function() y:eval() end))
            return y
        end
        check(function(p) return (p + row):max(0) end, 2, 1001 * 4, size)
        local sum = check(function(p) return C + p end, 2, size, size)
        check(EPILOGUES.softmax, 4, 0, size)
        assert.matches("^1 1", chains(EPILOGUES.sums(A:matmul(B))))
        assert.same({ operands + size, size, 1 }, moved(function() C:set(C + A:matmul(B)) end))
        assert.is_true(same(sum, C))
        assert.equal("0 0", chains((A:sub({ 1, 100 }):matmul(B) + row):max(0))) -- small
        assert.falsy(chains(A:matmul(B):sub({}, { -1, 1, -1 }) + 1):find "1") -- not by rows
        assert.falsy(chains(A:matmul(B):sum(1) * 2):find "1")
    end)

    it("leaves a product that is held in memory #place", function()
        local A, B = matrix({ 600, 70 }, "f32", 1), matrix({ 70, 900 }, "f32", 2)
        local p = A:matmul(B)
        local y = (p + 1):max(0)
        assert.equal(600 * 900 * 4, lun.explain(y)[1].bytes_written)
        local counts = moved(function()
            y:eval()
            p:eval()
        end)
        assert.equal(1, counts[3])
        assert.is_true(same(A:matmul(B):eval(), p))
        local q = A:matmul(B * 1)
        local z, w = lun.eval((q + 1):max(0), q)
        assert.is_true(same(w, p))
        assert.is_true(same(z, y))
        local r, products = A:matmul(B + 0), lun.stats().products
        lun.eval((r * 2):max(0), r:transpose():sum(2), r:sum())
        assert.equal(products + 1, lun.stats().products)
    end)

    it("has the bits that it has behind a product in memory", function()
        local shapes = { { 600, 500, 30 }, { 1500, 211, 300 }, { 130, 2100, 17 }, { 67, 4099, 257 }, { 2051, 130, 513 } }
        for i, s in ipairs(shapes) do
            for d, dtype in ipairs { "f32", "f64", "i32", "u8", "f16" } do
                if i == 1 or (i + d) % 2 == 0 then
                    local A, B = matrix({ s[1], s[3] }, dtype, 10 * i), matrix({ s[3], s[2] }, dtype, 10 * i + 1)
                    if (i + d) % 3 == 0 then
                        A, B = A:transpose():copy():transpose(), B:sub({}, { -1, 1, -1 })
                    end
                    local p = A:matmul(B):eval()
                    local row, column = matrix({ s[2] }, p:dtype(), 3), matrix({ s[1], 1 }, p:dtype(), 4)
                    local C = matrix({ s[1], s[2] }, p:dtype(), 5)
                    for name, f in pairs(EPILOGUES) do
                        local got, wanted = f(A:matmul(B), row, column, C):eval(), f(p, row, column, C):eval()
                        assert.is_true(same(wanted, got), name .. " of " .. dtype .. " " .. table.concat(s, " x "))
                    end
                end
            end
        end
    end)

    it("goes through batches", function()
        for _, s in ipairs { { 40, 120, 30, 100 }, { 3, 300, 65, 400 }, { 700, 20, 9, 70 } } do
            local A, B = matrix({ s[1], s[2], s[3] }, "f32", 1), matrix({ s[1], s[3], s[4] }, "f32", 2)
            for k, b in ipairs { B, B:sub(2, 2), B[1] } do
                local p = A:matmul(b):eval()
                local row, column = matrix({ s[1], 1, s[4] }, "f32", 3), matrix({ s[2], 1 }, "f32", 4)
                local C = matrix({ s[1], s[2], s[4] }, "f32", 5)
                for name, f in pairs(EPILOGUES) do
                    if name ~= "strided" then
                        local got, wanted = f(A:matmul(b), row, column, C):eval(), f(p, row, column, C):eval()
                        assert.is_true(same(wanted, got), name .. " of batch " .. k)
                    end
                end
            end
        end
    end)

    it("is any kernel, in any number", function()
        local A, B = matrix({ 513, 64 }, "f64", 1), matrix({ 64, 600 }, "f64", 2)
        local D = matrix({ 64, 600 }, "f64", 3)
        local p, q = A:matmul(B):eval(), A:matmul(D):eval()
        local cube = lun.map("double cube(double x) { return x * x * x; }")
        local weights = lun.vector { 0.5, 2, 3 }
        local pick = lun.map(function(x) return x > 0 and x * weights[2] or x * weights[1] end)
        local function all(P, Q)
            local a, b = cube(P) + Q, pick(P)
            return a, b, a:sum(2), (a * b):max { axis = 2, keep = true } - Q
        end
        local function read(...)
            local texts = {}
            for i, x in ipairs { ... } do
                texts[i] = x:tobytes()
            end
            return table.concat(texts)
        end
        assert.equal(read(lun.eval(all(p, q))), read(lun.eval(all(A:matmul(B), A:matmul(D)))))
        local two = (A:matmul(B):max(0):matmul(D:transpose()) + 1):max(0)
        assert.is_true(same(((p:max(0):matmul(D:transpose())):eval() + 1):max(0), two))
    end)

    it("follows each of several products #place", function()
        if lun.backends()[1] == "reference" then
            return
        end
        local A, B = matrix({ 700, 90 }, "f32", 1), matrix({ 90, 700 }, "f32", 2)
        local W, V = matrix({ 700, 700 }, "f32", 3), matrix({ 90, 800 }, "f32", 4)
        local function step() return W - A:matmul(B) * 0.5, (A:matmul(V) + 1):max(0) end
        local w, v = step()
        collectgarbage()
        assert.equal("1 1 2 2", chains(w, v))
        lun.eval(w, v)
        assert.is_true(same(W - A:matmul(B):eval() * 0.5, w))
        assert.is_true(same((A:matmul(V):eval() + 1):max(0), v))
        local sum = A:matmul(B) + W:matmul(W)
        assert.is_true(same(A:matmul(B):eval() + W:matmul(W):eval(), sum))
    end)

    it("takes rows of more than a chunk of a reduction #place", function()
        local worst = lun.map(function(x) return x * 3 % 7 end)
        for _, s in ipairs { { 70, 16384, 20 }, { 258, 16385, 9 }, { 130, 33001, 30 }, { 45, 100003, 2 } } do
            for _, dtype in ipairs(s[1] == 258 and { "f32", "f64", "i32" } or { "f32" }) do
                local A, B = matrix({ s[1], s[3] }, dtype, 1), matrix({ s[3], s[2] }, dtype, 2)
                local p = A:matmul(B):eval()
                local function all(P)
                    return lun.eval(P:argmin(2), worst(P):sum(2), P:std { axis = 2 }, P:any(2),
                        P:reduce(function(a, b) return a * 3 - b end, nil, { axis = 2 }),
                        P - P:max { axis = 2, keep = true })
                end
                local got, wanted = { all(A:matmul(B)) }, { all(p) }
                for i = 1, #wanted do
                    assert.is_true(same(wanted[i], got[i]), "result " .. i .. " of " .. table.concat(s, " x "))
                end
            end
        end
        if lun.backends()[1] ~= "reference" then
            local A, B = matrix({ 140, 9 }, "f64", 1), matrix({ 9, 16385 }, "f64", 2)
            local sums = A:matmul(B):sum(2)
            collectgarbage()
            assert.equal("1 1", chains(sums))
            assert.equal(0, lun.explain(sums)[1].bytes_written)
            assert.equal("0 0", chains(A:sub(1, 120):matmul(B):sum(2))) -- few rows
            local wide = lun.ones({ 2, 70000 }):copy()
            assert.equal("0 0", chains(lun.ones({ 200, 2 }):copy():matmul(wide):sum(2))) -- too long
        end
    end)

    it("follows all pairs of rows", function()
        local distance = lun.allpairs(function(x, y) return (x - y) ^ 2 end, "+")
        local most = lun.allpairs(function(x, y) return x * y end, function(a, b) return a > b and a or b end)
        local function all(D, row)
            return lun.eval(D:argmin(2), D:min { axis = 2 }, (D + row):gt(3):sum(2),
                D:sum { axis = 2, keep = true } - D)
        end
        for _, s in ipairs { { 1000, 300, 3 }, { 4001, 67, 2 }, { 5, 70001, 1 }, { 66, 16385, 2 }, { 259, 1030, 257 } } do
            for k, f in ipairs { distance, most } do
                local A, B = matrix({ s[1], s[3] }, "f32", 1), matrix({ s[2], s[3] }, "f32", 2)
                local row = matrix({ s[2] }, "f32", 3)
                local got, wanted = { all(f(A, B), row) }, { all(f(A, B):eval():copy(), row) }
                for i = 1, #wanted do
                    assert.is_true(same(wanted[i], got[i]), ("result %d of function %d, %s"):format(i, k, table.concat(s, " x ")))
                end
            end
        end
    end)

    it("stores no matrix of pairs unless a script holds it #place", function()
        if lun.backends()[1] == "reference" then
            return
        end
        local A, B = matrix({ 1000, 3 }, "f32", 1), matrix({ 800, 3 }, "f32", 2)
        local distance = lun.allpairs(function(x, y) return (x - y) ^ 2 end, "+")
        local size, operands = 1000 * 800 * 4, (1000 + 800) * 3 * 4
        local nearest = distance(A, B):argmin(2)
        collectgarbage()
        assert.equal("1 1 1 1 0", chains(nearest))
        assert.equal(0, lun.explain(nearest)[1].bytes_written)
        nearest:eval()
        local roots = distance(A, B):sqrt():max { axis = 2 }
        collectgarbage()
        assert.equal("1 1", chains(roots))
        assert.same({ operands, 0, 0 }, moved(function() roots:eval() end))
        local D = distance(A, B)
        local least = D:min { axis = 2 }
        assert.same({ operands, size, 0 }, moved(function() least:eval() end))
        local again = D:argmin(2)
        assert.equal("0 0 0 0", chains(again)) -- the matrix is there
        assert.is_true(same(nearest, again))
        assert.is_true(same(least, distance(A, B):min { axis = 2 }))
        assert.equal("0 0", chains(distance(A, B):sum(1))) -- not by rows
        assert.equal("0 0", chains(distance(A:sub(1, 100), B):sum(2))) -- small
        local weights = lun.ones(799):copy()
        local wrong = lun.map(function(x) return weights[math.floor(x) + 1] end)
        expect.failure("out of range for array 'weights'", function() return wrong(distance(A, B)):sum(2):eval() end)
        local zip = lun.allpairs(function(x, y) return weights[(x - y) // 1 | 0] end, "+")
        expect.failure("out of range for array 'weights'", function() return zip(A, B):sum(2):eval() end)
        assert.is_true(same(nearest, distance(A, B):argmin(2)))
    end)

    it("takes rows that are computed, some at a time", function()
        local cube = lun.map(function(x) return x * x * x end)
        for i, s in ipairs { { 1024, 1030, 20 }, { 20001, 64, 65 }, { 33025, 33, 3 }, { 70000, 16, 1 }, { 4097, 513, 300 } } do
            for d, dtype in ipairs { "f32", "f64", "i32" } do
                if i == 2 or (i + d) % 2 == 0 then
                    local A, B = matrix({ s[1], s[2] }, dtype, i), matrix({ s[2], s[3] }, dtype, 7)
                    local row = matrix({ s[2] }, dtype, 9)
                    local what = dtype .. " " .. table.concat(s, " x ")
                    local stored = (cube(A) + row):eval():copy()
                    assert.is_true(same(stored:matmul(B):eval(), (cube(A) + row):matmul(B):eval()), what)
                    local narrow = A:gt(row):eval():copy()
                    assert.is_true(same(narrow:matmul(B):eval(), A:gt(row):matmul(B):eval()), "bools by " .. what)
                    assert.is_true(same(stored:matmul(B * 2):eval(), (cube(A) + row):matmul(B * 2):eval()), what)
                end
            end
        end
        local A = matrix({ 1100, 1000 }, "f32", 1)
        local wanted = (A + 1):eval():copy()
        assert.is_true(same(wanted:matmul(wanted:transpose()):eval(), (A + 1):matmul((A + 1):transpose()):eval()))
        local L = A + 2 -- which is needed later, too
        local p, sum = lun.eval(L:matmul(A:transpose()), L:sum(1))
        assert.is_true(same((A + 2):eval():copy():matmul(A:transpose()):eval(), p))
        assert.is_true(same((A + 2):eval():copy():sum(1):eval(), sum))
    end)

    it("stores no operand that it takes by rows #place", function()
        if lun.backends()[1] == "reference" then
            return
        end
        local A, B = matrix({ 5000, 256 }, "f32", 1), matrix({ 256, 20 }, "f32", 2)
        local y = (A * 2 + 1):matmul(B)
        collectgarbage()
        assert.equal("1 1", chains(y))
        local operands, size = (5000 * 256 + 256 * 20) * 4, 5000 * 20 * 4
        local plan = lun.explain(y)
        assert.equal(operands + size, plan[1].bytes_read + plan[2].bytes_read + plan[2].bytes_written)
        assert.equal(0, plan[1].bytes_written)
        local launches = lun.stats().launches
        assert.same({ operands, size, 1 }, moved(function() y:eval() end))
        assert.equal(1, lun.stats().launches - launches)
        local L = A * 3
        local z = L:matmul(B):eval()
        assert.is_true(same((L * 1):eval():matmul(B):eval(), z))
        assert.equal("0 0", chains((A:sub(1, 1000) + 1):matmul(B))) -- small
        local zeros = lun.ones({ 1300, 1000 }, "i32"):copy()
        zeros[1299][7] = 0
        local line = debug.getinfo(1, "l").currentline + 1
        expect.failure("epilogues_spec.lua:" .. line, function() return (7 // zeros):matmul(zeros:transpose()):eval() end)
        zeros[1299][7] = 1
        assert.equal(7000, (7 // zeros):matmul(zeros:transpose())[1300][1300])
    end)

    it("names the line of what fails, and changes nothing", function()
        local A, B = lun.ones({ 700, 8 }, "i32"):copy(), lun.ones({ 8, 700 }, "i32"):copy()
        local zero = lun.zeros({ 700 }, "i64"):copy()
        local error = expect.failure("attempt to perform 'n//0'", function() return (A:matmul(B) // zero):eval() end)
        assert.truthy(tostring(error):find("epilogues_spec", 1, true), tostring(error))
        assert.equal(8, (A:matmul(B) // 1):max())
        local wrong = lun.map(function(x, v) return v[x] end)
        expect.failure("index 8 is out of range", function() return wrong(A:matmul(B), lun.zeros(7):copy()):eval() end)
    end)

    it("has the same bits on 1 to 8 threads, on every backend", function()
        local path = shell.write(os.tmpname(), [[
            local lun = require "lunarray"
            local h = 0
            local function show(x)
                local all = x:eval():tobytes()
                for i = 1, #all - 7, 8 do h = (h ~ string.unpack("<i8", all, i)) * 0x100000001b3 end
            end
            for _, s in ipairs { {300, 1700, 260}, {65, 4100, 33}, {1500, 200, 600}, {2000, 130, 20} } do
                for _, t in ipairs { "f32", "f64", "i32" } do
                    local A = (lun.random({s[1], s[3]}, {seed = 1}) * 100 - 50):cast(t):eval()
                    local B = (lun.random({s[2], s[3]}, {seed = 2}) * 100 - 50):cast(t):eval():transpose()
                    local row = lun.range(1, s[2]):cast(t):eval()
                    show((A:matmul(B) + row):max(0))
                    show(A:matmul(B) - A:matmul(B):max{axis = 2, keep = true})
                end
            end
            local A, B = lun.random({90, 120, 30}, {seed = 3}):eval(), lun.random({90, 30, 70}, {seed = 4}):eval()
            show((A:matmul(B) * 2):sum(3))
            local X, Y = lun.random({333, 5}, {seed = 5}):eval(), lun.random({1701, 5}, {seed = 6}):eval()
            show(lun.allpairs(function(x, y) return (x - y) ^ 2 end, "+")(X, Y):sum(2))
            show((lun.random({6001, 171}, {seed = 8}) * 2 - 1):matmul(lun.random({171, 7}, {seed = 9})))
            show(X:sub({1, 110}):matmul(lun.random({5, 20000}, {seed = 7})):sum(2))
            print(string.format("%016x", h))]])
        local wanted
        local ways = { "openmp LUNARRAY_THREADS=1", "openmp LUNARRAY_THREADS=1 LUNARRAY_JIT=off" }
        for threads = 2, 8 do
            ways[#ways + 1] = "openmp LUNARRAY_THREADS=" .. threads
        end
        for _, backend in ipairs(lun.backends()) do
            ways[#ways + 1] = backend
        end
        for _, way in ipairs(ways) do
            local text = shell.capture(("LUNARRAY_BACKEND=%s %s %s 2>&1"):format(way, shell.interpreter(), path))
            wanted = wanted or text
            assert.truthy(text:find "^%x+\n$", text)
            assert.equal(wanted, text, way)
        end
        os.remove(path)
    end)

    it("stops at limits of time and memory, and the session goes on", function()
        local path = shell.write(os.tmpname(), [[
            local a = lun.ones({3000, 3000}, "f32"):copy()
            local ok, message = pcall(function() return (a:matmul(a) + 1):eval() end)
            print(ok, message, a[1][1])
            print((a:sub({1, 2}, {1, 2}):matmul(lun.ones(2, 2)) + 1)[2][2])]])
        local text = shell.capture(("timeout 300 %s --sandbox --memory-limit 60 %s 2>&1"):format(shell.interpreter(), path))
        assert.truthy(text:find "^false\t.*memory.*\t1%.0\n3%.0\n$", text)
        shell.write(path, "local a = lun.ones({4000, 4000}):copy() for i = 1, 1000 do (a:matmul(a) + 1):eval() end")
        text = shell.capture(("timeout 300 %s --sandbox --time-limit 1 %s 2>&1"):format(shell.interpreter(), path))
        os.remove(path)
        assert.truthy(text:find("time limit", 1, true), text)
    end)
end)
