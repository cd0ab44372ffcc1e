-- Rows of tables: lun.rows, and the verbs that select and order rows.

local core = require "lunarray.core"
local column = require "lunarray.table.column"
local dtypes = require "lunarray.base.dtypes"
local misuse = require "lunarray.base.misuse"
local object = require "lunarray.table.object"
local records = require "lunarray.base.records"

local M = {}

local function counted(rows)
    return ("%d row%s"):format(rows, rows == 1 and "" or "s")
end

-- ---------------------------------------------------------------- rows

-- Row numbers as i64 from 0 to `rows`; and whether a 0 is among them, and where the first.
local function row_numbers(which, rows)
    if dtypes.is_beyond_lua(which:dtype()) then
        which = core.min(which, math.maxinteger)
    end
    which = which:cast "i64"
    local back = core.where(which:lt(-rows), -1, which + (rows + 1))
    local at = core.where(which:lt(0), back, which):eval()
    if at:size() == 0 then
        return at
    end
    local low, high = core.eval(at:lazy "min", at:lazy "max")
    if low < 0 or high > rows then
        local i = at:lt(0):lor(at:gt(rows)):cast("i8"):argmax()
        misuse(2, "rows", "row %d (number %d) is out of range for a table of %s", which[i], i, counted(rows))
    end
    return at, low == 0 and at:argmin() or nil
end

-- `which` for a table of so many rows: a mask, or nil, row numbers, and the index of the first 0 among them.
local function chosen(which, rows)
    if type(which) == "table" and not records.struct_of(which) then
        which = #which == 0 and core.zeros(0, "i64") or core.vector(which)
    elseif not core.isarray(which) then
        misuse(2, "rows", "bool or integer Vector expected, got %s", records.kind_of(which))
    end
    local dtype, rank = which:dtype(), select("#", which:shape())
    if rank ~= 1 or dtypes.is_float(dtype) then
        misuse(2, "rows", "bool or integer Vector expected, got %s", core.internal.kind_of(which))
    elseif dtype ~= "bool" then
        return nil, row_numbers(which, rows)
    elseif which:size() ~= rows then
        misuse(2, "rows", "lengths differ: the table has %s and the mask has %d", counted(rows), which:size())
    end
    return which:eval()
end

-- A table of the rows of t with these numbers, an i64 Vector; gap: there may be zeros, of which all is missing.
function M.take(t, at, gap)
    at:eval()
    return object.each(t, function(x)
        return column.take(x, at, gap)
    end, at:size())
end

-- A table of the rows of t where a mask holds.
function M.keep(t, mask)
    mask:eval()
    return object.each(t, function(x)
        return column.keep(x, mask)
    end, mask:count())
end

-- lun.rows(t, which): a new table of the rows of t that `which` says: a bool Vector with an element for each row, or
-- an integer Vector or list of row numbers, in any order, also several times, negative ones from the end. Row 0 is a
-- missing one: its elements are missing, "" among texts, an error among records.
function M.rows(t, which)
    if records.struct_of(t) then
        local mask, at, gap = chosen(which, #t)
        if gap then
            misuse(2, "rows", "row 0 (number %d): nothing can be missing among records", gap)
        end
        return (mask and t:compress(mask) or t:take(at)):eval()
    end
    t = object.of(t, "rows")
    local mask, at, gap = chosen(which, #t)
    for name, x in pairs(t) do
        if gap and records.struct_of(x) then
            misuse(2, "rows", "row 0 (number %d): the column '%s' is of records, in which nothing can be missing",
                gap, name)
        end
    end
    return mask and M.keep(t, mask) or M.take(t, at, gap)
end

-- Rows i to j, by the rules of a:sub.
function M.between(t, i, j)
    local n = #t
    i, j = math.tointeger(i), j == nil and n or math.tointeger(j)
    if not i or not j then
        misuse(1, "rows", "integers expected")
    end
    i, j = i < 0 and math.max(n + 1 + i, 1) or math.max(i, 1), j < 0 and n + 1 + j or math.min(j, n)
    return M.take(t, i <= j and core.range(i, j) or core.zeros(0, "i64"))
end

return M
