-- Listings 2.10 to 2.14: the four skeletons.
-- Needs a C compiler: functions in it are C text.
-- usage: lunarray examples/skelcl/listing_2_10.lua
local lun = require "lunarray"

local input = lun.range(1, 6)
local map = lun.map "(float elem){return elem * 2.0;}"
print("map   ", table.concat(map(input:cast "f32"):totable(), " "))

local zip = lun.zip "(float l, float r){return l + r;}"
print("zip   ", table.concat(zip(input:cast "f32", input:cast "f32" * 10):totable(), " "))

local reduce = lun.reduce("(int l, int r){ return l * r; }", 1)
print("reduce", reduce(input:cast "i32"):value())

local scan = lun.scan("(int l, int r){ return l + r; }", 0)
print("scan  ", table.concat(scan(input:cast "i32"):totable(), " "))
