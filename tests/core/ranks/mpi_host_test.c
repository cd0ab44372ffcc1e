/* mpi_host_test.c - a host that has called MPI_Init itself, in every MPI whose launcher is
 * installed: engines use its MPI beside it, on messages of their own, and leave it to the host to
 * end it; what they are asked for after that is an error. So is a rank that never comes, under a
 * time limit for ranks. The launchers start this program again, which loads MPI without its
 * header. */
#include <dlfcn.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "left_out.h"
#include "lunarray.h"

/* ---- the host -------------------------------------------------------------------------------- */

/* MPI as the host sees it: handles are addresses in Open MPI, numbers in MPICH. */
static struct host {
    void *lib;
    intptr_t world, byte;
    int rank, size;
} host;

#define EXPECT(condition)                                                               \
    do {                                                                                \
        if (!(condition)) {                                                             \
            fprintf(stderr, "rank %d, line %d: %s\n", host.rank, __LINE__, #condition); \
            exit(1);                                                                    \
        }                                                                               \
    } while (0)

static intptr_t symbol(const char *name)
{
    const intptr_t at = (intptr_t)dlsym(host.lib, name);
    EXPECT(at);
    return at;
}

#define CALL(name, parameters, ...) ((int(*) parameters)symbol("MPI_" #name))(__VA_ARGS__)

static int flag_of(const char *name)
{
    int flag = -1;
    EXPECT(((int (*)(int *))symbol(name))(&flag) == 0);
    return flag;
}

static void host_begin(void)
{
    const bool openmpi = getenv("OMPI_COMM_WORLD_SIZE") != NULL;
    host.lib = dlopen(openmpi ? "libmpi.so.40" : "libmpich.so.12", RTLD_NOW | RTLD_GLOBAL);
    if (!host.lib && !openmpi)
        host.lib = dlopen("libmpi.so.12", RTLD_NOW | RTLD_GLOBAL);
    EXPECT(host.lib);
    host.world = openmpi ? symbol("ompi_mpi_comm_world") : 0x44000000;
    host.byte = openmpi ? symbol("ompi_mpi_byte") : 0x4c00010d;
    EXPECT(CALL(Init, (int *, char ***), NULL, NULL) == 0);
    EXPECT(CALL(Comm_rank, (intptr_t, int *), host.world, &host.rank) == 0);
    EXPECT(CALL(Comm_size, (intptr_t, int *), host.world, &host.size) == 0);
}

/* A message to the next rank with a tag that engines use as well. */
static void host_send(int tag, const char *text)
{
    EXPECT(CALL(Send, (const void *, int, intptr_t, int, int, intptr_t), text, 4, host.byte,
                (host.rank + 1) % host.size, tag, host.world) == 0);
}

static void host_receive(int tag, const char *expected)
{
    int64_t status[8];
    char got[5] = "";
    EXPECT(CALL(Recv, (void *, int, intptr_t, int, int, intptr_t, void *), got, 4, host.byte,
                (host.rank + host.size - 1) % host.size, tag, host.world, status) == 0);
    EXPECT(strcmp(got, expected) == 0);
}

/* ---- its engines ----------------------------------------------------------------------------- */

/* One of the ranks of lun_spmd. */
static void take_steps(void)
{
    lun_config c = {.size = sizeof c, .backend = "reference", .cache_dir = ""};
    lun_engine *e = NULL;
    int all[8] = {0};
    EXPECT(lun_rank(NULL) == host.rank);
    EXPECT(lun_open(&c, &e) == LUN_OK);
    EXPECT(lun_spmd_start(e) == LUN_OK);
    EXPECT(lun_spmd_npes(e) == host.size && lun_spmd_mype(e) == host.rank);
    for (int tag = 0; tag < 4; tag++)
        host_send(tag, "mine");
    EXPECT(lun_spmd_allgather(e, &host.rank, sizeof host.rank, all) == LUN_OK);
    for (int i = 0; i < host.size; i++)
        EXPECT(all[i] == i);
    EXPECT(lun_spmd_barrier(e) == LUN_OK);
    for (int tag = 3; tag >= 0; tag--)
        host_receive(tag, "mine");
    lun_close(e);
}

/* Rank 0 computes, the others serve it. */
static void lead_or_serve(void)
{
    lun_config c = {.size = sizeof c, .backend = "mpi", .cache_dir = ""};
    const lun_value one = {.dtype = LUN_I64, .as.i = 1};
    const int64_t n = 40000;
    lun_engine *e = NULL;
    lun_array *a = NULL, *b = NULL;
    lun_value total = {.as.i = 0};
    if (host.rank > 0) {
        EXPECT(lun_serve(&c) == LUN_OK);
        return;
    }
    EXPECT(lun_open(&c, &e) == LUN_OK);
    EXPECT(lun_place_name(e, host.size - 1) && !lun_place_name(e, host.size));
    EXPECT(lun_range(e, one, one, n, LUN_I64, &a) == LUN_OK);
    EXPECT(lun_add(e, a, a, &b) == LUN_OK);
    EXPECT(lun_total(e, LUN_SUM, b, 0, &total) == LUN_OK && total.as.i == n * (n + 1));
    lun_release(b);
    lun_release(a);
    lun_close(e);
}

/* What an engine says once the host has ended MPI. */
static void begin_too_late(void)
{
    lun_config c = {.size = sizeof c, .backend = "reference", .cache_dir = ""};
    lun_engine *e = NULL;
    EXPECT(lun_open(&c, &e) == LUN_OK);
    EXPECT(lun_spmd_start(e) == LUN_EBACKEND);
    EXPECT(strstr(lun_error(e), "MPI has already ended in this process"));
    lun_close(e);
}

/* The host's own messages go on after each engine, and MPI is the host's to end. */
static int be_host(void)
{
    host_begin();
    setenv("LUNARRAY_RANK_BACKEND", "reference", 1);
    for (int round = 0; round < 2; round++) {
        take_steps();
        EXPECT(flag_of("MPI_Initialized") == 1 && flag_of("MPI_Finalized") == 0);
        lead_or_serve();
        EXPECT(flag_of("MPI_Finalized") == 0);
        host_send(1, "last");
        host_receive(1, "last");
        EXPECT(CALL(Barrier, (intptr_t), host.world) == 0);
    }
    EXPECT(CALL(Finalize, (void)) == 0);
    begin_too_late();
    return 0;
}

/* An engine that is still open when the host ends MPI: errors, no end of the process. */
static int be_hasty(void)
{
    lun_config c = {.size = sizeof c, .backend = "reference", .cache_dir = ""};
    lun_engine *e = NULL;
    host_begin();
    EXPECT(lun_open(&c, &e) == LUN_OK);
    EXPECT(lun_spmd_start(e) == LUN_OK);
    EXPECT(lun_spmd_barrier(e) == LUN_OK);
    EXPECT(CALL(Finalize, (void)) == 0);
    EXPECT(lun_spmd_barrier(e) == LUN_EBACKEND);
    EXPECT(strstr(lun_error(e), "MPI has already ended in this process"));
    lun_close(e);
    return 0;
}

/* Ranks above 0 never call lun_serve, and perhaps not MPI_Init either: they wait until rank 0 has
 * made the file, which it does once it is told. */
static int be_absent(bool begins, const char *told)
{
    lun_config c = {.size = sizeof c, .backend = "mpi", .cache_dir = ""};
    lun_engine *e = NULL;
    if (begins)
        host_begin();
    if (lun_rank(NULL) > 0) {
        while (access(told, F_OK) != 0)
            usleep(1000);
        _exit(0);
    }
    EXPECT(lun_open(&c, &e) == LUN_EBACKEND && !e);
    EXPECT(strstr(lun_error(NULL), "of 3 processes, but after 1 s not all of them have come"));
    EXPECT(fclose(fopen(told, "w")) == 0);
    _exit(0); /* with nothing of MPI, which waits for the others */
}

/* ---- the tests ------------------------------------------------------------------------------- */

static char self[4096];

static int launch(const char *launcher, const char *options, int seconds, const char *role)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    LEAVE_OUT("the libraries are not instrumented");
#endif
    char line[8192];
    snprintf(line, sizeof line,
             "command -v %s >/dev/null || exit 77; LUNARRAY_RANK_TIMEOUT=%d exec timeout -k 5 300 "
             "%s %s -n 3 '%s' %s",
             launcher, seconds, launcher, options, self, role);
    const int status = system(line), code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    if (code == 77)
        LEAVE_OUT("its launcher is not installed");
    return code;
}

