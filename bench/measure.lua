-- What the benchmark scripts share: timing of repetitions, in the manner of baselines/bench.h, and the
-- line that each result is printed as. Everything between two readings of the clock counts.

package.cpath = (os.getenv "BUILD" or "build") .. "/bench/?.so;" .. package.cpath

local lun = require "lunarray"
local clock = require "clock"

local measure = { now = clock.now }

measure.reps = tonumber(os.getenv "BENCH_REPS") or 11

local WARMUP = 2

function measure.median(list)
    table.sort(list)
    return list[#list // 2 + 1]
end

function measure.print(name, variant, ms, least)
    print(("%-10s %-22s %10.4f ms min %.4f"):format(name, variant, ms, least or ms))
end

-- Times body(), `each` evaluations, after warm-up runs. after(result) is not timed: it lets go of the result
-- and changes an input, so that no kept result can be measured; that work was done is checked. The time told
-- is that of a body times `scale` (1).
function measure.run(name, variant, each, body, after, scale)
    local ms, before = {}, nil
    for rep = 1 - WARMUP, measure.reps do
        if rep == 1 then
            before = lun.stats()
        end
        local start = clock.now()
        local result = body()
        local time = clock.now() - start
        if rep > 0 then
            ms[rep] = time * (scale or 1)
        end
        after(result, rep)
    end
    local stats = lun.stats()
    assert(stats.launches - before.launches >= each * measure.reps, "a kept result was measured")
    assert(stats.compiles == before.compiles, "a compilation was measured")
    local median = measure.median(ms)
    measure.print(name, variant, median, ms[1])
end

return measure
