/* net_test.c - the transport between ranks does what prims/net/net.h says: on threads for 1 to 8
 * ranks, on simulated ones, and on every MPI whose launcher is installed, which starts this program
 * again. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "left_out.h"
#include "net/net.h"

/* ---- what every rank does -------------------------------------------------------------------- */

#define EXPECT(condition)                                                                 \
    do {                                                                                  \
        if (!(condition)) {                                                               \
            fprintf(stderr, "rank %d, line %d: %s (%s)\n", n->rank, __LINE__, #condition, \
                    n->error);                                                            \
            return false;                                                                 \
        }                                                                                 \
    } while (0)

static bool wait_for(lun_net *n, lun_net_request **r)
{
    for (int turns = 0; *r; turns++) {
        EXPECT(n->calls->test(n, r));
        EXPECT(turns < 2000000);
        if (*r && turns > 100)
            n->calls->rest(n, 10000);
    }
    return true;
}

static bool agrees(lun_net *n)
{
    lun_net_request *r = NULL;
    uint64_t words[3] = {~(UINT64_C(1) << n->rank), 42, ~UINT64_C(0)};
    EXPECT(n->calls->iagree(n, words, 3, &r) && wait_for(n, &r));
    EXPECT(words[0] == ~((UINT64_C(1) << n->size) - 1));
    EXPECT(words[1] == 42 && words[2] == ~UINT64_C(0));
    return true;
}

static unsigned char byte_of(int rank, int k)
{
    return (unsigned char)(rank * 31 + k * 7 + k / 256);
}

static bool broadcasts(lun_net *n)
{
    static const int counts[] = {0, 1, 7, 1000, 100003};
    for (int root = 0; root < n->size; root++)
        for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++) {
            unsigned char *bytes = calloc(1, (size_t)counts[c] + 1);
            lun_net_request *r = NULL;
            for (int k = 0; k < counts[c] && n->rank == root; k++)
                bytes[k] = byte_of(root, k);
            EXPECT(n->calls->ibcast(n, root, bytes, counts[c], &r) && wait_for(n, &r));
            for (int k = 0; k < counts[c]; k++)
                EXPECT(bytes[k] == byte_of(root, k));
            free(bytes);
        }
    return true;
}

/* Rank i gives i * step bytes. */
static bool gathers(lun_net *n, int step)
{
    int counts[64], total = 0;
    for (int i = 0; i < n->size; i++)
        total += counts[i] = i * step;
    unsigned char *own = calloc(1, (size_t)counts[n->rank] + 1),
                  *all = calloc(1, (size_t)total + 1), *at = all;
    lun_net_request *r = NULL;
    for (int k = 0; k < counts[n->rank]; k++)
        own[k] = byte_of(n->rank, k);
    EXPECT(n->calls->iallgather(n, own, counts[n->rank], (lun_net_parts){all, counts}, &r) &&
           wait_for(n, &r));
    for (int i = 0; i < n->size; i++)
        for (int k = 0; k < counts[i]; k++)
            EXPECT(*at++ == byte_of(i, k));
    free(own);
    free(all);
    return true;
}

/* Bytes from rank i to rank j. */
static int part(int i, int j)
{
    return (i * 3 + j) % 5 * 11;
}

static bool exchanges(lun_net *n)
{
    int given[64], got[64], out = 0, in = 0;
    for (int i = 0; i < n->size; i++) {
        out += given[i] = part(n->rank, i);
        in += got[i] = part(i, n->rank);
    }
    unsigned char *from = calloc(1, (size_t)out + 1), *to = calloc(1, (size_t)in + 1), *at = from;
    lun_net_request *r = NULL;
    for (int i = 0; i < n->size; i++)
        for (int k = 0; k < given[i]; k++)
            *at++ = byte_of(n->rank * 16 + i, k);
    EXPECT(n->calls->ialltoall(n, (lun_net_parts){from, given}, (lun_net_parts){to, got}, &r) &&
           wait_for(n, &r));
    at = to;
    for (int i = 0; i < n->size; i++)
        for (int k = 0; k < got[i]; k++)
            EXPECT(*at++ == byte_of(i * 16 + n->rank, k));
    free(from);
    free(to);
    return true;
}

