-- What the places of a set share: compress, indices, filter, products of several matrices, all pairs of rows, files.
-- The oracle of elements is plain Lua, or one place where sums are rounded; lun.explain tells what the counters then count.
local lun = require "lunarray"
local moves = require "moves"
local onplaces = require "onplaces"

local DEVICES, SETS = onplaces.devices, onplaces.sets

onplaces.restore(before_each, after_each)

local WAYS = {
    { "none" }, { "single", { device = 2 } }, { "block" }, { "block", { rule = "ceiling" } }, { "overlap", { halo = 2 } }, { "copy" },
}

local function distributed(a, way)
    if way[1] == "none" then return a end
    return lun.eval(a:distribute(table.unpack(way)) + 0):distribute(table.unpack(way))
end

-- Sizes of parts, by the text of docs/places.md.
local function parts(way, n, p)
    local bounds = { 0 }
    for k = 1, p do
        local size = way[2] and way[2].rule == "ceiling" and math.max(0, math.min((n + p - 1) // p, n - (n + p - 1) // p * (k - 1)))
            or k < p and n // p or n - (p - 1) * (n // p)
        bounds[k + 1] = bounds[k] + size
    end
    return bounds
end

local function filled(n) return (lun.range(1, n) * 7 % 11 - 5):cast "f64":copy() end
local function number(i) return (i * 7 % 11 - 5) * 1.0 end

describe("elements that are chosen", function()
    it("stay where they are, in blocks of what results", function()
        for _, set in ipairs(SETS) do
            local p = select("#", lun.use(set))
            for _, n in ipairs { 1, p - 1, p, p + 1, 63, 64, 65, 500 } do
                for _, way in ipairs(WAYS) do
                    local what = ("%s, %d elements, %s"):format(set, n, way[1])
                    local a = distributed(filled(n), way)
                    local mask = lun.eval(a:gt(0))
                    local chosen, places = {}, {}
                    for i = 1, n do
                        if number(i) > 0 then chosen[#chosen + 1], places[#places + 1] = number(i), i end
                    end
                    local b, at = a:compress(mask), nil
                    moves.counted(function() b:eval() end, moves.told(b), what)
                    at = mask:indices()
                    moves.counted(function() at:eval() end, moves.told(at), what)
                    assert.same(chosen, b:totable(), what)
                    assert.same(places, at:totable(), what)
                    assert.same(chosen, a:filter(function(x) return x > 0 end):totable(), what)
                    local kind, d = b:distribution()
                    assert.equal(way[1] == "single" and "single" or way[1] == "copy" and "copy" or "block", kind, what)
                    if kind == "block" then
                        local bounds, next = parts(way, n, p), 1
                        for k = 1, p do
                            local count = 0
                            for i = bounds[k] + 1, bounds[k + 1] do count = count + (number(i) > 0 and 1 or 0) end
                            assert.same({ count, next }, { d.counts[k], d.starts[k] }, what)
                            next = next + count
                        end
                    end
                end
            end
        end
    end)

    it("are right where elements and mask are parts of one array", function()
        for _, set in ipairs(SETS) do
            lun.use(set)
            for _, n in ipairs { 1, 65, 1000, 65537 } do
                local both, wanted = (lun.range(1, 2 * n) * 7919 % 13):gt(5):copy(), {}
                for i = 1, n do
                    if (i + n) * 7919 % 13 > 5 then wanted[#wanted + 1] = i * 7919 % 13 > 5 end
                end
                assert.same(wanted, both:sub { 1, n }:compress(both:sub { n + 1, 2 * n }):totable())
            end
        end
    end)

    it("of none, of all, of nothing and of many are as on one place", function()
        for _, set in ipairs(SETS) do
            lun.use(set)
            local a = distributed(filled(9), { "block" })
            assert.same({}, a:compress(lun.full(9, false)):totable())
            assert.equal(9, #a:compress(lun.full(9, true)))
            assert.same({}, lun.zeros(0):compress(lun.full(0, true)):totable())
            assert.same({ 3.0, 3.0 }, lun.full(4, 3.0):compress(distributed(lun.range(1, 4):copy(), { "block" }):gt(2)):totable())
            for _, n in ipairs { 16383, 16385, 65535, 65537 } do
                local b, wanted = distributed(filled(n), { "block" }), {}
                for i = 1, n do
                    if i % 3 == 0 then wanted[#wanted + 1] = number(i) end
                end
                b = b:compress((lun.range(1, n) % 3):eq(0)):eval()
                assert.equal(lun.vector(wanted):tobytes(), b:tobytes())
            end
        end
    end)

    it("are used where they are, and of several ranks are rows", function()
        for _, set in ipairs(SETS) do
            local p = select("#", lun.use(set))
            local A = distributed((lun.range(1, 12):copy()):reshape(4, 3), { "block" })
            assert.same({ 2, 4, 6, 8, 10, 12 }, A:compress((A % 2):eq(0)):totable())
            assert.same({ { 1, 2, 3 }, { 7, 8, 9 } }, A:compress(lun.vector { true, false, true, false }, { axis = 1 }):totable())
            local a = distributed(filled(300), { "block" })
            local mask = lun.eval(a:gt(2))
            local b, sum = a:compress(mask):eval(), 0
            for i = 1, 300 do sum = sum + (number(i) > 2 and number(i) * 2 or 0) end
            if not DEVICES then
                moves.counted(function() lun.eval(b * 2) end, { moves = 0, bytes_moved = 0, bytes_to_host = 0, bytes_to_device = 0 })
                local algorithms = lun.stats().algorithms
                a:compress(mask):eval()
                assert.equal(p, lun.stats().algorithms - algorithms)
            end
            assert.equal(sum, (b * 2):sum())
        end
    end)

    it("are so on several devices", function()
        onplaces.again(3, "sharing_spec.lua")
    end)
end)

describe("products of several matrices", function()
    local SHAPES = {
        { { 3, 4, 5 }, { 3, 5, 2 } }, { { 1, 4, 5 }, { 1, 5, 2 } }, { { 7, 1, 3 }, { 7, 3, 4 } }, { { 1, 1, 1 }, { 1, 1, 1 } },
        { { 2, 3, 4, 5 }, { 2, 3, 5, 2 } }, { { 5, 2, 4, 5 }, { 5, 2 } }, { { 4, 5 }, { 3, 5, 2 } }, { { 64, 3, 300 }, { 300, 3 } },
        { { 5, 2, 3, 4 }, { 2, 4, 3 } }, { { 5, 1, 3, 4 }, { 5, 2, 4, 3 } }, -- not evenly apart: on one place
    }

    it("are shared by matrices, a single one by rows, with the bits of one place", function()
        if DEVICES then return end
        for _, shapes in ipairs(SHAPES) do
            lun.use "openmp"
            local seen = {}
            for k = 1, 2 do seen[k] = lun.eval(lun.random(shapes[k], { seed = k }) - 0.5) end
            local wanted = seen[1]:matmul(seen[2]):tobytes()
            for _, set in ipairs { "openmp/3", "reference/2" } do
                local p = select("#", lun.use(set))
                for _, way in ipairs(WAYS) do
                    local A, B = distributed(seen[1]:copy(), way), distributed(seen[2]:copy(), way)
                    local C = A:matmul(B)
                    local products = lun.stats().products
                    moves.counted(function() C:eval() end, moves.told(C), set)
                    assert.equal(wanted, C:tobytes(), set .. way[1])
                    if way[1] == "block" and #shapes[1] == 3 and #shapes[2] == 3 then
                        local n = math.max(shapes[1][1], shapes[2][1])
                        if n >= p then
                            assert.equal(p, lun.stats().products - products)
                            assert.equal(way[1], (C:distribution()))
                        end
                    end
                end
            end
        end
    end)

    it("are what plain sums are", function()
        lun.use(SETS[1])
        local A, B = (lun.range(1, 24) % 7):copy():reshape(4, 2, 3), (lun.range(1, 36) % 5):copy():reshape(4, 3, 3)
        local C = distributed(A, { "block" }):matmul(distributed(B, { "block" })):totable()
        for b = 1, 4 do
            for i = 1, 2 do
                for j = 1, 3 do
                    local sum = 0
                    for k = 1, 3 do
                        sum = sum + ((b - 1) * 6 + (i - 1) * 3 + k) % 7 * (((b - 1) * 9 + (k - 1) * 3 + j) % 5)
                    end
                    assert.equal(sum, C[b][i][j])
                end
            end
        end
    end)
end)

describe("all pairs of rows", function()
    local FORMS = {
        { function(x, y) return (x - y) * (x - y) end, "+" }, { function(x, y) return math.abs(x - y) / 3 end, "max" }, { "max", "+" },
    }

    it("are shared by rows of the result, with the bits of one place", function()
        for _, shape in ipairs { { 1, 1, 1 }, { 1, 70, 3 }, { 2, 5, 7 }, { 3, 64, 1 }, { 65, 3, 5 }, { 20, 130, 33 }, { 70, 70, 300 } } do
            for f, form in ipairs(FORMS) do
                lun.use "openmp"
                local n, m, inner = table.unpack(shape)
                local x, y = lun.eval(lun.random({ n, inner }, { seed = f }) - 0.5), lun.eval(lun.random({ m, inner }, { seed = 9 }) - 0.5)
                local wanted = lun.allpairs(form[1], form[2])(x, y):tobytes()
                for _, set in ipairs(SETS) do
                    local p = select("#", lun.use(set))
                    for w = f, #WAYS, #FORMS do
                        local what = ("%s, %s, %d and %d rows of %d"):format(set, WAYS[w][1], n, m, inner)
                        local A, B = distributed(x:copy(), WAYS[w]), distributed(y:copy(), WAYS[w])
                        local C = lun.allpairs(form[1], form[2])(A, B)
                        local launches = lun.stats().launches
                        moves.counted(function() C:eval() end, moves.told(C), what)
                        assert.equal(wanted, C:tobytes(), what)
                        local kind, d = C:distribution()
                        if WAYS[w][1] == "none" or WAYS[w][1] == "block" then
                            assert.equal("block", kind, what)
                            assert.is_true(lun.stats().launches - launches >= (n >= p and p or 1), what)
                            for k = 1, n >= p and p or 0 do assert.is_true(d.counts[k] > 0, what) end
                        end
                    end
                end
            end
        end
    end)

    it("are what plain loops give, and are used where they are", function()
        for _, set in ipairs(SETS) do
            lun.use(set)
            local A, B = (lun.range(1, 30) % 7):copy():reshape(10, 3), (lun.range(1, 15) % 4):copy():reshape(5, 3)
            local C = lun.allpairs(function(x, y) return math.abs(x - y) end, "+")(distributed(A, { "block" }), B)
            local least = {}
            for i = 1, 10 do
                local row = {}
                for j = 1, 5 do
                    row[j] = 0
                    for k = 1, 3 do row[j] = row[j] + math.abs(((i - 1) * 3 + k) % 7 - ((j - 1) * 3 + k) % 4) end
                end
                assert.same(row, C[i]:totable(), set)
                least[i] = math.min(table.unpack(row))
            end
            assert.same(least, C:min({ axis = 2 }):totable(), set)
        end
    end)
end)

describe("elements of a file", function()
    it("are read by the places that need them, and into no other memory", function()
        local path, n = os.tmpname() .. ".npy", 1 << 19
        lun.save(path, (lun.range(1, n) % 1000):cast "f64")
        for _, set in ipairs(SETS) do
            lun.use(set)
            collectgarbage()
            local before = lun.stats().allocated
            local a, sum = lun.open(path), 0
            for i = 1, n do sum = sum + i % 1000 end
            assert.equal(sum * 1.0, a:sum())
            if not DEVICES then assert.is_true(lun.stats().allocated - before <= 8 * n * 2, set) end
            local e = a:sub(2, n) * 2
            moves.counted(function() lun.eval(e) end, moves.told(e), set)
            assert.is_false(select(2, a:distribution()).fresh.host)
            assert.equal((sum - 1) * 2.0, e:sum())
            assert.equal(7.0, a:compress(a:eq(7))[1])
            assert.equal(n % 1000 * 1.0, a[n])
            a[n] = -1
            assert.equal(sum - n % 1000 - 1.0, a:sum())
            assert.same({ 1.0, 2.0, 3.0 }, lun.open(path):sub(1, 3):totable()) -- no write reaches the file
        end
        os.remove(path)
        os.remove((path:gsub("%.npy$", "")))
    end)

    it("that has changed are an error, as on one place", function()
        local path, text = os.tmpname() .. ".npy", nil
        for _, set in ipairs { "openmp", table.unpack(SETS) } do
            lun.save(path, lun.range(1, 100000):cast "f64")
            lun.use(set)
            local a, b = lun.open(path), lun.ones(100000):copy()
            local file = assert(io.open(path, "wb"))
            file:write "short"
            file:close()
            local ok, message = pcall(function() return (a + b):eval() end)
            assert.is_false(ok, set)
            text = text or tostring(message):gsub("^[^:]*:%d+: ", "")
            assert.equal(text, (tostring(message):gsub("^[^:]*:%d+: ", "")), set)
            assert.equal(100000.0, b:sum())
        end
        os.remove(path)
        os.remove((path:gsub("%.npy$", "")))
    end)
end)
