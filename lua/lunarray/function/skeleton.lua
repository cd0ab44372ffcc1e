-- The part of skeletons that is in Lua: chains (lun.sequence, >>) and trees (lun.compose) are compiled to postfix
-- lists, which the binding runs; their text and their code.

local core = require "lunarray.core"
local count = require "lunarray.base.arguments"

local internal = core.internal
local describe = internal.skeleton
local methods = internal.skeleton_methods
local type_of_skeletons = internal.skeleton_type

local M = {}

local MOST_RANK <const> = 8

-- Raises a bad argument at the script's source line: `level` calls up from here.
local function misuse(argument, call, message, level)
    error(("bad argument #%d to '%s' (%s)"):format(argument, call, message), (level or 2) + 1)
end

local function check(s, argument, call)
    if not describe(s) then
        misuse(argument, call, ("skeleton expected, got %s"):format(core.internal.kind_of(s)), 3)
    elseif select(6, describe(s)) then
        misuse(argument, call, "a C function of records or complex numbers is called by itself, s(a), and is no part "
            .. "of others", 3)
    end
end

-- The skeleton that stands for a stage of a chain: itself, or map of a function (in Lua, as text, or of lun.op).
local function stage(s)
    local is_function = type(s) == "function" or type(s) == "string"
        or type(s) == "userdata" and (internal.describe(s) or internal.variant_texts(s))
    return is_function and core.map(s) or s
end

-- ---------------------------------------------------------------- programs

-- A program keeps its parts: { s1, s2, ... } of a chain, { root = s, children = {...} } of a tree. Its list is made of
-- them when it is first needed, so that making a chain step by step takes as long as the chain is.

-- Instead of an argument: the value on the stack.
local VALUE <const> = {}

-- Whether x, an element of a list, is an array or a number, and no skeleton.
local function is_constant(x)
    return math.type(x) ~= nil or core.isarray(x)
end

-- A task for s, in whose list children[k] replaces the k-th argument, if there is one.
local function task(s, children)
    return { s = s, children = children }
end

-- The tasks of a tree's branches for the arguments of its root.
local function branches(parts, leaves, children)
    local result, taken = {}, 0
    for k = 1, leaves do
        local child = parts.children[k]
        if is_constant(child) then
            result[k] = { done = child }
        elseif child then
            local _, own = describe(child)
            result[k] = task(child, children and table.move(children, taken + 1, taken + own, 1, {}))
            taken = taken + own
        else
            taken = taken + 1
            result[k] = children and children[taken]
        end
    end
    return result
end

