/* nomem_test.c - memory that runs out at each allocation in turn, of the engine, of Lua and of the
 * C library: a status says so, nothing crashes, the same work done again on the same engine
 * succeeds, and nothing is left when the engine is closed. The torture's part `memory` does the
 * same with many more works and specs. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* mkstemp */
#endif
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "left_out.h"
#include "lunarray.h"

#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
#define WATCHED 1 /* the sanitizer brings an allocator of its own */
#else
#define WATCHED 0
#endif

/* ---- malloc that fails at the n-th call ------------------------------------------------------ */

static long calls, fail_at, failures;

#if !WATCHED
extern void *__libc_malloc(size_t n);
extern void *__libc_calloc(size_t n, size_t size);
extern void *__libc_realloc(void *old, size_t n);
extern void *__libc_memalign(size_t alignment, size_t n);

static bool failing(void)
{
    if (!fail_at || ++calls != fail_at)
        return false;
    failures++;
    return true;
}

#pragma GCC visibility push(default)
void *malloc(size_t n)
{
    return failing() ? NULL : __libc_malloc(n);
}

void *calloc(size_t n, size_t size)
{
    return failing() ? NULL : __libc_calloc(n, size);
}

void *realloc(void *old, size_t n)
{
    return failing() ? NULL : __libc_realloc(old, n);
}

void *aligned_alloc(size_t alignment, size_t n)
{
    return failing() ? NULL : __libc_memalign(alignment, n);
}
#pragma GCC visibility pop
#endif

/* ---- works: each returns the first status that is not LUN_OK, and releases what it made ------ */

enum { MOST = 64, N = 200 };

typedef struct hands {
    lun_engine *e;
    lun_array *held[MOST];
    int count;
    lun_function *f;
    lun_plan *plan;
    lun_status status;
} hands;

static lun_array **next(hands *h)
{
    assert_true(h->count < MOST);
    return &h->held[h->count];
}

/* The array that a call gave; NULL after a failure, from which on calls are left out. */
static lun_array *hold(hands *h, lun_status s)
{
    h->status = s;
    return s == LUN_OK ? h->held[h->count++] : NULL;
}

#define MAKE(call)  (h->status ? NULL : hold(h, call))
#define DO(call)    (h->status ? (void)0 : (void)(h->status = (call)))
#define ARRAYS(...) ((lun_array *[]){__VA_ARGS__})

static lun_status let_go(hands *h)
{
    while (h->count)
        lun_release(h->held[--h->count]);
    lun_function_release(h->f);
    lun_plan_release(h->plan);
    return h->status;
}

static void expect_number(hands *h, lun_array *a, double want)
{
    lun_value x = {LUN_F64, {.d = 0}};
    DO(lun_total(h->e, LUN_SUM, a, 0, &x));
    if (!h->status)
        assert_true(fabs((x.dtype == LUN_F64 ? x.as.d : (double)x.as.i) - want) <= 1e-9 * want);
}

static lun_status operators(lun_engine *e)
{
    hands all = {.e = e}, *h = &all;
    double ones[N];
    for (int i = 0; i < N; i++)
        ones[i] = 1;
    lun_value one = {LUN_I64, {.i = 1}};
    const int64_t square[2] = {10, 20};
    lun_array *a = MAKE(lun_vector(e, ones, N, LUN_F64, next(h)));
    lun_array *w = MAKE(lun_wrap(e, ones, N, LUN_F64, NULL, NULL, next(h)));
    lun_array *i = MAKE(lun_range(e, one, one, N, LUN_I64, next(h)));
    lun_array *two = MAKE(lun_number(e, 2, next(h)));
    lun_array *n = MAKE(lun_integer(e, -3, next(h)));
    lun_array *x = MAKE(lun_mul(e, a, two, next(h)));
    lun_array *y = MAKE(lun_add(e, x, w, next(h))); /* 3 each */
    lun_array *c = MAKE(lun_lt(e, i, two, next(h)));
    lun_array *z = MAKE(lun_where(e, c, x, y, next(h)));
    lun_array *u = MAKE(lun_cast(e, i, LUN_U32, next(h)));
    lun_array *s = MAKE(lun_shl(e, u, n, next(h)));
    lun_array *r = MAKE(lun_random(e, 2, square, 7, LUN_NORMAL, LUN_F32, next(h)));
    lun_array *l = MAKE(lun_linspace(e, 0, 1, N, LUN_F64, next(h)));
    lun_array *v = MAKE(lun_reshape(e, l, 2, square, next(h)));
    lun_array *row = MAKE(lun_row(e, v, 3, next(h)));
    lun_array *part = MAKE(lun_slice(e, y, 10, 50, 2, next(h)));
    lun_array *both = MAKE(lun_concat(e, y, part, next(h)));
    DO(lun_explain(e, ARRAYS(z, s, r, row, both), 5, &h->plan));
    expect_number(h, both, 3 * 250);
    DO(lun_eval(e, ARRAYS(z, s, r, row, both), 5));
    expect_number(h, z, 3 * N - 1);
    return let_go(h);
}

