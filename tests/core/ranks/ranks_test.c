/* ranks_test.c - engines that are ranks (lun_spmd_* in lunarray.h): what they move, and what goes
 * wrong: ranks that differ, end early, are silent, are stopped. Each rank is a thread. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "lunarray_bind.h"
#include "ranks/ranks_state.h"

#include "ranks_kit.h"

/* ---- what is moved --------------------------------------------------------------------------- */

static void move(rank *r)
{
    EXPECT(strcmp(lun_ranks_transport(r->e), r->npes > 1 ? "threads of one process" : "") == 0);
    int own[2] = {r->mype * 10, r->mype * 10 + 1}, all[2 * MOST], to[MOST], from[MOST];
    EXPECT(lun_spmd_barrier(r->e) == LUN_OK);
    EXPECT(lun_spmd_allgather(r->e, own, sizeof own, all) == LUN_OK);
    for (int i = 0; i < 2 * r->npes; i++)
        EXPECT(all[i] == i / 2 * 10 + i % 2);
    for (int root = 0; root < r->npes; root++) {
        int value = r->mype == root ? 100 + root : 0;
        EXPECT(lun_spmd_bcast(r->e, root, &value, sizeof value) == LUN_OK);
        EXPECT(value == 100 + root);
    }
    for (int i = 0; i < r->npes; i++)
        to[i] = r->mype * 100 + i;
    EXPECT(lun_spmd_alltoall(r->e, to, sizeof to[0], from) == LUN_OK);
    for (int i = 0; i < r->npes; i++)
        EXPECT(from[i] == i * 100 + r->mype);
    lun_stats stats = {.size = sizeof stats};
    lun_stats_get(r->e, &stats);
    EXPECT(stats.collectives == (r->npes > 1 ? 2 + r->npes : 0));
    EXPECT(stats.messages == r->npes - 1);
    EXPECT(stats.bytes_sent == (r->npes > 1 ? 8 + 4 + 4 * (r->npes - 1) : 0));
}

/* Parts of other lengths on each rank, in rounds of a few bytes. */
static void move_in_rounds(rank *r)
{
    if (r->e->ranks->net)
        r->e->ranks->most = 64;
    char own[3000], *bytes = NULL, *at;
    int64_t counts[MOST], *got_counts = NULL, length = 0;
    void *got = NULL;
    for (int i = 0; i < 3000; i++)
        own[i] = (char)(r->mype * 7 + i * 3 + i / 100);
    EXPECT(lun_spmd_step(r->e, "gathers", "a gather", NULL) == LUN_OK);
    EXPECT(lun_spmd_gather_bytes(r->e, own, 500 * r->mype + 3, &got_counts, &got) == LUN_OK);
    at = got;
    for (int i = 0; i < r->npes; i++) {
        EXPECT(got_counts[i] == 500 * i + 3);
        for (int k = 0; k < got_counts[i]; k++)
            EXPECT(*at++ == (char)(i * 7 + k * 3 + k / 100));
    }
    free(got);
    free(got_counts);
    for (int i = 0; i < r->npes; i++)
        counts[i] = (r->mype + i) % 3 * 150;
    EXPECT(lun_spmd_step(r->e, "exchanges", "an exchange", NULL) == LUN_OK);
    EXPECT(lun_spmd_exchange_bytes(r->e, own, counts, &got_counts, &got) == LUN_OK);
    at = got;
    for (int i = 0; i < r->npes; i++) {
        int first = 0;
        for (int k = 0; k < r->mype; k++)
            first += (i + k) % 3 * 150;
        EXPECT(got_counts[i] == (i + r->mype) % 3 * 150);
        for (int k = first; k < first + (int)got_counts[i]; k++)
            EXPECT(*at++ == (char)(i * 7 + k * 3 + k / 100));
    }
    free(got);
    free(got_counts);
    bytes = r->mype == r->npes - 1 ? own : NULL;
    length = r->mype == r->npes - 1 ? 1000 : 0;
    EXPECT(lun_spmd_step(r->e, "broadcasts", "a broadcast", NULL) == LUN_OK);
    EXPECT(lun_spmd_bcast_bytes(r->e, r->npes - 1, (void **)&bytes, &length) == LUN_OK &&
           length == 1000);
    for (int k = 0; k < 1000; k++)
        EXPECT(bytes[k] == (char)((r->npes - 1) * 7 + k * 3 + k / 100));
    if (bytes != own)
        free(bytes);
}

