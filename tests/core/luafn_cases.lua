-- Written tests of the Lua front end; luafn_test.c says what compile, vector and program: are.
-- Each function of the table is one test and fails by an error.
-- luacheck: read globals vector scalar compile
-- luacheck: globals global_scale global_table
local gen = dofile "tests/fuzz/luafn_gen.lua"
local M = {}

local ROWS = 120

local function text_of(list)
    local out = {}
    for k, x in ipairs(list) do out[k] = math.type(x) == "float" and ("%.17g"):format(x) or tostring(x) end
    return table.concat(out, ", ")
end

local function to_f32(x)
    return (string.unpack("<f", string.pack("<f", x)))
end

-- The VM's result as the kernel would store it: one static type per result.
local function as_dtype(x, dtype)
    if type(x) == "boolean" then return x end
    if dtype == "f64" then return math.type(x) == "float" and x or x + 0.0 end
    if dtype == "f32" then return (x ~= x or math.abs(x) > 3.5e38) and x or to_f32(x) end
    if dtype == "i32" then return (x + 0x80000000 & 0xffffffff) - 0x80000000 end
    return x
end

local function near(a, b, tolerance)
    if gen.same(a, b) then return true end
    if not tolerance or type(a) ~= "number" then return false end
    return math.abs(a - b) <= tolerance * math.max(math.abs(a), math.abs(b))
end

local function elements(dtypes, generate)
    local rows = {}
    for r = 1, ROWS do
        rows[r] = {}
        for k, dtype in ipairs(dtypes) do
            if dtype == "index" then rows[r][k] = r
            elseif generate then rows[r][k] = generate(k)
            else rows[r][k] = gen.element(dtype) end
        end
    end
    return rows
end

