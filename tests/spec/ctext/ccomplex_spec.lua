-- C functions of complex numbers: each function against the same operation on arrays, which other specs compare with tables
-- of values; arithmetic and whole functions against plain Lua; what is refused. On every backend, for the engine compiles C
-- text for all of them.
local lun = require "lunarray"
local expect = require "expect"
local shell = require "shell"

-- Elements as texts, in which each NaN is one: its sign is the compiler's.
local function shown(a)
    local list = {}
    for i = 1, #a do
        local x = a[i]
        local text = lun.iscomplex(x) and ("%a %a"):format(x.re, x.im) or type(x) == "number" and ("%a"):format(x) or tostring(x)
        list[i] = text:gsub("%-nan", "nan")
    end
    return table.concat(list, "\n")
end

local SPECIAL <const> = {
    { 0, 0 }, { -0.0, -0.0 }, { 0, -0.0 }, { 1, 0 }, { -1, 0 }, { 0, 1 }, { math.huge, 0 }, { -math.huge, 1 }, { 0 / 0, 1 },
    { 2, 0 / 0 }, { math.huge, -math.huge }, { 1, math.huge }, { 800, 1 }, { -3, 900 }, { 1e30, -1e30 }, { 1e-30, 1e-30 },
    { 1e300, 1e300 }, { 1e-300, -1e-300 },
}

-- Numbers of all sizes and special ones.
local function numbers(n, seed, dtype)
    local x, y = lun.random(n, { seed = seed }), lun.random(n, { seed = seed + 1 })
    local z = lun.complex((x - 0.5) * 8, (y - 0.5) * 8):cast(dtype):eval()
    for k, one in ipairs(SPECIAL) do
        z[1 + (k * 7 + seed) % n] = lun.complex(one[1], one[2])
    end
    return z
end

local REAL <const> = { c64 = "float", c128 = "double" }

local OF_ONE <const> = [[neg conj sign square reciprocal round sqrt exp expm1 log log1p log2 log10 sin cos tan asin acos atan sinh cosh
    tanh asinh acosh atanh]]

