/* select_test.c - the first elements in order, and quantiles, of long segments
 * (backends/algorithms), where they are selected and not sorted: against the sort of the C
 * library, bits and places, on 1 to 8 threads, touching nothing beyond. */
#include "algorithm_kit.h"

enum { MOST = 200000, KINDS = 9 };

static const lun_dtype dtypes[] = {LUN_I32, LUN_U32, LUN_I64, LUN_U64, LUN_F32, LUN_F64};

static uint64_t float_cell(lun_dtype t, double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return lun__dtype_cell_cast(t, LUN_F64, bits);
}

/* 0 any bits, 1 few values, 2 all equal, 3 ascending, 4 numbers in 0 .. 1 or near one another,
 * 5 NaNs of any payload beside numbers, 6 all NaN, 7 zeros of either sign and tiny numbers, 8 most
 * in one place and few far away. */
static uint64_t some_cell(lun_dtype t, int kind, int64_t i, uint64_t *seed)
{
    const uint64_t h = test_random(seed), all = ~(uint64_t)0 >> (64 - lun__dtype_bits(t));
    const bool floats = lun__dtype_is_float(t);
    const uint64_t nan =
        float_cell(t, INFINITY) | (h & 0x7fff) | 1 | (h >> 40 & 1 ? all ^ all >> 1 : 0);
    switch (kind) {
    case 0:
        return h & all;
    case 1:
        return floats ? float_cell(t, (double)(h % 5)) : h % 5;
    case 2:
        return floats ? float_cell(t, 0.25) : 77;
    case 3:
        return floats ? float_cell(t, (double)i) : (uint64_t)i;
    case 4:
        return floats ? float_cell(t, (double)(h >> 11) * 0x1p-53) : 1000000 + h % 70001;
    case 5:
        return floats ? (h >> 50 & 1 ? nan : float_cell(t, (double)(h % 100000) - 500)) : h & all;
    case 6:
        return floats ? nan : all;
    case 7:
        return floats ? (h % 3) | (h >> 40 & 1 ? all ^ all >> 1 : 0) : h % 2;
    default:
        return h % 1000 == 0 ? h >> 1 & all >> 2 : floats ? float_cell(t, 1) + h % 8 : h % 8;
    }
}

/* ---- the oracle ------------------------------------------------------------------------------ */

static const lun_column *sorted_by;
static bool descends;

static int order(const void *a, const void *b)
{
    const int64_t i = *(const int64_t *)a, j = *(const int64_t *)b;
    const uint64_t x = cell_at(sorted_by, i), y = cell_at(sorted_by, j);
    const lun_dtype t = sorted_by->dtype;
    int c = compare(t, x, y);
    if (lun__dtype_is_float(t)) {
        const bool x_nan = isnan(number_of(t, x)), y_nan = isnan(number_of(t, y));
        if (x_nan || y_nan)
            return x_nan != y_nan ? x_nan - y_nan : (i > j) - (i < j);
        if (c == 0) /* -0.0 before 0.0 */
            c = (int)signbit(number_of(t, y)) - (int)signbit(number_of(t, x));
        c = c < 0 ? -1 : c > 0;
    }
    c = descends ? -c : c;
    return c ? c : (i > j) - (i < j);
}

static void sort_places(const lun_column *c, bool down, int64_t *places)
{
    sorted_by = c;
    descends = down;
    for (int64_t i = 0; i < c->n; i++)
        places[i] = i;
    qsort(places, (size_t)c->n, sizeof *places, order);
}

/* ---- topk ------------------------------------------------------------------------------------ */

static void check_topk(const lun_column *in, bool down, const int64_t *places, int64_t k,
                       int threads)
{
    test_memory out[2];
    lun_algorithm_run r = {
        .in[0] = *in,
        .out = {lun__work_column(NULL, in->dtype, k), lun__work_column(NULL, LUN_I64, k)},
        .option = {down, 1}};
    assert_int_equal(run_guarded(lun__topk_room, lun__topk_run, &r, 2, threads, out), LUN_OK);
    for (int64_t i = 0; i < k; i++) {
        assert_int_equal(((int64_t *)r.out[1].data)[i], places[i] + 1);
        assert_true(cell_at(&r.out[0], i) == cell_at(in, places[i]));
    }
    test_guarded_free(&out[0]);
    test_guarded_free(&out[1]);
}

/* ---- quantile -------------------------------------------------------------------------------- */