/* Two messages of a rank to itself, by their tags. */
static void send_to_itself(rank *r)
{
    char got[4] = "";
    int64_t count = 0;
    EXPECT(lun_spmd_recv(r->e, r->mype, 1, got, 4, &count) == LUN_EARG);
    EXPECT(lun_spmd_send(r->e, r->mype, 1, "one", 3) == LUN_OK &&
           lun_spmd_send(r->e, r->mype, 2, NULL, 0) == LUN_OK);
    EXPECT(lun_spmd_recv(r->e, r->mype, 2, got, 4, &count) == LUN_OK && count == 0);
    EXPECT(lun_spmd_recv(r->e, r->mype, 1, got, 4, &count) == LUN_OK && count == 3 &&
           !memcmp(got, "one", 3));
}

static void send(rank *r)
{
    send_to_itself(r);
    if (r->npes == 1)
        return;
    r->e->ranks->most = 100;
    int to = (r->mype + 1) % r->npes, from = (r->mype + r->npes - 1) % r->npes;
    char own[1000], got[1000];
    int64_t count = 0;
    memset(own, r->mype + 1, sizeof own);
    for (int size = 0; size <= 1000; size += 250)
        EXPECT(lun_spmd_send(r->e, to, 7, own, size) == LUN_OK);
    EXPECT(lun_spmd_send(r->e, to, 3, "tag", 3) == LUN_OK);
    EXPECT(lun_spmd_recv(r->e, from, 3, got, 3, &count) == LUN_OK && count == 3 &&
           !memcmp(got, "tag", 3));
    for (int size = 0; size <= 750; size += 250) {
        EXPECT(lun_spmd_recv(r->e, from, 7, got, 1000, &count) == LUN_OK && count == size);
        for (int k = 0; k < size; k++)
            EXPECT(got[k] == from + 1);
    }
    EXPECT(lun_spmd_recv(r->e, from, 7, got, 10, &count) == LUN_ERANGE);
    EXPECT(strstr(lun_error(r->e), "a message of 1000 bytes came; there is room for 10"));
    EXPECT(lun_spmd_send(r->e, r->npes, 0, "x", 1) == LUN_EARG);
    EXPECT(lun_spmd_send(r->e, to, -1, "x", 1) == LUN_EARG &&
           lun_spmd_send(r->e, to, 30001, "x", 1) == LUN_EARG);
}

static char byte_of(int from, int to, int k)
{
    return (char)(from * 31 + to * 17 + k * 3 + k / 100);
}

/* Within a step all give to all, two messages for each pair, in pieces of a few bytes and in one,
 * read where they are and copied. */
