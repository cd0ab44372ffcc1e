-- What a Lua function consists of, by the binary chunk of Lua 5.4 that string.dump writes: instructions with their
-- lines, constants, names of variables, functions inside. Knows nothing of arrays.

local bytecode = {}

local HEADER = 4 + 1 + 1 + 6 + 3 + 8 + 8 + 1 -- up to the first function

-- A number of variable length at `at`, and where the next thing is.
local function number(s, at)
    local x = 0
    while true do
        local byte = s:byte(at)
        x, at = x << 7 | byte & 0x7f, at + 1
        if byte >= 0x80 then
            return x, at
        end
    end
end

-- A text, nil where there is none, and where the next thing is.
local function text(s, at)
    local size
    size, at = number(s, at)
    if size == 0 then
        return nil, at
    end
    return s:sub(at, at + size - 2), at + size - 1
end

local BYTES = { [3] = "<i8", [19] = "<n" } -- of an integer, of a float

local function constants(s, at)
    local list = {}
    local count, first = number(s, at)
    at = first
    for k = 1, count do
        local kind = s:byte(at)
        if BYTES[kind] then
            list[k], at = BYTES[kind]:unpack(s, at + 1)
        elseif kind == 4 or kind == 20 then
            list[k], at = text(s, at + 1)
        else -- nil, false, true
            list[k], at = kind == 17 or nil, at + 1
        end
    end
    return list, at
end

-- The line of each instruction from a function's lines, as differences, of which -128 is none: that one is in a list.
local function lines(s, at, first)
    local list, far = {}, {}
    local count, differences = number(s, at)
    local more
    more, at = number(s, differences + count)
    for _ = 1, more do
        local pc
        pc, at = number(s, at)
        far[pc], at = number(s, at)
    end
    local line = first
    for pc = 0, count - 1 do
        local difference = ("b"):unpack(s, differences + pc)
        line = difference == -128 and far[pc] or line + difference
        list[pc + 1] = line
    end
    return list, at
end

-- The function at `at`, and where the next thing is.
local function read(s, at)
    local f = { code = {}, inner = {}, locals = {}, upvalues = {} }
    local count
    f.source, at = text(s, at)
    f.first, at = number(s, at)
    f.last, at = number(s, at)
    f.parameters = s:byte(at)
    count, at = number(s, at + 3)
    for pc = 1, count do
        f.code[pc], at = ("<I4"):unpack(s, at)
    end
    f.constants, at = constants(s, at)
    count, at = number(s, at)
    at = at + 3 * count
    count, at = number(s, at)
    for k = 1, count do
        f.inner[k], at = read(s, at)
    end
    f.lines, at = lines(s, at, f.first)
    count, at = number(s, at)
    for k = 1, count do
        local name, from, to
        name, at = text(s, at)
        from, at = number(s, at)
        to, at = number(s, at)
        f.locals[k] = { name = name, from = from, to = to } -- numbers of instructions from 0
    end
    count, at = number(s, at)
    for k = 1, count do
        f.upvalues[k], at = text(s, at)
    end
    return f, at
end

-- The function f: code, a list of numbers; lines, one for each; constants; locals {name, from, to}; upvalues, names;
-- inner, functions of the same form; first and last line.
function bytecode.of(f)
    return (read(string.dump(f), HEADER + 1))
end

-- The parts of an instruction: operation, A, k, B, C.
function bytecode.parts(i)
    return i & 0x7f, i >> 7 & 0xff, i >> 15 & 1 == 1, i >> 16 & 0xff, i >> 24 & 0xff
end

-- The name of the local variable in register r at instruction pc of f, from 1; nil for none.
function bytecode.variable(f, r, pc)
    for _, variable in ipairs(f.locals) do
        if variable.from >= pc then
            return nil
        elseif pc <= variable.to then
            if r == 0 then
                return variable.name
            end
            r = r - 1
        end
    end
end

-- Calls visit(g) for f and all functions inside.
function bytecode.each(f, visit)
    local list = { f }
    for _, g in ipairs(list) do
        visit(g)
        for _, inner in ipairs(g.inner) do
            list[#list + 1] = inner
        end
    end
end

return bytecode
