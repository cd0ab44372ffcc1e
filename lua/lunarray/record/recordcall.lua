-- Records in calls of map and zip: a function around the given one takes the fields and calls it with a record for
-- each.
--
-- Invariant: `around` maps a function, weakly, to the functions made around it; an entry is valid for one combination
-- of structs, extra arguments and passed operands, and only gains passed operands.

local base = require "lunarray.record.recordbase"
local core = require "lunarray.core"
local header = require "lunarray.record.header"
local recordc = require "lunarray.record.recordc"
local scope = require "lunarray.base.scope"
local struct = require "lunarray.record.struct"
local textcall = require "lunarray.record.textcall"
local unique = require "lunarray.base.unique"

local internal = core.internal
local getinfo = debug.getinfo
local misuse, struct_of, lanes_of = base.misuse, base.struct_of, base.lanes_of

local offers = {} -- for functions of the module, by their names

-- ---------------------------------------------------------------- Lua functions

-- A call's operands as a list: { of = number of the element, name, from = number of the argument, struct = or nil }.
-- Only those that the function reads are passed: the string "lun_hole 3" is passed for the third one, which is an error
-- of the compiler if the function reads it.

-- The text of a record of s, of the texts that take() gives for its lanes; types: a list of the structs whose calls
-- stand there, lun_s1 and so on.
local function text_of(s, take, types)
    local own, fields = #types + 1, {}
    types[own] = s
    for k, name in ipairs(s) do
        fields[k] = struct.is(s.dtypes[name]) and text_of(s.dtypes[name], take, types)
            or struct.initializer(s, name, take, "lun_complex(%s, %s)")
    end
    return ("lun_s%d(%s)"):format(own, table.concat(fields, ", "))
end

