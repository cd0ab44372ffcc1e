-- Stencils that follow one another without evaluation in between: the bits of sweeps that are evaluated each by itself,
-- and of plain loops, on any number of threads, in memory that does not grow with their number.
-- machine: pack:1 l3:1(size=33554432) l2:2(size=1048576) l1d:1(size=49152) core:1 pu:1
local lun = require "lunarray"
local shell = require "shell"

local internal = require("lunarray.core").internal

local AROUND = {
    {
        function(x) return (x(-1) + x(1)) / 2 end,
        function(x) return (x(-3) + x(0) + x(1)) / 3 end,
    },
    {
        function(x) return (x(-1, 0) + x(1, 0) + x(0, -1) + x(0, 1)) / 4 end,
        function(x) return (x(-2, -1) + x(1, 3) + x(0, 0) * 2) / 4 end,
        function(x) return (x(5, 0) + x(4, -5)) / 2 end,
        function(x) return (x(0, -1) + x(0, 2)) / 2 end,
    },
    {
        function(x) return (x(-1, 0, 0) + x(1, 0, 0) + x(0, -1, 0) + x(0, 1, 0) + x(0, 0, -1) + x(0, 0, 1)) / 6 end,
        function(x) return (x(-1, 2, -1) + x(1, 0, 3) + x(0, 0, 0)) / 3 end,
    },
}
local EDGES = { "nearest", "wrap", 0.5, "keep", { "wrap", "nearest", 2.5 }, { -1, "wrap", "keep" } }

-- The edges of EDGES[k] for so many axes.
local function edges(k, rank)
    local edge = EDGES[k]
    if type(edge) ~= "table" then return edge end
    return { table.unpack(edge, 1, rank) }
end

-- A times each, evaluated at the end; and evaluated each time.
local function both(step, A, times)
    local lazy, plain = A, A
    for _ = 1, times do
        lazy, plain = step(lazy), step(plain):eval()
    end
    return lazy:eval(), plain
end

local function same(a, b)
    return a:tobytes() == b:tobytes()
end

-- The same function on a plain list of rows, with one edge for both axes.
local function by_loops(f, rows, edge)
    local m, n, out = #rows, #rows[1], {}
    local function index(i, length)
        if i >= 1 and i <= length then return i end
        if edge == "wrap" then return (i - 1) % length + 1 end
        return edge == "nearest" and math.max(1, math.min(length, i)) or nil
    end
    for i = 1, m do
        out[i] = {}
        for j = 1, n do
            local left = false
            local value = f(function(di, dj)
                local y, x = index(i + di, m), index(j + dj, n)
                left = left or i + di < 1 or i + di > m or j + dj < 1 or j + dj > n
                return y and x and rows[y][x] or (edge == "keep" and 0 or edge)
            end)
            out[i][j] = edge == "keep" and left and rows[i][j] or value
        end
    end
    return out
end

