-- The workloads on an OpenCL device: each as an expression and as a kernel written by hand, in turn, in one
-- process. Then team kernels (teams.lua) beside plain expressions. Prints a table of each: medians, their ratio, and
-- the bandwidth as a share of a copy on the device.
-- usage: lunarray bench/gpu/bench.lua [workload...]
-- BENCH_DEVICE: which device, from 1; BENCH_N: elements, a multiple of 64; BENCH_REPS: repetitions. BENCH_CLOCK=cpu:
-- the time that the process had, all threads together, which is what can be compared for a processor that others use.

package.cpath = (os.getenv "BUILD" or "build") .. "/bench/?.so;" .. package.cpath

local lun = require "lunarray"
local clock = require "clock"
local hand = require "hand"

local number = tonumber(os.getenv "BENCH_DEVICE") or 1
local reps = tonumber(os.getenv "BENCH_REPS") or 11
local WARMUP = 3

lun.use("opencl:" .. number)
local file = assert(io.open("bench/gpu/hand.cl", "rb"))
local name, cpu, units = hand.open(number, file:read "a", "-cl-std=CL1.2")
file:close()

local n = tonumber(os.getenv "BENCH_N") or (cpu and 1 << 24 or 1 << 27)
local MB = 1 << 20

-- How many groups of the kernels by hand, and how large.
local groups, size = cpu and 4 * units or 16 * units, cpu and 1 or 256

local function run(kernel, format, ...)
    hand.run(kernel, groups * size, size, format, ...)
end

