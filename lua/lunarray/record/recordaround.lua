-- Functions around a script's function: they take the elements of fields, and call it with records of them.
--
-- A function is made once for each combination of structs and arguments. Of the arguments that are no elements, the
-- further ones, records are captured, and set for each call; those of one record are the values of its lanes.

local core = require "lunarray.core"
local struct = require "lunarray.record.struct"
local unique = require "lunarray.base.unique"

local getlocal = debug.getlocal
local MATH <const> = { ceil = math.ceil, floor = math.floor }

local around = {}

-- make(), once for each function f and key, a list of values that are compared; memo: a table with weak keys.
function around.once(memo, f, key, make)
    local known = memo[f] or {}
    memo[f] = known
    for _, one in ipairs(known) do
        local same = #one.key == #key
        for k, x in ipairs(key) do
            same = same and one.key[k] == x
        end
        if same then
            return one.made
        end
    end
    local made = make()
    known[#known + 1] = { key = key, made = made }
    return made
end

-- A text that is being made around f: its parameters, the arguments of f, the structs whose calls stand in it (lun_s1
-- and so on), and the records that it captures; call: what stands for its call, lun_f(%s).
function around.text(f)
    local to = { f = f, parameters = {}, arguments = {}, types = {}, captured = { "lun_r0" }, used = {} }
    for word in ([[and break do else elseif end false for function goto if in local nil not or repeat return then true
        until while]]):gmatch "%S+" do
        to.used[word] = true
    end
    return to
end

-- The text of a record of s, of the texts that take() gives for its lanes.
function around.record(s, take, to)
    local own, fields = #to.types + 1, {}
    to.types[own] = s
    for k, name in ipairs(s) do
        fields[k] = struct.is(s.dtypes[name]) and around.record(s.dtypes[name], take, to)
            or struct.initializer(s, name, take, "lun_complex(%s, %s)")
    end
    return ("lun_s%d(%s)"):format(own, table.concat(fields, ", "))
end

-- A new name for what a script calls so: letters, digits and _, unlike all others and Lua's words.
function around.name(to, name)
    return unique((name:gsub("[^%w_]+", "_")), to.used)
end

-- A new name for the next argument of f: what f calls it.
function around.next_name(to)
    return around.name(to, getlocal(to.f, #to.arguments + 1) or "lun_e")
end

-- A new parameter of that name, as far as others have not got it, and its name; with to.rest, how many there are, an
-- element of the captured table lun_rest.
function around.parameter(to, name)
    if to.rest then
        to.rest = to.rest + 1
        return ("lun_rest[%d]"):format(to.rest)
    end
    to.parameters[#to.parameters + 1] = around.name(to, name)
    return to.parameters[#to.parameters]
end

-- Adds further arguments of f; held: of each the struct of one record, true: records, false: any other.
function around.extras(to, held)
    for _, own in ipairs(held) do
        local argument = around.next_name(to)
        local function take()
            return around.parameter(to, argument)
        end
        if struct.is(own) then
            argument = around.record(own, take, to)
        elseif own then
            to.captured[#to.captured + 1] = argument
        else
            argument = take()
        end
        to.arguments[#to.arguments + 1] = argument
    end
end

-- The function of such a text around f, and one that sets the records which it captures, nil in front of them; inner:
-- statements before the call; result: what it returns of lun_made, the call's result, by default that; outer:
-- statements before the function.
function around.load(to, f, inner, result, outer)
    local names, set = { "lun_f", "lun_complex", "lun_math" }, table.concat(to.captured, ", ")
    for i = 1, #to.types do
        names[i + 3] = "lun_s" .. i
    end
    local call = to.call or result and "local lun_made = lun_f(%s) return " .. result or "return lun_f(%s)"
    local text = ("local %s = ... local %s %s return function(%s) %s %s end, function(...) %s = ... end"):format(
        table.concat(names, ", "), set, outer or "", table.concat(to.parameters, ", "), inner or "",
        call:format(table.concat(to.arguments, ", ")), set)
    return load(text, "=records", "t", {})(f, core.complex, MATH, table.unpack(to.types))
end

return around
