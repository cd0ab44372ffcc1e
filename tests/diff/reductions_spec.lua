-- Whole reductions of every dtype: exact for integers, within the bound of pairwise summation for floats;
-- lengths around every block size; NaN at every position; ties, infinities, empty arrays; and reduce with
-- every associative operation and with functions that keep the order of their operands. On a device two dtypes
-- are tried; LUNARRAY_DIFF_DEVICE=1 tries all.
local harness = require "diff.harness"
local lun = require "lunarray"
local dtypes = require "diff.dtypes"
local operands = require "diff.operands"
local oracle = require "diff.oracle"
local libm = require "libm"

local nan, inf = 0.0 / 0.0, math.huge

local lengths = {}
for n = 1, 130 do
    lengths[n] = n
end
for _, n in ipairs { 255, 256, 257, 1000, 1023, 1024, 1025 } do
    lengths[#lengths + 1] = n
end
local long_lengths = { 16383, 16384, 16385, 50001 }

-- Floats whose products neither overflow nor vanish, or any integers.
local function element(t, g)
    if t.is_float then
        return t.round((0.5 + 1.5 * g.unit()) * (g.pick(2) == 1 and 1 or -1))
    end
    return operands.random(t, g)
end

local function random_list(t, n, g)
    local list = {}
    for i = 1, n do
        list[i] = element(t, g)
    end
    return list
end

-- ---------------------------------------------------------------- expected

local function number(x)
    if type(x) == "boolean" then
        return x and 1 or 0
    end
    return x
end

local function as_double(t, x)
    return t.is_float and x or libm.float("f64", number(x), t.is_wide)
end

-- The exact results by name, of a list without NaNs.
local function exact(t, list)
    local r = { count = 0, any = false, all = true, sum = 0, prod = 1 }
    for i, x in ipairs(list) do
        local y = number(x)
        r.sum, r.prod = r.sum + y, r.prod * y
        if y ~= 0 then
            r.any, r.count = true, r.count + 1
        else
            r.all = false
        end
        if not r.min or oracle.less(t, y, r.min) then
            r.min, r.argmin = y, i
        end
        if not r.max or oracle.less(t, r.max, y) then
            r.max, r.argmax = y, i
        end
    end
    return r
end

-- Compares one number with its exact value, or within a bound.
local function expect(what, backend, got, want, bound)
    harness.elements = harness.elements + 1
    local close = bound and math.type(got) == "float" and math.abs(got - want) <= bound
    if not close and (math.type(got) ~= math.type(want) or not harness.same(got, want)) then
        harness.fail("%s on %s is %s, not %s%s", what, backend, harness.text(got), harness.text(want),
            bound and (" within %g"):format(bound) or "")
    end
end

-- ---------------------------------------------------------------- whole reductions

local exact_names = { "min", "max", "any", "all", "count" }
local unit = 2.0 ^ -53

local function check_floating(what, backend, t, a, list, r)
    local n, doubles = #list, {}
    for i, x in ipairs(list) do
        doubles[i] = as_double(t, x)
    end
    local bytes = dtypes.pack(dtypes.f64, doubles)
    local sum, magnitude, square, mean, deviation = libm.sums("f64", bytes)
    local depth = math.log(n, 2) + 4 -- pairwise; these are short, or random
    if t.is_float then
        expect(what .. ":sum()", backend, r.sum, sum, depth * unit * magnitude)
        local product = 1.0
        for _, x in ipairs(doubles) do
            product = product * x
        end
        expect(what .. ":prod()", backend, r.prod, product, 2 * n * unit * math.abs(product))
    end
    expect(what .. ":mean()", backend, a:mean(), mean, (depth + 2) * unit * magnitude / n)
    expect(what .. ":norm()", backend, a:norm(), math.sqrt(square), depth * unit * math.sqrt(square))
    local close = 1e-13 * deviation
    expect(what .. ":var()", backend, a:var(), deviation / n, close / n)
    expect(what .. ":std()", backend, a:std(), math.sqrt(deviation / n), 1e-13 * math.sqrt(deviation / n))
    if n > 1 then
        expect(what .. ":var(1)", backend, a:var(1), deviation / (n - 1), close / (n - 1))
    end
end

local function check_list(t, list, backend)
    local what = ("%s[%d]"):format(t.name, #list)
    local a, want = harness.array(t, list), exact(t, list)
    local lazy = {}
    for i, name in ipairs(exact_names) do
        lazy[i] = a:lazy(name)
    end
    lazy[#lazy + 1], lazy[#lazy + 2] = a:lazy "sum", a:lazy "prod"
    local got = { lun.eval(table.unpack(lazy)) }
    for i, name in ipairs(exact_names) do
        expect(("%s:%s()"):format(what, name), backend, got[i], want[name])
    end
    local r = { sum = got[#exact_names + 1], prod = got[#exact_names + 2] }
    if not t.is_float then
        expect(what .. ":sum()", backend, r.sum, want.sum)
        expect(what .. ":prod()", backend, r.prod, want.prod)
    end
    expect(what .. ":argmin()", backend, a:argmin(), want.argmin)
    expect(what .. ":argmax()", backend, a:argmax(), want.argmax)
    check_floating(what, backend, t, a, list, r)
    return r
end

local on_device = { f32 = true, i16 = true }

-- Calls f(backend, list) for each backend and, inside, each list: a backend in use stays in use. t: the
-- dtype of the lists.
local function on_each(t, lists, f)
    for _, backend in ipairs(harness.backends_for(t, on_device)) do
        lun.use(backend)
        for _, list in ipairs(lists) do
            f(backend, list)
        end
    end
    lun.use(harness.backends[1])
    harness.finish()
end

local function random_lists(t, sizes, g)
    local lists = {}
    for k, n in ipairs(sizes) do
        lists[k] = random_list(t, n, g)
    end
    return lists
end

describe("reductions of", function()
    for i, t in ipairs(dtypes.list) do
        it(t.name .. ", of every length", function()
            local lists, first = random_lists(t, lengths, operands.generator(i)), {}
            on_each(t, lists, function(backend, list)
                local r = check_list(t, list, backend)
                first[list] = first[list] or r
                for _, name in ipairs { "sum", "prod" } do
                    expect(("%s[%d]:%s(), as on %s,"):format(t.name, #list, name, harness.backends[1]), backend, r[name],
                        first[list][name])
                end
            end)
            harness.combinations = harness.combinations + 13 * #harness.backends
        end)

        it(t.name .. ", of long arrays", function()
            on_each(t, random_lists(t, long_lengths, operands.generator(100 + i)), function(backend, list)
                check_list(t, list, backend)
            end)
        end)

        it(t.name .. ", where all elements are the same, or extreme", function()
            local lists = {}
            for _, x in ipairs(operands.special(t)) do
                for _, n in ipairs { 1, 64, 65, 1025 } do
                    if x == x and number(x) ~= 0 then
                        lists[#lists + 1] = { x }
                        for k = 2, n do
                            lists[#lists][k] = x
                        end
                    end
                end
            end
            on_each(t, lists, function(backend, list)
                local a, x = harness.array(t, list), number(list[1])
                local what = ("%s[%d] of %s"):format(t.name, #list, x)
                local min, max, count = lun.eval(a:lazy "min", a:lazy "max", a:lazy "count")
                expect(what .. ":min()", backend, min, x)
                expect(what .. ":max()", backend, max, x)
                expect(what .. ":count()", backend, count, #list)
                expect(what .. ":argmin()", backend, a:argmin(), 1)
                expect(what .. ":argmax()", backend, a:argmax(), 1)
            end)
        end)

        it(t.name .. ": dot", function()
            local g, pairs_of = operands.generator(200 + i), {}
            for k, n in ipairs { 0, 1, 2, 63, 64, 65, 129, 1000 } do
                pairs_of[k] = { random_list(t, n, g), random_list(t, n, g) }
            end
            on_each(t, pairs_of, function(backend, pair)
                local x, y = pair[1], pair[2]
                local sum, magnitude = t.is_float and 0.0 or 0, 0
                for k = 1, #x do
                    -- integers are multiplied in the dtype of the sum, floats in that of arithmetic
                    local u = t.kind == "bool" and dtypes.i64 or t.wide or oracle.folded("mul", t)
                    local p = oracle.element(oracle.ops.mul, u)(u, number(x[k]), number(y[k]))
                    sum, magnitude = sum + p, t.is_float and magnitude + math.abs(p) or 0
                end
                local bound = t.is_float and 20 * unit * magnitude or nil
                expect(("%s[%d]:dot()"):format(t.name, #x), backend, harness.array(t, x):dot(harness.array(t, y)), sum,
                    bound)
            end)
        end)

        it(t.name .. ", of nothing", function()
            local zero = t.is_float and 0.0 or 0
            on_each(t, { {} }, function(backend, list)
                local none = harness.array(t, list)
                expect("sum of nothing", backend, none:sum(), zero)
                expect("prod of nothing", backend, none:prod(), zero + 1)
                expect("any of nothing", backend, none:any(), false)
                expect("all of nothing", backend, none:all(), true)
                expect("count of nothing", backend, none:count(), 0)
                for _, name in ipairs { "min", "max", "mean", "var", "std", "argmin", "argmax" } do
                    assert.has_error(function() return none[name](none) end)
                end
            end)
        end)
    end
end)

-- ---------------------------------------------------------------- NaN

describe("a NaN in", function()
    for _, t in ipairs { dtypes.f32, dtypes.f64 } do
        it(t.name .. " counts wherever it is", function()
            local nan_bytes = string.pack(t.format, nan)
            on_each(t, random_lists(t, lengths, operands.generator(11)), function(backend, list)
                local n, bytes = #list, dtypes.pack(t, list)
                for at = 1, n do
                    local a = harness.array(t,
                        bytes:sub(1, (at - 1) * t.size) .. nan_bytes .. bytes:sub(at * t.size + 1))
                    local min, max, sum, all = lun.eval(a:lazy "min", a:lazy "max", a:lazy "sum", a:lazy "all")
                    local good = min ~= min and max ~= max and sum ~= sum and all == true
                    if n < 80 or at % 16 == 1 or at == n then
                        good = good and a:argmin() == at and a:argmax() == at
                    end
                    harness.elements = harness.elements + 6
                    if not good then
                        harness.fail("%s[%d] with a NaN at %d on %s: min %s, max %s, sum %s, argmin %s, argmax %s", t.name,
                            n, at, backend, min, max, sum, a:argmin(), a:argmax())
                    end
                end
            end)
            harness.combinations = harness.combinations + 6 * #harness.backends
        end)

        it(t.name .. ": the first one wins, and infinities are numbers", function()
            local sizes = {}
            for n = 2, 140, 3 do
                sizes[#sizes + 1] = n
            end
            on_each(t, sizes, function(backend, n)
                local list = {}
                for k = 1, n do
                    list[k] = k % 2 == 0 and inf or -inf
                end
                local a = harness.array(t, list)
                expect("argmin of infinities", backend, a:argmin(), 1)
                expect("argmax of infinities", backend, a:argmax(), 2)
                list[n], list[n // 2] = nan, nan
                a = harness.array(t, list)
                expect("argmin of NaNs", backend, a:argmin(), n // 2)
                expect("argmax of NaNs", backend, a:argmax(), n // 2)
                for k = 1, n do
                    list[k] = nan
                end
                a = harness.array(t, list)
                expect("min of NaNs alone", backend, a:min(), nan)
                expect("argmin of NaNs alone", backend, a:argmin(), 1)
                expect("mean of NaNs", backend, a:mean(), nan)
                expect("var of NaNs", backend, a:var(), nan)
            end)
        end)
    end
end)

-- ---------------------------------------------------------------- places

-- Lanes, blocks, chunks and their last elements; of several places the first counts.
local places = { { 1 }, { 2, 1 }, { 65, 64, 40000 }, { 129, 66 }, { 16384, 16320 }, { 16385, 16384 },
    { 16386, 16450 }, { 32769, 39999 }, { 39999, 40000 }, { 40000 } }

-- n elements x, but for y at some places.
local function packed(t, n, x, y, at)
    local rest, one = string.pack(t.format, x), string.pack(t.format, y)
    local bytes, parts, from = rest:rep(n), {}, 1
    table.sort(at)
    for i, k in ipairs(at) do
        parts[i] = bytes:sub(from, (k - 1) * t.size) .. one
        from = k * t.size + 1
    end
    return table.concat(parts) .. bytes:sub(from)
end

describe("the place of the first extreme element", function()
    local n = 40000
    for _, t in ipairs(dtypes.list) do
        it("of " .. t.name, function()
            local low, middle, high = 1, 2, 3
            if t.kind == "bool" then
                low, middle, high = 0, 1, 1
            elseif t.wide then -- bits
                low, middle, high = 0xc000, 0x3f00, 0x4000
            end
            on_each(t, places, function(backend, at)
                for _, name in ipairs { "argmin", "argmax" } do
                    local rest = t.kind == "bool" and name == "argmax" and low or middle
                    local a = harness.array(t, packed(t, n, rest, name == "argmin" and low or high, at))
                    local what = ("%s:%s() of one at %s"):format(t.name, name, table.concat(at, ", "))
                    expect(what, backend, a[name](a), at[1])
                    -- in a kernel with wider values, beside another reduction
                    local place, sum = lun.eval((a + a):lazy(name), a:cast("f64"):lazy "sum")
                    expect(what .. ", lazy", backend, place, at[1])
                    expect(what .. ", beside it the sum", backend, sum, a:sum() + 0.0)
                end
            end)
        end)
    end

    it("takes zeros of both signs for equal", function()
        on_each(dtypes.f32, { { 0.0, -0.0 }, { -0.0, 0.0 } }, function(backend, zeros)
            local list = {}
            for k = 1, 1000 do
                list[k] = k > 100 and zeros[k % 2 + 1] or 7.0
            end
            local a = harness.array(dtypes.f32, list)
            expect("argmin of zeros", backend, a:argmin(), 101)
            expect("argmax of zeros", backend, (-a:abs()):argmax(), 101)
        end)
    end)
end)

-- ---------------------------------------------------------------- numerical quality

-- Correct digits: the logarithm of the relative error (15 where there is none).
local function digits(got, want)
    return got == want and 15 or -math.log(math.abs(got - want) / math.abs(want), 10)
end

describe("mean and variance", function()
    -- NIST's StRD, univariate: NumAcc1 to NumAcc4; mean and standard deviation are known exactly.
    local function alternating(center, n)
        local list = { center }
        for i = 2, n do
            list[i] = i % 2 == 0 and center - 0.1 or center + 0.1
        end
        return list
    end
    local sets = {
        { "NumAcc1", { 10000001, 10000003, 10000002 }, 10000002, 1 },
        { "NumAcc2", alternating(1.2, 1001), 1.2, 0.1 },
        { "NumAcc3", alternating(1000000.2, 1001), 1000000.2, 0.1 },
        { "NumAcc4", alternating(10000000.2, 1001), 10000000.2, 0.1 },
    }
    for _, row in ipairs(sets) do
        it("of " .. row[1] .. " have their digits", function()
            for _, backend in ipairs(harness.backends) do
                lun.use(backend)
                local a = lun.vector(row[2], "f64")
                assert.is_true(digits(a:mean(), row[3]) >= 13, ("mean %.17g"):format(a:mean()))
                -- the elements themselves are rounded: 8 digits are what they leave of 0.1 in NumAcc4
                assert.is_true(digits(math.sqrt(a:var(1)), row[4]) >= 8, ("std %.17g"):format(math.sqrt(a:var(1))))
            end
        end)
    end

    it("of numbers far from zero lose nothing", function()
        local g = operands.generator(5)
        for _, offset in ipairs { 1e3, 1e6, 1e9 } do
            local list = {}
            for i = 1, 20000 do
                list[i] = offset + g.unit()
            end
            list[1] = offset - 100.0 -- no good guess of the mean
            local _, _, _, mean, deviation = libm.sums("f64", dtypes.pack(dtypes.f64, list))
            for _, backend in ipairs(harness.backends) do
                lun.use(backend)
                local a = lun.vector(list)
                assert.is_true(digits(a:mean(), mean) >= 15)
                assert.is_true(digits(a:var(), deviation / #list) >= 10, ("%g: %.17g"):format(offset, a:var()))
                assert.is_true(digits((a + 0.0):var(), deviation / #list) >= 10, ("%g, lazy"):format(offset))
            end
        end
    end)
end)

teardown(harness.report)
