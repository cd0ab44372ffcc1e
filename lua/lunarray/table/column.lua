-- What tables do with one column, whatever it is: a Vector or records. Everything else in this room is written over
-- these functions.

local core = require "lunarray.core"
local fault = require "lunarray.base.fault"
local records = require "lunarray.base.records"

local internal = core.internal

local M = {}

-- A table of a script's that is no column.
function M.is_list(x)
    return type(x) == "table" and not core.isarray(x) and not records.struct_of(x)
end

-- "f64", "text", or the name of a struct.
function M.dtype(x)
    local struct = records.struct_of(x)
    return struct and struct.name or x:dtype()
end

function M.is_text(x)
    return M.dtype(x) == "text"
end

-- Numbers that have means: integers and floats.
function M.is_number(x)
    return core.isarray(x) and x:dtype():find "^b?[fiu]%d" ~= nil
end

-- ---------------------------------------------------------------- from what scripts have

-- The text array of a list of strings and lun.na; or nil and what is wrong with it.
local function of_texts(list)
    for i = 1, #list do
        local x = list[i]
        if x ~= core.na and (not utf8.len(x) or x:find("\0", 1, true)) then
            return nil, ("has a string in row %d that is not UTF-8 text"):format(i)
        end
    end
    return core.vector(list, "text")
end

-- The column that a list is; or nil and what is wrong with it.
local function of_list(list)
    local count, first = rawlen(list), nil
    for i = 1, count do
        local x = rawget(list, i)
        local kind = type(x)
        if x ~= core.na and kind ~= "string" and kind ~= "number" and kind ~= "boolean" then
            return nil, ("has a %s in row %d, where a text was expected"):format(kind, i)
        elseif x ~= core.na and kind ~= (first or kind) then
            local fix = first == "string" and "; make it a Vector with lun.vector" or ""
            return nil, ("has a %s in row %d, where a %s was expected%s"):format(kind, i,
                first == "string" and "text" or first, fix)
        end
        first = first or x ~= core.na and kind or nil
    end
    if count == 0 and next(list) ~= nil then
        return nil, "is no list of texts"
    elseif count == 0 or first == "string" then
        return of_texts(list)
    end
    return core.vector(list)
end

-- The column that a Vector, records or a list is, and its length; or nil and what is wrong with it.
function M.from(x)
    if core.isarray(x) or records.struct_of(x) then
        local usable, rank = pcall(function()
            return select("#", x:shape())
        end)
        if not usable then
            return nil, "has been freed"
        elseif rank ~= 1 then
            return nil, ("is of rank %d; a column is a Vector or a list of texts"):format(rank)
        end
        return x, x:size()
    elseif type(x) ~= "table" then
        return nil, ("is a %s; a column is a Vector or a list of texts"):format(type(x))
    elseif type(getmetatable(x)) == "table" and rawget(getmetatable(x), "columns") then
        return nil, "is a table of columns; a column is a Vector or a list of texts"
    end
    local column, wrong = of_list(x)
    return column, column and #column or wrong
end

-- Records in the struct of `like` of a list of tables with its fields; or nil and what is wrong with them.
function M.like(list, like)
    local usable, made = pcall(core.vector, list, records.struct_of(like))
    return usable and made or nil, not usable and "is no record: " .. (tostring(made):match "%((.*)%)$" or made) or nil
end

-- A column of n times one value: a number, boolean, text or lun.na; nil for anything else.
function M.repeated(x, n)
    if type(x) == "string" then
        return core.vector({ x }, "text"):take(core.full(n, 1)):eval()
    elseif x == core.na then
        return M.gap(core.zeros(0), n)
    elseif type(x) == "number" or type(x) == "boolean" then
        return core.full(n, x)
    end
end

-- ---------------------------------------------------------------- elements

-- The elements at these indices, an i64 Vector; gap: there may be zeros, at which elements are missing, which none of
-- records can be.
function M.take(x, at, gap)
    if gap and records.struct_of(x) then
        if at:eq(0):any() then
            fault("nothing can be missing among records; select the other columns, or their fields")
        end
        gap = false
    end
    return gap and x:take(at, { missing = core.na }) or x:take(at)
end