/* The next message with that tag, which is `value`. */
static bool expect_message(lun_net *n, int from, int tag, int64_t value, int bytes)
{
    lun_net_found found = {-1, -1};
    lun_net_request *r = NULL;
    char got[64] = {0};
    for (int turns = 0; found.count < 0; turns++) {
        EXPECT(n->calls->probe(n, from, tag, &found));
        EXPECT(turns < 20000000);
        if (found.count < 0 && turns > 100)
            n->calls->rest(n, 10000);
    }
    EXPECT(found.count == bytes && (from == LUN_NET_ANY || found.from == from));
    EXPECT(n->calls->irecv(n, found.from, tag, got, bytes, &r) && wait_for(n, &r));
    if (bytes)
        EXPECT(memcmp(got, &value, (size_t)bytes) == 0);
    return true;
}

/* Around the ring: two tags in turn, received one tag after the other; each in its own order; an
 * empty message. */
static bool sends(lun_net *n)
{
    enum { MESSAGES = 20 };
    int to = (n->rank + 1) % n->size, from = (n->rank + n->size - 1) % n->size;
    int64_t values[MESSAGES];
    lun_net_request *r[MESSAGES + 1] = {NULL};
    for (int k = 0; k < MESSAGES; k++) {
        values[k] = n->rank * 1000 + k;
        EXPECT(n->calls->isend(n, to, 5 + k % 2, &values[k], sizeof values[k], &r[k]));
    }
    EXPECT(n->calls->isend(n, to, 9, values, 0, &r[MESSAGES]));
    EXPECT(expect_message(n, LUN_NET_ANY, 9, 0, 0));
    for (int tag = 1; tag >= 0; tag--)
        for (int k = tag; k < MESSAGES; k += 2)
            EXPECT(expect_message(n, from, 5 + tag, from * 1000 + k, sizeof(int64_t)));
    for (int k = 0; k <= MESSAGES; k++)
        EXPECT(wait_for(n, &r[k]));
    lun_net_found found;
    EXPECT(n->calls->probe(n, LUN_NET_ANY, 7, &found) && found.count == -1);
    return true;
}

/* Two steps under way at once, the second finished first. */
static bool overlaps(lun_net *n)
{
    uint64_t words[1] = {n->rank ? 6 : 12};
    int value = n->rank == n->size - 1 ? 77 : 0;
    lun_net_request *first = NULL, *second = NULL;
    EXPECT(n->calls->iagree(n, words, 1, &first));
    EXPECT(n->calls->ibcast(n, n->size - 1, &value, sizeof value, &second));
    EXPECT(wait_for(n, &second) && value == 77);
    EXPECT(wait_for(n, &first) && words[0] == (n->size > 1 ? 4 : 12));
    return true;
}

/* A call that MPI refuses is an error with MPI's reason, not the end of the process. */
static bool is_told(lun_net *n)
{
    lun_net_request *r = NULL;
    if (n->modelled)
        return true; /* threads trust their caller */
    EXPECT(!n->calls->isend(n, n->size + 5, 1, "abc", 3, &r) && !r);
    EXPECT(strncmp(n->error, "MPI_Isend: ", 11) == 0 && strstr(n->error, "rank"));
    return true;
}

/* All send to all before any receives: sizes about the one from which threads lend. */
static bool crosses(lun_net *n, int lends)
{
    enum { SIZES = 5, MOST = 64 };
    const int sizes[SIZES] = {lends - 1, lends, 0, lends + 1, 3 * lends};
    lun_net_request *r[MOST] = {NULL};
    unsigned char *own = malloc((size_t)sizes[4] + 1), *got = malloc((size_t)sizes[4] + 1);
    for (int k = 0; k < sizes[4]; k++)
        own[k] = byte_of(n->rank, k);
    for (int i = 0; i < n->size * SIZES; i++)
        EXPECT(n->calls->isend(n, i / SIZES, 4, own, sizes[i % SIZES], &r[i]));
    for (int i = 0; i < n->size * SIZES; i++) {
        const int from = (n->rank + i) % n->size, count = sizes[i / n->size];
        lun_net_found found = {-1, -1};
        lun_net_request *request = NULL;
        for (int turns = 0; found.count < 0; turns++) {
            EXPECT(n->calls->probe(n, from, 4, &found) && turns < 20000000);
            if (found.count < 0 && turns > 100)
                n->calls->rest(n, 10000);
        }
        EXPECT(found.from == from && found.count == count);
        EXPECT(n->calls->irecv(n, from, 4, got, count, &request) && wait_for(n, &request));
        for (int k = 0; k < count; k++)
            EXPECT(got[k] == byte_of(from, k));
    }
    for (int i = 0; i < n->size * SIZES; i++)
        EXPECT(wait_for(n, &r[i]));
    free(own);
    free(got);
    return true;
}

