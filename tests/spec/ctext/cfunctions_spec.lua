-- User functions in C: strings and files, as SkelCL's.

local lun = require "lunarray"
local expect = require "expect"
local shell = require "shell"

describe("C strings", function()
    it("take elements, with or without name and result type", function()
        local a, b = lun.vector({ 1, 2, 3 }, "f32"), lun.vector({ 4, 5, 6 }, "f32")
        local texts = {
            "(float x, float y){ return x*y; }",
            "float f(float x, float y) { return x * y; }",
            "float times(float x, float y)\n{\n    return x * y;\n}",
            "  ( float x , float y ) { float z = x * y; return z; }",
        }
        for _, text in ipairs(texts) do
            local product = lun.zip(text)(a, b)
            assert.equal("f32", product:dtype())
            expect.elements({ 4.0, 10.0, 18.0 }, product)
        end
    end)

    it("take extra arguments: numbers and whole arrays", function()
        local a = lun.vector { 1.0, 2.0, 3.0 }
        local scale = lun.map "(double x, double factor, int shift) { return x * factor + shift; }"
        expect.elements({ 12.0, 22.0, 32.0 }, scale(a, 10, 2))
        expect.elements({ 1.5, 2.0, 2.5 }, scale(a, 0.5, 1))
        local w = lun.vector { 100.0, 200.0 }
        expect.elements({ 201.0, 202.0, 203.0 }, lun.map "(double x, const double *w) { return x + w[1]; }"(a, w))
        expect.elements({ 301.0, 302.0, 303.0 }, a:map("(double x, const double *w) { return x + w[0] + w[1]; }", w))
        local sums = a:zip(a, "(double x, double y, double k) { return x + y + k * (x - y + 3); }", 1)
        expect.elements({ 5.0, 7.0, 9.0 }, sums)
    end)

    it("may name parameters and variables as the function", function()
        local k, w = lun.vector({ 1, 2, 3 }, "i32"), lun.vector({ 0.5, 10 }, "f32")
        for _, backend in ipairs(lun.backends()) do
            if lun.use(backend) then
                expect.elements({ 11, 12, 13 }, lun.map "int f(int k, const float *f) { return k + (int) f[1]; }"(k, w))
                expect.elements({ 7, 9, 11 }, k:map "int f(int k) { int a = 3, f = k + 1; f *= 2; return a + f; }")
                expect.elements({ 2, 3, 4 }, k:map "int g(int f) { return f; } int f(int g) { return g + 1; }")
            end
        end
        lun.use(lun.backends()[1])
        expect.failure("recursive call of f", k.map, k, "int f(int k) { { int f = 1; k -= f; } return k ? f(k) : 0; }")
    end)

    it("read arrays that are expressions still", function()
        local a = lun.range(0, 3)
        local w = lun.vector { 10, 20, 30, 40 } * 2
        expect.elements({ 20, 40, 60, 80 }, (a + 0):map("(long i, const long *w) { return w[i]; }", w))
    end)

    it("fuse with what stands around them", function()
        local a = lun.random(1000, { seed = 1 }):eval()
        local e = (a + 1):map("(double x) { return x * 2; }") - 1
        assert.equal(1, #lun.explain(e))
        expect.elements(((a + 1) * 2 - 1):totable(), e)
    end)

    it("reduce and scan", function()
        local a = lun.vector { 1, 2, 3, 4 }
        assert.equal(24, a:reduce("(long x, long y) { return x * y; }", 1):value())
        expect.elements({ 0, 1, 3, 6 }, a:scan("(long x, long y) { return x + y; }", 0))
        expect.elements({ 1, 3, 6, 10 }, a:scan("(long x, long y) { return x + y; }", 0, { inclusive = true }))
        assert.equal(4.0, lun.reduce("(float x, float y) { return x > y ? x : y; }", 0)(a:cast "f32"):value())
    end)

    it("keep the order of what they combine", function()
        -- Associative, but not commutative: the last one wins.
        local n = 100000
        local a = lun.range(1, n) + 0
        assert.equal(n, a:reduce("(long x, long y) { return y; }", 0):value())
        assert.equal(n, lun.sequence(lun.reduce("(long x, long y) { return y == 0 ? x : y; }", 0))(a):value())
    end)

    it("give the same from the same text", function()
        local text = "(double x) { return x + 1; }"
        local a = lun.vector { 1.0 }
        lun.eval(a:map(text))
        lun.stats "reset"
        for _ = 1, 10 do
            a:map(text):eval()
        end
        assert.equal(0, lun.stats().compiles)
    end)

    it("that do not compile raise an error object that quotes the compiler", function()
        local a = lun.vector { 1.0, 2.0 }
        local ok, e = pcall(function() return a:map("(double x) { return y; }"):totable() end)
        assert.is_false(ok)
        local text = tostring(e)
        assert.matches("y", text)
        assert.equal("table", type(e))
        assert.matches("BUILD", e.code)
        assert.matches("cfunctions_spec.lua:%d+", e.where)
        expect.elements({ 2.0, 3.0 }, a + 1)
        expect.failure("", function() return a:map("(double x) { return x + ; }"):totable() end)
        expect.elements({ 2.0, 4.0 }, a:map "(double x) { return x * 2; }")
    end)

    it("take elements that are summed in the same evaluation", function()
        local x = lun.zeros(70000, "f32"):eval():sin() + 0.5
        local tripled, sum = x:map "float f(double x) { return (float)(x * 3); }", x:lazy "sum"
        lun.eval(tripled, sum)
        assert.equal(35000.0, sum:value())
        assert.is_true(tripled:eq(1.5):all())
    end)

    it("with another number of parameters are refused", function()
        local a, b = lun.ones(3), lun.ones(3)
        expect.failure("bad argument", function() return a:map("(float x, float y) { return x; }"):totable() end)
        expect.failure("bad argument", function() return a:map("(float x) { return x; }", 1):totable() end)
        expect.failure("bad argument", function() return a:zip(b, "(float x) { return x; }"):totable() end)
        expect.failure("bad argument", function() return a:map("() { return 1; }"):totable() end)
        expect.failure("bad argument", function() return a:reduce("(float x) { return x; }", 0):value() end)
        expect.failure("bad argument", function()
            return a:map("(float x, const float *w) { return *w; }", 3):totable()
        end)
        expect.elements({ 2.0, 2.0, 2.0 }, a + b)
    end)

    it("that are no function are refused at once", function()
        local texts = { "{", "(", "(float x", "(float x) { return x;", "(float x) return x;", "(sometype x) { }" }
        for _, text in ipairs(texts) do
            expect.failure("bad argument #1 to 'map'", function() lun.map(text) end)
        end
    end)
end)

describe("files", function()
    local directory

    setup(function() directory = shell.scratch() end)
    teardown(function() shell.discard(directory) end)

    it("hold a function f, helpers and includes", function()
        shell.write(directory .. "/half.h", "static float half_of(float x) { return x / 2; }\n")
        shell.write(directory .. "/f.cl", '#include "half.h"\nfloat f(float x, float k) { return half_of(x) * k; }\n')
        expect.elements({ 1.5, 3.0 }, lun.map(directory .. "/f.cl")(lun.vector({ 1, 2 }, "f32"), 3))
        assert.is_true(#lun.map(directory .. "/f.cl"):source() > 20)
    end)

    it("may mark the function", function()
        shell.write(directory .. "/g.cl", "float g(float x) { return x; }\nfloat <f>(float x) { return g(x) + 1; }\n")
        expect.elements({ 2.0, 3.0 }, lun.map(directory .. "/g.cl")(lun.vector({ 1, 2 }, "f32")))
    end)

    it("that are missing or empty are refused by name", function()
        expect.failure(directory .. "/none.cl", lun.map, directory .. "/none.cl")
        expect.failure("./none.cl", lun.map, "./none.cl")
        shell.write(directory .. "/empty.cl", "")
        expect.failure("bad argument #1 to 'map'", function() lun.map(directory .. "/empty.cl") end)
        expect.elements({ -1 }, lun.map "-"(lun.vector { 1 }))
    end)
end)
