-- Tables that another program computed, stored as lists of { name, values }: made, and compared with.
local lun = require "lunarray"

local M = {}

function M.table(stored)
    local columns, names = {}, {}
    for k, column in ipairs(stored) do
        names[k] = column[1]
        columns[column[1]] = table.move(column[2], 1, #column[2], 1, {})
    end
    return lun.table(columns, names)
end

local function close(x, y)
    return x == y or type(x) == "number" and type(y) == "number" and math.abs(x - y) <= 1e-12 * math.max(math.abs(x), 1)
end

-- Fails unless the table has these columns, in this order, and their values, numbers to 1e-12.
function M.check(stored, t, what)
    local names = {}
    for k, column in ipairs(stored) do
        names[k] = column[1]
    end
    assert(table.concat(names, " ") == table.concat(t:names(), " "),
        ("%s: the columns are '%s', '%s' expected"):format(what, table.concat(t:names(), " "), table.concat(names, " ")))
    assert(#t == #stored[1][2], ("%s: %d rows, %d expected"):format(what, #t, #stored[1][2]))
    for i, row in t:iter() do
        for _, column in ipairs(stored) do
            local wanted, got = column[2][i], row[column[1]]
            assert(wanted == lun.na and got == nil or close(wanted, got),
                ("%s: row %d of '%s' is %s, %s expected"):format(what, i, column[1], got, wanted))
        end
    end
end

return M
