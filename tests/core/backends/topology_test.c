/* topology_test.c - how many threads, on which hardware threads and memory nodes, with which
 * chunks: on simulated machines, by tables.  And what looking at the machine leaves alone. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* sched_setaffinity */
#endif
#include "openmp_kit.h"

#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include "host/split_run.h"
#include "openmp/threads/cpu_slots.h"
#include "openmp/threads/cpus.h"
#include "openmp/threads/stack.h"
#include "openmp/threads/thread_team.h"

#define LAPTOP    "pack:1 l3:1(size=12582912) l2:4(size=1310720) core:1 pu:2"
#define SERVER    "pack:2 numa:1 l3:1(size=33554432) l2:8(size=1048576) core:1 pu:2"
#define CHIPLET   "pack:1 numa:1 l3:4(size=16777216) core:4 pu:1"
#define LARGE_L3  "pack:1 l3:1(size=268435456) l2:2(size=2097152) core:1 pu:1"
#define PLAIN     "pack:1 core:2 pu:1"
#define SHARED_L2 "pack:1 l2:2(size=4194304) core:4 pu:1"

/* ---- machines -------------------------------------------------------------------------------- */

static const struct {
    const char *machine;
    int packages, nodes, cores, count, caches, l2_cores;
    int64_t l2, l3;
    const char *told;
} machines[] = {
    {LAPTOP, 1, 1, 4, 8, 1, 1, 1280 << 10, 12 << 20,
     "1 package, 1 memory node, 4 cores, 8 hardware threads, L2 1280 KiB, L3 12 MiB (simulated)"},
    {SERVER, 2, 2, 16, 32, 2, 1, 1 << 20, 32 << 20,
     "2 packages, 2 memory nodes, 16 cores, 32 hardware threads, L2 1 MiB, L3 32 MiB (simulated)"},
    {CHIPLET, 1, 1, 16, 16, 4, 1, 0, 16 << 20, NULL},
    {LARGE_L3, 1, 1, 2, 2, 1, 1, 2 << 20, 256 << 20, NULL},
    {PLAIN, 1, 1, 2, 2, 1, 1, 0, 0,
     "1 package, 1 memory node, 2 cores, 2 hardware threads (simulated)"},
    {SHARED_L2, 1, 1, 8, 8, 2, 4, 4 << 20, 0, NULL},
};

static void test_machines(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof machines / sizeof *machines; i++) {
        lun_topology t;
        char told[256];
        if (!lun__topology_load(machines[i].machine, &t))
            fail_msg("%s cannot be read", machines[i].machine);
        assert_false(t.here);
        assert_int_equal(t.packages, machines[i].packages);
        assert_int_equal(t.nodes, machines[i].nodes);
        assert_int_equal(t.cores, machines[i].cores);
        assert_int_equal(t.count, machines[i].count);
        assert_int_equal(t.caches, machines[i].caches);
        assert_int_equal(t.l2_cores, machines[i].l2_cores);
        assert_int_equal(t.l2, machines[i].l2);
        assert_int_equal(t.l3, machines[i].l3);
        lun__topology_text(&t, told, sizeof told);
        if (machines[i].told)
            assert_string_equal(told, machines[i].told);
        lun__topology_free(&t);
    }
    lun_topology none;
    assert_false(lun__topology_load("nonsense:2", &none));
    assert_null(none.slots);
}

/* ---- slots ---------------------------------------------------------------------------------- */

/* allowed: "" all, else a digit for each hardware thread in the machine's
 * order.  cpus: by worker. */
