/* ranks_agree_test.c - what ranks learn in an agreement besides, and steps that need no other one
 * for the number of bytes. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lunarray_bind.h"
#include "ranks/ranks_state.h"
#include "ranks_kit.h"

/* ---- agreements ------------------------------------------------------------------------------ */

/* What no rank has more of: not less than the most of any, and less than twice as much. */
static bool bounds(int64_t bound, int64_t most)
{
    return bound >= most && (most == 0 ? bound == 0 : bound / 2 < most);
}

static void agree(rank *r)
{
    static const int64_t sizes[] = {0, 1, 2, 3, 4, 255, 256, 1000003, INT64_MAX / 2, INT64_MAX};
    const int last = r->npes - 1;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int who = 0; who < r->npes; who++) {
            const bool mine = r->mype == who;
            lun_agreed a = {.size = sizeof a,
                            .value = mine ? -5 : 7,
                            .most = mine ? sizes[i] : sizes[i] / 3,
                            .yes = !mine};
            EXPECT(lun_spmd_agree(r->e, "agrees", "an agreement", "x", &a) == LUN_OK);
            EXPECT(r->npes == 1 || (!a.same && !a.yes && bounds(a.most, sizes[i])));
            a = (lun_agreed){
                .size = sizeof a, .value = INT64_MIN + who, .most = sizes[i], .yes = true};
            EXPECT(lun_spmd_agree(r->e, "agrees", "an agreement", "x", &a) == LUN_OK);
            EXPECT(a.same && a.yes && (r->npes == 1 || bounds(a.most, sizes[i])));
        }
    lun_agreed a = {.size = sizeof a, .value = 1};
    const char *what = r->mype == last ? "y" : "x";
    EXPECT(lun_spmd_agree(r->e, "agrees", "an agreement", what, &a) ==
           (r->npes > 1 ? LUN_ESCRIPT : LUN_OK));
    a.most = -1;
    EXPECT(lun_spmd_agree(r->e, "agrees", "an agreement", "x", &a) == LUN_EARG);
    EXPECT(lun_spmd_barrier(r->e) == LUN_OK);
}

/* ---- gathers --------------------------------------------------------------------------------- */

static char byte_of(int pe, int64_t k)
{
    return (char)(pe * 31 + k * 7 + k / 100);
}

/* A rank's bytes, of which there are `all` and `more` for each rank before it. */
static void gather_some(rank *r, int64_t all, int64_t more)
{
    const lun_said said = {sizeof said, "gathers", "a gather", NULL};
    const int64_t count = all + more * r->mype;
    char *own = malloc((size_t)count + 1);
    int64_t *counts = NULL;
    void *got = NULL;
    for (int64_t k = 0; k < count; k++)
        own[k] = byte_of(r->mype, k);
    EXPECT(lun_spmd_gather_said(r->e, &said, own, count, &counts, &got) == LUN_OK);
    const char *at = got;
    for (int pe = 0; pe < r->npes; pe++) {
        EXPECT(counts[pe] == all + more * pe);
        for (int64_t k = 0; k < counts[pe]; k++)
            EXPECT(*at++ == byte_of(pe, k));
    }
    free(own);
    free(counts);
    free(got);
}

static void gather(rank *r)
{
    static const int64_t lengths[] = {0, 1, 63, 64, 254, 255, 256, 5000};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
        for (int64_t more = 0; r->ok && more < 40; more += 13)
            gather_some(r, lengths[i], more);
}

/* ---- exchanges ------------------------------------------------------------------------------- */

/* Bytes from one rank to another. */
static int64_t part(int from, int to, int64_t unit)
{
    return (from * 3 + to) % 4 * unit;
}

static void exchange_some(rank *r, int64_t unit)
{
    int64_t given[MOST], comes[MOST], total = 0;
    void *got = NULL;
    for (int pe = 0; pe < r->npes; pe++) {
        total += given[pe] = part(r->mype, pe, unit);
        comes[pe] = part(pe, r->mype, unit);
    }
    char *own = malloc((size_t)total + 1), *to = own;
    for (int pe = 0; pe < r->npes; pe++)
        for (int64_t k = 0; k < given[pe]; k++)
            *to++ = byte_of(r->mype * MOST + pe, k);
    EXPECT(lun_spmd_step(r->e, "exchanges", "an exchange", NULL) == LUN_OK);
    EXPECT(lun_spmd_exchange_known(r->e, own, given, comes, &got) == LUN_OK);
    const char *at = got;
    for (int pe = 0; pe < r->npes; pe++)
        for (int64_t k = 0; k < comes[pe]; k++)
            EXPECT(*at++ == byte_of(pe * MOST + r->mype, k));
    free(own);
    free(got);
}

static void exchange(rank *r)
{
    for (int64_t unit = 0; r->ok && unit < 300; unit = unit * 3 + 1)
        exchange_some(r, unit);
    if (r->e->ranks->net)
        r->e->ranks->most = 64; /* in many rounds */
    exchange_some(r, 333);
    gather_some(r, 700, 0);
    gather_some(r, 700, 9);
}

/* ---- versions of the bits -------------------------------------------------------------------- */

/* The last rank's are others: each rank's first step fails, in one line. */
static void differ(rank *r)
{
    const bool other = r->npes > 1 && r->mype == r->npes - 1;
    if (other)
        r->e->services.bits = "v0";
    EXPECT(lun_spmd_barrier(r->e) == (r->npes > 1 ? LUN_ESCRIPT : LUN_OK));
    EXPECT(r->npes == 1 || !strcmp(lun_error(r->e), "ranks differ: bits " LUN_BITS " and v0"));
    if (other)
        r->e->services.bits = LUN_BITS;
    EXPECT(lun_spmd_barrier(r->e) == LUN_OK);
}

static void on_all(void (*program)(rank *r))
{
    rank all[MOST];
    for (int npes = 1; npes <= MOST; npes++)
        run_ranks(all, npes, program);
}

static void test_agreed(void **state)
{
    (void)state;
    on_all(agree);
}

static void test_gathers(void **state)
{
    (void)state;
    on_all(gather);
}

static void test_exchanges(void **state)
{
    (void)state;
    on_all(exchange);
}

static void test_bits(void **state)
{
    (void)state;
    on_all(differ);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_agreed), cmocka_unit_test(test_bits),
                                       cmocka_unit_test(test_gathers),
                                       cmocka_unit_test(test_exchanges)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
