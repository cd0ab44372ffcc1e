-- sort, argsort, topk, unique against plain Lua's table.sort made stable by places: every dtype, both directions, axes,
-- ties, NaN, zeros of both signs, on every backend and any number of threads.
local lun = require "lunarray"
local expect = require "tests.spec.expect"
local shell = require "shell"

local DTYPES = { "bool", "i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64", "f32", "f64", "f16", "bf16" }

local function generator(seed)
    local state = seed
    return function(n)
        state = state * 6364136223846793005 + 1442695040888963407
        return (state >> 33) % n
    end
end

local function is_nan(x)
    return x ~= x
end

-- Whether x comes before y: negative, zero or positive as in C. Integers of u64 above 2^63 are floats here.
local function order(x, y)
    if type(x) == "boolean" then
        x, y = x and 1 or 0, y and 1 or 0
    end
    if is_nan(x) or is_nan(y) then
        return (is_nan(x) and 1 or 0) - (is_nan(y) and 1 or 0), true
    end
    if x ~= y then
        return x < y and -1 or 1
    end
    if x == 0 and math.type(x) == "float" then
        return (1 / x < 0 and 0 or 1) - (1 / y < 0 and 0 or 1)
    end
    return 0
end

-- The places, from 1, of the values in order.
local function places_of(values, descending)
    local places = {}
    for i = 1, #values do
        places[i] = i
    end
    table.sort(places, function(i, j)
        local c, nan = order(values[i], values[j])
        if descending and not nan then
            c = -c
        end
        return c < 0 or c == 0 and i < j
    end)
    return places
end

local function at(values, places)
    local out = {}
    for i, place in ipairs(places) do
        out[i] = values[place]
    end
    return out
end

-- Random values of a dtype as a script has them; kinds: few different ones, all, equal, in order, falling.
local function values_of(random, dtype, n, kind)
    local out, float = {}, dtype:find "f" ~= nil
    for i = 1, n do
        local x = ({
            few = random(5) - 2, any = random(1 << 31) - (1 << 30), equal = 7, up = i // 2, down = (n - i) // 3,
        })[kind]
        if dtype == "bool" then
            x = x % 2 == 0
        elseif float then
            x = x / 4
            if kind == "few" then
                x = ({ 0.0, -0.0, 0 / 0, 1.5, -1 / 0 })[random(5) + 1]
            end
        elseif dtype:sub(1, 1) == "u" then
            x = math.abs(x) & ((1 << math.min(tonumber(dtype:sub(2)), 62)) - 1)
        else
            local bits = tonumber(dtype:sub(2))
            x = bits < 64 and (x & ((1 << bits) - 1)) - (1 << (bits - 1)) or x
        end
        out[i] = x
    end
    return out
end

local function same(wanted, array)
    expect.elements(wanted, array)
    local got = array:totable()
    for i, x in ipairs(wanted) do
        assert(x ~= 0 or math.type(x) ~= "float" or 1 / x == 1 / got[i], "a zero of the other sign at " .. i)
    end
end

local KINDS = { "few", "any", "equal", "up", "down" }

