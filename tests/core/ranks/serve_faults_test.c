/* serve_faults_test.c - a script on four simulated ranks, of which three serve, while one of them
 * loses a call, is killed or ends: at one call of the transport after the other. No rank hangs;
 * rank 0 is told why what it wanted is not there, and computes by itself. RANKS_FAULTS=all takes
 * many calls, else a few. */
#include <fcntl.h>
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

#include "sim_kit.h"

enum { RANKS = 4, FEW = 10, MANY = 300 };

static const char loses[] = "lose", dies[] = "kill";

/* Elements sent, from rank to rank too, kernels of both kinds, cells and elements wanted, a failure
 * in a kernel, a file of 20000 zeros that all ranks read, one that all write. */
static char folder[] = "/tmp/lunarray_faults_XXXXXX";
static char path[64], saved[64];
static const char program[] =
    "local a, b = lun.random(20000, { seed = 1 }):eval(), lun.vector { 1, 2, 3, 4, 5, 6 }\n"
    "assert((b * 2 + 1):sum() == 48)\n"
    "local c = (a * 4):floor():eval()\n"
    "assert(c:max() == 3 and c:min() == 0)\n"
    "local d = (c + 1):distribute('single', { device = 3 }):eval()\n"
    "d = (d * 2):distribute('single', { device = 4 }):eval() + 1\n"
    "assert(d:max() == 9 and d[20000] == 2 * c[20000] + 3)\n"
    "local near = lun.stencil(function(w) return w(-1) + w(1) end, { edge = 'nearest' })\n"
    "assert(near(a * 1)[10001] == a[10000] + a[10002])\n"
    "assert((c + 1):scan('+')[20000] + c[20000] + 1 == (c + 1):sum())\n"
    "local m = (lun.random({ 60, 9 }, { seed = 2 }) * 4):floor():eval()\n"
    "assert(m:matmul(m:transpose():eval())[60][60] == (m[60] * m[60]):sum())\n"
    "local order = a:argsort():eval()\n"
    "assert(order:max() == 20000 and a:take(order):ge(a:sort()):all())\n"
    "assert(#c:compress(c:gt(2)):eval() == c:gt(2):count())\n"
    "assert(not pcall(function() return (1 // (b:cast 'i64' - 6)):eval() end))\n"
    "assert((b:cast 'i64' // 2):totable()[6] == 3)\n"
    "local zeros = lun.open(os.getenv 'LUNARRAY_FAULTS', { dtype = 'f64' })\n"
    "assert((zeros + 2):sum() == 40000 and (zeros + b[1]):eval()[20000] == 1)\n"
    "zeros:free()\n"
    "assert(lun.save(os.getenv 'LUNARRAY_SAVED', (c + 2):eval(), { dtype = 'f32' }))\n"
    "local there = lun.load(os.getenv 'LUNARRAY_SAVED', { dtype = 'f32' })\n"
    "assert(#there == 20000 and there[20000] == c[20000] + 2 and there:min() == 2)\n";

/* Order alone, of a Vector in parts: each of 0 .. n - 1 once, and where it stood. */
static const char sorts[] = "local n = 200\n"
                            "local a = (lun.index(n) * 77 % n):eval()\n"
                            "assert(a:sort():eval():eq(lun.range(0, n - 1)):all())\n";
static const char argsorts[] =
    "local n = 200\n"
    "local a = (lun.index(n) * 77 % n):eval()\n"
    "assert(((a:argsort():eval() * 77 - lun.range(0, n - 1)) % n):eq(0):all())\n";

static const char *const programs[] = {program, sorts, argsorts};
enum { PROGRAMS = sizeof programs / sizeof programs[0] };

typedef struct rank {
    pthread_t thread;
    lun_engine *e;
    const char *program;
    bool ends; /* it ends before it has served */
    int64_t calls;
    lun_status status;
    char error[512];
} rank;

static void *serve(void *arg)
{
    rank *r = arg;
    const lun_backend *mpi = NULL;
    for (int i = 0; lun__backends_all[i]; i++)
        if (lun__backends_all[i]->remote)
            mpi = lun__backends_all[i];
    r->status = lun__ranks_link(r->e);
    if (r->status == LUN_OK && !r->ends)
        r->status = mpi->remote->serve(&r->e->services, r->e->backends[r->e->current]->backend, 0);
    (void)lun_spmd_end(r->e, r->ends ? "it was asked to" : NULL);
    r->calls = sim_calls(r->e);
    lun_close(r->e);
    return NULL;
}

