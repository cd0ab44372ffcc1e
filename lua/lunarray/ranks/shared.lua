-- Shared values and arrays, which PE 0 has, symmetric arrays, of which each rank has one, and atomic updates.

local core = require "lunarray.core"
local pack = require "lunarray.ranks.pack"
local public = require "lunarray.base.public"
local ready = require "lunarray.ranks.ready"
local windows = require "lunarray.ranks.windows"

local _, mype = core.internal.spmd.start()

local shared = {}

local ID, SHAPE, OWNER = {}, {}, {} -- keys of a handle's fields; OWNER: nil if each rank has elements

local WHAT = {}
local rows = {}
local handle_of = setmetatable({}, { __mode = "k" }) -- by row: its handle and the indices so far

-- a[i] of an array of rank 2 and more: rows, then elements.
local function row(handle, indices)
    local r = setmetatable({}, rows)
    handle_of[r] = { handle, indices }
    return r
end

local function index_further(handle, indices, i, method)
    local next_indices = table.move(indices, 1, #indices, 1, {})
    next_indices[#next_indices + 1] = i
    local last = handle[SHAPE][#next_indices]
    if math.type(i) and i == last + 1 then
        return nil -- like other arrays, for ipairs
    elseif #next_indices < #handle[SHAPE] then
        windows.check_indices({ last }, { i }, handle[WHAT])
        return row(handle, next_indices)
    end
    return method(handle, next_indices)
end

local function owner_of(handle)
    return rawget(handle, OWNER) or mype
end

local function read(handle, indices)
    indices = windows.check_indices(handle[SHAPE], indices, handle[WHAT])
    return windows.access(owner_of(handle), mype, "get", handle[ID], indices)
end

local function store(handle, indices, x)
    if #indices < #handle[SHAPE] then
        error(("%s: elements are assigned one by one"):format(handle[WHAT]), 0)
    end
    indices = windows.check_indices(handle[SHAPE], indices, handle[WHAT])
    windows.access(owner_of(handle), mype, "put", handle[ID], indices, x)
end

rows.__index = public(function(r, i)
    local handle, indices = table.unpack(handle_of[r])
    return index_further(handle, indices, i, read)
end)
rows.__newindex = public(function(r, i, x)
    local handle, indices = table.unpack(handle_of[r])
    indices = table.move(indices, 1, #indices, 1, {})
    indices[#indices + 1] = i
    store(handle, indices, x)
end)

function rows.__len(r)
    local handle, indices = table.unpack(handle_of[r])
    return handle[SHAPE][#indices + 1]
end

local function new_type(name, methods)
    local type_of = { __name = name }
    function type_of.__index(handle, key)
        if methods[key] then
            return methods[key]
        end
        return index_further(handle, {}, key, read)
    end
    type_of.__index = public(type_of.__index)
    type_of.__newindex = public(function(handle, i, x)
        store(handle, { i }, x)
    end)
    function type_of.__len(handle)
        return handle[SHAPE][1]
    end
    function type_of.__gc(handle)
        windows.drop(handle[ID])
    end
    return type_of
end

-- ---------------------------------------------------------------- shared, symmetric

local shared_methods, symmetric_methods = {}, {}
local shared_type, symmetric_type = new_type("a shared value", shared_methods),
    new_type("a symmetric array", symmetric_methods)

-- A value, for get and set, is an array of one element.
local function check_value(v)
    if #v[SHAPE] > 1 or v[SHAPE][1] ~= 1 then
        error(("%s is no value: its elements are v[i]"):format(v[WHAT]), 0)
    end
end

shared_methods.get = public(function(v)
    check_value(v)
    return windows.access(0, mype, "get", v[ID], { 1 })
end)

shared_methods.set = public(function(v, x)
    check_value(v)
    windows.access(0, mype, "put", v[ID], { 1 }, x)
end)

-- The indices among the arguments of get and put.
local function take_indices(y, ...)
    local indices = { ... }
    return windows.check_indices(y[SHAPE], indices, y[WHAT])
end

local check_pe

symmetric_methods.get = public(function(y, pe, ...)
    return windows.access(check_pe(1, "get", pe), mype, "get", y[ID], take_indices(y, ...))
end)

symmetric_methods.put = public(function(y, pe, ...)
    local given = table.pack(...)
    local x = given[given.n]
    given[given.n] = nil
    windows.access(check_pe(1, "put", pe), mype, "put", y[ID], take_indices(y, table.unpack(given, 1, given.n - 1)), x)
end)

function symmetric_methods.localview(y)
    return windows.array(y[ID])
end

-- ---------------------------------------------------------------- the functions of lun.spmd

local function shape_of(shape)
    return type(shape) == "table" and table.move(shape, 1, #shape, 1, {}) or { shape }
end

-- The results of f, called for the function `call`: a bad argument of f becomes one of `call`, with the number in
-- `numbers`.
local function for_call(call, numbers, f, ...)
    local results = table.pack(pcall(f, ...))
    if results[1] then
        return table.unpack(results, 2, results.n)
    end
    local e = results[2]
    local number, why = tostring(e):match "bad argument #(%d) to '[^']*' (%(.*%))$"
    error(number and ("bad argument #%d to '%s' %s"):format(numbers[tonumber(number)], call, why) or e, 0)
end

local function check_dtype(call, dtype)
    if dtype ~= nil and type(dtype) ~= "string" then
        local kind = core.internal.kind_of(dtype)
        error(("bad argument #1 to '%s' (name of a dtype expected, got %s)"):format(call, kind), 0)
    end
end

-- The initial array of a shared value: of one element, or a copy of an array.
local function beginning(dtype, x)
    check_dtype("shared", dtype)
    if pack.is_array(x) then
        return x:cast(dtype):copy(), { x:shape() }
    elseif x ~= nil and type(x) ~= "number" and type(x) ~= "boolean" then
        return nil, ("a number, a boolean or an array expected, got %s"):format(type(x))
    end
    local a = core.zeros(1, dtype)
    if x ~= nil then
        a[1] = x
    end
    return a, { 1 }
end

local function open_shared(s, misuse)
    s.shared = public(function(dtype, x)
        local array, shape = ready(function()
            -- of cast, zeros and an assignment
            local array, shape = for_call("shared", { 1, 1, 2 }, beginning, dtype, x)
            return array or misuse(2, "shared", shape), shape
        end)
        local kind = pack.kind(array)
        local id = windows.make(mype == 0 and array, array:size(), ("shares %s"):format(kind), "a shared value")
        local what = ("the shared array %s"):format(kind)
        return setmetatable({ [ID] = id, [SHAPE] = shape, [OWNER] = 0, [WHAT] = what }, shared_type)
    end)
    s.symmetric = public(function(dtype, shape)
        local array = ready(function()
            check_dtype("symmetric", dtype)
            return for_call("symmetric", { 2, 1 }, core.zeros, shape, dtype)
        end)
        local kind = pack.kind(array)
        local id = windows.make(array, array:size(), ("makes a symmetric %s"):format(kind), "a symmetric array")
        local what = ("the symmetric array %s"):format(kind)
        return setmetatable({ [ID] = id, [SHAPE] = shape_of(shape), [WHAT] = what }, symmetric_type)
    end)
end

local function update_element(target, indices, x, op)
    if getmetatable(target) == shared_type and #indices == 0 and #target[SHAPE] == 1 and target[SHAPE][1] == 1 then
        indices[1] = 1
    end
    indices = windows.check_indices(target[SHAPE], indices, target[WHAT])
    return windows.access(owner_of(target), mype, "update", target[ID], indices, x, op)
end

-- s.atomic(target, [i, ...,] op, x)
local function open_atomic(s, misuse)
    local update = setmetatable({ [shared_type] = update_element, [symmetric_type] = update_element }, { __mode = "k" })
    windows.updates = update -- by metatable: with targets of other files
    s.atomic = public(function(target, ...)
        local given = table.pack(...)
        local op, x = given[given.n - 1], given[given.n]
        local indices = table.move(given, 1, given.n - 2, 1, {})
        local f, wrong = windows.update_of(op)
        if not f then
            misuse(given.n < 2 and 2 or given.n, "atomic", wrong)
        end
        local change = update[getmetatable(target)]
        if not change then
            misuse(1, "atomic", "a shared value, a symmetric or a blocked array expected")
        end
        return change(target, indices, x, op)
    end)
end

-- s.home(a, i, ...)
local function open_home(s, misuse)
    local homes = setmetatable({ [shared_type] = function()
        return 0
    end }, { __mode = "k" })
    windows.homes = homes -- by metatable: for arrays of other files
    s.home = public(function(a, ...)
        local home = homes[getmetatable(a)]
        if not home then
            misuse(1, "home", "a shared value or a blocked array expected")
        end
        return home(a, { ... })
    end)
end

-- Puts the functions into lun.spmd; check, misuse: of arguments.
function shared.open(s, check, misuse)
    check_pe = check
    open_shared(s, misuse)
    open_atomic(s, misuse)
    open_home(s, misuse)
    s.critical = windows.critical
end

return shared
