-- Explicit output, in place: a rod of 9 points, hot in the middle, cools by steps. `update` writes its result into
-- the Vector that it reads.
-- Needs a C compiler: functions in it are C text.
-- usage: lunarray examples/skelcl/heat.lua [steps]
local lun = require "lunarray"

local flow = lun.map [[
float flow(int i, const float *heat, int last)
{
    float left = heat[i > 0 ? i - 1 : i], right = heat[i < last ? i + 1 : i];
    return left - 2 * heat[i] + right;
}
]]
local update = lun.zip "(float heat, float flow, float rate) { return heat + rate * flow; }"

local n = 9
local where = (lun.index(n) - 1):cast "i32"
local heat = lun.zeros(n, "f32")
heat[5] = 100
for _ = 1, math.tointeger(arg and arg[1] or 20) do
    update:run { heat, flow(where, heat, n - 1), 0.25, out = heat }
end
local row = {}
for i, x in heat:iter() do
    row[i] = ("%.2f"):format(x)
end
print(table.concat(row, " "))
print(("in all: %.1f"):format(heat:sum()))
