-- Calls of map and zip with a C text that takes or gives records or complex numbers: which arguments have which parts,
-- and arrays for the parts of what it gives. The texts are recordc.lua's.

local base = require "lunarray.record.recordbase"
local complextext = require "lunarray.record.complextext"
local core = require "lunarray.core"
local header = require "lunarray.record.header"
local recordc = require "lunarray.record.recordc"
local struct = require "lunarray.record.struct"

local internal = core.internal
local misuse, struct_of, lanes_of = base.misuse, base.struct_of, base.lanes_of

local textcall = {}

-- ---------------------------------------------------------------- calls of skeletons

-- The error of a call with fields instead of records, as one of the script's call, without the line of the text around
-- the function; owner: of each operand the argument.
local function as_called(e, owner)
    return type(e) == "string" and e:gsub("%(records:%d+: ", "("):gsub("bad argument #(%d+) to", function(k)
        return ("bad argument #%d to"):format(owner[tonumber(k)] or tonumber(k))
    end, 1) or e
end

function textcall.settle(owner, ok, ...)
    if not ok then
        error(as_called(..., owner), 0)
    end
    return ...
end

-- s with the function f of so many arrays.
function textcall.skeleton_of(s, f, count, name)
    local ok, result = pcall(internal.skeleton_of, s, f, count)
    if not ok then
        error(type(result) == "string" and result:gsub("bad argument #2 to '[^']*'", ("bad argument #1 to '%s'"):format(
            name)) or result, 0)
    end
    return result
end

-- ---------------------------------------------------------------- arguments

-- Records among the further arguments of what does not take them there; structs: those that are taken.
function textcall.refuse_behind(name, given, leaves, structs)
    for k = leaves + 1, given.n do
        if struct_of(given[k]) and not (structs and structs[k]) then
            misuse(k, name, "records behind the elements: a function in Lua takes them, and reads records[i].x")
        end
    end
end

-- The struct of which x is one record, a table of all its fields and no others; nil: there is none.
function textcall.one_of(x)
    if type(x) == "table" and getmetatable(x) == nil then
        for s in pairs(base.types) do
            if not struct.fault(s, x, true) then
                return s
            end
        end
    end
end

