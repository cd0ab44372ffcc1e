-- Functions given as C text on every backend: what fails in them names the line that built the expression.

local lun = require "lunarray"
local expect = require "expect"
local shell = require "shell"

local backends = lun.backends()

-- The function with a script's text, whose first line is line 1 of "script".
local function script(text, ...)
    return assert(load(text, "=script"))(...)
end

-- The error that f raises, an object with this code, at this place, whose message holds `part`.
local function fails(code, where, part, f)
    local ok, e = pcall(f)
    assert.is_false(ok)
    assert.equal("table", type(e), tostring(e))
    assert.equal(code, e.code, tostring(e))
    assert.equal(where, e.where, tostring(e))
    assert(e.message:find(part, 1, true), e.message)
end

local ways = {
    print = tostring,
    eval = function(e) return e:eval() end,
    totable = function(e) return e:totable() end,
    index = function(e) return e[1] end,
    sum = function(e) return e:sum() end,
}

for _, backend in ipairs(backends) do
    describe("a C text on " .. backend, function()
        setup(function() lun.use(backend) end)
        teardown(function() lun.use(backends[1]) end)

        it("that does not compile names the line of the script", function()
            for text, part in pairs {
                ["(double x) { return y; }"] = "y",
                ["(double x) { return nosuch(x); }"] = "nosuch",
                ["double elsewhere(double);\ndouble f(double x) { return elsewhere(x); }"] = "elsewhere",
            } do
                for _, way in pairs(ways) do
                    local bad = script("local a, text = ...\nlocal b = a\nreturn b:map(text)", lun.vector { 1.0, 2.0 }, text)
                    fails("EBUILD", "script:3", part, function() way(bad) end)
                    local ok, e = pcall(way, bad)
                    assert.is_false(ok)
                    assert.is_nil(e.message:find("/proc/", 1, true))
                    assert.is_nil(e.message:find("undefined symbol", 1, true))
                end
            end
        end)

        it("names the line of each of two equal expressions", function()
            local a, text = lun.vector { 1.0 }, "(double x) { return missing; }"
            local one, two = script("local a, text = ...\nreturn a:map(text),\n a:map(text)", a, text)
            fails("EBUILD", "script:2", "missing", function() one:eval() end)
            fails("EBUILD", "script:3", "missing", function() two:eval() end)
        end)

        it("that divides by zero is an error with both lines", function()
            local a = lun.vector { 10, 0, -7 }
            local function divides(text, part, ...)
                local bad = script("local a, text = ...\nreturn a:map(text, select(3, ...))", a, text, ...)
                fails("EZERO", "script:2", part, function() bad:eval() end)
            end
            divides("(long x) {\n return 10 / x;\n}", "C function, line 2: attempt to perform 'n/0'")
            divides("(long x) { return 10 % x; }", "C function, line 1: attempt to perform 'n%%0'")
            divides("(long x) { long y = 9;\n y /= x; return y; }", "line 2")
            divides("(long x, long d) { long y[2] = {x, 9};\n y[1] %= d; return y[1]; }", "line 2", 0)
            divides("long h(long x) { return 7 / x; }\nlong f(long x) { return h(h(x)); }", "line 1")
            divides("long h(void) { return 0; }\nlong f(long x) { return x / h(); }", "line 2")
            divides("#define RATIO(n, m) ((n) / (m))\nlong f(long x) { return RATIO(8, x); }", "line 1")
            divides("(long x) { return 2 * 3 / -x * 4; }", "line 1")
            divides("(unsigned char x) { return (int)7 / (int)x; }", "line 1")
            expect.elements({ 20, 0, -14 }, a * 2)
        end)

        it("that divides by zero is an error in reductions and scans", function()
            local a = lun.vector { 10, 0, -7 }
            fails("EZERO", "script:1", "n/0", function()
                script("return (...):reduce('(long x, long y) { return y / x; }', 1):value()", a)
            end)
            local scanned = script("return (...):scan('(long x, long y) { return y / (x - x); }', 1)", a)
            fails("EZERO", "script:1", "n/0", function() scanned:eval() end)
            local n = 200000
            local numbers = lun.range(1, n) + 0
            fails("EZERO", "script:1", "n/0", function()
                script("return (...):reduce('(long x, long y) { return x + y - 6 / ((77777 - x) * (77777 - y)); }', 0):value()", numbers)
            end)
            assert.equal(n * (n + 1) // 2,
                numbers:reduce("(long x, long y) { long two = 2; return (x * two) / two + y; }", 0):value())
        end)

        it("divides as C does where it can", function()
            local a = lun.vector { math.mininteger, 5, -5, 7 }
            expect.elements({ math.mininteger, -5, 5, -7 }, a:map "(long x) { long m = -1; return x / m; }")
            expect.elements({ 0, 0, 0, 0 }, a:map "(long x) { long m = -1; return x % m; }")
            expect.elements({ -2147483648, -1 },
                lun.vector({ -2147483648, 1 }, "i32"):map "(int x) { int m = -1; return x / m; }")
            expect.elements({ 2147483648, -1 },
                lun.vector({ -2147483648, 1 }, "i32"):map "long f(int x) { long m = -1; return x / m; }")
            expect.elements({ 2.5, math.huge }, lun.vector { 2.0, 0.0 }:map "(double x) { return 5 / x; }")
            expect.elements({ 9, 8 }, lun.vector { 1, 2 }:map [[(long x) {
                long a = 100, b = 7, c = 3, t[4] = {a, b, c, x}, *p = t;
                a = a - b / c * x + (int)b / c - -b / -c % 5;   /* 100 - 2x + 2 - 2 */
                a += sizeof t / sizeof *t - x++ / 1;              /* + 4 - x */
                p[1] /= t[2]; *p %= b;                            /* 2, 2 */
                return a - 95 + t[0] + p[1] - x + x;
            }]] - lun.vector { 1, -1 } * 1)
            expect.elements({ 7, 4 }, lun.vector { 2, 4 }:map "#define M b + 1\nlong f(long b) { return 12 / M; }")
        end)

        it("checks an index where LUN_AT asks for it", function()
            local w = lun.vector { 10.5, 20.5, 30.5 }
            local at = "double f(long i, const double *w, const float *none) {\n return LUN_AT(w, i) * 2;\n}"
            local none = lun.ones(1, "f32")
            expect.elements({ 21.0, 61.0 }, lun.vector { 0, 2 }:map(at, w, none))
            for _, i in ipairs { 3, -1, -5, 1 << 40, math.mininteger } do
                local bad = script("local a, at, w, none = ...\nreturn a:map(at, w, none)", lun.vector { 0, i }, at, w, none)
                local shown = math.max(math.min(i, 1 << 50), -(1 << 50))
                fails("EBOUNDS", "script:2",
                    ("C function, line 2: index %d is out of range for array 'w' of length 3"):format(shown),
                    function() bad:eval() end)
            end
            local two = "(double x, const double *v, const double *w) { return x + LUN_AT(v, (int)x) + LUN_AT(w, 1); }"
            expect.elements({ 31.0 }, lun.vector { 0.0 }:map(two, w, w))
            local bad = script("local a, two, w = ... return a:map(two, w, w:sub(1, 1))", lun.vector { 0.0 }, two, w)
            fails("EBOUNDS", "script:1", "index 1 is out of range for array 'w' of length 1", function() bad:eval() end)
            expect.failure("LUN_AT(w, i)", lun.map, "(double x) { return LUN_AT(x, 1); }")
        end)

        it("has the common functions of OpenCL C for floats, doubles and integers", function()
            local a = lun.vector { -2.5, -0.0, 0.25, 0.75, 3.0, math.huge, -math.huge, 0 / 0 }
            local function shown(array)
                local t = array:totable()
                for i, x in ipairs(t) do
                    t[i] = x ~= x and "nan" or ("%a"):format(x)
                end
                return t
            end
            for text, f in pairs {
                ["degrees(x)"] = function(x) return x * 57.295779513082320877 end,
                ["radians(x)"] = function(x) return x * 0.017453292519943295769 end,
                ["mix(x, 2, 0.25)"] = function(x) return x + (2 - x) * 0.25 end,
                ["mad(x, 2, 0.25)"] = function(x) return x * 2 + 0.25 end,
                ["step(0.5, x)"] = function(x) return x < 0.5 and 0.0 or 1.0 end,
                ["clamp(x, -1.0, 1.0)"] = function(x) return x < -1 and -1.0 or x > 1 and 1.0 or x end,
                ["smoothstep(0, 1, x)"] = function(x)
                    local t = x < 0 and 0.0 or x > 1 and 1.0 or x
                    return t * t * (3 - 2 * t)
                end,
                ["sign(x)"] = function(x) return x > 0 and 1.0 or x < 0 and -1.0 or x == 0 and x or 0.0 end,
                ["maxmag(x, 2)"] = function(x) return math.abs(x) > 2 and x or 2.0 end,
                ["minmag(x, 2)"] = function(x) return math.abs(x) < 2 and x or 2.0 end,
                ["rsqrt(fabs(x))"] = function(x) return 1 / math.sqrt(math.abs(x)) end,
                ["x - mix(step(x, sign(x)), clamp(x, mix(0, 1, x), 2), 0.5)"] = false,
            } do
                local got = shown(a:map("(double x) { return " .. text .. "; }"))
                if f then
                    local wanted = {}
                    for i, x in ipairs(a:totable()) do
                        local y = f(x)
                        wanted[i] = y ~= y and "nan" or ("%a"):format(y)
                    end
                    assert.same(wanted, got, text)
                end
                local narrow = a:cast "f32":map("(float x) { return " .. text .. "; }")
                lun.use(backends[1])
                assert.same(shown(a:cast "f32":map("(float x) { return " .. text .. "; }")), shown(narrow), text)
                assert.same(shown(a:map("(double x) { return " .. text .. "; }")), got, text)
                lun.use(backend)
            end
            expect.elements({ 0.5, 0.25, 0.0, 0.75 }, lun.vector { -2.5, 0.25, 3.0, -0.25 }
                :map "(double x) { double w; double d = fract(x, &w); return w + d == x ? d : -1; }")
            expect.elements({ 1.5, 3.5 }, lun.vector { 1, 3 }:map "double f(long x) { return mix(x, x + 1, 0.5); }")
        end)

        it("has loops of every kind, which may be asked whether they shall stop", function()
            local x = lun.index(300)
            local triangle = function(i) return i * (i + 1) // 2 end
            for text, want in pairs {
                ["(long i) { long s = 0; for (long k = 1; k <= i; k++) s += k; return s; }"] = triangle,
                ["(long i) { long s = 0, k; for (k = i; k; k--) { s += k; } return s; }"] = triangle,
                ["(long i) { long s = 0, k = i; while (k > 0) { s += k; k -= 1; } return s; }"] = triangle,
                ["(long i) { long s = 0, k = i; while (k--) s += k + 1; return s; }"] = triangle,
                ["(long i) { long s = 0, k = 0; do s += k; while (++k <= i); return s; }"] = triangle,
                ["(long i) { long s = 0, k = 0; for (;;) { if (++k > i) break; s += k; } return s; }"] = triangle,
                ["(long i) { long s = 0, k = 0; while (1) { if (k++ == i) return s; s += k; } }"] = triangle,
                ["(long i) { long s = 0; for (long k = 1, j = i; k <= j; k++, j--) s += k < j ? k + j : k; return s; }"]
                    = triangle,
                ["(long i) { long s = 0; for (long k = 0; k <= i; k += 1)\nif (k % 2) continue; else s += k;\n"
                    .. "for (long k = 1; k <= i; k += 2) s += k; return s; }"] = triangle,
                ["(long i) { long s = 0; for (long k = 1;\nk <= i; /* one\n line */ k++) { if (k > 0) { s += k; continue; } s = 0; }"
                    .. " return s; }"] = triangle,
                ["(long i) { long s = 0; for (int k = 0; k < 64; k++) for (long j = 1; j <= i; j++) s += k == 7 ? j : 0;"
                    .. " return s; }"] = triangle,
                ["(long i) { long s = 0; for (int k = 0; k < 4; k++) { if (s < i) k = 0; s++; } return s; }"] =
                    function(i) return i + 3 end,
                ["(long i) { long s = 0; for (int k = 0; k < 3; k++) for (int j = 0; j < 300; j++) { if (j == i) break; s++; }"
                    .. " return s; }"] = function(i) return 3 * i end,
                ["long up(long n) { long s = 0; while (n > 0) s += n--; return s; } void add(long *s, long n) {"
                    .. " for (long k = 0; k < n; k++) *s += 1; } long f(long i) { long s = up(i); add(&s, up(2)); return s - 3; }"]
                    = triangle,
                ["#define EACH(k, n) for (long k = 1; k <= n; k++)\n"
                    .. "(long i) { long s = 0; EACH(k, i) s += k; return s; }"] = triangle,
                ["struct pair { long a, b; }; struct pair two(long n) { struct pair p = {0, 0}; while (n > 0) p.a += n--;"
                    .. " return p; } long f(long i) { long s = two(i).a; for (long k = 0; k < i; k++) s++; return s - i; }"]
                    = triangle,
                ["const long STEP = 1;\nlong f(long i) { long s = 0; for (long k = STEP; k <= i; k += STEP) s += k; return s; }"]
                    = triangle,
                ["(long i) { long s = 0, k = i; again: if (k > 0) { s += k--; goto again; } return s; }"] = triangle,
                ["(long i) { long s = 0, k = 0; more: s += k++; if (k <= i) goto more; else goto done; s = 0; done: return s; }"] =
                    triangle,
                ["(long i) { long s = 0, k = i; if (0) top: { s += k--; } if (k > 0) goto top; return s; }"] = triangle,
                ["(long i) { long s = 0, k = 1; next: for (;;) switch (k > i) { case 0: s += k++; goto next; default: return s; } }"]
                    = triangle,
                ["(long i) { long s = 0; for (long k = 1; k <= i; k++) { long j = 0; one: s++; if (++j < k) goto one; } return s; }"]
                    = triangle,
                ["long up(long n) { long s = 0; l: if (n > 0) { s += n--; goto l; } return s; } void add(long *s, long n) {"
                    .. " l: if (n-- <= 0) return; ++*s; goto l; } long f(long i) { long s = up(i); add(&s, up(2)); return s - 3; }"]
                    = triangle,
                ["#define UNTIL(c) while (!(c))\n#define COUNT(k, n) \\\n    for (long k = 1; \\\n        k <= n; k++)\n"
                    .. "static long up(long n) { long s = 0; UNTIL(n == 0) s += n--; return s; }\n"
                    .. "long f(long i) { long s = up(i); COUNT(k, i) s++; return s - i; }"] = triangle,
                ["#define LOOP do { s += k--; } while (k > 0)\n"
                    .. "void up(long *s) { ++*s; } long f(long i) { long s = 0, k = i; LOOP; up(&s); return s - 1; }"] = triangle,
            } do
                local got = x:map(text):totable()
                for i = 1, 300 do
                    assert.equal(want(i), got[i], ("%s at %d"):format(text, i))
                end
            end
        end)

        it("ends at a failed check in a loop without an end", function()
            for _, loop in ipairs {
                "while (n >= 0) n = 7 / x * 0;", "do n = 7 / x * 0; while (n >= 0);", "again: n = 7 / x * 0; goto again;",
                "again: if (n >= 0) { n = 7 / x * 0; goto again; }", "EVER n = 7 / x * 0;",
            } do
                expect.failure("attempt to perform 'n/0'", lun.eval, lun.vector { 0 }:map(
                    "#define EVER while (n >= 0)\nlong f(long x) { long n = 0; " .. loop .. " return n; }"))
            end
        end)

        it("with words of OpenCL alone is refused everywhere", function()
            for text, part in pairs {
                ["(int i) {\n return get_global_id(0); }"] = "line 2: get_global_id exists only in OpenCL",
                ["(float x) { float3 v = {x, x, x}; return v.x; }"] = "float3 exists only in OpenCL",
                ["(float x) { return native_sin(x); }"] = "remove native_",
                ["(float x) { barrier(1); return x; }"] = "functions of lun.teams have LUN_BARRIER",
            } do
                expect.failure(part, lun.map, text)
            end
            expect.elements({ 4 }, lun.vector { 2 }:map [[
                typedef struct { long x, y; } long2;
                long get_double(long x) { long2 v = {x, x}; return v.x + v.y; }
                long f(long x) { return get_double(x); }]])
        end)

        it("may be any legal C", function()
            local a = lun.vector { 1, 2 }
            expect.elements({ 2, 3 }, a:map "#if 1\nlong f(long x) { return x + 1; }\n#else\nlong f(long y) { return y; }\n#endif")
            expect.elements({ 1, 2 }, a:map "#if 0\nlong f(long x) { return x + 1; }\n#else\nlong f(long y) { return y; }\n#endif")
            expect.elements({ 5, 6 }, a:map [[
                #define CALL(name, x) plus_##name(x)
                static long plus_four(long x) { return x + 4; }
                long f(long x) { return CALL(four, x); }]])
            expect.elements({ 5, 6 }, a:map("(long linux, long unix) { return linux + unix; }", 4))
            expect.elements({ 3, 4 }, a:map "extern long f(long x) { return x + 2; }")
            expect.failure("with different types", lun.map,
                "#if 1\nlong f(long x) { return x; }\n#else\nlong f(double x) { return x; }\n#endif")
        end)
    end)
end

describe("a driver", function()
    it("writes nothing to stderr when a C text does not compile", function()
        local interpreter = shell.interpreter()
        for _, backend in ipairs(backends) do
            local text = shell.capture(("LUNARRAY_BACKEND=%s %s -e 'local lun = require \"lunarray\" " ..
                "print(pcall(lun.eval, lun.ones(3):map \"(double x) { return nosuch(x); }\"))' 2>&1 >/dev/null")
                :format(backend, interpreter))
            assert.equal("", text)
        end
    end)
end)
