-- A tree of skeletons: (A + B) * (C - D), its leaves assigned from left to right, run as one kernel.
-- Needs a C compiler: functions in it are C text.
-- usage: lunarray examples/skelcl/compose.lua
local lun = require "lunarray"

local add = lun.zip "(float x, float y) { return x + y; }"
local sub = lun.zip "(float x, float y) { return x - y; }"
local mul = lun.zip "*"

local tree = lun.compose(mul):left(add):right(sub)
local A, B = lun.vector({ 1, 2, 3 }, "f32"), lun.vector({ 10, 20, 30 }, "f32")
local C, D = lun.vector({ 5, 5, 5 }, "f32"), lun.vector({ 1, 2, 3 }, "f32")
local result = tree(A, B, C, D)
print(("kernels: %d"):format(#lun.explain(result)))
print(table.concat(result:totable(), " "))

local negative = lun.compose(lun.map "-"):only(tree)
print(table.concat(negative(A, B, C, D):totable(), " "))

-- A wrong number of leaves is an error that says both.
print(select(2, pcall(tree, A, B, C)))
