-- Runs programs of tests/programs.lua on the ranks of this process and compares the bits of what each gives with those that
-- one location gives, which each rank computes first: LUNARRAY_SIM=seed build/lunarray --ranks N tests/simulate.lua LENGTH
-- [NAME...]. Without names all of them; a difference, or a failure, ends with the command that repeats it.
package.path = "tests/?.lua;" .. package.path
local programs = require "programs"

local s = lun.spmd
local n = math.tointeger(tonumber(arg[1])) or error("a length is the first argument", 0)
local scratch = os.getenv "SIM_SCRATCH" or "/tmp"
local named = {}
for k = 2, #arg do named[arg[k]] = true end

local function results(program, how)
    local on = programs.on(how, n, ("%s/%s%d."):format(scratch, how, how == "one" and s.mype or 0))
    program(on)
    return on.results
end

local function check(name, program, how)
    local want = how and results(program, how)
    local got = results(program, "ranks")
    if not want then -- of ranks alone: all get the same
        want = s.bcast(got)
    end
    for k = 1, math.max(#want, #got) do
        if want[k] ~= got[k] then
            error(("%s: result %d is %s, not %s"):format(name, k, got[k], want[k]), 0)
        end
    end
end

local known = {}
for _, list in ipairs { programs.list, programs.of_ranks } do
    for _, p in ipairs(list) do
        known[p[1]] = true
        if (#arg == 1 or named[p[1]]) and (list == programs.list or s.npes > 1) then
            check(p[1], p[2], list == programs.list and "one" or nil)
        end
    end
end
for name in pairs(named) do
    if not known[name] then error("no program '" .. name .. "'", 0) end
end