describe("a:sort() and a:argsort()", function()
    it("are those of plain Lua, for every dtype, length and direction", function()
        local random = generator(3)
        expect.everywhere(function()
            for _, dtype in ipairs(DTYPES) do
                for _, n in ipairs { 0, 1, 2, 25, 100, 400 } do
                    local kind = KINDS[random(#KINDS) + 1]
                    local a = lun.vector(values_of(random, dtype, n, kind), dtype)
                    local values = a:totable()
                    for _, descending in ipairs { false, true } do
                        local places = places_of(values, descending)
                        same(at(values, places), a:sort { descending = descending })
                        expect.elements(places, a:argsort { descending = descending })
                    end
                    assert.equal(dtype, a:sort():dtype())
                    assert.equal("i64", a:argsort():dtype())
                end
            end
        end)
    end)

    it("are right for more elements than a cache holds", function()
        local random, n = generator(11), os.getenv "TEST_WHOLE" and 150001 or 70001
        for i, dtype in ipairs { "i32", "f64" } do
            local a = lun.vector(values_of(random, dtype, n, KINDS[i]), dtype)
            local values, options = a:totable(), { descending = i % 2 == 0 }
            local places = places_of(values, options.descending)
            same(at(values, places), a:sort(options))
            expect.elements(places, a:argsort(options))
        end
    end)

    it("of 16 bits are right in lines that all threads could share", function()
        for i, dtype in ipairs { "i16", "u16", "f16", "bf16" } do
            local n = ({ 16385, 20000, 32767, 32768 })[i]
            local a = (lun.random(n, { seed = i }) * 30000):cast(dtype):eval()
            local list = a:totable()
            table.sort(list)
            expect.elements(list, a:sort())
            local values, counts = a:unique()
            assert.equal(n, counts:sum())
            for k = 2, #values, 97 do
                assert.is_true(values[k - 1] < values[k])
            end
        end
    end)

    it("tells few values apart in memory that does not grow with the elements", function()
        local n = 8000000
        for _, set in ipairs { "openmp", "reference", "openmp/2" } do
            lun.use(set)
            for _, dtype in ipairs(set == "openmp" and { "i64", "f32", "u8" } or { "f32" }) do
                local x = (lun.index(n) % 3):cast(dtype):eval()
                collectgarbage()
                lun.stats "reset"
                local before = lun.stats().allocated
                local values, counts = x:unique()
                assert.same({ 0, 1, 2 }, values:totable())
                assert.same({ 2666666, 2666667, 2666667 }, counts:totable())
                assert.is_true(lun.stats().peak - before < 6 * n, (lun.stats().peak - before) / n)
            end
        end
        lun.use "openmp"
    end)

    it("have the same bits on 1 to 8 threads and every backend", function()
        local path = shell.write(os.tmpname(), [[
            local lun = require "lunarray"
            local out = {}
            for _, dtype in ipairs { "i32", "f64", "u8", "i16", "f32", "u64", "f16" } do
                for _, range in ipairs { 30, 1e9 } do
                    local x = lun.random(150001, { seed = 5, dtype = "f64" }) * range
                    local a = lun.where(x:lt(range * 0.1), x * 0 - 1 / 0, x / 3):cast(dtype)
                    out[#out + 1] = a:sort():tobytes()
                    out[#out + 1] = a:argsort { descending = true }:tobytes()
                    local values, counts = a:unique()
                    out[#out + 1] = values:tobytes() .. counts:tobytes()
                end
            end
            local all, h = table.concat(out), 0
            for i = 1, #all - 8, 8 do h = (h ~ string.unpack("<i8", all, i)) * 0x100000001b3 end
            print(#all, string.format("%016x", h))]])
        expect.same_bits(path)
        os.remove(path)
    end)

    it("take an axis, windows and what waits", function()
        local random = generator(5)
        expect.everywhere(function()
            local a = lun.vector(values_of(random, "i32", 60, "few"), "i32"):reshape(3, 4, 5)
            for _, b in ipairs { a, a * 2, a:transpose(), a:sub({}, { 4, 1, -1 }, { 2, 4 }), a:copy { layout = "left" } } do
                for axis = 1, 3 do
                    for _, descending in ipairs { false, true } do
                        local options = { axis = axis, descending = descending }
                        local sorted, places = b:sort(options), b:argsort(options)
                        local shape = { b:shape() }
                        assert.same(shape, { sorted:shape() })
                        for i = 1, shape[axis % 3 + 1] do
                            for j = 1, shape[(axis + 1) % 3 + 1] do
                                local where = {}
                                where[axis], where[axis % 3 + 1], where[(axis + 1) % 3 + 1] = {}, { i, i }, { j, j }
                                local line = b:sub(where[1], where[2], where[3]):flatten():totable()
                                local wanted = places_of(line, descending)
                                expect.elements(wanted, places:sub(where[1], where[2], where[3]):flatten())
                                expect.elements(at(line, wanted), sorted:sub(where[1], where[2], where[3]):flatten())
                            end
                        end
                    end
                end
                expect.elements(b:sort({ axis = 3 }):flatten():totable(), b:sort():flatten())
                expect.elements(b:sort({ axis = -2 }):flatten():totable(), b:sort({ axis = 2 }):flatten())
            end
            assert.same({ 2, 0, 3 }, { lun.zeros { 2, 0, 3 }:sort({ axis = 2 }):shape() })
        end)
    end)

    it("go on in expressions and keep NaNs and u64", function()
        expect.everywhere(function()
            local a = lun.vector { 3, 0 / 0, 1, 2 }
            expect.elements({ 2.0, 3.0, 4.0, 0 / 0 }, a:sort() + 1)
            expect.elements({ 1.0, 2.0, 3.0, 0 / 0 }, a:take(a:argsort()))
            expect.elements({ 1, 2, math.maxinteger, math.mininteger, -1 },
                lun.vector({ math.mininteger, 2, -1, math.maxinteger, 1 }, "i64"):cast "u64":sort():cast "i64")
        end)
    end)
end)

describe("a:topk(k)", function()
    -- The k first by plain Lua: an element stands before those that are equal and come later.
    local function best(values, k, before)
        local list = {}
        for i, x in ipairs(values) do
            local to = #list + 1
            while to > 1 and before(x, values[list[to - 1]]) do to = to - 1 end
            if to <= k then
                table.insert(list, to, i)
                list[k + 1] = nil
            end
        end
        return list
    end

    it("of many takes memory for some, whatever the elements are #place", function()
        local n, k = 1 << 22, 5
        local index = lun.index(n)
        local lines = {
            distinct = (index * 48271 % 2147483647):eval(), -- all different
            few = (index % 7):cast("f64"):eval(),
            same = lun.full(n, 3, "i16"):copy(),
            rising = index:cast("f32"):eval(),
            nans = lun.where((index % 3):eq(0), index % 5 / 1, 0 / 0):eval(),
            small = (index % 200):cast("u8"):eval(),
        }
        if not os.getenv "TEST_WHOLE" then lines = { distinct = lines.distinct, nans = lines.nans, few = lines.few } end
        for name, a in pairs(lines) do
            local values = a:totable()
            for _, smallest in ipairs { true, false } do
                local function before(x, y)
                    if y ~= y then return x == x end
                    if smallest then return x < y end
                    return x > y
                end
                collectgarbage()
                lun.stats "reset"
                local held = lun.stats().allocated
                local top, places = a:topk(k, { smallest = smallest })
                lun.eval(top, places)
                assert(lun.stats().peak - held < 10 * n, name .. " takes much memory")
                local want = best(values, k, before)
                assert.same(want, places:totable(), name)
                for i = 1, k do assert.equal(values[want[i]], top[i], name) end
            end
        end
        local some = 100000 -- more than selecting from a part of the line has room for
        local top, places = lines.few:topk(some)
        expect.elements(lun.index(some):map(function(i) return 7 * i - 1 end):totable(), places)
        assert.equal(6.0 * some, top:sum())
    end)

    it("gives the largest or the smallest, and where they stand", function()
        local random = generator(23)
        expect.everywhere(function()
            for _, dtype in ipairs(DTYPES) do
                for _, kind in ipairs(KINDS) do
                    local a = lun.vector(values_of(random, dtype, 60, kind), dtype)
                    local values = a:totable()
                    for _, k in ipairs { 0, 1, 7, 60, 100 } do
                        for _, smallest in ipairs { false, true } do
                            local wanted = places_of(values, not smallest)
                            local first = table.move(wanted, 1, math.min(k, 60), 1, {})
                            local top, places = a:topk(k, { smallest = smallest })
                            expect.elements(first, places)
                            same(at(values, first), top)
                        end
                    end
                end
            end
        end)
    end)
end)

describe("a:unique()", function()
    it("gives the different values and their counts", function()
        local random = generator(29)
        expect.everywhere(function()
            for _, dtype in ipairs(DTYPES) do
                for _, kind in ipairs(KINDS) do
                    local a = lun.vector(values_of(random, dtype, 200, kind), dtype)
                    local values, wanted, counts = a:totable(), {}, {}
                    for _, place in ipairs(places_of(values)) do
                        local x, last = values[place], wanted[#wanted]
                        if #wanted > 0 and (x == last or is_nan(x) and is_nan(last)) then
                            counts[#counts] = counts[#counts] + 1
                        else
                            wanted[#wanted + 1], counts[#counts + 1] = x == 0 and math.abs(x) or x, 1
                        end
                    end
                    local got, how_many = a:unique()
                    same(wanted, got)
                    expect.elements(counts, how_many)
                end
            end
            local none, counts = lun.vector({}, "f32"):unique()
            assert.same({ 0, 0 }, { #none, #counts })
            assert.equal(3, #lun.vector { { 1, 2 }, { 3, 1 } }:unique())
        end)
    end)
end)

describe("wrong calls of sort and its like", function()
    it("say what is wrong", function()
        local a, m = lun.vector { 1, 2 }, lun.zeros { 2, 2 }
        expect.failure("bad argument #2 to 'sort' (axis 2 is out of range: a Vector i64[2] has 1)", a.sort, a, { axis = 2 })
        expect.failure("unknown option 'axs': the options are axis, descending", a.argsort, a, { axs = 1 })
        expect.failure("option axis: one axis expected, got several", m.sort, m, { axis = { 1, 2 } })
        expect.failure("option descending: true or false expected, got 1", a.sort, a, { descending = 1 })
        expect.failure("bad argument #1 to 'topk' (a Vector expected, got f64[2, 2])", m.topk, m, 1)
        expect.failure("bad argument #2 to 'topk' (the number of elements is negative: -1)", a.topk, a, -1)
        expect.failure("the only option is smallest", a.topk, a, 1, { largest = true })
        expect.failure("array expected", lun.unique, 5)
        expect.failure("array expected", lun.sort, { 1, 2 })
    end)
end)
