-- Speed-up of two threads over one: compute-bound kernels, costly in each element or with loops of uneven length,
-- and memory-bound ones.
-- usage: LUNARRAY_JIT=sync lunarray bench/scaling.lua        rounds of processes in turn; a table at the end
-- Each thread count has processes of its own; ratios are those of medians, of the best round, for what else
-- runs on the machine only ever adds time. The limit is what as many processes of one thread reach side by
-- side: cores may share what computes or what reads memory, and others use them. By CPU time: what would be
-- reached on cores of one's own, waiting and sharing out included. SCALING_ROUNDS (3), SCALING_THREADS (2).

package.path = "bench/?.lua;" .. package.path
local lun = require "lunarray"
local measure = require "measure"

local workloads, order = {}, {}

local function add(name, make)
    workloads[name] = make
    order[#order + 1] = name
end

add("exp_sin", function()
    local x = lun.random(1 << 20, { seed = 1, dtype = "f64" }):copy()
    return function() return lun.eval(((x:sin():exp() + x:cos():log()):exp() * x:tanh()):pow(1.5)) end
end)

add("mandelbrot", function()
    local w, h, limit = 1024, 768, 256
    local k = lun.index(w * h) - 1
    local row = k // w
    local x = ((k - row * w):cast "f32" * (3 / w) - 2):copy()
    local y = (row:cast "f32" * (2.25 / h) - 1.125):copy()
    local escape = lun.zip(function(cx, cy)
        local zx, zy, n = 0.0, 0.0, 0
        while n < limit and zx * zx + zy * zy <= 4 do
            zx, zy, n = zx * zx - zy * zy + cx, 2 * zx * zy + cy, n + 1
        end
        return n
    end)
    return function() return lun.eval(escape(x, y):cast "i32") end
end)

add("monte_carlo", function()
    local n, seed = 1 << 22, 0
    return function()
        seed = seed + 2
        local x, y = lun.random(n, { seed = seed, dtype = "f32" }), lun.random(n, { seed = seed + 1, dtype = "f32" })
        return (x * x + y * y):le(1):sum()
    end
end)

add("collatz", function()
    local k = lun.index(1 << 16):copy()
    local steps = lun.map(function(x)
        local n, s = x, 0
        while n > 1 do
            if n % 2 == 0 then n = n // 2 else n = 3 * n + 1 end
            s = s + 1
        end
        return s
    end)
    return function() return lun.eval(steps(k)) end
end)

add("memory_W1", function()
    local n, v = 1 << 24, {}
    for i = 1, 4 do v[i] = lun.random(n, { seed = i, dtype = "f32" }):copy() end
    return function() return lun.eval((v[1] + v[2]) * (v[3] + v[4])) end
end)

add("memory_sum", function()
    local x = lun.random(1 << 25, { seed = 1, dtype = "f32" }):copy()
    local offset = 0
    return function()
        offset = offset + 1
        return (x + offset):sum()
    end
end)

-- One process: the median of its repetitions' milliseconds, for a third of a second after some warming up, and
-- the CPU time of one.
if arg[1] then
    local body, times = workloads[arg[1]](), {}
    for _ = 1, 3 do body() end
    local begin, cpu = measure.now(), os.clock()
    repeat
        local start = measure.now()
        local result = body()
        times[#times + 1] = measure.now() - start
        if type(result) == "userdata" then result:free() end
    until measure.now() - begin > 300
    print(measure.median(times), (os.clock() - cpu) / #times * 1e3)
    return
end

local count = tonumber(os.getenv "SCALING_THREADS") or 2

-- Milliseconds of a repetition in `processes` processes of so many threads, and of CPU time.
local function run(name, processes, threads)
    local pipes, sum, cpu = {}, 0, 0
    for i = 1, processes do
        pipes[i] = assert(io.popen(("'%s' --threads %d bench/scaling.lua %s"):format(arg[-1], threads, name)))
    end
    for _, pipe in ipairs(pipes) do
        sum, cpu = sum + assert(pipe:read "n", name), cpu + pipe:read "n"
        pipe:close()
    end
    return sum / processes, cpu / processes
end

for _, name in ipairs(order) do
    local least = { math.huge, math.huge, math.huge, math.huge, math.huge }
    for _ = 1, tonumber(os.getenv "SCALING_ROUNDS") or 3 do
        local one, cpu_one = run(name, 1, 1)
        local several, cpu_several = run(name, 1, count)
        for i, ms in ipairs { one, several, cpu_one, cpu_several, (run(name, count, 1)) } do
            least[i] = math.min(least[i], ms)
        end
    end
    local one, several, cpu_one, cpu_several, limit = table.unpack(least)
    measure.print("scaling", name .. "_1", one)
    measure.print("scaling", name .. "_" .. count, several)
    print(("# %s: %.2f times as fast with %d threads, limit %.2f; by CPU time %.2f"):format(name, one / several, count,
        count * one / limit, count * cpu_one / cpu_several))
end
