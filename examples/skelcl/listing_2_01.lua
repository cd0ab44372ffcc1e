-- Listing 2.1: a Vector made of values that a program has, and what a program says about copies: nothing.
-- usage: lunarray examples/skelcl/listing_2_01.lua
local lun = require "lunarray"

local input = {}
for i = 1, 6 do input[i] = i / 4 end
local v = lun.vector(input, "f32")
local doubled = v + v
input[1] = 99 -- the Vector has values of its own
print(table.concat(v:totable(), " "))
print(table.concat(doubled:totable(), " "))

-- Structures of a program's own.
local Point = lun.struct("Point", { { "x", "f32" }, { "y", "f32" } })
local points = lun.vector({ { x = 3, y = 4 }, { x = 5, y = 12 }, { x = 8, y = 15 } }, Point)
print(table.concat(lun.map(function(p) return (p.x * p.x + p.y * p.y) ^ 0.5 end)(points):totable(), " "))
