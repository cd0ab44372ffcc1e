-- Factors of matrices by LAPACK: lun.override("linalg", "lapack"). The library is made here, for the test: it works by plain loops and
-- Jacobi's rotations, checks how it is called and writes what was asked. What is expected is the definition: products of the factors
-- are the matrix, vectors are orthogonal, signs are the engine's.
local lun = require "lunarray"
local shell = require "shell"

local build = os.getenv "BUILD" or "build"
local program = io.popen("realpath " .. build .. "/lunarray"):read "l"

local LAPACK = [[
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static void say(const char *what, int m, int n) {
    FILE *f = fopen(getenv("CALLS"), "a");
    fprintf(f, "%s %d %d\n", what, m, n);
    fclose(f);
}
/* a, symmetric, n x n: its eigenvalues ascending, vectors as columns of v */
static void jacobi(int n, double *a, double *w, double *v) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            v[i + j * n] = i == j;
    for (int sweep = 0; sweep < 60; sweep++)
        for (int p = 0; p < n; p++)
            for (int q = p + 1; q < n; q++) {
                if (a[p + q * n] == 0)
                    continue;
                const double y = (a[q + q * n] - a[p + p * n]) / (2 * a[p + q * n]);
                const double t = (y < 0 ? -1 : 1) / (fabs(y) + sqrt(y * y + 1)), c = 1 / sqrt(t * t + 1), s = t * c;
                for (int k = 0; k < n; k++) {
                    const double x = a[k + p * n], z = a[k + q * n];
                    a[k + p * n] = c * x - s * z, a[k + q * n] = s * x + c * z;
                }
                for (int k = 0; k < n; k++) {
                    const double x = a[p + k * n], z = a[q + k * n], e = v[k + p * n], f = v[k + q * n];
                    a[p + k * n] = c * x - s * z, a[q + k * n] = s * x + c * z;
                    v[k + p * n] = c * e - s * f, v[k + q * n] = s * e + c * f;
                }
            }
    for (int i = 0; i < n; i++)
        w[i] = a[i + i * n];
    for (int i = 0; i < n; i++)
        for (int j = i + 1; j < n; j++)
            if (w[j] < w[i]) {
                double x = w[i];
                w[i] = w[j], w[j] = x;
                for (int k = 0; k < n; k++)
                    x = v[k + i * n], v[k + i * n] = v[k + j * n], v[k + j * n] = x;
            }
}
#define ALL(T, getrf, potrf, syevd, gesdd) \
void getrf(const int *m, const int *n, T *a, const int *lda, int *pivots, int *info) { \
    say(#getrf, *m, *n); \
    *info = 0; \
    if (*m != *n || *lda < *n) \
        abort(); \
    for (int k = 0; k < *n; k++) { \
        int at = k; \
        for (int i = k; i < *n; i++) \
            at = fabs(a[i + k * *lda]) > fabs(a[at + k * *lda]) ? i : at; \
        pivots[k] = at + 1; \
        for (int j = 0; j < *n; j++) { \
            const T x = a[k + j * *lda]; \
            a[k + j * *lda] = a[at + j * *lda], a[at + j * *lda] = x; \
        } \
        if (a[k + k * *lda] == 0) { \
            *info = *info ? *info : k + 1; \
            continue; \
        } \
        for (int i = k + 1; i < *n; i++) { \
            a[i + k * *lda] /= a[k + k * *lda]; \
            for (int j = k + 1; j < *n; j++) \
                a[i + j * *lda] -= a[i + k * *lda] * a[k + j * *lda]; \
        } \
    } \
} \
void potrf(const char *triangle, const int *n, T *a, const int *lda, int *info, size_t length) { \
    say(#potrf, *n, *n); \
    *info = 0; \
    if (*triangle != 'L' || *lda < *n || length != 1) \
        abort(); \
    for (int j = 0; j < *n; j++) \
        for (int i = j; i < *n; i++) { \
            T s = a[i + j * *lda]; \
            for (int k = 0; k < j; k++) \
                s -= a[i + k * *lda] * a[j + k * *lda]; \
            if (i == j && !(s > 0)) { \
                *info = j + 1; \
                return; \
            } \
            a[i + j * *lda] = i == j ? sqrt(s) : s / a[j + j * *lda]; \
        } \
} \
void syevd(const char *what, const char *triangle, const int *n_, T *a, const int *lda, T *w, T *work, const int *room, \
           int *numbers, const int *count, int *info, size_t length, size_t length_too) { \
    const int n = *n_, vectors = *what == 'V'; \
    say(vectors ? #syevd " V" : #syevd " N", n, n); \
    if (*room < (vectors ? 1 + 6 * n + 2 * n * n : 2 * n + 1) || *count < 3 + 5 * n || *lda < n || length != 1 || length_too != 1) \
        abort(); \
    memset(work, 0xff, *room * sizeof *work), memset(numbers, 0xff, *count * sizeof *numbers); \
    double *x = malloc((2 * n + 1) * n * sizeof *x), *v = x + n * n, *y = v + n * n; \
    for (int i = 0; i < n; i++) \
        for (int j = 0; j < n; j++) \
            x[i + j * n] = *triangle == 'U' ? a[(i < j ? i : j) + (i < j ? j : i) * n] : a[(i < j ? j : i) + (i < j ? i : j) * n]; \
    jacobi(n, x, y, v); \
    for (int i = 0; i < n; i++) { \
        w[i] = y[i]; \
        for (int j = 0; j < n && vectors; j++) \
            a[j + i * n] = -v[j + i * n]; \
    } \
    free(x); \
    *info = getenv("NO_CONVERGENCE") ? 3 : 0; \
} \
void gesdd(const char *what, const int *m_, const int *n_, T *a, const int *lda, T *s, T *u, const int *ldu, T *vt, const int *ldvt, \
           T *work, const int *room, int *numbers, int *info, size_t length) { \
    const int m = *m_, n = *n_, k = m < n ? m : n, vectors = *what == 'S'; \
    say(vectors ? #gesdd " S" : #gesdd " N", m, n); \
    if (*room < 4 * k * k + 7 * k || *room < 3 * k + (m < n ? n : m) || *lda < m || length != 1 || (vectors && (*ldu < m || *ldvt < k))) \
        abort(); \
    memset(work, 0xff, *room * sizeof *work), memset(numbers, 0xff, 8 * k * sizeof *numbers); \
    double *x = malloc((2 * k + 1) * k * sizeof *x), *v = x + k * k, *y = v + k * k; \
    for (int i = 0; i < k; i++) \
        for (int j = 0; j < k; j++) { \
            x[i + j * k] = 0; \
            for (int l = 0; l < (m < n ? n : m); l++) \
                x[i + j * k] += m < n ? a[i + l * m] * a[j + l * m] : a[l + i * m] * a[l + j * m]; \
        } \
    jacobi(k, x, y, v); \
    for (int j = 0; j < k; j++) { \
        const int from = k - 1 - j; \
        s[j] = sqrt(y[from] > 0 ? y[from] : 0); \
        for (int i = 0; i < m && vectors; i++) { \
            double sum = 0; \
            for (int l = 0; l < n && m >= n; l++) \
                sum += a[i + l * m] * v[l + from * k] / s[j]; \
            u[i + j * *ldu] = m < n ? v[i + from * k] : sum; \
        } \
        for (int i = 0; i < n && vectors; i++) { \
            double sum = 0; \
            for (int l = 0; l < m && m < n; l++) \
                sum += a[l + i * m] * v[l + from * k] / s[j]; \
            vt[j + i * *ldvt] = m < n ? sum : v[i + from * k]; \
        } \
    } \
    free(x); \
    *info = getenv("NO_CONVERGENCE") ? 1 : 0; \
}
ALL(double, dgetrf_, dpotrf_, dsyevd_, dgesdd_)
ALL(float, sgetrf_, spotrf_, ssyevd_, sgesdd_)
const char *openblas_get_config(void) { return "MadeLAPACK 3.7 NO_THREADS"; }
]]

-- Before each script: matrices, and what is promised of their factors.
local BEFORE = [[
local function calls()
    local f = io.open(os.getenv "CALLS")
    local text = f and f:read "a" or ""
    if f then f:close() end
    os.remove(os.getenv "CALLS")
    return (text:gsub("\n$", ""):gsub("\n", "; "))
end
local function matrix(rows, columns, t) return lun.random({ rows, columns }, { dtype = t or "f64", seed = rows + columns }):eval() end
local function near(a, b, what)
    local bound = a:dtype() == "f64" and 1e-9 or 2e-3
    local worst = ((a - b):abs():max()) / (b:abs():max() + 1e-30)
    assert(worst < bound, ("%s: %g apart"):format(what, worst))
end
local function check(rows, columns, t)
    local A = matrix(rows, columns, t)
    local u, s, vt = A:svd()
    near(u:matmul(s:reshape(#s, 1) * vt), A, "svd")
    near(u:transpose():matmul(u), lun.eye(#s, t), "left vectors")
    near(A:svdvals(), s, "singular values")
    if rows ~= columns then return end
    local S = (A + A:transpose()):eval()
    local w, V = S:eigh()
    near(V:matmul(w:reshape(#w, 1) * V:transpose()), S, "eigh")
    near(S:eigvalsh(), w, "eigenvalues")
    local P = (A:matmul(A:transpose()) + lun.eye(rows, t) * rows):eval()
    local L = P:cholesky()
    near(L:matmul(L:transpose()), P, "cholesky")
    local b = lun.random(rows, { dtype = t, seed = 7 }):eval()
    near(A:matmul(A:solve(b)), b, "solve")
    near(A:matmul(A:inv()), lun.eye(rows, t), "inv")
end
]]

describe("LAPACK in place of factors", function()
    local at, made

    setup(function()
        at = shell.scratch()
        made = at .. "/lapack.so"
        shell.write(at .. "/lapack.c", LAPACK)
        local said, status = shell.capture(("cc -O1 -w -shared -fPIC -o %s %s/lapack.c -lm 2>&1"):format(made, at))
        assert(status == 0, said)
    end)
    teardown(function() os.execute(("rm -r '%s'"):format(at)) end)

    local function run(text, environment)
        os.remove(at .. "/calls")
        shell.write(at .. "/script.lua", BEFORE .. text)
        return (shell.capture(("env CALLS=%s/calls LUNARRAY_LAPACK=%s LUNARRAY_BACKEND=openmp %s %s %s/script.lua 2>&1"):format(at, made,
            environment or "", program, at)))
    end

    it("makes the factors that the engine makes", function()
        assert.equal("", run [[
            lun.override("linalg", "lapack")
            for _, t in ipairs { "f64", "f32" } do
                for _, shape in ipairs { { 1, 1 }, { 2, 2 }, { 5, 5 }, { 33, 33 }, { 7, 3 }, { 3, 7 }, { 1, 4 }, { 4, 1 } } do
                    check(shape[1], shape[2], t)
                end
            end]])
    end)

    it("gives vectors the engine's signs", function()
        assert.equal("", run [[
            for _, shape in ipairs { { 6, 6 }, { 9, 4 }, { 4, 9 } } do
                local A = matrix(table.unpack(shape))
                local S = (A:matmul(A:transpose())):eval()
                local own, theirs = {}, {}
                own[1], own[2], own[3] = A:svd()
                if shape[1] == shape[2] then own[4], own[5] = S:eigh() end
                for i, x in ipairs(own) do own[i] = x:eval() end
                lun.override("linalg", "lapack")
                theirs[1], theirs[2], theirs[3] = A:svd()
                if shape[1] == shape[2] then theirs[4], theirs[5] = S:eigh() end
                for i, x in ipairs(own) do near(theirs[i], x, "part " .. i) end
                lun.override("linalg", "own")
            end]])
    end)

    it("is asked once for each matrix, and for real ones alone", function()
        assert.equal([[
dgetrf_ 3 3
ssyevd_ V 3 3; ssyevd_ V 3 3
sgesdd_ N 2 2
dpotrf_ 4 4

]], run [[
            local A = matrix(3, 3)
            lun.override("linalg", "lapack")
            lun.eval(A:inv()) print(calls())
            lun.eval((lun.ones({ 2, 3, 3 }, "f32"):copy():eigh())) print(calls())
            lun.eval(matrix(5, 2, "f32"):svdvals()) print(calls())
            lun.eval((lun.eye(4) * 2):copy():cholesky()) print(calls())
            lun.eval((lun.complex(A, A)):inv()) lun.eval((A:qr())) lun.eval((A:eig())) print(calls())]])
    end)

    it("fails in the engine's words", function()
        local script = [[
            local function word(f) local _, e = pcall(f) print((tostring(e):gsub("^[^:]*:%d+: ", ""))) end
            local function of(...) return lun.vector({ ... }, "f64"):reshape(2, 2):copy() end
            for _, by in ipairs { "own", "lapack" } do
                lun.override("linalg", by)
                word(function() lun.eval(of(1, 2, 2, 1):cholesky()) end)
                word(function() lun.eval(of(1, 2, 2, 4):inv()) end)
                word(function() lun.eval((of(1, 2, 0 / 0, 4):eigh())) end)
                word(function() lun.eval((of(1, 1 / 0, 2, 4):svd())) end)
                lun.eval((of(1, 0 / 0, 2, 4):eigh())) -- the upper triangle is not read
            end]]
        local lines = {}
        for line in run(script):gmatch "[^\n]+" do lines[#lines + 1] = line end
        assert.equal(8, #lines)
        for k, word in ipairs { "not positive definite", "singular", "NaN", "NaN" } do
            assert.matches(word, lines[k], 1, true)
            assert.equal(lines[k], lines[k + 4])
        end
        assert.matches("eigenvalues did not converge", run([[
            lun.override("linalg", "lapack") lun.eval((matrix(3, 3):eigh()))]], "NO_CONVERGENCE=1"), 1, true)
        assert.matches("LUNARRAY_LAPACK names /none.so: not found\nInstall the package libopenblas0 or liblapack3",
            run([[lun.override("linalg", "lapack")]], "LUNARRAY_LAPACK=/none.so"), 1, true)
    end)

    it("is named by explain", function()
        assert.matches("by MadeLAPACK 3.7, whose bits are its own", run [[
            lun.override("linalg", "lapack") print(lun.explain((matrix(4, 4):cholesky())))]], 1, true)
    end)

    it("agrees with the system's LAPACK", function()
        if lun.door "lapack" ~= true then
            return pending "no LAPACK on this machine"
        end
        assert.equal("", (run([[
            lun.override("linalg", "lapack")
            for _, t in ipairs { "f64", "f32" } do
                for _, shape in ipairs { { 1, 1 }, { 5, 5 }, { 70, 70 }, { 90, 30 }, { 30, 90 } } do check(shape[1], shape[2], t) end
            end]], "LUNARRAY_LAPACK=")))
    end)
end)
