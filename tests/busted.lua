-- Runs busted in the interpreter that runs this file, so that specs see the program itself:
-- build/lunarray tests/busted.lua [busted's options] [spec files].
-- A spec's head says on which machine it runs, if that matters, in a process of its own: a line "-- machine: ...", in hwloc's
-- words, simulates its cores and caches, a line "-- threads: ..." sets their number.
local function quoted(s) return "'" .. s:gsub("'", [['\'']]) .. "'" end

local variables = { machine = "HWLOC_SYNTHETIC", threads = "LUNARRAY_THREADS" }

-- Variables of the environment by their names, as the first lines of a file have them.
local function read_head(path, wanted)
    local file, n = io.open(path), 0
    for line in file and file:lines() or function() end do
        n = n + 1
        local word, value = line:match "^%-%- (%l+): (.*)$"
        local name = variables[word]
        if name then wanted[name] = wanted[name] or value end
        if n == 10 then break end
    end
end

local wanted, settings = {}, {}
for _, path in ipairs(arg) do
    if path:find "_spec%.lua$" then read_head(path, wanted) end
end
for _, name in pairs(variables) do
    if wanted[name] and os.getenv(name) ~= wanted[name] then settings[#settings + 1] = name .. "=" .. quoted(wanted[name]) end
end
if #settings > 0 then
    local command, first = {}, 0
    while arg[first - 1] do first = first - 1 end
    for i = first, #arg do command[#command + 1] = quoted(arg[i]) end
    os.exit(select(3, os.execute(("exec env %s %s"):format(table.concat(settings, " "), table.concat(command, " ")))))
end
warn "@on" -- the engine tells by a warning that the compiler refuses a kernel: tests/run.sh looks for it
require "busted.runner" { standalone = false }
