-- The prompt, measured at a pseudo terminal: time to the prompt, printing of a huge virtual array, and
-- Ctrl-C at random moments in six workloads.
-- usage: build/lunarray bench/prompt.lua [Ctrl-Cs per workload]

package.path = "tests/?.lua;" .. package.path
local terminal = require "terminal"

local each = tonumber(arg[1]) or 20

-- The milliseconds that a run told.
local function times_of(text)
    local times = {}
    for time in text:gmatch "%[([%d.]+) ms%]" do
        times[#times + 1] = tonumber(time)
    end
    table.sort(times)
    return times
end

local function quantile(times, q)
    return times[math.max(1, math.ceil(q * #times))] or 0 / 0
end

local function report(name, times)
    print(("%-34s n %3d   median %6.1f ms   p99 %6.1f ms   worst %6.1f ms"):format(name, #times, quantile(times, 0.5),
        quantile(times, 0.99), times[#times] or 0 / 0))
end

local function repeated(count, steps)
    local all = {}
    for _ = 1, count do
        local times = times_of((terminal.run(steps)))
        all[#all + 1] = times[1]
    end
    table.sort(all)
    return all
end

report("time to the prompt", repeated(20, { { "wait", "> " }, { "time" }, { "send", "\4" } }))
report("preview of (index(1e12) + 1)^2", repeated(20, {
    { "wait", "> " }, { "send", "(lun.index(1000000000000) + 1)^2\r" }, { "wait", "]\r\n" }, { "time" },
    { "send", "\4" },
}))

local slow_compiler = os.tmpname()
local file = assert(io.open(slow_compiler, "wb"))
file:write "#!/bin/sh\nsleep 30\n"
file:close()
os.execute("chmod 755 " .. slow_compiler)

local workloads = {
    { "script loop", "while true do pcall(function() while true do end end) end" },
    { "coroutines", "while true do coroutine.wrap(function() for i = 1, 1e9 do end end)() end" },
    { "elementwise kernels", "x = lun.random(2e7) for i = 1, 200 do x = x:sin() + x:exp() end x:eval()" },
    { "reduction", "(lun.index(1000000000000):cast 'f64' * 0.5):sum()" },
    { "Lua function with a loop",
      "lun.index(20000000):map(function(x) local n = 0 while n < 100000 do n = n + 1 end return n + x end):eval()" },
    { "printing", "for i = 1, 1e9 do print(i) end" },
    { "waiting for the compiler", "lun.index(1000)SINES:sum()", -- another kernel each time
      ("LUNARRAY_JIT=sync LUNARRAY_CC=%s LUNARRAY_CACHE_DIR="):format(slow_compiler) },
}

local all, failures = {}, 0
math.randomseed(12345)
for _, workload in ipairs(workloads) do
    local steps = { { "wait", "> " }, { "send", "kept = 41\r" }, { "wait", "\n" }, { "wait", "> " } }
    for i = 1, each do
        table.move({
            { "send", workload[2]:gsub("SINES", (":sin()"):rep(i)) .. "\r" }, { "wait", "\n" },
            { "sleep", math.random(0, 700) }, { "send", "\3" }, { "wait", "> " }, { "time" },
            { "sleep", 1050 - 700 }, -- two within a second end the program
        }, 1, 7, #steps + 1, steps)
    end
    table.move({ { "send", "kept + 1\r" }, { "wait", "42" }, { "wait", "> " }, { "send", "\4" } }, 1, 4, #steps + 1,
        steps)
    local text = terminal.run(steps, { environment = workload[3] })
    local times = times_of(text)
    report("Ctrl-C: " .. workload[1], times)
    if #times ~= each or not text:find("[exit 0]", 1, true) then
        failures = failures + 1
        print("   FAILED: ..." .. text:sub(-300))
    end
    table.move(times, 1, #times, #all + 1, all)
end
os.remove(slow_compiler)
table.sort(all)
report("Ctrl-C: all", all)
print(("%d workloads ended otherwise than at the prompt with everything kept"):format(failures))
os.exit(failures == 0)
