-- Listings 2.19 and 2.20: a sequence of skeletons whose types differ, made before there is any data.
-- Needs a C compiler: functions in it are C text.
-- usage: lunarray examples/skelcl/listing_2_19.lua
local lun = require "lunarray"

local sequence = lun.sequence(
    lun.map "int f(int elem){ return elem * 2; }",
    lun.map "short f(int elem){ return elem + 5; }",
    lun.map "float f(short elem){ return elem / 50.0f; }")
local output = sequence(lun.range(1, 5):cast "i32")
print(("kernels: %d"):format(#lun.explain(output)))
print(output:dtype(), ("%.2f %.2f %.2f %.2f %.2f"):format(table.unpack(output:totable())))
