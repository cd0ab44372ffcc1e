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
        row[name] = fields[name][i]
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

-- Assigns t to the record at i: all of it or, after an error, nothing.
local function assign(r, i, t)
    local s, fields, old = struct_of(r), fields_of(r), {}
    local fault = struct.fault(s, t)
    if fault then
        misuse(3, "A[i] = x", fault)
    end
    for k, name in ipairs(s) do
        old[k] = fields[name][i]
        local ok, e = pcall(array_type.__newindex, fields[name], i, t[name])
        if not ok then
            for before = 1, k - 1 do
                fields[s[before]][i] = old[before]
            end
            local text = type(e) == "string" and e:match "%((.*)%)$"
            if not text then
                error(e, 0)
            end
            misuse(3, "A[i] = x", ("field '%s': %s"):format(name, text))
        end
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

for _, name in ipairs { "shape", "size", "backend" } do
    methods[name] = function(r)
        local a = first_of(r)
        return array_methods[name](a)
    end
end

function methods.pending(r)
    local sum = 0
    for _, a in pairs(fields_of(r)) do
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

-- Method `name` of each field; window: it shows their memory.
local function fieldwise(name, window)
    methods[name] = function(r, ...)
        local arguments = table.pack(...)
        return each_field(r, function(a)
            local ok, result = base.try(array_methods[name], a, table.unpack(arguments, 1, arguments.n))
            if not ok then
                error(type(result) == "string" and as_method(result, name) or result, 0)
            end
            return result
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
    return methods.compress(r, methods.map(r, f, ...))
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
        fields[name] = values[name]:cast(s.dtypes[name])
    end
    return base.make(s, fields)
end

function methods.eval(r)
    core.eval(table.unpack(list_of(r)))
    return r
end

function methods.free(r)
    for _, a in pairs(fields_of(r)) do
        a:free()
    end
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
    local columns = {}
    for k, a in ipairs(list_of(r:eval())) do
        columns[k] = a:totable()
    end
    return rows(struct_of(r), columns, rank_of(r))
end

function methods.read(r, first, count)
    local columns = {}
    for k, a in ipairs(list_of(r)) do
        columns[k] = a:read(first, count)
    end
    return rows(struct_of(r), columns, 1)
end

-- The structs in memory as a string, as C has them.
function methods.tobytes(r)
    if r:size() == 0 then
        return ""
    end
    return (base.bytes_of(r) or base.bytes_of(r:copy { layout = "aos" })):tobytes()
end

return { methods = methods, events = events }
