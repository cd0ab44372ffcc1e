-- Files and processes for specs: whole files in and out, commands and what they print, the interpreter that runs
-- the specs. Knows nothing of Lunarray.

local lfs = require "lfs"

local shell = {}

-- The interpreter that runs this process, as it was started.
function shell.interpreter()
    local index = 0
    while arg[index - 1] do
        index = index - 1
    end
    return arg[index]
end

function shell.slurp(path)
    local file = assert(io.open(path, "rb"))
    local text = file:read "a"
    file:close()
    return text
end

-- Gives the path back.
function shell.write(path, text)
    local file = assert(io.open(path, "wb"))
    file:write(text)
    file:close()
    return path
end

-- What a command writes to its standard output, and its exit status.
function shell.capture(command)
    local pipe = assert(io.popen(command))
    local text = pipe:read "a"
    local _, _, status = pipe:close()
    return text, status
end

-- A new directory of its own, which shell.discard removes with all that is in it.
function shell.scratch()
    local directory = os.tmpname()
    os.remove(directory)
    assert(lfs.mkdir(directory))
    return directory
end

function shell.discard(directory)
    assert(os.execute(("rm -rf '%s'"):format(directory)))
end

-- A shell command that waits until a process has computed for so many hundredths of a second from then on, or has ended:
-- however busy the machine is, what the process does next is under way then. pid: as shells write it.
function shell.computing(pid, hundredths)
    local used = ([[$(sed "s/.*) //" /proc/%s/stat 2>/dev/null | cut -d" " -f12)]]):format(pid) -- the 14th of all
    return ("used=%s; while now=%s; test -n \"$now\" && test $((now - used)) -lt %d; do sleep 0.02; done"):format(used, used,
        hundredths)
end

-- One that waits until a process waits for something.
function shell.waiting(pid)
    return ([[until grep -q ") S" /proc/%s/stat; do sleep 0.02; done]]):format(pid)
end

-- A statement for a script: SIGINT to itself once it has computed for so long.
function shell.interrupts_itself(hundredths)
    return ("os.execute(%q)"):format(("(%s; kill -INT $PPID) >/dev/null 2>&1 &"):format(shell.computing("$PPID", hundredths)))
end

return shell