static void move_between(rank *r)
{
    enum { LONG = 1000, SHORT = 70 };
    int pes[4 * MOST];
    void *bytes[4 * MOST];
    int64_t counts[4 * MOST];
    char own[MOST][LONG], all[2 * MOST][LONG];
    EXPECT(lun_spmd_move(r->e, NULL, NULL, NULL, 0, 0) == LUN_OK);
    pes[0] = r->mype;
    EXPECT(lun_spmd_move(r->e, pes, bytes, counts, 1, 0) == LUN_EARG);
    for (int round = 0; r->npes > 1 && round < 4; round++) {
        const int n = 2 * (r->npes - 1);
        r->e->ranks->most = round % 2 ? 64 : 1 << 20;
        r->e->ranks->net->lends = round / 2 ? 60 : 1 << 20;
        for (int i = 0; i < n; i++) {
            const int pe = (r->mype + 1 + i / 2) % r->npes;
            for (int k = 0; k < LONG; k++)
                own[pe][k] = byte_of(r->mype, pe, k);
            pes[i] = pes[n + i] = pe;
            counts[i] = counts[n + i] = i % 2 ? SHORT : LONG;
            bytes[i] = own[pe];
            bytes[n + i] = all[i];
        }
        EXPECT(lun_spmd_step(r->e, "moves", "a move", NULL) == LUN_OK);
        EXPECT(lun_spmd_move(r->e, pes, bytes, counts, n, n) == LUN_OK && !r->e->ranks->moving);
        for (int i = 0; i < n; i++)
            for (int k = 0; k < counts[i]; k++)
                EXPECT(all[i][k] == byte_of(pes[i], r->mype, k));
    }
}

/* ---- reductions ------------------------------------------------------------------------------ */

static void reduce(rank *r)
{
    double own[3] = {r->mype + 1, 1e16 * (r->mype % 2 ? -1 : 1), r->mype * 0.1}, got[3];
    double want[MOST][3];
    lun_array *x, *out;
    EXPECT(lun_vector(r->e, own, 3, LUN_F64, &x) == LUN_OK);
    for (int upto = 1; upto <= r->npes; upto++) { /* the pair tree of the first `upto` ranks */
        double list[MOST][3] = {{0}};
        for (int i = 0; i < upto; i++) {
            list[i][0] = i + 1;
            list[i][1] = 1e16 * (i % 2 ? -1 : 1);
            list[i][2] = i * 0.1;
        }
        for (int step = 1; step < upto; step *= 2)
            for (int i = 0; i + step < upto; i += 2 * step)
                for (int k = 0; k < 3; k++)
                    list[i][k] += list[i + step][k];
        memcpy(want[upto - 1], list[0], sizeof list[0]);
    }
    EXPECT(lun_spmd_allreduce(r->e, LUN_OP_ADD, x, &out) == LUN_OK);
    EXPECT(lun_read(r->e, out, got, 0, 3) == LUN_OK);
    EXPECT(!memcmp(got, want[r->npes - 1], sizeof got));
    lun_release(out);
    EXPECT(lun_spmd_scan(r->e, LUN_OP_ADD, x, &out) == LUN_OK);
    EXPECT(lun_read(r->e, out, got, 0, 3) == LUN_OK && !memcmp(got, want[r->mype], sizeof got));
    lun_release(out);
    EXPECT(lun_spmd_exscan(r->e, LUN_OP_ADD, x, &out) == LUN_OK && !out == (r->mype == 0));
    EXPECT(!out || (lun_read(r->e, out, got, 0, 3) == LUN_OK &&
                    !memcmp(got, want[r->mype - 1], sizeof got)));
    lun_release(out);
    for (int root = 0; root < r->npes; root++) {
        EXPECT(lun_spmd_reduce(r->e, LUN_OP_MAX, x, root, &out) == LUN_OK);
        EXPECT(!out == (r->mype != root));
        EXPECT(!out || (lun_read(r->e, out, got, 0, 1) == LUN_OK && got[0] == r->npes));
        lun_release(out);
    }
    lun_array *number, *square;
    lun_value sum;
    static const int64_t axes[2] = {2, 3};
    EXPECT(lun_tensor(r->e, (const double[6]){1, 2, 3, 4, 5, 6}, 2, axes, LUN_F64, &square) ==
           LUN_OK);
    EXPECT(lun_spmd_allreduce(r->e, LUN_OP_ADD, square, &out) == LUN_OK && lun_size(out) == 6);
    EXPECT(lun_get(r->e, out, 5, &sum) == LUN_OK && sum.as.d == 6 * r->npes);
    lun_release(out);
    lun_release(square);
    EXPECT(lun_number(r->e, 2.5, &number) == LUN_OK);
    EXPECT(lun_spmd_allreduce(r->e, LUN_OP_ADD, number, &out) == LUN_OK);
    EXPECT(lun_get(r->e, out, 0, &sum) == LUN_OK && sum.as.d == 2.5 * r->npes);
    lun_release(out);
    lun_release(number);
    EXPECT(lun_spmd_allreduce(r->e, LUN_OP_SUB, x, &out) == LUN_EARG);
    EXPECT(lun_spmd_reduce(r->e, LUN_OP_ADD, x, r->npes, &out) == LUN_EARG);
    if (r->npes > 1 && r->mype == 1) {
        lun_release(x);
        EXPECT(lun_vector(r->e, own, 2, LUN_F64, &x) == LUN_OK);
    }
    if (r->npes > 1) {
        EXPECT(lun_spmd_allreduce(r->e, LUN_OP_ADD, x, &out) == LUN_ESCRIPT);
        EXPECT(strstr(lun_error(r->e), "rank 1 sums f64[2]"));
    }
    lun_release(x);
}