local function median(list)
    table.sort(list)
    return list[#list // 2 + 1]
end

local function close(x, y, relative)
    return math.abs(x - y) <= relative * math.max(math.abs(x), math.abs(y), 1e-30)
end

local function uniform(seed)
    return lun.random(n, { seed = seed, dtype = "f32" }):eval()
end

-- Sum of the partial results that a kernel by hand left in a buffer.
local function total(buffer, offset)
    local sum = 0.0
    local bytes = hand.read(buffer, 8 * (offset or 0), 8 * groups)
    for i = 1, #bytes, 8 do
        sum = sum + string.unpack("<d", bytes, i)
    end
    return sum
end

local function float_at(buffer, i)
    return (string.unpack("<f", hand.read(buffer, 4 * (i - 1), 4)))
end

local function int_at(buffer, i)
    return (string.unpack("<i4", hand.read(buffer, 4 * (i - 1), 4)))
end

-- The same elements on both sides.
local function both(seed)
    local array = uniform(seed)
    return array, hand.buffer(array:tobytes())
end

local places = { 1, 2, 63, 64, 65, n // 2, n - 1, n }

-- Each workload makes its data and gives: what it is, bytes of memory that must move (0: it computes), one
-- evaluation, the same by hand (both wait for their result and give what is compared), what is not timed.
local workloads = {}

local function elementwise(title, bytes, ours, by_hand, out)
    local result
    for _, i in ipairs(places) do
        result = ours()
        by_hand()
        local x, y = result[i], float_at(out, i)
        assert(close(x, y, 1e-6), ("%s: element %d is %g, by hand %g"):format(title, i, x, y))
    end
    return title, bytes, function()
        result = ours()
        return result[n]
    end, function()
        by_hand()
        return float_at(out, n)
    end, function()
        result:free()
    end
end

function workloads.W1()
    local a, ha = both(1)
    local b, hb = both(2)
    local c, hc = both(3)
    local d, hd = both(4)
    local out = hand.buffer(4 * n)
    return elementwise("(a+b)*(c+d), f32", 20 * n, function() return lun.eval((a + b) * (c + d)) end, function()
        run("w1", "bbbbbl", ha, hb, hc, hd, out, n)
    end, out)
end

function workloads.W2()
    local b, hb = both(1)
    local c, hc = both(2)
    local out = hand.buffer(4 * n)
    local s = 0.25
    return elementwise("b + s*c, f32", 12 * n, function()
        s = s == 0.25 and 0.5 or 0.25
        return lun.eval(b + s * c)
    end, function()
        run("w2", "bbbfl", out, hb, hc, s, n)
    end, out)
end

-- A reduction is kept with its array: each evaluation asks for one that has not been asked for.
local function fresh(array)
    local k = 0
    return function()
        k = k + 1
        return array, k
    end
end

-- Ours is always added up in f64.
local function sum_against(kernel, title)
    local a, ha = both(1)
    local out, next_of = hand.buffer(8 * groups), fresh(a)
    return title, 4 * n, function()
        local array, k = next_of()
        return (array * 1):reduce("+", k % 2):value() - k % 2
    end, function()
        run(kernel, "bbl", ha, out, n)
        return total(out)
    end
end

function workloads.sum()
    return sum_against("sum", "sum, f32 (by hand added in f32)")
end

function workloads.sum64()
    return sum_against("sum64", "sum, f32 (by hand added in f64)")
end

function workloads.dot()
    local a, ha = both(1)
    local b, hb = both(2)
    local out, next_of = hand.buffer(8 * groups), fresh(a)
    return "dot product, f32 (in f64)", 8 * n, function()
        local array, k = next_of()
        return (array * b):reduce("+", k % 2):value() - k % 2
    end, function()
        run("dot64", "bbbl", ha, hb, out, n)
        return total(out)
    end
end

function workloads.moments()
    local a, ha = both(1)
    local out, scale = hand.buffer(16 * groups), 1.0
    return "mean and variance, f32 (in f64)", 4 * n, function()
        scale = scale < 2 ^ 60 and scale * 2 or 2 ^ -60 -- exact; what was asked for before is kept
        local copy = a * scale
        local mean, variance = copy:mean(), copy:var()
        return mean / scale + variance / scale ^ 2
    end, function()
        run("moments64", "bbl", ha, out, n)
        local mean = total(out) / n
        return mean + total(out, groups) / n - mean * mean
    end
end

function workloads.scan()
    local a = (lun.random(n, { seed = 1, dtype = "f32" }) * 100):cast "i32":eval()
    local ha, out = hand.buffer(a:tobytes()), hand.buffer(4 * n)
    local block = cpu and 65536 or 16384
    local blocks = (n + block - 1) // block
    local totals = hand.buffer(4 * blocks)
    local scan, result = lun.scan("+", 0), nil
    return "exclusive scan, i32", 8 * n, function()
        result = scan(a):eval()
        return result[n]
    end, function()
        hand.run("block_totals", blocks * size, size, "bbll", ha, totals, n, block)
        hand.run("scan_totals", 1, 1, "bl", totals, blocks)
        hand.run("scan_blocks", blocks * size, size, "bbbll", ha, totals, out, n, block)
        return int_at(out, n)
    end, function()
        result:free()
    end
end

-- In the form that our kernels have here, both ways.
function workloads.mandelbrot()
    local width, height, most = 2048, 1536, 256
    local points = width * height
    local index = (lun.index(points) - 1):cast "i32"
    local x = ((index % width):cast "f32" * (3 / width) - 2):eval()
    local y = ((index // width):cast "f32" * (2.25 / height) - 1.125):eval()
    local hx, hy, out = hand.buffer(x:tobytes()), hand.buffer(y:tobytes()), hand.buffer(4 * points)
    local escape = lun.zip(function(cr, ci)
        local zr, zi, k = 0.0, 0.0, 0
        while k < most do
            local r2, i2 = zr * zr, zi * zi
            if r2 + i2 > 4.0 then
                break
            end
            zi = 2.0 * zr * zi + ci
            zr = r2 - i2 + cr
            k = k + 1
        end
        return k
    end)
    local vectors = cpu and os.getenv "LUNARRAY_OPENCL_FORM" ~= "scalar"
    local result
    -- some points are compared one by one, all by their sum
    result = escape(x, y):cast "i32":eval()
    local function by_hand()
        if vectors then
            hand.run("mandelbrot_vectors", 256, 1, "bbbll", hx, hy, out, points, most)
        else
            hand.run("mandelbrot", cpu and points or 1 << 20, cpu and 64 or 256, "bbbll", hx, hy, out, points, most)
        end
        return int_at(out, points // 2 + width // 3)
    end
    by_hand()
    local all = hand.read(out, 0, 4 * points)
    assert(lun.frombytes(all, "i32"):ne(result):count() <= points // 10000, "Mandelbrot: by hand differs")
    return ("Mandelbrot %d x %d, f32%s"):format(width, height, vectors and ", vectors" or ""), 0, function()
        result = escape(x, y):cast "i32":eval()
        return result[points // 2 + width // 3]
    end, by_hand, function()
        result:free()
    end
end

function workloads.circle()
    local out, seed = hand.buffer(8 * groups), 0
    local points = n
    return "Monte Carlo pi, Philox", 0, function()
        seed = seed + 2
        local x = lun.random(points, { seed = seed, dtype = "f32" })
        local y = lun.random(points, { seed = seed + 1, dtype = "f32" })
        return 4 * (x * x + y * y):lt(1):count() / points
    end, function()
        run("circle", "blll", out, points, seed, seed + 1)
        local hits, bytes = 0, hand.read(out, 0, 4 * groups)
        for i = 1, #bytes, 4 do
            hits = hits + string.unpack("<i4", bytes, i)
        end
        return 4 * hits / points
    end
end

-- ---------------------------------------------------------------- measuring

local now = clock.now
if os.getenv "BENCH_CLOCK" == "cpu" then
    now = function() return os.clock() * 1000 end
end

local function timed(body)
    local start = now()
    local value = body()
    return now() - start, value
end

-- Medians of both, which run in turn.
local function measure(workload)
    local title, bytes, ours, by_hand, after = workload()
    local mine, theirs = {}, {}
    for rep = 1 - WARMUP, reps do
        local t, x = timed(ours)
        if after then
            after()
        end
        local u, y = timed(by_hand)
        assert(close(x, y, 1e-4), ("%s: %.9g, by hand %.9g"):format(title, x, y))
        if rep > 0 then
            mine[rep], theirs[rep] = t, u
        end
    end
    hand.free()
    collectgarbage()
    return title, bytes, median(mine), median(theirs)
end

-- GB/s of a copy on the device, read and written bytes together.
local function copy_rate()
    local bytes = 4 * n
    local from, to = hand.buffer(bytes), hand.buffer(bytes)
    local times = {}
    for rep = 1 - WARMUP, reps do
        local t = timed(function() hand.copy(from, to, bytes) end)
        if rep > 0 then
            times[rep] = t
        end
    end
    hand.free()
    return 2 * bytes / median(times) * 1e-6
end

local by_hand = { "W1", "W2", "sum", "sum64", "dot", "moments", "scan", "mandelbrot", "circle" }
local by_teams = { "teamproduct", "teamscan", "teamhistogram" }
local teams = dofile "bench/gpu/teams.lua"(n, cpu, units)

local rate = copy_rate()
local LINE = "%-36s %10s %10s %10s %8s %8s"

-- Those of the names that were asked for, all by default.
local function report(names, of, ours, other)
    local asked, lines = {}, 0
    for _, key in ipairs(#arg > 0 and arg or names) do
        asked[key] = true
    end
    for _, key in ipairs(names) do
        if asked[key] then
            local title, bytes, mine, theirs = measure(of[key])
            local speed = bytes / mine * 1e-6
            if lines == 0 then
                print(LINE:format("workload", ours .. ", ms", other, "ratio", "GB/s", "of copy"))
            end
            lines = lines + 1
            print(LINE:format(title, ("%.3f"):format(mine), ("%.3f"):format(theirs), ("%.2f"):format(mine / theirs),
                bytes > 0 and ("%.1f"):format(speed) or "-",
                bytes > 0 and ("%.0f%%"):format(100 * speed / rate) or "-"))
        end
    end
end

for _, key in ipairs(arg) do
    assert(workloads[key] or teams[key], "no workload '" .. key .. "'")
end
print(("%s: %d units, %d elements, %d repetitions; a copy on the device: %.1f GB/s"):format(name, units, n, reps, rate))
report(by_hand, workloads, "ours", "by hand")
report(by_teams, teams, "teams", "expression")
local stats = lun.stats()
print(("%d compiled, %d from the cache, %d launches, %.0f MB to the device, %.0f MB back"):format(stats.compiles,
    stats.cache_hits, stats.launches, stats.bytes_to_device / MB, stats.bytes_to_host / MB))
