-- The file of the specs of opened tables: rows made of numbers that duckdb_values.py makes, too.
local M = { ROWS = 150001 }

function M.write(path)
    local state = 77
    local function number(n)
        state = (state * 1103515245 + 12345) & 0x7FFFFFFF
        return (state >> 8) % n
    end
    local days, out = {}, { "k,x,y,n,d,s,row\n" }
    for day = 0, 365 do
        days[day] = os.date("!%Y-%m-%d", 1704067200 + 86400 * day)
    end
    for r = 1, M.ROWS do
        local k, gap, x, y, n, day = number(13), number(9), number(4096), number(5), number(1000), number(366)
        out[r + 1] = ("%s,%s,%s,%d,%s,s%d,%d\n"):format(k > 0 and "k" .. k or "", gap > 0 and (x - 2000) / 4 or "NA",
            y > 0 and (x * n % 512) / 8 or "", n - 500, days[day], n % 700, r)
    end
    local f <close> = assert(io.open(path, "wb"))
    f:write(table.concat(out))
end

return M