-- f compiled against f (or options.reference) in the VM on random rows.
local function agree(name, dtypes, f, options)
    options = options or {}
    math.randomseed(42)
    local params = {}
    for k, dtype in ipairs(dtypes) do params[k] = dtype == "index" and "i64" or dtype end
    local rows = elements(dtypes, options.generate)
    local program, message = compile(f, params)
    if not program then error(name .. ": " .. message, 0) end
    local given
    given, message = program:run(rows)
    if not given then error(name .. ": " .. message, 0) end
    local types = { program:dtypes() }
    for r, row in ipairs(rows) do
        local wanted = table.pack((options.reference or f)(table.unpack(row, 1, #dtypes)))
        assert(wanted.n == #given[r], name .. ": number of results")
        for k = 1, wanted.n do
            local right = as_dtype(wanted[k], types[k])
            if not near(given[r][k], right, options.tolerance) then
                error(("%s: result %d of (%s): %s, the VM says %s\n%s"):format(name, k, text_of(row),
                    text_of { given[r][k] }, text_of { right }, program:text()), 0)
            end
        end
    end
end

---------------------------------------------------------------- whole functions

local maxit = 100

local function black_scholes()
    local exp, log, sqrt, abs = math.exp, math.log, math.sqrt, math.abs
    local function normal(d)
        local a1, a2, a3, a4, a5 = 0.31938153, -0.356563782, 1.781477937, -1.821255978, 1.330274429
        local k = 1.0 / (1.0 + 0.2316419 * abs(d))
        local c = 0.39894228040143267794 * exp(-0.5 * d * d)
            * (k * (a1 + k * (a2 + k * (a3 + k * (a4 + k * a5)))))
        if d > 0 then return 1.0 - c end
        return c
    end
    local r, v = 0.02, 0.30
    return function(s, x, t)
        local sq = sqrt(t)
        local d1 = (log(s / x) + (r + 0.5 * v * v) * t) / (v * sq)
        local d2 = d1 - v * sq
        local e = x * exp(-r * t)
        return s * normal(d1) - e * normal(d2), e * (1.0 - normal(d2)) - s * (1.0 - normal(d1))
    end
end

function M.functions()
    agree("mandel_real", { "f64" }, function(x)
        local z, i = 0.0, 0
        while z * z < 4 and i < 256 do z = z * z + x; i = i + 1 end
        return i
    end)
    agree("mandel", { "f64", "f64" }, function(cr, ci)
        local zr, zi, i = 0.0, 0.0, 0
        while zr * zr + zi * zi < 4 and i < maxit do
            zr, zi = zr * zr - zi * zi + cr, 2 * zr * zi + ci
            i = i + 1
        end
        return i, zr, zi
    end)
    agree("black_scholes", { "f64", "f64", "f64" }, black_scholes(), {
        tolerance = 1e-11,
        generate = function(k)
            return k == 1 and 5 + 25 * math.random() or k == 2 and 1 + 99 * math.random()
                or 0.25 + 9.75 * math.random()
        end,
    })
    agree("elseif", { "f64" }, function(x)
        if x < -10 then return 1 elseif x < 0 then return 2 elseif x == 0 then return 3
        elseif x < 10 then return 4 else return 5 end
    end)
    agree("int div", { "i64", "i64" }, function(a, b)
        if b == 0 then return 0, 0, 0.0 end
        return a // b, a % b, a / b
    end)
    agree("float div", { "f64", "f64" }, function(a, b) return a // b, a % b, a / b end)
    agree("mixed div", { "i64", "f64" }, function(a, b) return a // b, a % b, a - b, b // 3, b % -3 end)
    agree("and or", { "f64" }, function(x) return x > 0 and x or -x end)
    agree("and or not", { "f64", "i64" }, function(x, n) -- luacheck: ignore 582
        local a = (x > 0 and n > 3) or (x < -1 and n ~= 2)
        return a, a and n or 0, not a, x ~= x
    end)
    agree("comparisons", { "i64", "i64" }, function(a, b) return a < b, a == b, a >= b end)
    agree("bits", { "i64", "i64" }, function(a, b)
        return a & b, a | b, a ~ b, ~a, a << (b % 70), a >> (b % 70), a << 3, a >> 5, 1 << b, a >> -2
    end)
    agree("wrapping", { "i64", "i64" }, function(a, b)
        return a + b, a * b, a - b, -a, math.abs(a), math.maxinteger + a
    end)
    agree("nested", { "i64" }, function(x)
        local n = x % 13
        local s = 0
        for i = 1, n do
            for j = 1, 10 do
                if j > i then break end
                if (i + j) % 3 == 0 then goto continue end
                s = s + i * j
                ::continue::
            end
            if s > 500 then break end
        end
        return s
    end)
    agree("repeat", { "f64" }, function(x)
        local n = 0
        local y = x
        repeat local h = y / 2; n = n + 1; y = h until h < 1 or n > 20
        return n, y
    end)
    agree("collatz", { "i64" }, function(x)
        local n = (x & 1023) + 1
        local c = 0
        while n ~= 1 do
            if n % 2 == 0 then n = n // 2 else n = 3 * n + 1 end
            c = c + 1
        end
        return c
    end)
    agree("gcd", { "i64", "i64" }, function(a, b)
        a, b = a & 0xffff, b & 0xffff
        while b ~= 0 do a, b = b, a % b end
        return a
    end)
    agree("goto loop", { "i64" }, function(x)
        local i, s = 0, 0
        ::top::
        i = i + 1
        if i > 50 then goto done end
        if (i * x) & 3 == 1 then goto top end
        s = s + i
        goto top
        ::done::
        return s
    end)
    agree("while true", { "f64" }, function(x)
        local i = 0
        while true do
            if x > 100 then break end
            i = i + 1
            if i > 30 then return -1, x end
            if x < 0 then x = -x + i goto continue end
            x = x * 1.5 + 1
            ::continue::
        end
        return i, x
    end)
    agree("early return", { "f64", "i64" }, function(x, n)
        for i = 1, 20 do
            if x > i * 3 then x = x - i else
                for j = 1, n % 5 do if x + j > 8 then return i * 100 + j end end
            end
        end
        return 0
    end)
    agree("goto the next line", { "i64" }, function(x)
        if x > 2 then goto a end
        ::a::
        for i = 1, 3 do
            if x == i then goto b end
            ::b::
        end
        do goto c end
        ::c::
        return x + 1
    end)
    agree("swap", { "i64" }, function(x)
        local a, b = 0, 1
        for _ = 1, x & 63 do a, b = b, a + b end
        return a, b
    end)
    agree("nil first", { "f64" }, function(x)
        local s
        if x > 0 then s = 1 else s = -1 end
        return s
    end)
    agree("nil as false", { "f64" }, function(x)
        local found
        for i = 1, 9 do if x < i then found = true break end end
        return not found, found and 7 or 3
    end)
    agree("default argument", { "f64" }, function(x, y)
        y = y or 2.5
        return x * y, y == nil
    end)
    agree("infinite in one branch", { "i64" }, function(x)
        while x > 5 do
            if x % 2 == 0 then x = x // 2 else x = (x >> 1) - 1 end
        end
        return x
    end)
    agree("long", { "f64" }, function(x)
        local s = 0.0
        if x > 1 then s = s + 1 end if x > 2 then s = s * 2 end if x > 3 then s = s - x end
        if x > 4 then s = s + 1 end if x > 5 then s = s * 2 end if x > 6 then s = s - x end
        for i = 1, 3 do if x > i then s = s + 1 elseif x < -i then s = s - 1 end end
        return s, x > 0 and 1 or x < 0 and -1 or 0
    end)
    agree("constant", { "f64" }, function() return 1, 2.5, true end)
    agree("argument", { "f64", "i64" }, function(a, b) return b, a end)
end

---------------------------------------------------------------- loops and the math library

function M.shapes()
    agree("for steps", { "i64" }, function(x)
        local s, t = 0, 0.0
        for i = 10, x % 7, -2 do s = s * 3 + i end
        for i = 1, 3, 0.25 do t = t + i end
        for i = x % 5, 20, 3 do s = s + i end
        for _ = 1, x / 100 - 0.5 do s = s + 1; if s > 100 then break end end
        return s, t
    end)
    agree("for edges", { "i64" }, function(x)
        local n, last = 0, 0
        for i = math.maxinteger - 3, math.maxinteger do n = n + 1; last = i end
        for i = math.mininteger + 3, math.mininteger, -1 do n = n + 1; last = last + i end
        for i = math.maxinteger - (x & 7), 1e300, 2 do n = n + 1; last = last + i end
        for i = math.mininteger, -1e300 do n = n + 1; last = i end
        for i = math.mininteger, math.maxinteger, math.maxinteger do n = n + 1; last = last + i end
        for i = x & 3, x & 15, (x & 1) * 2 + 1 do n = n + 1; last = last + i end
        for i = x & 15, x & 3, -((x & 1) * 2 + 1) do n = n + 1; last = last + i end
        return n, last
    end)
    agree("for float limit", { "f64" }, function(x)
        local n = 0
        for i = -3, math.min(x, 50.0) do n = n + i; if n > 1000 then break end end
        for i = 50, math.max(x, -20.0), -3 do n = n + i; if n < -1000 then break end end
        return n
    end)
    agree("for float", { "f64" }, function(x)
        local n, s = 0, 0.0
        for g = x, x + 3, 0.5 do n = n + 1; s = s + g; if n > 20 then break end end
        for g = 2.0, x, -0.25 do n = n + 1; s = s + g; if n > 40 then break end end
        return n, s
    end)
    agree("for index changed", { "i64" }, function(x)
        local s = 0
        for i = 1, 5 do i = i * x; s = s + i end
        return s
    end)
    agree("min max", { "f64", "f64" }, function(a, b)
        return math.max(a, b), math.min(a, b), math.max(a, 0, b), math.abs(a), math.max(1, 2),
            math.min(3, a), math.max(a)
    end)
    agree("math", { "f64" }, function(x)
        return math.sqrt(x), math.sin(x), math.cos(x), math.atan(x), math.exp(x), x ^ 2, math.pi * 2,
            math.fmod(x, 3), math.tan(x), math.log(x), math.log(x, 2), math.log(x, 10), math.log(x, 7)
    end, { tolerance = 1e-14 })
    agree("inverse", { "f64" }, function(x)
        local y = math.max(-1.0, math.min(1.0, x))
        return math.asin(y), math.acos(y), math.atan(x, 2), math.atan(x, -2)
    end, { tolerance = 1e-14 })
    agree("pow", { "f64", "f64" }, function(x, y)
        return x ^ y, x ^ 0.5, x ^ 3, x ^ 1, x ^ 0, x ^ -1, x ^ 0.25
    end, { tolerance = 1e-13 })
    agree("rounding", { "f64" }, function(x)
        local y = math.max(-1e6, math.min(1e6, x))
        return math.floor(y), math.ceil(y), math.floor(y) // 2, y - math.floor(y), 1 / math.ceil(y)
    end)
    agree("rounding far away", { "f64" }, function(x) return x - math.floor(x), math.ceil(x) + 0.0 end)
    agree("modf", { "f64", "i64" }, function(x, n)
        local y = math.max(-1e6, math.min(1e6, x))
        local whole, rest = math.modf(y)
        local same, zero = math.modf(n)
        return whole, rest, same, zero
    end)
    agree("modf of all", { "f64" }, function(x) local _, rest = math.modf(x) return rest end)
    agree("fmod", { "i64", "i64", "f64", "f64" }, function(a, b, x, y)
        return math.fmod(a, b | 1), math.fmod(x, y), math.fmod(a, 7), math.fmod(a, -1), math.fmod(a, -3)
    end)
    agree("ult", { "i64", "i64" }, function(a, b) return math.ult(a, b) end)
    agree("tointeger", { "i64", "f64" }, function(a, x)
        return math.tointeger(a), math.tointeger(math.floor(math.max(-1e9, math.min(1e9, x))) * 1.0)
    end)
    agree("integers and floats", { "i64", "f64" }, function(a, x)
        return a < x, a <= x, a > x, a >= x, a == x, x < a, x == a
    end)
    agree("constants and floats", { "f64", "i64" }, function(x, a)
        return x < 9007199254740993, x <= 9007199254740993, x > 9007199254740993, x >= math.maxinteger,
            x < math.maxinteger, x == math.maxinteger, a < 2.5, a <= -2.5, a == 2.0, a > 1e300, a < -1e300,
            a >= 0 / 0, a ~= 2.5, a < 9.3e18, a > -9223372036854775808.0, a >= 9223372036854775808.0
    end)
    agree("literals", { "i64" }, function(a)
        return a * 2, a * 2.0, a + 0.5, 7 // 2, 7 / 2, 2 ^ 10, 1e3, 3 % -2, -7 // 2, 5.5 // 2
    end)
    agree("deep nesting", { "i64" }, function(x)
        local s = 0
        for a = 1, 2 do for b = 1, 2 do for c = 1, 2 do for d = 1, 2 do for e = 1, 2 do
            if (a + b + c + d + e + x) % 3 == 0 then goto next end
            if s > 60 then goto done end
            s = s + a * b * c * d * e
            ::next::
        end end end end end
        ::done::
        return s
    end)
end

---------------------------------------------------------------- types

-- Lua's arithmetic with every result rounded to f32.
local F32 = {}
local function f32(x)
    return setmetatable({ x = (x ~= x or math.abs(x) == math.huge) and x
        or math.abs(x) > 3.4028235677973366e38 and x * math.huge or to_f32(x) }, F32)
end
local function plain(a)
    return type(a) == "table" and a.x or f32(a).x
end
F32.__add = function(a, b) return f32(plain(a) + plain(b)) end
F32.__sub = function(a, b) return f32(plain(a) - plain(b)) end
F32.__mul = function(a, b) return f32(plain(a) * plain(b)) end
F32.__div = function(a, b) return f32(plain(a) / plain(b)) end
F32.__unm = function(a) return f32(-plain(a)) end
F32.__lt = function(a, b) return plain(a) < plain(b) end
F32.__le = function(a, b) return plain(a) <= plain(b) end

local function agree_f32(name, dtypes, f)
    agree(name, dtypes, f, {
        reference = function(...)
            local args = table.pack(...)
            for k = 1, args.n do if math.type(args[k]) == "float" then args[k] = f32(args[k]) end end
            local out = table.pack(f(table.unpack(args, 1, args.n)))
            for k = 1, out.n do if type(out[k]) == "table" then out[k] = out[k].x end end
            return table.unpack(out, 1, out.n)
        end,
    })
end

local function dtypes(f, params, wanted)
    local program, message = compile(f, params)
    assert(program, message)
    local given = table.concat({ program:dtypes() }, " ")
    assert(given == wanted, ("dtypes %s, not %s\n%s"):format(given, wanted, program:text()))
end

function M.types()
    agree("bools", { "bool", "f64" }, function(b, x)
        local r = b and x or 1.5
        if not b then r = r + 1 end
        return r, not b, b == (x > 0)
    end)
    agree("u8", { "u8" }, function(p) return (p * 3 + 128) // 2, p > 127 end)
    agree("i32", { "i32", "i32" }, function(a, b) return a * b + 1, a // (b | 1), a % 7, a > b and a or b end)
    agree("i32 and f32", { "i32", "f32" }, function(a, x) return a < x, a == x, a <= x, x < a, x <= a end)
    agree("i64 and f32", { "i64", "f32" }, function(a, x) return a < x, a == x, a <= x, x < a, x <= a end)
    agree("i32 constants", { "i32" }, function(a) return a < 3000000000, a > -2.5e9 end)
    agree_f32("f32 mandel", { "f32", "f32" }, function(cr, ci)
        local zr, zi, i = cr, ci, 0
        while zr * zr + zi * zi < 4 and i < maxit do
            zr, zi = zr * zr - zi * zi + cr, 2 * zr * zi + ci
            i = i + 1
        end
        return i, zr, zi
    end)
    agree_f32("f32 literals", { "f32" }, function(x) return x * 0.1 + 2, x / 3, x > 0 and x or -x end)
    agree_f32("f32 branches", { "f32" }, function(x)
        local n = 0
        while x > 1 and n < 40 do
            if x > 10 then x = x / 3 n = n + 1 else x = x - 0.7 n = n + 2 end
        end
        return n, x
    end)
    dtypes(function(x) return x, x * 2, x * 0.1, 1, 0.5, x > 0 end, { "f32" }, "f32 f32 f32 i64 f32 bool")
    dtypes(function(x) return x, x * 2, x * 0.5, x / 2, x // 2 end, { "i32" }, "i32 i32 f64 f64 i32")
    dtypes(function(x, y) return x + y, y / 2 end, { "f32", "i64" }, "f32 f32")
    dtypes(function(x, y) return x + y, y + 1 end, { "f64", "f32" }, "f64 f32")
    dtypes(function(x, y) return x * y, x + 3000000000 end, { "i32", "i64" }, "i64 i64")
    dtypes(function(x) return x, x + 1 end, { "u8" }, "i32 i32")
    dtypes(function(x) return x, x + 1 end, { "u32" }, "i64 i64")
    dtypes(function(x) return x, x >> 1 end, { "u64" }, "i64 i64")
    dtypes(function(x, k) return x * k, k end, { "f32", "weak f64" }, "f32 f32")
    dtypes(function(x, k) return x * k, k + 0.5 end, { "f32", "weak i64" }, "f32 f32")
    dtypes(function(x, k) return x * k end, { "i32", "weak i64" }, "i32")
    dtypes(function(x, k) return x * k end, { "i32", "weak f64" }, "f64")
    dtypes(function(x) local s = 0 for _ = 1, 3 do s = s + x end return s, math.floor(x) end, { "f32" }, "f32 i64")
    dtypes(function(x) local i = 0 while i < x do i = i + 1 end return i end, { "f32" }, "i64")
    dtypes(function(x) if x > 0 then return 1 end return 0.5 end, { "f32" }, "f32")
    -- a script's whole number that meets i32 is taken as i32
    local program = assert(compile(function(x, k) local s = 0 for _ = 1, k do s = s + x * k end return s end,
        { "i32", "weak i64" }))
    assert(program:text():find("i32 = arg a1", 1, true), program:text())
    assert(program:run({ { 3, 4 } })[1][1] == 48)
end

---------------------------------------------------------------- what is captured

local function run_one(program, row)
    local out, message = program:run({ row })
    assert(out, message)
    return table.unpack(out[1])
end

local scale = 2
local function scaled(x) return x * scale end
global_scale = 3
global_table = { factor = 10, deeper = { f = function(x) return x + scale end } }

function M.captures()
    local w = vector("f64", (function() local t = {} for i = 1, 400 do t[i] = math.random() - 0.5 end return t end)())
    local radius = 5
    agree("convolution", { "f64", "index" }, function(x, i)
        local s = 0.0
        for j = 0, radius do s = s + w[i + j] * x end
        return s
    end)
    agree("edges", { "index", "f64" }, function(i, x)
        local s, n = 0.0, 0
        for j = -radius, radius do
            local k = i + j
            if k >= 1 and k <= #w - 190 then s = s + w[k]; n = n + 1 end
        end
        return s / n, n, x
    end)
    agree("gather", { "i64" }, function(x)
        return w[x % #w + 1], w[(x // 3) % #w + 1] * 2, #w
    end)
    agree("search", { "f64" }, function(x)
        local i = 1
        while i <= #w and w[i] < x do i = i + 1 end
        return i
    end)
    agree("whole array", { "f64" }, function(x)
        local s = x
        for i = 1, #w do s = s + w[i] end
        for i = #w, 1, -1 do s = s - w[i] * 2 end
        return s
    end)

    agree("index changed in a loop that shares its start", { "f64" }, function(x)
        local s = 0
        for i = 1, #w do
            while i < #w and w[i] < x do i = i + 7 if i > #w then i = #w end end
            s = s + i
        end
        return s
    end)
    local function divmod(a, b) return a // b, a % b end
    local function clamp(x, lo, hi) if x < lo then return lo end if x > hi then return hi end return x end
    local function ipow(b, e)
        local r = 1
        while e > 0 do if e & 1 == 1 then r = r * b end b = b * b; e = e >> 1 end
        return r
    end
    agree("several results", { "i64" }, function(x)
        local q, r = divmod(x, 7)
        local c = clamp(r, 2, 4)
        return q, r, c, ipow(r, 5), (divmod(x, 3))
    end)
    agree("tail call", { "i64" }, function(x) if x > 5 then return divmod(x, 3) end return divmod(x, 5) end)
    agree("call of calls", { "i64" }, function(x) return clamp(divmod(x, 9)), ipow(divmod(x, 4)) end
        and function(x) return ipow(divmod(x, 4)) end)
    agree("inner functions", { "f64" }, function(x)
        local acc = 0.0
        local function add(v) acc = acc + v end
        for i = 1, 4 do add(x * i) end
        local sq = function(v) return v * v end
        return acc, sq(x)
    end)
    agree("functions as arguments", { "f64" }, function(x)
        local function twice(f, v) return f(f(v)) end
        local k = 3.0
        return twice(function(v) return v * k end, x), twice(scaled, x)
    end)
    agree("functions that make functions", { "f64" }, function(x)
        local function adder(n) return function(v) return v + n end end
        local a, b = adder(1.5), adder(x)
        return a(x), b(x), b(a(2.0))
    end)
    agree("loop variables", { "i64" }, function(x)
        local s = 0
        for i = 1, 4 do
            local k = i * x
            local function f() k = k + i return k end
            s = s + f() + f()
            if s > 1000 then break end
        end
        return s
    end)
    agree("counter", { "i64" }, function(x)
        local n = 0
        local function next() n = n + 1 return n end
        while next() < (x & 15) do if n == 9 then break end end
        return n, next()
    end)

    -- numbers and booleans are read anew with every call
    local k, on, offset = 2, true, 0.5
    local live = assert(compile(function(x) if on then return x * k + offset end return x end, { "f64" }))
    assert(run_one(live, { 3.0 }) == 6.5)
    k, offset = 10, 1.0
    assert(run_one(live, { 3.0 }) == 31.0)
    on = false
    assert(run_one(live, { 3.0 }) == 3.0)
    k, on = 2.5, true -- another type
    assert(run_one(live, { 3.0 }) == 8.5)
    k = 1 << 40
    assert(run_one(live, { 1.0 }) == (1 << 40) + 1.0)

    -- a number that does not fit i32 takes the elements along
    local big = 7
    local wide = assert(compile(function(x) return x * big end, { "i32" }))
    assert(wide:dtypes() == "i32" and run_one(wide, { 3 }) == 21)
    big = 1 << 33
    assert(wide:dtypes() == "i64" and run_one(wide, { 3 }) == 3 << 33)

    -- functions, globals, fields
    agree("globals", { "f64" }, function(x)
        return scaled(x) * global_scale + global_table.factor, global_table.deeper.f(x), math.huge > x
    end)
    local program = assert(compile(function(x) return global_table.deeper.f(x) end, { "f64" }))
    assert(run_one(program, { 1.0 }) == 3.0)
    global_table.deeper.f = function(x) return x * 100 end
    assert(run_one(program, { 1.0 }) == 100.0)
    global_table = { deeper = setmetatable({}, { __index = { f = function(x) return -x end } }) }
    assert(run_one(program, { 1.0 }) == -1.0)

    -- arrays
    local a = vector("f32", { 1, 2, 3 })
    program = assert(compile(function(i) return a[i] * #a, #a end, { "i64" }))
    assert(run_one(program, { 2 }) == 6.0)
    a = vector("f32", { 5, 6, 7, 8 })
    assert(run_one(program, { 4 }) == 32.0)
    a = vector("u8", { 250 })
    assert(run_one(program, { 1 }) == 250 and program:dtypes() == "i64")

    -- Scalars are numbers
    local mean, total = scalar(2.5), scalar(10.0)
    program = assert(compile(function(x, i) return (x - mean) * offset / total + a[i] end, { "f64", "i64" }))
    assert(run_one(program, { 4.5, 1 }) == 2.0 * offset / 10.0 + 250)

    -- array arguments
    program = assert(compile(function(x, t, n) return x + t[n] * #t end, { "f64", vector("f64", { 1, 2 }), "weak i64" }))
    assert(run_one(program, { 0.5, nil, 2 }) == 4.5)

    -- the same code in many closures is compiled once
    local function make(n) return function(x) return x + n end end
    for n = 1, 50 do
        assert(run_one(assert(compile(make(n), { "f64" })), { 1.0 }) == n + 1.0)
    end

    -- made in a coroutine that is gone, called in another
    coroutine.wrap(function() program = assert(compile(function(x) return x * k end, { "f64" })) end)()
    collectgarbage()
    k = 4
    assert(coroutine.wrap(run_one)(program, { 2.0 }) == 8.0)

    -- stripped functions
    local stripped = load(string.dump(function(x, y)
        local s = 0
        for i = 1, 3 do if x > i then s = s + y end end
        return s
    end, true))
    agree("stripped", { "f64", "i64" }, stripped)
end

---------------------------------------------------------------- refused

local function refused(words, f, params)
    local program, message = compile(f, params or { "f64" })
    assert(not program, "compiled: " .. words)
    assert(message:find(words, 1, true), ("'%s' does not say '%s'"):format(message, words))
    return message
end

local str, tab, cfunction, written = "s", { 1 }, string.len, 0
local function recursive(n) if n < 1 then return 0 end return recursive(n - 1) end

function M.errors()
    local w, v = vector("f64", { 1, 2 }), vector("f64", { 3 })
    local here = debug.getinfo(1, "l").currentline + 1
    local message = refused("a table constructor is not supported: use local", function(x) local t = { a = x } return t.a end)
    assert(message:find("luafn_cases.lua:" .. here .. ": ", 1, true), message)
    refused("string concatenation", function(x) return x .. "a" end)
    refused("arithmetic on a string (local 's')", function(x) local s = "abc" return x + s end)
    refused("'...'", function(...) return ... end)
    refused("a recursive call of 'recursive' is not supported: write it as a loop", function(x) return recursive(x) end)
    refused("a recursive call of 'down'", function(x)
        local function down(n) if n < 1 then return 0 end return down(n - 1) end
        return down(x)
    end)
    refused("global 'nowhere' is nil", function(x) return nowhere(x) end) -- luacheck: ignore
    refused("a call of 'cfunction'", function(x) return cfunction(x) end)
    refused("a call of global 'print'", function(x) print(x) return x end)
    refused("assignment to the captured variable 'written'", function(x) written = written + 1 return x end)
    refused("assignment to a global variable", function(x) gg = x return x end) -- luacheck: ignore
    refused("result 1 is a number on some paths only", function(x) local s if x > 0 then s = 1 end return s end)
    refused("result 1 is a number on some paths only", function(x) return x > 0 and x end)
    refused("arithmetic on a boolean", function(x) return (x > 0) + 1 end)
    refused("arithmetic on a boolean (local 'b')", function(x) local b = x > 0; return b * x end)
    refused("lun.vector(t)", function(x) return tab[math.floor(x)] + x end)
    refused("a generic 'for'", function(x) for _, y in next, tab do x = x + y end return x end)
    refused("a method call", function(x) return x:foo() end)
    refused("indexing with a float", function(x) return w[x] end)
    refused("the length of a string ('str')", function(x) return x + #str end)
    refused("arithmetic on nil (local 'y')", function(x, y) return x + y end)
    refused("a call of 'math.random' is not supported: draw element k", function(x) return x + math.random() end)
    refused("the function returns nothing", function(x) local _ = x end)
    refused("goto into a loop", load([[return function(x)
        local i = 0
        if x > 2 then goto mid end
        ::top:: i = i + 1
        ::mid:: i = i + 2
        if i < 20 then goto top end
        return i
    end]], "=chunk")())
    refused("a call of a value", function(x) return x(1) end)
    refused("comparison on an array ('w')", function(x) return w < x end)
    refused("an element of a value that is a different array", function(x) local a = w if x > 1 then a = v end return a[1] end)
    refused("assignment to an element", function(x) w[1] = x return x end)
    refused("the function never returns", function() while true do end end)
    refused("a condition on a value that is a number on some paths only", function(x)
        local s
        if x > 0 then s = x end
        if s then return 1 end
        return 0
    end)
    refused("outside the block of a variable that it uses", function(x)
        local f
        do local k = x; f = function() return k end end
        local j = 7.0
        return f() + j
    end)
    refused("the function must be known before", function(x)
        local f = scaled
        if x > 0 then f = math.abs end
        return f(x)
    end)
    refused("a C function cannot be compiled", string.len)
    refused("result 2 is nil", function(x) return x, nil end)
    refused("result 2 is a number on some paths", function(x) if x > 0 then return 1 end return 1, 2 end)
    refused("math.fmod with 1 argument: 2 expected", function(x) return math.fmod(x) end)
    refused("field 'x' of a value", function(x) return x.x end)
    refused("comparison on a boolean", function(x) return (x > 0) < (x < 1) end)
    local many = {}
    for i = 1, 17 do many[i] = "x" end
    refused("17 results", load("return function(x) return " .. table.concat(many, ",") .. " end")())
    local chain = function(x) return x end
    for _ = 1, 201 do
        local inner = chain
        chain = function(x) return inner(x) + 1 end
    end
    refused("more than 200 levels deep", chain)
    -- 2^40 calls in a few lines
    local calls = {}
    for i = 1, 40 do
        calls[i] = ("local function f%d(x) return f%d(x) + f%d(x + 1) end"):format(i, i - 1, i - 1)
    end
    refused("the function is too large", load("local function f0(x) return x * 2 end " .. table.concat(calls, "\n")
        .. " return function(x) return f40(x) end")())
end

---------------------------------------------------------------- failing while it runs

local function fails(words, f, params, row)
    local program = assert(compile(f, params))
    local out, message = program:run({ row })
    assert(not out, "ran: " .. words)
    assert(message:find(words, 1, true), ("'%s' does not say '%s'"):format(message, words))
    return message
end

function M.failures()
    local w = vector("f64", { 1, 2, 3 })
    local here = debug.getinfo(1, "l").currentline + 1
    local message = fails("index 4 is out of range for array 'w' of length 3", function(i) return w[i] end, { "i64" }, { 4 })
    assert(message:find("luafn_cases.lua:" .. here .. ": ", 1, true), message)
    fails("index 4 is out of range", function(x)
        local s = 0.0
        for i = 1, #w do
            while w[i] < x do i = i + 1 end
            s = s + w[i]
        end
        return s
    end, { "f64" }, { 100.0 })
    fails("index 0 is out of range", function(i) return w[i] end, { "i64" }, { 0 })
    fails("index -9223372036854775808 is out", function(i) return w[i] end, { "i64" }, { math.mininteger })
    fails("index 9 is out of range for array 't' of length 2", function(i, t) return t[i] end,
        { "i64", vector("f32", { 1, 2 }) }, { 9 })
    fails("attempt to perform 'n//0'", function(a, b) return a // b end, { "i64", "i64" }, { 1, 0 })
    fails("attempt to perform 'n%%0'", function(a, b) return a % b end, { "i32", "i32" }, { 1, 0 })
    fails("attempt to perform 'n//0'", function(a) return a // 0 end, { "i64" }, { 1 })
    fails("'fmod' (zero)", function(a, b) return math.fmod(a, b) end, { "i64", "i64" }, { 1, 0 })
    fails("'for' step is zero", function(a) local s = 0 for i = 1, 3, a do s = s + i end return s end, { "i64" }, { 0 })
    fails("'for' step is zero", function(a) local s = 0 for i = 1, 3, a do s = s + i end return s end, { "f64" }, { 0.0 })
    fails("'for' step is zero", function(a) for _ = 1, 3, 0 do a = a + 1 end return a end, { "i64" }, { 0 })
    fails("math.tointeger", function(x) return math.tointeger(x) end, { "f64" }, { 2.5 })
    -- what does not run does not fail, what is not used does
    local program = assert(compile(function(a, b) if b ~= 0 then return a // b end return -1 end, { "i64", "i64" }))
    assert(run_one(program, { 7, 0 }) == -1)
    fails("attempt to perform 'n//0'", function(a, b) local _ = a // b return 1 end, { "i64", "i64" }, { 1, 0 })
    program = assert(compile(function(i) if i >= 1 and i <= #w then return w[i] end return 0.0 end, { "i64" }))
    assert(run_one(program, { 7 }) == 0.0 and run_one(program, { 3 }) == 3.0)
    -- the text tells the length of now
    program = assert(compile(function(i) return w[i] end, { "i64" }))
    w = vector("f64", { 1, 2, 3, 4, 5 })
    local _, later = program:run({ { 6 } })
    assert(later:find("of length 5", 1, true), later)
end

return M
