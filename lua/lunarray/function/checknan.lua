-- lun.check{nan=true}: what each operation gives is computed at once and searched for NaN; one that is made of numbers
-- alone is an error with the operation, its operands and the script's line. Knows how names are replaced while a check
-- is on from check.lua, which hands that in.

local core = require "lunarray.core"
local number = require "lunarray.base.number"

local internal = core.internal
local methods = internal.methods

local M = {}

-- The functions without checks.
local isarray, isnan, describe = core.isarray, core.isnan, internal.skeleton
local any, argmax, reshape = methods.any, methods.argmax, methods.reshape
local FLOATS = { f16 = true, bf16 = true, f32 = true, f64 = true, c64 = true, c128 = true }
local OPERATORS = { __add = "+", __sub = "-", __mul = "*", __div = "/", __mod = "%", __idiv = "//", __pow = "^",
    __unm = "-" }
local DEPTH = 4 -- of tables that are searched for arrays and numbers

-- Methods that move elements or say something of them, or give NaN where nothing stands.
local MOVES = {}
for name in ("isna notna dropna fillna naif ffill bfill interpolate pct_change rolling ewm insert delete tile roll "
    .. "flip take_along_axis put_along_axis describe isnan isinf isfinite fillnan cast pad shift take put set fill "
    .. "copy copyto view reshape resize append label readonly aliases dtype shape size kind pending backend free "
    .. "eval iter value totable read layout strides distribution distribute source nan_to_num"):gmatch "%S+" do
    MOVES[name] = true
end
-- Calls that write elements of the arrays that they take or that their function captures.
local WRITES = { each = true, teams = true }

-- ---------------------------------------------------------------- searching

local function has_nan(a)
    return FLOATS[a:dtype()] and a:size() > 0 and any(isnan(a))
end

-- Calls see(x) for each number and array in x: itself, in tables, captured by functions; true: it was true for one.
local function search(x, see, depth)
    if isarray(x) or math.type(x) == "float" then
        return see(x)
    elseif depth == 0 then
        return false
    elseif type(x) == "table" then
        for _, value in next, x do
            if search(value, see, depth - 1) then
                return true
            end
        end
    elseif type(x) == "function" then
        local k = 1
        local name, value = debug.getupvalue(x, k)
        while name do
            if isarray(value) and see(value) then
                return true
            end
            k = k + 1
            name, value = debug.getupvalue(x, k)
        end
    end
    return false
end

local function is_nan(x)
    if isarray(x) then
        return has_nan(x)
    end
    return x ~= x
end

local function any_nan(given)
    for k = 1, given.n do
        if search(given[k], is_nan, DEPTH) then
            return true
        end
    end
    return false
end

-- ---------------------------------------------------------------- the error

local function shown(x)
    return math.type(x) and number.format("%.9g", x) or tostring(x)
end

-- Where the first NaN of an array is: its flat number, and the indices as text.
local function place(a)
    local shape = { a:shape() }
    local flat = argmax(reshape(isnan(a), a:size()))
    local rest, indices = flat - 1, {}
    for k = #shape, 1, -1 do
        indices[k] = rest % shape[k] + 1
        rest = rest // shape[k]
    end
    return flat, table.concat(indices, ", ")
end

-- The operands of element number `flat`, as text; nil: the operation is not element by element.
local function operands(given, size, flat)
    local texts = {}
    for k = 1, given.n do
        local x = given[k]
        if isarray(x) and (x:size() == size or x:size() == 1) and FLOATS[x:dtype()] ~= nil then
            texts[#texts + 1] = shown(reshape(x, x:size())[x:size() == 1 and 1 or flat])
        elseif isarray(x) and x:size() == size then
            texts[#texts + 1] = shown(reshape(x, size)[flat])
        elseif math.type(x) then
            texts[#texts + 1] = shown(x)
        elseif isarray(x) then
            return nil
        end
    end
    return #texts > 0 and texts or nil
end

local function message(name, sign, given, result)
    local where, texts = ""
    if isarray(result) then
        local size = result:size()
        local flat, indices = place(result)
        where = #{ result:shape() } > 0 and (", element %s of %s"):format(indices, internal.kind_of(result)) or ""
        texts = operands(given, size, flat)
    else
        texts = operands(given, 1, 1)
    end
    local call = ""
    if texts and sign and #texts == 2 then
        call = (": %s %s %s"):format(texts[1], sign, texts[2])
    elseif texts then
        call = (": %s(%s)"):format(name, table.concat(texts, ", "))
    end
    return ("'%s' makes nan of numbers (lun.check{nan=true})%s%s"):format(sign or name, where, call)
end

-- ---------------------------------------------------------------- watching

local busy = false -- inside of a call that is watched: what it is made of is not

-- An error of f as the script's call has it: by that name, arguments counted without the array of a method.
local function as_called(problem, name, first)
    if type(problem) ~= "string" then
        return problem, 0
    end
    local argument, text = problem:match "bad argument #(%-?%d+) to 'f' (%(.*)$"
    if not argument then
        return problem, 0
    end
    return ("bad argument #%d to '%s' %s"):format(math.max(argument - first, 1), name, text), 3
end

-- f, called by that name, with its results searched; first: the number of arguments that the script does not count.
local function watched(name, sign, first, f)
    return function(...)
        if busy then
            return f(...)
        end
        local given, written = table.pack(...), {}
        busy = true
        local is_clean, result, fault
        local ok, problem = pcall(function()
            is_clean = not any_nan(given)
            for k = 1, WRITES[name] and is_clean and given.n or 0 do
                search(given[k], function(x)
                    written[#written + 1] = isarray(x) and x or nil
                end, DEPTH)
            end
            result = table.pack(f(table.unpack(given, 1, given.n)))
            for k = 1, is_clean and result.n or 0 do
                local x = result[k]
                if (isarray(x) or math.type(x) == "float") and is_nan(x) then
                    fault = message(name, sign, given, x)
                    return
                end
            end
            for _, a in ipairs(written) do
                if has_nan(a) then
                    fault = message(name, sign, { n = 0 }, a)
                    return
                end
            end
        end)
        busy = false
        if not ok then
            error(as_called(problem, sign or name, first))
        elseif fault then
            error(fault, 2)
        end
        return table.unpack(result, 1, result.n)
    end
end

-- The names that are watched: methods, operations, and calls of functions.
local function names()
    local list = { each = true, teams = true, generate = true, call = true }
    for name in pairs(methods) do
        list[name] = not MOVES[name] or nil
    end
    for name in pairs(core.op) do
        list[name] = not MOVES[name] or nil
    end
    return list
end

-- Has names of the module and of methods replaced, by exchange(table, key, value); each(f) calls f(lun) for each
-- module.
function M.switch_on(exchange, each)
    for name in pairs(names()) do
        if type(rawget(methods, name)) == "function" then
            exchange(methods, name, watched(name, nil, 1, methods[name]))
        end
        each(function(lun)
            if type(rawget(lun, name)) == "function" then
                exchange(lun, name, watched(name, nil, 0, lun[name]))
            end
        end)
    end
    for event, sign in pairs(OPERATORS) do
        local f = rawget(internal.array_type, event)
        if f then
            exchange(internal.array_type, event, watched(event:sub(3), sign, 0, f))
        end
    end
    local call, calls = internal.skeleton_type.__call, {}
    exchange(internal.skeleton_type, "__call", function(s, ...)
        local name = describe(s)
        calls[name] = calls[name] or watched(name, nil, 1, call)
        return calls[name](s, ...)
    end)
end

return M
