-- Elements and methods of records.

local base = require "lunarray.record.recordbase"
local core = require "lunarray.core"
local struct = require "lunarray.record.struct"

local internal = core.internal
local array_type, array_methods = internal.array_type, internal.methods
local misuse, struct_of, fields_of, list_of = base.misuse, base.struct_of, base.fields_of, base.list_of
local first_of, each_field, values_of, store = base.first_of, base.each_field, base.values_of, base.store

local methods, events = {}, {} -- of all records
base.methods = methods

-- ---------------------------------------------------------------- elements

-- Index i as one from 1 to n; nil for n + 1 if `look`.
local function index_of(r, i, look)
    local n, exact = #first_of(r), math.tointeger(i)
    if not exact or type(i) ~= "number" then
        misuse(2, look and "A[i]" or "A[i] = x", ("integer index or name of a field expected, got %s"):format(
            internal.kind_of(i)))
    elseif exact >= 1 and exact <= n then
        return exact
    elseif exact < 0 and exact >= -n then
        return n + exact + 1
    elseif look and exact == n + 1 then
        return nil
    end
    misuse(2, look and "A[i]" or "A[i] = x", n == 0 and ("index %d is out of range: the array is empty"):format(exact)
        or ("index %d is out of range: 1 to %d, or -1 to -%d from the end"):format(exact, n, n))
end

local function rank_of(r)
    return select("#", first_of(r):shape())
end

local function element(r, i)
    local s, fields = struct_of(r), fields_of(r)
    if rank_of(r) > 1 then
        return each_field(r, function(a) return a[i] end, true)
    end
    local row = {}
    for _, name in ipairs(s) do
        local x = fields[name]
        if struct_of(x) then
            row[name] = element(x, i)
        else
            row[name] = s.extents[name] and x[i]:totable() or x[i]
        end
    end
    return row
end

-- The method of records in place of one that only arrays have: it raises an error.
local function refused(name)
    return array_methods[name] and base.public(function(r)
        local s = struct_of(r)
        error(s and ("records of %s have no '%s': take a field (%s), as a:field '%s'"):format(s.name, name,
            struct.names(s), s[1]) or ("'%s' without records"):format(name), 0)
    end)
end

function events.__index(r, key)
    if type(key) == "string" then
        return methods[key] or fields_of(r)[key] or refused(key)
    end
    local i = index_of(r, key, true)
    return i and element(r, i)
end

-- Writes t, whose fields have been checked, to the record at i, field by field; before: as elsewhere.
local function write(r, i, t, before)
    local s, fields = struct_of(r), fields_of(r)
    for _, name in ipairs(s) do
        local x, value = fields[name], t[name]
        if struct_of(x) then
            write(x, i, value, before .. name .. ".")
        else
            local ok, e = pcall(function()
                array_type.__newindex(x, i, s.extents[name] and core.vector(value, s.dtypes[name]) or value)
            end)
            local text = not ok and type(e) == "string" and e:match "%((.*)%)$"
            if text then
                misuse(3, "A[i] = x", ("field '%s': %s"):format(before .. name, text))
            elseif not ok then
                error(e, 0)
            end
        end
    end
end

-- Assigns t to the record at i: all of it or, after an error, nothing.
local function assign(r, i, t)
    local fault = struct.fault(struct_of(r), t, true)
    if fault then
        misuse(3, "A[i] = x", fault)
    end
    local old = element(r, i)
    local ok, e = pcall(write, r, i, t, "")
    if not ok then
        write(r, i, old, "")
        error(e, 0)
    end
end

function events.__newindex(r, key, value)
    if type(key) == "string" then
        local a = fields_of(r)[key]
        if not a then
            misuse(2, "A.x = e", struct.unknown(struct_of(r), key))
        end
        a:set(value)
        return
    end
    local i = index_of(r, key, false)
    if rank_of(r) > 1 then
        element(r, i):set(value)
    else
        assign(r, i, value)
    end
end

function events.__len(r)
    return #first_of(r)
end

-- ---------------------------------------------------------------- asking

