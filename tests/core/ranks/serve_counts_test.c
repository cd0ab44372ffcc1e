/* serve_counts_test.c - what each rank of a served script sends, counted on that rank: a plan is
 * one message at each edge of a tree, elements go from the rank that has them to the one that needs
 * them.  A program is run with its step once more: the difference is what the step costs. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "lunarray_bind.h"
#include "ranks/ranks_state.h"

enum { MOST = 16 };

typedef struct rank {
    pthread_t thread;
    lun_engine *e;
    const char *program; /* rank 0's */
    lun_status status;
    char error[512];
    int64_t messages, bytes;
} rank;

static void *run(void *arg)
{
    rank *r = arg;
    const lun_backend *mpi = NULL;
    lun_status s = lun__ranks_link(r->e);
    for (int i = 0; lun__backends_all[i]; i++)
        if (lun__backends_all[i]->remote)
            mpi = lun__backends_all[i];
    if (s == LUN_OK && r->program)
        s = lun_use(r->e, "mpi");
    if (s == LUN_OK)
        s = r->program ? lun_dostring(r->e, r->program)
                       : mpi->remote->serve(&r->e->services, r->e->backends[0]->backend, 0);
    r->status = s;
    snprintf(r->error, sizeof r->error, "%.500s", s == LUN_OK ? "" : lun_error(r->e));
    lun_use(r->e, "reference");
    (void)lun_spmd_end(r->e, NULL);
    r->messages = r->e->stats.messages;
    r->bytes = r->e->stats.bytes_sent;
    lun_close(r->e);
    return NULL;
}

/* Runs it on so many ranks. */
static void run_ranks(rank *all, int count, const char *program)
{
    lun_net_group *group = lun__threads_group_new(count);
    memset(all, 0, (size_t)count * sizeof *all);
    for (int i = 0; i < count; i++) {
        const lun_config c = {.size = sizeof c, .backend = "reference", .cache_dir = ""};
        assert_int_equal(lun_open(&c, &all[i].e), LUN_OK);
        assert_int_equal(lun__ranks_open(all[i].e, lun__net_threads(group, i)), LUN_OK);
        all[i].program = i ? NULL : program;
    }
    lun__threads_group_free(group);
    for (int i = 0; i < count; i++)
        assert_int_equal(pthread_create(&all[i].thread, NULL, run, &all[i]), 0);
    for (int i = 0; i < count; i++)
        pthread_join(all[i].thread, NULL);
    for (int i = 0; i < count; i++)
        if (all[i].status != LUN_OK)
            fail_msg("rank %d of %d: %s", i, count, all[i].error);
}

/* What the step sends, of each rank. */
static void measure(rank *cost, int count, const char *before, const char *step)
{
    rank once[MOST], twice[MOST];
    char program[2000];
    for (int times = 1; times <= 2; times++) {
        snprintf(program, sizeof program, "%s\nfor k = 1, 1 + %d do %s end\nassert(z:sum() ~= 0)",
                 before, times, step);
        run_ranks(times == 1 ? once : twice, count, program);
    }
    for (int i = 0; i < count; i++) {
        cost[i].messages = twice[i].messages - once[i].messages;
        cost[i].bytes = twice[i].bytes - once[i].bytes;
    }
}

/* Messages of rank i of a binomial tree of so many: one for each of the lower half of what it has,
 * down to itself. */
static int children(int i, int count)
{
    int low = i ? i & -i : count, n = 0;
    for (int step = 1; step < low && i + step < count; step *= 2)
        n++;
    return n;
}

static void test_plans_go_down_a_tree(void **state)
{
    (void)state;
    for (int p = 2; p <= MOST; p += p < 5 ? 1 : 3) {
        rank cost[MOST];
        int64_t all = 0;
        measure(cost, p,
                "local t = {} for k = 1, 4 do t[k] = (lun.index(65536) + k):eval() end\n"
                "local a, b, c, d, z = table.unpack(t)",
                "z = ((a + b) * (c + d)):eval()");
        for (int i = 0; i < p; i++) {
            assert_int_equal(cost[i].bytes, 0);
            assert_int_equal(cost[i].messages, children(i, p));
            all += cost[i].messages;
        }
        assert_int_equal(all, p - 1);
    }
}

static void test_elements_go_from_rank_to_rank(void **state)
{
    enum { P = 4 };
    rank cost[P];
    (void)state;
    measure(cost, P,
            "local a = (lun.index(10000) + 1):distribute('single', { device = 2 }):eval() local z",
            "z = (a * k):distribute('single', { device = 2 }):eval()\n"
            "z = z:distribute('single', { device = 3 }) + 1 z:eval()");
    const int64_t given[P] = {0, 80000, 0, 0};
    for (int i = 0; i < P; i++)
        assert_int_equal(cost[i].bytes, given[i]);
    /* each of both ranks is told once of the kernel, and the elements are one message */
    assert_int_equal(cost[1].messages, 1);
    assert_int_equal(cost[2].messages + cost[3].messages, 0);
    measure(cost, P,
            "local near = lun.stencil(function(w) return w(-1) + w(1) end, { edge = 'nearest' })\n"
            "local z = (lun.index(65536) + 1):eval()",
            "z = near(z):eval()");
    const int64_t halos[P] = {8, 16, 16, 8};
    for (int i = 0; i < P; i++)
        assert_int_equal(cost[i].bytes, halos[i]);
}

