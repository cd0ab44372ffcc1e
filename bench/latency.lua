-- W12: (a + b) * (c + d) on small arrays, and a chain of 20 operations, warm, from the script. The time told is
-- that of 1000 evaluations, so milliseconds read as microseconds each; making the expression, freeing the
-- result and whatever the collector does are in it. Timed are fewer at once, which other processes interrupt
-- less often, but several collections. One of several arrays comes first in turn: no expression is built
-- twice in a row.

package.path = "bench/?.lua;" .. package.path
local lun = require "lunarray"
local measure = require "measure"

local CALLS = 250

local function arrays(count, n)
    local list = {}
    for i = 1, count do
        list[i] = lun.random(n, { seed = i, dtype = "f32" }):copy()
    end
    return list
end

-- `turns` arrays that come first. Three fit a core's own cache together with the others, as those of the C
-- program do.
local function products(name, n, turns)
    local first = arrays(turns, n)
    local b, c, d = first[1]:copy(), first[2]:copy(), first[3]:copy()
    local turn = 0
    measure.run(name, "ours", CALLS, function()
        local eval = lun.eval
        for _ = 1, CALLS do
            turn = turn % turns + 1
            local e = (first[turn] + b) * (c + d)
            eval(e)
            e:free()
        end
    end, function() end, 1000 / CALLS)
end

local function chains(name, n, turns)
    local first = arrays(turns, n)
    local b, c = first[1]:copy(), first[2]:copy()
    local turn = 0
    measure.run(name, "ours", CALLS, function()
        local eval = lun.eval
        for _ = 1, CALLS do
            turn = turn % turns + 1
            local x = first[turn]
            for _ = 1, 10 do
                x = x * b + c
            end
            eval(x)
            x:free()
        end
    end, function() end, 1000 / CALLS)
end

products("W12_100", 100, 3)
products("W12_100_61", 100, 61)
products("W12_10000", 10000, 3)
products("W12_10000_61", 10000, 61)
chains("W12_chain", 100, 3)
