-- C texts that write arrays through pointers: in map, zip and lun.map with several elements, in lun.each, on several places.
-- The oracle is plain Lua. Devices of OpenCL are divided.
-- machine: pack:1 l3:1(size=33554432) l2:2(size=1048576) l1d:1(size=49152) core:1 pu:1
-- threads: 2
local lun = require "lunarray"
local expect = require "expect"

local everywhere, refused = expect.everywhere, expect.failure
local SIZES = { 0, 1, 63, 64, 65, 16383, 16384, 16385 }

local function numbers(n, f)
    local list = {}
    for i = 1, n do list[i] = f(i) end
    return list
end

describe("a C function that writes through a pointer", function()
    it("gives its result and writes the array, at once", function()
        local f = lun.map [[double f(double x, double *w, const double *from, int shift) {
            const int i = (int)x;
            w[i] = from[i] * 2 + shift;
            return x + w[i];
        }]]
        everywhere(function()
            for _, n in ipairs(SIZES) do
                local w, from = lun.zeros(n), lun.range(1, n) * 0.5
                local y = f(lun.index(n) - 1.0, w, from, 3)
                expect.elements(numbers(n, function(i) return i + 3.0 end), w)
                expect.elements(numbers(n, function(i) return i - 1 + (i + 3.0) end), y)
            end
        end)
    end)

    it("may have no result", function()
        local scatter = lun.zip "void f(int i, float x, float *w) { w[i] += x; }"
        everywhere(function()
            for _, n in ipairs(SIZES) do
                local w = lun.ones(n, "f32")
                local at = (n + 1 - lun.index(n)):cast "i32" - 1
                assert.is_nil((scatter(at, lun.range(1, n):cast "f32" * 0.5, w)))
                expect.elements(numbers(n, function(i) return 1 + (n + 1 - i) * 0.5 end), w)
            end
        end)
    end)

    it("takes elements of any shape and number, in row-major order, and broadcasts", function()
        local f = lun.map("long f(long x, long y, long *w) { LUN_ATOMIC_ADD(w, 0, x * y); return x - y; }", { elements = 2 })
        everywhere(function()
            local A = lun.range(1, 12):reshape { 3, 4 }
            local sum = lun.zeros(1, "i64")
            assert.same({ { 0, 3, 6 }, { 0, 3, 6 }, { 0, 3, 6 }, { 0, 3, 6 } },
                (f(A:transpose() - lun.range(1, 4):reshape { 4, 1 } + 1, lun.ones({ 1, 3 }, "i64"), sum) / 4 * 3):cast "i64":totable())
            local want = 0
            for j = 1, 4 do for i = 1, 3 do want = want + (4 * (i - 1) + j) - j + 1 end end
            assert.equal(want, sum[1])
            assert.same({ 9, 8 }, f(10, lun.vector { 1, 2 }, sum):totable())
            assert.equal(want + 30, sum[1])
        end)
    end)

    it("takes elements as they were before, also those of the array that it writes", function()
        everywhere(function()
            for _, n in ipairs { 1, 64, 16385 } do
                local v = lun.range(1, n) * 1.0
                local y = v:map("double f(double x, double *w, int n) { w[n - (int)x] = 10 * x; return x; }", v, n)
                expect.elements(numbers(n, function(i) return i * 1.0 end), y)
                expect.elements(numbers(n, function(i) return (n + 1 - i) * 10.0 end), v)
            end
        end)
    end)

    it("leaves alone what others hold, and comes behind what waits", function()
        everywhere(function()
            local w = lun.zeros(3)
            local other, waiting = w:copy(), w * 2 + 1
            local shared = w + 0
            lun.vector { 1, 2, 3 }:map("void f(int i, double *w) { w[i - 1] += i; }", w)
            assert.same({ 0, 0, 0 }, other:totable())
            assert.same({ 1, 1, 1 }, waiting:totable())
            assert.same({ 0, 0, 0 }, shared:totable())
            w = w * 10
            lun.vector { 1, 2, 3 }:map("void f(int i, double *w) { w[i - 1] += i; }", w)
            assert.same({ 11, 22, 33 }, w:totable())
        end)
    end)

    it("writes rows, columns and virtual arrays", function()
        everywhere(function()
            local A = lun.zeros { 3, 4 }
            lun.range(1, 4):map("void f(long i, double *w) { w[i - 1] = i; }", A:row(2))
            lun.range(1, 3):map("void f(long i, double *w) { w[i - 1] = 10 * i; }", A:transpose():row(4))
            assert.same({ { 0, 0, 0, 10 }, { 1, 2, 3, 20 }, { 0, 0, 0, 30 } }, A:totable())
            local v = lun.range(1, 5)
            lun.range(1, 2):map("void f(long i, long *w) { w[i] = -i; }", v)
            assert.same({ 1, -1, -2, 4, 5 }, v:totable())
        end)
    end)

    it("is lazy where the text surely assigns nothing", function()
        local texts = {
            "double f(double x, double *w) { return x + w[1] * 2; }",
            "double f(double x, double *w) { return x + (w[1]) * (w[0] == 0) * 2; }",
            "double g(const double *w, int i) { return w[i]; } double f(double x, double *w) { return x + g(w, 1) * 2; }",
            "double f(double x, double *w) { int i = 2; while (w[1] <= 3 && i-- > 0) x += w[i / 2 + 1]; return x; }",
            "double f(double x, double w[]) { return LUN_AT(w, 1) + x + w[1]; }",
        }
        local w = lun.vector { 0, 3.0 }
        for k, text in ipairs(texts) do
            local e = lun.vector { 1.0, 2.0 }:map(text, w)
            assert(tostring(e):find "waiting", k)
            assert.same({ 7, 8 }, e:totable())
        end
    end)

    it("counts as writing where that is not sure", function()
        everywhere(function()
            for k, text in ipairs {
                "double f(double x, double *w) { __global double *p = w + 1; *p = 5; return x; }",
                "#define PUT(a, x) a = x\ndouble f(double x, double *w) { PUT(w[1], 5); return x; }",
                "#define W w[1]\ndouble f(double x, double *w) { W = 5; return x; }",
                "void g(__global double *w) { w[1] = 5; } double f(double x, double *w) { g(w); return x; }",
                "double f(double x, double *w) { (w[1]) = 5; return x; }",
                "double f(double x, double *w) { ((w))[1] = 5; return x; }",
                "double f(double x, double *w) { *&w[1] = 5; return x; }",
                "double f(double x, double *w) { for (; w[1] < 5; ++w[1]) ; return x; }",
                "double f(double x, double *w) { while (w[1] < 5) w[1]++; return x; }",
                "double f(double x, double *w) { w[1] -= -5; return x; }",
                "double f(double x, double *w) { LUN_AT(w, 1) = 5; return x; }",
                "double f(double x, double *w) { 1[w] = 5; return x; }",
            } do
                local w = lun.zeros(2)
                local y = lun.vector { 1.0 }:map(text, w)
                assert.same({ 0, 5 }, w:totable(), k)
                assert.same({ 1 }, y:totable(), k)
            end
            local w = lun.vector({ 1 << 10 }, "i64")
            lun.vector { 1 }:map("void f(long x, long *w) { w[0] <<= 3; w[0] >>= 1; w[0] ^= 5; w[0] %= 1000; }", w)
            assert.same({ ((1 << 12) ~ 5) % 1000 }, w:totable())
        end)
    end)

    it("chooses among definitions by #if", function()
        everywhere(function()
            local w = lun.zeros(1)
            local text = [[
            #define TWICE 1
            #if TWICE
            double f(double x, double *w) { w[0] = 2 * x; return x; }
            #else
            double f(double y, double *v) { return y + v[0]; }
            #endif]]
            assert.same({ 3 }, lun.vector { 3.0 }:map(text, w):totable())
            assert.same({ 6 }, w:totable())
        end)
    end)

    it("is refused where it does not fit, and changes nothing", function()
        local v, f = lun.zeros(4), "double f(double x, double *w) { w[0] = 1; return x; }"
        local two = "void f(double x, double *w, const double *u) { w[0] = u[0] + 1; }"
        everywhere(function()
            refused("parameter 2 of the function is an array of f64, but the argument is a number", v.map, v, f, 3)
            refused("parameter 2 of the function is an array of f64, but the argument is f32[4]", v.map, v, f, lun.zeros(4, "f32"))
            refused("parameter 2 of the function is a number (f64), but the argument is an array", v.map, v,
                "double f(double x, double y, double *w) { w[0] = y; return x; }", v, v)
            refused("shares elements with another one", v.map, v, two, v, v)
            local A = lun.zeros { 2, 4 }
            refused("shares elements with another one", v.map, v, two, A:row(1), A:row(2))
            refused("share an element", v.map, v, f, lun.zeros(1):broadcast { 4 })
            refused("the function has 2 parameters, but is called with 1 element and 0 extra arguments", v.map, v, f)
            refused("parameter 1 of the function receives an element: it cannot be a pointer", v.map, v, "void f(double *w) { w[0] = 1; }")
            refused("the result is void", v.reduce, v, "void f(double x, double *w) { w[0] = x; }")
            refused("the function may assign elements of the array 'w', which map, zip, each and teams allow", v.stencil, v,
                "double f(double x, double *w) { w[0] = 1; return get(x, 1); }", v)
            refused("LUN_THREAD is for functions without a result", v.map, v, "void f(double x, double *w) { w[0] = LUN_THREAD(); }", v)
            refused("teams takes", lun.teams { league = 2 }, f, v)
            assert.same({ 0, 0, 0, 0 }, v:totable())
        end)
    end)

    it("fails with the line, and the session goes on", function()
        everywhere(function()
            local v = lun.zeros(4)
            refused("line 2: index 4 is out of range for array 'w' of length 4", function()
                lun.range(1, 4):map("void f(long i, double *w) {\nLUN_AT(w, i) = 1; }", v)
            end)
            refused("line 1: attempt to perform 'n/0'", function()
                lun.range(0, 3):map("long f(long i, double *w) { w[0] = 1; return 7 / i; }", v)
            end)
            lun.range(1, 4):map("void f(long i, double *w) { LUN_AT(w, i - 1) = i; }", v)
            assert.same({ 1, 2, 3, 4 }, v:totable())
            lun.check(true)
            local checked = "void f(long i, double *w) { w[i + 1] = i; }"
            refused("is out of range for array 'w' of length 4", function() lun.range(1, 4):map(checked, v) end)
            lun.check(false)
        end)
    end)

    it("writes on a device what stays there", function()
        local found = false
        for _, backend in ipairs(lun.backends()) do found = found or backend == "opencl" end
        if not found then return end
        lun.use "opencl"
        local w, at = lun.zeros(1000):copy(), lun.index(1000):eval()
        local f = lun.map "void f(long i, double *w) { w[i - 1] += i; }"
        f(at, w)
        local before = lun.stats()
        f(at, w)
        f(at, w)
        local after = lun.stats()
        assert.equal(before.bytes_to_host, after.bytes_to_host)
        assert.equal(before.bytes_to_device, after.bytes_to_device)
        expect.elements(numbers(1000, function(i) return 3.0 * i end), w)
        lun.use(lun.backends()[1])
    end)
end)

describe("on several places a C function that writes", function()
    local sets = { "openmp/3", "reference/4" }
    for _, backend in ipairs(lun.backends()) do
        if backend == "opencl" then sets[#sets + 1] = "opencl:1/2,openmp" end
    end
    local function on_sets(check)
        for _, set in ipairs(sets) do
            lun.use(set)
            check(set)
        end
        lun.use(lun.backends()[1])
    end

    it("makes copies differ, which are merged", function()
        on_sets(function()
            for _, n in ipairs { 0, 1, 2, 65, 16385 } do
                local h = lun.zeros(4):copy():distribute("copy", { combine = "+" })
                local y = lun.index(n):map("long f(long i, double *h) { h[i % 4] += 0.5; return -i; }", h)
                expect.elements(numbers(n, function(i) return -i end), y)
                assert.equal(n > 0 and "block" or "none", n > 0 and y:distribution() or "none")
                assert.equal(n > 0, select(2, h:distribution()).diverged or false)
                local want = { 0.0, 0.0, 0.0, 0.0 }
                for i = 1, n do want[i % 4 + 1] = want[i % 4 + 1] + 0.5 end
                if n < 3 then expect.elements(want, h) else assert.equal(n / 2, h:sum()) end
            end
        end)
    end)

    it("merges by the one atomic operation that it writes with", function()
        on_sets(function()
            local h = (lun.ones(5, "i64") * 100):copy():distribute "copy"
            lun.range(1, 1000):map("void f(long i, long *h) { LUN_ATOMIC_SUB(h, i % 5, i); }", h)
            assert.is_true(select(2, h:distribution()).diverged)
            lun.range(1, 1000):map("void f(long i, long *h) { LUN_ATOMIC_SUB(h, i % 5, i); }", h)
            local want = { 100, 100, 100, 100, 100 }
            for i = 1, 1000 do want[i % 5 + 1] = want[i % 5 + 1] - 2 * i end
            assert.same(want, h:totable())
            local most = lun.zeros(3, "i64"):copy():distribute "copy"
            lun.range(1, 1000):map("long f(long i, long *m) { long k = i % 3; return LUN_ATOMIC_MAX(m, k, i) + m[k]; }", most)
            assert.same({ 999, 1000, 998 }, most:totable())
        end)
    end)

    it("follows the parts of its elements, and does not call them twice where each place has all", function()
        on_sets(function(set)
            local weights = set == "reference/4" and { 5, 1, 1, 3 } or { 5, 1, 4 }
            local x = lun.range(1, 10):eval():distribute("block", { weights = weights })
            local w = lun.zeros(10):copy():distribute("copy", { combine = "+" })
            local y = x:map("long f(long i, double *w) { w[i - 1] += i; return i; }", w)
            assert.same(select(2, x:distribution()).counts, select(2, y:distribution()).counts)
            assert.same(numbers(10, function(i) return i end), w:totable())
            local copy, sum = lun.range(1, 10):eval():distribute "copy", lun.zeros(10):copy():distribute("copy", { combine = "+" })
            copy:map("void f(long i, double *w) { w[i - 1] += 2 * i; }", sum)
            assert.same(numbers(10, function(i) return 2 * i end), sum:totable())
        end)
    end)

    it("runs where the first place computes, unless all that it writes are copies", function()
        on_sets(function()
            for _, kind in ipairs { "none", "single", "block", "overlap" } do
                local w, copy = lun.zeros(10):copy(), lun.zeros(1):copy():distribute "copy"
                if kind ~= "none" then w:distribute(kind) end
                local y = lun.range(1, 10):map("long f(long i, double *w, double *c) { w[i - 1] = i; c[0] = 7; return 2 * i; }", w, copy)
                assert.same(numbers(10, function(i) return i end), w:totable())
                assert.same(numbers(10, function(i) return 2 * i end), y:totable())
                assert.same({ 7 }, copy:totable())
                assert.equal(kind, (w:distribution()))
            end
        end)
    end)
end)

describe("lun.each of C text", function()
    it("calls it for all indices, from 0", function()
        everywhere(function()
            for _, n in ipairs(SIZES) do
                local w = lun.zeros(n, "i64")
                lun.each(n, "void f(long i, long *w) { w[i] = 3 * i; }", w)
                expect.elements(numbers(n, function(i) return 3 * (i - 1) end), w)
            end
            local A, want = lun.zeros { 3, 5, 2 }, {}
            lun.each({ 3, 5, 2 }, [[(int i, short j, uint k, double *a, double more) {
                a[(i * 5 + j) * 2 + k] = i * 100 + j * 10 + k + more;
            }]], A, 0.5)
            for i = 0, 2 do
                want[i + 1] = {}
                for j = 0, 4 do want[i + 1][j + 1] = { i * 100 + j * 10 + 0.5, i * 100 + j * 10 + 1.5 } end
            end
            assert.same(want, A:totable())
        end)
    end)

    it("takes ranges, options and bits of the plain loop", function()
        local text = [[void f(long i, long j, const double *x, double *y, long m) {
            if (i == j) return;
            y[i * m + j] = x[j] / (i + 1) + (i % 3 == 2 ? y[i * m + j] : 0);
        }]]
        everywhere(function()
            local n, m = 37, 41
            local x, got = lun.range(1, m) / 7, lun.ones { n, m }
            lun.each({ { 2, n - 1 }, m }, text, { tile = { 4, 8 }, schedule = "dynamic", chunk = 64 }, x, got, m)
            local want = {}
            for i = 1, n do
                want[i] = {}
                for j = 1, m do
                    local inside = i >= 2 and i <= n - 1 and i ~= j
                    want[i][j] = inside and j / 7 / i + ((i - 1) % 3 == 2 and 1 or 0) or 1.0
                end
            end
            assert.same(want, got:totable())
        end)
    end)

    it("changes nothing where it fails", function()
        everywhere(function()
            local v, w = lun.ones(100), lun.ones(100)
            local before = v * 1
            refused("line 2: index 100 is out of range for array 'w' of length 100", lun.each, 101,
                "void f(long i, double *v, double *w) { v[0] = 5;\nLUN_AT(w, i) = 7; }", v, w)
            refused("line 1: attempt to perform 'n%%0'", lun.each, 100, "void f(long i, double *v) { v[i] = 5 % (i - 99); }", v)
            assert.equal(100, v:sum())
            assert.equal(100, w:sum())
            lun.each(100, "void f(long i, double *v, double *w) { v[i] = 5; w[i] = 6; }", v, w)
            assert.equal(1100, v:sum() + w:sum())
            assert.equal(100, before:sum())
        end)
    end)

    it("gives the same on several places, and never makes copies differ", function()
        for _, set in ipairs { "openmp/3", "reference/2" } do
            lun.use(set)
            for _, kind in ipairs { "single", "block", "copy" } do
                local v = lun.zeros(50):copy():distribute(kind)
                lun.each(50, "(int i, double *v) { v[i] = i * 2; }", v)
                assert.equal(kind, (v:distribution()))
                assert.is_falsy(select(2, v:distribution()).diverged)
                expect.elements(numbers(50, function(i) return 2.0 * (i - 1) end), v)
            end
        end
        lun.use(lun.backends()[1])
    end)

    it("is refused with what to do", function()
        local v = lun.zeros(4)
        refused("each takes C text without a result", lun.each, 4, "long f(long i, double *v) { v[i] = 1; return i; }", v)
        refused("parameter 'j' is an index of the loop: an integer", lun.each, { 2, 2 }, "(int i, float j, double *v) { v[0] = j; }", v)
        refused("parameter 'v' is an index of the loop", lun.each, { 2, 2 }, "(int i, double *v) { v[0] = i; }", v)
        refused("has 1 parameter, and the loop 2 axes", lun.each, { 2, 2 }, "(double *v) { v[0] = 1; }", v)
        refused("has 1 parameter behind its indices, but is called with 0 arguments", lun.each, 2, "(int i, double *v) { v[0] = i; }")
        refused("array or number expected, got table", lun.each, 2, "(int i, double *v) { v[0] = i; }", {}, {})
        refused("at most 3 expected, got 4", lun.each, 2, function(i) v[i] = 1 end, nil, 3)
        refused("chunk", lun.each, 2, "(int i, double *v) { v[0] = i; }", { chunk = 0 }, v)
        refused("'to' of the C function", lun.teams { league = 2 }, "(int *to) { to[0] = 1; }", 3)
        assert.same({ 0, 0, 0, 0 }, v:totable())
    end)
end)
