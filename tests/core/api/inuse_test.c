/* inuse_test.c - an engine is used by one thread at a time: what calls meanwhile is told so, and
 * nothing else happens; between calls it may go from thread to thread. */
#include <pthread.h>
#include <stdatomic.h>

#include "engine_kit.h"
#include "lunarray_bind.h"

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

static const char told[] = "engine in use by another thread";

#define NOTHING(call, value)                         \
    do {                                             \
        assert_true((call) == (value));              \
        assert_non_null(strstr(lun_error(e), told)); \
    } while (0)

static void add_up(void *ctx, int64_t k)
{
    *(int64_t *)ctx += k; /* all on this thread */
}

/* The same of what a binding calls. */
static void bind_meanwhile(lun_array *a, lun_blank *blank)
{
    int64_t sum = 0;
    NOTHING(lun_host_get(e), NULL);
    NOTHING(lun_pressure(e), 0);
    NOTHING(lun_thrifty(e, true), 0);
    NOTHING(lun_spmd_lingers(e), true);
    NOTHING(lun_linked(e), 0);
    NOTHING(lun_ranks_read(e), false);
    NOTHING(lun_ranks_transport(e)[0], 0);
    NOTHING(lun_same_elements(a, a), false);
    NOTHING((lun_host_share(e, 100, &sum, add_up), sum), 4950);
    FAILS(lun_measure(e, a), LUN_EARG, told);
    FAILS(lun_storable(e, a, a), LUN_EARG, told);
    FAILS(lun_profile_start(e), LUN_EARG, told);
    FAILS(lun_fail(e, LUN_EIO, "mine"), LUN_EARG, told);
    FAILS(lun_fail_at(e, LUN_EIO, "mine", "here:1"), LUN_EARG, told);
    lun_host_set(e, a, NULL);
    lun_host_begin(e);
    lun_host_end(e);
    lun_spmd_count(e, 7, 7);
    lun_spmd_inside(e, "master");
    lun_spmd_serve(e, NULL, NULL);
    lun_blank_drop(e, blank);
}

/* What has no status gives nothing then, and says so; what is released ends later. */
static void ask_meanwhile(lun_array *a, lun_array *spare, lun_function *f)
{
    int64_t shape[LUN_MAX_RANK] = {0};
    lun_stats s = {.size = sizeof s, .launches = -7};
    lun_config c = {.size = sizeof c, .threads = -7};
    lun_device d = {.size = sizeof d};
    NOTHING(lun_shape(a, shape), 0);
    NOTHING(lun_strides(a, shape), 0);
    NOTHING(lun_length(a), 0);
    NOTHING(lun_size(a), 0);
    NOTHING(lun_pending(a), 0);
    NOTHING(lun_dtype_of(a), LUN_DTYPE_COUNT);
    NOTHING(lun_class_of(a), LUN_SCALAR);
    NOTHING(lun_layout_of(a), LUN_LAYOUT_RIGHT);
    NOTHING(lun_is_freed(a), false);
    NOTHING(lun_is_measured(a), false);
    NOTHING(lun_is_virtual(a), false);
    NOTHING(lun_is_streamed(a), false);
    NOTHING(lun_device_of(a)[0], 0);
    NOTHING(lun_backend_name(e)[0], 0);
    NOTHING(lun_place_name(e, 0), NULL);
    NOTHING(lun_backend_at(e, 0, NULL), NULL);
    NOTHING(lun_devices(e, &d, 1), 0);
    NOTHING(lun_spmd_npes(e), 0);
    NOTHING((lun_stats_get(e, &s), s.launches), -7);
    NOTHING((lun_config_get(e, &c), c.threads), -7);
    assert_ptr_equal(lun_engine_of(a), e);
    lun_stats_reset(e);
    lun_trim(e);
    lun_check_indices(e, true);
    lun_on_progress(e, NULL, NULL);
    lun_retain(a);
    lun_release(a);
    lun_release(spare);
    lun_function_release(f);
}

static void test_meanwhile(void **state)
{
    double data[2] = {1, 2}, x = 0;
    lun_array *a = NULL, *b = NULL, *spare, *window;
    lun_function *f;
    lun_blank *blank;
    lun_stats before = {.size = sizeof before}, after = {.size = sizeof after};
    lun_value v = {.dtype = LUN_F64, .as.d = 7};
    pthread_t other;
    void *ended, *memory, *host;
    (void)state;
    OK(lun_vector(e, data, 2, LUN_F64, &a));
    OK(lun_register(e, "stay", stay, a));
    OK(lun_function_c(e, "double f(double x) { return x; }", &f));
    OK(lun_dostring(e, "x = 0"));
    host = lun_host_get(e);
    lun_stats_get(e, &before);
    OK(lun_blank_new(e, 1000, 8, &blank, &memory));
    OK(lun_vector(e, NULL, 1000, LUN_F64, &spare));
    OK(lun_slice(e, spare, 1, 10, 2, &window));
    lun_release(spare);
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
    ask_meanwhile(a, window, f);
    bind_meanwhile(a, blank);
    atomic_store(&stage, TOLD);
    pthread_join(other, &ended);
    assert_int_equal(*(lun_status *)ended, LUN_OK);
    /* and now it may */
    OK(lun_dostring(e, "collectgarbage() collectgarbage()"));
    lun_stats_get(e, &after);
    assert_true(after.allocated == before.allocated);
    assert_true(after.remote_gets == before.remote_gets);
    assert_ptr_equal(lun_host_get(e), host);
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
