-- Lua functions of complex numbers as functions of their parts: a function around the given one takes the parts and
-- calls it with complex numbers, which the compiler knows as lun.complex of two numbers.
--
-- Invariant: `around` maps a function, weakly, to those made around it, by what their arguments are.

local core = require "lunarray.core"
local unique = require "lunarray.base.unique"

local M = {}

local around = setmetatable({}, { __mode = "k" })

-- Adds parameters for the arguments of `kinds` ("z" of two parts, "r" real) to a list, and what f is called with.
local function add(kinds, f, first, parameters, arguments, used)
    for k = 1, #kinds do
        local name = unique(debug.getlocal(f, first + k) or "x", used)
        parameters[#parameters + 1] = name
        if kinds:sub(k, k) == "z" then
            parameters[#parameters + 1] = unique(name .. "_im", used)
            name = ("lun_z(%s, %s)"):format(name, parameters[#parameters])
        end
        arguments[#arguments + 1] = name
    end
end

-- What the results of a function that combines elements are: both parts of each complex one.
local function results_of(elements)
    local names, parts = {}, {}
    for k = 1, #elements do
        names[k] = ("lun_r%d"):format(k)
        parts[k] = elements:sub(k, k) == "z" and ("lun_re(%s), lun_im(%s)"):format(names[k], names[k]) or names[k]
    end
    return table.concat(names, ", "), table.concat(parts, ", ")
end

local function text_around(f, elements, extras, combines)
    local parameters, arguments, used = {}, {}, { lun_f = true, lun_z = true, lun_re = true, lun_im = true }
    add(elements, f, 0, parameters, arguments, used)
    if combines then
        add(elements, f, #elements, parameters, arguments, used)
    end
    add(extras, f, #arguments, parameters, arguments, used)
    local call = ("lun_f(%s)"):format(table.concat(arguments, ", "))
    local body = "return " .. call
    if combines then
        local names, parts = results_of(elements)
        body = ("local %s = %s return %s"):format(names, call, parts)
    end
    return ("local lun_f, lun_z, lun_re, lun_im = ... return function(%s) %s end"):format(
        table.concat(parameters, ", "), body)
end

-- f as a function of parts: a letter for each of its elements and each further argument; combines: it takes as many
-- elements twice, and gives as many.
function M.wrapped(f, elements, extras, combines)
    local known = around[f] or {}
    around[f] = known
    local key = ("%s|%s|%s"):format(elements, extras, combines)
    if not known[key] then
        known[key] = load(text_around(f, elements, extras, combines), "=(complex)", "t", {})(f, core.complex, core.real,
            core.imag)
    end
    return known[key]
end

return M
