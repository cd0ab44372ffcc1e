-- Scenes of a program in Python, each of them a test: one process runs them one after the other, for what it loads first takes
-- longer than most of them. A program takes LIBRARY SCENE,SCENE,... and what follows, by arrow_tools.play.
local shell = require "shell"

local M = {}

local build = os.getenv "BUILD" or "build"
M.python = build .. "/doors/venv/bin/python"
M.library = build .. "/liblunarray.so.0"

-- Whether Python and its packages are there, and no sanitizer is; else it prints what is left out.
function M.there(packages)
    local sanitized = build:find "asan" or build:find "tsan"
    local script = "import importlib.util as u, sys; sys.exit(not all(map(u.find_spec, sys.argv[1:])))"
    local _, status = shell.capture(("%s -c '%s' %s 2>&1"):format(M.python, script, packages))
    if status == 0 and not sanitized then
        return true
    end
    print(("left out: with %s: %s"):format(packages:gsub(" ", ", "), sanitized and "no sanitizer" or
        "skipped: none (sh tests/setup.sh doors)"))
    return false
end

-- The tests of scenes, by busted's `it`: what begins their titles, the program, the scenes, a function that gives what follows
-- them, variables for the command.
function M.tests(it, title, program, scenes, following, variables)
    local said
    local function played()
        if not said then
            said = shell.capture(("%s %s tests/spec/doors/%s %s %s %s 2>&1"):format(variables or "", M.python, program, M.library,
                table.concat(scenes, ","), following and following() or ""))
        end
        return said
    end
    for _, scene in ipairs(scenes) do
        it(title .. scene, function()
            local text = "\n" .. played()
            local count = text:match("\n" .. scene .. ": (%d+) compared\n")
            assert(count, text)
            assert(tonumber(count) > 0, text)
        end)
    end
end

return M