static lun_status writes(lun_engine *e)
{
    hands all = {.e = e}, *h = &all;
    const int64_t n = N;
    double x[4] = {5, 6, 7, 8};
    lun_value got, half = {LUN_F64, {.d = 0.5}};
    const void *data;
    lun_array *a = MAKE(lun_full(e, 1, &n, LUN_F64, half, next(h)));
    lun_array *b = MAKE(lun_copy(e, a, next(h)));
    lun_array *sum = MAKE(lun_add(e, a, b, next(h)));
    DO(lun_write(e, a, x, 4, 4));
    DO(lun_set(e, a, 0, half));
    DO(lun_get(e, a, 5, &got));
    DO(lun_data(e, a, &data));
    expect_number(h, sum, N); /* before the writes */
    DO(lun_store(e, b, a));
    DO(lun_store_all(e, (lun_array *[]){b, a}, (lun_array *[]){a, b}, 2));
    DO(lun_read(e, b, x, 4, 4));
    DO(lun_fill(e, a, half));
    expect_number(h, b, 26 + 0.5 * (N - 4));
    return let_go(h);
}

static lun_status totals(lun_engine *e)
{
    hands all = {.e = e}, *h = &all;
    lun_value x, one = {LUN_I64, {.i = 1}};
    lun_array *i = MAKE(lun_range(e, one, one, N, LUN_I64, next(h)));
    for (int r = 0; r < LUN_REDUCTION_COUNT; r++)
        DO(lun_total(e, (lun_reduction)r, i, 0, &x));
    lun_array *most = MAKE(lun_total_lazy(e, LUN_MAX, i, 0, next(h)));
    lun_array *least = MAKE(lun_total_lazy(e, LUN_MIN, i, 0, next(h)));
    lun_array *below = MAKE(lun_sub(e, most, i, next(h)));
    lun_array *d = MAKE(lun_mul(e, below, least, next(h)));
    lun_array *f = MAKE(lun_cast(e, d, LUN_F32, next(h)));
    DO(lun_total(e, LUN_VAR, f, 0, &x));
    lun_array *far = MAKE(lun_abs(e, d, next(h)));
    expect_number(h, far, N * (N - 1) / 2);
    return let_go(h);
}

static lun_status skeletons(lun_engine *e)
{
    hands all = {.e = e}, *h = &all;
    lun_value one = {LUN_I64, {.i = 1}};
    int results;
    lun_array *i = MAKE(lun_range(e, one, one, N, LUN_I64, next(h)));
    lun_array *zero = MAKE(lun_integer(e, 0, next(h)));
    DO(lun_function_op(e, LUN_OP_ADD, &h->f));
    lun_array *twice = MAKE(lun_zip(e, h->f, i, i, NULL, 0, next(h)));
    lun_array *scan = MAKE(lun_scan(e, h->f, zero, twice, true, next(h)));
    lun_array *sum = MAKE(lun_reduce(e, h->f, zero, scan, next(h)));
    lun_array *again = MAKE(lun_call(e, h->f, ARRAYS(scan, sum), 2, 1, next(h), 1, &results));
    DO(lun_explain(e, &again, 1, &h->plan));
    expect_number(h, sum, N * (N + 1) / 3 * (N + 2));
    DO(lun_eval(e, &again, 1));
    return let_go(h);
}

