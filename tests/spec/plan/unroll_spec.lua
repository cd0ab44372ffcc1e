-- Loops of few rounds in functions that read windows and elements around an index: each round is compiled by itself. The
-- plain function on plain tables is the oracle.
local lun = require "lunarray"

local BACKENDS = { "reference", "openmp", "opencl" }
local ROWS, COLUMNS = 9, 13

local function table_of(seed)
    local rows, x = {}, seed
    for i = 1, ROWS do
        rows[i] = {}
        for j = 1, COLUMNS do
            x = x * 1103515245 + 12345 & 0x7fffffff
            rows[i][j] = (x >> 8) % 200 / 8 - 10
        end
    end
    return rows
end

-- Makers of functions of the indices 4 .. ROWS - 3, 4 .. COLUMNS - 3 that read A, a table or an array; K: 3 x 3.
local makers = {
    { "sums", function(A) return function(i, j)
        local s = 0
        for di = -1, 1 do for dj = -1, 1 do s = s + A[i + di][j + dj] end end
        return s
    end end },
    { "weights", function(A, K) return function(i, j)
        local s = 0
        for di = -1, 1 do for dj = -1, 1 do s = s + A[i + di][j + dj] * K[di + 2][dj + 2] end end
        return s, K[3][1]
    end end },
    { "steps, down, of one round and of none", function(A) return function(i, j)
        local s = 0.5
        for d = 3, -3, -2 do s = s * 2 - A[i + d][j] end
        for d = 2, 2 do s = s + A[i][j + d] end
        for d = 1, 0 do s = s + A[i][j + d * 100] end
        for d = -1, -2 do s = s + A[i - 1000][j + d] end
        return s
    end end },
    { "bounds of the loop around", function(A) return function(i, j)
        local s = 0
        for di = 0, 3 do for dj = -di, di do s = s - A[i - di][j + dj] * di end end
        return s
    end end },
    { "bounds of local variables", function(A) return function(i, j)
        local s, r = 0, 1
        for _ = 1, 2 do
            for d = -r, r do s = s + A[i + d][j - d] end
            r = r + 1
        end
        return s
    end end },
    { "conditions on the indices", function(A) return function(i, j)
        local s = 0
        for di = -1, 1 do for dj = -1, 1 do
            if di ~= 0 or dj ~= 0 then s = s + A[i + di][j + dj] end
            if di > dj then s = s * 2 elseif di == dj and di > 0 then s = -s end
        end end
        return s
    end end },
    { "break", function(A) return function(i, j)
        local s, last = 0, 0
        for d = 0, 3 do
            if A[i + d][j] > 5 then break end
            s = s + A[i + d][j - d]
            last = d
        end
        return s, last
    end end },
    { "return", function(A) return function(i, j)
        for d = -1, 1 do for e = -1, 1 do if A[i + d][j + e] > 8 then return d * 10 + e end end end
        return 99
    end end },
    { "goto", function(A) return function(i, j)
        local s = 0
        for di = -1, 1 do
            for dj = -1, 1 do
                local x = A[i + di][j + dj]
                if x < 0 then goto continue end
                if x > 9 then goto done end
                s = s + x
                ::continue::
            end
            s = s * 2
        end
        ::done::
        return s
    end end },
    { "the index assigned", function(A) return function(i, j)
        local s = 0
        for d = 1, 3 do
            s = s + d * A[i][j - d]
            d = d * 2
            s = s + d * A[i + (d // 2) - 1][j]
            if A[i][j] > 0 then d = 0 end
            s = s + d
        end
        return s
    end end },
    { "floats", function(A) return function(i, j)
        local s = 0
        for d = 0.0, 1.0, 0.25 do s = s + d * A[i][j] end
        for d = 1, 2.5 do s = s + A[i][j + d] * d end
        return s
    end end },
    { "loops inside", function(A) return function(i, j)
        local s = 0
        for d = -1, 1 do
            local x, k = A[i + d][j], 0
            while x > 1 and k < 5 do x, k = x / 2, k + 1 end
            for e = 1, 3 + d do s = s + x * e end
            repeat k = k - 1 until k < d
            s = s + k
        end
        return s
    end end },
    { "functions", function(A)
        local function at(p, q) return A[p][q] end
        local function column(p, q)
            local t = 0
            for d = -1, 1 do t = t + at(p + d, q) * d end
            return t
        end
        return function(i, j)
            local s = 0
            for e = -1, 1 do s = s + column(i, j + e) * math.abs(e) + math.max(at(i, j - e), e) end
            return s
        end
    end },
    { "local functions", function(A) return function(i, j)
        local s = 0
        for d = 1, 3 do
            local function add(x) s = s + x * d end
            add(A[i][j + d])
            add(d)
        end
        return s
    end end },
    { "integers", function(A) return function(i, j)
        local s, n = 0, i * 3
        for d = 1, 3 do
            s = s * 31 + (n // d) * (n % d) + (d << d) + (d ~ 5)
            if A[i + d][j] > 0 then n = n + d end
        end
        return s, n
    end end },
    { "many rounds", function(A) return function(i, j)
        local s = 0
        for d = 0, 63 do s = s + A[i + d % 3][j] * d end
        for d = 0, 64 do s = s - A[i][j - d % 3] * d end
        for d = 1, 8 do for e = 1, 9 do s = s + A[i + d % 2][j + e % 2] end end
        for d = math.maxinteger - 2, math.maxinteger do s = s + A[i][j + (d & 1)] end
        for d = math.mininteger + 2, math.mininteger, -1 do s = s + A[i][j + (d & 1)] end
        return s
    end end },
    { "much code", function(A)
        local function short(x) return x * 2 - x // 3 + (x > 1 and x / 4 or -x) end
        local function long(x) return short(x) + short(x + 1) + short(x * 2) + short(-x) + short(x / 2) end
        local function longer(x) return long(x) + long(x + 1) + long(x * 2) + long(-x) + long(x - 7) end
        return function(i, j)
            local s = 0
            for d = 0, 2 do for e = 0, 2 do for f = 0, 1 do s = s + longer(A[i + d][j + e]) * f end end end
            for d = 0, 2 do s = s + longer(A[i + d][j]) end
            return s
        end
    end },
}

local function plain(f, number)
    local out = {}
    for i = 4, ROWS - 3 do
        for j = 4, COLUMNS - 3 do out[#out + 1] = (select(number, f(i, j))) end
    end
    return out
end

for _, backend in ipairs(BACKENDS) do
    describe("loops of few rounds on " .. backend, function()
        local before = lun.use()

        setup(function() lun.use(backend) end)

        teardown(function() lun.use(before) end)

        for _, row in ipairs(makers) do
            it("give what Lua gives: " .. row[1], function()
                local A, K = table_of(7), { { 1, 2, 1 }, { 2, -4, 2 }, { 0.5, 0.25, 3 } }
                local wanted = row[2](A, K)
                for _, dtype in ipairs { "f64", "i32" } do
                    if dtype == "i32" then
                        for i = 1, ROWS do
                            for j = 1, COLUMNS do A[i][j] = math.floor(A[i][j]) end
                        end
                    end
                    local f = row[2](lun.vector(A, dtype), lun.vector(K))
                    local shape = { { 4, ROWS - 3 }, { 4, COLUMNS - 3 } }
                    local ok, text = pcall(function()
                        local results = { lun.generate(shape, f) }
                        for k, result in ipairs(results) do
                            local got, want = result:flatten():totable(), plain(wanted, k)
                            for p = 1, #want do
                                assert(got[p] == want[p], ("%s, result %d at %d: %s, not %s"):format(dtype, k, p, got[p], want[p]))
                            end
                        end
                    end)
                    assert(ok, tostring(text))
                end
            end)
        end

        it("of a stencil give what Lua gives", function()
            local A = table_of(3)
            local K, flat = { { 1, 2, 1 }, { 2, 4, 2 }, { 1, 2, 1 } }, {}
            local weights = lun.vector(K)
            local function make(k)
                return function(x)
                    local s, n = 0, 0
                    for di = -1, 1 do
                        for dj = -1, 1 do
                            s = s + x(di, dj) * k[di + 2][dj + 2]
                            if (di ~= 0 or dj ~= 0) and x(di, dj) > x(0, 0) then n = n + 1 end
                        end
                    end
                    for d = 1, 3 do if x(0, d) > 9 then return s, -d end end
                    return s, n
                end
            end
            local want = { {}, {} }
            local f = make(K)
            for i = 1, ROWS do
                for j = 1, COLUMNS do
                    flat[#flat + 1] = A[i][j]
                    local s, n = f(function(di, dj)
                        return A[(i + di - 1) % ROWS + 1][(j + dj - 1) % COLUMNS + 1]
                    end)
                    table.insert(want[1], s)
                    table.insert(want[2], n)
                end
            end
            local a = lun.vector(flat):reshape(ROWS, COLUMNS)
            local s, n = lun.stencil(make(weights), { edge = "wrap", radius = { 1, 3 } })(a)
            assert.same(want[1], s:flatten():totable())
            assert.same(want[2], n:flatten():totable())
        end)
    end)
end

describe("a loop of few rounds", function()
    local A = lun.ones({ 20, 20 }, "f32"):copy()

    local function reads(e)
        return tonumber(tostring(lun.explain(e)):match "reads (%d+) array")
    end

    it("reads windows, and as many elements around an index as it names", function()
        local function square(r)
            local source = ([[
                local A = ...
                return function(i, j)
                    local s = 0
                    for d = -%d, %d do for e = -%d, %d do s = s + A[i + d][j + e] end end
                    return s
                end]]):format(r, r, r, r)
            return lun.generate({ { 6, 15 }, { 6, 15 } }, load(source)(A))
        end
        assert.equal(9, reads(square(1)))
        assert.equal(25, reads(square(2)))
        assert.equal(49, reads(square(3)))
        assert.equal(49, square(3)[2][3])
        assert.is_true(reads(square(4)) < 9, "81 rounds: a loop")
        assert.equal(81, square(4)[1][1])
        local cross = lun.stencil(function(x)
            local s = 0
            for d = -2, 2 do
                for e = -2, 2 do
                    if d * e == 0 and d ~= e then s = s + x(d, e) end
                end
            end
            return s
        end)
        assert.equal(8, reads(cross(A)))
        assert.equal(8, cross(A)[3][3])
    end)

    it("names the line of what fails in one of its rounds", function()
        local f = load([[
            local A = ...
            return function(i, j)
                local s = 0
                for d = -1, 2 do
                    s = s +
                        A[i + d][j]
                end
                return s
            end]], "=script")(A)
        local ok, message = pcall(function() return lun.generate({ { 2, 19 }, 20 }, f):eval() end)
        assert.is_false(ok)
        assert.matches("script:6: index 21 is out of range for axis 1 of array 'A' (length 20)", tostring(message), 1, true)
        local _, text = pcall(function()
            return lun.stencil(function(x)
                local s = 0
                for d = 1, 3 do s = s + x(d) end
                return s
            end, { radius = 2 })(lun.ones(5))
        end)
        assert.matches("offset 3 of x(...) is beyond the radius of axis 1, which is 2", tostring(text), 1, true)
    end)

    it("has at most 64 rounds where it gives offsets", function()
        local v = lun.ones(100)
        local function sum(first, last)
            return function(x)
                local s = 0
                for d = first, last do s = s + x(d) end
                return s
            end
        end
        local fits = load "return function(x) local s = 0 for d = 1, 64 do s = s + x(d) end return s end" ()
        assert.equal(64, lun.stencil(fits)(v)[7])
        assert.equal(2, lun.stencil(sum(1, 2))(v)[7])
        for _, f in ipairs { sum(1, 65), sum(1.5, 3), function(x, i) return x(i) end } do
            local _, text = pcall(function() return lun.stencil(f)(v, table.unpack({ 1 }, 1, debug.getinfo(f).nparams - 1)) end)
            assert.matches("offset 1 of x(...) is not an integer constant: write out each element that is read, use " ..
                "loops with constant bounds, of at most 64 rounds, or give the option radius", tostring(text), 1, true)
        end
    end)

    it("of a stencil has bounds, offsets and weights that are captured", function()
        local radius, K, list = 1, { { 1, 2, 1 }, { 2, 4, 2 }, { 1, 2, 1 } }, { near = { 0, 1 } }
        local list_of = {}
        for i = 1, 30 do list_of[i] = i * i % 17 end
        local a = lun.vector(list_of):reshape(5, 6)
        local function f(x)
            local s = x(radius, -radius) * list.near[2]
            for d = -radius, radius do
                for e = -radius, radius do s = s + x(d, e) * K[d + radius + 1][radius + e + 1] end
            end
            return s
        end
        local stencil = lun.stencil(f, { edge = "wrap" })
        local function check()
            local want = {}
            for i = 0, 4 do
                for j = 0, 5 do
                    want[#want + 1] = f(function(d, e) return list_of[(i + d) % 5 * 6 + (j + e) % 6 + 1] end)
                end
            end
            assert.same(want, stencil(a):flatten():totable())
        end
        check()
        K[2][2], list.near = -1.5, { 5, 7 }
        check()
        radius = 0
        check()
        radius, K = 2, {}
        for p = 1, 5 do
            K[p] = {}
            for q = 1, 5 do K[p][q] = p - q * 2 end
        end
        check()
        K[5][5] = nil
        local _, text = pcall(stencil, a)
        assert.matches("'K[5][5]' is nil: define it before the function is used", tostring(text), 1, true)
    end)

    it("reads elements of captured tables in any function", function()
        local t = { 2, { 3, 0.5 }, lun.vector { 10, 20 }, math.sqrt }
        local m = lun.map(function(x) return t[4](x * t[1]) + t[2][2] * t[3][2] end)
        local v = lun.vector { 2, 8 }
        assert.same({ 12.0, 14.0 }, m(v):totable())
        t[1], t[2] = 8, { 0, 1 }
        assert.same({ 24.0, 28.0 }, m(v):totable())
        t[2] = setmetatable({}, { __index = function(_, k) return k * 100 end })
        assert.same({ 4004.0, 4008.0 }, m(v):totable())
    end)

    it("that assigns elements stays a loop", function()
        local B, C = lun.zeros { 6, 6 }, lun.range(1, 36):reshape(6, 6):copy()
        lun.each({ { 2, 5 }, { 2, 5 } }, function(i, j)
            for d = -1, 1 do for e = -1, 1 do B[i][j] = B[i][j] + C[i + d][j + e] * (d + 2) end end
        end)
        for i = 2, 5 do
            for j = 2, 5 do
                local s = 0
                for d = -1, 1 do for e = -1, 1 do s = s + C[i + d][j + e] * (d + 2) end end
                assert.equal(s, B[i][j])
            end
        end
    end)
end)
