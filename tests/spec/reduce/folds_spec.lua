-- A reduction of what a stencil makes of an expression: one pass over memory for all of it, with the bits of passes that
-- are evaluated one by one, on any number of threads.
-- machine: pack:1 l3:1(size=33554432) l2:2(size=1048576) l1d:1(size=49152) core:1 pu:1
local lun = require "lunarray"
local shell = require "shell"

local internal = require("lunarray.core").internal

-- { shape, function of elements around an index }; the last axis ends with a block of 64 elements or within one, with
-- chunks of 16384 or within them.
local CASES = {
    { { 6, 128, 128 }, function(x) return 6 * x(0, 0, 0) - x(-1, 0, 0) - x(1, 0, 0) - x(0, -1, 0) - x(0, 1, 0) end },
    { { 5, 7, 192 }, function(x) return x(-1, 2, -1) + x(1, 0, 3) * x(0, 0, 0) end },
    { { 3, 5, 2049 }, function(x) return x(0, 1, -2) - x(1, 0, 0) * 0.5 end },
    { { 40, 320 }, function(x) return x(-1, 0) + x(1, 0) + x(0, -1) + x(0, 1) - 4 * x(0, 0) end },
    { { 9, 2101 }, function(x) return x(-2, -1) + x(1, 3) + x(0, 0) * 2 end },
    { { 2, 3, 4, 256 }, function(x) return x(-1, 0, 0, 1) - x(0, 1, 0, -1) + x(0, 0, 1, 0) end },
    { { 17, 3000 }, function(x) return (x(5, 0) + x(-4, -5)) / 2 end },
}
local EDGES = { "nearest", "wrap", 0.5, "keep" }

-- The kernels of a plan: their chains, "s" for sweeps.
local function chains(...)
    local names = {}
    for k, kernel in ipairs(lun.explain(...)) do names[k] = (kernel.chain or 0) .. (kernel.sweep and "s" or "") end
    return table.concat(names, " ")
end

local function hex(...)
    local text = {}
    for k, x in ipairs { ... } do text[k] = ("%a"):format(x) end
    return table.concat(text, " ")
end

