-- What two threads do to short runs, process by process: how long a run takes depends on where the system puts the
-- threads of a process, often for all its life, so one process is one sample: the median of 300 calls of one workload.
-- Processes of one thread run in turn with those of all threads, each while `load` others keep a core busy.
-- usage: LUNARRAY_JIT=sync lunarray bench/processes.lua [processes] [load]...     default: 200 of each kind, 0 1 2 4
-- The table: microseconds of the median process of one thread and of all threads, of the worst of all threads, and how
-- many of these take more than twice the median of one thread. PROCESSES_SIZES (14 16 18: powers of two).

package.path = "bench/?.lua;" .. package.path
local lun = require "lunarray"
local measure = require "measure"

local CALLS <const> = 300
local workloads = {
    { "sum f64", function(x) return function() return x:sum() end, function() x[1] = 1 end end },
    { "map f32", function(x)
        local y = x:cast "f32":eval()
        return function() return lun.eval((y + 0.5) * (y - 0.5)) end, function(r) r:free() end
    end },
}

-- One process: the median of each workload at each size.
if arg[1] == "sample" then
    for _, bits in ipairs { table.unpack(arg, 2) } do
        for _, w in ipairs(workloads) do
            local body, after = w[2](lun.random(1 << tonumber(bits), { seed = 1 }):copy())
            local times = {}
            for k = -9, CALLS do
                local start = measure.now()
                local result = body()
                local time = measure.now() - start
                after(result)
                if k > 0 then times[k] = time * 1e3 end
            end
            print(measure.median(times))
        end
    end
    return
end

local program = arg[-1]
local sizes = {}
for bits in (os.getenv "PROCESSES_SIZES" or "14 16 18"):gmatch "%d+" do sizes[#sizes + 1] = bits end

-- Figures of one process: a list, workload by workload within size by size.
local function sample(threads)
    local pipe = assert(io.popen(("LUNARRAY_THREADS=%s exec %s bench/processes.lua sample %s"):format(threads, program,
        table.concat(sizes, " "))))
    local list = {}
    for line in pipe:lines() do list[#list + 1] = assert(tonumber(line), line) end
    assert(pipe:close())
    return list
end

-- Shells that compute for nothing until a pipe is closed.
local function start_load(count)
    return io.popen(("for i in $(seq 1 %d); do (while :; do :; done) & all=\"$all $!\"; done; read -r _; " ..
        "[ -z \"$all\" ] || kill $all"):format(count), "w")
end

local function table_of(load, one, all)
    print(("# load %d, %d processes of each kind"):format(load, #one))
    for i = 1, #sizes * #workloads do
        local alone, together, worse = {}, {}, 0
        for p = 1, #one do alone[p], together[p] = one[p][i], all[p][i] end
        local least, most = measure.median(alone), measure.median(together)
        for _, t in ipairs(together) do worse = worse + (t > 2 * least and 1 or 0) end
        print(("%-8s 2^%s  one %8.2f  all %8.2f  worst %8.2f  beyond twice %d"):format(
            workloads[(i - 1) % #workloads + 1][1], sizes[(i - 1) // #workloads + 1], least, most, together[#together],
            worse))
    end
end

local processes = tonumber(arg[1]) or 200
local loads = #arg > 1 and { table.unpack(arg, 2) } or { 0, 1, 2, 4 }
sample(1) -- fills the cache
for _, load in ipairs(loads) do
    local busy = start_load(tonumber(load))
    local one, all = {}, {}
    for p = 1, processes do
        one[p] = sample(1)
        all[p] = sample(os.getenv "LUNARRAY_THREADS" or "")
    end
    busy:close()
    table_of(tonumber(load), one, all)
end
