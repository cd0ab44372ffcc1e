-- NumPy as an outside oracle of the specs, where there is one.
local shell = require "shell"

local numpy = {}

-- The Python that has numpy, if one does.
local python
for _, name in ipairs { "python3", "/usr/bin/python3" } do
    if not python and os.execute(name .. " -c 'import numpy' >/dev/null 2>&1") then
        python = name
    end
end

-- What the Python program `text` prints, run in the directory.
function numpy.run(directory, text)
    local script = shell.write(directory .. "/script.py", text)
    local pipe = assert(io.popen(("cd %s && %s script.py 2>&1"):format(directory, python)))
    local out = pipe:read "a"
    pipe:close()
    os.remove(script)
    return out
end

-- The body of a test that needs numpy; without it the test is pending, by the spec's own function of busted.
function numpy.needed(pending, body)
    return function()
        if not python then
            pending "no Python with numpy here"
            return
        end
        body()
    end
end

return numpy
