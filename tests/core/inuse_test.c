/* inuse_test.c - an engine is used by one thread at a time: what calls meanwhile is told so, and
 * nothing else happens; between calls it may go from thread to thread. */
#include <pthread.h>
#include <stdatomic.h>

#include "engine_kit.h"

static int open_engine(void **state)
{
    (void)state;
    return kit_engine_open(NULL);
}

/* ---- meanwhile ------------------------------------------------------------------------------- */

enum { NOBODY, INSIDE, TOLD };
static atomic_int stage;

static void wait_for(int wanted)
{
    while (atomic_load(&stage) < wanted)
        ;
}

/* A function of a script: the engine is in use while it runs. */
static lun_status stay(void *ctx, lun_engine *own, const lun_variant *args, int count,
                       lun_variant *results, int *given)
{
    lun_value v;
    lun_array *a = ctx;
    (void)args, (void)count, (void)results, (void)given;
    atomic_store(&stage, INSIDE);
    wait_for(TOLD);
    return lun_get(own, a, 0, &v); /* this thread may call it again */
}

static void *run_script(void *ctx)
{
    static lun_status s;
    (void)ctx;
    s = lun_dostring(e, "stay() x = lun.vector{1, 2}:sum()");
    return &s;
}

static void test_meanwhile(void **state)
{
    double data[2] = {1, 2}, x = 0;
    lun_array *a = NULL, *b = NULL;
    lun_value v = {.dtype = LUN_F64, .as.d = 7};
    pthread_t other;
    void *ended;
    (void)state;
    OK(lun_vector(e, data, 2, LUN_F64, &a));
    OK(lun_register(e, "stay", stay, a));
    atomic_store(&stage, NOBODY);
    assert_int_equal(pthread_create(&other, NULL, run_script, NULL), 0);
    wait_for(INSIDE);
    FAILS(lun_add(e, a, a, &b), LUN_EARG, "engine in use by another thread");
    assert_null(b);
    FAILS(lun_dostring(e, "x = 1"), LUN_EARG, "engine in use by another thread");
    FAILS(lun_eval(e, &a, 1), LUN_EARG, "engine in use by another thread");
    FAILS(lun_set(e, a, 0, v), LUN_EARG, "engine in use by another thread");
    FAILS(lun_getnumber(e, "x", &x), LUN_EARG, "engine in use by another thread");
    assert_string_equal(lun_error_where(e), "");
    atomic_store(&stage, TOLD);
    pthread_join(other, &ended);
    assert_int_equal(*(lun_status *)ended, LUN_OK);
    /* and now it may */
    OK(lun_getnumber(e, "x", &x));
    assert_true(x == 3);
    assert_string_equal(lun_error(e), "");
    OK(lun_get(e, a, 0, &v));
    assert_true(v.as.d == 1);
    OK(lun_dostring(e, "collectgarbage() collectgarbage()"));
    lun_release(a);
}

/* ---- in turn --------------------------------------------------------------------------------- */

typedef struct turn {
    lun_array *a;
    lun_status status;
} turn;

static void *compute(void *ctx)
{
    turn *t = ctx;
    lun_array *sum = NULL;
    lun_value v;
    t->status = lun_add(e, t->a, t->a, &sum);
    if (t->status == LUN_OK)
        t->status = lun_get(e, sum, 1, &v);
    lun_release(sum);
    if (t->status == LUN_OK)
        t->status = lun_dostring(e, "n = (n or 0) + 1");
    return NULL;
}

static void test_in_turn(void **state)
{
    double data[2] = {1, 2}, n = 0;
    turn t;
    (void)state;
    OK(lun_vector(e, data, 2, LUN_F64, &t.a));
    for (int k = 0; k < 20; k++) {
        pthread_t thread;
        assert_int_equal(pthread_create(&thread, NULL, compute, &t), 0);
        pthread_join(thread, NULL);
        OK(t.status);
        compute(&t);
        OK(t.status);
    }
    OK(lun_getnumber(e, "n", &n));
    assert_true(n == 40);
    lun_release(t.a);
}

/* ---- at once --------------------------------------------------------------------------------- */

enum { CALLS = 2000 };

/* Calls that all threads make; each succeeds or is refused. */
static void *hammer(void *ctx)
{
    lun_array *a = ctx;
    for (int k = 0; k < CALLS; k++) {
        double x;
        lun_value v;
        lun_status s =
            k % 2 ? lun_get(e, a, k % 100, &v) : lun_fill(e, a, (lun_value){LUN_F64, {.d = 1}});
        if (s != LUN_OK && s != LUN_EARG)
            return a;
        s = lun_getnumber(e, "x", &x);
        if (s != LUN_OK && s != LUN_EARG)
            return a;
        s = lun_dostring(e, "x = lun.ones(100):sum()");
        if (s != LUN_OK && (s != LUN_EARG || !strstr(lun_error(e), "another thread")))
            return a;
    }
    return NULL;
}

static void test_at_once(void **state)
{
    enum { THREADS = 4 };
    pthread_t thread[THREADS];
    lun_array *a;
    (void)state;
    OK(lun_vector(e, NULL, 100, LUN_F64, &a));
    OK(lun_dostring(e, "x = 0"));
    for (int t = 0; t < THREADS; t++)
        assert_int_equal(pthread_create(&thread[t], NULL, hammer, a), 0);
    for (int t = 0; t < THREADS; t++) {
        void *bad;
        pthread_join(thread[t], &bad);
        assert_null(bad);
    }
    OK(lun_dostring(e, "assert(x == 100) collectgarbage() collectgarbage()"));
    lun_release(a);
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, open_engine, kit_close)
    const struct CMUnitTest tests[] = {CASE(test_meanwhile), CASE(test_in_turn),
                                       CASE(test_at_once)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
