-- Integers beside integers of other dtypes and beside numbers: compared by value, never by way of a dtype that does not
-- hold them; and elements of u64, which Lua holds by their bits. The oracle is Lua's own comparison and math.ult.
local lun = require "lunarray"
local expect = require "expect"

local DTYPES <const> = { "i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64" }

-- The ends of a dtype and what lies near 0; of u64 the Lua integers with the same bits.
local function values(t)
    local bits = tonumber(t:sub(2))
    local low = t:sub(1, 1) == "i" and math.mininteger >> (64 - bits) | (bits < 64 and -1 << (bits - 1) or 0) or 0
    local high = t == "u64" and -1 or t == "i64" and math.maxinteger or t:sub(1, 1) == "i" and (1 << (bits - 1)) - 1
        or (1 << bits) - 1
    local list = { low, high, 0, 1, 7, 100 }
    if t:sub(1, 1) == "i" then
        table.move({ -1, -7, low + 1 }, 1, 3, #list + 1, list)
    elseif t == "u64" then
        table.move({ math.mininteger, math.maxinteger, -2, -7 }, 1, 4, #list + 1, list)
    end
    return list
end

-- Whether the integer x of dtype t is less than y of dtype u.
local function less(x, t, y, u)
    local big_x, big_y = t == "u64" and x < 0, u == "u64" and y < 0
    if big_x ~= big_y then
        return big_y
    end
    return x < y
end

local comparisons = {
    lt = function(is_less, is_more) return is_less and not is_more end,
    le = function(_, is_more) return not is_more end,
    gt = function(is_less, is_more) return is_more and not is_less end,
    ge = function(is_less) return not is_less end,
    eq = function(is_less, is_more) return not is_less and not is_more end,
    ne = function(is_less, is_more) return is_less or is_more end,
}

-- Each value of t beside each of u.
local function pairs_of(t, u)
    local x, y = {}, {}
    for _, a in ipairs(values(t)) do
        for _, b in ipairs(values(u)) do
            x[#x + 1], y[#y + 1] = a, b
        end
    end
    return x, y
end

local function is_mixed(t, u)
    return t == "u64" and u:find "^i" ~= nil or u == "u64" and t:find "^i" ~= nil
end

local MIXED <const> = "u64 and i%d+ have no common integer dtype: cast one of them, as a:cast 'i64' or b:cast 'u64'"

local function refused(f, ...)
    local args = table.pack(...)
    local ok, message = pcall(function()
        local unused = f(table.unpack(args, 1, args.n))
        return unused
    end)
    assert.is_false(ok)
    assert.matches(MIXED, message)
    assert.matches("integers_spec.lua:%d+: bad argument", message)
end

-- Expressions on the host's backends: tells(add) names them with what they give; all are evaluated as few kernels.
local function everywhere(tells)
    for _, backend in ipairs { "reference", "openmp" } do
        lun.use(backend)
        local made, wanted = {}, {}
        tells(function(e, list, what)
            made[#made + 1], wanted[#made + 1] = e, { list, what }
        end)
        lun.eval(table.unpack(made))
        for k, e in ipairs(made) do
            assert.same(wanted[k][1], e:totable(), wanted[k][2])
        end
    end
end

describe("integers of two dtypes", function()
    it("compare by value", function()
        for _, t in ipairs(DTYPES) do
            everywhere(function(add)
                for _, u in ipairs(DTYPES) do
                    local x, y = pairs_of(t, u)
                    local a, b = lun.vector(x, t), lun.vector(y, u)
                    for name, says in pairs(comparisons) do
                        local wanted = {}
                        for k = 1, #x do
                            wanted[k] = says(less(x[k], t, y[k], u), less(y[k], u, x[k], t))
                        end
                        assert.equal("bool", lun[name](a, b):dtype())
                        add(lun[name](a, b), wanted, ("%s of %s and %s"):format(name, t, u))
                        add(lun.zip(name)(a, b), wanted, "zip")
                    end
                end
            end)
        end
    end)

    it("are picked by value, as a dtype that holds what is picked", function()
        for _, t in ipairs(DTYPES) do
            everywhere(function(add)
                for _, u in ipairs(DTYPES) do
                    local x, y = pairs_of(t, u)
                    local a, b, least, most = lun.vector(x, t), lun.vector(y, u), {}, {}
                    for k = 1, #x do
                        local first = less(x[k], t, y[k], u)
                        least[k], most[k] = first and x[k] or y[k], first and y[k] or x[k]
                    end
                    for _, low in ipairs { lun.min(a, b), lun.fmin(a, b) } do
                        add(low, least, t .. " min " .. u)
                        assert.is_true(not is_mixed(t, u) or low:dtype() == "i64")
                    end
                    for _, high in ipairs { lun.max(a, b), lun.fmax(a, b) } do
                        add(high, most, t .. " max " .. u)
                        assert.is_true(not is_mixed(t, u) or high:dtype() == "u64")
                    end
                end
            end)
        end
    end)

    it("limit each other", function()
        local u, i = lun.vector({ -1, 5, 0, -2 }, "u64"), lun.vector { -1, 7, -3, 9 }
        expect.everywhere(function()
            local low, high = lun.vector { -5, 6, 1, 0 }, lun.vector { 3, 8, 1, math.maxinteger }
            assert.same({ { 3, 6, 1, math.maxinteger }, "i64" }, { u:clamp(low, high):totable(), u:clamp(low, high):dtype() })
            assert.same({ { -1, 6, 1, -2 }, "u64" }, { u:clamp(low, u:max(-1)):totable(), u:clamp(low, u):dtype() })
            low = lun.vector { -5, 4, -9, 0 }
            assert.same({ { -1, 5, -3, 9 }, "i64" }, { i:clamp(low, u):totable(), i:clamp(low, u):dtype() })
            assert.same({ -1, 7, 0, -2 }, i:clamp(u, u:max(-1)):totable())
        end)
    end)

    it("without a common dtype are refused by arithmetic, with the cast to write", function()
        local u, i = lun.vector({ -1, 5 }, "u64"), lun.vector({ 3, -7 }, "i64")
        for _, op in ipairs { "add", "sub", "mul", "idiv", "mod", "band", "bor", "bxor", "shl", "shr", "fillnan" } do
            for _, t in ipairs { "i8", "i16", "i32", "i64" } do
                refused(lun[op], u, i:cast(t))
            end
        end
        refused(lun.where, u:gt(0), u, i)
        refused(function() return u .. i end)
        refused(lun.concat, { u, lun.vector({ 1 }, "u8"), i })
        refused(lun.stack, { u, i })
        refused(u.dot, u, i)
        refused(lun.zip "+", u, i)
        local m = lun.vector({ { 1, 2 }, { 3, 4 } }, "u64")
        refused(m.matmul, m, i)
        refused(m.matmul, m, m:cast "i64")
        expect.failure("i64 and u64 have no common integer dtype: cast one of them, as a:cast 'u64' or b:cast 'i64'",
            lun.add, i, u)
        expect.elements({ 2, -2 }, u:cast "i64" + i)
        expect.elements({ 2, -2 }, u + i:cast "u64")
        assert.same({ "f64", "f64", "f64" }, { (u / i):dtype(), (u * 1.5):dtype(), lun.concat({ u, i, u:cast "f64" }):dtype() })
        assert.same({ "u64", "u64" }, { (u + lun.vector({ 1, 2 }, "u8")):dtype(), (u + u:gt(0)):dtype() })
    end)

    it("are found and joined by value", function()
        expect.everywhere(function()
            local u = lun.vector({ 0, 5, math.maxinteger, math.mininteger, -1, -1 }, "u64")
            local i = lun.vector { math.mininteger, -1, -1, 0, 5, math.maxinteger }
            assert.same({ 1, 1, 1, 1, 2, 3 }, u:searchsorted(i):totable())
            assert.same({ 1, 1, 1, 2, 3, 4 }, u:searchsorted(i, { side = "right" }):totable())
            assert.same({ 4, 5, 6, 7, 7, 7 }, i:searchsorted(u):totable())
            assert.same({ 5, 6, 7, 7, 7, 7 }, i:searchsorted(u, { side = "right" }):totable())
            assert.same({ 1, 1, 2 }, u:searchsorted(lun.vector({ -128, -1, 3 }, "i8")):totable())
            local a, b = lun.join(u, i)
            assert.same({ { 1, 2, 3 }, { 4, 5, 6 } }, { a:totable(), b:totable() })
            a, b = lun.join(i, u, "left")
            assert.same({ { 1, 2, 3, 4, 5, 6 }, { 0, 0, 0, 1, 2, 3 } }, { a:totable(), b:totable() })
            a, b = lun.join({ lun.vector({ -1, 1, 1 }, "i8"), u:sub(1, 3) }, { lun.vector({ -1, 1, 1 }, "u64"), i:sub(2, 4) })
            assert.same({ {}, {} }, { a:totable(), b:totable() })
            a, b = lun.join({ lun.vector({ -1, 1, 1 }, "i8"), u:sub(1, 3) }, { lun.vector({ 255, 1, 1 }, "u64"), i:sub(4, 6) })
            assert.same({ { 2, 3 }, { 2, 3 } }, { a:totable(), b:totable() })
        end)
    end)
end)

describe("integers beside numbers", function()
    local NUMBERS <const> = { -1, 0, 1, 7, 100, 127, 128, -128, -129, 255, 256, 300, 65535, 65536, -40000, 1 << 31, 1 << 32, 1 << 53,
        (1 << 53) + 1, math.maxinteger, math.mininteger, 0.5, -0.5, 99.5, 7.0, 255.0, 255.5, 2.0 ^ 31, 2.0 ^ 53, 2.0 ^ 63,
        2.0 ^ 64, -2.0 ^ 63, 1e300, -1e300, 1 / 0, -1 / 0, 0 / 0 }

    -- The integer x of dtype t as a number that Lua compares exactly: of u64 from 2^63 on less 2^64, as y is then.
    local function says(name, x, t, y)
        local big = t == "u64" and x < 0
        local is_less, is_more = x < y, x > y
        if y ~= y then
            return name == "ne"
        elseif t == "u64" and math.type(y) == "integer" then
            is_less, is_more = math.ult(x, y), math.ult(y, x)
        elseif big and y < 2.0 ^ 64 and y >= 2.0 ^ 63 then
            is_less, is_more = x < y - 2.0 ^ 64, x > y - 2.0 ^ 64
        elseif big then
            is_less, is_more = y >= 2.0 ^ 64, y < 2.0 ^ 63
        end
        return comparisons[name](is_less, is_more)
    end

    it("compare by value, out of range and with fractions too", function()
        for _, t in ipairs(DTYPES) do
            everywhere(function(add)
                local list = values(t)
                local a = lun.vector(list, t)
                for _, y in ipairs(NUMBERS) do
                    for name in pairs(comparisons) do
                        local wanted, mirrored = {}, {}
                        for k, x in ipairs(list) do
                            wanted[k] = says(name, x, t, y)
                            mirrored[k] = says(({ lt = "gt", le = "ge", gt = "lt", ge = "le" })[name] or name, x, t, y)
                        end
                        local what = ("%s %s %s"):format(t, name, y)
                        add(lun[name](a, y), wanted, what)
                        add(lun[name](y, a), mirrored, what .. " mirrored")
                    end
                end
            end)
        end
    end)

    it("are searched by value", function()
        for _, backend in ipairs { "reference", "openmp" } do
            lun.use(backend)
            for _, t in ipairs(DTYPES) do
                local list = values(t)
                table.sort(list, function(x, y) return less(x, t, y, t) end)
                local a = lun.vector(list, t)
                for _, y in ipairs(NUMBERS) do
                    local left, right = 1, 1
                    for _, x in ipairs(list) do
                        left = left + (says("lt", x, t, y) and 1 or 0)
                        right = right + (says("le", x, t, y) and 1 or 0)
                    end
                    if y == y then
                        assert.same({ left, right }, { a:searchsorted(y), a:searchsorted(y, { side = "right" }) },
                            ("%s and %s"):format(t, y))
                    end
                end
            end
        end
    end)

    it("refuse in arithmetic, and where they are stored, what does not fit", function()
        for _, t in ipairs { "u8", "u16", "u32" } do
            local a = lun.ones(3, t):copy()
            expect.failure("does not fit", function() return a + -1 end)
            expect.failure("does not fit", function() return lun.max(a, -1) end)
            expect.failure("does not fit", function() a[1] = -1 end)
            expect.failure("does not fit", a.fill, a, -1)
            expect.failure("does not fit", lun.vector, { -1 }, t)
        end
    end)
end)

describe("an element of u64", function()
    local BIG <const> = { -1, math.mininteger, 5, -7 }

    it("is taken back by every call, as the integer that Lua holds", function()
        expect.everywhere(function()
            local u = lun.vector({ 1, 2, 3, 4 }, "u64")
            for k, x in ipairs(BIG) do
                u[k] = x
            end
            local same = lun.vector(u:totable(), "u64")
            assert.same({ BIG, "u64" }, { same:totable(), same:dtype() })
            assert.equal(4, u:eq(same):count())
            assert.same({ true, false, false, false }, u:eq(u:max()):totable())
            assert.same({ false, true, false, true }, u:gt(5):land(u:lt(u[1])):totable())
            assert.same({ u[1], u[3] }, { u:max(), u:min() })
            u[3] = u[1]
            assert.same({ -1, math.mininteger, -1, -7 }, u:totable())
            assert.same({ u[4], u[4] }, lun.full(2, u[4], "u64"):totable())
            assert.same({ -7, -1, math.mininteger, -1, -7, -7 }, u:pad({ { 1, 1 } }, u[4]):totable())
            assert.same({ -7, -1, math.mininteger, -1 }, u:shift(1, { edge = u[4] }):totable())
            assert.same({ -7, -1 }, u:take({ 0, 1 }, { missing = u[4] }):totable())
            assert.same({ -7, math.mininteger, -7, -7 }, u:clamp(0, u[4]):totable())
            assert.same({ -1, -7, -1, -7 }, lun.where(u:eq(-1), u, u[4]):totable())
            assert.same({ -1, -1, -1, -1 }, u:max(u[1]):totable())
            assert.same({ -7, -1, -1, -1 }, u:scan("max", u[4]):totable())
            assert.equal(math.mininteger, u:reduce("min", u[4]):value())
            assert.same({ 0, math.maxinteger + 2, 0, -6 }, (u - u[1]):totable())
            assert.same({ 1, 0, 1, 0 }, (u // u[1]):totable())
            u:put({ 1, 2 }, u[4])
            assert.same({ -7, -7, -1, -7 }, u:totable())
            u:fill(u[3])
            assert.same({ -1, -1, -1, -1 }, u:totable())
            local largest = u:lazy "max"
            assert.same({ "u64", -1, 4 }, { largest:dtype(), largest:value(), u:eq(largest):count() })
            for k, x in u:iter() do
                u[k] = x
            end
        end)
    end)

    it("above what a float holds is refused as a negative float", function()
        local u = lun.vector(BIG, "u64")
        expect.failure("does not fit", u.fill, u, -1.0)
        expect.failure("does not fit", lun.vector, { -1.0 }, "u64")
        expect.elements({ 2.0 ^ 63 }, lun.vector({ 2.0 ^ 63 }, "u64"):cast "f64")
        assert.same({ 4, 0 }, { u:gt(-1.0):count(), u:lt(-0.5):count() })
    end)
end)
