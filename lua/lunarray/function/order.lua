-- The order of rows by several keys.

local M = {}

-- The row numbers in the order of keys, the first one the most important: a list of { key, descending }.
function M.by_keys(keys, missing)
    local order
    for k = #keys, 1, -1 do
        local key = order and keys[k][1]:take(order) or keys[k][1]
        local by = key:argsort { descending = keys[k][2], missing = missing }
        order = order and order:take(by) or by
    end
    return order
end

return M