static void collect(rank *r)
{
    int own = r->mype * r->mype, all[MOST] = {0};
    bool mine = false;
    for (int root = 0; root < r->npes; root++) {
        void *to = r->mype == root ? all : NULL;
        EXPECT(lun_spmd_gather(r->e, root, &own, sizeof own, to) == LUN_OK);
    }
    for (int i = 0; i < r->npes; i++)
        EXPECT(all[i] == i * i);
    EXPECT(lun_spmd_gather(r->e, -1, &own, sizeof own, all) == LUN_EARG);
    EXPECT(lun_spmd_master_begin(r->e, &mine) == LUN_OK && mine == (r->mype == 0));
    EXPECT(!mine || r->npes == 1 || lun_spmd_barrier(r->e) == LUN_EARG);
    if (mine)
        own = 42;
    EXPECT(lun_spmd_master_end(r->e, &own, sizeof own) == LUN_OK && own == 42);
}

/* In blocks: a rank without memory for the result, or for the parts that it combines, is a failure
 * of all, who can go on. */
static void reduce_without_memory(rank *r)
{
    enum { LENGTH = 500000 };
    static const double ones[LENGTH];
    lun_account *a = r->e->account;
    lun_array *x, *out = NULL;
    EXPECT(lun_vector(r->e, ones, LENGTH, LUN_F64, &x) == LUN_OK);
    for (int parts = 0; parts < 2; parts++) {
        EXPECT(lun_spmd_barrier(r->e) == LUN_OK);
        if (r->mype == 1)
            a->limit = lun__account_used(a) + (parts ? 5 << 20 : 1000);
        EXPECT(lun_spmd_allreduce(r->e, LUN_OP_ADD, x, &out) != LUN_OK && !out);
        EXPECT(strstr(lun_error(r->e), r->mype == 1 && parts ? "memory limit reached"
                                       : parts               ? "another rank has no memory"
                                                             : "memory limit reached"));
        a->limit = 0;
    }
    EXPECT(lun_spmd_allreduce(r->e, LUN_OP_ADD, x, &out) == LUN_OK);
    lun_release(out);
    lun_release(x);
}

static void test_reductions(void **state)
{
    (void)state;
    rank all[MOST];
    for (int npes = 1; npes <= MOST; npes++) {
        run_ranks(all, npes, reduce);
        run_ranks(all, npes, collect);
    }
    run_ranks(all, 3, reduce_without_memory);
}

/* ---- elements of other ranks ----------------------------------------------------------------- */

