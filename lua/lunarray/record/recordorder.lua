-- Records in an order: sort, argsort and topk by keys, which are fields, and unique.

local base = require "lunarray.record.recordbase"
local core = require "lunarray.core"
local elements = require "lunarray.record.recordmethods"
local ordering = require "lunarray.function.order"
local struct = require "lunarray.record.struct"

local internal = core.internal
local misuse, struct_of, lanes_of = base.misuse, base.struct_of, base.lanes_of
local methods = elements.methods

-- ---------------------------------------------------------------- keys

-- Raises an error unless records are in one line.
local function check_rank(r, name)
    if select("#", r:shape()) ~= 1 then
        misuse(1, name, ("records of shape [%s]: one axis expected, as a:flatten() has"):format(
            table.concat({ r:shape() }, ", ")))
    end
end

-- The numbers of the lanes that a name says: one lane, or all of a field that is an array or a struct; nil: none.
local function lanes_named(s, name)
    local found = {}
    for k, lane in ipairs(s.lanes) do
        local rest = lane[1]:sub(1, #name) == name and lane[1]:sub(#name + 1)
        if rest and (rest == "" or rest:find "^[.[]") then
            found[#found + 1] = k
        end
    end
    return found[1] and found or nil
end

-- The options of such a call.
local function options_of(opts, argument, name, known)
    if opts ~= nil and type(opts) ~= "table" then
        misuse(argument, name, ('options such as {by="x"} expected, got %s'):format(internal.kind_of(opts)))
    end
    for option, value in pairs(opts or {}) do
        if not known[option] then
            local list = {}
            for other in pairs(known) do
                list[#list + 1] = other
            end
            table.sort(list)
            misuse(argument, name, ("unknown option '%s': the options are %s"):format(tostring(option),
                table.concat(list, ", ")))
        elseif option ~= "by" and type(value) ~= "boolean" then
            misuse(argument, name, ("option %s: true or false expected, got %s"):format(option,
                internal.kind_of(value)))
        end
    end
    return opts or {}
end

-- The keys of r by option by, a name or a list of names of which each may begin with "-", nil: all fields; as a list of
-- { array, descending }. turned: the other way round.
local function keys_of(r, by, turned, argument, name)
    local s, arrays, keys = struct_of(r), lanes_of(r), {}
    local names = by == nil and table.move(s, 1, #s, 1, {}) or type(by) == "table" and by or { by }
    if #names == 0 then
        misuse(argument, name, "option by: no field is named")
    end
    for _, key in ipairs(names) do
        if type(key) ~= "string" then
            misuse(argument, name, ('option by: names of fields expected, such as {"x", "-y"}, got %s'):format(
                internal.kind_of(key)))
        end
        local descends = key:sub(1, 1) == "-"
        key = descends and key:sub(2) or key
        for _, k in ipairs(lanes_named(s, key) or misuse(argument, name, "option by: " .. struct.unknown(s, key))) do
            keys[#keys + 1] = { arrays[k], descends ~= turned }
        end
    end
    return keys
end

-- ---------------------------------------------------------------- methods

local SORT <const>, TOPK <const> = { by = true, descending = true }, { by = true, smallest = true }

local function ordered(r, opts, name)
    check_rank(r, name)
    opts = options_of(opts, 1, name, SORT)
    return ordering.by_keys(keys_of(r, opts.by, opts.descending == true, 1, name))
end

-- r:argsort{by={"x", "-y"}}: the indices in the order of fields, the first one the most important; stable.
function methods.argsort(r, opts)
    return ordered(r, opts, "argsort")
end

-- r:sort{by={"x", "-y"}}: the records in that order.
function methods.sort(r, opts)
    return methods.take(r, ordered(r, opts, "sort"):eval()) -- one order for all fields
end

-- r:topk(k, {by="x"}): the k records with the largest x, largest first, and their indices.
function methods.topk(r, count, opts)
    check_rank(r, "topk")
    opts = options_of(opts, 2, "topk", TOPK)
    local k = math.type(count) and math.tointeger(count)
    if not k then
        misuse(1, "topk", ("integer expected, got %s"):format(math.type(count) and tostring(count)
            or internal.kind_of(count)))
    elseif k < 0 then
        misuse(1, "topk", ("the number of records is negative: %d"):format(k))
    end
    local keys = keys_of(r, opts.by, opts.smallest ~= true, 2, "topk")
    local at = #keys == 1 and select(2, keys[1][1]:topk(k, { smallest = not keys[1][2] }))
        or ordering.by_keys(keys):sub(1, math.min(k, #r)):eval()
    return methods.take(r, at), at
end

-- r:unique(): the distinct records, in the order of their fields, and how often each occurs.
function methods.unique(r)
    check_rank(r, "unique")
    local list = lanes_of(r)
    local groups, fault = internal.grouping(list, false)
    if not groups then
        misuse(1, "unique", fault)
    end
    for k = 1, #list do
        list[k] = internal.grouping_array(groups, "key", k)
    end
    return base.of_lanes(struct_of(r), list), (internal.grouping_array(groups, "counts"))
end
