-- The owner of s.sharedon: which element's rank runs a round of a loop. The subscripts of the owner's element are found
-- by calling its function once with stand-ins for the loop's variables; a function that could do otherwise in another
-- call is refused. Knows no transport.

local blocked = require "lunarray.block.blocked"
local opcodes = require "lunarray.loop.opcodes"
local spread = require "lunarray.block.spread"

local owner = {}

-- ---------------------------------------------------------------- the owner's subscripts

-- c * i + d with loop variable number `variable`; nil: d alone.
local affine = {}

-- What is wrong with the owner's function; the line is where it stands there, if an operator is wrong.
local function refuse(message, f)
    local level, info = 2, f and debug.getinfo(f, "S")
    local line = info and info.linedefined
    while not line do
        info = debug.getinfo(level, "Sl")
        line = (not info or info.currentline > 0 and info.short_src:find("lua/lunarray/", 1, true) ~= 1)
            and (info and info.currentline or 0)
        level = level + 1
    end
    error(("bad argument #1 to 'sharedon' (%s:%d: %s)"):format(info.short_src, line, message), 0)
end

local LINEAR = "a subscript of the owner is not linear: c*i + d with integers c and d expected"

local function make_affine(variable, c, d)
    return setmetatable({ variable = variable, c = c, d = d }, affine)
end

local function as_affine(x)
    if getmetatable(x) == affine then
        return x
    elseif math.type(x) == "integer" then
        return make_affine(nil, 0, x)
    end
    refuse(LINEAR)
end

function affine.__add(x, y)
    x, y = as_affine(x), as_affine(y)
    if x.variable and y.variable then
        refuse "a subscript of the owner has two loop variables: c*i + d expected"
    end
    return make_affine(x.variable or y.variable, x.c + y.c, x.d + y.d)
end

function affine.__mul(x, y)
    x, y = as_affine(x), as_affine(y)
    if x.variable and y.variable then
        refuse(LINEAR)
    end
    local k = x.variable and y.d or x.d
    local of = x.variable and x or y
    return make_affine(of.variable, of.c * k, of.d * k)
end

function affine.__unm(x)
    return make_affine(x.variable, -x.c, -x.d)
end

function affine.__sub(x, y)
    return as_affine(x) + -as_affine(y)
end

for event in ("div idiv mod pow band bor bxor shl shr bnot concat len"):gmatch "%a+" do
    affine["__" .. event] = function()
        refuse(LINEAR)
    end
end

-- What a[i] of a blocked array gives where i is such a subscript, in blocked.lua's look.
local trace = {}
function trace.__index(t, i)
    local subscripts = table.move(rawget(t, "subscripts"), 1, #rawget(t, "subscripts"), 1, {})
    subscripts[#subscripts + 1] = as_affine(i)
    return setmetatable({ array = rawget(t, "array"), subscripts = subscripts }, trace)
end

local look = blocked.look
function blocked.look(a, key)
    if getmetatable(key) == affine then
        return setmetatable({ array = a, subscripts = {} }, trace)[key]
    end
    return look(a, key)
end

-- The owner's array and its subscripts, of loops of so many variables.
function owner.subscripts(of, count)
    if blocked.is(of) then
        local list = {}
        for d in ipairs(blocked.spread_of(of).shape) do
            list[d] = make_affine(d, 1, 0)
        end
        return of, list
    elseif type(of) ~= "function" then
        local wanted = "a blocked array, or a function that gives an element of one, expected"
        error(("bad argument #1 to 'sharedon' (%s)"):format(wanted), 0)
    end
    if opcodes.varies(of) then
        refuse("the owner's function branches, calls or assigns: it has to give an element with subscripts c*i + d", of)
    end
    local variables = {}
    for k = 1, count do
        variables[k] = make_affine(k, 1, 0)
    end
    local ok, found = pcall(of, table.unpack(variables, 1, count))
    if not ok and type(found) == "string" and found:find("bad argument #1 to 'sharedon'", 1, true) == 1 then
        error(found, 0)
    elseif not ok then
        refuse("the owner's subscripts are c*i + d with integers c and d; " .. tostring(found), of)
    end
    if getmetatable(found) ~= trace then
        refuse("the owner's function has to give an element of a blocked array", of)
    end
    local array, list = rawget(found, "array"), rawget(found, "subscripts")
    if #list ~= #blocked.spread_of(array).shape then
        refuse(("the owner's function has to give an element: %s has %d indices"):format(blocked.kind_of(array),
            #blocked.spread_of(array).shape), of)
    end
    return array, list
end

function owner.check(array, list, extents)
    local used, shape = {}, blocked.spread_of(array).shape
    for d, x in ipairs(list) do
        if x.variable and not extents[x.variable] then
            local said = "bad argument #2 to 'sharedon' (%d extents expected, as the owner is %s; got %d)"
            error(said:format(#list, blocked.kind_of(array), #extents), 0)
        end
        if x.variable and used[x.variable] then
            error(("bad argument #1 to 'sharedon' (loop variable %d is used twice)"):format(x.variable), 0)
        end
        used[x.variable or 0] = true
        local ends = { x.d, x.d }
        if x.variable then
            ends = { x.c * extents[x.variable][1] + x.d, x.c * extents[x.variable][2] + x.d }
        end
        for _, i in ipairs(ends) do
            if (i < 1 or i > shape[d]) and (not x.variable or extents[x.variable][1] <= extents[x.variable][2]) then
                error(("index %d is out of range for axis %d of the owner %s"):format(i, d, blocked.kind_of(array)), 0)
            end
        end
    end
end

-- The loop's extents as { {first, last}, ... }.
function owner.ranges(extents)
    local list = {}
    for k, x in ipairs(type(extents) == "table" and extents or { extents }) do
        local range = type(x) == "table" and x or { 1, x }
        list[k] = { range[1], range[2] }
        if math.type(list[k][1]) ~= "integer" or math.type(list[k][2]) ~= "integer" or #range ~= 2 then
            error(("bad argument #2 to 'sharedon' (axis %d: an extent or {first, last} expected)"):format(k), 0)
        elseif type(x) ~= "table" and x < 0 then
            error(("bad argument #2 to 'sharedon' (axis %d: the extent is negative: %d)"):format(k, x), 0)
        end
    end
    return list
end

-- The rounds of a PE: a box of the loop's, {1, 0} along each axis if there are none.
function owner.rounds(array, list, extents, pe)
    local first, count = spread.box(blocked.spread_of(array), pe)
    local box = {}
    for k, range in ipairs(extents) do
        box[k] = { range[1], range[2] }
    end
    for d, x in ipairs(list) do
        local low, high = first[d], first[d] + count[d] - 1
        if x.variable and x.c ~= 0 then
            local from, to = low - x.d, high - x.d
            if x.c < 0 then
                from, to = -to, -from
            end
            local c, range = math.abs(x.c), box[x.variable]
            from, to = -(-from // c), to // c
            range[1], range[2] = math.max(range[1], from), math.min(range[2], to)
        elseif x.d < low or x.d > high then
            box[1] = { 1, 0 }
        end
    end
    for _, range in ipairs(box) do
        if range[2] < range[1] then
            for k in ipairs(box) do
                box[k] = { 1, 0 }
            end
            break
        end
    end
    return box
end

return owner
