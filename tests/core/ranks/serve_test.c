/* serve_test.c - ranks that serve an engine of a host in C, as threads: what it computes, how it
 * is told of failures, what happens when ranks end, cannot begin, or are sent bytes that say
 * nothing. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "lunarray_bind.h"
#include "mpi/wire.h"
#include "ranks/ranks_state.h"

#include "engine_kit.h"

enum { RANKS = 3 };

typedef struct server {
    pthread_t thread;
    lun_config config;
    lun_status status;
    char error[256];
} server;

static server servers[RANKS];
static lun_ranks *group;

static void *serve(void *arg)
{
    server *s = arg;
    s->status = lun_serve(&s->config);
    snprintf(s->error, sizeof s->error, "%s", lun_error(NULL));
    return NULL;
}

static lun_config config_of(int rank)
{
    return (lun_config){.size = sizeof(lun_config),
                        .backend = "mpi",
                        .cache_dir = "",
                        .ranks = group,
                        .rank = rank};
}

static int begin(void **state)
{
    (void)state;
    setenv("LUNARRAY_RANK_BACKEND", "reference", 1);
    assert_int_equal(lun_ranks_new(RANKS, &group), LUN_OK);
    for (int i = 1; i < RANKS; i++) {
        servers[i] = (server){.config = config_of(i)};
        assert_int_equal(pthread_create(&servers[i].thread, NULL, serve, &servers[i]), 0);
    }
    return 0;
}

static int open_first(void **state)
{
    assert_int_equal(begin(state), 0);
    const lun_config c = config_of(0);
    return lun_open(&c, &e) != LUN_OK;
}

static void join_servers(void)
{
    for (int i = 1; i < RANKS; i++)
        pthread_join(servers[i].thread, NULL);
    lun_ranks_free(group);
}

static int close_first(void **state)
{
    (void)state;
    int left = kit_engine_close();
    join_servers();
    for (int i = 1; i < RANKS; i++)
        left |= servers[i].status != LUN_OK;
    return left;
}

/* 1 + 2 + ... + n, of n elements in parts on all ranks. */
static void check_sum(int64_t n)
{
    const lun_value one = {.dtype = LUN_I64, .as.i = 1};
    lun_array *a, *b;
    lun_value total;
    OK(lun_range(e, one, one, n, LUN_I64, &a));
    OK(lun_add(e, a, a, &b));
    OK(lun_total(e, LUN_SUM, b, 0, &total));
    assert_int_equal(total.as.i, n * (n + 1));
    lun_release(b);
    lun_release(a);
}

static void test_places(void **state)
{
    (void)state;
    assert_int_equal(lun_rank(&servers[2].config), 2);
    assert_string_equal(lun_place_name(e, 0), "mpi:1");
    assert_string_equal(lun_place_name(e, 2), "mpi:3");
    assert_null(lun_place_name(e, 3));
    assert_int_equal(lun_spmd_npes(e), 1);
    assert_int_equal(lun_linked(e), RANKS);
    static const int64_t lengths[] = {0, 1, 2, 63, 64, 65, 16384, 16385, 100003};
    for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++)
        check_sum(lengths[k]);
    FAILS(lun_use(e, "mpi:4"), LUN_EBACKEND, "there are 3 ranks");
    OK(lun_use(e, "mpi:2"));
    check_sum(1000);
    OK(lun_use(e, "mpi"));
    check_sum(1000);
}

/* A failure on another rank is that of one machine, and what follows is computed. */
static void test_failures(void **state)
{
    (void)state;
    enum { N = 30000 };
    int64_t *x = malloc(N * sizeof *x);
    assert_non_null(x);
    for (int k = 0; k < N; k++)
        x[k] = k != N - 2;
    lun_array *a, *one, *quotient;
    OK(lun_vector(e, x, N, LUN_I64, &a));
    OK(lun_integer(e, 1, &one));
    OK(lun_idiv(e, one, a, &quotient));
    lun_array *list[] = {quotient};
    FAILS(lun_eval(e, list, 1), LUN_EZERO, "n//0");
    check_sum(N);
    lun_release(quotient);
    lun_release(one);
    lun_release(a);
    free(x);
}

/* A rank that cannot compute tells rank 0 why; rank 0 has an engine for which that is not there. */
static void test_a_rank_that_cannot_begin(void **state)
{
    lun_config c = {.size = sizeof c, .cache_dir = "", .backend = "reference"};
    setenv("LUNARRAY_RANK_BACKEND", "nothing", 1);
    assert_int_equal(lun_ranks_new(2, &group), LUN_OK);
    servers[1] = (server){.config = config_of(1)};
    assert_int_equal(pthread_create(&servers[1].thread, NULL, serve, &servers[1]), 0);
    c.ranks = group;
    assert_int_equal(lun_open(&c, &e), LUN_OK);
    assert_int_equal(lun__ranks_link(e), LUN_OK);
    FAILS(lun_use(e, "mpi:2"), LUN_EBACKEND,
          "rank 1 has ended (LUNARRAY_RANK_BACKEND=nothing: no backend 'nothing'; available are");
    lun_close(e);
    pthread_join(servers[1].thread, NULL);
    lun_ranks_free(group);
    assert_int_equal(servers[1].status, LUN_EBACKEND);
    assert_non_null(strstr(servers[1].error, "no backend 'nothing'"));
    (void)state;
}

static void test_serving_needs_ranks(void **state)
{
    (void)state;
    lun_config c = {.size = sizeof c, .cache_dir = ""};
    assert_int_equal(lun_serve(&c), LUN_EARG);
    assert_non_null(strstr(lun_error(NULL), "rank 0 has the script"));
    assert_int_equal(kit_engine_open("reference"), 0);
    FAILS(lun_use(e, "mpi"), LUN_EBACKEND, "no rank serves");
    assert_int_equal(kit_engine_close(), 0);
}

/* ---- bytes that say nothing ------------------------------------------------------------------ */

static uint64_t seed;

static uint64_t draw(uint64_t below)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (seed >> 33) % below;
}

/* Sends bytes to rank 1, as rank 0 does. */
static void tell(const void *bytes, int64_t count)
{
    const lun_link *link = e->services.link;
    (void)link->send(link->ctx, 1, bytes, count);
}

/* Any bytes end the service with a failure, or are requests: neither rank crashes or hangs. */
static void test_nonsense(void **state)
{
    (void)state;
    enum { TRIALS = 60, MOST = 80 };
    for (int t = 0; t < TRIALS; t++) {
        char bytes[MOST];
        seed = (uint64_t)t;
        assert_int_equal(begin(state), 0);
        const lun_config c = config_of(0);
        assert_int_equal(lun_open(&c, &e), LUN_OK);
        for (int k = 0; k < 4; k++) {
            const int64_t count = 1 + (int64_t)draw(MOST);
            for (int64_t i = 0; i < count; i++)
                bytes[i] = (char)(draw(3) ? draw(4) : draw(256));
            bytes[0] = (char)draw(LUN_MPI_WORDS + 1);
            tell(bytes, count);
        }
        lun_close(e);
        join_servers();
        assert_true(servers[1].status == LUN_OK || servers[1].status == LUN_EARG ||
                    servers[1].status == LUN_EBACKEND);
        assert_int_equal(servers[2].status, LUN_OK);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_places, open_first, close_first),
        cmocka_unit_test_setup_teardown(test_failures, open_first, close_first),
        cmocka_unit_test(test_a_rank_that_cannot_begin),
        cmocka_unit_test(test_serving_needs_ranks),
        cmocka_unit_test(test_nonsense),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
