-- lun.join: the rows of two tables that have equal keys, found by the binding (interp/bind/array/lua_group.c).

local core = require "lunarray.core"
local given_as = require "lunarray.table.keys"
local misuse = require "lunarray.base.misuse"
local records = require "lunarray.base.records"

local internal = core.internal
local checked, column, is_list, is_texts = given_as.checked, given_as.column, given_as.is_list, given_as.is_texts

local M = {}

local function columns(x, argument)
    if core.isarray(x) or records.struct_of(x) or is_texts(x) then
        return { x }
    end
    if not is_list(x) then
        misuse(argument, "join", "Vector, list of texts or list of columns expected, got %s", records.kind_of(x))
    end
    return x
end

-- A column of each side as Vectors: texts as codes common to both.
local function both(a, b, k)
    if core.isarray(a) and core.isarray(b) then
        return a, b
    end
    if is_texts(a) and core.isarray(b) and b:dtype() == "text" then
        return core.vector(a, "text"), b
    elseif is_texts(b) and core.isarray(a) and a:dtype() == "text" then
        return a, core.vector(b, "text")
    elseif core.isarray(a) or core.isarray(b) or not is_texts(a) or not is_texts(b) then
        misuse(2, "join", "key %d is %s on one side and %s on the other", k, internal.kind_of(a), internal.kind_of(b))
    end
    local all = table.move(b, 1, #b, #a + 1, table.move(a, 1, #a, 1, {}))
    local codes = column(all, 1, "join")
    return codes:sub(1, #a), codes:sub(#a + 1, #all)
end

-- Adds to x and y the columns of key k of each side, of records one for each element of their fields.
local function add_key(x, y, a, b, k)
    local of_a, of_b = records.struct_of(a), records.struct_of(b)
    if not of_a and not of_b then
        x[#x + 1], y[#y + 1] = both(a, b, k)
        return
    elseif not of_a or not of_b or not records.alike(a, b) then
        misuse(2, "join", "key %d is %s on one side and %s on the other", k,
            of_a and "records of " .. of_a.name or internal.kind_of(a),
            of_b and (of_a and "records of %s with other fields" or "records of %s"):format(of_b.name)
                or internal.kind_of(b))
    end
    local _, left = records.lanes_of(a)
    local _, right = records.lanes_of(b)
    table.move(left, 1, #left, #x + 1, x)
    table.move(right, 1, #right, #y + 1, y)
end

local JOIN_OPTIONS <const> = { na = true }

-- i, j = lun.join(a, b [, how [, {na=}]]): the rows of a and of b that have equal keys.
function M.join(a, b, how, opts)
    opts = given_as.options(opts, 4, "join", JOIN_OPTIONS)
    if opts.na ~= nil and opts.na ~= "match" then
        misuse(4, "join", "option 'na': \"match\" expected, got %s", internal.kind_of(opts.na))
    end
    local left, right = columns(a, 1), columns(b, 2)
    if how ~= nil and how ~= "inner" and how ~= "left" then
        misuse(3, "join", '"inner" or "left" expected, got %s', type(how) == "string" and how or internal.kind_of(how))
    end
    if #left ~= #right then
        misuse(2, "join", "%d keys on one side and %d on the other", #left, #right)
    end
    local x, y = {}, {}
    for k = 1, #left do
        add_key(x, y, left[k], right[k], k)
    end
    local i, j = checked(1, "join", internal.join(x, y, how == "left", opts.na == "match"))
    return i, j
end

return M
