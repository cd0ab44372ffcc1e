/* reentry_test.c - functions of the host's that the engine calls, and that call the engine: while
 * an evaluation runs, while memory is given back, while something is logged, while the engine
 * closes.  Nothing hangs; what cannot be done is refused by a status. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lunarray.h"

static lun_engine *open_engine(const char *cache, void (*log)(void *, const char *), void *ctx)
{
    lun_config c = {.size = sizeof c,
                    .cache_dir = cache,
                    .backend = "openmp",
                    .jit = log ? LUN_JIT_SYNC : LUN_JIT_OFF,
                    .threads = 2,
                    .log = log,
                    .log_ctx = ctx};
    lun_engine *e = NULL;
    assert_int_equal(lun_open(&c, &e), LUN_OK);
    return e;
}

/* What all ends with: the engine works. */
static void usable(lun_engine *e)
{
    double x[3] = {1, 2, 3};
    lun_array *a;
    lun_value v;
    assert_int_equal(lun_vector(e, x, 3, LUN_F64, &a), LUN_OK);
    assert_int_equal(lun_total(e, LUN_SUM, a, 0, &v), LUN_OK);
    assert_true(v.as.d == 6);
    lun_release(a);
}

/* An expression of minutes: the sum of 2^38 random numbers, made as they are added. */
static lun_array *endless(lun_engine *e)
{
    const int64_t shape[1] = {INT64_C(1) << 38};
    lun_array *x, *y;
    assert_int_equal(lun_random(e, 1, shape, 1, LUN_UNIFORM, LUN_F64, &x), LUN_OK);
    assert_int_equal(lun_total_lazy(e, LUN_SUM, x, 0, &y), LUN_OK);
    lun_release(x);
    return y;
}

typedef struct told {
    lun_engine *e;
    lun_array *small;
    int calls, refused, others, ended;
} told;

static void evaluate_within(void *ctx, const lun_progress *p)
{
    told *t = ctx;
    lun_value v;
    if (!p) {
        t->ended++;
        return;
    }
    t->calls++;
    t->refused += lun_eval(t->e, &t->small, 1) == LUN_EARG && lun_error(t->e)[0] &&
                  lun_prepare(t->e, &t->small, 1) == LUN_EARG;
    t->refused += lun_total(t->e, LUN_SUM, t->small, 0, &v) == LUN_EARG;
    t->refused += lun_get(t->e, t->small, 0, &v) == LUN_EARG;
    if (t->calls == 3)
        lun_cancel(t->e);
}

static void test_progress(void **state)
{
    (void)state;
    lun_engine *e = open_engine("", NULL, NULL);
    double x[3] = {1, 2, 3};
    lun_array *a, *slow = endless(e);
    told t = {.e = e};
    lun_value v;
    assert_int_equal(lun_vector(e, x, 3, LUN_F64, &a), LUN_OK);
    assert_int_equal(lun_add(e, a, a, &t.small), LUN_OK);
    lun_on_progress(e, evaluate_within, &t);
    assert_int_equal(lun_eval(e, &slow, 1), LUN_ECANCEL);
    lun_on_progress(e, NULL, NULL);
    assert_true(t.calls >= 3);
    assert_int_equal(t.refused, 3 * t.calls);
    assert_int_equal(t.ended, 1);
    assert_int_equal(lun_get(e, t.small, 2, &v),
                     LUN_OK); /* what was refused can be had afterwards */
    assert_true(v.as.d == 6);
    usable(e);
    lun_release(slow);
    lun_release(t.small);
    lun_release(a);
    lun_close(e);
}

/* Memory that the host lent is given back: the host then evaluates and releases others. */
static void release_within(void *data, void *ctx)
{
    told *t = ctx;
    lun_value v;
    (void)data;
    t->calls++;
    if (t->ended)
        return; /* by lun_close */
    if (t->small && lun_total(t->e, LUN_SUM, t->small, 0, &v) == LUN_OK && v.as.d == 12)
        t->others++;
    lun_release(t->small);
    t->small = NULL;
}

static void test_release(void **state)
{
    (void)state;
    static double lent[64];
    lun_engine *e = open_engine("", NULL, NULL);
    for (int way = 0; way < 4; way++) {
        double x[3] = {1, 2, 3};
        lun_array *a, *w, *y;
        told t = {.e = e};
        assert_int_equal(lun_vector(e, x, 3, LUN_F64, &a), LUN_OK);
        assert_int_equal(lun_add(e, a, a, &t.small), LUN_OK);
        lun_release(a);
        assert_int_equal(lun_wrap(e, lent, 64, LUN_F64, release_within, &t, &w), LUN_OK);
        if (way == 1) {
            assert_int_equal(lun_free(e, w), LUN_OK);
        } else if (way == 2) { /* by the end of an evaluation that was the last to need it */
            assert_int_equal(lun_add(e, w, w, &y), LUN_OK);
            lun_release(w);
            assert_int_equal(t.calls, 0);
            assert_int_equal(lun_eval(e, &y, 1), LUN_OK);
            w = y;
        } else if (way == 3) { /* by a write that needs a copy of its own */
            assert_int_equal(lun_add(e, w, w, &y), LUN_OK);
            assert_int_equal(lun_fill(e, w, (lun_value){.dtype = LUN_F64}), LUN_OK);
            lun_release(y);
        }
        lun_release(w);
        assert_int_equal(t.calls, 1);
        assert_int_equal(t.others, 1);
        usable(e);
    }
    lun_close(e);
}

/* What was not released goes with the engine, which is told then too. */
static void test_close(void **state)
{
    (void)state;
    static double lent[64];
    told t = {.ended = 1};
    lun_array *w;
    lun_engine *e = open_engine("", NULL, NULL);
    assert_int_equal(lun_wrap(e, lent, 64, LUN_F64, release_within, &t, &w), LUN_OK);
    lun_close(e);
    assert_int_equal(t.calls, 1);
}

static void log_within(void *ctx, const char *text)
{
    told *t = ctx;
    lun_stats s = {.size = sizeof s};
    (void)text;
    t->calls++;
    if (!t->e)
        return; /* while the engine opens, it is nobody's */
    lun_stats_get(t->e, &s);
    t->others += lun_error(t->e) != NULL && lun_backend_name(t->e) != NULL;
}

static void test_log(void **state)
{
    (void)state;
    told t = {.calls = 0};
    lun_engine *e = open_engine("/dev/null/no", log_within, &t);
    t.e = e;
    usable(e);
    lun_cache_state s = {.size = sizeof s};
    lun_cache_info(e, false, &s);
    usable(e);
    assert_true(s.directory == NULL && t.calls >= 1);
    lun_close(e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_progress),
        cmocka_unit_test(test_release),
        cmocka_unit_test(test_close),
        cmocka_unit_test(test_log),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
