-- Arguments of functions of groups, runs and joins: columns of keys as Vectors or lists of texts, options. Knows none
-- of these functions.

local core = require "lunarray.core"
local misuse = require "lunarray.base.misuse"
local records = require "lunarray.base.records"

local internal = core.internal

local M = {}

-- The results of a function of the binding; nil and a text is a mistake in that argument of `call`.
function M.checked(argument, call, result, ...)
    if result == nil then
        misuse(argument, call, "%s", (...))
    end
    return result, ...
end

-- The options as a table; every name must be known.
function M.options(opts, argument, call, known)
    if opts ~= nil and type(opts) ~= "table" then
        misuse(argument, call, "table of options expected, got %s", internal.kind_of(opts))
    end
    for name in pairs(opts or {}) do
        if not known[name] then
            local list = {}
            for other in pairs(known) do
                list[#list + 1] = other
            end
            table.sort(list)
            misuse(argument, call, "unknown option '%s': the options are %s", tostring(name), table.concat(list, ", "))
        end
    end
    return opts or {}
end

-- A table that is no array and no records.
function M.is_list(x)
    return type(x) == "table" and not core.isarray(x) and not records.struct_of(x)
end

-- A list of texts, or an empty one.
function M.is_texts(x)
    return M.is_list(x) and (x[1] == nil and next(x) == nil or type(x[1]) == "string")
end

-- "i16[4]", "P[4]" of records, or "4 texts" of a list, for errors of lengths.
function M.described(x)
    if core.isarray(x) then
        return ("%s[%s]"):format(x:dtype(), table.concat({ x:shape() }, ", "))
    end
    local struct = records.struct_of(x)
    return struct and ("%s[%d]"):format(struct.name, #x) or ("%d text%s"):format(#x, #x == 1 and "" or "s")
end

-- A column as a Vector of codes, and their texts if it is a list.
function M.column(x, argument, call)
    x = M.whole(x)
    if core.isarray(x) then
        return x
    end
    if not M.is_texts(x) then
        misuse(argument, call, "Vector or list of texts expected, got %s", records.kind_of(x))
    end
    local codes, levels = internal.factor(x)
    if not codes then
        misuse(argument, call, "element %d is a %s, where a text was expected", levels, type(x[levels]))
    end
    return codes, levels
end

-- x; on ranks blocked arrays as private copies, in a list or table too.
function M.whole(x)
    local whole = internal.names.whole
    return whole and whole(x) or x
end

-- An array as it is.
function M.vector(x, argument, call)
    x = M.whole(x)
    if not core.isarray(x) then
        misuse(argument, call, "array expected, got %s", records.kind_of(x))
    end
    return x
end

return M
