-- Work whose limit is structure, one thread: windows set into a window (W14), sums of short rows (W15), copies with all
-- axes reversed (W21). Prints the name of each row and the least microseconds of a call.
-- usage: lunarray bench/structure.lua    (structure.sh runs it in turn with programs by hand, and prints ratios)

package.path = "bench/?.lua;" .. package.path
local lun = require "lunarray"

-- The least time of a call in microseconds, of `rounds` rounds of as many calls as take a millisecond.
local function time_of(f, rounds)
    for _ = 1, 4 do f() end
    local once = lun.clock()
    f()
    local calls = math.max(1, math.floor(0.001 / (lun.clock() - once + 1e-7)))
    local least = math.huge
    for _ = 1, rounds do
        local start = lun.clock()
        for _ = 1, calls do f() end
        least = math.min(least, (lun.clock() - start) / calls)
    end
    return least * 1e6
end

local function row(name, f, rounds)
    print(("%s %.3f"):format(name, time_of(f, rounds or 15)))
end

for _, of in ipairs { { 2, 30 }, { 2, 250 }, { 2, 2800 }, { 3, 40 }, { 3, 180 } } do
    local rank, e = of[1], of[2]
    local shape, inner = {}, {}
    for k = 1, rank do shape[k], inner[k] = e, { 2, -2 } end
    local A, B = lun.random(shape, { seed = 1 }):eval(), lun.zeros(shape)
    -- The window of the inner elements, moved by `by` along axis k.
    local function window(k, by)
        local at = table.move(inner, 1, rank, 1, {})
        if k then at[k] = by < 0 and { 1, -3 } or { 3, -1 } end
        return A:sub(table.unpack(at))
    end
    row(("W14_%d_%d"):format(rank, e), function()
        local sum = window()
        for k = 1, rank do sum = sum + window(k, -1) + window(k, 1) end
        B:sub(table.unpack(inner)):set(sum / (2 * rank + 1))
    end)
end

for _, rows in ipairs { 500, 2000, 1000000 } do
    for _, k in ipairs { 2, 3, 4, 8, 16, 50 } do
        local A = lun.random({ rows, k }, { seed = 2 }):eval()
        row(("W15_%dx%d"):format(rows, k), function() return A:sum(2):eval() end, rows > 10000 and 5 or 15)
    end
end

for _, of in ipairs { { 2, 4096 }, { 3, 256 }, { 4, 64 }, { 6, 16 }, { 8, 8 } } do
    local rank, e = of[1], of[2]
    local shape, axes = {}, {}
    for k = 1, rank do shape[k], axes[k] = e, rank + 1 - k end
    local A = lun.random(shape, { seed = 3, dtype = "f32" }):eval()
    row(("W21_rank%d"):format(rank), function() return A:transpose(axes):copy():eval() end, 5)
end
