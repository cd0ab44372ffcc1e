-- Lists of places of elements, ascending for the most part, as bytes: runs of neighbours, each by its first one and its
-- length. Knows no array.

local core = require "lunarray.core"

local placelist = {}

function placelist.pack(places)
    local runs, k = {}, 1
    while k <= #places do
        local first = k
        while places[k + 1] == places[k] + 1 do
            k = k + 1
        end
        runs[#runs + 1] = string.pack("<i8i8", places[first], k - first + 1)
        k = k + 1
    end
    return string.pack("<I8", #runs) .. table.concat(runs)
end

-- The places, as a Vector, their number, and where the next thing is; nil where there is none.
function placelist.unpack(s, at)
    local places, runs = {}, string.unpack("<I8", s, at)
    at = at + 8
    for _ = 1, runs do
        local first, count
        first, count, at = string.unpack("<i8i8", s, at)
        for place = first, first + count - 1 do
            places[#places + 1] = place
        end
    end
    return #places > 0 and core.vector(places, "i64") or nil, #places, at
end

return placelist
