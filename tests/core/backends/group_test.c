/* group_test.c - groups and joins of host memory (backends/algorithms): codes of keys of all
 * dtypes, pairs against nested loops, on 1 to 8 threads, touching nothing beyond. */
#include "algorithm_kit.h"

#include "table/aggregate.h"

/* ---- codes ----------------------------------------------------------------------------------- */

/* Which keys there are: 0 few values, 1 any bits, 2 one value, 3 ascending, 4 numbers apart. */
static uint64_t some_key(lun_dtype t, int kind, int64_t i, uint64_t *seed)
{
    static const double odd[] = {0.0, -0.0, NAN, -NAN, INFINITY, -INFINITY, 1.5, -1.5};
    uint64_t bits = test_random(seed);
    lun_value x = {.dtype = LUN_F64, .as.d = odd[bits % 8]};
    if (kind == 0 && lun__dtype_is_float(t))
        return lun__dtype_cell_from_value(t, x);
    if (lun__dtype_is_bool(t))
        return kind == 2 ? 1 : bits & 1;
    if (kind == 1)
        return lun__dtype_cell_cast(t, LUN_I64, bits);
    int64_t n = kind == 0 ? (int64_t)(bits % 7) - 3 : kind == 2 ? 5 : kind == 3 ? i / 3 : 0;
    if (kind == 4)
        n = (int64_t)(bits % 50) * 1000003 - 7;
    return lun__dtype_cell_cast(t, LUN_I64, (uint64_t)n);
}

/* Whether codes are those of the keys: equal keys have equal codes, ascending keys ascending ones,
 * and none is left out.  A row is compared with a row of the group of each other one. */
static void check_codes(const lun_column *keys, const int32_t *codes)
{
    const int64_t n = keys->n, groups = codes[n];
    int64_t *of = malloc((size_t)(groups + 1) * sizeof *of);
    assert_non_null(of);
    memset(of, 0xff, (size_t)groups * sizeof *of);
    for (int64_t i = 0; i < n; i++) {
        assert_in_range(codes[i], 0, groups - 1);
        if (of[codes[i]] < 0)
            of[codes[i]] = i;
        assert_int_equal(compare(keys->dtype, cell_at(keys, i), cell_at(keys, of[codes[i]])), 0);
    }
    for (int64_t g = 0; g < groups; g++)
        assert_true(of[g] >= 0);
    for (int64_t g = 1; g < groups; g++)
        assert_true(compare(keys->dtype, cell_at(keys, of[g - 1]), cell_at(keys, of[g])) < 0);
    free(of);
}

static void one_codes(lun_dtype t, int64_t n, int kind, uint64_t *seed)
{
    static const int threads[] = {1, 2, 3, 8};
    const int64_t bytes = lun__dtype_get(t)->bytes;
    test_memory keys = test_guarded((size_t)(n * bytes));
    for (int64_t i = 0; i < n; i++) {
        uint64_t cell = some_key(t, kind, i, seed);
        memcpy(keys.data + i * bytes, &cell, (size_t)bytes);
    }
    for (int k = 0; k < 4; k++) {
        test_memory codes;
        lun_algorithm_run r = {.in[0] = lun__work_column(keys.data, t, n),
                               .out[0] = lun__work_column(NULL, LUN_I32, n + 1)};
        assert_int_equal(run_guarded(lun__group_room, lun__group_run, &r, 1, threads[k], &codes),
                         LUN_OK);
        check_codes(&r.in[0], r.out[0].data);
        test_guarded_free(&codes);
    }
    test_guarded_free(&keys);
}

static void codes(void **state)
{
    static const int64_t lengths[] = {0, 1, 2, 63, 1000, 65537, 200000};
    uint64_t seed = 1;
    (void)state;
    for (int t = 0; t < LUN_DTYPE_COUNT; t++)
        for (int l = 0; l < 7; l++)
            for (int kind = 0; kind < 5; kind++)
                one_codes((lun_dtype)t, lengths[l], kind, &seed);
}

/* ---- pairs ----------------------------------------------------------------------------------- */