/* What is rendered, not compiled. */
static lun_status rendering(lun_engine *e)
{
    hands all = {.e = e}, *h = &all;
    const int64_t n = N;
    static const char text[] =
        "#define K 3\nstatic float g(float v) { return v * K; }\n"
        "float f(float x, const float *w, int n) { return g(x) + sinf(w[0]) + n; }\n";
    lun_value half = {LUN_F64, {.d = 0.5}};
    lun_array *a = MAKE(lun_random(e, 1, &n, 3, LUN_NORMAL, LUN_F32, next(h)));
    lun_array *w = MAKE(lun_full(e, 1, &n, LUN_F32, half, next(h)));
    lun_array *three = MAKE(lun_integer(e, 3, next(h)));
    DO(lun_function_c(e, text, &h->f));
    lun_array *m = MAKE(lun_map(e, h->f, a, ARRAYS(w, three), 2, next(h)));
    lun_array *y = MAKE(lun_exp(e, m, next(h)));
    lun_array *x = MAKE(lun_sin(e, y, next(h)));
    lun_array *i = MAKE(lun_cast(e, x, LUN_I64, next(h)));
    lun_array *q = MAKE(lun_idiv(e, i, three, next(h)));
    lun_array *p = MAKE(lun_pow(e, x, three, next(h)));
    lun_function_release(h->f);
    h->f = NULL;
    static const char near[] = "float f(const float *x, float y, const float *w)\n"
                               "{ return get(x, -1) * y + LUN_AT(w, 1) - get(x, 2) + get(y, 1); }";
    static const bool keep[] = {true};
    const lun_stencil_options how = {.size = sizeof how, .keep = keep};
    int results;
    DO(lun_function_c(e, near, &h->f));
    lun_array *around =
        MAKE(lun_stencil(e, h->f, ARRAYS(a, y, w), 3, 2, &how, next(h), 1, &results));
    lun_function_release(h->f);
    h->f = NULL;
    DO(lun_function_op(e, LUN_OP_MAX, &h->f));
    lun_array *scan = MAKE(lun_scan(e, h->f, three, q, false, next(h)));
    lun_array *sum = MAKE(lun_total_lazy(e, LUN_SUM, p, 0, next(h)));
    const int64_t first[] = {1, -2}, extent[] = {3, N};
    lun_array *larger = MAKE(lun_generate(e, h->f, 2, first, extent, next(h), 1, &results));
    DO(lun_explain(e, ARRAYS(q, p, scan, sum, larger, around), 6, &h->plan));
    for (int k = 0; !h->status && k < lun_plan_count(h->plan); k++)
        assert_true(!strcmp(lun_plan_at(h->plan, k)->name, "fill") ||
                    strlen(lun_plan_at(h->plan, k)->source) > 0);
    return let_go(h);
}

static char file[] = "/tmp/lunarray-nomem-XXXXXX";

static lun_status files(lun_engine *e)
{
    hands all = {.e = e}, *h = &all;
    const int64_t n = N;
    lun_array *bytes = MAKE(lun_open_file(e, file, next(h)));
    lun_array *a = MAKE(lun_file_elements(e, bytes, 0, LUN_F64, false, 1, &n, next(h)));
    expect_number(h, a, N * (N - 1) / 2);
    lun_array *twice = MAKE(lun_add(e, a, a, next(h)));
    expect_number(h, twice, N * (N - 1));
    return let_go(h);
}

static lun_status scripts(lun_engine *e)
{
    return lun_dostring(
        e, "local k, w = 3, lun.vector { 1, 2, 3, 4 }\n"
           "local function half(x) if x % 2 == 0 then return x // 2 end return 3 * x + 1 end\n"
           "local f = function(x, more)\n"
           "  local n = 0\n"
           "  while x > 1 do x = half(x) n = n + 1 if n > 200 then break end end\n"
           "  for i = 1, 4 do n = n + w[i] * k end\n"
           "  return n + more, x > 0 and math.sqrt(n) or 0.5\n"
           "end\n"
           "local a, b = lun.index(100):map(f, 5)\n"
           "assert(a:sum() == 100 * 35 + 3142 and b[1] == math.sqrt(30))\n"
           "assert(tostring(lun.explain(a, b)):find 'map')\n"
           "local s = lun.index(50):scan(function(p, q) return p > q and p or q end, 0)\n"
           "assert(s[50] == 49 and #tostring(s * 2) > 20)\n"
           "assert(not pcall(lun.map, function(x) return x .. '' end) or true)\n"
           "local weights, r = { 1, 2, 1 }, 1\n"
           "local near = lun.stencil(function(x, d)\n"
           "  local s = 0\n"
           "  for i = -r, r do s = s + x(i) * weights[i + 2] end\n"
           "  return s + x(d(0))\n"
           "end, { elements = 2, radius = 1, edge = 'keep' })\n"
           "assert(near(w, w - w)[2] == 10)\n"
           "local t = lun.vector({ { 1, 2 }, { 3, 4 } }, 'f32')\n"
           "t[1][2] = 7\n"
           "assert(t:sum() == 15 and lun.frombytes(t:tobytes(), 'f32')[2] == 7)\n"
           "assert(#(lun.map(half) >> lun.map '-')(lun.index(9)):totable() == 9)\n");
}

/* ---- each call fails once -------------------------------------------------------------------- */

