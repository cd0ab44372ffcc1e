-- Random plain Lua functions, well typed, with all the control flow there is. Each is a text that
-- gives the function; the same seed and number give the same function.
--
--   local gen = dofile "tests/fuzz/luafn_gen.lua"
--   gen.program(seed, number, options, count)  -> text, captured, rows (see there)
--   gen.check(count)                           the VM against compile() of luafn_test.c
--   gen.fuzz(seconds)                          the same, for make fuzz
--
-- With f64 and i64 every operation has one right answer, bit for bit, so the VM decides.
-- luacheck: read globals vector compile
local M = {}

local random = math.random

local function pick(list)
    return list[random(#list)]
end

---------------------------------------------------------------- the text of one function

-- floats, ints, bools: names of variables in scope; protected: not to be assigned
local floats, ints, bools, protected
local lines, indent, unique, loops, inner, closures, arrays, operations
-- whether there are m (floats, 5 x 10) and t (integers, 3 x 4 x 5); variables that are a row of m, a part of t
local ranks, parts

local real, whole, bool

local function variable(list, other)
    return #list > 0 and pick(list) or other
end

local real_literals = { "0.0", "-0.0", "1.0", "0.5", "-2.25", "1e10", "3.0", "100.0", "7.5" }
local whole_literals =
    { "0", "1", "2", "-1", "3", "7", "64", "255", "-5", "math.maxinteger", "math.mininteger" }

local real_forms = {
    function(d) return ("(%s + %s)"):format(real(d), real(d)) end,
    function(d) return ("(%s + %s)"):format(real(d), real(d)) end,
    function(d) return ("(%s - %s)"):format(real(d), real(d)) end,
    function(d) return ("(%s * %s)"):format(real(d), real(d)) end,
    function(d)
        return ("(%s / %s)"):format(random() < 0.5 and real(d) or whole(d),
            random() < 0.5 and real(d) or whole(d))
    end,
    function(d) return ("(%s // %s)"):format(real(d), real(d)) end,
    function(d) return ("(%s %% %s)"):format(real(d), pick { real(d), "3.0", "-2.5" }) end,
    function(d) return ("(- %s)"):format(real(d)) end,
    function(d) return ("math.%s(%s, %s)"):format(pick { "max", "min", "fmod" }, real(d), real(d)) end,
    function(d) return ("math.%s(%s)"):format(pick { "abs", "sqrt" }, real(d)) end,
    function(d) return ("(%s and %s or %s)"):format(bool(d), real(d), real(d)) end,
    function(d) return (arrays and "w[(%s) %% 50 + 1]" or "((%s) %% 50 + 0.5)"):format(whole(d)) end,
    function(d)
        if #closures == 0 then return real(d) end
        return ("(%s(%s, %s))"):format(pick(closures), real(d), whole(d))
    end,
    function(d) return ("(hf(%s, %s))"):format(real(d), whole(d)) end,
    function(d) return ("(%s * %s)"):format(real(d), whole(d)) end,
    function(d) return ("(%s - %s)"):format(whole(d), real(d)) end,
    function(d) return ("(%s ^ %s)"):format(real(d), pick { "2", "2.0", "1", "0" }) end,
    function(d) return ("select_real(%s, %s, %s)"):format(bool(d), real(d), real(d)) end,
    function(d) return ("(%s * 0.5 + math.floor(math.max(-1e6, math.min(1e6, %s))))"):format(real(d), real(d)) end,
}

-- The engine's operations, which the VM calls on single numbers.
local real_operations = {
    function(d) return ("lun.%s(%s, %s)"):format(pick { "min", "max", "fmin", "fmax", "mod" }, real(d), real(d)) end,
    -- not of a NaN, whose sign is any
    function(d) return ("lun.copysign(%s, lun.fmax(%s, -1e308))"):format(real(d), real(d)) end,
    function(d) return ("lun.%s(%s, %s, %s)"):format(pick { "fma", "clamp" }, real(d), real(d), real(d)) end,
    function(d) return ("lun.%s(%s)"):format(pick { "round", "trunc", "floor", "sqrt", "abs" }, real(d)) end,
    function(d) return ("lun.%s(%s)"):format(pick { "erf", "tanh", "cbrt", "exp2" }, real(d)) end,
    function(d) return ("lun.where(%s, %s, %s)"):format(bool(d), real(d), real(d)) end,
    function(d) return ("lun.%s(%s, %s)"):format(pick { "add", "mul", "div" }, real(d), whole(d)) end,
}
local whole_operations = {
    function(d) return ("lun.%s(%s, %s)"):format(pick { "min", "fmax", "add", "mul", "band", "bxor" }, whole(d), whole(d)) end,
    function(d) return ("lun.%s(%s, %s)"):format(pick { "shl", "shr" }, whole(d), pick { "5", "-3", "70", whole(d) }) end,
    function(d) return ("lun.%s(%s, (%s | 1))"):format(pick { "idiv", "mod" }, whole(d), whole(d)) end,
    function(d) return ("lun.%s(%s)"):format(pick { "sign", "abs", "neg", "bnot", "ceil" }, whole(d)) end,
    function(d) return ("lun.clamp(%s, %s, %s)"):format(whole(d), whole(d), whole(d)) end,
    function(d) return ("lun.where(%s, %s, %s)"):format(bool(d), whole(d), whole(d)) end,
}
local bool_operations = {
    function(d) return ("lun.%s(%s, %s)"):format(pick { "lt", "ge", "ne" }, real(d), real(d)) end,
    function(d) return ("lun.%s(%s, %s)"):format(pick { "le", "eq" }, whole(d), whole(d)) end,
    function(d) return ("lun.%s(%s, %s)"):format(pick { "land", "lor", "eq" }, bool(d), bool(d)) end,
    function(d) return ("lun.%s(%s)"):format(pick { "isnan", "isinf", "isfinite" }, real(d)) end,
    function(d) return ("lun.lnot(%s)"):format(bool(d)) end,
}

local function put(text, ...)
    lines[#lines + 1] = ("  "):rep(indent) .. text:format(...)
end

local function new_name(letter)
    unique = unique + 1
    return letter .. unique
end

-- Elements of m and t, and the local variables that are rows or planes of them.
local function real_element(d)
    local at = ("[(%s) %% 10 + 1]"):format(whole(d))
    if #parts.m > 0 and random() < 0.5 then return pick(parts.m) .. at end
    return ("m[(%s) %% 5 + 1]%s"):format(whole(d), at)
end

local function whole_element(d)
    local tail = ("[(%s) %% 4 + 1][(%s) %% 5 + 1]"):format(whole(d), whole(d))
    local k = random(8)
    if k == 1 then return pick { "#m", "#m[1]", "#t", "#t[2]", "#t[(n & 1) + 1][3]" } end
    if k <= 4 and #parts.t > 0 then return pick(parts.t) .. tail end
    return ("t[(%s) %% 3 + 1]%s"):format(whole(d), tail)
end

-- A local variable for a row or plane.
local function part()
    local name, of = new_name "r", pick { "m", "t" }
    put("local %s = %s[(%s) %% %d + 1]", name, of, whole(1), of == "m" and 5 or 3)
    parts[of][#parts[of] + 1] = name
end

function real(depth)
    if ranks and depth > 0 and random() < 0.25 then return real_element(depth - 1) end
    if depth <= 0 or random() < 0.2 then
        local k = random(10)
        if k <= 6 then return variable(floats, "0.25") end
        if k == 7 then return "uf" end
        if k == 8 then return "(" .. variable(ints, "1") .. " + 0.0)" end
        return pick(real_literals)
    end
    if operations and random() < 0.3 then return pick(real_operations)(depth - 1) end
    return pick(real_forms)(depth - 1)
end

local whole_forms = {
    function(d) return ("(%s + %s)"):format(whole(d), whole(d)) end,
    function(d) return ("(%s + %s)"):format(whole(d), whole(d)) end,
    function(d) return ("(%s - %s)"):format(whole(d), whole(d)) end,
    function(d) return ("(%s * %s)"):format(whole(d), whole(d)) end,
    function(d) return ("(%s // (%s | 1))"):format(whole(d), whole(d)) end,
    function(d) return ("(%s %% (%s | 1))"):format(whole(d), whole(d)) end,
    function(d) return ("math.fmod(%s, (%s | 1))"):format(whole(d), whole(d)) end,
    function(d) return ("(%s %s %s)"):format(whole(d), pick { "&", "|", "~" }, whole(d)) end,
    function(d) return ("(~%s)"):format(whole(d)) end,
    function(d) return ("(- %s)"):format(whole(d)) end,
    function(d)
        return ("(%s %s %s)"):format(whole(d), pick { "<<", ">>" },
            pick { "1", "5", "63", "-3", "70", "(" .. whole(d) .. " % 70)" })
    end,
    function(d) return ("(%s and %s or %s)"):format(bool(d), whole(d), whole(d)) end,
    function(d) return ("math.%s(%s, %s)"):format(pick { "max", "min" }, whole(d), whole(d)) end,
    function(d)
        return ("math.%s(math.max(-1000.0, math.min(1000.0, %s)))"):format(pick { "floor", "ceil" }, real(d))
    end,
    function(d) return ("hi(%s)"):format(whole(d)) end,
    function(d) return (arrays and "v[(%s) %% 50 + 1]" or "((%s) %% 50 + 1)"):format(whole(d)) end,
    function(d) return ("(%s // %s)"):format(whole(d), pick { "2", "3", "-7", "-1" }) end,
    function(d) return ("(%s %% %s)"):format(whole(d), pick { "2", "8", "3", "-7", "-1" }) end,
    function(d) return ("math.abs(%s)"):format(whole(d)) end,
    function(d) return ("%s + %s"):format(arrays and pick { "#w", "#v" } or "50", whole(d)) end,
}

function whole(depth)
    if ranks and depth > 0 and random() < 0.2 then return whole_element(depth - 1) end
    if depth <= 0 or random() < 0.2 then
        local k = random(10)
        if k <= 7 then return variable(ints, "5") end
        if k == 8 then return "ui" end
        return pick(whole_literals)
    end
    if operations and random() < 0.3 then return pick(whole_operations)(depth - 1) end
    return pick(whole_forms)(depth - 1)
end

local relations = { "<", "<=", ">", ">=", "==", "~=" }

function bool(depth)
    if operations and depth > 0 and random() < 0.3 then return pick(bool_operations)(depth - 1) end
    local k = random(13)
    if k <= 3 then return ("%s %s %s"):format(real(depth - 1), pick(relations), real(depth - 1)) end
    if k <= 6 then return ("%s %s %s"):format(whole(depth - 1), pick(relations), whole(depth - 1)) end
    if k == 7 then return ("%s %s %s"):format(whole(depth - 1), pick(relations), real(depth - 1)) end
    if k == 8 then return ("%s %s %s"):format(real(depth - 1), pick(relations), whole(depth - 1)) end
    if depth <= 0 then return pick { "true", "x < 1.0", "n == 3", "ub", variable(bools, "false") } end
    if k == 9 then return ("(%s and %s)"):format(bool(depth - 1), bool(depth - 1)) end
    if k == 10 then return ("(%s or %s)"):format(bool(depth - 1), bool(depth - 1)) end
    if k == 11 then return ("math.ult(%s, %s)"):format(whole(depth - 1), whole(depth - 1)) end
    if k == 12 then return ("(%s) == (%s)"):format(bool(depth - 1), bool(depth - 1)) end
    return ("not (%s)"):format(bool(depth - 1))
end

local statements

local function scoped(body)
    local f, i, b, c, m, t = #floats, #ints, #bools, #closures, #parts.m, #parts.t
    indent = indent + 1
    body()
    indent = indent - 1
    for list, n in pairs { [floats] = f, [ints] = i, [bools] = b, [closures] = c, [parts.m] = m, [parts.t] = t } do
        for k = #list, n + 1, -1 do list[k] = nil end
    end
end

local function free(list)
    local out = {}
    for _, name in ipairs(list) do
        if not protected[name] then out[#out + 1] = name end
    end
    return out
end

local function loop_body(depth, id)
    put("do")
    scoped(function() statements(depth - 1) end)
    put("end")
    put("::next%d::", id)
end

local function counted_for(depth, id, first, limit, step)
    put("for j%d = %s, %s%s do", id, first, limit, step and ", " .. step or "")
    scoped(function()
        protected["j" .. id] = random() < 0.8 -- it may be assigned; the loop has its own
        ints[#ints + 1] = "j" .. id
        loop_body(depth, id)
    end)
    put("end")
end

local loop_forms = {
    function(depth, id)
        put("local c%d = 0", id)
        protected["c" .. id] = true
        ints[#ints + 1] = "c" .. id
        put("while c%d < %d and %s do", id, random(12), bool(1))
        indent = indent + 1
        put("c%d = c%d + 1", id, id)
        loop_body(depth, id)
        indent = indent - 1
        put("end")
    end,
    function(depth, id)
        counted_for(depth, id, pick { "1", "0", "-2", "(n & 3)" },
            pick { "5", "(n & 7)", arrays and "(#w // 10)" or "5", "3", "ui", "4.5", "math.min(6.0, x)" })
    end,
    function(depth, id)
        counted_for(depth, id, pick { "10", "(n & 15)", "7" }, pick { "0", "2", "(n % 3)", "0.5" },
            pick { "-1", "-2", "-3" })
    end,
    function(depth, id)
        local bounds = pick {
            { "(n | 1) & 7", "20" }, { "-3", "20.5" }, { "math.maxinteger - 5", "math.maxinteger" },
            { "math.maxinteger - 5", "1e300" }, { "math.mininteger", "math.mininteger + (k & 7)" },
        }
        counted_for(depth, id, bounds[1], bounds[2], pick { "3", "(k & 1) * 2 + 2", "4" })
    end,
    function(depth, id) -- floats
        put("for g%d = %s, %s, %s do", id, pick { "0.0", "1.0", "-0.5" }, pick { "2.0", "3", "1.25" },
            pick { "0.5", "0.75", "1" })
        scoped(function()
            protected["g" .. id] = true
            floats[#floats + 1] = "g" .. id
            loop_body(depth, id)
        end)
        put("end")
    end,
    function(depth, id)
        put("local c%d = 0", id)
        protected["c" .. id] = true
        ints[#ints + 1] = "c" .. id
        put("repeat")
        indent = indent + 1
        put("c%d = c%d + 1", id, id)
        loop_body(depth, id)
        indent = indent - 1
        put("until c%d >= %d or %s", id, random(8), bool(1))
    end,
}

local function loop(depth)
    local id = tonumber(new_name(""))
    local saved = inner
    loops, inner = loops + 1, id
    loop_forms[random(#loop_forms)](depth, id)
    inner = saved
end

local function branch(depth)
    put("if %s then", bool(2))
    scoped(function() statements(depth - 1) end)
    if random() < 0.3 then
        put("elseif %s then", bool(1))
        scoped(function() statements(depth - 1) end)
    end
    if random() < 0.5 then
        put("else")
        scoped(function() statements(depth - 1) end)
    end
    put("end")
end

-- A local function that reads and assigns the variables around it.
local function closure(depth)
    local name = new_name("fn")
    local assigned = free(floats)
    put("local function %s(p1, p2)", name)
    scoped(function()
        floats[#floats + 1] = "p1"
        ints[#ints + 1] = "p2"
        local saved, at = inner, loops
        inner, loops = nil, 3
        statements(depth > 1 and 1 or 0)
        inner, loops = saved, at
        if #assigned > 0 then put("%s = %s", pick(assigned), real(2)) end
        put("return %s + 0.0, %s", real(1), whole(1))
    end)
    put("end")
    closures[#closures + 1] = name
    for _ = 1, random(2) do
        local f, i = new_name("f"), new_name("i")
        put("local %s, %s = %s(%s, %s)", f, i, name, real(1), whole(1))
        floats[#floats + 1] = f
        ints[#ints + 1] = i
    end
end

local function statement(depth)
    if ranks and random() < 0.1 then return part() end
    local k = random(23)
    local f, i, b = free(floats), free(ints), free(bools)
    if k <= 3 and #f > 0 then
        put("%s = %s", pick(f), real(3))
    elseif k <= 6 and #i > 0 then
        put("%s = %s", pick(i), whole(3))
    elseif k == 7 then
        local name = new_name("f")
        put("local %s = %s + 0.0", name, real(2))
        floats[#floats + 1] = name
    elseif k == 8 then
        local name = new_name("i")
        put("local %s = %s", name, whole(2))
        ints[#ints + 1] = name
    elseif k == 9 and #f > 1 then
        put("%s, %s = %s, %s", f[1], f[2], real(2), real(2))
    elseif k <= 12 and depth > 0 then
        branch(depth)
    elseif k <= 17 and depth > 0 and loops < 3 then
        loop(depth)
    elseif k == 18 and inner then
        put("if %s then break end", bool(2))
    elseif k == 19 and inner then
        put("if %s then goto next%d end", bool(2), inner)
    elseif k == 20 and depth < 3 then
        put("if %s then return %s + 0.0, %s, x < 2 end", bool(2), real(1), whole(1))
    elseif k == 21 then
        local name = new_name("b")
        put("local %s = %s", name, bool(2))
        bools[#bools + 1] = name
    elseif k == 22 and #b > 0 then
        put("%s = %s", pick(b), bool(2))
    elseif k == 23 and depth > 0 and #closures < 2 then
        closure(depth)
    elseif #f > 0 then
        put("%s = %s", pick(f), real(2))
    end
end

function statements(depth)
    for _ = 1, random(4) do statement(depth) end
end

local helpers = [[
local w, v, uf, ui, ub, m, t = ...
local function hi(z)
  if z > 10 then return z - 3 elseif z < 0 then return -z end
  local s = 0
  for t = 1, z do s = s + t end
  return s
end
local function hf(z, m)
  local r = z
  while m > 1 and r < 50.0 do r = r * 1.5 + 1.0; m = m >> 1 end
  return r, m
end
local function select_real(c, a, b) if c then return a end return b end
]]

local function body(with_arrays)
    lines, indent, unique, loops, inner, closures, arrays = {}, 1, 0, 0, nil, {}, with_arrays
    parts = { m = {}, t = {} }
    floats, ints, bools, protected = { "x", "y" }, { "n", "k" }, {}, {}
    put("local a, b, p, q = x * 0.5, y, n, 1")
    for _, name in ipairs { "a", "b" } do floats[#floats + 1] = name end
    for _, name in ipairs { "p", "q" } do ints[#ints + 1] = name end
    for _ = 1, 5 do statement(3) end
    put("return a + 0.0, p, %s", bool(2))
    return table.concat(lines, "\n")
end

---------------------------------------------------------------- data

local inf = math.huge
local specials = {
    f64 = { 0.0, -0.0, 1.0, -1.0, inf, -inf, 0 / 0, 0.5, -0.5, 2.0, 3.0, 1e30, -1e30, 255.5, 1e-30,
        9007199254740993.0, 9223372036854775808.0, -9223372036854775808.0 },
    i64 = { 0, 1, -1, 2, -2, math.mininteger, math.maxinteger, math.mininteger + 1, 1 << 53,
        -(1 << 53) - 1, 7, -7, 63, 64, -64, 255 },
    i32 = { 0, 1, -1, 2, -2, 7, -7, 100, -100, 31, 32, -32, 2147483647, -2147483648 },
    u8 = { 0, 1, 255, 128 },
    bool = { true, false },
}
specials.f32 = specials.f64

local function to_f32(x)
    return (string.unpack("<f", string.pack("<f", x)))
end

-- A random element of a dtype.
function M.element(dtype)
    if random() < 0.3 then return pick(specials[dtype]) end
    if dtype == "f64" then return (random() - 0.5) * 10.0 ^ random(-2, 3) end
    if dtype == "f32" then return to_f32((random() - 0.5) * 10.0 ^ random(-2, 3)) end
    if dtype == "i64" then return random() < 0.5 and random(-100, 100) or random(0) end
    if dtype == "i32" then return random(-1000, 1000) end
    if dtype == "u8" then return random(0, 255) end
    return random() < 0.5
end

-- The text of a chunk that takes what is captured and gives the function; what is captured, tables
-- {dtype, elements} for arrays; and `count` rows of arguments x, y, n, k.
-- options.real = "f32": f32 and i32 elements instead of f64 and i64; options.arrays = false: the
-- function indexes no arrays; options.operations: it calls the engine's operations, too; options.ranks: it
-- indexes arrays of two and three dimensions, the sixth and the seventh of what is captured.
function M.program(seed, number, options, count)
    math.randomseed(seed, number)
    options = options or {}
    local narrow = options.real == "f32"
    operations, ranks = options.operations, options.ranks
    local f, i = narrow and "f32" or "f64", narrow and "i32" or "i64"
    local text = helpers .. "return function(x, y, n, k)\n" .. body(options.arrays ~= false) .. "\nend"
    local w, v, rows = {}, {}, {}
    for at = 1, 50 do
        w[at] = (random() - 0.5) * 10
        if narrow then w[at] = to_f32(w[at]) end
        v[at] = random(-20, 20)
    end
    local captured = { { f, w }, { i, v }, random() * 4, random(1, 6), random() < 0.5 }
    for r = 1, count or 40 do
        rows[r] = { M.element(f), M.element(f), M.element(i), r }
    end
    if ranks then
        captured[6], captured[7] = { f, {} }, { i, {} }
        for r = 1, 5 do
            captured[6][2][r] = table.move(w, 10 * r - 9, 10 * r, 1, {})
        end
        for p = 1, 3 do
            captured[7][2][p] = {}
            for r = 1, 4 do
                captured[7][2][p][r] = table.move(v, 5 * (p + r) - 9, 5 * (p + r) - 5, 1, {})
            end
        end
    end
    return text, captured, rows
end

---------------------------------------------------------------- the VM against compile()

function M.same(a, b)
    if math.type(a) ~= math.type(b) then return false end
    if a ~= a and b ~= b then return true end
    return a == b and (a ~= 0 or math.type(a) ~= "float" or 1 / a == 1 / b)
end

local function describe(list)
    local out = {}
    for k = 1, #list do
        out[k] = math.type(list[k]) == "float" and ("%.17g"):format(list[k]) or tostring(list[k])
    end
    return table.concat(out, ", ")
end

-- Runs away? Instructions are counted in the VM; such functions are skipped.
local function limited(f, ...)
    local co = coroutine.create(f)
    debug.sethook(co, function() error("too long", 0) end, "", 2000000)
    return coroutine.resume(co, ...)
end

-- One generated function: "same", "skipped", or an error with everything to repeat it. Every fourth
-- takes numbers instead of elements and no arrays: then counters may become i32.
function M.compare(seed, number, count)
    local numbers = number % 4 == 0
    local text, captured, rows = M.program(seed, number, { arrays = not numbers }, count)
    local chunk = assert(load(text, "=random"))
    local f = chunk(vector(table.unpack(captured[1])), vector(table.unpack(captured[2])),
        captured[3], captured[4], captured[5])
    local wanted = {}
    for r, row in ipairs(rows) do
        local out = table.pack(limited(f, table.unpack(row)))
        if not out[1] then return "skipped", out[2] end
        wanted[r] = table.pack(table.unpack(out, 2, out.n))
    end
    local where = ("\nseed %d number %d\n%s\n"):format(seed, number, text)
    local program, message = compile(f, numbers and { "weak f64", "weak f64", "weak i64", "weak i64" }
        or { "f64", "f64", "i64", "i64" })
    if not program then error(message .. where, 0) end
    local given
    given, message = program:run(rows)
    if not given then error(message .. where, 0) end
    for r, row in ipairs(rows) do
        for k = 1, wanted[r].n do
            if not M.same(given[r][k], wanted[r][k]) then
                error(("result %d of (%s): %s, the VM says %s%s"):format(k, describe(row),
                    describe { given[r][k] }, describe { wanted[r][k] }, where), 0)
            end
        end
    end
    return "same"
end

function M.check(count)
    local seed = tonumber(os.getenv "LUAFN_SEED") or 1
    local from = tonumber(os.getenv "LUAFN_FROM") or 1
    local counts = { same = 0, skipped = 0 }
    local reasons = {}
    for number = from, from + count - 1 do
        local verdict, why = M.compare(seed, number)
        counts[verdict] = counts[verdict] + 1
        if why then reasons[why] = (reasons[why] or 0) + 1 end
    end
    if os.getenv "LUAFN_VERBOSE" then
        print(("seed %d: %d the same, %d skipped"):format(seed, counts.same, counts.skipped))
        for why, n in pairs(reasons) do print("", n, why) end
    end
    assert(counts.same > count * 0.8, "too many functions were skipped")
end

-- The same for so many seconds; prints what differs and ends with "N passed, N failed".
function M.fuzz(seconds)
    local seed = tonumber(os.getenv "LUAFN_SEED") or 1
    local start, number, same, different = os.time(), 0, 0, 0
    while os.time() - start < seconds do
        number = number + 1
        local ok, verdict = pcall(M.compare, seed, number)
        if not ok then
            different = different + 1
            print(verdict)
        elseif verdict == "same" then
            same = same + 1
        end
    end
    print(("%d passed, %d failed"):format(same, different))
end

return M
