-- Finds the name closest to a misspelt one.

local guess = {}

-- The edit distance of a and b: letters added, dropped, changed or swapped with their neighbour; `most` + 1 if it is
-- above `most`.
local function distance(a, b, most)
    if math.abs(#a - #b) > most then
        return most + 1
    end
    local before, row = {}, {}
    for j = 0, #b do
        row[j] = j
    end
    for i = 1, #a do
        local last = row
        row = { [0] = i }
        local best = i
        for j = 1, #b do
            local x, y = a:byte(i), b:byte(j)
            local d = math.min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (x == y and 0 or 1))
            if i > 1 and j > 1 and x == b:byte(j - 1) and a:byte(i - 1) == y then
                d = math.min(d, before[j - 2] + 1)
            end
            row[j] = d
            best = math.min(best, d)
        end
        if best > most then
            return most + 1
        end
        before = last
    end
    return row[#b]
end

-- The name that one edit leads to, nil if there is none. Names that are equal but for case come first.
function guess.nearest(name, names)
    local best, found = #name > 1 and 1 or 0, nil
    local lower = name:lower()
    for _, candidate in ipairs(names) do
        if candidate ~= name then
            local d = candidate:lower() == lower and 0 or distance(lower, candidate:lower(), best)
            if d < best or d == best and (not found or candidate < found) then
                best, found = d, candidate
            end
        end
    end
    return found
end

return guess
