-- Elements at random indices, read and written: seconds of each repetition, "name seconds".
-- usage: lunarray bench/indexing.lua bits repetitions     (2^bits elements)
-- indexing.py does the same with numpy; sh bench/indexing.sh runs both in turn and prints ratios.

local lun = require "lunarray"

local n, repetitions = 1 << tonumber(arg[1]), tonumber(arg[2])
local x = lun.random(n, { seed = 1 }):eval()
local wide = ((lun.random(n, { seed = 2 }) * n):cast "i64" + 1):eval()
local narrow = wide:cast("i32"):eval()
local y = lun.zeros(n):copy()
local A, rows = x:reshape(n // 16, 16):eval(), (wide:sub(1, n // 16) % (n // 16) + 1):eval()

local work = {
    { "take i64", function() return x:take(wide):eval() end },
    { "take i32", function() return x:take(narrow):eval() end },
    { "take, sum", function() return x:take(narrow):sum() end },
    { "put", function() return y:put(wide, x) end },
    { "put, +", function() return y:put(wide, x, { combine = "+" }) end },
    { "each, +", function() lun.each(n, function(k) y[wide[k]] = y[wide[k]] + x[k] end) end },
    { "rows of 16", function() return A:take(rows):eval() end },
}

for _, case in ipairs(work) do
    for repetition = 0, repetitions do
        local start = lun.clock()
        local result = case[2]()
        if repetition > 0 then
            print(("%s;%.9f"):format(case[1], lun.clock() - start))
        end
        if type(result) == "userdata" and result ~= y then
            result:free()
        end
        x[1] = repetition -- no result is remembered
        A[1][1] = repetition
    end
end