static double quantile_of(const lun_column *in, const int64_t *places, int64_t n, double q)
{
    const double at = q * (double)(n - 1), low = floor(at), part = at - low;
    const double a = number_of(in->dtype, cell_at(in, places[(int64_t)low]));
    if (part == 0)
        return a;
    const double b = number_of(in->dtype, cell_at(in, places[(int64_t)low + 1]));
    return a == b ? a : part < 0.5 ? a + (b - a) * part : b - (b - a) * (1 - part);
}

static void check_quantile(const lun_column *in, const int64_t *places, bool skips, int threads)
{
    static double q[] = {0.5, 0, 1, 0.25, 0.999, 1e-5, 0.5000001, 0.123};
    const lun_dtype t = lun__dtype_is_float(in->dtype) ? in->dtype : LUN_F64;
    const int64_t count = sizeof q / sizeof *q;
    test_memory out;
    int64_t n = in->n;
    while (n && isnan(number_of(in->dtype, cell_at(in, places[n - 1]))))
        n--;
    lun_algorithm_run r = {.in = {*in, lun__work_column(q, LUN_F64, count)},
                           .out[0] = lun__work_column(NULL, t, count),
                           .segment = in->n,
                           .option = {skips}};
    assert_int_equal(run_guarded(lun__quantile_room, lun__quantile_run, &r, 1, threads, &out),
                     LUN_OK);
    for (int64_t k = 0; k < count; k++) {
        const bool none = n == 0 || (n < in->n && !skips);
        const double wanted = none ? NAN : quantile_of(in, places, n, q[k]);
        const double got = number_of(t, cell_at(&r.out[0], k));
        assert_true(isnan(wanted) ? isnan(got) : cell_at(&r.out[0], k) == float_cell(t, wanted));
    }
    test_guarded_free(&out);
}

/* ---- runs ------------------------------------------------------------------------------------ */

static void one(lun_dtype t, int kind, int64_t n)
{
    static const int threads[] = {1, 2, 5, 8};
    static int64_t places[MOST];
    const int64_t bytes = lun__dtype_get(t)->bytes, ks[] = {1, 10, 1000, n / 2, n - 1, n};
    uint64_t seed = (uint64_t)(kind + 1);
    test_memory data = test_guarded((size_t)(n * bytes));
    for (int64_t i = 0; i < n; i++) {
        const uint64_t cell = some_cell(t, kind, i, &seed);
        memcpy(data.data + i * bytes, &cell, (size_t)bytes);
    }
    const lun_column in = {data.data, t, n, false};
    for (int down = 0; down < 2; down++) {
        sort_places(&in, down, places);
        for (int k = 0; k < 6; k++)
            check_topk(&in, down, places, ks[k], threads[k % 4]);
        for (int k = 0; !down && k < 4; k++)
            check_quantile(&in, places, k % 2, threads[(k + kind) % 4]);
    }
    test_guarded_free(&data);
}

static void selections(void **state)
{
    (void)state;
    for (int t = 0; t < 6; t++)
        for (int kind = 0; kind < KINDS; kind++) {
            one(dtypes[t], kind, 65536);
            one(dtypes[t], kind, 70001);
        }
    one(LUN_F64, 4, MOST);
    one(LUN_I64, 0, MOST - 1);
}

/* Several long lines: each is that line alone. */
static void segments(void **state)
{
    enum { LINE = 66000, LINES = 3 };
    static double x[LINES * LINE], q[] = {0.1, 0.5};
    double all[2 * LINES], each[2];
    lun_services services = test_services();
    lun_team team = {.threads = 2, .parallel = test_parallel};
    uint64_t seed = 5;
    (void)state;
    for (int i = 0; i < LINES * LINE; i++)
        x[i] = (double)(int64_t)test_random(&seed);
    for (int i = -1; i < LINES; i++) {
        lun_algorithm_run r = {
            .in = {lun__work_column(x + (i < 0 ? 0 : i * LINE), LUN_F64,
                                    i < 0 ? LINES * LINE : LINE),
                   lun__work_column(q, LUN_F64, 2)},
            .out[0] = lun__work_column(i < 0 ? all : each, LUN_F64, i < 0 ? 2 * LINES : 2),
            .segment = LINE};
        r.scratch = malloc((size_t)lun__quantile_room(&r, 2));
        assert_non_null(r.scratch);
        assert_int_equal(lun__quantile_run(&services, &team, &r), LUN_OK);
        for (int k = 0; i >= 0 && k < 2; k++)
            assert_true(each[k] == all[k * LINES + i]);
        free(r.scratch);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(selections), cmocka_unit_test(segments)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