static lun_engine *open_engine(const char *backend)
{
    lun_config c = {
        .size = sizeof c, .backend = backend, .cache_dir = "", .jit = LUN_JIT_OFF, .threads = 1};
    lun_engine *e = NULL;
    lun_open(&c, &e);
    return e;
}

static void close_engine(lun_engine *e)
{
    lun_stats s = {.size = sizeof s};
    lun_stats_get(e, &s);
    lun_close(e);
    assert_int_equal(s.nodes, 0);
    assert_int_equal(s.allocated, 0);
}

/* Lets every step-th call of a work fail in a run of its own. */
static void each(lun_status (*work)(lun_engine *e), const char *backend, const char *first,
                 long step)
{
    if (WATCHED)
        LEAVE_OUT("the sanitizer brings an allocator of its own");
    long total = 0;
    for (long n = 1;; n += step) {
        lun_engine *e = open_engine(backend);
        assert_non_null(e);
        if (first)
            assert_int_equal(lun_dostring(e, first), LUN_OK);
        calls = failures = 0;
        fail_at = n;
        lun_status s = work(e);
        fail_at = 0;
        const char *text = lun_error(e);
        if (s != LUN_OK && s != LUN_ENOMEM && !(s == LUN_ESCRIPT && strstr(text, "memory")))
            fail_msg("call %ld failed: %s (%s)", n, lun_status_name(s), text);
        if (s != LUN_OK && !failures)
            fail_msg("%s (%s) where nothing failed", lun_status_name(s), text);
        total += failures;
        bool done = !failures;
        s = work(e);
        if (s != LUN_OK)
            fail_msg("after call %ld had failed: %s (%s)", n, lun_status_name(s), lun_error(e));
        if (first)
            lun_close(e);
        else
            close_engine(e);
        if (done)
            break;
    }
    assert_true(total > 10);
}

/* What looks compute on their way is kept by the next ones. */
static lun_status states(lun_engine *e)
{
    enum { LONG = 3000 };
    hands all = {.e = e}, *h = &all;
    double zeros[LONG] = {0};
    lun_array *one = MAKE(lun_number(e, 1, next(h)));
    lun_array *b = MAKE(lun_vector(e, zeros, LONG, LUN_F64, next(h)));
    for (int k = 1; k < 8; k++) {
        lun_value x = {LUN_F64, {.d = 0}};
        b = MAKE(lun_add(e, b, one, next(h)));
        if (k % 3)
            expect_number(h, b, (double)k * LONG);
        lun_array *twice = MAKE(lun_add(e, b, b, next(h)));
        DO(lun_get(e, twice, LONG - 1, &x));
        assert_true(h->status || x.as.d == 2 * k);
    }
    return let_go(h);
}

/* What is read around each index, of what is read so. */
static lun_status neighbours(lun_engine *e)
{
    hands all = {.e = e}, *h = &all;
    const int64_t one = 1;
    const lun_edge wrap = LUN_EDGE_WRAP;
    const lun_value zero = {LUN_F64, {.d = 0}};
    double ones[N];
    for (int i = 0; i < N; i++)
        ones[i] = 1;
    lun_array *a = MAKE(lun_vector(e, ones, N, LUN_F64, next(h)));
    for (int k = 0; k < 4; k++) {
        lun_array *wide = MAKE(lun_pad(e, a, &one, &one, &wrap, zero, next(h)));
        lun_array *before = MAKE(lun_slice(e, wide, 0, N, 1, next(h)));
        lun_array *after = MAKE(lun_slice(e, wide, 2, N, 1, next(h)));
        a = MAKE(lun_add(e, before, after, next(h)));
    }
    expect_number(h, a, 16 * N);
    return let_go(h);
}

/* Arrays of several distributions, scanned and reduced; what a plan would move. */
static lun_status distributions(lun_engine *e)
{
    hands all = {.e = e}, *h = &all;
    double ones[N];
    for (int i = 0; i < N; i++)
        ones[i] = 1;
    const lun_distribution copy = {.size = sizeof copy, .kind = "copy"};
    const lun_distribution overlap = {.size = sizeof overlap, .kind = "overlap", .halo = 2};
    lun_array *a = MAKE(lun_vector(e, ones, N, LUN_F64, next(h)));
    lun_array *b = MAKE(lun_vector(e, ones, N, LUN_F64, next(h)));
    DO(lun_distribute(e, a, &copy));
    DO(lun_distribute(e, b, &overlap));
    lun_array *sum = MAKE(lun_add(e, a, b, next(h)));
    DO(lun_distribute(e, sum, &copy));
    DO(lun_explain(e, &sum, 1, &h->plan));
    DO(lun_eval(e, &sum, 1));
    lun_array *zero = MAKE(lun_integer(e, 0, next(h)));
    DO(lun_function_op(e, LUN_OP_ADD, &h->f));
    lun_array *scan = MAKE(lun_scan(e, h->f, zero, sum, true, next(h)));
    expect_number(h, scan, N * (N + 1));
    expect_number(h, sum, 2 * N);
    return let_go(h);
}

