/* serve_stop_test.c - a host in C with a time limit, for which three ranks compute: a kernel
 * without end on one rank, or on all, ends; operands are whole, all ranks go on. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "stop_kit.h"

#include "engine_kit.h"

enum { RANKS = 3, N = 3000, EACH = N / RANKS };

static const char *const backends[] = {"reference", "openmp"};
enum { BACKENDS = sizeof backends / sizeof *backends };

typedef struct server {
    pthread_t thread;
    lun_config config;
    lun_status status;
} server;

static server servers[RANKS];
static lun_ranks *group;

static void *serve(void *arg)
{
    server *s = arg;
    s->status = lun_serve(&s->config);
    return NULL;
}

static void open_ranks(const char *backend)
{
    assert_int_equal(setenv("LUNARRAY_RANK_BACKEND", backend, 1), 0);
    assert_int_equal(lun_ranks_new(RANKS, &group), LUN_OK);
    for (int i = RANKS - 1; i >= 0; i--) {
        servers[i].config = (lun_config){.size = sizeof(lun_config),
                                         .backend = "mpi",
                                         .cache_dir = "",
                                         .ranks = group,
                                         .alloc = note_begin,
                                         .rank = i};
        if (i)
            assert_int_equal(pthread_create(&servers[i].thread, NULL, serve, &servers[i]), 0);
    }
    assert_int_equal(lun_open(&servers[0].config, &e), LUN_OK);
}

static void close_ranks(void)
{
    lun_close(e);
    for (int i = 1; i < RANKS; i++) {
        pthread_join(servers[i].thread, NULL);
        assert_int_equal(servers[i].status, LUN_OK);
    }
    lun_ranks_free(group);
}

static void ok(const char *text)
{
    if (lun_dostring(e, text) != LUN_OK)
        fail_msg("%s", lun_error(e));
}

/* Operands in parts; calls for elements low + 1 .. high do not end.  Results of `checked` are
 * waited for: an index may be out of range. */
static const char begin[] =
    "n = 3000\n"
    "a = (lun.range(1, n) * 1.0):copy():distribute 'block'\n"
    "b = (a * 2):eval()\n"
    "loops = lun.map(function(x, low, high) while x > low and x <= high do x = x + 0 end "
    "return x end)\n"
    "w = lun.vector { 1, 2, 3, 4 }\n"
    "function checked(low, high)\n"
    "    return lun.generate(n, function(i)\n"
    "        local x = i * 1.0\n"
    "        while x > low and x <= high do x = x + 0 end\n"
    "        return w[i % 4 + 1] + x * 0\n"
    "    end):eval()\n"
    "end\n"
    "assert(checked(0, 0):sum() == 2.5 * n)\n"
    "assert(loops(a, 0, 0):eval():sum() == n * (n + 1) / 2)\n";

static const char end[] = "assert(a:sum() == n * (n + 1) / 2 and b:sum() == n * (n + 1))\n"
                          "assert((a + b):eval():sum() == 3 * n * (n + 1) / 2)\n"
                          "assert(loops(a, 0, 0):eval():sum() == n * (n + 1) / 2)\n"
                          "assert(checked(0, 0):sum() == 2.5 * n)\n"
                          "for _, name in ipairs { lun.use() } do\n"
                          "    assert(lun.stats().places[name].launches > 0)\n"
                          "end\n";

/* What works on elements low + 1 .. high, whose ranks do not end.  A run is waited for at the
 * latest where its elements are wanted. */
static const char *const forms[] = {
    "checked(%d, %d)",
    "loops(a, %d, %d):eval():sum()",
    "print(loops(a, %d, %d):eval()[1], a[n])",
    "loops(a, %d, %d):sum()",
    "loops(a, %d, %d):scan('+', 0):eval():sum()",
    "lun.save('/dev/null', loops(a, %d, %d):eval(), { dtype = 'f64' })",
    "(loops(a, %d, %d) + b):eval():sort():eval():sum()",
};

static void ends_by_limit(const char *form, int low, int high)
{
    char text[160];
    snprintf(text, sizeof text, form, low, high);
    OK(lun_time_limit(e, 0.2));
    const lun_status s = lun_dostring(e, text);
    if (s != LUN_ELIMIT || !strstr(lun_error(e), "time limit reached: 0.2 seconds"))
        fail_msg("%s: %s: %s", text, lun_status_name(s), lun_error(e));
    OK(lun_time_limit(e, 0));
    ok(end);
}

/* On each rank alone, and on all. */
static void test_limits(void **state)
{
    (void)state;
    for (int b = 0; b < BACKENDS; b++) {
        open_ranks(backends[b]);
        ok(begin);
        for (size_t f = 0; f < sizeof forms / sizeof *forms; f++) {
            for (int k = 0; k < RANKS; k++)
                ends_by_limit(forms[f], EACH * k, EACH * (k + 1));
            ends_by_limit(forms[f], 0, N);
        }
        close_ranks();
    }
}

/* Once rank 0 has asked for the kernel. */
static void *cancel_begun(void *engine)
{
    wait_for_begin(engine, true);
    lun_cancel(engine);
    return NULL;
}

/* The same by lun_cancel from another thread. */
static void test_cancel(void **state)
{
    (void)state;
    for (int b = 0; b < BACKENDS; b++) {
        open_ranks(backends[b]);
        ok(begin);
        for (int k = 0; k <= RANKS; k++) {
            char text[160];
            pthread_t thread;
            int n = snprintf(text, sizeof text, "local sign = ('x'):rep(%d) ", SIGN);
            snprintf(text + n, sizeof text - (size_t)n, forms[1], k < RANKS ? EACH * k : 0,
                     k < RANKS ? EACH * (k + 1) : N);
            expect_begin(e);
            assert_int_equal(pthread_create(&thread, NULL, cancel_begun, e), 0);
            const lun_status s = lun_dostring(e, text);
            assert_int_equal(pthread_join(thread, NULL), 0);
            if (s != LUN_ECANCEL)
                fail_msg("%s: %s: %s", text, lun_status_name(s), lun_error(e));
            ok(end);
        }
        close_ranks();
    }
}

/* A limit that is not reached changes nothing, however often. */
static void test_short_work(void **state)
{
    (void)state;
    open_ranks("openmp");
    ok(begin);
    OK(lun_time_limit(e, 1000));
    for (int k = 0; k < 20; k++)
        ok(end);
    close_ranks();
}

int main(void)
{
    alarm(300); /* a hang is a failure */
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_cancel),
        cmocka_unit_test(test_short_work),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
