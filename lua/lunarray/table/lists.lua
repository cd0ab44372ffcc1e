-- Tables of columns as C exchanges them, a list of names and one of arrays (interp/bind/host/lua_table.c), and verbs
-- as C calls them, with lists and numbers from 0 (interp/state/lua_verbs.c).

local core = require "lunarray.core"
local fault = require "lunarray.base.fault"
local frame = require "lunarray.show.frame"
local grouped = require "lunarray.table.grouped"
local joined = require "lunarray.table.joined"
local object = require "lunarray.table.object"
local records = require "lunarray.base.records"
local rows = require "lunarray.table.rows"
local verbs = require "lunarray.table.verbs"

local M = {}

-- Names and arrays of a table of columns, or of a table of arrays that is one but for its metatable; nil for anything
-- else.
function M.of(t)
    local meta = type(t) == "table" and getmetatable(t)
    if type(meta) ~= "table" or not rawget(meta, "names") then
        return nil
    end
    t = object.of(t, "table")
    local names, arrays = frame.ordered(t), {}
    for i, name in ipairs(names) do
        local x = frame.column(t, name)
        if not core.isarray(x) then
            fault("column '%s' is of %s: give their fields", name, records.struct_of(x) and "records" or type(x))
        end
        arrays[i] = x
    end
    return names, arrays
end

-- The table of a list of names and one of arrays of one length.
function M.table(names, arrays)
    local columns = {}
    for i, name in ipairs(names) do
        columns[name] = arrays[i]
    end
    return object.make(columns, names, arrays[1] and arrays[1]:size() or 0)
end

-- ---------------------------------------------------------------- verbs

M.filter, M.join = rows.filter, joined.join

-- The rows with these numbers, from 0, or from the end if negative; a missing number gives a row of missing elements.
function M.take(t, at)
    local n, integers = #t, at:dtype():find "^[iu]%d"
    if not integers or select("#", at:shape()) ~= 1 then
        fault("row numbers: a Vector of integers expected, got %s", core.internal.kind_of(at))
    end
    local wrong = (at:lt(-n) | at:ge(n)):indices()
    if #wrong > 0 then
        fault("row %s (element %d) is out of range for a table of %d rows", tostring(at[wrong[1]]), wrong[1] - 1, n)
    end
    at = at:cast "i64"
    local gap = core.internal.has_missing(at)
    at = core.where(at:lt(0), at + n, at) + 1
    return rows.take(t, gap and at:fillna(0) or at, gap)
end

-- By the columns in a list, descending by those for which the list `descending` has true.
function M.sort(t, names, descending, missing)
    local keys = table.move(names, 1, #names, 1, {})
    keys[#keys + 1] = { descending = descending or false, missing = missing }
    return rows.sort(t, table.unpack(keys))
end

-- lun.concat of tables alone.
function M.concat(list, union)
    if #list == 0 then
        fault "'concat': no tables"
    end
    return verbs.concat(list, { union = union })
end

-- Aggregates by groups of equal keys; of all rows if there are none.
function M.group_agg(t, names, opts, spec)
    if #names == 0 then
        return grouped.agg_all(t, spec)
    end
    local keys = table.move(names, 1, #names, 1, {})
    keys[#keys + 1] = opts
    return grouped.agg(grouped.group(t, table.unpack(keys)), spec)
end

return M
