-- lun.factor: a list of texts, or a Vector, as codes and levels. Texts are counted in C (interp/bind/file/factor.c).

local core = require "lunarray.core"
local dtypes = require "lunarray.base.dtypes"
local misuse = require "lunarray.base.misuse"
local records = require "lunarray.base.records"

local M = {}

local MOST = (1 << 31) - 1

-- The number of an element among the levels, which ascend and end with NaN if there is one.
local code_of = core.map(function(x, levels)
    local low, high = 1, #levels
    if x ~= x then
        low = high
    end
    while low < high do
        local middle = (low + high) // 2
        if levels[middle] < x then
            low = middle + 1
        else
            high = middle
        end
    end
    return low
end, { out = "i32" })

-- An array whose elements compare in Lua as those of `a` do: for booleans, and for u64 beyond Lua's integers.
local function ordered(a)
    if a:dtype() == "bool" then
        return a:cast "u8"
    elseif dtypes.is_beyond_lua(a:dtype()) then
        return a:cast "i64" ~ math.mininteger
    end
    return a
end

local of_vector

function of_vector(a)
    if select("#", a:shape()) ~= 1 then
        misuse(1, "factor", "Vector, or list of texts, expected, got %s", core.internal.kind_of(a))
    end
    if a:dtype() == "text" then
        return a:codes():cast "i32", a:levels()
    end
    local kind = dtypes.by_name[a:dtype()].kind
    if kind == "time" then
        local codes, levels = of_vector(a:cast "i64")
        return codes, levels:cast(a:dtype())
    elseif core.internal.has_missing(a) then
        local there = a:ismissing():lnot():eval()
        local codes, levels = of_vector(core.internal.slots(a:compress(there)))
        local at = core.scan("+", 0, { inclusive = true })(there:cast "i64")
        return core.where(there, codes:take(core.where(there, at, 0), { missing = 0 }), 0):cast "i32":eval(), levels
    end
    local levels = a:unique()
    if levels:size() > MOST then
        misuse(1, "factor", "more than 2^31 - 1 different values")
    elseif levels:size() == 0 then
        return core.zeros(0, "i32"), levels
    end
    return code_of(ordered(a), ordered(levels):eval()):eval(), levels
end

-- lun.factor(list): codes and levels: for each element its number among the levels, an i32 Vector, and these: of a list
-- of texts the different ones in the order of their bytes, a list; of a Vector its values in order, a Vector.
-- levels[codes[i]] is list[i].
function M.factor(list)
    if core.isarray(list) then
        return of_vector(list)
    elseif type(list) ~= "table" or records.struct_of(list) then
        misuse(1, "factor", "Vector, or list of texts, expected, got %s", records.kind_of(list))
    end
    local codes, levels = core.internal.factor(list)
    if not codes then
        misuse(1, "factor", "element %d is a %s, where a text was expected%s", levels, type(list[levels]),
            type(list[levels]) == "number" and "; make the list a Vector with lun.vector" or "")
    end
    return codes, levels
end

return M
