-- What ranks cost: computing on one rank; messages, bytes and modelled time of the network on many. The shell script
-- beside puts both together. usage: lunarray [--ranks P] bench/ranks.lua compute | network | scaleout | steps
-- N: elements of an array, for compute those of one rank; SIDE: rows of the matrices (1024), ROWS: one rank's (SIDE).

local lun = require "lunarray"

local N = math.tointeger(os.getenv "N" or 1 << 26)
local SIDE = math.tointeger(os.getenv "SIDE" or 1024)
local ROWS = math.tointeger(os.getenv "ROWS" or SIDE)
local HALO = 64 -- elements of each rank in the stencil's network run: what is sent does not depend on it

local modes = {}

-- ---------------------------------------------------------------- one rank

-- Prints the least processor time of f, in ms; after a run that compiles. Short ones are repeated.
local function compute(name, f)
    local least = math.huge
    f()
    for _ = 1, 5 do
        local start, count = os.clock(), 0
        repeat
            f()
            count = count + 1
        until os.clock() - start > 0.02
        least = math.min(least, (os.clock() - start) / count)
    end
    print(("compute %s %.6f"):format(name, least * 1e3))
end

function modes.compute()
    local a, b, c, d = lun.zeros(N):copy(), lun.ones(N):copy(), lun.ones(N):copy(), lun.ones(N):copy()
    compute("elementwise", function()
        ((a + b) * (c + d)):eval():free()
    end)
    compute("sum", function()
        assert(b:sum() == N)
    end)
    compute("scan", function()
        b:scan("+"):eval():free()
    end)
    compute("stencil", function()
        lun.each({ { 2, N - 1 } }, function(i)
            a[i] = (b[i - 1] + b[i + 1]) / 2
        end)
    end)
    local x, y = lun.random { ROWS, SIDE }:eval(), lun.random { SIDE, SIDE }:eval()
    compute("matmul", function()
        x:matmul(y):eval():free()
    end)
end

-- ---------------------------------------------------------------- ranks

-- What f costs: the most of any rank.
local function network(name, f)
    local s = lun.spmd
    s.barrier()
    lun.stats "reset"
    local before = lun.stats().network_time
    f()
    local now = lun.stats()
    local list = {
        (now.network_time - before) * 1e6, now.messages, now.bytes_sent, now.collectives,
    }
    local most, all = s.allreduce("max", lun.vector(list)), s.allreduce("+", now.messages)
    if s.mype == 0 then
        print(("network %s %d %.3f %d %d %d %d"):format(name, s.npes, most[1], most[2], most[3], most[4], all))
    end
end

function modes.network()
    local s = lun.spmd
    local n = s.npes
    local a, b = lun.zeros { s.block(N) }, lun.ones { s.block(N) }
    network("barrier", s.barrier)
    network("elementwise", function()
        ((a + b) * (b + b)):eval()
    end)
    network("sum", function()
        assert(b:sum() == N)
    end)
    network("scan", function()
        b:scan("+"):eval()
    end)
    local l, r = lun.zeros { s.block(HALO * n) }, lun.ones { s.block(HALO * n) }
    local function step()
        s.sharedon(l, { { 2, HALO * n - 1 } }, function(i)
            r[i] = (l[i - 1] + l[i + 1]) / 2
        end)
    end
    network("stencil-first", step)
    network("stencil", step)
    network("allreduce", function()
        s.allreduce("+", 1.0)
    end)
    if n <= 64 then -- each rank holds a panel of 4 MiB
        local x, y = lun.ones { s.block(SIDE), SIDE }, lun.ones { s.block(SIDE), SIDE }
        network("matmul", function()
            x:matmul(y):eval()
        end)
    end
end

-- An unchanged script on all ranks: lunarray --ranks P --backend mpi.
function modes.scaleout()
    local list = {}
    for k = 1, 4 do
        list[k] = lun.full(N, k):copy():distribute "block"
        list[k] = (list[k] + 0):eval()
    end
    local function expression()
        return ((list[1] + list[2]) * (list[3] + list[4])):eval()
    end
    -- The last element is read, so that the time is that of the way to the last rank and back.
    local function run()
        return assert(expression()[N] == 21)
    end
    run()
    lun.stats "reset"
    local before = lun.stats().network_time
    run()
    local now = lun.stats()
    print(("network scaleout %d %.3f %d %d 0 0"):format(select("#", lun.use()), (now.network_time - before) * 1e6,
        now.messages, now.bytes_moved))
end

-- Real time of steps, in microseconds each: under a launcher, beside bench/allreduce.c.
function modes.steps()
    package.cpath = (os.getenv "BUILD" or "build") .. "/bench/?.so;" .. package.cpath
    local clock, s, rounds = require "clock", lun.spmd, 300
    local function time(name, f)
        local start
        for round = -20, rounds do
            if round == 1 then
                s.barrier()
                start = clock.now()
            end
            f()
        end
        if s.mype == 0 then
            print(("steps %s %d %.2f"):format(name, s.npes, (clock.now() - start) * 1e3 / rounds))
        end
    end
    time("barrier", s.barrier)
    time("allreduce", function()
        s.allreduce("+", 1.0)
    end)
    local x = lun.ones(1)
    time("allreduce-array", function()
        s.allreduce("+", x):eval()
    end)
end

modes[assert(arg[1], "compute, network, scaleout or steps")]()
