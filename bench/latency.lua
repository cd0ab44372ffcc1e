-- W12: (a + b) * (c + d) on small arrays, warm, from the script. The time is that of 1000 evaluations, so
-- milliseconds read as microseconds each; making the expression, freeing the result and whatever the
-- collector does are in it. One of many arrays comes first in turn: no expression is built twice in a row.

package.path = "bench/?.lua;" .. package.path
local lun = require "lunarray"
local measure = require "measure"

-- All arrays together fit a core's own cache, as those of the C program do.
local CALLS, TURNS = 1000, 3

for _, n in ipairs { 100, 10000 } do
    local first = {}
    for i = 1, TURNS do
        first[i] = lun.random(n, { seed = i, dtype = "f32" }):copy()
    end
    local b, c, d = first[1]:copy(), first[2]:copy(), first[3]:copy()
    local turn = 0
    measure.run("W12_" .. n, "ours", CALLS, function()
        local eval = lun.eval
        for _ = 1, CALLS do
            turn = turn % TURNS + 1
            local e = (first[turn] + b) * (c + d)
            eval(e)
            e:free()
        end
    end, function() end)
end
