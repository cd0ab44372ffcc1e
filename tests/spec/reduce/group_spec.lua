-- lun.group and what it is asked for, lun.join, reduceby, scanby against nested loops over plain lists: keys of every
-- dtype, several keys, texts, on every backend and any number of threads.
local lun = require "lunarray"
local expect = require "tests.spec.expect"

local NAN <const> = 0 / 0

local function generator(seed)
    local state = seed
    return function(n)
        state = (state * 6364136223846793005 + 1442695040888963407)
        return (state >> 33) % n
    end
end

-- ---------------------------------------------------------------- oracles

-- Whether keys are equal, and whether one stands before the other: zeros are one, NaNs are one, the last.
local function equal(a, b)
    return a == b or a ~= a and b ~= b
end

local function before(a, b)
    if type(a) == "boolean" then
        return not a and b
    end
    return a == a and (b ~= b or a < b)
end

-- The groups of rows by lists of keys: { keys = {...}, rows = {...} } each, ascending or as they first appear.
local function groups_of(keys, as_they_appear)
    local groups = {}
    for i = 1, #keys[1] do
        local found
        for _, g in ipairs(groups) do
            local same = true
            for k, key in ipairs(keys) do
                same = same and equal(g.keys[k], key[i])
            end
            if same then
                found = g
                break
            end
        end
        if not found then
            found = { keys = {}, rows = {} }
            for k, key in ipairs(keys) do
                found.keys[k] = key[i]
            end
            groups[#groups + 1] = found
        end
        table.insert(found.rows, i)
    end
    if not as_they_appear then
        table.sort(groups, function(a, b)
            for k = 1, #keys do
                if not equal(a.keys[k], b.keys[k]) then
                    return before(a.keys[k], b.keys[k])
                end
            end
            return false
        end)
    end
    return groups
end

-- f of the elements of x in each group.
local function each(groups, x, f)
    local out = {}
    for k, g in ipairs(groups) do
        local list = {}
        for i, row in ipairs(g.rows) do
            list[i] = x[row]
        end
        out[k] = f(list, g.rows)
    end
    return out
end

local function fold(f, first)
    return function(list)
        local sum = first
        for _, x in ipairs(list) do
            sum = f(sum, x)
        end
        return sum
    end
end

local add = function(a, b)
    return a + b
end

local ORACLES = {
    sum = fold(add, 0.0),
    prod = fold(function(a, b)
        return a * b
    end, 1.0),
    mean = function(list)
        return fold(add, 0.0)(list) / #list
    end,
    min = function(list)
        return fold(function(a, b)
            return (b ~= b or a ~= a) and NAN or math.min(a, b)
        end, list[1])(list)
    end,
    max = function(list)
        return fold(function(a, b)
            return (b ~= b or a ~= a) and NAN or math.max(a, b)
        end, list[1])(list)
    end,
    first = function(list)
        return list[1]
    end,
    last = function(list)
        return list[#list]
    end,
    any = function(list)
        for _, x in ipairs(list) do
            if x ~= 0 then
                return true
            end
        end
        return false
    end,
    all = function(list)
        for _, x in ipairs(list) do
            if x == 0 then
                return false
            end
        end
        return true
    end,
}

local function variance(ddof)
    return function(list)
        local mean, sum = ORACLES.mean(list), 0.0
        for _, x in ipairs(list) do
            sum = sum + (x - mean) * (x - mean)
        end
        return sum / math.max(#list - ddof, 0)
    end
end

local function quantile(q)
    return function(list)
        local numbers = {}
        for _, x in ipairs(list) do
            if x ~= x then
                return NAN
            end
            numbers[#numbers + 1] = x
        end
        table.sort(numbers)
        local place = (#numbers - 1) * q
        local low, high = numbers[place // 1 + 1], numbers[math.ceil(place) + 1]
        local part = place - place // 1
        return part < 0.5 and low + (high - low) * part or high - (high - low) * (1 - part)
    end
end

-- What is left of a list without its NaNs.
local function numbers_of(f)
    return function(list)
        local left = {}
        for _, x in ipairs(list) do
            left[#left + 1] = x == x and x or nil
        end
        return f(left)
    end
end

local function keys_of(groups, k)
    local out = {}
    for i, g in ipairs(groups) do
        out[i] = g.keys[k]
    end
    return out
end

-- ---------------------------------------------------------------- groups

describe("lun.group", function()
    it("numbers the groups of keys of every dtype, ascending or as they first appear", function()
        local random = generator(1)
        expect.everywhere(function()
            for _, dtype in ipairs { "bool", "i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64", "f32", "f64" } do
                for _, n in ipairs { 0, 1, 2, 300 } do
                    local list = {}
                    for i = 1, n do
                        local r = random(9)
                        list[i] = dtype == "bool" and r > 4
                            or dtype:find "f" and ({ 0.0, -0.0, NAN, 1.5, -2.5, 1 / 0, -1 / 0, 3.0, 1e10 })[r + 1]
                            or dtype ~= "bool" and r * (dtype == "i64" and 1000003 or 7) - (dtype:find "i" and 3 or 0)
                            or false
                    end
                    local keys = lun.vector(list, dtype)
                    for _, order in ipairs { false, "first" } do
                        local wanted = groups_of({ keys:totable() }, order)
                        local g = lun.group(keys, order and { order = order } or nil)
                        assert.equal(#wanted, #g)
                        local got = g:keys():totable()
                        local codes = g:codes():totable()
                        for k, group in ipairs(wanted) do
                            assert.is_true(equal(group.keys[1], got[k]))
                            assert.is_true(got[k] ~= 0 or not dtype:find "f" or 1 / got[k] > 0) -- no -0.0
                            expect.elements(group.rows, g:rows(k))
                            for _, row in ipairs(group.rows) do
                                assert.equal(k, codes[row])
                            end
                        end
                        assert.equal("i64", g:codes():dtype())
                    end
                end
            end
        end)
    end)

    it("takes u64 above 2^63, lists of texts, several keys", function()
        local big = lun.vector({ -1, 5, -2, -1 }, "i64"):cast "u64"
        expect.elements({ 2, 3, 1 }, lun.group(big):first(lun.vector { 3, 2, 1, 3 }) * 0 + lun.vector { 2, 3, 1 })
        expect.elements({ 3, 1, 2, 3 }, lun.group(big):codes())
        local random, texts, a, b = generator(2), {}, {}, {}
        for i = 1, 500 do
            texts[i] = ({ "b", "", "a", "ab", "\xff", "B" })[random(6) + 1]
            a[i] = random(4)
            b[i] = random(2) == 0 and NAN or random(3) * 0.5
        end
        local wanted = groups_of { texts, a, b }
        local g = lun.group(texts, lun.vector(a), lun.vector(b))
        local k1, k2, k3 = g:keys()
        assert.equal(#wanted, #g)
        assert.same(keys_of(wanted, 1), k1)
        expect.elements(keys_of(wanted, 2), k2)
        expect.elements(keys_of(wanted, 3), k3)
        expect.elements(each(wanted, a, function(list)
            return #list
        end), g:count())
        assert.equal(("group: %d groups of 500 rows"):format(#wanted), tostring(g))
    end)

    it("keeps what the keys were", function()
        local k = lun.vector { 1, 2, 1 }
        local g = lun.group(k)
        k[1] = 9
        expect.elements({ 1, 2 }, g:keys())
        expect.elements({ 1, 2, 1 }, g:codes())
    end)

    it("keeps groups without rows where levels are named", function()
        expect.everywhere(function()
            local codes, levels = lun.factor { "b", "d", "b" }
            local g = lun.group(codes, { levels = levels })
            assert.same({ "b", "d" }, g:keys())
            g = lun.group(lun.vector({ 2, 4, 2 }, "u8"), { levels = 5 })
            expect.elements({ 1, 2, 3, 4, 5 }, g:keys())
            expect.elements({ 0, 2, 0, 1, 0 }, g:count())
            local x = lun.vector { 1.0, 2.0, 4.0 }
            expect.elements({ 0.0, 5.0, 0.0, 2.0, 0.0 }, g:sum(x))
            expect.elements({ NAN, 2.5, NAN, 2.0, NAN }, g:mean(x))
            expect.elements({ NAN, 1.0, NAN, 2.0, NAN }, g:min(x))
            expect.elements({ NAN, 4.0, NAN, 2.0, NAN }, g:last(x))
            expect.elements({ NAN, 2.5, NAN, 2.0, NAN }, g:median(x))
            expect.elements({ -1.0, 4.0, -1.0, 1.0, -1.0 }, g:reduce(x, add, -1.0))
            expect.elements({ false, true, false, true, false }, g:any(x))
            expect.elements({ true, true, true, true, true }, g:all(x))
        end)
    end)
end)

-- ---------------------------------------------------------------- aggregates

describe("aggregates of groups", function()
    local function data(n, groups, seed, with_nan)
        local random, keys, x = generator(seed), {}, {}
        for i = 1, n do
            keys[i] = random(groups)
            x[i] = with_nan and random(5) == 0 and NAN or (random(2001) - 1000) / 64
        end
        return keys, x
    end

    it("are those of a loop over the rows", function()
        expect.everywhere(function()
            for _, n in ipairs { 1, 2, 100, 1000 } do
                for _, with_nan in ipairs { false, true } do
                    local keys, x = data(n, 7, n, with_nan)
                    local wanted, g = groups_of { keys }, lun.group(lun.vector(keys))
                    for name, f in pairs(ORACLES) do
                        expect.elements(each(wanted, x, f), g[name](g, lun.vector(x)))
                    end
                    expect.close(each(wanted, x, variance(0)), g:var(lun.vector(x)), 8)
                    expect.close(each(wanted, x, variance(1)), g:var(lun.vector(x), { ddof = 1 }), 8)
                    expect.close(each(wanted, x, variance(0)), g:std(lun.vector(x)) ^ 2, 16)
                    for _, q in ipairs { 0, 0.1, 0.5, 0.75, 1 } do
                        expect.elements(each(wanted, x, quantile(q)), g:quantile(lun.vector(x), q))
                    end
                    expect.elements(each(wanted, x, quantile(0.5)), g:median(lun.vector(x)))
                end
            end
        end)
    end)

    it("leave NaNs out where they are asked to", function()
        expect.everywhere(function()
            local keys, x = data(400, 60, 3, true)
            local wanted, g, v = groups_of { keys }, lun.group(lun.vector(keys)), lun.vector(x)
            local opts = { skipnan = true }
            for _, name in ipairs { "sum", "prod", "mean" } do
                expect.elements(each(wanted, x, numbers_of(ORACLES[name])), g[name](g, v, opts))
            end
            for _, name in ipairs { "min", "max", "first", "last" } do
                expect.elements(each(wanted, x, numbers_of(function(list)
                    return #list == 0 and NAN or ORACLES[name](list)
                end)), g[name](g, v, opts))
            end
            expect.close(each(wanted, x, numbers_of(variance(1))), g:var(v, { skipnan = true, ddof = 1 }), 8)
            expect.elements(each(wanted, x, numbers_of(function(list)
                return #list == 0 and NAN or quantile(0.5)(list)
            end)), g:median(v, opts))
        end)
    end)

    it("count rows, true elements and numbers", function()
        expect.everywhere(function()
            local g, x = lun.group(lun.vector { 1, 1, 2, 2, 2 }), lun.vector { 0.0, 3.0, 0 / 0, 0.0, 5.0 }
            expect.elements({ 2, 3 }, g:count())
            expect.elements({ 2, 2 }, g:numbers(x))
            expect.elements({ 2, 2 }, g:count(x, { skipnan = true }))
            expect.elements({ 1, 2 }, g:count(x))
            expect.elements({ 2, 3 }, g:numbers(x:fillnan(0):cast "i32"))
        end)
        local g = lun.group(lun.ones(3))
        expect.failure("bad argument #1 to 'numbers' (array expected, got nil)", g.numbers, g)
        expect.failure("group expected, got number", g.numbers, 1)
    end)

    it("have the dtypes of the table in the reference", function()
        local g = lun.group(lun.vector { 1, 2, 1 })
        for dtype, sum in pairs { bool = "i64", i8 = "i64", u8 = "u64", i32 = "i64", u64 = "u64", f32 = "f64", f64 = "f64" } do
            local x = lun.ones(3, dtype)
            assert.equal(sum, g:sum(x):dtype())
            assert.equal(sum, g:prod(x):dtype())
            assert.equal("f64", g:mean(x):dtype())
            assert.equal(dtype, g:min(x):dtype())
            assert.equal(dtype, g:first(x):dtype())
            assert.equal("bool", g:any(x):dtype())
            expect.elements({ 2.0, 1.0 }, g:sum(x) + 0.0)
        end
        local wide = lun.vector({ math.maxinteger, 5, 1 }, "i64")
        expect.elements({ math.mininteger, 5 }, g:sum(wide))
        expect.elements({ 2.0 ^ 62, 5.0 }, g:mean(wide))
        expect.elements({ 2, 0 }, g:count(lun.vector { 1.5, 0, NAN }))
        expect.elements({ 1, 1 }, g:count(lun.vector { 1.5, 0, NAN }, { skipnan = true }))
        expect.failure("unknown option 'ddof'", g.count, g, lun.vector { 1.5, 0, NAN }, { ddof = 1 })
    end)

    it("take lines of an array, lazy operands and windows", function()
        expect.everywhere(function()
            local g = lun.group(lun.vector { 2, 1, 2 })
            local A = lun.vector { { 1.0, 2.0 }, { 3.0, 4.0 }, { 5.0, NAN } }
            assert.same({ { 3.0, 4.0 }, { 6.0, 2.0 } }, g:sum(A, { skipnan = true }):totable())
            assert.same({ { 3.0, 4.0 }, { 3.0, 2.0 } }, g:mean(A, { skipnan = true }):totable())
            assert.same({ { 3.0, 4.0 }, { 1.0, 2.0 } }, g:first(A):totable())
            assert.same({ { 0.0, 0.0 }, { 4.0, 0.0 } }, g:var(A, { skipnan = true }):totable())
            assert.same({ { 6.0 }, { 12.0 } }, g:sum(A:sub({}, { 1, 1 }) * 2):totable())
            expect.elements({ 3.0, 6.0 }, g:sum(A:col(1)))
            assert.same({ 2, 2 }, { g:max(A):shape() })
            local cube = lun.index(12):reshape { 3, 2, 2 }
            assert.same({ { { 5, 6 }, { 7, 8 } }, { { 10, 12 }, { 14, 16 } } }, g:sum(cube):totable())
        end)
    end)

    it("have the same bits on any number of threads, of few groups and of many", function()
        local n, threads = 200003, lun.backends()
        assert.is_true(#threads > 0)
        for _, count in ipairs { 3, 5000, 9000, 20000 } do
            local codes = (lun.index(n) * 7919 % count + 1):cast "i32":eval()
            local x = lun.random(n, { seed = 4, dtype = "f64" }):eval()
            local g = lun.group(codes, { levels = count })
            local sums = g:sum(x):totable()
            local part, want = ({ [9000] = 131072, [20000] = 262144 })[count] or 65536, {}
            for k = 1, count do
                want[k] = 0.0
            end
            local c, values = codes:totable(), x:totable()
            for from = 1, n, part do
                local own = {}
                for i = from, math.min(n, from + part - 1) do
                    own[c[i]] = (own[c[i]] or 0.0) + values[i]
                end
                for k, sum in pairs(own) do
                    want[k] = want[k] + sum
                end
            end
            assert.same(want, sums)
        end
    end)

    it("that are evaluated together are those of a loop too, however many there are", function()
        expect.everywhere(function()
            for _, case in ipairs { { 1, 1 }, { 63, 5 }, { 1000, 7 }, { 1000, 9000 } } do
                local n, count = table.unpack(case)
                local keys, x = data(n, count, n, false)
                local wanted, g, v = groups_of { keys }, lun.group(lun.vector(keys)), lun.vector(x)
                local narrow, odd, lists, handles = v:cast "f32", v:gt(1), {}, {}
                for _, name in ipairs { "sum", "min", "max", "first", "last" } do
                    for _, column in ipairs { v, narrow, v * 2, -v } do
                        handles[#handles + 1] = g[name](g, column)
                        local factor = column == v and 1 or column == narrow and 1 or nil
                        lists[#lists + 1] = { name, factor or (#handles % 4 == 3 and 2.0 or -1.0) }
                    end
                end
                handles[#handles + 1], lists[#lists + 1] = g:any(odd), { "any" }
                local results = { lun.eval(table.unpack(handles)) }
                for k, what in ipairs(lists) do
                    local list = {}
                    for i = 1, n do
                        list[i] = what[2] and x[i] * what[2] or x[i] > 1 and 1 or 0
                    end
                    expect.elements(each(wanted, list, ORACLES[what[1]]), results[k])
                end
            end
        end)
    end)

    it("have the bits of each alone when they share a pass over many rows", function()
        local n = 200003
        local g = lun.group((lun.index(n) * 7919 % 5000 + 1):cast "i32":eval(), { levels = 5000 })
        local x, y = lun.random(n, { seed = 4, dtype = "f64" }):eval(), lun.random(n, { seed = 5 }):eval()
        local function makers()
            return { g:sum(x), g:mean(y), g:var(x), g:min(y), g:max(x), g:prod(y), g:last(x), g:sum(y, { skipnan = true }) }
        end
        for k, together in ipairs { lun.eval(table.unpack(makers())) } do
            assert.equal(makers()[k]:eval():tobytes(), together:tobytes())
        end
    end)

    it("wait, and share what they have in common", function()
        local g, x = lun.group(lun.vector { 1, 2, 1 }), lun.vector { 1.0, 2.0, 4.0 }
        local sum, mean = g:sum(x), g:mean(x)
        lun.stats "reset"
        lun.eval(sum, mean)
        assert.equal(2, lun.stats().algorithms) -- sums and counts
        expect.elements({ 2.5, 2.0 }, mean)
    end)
end)

-- ---------------------------------------------------------------- functions

describe("functions of groups and runs", function()
    local keys, x = {}, {}
    local random = generator(5)
    for i = 1, 300 do
        keys[i], x[i] = random(4), random(100) / 8
    end
    local function mix(a, b)
        return a / 2 + b
    end

    it("g:reduce and g:scan take the rows in their order", function()
        expect.everywhere(function()
            local g, v = lun.group(lun.vector(keys)), lun.vector(x)
            local wanted = groups_of { keys }
            expect.elements(each(wanted, x, fold(mix, 0.5)), g:reduce(v, mix, 0.5))
            expect.elements(each(wanted, x, fold(add, 0.0)), g:reduce(v, "+", 0.0))
            expect.elements(each(wanted, x, fold(math.max, 3.0)), g:reduce(v, "max", 3.0))
            for _, inclusive in ipairs { true, false } do
                local want = {}
                for _, group in ipairs(wanted) do
                    local sum = 0.5
                    for _, row in ipairs(group.rows) do
                        local old = sum
                        sum = mix(sum, x[row])
                        want[row] = inclusive and sum or old
                    end
                end
                expect.elements(want, g:scan(v, mix, 0.5, { inclusive = inclusive }))
            end
        end)
    end)

    it("reduceby and scanby take runs of equal neighbours", function()
        expect.everywhere(function()
            local k = { 1.0, 1.0, 0.0, -0.0, NAN, NAN, 1.0 }
            local v = lun.vector { 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0 }
            local runs, sums = v:reduceby(lun.vector(k), "+", 0.0)
            expect.elements({ 3.0, 7.0, 11.0, 7.0 }, sums)
            assert.equal(4, #runs)
            assert.same({ "a", "b", "a" }, (lun.index(4):reduceby({ "a", "b", "b", "a" }, "+", 0)))
            expect.elements({ 1.0, 3.0, 3.0, 7.0, 5.0, 11.0, 7.0 }, v:scanby(lun.vector(k), "+", 0.0))
            expect.elements({ 0.0, 1.0, 0.0, 3.0, 0.0, 5.0, 0.0 },
                v:scanby(lun.vector(k), "+", 0.0, { inclusive = false }))
            for _, n in ipairs { 0, 1, 2 } do
                local some = lun.index(n)
                local got, sum = some:reduceby(some * 0, "+", 0)
                assert.equal(math.min(n, 1), #got)
                assert.equal(math.min(n, 1), #sum)
                assert.equal(n, #some:scanby(some * 0, "+", 0))
            end
        end)
    end)
end)

-- ---------------------------------------------------------------- joins

describe("lun.join", function()
    local function pairs_of(a, b, left)
        local i_of, j_of = {}, {}
        for i = 1, #a[1] do
            local found
            for j = 1, #b[1] do
                local same = true
                for k = 1, #a do
                    same = same and equal(a[k][i], b[k][j])
                end
                if same then
                    i_of[#i_of + 1], j_of[#j_of + 1] = i, j
                    found = true
                end
            end
            if left and not found then
                i_of[#i_of + 1], j_of[#j_of + 1] = i, 0
            end
        end
        return i_of, j_of
    end

    it("gives the pairs of a nested loop", function()
        local random = generator(6)
        expect.everywhere(function()
            for _, sizes in ipairs { { 0, 0 }, { 0, 3 }, { 3, 0 }, { 1, 1 }, { 60, 40 }, { 7, 200 } } do
                local a, b = { {}, {}, {} }, { {}, {}, {} }
                for side, t in ipairs { a, b } do
                    for i = 1, sizes[side] do
                        t[1][i] = random(12) == 0 and NAN or random(8) * 0.5
                        t[2][i] = random(3) * 1000003
                        t[3][i] = ({ "x", "y" })[random(2) + 1]
                    end
                end
                local function vectors(t)
                    return lun.vector(t[1], "f64"), lun.vector(t[2], "i64"), t[3]
                end
                for _, how in ipairs { "inner", "left" } do
                    local i, j = lun.join({ vectors(a) }, { vectors(b) }, how)
                    local want_i, want_j = pairs_of(a, b, how == "left")
                    expect.elements(want_i, i)
                    expect.elements(want_j, j)
                    i, j = lun.join((vectors(a)), (vectors(b)), how)
                    want_i, want_j = pairs_of({ a[1] }, { b[1] }, how == "left")
                    expect.elements(want_i, i)
                    expect.elements(want_j, j)
                    i = lun.join(a[3], b[3], how)
                    expect.elements((pairs_of({ a[3] }, { b[3] }, how == "left")), i)
                end
            end
        end)
    end)

    it("compares keys of different integers and of different floats", function()
        local i, j = lun.join(lun.vector({ 200, 3 }, "u8"), lun.vector({ 3, -56, 200 }, "i32"))
        expect.elements({ 1, 2 }, i)
        expect.elements({ 3, 1 }, j)
    end)

    it("fits take, for columns side by side", function()
        local i, j = lun.join({ "fig", "plum" }, { "pear", "fig" }, "left")
        expect.elements({ 1, 2 }, i)
        expect.elements({ 9.0, NAN }, lun.vector { 1.5, 9 }:take(j, { missing = NAN }))
    end)
end)

describe("memory for groups", function()
    it("is in proportion to how far keys are apart or how many are different, not to what a sort needs", function()
        local n = 4000000
        local i = lun.index(n)
        for _, row in ipairs { { 3, 1, 5 }, { 20000, 1000003, 7 }, { n, 1, 11 } } do
            local keys = (i % row[1] * row[2]):eval()
            collectgarbage()
            lun.stats "reset"
            local used = lun.stats().allocated
            local g = lun.group(keys)
            assert.equal(row[1], #g)
            assert.is_true(lun.stats().peak - used < row[3] * n, (lun.stats().peak - used) / n)
        end
    end)
end)

-- ---------------------------------------------------------------- wrong calls

describe("groups and joins called wrongly", function()
    local x = lun.vector { 1.0, 2.0, 3.0 }
    local g = lun.group(lun.vector { 1, 2, 1 })

    it("say what is wrong with keys", function()
        expect.failure("bad argument #1 to 'group' (Vector or list of texts expected, got no value)", lun.group)
        expect.failure("bad argument #1 to 'group' (Vector or list of texts expected, got number)", lun.group, 5)
        expect.failure("bad argument #2 to 'group' (lengths differ: keys f64[3] and i64[4])", lun.group, x, lun.index(4))
        expect.failure("bad argument #1 to 'group' (keys are Vectors, got f64[1, 2])", lun.group, lun.ones(1, 2))
        expect.failure("element 2 is a number, where a text was expected", lun.group, { "a", 2 })
        expect.failure("bad argument #2 to 'group' (option 'order': \"first\" expected)", lun.group, x, { order = "up" })
        expect.failure("(unknown option 'sorted': the options are dropna, levels, order)", lun.group, x, { sorted = true })
        expect.failure("code 9 is out of range: there are 3 groups", lun.group, lun.vector({ 1, 9 }, "i32"), { levels = 3 })
        expect.failure("code 0 is out of range: there are 3 groups", lun.group, lun.vector({ 1, 0 }, "i32"), { levels = 3 })
        expect.failure("codes are integers, got f64", lun.group, x, { levels = 3 })
    end)

    it("say what is wrong with what a group is asked for", function()
        expect.failure("bad argument #1 to 'sum' (lengths differ: i64[4] and groups of 3 rows)", g.sum, g, lun.index(4))
        expect.failure("bad argument #1 to 'sum' (array expected, got nil)", g.sum, g)
        expect.failure("bad argument #2 to 'sum' (unknown option 'ddof': the options are skipna, skipnan)", g.sum, g, x, { ddof = 1 })
        expect.failure("option 'ddof': number from 0 on expected, got table", g.var, g, x, { ddof = {} })
        expect.failure("bad argument #1 to 'rows' (group 3 is out of range: there are 2)", g.rows, g, 3)
        expect.failure("number from 0 to 1 expected, got 1.5", g.quantile, g, x, 1.5)
        expect.failure("identity expected, a number or a boolean, got nil", g.reduce, g, x, "+")
        expect.failure('function or one of "+" "*" "min" "max" "&" "|" "~" expected, got string', g.reduce, g, x, "-", 0)
        expect.failure("group expected, got table", g.sum, {}, x)
        local gaps = lun.group(lun.vector({ 1, 3 }, "i32"), { levels = 3 })
        expect.failure("group 2 has no rows: the least of integers has no result there", gaps.min, gaps, lun.index(2))
        expect.failure("group 2 has no rows: the first of integers has no result there", gaps.first, gaps, lun.index(2))
    end)

    it("say what is wrong with joins, also with those that are too large", function()
        expect.failure("bad argument #2 to 'join' (2 keys on one side and 1 on the other)",
            function() lun.join({ x, x }, x) end)
        expect.failure("bad argument #2 to 'join' (key 1 is a Vector f64[3] on one side and table on the other)",
            function() lun.join(x, { "a" }) end)
        expect.failure("bad argument #3 to 'join' (\"inner\" or \"left\" expected, got outer)", lun.join, x, x, "outer")
        expect.failure("keys of f64 and i64 are not compared", lun.join, x, lun.index(3))
        local many = lun.zeros(2000000, "u8")
        local wrong = expect.failure("memory", lun.join, many, many) -- 4 * 10^12 pairs
        assert.is_true(tostring(wrong):find "4000000000000" ~= nil)
        expect.failure("bad argument #1 to 'reduceby' (lengths differ: f64[3] and keys i64[2])",
            x.reduceby, x, lun.index(2), "+", 0)
    end)
end)
