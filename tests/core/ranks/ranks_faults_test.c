/* ranks_faults_test.c - ABC's programs on three simulated ranks while one of them loses a call, is
 * killed, ends or does something else: at one call of the transport, or step, after the other. No
 * rank hangs, and those that fail are told one text. RANKS_FAULTS=all takes every call, else a
 * few. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "lunarray_bind.h"
#include "ranks/ranks_state.h"

#include "sim_kit.h"

enum { RANKS = 3, VICTIM = 1, FEW = 12 };

/* What goes wrong on the victim. */
typedef enum fault { NOTHING, LOSES, DIES, ENDS, DIFFERS } fault;

/* ---- the programs ---------------------------------------------------------------------------- */

/* Step number fault_at of the victim: an error in its script, or another step. */
static const char prelude[] = "local net = require('lunarray.core').internal.spmd\n"
                              "local step = net.step\n"
                              "steps = 0\n"
                              "function net.step(doing, noun, options)\n"
                              "    steps = steps + 1\n"
                              "    if steps == fault_at then\n"
                              "        if fault == 3 then error('the script ends here', 0) end\n"
                              "        return step('does something else', 'something else')\n"
                              "    end\n"
                              "    return step(doing, noun, options)\n"
                              "end\n";

static const char *const programs[] = {
    /* the product of matrices */
    "local s = lun.spmd local n = 6\n"
    "local a, b = lun.zeros({n, s.block(n)}), lun.ones({n, s.block(n)})\n"
    "local c = lun.full({n, s.block(n)}, 2.0)\n"
    "s.sharedon(a, function(i, j)\n"
    "    a[i][j] = 0.0\n"
    "    for k = 1, n do a[i][j] = a[i][j] + b[i][k] * c[k][j] end\n"
    "end)\n"
    "assert(a:sum() == n * n * 12)\n",
    /* the transpose */
    "local s = lun.spmd local n = 6\n"
    "local a, b = lun.random({n, s.block(n)}, {seed = 1}), lun.zeros({n, s.block(n)})\n"
    "s.sharedon(function(i, j) return a[j][i] end, {n, n}, function(i, j) b[i][j] = a[j][i] end)\n"
    "s.barrier()\n"
    "assert(b[1][n] == a[n][1])\n"
    "s.barrier()\n",
    /* a histogram */
    "local s = lun.spmd local n = 20\n"
    "local e, h = lun.zeros({s.block(n)}, 'i64'), lun.zeros {s.block(5)}\n"
    "e:set(lun.index(n) % 5 + 1)\n"
    "s.sharedon(e, function(i) h[e[i]] = h[e[i]] + 1 end)\n"
    "assert(h:sum() == n)\n",
    /* pi */
    "local s = lun.spmd\n"
    "local total = s.shared('i64', 0)\n"
    "s.atomic(total, '+', 1)\n"
    "s.critical(function() total:set(total:get() + 1) end)\n"
    "s.master(function() assert(s.npes < 2 or total:get() >= 2) end)\n"
    "assert(s.allreduce('+', 1) == s.npes)\n",
    /* lines */
    "local s = lun.spmd local n = 70\n"
    "local a = lun.random({s.block(n), 3}, {seed = 1})\n"
    "local b = lun.random(s.block(n), {seed = 2})\n"
    "local sums, sorted = b:scan('+', 0, {inclusive = true}), b:sort()\n"
    "assert(math.abs(sums[n] - b:sum()) < 1e-9 and sorted[n] == b:max())\n"
    "s.barrier()\n"
    "assert(a:sum(1)[1] > 0)\n"
    "s.barrier()\n"
    "assert(a:matmul(lun.ones {3, s.block(2)})[n][2] > 0)\n"
    "s.barrier()\n",
    /* order: each place of 0 .. n - 1 once, and where it stood */
    "local s = lun.spmd local n = 200\n"
    "local a = lun.zeros {s.block(n)}\n"
    "a:set(lun.index(n) * 77 % n)\n"
    "assert(a:sort():eq(lun.range(0, n - 1)):all())\n",
    "local s = lun.spmd local n = 200\n"
    "local a = lun.zeros {s.block(n)}\n"
    "a:set(lun.index(n) * 77 % n)\n"
    "assert(((a:argsort() * 77 - lun.range(0, n - 1)) % n):eq(0):all())\n",
};
enum { PROGRAMS = sizeof programs / sizeof programs[0] };

/* ---- a run ----------------------------------------------------------------------------------- */

typedef struct rank {
    pthread_t thread;
    lun_engine *e;
    const char *program;
    fault fault;
    int at;
    int64_t calls;
    double steps;
    lun_status status;
    char error[512];
} rank;

