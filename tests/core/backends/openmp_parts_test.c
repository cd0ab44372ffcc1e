/* openmp_parts_test.c - the openmp backend's loader and team: many objects at once, damaged ones,
 * threads that cannot be had, forks, quotas. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* memmem */
#endif
#include "openmp_kit.h"

#include <dlfcn.h>
#include <omp.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "openmp/compiler/loader.h"
#include "openmp/threads/cpus.h"
#include "openmp/threads/thread_team.h"

/* ---- loader ---------------------------------------------------------------------------------- */

static char *read_whole(const char *path, size_t *length)
{
    FILE *f = fopen(path, "rb");
    char *bytes = malloc(1 << 20);
    assert_non_null(f);
    assert_non_null(bytes);
    *length = fread(bytes, 1, 1 << 20, f);
    fclose(f);
    return bytes;
}

/* A shared object whose function lun_kernel gives a number that stands in its bytes. */
static char *make_object(size_t *length, size_t *number_at)
{
    char dir[] = "/tmp/lunarray-object-XXXXXX", command[256], path[96];
    assert_non_null(mkdtemp(dir));
    snprintf(command, sizeof command,
             "echo 'int number = 0x7a3b5c1d; int lun_kernel(void) { return number; }' > %s/o.c && "
             "cc -shared -fPIC -o %s/o.so %s/o.c",
             dir, dir, dir);
    assert_int_equal(system(command), 0);
    snprintf(path, sizeof path, "%s/o.so", dir);
    char *bytes = read_whole(path, length);
    static const unsigned char mark[4] = {0x1d, 0x5c, 0x3b, 0x7a};
    char *at = memmem(bytes, *length, mark, sizeof mark);
    assert_non_null(at);
    *number_at = (size_t)(at - bytes);
    snprintf(command, sizeof command, "rm -rf %s", dir);
    assert_int_equal(system(command), 0);
    return bytes;
}

/* 5,000 objects, each of which stays itself, without a descriptor for each. */
static void test_many_objects(void **state)
{
    (void)state;
    enum { COUNT = 5000 };
    static int (*functions[COUNT])(void);
    static lun_object *objects[COUNT];
    struct rlimit before, few = {.rlim_cur = 40};
    size_t length, at;
    char *bytes = make_object(&length, &at);
    lun_strbuf why = LUN_STRBUF_INIT;
    lun_loader loader = {0};
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    few.rlim_max = before.rlim_max;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
    for (int i = 0; i < COUNT; i++) {
        memcpy(bytes + at, &i, sizeof i);
        lun_object *object = lun__loader_open(&loader, bytes, length, NULL, &why);
        if (!object)
            fail_msg("object %d: %s", i, lun__strbuf_text(&why));
        void *function = lun__loader_find(object, "lun_kernel");
        assert_non_null(function);
        memcpy(&functions[i], &function, sizeof function);
        assert_null(lun__loader_find(object, "no_such_function"));
        objects[i] = object;
    }
    for (int i = 0; i < COUNT; i++)
        assert_int_equal(functions[i](), i);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    for (int i = 0; i < COUNT; i += 2)
        lun__loader_close(objects[i]);
    for (int i = 1; i < COUNT; i += 2)
        assert_int_equal(functions[i](), i);
    lun__loader_end(&loader);
    for (int i = 1; i < COUNT; i += 2)
        lun__loader_close(objects[i]);
    lun__strbuf_free(&why);
    free(bytes);
}

/* Objects that are cut off or of another kind are refused before the dynamic linker sees them. */
static void test_damaged_objects(void **state)
{
    (void)state;
    size_t length, at;
    char *bytes = make_object(&length, &at);
    lun_strbuf why = LUN_STRBUF_INIT;
    lun_loader loader = {0};
    assert_true(lun__loader_check(bytes, length));
    for (size_t n = 0; n < length; n += 1 + n / 50) {
        char *cut = malloc(n + 1); /* so that a sanitizer sees reads beyond */
        memcpy(cut, bytes, n);
        assert_false(lun__loader_check(cut, n));
        assert_null(lun__loader_open(&loader, cut, n, NULL, &why));
        free(cut);
    }
    for (size_t k = 0; k < 20; k++) { /* identification, type and machine */
        if (k >= 7 && k < 16)
            continue;
        bytes[k] = (char)(bytes[k] ^ 0x40);
        assert_int_equal(lun__loader_check(bytes, length), k == 6);
        bytes[k] = (char)(bytes[k] ^ 0x40);
    }
    lun__strbuf_free(&why);
    free(bytes);
}

/* ---- team ------------------------------------------------------------------------------------ */

static int seen[64];

static void mark(void *ctx, int worker)
{
    __atomic_add_fetch(&seen[worker], 1, __ATOMIC_SEQ_CST);
    __atomic_add_fetch((int *)ctx, 1, __ATOMIC_SEQ_CST);
}

static void use_team(lun_openmp_team *t, int threads)
{
    int total = 0;
    lun_team team = lun__thread_team_for(t, 1 << 20);
    assert_int_equal(team.threads, threads);
    memset(seen, 0, sizeof seen);
    if (threads < 2)
        return;
    team.parallel(&team, &total, threads, mark);
    assert_int_equal(total, threads);
    for (int i = 0; i < threads; i++)
        assert_int_equal(seen[i], 1);
}

