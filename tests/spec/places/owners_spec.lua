-- What is written on a set of places, each element where it belongs: lun.each, put, set and fill of arrays and windows
-- that are distributed in every way. The oracle of elements is plain Lua, that of what moves is counting.
local lun = require "lunarray"
local expect = require "expect"
local onplaces = require "onplaces"
local writes = require "writes"

local refused = expect.failure

local DEVICES, SETS = onplaces.devices, onplaces.sets

onplaces.restore(before_each, after_each)

describe("what is written on a set of places", function()
    it("is the serial loop's, in any sequence, of arrays distributed in any way", function()
        local sizes = { 0, 1, 2, 3, 4, 5, 63, 64, 65, 200 }
        for seed = 1, DEVICES and 60 or 300 do
            writes.check(seed, SETS[seed % #SETS + 1], sizes[seed % #sizes + 1], 6)
        end
    end)

    it("is so of parts of any length", function()
        local seed = 1000
        for _, n in ipairs(DEVICES and { 16385 } or { 16383, 16384, 16385, 65535, 65536, 65537 }) do
            for _, set in ipairs(SETS) do
                seed = seed + 1
                writes.check(seed, set, n, 3)
            end
        end
    end)

    it("is so on several devices", function()
        onplaces.again(3, "owners_spec.lua")
    end)
end)

local function counts(a)
    local kind, d = a:distribution()
    return kind .. (d.counts and " " .. table.concat(d.counts, " ") or "")
end

describe("values that are combined by a function on a set of places", function()
    local function f(old, x) return (old * 31 + x) % 65521 end

    -- The elements, flat, of an array of that shape after the put, by a loop.
    local function serial(list, shape, at, axis, values)
        local inner, k = 1, 0
        for d = axis + 1, #shape do inner = inner * shape[d] end
        for outer = 0, #list // (shape[axis] * inner) - 1 do
            for _, i in ipairs(at) do
                for column = 1, inner do
                    local e = (outer * shape[axis] + (i < 0 and shape[axis] + i or i - 1)) * inner + column
                    k = k + 1
                    list[e] = f(list[e], values[k])
                end
            end
        end
        return list
    end

    it("are in arrays of every rank what a loop makes of them", function()
        for _, set in ipairs(SETS) do
            local weights = {}
            for k = 1, select("#", lun.use(set)) do weights[k] = k % 3 end
            for _, way in ipairs { { "single", { device = 2 } }, { "block", { weights = weights } }, { "block" },
                { "overlap", { halo = 2 } }, { "copy" } } do
                for _, shape in ipairs { { 40 }, { 9, 5 }, { 2, 70 }, { 4, 3, 6 } } do
                    local n = 1
                    for _, extent in ipairs(shape) do n = n * extent end
                    for axis, extent in ipairs(shape) do
                        local at, values, before = { extent, 1, -1, extent, 2, 1 }, {}, lun.range(1, n):totable()
                        for k = 1, n // extent * #at do values[k] = k * 7 % 101 end
                        local of = table.move(shape, 1, #shape, 1, {})
                        of[axis] = #at
                        local x = lun.vector(values, "i64"):reshape(of):copy():distribute(table.unpack(way))
                        local a = lun.eval(lun.range(1, n):reshape(shape) + 0):distribute(table.unpack(way))
                        local kind = a:distribution()
                        assert.equal(a, a:put(at, x, { axis = axis, combine = f }))
                        expect.elements(serial(before, shape, at, axis, values), a:flatten())
                        local now, d = a:distribution()
                        assert.equal(kind, now)
                        assert.is_false(d.diverged)
                    end
                end
            end
        end
    end)
end)

local WAYS = {
    { "single", { device = 2 } }, { "block", { weights = { 1, 2, 1 } } }, { "block" }, { "overlap", { halo = 2 } }, { "copy" },
}

describe("an array that is written", function()
    it("stays distributed as it was, and its copies do not differ", function()
        lun.use(SETS[1])
        for _, way in ipairs(WAYS) do
            local function new()
                return lun.eval(lun.zeros(12):copy():distribute(table.unpack(way)) + 0):distribute(table.unpack(way))
            end
            local wanted, at, other = counts(new()), lun.index(12) % 5 + 1, lun.range(1, 12):copy()
            local function check(what, f)
                local a = new()
                f(a)
                assert.equal(wanted, counts(a), what)
                assert.is_false(select(2, a:distribution()).diverged)
            end
            check("all", function(a) lun.each(12, function(i) a[i] = i end) end)
            check("a part", function(a) lun.each(5, function(i) a[2 * i] = i end) end)
            check("some", function(a) lun.each(12, function(i) a[at[i]] = i end) end)
            check("sums", function(a) lun.each(12, function(i) a[i // 3 + 1] = a[i // 3 + 1] + i end) end)
            check("set", function(a) a:set(other) end)
            check("set, kept", function(a) a:set(other * 2) end)
            check("put", function(a) a:put(at, 1, { combine = "+" }) end)
            check("fill", function(a) a:sub(3, 9):fill(1) end)
        end
    end)

    it("and was not distributed takes the cut of the loop, or blocks", function()
        local p = select("#", lun.use(SETS[1]))
        local a, h = lun.zeros(10):copy(), lun.zeros(5, "i64"):copy()
        lun.each(10, function(i) a[i] = i end)
        lun.each(100, function(i) h[i % 5 + 1] = h[i % 5 + 1] + 1 end)
        assert.equal(("block 3 3 4"), p == 3 and counts(a) or "block 3 3 4")
        assert.equal(("block 1 1 3"), p == 3 and counts(h) or "block 1 1 3")
        assert.same({ 20, 20, 20, 20, 20 }, h:totable())
    end)

    it("of any rank, also some of its rows and columns, has what the loop leaves", function()
        for _, set in ipairs(SETS) do
            lun.use(set)
            for _, way in ipairs(WAYS) do
                if not way[2] or not way[2].weights or set == SETS[1] then
                    local n, m = 7, 5
                    local A = lun.eval(lun.zeros(n, m):copy():distribute(table.unpack(way)) + 0)
                    local L = lun.zeros({ n, m }, "f64", { layout = "left" }):distribute(table.unpack(way))
                    local x, wanted, left = lun.eval(lun.range(1, n) * 0.5), {}, {}
                    for i = 1, n do
                        wanted[i], left[i] = {}, {}
                        for j = 1, m do wanted[i][j], left[i][j] = 0.0, 0.0 end
                    end
                    lun.each(n, function(i) A[i][2] = x[i] end)
                    lun.each(m, function(j) A[3][j] = j + 0.5 end)
                    lun.each({ n, m }, function(i, j) A[(i * j) % n + 1][j] = A[(i * j) % n + 1][j] + i / 3 end)
                    lun.each({ n, m }, function(i, j) L[i][j] = i * 10 + j end)
                    lun.each({ { 2, 4 }, { 2, 3 } }, function(i, j) L[i + 1][j] = x[i] end)
                    for i = 1, n do wanted[i][2] = i * 0.5 end
                    for j = 1, m do wanted[3][j] = j + 0.5 end
                    for i = 1, n do
                        for j = 1, m do
                            wanted[(i * j) % n + 1][j] = wanted[(i * j) % n + 1][j] + i / 3
                            left[i][j] = i * 10.0 + j
                        end
                    end
                    for i = 2, 4 do for j = 2, 3 do left[i + 1][j] = i * 0.5 end end
                    assert.same(wanted, A:totable(), set .. " " .. way[1])
                    assert.same(left, L:totable(), set .. " " .. way[1])
                end
            end
        end
    end)

    it("in several ways by one loop has all of them", function()
        for _, set in ipairs(SETS) do
            lun.use(set)
            for _, way in ipairs { { "block" }, { "copy" }, { "single" } } do
                local A = lun.eval(lun.zeros({ 6, 4 }, "i8"):copy():distribute(way[1]) + 0)
                local bins = lun.eval(lun.range(1, 60) % 6 + 1):cast "i64"
                lun.each(60, function(i)
                    A[bins[i]][1] = A[bins[i]][1] + 1
                    A[bins[i]][3] = i // 2
                    A[bins[i]][4] = math.max(A[bins[i]][4], i)
                end)
                local wanted = {}
                for i = 1, 60 do
                    local row = wanted[i % 6 + 1] or { 0, 0, 0, 0 }
                    wanted[i % 6 + 1] = { row[1] + 1, 0, i // 2, i }
                end
                assert.same(wanted, A:totable(), set)
            end
        end
    end)

    it("is as it was after an error, which is that of one place", function()
        local texts = {}
        for _, set in ipairs { "openmp", table.unpack(SETS) } do
            lun.use(set)
            for w, way in ipairs { { "block" }, { "copy" }, { "single" } } do
                local n = 40
                local small = lun.zeros(n, "i8"):copy()
                if set ~= "openmp" then small = lun.eval(small:distribute(way[1]) + 0) end
                local at, x = lun.eval(lun.index(400) * 7 % n + 1), lun.ones(400, "i64") * 1
                x[333], x[90], x[391] = 100, 100, 127
                x = lun.eval(x)
                local cases = {
                    function() lun.each(400, function(i) small[at[i]] = small[at[i]] + x[i] * 2 end) end,
                    function() lun.each(400, function(i) small[at[i] + i // 200] = i % 3 end) end,
                    function() lun.each(41, function(i) small[i] = 1 end) end,
                }
                for c, f in ipairs(cases) do
                    local text = tostring(refused("", f)):gsub("^[^:]*:%d+: ", "")
                    texts[c] = texts[c] or text
                    assert.equal(texts[c], text, set .. w)
                    assert.equal(0, (small:abs() + 0):cast("i64"):sum())
                end
            end
        end
        assert.matches("index 41 is out of range", texts[2])
    end)
end)

describe("what moves", function()
    local NAMES = { "moves", "bytes_moved", "bytes_to_host", "bytes_to_device" }
    local function gains(f)
        local old, out = lun.stats(), {}
        f()
        local new = lun.stats()
        for k, name in ipairs(NAMES) do out[k] = new[name] - old[name] end
        return out
    end

    it("is nothing where each place writes its own, and the values that cross a boundary", function()
        if DEVICES then return end
        for _, set in ipairs { "openmp/4", "reference/2" } do
            local p = select("#", lun.use(set))
            for _, n in ipairs { p, 65, 1000 } do
                local size = n // p
                local function owner(i) return math.min(p, (i - 1) // size + 1) end
                local x = lun.eval(lun.range(1, n):copy():distribute "block" * 0.5)
                local at = lun.eval(lun.range(1, n):copy():distribute "block" * 1)
                local a = lun.eval(lun.zeros(n):copy():distribute "block" + 0)
                assert.same({ 0, 0, 0, 0 }, gains(function() lun.each(n, function(i) a[i] = x[i] end) end))
                assert.same({ 0, 0, 0, 0 }, gains(function() lun.each(n, function(i) a[at[i]] = a[at[i]] + x[i] end) end))
                assert.same({ 0, 0, 0, 0 }, gains(function() a:put(at, x) end))
                local waits, copy = a * 1, nil
                assert.same({ 0, 0, 0, 0 }, gains(function()
                    copy = a:copy()
                    lun.each(n, function(i) a[i] = a[i] + 1 end) -- what waits goes on with a copy
                    lun.eval(copy - waits)
                end))
                assert.equal(waits:tobytes(), copy:tobytes())
                local function crossing(place) -- of each place to each other one 16 bytes for each value
                    local pairs_of, values = {}, 0
                    for i = 1, n do
                        local from, to = owner(i), owner(place(i))
                        if from ~= to then
                            values = values + 1
                            pairs_of[from * 100 + to] = true
                        end
                    end
                    local moves = 0
                    for _ in pairs(pairs_of) do moves = moves + 1 end
                    return { moves, 16 * values, 0, 0 }
                end
                assert.same(crossing(function(i) return n + 1 - i end),
                    gains(function() lun.each(n, function(i) a[n + 1 - at[i]] = x[i] end) end))
                assert.same(crossing(function(i) return i * 7 % n + 1 end),
                    gains(function() lun.each(n, function(i) a[i * 7 % n + 1] = a[i * 7 % n + 1] + x[i] end) end))
            end
        end
    end)

    it("of values sent to a device is by way of the host, which writes for it", function()
        if not DEVICES then return end
        lun.use "opencl:*"
        local n = 90
        local x = lun.eval(lun.range(1, n):copy():distribute "block" * 0.5)
        local a = lun.eval(lun.zeros(n):copy():distribute "block" + 0)
        -- places and values, and the elements that they go to
        assert.same({ 9, 0, 3 * 8 * n, 0 }, gains(function() lun.each(n, function(i) a[i * 7 % n + 1] = x[i] end) end))
        assert.same({ 3, 0, 0, 8 * n }, gains(function() lun.eval(a + 1) end))
    end)
end)
