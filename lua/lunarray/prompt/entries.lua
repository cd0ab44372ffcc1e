-- All names that scripts call, with parameters, options and results: the help texts and the engine's tables, read by
-- signature.lua. From this the definitions for editors, the card and the checks of options are made.

local core = require "lunarray.core"
local help = require "lunarray.prompt.help"
local signature = require "lunarray.prompt.signature"

local M = {}

local RECEIVERS = { a = "lun.Array", t = "lun.Table", g = "lun.Groups", s = "lun.Skeleton" }

-- The forms of a function that is a method's: the array comes first.
local function with_receiver(forms)
    local result = {}
    for i, form in ipairs(forms) do
        local list = { { name = "a", type = "lun.Operand" } }
        for _, one in ipairs(form.parameters) do
            list[#list + 1] = one.name == "a" and { name = "other", type = one.type, optional = one.optional } or one
        end
        result[i] = { parameters = list, options = form.options, open = form.open }
    end
    return result
end

local function add(list, owner, name, call, text, forms, result)
    list[#list + 1] = { owner = owner, name = name, call = call, text = text,
        forms = forms or signature.forms(call, name), result = result or signature.result(owner, name) }
end

-- The call of an operation as a method, and what it does.
local function of_operation(name)
    local _, symbol, arity, doc = core.internal.describe(core.op[name])
    local arguments = ({ "", "b", "b, c" })[arity]
    return ("a:%s(%s)"):format(name, arguments), symbol ~= "" and ("%s; %s"):format(symbol, doc) or doc
end

-- Methods that help describes within the texts of the functions that give their receivers.
local function add_described(list, letter, owner, text)
    local seen = {}
    for name, arguments in text:gmatch("%f[%w]" .. letter .. ":([%a_][%w_]*)(%b())") do
        if not seen[name] then
            seen[name] = true
            add(list, owner, name, ("%s:%s%s"):format(letter, name, arguments), "")
        end
    end
end

-- A list of { owner, name, call, text, forms, result }, by owner and name. owner: "lun", or the letter by which help
-- writes a receiver: a (arrays), t (tables), g (groups), s (skeletons), q (queues), ev (events), b (buffers).
function M.all()
    local list, methods = {}, {}
    for name, f in next, core.internal.methods do
        if type(f) == "function" and not name:find "^__" and name ~= ".." then
            local row = help.methods[name] or help.reductions[name]
            local call, text
            if row then
                call, text = row[1], row[2]
            else
                call, text = of_operation(name)
            end
            local forms, result = signature.forms(call, name), nil
            if help.reductions[name] then -- what help says of them all
                local along = { name = "options", type = "lun.Along|integer|lun.Operand", optional = true }
                forms = { { parameters = { along }, options = {}, open = true } }
                result = "lun.Value"
            elseif core.op[name] and row and name ~= "sub" then -- also a method of dates
                local own, what = of_operation(name)
                forms, call, text = signature.forms(own, name), own, ("%s; of dates %s: %s"):format(what, call, text)
            end
            methods[name] = { call = call, text = text, forms = forms }
            add(list, "a", name, call, text, forms, result)
        end
    end
    for name, f in next, require "lunarray" do
        local row = help.functions[name]
        if type(f) == "function" or row and row[1]:find "^lun%." then
            local method = methods[name]
            if row then
                add(list, "lun", name, row[1], row[2])
            elseif method then
                add(list, "lun", name, method.call, method.text, with_receiver(method.forms),
                    help.reductions[name] and "lun.Value" or nil)
            elseif core.op[name] then -- sub, of which the method is another
                local call, text = of_operation(name)
                add(list, "lun", name, call, text, with_receiver(signature.forms(call, name)))
            end
        end
    end
    for letter, rows in next, { t = help.verbs, g = help.of_groups, s = help.skeleton_methods } do
        for name, row in next, rows do
            add(list, letter, name, row[1], row[2])
        end
    end
    for name in next, require("lunarray.table.group").methods do
        if not help.of_groups[name] then
            add(list, "g", name, ("g:%s(x, ...)"):format(name), "of each group, as lun.help \"group\" says")
            list[#list].is_reduction = true
        end
    end
    add_described(list, "q", "q", help.functions.queue[2])
    add_described(list, "ev", "ev", help.functions.queue[2])
    add_described(list, "b", "b", help.functions.buffer[2])
    table.sort(list, function(x, y)
        return x.owner < y.owner or x.owner == y.owner and x.name < y.name
    end)
    return list
end

M.receivers = RECEIVERS

return M
