-- A library in place of an algorithm: lun.override. The library is made here, for the test: it multiplies by loops, and
-- writes how it was called. What is expected of products comes from loops over numbers here, of integers, whose sums are
-- exact in any order.
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
    local at, made

    setup(function()
        at = shell.scratch()
        made = at .. "/made.so"
        shell.write(at .. "/made.c", CBLAS)
        local said, status = shell.capture(("cc -shared -fPIC -o %s %s/made.c 2>&1"):format(made, at))
        assert(status == 0, said)
    end)

    teardown(function()
        shell.discard(at)
    end)

    local function run(script, settings, options)
        local file = shell.write(at .. "/script.lua", BEFORE .. script)
        os.remove(at .. "/calls")
        return (shell.capture(("CALLS=%s/calls LUNARRAY_BLAS=%s %s %s %s %s 2>&1"):format(at, made, settings or "", program,
            options or "", file)))
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
            print(lun.bits(), lun.info():match "\noverride[^\n]*", (lun.explain(A:matmul(B)).text:find "MadeBLAS"))]]
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
            print(lun.explain(C).text:find "MadeBLAS", C:sum() ~= nil, calls())]])
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
        refused("bad argument #1 to 'override' (no library does 'fft', only matmul)", "fft")
        refused("bad argument #1 to 'override' (no library does 'fft', only matmul)", "fft", "blas")
        refused("bad argument #2 to 'override' (no library 'mkl' does matmul, only blas; \"own\": the engine itself)", "matmul", "mkl")
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
