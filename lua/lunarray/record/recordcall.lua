-- Records in calls of map and zip: a function around the given one takes the fields and calls it with a record for
-- each.
--
-- Invariant: an entry of `around_elements` is valid for one combination of structs, extra arguments and passed
-- operands, and only gains passed operands.

local around = require "lunarray.record.recordaround"
local base = require "lunarray.record.recordbase"
local core = require "lunarray.core"
local header = require "lunarray.record.header"
local pairing = require "lunarray.record.recordpairs"
local recordargs = require "lunarray.record.recordargs"
local recordc = require "lunarray.record.recordc"
local scope = require "lunarray.base.scope"
local struct = require "lunarray.record.struct"
local textcall = require "lunarray.record.textcall"
local wide = require "lunarray.record.recordwide"

local internal = core.internal
local getinfo = debug.getinfo
local misuse, struct_of, lanes_of = base.misuse, base.struct_of, base.lanes_of

local offers = {} -- for functions of the module, by their names

-- ---------------------------------------------------------------- Lua functions

-- A call's operands as a list: { of = number of the element, name, from = number of the argument, struct = or nil }.
-- Only those that the function reads are passed: the string "lun_hole 3" is passed for the third one, which is an error
-- of the compiler if the function reads it.

local around_elements = setmetatable({}, { __mode = "k" }) -- of a function those around it, by operands
local around_indices = setmetatable({}, { __mode = "k" }) -- those of stencils

