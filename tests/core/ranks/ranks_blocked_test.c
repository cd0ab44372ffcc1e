/* ranks_blocked_test.c - blocked arrays of hosts in C: where elements stand, against rules written
 * anew; elements of other ranks; whole copies; misuse.  Each rank is a thread. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "ranks_kit.h"

/* ---- the rules, written anew ----------------------------------------------------------------- */

/* Elements of part k of n over p: given out one after the other. */
static int64_t size_of(const char *rule, int64_t n, int p, int k)
{
    int64_t size[MOST] = {0};
    if (!strcmp(rule, "balanced"))
        for (int64_t i = 0; i < n; i++)
            size[i % p]++;
    else if (!strcmp(rule, "ceiling"))
        for (int64_t i = 0, most = (n + p - 1) / p; i < n; i++)
            size[i / most]++;
    else
        for (int64_t i = 0; i < n; i++)
            size[i < n / p * p ? i / (n / p) : p - 1]++;
    return size[k];
}

static void cut(rank *r)
{
    static const char *const rules[] = {"ceiling", "balanced", "remainder"};
    static const int64_t sizes[] = {0, 1, 5, 7, 8, 50, 65};
    for (int k = 0; k < 3 * 7; k++) {
        const char *rule = rules[k % 3];
        const int64_t n = sizes[k / 3];
        lun_blocking how = {sizeof how, 1, {n}, {true}, rule};
        lun_shared *a;
        int64_t at = 0, first, count, bytes, place;
        int pe;
        EXPECT(lun_spmd_blocked(r->e, LUN_I16, &how, &a) == LUN_OK);
        for (int to = 0; to < r->npes; to++) {
            EXPECT(lun_spmd_blksize(r->e, a, 0, to, &first, &count) == LUN_OK);
            EXPECT(first == at && count == size_of(rule, n, r->npes, to));
            EXPECT(lun_spmd_localsize(r->e, a, to, &bytes) == LUN_OK && bytes == 2 * count);
            for (int64_t i = 0; i < count; i++, at++) {
                EXPECT(lun_spmd_home(r->e, a, &at, &pe, &place) == LUN_OK);
                EXPECT(pe == to && place == i);
            }
        }
        EXPECT(at == n && lun_size(lun_spmd_local(a)) == size_of(rule, n, r->npes, r->mype));
        EXPECT(lun_spmd_shared_free(r->e, a) == LUN_OK);
    }
}

/* As ABC says of 20 by 50, both blocked: on 8 ranks 2 by 4, on 6 ranks 2 by 3. */
static void grid(rank *r)
{
    lun_blocking how = {sizeof how, 2, {20, 50}, {true, true}, NULL};
    lun_shared *a;
    int64_t rows, columns, first, other;
    const int64_t down = r->npes == 8 ? 2 : r->npes == 6 ? 2 : 1, across = r->npes / down;
    EXPECT(lun_spmd_blocked(r->e, LUN_F64, &how, &a) == LUN_OK);
    EXPECT(lun_spmd_blksize(r->e, a, 0, r->mype, &first, &rows) == LUN_OK);
    EXPECT(lun_spmd_blksize(r->e, a, 1, r->mype, &other, &columns) == LUN_OK);
    EXPECT(rows == size_of("balanced", 20, (int)down, r->mype % (int)down));
    EXPECT(columns == size_of("balanced", 50, (int)across, r->mype / (int)down));
    EXPECT(first == r->mype % down * 10 % 20);
}

static void test_blocks(void **state)
{
    (void)state;
    rank all[MOST];
    for (int npes = 1; npes <= MOST; npes++)
        run_ranks(all, npes, cut);
    run_ranks(all, 8, grid);
    run_ranks(all, 6, grid);
    run_ranks(all, 3, grid);
}

/* ---- elements -------------------------------------------------------------------------------- */

/* Each rank doubles its part of what was distributed; all see all of it, and change elements that
 * stand elsewhere. */