static const struct {
    const char *machine;
    int wanted, quota;
    bool siblings;
    const char *allowed, *cpus, *nodes;
    int64_t chunk_kib, cache_mib;
} wishes[] = {
    /* all of it; cores only; a quota: distinct cores first */
    {LAPTOP, 0, 0, true, "", "0 1 2 3 4 5 6 7", "0 0 0 0 0 0 0 0", 640, 12},
    {LAPTOP, 0, 0, false, "", "0 2 4 6", "0 0 0 0", 640, 12},
    {LAPTOP, 0, 3, true, "", "0 2 4", "0 0 0", 640, 12},
    {LAPTOP, 0, 6, true, "", "0 1 2 3 4 6", "0 0 0 0 0 0", 640, 12},
    {LAPTOP, 0, 6, false, "", "0 2 4 6", "0 0 0 0", 640, 12},
    /* affinity: of what is left, cores first; one core's two hardware threads */
    {LAPTOP, 0, 0, true, "00111000", "2 3 4", "0 0 0", 640, 12},
    {LAPTOP, 0, 2, true, "00111000", "2 4", "0 0", 640, 12},
    {LAPTOP, 0, 0, true, "00110000", "2 3", "0 0", 640, 12},
    {LAPTOP, 0, 0, false, "00110000", "2", "0", 640, 12},
    /* asked for: whatever the quota says, even more than there are; chunks of
     * neighbours stay near */
    {LAPTOP, 2, 1, true, "", "0 2", "0 0", 640, 12},
    {LAPTOP, 4, 0, true, "00110000", "2 2 3 3", "0 0 0 0", 640, 12},
    {LAPTOP, 1, 0, true, "00000000", "-1", "0", 640, 0},
    {LAPTOP, 0, 0, true, "00000000", "-1", "0", 640, 0},
    /* two memory nodes: few threads are shared out among them, the workers of one are neighbours */
    {SERVER, 4, 0, true, "", "0 2 16 18", "0 0 1 1", 512, 64},
    {SERVER, 5, 0, true, "", "0 2 4 16 18", "0 0 0 1 1", 512, 64},
    {SERVER, 1, 0, true, "", "0", "0", 512, 32},
    {SERVER, 0, 3, true, "", "0 2 16", "0 0 1", 512, 64},
    {SERVER, 0, 0, false, "", "0 2 4 6 8 10 12 14 16 18 20 22 24 26 28 30",
     "0 0 0 0 0 0 0 0 1 1 1 1 1 1 1 1", 512, 64},
    {SERVER, 18, 0, true, "", "0 1 2 4 6 8 10 12 14 16 17 18 20 22 24 26 28 30",
     "0 0 0 0 0 0 0 0 0 1 1 1 1 1 1 1 1 1", 512, 64},
    {SERVER, 0, 0, true, "00000000000000001111000000000000", "16 17 18 19", "1 1 1 1", 512, 32},
    {SERVER, 0, 0, true, "11000000000000001111000000000000", "0 1 16 17 18 19", "0 0 1 1 1 1", 512,
     64},
    /* caches: each that a worker has counts, a large one no more than 32 MiB */
    {CHIPLET, 0, 0, true, "", "0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15",
     "0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0", 0, 64},
    {CHIPLET, 5, 0, true, "", "0 1 2 3 4", "0 0 0 0 0", 0, 32},
    {LARGE_L3, 0, 0, true, "", "0 1", "0 0", 1024, 32},
    {SHARED_L2, 0, 0, true, "", "0 1 2 3 4 5 6 7", "0 0 0 0 0 0 0 0", 512, 8},
    {PLAIN, 0, 0, true, "", "0 1", "0 0", 0, 0},
};

static void list(const int *values, int count, char *to, size_t room)
{
    size_t n = 0;
    to[0] = 0;
    for (int i = 0; i < count && n < room; i++)
        n += (size_t)snprintf(to + n, room - n, "%s%d", i ? " " : "", values[i]);
}

static void test_places(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof wishes / sizeof *wishes; i++) {
        lun_topology t;
        lun_cpu_slots p;
        char cpus[256], nodes[256];
        assert_true(lun__topology_load(wishes[i].machine, &t));
        for (int k = 0; wishes[i].allowed[k]; k++)
            t.slots[k].allowed = wishes[i].allowed[k] == '1';
        lun_cpu_slots_limits limits = {wishes[i].wanted, wishes[i].quota, wishes[i].siblings};
        assert_true(lun__cpu_slots_make(&t, &limits, &p));
        list(p.cpus, p.threads, cpus, sizeof cpus);
        list(p.nodes, p.threads, nodes, sizeof nodes);
        if (strcmp(cpus, wishes[i].cpus) || strcmp(nodes, wishes[i].nodes))
            fail_msg("row %d: cpus %s on nodes %s", (int)i, cpus, nodes);
        assert_int_equal(p.chunk_bytes, wishes[i].chunk_kib << 10);
        assert_int_equal(p.cache_bytes, wishes[i].cache_mib << 20);
        lun__cpu_slots_free(&p);
        lun__topology_free(&t);
    }
}

