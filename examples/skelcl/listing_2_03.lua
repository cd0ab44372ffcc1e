-- Listings 2.3, 2.4, 2.7: functions as arguments. A function in C is text, without a name or a type if it likes; a
-- function of Lua is taken as it is. Sorting has an order of its own.
-- Needs a C compiler: functions in it are C text.
-- usage: lunarray examples/skelcl/listing_2_03.lua
local lun = require "lunarray"

local v = lun.vector({ 3, 1, 4, 1, 5 }, "f32")
print(table.concat(v:sort():totable(), " "))
print(table.concat(v:sort { descending = true }:totable(), " "))

local mult = lun.zip "(float x, float y){ return x * y; }"
print(table.concat(mult(v, v):totable(), " "))
print(table.concat(lun.zip(function(x, y) return x * y end)(v, v):totable(), " "))

local twice = lun.map "( float elem ){ return elem * 2; }"
print(table.concat(twice(v):totable(), " "))
