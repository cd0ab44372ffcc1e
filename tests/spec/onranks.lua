-- Ranks for specs: the program's path from anywhere, a scratch directory, scripts that several ranks run as threads.
local shell = require "shell"

local onranks = {}

local program = shell.interpreter()

onranks.here = shell.capture "pwd":gsub("\n$", "")
onranks.path = program:sub(1, 1) == "/" and program or onranks.here .. "/" .. program
onranks.sanitized = program:find "/asan/" or program:find "/tsan/"

-- A scratch directory for a file whose functions these are: a function that gives its path.
function onranks.scratch(setup, teardown)
    local scratch
    setup(function() scratch = shell.scratch() end)
    teardown(function() shell.discard(scratch) end)
    return function() return scratch end
end

-- Lines of a text, sorted; of equal ones the first alone, unless `all`.
function onranks.lines(text, all)
    local lines, seen = {}, {}
    for line in text:gmatch "[^\n]+" do
        if all or not seen[line] then
            seen[line], lines[#lines + 1] = true, line
        end
    end
    table.sort(lines)
    return lines
end

-- The different lines that n ranks print, sorted, those to stderr among them.
function onranks.printed(scratch, n, script)
    shell.write(scratch .. "/s.lua", script)
    return onranks.lines((shell.capture(("cd %s && LUNARRAY_RANK_TIMEOUT=30 timeout 100 %s --ranks %d s.lua 2>&1"):format(
        scratch, onranks.path, n))))
end

return onranks
