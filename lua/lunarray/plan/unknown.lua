-- Numbers and texts that only running tells: what a script gets in a plan for the elements and sums of arrays.
-- Arithmetic with them gives further ones; what needs their value ends the plan.
--
-- Invariant: `kinds` has each of them, weakly, with what it will be: "integer", "float" or "string". No boolean is one,
-- for Lua takes any userdata as true.

local core = require "lunarray.core"
local inspect = require "lunarray.loop.inspect"

local M = {
    need = nil, -- a function that ends the plan: plan/dry.lua sets it
}

local kinds = setmetatable({}, { __mode = "k" })
local events = { __metatable = false, __name = "unknown value" }
local isarray, proxy = core.isarray, core.internal.proxy
local SAMPLES = { integer = 1, float = 0.5, string = "" }

-- A value of that kind.
function M.new(kind)
    local x = debug.setmetatable(proxy(), events)
    kinds[x] = kind
    return x
end

-- What x will be, nil where it is no such value.
function M.kind(x)
    return type(x) == "userdata" and kinds[x] or nil
end

-- The number in the place of an unknown value, nil of other values.
local function sample(x)
    return SAMPLES[M.kind(x) or ""]
end

-- Whether a Lua function captures an unknown value.
local function captures(f)
    for k = 1, 255 do
        local name, x = debug.getupvalue(f, k)
        if not name or M.kind(x) then
            return name ~= nil
        end
    end
end

-- The arguments, with a number of its kind in the place of each unknown one, also where a function captures it: dtypes
-- and shapes of what is computed with it do not hang on which number it is.
function M.replaced(...)
    local list = table.pack(...)
    for i = 1, list.n do
        if type(list[i]) == "function" and captures(list[i]) then
            list[i] = inspect.copy(list[i], sample)
        end
        list[i] = sample(list[i]) or list[i]
    end
    return table.unpack(list, 1, list.n)
end

-- Whether one of the arguments is unknown.
function M.among(...)
    for i = 1, select("#", ...) do
        if M.kind((select(i, ...))) then
            return true
        end
    end
    return false
end

local function is_integer(x)
    return (M.kind(x) or math.type(x)) == "integer"
end

-- The result of an operator on x and y, one of them unknown; of an array it is the array's.
local function operator(name, compute)
    local divides = name == "__div" or name == "__pow"
    events[name] = function(x, y)
        if isarray(x) or isarray(y) then
            return compute(M.replaced(x, y))
        end
        return M.new(not divides and is_integer(x) and is_integer(y) and "integer" or "float")
    end
end

operator("__add", function(x, y) return x + y end)
operator("__sub", function(x, y) return x - y end)
operator("__mul", function(x, y) return x * y end)
operator("__div", function(x, y) return x / y end)
operator("__mod", function(x, y) return x % y end)
operator("__pow", function(x, y) return x ^ y end)
operator("__idiv", function(x, y) return x // y end)
operator("__unm", function(x) return -x end)
function events.__concat()
    return M.new "string"
end
for _, name in ipairs { "__lt", "__le", "__eq", "__index", "__newindex", "__call", "__len", "__band", "__bor", "__bxor",
    "__shl", "__shr", "__bnot", "__tostring", "__pairs" } do
    events[name] = function()
        M.need()
    end
end

-- A function of Lua's in a plan: of unknown arguments the result has that kind, nil: it cannot be known.
function M.wrapped(f, kind)
    return function(...)
        if not M.among(...) then
            return f(...)
        elseif not kind then
            M.need()
        end
        return M.new(kind)
    end
end

return M