static bool conforms(lun_net *n)
{
    bool ok = agrees(n) && broadcasts(n) && gathers(n, 0) && gathers(n, 1) && gathers(n, 10007) &&
              exchanges(n) && sends(n) && overlaps(n) && agrees(n) && is_told(n) &&
              crosses(n, n->lends ? n->lends : 1 << 16);
    if (!ok)
        n->calls->abandon(n);
    n->calls->close(n);
    return ok;
}

/* ---- threads --------------------------------------------------------------------------------- */

typedef struct rank {
    pthread_t thread;
    lun_net *net;
    bool ok;
} rank;

static void *run(void *arg)
{
    rank *me = arg;
    me->ok = conforms(me->net);
    return NULL;
}

/* lends: bytes from which messages are read where they are; 0: as it is. sim: what simulates the
 * ranks, NULL: nothing. */
static void check_threads(int lends, const char *sim)
{
    char why[512];
    for (int size = 1; size <= 8; size++) {
        lun_net_group *g = lun__threads_group_new(size);
        rank ranks[8] = {{0}};
        for (int i = 0; i < size; i++) {
            ranks[i].net = sim ? lun__net_sim(g, i, sim, why, sizeof why) : lun__net_threads(g, i);
            assert_non_null(ranks[i].net);
            if (lends)
                ranks[i].net->lends = lends;
        }
        lun__threads_group_free(g);
        for (int i = 0; i < size; i++)
            assert_int_equal(pthread_create(&ranks[i].thread, NULL, run, &ranks[i]), 0);
        for (int i = 0; i < size; i++)
            pthread_join(ranks[i].thread, NULL);
        for (int i = 0; i < size; i++)
            assert_true(ranks[i].ok);
    }
}

static void test_threads(void **state)
{
    (void)state;
    check_threads(0, NULL);
    check_threads(1, NULL);
    check_threads(9, NULL);
}

static void test_simulated(void **state)
{
    (void)state;
    check_threads(0, "1");
    check_threads(0, "2,late=1000");
    check_threads(0, "3,late=0,slow=0");
}

/* A long message is read out of its sender's memory, which has it back once it is read, or once the
 * sender has given up: then it is not there any more. */
static void test_lent_message(void **state)
{
    enum { BYTES = 1 << 20 };
    (void)state;
    lun_net_group *g = lun__threads_group_new(2);
    lun_net *a = lun__net_threads(g, 0), *b = lun__net_threads(g, 1);
    lun_net_request *first = NULL, *second = NULL, *got = NULL;
    lun_net_found found;
    char *from = malloc(BYTES), *to = calloc(BYTES, 1);
    assert_true(from && to);
    memset(from, 7, BYTES);
    assert_true(a->calls->isend(a, 1, 3, from, BYTES, &first));
    assert_true(a->calls->isend(a, 1, 3, "short", 5, &got) && !got);
    assert_true(a->calls->isend(a, 1, 3, from, BYTES, &second));
    assert_true(a->calls->test(a, &first) && first);
    from[9] = 8;
    assert_true(b->calls->irecv(b, 0, 3, to, BYTES, &got));
    assert_true(b->calls->test(b, &got) && !got);
    assert_true(a->calls->test(a, &first) && !first);
    assert_true(a->calls->test(a, &second) && second);
    assert_memory_equal(from, to, BYTES);
    a->calls->abandon(a);
    free(from);
    assert_true(b->calls->probe(b, 0, 3, &found) && found.count == 5);
    assert_true(b->calls->irecv(b, 0, 3, to, 5, &got) && b->calls->test(b, &got) && !got);
    assert_true(b->calls->probe(b, LUN_NET_ANY, 3, &found) && found.count == -1);
    assert_true(b->calls->isend(b, 0, 3, to, 5, &got) && !got); /* the mailbox is whole */
    assert_true(b->calls->isend(b, 0, 3, to, BYTES, &got) && got);
    a->calls->close(a);
    b->calls->close(b);
    free(to);
    lun__threads_group_free(g);
}

/* What is given up leaves nothing behind, on either side. */
static void test_abandon(void **state)
{
    (void)state;
    lun_net_group *g = lun__threads_group_new(2);
    lun_net *a = lun__net_threads(g, 0), *b = lun__net_threads(g, 1);
    uint64_t words[2] = {1, 2};
    lun_net_request *r = NULL;
    assert_true(a->calls->iagree(a, words, 2, &r));
    assert_true(a->calls->isend(a, 1, 3, "abc", 3, &r));
    a->calls->abandon(a);
    a->calls->close(a);
    b->calls->close(b);
    lun__threads_group_free(g);
}

