-- The expressions of latency.lua on userdata that compute nothing (empty.c): below this no library for Lua comes
-- whose arrays are userdata. By the program itself, so with its allocator and its collector's mode.

package.path = "bench/?.lua;" .. package.path
local measure = require "measure"
local empty = require "empty"

local CALLS = 250

local function run(name, body)
    local ms = {}
    for rep = -1, measure.reps do
        local start = measure.now()
        body()
        ms[math.max(rep, 1)] = (measure.now() - start) * 1000 / CALLS
    end
    local median = measure.median(ms)
    measure.print(name, "empty", median, ms[1])
end

local a, b, c, d = empty.make(), empty.make(), empty.make(), empty.make()
local eval = empty.eval

run("W12_100", function()
    for _ = 1, CALLS do
        local e = (a + b) * (c + d)
        eval(e)
        e:free()
    end
end)

run("W12_chain", function()
    for _ = 1, CALLS do
        local x = a
        for _ = 1, 10 do
            x = x * b + c
        end
        eval(x)
        x:free()
    end
end)