/* 200 numbers, of which each of 4 ranks has 50, to those that have them in order: few, so that all
 * are samples and none is moved twice. */
static void test_sorted_elements_go_once(void **state)
{
    enum { P = 4, N = 200, PART = N / P };
    rank cost[P];
    int64_t given[P] = {0};
    (void)state;
    for (int i = 0; i < N; i++) {
        const int from = i / PART, to = (i + 1) * 7 % N / PART;
        given[from] += from != to ? (int64_t)sizeof(double) : 0;
    }
    measure(cost, P, "local a = (lun.index(200) * 7 % 200):cast 'f64':eval() local z",
            "z = (a + k):eval() z = z:sort():eval()");
    for (int i = 0; i < P; i++)
        assert_int_equal(cost[i].bytes, given[i]);
    /* rank 0: the sum, the parts and the cuts down the tree, then to each what it is to merge */
    assert_int_equal(cost[0].messages, 3 * children(0, P) + P - 1);
    /* others: on their way down the tree, three answers and what rank 0 merges, to the others */
    for (int i = 1; i < P; i++)
        assert_int_equal(cost[i].messages, 3 * children(i, P) + 4 + P - 2);
}

/* ---- the modelled clock ---------------------------------------------------------------------- */

/* The message that comes to a rank next, and where the rank's clock stands then. */
static double next_of(rank *r, const char *expected)
{
    const lun_link *link = r->e->services.link;
    void *bytes = NULL;
    int64_t count = 0;
    assert_int_equal(link->receive(link->ctx, 0, &bytes, &count), LUN_OK);
    assert_int_equal(count, 1);
    assert_memory_equal(bytes, expected, 1);
    free(bytes);
    return r->e->ranks->net->clock.now;
}

/* Rank 0 has sent all before the others look, which then take all there is: each message counts
 * from when it is handed over, and goes on when it came.  Here one thread plays all ranks. */
static void test_messages_that_came_early_count_later(void **state)
{
    enum { P = 4 };
    rank all[P] = {0};
    lun_net_group *group = lun__threads_group_new(P);
    (void)state;
    for (int i = 0; i < P; i++) {
        const lun_config c = {.size = sizeof c, .backend = "reference", .cache_dir = ""};
        assert_int_equal(lun_open(&c, &all[i].e), LUN_OK);
        assert_int_equal(lun__ranks_open(all[i].e, lun__net_threads(group, i)), LUN_OK);
        assert_int_equal(lun__ranks_link(all[i].e), LUN_OK);
        all[i].e->ranks->net->clock.latency = 1;
    }
    lun__threads_group_free(group);
    const lun_link *link = all[0].e->services.link;
    lun_net_clock *clock = &all[0].e->ranks->net->clock;
    for (int k = 0; k < 3; k++) {
        const lun_link_part parts[P - 1] = {
            {.to = 1, .bytes = &"abc"[k], .count = 1},
            {.to = 2, .bytes = &"abc"[k], .count = 1},
            {.to = 3, .bytes = &"abc"[k], .count = 1},
        };
        clock->now = 10 * k;
        assert_int_equal(k == 1 ? link->send(link->ctx, 2, "b", 1) : LUN_OK, LUN_OK);
        assert_int_equal(k == 1 ? LUN_OK : link->spread(link->ctx, parts, P - 1), LUN_OK);
    }
    assert_true(next_of(&all[2], "a") == 1); /* which passes both on to rank 3 */
    assert_true(next_of(&all[3], "a") == 2);
    assert_true(next_of(&all[3], "c") == 22);
    assert_true(next_of(&all[1], "a") == 1);
    assert_true(next_of(&all[2], "b") == 11);
    assert_true(next_of(&all[2], "c") == 21);
    /* what is said of the end, of stopping and of time that has passed takes none */
    const char kinds[] = {LUN_SAYS_ASK, LUN_SAYS_HERE, LUN_SAYS_STOP, LUN_SAYS_END, LUN_SAYS_OVER};
    for (size_t k = 0; k < sizeof kinds; k++)
        assert_int_equal(lun__post(all[0].e, 1, LUN_TAG_CONTROL, kinds[k], "", 0), LUN_OK);
    assert_int_not_equal(lun__listen(all[1].e), LUN_OK); /* they are over */
    assert_true(all[1].e->ranks->net->clock.now == 1 && clock->now == 20);
    for (int i = 0; i < P; i++) {
        (void)lun__give_up(all[i].e, "the test is over");
        lun_close(all[i].e);
    }
}

int main(void)
{
    alarm(300); /* a hang is a failure */
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plans_go_down_a_tree),
        cmocka_unit_test(test_elements_go_from_rank_to_rank),
        cmocka_unit_test(test_sorted_elements_go_once),
        cmocka_unit_test(test_messages_that_came_early_count_later),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
