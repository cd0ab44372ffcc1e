-- lun.check: functions given to reduce, scan and allpairs are tested for associativity and for their identity, elements
-- computed by Lua functions are computed again by Lua itself, functions of a variant are compared, and indices in C
-- functions are checked. Knows skeletons by their calls, nothing of how they run.

local core = require "lunarray.core"

local misuse = require "lunarray.base.misuse"
local number = require "lunarray.base.number"
local scope = require "lunarray.base.scope"
local several = require "lunarray.function.checkseveral"

local M = {}

local SAMPLES, IDENTITY, RECOMPUTED = 8, 100, 8 -- elements of the data
-- The functions without checks.
local REAL = { map = core.map, zip = core.zip, reduce = core.reduce, scan = core.scan, allpairs = core.allpairs }

-- How far floats may differ, of the largest magnitude in the calculation: rounding is no counterexample.
local TOLERANCE = { f64 = 1e-9, f32 = 1e-4, f16 = 2e-2, bf16 = 1e-1 }

local INTEGERS = { 0, 1, 2, 3, 5, 7, 100, 10000, -1, -2, -3, -7, -100, -10000 }
local FLOATS = { 0.5, -3.25, 7.5, 0.001, -0.125 }
local SMALL = 7

-- ---------------------------------------------------------------- values