function methods.field(r, name)
    local a = fields_of(r)[name]
    if not a then
        misuse(1, "field", struct.unknown(struct_of(r), name))
    end
    return a
end

function methods.dtype(r)
    return struct_of(r)
end

function methods.kind()
    return "Records"
end

-- "aos" if the fields of a record are side by side in memory, else "soa".
function methods.layout(r)
    return base.layout_of(r)
end

-- The bytes of a record: of a struct in memory with what is between its fields.
function methods.itemsize(r)
    if base.layout_of(r) == "aos" then
        return struct_of(r).bytes
    end
    local bytes = 0
    for _, a in ipairs(base.lanes_of(r)) do
        bytes = bytes + array_methods.itemsize(a)
    end
    return bytes
end

function methods.nbytes(r)
    return methods.itemsize(r) * first_of(r):size()
end

for _, name in ipairs { "shape", "size", "backend" } do
    methods[name] = function(r)
        local a = first_of(r)
        return array_methods[name](a)
    end
end

function methods.pending(r)
    local sum = 0
    for _, a in ipairs(list_of(r)) do
        sum = sum + a:pending()
    end
    return sum
end

-- ---------------------------------------------------------------- whole records

-- An error of an array's method, called as a function, as one of the records' method.
local function as_method(text, name)
    return (text:gsub("bad argument #(%d+) to '[^']*'", function(k)
        return ("bad argument #%d to '%s'"):format(math.max(tonumber(k) - 1, 1), name)
    end))
end

-- An axis of records in an array that has others behind them.
local function in_array(axis, extents)
    return math.type(axis) and axis < 0 and axis - #extents or axis
end

-- Options as a table: a number is the axis.
local function named(opts)
    return type(opts) == "table" and opts or { axis = math.type(opts) and opts or nil }
end

-- Options with such an axis; without one, that of a Vector.
local function along(r, opts, extents)
    local own = {}
    for name, value in pairs(named(opts)) do
        own[name] = value
    end
    own.axis = own.axis == nil and rank_of(r) == 1 and 1 or in_array(own.axis, extents)
    return own
end

local function shape_of(...)
    local shape = ...
    return type(shape) == "table" and shape or { ... }
end

