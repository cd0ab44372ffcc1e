-- Runs busted in the interpreter that runs this file, so that specs see the program itself:
-- build/lunarray tests/busted.lua [busted's options] [spec files].
-- A spec with a line "-- machine: ..." at its head, in hwloc's words, runs on that simulated machine, in a process of its own.
local function quoted(s) return "'" .. s:gsub("'", [['\'']]) .. "'" end

local function machine_of(path)
    local file, n = io.open(path), 0
    for line in file and file:lines() or function() end do
        n = n + 1
        local machine = line:match "^%-%- machine: (.*)$"
        if machine or n == 10 then return machine end
    end
end

local machine
for _, path in ipairs(arg) do
    if path:find "_spec%.lua$" then machine = machine or machine_of(path) end
end
if machine and os.getenv "HWLOC_SYNTHETIC" ~= machine then
    local command = { "HWLOC_SYNTHETIC=" .. quoted(machine) }
    local first = 0
    while arg[first - 1] do first = first - 1 end
    for i = first, #arg do command[#command + 1] = quoted(arg[i]) end
    os.exit(select(3, os.execute("exec env " .. table.concat(command, " "))))
end
require "busted.runner" { standalone = false }