-- The arguments of a call from number `first` on: what they are, as recordaround.lua has it, the records among them,
-- and the others as a list with `n`, of single records their lanes, with the numbers of their arguments, counted on
-- from `before`.
function textcall.further(given, first, name, before)
    local held, captured, rest, from = {}, {}, { n = 0 }, {}
    for k = first, given.n do
        local x = given[k]
        local one = not struct_of(x) and textcall.one_of(x)
        if type(x) == "table" and not struct_of(x) and not one then
            misuse(k + (before or 0), name, "array, number or record expected, got table")
        end
        held[#held + 1] = struct_of(x) ~= nil or one or false
        captured[#captured + 1] = struct_of(x) and x
        local values = one and struct.values(one, x) or { x }
        for i = 1, struct_of(x) and 0 or one and #values or 1 do
            rest.n = rest.n + 1
            rest[rest.n], from[rest.n] = values[i], k + (before or 0)
        end
    end
    return held, captured, rest, from
end

-- The struct of that name, one of those of the call or any other that there is.
local function named_among(structs, name)
    return function(word)
        local found = complextext.struct(word)
        for _, s in ipairs(structs) do
            found = found or s and s.name == word and s
        end
        for s in pairs(not found and base.types or {}) do
            if s.name == word and found and not struct.same(found, s) then
                misuse(1, name, ("there are several structs '%s' with other fields"):format(word))
            end
            found = s.name == word and s or found
        end
        return found
    end
end

local MOST_PARAMETERS <const> = 32 -- of a C function

-- The records that a C text gives: arrays for their lanes, which it stores at an index, are its last arguments.
local function call_storing(s, text, name, R, list, from, elements)
    local first
    for k = 1, elements do
        first = first or core.isarray(list[k]) and list[k]
    end
    if not first then
        misuse(1, name, ("array expected, got %s"):format(internal.kind_of(list[1])))
    end
    local shape, out = { first:shape() }, {}
    local shown = table.concat(shape, ", ")
    for k = 1, elements do
        local own = core.isarray(list[k]) and table.concat({ list[k]:shape() }, ", ") or shown
        if own ~= shown then
            misuse(from[k], name, ("shapes [%s] and [%s] differ: a C function that gives %s takes elements of one "
                .. "shape"):format(shown, own, complextext.is(R) and "complex numbers" or "records"))
        end
    end
    if #list + 1 + #R.lanes > MOST_PARAMETERS then
        misuse(1, name, ("the C function takes and gives %d elements of records, at most %d"):format(
            elements + #R.lanes, MOST_PARAMETERS - 1 - (#list - elements)))
    end
    for k, lane in ipairs(R.lanes) do
        local half = lane[2] == "f16" or lane[2] == "bf16"
        out[k] = core.zeros(shape, half and "f32" or lane[2])
    end
    table.insert(list, elements + 1, (core.index(first:size()) - 1):reshape(shape))
    table.insert(from, elements + 1, 1)
    for _, a in ipairs(out) do
        list[#list + 1], from[#list + 1] = a, 1 -- of elements that it cannot take the engine numbers these
    end
    if first:size() > 0 then
        textcall.settle(from, base.try(textcall.skeleton_of(s, text, elements + 1, name), table.unpack(list)))
    end
    return textcall.of_lanes(R, table.unpack(out))
end

-- The text of a C function, given as such or by its path, argument number `at` (1); nil: f is none.
function textcall.text_of(f, name, at)
    if type(f) ~= "string" then
        return nil
    elseif f:find("{", 1, true) or f:find "^%s*%(" then
        return f
    elseif f:find "^[/.]" then
        local text, message = header.text_of(f)
        return text and ('#line 1 "%s"\n%s'):format((f:gsub('["\\\n]', "?")), text) or misuse(at or 1, name, message)
    end
end

-- The parts of complex or real numbers, an array or one; nil: x is neither.
local function parts_of(x)
    if core.iscomplex(x) then
        return { core.real(x), core.imag(x) }
    elseif core.isarray(x) or type(x) == "number" then
        return { x, 0 }
    end
end

-- All parts of an array, as C has them, for a parameter `const s *`; nil: x is no array.
local function whole_parts(s, x)
    if core.isarray(x) then
        return internal.complex_lanes(x:cast(s.name))
    end
end

-- What the parameters of a C text take: as recordc.text has it. Elements that are records have their struct, whatever
-- the text says; other structs are those that the text names.
local function taken(text, given, leaves, named, name)
    local parameters, message = recordc.parameters(text)
    if not parameters then
        misuse(1, name, message)
    end
    local to = { structs = {}, pointers = {}, leaves = leaves }
    for k = 1, math.max(#parameters, leaves) do
        local complex, pointer = complextext.parameter(parameters[k] or "")
        local value = not pointer and complex
        if k <= leaves then
            to.structs[k] = struct_of(given[k]) or value or false
            local s = not to.structs[k] and parameters[k] and recordc.by_value(parameters[k], named)
            if s then
                misuse(k, name, ("records of %s expected, got %s"):format(s.name, internal.kind_of(given[k])))
            end
        else
            to.structs[k] = value or recordc.by_value(parameters[k], named) or false
            to.pointers[k] = pointer and complex or nil
            if pointer and not parameters[k]:find "%f[%w_]const%f[^%w_]" then
                misuse(1, name, ("parameter %d of the C function: whole arrays of complex numbers are read, write "
                    .. "'const %s *'"):format(k, complex.name))
            end
        end
    end
    textcall.refuse_behind(name, given, leaves, to.structs)
    return to, #parameters
end

-- The lanes of one further argument, the value of a parameter of struct s.
local function lanes_of_value(s, x, k, name)
    if complextext.is(s) then
        local lanes = not core.isarray(x) and parts_of(x)
        return lanes or misuse(k, name, ("a number expected for parameter %d, got %s"):format(k, internal.kind_of(x)))
    end
    local fault = struct_of(x) and "one record expected, got an array of them" or struct.fault(s, x, true)
    return fault and misuse(k, name, fault) or struct.values(s, x)
end

-- The lanes of the arguments that a C text takes, the numbers of their arguments, and how many are of elements.
local function taken_lanes(to, fields, given, name)
    local list, from, elements = {}, {}, 0
    local function add(k, x)
        list[#list + 1], from[#from + 1] = x, k
    end
    for k = 1, given.n do
        local s, x, wanted = to.structs[k], given[k], {}
        for _, field in ipairs(fields[k] or {}) do
            wanted[field] = true
        end
        if s and struct_of(x) == s then
            for n, a in ipairs(lanes_of(x)) do
                if wanted[s.lanes[n][1]:match "^[^.[]+"] then
                    add(k, a)
                end
            end
        elseif s then
            local lanes = k > to.leaves and lanes_of_value(s, x, k, name) or parts_of(x)
                or misuse(k, name, ("array expected, got %s"):format(internal.kind_of(x)))
            for _, one in ipairs(lanes) do
                add(k, one)
            end
        elseif to.pointers[k] then
            add(k, whole_parts(to.pointers[k], x) or misuse(k, name, ("array expected, got %s"):format(
                internal.kind_of(x))))
        else
            add(k, x)
        end
        elements = k <= to.leaves and #list or elements
    end
    return list, from, elements
end

-- The same of a C text.
function textcall.call(s, text, name, given, leaves)
    local structs = {}
    for k = 1, leaves do
        structs[k] = struct_of(given[k]) or false
    end
    local named = named_among(structs, name)
    local to, count = taken(text, given, leaves, named, name)
    local rewritten, fields, R = recordc.text(text, to, named)
    if not rewritten then
        misuse(1, name, fields)
    elseif R and count ~= given.n then
        misuse(leaves + 1, name, ("the function has %d parameters, but is called with %d elements and %d extra "
            .. "arguments"):format(count, leaves, given.n - leaves))
    end
    local list, from, elements = taken_lanes(to, fields, given, name)
    local function run(own)
        local skeleton = textcall.skeleton_of(s, own, elements, name)
        return textcall.settle(from, base.try(skeleton, table.unpack(list)))
    end
    if complextext.is(R) and recordc.is_straight(text) then
        return core.complex(run((recordc.text(text, to, named, "re"))), run((recordc.text(text, to, named, "im"))))
    elseif R then
        return call_storing(s, rewritten, name, R, list, from, elements)
    end
    return run(rewritten)
end

-- A C text that has no elements, argument number `at` of a call, with single records among those of list behind it,
-- which are its parameters from number `first` on: the text that takes their lanes, and the arguments in place of the
-- call's, each with the number of that.
function textcall.by_value(text, list, first, name, at, before)
    local own = textcall.text_of(text, name, at) or misuse(at, name, "a function in Lua or C text expected")
    local parameters, message = recordc.parameters(own)
    if not parameters then
        misuse(at, name, message)
    end
    local named, to = named_among({}, name), { structs = {}, pointers = {}, leaves = 0 }
    for k, parameter in ipairs(parameters) do
        to.structs[k] = k >= first and recordc.by_value(parameter, named) or false
    end
    local lanes, from = { n = 0 }, {}
    for k = 1, list.n do
        local x, s = list[k], to.structs[first + k - 1]
        if type(x) == "table" and rawget(getmetatable(x) or {}, "__records") then
            misuse(before + k, name, "records: a C function takes arrays of their fields, a.x, and single records")
        elseif not s and type(x) == "table" then
            misuse(before + k, name, ("array or number expected for '%s', got table"):format(
                (parameters[first + k - 1] or "nothing"):match "^%s*(.-)%s*$"))
        end
        local values = s and lanes_of_value(s, x, before + k, name) or { x }
        for i = 1, s and #values or 1 do
            lanes.n = lanes.n + 1
            lanes[lanes.n], from[lanes.n] = values[i], before + k
        end
    end
    local rewritten, fault = recordc.text(own, to, named)
    return rewritten or misuse(at, name, fault), lanes, from
end

-- ---------------------------------------------------------------- what is made

-- Records of s of arrays for its lanes, take() for each in order; complex ones in place of both parts where `joined`.
local function gathered(s, take, joined)
    local function element(name, dtype)
        local a = take()
        if core.iscomplex(a) and not struct.part_of(dtype) then
            error(("field '%s' of %s is %s, not complex: give its re, im or abs()"):format(name, s.name, dtype), 0)
        end
        if struct.part_of(dtype) and not core.iscomplex(a) then
            a = core.complex(a, joined and 0 or take())
        end
        return a:dtype() == dtype and a or a:cast(dtype)
    end
    local fields = {}
    for _, name in ipairs(s) do
        local dtype, extents = s.dtypes[name], s.extents[name]
        if struct.is(dtype) then
            fields[name] = gathered(dtype, take, joined)
        else
            local parts = {}
            for k = 1, extents and extents[1] * (extents[2] or 1) or 1 do
                parts[k] = element(name, dtype)
            end
            fields[name] = not extents and parts[1] or base.stacked(parts, extents)
        end
    end
    return base.make(s, fields)
end

local function from(...)
    local given, k = table.pack(...), 0
    return function()
        k = k + 1
        return given[k]
    end
end

-- Records of s, or complex numbers, of their lanes.
function textcall.of_lanes(s, ...)
    return complextext.is(s) and core.complex(...) or gathered(s, from(...), false)
end

-- One record of s of the values of its lanes.
local function one_of_values(s, take)
    local fields = {}
    for k, name in ipairs(s) do
        local dtype, extents = s.dtypes[name], s.extents[name]
        local function one()
            return struct.part_of(dtype) and core.complex(take(), take()) or take()
        end
        local list = {}
        for i = 1, extents and extents[1] or 0 do
            list[i] = extents[2] and {} or one()
            for j = 1, extents[2] or 0 do
                list[i][j] = one()
            end
        end
        fields[k] = struct.is(dtype) and one_of_values(dtype, take) or extents and list
        if not fields[k] then
            fields[k] = one() -- which may be false
        end
    end
    return assert(struct.record(s, table.unpack(fields, 1, #s)))
end

-- Records of s of what a function returned for its fields, arrays; or one of them, of numbers.
function textcall.gather(s, ...)
    return core.isarray((...)) and gathered(s, from(...), true) or one_of_values(s, from(...))
end

return textcall