-- The key of functions for such elements and further arguments.
local function key_of(structs, held, rank)
    local key = table.move(structs, 1, #structs, 1, {})
    key[#key + 1] = rank or 0
    return table.move(held, 1, #held, #key + 1, key)
end

-- The entry of calls of f with such elements and further arguments: { structs, held, passed, f, set }, where passed
-- says of each operand whether it is passed: true, "unread" (it gives the shape), or not at all.
local function entry_of(f, structs, held)
    return around.once(around_elements, f, key_of(structs, held), function()
        return { structs = structs, held = held, passed = {} }
    end)
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
    local to, k = around.text(f), 0
    local function take()
        k = k + 1
        local name = one.passed[k] and around.parameter(to, operands[k])
        return one.passed[k] == true and name or ("'lun_hole %d'"):format(k)
    end
    for i, s in ipairs(one.structs) do
        to.arguments[i] = s and around.record(s, take, to) or take()
    end
    around.extras(to, one.held)
    one.f, one.set = around.load(to, f)
end

-- The function of a stencil, and one that sets its records: it takes the elements of lanes around an index of `rank`
-- axes, and calls f with a function for each element that makes a record of those at an offset.
local function function_around(f, structs, rank, held)
    local made = around.once(around_indices, f, key_of(structs, held, rank), function()
        local to, inner, offsets = around.text(f), {}, {}
        for axis = 1, rank do
            offsets[axis] = "lun_i" .. axis
        end
        local at = table.concat(offsets, ", ")
        local function take()
            return ("%s(%s)"):format(around.parameter(to, "lun_x" .. #to.parameters + 1), at)
        end
        for i, s in ipairs(structs) do
            to.arguments[i] = s and "lun_p" .. i or around.parameter(to, "lun_x" .. #to.parameters + 1)
            inner[#inner + 1] = s and ("local function lun_p%d(%s) return %s end"):format(i, at,
                around.record(s, take, to)) or nil
        end
        around.extras(to, held)
        return { around.load(to, f, table.concat(inner, " ")) }
    end)
    return made[1], made[2]
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

local MOST_READ <const> = 16 -- elements that map and zip take at once

local around_numbers = setmetatable({}, { __mode = "k" }) -- of a function those of the numbers of records

-- All pairs of records, and elements that are too many: the function takes the numbers of records, and reads captured
-- ones there.
local function call_by_numbers(s, f, given, leaves)
    local name = internal.skeleton(s)
    local held, captured, rest, of_rest = textcall.further(given, leaves + 1, name)
    local list, from, are, flat = {}, {}, {}, {}
    for k = 1, leaves do
        are[k], list[k], from[k] = struct_of(given[k]) ~= nil, given[k], k
        if are[k] then
            flat[#flat + 1], list[k] = given[k]:flatten(), core.index(given[k]:size()):reshape { given[k]:shape() }
        end
    end
    local made = around.once(around_numbers, f, key_of(are, held), function()
        local to = around.text(f)
        for k = 1, leaves do
            local own = around.next_name(to)
            local x = around.parameter(to, own)
            to.captured[#to.captured + 1] = are[k] and own or nil
            to.arguments[k] = are[k] and ("%s[%s]"):format(own, x) or x
        end
        around.extras(to, held)
        return { around.load(to, f) }
    end)
    table.move(captured, 1, #captured, #flat + 1, flat)
    table.move(rest, 1, rest.n, leaves + 1, list)
    table.move(of_rest, 1, rest.n, leaves + 1, from)
    made[2](nil, table.unpack(flat))
    local results = table.pack(base.try(textcall.skeleton_of(s, made[1], leaves, name), table.unpack(list, 1,
        leaves + rest.n)))
    made[2]()
    return textcall.settle(from, table.unpack(results, 1, results.n))
end

-- Calls s with the passed operands, again as long as another one turns out to be read.
local function call_around(s, f, given, leaves, structs, arrays, names, owner)
    local name = internal.skeleton(s)
    local held, captured, rest, of_rest = textcall.further(given, leaves + 1, name)
    local one = entry_of(f, structs, held)
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
        local count = #list
        if count > MOST_READ then
            one.set()
            return call_by_numbers(s, f, given, leaves)
        end
        table.move(rest, 1, rest.n, count + 1, list)
        table.move(of_rest, 1, rest.n, count + 1, from)
        local results = table.pack(base.try(internal.skeleton_of(s, one.f, count), table.unpack(list, 1,
            count + rest.n)))
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
    local rank, count = 0, #arrays
    for k, a in ipairs(arrays) do
        rank = math.max(rank, core.isarray(a) and select("#", a:shape()) or 0)
        if not core.isarray(a) then
            misuse(owner[k], "stencil", ("array expected, got %s"):format(internal.kind_of(a)))
        end
    end
    local held, captured, rest, of_rest = textcall.further(given, leaves + 1, "stencil")
    local list = table.move(arrays, 1, count, 1, {})
    table.move(rest, 1, rest.n, count + 1, list)
    table.move(of_rest, 1, rest.n, count + 1, owner)
    local made, set = function_around(f, structs, rank, held)
    set(nil, table.unpack(captured))
    local around_each = textcall.skeleton_of(s, made, count, "stencil")
    local results = table.pack(base.try(around_each, table.unpack(list, 1, count + rest.n)))
    set()
    return textcall.settle(owner, table.unpack(results, 1, results.n))
end

-- s(...) with records among the arguments.
local function call(s, ...)
    local name, leaves, is_program, f = internal.skeleton(s)
    local given = table.pack(...)
    if not name then
        return recordargs.call(s, ...)
    elseif is_program or name ~= "map" and name ~= "zip" and name ~= "stencil" and name ~= "allpairs" then
        misuse(1, name, "records are taken by map, zip, stencil and allpairs alone: take fields")
    elseif given.n < leaves then
        error(("wrong number of arguments to '%s' (%d arrays expected, got %d)"):format(name, leaves, given.n), 0)
    end
    local in_lua = type(f) == "function" and getinfo(f, "S").what ~= "C"
    local text = not in_lua and name ~= "stencil" and name ~= "allpairs" and textcall.text_of(f, name)
    if text then
        return textcall.call(s, text, name, given, leaves)
    end
    local structs, arrays, names, owner = spread(leaves, given)
    if not in_lua then
        textcall.refuse_behind(name, given, leaves)
    end
    if name == "allpairs" and in_lua then
        return call_by_numbers(s, f, given, leaves)
    elseif name == "stencil" then
        return call_stencil(s, f, given, leaves, structs, arrays, owner)
    elseif in_lua then
        return call_around(s, f, given, leaves, structs, arrays, names, owner)
    end
    misuse(1, name, "records need a function in Lua or C; what else computes takes fields")
end
offers.call, offers.teams, offers.task, offers.each = call, recordargs.teams, recordargs.task, recordargs.each

-- a:map(f, extra..., opts), a:zip(b, f, extra..., opts), a:stencil(f, extra..., opts), a:allpairs(b, f, g, id,
-- extra..., opts)
for name, arrays in pairs { map = 1, zip = 2, stencil = 1, allpairs = 2 } do
    local made_of = name == "allpairs" and 3 or 1 -- arguments of which the skeleton is made, but for options
    offers[name] = function(...)
        local given = table.pack(...)
        local options = given[given.n]
        given.n = math.max(given.n, arrays + made_of)
        if given.n > arrays + made_of and type(options) == "table" and not struct_of(options)
            and not textcall.one_of(options) then
            given.n = given.n - 1
        else
            options = nil
        end
        local list = table.move(given, 1, arrays, 1, {})
        table.move(given, arrays + made_of + 1, given.n, arrays + 1, list)
        if name == "allpairs" and textcall.one_of(given[5]) then
            pairing.check(given[3], given[4], 2)
            return pairing.call(list[1], list[2], given[3], given[4], given[5], table.move(list, 3, given.n - 3, 1,
                { n = given.n - 5 }), options, { a = 0, f = 2, further = 5 })
        end
        local parts = table.move(given, arrays + 1, arrays + made_of, 1, {})
        parts[made_of + 1] = options
        local ok, s = pcall(core[name], table.unpack(parts, 1, made_of + 1))
        if not ok then
            error(type(s) == "string" and s:gsub("bad argument #(%d+) to '[^']*'", function(k)
                return ("bad argument #%d to '%s'"):format(arrays + k - 1, name)
            end) or s, 0)
        end
        local results = table.pack(base.try(call, s, table.unpack(list, 1, given.n - made_of)))
        if not results[1] then
            error(type(results[2]) == "string" and results[2]:gsub("bad argument #(%d+)", function(k)
                return ("bad argument #%d"):format(k + (tonumber(k) > arrays and made_of - 1 or 0))
            end, 1) or results[2], 0)
        end
        return table.unpack(results, 2, results.n)
    end
end

-- ---------------------------------------------------------------- reductions and scans

local combining = setmetatable({}, { __mode = "k" }) -- of a function those on lanes, by struct and extra arguments

-- A function of the lanes of two records, and of further arguments, that calls f with the records; and one that sets
-- the records that it captures.
local function on_lanes(f, s, held)
    local made = around.once(combining, f, key_of({ s }, held), function()
        local to = around.text(f)
        for i = 1, 2 do
            local k = 0
            to.arguments[i] = around.record(s, function()
                k = k + 1
                return around.parameter(to, s.lanes[k][1])
            end, to)
        end
        around.extras(to, held)
        return { around.load(to, f) }
    end)
    return made[1], made[2]
end

-- What is wrong with the arguments of a reduction or scan of records of s.
local function check_combined(name, s, f, id)
    if type(f) ~= "function" or getinfo(f, "S").what == "C" then
        local given = type(f) == "string" and f:sub(1, 20) or internal.kind_of(f)
        misuse(2, name, ("records of %s have no '%s': a function of two records in Lua, which gives one, expected")
            :format(s.name, given))
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
        while given.n > 0 and given[given.n] == nil do
            given.n = given.n - 1
        end
        local last = given[given.n]
        if type(last) == "table" and not struct_of(last) and not textcall.one_of(last) then
            for key, value in pairs(last) do
                opts[key] = value
            end
            given.n = given.n - 1
        end
        if opts.elements ~= nil then
            misuse(4, name, "option elements: records have those of their struct")
        end
        local lanes, ids = lanes_of(r), struct.values(s, id)
        local held, captured, rest = textcall.further(given, 1, name, 3)
        local own, set = on_lanes(f, s, held)
        local count = wide.is(s) and 1 or #lanes
        opts.elements = count
        set(nil, table.unpack(captured))
        local ok, made = pcall(core[name], own, count > 1 and ids or ids[1], opts)
        if not ok then
            error(type(made) == "string" and made:gsub("to '%?'", ("to '%s'"):format(name)) or made, 0)
        elseif wide.is(s) then -- of its options nothing is wrong
            set()
            return wide.fold(name, r, f, id, opts, held, rest, captured)
        end
        table.move(rest, 1, rest.n, count + 1, lanes)
        local results = table.pack(base.try(made, table.unpack(lanes, 1, count + rest.n)))
        set()
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
    local made, one = reduce(r, f, id, ...)
    if select("#", made:shape()) > 0 and not one then
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
            local divided = base.kind_over(r)
            if not struct_of(r) and not (divided and not divided.isarray()) then
                misuse(1, name, ("records expected, got %s"):format(internal.kind_of(r)))
            end
            local given = table.pack(...)
            if next(own) then
                given.n = given.n + 1
                given[given.n] = own
            end
            return (divided and r[name] or fold)(r, f, id, table.unpack(given, 1, given.n))
        end),
    })
end

-- lun.allpairs(f, g, P(0, 0) [, {out=}])
function offers.pairing(_, f, g, id, options)
    pairing.check(f, g, 1)
    return setmetatable({}, {
        __name = "skeleton",
        __tostring = function() return "allpairs skeleton of records" end,
        __call = base.public(function(_, a, b, ...)
            return pairing.call(a, b, f, g, id, table.pack(...), options, { a = 1, f = 1, further = 3 })
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

-- The struct that s is, or of whose records it is, and the number of its lanes.
function offers.measured(s)
    s = struct_of(s) or s
    return s, #s.lanes
end

offers.groups, offers.of_lanes = wide.groups, textcall.of_lanes

-- Whether x is one record, of any struct.
function offers.is_one(x)
    return textcall.one_of(x) ~= nil
end

return offers