/* A bound worker leaves the caller's core, or with siblings its hardware thread, to the first. */
static void test_bound(void **state)
{
    (void)state;
    static const struct {
        bool siblings;
        int worker, callers, cpu;
    } rows[] = {
        {false, 1, 9, 2}, {false, 1, 0, 2}, {false, 1, 2, 0}, {false, 1, 3, 0},
        {false, 0, 3, 0}, {true, 1, 1, 0},  {true, 1, 0, 1},  {true, 2, 3, 2},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        lun_topology t;
        lun_cpu_slots p;
        assert_true(lun__topology_load("package:1 core:4 pu:2", &t));
        assert_true(
            lun__cpu_slots_make(&t, &(lun_cpu_slots_limits){.siblings = rows[i].siblings}, &p));
        assert_int_equal(p.threads, rows[i].siblings ? 8 : 4);
        if (lun__cpu_slots_of(&t, &p, rows[i].worker, rows[i].callers, rows[i].siblings) !=
            rows[i].cpu)
            fail_msg("row %d", (int)i);
        lun__cpu_slots_free(&p);
        lun__topology_free(&t);
    }
    /* more threads than cores share them */
    lun_topology t;
    lun_cpu_slots p;
    char cpus[64];
    assert_true(lun__topology_load("package:1 core:2 pu:2", &t));
    assert_true(lun__cpu_slots_make(&t, &(lun_cpu_slots_limits){.threads = 4}, &p));
    list(p.cpus, p.threads, cpus, sizeof cpus);
    assert_string_equal(cpus, "0 0 2 2");
    lun__cpu_slots_free(&p);
    lun__topology_free(&t);
}

/* ---- chunks ---------------------------------------------------------------------------------- */

/* kind: p plain, r REDUCE, s SCAN, f SCAN with free chunks.  shares: how many chunks each worker
 * has. */
static const struct {
    int64_t count, bytes_each, cost;
    char kind;
    int threads;
    int64_t chunk_kib, cache_mib;
    int workers;
    int64_t chunk;
    const char *shares;
    bool stream;
} cuts[] = {
    /* small runs stay on one thread, larger ones get more */
    {10000, 12, 3, 'p', 8, 0, 32, 1, 10048, "1", false},
    {16384, 12, 3, 'p', 8, 0, 32, 1, 16384, "1", false},
    {32768, 12, 3, 'p', 8, 0, 32, 2, 16384, "1 1", false},
    {1 << 20, 12, 3, 'p', 8, 0, 32, 8, 16384, "8 8 8 8 8 8 8 8", false},
    {1 << 20, 12, 3, 'p', 2, 0, 8, 2, 16384, "32 32", true},
    /* shares are equal where lengths are odd */
    {100000, 12, 3, 'p', 3, 0, 32, 3, 11136, "3 3 3", false},
    /* what a chunk touches fits half of L2; not for the fixed chunks of reductions and scans */
    {1 << 20, 40, 3, 'p', 2, 128, 64, 2, 3264, "161 161", false},
    {1 << 20, 4000, 3, 'p', 2, 128, 64, 2, 1024, "512 512", true},
    {1 << 20, 40, 3, 'r', 2, 128, 64, 2, LUN_CHUNK, "32 32", false},
    {1 << 20, 40, 3, 's', 2, 128, 64, 2, LUN_SCAN_CHUNK, "8 8", false},
    {100001, 4, 3, 'r', 4, 0, 32, 4, LUN_CHUNK, "2 2 2 1", false},
    /* free chunks: few for one worker; else enough that none waits, none too small for its cost */
    {1 << 18, 8, 3, 'f', 1, 0, 32, 1, 1 << 18, "1", false},
    {5 << 20, 8, 3, 'f', 1, 0, 64, 1, 1 << 20, "5", false},
    {1 << 18, 8, 3, 'f', 2, 0, 32, 2, 32768, "4 4", false},
    {1 << 16, 8, 3, 'f', 2, 0, 32, 2, LUN_CHUNK, "2 2", false},
    {1 << 22, 8, 3, 'f', 2, 0, 64, 2, LUN_SCAN_CHUNK, "32 32", false},
    /* costly elements: more threads for fewer of them, small chunks */
    {1000, 4, 3000, 'p', 4, 0, 32, 4, 128, "2 2 2 2", false},
    {1 << 20, 4, 3000, 'p', 4, 0, 32, 4, 128, "2048 2048 2048 2048", false},
};

