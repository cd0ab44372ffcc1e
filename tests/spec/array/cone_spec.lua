-- Few elements of an expression: only what they hang on is computed, through whatever moves elements, and it has the bits
-- that it has when all is computed. Memory by lun.stats(); values by plain Lua.
local lun = require "lunarray"
local onplaces = require "onplaces"

local N, M = 100000000, 100000 -- as f64 800 MB, and of M x M elements 80 GB: more than tests may take

-- The most memory that f takes, in bytes.
local function memory(f)
    collectgarbage()
    lun.trim()
    lun.stats "reset"
    local before = lun.stats().allocated
    f()
    return lun.stats().peak - before
end

local function few(f) assert(memory(f) < 4 << 20) end

describe("one element #place", function()
    it("of what is shifted, padded and read around takes its own memory", function()
        few(function()
            assert.equal(2, lun.index(N):shift(1, { edge = 0 })[3])
            assert.equal(0, lun.index(N):shift(1, { edge = 0 })[1])
            assert.equal(N, lun.index(N):shift(1, { edge = "wrap" })[1])
            assert.equal(5, lun.index(N):shift(-5, { edge = "wrap" })[N])
            assert.equal(N, (lun.index(N) * 1):shift(-5, { edge = "nearest" })[N - 2])
            assert.equal(N // 2 - 2, (lun.index(N) + 0):pad(2, 0)[N // 2])
            local function around(x) return x(-1) + 10 * x(0) + 100 * x(1) end
            assert.equal(111 * 7 + 99, (lun.index(N) + 0):stencil(around, { edge = 0 })[7])
            assert.equal(10 + 200 + N, lun.index(N):stencil(around, { edge = "wrap" })[1])
            assert.equal(210 + 1, lun.index(N):stencil(around, { edge = "nearest" })[1])
        end)
    end)

    it("of stencils of stencils takes a few rows", function()
        few(function()
            local a = lun.index(M * M):reshape(M, M) + 0
            for _ = 1, 6 do -- of what is linear a mean around is the middle
                a = a:stencil(function(x) return (x(-1, 0) + x(1, 0) + x(0, -1) + x(0, 1)) // 4 end, { edge = 0 })
            end
            assert.equal((M // 2 - 1) * M + 77, a[M // 2][77])
        end)
    end)

    it("of many operations and views, in turn, takes its own memory", function()
        few(function()
            for _, turns in ipairs { 3, 22, 23, 24, 25, 60, 301 } do
                local a = lun.index(M * M):reshape(M, M)
                for _ = 1, turns do a = (a + 1):transpose() end
                local i, j = 3, 4
                if turns % 2 == 1 then i, j = j, i end
                assert.equal((i - 1) * M + j + turns, a[3][4])
            end
            local a = lun.index(N)
            for _ = 1, 100 do a = lun.zeros(1, "i64") .. (a + 1) end
            assert.equal(105, a[105])
            local b = lun.index(N)
            for _ = 1, 40 do b = b + b:shift(1, { edge = "wrap" }) end
            assert.equal(80 << 40, b[100]) -- 2^40 elements around 100 - 20, on the average
        end)
    end)

    it("and small windows take theirs, evaluated, printed and explained", function()
        few(function()
            local s = lun.index(N):shift(1, { edge = 0 }) * 2
            assert.same({ 0, 2, 4 }, s:sub(1, 3):totable())
            local window = s:sub(-2, -1):eval()
            assert.same({ 2 * N - 4, 2 * N - 2 }, window:totable())
            assert.matches("%[0 2 4 6 8", tostring(s:sub(1, 5)))
            for _, kernel in ipairs(lun.explain(s:sub(3, 5))) do assert(kernel.n <= 16) end
            assert.equal(24, s:sub(4, 6):sum())
        end)
    end)
end)

describe("few elements", function()
    onplaces.restore(before_each, after_each)

    local EDGES = { 0, "wrap", "nearest", 1.5 }

    -- A random expression of what moves elements, evaluated at each step or not at all.
    local function expression(seed, each)
        local random = onplaces.generator(seed)
        local n, m = random(150, 260), random(150, 260)
        local x = lun.random({ n, m }, { seed = seed, dtype = "f32" })
        if random(2) == 1 then x = x:eval() end
        local steps = {
            function() return x * 2 + 1 end,
            function() return x:transpose() end,
            function(rank) return x:shift(random(-3, 3), { axis = random(rank), edge = EDGES[random(4)] }) end,
            function() return x:pad(random(1, 3), EDGES[random(4)]) end,
            function()
                local function f(y) return y(-1, 0) + y(0, 0) * 2 + y(0, 2) - y(1, -1) end
                return x:stencil(f, { edge = EDGES[random(4)], radius = 2 })
            end,
            function() return x .. (x + 1) end,
            function() return lun.concat({ x, x * 3 }, 2) end,
            function() return x:sub(random(1, 5), -random(1, 5)) end,
            function() return x + x:sub(-1, 1, -1) end,
            function(_, a, b) return x:reshape(b, a) end,
            function() return x + x:shift(1, { edge = "wrap" }) + x:shift(-2, { axis = 2, edge = 0 }) end,
            function() return x:map(function(v) return v > 0.5 and v * 2 or v - 1 end) end,
            function() return x - x:max { axis = 2, keep = true } end,
        }
        for _ = 1, random(2, 7) do
            local z = steps[random(#steps)](2, x:shape())
            if z:size() < 1000000 then x = z end
            if each then x = x:eval() end
        end
        return x, random
    end

    it("have the bits that they have among all", function()
        for _, set in ipairs { "reference", "openmp", "openmp/3" } do
            lun.use(set)
            for seed = 1, 60 do
                local all, random = expression(seed, true)
                local n, m = all:shape()
                all = all:copy()
                for _, at in ipairs { 1, n * m - 1, random(n * m - 1), random(n * m - 1) } do
                    assert.same(all:read(at, 2), (expression(seed)):read(at, 2), ("seed %d, element %d, %s"):format(seed, at, set))
                end
                local i = random(n)
                assert.same(all[i]:totable(), (expression(seed))[i]:totable(), ("seed %d, row %d, %s"):format(seed, i, set))
            end
        end
    end)
end)
