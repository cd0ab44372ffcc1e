-- The common functions of OpenCL C in C texts: every backend gives what their definition says, computed here bit by bit.

local lun = require "lunarray"

local backends = lun.backends()

-- ---------------------------------------------------------------- integers of 128 bits: { upper 64 bits, lower 64 bits }

local function add(a, b)
    local low = a[2] + b[2]
    return { a[1] + b[1] + (math.ult(low, a[2]) and 1 or 0), low }
end

local function negative(a)
    return add({ ~a[1], ~a[2] }, { 0, 1 })
end

local function less(a, b)
    return a[1] < b[1] or a[1] == b[1] and math.ult(a[2], b[2])
end

local function times(a, b)
    local minus = (a[1] < 0) ~= (b[1] < 0)
    a, b = a[1] < 0 and negative(a) or a, b[1] < 0 and negative(b) or b
    local sum = { 0, 0 }
    for _ = 1, 64 do
        if b[2] & 1 == 1 then
            sum = add(sum, a)
        end
        a = { a[1] << 1 | a[2] >> 63, a[2] << 1 }
        b = { 0, b[2] >> 1 }
    end
    return minus and negative(sum) or sum
end

-- ---------------------------------------------------------------- functions of integers

local types = {
    { "i8", "char", 8, true }, { "u8", "uchar", 8, false }, { "i16", "short", 16, true }, { "u16", "ushort", 16, false },
    { "i32", "int", 32, true }, { "u32", "uint", 32, false }, { "i64", "long", 64, true }, { "u64", "ulong", 64, false },
}

-- The element with the lowest bits of x.
local function cut(x, bits, signed)
    if bits == 64 then
        return x
    end
    x = x & (1 << bits) - 1
    return signed and x >> bits - 1 == 1 and x - (1 << bits) or x
end

local function wide(x, signed)
    return { signed and x < 0 and -1 or 0, x }
end

-- A number of 128 bits as the nearest element.
local function nearest(x, bits, signed)
    local most = signed and { 0, (1 << bits - 1) - 1 } or { 0, bits == 64 and -1 or (1 << bits) - 1 }
    local least = signed and negative { 0, 1 << bits - 1 } or { 0, 0 }
    return cut((less(most, x) and most or less(x, least) and least or x)[2], bits, signed)
end

local function bit(x, k)
    return x >> k & 1
end

local function count(x, first, last, step)
    local n = 0
    for k = first, last, step do
        if bit(x, k) == 1 then
            return n
        end
        n = n + 1
    end
    return n
end

-- Each: its call, and what it gives for x and y of so many bits.
local integers = {
    { "popcount(x)", function(x, _, bits)
        local n = 0
        for k = 0, bits - 1 do
            n = n + bit(x, k)
        end
        return n
    end },
    { "clz(x)", function(x, _, bits) return count(x, bits - 1, 0, -1) end },
    { "ctz(x)", function(x, _, bits) return count(x, 0, bits - 1, 1) end },
    { "rotate(x, y)", function(x, y, bits)
        local r, turn = 0, y % bits
        for k = 0, bits - 1 do
            r = r | bit(x, k) << (k + turn) % bits
        end
        return r
    end },
    { "mul_hi(x, y)", function(x, y, bits, signed)
        local p = times(wide(x, signed), wide(y, signed))
        return bits == 64 and p[1] or p[2] >> bits
    end },
    { "mad_hi(x, y, (T)7)", function(x, y, bits, signed)
        local p = times(wide(x, signed), wide(y, signed))
        return (bits == 64 and p[1] or p[2] >> bits) + 7
    end },
    { "hadd(x, y)", function(x, y, _, signed)
        local s = add(wide(x, signed), wide(y, signed))
        return s[2] >> 1 | s[1] << 63
    end },
    { "rhadd(x, y)", function(x, y, _, signed)
        local s = add(add(wide(x, signed), wide(y, signed)), { 0, 1 })
        return s[2] >> 1 | s[1] << 63
    end },
    { "add_sat(x, y)", function(x, y, bits, signed)
        return nearest(add(wide(x, signed), wide(y, signed)), bits, signed)
    end },
    { "sub_sat(x, y)", function(x, y, bits, signed)
        return nearest(add(wide(x, signed), negative(wide(y, signed))), bits, signed)
    end },
    { "mad_sat(x, y, (T)5)", function(x, y, bits, signed)
        local p = add(times(wide(x, signed), wide(y, signed)), { 0, 5 })
        return nearest(not signed and p[1] < 0 and { 1, 0 } or p, bits, signed)
    end },
    { "abs_diff(x, y)", function(x, y, _, signed)
        local d = add(wide(x, signed), negative(wide(y, signed)))
        return (d[1] < 0 and negative(d) or d)[2]
    end },
    { "bitselect(x, y, (T)0x5a)", function(x, y) return x & ~0x5a | y & 0x5a end },
    { "select(x, y, (x ^ y) & 1)", function(x, y) return (x ~ y) & 1 == 1 and y or x end },
    { "mul24((T)(x & 15), (T)(y & 7))", function(x, y) return (x & 15) * (y & 7) end },
    { "mad24((T)(x & 15), (T)(y & 7), (T)2)", function(x, y) return (x & 15) * (y & 7) + 2 end },
    { "max(x, y)", function(x, y, _, signed) return less(wide(x, signed), wide(y, signed)) and y or x end },
    { "min(x, y)", function(x, y, _, signed) return less(wide(x, signed), wide(y, signed)) and x or y end },
    { "clamp(x, (T)3, (T)9)", function(x, _, _, signed)
        return less(wide(x, signed), { 0, 3 }) and 3 or less({ 0, 9 }, wide(x, signed)) and 9 or x
    end },
    { "abs(x)", function(x, _, _, signed) return signed and x < 0 and -x or x end },
}