static void test_chunks(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cuts / sizeof *cuts; i++) {
        lun_team team = {.threads = cuts[i].threads,
                         .chunk_bytes = cuts[i].chunk_kib << 10,
                         .cache_bytes = cuts[i].cache_mib << 20};
        lun_cut_work work = {.count = cuts[i].count,
                             .bytes = cuts[i].count * cuts[i].bytes_each,
                             .cost = cuts[i].cost,
                             .plain = cuts[i].kind == 'p',
                             .scans = cuts[i].kind == 's' || cuts[i].kind == 'f',
                             .free = cuts[i].kind == 'f'};
        lun_cut cut;
        int shares[64];
        char told[256];
        lun__split_make(&work, &team, &cut);
        int64_t before = 0;
        for (int w = 0; w < cut.workers; w++) {
            int64_t from, to;
            lun__split_share(&cut, cut.workers, w, &from, &to);
            assert_int_equal(from, before); /* neighbours, none left out */
            shares[w] = (int)(to - from);
            before = to;
        }
        assert_int_equal(before, cut.chunks);
        assert_true(cut.chunk % 64 == 0 && cut.chunks * cut.chunk >= work.count &&
                    (cut.chunks - 1) * cut.chunk < work.count);
        list(shares, cut.workers, told, sizeof told);
        if (cut.workers != cuts[i].workers || cut.chunk != cuts[i].chunk ||
            strcmp(told, cuts[i].shares) || cut.stream != cuts[i].stream)
            fail_msg("row %d: %d workers, chunks of %d, shares %s%s", (int)i, cut.workers,
                     (int)cut.chunk, told, cut.stream ? ", streams" : "");
    }
}

/* ---- this machine ---------------------------------------------------------------------------- */

/* Whether the process has a library whose path contains the word. */
static bool has_loaded(const char *word)
{
    char line[4096];
    bool found = false;
    FILE *f = fopen("/proc/self/maps", "r");
    assert_non_null(f);
    while (fgets(line, sizeof line, f))
        found |= strchr(line, '/') && strstr(strchr(line, '/'), word);
    fclose(f);
    return found;
}

static void test_this_machine(void **state)
{
    (void)state;
    static const char *const drivers[] = {"OpenCL", "libcuda", "libGL",  "libX11",
                                          "nvidia", "hwloc_",  "libxml", "libpocl"};
    lun_topology t;
    lun_cpu_slots p;
    cpu_set_t before, after;
    char **environment = environ;
    sched_getaffinity(0, sizeof before, &before);
    assert_true(lun__topology_load(NULL, &t));
    sched_getaffinity(0, sizeof after, &after);
    assert_true(CPU_EQUAL(&before, &after));
    assert_ptr_equal(environ, environment);
    assert_null(getenv("HWLOC_PLUGINS_PATH"));
    for (size_t i = 0; i < sizeof drivers / sizeof *drivers; i++)
        if (has_loaded(drivers[i]))
            fail_msg("%s has been loaded", drivers[i]);
    assert_true(has_loaded("libhwloc")); /* the check sees what there is */
    assert_true(t.here);
    int allowed = 0;
    for (int i = 0; i < t.count; i++) {
        assert_true(t.slots[i].node < t.nodes && t.slots[i].core < t.cores);
        allowed += t.slots[i].allowed;
    }
    assert_int_equal(allowed, lun__cpus_allowed());
    assert_true(lun__cpu_slots_make(&t, &(lun_cpu_slots_limits){.siblings = true}, &p));
    assert_int_equal(p.threads, allowed);
    lun__cpu_slots_free(&p);
    lun__topology_free(&t);
}

