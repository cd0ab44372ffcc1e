-- Ctrl-C at the interactive prompt, at random times in workloads of many kinds, on every backend: each time the prompt
-- is back soon with its session unchanged. tests/pty.c drives the session at a pseudo terminal.
local kit = dofile "tests/torture/kit.lua"
local lun = require "lunarray"

-- Workloads that do not end.
local works = {
    { "a loop", "while true do end" },
    { "pcall in a loop", "while true do pcall(function() while true do end end) end" },
    { "coroutines", "while true do coroutine.wrap(function() lun.random(1e6):sum() coroutine.yield() end)() end" },
    { "a long reduction", "(lun.index(1000000000000):cast 'f64' * 0.5):sum()" },
    { "elementwise kernels", "while true do y = (x:sin() + x:exp() * 1e-9):eval() end" },
    { "scans", "while true do y = lun.scan('+', 0)(x):eval() end" },
    { "the reference backend", "lun.use 'reference'; (lun.index(100000000000) * 3):sum()" },
    { "a Lua function", "lun.map(function(i) local s = i for k = 1, 1e12 do s = s * 31 ~ k end return s end)(lun.index(1e6)):eval()" },
    { "new kernels",
        "k = 0 while true do k = k + 1 local y = lun.index(1000) for j = 1, k % 200 do y = y * 3 + y // j end y:sum() end" },
    { "npy files", "while true do assert(lun.save(path .. '.npy', x)) assert(lun.load(path .. '.npy')) end" },
    { "csv files", "while true do assert(lun.save(path .. '.csv', { a = x:sub(1, 3000) })) assert(lun.load(path .. '.csv')) end" },
    { "an open file", "f = assert(lun.open(path .. '.npy')) while true do local s = (f * 2):sum() end" },
    { "reading", "io.read 'a'" },
    { "a child", "os.execute 'sleep 2' error 'interrupted, or its child was'" },
    { "printing to a string", "while true do local s = tostring(x) .. tostring(lun.zeros { 50, 50 }) end" },
    { "vectors from tables", "while true do lun.vector(lun.range(1, 1e5):totable()) end" },
}
for _, name in ipairs(lun.backends()) do
    if name == "opencl" then
        works[#works + 1] = { "a device", "lun.use 'opencl' while true do y = (x:sqrt() + 1):eval() z = y:sum() end" }
        works[#works + 1] = { "a long kernel on a device", "lun.use 'opencl'; (lun.index(100000000000) * 3):sum()" }
    end
end
-- These may have ended or not yet begun when Ctrl-C arrives: then it interrupts the prompt or the line being typed.
local short = { "6 * 7", "unfinished(", "x:sum()", "for i = 1, 2 do", "(x + 1):max()", "help(lun.map)" }

local function escape(text)
    return (text:gsub("[%c\\]", function(c) return ("\\x%02x"):format(c:byte()) end))
end

-- One session of some rounds. Returns the times from Ctrl-C to the prompt in ms, and the rounds it survived.
local function session(first, rounds, random)
    local dir = kit.directory()
    local steps = {}
    local function step(what, text)
        steps[#steps + 1] = what .. (text and " " .. escape(tostring(text)) or "")
    end
    step("wait", "> ")
    step("send", ("path = '%s/f' x = lun.random(300000):eval() lun.save(path .. '.npy', x) kept = x:sum() "):format(dir) ..
        "print('rea' .. 'dy')\r")
    step("wait", "ready")
    step("wait", "> ")
    for i = first, first + rounds - 1 do
        if i % 5 == 4 then
            step("send", short[i // 5 % #short + 1] .. (i % 2 == 0 and "\r" or ""))
            step("any", random(60) - 1)
            step("send", "\3")
            step("any", 30)
        else
            step("send", works[(i - i // 5) % #works + 1][2] .. "\r")
            step("wait", "\n")
            step("any", random(300))
            step("mark", "round " .. i)
            step("send", "\3")
            step("wait", "interrupted")
            step("wait", "> ")
            step("time")
        end
        step("send", ("lun.use 'openmp' print('ali' .. 've%d', x:sum() == kept)\r"):format(i))
        step("wait", ("alive%d\ttrue"):format(i))
        step("wait", "> ")
    end
    step("send", "\4")
    kit.write(dir .. "/steps", table.concat(steps, "\n") .. "\n")
    local command = ("env -u LUA_INIT NO_COLOR=1 TERM=xterm XDG_STATE_HOME=%s LUNARRAY_BACKEND=openmp "):format(dir) ..
        ("%s/tests/pty 200 %s/lunarray <%s/steps 2>&1"):format(kit.build, kit.build, dir)
    local pipe = assert(io.popen(command))
    local raw = pipe:read "a"
    local good = pipe:close()
    local times, alive = {}, 0
    for ms in raw:gmatch "%[([%d.]+) ms%]" do
        times[#times + 1] = tonumber(ms)
    end
    for i = first, first + rounds - 1 do
        alive = alive + (raw:find(("alive%d\ttrue"):format(i), 1, true) and 1 or 0)
    end
    if not good or alive < rounds then
        io.stderr:write(raw:gsub("\27%[[%d;?]*%a", ""):sub(-2000), "\n")
    end
    return times, alive, good
end

kit.part("Ctrl-C at the prompt", function()
    local random = kit.generator(tonumber(os.getenv "TORTURE_SEED") or 11)
    local rounds = kit.count(500, #works + #works // 4 + 1)
    local all, alive, ended, done = {}, 0, 0, 0
    while done < rounds do
        local n = math.min(50, rounds - done)
        local times, living, good = session(done, n, random)
        table.move(times, 1, #times, #all + 1, all)
        alive, ended, done = alive + living, ended + (good and 0 or 1), done + n
    end
    table.sort(all)
    local half, p99 = all[#all // 2 + 1] or 0, all[math.ceil(#all * 0.99)] or 0
    return alive == rounds and ended == 0 and #all > 0,
        "alive %d of %d times in %d workloads; to the prompt: median %.0f ms, p99 %.0f ms, worst %.0f ms", alive, rounds, #works, half,
        p99, all[#all] or 0
end)