-- A text of one function that calls those of a list, by their numbers.
local function each_of(gives, dtype, names, parameters, arguments)
    local cases = {}
    for name in names:gmatch "%S+" do
        cases[#cases + 1] = ("if (which == %d) return lun_c%s(%s);"):format(#cases, name, arguments)
    end
    return ("%s f(%s, int which) { %s return lun_c%s(%s); }"):format(gives, (parameters:gsub("@", dtype)),
        table.concat(cases, "\n"), names:match "%S+", arguments)
end

-- Compares each of a list of functions, made by call(which), with the operation on arrays.
local function compare(names, call, ...)
    local which = 0
    for name in names:gmatch "%S+" do
        assert.equal(shown(lun[name](...)), shown(call(which)), name)
        which = which + 1
    end
end

describe("C functions of complex numbers", function()
    local directory

    setup(function() directory = shell.scratch() end)
    teardown(function() shell.discard(directory) end)

    for _, dtype in ipairs { "c64", "c128" } do
        local z, w = numbers(301, 1, dtype), numbers(301, 50, dtype)

        it("have the bits of arrays: " .. dtype, function()
            local f = lun.map(each_of(dtype, dtype, OF_ONE, "@ z", "z"))
            assert.equal(dtype, f(z, 0):dtype())
            compare(OF_ONE, function(which) return f(z, which) end, z)
        end)

        it("have the bits of arrays: two operands of " .. dtype, function()
            local f = lun.zip(each_of(dtype, dtype, "add sub mul div pow", "@ z, @ w", "z, w"))
            compare("add sub mul div pow", function(which) return f(z, w, which) end, z, w)
            local g = lun.zip(each_of("bool", dtype, "eq ne", "@ z, @ w", "z, w"))
            compare("eq ne", function(which) return g(z, z, which) end, z, z)
        end)

        it("have the bits of arrays: numbers and truths of " .. dtype, function()
            local f = lun.map(each_of(REAL[dtype], dtype, "abs angle", "@ z", "z"))
            compare("abs angle", function(which) return f(z, which) end, z)
            local g = lun.map(each_of("bool", dtype, "isnan isinf isfinite", "@ z", "z"))
            compare("isnan isinf isfinite", function(which) return g(z, which) end, z)
        end)
    end

    it("are whole programs: a Julia set against plain Lua", function()
        local text = [[
            // rounds until |z| > 2; z*z + c of doubles, each operation rounded
            int f(c128 z, c128 c, int most) {
                for (int i = 0; i < most; i++) {
                    if (lun_cabs(z) > 2) return i;
                    z = lun_cadd(lun_cmul(z, z), c);
                }
                return most;
            }]]
        for _, n in ipairs { 1, 7, 1000 } do
            local x, y = lun.random(n, { seed = 5 }) * 4 - 2, lun.random(n, { seed = 6 }) * 4 - 2
            local rounds, want = lun.complex(x, y):map(text, lun.complex(-0.8, 0.156), 40), {}
            for k = 1, n do
                local re, im, i = x[k], y[k], 0
                while i < 40 and math.sqrt(re * re + im * im) <= 2 do
                    re, im, i = re * re - im * im + -0.8, re * im + im * re + 0.156, i + 1
                end
                want[k] = i
            end
            assert.same(want, rounds:totable())
        end
    end)

    it("take real numbers, whole arrays, windows and both dtypes", function()
        local z = lun.complex(lun.range(1, 12) * 1.0, lun.range(12, 1, -1) * 1.0):eval()
        local half = z:map "c128 (c128 z) { c128 r = {z.re / 2, z.im / 2}; return r; }"
        assert.equal(shown(z * 0.5), shown(half))
        assert.equal(shown(lun.complex(lun.vector { 1.0, 2.0 }, lun.vector { 0.0, 0.0 })),
            shown(lun.vector({ 1, 2 }, "i32"):map "c128 f(c128 z) { return z; }"))
        assert.equal(shown(lun.complex(lun.vector { 1.0, 2.0 }, lun.vector { -1.0, -2.0 })),
            shown(lun.vector { 1.0, 2.0 }:map "c128 f(double x) { c128 r = {x, -x}; return r; }"))
        local last = z:map("c128 f(c128 z, const c128 *w, long n) { return lun_cadd(z, w[n - 1]); }", z, 12)
        assert.equal(shown(z + z[12]), shown(last))
        local matrix = z:reshape(3, 4):transpose()
        local made = lun.map "(c128 z) { return lun_cmul(z, z); }"(matrix)
        assert.same({ 4, 3 }, { made:shape() })
        assert.equal(shown((matrix * matrix):flatten()), shown(made:flatten()))
        local narrow = z:map "c64 f(c128 z) { c64 r = {z.re, z.im}; return lun_csqrtf(r); }"
        assert.equal("c64", narrow:dtype())
        assert.equal(shown(z:cast("c64"):sqrt()), shown(narrow))
        assert.equal(0, #lun.zeros(0, "c128"):map "c128 f(c128 z) { return z; }")
        local out = lun.zeros(12, "c64")
        lun.map "c128 f(c128 z) { return lun_cconj(z); }":run { z, out = out }
        assert.equal(shown(z:conj():cast "c64"), shown(out))
    end)

    it("are lazy and broadcast unless they have loops", function()
        local z = lun.complex(lun.range(1, 6) * 1.0, lun.range(6, 1, -1) * 1.0):eval()
        local f = lun.zip "c128 f(c128 a, c128 b) { return lun_cmul(a, b); }"
        local column, row = z:reshape(6, 1), z:sub(1, 2):reshape(1, 2)
        assert.equal(shown((column * row):flatten()), shown(f(column, row):flatten()))
        local lazy = f(z, z) + 1
        assert.is_true(lazy:pending() > 1)
        lun.stats "reset"
        lazy:eval()
        assert.equal(1, lun.stats().launches)
        assert.equal(shown(z * z + 1), shown(lazy))
        local looped = z:map "c128 f(c128 z) { for (int i = 0; i < 2; i++) z = lun_cmul(z, z); return z; }"
        assert.equal(0, looped:pending())
        local squared = (z * z):eval()
        assert.equal(shown(squared * squared), shown(looped))
    end)

    it("stand beside records, which plain arrays may give", function()
        local P = lun.struct("Wave", { { "k", "f32" }, { "phase", "f64" } })
        local waves = lun.map "Wave f(double x) { Wave w = {x, 2 * x}; return w; }"(lun.vector { 1.0, 3.0 })
        assert.same({ { k = 1.0, phase = 2.0 }, { k = 3.0, phase = 6.0 } }, waves:totable())
        local x = lun.vector { 1.0, 3.0 }
        assert.same(waves:totable(), x:map "Wave f(double x) { Wave w = {x, 2 * x}; return w; }":totable())
        assert.same(waves:totable(), x:zip(x * 2, "Wave f(double x, double y) { Wave w = {x, y}; return w; }"):totable())
        local z = lun.zip "c128 f(Wave w, c128 z) { c128 r = {w.k + z.re, w.phase + z.im}; return r; }"(waves,
            lun.vector { lun.i, lun.complex(2, 0) })
        assert.equal(shown(lun.vector { lun.complex(1, 3), lun.complex(5, 6) }), shown(z))
        local moved = lun.map "Wave f(Wave w, Wave by) { w.k += by.k; w.phase += by.phase; return w; }"(waves, P(10, 20))
        assert.same({ { k = 11.0, phase = 22.0 }, { k = 13.0, phase = 26.0 } }, moved:totable())
    end)

    it("are those of c64 where records have fields of it alone", function()
        local W, z = lun.struct("Narrow", { { "k", "f32" }, { "z", "c64" } }), lun.complex(1, 2)
        local squared = lun.vector({ W(1, z) }, W):map "Narrow f(Narrow w) { w.z = lun_cmul(w.z, w.z); return w; }"
        assert.equal(shown(lun.vector({ z * z }, "c64")), shown(squared.z))
        local B = lun.struct("Both", { { "z", "c64" }, { "w", "c128" } })
        local both = lun.vector({ B(z, z) }, B):map "Both f(Both b) { b.w = lun_cmul(b.w, b.w); return b; }"
        assert.equal(shown(lun.vector { z * z }), shown(both.w))
    end)

    it("may begin with directives and comments, have no type, and lie in files", function()
        local z, P = lun.vector { lun.complex(1, 2) }, lun.struct("Lone", { { "x", "f64" } })
        for _, text in ipairs { "#define SQUARE(a) lun_cmul(a, a)\n(c128 z) { return SQUARE(z); }", "// its square\n(c128 z) "
            .. "{ return lun_cmul(z, z); }", "/* c */ f /* d */ (c128 z) { return lun_cmul(z, z); }" } do
            assert.equal(shown(z * z), shown(z:map(text)), text)
        end
        assert.same({ 9.0 }, lun.vector({ P(3) }, P):map "#define S(a) (a) * (a)\n(Lone p) { return S(p.x); }":totable())
        shell.write(directory .. "/half.h", "static double half_of(double x) { return x / 2; }\n")
        shell.write(directory .. "/f.c", '// a half\n#include "half.h"\nc128 f(c128 z) { c128 r = {half_of(z.re), 0}; return r; }\n')
        assert.equal(shown(lun.vector { lun.complex(0.5, 0) }), shown(z:map(directory .. "/f.c")))
        assert.equal(shown(lun.vector { lun.complex(0.5, 0) }), shown(lun.map(directory .. "/f.c")(z)))
    end)

    it("have their lines in errors", function()
        local z, P = lun.vector { lun.complex(1, 2) }, lun.struct("Line", { { "x", "f64" } })
        local function line(text, where)
            local _, message = pcall(function() return tostring(z:map(text)) end)
            assert.equal(where, tostring(message):match "([%w_./ ]+:%d+):%d+: error:", text)
        end
        line("#define N 1\nc128 f(c128 z) {\n return nope(z);\n}", "C function:3")
        line("\n#define N 1\nc128 f(c128 z) {\n return nope(z);\n}", "C function:4")
        line("double f(\n c128 z\n) {\n return nope(z);\n}", "C function:4")
        shell.write(directory .. "/bad.c", "// hi\nc128 f(c128 z) {\n return nope(z);\n}\n")
        line(directory .. "/bad.c", directory .. "/bad.c:3")
        local _, message = pcall(function()
            return tostring(lun.vector({ P(3) }, P):map "#define N 1\ndouble f(Line p) {\n return nope(p.x);\n}")
        end)
        assert.truthy(tostring(message):find("C function:3:", 1, true))
    end)

    it("say what is wrong", function()
        local z = lun.vector { lun.complex(1, 2), lun.complex(3, -1) }
        local f = lun.map "c128 f(c128 z, c128 c) { return lun_cadd(z, c); }"
        expect.failure("bad argument #2 to 'map' (the function has 2 parameters, but is called with 1 elements and 0 extra "
            .. "arguments)", f, z)
        expect.failure("bad argument #2 to 'map' (a number expected for parameter 2, got string)", function() return f(z, "x") end)
        expect.failure("bad argument #1 to 'map' (array expected, got string)", function() return f("x", 1) end)
        expect.failure("bad argument #1 to 'map' (array expected, got number)", function() return f(3, 1) end)
        expect.failure("bad argument #1 to 'map' (parameter 2 of the C function: whole arrays of complex numbers are read, write "
            .. "'const c128 *')", function() return z:map("c128 f(c128 z, c128 *w) { w[0] = z; return z; }", z) end)
        expect.failure("bad argument to 'map' (complex arrays need a Lua function, or one in C for map or zip with parameters 'c128' "
            .. "or 'c64': others take parts, real() and imag())", function() return z:map "double f(double x) { return x; }" end)
        expect.failure("bad argument #1 to 'struct' ('c64' is a dtype)", function() return lun.struct("c64", { { "re", "f32" } }) end)
        assert.error_matches(function() return z:map("c128 f(c128 z) {\n return lun_cfoo(z); }"):eval() end, "C function:2")
        expect.failure("bad argument #2 to 'zip' (shapes [2] and [1, 2] differ: a C function that gives complex numbers takes "
            .. "elements of one shape)", lun.zip "c128 f(c128 a, c128 b) { while (0); return lun_cadd(a, b); }", z, z:reshape(1, 2))
        expect.failure("complex numbers are taken and given by functions of map and zip alone, one, 'c128 z', or a whole array, "
            .. "'const c128 *z': other functions take parts", z.scan, z, "c128 f(c128 a, c128 b) { return a; }", 0)
        expect.failure("bad argument #2 to 'sequence' (a C function of records or complex numbers is called by itself", lun.sequence,
            lun.map(function(x) return -x end), f)
        expect.failure("bad argument #1 to 'compose' (a C function of records or complex numbers is called by itself", lun.compose, f)
        expect.failure("(parameter 1 of the C function, a 'c128', has no name)", function() return z:map "c128 f(c128) { return z; }" end)
        expect.failure("bad argument #1 to 'map' (takes no missing elements: 1 of 2 are", function()
            return lun.vector { 1.0, lun.na }:map "c128 f(c128 z) { for (int i = 0; i < 2; i++) z.re += 1; return z; }"
        end)
        expect.failure("the C function has no name in front of its parameters: call it f", function()
            return z:map "c128 (g)(c128 z) { return z; }"
        end)
        assert.equal(shown(z + 1), shown(f(z, 1)))
    end)
end)
