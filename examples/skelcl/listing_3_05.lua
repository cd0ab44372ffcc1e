-- Listing 3.5: what moves between devices when an image goes from copies to parts and back. Programs say where elements
-- belong; the copies are listed by lun.explain before anything runs, and counted by lun.stats.
-- usage: lunarray examples/skelcl/listing_3_05.lua
local lun = require "lunarray"

lun.use "openmp/4"
local function step(name, a, kind, e)
    a:distribute(kind)
    local before, planned = lun.stats().bytes_moved, 0
    local wanted = e()
    for _, move in ipairs(lun.explain(wanted).moves) do planned = planned + move.bytes end
    wanted:eval()
    print(("%-22s %4d bytes planned, %4d moved"):format(name, planned, lun.stats().bytes_moved - before))
    return wanted
end

local f = lun.range(1, 16):cast "f64":eval()
f = step("image to all:", f, "copy", function() return f * 2 end)
f = step("each has all of it:", f, "copy", function() return f + 1 end)
f = step("each keeps its part:", f, "block", function() return f * 0.5 end)
f = step("parts to all again:", f, "copy", function() return f - 1 end)
print(table.concat(f:totable(), " "))