describe("a reduction of what a stencil makes", function()
    local before = lun.stats().backend
    setup(function() internal.block_all(true) end) -- small arrays, too
    teardown(function()
        internal.block_all(false)
        lun.use(before)
    end)
    before_each(function() lun.use "openmp" end)

    it("is one pass with what the stencil reads, where lines are long", function()
        local s = lun.stencil(CASES[4][2], { edge = 0 })
        local function plan(shape, around, reduced)
            local U, V = lun.random(shape, { seed = 1 }):copy(), lun.random(shape, { seed = 2 }):copy()
            local p = U + 0.5 * V
            local q = (around or s)(p)
            return chains((reduced or function() return (p * q):lazy "sum" end)(p, q), q)
        end
        assert.equal("1s 1s", plan { 40, 320 })
        assert.equal("1s 1s", plan { 9, 2101 })
        assert.equal("1s 1s", plan({ 6, 128, 128 }, lun.stencil(CASES[1][2])))
        assert.equal("0 0", plan { 40, 100 }) -- short lines
        assert.equal("0 0", plan { 1, 4096 }) -- one line
        local worst = lun.reduce(function(a, b) return math.max(a, b) * 0.75 end, 0.0)
        assert.equal("0 0 0", plan({ 40, 320 }, s, function(_, q) return q:lazy "argmax" end))
        assert.equal("0 0", plan({ 40, 320 }, s, function(_, q) return worst(q:flatten()) end))
        local U = lun.random({ 40, 320 }, { seed = 1 }):copy()
        assert.equal("1s 1s 1s", chains(s(s(U + 1)):lazy "sum"))
    end)

    it("has the bits of what is stored first, of every edge and on every backend", function()
        for c, case in ipairs(CASES) do
            local shape, f = table.unpack(case)
            for k, edge in ipairs(EDGES) do
                local dtype = (c + k) % 2 == 0 and "f32" or "f64"
                local U = lun.random(shape, { seed = c, dtype = dtype }):copy()
                local V = lun.random(shape, { seed = k, dtype = dtype }):copy()
                local s = lun.stencil(f, { edge = edge })
                local P = (U + 0.25 * V):eval()
                local Q = s(P):eval()
                local want = hex((P * Q):sum(), Q:max(), (Q * Q):sum())
                for _, backend in ipairs { "openmp", "reference" } do
                    lun.use(backend)
                    local p = U + 0.25 * V
                    local q = s(p)
                    local dot, most, norm = lun.eval((p * q):lazy "sum", q:lazy "max", (q * q):lazy "sum", q)
                    assert.equal(want, hex(dot, most, norm), ("case %d, edge %s, %s"):format(c, edge, backend))
                    assert.equal(Q:tobytes(), q:tobytes())
                    assert.equal(P:tobytes(), p:tobytes())
                    assert.equal(hex((Q * Q):sum()), hex((s(U + 0.25 * V) ^ 2):sum())) -- nothing is stored
                end
                lun.use "openmp"
            end
        end
    end)

    it("has the value of plain loops", function()
        local m, n = 11, 320
        local U = lun.random({ m, n }, { seed = 3 }):copy()
        local s = lun.stencil(function(x) return 4 * x(0, 0) - x(-1, 0) - x(1, 0) - x(0, -1) - x(0, 1) end, { edge = 0 })
        local p = U * 2 - 1
        local got = lun.eval((p * s(p)):lazy "sum")
        local rows, sum = U:totable(), 0
        local function at(i, j) return rows[i] and rows[i][j] and rows[i][j] * 2 - 1 or 0 end
        for i = 1, m do
            for j = 1, n do
                sum = sum + at(i, j) * (4 * at(i, j) - at(i - 1, j) - at(i + 1, j) - at(i, j - 1) - at(i, j + 1))
            end
        end
        assert(math.abs(got - sum) < 1e-9, ("%g, not %g"):format(got, sum))
    end)

    it("takes integers, windows, files and what several stages make", function()
        local s = lun.stencil(function(x) return x(-1, 0) + x(1, 0) + x(0, -1) - x(0, 1) end, { edge = "wrap" })
        local I = (lun.random({ 30, 320 }, { seed = 1 }) * 200 - 100):cast "i32":copy()
        assert.equal(s((I * 3):eval()):eval():sum(), s(I * 3):sum())
        local wide = lun.random({ 60, 700 }, { seed = 2 }):copy()
        local W = wide:sub({ 11, 50 }, { 101, 420 })
        local P = (W * 2 + W):eval()
        assert.equal(hex(s(P):eval():sum()), hex(s(W * 2 + W):sum()))
        local T = wide:transpose():sub({ 1, 600 }, { 1, 60 }):reshape { 36, 1000 }:sub({}, { 1, 960 })
        assert.equal(hex(s((T + 1):eval()):eval():sum()), hex(s(T + 1):sum()))
        local path = os.tmpname() .. ".npy"
        assert(lun.save(path, wide))
        local F = lun.open(path)
        local G = lun.random({ 60, 700 }, { seed = 5 }):copy()
        assert.equal("0 0", chains(s(F - G):lazy "sum")) -- lines end within blocks
        assert.equal(hex(s((wide - G):eval()):eval():sum()), hex(s(F - G):sum()))
        lun.save(path, wide:sub({}, { 1, 640 }))
        F, G = lun.open(path), G:sub({}, { 1, 640 }):copy()
        assert.equal("1s 1s", chains(s(F - G):lazy "sum"))
        assert.equal(hex(s((lun.open(path) - G):eval()):eval():sum()), hex(s(F - G):sum()))
        assert.equal(hex((s((F:copy() - G):eval()):eval() * F:copy()):sum()), hex((s(lun.open(path) - G) * lun.open(path)):sum()))
        os.remove(path)
        local A = lun.random({ 33, 448 }, { seed = 6 }):copy()
        local one = s((A * 0.5):eval()):eval()
        local two = s((one + A):eval()):eval()
        local x = s(A * 0.5)
        assert.equal(hex((two * A):sum(), two:min()), hex(lun.eval((s(x + A) * A):lazy "sum", s(x + A):lazy "min")))
    end)

    it("leaves what is used again to the pass that uses it", function()
        local n = 128
        local A = lun.stencil(CASES[1][2], { edge = 0 })
        local b = lun.random({ 4, n, n }, { seed = 9 }):copy()
        local function solve(lazily)
            local x, r, p, rr = b * 0, b, b, b:dot(b)
            for _ = 1, 6 do
                local q = A(lazily and p or p:eval())
                local alpha = rr / lun.eval((p * q):lazy "sum", q)
                x, r = x + alpha * p, r - alpha * q
                local last = rr
                rr = lun.eval((r * r):lazy "sum", r, x)
                p = r + rr / last * p
            end
            return x:eval(), rr
        end
        local x, rr = solve(false)
        local start = lun.stats()
        local y, ss = solve(true)
        assert.equal(x:tobytes(), y:tobytes())
        assert.equal(hex(rr), hex(ss))
        local moved = lun.stats().bytes_read - start.bytes_read
        assert.is_true(moved <= 8 * b:size() * (6 * 6 + 4), "an array is read twice")
    end)

    it("stops at a time limit, and the session goes on", function()
        local path = shell.write(os.tmpname(), [[
            local s = lun.stencil(function(x)
                local y = x(-1, 0) + x(1, 0)
                for _ = 1, 1000 do y = math.sin(y) end
                return y
            end)
            local U = lun.random({ 4000, 2048 }, { seed = 1 }):copy()
            print(pcall(lun.eval, s(U + 1):lazy "sum"))
        ]])
        local text = shell.capture(("timeout 300 %s --sandbox --time-limit 1 %s 2>&1"):format(shell.interpreter(), path))
        os.remove(path)
        assert.matches("time limit reached", text)
    end)

    it("has the same bits on any number of threads", function()
        local path = shell.write(os.tmpname(), [[
            lun.use "openmp"
            require("lunarray.core").internal.block_all(true)
            local text = {}
            for k, edge in ipairs { "nearest", "wrap", 2, "keep" } do
                local s = lun.stencil(function(x) return (x(-1, 0) + x(1, 0) + x(0, -1) + x(0, 3)) / 4 end, { edge = edge })
                for _, shape in ipairs { { 400, 320 }, { 50, 2501 }, { 130, 1024 } } do
                    local U = lun.random(shape, { seed = k, dtype = "f32" }):copy()
                    local p = U * 3 - 1
                    local q = s(p)
                    local r = s(q)
                    local a, b = lun.eval((p * q):lazy "sum", q:lazy "max", q)
                    local c = lun.eval((p * s(s(U + 1))):lazy "sum")
                    text[#text + 1] = ("%a %a %a %a"):format(a, b, c, r:dot(q))
                end
            end
            print(table.concat(text, " "))
        ]])
        local first
        for threads = 1, 8 do
            local text = shell.capture(("LUNARRAY_THREADS=%d timeout 120 %s %s 2>&1"):format(threads, shell.interpreter(), path))
            first = first or text
            assert.matches("^0x", text)
            assert.equal(first, text, threads .. " threads")
        end
        os.remove(path)
    end)
end)