-- The postfix list of a program: skeletons, and false for an argument.
local function list_of(program)
    local list, todo = {}, { task(program) }
    while #todo > 0 do
        local t = table.remove(todo)
        if t == false or t.done then
            list[#list + 1] = t and t.done
        elseif t ~= VALUE then
            local _, leaves, is_program, parts = describe(t.s)
            if not is_program then
                todo[#todo + 1] = { done = t.s }
                for k = leaves, 1, -1 do
                    todo[#todo + 1] = t.children and t.children[k] or false
                end
            elseif parts.root then
                local _, root_leaves = describe(parts.root)
                todo[#todo + 1] = task(parts.root, branches(parts, root_leaves, t.children))
            else
                for i = #parts, 2, -1 do
                    todo[#todo + 1] = task(parts[i], { VALUE })
                end
                todo[#todo + 1] = task(parts[1], t.children)
            end
        end
    end
    return list
end

-- ---------------------------------------------------------------- chains

-- lun.sequence(s1, s2, ...): s2(s1(A)) and so on; a function is a stage as lun.map of it is.
function M.sequence(...)
    local given = select("#", ...)
    if given == 0 then
        misuse(1, "sequence", "skeleton expected, got no value")
    end
    local steps, first, length = { ... }, nil, 1
    for i = 1, given do
        steps[i] = stage(steps[i])
        check(steps[i], i, "sequence")
        local name, leaves, _, _, own = describe(steps[i])
        first = first or leaves
        if i > 1 and leaves ~= 1 then
            misuse(i, "sequence", ("%s takes %d arrays, but receives one from the left"):format(name, leaves))
        end
        length = length + own - 1
    end
    return internal.program("sequence", first, length, steps, list_of)
end

function type_of_skeletons.__shr(a, b)
    a, b = stage(a), stage(b)
    for i, s in ipairs { describe(a) and a or false, describe(b) and b or false } do
        if not s then
            misuse(i, ">>", ("skeleton expected, got %s"):format(core.internal.kind_of(i == 1 and a or b)))
        end
    end
    local name, leaves = describe(b)
    if leaves ~= 1 then
        misuse(2, ">>", ("%s takes %d arrays, but receives one from the left"):format(name, leaves))
    end
    return M.sequence(a, b)
end

internal.variant_type.__shr = type_of_skeletons.__shr

-- ---------------------------------------------------------------- trees

local function tree(root, children)
    local _, leaves, _, _, length = describe(root)
    for _, child in pairs(children) do
        local own, steps = 0, 1
        if not is_constant(child) then
            own, steps = select(2, describe(child)), select(5, describe(child))
        end
        leaves, length = leaves + own - 1, length + steps - 1
    end
    return internal.program("compose", leaves, length, { root = root, children = children }, list_of)
end

-- lun.compose(root): a tree to which left, right and only add branches.
function M.compose(root, ...)
    count("compose", 1, root, ...)
    check(root, 1, "compose")
    return tree(root, {})
end

-- The tree c with s as branch k of its root, which has to take `leaves` arrays.
local function attach(c, s, call, k, leaves)
    check(s, 1, call)
    local name, _, is_program, parts = describe(c)
    if not name or not is_program or not parts.root then
        misuse(1, call, "branches can only be added to the result of lun.compose(root)")
    end
    local root_name, root_leaves = describe(parts.root)
    if root_leaves ~= leaves then
        local use = root_leaves == 1 and "use only" or root_leaves == 2 and "use left and right"
            or "only a root of one or two arrays can have branches"
        misuse(1, call, ("the root, %s, takes %d array%s: %s"):format(root_name, root_leaves,
            root_leaves == 1 and "" or "s", use))
    elseif parts.children[k] then
        misuse(1, call, ("the root already has a '%s' branch"):format(call))
    end
    local children = { [1] = parts.children[1], [2] = parts.children[2] }
    children[k] = s
    return tree(parts.root, children)
end

function methods.left(c, s, ...)
    count("left", 1, s, ...)
    return attach(c, s, "left", 1, 2)
end

function methods.right(c, s, ...)
    count("right", 1, s, ...)
    return attach(c, s, "right", 2, 2)
end

function methods.only(c, s, ...)
    count("only", 1, s, ...)
    return attach(c, s, "only", 1, 1)
end

-- ---------------------------------------------------------------- operators

-- s + t, s + a, a + s and so on of skeletons, arrays and numbers: a tree whose root is the operation, and in which an
-- array or a number is itself; -s and ~s are chains.
local OPERATORS = { add = "+", sub = "-", mul = "*", div = "/", idiv = "//", mod = "%", pow = "^", band = "&",
    bor = "|", bxor = "~" }
local offers = {}

for name, sign in pairs(OPERATORS) do
    offers[name] = function(a, b)
        for i, x in ipairs { a, b } do
            if not describe(x) and not is_constant(x) then
                misuse(i, sign, ("skeleton, array or number expected, got %s"):format(core.internal.kind_of(x)))
            end
        end
        return tree(core.zip(sign), { a, b })
    end
    type_of_skeletons["__" .. name] = offers[name]
end

for event, operation in pairs { __unm = core.op.neg, __bnot = core.op.bnot } do
    type_of_skeletons[event] = function(s)
        return M.sequence(s, core.map(operation))
    end
end

type_of_skeletons.__operators = offers

-- ---------------------------------------------------------------- text

local function text_of_function(f)
    if f == nil then
        return "a packed function"
    elseif type(f) ~= "string" then
        return tostring(f)
    end
    f = f:gsub("%s+", " ")
    return '"' .. (#f > 40 and f:sub(1, 37) .. "..." or f) .. '"'
end

-- The text of one skeleton; the names in the text of a program are those of its parts.
function type_of_skeletons.__tostring(s)
    local name, leaves, is_program, what = describe(s)
    if not name then
        return "lunarray.skeleton"
    elseif not is_program then
        return ("%s(%s)"):format(name, text_of_function(what))
    end
    local steps = {}
    for i, step in ipairs(list_of(s)) do
        steps[i] = core.isarray(step) and core.internal.kind_of(step) or step and tostring(step) or "array"
    end
    return ("%s of %d array%s: %s"):format(name, leaves, leaves == 1 and "" or "s", table.concat(steps, " "))
end

-- ---------------------------------------------------------------- code

local DTYPES = {
    bool = "bool", char = "i8", short = "i16", int = "i32", long = "i64", float = "f32", double = "f64",
    uchar = "u8", ushort = "u16", uint = "u32", ulong = "u64",
    int8_t = "i8", int16_t = "i16", int32_t = "i32", int64_t = "i64",
    uint8_t = "u8", uint16_t = "u16", uint32_t = "u32", uint64_t = "u64",
}

-- The dtype of a C parameter such as "const unsigned int *p", f64 for a type of the text's.
local function dtype_of(parameter)
    local dtype, unsigned
    for word in parameter:gmatch "[%a_][%w_]*" do
        dtype = dtype or DTYPES[word]
        unsigned = unsigned or word == "unsigned"
    end
    if unsigned then
        return ((dtype or "i32"):gsub("^i", "u"))
    end
    return dtype or "f64"
end

-- The parameters of the function in a C text, as texts.
local function parameters_of(text)
    text = text:gsub("/%*.-%*/", " "):gsub("//[^\n]*", " ")
    local inside = text:match "<f>%s*(%b())" or text:match "%f[%w_]f%s*(%b())" or text:match "%b()"
    local parameters = {}
    for parameter in (inside or "()"):sub(2, -2):gmatch "[^,]+" do
        parameters[#parameters + 1] = parameter
    end
    return parameters
end

local function read_file(path)
    local file = io.open(path, "rb")
    local text = file and file:read "a" or ""
    if file then
        file:close()
    end
    return text
end

local function is_c(text)
    return text:find("{", 1, true) or text:find "^%s*%("
end

-- A small array of that rank.
local function small(dtype, rank)
    local shape = { 2 }
    for k = 2, rank do
        shape[k] = 1
    end
    return core.zeros(shape, dtype)
end

-- Example arguments: small arrays of that rank and zeros, of the dtypes of a C function's parameters, or of `dtype`.
local function examples(s, dtype, rank)
    local _, leaves, _, what = describe(s)
    local parameters = {}
    if type(what) == "string" and is_c(what) then
        parameters = parameters_of(what)
    elseif type(what) == "string" and what:find "^[./]." then
        parameters = parameters_of(read_file(what))
    end
    local arguments = {}
    for i = 1, math.max(leaves, #parameters) do
        local parameter = parameters[i]
        local is_array = i <= leaves or parameter:find "[*%[]"
        arguments[i] = is_array and small(parameter and dtype_of(parameter) or dtype, rank) or 0
    end
    return table.unpack(arguments)
end

-- s:source([backend]): the code that a call runs; if the function does not fix its dtypes, for f64, or for i64 if it
-- takes only integers.
function methods.source(s, backend, ...)
    count("source", 1, backend, ...)
    if not describe(s) then
        misuse(1, "source", ("skeleton expected, got %s"):format(core.internal.kind_of(s)))
    end
    local name, failure = describe(s), nil
    local least = name == "allpairs" and 2 or 1
    for rank = least, name == "stencil" and MOST_RANK or least do
        for _, dtype in ipairs { "f64", "i64" } do
            local ok, result = pcall(function()
                return s(examples(s, dtype, rank))
            end)
            if ok then
                return result:source(backend)
            end
            failure = failure or result
        end
    end
    error(failure, 0)
end

return M