-- The text of a function that takes the operands in `passed` and calls f with records, and the structs that it takes
-- besides; structs: of each element, or false; held: of further arguments the struct of one record, whose lanes are
-- arguments, and true of records, which the function captures: the text gives a function that sets them, too.
local function text_around(structs, operands, passed, extras, held)
    local parameters, arguments, used, k, types = {}, {}, {}, 0, {}
    local function take()
        k = k + 1
        local name = unique((operands[k]:gsub("[^%w_]+", "_")), used)
        parameters[#parameters + 1] = passed[k] and name
        return passed[k] == true and name or ("'lun_hole %d'"):format(k)
    end
    for i, s in ipairs(structs) do
        arguments[i] = s and text_of(s, take, types) or take()
    end
    local captured = { "lun_r0" }
    for i = 1, extras do
        local own = held and held[i]
        if struct.is(own) then
            arguments[#arguments + 1] = text_of(own, function()
                parameters[#parameters + 1] = ("lun_e%d_%d"):format(i, #parameters)
                return parameters[#parameters]
            end, types)
        else
            arguments[#arguments + 1] = (own and "lun_r%d" or "lun_e%d"):format(i)
            local to = own and captured or parameters
            to[#to + 1] = arguments[#arguments]
        end
    end
    local names, set = { "lun_f", "lun_complex" }, table.concat(captured, ", ")
    for i = 1, #types do
        names[i + 2] = ("lun_s%d"):format(i)
    end
    return ("local %s = ... local %s return function(%s) return lun_f(%s) end, function(...) %s = ... end"):format(
        table.concat(names, ", "), set, table.concat(parameters, ", "), table.concat(arguments, ", "), set), types
end

local around = setmetatable({}, { __mode = "k" }) -- of a function those around it, by operands

-- The entry of calls of f with such elements and as many further arguments, records among them as `held` says:
-- { structs, extras, held, passed, f, set }, where passed says of each operand whether it is passed: true, "unread" (it
-- gives the shape), or not at all.
local function entry_of(f, structs, extras, held)
    local known = around[f] or {}
    around[f] = known
    for _, one in ipairs(known) do
        local same = one.extras == extras and #one.structs == #structs
        for k, s in ipairs(structs) do
            same = same and one.structs[k] == s
        end
        for i = 1, extras do
            same = same and one.held[i] == held[i]
        end
        if same then
            return one
        end
    end
    known[#known + 1] = { structs = structs, extras = extras, held = held, passed = {} }
    return known[#known]
end

-- The function of an entry; each element has to have an operand.
local function function_of(one, f, operands)
    local first = 0
    for _, s in ipairs(one.structs) do
        local any = not s
        for k = first + 1, first + (s and #s.lanes or 1) do
            one.passed[k] = one.passed[k] == true or not s or nil
            any = any or one.passed[k]
        end
        one.passed[first + 1] = one.passed[first + 1] or not any and "unread" or nil
        first = first + (s and #s.lanes or 1)
    end
    local text, types = text_around(one.structs, operands, one.passed, one.extras, one.held)
    one.f, one.set = load(text, "=records", "t", {})(f, core.complex, table.unpack(types))
end

-- ---------------------------------------------------------------- stencils

local around_indices = setmetatable({}, { __mode = "k" }) -- of a function those on lanes, by structs, rank, extras

-- The text of a function that takes the elements of lanes around an index of `rank` axes, and calls f with a function
-- for each element that makes a record of those at an offset; and the structs that it takes besides.
local function text_around_index(structs, rank, extras)
    local parameters, arguments, inner, types, offsets = {}, {}, {}, {}, {}
    for axis = 1, rank do
        offsets[axis] = "lun_i" .. axis
    end
    local at = table.concat(offsets, ", ")
    local function take()
        parameters[#parameters + 1] = "lun_x" .. #parameters + 1
        return ("%s(%s)"):format(parameters[#parameters], at)
    end
    for i, s in ipairs(structs) do
        if s then
            arguments[i] = "lun_p" .. i
            local record = text_of(s, take, types)
            inner[#inner + 1] = ("local function %s(%s) return %s end"):format(arguments[i], at, record)
        else
            take()
            arguments[i] = parameters[#parameters]
        end
    end
    for i = 1, extras do
        parameters[#parameters + 1] = "lun_e" .. i
        arguments[#arguments + 1] = parameters[#parameters]
    end
    local names = {}
    for i = 1, #types do
        names[i] = "lun_s" .. i
    end
    return ("local lun_f, lun_complex, %s = ... return function(%s) %s return lun_f(%s) end"):format(
        table.concat(names, ", "), table.concat(parameters, ", "), table.concat(inner, " "),
        table.concat(arguments, ", ")), types
end

-- That function, the same one for the same structs, rank and number of further arguments.
local function function_around(f, structs, rank, extras)
    local known = around_indices[f] or {}
    around_indices[f] = known
    for _, one in ipairs(known) do
        local same = one.rank == rank and one.extras == extras and #one.structs == #structs
        for k, s in ipairs(structs) do
            same = same and one.structs[k] == s
        end
        if same then
            return one.f
        end
    end
    local text, types = text_around_index(structs, rank, extras)
    local made = load(text, "=records", "t", {})(f, core.complex, table.unpack(types))
    known[#known + 1] = { structs = structs, rank = rank, extras = extras, f = made }
    return made
end

-- ---------------------------------------------------------------- calls

-- The fields of a call's records, and other elements, as one list: arrays, their names, the numbers of the arguments.
local function spread(leaves, given)
    local structs, arrays, names, owner = {}, {}, {}, {}
    for k = 1, leaves do
        local s = struct_of(given[k])
        structs[k] = s or false
        for i, a in ipairs(s and lanes_of(given[k]) or { given[k] }) do
            arrays[#arrays + 1], names[#names + 1], owner[#owner + 1] = a, s and s.lanes[i][1] or "x", k
        end
    end
    return structs, arrays, names, owner
end

-- Calls s with the passed operands, again as long as another one turns out to be read.
local function call_around(s, f, given, leaves, structs, arrays, names, owner)
    local extras, held, captured = math.max(given.n - leaves, 0), {}, {}
    for i = 1, extras do
        local x = given[leaves + i]
        held[i] = struct_of(x) ~= nil or textcall.one_of(x)
        captured[#captured + 1] = held[i] == true and x or nil
        if type(x) == "table" and not held[i] then
            misuse(leaves + i, internal.skeleton(s), "array, number or record expected, got table")
        end
    end
    local one = entry_of(f, structs, extras, held)
    while true do
        if not one.f then
            function_of(one, f, names)
        end
        one.set(nil, table.unpack(captured))
        local list, from = {}, {}
        for k, a in ipairs(arrays) do
            if one.passed[k] then
                list[#list + 1], from[#from + 1] = a, owner[k]
            end
        end
        local count, behind = #list, #list
        for k = 1, extras do
            local x = given[leaves + k]
            for _, value in ipairs(not held[k] and { x } or held[k] ~= true and struct.values(held[k], x) or {}) do
                behind = behind + 1
                list[behind], from[behind] = value, leaves + k
            end
        end
        local results = table.pack(base.try(internal.skeleton_of(s, one.f, count), table.unpack(list, 1, behind)))
        one.set()
        local missing = not results[1] and type(results[2]) == "string"
            and (results[2]:match "lun_hole (%d+) is not passed" -- or it is a part of a complex number, read or not
                or results[2]:match "lun.complex on a string %('lun_hole (%d+)'%)")
        if not missing then
            return textcall.settle(from, table.unpack(results, 1, results.n))
        end
        one.passed[tonumber(missing)], one.f = true, nil
    end
end

-- A stencil whose function, in Lua, sees the records around each index.
local function call_stencil(s, f, given, leaves, structs, arrays, owner)
    if type(f) ~= "function" or getinfo(f, "S").what == "C" then
        misuse(1, "stencil", "records need a function in Lua: p(-1).x; functions in C take fields")
    end
    local rank, extras = 0, math.max(given.n - leaves, 0)
    for k, a in ipairs(arrays) do
        rank = math.max(rank, core.isarray(a) and select("#", a:shape()) or 0)
        if not core.isarray(a) then
            misuse(owner[k], "stencil", ("array expected, got %s"):format(internal.kind_of(a)))
        end
    end
    local list, count = table.move(arrays, 1, #arrays, 1, {}), #arrays
    for i = 1, extras do
        list[count + i], owner[count + i] = given[leaves + i], leaves + i
    end
    local made = function_around(f, structs, rank, extras)
    local around_each = textcall.skeleton_of(s, made, count, "stencil")
    return textcall.settle(owner, base.try(around_each, table.unpack(list, 1, count + extras)))
end

-- s(...) with records among the arguments.
local function call(s, ...)
    local name, leaves, is_program, f = internal.skeleton(s)
    if is_program or name ~= "map" and name ~= "zip" and name ~= "stencil" then
        misuse(1, name, "records are taken by map, zip and stencil alone: take fields")
    end
    local given = table.pack(...)
    local in_lua = type(f) == "function" and getinfo(f, "S").what ~= "C"
    local text = not in_lua and name ~= "stencil" and textcall.text_of(f, name)
    if text then
        return textcall.call(s, text, name, given, leaves)
    end
    local structs, arrays, names, owner = spread(leaves, given)
    if not in_lua or name == "stencil" then
        textcall.refuse_behind(name, given, leaves)
    end
    if name == "stencil" then
        return call_stencil(s, f, given, leaves, structs, arrays, owner)
    elseif in_lua then
        return call_around(s, f, given, leaves, structs, arrays, names, owner)
    end
    misuse(1, name, "records need a function in Lua or C; what else computes takes fields")
end
offers.call = call

-- a:map(f, extra..., opts), a:zip(b, f, extra..., opts), a:stencil(f, extra..., opts)
for name, arrays in pairs { map = 1, zip = 2, stencil = 1 } do
    offers[name] = function(...)
        local given, f = table.pack(...), (select(arrays + 1, ...))
        local options = given[given.n]
        if given.n > arrays + 1 and type(options) == "table" and not struct_of(options)
            and not textcall.one_of(options) then
            given.n = given.n - 1
        else
            options = nil
        end
        local list = table.move(given, 1, arrays, 1, {})
        table.move(given, arrays + 2, given.n, arrays + 1, list)
        local ok, s = pcall(core[name], f, options)
        if not ok then
            local prefix = ("bad argument #%d to '%s'"):format(arrays, name)
            error(type(s) == "string" and s:gsub("bad argument #%d+ to '[^']*'", prefix) or s, 0)
        end
        return call(s, table.unpack(list, 1, given.n - 1))
    end
end

-- ---------------------------------------------------------------- reductions and scans

local MOST_COMBINED <const> = 8 -- elements that lun.reduce combines at once

local combining = setmetatable({}, { __mode = "k" }) -- of a function those on lanes, by struct and extra arguments

-- A function of the lanes of two records, and of further arguments, that calls f with the records.
local function on_lanes(f, s, extras)
    local known = combining[f] or {}
    combining[f] = known
    for _, one in ipairs(known) do
        if one.struct == s and one.extras == extras then
            return one.f
        end
    end
    local operands, passed = {}, {}
    for k = 1, 2 * #s.lanes do
        operands[k], passed[k] = s.lanes[(k - 1) % #s.lanes + 1][1], true
    end
    local text, types = text_around({ s, s }, operands, passed, extras)
    known[#known + 1] = { struct = s, extras = extras,
        f = load(text, "=records", "t", {})(f, core.complex, table.unpack(types)) }
    return known[#known].f
end

-- What is wrong with the arguments of a reduction or scan of records of s.
local function check_combined(name, s, f, id)
    if type(f) ~= "function" or getinfo(f, "S").what == "C" then
        local given = type(f) == "string" and f:sub(1, 20) or internal.kind_of(f)
        misuse(2, name, ("records of %s have no '%s': a function of two records in Lua, which gives one, expected")
            :format(s.name, given))
    elseif #s.lanes > MOST_COMBINED then
        misuse(1, name, ("records of %s have %d elements, at most %d are combined: take some of their fields")
            :format(s.name, #s.lanes, MOST_COMBINED))
    end
    local fault = struct.fault(s, id, true)
    if fault then
        misuse(3, name, fault)
    end
end

-- Records of s, of the results of a reduction or scan of its lanes.
local function of_combined(name, s, results)
    local made = struct_of(results[1])
    if not made or not struct.same(made, s) then
        misuse(2, name, ("the function has to return a record of %s, got %s"):format(s.name,
            made and "one of " .. made.name or results.n == 1 and "a number" or results.n .. " numbers"))
    end
    return base.each_field(results[1], function(a) return a end)
end

-- a:reduce(f, id, extra..., opts), a:scan(f, id, extra..., opts): f(p, q, extra...) gives a record.
local function combined(name)
    return function(r, f, id, ...)
        local s = struct_of(r)
        if not s then
            misuse(1, name, "records are combined by themselves: a:" .. name .. "(f, P(0, 0))")
        end
        check_combined(name, s, f, id)
        local given, opts = table.pack(...), {}
        if type(given[given.n]) == "table" and not struct_of(given[given.n]) then
            for key, value in pairs(given[given.n]) do
                opts[key] = value
            end
            given.n = given.n - 1
        end
        if opts.elements ~= nil then
            misuse(4, name, "option elements: records have those of their struct")
        end
        local lanes, ids = lanes_of(r), struct.values(s, id)
        local count = #lanes
        opts.elements = count
        local ok, made = pcall(core[name], on_lanes(f, s, given.n), count > 1 and ids or ids[1], opts)
        if not ok then
            error(type(made) == "string" and made:gsub("to '%?'", ("to '%s'"):format(name)) or made, 0)
        end
        table.move(given, 1, given.n, count + 1, lanes)
        local results = table.pack(base.try(made, table.unpack(lanes, 1, count + given.n)))
        if not results[1] and type(results[2]) == "string" and results[2]:find "must return %d+ result" then
            misuse(2, name, ("the function has to return a record of %s"):format(s.name))
        elseif not results[1] then
            error(results[2], 0)
        end
        return of_combined(name, s, table.pack(table.unpack(results, 2, results.n)))
    end
end

offers.scan = combined "scan"
local reduce = combined "reduce"

-- Of all elements a record; along axes an array of records.
function offers.reduce(r, f, id, ...)
    local made = reduce(r, f, id, ...)
    if select("#", made:shape()) > 0 then
        return made
    end
    return base.methods.totable(made:reshape(1))[1]
end

-- lun.reduce(f, P(0, 0) [, {from=, ...}]), lun.scan(...): of records, or of elements of which from(x) makes them.
function offers.folding(name, f, id, options)
    local from, own = nil, {}
    if options ~= nil and type(options) ~= "table" then
        misuse(3, name, ("options such as {from = f} expected, got %s"):format(internal.kind_of(options)))
    end
    for key, value in pairs(options or {}) do
        if key == "from" then
            from = value
        else
            own[key] = value
        end
    end
    if from ~= nil and type(from) ~= "function" then
        misuse(3, name, ("option from: function expected, got %s"):format(internal.kind_of(from)))
    end
    local fold = offers[name]
    return setmetatable({}, {
        __name = "skeleton",
        __tostring = function() return name .. " skeleton of records" end,
        __call = base.public(function(_, x, ...)
            local r = from and core.isarray(x) and core.map(from)(x) or x
            if not struct_of(r) then
                misuse(1, name, ("records expected, got %s"):format(internal.kind_of(r)))
            end
            local given = table.pack(...)
            if next(own) then
                given.n = given.n + 1
                given[given.n] = own
            end
            return fold(r, f, id, table.unpack(given, 1, given.n))
        end),
    })
end

-- s:run{a, extra..., out=b}
function offers.run(s, t)
    local results = table.pack(call(s, table.unpack(t)))
    if t.out == nil then
        return table.unpack(results, 1, results.n)
    elseif struct_of(t.out) then
        return t.out:set(results[1])
    end
    return core.eval(table.unpack(results, 1, results.n), { out = t.out })
end

-- The function that replaces a C text that takes records until their struct is known; nil for any other text.
local stand_in = load("return function(record) return record.field end", "=C function of records")()
function offers.stand_in(text)
    if text:find "^[/.]" and not text:find("{", 1, true) and not scope.no_files then
        text = header.text_of(text) or "" -- the engine says why it cannot be read
    end
    local any = text:find("c64", 1, true) or text:find("c128", 1, true)
    for s in pairs(base.types) do
        any = any or text:find(s.name, 1, true)
    end
    return any and recordc.takes(text, base.types) and stand_in or nil
end

-- Records of s, a struct, or records of it, from the lanes that a function returned.
function offers.gather(s, ...)
    return textcall.gather(struct_of(s) or s, ...)
end

-- Whether x is one record, of any struct.
function offers.is_one(x)
    return textcall.one_of(x) ~= nil
end

return offers
