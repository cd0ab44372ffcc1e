-- What files that know no records ask of them: whether a value is an array of records, and its fields. The files of
-- records are loaded with the first struct; before that there are none.

local core = require "lunarray.core"

local M = {}

local loaded -- recordbase.lua, once it is

-- It is loaded: a script may take modules out of package.loaded, which does not end what is made of them.
function M.are_loaded(base)
    loaded = base
end

-- The struct of an array of records; nil for anything else.
function M.struct_of(x)
    return loaded and loaded.struct_of(x) or nil
end

-- The fields of an array of records as a list of arrays, those of records in them among them; nil for anything else.
function M.fields_of(x)
    return M.struct_of(x) and loaded.list_of(x)
end

-- The elements of the fields: names such as "pos.x" and "v[1]", arrays of the shape of the records.
function M.lanes_of(x)
    local names = {}
    for k, lane in ipairs(M.struct_of(x).lanes) do
        names[k] = lane[1]
    end
    return names, loaded.lanes_of(x)
end

local columns = setmetatable({}, { __mode = "k" }) -- by records: the name of the column that they are

-- x is the column of that name in a table: errors about records say so.
function M.is_column(x, name)
    if M.struct_of(x) then
        columns[x] = name
    end
end

-- What x is, for an error where records are not taken: as core.internal.kind_of has it, for records with what to do.
function M.kind_of(x)
    local struct = M.struct_of(x)
    if not struct then
        return core.internal.kind_of(x)
    end
    local names = table.concat(struct, ", ", 1, #struct - 1)
    local column = columns[x]
    local where = column and (" (column '%s')"):format(column) or ""
    local of = column and (column:find "^[%a_][%w_]*$" and "t." .. column or ("t[%q]"):format(column)) or "a"
    return ("records of %s%s: take a field (%s), as %s:field '%s'"):format(struct.name, where,
        #struct == 1 and struct[1] or names .. " and " .. struct[#struct], of, struct[1])
end

-- The records of f(field) for each field of an array of records.
function M.each_field(x, f)
    return loaded.each_field(x, f)
end

-- Records of a struct of arrays for the elements of its fields.
function M.gather(struct, list)
    return loaded.of_lanes(struct, list)
end

-- Records, and a function that combines two, as records that a kernel takes, whatever their struct has, and a function
-- that combines those; what makes n of the latter of one record; and what makes records of the struct of the latter.
function M.narrowed(x, f)
    return loaded.narrowed(x, f)
end

-- One record of a struct as an array of it; an error is one of that argument of `call`.
function M.one(struct, x, argument, call)
    return loaded.one(struct, x, argument, call)
end

-- The struct of an array of records as a table of its name, layout, and names, dtypes and extents of fields.
function M.described(x)
    return loaded.described(x)
end

-- Records of such a struct on the arrays of its fields, as M.fields_of has them.
function M.of_described(struct, arrays)
    if not loaded then
        error(("records of %s come to where no struct has been made: make it with lun.struct"):format(struct.name), 0)
    end
    return loaded.of_described(struct, arrays)
end

-- Records of the struct of x on the arrays of its fields, as M.fields_of has them.
function M.like(x, arrays)
    return loaded.like(x, arrays)
end

-- A field of records that has their shape.
function M.first_of(x)
    return loaded.first_of(x)
end

-- Whether records have a method of that name.
function M.has_method(name)
    return loaded.methods[name] ~= nil
end

-- Whether two arrays of records have the same elements of fields, by name and dtype.
function M.alike(a, b)
    local x, y = M.struct_of(a).lanes, M.struct_of(b).lanes
    local same = #x == #y
    for k = 1, same and #x or 0 do
        same = same and x[k][1] == y[k][1] and x[k][2] == y[k][2]
    end
    return same
end

-- Calls f(name, array) for each element of the fields of an array of records, as "name.field", and f(name, x) for any
-- other x.
function M.each_column(name, x, f)
    local struct = M.struct_of(x)
    if not struct then
        return f(name, x)
    end
    for k, array in ipairs(loaded.lanes_of(x)) do
        f(("%s.%s"):format(name, struct.lanes[k][1]), array)
    end
end

return M
