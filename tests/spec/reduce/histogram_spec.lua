-- a:histogram: what numpy.histogram gave for a few arrays, and a plain search of the edges for many: every dtype, bins
-- by number and by edges, ranges, weights, on every backend and on several threads.
local lun = require "lunarray"
local expect = require "expect"
local shell = require "shell"

-- Counts and sums of weights by a search from the left; parts: weights are added so.
local function counted(list, edges, weights, parts)
    local counts, sums, part = {}, {}, {}
    for b = 1, #edges - 1 do
        counts[b], sums[b], part[b] = 0, 0.0, 0.0
    end
    for k, x in ipairs(list) do
        for b = 1, #edges - 1 do
            if x >= edges[b] and (x < edges[b + 1] or (b == #edges - 1 and x == edges[b + 1])) then
                counts[b] = counts[b] + 1
                part[b] = part[b] + (weights and weights[k] or 0)
                break
            end
        end
        if k % (parts or 65536) == 0 or k == #list then
            for b = 1, #edges - 1 do
                sums[b], part[b] = sums[b] + part[b], 0.0
            end
        end
    end
    return counts, sums
end

local function fractions()
    local x = {}
    for k = 1, 60 do
        x[k] = (k * 37 % 101) / 10
    end
    return lun.vector(x)
end

local function bytes(shift, t)
    local x = {}
    for k = 0, 499 do
        x[k + 1] = k * 29 % 256 - shift
    end
    return lun.vector(x, t)
end

describe("histogram", function()
    it("has edges between extremes that lie further apart than any f64", function()
        expect.everywhere(function()
            for _, options in ipairs { {}, { range = { -1.5 * 2.0 ^ 1023, 1.5 * 2.0 ^ 1023 } } } do
                local far = lun.vector { -1.5 * 2.0 ^ 1023, 1.0, 1.5 * 2.0 ^ 1023 }
                local counts, edges = far:histogram(4, options)
                expect.elements({ 1, 0, 1, 1 }, counts)
                expect.elements({ -1.5 * 2.0 ^ 1023, -1.5 * 2.0 ^ 1022, 0.0, 1.5 * 2.0 ^ 1022, 1.5 * 2.0 ^ 1023 }, edges)
            end
        end)
    end)

    it("gives what numpy.histogram gives", function()
        expect.everywhere(function()
            local x = fractions()
            local counts, edges = x:histogram(7)
            expect.elements({ 9, 9, 8, 8, 8, 8, 10 }, counts)
            expect.elements({ 0x1.999999999999ap-3, 0x1.999999999999ap+0, 0x1.8000000000001p+1, 0x1.199999999999ap+2,
                0x1.7333333333334p+2, 0x1.ccccccccccccep+2, 0x1.1333333333333p+3, 0x1.4p+3 }, edges)
            counts, edges = x:histogram()
            expect.elements({ 6, 6, 6, 6, 6, 6, 6, 6, 6, 6 }, counts)
            expect.elements({ 0x1.999999999999ap-3, 0x1.2e147ae147ae2p+0, 0x1.147ae147ae148p+1, 0x1.91eb851eb8520p+1,
                0x1.07ae147ae147bp+2, 0x1.4666666666667p+2, 0x1.851eb851eb853p+2, 0x1.c3d70a3d70a3ep+2,
                0x1.0147ae147ae15p+3, 0x1.20a3d70a3d70ap+3, 0x1.4p+3 }, edges)
            counts, edges = x:histogram(4, { range = { 2.5, 7.5 } })
            expect.elements({ 8, 7, 8, 7 }, counts)
            expect.elements({ 2.5, 3.75, 5.0, 6.25, 7.5 }, edges)
            expect.elements({ 0, 1, 20, 0, 39 }, (x:histogram(lun.vector { 0.0, 0.1, 0.3, 3.7, 3.7, 10.0 })))
            counts, edges = lun.full(3, 3):copy():histogram(3)
            expect.elements({ 0, 3, 0 }, counts)
            expect.elements({ 2.5, 0x1.6aaaaaaaaaaabp+1, 0x1.9555555555555p+1, 3.5 }, edges)
            counts, edges = bytes(0, "u8"):histogram(6)
            expect.elements({ 85, 82, 85, 81, 84, 83 }, counts)
            expect.elements({ 0.0, 42.5, 85.0, 127.5, 170.0, 212.5, 255.0 }, edges)
            local weights = (lun.index(500) - 1) / 8
            local sums
            sums, edges, counts = bytes(100, "i64"):histogram(5, { weights = weights })
            expect.elements({ 3102.75, 3134.625, 3101.375, 3071.0, 3184.0 }, sums)
            expect.elements({ -100.0, -49.0, 2.0, 53.0, 104.0, 155.0 }, edges)
            expect.elements(counted(bytes(100, "i64"):totable(), edges:totable()), counts)
            expect.elements({ 0, 1, 2, 0, 1, 2, 1, 0, 1, 2 },
                (lun.vector({ 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0 }):histogram(10, { range = { 0, 1 } })))
        end)
    end)

    it("counts elements of every dtype as a search of the edges does", function()
        expect.everywhere(function()
            for _, t in ipairs { "bool", "i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64", "f16", "bf16", "f32", "f64" } do
                local x = (lun.random(700, { seed = 8 }) * 250 - 60):cast(t)
                local list = x:totable()
                for k, v in ipairs(list) do
                    list[k] = v == true and 1 or v == false and 0 or t == "u64" and v < 0 and 2.0 ^ 64 + v or v
                end
                for _, bins in ipairs { 1, 7, 100 } do
                    local counts, edges = x:histogram(bins)
                    expect.elements((counted(list, edges:totable())), counts)
                    counts, edges = x:histogram(bins, { range = { -20, 101.5 } })
                    expect.elements((counted(list, edges:totable())), counts)
                end
                local edges = { -1 / 0, -50, 0, 0.5, 1, 3, 100, 1 / 0 }
                expect.elements((counted(list, edges)), (x:histogram(lun.vector(edges))))
            end
        end)
    end)

    it("puts what stands on an edge into the bin above, and the last edge into the last", function()
        for bins = 1, 40 do
            local _, edges = lun.zeros(1):histogram(bins, { range = { 0.1, 1.3 } })
            local counts = edges:histogram(bins, { range = { 0.1, 1.3 } }):totable()
            for b = 1, bins do
                assert.equal(b == bins and 2 or 1, counts[b])
            end
        end
    end)

    it("leaves out NaN and what lies outside, takes arrays of any rank, windows and expressions", function()
        expect.everywhere(function()
            local x = lun.vector { 1, 0 / 0, 2, 5, -1, 2.5, 1 / 0 }
            expect.elements({ 1, 2 }, (x:histogram(2, { range = { 1, 3 } })))
            local counts, edges = lun.vector({ 0 / 0, 3, 1 }):histogram(2)
            expect.elements({ 1, 1 }, counts)
            expect.elements({ 1.0, 2.0, 3.0 }, edges)
            counts, edges = lun.zeros(0):histogram(2)
            expect.elements({ 0, 0 }, counts)
            expect.elements({ 0.0, 0.5, 1.0 }, edges)
            local A = lun.index(24):reshape { 4, 6 }
            expect.elements({ 12, 12 }, (A:histogram(2)))
            expect.elements({ 2, 2 }, (A:col(3):histogram(2)))
            expect.elements({ 12, 12 }, ((A:transpose() * 2 + 1):histogram { range = { 3, 49 } }:reshape(2, 5):sum(2)))
        end)
    end)

    it("adds weights in their order, in parts of 65536", function()
        local n = 3 * 65536 + 77
        local x, w = lun.random(n, { seed = 1 }):eval(), lun.random(n, { seed = 2 }):eval()
        expect.everywhere(function()
            local sums, edges, counts = x:histogram(9, { weights = w, range = { 0.05, 0.9 } })
            local want, want_sums = counted(x:totable(), edges:totable(), w:totable())
            expect.elements(want, counts)
            expect.elements(want_sums, sums)
            sums, edges, counts = x:histogram(10000, { weights = w })
            assert.equal(n, counts:sum())
            local bin = ((x - edges[1]) * (10000 / (edges[10001] - edges[1]))):cast "i64" + 1
            local near = lun.zeros(10002):put(bin, w, { combine = "+" })
            assert.is_true(math.abs(near:sum() - sums:sum()) < 1e-6)
        end)
    end)

    it("is the same on every number of threads", function()
        local script = os.tmpname()
        local file = assert(io.open(script, "w"))
        file:write [[local lun = require "lunarray"
            local n = 500001
            local x, w = lun.random(n, { seed = 1, dist = "normal" }), lun.random(n, { seed = 2 })
            local b = (x * 20):cast "u8"
            for _, bins in ipairs { 50, 9000 } do
                local sums, _, counts = x:histogram(bins, { weights = w })
                print(sums:tobytes(), counts:tobytes(), x:histogram(bins):tobytes(), b:histogram(bins):tobytes())
            end]]
        file:close()
        local want
        for _, threads in ipairs { 1, 2, 3, 8 } do
            local build = os.getenv "BUILD" or "build"
            local got = shell.capture(("LUNARRAY_THREADS=%d %s/lunarray %s 2>&1"):format(threads, build, script))
            want = want or got
            assert.is_true(#want > 280000 and want == got, threads .. " threads")
        end
        os.remove(script)
    end)

    it("says what is wrong", function()
        local x, failure = lun.vector { 1, 2, 3 }, expect.failure
        failure("the number of bins is 0", function() x:histogram(0) end)
        failure("a number of bins or a Vector of edges expected", function() x:histogram(1.5) end)
        failure("a number of bins or a Vector of edges expected", function() x:histogram("x") end)
        failure("no range from 2 to 1", function() x:histogram(3, { range = { 2, 1 } }) end)
        failure("no range from", function() x:histogram(3, { range = { 0, 1 / 0 } }) end)
        failure("option range: {lo, hi} expected", function() x:histogram(3, { range = 4 }) end)
        failure("option range: the edges are given already", function() x:histogram(x, { range = { 1, 2 } }) end)
        failure("option weights: an array expected, got number", function() x:histogram(3, { weights = 1 }) end)
        failure("shapes differ: i64[3] and weights f64[2]", function() x:histogram(3, { weights = lun.zeros(2) }) end)
        failure("unknown option 'bins'", function() x:histogram { bins = 3 } end)
        failure("edges are a Vector of at least 2 elements, not f64[1]", function() x:histogram(lun.ones(1)) end)
        failure("edge 3 of a histogram is NaN, or less than the one before", function()
            lun.eval((x:histogram(lun.vector { 1, 2, 1.5 })))
        end)
        failure("edge 1 of a histogram is NaN", function() lun.eval((lun.vector({ 0 / 0, 0 / 0 }):histogram(2))) end)
    end)
end)