-- n missing elements in the dtype of a column.
function M.gap(like, n)
    return M.take(like, core.full(n, 0), true)
end

-- Columns one after the other; or nil and what is wrong with them.
function M.concat(list)
    local texts, kept, other = 0, {}, nil
    for _, x in ipairs(list) do
        texts = texts + (M.is_text(x) and 1 or 0)
        other = not M.is_text(x) and not other and M.dtype(x) or other
        kept[#kept + 1] = x:size() > 0 and x or nil
    end
    if texts > 0 and texts < #list then
        -- A column without elements has no kind to keep.
        if #kept < #list and #kept > 0 then
            return M.concat(kept)
        end
        return nil, ("is text in one table and %s in another"):format(other)
    end
    local usable, joined = pcall(core.concat, list)
    return usable and joined or nil, not usable and "does not go together: " .. tostring(joined) or nil
end

-- Whether two columns have the same dtype and elements.
function M.equal(a, b)
    if M.dtype(a) ~= M.dtype(b) or a:size() ~= b:size() then
        return false
    end
    return records.struct_of(a) and M.equal_fields(a, b) or not records.struct_of(a) and a:equals(b)
end

function M.equal_fields(a, b)
    local other = records.fields_of(b)
    for k, field in ipairs(records.fields_of(a)) do
        if not field:equals(other[k]) then
            return false
        end
    end
    return true
end

-- ---------------------------------------------------------------- gaps

-- A mask of what is missing or NaN.
function M.isna(x)
    return records.struct_of(x) and core.zeros(#x, "bool") or x:isna()
end

-- A mask of what is missing.
function M.ismissing(x)
    return records.struct_of(x) and core.zeros(#x, "bool") or x:ismissing()
end

-- The elements first to first + count - 1 as a list, nil where they are missing.
function M.values(x, first, count)
    local list = {}
    if not core.isarray(x) then
        for i = 1, count do
            list[i] = x[first + i - 1]
        end
        return list
    elseif count == 0 then
        return list
    end
    local missing = internal.has_missing(x) and x:ismissing():read(first, count)
    local read = x:eval():read(first, count)
    for i = 1, count do
        if not (missing and missing[i]) then
            list[i] = read[i]
        end
    end
    return list
end

-- A mask of where the elements are x: a number, text, boolean or lun.na; or nil and what is wrong.
function M.eq(column, x)
    if x == core.na then
        return M.ismissing(column)
    end
    local dtype = M.dtype(column)
    local kind = dtype == "bool" and "boolean" or M.is_number(column) and "number" or "string"
    if type(x) ~= kind then
        return nil, ("is %s, and compared with a %s"):format(dtype, type(x) == "string" and "text" or type(x))
    end
    return column:eq(x)
end

-- A mask of where the elements are among those of a list or an array.
function M.isin(column, list)
    if core.isarray(list) then
        return column:isin(list)
    end
    local mask, numbers = core.zeros(column:size(), "bool"), {}
    for i = 1, #list do
        local x = list[i]
        if type(x) == "number" and M.is_number(column) then
            numbers[#numbers + 1] = x
        else
            local one, wrong = M.eq(column, x)
            if not one then
                return nil, wrong
            end
            mask = mask | one
        end
    end
    return #numbers > 0 and mask | column:isin(numbers) or mask
end

-- Evaluates the arrays among columns together, as many at a time as a kernel takes.
function M.evaluate(columns)
    local list = {}
    for _, x in ipairs(columns) do
        for _, array in ipairs(records.fields_of(x) or { core.isarray(x) and x or nil }) do
            list[#list + 1] = array
        end
    end
    for first = 1, #list, 32 do
        core.eval(table.unpack(list, first, math.min(first + 31, #list)))
    end
end

-- ---------------------------------------------------------------- calls

-- Lets records be called as arrays are, by f.
function M.callable(x, f)
    local meta = not core.isarray(x) and getmetatable(x)
    if type(meta) == "table" and rawget(meta, "__call") == nil then
        meta.__call = f
    end
end

-- A value of a script in an error: texts and numbers as they are, of others what they are.
function M.shown(x)
    return (type(x) == "string" or type(x) == "number" or type(x) == "boolean") and tostring(x) or internal.kind_of(x)
end

return M
