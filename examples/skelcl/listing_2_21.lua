-- Listings 2.21 to 2.24: (A + B) * (C + D) as a tree of skeletons, of predefined ones, by operators: one kernel each.
-- Needs a C compiler: functions in it are C text.
-- usage: lunarray examples/skelcl/listing_2_21.lua
local lun = require "lunarray"

local A, B = lun.vector({ 1, 2, 3 }, "f32"), lun.vector({ 4, 5, 6 }, "f32")
local C, D = lun.vector({ 7, 8, 9 }, "f32"), lun.vector({ 10, 11, 12 }, "f32")

local add, mult = lun.zip "(float l, float r){ return l + r; }", lun.zip "(float l, float r){ return l * r; }"
local comp = lun.compose(mult)
comp = comp:left(add)
comp = comp:right(add)

local predefined = lun.compose(lun.zip "*"):left(lun.zip "+"):right(lun.zip "+")

local results = { comp(A, B, C, D), predefined(A, B, C, D), (A + B) * (C + D) }
local kernels = {}
for i, E in ipairs(results) do kernels[i] = #lun.explain(E) end
for i, E in ipairs(results) do print(kernels[i], table.concat(E:totable(), " ")) end
