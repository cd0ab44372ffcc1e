-- The function of a skeleton in a file, with what it includes.
-- Needs a C compiler: functions in it are C text.
-- usage: lunarray examples/skelcl/file.lua
local lun = require "lunarray"

local here = (arg and arg[0] or "examples/skelcl/file.lua"):match "^(.*)/" or "."
if not here:find "^[./]" then
    here = "./" .. here
end
local limit = lun.map(here .. "/limit.cl")
print(table.concat(limit(lun.range(-4, 4):cast "f32", 2.5):totable(), " "))
