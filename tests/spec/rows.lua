-- Matrices of integers for the specs of products and pairs: lists of rows, and arrays of them.
local lun = require "lunarray"

local rows = {}

-- Integers from -most to most that repeat nowhere near.
function rows.sequence(seed)
    local state = seed * 2654435761 + 12345
    return function(most)
        state = state * 6364136223846793005 + 1442695040888963407
        return (state >> 33) % (2 * most + 1) - most
    end
end

-- n rows of k such integers, times `unit`.
function rows.integers(n, k, most, seed, unit)
    local next_one, t = rows.sequence(seed), {}
    for i = 1, n do
        t[i] = {}
        for j = 1, k do
            t[i][j] = next_one(most) * (unit or 1)
        end
    end
    return t
end

-- An array of rows of k numbers, of which there may be none; dtype: i64 by default.
function rows.matrix(t, k, dtype)
    local flat = {}
    for _, row in ipairs(t) do
        table.move(row, 1, k, #flat + 1, flat)
    end
    local made = #flat > 0 and lun.vector(flat) or lun.zeros(0, "i64")
    return made:cast(dtype or "i64"):reshape(#t, k)
end

return rows