/* A long broadcast is read out of the root's memory, which the root has back once all have read it,
 * or it has given up: then the others fail. */
static void test_lent(void **state)
{
    enum { BYTES = 1 << 20 };
    (void)state;
    lun_net_group *g = lun__threads_group_new(2);
    lun_net *a = lun__net_threads(g, 0), *b = lun__net_threads(g, 1);
    lun_net_request *ra = NULL, *rb = NULL;
    char *from = malloc(BYTES), *to = calloc(BYTES, 1);
    assert_true(from && to);
    memset(from, 7, BYTES);
    assert_true(a->calls->ibcast(a, 0, from, BYTES, &ra));
    assert_true(a->calls->test(a, &ra) && ra);
    assert_true(b->calls->ibcast(b, 0, to, BYTES, &rb));
    assert_true(a->calls->test(a, &ra) && ra);
    assert_true(b->calls->test(b, &rb) && !rb);
    assert_true(a->calls->test(a, &ra) && !ra);
    assert_memory_equal(from, to, BYTES);
    memset(to, 0, BYTES);
    assert_true(a->calls->ibcast(a, 0, from, BYTES, &ra));
    a->calls->abandon(a);
    free(from);
    assert_true(b->calls->ibcast(b, 0, to, BYTES, &rb));
    assert_false(b->calls->test(b, &rb));
    assert_string_equal(b->error, "the rank that broadcasts has given up");
    assert_int_equal(to[0] | to[BYTES - 1], 0);
    free(to);
    a->calls->close(a);
    b->calls->close(b);
    lun__threads_group_free(g);
}

/* Sizes that the ranks do not agree on are a failure, not a wrong result. */
static void test_sizes(void **state)
{
    (void)state;
    lun_net_group *g = lun__threads_group_new(2);
    lun_net *a = lun__net_threads(g, 0), *b = lun__net_threads(g, 1);
    lun_net_request *ra = NULL, *rb = NULL;
    char bytes[8] = "1234567";
    assert_true(a->calls->ibcast(a, 0, bytes, 8, &ra));
    assert_true(b->calls->ibcast(b, 0, bytes, 4, &rb));
    assert_true(a->calls->test(a, &ra));
    assert_false(b->calls->test(b, &rb));
    assert_non_null(strstr(b->error, "number of bytes"));
    a->calls->close(a);
    b->calls->close(b);
    lun__threads_group_free(g);
}

/* Ranks that take steps of two kinds at once, or agree on several lengths, fail. */
static void test_kinds(void **state)
{
    (void)state;
    lun_net_group *g = lun__threads_group_new(2);
    lun_net *a = lun__net_threads(g, 0), *b = lun__net_threads(g, 1);
    for (int round = 0; round < 4; round++) {
        lun_net_request *ra = NULL, *rb = NULL;
        uint64_t words[2] = {3, 5}, others[2] = {1, 4};
        const int counts[2] = {16, 16};
        char all[32];
        assert_true(a->calls->iagree(a, words, 2, &ra));
        assert_true(round % 2
                        ? b->calls->iagree(b, others, 1, &rb)
                        : b->calls->iallgather(b, others, 16, (lun_net_parts){all, counts}, &rb));
        assert_false(a->calls->test(a, &ra));
        assert_false(b->calls->test(b, &rb));
        assert_null(ra);
        assert_null(rb);
    }
    a->calls->close(a);
    b->calls->close(b);
    lun__threads_group_free(g);
}

/* What is to come for a rank that rests far too long: a message, then a step. */
static void *send_and_step(void *arg)
{
    lun_net *n = arg;
    lun_net_request *r = NULL;
    uint64_t word = 6;
    bool ok = n->calls->isend(n, 0, 3, "abc", 3, &r) && n->calls->iagree(n, &word, 1, &r);
    while (ok && r)
        ok = n->calls->test(n, &r);
    return ok && word == 2 ? arg : NULL;
}

static void test_rest(void **state)
{
    const int64_t ages = INT64_C(3600) * 1000000000;
    (void)state;
    lun_net_group *g = lun__threads_group_new(2);
    lun_net *a = lun__net_threads(g, 0), *b = lun__net_threads(g, 1);
    pthread_t other;
    void *ok = NULL;
    assert_true(a->wakes);
    assert_int_equal(pthread_create(&other, NULL, send_and_step, b), 0);
    lun_net_found found = {-1, -1};
    while (found.count < 0) {
        assert_true(a->calls->probe(a, LUN_NET_ANY, 3, &found));
        if (found.count < 0)
            a->calls->rest(a, ages);
    }
    lun_net_request *r = NULL;
    uint64_t word = 3;
    a->calls->rest(a, 1000); /* too short to matter: it ends by itself */
    assert_true(a->calls->iagree(a, &word, 1, &r));
    while (r) {
        assert_true(a->calls->test(a, &r));
        if (r)
            a->calls->rest(a, ages);
    }
    assert_int_equal(word, 2);
    pthread_join(other, &ok);
    assert_non_null(ok);
    a->calls->close(a);
    b->calls->close(b);
    lun__threads_group_free(g);
}