-- The axes of an array of such records and so many behind them, in the order `first` and then all others.
local function permuted(a, first)
    local axes, there = table.move(first, 1, #first, 1, {}), {}
    for _, axis in ipairs(first) do
        there[axis] = true
    end
    for axis = 1, select("#", a:shape()) do
        axes[#axes + 1] = not there[axis] and axis or nil
    end
    return array_methods.transpose(a, axes)
end

-- Of records in front of a field's own axes, as a method of them: f(r, a, extents, arguments...). Those that are not
-- here take the same arguments, whatever is behind their axes.
local behind = {}

function behind.select(_, a, extents, axis, i)
    return array_methods.select(a, in_array(axis, extents), i)
end

function behind.col(_, a, _, j)
    return array_methods.select(a, 2, j)
end

function behind.transpose(r, a, _, ...)
    local axes, rank = shape_of(...), rank_of(r)
    if #axes == 0 then
        for axis = rank, 1, -1 do
            axes[#axes + 1] = axis
        end
    end
    local own = {}
    for k, axis in ipairs(axes) do
        own[k] = axis < 0 and rank + 1 + axis or axis
    end
    return permuted(a, own)
end

for _, name in ipairs { "view", "broadcast", "reshape" } do
    behind[name] = function(_, a, extents, ...)
        return array_methods[name](a, base.shape_with(shape_of(...), extents))
    end
end

function behind.flatten(r, a, extents)
    return array_methods.reshape(a, base.shape_with(r:size(), extents))
end

-- The field's axes before the others, then f, then behind them again.
local function in_front(r, a, extents, f)
    local own, rank = {}, rank_of(r)
    for k = 1, #extents do
        own[k] = rank + k
    end
    local made, back = f(permuted(a, own)), {}
    for k = #extents + 1, select("#", made:shape()) do
        back[#back + 1] = k
    end
    return permuted(made, back)
end

function behind.diagonal(r, a, extents, ...)
    local arguments = table.pack(...)
    return in_front(r, a, extents, function(x)
        return array_methods.diagonal(x, table.unpack(arguments, 1, arguments.n))
    end)
end

function behind.windows(r, a, extents, w, opts)
    local own = {}
    for name, value in pairs(type(opts) == "table" and opts or {}) do
        own[name] = value
    end
    local function shifted(axis)
        return math.type(axis) and (axis < 0 and axis or axis + #extents) or axis
    end
    local axes = own.axis or type(w) ~= "table" and 1 or nil
    if axes == nil then -- windows{w1, w2}: all axes of the records
        axes = {}
        for k = 1, #w do
            axes[k] = k
        end
    end
    own.axis = shifted(axes)
    if type(axes) == "table" then
        own.axis = {}
        for k, axis in ipairs(axes) do
            own.axis[k] = shifted(axis)
        end
    end
    return in_front(r, a, extents, function(x)
        return array_methods.windows(x, w, own)
    end)
end

function behind.take(r, a, extents, i, opts)
    return array_methods.take(a, i, opts and along(r, opts, extents))
end

for _, name in ipairs { "compress", "spread" } do
    behind[name] = function(r, a, extents, x, opts)
        if rank_of(r) > 1 and not named(opts).axis then
            local flat = core.isarray(x) and x:flatten() or x
            return array_methods[name](behind.flatten(r, a, extents), flat, { axis = 1 })
        end
        return array_methods[name](a, x, along(r, opts, extents))
    end
end

-- f(...), a function of arrays: an error is one of the records' method.
local function by_array(name, f, ...)
    local ok, result = base.try(f, ...)
    if not ok then
        error(type(result) == "string" and as_method(result, name) or result, 0)
    end
    return result
end

-- Method `name` of each field; window: it shows their memory.
local function fieldwise(name, window)
    methods[name] = function(r, ...)
        local arguments = table.pack(...)
        local first = first_of(r)
        if #struct_of(r).lanes > #struct_of(r) then -- what is wrong is so in its words
            by_array(name, array_methods[name], first, table.unpack(arguments, 1, arguments.n))
        end
        return each_field(r, function(a, _, extents)
            if extents and behind[name] then
                return by_array(name, behind[name], r, a, extents, table.unpack(arguments, 1, arguments.n))
            end
            return by_array(name, array_methods[name], a, table.unpack(arguments, 1, arguments.n))
        end, window)
    end
end

for _, name in ipairs { "sub", "select", "row", "col", "transpose", "view", "diagonal", "windows", "broadcast" } do
    fieldwise(name, true)
end
for _, name in ipairs { "reshape", "flatten" } do
    fieldwise(name, false)
end
for _, name in ipairs { "take", "compress", "spread" } do
    if array_methods[name] then
        fieldwise(name, false)
    end
end

-- Those for which f(p, ...) holds.
function methods.filter(r, f, ...)
    local ok, mask = base.try(methods.map, r, f, ...)
    if not ok then
        error(type(mask) == "string" and mask:gsub("(bad argument #?%d* ?to) 'map'", "%1 'filter'") or mask, 0)
    end
    local gives = core.isarray(mask) and mask:dtype() or "no number"
    if type(f) == "string" and gives ~= "no number" then
        mask = mask:ne(0) -- like conditions in C
    elseif gives ~= "bool" then
        misuse(1, "filter", ("the predicate gives %s, not bool"):format(gives))
    end
    return methods.compress(r, mask)
end

function methods.copy(r, options)
    local layout
    if options ~= nil then
        layout = type(options) == "table" and options.layout
        if layout ~= "aos" and layout ~= "soa" then
            misuse(1, "copy", 'the option of records is layout="aos" or layout="soa"')
        end
    end
    return store(base.zeros(struct_of(r), { r:shape() }, layout), fields_of(r), 1, "copy")
end

function methods.cast(r, s)
    if not base.types[s] then
        misuse(1, "cast", ("a struct expected, got %s"):format(internal.kind_of(s)))
    end
    local values, fields = values_of(s, r, 1, "cast"), {}
    for _, name in ipairs(s) do
        fields[name] = values[name]:cast(s.dtypes[name]) -- of records in them, this method
    end
    return base.make(s, fields)
end

function methods.eval(r)
    core.eval(table.unpack(list_of(r)))
    return r
end

-- Frees the fields that are not freed yet; whether there are any.
local function free_living(r)
    local any = false
    for _, a in ipairs(list_of(r)) do
        if not base.is_freed(a) then
            a:free()
            any = true
        end
    end
    return any
end

function methods.free(r)
    if not free_living(r) then
        list_of(r)[1]:free() -- raises the error of an array that is freed again
    end
end

events.__close = free_living

-- The arrays of the fields; of structs in memory copies, made by the host so that nothing moves to places.
local function apart(r)
    local list = list_of(r)
    if base.layout_of(r) == "aos" and not base.bytes_of(r) then
        misuse(1, "distribute", "structs within others, or in memory that is not the records' own, stay there: "
            .. "a:copy() has its own")
    end
    for k, a in ipairs(base.layout_of(r) == "aos" and list or {}) do
        list[k] = core.frombytes(a:tobytes(), a:dtype(), { a:shape() })
    end
    return list
end

-- Where the elements of all fields belong in a set of places, or over ranks. On places each field of structs in memory
-- gets memory of its own, for they have elements of one dtype; the fields' arrays stay what the script has.
function methods.distribute(r, kind, opts)
    if type(opts) == "table" and opts.over ~= nil then
        if opts.over ~= "ranks" then
            misuse(2, "distribute", 'over: "ranks" expected; without it the places in use are meant')
        end
        return internal.distribute_over_ranks(r, kind, opts)
    end
    if kind == "none" and base.layout_of(r) == "aos" then -- as it is
        by_array("distribute", array_methods.distribute, core.zeros(1), kind, opts)
        return r
    end
    local list = apart(r)
    for _, a in ipairs(list) do
        by_array("distribute", array_methods.distribute, a, kind, opts)
    end
    for k, a in ipairs(list_of(r)) do
        internal.blocked.swap(a, list[k])
    end
    base.leave_bytes(r)
    return r
end

function methods.distribution(r)
    return list_of(r)[1]:distribution()
end

function methods.set(r, t)
    return store(r, values_of(struct_of(r), t, 1, "set"), 1, "set")
end

function methods.fill(r, t)
    return store(r, values_of(struct_of(r), t, 1, "fill"), 1, "fill")
end

function methods.copyto(r, other)
    if not struct_of(other) then
        misuse(1, "copyto", ("records expected, got %s"):format(internal.kind_of(other)))
    end
    return store(other, values_of(struct_of(other), r, 1, "copyto"), 1, "copyto")
end

local function next_record(r, i)
    if i < #r then
        return i + 1, element(r, i + 1)
    end
end

function methods.iter(r)
    return next_record, r:eval(), 0
end

-- Lists of values, one for each field, as one of records; as deep as the rank.
local function rows(s, columns, rank)
    local result = {}
    for i = 1, #columns[1] do
        local row = {}
        for k, name in ipairs(s) do
            row[rank > 1 and k or name] = columns[k][i]
        end
        result[i] = rank > 1 and rows(s, row, rank - 1) or row
    end
    return result
end

function methods.totable(r)
    local columns, s = {}, struct_of(r:eval())
    for k, name in ipairs(s) do
        columns[k] = fields_of(r)[name]:totable()
    end
    return rows(s, columns, rank_of(r))
end

function methods.read(r, first, count)
    local s = struct_of(r)
    if #s.lanes > #s or s.depth > 1 then
        first_of(r):read(first, count) -- what is wrong is so in its words
        return methods.totable(r:flatten():sub(first, first + count - 1))
    end
    local columns = {}
    for k, a in ipairs(list_of(r)) do
        columns[k] = a:read(first, count)
    end
    return rows(s, columns, 1)
end

-- The structs in memory as a string, as C has them.
function methods.tobytes(r)
    if r:size() == 0 then
        return ""
    end
    return (base.bytes_of(r) or base.bytes_of(r:copy { layout = "aos" })):tobytes()
end

return { methods = methods, events = events, by_array = by_array }
