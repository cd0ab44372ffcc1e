-- Offset views: elements, ranges, expressions and kernels at indices that begin elsewhere, compared with Lua tables.

local lun = require "lunarray"

local function fault(text, f, ...)
    local ok, message = pcall(f, ...)
    assert.is_false(ok)
    assert.is_truthy(tostring(message):find(text, 1, true), message)
end

-- A view from `first` on, and a table with the same elements at the same indices.
local function both(first, n)
    local list, model = {}, {}
    for k = 1, n do
        list[k] = k * k + 0.5
        model[first + k - 1] = list[k]
    end
    return lun.vector(list):offset { first }, model
end

local function same(model, o)
    local count = 0
    for k, x in pairs(model) do
        assert.equal(x, o[k], k)
        count = count + 1
    end
    assert.equal(count, #o)
end

describe("an offset view", function()
    it("has elements at its indices", function()
        for _, first in ipairs { -7, -1, 0, 1, 2, 1000000007, -(1 << 53), 1 << 53 } do
            local o, model = both(first, 5)
            same(model, o)
            assert.equal(first, o:first())
            assert.equal(first + 4, o:last())
            o[first + 2] = -3
            model[first + 2] = -3.0
            same(model, o)
            assert.equal(-3.0, o:array()[3])
            local seen = {}
            for k, x in o:iter() do
                seen[k] = x
            end
            assert.same(model, seen)
        end
    end)

    it("is a window: what is written to it or its array is in both", function()
        local a = lun.zeros(3)
        local o = a:offset(-1)
        a[1] = 4
        assert.equal(4.0, o[-1])
        o[1] = 5
        assert.same({ 4, 0, 5 }, a:totable())
        assert.equal(0.0, o:offset { 10 }[11])
    end)

    it("says the range where an index is outside, at the script's line", function()
        local o = lun.vector({ 1, 2, 3 }, "f64", { label = "rho" }):offset { -1 }
        local ok, message = pcall(function()
            local x = o[2]
            return x
        end)
        assert.is_false(ok)
        assert.is_truthy(message:find("offset_spec.lua:%d+: index 2 of 'rho' is out of range: %-1 to 1$"), message)
        fault("index -2 of 'rho' is out of range: -1 to 1", function() o[-2] = 1 end)
        fault("integer index expected, got 0.5", function() o[0.5] = 1 end)
        fault("an offset view has no 'x'", function() local y = o.x return y end)
        local m = lun.zeros(2, 3):offset { 0, -1 }
        fault("index 2 is out of range for axis 1: 0 to 1", function() local y = m[2] return y end)
        fault("index 2 is out of range: -1 to 1", function() local y = m[0][2] return y end)
        fault("index 1 is out of range: the array is empty", function() local y = lun.zeros(0):offset { 1 }[1] return y end)
    end)

    it("has rows, and ranges that keep their indices", function()
        local m = lun.generate({ 3, 4 }, function(i, j) return i * 10 + j end):offset { 0, -1 }
        for i = 0, 2 do
            for j = -1, 2 do
                assert.equal((i + 1) * 10 + j + 2, m[i][j])
            end
        end
        local part = m:sub({ 1, 2 }, { 0, 1 })
        assert.same({ 1, 0 }, { part:first() })
        assert.same({ { 22, 23 }, { 32, 33 } }, part:totable())
        part[2][1] = 99
        assert.equal(99, m[2][1])
        assert.same({ 0, 0 }, { m:sub({}, { 0, 2 }):first() })
        assert.equal(-1, m:first(2))
        assert.equal(2, m:last(2))
        m[1] = 0
        assert.same({ 0, 0, 0, 0 }, m[1]:totable())
        fault("bad argument #1 to 'sub' (the range 1 to 0 has no elements)", m.sub, m, { 1, 0 })
        fault("index 3 is out of range for axis 1: 0 to 2", m.sub, m, { 1, 3 })
        fault("steps are taken of o:array()", m.sub, m, { 0, 2, 2 })
        fault("an axis from 1 to 2 expected, got 3", m.first, m, 3)
    end)

    it("computes element by element, and keeps its indices", function()
        local o = both(-2, 4)
        local a = lun.vector { 1, 2, 3, 4 }
        for _, e in ipairs { o + 1, 1 + o, o + a, a + o, -o, lun.sqrt(o), o:sqrt(), o * o, o:gt(3), o:cast "f32", o:copy(),
            o:map(function(x) return x + 1 end), o:zip(a, "+"), lun.map(function(x) return x end)(o), lun.max(o, a) } do
            assert.same({ -2 }, { e:first() })
            assert.equal(4, #e)
        end
        assert.same({ 2.5, 6.5, 12.5, 20.5 }, (o + a):totable())
        fault("bad argument #2 to 'add' (its indices, 0 to 3, are not those of argument #1, -2 to 1: take the array of one",
            function() return o + a:offset { 0 } end)
        fault("the result has 2 axes, the offset view 1", function() return o + lun.zeros(2, 4) end)
        fault("an offset view behind the elements", a.map, a, function(x, t) return x + t[1] end, o)
    end)

    it("is reduced, with indices of the view", function()
        local o = both(-2, 4)
        assert.equal(0.5 * 4 + 30, o:sum())
        assert.equal(1, o:argmax())
        assert.equal(-2, lun.argmin(o))
        local m = lun.generate({ 2, 3 }, function(i, j) return i * j end):offset { 5, -4 }
        assert.same({ -4 }, { m:sum { axis = 1 }:first() })
        assert.same({ 5 }, { m:sum { axis = -1 }:first() })
        assert.same({ 3, 6, 9 }, m:sum { axis = 1 }:totable())
        assert.equal(18, m:sum())
        fault("indices of an offset Vector alone", m.argmax, m)
    end)

    it("is stored and copied by places", function()
        local a, o = lun.vector { 1, 2, 3 }, lun.zeros(3):offset { -1 }
        assert.same({ 1, 2, 3 }, o:set(a):totable())
        assert.same({ 1, 2, 3 }, lun.zeros(3):set(o):totable())
        assert.same({ 1, 2, 3 }, o:copyto(lun.zeros(3):offset { 9 }):totable())
        assert.same({ 7, 7, 7 }, o:fill(7):totable())
        fault("", o.set, o, lun.zeros(4))
        assert.same({ 7, 7, 7 }, o:totable())
    end)

    it("is read and written in functions at its indices", function()
        local u, v = both(-2, 6), lun.zeros(6):offset { -2 }
        lun.each({ { -1, 2 } }, function(i) v[i] = u[i - 1] + u[i + 1] end)
        for i = -1, 2 do
            assert.equal(u[i - 1] + u[i + 1], v[i])
        end
        assert.equal(0.0, v[-2])
        v = v:offset { 100 } -- the function is compiled once more
        lun.each({ { 100, 105 } }, function(i) v[i] = i end)
        assert.same({ 100, 101, 102, 103, 104, 105 }, v:totable())
        local m = lun.generate({ 3, 4 }, function(i, j) return i * 10 + j end):offset { 0, -1 }
        local g = lun.generate({ { 0, 2 } }, function(i)
            local s, row = 0, m[i]
            for j = 0, #row - 1 do s = s + row[j - 1] end
            return s + m[0][-1]
        end)
        assert.same({ 50 + 11, 90 + 11, 130 + 11 }, g:totable())
        local h, k = lun.zeros(4, "i64"):offset { -1 }, lun.vector { -1, 2, 2, 0 }
        lun.each(#k, function(i) h[k[i]] = h[k[i]] + 1 end)
        assert.same({ 1, 1, 0, 2 }, h:totable())
        assert.same({ u[-2] }, lun.vector { 1 }:map(function(x) return u[x - 3] end):totable())
    end)

    it("names its array where an index in a function is outside", function()
        local o = lun.zeros(3):offset { -1 }
        fault("index 4 is out of range for array 'o:array()' of length 3", lun.each, { { 0, 2 } },
            function(i) o[i] = 1 end)
        assert.same({ 0, 0, 0 }, o:totable())
    end)

    it("of complex numbers is computed with, but not read in functions", function()
        local z = lun.vector { lun.i, 2 }:offset { 0 }
        assert.equal(lun.complex(0, 1), z[0])
        assert.same({ 0 }, { (z * 2):first() })
        fault("an element of", lun.generate, 2, function(i) return z[i] end)
    end)

    it("is the same on a set and on a device #place", function()
        local home = { lun.use() }
        finally(function() lun.use(home) end)
        for _, place in ipairs { "openmp/2", "reference", "opencl" } do
            if pcall(lun.use, place) then
                local d = lun.zeros(4):offset { -1 }
                if place == "openmp/2" then
                    d:distribute "block"
                end
                lun.each({ { -1, 2 } }, function(i) d[i] = d[i] + i end)
                assert.same({ -1, 0, 1, 2 }, d:totable())
                assert.same({ -1, 1, 3 }, lun.generate({ { -1, 1 } }, function(i) return d[i] + d[i + 1] end):totable())
            end
        end
    end)

    it("is saved as its array", function()
        local path = os.tmpname() .. ".npy"
        finally(function() os.remove(path) end)
        assert.is_true(lun.save(path, (both(-2, 3))))
        assert.same({ 1.5, 4.5, 9.5 }, assert(lun.load(path)):totable())
    end)

    it("is printed with its indices", function()
        assert.is_truthy(tostring(both(-2, 3)):find("^Offset<f64>%[%-2 to 0%] %g+\n%[1.5 4.5 9.5%]$"))
        assert.is_truthy(tostring(lun.zeros(2, 2):offset { 0, 5 }):find("Offset<f64>[0 to 1, 5 to 6]", 1, true))
    end)

    it("refuses what is no list of first indices", function()
        local m = lun.zeros(2, 2)
        fault("1 first index for f64[2, 2]", m.offset, m, { 1 })
        fault("axis 2: the first index is an integer from -2^53 to 2^53, got 0.5", m.offset, m, { 1, 0.5 })
        fault("axis 1: the first index is an integer from -2^53 to 2^53, got", m.offset, m, { 1 << 60, 1 })
        fault("a list of the first index of each axis expected, got nil", m.offset, m)
        fault("array expected, got string", lun.offset, "x", { 1 })
        fault("an offset view: take its array, o:array()", lun.concat, { m:offset { 0, 0 }, m })
    end)
end)
