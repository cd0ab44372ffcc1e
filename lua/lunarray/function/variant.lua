-- lun.variant: one function with a text for each platform, of which that for the places in use runs. Checks what it is
-- made of, calls it from Lua, and compares its texts for lun.check. What kernels take of it is lua_variant.c's.

local core = require "lunarray.core"
local fault = require "lunarray.base.fault"
local misuse = require "lunarray.base.misuse"

local internal = core.internal
local texts_of, chosen_of = internal.variant_texts, internal.variant_chosen

local M = {}

-- ---------------------------------------------------------------- making

-- The names that a variant may have, sorted, "default" last.
local function platforms()
    local usable, others = core.backends()
    local names = table.move(usable, 1, #usable, 1, {})
    for name in pairs(others) do
        names[#names + 1] = name
    end
    table.sort(names)
    names[#names + 1] = "default"
    return names
end

local function is_function(x)
    return type(x) == "function" or type(x) == "string" or type(x) == "userdata" and internal.describe(x) ~= nil
end

-- lun.variant{opencl=f, openmp=g, default=h}
function M.variant(given)
    if type(given) ~= "table" then
        misuse(1, "variant", "a table of functions by platform expected, got %s", internal.kind_of(given))
    end
    local names, known, texts = platforms(), {}, {}
    for _, name in ipairs(names) do
        known[name] = true
    end
    for name, f in pairs(given) do
        if not known[name] then
            misuse(1, "variant", "no platform '%s': %s expected", tostring(name), table.concat(names, ", "))
        elseif not is_function(f) then
            misuse(1, "variant", "%s: function, C source, path or operation expected, got %s", name,
                internal.kind_of(f))
        end
        texts[name] = f
    end
    if next(texts) == nil then
        misuse(1, "variant", "a function for at least one of %s expected", table.concat(names, ", "))
    end
    return internal.variant(texts)
end

-- ---------------------------------------------------------------- as a value of Lua

local Variant = internal.variant_type
Variant.__metatable = "lunarray.variant"

function Variant.__call(v, ...)
    local f, name = chosen_of(v)
    if type(f) == "string" then
        fault("the function of the variant for %s is a text, which map, zip and so on call", name)
    end
    return f(...)
end

function Variant.__tostring(v)
    local texts, list = texts_of(v), {}
    for _, name in ipairs(platforms()) do
        list[#list + 1] = texts[name] and name or nil
    end
    return ("variant(%s)"):format(table.concat(list, ", "))
end

-- ---------------------------------------------------------------- lun.check

local MOST = 1000 -- elements that are compared

-- Elements of a result at some positions, as numbers and booleans.
local function some(result, tools)
    if not core.isarray(result) then
        return { result }
    end
    local n = result:size()
    local flat, values = result:reshape(n), {}
    if n <= MOST then
        return flat:totable()
    end
    for k, i in ipairs(tools.positions(n, MOST)) do
        values[k] = flat[i]
    end
    return values
end

-- The elements of a call's results with the text of that name, computed on its platform if this machine has it; nil and
-- a message: it cannot be.
local function elements(name, usable, call, f, tools)
    local before = { core.use() }
    local there = usable[name] and name ~= before[1]:match "^[^:.]*"
    local ok, results = pcall(function()
        if there then
            core.use(name)
        end
        local results = table.pack(call(f))
        for k = 1, results.n do
            results[k] = some(results[k], tools)
        end
        return results
    end)
    if there then
        core.use(before)
    end
    if ok then
        return results
    end
    return nil, results
end

local function is_same(x, y, tools, tolerance)
    if type(x) ~= "number" or type(y) ~= "number" then
        return x == y
    end
    return x ~= x and y ~= y or x == x and y == y and not tools.differ(x, y, tools.largest(x, y, 1), tolerance)
end

-- The first difference of two lists of results, as text.
local function difference(one, other, dtypes, tools)
    for r = 1, one.n do
        for k, x in ipairs(one[r]) do
            if not is_same(x, other[r][k], tools, tools.tolerance[dtypes[r]]) then
                return x, other[r][k]
            end
        end
    end
end

-- Compares the functions of v: call(f) gives the results of the call of that name with f, tools are check.lua's. A
-- message if two of them differ, or one of a platform that is here fails.
function M.compare(name, v, call, tools)
    local texts, usable, dtypes = texts_of(v), {}, {}
    for _, platform in ipairs(core.backends()) do
        usable[platform] = true
    end
    for k, result in ipairs { call(v) } do -- also compares the dtypes
        dtypes[k] = core.isarray(result) and result:dtype() or math.type(result) == "float" and "f64" or "i64"
    end
    local first, first_name
    for _, platform in ipairs(platforms()) do
        local results, failure
        if texts[platform] then
            results, failure = elements(platform, usable, call, texts[platform], tools)
        end
        if failure and (usable[platform] or platform == "default") then
            return ("the function of the variant for %s fails in '%s': %s"):format(platform, name, tostring(failure))
        elseif results and first then
            local x, y = difference(first, results, dtypes, tools)
            if x ~= nil then
                return ("the functions of the variant given to '%s' differ: that for %s gives %s, that for %s %s")
                    :format(name, first_name, tools.show(x), platform, tools.show(y))
            end
        elseif results then
            first, first_name = results, platform
        end
    end
end

return M
