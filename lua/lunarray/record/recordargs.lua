-- Records among the arguments of lun.teams, lun.task and lun.call. A function in Lua captures those records, and single
-- ones are the values of their lanes; of a task, whose arrays are in buffers, each field is an argument, and the
-- function captures records of parameters.

local around = require "lunarray.record.recordaround"
local base = require "lunarray.record.recordbase"
local buffers = require "lunarray.record.recordbuffer"
local core = require "lunarray.core"
local struct = require "lunarray.record.struct"
local textcall = require "lunarray.record.textcall"

local internal = core.internal
local getinfo, getlocal = debug.getinfo, debug.getlocal
local misuse, struct_of = base.misuse, base.struct_of

local args = {}

-- The function that a variant is; another f itself.
local function settled(f)
    return type(f) == "userdata" and internal.variant_texts(f) and internal.variant_chosen(f) or f
end

-- The function in Lua that f, argument number `argument` of a call, is.
local function in_lua(f, argument, name)
    if type(f) ~= "function" or getinfo(f, "S").what == "C" then
        misuse(argument, name, "records need a function in Lua; functions in C take fields")
    end
    return f
end

-- The results of a call of that name with fields in place of records; from: of each argument that of the script's call.
local function settle(name, from, ok, ...)
    if ok then
        return ...
    end
    local e = (...)
    return textcall.settle(from, false, type(e) == "string" and e:gsub("(bad argument #%d+ to) '[^']*'", "%1 '" .. name
        .. "'", 1) or e)
end

-- ---------------------------------------------------------------- what runs now

local around_run = setmetatable({}, { __mode = "k" }) -- of a function those around it, by their further arguments

-- run(f, arguments) with a function around f, whose first `own` parameters are no arguments of the call.
local function run_around(run, name, own, f, ...)
    local given = table.pack(...)
    f = settled(f)
    if type(f) == "string" and own > 0 then
        local text, list, from = textcall.by_value(f, given, 1, name, 1, 1)
        table.insert(from, 1, 1)
        return settle(name, from, base.try(run, text, table.unpack(list, 1, list.n)))
    end
    f = in_lua(f, 1, name)
    local held, captured, rest, from = textcall.further(given, 1, name, 1)
    local made = around.once(around_run, f, table.move(held, 1, #held, 2, { own }), function()
        local to = around.text(f)
        to.arguments[1] = own > 0 and around.parameter(to, "t") or nil
        around.extras(to, held)
        return { around.load(to, f) }
    end)
    made[2](nil, table.unpack(captured))
    local results = table.pack(base.try(run, made[1], table.unpack(rest, 1, rest.n)))
    made[2]()
    table.insert(from, 1, 1)
    return settle(name, from, table.unpack(results, 1, results.n))
end

-- lun.teams{...}(f, args...); run: that function of f and its arguments.
function args.teams(run, f, ...)
    for k = 1, select("#", ...) do
        local x = (select(k, ...))
        if buffers.struct_of(x) then
            misuse(k + 1, "teams", "array or number expected, got a buffer of records, which lun.task takes: lun.copy "
                .. "copies it to records")
        end
    end
    return run_around(run, "teams", 1, f, ...)
end

-- lun.call(f, args...)
function args.call(f, ...)
    return run_around(core.call, "call", 0, f, ...)
end

-- lun.each(shape, text [, options], args...)
function args.each(shape, text, ...)
    local given, from = table.pack(...), { 1, 2 }
    local options = type(given[1]) == "table" and not struct_of(given[1]) and not textcall.one_of(given[1])
    if options then
        options, from[3] = given[1], 3
        given = table.pack(table.unpack(given, 2, given.n))
    end
    local first = type(shape) == "table" and #shape + 1 or 2
    local own, list, numbers = textcall.by_value(text, given, first, "each", 2, #from)
    table.move(numbers, 1, #numbers, #from + 1, from)
    if options then
        table.insert(list, 1, options)
    end
    return settle("each", from, base.try(core.each, shape, own, table.unpack(list, 1, list.n + (options and 1 or 0))))
end

-- ---------------------------------------------------------------- tasks

local around_task = setmetatable({}, { __mode = "k" }) -- of a function those of fields, by what its arguments are

-- Records of parameters, take(name) for each field.
local function of_parameters(s, take)
    local fields = {}
    for _, name in ipairs(s) do
        fields[name] = struct.is(s.dtypes[name]) and of_parameters(s.dtypes[name], take) or take(name)
    end
    return base.make(s, fields)
end

-- The function of fields around f; of argument k the struct is key[2 * k - 1], and key[2 * k] says "buffer" or "one";
-- else they are false.
local function of_fields(f, key)
    local to, stands = around.text(f), {}
    to.arguments[1] = around.parameter(to, "t")
    for k = 1, #key // 2 do
        local s, name = key[2 * k - 1], getlocal(f, k + 1) or "lun_e" .. k
        if key[2 * k] == "buffer" then
            local records = around.name(to, name)
            to.captured[#to.captured + 1], to.arguments[k + 1] = records, records
            stands[#stands + 1] = of_parameters(s, function(field)
                around.parameter(to, records .. "_" .. field)
                return internal.argument(#to.parameters - 1)
            end)
        else
            local function take()
                return around.parameter(to, name)
            end
            to.arguments[k + 1] = s and around.record(s, take, to) or take()
        end
    end
    local made, set = around.load(to, f)
    set(nil, table.unpack(stands))
    return made
end

-- lun.task(workdiv, f, args...)
function args.task(workdiv, f, ...)
    local key, list, from = {}, { n = 0 }, { 1, 2 }
    f = settled(f)
    if type(f) == "string" then
        local text, lanes, numbers = textcall.by_value(f, table.pack(...), 1, "task", 2, 2)
        return settle("task", table.move(numbers, 1, #numbers, 3, from), base.try(core.task, workdiv, text,
            table.unpack(lanes, 1, lanes.n)))
    end
    f = in_lua(f, 2, "task")
    for k = 1, select("#", ...) do
        local x = (select(k, ...))
        local s, one = buffers.struct_of(x), textcall.one_of(x)
        if struct_of(x) then
            misuse(k + 2, "task", "records: a task takes buffers, lun.buffer(device, n, " .. struct_of(x).name
                .. "), and numbers, lun.copy fills them")
        end
        key[2 * k - 1], key[2 * k] = s or one or false, s and "buffer" or one and "one" or false
        local values = s and buffers.list_of(x) or one and struct.values(one, x) or { x }
        for i = 1, (s or one) and #values or 1 do
            list.n = list.n + 1
            list[list.n], from[list.n + 2] = values[i], k + 2
        end
    end
    local made = around.once(around_task, f, key, function() return of_fields(f, key) end)
    return settle("task", from, base.try(core.task, workdiv, made, table.unpack(list, 1, list.n)))
end

return args
