-- Sizes from 2^8 to 2^24 by dtypes and by kinds of work: ours in a new process and after a session of mixed sizes, a
-- plain C loop on one thread, and numpy where it is installed.
-- usage: LUNARRAY_JIT=sync lunarray bench/sweep.lua                 the table, from processes that run in turn
--        lunarray bench/sweep.lua measure NAME                      the lines of one process, as C and numpy print them
-- SWEEP_SIZES (8 12 15 16 18 20 24: powers of two; 12.5 is one too), SWEEP_DTYPES (f32 f64 i32 u8), SWEEP_WORK (all),
-- SWEEP_ROUNDS (3), SWEEP_PYTHON (python3), SWEEP_BESIDE (new session C numpy; also `one`: ours on one thread).
-- Times are medians of calls, then of rounds.

package.path = "bench/?.lua;" .. package.path
local lun = require "lunarray"
local measure = require "measure"

local function words(name, default)
    local list = {}
    for word in (os.getenv(name) or default):gmatch "%S+" do list[#list + 1] = word end
    return list
end

local work = words("SWEEP_WORK", "map fused sum dot count scan copy function")
local dtypes = words("SWEEP_DTYPES", "f32 f64 i32 u8")
local sizes = words("SWEEP_SIZES", "8 12 15 16 18 20 24")

-- ---------------------------------------------------------------- ours

local scan = lun.scan("+", 0)
local square = lun.map(function(x) return x * x - x end)
local run = {
    map = function(a) return lun.eval(a + 1) end,
    fused = function(a, b) return lun.eval((a + b) * (a - b)) end,
    sum = function(a) return a:sum() end,
    dot = function(a, b) return a:dot(b) end,
    count = function(a, b) return a:lt(b):count() end,
    scan = function(a) return lun.eval(scan(a)) end,
    copy = function(a) return a:copy() end,
    ["function"] = function(a) return lun.eval(square(a)) end,
}

-- The median of calls in microseconds; at least 5, for about `ms` milliseconds. What a call gives goes back and an
-- element is written between them, so that no kept result is measured.
local function time_of(body, a, b, ms)
    local times, all, k = {}, 0, -2
    while k < 5 or all < ms and k < 1000 do
        local start = measure.now()
        local result = body(a, b)
        local time = measure.now() - start
        if type(result) == "userdata" then result:free() end
        a[1] = k % 2
        k = k + 1
        if k > 0 then times[k], all = time * 1e3, all + time end
    end
    return measure.median(times)
end

-- What a long session leaves: 400 arrays of many sizes, some kept for a while.
local function mix()
    local kept = {}
    for k = 1, 200 do
        local x = lun.random(math.floor(1.07 ^ k) + 100 * k, { seed = k }):copy()
        kept[k % 50] = (x * 2):eval()
    end
    for _, x in pairs(kept) do x:free() end
end

if arg[1] == "measure" then
    if arg[2] == "session" then mix() end
    for _, bits in ipairs(sizes) do
        local n = math.floor(2 ^ tonumber(bits))
        for _, t in ipairs(dtypes) do
            local a = (lun.random(n, { seed = 1 }) * 50):cast(t):copy()
            local b = (lun.random(n, { seed = 2 }) * 50):cast(t):copy()
            for _, w in ipairs(work) do
                print(w, t, bits, arg[2], time_of(run[w], a, b, 2))
            end
            a:free()
            b:free()
        end
    end
    return
end

-- ---------------------------------------------------------------- the table

local program, build = arg[-1], os.getenv "BUILD" or "build"
local python = os.getenv "SWEEP_PYTHON" or "python3"
local commands = {
    new = program .. " bench/sweep.lua measure new",
    session = program .. " bench/sweep.lua measure session",
    one = "LUNARRAY_THREADS=1 " .. program .. " bench/sweep.lua measure one",
    C = build .. "/bench/sweep",
    numpy = python .. " bench/sweep.py",
}
local variants = {}
for _, v in ipairs(words("SWEEP_BESIDE", "new session C numpy")) do
    if v ~= "numpy" or os.execute(python .. " -c 'import numpy' 2>/dev/null") then variants[#variants + 1] = v end
end
-- the programs are told all that was chosen
local choice = ("SWEEP_SIZES='%s' SWEEP_DTYPES='%s' SWEEP_WORK='%s' "):format(table.concat(sizes, " "),
    table.concat(dtypes, " "), table.concat(work, " "))

local cells = {}
for _ = 1, tonumber(os.getenv "SWEEP_ROUNDS" or 3) do
    for _, v in ipairs(variants) do
        local pipe = assert(io.popen(choice .. commands[v]))
        for line in pipe:lines() do
            local w, t, bits, us = line:match "^(%S+)%s+(%S+)%s+(%S+)%s+%S+%s+(%S+)$"
            local key = table.concat({ w, t, bits, v }, " ")
            local list = cells[key] or {}
            list[#list + 1] = assert(tonumber(us), line)
            cells[key] = list
        end
        assert(pipe:close())
    end
end

print(("%-22s"):format "us; then / the first" .. (" %9s"):rep(#variants):format(table.unpack(variants)))
for _, w in ipairs(work) do
    for _, t in ipairs(dtypes) do
        for _, bits in ipairs(sizes) do
            local times, ratios, first = {}, {}, nil
            for k, v in ipairs(variants) do
                local us = measure.median(cells[table.concat({ w, t, bits, v }, " ")])
                first = first or us
                times[k] = (" %9.2f"):format(us)
                ratios[k] = (" %5.2f"):format(us / first)
            end
            print(("%-10s%-4s 2^%-5s"):format(w, t, bits) .. table.concat(times) .. table.concat(ratios, "", 2))
        end
    end
end
