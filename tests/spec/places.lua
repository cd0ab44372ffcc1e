-- Places along an axis for the specs of take and put: how many elements axes hold, indices, a list of numbers.
local rows = require "rows"

local places = {}

-- The product of the extents from axis `from` to axis `to`.
function places.product(shape, from, to)
    local n = 1
    for k = from or 1, to or #shape do
        n = n * shape[k]
    end
    return n
end

-- n random indices of an axis, from either end; zero: 0 as well.
function places.random_indices(n, length, seed, zero)
    local draw, out = rows.sequence(seed), {}
    for k = 1, n do
        repeat
            out[k] = draw(length)
        until out[k] ~= 0 or zero
    end
    return out
end

function places.numbers(n)
    local list = {}
    for k = 1, n do
        list[k] = k * 3 % 251
    end
    return list
end

return places