static void share(rank *r)
{
    static const int first[5] = {1, 2, 3, 4, 5};
    int next = (r->mype + 1) % r->npes, got[5];
    lun_shared *common, *each;
    lun_value old;
    EXPECT(lun_spmd_shared(r->e, LUN_I32, 5, first, &common) == LUN_OK);
    EXPECT(lun_spmd_symmetric(r->e, LUN_F64, 2, NULL, &each) == LUN_OK);
    EXPECT(!lun_spmd_local(common) == (r->mype != 0) && lun_spmd_local(each));
    EXPECT(lun_spmd_get(r->e, common, 0, 1, 3, got) == LUN_OK && got[0] == 2 && got[2] == 4);
    double x[2] = {r->mype, 0.5}, y[2];
    EXPECT(lun_spmd_put(r->e, each, next, 0, 2, x) == LUN_OK);
    EXPECT(lun_spmd_barrier(r->e) == LUN_OK);
    EXPECT(lun_read(r->e, lun_spmd_local(each), y, 0, 2) == LUN_OK);
    EXPECT(y[0] == (r->mype + r->npes - 1) % r->npes && y[1] == 0.5);
    for (int i = 0; i < 20; i++)
        EXPECT(lun_spmd_atomic(r->e, common, 0, 0, "add", (lun_value){LUN_I64, {.i = 3}}, &old) ==
               LUN_OK);
    for (int i = 0; i < 20; i++) { /* no atomic: the critical section keeps others out */
        EXPECT(lun_spmd_critical_begin(r->e) == LUN_OK);
        EXPECT(lun_spmd_get(r->e, common, 0, 1, 1, got) == LUN_OK);
        got[0]++;
        EXPECT(lun_spmd_put(r->e, common, 0, 1, 1, got) == LUN_OK);
        EXPECT(i || lun_spmd_critical_begin(r->e) == LUN_EARG);
        EXPECT(lun_spmd_critical_end(r->e) == LUN_OK);
    }
    EXPECT(lun_spmd_critical_end(r->e) == LUN_EARG);
    EXPECT(lun_spmd_barrier(r->e) == LUN_OK);
    EXPECT(lun_spmd_get(r->e, common, r->npes - 1, 0, 2, got) == LUN_OK);
    EXPECT(got[0] == 1 + 60 * r->npes && got[1] == 2 + 20 * r->npes);
    EXPECT(lun_spmd_get(r->e, common, 0, 3, 3, got) == LUN_ERANGE);
    EXPECT(strstr(lun_error(r->e), "elements 3 to 5 of a shared array of 5"));
    EXPECT(lun_spmd_get(r->e, common, r->npes, 0, 1, got) == LUN_EARG);
    EXPECT(lun_spmd_atomic(r->e, common, 0, 0, "cas", old, &old) == LUN_EARG);
    EXPECT(lun_spmd_atomic(r->e, each, next, 0, "bor", old, &old) == LUN_EDTYPE);
    lun_stats stats = {.size = sizeof stats};
    lun_stats_get(r->e, &stats);
    EXPECT(stats.remote_gets == (r->mype ? 3 + 20 + 2 : 0) && r->npes <= MOST);
    EXPECT(lun_spmd_shared_free(r->e, common) == LUN_OK);
    if (r->npes > 2) /* one that lun_close frees */
        EXPECT(lun_spmd_barrier(r->e) == LUN_OK);
    else
        EXPECT(lun_spmd_shared_free(r->e, each) == LUN_OK);
}

static void test_shared(void **state)
{
    (void)state;
    rank all[MOST];
    for (int npes = 1; npes <= MOST; npes++)
        run_ranks(all, npes, share);
}

static void split(rank *r)
{
    EXPECT(lun_spmd_barrier_end(r->e) == LUN_EARG);
    EXPECT(lun_spmd_barrier_begin(r->e) == LUN_OK);
    EXPECT(lun_spmd_barrier_begin(r->e) == LUN_EARG);
    EXPECT(lun_spmd_barrier_end(r->e) == LUN_OK);
    if (r->mype % 2) { /* a step ends what has begun */
        EXPECT(lun_spmd_barrier_begin(r->e) == LUN_OK);
    } else {
        EXPECT(lun_spmd_barrier(r->e) == LUN_OK);
    }
    EXPECT(lun_spmd_barrier(r->e) == LUN_OK);
}

