-- Rows of unequal length as text: a line that says what they are, then a line for each of the first rows.

local SHOWN = 10 -- rows

return function(values, offsets)
    local n = #offsets - 1
    local lines = { ("runs<%s>[%d], %d element%s"):format(values:dtype(), n, #values, #values == 1 and "" or "s") }
    for k = 1, math.min(n, SHOWN) do
        local row = values:sub(offsets[k], offsets[k + 1] - 1)
        lines[k + 1] = tostring(row):match "\n(.*)$" or "[]"
    end
    lines[#lines + 1] = n > SHOWN and "..." or nil
    return table.concat(lines, "\n")
end
