-- tostring of records: a line with their struct, shape, layout and laziness, then the first and last of them as a
-- table with a column for each element of the fields; of several dimensions the arrays of the fields. Reads only what
-- it shows.

local base = require "lunarray.record.recordbase"
local frame = require "lunarray.show.frame"

local recordtext = {}

-- "Records<Particle>[1000] aos openmp"
local function title(r)
    local waiting = r:pending()
    local text = ("Records<%s>[%s] %s %s"):format(base.struct_of(r).name, table.concat({ r:shape() }, ", "), r:layout(),
        r:backend())
    return waiting == 0 and text or ("%s (%d operation%s waiting)"):format(text, waiting, waiting == 1 and "" or "s")
end

-- The text of records, of several lines without a newline at the end.
function recordtext.text(r)
    local s, list, names = base.struct_of(r), base.leaves_of(r), {}
    local head = title(r)
    if select("#", r:shape()) == 1 then
        local lanes, arrays = {}, {}
        for k, a in ipairs(base.lanes_of(r)) do
            lanes[k], arrays[s.lanes[k][1]] = s.lanes[k][1], a
        end
        return head .. "\n" .. frame.lines(lanes, arrays, #r):gsub("^[^\n]*\n", "")
    end
    for k, leaf in ipairs(list) do
        names[k] = (".%s: %s"):format(leaf[2], tostring(leaf[1]))
    end
    return head .. "\n" .. table.concat(names, "\n")
end

return recordtext
