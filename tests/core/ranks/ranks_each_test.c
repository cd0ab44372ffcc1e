/* ranks_each_test.c - lun_spmd_each: C text in loops that ranks share, against the serial loop in
 * C; what is moved; failures, which change nothing.  Each rank is a thread. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "ranks_kit.h"

static lun_status zeros(rank *r, int64_t rows, int64_t columns, bool by_rows, bool by_columns,
                        lun_shared **out)
{
    lun_blocking how = {sizeof how, 2, {rows, columns}, {by_rows, by_columns}, NULL};
    return lun_spmd_blocked(r->e, LUN_F64, &how, out);
}

/* Element (i, j) of this rank's part becomes start(i, j). */
static double start(int64_t i, int64_t j)
{
    return (double)((7 * i + 3 * j) % 11) + 0.25 * (double)i;
}

static lun_status fill(rank *r, lun_shared *a)
{
    int64_t i0, rows, j0, columns;
    lun_status s = lun_spmd_blksize(r->e, a, 0, r->mype, &i0, &rows);
    if (s == LUN_OK)
        s = lun_spmd_blksize(r->e, a, 1, r->mype, &j0, &columns);
    for (int64_t k = 0; s == LUN_OK && k < rows * columns; k++) {
        const double x = start(i0 + k / columns, j0 + k % columns);
        s = lun_write(r->e, lun_spmd_local(a), &x, k, 1);
    }
    return s;
}

/* Whether all elements are what `want` says, row-major. */
static bool holds(rank *r, lun_shared *a, const double *want, int64_t n)
{
    lun_array *whole = NULL;
    double *got = malloc((size_t)(n + 1) * sizeof *got);
    bool same = got && lun_spmd_whole(r->e, a, &whole) == LUN_OK && lun_size(whole) == n &&
                lun_read(r->e, whole, got, 0, n) == LUN_OK &&
                !memcmp(got, want, (size_t)n * sizeof *got);
    free(got);
    lun_release(whole);
    return same;
}

enum { ROWS = 13, COLUMNS = 9, N = ROWS * COLUMNS };

static const char five_points[] = "(int64_t i, int64_t j, double *a, const double *b, int64_t n){"
                                  " a[i * n + j] = (b[(i - 1) * n + j] + b[(i + 1) * n + j]"
                                  " + b[i * n + j - 1] + b[i * n + j + 1]) / 4; }";

/* Of arrays that are blocked in any way, with elements that are at hand or just in reach. */
static void stencil(rank *r)
{
    double want[N] = {0};
    lun_function *f = NULL;
    lun_array *n = NULL;
    EXPECT(lun_function_c(r->e, five_points, &f) == LUN_OK);
    EXPECT(lun_number(r->e, COLUMNS, &n) == LUN_OK);
    for (int i = 1; i < ROWS - 1; i++)
        for (int j = 1; j < COLUMNS - 1; j++)
            want[i * COLUMNS + j] =
                (start(i - 1, j) + start(i + 1, j) + start(i, j - 1) + start(i, j + 1)) / 4;
    for (int how = 1; how < 4; how++) {
        lun_shared *a, *b;
        EXPECT(zeros(r, ROWS, COLUMNS, how & 1, how & 2, &a) == LUN_OK);
        EXPECT(zeros(r, ROWS, COLUMNS, how & 1, how & 2, &b) == LUN_OK);
        EXPECT(fill(r, b) == LUN_OK);
        const lun_spmd_loop loop = {.size = sizeof loop,
                                    .rank = 2,
                                    .first = {1, 1},
                                    .extent = {ROWS - 2, COLUMNS - 2},
                                    .owner = a};
        const lun_spmd_arg args[] = {{.blocked = a}, {.blocked = b, .reach = 1}, {.array = n}};
        EXPECT(lun_spmd_each(r->e, f, &loop, args, 3) == LUN_OK);
        EXPECT(holds(r, a, want, N));
        EXPECT(lun_spmd_shared_free(r->e, a) == LUN_OK);
        EXPECT(lun_spmd_shared_free(r->e, b) == LUN_OK);
    }
    lun_release(n);
    lun_function_release(f);
}

