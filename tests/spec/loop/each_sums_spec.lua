-- lun.each where rounds share elements: many values that go to few elements of several arrays, added in the order of the
-- plain loop whatever the threads.
local lun = require "lunarray"
local expect = require "expect"
local shell = require "shell"

-- For the function and for a plain loop: the same body with tables. Sizes are around that from which threads are used.
local BODY = [[
    return function(where, x, y, count, a, b, c, d, whole, single)
        return function(i)
            local w = where[i]
            count[w] = count[w] + 1
            a[w] = a[w] + x[i]
            b[w] = y[i] + b[w]
            if x[i] > 0.25 then
                c[w] = c[w] + x[i] * y[i]
                whole[w] = whole[w] + i
            end
            d[w] = d[w] - y[i]
            single[w] = math.max(single[w], y[i])
        end
    end
]]
local make = load(BODY)()

local function arrays(n, k)
    local where = (lun.random({ n }, { seed = n + k }) * k + 1):floor():cast "i64":min(k):copy()
    local x, y = lun.random({ n }, { seed = 2 }):copy(), (lun.random({ n }, { seed = 3, dtype = "f32" }) - 0.5):copy()
    return where, x, y
end

local function start(k)
    return {
        lun.zeros(k), lun.full(k, 0.1), lun.zeros(k), lun.linspace(1, 2, k):copy(), lun.zeros(k), lun.zeros(k, "i64"),
        lun.zeros(k, "f32"),
    }
end

describe("lun.each with sums at the same places", function()
    it("has the bits of the plain loop", function()
        for _, size in ipairs { { 0, 1 }, { 1, 1 }, { 1000, 7 }, { 65535, 3 }, { 65536, 16 }, { 70001, 1 }, { 66000, 1500 } } do
            local n, k = table.unpack(size)
            local where, x, y = arrays(n, k)
            local got = start(k)
            local want = {}
            for j, array in ipairs(got) do want[j] = array:totable() end
            lun.each(n, make(where, x, y, table.unpack(got)))
            local round = make(where:totable(), x:totable(), y:totable(), table.unpack(want))
            for i = 1, n do round(i) end
            for j, array in ipairs(got) do
                assert.same(want[j], array:totable(), ("%d rounds, %d elements, array %d"):format(n, k, j))
            end
        end
    end)

    it("takes values that are the same in all rounds", function()
        expect.everywhere(function()
            local n = 70000
            local where = lun.index(n):cast "i64" % 5 + 1
            local h, t, f, z = lun.zeros(5), lun.zeros(5, "i32"), lun.zeros(5, "f32"), lun.zeros(5)
            lun.each(n, function(i)
                h[where[i]] = h[where[i]] + 0.5
                t[where[i]] = t[where[i]] + 2
                f[where[i]] = 3
                if i % 7 == 0 then z[where[i]] = z[where[i]] + 1 end
            end)
            assert.same({ 7000, 7000, 7000, 7000, 7000 }, h:totable())
            assert.same({ 28000, 28000, 28000, 28000, 28000 }, t:totable())
            assert.same({ 3, 3, 3, 3, 3 }, f:totable())
            assert.same({ 2000, 2000, 2000, 2000, 2000 }, z:totable())
        end)
    end)

    it("keeps special values and signs of zero", function()
        local n = 66000
        local x = lun.zeros(n) * -1
        x[5], x[6], x[70] = math.huge, -math.huge, 0 / 0
        local a, b = lun.full(4, -0.0), lun.full(4, -0.0)
        local where = (lun.index(n) - 1):cast "i64" // 16500 + 1
        lun.each(n, function(i)
            a[where[i]] = a[where[i]] + x[i]
            b[where[i]] = b[where[i]] - x[i]
        end)
        assert.is_true(a[1] ~= a[1] and b[1] ~= b[1])
        assert.equal("-0.0 0.0", ("%s %s"):format(a[2], b[2]))
    end)

    it("changes nothing where a place is out of range", function()
        local n = 66000
        local where = lun.ones(n, "i64")
        where[65999] = 4
        local a, b = lun.zeros(3), lun.zeros(3)
        expect.failure("index 4 is out of range", function()
            lun.each(n, function(i)
                a[where[i]] = a[where[i]] + 1
                b[where[i]] = b[where[i]] + 2
            end)
        end)
        assert.same({ 0, 0, 0 }, a:totable())
        assert.same({ 0, 0, 0 }, b:totable())
    end)

    it("has the same bits on any number of threads", function()
        local path = shell.write(os.tmpname(), ([[
            local make = load(%q)()
            local n, k = 300000, 16
            local where = (lun.random({ n }, { seed = 1 }) * k + 1):floor():cast "i64":min(k):copy()
            local x, y = lun.random({ n }, { seed = 2 }):copy(), lun.random({ n }, { seed = 3, dtype = "f32" }):copy()
            local to = { lun.zeros(k), lun.zeros(k), lun.zeros(k), lun.zeros(k), lun.zeros(k), lun.zeros(k, "i64"), lun.zeros(k, "f32") }
            lun.each(n, make(where, x, y, table.unpack(to)))
            local text = {}
            for _, a in ipairs(to) do
                for i = 1, k do text[#text + 1] = ("%%a"):format(a[i]) end
            end
            print(table.concat(text, " "))
        ]]):format(BODY))
        local first
        for threads = 1, 8 do
            local text = shell.capture(("LUNARRAY_THREADS=%d timeout 300 %s %s 2>&1"):format(threads, shell.interpreter(), path))
            first = first or text
            assert.matches("^0x", text)
            assert.equal(first, text, threads .. " threads")
        end
        os.remove(path)
    end)

    it("stores equal results of a function once, and each is an array of its own", function()
        local both = lun.map(function(x)
            local y = x * 2
            return y, y, x
        end)
        local v = lun.random({ 100000 }, { seed = 1 }):copy()
        local before = lun.stats()
        local a, b, c = lun.eval(both(v))
        local after = lun.stats()
        assert.equal(2 * 800000, after.bytes_written - before.bytes_written)
        assert.is_true(a:eq(b):all() and c:eq(v):all())
        a[1] = 7
        assert.equal(v[1] * 2, b[1])
        assert.equal(7, a[1])
    end)
end)