static void test_moves(void **state)
{
    (void)state;
    rank all[MOST];
    for (int npes = 1; npes <= MOST; npes++) {
        run_ranks(all, npes, move);
        run_ranks(all, npes, send);
        run_ranks(all, npes, split);
    }
    for (int npes = 1; npes <= 4; npes++)
        run_ranks(all, npes, move_in_rounds);
    for (int npes = 1; npes <= 4; npes++)
        run_ranks(all, npes, move_between);
}

/* ---- what goes wrong ------------------------------------------------------------------------- */

static void differ(rank *r)
{
    char bytes[8] = {0};
    (void)lun_mark(r->e, r->mype == 0 ? "a.lua:12" : "a.lua:15");
    lun_status s =
        r->mype == 0 ? lun_spmd_step(r->e, "sums f64[100]", "a sum", NULL) : lun_spmd_barrier(r->e);
    EXPECT(s == LUN_ESCRIPT);
    snprintf(r->error, sizeof r->error, "%s", lun_error(r->e));
    EXPECT(lun_spmd_barrier(r->e) == LUN_OK);
    EXPECT(lun_spmd_bcast(r->e, 1, bytes, r->mype == 2 ? 4 : 8) ==
           LUN_ESCRIPT); /* the options differ */
    EXPECT(lun_spmd_barrier(r->e) == LUN_OK);
}

static void test_differ(void **state)
{
    (void)state;
    rank all[4];
    run_ranks(all, 4, differ);
    for (int i = 0; i < 4; i++)
        assert_string_equal(
            all[i].error,
            "ranks differ: rank 0 sums f64[100] (a.lua:12); ranks 1-3 are at a barrier (a.lua:15)");
}

static void end_early(rank *r)
{
    (void)lun_mark(r->e, "b.lua:3");
    if (r->mype == 2) {
        EXPECT(lun_spmd_send(r->e, 0, 1, "last", 4) == LUN_OK);
        EXPECT(lun_spmd_end(r->e, "b.lua:9: out of data") == LUN_OK);
        EXPECT(lun_spmd_barrier(r->e) == LUN_EARG);
        return;
    }
    for (int i = 0; i < 3; i++) {
        EXPECT(lun_spmd_barrier(r->e) == LUN_ESCRIPT);
        snprintf(r->error, sizeof r->error, "%s", lun_error(r->e));
    }
    char got[8];
    int64_t count = 0;
    if (r->mype == 0) {
        EXPECT(lun_spmd_recv(r->e, 2, 1, got, 8, &count) == LUN_OK && count == 4);
        EXPECT(lun_spmd_recv(r->e, 2, 1, got, 8, &count) == LUN_ESCRIPT);
        EXPECT(strstr(lun_error(r->e), "rank 2 has ended (b.lua:9: out of data)"));
    }
}

static void test_end_early(void **state)
{
    (void)state;
    rank all[4];
    run_ranks(all, 4, end_early);
    for (int i = 0; i < 4; i++)
        if (i != 2)
            assert_string_equal(all[i].error, "rank 2 has ended (b.lua:9: out of data)");
}

static void inside(rank *r)
{
    lun_spmd_inside(r->e, "master");
    EXPECT(r->npes == 1 || lun_spmd_barrier(r->e) == LUN_EARG);
    EXPECT(r->npes == 1 || strstr(lun_error(r->e), "a barrier inside master"));
    lun_spmd_inside(r->e, NULL);
    EXPECT(lun_spmd_barrier(r->e) == LUN_OK);
}

static void test_inside(void **state)
{
    (void)state;
    rank all[2];
    run_ranks(all, 1, inside);
    run_ranks(all, 2, inside);
}

/* ---- a rank that is silent ------------------------------------------------------------------ */

static int gave_up; /* atomic: ranks that wait no longer */