static void *lead(void *arg)
{
    rank *r = arg;
    lun_engine *e = r->e;
    r->status = lun__ranks_link(e);
    if (r->status == LUN_OK)
        r->status = lun_use(e, "mpi");
    if (r->status == LUN_OK)
        r->status = lun_dostring(e, r->program);
    snprintf(r->error, sizeof r->error, "%.*s", (int)strcspn(lun_error(e), "\n"),
             r->status == LUN_OK ? "" : lun_error(e));
    /* the session goes on */
    lun_status s = lun_use(e, "reference");
    if (s == LUN_OK)
        s = lun_dostring(e, "assert((lun.index(10) + 1):sum() == 65)");
    if (s != LUN_OK) {
        r->status = s;
        snprintf(r->error, sizeof r->error, "afterwards: %.400s", lun_error(e));
    }
    r->calls = sim_calls(r->e);
    lun_close(e);
    return NULL;
}

/* Runs a program with a fault; ends: of that rank, -1: of none. */
static void run_ranks(rank *all, const char *text, sim_fault f, int ends, double timeout)
{
    lun_net_group *group = lun__threads_group_new(RANKS);
    memset(all, 0, RANKS * sizeof *all);
    for (int i = 0; i < RANKS; i++) {
        lun_config c = {.size = sizeof c, .backend = "reference", .cache_dir = ""};
        assert_int_equal(lun_open(&c, &all[i].e), LUN_OK);
        all[i].program = text;
        all[i].ends = i == ends;
        sim_open(all[i].e, group, i, f);
        all[i].e->ranks->timeout = timeout;
    }
    lun__threads_group_free(group);
    for (int i = 0; i < RANKS; i++)
        assert_int_equal(pthread_create(&all[i].thread, NULL, i ? serve : lead, &all[i]), 0);
    for (int i = 0; i < RANKS; i++)
        pthread_join(all[i].thread, NULL);
}

/* Rank 0 is told of it by one of these, if what was lost is missed. */
static bool is_told(const char *error)
{
    static const char *const words[] = {"no word from rank", "no message for", "was lost",
                                        "has ended", "lost the others"};
    for (size_t k = 0; k < sizeof words / sizeof *words; k++)
        if (strstr(error, words[k]) && strncmp(error, "afterwards", 10) != 0)
            return true;
    return false;
}

static void try_program(const char *text, const char *what, int victim, double timeout)
{
    const int some = getenv("RANKS_FAULTS") ? MANY : FEW;
    rank all[RANKS];
    run_ranks(all, text, (sim_fault){NULL, 0, 1}, -1, 60);
    if (all[0].status != LUN_OK)
        fail_msg("%s", all[0].error);
    const int calls = (int)all[victim].calls, step = calls < some ? 1 : calls / some;
    int told = 0;
    for (int at = 1; at <= calls; at += step) {
        run_ranks(all, text, (sim_fault){what, victim, at}, -1, timeout);
        if (all[0].status != LUN_OK && !is_told(all[0].error))
            fail_msg("%s=%d@%d: '%s'", what, victim, at, all[0].error);
        told += all[0].status != LUN_OK;
    }
    assert_true(told > 0);
}

static void try_all(const char *what, int victim, double timeout)
{
    for (; victim < RANKS; victim++)
        for (int p = 0; p < PROGRAMS; p++)
            try_program(programs[p], what, victim, timeout);
}

static void test_loses(void **state)
{
    (void)state;
    try_all(loses, 0, 30);
}

/* When rank 0 dies, its launcher ends the others: they wait for as long as it lives, here until the
 * simulation says that nothing moves. */
static void test_dies(void **state)
{
    (void)state;
    try_all(dies, 1, 30);
}

static void test_ends(void **state)
{
    rank all[RANKS];
    (void)state;
    run_ranks(all, program, (sim_fault){NULL, 0, 1}, 2, 60);
    assert_int_equal(all[0].status, LUN_EBACKEND);
    if (!strstr(all[0].error, "rank 2 has ended (it was asked to)"))
        fail_msg("%s", all[0].error);
}

int main(void)
{
    alarm(getenv("RANKS_FAULTS") ? 3600 : 300); /* a hang is a failure */
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ends),
        cmocka_unit_test(test_loses),
        cmocka_unit_test(test_dies),
    };
    if (!mkdtemp(folder))
        return 1;
    snprintf(path, sizeof path, "%s/zeros", folder);
    snprintf(saved, sizeof saved, "%s/saved", folder);
    const int file = open(path, O_WRONLY | O_CREAT, 0600);
    if (file < 0 || ftruncate(file, 20000 * sizeof(double)) || setenv("LUNARRAY_FAULTS", path, 1) ||
        setenv("LUNARRAY_SAVED", saved, 1))
        return 1;
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    close(file);
    unlink(path);
    unlink(saved);
    return failed | rmdir(folder); /* which fails where a save has left anything */
}
