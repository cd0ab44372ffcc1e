-- Records compared, chosen, moved and written as wholes: eq, ne, equals, where, shift, pad, put, take{missing=}. Each
-- works on the elements of all fields, arrays of one shape; one record is broadcast.

local base = require "lunarray.record.recordbase"
local core = require "lunarray.core"
local elements = require "lunarray.record.recordmethods"
local struct = require "lunarray.record.struct"

local internal = core.internal
local array_methods = internal.methods
local misuse, struct_of, lanes_of = base.misuse, base.struct_of, base.lanes_of
local methods, by_array = elements.methods, elements.by_array

local offers = {} -- for functions of the module, by their names

-- ---------------------------------------------------------------- operands

-- How the fields of two structs, which are not the same, differ.
local function difference(s, other)
    for k = 1, math.max(#s, #other) do
        local name = s[k]
        if not name or other[k] ~= name then
            return ("%s; %s"):format(struct.names(s), struct.names(other))
        end
        local inner, from = s.dtypes[name], other.dtypes[name]
        if struct.is(inner) and struct.is(from) and not struct.same(inner, from) then
            return ("field '%s': %s"):format(name, difference(inner, from))
        elseif struct.shown(s, name) ~= struct.shown(other, name) then
            return ("field '%s': %s, %s"):format(name, struct.shown(s, name), struct.shown(other, name))
        end
    end
end

-- The values of one record of s, in the order of the lanes, each of which its dtype has; what: of which option.
local function values_of(s, x, argument, name, what)
    local fault = struct.fault(s, x, true)
    if fault then
        misuse(argument, name, (what or "") .. fault)
    end
    local values, arrays = struct.values(s, x), {}
    for k, lane in ipairs(s.lanes) do
        local ok, made = pcall(core.full, 1, values[k], lane[2])
        if not ok then
            misuse(argument, name, ("%sfield '%s': %s"):format(what or "", lane[1], tostring(made):match "%((.*)%)$"
                or internal.kind_of(values[k])))
        end
        arrays[k] = made
    end
    return values, arrays
end

-- The elements of records of s, or of one record of it: an array for each lane.
local function operand(s, x, argument, name)
    local other = struct_of(x)
    if other and not struct.same(s, other) then
        misuse(argument, name, ("records of %s and of %s differ (%s)"):format(s.name, other.name,
            difference(s, other)))
    elseif not other and type(x) ~= "table" then
        misuse(argument, name, ("records of %s, or one record, expected, got %s"):format(s.name,
            internal.kind_of(x)))
    end
    return other and lanes_of(x) or select(2, values_of(s, x, argument, name))
end

-- The records of f(array, k) for each lane of r.
local function each_lane(r, f)
    local list = lanes_of(r)
    for k, a in ipairs(list) do
        list[k] = f(a, k)
    end
    return base.of_lanes(struct_of(r), list)
end

-- ---------------------------------------------------------------- equality and choice

-- r:eq(s), r:ne(s): whether all fields are equal, or any is not; s: records, or one record. first: the number of the
-- first operand in errors.
local function comparison(name, first)
    return function(x, y)
        local s, mask = struct_of(x) or struct_of(y), nil
        local a, b = operand(s, x, first, name), operand(s, y, first + 1, name)
        for k = 1, #s.lanes do
            local ok, one = base.try(array_methods[name], a[k], b[k])
            if not ok then
                error(type(one) == "string" and one:gsub("bad argument #%d+ to '[^']*'",
                    ("bad argument #%d to '%s'"):format(first + 1, name)) or one, 0)
            end
            mask = not mask and one or name == "eq" and mask & one or name == "ne" and mask | one
        end
        return mask
    end
end

for _, name in ipairs { "eq", "ne" } do
    offers[name], methods[name] = comparison(name, 1), comparison(name, 0)
end

-- Whether shape, fields and all elements are the same; NaN is NaN.
function methods.equals(r, other)
    if not struct_of(other) or not struct.same(struct_of(r), struct_of(other)) then
        return false
    end
    local list = base.list_of(other)
    for k, a in ipairs(base.list_of(r)) do
        if not a:equals(list[k]) then
            return false
        end
    end
    return true
end

-- lun.where(mask, r, s): records of r where mask is true, otherwise of s; one of them may be a single record.
function offers.where(mask, x, y)
    local s = struct_of(x) or struct_of(y)
    if struct_of(mask) then
        misuse(1, "where", ("a mask expected, got records of %s"):format(struct_of(mask).name))
    end
    local a, b, list = operand(s, x, 2, "where"), operand(s, y, 3, "where"), {}
    for k = 1, #s.lanes do
        list[k] = core.where(mask, a[k], b[k])
    end
    return base.of_lanes(s, list)
end

-- ---------------------------------------------------------------- what is beyond the ends

-- The edge of shift and pad for each lane: "wrap", "nearest" or one record; without one all fields are floats.
local function edges_of(s, edge, name)
    local list = type(edge) == "table" and values_of(s, edge, 2, name, "edge: ") or {}
    if type(edge) ~= "table" and edge ~= nil and edge ~= "wrap" and edge ~= "nearest" then
        misuse(2, name, ('edge: "wrap", "nearest" or a record of %s expected, got %s'):format(s.name,
            type(edge) == "string" and edge or internal.kind_of(edge)))
    end
    for k, lane in ipairs(s.lanes) do
        if edge == nil and not lane[2]:find "^b?f%d" then
            misuse(2, name, ('an edge is required, since field \'%s\' (%s) has no NaN: "wrap", "nearest" or a record '
                .. "of %s"):format(lane[1], lane[2], s.name))
        end
        if type(edge) ~= "table" then
            list[k] = edge
        end
    end
    return list
end

-- Whether a table has a field of s for a key: it is no table of options.
local function is_record(s, t)
    for _, name in ipairs(s) do
        if rawget(t, name) ~= nil then
            return true
        end
    end
    return false
end

-- r:shift(k [, {axis=1, edge=}]), r:shift(k, P(0, 0)): the edge is "wrap", "nearest" or a record.
function methods.shift(r, count, opts)
    local s, axis, edge = struct_of(r), nil, opts
    if type(opts) == "table" and not is_record(s, opts) then
        for name in pairs(opts) do
            if name ~= "axis" and name ~= "edge" then
                misuse(2, "shift", ("unknown option '%s': the options are axis, edge"):format(tostring(name)))
            end
        end
        axis, edge = opts.axis, opts.edge
    end
    local edges = edges_of(s, edge, "shift")
    return each_lane(r, function(a, k)
        return by_array("shift", array_methods.shift, a, count, { axis = axis, edge = edges[k] })
    end)
end

-- r:pad(n [, edge]): n more records at both ends of each axis, or {{b1, a1}, ...} before and after each.
function methods.pad(r, count, edge)
    local edges = edges_of(struct_of(r), edge, "pad")
    return each_lane(r, function(a, k)
        return by_array("pad", array_methods.pad, a, count, edges[k])
    end)
end

-- ---------------------------------------------------------------- by indices

local function shown(a)
    return ("[%s]"):format(table.concat({ a:shape() }, ", "))
end

-- Raises an error if the indices are not of records of r, or the records x do not go there.
local function check_put(r, i, x, axis)
    local one = core.zeros(1, "bool"):broadcast { r:shape() }
    local there = by_array("put", array_methods.take, one, i, { axis = axis }):eval()
    if struct_of(x) and not pcall(array_methods.broadcast, lanes_of(x)[1], { there:shape() }) then
        misuse(2, "put", ("records of shape %s do not broadcast to the shape of the indices: %s"):format(shown(x),
            shown(there)))
    end
end

-- r:put(i, x [, {axis=1}]): writes records, or one record, to those at the indices; of equal ones the last one wins.
function methods.put(r, i, x, opts)
    opts = math.type(opts) and { axis = opts } or opts
    if opts ~= nil and type(opts) ~= "table" then
        misuse(3, "put", ("table of options expected, got %s"):format(internal.kind_of(opts)))
    end
    for name in pairs(opts or {}) do
        if name ~= "axis" then
            misuse(3, "put", name == "combine" and "records are not combined: of equal indices the last one wins"
                or ("unknown option '%s': the only option is axis"):format(tostring(name)))
        end
    end
    local axis = opts and opts.axis
    local values = operand(struct_of(r), x, 2, "put")
    check_put(r, i, x, axis)
    core.eval(table.unpack(values)) -- all are read before any is written
    for k, a in ipairs(lanes_of(r)) do
        by_array("put", array_methods.put, a, i, values[k], { axis = axis })
    end
    return r
end

-- Those of runs and keys work on records as on arrays.
for _, name in ipairs { "reduceby", "scanby", "reduceat" } do
    methods[name] = function(...)
        local results = table.pack(base.try(array_methods[name], ...))
        if not results[1] then
            error(results[2], 0)
        end
        return table.unpack(results, 2, results.n)
    end
end

local take = methods.take

-- r:take(i [, {axis=1, missing=P(0, 0)}]): index 0 gives `missing`.
function methods.take(r, i, opts)
    if type(opts) ~= "table" or opts.missing == nil then
        return take(r, i, opts)
    end
    local values, own = values_of(struct_of(r), opts.missing, 2, "take", "missing: "), {}
    for name, value in pairs(opts) do
        own[name] = value
    end
    return each_lane(r, function(a, k)
        own.missing = values[k]
        return by_array("take", array_methods.take, a, i, own)
    end)
end

return offers
