/* failure_test.c - an evaluation that fails on the way: memory that runs out at every place in
 * turn, cancellation at every place, errors between two kernels.  Nothing leaks, what was there
 * before is whole, and the same engine does the same work right afterwards. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lunarray_bind.h"

enum { N = 500, HANDLES = 40, RESULTS = 8 };

/* ---- an allocator that fails ----------------------------------------------------------------- */

typedef struct allocator {
    lun_engine *e;
    long calls, fail_from, fail_count, cancel_at; /* calls: so far; 0: never */
    long alive;
} allocator;

static void *give(void *ctx, void *old, size_t bytes)
{
    allocator *a = ctx;
    if (bytes == 0) {
        a->alive -= old != NULL;
        free(old);
        return NULL;
    }
    a->calls++;
    if (a->cancel_at && a->calls == a->cancel_at)
        lun_cancel(a->e);
    if (a->fail_from && a->calls >= a->fail_from && a->calls < a->fail_from + a->fail_count)
        return NULL;
    void *p = realloc(old, bytes);
    a->alive += p != NULL && !old;
    return p;
}

static lun_engine *open_with(allocator *a)
{
    lun_engine *e;
    lun_config c = {
        .size = sizeof c, .alloc = give, .alloc_ctx = a, .backend = "reference", .cache_dir = ""};
    assert_int_equal(lun_open(&c, &e), LUN_OK);
    a->e = e;
    return e;
}

static void close_with(allocator *a)
{
    lun_stats s = {.size = sizeof s};
    lun_stats_get(a->e, &s);
    assert_int_equal(s.nodes, 0);
    assert_int_equal(s.allocated, 0);
    lun_close(a->e);
    assert_int_equal(a->alive, 0);
}

/* ---- some work of every kind ----------------------------------------------------------------- */

typedef struct work {
    lun_engine *e;
    lun_array *h[HANDLES];
    int count;
    double own[N];
    double got[RESULTS];
} work;

#define TRY(call)               \
    do {                        \
        lun_status s_ = (call); \
        if (s_)                 \
            return s_;          \
    } while (0)

#define NEXT (&w->h[w->count])

#define MAKE(call)  \
    do {            \
        TRY(call);  \
        w->count++; \
    } while (0)

static lun_status two(work *w, lun_op op, lun_array *a, lun_array *b)
{
    lun_array *in[2] = {a, b};
    MAKE(lun_apply(w->e, op, in, 2, NEXT));
    return LUN_OK;
}

static lun_status sources(work *w)
{
    double x[N];
    lun_value one = {.dtype = LUN_I64, .as.i = 1};
    const int64_t shape[2] = {N / 10, 10};
    for (int i = 0; i < N; i++)
        x[i] = w->own[i] = i;
    MAKE(lun_vector(w->e, x, N, LUN_F64, NEXT)); /* 0 */
    MAKE(lun_wrap(w->e, w->own, N, LUN_F64, NULL, NULL, NEXT));
    MAKE(lun_range(w->e, one, one, N, LUN_F64, NEXT));
    MAKE(lun_reshape(w->e, w->h[1], 2, shape, NEXT));
    MAKE(lun_row(w->e, w->h[3], 2, NEXT));
    return LUN_OK;
}

static lun_status expressions(work *w, lun_function *add)
{
    TRY(two(w, LUN_OP_ADD, w->h[0], w->h[1])); /* 5 */
    MAKE(lun_scan(w->e, add, NULL, w->h[5], true, NEXT));
    MAKE(lun_total_lazy(w->e, LUN_MAX, w->h[6], 0, NEXT));
    TRY(two(w, LUN_OP_DIV, w->h[6], w->h[7]));
    MAKE(lun_scan(w->e, add, w->h[7], w->h[8], false, NEXT));
    MAKE(lun_slice(w->e, w->h[9], N - 1, N / 2, -2, NEXT)); /* 10 */
    MAKE(lun_concat(w->e, w->h[10], w->h[2], NEXT));
    MAKE(lun_exp(w->e, w->h[8], NEXT));
    MAKE(lun_total_lazy(w->e, LUN_SUM, w->h[12], 0, NEXT));
    TRY(two(w, LUN_OP_DIV, w->h[12], w->h[13]));
    return LUN_OK;
}

static lun_status values(work *w)
{
    lun_value v, seven = {.dtype = LUN_F64, .as.d = 7};
    TRY(lun_eval(w->e, w->h + 5, 10));
    TRY(lun_set(w->e, w->h[2], 3, seven)); /* a virtual array gets memory */
    TRY(lun_store(w->e, w->h[0], w->h[14]));
    TRY(lun_store(w->e, w->h[1], w->h[9]));
    TRY(lun_fill(w->e, w->h[4], seven));
    MAKE(lun_copy(w->e, w->h[3], NEXT));
    const lun_reduction r[RESULTS] = {LUN_SUM, LUN_MEAN, LUN_SUM,    LUN_VAR,
                                      LUN_SUM, LUN_NORM, LUN_ARGMAX, LUN_SUM};
    const int of[RESULTS] = {0, 1, 2, 15, 11, 14, 10, 4};
    for (int i = 0; i < RESULTS; i++) {
        TRY(lun_total(w->e, r[i], w->h[of[i]], 0, &v));
        w->got[i] = v.dtype == LUN_F64 ? v.as.d : (double)v.as.i;
    }
    return LUN_OK;
}

