-- tostring of records: a line with their struct, shape, layout and laziness, then the first and last of them as a
-- table with a column for each element of the fields; of several dimensions the arrays of the fields. Reads only what
-- it shows; a freed field is said to be.

local base = require "lunarray.record.recordbase"
local frame = require "lunarray.show.frame"
local struct = require "lunarray.record.struct"

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

-- A column of one lane, as a frame takes it, of records that a:read(first, count) gives as tables; k: which lane.
local function column_of(s, a, k, cache)
    return setmetatable({}, { __records = { isarray = function() return true end }, __index = {
        dtype = function() return s.lanes[k][2] end,
        shape = function() return a:shape() end,
        size = function() return #a end,
        read = function(_, first, count)
            local values = {}
            cache[first] = cache[first] or a:read(first, count)
            for i, record in ipairs(cache[first]) do
                values[i] = struct.values(s, record)[k]
            end
            return values
        end,
    } })
end

-- The names of leaves, with points, and what is there.
local function leaves_of(s, a, before, list)
    for _, name in ipairs(s) do
        if struct.is(s.dtypes[name]) then
            leaves_of(s.dtypes[name], a:field(name), before .. name .. ".", list)
        else
            list[#list + 1] = (".%s: %s"):format(before .. name, tostring(a:field(name)))
        end
    end
    return list
end

-- The text under a title of a, records of s that are elsewhere, of which it has the methods field, shape and read.
function recordtext.text_of(s, head, a)
    if select("#", a:shape()) > 1 then
        return head .. "\n" .. table.concat(leaves_of(s, a, "", {}), "\n")
    end
    local names, columns, cache = {}, {}, {}
    for k, lane in ipairs(s.lanes) do
        names[k], columns[lane[1]] = lane[1], column_of(s, a, k, cache)
    end
    return head .. "\n" .. frame.lines(names, columns, #a):gsub("^[^\n]*\n", "")
end

return recordtext