/* Copies that differ, merged by an expression, a read, a copy and in another set. */
static lun_status differing(lun_engine *e)
{
    hands all = {.e = e}, *h = &all;
    double ones[N];
    for (int i = 0; i < N; i++)
        ones[i] = 1;
    lun_array *a = MAKE(lun_vector(e, ones, N, LUN_F64, next(h)));
    lun_array *b = MAKE(lun_vector(e, ones, N, LUN_F64, next(h)));
    DO(lun_function_op(e, LUN_OP_ADD, &h->f));
    const lun_distribution sums = {.size = sizeof sums, .kind = "copy", .combine = h->f};
    const lun_distribution first = {.size = sizeof first, .kind = "copy"};
    DO(lun_distribute(e, a, &sums));
    DO(lun_distribute(e, b, &first));
    DO(lun_touched(e, a));
    DO(lun_touched(e, b));
    lun_array *sum = MAKE(lun_add(e, a, b, next(h)));
    DO(lun_explain(e, &sum, 1, &h->plan));
    expect_number(h, sum, 4 * N);
    DO(lun_touched(e, a));
    lun_array *copy = MAKE(lun_copy(e, a, next(h)));
    expect_number(h, copy, 9 * N);
    return let_go(h);
}

static void test_sets(void **state)
{
    (void)state;
    each(differing, "reference/3", NULL, 1);
    each(distributions, "reference/3", NULL, 1);
    each(operators, "reference/3", NULL, 1);
    each(writes, "reference/3", NULL, 1);
    each(totals, "reference/2", NULL, 1);
    each(skeletons, "reference/3", NULL, 1);
    each(states, "reference/2", NULL, 1);
}

static void test_operators(void **state)
{
    (void)state;
    each(operators, "reference", NULL, 1);
}

static void test_writes(void **state)
{
    (void)state;
    each(writes, "reference", NULL, 1);
}

static void test_totals(void **state)
{
    (void)state;
    each(totals, "reference", NULL, 1);
}

static void test_states(void **state)
{
    (void)state;
    each(states, "reference", NULL, 1);
    each(states, "openmp", NULL, 1);
    each(neighbours, "openmp", NULL, 1);
}

static void test_skeletons(void **state)
{
    (void)state;
    each(skeletons, "reference", NULL, 1);
    each(skeletons, "openmp", NULL, 1);
}

static void test_rendering(void **state)
{
    (void)state;
    each(rendering, "openmp", NULL, 1);
}

static void test_files(void **state)
{
    (void)state;
    int fd = mkstemp(file);
    assert_true(fd >= 0);
    for (int i = 0; i < N; i++) {
        double x = i;
        assert_int_equal(write(fd, &x, sizeof x), sizeof x);
    }
    close(fd);
    each(files, "reference", NULL, 1);
    unlink(file);
}

static void test_scripts(void **state)
{
    (void)state;
    each(scripts, "reference", "local a = lun", 7);
}

/* An engine opens, with its backend, or says why not. */
static void test_opening(void **state)
{
    (void)state;
    if (WATCHED)
        LEAVE_OUT("the sanitizer brings an allocator of its own");
    static const char *const backends[] = {"reference", "openmp"};
    for (int b = 0; b < 2; b++) {
        bool done = false;
        for (long n = 1; !done; n++) {
            calls = failures = 0;
            fail_at = n;
            lun_engine *e = open_engine(backends[b]);
            fail_at = 0;
            done = !failures;
            assert_true(e || failures);
            if (!e)
                assert_non_null(strstr(lun_error(NULL), "memory"));
            else
                assert_int_equal(operators(e), LUN_OK);
            lun_close(e);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_opening),   cmocka_unit_test(test_operators),
        cmocka_unit_test(test_writes),    cmocka_unit_test(test_totals),
        cmocka_unit_test(test_skeletons), cmocka_unit_test(test_rendering),
        cmocka_unit_test(test_files),     cmocka_unit_test(test_scripts),
        cmocka_unit_test(test_states),    cmocka_unit_test(test_sets),
    };
    unsetenv("HWLOC_SYNTHETIC"); /* without memory hwloc fails an assertion of its own there */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