static lun_status all_of_it(work *w)
{
    lun_function *add;
    TRY(lun_function_op(w->e, LUN_OP_ADD, &add));
    lun_status s = sources(w);
    if (s == LUN_OK)
        s = expressions(w, add);
    lun_function_release(add);
    return s == LUN_OK ? values(w) : s;
}

static void let_go(work *w)
{
    while (w->count)
        lun_release(w->h[--w->count]);
}

/* What the work gives when nothing fails; the number of allocations in *calls. */
static void reference(work *w, long *calls)
{
    allocator a = {0};
    *w = (work){.e = open_with(&a)};
    assert_int_equal(all_of_it(w), LUN_OK);
    let_go(w);
    close_with(&a);
    *calls = a.calls;
}

/* Runs the work on an engine that fails somewhere, and again without failures. */
static void survive(allocator *a, lun_status expected, const work *want)
{
    work w = {.e = open_with(a)};
    lun_status s = all_of_it(&w);
    if (s != LUN_OK) {
        assert_int_equal(s, expected);
        assert_true(lun_error(a->e)[0] != 0);
        if (s == LUN_ENOMEM)
            assert_non_null(strstr(lun_error(a->e), "out of memory"));
    } else {
        assert_memory_equal(w.got, want->got, sizeof w.got);
    }
    a->fail_from = a->cancel_at = 0;
    if (w.count == 15) { /* all of it was built: what could not be computed can be now */
        for (int i = 5; i < 15; i++)
            assert_int_equal(lun_eval(w.e, &w.h[i], 1), LUN_OK);
    }
    let_go(&w);
    assert_int_equal(all_of_it(&w), LUN_OK);
    assert_memory_equal(w.got, want->got, sizeof w.got);
    let_go(&w);
    close_with(a);
}

static void test_memory_runs_out(void **state)
{
    (void)state;
    work want;
    long calls;
    reference(&want, &calls);
    assert_true(calls > 5);
    for (long n = 1; n <= calls; n++) {
        allocator once = {.fail_from = n, .fail_count = 1},
                  all = {.fail_from = n, .fail_count = 1000000};
        survive(&once, LUN_ENOMEM, &want);
        survive(&all, LUN_ENOMEM, &want);
    }
}

static void test_cancelled_anywhere(void **state)
{
    (void)state;
    work want;
    long calls;
    reference(&want, &calls);
    for (long n = 1; n <= calls; n++) {
        allocator a = {.cancel_at = n};
        survive(&a, LUN_ECANCEL, &want);
    }
}

/* ---- errors between kernels ------------------------------------------------------------------ */

#define OK(call)                                                   \
    do {                                                           \
        lun_status s_ = (call);                                    \
        if (s_)                                                    \
            fail_msg("%s: %s", lun_status_name(s_), lun_error(e)); \
    } while (0)

/* Kernel 2 of 3 divides by zero: the first one's result is kept, the others can be had once
 * the cause is gone. */
static void test_division_by_zero_in_the_middle(void **state)
{
    (void)state;
    allocator a = {0};
    lun_engine *e = open_with(&a);
    const int64_t x[4] = {3, 1, 2, 4};
    lun_value v;
    lun_array *all[8];
    OK(lun_vector(e, x, 4, LUN_I64, &all[0]));
    OK(lun_total_lazy(e, LUN_SUM, all[0], 0, &all[1])); /* 10 */
    OK(lun_integer(e, 10, &all[2]));
    OK(lun_sub(e, all[1], all[2], &all[3]));
    OK(lun_mark(e, "script.lua:3"));
    OK(lun_idiv(e, all[0], all[3], &all[4])); /* by a Scalar that is zero */
    OK(lun_mark(e, NULL));
    OK(lun_total_lazy(e, LUN_MAX, all[4], 0, &all[5]));
    OK(lun_add(e, all[0], all[5], &all[6]));
    OK(lun_neg(e, all[0], &all[7]));
    lun_array *roots[4] = {all[6], all[1], all[7], all[6]};
    for (int i = 0; i < 3; i++) {
        assert_int_equal(lun_eval(e, roots, 4), LUN_EZERO);
        assert_string_equal(lun_error_where(e), "script.lua:3");
    }
    assert_int_equal(lun_get(e, all[6], 0, &v), LUN_EZERO);
    OK(lun_get(e, all[1], 0, &v));
    assert_true(v.as.i == 10);
    OK(lun_get(e, all[7], 3, &v));
    assert_true(v.as.i == -4);
    OK(lun_set(e, all[0], 0, (lun_value){.dtype = LUN_I64, .as.i = 5}));
    assert_int_equal(lun_get(e, all[6], 0, &v), LUN_EZERO); /* built before the write */
    for (int i = 0; i < 8; i++)
        lun_release(all[i]);
    close_with(&a);
}

