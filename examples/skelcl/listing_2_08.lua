-- Listings 2.8, 2.9, 2.12, 2.16 to 2.18: what is made of a function: one kernel, in which its types, its name and its
-- arguments have been filled in. `lun.explain` shows its text.
-- usage: lunarray examples/skelcl/listing_2_08.lua
local lun = require "lunarray"

local function shows(e, ...)
    local source = lun.explain(e)[1].source
    for _, word in ipairs { ... } do
        print(("%-24s %s"):format(word, source:find(word, 1, true) and "stands in the kernel" or "is missing"))
    end
end

local v = lun.range(1, 100):cast "f32"
shows(lun.map "( float elem ){ return elem * 2; }"(v), "float elem", "return elem * 2;")
shows(lun.map "float f(float input, const float *more, int count) { return input + more[count]; }"(v, v:eval(), 3),
    "float input", "float *more", "input + more[count]")