local function chains(e)
    local numbers = {}
    for _, kernel in ipairs(lun.explain(e)) do
        numbers[#numbers + 1] = (kernel.chain or 0) .. (kernel.sweep and "s" or "")
    end
    return table.concat(numbers, " ")
end

-- Stencils of two arrays, with one result and with two, lazily and evaluated at each step.
local function several_arrays(F, V)
    local wave = lun.stencil(function(u, v)
        return 2 * u(0, 0) - v(0, 0) + 0.1 * (u(-1, 0) + u(1, 0) + u(0, -1) + u(0, 1) - 4 * u(0, 0))
    end, { elements = 2, edge = 0 })
    local now, old, now2, old2 = F, F, F, F
    for _ = 1, 25 do
        now, old = wave(now, old), now
        now2, old2 = wave(now2, old2):eval(), now2
    end
    assert(same(now, now2))
    assert(same(old, old2))
    local rotate = lun.stencil(function(u, v) return u(0, 1) - v(1, 0), u(1, 0) + v(0, -1) end, { elements = 2 })
    local a, b, c, d = F, V, F, V
    for _ = 1, 12 do
        a, b = rotate(a, b)
        c, d = rotate(c, d)
        lun.eval(c, d)
    end
    lun.eval(a, b)
    assert(same(a, c) and same(b, d))
end

describe("sweeps", function()
    local before
    setup(function()
        before = lun.use()
        internal.block_all(true) -- small arrays, too
    end)
    teardown(function()
        internal.block_all(false)
        lun.use(before)
    end)
    before_each(function() lun.use "openmp" end)

    it("are blocked in time where they follow one another", function()
        local s = lun.stencil(AROUND[2][1])
        local U = lun.random({ 100, 100 }, { seed = 1 }):copy()
        assert.equal("1s 1s 1s", chains(s(s(s(U)))))
        assert.matches("chain 1: blocked in time", tostring(lun.explain(s(s(U)))))
        assert.equal("0", chains(s(U))) -- small, alone
        assert.equal("1s 1s 1s", chains(s(s(s(U) + U) * 2) - U)) -- with work in between
        local V = lun.zeros(1000, 1000):copy()
        assert.equal("0", chains(s(V))) -- read where it stands
        assert.equal(2, #lun.explain(s(s(V)):lazy "sum"))
        for _, other in ipairs { "reference", "opencl" } do
            if pcall(lun.use, other) then assert.equal("0 0", chains(s(s(V)))) end
        end
    end)

    it("have the bits of sweeps that are evaluated one by one", function()
        local seed = 0
        for _, shape in ipairs {
            { 1 }, { 2 }, { 63 }, { 64 }, { 65 }, { 257 }, { 5000 }, { 100000 },
            { 1, 64 }, { 2, 65 }, { 63, 64 }, { 65, 257 }, { 300, 100 }, { 1, 1 }, { 40, 20000 },
            { 4, 5, 70 }, { 20, 17, 65 }, { 64, 64, 64 }, { 3, 200, 300 },
        } do
            local rank = #shape
            for i, f in ipairs(AROUND[rank]) do
                for k = 1, #EDGES do
                    local s = lun.stencil(f, { edge = edges(k, rank) })
                    seed = seed + 1
                    local A = lun.random(shape, { seed = seed, dtype = seed % 2 == 0 and "f32" or "f64" }):copy()
                    local a, b = both(s, A, ({ 2, 5, 19 })[seed % 3 + 1])
                    assert(same(a, b), ("function %d on %s, edges %d"):format(i, table.concat(shape, " x "), k))
                end
            end
        end
    end)

    it("have the bits of plain loops", function()
        for _, shape in ipairs { { 5, 64 }, { 65, 70 }, { 2, 130 } } do
            for i, f in ipairs(AROUND[2]) do
                for k = 1, 4 do
                    local s = lun.stencil(f, { edge = EDGES[k] })
                    local U = lun.random(shape, { seed = i }):copy()
                    local rows = U:totable()
                    for _ = 1, 5 do
                        U, rows = s(U), by_loops(f, rows, EDGES[k])
                    end
                    assert.same(rows, U:totable(), ("function %d, edge %s"):format(i, EDGES[k]))
                end
            end
        end
    end)

    it("have them of large arrays, which one step reads where they stand", function()
        for _, shape in ipairs { { 300000 }, { 520, 1030 }, { 2000, 192 }, { 3, 530000 }, { 90, 80, 70 } } do
            for i, f in ipairs(AROUND[#shape]) do
                for k = 1, #EDGES do
                    local s = lun.stencil(f, { edge = edges(k, #shape) })
                    local U = lun.random(shape, { seed = i }):copy()
                    local e = s(U)
                    assert.matches(shape[2] == 530000 and "0s$" or "0$", chains(e)) -- in three axes what is kept is found before
                    local a = e:tobytes()
                    lun.use "reference"
                    assert(a == s(U:copy()):tobytes(), ("function %d on %s, edges %d"):format(i, table.concat(shape, " x "), k))
                    lun.use "openmp"
                end
            end
        end
    end)

    it("are reduced in the same pass, by any reduction, with the bits of what is stored first", function()
        local worst = lun.reduce(function(a, b) return math.max(a, b) * 0.75 end, 0.0)
        for _, shape in ipairs { { 70000 }, { 300, 130 }, { 9, 5000 }, { 40000, 2 }, { 45, 40, 70 }, { 3, 4, 5000 } } do
            local n = 1
            for _, extent in ipairs(shape) do n = n * extent end
            for i, f in ipairs(AROUND[#shape]) do
                for k = 1, #EDGES do
                    local s, bits = lun.stencil(f, { edge = edges(k, #shape) }), nil
                    local U = lun.random(shape, { seed = i + k, dtype = k % 2 == 0 and "f32" or "f64" }):copy()
                    local V = s(U):eval()
                    for _, backend in ipairs { "openmp", "reference" } do
                        lun.use(backend)
                        local W = s(U)
                        local sum, most = lun.eval((W * U):lazy "sum", W:lazy "max", W)
                        local flat = s(U):reshape(n)
                        local got = ("%a %a %d %a"):format(sum, most, flat:argmin(), lun.eval(worst(flat)))
                        bits = bits or got
                        assert.equal(bits, got)
                        assert(same(W, V))
                        assert.equal(("%a"):format((V * U):sum()), ("%a"):format(sum))
                        assert.equal(V:reshape(n):argmin(), flat:argmin())
                        assert.equal(lun.eval(worst(V:reshape(n))), lun.eval(worst(flat)))
                    end
                    lun.use "openmp"
                end
            end
        end
    end)

    it("take integers, sources, several arrays and results, windows and files", function()
        local life = lun.stencil(function(x)
            local around = x(-1, -1) + x(-1, 0) + x(-1, 1) + x(0, -1) + x(0, 1) + x(1, -1) + x(1, 0) + x(1, 1)
            return (around == 3 or (around == 2 and x(0, 0) == 1)) and 1 or 0
        end, { edge = "wrap" })
        local U = (lun.random({ 130, 200 }, { seed = 3 }) * 2):floor():cast "i32":copy()
        assert(same(both(life, U, 40)))
        local heat, F = lun.stencil(AROUND[2][1]), lun.random({ 300, 257 }, { seed = 4, dtype = "f32" }):copy()
        local row = lun.random({ 257 }, { seed = 5, dtype = "f32" }):copy()
        local V = lun.zeros(300, 257, "f32"):copy()
        assert(same(both(function(x) return heat(x) + F * 2 - row end, V, 30)))
        assert(same(both(function(x) return heat(heat(x):max(0) - F):sqrt() end, V + 2, 12)))
        several_arrays(F, F)
        local window = F:sub({ 3, 250 }, { 2, 200 })
        assert(same(both(heat, window, 7)))
        local path = os.tmpname() .. ".npy"
        local big = lun.random({ 700, 600 }, { seed = 6, dtype = "f32" }):copy()
        lun.save(path, big)
        local opened = lun.open(path)
        assert(same(heat(opened), heat(big)))
        assert(same(heat(heat(opened)), heat(heat(big):eval())))
        os.remove(path)
    end)

    it("run one by one where they read very far away", function()
        for _, far in ipairs { 70000, 1 << 40, 1 << 54 } do
            for _, edge in ipairs { "nearest", "wrap", 3 } do
                local s = lun.stencil(function(x) return x(far) + x(-1) end, { edge = edge })
                local v = lun.random({ 100 }, { seed = 1 }):copy()
                assert(same(both(s, v, 4)))
                local t = lun.stencil(function(x) return x(far, 0) + x(0, -1) end, { edge = edge })
                local A = lun.random({ 3, 100 }, { seed = 1 }):copy()
                assert(same(both(t, A, 4)))
            end
        end
    end)

    it("keep what is asked for on the way", function()
        local s = lun.stencil(AROUND[2][1])
        local U = lun.random({ 200, 200 }, { seed = 7 }):copy()
        local all, one = { U }, { U }
        for t = 1, 9 do
            all[t + 1], one[t + 1] = s(all[t]), s(one[t]):eval()
        end
        lun.eval(all[4], all[7], all[10])
        for t = 1, 10 do assert(same(all[t], one[t])) end
        local e = U
        for _ = 1, 20 do e = s(e) end
        local last = e[7][9] -- a part of the last
        assert.equal(e:eval()[7][9], last)
        local twice = s(s(U))
        s(twice):eval() -- computed on the way
        local stats = lun.stats()
        local again = s(s(twice)) -- the second time it is kept
        assert.equal("1s 1s 1s 1s", chains(again))
        assert(same(again:eval(), all[5]))
        assert.equal(1, lun.stats().kept - stats.kept)
        U[1][1] = 5 -- what waits keeps the old elements
        assert.equal(last, e[7][9])
    end)

    it("fail as single sweeps do, and the session goes on", function()
        local s = lun.stencil(function(x) return 100 // x(1, 0) end)
        local U = lun.full({ 600, 600 }, 100, "i64"):copy()
        U[300][20] = 0
        local ok, message = pcall(function() return s(s(U)):eval() end)
        local ok2, message2 = pcall(function() return s(U):eval() end)
        assert.is_false(ok or ok2)
        assert.equal("attempt to perform 'n//0'", message.message)
        assert.equal(message.message, message2.message)
        U[300][20] = 100
        assert.equal(100, s(s(U))[300][20])
    end)

    it("stop at a time limit", function()
        local path = shell.write(os.tmpname(), [[
            local s = lun.stencil(function(x) return (x(-1, 0) + x(1, 0)) / 2 end)
            local U = lun.random({ 2000, 2000 }, { seed = 1 }):copy()
            for _ = 1, 100000 do U = s(U) end
            print(pcall(U.eval, U))
        ]])
        local text = shell.capture(("timeout 300 %s --sandbox --time-limit 1 %s 2>&1"):format(shell.interpreter(), path))
        os.remove(path)
        assert.matches("time limit reached", text)
    end)

    it("have the same bits on any number of threads", function()
        local path = shell.write(os.tmpname(), [[
            lun.use "openmp"
            require("lunarray.core").internal.block_all(true)
            local sum = 0
            local function add(bytes) for i = 1, #bytes, 97 do sum = (sum * 31 + bytes:byte(i)) % 1000000007 end end
            local five = function(x) return (x(-1, 0) + x(1, 0) + x(0, -1) + x(0, 1)) / 4 end
            for k, edge in ipairs { "nearest", "wrap", 2, "keep" } do
                local s = lun.stencil(five, { edge = edge })
                for _, shape in ipairs { { 1000, 257 }, { 1100, 1024 }, { 30, 64 } } do
                    local U = lun.random(shape, { seed = k, dtype = "f32" }):copy()
                    for _ = 1, 23 do U = s(U) end
                    add(U:tobytes())
                    add(s(U):tobytes())
                end
                local v = lun.random({ 300001 }, { seed = k }):copy()
                local t = lun.stencil(function(x) return (x(-2) + x(1)) / 2 end, { edge = edge })
                for _ = 1, 23 do v = t(v) end
                add(v:tobytes())
            end
            print(sum)
        ]])
        local first
        for threads = 1, 8 do
            local text = shell.capture(("LUNARRAY_THREADS=%d timeout 120 %s %s 2>&1"):format(threads, shell.interpreter(), path))
            first = first or text
            assert.matches("^%d+\n$", text)
            assert.equal(first, text, threads .. " threads")
        end
        os.remove(path)
    end)

    it("need memory for a few arrays, however many they are", function()
        for _, backend in ipairs { "openmp", "reference" } do
            local path = shell.write(os.tmpname(), [[
                local s = lun.stencil(function(x) return (x(-1, 0) + x(1, 0) + x(0, -1) + x(0, 1)) / 4 end)
                local U = lun.full({ 1000, 1000 }, 2, "f32"):copy() -- 4 MB
                for _ = 1, 60 do U = s(U) end
                print(U:min(), U:max())
            ]])
            local text = shell.capture(("LUNARRAY_BACKEND=%s timeout 120 %s --sandbox --memory-limit 40 %s 2>&1"):format(
                backend, shell.interpreter(), path))
            os.remove(path)
            assert.equal("2.0\t2.0\n", text)
        end
    end)

    it("move the bytes of arrays once for several", function()
        local s = lun.stencil(AROUND[2][1])
        local U = lun.random({ 3000, 1000 }, { seed = 1, dtype = "f32" }):copy()
        lun.eval(s(U)) -- compiled
        local start = lun.stats()
        lun.eval(s(U))
        local once = lun.stats()
        assert.equal(12000000, once.bytes_read - start.bytes_read)
        assert.equal(12000000, once.bytes_written - start.bytes_written)
        local e = U
        for _ = 1, 20 do e = s(e) end
        e:eval()
        local stats = lun.stats()
        assert.is_true(stats.bytes_read - once.bytes_read <= 20 * 12000000 / 2)
        assert.equal(20, stats.launches - once.launches)
    end)
end)

describe("repeated stencils of small arrays", function()
    local before
    setup(function() before = lun.use() end)
    teardown(function() lun.use(before) end)
    before_each(function() lun.use "openmp" end)

    it("run one by one, as if each had been evaluated", function()
        local s = lun.stencil(AROUND[2][1])
        local U = lun.random({ 100, 100 }, { seed = 1 }):copy()
        assert.equal("0 0 0", chains(s(s(s(U)))))
        both(s, U, 3)
        local start = lun.stats()
        local e = U
        for _ = 1, 40 do e = s(e) end
        e:eval()
        local stats = lun.stats()
        assert.equal(40, stats.launches - start.launches)
        assert.equal(0, stats.compiles - start.compiles)
        assert.equal(start.kept, stats.kept)
    end)

    it("have the bits of sweeps that are evaluated one by one, and of those that are blocked in time", function()
        local seed = 0
        for _, shape in ipairs {
            { 0 }, { 1 }, { 2 }, { 65 }, { 16383 }, { 16385 }, { 0, 3 }, { 1, 64 }, { 3, 3 }, { 63, 64 }, { 65, 257 }, { 300, 100 },
            { 4, 5, 70 }, { 20, 17, 65 },
        } do
            for i, f in ipairs(AROUND[#shape]) do
                for k = 1, #EDGES do
                    local s = lun.stencil(f, { edge = edges(k, #shape) })
                    seed = seed + 1
                    local A = lun.random(shape, { seed = seed, dtype = seed % 2 == 0 and "f32" or "f64" }):copy()
                    local times = ({ 2, 5, 40 })[seed % 3 + 1]
                    local a, b = both(s, A, times)
                    internal.block_all(true)
                    local c = both(s, A:copy(), times)
                    internal.block_all(false)
                    assert(same(a, b) and same(a, c), ("function %d on %s, edges %d"):format(i, table.concat(shape, " x "), k))
                end
            end
        end
    end)

    it("take sources, several arrays and results, what levels share, and reductions in between", function()
        local heat, F = lun.stencil(AROUND[2][1]), lun.random({ 60, 70 }, { seed = 4, dtype = "f32" }):copy()
        local V = lun.zeros(60, 70, "f32"):copy()
        assert(same(both(function(x) return heat(x) + F * 2 end, V, 30)))
        local twice = F * 2 -- one expression for all levels
        assert(same(both(function(x) return heat(x) + twice end, V, 30)))
        assert(same(both(function(x) return heat(heat(x):max(0) - F):sqrt() end, V + 2, 12)))
        assert(same(both(function(x) return heat(x) / x:lazy "max" end, V + 2, 12)))
        assert(same(both(function(x) return heat(x .. x):sub({ 1, 60 }) end, V + F, 6)))
        several_arrays(F, V)
    end)

    it("keep what is asked for on the way", function()
        local s = lun.stencil(AROUND[2][1])
        local U = lun.random({ 50, 66 }, { seed = 7 }):copy()
        local all, one = { U }, { U }
        for t = 1, 9 do
            all[t + 1], one[t + 1] = s(all[t]), s(one[t]):eval()
        end
        lun.eval(all[4], all[7], all[10])
        for t = 1, 10 do assert(same(all[t], one[t])) end
        local e = s(s(s(U)))
        U[1][1] = 5 -- what waits keeps the old elements
        assert(same(e, one[4]))
    end)

    it("fail as each would, with its line, and the session goes on", function()
        local s = lun.stencil(function(x)
            return 100 // x(1, 0)
        end)
        local U = lun.full({ 60, 66 }, 10, "i64"):copy()
        U[30][20] = 200
        local message = select(2, pcall(function() return s(s(s(s(U)))):eval() end))
        assert.equal("attempt to perform 'n//0'", message.message)
        assert.matches("sweeps_spec.lua:%d+$", message.where)
        assert.equal(message.where, select(2, pcall(function() return s(s(U):eval()):eval() end)).where)
        U[30][20] = 10
        assert.equal(10, s(s(s(s(U))))[30][20])
    end)

    it("need memory for a few arrays, though the script still has the others as garbage", function()
        local path = shell.write(os.tmpname(), [[
            local s = lun.stencil(function(x) return (x(-1, 0) + x(1, 0) + x(0, -1) + x(0, 1)) / 4 end)
            local U = lun.full({ 256, 256 }, 2, "f32"):copy() -- 256 KB
            for _ = 1, 400 do U = s(U) end
            print(U:min(), U:max())
        ]])
        local text = shell.capture(("timeout 300 %s --sandbox --memory-limit 8 %s 2>&1"):format(shell.interpreter(), path))
        os.remove(path)
        assert.equal("2.0\t2.0\n", text)
    end)

    it("end at a time limit", function()
        local path = shell.write(os.tmpname(), [[
            local s = lun.stencil(function(x) return (x(-1, 0) + x(1, 0)) / 2 end)
            local U = lun.random({ 300, 300 }, { seed = 1 }):copy()
            for _ = 1, 10000000 do U = s(U) end
            print(pcall(U.eval, U))
        ]])
        local text = shell.capture(("timeout 300 %s --sandbox --time-limit 0.5 %s 2>&1"):format(shell.interpreter(), path))
        os.remove(path)
        assert.matches("time limit reached", text)
    end)
end)
