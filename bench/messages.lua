-- Arrays that ranks broadcast, send, gather and exchange: of a call the least seconds, the megabytes that the busiest
-- rank receives, and those that ranks took on top of what they had, for each megabyte that any of them received.
-- usage: lunarray --ranks 2 bench/messages.lua threads megabytes repetitions call
--        mpirun -n 2 lunarray bench/messages.lua mpi megabytes repetitions call
-- messages.c does the same by the MPI library itself; sh bench/messages.sh runs both and prints ratios.

local lun = require "lunarray"
local s = lun.spmd
local n, me = s.npes, s.mype

local shared = arg[1] == "threads" -- ranks have one process: what it takes is that of all
local bytes = tonumber(arg[2]) * 1000000

local function status(name)
    for line in io.lines "/proc/self/status" do
        local kilobytes = line:match("^" .. name .. ":%s*(%d+)")
        if kilobytes then
            return kilobytes * 1024
        end
    end
end

local function reset_peak()
    local file = io.open("/proc/self/clear_refs", "w")
    if file then
        file:write "5"
        file:close()
    end
end

-- The sum of what ranks say of their processes.
local function of_all(x)
    return shared and s.bcast(x) or s.allreduce("+", x)
end

local function array()
    return (lun.index(bytes // 8) + me):cast "f64":eval()
end

local a = array()

-- How many times the busiest rank receives the bytes, and all ranks do; what each rank calls.
local CALLS = {
    bcast = { 1, n - 1, function() return s.bcast(me == 0 and a or nil) end },
    send = { 1, 1, function()
        if me == 0 then s.send(1, a) end
        return me == 1 and s.recv(0)
    end },
    gather = { n - 1, n - 1, function() return s.gather(a) end },
    allgather = { n - 1, n * (n - 1), function() return s.allgather(a) end },
    alltoall = { n - 1, n * (n - 1), function()
        local list = {}
        for k = 1, n do list[k] = a end
        return s.alltoall(list)
    end },
}

local function measure(most, all, call)
    local best, peak = math.huge, 0
    for _ = 1, tonumber(arg[3]) do
        collectgarbage()
        collectgarbage()
        s.barrier()
        local before = of_all(status "VmRSS")
        if not shared or me == 0 then
            reset_peak()
        end
        s.barrier()
        local start = lun.clock()
        local got = call()
        s.barrier()
        best = math.min(best, lun.clock() - start)
        peak = math.max(peak, of_all(status "VmHWM") - before)
        assert(me > 0 or got ~= nil)
    end
    best = s.allreduce("max", best)
    if me == 0 then
        print(("%s %.6f %.1f %.2f"):format(arg[4], best, most * bytes / 1e6, peak / (all * bytes)))
    end
end

measure(table.unpack(CALLS[arg[4]]))