static void check(const char *launcher, const char *options, const char *role)
{
    assert_int_equal(launch(launcher, options, 60, role), 0);
}

/* Rank 0 has been told; the launcher may think what it likes of processes that end without MPI. */
static void check_absent(const char *launcher, const char *options, const char *role)
{
    char told[] = "/tmp/lunarray-told-XXXXXX", with[64];
    const int file = mkstemp(told);
    assert_true(file >= 0);
    close(file);
    unlink(told);
    snprintf(with, sizeof with, "%s %s >/dev/null 2>&1", role, told);
    (void)launch(launcher, options, 1, with);
    assert_int_equal(access(told, F_OK), 0);
    unlink(told);
}

static const char *openmpi_options(void)
{
    return geteuid() ? "--oversubscribe" : "--oversubscribe --allow-run-as-root";
}

static void test_mpich(void **state)
{
    (void)state;
    check("mpirun.mpich", "", "host");
}

static void test_openmpi(void **state)
{
    (void)state;
    check("mpirun.openmpi", openmpi_options(), "host");
}

static void test_hasty_mpich(void **state)
{
    (void)state;
    check("mpirun.mpich", "", "hasty");
}

static void test_hasty_openmpi(void **state)
{
    (void)state;
    check("mpirun.openmpi", openmpi_options(), "hasty");
}

static void test_absent_mpich(void **state)
{
    (void)state;
    check_absent("mpirun.mpich", "", "absent");
    check_absent("mpirun.mpich", "", "idle");
}

static void test_absent_openmpi(void **state)
{
    (void)state;
    check_absent("mpirun.openmpi", openmpi_options(), "absent");
    check_absent("mpirun.openmpi", openmpi_options(), "idle");
}

int main(int argc, char **argv)
{
    if (argc > 2)
        return be_absent(strcmp(argv[1], "idle") == 0, argv[2]);
    if (argc > 1)
        return strcmp(argv[1], "host") == 0 ? be_host() : be_hasty();
    if (!realpath(argv[0], self))
        return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mpich),        cmocka_unit_test(test_openmpi),
        cmocka_unit_test(test_hasty_mpich),  cmocka_unit_test(test_hasty_openmpi),
        cmocka_unit_test(test_absent_mpich), cmocka_unit_test(test_absent_openmpi),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
