/* ranks_moves_test.c - what ranks give each other in a step: one message for all that goes from one
 * to another, counts that travel short, failures that all get; a step in which one rank has no
 * memory.  Each rank is a thread. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "engine/state.h"
#include "ranks/ranks.h"
#include "ranks_kit.h"

/* Of rank `from` for rank `to`: element k of part p. */
static int32_t value(int from, int to, int p, int k)
{
    return ((from * 8 + to) * 8 + p) * 100 + k;
}

enum { PARTS = 3, LENGTH = 50 };

/* All pairs have parts for each other, of different lengths, some of none. */
static void messages(rank *r)
{
    static const int lengths[PARTS] = {LENGTH, 0, 7};
    int32_t given[MOST][PARTS][LENGTH], got[MOST][PARTS][LENGTH];
    for (int round = 0; round < 2; round++) {
        lun_stats before, after;
        memset(got, 0, sizeof got);
        before = r->e->stats;
        for (int from = 0; from < r->npes; from++)
            for (int to = 0; to < r->npes; to++)
                for (int p = 0; p < PARTS; p++) {
                    for (int k = 0; k < LENGTH; k++)
                        given[to][p][k] = value(r->mype, to, p, k);
                    int32_t *at = from == r->mype ? given[to][p] : got[from][p];
                    EXPECT(lun__rank_move(r->e, from, to, at,
                                          lengths[p] * (int64_t)sizeof(int32_t)) == LUN_OK);
                }
        EXPECT(lun__rank_moves_end(r->e, LUN_OK) == LUN_OK);
        after = r->e->stats;
        for (int from = 0; from < r->npes; from++)
            for (int p = 0; p < PARTS; p++)
                for (int k = 0; from != r->mype && k < LENGTH; k++)
                    EXPECT(got[from][p][k] == (k < lengths[p] ? value(from, r->mype, p, k) : 0));
        EXPECT(after.messages - before.messages == r->npes - 1);
        EXPECT(after.bytes_sent - before.bytes_sent == 57 * 4 * (r->npes - 1));
    }
}

/* A number of rank k, of many bits, few, or none. */
static int64_t count(int k, int i)
{
    return i % 5 ? 0 : i % 3 ? i + k : INT64_MAX - i - k;
}

/* Bytes of each rank, and counts, some behind the other. */
static void to_all(rank *r)
{
    int64_t counts[MOST][LENGTH] = {{0}};
    char bytes[MOST][LENGTH] = {{0}};
    for (int k = 0; k < r->npes; k++) {
        for (int i = 0; k == r->mype && i < LENGTH; i++) {
            counts[k][i] = count(k, i);
            bytes[k][i] = (char)(k + i);
        }
        EXPECT(lun__rank_move(r->e, k, LUN_COUNTS_TO_ALL, counts[k], sizeof counts[k]) == LUN_OK);
        EXPECT(lun__rank_move(r->e, k, LUN_ALL_RANKS, bytes[k], k) == LUN_OK);
    }
    EXPECT(lun__rank_moves_end(r->e, LUN_OK) == LUN_OK);
    for (int k = 0; k < r->npes; k++)
        for (int i = 0; i < LENGTH; i++) {
            EXPECT(counts[k][i] == count(k, i));
            EXPECT(bytes[k][i] == (k == r->mype || i < k ? (char)(k + i) : 0));
        }
    EXPECT(lun__rank_moves_end(r->e, LUN_OK) == LUN_OK); /* of nothing: no step */
}

/* The first failure in the order of ranks is everyone's, and they go on. */
static void failures(rank *r)
{
    for (int bad = 0; bad < r->npes; bad++) {
        int32_t all[MOST] = {0};
        for (int k = 0; k < r->npes; k++)
            EXPECT(lun__rank_move(r->e, k, LUN_ALL_RANKS, &all[k], sizeof all[k]) == LUN_OK);
        lun_status s = LUN_OK;
        if (r->mype >= bad)
            s = lun__fail(r->e, LUN_EDTYPE, "no luck at %d", r->mype);
        EXPECT(lun__rank_moves_end(r->e, s) == LUN_EDTYPE);
        char want[64];
        snprintf(want, sizeof want, "PE %d: no luck at %d", bad, bad);
        EXPECT(!strcmp(lun_error(r->e), want));
    }
    to_all(r);
}

/* A scan for which one rank has no memory: none waits for it. */
static void no_memory(rank *r)
{
    enum { EACH = 100000 };
    int64_t bound[MOST + 1];
    lun_slices at = {.size = sizeof at, .rank = 1, .shape = {(int64_t)EACH * r->npes}};
    lun_array *part = NULL, *all = NULL, *scanned = NULL, *own = NULL;
    lun_function *add = NULL;
    double *ones = malloc(EACH * sizeof *ones);
    for (int k = 0; ones && k < EACH; k++)
        ones[k] = 1;
    for (int k = 0; k <= r->npes; k++)
        bound[k] = (int64_t)EACH * k;
    at.bound = bound;
    EXPECT(ones && lun_vector(r->e, ones, EACH, LUN_F64, &part) == LUN_OK);
    free(ones);
    EXPECT(lun_function_op(r->e, LUN_OP_ADD, &add) == LUN_OK);
    for (int round = 0; round < 2; round++) {
        double last = 0;
        EXPECT(lun_over_ranks(r->e, &at, part, &all) == LUN_OK);
        if (round && r->mype == 1)
            r->e->account->limit = lun__account_used(r->e->account) + EACH;
        EXPECT(lun_over_ranks_begin(r->e) == LUN_OK);
        lun_status s = lun_scan(r->e, add, NULL, all, true, &scanned);
        if (s == LUN_OK)
            s = lun_over_ranks_own(r->e, all, scanned, &own);
        if (!round) {
            EXPECT(s == LUN_OK && lun_read(r->e, own, &last, EACH - 1, 1) == LUN_OK);
            EXPECT(last == (double)EACH * (r->mype + 1));
        }
        EXPECT(!round || r->mype != 1 || s == LUN_ELIMIT);
        EXPECT(round || s == LUN_OK);
        lun_over_ranks_end(r->e, s);
        lun_release(own);
        lun_release(scanned);
        lun_release(all);
        own = scanned = NULL;
    }
    EXPECT(lun_spmd_barrier(r->e) == LUN_EBACKEND);
    EXPECT(!strncmp(lun_error(r->e), "rank 1: memory limit reached", 28));
    lun_release(part);
    lun_function_release(add);
}

static void check(void (*program)(rank *r))
{
    rank all[MOST];
    for (int n = 2; n <= 5; n++)
        run_ranks(all, n, program);
}

static void test_messages(void **state)
{
    (void)state;
    check(messages);
}

static void test_to_all(void **state)
{
    (void)state;
    check(to_all);
}

static void test_failures(void **state)
{
    (void)state;
    check(failures);
}

static void test_no_memory(void **state)
{
    (void)state;
    check(no_memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_messages), cmocka_unit_test(test_to_all),
        cmocka_unit_test(test_failures), cmocka_unit_test(test_no_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
