-- The option `dtypes` of formats whose columns have types of their own (Parquet, databases, sheets): the dtype that a
-- script wants instead. As in csv a value that does not fit is refused with its row, and floats take the nearest one.

local dtypes = require "lunarray.base.dtypes"
local frame = require "lunarray.show.frame"
local object = require "lunarray.table.object"
local options = require "lunarray.format.csvoptions"

local M = {}

-- What is wrong with the option.
M.fault = options.checks.dtypes

-- The dtype that a column of that name gets, nil: its own; and the format of its dates.
local function wanted(opts, name)
    local x = opts.dtypes
    if type(x) == "table" and x[1] == nil then
        x = x[name]
    end
    if type(x) == "table" then
        return x[1], x[2]
    end
    return x
end

-- ---------------------------------------------------------------- in a query

-- Types of which the text is exact, and has values that no dtype has.
local EXACT = { "^DECIMAL", "HUGEINT$" }
-- Those that are nothing but their text.
local TEXTS = { "%]$", "^STRUCT", "^MAP", "^UNION", "^TIME WITH", "^BIGNUM" }

local function is_one(type, patterns)
    for _, pattern in ipairs(patterns) do
        if type:find(pattern) then
            return true
        end
    end
    return false
end

-- What a query has instead of a column of this type, a format for its name in SQL; nil: the column itself.
function M.instead(opts, name, type)
    local dtype = wanted(opts, name)
    if dtype == "text" and (is_one(type, EXACT) or is_one(type, TEXTS)) then
        return "%s::varchar"
    elseif dtype and is_one(type, EXACT) then
        return "regexp_replace(%s::varchar, '[.]0+$', '')"
    end
end

-- ---------------------------------------------------------------- arrays

local NUMBERS = { signed = true, unsigned = true, bool = true, float = true }

-- Which elements of x are others in y, which is made of it.
local function changed(x, y, kind)
    local differs = y:cast(x:dtype()):ne(x)
    if kind == "bool" or x:dtype() == "bool" then
        return differs
    end
    differs = differs | x:lt(0):ne(y:lt(0)) -- a sign that became a bit
    if dtypes.is_float(x:dtype()) and dtypes.by_name[y:dtype()].bytes == 8 then
        differs = differs | x:ge(kind == "signed" and 0x1p63 or 0x1p64) -- which is the end of the range
    end
    return differs
end

-- x in a dtype, and a mask of elements that do not fit it, nil: all do; or nil where none is made of such.
local function converted(x, dtype, format)
    local from, kind = dtypes.by_name[x:dtype()], dtypes.by_name[dtype].kind
    if from.kind == "text" or NUMBERS[from.kind] and dtype == "duration" and not format then
        local y = x:cast("text"):cast(dtype, { errors = "missing", format = format })
        return y, y:ismissing()
    elseif format then
        return nil
    elseif kind == "text" then
        return x:cast "text"
    elseif NUMBERS[from.kind] and kind == "float" then
        return x:cast(dtype)
    elseif NUMBERS[from.kind] and NUMBERS[kind] then
        local y = x:cast(dtype)
        return y, changed(x, y, kind)
    elseif x:dtype() == "date" and dtype == "timestamp" then
        return x:cast(dtype)
    elseif x:dtype() == "timestamp" and dtype == "date" then
        local y = x:cast(dtype)
        return y, y:cast("timestamp"):ne(x)
    end
end

-- The column of that name as the options want it, behind so many rows; or nil, message.
function M.array(x, name, opts, before)
    local dtype, format = wanted(opts, name)
    if dtype == nil or dtype == x:dtype() and not format then
        return x
    end
    local y, wrong = converted(x, dtype, format)
    if not y then
        return nil, ("column '%s' is %s, of which no %s is made%s"):format(name, x:dtype(), dtype,
            format and " by a format" or "")
    end
    local row = wrong and (wrong & ~x:ismissing()):indices()[1]
    if row then
        local value = x:sub(row, row):cast("text")[1]
        return nil, ("row %d: '%s' is no %s (column '%s')"):format(row + (before or 0), value, dtype, name)
    end
    return y:eval()
end

-- The table as the options want it; or nil, message, code.
function M.table(t, opts)
    if opts.dtypes == nil then
        return t
    end
    local names, columns = frame.ordered(t), {}
    local unknown = select(2, options.unknown({ dtypes = opts.dtypes }, names))
    if unknown then
        return nil, ("dtypes has '%s', but there are the columns '%s'"):format(unknown, table.concat(names, "', '")),
            "format"
    end
    for _, name in ipairs(names) do
        local message
        columns[name], message = M.array(frame.column(t, name), name, opts)
        if message then
            return nil, message, "format"
        end
    end
    return object.make(columns, names, #t)
end

return M
