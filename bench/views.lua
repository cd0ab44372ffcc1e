-- Arrays of rank 2 beyond the caches: transposed, broadcast, reduced along axes, normalised.
-- usage: lunarray bench/views.lua [workload]
-- views.c has the same by hand; sh bench/views.sh runs both in turn and prints ratios.

package.path = "bench/?.lua;" .. package.path
local lun = require "lunarray"
local measure = require "measure"

local R, C = 8192, 4096
local function random(seed, ...)
    return lun.random({ ... }, { seed = seed, dtype = "f32" }):copy()
end

local A, B, W = random(1, R, C), random(2, R, C), random(3, C, R)
local row, col = random(4, C), random(5, R, 1)
local x3, r3, x1 = random(6, 1 << 23, 3), random(7, 3), random(8, (1 << 24) + 6)

local function standard(axis)
    return (A - A:mean { axis = axis, keep = true }) / A:std { axis = axis, keep = true }
end

local workloads = {
    { "transpose", function() return W:transpose():copy() end },
    { "add_t", function() return A + W:transpose() end },
    { "add", function() return A + B end },
    { "add_row", function() return A + row end },
    { "add_col", function() return A + col end },
    { "add_3", function() return x3 + r3 end },
    { "sum", function() return A:sum() end },
    { "sum_rows", function() return A:sum(2) end },
    { "sum_cols", function() return A:sum(1) end },
    { "sum_3", function() return x3:sum(2) end },
    { "sum_3_cols", function() return x3:sum(1) end },
    { "softmax", function()
        local e = (A - A:max { axis = 2, keep = true }):exp()
        return e / e:sum { axis = 2, keep = true }
    end },
    { "std_rows", function() return standard(2) end },
    { "std_cols", function() return standard(1) end },
    { "moving", function() return x1:windows(7):mean(2) end },
}

for _, workload in ipairs(workloads) do
    local name, build = table.unpack(workload)
    if not arg[1] or arg[1] == name then
        measure.run(name, "ours", 1, function()
            local x = build()
            return lun.isarray(x) and lun.eval(x) or x
        end, function(result)
            if lun.isarray(result) then
                result:free()
            end
            A[1][1] = 0.5 -- no result is remembered
        end)
    end
end
