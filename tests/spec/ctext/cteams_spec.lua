-- lun.teams and lun.task with functions given as C text. The oracle is plain Lua: numbers written out, or the same
-- computed by loops.
local lun = require "lunarray"
local expect = require "expect"

local everywhere, refused = expect.everywhere, expect.failure

local function rows(n, m, f)
    local list = {}
    for i = 1, n do
        list[i] = {}
        for j = 1, m do list[i][j] = f(i, j) end
    end
    return list
end

local function numbers(n, f)
    local list = {}
    for i = 1, n do list[i] = f(i) end
    return list
end

describe("a C function of teams", function()
    it("writes arrays in place, thread by thread", function()
        local text = [[void daxpy(double *y, const double *x, double a, long n)
        {
            for (long i = LUN_INDEX(0); i < LUN_INDEX(0) + LUN_ELEMENTS(0) && i < n; i++)
                y[i] = a * x[i] + y[i];
        }]]
        everywhere(function()
            for _, n in ipairs { 1, 7, 63, 64, 65, 16385 } do
                local x, y = lun.range(1, n) * 0.5, lun.ones(n)
                lun.teams(lun.workdiv(n, { team = 3, elements = 4 }))(text, y, x, 3, n)
                assert.same(numbers(n, function(i) return 1.5 * i + 1 end), y:totable())
            end
        end)
    end)

    it("knows where a thread is", function()
        everywhere(function()
            local n, at = 2 * 3 * 2 * 2 * 3 * 1, 9
            local v = lun.zeros(n * at, "i64")
            lun.teams { league = { 2, 3, 2 }, team = { 2, 3 }, elements = { 4, 1, 2 } }([[(long *v) {
                v += (LUN_BLOCK() * LUN_THREADS() + LUN_THREAD()) * 9;
                v[0] = LUN_BLOCK(0) * 100 + LUN_BLOCK(1) * 10 + LUN_BLOCK(2);
                v[1] = LUN_BLOCKS(0) * 100 + LUN_BLOCKS(1) * 10 + LUN_BLOCKS(2);
                v[2] = LUN_THREAD(0) * 100 + LUN_THREAD(1) * 10 + LUN_THREAD(2);
                v[3] = LUN_THREADS(0) * 100 + LUN_THREADS(1) * 10 + LUN_THREADS(2);
                v[4] = LUN_ELEMENTS(0) * 100 + LUN_ELEMENTS(1) * 10 + LUN_ELEMENTS(2);
                v[5] = LUN_INDEX(0) * 10000 + LUN_INDEX(1) * 100 + LUN_INDEX(2);
                v[6] = LUN_BLOCKS(); v[7] = LUN_ELEMENTS(); v[8] = LUN_INDEX();
            }]], v)
            local want, number = {}, 0
            for a = 0, 1 do for b = 0, 2 do for c = 0, 1 do for d = 0, 1 do for e = 0, 2 do
                for _, x in ipairs { a * 100 + b * 10 + c, 232, d * 100 + e * 10, 231, 412,
                    (a * 2 + d) * 4 * 10000 + (b * 3 + e) * 100 + c * 2, 12, 8, number * 8 } do
                    want[#want + 1] = x
                end
                number = number + 1
            end end end end end
            assert.same(want, v:totable())
        end)
    end)

    it("meets at barriers, in loops and branches that all threads take", function()
        everywhere(function()
            for _, team in ipairs { 1, 2, 7, 64, 100 } do
                local x = lun.range(1, 3 * team):cast "i64" % 11
                local sums, totals = lun.zeros(3 * team, "i64"), lun.zeros(3, "i64")
                lun.teams { league = 3, team = team }([[
                void f(const long *x, long *sums, long *totals) {
                    LUN_SCRATCH(long, s, 2 * LUN_THREADS(0))
                    ;
                    const int n = LUN_THREADS(0), me = LUN_THREAD(0);
                    int from = 0;
                    s[me] = x[LUN_INDEX(0)];
                    LUN_BARRIER;
                    for (int step = 1; step < n; step *= 2, from = 1 - from) {
                        long before = me >= step ? s[from * n + me - step] : 0;
                        s[(1 - from) * n + me] = s[from * n + me] + before;
                        LUN_BARRIER;
                    }
                    sums[LUN_INDEX(0)] = s[from * n + me];
                    if (LUN_BLOCK(0) != 1) {
                        LUN_BARRIER;
                        if (me == 0) s[0] = s[from * n + n - 1];
                        LUN_BARRIER;
                    } else
                        return;
                    if (me) return;
                    totals[LUN_BLOCK(0)] = s[0];
                }]], x, sums, totals)
                local given, want, all, sum = x:totable(), {}, {}, 0
                for i = 1, 3 * team do
                    sum = (i - 1) % team == 0 and given[i] or sum + given[i]
                    want[i], all[(i - 1) // team + 1] = sum, sum
                end
                all[2] = 0
                assert.same(want, sums:totable())
                assert.same(all, totals:totable())
            end
        end)
    end)

    it("keeps a thread's variables across barriers", function()
        everywhere(function()
            local team = 6
            local v, w = lun.zeros(2 * team, "f64"), lun.zeros(2 * team, "i32")
            lun.teams { league = 2, team = team }([[
            #define LAST (LUN_THREADS(0) - 1)
            typedef struct pair { double a; int b; } pair;
            static double half(double x) { return x / 2; }
            void f(double *v, int *w) {
                LUN_SCRATCH(float, s, LUN_THREADS(0) + 1);
                double x = LUN_THREAD(0), grid[2][2] = {{1, 2}, {x, 4}};
                __global double *where = &v[LUN_INDEX(0)];
                pair p = {x + 0.5, 3}, q;
                unsigned int count = 0;
                s[LUN_THREAD(0)] = x * 2;
                LUN_BARRIER;
                q = p;
                q.a += s[LAST - LUN_THREAD(0)];
                LUN_BARRIER
                ;
                do {
                    int k = count * 2; /* of each round */
                    s[LUN_THREAD(0)] += k;
                    LUN_BARRIER;
                    { int j = 5; count += j - 4; }
                    grid[1][1] += s[(LUN_THREAD(0) + 1) % (LAST + 1)];
                    LUN_BARRIER;
                    if (k == 4) break;
                } while (count < 10);
                while (1) {
                    count++;
                    LUN_BARRIER;
                    if (count % 2) continue;
                    count /= 2;
                    LUN_BARRIER;
                    if (count < 3) break;
                }
                *where = half(grid[1][1]) + q.a * 100 + sizeof grid / sizeof grid[0][0] + grid[0][1] * 1000;
                w[LUN_INDEX(0)] = count * 10 + q.b;
            }]], v, w)
            local want, counts = {}, {}
            for i = 0, 2 * team - 1 do
                local me = i % team
                local after = (me + 1) % team * 2
                local grid = 4 + (after + 0) + (after + 2) + (after + 6)
                want[i + 1] = grid / 2 + (me + 0.5 + (team - 1 - me) * 2) * 100 + 4 + 2000
                counts[i + 1] = 23
            end
            assert.same(want, v:totable())
            assert.same(counts, w:totable())
        end)
    end)

    it("has scratch memory in rows, and as large as an argument says", function()
        local text = [[#define W 4
        void f(long *v, short n, const long *x) {
            LUN_SCRATCH(double, sums, 2 * (n + 1) - n + n);
            LUN_SCRATCH(int, tile, n, W, LUN_THREADS(0) / 2);
            LUN_SCRATCH(unsigned char, turned, W, 2 * W);
            const int me = LUN_THREAD(0);
            for (long i = me; i < 2 * n + 2; i += LUN_THREADS(0)) sums[i] += i + LUN_BLOCK(0);
            for (long i = me; i < n; i += LUN_THREADS(0))
                for (int j = 0; j < W; j++)
                    for (int k = 0; k < 2; k++) tile[i][j][k] += (i * 10 + j) * 10 + k;
            for (int j = 0; j < 2 * W; j++) turned[me][j] = me + j;
            LUN_BARRIER;
            double a = 0;
            for (long i = 0; i < 2 * n + 2; i++) a += sums[i];
            for (long i = 0; i < n; i++)
                for (int j = 0; j < W; j++)
                    for (int k = 0; k < 2; k++) a += (k + 1) * tile[i][j][k];
            for (int j = 0; j < W; j++) a = a * 2 + turned[j][2 * me];
            v[LUN_INDEX(0)] = a + LUN_AT(x, 1);
        }]]
        local function wanted(n)
            return numbers(12, function(at)
                local block, me, a = (at - 1) // 4, (at - 1) % 4, 0
                for i = 0, 2 * n + 1 do a = a + i + block end
                for i = 0, n - 1 do
                    for j = 0, 3 do a = a + 3 * (i * 10 + j) * 10 + 2 end
                end
                for j = 0, 3 do a = a * 2 + j + 2 * me end
                return a + 7
            end)
        end
        everywhere(function()
            local kernels
            for _, n in ipairs { 3, 17, 4, 300, 1 } do
                local v = lun.zeros(12, "i64")
                lun.teams { league = 3, team = 4 }(text, v, n, lun.vector { 5, 7 }:cast "i64")
                assert.same(wanted(n), v:totable())
                kernels = kernels or lun.stats().kernels
                assert.equal(kernels, lun.stats().kernels)
            end
            local v = lun.zeros(12, "i64")
            local function wrong(words, n)
                refused(words, lun.teams { league = 3, team = 4 }, text, v, n, v * 1)
            end
            wrong("line 4: the number of elements of tile, a LUN_SCRATCH, is 0, not 1 to 2147483647", 0)
            wrong("line 3: the number of elements of sums, a LUN_SCRATCH, is -10, not 1 to", -6)
            local wide = "void f(long *v, float n) {\nLUN_SCRATCH(long, s, n); v[0] = s[0]; }"
            for n, shown in pairs { [0.5] = "0.5", [-math.huge] = "-inf", [2.0 ^ 40] = "1099511627776" } do
                refused("line 2: the number of elements of s, a LUN_SCRATCH, is " .. shown .. ", which is no integer",
                    lun.teams { league = 1 }, wide, v, n)
            end
            refused("is NaN, which is no integer of 1 to 2147483647", lun.teams { league = 1 }, wide, v, 0 / 0)
            refused("scratch memory, more than scratch=64 says", lun.teams { league = 1, scratch = 64 }, wide, v, 9)
            refused("and 64 run at once: that is more than", lun.teams { league = 64 }, wide, v, 2.0 ^ 30)
        end)
    end)

    it("keeps 256 KB of a team across barriers, of all variables that are there at once", function()
        local v = lun.zeros(2, "i64")
        -- each array takes 160,000 bytes of a team
        local function keeps(text)
            lun.teams { league = 1, team = 2 }("void f(long *v) { const long me = LUN_THREAD(0);\n" .. text .. " }", v)
            return v:totable()
        end
        for _, backend in ipairs { "reference", "openmp" } do
            lun.use(backend)
            assert.same({ 14, 15 }, keeps [[
                long sum = 0;
                { long a[10000]; a[9999] = me; LUN_BARRIER; sum += a[9999]; }
                for (long k = 0, a[10000]; k < 2; k++) { a[k] = k + 3; LUN_BARRIER; sum += a[k]; }
                long b[10000];
                b[0] = 7;
                LUN_BARRIER;
                v[me] = sum + b[0]; ]])
            for _, text in ipairs {
                "long a[20000]; a[0] = me; LUN_BARRIER; v[me] = a[0];",
                "long a[10000], b[10000]; a[0] = b[0] = me; LUN_BARRIER; v[me] = a[0] + b[0];",
                "long a[10000]; a[0] = me; LUN_BARRIER; long b[10000]; b[0] = a[0]; LUN_BARRIER; v[me] = b[0];",
                "long a[10000]; a[0] = me; { long b[10000]; b[0] = 1; LUN_BARRIER; v[me] = a[0] + b[0]; }",
                "for (long k = 0, a[10000]; k < 2; k++) { long b[10000]; b[0] = a[0] = k; LUN_BARRIER; v[me] = a[0] + b[0]; }",
            } do
                refused("variables_of_a_team_that_outlive_a_barrier_take_too_much_memory", keeps, text)
            end
        end
        assert.same({ 14, 15 }, v:totable())
    end)

    it("multiplies matrices by tiles of a team's memory", function()
        local text = [[
        enum { T = 4 };
        void product(double *c, const double *a, const double *b, long n) {
            LUN_SCRATCH(double, s, 4 * 4);
            LUN_SCRATCH(double, t, 4 * 4);
            long row = LUN_INDEX(0), column = LUN_INDEX(1), i = LUN_THREAD(0), j = LUN_THREAD(1);
            double sum = 0;
            for (long k = 0; k < n; k += T) {
                s[i * T + j] = row < n && k + j < n ? a[row * n + k + j] : 0;
                t[i * T + j] = k + i < n && column < n ? b[(k + i) * n + column] : 0;
                LUN_BARRIER;
                for (int m = 0; m < T; m++) sum += s[i * T + m] * t[m * T + j];
                LUN_BARRIER;
            }
            if (row < n && column < n) c[row * n + column] = sum;
        }]]
        everywhere(function()
            for _, n in ipairs { 1, 4, 11 } do
                local a = rows(n, n, function(i, j) return (i * 3 + j) % 7 end)
                local b = rows(n, n, function(i, j) return (i - 2 * j) % 5 end)
                local c = lun.zeros { n, n }
                lun.teams(lun.workdiv({ n, n }, { team = { 4, 4 } }))(text, c, lun.vector(a, "f64"), lun.vector(b, "f64"), n)
                assert.same(rows(n, n, function(i, j)
                    local sum = 0.0
                    for k = 1, n do sum = sum + a[i][k] * b[k][j] end
                    return sum
                end), c:totable())
            end
        end)
    end)

    it("takes arrays of any dtype, views and bools", function()
        everywhere(function()
            local A = lun.zeros({ 3, 4 }, "u8")
            lun.teams { league = 4 }("(unsigned char *row, bool on) { row[LUN_BLOCK(0)] = on ? 7 : 9; }", A:row(2), true)
            assert.same({ { 0, 0, 0, 0 }, { 7, 7, 7, 7 }, { 0, 0, 0, 0 } }, A:totable())
            local m = lun.zeros(3, "bool")
            lun.teams { league = 3 }("void f(bool *m, float x) { m[LUN_BLOCK(0)] = LUN_BLOCK(0) > x; }", m, 0.5)
            assert.same({ false, true, true }, m:totable())
        end)
    end)

    it("fails where it divides by zero, beyond an array, and where threads do not come together", function()
        everywhere(function()
            local v = lun.zeros(4, "i64")
            refused("line 2: attempt to perform 'n/0'", lun.teams { league = 4, team = 2 },
                "(long *v, long k) {\nv[0] = 7 / (LUN_BLOCK(0) * k); }", v, 0)
            refused("line 1: index 4 is out of range for array 'v' of length 4", lun.teams { league = 5 },
                "(long *v) { LUN_AT(v, LUN_BLOCK(0)) = 1; }", v)
            refused("line 3: some threads of a team come to a LUN_BARRIER where others do not", lun.teams { league = 1, team = 3 },
                "(long *v) {\nv[0] = 1;\nif (LUN_THREAD(0) < 2) { LUN_BARRIER; v[1] = 2; } }", v)
            refused("line 2: some threads of a team", lun.teams { league = 1, team = 3 },
                "(long *v) {\nfor (int k = 0; k <= LUN_THREAD(0); k++) LUN_BARRIER; v[0] = 1; }", v)
            refused("line 1: some threads of a team", lun.teams { league = 1, team = 3 },
                "(long *v) { if (LUN_THREAD(0) == 1) return; LUN_BARRIER; v[0] = 1; }", v)
            lun.teams { league = 4 }("(long *v) { v[LUN_BLOCK(0)] = 3; }", v)
            assert.same({ 3, 3, 3, 3 }, v:totable())
        end)
    end)

    it("is refused with its line", function()
        local v, f = lun.zeros(4, "i64"), lun.zeros(4, "f32")
        local function wrong(words, text, ...) refused(words, lun.teams { league = 2, team = 2 }, text, ...) end
        wrong("line 1: the result is void", "void f(const long *v) { }", v)
        wrong("teams takes a function", "long f(long *v) { return 1; }", v)
        wrong("the C function takes 1 argument, got 2", "(long *v) { v[0] = 1; }", v, 2)
        wrong("argument 1: an array of f32 where parameter 'v' of the C function points to i64", "(long *v) { v[0] = 1; }", f)
        wrong("argument 1: parameter 'v' of the C function is an array", "(long *v) { v[0] = 1; }", 3)
        wrong("argument 2: parameter 'x' of the C function is a number", "(long *v, long x) { v[0] = x; }", v, v)
        wrong("shares elements", "(long *v, const long *w) { v[0] = w[0]; }", v, v)
        wrong("line 1: a function without a result returns a value", "void f(long *v) { v[0] = 1; return 2; }", v)
        wrong("line 2: LUN_BARRIER stands in the function", "void g(void) {\nLUN_BARRIER; }\nvoid f(long *v) { v[0] = 1; g(); }", v)
        wrong("line 1: LUN_BARRIER stands in", "#define MEET LUN_BARRIER\nvoid f(long *v) { v[0] = 1; MEET; }", v)
        wrong("line 2: LUN_BARRIER; is a statement", "void f(long *v) {\n if (v[0]) v[0] = 1, LUN_BARRIER; }", v)
        wrong("line 3: goto or a label", "void f(long *v) {\nLUN_BARRIER;\nif (v[0]) goto end; v[1] = 2; end: ; }", v)
        wrong("line 1: a switch", "void f(long *v) { switch (1) { case 1: LUN_BARRIER; } v[0] = 1; }", v)
        wrong("line 2: #if among", "void f(long *v) {\n#if 1\nLUN_BARRIER;\n#endif\nv[0] = 1; }", v)
        wrong("line 1: LUN_SCRATCH stands at the top level", "void f(long *v) { if (1) { LUN_SCRATCH(int, s, 4); } v[0] = 1; }", v)
        for _, n in ipairs { "n * n", "n / 2", "n % 2", "3, n", "n + k", "v", "m", "3, ", "3 4", "0.5" } do
            wrong("line 2: LUN_SCRATCH(type, name, n): n is an integer constant",
                "void f(long *v, long n, int k) { int m = 3;\nLUN_SCRATCH(int, s, " .. n .. "); v[0] = m; }", v, 3, 4)
        end
        wrong("line 1: s has more than 8 extents", "void f(long *v) { LUN_SCRATCH(int, s, 1, 1, 1, 1, 1, 1, 1, 1, 1); v[0] = 1; }", v)
        wrong("line 1: s has more than 2147483647 elements", "void f(long *v) { LUN_SCRATCH(int, s, 65536, 65536); v[0] = 1; }", v)
        wrong("line 1: s has 0 elements", "void f(long *v) { LUN_SCRATCH(int, s, 3, 1 - 1); v[0] = 1; }", v)
        wrong("has a type, a name and extents", "void f(long *v) { LUN_SCRATCH(int, s); v[0] = 1; }", v)
        wrong("line 1: s has 0 elements", "void f(long *v) { LUN_SCRATCH(int, s, 0); v[0] = 1; }", v)
        wrong("line 1: unknown type 'pair'", "void f(long *v) { LUN_SCRATCH(pair, s, 2); v[0] = 1; }", v)
        wrong("line 1: the name of a variable that outlives",
            "void f(long *v) { int k = 0; LUN_BARRIER; for (int k = 0; k < 3; k++) v[k] = k; v[0] = k; }", v)
        refused("a team takes 32 bytes of scratch memory, more than scratch=24", lun.teams { league = 1, team = 4, scratch = 24 },
            "(long *v) { LUN_SCRATCH(double, s, LUN_THREADS(0)); s[0] = 1; v[0] = s[0]; }", v)
        refused("LUN_THREAD is for functions without a result", function()
            return v:map("(long x) { return x + LUN_THREAD(0); }"):eval()
        end)
        refused("the result is void", function() return v:reduce("void f(long x, long *y) { y[0] = x; }") end)
        lun.use "reference"
        refused("check=true watches Lua functions", lun.teams { league = 1, check = true }, "(long *v) { v[0] = 1; }", v)
        assert.same({ 0, 0, 0, 0 }, v:totable())
    end)

    it("is a task of queues", function()
        for _, device in ipairs(lun.backends()) do
            local q = lun.queue(device, { async = true })
            local x, y = lun.buffer(device, 100), lun.buffer(device, 100)
            lun.copy(q, x, lun.range(1, 100) * 1.0)
            q:enqueue(lun.task(lun.workdiv(100, { team = 10 }), [[(double *y, const double *x, int k) {
                LUN_SCRATCH(double, s, 5 * k);
                s[LUN_THREAD(0)] = x[LUN_INDEX(0)] * k;
                LUN_BARRIER;
                y[LUN_INDEX(0)] = s[LUN_THREADS(0) - 1 - LUN_THREAD(0)];
            }]], y, x, 2))
            local out = lun.zeros(100)
            lun.copy(q, out, y)
            q:wait()
            assert.same(numbers(100, function(i) return 2.0 * ((i - 1) // 10 * 10 + 10 - (i - 1) % 10) end), out:totable())
        end
    end)
end)
