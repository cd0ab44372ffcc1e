-- Long computations that are stopped, in programs of their own: by an interrupt at the prompt, by a memory limit. The engine
-- works after each, which an expression `check` tells, whose value is `wanted`, a text of Lua.
local shell = require "shell"

local stopped = {}

local function run(command, script)
    local path = shell.write(os.tmpname(), script)
    local text = shell.capture(command:format(shell.interpreter(), path))
    os.remove(path)
    return text
end

-- The statements `call` without end behind `prepare`, until an interrupt comes.
function stopped.by_interrupt(prepare, call, check, wanted)
    local text = run("timeout -s KILL 300 %s -i <%s 2>&1", ("%s\n"
        .. 'os.execute "(sleep 0.4; kill -INT $PPID) >/dev/null 2>&1 &" while true do %s end\n'
        .. 'print("goes on", %s == %s)\n'):format(prepare, call, check, wanted))
    assert(text:find("interrupted", 1, true), text)
    assert(text:find("goes on\ttrue", 1, true), text)
end

-- The expression `call` behind `prepare` with so many MB for elements.
function stopped.by_memory(megabytes, prepare, call, check, wanted)
    local text = run("%s --memory-limit " .. megabytes .. " %s 2>&1", ([[
        %s
        local ok, e = pcall(function() return %s end)
        print(ok, tostring(e):match "memory limit reached", %s == %s)]]):format(prepare, call, check, wanted))
    assert(text == "false\tmemory limit reached\ttrue\n", text)
end

return stopped
