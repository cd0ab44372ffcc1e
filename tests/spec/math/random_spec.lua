-- Random numbers of distributions, permutations, choices: elements against a program of its own (random_values.py), moments
-- and frequencies against formulas, bits on every backend and number of threads, mistakes.
local lun = require "lunarray"
local expect = require "expect"
local values = require "math.random_values"

local SEED = 0x0123456789abcdef
local N = 100000

local function with(options, seed)
    local copy = { seed = seed or SEED }
    for name, x in pairs(options) do copy[name] = x end
    return copy
end

local function fails(text, f)
    local ok, e = pcall(f)
    assert.is_false(ok)
    assert.equal(text, (tostring(e):gsub("^[^:]*:%d+: ", "")))
end

-- The distance of the distribution of x from `below`, the probability of an element up to y, times the root of their number.
local function kolmogorov(x, below)
    local sorted, worst = x:cast "f64":sort():totable(), 0
    for k, y in ipairs(sorted) do
        local p = below(y)
        worst = math.max(worst, p - (k - 1) / #sorted, k / #sorted - p)
    end
    return worst * math.sqrt(#sorted)
end

-- Chi-squared of counts, less its mean, in deviations; p(n): the probability of n.
local function chi_squared(x, p)
    local counts, size = {}, x:size()
    for _, n in ipairs(x:totable()) do counts[n] = (counts[n] or 0) + 1 end
    local sum, cells, rest, others = 0, 0, 1, size
    for n = 0, 2000 do
        local wanted = p(n) * size
        if wanted > 8 then
            sum = sum + ((counts[n] or 0) - wanted) ^ 2 / wanted
            cells, rest, others = cells + 1, rest - p(n), others - (counts[n] or 0)
        end
    end
    if rest * size > 1 then
        sum, cells = sum + (others - rest * size) ^ 2 / (rest * size), cells + 1
    end
    return (sum - (cells - 1)) / math.sqrt(2 * (cells - 1))
end

-- Probabilities in order by a ratio of neighbours.
local function by_ratio(first, ratio)
    local p = { [0] = first }
    return function(n)
        for k = #p + 1, n do p[k] = p[k - 1] * ratio(k) end
        return p[n]
    end
end

describe("random numbers", function()
    for _, v in ipairs(values) do
        it(("of %s are those of their definition"):format(v.options.dist), function()
            expect.everywhere(function()
                local x = lun.random(#v.values, with(v.options))
                local got = x:totable()
                for k, want in ipairs(v.values) do
                    if math.type(want) == "float" then
                        assert.is_true(math.abs(got[k] - want) <= math.abs(want) * 1e-13, ("%d: %.17g"):format(k, got[k]))
                    else
                        assert.equal(want, got[k])
                    end
                end
                local part = lun.random({ 2, #v.values // 2 }, with(v.options)) -- an element depends on its number alone
                assert.equal(got[#v.values // 2 + 3], part[2][3])
            end)
        end)
    end

    -- A bit of these is one of v1: docs/bits.md.
    it("of a normal distribution have the same bits everywhere", function()
        local sums = { f64 = 0xa980fd1a3b7837a6, f32 = 0xe99428d237660b9c, f16 = 0xab373015f967941e, bf16 = 0xe6d5fc7480088827 }
        expect.everywhere(function(backend)
            for dtype, sum in pairs(sums) do
                local bytes = lun.random(100003, { seed = 20, dist = "normal", dtype = dtype }):tobytes()
                local words = lun.frombytes(bytes .. ("\0"):rep(-#bytes % 8), "u64")
                local weights = (lun.index(words:size()) * 2 + 1):cast "u64"
                assert.equal(sum, lun.reduce(lun.op.add)(words * weights):value(), backend .. dtype)
            end
        end)
    end)

    it("have the mean and variance of their distribution", function()
        for _, case in ipairs {
            { { low = -1, high = 3 }, 1, 4 / 3 },
            { { dist = "normal", mean = 5, std = 0.5 }, 5, 0.25 },
            { { dist = "exponential", scale = 0.5 }, 0.5, 0.25 },
            { { dist = "bernoulli", p = 0.2 }, 0.2, 0.16 },
            { { dist = "geometric", p = 0.2 }, 5, 20 },
            { { dist = "integers", low = -7, high = 13 }, 3, 440 / 12 },
            { { dist = "gamma", shape = 0.4, scale = 2 }, 0.8, 1.6 },
            { { dist = "gamma", shape = 7 }, 7, 7 },
            { { dist = "beta", a = 2, b = 3 }, 0.4, 0.04 },
            { { dist = "chisquare", df = 5 }, 5, 10 },
            { { dist = "student", df = 7 }, 0, 7 / 5 },
            { { dist = "poisson", rate = 6 }, 6, 6 },
            { { dist = "poisson", rate = 300 }, 300, 300 },
            { { dist = "binomial", n = 30, p = 0.1 }, 3, 2.7 },
            { { dist = "binomial", n = 400, p = 0.75 }, 300, 75 },
        } do
            local options, mean, var = table.unpack(case)
            local x = lun.random(N, with(options)):cast "f64":eval()
            assert.is_true(math.abs(x:mean() - mean) < 5 * math.sqrt(var / N), options.dist)
            assert.is_true(math.abs(x:var() - var) < 0.05 * var, options.dist)
        end
    end)

    it("are distributed as they should be", function()
        for _, case in ipairs {
            { { dist = "gamma", shape = 2 }, function(y) return 1 - math.exp(-y) * (1 + y) end },
            { { dist = "gamma", shape = 0.5 }, function(y) return lun.erf(math.sqrt(y)) end },
            { { dist = "beta", a = 1, b = 2 }, function(y) return 1 - (1 - y) ^ 2 end },
            { { dist = "chisquare", df = 2 }, function(y) return 1 - math.exp(-y / 2) end },
            { { dist = "student", df = 2 }, function(y) return 0.5 + y / (2 * math.sqrt(2 + y * y)) end },
            { { dist = "exponential" }, function(y) return 1 - math.exp(-y) end },
        } do
            local d = kolmogorov(lun.random(20000, with(case[1])), case[2])
            assert.is_true(d < 1.95, ("%s: %g"):format(case[1].dist, d)) -- 1 in 1,000
        end
        for _, case in ipairs {
            { { dist = "poisson", rate = 4 }, by_ratio(math.exp(-4), function(k) return 4 / k end) },
            { { dist = "poisson", rate = 40 }, by_ratio(math.exp(-40), function(k) return 40 / k end) },
            { { dist = "binomial", n = 20, p = 0.2 }, by_ratio(0.8 ^ 20, function(k) return (21 - k) / k / 4 end) },
            { { dist = "binomial", n = 90, p = 0.6 }, by_ratio(0.4 ^ 90, function(k) return (91 - k) / k * 1.5 end) },
            { { dist = "integers", low = 0, high = 9 }, function(n) return n < 10 and 0.1 or 0 end },
            { { dist = "geometric", p = 0.3 }, function(n) return n > 0 and 0.3 * 0.7 ^ (n - 1) or 0 end },
        } do
            local d = chi_squared(lun.random(N, with(case[1])), case[2])
            assert.is_true(math.abs(d) < 4, ("%s: %g"):format(case[1].dist, d))
        end
    end)

    it("without parameters are the engine's, which parameters scale", function()
        local u, z = lun.random(9, { seed = 4, dtype = "f32" }), lun.random(9, { seed = 4, dist = "normal" })
        expect.elements((u * 2.0 + 1.0):totable(), lun.random(9, { seed = 4, low = 1, high = 3, dtype = "f32" }))
        expect.elements((z * 2.0 + 1.0):totable(), lun.random(9, { seed = 4, dist = "normal", mean = 1, std = 2 }))
        expect.elements(u:totable(), lun.random(9, { seed = 4, dist = "uniform", dtype = "f32" }))
    end)

    it("have parameters that are arrays, dtypes and layouts", function()
        local rates = lun.vector { { 0 }, { 3 }, { 1000 } }
        local x = lun.random({ 3, 500 }, { dist = "poisson", rate = rates, seed = 1 })
        local one = lun.random(1500, { dist = "poisson", rate = 3, seed = 1 })
        expect.elements(one:sub(501, 1000):totable(), x[2])
        assert.equal(0, x[1]:max())
        assert.is_true(math.abs(x[3]:mean() - 1000) < 8)
        local high = lun.vector { 1, 10, 100 }
        local y = lun.random({ 400, 3 }, { dist = "integers", low = 1, high = high, seed = 1 })
        expect.elements({ 1, 10, 100 }, y:max { axis = 1 })
        expect.elements(lun.random(1200, { dist = "integers", low = 1, high = 10, seed = 1 }):reshape(400, 3):col(2):totable(), y:col(2))
        assert.equal("u8", lun.random(3, { dist = "integers", low = 0, high = 255, dtype = "u8" }):dtype())
        assert.equal("f32", lun.random(3, { dist = "gamma", shape = 2, dtype = "f32" }):dtype())
        assert.equal("left", lun.random({ 2, 3 }, { dist = "gamma", shape = 2, layout = "left" }):layout())
        expect.elements({}, lun.random(0, { dist = "gamma", shape = 2 }))
        expect.elements({ 5, 5 }, lun.random(2, { dist = "binomial", n = 5, p = 1 }))
        expect.elements({ 0, 0 }, lun.random(2, { dist = "binomial", n = 5, p = 0 }))
        expect.elements({ 1, 1 }, lun.random(2, { dist = "geometric", p = 1 }))
        assert.is_false(lun.random(3, { dist = "gamma", shape = 2 }):equals(lun.random(3, { dist = "gamma", shape = 2 })))
    end)

    it("are the same for every number of threads", function()
        expect.same_texts [[
            for _, o in ipairs { { dist = "gamma", shape = 0.7 }, { dist = "beta", a = 2, b = 0.3 }, { dist = "student", df = 3 },
                { dist = "poisson", rate = lun.vector { 2, 50 } }, { dist = "binomial", n = 100, p = lun.vector { 0.02, 0.6 } },
                { dist = "integers", low = 1, high = 1000003 } } do
                o.seed = 8
                texts[#texts + 1] = lun.random({ 9000, 2 }, o):tobytes()
            end
            texts[#texts + 1] = lun.permutation(30000, { seed = 3 }):tobytes()]]
    end)

    it("names what is wrong", function()
        local function wrong(text, options, shape)
            fails("bad argument #2 to 'random' (" .. text .. ")", function() return lun.random(shape or 3, options) end)
        end
        wrong("unknown distribution 'gama': known are uniform, normal, integers, bernoulli, exponential, geometric, gamma, beta, "
            .. "chisquare, student, poisson, binomial", { dist = "gama" })
        wrong("unknown option 'scael': the options are seed, dist, dtype, layout, align, label, readonly, shape, scale",
            { dist = "gamma", shape = 1, scael = 2 })
        wrong("'shape': a number or an array expected, got no value", { dist = "gamma" })
        wrong("'shape': greater than 0 expected, got 0", { dist = "gamma", shape = 0 })
        wrong("'shape': greater than 0 expected, got -1", { dist = "gamma", shape = -1 })
        wrong("'shape': finite numbers expected, got nan", { dist = "gamma", shape = 0 / 0 })
        wrong("'scale': finite numbers expected, got inf", { dist = "exponential", scale = math.huge })
        wrong("'shape': greater than 0 expected", { dist = "gamma", shape = lun.vector { 1, -1, 2 } })
        wrong("'shape': finite numbers expected", { dist = "gamma", shape = lun.vector { 1, 0 / 0, 2 } })
        wrong("'shape': i64[2] does not broadcast to the shape", { dist = "gamma", shape = lun.vector { 1, 2 } })
        wrong("'df': i64[1, 3] does not broadcast to the shape", { dist = "student", df = lun.ones({ 1, 3 }, "i64") })
        wrong("'p': from 0 to 1 expected, got 1.5", { dist = "bernoulli", p = 1.5 })
        wrong("'p': greater than 0, at most 1 expected, got 0", { dist = "geometric", p = 0 })
        wrong("'rate': 0 or greater expected, got -1", { dist = "poisson", rate = -1 })
        wrong("'n': 0 or greater expected", { dist = "binomial", n = -1, p = 0.5 })
        wrong("'n': whole numbers expected, got 1.5", { dist = "binomial", n = 1.5, p = 0.5 })
        wrong("'high' is less than 'low'", { dist = "integers", low = 3, high = 2 })
        wrong("'high' is less than 'low'", { dist = "integers", low = lun.vector { 1, 2, 3 }, high = 2 })
        wrong("'high': whole numbers expected, got 2.5", { dist = "integers", low = 1, high = 2.5 })
        wrong("u8 does not hold integers from 0 to 256", { dist = "integers", low = 0, high = 256, dtype = "u8" })
        wrong("'dtype': a float expected for \"beta\", got i64", { dist = "beta", a = 1, b = 1, dtype = "i64" })
        wrong("unknown dtype 'f65'", { dist = "beta", a = 1, b = 1, dtype = "f65" })
        wrong("'seed' is not an integer", { dist = "beta", a = 1, b = 1, seed = 0.5 })
    end)
end)

describe("permutations and choices", function()
    it("have each element once", function()
        expect.everywhere(function()
            local p = lun.permutation(1000, { seed = 3 })
            expect.elements(lun.index(1000):totable(), p:sort())
            assert.is_false(p:equals(lun.index(1000)))
            local A = (lun.index(60):reshape(20, 3) * 1):eval()
            expect.elements(A:take(lun.permutation(20, { seed = 3 })):flatten():totable(), lun.permutation(A, { seed = 3 }):flatten())
            local B = A:copy()
            assert.equal(B, B:shuffle { seed = 3 })
            expect.elements(lun.permutation(A, { seed = 3 }):flatten():totable(), B:flatten())
            expect.elements({}, lun.permutation(0))
            expect.elements({ 1 }, lun.permutation(1))
        end)
        local counts = {}
        for seed = 1, 600 do
            local text = table.concat(lun.permutation(3, { seed = seed }):totable())
            counts[text] = (counts[text] or 0) + 1
        end
        for _, n in pairs(counts) do assert.is_true(n > 60 and n < 140) end
        assert.is_truthy(counts["321"])
    end)

    it("choose with and without replacement, by probabilities", function()
        expect.everywhere(function()
            expect.elements(lun.random(50, { dist = "integers", low = 1, high = 7, seed = 2 }):totable(), lun.choice(7, 50, { seed = 2 }))
            expect.elements(lun.permutation(9, { seed = 2 }):sub(1, 4):totable(), lun.choice(9, 4, { seed = 2, replace = false }))
            local p = { 0, 0.5, 0, 0.25, 0.25, 0 }
            local x = lun.choice(6, 40000, { seed = 5, p = p })
            for i, n in ipairs(x:bincount { n = 6 }:totable()) do
                assert.is_true(math.abs(n - 40000 * p[i]) < 500, i)
                assert.is_true(p[i] > 0 or n == 0)
            end
            expect.elements({ 2, 4, 5 }, lun.choice(6, 3, { seed = 5, p = p, replace = false }):sort())
        end)
        local a = lun.vector { { 1.5, 2 }, { 3, 4 } }
        expect.elements({ 2, 3, 2 }, lun.vector { lun.choice(a, { 2, 3 }, { seed = 1 }):shape() })
        expect.elements({ 2, 2 }, lun.vector { lun.choice(5, { 2, 2 }):shape() })
        expect.elements({}, lun.choice(5, 0))
    end)

    it("make rows of given means and covariances, and seeds of seeds", function()
        local cov = lun.vector { { 2, 0.5, 0 }, { 0.5, 1, -0.3 }, { 0, -0.3, 1 } }
        local X = lun.multivariate_normal({ 1, -1, 4 }, cov, N, { seed = 3 }):eval()
        assert.is_true((X:mean { axis = 1 } - lun.vector { 1, -1, 4 }):abs():max() < 0.03)
        assert.is_true((X:transpose():cov() - cov):abs():max() < 0.05)
        local Z = lun.random({ 5, 3 }, { dist = "normal", seed = 3 })
        expect.elements((Z:matmul(cov:cholesky():transpose()) + lun.vector { 1, -1, 4 }):flatten():totable(),
            lun.multivariate_normal({ 1, -1, 4 }, cov, 5, { seed = 3 }):flatten())
        local seeds = lun.split(7, lun.index(100))
        assert.equal("i64", seeds:dtype())
        assert.equal(100, #(seeds:unique()))
        assert.equal(seeds[31], lun.split(7, 31))
        assert.is_true(lun.split(7, 1) ~= lun.split(8, 1) and lun.split(-1, 1) ~= lun.split(1, 1))
    end)

    it("of lun.uniform and lun.normal are elements of lun.random, in functions, C text and plain Lua", function()
        local n, seed = 999, -12345678901234
        local k = lun.index(n)
        expect.everywhere(function()
            local u, z = lun.random(n, { seed = seed }), lun.random(n, { seed = seed, dist = "normal" })
            assert.is_true(k:map(function(i) return lun.uniform(seed, i) end):eq(u):all())
            assert.is_true(k:map(function(i) return lun.normal(seed, i) end):eq(z):all())
            assert.is_true(k:map "double f(long k) { return LUN_UNIFORM(-12345678901234, k); }":eq(u):all())
            for i = 1, n, 100 do
                assert.equal(u[i], lun.uniform(seed, i))
                assert.equal(z[i], lun.normal(seed, i))
            end
        end)
        local big = 1 << 33 -- a counter of more than 32 bits
        local part = lun.generate(4, function(i) return lun.uniform(3, i + (1 << 40)) end)
        assert.equal(lun.uniform(3, 2 + (1 << 40)), part[2])
        assert.is_true(lun.uniform(3, big + 1) ~= lun.uniform(3, 1))
    end)

    it("are drawn in loops, teams, reductions and by captured functions", function()
        local hits = lun.generate(50, function(i)
            local count = 0
            for j = 1, 400 do
                local at = 2 * (400 * (i - 1) + j)
                local x, y = lun.uniform(4, at - 1), lun.uniform(4, at)
                if x * x + y * y <= 1 then
                    count = count + 1
                end
            end
            return count
        end)
        local u = lun.random({ 20000, 2 }, { seed = 4 })
        assert.equal((u * u):sum { axis = 2 }:le(1):count(), hits:sum())
        local out = lun.zeros(64)
        lun.teams { league = 4, team = 16 }(function(t)
            local i = t:index()
            out[i] = lun.uniform(5, i)
        end)
        assert.is_true(out:eq(lun.random(64, { seed = 5 })):all())
        local draw, seeds = lun.uniform, lun.vector({ 1, 2, 3 }, "i32") -- seeds and numbers of any integer dtype
        assert.same({ lun.uniform(1, 7), lun.uniform(2, 7), lun.uniform(3, 7) },
            seeds:map(function(s) return draw(s, 7) end):totable())
        local f = seeds:cast "f32":map(function(x) return x * lun.uniform(1, 2) end)
        assert.equal("f32", f:dtype())
    end)

    it("of functions name the call that is wrong", function()
        local k = lun.index(3)
        local cases = {
            { "bad argument #2 to 'uniform' (0: at least 1 expected)", function() lun.uniform(1, 0) end },
            { "bad argument #1 to 'normal' (whole number expected, got 1.5)", function() lun.normal(1.5, 1) end },
            { "bad argument #2 to 'normal' (whole number expected, got nil)", function() lun.normal(1) end },
            { "wrong number of arguments to lun.uniform (2 expected, got 1)",
                function() k:map(function(i) return lun.uniform(i) end) end },
            { "lun.normal on a string ('a'): only numbers and booleans are supported",
                function() k:map(function(i) return lun.normal("a", i) end) end },
            { "number 1.5 has no integer representation",
                function() lun.vector { 1.5 }:map(function(x) return lun.uniform(1, x) end):eval() end },
        }
        for _, case in ipairs(cases) do
            local ok, e = pcall(case[2])
            e = tostring(e)
            assert.is_false(ok)
            assert.is_truthy(e:find(case[1], 1, true), e)
            assert.is_falsy(e:find("lua/lunarray", 1, true), e)
            assert.is_truthy(e:find("random_spec", 1, true), e)
        end
    end)

    it("name what is wrong", function()
        fails("bad argument #1 to 'permutation' (-1: at least 0 expected)", function() return lun.permutation(-1) end)
        fails("bad argument #2 to 'permutation' (unknown option 'sed': the options are seed)",
            function() return lun.permutation(3, { sed = 1 }) end)
        fails("bad argument #1 to 'shuffle' (unknown option 'sed': the options are seed)",
            function() return lun.zeros(3):shuffle { sed = 1 } end)
        fails("bad argument #2 to 'choice' (4 of 3 without replacement)", function() return lun.choice(3, 4, { replace = false }) end)
        fails("bad argument #2 to 'choice' (3 of 2 with a probability above 0 without replacement)",
            function() return lun.choice(3, 3, { replace = false, p = { 0, 0.5, 0.5 } }) end)
        fails("bad argument #1 to 'choice' (nothing to choose from)", function() return lun.choice(0, 1) end)
        fails("bad argument #3 to 'choice' ('p': the sum is 0.9, not 1)", function() return lun.choice(2, 1, { p = { 0.4, 0.5 } }) end)
        fails("bad argument #3 to 'choice' ('p': 0 or greater expected)", function() return lun.choice(2, 1, { p = { -0.5, 1.5 } }) end)
        fails("bad argument #3 to 'choice' ('p': 0 or greater expected)", function() return lun.choice(2, 1, { p = { 0 / 0, 1.5 } }) end)
        fails("bad argument #3 to 'choice' ('p': 2 probabilities expected, got 3)",
            function() return lun.choice(2, 1, { p = { 1, 0, 0 } }) end)
        fails("bad argument #2 to 'multivariate_normal' (2 x 2 covariances expected, got f64[3, 3])",
            function() return lun.multivariate_normal({ 1, 2 }, lun.eye(3), 4) end)
        fails("matrix is not positive definite (leading minor 2)",
            function() return lun.multivariate_normal({ 1, 2 }, lun.ones { 2, 2 }, 4):eval() end)
        fails("bad argument #2 to 'split' (whole number expected, got 4.5)", function() return lun.split(3, 4.5) end)
    end)
end)
