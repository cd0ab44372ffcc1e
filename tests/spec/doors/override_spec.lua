-- A library in place of an algorithm: lun.override. The libraries are made here, for the test: they multiply and transform by
-- loops, and write how they were called. What is expected of products comes from loops over numbers here, of integers, whose
-- sums are exact in any order; of transforms from their definition.
local shell = require "shell"

local build = os.getenv "BUILD" or "build"
local program = io.popen("realpath " .. build .. "/lunarray"):read "l"

local CBLAS = [[
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#define MULTIPLY(name, T) \
void name(int order, int ta, int tb, int m, int n, int k, T alpha, const T *a, int lda, const T *b, int ldb, T beta, \
          T *c, int ldc) { \
    FILE *f = fopen(getenv("CALLS"), "a"); \
    fprintf(f, #name " %d %d %d %d %d %d %d %d %d\n", order, ta, tb, m, n, k, lda, ldb, ldc); \
    fclose(f); \
    if (getenv("STOP")) \
        raise(SIGINT); \
    if (order != 101 || lda < (ta == 111 ? k : m) || ldb < (tb == 111 ? n : k) || ldc < n || alpha != 1 || beta != 0) \
        abort(); \
    for (int i = 0; i < m && !getenv("NO_SUMS"); i++) \
        for (int j = 0; j < n; j++) { \
            T s = 0; \
            for (int l = 0; l < k; l++) \
                s += (ta == 111 ? a[(long)i * lda + l] : a[(long)l * lda + i]) * \
                     (tb == 111 ? b[(long)l * ldb + j] : b[(long)j * ldb + l]); \
            c[(long)i * ldc + j] = s; \
        } \
}
MULTIPLY(cblas_sgemm, float)
MULTIPLY(cblas_dgemm, double)
const char *openblas_get_config(void) { return "MadeBLAS 7.5 NO_THREADS"; }
]]

local FFTW = [[
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
typedef struct { ptrdiff_t n, is, os; } extent;
typedef struct { int kind, sign; extent line, more[2]; double *in, *out; } plan;
const char fftw_version[] = "fftw-7.5.1-loops";
static void *make(int kind, int rank, const extent *dims, int more, const extent *lines, double *in, double *out, int sign,
                  unsigned flags) {
    FILE *f = fopen(getenv("CALLS"), "a");
    fprintf(f, "%s %d lines of %d by %d %d\n", kind == 0 ? "complex" : kind == 1 ? "to half" : "of half",
            (int)(lines[0].n * lines[1].n), (int)dims->n, (int)dims->is, (int)dims->os);
    fclose(f);
    if (rank != 1 || more != 2 || flags != (1 << 1 | 1 << 4 | 1 << 6))
        abort();
    plan *p = malloc(sizeof *p);
    *p = (plan){kind, sign, *dims, {lines[0], lines[1]}, in, out};
    return getenv("NO_PLAN") ? NULL : p;
}
void *fftw_plan_guru64_dft(int rank, const extent *d, int more, const extent *l, double *in, double *out, int sign, unsigned flags) {
    return make(0, rank, d, more, l, in, out, sign, flags);
}
void *fftw_plan_guru64_dft_r2c(int rank, const extent *d, int more, const extent *l, double *in, double *out, unsigned flags) {
    return make(1, rank, d, more, l, in, out, -1, flags);
}
void *fftw_plan_guru64_dft_c2r(int rank, const extent *d, int more, const extent *l, double *in, double *out, unsigned flags) {
    return make(2, rank, d, more, l, in, out, 1, flags);
}
static void line(const plan *p, const double *in, double *out) {
    const ptrdiff_t n = p->line.n, is = p->line.is, os = p->line.os;
    for (ptrdiff_t k = 0; k < (p->kind == 1 ? n / 2 + 1 : n); k++) {
        double re = 0, im = 0;
        for (ptrdiff_t j = 0; j < n; j++) {
            const double a = 2 * M_PI * p->sign * (double)(j * k % n) / n, c = cos(a), s = sin(a);
            const ptrdiff_t at = p->kind == 2 && j > n / 2 ? n - j : j;
            const double x = p->kind == 1 ? in[at * is] : in[2 * at * is];
            const double y = p->kind == 1 ? 0 : at == j ? in[2 * at * is + 1] : -in[2 * at * is + 1];
            re += x * c - y * s;
            im += x * s + y * c;
        }
        if (p->kind == 2)
            out[k * os] = re;
        else
            out[2 * k * os] = re, out[2 * k * os + 1] = im;
    }
}
void fftw_execute(void *plan_) {
    const plan *p = plan_;
    const int of = p->kind == 1 ? 1 : 2, to = p->kind == 2 ? 1 : 2;
    for (ptrdiff_t i = 0; i < p->more[0].n; i++)
        for (ptrdiff_t j = 0; j < p->more[1].n; j++)
            line(p, p->in + of * (i * p->more[0].is + j * p->more[1].is), p->out + to * (i * p->more[0].os + j * p->more[1].os));
}
void fftw_destroy_plan(void *p) { free(p); }
]]

-- Before each script: matrices of small integers, their product by loops, and a comparison, with the calls since.
local BEFORE = [[
local function product(A, B)
    local a, b, rows = A:totable(), B:totable(), {}
    for i = 1, #a do
        rows[i] = {}
        for j = 1, #b[1] do
            local s = 0
            for k = 1, #b do s = s + a[i][k] * b[k][j] end
            rows[i][j] = s
        end
    end
    return rows
end
local function ints(n, m, t) return (lun.index(n * m) * 7 % 11 - 5):cast(t or "f64"):reshape(n, m):copy() end
local function calls()
    local f = io.open(os.getenv "CALLS")
    local text = f and f:read "a" or ""
    if f then f:close() end
    os.remove(os.getenv "CALLS")
    return (text:gsub("\n$", ""):gsub("\n", "; "))
end
local function compare(A, B)
    local want, got = product(A, B), A:matmul(B):totable()
    for i = 1, #want do
        for j = 1, #want[1] do
            assert(want[i][j] == got[i][j], ("%d, %d: %s, not %s"):format(i, j, got[i][j], want[i][j]))
        end
    end
    print(calls())
end
]]

describe("a library in place of an algorithm", function()
    local at, made, transforms

    setup(function()
        at = shell.scratch()
        made = at .. "/made.so"
        shell.write(at .. "/made.c", CBLAS)
        local said, status = shell.capture(("cc -shared -fPIC -o %s %s/made.c 2>&1"):format(made, at))
        assert(status == 0, said)
        transforms = at .. "/transforms.so"
        shell.write(at .. "/transforms.c", FFTW)
        said, status = shell.capture(("cc -O1 -shared -fPIC -o %s %s/transforms.c -lm 2>&1"):format(transforms, at))
        assert(status == 0, said)
    end)

    teardown(function()
        shell.discard(at)
    end)

    local function run(script, settings, options)
        local file = shell.write(at .. "/script.lua", BEFORE .. script)
        os.remove(at .. "/calls")
        local libraries = ("CALLS=%s/calls LUNARRAY_BLAS=%s LUNARRAY_FFTW=%s"):format(at, made, transforms)
        return (shell.capture(("%s %s %s %s %s 2>&1"):format(libraries, settings or "", program, options or "", file)))
    end

    it("is off until a script asks for it, and seen then", function()
        local said = run [[
            local A, B = ints(5, 4), ints(4, 3)
            compare(A, B)
            print(lun.bits(), lun.override().matmul, lun.override "matmul")
            print(lun.override("matmul", "blas"))
            compare(A, B)
            print(lun.bits(), lun.override().matmul, lun.override "matmul")
            print(lun.explain(A:matmul(B)))
            print(lun.info():match "\noverride[^\n]*")
            for _, own in ipairs { "own", false } do
                print(lun.override("matmul", own))
                compare(A, B)
                lun.override("matmul", "blas")
            end
            print(lun.override("matmul", nil))
            print(lun.bits(), lun.info():match "\noverride[^\n]*", (tostring(lun.explain(A:matmul(B))):find "MadeBLAS"))]]
        assert.equal(([[

v1	own	own	nil
blas	MadeBLAS 7.5, AT
cblas_dgemm 101 111 111 5 3 4 4 3 3
none	blas	blas	MadeBLAS 7.5, AT
plan: 1 kernel, 1 operation, 376 bytes moved
   1  matmul  n = 15 (5 x 3 x 4), 1 operation, reads 2 arrays (256 bytes), writes 1 array (120 bytes)
      f64[5, 4] x f64[4, 3], by MadeBLAS 7.5, whose bits are its own

override   matmul: blas, MadeBLAS 7.5, AT
own	nil

own	nil

own	nil
v1	nil	nil
]]):gsub("AT", (made:gsub("%%", "%%%%"))), said)
    end)

    it("takes operands as they stand, or packs them", function()
        local said = run [[
            lun.override("matmul", "blas")
            local A, B = ints(4, 6), ints(6, 5)
            compare(A:cast "f32", B:cast "f32")
            compare(ints(6, 4):transpose(), B)
            compare(A, ints(5, 6):transpose())
            compare(ints(9, 6):sub({ 2, 5 }), B)
            compare(ints(4, 9):sub({}, { 2, 7 }), B)
            compare(ints(8, 6):sub({ 1, 8, 2 }), B)
            compare(ints(4, 12):sub({}, { 1, 12, 2 }), B)
            compare(A:flip(), B)
            compare(lun.index(9):cast "f64":windows(6), B)
            compare(A, lun.vector { 3.0 }:broadcast(6, 5))
            compare(A, ints(1, 5):broadcast(6, 5))
            compare(ints(1, 6), ints(6, 1))
            compare(ints(4, 1), ints(1, 5))
            compare(ints(6, 6):sub({}, { 2, 2 }), ints(6, 6):sub({ 3, 3 }))
            compare(A:cast "f32", B)
            compare(A:cast "i32", B)
            compare(A:cast "f16", B:cast "f32")
            compare(A, ints(5, 6, "i8"):transpose())
            compare(A * 2 + 1, B - 1)]]
        assert.equal([[
cblas_sgemm 101 111 111 4 5 6 6 5 5
cblas_dgemm 101 112 111 4 5 6 4 5 5
cblas_dgemm 101 111 112 4 5 6 6 6 5
cblas_dgemm 101 111 111 4 5 6 6 5 5
cblas_dgemm 101 111 111 4 5 6 9 5 5
cblas_dgemm 101 111 111 4 5 6 12 5 5
cblas_dgemm 101 111 111 4 5 6 6 5 5
cblas_dgemm 101 111 111 4 5 6 6 5 5
cblas_dgemm 101 111 111 4 5 6 6 5 5
cblas_dgemm 101 111 111 4 5 6 6 5 5
cblas_dgemm 101 111 111 4 5 6 6 5 5
cblas_dgemm 101 111 111 1 1 6 6 1 1
cblas_dgemm 101 111 111 4 5 1 1 5 5
cblas_dgemm 101 111 111 6 6 1 6 6 6
cblas_dgemm 101 111 111 4 5 6 6 5 5
cblas_dgemm 101 111 111 4 5 6 6 5 5
cblas_sgemm 101 111 111 4 5 6 6 5 5
cblas_dgemm 101 111 111 4 5 6 6 5 5
cblas_dgemm 101 111 111 4 5 6 6 5 5
]], said)
    end)

    it("leaves to the engine what it does not do", function()
        local said = run [[
            lun.override("matmul", "blas")
            compare(ints(4, 6, "i64"), ints(6, 5, "i64"))
            compare(ints(4, 6, "i32"), ints(6, 5, "u8"))
            local none = lun.zeros { 0, 3 }:matmul(lun.zeros { 3, 2 })
            local sums = lun.zeros { 2, 0 }:matmul(lun.zeros { 0, 2 })
            print(#none, sums:sum(), (ints(4, 6):matmul(lun.ones { 6 })):sum() == ints(4, 6):sum(), calls())
            assert(not pcall(function() return ints(2, 3):matmul(ints(2, 3)) end))]]
        assert.equal("\n\n0\t0.0\ttrue\t\n", said)
    end)

    it("multiplies batches, parts of complex matrices, NaN", function()
        local said = run [[
            lun.override("matmul", "blas")
            local A, B = (lun.index(24) % 5):cast "f64":reshape(2, 3, 4):copy(), ints(4, 2)
            local C = A:matmul(B)
            for k = 1, 2 do
                local want, got = product(A[k], B), C[k]:totable()
                for i = 1, 3 do for j = 1, 2 do assert(want[i][j] == got[i][j]) end end
            end
            print(calls())
            local z = lun.complex(ints(2, 2), ints(2, 2) + 1):matmul(lun.complex(ints(2, 2), ints(2, 2) - 1))
            local x, y, u, v = ints(2, 2), ints(2, 2) + 1, ints(2, 2), ints(2, 2) - 1
            local re, im, p, q = product(x, u), product(x, v), product(y, v), product(y, u)
            for i = 1, 2 do for j = 1, 2 do
                assert(z.re[i][j] == re[i][j] - p[i][j] and z.im[i][j] == im[i][j] + q[i][j])
            end end
            print(calls():find "cblas_dgemm" ~= nil)
            local n = lun.vector { { 1, 0 / 0 }, { 2, 3 } }:matmul(lun.vector { { 1.0, 0 }, { 0, 1 } })
            print(n[1][1] ~= n[1][1], n[2][1], n[2][2])]]
        assert.matches("^cblas_dgemm [%d ]*; cblas_dgemm [%d ]*\ntrue\ntrue\t2%.0\t3%.0\n$", said)
    end)

    it("has results that what follows takes, and takes what comes before", function()
        local said = run [[
            local A, B = (lun.index(2000 * 300) % 13 - 6):cast "f64":reshape(2000, 300):copy(), ints(300, 200)
            local function made()
                local P = A:matmul(B)
                local Q = (P - P:max { axis = 2, keep = true })
                return Q:sum { axis = 2 }, (A * 2 + 1):matmul(B):sum(), (A:matmul(B) + 1):sum()
            end
            local s, t, u = made()
            s = lun.eval(s)
            print(calls())
            lun.override("matmul", "blas")
            local x, y, z = made()
            print(x == s, y == t, z == u)
            print(calls():gsub("cblas_dgemm 101 111 111 2000 200 300 300 200 200", "P"))]]
        assert.equal("\ntrue\ttrue\ttrue\nP; P\t2\n", said)
    end)

    it("computes what queues evaluate after it", function()
        local said = run [[
            local A, B, q = ints(5, 4), ints(4, 3), lun.queue("openmp", { async = true })
            local first, second = A:matmul(B), A:matmul(B) + 1
            q:enqueue(first)
            lun.override("matmul", "blas")
            q:enqueue(second)
            lun.override("matmul", nil)
            q:wait()
            print(second:sum() - first:sum(), calls())]]
        assert.equal("15.0\tcblas_dgemm 101 111 111 5 3 4 4 3 3\n", said)
    end)

    it("is not for sets of places and devices that multiply", function()
        local said = run([[
            lun.override("matmul", "blas")
            lun.use("openmp/2")
            local C = ints(64, 40):matmul(ints(40, 50))
            print(tostring(lun.explain(C)):find "MadeBLAS", C:sum() ~= nil, calls())]])
        assert.equal("nil\ttrue\t\n", said)
    end)

    it("cuts large products into calls, between which it stops", function()
        local said = run([[
            lun.override("matmul", "blas")
            local C = lun.eval(lun.ones({ 1000, 4000 }, "f32"):copy():matmul(lun.ones({ 4000, 4000 }, "f32"):copy()))
            print(#C, calls())]], "NO_SUMS=1")
        assert.equal("1000\tcblas_sgemm 101 111 111 500 4000 4000 4000 4000 4000; "
            .. "cblas_sgemm 101 111 111 500 4000 4000 4000 4000 4000\n", said)
        said = run([[
            lun.override("matmul", "blas")
            local C = lun.ones({ 1000, 4000 }, "f32"):copy():matmul(lun.ones({ 4000, 4000 }, "f32"):copy())
            lun.eval(C)
            print "not stopped"]], "STOP=1 NO_SUMS=1")
        assert.matches("lunarray: interrupted!", said, 1, true)
        assert.is_nil(said:find "not stopped")
        assert.equal("cblas_sgemm 101 111 111 500 4000 4000 4000 4000 4000\n", shell.slurp(at .. "/calls"))
    end)

    it("has names", function()
        local function refused(words, ...)
            local ok, said = pcall(lun.override, ...)
            assert.is_false(ok)
            assert.matches(words, said, 1, true)
        end
        refused("bad argument #1 to 'override' (no library does 'sort', only matmul, fft, linalg)", "sort")
        refused("bad argument #1 to 'override' (no library does 'sort', only matmul, fft, linalg)", "sort", "blas")
        refused("bad argument #2 to 'override' (no library 'mkl' does matmul, only blas; \"own\": the engine itself)", "matmul", "mkl")
        refused("bad argument #2 to 'override' (no library 'blas' does fft, only fftw", "fft", "blas")
        refused("bad argument #2 to 'override' (string expected, got table)", "matmul", {})
        refused("bad argument #1 to 'override' (string expected, got nil)", nil)
        assert.equal("own", (lun.override "matmul"))
    end)

    it("says what to install where it is missing", function()
        local said = run([[
            local ok, fault = pcall(function() lun.override("matmul", "blas") end)
            print(ok, fault)
            print(lun.bits(), (lun.override "matmul"))]], "LUNARRAY_BLAS=/none.so")
        assert.equal("false\t" .. at .. "/script.lua:30: LUNARRAY_BLAS names /none.so: not found\nInstall the package libopenblas0 "
            .. "or libblas3 (Debian's names) or name the library in LUNARRAY_BLAS.\nv1\town\n", said)
        shell.write(at .. "/less.c", "void cblas_dgemm(void) {}\n")
        shell.capture(("cc -shared -fPIC -o %s/less.so %s/less.c"):format(at, at))
        assert.matches("less.so is no BLAS library: it has no cblas_sgemm\nInstall ",
            run([[lun.override("matmul", "blas")]], ("LUNARRAY_BLAS=%s/less.so"):format(at)), 1, true)
    end)

    it("transforms", function()
        local said = run [[
            local function at(z, k) return type(z[k]) == "number" and z[k] or z.re[k], z.im[k] end
            local function far(x, y)
                assert(x:dtype() == y:dtype() and #x == #y and select("#", x:shape()) == select("#", y:shape()))
                return (lun.iscomplex(x) and (x - y):abs() or (x - y):abs()):max() > 1e-12
            end
            for _, n in ipairs { 1, 2, 3, 8, 13, 30 } do
                local x = (lun.index(3 * n * 2) * 7 % 11 - 5):cast "f64":reshape(3, n, 2):copy()
                local z = lun.complex(x, (lun.index(3 * n * 2) % 5 - 2):cast "f64":reshape(3, n, 2))
                for _, norm in ipairs { "backward", "ortho", "forward" } do
                    for _, axis in ipairs { 1, 2, 3 } do
                        local o = { axis = axis, norm = norm }
                        local even = { axis = axis, norm = norm, n = (select(axis, x:shape()) - 1) * 2 }
                        local function made()
                            local list = { x:fft(o), x:ifft(o), z:fft(o), z:ifft(o), x:rfft(o), x:ihfft(o), z:fftn { norm = norm } }
                            if even.n > 0 then
                                list[#list + 1] = z:irfft(even)
                                list[#list + 1] = z:hfft(even)
                            end
                            for k = 1, #list do list[k] = lun.eval(list[k]) end
                            return list
                        end
                        lun.override("fft", nil)
                        local own = made()
                        lun.override("fft", "fftw")
                        for k, one in ipairs(made()) do
                            assert(not far(one, own[k]), ("%d %s %d %d"):format(n, norm, axis, k))
                        end
                    end
                end
            end
            calls()
            -- by the definition
            local z = lun.complex(lun.vector { 1.0, 2, -1, 4, 0 }, lun.vector { 0.0, 1, 3, -2, 1 })
            local y, x, v = z:fft(), z.re:totable(), z.im:totable()
            for k = 0, 4 do
                local re, im = 0, 0
                for j = 0, 4 do
                    local a = -2 * math.pi * j * k / 5
                    re, im = re + x[j + 1] * math.cos(a) - v[j + 1] * math.sin(a), im + x[j + 1] * math.sin(a) + v[j + 1] * math.cos(a)
                end
                assert(math.abs(y.re[k + 1] - re) < 1e-13 and math.abs(y.im[k + 1] - im) < 1e-13)
            end
            print(calls())
            print(lun.bits(), lun.override "fft")
            print(tostring(lun.explain(lun.ones(8):copy():fft())):match ", by [^\n]*")
            lun.eval(lun.ones { 4, 6 }:copy():fft { axis = 1 })
            lun.eval(lun.ones { 4, 6 }:copy():rfft())
            lun.eval(lun.complex(lun.ones(4), lun.ones(4)):irfft())
            print(calls())
            lun.eval(lun.ones(8, "f32"):copy():fft())
            lun.eval(lun.ones(8):copy():fft { n = 5 })
            lun.eval(lun.ones(8):copy():fft { n = 11 })
            lun.eval(lun.zeros { 0, 4 }:fft())
            lun.override("fft", nil)
            lun.eval(lun.ones(8):copy():fft())
            print(calls(), lun.bits())]]
        assert.equal(([[
complex 1 lines of 5 by 1 1
none	fftw	FFTW 7.5.1, AT
, by FFTW 7.5.1, whose bits are its own
to half 6 lines of 4 by 6 6; to half 4 lines of 6 by 1 1; of half 1 lines of 6 by 1 1
	v1
]]):gsub("AT", (transforms:gsub("%%", "%%%%"))), said)
        assert.matches("FFTW has no plan for the transform, or no memory",
            run([[lun.override("fft", "fftw") lun.eval(lun.ones(8):copy():fft())]], "NO_PLAN=1"), 1, true)
        assert.matches("LUNARRAY_FFTW names /none.so: not found\nInstall the package libfftw3-double3 (Debian's name)",
            run([[lun.override("fft", "fftw")]], "LUNARRAY_FFTW=/none.so"), 1, true)
    end)

    it("agrees with the system's FFTW", function()
        if lun.door "fftw" ~= true then
            return pending "no FFTW on this machine"
        end
        finally(function() lun.override("fft", nil) end)
        for _, n in ipairs { 1000, 1009, 1024 } do
            local z = lun.complex(lun.random({ 3, n }, { seed = 1 }), lun.random({ 3, n }, { seed = 2 })):eval()
            lun.override("fft", nil)
            local own, half = lun.eval(z:fft()), lun.eval(z.re:rfft())
            lun.override("fft", "fftw")
            assert.is_true(((z:fft() - own):abs()):max() < 1e-11)
            assert.is_true(((z.re:rfft() - half):abs()):max() < 1e-11)
            assert.is_true((half:irfft { n = n } - z.re):abs():max() < 1e-14)
        end
    end)

    it("is out of a sandbox's reach", function()
        assert.equal("nil\n", (shell.capture(("%s --sandbox -e 'print(lun.override)' 2>&1"):format(program))))
    end)

    it("agrees with the system's BLAS", function()
        if lun.door "blas" ~= true then
            return pending "no BLAS on this machine"
        end
        finally(function() lun.override("matmul", nil) end)
        local A, B = lun.random({ 371, 290 }, { seed = 1 }), lun.random({ 290, 205 }, { seed = 2 })
        local want = lun.eval(A:matmul(B))
        lun.override("matmul", "blas")
        assert.is_true(A:matmul(B):allclose(want, { rtol = 1e-12 }))
        assert.is_true(A:cast "f32":matmul(B:cast "f32"):allclose(want, { rtol = 1e-4 }))
        local X = (lun.index(60) % 7 - 3):cast "f64":reshape(6, 10):copy()
        local Y = (lun.index(80) % 5 - 2):cast "f64":reshape(8, 10):copy()
        local got, x, y = X:matmul(Y:transpose()):totable(), X:totable(), Y:totable()
        for i = 1, 6 do
            for j = 1, 8 do
                local s = 0
                for k = 1, 10 do
                    s = s + x[i][k] * y[j][k]
                end
                assert.equal(s, got[i][j])
            end
        end
    end)
end)
