-- Whether a line of a script compares an unknown number with == or uses one as a key, where Lua asks no metamethod: by
-- the instructions of the line and the values of its variables.

local bytecode = require "lunarray.base.bytecode"
local unknown = require "lunarray.plan.unknown"

local M = {}

-- Operations of Lua 5.4's machine.
local MOVE, LOADI, LOADNIL, GETUPVAL, GETTABUP, GETTABLE, GETFIELD, SETTABLE, SELF = 0, 1, 8, 9, 11, 12, 14, 16, 20
local ADDI, NOT, LEN, EQ, EQK, EQI, CALL = 21, 51, 52, 57, 60, 61, 68
local OPERATORS = { two = { 34, 45 }, one = { ADDI, 33 } }

-- Methods that give no number which only running tells.
local PLAIN = { dtype = true, kind = true, layout = true, shape = true, size = true, has = true, names = true }

local known = {} -- functions that give no unknown value

-- So does f.
function M.knows(f)
    known[f] = true
end

local sites_of = setmetatable({}, { __mode = "k" }) -- function -> the functions' form, and its sites by line

-- The sites of a function: by line, lists of { instruction, register }.
local function sites(f)
    if not sites_of[f] then
        local form, list = bytecode.of(f), {}
        for pc, instruction in ipairs(form.code) do
            local op, a, _, b, c = bytecode.parts(instruction)
            local registers = op == EQ and { a, b } or op == EQI and { a } or op == GETTABLE and { c }
                or op == SETTABLE and { b } or op == EQK and form.constants[b + 1] ~= nil and { a } or {}
            for _, r in ipairs(registers) do
                local line = form.lines[pc]
                list[line] = list[line] or {}
                table.insert(list[line], { pc = pc, register = r })
            end
        end
        sites_of[f] = { form = form, lines = list }
    end
    return sites_of[f]
end

-- Values of the frame `level` functions above the caller: of a register that is a variable, of an upvalue.
local function variable(level, r)
    return select(2, debug.getlocal(level + 1, r + 1))
end

-- Whether what the call at instruction pc, of the function in register r, gives may be unknown.
local function called(form, r, pc)
    for k = pc - 1, 1, -1 do
        local op, a, _, b, c = bytecode.parts(form.code[k])
        local before, to, _, from, key = bytecode.parts(form.code[k - 1] or 0)
        if a == r and op == SELF then
            return not PLAIN[form.constants[c + 1]]
        elseif a == r and op == GETTABUP and form.upvalues[b + 1] == "_ENV" then
            return not known[rawget(_G, form.constants[c + 1]) or 0]
        elseif a == r and op == GETFIELD and before == GETTABUP and to == b and form.upvalues[from + 1] == "_ENV" then
            local library = rawget(_G, form.constants[key + 1])
            return type(library) ~= "table" or not known[rawget(library, form.constants[c + 1]) or 0]
        elseif a == r then
            return true
        end
    end
    return true
end

-- Whether the value in register r before instruction pc may be unknown. x: function and form of the frame, which is
-- `level` functions above this one: so no call here is a tail call.
local function may_be(x, r, pc, level)
    local form = x.form
    if bytecode.variable(form, r, pc) then
        return unknown.kind(variable(level + 1, r)) ~= nil
    end
    for k = pc - 1, 1, -1 do
        local op, a, _, b, c = bytecode.parts(form.code[k])
        if op == CALL and a <= r then
            return called(form, a, k)
        elseif a == r then
            if op == MOVE then
                return (may_be(x, b, k, level + 1))
            elseif op >= LOADI and op <= LOADNIL or op == NOT or op == LEN then
                return false
            elseif op == GETTABUP and form.upvalues[b + 1] == "_ENV" then
                return unknown.kind(_G[form.constants[c + 1]]) ~= nil
            elseif op == GETUPVAL then
                return unknown.kind(select(2, debug.getupvalue(x.f, b + 1))) ~= nil
            elseif op == GETFIELD and bytecode.variable(form, b, k) then
                local owner = variable(level + 1, b)
                return type(owner) ~= "table" or debug.getmetatable(owner) ~= nil
                    or unknown.kind(rawget(owner, form.constants[c + 1])) ~= nil
            elseif op >= OPERATORS.one[1] and op <= OPERATORS.one[2] then
                return (may_be(x, b, k, level + 1))
            elseif op >= OPERATORS.two[1] and op <= OPERATORS.two[2] then
                return may_be(x, b, k, level + 1) or may_be(x, c, k, level + 1)
            end
            return true
        end
    end
    return true
end

-- Whether the line that the frame `level` functions above the caller is in asks so.
function M.asks(level)
    local info = debug.getinfo(level + 1, "Slf")
    if not info or info.what == "C" or info.source:find "^@lua/lunarray/" then
        return false
    end
    local asked = sites(info.func)
    for _, site in ipairs(asked.lines[info.currentline] or {}) do
        if may_be({ f = info.func, form = asked.form }, site.register, site.pc, level + 1) then
            return true
        end
    end
    return false
end

return M
