-- The names of a script before it runs, by its instructions: globals that nothing sets, fields that the module and
-- Lua's libraries have not, methods that no value has. Runs none of the script.
--
-- Invariant: what is listed is wrong in each run that comes to that line. So a name that the script may make itself,
-- as a global, a field or a text anywhere, is none of them, and scripts that load others are only asked for what the
-- module has.

local bytecode = require "lunarray.base.bytecode"
local core = require "lunarray.core"
local failure = require "lunarray.prompt.failure"
local help = require "lunarray.prompt.help"
local scope = require "lunarray.base.scope"

local M = {}

-- Operations of Lua 5.4's machine.
local LOADK, GETUPVAL, GETTABUP, GETFIELD, SETTABUP, SETFIELD, SELF = 3, 9, 11, 14, 15, 18, 20
local JMP, TEST, TESTSET = 56, 66, 67

-- Functions by which a script gets globals, fields and methods of its own from elsewhere.
local LOADS = { dofile = true, load = true, loadfile = true, setmetatable = true, _ENV = true }

-- ---------------------------------------------------------------- what there is

-- The names of methods of any value.
local function method_names()
    local names = {}
    local function add(t)
        for name in next, t do
            names[name] = true
        end
    end
    local inside = core.internal
    for _, t in ipairs {
        inside.methods, inside.text_methods, inside.time_methods, inside.skeleton_methods, string,
        require("lunarray.table.object").verbs, require("lunarray.table.group").methods, help.verbs, help.of_groups,
        help.skeleton_methods, help.methods, debug.getmetatable(io.stdout).__index,
    } do
        add(t)
    end
    require "lunarray.record.record"
    add(require("lunarray.record.recordbase").methods)
    add(require("lunarray.sparse.csr").methods)
    add(require("lunarray.ragged.runs").methods)
    for _, rows in ipairs { help.functions, help.methods, help.skeleton_methods, help.verbs, help.signs } do
        for _, row in pairs(rows) do -- those of queues, events, teams and others stand in texts
            for name in table.concat(row, " "):gmatch "%f[%w]%a%a?:([%a_][%w_]*)" do
                names[name] = true
            end
        end
    end
    return names
end

-- ---------------------------------------------------------------- what the script makes

-- The names that the functions of a script set: globals, fields, and texts that may become one; and whether it loads
-- other scripts or changes how globals are found.
local function made_by(script)
    local made, loads = { globals = {}, fields = {} }, false
    bytecode.each(script, function(f)
        for pc, instruction in ipairs(f.code) do
            local op, a, _, b, c = bytecode.parts(instruction)
            if op == SETTABUP or op == SETFIELD then
                local name = f.constants[b + 1]
                made.fields[name] = true
                made.globals[name] = made.globals[name] or op == SETTABUP and f.upvalues[a + 1] == "_ENV"
            elseif op == LOADK then
                local text = f.constants[(instruction >> 15) + 1]
                if type(text) == "string" then
                    made.globals[text], made.fields[text] = true, true
                end
            elseif op == GETTABUP and f.upvalues[b + 1] == "_ENV" then
                local name = f.constants[c + 1]
                local after = f.code[pc + 1]
                local module = after & 0x7f == LOADK and f.constants[(after >> 15) + 1]
                loads = loads or LOADS[name] or name == "require"
                    and not (type(module) == "string" and module:find "^lunarray%f[%z.]")
            end
        end
        for _, variable in ipairs(f.locals) do
            loads = loads or variable.name == "_ENV"
        end
    end)
    return made, loads
end

-- ---------------------------------------------------------------- what it reads

-- Whether the value that instruction pc of f puts into register r is only asked for: `if jit then`, `unpack or ...`.
local function is_asked(f, pc, r)
    local after, before, test = f.code[pc + 1], f.code[pc - 1], f.code[pc - 2]
    local op, a = bytecode.parts(after or 0)
    if (op == TEST and a == r) or (op == TESTSET and after >> 16 & 0xff == r) then
        return true
    elseif not test or before & 0x7f ~= JMP then
        return false
    end
    op, a = bytecode.parts(test)
    return (op == TEST or op == TESTSET) and a == r
