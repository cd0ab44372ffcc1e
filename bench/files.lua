-- W13: reductions over a file that is several times larger than memory may get (bench/run.sh limits the
-- address space), beside cat. usage: lunarray bench/files.lua path megabytes
-- In each repetition ours and cat run in turn: from the page cache, and from disk after the file was dropped
-- from the cache. That nothing of the file is kept is checked.

package.path = "bench/?.lua;" .. package.path
local lun = require "lunarray"
local measure = require "measure"

local path, megabytes = arg[1], tonumber(arg[2])
local n = megabytes << 18
assert(lun.save(path, lun.random(n, { seed = 1, dtype = "f32" }), { dtype = "f32" }))

local part = lun.open(path, { dtype = "f32" }):sub(1, 3000001)
assert(part:sum() == part:copy():sum() and (part * part):sum() == (part:copy() * part):sum())
part:free()
collectgarbage()
lun.trim()
lun.stats "reset"
local before = lun.stats().peak

local function ours_sum()
    local f <close> = assert(lun.open(path, { dtype = "f32" }))
    assert(math.abs(f:sum() / n - 0.5) < 1e-3)
end

local function ours_map()
    local f <close> = assert(lun.open(path, { dtype = "f32" }))
    assert(math.abs((f * f + f):sum() / n - 5 / 6) < 1e-3)
end

local function cat()
    assert(os.execute("cat '" .. path .. "' > /dev/null"))
end

local function drop()
    os.execute("dd of='" .. path .. "' oflag=nocache conv=notrunc,fdatasync count=0 2> /dev/null")
end

local function time(list, body)
    local start = measure.now()
    body()
    list[#list + 1] = measure.now() - start
end

-- cat and ours in turn, so many times.
local function run(name, body, prepare, reps)
    local times = { cat = {}, ours = {} }
    for rep = 0, reps do
        prepare()
        time(times.cat, cat)
        prepare()
        time(times.ours, body)
        if rep == 0 then
            times = { cat = {}, ours = {} }
        end
    end
    measure.print(name, "cat", measure.median(times.cat), times.cat[1])
    measure.print(name, "ours", measure.median(times.ours), times.ours[1])
end

local function nothing() end

run("W13sum", ours_sum, nothing, measure.reps)
run("W13map", ours_map, nothing, measure.reps)
run("W13disk", ours_sum, drop, math.max(1, measure.reps // 4))
assert(lun.stats().peak == before, "the file took memory")
