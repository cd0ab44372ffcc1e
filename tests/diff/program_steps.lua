-- The steps of random programs (programs.lua): each adds lines to the text and does the same to the model.
-- A step that does not suit the variables there are adds nothing.

local dtypes = require "diff.dtypes"
local operands = require "diff.operands"
local oracle = require "diff.oracle"
local programs = require "diff.programs"
local functions = require "diff.program_functions"

local steps = {}

local function vector(a)
    return #a.shape == 1
end

local function ranked(a)
    return #a.shape > 1
end

local function writable(a)
    return #a.shape > 0
end

-- ---------------------------------------------------------------- new arrays

-- A shape with p.length elements, or about so many.
local function some_shape(p)
    local g, n = p.g, p.length
    local kind = g.pick(10)
    if kind <= 5 then
        return { n }
    elseif kind == 6 then
        return { 1 }
    elseif n % 2 == 0 and kind <= 8 then
        return { 2, n // 2 }
    elseif n % 4 == 0 then
        return { n // 4, 2, 2 }
    elseif kind == 9 then
        return { n, 1 }
    end
    return { g.pick(n + 2) - 1 }
end

local function shape_text(shape)
    if #shape == 1 then
        return tostring(shape[1])
    end
    return "{" .. table.concat(shape, ", ") .. "}"
end

local function random_list(g, t, n)
    local list, special = {}, operands.special(t)
    for i = 1, n do
        list[i] = g.pick(4) == 1 and g.one_of(special) or operands.random(t, g)
    end
    return list
end

local function bytes_text(t, list)
    return "b'" .. dtypes.pack(t, list):gsub(".", function(c) return ("%02x"):format(c:byte()) end) .. "'"
end

-- A number for elements of dtype t.
local function start_of(t, g)
    if t.kind == "bool" then
        return g.pick(2) == 1
    end
    return t.is_float and 1.5 or g.pick(100)
end

-- Elements of a table, or of bytes.
function steps.leaf(p)
    local g = p.g
    local t, shape = g.one_of(dtypes.list), some_shape(p)
    if g.pick(3) > 1 then
        t = g.one_of { dtypes.f64, dtypes.i64, dtypes.f32, dtypes.i32, dtypes.u8 }
    end
    local a = programs.array(t, shape, {})
    a.buf = random_list(g, t, a.n)
    if #shape == 1 and not t.is_wide and a.n < 300 and g.pick(2) == 1 then
        local texts = {}
        for i, x in ipairs(a.buf) do
            texts[i] = programs.number_text(x)
        end
        p:define(a, ("lun.vector({%s}, %q)"):format(table.concat(texts, ", "), t.name))
    else
        p:define(a, ("bytes(%s, %q, {%s})"):format(bytes_text(t, a.buf), t.name, table.concat(shape, ", ")))
    end
end

-- Arrays that take no memory.
function steps.virtual(p)
    local g, shape = p.g, some_shape(p)
    local kind = g.pick(4)
    if kind == 1 then
        local t = g.one_of(dtypes.list)
        local x = start_of(t, g)
        local a = programs.array(t, shape, {})
        for i = 1, a.n do
            a.buf[i] = x
        end
        p:define(a, ("lun.full(%s, %s, %q)"):format(shape_text(shape), programs.number_text(x), t.name))
        return
    end
    local first, step = g.pick(20) - 10, g.one_of { 1, 2, 3, -1, -7 }
    local a = programs.array(dtypes.i64, { p.length }, {})
    for i = 1, a.n do
        a.buf[i] = kind == 2 and i or first + (i - 1) * step
    end
    if kind == 2 then
        p:define(a, ("lun.index(%d)"):format(a.n))
    elseif a.n > 0 then
        p:define(a, ("lun.range(%d, %d, %d)"):format(first, a.buf[a.n], step))
    end
end

-- ---------------------------------------------------------------- elementwise

local names_by_arity

local function names_of(count)
    if not names_by_arity then
        names_by_arity = { {}, {}, {} }
        local describe_op, lun = require "lunarray.core".internal.describe, require "lunarray"
        for name, row in pairs(oracle.ops) do
            if not row.accuracy and not row.ordered then
                table.insert(names_by_arity[select(3, describe_op(lun.op[name]))], name)
            end
        end
        for _, list in ipairs(names_by_arity) do
            table.sort(list)
        end
    end
    return names_by_arity[count]
end

local symbols = { add = "+", sub = "-", mul = "*", div = "/", idiv = "//", mod = "%", band = "&", bor = "|",
    bxor = "~", shl = "<<", shr = ">>" }

-- What an operation on variables gives: array and code, or nil.
local function elementwise(p)
    local g = p.g
    local count = g.one_of { 1, 2, 2, 2, 2, 3 }
    local row = oracle.ops[g.one_of(names_of(count))]
    local args, texts = {}, {}
    local first, array = p:any()
    args[1], texts[1] = array, first
    for k = 2, count do
        local other, b = p:any(function(c)
            return programs.meet { array, c }
        end)
        args[k], texts[k] = b, other
    end
    if count > 1 and g.pick(4) == 1 then
        local k = row.rule == "selection" and 1 + g.pick(2) or g.pick(count)
        local x = p:number(args[k % count + 1].t)
        if x then
            args[k], texts[k] = x, x.name
        end
    end
    if row.trap and args[2].shape and args[2].t.is_integer and args[1].shape then
        args[2] = programs.compute(oracle.ops.bor, { args[2], { number = 1 } })
        texts[2] = "(" .. texts[2] .. " | 1)"
    end
    local result = programs.compute(row, args)
    if not result then
        return nil
    end
    local code
    if symbols[row.name] and g.pick(2) == 1 then
        code = ("(%s %s %s)"):format(texts[1], symbols[row.name], texts[2])
    elseif args[1].shape and g.pick(2) == 1 and row.name ~= "sub" then
        code = ("%s:%s(%s)"):format(texts[1], row.name, table.concat(texts, ", ", 2))
    else
        code = ("lun.%s(%s)"):format(row.name, table.concat(texts, ", "))
    end
    return result, programs.settle(row, result, code)
end

function steps.operation(p)
    local a, code = elementwise(p)
    if a then
        p:define(a, code)
    end
end

function steps.cast(p)
    local name, a = p:any()
    local t = p.g.one_of(dtypes.list)
    p:define(programs.array(t, a.shape, programs.convert(programs.elements(a), a.t, t)),
        ("%s:cast %q"):format(name, t.name))
end

-- ---------------------------------------------------------------- parts

-- The indices that v:sub(i, j, step) takes, by the rules of string.sub.
local function indices(n, i, j, step)
    i = i < 0 and n + i + 1 or i
    j = j < 0 and n + j + 1 or j
    local list = {}
    if step > 0 then
        for k = math.max(i, 1), math.min(j, n), step do
            list[#list + 1] = k
        end
    else
        for k = math.min(i, n), math.max(j, 1), step do
            list[#list + 1] = k
        end
    end
    return list
end

-- A window of an array shares its elements, one of an expression is a value.
function steps.sub(p)
    local g = p.g
    local a, code
    if g.pick(3) == 1 then
        a, code = elementwise(p)
    else
        local name
        name, a = p:any()
        code = name .. ":eval()"
    end
    if not a or not writable(a) then
        return
    end
    local n = a.shape[1]
    local i, j = g.pick(2 * n + 2) - n - 1, g.pick(2 * n + 2) - n - 1
    local step = vector(a) and g.one_of { 1, 1, 1, 2, 3, -1, -2, -5 } or 1
    if step > 0 and i == 0 or step < 0 and j == 0 then
        i, j = step > 0 and 1 or n, step > 0 and n or 1
    end
    local row, list, taken = n > 0 and a.n // n or 0, {}, indices(n, i, j, step)
    for _, k in ipairs(taken) do
        for at = (k - 1) * row + 1, k * row do
            list[#list + 1] = at
        end
    end
    local shape = { table.unpack(a.shape) }
    shape[1] = #taken
    p:define(programs.window(a, shape, list),
        step == 1 and ("%s:sub(%d, %d)"):format(code, i, j) or ("%s:sub(%d, %d, %d)"):format(code, i, j, step))
end

function steps.concat(p)
    local name, a = p:any(writable)
    if not a then
        return
    end
    local other, b = p:any(function(c)
        return dtypes.common(a.t, c.t) ~= dtypes.none and #c.shape == #a.shape
            and programs.same_shape({ table.unpack(c.shape, 2) }, { table.unpack(a.shape, 2) })
            and c.n + a.n <= 4 * p.length + 8
    end)
    if not other then
        return
    end
    local t = dtypes.common(a.t, b.t)
    local list = programs.convert(programs.elements(a), a.t, t)
    table.move(programs.convert(programs.elements(b), b.t, t), 1, b.n, #list + 1, list)
    local shape = { table.unpack(a.shape) }
    shape[1] = a.shape[1] + b.shape[1]
    p:define(programs.array(t, shape, list), name .. " .. " .. other)
end

function steps.reshape(p)
    local name, a = p:any(writable)
    if not a then
        return
    end
    local shapes = { { a.n }, { 1, a.n }, { a.n, 1 } }
    if a.n % 2 == 0 then
        shapes[#shapes + 1] = { a.n // 2, 2 }
        shapes[#shapes + 1] = { 2, a.n // 2, 1 }
    end
    local shape = p.g.one_of(shapes)
    p:define(programs.array(a.t, shape, programs.elements(a)), ("%s:reshape {%s}"):format(name, table.concat(shape, ", ")))
end

-- A row: a View, through which writes go.
function steps.row(p)
    local name, a = p:any(function(c)
        return ranked(c) and c.shape[1] > 0
    end)
    if not a then
        return
    end
    local i = p.g.pick(a.shape[1])
    local shape = { table.unpack(a.shape, 2) }
    local size, list = a.n // a.shape[1], {}
    for k = 1, size do
        list[k] = (i - 1) * size + k
    end
    p:define(programs.window(a, shape, list),
        ("%s[%d]"):format(name, p.g.pick(2) == 1 and i or i - a.shape[1] - 1))
end

function steps.alias(p)
    local name, a = p:any()
    p:define(a, name)
end

function steps.copy(p)
    local name, a = p:any(writable)
    if a then
        local form = p.g.one_of { "%s:copy()", "bytes(%s:tobytes(), {of = %s})", "%s:eval():copy()" }
        p:define(programs.array(a.t, a.shape, programs.elements(a)), form:format(name, name))
    end
end

-- ---------------------------------------------------------------- reductions and scans

-- Associative operations for elements of dtype t without rounding.
local function exact(t)
    if t.kind == "bool" then
        return { "land", "lor" }
    elseif t.is_float then
        return { "min", "max", "fmin", "fmax" }
    end
    return { "add", "mul", "band", "bor", "bxor", "min", "max" }
end

function steps.scan(p)
    local g = p.g
    local name, a = p:any(writable)
    if not a then
        return
    end
    local op = g.one_of(exact(a.t))
    local row, start, t = oracle.ops[op], start_of(a.t, g), oracle.folded(op, a.t)
    local f, inclusive = oracle.element(row, t), g.pick(2) == 1
    local list, carry = {}, start
    for i, x in ipairs(programs.elements(a)) do
        list[i] = carry
        carry = f(t, carry, x)
        if inclusive then
            list[i] = carry
        end
    end
    local result = programs.array(t, a.shape, list)
    local options = inclusive and ", {inclusive = true}" or ""
    local code = g.pick(2) == 1 and ("%s:scan(%q, %s%s)"):format(name, op, programs.number_text(start), options)
        or ("lun.scan(%q, %s%s)(%s)"):format(op, programs.number_text(start), options, name)
    p:define(result, programs.settle(row, result, code))
end

-- A reduction by an operation: a Scalar.
function steps.reduce(p)
    local g = p.g
    local name, a = p:any()
    local op = g.one_of(exact(a.t))
    local row, start, t = oracle.ops[op], start_of(a.t, g), oracle.folded(op, a.t)
    local f, x = oracle.element(row, t), start
    for _, y in ipairs(programs.elements(a)) do
        x = f(t, x, y)
    end
    local result = programs.array(t, {}, { x })
    p:define(result, programs.settle(row, result, ("%s:reduce(%q, %s)"):format(name, op, programs.number_text(start))))
end

local totals = {}
function totals.sum(a)
    local s = 0
    for i = 1, a.n do
        s = s + programs.element(a, i)
    end
    return s
end
function totals.prod(a)
    local s = 1
    for i = 1, a.n do
        s = s * programs.element(a, i)
    end
    return s
end
function totals.min(a)
    local m = programs.element(a, 1)
    for i = 2, a.n do
        m = oracle.less(a.t, programs.element(a, i), m) and programs.element(a, i) or m
    end
    return m
end
function totals.max(a)
    local m = programs.element(a, 1)
    for i = 2, a.n do
        m = oracle.less(a.t, m, programs.element(a, i)) and programs.element(a, i) or m
    end
    return m
end
function totals.argmin(a)
    local m = totals.min(a)
    for i = 1, a.n do
        if programs.element(a, i) == m then
            return i
        end
    end
end
function totals.count(a)
    local n = 0
    for i = 1, a.n do
        n = programs.element(a, i) ~= 0 and n + 1 or n
    end
    return n
end

-- A reduction of integers to a number, which the program uses later; or to a lazy Scalar.
function steps.total(p)
    local g = p.g
    local name, a = p:any(function(c)
        return c.t.is_integer and c.n > 0
    end)
    if not a then
        return
    end
    local kind = g.one_of { "sum", "prod", "min", "max", "argmin", "count" }
    local x = totals[kind](a)
    if kind ~= "argmin" and g.pick(2) == 1 then
        local t = kind == "count" and dtypes.i64 or (kind == "min" or kind == "max") and a.t
            or a.t.kind == "signed" and dtypes.i64 or dtypes.u64
        p:define(programs.array(t, {}, { x }), ("%s:lazy %q"):format(name, kind))
        return
    end
    p.made = p.made + 1
    p.numbers[#p.numbers + 1] = { name = "n" .. p.made, value = x }
    p:emit("n%d = number(%s:%s(), %s)", p.made, name, kind, programs.number_text(x))
end

-- ---------------------------------------------------------------- writing

function steps.write(p)
    local g = p.g
    local name, a = p:any(function(c)
        return writable(c) and c.n > 0
    end)
    if not a then
        return
    end
    local x = operands.random(a.t, g)
    if a.t.is_wide then
        x = x >> 1
    end
    local text = programs.number_text(x)
    if g.pick(4) == 1 then
        for i = 1, a.n do
            programs.write(a, i, x)
        end
        p:emit(g.pick(2) == 1 and "%s:fill(%s)" or "%s:set(%s)", name, text)
        return
    end
    local at, path, size = 0, "", a.n
    for _, extent in ipairs(a.shape) do
        local i = g.pick(extent)
        size = size // extent
        at = at + (i - 1) * size
        path = path .. ("[%d]"):format(g.pick(2) == 1 and i or i - extent - 1)
    end
    programs.write(a, at + 1, x)
    p:emit("%s%s = %s", name, path, text)
end

-- An expression into elements there are, its own operand perhaps.
function steps.set(p)
    local b, code = elementwise(p)
    if not b then
        return
    end
    local name, a = p:any(function(c)
        return writable(c) and (programs.same_shape(c.shape, b.shape) or #b.shape == 0)
    end)
    if not a then
        return
    end
    local list = programs.convert(b.buf, b.t, a.t)
    for i = #list + 1, a.n do
        list[i] = list[1]
    end
    programs.store(a, list)
    p:emit("%s:set(%s)", name, code)
end

-- ---------------------------------------------------------------- looking, evaluating, forgetting

function steps.look(p)
    local g = p.g
    local name, a = p:any()
    local form = g.pick(8)
    if form == 1 then
        p:emit("%s:eval()", name)
    elseif form == 2 then
        p:emit("lun.eval(%s, %s, %s)", name, (p:any()), (p:any()))
    elseif form == 3 then
        p:emit("shown(%s)", name)
    elseif form == 4 and a.n > 0 and #a.shape == 1 then
        local i = g.pick(a.n)
        p:emit("number(%s[%d], %s)", name, i, programs.number_text(programs.element(a, i)))
    elseif form == 5 and a.n > 0 and #a.shape > 0 then
        local i = g.pick(a.n)
        p:emit("number(%s:read(%d, 1)[1], %s)", name, i, programs.number_text(programs.element(a, i)))
    elseif form == 6 then
        p:emit("collectgarbage()")
    elseif form == 7 and p.options.uses then
        p:emit("lun.use %q", g.one_of(p.options.uses))
    else
        p:check(name)
    end
end

function steps.drop(p)
    local name, a = p:any()
    if p.g.pick(3) == 1 and not p:shared(a) then
        p:emit("%s:free()", name)
    end
    p:emit("%s = nil", name)
    p:forget(name)
end

-- Through a file: loaded, or left there.
function steps.file(p)
    local g = p.g
    local name, a = p:any(writable)
    if not a or not p.options.directory then
        return
    end
    p.files = p.files % 3 + 1
    local raw = g.pick(3) == 1 or a.t.name == "bf16" -- which .npy files have no code for
    local path = ("dir .. '/%d.%s'"):format(p.files, raw and "raw" or "npy")
    local options = raw and (", {dtype = %q, shape = {%s}}"):format(a.t.name, table.concat(a.shape, ", ")) or ""
    p:emit("assert(lun.save(%s, %s))", path, name)
    p:define(programs.array(a.t, a.shape, programs.elements(a)),
        ("assert(lun.%s(%s%s))"):format(g.one_of { "open", "open", "load" }, path, options))
end

-- ---------------------------------------------------------------- mistakes, which must change nothing

function steps.mistake(p)
    local name, a = p:any(function(c)
        return c.t.is_integer and c.n > 1 and #c.shape == 1
    end)
    if not a then
        return
    end
    local zero = p.g.pick(a.n)
    local forms = {
        "fails('n//0', function() return (A // 0):eval() end)",
        "fails('n//0', function() A:set(A // lun.where(lun.index(N):eq(Z), 0, 1):cast(A:dtype())) end)",
        "fails('n%%0', function() A[1] = (A % lun.where(lun.index(N):eq(Z), 0, 1):cast(A:dtype())):reduce('+', 0) end)",
        "fails('n//0', function() lun.map(function(x, d) return x // d[1] end):run{A, lun.zeros(1, 'i64'), out = A} end)",
        "fails('out of range', function() lun.map(function(x, w) return w[9] end):run{A, lun.ones(2), out = A} end)",
        "fails('engths differ', function() return A + lun.ones(A:size() + 1) end)",
        "fails('out of range', function() A[#A + 1] = 1 end)",
        "fails('', function() A:set(lun.ones(#A + 1)) end)",
        "fails('', function() A:fill('x') end)",
    }
    local form = p.g.one_of(forms)
    p:emit((form:gsub("A", name):gsub("N", tostring(a.n)):gsub("Z", programs.number_text(zero))))
end

-- ---------------------------------------------------------------- any step

local weighted = {
    { 4, steps.leaf }, { 4, steps.virtual }, { 40, steps.operation }, { 6, steps.cast }, { 8, steps.sub },
    { 4, steps.concat }, { 5, steps.reshape }, { 6, steps.row }, { 1, steps.alias }, { 3, steps.copy }, { 4, steps.scan },
    { 3, steps.reduce }, { 4, steps.total }, { 10, steps.write }, { 6, steps.set }, { 12, steps.look }, { 3, steps.drop },
    { 2, steps.file }, { 2, steps.mistake }, { 5, functions.map }, { 4, functions.zip }, { 3, functions.change },
    { 2, functions.fold }, { 3, functions.run },
}
local total_weight = 0
for _, row in ipairs(weighted) do
    total_weight = total_weight + row[1]
end

function steps.step(p)
    if #p.names < 3 then
        return steps.leaf(p)
    end
    local k = p.g.pick(total_weight)
    for _, row in ipairs(weighted) do
        k = k - row[1]
        if k <= 0 then
            return row[2](p)
        end
    end
end

return steps