end

-- The table whose field instruction pc of f reads or calls, and how it is written; nil where that is not known.
local function owner_at(f, pc, given)
    local op, _, _, b = bytecode.parts(f.code[pc])
    local name = op == GETTABUP and f.upvalues[b + 1] or bytecode.variable(f, b, pc)
    if name then
        return given[name], name
    elseif op == GETTABUP or pc == 1 then
        return nil
    end
    local before, a, _, from, key = bytecode.parts(f.code[pc - 1])
    if a ~= b then
        return nil
    elseif before == GETTABUP and f.upvalues[from + 1] == "_ENV" then
        name = f.constants[key + 1]
        return given[name], name
    elseif before == GETUPVAL then
        name = f.upvalues[from + 1]
        return given[name], name
    elseif before == GETFIELD or before == GETTABUP then
        local owner, path = owner_at(f, pc - 1, given)
        local field = owner and rawget(owner, f.constants[key + 1])
        local plain = type(field) == "table" and not debug.getmetatable(field)
        return plain and field or nil, path and ("%s.%s"):format(path, f.constants[key + 1])
    end
end

-- Globals that are tables of functions, by name, and locals that have the module by that name.
local function given_tables(script, made)
    local given = {}
    for name, value in next, _G do
        if type(name) == "string" and package.loaded[name] == value and name ~= "_G" and not made.globals[name] then
            given[name] = value
        end
    end
    given.lun = not made.globals.lun and scope.module() or nil
    bytecode.each(script, function(f)
        for _, variable in ipairs(f.locals) do
            if variable.name ~= "lun" then
                given[variable.name] = nil -- another value of that name
            end
        end
    end)
    return given
end

-- The faults of a function of the script that opens the file at `path`, to `found`.
local function look(f, path, given, made, loads, methods, found)
    local function add(line, message, hint)
        found[#found + 1] = { line = line,
            text = ("%s:%d: %s%s"):format(path, line, message, hint and "; " .. hint or "") }
    end
    for pc, instruction in ipairs(f.code) do
        local op, a, _, b, c = bytecode.parts(instruction)
        local line, name = f.lines[pc], f.constants[c + 1]
        if op == GETTABUP and f.upvalues[b + 1] == "_ENV" then
            local is_known = _G[name] ~= nil or made.globals[name] or name == "arg"
            if not is_known and not loads and not is_asked(f, pc, a) then
                add(line, ("global '%s' is never set"):format(name), failure.meant("global", name))
            end
        elseif op == GETFIELD or op == GETTABUP then
            local owner, written = owner_at(f, pc, given)
            if owner and owner[name] == nil and not made.fields[name] and not is_asked(f, pc, a) then
                add(line, ("%s has no '%s'"):format(written, name), failure.meant("field", name, owner, written))
            end
        elseif op == SELF and instruction >> 15 & 1 == 1 then
            if not methods[name] and not made.fields[name] and not loads then
                add(line, ("no value has a method '%s'"):format(name), failure.meant("method", name))
            end
        end
    end
end

-- The faults of a chunk that was loaded from the file at `path`, in order of lines: texts.
function M.faults(chunk, path)
    local script = bytecode.of(chunk)
    local made, loads = made_by(script)
    local given, methods, found = given_tables(script, made), method_names(), {}
    bytecode.each(script, function(f)
        look(f, path, given, made, loads, methods, found)
    end)
    table.sort(found, function(x, y)
        return x.line < y.line or x.line == y.line and x.text < y.text
    end)
    local texts = {}
    for i, fault in ipairs(found) do
        if not found[i - 1] or found[i - 1].text ~= fault.text then
            texts[#texts + 1] = fault.text
        end
    end
    return texts
end

return M
