-- Running sums by work-groups: each team takes a block; its threads add up their elements, t:scan says what stands
-- before each thread, and a second walk writes the sums. Totals of blocks are scanned by one team, and added in a
-- third kernel.
-- Usage: lunarray examples/teamscan.lua [elements]
-- prints:
--     1000003 running sums by teams of 64 threads, 16 elements each: the last is 4500024
--     the same as a:scan('+', 0, {inclusive = true}), on every backend
local lun = require "lunarray"

local n, threads, elements = tonumber(arg[1]) or 1000003, 64, 16
local a = ((lun.index(n) * 7919) % 10):eval()

local division = lun.workdiv(n, { team = threads, elements = elements })
local blocks = division.league[1]

local function scan_blocks(t, sums, totals, x)
    local first = t:index()
    local last = math.min(first + t:elements() - 1, #x)
    local own = 0
    for i = first, last do own = own + x[i] end
    local before, total = t:scan("+", own)
    for i = first, last do
        before = before + x[i]
        sums[i] = before
    end
    t:single(function() totals[t:block()] = total end)
end

-- One team: each thread a share of the blocks.
local function scan_totals(t, carries, totals)
    local share = (#totals + t:threads() - 1) // t:threads()
    local first = (t:thread() - 1) * share + 1
    local last = math.min(first + share - 1, #totals)
    local own = 0
    for i = first, last do own = own + totals[i] end
    local before = t:scan("+", own)
    for i = first, last do
        carries[i] = before
        before = before + totals[i]
    end
end

local function add_carries(t, sums, carries)
    for i = t:index(), math.min(t:index() + t:elements() - 1, #sums) do sums[i] = sums[i] + carries[t:block()] end
end

local here, wanted = lun.use(), a:scan("+", 0, { inclusive = true })
local sums
for _, backend in ipairs(lun.backends()) do
    lun.use(backend)
    sums = lun.zeros(n, "i64")
    local totals, carries = lun.zeros(blocks, "i64"), lun.zeros(blocks, "i64")
    lun.teams(division)(scan_blocks, sums, totals, a)
    lun.teams { league = 1, team = threads }(scan_totals, carries, totals)
    lun.teams(division)(add_carries, sums, carries)
    assert((sums:eq(wanted)):all(), backend .. " gives other sums")
end
lun.use(here)
print(("%d running sums by teams of %d threads, %d elements each: the last is %d")
    :format(n, threads, elements, sums[n]))
print "the same as a:scan('+', 0, {inclusive = true}), on every backend"
