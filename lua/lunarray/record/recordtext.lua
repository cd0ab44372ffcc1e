-- tostring of records: a line with their struct, shape, layout and laziness, then the first and last of them as a
-- table with a column for each element of the fields; of several dimensions the arrays of the fields. Reads only what
-- it shows; a freed field is said to be.

local base = require "lunarray.record.recordbase"
local frame = require "lunarray.show.frame"

local recordtext = {}

-- A field that is not freed, and its shape without its own axes; of records without one the error of a freed array.
local function living(leaves)
    local found
    for _, leaf in ipairs(leaves) do
        found = found or not base.is_freed(leaf[1]) and leaf
    end
    local a, extents = (found or leaves[1])[1], (found or leaves[1])[3] or {}
    local shape = { a:shape() }
    return a, table.move(shape, 1, #shape - #extents, 1, {})
end

-- "Records<Particle>[1000] aos openmp"
local function title(r, leaves, a, shape)
    local waiting = 0
    for _, leaf in ipairs(leaves) do
        waiting = waiting + (base.is_freed(leaf[1]) and 0 or leaf[1]:pending())
    end
    local text = ("Records<%s>[%s] %s %s"):format(base.struct_of(r).name, table.concat(shape, ", "), r:layout(),
        a:backend())
    return waiting == 0 and text or ("%s (%d operation%s waiting)"):format(text, waiting, waiting == 1 and "" or "s")
end

-- The text of records, of several lines without a newline at the end.
function recordtext.text(r)
    local s, leaves, names = base.struct_of(r), base.leaves_of(r), {}
    local a, shape = living(leaves)
    local head = title(r, leaves, a, shape)
    if #shape == 1 then
        local lanes, arrays = {}, {}
        for k, lane in ipairs(base.lanes_of(r)) do
            lanes[k], arrays[s.lanes[k][1]] = s.lanes[k][1], lane
        end
        return head .. "\n" .. frame.lines(lanes, arrays, shape[1]):gsub("^[^\n]*\n", "")
    end
    for k, leaf in ipairs(leaves) do
        names[k] = (".%s: %s"):format(leaf[2], base.is_freed(leaf[1]) and "freed" or tostring(leaf[1]))
    end
    return head .. "\n" .. table.concat(names, "\n")
end

return recordtext
