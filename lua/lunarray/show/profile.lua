-- lun.profile: what each kernel and each algorithm costs while a function runs, as a table on the terminal and as rows.
-- The counting is the engine's.

local core = require "lunarray.core"
local number = require "lunarray.base.number"

local M = {}

local profile = core.internal.profile

local COLUMNS = {
    { "kernel", function(r) return r.name end, left = true },
    { "calls", function(r) return ("%d"):format(r.calls) end },
    { "compile", function(r) return number.format("%.2f", r.compile * 1e3) end },
    { "transfer", function(r) return number.format("%.2f", r.transfer * 1e3) end },
    { "run ms", function(r) return number.format("%.2f", r.run * 1e3) end },
    { "GB/s", function(r)
        return r.run > 0 and r.bytes > 0 and number.format("%.1f", r.bytes / r.run / 1e9) or "-"
    end },
    { "operations", function(r)
        return r.what .. (r.where ~= "" and "  " .. r.where or "") .. (r.labels ~= "" and "  of " .. r.labels or "")
    end, left = true },
}

-- The table as text.
function M.text(rows)
    if #rows == 0 then
        return "no kernel ran"
    end
    local cells, widths = { {} }, {}
    for c, column in ipairs(COLUMNS) do
        cells[1][c] = column[1]
        widths[c] = #column[1]
        for i, row in ipairs(rows) do
            cells[i + 1] = cells[i + 1] or {}
            cells[i + 1][c] = column[2](row)
            widths[c] = math.max(widths[c], #cells[i + 1][c])
        end
    end
    local lines = {}
    for i, line in ipairs(cells) do
        for c, column in ipairs(COLUMNS) do
            local room = (" "):rep(widths[c] - #line[c])
            line[c] = column.left and line[c] .. room or room .. line[c]
        end
        lines[i] = table.concat(line, "  "):gsub(" +$", "")
    end
    return table.concat(lines, "\n")
end

local function finish(ok, ...)
    local rows = profile(false)
    if not ok then
        error((...), 0)
    end
    table.sort(rows, function(a, b)
        return a.run + a.transfer > b.run + b.transfer
    end)
    _G.print(M.text(rows))
    return rows, ...
end

-- lun.profile(f, ...): calls f(...), prints a line for each kernel, matrix product and algorithm (sort, group ...)
-- that ran in it, the most expensive first, with times in milliseconds, and returns the rows and what f returns. A
-- row has name, ops, what (the operations), labels (of its arrays), where, calls, interpreted, elements, bytes, and in
-- seconds compile (also where the compiler ran beside), transfer and run.
function M.profile(f, ...)
    if type(f) ~= "function" then
        error(("bad argument #1 to 'profile' (function expected, got %s)"):format(type(f)), 2)
    end
    profile(true)
    return finish(pcall(f, ...))
end

return M
