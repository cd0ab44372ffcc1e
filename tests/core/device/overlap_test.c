/* overlap_test.c - several devices work at once, and transfers beside kernels: seen in the times of
 * the commands' events.  Runs itself again with tests/shim/cl_faults.c as its OpenCL library, which
 * writes them down, and two devices of PoCL. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* basename */
#endif
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine_kit.h"

enum { COMMANDS = 4096, ROUNDS = 12 };

typedef struct command {
    char device[32], what[16];
    unsigned long long submitted, start, end;
} command;

static bool read_command(FILE *f, command *c)
{
    memset(c, 0, sizeof *c);
    return fscanf(f, "%31s %15s %llu %llu %llu", c->device, c->what, &c->submitted, &c->start,
                  &c->end) == 5;
}

/* A command is written down when each of its owners gives it back. */
static bool is_new(const command *c, int at)
{
    for (int i = 0; i < at; i++)
        if (!memcmp(&c[i], &c[at], sizeof *c))
            return false;
    return true;
}

/* The commands of a script on both devices. */
static int run(const char *script, command *out, lun_stats *stats)
{
    const lun_config config = {.size = sizeof config, .backend = "opencl:*"};
    char path[] = "/tmp/lunarray-test-XXXXXX";
    lun_engine *own;
    int count = 0, fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    assert_int_equal(setenv("LUN_TEST_CL_TRACE", path, 1), 0);
    assert_int_equal(lun_open(&config, &own), LUN_OK);
    if (lun_dostring(own, script) != LUN_OK)
        fail_msg("%s", lun_error(own));
    stats->size = sizeof *stats;
    lun_stats_get(own, stats);
    lun_close(own);
    FILE *f = fopen(path, "re");
    assert_non_null(f);
    while (count < COMMANDS && read_command(f, &out[count]))
        count += is_new(out, count);
    fclose(f);
    unlink(path);
    return count;
}

/* Whether commands of kinds a and b, on one device or on two, were under way at once. */
static bool overlap(const command *c, int count, const char *a, const char *b, bool one_device)
{
    for (int i = 0; i < count; i++)
        for (int j = 0; j < count; j++)
            if (i != j && !strcmp(c[i].what, a) && !strcmp(c[j].what, b) &&
                !strcmp(c[i].device, c[j].device) == one_device && c[i].start < c[j].end &&
                c[j].start < c[i].end)
                return true;
    return false;
}

static int number_of(const command *c, int count, const char *what)
{
    int n = 0;
    for (int i = 0; i < count; i++)
        n += !strcmp(c[i].what, what);
    return n;
}

/* Kernels without loops, each over an array that has to be sent. */
static const char script[] = "local n = 1 << 20\n"
                             "local parts = {}\n"
                             "for k = 1, 4 do parts[k] = (lun.range(1, n) * k):copy() end\n"
                             "for _, x in ipairs(parts) do\n"
                             "    local y = x:sin() + x:cos() * x:exp() + (x * 0.5):sin() * (x * "
                             "0.25):cos() + (x + 1):log()\n"
                             "    lun.eval(y)\n"
                             "end\n"
                             "lun.eval(lun.ones(1):copy() * 2):sum()\n";

/* One run shows it seldom on few cores: it has to be seen in one of several. */
static void test_both(void **unused)
{
    command *c = calloc(COMMANDS, sizeof *c);
    lun_stats stats;
    bool kernels = false, beside = false;
    (void)unused;
    assert_non_null(c);
    for (int k = 0; k < ROUNDS && !(kernels && beside); k++) {
        const int count = run(script, c, &stats);
        kernels |= overlap(c, count, "kernel", "kernel", false);
        beside |= overlap(c, count, "kernel", "transfer", true);
    }
    assert_true(kernels);
    assert_true(beside);
    free(c);
}

/* Teams that write copies, in four launches on each device; nothing else is a kernel: no memory is
 * filled, and nothing merged. */
static const char teams[] = "local n = 64\n"
                            "local a = lun.ones(n):copy():distribute 'copy'\n"
                            "for round = 1, 4 do\n"
                            "    lun.teams { league = n }(function(t)\n"
                            "        local i, x = t:block(), 1.0\n"
                            "        for k = 1, 20000 do x = x * 0.75 + k / (x + i) end\n"
                            "        a[i] = a[i] + x\n"
                            "    end)\n"
                            "end\n";

static void test_teams(void **unused)
{
    command *c = calloc(COMMANDS, sizeof *c);
    lun_stats stats;
    bool seen = false;
    (void)unused;
    assert_non_null(c);
    for (int k = 0; k < ROUNDS && !seen; k++) {
        const int count = run(teams, c, &stats);
        assert_int_equal(number_of(c, count, "kernel"), 8);
        seen = overlap(c, count, "kernel", "kernel", false);
    }
    assert_true(seen);
    free(c);
}

/* From device to device nothing goes by way of the host. */
static void test_copies(void **unused)
{
    command *c = calloc(COMMANDS, sizeof *c);
    lun_stats stats;
    (void)unused;
    assert_non_null(c);
    const int count = run("local a = (lun.range(1, 1000) * 2):eval()\n"
                          "a:distribute('block', { weights = { 1, 3 } })\n"
                          "lun.eval(a + 2)\n"
                          "a:distribute('single', { device = 1 })\n"
                          "lun.eval(a + 3)\n",
                          c, &stats);
    assert_int_equal(number_of(c, count, "copy"), 2);
    assert_int_equal(stats.bytes_moved, (250 + 500) * 8);
    assert_int_equal(stats.bytes_to_device, 0);
    assert_int_equal(stats.bytes_to_host, 0);
    assert_int_equal(stats.moves, 2);
    free(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_both),
        cmocka_unit_test(test_teams),
        cmocka_unit_test(test_copies),
    };
    char self[PATH_MAX] = "", path[PATH_MAX + 16], before[PATH_MAX];
    const char *old = getenv("LD_LIBRARY_PATH");
    if (readlink("/proc/self/exe", self, sizeof self - 1) < 0)
        return 1;
    snprintf(before, sizeof before, "%s", self);
    snprintf(path, sizeof path, "%s/shim", dirname(before));
    if (!old || strncmp(old, path, strlen(path))) {
        if (setenv("LD_LIBRARY_PATH", path, 1) || setenv("POCL_DEVICES", "pthread pthread", 1) ||
            setenv("LUNARRAY_THREADS", "2", 1) || unsetenv("HWLOC_SYNTHETIC")) /* PoCL's team */
            return 1;
        execl(self, self, (char *)NULL);
        return 1;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