static void work(rank *r)
{
    enum { ROWS = 7, COLUMNS = 5, N = ROWS * COLUMNS };
    const int64_t shape[2] = {ROWS, COLUMNS};
    double x[N], got;
    int64_t index[2], place, first = 0, rows = ROWS, columns = COLUMNS;
    lun_array *a = NULL, *twice = NULL, *two = NULL, *whole = NULL;
    lun_shared *b;
    lun_value old;
    int pe;
    for (int i = 0; i < N; i++)
        x[i] = i * i;
    EXPECT(lun_tensor(r->e, x, 2, shape, LUN_F64, &a) == LUN_OK);
    for (int axis = -2; axis < 2; axis++) {
        const char *rule = axis % 2 ? "balanced" : NULL;
        EXPECT(lun_spmd_distribute(r->e, a, axis, rule, &b) == LUN_OK);
        EXPECT(lun_number(r->e, 2, &two) == LUN_OK);
        EXPECT(lun_mul(r->e, lun_spmd_local(b), two, &twice) == LUN_OK);
        EXPECT(lun_store(r->e, lun_spmd_local(b), twice) == LUN_OK);
        lun_release(two);
        lun_release(twice);
        EXPECT(lun_spmd_barrier(r->e) == LUN_OK);
        for (int i = 0; i < N; i++) { /* all read all */
            index[0] = i / COLUMNS;
            index[1] = i % COLUMNS;
            EXPECT(lun_spmd_home(r->e, b, index, &pe, &place) == LUN_OK);
            EXPECT(lun_spmd_get(r->e, b, pe, place, 1, &got) == LUN_OK && got == 2 * x[i]);
        }
        EXPECT(lun_spmd_barrier(r->e) == LUN_OK);
        EXPECT(lun_spmd_atomic(r->e, b, pe, place, "add", (lun_value){LUN_I64, {.i = 1}}, &old) ==
               LUN_OK);
        EXPECT(lun_spmd_barrier(r->e) == LUN_OK);
        EXPECT(lun_spmd_whole(r->e, b, &whole) == LUN_OK && lun_size(whole) == N);
        for (int i = 0; i < N; i++) {
            EXPECT(lun_read(r->e, whole, &got, i, 1) == LUN_OK);
            EXPECT(got == 2 * x[i] + (i == N - 1 ? r->npes : 0));
        }
        lun_release(whole);
        const int at = axis < 0 ? axis + 2 : axis;
        EXPECT(lun_spmd_blksize(r->e, b, at, r->mype, &first, at ? &columns : &rows) == LUN_OK);
        EXPECT(lun_size(lun_spmd_local(b)) == rows * columns);
        rows = ROWS, columns = COLUMNS;
        EXPECT(lun_spmd_shared_free(r->e, b) == LUN_OK);
    }
    lun_release(a);
}

static void misuse(rank *r)
{
    lun_blocking how = {sizeof how, 2, {4, 3}, {false, true}, "odd"};
    const int64_t out[2] = {3, 3}, huge = INT64_MAX;
    lun_shared *a = NULL, *one = NULL;
    lun_array *whole = NULL;
    int64_t place;
    int pe;
    EXPECT(lun_spmd_blocked(r->e, LUN_F32, &how, &a) == LUN_EARG);
    EXPECT(strstr(lun_error(r->e), "'odd' is no rule: ceiling, balanced, remainder"));
    how.rule = NULL;
    how.blocked[1] = false;
    EXPECT(lun_spmd_blocked(r->e, LUN_F32, &how, &a) == LUN_EARG);
    how.blocked[0] = true;
    how.extent[1] = -1;
    EXPECT(lun_spmd_blocked(r->e, LUN_F32, &how, &a) == LUN_ERANGE);
    how.extent[1] = huge;
    EXPECT(lun_spmd_blocked(r->e, LUN_F32, &how, &a) == LUN_ERANGE);
    how.rank = LUN_MAX_RANK + 1;
    EXPECT(lun_spmd_blocked(r->e, LUN_F32, &how, &a) == LUN_ESHAPE);
    how = (lun_blocking){sizeof how, 2, {4, 3}, {false, true}, NULL};
    EXPECT(lun_spmd_blocked(r->e, LUN_F32, NULL, &a) == LUN_EARG);
    EXPECT(lun_spmd_blocked(r->e, LUN_F32, &how, &a) == LUN_OK);
    EXPECT(lun_spmd_home(r->e, a, out, &pe, &place) == LUN_ERANGE);
    EXPECT(strstr(lun_error(r->e), "index 3 is out of range for axis 1 (length 3)"));
    EXPECT(lun_spmd_blksize(r->e, a, 2, 0, NULL, &place) == LUN_ESHAPE);
    EXPECT(lun_spmd_blksize(r->e, a, 0, r->npes, NULL, &place) == LUN_EARG);
    EXPECT(lun_spmd_localsize(r->e, a, -1, &place) == LUN_EARG);
    EXPECT(lun_spmd_get(r->e, a, 0, 0, 13, &whole) == LUN_ERANGE);
    EXPECT(lun_spmd_distribute(r->e, lun_spmd_local(a), 2, NULL, &one) == LUN_ESHAPE);
    EXPECT(lun_spmd_shared(r->e, LUN_F32, 1, NULL, &one) == LUN_OK);
    EXPECT(lun_spmd_whole(r->e, one, &whole) == LUN_EARG);
    EXPECT(lun_spmd_localsize(r->e, one, 0, &place) == LUN_OK && place == 4);
    how.extent[0] = 4 + (r->mype == 1); /* ranks that differ: all are told, and go on */
    lun_status s = lun_spmd_blocked(r->e, LUN_F32, &how, &a);
    EXPECT(s == (r->npes > 1 ? LUN_ESCRIPT : LUN_OK));
    EXPECT(r->npes == 1 || strstr(lun_error(r->e), "rank 1 makes a blocked f32[5, 3]"));
    EXPECT(lun_spmd_barrier(r->e) == LUN_OK);
}

static void test_elements(void **state)
{
    (void)state;
    rank all[MOST];
    for (int npes = 1; npes <= MOST; npes += npes < 4 ? 1 : 3) {
        run_ranks(all, npes, work);
        run_ranks(all, npes, misuse);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_blocks),
                                       cmocka_unit_test(test_elements)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