static void be_silent(rank *r)
{
    static const struct timespec silence = {.tv_nsec = 1000 * 1000};
    (void)lun_mark(r->e, "c.lua:12");
    EXPECT(lun_spmd_barrier(r->e) == LUN_OK);
    r->e->ranks->timeout = 2;
    r->e->ranks->log_after = 1; /* the others have half of it to answer in */
    r->error[0] = '\0';
    if (r->mype == 2) {
        while (__atomic_load_n(&gave_up, __ATOMIC_ACQUIRE) < r->npes - 1)
            nanosleep(&silence, NULL);
    } else {
        const lun_status s = lun_spmd_step(r->e, "sums f64[100]", "a sum", NULL);
        __atomic_add_fetch(&gave_up, 1, __ATOMIC_RELEASE);
        EXPECT(s == LUN_EBACKEND);
    }
    if (r->mype != 2)
        EXPECT(strstr(r->error, "no word from rank 2 for 1 s in a sum (c.lua:12); waiting on"));
    snprintf(r->error, sizeof r->error, "%s", lun_error(r->e));
    EXPECT(lun_spmd_barrier(r->e) == LUN_EBACKEND); /* and nothing goes any more, on any of them */
    snprintf(r->error, sizeof r->error, "%s", lun_error(r->e));
}

static void test_silent(void **state)
{
    (void)state;
    rank all[4];
    gave_up = 0;
    run_ranks(all, 4, be_silent);
    for (int i = 0; i < 4; i++)
        assert_string_equal(all[i].error, "no word from rank 2 for 2 s in a sum (c.lua:12)");
}

/* ---- a rank that does not receive ------------------------------------------------------------ */

static int piled; /* messages that rank 0 has sent, between two barriers */

/* Short ones, which the transport copies, and long ones, which stay with the sender. */
static void pile_up(rank *r, int64_t bytes)
{
    enum { ROOM = 1 << 20 };
    static char message[100000];
    lun_account *a = r->e->account;
    lun_status s = LUN_OK;
    int64_t count = 0, used = 0;
    EXPECT(lun_spmd_barrier(r->e) == LUN_OK);
    if (r->mype == 0) {
        used = lun__account_used(a);
        a->limit = used + ROOM;
        for (piled = 0; s == LUN_OK && piled <= ROOM / bytes; piled += s == LUN_OK)
            s = lun_spmd_send(r->e, 1, 0, message, bytes);
        EXPECT(s == LUN_ELIMIT && strstr(lun_error(r->e), "memory limit reached"));
        EXPECT(piled > 0 && piled * bytes <= ROOM && (piled + 2) * (bytes + 200) > ROOM);
    }
    EXPECT(lun_spmd_barrier(r->e) == LUN_OK);
    for (int i = 0; r->mype == 1 && i < piled; i++) {
        EXPECT(lun_spmd_recv(r->e, 0, 0, message, sizeof message, &count) == LUN_OK);
        EXPECT(count == bytes);
    }
    EXPECT(lun_spmd_barrier(r->e) == LUN_OK);
    if (r->mype == 0) { /* and now there is room again */
        EXPECT(lun_spmd_send(r->e, 1, 0, message, bytes) == LUN_OK);
        a->limit = 0;
    } else {
        EXPECT(lun_spmd_recv(r->e, 0, 0, message, sizeof message, &count) == LUN_OK);
    }
}

static void pile_up_all(rank *r)
{
    pile_up(r, 1000);
    pile_up(r, 100000);
}

static void test_messages_count(void **state)
{
    rank all[2];
    (void)state;
    run_ranks(all, 2, pile_up_all);
}

/* ---- a rank that is stopped ------------------------------------------------------------------ */

static int stopped; /* atomic */

/* Until it is stopped: what comes before the barrier has begun is not for it. */
static void *cancel_later(void *e)
{
    static const struct timespec moment = {.tv_nsec = 1000 * 1000};
    do {
        nanosleep(&moment, NULL);
        lun_cancel(e);
    } while (!__atomic_load_n(&stopped, __ATOMIC_ACQUIRE));
    return NULL;
}