/* A halo of one element: a message to each neighbour, and none for what is assigned. */
static void halo(rank *r)
{
    const int64_t n = 1000 * r->npes;
    lun_blocking how = {sizeof how, 1, {n}, {true}, NULL};
    lun_shared *a, *b;
    lun_function *f = NULL;
    lun_stats before = {.size = sizeof before}, after = {.size = sizeof after};
    EXPECT(lun_function_c(
               r->e, "(int64_t i, int64_t *a, const int64_t *b){ a[i] = b[i - 1] + b[i + 1]; }",
               &f) == LUN_OK);
    EXPECT(lun_spmd_blocked(r->e, LUN_I64, &how, &a) == LUN_OK);
    EXPECT(lun_spmd_blocked(r->e, LUN_I64, &how, &b) == LUN_OK);
    for (int64_t k = 0; k < 1000; k++) {
        const int64_t x = (1000 * r->mype + k) * 3;
        EXPECT(lun_write(r->e, lun_spmd_local(b), &x, k, 1) == LUN_OK);
    }
    const lun_spmd_loop loop = {
        .size = sizeof loop, .rank = 1, .first = {1}, .extent = {n - 2}, .owner = a};
    const lun_spmd_arg args[] = {{.blocked = a}, {.blocked = b, .reach = 1}};
    lun_stats_get(r->e, &before);
    EXPECT(lun_spmd_each(r->e, f, &loop, args, 2) == LUN_OK);
    lun_stats_get(r->e, &after);
    EXPECT(after.messages - before.messages == (r->mype > 0) + (r->mype < r->npes - 1));
    EXPECT(after.remote_puts == before.remote_puts);
    EXPECT(after.collectives ==
           before.collectives); /* two agreements, and what moves from rank to rank */
    for (int64_t k = 0; k < 1000; k++) {
        const int64_t i = 1000 * r->mype + k, want = i && i < n - 1 ? 6 * i : 0;
        int64_t x;
        EXPECT(lun_read(r->e, lun_spmd_local(a), &x, k, 1) == LUN_OK && x == want);
    }
    lun_function_release(f);
}

/* The transpose: each rank assigns elements of all; and a gather by indices, backwards. */
static void elsewhere(rank *r)
{
    double want[N], back[N];
    lun_function *transpose = NULL, *gather = NULL;
    lun_shared *a, *b;
    EXPECT(lun_function_c(r->e,
                          "(int64_t i, int64_t j, double *a, const double *b)"
                          "{ a[j * 9 + i] = b[i * 13 + j]; }",
                          &transpose) == LUN_OK);
    EXPECT(lun_function_c(r->e,
                          "(int64_t k, double *a, const double *b, const int64_t *at)"
                          "{ a[9 * k] = b[at[k]]; }",
                          &gather) == LUN_OK);
    EXPECT(zeros(r, ROWS, COLUMNS, true, false, &a) == LUN_OK);
    EXPECT(zeros(r, COLUMNS, ROWS, true, r->npes > 2, &b) == LUN_OK);
    EXPECT(fill(r, b) == LUN_OK);
    for (int k = 0; k < N; k++)
        back[k] = want[k] = start(k % COLUMNS, k / COLUMNS);
    lun_spmd_loop loop = {.size = sizeof loop, .rank = 2, .extent = {COLUMNS, ROWS}, .owner = b};
    lun_spmd_arg args[] = {{.blocked = a, .reach = -1}, {.blocked = b}, {.array = NULL}};
    EXPECT(lun_spmd_each(r->e, transpose, &loop, args, 2) == LUN_OK);
    EXPECT(holds(r, a, want, N));
    int64_t at[ROWS];
    for (int k = 0; k < ROWS; k++) {
        at[k] = 50 * k % N;
        back[9 * k] = start(at[k] / ROWS, at[k] % ROWS);
    }
    EXPECT(lun_vector(r->e, at, ROWS, LUN_I64, &args[2].array) == LUN_OK);
    args[1].reach = -1;
    loop = (lun_spmd_loop){.size = sizeof loop, .rank = 1, .extent = {ROWS}, .owner = a};
    loop.indexed = true; /* by element [12 - k][3] */
    loop.variable[1] = -1;
    loop.factor[0] = -1;
    loop.offset[0] = ROWS - 1;
    loop.offset[1] = 3;
    EXPECT(lun_spmd_each(r->e, gather, &loop, args, 3) == LUN_OK);
    EXPECT(holds(r, a, back, N));
    lun_release(args[2].array);
    lun_function_release(transpose);
    lun_function_release(gather);
}