/* ---- MPI ------------------------------------------------------------------------------------- */

static char self[4096];

/* What a launcher said on this machine's terminal: 0 for a conforming MPI. */
static int launch(const char *launcher, const char *options, int size)
{
    char line[8192];
    snprintf(line, sizeof line, "command -v %s >/dev/null || exit 77; exec %s %s -n %d '%s'",
             launcher, launcher, options, size, self);
    int status = system(line);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void check_mpi(const char *launcher, const char *options)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    LEAVE_OUT("the libraries are not instrumented");
#endif
    for (int size = 2; size <= 3; size++) {
        int code = launch(launcher, options, size);
        if (code == 77)
            LEAVE_OUT("its launcher is not installed");
        assert_int_equal(code, 0);
    }
}

static void test_mpich(void **state)
{
    (void)state;
    check_mpi("mpirun.mpich", "");
}

static void test_openmpi(void **state)
{
    (void)state;
    check_mpi("mpirun.openmpi",
              geteuid() ? "--oversubscribe" : "--oversubscribe --allow-run-as-root");
}

/* A library that is none, and one of another interface: an error that names what was tried. */
static void test_no_mpi(void **state)
{
    (void)state;
    lun_net_launch launch = {.rank = 1, .size = 4, .launcher = "PMI_SIZE", .mpich = true};
    char why[2048] = "";
    setenv("LUNARRAY_MPI", "/nonexistent/libmpi.so", 1);
    assert_null(lun__mpi_transport(&launch, 0, why, sizeof why));
    assert_non_null(strstr(why, "PMI_SIZE says that this is one of 4 processes"));
    assert_non_null(strstr(why, "/nonexistent/libmpi.so (not found)"));
    setenv("LUNARRAY_MPI", "libm.so.6", 1);
    assert_null(lun__mpi_transport(&launch, 0, why, sizeof why));
    assert_non_null(strstr(why, "libm.so.6 (it has no MPI_"));
    unsetenv("LUNARRAY_MPI");
}

/* The number of a process on its machine, as each launcher says it. */
static void test_local_rank(void **state)
{
    static const struct {
        const char *size, *rank, *local;
    } launchers[] = {
        {"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_LOCAL_RANK"},
        {"PMI_SIZE", "PMI_RANK", "MPI_LOCALRANKID"},
        {"PMI_SIZE", "PMI_RANK", "SLURM_LOCALID"},
        {"MV2_COMM_WORLD_SIZE", "MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_LOCAL_RANK"},
        {"SLURM_STEP_NUM_TASKS", "PMIX_RANK", "SLURM_LOCALID"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof launchers / sizeof *launchers; i++) {
        setenv(launchers[i].size, "8", 1);
        setenv(launchers[i].rank, "5", 1);
        assert_int_equal(lun__launcher_env().local, 5);
        setenv(launchers[i].local, "1", 1);
        assert_int_equal(lun__launcher_env().rank, 5);
        assert_int_equal(lun__launcher_env().local, 1);
        unsetenv(launchers[i].size);
        assert_int_equal(lun__launcher_env().local, 0);
        unsetenv(launchers[i].rank);
        unsetenv(launchers[i].local);
    }
}

int main(int argc, char **argv)
{
    (void)argc;
    lun_net_launch launch = lun__launcher_env();
    if (launch.size > 1) {
        char why[2048];
        lun_net *n = lun__mpi_transport(&launch, 0, why, sizeof why);
        if (!n)
            fprintf(stderr, "%s\n", why);
        return n && n->rank == launch.rank && conforms(n) ? 0 : 1;
    }
    if (!realpath(argv[0], self))
        return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_threads),      cmocka_unit_test(test_simulated),
        cmocka_unit_test(test_lent_message), cmocka_unit_test(test_abandon),
        cmocka_unit_test(test_lent),         cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_kinds),        cmocka_unit_test(test_rest),
        cmocka_unit_test(test_mpich),        cmocka_unit_test(test_openmpi),
        cmocka_unit_test(test_no_mpi),       cmocka_unit_test(test_local_rank),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