/* A thread that may use one CPU only gets a team of one. */
static void test_affinity(void **state)
{
    (void)state;
    pid_t child = fork();
    if (child == 0) {
        cpu_set_t one;
        lun_openmp_team t;
        CPU_ZERO(&one);
        CPU_SET((size_t)sched_getcpu(), &one);
        if (sched_setaffinity(0, sizeof one, &one))
            _exit(2);
        lun__thread_team_init(&t, 0, LUN_BIND_AUTO);
        lun__thread_team_look(&t);
        _exit(t.wanted == 1 && t.slots.threads == 1 && t.slots.cpus[0] == sched_getcpu() && !t.move
                  ? 0
                  : 3);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

/* The team follows the machine that hwloc is told of, and no thread is moved on a simulated one. */
static void test_simulated_team(void **state)
{
    (void)state;
    lun_openmp_team t;
    setenv("HWLOC_SYNTHETIC", SERVER, 1);
    lun__thread_team_init(&t, 0, LUN_BIND_AUTO);
    lun__thread_team_look(&t);
    int quota = lun__cpus_quota_here();
    assert_int_equal(t.wanted, quota > 0 && quota < 32 ? quota : 32);
    assert_int_equal(t.slots.node_count, 2);
    assert_false(t.move);
    lun__thread_team_free(&t);
    lun__thread_team_init(&t, 3, LUN_BIND_AUTO);
    lun_team team = lun__thread_team_for(&t, 1 << 20);
    assert_int_equal(team.threads, 3);
    assert_int_equal(team.chunk_bytes, 512 << 10);
    assert_int_equal(team.cache_bytes, 64 << 20);
    lun__thread_team_free(&t);
    unsetenv("HWLOC_SYNTHETIC");
}

static void test_stack_sizes(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t bytes; /* 0: refused */
    } sizes[] = {
        {"4", 4096},
        {" 10000 B ", 10000},
        {"64k", 65536},
        {"8M", 8 << 20},
        {"2 g", (size_t)2 << 30},
        {"\t3\tm\n", 3 << 20},
        {"", 0},
        {" ", 0},
        {"x", 0},
        {"1x", 0},
        {"1 mb", 0},
        {"0x10", 0},
        {"1.5m", 0},
        {"99999999999999999g", 0},
        {"99999999999999999999999", 0},
        {"17179869184g", 0},
        {NULL, 0},
    };
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        size_t bytes = 0;
        bool known = lun__stack_parse(sizes[i].text, &bytes);
        if (known != (sizes[i].bytes > 0) || bytes != sizes[i].bytes)
            fail_msg("%s gives %zu", sizes[i].text ? sizes[i].text : "NULL", bytes);
    }
    setenv("GOMP_STACKSIZE", "5k", 1);
    for (int i = 0; i < 3; i++) {
        size_t bytes = 0;
        const char *said[] = {"7k", "nonsense", NULL};
        if (said[i])
            setenv("OMP_STACKSIZE", said[i], 1);
        else
            unsetenv("OMP_STACKSIZE");
        assert_true(lun__stack_bytes(&bytes));
        assert_int_equal(bytes, i ? 5120 : 7168);
    }
    unsetenv("GOMP_STACKSIZE");
}

/* A chunk of strided memory is whole lines of cache, `unit` indices, many where a worker has many;
 * of dear kernels it stays small. */
static void test_staged_chunks(void **state)
{
    (void)state;
    static const struct {
        int64_t count, unit, cost;
        int threads;
        int64_t chunk;
    } staged[] = {
        {1 << 24, 16 * 1024, 2, 1, 64 * 1024},  {1 << 24, 16 * 1024, 2, 2, 64 * 1024},
        {1 << 17, 16 * 1024, 2, 4, 16 * 1024},  {1 << 24, 16 * 1024, 100000, 2, 16 * 1024},
        {1 << 24, 16 * 8192, 2, 2, 16 * 8192},  {1 << 24, 16 * 64, 2, 2, 64 * 1024},
        {1 << 24, 16 * 65536, 2, 2, 16 * 1024},
    };
    for (size_t i = 0; i < sizeof staged / sizeof *staged; i++) {
        lun_team team = {.threads = staged[i].threads, .chunk_bytes = 512 << 10};
        lun_cut_work work = {.count = staged[i].count,
                             .bytes = 8 * staged[i].count,
                             .cost = staged[i].cost,
                             .need = {.strided = 4, .unit = staged[i].unit},
                             .plain = true};
        lun_cut cut;
        lun__split_make(&work, &team, &cut);
        assert_int_equal(cut.chunk, staged[i].chunk);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_this_machine),   cmocka_unit_test(test_machines),
        cmocka_unit_test(test_places),         cmocka_unit_test(test_chunks),
        cmocka_unit_test(test_bound),          cmocka_unit_test(test_affinity),
        cmocka_unit_test(test_simulated_team), cmocka_unit_test(test_stack_sizes),
        cmocka_unit_test(test_staged_chunks),
    };
    unsetenv("HWLOC_SYNTHETIC"); /* where a test simulates a machine, it says which */
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    lun__strbuf_free(&test_error);
    return failed;
}
