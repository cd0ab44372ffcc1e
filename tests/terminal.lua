-- A session of the program at a pseudo terminal, for specs: types, waits and gives what the terminal
-- showed. The work is done by tests/pty.c. Knows nothing of the prompt.

local shell = require "shell"

local terminal = {}

-- The program that runs the specs, and the directory it was built in.
terminal.program = io.popen(("readlink -f '%s'"):format(shell.interpreter())):read "l"
terminal.build = terminal.program:match "^(.*)/"

-- Bytes as a line of pty's script.
local function escape(text)
    return (text:gsub("[%c\\]", function(c)
        return ("\\x%02x"):format(c:byte())
    end))
end

-- A directory of its own for a spec; terminal.remove takes it away.
function terminal.directory()
    return io.popen "mktemp -d":read "l"
end

function terminal.remove(directory)
    os.execute(("rm -rf '%s'"):format(directory))
end

-- Runs the program with `opts.arguments` in `opts.environment` (words for env) and the directory
-- opts.directory; the steps are pairs such as { "send", text }, { "wait", text }, { "busy" }, { "press", text },
-- { "idle" }, { "touch", file }, { "signal", number }, { "columns", count }. Gives what was shown without colours and cursor
-- movements, then as it came. The text ends with "[exit N]" or "[signal N]".
function terminal.run(steps, opts)
    opts = opts or {}
    local directory = opts.directory or terminal.directory()
    local script = directory .. "/steps"
    local file = assert(io.open(script, "wb"))
    for _, step in ipairs(steps) do
        file:write(step[1], step[2] and " " .. escape(tostring(step[2])) or "", "\n")
    end
    file:close()
    local command = ("cd '%s' && env -u LUA_INIT NO_COLOR=1 TERM=xterm XDG_STATE_HOME='%s' %s '%s/tests/pty' %d '%s' %s <steps 2>&1")
        :format(directory, directory, opts.environment or "", terminal.build, opts.columns or 80,
            opts.program or terminal.program, opts.arguments or "")
    local pipe = assert(io.popen(command))
    local raw = pipe:read "a"
    pipe:close()
    if not opts.directory then
        terminal.remove(directory)
    end
    local text = raw:gsub("\27%[[%d;?]*%a", ""):gsub("\27[78]", ""):gsub("\r", "")
    assert(not text:find "%[signal 9%]%s*$", "the program went on after the last step:\n" .. text)
    return text, raw
end

-- Types inputs one after another, each when the prompt is there, then Ctrl-D.
function terminal.dialogue(inputs, opts)
    local steps = { { "wait", "> " } }
    for _, input in ipairs(inputs) do
        steps[#steps + 1] = { "send", input .. "\r" }
        steps[#steps + 1] = { "wait", "\n" }
        steps[#steps + 1] = { "wait", "> " }
    end
    steps[#steps + 1] = { "idle" } -- what is shown may have had "> " in it
    steps[#steps + 1] = { "send", "\4" }
    return terminal.run(steps, opts)
end

return terminal
