-- Grouping, joins and sorting, some times: prints the seconds of each.
-- usage: lunarray bench/group.lua kind rows groups repetitions
--   sum     sums of f64 by the group of each row, the groups known     code    making the groups of i32 keys
--   mean    groups of i64 keys and their means, all in one             join    rows of i64 keys with a table of groups
--   sort    f64 in order                                              wide    code, of keys far apart
-- group.c does the sums by hand, group_peers.py the others by pandas and polars; sh bench/group.sh runs them in turn.

local lun = require "lunarray"

local kind, rows, groups, repetitions = arg[1], tonumber(arg[2]), tonumber(arg[3]), tonumber(arg[4])
local x = lun.random(rows, { seed = 1 }):eval()
local keys = (lun.random(rows, { seed = 2 }) * groups):cast "i32":eval()
local far = kind == "wide" and (keys * 7919):eval()
local wide = keys:cast "i64":eval()
local ids = lun.index(groups):eval() - 1
local g = lun.group(keys)
ids:eval()

local work = {
    sum = function() return g:sum(x):eval() end,
    code = function() return lun.group(keys) end,
    wide = function() return lun.group(far) end,
    mean = function() return lun.group(wide):mean(x):eval() end,
    join = function() return lun.join(wide, ids) end,
    sort = function() return x:sort():eval() end,
}
for _ = 1, repetitions do
    collectgarbage()
    local start = lun.clock()
    work[kind]()
    print(("%.9f"):format(lun.clock() - start))
    x[1], keys[1], wide[1] = 0.5, 0, 0 -- no result is remembered
end