-- Numbers for which functions often fail, with the signs of the data, and no larger than its largest or SMALL: failures
-- beyond the data do not matter.
local function adversarial(dtype, negative, most)
    if dtype == "bool" then
        return { false, true }
    end
    local values = {}
    for _, list in ipairs { INTEGERS, TOLERANCE[dtype] and FLOATS or {} } do
        for _, x in ipairs(list) do
            if (x >= 0 or negative) and math.abs(x) <= math.max(most, SMALL) then
                values[#values + 1] = x
            end
        end
    end
    return values
end

-- Whether an array has negative elements, and its largest magnitude.
local function range(a)
    if a:dtype() == "bool" then
        return false, 1
    end
    local low, high = a:min(), a:max()
    local most = math.max(math.abs(low), math.abs(high))
    return low < 0, most == most and most or 0
end

-- A private generator: the script's random numbers do not change.
local state = 88172645463325252
local function chance(n)
    state = state ~ state << 13
    state = state ~ state >> 7
    state = state ~ state << 17
    return state % n + 1
end

-- Up to `count` positions from 1 to n, the ends among them, the others by chance.
local function positions(n, count)
    local list, seen = {}, {}
    for _, i in ipairs { 1, n } do
        if not seen[i] then
            list[#list + 1], seen[i] = i, true
        end
    end
    for _ = 1, n > 2 and count - 2 or 0 do
        local i = chance(n)
        if not seen[i] then
            list[#list + 1], seen[i] = i, true
        end
    end
    return list
end

local function sampled(a, count)
    local values, seen = {}, {}
    local flat = a:reshape(a:size())
    for _, i in ipairs(positions(a:size(), count)) do
        local x = flat[i]
        if x == x and not seen[x] then
            values[#values + 1], seen[x] = x, true
        end
    end
    return values
end

local function show(x)
    return type(x) == "number" and number.format("%.9g", x):gsub("^(-?%d+)%.0$", "%1") or tostring(x)
end

-- Whether two results that should be equal differ; scale: the largest magnitude on the way.
local function differ(x, y, scale, tolerance)
    if x == y then
        return false
    elseif not tolerance then
        return true
    end
    local difference = math.abs(x - y)
    return difference > tolerance * scale and difference < math.huge -- false for infinities and NaN
end

local function largest(...)
    local scale = 0
    for i = 1, select("#", ...) do
        local x = math.abs((select(i, ...)))
        scale = x > scale and x or scale
    end
    return scale
end

local TOOLS = { positions = positions, show = show, differ = differ, largest = largest, tolerance = TOLERANCE,
    map = REAL.map }

-- ---------------------------------------------------------------- reduce and scan

-- The results of f for arrays of operands and the extra arguments, element by element, as `dtype`.
local function combiner(f, dtype, extras)
    local zip = REAL.zip(f)
    return function(x, y)
        local z = zip(x, y, table.unpack(extras, 1, extras.n))
        return z:dtype() == dtype and z or z:cast(dtype)
    end
end

-- Three operands for which f is not associative, as text; nil: none of these values are.
local function counterexample(f, values, dtype, extras)
    local x, y, z = {}, {}, {}
    for _, a in ipairs(values) do
        for _, b in ipairs(values) do
            for _, c in ipairs(values) do
                x[#x + 1], y[#y + 1], z[#z + 1] = a, b, c
            end
        end
    end
    local X, Y, Z = core.vector(x, dtype), core.vector(y, dtype), core.vector(z, dtype)
    local combine, tolerance = combiner(f, dtype, extras), TOLERANCE[dtype]
    local XY, YZ = combine(X, Y), combine(Y, Z)
    local L, R = combine(XY, Z), combine(X, YZ)
    core.eval(XY, YZ, L, R)
    local xy, yz, left, right = XY:totable(), YZ:totable(), L:totable(), R:totable()
    for i = 1, #x do
        local scale = tolerance and largest(x[i], y[i], z[i], xy[i], yz[i], left[i], right[i])
        if differ(left[i], right[i], scale, tolerance) then
            local a, b, c = show(x[i]), show(y[i]), show(z[i])
            local format = "it is not associative: f(f(%s, %s), %s) is %s, f(%s, f(%s, %s)) is %s"
            return format:format(a, b, c, show(left[i]), a, b, c, show(right[i]))
        end
    end
end

-- An element that the first value changes, as text.
local function no_identity(f, id, values, dtype, extras)
    local X, ids = core.vector(values, dtype), {}
    for i = 1, #values do
        ids[i] = id
    end
    local tolerance = TOLERANCE[dtype]
    local result = combiner(f, dtype, extras)(core.vector(ids, dtype), X):totable()
    for i, x in ipairs(X:totable()) do
        if differ(result[i], x, tolerance and largest(x, id), tolerance) then
            return ("%s is not its identity: f(%s, %s) is %s"):format(show(id), show(id), show(x), show(result[i]))
        end
    end
end

-- Raises a counterexample for a fold by f over a, at the caller of the function that calls this.
local function check_fold(name, f, id, a, extras, level)
    if not core.isarray(a) or a:size() == 0 or core.isarray(id) then
        return
    end
    local dtype, real = a:dtype(), sampled(a, SAMPLES)
    if #real == 0 then
        return
    end
    local operands = core.vector(real, dtype)
    local made = REAL.zip(f)(operands, operands, table.unpack(extras, 1, extras.n)):dtype()
    if TOLERANCE[made] and not TOLERANCE[dtype] then
        dtype = made -- a function of integers that gives floats
    end
    local values = adversarial(dtype, range(a))
    for _, x in ipairs(real) do
        values[#values + 1] = x
    end
    local ok, fault = pcall(counterexample, f, values, dtype, extras)
    if not ok then -- the function fails for values that may not be in the data
        ok, fault = pcall(counterexample, f, real, dtype, extras)
    end
    if ok and not fault and id ~= nil then
        ok, fault = pcall(no_identity, f, id, sampled(a, IDENTITY), dtype, extras)
    end
    if ok and fault then
        error(("the function given to '%s' is not suitable (lun.check): %s"):format(name, fault), level + 1)
    end
end

-- The same for pairs of rows of a and b: g folds the results of f for their elements, of which some are tested.
local function check_pairs(f, g, id, a, b, extras, level)
    if not core.isarray(a) or not core.isarray(b) then
        return
    end
    local x, y = {}, {}
    for _, one in ipairs(a:size() > 0 and sampled(a, SAMPLES) or {}) do
        for _, other in ipairs(b:size() > 0 and sampled(b, SAMPLES) or {}) do
            x[#x + 1], y[#y + 1] = one, other
        end
    end
    local ok, values = pcall(function()
        local zip = REAL.zip(f)
        return zip(core.vector(x, a:dtype()), core.vector(y, b:dtype()), table.unpack(extras, 1, extras.n)):eval()
    end)
    if ok then -- else the call itself raises the error
        check_fold("allpairs", g, id, values, { n = 0 }, level + 1)
    end
end

-- ---------------------------------------------------------------- map and zip

local EXACT = { i64 = true, f64 = true, bool = true } -- where Lua computes as kernels do

-- Raises an error for an element that Lua itself computes differently. Arrays: the elementwise operands.
function M.elements(name, f, arrays, count, result, level, ...)
    if type(f) ~= "function" or not core.isarray(result) or not EXACT[result:dtype()] then
        return
    end
    local flat = { result:reshape(result:size()) }
    for i = 1, count do
        local a = arrays[i]
        if not core.isarray(a) or not EXACT[a:dtype()] or a:size() ~= result:size() then
            return
        end
        flat[i + 1] = a:reshape(a:size())
    end
    for _, i in ipairs(result:size() > 0 and positions(result:size(), RECOMPUTED) or {}) do
        local operands = {}
        for k = 1, count do
            operands[k] = flat[k + 1][i]
        end
        local given = flat[1][i]
        local packed = table.pack(table.unpack(operands, 1, count))
        for k = 1, select("#", ...) do
            packed[count + k] = (select(k, ...))
        end
        local ok, own = pcall(f, table.unpack(packed, 1, count + select("#", ...)))
        local comparable = ok and type(own) == type(given)
        local tolerance = type(given) == "number" and TOLERANCE.f64 or nil
        if comparable and differ(given, own, tolerance and largest(given, own, 1), tolerance) then
            for k = 1, count do
                operands[k] = show(operands[k])
            end
            local message = "the function given to '%s' returns %s for element %d, but Lua itself returns %s "
                .. "(lun.check): f(%s)"
            error(message:format(name, show(given), i, show(own), table.concat(operands, ", ")), level + 1)
        end
    end
end

-- ---------------------------------------------------------------- switching

local made = setmetatable({}, { __mode = "k" }) -- of skeletons made while it is on: { kind, f, id, g of allpairs }
local on = false
local before = {} -- the functions replaced meanwhile

-- Raises an error if the functions of a variant differ in a call by `kind`.
local function check_variant(kind, v, id, g, count, level, ...)
    local given, options = table.pack(...), count > 1 and { elements = count } or nil
    local function call(f)
        local s
        if kind == "allpairs" then
            s = REAL.allpairs(f, g, id)
        elseif kind == "map" or kind == "zip" then
            s = REAL[kind](f, options)
        else
            s = REAL[kind](f, id, options)
        end
        return s(table.unpack(given, 1, given.n))
    end
    local message = require("lunarray.function.variant").compare(kind, v, call, TOOLS)
    if message then
        error(message .. " (lun.check)", level + 1)
    end
end

-- Checks a call of a skeleton by `kind` and gives its results. call(): makes it; then its arguments, `count` arrays
-- that are taken element by element and extra ones.
local function checked(kind, f, id, g, count, level, call, ...)
    local given = table.pack(...)
    if core.internal.variant_texts(f) then
        check_variant(kind, f, id, g, count, level + 1, ...)
        f = core.internal.variant_chosen(f)
    end
    if kind == "allpairs" then
        check_pairs(f, g, id, given[1], given[2], table.pack(table.unpack(given, 3, given.n)), level + 1)
        return call()
    end
    if (kind == "reduce" or kind == "scan") and count > 1 then
        local arrays = table.move(given, 1, count, 1, {})
        local fault = several(TOOLS, f, id, arrays, table.pack(table.unpack(given, count + 1, given.n)))
        if fault then
            error(("the function given to '%s' is not suitable (lun.check): %s"):format(kind, fault), level + 1)
        end
        return call()
    end
    if kind == "reduce" or kind == "scan" then
        check_fold(kind, f, id, given[1], table.pack(table.unpack(given, 2, given.n)), level + 1)
        return call()
    end
    local results = table.pack(call())
    if results.n == 1 then
        M.elements(kind, f, given, count, results[1], level + 1, table.unpack(given, count + 1, given.n))
    end
    return table.unpack(results, 1, results.n)
end

local function exchange(t, key, value)
    before[#before + 1] = { t, key, t[key] }
    t[key] = value
end

-- A first value, unless it is a table of options.
local function first_value(id)
    if type(id) ~= "table" then
        return id
    end
end

-- Named and without a tail call: errors show the name.
local MAKE = {
    map = function(...)
        local s = REAL.map(...)
        return s
    end,
    zip = function(...)
        local s = REAL.zip(...)
        return s
    end,
    reduce = function(...)
        local s = REAL.reduce(...)
        return s
    end,
    scan = function(...)
        local s = REAL.scan(...)
        return s
    end,
    allpairs = function(...)
        local s = REAL.allpairs(...)
        return s
    end,
}

local function switch_on()
    local methods = core.internal.methods
    core.internal.check_indices(true)
    local skeleton = getmetatable(REAL.map(function(x) return x end))
    local call = skeleton.__call
    for kind, make in pairs(MAKE) do
        local function checking(f, id, ...)
            local s = make(f, id, ...)
            if kind == "allpairs" then
                local first = ...
                made[s] = { kind, f, first_value(first), id }
            else
                made[s] = { kind, f, id }
            end
            return s
        end
        scope.each(function(lun)
            exchange(lun, kind, checking)
        end)
    end
    exchange(skeleton, "__call", function(s, ...)
        local m, arguments = made[s], table.pack(...)
        local function make()
            return call(s, table.unpack(arguments, 1, arguments.n))
        end
        if not m then
            return make()
        end
        local _, count = core.internal.skeleton(s)
        -- the level counts this function
        local results = table.pack(checked(m[1], m[2], m[3], m[4], count, 2, make, ...))
        return table.unpack(results, 1, results.n)
    end)
    for kind in pairs(REAL) do
        local real = methods[kind]
        exchange(methods, kind, function(a, ...)
            local arguments = table.pack(...)
            local function make()
                return real(a, table.unpack(arguments, 1, arguments.n))
            end
            local results
            if kind == "zip" then
                results = table.pack(checked(kind, arguments[2], nil, nil, 2, 2, make, a, arguments[1],
                    table.unpack(arguments, 3, arguments.n)))
            elseif kind == "allpairs" then
                local last = arguments.n - (type(arguments[arguments.n]) == "table" and 1 or 0)
                results = table.pack(checked(kind, arguments[2], first_value(arguments[4]), arguments[3], 2, 2, make, a,
                    arguments[1], table.unpack(arguments, 5, last)))
            else
                local first = kind == "map" and 2 or 3
                local last, count = arguments.n, 1
                local options = arguments[last]
                if type(options) == "table" then
                    last, count = last - 1, options.elements or 1
                end
                results = table.pack(checked(kind, arguments[1], first == 3 and arguments[2] or nil, nil, count, 2,
                    make, a, table.unpack(arguments, first, last)))
            end
            return table.unpack(results, 1, results.n)
        end)
    end
end

local nan = false -- whether NaN is looked for, too

local function switch_off()
    core.internal.check_indices(false)
    for k = #before, 1, -1 do
        before[k][1][before[k][2]] = before[k][3]
    end
    before = {}
end

-- What the options ask for.
local function options_of(value)
    for name, x in pairs(value) do
        if name ~= "nan" then
            misuse(1, "check", "unknown option '%s': the only option is nan", tostring(name))
        elseif type(x) ~= "boolean" then
            misuse(1, "check", "option nan: true or false expected, got %s", core.internal.kind_of(x))
        end
    end
    return value
end

-- lun.check(true): from now on functions given to reduce, scan and allpairs are tested for associativity and for their
-- identity, on elements of the data and on values that are often handled wrongly, and some results of Lua functions in
-- map and zip are recomputed by Lua itself; a failed test is an error that shows the operands. C functions made from
-- now on check w[i] as they check LUN_AT(w, i). lun.check{nan=true}: each operation is computed at once, and an error
-- if it makes NaN of numbers. lun.check(false) ends both; lun.check() tells whether one is on.
function M.check(value)
    if value ~= nil and type(value) ~= "boolean" and (type(value) ~= "table" or core.isarray(value)) then
        error(("bad argument #1 to 'check' (boolean or table of options expected, got %s)"):format(type(value)), 2)
    end
    local was_on, was_nan = on, nan
    if type(value) == "table" then
        local asked = options_of(value).nan
        nan = asked == nil and nan or asked or false
    elseif value ~= nil then
        on, nan = value, value and nan
    end
    if on ~= was_on or nan ~= was_nan then
        switch_off() -- what replaces a name last is put back first
        if on then
            switch_on()
        end
        if nan then
            require("lunarray.function.checknan").switch_on(exchange, scope.each)
        end
    end
    return on or nan
end

return M
