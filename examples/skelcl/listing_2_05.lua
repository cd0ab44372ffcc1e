-- Listing 2.5: the function of a skeleton in a file, by its path. Another one is in file.lua.
-- Needs a C compiler: functions in it are C text.
-- usage: lunarray examples/skelcl/listing_2_05.lua
local lun = require "lunarray"

local here = (arg and arg[0] or "examples/skelcl/listing_2_05.lua"):match "^(.*)/" or "."
local mult = lun.zip((here:find "^[./]" and here or "./" .. here) .. "/multiplication.cl")
print(table.concat(mult(lun.range(1, 5):cast "f32", lun.full(5, 0.5, "f32")):totable(), " "))