static void *run(void *arg)
{
    rank *r = arg;
    r->status = lun_setnumber(r->e, "fault", (double)r->fault);
    if (r->status == LUN_OK)
        r->status = lun_setnumber(r->e, "fault_at", r->at);
    if (r->status == LUN_OK)
        r->status = lun_dostring(r->e, prelude);
    if (r->status == LUN_OK)
        r->status = lun_dostring(r->e, r->program);
    snprintf(r->error, sizeof r->error, "%.*s", (int)strcspn(lun_error(r->e), "\n"),
             r->status == LUN_OK ? "" : lun_error(r->e));
    r->calls = sim_calls(r->e);
    (void)lun_getnumber(r->e, "steps", &r->steps);
    lun_close(r->e);
    return NULL;
}

/* Runs a program with a fault of the victim at its call, or step, number `at`. */
static void run_ranks(rank *all, const char *program, fault f, int at, double timeout)
{
    lun_net_group *group = lun__threads_group_new(RANKS);
    memset(all, 0, RANKS * sizeof *all);
    for (int i = 0; i < RANKS; i++) {
        lun_config c = {.size = sizeof c, .backend = "reference", .cache_dir = ""};
        bool victim = i == VICTIM && f != NOTHING;
        all[i] = (rank){.program = program, .fault = victim ? f : NOTHING, .at = victim ? at : -1};
        assert_int_equal(lun_open(&c, &all[i].e), LUN_OK);
        sim_open(all[i].e, group, i,
                 (sim_fault){f == LOSES  ? "lose"
                             : f == DIES ? "kill"
                                         : NULL,
                             VICTIM, at});
        all[i].e->ranks->timeout = timeout;
    }
    lun__threads_group_free(group);
    for (int i = 0; i < RANKS; i++)
        assert_int_equal(pthread_create(&all[i].thread, NULL, run, &all[i]), 0);
    for (int i = 0; i < RANKS; i++)
        pthread_join(all[i].thread, NULL);
}

/* How many calls a program makes on the victim where all goes well, or steps, before which a rank
 * can end or do something else. */
static int calls_of(const char *program, fault f)
{
    rank all[RANKS];
    run_ranks(all, program, NOTHING, 0, 60);
    for (int i = 0; i < RANKS; i++)
        if (all[i].status != LUN_OK)
            fail_msg("rank %d: %s", i, all[i].error);
    return f == ENDS || f == DIFFERS ? (int)all[VICTIM].steps : (int)all[VICTIM].calls;
}

/* The error without the place of the script, which may differ where ranks stand elsewhere. */
static const char *message_of(const rank *r)
{
    const char *at = strstr(r->error, "no word from");
    if (!at)
        at = strstr(r->error, "no message for");
    if (!at)
        at = strstr(r->error, "rank");
    return at ? at : r->error;
}

/* Those that fail, but for a victim that fails by itself, say the same. Returns how many. */
static int check_same(const rank *all, fault f, int at)
{
    int failed = 0, first = -1;
    for (int i = 0; i < RANKS; i++) {
        const bool alone = strstr(all[i].error, "the call was lost") || f == DIES || f == ENDS;
        if (all[i].status == LUN_OK || (i == VICTIM && alone))
            continue;
        failed++;
        if (first < 0)
            first = i;
        else if (strcmp(message_of(&all[first]), message_of(&all[i])) != 0)
            fail_msg("fault %d at %d: rank %d says '%s', rank %d '%s'", f, at, first,
                     all[first].error, i, all[i].error);
    }
    return failed;
}

static void try_all(fault f, double timeout, const char *expected)
{
    bool every = getenv("RANKS_FAULTS") != NULL;
    for (int p = 0; p < PROGRAMS; p++) {
        int calls = calls_of(programs[p], f), told = 0;
        int step = every || calls < FEW ? 1 : calls / FEW;
        for (int at = 1; at <= calls; at += step) {
            rank all[RANKS];
            run_ranks(all, programs[p], f, at, timeout);
            told += check_same(all, f, at);
            for (int i = 0; i < RANKS && expected; i++)
                if (all[i].status != LUN_OK && i != VICTIM && !strstr(all[i].error, expected))
                    fail_msg("fault %d at %d: rank %d says '%s'", f, at, i, all[i].error);
        }
        assert_true(told > 0);
    }
}

static void test_loses(void **state)
{
    (void)state;
    try_all(LOSES, 30, "for 30 s in");
}

static void test_dies(void **state)
{
    (void)state;
    try_all(DIES, 30, "no word from rank 1 for 30 s");
}

static void test_ends(void **state)
{
    (void)state;
    try_all(ENDS, 60, "rank 1 has ended");
}

static void test_differs(void **state)
{
    (void)state;
    try_all(DIFFERS, 60, "rank 1 ");
}

int main(void)
{
#ifdef __SANITIZE_THREAD__
    /* Archer's annotations at the end of a thread may come after ThreadSanitizer's state of it has
     * gone, which ends the process; ranks are a thread each here, hundreds of them. */
    setenv("OMP_TOOL", "disabled", 1);
#endif
    alarm(getenv("RANKS_FAULTS") ? 3600 : 300); /* a hang is a failure */
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ends),
        cmocka_unit_test(test_differs),
        cmocka_unit_test(test_loses),
        cmocka_unit_test(test_dies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
