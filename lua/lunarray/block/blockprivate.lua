-- What files on blocked arrays ask of private ones, of arrays and records alike. Knows no blocked array.

local pack = require "lunarray.ranks.pack"
local records = require "lunarray.base.records"

local private = { struct_of = records.struct_of }

-- Whether x is an array of this rank, or records.
function private.is(x)
    return pack.is_array(x) or records.struct_of(x) ~= nil
end

-- The name of the dtype in messages.
function private.dtype_name(x)
    local s = records.struct_of(x)
    return s and s.name or x:dtype()
end

-- A field of records, and its extents behind theirs; nil: there is none, or x is an array.
function private.field(x, name)
    local s = records.struct_of(x)
    if s and s.dtypes[name] then
        return x:field(name), s.extents[name]
    end
end

-- Makes of a table what another one is, and the other way round.
function private.swap(a, b)
    local of_a, of_b = {}, {}
    for from, to in pairs { [a] = of_a, [b] = of_b } do
        for key, x in next, from do
            to[key] = x
        end
    end
    for from, to in pairs { [of_a] = b, [of_b] = a } do
        for key in next, to do
            rawset(to, key, nil)
        end
        for key, x in next, from do
            rawset(to, key, x)
        end
    end
    local kind = getmetatable(a)
    setmetatable(a, getmetatable(b))
    setmetatable(b, kind)
end

-- The arrays of x: itself, or of records those of their fields.
function private.arrays(x)
    return records.fields_of(x) or { x }
end

-- One of these, of x's shape.
function private.first(x)
    return records.struct_of(x) and records.first_of(x) or x
end

-- x with elements side by side, as an array, or such records.
function private.dense(x)
    return records.struct_of(x) and x:copy { layout = "soa" } or x
end

-- x evaluated; records in the layout of their struct.
function private.settled(x)
    return records.struct_of(x) and x:copy() or x:eval()
end

-- x as bytes, and what another one like it wrote.
function private.write(x)
    return pack.write(table.unpack(private.arrays(x)))
end
function private.read(bytes, like)
    local list = { pack.read(bytes) }
    return records.struct_of(like) and records.like(like, list) or list[1]
end

-- What f(array, extents) gives for each of these, as x is: an array, or records. nil: f gives none for one of them.
function private.each(x, f)
    if not records.struct_of(x) then
        return f(x)
    end
    local all = true
    local made = records.each_field(x, function(a, _, extents)
        local one = f(a, extents)
        all = all and one ~= nil
        return one
    end)
    return all and made or nil
end

return private