static void one_join(int64_t na, int64_t nb, int64_t groups, bool left, uint64_t *seed)
{
    static const int threads[] = {1, 2, 3, 8};
    const int64_t base = below(seed, 2);
    int32_t *a = malloc((size_t)na * 4 + 4), *b = malloc((size_t)nb * 4 + 4);
    int64_t *ends = calloc((size_t)na + 1, 8), *starts = calloc((size_t)groups + 1, 8);
    int64_t *rows = calloc((size_t)nb + 1, 8), at = 0;
    assert_true(a && b && ends && starts && rows);
    for (int64_t i = 0; i < na; i++)
        a[i] = (int32_t)below(seed, groups);
    for (int64_t i = 0; i < nb; i++)
        b[i] = (int32_t)below(seed, groups);
    for (int64_t g = 0; g < groups; g++) {
        for (int64_t i = 0; i < nb; i++)
            if (b[i] == g)
                rows[at++] = i;
        starts[g + 1] = at;
    }
    for (int64_t i = 0; i < na; i++) {
        int64_t count = starts[a[i] + 1] - starts[a[i]];
        ends[i] = (i ? ends[i - 1] : 0) + (left && !count ? 1 : count);
    }
    for (int k = 0; k < 4; k++) {
        const int64_t total = na ? ends[na - 1] : 0;
        test_memory out[2];
        lun_algorithm_run r = {
            .in = {lun__work_column(ends, LUN_I64, na), lun__work_column(a, LUN_I32, na),
                   lun__work_column(starts, LUN_I64, groups + 1),
                   lun__work_column(rows, LUN_I64, nb)},
            .out = {lun__work_column(NULL, LUN_I64, total), lun__work_column(NULL, LUN_I64, total)},
            .option = {(uint64_t)base}};
        assert_int_equal(run_guarded(lun__matches_room, lun__matches_run, &r, 2, threads[k], out),
                         LUN_OK);
        const int64_t *i_of = r.out[0].data, *j_of = r.out[1].data;
        int64_t p = 0;
        for (int64_t i = 0; i < na; i++) {
            int64_t before = p;
            for (int64_t j = 0; j < nb; j++)
                if (a[i] == b[j]) {
                    assert_int_equal(i_of[p], i + base);
                    assert_int_equal(j_of[p++], j + base);
                }
            if (left && p == before) {
                assert_int_equal(i_of[p], i + base);
                assert_int_equal(j_of[p++], base - 1);
            }
        }
        assert_int_equal(p, total);
        test_guarded_free(&out[0]);
        test_guarded_free(&out[1]);
    }
    free(a);
    free(b);
    free(ends);
    free(starts);
    free(rows);
}

static void joins(void **state)
{
    uint64_t seed = 3;
    (void)state;
    for (int left = 0; left < 2; left++) {
        one_join(0, 0, 1, left, &seed);
        one_join(0, 5, 2, left, &seed);
        one_join(5, 0, 2, left, &seed);
        one_join(1, 1, 1, left, &seed);
        one_join(100, 90, 20, left, &seed);
        one_join(100, 90, 500, left, &seed);
        one_join(40000, 30, 300, left, &seed);
        one_join(30, 40000, 300, left, &seed);
    }
}

/* ---- stops ----------------------------------------------------------------------------------- */

enum { ROWS = 65536 };

static void stops(void **state)
{
    static int32_t codes[ROWS], keys[ROWS];
    static double x[ROWS], sums[10];
    lun_services services = test_services();
    lun_team team = {.threads = 2, .parallel = test_parallel};
    lun_algorithm_run r = {
        .in = {lun__work_column(codes, LUN_I32, ROWS), lun__work_column(x, LUN_F64, ROWS)},
        .out[0] = lun__work_column(sums, LUN_F64, 10),
        .option = {LUN_AGGREGATE_SUM, 10}};
    (void)state;
    cancel_flag = 1;
    r.scratch = malloc((size_t)lun__aggregate_room(&r, 2));
    assert_non_null(r.scratch);
    assert_int_equal(lun__aggregate_run(&services, &team, &r), LUN_ECANCEL);
    free(r.scratch);
    r = (lun_algorithm_run){.in[0] = lun__work_column(keys, LUN_I32, ROWS - 1),
                            .out[0] = lun__work_column(codes, LUN_I32, ROWS)};
    r.scratch = malloc((size_t)lun__group_room(&r, 2));
    assert_non_null(r.scratch);
    assert_int_equal(lun__group_run(&services, &team, &r), LUN_ECANCEL);
    free(r.scratch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(codes), cmocka_unit_test(joins),
                                       cmocka_unit_test(stops)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
