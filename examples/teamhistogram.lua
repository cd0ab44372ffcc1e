-- A histogram by teams: each thread counts its part of the values in a row of the team's own memory, the threads
-- meet, and add up the rows bin by bin; what teams have counted is added up at the end. Integers: the order does not
-- matter.
-- Usage: lunarray examples/teamhistogram.lua [values]
-- prints:
--     1000000 values in 32 bins by 64 teams of 16 threads: the fullest bin has 31741, the emptiest 30956
--     the same as a:histogram(), on every backend
local lun = require "lunarray"

local n, bins, teams, threads = tonumber(arg[1]) or 1000000, 32, 64, 16
local values = lun.random(n, { seed = 3 }):eval()

local function count(t, counts, a)
    local rows = t:scratch("i32", bins * t:threads())
    local own = (t:thread() - 1) * bins
    local share = (#a + t:blocks() * t:threads() - 1) // (t:blocks() * t:threads())
    local first = ((t:block() - 1) * t:threads() + t:thread() - 1) * share
    for i = first + 1, math.min(first + share, #a) do
        local bin = own + math.min(math.floor(a[i] * bins), bins - 1) + 1
        rows[bin] = rows[bin] + 1
    end
    t:barrier()
    t:each(bins, function(bin)
        local sum = 0
        for thread = 0, t:threads() - 1 do sum = sum + rows[thread * bins + bin] end
        counts[t:block()][bin] = sum
    end)
end

local here, wanted = lun.use(), values:histogram(bins, { range = { 0, 1 } })
local result
for _, backend in ipairs(lun.backends()) do
    lun.use(backend)
    local counts = lun.zeros({ teams, bins }, "i32")
    lun.teams { league = teams, team = threads }(count, counts, values)
    result = counts:sum(1):eval()
    assert((result:eq(wanted)):all(), backend .. " counts something else")
end
lun.use(here)
print(("%d values in %d bins by %d teams of %d threads: the fullest bin has %d, the emptiest %d")
    :format(n, bins, teams, threads, result:max() + 0, result:min() + 0))
print "the same as a:histogram(), on every backend"