static void test_memory_limit_in_the_middle(void **state)
{
    (void)state;
    lun_engine *e;
    lun_config c = {
        .size = sizeof c, .backend = "reference", .cache_dir = "", .memory_limit = 5 * 8000};
    lun_array *all[8];
    lun_stats s = {.size = sizeof s};
    lun_value v;
    double x[1000] = {0};
    assert_int_equal(lun_open(&c, &e), LUN_OK);
    OK(lun_vector(e, x, 1000, LUN_F64, &all[0]));
    OK(lun_cos(e, all[0], &all[1]));
    OK(lun_exp(e, all[1], &all[2]));
    OK(lun_concat(e, all[1], all[2], &all[3]));
    OK(lun_concat(e, all[3], all[0], &all[4]));
    assert_int_equal(lun_eval(e, &all[4], 1), LUN_ELIMIT);
    assert_non_null(strstr(lun_error(e), "memory limit"));
    OK(lun_get(e, all[1], 999, &v));
    assert_true(v.as.d == 1);
    for (int i = 0; i < 5; i++)
        lun_release(all[i]);
    lun_stats_get(e, &s);
    assert_int_equal(s.nodes, 0);
    assert_int_equal(s.allocated, 0);
    lun_close(e);
}

/* A limit of time holds for parts of arrays as well. */
static void test_time_limit(void **state)
{
    (void)state;
    lun_engine *e;
    lun_config c = {.size = sizeof c, .backend = "reference", .cache_dir = "", .time_limit = 1e-9};
    lun_array *a, *sum, *q;
    double x[100] = {0};
    assert_int_equal(lun_open(&c, &e), LUN_OK);
    OK(lun_vector(e, x, 100, LUN_F64, &a));
    OK(lun_total_lazy(e, LUN_SUM, a, 0, &sum));
    OK(lun_add(e, a, sum, &q));
    assert_int_equal(lun_eval(e, &q, 1), LUN_ELIMIT);
    assert_non_null(strstr(lun_error(e), "time limit"));
    assert_int_equal(lun_read(e, q, x, 5, 3), LUN_ELIMIT);
    lun_release(a);
    lun_release(sum);
    lun_release(q);
    lun_close(e);
}

/* The natural ways to say that there is none. */
static void test_endless_time_limits(void **state)
{
    (void)state;
    const double limits[] = {INFINITY, 1e300, 1e18, 1e10, 1e9, 0};
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        lun_config c = {
            .size = sizeof c, .backend = "reference", .cache_dir = "", .time_limit = limits[i]};
        lun_engine *e;
        assert_int_equal(lun_open(&c, &e), LUN_OK);
        assert_int_equal(lun_dostring(e, "assert((lun.ones(1000) + 1):sum() == 2000)"), LUN_OK);
        lun_close(e);
    }
}

/* One long kernel is stopped in its middle, and what follows works. */
static void test_time_limit_in_a_kernel(void **state)
{
    (void)state;
    lun_engine *e;
    lun_config c = {.size = sizeof c,
                    .backend = "reference",
                    .cache_dir = "",
                    .jit = LUN_JIT_OFF,
                    .time_limit = 0.05};
    lun_array *k, *root, *sum;
    lun_value one = {.dtype = LUN_I64, .as.i = 1}, v;
    assert_int_equal(lun_open(&c, &e), LUN_OK);
    for (int i = 0; i < 3; i++) {
        OK(lun_range(e, one, one, i == 2 ? 100 : INT64_C(1) << 40, LUN_I64, &k));
        OK(lun_sqrt(e, k, &root));
        OK(lun_total_lazy(e, LUN_SUM, root, 0, &sum));
        lun_status s = lun_eval(e, &sum, 1);
        assert_int_equal(s, i == 2 ? LUN_OK : LUN_ELIMIT);
        if (i < 2)
            assert_string_equal(lun_error(e), "time limit reached: 0.05 seconds");
        else
            OK(lun_get(e, sum, 0, &v));
        lun_release(k);
        lun_release(root);
        lun_release(sum);
    }
    lun_close(e);
}

static void test_why_an_engine_does_not_open(void **state)
{
    (void)state;
    lun_engine *e = NULL;
    lun_config c = {.size = sizeof c, .backend = "nope", .cache_dir = ""};
    assert_int_equal(lun_open(&c, &e), LUN_EARG);
    assert_null(e);
    assert_non_null(strstr(lun_error(NULL), "no backend 'nope'; available are"));
    assert_non_null(strstr(lun_error(NULL), "reference"));
    c.backend = "reference";
    assert_int_equal(lun_open(&c, &e), LUN_OK);
    assert_string_equal(lun_error(NULL), "");
    lun_close(e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_memory_runs_out),
        cmocka_unit_test(test_cancelled_anywhere),
        cmocka_unit_test(test_division_by_zero_in_the_middle),
        cmocka_unit_test(test_memory_limit_in_the_middle),
        cmocka_unit_test(test_time_limit),
        cmocka_unit_test(test_endless_time_limits),
        cmocka_unit_test(test_time_limit_in_a_kernel),
        cmocka_unit_test(test_why_an_engine_does_not_open),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