static void test_team(void **state)
{
    (void)state;
    lun_openmp_team t;
    lun__thread_team_init(&t, 5, LUN_BIND_AUTO);
    assert_int_equal(lun__thread_team_for(&t, 10).threads, 1); /* no threads for nothing */
    use_team(&t, 5);
    use_team(&t, 5);
    lun__thread_team_free(&t);
    unsetenv("HWLOC_SYNTHETIC"), unsetenv("HWLOC_XMLFILE");
    lun__thread_team_init(&t, 0, LUN_BIND_AUTO);
    assert_true(t.wanted >= 1 && t.wanted <= lun__cpus_allowed());
    lun__thread_team_free(&t);
    setenv("HWLOC_SYNTHETIC", "pack:1 core:3 pu:1", 1); /* a machine that is described */
    lun__thread_team_init(&t, 0, LUN_BIND_AUTO);
    assert_int_equal(t.wanted, 3);
    lun__thread_team_free(&t);
    unsetenv("HWLOC_SYNTHETIC");
    lun__thread_team_init(&t, 2, LUN_BIND_AUTO);
    int inside = 0;
#pragma omp parallel num_threads(2) reduction(+ : inside)
    inside += lun__thread_team_for(&(lun_openmp_team){.wanted = 4}, 1 << 20)
                  .threads; /* alone in a host's region */
    assert_int_equal(inside, 2);
}

/* A child computes with threads of its own after a fork; so does the parent. */
static void test_fork(void **state)
{
    (void)state;
    lun_openmp_team t;
    lun__thread_team_init(&t, 4, LUN_BIND_AUTO);
    for (int round = 0; round < 20; round++) {
        use_team(&t, 4);
        pid_t child = fork();
        if (child == 0) {
            alarm(120);
            int total = 0;
            lun_team team = lun__thread_team_for(&t, 1 << 20);
            team.parallel(&team, &total, 4, mark);
            _exit(total != 4);
        }
        int status;
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_int_equal(status, 0);
    }
    lun__thread_team_free(&t);
}

/* So that no thread can be made: no memory for stacks, or, as a sanitizer ends the program where
 * its own mmap fails, no processes. That limit does not hold for root, but for the user nobody. */
static bool forbid_threads(void)
{
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
    const struct rlimit none = {0, 0};
    return setrlimit(RLIMIT_NPROC, &none) == 0 && (geteuid() != 0 || setuid(65534) == 0);
#else
    const struct rlimit least = {1, 1};
    return setrlimit(RLIMIT_AS, &least) == 0;
#endif
}

/* Where threads cannot be made, one does the work. */
static void test_no_threads(void **state)
{
    (void)state;
    pid_t child = fork();
    if (child == 0) {
        lun_openmp_team t;
        lun__thread_team_init(&t, 60,
                              LUN_BIND_AUTO); /* more than stacks of ended threads are kept */
        alarm(120);
        if (!forbid_threads())
            _exit(2);
        lun_team team = lun__thread_team_for(&t, 1 << 20);
        _exit(team.threads == 1 ? 0 : 3);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

/* ---- quotas ---------------------------------------------------------------------------------- */

static char root[64];

static void put(const char *path, const char *text)
{
    char whole[256], command[512];
    snprintf(whole, sizeof whole, "%s/%s", root, path);
    snprintf(command, sizeof command, "mkdir -p $(dirname %s)", whole);
    assert_int_equal(system(command), 0);
    FILE *f = fopen(whole, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static int quota(void)
{
    char groups[128], mount[128];
    snprintf(groups, sizeof groups, "%s/groups", root);
    snprintf(mount, sizeof mount, "%s/fs", root);
    return lun__cpus_quota(groups, mount);
}

static void test_quota(void **state)
{
    (void)state;
    snprintf(root, sizeof root, "/tmp/lunarray-quota-XXXXXX");
    assert_non_null(mkdtemp(root));
    assert_int_equal(quota(), 0); /* no such files */
    put("groups", "0::/a/b\n");
    assert_int_equal(quota(), 0);
    put("fs/a/b/cpu.max", "max 100000\n");
    assert_int_equal(quota(), 0);
    put("fs/a/b/cpu.max", "350000 100000\n");
    assert_int_equal(quota(), 4); /* rounded up */
    put("fs/a/cpu.max", "150000 100000\n");
    assert_int_equal(quota(), 2); /* the tighter one above */
    put("fs/a/cpu.max", "nonsense\n");
    assert_int_equal(quota(), 4);
    put("groups", "3:memory:/x\n2:cpu,cpuacct:/x\n");
    assert_int_equal(quota(), 0);
    put("fs/cpu/x/cpu.cfs_quota_us", "50000\n");
    put("fs/cpu/x/cpu.cfs_period_us", "100000\n");
    assert_int_equal(quota(), 1);
    put("fs/cpu/x/cpu.cfs_quota_us", "-1\n");
    assert_int_equal(quota(), 0);
    kit_remove(root);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_many_objects), cmocka_unit_test(test_damaged_objects),
        cmocka_unit_test(test_team),         cmocka_unit_test(test_fork),
        cmocka_unit_test(test_no_threads),   cmocka_unit_test(test_quota),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    lun__strbuf_free(&test_error);
    return failed;
}