/* After the loop no rank sees elements of before, though it ends with no barrier. */
static void seen(rank *r)
{
    const int64_t n = 8 * r->npes;
    lun_blocking how = {sizeof how, 1, {n}, {true}, NULL};
    lun_shared *a, *b;
    lun_function *f = NULL;
    EXPECT(lun_function_c(
               r->e, "(int64_t i, int64_t *a, int64_t *b, int64_t n){ a[i]++; b[n - 1 - i]++; }",
               &f) == LUN_OK);
    EXPECT(lun_spmd_blocked(r->e, LUN_I64, &how, &a) == LUN_OK);
    EXPECT(lun_spmd_blocked(r->e, LUN_I64, &how, &b) == LUN_OK);
    const lun_spmd_loop loop = {.size = sizeof loop, .rank = 1, .extent = {n}, .owner = a};
    lun_spmd_arg args[] = {{.blocked = a}, {.blocked = b, .reach = -1}, {.array = NULL}};
    EXPECT(lun_number(r->e, (double)n, &args[2].array) == LUN_OK);
    for (int64_t round = 1; round <= 100; round++) {
        int64_t x[2];
        EXPECT(lun_spmd_each(r->e, f, &loop, args, 3) == LUN_OK);
        const int pe = (int)((r->mype + round) % r->npes);
        EXPECT(lun_spmd_get(r->e, a, pe, round % 8, 1, &x[0]) == LUN_OK && x[0] == round);
        EXPECT(lun_spmd_get(r->e, b, pe, round % 8, 1, &x[1]) == LUN_OK && x[1] == round);
    }
    lun_release(args[2].array);
    lun_function_release(f);
}

/* What fails on one rank, or is wrong, fails on all, and changes nothing. */
static void failures(rank *r)
{
    double same[N];
    lun_function *f = NULL, *one = NULL;
    lun_shared *a, *shared;
    EXPECT(lun_function_c(r->e,
                          "(int64_t i, int64_t j, double *a){ a[i * 9 + j] += 1 / (int)(9 - i); }",
                          &f) == LUN_OK);
    EXPECT(lun_function_c(r->e, "(int64_t i, int64_t j, double *a){ if (j == 2) a[0] = i + 100; }",
                          &one) == LUN_OK);
    EXPECT(zeros(r, ROWS, COLUMNS, true, false, &a) == LUN_OK);
    EXPECT(fill(r, a) == LUN_OK);
    for (int k = 0; k < N; k++)
        same[k] = start(k / COLUMNS, k % COLUMNS);
    lun_spmd_loop loop = {.size = sizeof loop, .rank = 2, .extent = {ROWS, COLUMNS}, .owner = a};
    lun_spmd_arg arg = {.blocked = a, .reach = -1};
    EXPECT(lun_spmd_each(r->e, f, &loop, &arg, 1) == LUN_EZERO);
    EXPECT(r->npes == 1 || strstr(lun_error(r->e), "PE "));
    EXPECT(holds(r, a, same, N));
    EXPECT(lun_spmd_each(r->e, one, &loop, &arg, 1) == (r->npes > 1 ? LUN_EARG : LUN_OK));
    EXPECT(r->npes == 1 || strstr(lun_error(r->e), "argument 0: rounds of two ranks change"));
    EXPECT(r->npes == 1 || holds(r, a, same, N));
    loop.extent[0]++;
    EXPECT(lun_spmd_each(r->e, f, &loop, &arg, 1) == LUN_ERANGE);
    loop.extent[0] = ROWS;
    loop.rank = 1;
    EXPECT(lun_spmd_each(r->e, f, &loop, &arg, 1) == LUN_ESHAPE);
    loop.rank = 2;
    loop.indexed = true; /* index 0 twice */
    EXPECT(lun_spmd_each(r->e, f, &loop, &arg, 1) == LUN_EARG);
    loop.indexed = false;
    EXPECT(lun_spmd_each(r->e, NULL, &loop, &arg, 1) == LUN_EARG);
    EXPECT(lun_spmd_shared(r->e, LUN_F64, 3, NULL, &shared) == LUN_OK);
    EXPECT(lun_spmd_each(r->e, f, &loop, &(lun_spmd_arg){.blocked = shared}, 1) == LUN_EARG);
    EXPECT(strstr(lun_error(r->e), "argument 0 is shared, but not blocked"));
    loop.extent[1] -= r->mype == 1;
    EXPECT(r->npes == 1 || lun_spmd_each(r->e, f, &loop, &arg, 1) == LUN_ESCRIPT);
    EXPECT(lun_spmd_barrier(r->e) == LUN_OK);
    lun_function_release(f);
    lun_function_release(one);
}

static void on_ranks(void (*program)(rank *r))
{
    static const int counts[] = {1, 2, 3, 6};
    rank all[MOST];
    for (int k = 0; k < 4; k++)
        run_ranks(all, counts[k], program);
}

static void test_stencil(void **state)
{
    (void)state;
    on_ranks(stencil);
}

static void test_halo(void **state)
{
    (void)state;
    on_ranks(halo);
}

static void test_elsewhere(void **state)
{
    (void)state;
    on_ranks(elsewhere);
}

static void test_seen(void **state)
{
    (void)state;
    on_ranks(seen);
}

static void test_failures(void **state)
{
    (void)state;
    on_ranks(failures);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_stencil), cmocka_unit_test(test_halo),
                                       cmocka_unit_test(test_elsewhere),
                                       cmocka_unit_test(test_seen),
                                       cmocka_unit_test(test_failures)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