static void be_stopped(rank *r)
{
    pthread_t other;
    if (r->mype == 1) { /* never comes to the barrier by itself */
        char got[1];
        int64_t count;
        lun_status s = lun_spmd_recv(r->e, 0, 0, got, 1, &count);
        EXPECT(s == LUN_EBACKEND);
        EXPECT(strstr(lun_error(r->e), "rank 0 was stopped in a barrier"));
        return;
    }
    stopped = 0;
    EXPECT(pthread_create(&other, NULL, cancel_later, r->e) == 0);
    lun_status s = lun_spmd_barrier(r->e);
    __atomic_store_n(&stopped, 1, __ATOMIC_RELEASE);
    pthread_join(other, NULL);
    EXPECT(s == LUN_ECANCEL);
}

static void test_stopped(void **state)
{
    (void)state;
    rank all[2];
    run_ranks(all, 2, be_stopped);
}

/* ---- requests -------------------------------------------------------------------------------- */

static void reply_twice(void *ctx, int from, const void *bytes, int64_t count)
{
    rank *r = ctx;
    char answer[32];
    if (!bytes)
        return;
    if (lun_spmd_barrier(r->e) != LUN_EARG) /* no step while a request is answered */
        r->ok = false;
    snprintf(answer, sizeof answer, "%.*s from %d to %d", (int)count, (const char *)bytes, r->mype,
             from);
    if (lun_spmd_reply(r->e, from, answer, (int64_t)strlen(answer)) != LUN_OK)
        r->ok = false;
}

static void request(rank *r)
{
    lun_spmd_serve(r->e, reply_twice, r);
    EXPECT(lun_spmd_barrier(r->e) == LUN_OK);
    for (int pe = 0; pe < r->npes; pe++) {
        void *reply = NULL;
        int64_t count = 0;
        char expected[32];
        snprintf(expected, sizeof expected, "hello from %d to %d", pe, r->mype);
        EXPECT(lun_spmd_request(r->e, pe, "hello", 5, &reply, &count) == LUN_OK);
        EXPECT(count == (int64_t)strlen(expected) && !memcmp(reply, expected, (size_t)count));
        free(reply);
    }
    /* no barrier: those that have ended still answer */
}

static void test_requests(void **state)
{
    (void)state;
    rank all[5];
    run_ranks(all, 5, request);
}

static void test_misuse(void **state)
{
    (void)state;
    lun_ranks *group = NULL;
    assert_int_equal(lun_ranks_new(0, &group), LUN_EARG);
    assert_int_equal(lun_ranks_new(4097, &group), LUN_EARG);
    assert_int_equal(lun_ranks_new(2, NULL), LUN_EARG);
    lun_ranks_free(NULL);
    assert_int_equal(lun_rank(NULL), 0);
    assert_int_equal(lun_spmd_start(NULL), LUN_EARG);
    assert_int_equal(lun_spmd_npes(NULL), 1);
    assert_int_equal(lun_spmd_mype(NULL), 0);
    assert_int_equal(lun_ranks_new(2, &group), LUN_OK);
    lun_config c = {.size = sizeof c, .backend = "reference", .ranks = group, .rank = 2};
    lun_engine *e;
    assert_int_equal(lun_open(&c, &e), LUN_OK);
    assert_int_equal(lun_spmd_start(e), LUN_EARG);
    assert_non_null(strstr(lun_error(e), "rank must be from 0 to 1, not 2"));
    assert_int_equal(lun_spmd_barrier(e), LUN_OK); /* of one rank alone */
    lun_close(e);
    lun_ranks_free(group);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_moves),          cmocka_unit_test(test_reductions),
        cmocka_unit_test(test_shared),         cmocka_unit_test(test_differ),
        cmocka_unit_test(test_end_early),      cmocka_unit_test(test_inside),
        cmocka_unit_test(test_silent),         cmocka_unit_test(test_stopped),
        cmocka_unit_test(test_messages_count), cmocka_unit_test(test_requests),
        cmocka_unit_test(test_misuse),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