-- A function of x and y that gives the k-th of these.
local function choice(rows, result, c)
    local cases = {}
    for k, row in ipairs(rows) do
        cases[k] = ("case %d: return %s;"):format(k, row[1])
    end
    return ("typedef %s T;\n%s f(%s x, %s y, int k)\n{\n    switch (k) {\n    %s\n    }\n    return 0;\n}\n"):format(
        c, result, c, c, table.concat(cases, "\n    "))
end

local function edges(bits, signed)
    local list = { 0, 1, 2, 3, 5, 77, (1 << bits - 1) - 1, (1 << bits - 1), -1, -2, -77, 1 << bits // 2, 0x123456789abcdef }
    for i, x in ipairs(list) do
        list[i] = cut(x, bits, signed)
    end
    return list
end

-- ---------------------------------------------------------------- functions of floats

local inf, nan = math.huge, 0 / 0
local pi = math.pi

local function sign(x)
    return (x < 0 or 1 / x < 0) and -1.0 or 1.0
end

-- Call, value, units in the last place that it may be off.
local floats = {
    { "pown(x, 3)", function(x) return x * x * x end, 4 },
    { "pown(x, -2)", function(x) return 1 / (x * x) end, 4 },
    { "pown(x, 0)", function() return 1.0 end, 0 },
    { "powr(x, 2)", function(x) return x >= 0 and x * x or nan end, 4 },
    { "powr(x, 0)", function(x) return x > 0 and x < inf and 1.0 or nan end, 0 },
    { "sinpi(x)", function(x) return x ~= x and x or math.abs(x) == inf and nan
        or x == math.floor(x) and 0.0 * sign(x) or math.sin(pi * math.fmod(x, 2.0)) end, 8 },
    { "cospi(x)", function(x) return x ~= x and x or math.abs(x) == inf and nan
        or x % 1 == 0.5 and 0.0 or math.cos(pi * math.fmod(x, 2.0)) end, 8 },
    { "tanpi(x)", function(x) return x ~= x and x or math.abs(x) == inf and nan
        or x % 1 == 0.5 and (x % 2 == 0.5 and inf or -inf)
        or x % 2 == 1 and -0.0 * sign(x) or math.tan(pi * math.fmod(x, 1.0)) end, 8 },
    { "atanpi(x)", function(x) return math.atan(x) / pi end, 8 },
    { "asinpi(x / 8)", function(x) return math.asin(x / 8) / pi end, 8 },
    { "acospi(x / 8)", function(x) return math.acos(x / 8) / pi end, 8 },
    { "atan2pi(x, (T)2)", function(x) return math.atan(x, 2) / pi end, 8 },
    { "ldexp(x, 5)", function(x) return x * 32 end, 0 },
    { "ldexp(x, -5)", function(x) return x / 32 end, 0 },
    { "scalbn(x, 1)", function(x) return x * 2 end, 0 },
    { "rint(x)", function(x)
        if x - x ~= 0 then return x end
        local n = math.floor(x)
        local d = x - n
        n = n + ((d > 0.5 or d == 0.5 and n % 2 == 1) and 1 or 0)
        return n == 0 and 0.0 * sign(x) or n + 0.0
    end, 0 },
    { "first(x)", function(x) return x - x ~= 0 and x or x == 0 and x or 0.5 * sign(x) * math.abs(x) /
        2.0 ^ (math.floor(math.log(math.abs(x), 2))) end, 0 },
    { "second(x)", function(x) return x - x ~= 0 and -1.0 or x == 0 and 0.0
        or math.floor(math.log(math.abs(x), 2)) + 1.0 end, 0 },
    { "whole(x)", function(x) return x - x ~= 0 and x
        or sign(x) * math.floor(math.abs(x)) end, 0 },
    { "part(x)", function(x) return x ~= x and x or math.abs(x) == inf and 0.0 * sign(x)
        or sign(x) * (math.abs(x) % 1) end, 0 },
    { "both(x)", function(x) return math.abs(x) == inf and nan or math.sin(x) + 2 * math.cos(x) end, 16 },
    { "(T)lround(x > 9 ? 9 : x < -9 ? -9 : x != x ? 0 : x)", function(x)
        x = x ~= x and 0 or math.max(-9, math.min(9, x))
        return (x < 0 and math.ceil(x - 0.5) or math.floor(x + 0.5)) + 0.0
    end, 0 },
    { "isgreater(x, (T)1) + 2 * isless(x, (T)1) + 4 * isgreaterequal(x, (T)1) + 8 * islessequal(x, (T)1)",
        function(x) return (x > 1 and 1.0 or 0) + (x < 1 and 2 or 0) + (x >= 1 and 4 or 0) + (x <= 1 and 8.0 or 0.0) end, 0 },
    { "isequal(x, (T)1) + 2 * isnotequal(x, (T)1) + 4 * islessgreater(x, (T)1) + 8 * isunordered(x, (T)1) " ..
        "+ 16 * isordered(x, (T)1) + 32 * isnormal(x)",
        function(x)
            return (x == 1 and 1.0 or 2.0) + ((x < 1 or x > 1) and 4 or 0) + (x ~= x and 8 or 16) +
                (x - x == 0 and x ~= 0 and 32.0 or 0)
        end, 0 },
}

local helpers = [[
T first(T x) { int e; return frexp(x, &e); }
T second(T x) { int e = -1; T m = frexp(x, &e); return m - m != 0 ? -1 : e; }
T whole(T x) { T w; modf(x, &w); return w; }
T part(T x) { T w; return modf(x, &w); }
T both(T x) { T c; T s = sincos(x, &c); return s + 2 * c; }
]]

local values = { 0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, -1.5, 2.25, -2.75, 3.0, -3.0, 0.125, 7.5, -6.875, inf, -inf, nan }

local function near(a, b, units, unit)
    if a ~= a or b ~= b then
        return a ~= a and b ~= b
    end
    if a == b then
        return a ~= 0 or 1 / a == 1 / b
    end
    return math.abs(a - b) <= units * unit * math.max(math.abs(a), unit)
end

-- ----------------------------------------------------------------

for _, backend in ipairs(backends) do
    describe("common functions in C texts on " .. backend, function()
        setup(function() lun.use(backend) end)
        teardown(function() lun.use(backends[1]) end)

        for _, type in ipairs(types) do
            local name, c, bits, signed = table.unpack(type)
            it("of integers: " .. name, function()
                local f = lun.zip(choice(integers, c, c))
                local list, xs, ys = edges(bits, signed), {}, {}
                for _, x in ipairs(list) do
                    for _, y in ipairs(list) do
                        xs[#xs + 1], ys[#ys + 1] = x, y
                    end
                end
                local X, Y = lun.vector(xs):cast(name), lun.vector(ys):cast(name)
                for k, row in ipairs(integers) do
                    local got = f(X, Y, k):totable()
                    for i = 1, #xs do
                        local wanted = cut(row[2](xs[i], ys[i], bits, signed), bits, signed)
                        assert(wanted == got[i], ("%s, x = %d, y = %d: %d, %d expected"):format(row[1], xs[i], ys[i], got[i],
                            wanted))
                    end
                end
            end)
        end

        for name, c in pairs { f32 = "float", f64 = "double" } do
            it("of floats: " .. name, function()
                local text = choice(floats, c, c):gsub("typedef.-;\n", "%0" .. helpers)
                local f, X = lun.zip(text), lun.vector(values, name)
                for k, row in ipairs(floats) do
                    for i, got in ipairs(f(X, X, k):totable()) do
                        local wanted = row[2](values[i])
                        assert(near(wanted, got, row[3], name == "f32" and 2.0 ^ -23 or 2.0 ^ -52),
                            ("%s, x = %g: %.17g, %.17g expected"):format(row[1], values[i], got, wanted))
                    end
                end
            end)
        end

        it("take what helpers are given: arrays, parts of arrays and variables", function()
            local f = lun.map [[
                float third(const float *w, int i) { return w[i] / 4; }
                float f(int i, const float *w)
                {
                    float own[2] = {5, 6};
                    const float *p = w + 1;
                    return third(w, i) + third(own, i) + p[i];
                }]]
            assert.same({ 1 / 4 + 5 / 4 + 2, 2 / 4 + 6 / 4 + 4 },
                f(lun.vector({ 0, 1 }, "i32"), lun.vector({ 1, 2, 4 }, "f32")):totable())
        end)
    end)
end
